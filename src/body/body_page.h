// body_page.h - the head of the two files in which a body's port, reflex and mind share its cells.
//
// NAME.sensors and NAME.motors each begin with a page head, and their cells (cairn_body_attach) follow. By the head a
// robot sees before it looks at any cell whether the port that made the file has the same robot, body file and layout
// in mind; it refuses in words if not. The port makes both files and only ever writes to the sensors'; reflex writes
// the motors'.
// Threads  The head is filled by the port before anybody else sees it as ready; `boot` and `retired` change later.
#pragma once
#include "body/body.h"
#include <stdatomic.h>

#define CAIRN_BODY_PAGE_VERSION 5u // another order or content of cells is another version
#define CAIRN_BODY_PAGE_BYTES ((size_t)256)

typedef enum cairn_body_page_kind {
    CAIRN_BODY_PAGE_SENSORS = 1,
    CAIRN_BODY_PAGE_MOTORS = 2,
} cairn_body_page_kind;

typedef struct cairn_body_page {
    _Alignas(64) _Atomic uint64_t boot; // of the port: one more at each start of it; 0: not ready yet
    _Atomic uint32_t retired;           // 1: a world anew has other files; let go of this one and map again
    uint32_t magic;                     // "CBOD"
    uint32_t version;
    uint32_t kind;        // cairn_body_page_kind
    uint64_t body_hash;   // of the body file's bytes
    uint64_t body_id;     // of this world, or this power-up of a base: with another one nothing is known of the place
    uint64_t cells_bytes; // that follow
    char robot[32];       // its name, NUL-terminated
} cairn_body_page;

// What the robot, or the port, has in mind.
typedef struct cairn_body_page_def {
    cairn_body_page_kind kind;
    const char *robot;
    uint64_t body_hash;
    uint64_t body_id;                          // the port's; a robot leaves it 0, and reads it from the page
    const cairn_body_description *description; // borrowed during the call
} cairn_body_page_def;

// Of the whole file.
size_t cairn_body_page_file_bytes(const cairn_body_page_def *def);
// Where the cells begin: what cairn_body_attach wants.
void *cairn_body_page_cells(void *file_memory);

// On the zeroed memory of a new file: the port's first boot. Makes it ready last.
void cairn_body_page_fill(void *file_memory, const cairn_body_page_def *def);
// CAIRN_ERR_EMPTY without a complaint while it is not ready or is retired: look again. CAIRN_ERR_UNSUPPORTED or INVALID
// with the reason when it is of another version, robot or body. `path` is for the words.
CAIRN_CHECKED cairn_err cairn_body_page_check(const void *file_memory, const cairn_body_page_def *def, const char *path,
                                              cairn_complaints *complaints);
