// test_failures.c - every sensor fails in every way that it can, beside the same robots whose sensors work: what it
// says then, that the others say the same as ever, and that it is as before when it works again.
#include "near.h"
#include "sensor_rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAILS_TICK 250  // 1 s
#define WORKS_TICK 1250 // 5 s
#define END_TICK 1800   // by then also a battery has spoken again
#define LATE_S 0.4
#define FRAME_BYTES_MAX sizeof(cairn_range_image_frame)
#define ALL ((1u << CAIRN_SENSOR_COUNT) - 1)

_Static_assert(sizeof(cairn_thermal_frame) <= FRAME_BYTES_MAX + 64, "frames fit");

// ---- frames as bytes

typedef struct seen {
    uint64_t version;
    uint8_t bytes[FRAME_BYTES_MAX + 64];
} seen;

static cairn_cell *cell_of(const cairn_body *body, cairn_sensor sensor)
{
    cairn_cell *const cells[CAIRN_SENSOR_COUNT] = {[CAIRN_SENSOR_ENCODERS] = body->encoders_reflex,
                                                   [CAIRN_SENSOR_IMU] = body->imu_reflex,
                                                   [CAIRN_SENSOR_BUMPER] = body->bump_reflex,
                                                   [CAIRN_SENSOR_BATTERY] = body->battery_mind,
                                                   [CAIRN_SENSOR_LASER] = body->scan_behaviour,
                                                   [CAIRN_SENSOR_THERMAL] = body->thermal_mind,
                                                   [CAIRN_SENSOR_RANGE_IMAGE] = body->range_image_mind,
                                                   [CAIRN_SENSOR_RANGES] = body->ranges_mind,
                                                   [CAIRN_SENSOR_GPS] = body->gps_mind,
                                                   [CAIRN_SENSOR_MAGNETOMETER] = body->magnetometer_mind,
                                                   [CAIRN_SENSOR_BAROMETER] = body->barometer_mind};
    return cells[sensor];
}

static const size_t frame_bytes[CAIRN_SENSOR_COUNT] = {
    [CAIRN_SENSOR_ENCODERS] = sizeof(cairn_encoder_frame),
    [CAIRN_SENSOR_IMU] = sizeof(cairn_imu_frame),
    [CAIRN_SENSOR_BUMPER] = sizeof(cairn_bump_frame),
    [CAIRN_SENSOR_BATTERY] = sizeof(cairn_battery_frame),
    [CAIRN_SENSOR_LASER] = offsetof(cairn_scan_frame, range_m) + 1081 * sizeof(float),
    [CAIRN_SENSOR_THERMAL] = offsetof(cairn_thermal_frame, centikelvin) + 80 * 60 * 2,
    [CAIRN_SENSOR_RANGE_IMAGE] = offsetof(cairn_range_image_frame, millimetres) + 64 * 48 * 2,
    [CAIRN_SENSOR_RANGES] = sizeof(cairn_ranges_frame),
    [CAIRN_SENSOR_GPS] = sizeof(cairn_gps_frame),
    [CAIRN_SENSOR_MAGNETOMETER] = sizeof(cairn_magnetometer_frame),
    [CAIRN_SENSOR_BAROMETER] = sizeof(cairn_barometer_frame),
};

// Whether there is a new frame.
static bool look(const rig *it, uint32_t robot, cairn_sensor sensor, seen *ret_seen)
{
    uint64_t version = 0;
    const void *frame = cairn_cell_latest(cell_of(cairn_world_body(it->world, robot), sensor), &version);
    if (frame == NULL || version == ret_seen->version) { return false; }
    ret_seen->version = version;
    memcpy(ret_seen->bytes, frame, frame_bytes[sensor]);
    return true;
}

static int64_t taken_ns(cairn_sensor sensor, const seen *it)
{
    if (sensor != CAIRN_SENSOR_RANGES) { return ((const cairn_mono *)it->bytes)->ns; }
    const cairn_ranges_frame *ranges = (const cairn_ranges_frame *)it->bytes;
    const int64_t a = ranges->readings[0].taken.ns, b = ranges->readings[1].taken.ns;
    return a > b ? a : b;
}

