// store_file_io.h - a store's file opened: locked, checked, brought up to date, and if need be made anew from what is
// sound.
#pragma once
#include "station/store/database_io.h"
#include "station/store/store_io.h"

typedef struct cairn_store_file {
    cairn_database db;
    int lock;       // -1: for reading
    uint8_t *setup; // NULL: damage has taken it
    size_t setup_bytes;
    uint64_t last; // highest ticket
} cairn_store_file;

// As cairn_store_open and cairn_store_open_reading.
CAIRN_CHECKED cairn_err cairn_store_file_open(cairn_store_file *file, const cairn_store_def *def,
                                              cairn_complaints *complaints);
CAIRN_CHECKED cairn_err cairn_store_file_open_reading(cairn_store_file *file, const char *path,
                                                      cairn_complaints *complaints);
void cairn_store_file_close(cairn_store_file *file);
