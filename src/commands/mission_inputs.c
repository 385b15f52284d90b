#include "commands/mission_inputs.h"
#include "body/description_io.h"
#include "commands/command.h"
#include "maps/files/finds_io.h"
#include "maps/files/geotiff_io.h"
#include "ports/folder.h"
#include "sim/mission/file/event_file.h"
#include "sim/mission/report/map_picture.h"
#include "sim/mission/report/report.h"
#include "slam/closure/stories_io.h"
#include "slam/graph/g2o_io.h"
#include "station/atlas/handover.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_MAP_NAME_BYTES 64

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
                          .areas = file->areas,
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

// The first trouble of several; a result that cannot be written costs no other.
static void keep_first(cairn_err *first, cairn_err err)
{
    if (*first == CAIRN_OK) { *first = err; }
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

// As a shell reads it as one word.
static void quote(const char *word, char *ret_quoted, size_t max)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+:,@%=";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        (void)snprintf(ret_quoted, max, "%s", word);
        return;
    }
    size_t used = (size_t)snprintf(ret_quoted, max, "'");
    for (const char *c = word; *c != '\0' && used + 6 < max; c++) {
        used += (size_t)snprintf(ret_quoted + used, max - used, *c == '\'' ? "'\\''" : "%c", *c);
    }
    (void)snprintf(ret_quoted + used, max - used, "'");
}

void cairn_mission_remember(cairn_mission_inputs *inputs, const char *command, uint64_t seed, const char *further)
{
    char path[1500];
    quote(inputs->path, path, sizeof path);
    (void)snprintf(inputs->command, sizeof inputs->command, "%s %s --seed %llu --physics %s%s%s", command, path,
                   (unsigned long long)seed, inputs->physics, further[0] != '\0' ? " " : "", further);
}

// A whole file; NULL: it cannot be read. The caller frees it.
static uint8_t *read_bytes(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) { return NULL; }
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    (void)fclose(file);
    *ret_size = bytes != NULL ? (size_t)size : 0;
    return bytes;
}

typedef struct results {
    const cairn_team *team;
    const cairn_mission_inputs *inputs;
    const cairn_score *score;
    const uint8_t *map_png;
    size_t map_bytes;
    const char *names[CAIRN_SIM_ROBOTS_MAX];
} results;

static bool write_series(const results *r, FILE *to)
{
    return cairn_series_write_csv(cairn_team_series(r->team), r->score->robot_count, r->names, to);
}

static bool write_collisions(const results *r, FILE *to)
{
    return cairn_collision_list_write_csv(cairn_team_collisions(r->team), r->names, to);
}

static bool write_report(const results *r, FILE *to)
{
    const cairn_report_def def = {.score = r->score,
                                  .series = cairn_team_series(r->team),
                                  .collisions = cairn_team_collisions(r->team),
                                  .arena = r->inputs->arena.name,
                                  .about = r->inputs->arena.about,
                                  .physics = r->inputs->physics,
                                  .command = r->inputs->command,
                                  .map_png = r->map_png,
                                  .map_bytes = r->map_bytes};
    return cairn_report_write(&def, to);
}

static cairn_err write_file(const results *r, const char *name, bool (*write)(const results *, FILE *),
                            cairn_complaints *complaints)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", r->inputs->out, name);
    FILE *file = fopen(path, "w");
    const bool written = file != NULL && write(r, file);
    const bool closed = file != NULL && fclose(file) == 0;
    if (written && closed) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "cannot be written: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

// The map as geographic information systems read it; in a frame of its own, since arenas lie nowhere on the earth.
static cairn_err write_maps(const cairn_team *team, const char *folder, const cairn_score *score,
                            cairn_complaints *complaints, bool *ret_pictured)
{
    *ret_pictured = false;
    cairn_station_view view;
    cairn_team_station(team, &view);
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, cairn_handover_bytes(view.atlas));
    if (err != CAIRN_OK) { return err; }
    cairn_handover handover;
    char path[1100];
    snprintf(path, sizeof path, "%s/map.png", folder);
    err = cairn_handover_make(view.atlas, view.fleet, &memory, &handover);
    if (err == CAIRN_OK) {
        err = cairn_map_picture_write(team, score, &handover.map, path, complaints);
        *ret_pictured = err == CAIRN_OK;
        snprintf(path, sizeof path, "%s/map.tif", folder);
        keep_first(&err, cairn_geotiff_write(&handover.map, path, complaints));
    }
    cairn_arena_destroy(&memory);
    return err;
}

