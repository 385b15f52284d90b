// From solids, height fields, starts and hazards to flat faces with a colour each.
#include "base/status.h"
#include "sim/arena/ground.h"
#include "sim/arena/plan/arena_picture.h"
#include "sim/arena/view/view_private.h"

static const cairn_ink FLOOR = {238, 238, 234, 255};
static const cairn_ink SKIRT = {176, 178, 182, 255};
static const cairn_ink WALL_SIDE = {222, 229, 241, 255};
static const cairn_ink WALL_TOP = {58, 84, 140, 255};
static const cairn_ink BOX = {150, 160, 178, 255};
static const cairn_ink VICTIM = {232, 30, 30, 255};
static const cairn_ink PANEL = {150, 104, 64, 255};
static const cairn_ink DOOR = {202, 128, 60, 255};
static const cairn_ink BLOCK = {226, 190, 84, 255};
static const cairn_ink BYSTANDER = {34, 150, 110, 255};
static const cairn_ink HAZARD = {178, 40, 170, 255};
static const cairn_ink START = {255, 200, 0, 255};
static const cairn_ink SLIPPERY = {158, 186, 206, 255};
static const cairn_ink ROUGH_LOW = {188, 180, 168, 255};
static const cairn_ink ROUGH_HIGH = {140, 122, 102, 255};

enum { RING_SIDES = 72 };
#define SLIPPERY_FRICTION 0.4 // [-] less is drawn as slippery
#define SIGN_LIFT_M 0.02      // signs lie above the ground
#define FIELD_LIFT_M 0.002    // where rough ground is flat, it is seen and not the floor under it
#define LEVEL 1e-9
#define BESIDE_M 0.001 // a wall may stand on the very edge of the floor; what reaches further is cut off

void cairn_view_scene_count(const cairn_sim_arena *arena, uint32_t *ret_faces, uint32_t *ret_corners)
{
    uint32_t faces = 6 * arena->solid_count, triangles = 2 * arena->start_count;
    for (uint32_t i = 0; i < arena->field_count; i++) {
        triangles += 2 * (arena->fields[i].columns - 1) * (arena->fields[i].rows - 1);
    }
    faces += 5 + 2 * RING_SIDES * arena->figure_count;
    *ret_faces = faces + triangles;
    *ret_corners = CAIRN_FACE_CORNERS_MAX * faces + 3 * triangles;
}

static bool is_upright(const cairn_solid *solid)
{
    return fabs(solid->map_T_box.turn.x) < LEVEL && fabs(solid->map_T_box.turn.y) < LEVEL;
}

// Half of an oriented box's height, whatever its turn.
static double half_height_m(const cairn_solid *solid)
{
    const cairn_quat turn = solid->map_T_box.turn;
    return fabs(cairn_quat_rotate(turn, (cairn_vec3){solid->half_m.x, 0, 0}).z) +
           fabs(cairn_quat_rotate(turn, (cairn_vec3){0, solid->half_m.y, 0}).z) +
           fabs(cairn_quat_rotate(turn, (cairn_vec3){0, 0, solid->half_m.z}).z);
}

void cairn_view_scene_bounds(const cairn_sim_arena *arena, double cut_above_m, cairn_vec3 *ret_low_m,
                             cairn_vec3 *ret_high_m)
{
    // The floor is shown as a plate, thick enough to hide what lies below it.
    double high_m = 0.1, thick_m = 0.004 * fmax(arena->size_m.x, arena->size_m.y) + 0.05;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        high_m = fmax(high_m, solid->map_T_box.at_m.z + half_height_m(solid));
        if (arena->has_holes) { thick_m = fmax(thick_m, half_height_m(solid) - solid->map_T_box.at_m.z); }
    }
    *ret_low_m = (cairn_vec3){0, 0, -thick_m};
    *ret_high_m = (cairn_vec3){arena->size_m.x, arena->size_m.y, fmax(fmin(high_m, cut_above_m), 0.1)};
}

// ---- faces

typedef struct polygon {
    cairn_vec3 corners_m[CAIRN_FACE_CORNERS_MAX];
    uint32_t count;
} polygon;

