// What a robot says of its own place: good, degraded, lost, and why.
#include "../base/check.h"
#include "robot/place/health.h"
#include <math.h>

static cairn_hold hold;
static cairn_place_health health;
static cairn_mono now;

static int start(void **unused)
{
    (void)unused;
    hold = (cairn_hold){0};
    health = (cairn_place_health){0};
    now = (cairn_mono){CAIRN_S(10)};
    return 0;
}

static cairn_health_evidence standing(void) { return (cairn_health_evidence){.tilt_rad = 0.02, .tilt_rad_max = 0.5}; }

static void look(const cairn_health_evidence *evidence, double for_s)
{
    for (int i = 0; i < for_s * 50; i++) {
        now.ns += CAIRN_MS(20);
        cairn_health_step(&health, &hold, evidence, now);
    }
}

static void degraded_is_what_the_hold_doubts(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
    evidence.slips = true;
    cairn_hold_carry(&hold, (cairn_hold_way){.spun_m = 0.6});
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_DEGRADED);
    assert_int_equal(health.reason, CAIRN_HEALTH_SLIP);
    cairn_hold_rejoin(&hold);
    look(&evidence, 0.1);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
    assert_int_equal(health.reason, CAIRN_HEALTH_FINE);
}

static void a_bare_wall_is_told_as_one(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    evidence.weakness = 1;
    cairn_hold_carry(&hold, (cairn_hold_way){.spun_m = 0.6});
    look(&evidence, 0.1);
    assert_int_equal(health.reason, CAIRN_HEALTH_NO_STRUCTURE);
}

// Beyond what anybody can find back to at a glance; and a doubt that shrinks a little does not make it less lost.
static void a_robot_off_by_more_than_its_bound_is_lost_until_its_hold_is_sure(void **unused)
{
    (void)unused;
    const cairn_health_evidence evidence = standing();
    cairn_hold_carry(&hold, (cairn_hold_way){.spun_m = CAIRN_LOST_M + 0.1});
    look(&evidence, 0.1);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    hold.loose_m = 1;
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    cairn_hold_rejoin(&hold);
    look(&evidence, 0.1);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
}

// A match to the local map, however good, does not tell where a robot lies that fell: its long map does.
static void a_robot_that_fell_is_lost_until_its_long_map_has_it(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    evidence.tilt_rad = 2.9;
    look(&evidence, 0.5);
    assert_true(health.off_feet);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    assert_int_equal(health.reason, CAIRN_HEALTH_TILT);
    evidence.tilt_rad = 0;
    const cairn_match room = {.information = {1e5, 0, 0, 0, 2e5, 0, 0, 0, 1e5}};
    cairn_hold_match(&hold, &room);
    look(&evidence, 5);
    assert_false(health.off_feet);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    cairn_hold_rejoin(&hold);
    look(&evidence, 3);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
}

static void a_bump_of_a_moment_is_no_fall(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    look(&evidence, 1);
    evidence.tilt_rad = 1.2;
    look(&evidence, 0.1);
    assert_false(health.off_feet);
    assert_int_equal(health.health, CAIRN_HEALTH_DEGRADED);
    evidence.tilt_rad = 0;
    look(&evidence, 3);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
}

static void who_is_carried_blind_or_started_anew_says_so(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    evidence.blind = true;
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_DEGRADED);
    assert_int_equal(health.reason, CAIRN_HEALTH_BLIND);
    evidence.restarted = true;
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    assert_int_equal(health.reason, CAIRN_HEALTH_RESTARTED);
    start(NULL);
    evidence = standing();
    evidence.carried = true;
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_LOST);
    assert_int_equal(health.reason, CAIRN_HEALTH_CARRIED);
}

static void a_body_that_feels_no_gravity_is_not_found_fallen(void **unused)
{
    (void)unused;
    cairn_health_evidence evidence = standing();
    evidence.tilt_rad = cairn_health_tilt_rad(NAN, 0);
    look(&evidence, 1);
    assert_int_equal(health.health, CAIRN_HEALTH_GOOD);
    assert_true(fabs(cairn_health_tilt_rad(CAIRN_PI, 0) - CAIRN_PI) < 1e-6);
    assert_true(fabs(cairn_health_tilt_rad(0.3, 0) - 0.3) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(degraded_is_what_the_hold_doubts, start),
        cmocka_unit_test_setup(a_bare_wall_is_told_as_one, start),
        cmocka_unit_test_setup(a_robot_off_by_more_than_its_bound_is_lost_until_its_hold_is_sure, start),
        cmocka_unit_test_setup(a_robot_that_fell_is_lost_until_its_long_map_has_it, start),
        cmocka_unit_test_setup(a_bump_of_a_moment_is_no_fall, start),
        cmocka_unit_test_setup(who_is_carried_blind_or_started_anew_says_so, start),
        cmocka_unit_test_setup(a_body_that_feels_no_gravity_is_not_found_fallen, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
