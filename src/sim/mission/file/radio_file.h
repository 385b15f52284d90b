// radio_file.h - the `radio` section of a mission file: read by the file's schema, then checked. docs/medium.md has its
// keys.
#pragma once
#include "base/config/config.h"
#include "sim/medium/medium.h"

// What only one model has, and whether it was written.
typedef struct cairn_radio_log_distance_entry {
    bool given;
    uint32_t line;
    cairn_medium_log_distance values;
} cairn_radio_log_distance_entry;

typedef struct cairn_radio_subt_entry {
    bool given;
    uint32_t line;
    cairn_medium_path values;
} cairn_radio_subt_entry;

// The section as it is written.
typedef struct cairn_radio_entry {
    uint32_t line;
    uint32_t model;
    cairn_medium_radio radio;
    cairn_radio_log_distance_entry log_distance;
    cairn_radio_subt_entry subt;
} cairn_radio_entry;

extern const cairn_config_schema cairn_radio_schema; // of the entry

// The radio that the section describes; its lists stay where they are. Complains, with lines, of silences that end
// before they begin, and of what the chosen model does not have.
cairn_medium_radio cairn_radio_convert(const char *path, const cairn_radio_entry *entry, cairn_complaints *complaints);
