// file_io.h - the file under a journal: written from front to back, with a CRC of all that was written.
//
// Threads  One owner.
#pragma once
#include "base/status.h"

typedef struct cairn_journal_file cairn_journal_file;

// Makes or empties the file at path. CAIRN_ERR_IO when the system refuses; the complaint says why.
CAIRN_CHECKED cairn_err cairn_journal_file_create(const char *path, cairn_complaints *complaints,
                                                  cairn_journal_file **ret_file);

// Appends. After the first failure every call returns the same error: CAIRN_ERR_FULL for a full disk or quota,
// CAIRN_ERR_IO otherwise; cairn_journal_file_trouble says it for people.
CAIRN_CHECKED cairn_err cairn_journal_file_write(cairn_journal_file *file, const void *bytes, size_t size);

// Hands everything to the operating system, so that it survives the end of this process.
CAIRN_CHECKED cairn_err cairn_journal_file_flush(cairn_journal_file *file);

// Flushes, asks for the disk, and closes. The file can only be destroyed afterwards.
CAIRN_CHECKED cairn_err cairn_journal_file_close(cairn_journal_file *file);
void cairn_journal_file_destroy(cairn_journal_file *file); // closes if need be; accepts NULL

uint64_t cairn_journal_file_offset(const cairn_journal_file *file);     // bytes written so far
uint32_t cairn_journal_file_crc(const cairn_journal_file *file);        // CRC-32 of them
const char *cairn_journal_file_trouble(const cairn_journal_file *file); // "path: what; what to do", "" when well
