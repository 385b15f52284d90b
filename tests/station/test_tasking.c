// Who goes where next, on floors drawn by hand.
#include "check.h"
#include "place.h"
#include "robot/guard_names.h"
#include "robot/tasks.h"

#define SENT_MAX 64

static cairn_arena memory;
static cairn_atlas atlas;
static cairn_fleet fleet;
static cairn_tasking tasking;
static cairn_victims victims;
static cairn_fences fences; // where robots may be
static cairn_events events;
static cairn_mono now;

static uint32_t sent_count, dropped_count;
static struct {
    uint8_t robot;
    cairn_msg_task task;
} sent[SENT_MAX];

static void note(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task, cairn_mono at)
{
    (void)context, (void)at;
    if (task->task == 0) { // the robot does as it is told
        robot->telemetry.task = 0;
        robot->telemetry.task_state = CAIRN_TASK_NONE;
        dropped_count++;
        return;
    }
    assert_true(sent_count < SENT_MAX);
    sent[sent_count].robot = robot->id;
    sent[sent_count++].task = *task;
}

static void start(double width_m, double height_m)
{
    fleet = (cairn_fleet){0};
    victims = (cairn_victims){0};
    fences = (cairn_fences){0};
    events = (cairn_events){0};
    now = (cairn_mono){CAIRN_S(10)};
    sent_count = dropped_count = 0;
    const cairn_raster_def raster = place_raster(width_m, height_m);
    const size_t kept_bytes = cairn_kept_costs_memory_bytes(raster.width, raster.height);
    assert_ok(cairn_arena_create(&memory, ((size_t)192 << 20) + kept_bytes));
    const cairn_tasking_def def = cairn_tasking_def_default();
    const cairn_places_def places = cairn_places_def_default();
    assert_ok(cairn_atlas_init(&atlas, &raster, &places, &memory));
    assert_ok(cairn_tasking_init(&tasking, &def, &raster, &memory));
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    memory = (cairn_arena){0};
    return 0;
}

static cairn_fleet_robot *add_robot(double x_m, double y_m)
{
    cairn_fleet_robot *robot = &fleet.robots[fleet.count++];
    *robot = (cairn_fleet_robot){.id = (uint8_t)fleet.count, .name = "emu", .heard = true, .map_T_base = {x_m, y_m, 0}};
    robot->order.mode = CAIRN_MODE_AUTONOMOUS;
    robot->telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    return robot;
}

static void hear_all(void)
{
    for (uint32_t i = 0; i < fleet.count; i++) { fleet.robots[i].heard_at = now; }
}

static void step(void)
{
    const cairn_tasking_team team = {
        .fleet = &fleet, .atlas = &atlas, .victims = &victims, .events = &events, .fences = &fences, .send = note};
    cairn_tasking_step(&tasking, &team, now);
}

// The robot has taken what it was given.
static void take(cairn_fleet_robot *robot, cairn_task_state state)
{
    robot->telemetry.task = robot->assignment.task;
    robot->telemetry.task_state = state;
}

static uint32_t told_count(const char *part)
{
    uint32_t count = 0;
    for (uint64_t number = 1; number <= events.count; number++) {
        const cairn_event *event = cairn_events_get(&events, number);
        if (event != NULL && strstr(event->text, part) != NULL) { count++; }
    }
    return count;
}

// A hall from x 1 to 9, y 1 to 4, searched, open to the unknown on the sides asked for.
static void hall(bool open_left, bool open_right)
{
    start(12, 6);
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){9, 4}, true);
    if (open_left) { place_paint(&atlas, (cairn_vec2){0.8, 1}, (cairn_vec2){1, 4}, CAIRN_GROUND_UNKNOWN, true); }
    if (open_right) { place_paint(&atlas, (cairn_vec2){9, 1}, (cairn_vec2){9.2, 4}, CAIRN_GROUND_UNKNOWN, true); }
}

static void a_robot_goes_to_the_nearest_frontier(void **unused)
{
    (void)unused;
    const double x_m[] = {3, 7};
    for (int i = 0; i < 2; i++) {
        hall(true, true);
        const cairn_fleet_robot *robot = add_robot(x_m[i], 2.5);
        hear_all();
        step();
        assert_int_equal(sent_count, 1);
        assert_int_equal(sent[0].task.purpose, CAIRN_PURPOSE_EXPLORE);
        const double want_m = i == 0 ? 1 : 9;
        assert_true(fabs(robot->assignment.target_m.x - want_m) < 0.2);
        assert_true(fabs(robot->assignment.goal.x_m - want_m) < 1.0);
        assert_false(tasking.done);
        (void)finish(NULL);
    }
}

