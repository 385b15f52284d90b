// What a robot is told over its radio, and what it makes of it: stop, modes, stick, tasks; and what it tells of that.
#include "../base/check.h"
#include "base/random.h"
#include "link/radio_streams.h"
#include "rig.h"
#include "robot/deliberate/deliberate.h"
#include "robot/post/post.h"
#include <string.h>

#define US 7
#define SEED 20240611

static cairn_body_description description;
static cairn_arena memory, station_memory;
static cairn_body body;
static cairn_reflex_cells reflex;
static cairn_behaviour_cells behaviour;
static cairn_robot_post_boxes boxes;
static cairn_robot_post *post;
static cairn_deliberate mind;
static cairn_link *station;
static bool in_silence;     // nothing gets through
static uint32_t heard[256]; // by the station, by message id
static uint32_t nodes_heard[1024];
static cairn_radio_message message;
static cairn_mono now;

static void start_station(uint64_t seed)
{
    cairn_arena_destroy(&station_memory);
    assert_ok(cairn_arena_create(&station_memory, 1 << 20));
    const cairn_link_def def = rig_link_def(CAIRN_LINK_STATION, US, seed);
    assert_ok(cairn_link_create(&def, &station_memory, &station));
}

static void to_robot(void *unused, const uint8_t *bytes, size_t size)
{
    (void)unused;
    if (!in_silence) { assert_ok(cairn_inbox_put(cairn_robot_post_from_air(post), bytes, size)); }
}

static void station_step(void)
{
    uint8_t datagram[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (cairn_inbox_take(cairn_robot_post_to_air(post), datagram, sizeof datagram, &size) == CAIRN_OK) {
        if (!in_silence) { (void)cairn_link_receive(station, datagram, size, now); }
    }
    cairn_link_message one;
    while (cairn_link_take(station, now, &one) == CAIRN_OK) {
        heard[one.id]++;
        if (one.id != CAIRN_MSG_NODE) { continue; }
        static cairn_radio_message node;
        assert_ok(cairn_radio_decode(one.bytes, one.size, &node));
        nodes_heard[node.node.node]++;
    }
    cairn_link_step(station, now, to_robot, NULL);
}

static void run_ms(int64_t ms)
{
    for (const int64_t until_ns = now.ns + CAIRN_MS(ms); now.ns < until_ns;) {
        now.ns += CAIRN_MS(8);
        station_step();
        cairn_robot_post_step(post, now);
        cairn_deliberate_listen(&mind, now);
        cairn_deliberate_read_post(&mind, now);
    }
}

static int start(void **unused)
{
    (void)unused;
    now = (cairn_mono){0};
    in_silence = false;
    memset(heard, 0, sizeof heard);
    memset(nodes_heard, 0, sizeof nodes_heard);
    description = rig_description();
    assert_ok(cairn_arena_create(&memory, 80 << 20));
    assert_ok(cairn_body_create(&description, &memory, &body));
    assert_ok(cairn_reflex_cells_create(&memory, &reflex));
    assert_ok(cairn_behaviour_cells_create(&memory, &behaviour));
    assert_ok(cairn_robot_post_boxes_create(&memory, &boxes));
    const cairn_robot_post_def post_def = {.link = rig_link_def(CAIRN_LINK_ROBOT, US, SEED),
                                           .reflex = reflex,
                                           .behaviour = behaviour,
                                           .boxes = boxes,
                                           .orders = {.mode = CAIRN_MODE_IDLE}};
    assert_ok(cairn_robot_post_create(&post_def, &memory, &post));
    const cairn_deliberate_def def = {
        .robot_id = US, .body = &body, .reflex = &reflex, .behaviour = &behaviour, .boxes = boxes};
    assert_ok(cairn_deliberate_init(&mind, &def, &memory));
    start_station(SEED);
    run_ms(2000); // they meet, and compare their clocks
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_robot_post_finish(post);
    cairn_robot_post_boxes_finish(&boxes);
    cairn_arena_destroy(&memory);
    cairn_arena_destroy(&station_memory);
    return 0;
}

static void tell(const cairn_radio_message *one)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    cairn_link_stream stream;
    assert_ok(cairn_radio_encode(one, bytes, sizeof bytes, &size_bytes));
    assert_ok(cairn_link_stream_of(one->id, &stream));
    assert_ok(cairn_link_put(station, stream, bytes, size_bytes, now));
    run_ms(80);
}

