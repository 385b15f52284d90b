// A cycle of the behaviour level: read the cells once, run what is due, fuse, write the command.
#include "robot/behaviour/avoid.h"
#include "robot/behaviour/behaviour.h"
#include "robot/behaviour/follow_path.h"
#include "robot/behaviour/follow_wall.h"
#include "robot/behaviour/fuse.h"
#include "robot/behaviour/scheduler.h"
#include "robot/behaviour/situation.h"
#include "robot/behaviour/stick.h"
#include "robot/behaviour/surroundings.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// An older order is from a post that hangs: nobody would hear a stop.
#define MODE_AGE_NS_MAX CAIRN_S(1)
#define PATH_AGE_NS_MAX CAIRN_S(3)
#define IN_HANDS_AGE_NS_MAX CAIRN_MS(300)
#define NEAR_AGE_NS_MAX CAIRN_S(3)
#define STATE_AGE_NS_MAX CAIRN_MS(100)
// A wish above the first is held back when less than the second is left of it.
#define WISH_MPS 0.05
#define WISH_RADPS 0.1
#define HELD_MPS 0.03
#define HELD_RADPS 0.06
#define LIMITING_GUARDS                                                                                                \
    (1u << CAIRN_GUARD_OBSTACLE | 1u << CAIRN_GUARD_DROP | 1u << CAIRN_GUARD_TIP | 1u << CAIRN_GUARD_AREA)
// A robot that was held back is free again when it has got away by this far, or has gone its way for this long; to
// and fro in front of an obstacle is neither.
#define FREE_M 0.4
#define FREE_S 3.0

enum { LOOK, STICK, FOLLOW_PATH, FOLLOW_WALL, AVOID, BEHAVIOUR_COUNT };

struct cairn_behaviours {
    const cairn_body *body;
    cairn_reflex_cells reflex;
    cairn_behaviour_cells cells;
    cairn_schedule schedule;
    uint64_t cycle;
    cairn_vote votes[BEHAVIOUR_COUNT];
    cairn_surroundings around;
    cairn_follow_path follow_path;
    cairn_avoid avoid;
    double blocked_s, free_s;
    cairn_vec2 blocked_at_m; // odom
    cairn_mono issued;       // of the last command
    bool odom_known;
    uint64_t odom_id; // the odometry in which paths and points are
};

static cairn_vote look(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    cairn_surroundings_look(&behaviours->around, situation->reflex, situation->scan, situation->near, situation->now);
    return cairn_vote_none();
}

static cairn_vote stick(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    (void)behaviours;
    return cairn_stick_step(situation);
}

static cairn_vote follow_path(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    return cairn_follow_path_step(&behaviours->follow_path, situation);
}

static cairn_vote follow_wall(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    (void)behaviours;
    return cairn_follow_wall_step(situation);
}

static cairn_vote avoid(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    return cairn_avoid_step(&behaviours->avoid, situation);
}

#define ALWAYS ((1u << CAIRN_MODE_COUNT) - 1u)
#define BY_HAND (1u << CAIRN_MODE_TELEOPERATED)
#define ASSISTED (1u << CAIRN_MODE_ASSISTED_LEFT | 1u << CAIRN_MODE_ASSISTED_RIGHT)
#define ON_PATH (1u << CAIRN_MODE_WAYPOINT | 1u << CAIRN_MODE_AUTONOMOUS)

// Every behaviour: when it runs, what it costs, in which modes it has a say. Avoidance is last: it judges
// what the others want in the same cycle. In the modes that are not named here nothing has a wish.
static const struct behaviour_row {
    cairn_schedule_entry timing;
    uint32_t modes;
    cairn_vote (*step)(cairn_behaviours *behaviours, const cairn_situation *situation);
} table[BEHAVIOUR_COUNT] = {
    [LOOK] = {{2, 6}, ALWAYS, look},
    [STICK] = {{1, 1}, BY_HAND | ASSISTED, stick},
    [FOLLOW_PATH] = {{2, 2}, ON_PATH, follow_path},
    [FOLLOW_WALL] = {{3, 3}, ASSISTED, follow_wall},
    [AVOID] = {{2, 5}, BY_HAND | ASSISTED | ON_PATH, avoid},
};

cairn_err cairn_behaviour_cells_create(cairn_arena *arena, cairn_behaviour_cells *ret_cells)
{
    cairn_behaviour_cells cells = {0};
    const struct {
        size_t value_bytes;
        cairn_cell **cell;
    } wanted[] = {
        {sizeof(cairn_path), &cells.path},           {sizeof(cairn_near_obstacles), &cells.obstacles},
        {sizeof(cairn_sound_ground), &cells.ground}, {sizeof(cairn_in_hands), &cells.in_hands},
        {sizeof(cairn_stick), &cells.stick},         {sizeof(cairn_mode_order), &cells.mode},
        {sizeof(cairn_orders_state), &cells.orders}, {sizeof(cairn_behaviour_state), &cells.state},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const cairn_err err = cairn_cell_create(arena, wanted[i].value_bytes, wanted[i].cell);
        if (err != CAIRN_OK) { return err; }
    }
    *ret_cells = cells;
    return CAIRN_OK;
}

