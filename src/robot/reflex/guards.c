#include "robot/reflex/guards.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

// [rad] A robot that has tilted too far must come back by this much before it may drive again.
#define TILT_BACK_RAD 0.0873
// [rad/s] Turning while something touches the hull. Larger: frees itself faster; scrapes harder.
#define TOUCHED_TURN_RADPS_MAX 0.3
// [m/s] Passing along something that touches a side.
#define TOUCHED_FORWARD_MPS_MAX 0.1
// [-] A gauge that trembles about the critical charge does not let go.
#define CHARGED_MORE 0.05
// How fast a robot may be that goes without these guards, because the operator holds them off.
#define CREEP_WITHOUT                                                                                                  \
    (1u << CAIRN_GUARD_TILT | 1u << CAIRN_GUARD_TIP | 1u << CAIRN_GUARD_DROP | 1u << CAIRN_GUARD_IMU |                 \
     1u << CAIRN_GUARD_AREA)
#define SLOW_WITHOUT (1u << CAIRN_GUARD_BUMP | 1u << CAIRN_GUARD_OBSTACLE)

static bool stop_latched(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->stop_latched;
}

static bool stopped_by_button(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->stopped_by_button;
}

static bool tilted(const cairn_guard_facts *facts, bool acts)
{
    const double limit_rad = facts->limits->tilt_rad_max - (acts ? TILT_BACK_RAD : 0.0);
    return cairn_attitude_tilt_rad(facts->attitude) > limit_rad; // false where not known
}

static bool command_lost(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return !facts->command->in_force;
}

static bool encoders_lost(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return (facts->sensed->encoders.offered && !facts->sensed->encoders.fresh) || facts->speed_unseen;
}

static bool counts_lost(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->counts_lost;
}

static bool imu_lost(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->sensed->imu.offered && !(facts->sensed->imu.fresh && facts->attitude->known);
}

static bool bumper_lost(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->sensed->bump.offered && !facts->sensed->bump.fresh;
}

static bool touched(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    const cairn_sensed *sensed = facts->sensed;
    return sensed->bump_front || sensed->bump_rear || sensed->bump_left || sensed->bump_right;
}

// No motion into the touch; slow turning, so that the robot can free itself.
static void limit_by_touch(cairn_guards *guards, const cairn_guard_facts *facts)
{
    const cairn_sensed *sensed = facts->sensed;
    if (sensed->bump_front) { guards->forward_mps_max = 0.0; }
    if (sensed->bump_rear) { guards->forward_mps_min = 0.0; }
    if (sensed->bump_left || sensed->bump_right) {
        guards->forward_mps_max = fmin(guards->forward_mps_max, TOUCHED_FORWARD_MPS_MAX);
        guards->forward_mps_min = fmax(guards->forward_mps_min, -TOUCHED_FORWARD_MPS_MAX);
    }
    guards->turn_radps_max = fmin(guards->turn_radps_max, TOUCHED_TURN_RADPS_MAX);
}

static bool time_leapt(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->time_leapt;
}

static bool obstacle_near(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->near.acts;
}

static void limit_to(cairn_guards *guards, double forward_mps_max, double turn_radps_max)
{
    CAIRN_ASSERT(forward_mps_max >= 0.0 && turn_radps_max >= 0.0);
    guards->forward_mps_max = fmin(guards->forward_mps_max, forward_mps_max);
    guards->forward_mps_min = fmax(guards->forward_mps_min, -forward_mps_max);
    guards->turn_radps_max = fmin(guards->turn_radps_max, turn_radps_max);
}

static void limit_by_near(cairn_guards *guards, const cairn_guard_facts *facts)
{
    limit_to(guards, facts->near.forward_mps_max, facts->near.turn_radps_max);
}

static bool ground_ends(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->drop.acts;
}

static void limit_by_drop(cairn_guards *guards, const cairn_guard_facts *facts)
{
    limit_to(guards, facts->drop.forward_mps_max, facts->drop.turn_radps_max);
}

static bool border_near(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->area.acts;
}

static void limit_by_area(cairn_guards *guards, const cairn_guard_facts *facts)
{
    limit_to(guards, facts->area.forward_mps_max, facts->area.turn_radps_max);
}

static bool tips_over(const cairn_guard_facts *facts, bool acts)
{
    return facts->tip->measure < (acts ? CAIRN_TIP_BACK : CAIRN_TIP_OVER); // false where not known
}

static bool leans_over(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->tip->measure < CAIRN_TIP_SLOW;
}