static void tell_mode(uint8_t robot, uint8_t mode)
{
    static uint32_t order; // they count up
    message = (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER,
                                    .mode_order = {.robot = robot, .order = ++order, .mode = mode}};
    tell(&message);
}

static void tell_stop(uint8_t robot, bool stop, uint32_t release_count)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_STOP,
                                    .stop = {.robot = robot, .stop = stop, .release_count = release_count}};
    tell(&message);
}

static void tell_stick(uint8_t robot, uint32_t sequence, int8_t forward_pct)
{
    message = (cairn_radio_message){
        .id = CAIRN_MSG_STICK,
        .stick = {.robot = robot, .sequence = sequence, .forward_pct = forward_pct, .turn_pct = -50, .dead_man = 1}};
    tell(&message);
}

static void tell_task(uint8_t robot, uint32_t task)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    message.task = (cairn_msg_task){.robot = robot,
                                    .task = task,
                                    .purpose = CAIRN_PURPOSE_EXPLORE,
                                    .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN,
                                    .via_x_mm_count = 2,
                                    .via_x_mm = {1500, -2500},
                                    .via_y_mm_count = 2,
                                    .via_y_mm = {100, 200}};
    tell(&message);
}

// A square of 2 m around a place.
static void tell_area(uint8_t robot, uint32_t revision, uint8_t count, uint8_t index, int32_t x_mm)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_AREA};
    message.area = (cairn_msg_area){.robot = robot, .revision = revision, .count = count, .index = index, .kind = 1};
    message.area.x_mm_count = message.area.y_mm_count = count > 0 ? 4 : 0;
    for (int i = 0; i < message.area.x_mm_count; i++) {
        message.area.x_mm[i] = x_mm + (i == 1 || i == 2 ? 1000 : -1000);
        message.area.y_mm[i] = i >= 2 ? 1000 : -1000;
    }
    tell(&message);
}

static void tell_override(uint8_t robot, uint32_t sequence, uint32_t guards)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_OVERRIDE,
                                    .override = {.robot = robot, .sequence = sequence, .guards = guards}};
    tell(&message);
}

static const cairn_areas *areas_cell(void) { return cairn_cell_latest(reflex.areas, NULL); }
static const cairn_override *override_cell(void) { return cairn_cell_latest(reflex.override, NULL); }
static const cairn_stop_command *stop_cell(void) { return cairn_cell_latest(reflex.stop, NULL); }
static const cairn_stick *stick_cell(void) { return cairn_cell_latest(behaviour.stick, NULL); }

// Half a set is none: a robot that had heard of the keep-in area only would drive into what is kept out of.
static void areas_count_once_all_of_a_set_are_there(void **unused)
{
    (void)unused;
    mind.tracker.private_T_odom = (cairn_pose2){1, 0, 0};
    assert_null(areas_cell());
    tell_area(US, 5, 2, 1, 9000);
    tell_area(US + 1, 5, 2, 0, 4000);
    cairn_deliberate_tell_areas(&mind, now);
    assert_null(areas_cell()); // nothing was told yet: reflex keeps to what a mind before may have said
    tell_area(US, 5, 2, 0, 4000);
    cairn_deliberate_tell_areas(&mind, now);
    assert_int_equal(mind.areas.kept.revision, 5);
    assert_int_equal(areas_cell()->area_count, 2);
    assert_int_equal(areas_cell()->areas[0].kind, CAIRN_AREA_KEEP_OUT);
    assert_int_equal(areas_cell()->areas[0].corner_count, 4);
    assert_float_equal(areas_cell()->areas[0].x_m[0], 2.0, 1e-5); // 3 m private, 2 m odom
    assert_float_equal(areas_cell()->areas[1].x_m[1], 9.0, 1e-5);
    cairn_deliberate_send_telemetry(&mind, now);
    const cairn_msg_telemetry *telemetry = cairn_cell_latest(boxes.telemetry, NULL);
    assert_int_equal(telemetry->areas, 5);
}

