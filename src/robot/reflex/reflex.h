// reflex.h - T0: 125 times a second, encoders to wheel torques, and the guards that have the last word.
//
// Nothing above this level can defeat it. No allocation after create, no locks, no logging, no system calls.
// Started again over the same cells, it goes on where the reflex before it left: odometry, stop, counts (kept.h).
#pragma once
#include "body/body.h"
#include "robot/reflex/reflex_cells.h"

#define CAIRN_REFLEX_PERIOD_NS CAIRN_MS(8)
#define CAIRN_COMMAND_AGE_NS_MAX CAIRN_MS(300)

typedef struct cairn_reflex cairn_reflex;

// Borrows body for its life, copies cells. Works with a body that lacks encoders (open loop, no odometry from
// wheels) or an IMU (no tilt guard; both are then said in cairn_reflex_state as not known). A body whose motors
// take torque must have encoders, or an IMU and a laser (unseen.h), because nothing could brake it without:
// CAIRN_ERR_UNSUPPORTED.
CAIRN_CHECKED cairn_err cairn_reflex_create(const cairn_body *body, const cairn_reflex_cells *cells, cairn_arena *arena,
                                            cairn_reflex **ret_reflex);
void cairn_reflex_step(cairn_reflex *reflex, cairn_mono now);

// For simulations only, which must find out that a guard is missing (sim/campaign): these guards, a bit 1 <<
// cairn_guard each, do nothing from now on. No program of a real robot calls it.
void cairn_reflex_switch_off(cairn_reflex *reflex, uint32_t guards);
uint32_t cairn_reflex_switched_off(const cairn_reflex *reflex); // 0: all guards stand