// Keeps what lies where sign * coordinate <= limit.
static void cut(polygon *of, int axis, double sign, double limit)
{
    polygon kept = {.count = 0};
    for (uint32_t i = 0; i < of->count; i++) {
        const cairn_vec3 a = of->corners_m[i], b = of->corners_m[(i + 1) % of->count];
        const double over_a = sign * (axis == 0 ? a.x : axis == 1 ? a.y : a.z) - limit;
        const double over_b = sign * (axis == 0 ? b.x : axis == 1 ? b.y : b.z) - limit;
        if (over_a <= 0) { kept.corners_m[kept.count++] = a; }
        if ((over_a < 0 && over_b > 0) || (over_a > 0 && over_b < 0)) {
            kept.corners_m[kept.count++] =
                cairn_vec3_add(a, cairn_vec3_scale(cairn_vec3_sub(b, a), over_a / (over_a - over_b)));
        }
    }
    *of = kept;
}

static cairn_face *add_face(cairn_view_scene *scene, polygon shape, cairn_vec3 normal, cairn_ink ink)
{
    cut(&shape, 0, -1, -scene->low_m.x + BESIDE_M);
    if (shape.count > 0) { cut(&shape, 0, 1, scene->high_m.x + BESIDE_M); }
    if (shape.count > 0) { cut(&shape, 1, -1, -scene->low_m.y + BESIDE_M); }
    if (shape.count > 0) { cut(&shape, 1, 1, scene->high_m.y + BESIDE_M); }
    if (shape.count > 0) { cut(&shape, 2, 1, scene->cut_above_m); }
    if (shape.count < 3) { return &scene->nothing; }
    CAIRN_ASSERT(scene->face_count < scene->face_max && scene->corner_count + shape.count <= scene->corner_max);
    cairn_face *face = &scene->faces[scene->face_count++];
    *face = (cairn_face){.first_corner = scene->corner_count,
                         .corner_count = (uint8_t)shape.count,
                         .ink = ink,
                         .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
                         .offset_m = (float)cairn_vec3_dot(normal, shape.corners_m[0])};
    for (uint32_t i = 0; i < shape.count; i++) { scene->corners_m[scene->corner_count++] = shape.corners_m[i]; }
    return face;
}

static cairn_ink mix(cairn_ink from, cairn_ink to, double part)
{
    part = fmin(fmax(part, 0), 1);
    return (cairn_ink){(uint8_t)lround(from.red + (to.red - from.red) * part),
                       (uint8_t)lround(from.green + (to.green - from.green) * part),
                       (uint8_t)lround(from.blue + (to.blue - from.blue) * part), 255};
}

static cairn_ink ink_of(const cairn_sim_arena *arena, const cairn_solid *solid, bool top)
{
    switch (solid->kind) {
    case CAIRN_SOLID_WALL: return top ? WALL_TOP : WALL_SIDE;
    case CAIRN_SOLID_BOX: return BOX;
    case CAIRN_SOLID_VICTIM: return VICTIM;
    case CAIRN_SOLID_VICTIM_BOX: return PANEL;
    case CAIRN_SOLID_DOOR: return DOOR;
    case CAIRN_SOLID_BLOCK: return BLOCK;
    case CAIRN_SOLID_FIGURE: return arena->figures[solid->owner].kind == CAIRN_FIGURE_HAZARD ? HAZARD : BYSTANDER;
    case CAIRN_SOLID_GROUND: break;
    }
    return FLOOR;
}

// Ground is coloured by its height where it is seen; what is slippery says so.
static void paint_ground(const cairn_solid *solid, cairn_face *face, cairn_vec3 normal, double top_m)
{
    const bool level = normal.z > 1 - LEVEL;
    face->by_height = true;
    if (solid->friction > 0 && solid->friction < SLIPPERY_FRICTION) {
        face->by_height = false;
        face->ink = SLIPPERY;
    } else if (level && fabs(top_m) < 1e-3) {
        face->by_height = false;
        face->gridded = true;
    }
}