static void the_latest_revision_of_areas_wins_and_nonsense_changes_nothing(void **unused)
{
    (void)unused;
    tell_area(US, 5, 1, 0, 4000);
    tell_area(US, 4, 1, 0, 8000);
    assert_int_equal(mind.areas.kept.revision, 5);
    assert_true(cairn_fence_holds(&mind.areas.kept.fences.fences[0], (cairn_vec2){4, 0}));
    const uint32_t dropped = mind.messages_dropped_count;
    message.area = (cairn_msg_area){.robot = US, .revision = 6, .count = 1, .x_mm_count = 2, .y_mm_count = 2};
    tell(&message);
    tell_area(US, 7, 1, 1, 0); // the second of one
    assert_int_equal(mind.messages_dropped_count, dropped + 2);
    assert_int_equal(mind.areas.kept.revision, 5);
    tell_area(US, 8, 0, 0, 0);
    cairn_deliberate_tell_areas(&mind, now);
    assert_int_equal(mind.areas.kept.revision, 8);
    assert_int_equal(areas_cell()->area_count, 0);
}

// Said again at least once a second, as the frames move; but a robot that is lost has no better word than its last.
static void areas_follow_the_frame_unless_the_robot_is_lost(void **unused)
{
    (void)unused;
    tell_area(US, 1, 1, 0, 4000);
    cairn_deliberate_tell_areas(&mind, now);
    assert_float_equal(areas_cell()->areas[0].x_m[0], 3.0, 1e-5);
    mind.tracker.private_T_odom.x_m = 0.5;
    now = cairn_mono_add(now, CAIRN_MS(900));
    cairn_deliberate_tell_areas(&mind, now);
    assert_float_equal(areas_cell()->areas[0].x_m[0], 2.5, 1e-5);
    assert_true(areas_cell()->issued.ns == now.ns);
    mind.health.health = CAIRN_HEALTH_LOST;
    mind.tracker.private_T_odom.x_m = 7;
    now = cairn_mono_add(now, CAIRN_MS(900));
    cairn_deliberate_tell_areas(&mind, now);
    assert_float_equal(areas_cell()->areas[0].x_m[0], 2.5, 1e-5);
    assert_true(areas_cell()->issued.ns == now.ns && mind.areas_adrift);
    mind.health.health = CAIRN_HEALTH_GOOD;
    now = cairn_mono_add(now, CAIRN_MS(900));
    cairn_deliberate_tell_areas(&mind, now);
    assert_float_equal(areas_cell()->areas[0].x_m[0], -4.0, 1e-5);
    assert_false(mind.areas_adrift);
}

// What may never be overridden does not even reach reflex; when it was issued is when it came, not when it is read.
static void an_override_reaches_reflex_as_old_as_it_is(void **unused)
{
    (void)unused;
    const uint32_t tilt = 1u << CAIRN_GUARD_TILT;
    assert_null(override_cell());
    tell_override(US + 1, 1, tilt);
    assert_null(override_cell());
    tell_override(US, 2, tilt | 1u << CAIRN_GUARD_STOP | 1u << CAIRN_GUARD_COMMAND);
    assert_int_equal(override_cell()->guards, tilt);
    const cairn_mono issued = override_cell()->issued;
    assert_true(issued.ns < now.ns && cairn_mono_since(now, issued) < CAIRN_MS(100));
    run_ms(600);
    assert_true(override_cell()->issued.ns == issued.ns); // nobody says it again: it ages out
    assert_true(cairn_mono_since(now, issued) > CAIRN_OVERRIDE_AGE_NS_MAX);
    tell_override(US, 3, 0);
    assert_int_equal(override_cell()->guards, 0);
}

