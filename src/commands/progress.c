#include "commands/progress.h"
#include <stdio.h>
#include <unistd.h>

#define BAR_CELLS 28

void cairn_progress_init(cairn_progress *progress, cairn_mono now, bool wanted)
{
    *progress = (cairn_progress){.shown = wanted && isatty(STDERR_FILENO), .start = now};
}

bool cairn_progress_is_due(const cairn_progress *progress, cairn_mono now)
{
    return progress->shown && cairn_mono_since(now, progress->last) >= CAIRN_MS(100);
}

void cairn_progress_draw(cairn_progress *progress, cairn_mono now, double part, const char *format, ...)
{
    if (!cairn_progress_is_due(progress, now)) { return; }
    progress->last = now;
    const int full = (int)(BAR_CELLS * (part < 0 ? 0 : part > 1 ? 1 : part));
    fputs("\r\033[K[", stderr);
    for (int i = 0; i < BAR_CELLS; i++) { fputs(i < full ? "█" : "·", stderr); }
    fputs("] ", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void cairn_progress_finish(cairn_progress *progress)
{
    if (progress->shown) { fputs("\r\033[K", stderr); }
}
