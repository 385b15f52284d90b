// A robot that loses sight of where it is, and finds its place again on its own map: wheels that spin before bare
// walls, a laser that falls silent while somebody carries the robot off.
#include "../base/check.h"
#include "drive.h"
#include "robot/deliberate/tracker.h"

#define SEED 17

static const cairn_moving_things NOTHING_MOVES = {0};

static drive d;
static cairn_tracker tracker;
static cairn_own_map own_map;
static cairn_arena memory;

// A room whose middle has two bare walls; what tells the way stands at its ends.
static void furnish(void)
{
    d = (drive){.noise_m = 0.01};
    world_add_box(&d.walls, -4, 0, 6, 5);
    world_add_box(&d.walls, 4, 1.8, 4.8, 2.8);
    world_add_box(&d.walls, 4.6, 0, 5.2, 0.9);
    world_add_box(&d.walls, 4.3, 3.6, 4.5, 4.4);
    world_add_box(&d.walls, -3.5, 3.9, -2.4, 5);
    world_add_box(&d.walls, -2.6, 1.4, -2.2, 2.1);
    world_add_box(&d.walls, -2.9, 0.4, -2.6, 0.8);
}

static int start(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    furnish();
    world_add_box(&d.walls, 100, 100, 109, 104); // a place that it has never seen
    world_add_box(&d.walls, 102, 101, 102.5, 103);
    drive_init(&d, (cairn_pose2){0.5, 1.2, 0}, SEED);
    assert_ok(cairn_arena_create(&memory, 64 << 20));
    assert_ok(cairn_tracker_init(&tracker, &memory));
    assert_ok(cairn_own_map_init(&own_map, &memory));
    tracker.own_map = &own_map;
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void take_in(void)
{
    cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
    if (cairn_mono_since(tracker.believed_at, d.now) == 0 && cairn_hold_is_firm(&tracker.hold)) {
        cairn_own_map_add(&own_map, tracker.private_T_base, &tracker.points);
    }
}

// A tenth of a second in which the robot goes so fast, and its wheels so.
static void roll(double forward_mps, double turn_radps, double wheels_mps)
{
    for (int i = 0; i < 12; i++) {
        const cairn_pose2 odom_T_base = d.state.odom_T_base;
        drive_step(&d, forward_mps, turn_radps);
        d.state.odom_T_base =
            cairn_pose2_compose(odom_T_base, (cairn_pose2){wheels_mps * 0.008, 0, turn_radps * 0.008});
        d.state.recent[d.state.recent_count - 1].odom_T_base = d.state.odom_T_base;
    }
}

static void go(double forward_mps, double turn_radps, double wheels_mps)
{
    roll(forward_mps, turn_radps, wheels_mps);
    drive_scan(&d);
    take_in();
}

// Sees nothing but what is straight to its left and right: of a room, two bare walls along its way.
static void go_between_walls(double forward_mps, double wheels_mps)
{
    roll(forward_mps, 0, wheels_mps);
    drive_scan(&d);
    for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) {
        const double bearing_rad = (double)d.scan.angle_rad_first + (double)d.scan.angle_rad_step * beam;
        if (fabs(fabs(bearing_rad) - 0.5 * CAIRN_PI) > 0.3) { d.scan.range_m[beam] = NAN; }
    }
    take_in();
}

static void look_round(void)
{
    drive_scan(&d);
    take_in();
    for (int i = 0; i < 62; i++) { go(0, 1.023, 0); }
    for (int i = 0; i < 10; i++) { go(0.2, 0, 0.2); }
}

static double error_m(void)
{
    const cairn_pose2 off = cairn_pose2_between(drive_private(&d), cairn_tracker_pose(&tracker, &d.state));
    return cairn_vec2_length(cairn_pose2_at(off));
}

// In a ditch: its sides are slippery, and the nose in the air sees only what is beside the robot. Every such scan fits.
static void wheels_that_spin_before_bare_walls_do_not_carry_the_place_off(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 10; i++) { go(0, 0, 0.5); }
    assert_true(tracker.slip.slips);
    d.state.pitch_rad = -0.35;
    for (int i = 0; i < 60; i++) { go_between_walls(0, 0.5); } // 3 m by the wheels
    assert_true(tracker.slip.slips);                           // nobody has seen the wheels grip
    printf("off by %.3f m, said to be by %.3f m\n", error_m(), cairn_hold_deviation_m(&tracker.hold));
    assert_true(tracker.hold.doubtful);
    d.state.pitch_rad = 0;
    for (int i = 0; i < 15; i++) { go(0, 0, 0); }
    printf("then by %.3f m\n", error_m());
    assert_true(error_m() < 0.06);
    assert_false(tracker.hold.doubtful);
}

