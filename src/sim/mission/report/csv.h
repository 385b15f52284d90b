// csv.h - people's words in tables of comma-separated values.
#pragma once
#include <stdio.h>

// In quotes: a comma, a quote or a line's end in a name must not make another column. `more` follows the name within.
static inline void cairn_csv_text(FILE *to, const char *name, const char *more)
{
    fputc('"', to);
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '"') { fputc('"', to); }
        fputc(*c, to);
    }
    fprintf(to, "%s\"", more);
}
