// test_reflex_world.c - the reflex in the simulated world, with every robot file: on its back and on ramps, stopped in
// every way; the cells of one sensor can be had in between, so that it may lie.
#include "arena_text.h"
#include "body/description_io.h"
#include "robot/reflex/reflex.h"
#include "sim/physics/mujoco/mujoco_private.h"
#include "sim/world_private.h"

#define TICK_NS CAIRN_PHYSICS_STEP_NS
#define ROOM "name: a\nabout: a place\nsize_m: [40, 12]\nstarts: [{at_m: [6, 6], heading_deg: 0}]\n"
#define RAMP_20                                                                                                        \
    "name: a\nabout: a place\nsize_m: [40, 12]\nstarts: [{at_m: [6, 6], heading_deg: 0}]\n"                            \
    "ramps: [{kind: slope, at_m: [13, 6], length_m: 12, width_m: 4, angle_deg: 20}]\n"

static const char *const files[] = {"emu", "emu-worn", "magic", "negotiator", "rover"};
#define FILES (sizeof files / sizeof files[0])

typedef enum cause { IDLE, MIND_SILENT, STOPPED, CAUSES } cause;

// A reflex on a robot of the world, and the motion that it is told.
typedef struct driven {
    cairn_body_description robot;
    cairn_sim_arena place;
    cairn_arena memory;
    cairn_world *world;
    cairn_reflex_cells cells;
    cairn_reflex *reflex;
    bool mind_speaks;
    cairn_motion_command command;
    int64_t tick;
    cairn_mono now;
    cairn_robot_truth truth;
} driven;

static void start(driven *it, const char *file, const char *physics, const char *arena)
{
    char path[512];
    static cairn_complaints complaints;
    *it = (driven){.mind_speaks = true};
    snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", file);
    assert_ok(cairn_body_description_read(path, &complaints, &it->robot));
    it->place = accepted(arena);
    const cairn_world_def def = {.arena = &it->place,
                                 .physics = physics,
                                 .robot_count = 1,
                                 .robots = (const cairn_body_description *[]){&it->robot},
                                 .starts = it->place.starts,
                                 .robot_names = (const char *const[]){"emu1"},
                                 .seed = 1};
    assert_ok(cairn_world_create(&def, &complaints, &it->world));
    cairn_world_want(it->world, 0, 1u << CAIRN_SENSOR_ENCODERS | 1u << CAIRN_SENSOR_IMU | 1u << CAIRN_SENSOR_BUMPER);
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_reflex_cells_create(&it->memory, &it->cells));
    assert_ok(cairn_reflex_create(cairn_world_body(it->world, 0), &it->cells, &it->memory, &it->reflex));
}

static void end(driven *it)
{
    cairn_world_destroy(it->world);
    cairn_arena_destroy(&it->memory);
}

// What a mind that matches scans would see, for robots without encoders: the truth, 0.1 s late enough.
static void see(driven *it)
{
    const cairn_vec3 ahead = cairn_quat_rotate(it->truth.map_T_base.turn, (cairn_vec3){1, 0, 0});
    const cairn_seen_motion seen = {.at = it->now,
                                    .forward_mps = cairn_vec3_dot(ahead, it->truth.velocity_mps),
                                    .turn_radps = it->truth.turn_radps.z};
    cairn_cell_write(it->cells.seen, &seen, sizeof seen);
}

static void step(driven *it)
{
    it->now = (cairn_mono){it->tick++ * TICK_NS};
    cairn_world_step(it->world, it->now);
    cairn_world_sense(it->world, 0, it->now);
    cairn_world_truth(it->world, 0, &it->truth);
    if (it->now.ns % CAIRN_REFLEX_PERIOD_NS != 0) { return; }
    if (it->mind_speaks) {
        it->command.issued = it->now;
        cairn_cell_write(it->cells.command, &it->command, sizeof it->command);
        if (it->tick % 25 == 1) { see(it); }
    }
    cairn_reflex_step(it->reflex, it->now);
}

static double heading_rad(const driven *it)
{
    const cairn_vec3 ahead = cairn_quat_rotate(it->truth.map_T_base.turn, (cairn_vec3){1, 0, 0});
    return atan2(ahead.y, ahead.x);
}

static double fastest_radps(const driven *it)
{
    double fastest = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { fastest = fmax(fastest, fabs(it->truth.wheel_radps[i])); }
    return fastest;
}

