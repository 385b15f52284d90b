// How a mind begins: the table of resume.h, and what counts as a checkpoint.
#include "../base/check.h"
#include "base/random.h"
#include "robot/resume.h"
#include <math.h>
#include <string.h>

#define SEED 4u

static cairn_checkpoint checkpoint, damaged;

// A robot in the midst of things.
static void make_checkpoint(void)
{
    memset(&checkpoint, 0, sizeof checkpoint);
    checkpoint.at = (cairn_mono){CAIRN_S(100)};
    checkpoint.start_count = checkpoint.lately_count = 1;
    checkpoint.starts[0] = (cairn_mono){CAIRN_S(10)};
    checkpoint.odom_id = 77;
    checkpoint.reflex_start_count = 2;
    checkpoint.node_count = 12;
    checkpoint.private_T_odom = (cairn_pose2){0.1, -0.2, 0.05};
    checkpoint.trail = (cairn_trail){.count = 3, .spacing_m = 0.25, .points_m = {{0, 0}, {1, 0}, {2, 0}}};
    checkpoint.orders = (cairn_orders_state){.mode = CAIRN_MODE_AUTONOMOUS, .order = 9, .release_count = 4};
    checkpoint.tally.mode = CAIRN_MODE_AUTONOMOUS;
    checkpoint.task = (cairn_robot_task){.id = 5, .via_count = 2, .via_m = {{1, 1}, {2, 2}}, .face_at_end = true};
    checkpoint.task_state = CAIRN_TASK_UNDER_WAY;
    checkpoint.via_at = 1;
    checkpoint.areas = (cairn_kept_areas){
        .revision = 3, .fences = {.count = 1, .fences = {{CAIRN_FENCE_KEEP_OUT, 3, {{0, 0}, {1, 0}, {0, 1}}}}}};
    checkpoint.victims.count = 1;
    checkpoint.victims.last_id = 3;
    checkpoint.victims.tracks[0] = (cairn_victim_track_memo){.track = {.id = 2,
                                                                       .at_m = {1, 2, 0.5},
                                                                       .deviation_m = 0.1,
                                                                       .celsius_max = 33,
                                                                       .frame_count = 8,
                                                                       .confidence = 0.9,
                                                                       .report_count = 1},
                                                             .weight = 100,
                                                             .logodds = 2};
    cairn_checkpoint_seal(&checkpoint);
}

// Every combination, against the table in words.
static void the_table_of_the_header_is_what_is_decided(void **unused)
{
    (void)unused;
    for (int bits = 0; bits < 16; bits++) {
        for (uint32_t starts = 0; starts < 10; starts++) {
            const cairn_resume_facts facts = {.checkpoint = bits & 1,
                                              .same_odometry = bits & 2,
                                              .same_reflex = bits & 4,
                                              .released = bits & 8,
                                              .start_count = starts};
            cairn_resume wanted = starts <= 5 ? CAIRN_RESUME_GO_ON : CAIRN_RESUME_WAIT;
            if (!(bits & 4) || bits & 8) { wanted = CAIRN_RESUME_CHECK; }
            if (!(bits & 2)) { wanted = CAIRN_RESUME_LOST; }
            if (!(bits & 1)) { wanted = CAIRN_RESUME_ANEW; }
            assert_int_equal(cairn_resume_decide(&facts), wanted);
        }
    }
}

