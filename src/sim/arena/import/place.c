// Everything here asks the ground: cells of 0.1 m in which a robot's middle can be.
//
// Radii are a little more than the 0.35 m of `cairn arena check`, so that what is found here is good there too.
#include "sim/arena/import/place.h"
#include "base/random.h"
#include "geometry/rays.h"
#include "maps/distance.h"
#include "sim/arena/import/relief.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROBOT_M 0.36
#define WIDE_ROBOT_M 0.45 // negotiator, with the grid's error
#define START_M 0.42      // free around a start
#define STARTS_APART_M 1.0
#define START_WAY_M 12.0 // from the first start, along the way
#define STARTS_MIN 2     // fewer on flat floor: for so many, ridges make room
#define WIDE_M 2.5       // wider spots are not better
#define NEAR_PEOPLE_M 1.2
#define VICTIM_NEAR_M 1.4
#define VICTIM_LOST_M 1.0 // ground that a person may take from robots: up to so far from its middle
#define PERSON_HIGH_M 0.75
#define BOX_M 0.32  // half a box
#define BODY_M 0.27 // half a person's diagonal, and a little
#define BESIDE_WALL_M 0.5
#define FROM_STARTS_M 4.0
#define BETWEEN_VICTIMS_M 4.0
#define HUNG_FOOT_M 0.4 // of a box on a wall, where there is no flat floor to sit on
#define HUNG_GAP_M 0.002
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

// Where the first start is; UINT32_MAX if there is no room.
static cairn_err first_cell(const cairn_draft *draft, cairn_import_ground *ground, cairn_arena *scratch,
                            uint32_t *ret_cell)
{
    if (draft->start_count > 0) {
        *ret_cell = cairn_ground_cell(ground, cairn_pose2_at(draft->starts[0]));
        return CAIRN_OK;
    }
    *ret_cell = UINT32_MAX;
    return cairn_ground_largest(ground) == UINT32_MAX ? CAIRN_OK : widest(ground, scratch, ret_cell);
}

// Adds to those that there are.
static cairn_err try_starts(cairn_draft *draft, cairn_import_ground *ground, uint32_t count, cairn_arena *scratch)
{
    uint32_t first;
    const cairn_err err = first_cell(draft, ground, scratch, &first);
    if (err != CAIRN_OK || first == UINT32_MAX) { return err; }
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
    draft->start_count = 0;
    cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &ground);
    for (int flat = 1; flat >= 0 && err == CAIRN_OK; flat--) {
        cairn_ground_block(&ground, draft, START_M, flat);
        for (uint32_t i = 0; i < keep_off_count; i++) {
            const cairn_footprint person = {{keep_off[i].at_m.x, keep_off[i].at_m.y, 0.0}, {0.0, 0.0}};
            cairn_ground_block_one(&ground, &person, NEAR_PEOPLE_M);
        }
        err = try_starts(draft, &ground, flat || count < STARTS_MIN ? count : STARTS_MIN, scratch);
        if (draft->start_count >= STARTS_MIN || draft->start_count == count) { break; }
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
    cairn_import_ground before, after;           // what robots reach without and with the person in question
    cairn_import_ground wide_before, wide_after; // and what wide ones do
} placing;

static cairn_err begin(placing *of, cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch)
{
    of->draft = draft;
    cairn_err err = cairn_ground_create(draft->size_m, inside, scratch, &of->before);
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &of->after); }
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &of->wide_before); }
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &of->wide_after); }
    return err;
}

static void reach(cairn_import_ground *ground, const cairn_draft *draft)
{
    const uint32_t from = cairn_ground_cell(ground, cairn_pose2_at(draft->starts[0]));
    CAIRN_ASSERT(from != UINT32_MAX);
    cairn_ground_flood(ground, from);
}

// From the floor or the bottom of its box up.
typedef struct span {
    double low_m, high_m;
} span;

static span span_of_victim(const cairn_sim_victim *victim)
{
    const double high_m = victim->hangs ? CAIRN_HUNG_BOX_HIGH_M : PERSON_HIGH_M;
    return (span){victim->foot_m, victim->foot_m + high_m};
}

static bool collide(const cairn_footprint *a, span a_span, const cairn_footprint *b, span b_span)
{
    return a_span.low_m < b_span.high_m && b_span.low_m < a_span.high_m && cairn_footprints_overlap(a, b);
}

static bool stands_free(const cairn_draft *draft, const cairn_sim_victim *victim)
{
    const cairn_footprint own = cairn_footprint_of_victim(victim);
    const span tall = span_of_victim(victim);
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_sim_wall *wall = &draft->walls[i];
        const cairn_footprint other = cairn_footprint_of_wall(wall);
        if (collide(&own, tall, &other, (span){wall->foot_m, wall->foot_m + wall->height_m})) { return false; }
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_sim_box *box = &draft->boxes[i];
        const cairn_footprint other = cairn_footprint_of_box(box);
        if (collide(&own, tall, &other, (span){box->foot_m, box->foot_m + box->size_m.z})) { return false; }
    }
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        const cairn_footprint other = cairn_footprint_of_victim(&draft->victims[i]);
        if (collide(&own, tall, &other, span_of_victim(&draft->victims[i]))) { return false; }
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

