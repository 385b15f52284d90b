#include "commands/mission_inputs.h"
#include "body/description_io.h"
#include "commands/command.h"
#include "ports/folder.h"
#include "sim/mission/event_file.h"
#include "sim/mission/map_picture.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// All robot files are read, so that all that is wrong is told at once; a file that several robots share is read once.
static cairn_err read_robots(const char *mission_path, cairn_complaints *complaints, cairn_mission_inputs *inputs)
{
    const cairn_mission_file *file = &inputs->file;
    inputs->descriptions = CAIRN_TAKE(&inputs->memory, cairn_body_description, file->robot_count);
    if (inputs->descriptions == NULL) { return CAIRN_ERR_FULL; }
    cairn_err worst = CAIRN_OK;
    for (uint32_t i = 0; i < file->robot_count; i++) {
        uint32_t same = 0;
        while (strcmp(file->robots[same].file, file->robots[i].file) != 0) { same++; }
        if (same < i) {
            inputs->descriptions[i] = inputs->descriptions[same];
            continue;
        }
        const cairn_err err = cairn_body_description_read(file->robots[i].file, complaints, &inputs->descriptions[i]);
        if (err == CAIRN_OK) { continue; }
        worst = err;
        cairn_complain(complaints, mission_path, file->robots[i].line, "robots[%u].file: names %s; see above", i,
                       file->robots[i].file);
    }
    return worst;
}

static cairn_err check_starts(const char *mission_path, cairn_complaints *complaints,
                              const cairn_mission_inputs *inputs)
{
    const uint32_t start_count = inputs->arena.start_count;
    if (inputs->file.robot_count <= start_count) { return CAIRN_OK; }
    cairn_complain(complaints, mission_path, inputs->file.robots[start_count].line,
                   "%u robots, but %s has %u starts; add starts there or take robots away here",
                   inputs->file.robot_count, inputs->file.arena_file, start_count);
    return CAIRN_ERR_INVALID;
}

static cairn_err read_files(cairn_mission_inputs *inputs, cairn_complaints *complaints)
{
    const char *path = inputs->path;
    cairn_err err = cairn_mission_file_read(path, &inputs->memory, complaints, &inputs->file);
    if (err != CAIRN_OK) { return err; }
    err = cairn_sim_arena_read(inputs->file.arena_file, &inputs->memory, complaints, &inputs->arena);
    if (err != CAIRN_OK) { cairn_complain(complaints, path, 0, "arena: names %s; see above", inputs->file.arena_file); }
    const cairn_err robots_err = read_robots(path, complaints, inputs);
    if (err == CAIRN_OK) { err = check_starts(path, complaints, inputs); }
    if (err == CAIRN_OK && robots_err == CAIRN_OK) {
        err = cairn_events_tie(path, &inputs->arena, inputs->descriptions, complaints, &inputs->file);
    }
    return err != CAIRN_OK ? err : robots_err;
}

// A mission's name is also that of its folder, unless it is told otherwise.
static cairn_err choose_folder(cairn_mission_inputs *inputs, const char *out, uint64_t seed,
                               cairn_complaints *complaints)
{
    if (out == NULL && strchr(inputs->file.name, '/') != NULL) {
        cairn_complain(complaints, inputs->path, 0, "name: %s has a '/'; choose another, or a folder with --out",
                       inputs->file.name);
        return CAIRN_ERR_INVALID;
    }
    const int length = out != NULL ? snprintf(inputs->out, sizeof inputs->out, "%s", out)
                                   : snprintf(inputs->out, sizeof inputs->out, "out/%s-%llu", inputs->file.name,
                                              (unsigned long long)seed);
    if (length >= (int)sizeof inputs->out) {
        cairn_complain(complaints, out, 0, "longer than %zu bytes; choose another folder with --out",
                       sizeof inputs->out - 1);
        return CAIRN_ERR_TOO_LARGE;
    }
    snprintf(inputs->journal_path, sizeof inputs->journal_path, "%s/journal.mcap", inputs->out);
    return cairn_folder_make(inputs->out, 0777, "choose another folder with --out", complaints);
}

// Says so before anything is written: no such physics at all, or none in this build.
static cairn_err check_physics(cairn_mission_inputs *inputs, const char *physics, cairn_complaints *complaints)
{
    inputs->physics = physics != NULL ? physics : inputs->file.physics;
    if (cairn_physics_find(inputs->physics) != NULL) { return CAIRN_OK; }
    cairn_complain(complaints, physics != NULL ? NULL : inputs->path, 0,
                   "physics %s is not in this build; take --physics planar, or install libmujoco-dev and libembree-dev "
                   "and build again",
                   inputs->physics);
    return CAIRN_ERR_UNSUPPORTED;
}

