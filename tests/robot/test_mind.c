// Reflex and mind as two processes would be: each has its own ends of the cells, and falls silent at any moment. Only
// the memory of the cells outlives them. The robot drives in a room of 8 x 6 m; the station listens.
#include "../base/check.h"
#include "base/random.h"
#include "by_hand.h"
#include "link/radio_streams.h"
#include "messages/codec.h"
#include "rig.h"
#include "robot/checkpoint.h"
#include "robot/mind.h"
#include "robot/modes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define US 4
#define MIND_BYTES (80u << 20)
#define SEEDS 20
#define TICK_NS CAIRN_MS(4)
#define NODES_MAX 512
#define SIGHTINGS_MAX 64
#define ALL_TASKS UINT32_MAX

typedef struct stage {
    cairn_mono now;
    cairn_random chance;
    // what outlives all
    cairn_arena disk;
    cairn_body_memory body_memory;
    cairn_reflex_memory reflex_memory;
    void *checkpoint_memory;
    // the world
    cairn_body_description description;
    cairn_body body; // the port's ends
    cairn_pose2 truth, start;
    double left_m, right_m;         // by the wheels
    double forward_mps, turn_radps; // as it moves
    bool laser_silent, laser_empty, laser_frozen;
    // reflex
    bool reflex_runs;
    cairn_arena reflex_arena;
    cairn_body reflex_body;
    cairn_reflex_cells reflex_cells;
    cairn_reflex *reflex;
    // mind
    cairn_arena mind_arena;
    cairn_body mind_body;
    cairn_reflex_cells mind_cells;
    cairn_mind *mind; // NULL: it does not run
    cairn_executor *executor;
    uint32_t start_count;
    // the station
    cairn_arena station_arena;
    cairn_link *station;
    cairn_cell *command, *checkpoint; // ends that only look
    cairn_cell *areas;                // and that of where it may be
    cairn_cell *stop, *state;         // ends for what nobody of ours would write
    cairn_msg_telemetry telemetry;
    uint32_t node_last;
    uint16_t stretch;                               // of the last node
    cairn_msg_node nodes[NODES_MAX];                // by number
    cairn_msg_victim_seen sightings[SIGHTINGS_MAX]; // by number
    char events[8192];
} stage;

static stage set;
static cairn_radio_message message;

static const cairn_vec2 person_m = {1.0, 2.95}; // before the wall, on the left

static double room_range_m(cairn_vec2 from, double bearing)
{
    const double c = cos(bearing), s = sin(bearing);
    const double x_m = c > 0 ? 4 - from.x : 4 + from.x, y_m = s > 0 ? 3 - from.y : 3 + from.y;
    return fmin(fabs(c) < 1e-9 ? INFINITY : x_m / fabs(c), fabs(s) < 1e-9 ? INFINITY : y_m / fabs(s));
}

static void scan_room(void)
{
    static cairn_scan_frame scan;
    if (set.laser_silent) { return; }
    scan = (cairn_scan_frame){.taken = set.now,
                              .beam_count = 541,
                              .angle_rad_first = (float)(-0.75 * CAIRN_PI),
                              .angle_rad_step = (float)(1.5 * CAIRN_PI / 540),
                              .range_m_min = 0.05f,
                              .range_m_max = 30};
    const cairn_vec2 from = cairn_pose2_apply(set.truth, (cairn_vec2){0.12, 0});
    for (uint32_t i = 0; i < scan.beam_count; i++) {
        const double angle = (double)scan.angle_rad_first + (double)scan.angle_rad_step * i;
        const double range_m = room_range_m(from, set.truth.yaw_rad + angle);
        const double noise_m = set.laser_frozen ? 0 : cairn_random_between(&set.chance, -1e-4, 1e-4);
        scan.range_m[i] = set.laser_empty ? INFINITY : (float)(range_m + noise_m);
    }
    cairn_cell_write(set.body.scan_reflex, &scan, sizeof scan);
    cairn_cell_write(set.body.scan_behaviour, &scan, sizeof scan);
    cairn_cell_write(set.body.scan_deliberate, &scan, sizeof scan);
}

static void picture_room(void)
{
    static cairn_thermal_frame thermal;
    thermal = (cairn_thermal_frame){.taken = set.now, .width_px = 80, .height_px = 60};
    const cairn_vec2 seen = cairn_pose2_apply(cairn_pose2_inverse(set.truth), person_m);
    const double range_m = hypot(seen.x - 0.2, seen.y), bearing = atan2(seen.y, seen.x - 0.2);
    const double px_per_rad = 80 / set.description.thermal.field_rad;
    const int middle = (int)lround(39.5 - bearing * px_per_rad), half = (int)fmax(1, 0.25 / range_m * px_per_rad);
    for (int i = 0; i < 80 * 60; i++) {
        const int column = i % 80, row = i / 80;
        const bool warm = abs(column - middle) <= half && row >= 25 && row < 40 && fabs(bearing) < 0.5;
        thermal.centikelvin[i] = (uint16_t)(warm ? 30600 : 29300);
    }
    cairn_cell_write(set.body.thermal_mind, &thermal, sizeof thermal);
}

