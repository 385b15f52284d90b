#include "robot/deliberate/deliberate.h"
#include <math.h>

#define TERRAIN_CELL_M 0.1
#define TERRAIN_CELLS 150
#define DEVIATION_MM_MAX 65534.0     // on the air
#define SOUND_GROUND_NS CAIRN_MS(90) // so often avoidance and reflex are told where the ground is sound
#define REFUSED_TOLD_NS CAIRN_S(30)
#define IN_DOUBT_NS CAIRN_S(10)         // so long it stands in doubt. Longer: finds its place more often; searches less
#define REFLEX_AGE_NS_MAX CAIRN_MS(100) // an older state is not of now
#define REFLEX_SILENT_NS_MAX CAIRN_MS(500) // after that it is said: longer than the machine is ever busy elsewhere

cairn_err cairn_deliberate_init(cairn_deliberate *d, const cairn_deliberate_def *def, cairn_arena *arena)
{
    *d = (cairn_deliberate){.def = *def, .orders = {.mode = CAIRN_MODE_IDLE}};
    cairn_mode_tally_init(&d->tally, CAIRN_MODE_IDLE, (cairn_mono){0}, 0.0);
    cairn_err err = cairn_tracker_init(&d->tracker, arena);
    const cairn_body_description *description = def->body->description;
    d->tracker.uncounted = description->drive == CAIRN_DRIVE_TORQUE && !description->encoders.offered;
    if (err == CAIRN_OK) { err = cairn_navigator_init(&d->navigator, def->body->description, arena); }
    if (err == CAIRN_OK) { err = cairn_footing_init(&d->footing, def->body->description, arena); }
    if (err == CAIRN_OK) { err = cairn_own_map_init(&d->own_map, arena); }
    if (err == CAIRN_OK) { err = cairn_watch_init(&d->watch, &description->laser, arena); }
    if (err == CAIRN_OK) { err = cairn_sent_maps_init(&d->sent, arena); }
    d->navigator.footing = &d->footing;
    d->navigator.fences = &d->areas.kept.fences;
    d->tracker.upright = &d->footing.upright;
    d->tracker.own_map = &d->own_map;
    cairn_compass_init(&d->compass, &description->magnetometer);
    cairn_storey_init(&d->storey, &description->barometer);
    return err;
}

// A release tells of a stop that came and went between two looks.
static bool was_stopped(const cairn_orders_state *before, const cairn_orders_state *now)
{
    return (now->mode == CAIRN_MODE_STOPPED && before->mode != CAIRN_MODE_STOPPED) ||
           now->release_count != before->release_count;
}

// Whoever stopped the robot wanted nothing of what it did: the next order must not set it going where it went.
static void let_all_be(cairn_deliberate *d, cairn_mono now)
{
    cairn_navigator_drop(&d->navigator, now);
    cairn_cell_write(d->def.behaviour->path, &d->navigator.path, sizeof d->navigator.path);
}

// A new mode is counted from here on, and told.
static void hear_orders(cairn_deliberate *d, cairn_mono now)
{
    const cairn_orders_state *orders = cairn_cell_latest(d->def.behaviour->orders, NULL);
    const bool changed = orders != NULL && orders->mode != d->orders.mode;
    cairn_mode_tally_step(&d->tally, changed ? orders->mode : d->orders.mode, now, d->state.distance_m);
    if (orders == NULL) { return; }
    if (was_stopped(&d->orders, orders)) { let_all_be(d, now); }
    const bool renewed = orders->order != d->orders.order || orders->release_count != d->orders.release_count;
    d->orders = *orders;
    if (changed || renewed) { cairn_deliberate_keep(d, now); } // before telemetry can name this order
    if (changed) { cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "mode %s", cairn_mode_name(d->orders.mode)); }
}

bool cairn_deliberate_hears_reflex(const cairn_deliberate *d, cairn_mono now)
{
    return d->reflex_heard && cairn_mono_since(now, d->state.at) <= REFLEX_AGE_NS_MAX;
}

static void take_state(cairn_deliberate *d, const cairn_reflex_state *state, cairn_mono now)
{
    if (state->unsettled) { return; }
    if (d->reflex_heard && state->odom_id != d->state.odom_id) {
        atomic_store(&d->over, true);
        return;
    }
    const bool started_again = d->reflex_heard && state->start_count != d->state.start_count;
    const double away_s = cairn_seconds(cairn_mono_since(state->at, d->state.at));
    d->state = *state;
    d->reflex_heard = true;
    if (!started_again) { return; }
    cairn_tracker_miss_turn(&d->tracker, away_s);
    cairn_deliberate_keep(d, now);
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "reflex was started again after %.1f s; goes on", away_s);
}

