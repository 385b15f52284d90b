// failure.c - the table of what can fail how, and what becomes of each sensor's frames.
#include "sim/senses/failure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define JUMP_CHANCE 0.1      // [-] of each frame; a robot's speed estimate must meet whole runs of good frames, too
#define TURN_S_MIN 0.2       // an intermittent sensor works, and is silent, for so long at least
#define TURN_S_MAX 2.0       // and at most
#define SPOT_PART 8          // the warm spot is this part of a picture's width and height
#define SHIFT_TICKS_MAX 1e12 // no robot's counts get there
#define RADPS_PER_DEGPS (CAIRN_PI / 180)

const char *const cairn_failure_words[CAIRN_FAILURE_WAY_COUNT + 1] = {"silent", "frozen",  "stuck", "biased",
                                                                      "empty",  "jumping", "late",  "intermittent"};

const cairn_failure_key cairn_failure_keys[CAIRN_FAILURE_FIGURE_COUNT] = {
    [CAIRN_FAILURE_NO_FIGURE] = {"", "", 0, 0},
    [CAIRN_FAILURE_BY_M] = {"by_m", "m", -100, 100},
    [CAIRN_FAILURE_BY_K] = {"by_k", "K", -100, 100},
    [CAIRN_FAILURE_BY_DEGPS] = {"by_degps", "degrees/s", -1000, 1000},
    [CAIRN_FAILURE_BY_MPS2] = {"by_mps2", "m/s2", -100, 100},
    [CAIRN_FAILURE_BY_PCT] = {"by_pct", "%", -100, 1000},
    [CAIRN_FAILURE_BY_TICKS] = {"by_ticks", "ticks", -1000000, 1000000},
    [CAIRN_FAILURE_BY_V] = {"by_v", "V", -100, 100},
    [CAIRN_FAILURE_BY_UT] = {"by_ut", "uT", -1000, 1000},
    [CAIRN_FAILURE_BY_PA] = {"by_pa", "Pa", -100000, 100000},
    [CAIRN_FAILURE_AT_M] = {"at_m", "m", 0, 100},
    [CAIRN_FAILURE_AT_C] = {"at_c", "C", -40, 300},
    [CAIRN_FAILURE_LATE_S] = {"late_s", "s", 0, CAIRN_FAILURE_LATE_S_MAX},
};

// ---- what can fail how

static const char *const wheels[] = {"front_left", "front_right", "rear_left", "rear_right", NULL};
static const char *const inertial[] = {"gyro", "accelerometer", NULL};
enum { GYRO };
static const char *const sides[] = {"front", "rear", "left", "right", NULL};

#define FIGURE(name) (1u << CAIRN_FAILURE_##name)
#define ANY_WAY                                                                                                        \
    [CAIRN_FAILURE_SILENT] = {.possible = true}, [CAIRN_FAILURE_FROZEN] = {.possible = true},                          \
    [CAIRN_FAILURE_LATE] = {.possible = true, .figures = FIGURE(LATE_S)},                                              \
    [CAIRN_FAILURE_INTERMITTENT] = {.possible = true}
#define WRONG_BY(wrong_by)                                                                                             \
    [CAIRN_FAILURE_BIASED] = {.possible = true, .figures = (wrong_by)}, [CAIRN_FAILURE_JUMPING] = {                    \
                                                                            .possible = true, .figures = (wrong_by)}

static const cairn_failure_rule rules[CAIRN_SENSOR_COUNT][CAIRN_FAILURE_WAY_COUNT] = {
    [CAIRN_SENSOR_ENCODERS] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .parts = wheels},
                               [CAIRN_FAILURE_BIASED] = {.possible = true, .figures = FIGURE(BY_PCT)},
                               [CAIRN_FAILURE_JUMPING] = {.possible = true, .figures = FIGURE(BY_TICKS)}},
    [CAIRN_SENSOR_IMU] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .parts = inertial},
                          WRONG_BY(FIGURE(BY_DEGPS) | FIGURE(BY_MPS2))},
    [CAIRN_SENSOR_BUMPER] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .parts = sides},
                             [CAIRN_FAILURE_EMPTY] = {.possible = true}, [CAIRN_FAILURE_JUMPING] = {.possible = true}},
    [CAIRN_SENSOR_BATTERY] = {ANY_WAY, WRONG_BY(FIGURE(BY_V))},
    [CAIRN_SENSOR_LASER] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .figures = FIGURE(AT_M)},
                            [CAIRN_FAILURE_EMPTY] = {.possible = true}, WRONG_BY(FIGURE(BY_M))},
    [CAIRN_SENSOR_THERMAL] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .figures = FIGURE(AT_C)},
                              [CAIRN_FAILURE_EMPTY] = {.possible = true}, WRONG_BY(FIGURE(BY_K))},
    [CAIRN_SENSOR_RANGE_IMAGE] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .figures = FIGURE(AT_M)},
                                  [CAIRN_FAILURE_EMPTY] = {.possible = true}, WRONG_BY(FIGURE(BY_M))},
    [CAIRN_SENSOR_RANGES] = {ANY_WAY, [CAIRN_FAILURE_STUCK] = {.possible = true, .figures = FIGURE(AT_M)},
                             [CAIRN_FAILURE_EMPTY] = {.possible = true}, WRONG_BY(FIGURE(BY_M))},
    [CAIRN_SENSOR_GPS] = {ANY_WAY, [CAIRN_FAILURE_EMPTY] = {.possible = true}, WRONG_BY(FIGURE(BY_M))},
    [CAIRN_SENSOR_MAGNETOMETER] = {ANY_WAY, WRONG_BY(FIGURE(BY_UT))},
    [CAIRN_SENSOR_BAROMETER] = {ANY_WAY, WRONG_BY(FIGURE(BY_PA))},
};