// The base obeys at once; by its own watchdog it stands.
static void move_world(double dt_s)
{
    const cairn_motor_target *target = cairn_cell_latest(set.body.motors, NULL);
    const bool obeyed = target != NULL && cairn_mono_since(set.now, target->issued) <= set.description.watchdog_ns;
    set.forward_mps = obeyed ? target->forward_mps : 0;
    set.turn_radps = obeyed ? target->turn_radps : 0;
    const double way_m = set.forward_mps * dt_s, turned = set.turn_radps * dt_s;
    const double apart_m = turned * set.description.wheels.track_m / set.description.wheels.turn_efficiency;
    set.truth = cairn_pose2_compose(set.truth, (cairn_pose2){way_m * cos(turned / 2), way_m * sin(turned / 2), turned});
    set.left_m += way_m - apart_m / 2;
    set.right_m += way_m + apart_m / 2;
}

static void speak(void)
{
    const cairn_wheels_description *wheels = &set.description.wheels;
    const double ticks_per_m = set.description.encoders.ticks_per_turn / (2 * CAIRN_PI * wheels->radius_m);
    const int64_t left = llround(set.left_m * ticks_per_m), right = llround(set.right_m * ticks_per_m);
    const cairn_encoder_frame encoders = {
        .taken = set.now, .wheel_count = CAIRN_WHEELS_MAX, .ticks = {left, right, left, right}};
    const cairn_imu_frame imu = {.taken = set.now, .turn_radps = {0, 0, set.turn_radps}, .accel_mps2 = {0, 0, 9.80665}};
    const cairn_bump_frame bump = {.taken = set.now};
    cairn_cell_write(set.body.encoders_reflex, &encoders, sizeof encoders);
    cairn_cell_write(set.body.imu_reflex, &imu, sizeof imu);
    cairn_cell_write(set.body.bump_reflex, &bump, sizeof bump);
    if (set.now.ns % CAIRN_MS(40) == 0) { scan_room(); }
    if (set.now.ns % CAIRN_MS(120) == 0) { picture_room(); }
}

static void to_robot(void *unused, const uint8_t *bytes, size_t size)
{
    (void)unused;
    if (set.mind != NULL) { (void)!cairn_inbox_put(cairn_mind_from_air(set.mind), bytes, size); }
}

// What is on the air is in the checkpoint before: no mind after this one gives the number again, or forgets the order.
static void check_kept(void)
{
    const cairn_checkpoint *kept = cairn_cell_latest(set.checkpoint, NULL);
    assert_true(cairn_checkpoint_is_sound(kept));
    if (message.id == CAIRN_MSG_NODE) { assert_true(kept->node_count >= message.node.node); }
    if (message.id == CAIRN_MSG_VICTIM_SEEN) { assert_true(kept->victims.last_id >= message.victim_seen.sighting); }
    if (message.id == CAIRN_MSG_TELEMETRY) { assert_true(kept->orders.order >= message.telemetry.order); }
}

static void note_node(const cairn_msg_node *node)
{
    assert_true(node->node < NODES_MAX);
    cairn_msg_node *known = &set.nodes[node->node];
    if (known->node != 0) { assert_int_equal(known->mono_ns, node->mono_ns); } // a number is given once
    *known = *node;
    if (node->node > set.node_last) { set.node_last = node->node; }
    set.stretch = node->stretch;
}

