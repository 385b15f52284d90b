#include "sim/physics/mujoco/mujoco_drive.h"
#include "base/status.h"
#include "sim/physics/motor.h"
#include "sim/physics/mujoco/mujoco_model.h"
#include <math.h>
#include <stdio.h>

// A flipper's servo gives all of its torque when it is this far off. Smaller: stiffer, until it rings.
#define FLIPPER_GIVE_RAD 0.1
// [-] Of the damping that would stop the flipper alone within one step.
#define FLIPPER_DAMPING_PART 0.5

static int joint_named(const mjModel *model, const char *what, uint32_t robot, int index)
{
    char name[32];
    snprintf(name, sizeof name, "%s %u %d", what, robot, index);
    const int joint = mj_name2id(model, mjOBJ_JOINT, name);
    CAIRN_ASSERT(joint >= 0);
    return joint;
}

cairn_mujoco_drive cairn_mujoco_drive_of(const mjModel *model, uint32_t robot,
                                         const cairn_body_description *description)
{
    cairn_mujoco_drive drive = {0};
    const int base = joint_named(model, "base", robot, 0);
    drive.position_at = model->jnt_qposadr[base];
    drive.velocity_at = model->jnt_dofadr[base];
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const int joint = joint_named(model, "wheel", robot, description->tracks.offered ? i % 2 : i);
        drive.wheel_position_at[i] = model->jnt_qposadr[joint];
        drive.wheel_velocity_at[i] = model->jnt_dofadr[joint];
    }
    for (int i = 0; i < CAIRN_MUJOCO_FLIPPERS; i++) {
        drive.flipper_position_at[i] = drive.flipper_velocity_at[i] = -1;
        if (!description->flippers.offered) { continue; }
        const int joint = joint_named(model, "flipper", robot, i);
        drive.flipper_position_at[i] = model->jnt_qposadr[joint];
        drive.flipper_velocity_at[i] = model->jnt_dofadr[joint];
    }
    return drive;
}

cairn_mujoco_drive_state cairn_mujoco_drive_start(const cairn_mujoco_drive *drive,
                                                  const cairn_body_description *description, mjData *data)
{
    const double start_rad = description->flippers.angle_rad_start;
    for (int i = 0; i < CAIRN_MUJOCO_FLIPPERS && description->flippers.offered; i++) {
        data->qpos[drive->flipper_position_at[i]] = start_rad;
    }
    return (cairn_mujoco_drive_state){.flipper_rad = start_rad};
}

// The angle that the servos hold moves to the target no faster than the flippers can.
static double steer_flippers(cairn_mujoco_drive_state *state, const cairn_flippers_description *flippers,
                             double target_rad, double step_s)
{
    if (isnan(target_rad)) { return 0; }
    const double to_rad = fmin(fmax(target_rad, flippers->angle_rad_min), flippers->angle_rad_max);
    const double by_rad_max = flippers->speed_radps_max * step_s;
    const double by_rad = fmin(fmax(to_rad - state->flipper_rad, -by_rad_max), by_rad_max);
    state->flipper_rad += by_rad;
    return by_rad / step_s;
}

static void apply_flippers(const cairn_mujoco_drive *drive, const cairn_flippers_description *flippers,
                           double target_rad, const mjModel *model, mjData *data, cairn_mujoco_drive_state *state)
{
    const double step_s = model->opt.timestep;
    const double rate_radps = steer_flippers(state, flippers, target_rad, step_s);
    const double limit_nm = flippers->torque_nm_max, stiffness = limit_nm / FLIPPER_GIVE_RAD;
    const double inertia_kgm2 = cairn_mujoco_flipper_inertia_kgm2(flippers);
    const double damping = fmin(2 * sqrt(stiffness * inertia_kgm2), FLIPPER_DAMPING_PART * inertia_kgm2 / step_s);
    for (int i = 0; i < CAIRN_MUJOCO_FLIPPERS; i++) {
        const double off_rad = state->flipper_rad - data->qpos[drive->flipper_position_at[i]];
        const double off_radps = rate_radps - data->qvel[drive->flipper_velocity_at[i]];
        const double torque_nm = stiffness * off_rad + damping * off_radps;
        data->qfrc_applied[drive->flipper_velocity_at[i]] = fmin(fmax(torque_nm, -limit_nm), limit_nm);
    }
}

void cairn_mujoco_drive_apply(const cairn_mujoco_drive *drive, const cairn_body_description *description,
                              const cairn_motor_target *target, const mjModel *model, mjData *data,
                              cairn_mujoco_drive_state *state, cairn_mujoco_tyre *tyres)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { data->qfrc_applied[drive->wheel_velocity_at[i]] = 0; }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double speed_radps = data->qvel[drive->wheel_velocity_at[i]];
        data->qfrc_applied[drive->wheel_velocity_at[i]] +=
            cairn_motor_torque_nm(&description->wheels, target->torque_nm[i], speed_radps);
        tyres[i].belt_mps = speed_radps * description->wheels.radius_m; // of wheels nobody asks
    }
    if (description->flippers.offered) {
        apply_flippers(drive, &description->flippers, target->flipper_rad, model, data, state);
    }
}

void cairn_mujoco_drive_load(const cairn_mujoco_drive *drive, const cairn_body_description *description,
                             const mjModel *model, mjData *data, const cairn_mujoco_tyre *tyres)
{
    if (!description->tracks.offered) { return; }
    const double inertia_kgm2 = 2 * description->wheels.rotor_inertia_kgm2;
    for (int side = 0; side < 2; side++) {
        const double pull_n = tyres[side].pull_n + tyres[side + 2].pull_n;
        const double gained_radps = model->opt.timestep * description->wheels.radius_m * pull_n / inertia_kgm2;
        data->qvel[drive->wheel_velocity_at[side]] += gained_radps;
        data->qpos[drive->wheel_position_at[side]] += model->opt.timestep * gained_radps;
    }
}

void cairn_mujoco_drive_truth(const cairn_mujoco_drive *drive, const mjData *data, cairn_robot_truth *ret_truth)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        ret_truth->wheel_rad[i] = data->qpos[drive->wheel_position_at[i]];
        ret_truth->wheel_radps[i] = data->qvel[drive->wheel_velocity_at[i]];
    }
}
