// A wheel's speed is the difference of its angle over a window of frames. One tick over one period is the
// noise of that figure, so coarse encoders get a longer window; the price is delay.
#include "robot/reflex/sensed.h"
#include "robot/reflex/reflex.h"
#include <math.h>
#include <string.h>

// [rad/s] A window is lengthened until one tick more or less changes the speed by less than this. Larger:
// less delay and stiffer wheels; rougher torque.
#define SPEED_GRAIN_RADPS 0.25
// [rad/s] Likewise what the counters err by beside (slip_noise). Smaller: wheels of rough counters shake less.
#define ROUGH_GRAIN_RADPS 3.0
// [-] Wheels that lose their grip run faster than their rated speed, but not this many times as fast.
#define IMPLAUSIBLE_SPEED_FACTOR 3.0
// [-] And they are off by so many deviations of what the file says that they err by (slip_noise). Smaller: frames of
// rough counters are thrown away, always the longest, and the robot goes farther than it counts.
#define ROUGH_DEVIATIONS 5.0
#define BUTTON_FIRST_NS CAIRN_S(1) // until its first frame
#define IMPLAUSIBLE_ACCEL_MPS2 400.0
#define IMPLAUSIBLE_TURN_RADPS 60.0

static double frame_period_s(const cairn_body_description *description)
{
    const double period_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS);
    return description->encoders.rate_hz > 0.0 ? fmax(period_s, 1.0 / description->encoders.rate_hz) : period_s;
}

// As long a window as makes the counters' own roughness at full speed bearable.
static double rough_frames(const cairn_body_description *description)
{
    const cairn_wheels_description *wheels = &description->wheels;
    const double radps = description->encoders.slip_noise / wheels->radius_m *
                         sqrt(description->limits.speed_mps_max / frame_period_s(description));
    return ceil(radps * radps / (ROUGH_GRAIN_RADPS * ROUGH_GRAIN_RADPS));
}

void cairn_sensed_init(cairn_sensed *sensed, const cairn_body_description *description)
{
    *sensed = (cairn_sensed){
        .encoders.offered = description->encoders.offered,
        .imu.offered = description->imu.offered,
        .bump.offered = description->bumper_offered,
        .button.offered = description->stop_button_offered,
        .battery.offered = description->battery.offered,
        .charge = NAN,
        .gyro_has_noise = description->imu.turn_noise_radps > 0.0,
        .accel_has_noise = description->imu.accel_noise_mps2 > 0.0,
        .wheel_radps_max = description->wheels.speed_radps_max * IMPLAUSIBLE_SPEED_FACTOR,
        .rough_rad_per_sqrt_s = ROUGH_DEVIATIONS * description->encoders.slip_noise *
                                sqrt(description->wheels.speed_radps_max / description->wheels.radius_m),
        .window_frames = 1,
    };
    if (!description->encoders.offered) { return; }
    CAIRN_ASSERT(description->encoders.ticks_per_turn > 0.0);
    sensed->rad_per_tick = 2.0 * CAIRN_PI / description->encoders.ticks_per_turn;
    const double ticks = ceil(sensed->rad_per_tick / (SPEED_GRAIN_RADPS * frame_period_s(description)));
    const double frames = fmax(ticks, rough_frames(description));
    sensed->window_frames = (uint32_t)fmin(fmax(frames, 1.0), CAIRN_ENCODER_WINDOW_MAX);
}

double cairn_sensed_speed_delay_s(const cairn_sensed *sensed, const cairn_body_description *description)
{
    return frame_period_s(description) * (1.0 + 0.5 * (sensed->window_frames - 1.0));
}

// The next frame of a cell if there is one that the reading has not seen; NULL otherwise.
static const void *next_frame(cairn_reading *reading, cairn_cell *cell)
{
    reading->is_new = false;
    reading->step_s = 0.0;
    if (cell == NULL) { return NULL; }
    uint64_t version = 0;
    const void *frame = cairn_cell_latest(cell, &version);
    if (frame == NULL || version == reading->version) { return NULL; }
    reading->version = version;
    return frame;
}

// Neither from the future nor too old to act on.
static bool is_of_now(cairn_mono taken, cairn_mono now)
{
    return taken.ns <= now.ns + CAIRN_CLOCK_SLACK_NS && taken.ns >= now.ns - CAIRN_SENSOR_AGE_NS_MAX;
}