static void hear(void)
{
    uint8_t datagram[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (set.mind != NULL &&
           cairn_inbox_take(cairn_mind_to_air(set.mind), datagram, sizeof datagram, &size) == CAIRN_OK) {
        (void)cairn_link_receive(set.station, datagram, size, set.now);
    }
    cairn_link_message heard;
    while (cairn_link_take(set.station, set.now, &heard) == CAIRN_OK) {
        assert_ok(cairn_radio_decode(heard.bytes, heard.size, &message));
        check_kept();
        if (message.id == CAIRN_MSG_TELEMETRY) { set.telemetry = message.telemetry; }
        if (message.id == CAIRN_MSG_NODE) { note_node(&message.node); }
        if (message.id == CAIRN_MSG_VICTIM_SEEN) {
            assert_true(message.victim_seen.sighting < SIGHTINGS_MAX);
            set.sightings[message.victim_seen.sighting] = message.victim_seen;
        }
        if (message.id == CAIRN_MSG_EVENT) {
            const size_t used = strlen(set.events);
            snprintf(set.events + used, sizeof set.events - used, "%.*s\n", (int)message.event.text_count,
                     (const char *)message.event.text);
        }
    }
    cairn_link_step(set.station, set.now, to_robot, NULL);
}

static void start_reflex(void)
{
    cairn_arena_destroy(&set.reflex_arena);
    assert_ok(cairn_arena_create(&set.reflex_arena, 1u << 20));
    assert_ok(cairn_body_attach(&set.description, set.body_memory, &set.reflex_arena, &set.reflex_body));
    assert_ok(cairn_reflex_cells_attach(set.reflex_memory, &set.reflex_arena, &set.reflex_cells));
    assert_ok(cairn_reflex_create(&set.reflex_body, &set.reflex_cells, &set.reflex_arena, &set.reflex));
    set.reflex_runs = true;
}

static void kill_mind(void)
{
    cairn_mind_finish(set.mind); // gives its locks back; what a kill does to them, the operating system does
    cairn_executor_destroy(set.executor);
    cairn_arena_destroy(&set.mind_arena);
    set.mind = NULL;
    set.executor = NULL;
}

static void start_mind(void)
{
    assert_null(set.mind);
    assert_ok(cairn_arena_create(&set.mind_arena, MIND_BYTES));
    assert_ok(cairn_body_attach(&set.description, set.body_memory, &set.mind_arena, &set.mind_body));
    assert_ok(cairn_reflex_cells_attach(set.reflex_memory, &set.mind_arena, &set.mind_cells));
    assert_true(cairn_mind_may_begin(&set.mind_cells, set.now));
    cairn_mind_def def = {.body = &set.mind_body,
                          .reflex = set.mind_cells,
                          .link = rig_link_def(CAIRN_LINK_ROBOT, US, 1000 + set.start_count++),
                          .now = set.now};
    assert_ok(
        cairn_cell_attach(&set.mind_arena, set.checkpoint_memory, cairn_mind_checkpoint_bytes(), &def.checkpoint));
    assert_ok(cairn_mind_create(&def, &set.mind_arena, &set.mind));
    cairn_arena_seal(&set.mind_arena);
    assert_ok(cairn_executor_create_lockstep(TICK_NS, NULL, &set.executor));
    cairn_mind_register(set.mind, set.executor, cairn_executor_add_lane(set.executor, "mind", 0));
}

// One tick: the body, reflex, the first so many tasks of mind, the air.
static void tick(uint32_t task_count)
{
    if (set.now.ns % CAIRN_REFLEX_PERIOD_NS == 0) {
        move_world(0.008);
        speak();
        if (set.reflex_runs) { cairn_reflex_step(set.reflex, set.now); }
    }
    const uint32_t registered = set.mind != NULL ? by_hand_count(set.executor) : 0;
    for (uint32_t i = 0; i < registered && i < task_count; i++) { by_hand_run(set.executor, i, set.now); }
    hear();
    set.now.ns += TICK_NS;
}

static void run_s(double seconds)
{
    for (const int64_t until_ns = set.now.ns + cairn_ns_from_seconds(seconds); set.now.ns < until_ns;) {
        tick(ALL_TASKS);
    }
}

static void tell(const cairn_radio_message *one)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size = 0;
    cairn_link_stream stream;
    assert_ok(cairn_radio_encode(one, bytes, sizeof bytes, &size));
    assert_ok(cairn_link_stream_of(one->id, &stream));
    assert_ok(cairn_link_put(set.station, stream, bytes, size, set.now));
}

static void tell_mode(cairn_mode mode, uint32_t order)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER,
                                    .mode_order = {.robot = US, .order = order, .mode = (uint8_t)mode}};
    tell(&message);
}

static void tell_stop(bool stop, uint32_t release_count)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_STOP,
                                    .stop = {.robot = US, .stop = stop, .release_count = release_count}};
    tell(&message);
}

// Once round the room.
static void tell_task(uint32_t task)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    message.task = (cairn_msg_task){.robot = US,
                                    .task = task,
                                    .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN,
                                    .via_x_mm_count = 4,
                                    .via_x_mm = {4000, 4000, 0, 0},
                                    .via_y_mm_count = 4,
                                    .via_y_mm = {0, 2500, 2500, 500}};
    tell(&message);
}