// They travel in one stream: neither may push the other out.
static void a_stick_and_an_override_of_one_moment_both_arrive(void **unused)
{
    (void)unused;
    uint8_t bytes[64];
    size_t size = 0;
    message = (cairn_radio_message){.id = CAIRN_MSG_STICK,
                                    .stick = {.robot = US, .sequence = 8, .forward_pct = 40, .dead_man = 1}};
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    assert_ok(cairn_link_put(station, CAIRN_LINK_TELEOPERATION, bytes, size, now));
    tell_override(US, 9, 1u << CAIRN_GUARD_BUMP);
    assert_int_equal(override_cell()->guards, 1u << CAIRN_GUARD_BUMP);
    assert_non_null(cairn_cell_latest(behaviour.stick, NULL));
}

// Whoever pressed the button must not be overruled by a task planner.
static void a_stop_stays_whatever_modes_are_ordered(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US, true, 0);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_STOPPED);
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        tell_mode(US, (uint8_t)mode);
        assert_int_equal(mind.orders.mode, CAIRN_MODE_STOPPED);
        assert_true(stop_cell()->stop);
    }
}

static void a_stop_for_all_stops_us_too(void **unused)
{
    (void)unused;
    tell_stop(0, true, 0);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_STOPPED);
    assert_true(stop_cell()->stop);
}

// A late copy of an old release must not set a stopped robot free.
static void only_a_release_with_a_greater_count_releases(void **unused)
{
    (void)unused;
    tell_stop(US, true, 0);
    tell_stop(US, false, 0);
    assert_true(stop_cell()->stop);
    tell_stop(US, false, 5);
    assert_false(stop_cell()->stop);
    assert_int_equal(stop_cell()->release_count, 5);
    tell_stop(US, true, 5);
    for (uint32_t count = 0; count <= 5; count++) {
        tell_stop(US, false, count);
        assert_true(stop_cell()->stop);
        assert_int_equal(mind.orders.mode, CAIRN_MODE_STOPPED);
    }
    tell_stop(US, false, 6);
    assert_false(stop_cell()->stop);
}

// A release must not start a motion: the robot waits to be told what to do.
static void a_released_robot_is_idle(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US, true, 0);
    tell_stop(US, false, 1);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_IDLE);
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_AUTONOMOUS);
}

// Stopped is a latch, not a mode that one can be ordered into and out of.
static void no_mode_order_stops(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_mode(US, CAIRN_MODE_STOPPED);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_WAYPOINT);
}

static void the_stick_reaches_the_behaviours(void **unused)
{
    (void)unused;
    tell_stick(US, 10, 40);
    assert_true(fabs(stick_cell()->forward - 0.4) < 1e-12);
    assert_true(fabs(stick_cell()->turn + 0.5) < 1e-12);
    assert_true(stick_cell()->dead_man);
    assert_in_range(now.ns - stick_cell()->received.ns, 0, CAIRN_MS(80));
}

// Its counts begin anew; nobody may have to restart the robot for that.
static void a_station_that_was_restarted_is_obeyed(void **unused)
{
    (void)unused;
    tell_stick(US, 1000, 40);
    tell_mode(US, CAIRN_MODE_TELEOPERATED);
    start_station(SEED + 1);
    run_ms(4000);
    tell_stick(US, 1, -20);
    assert_true(fabs(stick_cell()->forward + 0.2) < 1e-12);
    tell_mode(US, CAIRN_MODE_IDLE);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_IDLE);
}

// A mind that hangs over a plan must not keep a stop from the wheels.
static void orders_do_not_wait_for_the_mind(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    message = (cairn_radio_message){.id = CAIRN_MSG_STOP, .stop = {.robot = US, .stop = 1}};
    uint8_t bytes[64];
    size_t size = 0;
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    assert_ok(cairn_link_put(station, CAIRN_LINK_STOP, bytes, size, now));
    now.ns += CAIRN_MS(8);
    station_step();
    cairn_robot_post_step(post, now); // and no step of the mind
    assert_true(stop_cell()->stop);
    const cairn_mode_order *mode = cairn_cell_latest(behaviour.mode, NULL);
    assert_int_equal(mode->mode, CAIRN_MODE_STOPPED);
}

static void tell_nodes(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        cairn_radio_clear(CAIRN_MSG_NODE, &mind.message);
        mind.message.node.robot = US;
        mind.message.node.node = i;
        cairn_deliberate_send(&mind, boxes.survey);
    }
}

