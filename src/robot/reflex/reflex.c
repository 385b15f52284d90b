// The control period on one page: see, know where, hear what is wanted, let the guards take away, drive, tell.
#include "robot/reflex/reflex.h"
#include "base/hash.h"
#include "robot/reflex/area.h"
#include "robot/reflex/counts.h"
#include "robot/reflex/drop.h"
#include "robot/reflex/guards.h"
#include "robot/reflex/kept.h"
#include "robot/reflex/near.h"
#include "robot/reflex/odometry.h"
#include "robot/reflex/outlook.h"
#include "robot/reflex/override.h"
#include "robot/reflex/spin.h"
#include "robot/reflex/tip.h"
#include "robot/reflex/unseen.h"
#include "robot/reflex/wheels.h"
#include <math.h>
#include <string.h>

#define GRAVITY_MPS2 9.80665
#define RISE_S 1.0 // what was felt is forgotten within this

struct cairn_reflex {
    const cairn_body *body;
    cairn_reflex_cells cells;
    cairn_sensed sensed;
    cairn_attitude attitude;
    cairn_odometry odometry;
    cairn_reflex_command command;
    cairn_stop_latch stop;
    cairn_guards guards;
    cairn_wheels wheels;
    cairn_counts counts;
    cairn_near near;
    cairn_drop drop;
    cairn_area_watch area;
    cairn_tip tip;
    cairn_outlook outlook;
    cairn_spin spin;
    cairn_override_hold override;
    cairn_mono stepped;                 // when it last did; 0: not yet
    bool time_leapt;                    // since then
    double torque_nm[CAIRN_WHEELS_MAX]; // as last written
    bool uncounted;                     // its motors take torque and nothing counts the wheels: `unseen` drives
    cairn_unseen unseen;
    cairn_motion written; // what the wheels were last told
    bool let_go;          // the last target was given without encoders
    cairn_reflex_state state;
    cairn_reflex_kept before; // what the reflex before this one left
    bool has_before;          // and it is sound
    uint32_t without;         // guards that are switched off, in simulations only
    double rises_mps;         // the accelerometer's integral along the plumb line
    bool begun;
    cairn_mono began; // the first step
};

// Everything but the question where it stands, which waits for the encoders: settle_odometry.
static void go_on(cairn_reflex *reflex)
{
    const cairn_reflex_kept *before = cairn_cell_latest(reflex->cells.kept, NULL);
    reflex->state.unsettled = true;
    reflex->state.start_count = 1;
    const cairn_reflex_state *told = cairn_cell_latest(reflex->cells.state_deliberate, NULL);
    reflex->state.laser_empty = told != NULL ? told->laser_empty : 0; // if in doubt, it doubts
    reflex->has_before = cairn_reflex_kept_is_sound(before);
    if (!reflex->has_before) { return; }
    reflex->before = *before;
    reflex->stop.latched = before->stop_latched != 0;
    reflex->stop.release_count_max = before->release_count_max;
    reflex->command.refused_count = before->commands_refused_count;
    reflex->state.odom_id = before->odom_id;
    reflex->state.step_count = before->step_count;
    reflex->state.start_count = before->start_count + 1;
    cairn_odometry_resume(&reflex->odometry, before->odom_T_base, before->distance_m, before->turn_bias_radps);
}

