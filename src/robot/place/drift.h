// drift.h - how far the private frame may have gone astray since a node: the deviation of a trail's edge.
//
// A match is a compromise between the local map and the guess of odometry, and its error has a part of each. The map's
// part is nearly the same at both ends of an edge: as the robot goes on, the map is made anew from matches, and only
// what is new of it is off by their errors. The guess's part stays for good: along a bare corridor that is all of
// odometry's error, in a room next to nothing. While matches are refused, odometry's deviation is pending: the next
// match takes it away, unless the map has taken it over.
// Measured  tests/robot/test_slip.c and docs/control.md: squared errors of edges are about these variances.
// Threads   The owner's.
#pragma once
#include "matching/match.h"

typedef struct cairn_drift {
    double way_m2; // along each axis alike: the mean of both
    double yaw_rad2;
    double pending_m2, pending_rad2; // of odometry since the last match that was believed
} cairn_drift;

// Of what a guess may be wrong by since the last scan.
typedef struct cairn_guess_deviation {
    double way_m, turn_rad;
} cairn_guess_deviation;

// A match that was believed.
typedef struct cairn_drift_step {
    const cairn_match *match;
    cairn_guess_deviation guess; // that the matcher was told
    double looseness;            // [-] true variance of the guess's way over that
    double moved_m, turned_rad;  // since the scan before
} cairn_drift_step;
void cairn_drift_add_match(cairn_drift *drift, const cairn_drift_step *step);
// A scan that was not matched.
void cairn_drift_add_guess(cairn_drift *drift, cairn_guess_deviation guess);
// The map has taken in a scan where odometry put it.
void cairn_drift_settle(cairn_drift *drift);
// What was found out of late: the way since the last node may be off by so much more.
void cairn_drift_widen(cairn_drift *drift, double way_m);
// The place was found on the map on which the last node is: whatever was in between, the way is off by so much.
void cairn_drift_find(cairn_drift *drift, double way_m);
// A mind that was started again: it went so far since the last node, and nobody knows how sure it was.
void cairn_drift_resume(cairn_drift *drift, double moved_m);

// Deviations of the way from the last node to here; along each axis alike.
cairn_guess_deviation cairn_drift_edge(const cairn_drift *drift);
// Begins the next edge here.
void cairn_drift_begin(cairn_drift *drift);
