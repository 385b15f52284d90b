// storey.h - how high a robot is above its start, and on which floor, from its barometer and its own climbing.
//
// By its pitch and its speed a robot knows how it climbs, with an error that grows with the way. By the pressure it
// knows its height, with an error that grows with time: the weather. Two states and their covariance, height and
// weather, take from each what it is good for: of a robot that stands, what the pressure does is weather. A floor is
// changed once the height is beyond two thirds of a storey from the floor before, and sure to a third of one.
// Not seen  Lifts: a robot that does not climb and yet rises fast is taken for weather.
// Frame     Heights in metres above the start; floor 0 is where it started.
// Threads   The owner's.
#pragma once
#include "body/description.h"

typedef struct cairn_storey {
    const cairn_barometer_description *barometer; // borrowed; not offered: floor 0 for ever
    double height_m, weather_m;                   // the second as the barometer shows it: a height
    double variance_m2[3];                        // of height, of both, of weather
    double start_pa;                              // pressure that means height 0 without weather
    cairn_mono heard_at, climbed_at;              // last reading, last step; 0: none
    int32_t floor;
} cairn_storey;

void cairn_storey_init(cairn_storey *storey, const cairn_barometer_description *barometer);
// Goes on from a height and a floor.
void cairn_storey_resume(cairn_storey *storey, double height_m, int32_t floor);
// How the robot drives now; pitch NaN: not known, and no climbing is counted. Speed NaN: it may be climbing, so the
// height is doubted by how steep it stands.
void cairn_storey_climb(cairn_storey *storey, double forward_mps, double pitch_rad, cairn_mono now);
// Takes in a reading; one that is not newer than the last, or that no air has, is not taken.
void cairn_storey_hear(cairn_storey *storey, const cairn_barometer_frame *frame);
