#include "sim/physics/planar_contacts.h"

#define SQUARE_M 1.0
// Corners whose depths differ by less than this touch together, and the contact is halfway between them.
#define FLUSH_M 5e-4

static cairn_vec2 left_of(cairn_vec2 a) { return (cairn_vec2){-a.y, a.x}; }

// How far a rectangle reaches from its middle along a direction.
static double reach_along(const cairn_rect *rect, cairn_vec2 direction)
{
    return rect->half_m.x * fabs(cairn_vec2_dot(rect->axis, direction)) +
           rect->half_m.y * fabs(cairn_vec2_cross(rect->axis, direction));
}

// A side of one rectangle, as seen from its middle.
typedef struct rect_side {
    const cairn_rect *owner;
    cairn_vec2 normal; // outward
    double half_m;     // from the middle to the side
    double width_m;    // half of the side's length
    double gap_m;      // from the side to the other rectangle
} rect_side;

static rect_side side_towards(const cairn_rect *owner, const cairn_rect *other, bool along_axis)
{
    rect_side side = {.owner = owner,
                      .normal = along_axis ? owner->axis : left_of(owner->axis),
                      .half_m = along_axis ? owner->half_m.x : owner->half_m.y,
                      .width_m = along_axis ? owner->half_m.y : owner->half_m.x};
    double apart = cairn_vec2_dot(side.normal, cairn_vec2_sub(other->centre_m, owner->centre_m));
    if (apart < 0) {
        side.normal = cairn_vec2_scale(side.normal, -1);
        apart = -apart;
    }
    side.gap_m = apart - side.half_m - reach_along(other, side.normal);
    return side;
}

// The side of a rectangle that faces a direction most, as its two corners.
static void corners_facing(const cairn_rect *rect, cairn_vec2 direction, cairn_vec2 *ret_from, cairn_vec2 *ret_to)
{
    const double x = cairn_vec2_dot(rect->axis, direction), y = cairn_vec2_cross(rect->axis, direction);
    const cairn_vec2 along = cairn_vec2_scale(rect->axis, rect->half_m.x);
    const cairn_vec2 across = cairn_vec2_scale(left_of(rect->axis), rect->half_m.y);
    const bool end = fabs(x) >= fabs(y);
    const cairn_vec2 out = end ? cairn_vec2_scale(along, x < 0 ? -1 : 1) : cairn_vec2_scale(across, y < 0 ? -1 : 1);
    const cairn_vec2 edge = end ? across : along;
    const cairn_vec2 middle = cairn_vec2_add(rect->centre_m, out);
    *ret_from = cairn_vec2_sub(middle, edge);
    *ret_to = cairn_vec2_add(middle, edge);
}

static cairn_vec2 blend(cairn_vec2 a, cairn_vec2 b, double part)
{
    return cairn_vec2_add(a, cairn_vec2_scale(cairn_vec2_sub(b, a), part));
}

// Keeps the part of a segment that lies beside the side; what is left may be a point.
static void clip_to_side(const rect_side *side, cairn_vec2 *from, cairn_vec2 *to)
{
    const cairn_vec2 across = left_of(side->normal);
    const double a = cairn_vec2_dot(across, cairn_vec2_sub(*from, side->owner->centre_m));
    const double b = cairn_vec2_dot(across, cairn_vec2_sub(*to, side->owner->centre_m));
    if (fabs(b - a) < 1e-9) { return; }
    const double a_in = fmin(fmax(a, -side->width_m), side->width_m);
    const double b_in = fmin(fmax(b, -side->width_m), side->width_m);
    const cairn_vec2 start = *from, end = *to;
    *from = blend(start, end, (a_in - a) / (b - a));
    *to = blend(start, end, (b_in - a) / (b - a));
}

static cairn_vec2 contact_point(const rect_side *side, const cairn_rect *other)
{
    cairn_vec2 from, to;
    corners_facing(other, cairn_vec2_scale(side->normal, -1), &from, &to);
    clip_to_side(side, &from, &to);
    const double a = cairn_vec2_dot(side->normal, from), b = cairn_vec2_dot(side->normal, to);
    if (fabs(a - b) < FLUSH_M) { return blend(from, to, 0.5); }
    return a < b ? from : to;
}

bool cairn_rects_touch(const cairn_rect *first, const cairn_rect *second, double gap_m_max,
                       cairn_rect_contact *ret_contact)
{
    rect_side best = side_towards(second, first, true);
    const rect_side others[] = {side_towards(second, first, false), side_towards(first, second, true),
                                side_towards(first, second, false)};
    for (int i = 0; i < 3; i++) {
        if (others[i].gap_m > best.gap_m) { best = others[i]; }
    }
    if (best.gap_m > gap_m_max) { return false; }
    const bool of_second = best.owner == second;
    ret_contact->at_m = contact_point(&best, of_second ? first : second);
    ret_contact->normal = of_second ? best.normal : cairn_vec2_scale(best.normal, -1);
    ret_contact->gap_m = best.gap_m;
    return true;
}

// ---- the index

static cairn_rect rect_of(const cairn_solid *solid)
{
    const cairn_pose2 pose = cairn_pose3_to_pose2(solid->map_T_box);
    return (cairn_rect){
        cairn_pose2_at(pose), {cos(pose.yaw_rad), sin(pose.yaw_rad)}, {solid->half_m.x, solid->half_m.y}};
}

static uint32_t first_of_same(const cairn_sim_arena *arena, uint32_t solid)
{
    uint32_t first = 0;
    while (arena->solids[first].kind != arena->solids[solid].kind ||
           arena->solids[first].owner != arena->solids[solid].owner) {
        first++;
    }
    return first;
}

typedef struct square_range {
    uint32_t x_first, x_last, y_first, y_last;
} square_range;