static void begin(uint64_t seed)
{
    set = (stage){.description = rig_description(), .now = {CAIRN_S(1)}, .start = {-2, -1.2, 0}};
    set.truth = set.start;
    set.description.drive = CAIRN_DRIVE_VELOCITY;
    set.description.thermal = (cairn_thermal_description){.offered = true,
                                                          .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}},
                                                          .width_px = 80,
                                                          .height_px = 60,
                                                          .field_rad = 1.2,
                                                          .rate_hz = 8};
    cairn_random_init(&set.chance, seed, "tests/mind");
    assert_ok(cairn_arena_create(&set.disk, 4u << 20));
    set.body_memory.sensors = cairn_arena_take(&set.disk, 1, cairn_body_sensor_bytes(&set.description));
    set.body_memory.motors = cairn_arena_take(&set.disk, 1, cairn_body_motor_bytes(&set.description));
    set.reflex_memory.to_reflex = cairn_arena_take(&set.disk, 1, cairn_reflex_memory_bytes_to());
    set.reflex_memory.from_reflex = cairn_arena_take(&set.disk, 1, cairn_reflex_memory_bytes_from());
    set.checkpoint_memory = cairn_arena_take(&set.disk, 1, cairn_cell_memory_bytes(cairn_mind_checkpoint_bytes()));
    assert_ok(cairn_body_attach(&set.description, set.body_memory, &set.disk, &set.body));
    cairn_reflex_cells looking;
    assert_ok(cairn_reflex_cells_attach(set.reflex_memory, &set.disk, &looking));
    set.command = looking.command;
    set.areas = looking.areas;
    set.stop = looking.stop;
    set.state = looking.state_deliberate;
    assert_ok(cairn_cell_attach(&set.disk, set.checkpoint_memory, cairn_mind_checkpoint_bytes(), &set.checkpoint));
    assert_ok(cairn_arena_create(&set.station_arena, 4u << 20));
    const cairn_link_def station = rig_link_def(CAIRN_LINK_STATION, US, seed);
    assert_ok(cairn_link_create(&station, &set.station_arena, &set.station));
    start_reflex();
    run_s(0.1);
    start_mind();
}

static void end(void)
{
    kill_mind();
    cairn_arena_destroy(&set.reflex_arena);
    cairn_arena_destroy(&set.station_arena);
    cairn_arena_destroy(&set.disk);
    set = (stage){0};
}

static int end_anyway(void **unused)
{
    (void)unused;
    if (set.executor != NULL || set.disk.base != NULL) { end(); }
    return 0;
}

static void set_going(void)
{
    run_s(2);
    tell_mode(CAIRN_MODE_WAYPOINT, 7);
    tell_task(3);
    run_s(1.5);
    assert_int_equal(set.telemetry.task, 3);
    assert_true(set.forward_mps != 0 || set.turn_radps != 0);
}

static void check_place(double within_m)
{
    cairn_robot_view view;
    assert_true(cairn_mind_look(set.mind, &view));
    const cairn_pose2 true_pose = cairn_pose2_between(set.start, set.truth);
    const double off_m = cairn_vec2_distance(cairn_pose2_at(true_pose), cairn_pose2_at(view.private_T_base));
    if (!(off_m < within_m)) { fail_msg("off by %.3f m", off_m); }
    assert_true(fabs(cairn_angle_between(true_pose.yaw_rad, view.private_T_base.yaw_rad)) < 0.05);
}

// Lets mind fall silent after some of the tasks of a tick, and sees the robot stop by the last command that was given.
static void fall_silent_and_stop(void)
{
    run_s(1 + 6 * cairn_random_uniform(&set.chance));
    for (uint32_t i = cairn_random_below(&set.chance, 2); i > 0; i--) { tick(ALL_TASKS); }
    tick(cairn_random_below(&set.chance, 9));
    kill_mind();
    const cairn_motion_command *last = cairn_cell_latest(set.command, NULL);
    const cairn_mono issued = last->issued;
    while (cairn_mono_since(set.now, issued) <= CAIRN_MS(400)) {
        const int64_t age_ns = cairn_mono_since(set.now, issued);
        tick(0);
        const cairn_motor_target *target = cairn_cell_latest(set.body.motors, NULL);
        if (age_ns >= CAIRN_MS(308)) { assert_true(target->forward_mps == 0 && target->turn_radps == 0); }
    }
}

// The promise to people, and then the mission: the mind that comes after knows where it is and what it was about.
static void a_mind_that_dies_stops_the_robot_and_the_next_one_goes_on(void **unused)
{
    (void)unused;
    uint32_t moved_count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(seed);
        set_going();
        moved_count += set.forward_mps > 0;
        fall_silent_and_stop();
        const cairn_pose2 stood = set.truth;
        run_s(2 * cairn_random_uniform(&set.chance));
        start_mind();
        run_s(0.04);
        check_place(0.06);
        run_s(3);
        assert_int_equal(set.telemetry.mode, CAIRN_MODE_WAYPOINT);
        assert_int_equal(set.telemetry.order, 7);
        assert_int_equal(set.telemetry.task, 3);
        assert_non_null(strstr(set.events, "mind was started again after "));
        assert_non_null(strstr(set.events, "; goes on at ("));
        const uint32_t node_before = set.node_last;
        run_s(45);
        assert_int_equal(set.telemetry.task_state, 2); // done
        assert_true(set.node_last > node_before + 10);
        assert_true(cairn_vec2_distance(cairn_pose2_at(stood), cairn_pose2_at(set.truth)) > 0.3);
        check_place(0.1);
        end();
    }
    assert_true(moved_count > SEEDS / 2);
}

