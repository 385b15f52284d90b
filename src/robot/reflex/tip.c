// The four lines between wheels and their angles at rest are worked out once. What is felt beside gravity, and the
// turn, are smoothed and bounded, so that a blow is no fall; the measure is then that of two directions of the force.
#include "robot/reflex/tip.h"
#include "robot/reflex/near.h"
#include <math.h>

#define GRAVITY_MPS2 9.80665
// [s] Jolts are shorter than these. Larger: fewer false alarms; later.
#define FELT_S 0.15
#define TURN_S 0.05
// [m/s2] No wheel makes more than this; what is more is a blow.
#define BLOW_MPS2 6.0
// [rad/s] Of a fall; a wheel that drops off a stone turns the robot faster, and for a moment.
#define TURN_RADPS_MAX 3.0
#define LEVEL_RAD_MIN 0.05 // of a centre of mass that is not between the wheels

static cairn_vec3 beside(cairn_vec3 v, cairn_vec3 unit)
{
    return cairn_vec3_sub(v, cairn_vec3_scale(unit, cairn_vec3_dot(v, unit)));
}

// Positive while the force points between the wheels.
static double angle_rad(cairn_vec3 along, cairn_vec3 to_m, cairn_vec3 force)
{
    const cairn_vec3 pulls = beside(force, along);
    return atan2(-cairn_vec3_dot(cairn_vec3_cross(pulls, to_m), along), cairn_vec3_dot(pulls, to_m));
}

void cairn_tip_init(cairn_tip *tip, const cairn_body_description *body)
{
    CAIRN_ASSERT(body->wheels.wheelbase_m > 0.0 && body->wheels.track_m > 0.0);
    const double x_m = 0.5 * body->wheels.wheelbase_m, y_m = 0.5 * body->wheels.track_m;
    const cairn_vec3 corners[4] = {{x_m, -y_m, 0}, {x_m, y_m, 0}, {-x_m, y_m, 0}, {-x_m, -y_m, 0}};
    double arm_m = INFINITY;
    *tip = (cairn_tip){.body = body, .measure = NAN};
    for (int i = 0; i < 4; i++) {
        const cairn_vec3 edge = cairn_vec3_sub(corners[(i + 1) % 4], corners[i]);
        const cairn_vec3 along = cairn_vec3_scale(edge, 1.0 / cairn_vec3_length(edge));
        const cairn_vec3 to_m = beside(cairn_vec3_sub(corners[i], body->mass_centre_m), along);
        const double level_rad = angle_rad(along, to_m, (cairn_vec3){0, 0, -1});
        tip->edges[i].along = along;
        tip->edges[i].to_m = to_m;
        tip->edges[i].level_rad = fmax(level_rad, LEVEL_RAD_MIN);
        arm_m = fmin(arm_m, cairn_vec3_length(to_m));
    }
    // A box that turns over its edge: the time in which its fall grows by e.
    const double square_m2 = (body->length_m * body->length_m + body->height_m * body->height_m) / 12.0;
    arm_m = fmax(arm_m, 0.05);
    tip->horizon_s = sqrt((square_m2 + arm_m * arm_m) / (GRAVITY_MPS2 * arm_m));
}

double cairn_tip_measure(const cairn_tip *tip, cairn_vec3 force_mps2)
{
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double rad = angle_rad(tip->edges[i].along, tip->edges[i].to_m, force_mps2);
        least = fmin(least, rad / tip->edges[i].level_rad);
    }
    return least;
}

static double bounded(double value, double most) { return fmin(fmax(value, -most), most); }

static void smooth(cairn_vec3 *mean, cairn_vec3 value, double most, double part)
{
    const cairn_vec3 within = {bounded(value.x, most), bounded(value.y, most), bounded(value.z, most)};
    *mean = cairn_vec3_add(*mean, cairn_vec3_scale(cairn_vec3_sub(within, *mean), part));
}

// A direction fixed in the world turns the other way as seen from the base.
static cairn_vec3 up_after(cairn_vec3 up, cairn_vec3 turn_radps, double seconds)
{
    const cairn_vec3 then = cairn_vec3_add(up, cairn_vec3_scale(cairn_vec3_cross(up, turn_radps), seconds));
    return cairn_vec3_scale(then, 1.0 / cairn_vec3_length(then));
}

static double measure_of(const cairn_tip *tip, cairn_vec3 up)
{
    const cairn_vec3 held = cairn_vec3_add(cairn_vec3_scale(up, GRAVITY_MPS2), tip->felt_mps2);
    return cairn_tip_measure(tip, cairn_vec3_scale(held, -1.0));
}

// As fast as it goes now, less what it can brake in this step, down to what is left of its speed so near to tipping.
static double slower(double now, double least, double decel, double period_s)
{
    return fmax(fmax(fabs(now) - decel * period_s, 0.0), least);
}

static void slow_down(cairn_tip *tip, cairn_motion written, double period_s)
{
    const cairn_body_limits *limits = &tip->body->limits;
    const double part = fmin(fmax((tip->measure - CAIRN_TIP_OVER) / (CAIRN_TIP_SLOW - CAIRN_TIP_OVER), 0.0), 1.0);
    const double mps = fmax(part * limits->speed_mps_max, CAIRN_CREEP_MPS);
    const double radps = fmax(part * limits->turn_radps_max, CAIRN_CREEP_RADPS);
    tip->forward_mps_max = slower(written.forward_mps, mps, limits->accel_mps2_max, period_s);
    tip->turn_radps_max = slower(written.turn_radps, radps, limits->turn_accel_radps2_max, period_s);
}

void cairn_tip_step(cairn_tip *tip, const cairn_sensed *sensed, const cairn_attitude *attitude,
                    cairn_vec3 turn_bias_radps, cairn_motion written, double period_s)
{
    CAIRN_ASSERT(tip->body != NULL && tip->horizon_s > 0.0 && period_s > 0.0);
    if (!sensed->imu.fresh || !attitude->known) {
        tip->felt_mps2 = tip->turn_radps = (cairn_vec3){0};
        tip->measure = NAN;
        return;
    }
    if (sensed->imu.is_new) {
        const cairn_vec3 gravity = cairn_vec3_scale(attitude->up, GRAVITY_MPS2);
        const double step_s = fmin(sensed->imu.step_s, FELT_S);
        smooth(&tip->felt_mps2, cairn_vec3_sub(sensed->accel_mps2, gravity), BLOW_MPS2, step_s / FELT_S);
        smooth(&tip->turn_radps, cairn_vec3_sub(sensed->turn_radps, turn_bias_radps), TURN_RADPS_MAX,
               fmin(step_s / TURN_S, 1.0));
    }
    tip->measure =
        fmin(measure_of(tip, attitude->up), measure_of(tip, up_after(attitude->up, tip->turn_radps, tip->horizon_s)));
    slow_down(tip, written, period_s);
}
