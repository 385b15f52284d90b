// tum_io.h - trajectories as text: TUM's "stamp x y z qx qy qz qw", one pose a line, # for remarks.
//
// In the plane: z, roll and pitch are written as 0, and not read.
// Limits   512 MiB of text, CAIRN_TRAJECTORY_POSES_MAX poses. Plain or packed (gzip, bzip2, xz).
#pragma once
#include "slam/trajectory/trajectory.h"

typedef struct cairn_tum_file {
    cairn_trajectory trajectory; // sorted
    cairn_arena memory;
} cairn_tum_file;

// *ret_file is untouched on failure: CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_EMPTY without
// poses, CAIRN_ERR_FULL; the reason is in *complaints, with file and line.
CAIRN_CHECKED cairn_err cairn_tum_open(const char *path, cairn_complaints *complaints, cairn_tum_file *ret_file);
CAIRN_CHECKED cairn_err cairn_tum_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                        cairn_complaints *complaints, cairn_tum_file *ret_file);
void cairn_tum_close(cairn_tum_file *file); // accepts NULL and all-zero

// Stamps to the microsecond, positions to the micrometre. CAIRN_ERR_IO, CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_tum_write(const cairn_trajectory *trajectory, const char *path,
                                        cairn_complaints *complaints);
