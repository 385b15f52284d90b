#include "sim/mission/report/map_picture.h"
#include "sim/mission/report/map_sheet.h"
#include <stdio.h>
#include <string.h>

#define MEMORY_BYTES ((size_t)32 << 20)

static void describe(const cairn_score *score, char *ret_aside, size_t aside_max, char *ret_words, size_t words_max)
{
    char walls[64] = "no walls seen";
    if (isfinite(score->map_wall_rms_m)) {
        snprintf(walls, sizeof walls, "walls within %.0f mm%s", 1e3 * score->map_wall_rms_m,
                 score->map_wall_rms_m > CAIRN_WALL_RMS_M_GOOD ? ": DO NOT BUILD ON IT" : "");
    }
    snprintf(ret_aside, aside_max, "seed %llu", (unsigned long long)score->seed);
    snprintf(ret_words, words_max, "%.0f s   explored %.1f %%   %u victims reported   %s", score->sim_s,
             100 * score->explored_fraction, score->found_count + score->false_count, walls);
}

// The cells of the map, which was cut out of the raster, from a plane that lies as the raster does.
static const uint8_t *cut_out(const cairn_raster *raster, const cairn_map *map, const uint8_t *plane,
                              cairn_arena *memory)
{
    const bool empty = raster->x_max < raster->x_min;
    const uint32_t x0 = empty ? 0 : raster->x_min, y0 = empty ? 0 : raster->y_min;
    uint8_t *cells = CAIRN_TAKE(memory, uint8_t, (size_t)map->width * map->height);
    for (uint32_t y = 0; y < map->height && cells != NULL; y++) {
        memcpy(&cells[(size_t)y * map->width], &plane[(size_t)(y0 + y) * raster->def.width + x0], map->width);
    }
    return cells;
}

static cairn_err draw(const cairn_team *team, const cairn_score *score, const cairn_map *map, cairn_arena *memory,
                      cairn_picture *ret_picture)
{
    cairn_station_view view;
    cairn_team_station(team, &view);
    char aside[40], words[160];
    describe(score, aside, sizeof aside, words, sizeof words);
    cairn_sheet_way ways[CAIRN_SIM_ROBOTS_MAX] = {0};
    for (uint32_t i = 0; i < score->robot_count; i++) { ways[i].name = score->robots[i].name; }
    for (uint32_t i = 0; i < view.fleet->count; i++) {
        ways[i].point_count = cairn_team_trail(team, i, &ways[i].points_m);
        ways[i].has_start = true;
        ways[i].start = cairn_team_start(team, i);
    }
    cairn_sheet_mark victims[CAIRN_VICTIMS_MAX];
    uint32_t victim_count = 0;
    for (uint32_t i = 0; i < view.victims->victim_count; i++) {
        if (view.victims->victims[i].same_as != 0) { continue; }
        victims[victim_count++] = (cairn_sheet_mark){i + 1, view.victims->victims[i].at_m};
    }
    const cairn_map_sheet sheet = {.map = map,
                                   .searched = cut_out(view.raster, map, view.atlas->searched, memory),
                                   .style = CAIRN_SHEET_TEAM,
                                   .left_out = CAIRN_SHEET_NORTH, // arenas lie nowhere on the earth
                                   .title = score->mission,
                                   .aside = aside,
                                   .words = words,
                                   .ways = ways,
                                   .way_count = score->robot_count,
                                   .victims = victims,
                                   .victim_count = victim_count};
    cairn_sheet_place unused;
    return sheet.searched != NULL ? cairn_map_sheet_draw(&sheet, memory, ret_picture, &unused) : CAIRN_ERR_FULL;
}

cairn_err cairn_map_picture_write(const cairn_team *team, const cairn_score *score, const cairn_map *map,
                                  const char *path, cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES + (size_t)map->width * map->height);
    if (err != CAIRN_OK) { return err; }
    cairn_picture picture;
    err = draw(team, score, map, &memory, &picture);
    if (err == CAIRN_OK) { err = cairn_picture_write_png(&picture, path, complaints); }
    cairn_arena_destroy(&memory);
    return err;
}
