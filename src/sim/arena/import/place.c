// Everything here asks the ground: cells of 0.1 m in which a robot's middle can be.
//
// Radii are a little more than the 0.35 m of `cairn arena check`, so that what is found here is good there too.
#include "sim/arena/import/place.h"
#include "base/random.h"
#include "geometry/rays.h"
#include "maps/distance.h"
#include "sim/arena/check/reach.h"
#include "sim/arena/import/relief.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROBOT_M 0.36
#define START_M 0.42 // free around a start
#define STARTS_APART_M 1.0
#define START_WAY_M 12.0  // from the first start, along the way
#define STARTS_FLAT_MIN 3 // fewer on flat floor: ridges make room
#define WIDE_M 2.5        // wider spots are not better
#define NEAR_PEOPLE_M 1.2
#define VICTIM_NEAR_M 1.4
#define VICTIM_LOST_M 1.0 // ground that a person may take from robots: up to so far from its middle
#define CLIMBED_M_MAX 0.6 // from higher up one looks over people
#define DEEP_M 0.14       // half a person
#define BOX_M 0.32        // half a box
#define GAP_M 0.03
#define BODY_M 0.27 // half a person's diagonal, and a little
#define BESIDE_WALL_M 0.5
#define FROM_STARTS_M 4.0
#define BETWEEN_VICTIMS_M 4.0
#define DRAWS_MAX 4000u // for each person; after each quarter, distances are halved
#define TURN_RAD 6.28318530717958647693

static const char *const names[] = {
    "Ada",  "Ben",  "Cleo", "Dan",  "Eve",  "Finn", "Gus",  "Hana", "Ivo",  "Juno", "Kai",   "Lena", "Max",
    "Nora", "Otto", "Pia",  "Quin", "Rosa", "Sam",  "Tara", "Udo",  "Vera", "Will", "Xenia", "Yara", "Zoe",
};

static void name_victim(cairn_sim_victim *victim, uint32_t index)
{
    const uint32_t count = sizeof names / sizeof names[0];
    if (index < count) {
        (void)snprintf(victim->name, sizeof victim->name, "%s", names[index]);
    } else {
        (void)snprintf(victim->name, sizeof victim->name, "%s%u", names[index % count], index / count + 1);
    }
}

// ---- starts

static bool far_from_starts(const cairn_draft *draft, cairn_vec2 at_m, double least_m)
{
    for (uint32_t i = 0; i < draft->start_count; i++) {
        if (cairn_vec2_distance(cairn_pose2_at(draft->starts[i]), at_m) < least_m) { return false; }
    }
    return true;
}

// Free ground ahead, up to 10 m.
static double run_m(const cairn_import_ground *ground, cairn_vec2 from_m, double heading_rad)
{
    const cairn_vec2 ahead = {cos(heading_rad), sin(heading_rad)};
    double far_m = 0.0;
    while (far_m < 10.0) {
        const uint32_t cell =
            cairn_ground_cell(ground, cairn_vec2_add(from_m, cairn_vec2_scale(ahead, far_m + CAIRN_GROUND_CELL_M)));
        if (cell == UINT32_MAX || ground->blocked[cell]) { break; }
        far_m += CAIRN_GROUND_CELL_M;
    }
    return far_m;
}

static cairn_pose2 start_at(const cairn_import_ground *ground, cairn_vec2 at_m)
{
    cairn_pose2 best = {at_m.x, at_m.y, 0.0};
    double best_m = -1.0;
    for (int quarter = 0; quarter < 4; quarter++) {
        const double heading_rad = quarter * TURN_RAD / 4, ahead_m = run_m(ground, at_m, heading_rad);
        if (ahead_m <= best_m) { continue; }
        best_m = ahead_m;
        best.yaw_rad = cairn_angle_wrap(heading_rad);
    }
    return best;
}