const cairn_failure_rule *cairn_failure_rule_of(cairn_sensor sensor, cairn_failure_way way)
{
    CAIRN_ASSERT(sensor < CAIRN_SENSOR_COUNT && way < CAIRN_FAILURE_WAY_COUNT);
    return &rules[sensor][way];
}

static uint32_t count_parts(const char *const *parts)
{
    uint32_t count = 0;
    while (parts != NULL && parts[count] != NULL) { count++; }
    return count;
}

static bool is_sound_figure(const cairn_failure *failure, uint32_t figures)
{
    if (figures == 0) { return failure->figure == CAIRN_FAILURE_NO_FIGURE && failure->amount == 0; }
    if (failure->figure >= CAIRN_FAILURE_FIGURE_COUNT || (figures >> failure->figure & 1) == 0) { return false; }
    const cairn_failure_key *key = &cairn_failure_keys[failure->figure];
    return failure->amount >= key->min && failure->amount <= key->max && failure->amount != 0;
}

bool cairn_failure_is_sound(cairn_sensor sensor, const cairn_failure *failure)
{
    if (failure->way >= CAIRN_FAILURE_WAY_COUNT || failure->spare != 0) { return false; }
    const cairn_failure_rule *rule = cairn_failure_rule_of(sensor, (cairn_failure_way)failure->way);
    const uint32_t part_count = count_parts(rule->parts);
    return rule->possible && is_sound_figure(failure, rule->figures) &&
           failure->part < (part_count > 0 ? part_count : 1);
}

void cairn_failure_say(cairn_sensor sensor, const cairn_failure *failure, char *ret_text, size_t text_bytes)
{
    CAIRN_ASSERT(ret_text != NULL && text_bytes > 0);
    CAIRN_ASSERT(cairn_failure_is_sound(sensor, failure));
    const cairn_failure_rule *rule = cairn_failure_rule_of(sensor, (cairn_failure_way)failure->way);
    const char *word = cairn_failure_words[failure->way];
    if (rule->parts != NULL) {
        (void)snprintf(ret_text, text_bytes, "%s: %s", word, rule->parts[failure->part]);
    } else if (rule->figures != 0) {
        const bool stuck = failure->way == CAIRN_FAILURE_STUCK;
        (void)snprintf(ret_text, text_bytes, "%s %s %g %s", word, stuck ? "at" : "by", failure->amount,
                       cairn_failure_keys[failure->figure].unit);
    } else {
        (void)snprintf(ret_text, text_bytes, "%s", word);
    }
}

// ---- when

void cairn_failing_init(cairn_failing *failing, uint64_t seed, const char *stream)
{
    CAIRN_ASSERT(failing != NULL && stream != NULL);
    memset(failing, 0, sizeof *failing);
    cairn_random_init(&failing->random, seed, stream);
}

void cairn_failing_begin(cairn_failing *failing, cairn_sensor sensor, const cairn_failure *failure, cairn_mono now)
{
    CAIRN_ASSERT(cairn_failure_is_sound(sensor, failure));
    failing->failed = 1;
    failing->off = 0; // the first turn, which is due now, is to silence
    failing->failure = *failure;
    failing->turns_ns = now.ns;
}

void cairn_failing_end(cairn_failing *failing) { failing->failed = 0; }