static void hear_reflex(cairn_deliberate *d, cairn_mono now)
{
    const cairn_reflex_state *state = cairn_cell_latest(d->def.reflex->state_deliberate, NULL);
    if (state != NULL) { take_state(d, state, now); }
    const bool silent = d->reflex_heard && cairn_mono_since(now, d->state.at) > REFLEX_SILENT_NS_MAX;
    if (silent && !d->reflex_silent) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_ERROR, "reflex is silent: the base holds the wheels by itself");
    }
    d->reflex_silent = silent;
}

void cairn_deliberate_listen(cairn_deliberate *d, cairn_mono now)
{
    hear_reflex(d, now);
    const cairn_behaviour_state *behaviour = cairn_cell_latest(d->def.behaviour->state, NULL);
    if (behaviour != NULL) { d->behaviour = *behaviour; }
    cairn_cell *batteries = d->def.body->battery_mind;
    const cairn_battery_frame *battery = batteries != NULL ? cairn_cell_latest(batteries, NULL) : NULL;
    if (battery != NULL) { d->battery = *battery; }
    hear_orders(d, now);
}

static void show(cairn_deliberate *d)
{
    const cairn_robot_view view = {
        .at = d->state.at,
        .private_T_base = cairn_tracker_pose(&d->tracker, &d->state),
        .odom_T_base = d->state.odom_T_base,
        .forward_mps = d->state.forward_mps,
        .turn_radps = d->state.turn_radps,
        .told_mps = d->state.told_mps,
        .told_radps = d->state.told_radps,
        .modes = d->tally,
        .guards = d->state.guards,
        .overridden = d->state.overridden,
        .match_quality = d->tracker.matched_count > 0 ? d->tracker.match.score : NAN,
        .health = (uint8_t)d->health.health,
        .health_reason = (uint8_t)d->health.reason,
    };
    cairn_cell_write(d->def.view, &view, sizeof view);
}

// How it leans, what it stands on and what it touches is remembered: short, often, free.
static void feel(cairn_deliberate *d, cairn_mono now)
{
    if (!cairn_deliberate_hears_reflex(d, now)) { return; }
    if (d->carried && d->footing.sees_ground) { cairn_seen_ground_forget(&d->footing.seen); }
    if (d->state.step_count > 0 && !d->stood) {
        cairn_footing_go_on(&d->footing, cairn_cell_latest(d->def.reflex->ground, NULL), &d->state);
        d->stood = true;
    }
    if (d->state.step_count > 0) { cairn_footing_stand(&d->footing, &d->state); }
    const cairn_moving_things moving = cairn_navigator_moving_things(&d->navigator, now);
    cairn_touches_feel(&d->footing.touches, &d->state, &d->tracker, &moving, now);
}

// Tasks, team-mates, tallies: short, often, free.
static void post_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    cairn_deliberate_read_post(d, now);
    cairn_deliberate_tell_areas(d, now);
    cairn_deliberate_keep_if_due(d, now);
    feel(d, now);
    cairn_deliberate_notice_condition(d, now);
    cairn_deliberate_feel_earth(d, now);
    cairn_deliberate_notice_doubt(d, now);
    show(d);
}

static void telemetry_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    cairn_deliberate_notice_lacks(d, now);
    cairn_deliberate_notice_bumpers(d, now);
    cairn_deliberate_tell_alarms(d, now);
    cairn_deliberate_send_telemetry(d, now);
}

// A scan that can be used; NULL if there is none but the one of this version.
static const cairn_scan_frame *new_scan(cairn_deliberate *d, uint64_t *version)
{
    cairn_cell *scans = d->def.body->scan_deliberate;
    const uint64_t before = *version;
    const cairn_scan_frame *scan = scans != NULL ? cairn_cell_latest(scans, version) : NULL;
    if (scan == NULL || *version == before) { return NULL; }
    if (scan->beam_count < 2 || scan->beam_count > CAIRN_SCAN_BEAMS_MAX) { return NULL; }
    const bool looks = isfinite(scan->nod_rad_first) && isfinite(scan->nod_rad_last); // or nobody knows where to
    const cairn_laser_description *laser = &d->def.body->description->laser;
    cairn_laser_doubt_go_on(&d->laser_doubt, d->state.laser_empty != 0);
    const bool doubted = cairn_laser_doubt_step(&d->laser_doubt, laser, scan, d->state.odom_T_base);
    const bool waits = d->wary && !d->laser_doubt.differed;
    return looks && !doubted && !waits ? scan : NULL;
}