// Out of radio for minutes, a robot goes on mapping; all of it must come home, each node once, and what matters more
// must not stand behind it.
static void what_was_surveyed_in_a_silence_arrives_once_and_holds_up_nothing(void **unused)
{
    (void)unused;
    in_silence = true;
    tell_nodes(1, 700); // 15 minutes of them: far more than the link keeps
    run_ms(1000);
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &mind.message);
    mind.message.victim_seen.robot = US;
    mind.message.victim_seen.sighting = 1;
    mind.message.victim_seen.frame_count = 1;
    cairn_deliberate_send(&mind, boxes.reports);
    cairn_deliberate_send_telemetry(&mind, now);
    in_silence = false;
    const uint32_t telemetry_before = heard[CAIRN_MSG_TELEMETRY];
    run_ms(1000);
    assert_int_equal(heard[CAIRN_MSG_VICTIM_SEEN], 1);
    assert_true(heard[CAIRN_MSG_TELEMETRY] > telemetry_before);
    assert_true(heard[CAIRN_MSG_NODE] < 700);
    run_ms(20000);
    for (uint32_t i = 1; i <= 700; i++) { assert_int_equal(nodes_heard[i], 1); }
}

static void messages_for_others_change_nothing(void **unused)
{
    (void)unused;
    tell_mode(US + 1, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US + 1, true, 0);
    tell_stick(US + 1, 1, 100);
    tell_task(US + 1, 3);
    message = (cairn_radio_message){.id = CAIRN_MSG_TEAMMATES};
    message.teammates = (cairn_msg_teammates){.robot = US + 1,
                                              .other_count = 1,
                                              .other = {2},
                                              .x_mm_count = 1,
                                              .y_mm_count = 1,
                                              .yaw_mrad_count = 1,
                                              .speed_mmps_count = 1,
                                              .age_ms_count = 1};
    tell(&message);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_IDLE);
    assert_false(stop_cell()->stop);
    assert_null(stick_cell());
    assert_int_equal(cairn_robot_post_look(post).refused_count, 5);
    assert_int_equal(mind.navigator.task.id, 0);
    assert_int_equal(mind.navigator.teammates.count, 0);
}

static void a_task_arrives_whole_and_is_dropped_by_task_0(void **unused)
{
    (void)unused;
    tell_task(US, 3);
    const cairn_robot_task *task = &mind.navigator.task;
    assert_int_equal(task->id, 3);
    assert_int_equal(task->purpose, CAIRN_PURPOSE_EXPLORE);
    assert_int_equal(task->via_count, 2);
    assert_true(cairn_vec2_distance(task->via_m[1], (cairn_vec2){-2.5, 0.2}) < 1e-9);
    assert_false(task->face_at_end);
    assert_int_equal(mind.navigator.task_state, CAIRN_TASK_UNDER_WAY);
    tell_task(US, 0);
    assert_int_equal(mind.navigator.task_state, CAIRN_TASK_NONE);
}

static void teammates_are_where_they_were_when_they_were_heard(void **unused)
{
    (void)unused;
    now.ns = CAIRN_S(10);
    message = (cairn_radio_message){.id = CAIRN_MSG_TEAMMATES};
    message.teammates = (cairn_msg_teammates){.robot = US,
                                              .other_count = 1,
                                              .other = {2},
                                              .x_mm_count = 1,
                                              .x_mm = {-1200},
                                              .y_mm_count = 1,
                                              .y_mm = {300},
                                              .yaw_mrad_count = 1,
                                              .yaw_mrad = {-1500},
                                              .speed_mmps_count = 1,
                                              .speed_mmps = {250},
                                              .age_ms_count = 1,
                                              .age_ms = {700}};
    tell(&message);
    const cairn_teammate *mate = &mind.navigator.teammates.mates[0];
    assert_int_equal(mind.navigator.teammates.count, 1);
    assert_in_range(now.ns - CAIRN_MS(700) - mate->at.ns, 0, CAIRN_MS(90));
    assert_true(fabs(mate->private_T_base.x_m + 1.2) < 1e-9 && fabs(mate->private_T_base.y_m - 0.3) < 1e-9);
    assert_true(fabs(mate->private_T_base.yaw_rad + 1.5) < 1e-9 && fabs(mate->forward_mps - 0.25) < 1e-9);
}