bool cairn_failing_is_sound(const cairn_failing *failing, cairn_sensor sensor)
{
    bool sound = failing->failed <= 1 && failing->off <= 1;
    sound = sound && (failing->failed == 0 || cairn_failure_is_sound(sensor, &failing->failure));
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        sound = sound && fabs(failing->shift_ticks[i]) <= SHIFT_TICKS_MAX &&
                fabs((double)failing->true_ticks[i]) <= SHIFT_TICKS_MAX;
    }
    return sound;
}

bool cairn_failing_withholds(cairn_failing *failing, cairn_mono now)
{
    if (!cairn_failing_is(failing, CAIRN_FAILURE_INTERMITTENT)) {
        return cairn_failing_is(failing, CAIRN_FAILURE_SILENT);
    }
    while (failing->turns_ns <= now.ns) {
        failing->off = !failing->off;
        failing->turns_ns += cairn_ns_from_seconds(cairn_random_between(&failing->random, TURN_S_MIN, TURN_S_MAX));
    }
    return failing->off != 0;
}

// By how much this frame is wrong. Two words are drawn for each frame of a jumping sensor.
static double wrong_by(cairn_failing *failing)
{
    if (cairn_failing_is(failing, CAIRN_FAILURE_BIASED)) { return failing->failure.amount; }
    if (!cairn_failing_is(failing, CAIRN_FAILURE_JUMPING)) { return 0; }
    const bool jumps = cairn_random_uniform(&failing->random) < JUMP_CHANCE;
    const bool up = cairn_random_uniform(&failing->random) < 0.5;
    return !jumps ? 0 : up ? failing->failure.amount : -failing->failure.amount;
}

// ---- what each sensor says then

static void lose_counts(cairn_failing *failing, int wheel, double true_step)
{
    CAIRN_ASSERT(wheel >= 0 && wheel < CAIRN_WHEELS_MAX);
    const bool stuck = cairn_failing_is(failing, CAIRN_FAILURE_STUCK) && (int)failing->failure.part == wheel;
    if (stuck || cairn_failing_is(failing, CAIRN_FAILURE_FROZEN)) { failing->shift_ticks[wheel] -= true_step; }
    if (cairn_failing_is(failing, CAIRN_FAILURE_BIASED)) {
        failing->shift_ticks[wheel] += true_step * failing->failure.amount / 100;
    }
}

void cairn_failing_encoders(cairn_failing *failing, cairn_encoder_frame *frame)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        lose_counts(failing, i, (double)(frame->ticks[i] - failing->true_ticks[i]));
        failing->true_ticks[i] = frame->ticks[i];
    }
    if (cairn_failing_is(failing, CAIRN_FAILURE_JUMPING)) {
        const uint32_t wheel = cairn_random_below(&failing->random, CAIRN_WHEELS_MAX);
        failing->shift_ticks[wheel] += wrong_by(failing);
    }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { frame->ticks[i] += llround(failing->shift_ticks[i]); }
}

void cairn_failing_imu(cairn_failing *failing, const cairn_imu_frame *before, cairn_imu_frame *frame)
{
    const double wrong = wrong_by(failing);
    if (failing->failure.figure == CAIRN_FAILURE_BY_DEGPS) { frame->turn_radps.z += wrong * RADPS_PER_DEGPS; }
    if (failing->failure.figure == CAIRN_FAILURE_BY_MPS2) { frame->accel_mps2.x += wrong; }
    if (!cairn_failing_is(failing, CAIRN_FAILURE_STUCK) || before == NULL) { return; }
    if (failing->failure.part == GYRO) {
        frame->turn_radps = before->turn_radps;
    } else {
        frame->accel_mps2 = before->accel_mps2;
    }
}

void cairn_failing_bump(cairn_failing *failing, cairn_bump_frame *frame)
{
    bool *const pressed[] = {&frame->front, &frame->rear, &frame->left, &frame->right};
    CAIRN_ASSERT(failing->failure.part < sizeof pressed / sizeof pressed[0]);
    if (cairn_failing_is(failing, CAIRN_FAILURE_STUCK)) { *pressed[failing->failure.part] = true; }
    if (cairn_failing_is(failing, CAIRN_FAILURE_EMPTY)) { *frame = (cairn_bump_frame){.taken = frame->taken}; }
    if (cairn_failing_is(failing, CAIRN_FAILURE_JUMPING)) {
        const uint32_t side = cairn_random_below(&failing->random, 4);
        if (cairn_random_uniform(&failing->random) < JUMP_CHANCE) { *pressed[side] = true; }
    }
}

void cairn_failing_battery(cairn_failing *failing, cairn_battery_frame *frame)
{
    frame->voltage_v = fmaxf(frame->voltage_v + (float)wrong_by(failing), 0);
}