// The hall, but a strip across it that is kept out of, or only its right half to keep in.
static void nothing_is_explored_or_crossed_where_no_robot_may_be(void **unused)
{
    (void)unused;
    const cairn_fence closed[] = {
        {CAIRN_FENCE_KEEP_OUT, 4, {{1.5, 0}, {2, 0}, {2, 6}, {1.5, 6}}}, // a strip across, on the way to the left
        {CAIRN_FENCE_KEEP_OUT, 4, {{0, 0}, {2, 0}, {2, 6}, {0, 6}}},     // the frontier on the left
        {CAIRN_FENCE_KEEP_IN, 4, {{2, 0}, {12, 0}, {12, 6}, {2, 6}}},    // the same, said the other way
    };
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
        hall(true, true);
        fences = (cairn_fences){.count = 1, .fences = {closed[i]}};
        const cairn_fleet_robot *robot = add_robot(3, 2.5);
        hear_all();
        step();
        assert_int_equal(sent_count, 1);
        assert_true(robot->assignment.goal.x_m > 7);
        (void)finish(NULL);
    }
}

// Somebody draws an area over a robot: it is sent out of it, or nowhere, but not through it.
static void no_via_point_lies_where_no_robot_may_be(void **unused)
{
    (void)unused;
    hall(false, true);
    fences = (cairn_fences){.count = 1, .fences = {{CAIRN_FENCE_KEEP_OUT, 4, {{4, 2.2}, {6, 2.2}, {6, 6}, {4, 6}}}}};
    const cairn_fleet_robot *robot = add_robot(2.5, 3);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_true(robot->assignment.goal.x_m > 7); // round it, below
    for (uint32_t i = 0; i < robot->assignment.via_count; i++) {
        assert_true(cairn_fences_allow(&fences, robot->assignment.via_m[i]));
    }
}

// Two robots at one place would see the same twice.
static void no_two_robots_go_to_one_frontier(void **unused)
{
    (void)unused;
    hall(true, true);
    const cairn_fleet_robot *first = add_robot(2.5, 2), *second = add_robot(3.5, 3.2);
    hear_all();
    step();
    assert_int_equal(sent_count, 2);
    assert_true(first->assignment.target_m.x < 2);
    assert_true(second->assignment.target_m.x > 8);
}

static void a_robot_without_a_frontier_of_its_own_is_sent_nowhere(void **unused)
{
    (void)unused;
    hall(true, false);
    const cairn_fleet_robot *first = add_robot(2.5, 2), *second = add_robot(6, 3.2);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_int_not_equal(first->assignment.task, 0);
    assert_int_equal(second->assignment.task, 0);
    assert_false(tasking.done);
}

// A door may open again, a team-mate may drive away: but a goal that fails again and again must not hold up the end.
static void a_goal_without_a_way_is_tried_four_times_and_given_up(void **unused)
{
    (void)unused;
    hall(true, false);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    int64_t sent_ns[8] = {0};
    for (int i = 0; i < 400 && !tasking.done; i++) {
        const uint32_t before = sent_count;
        hear_all();
        step();
        if (sent_count > before) { sent_ns[before] = now.ns; }
        take(robot, CAIRN_TASK_NO_WAY);
        robot->map_T_base.x_m = i % 2 == 0 ? 3.4 : 3.0; // it moves: the goal is to blame, not the robot
        now.ns += CAIRN_MS(500);
    }
    assert_true(tasking.done);
    assert_int_equal(sent_count, 4);
    assert_int_equal(told_count("is given up: tried 4 times"), 1);
    assert_int_equal(told_count("1 place was given up and may not be searched"), 1);
    assert_int_equal(told_count("nothing is left"), 1);
    // Longer each time.
    assert_true(sent_ns[1] - sent_ns[0] >= CAIRN_S(8));
    assert_true(sent_ns[2] - sent_ns[1] > sent_ns[1] - sent_ns[0]);
    assert_true(sent_ns[3] - sent_ns[2] > sent_ns[2] - sent_ns[1]);
}