cairn_err cairn_behaviours_create(const cairn_body *body, const cairn_reflex_cells *reflex,
                                  const cairn_behaviour_cells *cells, cairn_arena *arena,
                                  cairn_behaviours **ret_behaviours)
{
    cairn_behaviours *behaviours = CAIRN_TAKE(arena, cairn_behaviours, 1);
    if (behaviours == NULL) { return CAIRN_ERR_FULL; }
    behaviours->body = body;
    behaviours->reflex = *reflex;
    behaviours->cells = *cells;
    cairn_schedule_entry entries[BEHAVIOUR_COUNT];
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        entries[i] = table[i].timing;
        behaviours->votes[i] = cairn_vote_none();
    }
    cairn_schedule_init(&behaviours->schedule, entries, BEHAVIOUR_COUNT);
    cairn_surroundings_init(&behaviours->around, body->description);
    cairn_follow_path_init(&behaviours->follow_path);
    cairn_avoid_init(&behaviours->avoid);
    *ret_behaviours = behaviours;
    return CAIRN_OK;
}

// Written by another thread or process since our step began, it seems to be from the future: by a period at most.
static bool young(cairn_mono issued, cairn_mono now, int64_t age_ns_max)
{
    return issued.ns <= now.ns + CAIRN_REFLEX_PERIOD_NS && issued.ns >= now.ns - age_ns_max;
}

static cairn_mode ordered_mode(cairn_cell *cell, cairn_mono now)
{
    const cairn_mode_order *order = cairn_cell_latest(cell, NULL);
    if (order == NULL || !young(order->issued, now, MODE_AGE_NS_MAX)) { return CAIRN_MODE_STOPPED; }
    return (unsigned)order->mode < CAIRN_MODE_COUNT ? order->mode : CAIRN_MODE_STOPPED;
}

// Whose hands hold it would have its wheels in them: no stick turns them, either.
static bool is_in_hands(cairn_cell *cell, cairn_mono now)
{
    const cairn_in_hands *in_hands = cairn_cell_latest(cell, NULL);
    return in_hands != NULL && young(in_hands->issued, now, IN_HANDS_AGE_NS_MAX);
}

static bool path_is_sound(const cairn_path *path, cairn_mono now)
{
    return path != NULL && young(path->issued, now, PATH_AGE_NS_MAX) && path->point_count <= CAIRN_PATH_POINTS_MAX &&
           path->speed_mps_max > 0.0;
}

static cairn_situation read_situation(cairn_behaviours *behaviours, cairn_mono now)
{
    const cairn_behaviour_cells *cells = &behaviours->cells;
    const cairn_path *path = cairn_cell_latest(cells->path, NULL);
    const cairn_near_obstacles *near = cairn_cell_latest(cells->obstacles, NULL);
    const bool near_young = near != NULL && young(near->issued, now, NEAR_AGE_NS_MAX);
    cairn_cell *scans = behaviours->body->scan_behaviour;
    return (cairn_situation){
        .now = now,
        .mode = is_in_hands(cells->in_hands, now) ? CAIRN_MODE_STOPPED : ordered_mode(cells->mode, now),
        .body = behaviours->body->description,
        .reflex = cairn_cell_latest(behaviours->reflex.state_behaviour, NULL),
        .path = path_is_sound(path, now) ? path : NULL,
        .near = near_young ? near : NULL,
        .ground = cairn_cell_latest(cells->ground, NULL),
        .stick = cairn_cell_latest(cells->stick, NULL),
        .scan = scans != NULL ? cairn_cell_latest(scans, NULL) : NULL,
        .around = &behaviours->around,
    };
}

// Whether reflex says where the robot is, now, and in the odometry that everything else here is in.
static bool is_informed(cairn_behaviours *behaviours, const cairn_situation *situation)
{
    const cairn_reflex_state *reflex = situation->reflex;
    if (reflex == NULL || reflex->unsettled || !young(reflex->at, situation->now, STATE_AGE_NS_MAX)) { return false; }
    if (!behaviours->odom_known) { behaviours->odom_id = reflex->odom_id; }
    behaviours->odom_known = true;
    return reflex->odom_id == behaviours->odom_id;
}

