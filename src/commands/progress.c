#include "commands/progress.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_CELLS 28
#define WORDS_BYTES 128

// Columns of the terminal; what is longer would wrap, and a wrapped line is not cleared by a carriage return.
static int columns(void)
{
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

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
    char words[WORDS_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const int width = columns() - 1, left = width - (int)strlen(words) - 3;
    const int cells = left < 0 ? 0 : left < BAR_CELLS ? left : BAR_CELLS;
    const int full = (int)(cells * (part < 0 ? 0 : part > 1 ? 1 : part));
    fputs("\r\033[K", stderr);
    if (cells > 0) { fputc('[', stderr); }
    for (int i = 0; i < cells; i++) { fputs(i < full ? "█" : "·", stderr); }
    if (cells > 0) { fputs("] ", stderr); }
    fprintf(stderr, "%.*s", width, words);
    fflush(stderr);
}

void cairn_progress_finish(cairn_progress *progress)
{
    if (progress->shown) { fputs("\r\033[K", stderr); }
}
