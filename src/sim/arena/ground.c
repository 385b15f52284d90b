// Ground by place. The index lists, for each square of the floor, the ground solids and height fields that may lie over
// it; outside the floor, and without an index, all are tried.
#include "sim/arena/ground.h"

#define TALL_M 1000.0          // ground is looked for from here downward
#define SQUARE_M_MIN 1.0       // smaller: fewer things in each, more squares
#define SQUARES_MAX 512        // along each side
#define ENTRIES_MAX (1u << 21) // squares grow until so many do: large things lie over many squares

struct cairn_ground_index {
    double square_m;
    uint32_t width, height;
    const uint32_t *first;  // width * height + 1: where the square's things begin
    const uint32_t *things; // numbers of solids, and of fields after all solids
};

// Where a line straight down through a place enters an oriented box, and where it leaves it; false if it misses it.
typedef struct pierced {
    double top_m, bottom_m;
    cairn_vec3 normal; // of the face at the top
} pierced;

static bool pierce(const cairn_solid *solid, cairn_vec2 at_m, pierced *ret_pierced)
{
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
            if (fabs(from_of[i]) > half_of[i]) { return false; }
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
    *ret_pierced = (pierced){TALL_M - enter_m, TALL_M - leave_m, cairn_quat_rotate(solid->map_T_box.turn, outward)};
    return true;
}

static double friction_or_default(double friction) { return friction > 0 ? friction : CAIRN_GROUND_FRICTION; }

static void try_solid(const cairn_solid *solid, cairn_vec2 at_m, double from_m, cairn_footing *best)
{
    pierced at;
    if (solid->kind != CAIRN_SOLID_GROUND || !pierce(solid, at_m, &at)) { return; }
    if (at.top_m > from_m || at.top_m <= best->height_m) { return; }
    *best = (cairn_footing){at.top_m, at.normal, friction_or_default(solid->friction)};
}

static void try_field(const cairn_height_field *field, cairn_vec2 at_m, double from_m, cairn_footing *best)
{
    const double c = cos(field->map_T_field.yaw_rad), s = sin(field->map_T_field.yaw_rad);
    const double dx = at_m.x - field->map_T_field.x_m, dy = at_m.y - field->map_T_field.y_m;
    double above_m;
    cairn_vec2 slope;
    if (!cairn_height_field_at(field, (cairn_vec2){c * dx + s * dy, -s * dx + c * dy}, &above_m, &slope)) { return; }
    const double height_m = field->foot_m + above_m;
    if (height_m > from_m || height_m <= best->height_m) { return; }
    const double unit = 1 / sqrt(1 + slope.x * slope.x + slope.y * slope.y);
    const cairn_vec3 normal = {-(c * slope.x - s * slope.y) * unit, -(s * slope.x + c * slope.y) * unit, unit};
    *best = (cairn_footing){height_m, normal, friction_or_default(field->friction)};
}

static void try_thing(const cairn_sim_arena *arena, uint32_t thing, cairn_vec2 at_m, double from_m, cairn_footing *best)
{
    if (thing < arena->solid_count) {
        try_solid(&arena->solids[thing], at_m, from_m, best);
    } else {
        try_field(&arena->fields[thing - arena->solid_count], at_m, from_m, best);
    }
}

// The things that may lie over a place: *ret_things, or with NULL in it the numbers from 0 on.
static uint32_t things_at(const cairn_sim_arena *arena, cairn_vec2 at_m, const uint32_t **ret_things)
{
    const cairn_ground_index *index = arena->ground;
    *ret_things = NULL;
    const bool inside = at_m.x >= 0 && at_m.y >= 0 && at_m.x <= arena->size_m.x && at_m.y <= arena->size_m.y;
    if (index == NULL || !inside) { return arena->solid_count + arena->field_count; }
    const uint32_t x = (uint32_t)(at_m.x / index->square_m), y = (uint32_t)(at_m.y / index->square_m);
    const size_t square =
        (size_t)(y < index->height ? y : index->height - 1) * index->width + (x < index->width ? x : index->width - 1);
    *ret_things = index->things + index->first[square];
    return index->first[square + 1] - index->first[square];
}

cairn_footing cairn_sim_ground(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    cairn_footing best = {arena->has_holes ? CAIRN_ABYSS_M : 0, {0, 0, 1}, CAIRN_GROUND_FRICTION};
    const uint32_t *things;
    const uint32_t count = things_at(arena, at_m, &things);
    for (uint32_t i = 0; i < count; i++) { try_thing(arena, things != NULL ? things[i] : i, at_m, from_m, &best); }
    return best;
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
        pierced at;
        if (thing >= arena->solid_count || arena->solids[thing].kind != CAIRN_SOLID_GROUND) { continue; }
        if (pierce(&arena->solids[thing], at_m, &at) && at.top_m > from_m) { lowest_m = fmin(lowest_m, at.bottom_m); }
    }
    return lowest_m;
}

// Squares that a thing may lie over, the last ones included.
typedef struct squares {
    uint32_t x0, y0, x1, y1;
} squares;

static uint32_t square_of(double at_m, double square_m, uint32_t count)
{
    const double square = floor(at_m / square_m);
    return square <= 0 ? 0 : square >= count - 1 ? count - 1 : (uint32_t)square;
}

