// Tracks: one person one track, reports when they say something new, and what is given up.
#include "../base/check.h"
#include "scene.h"

#define SEED 17

static cairn_arena arena;

static cairn_victim_tracks *make_tracks(void)
{
    const cairn_victim_tracks_def def = cairn_victim_tracks_def_default();
    cairn_arena_reset(&arena, 0);
    cairn_victim_tracks *tracks = NULL;
    assert_ok(cairn_victim_tracks_create(&def, &arena, &tracks));
    return tracks;
}

static cairn_mono at_s(double s) { return (cairn_mono){cairn_ns_from_seconds(s)}; }

static cairn_victim_sighting seen_at(double x, double y)
{
    return (cairn_victim_sighting){.at_m = {x, y, 0.4}, .deviation_m = 0.15, .celsius_max = 33};
}

static void add_one(cairn_victim_tracks *tracks, double x, double y, double time_s)
{
    const cairn_victim_sighting sighting = seen_at(x, y);
    cairn_victim_tracks_add(tracks, &sighting, 1, at_s(time_s));
}

// The mean of n sightings is surer than one by the root of n: the noise here is 0.15 m, after 60 it is 0.02 m.
static void many_sightings_average(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/average");
    for (int round = 0; round < 20; round++) {
        cairn_victim_tracks *tracks = make_tracks();
        for (int i = 0; i < 60; i++) {
            add_one(tracks, 3 + 0.15 * cairn_random_gauss(&random), -2 + 0.15 * cairn_random_gauss(&random), i);
        }
        assert_int_equal(cairn_victim_tracks_count(tracks), 1);
        const cairn_victim_track *track = cairn_victim_tracks_get(tracks, 0);
        assert_int_equal(track->frame_count, 60);
        assert_true(hypot(track->at_m.x - 3, track->at_m.y + 2) < 0.12);
        assert_true(track->deviation_m < 0.08);
        assert_true(track->confidence > 0.9);
    }
}

static void who_lies_still_is_reported_after_a_second_and_then_only_with_news(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report;
    add_one(tracks, 1, 1, 0);
    add_one(tracks, 1.02, 1, 0.5);
    assert_false(cairn_victim_tracks_take_report(tracks, &report));
    add_one(tracks, 1, 1.02, 1);
    assert_true(cairn_victim_tracks_take_report(tracks, &report));
    assert_int_equal(report.id, 1);
    assert_int_equal(report.frame_count, 3);
    assert_float_equal(report.at_m.x, 1, 0.05);
    assert_false(cairn_victim_tracks_take_report(tracks, &report));

    // Once more when much surer, then no more, however long it is looked at.
    int report_count = 0;
    for (int i = 0; i < 100; i++) {
        add_one(tracks, 1, 1, 1 + 0.1 * i);
        report_count += cairn_victim_tracks_take_report(tracks, &report);
    }
    assert_int_equal(report_count, 1);

    // The frame drifts, or the person does: reported when the place is more than 0.25 m from the one that was told.
    for (int i = 0; i < 200 && report_count < 2; i++) {
        add_one(tracks, 1.4, 1, 20 + 0.1 * i);
        report_count += cairn_victim_tracks_take_report(tracks, &report);
    }
    assert_int_equal(report_count, 2);
    assert_float_equal(report.at_m.x, 1.26, 0.02);
    assert_int_equal(report.id, 1);
}

// A robot that drives by sees somebody for half a second only: it is told when that is over.
static void a_glimpse_is_reported_when_it_is_over(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report;
    for (int i = 0; i < 5; i++) { add_one(tracks, 1, 1, 0.12 * i); }
    assert_false(cairn_victim_tracks_take_report(tracks, &report));
    cairn_victim_tracks_add(tracks, NULL, 0, at_s(1.6));
    assert_true(cairn_victim_tracks_take_report(tracks, &report));
}

// Sightings of one who walks so fast, noisy by so much, eight times a second; how often it was told, and taken back.
typedef struct told {
    int reports, taken_back;
} told;

