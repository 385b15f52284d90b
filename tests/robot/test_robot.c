// A whole robot over a body of cells, without any simulator: it stands in a room of 6 x 4 m.
#include "../base/check.h"
#include "link/radio_streams.h"
#include "rig.h"
#include "robot/condition_names.h"
#include "robot/robot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEES_NO_GROUND (1u << CAIRN_LACK_GROUND >> 8) // as this body says all the time
#define ROBOT_BYTES (80u << 20)
#define US 4

typedef struct stage {
    cairn_body_description description;
    cairn_body body;
    cairn_arena memory;
    cairn_robot *robot;
    cairn_executor *executor;
    size_t robot_bytes;  // of the memory
    cairn_link *station; // who hears it and tells it
    uint32_t heard[256]; // messages from the robot, by id
    cairn_msg_telemetry telemetry;
    cairn_msg_node node;  // the last
    double torque_nm_max; // the largest asked of any wheel so far
    double command_mps_max;
    bool garbled; // scans and pictures have sizes that cannot be
    bool no_nod;  // scans do not tell how the laser nods
    bool laser_silent, thermal_silent, battery_silent;
    bool laser_empty;  // it meets nothing any more
    char events[8192]; // their words, a line each
    bool on_side;      // it has fallen
    bool elsewhere;    // it was carried to a room that it has never seen
} stage;

static stage set;
static cairn_radio_message message;

static double room_range_m(double angle)
{
    if (set.elsewhere) { return 1.7 + 0.6 * cos(3 * angle + 0.4) + 0.8 * cos(angle); }
    const double x = fabs(cos(angle)), y = fabs(sin(angle));
    return fmin(x < 1e-9 ? INFINITY : 3 / x, y < 1e-9 ? INFINITY : 2 / y);
}

// Runs before the robot: frames of a body at rest.
static void speak(void *context, cairn_mono now)
{
    (void)context;
    const cairn_encoder_frame encoders = {.taken = now, .wheel_count = CAIRN_WHEELS_MAX};
    cairn_imu_frame imu = {.taken = now, .accel_mps2 = {0, 0, 9.80665}};
    if (set.on_side) { imu.accel_mps2 = (cairn_vec3){0, 9.80665, 0}; }
    const cairn_bump_frame bump = {.taken = now};
    static cairn_scan_frame scan;
    static cairn_thermal_frame thermal;
    if (set.body.encoders_reflex) { cairn_cell_write(set.body.encoders_reflex, &encoders, sizeof encoders); }
    if (set.body.imu_reflex) { cairn_cell_write(set.body.imu_reflex, &imu, sizeof imu); }
    if (set.body.bump_reflex) { cairn_cell_write(set.body.bump_reflex, &bump, sizeof bump); }
    if (set.body.battery_mind && !set.battery_silent && now.ns % CAIRN_MS(1000) == 0) {
        const cairn_battery_frame battery = {.taken = now, .voltage_v = 24, .charge = 0.5f};
        cairn_cell_write(set.body.battery_mind, &battery, sizeof battery);
    }
    if (set.body.scan_deliberate && !set.laser_silent && now.ns % CAIRN_MS(40) == 0) {
        scan = (cairn_scan_frame){.taken = now,
                                  .beam_count = 541,
                                  .angle_rad_first = (float)(-0.75 * CAIRN_PI),
                                  .angle_rad_step = (float)(1.5 * CAIRN_PI / 540),
                                  .range_m_min = 0.05f,
                                  .range_m_max = 30};
        for (uint32_t i = 0; i < 541; i++) {
            scan.range_m[i] = (float)room_range_m((double)scan.angle_rad_first + (double)scan.angle_rad_step * i);
        }
        for (uint32_t i = 0; i < 541 && set.laser_empty; i++) { scan.range_m[i] = INFINITY; }
        if (set.no_nod) { scan.nod_rad_first = scan.nod_rad_last = NAN; }
        if (set.garbled) { scan.beam_count = now.ns % CAIRN_MS(80) == 0 ? 0 : UINT32_MAX; }
        cairn_cell_write(set.body.scan_reflex, &scan, sizeof scan);
        cairn_cell_write(set.body.scan_behaviour, &scan, sizeof scan);
        cairn_cell_write(set.body.scan_deliberate, &scan, sizeof scan);
    }
    if (set.body.thermal_mind && !set.thermal_silent && now.ns % CAIRN_MS(120) == 0) {
        thermal.taken = now;
        thermal.width_px = 80;
        thermal.height_px = 60;
        for (int i = 0; i < 80 * 60; i++) {
            const int column = i % 80, row = i / 80;
            const bool warm = column >= 35 && column < 45 && row >= 25 && row < 45;
            thermal.centikelvin[i] = (uint16_t)(warm ? 30600 : 29300);
        }
        if (set.garbled) { thermal.width_px = now.ns % CAIRN_MS(240) == 0 ? 0 : UINT32_MAX; }
        cairn_cell_write(set.body.thermal_mind, &thermal, sizeof thermal);
    }
}