static squares squares_around(const cairn_ground_index *index, cairn_vec2 middle_m, cairn_vec2 half_m)
{
    // Rounding must not put a point at a square's border into a square that does not list its thing.
    const double more_m = 1e-6;
    return (squares){square_of(middle_m.x - half_m.x - more_m, index->square_m, index->width),
                     square_of(middle_m.y - half_m.y - more_m, index->square_m, index->height),
                     square_of(middle_m.x + half_m.x + more_m, index->square_m, index->width),
                     square_of(middle_m.y + half_m.y + more_m, index->square_m, index->height)};
}

static squares squares_of_solid(const cairn_ground_index *index, const cairn_solid *solid)
{
    const cairn_quat turn = solid->map_T_box.turn;
    const cairn_vec3 x = cairn_quat_rotate(turn, (cairn_vec3){solid->half_m.x, 0, 0});
    const cairn_vec3 y = cairn_quat_rotate(turn, (cairn_vec3){0, solid->half_m.y, 0});
    const cairn_vec3 z = cairn_quat_rotate(turn, (cairn_vec3){0, 0, solid->half_m.z});
    const cairn_vec2 half_m = {fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y)};
    return squares_around(index, (cairn_vec2){solid->map_T_box.at_m.x, solid->map_T_box.at_m.y}, half_m);
}

static squares squares_of_field(const cairn_ground_index *index, const cairn_height_field *field)
{
    const cairn_vec2 half_m = {(field->columns - 1) * field->cell_m / 2, (field->rows - 1) * field->cell_m / 2};
    const double c = fabs(cos(field->map_T_field.yaw_rad)), s = fabs(sin(field->map_T_field.yaw_rad));
    return squares_around(index, cairn_pose2_apply(field->map_T_field, half_m),
                          (cairn_vec2){c * half_m.x + s * half_m.y, s * half_m.x + c * half_m.y});
}

// False for what nobody can drive on.
static bool squares_of(const cairn_sim_arena *arena, const cairn_ground_index *index, uint32_t thing,
                       squares *ret_squares)
{
    if (thing >= arena->solid_count) {
        *ret_squares = squares_of_field(index, &arena->fields[thing - arena->solid_count]);
        return true;
    }
    if (arena->solids[thing].kind != CAIRN_SOLID_GROUND) { return false; }
    *ret_squares = squares_of_solid(index, &arena->solids[thing]);
    return true;
}

static uint64_t entries_of(const cairn_sim_arena *arena, const cairn_ground_index *index)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < arena->solid_count + arena->field_count; i++) {
        squares of;
        if (squares_of(arena, index, i, &of)) { count += (uint64_t)(of.x1 - of.x0 + 1) * (of.y1 - of.y0 + 1); }
    }
    return count;
}

static uint64_t choose_squares(const cairn_sim_arena *arena, cairn_ground_index *index)
{
    index->square_m = fmax(SQUARE_M_MIN, fmax(arena->size_m.x, arena->size_m.y) / SQUARES_MAX);
    for (;; index->square_m *= 2) {
        index->width = (uint32_t)fmax(ceil(arena->size_m.x / index->square_m), 1);
        index->height = (uint32_t)fmax(ceil(arena->size_m.y / index->square_m), 1);
        const uint64_t entries = entries_of(arena, index);
        if (entries <= ENTRIES_MAX || index->width * index->height == 1) { return entries; }
    }
}

// Counts first, so that every square's things lie in a row, in the order of their numbers.
static void fill(const cairn_sim_arena *arena, const cairn_ground_index *index, uint32_t *first, uint32_t *things)
{
    const size_t square_count = (size_t)index->width * index->height;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < arena->solid_count + arena->field_count; i++) {
            squares of;
            if (!squares_of(arena, index, i, &of)) { continue; }
            for (uint32_t y = of.y0; y <= of.y1; y++) {
                for (uint32_t x = of.x0; x <= of.x1; x++) {
                    uint32_t *const slot = &first[(size_t)y * index->width + x];
                    if (round == 1) { things[*slot] = i; }
                    (*slot)++;
                }
            }
        }
        // After the counts: where each begins. After the filling, which moved every beginning to its end: back.
        uint32_t before = 0;
        for (size_t k = 0; k <= square_count; k++) {
            const uint32_t was = first[k];
            first[k] = before;
            before = round == 0 ? before + was : was;
        }
    }
}

cairn_err cairn_ground_index_create(cairn_sim_arena *arena, cairn_arena *memory)
{
    cairn_ground_index *index = CAIRN_TAKE(memory, cairn_ground_index, 1);
    if (index == NULL) { return CAIRN_ERR_FULL; }
    const uint64_t entry_count = choose_squares(arena, index);
    uint32_t *first = CAIRN_TAKE(memory, uint32_t, (size_t)index->width * index->height + 1);
    uint32_t *things = CAIRN_TAKE(memory, uint32_t, entry_count + 1);
    if (first == NULL || things == NULL) { return CAIRN_ERR_FULL; }
    fill(arena, index, first, things);
    index->first = first;
    index->things = things;
    arena->ground = index;
    return CAIRN_OK;
}
