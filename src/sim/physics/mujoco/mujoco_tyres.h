// mujoco_tyres.h - how tyres and belts hold on to the ground.
//
// MuJoCo's friction opposes the speed of slipping only: what stands on a slope creeps. A tyre also opposes how far it
// has been strained since it took hold, up to where it slides: it stays. What is asked of a contact is limited to about
// what friction gives, because a contact that is asked for more also pushes up. Bristle models of friction: Dahl 1968.
//
// A belt is a geom that stands still on its robot while its surface runs around it: the surface's speed is added to the
// slip of its contacts, and what the ground pulls at it is given back for whoever turns the belt.
#pragma once
#include "sim/physics/physics.h"
#include <mujoco/mujoco.h>

#define CAIRN_MUJOCO_TYRES_MAX (CAIRN_SIM_ROBOTS_MAX * CAIRN_WHEELS_MAX)

// Without gaps: it is saved as it lies in memory.
typedef struct cairn_mujoco_tyre {
    int64_t geom; // of the wheel or belt; -1: there is none
    int64_t belt; // 1: a belt, that runs in the xz plane of the geom's body; 0: a wheel
    // A belt's rear and front half, which slip to opposite sides when it turns; a wheel uses the first.
    double load_n[2];       // what it carries: its share of the weight at the start, a short mean later
    cairn_vec3 strain_m[2]; // how far it is strained, map axes; 0 in the air
    double belt_mps;        // in: speed of the surface, positive drives forward
    double pull_n;          // out: of the ground on a belt along its surface; positive speeds it up
} cairn_mujoco_tyre;

// Between mj_step1 and mj_step2: asks the contacts of tyres on the ground to oppose slip and strain, as far as
// friction goes. Belts hold on to walls, too. tyre_of_geom: index into tyres, -1 where a geom is none.
// O(contacts + tyres).
void cairn_mujoco_tyres_hold(const mjModel *model, mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                             cairn_mujoco_tyre *tyres);

// After mj_step2: takes note of the tyres' loads and of the pull on belts. O(contacts + tyres).
void cairn_mujoco_tyres_weigh(const mjModel *model, const mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                              cairn_mujoco_tyre *tyres);