static const cairn_range_image_frame *new_image(cairn_deliberate *d)
{
    cairn_cell *images = d->def.body->range_image_mind;
    const uint64_t before = d->image_version;
    const cairn_range_image_frame *image = images != NULL ? cairn_cell_latest(images, &d->image_version) : NULL;
    if (image == NULL || d->image_version == before) { return NULL; }
    const uint64_t pixels = (uint64_t)image->width_px * image->height_px;
    if (pixels == 0 || pixels > CAIRN_RANGE_PIXELS_MAX) { return NULL; }
    const cairn_range_imager_description *imager = &d->def.body->description->range_imager;
    return cairn_image_doubt_step(&d->image_doubt, imager, image, d->state.odom_T_base) ? NULL : image;
}

// What sees the ground is heard more often than maps are made: a nod has more scans than the map needs.
static void sweep_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    if (d->state.step_count == 0 || !cairn_deliberate_hears_reflex(d, now)) { return; }
    cairn_ground_sweep *sweep = &d->footing.sweep;
    const cairn_scan_frame *scan = new_scan(d, &d->swept_version);
    const cairn_range_image_frame *image = new_image(d);
    if (d->health.off_feet) { cairn_ground_sweep_clear(sweep); } // held in the air, it sees the floor too low
    if (d->health.off_feet || (scan == NULL && image == NULL)) { return; }
    const cairn_moving_things moving = cairn_navigator_moving_things(&d->navigator, now);
    const cairn_pose2 odom_T_private = cairn_pose2_inverse(d->tracker.private_T_odom);
    if (scan != NULL) {
        cairn_ground_sweep_add_scan(sweep, &d->tracker.beams, scan, &d->state, odom_T_private, &moving);
        cairn_footing_see(&d->footing, &d->tracker);
    }
    if (image != NULL) {
        cairn_footing_expect_image(&d->footing, &d->tracker, image->taken, now);
        cairn_ground_sweep_add_image(sweep, image, &d->state, odom_T_private, &moving);
        cairn_footing_see(&d->footing, &d->tracker);
    }
}

static void sweep_publish(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    const bool lately = d->ground.issued.ns > 0 && cairn_mono_since(now, d->ground.issued) < SOUND_GROUND_NS;
    if (!d->footing.seen.begun || lately || atomic_load(&d->over)) { return; }
    cairn_seen_ground_tell(&d->footing.seen, now, &d->ground);
    d->ground.odom_id = d->state.odom_id;
    cairn_cell_write(d->def.behaviour->ground, &d->ground, sizeof d->ground);
    cairn_cell_write(d->def.reflex->ground, &d->ground, sizeof d->ground);
}

static void ground_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    if (d->tracker.started) { (void)cairn_footing_step(&d->footing, &d->tracker, now); }
}

static void map_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    // While reflex is away nobody counts the way; it will say how far the wheels rolled.
    if (d->state.step_count == 0 || !cairn_deliberate_hears_reflex(d, now)) { return; }
    const cairn_scan_frame *scan = new_scan(d, &d->scan_version);
    if (scan == NULL) { return; }
    const cairn_moving_things moving = cairn_navigator_moving_things(&d->navigator, now);
    cairn_deliberate_heed_compass(d, now);
    if (d->health.off_feet) { return; } // what it sees is not the floor's, and its wheels take it nowhere
    cairn_tracker_step(&d->tracker, scan, &d->def.body->description->laser, &d->state, &moving, now);
    const bool sure = cairn_mono_since(d->tracker.believed_at, now) == 0 && cairn_hold_is_firm(&d->tracker.hold) &&
                      d->tracker.denied_count == 0 && d->tracker.odd_count == 0;
    if (sure) { // or nobody knows where it was taken
        cairn_own_map_add(&d->own_map, d->tracker.private_T_base, &d->tracker.points);
    }
    cairn_deliberate_notice_slip(d, now);
    cairn_deliberate_notice_doubt(d, now);
    cairn_deliberate_seek_place(d, now);
    cairn_navigator_near_obstacles(&d->navigator, &d->tracker, &d->state, now, &d->near);
}

static void map_publish(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    (void)now;
    if (d->near.issued.ns > 0) { cairn_cell_write(d->def.behaviour->obstacles, &d->near, sizeof d->near); }
    const cairn_seen_motion *motion = &d->tracker.motion;
    if (motion->at.ns > 0) { cairn_cell_write(d->def.reflex->seen, motion, sizeof *motion); }
}