// A robot that is wedged somewhere must not spend everybody's goals, one after another.
static void a_robot_that_cannot_get_away_rests_and_leaves_goals_to_others(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    for (int i = 0; i < 60; i++) {
        hear_all();
        step();
        take(robot, CAIRN_TASK_NO_WAY);
        now.ns += CAIRN_MS(500);
    }
    assert_true(robot->failed_here_count > 2);
    assert_int_equal(told_count("cannot get away from (3.0, 2.5)"), 1);
    uint32_t failures = 0;
    for (uint32_t i = 0; i < tasking.avoided_count; i++) { failures += tasking.avoided[i].failure_count; }
    assert_int_equal(failures, 2);
    assert_false(tasking.done); // the goals are still there
}

// Robots do not always notice that they are stuck.
static void a_robot_that_does_not_get_on_gets_another_goal(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    step();
    assert_true(robot->assignment.target_m.x < 2);
    take(robot, CAIRN_TASK_UNDER_WAY);
    for (int i = 0; i < 50 && sent_count == 1; i++) {
        now.ns += CAIRN_MS(500);
        hear_all();
        step();
    }
    assert_int_equal(sent_count, 2);
    assert_true(robot->assignment.target_m.x > 8);
}

// Telemetry is always behind: what it says of the task before is not said of this one.
static void a_task_is_not_judged_by_telemetry_that_does_not_know_it(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    step();
    take(robot, CAIRN_TASK_NO_WAY);
    robot->map_T_base.x_m = 3.5;
    step();
    assert_int_equal(sent_count, 2); // the second task; telemetry says of the first that there is no way
    const uint32_t second = robot->assignment.task;
    for (int i = 0; i < 18; i++) { // the radio is slow: 9 s
        now.ns += CAIRN_MS(500);
        robot->telemetry.task_state = i % 2 ? CAIRN_TASK_NO_WAY : CAIRN_TASK_DONE;
        hear_all();
        step();
    }
    assert_int_equal(robot->assignment.task, second);
    assert_int_equal(sent_count, 2);
    take(robot, CAIRN_TASK_UNDER_WAY); // from now on it has its time
    for (int i = 0; i < 24; i++) {
        now.ns += CAIRN_MS(500);
        hear_all();
        step();
    }
    assert_int_equal(robot->assignment.task, second);
    take(robot, CAIRN_TASK_NO_WAY);
    step();
    assert_int_not_equal(robot->assignment.task, second);
}

// One that was started again knows nothing of its task. The goal is not to blame.
static void a_task_that_was_never_taken_is_given_again(void **unused)
{
    (void)unused;
    hall(true, false);
    const cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    for (int i = 0; i < 22; i++) {
        step();
        now.ns += CAIRN_MS(500);
        hear_all();
    }
    assert_int_equal(sent_count, 2);
    assert_int_equal(tasking.avoided_count, 0);
    assert_int_not_equal(robot->assignment.task, 0);
}

static void a_goal_that_has_come_to_be_known_is_over(void **unused)
{
    (void)unused;
    hall(true, true);
    const cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    step();
    place_paint(&atlas, (cairn_vec2){0.8, 1}, (cairn_vec2){1, 4}, CAIRN_GROUND_OBSTACLE, true);
    step();
    assert_int_equal(sent_count, 2);
    assert_true(robot->assignment.target_m.x > 8);
}

static void all_known_and_searched_is_done(void **unused)
{
    (void)unused;
    hall(false, false);
    (void)add_robot(3, 2.5);
    hear_all();
    step();
    assert_int_equal(sent_count, 0);
    assert_true(tasking.done);
}

// Known ground that no camera has looked at may hold a person.
static void ground_not_looked_at_is_work_and_is_looked_at(void **unused)
{
    (void)unused;
    hall(false, false);
    place_paint(&atlas, (cairn_vec2){7, 2}, (cairn_vec2){8, 3}, CAIRN_GROUND_FREE, false);
    const cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_false(tasking.done);
    assert_int_equal(sent[0].task.purpose, CAIRN_PURPOSE_LOOK);
    assert_int_not_equal(sent[0].task.end_yaw_mrad, CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN);
    // From where it is sent, facing as it is told, its camera sees the target.
    cairn_atlas_mark_searched(&atlas, CAIRN_PLACE_NONE, robot->assignment.goal, robot->assignment.goal,
                              &tasking.def.look);
    uint32_t x = 0, y = 0;
    assert_true(cairn_raster_cell_of(atlas.raster, robot->assignment.target_m, &x, &y));
    assert_int_not_equal(atlas.searched[(size_t)y * atlas.raster->def.width + x], 0);
}