static cairn_motion run_due(cairn_behaviours *behaviours, cairn_situation *situation)
{
    const cairn_body_limits *limits = &situation->body->limits;
    const uint32_t due = cairn_schedule_due(&behaviours->schedule, behaviours->cycle++);
    const bool informed = is_informed(behaviours, situation);
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        const bool has_say = informed && (table[i].modes >> situation->mode & 1u) != 0;
        if (i == AVOID) { situation->wish = cairn_fuse(behaviours->votes, AVOID, limits); }
        if (!has_say) {
            behaviours->votes[i] = cairn_vote_none();
        } else if ((due >> i & 1u) != 0) {
            behaviours->votes[i] = table[i].step(behaviours, situation);
        } else if (i == AVOID && behaviours->votes[i].forward_mps_max == INFINITY) {
            behaviours->votes[i] = cairn_vote_limit(0.0, 0.0, 0.0); // it has not looked yet in this mode
        }
    }
    return cairn_fuse(behaviours->votes, BEHAVIOUR_COUNT, limits);
}

// By avoidance, or by a guard of reflex that takes away nearly all of what avoidance lets through.
static bool is_held(const cairn_behaviours *behaviours, const cairn_reflex_state *reflex, cairn_motion fused)
{
    const bool limited = (reflex->guards & LIMITING_GUARDS) != 0;
    const cairn_motion told = {limited ? reflex->told_mps : fused.forward_mps,
                               limited ? reflex->told_radps : fused.turn_radps};
    const bool stands = fabs(told.forward_mps) < HELD_MPS && fabs(told.turn_radps) < HELD_RADPS;
    return stands || behaviours->avoid.stepping_aside;
}

static void count_blocked(cairn_behaviours *behaviours, const cairn_situation *situation, cairn_motion fused)
{
    const cairn_motion wish = situation->wish;
    const bool wishes = fabs(wish.forward_mps) > WISH_MPS || fabs(wish.turn_radps) > WISH_RADPS;
    if (!wishes || situation->reflex == NULL) {
        behaviours->blocked_s = 0.0;
        return;
    }
    const double period_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS);
    const cairn_vec2 at = cairn_pose2_at(situation->reflex->odom_T_base);
    if (is_held(behaviours, situation->reflex, fused)) {
        if (behaviours->blocked_s == 0.0) { behaviours->blocked_at_m = at; }
        behaviours->blocked_s += period_s;
        behaviours->free_s = 0.0;
        return;
    }
    behaviours->free_s += period_s;
    const bool away = cairn_vec2_distance(at, behaviours->blocked_at_m) > FREE_M;
    if (away || behaviours->free_s > FREE_S) { behaviours->blocked_s = 0.0; }
}

static void tell(cairn_behaviours *behaviours, cairn_mono now)
{
    const cairn_follow_path *follow = &behaviours->follow_path;
    const cairn_behaviour_state state = {
        .at = now,
        .arrived = follow->under_way && follow->arrived,
        .blocked_s = behaviours->blocked_s,
        .clearance_m = behaviours->avoid.clearance_m,
        .path_at = follow->at,
        .path_issued = follow->issued,
    };
    cairn_cell_write(behaviours->cells.state, &state, sizeof state);
}

static bool stands(const cairn_situation *situation, cairn_motion fused)
{
    const cairn_reflex_state *reflex = situation->reflex;
    return fused.forward_mps == 0.0 && fused.turn_radps == 0.0 && reflex != NULL && reflex->told_mps == 0.0 &&
           reflex->told_radps == 0.0;
}

// A command by hand is as old as the stick that it comes from, however fresh our own word is: when no more sticks come,
// reflex stops the robot, without the ramp of a wish for zero. One that stands and is to stand needs no stick.
static cairn_mono issued_at(const cairn_behaviours *behaviours, const cairn_situation *situation, cairn_motion fused)
{
    if ((table[STICK].modes >> situation->mode & 1u) == 0) { return situation->now; }
    const cairn_stick *stick = situation->stick;
    const bool held =
        stick != NULL && stick->dead_man && young(stick->received, situation->now, CAIRN_STICK_AGE_NS_MAX);
    if (!held && stands(situation, fused)) { return situation->now; }
    const bool newer =
        stick != NULL && stick->received.ns <= situation->now.ns && stick->received.ns > behaviours->issued.ns;
    return newer ? stick->received : behaviours->issued;
}

void cairn_behaviours_step(cairn_behaviours *behaviours, cairn_mono now)
{
    cairn_situation situation = read_situation(behaviours, now);
    const cairn_motion fused = run_due(behaviours, &situation);
    behaviours->issued = issued_at(behaviours, &situation, fused);
    const cairn_motion_command command = {
        .issued = behaviours->issued, .forward_mps = fused.forward_mps, .turn_radps = fused.turn_radps};
    cairn_cell_write(behaviours->reflex.command, &command, sizeof command);
    count_blocked(behaviours, &situation, fused);
    tell(behaviours, now);
}
