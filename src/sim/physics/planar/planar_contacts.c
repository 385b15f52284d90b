#include "sim/physics/planar/planar_contacts.h"

#define SQUARE_M 1.0
#define SQUARE_MARGIN_M 1e-6 // for rounding
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

cairn_rect cairn_rect_of_box(cairn_pose3 map_T_box, cairn_vec3 half_m)
{
    const double yaw_rad = cairn_pose3_to_pose2(map_T_box).yaw_rad;
    const cairn_vec3 axis = {cos(yaw_rad), sin(yaw_rad), 0}, left = {-axis.y, axis.x, 0};
    const cairn_vec3 arms[3] = {cairn_quat_rotate(map_T_box.turn, (cairn_vec3){half_m.x, 0, 0}),
                                cairn_quat_rotate(map_T_box.turn, (cairn_vec3){0, half_m.y, 0}),
                                cairn_quat_rotate(map_T_box.turn, (cairn_vec3){0, 0, half_m.z})};
    cairn_rect rect = {{map_T_box.at_m.x, map_T_box.at_m.y}, {axis.x, axis.y}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        rect.half_m.x += fabs(cairn_vec3_dot(axis, arms[i]));
        rect.half_m.y += fabs(cairn_vec3_dot(left, arms[i]));
    }
    return rect;
}

double cairn_box_half_z_m(cairn_pose3 map_T_box, cairn_vec3 half_m)
{
    const cairn_vec3 up = cairn_quat_rotate(cairn_quat_conjugate(map_T_box.turn), (cairn_vec3){0, 0, 1});
    return fabs(up.x) * half_m.x + fabs(up.y) * half_m.y + fabs(up.z) * half_m.z;
}

// What is driven on, without what sticks out below it.
static cairn_rect rect_of_upper_face(const cairn_solid *solid)
{
    const cairn_pose3 pose = solid->map_T_box;
    const cairn_vec3 up = cairn_quat_rotate(pose.turn, (cairn_vec3){0, 0, solid->half_m.z});
    const cairn_vec3 x = cairn_quat_rotate(pose.turn, (cairn_vec3){solid->half_m.x, 0, 0});
    const cairn_vec3 y = cairn_quat_rotate(pose.turn, (cairn_vec3){0, solid->half_m.y, 0});
    const double side = up.z < 0 ? -1 : 1;
    cairn_rect rect = cairn_rect_of_box(pose, solid->half_m);
    rect.centre_m = (cairn_vec2){pose.at_m.x + side * up.x, pose.at_m.y + side * up.y};
    rect.half_m = (cairn_vec2){hypot(x.x, x.y), hypot(y.x, y.y)};
    return rect;
}

cairn_obstacle cairn_obstacle_of(const cairn_solid *solid, cairn_pose3 map_T_box, uint32_t thing)
{
    const bool ground = solid->kind == CAIRN_SOLID_GROUND;
    const double half_z_m = cairn_box_half_z_m(map_T_box, solid->half_m);
    return (cairn_obstacle){.rect = ground ? rect_of_upper_face(solid) : cairn_rect_of_box(map_T_box, solid->half_m),
                            .bottom_m = map_T_box.at_m.z - half_z_m,
                            .top_m = map_T_box.at_m.z + half_z_m,
                            .thing = thing,
                            .ground = ground ? solid : NULL};
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

// A long wall across the place passes through few of the squares around it. Squares at the border have no end.
static bool reaches_into(const cairn_obstacle_index *index, const cairn_rect *rect, uint32_t x, uint32_t y)
{
    if (x == 0 || y == 0 || x + 1 == index->columns || y + 1 == index->rows) { return true; }
    const double half_m = 0.5 * SQUARE_M;
    const cairn_rect square = {{index->origin_m.x + x * SQUARE_M + half_m, index->origin_m.y + y * SQUARE_M + half_m},
                               {1, 0},
                               {half_m, half_m}};
    cairn_rect_contact contact;
    return cairn_rects_touch(&square, rect, SQUARE_MARGIN_M, &contact);
}

typedef void (*square_fn)(cairn_obstacle_index *index, uint32_t obstacle, size_t square);

static void count_member(cairn_obstacle_index *index, uint32_t obstacle, size_t square)
{
    (void)obstacle;
    index->starts[square]++;
}

static void put_member(cairn_obstacle_index *index, uint32_t obstacle, size_t square)
{
    index->members[--index->starts[square]] = obstacle;
}

static void count_any(cairn_obstacle_index *index, uint32_t obstacle, size_t square)
{
    (void)obstacle;
    (void)square;
    index->member_count++;
}

static void each_square(cairn_obstacle_index *index, uint32_t obstacle, const cairn_rect *rect, square_fn visit)
{
    const square_range range = squares_around(index, rect->centre_m, extent_of(rect));
    for (uint32_t y = range.y_first; y <= range.y_last; y++) {
        for (uint32_t x = range.x_first; x <= range.x_last; x++) {
            if (reaches_into(index, rect, x, y)) { visit(index, obstacle, (size_t)y * index->columns + x); }
        }
    }
}

static size_t members_of(const cairn_sim_arena *arena, const cairn_obstacle_index *like)
{
    cairn_obstacle_index index = *like;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_obstacle obstacle = cairn_obstacle_of(&arena->solids[i], arena->solids[i].map_T_box, i);
        if (!cairn_solid_moves(&arena->solids[i])) { each_square(&index, i, &obstacle.rect, count_any); }
    }
    return index.member_count;
}

size_t cairn_obstacle_index_bytes(const cairn_sim_arena *arena)
{
    cairn_obstacle_index index = {.obstacles = NULL};
    size_grid(arena, &index);
    return arena->solid_count * sizeof(cairn_obstacle) + (square_count(&index) + 2) * sizeof(uint32_t) +
           members_of(arena, &index) * sizeof(uint32_t) + 4 * 64;
}

// The solids of one thing follow each other.
static void list_obstacles(const cairn_sim_arena *arena, cairn_obstacle_index *index)
{
    uint32_t thing = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i], *first = &arena->solids[thing];
        if (solid->kind != first->kind || solid->owner != first->owner) { thing = i; }
        if (cairn_solid_moves(solid)) { continue; }
        index->obstacles[index->obstacle_count++] = cairn_obstacle_of(solid, solid->map_T_box, thing);
    }
}

// Counts, sums up, and fills from the back, so that each square's members end up in reverse order of obstacles.
static void fill_squares(cairn_obstacle_index *index)
{
    for (uint32_t i = 0; i < index->obstacle_count; i++) {
        each_square(index, i, &index->obstacles[i].rect, count_member);
    }
    for (size_t i = 1; i <= square_count(index); i++) { index->starts[i] += index->starts[i - 1]; }
    for (uint32_t i = 0; i < index->obstacle_count; i++) {
        each_square(index, i, &index->obstacles[i].rect, put_member);
    }
}

cairn_err cairn_obstacle_index_create(const cairn_sim_arena *arena, cairn_arena *memory,
                                      cairn_obstacle_index *ret_index)
{
    cairn_obstacle_index index = {.obstacles = CAIRN_TAKE(memory, cairn_obstacle, arena->solid_count)};
    size_grid(arena, &index);
    index.starts = CAIRN_TAKE(memory, uint32_t, square_count(&index) + 1);
    index.member_count = members_of(arena, &index);
    index.members = CAIRN_TAKE(memory, uint32_t, index.member_count);
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