static told walk_by(cairn_random *random, double speed_mps, double noise_m, double still_s, double walk_s)
{
    cairn_victim_tracks *tracks = make_tracks();
    told sum = {0, 0};
    const double heading_rad = cairn_random_between(random, 0, 6.28);
    for (int i = 0; i * 0.12 < still_s + walk_s; i++) {
        const double t_s = i * 0.12;
        const double gone_m = t_s > still_s ? speed_mps * (t_s - still_s) : 0;
        add_one(tracks, 4 + gone_m * cos(heading_rad) + noise_m * cairn_random_gauss(random),
                gone_m * sin(heading_rad) + noise_m * cairn_random_gauss(random), t_s);
        cairn_victim_track report;
        while (cairn_victim_tracks_take_report(tracks, &report)) {
            sum.reports += report.confidence > 0;
            sum.taken_back += report.confidence == 0;
        }
    }
    return sum;
}

// Bystanders walk about where robots search: whoever moved is no victim.
// Who lies in a box comes into view from one side on: the middle of what is seen moves, nobody does.
static void who_comes_into_view_bit_by_bit_does_not_walk(void **state)
{
    (void)state;
    static const struct {
        double y;
        bool cut;
    } seen[] = {{3.20, true},  {3.14, true},  {3.10, true},  {2.92, false}, {2.96, false},
                {2.98, false}, {3.02, false}, {3.03, false}, {3.00, false}, {3.02, true}};
    cairn_victim_tracks *tracks = make_tracks();
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        cairn_victim_sighting sighting = seen_at(9, seen[i].y);
        sighting.cut = seen[i].cut;
        cairn_victim_tracks_add(tracks, &sighting, 1, at_s(0.1 * (double)i));
    }
    cairn_victim_tracks_add(tracks, NULL, 0, at_s(3)); // the robot has turned away
    cairn_victim_track report;
    assert_true(cairn_victim_tracks_take_report(tracks, &report));
    assert_true(fabs(report.at_m.y - 3.0) < 0.1);
}

// Somebody under a car is placed by the ground, at first a metre off, and right as the robot comes near.
static void who_is_placed_better_and_better_does_not_walk(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report = {0};
    uint32_t reports = 0;
    for (int i = 0; i < 60; i++) {
        cairn_victim_sighting sighting = seen_at(9 + fmax(1.2 - 0.05 * i, 0), 3);
        sighting.rough = i < 24;
        if (sighting.rough) { sighting.deviation_m = 0.4; }
        cairn_victim_tracks_add(tracks, &sighting, 1, at_s(0.125 * i));
        if (cairn_victim_tracks_take_report(tracks, &report)) {
            assert_true(report.confidence > 0);
            reports++;
        }
    }
    assert_true(reports > 0);
    assert_true(fabs(report.at_m.x - 9) < 0.25);
}

static void who_walks_by_is_never_reported(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/walk");
    int reports = 0;
    for (int round = 0; round < 200; round++) {
        const told sum = walk_by(&random, cairn_random_between(&random, 0.6, 1.6), 0.05, 0, 8);
        reports += sum.reports - sum.taken_back;
        assert_true(sum.reports <= 1 && sum.reports - sum.taken_back <= 0);
    }
    assert_int_equal(reports, 0);
}

static void who_gets_up_and_walks_is_taken_back_once(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/up");
    for (int round = 0; round < 100; round++) {
        const told sum = walk_by(&random, cairn_random_between(&random, 0.5, 1.4), 0.05, 4, 8);
        assert_true(sum.reports >= 1);
        assert_int_equal(sum.taken_back, 1);
    }
}

// A robot that comes near sees a place jitter by a hand's breadth and more: that is not walking.
static void who_lies_still_is_not_taken_back_for_noise(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/still");
    for (int round = 0; round < 300; round++) {
        const told sum = walk_by(&random, 0, cairn_random_between(&random, 0.02, 0.2), 12, 0);
        assert_true(sum.reports >= 1);
        assert_int_equal(sum.taken_back, 0);
    }
}

static void sightings_that_do_not_agree_are_not_reported(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report;
    cairn_victim_sighting sighting = seen_at(0, 0);
    sighting.deviation_m = 0.6;
    sighting.cut = true;
    for (int i = 0; i < 3; i++) {
        sighting.at_m.x = i % 2 ? 0.7 : 0;
        cairn_victim_tracks_add(tracks, &sighting, 1, at_s(i));
    }
    assert_int_equal(cairn_victim_tracks_count(tracks), 1);
    assert_false(cairn_victim_tracks_take_report(tracks, &report));
}