static void add_solid(cairn_view_scene *scene, const cairn_sim_arena *arena, cairn_solid solid)
{
    const double top_m = solid.map_T_box.at_m.z + half_height_m(&solid);
    if (is_upright(&solid) && top_m > scene->cut_above_m) {
        const double gone_m = fmin(top_m - scene->cut_above_m, 2 * solid.half_m.z);
        solid.half_m.z -= gone_m / 2;
        solid.map_T_box.at_m.z -= gone_m / 2;
        if (solid.half_m.z <= 0) { return; }
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            const double half[3] = {solid.half_m.x, solid.half_m.y, solid.half_m.z};
            polygon shape = {.count = 4};
            for (int corner = 0; corner < 4; corner++) {
                double at[3];
                at[axis] = side * half[axis];
                at[(axis + 1) % 3] = (corner == 1 || corner == 2 ? 1 : -1) * half[(axis + 1) % 3];
                at[(axis + 2) % 3] = (corner >= 2 ? 1 : -1) * half[(axis + 2) % 3];
                shape.corners_m[corner] = cairn_pose3_apply(solid.map_T_box, (cairn_vec3){at[0], at[1], at[2]});
            }
            const cairn_vec3 out = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
            const cairn_vec3 normal = cairn_quat_rotate(solid.map_T_box.turn, out);
            cairn_face *face = add_face(scene, shape, normal, ink_of(arena, &solid, axis == 2 && side > 0));
            if (solid.kind == CAIRN_SOLID_GROUND) { paint_ground(&solid, face, normal, top_m); }
        }
    }
}

static void add_rectangle(cairn_view_scene *scene, const cairn_vec3 corners_m[4], cairn_vec3 normal, cairn_ink ink,
                          bool gridded)
{
    const polygon shape = {.corners_m = {corners_m[0], corners_m[1], corners_m[2], corners_m[3]}, .count = 4};
    add_face(scene, shape, normal, ink)->gridded = gridded;
}

// The floor and the sides of its plate. With holes, the floor itself is made of solids.
static void add_floor(cairn_view_scene *scene, const cairn_sim_arena *arena)
{
    const double x = arena->size_m.x, y = arena->size_m.y, low = scene->low_m.z;
    if (!arena->has_holes) {
        add_rectangle(scene, (cairn_vec3[]){{0, 0, 0}, {x, 0, 0}, {x, y, 0}, {0, y, 0}}, (cairn_vec3){0, 0, 1}, FLOOR,
                      true);
    }
    // Where slabs of the floor are cut off.
    const double b = BESIDE_M;
    const cairn_vec2 corners[] = {{-b, -b}, {x + b, -b}, {x + b, y + b}, {-b, y + b}};
    const cairn_vec3 normals[] = {{0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 from = corners[i], to = corners[(i + 1) % 4];
        add_rectangle(scene,
                      (cairn_vec3[]){{from.x, from.y, low}, {to.x, to.y, low}, {to.x, to.y, 0}, {from.x, from.y, 0}},
                      normals[i], SKIRT, false);
    }
}

static void add_triangle(cairn_view_scene *scene, cairn_vec3 a, cairn_vec3 b, cairn_vec3 c, cairn_ink ink, bool sign)
{
    cairn_vec3 normal = cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(c, a));
    const double length = cairn_vec3_length(normal);
    if (length < 1e-12) { return; }
    normal = cairn_vec3_scale(normal, (normal.z < 0 ? -1 : 1) / length);
    cairn_face *face = add_face(scene, (polygon){.corners_m = {a, b, c}, .count = 3}, normal, ink);
    face->smooth = !sign;
    face->painted = sign;
}

static cairn_vec3 field_corner(const cairn_height_field *field, uint32_t column, uint32_t row)
{
    const cairn_vec2 at =
        cairn_pose2_apply(field->map_T_field, (cairn_vec2){column * field->cell_m, row * field->cell_m});
    return (cairn_vec3){at.x, at.y,
                        field->foot_m + FIELD_LIFT_M + field->height_m[(size_t)row * field->columns + column]};
}

