// MuJoCo has no tree of bounding volumes, so only what stands around a party is given to it: each has a set of boxes,
// refilled from the arena's solids whenever it has moved REFILL_M. The solver's warm start knows accelerations only,
// not contacts, so that a refill does not disturb the motion. All sets lie one after another at the end of the model's
// geoms, and the model is told that its geoms end there: those that are not needed cost nothing. Boxes are cut to what
// the party can reach before the next refill: the library's test by bounding spheres then works for long walls too, and
// its collisions are exact on floors that reach far out.
#include "sim/physics/mujoco/mujoco_private.h"
#include <string.h>

// Boxes are chosen anew after a party moved this far. Smaller: more often; larger: more boxes at once.
#define REFILL_M 0.25
// Boxes further than this from where the party can be before the next refill are left out.
#define NEAR_MARGIN_M 0.05
// Boxes are cut this far beyond that.
#define CUT_MARGIN_M 0.25
// Of loose blocks on the floor over that of tyres: wood on concrete against rubber.
#define BLOCK_FRICTION_PART (CAIRN_MUJOCO_BLOCK_FRICTION / CAIRN_GROUND_FRICTION)
#define FLOOR_HALF_M 0.5 // of the floor below a loose block

static double near_m(const cairn_mujoco_party *party) { return party->reach_m + REFILL_M + NEAR_MARGIN_M; }

static bool is_block_party(const cairn_physics *physics, uint32_t party) { return party >= physics->robot_count; }

// A loose block lies on a box of its own in place of the floor: the floor's friction is that of tyres.
static uint32_t floor_boxes(const cairn_physics *physics, uint32_t party)
{
    return is_block_party(physics, party) && !physics->arena->has_holes ? 1 : 0;
}

cairn_pose3 cairn_mujoco_solid_pose(const cairn_physics *physics, uint32_t solid)
{
    const uint32_t mover = physics->mover_of[solid];
    return mover > 0 ? physics->mover_states[mover - 1].map_T_box : physics->arena->solids[solid].map_T_box;
}

static double solid_distance_m(const cairn_physics *physics, uint32_t solid, cairn_vec3 from_m)
{
    const cairn_pose3 pose = cairn_mujoco_solid_pose(physics, solid);
    const cairn_vec3 half = physics->arena->solids[solid].half_m;
    const cairn_vec3 local = cairn_quat_rotate(cairn_quat_conjugate(pose.turn), cairn_vec3_sub(from_m, pose.at_m));
    const cairn_vec3 outside = {fmax(fabs(local.x) - half.x, 0), fmax(fabs(local.y) - half.y, 0),
                                fmax(fabs(local.z) - half.z, 0)};
    return cairn_vec3_length(outside);
}

// ---- choosing

typedef struct choice {
    const cairn_physics *physics;
    cairn_vec3 from_m;
    double reach_m;
    uint32_t max;
    cairn_mujoco_near_state *near;
    double distances[CAIRN_MUJOCO_NEAR_MAX];
} choice;

// Keeps the nearest, in order of distance and then of number.
static void consider(void *context, uint32_t solid)
{
    choice *it = context;
    cairn_mujoco_near_state *near = it->near;
    const double distance = solid_distance_m(it->physics, solid, it->from_m);
    if (distance > it->reach_m) { return; }
    uint32_t at = near->count;
    while (at > 0 &&
           (it->distances[at - 1] > distance || (it->distances[at - 1] == distance && near->solids[at - 1] > solid))) {
        at--;
    }
    if (at == it->max) { return; }
    const uint32_t kept = near->count < it->max ? near->count : it->max - 1;
    memmove(it->distances + at + 1, it->distances + at, (kept - at) * sizeof *it->distances);
    memmove(near->solids + at + 1, near->solids + at, (kept - at) * sizeof *near->solids);
    it->distances[at] = distance;
    near->solids[at] = solid;
    near->count = kept + 1;
}

