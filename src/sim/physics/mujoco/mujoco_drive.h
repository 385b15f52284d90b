// mujoco_drive.h - what moves a robot in the MuJoCo model: the motors of its wheels or belts, and its flippers.
//
// Joints are found by their names (mujoco_model.h). Belts are joints that move nothing: rotors with the belts' inertia,
// which the ground's pull on the belts' surfaces (mujoco_tyres.h) slows down.
#pragma once
#include "sim/physics/mujoco/mujoco_tyres.h"

#define CAIRN_MUJOCO_FLIPPERS 2

// What the future depends on, beside the model's own state; without gaps.
typedef struct cairn_mujoco_drive_state {
    double flipper_rad; // that the flippers' servos hold just now
} cairn_mujoco_drive_state;

// Where a robot's numbers are in the model's.
typedef struct cairn_mujoco_drive {
    int position_at, velocity_at;            // of the base: 7 in qpos, 6 in qvel
    int wheel_position_at[CAIRN_WHEELS_MAX]; // front left, front right, rear left, rear right; the same twice for
    int wheel_velocity_at[CAIRN_WHEELS_MAX]; // the rollers of a belt
    int flipper_position_at[CAIRN_MUJOCO_FLIPPERS]; // left, right; -1: none
    int flipper_velocity_at[CAIRN_MUJOCO_FLIPPERS];
} cairn_mujoco_drive;

// CAIRN_ASSERTs that the model has the robot's joints.
cairn_mujoco_drive cairn_mujoco_drive_of(const mjModel *model, uint32_t robot,
                                         const cairn_body_description *description);

// Flippers as they are at power-up.
cairn_mujoco_drive_state cairn_mujoco_drive_start(const cairn_mujoco_drive *drive,
                                                  const cairn_body_description *description, mjData *data);

// Before mj_step1: torques of motors and servos. The tyres are the robot's CAIRN_WHEELS_MAX.
void cairn_mujoco_drive_apply(const cairn_mujoco_drive *drive, const cairn_body_description *description,
                              const cairn_motor_target *target, const mjModel *model, mjData *data,
                              cairn_mujoco_drive_state *state, cairn_mujoco_tyre *tyres);

// After the tyres are weighed: the ground slows the belts down. Nothing for wheels.
void cairn_mujoco_drive_load(const cairn_mujoco_drive *drive, const cairn_body_description *description,
                             const mjModel *model, mjData *data, const cairn_mujoco_tyre *tyres);

// The turns of wheels or belts.
void cairn_mujoco_drive_truth(const cairn_mujoco_drive *drive, const mjData *data, cairn_robot_truth *ret_truth);
