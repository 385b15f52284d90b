// areas_file.h - the section `areas` of mission files and station files: read by the file's schema, then checked.
#pragma once
#include "base/config/config.h"
#include "station/areas/areas.h"

// One area as it is written.
typedef struct cairn_area_entry {
    uint32_t line;
    char name[CAIRN_AREA_NAME_BYTES];
    uint32_t kind;
    cairn_vec2 *corners_m;
    uint32_t corner_count;
} cairn_area_entry;

extern const cairn_config_field cairn_area_item; // of the list of entries, at most CAIRN_FENCES_MAX

// Complains, with lines, of names given twice and of corners that are no area. CAIRN_ERR_INVALID: *ret_areas is
// untouched.
CAIRN_CHECKED cairn_err cairn_areas_convert(const char *path, const cairn_area_entry *entries, uint32_t count,
                                            cairn_complaints *complaints, cairn_team_areas *ret_areas);
// Complains of the first corner that is farther from a start than radio messages reach.
void cairn_areas_check_reach(const char *path, const cairn_area_entry *entries, uint32_t count, cairn_vec2 start_m,
                             cairn_complaints *complaints);