static void two_people_side_by_side_stay_two(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    for (int i = 0; i < 10; i++) {
        const cairn_victim_sighting both[2] = {seen_at(2, 0.3), seen_at(2, -0.3)};
        cairn_victim_tracks_add(tracks, both, 2, at_s(i));
    }
    assert_int_equal(cairn_victim_tracks_count(tracks), 2);
    assert_float_equal(cairn_victim_tracks_get(tracks, 0)->at_m.y, 0.3, 1e-9);
    assert_float_equal(cairn_victim_tracks_get(tracks, 1)->at_m.y, -0.3, 1e-9);
}

static void tracks_that_come_together_become_one(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report;
    for (int i = 0; i < 3; i++) { add_one(tracks, 2, 0, i); }
    assert_true(cairn_victim_tracks_take_report(tracks, &report));
    add_one(tracks, 2.85, 0, 4); // beyond the gate: a second one
    assert_int_equal(cairn_victim_tracks_count(tracks), 2);
    for (int i = 0; i < 100; i++) { add_one(tracks, 2.42, 0, 5 + i); }
    assert_int_equal(cairn_victim_tracks_count(tracks), 1);
    assert_int_equal(cairn_victim_tracks_get(tracks, 0)->id, 1);
}

static void unreported_tracks_are_given_up_first_the_oldest_before_others(void **state)
{
    (void)state;
    cairn_victim_tracks *tracks = make_tracks();
    cairn_victim_track report;
    for (int i = 0; i < 3; i++) { add_one(tracks, 0, 0, i); } // reported, and older than all others
    assert_true(cairn_victim_tracks_take_report(tracks, &report));
    for (int i = 1; i < CAIRN_VICTIM_TRACKS_MAX + 5; i++) { add_one(tracks, 2 * i, 0, 10 + i); }
    assert_int_equal(cairn_victim_tracks_count(tracks), CAIRN_VICTIM_TRACKS_MAX);
    assert_int_equal(cairn_victim_tracks_given_up(tracks), 5);
    assert_int_equal(cairn_victim_tracks_get(tracks, 0)->id, 1);
    assert_int_equal(cairn_victim_tracks_get(tracks, 1)->id, 7);
}

// The whole way: drive past two people, picture after picture.
static void driving_past_two_people_gives_two_good_reports(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/drive");
    scene s = {0};
    world_add_box(&s.walls, -3, -3, 9, 3);
    scene_add_person(&s, (cairn_pose2){3, 1.6, -2});
    scene_add_person(&s, (cairn_pose2){7, -1.5, 1});
    cairn_victim_tracks *tracks = make_tracks();
    for (int i = 0; i < 80; i++) {
        const cairn_pose2 base = {0.0625 * i, 0.2 * sin(0.1 * i), 0.5 * sin(0.15 * i)}; // 0.5 m/s at 8 Hz
        cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
        const uint32_t count = scene_sightings(&s, base, &random, sightings);
        cairn_victim_tracks_add(tracks, sightings, count, at_s(0.125 * i));
    }
    assert_int_equal(cairn_victim_tracks_count(tracks), 2);
    for (uint32_t i = 0; i < 2; i++) {
        cairn_victim_track report;
        assert_true(cairn_victim_tracks_take_report(tracks, &report));
        const double off_m =
            fmin(hypot(report.at_m.x - 3, report.at_m.y - 1.6), hypot(report.at_m.x - 7, report.at_m.y + 1.5));
        print_message("off by %.3f m after %u pictures\n", off_m, report.frame_count);
        assert_true(off_m < 0.12);
        assert_true(report.confidence > 0.9);
    }
}

