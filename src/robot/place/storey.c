#include "robot/place/storey.h"
#include <math.h>

#define PA_PER_M 12.0           // of air near the ground
#define PRESSURE_PA_MIN 30000.0 // on the highest mountains, and in the deepest mines
#define PRESSURE_PA_MAX 125000.0
#define CLIMB_PART 0.03 // [-] deviation of a climb, part of the root of the way
// A robot of unknown speed may climb its slope at this speed, for so long before it slows, slides back or grips.
// Larger: the barometer decides sooner, and with it the weather.
#define UNKNOWN_MPS 0.3
#define UNKNOWN_S 4.0
#define STEP_S_MAX 0.5   // a longer time without a step is not counted as driving
#define START_M 0.05     // deviation of the height at the start
#define CHANGE_PART 0.67 // [-] of a storey
#define SURE_PART 0.33   // [-] of a storey
#define FLOOR_MAX 100    // on the air
#define FLOOR_MIN (-20)

void cairn_storey_init(cairn_storey *storey, const cairn_barometer_description *barometer)
{
    *storey = (cairn_storey){.barometer = barometer, .variance_m2 = {START_M * START_M, 0, 0}};
}

void cairn_storey_resume(cairn_storey *storey, double height_m, int32_t floor)
{
    storey->height_m = height_m;
    storey->floor = floor;
}

void cairn_storey_climb(cairn_storey *storey, double forward_mps, double pitch_rad, cairn_mono now)
{
    const double step_s = cairn_seconds(cairn_mono_since(now, storey->climbed_at));
    const bool goes_on = storey->climbed_at.ns > 0 && step_s > 0 && step_s < STEP_S_MAX;
    storey->climbed_at = now;
    if (!goes_on || !isfinite(pitch_rad)) { return; }
    if (!isfinite(forward_mps)) {
        const double climb_mps = UNKNOWN_MPS * sin(pitch_rad);
        storey->variance_m2[0] += climb_mps * climb_mps * UNKNOWN_S * step_s;
        return;
    }
    const double way_m = forward_mps * step_s;
    storey->height_m -= way_m * sin(pitch_rad); // nose down is positive
    storey->variance_m2[0] += CLIMB_PART * CLIMB_PART * fabs(way_m);
}

static void judge_floor(cairn_storey *storey)
{
    const double storey_m = storey->barometer->storey_m;
    const double off_m = storey->height_m - storey->floor * storey_m;
    if (fabs(off_m) < CHANGE_PART * storey_m || sqrt(storey->variance_m2[0]) > SURE_PART * storey_m) { return; }
    const double floor = round(storey->height_m / storey_m);
    storey->floor = (int32_t)fmin(fmax(floor, FLOOR_MIN), FLOOR_MAX);
}

// One step of a Kalman filter whose measurement is the sum of both states.
static void correct(cairn_storey *storey, double measured_m)
{
    double *p = storey->variance_m2;
    const double noise_m = fmax(storey->barometer->noise_pa / PA_PER_M, 0.01);
    const double by_height = p[0] + p[1], by_weather = p[1] + p[2];
    const double sum_m2 = by_height + by_weather + noise_m * noise_m;
    const double off_m = measured_m - storey->height_m - storey->weather_m;
    storey->height_m += by_height / sum_m2 * off_m;
    storey->weather_m += by_weather / sum_m2 * off_m;
    p[0] -= by_height * by_height / sum_m2;
    p[1] -= by_height * by_weather / sum_m2;
    p[2] -= by_weather * by_weather / sum_m2;
}

void cairn_storey_hear(cairn_storey *storey, const cairn_barometer_frame *frame)
{
    const bool possible = frame->pressure_pa > PRESSURE_PA_MIN && frame->pressure_pa < PRESSURE_PA_MAX; // nor NaN
    if (!possible || frame->taken.ns <= storey->heard_at.ns) { return; }
    if (storey->heard_at.ns == 0) {
        const double noise_m = storey->barometer->noise_pa / PA_PER_M; // of this one reading, from now on
        storey->start_pa = frame->pressure_pa + PA_PER_M * storey->height_m;
        storey->variance_m2[2] = noise_m * noise_m;
        storey->heard_at = frame->taken;
        return;
    }
    const double minutes = cairn_seconds(cairn_mono_since(frame->taken, storey->heard_at)) / 60;
    storey->heard_at = frame->taken;
    const double walk_m = storey->barometer->weather_pa_per_sqrt_min / PA_PER_M;
    storey->variance_m2[2] += walk_m * walk_m * minutes;
    correct(storey, (storey->start_pa - frame->pressure_pa) / PA_PER_M);
    judge_floor(storey);
}
