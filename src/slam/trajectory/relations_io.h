// relations_io.h - the benchmark of Kuemmerle et al. 2009: what is known of pairs of poses, and how well a trajectory
// keeps to it.
//
// A line is "stamp1 stamp2 x y z roll pitch yaw": where the robot of the second stamp was, seen from the first. Only x,
// y and yaw are used.
//
// Limits   512 MiB of text, CAIRN_RELATIONS_MAX relations. Plain or packed (gzip, bzip2, xz).
#pragma once
#include "slam/trajectory/trajectory.h"

#define CAIRN_RELATIONS_MAX 4000000u

typedef struct cairn_relations {
    uint32_t count;
    cairn_relation *relations;
    cairn_arena memory;
} cairn_relations;

// *ret_relations is untouched on failure, as with cairn_tum_open.
CAIRN_CHECKED cairn_err cairn_relations_open(const char *path, cairn_complaints *complaints,
                                             cairn_relations *ret_relations);
CAIRN_CHECKED cairn_err cairn_relations_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                              cairn_complaints *complaints, cairn_relations *ret_relations);
void cairn_relations_close(cairn_relations *relations); // accepts NULL and all-zero