// Where it may be is no less true for the next mind, and it knows before the station tells it again.
static void areas_outlive_the_mind_that_was_told(void **unused)
{
    (void)unused;
    begin(33);
    run_s(1);
    message = (cairn_radio_message){
        .id = CAIRN_MSG_AREA, .area = {US, 3, 1, 0, 0, 4, {-1000, 9000, 9000, -1000}, 4, {-1000, -1000, 9000, 9000}}};
    tell(&message);
    run_s(2);
    assert_int_equal(set.telemetry.areas, 3);
    kill_mind();
    run_s(1);
    const cairn_areas *told = cairn_cell_latest(set.areas, NULL);
    const cairn_mono before = told->issued;
    assert_int_equal(told->area_count, 1); // reflex keeps to it while nobody is there
    start_mind();
    run_s(2);
    told = cairn_cell_latest(set.areas, NULL);
    assert_true(told->issued.ns > before.ns && told->area_count == 1);
    assert_true(fabs((double)told->areas[0].x_m[0] + 1.0) < 0.1);
    assert_int_equal(set.telemetry.areas, 3);
    end();
}

static void edges_hang_together_over_a_restart(void **unused)
{
    (void)unused;
    begin(31);
    set_going();
    run_s(5);
    kill_mind();
    run_s(0.5);
    start_mind();
    run_s(5);
    uint32_t edge_count = 0;
    for (uint32_t i = 2; i <= set.node_last; i++) {
        if (set.nodes[i].node == 0 || set.nodes[i - 1].node == 0) { continue; }
        const cairn_msg_node *from = &set.nodes[i - 1], *to = &set.nodes[i];
        const cairn_pose2 a = {from->x_mm * 1e-3, from->y_mm * 1e-3, from->yaw_urad * 1e-6};
        const cairn_pose2 b = {to->x_mm * 1e-3, to->y_mm * 1e-3, to->yaw_urad * 1e-6};
        const cairn_pose2 edge = cairn_pose2_between(a, b);
        assert_float_equal(edge.x_m, to->edge_x_um * 1e-6, 0.003);
        assert_float_equal(edge.y_m, to->edge_y_um * 1e-6, 0.003);
        edge_count++;
    }
    assert_true(edge_count >= 7);
    end();
}

// A stop that came in the last moments of a mind is in no checkpoint; reflex knows of it.
static void a_stop_outlives_mind_reflex_and_both(void **unused)
{
    (void)unused;
    for (int who = 0; who < 3; who++) {
        begin(41);
        set_going();
        tell_stop(true, 0);
        // until the post has it; deliberate has not heard yet
        for (int i = 0; i < 50 && set.forward_mps + set.turn_radps != 0; i++) { tick(1); }
        assert_true(set.forward_mps == 0 && set.turn_radps == 0);
        const cairn_checkpoint *kept = cairn_cell_latest(set.checkpoint, NULL);
        assert_int_equal(kept->orders.mode, CAIRN_MODE_WAYPOINT);
        kill_mind();
        set.reflex_runs = who == 0;
        run_s(0.4);
        if (who != 0) { start_reflex(); }
        run_s(0.4);
        start_mind();
        run_s(4);
        assert_int_equal(set.telemetry.mode, CAIRN_MODE_STOPPED);
        assert_true(set.forward_mps == 0 && set.turn_radps == 0);
        if (who == 2) { // reflex once more, under a living mind
            set.reflex_runs = false;
            run_s(0.4);
            start_reflex();
            run_s(1);
        }
        tell_stop(false, set.telemetry.release_count); // not greater
        run_s(2);
        assert_int_equal(set.telemetry.mode, CAIRN_MODE_STOPPED);
        tell_stop(false, set.telemetry.release_count + 1);
        run_s(2);
        assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
        tell_mode(CAIRN_MODE_WAYPOINT, 8);
        tell_task(4);
        run_s(3);
        assert_true(set.forward_mps != 0 || set.turn_radps != 0);
        end();
    }
}

// Until the post has taken it; deliberate, busy with a plan, has not heard yet.
static void tell_post_alone(void)
{
    for (int i = 0; i < 10; i++) { tick(1); }
}

