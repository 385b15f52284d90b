// guards.h - the guards: what stops or limits the robot, whatever the levels above ask for.
//
// One table (guards.c) says for each guard its cause, what it does, how long the cause must last before it
// acts, and how it lets go. A guard can only take speed away. docs/control.md has the table in words.
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/command.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/near.h"
#include "robot/reflex/reflex_cells.h"
#include "robot/reflex/spin.h"
#include "robot/reflex/tip.h"

#define CAIRN_GUARD_ROWS_MAX 24

#define CAIRN_LEAP_NS CAIRN_MS(100) // a step that is so late has missed too much: as good as another time

// How the wheels are to come to rest.
typedef enum cairn_halt {
    CAIRN_HALT_NONE,  // keep to the limits
    CAIRN_HALT_STOP,  // speed zero at once, braking no harder than wheels grip; then hold the place
    CAIRN_HALT_BRAKE, // speed zero at once with all the torque there is; then hold the place
} cairn_halt;

// Everything that guards look at; borrowed for the call.
typedef struct cairn_guard_facts {
    cairn_mono now;
    const cairn_body_limits *limits;
    const cairn_sensed *sensed;
    const cairn_attitude *attitude;
    const cairn_reflex_command *command;
    bool stop_latched, stopped_by_button;
    bool counts_lost;    // an encoder stands still and cannot
    uint32_t without;    // bit 1 << cairn_guard: switched off, in simulations that test the tests; else 0
    bool speed_unseen;   // nobody knows how fast it is: wheels without encoders, and mind has not seen it lately
    bool time_leapt;     // backwards, or by more than CAIRN_LEAP_NS, since the step before
    cairn_motion wanted; // of which the limits take away
    cairn_motion_limit near, drop, area;
    const cairn_tip *tip;
    const cairn_spin *spin;
    double battery_critical; // [-] 0..1 of the charge; below 0: nobody tells the charge
    uint32_t held_off;       // bit 1 << cairn_guard: the operator holds it off (override.h)
    double corner_m;         // of the hull, from its middle
} cairn_guard_facts;

// The emergency stop's latch.
typedef struct cairn_stop_latch {
    bool latched;
    bool by_button;             // of the body, not by the cell alone
    uint32_t release_count_max; // largest ever seen
    uint64_t version;
} cairn_stop_latch;

typedef struct cairn_guards {
    uint32_t acting;     // bit 1 << cairn_guard
    uint32_t overridden; // those that would, had the operator not held them off
    cairn_halt halt;     // the hardest that any asks for
    // Bounds on the motion, from the guards that limit: forward_mps_min <= 0 <= forward_mps_max.
    double forward_mps_min, forward_mps_max, turn_radps_max;
    struct {
        bool acts;
        cairn_mono changed; // when the cause last began or ended to speak for a change
        bool changing;
    } rows[CAIRN_GUARD_ROWS_MAX];
} cairn_guards;

void cairn_stop_latch_init(cairn_stop_latch *latch);
// Any sign of a stop latches, and the body's button does; only the protocol of cairn_stop_command releases, and not
// while the button is in: a release that comes meanwhile is spent.
void cairn_stop_latch_step(cairn_stop_latch *latch, cairn_cell *cell, bool button_pressed, cairn_mono now);

uint32_t cairn_guards_known(void); // bit 1 << cairn_guard for each that the table has
void cairn_guards_init(cairn_guards *guards);
void cairn_guards_step(cairn_guards *guards, const cairn_guard_facts *facts);
// Takes away the speed that the acting guards forbid; never adds any.
cairn_motion cairn_guards_limit(const cairn_guards *guards, cairn_motion wanted);