// All that a frame says but for its times.
static bool says_the_same(cairn_sensor sensor, const seen *a, const seen *b)
{
    if (sensor == CAIRN_SENSOR_RANGES) {
        const cairn_ranges_frame *first = (const cairn_ranges_frame *)a->bytes, *other = (const void *)b->bytes;
        return memcmp(&first->readings[0].range_m, &other->readings[0].range_m, sizeof(float)) == 0 &&
               memcmp(&first->readings[1].range_m, &other->readings[1].range_m, sizeof(float)) == 0;
    }
    const size_t from = sizeof(cairn_mono);
    return memcmp(a->bytes + from, b->bytes + from, frame_bytes[sensor] - from) == 0;
}

// ---- what a frame must say: of a good one, of the last good one before the failure, and of the one to judge

typedef struct frames {
    const void *good, *last, *good_at_last, *bad;
} frames;

#define FRAMES(type, from)                                                                                             \
    const type *good = (from)->good, *last = (from)->last, *bad = (from)->bad;                                         \
    (void)last, (void)good

// A jump is nothing, or the amount up or down. Whether it jumped.
static bool check_wrong(const cairn_failure *failure, double wrong, double tolerance)
{
    if (failure->way == CAIRN_FAILURE_BIASED) {
        assert_near(wrong, failure->amount, tolerance);
        return true;
    }
    assert_int_equal(failure->way, CAIRN_FAILURE_JUMPING);
    if (fabs(wrong) <= tolerance) { return false; }
    assert_near(fabs(wrong), fabs(failure->amount), tolerance);
    return true;
}

static bool check_encoders(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_encoder_frame, from);
    const cairn_encoder_frame *good_last = from->good_at_last;
    bool jumped = false;
    for (uint32_t i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double true_way = (double)(good->ticks[i] - good_last->ticks[i]);
        const double way = (double)(bad->ticks[i] - last->ticks[i]);
        switch (failure->way) {
        case CAIRN_FAILURE_FROZEN: assert_true(way == 0); break;
        case CAIRN_FAILURE_STUCK: assert_true(way == (i == failure->part ? 0 : true_way)); break;
        case CAIRN_FAILURE_BIASED: assert_near(way, true_way * (1 + failure->amount / 100), 1); break;
        default: // what was counted too much stays
            assert_near(fmod(fabs(way - true_way), failure->amount), 0, 1e-9);
            jumped = jumped || way != true_way;
        }
    }
    return jumped;
}

static bool check_imu(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_imu_frame, from);
    if (failure->way == CAIRN_FAILURE_STUCK) {
        const bool gyro = failure->part == 0;
        assert_memory_equal(&bad->turn_radps, gyro ? &last->turn_radps : &good->turn_radps, sizeof bad->turn_radps);
        assert_memory_equal(&bad->accel_mps2, gyro ? &good->accel_mps2 : &last->accel_mps2, sizeof bad->accel_mps2);
        return true;
    }
    const bool turns = failure->figure == CAIRN_FAILURE_BY_DEGPS;
    const double turn = (bad->turn_radps.z - good->turn_radps.z) / DEGREE,
                 accel = bad->accel_mps2.x - good->accel_mps2.x;
    assert_true((turns ? accel : turn) == 0);
    return check_wrong(failure, turns ? turn : accel, 1e-9);
}

static bool check_bump(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_bump_frame, from);
    const bool pressed[] = {bad->front, bad->rear, bad->left, bad->right};
    const bool touched[] = {good->front, good->rear, good->left, good->right};
    bool wrong = false;
    for (uint32_t i = 0; i < 4; i++) {
        const bool stuck = failure->way == CAIRN_FAILURE_STUCK && i == failure->part;
        if (failure->way == CAIRN_FAILURE_STUCK) { assert_int_equal(pressed[i], stuck || touched[i]); }
        if (failure->way == CAIRN_FAILURE_EMPTY) { assert_false(pressed[i]); }
        if (failure->way == CAIRN_FAILURE_JUMPING) { assert_true(pressed[i] || !touched[i]); }
        wrong = wrong || pressed[i] != touched[i];
    }
    return wrong;
}

