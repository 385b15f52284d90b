// compass.h - a heading from the Earth's magnetic field, for where scans say nothing of it.
//
// Indoors a magnetometer lies: steel bends the field. So a reading is believed only when the field is as strong and as
// steep as the robot file says it is there, and when its heading and the robot's own (gyro and laser) have changed
// alike for some seconds. Even then it turns the robot's guess by CAIRN_COMPASS_RADPS_MAX at most, toward what the
// compass said when it was first believed: a scan that shows the heading outweighs it at once, a gyro's bias does not.
// Frame    private: the compass says how the heading has changed since, not where north is on anybody's map.
// Without  a gyro's attitude nothing is believed: nobody knows where down is.
// Threads  The owner's.
#pragma once
#include "body/description.h"
#include "geometry/pose2.h"

#define CAIRN_COMPASS_RADPS_MAX 0.003 // as much as a gyro's bias may be off

typedef struct cairn_compass {
    const cairn_magnetometer_description *magnetometer; // borrowed
    cairn_mono heard_at;                                // last reading
    double agreed_s;                                    // for how long field and heading have been as they should
    double offset_rad;                                  // of the compass's heading from the robot's, a mean of seconds
    double reference_rad;                               // that offset when it was first believed
    double reference_s;                                 // over how long it was averaged; 0: not known yet
    uint32_t believed_count, refused_count;             // readings
} cairn_compass;

// How the robot lies at the time of a reading, by gyro and laser.
typedef struct cairn_compass_robot {
    double roll_rad, pitch_rad; // NaN: not known
    double yaw_rad;             // private frame
} cairn_compass_robot;

void cairn_compass_init(cairn_compass *compass, const cairn_magnetometer_description *magnetometer);
// Takes in a reading; one that is not newer than the last is not taken.
void cairn_compass_hear(cairn_compass *compass, const cairn_magnetometer_frame *frame,
                        const cairn_compass_robot *robot);
// By how much to turn the robot's heading in a time that has passed: 0 unless the compass is believed, and was heard
// within the last second.
double cairn_compass_turn_rad(const cairn_compass *compass, double elapsed_s, cairn_mono now);
