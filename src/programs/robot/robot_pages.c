#include "programs/robot/robot_pages.h"
#include "base/ruled_clock.h"
#include "robot/checkpoint.h"
#include "robot/reflex/reflex_cells.h"
#include <stdio.h>
#include <unistd.h>

#define OWN_MAGIC 0x4e574f43u // "COWN"

// In front of the cells of a file of the robot's own.
typedef struct own_head {
    _Alignas(64) uint32_t magic;
    uint32_t version;
    uint64_t cells_bytes;
    uint64_t body_id; // written last
} own_head;

static const char *const own_names[CAIRN_PAGE_COUNT] = {
    [CAIRN_PAGE_TO_REFLEX] = "to_reflex",
    [CAIRN_PAGE_FROM_REFLEX] = "from_reflex",
    [CAIRN_PAGE_CHECKPOINT] = "checkpoint",
};

static size_t own_cells_bytes(cairn_robot_page page)
{
    switch (page) {
    case CAIRN_PAGE_TO_REFLEX: return cairn_reflex_memory_bytes_to();
    case CAIRN_PAGE_FROM_REFLEX: return cairn_reflex_memory_bytes_from();
    default: return cairn_cell_memory_bytes(sizeof(cairn_checkpoint));
    }
}

static void place(cairn_robot_pages *pages, cairn_robot_page page, const char *folder, const char *name,
                  const char *ending, uint64_t head_bytes, uint64_t cells_bytes)
{
    cairn_mapped_cells *where = &pages->where[page];
    snprintf(where->path, sizeof where->path, "%s/%s%s", folder, name, ending);
    where->cells_at = head_bytes;
    where->file_bytes = head_bytes + cells_bytes;
}

static cairn_err open_page(cairn_robot_pages *pages, cairn_robot_page page, bool writable, cairn_complaints *complaints)
{
    const cairn_mapped_cells *where = &pages->where[page];
    const cairn_err err =
        cairn_shared_memory_open(where->path, where->file_bytes, writable, complaints, &pages->memory[page]);
    if (err == CAIRN_OK) { pages->cells[page] = (uint8_t *)pages->memory[page].bytes + where->cells_at; }
    return err;
}

static cairn_err open_body_page(cairn_robot_pages *pages, cairn_robot_page page, const cairn_robot_file *file,
                                cairn_body_page_kind kind, cairn_complaints *complaints)
{
    const cairn_body_page_def def = {
        .kind = kind, .robot = file->name, .body_hash = file->body_hash, .description = &file->body};
    const size_t file_bytes = cairn_body_page_file_bytes(&def);
    place(pages, page, file->sim, file->name, kind == CAIRN_BODY_PAGE_SENSORS ? ".sensors" : ".motors",
          CAIRN_BODY_PAGE_BYTES, file_bytes - CAIRN_BODY_PAGE_BYTES);
    cairn_err err = open_page(pages, page, false, complaints);
    if (err != CAIRN_OK) { return err; }
    const cairn_shared_memory *memory = &pages->memory[page];
    err = cairn_body_page_check(memory->bytes, &def, pages->where[page].path, complaints);
    pages->body_id = ((const cairn_body_page *)memory->bytes)->body_id;
    return err;
}

cairn_err cairn_robot_pages_open_body(cairn_robot_pages *pages, const cairn_robot_file *file,
                                      cairn_complaints *complaints)
{
    // The sensors are made last and retired before others are made: not retired at the end, all are of one world.
    *pages = (cairn_robot_pages){0};
    place(pages, CAIRN_PAGE_CLOCK, file->sim, "clock", "", 0, sizeof(cairn_ruled_memory));
    cairn_err err = open_body_page(pages, CAIRN_PAGE_SENSORS, file, CAIRN_BODY_PAGE_SENSORS, complaints);
    if (err == CAIRN_OK) { err = open_body_page(pages, CAIRN_PAGE_MOTORS, file, CAIRN_BODY_PAGE_MOTORS, complaints); }
    if (err == CAIRN_OK) { err = open_page(pages, CAIRN_PAGE_CLOCK, false, complaints); }
    if (err == CAIRN_OK && cairn_robot_pages_are_retired(pages)) { err = CAIRN_ERR_EMPTY; }
    if (err != CAIRN_OK) { cairn_robot_pages_close(pages); }
    return err;
}

static bool is_of_body(const cairn_robot_pages *pages, cairn_robot_page page)
{
    const own_head *head = pages->memory[page].bytes;
    return head->magic == OWN_MAGIC && head->body_id == pages->body_id;
}