static void add_field(cairn_view_scene *scene, const cairn_height_field *field)
{
    const double most_m = fmax(field->height_m_max, 0.01);
    for (uint32_t row = 0; row + 1 < field->rows; row++) {
        for (uint32_t column = 0; column + 1 < field->columns; column++) {
            const cairn_vec3 a = field_corner(field, column, row), b = field_corner(field, column + 1, row);
            const cairn_vec3 c = field_corner(field, column + 1, row + 1), d = field_corner(field, column, row + 1);
            const double base = 3 * (field->foot_m + FIELD_LIFT_M);
            add_triangle(scene, a, b, c, mix(ROUGH_LOW, ROUGH_HIGH, (a.z + b.z + c.z - base) / 3 / most_m), false);
            add_triangle(scene, a, c, d, mix(ROUGH_LOW, ROUGH_HIGH, (a.z + c.z + d.z - base) / 3 / most_m), false);
        }
    }
}

// An arrow on the ground.
static void add_start(cairn_view_scene *scene, const cairn_sim_arena *arena, uint32_t index)
{
    const double x_m[] = {0.34, -0.26, -0.12, -0.26}, y_m[] = {0.0, 0.24, 0.0, -0.24};
    const double foot_m = arena->start_feet_m != NULL ? arena->start_feet_m[index] : 0;
    cairn_vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 at =
            cairn_pose2_apply(arena->starts[index], (cairn_vec2){x_m[i] * scene->sign_m, y_m[i] * scene->sign_m});
        corners[i] = (cairn_vec3){at.x, at.y, cairn_sim_ground_m(arena, at, foot_m + 0.3) + SIGN_LIFT_M};
    }
    add_triangle(scene, corners[0], corners[1], corners[2], START, true);
    add_triangle(scene, corners[0], corners[2], corners[3], START, true);
}

static void add_ring(cairn_view_scene *scene, cairn_vec2 at_m, double radius_m, double wide_m, cairn_ink ink)
{
    for (int i = 0; i < RING_SIDES; i++) {
        polygon shape = {.count = 4};
        for (int corner = 0; corner < 4; corner++) {
            const double turn_rad = 2 * CAIRN_PI * (i + (corner == 1 || corner == 2)) / RING_SIDES;
            const double out_m = radius_m + (corner >= 2 ? wide_m : 0);
            shape.corners_m[corner] =
                (cairn_vec3){at_m.x + out_m * cos(turn_rad), at_m.y + out_m * sin(turn_rad), SIGN_LIFT_M};
        }
        add_face(scene, shape, (cairn_vec3){0, 0, 1}, ink)->painted = true;
    }
}

static void add_hazard(cairn_view_scene *scene, const cairn_sim_figure *figure)
{
    if (figure->kind != CAIRN_FIGURE_HAZARD) { return; }
    const double wide_m = 0.08 * scene->sign_m;
    add_ring(scene, figure->points_m[0], figure->trigger_m, wide_m, HAZARD);
    add_ring(scene, figure->points_m[0], figure->lethal_m, wide_m, mix(HAZARD, FLOOR, 0.5));
}

static bool is_lid(const cairn_solid *solid)
{
    return solid->kind == CAIRN_SOLID_VICTIM_BOX && solid->half_m.z < solid->half_m.x &&
           solid->half_m.z < solid->half_m.y;
}

void cairn_view_scene_fill(cairn_view_scene *scene, const cairn_sim_arena *arena)
{
    cairn_view_scene_bounds(arena, scene->cut_above_m, &scene->low_m, &scene->high_m);
    add_floor(scene, arena);
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (!is_lid(&arena->solids[i])) { add_solid(scene, arena, arena->solids[i]); }
    }
    for (uint32_t i = 0; i < arena->field_count; i++) { add_field(scene, &arena->fields[i]); }
    for (uint32_t i = 0; i < arena->start_count; i++) { add_start(scene, arena, i); }
    for (uint32_t i = 0; i < arena->figure_count; i++) { add_hazard(scene, &arena->figures[i]); }
}

void cairn_view_scene_ground(cairn_view_scene *scene, const cairn_sim_arena *arena,
                             bool (*left_out)(const cairn_solid *solid))
{
    cairn_view_scene_bounds(arena, scene->cut_above_m, &scene->low_m, &scene->high_m);
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (solid->kind == CAIRN_SOLID_GROUND && !left_out(solid)) { add_solid(scene, arena, *solid); }
    }
    for (uint32_t i = 0; i < arena->field_count; i++) { add_field(scene, &arena->fields[i]); }
}
