// planar_standing.c - height, roll and pitch of robots from the ground below their wheels (planar_ground.h), falls, and
// what an inertial unit feels of it.
#include "sim/physics/planar/planar_private.h"

// Tyres and frame soften what the IMU feels.
#define SOFTNESS_S 0.02

static void feet_of(const cairn_planar_robot *robot, cairn_vec2 ret_at_m[CAIRN_FEET_COUNT])
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec2 wheel = {(i < 2 ? 0.5 : -0.5) * wheels->wheelbase_m,
                                  (i % 2 == 0 ? 0.5 : -0.5) * wheels->track_m};
        ret_at_m[i] = cairn_pose2_apply(robot->now.pose, wheel);
    }
    ret_at_m[CAIRN_FOOT_MIDDLE] = cairn_pose2_at(robot->now.pose);
}

static cairn_pose3 pose_on_feet(const cairn_planar_robot *robot)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    const double *wheel_m = robot->now.feet.height_m;
    const double front_m = 0.5 * (wheel_m[0] + wheel_m[1]), rear_m = 0.5 * (wheel_m[2] + wheel_m[3]);
    const double left_m = 0.5 * (wheel_m[0] + wheel_m[2]), right_m = 0.5 * (wheel_m[1] + wheel_m[3]);
    const cairn_rpy rpy = {atan2(left_m - right_m, wheels->track_m), -atan2(front_m - rear_m, wheels->wheelbase_m),
                           robot->now.pose.yaw_rad};
    return (cairn_pose3){{robot->now.pose.x_m, robot->now.pose.y_m, 0.5 * (front_m + rear_m)},
                         cairn_quat_from_rpy(rpy)};
}

// Beyond this its mass is no longer above its wheels.
static bool tips_over(const cairn_planar_robot *robot, cairn_pose3 map_T_base)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    const cairn_rpy rpy = cairn_quat_to_rpy(map_T_base.turn);
    const double mass_m = robot->description->mass_centre_m.z;
    return fabs(rpy.roll_rad) > atan2(0.5 * wheels->track_m, mass_m) ||
           fabs(rpy.pitch_rad) > atan2(0.5 * wheels->wheelbase_m, mass_m);
}

static void stop_for_ever(cairn_planar_robot *robot)
{
    robot->now.truth.fallen = true;
    robot->now.side_mps = 0;
    for (int i = 0; i < WAY_COUNT; i++) { robot->now.ways[i].body_speed = robot->now.ways[i].wheel_radps = 0; }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { robot->now.truth.wheel_radps[i] = 0; }
}

// Straight down, as it is turned, to the next ground.
static cairn_pose3 fall(const cairn_sim_arena *arena, cairn_planar_robot *robot)
{
    cairn_pose3 pose = robot->now.truth.map_T_base;
    pose.at_m.x = robot->now.pose.x_m;
    pose.at_m.y = robot->now.pose.y_m;
    const double from_m = robot->now.feet.ground_m[CAIRN_FOOT_MIDDLE];
    const double ground_m = fmin(cairn_sim_ground_m(arena, cairn_pose2_at(robot->now.pose), from_m), pose.at_m.z);
    robot->now.fall_mps += GRAVITY_MPS2 * STEP_S;
    pose.at_m.z = fmax(pose.at_m.z - robot->now.fall_mps * STEP_S, ground_m);
    if (pose.at_m.z <= ground_m) { robot->now.fall_mps = 0; }
    return pose;
}

static cairn_pose3 standing_pose(const cairn_physics *physics, cairn_planar_robot *robot)
{
    if (physics->flat) { return cairn_pose3_from_pose2(robot->now.pose, 0); }
    if (robot->now.truth.fallen) { return fall(physics->arena, robot); }
    cairn_vec2 at_m[CAIRN_FEET_COUNT];
    feet_of(robot, at_m);
    cairn_feet_move(physics->arena, at_m, robot->description->limits.step_m_max, STEP_S, &robot->now.feet);
    const cairn_pose3 pose = pose_on_feet(robot);
    if (cairn_feet_fall(&robot->now.feet) || tips_over(robot, pose)) { stop_for_ever(robot); }
    return pose;
}

static void set_slope(const cairn_physics *physics, cairn_planar_robot *robot)
{
    if (physics->flat) { return; }
    const cairn_rpy rpy = cairn_quat_to_rpy(robot->now.truth.map_T_base.turn);
    robot->now.slope_rad = -rpy.pitch_rad;
    robot->now.lean_rad = rpy.roll_rad;
}

// Set down, it stands on the ground that is there, and on its feet again.
static cairn_pose3 carried_pose(const cairn_physics *physics, cairn_planar_robot *robot)
{
    robot->now.truth.fallen = false;
    robot->now.fall_mps = 0;
    if (!physics->flat) {
        cairn_vec2 at_m[CAIRN_FEET_COUNT];
        feet_of(robot, at_m);
        cairn_feet_put(physics->arena, at_m, robot->held_T.at_m.z, &robot->now.feet);
    }
    return robot->held_T;
}

void cairn_planar_stand(const cairn_physics *physics, cairn_planar_robot *robot)
{
    cairn_robot_truth *truth = &robot->now.truth;
    const bool held = cairn_planar_is_held(physics, robot);
    const cairn_pose3 before = truth->map_T_base,
                      now = held ? carried_pose(physics, robot) : standing_pose(physics, robot);
    const cairn_vec3 velocity = cairn_vec3_scale(cairn_vec3_sub(now.at_m, before.at_m), 1 / STEP_S);
    cairn_vec3 force = cairn_vec3_scale(cairn_vec3_sub(velocity, truth->velocity_mps), 1 / STEP_S);
    force.z += GRAVITY_MPS2;
    const cairn_vec3 felt = cairn_quat_rotate(cairn_quat_conjugate(now.turn), force);
    const cairn_vec3 change = cairn_vec3_scale(cairn_vec3_sub(felt, truth->accel_mps2), STEP_S / (SOFTNESS_S + STEP_S));
    const cairn_quat turned = cairn_quat_multiply(cairn_quat_conjugate(before.turn), now.turn);

    truth->accel_mps2 = cairn_vec3_add(truth->accel_mps2, change);
    truth->turn_radps = cairn_vec3_scale(cairn_quat_log(turned), 1 / STEP_S);
    truth->velocity_mps = velocity;
    truth->map_T_base = now;
    set_slope(physics, robot);
}

void cairn_planar_put_down(const cairn_physics *physics, cairn_planar_robot *robot, double from_m)
{
    robot->now.feet.friction = CAIRN_GROUND_FRICTION;
    robot->now.truth.map_T_base = cairn_pose3_from_pose2(robot->now.pose, 0);
    if (!physics->flat) {
        cairn_vec2 at_m[CAIRN_FEET_COUNT];
        feet_of(robot, at_m);
        cairn_feet_put(physics->arena, at_m, from_m, &robot->now.feet);
        robot->now.truth.map_T_base = pose_on_feet(robot);
    }
    const cairn_quat map_T_turn = cairn_quat_conjugate(robot->now.truth.map_T_base.turn);
    robot->now.truth.accel_mps2 = cairn_quat_rotate(map_T_turn, (cairn_vec3){0, 0, GRAVITY_MPS2});
    set_slope(physics, robot);
}