// Wheels that slipped, and stand now, carry nobody off: standing must not make a place more doubtful, or the robot
// stands for good.
static void who_stands_after_a_slip_does_not_doubt_its_place_ever_more(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 4; i++) { go(0, 0, 0.3); }
    assert_true(tracker.slip.slips);
    d.state.pitch_rad = -0.2;
    for (int i = 0; i < 5; i++) { go_between_walls(0, 0); }
    const double before_m = cairn_hold_deviation_m(&tracker.hold);
    for (int i = 0; i < 300; i++) { go_between_walls(0, 0); }
    const double after_m = cairn_hold_deviation_m(&tracker.hold);
    printf("in doubt by %.3f m, and by %.3f m half a minute later\n", before_m, after_m);
    assert_true(tracker.slip.slips);
    assert_true(after_m < before_m + 0.25);
}

// The side of a ditch that is no steeper than a ramp, but slippery: scans that say nothing of the way end no slip
// there.
static void wheels_that_spin_on_a_gentle_slope_do_not_carry_the_place_off(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 10; i++) { go(0, 0, 0.5); }
    assert_true(tracker.slip.slips);
    d.state.pitch_rad = -0.2;
    for (int i = 0; i < 60; i++) { go_between_walls(0, 0.5); } // 3 m by the wheels
    printf("off by %.3f m, said to be by %.3f m\n", error_m(), cairn_hold_deviation_m(&tracker.hold));
    assert_true(tracker.slip.slips && tracker.hold.doubtful);
    assert_true(error_m() < 0.3);
    d.state.pitch_rad = 0;
    for (int i = 0; i < 15; i++) { go(0, 0, 0); }
    assert_true(error_m() < 0.06);
}

// Climbs the side of a ditch, nose up: it sees nothing that it knows, and its wheels spin before anybody has seen them
// slip.
static void climb_in_vain(void)
{
    roll(0, 0, 0.5);
    drive_scan(&d);
    for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) { d.scan.range_m[beam] = NAN; }
    take_in();
}

// What no scan has told of a way on a slope may be no way. Taken for as good as on level ground, the place would be
// drawn anew where the wheels say, and then match what was drawn.
static void wheels_that_spin_unseen_on_a_slope_do_not_carry_the_place_off(void **unused)
{
    (void)unused;
    look_round();
    d.state.pitch_rad = -0.2;
    for (int i = 0; i < 16; i++) { climb_in_vain(); } // 0.8 m by the wheels
    printf("off by %.3f m, said to be by %.3f m\n", error_m(), cairn_hold_deviation_m(&tracker.hold));
    assert_true(cairn_hold_deviation_m(&tracker.hold) > 0.4 * error_m());
    d.state.pitch_rad = 0;
    for (int i = 0; i < 12; i++) { go(0, 0, 0); }
    assert_true(tracker.hold.doubtful || error_m() < 0.5); // a look at its own map has told it otherwise
    for (int i = 0; i < 40; i++) { go(0, 0, 0); }
    printf("then by %.3f m\n", error_m());
    assert_true(error_m() < 0.06);
    assert_false(tracker.hold.doubtful);
}

// Wheels that grip on level ground are off by little, whatever scans tell.
static void scans_that_tell_nothing_on_level_ground_make_no_doubt(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 16; i++) { climb_in_vain(); }
    printf("said to be off by %.3f m\n", cairn_hold_deviation_m(&tracker.hold));
    assert_true(cairn_hold_deviation_m(&tracker.hold) < 0.1);
}

// Nose down by this, in a ditch of 20 cm: the ground about it is met ahead.
static void stand_in_ditch(double pitch_rad)
{
    roll(0, 0, 0);
    drive_scan(&d);
    const double above_m = 0.33 - 0.16 * sin(pitch_rad) - 0.2;
    for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) {
        const double bearing_rad = (double)d.scan.angle_rad_first + (double)d.scan.angle_rad_step * beam;
        const double down = sin(pitch_rad) * cos(bearing_rad);
        if (down > 0.001) { d.scan.range_m[beam] = fminf(d.scan.range_m[beam], (float)(above_m / down)); }
    }
    d.state.pitch_rad = pitch_rad;
    take_in();
}

