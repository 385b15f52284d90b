// cairn arena check - what is wrong with arenas, what a robot can reach in them, and how hard they are.
#include "commands/arena/check.h"
#include "body/description_io.h"
#include "commands/command.h"
#include "sim/arena/check/difficulty.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "cairn arena check"
enum { FILES_MAX = 256 };
#define ARENA_BYTES ((size_t)64 << 20) // pages that are not needed are not touched
#define DEG (180.0 / 3.14159265358979323846)

static const char usage[] =
    "usage: cairn arena check FILE... [options]\n"
    "\n"
    "Reads arena files and tells all that is wrong with them, with file and line: unknown keys, numbers out of range,\n"
    "things outside the floor or inside each other, ramps and victims that no robot can get to. Of those that are in\n"
    "order it tells what a robot can reach and how hard they are, from 1 to 10; docs/arenas.md defines the number.\n"
    "\n"
    "  --robot FILE   for this robot: its size, step and slope     [0.35 m radius, 0.12 m, 25 degrees]\n"
    "  --json         one object for each file, for machines\n"
    "\n"
    "Exit status: 0 all is well, 1 something is wrong, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena check arenas/maze.yaml\n"
    "          cairn arena check arenas/collapsed.yaml --robot robots/emu.yaml\n"
    "          cairn arena check arenas/*.yaml --json\n";

// The complaints' lines as a JSON list of texts.
static json_t *complaints_to_json(const cairn_complaints *complaints)
{
    json_t *lines = json_array();
    for (const char *at = complaints->text; lines != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        if (json_array_append_new(lines, json_stringn(at, length)) != 0) { break; }
        at += length + (at[length] == '\n');
    }
    return lines;
}

static json_t *difficulty_to_json(const cairn_sim_arena *arena, const cairn_difficulty *of)
{
    json_t *parts = json_object();
    for (int i = 0; i < CAIRN_DIFFICULTY_PART_COUNT; i++) {
        (void)json_object_set_new(parts, cairn_difficulty_names[i], json_real(of->parts[i]));
    }
    const bool found = of->victims_in_reach > 0;
    return json_pack("{s:[f,f], s:f, s:f, s:I, s:I, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:o}",
                     "size_m", arena->size_m.x, arena->size_m.y, "free_m2", of->free_m2, "reach_m2", of->reach_m2,
                     "victims", (json_int_t)arena->victim_count, "victims_in_reach", (json_int_t)of->victims_in_reach,
                     "way_m_shortest", of->way_m_shortest, "way_m_mean", of->way_m_mean, "way_m_longest",
                     of->way_m_longest, "narrowest_m", found ? json_real(of->narrowest_m) : json_null(),
                     "slope_deg_max", of->slope_rad_max * DEG, "step_m_max", of->step_m_max, "rough_part",
                     of->rough_part, "dead_ends", (json_int_t)of->dead_ends, "loops", (json_int_t)of->loops, "doors",
                     (json_int_t)arena->door_count, "doors_closed", (json_int_t)of->doors_closed, "difficulty",
                     of->total, "parts", parts);
}

static void print_json(const char *path, bool well, const cairn_complaints *complaints, json_t *more)
{
    json_t *object = json_pack("{s:s, s:b, s:I, s:o}", "file", path, "ok", well, "complaint_count",
                               (json_int_t)complaints->count, "complaints", complaints_to_json(complaints));
    if (object != NULL && more != NULL) { (void)json_object_update(object, more); }
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(5)) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
    json_decref(more);
}

static void print_out_of_reach(const cairn_sim_arena *arena, const cairn_difficulty *of)
{
    if (of->victims_in_reach == arena->victim_count) { return; }
    printf("  not         ");
    const char *between = "";
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        if ((of->victims_seen >> i & 1) != 0) { continue; }
        printf("%s%s", between, arena->victims[i].name);
        between = ", ";
    }
    puts("");
}