static void to_robot(void *unused, const uint8_t *bytes, size_t size)
{
    (void)unused;
    assert_ok(cairn_inbox_put(cairn_robot_from_air(set.robot), bytes, size));
}

// The station's end of the radio.
static void answer(cairn_mono now)
{
    uint8_t datagram[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (cairn_inbox_take(cairn_robot_to_air(set.robot), datagram, sizeof datagram, &size) == CAIRN_OK) {
        assert_int_equal(cairn_link_receive(set.station, datagram, size, now), CAIRN_LINK_ACCEPTED);
    }
    cairn_link_message heard;
    while (cairn_link_take(set.station, now, &heard) == CAIRN_OK) {
        assert_ok(cairn_radio_decode(heard.bytes, heard.size, &message));
        set.heard[message.id]++;
        if (message.id == CAIRN_MSG_EVENT) {
            const size_t used = strlen(set.events);
            snprintf(set.events + used, sizeof set.events - used, "%.*s\n", (int)message.event.text_count,
                     (const char *)message.event.text);
        }
        if (message.id == CAIRN_MSG_TELEMETRY) { set.telemetry = message.telemetry; }
        if (message.id == CAIRN_MSG_NODE) { set.node = message.node; }
    }
    cairn_link_step(set.station, now, to_robot, NULL);
}

// Runs after the robot.
static void hear(void *context, cairn_mono now)
{
    (void)context;
    const cairn_motor_target *target = cairn_cell_latest(set.body.motors, NULL);
    for (int i = 0; target != NULL && i < CAIRN_WHEELS_MAX; i++) {
        set.torque_nm_max = fmax(set.torque_nm_max, fabs(target->torque_nm[i]));
        set.command_mps_max = fmax(set.command_mps_max, fabs(target->forward_mps) + fabs(target->turn_radps));
    }
    answer(now);
}

static void add(const char *name, uint32_t phase, cairn_step_fn step)
{
    const cairn_task_def def = {.name = name,
                                .lane = cairn_executor_add_lane(set.executor, name, phase),
                                .period_ns = CAIRN_REFLEX_PERIOD_NS,
                                .step = step};
    cairn_executor_add_task(set.executor, &def);
}

static cairn_body_description whole(void)
{
    cairn_body_description description = rig_description();
    description.thermal = (cairn_thermal_description){.offered = true,
                                                      .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}},
                                                      .width_px = 80,
                                                      .height_px = 60,
                                                      .field_rad = 1.2,
                                                      .rate_hz = 8};
    return description;
}

static void begin(cairn_body_description description)
{
    set = (stage){.description = description};
    assert_ok(cairn_arena_create(&set.memory, ROBOT_BYTES));
    assert_ok(cairn_body_create(&set.description, &set.memory, &set.body));
    const cairn_robot_def def = {.name = "bench1", .body = &set.body, .link = rig_link_def(CAIRN_LINK_ROBOT, US, 1)};
    assert_ok(cairn_robot_create(&def, &set.memory, &set.robot));
    set.robot_bytes = set.memory.used_bytes;
    const cairn_link_def station = rig_link_def(CAIRN_LINK_STATION, US, 1);
    assert_ok(cairn_link_create(&station, &set.memory, &set.station));
    cairn_arena_seal(&set.memory);
    assert_ok(cairn_executor_create_lockstep(CAIRN_MS(4), NULL, &set.executor));
    add("body", 0, speak);
    cairn_robot_register(set.robot, set.executor, cairn_executor_add_lane(set.executor, "robot", 1));
    add("ear", 2, hear);
}

static int end(void **unused)
{
    (void)unused;
    cairn_executor_destroy(set.executor);
    cairn_robot_finish(set.robot);
    cairn_arena_destroy(&set.memory);
    set = (stage){0};
    return 0;
}

