// orders.h - what the operator and the station may order at any moment: stop, mode, stick, and which guards he
// overrides.
//
// They are taken at the level of behaviours, so that none of them waits for a plan, and reach the wheels only through
// cells that reflex and behaviours check. The stop is latched; only a release with a greater count than any before ends
// it, and a released robot is idle: a release must not start a motion.
// Threads  One owner.
#pragma once
#include "messages/codec.h"
#include "robot/behaviour/behaviour.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_orders {
    uint8_t robot_id;
    cairn_reflex_cells reflex;       // borrowed
    cairn_behaviour_cells behaviour; // borrowed
    cairn_orders_state state;
    cairn_stop_command stop;
} cairn_orders;

// begin: what holds at the start (resume.h); stopped, if its mode says so.
void cairn_orders_init(cairn_orders *orders, uint8_t robot_id, const cairn_reflex_cells *reflex,
                       const cairn_behaviour_cells *behaviour, const cairn_orders_state *begin);
// True if it was an order for this robot; others change nothing. The cells are told at once.
bool cairn_orders_take(cairn_orders *orders, const cairn_radio_message *message, cairn_mono now);
// A stop that reflex holds and nobody here knows of is one from now on.
void cairn_orders_heed_reflex(cairn_orders *orders);
// Says mode and stop again: they are state, and cells grow old.
void cairn_orders_tell(cairn_orders *orders, cairn_mono now);
