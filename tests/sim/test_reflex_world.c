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
    cairn_body body; // as the reflex has it: the world's, but for the encoders, which pass through `relay`
    uint64_t encoders_version;
    uint32_t dead_wheels; // their counters stand where they stood
    int64_t dead_ticks[CAIRN_WHEELS_MAX];
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
    it->robot.limits.accept_unseen_ground = true; // no mind tells of any
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
    it->body = *cairn_world_body(it->world, 0);
    if (it->robot.encoders.offered) {
        assert_ok(cairn_cell_create(&it->memory, sizeof(cairn_encoder_frame), &it->body.encoders_reflex));
    }
    assert_ok(cairn_reflex_create(&it->body, &it->cells, &it->memory, &it->reflex));
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

static void relay(driven *it)
{
    if (!it->robot.encoders.offered) { return; }
    uint64_t version = 0;
    const cairn_encoder_frame *said = cairn_cell_latest(cairn_world_body(it->world, 0)->encoders_reflex, &version);
    if (said == NULL || version == it->encoders_version) { return; }
    it->encoders_version = version;
    cairn_encoder_frame frame = *said;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const bool dead = (it->dead_wheels & 1u << i) != 0;
        if (!dead) { it->dead_ticks[i] = frame.ticks[i]; }
        frame.ticks[i] = it->dead_ticks[i];
    }
    cairn_cell_write(it->body.encoders_reflex, &frame, sizeof frame);
}

// A laser in the open, so that nothing but what is tested stops it.
static void see_nothing(driven *it)
{
    static cairn_scan_frame scan;
    if (it->body.scan_reflex == NULL) { return; }
    scan = (cairn_scan_frame){.taken = it->now,
                              .beam_count = 31,
                              .angle_rad_first = -2.0f,
                              .angle_rad_step = 0.13f,
                              .range_m_min = 0.05f,
                              .range_m_max = 30.0f};
    for (uint32_t i = 0; i < scan.beam_count; i++) { scan.range_m[i] = INFINITY; }
    cairn_cell_write(it->body.scan_reflex, &scan, sizeof scan);
}

static void step(driven *it)
{
    it->now = (cairn_mono){it->tick++ * TICK_NS};
    cairn_world_step(it->world, it->now);
    cairn_world_sense(it->world, 0, it->now);
    cairn_world_truth(it->world, 0, &it->truth);
    relay(it);
    if (it->now.ns % CAIRN_REFLEX_PERIOD_NS != 0) { return; }
    if (it->mind_speaks) {
        it->command.issued = it->now;
        cairn_cell_write(it->cells.command, &it->command, sizeof it->command);
        if (it->tick % 25 == 1) { see(it); }
    }
    see_nothing(it);
    cairn_reflex_step(it->reflex, it->now);
}

static double heading_rad(const driven *it)
{
    const cairn_vec3 ahead = cairn_quat_rotate(it->truth.map_T_base.turn, (cairn_vec3){1, 0, 0});
    return atan2(ahead.y, ahead.x);
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
            if (turned > 0.12) { print_message("%s, posture %d: %.2f m\n", files[file], at, turned); }
            failures += turned > 0.12;
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

static double speed_mps(const driven *it) { return cairn_vec3_length(it->truth.velocity_mps); }

static bool is_guarded(const driven *it)
{
    const cairn_reflex_state *state = cairn_cell_latest(it->cells.state_behaviour, NULL);
    return (state->guards >> CAIRN_GUARD_WHEELS & 1u) != 0;
}

// All counters, one side's and one wheel's; on the way and from rest. Where a chain joins the wheels of a side, a wheel
// is its side.
static void counters_that_freeze_make_no_robot_run_away(void **state)
{
    (void)state;
    const char *const counted[] = {"emu", "emu-worn", "magic", "rover"};
    const uint32_t dead[] = {15, 5, 10, 8};
    const char *const physics[] = {"planar", "mujoco"};
    for (int at = 0; at < 4 * 4 * 2 * 2; at++) {
        const uint32_t wheels = dead[at / 4 % 4];
        const bool from_rest = at / 16 % 2 == 0;
        driven it;
        start(&it, counted[at % 4], physics[at / 32], ROOM);
        if (wheels == 8 && it.robot.encoders.rear_only) {
            end(&it);
            continue;
        }
        const double wanted_mps = 0.8 * it.robot.limits.speed_mps_max;
        if (!from_rest) { it.command.forward_mps = wanted_mps; }
        run(&it, 2.0);
        const double before_rad = heading_rad(&it);
        it.dead_wheels = wheels;
        it.command.forward_mps = wanted_mps;
        double fastest = 0.0, turned = 0.0, alarm_s = INFINITY;
        for (int i = 0; i < 225; i++) {
            step(&it);
            fastest = fmax(fastest, speed_mps(&it));
            turned = fmax(turned, fabs(heading_rad(&it) - before_rad));
            if (is_guarded(&it)) { alarm_s = fmin(alarm_s, 0.004 * i); }
        }
        print_message("%s, %s, wheels %u, %s: alarm after %.3f s, fastest %.2f of %.2f m/s, turned %.2f rad\n",
                      physics[at / 32], counted[at % 4], wheels, from_rest ? "from rest" : "on the way", alarm_s,
                      fastest, wanted_mps, turned);
        assert_true(alarm_s < (from_rest ? 0.7 : 0.2));
        assert_true(fastest < 1.2 * it.robot.limits.speed_mps_max);
        assert_true(turned < 0.35);
        assert_true(speed_mps(&it) < 0.05);
        end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_has_fallen_over_turns_no_wheel),
        cmocka_unit_test(a_robot_that_is_stopped_on_a_ramp_does_not_roll_away),
        cmocka_unit_test(counters_that_freeze_make_no_robot_run_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
