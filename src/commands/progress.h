// progress.h - a progress bar on a terminal, nothing anywhere else.
#pragma once
#include "base/clock.h"

typedef struct cairn_progress {
    bool shown;      // stderr is a terminal
    cairn_mono last; // drawn
    cairn_mono start;
} cairn_progress;

void cairn_progress_init(cairn_progress *progress, cairn_mono now, bool wanted);
// True ten times a second on a terminal: what is dear to work out can wait for it.
bool cairn_progress_is_due(const cairn_progress *progress, cairn_mono now);
// Draws, if due: the bar for part (0..1), then the words.
void cairn_progress_draw(cairn_progress *progress, cairn_mono now, double part, const char *format, ...)
    CAIRN_PRINTF(4, 5);
void cairn_progress_finish(cairn_progress *progress); // clears the line
