// Wheels that spin or slide, and how sure a robot is of its way: against where it truly is, in rooms made of segments.
#include "../base/check.h"
#include "drive.h"
#include "robot/deliberate/tracker.h"

#define SEED 11
#define NODE_SCANS 12 // a node about every 1.25 s

static const cairn_moving_things NOTHING_MOVES = {0};

static drive d;
static cairn_tracker tracker;
static cairn_arena memory;

// Two bare walls, so long that their ends are out of the laser's sight.
static void furnish_corridor(void)
{
    d = (drive){.noise_m = 0.01};
    world_add(&d.walls, -60, 0, 90, 0);
    world_add(&d.walls, -60, 2.4, 90, 2.4);
}

static void begin(cairn_pose2 at, uint64_t seed)
{
    drive_init(&d, at, seed);
    assert_ok(cairn_arena_create(&memory, 40 << 20));
    assert_ok(cairn_tracker_init(&tracker, &memory));
}

static int start(void **unused)
{
    (void)unused;
    drive_furnish_room(&d);
    begin((cairn_pose2){1.5, 1.2, 0.3}, SEED);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void track(void)
{
    drive_scan(&d);
    cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
}

// A tenth of a second, then a scan. The wheels say part of the true way, or more than it.
static void go(double forward_mps, double turn_radps, double wheels_mps)
{
    for (int i = 0; i < 12; i++) {
        const cairn_pose2 odom_T_base = d.state.odom_T_base;
        drive_step(&d, forward_mps, turn_radps);
        const cairn_pose2 felt = {wheels_mps * 0.008, 0, (turn_radps + d.bias_radps) * 0.008};
        d.state.odom_T_base = cairn_pose2_compose(odom_T_base, felt);
        d.state.recent[d.state.recent_count - 1].odom_T_base = d.state.odom_T_base;
    }
    track();
}

static double error_m(void)
{
    const cairn_pose2 off = cairn_pose2_between(drive_private(&d), cairn_tracker_pose(&tracker, &d.state));
    return cairn_vec2_length(cairn_pose2_at(off));
}

// Rounds of the room's boxes: straight on, and turns of 90 degrees on the spot.
static void go_round(int i, double wheels_factor)
{
    const bool straight = i % 66 < 50;
    go(straight ? 0.5 : 0, straight ? 0 : 1.023, straight ? 0.5 * wheels_factor : 0);
}

// An alarm that rings on carpet is not heard on ice.
static void wheels_that_grip_are_not_said_to_slip(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    d.bias_radps = 0.01;
    track();
    for (int i = 0; i < 600; i++) {
        go_round(i, 1 + 0.05 * cairn_random_gauss(&d.random));
        assert_false(tracker.slip.slips);
    }
}

// Half a metre a second by the wheels, 5 cm a second in truth: without the laser it would be 4.5 m off.
static void a_robot_whose_wheels_spin_knows_that_it_hardly_moves(void **unused)
{
    (void)unused;
    track();
    for (int i = 0; i < 20; i++) { go(0.2, 0, 0.2); }
    int found_after = 0;
    for (int i = 0; i < 100; i++) {
        go(0.05, 0, 0.5);
        if (!tracker.slip.slips) { found_after = i + 1; }
        assert_true(error_m() < 0.06);
    }
    printf("found after %d scans, %.2f m lost\n", found_after, tracker.slip.lost_m);
    assert_true(found_after <= 3);
    assert_true(fabs(tracker.slip.lost_m - 4.3) < 0.5);
    assert_true(tracker.slip.spin_s > 8); // and the navigator is told that nothing comes of it
    for (int i = 0; i < 15; i++) { go(0.2, 0, 0.2); }
    assert_false(tracker.slip.slips);
    assert_true(tracker.slip.spin_s == 0);
}

// Wheels that spun before and after a time of which no scan tells need not have spun all the while.
static void spinning_is_counted_only_while_scans_show_it(void **unused)
{
    (void)unused;
    track();
    for (int i = 0; i < 20; i++) { go(0.2, 0, 0.2); }
    for (int i = 0; i < 20; i++) { go(0, 0, 0.5); }
    assert_true(tracker.slip.spin_s > 1);
    for (int i = 0; i < 100; i++) { drive_step(&d, 0, 0); } // the laser is silent for 0.8 s
    go(0, 0, 0.5);
    assert_true(tracker.slip.spin_s == 0);
    for (int i = 0; i < 20; i++) { go(0, 0, 0.5); }
    assert_true(tracker.slip.spin_s > 1);
    drive_scan(&d);
    for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) { d.scan.range_m[beam] = NAN; }
    cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
    assert_true(tracker.slip.spin_s == 0);
}

