// emu.h - a robot and places made by hand, for tests of the simulator's parts.
#pragma once
#include "base/memory.h"
#include "sim/arena/arena_private.h"
#include "sim/physics/physics.h"

// Four wheels, a hull between them and a head: robots/emu.yaml without its sensors.
static inline cairn_body_description emu(void)
{
    return (cairn_body_description){
        .name = "emu",
        .length_m = 0.54,
        .width_m = 0.44,
        .height_m = 0.46,
        .clearance_m = 0.06,
        .mass_kg = 18,
        .mass_centre_m = {0, 0, 0.14},
        .head_centre_m = {-0.10, 0, 0.35},
        .head_size_m = {0.22, 0.30, 0.22},
        .drive = CAIRN_DRIVE_TORQUE,
        .limits = {.step_m_max = 0.03},
        .wheels = {.radius_m = 0.12,
                   .width_m = 0.06,
                   .track_m = 0.38,
                   .wheelbase_m = 0.30,
                   .torque_nm_max = 8,
                   .speed_radps_max = 10,
                   .turn_efficiency = 0.6,
                   .rotor_inertia_kgm2 = 0.01},
    };
}

// A ridge along x with its middle at (x, y), 3 m wide, so high as its slopes make it.
static inline cairn_sim_ramp ridge(cairn_vec2 at_m, double length_m, double top_m, double angle_deg)
{
    return (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, 0},
                            .length_m = length_m,
                            .width_m = 3,
                            .top_m = top_m,
                            .angle_rad = angle_deg * CAIRN_PI / 180};
}