static bool check_ranges_m(const cairn_failure *failure, const float *good, const float *bad, uint32_t count)
{
    bool jumped = false;
    for (uint32_t i = 0; i < count; i++) {
        if (failure->way == CAIRN_FAILURE_EMPTY) {
            assert_true(isinf(bad[i]));
        } else if (failure->way == CAIRN_FAILURE_STUCK) {
            assert_near((double)bad[i], failure->amount, 1e-6);
        } else if (!isfinite(good[i])) { // nothing was seen there, and nothing is
            assert_true(isnan(good[i]) == isnan(bad[i]) && isinf(good[i]) == isinf(bad[i]));
        } else {
            jumped = check_wrong(failure, (double)(bad[i] - good[i]), 1e-4) || jumped;
        }
    }
    return jumped;
}

static bool check_ranges(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_ranges_frame, from);
    bool jumped = false;
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t began_ns = FAILS_TICK * TICK_NS; // the slower one may not have read since
        if (bad->readings[i].taken.ns < began_ns) { continue; }
        jumped = check_ranges_m(failure, &good->readings[i].range_m, &bad->readings[i].range_m, 1) || jumped;
    }
    return jumped;
}

static bool check_thermal(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_thermal_frame, from);
    bool jumped = false;
    for (uint32_t i = 0; i < 80 * 60; i++) {
        const double celsius = bad->centikelvin[i] / 100.0 - 273.15;
        const double wrong_k = (bad->centikelvin[i] - good->centikelvin[i]) / 100.0;
        const bool middle = i / 80 >= 26 && i / 80 < 34 && i % 80 >= 35 && i % 80 < 45;
        if (failure->way == CAIRN_FAILURE_EMPTY) {
            assert_int_equal(bad->centikelvin[i], 0);
        } else if (failure->way == CAIRN_FAILURE_STUCK) {
            if (middle) { assert_near(celsius, failure->amount, 0.011); }
            if (i < 80 || i % 80 == 0) { assert_true(wrong_k == 0); }
        } else {
            jumped = check_wrong(failure, wrong_k, 0.011);
        }
    }
    return jumped;
}

static bool check_range_image(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_range_image_frame, from);
    bool jumped = false;
    for (uint32_t i = 0; i < 64 * 48; i++) {
        const double wrong_m = (bad->millimetres[i] - good->millimetres[i]) / 1000.0;
        if (failure->way == CAIRN_FAILURE_EMPTY) {
            assert_int_equal(bad->millimetres[i], 0);
        } else if (failure->way == CAIRN_FAILURE_STUCK) {
            assert_int_equal(bad->millimetres[i], 1000 * failure->amount);
        } else if (good->millimetres[i] > 0) {
            jumped = check_wrong(failure, wrong_m, 0.0011) || jumped;
        }
    }
    return jumped;
}

static bool check_gps(const cairn_failure *failure, const frames *from)
{
    FRAMES(cairn_gps_frame, from);
    if (failure->way == CAIRN_FAILURE_EMPTY) {
        assert_true(!bad->fix && bad->satellite_count == 0 && isnan(bad->at_m.x) && isnan(bad->claimed_m));
        return true;
    }
    assert_true(good->fix && bad->fix && bad->at_m.y == good->at_m.y);
    return check_wrong(failure, bad->at_m.x - good->at_m.x, 1e-9);
}

static bool check_content(cairn_sensor sensor, const cairn_failure *failure, const frames *from)
{
    switch (sensor) {
    case CAIRN_SENSOR_ENCODERS: return check_encoders(failure, from);
    case CAIRN_SENSOR_IMU: return check_imu(failure, from);
    case CAIRN_SENSOR_BUMPER: return check_bump(failure, from);
    case CAIRN_SENSOR_BATTERY: {
        FRAMES(cairn_battery_frame, from);
        return check_wrong(failure, (double)(bad->voltage_v - good->voltage_v), 1e-5);
    }
    case CAIRN_SENSOR_LASER: {
        FRAMES(cairn_scan_frame, from);
        return check_ranges_m(failure, good->range_m, bad->range_m, bad->beam_count);
    }
    case CAIRN_SENSOR_THERMAL: return check_thermal(failure, from);
    case CAIRN_SENSOR_RANGE_IMAGE: return check_range_image(failure, from);
    case CAIRN_SENSOR_RANGES: return check_ranges(failure, from);
    case CAIRN_SENSOR_GPS: return check_gps(failure, from);
    case CAIRN_SENSOR_MAGNETOMETER: {
        FRAMES(cairn_magnetometer_frame, from);
        return check_wrong(failure, bad->field_ut.x - good->field_ut.x, 1e-9);
    }
    case CAIRN_SENSOR_BAROMETER: {
        FRAMES(cairn_barometer_frame, from);
        return check_wrong(failure, bad->pressure_pa - good->pressure_pa, 1e-6);
    }
    case CAIRN_SENSOR_COUNT: break;
    }
    return false;
}

