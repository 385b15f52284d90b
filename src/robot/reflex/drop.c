// The outline of what stands on the ground is laid at poses along the arc of the motion; each of its points must lie on
// ground that carries, or within the outline as it stands now.
#include "robot/reflex/drop.h"
#include "body/body.h"
#include "robot/reflex/near.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// [m] Before and behind the wheels, and beside them, ground must carry so far: a cell that carries may do so in part.
// Below avoidance's, so that this guard stays still where that works. Larger: edges stay farther away.
#define AHEAD_M 0.05
#define ASIDE_M 0.015
// [-], [m] And ahead so many deviations more of what the wheels' counters are off by (slip_noise, over the root of the
// way; the mean of four) between the last look at an edge, from about so far before it, and standing there.
#define ROUGH_DEVIATIONS 3.0
#define UNSEEN_M 0.5
#define UNCOUNTED_M 0.03 // of a body whose wheels nobody counts
// [m] Avoidance's outline, by which unseen cells right beside the wheels are no edge, lies so much farther out at
// least.
#define WIDER_M 0.08
// [m] However slowly it goes, so far ahead ground must carry, and farther for the way on which it was made to stand: it
// would come to an edge hair by hair otherwise, by steps that nobody counts.
#define LOOK_M 0.015
#define LOOK_HELD_M 0.04
// [m] Between points of the outline that are looked at. Larger: cheaper; corners of cells come between them.
#define APART_M 0.03
#define INSIDE_M 1e-4 // the grain of the arithmetic

// How far before and behind the wheels ground must carry.
static double ahead_m(const cairn_body_description *body)
{
    if (!body->encoders.offered) { return AHEAD_M + UNCOUNTED_M; }
    const double wheels = body->encoders.rear_only ? 2.0 : 4.0;
    return AHEAD_M + ROUGH_DEVIATIONS * body->encoders.slip_noise * sqrt(UNSEEN_M / wheels);
}

void cairn_drop_init(cairn_drop *drop, const cairn_body_description *body)
{
    const cairn_wheels_description *wheels = &body->wheels;
    drop->body = body;
    drop->sees = cairn_body_sees_ground(body);
    drop->told = false;
    drop->version = drop->odom_id = 0;
    drop->refused_count = 0;
    drop->held = 0.0;
    drop->stands_m =
        (cairn_vec2){0.5 * wheels->wheelbase_m + ahead_m(body), 0.5 * (wheels->track_m + wheels->width_m) + ASIDE_M};
    CAIRN_ASSERT(drop->stands_m.x > 0.0 && drop->stands_m.y > 0.0);
}

void cairn_drop_hear(cairn_drop *drop, cairn_cell *cell, uint64_t odom_id, cairn_mono now)
{
    if (drop->told && drop->odom_id != odom_id) { drop->told = false; } // it was of another place
    if (cell == NULL) { return; }
    uint64_t version = 0;
    const cairn_sound_ground *ground = cairn_cell_latest(cell, &version);
    if (ground == NULL || version == drop->version) { return; }
    if (ground->issued.ns > now.ns + CAIRN_CLOCK_SLACK_NS) { return; } // it may be right in the next step
    drop->version = version;
    if (ground->odom_id != odom_id) {
        drop->refused_count++;
        return;
    }
    drop->ground = *ground;
    drop->odom_id = odom_id;
    drop->told = true;
}

// What a motion is tried against.
typedef struct drop_place {
    const cairn_drop *drop;
    cairn_frame2 odom_T_base;
    cairn_vec2 wide_m; // half of the outline by which avoidance judges such a motion
} drop_place;

static bool point_carries(const drop_place *place, cairn_frame2 base_T_then, cairn_vec2 point_m, cairn_vec2 half_m)
{
    const cairn_vec2 at_m = cairn_frame2_apply(base_T_then, point_m);
    if (fabs(at_m.x) < half_m.x + INSIDE_M && fabs(at_m.y) < half_m.y + INSIDE_M) { return true; }
    return cairn_sound_ground_carries(&place->drop->ground, cairn_frame2_apply(place->odom_T_base, at_m));
}

