// journal_settings.h - what a program's file says about its journal.
#pragma once
#include "base/config/config.h"

#define CAIRN_PROGRAM_PATH_BYTES 512

typedef struct cairn_journal_settings {
    char folder[CAIRN_PROGRAM_PATH_BYTES]; // "": no journal
    uint32_t level;                        // index in cairn_journal_level_words
    double rotate_mb, rotate_min, quota_mb;
    double scan_hz, thermal_hz;
} cairn_journal_settings;

extern const char *const cairn_journal_level_words[]; // "all", "no-images", "operations"; NULL at the end
extern const cairn_config_schema cairn_journal_settings_schema;
