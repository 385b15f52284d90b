// mujoco_tyres.h - how tyres hold on to the ground.
//
// MuJoCo's friction opposes the speed of slipping only: what stands on a slope creeps. A tyre also opposes how far it
// has been strained since it took hold, up to where it slides: it stays. What is asked of a contact is limited to about
// what friction gives, because a contact that is asked for more also pushes up. Bristle models of friction: Dahl 1968.
#pragma once
#include "sim/physics/physics.h"
#include <mujoco/mujoco.h>

#define CAIRN_MUJOCO_TYRES_MAX (CAIRN_SIM_ROBOTS_MAX * CAIRN_WHEELS_MAX)

typedef struct cairn_mujoco_tyre {
    int geom;            // of the wheel
    double load_n;       // on it: its share of the weight at the start, a short mean later
    cairn_vec3 strain_m; // how far it is strained, map axes; 0 in the air
} cairn_mujoco_tyre;

// Between mj_step1 and mj_step2: asks the contacts of tyres on the ground to oppose slip and strain, as far as
// friction goes. tyre_of_geom: index into tyres, -1 where a geom is none. O(contacts + tyres).
void cairn_mujoco_tyres_hold(const mjModel *model, mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                             cairn_mujoco_tyre *tyres);

// After mj_step2: takes note of the tyres' loads. O(contacts + tyres).
void cairn_mujoco_tyres_weigh(const mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                              cairn_mujoco_tyre *tyres);