static void limit_by_tip(cairn_guards *guards, const cairn_guard_facts *facts)
{
    limit_to(guards, facts->tip->forward_mps_max, facts->tip->turn_radps_max);
}

static bool wheels_spin(const cairn_guard_facts *facts, bool acts)
{
    (void)acts;
    return facts->spin->forward.held != 0.0 || facts->spin->turn.held != 0.0;
}

static void limit_by_spin(cairn_guards *guards, const cairn_guard_facts *facts)
{
    if (facts->spin->forward.held > 0.0) { guards->forward_mps_max = 0.0; }
    if (facts->spin->forward.held < 0.0) { guards->forward_mps_min = 0.0; }
    if (facts->spin->turn.held * facts->wanted.turn_radps > 0.0) { guards->turn_radps_max = 0.0; }
}

static bool battery_ends(const cairn_guard_facts *facts, bool acts)
{
    return facts->sensed->charge <= facts->battery_critical + (acts ? CHARGED_MORE : 0.0); // false where not known
}

// The table. A cause is asked with whether its guard acts already, so that it may ask for more to let go.
static const struct guard_row {
    cairn_guard guard;
    bool (*cause)(const cairn_guard_facts *facts, bool acts);
    cairn_halt halt;
    void (*limit)(cairn_guards *guards, const cairn_guard_facts *facts); // for CAIRN_HALT_NONE
    int64_t act_after_ns;                                                // the cause must last this long
    int64_t let_go_after_ns;                                             // and then be gone this long
} table[] = {
    {CAIRN_GUARD_STOP, stop_latched, CAIRN_HALT_BRAKE, NULL, 0, 0},        // let go by protocol: cairn_stop_latch
    {CAIRN_GUARD_BUTTON, stopped_by_button, CAIRN_HALT_BRAKE, NULL, 0, 0}, // likewise
    {CAIRN_GUARD_TILT, tilted, CAIRN_HALT_STOP, NULL, CAIRN_MS(40), CAIRN_MS(500)},
    {CAIRN_GUARD_COMMAND, command_lost, CAIRN_HALT_STOP, NULL, 0, 0},
    {CAIRN_GUARD_ENCODERS, encoders_lost, CAIRN_HALT_STOP, NULL, 0, CAIRN_MS(100)},
    {CAIRN_GUARD_WHEELS, counts_lost, CAIRN_HALT_STOP, NULL, 0, 0}, // let go by counts.h
    {CAIRN_GUARD_IMU, imu_lost, CAIRN_HALT_STOP, NULL, 0, CAIRN_MS(100)},
    {CAIRN_GUARD_BUMP, bumper_lost, CAIRN_HALT_STOP, NULL, 0, CAIRN_MS(100)},
    {CAIRN_GUARD_BUMP, touched, CAIRN_HALT_NONE, limit_by_touch, 0, 0},
    {CAIRN_GUARD_CLOCK, time_leapt, CAIRN_HALT_STOP, NULL, 0, CAIRN_MS(500)},
    {CAIRN_GUARD_OBSTACLE, obstacle_near, CAIRN_HALT_NONE, limit_by_near, 0, 0},
    {CAIRN_GUARD_DROP, ground_ends, CAIRN_HALT_NONE, limit_by_drop, 0, 0},
    {CAIRN_GUARD_TIP, tips_over, CAIRN_HALT_STOP, NULL, CAIRN_MS(24), CAIRN_MS(500)},
    {CAIRN_GUARD_TIP, leans_over, CAIRN_HALT_NONE, limit_by_tip, CAIRN_MS(24), CAIRN_MS(200)},
    {CAIRN_GUARD_SPIN, wheels_spin, CAIRN_HALT_NONE, limit_by_spin, 0, 0}, // after and for how long: spin.h
    {CAIRN_GUARD_AREA, border_near, CAIRN_HALT_NONE, limit_by_area, 0, 0},
    {CAIRN_GUARD_BATTERY, battery_ends, CAIRN_HALT_STOP, NULL, CAIRN_MS(5000), CAIRN_MS(1000)},
};
#define ROW_COUNT (sizeof table / sizeof table[0])
_Static_assert(ROW_COUNT <= CAIRN_GUARD_ROWS_MAX, "room for every row's state");

uint32_t cairn_guards_known(void)
{
    uint32_t known = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) { known |= 1u << table[i].guard; }
    return known;
}

void cairn_stop_latch_init(cairn_stop_latch *latch) { *latch = (cairn_stop_latch){0}; }

