// hold.h - how firmly scans hold a robot's place: along the way that they say least about, and against its long map.
//
// A match to a bare wall says nothing of the way along it: that is the wheels' word still, however well the scan fits.
// What the wheels may be wrong by adds up here until a scan holds the place from all sides. Wheels that grip are off
// this way and that; wheels that spin, and wheels on a slope, go on in one direction: their way adds up in full. A
// local map that was drawn meanwhile is astray by as much, and a match to it makes nothing sure: only the robot's long
// map does (rejoin.h).
// Threads  The owner's.
#pragma once
#include "matching/match.h"

typedef struct cairn_hold {
    double loose_m;  // deviation from the local map, along the direction of which scans say least
    double astray_m; // and of the local map from the robot's long one
    double kept_m;   // of what was drawn on the long map while it was astray, from what was drawn before
    bool doubtful;   // the place is not to be built on
} cairn_hold;

// What may be wrong since the scan before.
typedef struct cairn_hold_way {
    double deviation_m; // of wheels that grip
    double spun_m;      // of the way that may be none at all; 0 on level ground with a grip
} cairn_hold_way;
void cairn_hold_carry(cairn_hold *hold, cairn_hold_way way);
// A scan that fits badly, with much of it where the map saw free floor: it was not taken here.
void cairn_hold_contradict(cairn_hold *hold);
// The long map seems to have another place for what is seen from here: not to be built on until it is sure again. One
// that is sure of its place stays so.
void cairn_hold_doubt(cairn_hold *hold);
// A match to the local map that was believed.
void cairn_hold_match(cairn_hold *hold, const cairn_match *match);
// The local map was drawn from here.
void cairn_hold_draw(cairn_hold *hold);
// Something took the robot away, by nobody knows how much: the place, and the local map with it, are off by this at
// least until the long map tells.
void cairn_hold_lose(cairn_hold *hold, double by_m);
// Scans say that it moved so far, and its wheels stood.
void cairn_hold_slide(cairn_hold *hold, double way_m);
// A match to the long map that was believed: the local map is drawn anew from it.
void cairn_hold_rejoin(cairn_hold *hold);
// The long map has nothing of what is seen from here, so that nothing can tell: the local map goes on as the long one,
// off by as much as it is astray. The trail's edge to here must be told to be off by that. Not for a place in doubt.
void cairn_hold_settle(cairn_hold *hold);

// What is seen from here may be drawn on the long map, and on the team's.
bool cairn_hold_is_firm(const cairn_hold *hold);
// The local map tells the place from all sides, wherever that map may lie.
bool cairn_hold_is_sharp(const cairn_hold *hold);
// Deviation of the place, of both together.
double cairn_hold_deviation_m(const cairn_hold *hold);