// The reached cell with most room around it; the first of equals.
static cairn_err widest(const cairn_import_ground *ground, cairn_arena *scratch, uint32_t *ret_cell)
{
    const size_t count = (size_t)ground->width * ground->height, mark = cairn_arena_mark(scratch);
    float *room = CAIRN_TAKE(scratch, float, count);
    if (room == NULL) { return CAIRN_ERR_FULL; }
    const cairn_err err = cairn_distance_transform(ground->blocked, ground->width, ground->height,
                                                   (float)(WIDE_M / CAIRN_GROUND_CELL_M), scratch, room);
    for (uint32_t cell = 0, best = UINT32_MAX; err == CAIRN_OK && cell < count; cell++) {
        if (!ground->reached[cell] || (best != UINT32_MAX && room[cell] <= room[best])) { continue; }
        best = cell;
        *ret_cell = cell;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

static cairn_err try_starts(cairn_draft *draft, cairn_import_ground *ground, uint32_t count, cairn_arena *scratch)
{
    draft->start_count = 0;
    if (cairn_ground_largest(ground) == UINT32_MAX) { return CAIRN_OK; }
    uint32_t first = UINT32_MAX;
    const cairn_err err = widest(ground, scratch, &first);
    if (err != CAIRN_OK) { return err; }
    CAIRN_ASSERT(first != UINT32_MAX);
    cairn_ground_flood(ground, first);
    for (uint32_t i = 0; i < ground->reached_count && draft->start_count < count; i++) {
        const cairn_vec2 at_m = cairn_ground_middle_m(ground, ground->queue[i]);
        if (draft->start_count > 0 && cairn_vec2_distance(at_m, cairn_pose2_at(draft->starts[0])) > START_WAY_M) {
            break;
        }
        if (!far_from_starts(draft, at_m, STARTS_APART_M)) { continue; }
        draft->starts[draft->start_count++] = start_at(ground, at_m);
    }
    return CAIRN_OK;
}

static void clear_relief_around_starts(cairn_draft *draft)
{
    for (uint32_t i = cairn_relief_count(draft); i-- > 0;) {
        const cairn_footprint what = cairn_relief_footprint(draft, i);
        for (uint32_t k = 0; k < draft->start_count; k++) {
            if (cairn_box2_distance(cairn_pose2_at(draft->starts[k]), what.map_T_middle, what.half_m) >= START_M) {
                continue;
            }
            cairn_relief_remove(draft, i);
            break;
        }
    }
}

cairn_err cairn_place_starts(cairn_draft *draft, const uint8_t *inside, uint32_t count,
                             const cairn_raf_victim *keep_off, uint32_t keep_off_count, const char *name_for_errors,
                             cairn_arena *scratch, cairn_complaints *complaints)
{
    const size_t mark = cairn_arena_mark(scratch);
    cairn_import_ground ground;
    cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &ground);
    for (int flat = 1; flat >= 0 && err == CAIRN_OK; flat--) {
        cairn_ground_block(&ground, draft, START_M, flat);
        for (uint32_t i = 0; i < keep_off_count; i++) {
            const cairn_footprint person = {{keep_off[i].at_m.x, keep_off[i].at_m.y, 0.0}, {0.0, 0.0}};
            cairn_ground_block_one(&ground, &person, NEAR_PEOPLE_M);
        }
        err = try_starts(draft, &ground, count, scratch);
        if (draft->start_count >= STARTS_FLAT_MIN || draft->start_count == count) { break; }
    }
    cairn_arena_reset(scratch, mark);
    if (err != CAIRN_OK) { return err; }
    if (draft->start_count == 0) {
        cairn_complain(complaints, name_for_errors, 0,
                       "has no ground where a robot of %.2f m radius can stand; look at metres a pixel", 0.35);
        return CAIRN_ERR_INVALID;
    }
    clear_relief_around_starts(draft);
    return CAIRN_OK;
}

// ---- people

typedef struct placing {
    cairn_draft *draft;
    cairn_import_ground before, after; // what robots reach without and with the person in question
} placing;

static cairn_err begin(placing *of, cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch)
{
    of->draft = draft;
    cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &of->before);
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &of->after); }
    return err;
}

static void reach(cairn_import_ground *ground, const cairn_draft *draft)
{
    const uint32_t from = cairn_ground_cell(ground, cairn_pose2_at(draft->starts[0]));
    CAIRN_ASSERT(from != UINT32_MAX);
    cairn_ground_flood(ground, from);
}