// What is there, of this layout, and about this body.
static bool is_own(const cairn_robot_pages *pages, cairn_robot_page page)
{
    const own_head *head = pages->memory[page].bytes;
    return head->version == CAIRN_ROBOT_PAGES_VERSION && head->cells_bytes == own_cells_bytes(page) &&
           is_of_body(pages, page);
}

static cairn_err make_page(cairn_robot_pages *pages, cairn_robot_page page, cairn_complaints *complaints)
{
    const cairn_mapped_cells *where = &pages->where[page];
    cairn_shared_memory memory;
    const cairn_err err = cairn_shared_memory_create(where->path, where->file_bytes, complaints, &memory);
    if (err != CAIRN_OK) { return err; }
    *(own_head *)memory.bytes = (own_head){.magic = OWN_MAGIC,
                                           .version = CAIRN_ROBOT_PAGES_VERSION,
                                           .cells_bytes = own_cells_bytes(page),
                                           .body_id = pages->body_id};
    cairn_shared_memory_close(&memory);
    return CAIRN_OK;
}

static bool is_there(cairn_robot_pages *pages, cairn_robot_page page)
{
    static cairn_complaints unsaid; // a file of another size is simply made anew
    const cairn_err err = open_page(pages, page, false, &unsaid);
    const bool is_ours = err == CAIRN_OK && is_own(pages, page);
    pages->outdated |= err == CAIRN_ERR_CORRUPT || (err == CAIRN_OK && !is_ours && is_of_body(pages, page));
    cairn_shared_memory_close(&pages->memory[page]);
    return is_ours;
}

// One by one: each may be the only one that knows of a stop.
static cairn_err make_own(cairn_robot_pages *pages, cairn_complaints *complaints, bool *ret_fresh)
{
    cairn_err err = CAIRN_OK;
    for (uint32_t i = CAIRN_PAGE_TO_REFLEX; i < CAIRN_PAGE_COUNT && err == CAIRN_OK; i++) {
        if (is_there(pages, (cairn_robot_page)i)) { continue; }
        *ret_fresh = true;
        err = make_page(pages, (cairn_robot_page)i, complaints);
    }
    return err;
}

cairn_err cairn_robot_pages_open_own(cairn_robot_pages *pages, const cairn_robot_file *file,
                                     cairn_robot_process process, cairn_complaints *complaints, bool *ret_fresh)
{
    for (uint32_t i = CAIRN_PAGE_TO_REFLEX; i < CAIRN_PAGE_COUNT; i++) {
        place(pages, (cairn_robot_page)i, file->state, own_names[i], "", sizeof(own_head), own_cells_bytes(i));
    }
    *ret_fresh = false;
    cairn_err err = process == CAIRN_PROCESS_SUPERVISOR ? make_own(pages, complaints, ret_fresh) : CAIRN_OK;
    for (uint32_t i = CAIRN_PAGE_TO_REFLEX; i < CAIRN_PAGE_COUNT && err == CAIRN_OK; i++) {
        const bool writes = process == CAIRN_PROCESS_MIND && i != CAIRN_PAGE_FROM_REFLEX;
        err = open_page(pages, (cairn_robot_page)i, writes, complaints);
        if (err == CAIRN_OK && !is_own(pages, (cairn_robot_page)i)) { err = CAIRN_ERR_CORRUPT; }
        if (err == CAIRN_ERR_EMPTY || err == CAIRN_ERR_CORRUPT) {
            cairn_complain(complaints, pages->where[i].path, 0, "is not of this robot's present life");
        }
    }
    return err;
}

bool cairn_robot_pages_are_there(const cairn_robot_pages *pages)
{
    for (uint32_t i = CAIRN_PAGE_TO_REFLEX; i < CAIRN_PAGE_COUNT; i++) {
        if (access(pages->where[i].path, F_OK) != 0) { return false; }
    }
    return true;
}

bool cairn_robot_pages_are_retired(const cairn_robot_pages *pages)
{
    const cairn_body_page *page = pages->memory[CAIRN_PAGE_SENSORS].bytes;
    return page != NULL && atomic_load_explicit(&page->retired, memory_order_acquire) != 0;
}

void cairn_robot_pages_close(cairn_robot_pages *pages)
{
    for (uint32_t i = 0; i < CAIRN_PAGE_COUNT; i++) { cairn_shared_memory_close(&pages->memory[i]); }
}
