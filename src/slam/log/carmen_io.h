// carmen_io.h - CARMEN's text logs, as the public laser data sets have them.
//
// Read     FLASER and ROBOTLASER1 (scans), ODOM, PARAM robot_frontlaser_offset. Other lines are skipped. Plain, or
//          packed by gzip, bzip2 or xz: the bytes decide, not the name.
// Deduced  FLASER does not say its field of view: 180 or 181 beams are 1 degree apart, 360 or 361 half a degree, 400 or
//          401 a quarter, others spread over 180 degrees; the first looks to the right (what CARMEN itself does).
//          Nor does it say its reach: readings from 50 m on, or heaped at the log's largest, mean that nothing came
//          back. In corrected logs ODOM starts again at each scan's corrected pose; odometry is then put together from
//          the pieces between.
// Limits   512 MiB of text; those of laser_log.h.
#pragma once
#include "slam/log/laser_log.h"

// *ret_log is untouched on failure: CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_EMPTY without
// scans, CAIRN_ERR_FULL; the reason is in *complaints, with file and line.
CAIRN_CHECKED cairn_err cairn_carmen_open(const char *path, cairn_complaints *complaints, cairn_laser_log *ret_log);
// The same from text in memory, which is only read.
CAIRN_CHECKED cairn_err cairn_carmen_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                           cairn_complaints *complaints, cairn_laser_log *ret_log);