cairn_err cairn_reflex_create(const cairn_body *body, const cairn_reflex_cells *cells, cairn_arena *arena,
                              cairn_reflex **ret_reflex)
{
    CAIRN_ASSERT(body->motors != NULL && cells->command != NULL && cells->stop != NULL && cells->kept != NULL);
    const cairn_body_description *description = body->description;
    const bool uncounted = description->drive == CAIRN_DRIVE_TORQUE && !description->encoders.offered;
    if (uncounted && !(description->imu.offered && description->laser.offered)) { return CAIRN_ERR_UNSUPPORTED; }
    cairn_reflex *reflex = CAIRN_TAKE(arena, cairn_reflex, 1);
    if (reflex == NULL) { return CAIRN_ERR_FULL; }
    reflex->body = body;
    reflex->cells = *cells;
    cairn_sensed_init(&reflex->sensed, description);
    cairn_attitude_init(&reflex->attitude);
    cairn_odometry_init(&reflex->odometry, description);
    cairn_reflex_command_init(&reflex->command, cells->command);
    cairn_stop_latch_init(&reflex->stop);
    cairn_guards_init(&reflex->guards);
    cairn_wheels_init(&reflex->wheels, description);
    cairn_counts_init(&reflex->counts, description);
    cairn_near_init(&reflex->near, description);
    cairn_drop_init(&reflex->drop, description);
    cairn_area_init(&reflex->area, description);
    cairn_tip_init(&reflex->tip, description);
    cairn_outlook_init(&reflex->outlook, description);
    cairn_spin_init(&reflex->spin, description);
    cairn_override_init(&reflex->override, cells->override);
    reflex->uncounted = uncounted;
    reflex->let_go = true; // until there is something to drive by, the base brakes
    cairn_unseen_init(&reflex->unseen, description);
    cairn_unseen_forget(&reflex->unseen, cells->seen);
    go_on(reflex);
    *ret_reflex = reflex;
    return CAIRN_OK;
}

// How far each wheel rolled since the reflex before fell silent; returns the way of the one that rolled farthest.
static double rolled_m(const cairn_reflex *reflex, double ret_rad[CAIRN_WHEELS_MAX])
{
    double farthest_rad = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double ticks = (double)reflex->sensed.ticks[i] - (double)reflex->before.ticks[i];
        ret_rad[i] = ticks * reflex->sensed.rad_per_tick;
        farthest_rad = fmax(farthest_rad, fabs(ret_rad[i]));
    }
    return farthest_rad * reflex->body->description->wheels.radius_m;
}

// An id that no odometry of this robot had before: it goes into the next one, with the time.
static void begin_odometry(cairn_reflex *reflex, cairn_mono now)
{
    cairn_odometry_init(&reflex->odometry, reflex->body->description);
    reflex->state.odom_id = cairn_hash_bytes((uint64_t)now.ns, &reflex->before, sizeof reflex->before) | 1u;
    cairn_area_forget(&reflex->area, reflex->cells.areas);
    cairn_outlook_forget(&reflex->outlook);
}

static void settle_odometry(cairn_reflex *reflex, cairn_mono now)
{
    if (!reflex->state.unsettled) { return; }
    if (!reflex->begun) {
        reflex->begun = true;
        reflex->began = now;
    }
    double wheel_rad[CAIRN_WHEELS_MAX];
    const cairn_odom_evidence evidence = {
        .kept = reflex->has_before,
        .encoders = reflex->sensed.encoders.offered,
        .ticks_kept = reflex->before.ticks_known != 0,
        .ticks_heard = reflex->sensed.encoders.heard,
        .rolled_m = rolled_m(reflex, wheel_rad),
        .waited_ns = cairn_mono_since(now, reflex->began),
    };
    const cairn_odom_fate fate = cairn_odom_judge(&evidence);
    reflex->state.unsettled = fate == CAIRN_ODOM_WAIT;
    if (fate == CAIRN_ODOM_GO_ON && evidence.encoders) { cairn_odometry_roll(&reflex->odometry, wheel_rad); }
    if (fate == CAIRN_ODOM_ANEW) { begin_odometry(reflex, now); }
}