// Whether robots of a radius lose no ground but that around the person.
static bool loses_little(const placing *of, const cairn_import_ground *before, cairn_import_ground *after,
                         const cairn_sim_victim *victim, double radius_m)
{
    const cairn_footprint own = cairn_footprint_of_victim(victim);
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    memcpy(after->blocked, before->blocked, (size_t)after->width * after->height);
    cairn_ground_block_one(after, &own, radius_m);
    reach(after, of->draft);
    for (uint32_t i = 0; i < before->reached_count; i++) {
        const uint32_t cell = before->queue[i];
        if (after->reached[cell]) { continue; }
        if (cairn_vec2_distance(cairn_ground_middle_m(before, cell), at_m) > VICTIM_LOST_M) { return false; }
    }
    return true;
}

// Whether robots lose no ground but that around the person and no start, and all others can still be found.
static bool leaves_the_way(placing *of, const cairn_sim_victim *victim)
{
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    if (!loses_little(of, &of->before, &of->after, victim, ROBOT_M)) { return false; }
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

static bool add_if_free(cairn_draft *draft, cairn_sim_victim victim)
{
    if (draft->victim_count == CAIRN_IMPORT_VICTIMS_MAX || !stands_free(draft, &victim)) { return false; }
    name_victim(&victim, draft->victim_count);
    draft->victims[draft->victim_count++] = victim;
    return true;
}

// Wide robots may lose their way where there is no other place.
static bool place_if_good(placing *of, cairn_sim_victim victim, bool wide_too)
{
    if (!stands_free(of->draft, &victim) || !leaves_the_way(of, &victim)) { return false; }
    if (!loses_little(of, &of->wide_before, &of->wide_after, &victim, WIDE_ROBOT_M) && wide_too) { return false; }
    if (!add_if_free(of->draft, victim)) { return false; }
    memcpy(of->wide_before.blocked, of->wide_after.blocked, (size_t)of->after.width * of->after.height);
    reach(&of->wide_before, of->draft);
    memcpy(of->before.blocked, of->after.blocked, (size_t)of->after.width * of->after.height);
    reach(&of->before, of->draft);
    return true;
}

// Where it is written. Who sits in the open, and in something, moves by up to 0.6 m.
static bool place_as_written(cairn_draft *draft, const cairn_raf_victim *wanted)
{
    for (int ring = 0; ring <= (wanted->hangs ? 0 : 6); ring++) {
        for (int step = 0; step < (ring == 0 ? 1 : 16); step++) {
            const double bearing_rad = step * TURN_RAD / 16;
            const cairn_sim_victim victim = {.map_T_victim = {wanted->at_m.x + 0.1 * ring * cos(bearing_rad),
                                                              wanted->at_m.y + 0.1 * ring * sin(bearing_rad),
                                                              cairn_angle_wrap(wanted->facing_rad)},
                                             .boxed = wanted->hangs,
                                             .hangs = wanted->hangs,
                                             .foot_m = wanted->foot_m};
            if (add_if_free(draft, victim)) { return true; }
        }
    }
    return false;
}

uint32_t cairn_place_raf_victims(cairn_draft *draft, const cairn_raf *raf)
{
    CAIRN_ASSERT(draft != NULL && raf != NULL);
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < raf->victim_count; i++) { left_out += !place_as_written(draft, &raf->victims[i]); }
    return left_out;
}

static bool far_from_victims(const cairn_draft *draft, cairn_vec2 at_m, double least_m)
{
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        if (cairn_vec2_distance(cairn_pose2_at(draft->victims[i].map_T_victim), at_m) < least_m) { return false; }
    }
    return true;
}

// In a box on a wall, as NIST's arenas have them, but open to the side that it hangs on: to the left of the wall's way
// or to the right.
static cairn_sim_victim hung_on(const cairn_sim_wall *wall, double along_part, bool left)
{
    const cairn_vec2 along_m = cairn_vec2_sub(wall->to_m, wall->from_m);
    const double facing_rad = atan2(along_m.y, along_m.x) + (left ? 1 : -1) * TURN_RAD / 4;
    const double out_m = wall->thickness_m / 2 + HUNG_GAP_M + CAIRN_HUNG_BOX_DEEP_M / 2;
    const cairn_vec2 on_m = cairn_vec2_add(wall->from_m, cairn_vec2_scale(along_m, along_part));
    return (cairn_sim_victim){.map_T_victim = {on_m.x + out_m * cos(facing_rad), on_m.y + out_m * sin(facing_rad),
                                               cairn_angle_wrap(facing_rad)},
                              .boxed = true,
                              .hangs = true,
                              .foot_m = HUNG_FOOT_M};
}