// Whether an outline, all around, carries.
static bool outline_carries(const drop_place *place, cairn_frame2 then, cairn_vec2 half_m)
{
    const int along = (int)ceil(2.0 * half_m.x / APART_M), across = (int)ceil(2.0 * half_m.y / APART_M);
    for (int i = 0; i <= across; i++) {
        const double y_m = half_m.y * (2.0 * i / across - 1.0);
        if (!point_carries(place, then, (cairn_vec2){half_m.x, y_m}, half_m)) { return false; }
        if (!point_carries(place, then, (cairn_vec2){-half_m.x, y_m}, half_m)) { return false; }
    }
    for (int i = 1; i < along; i++) {
        const double x_m = half_m.x * (2.0 * i / along - 1.0);
        if (!point_carries(place, then, (cairn_vec2){x_m, half_m.y}, half_m)) { return false; }
        if (!point_carries(place, then, (cairn_vec2){x_m, -half_m.y}, half_m)) { return false; }
    }
    return true;
}

// Right beside the wheels of a robot that has slid or begun on a ramp there are often a few cells that nobody has seen:
// where avoidance's outline lies on sound ground beyond them, they are no edge. A gap that is wider than the two
// outlines are apart, 10 cm, leaves both; wheels roll over one that is not.
static bool leaves_ground(const void *tried, cairn_pose2 base_T_then)
{
    const drop_place *place = tried;
    const cairn_frame2 then = cairn_frame2_of(base_T_then);
    return !outline_carries(place, then, place->drop->stands_m) && !outline_carries(place, then, place->wide_m);
}

static double sound_part(const cairn_drop *drop, cairn_pose2 odom_T_base, cairn_motion motion)
{
    const cairn_body_description *body = drop->body;
    const cairn_braking braking = {.limits = &body->limits,
                                   .reaction_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS) + CAIRN_BRAKING_WHEELS_S,
                                   .look_m = LOOK_M,
                                   .corner_m = 0.5 * hypot(body->length_m, body->width_m)};
    if (!drop->told) { return 0.0; }
    const cairn_wheels_description *wheels = &body->wheels;
    const double wide_x_m = 0.5 * wheels->wheelbase_m + cairn_ground_ahead_m(motion.forward_mps);
    const cairn_vec2 wide_m = {fmax(wide_x_m, drop->stands_m.x + WIDER_M),
                               0.5 * (wheels->track_m + wheels->width_m) + CAIRN_GROUND_ASIDE_M};
    const drop_place place = {drop, cairn_frame2_of(odom_T_base), wide_m};
    const double look_m = motion.forward_mps * drop->held > 0.0 ? LOOK_HELD_M : LOOK_M;
    if (leaves_ground(&place, cairn_braking_pose(&braking, motion, look_m))) { return 0.0; }
    return cairn_braking_part(&braking, motion, leaves_ground, &place);
}

cairn_motion_limit cairn_drop_judge(cairn_drop *drop, cairn_pose2 odom_T_base, cairn_motion wanted, cairn_motion moves)
{
    CAIRN_ASSERT(drop->body != NULL && isfinite(wanted.forward_mps) && isfinite(wanted.turn_radps));
    const bool rests = wanted.forward_mps == 0.0 && wanted.turn_radps == 0.0;
    if (rests || drop->body->limits.accept_unseen_ground) {
        return (cairn_motion_limit){.forward_mps_max = INFINITY, .turn_radps_max = INFINITY};
    }
    const cairn_motion motion = cairn_braking_motion(wanted, moves);
    if (drop->sees) {
        const double part = sound_part(drop, odom_T_base, motion);
        drop->held = part > 0.0 ? 0.0 : motion.forward_mps;
        return cairn_braking_limit(motion, part, wanted, (cairn_motion){0});
    }
    return cairn_braking_limit(motion, 0.0, wanted, (cairn_motion){CAIRN_CREEP_MPS, CAIRN_CREEP_RADPS});
}