static void run_s(double seconds)
{
    cairn_executor_run(set.executor,
                       (cairn_mono){cairn_executor_now(set.executor).ns + cairn_ns_from_seconds(seconds)});
}

static void tell(const cairn_radio_message *one)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    assert_ok(cairn_radio_encode(one, bytes, sizeof bytes, &size_bytes));
    cairn_link_stream stream;
    assert_ok(cairn_link_stream_of(one->id, &stream));
    assert_ok(cairn_link_put(set.station, stream, bytes, size_bytes, cairn_executor_now(set.executor)));
}

static void tell_mode_and_task(uint8_t mode)
{
    static uint32_t order; // they count up
    message =
        (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER, .mode_order = {.robot = 4, .order = ++order, .mode = mode}};
    tell(&message);
    message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    message.task = (cairn_msg_task){.robot = 4,
                                    .task = 1,
                                    .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN,
                                    .via_x_mm_count = 1,
                                    .via_x_mm = {1500},
                                    .via_y_mm_count = 1,
                                    .via_y_mm = {0}};
    tell(&message);
}

// The first rule: a robot that nobody has told anything stands still.
static void a_robot_that_is_told_nothing_never_turns_a_wheel(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(20);
    assert_true(set.torque_nm_max == 0);
    cairn_robot_view view;
    assert_true(cairn_robot_look(set.robot, &view));
    assert_int_equal(view.modes.mode, CAIRN_MODE_IDLE);
    assert_true(view.told_mps == 0 && view.told_radps == 0);
}

// So that the test above can fail: the same robot, told to go, goes.
static void the_same_robot_with_a_task_turns_its_wheels(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(2);
    tell_mode_and_task(CAIRN_MODE_WAYPOINT);
    run_s(2);
    assert_true(set.torque_nm_max > 0.1);
    assert_int_equal(set.telemetry.task_state, 1);
}

static void a_task_alone_does_not_move_an_idle_or_paused_robot(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(2);
    tell_mode_and_task(CAIRN_MODE_IDLE);
    run_s(2);
    tell_mode_and_task(CAIRN_MODE_PAUSED);
    run_s(2);
    assert_true(set.torque_nm_max == 0);
    assert_int_equal(set.telemetry.task, 1);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_PAUSED);
}

static void a_standing_robot_tells_how_it_is_at_its_rates(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(10);
    assert_in_range(set.heard[CAIRN_MSG_TELEMETRY], 19, 21);  // twice a second
    assert_in_range(set.heard[CAIRN_MSG_TERRAIN_GRID], 7, 8); // every 1.25 s
    assert_int_equal(set.heard[CAIRN_MSG_NODE], set.heard[CAIRN_MSG_TERRAIN_GRID]);
    assert_true(set.heard[CAIRN_MSG_VICTIM_SEEN] >= 1); // the warm patch before the wall
    assert_int_equal(set.telemetry.robot, 4);
    assert_true(abs(set.telemetry.x_mm) <= 2 && abs(set.telemetry.y_mm) <= 2 && abs(set.telemetry.yaw_mrad) <= 2);
    assert_true(set.telemetry.match_pct > 80 && set.telemetry.match_pct <= 100);
    assert_true(abs(set.telemetry.roll_mrad) <= 2 && abs(set.telemetry.pitch_mrad) <= 2);
}

// Who watches must know what a robot no longer sees: it looks as well as before.
static void a_sensor_that_falls_silent_is_told(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.battery.offered = true;
    begin(description);
    run_s(8);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND);
    assert_int_equal(set.telemetry.battery_pct, 50);
    const struct {
        bool *silent;
        cairn_lack lack;
    } sensors[] = {{&set.laser_silent, CAIRN_LACK_LASER},
                   {&set.thermal_silent, CAIRN_LACK_THERMAL},
                   {&set.battery_silent, CAIRN_LACK_BATTERY}};
    for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++) {
        const uint32_t events = set.heard[CAIRN_MSG_EVENT];
        *sensors[i].silent = true;
        run_s(7);
        const uint32_t place = sensors[i].lack == CAIRN_LACK_LASER ? 1u << CAIRN_LACK_PLACE >> 8 : 0;
        const uint32_t told = place != 0 ? 2 : 1; // that it is blind, too
        assert_int_equal(set.telemetry.condition, place != 0 ? CAIRN_CONDITION_BLIND : CAIRN_CONDITION_WELL);
        assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND | 1u << sensors[i].lack >> 8 | place);
        assert_int_equal(set.telemetry.health, place != 0 ? CAIRN_HEALTH_DEGRADED : CAIRN_HEALTH_GOOD);
        assert_int_equal(set.telemetry.health_reason, place != 0 ? CAIRN_HEALTH_BLIND : CAIRN_HEALTH_FINE);
        assert_int_equal(set.heard[CAIRN_MSG_EVENT], events + told);
        const bool charge_known = set.telemetry.battery_pct != CAIRN_MSG_TELEMETRY_BATTERY_PCT_UNKNOWN;
        assert_int_equal(charge_known, sensors[i].lack != CAIRN_LACK_BATTERY);
        *sensors[i].silent = false;
        run_s(3);
        assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND);
        assert_int_equal(set.heard[CAIRN_MSG_EVENT], events + 2 * told);
    }
}

