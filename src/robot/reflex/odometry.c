// Wheels that skid tell little about turning and much about going forward; the gyro is the other way round.
// So the way comes from the mean of the wheels and the heading from the gyro, whose bias is learnt whenever
// the robot has stood still for a while, and about level axes by gravity all the time. Whether it stands is judged by
// what it feels and by its wheels, not by what it was told; without wheels that are counted, a robot that was told to
// move does not stand.
#include "robot/reflex/odometry.h"
#include <math.h>
#include <string.h>

// [s] Standing still for this long begins the learning. Smaller: more chances; more of the last swing.
#define REST_S 0.4
// [s] Memory of the bias: at first a plain mean, later this time constant. Larger: less noise; slower to follow a walk.
#define BIAS_MEMORY_S 4.0
// [s] How long a bias that was taken over counts as learnt.
#define BIAS_RESUMED_S 1.0
// [rad/s] No gyro that is worth using is off by more than this: anything above is a robot being turned.
#define BIAS_RADPS_MAX 0.1
// [-] and [rad/s]: a bias that seems to have wandered by more than so many deviations, and by more than this at all, is
// a robot that somebody turns. Larger: follows a gyro that is worse than its file; believes a faster turntable.
#define WANDER_DEVIATIONS 4.0
#define WANDER_RADPS_MIN 0.002
// [s] For how long nobody looked at a bias that was taken over.
#define RESUMED_UNLEARNT_S 60.0
// [-] and [rad]: a wheel that is held in place moves by this many ticks, or by this angle of slack.
#define STILL_TICKS 4.0
#define STILL_RAD 0.01
// [s] The forward speed that is told is a mean over this time. Larger: smoother; late by as much.
#define SPEED_MEAN_S 0.04
// [m] Way that is counted at once, so that a wheel trembling in its place travels nowhere.
#define DISTANCE_GRAIN_M 0.005

void cairn_odometry_init(cairn_odometry *odometry, const cairn_body_description *description)
{
    const cairn_wheels_description *wheels = &description->wheels;
    CAIRN_ASSERT(wheels->radius_m > 0.0 && wheels->track_m > 0.0);
    CAIRN_ASSERT(wheels->turn_efficiency > 0.0);
    *odometry = (cairn_odometry){.wheel_radius_m = wheels->radius_m,
                                 .track_m = wheels->track_m / wheels->turn_efficiency,
                                 .still_rad = STILL_RAD,
                                 .bias_walk_radps = description->imu.turn_bias_walk_radps_per_sqrt_s};
    cairn_stillness_init(&odometry->stillness, &description->imu);
    if (!description->encoders.offered) { return; }
    odometry->still_rad = fmax(STILL_RAD, STILL_TICKS * 2.0 * CAIRN_PI / description->encoders.ticks_per_turn);
}

// Left and right travel in metres from four wheels.
typedef struct side_travel {
    double left_m, right_m;
} side_travel;

static side_travel sides(const double wheel_rad[CAIRN_WHEELS_MAX], double radius_m)
{
    return (side_travel){0.5 * radius_m * (wheel_rad[0] + wheel_rad[2]),
                         0.5 * radius_m * (wheel_rad[1] + wheel_rad[3])};
}

// True while no wheel has left the place where it came to rest; a wheel that leaves it starts a new rest.
static bool wheels_still(cairn_odometry *odometry, const cairn_sensed *sensed, cairn_motion written)
{
    if (!sensed->encoders.offered) { return written.forward_mps == 0.0 && written.turn_radps == 0.0; }
    bool still = sensed->encoders.fresh;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        still = still && fabs(sensed->wheel_rad[i] - odometry->rest_wheel_rad[i]) < odometry->still_rad;
    }
    if (!still) { memcpy(odometry->rest_wheel_rad, sensed->wheel_rad, sizeof odometry->rest_wheel_rad); }
    return still;
}

// True unless the bias would have had to wander further than it can: then somebody turns the robot.
static bool may_be_bias(const cairn_odometry *odometry)
{
    const cairn_vec3 turn_radps = odometry->stillness.turn_radps_mean;
    if (odometry->learnt_s < REST_S) { return cairn_vec3_length(turn_radps) < BIAS_RADPS_MAX; }
    const double wander_radps = WANDER_DEVIATIONS * odometry->bias_walk_radps * sqrt(1.0 + odometry->unlearnt_s);
    const double off_radps = cairn_vec3_length(cairn_vec3_sub(turn_radps, odometry->turn_bias_radps));
    return off_radps < fmax(wander_radps, WANDER_RADPS_MIN) && cairn_vec3_length(turn_radps) < BIAS_RADPS_MAX;
}

static void learn_bias(cairn_odometry *odometry, const cairn_sensed *sensed, cairn_motion written, double period_s)
{
    cairn_stillness_step(&odometry->stillness, sensed);
    odometry->unlearnt_s += period_s;
    odometry->rest_s = wheels_still(odometry, sensed, written) ? odometry->rest_s + period_s : 0.0;
    const double rest_s = fmin(odometry->rest_s, odometry->stillness.calm_s);
    if (rest_s < REST_S || !sensed->imu.is_new || sensed->imu.step_s <= 0.0 || !may_be_bias(odometry)) { return; }
    odometry->unlearnt_s = 0.0;
    odometry->learnt_s = fmin(odometry->learnt_s + sensed->imu.step_s, BIAS_MEMORY_S);
    const double part = fmin(sensed->imu.step_s / odometry->learnt_s, 1.0);
    const cairn_vec3 error = cairn_vec3_sub(sensed->turn_radps, odometry->turn_bias_radps);
    odometry->turn_bias_radps = cairn_vec3_add(odometry->turn_bias_radps, cairn_vec3_scale(error, part));
}

