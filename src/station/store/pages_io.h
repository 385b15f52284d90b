// pages_io.h - the pages of an SQLite file as they lie on the disk, with those of its write-ahead log, read without
// SQLite: for a file that SQLite gives up on.
//
// An image is one page as it was written at some time: the pages of the file first, then those of the log in order. A
// page has its latest image, and may have older ones.
//
// Source   The SQLite file format, https://sqlite.org/fileformat2.html
#pragma once
#include "base/status.h"

typedef struct cairn_frame {
    uint32_t page, index; // the page that it is of, 0 if it does not count; where it lies in the log
} cairn_frame;

typedef struct cairn_pages {
    int file, log; // -1: not there
    uint32_t file_pages, frame_count;
    uint32_t salts[2];   // of the frames that count: others are left over from an earlier log
    cairn_frame *frames; // by page, and then by index
} cairn_pages;

// A file that is not there has no pages. CAIRN_ERR_IO with the reason in errno; FULL.
CAIRN_CHECKED cairn_err cairn_pages_open(cairn_pages *pages, const char *path);
void cairn_pages_close(cairn_pages *pages);

uint32_t cairn_pages_image_count(const cairn_pages *pages);
// The bytes of an image, filled up with zeros where the file ends within it, and which page it is of; false if it
// cannot be read or does not count.
bool cairn_pages_read_image(const cairn_pages *pages, uint32_t image, uint8_t *ret_bytes, uint32_t *ret_page);
// The latest image of a page, counted from 1; false if it is not there.
bool cairn_pages_read(const cairn_pages *pages, uint32_t page, uint8_t *ret_bytes);

// Whether all that was committed to the log would be found by SQLite, which drops everything behind the first frame
// that is not sound. Not for a log that is being written. A log torn by a power failure, before anybody was told that
// the last transaction is safe, may look damaged too.
bool cairn_pages_log_is_whole(const cairn_pages *pages);