// ---- two worlds side by side

typedef struct pair {
    rig good, bad;
    seen good_now[2][CAIRN_SENSOR_COUNT], bad_now[2][CAIRN_SENSOR_COUNT]; // by robot
    seen good_last, bad_last; // of the failing sensor, when it began to fail
} pair;

static void start_worlds(pair *it, int64_t late_ns_max)
{
    memset(it, 0, sizeof *it);
    rig *const both[] = {&it->good, &it->bad};
    for (int i = 0; i < 2; i++) {
        rig_furnish(both[i]);
        both[i]->late_ns_max = late_ns_max;
        rig_start(both[i], "planar");
        for (uint32_t k = 0; k < 2; k++) { cairn_world_want(both[i]->world, k, ALL); }
    }
}

// All but the one that fails: the same words at the same times.
static void check_others(pair *it, cairn_sensor failing)
{
    for (uint32_t robot = 0; robot < 2; robot++) {
        for (cairn_sensor i = 0; i < CAIRN_SENSOR_COUNT; i++) {
            if (robot == 0 && i == failing) { continue; }
            const bool new_good = look(&it->good, robot, i, &it->good_now[robot][i]);
            const bool new_bad = look(&it->bad, robot, i, &it->bad_now[robot][i]);
            assert_int_equal(new_good, new_bad);
            assert_memory_equal(it->good_now[robot][i].bytes, it->bad_now[robot][i].bytes, frame_bytes[i]);
        }
    }
}

typedef struct tally {
    uint32_t good, bad, wrong, gap_ticks, gap_ticks_max; // frames while it fails; gaps between them
} tally;

static void check_failing_tick(pair *it, cairn_sensor sensor, const cairn_failure *failure, tally *count)
{
    seen *good = &it->good_now[0][sensor], *bad = &it->bad_now[0][sensor];
    const bool new_good = look(&it->good, 0, sensor, good), new_bad = look(&it->bad, 0, sensor, bad);
    count->good += new_good;
    count->bad += new_bad;
    count->gap_ticks = new_bad ? 0 : count->gap_ticks + 1;
    if (count->gap_ticks > count->gap_ticks_max) { count->gap_ticks_max = count->gap_ticks; }
    const bool rhythm = failure->way == CAIRN_FAILURE_LATE || failure->way == CAIRN_FAILURE_INTERMITTENT ||
                        failure->way == CAIRN_FAILURE_SILENT;
    if (!rhythm) { assert_int_equal(new_good, new_bad); }
    if (!new_bad) { return; }
    const int64_t now_ns = (it->bad.tick - 1) * TICK_NS;
    if (failure->way == CAIRN_FAILURE_LATE) {
        assert_true(now_ns - taken_ns(sensor, bad) >= cairn_ns_from_seconds(failure->amount));
    } else if (!rhythm || failure->way == CAIRN_FAILURE_INTERMITTENT) {
        assert_int_equal(taken_ns(sensor, good), taken_ns(sensor, bad));
    }
    if (failure->way == CAIRN_FAILURE_FROZEN) { assert_true(says_the_same(sensor, bad, &it->bad_last)); }
    if (rhythm || (failure->way == CAIRN_FAILURE_FROZEN && sensor != CAIRN_SENSOR_ENCODERS)) { return; }
    const frames from = {good->bytes, it->bad_last.bytes, it->good_last.bytes, bad->bytes};
    count->wrong += check_content(sensor, failure, &from);
}

static void check_tally(cairn_sensor sensor, const cairn_failure *failure, const tally *count)
{
    assert_true(count->good > 0);
    switch (failure->way) {
    case CAIRN_FAILURE_SILENT: assert_int_equal(count->bad, 0); break;
    case CAIRN_FAILURE_INTERMITTENT:
        assert_true(count->bad > 0 && count->bad < count->good);
        assert_true(count->gap_ticks_max >= 50); // 0.2 s
        break;
    case CAIRN_FAILURE_LATE:
        assert_true(count->bad <= count->good && count->bad + LATE_S * 125 + 1 >= count->good);
        break;
    case CAIRN_FAILURE_JUMPING:
        if (count->bad >= 80) { assert_true(count->wrong > 0); }
        if (sensor != CAIRN_SENSOR_ENCODERS) { assert_true(count->wrong <= count->bad / 3 + 1); }
        break;
    default: break;
    }
}