// Blind for a while, and then nothing is as it was: somebody has carried it off. Its maps would be drawn where it is
// not.
static void a_robot_that_does_not_know_its_place_says_so_and_tells_no_map(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(8);
    set.laser_silent = true;
    run_s(15);
    set.laser_silent = false;
    set.elsewhere = true;
    run_s(2);
    const uint32_t nodes = set.heard[CAIRN_MSG_NODE], maps = set.heard[CAIRN_MSG_TERRAIN_GRID];
    run_s(6);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND | 1u << CAIRN_LACK_PLACE >> 8);
    assert_int_equal(set.heard[CAIRN_MSG_NODE], nodes);
    assert_int_equal(set.heard[CAIRN_MSG_TERRAIN_GRID], maps);
    set.elsewhere = false; // and back
    run_s(6);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND);
    assert_true(set.heard[CAIRN_MSG_TERRAIN_GRID] > maps);
}

// Its trail is cut: nobody knows the way to where it lies. Set upright where it fell, it finds its place and goes on.
static void a_robot_that_fell_makes_no_trail_until_it_has_found_its_place(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(10);
    assert_int_equal(set.telemetry.health, CAIRN_HEALTH_GOOD);
    set.on_side = true;
    run_s(10);
    const uint32_t nodes = set.heard[CAIRN_MSG_NODE];
    run_s(10);
    assert_int_equal(set.telemetry.health, CAIRN_HEALTH_LOST);
    assert_int_equal(set.telemetry.health_reason, CAIRN_HEALTH_TILT);
    assert_int_equal(set.heard[CAIRN_MSG_NODE], nodes);
    set.on_side = false;
    run_s(20);
    assert_int_equal(set.telemetry.health, CAIRN_HEALTH_GOOD);
    assert_true(set.heard[CAIRN_MSG_NODE] > nodes);
    printf("found at (%d, %d) mm\n", (int)set.telemetry.x_mm, (int)set.telemetry.y_mm);
    assert_true(abs(set.telemetry.x_mm) <= 100 && abs(set.telemetry.y_mm) <= 100); // a cell of its last look
}

// It fell down a slope, say, and stands where it has never been. Without an end to its search it would be of no use any
// more; with its old frame, whatever it tells would bend the map by as much as it fell.
static void who_does_not_find_its_place_again_begins_another_stretch_of_its_trail(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(10);
    assert_int_equal(set.node.stretch, 0);
    set.on_side = true;
    run_s(3);
    const uint32_t last = set.node.node, maps = set.heard[CAIRN_MSG_TERRAIN_GRID];
    set.on_side = false;
    set.elsewhere = true;
    run_s(12);
    assert_int_equal(set.node.node, last); // it still looks for its place
    assert_int_equal(set.telemetry.health, CAIRN_HEALTH_LOST);
    run_s(15);
    assert_int_equal(set.node.stretch, 1);
    assert_true(set.node.node > last && set.heard[CAIRN_MSG_TERRAIN_GRID] > maps);
    assert_non_null(strstr(set.events, "does not find its place on its own map"));
    assert_int_equal(set.telemetry.health, CAIRN_HEALTH_GOOD); // of its new map: where that lies the station must say
    assert_int_equal(set.telemetry.task, 0);
    run_s(10);
    assert_int_equal(set.node.stretch, 1);
}

#define BLIND ((1u << CAIRN_LACK_LASER | 1u << CAIRN_LACK_PLACE) >> 8)