// Robots may be called anything, files may not: what is not plain is an underscore, and then the number tells them
// apart.
static void own_map_name(const char *robot, uint32_t at, char ret_name[OWN_MAP_NAME_BYTES])
{
    char plain[OWN_MAP_NAME_BYTES - 24];
    size_t length = 0;
    bool changed = false;
    for (; robot[length] != '\0' && length + 1 < sizeof plain; length++) {
        const char c = robot[length];
        const bool fits =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        plain[length] = fits ? c : '_';
        changed |= !fits;
    }
    plain[length] = '\0';
    if (changed) {
        (void)snprintf(ret_name, OWN_MAP_NAME_BYTES, "map_%s-%u.tif", plain, at + 1);
    } else {
        (void)snprintf(ret_name, OWN_MAP_NAME_BYTES, "map_%s.tif", plain);
    }
}

// What each robot has mapped by itself, placed by where it was known to start.
static cairn_err write_own_maps(const cairn_team *team, const char *folder, const cairn_score *score,
                                cairn_complaints *complaints)
{
    cairn_err first = CAIRN_OK;
    for (uint32_t i = 0; i < score->robot_count; i++) {
        char path[1200], name[OWN_MAP_NAME_BYTES];
        own_map_name(score->robots[i].name, i, name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        const cairn_err err =
            cairn_geotiff_write_occupancy(cairn_team_own_map(team, i), cairn_team_start(team, i), path, complaints);
        if (err == CAIRN_ERR_TOO_LARGE) { // not a failure of the mission
            fprintf(stderr, "%s: left out, its robot went too far for one file\n", path);
        } else {
            keep_first(&first, err);
        }
    }
    return first;
}

// Who was reported, and the ways of the robots, for `cairn map render` and for other people's programs.
static cairn_err write_beside_map(const cairn_team *team, const cairn_score *score, const char *folder,
                                  cairn_complaints *complaints)
{
    cairn_station_view view;
    cairn_team_station(team, &view);
    cairn_find found[CAIRN_VICTIMS_MAX] = {0};
    uint32_t found_count = 0;
    for (uint32_t i = 0; i < view.victims->victim_count; i++) {
        const cairn_victim *victim = &view.victims->victims[i];
        if (victim->same_as != 0) { continue; }
        cairn_find *find = &found[found_count++];
        *find = (cairn_find){.id = i + 1, .x_m = victim->at_m.x, .y_m = victim->at_m.y, .z_m = victim->z_m};
        snprintf(find->name, sizeof find->name, "victim %u", i + 1);
        const long seconds = (long)(victim->first_seen.ns / 1000000000);
        snprintf(find->time, sizeof find->time, "%ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    char path[1100];
    snprintf(path, sizeof path, "%s/map_victims.csv", folder);
    const cairn_finds finds = {found, found_count};
    const cairn_finds_heading heading = {
        .kind = "victims", .team = "", .country = "", .date = "", .time = "", .mission = score->mission};
    cairn_err err = cairn_finds_write(&finds, &heading, path, complaints);
    cairn_way_points went[CAIRN_SIM_ROBOTS_MAX] = {0};
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_vec2 *points_m = NULL;
        snprintf(went[i].name, sizeof went[i].name, "%s", score->robots[i].name);
        went[i].count = cairn_team_trail(team, i, &points_m);
        went[i].points_m = points_m;
    }
    snprintf(path, sizeof path, "%s/map_ways.csv", folder);
    const cairn_way_list ways = {went, score->robot_count};
    keep_first(&err, cairn_ways_write(&ways, path, complaints));
    return err;
}

// How the places of all robots hang together, and what became of every closure that was proposed.
static cairn_err write_graph(const cairn_team *team, const char *folder, cairn_complaints *complaints)
{
    cairn_station_view view;
    cairn_team_station(team, &view);
    const cairn_places *places = view.atlas->places;
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, places->graph->node_count * sizeof(cairn_graph_node) +
                                                    places->graph->factor_count * sizeof(cairn_factor) + 4096);
    if (err != CAIRN_OK) { return err; }
    cairn_graph *graph = NULL;
    char path[1100];
    err = cairn_places_copy_graph(places, &memory, &graph);
    snprintf(path, sizeof path, "%s/graph.g2o", folder);
    if (err == CAIRN_OK) {
        err = cairn_g2o_write(path, graph, complaints);
        snprintf(path, sizeof path, "%s/closures.csv", folder);
        keep_first(&err, cairn_stories_write(path, places->candidates, graph, "s", complaints));
    }
    cairn_arena_destroy(&memory);
    return err;
}

static cairn_err write_for_people(const cairn_team *team, const cairn_mission_inputs *inputs, const cairn_score *score,
                                  cairn_complaints *complaints)
{
    char path[1100];
    bool pictured; // or a map.png that is there is another mission's
    cairn_err err = write_maps(team, inputs->out, score, complaints, &pictured);
    snprintf(path, sizeof path, "%s/map.png", inputs->out);
    results r = {.team = team, .inputs = inputs, .score = score};
    for (uint32_t i = 0; i < score->robot_count; i++) { r.names[i] = score->robots[i].name; }
    uint8_t *map = pictured ? read_bytes(path, &r.map_bytes) : NULL;
    r.map_png = map;
    keep_first(&err, write_own_maps(team, inputs->out, score, complaints));
    keep_first(&err, write_beside_map(team, score, inputs->out, complaints));
    keep_first(&err, write_graph(team, inputs->out, complaints));
    keep_first(&err, write_file(&r, "series.csv", write_series, complaints));
    keep_first(&err, write_file(&r, "collisions.csv", write_collisions, complaints));
    keep_first(&err, write_file(&r, "report.html", write_report, complaints));
    free(map);
    return err;
}

cairn_err cairn_mission_write_results(cairn_team *team, const cairn_mission_inputs *inputs, cairn_score_end ended,
                                      cairn_complaints *complaints, cairn_score *ret_score, char **ret_json)
{
    cairn_err err = cairn_team_finish(team, ended, complaints, ret_score);
    keep_first(&err, write_for_people(team, inputs, ret_score, complaints));
    *ret_json = cairn_score_to_json(ret_score);
    keep_first(&err, *ret_json != NULL ? write_text(inputs->out, "score.json", *ret_json, complaints) : CAIRN_ERR_FULL);
    return err;
}

static void tell_losses(const cairn_score *score)
{
    uint32_t dead_count = 0, fallen_count = 0, returned_count = 0;
    for (uint32_t i = 0; i < score->robot_count; i++) {
        dead_count += !isnan(score->robots[i].dead_s);
        fallen_count += score->robots[i].fallen;
        returned_count += score->robots[i].returned;
    }
    printf("  robots      %u of %u came back to their starts", returned_count, score->robot_count);
    if (dead_count > 0) { printf(", %u dead", dead_count); }
    if (fallen_count > 0) { printf(", %u fallen", fallen_count); }
    printf("\n");
}

void cairn_mission_tell(const cairn_score *score, const cairn_mission_inputs *inputs, double wall_s)
{
    printf("%s, seed %llu: %.0f s simulated in %.1f s (%.0fx real time)%s\n", score->mission,
           (unsigned long long)score->seed, score->sim_s, wall_s, score->sim_s / wall_s,
           score->ended == CAIRN_ENDED_INTERRUPTED ? ", interrupted" : "");
    printf("  explored    %.1f %%, ", 100 * score->explored_fraction);
    if (isfinite(score->map_wall_rms_m)) {
        printf("walls within %.3f m%s\n", score->map_wall_rms_m,
               score->map_wall_rms_m > CAIRN_WALL_RMS_M_GOOD ? ": do not build on this map" : "");
    } else {
        printf("no walls seen\n");
    }
    printf("  victims     %u of %u found, %u false\n", score->found_count, score->victim_count, score->false_count);
    printf("  collisions  %u, fastest %.3f m/s\n", score->collisions.count, score->collisions.speed_mps_max);
    tell_losses(score);
    for (uint32_t i = 0; i < score->event_count; i++) {
        printf("  %-11s %s at %.1f s\n", i == 0 ? "events" : "", score->events[i].words, score->events[i].at_s);
    }
    printf("  points      RoboCup %.1f, MAGIC %.1f, SubT %u of %u\n", score->robocup.total, score->magic.total,
           score->subt.scored_count, score->victim_count);
    printf("  radio       %.1f kbit/s on average, %.0f kB in all\n", score->radio.kbit_per_s, score->radio.bytes / 1e3);
    if (score->action_count > 0) { printf("  operator    %u actions\n", score->action_count); }
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_score *robot = &score->robots[i];
        printf("  %-11s position error %.3f m on average, %.3f m at most%s\n", robot->name,
               robot->position_error_m_mean, robot->position_error_m_max,
               robot->position_error_m_max > CAIRN_POSITION_M_GOOD ? ": it was lost" : "");
    }
    printf("  results     %s/report.html, map.png, map.tif, map_NAME.tif, map_victims.csv, map_ways.csv, graph.g2o, "
           "closures.csv, "
           "collisions.csv, score.json, series.csv%s\n",
           inputs->out, score->hash != 0 ? ", journal.mcap" : "");
}