// Who does not know where it is would go somewhere else than it means to. It stands for a while, sees better than on
// the way, and looks for its place; a person may drive it on. Then it goes on, drawing nothing, to where it may know
// its place: one that waits for somebody to come would wait for good.
static bool stands_in_doubt(cairn_deliberate *d, cairn_mono now)
{
    const bool doubtful = d->health.health != CAIRN_HEALTH_GOOD;
    if (!doubtful) { d->sure_at = now; }
    return doubtful && cairn_mono_since(now, d->sure_at) < IN_DOUBT_NS;
}

bool cairn_deliberate_may_go(cairn_deliberate *d, cairn_mono now)
{
    const bool goes_by_itself = d->orders.mode == CAIRN_MODE_WAYPOINT || d->orders.mode == CAIRN_MODE_AUTONOMOUS;
    const bool charged = cairn_deliberate_heed_battery(d, now);
    const bool reports = !cairn_deliberate_heed_contact(d, now);
    return goes_by_itself && charged && !reports && !stands_in_doubt(d, now) && cairn_deliberate_heed_condition(d);
}

// Who looks on should know why a robot does not go straight; once in a while will do.
static void tell_of_refused_ground(cairn_deliberate *d, cairn_mono now)
{
    const uint32_t refused = d->footing.standing.refused_ever;
    const bool lately = d->refused_told > 0 && cairn_mono_since(now, d->refused_told_at) < REFUSED_TOLD_NS;
    if (refused == d->refused_told || lately) { return; }
    d->refused_told = refused;
    d->refused_told_at = now;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "keeps off ground on which it would lean too far");
}

static void plan_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    if (!d->tracker.started) { return; }
    const bool sure = d->health.health == CAIRN_HEALTH_GOOD || (d->apart && !d->health.off_feet);
    if (sure) { cairn_navigator_remember(&d->navigator, &d->tracker, now); }
    const bool may_go = cairn_deliberate_may_go(d, now);
    cairn_navigator_step(&d->navigator, &d->tracker, &d->state, &d->behaviour, may_go, now);
    tell_of_refused_ground(d, now);
}

static void plan_publish(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    (void)now;
    if (d->navigator.path.issued.ns > 0 && !atomic_load(&d->over)) { // or it is of another odometry
        cairn_cell_write(d->def.behaviour->path, &d->navigator.path, sizeof d->navigator.path);
    }
}

static void look_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    if (d->def.body->thermal_mind == NULL || !d->tracker.started) { return; }
    uint64_t version = 0;
    const cairn_thermal_frame *frame = cairn_cell_latest(d->def.body->thermal_mind, &version);
    if (frame == NULL || version == d->thermal_version) { return; }
    d->thermal_version = version;
    const uint64_t pixels = (uint64_t)frame->width_px * frame->height_px;
    if (pixels == 0 || pixels > CAIRN_THERMAL_PIXELS_MAX) { return; }
    cairn_watch_be_on_floor(&d->watch, d->storey.floor);
    cairn_watch_step(&d->watch, frame, &d->def.body->description->thermal, &d->tracker, &d->state);
}

// Who does not know where it stands does not know where it saw somebody.
static void widen(cairn_msg_victim_seen *seen, double deviation_m)
{
    if (seen->deviation_mm == CAIRN_MSG_VICTIM_SEEN_DEVIATION_MM_UNKNOWN) { return; }
    seen->deviation_mm = (uint16_t)fmin(hypot(seen->deviation_mm, 1e3 * deviation_m), DEVIATION_MM_MAX);
}

void cairn_deliberate_report_people(cairn_deliberate *d)
{
    while (cairn_watch_take_report(&d->watch, d->def.robot_id, &d->message.victim_seen)) {
        d->message.id = CAIRN_MSG_VICTIM_SEEN;
        widen(&d->message.victim_seen, cairn_hold_deviation_m(&d->tracker.hold));
        cairn_deliberate_send(d, d->def.boxes.reports);
    }
}

// What has a number on the air is kept before it leaves, so that no mind after this one gives the number again.
static void look_publish(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    if (cairn_victim_tracks_has_report(d->watch.tracks)) { cairn_deliberate_keep(d, now); }
    cairn_deliberate_report_people(d);
}