// Repaired, it says what it would have said, but for its luck, and counts from where it was.
static void check_repaired(pair *it, cairn_sensor sensor, const cairn_failure *failure)
{
    seen *good = &it->good_now[0][sensor], *bad = &it->bad_now[0][sensor];
    uint32_t fresh = 0;
    seen good_then = {0}, bad_then = {0};
    while (it->bad.tick < END_TICK) {
        (void)rig_step(&it->good), (void)rig_step(&it->bad);
        const bool new_good = look(&it->good, 0, sensor, good), new_bad = look(&it->bad, 0, sensor, bad);
        assert_true(new_bad || !new_good);
        fresh += new_bad;
        if (fresh == 1 && new_bad) { good_then = *good, bad_then = *bad; }
        check_others(it, sensor);
    }
    assert_true(fresh > 0);
    assert_int_equal(taken_ns(sensor, good), taken_ns(sensor, bad));
    if (sensor == CAIRN_SENSOR_ENCODERS) {
        const cairn_encoder_frame *g = (const void *)good->bytes, *b = (const void *)bad->bytes,
                                  *g0 = (const void *)good_then.bytes, *b0 = (const void *)bad_then.bytes;
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
            assert_near((double)(b->ticks[i] - b0->ticks[i]), (double)(g->ticks[i] - g0->ticks[i]), 60);
        }
        return;
    }
    const bool missed = failure->way == CAIRN_FAILURE_SILENT || failure->way == CAIRN_FAILURE_INTERMITTENT ||
                        failure->way == CAIRN_FAILURE_FROZEN || failure->way == CAIRN_FAILURE_LATE;
    if (!missed) { assert_true(says_the_same(sensor, good, bad)); }
}

static void check_failure(cairn_sensor sensor, const cairn_failure *failure)
{
    static pair it;
    start_worlds(&it, failure->way == CAIRN_FAILURE_LATE ? cairn_ns_from_seconds(failure->amount) : 0);
    while (it.bad.tick < FAILS_TICK) {
        (void)rig_step(&it.good), (void)rig_step(&it.bad);
        (void)look(&it.good, 0, sensor, &it.good_now[0][sensor]);
        (void)look(&it.bad, 0, sensor, &it.bad_now[0][sensor]);
        check_others(&it, sensor);
    }
    it.good_last = it.good_now[0][sensor], it.bad_last = it.bad_now[0][sensor];
    assert_memory_equal(it.good_last.bytes, it.bad_last.bytes, frame_bytes[sensor]);
    cairn_world_fail(it.bad.world, 0, sensor, failure);
    tally count = {0};
    while (it.bad.tick < WORKS_TICK) {
        (void)rig_step(&it.good), (void)rig_step(&it.bad);
        check_failing_tick(&it, sensor, failure, &count);
        check_others(&it, sensor);
    }
    check_tally(sensor, failure, &count);
    cairn_world_fail(it.bad.world, 0, sensor, NULL);
    check_repaired(&it, sensor, failure);
    rig_end(&it.good);
    rig_end(&it.bad);
}

// An amount for each figure; more than the noise, less than what makes other things happen.
static const double amounts[CAIRN_FAILURE_FIGURE_COUNT] = {
    [CAIRN_FAILURE_BY_M] = 0.04,  [CAIRN_FAILURE_BY_K] = -4,   [CAIRN_FAILURE_BY_DEGPS] = 20,
    [CAIRN_FAILURE_BY_MPS2] = -2, [CAIRN_FAILURE_BY_PCT] = 50, [CAIRN_FAILURE_BY_TICKS] = 500,
    [CAIRN_FAILURE_BY_V] = -3,    [CAIRN_FAILURE_BY_UT] = 40,  [CAIRN_FAILURE_BY_PA] = 200,
    [CAIRN_FAILURE_AT_M] = 0.5,   [CAIRN_FAILURE_AT_C] = 37,   [CAIRN_FAILURE_LATE_S] = LATE_S};