static void know_where(cairn_reflex *reflex, cairn_mono now, double period_s)
{
    const cairn_attitude_motion motion = {
        .forward_mps = reflex->written.forward_mps,
        .accel_mps2_max = 2.0 * reflex->body->description->limits.accel_mps2_max,
        .turn_bias_radps = reflex->odometry.turn_bias_radps,
    };
    cairn_attitude_step(&reflex->attitude, &reflex->sensed, &motion);
    cairn_motion moves = reflex->written;
    if (reflex->uncounted) {
        cairn_unseen_look(&reflex->unseen, &reflex->sensed, &reflex->attitude, reflex->odometry.turn_radps,
                          reflex->cells.seen, now);
        if (reflex->unseen.seen && (moves.forward_mps != 0.0 || moves.turn_radps != 0.0)) {
            moves.forward_mps = reflex->unseen.forward_mps;
        }
    }
    cairn_odometry_step(&reflex->odometry, &reflex->sensed, &reflex->attitude, moves, period_s);
}

// What was heard by another time is forgotten: after a leap back it would seem to be of now for as long as the leap.
static void watch_clock(cairn_reflex *reflex, cairn_mono now)
{
    const int64_t step_ns = cairn_mono_since(now, reflex->stepped);
    reflex->time_leapt = reflex->stepped.ns != 0 && (step_ns < 0 || step_ns > CAIRN_LEAP_NS);
    reflex->stepped = now;
    if (!reflex->time_leapt) { return; }
    cairn_sensed_forget(&reflex->sensed);
    cairn_override_forget(&reflex->override);
    cairn_outlook_forget(&reflex->outlook);
    reflex->command.heard = reflex->command.in_force = false;
}

// Only scans that `near` has believed, and only while a gyro tells how it turns.
static void look_out(cairn_reflex *reflex, cairn_mono now)
{
    uint64_t version = 0;
    const cairn_scan_frame *scan =
        reflex->body->scan_reflex != NULL ? cairn_cell_latest(reflex->body->scan_reflex, &version) : NULL;
    if (!reflex->sensed.imu.fresh) { cairn_outlook_forget(&reflex->outlook); }
    if (scan == NULL || version == reflex->outlook.version || !reflex->sensed.imu.fresh) { return; }
    reflex->outlook.version = version;
    const cairn_surroundings *around = &reflex->near.around;
    if (!around->seen || around->scanned.ns != scan->taken.ns) { return; }
    const cairn_outlook_lie lie = {reflex->state.odom_T_base, reflex->state.roll_rad, reflex->state.pitch_rad};
    cairn_outlook_look(&reflex->outlook, scan, &lie, now);
}

// Reflex's own look at what is around; not while nobody knows in which odometry.
static void look_around(cairn_reflex *reflex, cairn_mono now)
{
    cairn_reflex_state *state = &reflex->state;
    if (state->unsettled) { return; }
    state->odom_T_base = reflex->odometry.odom_T_base;
    state->forward_mps = reflex->odometry.forward_mps;
    state->turn_radps = reflex->odometry.turn_radps;
    state->roll_rad = cairn_attitude_roll_rad(&reflex->attitude);
    state->pitch_rad = cairn_attitude_pitch_rad(&reflex->attitude);
    cairn_near_look(&reflex->near, reflex->body->scan_reflex, reflex->body->range_image_reflex, state, now);
    state->laser_empty = reflex->near.around.doubt.begun ? reflex->near.around.doubt.empty : state->laser_empty;
    look_out(reflex, now);
    cairn_drop_hear(&reflex->drop, reflex->cells.ground, state->odom_id, now);
    cairn_area_hear(&reflex->area, reflex->cells.areas, now);
}

// What lifts it is felt at once; a lean, or what an accelerometer is off by, adds up to little within a second.
static void feel_rise(cairn_reflex *reflex, double period_s)
{
    const cairn_sensed *sensed = &reflex->sensed;
    if (!sensed->imu.fresh || !reflex->attitude.known) {
        reflex->rises_mps = 0.0;
        return;
    }
    const double mps2 = cairn_vec3_dot(sensed->accel_mps2, reflex->attitude.up) - GRAVITY_MPS2;
    if (sensed->imu.is_new) { reflex->rises_mps += mps2 * fmin(sensed->imu.step_s, RISE_S); }
    reflex->rises_mps *= 1.0 - period_s / RISE_S;
}

