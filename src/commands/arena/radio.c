#include "commands/arena/radio.h"
#include "sim/medium/radio_picture.h"
#include "sim/mission/file/mission_file.h"
#include <stdio.h>

// For a mission's lists, and what the picture needs beside its pixels.
#define WORK_BYTES ((size_t)4 << 20)
#define PLACE_M_MAX 1000.0

bool cairn_arena_radio_place(const char *text, cairn_vec2 *ret_at_m)
{
    cairn_vec2 at_m;
    int used = 0;
    if (sscanf(text, "%lf,%lf%n", &at_m.x, &at_m.y, &used) != 2 || text[used] != '\0') { return false; }
    if (!(fabs(at_m.x) <= PLACE_M_MAX && fabs(at_m.y) <= PLACE_M_MAX)) { return false; }
    *ret_at_m = at_m;
    return true;
}

// Robots of a mission begin at the arena's first starts; without one, somebody is at each.
static cairn_err choose_radio(const cairn_sim_arena *arena, const char *mission_path, cairn_arena *memory,
                              cairn_complaints *complaints, cairn_medium_def *medium)
{
    medium->arena = arena;
    medium->robot_count = arena->start_count;
    if (mission_path == NULL) { return CAIRN_OK; }
    cairn_mission_file mission;
    const cairn_err err = cairn_mission_file_read(mission_path, memory, complaints, &mission);
    if (err != CAIRN_OK) { return err; }
    if (mission.robot_count > arena->start_count) {
        cairn_complain(complaints, mission_path, 0, "%u robots, but the arena %s has %u starts", mission.robot_count,
                       arena->name, arena->start_count);
        return CAIRN_ERR_INVALID;
    }
    medium->robot_count = mission.robot_count;
    medium->radio = mission.radio;
    return CAIRN_OK;
}

static cairn_err draw(const cairn_radio_picture_def *def, const char *out, cairn_complaints *complaints)
{
    uint32_t width_px, height_px;
    cairn_radio_picture_size(def, &width_px, &height_px);
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, (size_t)3 * width_px * height_px + WORK_BYTES);
    if (err != CAIRN_OK) { return err; }
    cairn_picture picture;
    cairn_radio_picture_info info;
    err = cairn_radio_picture_draw(def, &memory, &picture, &info);
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(complaints, out, 0, "%u x %u pixels; at most %u a side: choose a smaller --scale", width_px,
                       height_px, CAIRN_PICTURE_SIDE_PX_MAX);
    }
    if (err == CAIRN_OK) { err = cairn_picture_write_png(&picture, out, complaints); }
    cairn_arena_destroy(&memory);
    if (err == CAIRN_OK) {
        printf("%s: %u x %u pixels, %g a metre\n", out, width_px, height_px, def->scale_px_per_m);
        printf("  radio from %g,%g, model %s: %.1f %% of the floor loses at most a tenth\n", def->from_m.x,
               def->from_m.y, cairn_medium_model_names[def->medium.radio.model], 100 * info.covered);
    }
    return err;
}

cairn_err cairn_arena_radio_render(const cairn_sim_arena *arena, const cairn_arena_radio_options *options,
                                   cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, WORK_BYTES);
    if (err != CAIRN_OK) { return err; }
    cairn_radio_picture_def def = {.medium = cairn_medium_def_default(),
                                   .from_name = options->from != NULL ? options->from : "station",
                                   .scale_px_per_m = options->scale_px_per_m};
    def.medium.seed = options->seed;
    err = choose_radio(arena, options->mission, &memory, complaints, &def.medium);
    if (err == CAIRN_OK) {
        def.from_m = options->from != NULL ? options->from_m : cairn_medium_station_m(&def.medium);
        err = draw(&def, options->out, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}