// It rocks a little, and the line where its laser meets the ground moves by a metre to and fro. The robot does not.
static void a_robot_that_rocks_in_a_ditch_does_not_hold_on_to_the_ground_about_it(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 20; i++) { stand_in_ditch(0.15); }
    double off_m_max = 0;
    for (int i = 0; i < 200; i++) {
        stand_in_ditch(0.055 + 0.02 * sin(0.15 * i));
        off_m_max = fmax(off_m_max, error_m());
    }
    printf("off by at most %.3f m, said to be by %.3f m\n", off_m_max, cairn_hold_deviation_m(&tracker.hold));
    assert_true(off_m_max < 0.06);
    assert_false(tracker.hold.doubtful);
}

// Between two tries to get up it stands: wheels that stand agree with any scan, and prove no grip.
static void a_pause_on_a_slope_ends_no_slip(void **unused)
{
    (void)unused;
    look_round();
    d.state.pitch_rad = -0.2;
    for (int i = 0; i < 10; i++) { go(0, 0, 0.5); }
    assert_true(tracker.slip.slips);
    for (int i = 0; i < 20; i++) { go(0, 0, 0); }
    assert_true(tracker.slip.slips);
    for (int i = 0; i < 40; i++) { go_between_walls(0, 0.3); } // 1.2 m by the wheels
    printf("off by %.3f m, said to be by %.3f m\n", error_m(), cairn_hold_deviation_m(&tracker.hold));
    assert_true(error_m() < 0.3 && tracker.hold.doubtful);
    for (int i = 0; i < 10; i++) { go(0.3, 0, 0.3); } // and now they grip
    assert_false(tracker.slip.slips);
}

static uint32_t hit_count(const cairn_scan_points *points)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count; i++) { count += points->hit[i]; }
    return count;
}

// On a gentle slope half of the laser's plane is above ordinary walls within a few metres: what stands there holds the
// place all the same.
static void a_robot_that_leans_a_little_matches_by_what_is_above_walls_too(void **unused)
{
    (void)unused;
    look_round();
    d.state.pitch_rad = -0.2;
    go(0, 0, 0);
    printf("drawn %u, matched %u\n", hit_count(&tracker.points), hit_count(&tracker.tall));
    assert_true(hit_count(&tracker.tall) > hit_count(&tracker.points) + 100);
}

// Nose up: much of what it sees is above walls, and little beside it is not.
static void stand_nose_up(void)
{
    roll(0, 0, 0);
    drive_scan(&d);
    for (uint32_t beam = 0; beam < d.scan.beam_count; beam++) {
        const double away_rad = fabs((double)d.scan.angle_rad_first + (double)d.scan.angle_rad_step * beam);
        if (away_rad > 1.2 && (away_rad < 1.53 || away_rad > 1.61)) { d.scan.range_m[beam] = NAN; }
    }
    d.state.pitch_rad = -0.3;
    take_in();
}

// Standing on a slope longer than its map remembers, it has drawn nothing of what is above walls: that counts neither
// for nor against its place, or it would doubt, and never find, a place that it has not left.
static void a_robot_that_leans_for_long_still_knows_its_place(void **unused)
{
    (void)unused;
    look_round();
    for (int i = 0; i < 300; i++) { stand_nose_up(); }
    const uint32_t refused = tracker.refused_count;
    for (int i = 0; i < 100; i++) { stand_nose_up(); }
    printf("off by %.3f m, %u scans not believed\n", error_m(), tracker.refused_count - refused);
    assert_int_equal(tracker.refused_count, refused);
    assert_true(!tracker.hold.doubtful && error_m() < 0.03);
}

static void carry_to(cairn_pose2 map_T_base, double for_s)
{
    for (int i = 0; i < (int)(for_s / 0.008); i++) {
        d.now.ns += CAIRN_MS(8);
        drive_push(&d, map_T_base);
    }
}

// Nobody goes 4 m in a second: what contradicts the map, scan after scan, makes the place as doubtful as once does.
static void scans_that_contradict_the_map_make_no_doubt_that_grows_without_end(void **unused)
{
    (void)unused;
    look_round();
    carry_to((cairn_pose2){106, 102, 0.3}, 0.5);
    for (int i = 0; i < 50; i++) { go(0, 0, 0); }
    printf("said to be off by %.3f m\n", cairn_hold_deviation_m(&tracker.hold));
    assert_true(tracker.hold.doubtful);
    assert_true(cairn_hold_deviation_m(&tracker.hold) < 2);
}

