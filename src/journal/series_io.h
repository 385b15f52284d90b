// series_io.h - the files of a journal that rotates: FOLDER/PREFIX-000001.mcap, PREFIX-000002.mcap, ...
//
// Numbers only grow, also from one run of a program to the next. Files of other prefixes are never touched.
// Threads  Free of state: any.
#pragma once
#include "base/status.h"

#define CAIRN_SERIES_PATH_BYTES 1024

typedef struct cairn_series {
    const char *folder, *prefix; // borrowed
} cairn_series;

typedef struct cairn_series_file {
    uint64_t number, bytes;
} cairn_series_file;

typedef struct cairn_series_files {
    cairn_series_file *files; // by number; on the heap
    size_t count, max;
} cairn_series_files;

// All files of the series that are there. CAIRN_ERR_IO when the folder cannot be read, CAIRN_ERR_FULL without
// memory; then the list is empty. finish gives it back.
CAIRN_CHECKED cairn_err cairn_series_list(const cairn_series *series, cairn_series_files *ret_files);
void cairn_series_files_finish(cairn_series_files *files);

// CAIRN_ERR_TOO_LARGE when folder and prefix are too long.
CAIRN_CHECKED cairn_err cairn_series_path(const cairn_series *series, uint64_t number,
                                          char ret_path[CAIRN_SERIES_PATH_BYTES]);

// Whether PATH's name is that of a file of any series; its number then.
bool cairn_series_number(const char *name, const char *prefix, uint64_t *ret_number);

// Makes the folder unless it is there (its parent must be); CAIRN_ERR_IO with a complaint.
CAIRN_CHECKED cairn_err cairn_series_make_folder(const cairn_series *series, cairn_complaints *complaints);

// Deletes the oldest files until those left have at most so many bytes; never the one with the number spared.
// Returns how many were deleted. What cannot be deleted stays, and is not tried again by this call.
uint32_t cairn_series_trim(const cairn_series *series, uint64_t bytes_max, uint64_t spared_number);

// Free bytes for this process on the folder's disk; UINT64_MAX when the system does not say.
uint64_t cairn_series_free_bytes(const cairn_series *series);