// A restart in the midst: from the same pictures the same tracks come out, and who was reported is reported once more.
static void tracks_that_are_kept_over_a_restart_go_on_as_they_were(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/restart");
    cairn_victim_memo memo, memo_again;
    cairn_victim_track report;
    cairn_victim_tracks *straight = make_tracks(), *restarted = NULL;
    const cairn_victim_tracks_def def = cairn_victim_tracks_def_default();
    assert_ok(cairn_victim_tracks_create(&def, &arena, &restarted));
    for (int i = 0; i < 200; i++) {
        if (i == 120) {
            while (cairn_victim_tracks_take_report(straight, &report)) {}
            cairn_victim_tracks_save(straight, &memo);
            assert_true(cairn_victim_memo_is_sound(&memo));
            cairn_victim_tracks_load(restarted, &memo, at_s(i));
            uint32_t reported = 0, again = 0;
            for (uint32_t k = 0; k < memo.count; k++) { reported += memo.tracks[k].track.report_count > 0; }
            assert_true(reported > 0 && cairn_victim_tracks_has_report(restarted));
            while (cairn_victim_tracks_take_report(restarted, &report)) { again++; }
            assert_int_equal(again, reported);
        }
        const double x = 3.0 * cairn_random_below(&random, 5) + 0.1 * cairn_random_gauss(&random);
        const cairn_victim_sighting sighting = seen_at(x, 0.1 * cairn_random_gauss(&random));
        cairn_victim_tracks_add(straight, &sighting, 1, at_s(i));
        if (i >= 120) { cairn_victim_tracks_add(restarted, &sighting, 1, at_s(i)); }
    }
    cairn_victim_tracks_save(straight, &memo);
    cairn_victim_tracks_save(restarted, &memo_again);
    assert_int_equal(memo.count, memo_again.count);
    assert_int_equal(memo.last_id, memo_again.last_id);
    for (uint32_t k = 0; k < memo.count; k++) {
        assert_int_equal(memo.tracks[k].track.id, memo_again.tracks[k].track.id);
        assert_true(memo.tracks[k].track.at_m.x == memo_again.tracks[k].track.at_m.x);
        assert_true(memo.tracks[k].track.confidence == memo_again.tracks[k].track.confidence);
    }
    cairn_victim_tracks_forget(restarted);
    add_one(restarted, 50, 50, 300);
    assert_int_equal(cairn_victim_tracks_get(restarted, 0)->id, memo.last_id + 1); // never given again
}

// The clock of a machine that was switched on again begins anew.
static void times_from_another_clock_are_no_later_than_now(void **state)
{
    (void)state;
    cairn_victim_memo memo;
    cairn_victim_tracks *tracks = make_tracks();
    add_one(tracks, 1, 1, 500);
    cairn_victim_tracks_save(tracks, &memo);
    cairn_victim_tracks_load(tracks, &memo, at_s(3));
    assert_true(cairn_victim_tracks_get(tracks, 0)->last_seen.ns == at_s(3).ns);
    assert_true(cairn_victim_tracks_get(tracks, 0)->first_seen.ns == at_s(3).ns);
}

int main(void)
{
    if (cairn_arena_create(&arena, 1 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sightings_average),
        cmocka_unit_test(who_lies_still_is_reported_after_a_second_and_then_only_with_news),
        cmocka_unit_test(a_glimpse_is_reported_when_it_is_over),
        cmocka_unit_test(who_comes_into_view_bit_by_bit_does_not_walk),
        cmocka_unit_test(who_is_placed_better_and_better_does_not_walk),
        cmocka_unit_test(who_walks_by_is_never_reported),
        cmocka_unit_test(who_gets_up_and_walks_is_taken_back_once),
        cmocka_unit_test(who_lies_still_is_not_taken_back_for_noise),
        cmocka_unit_test(sightings_that_do_not_agree_are_not_reported),
        cmocka_unit_test(two_people_side_by_side_stay_two),
        cmocka_unit_test(tracks_that_come_together_become_one),
        cmocka_unit_test(unreported_tracks_are_given_up_first_the_oldest_before_others),
        cmocka_unit_test(driving_past_two_people_gives_two_good_reports),
        cmocka_unit_test(tracks_that_are_kept_over_a_restart_go_on_as_they_were),
        cmocka_unit_test(times_from_another_clock_are_no_later_than_now),
    };
    const int failed = cmocka_run_group_tests_name("victim_tracks", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
