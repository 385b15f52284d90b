// page_lines.h - what is said about the operator's pages, from the web server's thread to the station's log and
// journal.
//
// Who came from where, when and until when, what was asked, and what was refused and why. Anyone who reaches the port
// can bring lines about: at most CAIRN_PAGE_LINES_PER_S are kept of a flood, after a first burst; the others are
// counted, and the count is told. Where the log and the journal are kept, and how much of them, is their owner's to
// say.
//
// Memory   From the arena, by create.
// Threads  The log may be used by any; take by one.
#pragma once
#include "base/log.h"
#include "base/memory.h"

#define CAIRN_PAGE_LINES_PER_S 20u
#define CAIRN_PAGE_LINES_BURST 100u
#define CAIRN_PAGE_LINES_BYTES (64u << 10) // of the arena, about

typedef struct cairn_page_lines cairn_page_lines;

CAIRN_CHECKED cairn_err cairn_page_lines_create(cairn_arena *arena, cairn_page_lines **ret_lines);
void cairn_page_lines_finish(cairn_page_lines *lines); // gives the lock back; accepts NULL
// Its sink keeps lines until they are taken. Borrows the lines.
cairn_log cairn_page_lines_log(cairn_page_lines *lines);
// Once a second: passes on what was said, and how many lines were not kept.
void cairn_page_lines_take(cairn_page_lines *lines, const cairn_log *to, cairn_mono now);