// Notes a good frame's time. False if it cannot be: not of now, or not after the one before.
static bool accept_time(cairn_reading *reading, cairn_mono taken, cairn_mono now)
{
    if (!is_of_now(taken, now) || (reading->heard && taken.ns <= reading->taken.ns)) { return false; }
    reading->step_s = reading->heard ? cairn_seconds(cairn_mono_since(taken, reading->taken)) : 0.0;
    reading->taken = taken;
    reading->heard = reading->is_new = true;
    return true;
}

static void judge_age(cairn_reading *reading, cairn_mono now)
{
    reading->fresh = reading->heard && reading->taken.ns <= now.ns + CAIRN_CLOCK_SLACK_NS &&
                     cairn_mono_since(now, reading->taken) <= CAIRN_SENSOR_AGE_NS_MAX;
}

static double angle_rad(const cairn_sensed *sensed, const cairn_encoder_frame *frame, int wheel)
{
    return (double)frame->ticks[wheel] * sensed->rad_per_tick + sensed->offset_rad[wheel];
}

// True if no wheel turned faster than it can since the frame before, which is older.
static bool wheels_plausible(const cairn_sensed *sensed, const cairn_encoder_frame *frame)
{
    if (sensed->history_count == 0) { return true; }
    const double step_s = fmax(cairn_seconds(cairn_mono_since(frame->taken, sensed->history[0].taken)), 1e-3);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double turned = angle_rad(sensed, frame, i) - sensed->history[0].wheel_rad[i];
        const double rough_rad = sensed->rough_rad_per_sqrt_s * sqrt(step_s);
        if (fabs(turned) > sensed->wheel_radps_max * step_s + rough_rad) { return false; }
    }
    return true;
}

static void push_history(cairn_sensed *sensed, const cairn_encoder_frame *frame)
{
    memmove(&sensed->history[1], &sensed->history[0], sizeof sensed->history - sizeof sensed->history[0]);
    sensed->history[0].taken = frame->taken;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        sensed->ticks[i] = frame->ticks[i];
        sensed->history[0].wheel_rad[i] = angle_rad(sensed, frame, i);
    }
    if (sensed->history_count < sensed->window_frames + 1) { sensed->history_count++; }
}

// A counter was reset or skipped: the wheels are where they were, and the next frame is measured against this one.
// This one is not good by itself, so that counters that jump all the time are as good as silent.
static void start_afresh(cairn_sensed *sensed, const cairn_encoder_frame *frame)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        sensed->offset_rad[i] = sensed->wheel_rad[i] - (double)frame->ticks[i] * sensed->rad_per_tick;
    }
    sensed->history_count = 0;
    push_history(sensed, frame);
}

static void read_encoders(cairn_sensed *sensed, cairn_cell *cell, cairn_mono now)
{
    memset(sensed->wheel_step_rad, 0, sizeof sensed->wheel_step_rad);
    const cairn_encoder_frame *frame = next_frame(&sensed->encoders, cell);
    if (frame == NULL || frame->wheel_count != CAIRN_WHEELS_MAX || !is_of_now(frame->taken, now)) { return; }
    if (sensed->history_count > 0 && frame->taken.ns <= sensed->history[0].taken.ns) { return; }
    if (!wheels_plausible(sensed, frame)) {
        start_afresh(sensed, frame);
        return;
    }
    if (!accept_time(&sensed->encoders, frame->taken, now)) { return; }
    push_history(sensed, frame);
    const uint32_t oldest = sensed->history_count - 1;
    const double window_s = cairn_seconds(frame->taken.ns - sensed->history[oldest].taken.ns);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double rad = sensed->history[0].wheel_rad[i];
        sensed->wheel_rad[i] = rad;
        if (oldest == 0) { continue; } // the first frame of all
        sensed->wheel_step_rad[i] = rad - sensed->history[1].wheel_rad[i];
        sensed->wheel_radps[i] = (rad - sensed->history[oldest].wheel_rad[i]) / window_s;
    }
}

static bool within(cairn_vec3 v, double limit)
{
    return fabs(v.x) <= limit && fabs(v.y) <= limit && fabs(v.z) <= limit; // false for NaN
}