// All that the table allows for one sensor and way: each part, each figure.
static uint32_t check_way(cairn_sensor sensor, cairn_failure_way way)
{
    const cairn_failure_rule *rule = cairn_failure_rule_of(sensor, way);
    if (!rule->possible) { return 0; }
    uint32_t count = 0;
    for (uint32_t figure = 0; figure < CAIRN_FAILURE_FIGURE_COUNT; figure++) {
        if (rule->figures != 0 ? !(rule->figures >> figure & 1) : figure > 0) { continue; }
        cairn_failure failure = {.way = way, .figure = figure, .amount = amounts[figure]};
        do {
            assert_true(cairn_failure_is_sound(sensor, &failure));
            check_failure(sensor, &failure);
            count++;
            failure.part++;
        } while (rule->parts != NULL && rule->parts[failure.part] != NULL);
    }
    return count;
}

static void check_all_ways(cairn_failure_way way, uint32_t expected_count)
{
    uint32_t count = 0;
    for (cairn_sensor i = 0; i < CAIRN_SENSOR_COUNT; i++) { count += check_way(i, way); }
    assert_int_equal(count, expected_count);
}

static void a_silent_sensor_says_nothing(void **state) { (void)state, check_all_ways(CAIRN_FAILURE_SILENT, 11); }
static void a_frozen_sensor_repeats_itself_with_new_times(void **state)
{
    (void)state;
    check_all_ways(CAIRN_FAILURE_FROZEN, 11);
}
static void a_stuck_part_stays_and_the_others_go_on(void **state)
{
    (void)state;
    check_all_ways(CAIRN_FAILURE_STUCK, 4 + 2 + 4 + 4);
}
static void a_biased_sensor_is_wrong_by_its_amount(void **state)
{
    (void)state;
    check_all_ways(CAIRN_FAILURE_BIASED, 11);
}
static void an_empty_sensor_sees_nothing(void **state) { (void)state, check_all_ways(CAIRN_FAILURE_EMPTY, 6); }
static void a_jumping_sensor_is_wrong_now_and_then(void **state)
{
    (void)state;
    check_all_ways(CAIRN_FAILURE_JUMPING, 12);
}
static void a_late_sensor_tells_true_times(void **state) { (void)state, check_all_ways(CAIRN_FAILURE_LATE, 11); }
static void an_intermittent_sensor_comes_and_goes(void **state)
{
    (void)state;
    check_all_ways(CAIRN_FAILURE_INTERMITTENT, 11);
}

// What a late laser says is what it saw then: of a robot that turned meanwhile, not what it sees now.
static void a_late_scan_is_of_its_time(void **state)
{
    (void)state;
    static pair it;
    static cairn_scan_frame past[64];
    const cairn_failure late = {.way = CAIRN_FAILURE_LATE, .figure = CAIRN_FAILURE_LATE_S, .amount = LATE_S};
    start_worlds(&it, cairn_ns_from_seconds(LATE_S));
    cairn_world_fail(it.bad.world, 0, CAIRN_SENSOR_LASER, &late);
    seen good = {0}, bad = {0};
    uint32_t compared = 0;
    while (it.bad.tick < FAILS_TICK) {
        (void)rig_step(&it.good), (void)rig_step(&it.bad);
        const cairn_scan_frame *scan = (const void *)good.bytes;
        if (look(&it.good, 0, CAIRN_SENSOR_LASER, &good)) { past[scan->taken.ns / CAIRN_MS(25) % 64] = *scan; }
        if (!look(&it.bad, 0, CAIRN_SENSOR_LASER, &bad)) { continue; }
        const cairn_scan_frame *then = &past[taken_ns(CAIRN_SENSOR_LASER, &bad) / CAIRN_MS(25) % 64];
        const cairn_scan_frame *told = (const void *)bad.bytes;
        uint32_t same = 0;
        for (uint32_t i = 0; i < 1081; i++) { same += memcmp(&told->range_m[i], &then->range_m[i], 4) == 0; }
        assert_int_equal(told->taken.ns, then->taken.ns);
        assert_true(same > 1081 * 9 / 10); // but for the other robot
        compared++;
    }
    assert_true(compared > 20);
    rig_end(&it.good);
    rig_end(&it.bad);
}