// The wheels begin to slip when nothing tells. On steep ground they may have, so that the place is doubted: and found.
static void a_place_that_went_astray_unseen_is_found_again_on_the_own_map(void **unused)
{
    (void)unused;
    look_round();
    d.state.pitch_rad = -0.35;
    for (int i = 0; i < 40; i++) { go_between_walls(0, 0.5); } // 2 m by the wheels
    printf("off by %.3f m, said to be by %.3f m\n", error_m(), cairn_hold_deviation_m(&tracker.hold));
    assert_true(error_m() > 1 && tracker.hold.doubtful);
    d.state.pitch_rad = 0;
    for (int i = 0; i < 60; i++) { go(0, 0, 0); }
    assert_true(error_m() > 1);                       // farther off than it says: one spot is not believed
    for (int i = 0; i < 60; i++) { go(0.3, 0, 0.3); } // but it is once the robot goes on
    printf("then by %.3f m\n", error_m());
    assert_true(error_m() < 0.06);
}

// The map that it draws anew has next to nothing to match by: it is drawn on, and matched again within a second. Until
// then it must not be forgotten again.
static void who_finds_its_place_in_a_turn_does_not_lose_it_to_its_new_map(void **unused)
{
    (void)unused;
    look_round();
    const uint32_t before = tracker.rejoined_count, refused = tracker.refused_count;
    cairn_hold_lose(&tracker.hold, 0.6);
    for (int i = 0; i < 60; i++) {
        go(0, 1.0, 0);
        assert_false(tracker.hold.doubtful);
    }
    printf("%u scans not believed, off by %.3f m\n", tracker.refused_count - refused, error_m());
    assert_int_equal(tracker.rejoined_count, before + 1);
    assert_true(tracker.refused_count - refused < 10 && error_m() < 0.06);
}

// A laser that is silent for half a minute, and a robot that was pushed meanwhile.
static void a_robot_that_was_blind_finds_its_place_before_it_draws(void **unused)
{
    (void)unused;
    look_round();
    const cairn_pose2 at = drive_truth(&d);
    carry_to((cairn_pose2){at.x_m + 0.9, at.y_m - 0.3, at.yaw_rad}, 30);
    for (int i = 0; i < 120; i++) { go(0, 0, 0); }
    printf("off by %.3f m\n", error_m());
    assert_true(error_m() < 0.06);
    assert_false(tracker.hold.doubtful);
}

static void a_robot_that_sees_nothing_it_knows_stays_in_doubt_and_leaves_its_own_map_alone(void **unused)
{
    (void)unused;
    look_round();
    const cairn_pose2 drawn = own_map.drawn_at;
    carry_to((cairn_pose2){106, 102, 0.3}, 30);
    for (int i = 0; i < 100; i++) { go(0.2, 0.2, 0.2); }
    assert_true(tracker.hold.doubtful);
    assert_memory_equal(&own_map.drawn_at, &drawn, sizeof drawn);
}

// A ridge on which wheels slip makes a place unsure by a hand's breadth or two. Behind it lies ground that the robot
// has never seen: no search on its own map could make it sure again, and what it sees there must be told all the same.
static void who_goes_on_to_new_ground_a_little_astray_draws_again_and_says_how_far_off(void **unused)
{
    (void)unused;
    d = (drive){.noise_m = 0.01};
    world_add(&d.walls, 0, 0, 10, 0); // east, then north, then west: no part is seen from the one before the last
    world_add(&d.walls, 10, 0, 10, 12);
    world_add(&d.walls, 10, 12, -6, 12);
    world_add(&d.walls, 8, 2, 0, 2);
    world_add(&d.walls, 8, 2, 8, 10);
    world_add(&d.walls, 8, 10, -6, 10);
    world_add(&d.walls, 0, 0, 0, 2);
    world_add(&d.walls, -6, 10, -6, 12);
    for (double x = 1; x < 8; x += 1.7) { world_add_box(&d.walls, x, 1.7, x + 0.4, 2); }
    for (double y = 3; y < 10; y += 1.9) { world_add_box(&d.walls, 8, y, 8.3, y + 0.5); }
    for (double x = -5; x < 8; x += 1.6) { world_add_box(&d.walls, x, 10, x + 0.5, 10.3); }
    drive_init(&d, (cairn_pose2){0.6, 0.9, 0}, SEED);
    for (int i = 0; i < 160; i++) { go(0.5, 0, 0.5); }    // 7.7 m east
    for (int i = 0; i < 16; i++) { go(0.2, 1.023, 0.2); } // and round the corner
    for (int i = 0; i < 150; i++) { go(0.5, 0, 0.5); }    // 7.2 m north
    const double seen_x_m = own_map.drawn_at.x_m;
    cairn_drift_begin(&tracker.drift);
    for (int i = 0; i < 96; i++) { // round the next corner, over ridges on which it slips
        tracker.hold.astray_m = 0.3;
        tracker.rejoin_tried = d.now;
        const bool turns = i >= 50 && i < 66;
        go(turns ? 0.2 : 0.5, turns ? 1.023 : 0, turns ? 0.2 : 0.5);
    }
    for (int i = 0; i < 90; i++) { go(0.5, 0, 0.5); } // 4.3 m west
    const cairn_vec2 drawn_m = cairn_pose2_at(own_map.drawn_at);
    printf("off by %.3f m, astray by %.3f m, kept %.3f m, drawn at (%.1f, %.1f), edge off by %.3f m\n", error_m(),
           tracker.hold.astray_m, tracker.hold.kept_m, drawn_m.x, drawn_m.y, cairn_drift_edge(&tracker.drift).way_m);
    assert_true(cairn_hold_is_firm(&tracker.hold));
    assert_true(drawn_m.x < seen_x_m - 4);
    assert_true(tracker.hold.kept_m >= 0.3);
    assert_true(cairn_drift_edge(&tracker.drift).way_m >= 0.3);
}