static uint32_t square_at(double offset_m, uint32_t count)
{
    const double square = floor(offset_m / SQUARE_M);
    return square <= 0 ? 0 : square >= count - 1 ? count - 1 : (uint32_t)square;
}

static square_range squares_around(const cairn_obstacle_index *index, cairn_vec2 at_m, cairn_vec2 reach_m)
{
    return (square_range){square_at(at_m.x - reach_m.x - index->origin_m.x, index->columns),
                          square_at(at_m.x + reach_m.x - index->origin_m.x, index->columns),
                          square_at(at_m.y - reach_m.y - index->origin_m.y, index->rows),
                          square_at(at_m.y + reach_m.y - index->origin_m.y, index->rows)};
}

static cairn_vec2 extent_of(const cairn_rect *rect)
{
    return (cairn_vec2){reach_along(rect, (cairn_vec2){1, 0}), reach_along(rect, (cairn_vec2){0, 1})};
}

// Obstacles beyond the floor's edge belong to the squares at the edge, as does whoever asks from there.
static void size_grid(const cairn_sim_arena *arena, cairn_obstacle_index *index)
{
    index->columns = (uint32_t)fmax(ceil(arena->size_m.x / SQUARE_M), 1);
    index->rows = (uint32_t)fmax(ceil(arena->size_m.y / SQUARE_M), 1);
}

static size_t square_count(const cairn_obstacle_index *index) { return (size_t)index->columns * index->rows; }

static size_t members_of(const cairn_sim_arena *arena, const cairn_obstacle_index *index)
{
    size_t count = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_rect rect = rect_of(&arena->solids[i]);
        const square_range range = squares_around(index, rect.centre_m, extent_of(&rect));
        count += (size_t)(range.x_last - range.x_first + 1) * (range.y_last - range.y_first + 1);
    }
    return count;
}

size_t cairn_obstacle_index_bytes(const cairn_sim_arena *arena)
{
    cairn_obstacle_index index = {.obstacles = NULL};
    size_grid(arena, &index);
    return arena->solid_count * sizeof(cairn_obstacle) + (square_count(&index) + 2) * sizeof(uint32_t) +
           members_of(arena, &index) * sizeof(uint32_t) + 4 * 64;
}

static void list_obstacles(const cairn_sim_arena *arena, cairn_obstacle_index *index)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (solid->kind == CAIRN_SOLID_GROUND) { continue; }
        const cairn_vec3 up = cairn_quat_rotate(cairn_quat_conjugate(solid->map_T_box.turn), (cairn_vec3){0, 0, 1});
        const double half_z_m =
            fabs(up.x) * solid->half_m.x + fabs(up.y) * solid->half_m.y + fabs(up.z) * solid->half_m.z;
        index->obstacles[index->obstacle_count++] = (cairn_obstacle){.rect = rect_of(solid),
                                                                     .bottom_m = solid->map_T_box.at_m.z - half_z_m,
                                                                     .top_m = solid->map_T_box.at_m.z + half_z_m,
                                                                     .thing = first_of_same(arena, i)};
    }
}

// Counts, sums up, and fills from the back, so that each square's members end up in reverse order of obstacles.
static void fill_squares(cairn_obstacle_index *index)
{
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t i = 0; i < index->obstacle_count; i++) {
            const cairn_rect *rect = &index->obstacles[i].rect;
            const square_range range = squares_around(index, rect->centre_m, extent_of(rect));
            for (uint32_t y = range.y_first; y <= range.y_last; y++) {
                for (uint32_t x = range.x_first; x <= range.x_last; x++) {
                    uint32_t *start = &index->starts[(size_t)y * index->columns + x];
                    if (filling) {
                        index->members[--*start] = i;
                    } else {
                        ++*start;
                    }
                }
            }
        }
        for (size_t i = 1; i <= square_count(index) && !filling; i++) { index->starts[i] += index->starts[i - 1]; }
    }
}

cairn_err cairn_obstacle_index_create(const cairn_sim_arena *arena, cairn_arena *memory,
                                      cairn_obstacle_index *ret_index)
{
    cairn_obstacle_index index = {.obstacles = CAIRN_TAKE(memory, cairn_obstacle, arena->solid_count)};
    size_grid(arena, &index);
    index.starts = CAIRN_TAKE(memory, uint32_t, square_count(&index) + 1);
    index.members = CAIRN_TAKE(memory, uint32_t, members_of(arena, &index));
    if (!index.obstacles || !index.starts || !index.members) { return CAIRN_ERR_FULL; }
    list_obstacles(arena, &index);
    fill_squares(&index);
    *ret_index = index;
    return CAIRN_OK;
}

void cairn_obstacle_index_visit(const cairn_obstacle_index *index, cairn_vec2 at_m, double reach_m,
                                cairn_obstacle_fn visit, void *context)
{
    const square_range range = squares_around(index, at_m, (cairn_vec2){reach_m, reach_m});
    for (uint32_t y = range.y_first; y <= range.y_last; y++) {
        for (uint32_t x = range.x_first; x <= range.x_last; x++) {
            const size_t square = (size_t)y * index->columns + x;
            for (uint32_t i = index->starts[square]; i < index->starts[square + 1]; i++) {
                const cairn_obstacle *obstacle = &index->obstacles[index->members[i]];
                const cairn_vec2 apart = cairn_vec2_sub(obstacle->rect.centre_m, at_m);
                const double x_m = fabs(cairn_vec2_dot(obstacle->rect.axis, apart)) - obstacle->rect.half_m.x;
                const double y_m = fabs(cairn_vec2_cross(obstacle->rect.axis, apart)) - obstacle->rect.half_m.y;
                if (x_m < reach_m && y_m < reach_m) { visit(context, obstacle); }
            }
        }
    }
}