// How it leans, and whether it goes where its wheels go.
static void feel(cairn_reflex *reflex, cairn_mono now, double period_s)
{
    const cairn_spin_input input = {
        .sensed = &reflex->sensed,
        .attitude = &reflex->attitude,
        .turn_radps = reflex->sensed.imu.fresh ? reflex->odometry.turn_radps : NAN,
        .asked = reflex->command.wanted,
        .seen = reflex->cells.seen,
        .stands = cairn_outlook_says(&reflex->outlook, now) == CAIRN_OUTLOOK_STANDS,
        .period_s = period_s,
        .now = now,
    };
    cairn_tip_step(&reflex->tip, &reflex->sensed, &reflex->attitude, reflex->odometry.turn_bias_radps, reflex->written,
                   period_s);
    feel_rise(reflex, period_s);
    cairn_spin_step(&reflex->spin, &input);
}

// Of wheels that nobody counts: mind sees it, and the IMU tells how it leans and turns. The operator may hold the guard
// of the IMU off, but not this one: without it nothing would be driven, and it would be told that something is.
static bool knows_speed(const cairn_reflex *reflex)
{
    return reflex->unseen.seen && reflex->sensed.imu.fresh && reflex->attitude.known;
}

static cairn_guard_facts facts_of(cairn_reflex *reflex, cairn_motion wanted, cairn_mono now)
{
    const cairn_motion moves = {reflex->odometry.forward_mps, reflex->odometry.turn_radps};
    const cairn_pose2 odom_T_base = reflex->odometry.odom_T_base;
    const cairn_body_description *body = reflex->body->description;
    return (cairn_guard_facts){
        .now = now,
        .limits = &body->limits,
        .sensed = &reflex->sensed,
        .attitude = &reflex->attitude,
        .command = &reflex->command,
        .stop_latched = reflex->stop.latched,
        .stopped_by_button = reflex->stop.by_button,
        .counts_lost = reflex->counts.lost,
        .without = reflex->without,
        .speed_unseen = reflex->uncounted && !knows_speed(reflex),
        .time_leapt = reflex->time_leapt,
        .wanted = wanted,
        .near = cairn_near_judge(&reflex->near, odom_T_base, wanted, moves, cairn_cell_latest(reflex->cells.seen, NULL),
                                 now),
        .drop = cairn_drop_judge(&reflex->drop, odom_T_base, wanted, moves),
        .area = cairn_area_judge(&reflex->area, odom_T_base, wanted, moves),
        .tip = &reflex->tip,
        .spin = &reflex->spin,
        .battery_critical = body->battery.offered ? body->battery.critical : -1.0,
        .held_off = reflex->override.guards,
        .corner_m = 0.5 * hypot(body->length_m, body->width_m),
    };
}

static void doubt_counts(cairn_reflex *reflex, cairn_mono now, double period_s)
{
    if (reflex->body->description->drive != CAIRN_DRIVE_TORQUE) { return; } // who closes the loop must watch it
    const cairn_counts_input input = {
        .sensed = &reflex->sensed,
        .attitude = &reflex->attitude,
        .turn_radps = reflex->sensed.imu.fresh ? reflex->odometry.turn_radps : NAN,
        .wanted = reflex->written,
        .asked = reflex->stop.latched ? (cairn_motion){0} : reflex->command.wanted,
        .torque_nm = reflex->torque_nm,
        .seen = reflex->cells.seen,
        .period_s = period_s,
        .now = now,
    };
    cairn_counts_step(&reflex->counts, &input);
}

static double slope_of(const cairn_reflex *reflex)
{
    return cairn_attitude_slope(&reflex->attitude, reflex->body->description->limits.tilt_rad_max);
}

static bool told_to_stand(const cairn_reflex *reflex)
{
    return reflex->written.forward_mps == 0.0 && reflex->written.turn_radps == 0.0;
}