// Who has been found is not looked for again: not around where they lie, and not by one on the way there.
static void ground_around_a_found_victim_is_not_looked_at_again(void **unused)
{
    (void)unused;
    hall(false, false);
    place_paint(&atlas, (cairn_vec2){7.1, 2.1}, (cairn_vec2){7.6, 2.6}, CAIRN_GROUND_FREE, false);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_int_equal(sent[0].task.purpose, CAIRN_PURPOSE_LOOK);
    take(robot, CAIRN_TASK_UNDER_WAY);
    victims.victim_count = 1;
    victims.victims[0].at_m = (cairn_vec2){7.35, 2.35};
    step();
    assert_int_equal(sent_count, 1);
    assert_int_equal(robot->assignment.task, 0);
    assert_int_equal(dropped_count, 1);
    assert_true(tasking.done);
}

// What an operator wants of a robot is not the team's to change.
static void an_operators_task_is_left_alone(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    robot->order.mode = CAIRN_MODE_WAYPOINT; // telemetry does not know yet
    robot->assignment = (cairn_assignment){.task = 5, .by_operator = true};
    hear_all();
    step();
    robot->telemetry.mode = CAIRN_MODE_WAYPOINT;
    step();
    assert_int_equal(robot->assignment.task, 5);
    assert_int_equal(sent_count, 0);
}

// It comes home by itself, or stands: what it was to do is for others.
static void a_robot_with_a_low_battery_is_sent_nowhere(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    robot->telemetry.guards = (uint16_t)(1u << CAIRN_LACK_LOW);
    hear_all();
    step();
    assert_int_equal(sent_count, 0);
    robot->telemetry.guards = 0;
    step();
    assert_int_equal(sent_count, 1);
}

// A map that nobody has drawn yet is no finished search.
static void an_empty_map_without_robots_is_not_done(void **unused)
{
    (void)unused;
    start(12, 6);
    step();
    assert_false(tasking.done);
}

static void a_much_nearer_free_robot_takes_a_goal_over(void **unused)
{
    (void)unused;
    hall(true, false);
    cairn_fleet_robot *far_away = add_robot(8, 2.5);
    cairn_fleet_robot *near = add_robot(2.5, 2.5);
    near->telemetry.mode = CAIRN_MODE_TELEOPERATED;
    hear_all();
    step();
    assert_int_not_equal(far_away->assignment.task, 0);
    far_away->telemetry.task = far_away->assignment.task;
    far_away->telemetry.task_state = CAIRN_TASK_UNDER_WAY;
    near->telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    step();
    assert_int_not_equal(far_away->assignment.task, 0); // just given: goals are not passed to and fro
    now.ns += CAIRN_S(5);
    hear_all();
    step();
    assert_int_not_equal(near->assignment.task, 0);
    assert_true(near->assignment.target_m.x < 2);
    assert_int_equal(told_count("takes the goal"), 1);
    assert_int_equal(far_away->assignment.task, 0);
    step();
    assert_int_equal(dropped_count, 1); // it does not go on to what is another's now
    step();
    assert_int_equal(dropped_count, 1);
}

static void a_robot_hardly_nearer_takes_nothing_over(void **unused)
{
    (void)unused;
    hall(true, false);
    const cairn_fleet_robot *first = add_robot(5, 1.8);
    cairn_fleet_robot *second = add_robot(4.4, 3.2);
    second->telemetry.mode = CAIRN_MODE_TELEOPERATED;
    hear_all();
    step();
    second->telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    step();
    assert_int_not_equal(first->assignment.task, 0);
    assert_int_equal(second->assignment.task, 0);
    assert_int_equal(sent_count, 1);
}

// A dead robot on its way to a place must not keep the others from it for ever.
static void the_goal_of_a_robot_that_fell_silent_goes_to_another(void **unused)
{
    (void)unused;
    hall(true, false);
    const cairn_fleet_robot *lost = add_robot(3, 2);
    cairn_fleet_robot *other = add_robot(7, 3.2);
    other->telemetry.mode = CAIRN_MODE_IDLE;
    hear_all();
    step();
    assert_int_not_equal(lost->assignment.task, 0);
    other->telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    now.ns += CAIRN_S(5);
    other->heard_at = now;
    step();
    assert_false(tasking.done);
    assert_int_not_equal(other->assignment.task, 0);
    assert_true(other->assignment.target_m.x < 2);
    assert_int_equal(told_count("is open to others"), 1);
}