// Reflex hung when the stop came, and mind died before it could keep it: the cell is the only one that knows.
static void a_stop_that_no_reflex_has_read_outlives_mind(void **unused)
{
    (void)unused;
    begin(42);
    set_going();
    set.reflex_runs = false;
    tell_stop(true, 0);
    tell_post_alone();
    kill_mind();
    start_mind(); // by the last word of the reflex that hangs
    run_s(0.05);
    start_reflex();
    run_s(4);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_STOPPED);
    assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    end();
}

// Both came in the last moments of a mind, and its checkpoint knows of neither. A release must not start a motion.
static void a_robot_that_was_released_in_the_last_moments_of_a_mind_is_idle(void **unused)
{
    (void)unused;
    begin(43);
    set_going();
    tell_stop(true, 0);
    tell_post_alone();
    assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    tell_stop(false, 1);
    tell_post_alone();
    const cairn_checkpoint *kept = cairn_cell_latest(set.checkpoint, NULL);
    assert_int_equal(kept->orders.mode, CAIRN_MODE_WAYPOINT);
    kill_mind();
    start_mind();
    run_s(4);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(set.telemetry.release_count, 1);
    assert_int_equal(set.telemetry.task, 0);
    assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    end();
}

// Whatever latched it: the operator is shown a stopped robot, and can release it.
static void a_stop_that_only_reflex_knows_of_is_told_and_can_be_released(void **unused)
{
    (void)unused;
    begin(44);
    set_going();
    const cairn_stop_command nonsense = {.issued = set.now, .stop = true, .release_count = 50};
    cairn_cell_write(set.stop, &nonsense, sizeof nonsense);
    run_s(2);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_STOPPED);
    assert_int_equal(set.telemetry.release_count, 50);
    tell_stop(false, 51);
    run_s(2);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    tell_mode(CAIRN_MODE_WAYPOINT, 8);
    tell_task(4);
    run_s(3);
    assert_true(set.forward_mps != 0 || set.turn_radps != 0);
    end();
}

// The link sends it again to a robot that was started again, if its acknowledgement was lost.
static void an_order_that_was_taken_does_not_set_going_the_next_mind(void **unused)
{
    (void)unused;
    begin(62);
    set_going();
    kill_mind();
    set.reflex_runs = false;
    run_s(1);
    start_reflex();
    run_s(0.1);
    start_mind();
    tell_mode(CAIRN_MODE_WAYPOINT, 6);
    tell_mode(CAIRN_MODE_WAYPOINT, 7);
    tell_task(3);
    run_s(4);
    assert_int_equal(set.telemetry.order, 7);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    tell_mode(CAIRN_MODE_WAYPOINT, 8);
    run_s(4);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_WAYPOINT);
    end();
}

// The base's watchdog stops the wheels; the mind waits for the reflex that comes after, and the mission goes on.
static void a_reflex_that_dies_is_followed_by_one_that_knows_the_place(void **unused)
{
    (void)unused;
    for (uint64_t seed = 51; seed < 56; seed++) {
        begin(seed);
        set_going();
        run_s(5 * cairn_random_uniform(&set.chance));
        set.reflex_runs = false;
        run_s(0.25 + cairn_random_uniform(&set.chance));
        assert_true(set.forward_mps == 0 && set.turn_radps == 0);
        start_reflex();
        run_s(3);
        assert_false(cairn_mind_is_over(set.mind));
        assert_non_null(strstr(set.events, "reflex was started again after "));
        assert_int_equal(set.telemetry.mode, CAIRN_MODE_WAYPOINT);
        run_s(40);
        assert_int_equal(set.telemetry.task_state, 2); // done
        check_place(0.1);
        end();
    }
}

static void a_reflex_that_stays_away_is_told(void **unused)
{
    (void)unused;
    begin(57);
    set_going();
    set.reflex_runs = false;
    run_s(2);
    assert_non_null(strstr(set.events, "reflex is silent"));
    assert_int_equal(set.telemetry.speed_mmps, 0);
    end();
}

// Nobody saw what happened to it meanwhile: a person looks before it moves.
static void a_robot_that_was_away_as_a_whole_waits_to_be_set_going(void **unused)
{
    (void)unused;
    begin(61);
    set_going();
    run_s(4);
    const uint32_t node_before = set.node_last;
    kill_mind();
    set.reflex_runs = false;
    run_s(3);
    start_reflex();
    run_s(0.1);
    start_mind();
    run_s(4);
    assert_non_null(strstr(set.events, "believes to stand where it stopped"));
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(set.telemetry.order, 7);
    assert_int_equal(set.telemetry.task, 0);
    assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    check_place(0.06);
    tell_mode(CAIRN_MODE_WAYPOINT, 8);
    tell_task(4);
    run_s(40);
    assert_int_equal(set.telemetry.task_state, 2);
    assert_true(set.node_last > node_before);
    check_place(0.1);
    end();
}