// It speaks in time, and what it says cannot be.
static void a_frozen_or_empty_laser_is_told_in_words(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    begin(description);
    run_s(8);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND);
    set.laser_empty = true;
    run_s(2);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND | BLIND);
    assert_non_null(strstr(set.events, "sees nothing anywhere"));
    set.laser_empty = false;
    run_s(2);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND);
    (void)end(NULL);
    description.laser.noise_m = 0.01; // the bench's has none: each scan is the one before
    begin(description);
    run_s(8);
    assert_int_equal(set.telemetry.guards >> 8, SEES_NO_GROUND | BLIND);
    assert_non_null(strstr(set.events, "frozen"));
}

// Bodies differ: what one lacks is said to be unknown, and the rest goes on.
static void a_body_without_a_thermal_camera_reports_nobody(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.thermal.offered = false;
    begin(description);
    run_s(5);
    assert_int_equal(set.heard[CAIRN_MSG_VICTIM_SEEN], 0);
    assert_true(set.heard[CAIRN_MSG_TERRAIN_GRID] > 0);
}

static void a_body_without_an_imu_says_that_its_tilt_is_unknown(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.imu.offered = false;
    begin(description);
    run_s(5);
    assert_int_equal(set.telemetry.roll_mrad, CAIRN_MSG_TELEMETRY_ROLL_MRAD_UNKNOWN);
    assert_int_equal(set.telemetry.pitch_mrad, CAIRN_MSG_TELEMETRY_PITCH_MRAD_UNKNOWN);
    assert_true(set.heard[CAIRN_MSG_TERRAIN_GRID] > 0);
    assert_true(abs(set.telemetry.x_mm) <= 2);
}

static void a_body_without_a_laser_makes_no_maps_and_goes_nowhere_by_itself(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.laser.offered = false;
    begin(description);
    run_s(2);
    tell_mode_and_task(CAIRN_MODE_WAYPOINT);
    run_s(3);
    assert_int_equal(set.heard[CAIRN_MSG_NODE], 0);
    assert_int_equal(set.heard[CAIRN_MSG_TERRAIN_GRID], 0);
    assert_int_equal(set.heard[CAIRN_MSG_VICTIM_SEEN], 0); // nothing says how far away they are
    assert_in_range(set.heard[CAIRN_MSG_TELEMETRY], 9, 11);
    assert_int_equal(set.telemetry.match_pct, CAIRN_MSG_TELEMETRY_MATCH_PCT_UNKNOWN);
    assert_true(set.torque_nm_max == 0);
}

static void a_body_without_a_battery_meter_says_so(void **unused)
{
    (void)unused;
    begin(whole());
    run_s(1);
    assert_int_equal(set.telemetry.battery_pct, CAIRN_MSG_TELEMETRY_BATTERY_PCT_UNKNOWN);
}

// Motors that close the loop themselves, and not one sensor: no crash, no motion.
static void a_body_without_any_sensor_stands_still(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.drive = CAIRN_DRIVE_VELOCITY;
    description.encoders.offered = description.imu.offered = description.laser.offered = false;
    description.thermal.offered = description.bumper_offered = false;
    begin(description);
    run_s(2);
    tell_mode_and_task(CAIRN_MODE_AUTONOMOUS);
    run_s(3);
    assert_true(set.command_mps_max == 0);
    assert_in_range(set.heard[CAIRN_MSG_TELEMETRY], 9, 11);
}

// Without encoders a speed can only be what the motors are told.
static void a_body_without_encoders_tells_the_speed_that_it_was_told(void **unused)
{
    (void)unused;
    cairn_body_description description = whole();
    description.drive = CAIRN_DRIVE_VELOCITY;
    description.encoders.offered = description.laser.offered = false;
    begin(description);
    run_s(2); // a stick is heard only when clocks have been compared
    message = (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER,
                                    .mode_order = {.robot = 4, .order = 1, .mode = CAIRN_MODE_TELEOPERATED}};
    tell(&message);
    for (uint32_t i = 1; i <= 20; i++) {
        message = (cairn_radio_message){.id = CAIRN_MSG_STICK,
                                        .stick = {.robot = 4, .sequence = i, .forward_pct = 50, .dead_man = 1}};
        tell(&message);
        run_s(0.1);
    }
    assert_true(set.command_mps_max > 0.1);
    assert_int_equal(set.telemetry.speed_mmps, lround(1e3 * set.command_mps_max));
}

