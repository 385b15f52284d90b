// What wheels do and what the robot does are smoothed alike, so that the lag of one does not contradict the other.
// The accelerometer counts as a leaky integral: it may say that the robot moves.
#include "robot/reflex/spin.h"
#include <math.h>

#define GRAVITY_MPS2 9.80665
// [s] What is counted and seen is smoothed over this. Larger: steadier; later.
#define SMOOTH_S 0.3
// [s] The accelerometer's integral is forgotten within this.
#define FELT_S 0.5
// [m/s], [rad/s] Wheels that turn more slowly prove nothing.
#define TURNS_MPS 0.1
#define TURNS_RADPS 0.3
// [-] It goes along if it goes at this part of what its wheels do. Smaller: surer that it stands.
#define ALONG_PART 0.15
// [m/s], [rad/s] It moves, in whatever way.
#define MOVES_MPS 0.05
#define MOVES_RADPS 0.15
#define FELT_MPS 0.15
// What mind saw must be as young as this, and no faster than this.
#define SEEN_NS_MAX CAIRN_MS(400)
#define SEEN_MPS_MAX 5.0
#define SEEN_RADPS_MAX 10.0

void cairn_spin_init(cairn_spin *spin, const cairn_body_description *description)
{
    CAIRN_ASSERT(description->wheels.radius_m > 0.0 && description->wheels.turn_efficiency > 0.0);
    *spin = (cairn_spin){.radius_m = description->wheels.radius_m,
                         .track_m = description->wheels.track_m / description->wheels.turn_efficiency};
}

// NULL where mind saw nothing of now. Comparisons are written so that NaN fails them.
static const cairn_seen_motion *sight(const cairn_spin_input *input)
{
    const cairn_seen_motion *saw = cairn_cell_latest(input->seen, NULL);
    if (saw == NULL) { return NULL; }
    const bool of_now = saw->at.ns <= input->now.ns + CAIRN_CLOCK_SLACK_NS && saw->at.ns >= input->now.ns - SEEN_NS_MAX;
    const bool can_be = fabs(saw->forward_mps) <= SEEN_MPS_MAX && fabs(saw->turn_radps) <= SEEN_RADPS_MAX;
    return of_now && can_be ? saw : NULL;
}

static void feel(cairn_spin *spin, const cairn_spin_input *input)
{
    const bool feels = input->sensed->imu.is_new && input->attitude->known;
    const double mps2 = input->sensed->accel_mps2.x - GRAVITY_MPS2 * input->attitude->up.x;
    if (feels) { spin->felt_mps += mps2 * fmin(input->sensed->imu.step_s, FELT_S); }
    spin->felt_mps *= 1.0 - fmin(input->period_s / FELT_S, 1.0);
}

static void smooth(double *mean, double value, double period_s)
{
    *mean += (value - *mean) * fmin(period_s / SMOOTH_S, 1.0);
}

// Holds the way once it has been odd for long enough, and lets it go after the pause or when nobody asks for it.
static void judge(cairn_spin_way *way, bool odd, double asked, double period_s)
{
    if (way->held != 0.0) {
        way->held_s += period_s;
        if (way->held_s >= CAIRN_SPIN_PAUSE_S || asked * way->held <= 0.0) { way->held = way->odd_s = 0.0; }
        return;
    }
    way->odd_s = odd && asked * way->wheels > 0.0 ? way->odd_s + period_s : 0.0;
    if (way->odd_s < CAIRN_SPIN_S) { return; }
    way->held = way->wheels > 0.0 ? 1.0 : -1.0;
    way->held_s = 0.0;
}

static bool goes_along(const cairn_spin_way *way)
{
    return way->truth * (way->wheels > 0.0 ? 1.0 : -1.0) > ALONG_PART * fabs(way->wheels);
}

static void forget(cairn_spin *spin)
{
    spin->forward = spin->turn = (cairn_spin_way){0};
    spin->felt_mps = 0.0;
}

void cairn_spin_step(cairn_spin *spin, const cairn_spin_input *input)
{
    CAIRN_ASSERT(spin->radius_m > 0.0 && spin->track_m > 0.0 && input->period_s > 0.0);
    const cairn_sensed *sensed = input->sensed;
    if (!sensed->encoders.fresh) {
        forget(spin);
        return;
    }
    const double left_mps = 0.5 * spin->radius_m * (sensed->wheel_radps[0] + sensed->wheel_radps[2]);
    const double right_mps = 0.5 * spin->radius_m * (sensed->wheel_radps[1] + sensed->wheel_radps[3]);
    const cairn_seen_motion *saw = sight(input);
    const bool turns = isfinite(input->turn_radps);
    feel(spin, input);
    smooth(&spin->forward.wheels, 0.5 * (left_mps + right_mps), input->period_s);
    smooth(&spin->forward.truth, saw != NULL ? saw->forward_mps : spin->forward.wheels, input->period_s);
    smooth(&spin->turn.wheels, (right_mps - left_mps) / spin->track_m, input->period_s);
    smooth(&spin->turn.truth, turns ? input->turn_radps : spin->turn.wheels, input->period_s);
    const bool turned = turns && fabs(spin->turn.truth) > MOVES_RADPS;
    const bool felt = fabs(spin->felt_mps) > FELT_MPS;
    const bool moved = fabs(saw != NULL ? spin->forward.truth : spin->forward.wheels) > MOVES_MPS;
    const bool saw_turn = saw != NULL && fabs(saw->turn_radps) > MOVES_RADPS;
    // One that jerks against what holds it feels much, and turns a little; its own sight is not misled by that.
    const bool seen_standing = saw != NULL && !goes_along(&spin->forward) && !turned && !felt;
    const bool stands = (input->stands || seen_standing) && fabs(spin->forward.wheels) > TURNS_MPS;
    const bool faces = turns && fabs(spin->turn.wheels) > TURNS_RADPS && !goes_along(&spin->turn);
    judge(&spin->forward, stands, input->asked.forward_mps, input->period_s);
    judge(&spin->turn, faces && !moved && !felt && !saw_turn, input->asked.turn_radps, input->period_s);
}