static void a_bare_wall_does_not_make_a_loose_place_sure_and_a_room_does(void **unused)
{
    (void)unused;
    cairn_hold hold = {0};
    cairn_hold_carry(&hold, (cairn_hold_way){.spun_m = 1});
    assert_true(hold.doubtful);
    const cairn_match wall = {.information = {0, 0, 0, 0, 2e5, 0, 0, 0, 1e5}};
    cairn_hold_match(&hold, &wall);
    assert_true(hold.doubtful && cairn_hold_deviation_m(&hold) == 1);
    const cairn_match room = {.information = {1e5, 0, 0, 0, 2e5, 0, 0, 0, 1e5}};
    cairn_hold_match(&hold, &room);
    assert_false(hold.doubtful);
    cairn_hold_carry(&hold, (cairn_hold_way){.spun_m = 1});
    cairn_hold_draw(&hold); // from here on the local map is as wrong as the place
    cairn_hold_match(&hold, &room);
    assert_true(hold.doubtful);
    cairn_hold_rejoin(&hold);
    assert_false(hold.doubtful);
}

// The laser, or the lean by which it is levelled, may lie as well as the wheels.
static void a_slide_of_half_a_metre_on_standing_wheels_is_doubted_until_the_own_map_tells(void **unused)
{
    (void)unused;
    cairn_hold place = {0};
    for (int i = 0; i < 1000; i++) { cairn_hold_slide(&place, 0.005); }
    assert_true(cairn_hold_is_firm(&place)); // noise
    for (int i = 0; i < 30; i++) { cairn_hold_slide(&place, 0.02); }
    assert_true(place.doubtful);
    cairn_hold_rejoin(&place);
    assert_false(place.doubtful);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wheels_that_spin_before_bare_walls_do_not_carry_the_place_off, start, finish),
        cmocka_unit_test_setup_teardown(who_stands_after_a_slip_does_not_doubt_its_place_ever_more, start, finish),
        cmocka_unit_test_setup_teardown(wheels_that_spin_on_a_gentle_slope_do_not_carry_the_place_off, start, finish),
        cmocka_unit_test_setup_teardown(wheels_that_spin_unseen_on_a_slope_do_not_carry_the_place_off, start, finish),
        cmocka_unit_test_setup_teardown(scans_that_tell_nothing_on_level_ground_make_no_doubt, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_rocks_in_a_ditch_does_not_hold_on_to_the_ground_about_it, start,
                                        finish),
        cmocka_unit_test_setup_teardown(a_pause_on_a_slope_ends_no_slip, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_leans_a_little_matches_by_what_is_above_walls_too, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_leans_for_long_still_knows_its_place, start, finish),
        cmocka_unit_test_setup_teardown(scans_that_contradict_the_map_make_no_doubt_that_grows_without_end, start,
                                        finish),
        cmocka_unit_test_setup_teardown(a_place_that_went_astray_unseen_is_found_again_on_the_own_map, start, finish),
        cmocka_unit_test_setup_teardown(who_finds_its_place_in_a_turn_does_not_lose_it_to_its_new_map, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_was_blind_finds_its_place_before_it_draws, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_sees_nothing_it_knows_stays_in_doubt_and_leaves_its_own_map_alone,
                                        start, finish),
        cmocka_unit_test_setup_teardown(who_goes_on_to_new_ground_a_little_astray_draws_again_and_says_how_far_off,
                                        start, finish),
        cmocka_unit_test(a_bare_wall_does_not_make_a_loose_place_sure_and_a_room_does),
        cmocka_unit_test(a_slide_of_half_a_metre_on_standing_wheels_is_doubted_until_the_own_map_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
