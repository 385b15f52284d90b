// reflex_setup.h - what the supervisor tells `cairn-reflex` at its start, in one file: so that reflex reads no YAML.
#pragma once
#include "body/description.h"

#define CAIRN_REFLEX_SETUP_VERSION 4
#define CAIRN_REFLEX_PATH_BYTES 576 // a folder of a robot file, and a name in it

// Cells in a mapped file.
typedef struct cairn_mapped_cells {
    char path[CAIRN_REFLEX_PATH_BYTES];
    uint64_t file_bytes;
    uint64_t cells_at; // bytes from the beginning of the file
} cairn_mapped_cells;

typedef struct cairn_reflex_setup {
    uint32_t version, size_bytes;              // of this struct
    cairn_mapped_cells sensors, motors;        // of the body
    cairn_mapped_cells to_reflex, from_reflex; // shared with mind
    cairn_mapped_cells clock;                  // of whoever rules the time; path "": this machine's
    int32_t priority;                          // SCHED_FIFO, 0: none
    cairn_body_description description;
} cairn_reflex_setup;
