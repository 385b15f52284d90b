// Ground by place. The index lists, for each square of the floor, the ground solids and height fields that may lie over
// it; outside the floor, and without an index, all are tried.
#include "sim/arena/ground.h"
#include "sim/arena/squares.h"

#define TALL_M 1000.0 // ground is looked for from here downward
#define SEAM_M 1e-9   // boxes side by side leave no gap, however their edges are rounded

struct cairn_ground_index {
    cairn_squares squares; // its things: numbers of solids, and of fields after all solids
};

// Of a box that stands upright. The same bits as below, where all that is left out here is zero.
static bool pierce_upright(const cairn_solid *solid, cairn_vec2 at_m, cairn_pierced *ret_pierced)
{
    const cairn_vec3 middle_m = solid->map_T_box.at_m, half_m = solid->half_m;
    const double w = solid->map_T_box.turn.w, z = -solid->map_T_box.turn.z;
    const double dx_m = at_m.x - middle_m.x, dy_m = at_m.y - middle_m.y;
    const double x = -(z * dy_m) * 2.0, y = z * dx_m * 2.0;
    if (fabs(dx_m + x * w - z * y) > half_m.x + SEAM_M || fabs(dy_m + y * w + z * x) > half_m.y + SEAM_M) {
        return false;
    }
    const double down_m = TALL_M - middle_m.z;
    *ret_pierced = (cairn_pierced){TALL_M - (down_m - half_m.z), TALL_M - (down_m + half_m.z), {0, 0, 1}};
    return true;
}

bool cairn_solid_pierce(const cairn_solid *solid, cairn_vec2 at_m, cairn_pierced *ret_pierced)
{
    if (solid->map_T_box.turn.x == 0 && solid->map_T_box.turn.y == 0) {
        return pierce_upright(solid, at_m, ret_pierced);
    }
    const cairn_quat back = cairn_quat_conjugate(solid->map_T_box.turn);
    const cairn_vec3 from =
        cairn_quat_rotate(back, cairn_vec3_sub((cairn_vec3){at_m.x, at_m.y, TALL_M}, solid->map_T_box.at_m));
    const cairn_vec3 down = cairn_quat_rotate(back, (cairn_vec3){0, 0, -1});
    const double from_of[3] = {from.x, from.y, from.z}, down_of[3] = {down.x, down.y, down.z};
    const double half_of[3] = {solid->half_m.x, solid->half_m.y, solid->half_m.z};
    double enter_m = -INFINITY, leave_m = INFINITY;
    int face = 2;
    for (int i = 0; i < 3; i++) {
        if (fabs(down_of[i]) < 1e-12) {
            if (fabs(from_of[i]) > half_of[i] + SEAM_M) { return false; }
            continue;
        }
        const double middle_m = -from_of[i] / down_of[i], half_m = half_of[i] / fabs(down_of[i]);
        if (middle_m - half_m > enter_m) {
            enter_m = middle_m - half_m;
            face = i;
        }
        leave_m = fmin(leave_m, middle_m + half_m);
    }
    if (enter_m > leave_m) { return false; }
    const double side = down_of[face] > 0 ? -1 : 1;
    const cairn_vec3 outward = {face == 0 ? side : 0, face == 1 ? side : 0, face == 2 ? side : 0};
    *ret_pierced =
        (cairn_pierced){TALL_M - enter_m, TALL_M - leave_m, cairn_quat_rotate(solid->map_T_box.turn, outward)};
    return true;
}

static double friction_or_default(double friction) { return friction > 0 ? friction : CAIRN_GROUND_FRICTION; }

#define NO_THING UINT32_MAX

// What was found so far, and which thing it is.
typedef struct search {
    const cairn_sim_arena *arena;
    cairn_vec2 at_m;
    double from_m;
    cairn_footing best;
    uint32_t thing;
    double ceiling_m; // lowest underside of solids whose tops are above from_m; INFINITY: there are none
} search;