// Likewise a robot that an operator has taken.
static void the_goal_of_a_robot_under_an_operator_goes_to_another(void **unused)
{
    (void)unused;
    hall(true, false);
    cairn_fleet_robot *driven = add_robot(3, 2);
    const cairn_fleet_robot *other = add_robot(7, 3.2);
    hear_all();
    step();
    assert_int_not_equal(driven->assignment.task, 0);
    driven->telemetry.mode = CAIRN_MODE_TELEOPERATED;
    step();
    assert_int_not_equal(other->assignment.task, 0);
}

// A corridor too narrow to pass in, and beyond it a room with the only frontier.
static void narrow_corridor(void)
{
    start(14, 4);
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){10, 2.2}, true);
    place_room(&atlas, (cairn_vec2){10, 1}, (cairn_vec2){12, 3}, true);
    place_paint(&atlas, (cairn_vec2){9.8, 1}, (cairn_vec2){10.2, 2.2}, CAIRN_GROUND_FREE, true);
    place_paint(&atlas, (cairn_vec2){12, 1.2}, (cairn_vec2){12.2, 2.8}, CAIRN_GROUND_UNKNOWN, true);
}

static void a_robot_in_anothers_only_way_is_sent_out_of_it(void **unused)
{
    (void)unused;
    narrow_corridor();
    const cairn_fleet_robot *waiting = add_robot(4, 1.6), *ahead = add_robot(6, 1.6);
    hear_all();
    step();
    assert_int_not_equal(ahead->assignment.task, 0);
    assert_true(ahead->assignment.goal.x_m > ahead->map_T_base.x_m + 0.5);
    assert_int_equal(waiting->assignment.task, 0);
    assert_false(tasking.done);
}

// One that has fallen silent hears nothing, and the air is not to be filled with tasks for it.
static void a_silent_robot_in_the_way_is_not_called_again_and_again(void **unused)
{
    (void)unused;
    narrow_corridor();
    cairn_fleet_robot *waiting = add_robot(4, 1.6);
    (void)add_robot(6, 1.6);
    hear_all();
    for (int i = 0; i < 4; i++) {
        now.ns += CAIRN_S(4);
        waiting->heard_at = now;
        step();
    }
    assert_int_equal(sent_count, 0);
    assert_false(tasking.done); // it may come back
}

static void only_autonomous_robots_that_are_heard_get_tasks(void **unused)
{
    (void)unused;
    hall(true, true);
    cairn_fleet_robot *robot = add_robot(3, 2.5);
    hear_all();
    for (int mode = 0; mode < CAIRN_MODE_AUTONOMOUS; mode++) {
        robot->telemetry.mode = (uint8_t)mode;
        step();
    }
    robot->telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    now.ns += CAIRN_S(4);
    step();
    robot->heard_at = now;
    robot->heard = false;
    step();
    assert_int_equal(sent_count, 0);
    assert_false(tasking.done);
}

// The robot knows only its own frame, and a task's points must be near enough to plan between.
static void a_task_is_a_chain_of_near_points_in_the_robots_own_frame(void **unused)
{
    (void)unused;
    start(150, 4); // longer than can be said in points 1.5 m apart
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){148, 3}, true);
    place_paint(&atlas, (cairn_vec2){148, 1.2}, (cairn_vec2){148.2, 2.8}, CAIRN_GROUND_UNKNOWN, true);
    cairn_fleet_robot *robot = add_robot(3, 2);
    const double turn = 2.0;
    robot->map_T_private = (cairn_pose2){5, -7, turn};
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    const cairn_msg_task *task = &sent[0].task;
    assert_true(task->via_x_mm_count >= 15 && task->via_x_mm_count <= CAIRN_VIAS_MAX);
    assert_int_equal(task->via_x_mm_count, task->via_y_mm_count);
    cairn_vec2 last = {3, 2};
    for (uint32_t i = 0; i < task->via_x_mm_count; i++) {
        const double x = task->via_x_mm[i] * 1e-3, y = task->via_y_mm[i] * 1e-3;
        const cairn_vec2 at = {5 + x * cos(turn) - y * sin(turn), -7 + x * sin(turn) + y * cos(turn)};
        assert_true(cairn_vec2_distance(last, at) <= 5.0 + 2e-3);
        assert_true(at.y > 1.25 && at.y < 2.75 && at.x > 1 && at.x < 148);
        last = at;
    }
    assert_true(fabs(last.x - robot->assignment.goal.x_m) < 2e-3 && fabs(last.y - robot->assignment.goal.y_m) < 2e-3);
    assert_true(last.x > 146);
}