static bool stands_free(const cairn_draft *draft, const cairn_sim_victim *victim)
{
    const cairn_footprint own = cairn_footprint_of_victim(victim);
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_footprint other = cairn_footprint_of_wall(&draft->walls[i]);
        if (cairn_footprints_overlap(&own, &other)) { return false; }
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_footprint other = cairn_footprint_of_box(&draft->boxes[i]);
        if (cairn_footprints_overlap(&own, &other)) { return false; }
    }
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        const cairn_footprint other = cairn_footprint_of_victim(&draft->victims[i]);
        if (cairn_footprints_overlap(&own, &other)) { return false; }
    }
    for (uint32_t i = 0; i < draft->start_count; i++) {
        if (cairn_box2_distance(cairn_pose2_at(draft->starts[i]), own.map_T_middle, own.half_m) < START_M) {
            return false;
        }
    }
    return true;
}

static bool hits(const cairn_footprint *what, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const double distance_m = cairn_vec2_distance(from_m, to_m);
    const cairn_vec2 direction = cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), 1.0 / fmax(distance_m, 1e-9));
    const double hit_m = cairn_ray_box2(from_m, direction, what->map_T_middle, what->half_m);
    return hit_m >= 0.0 && hit_m < distance_m;
}

// `beside` is a person who is not in the draft yet.
static bool sees(const cairn_draft *draft, const cairn_sim_victim *beside, cairn_vec2 from_m,
                 const cairn_sim_victim *victim)
{
    const cairn_vec2 to_m = cairn_pose2_at(victim->map_T_victim);
    const cairn_vec2 local_m = cairn_pose2_apply(cairn_pose2_inverse(victim->map_T_victim), from_m);
    // Into a box one looks through its front.
    if (victim->boxed && (local_m.x < BOX_M || fabs(local_m.y) > local_m.x * 0.9)) { return false; }
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_footprint what = cairn_footprint_of_wall(&draft->walls[i]);
        if (hits(&what, from_m, to_m)) { return false; }
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_footprint what = cairn_footprint_of_box(&draft->boxes[i]);
        if (hits(&what, from_m, to_m)) { return false; }
    }
    for (uint32_t i = 0; i <= draft->victim_count; i++) {
        const cairn_sim_victim *other = i < draft->victim_count ? &draft->victims[i] : beside;
        if (other == victim) { continue; }
        const cairn_footprint what = cairn_footprint_of_victim(other);
        if (hits(&what, from_m, to_m)) { return false; }
    }
    return true;
}

// Whether a robot can come near a person and see it, over ground reached in `ground`.
static bool can_be_found(const cairn_draft *draft, const cairn_sim_victim *beside, const cairn_import_ground *ground,
                         const cairn_sim_victim *victim)
{
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    const int near = (int)(VICTIM_NEAR_M / CAIRN_GROUND_CELL_M);
    for (int dy = -near; dy <= near; dy++) {
        for (int dx = -near; dx <= near; dx++) {
            const uint32_t cell = cairn_ground_cell(
                ground, (cairn_vec2){at_m.x + dx * CAIRN_GROUND_CELL_M, at_m.y + dy * CAIRN_GROUND_CELL_M});
            if (cell == UINT32_MAX || !ground->reached[cell]) { continue; }
            const cairn_vec2 from_m = cairn_ground_middle_m(ground, cell);
            if (cairn_vec2_distance(from_m, at_m) <= VICTIM_NEAR_M && sees(draft, beside, from_m, victim)) {
                return true;
            }
        }
    }
    return false;
}