static void try_solid(search *of, uint32_t thing)
{
    const cairn_solid *solid = &of->arena->solids[thing];
    cairn_pierced at;
    if (solid->kind != CAIRN_SOLID_GROUND || !cairn_solid_pierce(solid, of->at_m, &at)) { return; }
    if (at.top_m > of->from_m) { of->ceiling_m = fmin(of->ceiling_m, at.bottom_m); }
    if (at.top_m > of->from_m || at.top_m <= of->best.height_m) { return; }
    of->best = (cairn_footing){at.top_m, at.normal, friction_or_default(solid->friction), false};
    of->thing = thing;
}

static void try_field(search *of, uint32_t thing)
{
    const cairn_height_field *field = &of->arena->fields[thing - of->arena->solid_count];
    const double c = cos(field->map_T_field.yaw_rad), s = sin(field->map_T_field.yaw_rad);
    const double dx = of->at_m.x - field->map_T_field.x_m, dy = of->at_m.y - field->map_T_field.y_m;
    double above_m;
    cairn_vec2 slope;
    if (!cairn_height_field_at(field, (cairn_vec2){c * dx + s * dy, -s * dx + c * dy}, &above_m, &slope)) { return; }
    const double height_m = field->foot_m + above_m;
    if (height_m > of->from_m || height_m <= of->best.height_m) { return; }
    const double unit = 1 / sqrt(1 + slope.x * slope.x + slope.y * slope.y);
    const cairn_vec3 normal = {-(c * slope.x - s * slope.y) * unit, -(s * slope.x + c * slope.y) * unit, unit};
    of->best = (cairn_footing){height_m, normal, friction_or_default(field->friction), true};
    of->thing = thing;
}

// The things that may lie over a place: *ret_things, or with NULL in it the numbers from 0 on.
static uint32_t things_at(const cairn_sim_arena *arena, cairn_vec2 at_m, const uint32_t **ret_things)
{
    *ret_things = NULL;
    const bool inside = at_m.x >= 0 && at_m.y >= 0 && at_m.x <= arena->size_m.x && at_m.y <= arena->size_m.y;
    if (arena->ground == NULL || !inside) { return arena->solid_count + arena->field_count; }
    return cairn_squares_at(&arena->ground->squares, at_m, ret_things);
}

// An element is one body, although its solids overlap: a surface inside another solid of the same element is none. The
// underside of that solid, where the search goes on; or INFINITY.
static double cover_m(const search *of, const uint32_t *things, uint32_t count)
{
    const cairn_sim_arena *arena = of->arena;
    if (of->thing >= arena->solid_count || of->ceiling_m == INFINITY) { return INFINITY; }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t thing = things != NULL ? things[i] : i;
        if (thing == of->thing || thing >= arena->solid_count) { continue; }
        const cairn_solid *solid = &arena->solids[thing];
        if (solid->kind != CAIRN_SOLID_GROUND || solid->owner != arena->solids[of->thing].owner) { continue; }
        cairn_pierced at;
        if (!cairn_solid_pierce(solid, of->at_m, &at)) { continue; }
        if (at.top_m > of->from_m && at.bottom_m < of->best.height_m) { return at.bottom_m; }
    }
    return INFINITY;
}

cairn_gap cairn_sim_gap(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    CAIRN_ASSERT(arena != NULL);
    const cairn_footing floor = {arena->has_holes ? CAIRN_ABYSS_M : 0, {0, 0, 1}, CAIRN_GROUND_FRICTION, false};
    const uint32_t *things;
    const uint32_t count = things_at(arena, at_m, &things);
    search of = {.arena = arena, .at_m = at_m, .from_m = from_m};
    double ceiling_m = INFINITY;
    for (;;) {
        of.best = floor;
        of.thing = NO_THING;
        of.ceiling_m = INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t thing = things != NULL ? things[i] : i;
            if (thing < arena->solid_count) {
                try_solid(&of, thing);
            } else {
                try_field(&of, thing);
            }
        }
        if (of.from_m == from_m) { ceiling_m = of.ceiling_m; }
        const double below_m = cover_m(&of, things, count);
        if (!(below_m < of.best.height_m)) { return (cairn_gap){of.best, ceiling_m, count}; }
        of.from_m = below_m;
    }
}

cairn_footing cairn_sim_ground(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    return cairn_sim_gap(arena, at_m, from_m).ground;
}

