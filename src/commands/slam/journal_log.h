// journal_log.h - a robot's drive out of a journal (MCAP): its laser scans, and its own odometry at their times.
//
// Topics   /NAME/scan (sensor_msgs/LaserScan), /NAME/odom (nav_msgs/Odometry), /tf for where the laser sits.
// Limits   those of slam/log/laser_log.h, and of journal/mcap_read.h.
#pragma once
#include "slam/log/laser_log.h"

// Whether the file begins as MCAP does.
bool cairn_journal_log_is(const char *path);
// robot: its name; NULL: the only one in it. Scans without odometry before and after them are left out. *ret_log is
// untouched on failure: CAIRN_ERR_IO, CAIRN_ERR_NOT_FOUND, CAIRN_ERR_EMPTY, CAIRN_ERR_FULL; the complaints say why.
CAIRN_CHECKED cairn_err cairn_journal_log_open(const char *path, const char *robot, cairn_complaints *complaints,
                                               cairn_laser_log *ret_log);
