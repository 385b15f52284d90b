#include "body/body_page.h"
#include <stdio.h>
#include <string.h>

#define MAGIC 0x444f4243u // "CBOD"

_Static_assert(sizeof(cairn_body_page) <= CAIRN_BODY_PAGE_BYTES && CAIRN_BODY_PAGE_BYTES % 64 == 0,
               "cells are aligned");

static size_t cells_bytes(const cairn_body_page_def *def)
{
    return def->kind == CAIRN_BODY_PAGE_SENSORS ? cairn_body_sensor_bytes(def->description)
                                                : cairn_body_motor_bytes(def->description);
}

size_t cairn_body_page_file_bytes(const cairn_body_page_def *def) { return CAIRN_BODY_PAGE_BYTES + cells_bytes(def); }

void *cairn_body_page_cells(void *file_memory) { return (uint8_t *)file_memory + CAIRN_BODY_PAGE_BYTES; }

void cairn_body_page_fill(void *file_memory, const cairn_body_page_def *def)
{
    CAIRN_ASSERT(strlen(def->robot) < sizeof(((cairn_body_page *)0)->robot));
    cairn_body_page *page = file_memory;
    page->magic = MAGIC;
    page->version = CAIRN_BODY_PAGE_VERSION;
    page->kind = (uint32_t)def->kind;
    page->body_hash = def->body_hash;
    page->body_id = def->body_id;
    page->cells_bytes = cells_bytes(def);
    (void)snprintf(page->robot, sizeof page->robot, "%s", def->robot);
    atomic_store_explicit(&page->boot, 1, memory_order_release);
}

cairn_err cairn_body_page_check(const void *file_memory, const cairn_body_page_def *def, const char *path,
                                cairn_complaints *complaints)
{
    const cairn_body_page *page = file_memory;
    if (atomic_load_explicit(&page->boot, memory_order_acquire) == 0) { return CAIRN_ERR_EMPTY; }
    if (page->magic != MAGIC || page->kind != (uint32_t)def->kind) {
        cairn_complain(complaints, path, 0, "is not a body's %s; is the folder the simulator's?",
                       def->kind == CAIRN_BODY_PAGE_SENSORS ? "sensors" : "motors");
        return CAIRN_ERR_INVALID;
    }
    if (page->version != CAIRN_BODY_PAGE_VERSION || page->cells_bytes != cells_bytes(def)) {
        cairn_complain(complaints, path, 0,
                       "was made by a simulator of another version (%u, this program has %u); update the older one",
                       page->version, CAIRN_BODY_PAGE_VERSION);
        return CAIRN_ERR_UNSUPPORTED;
    }
    if (strncmp(page->robot, def->robot, sizeof page->robot) != 0) {
        cairn_complain(complaints, path, 0, "is the body of %.31s, not of %s", page->robot, def->robot);
        return CAIRN_ERR_INVALID;
    }
    if (page->body_hash != def->body_hash) {
        cairn_complain(complaints, path, 0,
                       "the body file of %s is not the one that the simulator read; start both with the same file",
                       def->robot);
        return CAIRN_ERR_INVALID;
    }
    return atomic_load_explicit(&page->retired, memory_order_acquire) != 0 ? CAIRN_ERR_EMPTY : CAIRN_OK;
}