static void choose_solids(cairn_physics *physics, uint32_t party, cairn_vec3 middle_m)
{
    cairn_mujoco_near_state *near = &physics->near[party];
    choice it = {.physics = physics,
                 .from_m = middle_m,
                 .reach_m = near_m(&physics->parties[party]),
                 .max = physics->parties[party].near_max,
                 .near = near};
    near->count = 0;
    memset(near->solids, 0, sizeof near->solids);
    cairn_solid_index_find(physics->index, (cairn_vec2){middle_m.x, middle_m.y}, it.reach_m, consider, &it);
    for (uint32_t i = 0; i < physics->arena->mover_count; i++) {
        if (!cairn_mujoco_is_loose(physics, i)) { consider(&it, physics->arena->movers[i].solid); }
    }
}

// How far a field is away from a place, along each axis of its own; 0 over it.
static double field_distance_m(const cairn_height_field *field, cairn_vec3 at_m)
{
    const cairn_vec2 local = cairn_pose2_apply(cairn_pose2_inverse(field->map_T_field), (cairn_vec2){at_m.x, at_m.y});
    const double length_m = (field->columns - 1) * field->cell_m, width_m = (field->rows - 1) * field->cell_m;
    const double high_m = at_m.z - field->foot_m;
    const double aside_m = fmax(fmax(-local.x, local.x - length_m), fmax(-local.y, local.y - width_m));
    return fmax(0, fmax(aside_m, fmax(-high_m, high_m - (double)field->height_m_max)));
}

static void choose_fields(cairn_physics *physics, uint32_t party, cairn_vec3 middle_m)
{
    cairn_mujoco_near_state *near = &physics->near[party];
    const double reach_m = near_m(&physics->parties[party]);
    double nearest_m = INFINITY;
    near->field_count = 0;
    memset(near->fields, 0, sizeof near->fields);
    for (uint32_t i = 0; i < physics->arena->field_count; i++) {
        const double distance_m = field_distance_m(&physics->arena->fields[i], middle_m);
        if (near->field_count == CAIRN_MUJOCO_FIELDS_NEAR_MAX) { return; }
        if (distance_m >= reach_m) { continue; }
        near->fields[near->field_count++] = i;
        if (distance_m >= nearest_m) { continue; }
        near->fields[near->field_count - 1] = near->fields[0];
        near->fields[0] = i;
        nearest_m = distance_m;
    }
}

// ---- placing

typedef struct box {
    cairn_pose3 map_T_box;
    cairn_vec3 half_m;
    double friction;
} box;

// Where the part of [-half, half] within reach of `at` begins and ends.
static void cut(double at, double reach, double half, double *ret_low, double *ret_high)
{
    *ret_low = fmax(-half, fmin(at - reach, half));
    *ret_high = fmin(half, fmax(at + reach, -half));
}

// The part of a box within reach, at least; itself if it is not larger.
static box cut_box(box whole, cairn_vec3 from_m, double reach_m)
{
    const cairn_quat back = cairn_quat_conjugate(whole.map_T_box.turn);
    const cairn_vec3 at = cairn_quat_rotate(back, cairn_vec3_sub(from_m, whole.map_T_box.at_m));
    cairn_vec3 low, high;
    cut(at.x, reach_m, whole.half_m.x, &low.x, &high.x);
    cut(at.y, reach_m, whole.half_m.y, &low.y, &high.y);
    cut(at.z, reach_m, whole.half_m.z, &low.z, &high.z);
    const cairn_vec3 half = cairn_vec3_scale(cairn_vec3_sub(high, low), 0.5);
    if (fmin(half.x, fmin(half.y, half.z)) <= 0) { return whole; } // a mover that has gone elsewhere
    box part = whole;
    part.map_T_box.at_m = cairn_pose3_apply(whole.map_T_box, cairn_vec3_scale(cairn_vec3_add(low, high), 0.5));
    part.half_m = half;
    return part;
}