static void print_difficulty(const cairn_sim_arena *arena, const cairn_difficulty *of)
{
    printf("  size        %g x %g m; %.0f m2 free, of which %.0f m2 (%.0f %%) can be reached\n", arena->size_m.x,
           arena->size_m.y, of->free_m2, of->reach_m2, 100.0 * of->reach_m2 / fmax(of->free_m2, 1e-9));
    printf("  victims     %u of %u within reach", of->victims_in_reach, arena->victim_count);
    if (of->victims_in_reach > 0) {
        printf("; ways of %.0f to %.0f m, %.0f m in the mean\n", of->way_m_shortest, of->way_m_longest, of->way_m_mean);
        printf("  on the way  narrowest passage %.1f m, steepest slope %.0f degrees, highest step %.2f m\n",
               of->narrowest_m, of->slope_rad_max * DEG, of->step_m_max);
    } else {
        puts("");
    }
    print_out_of_reach(arena, of);
    printf("  ground      %.0f %% rough, %u dead ends, %u loops, %u doors (%u closed)\n", 100.0 * of->rough_part,
           of->dead_ends, of->loops, arena->door_count, of->doors_closed);
    printf("  difficulty  %.1f of 10:", of->total);
    for (int i = 0; i < CAIRN_DIFFICULTY_PART_COUNT; i++) {
        printf("%s %s %.2f", i == 0 ? "" : ",", cairn_difficulty_names[i], of->parts[i]);
    }
    puts("");
}

static bool check_file(const char *path, const cairn_reach_def *robot, bool json)
{
    cairn_arena memory;
    cairn_complaints complaints = {0};
    cairn_sim_arena arena;
    cairn_difficulty difficulty;
    cairn_err err = cairn_arena_create(&memory, ARENA_BYTES);
    if (err == CAIRN_OK) { err = cairn_sim_arena_read(path, &memory, &complaints, &arena); }
    if (err == CAIRN_OK) { err = cairn_difficulty_of(&arena, robot, &difficulty); }
    const bool well = err == CAIRN_OK;
    if (json) {
        print_json(path, well, &complaints, well ? difficulty_to_json(&arena, &difficulty) : NULL);
    } else if (well) {
        printf("%s: all is well\n", path);
        print_difficulty(&arena, &difficulty);
    } else {
        (void)cairn_command_failed(COMMAND, err, &complaints);
    }
    cairn_arena_destroy(&memory);
    return well;
}

// Square pixels: the picture is as much lower than wide as its pixels are fewer. A head that could tilt the camera
// further does not count: no robot moves it yet.
static void take_camera(const cairn_body_description *body, cairn_reach_def *robot)
{
    const cairn_thermal_description *thermal = &body->thermal;
    robot->look_rad_max = -1.0;
    if (!thermal->offered) { return; }
    robot->camera_m = thermal->base_T_camera.at_m.z;
    robot->camera_ahead_m = thermal->base_T_camera.at_m.x;
    robot->look_rad_max = atan(tan(thermal->field_rad / 2) * thermal->height_px / thermal->width_px);
}

// A robot turns on the spot: its radius reaches to its corners.
static cairn_err read_robot(const char *path, cairn_complaints *complaints, cairn_reach_def *robot)
{
    cairn_body_description body;
    const cairn_err err = cairn_body_description_read(path, complaints, &body);
    if (err != CAIRN_OK) { return err; }
    robot->radius_m = hypot(body.length_m, body.width_m) / 2;
    robot->height_m = body.height_m;
    robot->step_m_max = body.limits.step_m_max;
    robot->slope_rad_max = body.limits.climb_rad_max;
    take_camera(&body, robot);
    return CAIRN_OK;
}

int cairn_arena_check_run(int argc, char **argv)
{
    bool json = false;
    const char *robot_path = NULL, *paths[FILES_MAX];
    const cairn_option known[] = {{"json", CAIRN_OPTION_FLAG, &json, 0, 0},
                                  {"robot", CAIRN_OPTION_TEXT, &robot_path, 0, 0}};
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], paths, FILES_MAX, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "FILE is missing; expected an arena file"); }
    cairn_reach_def robot = cairn_reach_def_default();
    cairn_complaints complaints = {0};
    const cairn_err err = robot_path != NULL ? read_robot(robot_path, &complaints, &robot) : CAIRN_OK;
    if (err != CAIRN_OK) { return cairn_command_failed(COMMAND, err, &complaints); }
    for (size_t i = 0; i < count; i++) {
        if (!check_file(paths[i], &robot, json)) { status = CAIRN_EXIT_FAILED; }
    }
    return status;
}