// Counters that were lost are tried by driving, never by holding a place.
static bool counts_say_nothing(const cairn_reflex *reflex)
{
    const cairn_counts *counts = &reflex->counts;
    return !counts->brakes && (counts->lost || (counts->unproven != 0 && told_to_stand(reflex)));
}

// Without encoders, or by ones that lie or tell of wheels that never come to rest, no torque of ours can brake. Reflex
// then lets go once and falls silent, so that the base's own watchdog brakes (description.watchdog_ns), until the
// encoders are back, or there is something to drive.
static bool leaves_it_to_the_base(cairn_reflex *reflex, double period_s)
{
    const bool restless = told_to_stand(reflex) && reflex->wheels.restless;
    const bool unknown = !reflex->sensed.encoders.fresh || counts_say_nothing(reflex) || restless;
    bool blind = reflex->body->description->drive == CAIRN_DRIVE_TORQUE && unknown;
    if (reflex->uncounted) {
        blind = cairn_unseen_rests(&reflex->unseen, &reflex->sensed, reflex->written, reflex->odometry.turn_radps,
                                   period_s);
        blind = blind || isnan(slope_of(reflex)); // on its back, no estimate tells how its belts turn
    }
    const bool let_go = blind && reflex->let_go;
    reflex->let_go = blind;
    return let_go;
}

static void drive_unseen(cairn_reflex *reflex, cairn_motor_target *target, double period_s)
{
    const double slope = slope_of(reflex);
    if (reflex->let_go) {
        cairn_unseen_let_go(&reflex->unseen, slope, target->torque_nm);
        return;
    }
    cairn_unseen_drive(&reflex->unseen, reflex->written, reflex->odometry.turn_radps, slope, period_s,
                       target->torque_nm);
}

static void drive(cairn_reflex *reflex, cairn_mono now, double period_s)
{
    if (leaves_it_to_the_base(reflex, period_s)) { return; }
    cairn_motor_target *target = cairn_cell_begin(reflex->body->motors);
    *target = (cairn_motor_target){
        .issued = now, .command = reflex->body->description->drive, .flipper_rad = NAN}; // nobody moves flippers yet
    if (target->command == CAIRN_DRIVE_VELOCITY) {
        target->forward_mps = reflex->written.forward_mps;
        target->turn_radps = reflex->written.turn_radps;
    } else if (reflex->uncounted) {
        drive_unseen(reflex, target, period_s);
    } else {
        cairn_wheels_input input = {
            .wanted = reflex->written,
            .halt = reflex->guards.halt,
            .slope = reflex->counts.lost && reflex->counts.lost_at_rest ? NAN : slope_of(reflex),
            .lost = counts_say_nothing(reflex),
            .period_s = period_s,
        };
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { input.doubted[i] = reflex->counts.wheels[i].doubted; }
        cairn_wheels_step(&reflex->wheels, &input, &reflex->sensed, target->torque_nm);
    }
    memcpy(reflex->torque_nm, target->torque_nm, sizeof reflex->torque_nm);
    cairn_cell_publish(reflex->body->motors);
}

static void remember_pose(cairn_reflex_state *state)
{
    if (state->recent_count == CAIRN_ODOM_RECENT) {
        memmove(&state->recent[0], &state->recent[1], sizeof state->recent - sizeof state->recent[0]);
        state->recent_count--;
    }
    state->recent[state->recent_count++] = (cairn_odom_stamp){state->at, state->odom_T_base};
}