// `cairn sim` may be killed while sensors fail: the next one goes on with the same failures, in the same words.
static void a_snapshot_keeps_failures(void **state)
{
    (void)state;
    static const struct {
        cairn_sensor sensor;
        cairn_failure failure;
    } failures[] = {
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_FROZEN}},
        {CAIRN_SENSOR_THERMAL, {.way = CAIRN_FAILURE_FROZEN}},
        {CAIRN_SENSOR_IMU, {.way = CAIRN_FAILURE_INTERMITTENT}},
        {CAIRN_SENSOR_IMU, {.way = CAIRN_FAILURE_STUCK, .part = 1}},
        {CAIRN_SENSOR_ENCODERS, {.way = CAIRN_FAILURE_STUCK, .part = 2}},
        {CAIRN_SENSOR_GPS, {.way = CAIRN_FAILURE_JUMPING, .figure = CAIRN_FAILURE_BY_M, .amount = 30}},
        {CAIRN_SENSOR_RANGES, {.way = CAIRN_FAILURE_LATE, .figure = CAIRN_FAILURE_LATE_S, .amount = LATE_S}},
    };
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        static pair it;
        start_worlds(&it, cairn_ns_from_seconds(LATE_S));
        while (it.good.tick < 100) { (void)rig_step(&it.good); }
        cairn_world_fail(it.good.world, 0, failures[i].sensor, &failures[i].failure);
        while (it.good.tick < 400) { (void)rig_step(&it.good); }
        void *bytes = malloc(cairn_world_snapshot_bytes(it.good.world));
        assert_non_null(bytes);
        cairn_world_snapshot(it.good.world, bytes);
        assert_ok(cairn_world_restore(it.bad.world, bytes));
        free(bytes);
        it.bad.tick = it.good.tick;
        for (uint32_t k = 0; k < 500; k++) {
            (void)rig_step(&it.good), (void)rig_step(&it.bad);
            seen good = {0}, bad = {0};
            if (!look(&it.bad, 0, failures[i].sensor, &bad)) { continue; }
            (void)look(&it.good, 0, failures[i].sensor, &good);
            assert_memory_equal(good.bytes, bad.bytes, frame_bytes[failures[i].sensor]);
        }
        rig_end(&it.good);
        rig_end(&it.bad);
    }
}

static void the_table_refuses_what_means_nothing(void **state)
{
    (void)state;
    const struct {
        cairn_sensor sensor;
        cairn_failure failure;
    } nonsense[] = {
        {CAIRN_SENSOR_BUMPER, {.way = CAIRN_FAILURE_BIASED}},
        {CAIRN_SENSOR_ENCODERS, {.way = CAIRN_FAILURE_EMPTY}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_BIASED}},                                              // by what
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_BIASED, .figure = CAIRN_FAILURE_BY_K, .amount = 1}},   // not heat
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_BIASED, .figure = CAIRN_FAILURE_BY_M, .amount = 101}}, // too far
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_BIASED, .figure = CAIRN_FAILURE_BY_M, .amount = (double)NAN}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_FROZEN, .figure = CAIRN_FAILURE_BY_M, .amount = 1}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_FROZEN, .part = 1}},
        {CAIRN_SENSOR_BUMPER, {.way = CAIRN_FAILURE_STUCK, .part = 4}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_WAY_COUNT}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_LATE, .figure = CAIRN_FAILURE_LATE_S, .amount = 2.1}},
        {CAIRN_SENSOR_LASER, {.way = CAIRN_FAILURE_BIASED, .figure = CAIRN_FAILURE_FIGURE_COUNT, .amount = 1}},
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        assert_false(cairn_failure_is_sound(nonsense[i].sensor, &nonsense[i].failure));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_sensor_says_nothing),
        cmocka_unit_test(a_frozen_sensor_repeats_itself_with_new_times),
        cmocka_unit_test(a_stuck_part_stays_and_the_others_go_on),
        cmocka_unit_test(a_biased_sensor_is_wrong_by_its_amount),
        cmocka_unit_test(an_empty_sensor_sees_nothing),
        cmocka_unit_test(a_jumping_sensor_is_wrong_now_and_then),
        cmocka_unit_test(a_late_sensor_tells_true_times),
        cmocka_unit_test(an_intermittent_sensor_comes_and_goes),
        cmocka_unit_test(a_late_scan_is_of_its_time),
        cmocka_unit_test(a_snapshot_keeps_failures),
        cmocka_unit_test(the_table_refuses_what_means_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