// Whether robots lose no ground but that around the person and no start, and all others can still be found.
static bool leaves_the_way(placing *of, const cairn_sim_victim *victim)
{
    const cairn_footprint own = cairn_footprint_of_victim(victim);
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    memcpy(of->after.blocked, of->before.blocked, (size_t)of->after.width * of->after.height);
    cairn_ground_block_one(&of->after, &own, ROBOT_M);
    reach(&of->after, of->draft);
    for (uint32_t i = 0; i < of->before.reached_count; i++) {
        const uint32_t cell = of->before.queue[i];
        if (of->after.reached[cell]) { continue; }
        if (cairn_vec2_distance(cairn_ground_middle_m(&of->before, cell), at_m) > VICTIM_LOST_M) { return false; }
    }
    for (uint32_t i = 0; i < of->draft->start_count; i++) {
        const uint32_t cell = cairn_ground_cell(&of->after, cairn_pose2_at(of->draft->starts[i]));
        if (!of->after.reached[cell]) { return false; }
    }
    for (uint32_t i = 0; i < of->draft->victim_count; i++) {
        const cairn_sim_victim *other = &of->draft->victims[i];
        // Further away, its robots are out of this one's reach too.
        if (cairn_vec2_distance(at_m, cairn_pose2_at(other->map_T_victim)) > 2 * VICTIM_NEAR_M) { continue; }
        if (!can_be_found(of->draft, victim, &of->after, other)) { return false; }
    }
    return can_be_found(of->draft, victim, &of->after, victim);
}

static bool place_if_good(placing *of, cairn_sim_victim victim)
{
    if (of->draft->victim_count == CAIRN_IMPORT_VICTIMS_MAX) { return false; }
    if (!stands_free(of->draft, &victim) || !leaves_the_way(of, &victim)) { return false; }
    name_victim(&victim, of->draft->victim_count);
    of->draft->victims[of->draft->victim_count++] = victim;
    memcpy(of->before.blocked, of->after.blocked, (size_t)of->after.width * of->after.height);
    reach(&of->before, of->draft);
    return true;
}

static cairn_sim_victim victim_at(cairn_vec2 at_m, double facing_rad, bool boxed)
{
    return (cairn_sim_victim){.map_T_victim = {at_m.x, at_m.y, cairn_angle_wrap(facing_rad)}, .boxed = boxed};
}

// Beside the wall at at_m: on the side it is written, or on the other; in a box, or without; and a little along it.
static bool place_on_wall(placing *of, const cairn_raf_victim *wanted)
{
    static const double shifts_m[] = {0.0, 0.2, -0.2, 0.35, -0.35};
    for (int side = 0; side < 2; side++) {
        const double facing_rad = wanted->facing_rad + side * TURN_RAD / 2;
        const cairn_vec2 out = {cos(facing_rad), sin(facing_rad)}, beside = {-out.y, out.x};
        for (int boxed = wanted->boxed; boxed >= 0; boxed--) {
            const double out_m = (boxed ? BOX_M : DEEP_M) + GAP_M + 0.025;
            for (size_t i = 0; i < sizeof shifts_m / sizeof shifts_m[0]; i++) {
                const cairn_vec2 at_m = cairn_vec2_add(
                    wanted->at_m, cairn_vec2_add(cairn_vec2_scale(out, out_m), cairn_vec2_scale(beside, shifts_m[i])));
                if (place_if_good(of, victim_at(at_m, facing_rad, boxed))) { return true; }
            }
        }
    }
    return false;
}

// In the open: where it is written, or up to 0.6 m from there, looking any way.
static bool place_in_open(placing *of, const cairn_raf_victim *wanted)
{
    for (int ring = 0; ring <= 6; ring++) {
        for (int step = 0; step < (ring == 0 ? 1 : 16); step++) {
            const double bearing_rad = step * TURN_RAD / 16;
            const cairn_vec2 at_m = {wanted->at_m.x + 0.1 * ring * cos(bearing_rad),
                                     wanted->at_m.y + 0.1 * ring * sin(bearing_rad)};
            for (int quarter = 0; quarter < 4; quarter++) {
                const double facing_rad = wanted->facing_rad + quarter * TURN_RAD / 4;
                if (place_if_good(of, victim_at(at_m, facing_rad, false))) { return true; }
            }
        }
    }
    return false;
}