static void run(driven *it, double seconds)
{
    for (int i = 0; i < (int)lround(seconds * 250); i++) { step(it); }
}

// How far the wheel turns that turns farthest.
static double turned_m(driven *it, double seconds)
{
    const cairn_robot_truth from = it->truth;
    double farthest_rad = 0.0;
    for (int i = 0; i < (int)lround(seconds * 250); i++) {
        step(it);
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
            farthest_rad = fmax(farthest_rad, fabs(it->truth.wheel_rad[wheel] - from.wheel_rad[wheel]));
        }
    }
    return farthest_rad * it->robot.wheels.radius_m;
}

static void stop_by(driven *it, cause why)
{
    if (why == IDLE) { it->command = (cairn_motion_command){0}; }
    if (why == MIND_SILENT) { it->mind_speaks = false; }
    if (why == STOPPED) {
        const cairn_stop_command stop = {.issued = it->now, .stop = true};
        cairn_cell_write(it->cells.stop, &stop, sizeof stop);
    }
}

static void put(driven *it, double roll_rad, double pitch_rad)
{
    const cairn_rpy rpy = {.roll_rad = roll_rad, .pitch_rad = pitch_rad};
    cairn_mujoco_set_pose(it->world->physics->data->qpos, (cairn_pose3){{6, 6, 0.7}, cairn_quat_from_rpy(rpy)});
}

// Thrown out of full drive onto its back, its side or its nose, and stopped.
static void a_robot_that_has_fallen_over_turns_no_wheel(void **state)
{
    (void)state;
    const struct {
        double roll_rad, pitch_rad;
    } postures[] = {{CAIRN_PI, 0}, {CAIRN_PI, 0.6}, {1.4, 0}, {0.3, -1.3}};
    int failures = 0;
    for (size_t file = 0; file < FILES; file++) {
        for (int at = 0; at < CAUSES * 4; at++) {
            driven it;
            start(&it, files[file], "mujoco", ROOM);
            it.command.forward_mps = 0.25;
            run(&it, 1.0);
            put(&it, postures[at / CAUSES].roll_rad, postures[at / CAUSES].pitch_rad);
            stop_by(&it, (cause)(at % CAUSES));
            run(&it, 2.5); // it comes to lie
            const double turned = turned_m(&it, 2.0);
            if (turned > 0.06 || fastest_radps(&it) > 0.5) {
                print_message("%s, posture %d: %.2f m\n", files[file], at, turned);
            }
            failures += turned > 0.06 || fastest_radps(&it) > 0.5;
            end(&it);
        }
    }
    assert_int_equal(failures, 0);
}

// In the middle of braking on 20 degrees, up and down, and then for good.
static void a_robot_that_is_stopped_on_a_ramp_does_not_roll_away(void **state)
{
    (void)state;
    const char *const climbers[] = {"emu", "magic", "negotiator", "rover"}; // bald tyres do not get up there
    int failures = 0;
    for (size_t file = 0; file < 4; file++) {
        for (int at = 0; at < CAUSES * 2; at++) {
            driven it;
            start(&it, climbers[file], "mujoco", RAMP_20);
            it.command.forward_mps = it.robot.limits.speed_mps_max / 2;
            while (it.truth.map_T_base.at_m.x < 11.0 && it.tick < 250 * 60) {
                it.command.turn_radps = fmin(fmax(6.0 - it.truth.map_T_base.at_m.y, -0.3), 0.3) - heading_rad(&it);
                step(&it);
            }
            it.command.turn_radps = 0.0;
            assert_true(it.truth.map_T_base.at_m.z > 0.5);
            if (at / CAUSES == 1) {
                it.command.forward_mps *= -1.0;
                run(&it, 1.5);
            }
            stop_by(&it, (cause)(at % CAUSES));
            const double braked = turned_m(&it, 1.5), after = turned_m(&it, 3.0);
            if (braked > 0.5 || after > 0.05) {
                print_message("%s, case %d: %.2f m, then %.3f m\n", climbers[file], at, braked, after);
            }
            failures += braked > 0.5 || after > 0.05;
            end(&it);
        }
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_has_fallen_over_turns_no_wheel),
        cmocka_unit_test(a_robot_that_is_stopped_on_a_ramp_does_not_roll_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