// Braked wheels on a wet floor: they say that the robot stands.
static void a_robot_that_slides_while_its_wheels_stand_knows_that_it_moves(void **unused)
{
    (void)unused;
    track();
    for (int i = 0; i < 20; i++) { go(0.4, 0, 0.4); }
    for (int i = 0; i < 20; i++) {
        go(0.4, 0, 0);
        assert_true(error_m() < 0.06);
    }
    assert_true(tracker.slip.slips);
    assert_true(tracker.slip.spin_s == 0); // it goes somewhere
}

static void a_standing_robot_neither_slips_nor_gets_less_sure(void **unused)
{
    (void)unused;
    track();
    for (int i = 0; i < 20; i++) { go(0.3, 0, 0.3); }
    go(0, 0, 0); // the scan before was older than now
    cairn_drift_begin(&tracker.drift);
    const cairn_guess_deviation at_once = cairn_drift_edge(&tracker.drift);
    for (int i = 0; i < 200; i++) { go(0, 0, 0); }
    const cairn_guess_deviation later = cairn_drift_edge(&tracker.drift);
    assert_false(tracker.slip.slips);
    assert_true(later.way_m == at_once.way_m && later.turn_rad == at_once.turn_rad);
}

static double edge_after_m(int scans)
{
    track();
    cairn_drift_begin(&tracker.drift);
    for (int i = 0; i < scans; i++) { go(0.5, 0, 0.5); }
    return cairn_drift_edge(&tracker.drift).way_m;
}

// What says nothing of the way leaves it to the wheels, and they are worse than the laser.
static void a_bare_corridor_makes_an_edge_less_sure_than_a_room(void **unused)
{
    (void)unused;
    const double room_m = edge_after_m(NODE_SCANS);
    finish(unused);
    furnish_corridor();
    begin((cairn_pose2){0, 1.1, 0}, SEED);
    const double corridor_m = edge_after_m(NODE_SCANS);
    printf("room %.4f m, corridor %.4f m\n", room_m, corridor_m);
    assert_true(corridor_m > 3 * room_m);
}

// The laser is silent: every scan without a match makes the edge less sure, and the first match makes up for it.
static void scans_without_a_match_make_an_edge_less_sure_until_one_matches(void **unused)
{
    (void)unused;
    track();
    for (int i = 0; i < 20; i++) { go(0.3, 0, 0.3); }
    const double sure_m = cairn_drift_edge(&tracker.drift).way_m;
    double before_m = sure_m;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 12; k++) { drive_step(&d, 0.3, 0); }
        drive_scan(&d);
        for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) { d.scan.range_m[beam] = NAN; }
        cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
        assert_true(cairn_drift_edge(&tracker.drift).way_m > before_m);
        before_m = cairn_drift_edge(&tracker.drift).way_m;
    }
    go(0.3, 0, 0.3);
    assert_true(cairn_drift_edge(&tracker.drift).way_m < 1.1 * sure_m);
}

// Sums of squared errors of edges over their variances.
typedef struct edge_chi2 {
    double way, turn; // of one dimension each
    uint32_t count;
} edge_chi2;

static void add_edge(edge_chi2 *sum, cairn_pose2 true_edge, cairn_pose2 edge)
{
    const cairn_guess_deviation deviation = cairn_drift_edge(&tracker.drift);
    const cairn_pose2 off = cairn_pose2_between(true_edge, edge);
    sum->way += (off.x_m * off.x_m + off.y_m * off.y_m) / (2 * deviation.way_m * deviation.way_m);
    sum->turn += off.yaw_rad * off.yaw_rad / (deviation.turn_rad * deviation.turn_rad);
    sum->count++;
}