double cairn_sim_ground_m(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    return cairn_sim_ground(arena, at_m, from_m).height_m;
}

double cairn_sim_ceiling_m(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    double lowest_m = INFINITY;
    const uint32_t *things;
    const uint32_t count = things_at(arena, at_m, &things);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t thing = things != NULL ? things[i] : i;
        cairn_pierced at;
        if (thing >= arena->solid_count || arena->solids[thing].kind != CAIRN_SOLID_GROUND) { continue; }
        if (cairn_solid_pierce(&arena->solids[thing], at_m, &at) && at.top_m > from_m) {
            lowest_m = fmin(lowest_m, at.bottom_m);
        }
    }
    return lowest_m;
}

cairn_outline cairn_solid_outline(const cairn_solid *solid)
{
    const cairn_quat turn = solid->map_T_box.turn;
    const cairn_vec3 x = cairn_quat_rotate(turn, (cairn_vec3){solid->half_m.x, 0, 0});
    const cairn_vec3 y = cairn_quat_rotate(turn, (cairn_vec3){0, solid->half_m.y, 0});
    const cairn_vec3 z = cairn_quat_rotate(turn, (cairn_vec3){0, 0, solid->half_m.z});
    const cairn_vec2 half_m = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y)};
    const cairn_vec3 at_m = solid->map_T_box.at_m;
    cairn_outline outline = {
        .x0_m = at_m.x - half_m.x, .y0_m = at_m.y - half_m.y, .x1_m = at_m.x + half_m.x, .y1_m = at_m.y + half_m.y};
    if (turn.x == 0 && turn.y == 0) {
        outline.c = 1 - 2 * turn.z * turn.z;
        outline.s = 2 * turn.w * turn.z;
        outline.half_x_m = solid->half_m.x;
        outline.half_y_m = solid->half_m.y;
    }
    return outline;
}

cairn_outline cairn_height_field_outline(const cairn_height_field *field)
{
    const cairn_vec2 half_m = {(field->columns - 1) * field->cell_m / 2, (field->rows - 1) * field->cell_m / 2};
    const double c = fabs(cos(field->map_T_field.yaw_rad)), s = fabs(sin(field->map_T_field.yaw_rad));
    const cairn_vec2 at_m = cairn_pose2_apply(field->map_T_field, half_m);
    const cairn_vec2 wide_m = {c * half_m.x + s * half_m.y, s * half_m.x + c * half_m.y};
    return (cairn_outline){
        .x0_m = at_m.x - wide_m.x, .y0_m = at_m.y - wide_m.y, .x1_m = at_m.x + wide_m.x, .y1_m = at_m.y + wide_m.y};
}

static void outline_all(const cairn_sim_arena *arena, cairn_outline *ret_outlines)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const cairn_outline nowhere = {.x0_m = 1, .x1_m = 0};
        ret_outlines[i] = solid->kind == CAIRN_SOLID_GROUND ? cairn_solid_outline(solid) : nowhere;
    }
    for (uint32_t i = 0; i < arena->field_count; i++) {
        ret_outlines[arena->solid_count + i] = cairn_height_field_outline(&arena->fields[i]);
    }
}

cairn_err cairn_ground_index_create(cairn_sim_arena *arena, cairn_arena *memory)
{
    const uint32_t count = arena->solid_count + arena->field_count;
    cairn_arena work;
    if (cairn_arena_create(&work, (count + 1) * sizeof(cairn_outline)) != CAIRN_OK) { return CAIRN_ERR_FULL; }
    cairn_outline *outlines = CAIRN_TAKE(&work, cairn_outline, count + 1);
    CAIRN_ASSERT(outlines != NULL);
    outline_all(arena, outlines);
    cairn_ground_index *index = CAIRN_TAKE(memory, cairn_ground_index, 1);
    const cairn_err err =
        index != NULL ? cairn_squares_create(arena->size_m, outlines, count, memory, &index->squares) : CAIRN_ERR_FULL;
    cairn_arena_destroy(&work);
    if (err == CAIRN_OK) { arena->ground = index; }
    return err;
}