static void frames_of_impossible_size_are_left_out(void **unused)
{
    (void)unused;
    begin(whole());
    set.garbled = true;
    run_s(3);
    assert_int_equal(set.heard[CAIRN_MSG_TERRAIN_GRID], 0);
    assert_int_equal(set.heard[CAIRN_MSG_VICTIM_SEEN], 0);
    set.garbled = false;
    run_s(3);
    assert_true(set.heard[CAIRN_MSG_TERRAIN_GRID] > 0);
    assert_true(set.heard[CAIRN_MSG_VICTIM_SEEN] > 0);
}

// Nobody knows where the laser looked: it may have seen the floor, or over the walls.
static void a_scan_whose_nod_is_not_known_is_not_mapped(void **unused)
{
    (void)unused;
    begin(whole());
    set.no_nod = true;
    run_s(3);
    assert_int_equal(set.heard[CAIRN_MSG_TERRAIN_GRID], 0);
    set.no_nod = false;
    run_s(3);
    assert_true(set.heard[CAIRN_MSG_TERRAIN_GRID] > 0);
}

// Nothing could brake it.
static void a_torque_body_without_encoders_or_laser_is_refused(void **unused)
{
    (void)unused;
    set.description = whole();
    set.description.encoders.offered = set.description.laser.offered = false;
    assert_ok(cairn_arena_create(&set.memory, ROBOT_BYTES));
    assert_ok(cairn_body_create(&set.description, &set.memory, &set.body));
    const cairn_robot_def def = {.name = "bench1", .body = &set.body, .link = rig_link_def(CAIRN_LINK_ROBOT, US, 1)};
    assert_int_equal(cairn_robot_create(&def, &set.memory, &set.robot), CAIRN_ERR_UNSUPPORTED);
    assert_null(set.robot);
}

static void a_robot_without_room_says_so_and_leaks_nothing(void **unused)
{
    (void)unused;
    begin(whole());
    const size_t enough_bytes = set.robot_bytes;
    (void)end(NULL);
    set.description = whole();
    for (size_t part = 1; part < 16; part++) {
        assert_ok(cairn_arena_create(&set.memory, enough_bytes * part / 16));
        const cairn_err body = cairn_body_create(&set.description, &set.memory, &set.body);
        const cairn_robot_def def = {
            .name = "bench1", .body = &set.body, .link = rig_link_def(CAIRN_LINK_ROBOT, US, 1)};
        if (body == CAIRN_OK) { assert_int_equal(cairn_robot_create(&def, &set.memory, &set.robot), CAIRN_ERR_FULL); }
        assert_null(set.robot);
        cairn_arena_destroy(&set.memory);
        set.memory = (cairn_arena){0};
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_robot_that_is_told_nothing_never_turns_a_wheel, end),
        cmocka_unit_test_teardown(the_same_robot_with_a_task_turns_its_wheels, end),
        cmocka_unit_test_teardown(a_task_alone_does_not_move_an_idle_or_paused_robot, end),
        cmocka_unit_test_teardown(a_standing_robot_tells_how_it_is_at_its_rates, end),
        cmocka_unit_test_teardown(a_sensor_that_falls_silent_is_told, end),
        cmocka_unit_test_teardown(a_robot_that_does_not_know_its_place_says_so_and_tells_no_map, end),
        cmocka_unit_test_teardown(a_robot_that_fell_makes_no_trail_until_it_has_found_its_place, end),
        cmocka_unit_test_teardown(who_does_not_find_its_place_again_begins_another_stretch_of_its_trail, end),
        cmocka_unit_test_teardown(a_body_without_a_thermal_camera_reports_nobody, end),
        cmocka_unit_test_teardown(a_body_without_an_imu_says_that_its_tilt_is_unknown, end),
        cmocka_unit_test_teardown(a_frozen_or_empty_laser_is_told_in_words, end),
        cmocka_unit_test_teardown(a_body_without_a_laser_makes_no_maps_and_goes_nowhere_by_itself, end),
        cmocka_unit_test_teardown(a_body_without_a_battery_meter_says_so, end),
        cmocka_unit_test_teardown(a_body_without_any_sensor_stands_still, end),
        cmocka_unit_test_teardown(a_body_without_encoders_tells_the_speed_that_it_was_told, end),
        cmocka_unit_test_teardown(frames_of_impossible_size_are_left_out, end),
        cmocka_unit_test_teardown(a_scan_whose_nod_is_not_known_is_not_mapped, end),
        cmocka_unit_test_teardown(a_torque_body_without_encoders_or_laser_is_refused, end),
        cmocka_unit_test_teardown(a_robot_without_room_says_so_and_leaks_nothing, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
