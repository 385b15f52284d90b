// formats.h - the version of everything that Cairn keeps or sends; docs/VERSIONS.md tells what becomes of others.
#pragma once
#include "base/status.h"

typedef struct cairn_format {
    const char *name; // "radio"
    uint32_t version; // that this program writes; it reads every older one unless the words say otherwise
    const char *what; // for people
} cairn_format;

#define CAIRN_FORMAT_COUNT 16
extern const cairn_format cairn_formats[CAIRN_FORMAT_COUNT];