static void place_geom(cairn_physics *physics, uint32_t party, int geom, mjtGeom type, const box *it)
{
    mjModel *model = physics->model;
    const cairn_pose3 pose = it->map_T_box;
    const mjtNum at[3] = {pose.at_m.x, pose.at_m.y, pose.at_m.z};
    const mjtNum turn[4] = {pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z};
    const mjtNum half[3] = {it->half_m.x, it->half_m.y, it->half_m.z};
    memcpy(model->geom_pos + 3 * geom, at, sizeof at);
    memcpy(model->geom_quat + 4 * geom, turn, sizeof turn);
    memcpy(model->geom_size + 3 * geom, half, sizeof half);
    model->geom_type[geom] = type;
    model->geom_rbound[geom] = type == mjGEOM_SPHERE ? it->half_m.x : cairn_vec3_length(it->half_m);
    model->geom_friction[3 * geom] = it->friction;
    model->geom_bodyid[geom] = physics->parties[party].near_body;
    model->geom_group[geom] = -(int)party - 1;
    model->geom_sameframe[geom] = 0; // or its own pose would be taken for that of its body
}

static double friction_of(const cairn_solid *solid)
{
    if (solid->friction > 0) { return solid->friction; }
    return solid->kind == CAIRN_SOLID_BLOCK ? CAIRN_MUJOCO_BLOCK_FRICTION : CAIRN_GROUND_FRICTION;
}

static void place_box(cairn_physics *physics, uint32_t party, uint32_t slot, box whole)
{
    const cairn_mujoco_party *it = &physics->parties[party];
    if (is_block_party(physics, party)) { whole.friction *= BLOCK_FRICTION_PART; }
    const box part = cut_box(whole, physics->near[party].filled_at_m, near_m(it) + CUT_MARGIN_M);
    place_geom(physics, party, it->near_geom + (int)slot, mjGEOM_BOX, &part);
}

static void place_solid(cairn_physics *physics, uint32_t party, uint32_t slot)
{
    const uint32_t number = physics->near[party].solids[slot];
    const cairn_solid *solid = &physics->arena->solids[number];
    place_box(physics, party, slot, (box){cairn_mujoco_solid_pose(physics, number), solid->half_m, friction_of(solid)});
}

// What stands for rough ground is a ball around the party: its contacts are found in another way (mujoco_rough.c). It
// is as slippery as the nearest field.
static void place_rough(cairn_physics *physics, uint32_t party, int geom)
{
    const double radius_m = near_m(&physics->parties[party]);
    const cairn_mujoco_near_state *near = &physics->near[party];
    const double friction = physics->arena->fields[near->fields[0]].friction;
    const box ball = {{near->filled_at_m, cairn_quat_identity()},
                      {radius_m, radius_m, radius_m},
                      friction > 0 ? friction : CAIRN_GROUND_FRICTION};
    place_geom(physics, party, geom, mjGEOM_SPHERE, &ball);
}

static void place_floor(cairn_physics *physics, uint32_t party, uint32_t slot)
{
    const cairn_vec3 above = physics->near[party].filled_at_m;
    const double wide_m = near_m(&physics->parties[party]) + CUT_MARGIN_M;
    const cairn_pose3 below = {{above.x, above.y, -FLOOR_HALF_M}, cairn_quat_identity()};
    place_box(physics, party, slot, (box){below, {wide_m, wide_m, FLOOR_HALF_M}, CAIRN_GROUND_FRICTION});
}

static bool is_used(const cairn_physics *physics, uint32_t party)
{
    return !is_block_party(physics, party) || physics->body_states[party - physics->robot_count].mover_plus_1 > 0;
}