cairn_err cairn_place_raf_victims(cairn_draft *draft, const uint8_t *inside, const cairn_raf *raf, cairn_arena *scratch,
                                  uint32_t *ret_left_out)
{
    const size_t mark = cairn_arena_mark(scratch);
    placing of;
    const cairn_err err = begin(&of, draft, inside, scratch);
    uint32_t left_out = 0;
    if (err == CAIRN_OK) {
        cairn_ground_block(&of.before, draft, ROBOT_M, false);
        reach(&of.before, draft);
        for (uint32_t i = 0; i < raf->victim_count; i++) {
            const cairn_raf_victim *wanted = &raf->victims[i];
            left_out += !(wanted->on_wall ? place_on_wall(&of, wanted) : place_in_open(&of, wanted));
        }
        *ret_left_out = left_out;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

static bool far_from_victims(const cairn_draft *draft, cairn_vec2 at_m, double least_m)
{
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        if (cairn_vec2_distance(cairn_pose2_at(draft->victims[i].map_T_victim), at_m) < least_m) { return false; }
    }
    return true;
}

static bool draw_victim(placing *of, const cairn_import_ground *bodies, const cairn_import_ground *beside,
                        cairn_random *random)
{
    for (uint32_t draw = 0; draw < DRAWS_MAX; draw++) {
        const double ease = exp2(-floor(4.0 * draw / DRAWS_MAX));
        const uint32_t near_cell = of->before.queue[cairn_random_below(random, of->before.reached_count)];
        const double bearing_rad = TURN_RAD * cairn_random_uniform(random);
        const cairn_vec2 near_m = cairn_ground_middle_m(&of->before, near_cell);
        const cairn_vec2 at_m = {near_m.x + 0.3 * cos(bearing_rad), near_m.y + 0.3 * sin(bearing_rad)};
        const uint32_t cell = cairn_ground_cell(bodies, at_m);
        if (cell == UINT32_MAX || bodies->blocked[cell] || !beside->blocked[cell]) { continue; }
        const cairn_vec2 middle_m = cairn_ground_middle_m(bodies, cell);
        if (!far_from_starts(of->draft, middle_m, FROM_STARTS_M * ease) ||
            !far_from_victims(of->draft, middle_m, BETWEEN_VICTIMS_M * ease)) {
            continue;
        }
        // Looks back to where a robot can be, to the next eighth of a turn.
        const double facing_rad = round((bearing_rad + TURN_RAD / 2) / (TURN_RAD / 8)) * (TURN_RAD / 8);
        if (place_if_good(of, victim_at(middle_m, facing_rad, false))) { return true; }
    }
    return false;
}

cairn_err cairn_place_victims(cairn_draft *draft, const uint8_t *inside, uint32_t count, uint64_t seed,
                              cairn_arena *scratch, uint32_t *ret_left_out)
{
    const size_t mark = cairn_arena_mark(scratch);
    placing of;
    cairn_import_ground bodies, beside;
    cairn_err err = begin(&of, draft, inside, scratch);
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &bodies); }
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &beside); }
    if (err == CAIRN_OK) {
        cairn_ground_block(&of.before, draft, ROBOT_M, false);
        cairn_ground_block(&bodies, draft, BODY_M, true);
        cairn_ground_block(&beside, draft, BESIDE_WALL_M, false);
        reach(&of.before, draft);
        cairn_random random;
        cairn_random_init(&random, seed, "import/victims");
        const uint32_t wanted = draft->victim_count + count;
        while (draft->victim_count < wanted && draw_victim(&of, &bodies, &beside, &random)) {}
        *ret_left_out = wanted - draft->victim_count;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

// ---- ground to climb

// Along the middle line, from a robot's length before the one foot to a robot's length after the other.
static bool ridge_drivable(const cairn_import_ground *ground, const cairn_sim_ramp *ridge)
{
    const double end_m = ridge->length_m / 2 + ROBOT_M;
    for (int i = 0; i <= 64; i++) {
        const cairn_vec2 at_m = cairn_pose2_apply(ridge->map_T_ramp, (cairn_vec2){-end_m + 2 * end_m * i / 64, 0.0});
        const uint32_t cell = cairn_ground_cell(ground, at_m);
        if (cell == UINT32_MAX || !ground->reached[cell]) { return false; }
    }
    return true;
}

static bool person_on(const cairn_draft *draft, uint32_t relief)
{
    const cairn_footprint own = cairn_relief_footprint(draft, relief);
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        const cairn_footprint person = cairn_footprint_of_victim(&draft->victims[i]);
        if (cairn_footprints_overlap(&own, &person)) { return true; }
    }
    return false;
}

