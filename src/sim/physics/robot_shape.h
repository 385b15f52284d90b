// robot_shape.h - the boxes and wheels that stand for a robot, in its base frame.
//
// Physics and rays both build their robots from this, so that what is felt is what is seen. Two things are felt only:
// flippers, which move, and the bodies of URDF files, of which rays see the measures that the robot file gives.
#pragma once
#include "body/description.h"

typedef struct cairn_robot_shape {
    cairn_vec3 hull_centre_m, hull_half_m; // between the wheels, as long as the robot
    bool has_head;
    cairn_vec3 head_centre_m, head_half_m;
    cairn_vec3 wheel_centre_m[CAIRN_WHEELS_MAX]; // front left, front right, rear left, rear right; axle along y
    double wheel_radius_m, wheel_half_width_m;
    bool has_belts; // around the wheels of a side; what lies between those
    cairn_vec3 belt_centre_m[2], belt_half_m;
    double reach_m; // no part is further than this from the point half the height above the base's origin
} cairn_robot_shape;

// The description is taken as checked (positive sizes, hull above its clearance). O(1).
cairn_robot_shape cairn_robot_shape_of(const cairn_body_description *robot);