static bool draw_hung_victim(placing *of, const cairn_import_ground *bodies, cairn_random *random)
{
    for (uint32_t draw = 0; draw < DRAWS_MAX && of->draft->wall_count > 0; draw++) {
        const double ease = exp2(-floor(4.0 * draw / DRAWS_MAX));
        const cairn_sim_wall *wall = &of->draft->walls[cairn_random_below(random, of->draft->wall_count)];
        const bool left = cairn_random_below(random, 2) == 0;
        const double along_part = cairn_random_uniform(random);
        const double to_end_m = fmin(along_part, 1 - along_part) * cairn_vec2_distance(wall->from_m, wall->to_m);
        if (wall->foot_m > 0.0 || wall->height_m < HUNG_FOOT_M + CAIRN_HUNG_BOX_HIGH_M) { continue; }
        if (to_end_m < CAIRN_HUNG_BOX_WIDE_M / 2) { continue; }
        const cairn_sim_victim victim = hung_on(wall, along_part, left);
        const cairn_vec2 at_m = cairn_pose2_at(victim.map_T_victim);
        const uint32_t cell = cairn_ground_cell(bodies, at_m);
        if (cell == UINT32_MAX || !bodies->inside[cell]) { continue; }
        if (!far_from_starts(of->draft, at_m, FROM_STARTS_M * ease) ||
            !far_from_victims(of->draft, at_m, BETWEEN_VICTIMS_M * ease)) {
            continue;
        }
        if (place_if_good(of, victim, true)) { return true; }
    }
    return false;
}

static bool draw_victim(placing *of, const cairn_import_ground *bodies, const cairn_import_ground *beside,
                        bool wide_too, cairn_random *random)
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
        const cairn_sim_victim victim = {.map_T_victim = {middle_m.x, middle_m.y, cairn_angle_wrap(facing_rad)}};
        if (place_if_good(of, victim, wide_too)) { return true; }
    }
    return false;
}

cairn_err cairn_place_victims(cairn_draft *draft, const uint8_t *inside, bool open, uint32_t count, uint64_t seed,
                              cairn_arena *scratch, uint32_t *ret_left_out)
{
    const size_t mark = cairn_arena_mark(scratch);
    placing of;
    cairn_import_ground bodies, beside;
    cairn_err err = begin(&of, draft, open ? NULL : inside, scratch);
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &bodies); }
    if (err == CAIRN_OK) { err = cairn_ground_create(draft->size_m, inside, scratch, &beside); }
    if (err == CAIRN_OK) {
        cairn_ground_block(&of.before, draft, ROBOT_M, false);
        cairn_ground_block(&of.wide_before, draft, WIDE_ROBOT_M, false);
        reach(&of.wide_before, draft);
        cairn_ground_block(&beside, draft, BESIDE_WALL_M, false);
        reach(&of.before, draft);
        cairn_random random;
        cairn_random_init(&random, seed, "import/victims");
        const uint32_t wanted = draft->victim_count + count;
        cairn_ground_block(&bodies, draft, BODY_M, true);
        while (draft->victim_count < wanted && draw_victim(&of, &bodies, &beside, true, &random)) {}
        const bool hang = cairn_relief_count(draft) > 0 && inside != NULL;
        while (hang && draft->victim_count < wanted && draw_hung_victim(&of, &bodies, &random)) {}
        while (draft->victim_count < wanted && draw_victim(&of, &bodies, &beside, false, &random)) {}
        *ret_left_out = wanted - draft->victim_count;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

uint32_t cairn_place_drop_hard(cairn_draft *draft)
{
    CAIRN_ASSERT(draft != NULL);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        if (draft->victims[i].hard) { continue; }
        draft->victims[kept] = draft->victims[i];
        name_victim(&draft->victims[kept], kept);
        kept++;
    }
    const uint32_t dropped = draft->victim_count - kept;
    draft->victim_count = kept;
    return dropped;
}

// ---- ground to climb

static bool person_on(const cairn_draft *draft, uint32_t relief)
{
    const cairn_footprint own = cairn_relief_footprint(draft, relief);
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        const cairn_sim_victim *victim = &draft->victims[i];
        const cairn_footprint person = cairn_footprint_of_victim(victim);
        if (!victim->hangs && victim->foot_m == 0.0 && cairn_footprints_overlap(&own, &person)) { return true; }
    }
    return false;
}

void cairn_place_relief(cairn_draft *draft)
{
    CAIRN_ASSERT(draft != NULL);
    for (uint32_t i = cairn_relief_count(draft); i-- > 0;) {
        if (!cairn_relief_hangs(draft, i) && person_on(draft, i)) { cairn_relief_remove(draft, i); }
    }
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