static void node_step(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    cairn_deliberate_listen(d, now);
    // There is no node where the robot is not sure of its place: once it has found back on its own map, the edge leads
    // from where it was last sure, and says no more of the way between than it knows.
    const bool sure = d->tracker.started && cairn_hold_is_firm(&d->tracker.hold);
    if (!sure || cairn_deliberate_is_trail_cut(d)) { return; }
    const cairn_pose2 private_T_base = d->tracker.private_T_base;
    d->node_edge = d->node_hangs_on ? cairn_pose2_between(d->private_T_node, private_T_base) : (cairn_pose2){0};
    d->node_edge_deviation = cairn_drift_edge(&d->tracker.drift);
    cairn_drift_begin(&d->tracker.drift);
    d->node_hangs_on = true;
    d->node_count++;
    d->private_T_node = private_T_base;
    d->node_at = d->tracker.points_at;
    // On the lattice of the private frame, not turned with the robot: then cells of one map are cells of the next, and
    // what did not change costs next to nothing on the air.
    d->planes_middle_m = (cairn_vec2){TERRAIN_CELL_M * round(private_T_base.x_m / TERRAIN_CELL_M),
                                      TERRAIN_CELL_M * round(private_T_base.y_m / TERRAIN_CELL_M)};
    const cairn_pose2 middle = {d->planes_middle_m.x, d->planes_middle_m.y, 0};
    cairn_terrain_planes_sample(d->tracker.grid, middle, TERRAIN_CELL_M, TERRAIN_CELLS, now, &d->planes);
    cairn_footing_mark_planes(&d->footing, &d->own_map, middle, &d->planes);
    d->node_ready = true;
}

static void node_publish(void *context, cairn_mono now)
{
    cairn_deliberate *d = context;
    if (!d->node_ready) { return; }
    cairn_deliberate_keep(d, now);
    cairn_deliberate_send_node(d);
    d->node_ready = false;
}

// The declared cost of each step on the reference computer (cpu_factor 1), a small ARM board: measured times of a fast
// desktop core times 50, rounded up.
typedef enum step_kind { EVERYBODY, NODDING, IMAGING } step_kind;

static const struct {
    const char *name;
    step_kind of; // robots that see the ground by a laser that nods, or by a range imager alone
    int64_t period_ns, offset_ns, cost_ns;
    cairn_step_fn step, publish;
} deliberate_steps[] = {
    {"post", EVERYBODY, CAIRN_MS(16), 0, 0, post_step, NULL},
    {"telemetry", EVERYBODY, CAIRN_MS(500), CAIRN_MS(40), 0, telemetry_step, NULL},
    {"sweep", NODDING, CAIRN_MS(24), CAIRN_MS(4), CAIRN_MS(4), sweep_step, sweep_publish},
    {"sweep", IMAGING, CAIRN_MS(104), CAIRN_MS(4), CAIRN_MS(12), sweep_step, sweep_publish},
    {"map", EVERYBODY, CAIRN_MS(100), CAIRN_MS(8), CAIRN_MS(12), map_step, map_publish},
    {"look", EVERYBODY, CAIRN_MS(120), CAIRN_MS(24), CAIRN_MS(4), look_step, look_publish},
    {"plan", EVERYBODY, CAIRN_MS(500), CAIRN_MS(32), CAIRN_MS(40), plan_step, plan_publish},
    {"ground", NODDING, CAIRN_MS(1248), CAIRN_MS(200), CAIRN_MS(112), ground_step, NULL},
    {"ground", IMAGING, CAIRN_MS(1248), CAIRN_MS(200), CAIRN_MS(72), ground_step, NULL},
    {"node", EVERYBODY, CAIRN_MS(1248), CAIRN_MS(240), CAIRN_MS(16), node_step, node_publish},
};

void cairn_deliberate_register(cairn_deliberate *d, cairn_executor *executor, uint32_t lane, uint32_t processor)
{
    const step_kind eyes = !d->footing.sees_ground ? EVERYBODY : d->footing.nods ? NODDING : IMAGING;
    for (size_t i = 0; i < sizeof deliberate_steps / sizeof deliberate_steps[0]; i++) {
        if (deliberate_steps[i].of != EVERYBODY && deliberate_steps[i].of != eyes) { continue; }
        const cairn_task_def def = {
            .name = deliberate_steps[i].name,
            .lane = lane,
            .processor = processor,
            .period_ns = deliberate_steps[i].period_ns,
            .offset_ns = deliberate_steps[i].offset_ns,
            .cost_ns = (int64_t)((double)deliberate_steps[i].cost_ns * d->def.body->description->cpu_factor),
            .step = deliberate_steps[i].step,
            .publish = deliberate_steps[i].publish,
            .state = d,
        };
        cairn_executor_add_task(executor, &def);
    }
}