// Where the robot truly was at the time of the last scan.
static cairn_pose2 true_pose(void) { return cairn_pose2_between(d.start, drive_truth_at(&d, tracker.points_at)); }

static edge_chi2 edges_of(uint64_t seed)
{
    edge_chi2 sum = {0};
    begin((cairn_pose2){1.5, 1.2, 0.3}, seed);
    d.bias_radps = 0.004 * cairn_random_gauss(&d.random);
    track();
    cairn_pose2 node = tracker.private_T_base, true_node = true_pose();
    cairn_drift_begin(&tracker.drift);
    for (int i = 0; i < 300; i++) {
        const bool on_ice = i % 100 > 80;
        go_round(i, on_ice ? 2 : 1.01 + 0.05 * cairn_random_gauss(&d.random));
        if (i % NODE_SCANS != NODE_SCANS - 1) { continue; }
        add_edge(&sum, cairn_pose2_between(true_node, true_pose()), cairn_pose2_between(node, tracker.private_T_base));
        node = tracker.private_T_base;
        true_node = true_pose();
        cairn_drift_begin(&tracker.drift);
    }
    cairn_arena_destroy(&memory);
    return sum;
}

// The station's graph weighs closures against edges by these deviations: too sure, and closures are refused; too
// doubtful, and the map is bent to every closure.
static void errors_of_edges_are_as_large_as_their_deviations_say(void **unused)
{
    finish(unused); // each drive has a memory of its own
    edge_chi2 all = {0};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const edge_chi2 one = edges_of(seed);
        all.way += one.way;
        all.turn += one.turn;
        all.count += one.count;
    }
    printf("looseness %.3f\n", tracker.slip.looseness);
    printf("%u edges: squared errors over variances: way %.2f, turn %.2f\n", all.count, all.way / all.count,
           all.turn / all.count);
    assert_true(all.way > 0.3 * all.count && all.way < 3 * all.count);
    assert_true(all.turn > 0.3 * all.count && all.turn < 3 * all.count);
    begin((cairn_pose2){1.5, 1.2, 0.3}, SEED);
}

// On a slope only wheels that turn prove a grip; but a grip that was proved on level ground, however long, ends no slip
// there: who slides down a ditch's side with wheels that stand would never be said to.
static void a_robot_that_slides_down_a_slope_is_said_to_slip_however_well_it_gripped_before(void **unused)
{
    (void)unused;
    cairn_match match = {.information = {1e6, 0, 0, 0, 1e6, 0, 0, 0, 1e6}};
    cairn_slip slip;
    cairn_slip_init(&slip);
    cairn_slip_evidence evidence = {
        .match = &match, .prior_m = 0.005, .wheels_m = 0.005, .along_m = 0.05, .step_s = 0.1, .slopes = false};
    for (int i = 0; i < 100; i++) { cairn_slip_judge(&slip, &evidence); }
    assert_false(slip.slips);
    evidence.slopes = true;
    evidence.along_m = 0;
    match.pose.y_m = 0.03;
    for (int i = 0; i < 3; i++) { cairn_slip_judge(&slip, &evidence); }
    assert_true(slip.slips);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wheels_that_grip_are_not_said_to_slip, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_whose_wheels_spin_knows_that_it_hardly_moves, start, finish),
        cmocka_unit_test_setup_teardown(spinning_is_counted_only_while_scans_show_it, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_slides_while_its_wheels_stand_knows_that_it_moves, start, finish),
        cmocka_unit_test(a_robot_that_slides_down_a_slope_is_said_to_slip_however_well_it_gripped_before),
        cmocka_unit_test_setup_teardown(a_standing_robot_neither_slips_nor_gets_less_sure, start, finish),
        cmocka_unit_test_setup_teardown(a_bare_corridor_makes_an_edge_less_sure_than_a_room, start, finish),
        cmocka_unit_test_setup_teardown(scans_without_a_match_make_an_edge_less_sure_until_one_matches, start, finish),
        cmocka_unit_test_setup_teardown(errors_of_edges_are_as_large_as_their_deviations_say, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