// From a geom on; returns the next.
static int place_party(cairn_physics *physics, uint32_t party, int geom)
{
    cairn_mujoco_party *it = &physics->parties[party];
    const cairn_mujoco_near_state *near = &physics->near[party];
    const int first = geom;
    if (near->field_count > 0) { place_rough(physics, party, geom++); }
    it->near_geom = geom;
    for (uint32_t i = 0; i < near->count; i++) { place_solid(physics, party, i); }
    geom += (int)near->count;
    if (is_used(physics, party) && floor_boxes(physics, party) > 0) {
        place_floor(physics, party, near->count);
        geom++;
    }
    physics->model->body_geomadr[it->near_body] = first;
    physics->model->body_geomnum[it->near_body] = geom - first;
    return geom;
}

void cairn_mujoco_near_place(cairn_physics *physics)
{
    int geom = physics->boxes_geom;
    for (uint32_t party = 0; party < physics->party_count; party++) { geom = place_party(physics, party, geom); }
    CAIRN_ASSERT(geom <= physics->boxes_end);
    physics->model->ngeom = geom;
    physics->must_place = false;
}

void cairn_mujoco_near_refill(cairn_physics *physics, uint32_t party, cairn_vec3 middle_m, bool always)
{
    cairn_mujoco_near_state *near = &physics->near[party];
    const double moved_m = cairn_vec3_length(cairn_vec3_sub(middle_m, near->filled_at_m));
    if (!always && near->stale == 0 && moved_m < REFILL_M) { return; }
    choose_solids(physics, party, middle_m);
    choose_fields(physics, party, middle_m);
    near->filled_at_m = middle_m;
    near->stale = 0;
    physics->must_place = true;
}

void cairn_mujoco_near_mover_changed(cairn_physics *physics, uint32_t mover)
{
    const uint32_t solid = physics->arena->movers[mover].solid;
    const bool loose = cairn_mujoco_is_loose(physics, mover);
    for (uint32_t party = 0; party < physics->party_count; party++) {
        cairn_mujoco_near_state *near = &physics->near[party];
        uint32_t slot = 0;
        while (slot < near->count && near->solids[slot] != solid) { slot++; }
        const bool is_listed = slot < near->count;
        const double distance_m = solid_distance_m(physics, solid, near->filled_at_m);
        if (is_listed && loose) { near->stale = 1; }
        if (is_listed && !loose) { physics->must_place = true; }
        if (!is_listed && !loose && distance_m <= near_m(&physics->parties[party])) { near->stale = 1; }
    }
}

bool cairn_mujoco_near_solid(const cairn_physics *physics, uint32_t party, int geom, uint32_t *ret_solid)
{
    const int slot = geom - physics->parties[party].near_geom;
    if (slot < 0 || slot >= (int)physics->near[party].count) { return false; }
    *ret_solid = physics->near[party].solids[slot];
    return true;
}

// ---- who may meet whom
//
// MuJoCo's bits of collision are 32, robots more. A geom's group, which the library only uses for pictures, says whose
// it is: a party's own geoms have its number + 1, its boxes the same negative, the floor 0. Whether it
// meets the floor is told by the library's bits.

static int keep_apart(const mjModel *model, mjData *data, int first, int second)
{
    (void)data;
    const int a = model->geom_group[first], b = model->geom_group[second];
    if (a > 0 && b > 0) { return a == b; }
    if (a != 0 && b != 0) { return a != -b; }
    const int floor = a == 0 ? first : second, other = a == 0 ? second : first;
    return a + b <= 0 || (model->geom_contype[other] & model->geom_conaffinity[floor]) == 0;
}

void cairn_mujoco_near_install(void) { mjcb_contactfilter = keep_apart; }

void cairn_mujoco_near_mark(cairn_physics *physics)
{
    mjModel *model = physics->model;
    for (int geom = 0; geom < model->ngeom; geom++) {
        const int robot = physics->robot_of_geom[geom];
        model->geom_group[geom] = robot >= 0 ? robot + 1 : 0;
    }
    for (uint32_t body = 0; body < physics->body_count; body++) {
        model->geom_group[physics->bodies[body].geom] = (int)(physics->robot_count + body) + 1;
    }
}