typedef struct people_heard_of {
    cairn_msg_victim_seen sightings[SIGHTINGS_MAX];
} people_heard_of;

static people_heard_of forget_people(void)
{
    people_heard_of people;
    memcpy(people.sightings, set.sightings, sizeof people.sightings);
    memset(set.sightings, 0, sizeof set.sightings);
    return people;
}

// Each under its number, where it was.
static void check_told_again(const people_heard_of *before)
{
    uint32_t count = 0;
    for (int i = 1; i < SIGHTINGS_MAX; i++) {
        const cairn_msg_victim_seen *then = &before->sightings[i], *again = &set.sightings[i];
        if (then->sighting == 0) { continue; }
        assert_int_equal(again->sighting, i);
        assert_true(hypot(then->x_mm - again->x_mm, then->y_mm - again->y_mm) < 300);
        count++;
    }
    assert_true(count > 0);
}

// Wheels that turned while nobody counted: whatever it believed of its place is not true.
static void a_robot_that_was_moved_while_away_forgets_its_place_and_keeps_its_counts(void **unused)
{
    (void)unused;
    begin(71);
    set_going();
    run_s(12);
    const uint32_t node_before = set.node_last;
    kill_mind();
    const people_heard_of before = forget_people();
    set.reflex_runs = false;
    run_s(1);
    set.left_m += 1;
    set.right_m += 1;
    set.truth = cairn_pose2_compose(set.truth, (cairn_pose2){-0.5, 0, 0});
    set.start = set.truth; // its new frame begins here
    start_reflex();
    run_s(0.1);
    start_mind();
    run_s(4);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(set.telemetry.order, 0); // by which the station knows
    assert_int_equal(set.telemetry.task, 0);
    assert_non_null(strstr(set.events, "does not know where it stands"));
    check_place(0.06);
    assert_true(set.node_last > node_before);
    assert_int_equal(set.stretch, 1); // nothing leads there from where it was
    // Whoever was seen is told once more, as it was: the station still knows that frame.
    check_told_again(&before);
    end();
}

// The same under a living mind: it must not follow a path of another odometry, not for one period.
static void another_odometry_ends_a_mind(void **unused)
{
    (void)unused;
    begin(81);
    set_going();
    set.reflex_runs = false;
    run_s(0.4);
    set.left_m -= 2;
    set.right_m -= 2;
    start_reflex();
    for (int i = 0; i < 250; i++) {
        tick(ALL_TASKS);
        assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    }
    assert_true(cairn_mind_is_over(set.mind));
    kill_mind();
    start_mind();
    assert_false(cairn_mind_is_over(set.mind));
    run_s(3);
    assert_int_equal(set.telemetry.order, 0);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    end();
}

// Between its creation and its first step reflex begins another one: the path that is planned at once is of the first.
static void another_odometry_before_its_first_step_ends_a_mind(void **unused)
{
    (void)unused;
    begin(82);
    set_going();
    kill_mind();
    set.reflex_runs = false;
    start_mind();
    set.left_m -= 2;
    set.right_m -= 2;
    start_reflex();
    run_s(0.008); // until the base hears of the reflex after
    for (int i = 0; i < 250; i++) {
        tick(ALL_TASKS);
        assert_true(set.forward_mps == 0 && set.turn_radps == 0);
    }
    assert_true(cairn_mind_is_over(set.mind));
    end();
}

// It was started again after it was asked whether a mind may begin.
static void a_mind_is_not_made_on_a_reflex_that_does_not_know_its_place(void **unused)
{
    (void)unused;
    begin(83);
    kill_mind();
    const cairn_reflex_state *last = cairn_cell_latest(set.state, NULL);
    cairn_reflex_state state = *last;
    state.unsettled = true;
    cairn_cell_write(set.state, &state, sizeof state);
    cairn_reflex_cells cells;
    cairn_mind_def def = {
        .body = &set.body, .link = rig_link_def(CAIRN_LINK_ROBOT, US, 1), .now = set.now, .checkpoint = set.checkpoint};
    assert_ok(cairn_arena_create(&set.mind_arena, MIND_BYTES));
    assert_ok(cairn_reflex_cells_attach(set.reflex_memory, &set.mind_arena, &cells));
    def.reflex = cells;
    assert_int_equal(cairn_mind_create(&def, &set.mind_arena, &set.mind), CAIRN_ERR_EMPTY);
    assert_null(set.mind);
    end();
}