// Words that waited for a thin link tell of where somebody was longer ago.
static void words_of_teammates_grow_older_on_their_way(void **unused)
{
    (void)unused;
    run_ms(3000); // clocks are compared
    message = (cairn_radio_message){.id = CAIRN_MSG_TEAMMATES};
    message.teammates = (cairn_msg_teammates){.robot = US,
                                              .other_count = 1,
                                              .other = {2},
                                              .x_mm_count = 1,
                                              .y_mm_count = 1,
                                              .yaw_mrad_count = 1,
                                              .speed_mmps_count = 1,
                                              .age_ms_count = 1,
                                              .age_ms = {200}};
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size_bytes));
    const cairn_mono said = {now.ns - CAIRN_MS(900)};
    assert_ok(cairn_link_put(station, CAIRN_LINK_STATE, bytes, size_bytes, said));
    run_ms(80);
    assert_int_equal(mind.navigator.teammates.count, 1);
    assert_in_range(mind.navigator.teammates.mates[0].at.ns, said.ns - CAIRN_MS(240), said.ns - CAIRN_MS(190));
}

// Whatever comes over the air: what cannot be understood is counted, and the robot stays as it was.
static void garbage_is_counted_and_changes_nothing(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "tests/post");
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_task(US, 3);
    static cairn_navigator before;
    before = mind.navigator;
    uint32_t put_count = 0;
    for (int round = 0; round < 1000; round++) {
        uint8_t bytes[300];
        const size_t size = 1 + cairn_random_below(&random, sizeof bytes - 1);
        for (size_t i = 0; i < size; i++) { bytes[i] = (uint8_t)cairn_random_below(&random, 256); }
        bytes[0] = (uint8_t)cairn_random_below(&random, 0x30); // near the ids that exist
        if (round % 2 == 0 && size >= 4) {                     // and half of them of a length that fits
            bytes[2] = (uint8_t)((size - 4) & 0xff);
            bytes[3] = (uint8_t)((size - 4) >> 8);
        }
        if (cairn_radio_decode(bytes, size, &message) == CAIRN_OK) { continue; } // by chance a message
        assert_ok(cairn_link_put(station, CAIRN_LINK_TASK, bytes, size, now));
        run_ms(64);
        put_count++;
    }
    run_ms(2000);
    assert_true(put_count > 800);
    assert_int_equal(cairn_robot_post_look(post).refused_count, put_count);
    assert_int_equal(mind.orders.mode, CAIRN_MODE_WAYPOINT);
    assert_false(stop_cell()->stop);
    assert_null(stick_cell());
    assert_memory_equal(&mind.navigator, &before, sizeof before);
}

// A message that a robot does not listen to is dropped too, and is seen to be.
static void messages_that_robots_send_are_counted_when_received(void **unused)
{
    (void)unused;
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = US;
    tell(&message);
    assert_int_equal(cairn_robot_post_look(post).refused_count, 1);
}

// A station with newer software says things that this robot does not know yet: people must be able to see it.
static void unknown_messages_are_counted_with_their_id(void **unused)
{
    (void)unused;
    const uint8_t bytes[12] = {0xee, 1, 8};
    assert_ok(cairn_link_put(station, CAIRN_LINK_TASK, bytes, sizeof bytes, now));
    run_ms(200);
    assert_int_equal(cairn_robot_post_look(post).unknown_count, 1);
    assert_int_equal(cairn_robot_post_look(post).unknown_id, 0xee);
    assert_int_equal(cairn_robot_post_look(post).refused_count, 1);
}

