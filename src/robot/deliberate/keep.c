// What outlives this mind: the checkpoint it writes, and how it takes over that of the mind before.
#include "robot/deliberate/deliberate.h"
#include <string.h>

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

void cairn_deliberate_keep(cairn_deliberate *d, cairn_mono now)
{
    if (d->def.checkpoint == NULL) { return; }
    cairn_checkpoint *kept = cairn_cell_begin(d->def.checkpoint);
    memset(kept, 0, sizeof *kept);
    kept->at = d->kept_at = now;
    kept->start_count = d->start_count;
    kept->lately_count = d->lately_count;
    memcpy(kept->starts, d->starts, sizeof kept->starts);
    kept->odom_id = d->state.odom_id;
    kept->reflex_start_count = d->state.start_count;
    kept->node_count = d->node_count;
    kept->stretch = d->stretch;
    kept->stretch_node = d->stretch_node;
    kept->private_T_odom = d->tracker.private_T_odom;
    kept->private_T_base = cairn_tracker_pose(&d->tracker, &d->state);
    kept->private_T_node = d->private_T_node;
    kept->height_m = d->storey.height_m;
    kept->floor = d->storey.floor;
    kept->trail = d->navigator.trail;
    kept->orders = d->orders;
    kept->messages_dropped_count = d->messages_dropped_count;
    kept->tally = d->tally;
    kept->task = d->navigator.task;
    kept->task_state = d->navigator.task_state;
    kept->via_at = d->navigator.via_at;
    kept->areas = d->areas.kept;
    cairn_victim_tracks_save(d->watch.tracks, &kept->victims);
    cairn_checkpoint_seal(kept);
    cairn_cell_publish(d->def.checkpoint);
}

void cairn_deliberate_keep_if_due(cairn_deliberate *d, cairn_mono now)
{
    if (cairn_mono_since(now, d->kept_at) >= CAIRN_CHECKPOINT_PERIOD_NS) { cairn_deliberate_keep(d, now); }
}

// The time in between was spent in no mode.
static void resume_tally(cairn_deliberate *d, const cairn_checkpoint *last, cairn_mono now)
{
    d->tally = last->tally;
    if (d->tally.since.ns > now.ns) { d->tally.since = now; } // the clock began anew
    d->tally.counted = now;
    d->tally.counted_m = d->state.distance_m;
    cairn_mode_tally_step(&d->tally, d->orders.mode, now, d->state.distance_m);
}

static void resume_place(cairn_deliberate *d, const cairn_checkpoint *last)
{
    d->tracker.private_T_odom = last->private_T_odom;
    d->navigator.trail = last->trail;
    cairn_storey_resume(&d->storey, last->height_m, last->floor);
    d->watch.floor = last->floor; // of the tracks that are taken over
    d->private_T_node = last->private_T_node;
    d->node_hangs_on = last->node_count > 0;
    const cairn_pose2 since_node =
        cairn_pose2_between(last->private_T_node, cairn_tracker_pose(&d->tracker, &d->state));
    cairn_drift_resume(&d->tracker.drift, cairn_vec2_length(cairn_pose2_at(since_node)));
}

static void resume_task(cairn_deliberate *d, const cairn_checkpoint *last)
{
    cairn_navigator_give(&d->navigator, &last->task);
    d->navigator.task_state = last->task_state;
    const uint32_t last_via = last->task.via_count > 0 ? last->task.via_count - 1 : 0;
    d->navigator.via_at = d->navigator.target_at = smaller(last->via_at, last_via);
}

static void tell_how(cairn_deliberate *d, const cairn_deliberate_past *past, cairn_mono now)
{
    const cairn_pose2 at = cairn_tracker_pose(&d->tracker, &d->state);
    const double away_s = cairn_seconds(cairn_mono_since(now, past->last->at));
    switch (past->resume) {
    case CAIRN_RESUME_ANEW: break;
    case CAIRN_RESUME_LOST:
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                    "started again; its base was switched off or moved meanwhile: it does not know "
                                    "where it stands, and waits");
        break;
    case CAIRN_RESUME_CHECK:
        cairn_deliberate_send_event(
            d, now, CAIRN_LOG_WARN,
            "started again; believes to stand where it stopped, at (%.2f, %.2f): check, then set it going", at.x_m,
            at.y_m);
        break;
    case CAIRN_RESUME_GO_ON:
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                    "mind was started again after %.1f s; goes on at (%.2f, %.2f)", away_s, at.x_m,
                                    at.y_m);
        break;
    case CAIRN_RESUME_WAIT:
        cairn_deliberate_send_event(
            d, now, CAIRN_LOG_ERROR,
            "mind was started %u times within a minute, and waits idle at (%.2f, %.2f); something makes it fail",
            past->start_count, at.x_m, at.y_m);
        break;
    }
}

static void note_start(cairn_deliberate *d, const cairn_checkpoint *last, cairn_mono now)
{
    d->starts[0] = now;
    d->start_count = d->lately_count = 1;
    if (last == NULL) { return; }
    const uint32_t older = smaller(last->lately_count, CAIRN_CHECKPOINT_STARTS - 1);
    memcpy(&d->starts[1], last->starts, older * sizeof last->starts[0]);
    d->lately_count = 1 + older;
    d->start_count = last->start_count + 1;
}

void cairn_deliberate_resume(cairn_deliberate *d, const cairn_deliberate_past *past, cairn_mono now)
{
    const cairn_checkpoint *last = past->last;
    d->state = *past->reflex;
    d->reflex_heard = true;
    d->orders = past->orders;
    cairn_mode_tally_init(&d->tally, d->orders.mode, now, d->state.distance_m);
    note_start(d, last, now);
    if (last != NULL) {
        d->node_count = last->node_count;
        d->stretch = d->stretch_told = last->stretch;
        d->stretch_node = last->stretch_node;
        d->areas.kept = last->areas;
        d->messages_dropped_count = last->messages_dropped_count;
        d->wary = true;
        resume_tally(d, last, now);
        cairn_victim_tracks_load(d->watch.tracks, &last->victims, now);
        if (past->resume != CAIRN_RESUME_LOST) { resume_place(d, last); }
        if (past->resume == CAIRN_RESUME_GO_ON && d->orders.mode != CAIRN_MODE_STOPPED) { resume_task(d, last); }
        tell_how(d, past, now);
        d->restarted = past->resume == CAIRN_RESUME_LOST;
        if (d->restarted) { cairn_deliberate_cut_trail(d, now); }
    }
    // At once: a mind that does not live to its first period must be counted too.
    cairn_deliberate_keep(d, now);
}