static void orders_are_kept_as_far_as_they_still_mean_something(void **unused)
{
    (void)unused;
    make_checkpoint();
    const cairn_reflex_state reflex = {.release_count_max = 2};
    const struct {
        cairn_resume resume;
        cairn_orders_state orders;
    } table[] = {
        {CAIRN_RESUME_ANEW, {CAIRN_MODE_IDLE, 0, 2}},  {CAIRN_RESUME_LOST, {CAIRN_MODE_IDLE, 0, 4}},
        {CAIRN_RESUME_CHECK, {CAIRN_MODE_IDLE, 9, 4}}, {CAIRN_RESUME_GO_ON, {CAIRN_MODE_AUTONOMOUS, 9, 4}},
        {CAIRN_RESUME_WAIT, {CAIRN_MODE_IDLE, 9, 4}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const cairn_resume_past past = {.last = &checkpoint, .reflex = &reflex};
        const cairn_orders_state orders = cairn_resume_orders(table[i].resume, &past);
        assert_int_equal(orders.mode, table[i].orders.mode);
        assert_int_equal(orders.order, table[i].orders.order);
        assert_int_equal(orders.release_count, table[i].orders.release_count);
    }
}

// Safety: whoever of the three remembers it.
static void a_stop_is_kept_in_every_row(void **unused)
{
    (void)unused;
    for (int who = 1; who < 8; who++) {
        make_checkpoint();
        const cairn_reflex_state reflex = {.stop_latched = who & 1, .release_count_max = who & 1 ? 6 : 5};
        const cairn_stop_command said = {.stop = who & 4, .release_count = who & 1 ? 5 : 6};
        const cairn_resume_past past = {.last = &checkpoint, .reflex = &reflex, .said = &said};
        if (who & 2) { checkpoint.orders.mode = CAIRN_MODE_STOPPED; }
        for (int resume = CAIRN_RESUME_ANEW; resume <= CAIRN_RESUME_WAIT; resume++) {
            if (resume == CAIRN_RESUME_ANEW && who == 2) { continue; } // then there is no checkpoint
            const cairn_orders_state orders = cairn_resume_orders((cairn_resume)resume, &past);
            assert_int_equal(orders.mode, CAIRN_MODE_STOPPED);
            assert_int_equal(orders.release_count, 6);
        }
    }
}

static void starts_are_counted_within_a_minute_and_by_one_clock(void **unused)
{
    (void)unused;
    make_checkpoint();
    const cairn_reflex_state reflex = {.odom_id = 77, .start_count = 2};
    const int64_t starts_s[CAIRN_CHECKPOINT_STARTS] = {99, 80, 61, 41, 39, 20, 500, 101};
    checkpoint.lately_count = CAIRN_CHECKPOINT_STARTS;
    for (int i = 0; i < CAIRN_CHECKPOINT_STARTS; i++) { checkpoint.starts[i] = (cairn_mono){CAIRN_S(starts_s[i])}; }
    cairn_checkpoint_seal(&checkpoint);
    const cairn_resume_past past = {.last = &checkpoint, .reflex = &reflex};
    const cairn_resume_facts facts = cairn_resume_look(&past, (cairn_mono){CAIRN_S(100)});
    assert_true(facts.checkpoint && facts.same_odometry && facts.same_reflex && !facts.released);
    assert_int_equal(facts.start_count, 5); // 99, 80, 61, 41, and this one
}

static void what_reflex_says_is_compared(void **unused)
{
    (void)unused;
    make_checkpoint();
    const cairn_mono now = {CAIRN_S(101)};
    const cairn_reflex_state other = {.odom_id = 78, .start_count = 2}, later = {.odom_id = 77, .start_count = 3};
    const cairn_resume_past pasts[] = {{&checkpoint, &other, NULL}, {&checkpoint, &later, NULL}, {NULL, &later, NULL}};
    assert_false(cairn_resume_look(&pasts[0], now).same_odometry);
    assert_true(cairn_resume_look(&pasts[1], now).same_odometry);
    assert_false(cairn_resume_look(&pasts[1], now).same_reflex);
    assert_false(cairn_resume_look(&pasts[2], now).checkpoint);
    assert_false(cairn_resume_look(&(cairn_resume_past){.last = &checkpoint}, now).checkpoint);
}

// It may know of a release that came after the last checkpoint, and so may the cell that it had not read yet.
static void a_release_since_the_checkpoint_is_seen(void **unused)
{
    (void)unused;
    make_checkpoint(); // knows of 4
    for (uint32_t seen = 3; seen < 6; seen++) {
        for (uint32_t told = 3; told < 6; told++) {
            const cairn_reflex_state reflex = {.odom_id = 77, .start_count = 2, .release_count_max = seen};
            const cairn_stop_command said = {.release_count = told};
            const cairn_resume_past past = {.last = &checkpoint, .reflex = &reflex, .said = &said};
            const cairn_resume_facts facts = cairn_resume_look(&past, (cairn_mono){CAIRN_S(101)});
            assert_int_equal(facts.released, seen == 5 || told == 5);
        }
    }
}

static void a_checkpoint_is_sound_only_as_a_whole(void **unused)
{
    (void)unused;
    make_checkpoint();
    assert_true(cairn_checkpoint_is_sound(&checkpoint));
    cairn_random random;
    cairn_random_init(&random, SEED, "resume/damage");
    for (int i = 0; i < 3000; i++) {
        damaged = checkpoint;
        const uint32_t bit = cairn_random_below(&random, 8 * sizeof damaged);
        ((uint8_t *)&damaged)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(cairn_checkpoint_is_sound(&damaged));
    }
    memset(&damaged, 0, sizeof damaged);
    assert_false(cairn_checkpoint_is_sound(&damaged));
}

// Sealed by a mind that had gone mad: the hash is right, the rest cannot be.
static void what_cannot_be_is_not_sound_under_any_seal(void **unused)
{
    (void)unused;
#define CASE(change)                                                                                                   \
    do {                                                                                                               \
        make_checkpoint();                                                                                             \
        change;                                                                                                        \
        cairn_checkpoint_seal(&checkpoint);                                                                            \
        assert_false(cairn_checkpoint_is_sound(&checkpoint));                                                          \
    } while (0)
    CASE(checkpoint.private_T_odom.x_m = NAN);
    CASE(checkpoint.private_T_base.yaw_rad = INFINITY);
    CASE(checkpoint.private_T_node.y_m = 1e30);
    CASE(checkpoint.lately_count = 9);
    CASE(checkpoint.trail.count = CAIRN_TRAIL_POINTS_MAX + 1);
    CASE(checkpoint.trail.spacing_m = 0);
    CASE(checkpoint.trail.points_m[2].y = NAN);
    CASE(checkpoint.orders.mode = (cairn_mode)CAIRN_MODE_COUNT);
    CASE(checkpoint.orders.mode = (cairn_mode)-1);
    CASE(checkpoint.tally.mode = (cairn_mode)77);
    CASE(checkpoint.tally.spent_ns[3] = -1);
    CASE(checkpoint.tally.travelled_m[3] = NAN);
    CASE(checkpoint.task.via_count = CAIRN_VIAS_MAX + 1);
    CASE(checkpoint.task.via_m[1].x = NAN);
    CASE(checkpoint.via_at = 3);
    CASE(memset(&checkpoint.task.face_at_end, 7, 1));
    CASE(checkpoint.task_state = (cairn_task_state)99);
    CASE(checkpoint.areas.fences.count = CAIRN_FENCES_MAX + 1);
    CASE(checkpoint.areas.fences.fences[0].corners_m[1].y = NAN);
    CASE(checkpoint.areas.fences.fences[0].corner_count = 2);
    CASE(checkpoint.areas.fences.fences[0].kind = (cairn_fence_kind)7);
    CASE(checkpoint.victims.count = CAIRN_VICTIM_TRACKS_MAX + 1);
    CASE(checkpoint.victims.tracks[0].track.id = 4); // beyond the last that was given
    CASE(checkpoint.victims.tracks[0].track.id = 0);
    CASE(checkpoint.victims.tracks[0].track.at_m.z = NAN);
    CASE(checkpoint.victims.tracks[0].weight = 0);
    CASE(checkpoint.victims.tracks[0].track.frame_count = 0);
#undef CASE
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_header_is_what_is_decided),
        cmocka_unit_test(orders_are_kept_as_far_as_they_still_mean_something),
        cmocka_unit_test(a_stop_is_kept_in_every_row),
        cmocka_unit_test(starts_are_counted_within_a_minute_and_by_one_clock),
        cmocka_unit_test(what_reflex_says_is_compared),
        cmocka_unit_test(a_release_since_the_checkpoint_is_seen),
        cmocka_unit_test(a_checkpoint_is_sound_only_as_a_whole),
        cmocka_unit_test(what_cannot_be_is_not_sound_under_any_seal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