static void hear_cell(cairn_stop_latch *latch, cairn_cell *cell, cairn_mono now)
{
    uint64_t version = 0;
    const cairn_stop_command *heard = cairn_cell_latest(cell, &version);
    if (heard == NULL || version == latch->version) { return; }
    latch->version = version;
    // The byte is looked at as such: whatever is not a clean "no" is a stop.
    unsigned char stop = 0;
    memcpy(&stop, (const unsigned char *)heard + offsetof(cairn_stop_command, stop), sizeof stop);
    // A "no" from the future is not counted either: it is said again every period, and may be right by then.
    if (stop == 0 && heard->issued.ns > now.ns + CAIRN_CLOCK_SLACK_NS) { return; }
    const bool greater = heard->release_count > latch->release_count_max;
    latch->latched = stop != 0 || (latch->latched && !greater);
    if (greater) { latch->release_count_max = heard->release_count; }
}

void cairn_stop_latch_step(cairn_stop_latch *latch, cairn_cell *cell, bool button_pressed, cairn_mono now)
{
    hear_cell(latch, cell, now);
    latch->by_button = button_pressed || (latch->by_button && latch->latched);
    latch->latched = latch->latched || button_pressed;
}

void cairn_guards_init(cairn_guards *guards) { *guards = (cairn_guards){0}; }

// Whether a row acts now: its cause must have spoken for a change without a break for long enough.
static bool row_acts(cairn_guards *guards, size_t row, const cairn_guard_facts *facts)
{
    const bool acts = guards->rows[row].acts;
    const bool cause = table[row].cause(facts, acts);
    if (cause == acts) {
        guards->rows[row].changing = false;
        return acts;
    }
    // a clock that went back would make it wait for longer
    if (!guards->rows[row].changing || guards->rows[row].changed.ns > facts->now.ns) {
        guards->rows[row].changing = true;
        guards->rows[row].changed = facts->now;
    }
    const int64_t wait_ns = acts ? table[row].let_go_after_ns : table[row].act_after_ns;
    if (cairn_mono_since(facts->now, guards->rows[row].changed) < wait_ns) { return acts; }
    guards->rows[row].changing = false;
    guards->rows[row].acts = cause;
    return cause;
}

// Who holds a guard off sees for himself, and slowly, whether that guard would act at this moment or not.
static void limit_by_override(cairn_guards *guards, const cairn_guard_facts *facts)
{
    if ((facts->held_off & CREEP_WITHOUT) != 0) { limit_to(guards, CAIRN_CREEP_MPS, CAIRN_CREEP_RADPS); }
    if ((facts->held_off & SLOW_WITHOUT) != 0) {
        limit_to(guards, CAIRN_UNSIGHTED_MPS, CAIRN_UNSIGHTED_MPS / facts->corner_m);
    }
}

void cairn_guards_step(cairn_guards *guards, const cairn_guard_facts *facts)
{
    CAIRN_ASSERT((facts->held_off & ~CAIRN_GUARDS_OVERRIDABLE) == 0 && facts->corner_m > 0.0);
    guards->acting = guards->overridden = 0;
    guards->halt = CAIRN_HALT_NONE;
    guards->forward_mps_min = -facts->limits->speed_mps_max;
    guards->forward_mps_max = facts->limits->speed_mps_max;
    guards->turn_radps_max = facts->limits->turn_radps_max;
    for (size_t row = 0; row < ROW_COUNT; row++) {
        if ((facts->without >> table[row].guard & 1) != 0) { continue; }
        if (!row_acts(guards, row, facts)) { continue; }
        if ((facts->held_off >> table[row].guard & 1) != 0) {
            guards->overridden |= 1u << table[row].guard;
            continue;
        }
        guards->acting |= 1u << table[row].guard;
        if (table[row].halt > guards->halt) { guards->halt = table[row].halt; }
        if (table[row].limit != NULL) { table[row].limit(guards, facts); }
    }
    limit_by_override(guards, facts);
}

cairn_motion cairn_guards_limit(const cairn_guards *guards, cairn_motion wanted)
{
    if (guards->halt != CAIRN_HALT_NONE) { return (cairn_motion){0}; }
    CAIRN_ASSERT(guards->forward_mps_min <= 0.0 && guards->forward_mps_max >= 0.0);
    return (cairn_motion){
        .forward_mps = fmin(fmax(wanted.forward_mps, guards->forward_mps_min), guards->forward_mps_max),
        .turn_radps = fmin(fmax(wanted.turn_radps, -guards->turn_radps_max), guards->turn_radps_max),
    };
}