// A station of another version cannot be answered; what it speaks is remembered until one of ours is heard.
static void another_version_is_remembered_until_ours_is_heard(void **unused)
{
    (void)unused;
    const uint8_t to_us[24] = {(CAIRN_LINK_VERSION + 3) << 4, US}, to_other[24] = {to_us[0], US + 1};
    in_silence = true;
    run_ms(4000);
    for (int i = 0; i < 8; i++) {
        assert_ok(cairn_inbox_put(cairn_robot_post_from_air(post), to_other, sizeof to_other));
        assert_ok(
            cairn_inbox_put(cairn_robot_post_from_air(post), to_us, i < 2 ? sizeof to_us : 2)); // too few, too short
        run_ms(80);
        assert_int_equal(cairn_robot_post_look(post).other_version, 0);
    }
    assert_ok(cairn_inbox_put(cairn_robot_post_from_air(post), to_us, sizeof to_us));
    run_ms(80);
    assert_int_equal(cairn_robot_post_look(post).other_version, CAIRN_LINK_VERSION + 3);
    in_silence = false;
    run_ms(3000);
    assert_int_equal(cairn_robot_post_look(post).other_version, 0);
}

// The station says an order again until telemetry names it.
static void telemetry_names_the_last_order_and_release(void **unused)
{
    (void)unused;
    message = (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER,
                                    .mode_order = {.robot = US, .order = 41, .mode = CAIRN_MODE_WAYPOINT}};
    tell(&message);
    tell_stop(US, true, 0);
    tell_stop(US, false, 3);
    cairn_deliberate_send_telemetry(&mind, now);
    const cairn_msg_telemetry *telemetry = cairn_cell_latest(boxes.telemetry, NULL);
    assert_int_equal(telemetry->order, 41);
    assert_int_equal(telemetry->release_count, 3);
    assert_int_equal(telemetry->mode, CAIRN_MODE_IDLE);
}

static void each_change_of_mode_is_told_once(void **unused)
{
    (void)unused;
    const uint32_t before = heard[CAIRN_MSG_EVENT];
    tell_mode(US, CAIRN_MODE_IDLE); // it is already
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US, true, 0);
    tell_stop(US, false, 1);
    run_ms(500);
    assert_int_equal(heard[CAIRN_MSG_EVENT] - before, 3);
}

// The score tells time and way in each mode: nothing may be lost between modes.
static void times_and_ways_in_all_modes_add_up(void **unused)
{
    (void)unused;
    cairn_random random;
    cairn_random_init(&random, SEED, "tests/tally");
    cairn_reflex_state state = {.step_count = 1};
    int64_t spent_ns[CAIRN_MODE_COUNT] = {0};
    double travelled_m[CAIRN_MODE_COUNT] = {0};
    uint32_t change_count = 0;
    cairn_mono changed = mind.tally.since;
    spent_ns[mind.orders.mode] = now.ns;
    for (int i = 0; i < 300; i++) {
        const cairn_mode before = mind.orders.mode;
        const cairn_mono then = now;
        const double way_m = cairn_random_uniform(&random);
        now.ns += CAIRN_MS(1) * cairn_random_below(&random, 400);
        state.at = now;
        state.distance_m += way_m;
        cairn_cell_write(reflex.state_deliberate, &state, sizeof state);
        const cairn_orders_state orders = {.mode = (cairn_mode)cairn_random_below(&random, CAIRN_MODE_COUNT)};
        cairn_cell_write(behaviour.orders, &orders, sizeof orders);
        cairn_deliberate_listen(&mind, now);
        spent_ns[before] += now.ns - then.ns;
        travelled_m[before] += way_m;
        if (mind.orders.mode == before) { continue; }
        change_count++;
        changed = now;
    }
    int64_t sum_ns = 0;
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        assert_int_equal(mind.tally.spent_ns[mode], spent_ns[mode]);
        assert_true(fabs(mind.tally.travelled_m[mode] - travelled_m[mode]) < 1e-9);
        sum_ns += mind.tally.spent_ns[mode];
    }
    assert_int_equal(sum_ns, now.ns);
    assert_int_equal(mind.tally.mode, mind.orders.mode);
    assert_int_equal(mind.tally.change_count, change_count);
    assert_int_equal(mind.tally.since.ns, changed.ns);
}