static void a_mind_that_dies_again_and_again_waits_idle(void **unused)
{
    (void)unused;
    begin(91);
    set_going();
    for (int i = 0; i < 5; i++) {
        kill_mind();
        start_mind(); // and not one step
    }
    run_s(3);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(set.telemetry.order, 7);
    assert_non_null(strstr(set.events, "mind was started 6 times within a minute"));
    // A minute later once is once.
    tell_mode(CAIRN_MODE_WAYPOINT, 8);
    run_s(61);
    kill_mind();
    start_mind();
    run_s(3);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_WAYPOINT);
    assert_int_equal(set.telemetry.order, 8);
    end();
}

// It may have been on its way when mind died.
static void a_person_is_told_again_under_the_same_number(void **unused)
{
    (void)unused;
    begin(101);
    set_going();
    run_s(12);
    kill_mind();
    const people_heard_of before = forget_people();
    start_mind();
    run_s(1.5);
    check_told_again(&before);
    end();
}

// Without a checkpoint of this version it is a first start, whatever the file holds.
// A mind that begins while the laser fails has never seen it work. It says so all the same, as soon as one that has.
static void a_mind_that_begins_blind_says_so(void **unused)
{
    (void)unused;
    for (int way = 0; way < 3; way++) {
        begin(1);
        set.description.laser.noise_m = 1e-4;
        run_s(4);
        assert_int_equal(set.telemetry.condition, CAIRN_CONDITION_WELL);
        set.laser_silent = way == 0;
        set.laser_empty = way == 1;
        set.laser_frozen = way == 2;
        run_s(0.3);
        kill_mind();
        run_s(1);
        if (way == 1) { start_reflex(); } // it has not seen it work either, and goes on doubting
        run_s(0.2);
        start_mind();
        run_s(1.5);
        assert_int_equal(set.telemetry.condition, CAIRN_CONDITION_BLIND);
        set.laser_silent = set.laser_empty = set.laser_frozen = false;
        run_s(4);
        assert_int_equal(set.telemetry.condition, CAIRN_CONDITION_WELL);
        end();
    }
}

static void a_damaged_checkpoint_is_none(void **unused)
{
    (void)unused;
    begin(111);
    set_going();
    kill_mind();
    memset(set.checkpoint_memory, 0xa5, cairn_cell_memory_bytes(cairn_mind_checkpoint_bytes()));
    start_mind();
    assert_ok(cairn_cell_attach(&set.disk, set.checkpoint_memory, cairn_mind_checkpoint_bytes(), &set.checkpoint));
    set.node_last = 0;
    memset(set.nodes, 0, sizeof set.nodes);
    run_s(3);
    assert_int_equal(set.telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(set.telemetry.order, 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(areas_outlive_the_mind_that_was_told, end_anyway),
        cmocka_unit_test_teardown(a_mind_that_dies_stops_the_robot_and_the_next_one_goes_on, end_anyway),
        cmocka_unit_test_teardown(edges_hang_together_over_a_restart, end_anyway),
        cmocka_unit_test_teardown(a_stop_outlives_mind_reflex_and_both, end_anyway),
        cmocka_unit_test_teardown(a_stop_that_no_reflex_has_read_outlives_mind, end_anyway),
        cmocka_unit_test_teardown(a_robot_that_was_released_in_the_last_moments_of_a_mind_is_idle, end_anyway),
        cmocka_unit_test_teardown(a_stop_that_only_reflex_knows_of_is_told_and_can_be_released, end_anyway),
        cmocka_unit_test_teardown(an_order_that_was_taken_does_not_set_going_the_next_mind, end_anyway),
        cmocka_unit_test_teardown(a_reflex_that_dies_is_followed_by_one_that_knows_the_place, end_anyway),
        cmocka_unit_test_teardown(a_reflex_that_stays_away_is_told, end_anyway),
        cmocka_unit_test_teardown(a_robot_that_was_away_as_a_whole_waits_to_be_set_going, end_anyway),
        cmocka_unit_test_teardown(a_robot_that_was_moved_while_away_forgets_its_place_and_keeps_its_counts, end_anyway),
        cmocka_unit_test_teardown(another_odometry_ends_a_mind, end_anyway),
        cmocka_unit_test_teardown(another_odometry_before_its_first_step_ends_a_mind, end_anyway),
        cmocka_unit_test_teardown(a_mind_is_not_made_on_a_reflex_that_does_not_know_its_place, end_anyway),
        cmocka_unit_test_teardown(a_mind_that_dies_again_and_again_waits_idle, end_anyway),
        cmocka_unit_test_teardown(a_person_is_told_again_under_the_same_number, end_anyway),
        cmocka_unit_test_teardown(a_mind_that_begins_blind_says_so, end_anyway),
        cmocka_unit_test_teardown(a_damaged_checkpoint_is_none, end_anyway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