// A range in metres, as the laser and the range sensors say it.
static float wrong_range_m(const cairn_failing *failing, double wrong_m, float range_m)
{
    if (cairn_failing_is(failing, CAIRN_FAILURE_EMPTY)) { return INFINITY; }
    if (cairn_failing_is(failing, CAIRN_FAILURE_STUCK)) { return (float)failing->failure.amount; }
    return wrong_m != 0 ? fmaxf(range_m + (float)wrong_m, 0) : range_m; // fmaxf would make a number of NaN
}

void cairn_failing_scan(cairn_failing *failing, cairn_scan_frame *frame)
{
    CAIRN_ASSERT(frame->beam_count <= CAIRN_SCAN_BEAMS_MAX);
    const double wrong_m = wrong_by(failing);
    for (uint32_t i = 0; i < frame->beam_count; i++) {
        if (isnan(frame->range_m[i]) && wrong_m != 0) { continue; }
        frame->range_m[i] = wrong_range_m(failing, wrong_m, frame->range_m[i]);
    }
}

void cairn_failing_range(cairn_failing *failing, float *range_m)
{
    const double wrong_m = wrong_by(failing);
    if (isnan(*range_m) && wrong_m != 0) { return; }
    *range_m = wrong_range_m(failing, wrong_m, *range_m);
}

static uint16_t to_uint16(double value) { return (uint16_t)fmin(fmax(round(value), 0), UINT16_MAX); }

static uint16_t centikelvin(double celsius) { return to_uint16((celsius + 273.15) * 100); }

static void warm_spot(const cairn_failing *failing, cairn_thermal_frame *frame)
{
    const uint32_t width_px = frame->width_px / SPOT_PART + 1, height_px = frame->height_px / SPOT_PART + 1;
    const uint32_t x0 = (frame->width_px - width_px) / 2, y0 = (frame->height_px - height_px) / 2;
    for (uint32_t y = y0; y < y0 + height_px; y++) {
        for (uint32_t x = x0; x < x0 + width_px; x++) {
            frame->centikelvin[y * frame->width_px + x] = centikelvin(failing->failure.amount);
        }
    }
}

void cairn_failing_thermal(cairn_failing *failing, cairn_thermal_frame *frame)
{
    CAIRN_ASSERT(frame->width_px > 0 && frame->height_px > 0);
    const uint32_t pixel_count = frame->width_px * frame->height_px;
    const double wrong_k = wrong_by(failing);
    for (uint32_t i = 0; wrong_k != 0 && i < pixel_count; i++) {
        frame->centikelvin[i] = to_uint16(frame->centikelvin[i] + 100 * wrong_k);
    }
    if (cairn_failing_is(failing, CAIRN_FAILURE_STUCK)) { warm_spot(failing, frame); }
    if (cairn_failing_is(failing, CAIRN_FAILURE_EMPTY)) {
        memset(frame->centikelvin, 0, pixel_count * sizeof *frame->centikelvin); // not known
    }
}

static uint16_t wrong_millimetres(const cairn_failing *failing, double wrong_m, uint16_t millimetres)
{
    if (cairn_failing_is(failing, CAIRN_FAILURE_EMPTY)) { return 0; } // not known
    if (cairn_failing_is(failing, CAIRN_FAILURE_STUCK)) { return to_uint16(1000 * failing->failure.amount); }
    return wrong_m != 0 && millimetres > 0 ? to_uint16(millimetres + 1000 * wrong_m) : millimetres;
}

void cairn_failing_range_image(cairn_failing *failing, cairn_range_image_frame *frame)
{
    const double wrong_m = wrong_by(failing);
    for (uint32_t i = 0; i < frame->width_px * frame->height_px; i++) {
        frame->millimetres[i] = wrong_millimetres(failing, wrong_m, frame->millimetres[i]);
    }
}

void cairn_failing_gps(cairn_failing *failing, cairn_gps_frame *frame)
{
    frame->at_m.x += wrong_by(failing); // NaN stays
    if (!cairn_failing_is(failing, CAIRN_FAILURE_EMPTY)) { return; }
    *frame = (cairn_gps_frame){.taken = frame->taken, .at_m = {NAN, NAN, NAN}, .claimed_m = NAN};
}

void cairn_failing_magnetometer(cairn_failing *failing, cairn_magnetometer_frame *frame)
{
    frame->field_ut.x += wrong_by(failing);
}

void cairn_failing_barometer(cairn_failing *failing, cairn_barometer_frame *frame)
{
    frame->pressure_pa += wrong_by(failing);
}
