#include "station/areas/areas_file.h"
#include <string.h>

#define CORNER_M_MAX 10000 // as starts in a station file
#define REACH_M 1900.0     // from a start: 2 km on the air, less what a frame may move

static const char *const kind_words[] = {
    [CAIRN_FENCE_KEEP_IN] = "keep_in", [CAIRN_FENCE_KEEP_OUT] = "keep_out", [CAIRN_FENCE_KEEP_OUT + 1] = NULL};

static const cairn_config_field corner_item = CAIRN_CONFIG_ITEM_VECTOR(cairn_vec2, "m", -CORNER_M_MAX, CORNER_M_MAX);
static const cairn_config_field entry_fields[] = {
    CAIRN_CONFIG_LINE(cairn_area_entry, line),
    CAIRN_CONFIG_TEXT(cairn_area_entry, name, "name", .help = "shown to people"),
    CAIRN_CONFIG_CHOICE(cairn_area_entry, kind, "kind", kind_words, .help = "what robots do about it"),
    CAIRN_CONFIG_LIST(cairn_area_entry, corners_m, corner_count, "corners_m", &corner_item, CAIRN_FENCE_CORNERS_MAX,
                      .item_min = CAIRN_FENCE_CORNERS_MIN, .help = "x, y in the map, in order around it"),
};
static const cairn_config_schema entry_schema = CAIRN_CONFIG_SCHEMA(cairn_area_entry, entry_fields);
const cairn_config_field cairn_area_item = CAIRN_CONFIG_ITEM_RECORD(cairn_area_entry, &entry_schema);

static cairn_fence fence_of(const cairn_area_entry *entry)
{
    cairn_fence fence = {.kind = (cairn_fence_kind)entry->kind, .corner_count = entry->corner_count};
    for (uint32_t i = 0; i < entry->corner_count; i++) { fence.corners_m[i] = entry->corners_m[i]; }
    return fence;
}

static void check_name(const char *path, const cairn_area_entry *entries, uint32_t at, cairn_complaints *complaints)
{
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(entries[i].name, entries[at].name) != 0) { continue; }
        cairn_complain(complaints, path, entries[at].line, "areas[%u].name: another area is named %s too", at,
                       entries[at].name);
        return;
    }
}

cairn_err cairn_areas_convert(const char *path, const cairn_area_entry *entries, uint32_t count,
                              cairn_complaints *complaints, cairn_team_areas *ret_areas)
{
    CAIRN_ASSERT(count <= CAIRN_FENCES_MAX);
    const uint32_t complaint_count = complaints->count;
    cairn_team_areas areas = {.fences = {.count = count}};
    for (uint32_t i = 0; i < count; i++) {
        CAIRN_ASSERT(entries[i].corner_count <= CAIRN_FENCE_CORNERS_MAX);
        check_name(path, entries, i, complaints);
        areas.fences.fences[i] = fence_of(&entries[i]);
        memcpy(areas.names[i], entries[i].name, sizeof areas.names[i]);
        const char *trouble = cairn_fence_trouble(&areas.fences.fences[i]);
        if (trouble == NULL) { continue; }
        cairn_complain(complaints, path, entries[i].line, "areas[%u].corners_m: %s %s", i, entries[i].name, trouble);
    }
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }
    *ret_areas = areas;
    return CAIRN_OK;
}

void cairn_areas_check_reach(const char *path, const cairn_area_entry *entries, uint32_t count, cairn_vec2 start_m,
                             cairn_complaints *complaints)
{
    for (uint32_t i = 0; i < count; i++) {
        double away_m = 0;
        for (uint32_t k = 0; k < entries[i].corner_count; k++) {
            away_m = fmax(away_m, cairn_vec2_distance(entries[i].corners_m[k], start_m));
        }
        if (away_m <= REACH_M) { continue; }
        cairn_complain(complaints, path, entries[i].line,
                       "areas[%u].corners_m: a corner is %.0f m from a robot's start; expected at most %.0f m", i,
                       away_m, REACH_M);
        return;
    }
}