// A ridge that nobody drives straight over, as between two walls, is two slopes: robots may still drive along it.
static bool split_ridge(cairn_draft *draft, uint32_t index)
{
    if (draft->ramp_count == CAIRN_DRAFT_RAMPS_MAX) { return false; }
    const cairn_sim_ramp ridge = draft->ramps[index];
    const cairn_pose2 middle_T_first = {-ridge.length_m / 4, 0, 0}, middle_T_second = {ridge.length_m / 4, 0, CAIRN_PI};
    cairn_sim_ramp half = ridge;
    half.slope = true;
    half.length_m = ridge.length_m / 2;
    half.map_T_ramp = cairn_pose2_compose(ridge.map_T_ramp, middle_T_first);
    draft->ramps[index] = half;
    half.map_T_ramp = cairn_pose2_compose(ridge.map_T_ramp, middle_T_second);
    draft->ramps[draft->ramp_count++] = half;
    return true;
}

cairn_err cairn_place_relief(cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch, uint32_t *ret_split)
{
    const size_t mark = cairn_arena_mark(scratch);
    cairn_import_ground ground;
    const cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &ground);
    uint32_t split = 0;
    if (err == CAIRN_OK) {
        cairn_ground_block(&ground, draft, ROBOT_M, false);
        reach(&ground, draft);
        for (uint32_t i = cairn_relief_count(draft); i-- > 0;) {
            if (person_on(draft, i) && !cairn_relief_hangs(draft, i)) { cairn_relief_remove(draft, i); }
        }
        for (uint32_t i = draft->ramp_count; i-- > 0;) {
            const cairn_sim_ramp *ramp = &draft->ramps[i];
            if (!ramp->slope && !ridge_drivable(&ground, ramp)) { split += split_ridge(draft, i); }
        }
        *ret_split = split;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

static bool is_found(const cairn_draft *draft, const cairn_reach *reach, const cairn_sim_victim *victim)
{
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    for (uint32_t i = 0; i < reach->place_count; i++) {
        const cairn_vec2 from_m = cairn_reach_middle_m(reach, i);
        if (cairn_vec2_distance(from_m, at_m) <= VICTIM_NEAR_M && reach->places[i].height_m < CLIMBED_M_MAX &&
            sees(draft, victim, from_m, victim)) {
            return true;
        }
    }
    return false;
}

cairn_err cairn_place_still_reached(const cairn_draft *draft, const cairn_sim_arena *arena, cairn_arena *scratch,
                                    bool *ret_reached, double *ret_area_m2)
{
    const size_t mark = cairn_arena_mark(scratch);
    cairn_reach_def def = cairn_reach_def_default();
    def.start_count = 1;
    cairn_reach reach;
    const cairn_err err = cairn_reach_create(arena, &def, scratch, &reach);
    bool all = true;
    for (uint32_t i = 0; err == CAIRN_OK && all && i < draft->start_count; i++) {
        all = cairn_reach_at(&reach, cairn_pose2_at(draft->starts[i]), 0.0, 0.1) != CAIRN_REACH_NONE;
    }
    for (uint32_t i = 0; err == CAIRN_OK && all && i < draft->victim_count; i++) {
        all = is_found(draft, &reach, &draft->victims[i]);
    }
    if (err == CAIRN_OK) { *ret_area_m2 = reach.cell_count * reach.cell_m * reach.cell_m; }
    *ret_reached = all;
    cairn_arena_reset(scratch, mark);
    return err;
}

cairn_err cairn_place_reach(const cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch, double *ret_area_m2)
{
    const size_t mark = cairn_arena_mark(scratch);
    cairn_import_ground ground;
    const cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &ground);
    if (err == CAIRN_OK) {
        cairn_ground_block(&ground, draft, ROBOT_M, false);
        reach(&ground, draft);
        *ret_area_m2 = ground.reached_count * CAIRN_GROUND_CELL_M * CAIRN_GROUND_CELL_M;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