static bool same(cairn_vec3 a, cairn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// How often in a row a sensor with noise has said the same, to the last bit.
static uint32_t same_again(uint32_t count, bool again)
{
    if (!again) { return 0; }
    return count < CAIRN_SAME_FRAMES ? count + 1 : count;
}

// All of it at once; or one of the two alone, for longer.
static bool is_frozen(cairn_sensed *sensed, const cairn_imu_frame *frame)
{
    if (!sensed->imu.heard) { return false; }
    const bool same_turn = same(frame->turn_radps, sensed->turn_radps);
    const bool same_accel = same(frame->accel_mps2, sensed->accel_mps2);
    sensed->gyro_same_count = same_again(sensed->gyro_same_count, sensed->gyro_has_noise && same_turn);
    sensed->accel_same_count = same_again(sensed->accel_same_count, sensed->accel_has_noise && same_accel);
    const bool noisy = sensed->gyro_has_noise || sensed->accel_has_noise;
    const bool whole = noisy && (same_turn || !sensed->gyro_has_noise) && (same_accel || !sensed->accel_has_noise);
    return whole || sensed->gyro_same_count == CAIRN_SAME_FRAMES || sensed->accel_same_count == CAIRN_SAME_FRAMES;
}

static void read_imu(cairn_sensed *sensed, cairn_cell *cell, cairn_mono now)
{
    const cairn_imu_frame *frame = next_frame(&sensed->imu, cell);
    if (frame == NULL) { return; }
    if (!within(frame->turn_radps, IMPLAUSIBLE_TURN_RADPS) || !within(frame->accel_mps2, IMPLAUSIBLE_ACCEL_MPS2)) {
        return;
    }
    if (is_frozen(sensed, frame) || !accept_time(&sensed->imu, frame->taken, now)) { return; }
    sensed->turn_radps = frame->turn_radps;
    sensed->accel_mps2 = frame->accel_mps2;
}

// The byte is looked at as such: whatever is not a clean "no" is a touch.
static bool is_set(const bool *flag)
{
    unsigned char byte = 0;
    memcpy(&byte, flag, sizeof byte);
    return byte != 0;
}

static void read_bump(cairn_sensed *sensed, cairn_cell *cell, cairn_mono now)
{
    const cairn_bump_frame *frame = next_frame(&sensed->bump, cell);
    if (frame == NULL || !accept_time(&sensed->bump, frame->taken, now)) { return; }
    sensed->bump_front = is_set(&frame->front);
    sensed->bump_rear = is_set(&frame->rear);
    sensed->bump_left = is_set(&frame->left);
    sensed->bump_right = is_set(&frame->right);
}

// A button that is silent counts as pressed; at the start it has a second to speak.
static void read_button(cairn_sensed *sensed, cairn_cell *cell, cairn_mono now)
{
    if (!sensed->button.offered) { return; }
    if (sensed->began.ns == 0) { sensed->began = now; }
    const cairn_button_frame *frame = next_frame(&sensed->button, cell);
    const bool good = frame != NULL && accept_time(&sensed->button, frame->taken, now);
    judge_age(&sensed->button, now);
    if (good) { sensed->button_pressed = is_set(&frame->pressed); }
    const bool may_wait = !sensed->button.heard && cairn_mono_since(now, sensed->began) < BUTTON_FIRST_NS;
    if (!sensed->button.fresh && !may_wait) { sensed->button_pressed = true; }
}

// Out of range is not known: a gauge that has failed is no reason to stand.
static void read_battery(cairn_sensed *sensed, cairn_cell *cell, cairn_mono now)
{
    const cairn_battery_frame *frame = next_frame(&sensed->battery, cell);
    const int64_t oldest_ns = now.ns - CAIRN_CHARGE_AGE_NS_MAX;
    if (frame != NULL && frame->taken.ns <= now.ns + CAIRN_CLOCK_SLACK_NS && frame->taken.ns >= oldest_ns) {
        const double charge = (double)frame->charge;
        sensed->charge = charge >= 0.0 && charge <= 1.0 ? charge : NAN; // false for NaN
        sensed->battery.taken = frame->taken;
    }
    if (sensed->battery.taken.ns < oldest_ns || sensed->battery.taken.ns > now.ns + CAIRN_CLOCK_SLACK_NS) {
        sensed->charge = NAN;
    }
}

void cairn_sensed_forget(cairn_sensed *sensed)
{
    sensed->encoders.heard = sensed->imu.heard = sensed->bump.heard = false;
    sensed->encoders.fresh = sensed->imu.fresh = sensed->bump.fresh = false;
    // the counters went on counting: the first frame after is where the next is measured from
    sensed->history_count = 0;
}

void cairn_sensed_step(cairn_sensed *sensed, const cairn_body *body, cairn_mono now)
{
    read_encoders(sensed, body->encoders_reflex, now);
    read_imu(sensed, body->imu_reflex, now);
    read_bump(sensed, body->bump_reflex, now);
    read_button(sensed, body->button_reflex, now);
    read_battery(sensed, body->battery_reflex, now);
    judge_age(&sensed->encoders, now);
    judge_age(&sensed->imu, now);
    judge_age(&sensed->bump, now);
}