// Whoever stopped the robot wanted it to do nothing of what it did. What comes while it is stopped was on the air
// before.
static void a_stopped_robot_lets_its_task_be_and_takes_no_other(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_task(US, 3);
    assert_int_equal(mind.navigator.task.id, 3);
    const cairn_path under_way = {.issued = now, .point_count = 1, .speed_mps_max = 0.5};
    cairn_cell_write(behaviour.path, &under_way, sizeof under_way);
    tell_stop(US, true, 0);
    assert_int_equal(mind.navigator.task.id, 0);
    assert_int_equal(((const cairn_path *)cairn_cell_latest(behaviour.path, NULL))->point_count, 0);
    tell_task(US, 4);
    assert_int_equal(mind.navigator.task.id, 0);
    tell_stop(US, false, 1);
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    assert_int_equal(mind.navigator.task.id, 0);
    tell_task(US, 5);
    assert_int_equal(mind.navigator.task.id, 5);
}

// Both may come in one datagram, between two looks of the mind.
static void a_stop_that_the_mind_never_saw_ends_its_task_all_the_same(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_task(US, 3);
    for (int stop = 1; stop >= 0; stop--) {
        message = (cairn_radio_message){.id = CAIRN_MSG_STOP,
                                        .stop = {.robot = US, .stop = (uint8_t)stop, .release_count = 1}};
        uint8_t bytes[64];
        size_t size = 0;
        assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
        assert_ok(cairn_link_put(station, CAIRN_LINK_STOP, bytes, size, now));
    }
    run_ms(80);
    assert_int_equal(mind.orders.release_count, 1);
    assert_int_equal(mind.navigator.task.id, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stop_stays_whatever_modes_are_ordered, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_for_all_stops_us_too, start, finish),
        cmocka_unit_test_setup_teardown(only_a_release_with_a_greater_count_releases, start, finish),
        cmocka_unit_test_setup_teardown(a_released_robot_is_idle, start, finish),
        cmocka_unit_test_setup_teardown(a_stopped_robot_lets_its_task_be_and_takes_no_other, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_that_the_mind_never_saw_ends_its_task_all_the_same, start, finish),
        cmocka_unit_test_setup_teardown(no_mode_order_stops, start, finish),
        cmocka_unit_test_setup_teardown(the_stick_reaches_the_behaviours, start, finish),
        cmocka_unit_test_setup_teardown(a_station_that_was_restarted_is_obeyed, start, finish),
        cmocka_unit_test_setup_teardown(orders_do_not_wait_for_the_mind, start, finish),
        cmocka_unit_test_setup_teardown(what_was_surveyed_in_a_silence_arrives_once_and_holds_up_nothing, start,
                                        finish),
        cmocka_unit_test_setup_teardown(telemetry_names_the_last_order_and_release, start, finish),
        cmocka_unit_test_setup_teardown(messages_for_others_change_nothing, start, finish),
        cmocka_unit_test_setup_teardown(a_task_arrives_whole_and_is_dropped_by_task_0, start, finish),
        cmocka_unit_test_setup_teardown(teammates_are_where_they_were_when_they_were_heard, start, finish),
        cmocka_unit_test_setup_teardown(words_of_teammates_grow_older_on_their_way, start, finish),
        cmocka_unit_test_setup_teardown(garbage_is_counted_and_changes_nothing, start, finish),
        cmocka_unit_test_setup_teardown(messages_that_robots_send_are_counted_when_received, start, finish),
        cmocka_unit_test_setup_teardown(unknown_messages_are_counted_with_their_id, start, finish),
        cmocka_unit_test_setup_teardown(another_version_is_remembered_until_ours_is_heard, start, finish),
        cmocka_unit_test_setup_teardown(each_change_of_mode_is_told_once, start, finish),
        cmocka_unit_test_setup_teardown(areas_count_once_all_of_a_set_are_there, start, finish),
        cmocka_unit_test_setup_teardown(the_latest_revision_of_areas_wins_and_nonsense_changes_nothing, start, finish),
        cmocka_unit_test_setup_teardown(areas_follow_the_frame_unless_the_robot_is_lost, start, finish),
        cmocka_unit_test_setup_teardown(an_override_reaches_reflex_as_old_as_it_is, start, finish),
        cmocka_unit_test_setup_teardown(a_stick_and_an_override_of_one_moment_both_arrive, start, finish),
        cmocka_unit_test_setup_teardown(times_and_ways_in_all_modes_add_up, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