// For the next one. While it is not yet known whether the wheels stand where they did, the ticks stay those of then.
static void keep(cairn_reflex *reflex)
{
    const cairn_reflex_state *state = &reflex->state;
    cairn_reflex_kept kept = {
        .start_count = state->start_count,
        .odom_id = state->odom_id,
        .odom_T_base = state->odom_T_base,
        .distance_m = state->distance_m,
        .turn_bias_radps = state->turn_bias_radps,
        .step_count = state->step_count,
        .ticks_known = state->unsettled ? reflex->before.ticks_known : reflex->sensed.encoders.heard,
        .stop_latched = reflex->stop.latched,
        .release_count_max = reflex->stop.release_count_max,
        .commands_refused_count = state->commands_refused_count,
    };
    memcpy(kept.ticks, state->unsettled ? reflex->before.ticks : reflex->sensed.ticks, sizeof kept.ticks);
    cairn_reflex_kept_seal(&kept);
    cairn_cell_write(reflex->cells.kept, &kept, sizeof kept);
}

static void tell(cairn_reflex *reflex, cairn_mono now)
{
    const cairn_sensed *sensed = &reflex->sensed;
    cairn_reflex_state *state = &reflex->state;
    state->at = now;
    state->odom_T_base = reflex->odometry.odom_T_base;
    state->distance_m = reflex->odometry.distance_m;
    state->forward_mps =
        reflex->uncounted && reflex->unseen.seen ? reflex->unseen.forward_mps : reflex->odometry.forward_mps;
    state->turn_radps = reflex->odometry.turn_radps;
    state->told_mps = reflex->written.forward_mps;
    state->told_radps = reflex->written.turn_radps;
    state->roll_rad = cairn_attitude_roll_rad(&reflex->attitude);
    state->pitch_rad = cairn_attitude_pitch_rad(&reflex->attitude);
    state->rises_mps = reflex->rises_mps;
    state->turn_bias_radps = reflex->odometry.turn_bias_radps.z;
    state->guards = reflex->guards.acting;
    state->overridden = reflex->guards.overridden;
    state->bump_front = sensed->bump_front;
    state->bump_rear = sensed->bump_rear;
    state->bump_left = sensed->bump_left;
    state->bump_right = sensed->bump_right;
    state->commands_refused_count = reflex->command.refused_count;
    state->tellings_refused_count = reflex->drop.refused_count + reflex->area.refused_count;
    state->stop_latched = reflex->stop.latched;
    state->release_count_max = reflex->stop.release_count_max;
    state->step_count++;
    remember_pose(state);
    cairn_cell_write(reflex->cells.state_behaviour, state, sizeof *state);
    cairn_cell_write(reflex->cells.state_deliberate, state, sizeof *state);
    keep(reflex);
}

void cairn_reflex_step(cairn_reflex *reflex, cairn_mono now)
{
    const cairn_body_limits *limits = &reflex->body->description->limits;
    const double period_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS);

    watch_clock(reflex, now);
    cairn_sensed_step(&reflex->sensed, reflex->body, now);
    know_where(reflex, now, period_s);
    settle_odometry(reflex, now);
    look_around(reflex, now);
    cairn_reflex_command_step(&reflex->command, reflex->cells.command, limits, now);
    cairn_stop_latch_step(&reflex->stop, reflex->cells.stop, reflex->sensed.button_pressed, now);
    cairn_override_step(&reflex->override, reflex->cells.override, now, CAIRN_REFLEX_PERIOD_NS);
    doubt_counts(reflex, now, period_s);
    feel(reflex, now, period_s);
    cairn_motion wanted = cairn_motion_ramp(reflex->written, reflex->command.wanted, limits, period_s);

    // Safety: nothing after this line may raise a speed.
    const cairn_guard_facts facts = facts_of(reflex, wanted, now);
    cairn_guards_step(&reflex->guards, &facts);
    wanted = cairn_guards_limit(&reflex->guards, wanted);

    reflex->written = wanted;
    drive(reflex, now, period_s);
    tell(reflex, now);
}

void cairn_reflex_switch_off(cairn_reflex *reflex, uint32_t guards)
{
    CAIRN_ASSERT(reflex != NULL);
    reflex->without = guards;
}

uint32_t cairn_reflex_switched_off(const cairn_reflex *reflex) { return reflex->without; }