// A showground is larger than one survey: what lies around the robot is looked at first, and the whole of it, in
// coarser cells, only when nothing is left there. The way is walked in parts.
static void a_large_ground_is_surveyed_near_first_and_then_whole(void **unused)
{
    (void)unused;
    start(300, 200); // 6 million cells
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){299, 199}, true);
    place_paint(&atlas, (cairn_vec2){299, 90}, (cairn_vec2){299.2, 96}, CAIRN_GROUND_UNKNOWN, true); // far away
    cairn_fleet_robot *robot = add_robot(10, 10);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_true(fabs(robot->assignment.target_m.x - 299) < 1.5 && fabs(robot->assignment.target_m.y - 93) < 4);
    const cairn_msg_task *task = &sent[0].task;
    for (uint32_t i = 1; i < task->via_x_mm_count; i++) {
        const double x_mm = task->via_x_mm[i] - task->via_x_mm[i - 1], y_mm = task->via_y_mm[i] - task->via_y_mm[i - 1];
        assert_true(hypot(x_mm, y_mm) < 5100);
    }
    (void)finish(NULL);

    start(300, 200);
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){299, 199}, true);
    place_paint(&atlas, (cairn_vec2){299, 90}, (cairn_vec2){299.2, 96}, CAIRN_GROUND_UNKNOWN, true);
    place_paint(&atlas, (cairn_vec2){0.8, 30}, (cairn_vec2){1, 31}, CAIRN_GROUND_UNKNOWN, true); // a narrow door, near
    robot = add_robot(10, 10);
    hear_all();
    step();
    assert_int_equal(sent_count, 1);
    assert_true(fabs(robot->assignment.target_m.x - 1) < 0.5 && fabs(robot->assignment.target_m.y - 30.5) < 0.5);
    assert_false(tasking.done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_robot_goes_to_the_nearest_frontier, finish),
        cmocka_unit_test_teardown(nothing_is_explored_or_crossed_where_no_robot_may_be, finish),
        cmocka_unit_test_teardown(no_via_point_lies_where_no_robot_may_be, finish),
        cmocka_unit_test_teardown(no_two_robots_go_to_one_frontier, finish),
        cmocka_unit_test_teardown(a_robot_without_a_frontier_of_its_own_is_sent_nowhere, finish),
        cmocka_unit_test_teardown(a_goal_without_a_way_is_tried_four_times_and_given_up, finish),
        cmocka_unit_test_teardown(a_robot_that_cannot_get_away_rests_and_leaves_goals_to_others, finish),
        cmocka_unit_test_teardown(a_robot_that_does_not_get_on_gets_another_goal, finish),
        cmocka_unit_test_teardown(a_task_is_not_judged_by_telemetry_that_does_not_know_it, finish),
        cmocka_unit_test_teardown(a_task_that_was_never_taken_is_given_again, finish),
        cmocka_unit_test_teardown(a_goal_that_has_come_to_be_known_is_over, finish),
        cmocka_unit_test_teardown(all_known_and_searched_is_done, finish),
        cmocka_unit_test_teardown(ground_not_looked_at_is_work_and_is_looked_at, finish),
        cmocka_unit_test_teardown(ground_around_a_found_victim_is_not_looked_at_again, finish),
        cmocka_unit_test_teardown(an_operators_task_is_left_alone, finish),
        cmocka_unit_test_teardown(a_robot_with_a_low_battery_is_sent_nowhere, finish),
        cmocka_unit_test_teardown(an_empty_map_without_robots_is_not_done, finish),
        cmocka_unit_test_teardown(a_much_nearer_free_robot_takes_a_goal_over, finish),
        cmocka_unit_test_teardown(a_robot_hardly_nearer_takes_nothing_over, finish),
        cmocka_unit_test_teardown(the_goal_of_a_robot_that_fell_silent_goes_to_another, finish),
        cmocka_unit_test_teardown(the_goal_of_a_robot_under_an_operator_goes_to_another, finish),
        cmocka_unit_test_teardown(a_robot_in_anothers_only_way_is_sent_out_of_it, finish),
        cmocka_unit_test_teardown(a_silent_robot_in_the_way_is_not_called_again_and_again, finish),
        cmocka_unit_test_teardown(only_autonomous_robots_that_are_heard_get_tasks, finish),
        cmocka_unit_test_teardown(a_task_is_a_chain_of_near_points_in_the_robots_own_frame, finish),
        cmocka_unit_test_teardown(a_large_ground_is_surveyed_near_first_and_then_whole, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