bool cairn_mission_physics_is_known(const char *command, const char *physics)
{
    if (physics == NULL || strcmp(physics, "planar") == 0 || strcmp(physics, "mujoco") == 0) { return true; }
    (void)cairn_usage_error(command, "--physics wants planar or mujoco, not '%s'", physics);
    return false;
}

cairn_err cairn_mission_inputs_read(cairn_mission_inputs *inputs, const char *path, const char *physics,
                                    const char *out, uint64_t seed, cairn_complaints *complaints)
{
    *inputs = (cairn_mission_inputs){.path = path};
    cairn_err err = cairn_arena_create(&inputs->memory, 64u << 20);
    if (err == CAIRN_OK) { err = read_files(inputs, complaints); }
    if (err == CAIRN_OK) { err = check_physics(inputs, physics, complaints); }
    if (err == CAIRN_OK) { err = choose_folder(inputs, out, seed, complaints); }
    return err;
}

void cairn_mission_inputs_finish(cairn_mission_inputs *inputs) { cairn_arena_destroy(&inputs->memory); }

cairn_team_def cairn_mission_team_def(const cairn_mission_inputs *inputs, uint64_t seed)
{
    const cairn_mission_file *file = &inputs->file;
    cairn_team_def def = {.mission = file->name,
                          .arena = &inputs->arena,
                          .physics = inputs->physics,
                          .seed = seed,
                          .session_seed = seed,
                          .radio = file->radio,
                          .action_count = file->action_count,
                          .actions = file->actions,
                          .phase_count = file->phase_count,
                          .phases = file->phases,
                          .event_count = file->event_count,
                          .events = file->events,
                          .robot_count = file->robot_count,
                          .journal_path = inputs->journal_path,
                          .scan_hz = file->journal.scan_hz,
                          .thermal_hz = file->journal.thermal_hz,
                          .range_image_hz = file->journal.range_image_hz,
                          .ranges_hz = file->journal.ranges_hz,
                          .gps_hz = file->journal.gps_hz};
    for (uint32_t i = 0; i < def.robot_count; i++) {
        cairn_team_robot_def *robot = &def.robots[i];
        *robot = (cairn_team_robot_def){
            .name = file->robots[i].name, .description = &inputs->descriptions[i], .mode = file->robots[i].mode};
        cairn_team_key_from_seed(seed, robot->name, robot->key);
    }
    return def;
}

static cairn_err write_text(const char *folder, const char *name, const char *text, cairn_complaints *complaints)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    const bool written = file != NULL && fprintf(file, "%s\n", text) > 0;
    const bool closed = file != NULL && fclose(file) == 0;
    if (written && closed) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "cannot be written: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

cairn_err cairn_mission_write_results(cairn_team *team, const cairn_mission_inputs *inputs,
                                      cairn_complaints *complaints, cairn_score *ret_score, char **ret_json)
{
    cairn_err err = cairn_team_finish(team, complaints, ret_score);
    if (err != CAIRN_OK) { return err; }
    char *json = cairn_score_to_json(ret_score);
    if (json == NULL) { return CAIRN_ERR_FULL; }
    char path[1100];
    snprintf(path, sizeof path, "%s/map.png", inputs->out);
    err = cairn_map_picture_write(team, ret_score, path, complaints);
    if (err == CAIRN_OK) { err = write_text(inputs->out, "score.json", json, complaints); }
    if (err == CAIRN_OK) {
        *ret_json = json;
    } else {
        free(json);
    }
    return err;
}

void cairn_mission_tell(const cairn_score *score, const cairn_mission_inputs *inputs, double wall_s)
{
    printf("%s, seed %llu: %.0f s simulated in %.1f s (%.0fx real time)\n", score->mission,
           (unsigned long long)score->seed, score->sim_s, wall_s, score->sim_s / wall_s);
    printf("  explored    %.1f %%, ", 100 * score->explored_fraction);
    if (isfinite(score->map_wall_rms_m)) {
        printf("walls within %.3f m\n", score->map_wall_rms_m);
    } else {
        printf("no walls seen\n");
    }
    printf("  victims     %u of %u found, %u false\n", score->found_count, score->victim_count, score->false_count);
    printf("  collisions  %u, fastest %.3f m/s\n", score->collisions.count, score->collisions.speed_mps_max);
    printf("  radio       %.1f kbit/s on average, %.0f kB in all\n", score->radio.kbit_per_s, score->radio.bytes / 1e3);
    if (score->action_count > 0) { printf("  operator    %u actions\n", score->action_count); }
    for (uint32_t i = 0; i < score->robot_count; i++) {
        printf("  %-11s position error %.3f m on average, %.3f m at most\n", score->robots[i].name,
               score->robots[i].position_error_m_mean, score->robots[i].position_error_m_max);
    }
    printf("  results     %s/map.png, score.json%s\n", inputs->out, score->hash != 0 ? ", journal.mcap" : "");
}