// Its bias about level axes is corrected by gravity while it moves, too.
static void hear_gravity(cairn_odometry *odometry, const cairn_attitude *attitude)
{
    cairn_vec3 *bias = &odometry->turn_bias_radps;
    bias->x = fmin(fmax(bias->x + attitude->bias_radps_error.x, -BIAS_RADPS_MAX), BIAS_RADPS_MAX);
    bias->y = fmin(fmax(bias->y + attitude->bias_radps_error.y, -BIAS_RADPS_MAX), BIAS_RADPS_MAX);
}

// Turn about the vertical, which is not the base's z axis on a ramp.
static double heading_rate_radps(const cairn_odometry *odometry, const cairn_sensed *sensed,
                                 const cairn_attitude *attitude)
{
    const cairn_vec3 turn = cairn_vec3_sub(sensed->turn_radps, odometry->turn_bias_radps);
    if (!attitude->known) { return turn.z; }
    const double level = attitude->up.y * attitude->up.y + attitude->up.z * attitude->up.z; // cos^2 of the pitch
    if (level < 0.1) { return turn.z; } // on its nose: heading means nothing
    return (turn.y * attitude->up.y + turn.z * attitude->up.z) / level;
}

// How far the heading has changed in this step; the wheels tell where no gyro speaks.
static double turned_rad(cairn_odometry *odometry, const cairn_sensed *sensed, const cairn_attitude *attitude,
                         cairn_motion written, double period_s)
{
    if (sensed->imu.fresh) {
        if (!sensed->imu.is_new) { return 0.0; }
        const bool was_known = !isnan(odometry->turn_radps); // not after a silence without encoders
        const double before_radps = odometry->turn_radps;
        odometry->turn_radps = heading_rate_radps(odometry, sensed, attitude);
        if (!was_known) { return 0.0; } // what was told has been counted
        // After a silence the wheels have told all but its beginning.
        const double step_s = fmin(sensed->imu.step_s, cairn_seconds(CAIRN_SENSOR_AGE_NS_MAX));
        return 0.5 * (before_radps + odometry->turn_radps) * step_s;
    }
    if (sensed->encoders.offered) {
        const side_travel speed = sides(sensed->wheel_radps, odometry->wheel_radius_m);
        const side_travel step = sides(sensed->wheel_step_rad, odometry->wheel_radius_m);
        odometry->turn_radps = (speed.right_m - speed.left_m) / odometry->track_m;
        return (step.right_m - step.left_m) / odometry->track_m;
    }
    odometry->turn_radps = NAN;
    return written.turn_radps * period_s;
}

static double travelled_m(cairn_odometry *odometry, const cairn_sensed *sensed, cairn_motion written, double period_s)
{
    if (!sensed->encoders.offered) {
        odometry->forward_mps = NAN;
        return written.forward_mps * period_s;
    }
    const side_travel speed = sides(sensed->wheel_radps, odometry->wheel_radius_m);
    const side_travel step = sides(sensed->wheel_step_rad, odometry->wheel_radius_m);
    const double forward_mps = 0.5 * (speed.left_m + speed.right_m);
    odometry->forward_mps += (forward_mps - odometry->forward_mps) * fmin(period_s / SPEED_MEAN_S, 1.0);
    return 0.5 * (step.left_m + step.right_m);
}

static void count_distance(cairn_odometry *odometry, double travelled)
{
    odometry->uncounted_m += travelled;
    if (fabs(odometry->uncounted_m) < DISTANCE_GRAIN_M) { return; }
    odometry->distance_m += fabs(odometry->uncounted_m);
    odometry->uncounted_m = 0.0;
}

// Along the ground, as seen on the map, and the turn meanwhile.
static void move(cairn_odometry *odometry, double travelled, double on_map, double turned)
{
    cairn_pose2 *pose = &odometry->odom_T_base;
    const double middle_rad = pose->yaw_rad + 0.5 * turned;
    pose->x_m += on_map * cos(middle_rad);
    pose->y_m += on_map * sin(middle_rad);
    pose->yaw_rad = cairn_angle_wrap(pose->yaw_rad + turned);
    count_distance(odometry, travelled);
}

void cairn_odometry_step(cairn_odometry *odometry, const cairn_sensed *sensed, const cairn_attitude *attitude,
                         cairn_motion written, double period_s)
{
    learn_bias(odometry, sensed, written, period_s);
    hear_gravity(odometry, attitude);
    const double turned = turned_rad(odometry, sensed, attitude, written, period_s);
    const double travelled = travelled_m(odometry, sensed, written, period_s);
    const double flat = attitude->known ? cos(cairn_attitude_pitch_rad(attitude)) : 1.0;

    move(odometry, travelled, travelled * flat, turned);
}

void cairn_odometry_resume(cairn_odometry *odometry, cairn_pose2 odom_T_base, double distance_m, double turn_bias_radps)
{
    odometry->odom_T_base = odom_T_base;
    odometry->distance_m = distance_m;
    odometry->turn_bias_radps = (cairn_vec3){0.0, 0.0, turn_bias_radps};
    odometry->learnt_s = turn_bias_radps != 0.0 ? BIAS_RESUMED_S : 0.0;
    odometry->unlearnt_s = RESUMED_UNLEARNT_S;
}

void cairn_odometry_roll(cairn_odometry *odometry, const double wheel_step_rad[CAIRN_WHEELS_MAX])
{
    const side_travel step = sides(wheel_step_rad, odometry->wheel_radius_m);
    const double travelled = 0.5 * (step.left_m + step.right_m);
    move(odometry, travelled, travelled, (step.right_m - step.left_m) / odometry->track_m);
}
