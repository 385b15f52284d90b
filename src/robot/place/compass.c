#include "robot/place/compass.h"
#include "geometry/pose3.h"
#include <math.h>

#define STRENGTH_PART 0.15                  // [-] the field's strength may be off by this part
#define DIP_RAD (8 * CAIRN_PI / 180)        // and its dip by this much
#define AGREE_RAD (8 * CAIRN_PI / 180)      // the offset may change by this much against its mean
#define AGREE_S 3.0                         // for so long before it is believed. Larger: fewer lies, fewer headings
#define OFFSET_S 2.0                        // the mean's time. Smaller: follows steel that the robot passes
#define REFERENCE_S 20.0                    // for so long the reference is a mean of what is believed
#define FOLLOW_S 20.0                       // an error is followed in about this time
#define ERROR_RAD_MAX (25 * CAIRN_PI / 180) // a compass that is off by more is not the one that it was
#define SILENT_S 1.0                        // after a longer silence nothing is turned, and it must agree anew

void cairn_compass_init(cairn_compass *compass, const cairn_magnetometer_description *magnetometer)
{
    *compass = (cairn_compass){.magnetometer = magnetometer};
}

// The field as it would be in a level base; false unless it is such as the Earth's.
static bool level_field(const cairn_compass *compass, cairn_vec3 field_ut, const cairn_compass_robot *robot,
                        cairn_vec3 *ret_level_ut)
{
    if (!isfinite(robot->roll_rad) || !isfinite(robot->pitch_rad)) { return false; }
    const cairn_vec3 level =
        cairn_quat_rotate(cairn_quat_from_rpy((cairn_rpy){robot->roll_rad, robot->pitch_rad, 0}), field_ut);
    const double strength_ut = cairn_vec3_length(level), dip_rad = atan2(-level.z, hypot(level.x, level.y));
    *ret_level_ut = level;
    return fabs(strength_ut - compass->magnetometer->field_ut) < STRENGTH_PART * compass->magnetometer->field_ut &&
           fabs(dip_rad - compass->magnetometer->dip_rad) < DIP_RAD; // NaN fails
}

static bool is_believed(const cairn_compass *compass) { return compass->agreed_s >= AGREE_S; }

static double error_rad(const cairn_compass *compass)
{
    return cairn_angle_between(compass->reference_rad, compass->offset_rad);
}

static void learn_reference(cairn_compass *compass, double step_s)
{
    if (compass->reference_s >= REFERENCE_S) { return; }
    compass->reference_s += step_s;
    const double part = fmin(step_s / compass->reference_s, 1);
    compass->reference_rad = compass->reference_s <= step_s
                                 ? compass->offset_rad
                                 : cairn_angle_wrap(compass->reference_rad + part * error_rad(compass));
}

void cairn_compass_hear(cairn_compass *compass, const cairn_magnetometer_frame *frame, const cairn_compass_robot *robot)
{
    const double step_s = cairn_seconds(cairn_mono_since(frame->taken, compass->heard_at));
    if (compass->heard_at.ns > 0 && step_s <= 0) { return; }
    const bool was_silent = compass->heard_at.ns == 0 || step_s > SILENT_S;
    compass->heard_at = frame->taken;
    cairn_vec3 level_ut;
    if (!level_field(compass, frame->field_ut, robot, &level_ut)) {
        compass->agreed_s = 0;
        compass->refused_count++;
        return;
    }
    // North lies at atan2(y, x) to the left of the robot's nose: its heading is as much to the right of north.
    const double heading_rad = -atan2(level_ut.y, level_ut.x);
    const double offset_rad = cairn_angle_wrap(heading_rad - robot->yaw_rad);
    const double off_rad = cairn_angle_between(compass->offset_rad, offset_rad);
    if (was_silent || compass->agreed_s == 0 || fabs(off_rad) > AGREE_RAD) {
        compass->agreed_s = 1e-9; // begins to agree with itself
        compass->offset_rad = offset_rad;
        compass->refused_count++;
        return;
    }
    compass->agreed_s += step_s;
    compass->offset_rad = cairn_angle_wrap(compass->offset_rad + fmin(step_s / OFFSET_S, 1) * off_rad);
    if (!is_believed(compass)) { return; }
    compass->believed_count++;
    learn_reference(compass, step_s);
}

double cairn_compass_turn_rad(const cairn_compass *compass, double elapsed_s, cairn_mono now)
{
    if (cairn_seconds(cairn_mono_since(now, compass->heard_at)) > SILENT_S) { return 0; }
    if (!is_believed(compass) || compass->reference_s == 0 || fabs(error_rad(compass)) > ERROR_RAD_MAX) { return 0; }
    const double rate_radps = error_rad(compass) / FOLLOW_S;
    return fmin(fmax(rate_radps, -CAIRN_COMPASS_RADPS_MAX), CAIRN_COMPASS_RADPS_MAX) * elapsed_s;
}
