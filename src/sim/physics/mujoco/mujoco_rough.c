// Contacts with height fields, in place of the library's own, which makes a prism of each triangle and runs a general
// convex collision on each, with contacts at the walls between prisms, where the ground has none, and tests a body that
// has a height field against every other. Here a field is a surface: a tyre touches the plane of
// a triangle at one point, known in closed form, or an edge at the point that is nearest where the tyre is a ball.
// Boxes touch with their corners, and where a field's corner is inside them. The fields are the arena's own: nothing is
// copied, and the library's geom only stands for "there is one near".
#include "sim/physics/mujoco/mujoco_private.h"
#include <string.h>

// Contacts of one geom: the deepest, whose normals differ (tyres) or whichever they are (boxes).
#define TYRE_CONTACTS_MAX 3
#define BELT_CONTACTS_MAX 5
#define BOX_CONTACTS_MAX 8
#define CANDIDATES_MAX 128
// [-] Cosine between normals: above it two contacts of a tyre are one.
#define SAME_NORMAL_COSINE 0.9
// A cylinder's rim is looked at in so many points.
#define RIM_POINTS 8
#define CAPSULE_GAPS_MAX 8
#define POINTS_MAX (2 * RIM_POINTS)

// A contact in the field's frame.
typedef struct touch {
    cairn_vec3 at_m, normal; // from the field outward
    double distance_m;       // negative: they overlap
} touch;

typedef struct touches {
    touch list[CANDIDATES_MAX];
    int count;
} touches;

// A geom in the field's frame: x and y as the field's, z above its foot.
typedef struct shape {
    cairn_vec3 middle_m, axes[3]; // unit
    cairn_vec3 size_m;            // half
} shape;

typedef struct triangle {
    cairn_vec3 corners[3];
    cairn_vec3 normal;
} triangle;

static void add_touch(touches *all, cairn_vec3 at_m, cairn_vec3 normal, double distance_m)
{
    if (all->count < CANDIDATES_MAX) { all->list[all->count++] = (touch){at_m, normal, distance_m}; }
}

static cairn_vec3 corner_of(const cairn_height_field *field, int column, int row)
{
    const double height_m = (double)field->height_m[(uint32_t)row * field->columns + (uint32_t)column];
    return (cairn_vec3){column * field->cell_m, row * field->cell_m, height_m};
}

// Half 0 has the corner (column + 1, row), half 1 the corner (column, row + 1).
static triangle triangle_of(const cairn_height_field *field, int column, int row, int half)
{
    triangle it = {.corners = {corner_of(field, column, row), corner_of(field, column + 1, row + 1)}};
    it.corners[2] = half == 0 ? corner_of(field, column + 1, row) : corner_of(field, column, row + 1);
    cairn_vec3 normal =
        cairn_vec3_cross(cairn_vec3_sub(it.corners[1], it.corners[0]), cairn_vec3_sub(it.corners[2], it.corners[0]));
    if (normal.z < 0) { normal = cairn_vec3_scale(normal, -1); }
    it.normal = cairn_vec3_scale(normal, 1 / cairn_vec3_length(normal));
    return it;
}

// What lies flat on the ground that the field stands on is that ground's to carry.
static bool is_flat(const triangle *it)
{
    return it->corners[0].z <= 0 && it->corners[1].z <= 0 && it->corners[2].z <= 0;
}

static bool is_over(const triangle *it, cairn_vec3 at)
{
    double sides[3];
    for (int i = 0; i < 3; i++) {
        const cairn_vec3 from = it->corners[i], to = it->corners[(i + 1) % 3];
        sides[i] = (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x);
    }
    return (sides[0] >= 0 && sides[1] >= 0 && sides[2] >= 0) || (sides[0] <= 0 && sides[1] <= 0 && sides[2] <= 0);
}

typedef struct cells {
    int column, column_end, row, row_end;
} cells;

static int clamped(double at, int max) { return at < 0 ? 0 : at > max ? max : (int)at; }

// Cells under a square around a place; empty beside the field.
static cells cells_under(const cairn_height_field *field, cairn_vec3 middle_m, cairn_vec2 half_m)
{
    const int columns = (int)field->columns - 1, rows = (int)field->rows - 1;
    return (cells){clamped(floor((middle_m.x - half_m.x) / field->cell_m), columns),
                   clamped(ceil((middle_m.x + half_m.x) / field->cell_m), columns),
                   clamped(floor((middle_m.y - half_m.y) / field->cell_m), rows),
                   clamped(ceil((middle_m.y + half_m.y) / field->cell_m), rows)};
}

// ---- tyres: ellipsoids

static cairn_vec3 by_parts(cairn_vec3 a, cairn_vec3 b) { return (cairn_vec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static cairn_vec3 to_local(const shape *it, cairn_vec3 v)
{
    return (cairn_vec3){cairn_vec3_dot(it->axes[0], v), cairn_vec3_dot(it->axes[1], v), cairn_vec3_dot(it->axes[2], v)};
}
static cairn_vec3 from_local(const shape *it, cairn_vec3 v)
{
    return cairn_vec3_add(cairn_vec3_add(cairn_vec3_scale(it->axes[0], v.x), cairn_vec3_scale(it->axes[1], v.y)),
                          cairn_vec3_scale(it->axes[2], v.z));
}

// Nearest point to the origin on the line from a to b.
static cairn_vec3 nearest_on_edge(cairn_vec3 a, cairn_vec3 b)
{
    const cairn_vec3 along = cairn_vec3_sub(b, a);
    const double part = -cairn_vec3_dot(a, along) / fmax(cairn_vec3_dot(along, along), 1e-12);
    return cairn_vec3_add(a, cairn_vec3_scale(along, fmin(fmax(part, 0), 1)));
}

// The point of an edge that is deepest in the ellipsoid, in the frame in which that is the unit ball.
static void touch_edges(const shape *tyre, const triangle *it, touches *all)
{
    const cairn_vec3 shrink = {1 / tyre->size_m.x, 1 / tyre->size_m.y, 1 / tyre->size_m.z};
    cairn_vec3 corners[3], nearest = {2, 2, 2};
    for (int i = 0; i < 3; i++) {
        corners[i] = by_parts(to_local(tyre, cairn_vec3_sub(it->corners[i], tyre->middle_m)), shrink);
    }
    for (int i = 0; i < 3; i++) {
        const cairn_vec3 at = nearest_on_edge(corners[i], corners[(i + 1) % 3]);
        if (cairn_vec3_length(at) < cairn_vec3_length(nearest)) { nearest = at; }
    }
    const double length = cairn_vec3_length(nearest);
    if (length >= 1 || length < 1e-3) { return; }
    const cairn_vec3 outward_local = by_parts(nearest, shrink);
    const cairn_vec3 outward = from_local(tyre, cairn_vec3_scale(outward_local, 1 / cairn_vec3_length(outward_local)));
    if (outward.z >= 0) { return; } // ground is below
    const cairn_vec3 on_edge = cairn_vec3_add(tyre->middle_m, from_local(tyre, by_parts(nearest, tyre->size_m)));
    const cairn_vec3 to_skin = from_local(tyre, by_parts(cairn_vec3_scale(nearest, 1 / length - 1), tyre->size_m));
    const double depth_m = cairn_vec3_dot(to_skin, outward);
    add_touch(all, cairn_vec3_add(on_edge, cairn_vec3_scale(outward, 0.5 * depth_m)), cairn_vec3_scale(outward, -1),
              -depth_m);
}

static void touch_triangle(const shape *tyre, const triangle *it, touches *all)
{
    const cairn_vec3 pulled = by_parts(tyre->size_m, to_local(tyre, it->normal));
    const cairn_vec3 lowest_local = cairn_vec3_scale(by_parts(tyre->size_m, pulled), -1 / cairn_vec3_length(pulled));
    const cairn_vec3 lowest = cairn_vec3_add(tyre->middle_m, from_local(tyre, lowest_local));
    const double distance_m = cairn_vec3_dot(it->normal, cairn_vec3_sub(lowest, it->corners[0]));
    if (distance_m > 0) { return; }
    const cairn_vec3 on_plane = cairn_vec3_sub(lowest, cairn_vec3_scale(it->normal, distance_m));
    if (is_over(it, on_plane)) {
        add_touch(all, cairn_vec3_sub(lowest, cairn_vec3_scale(it->normal, 0.5 * distance_m)), it->normal, distance_m);
    } else {
        touch_edges(tyre, it, all);
    }
}

static double half_along(const shape *it, cairn_vec3 size_m, int axis)
{
    double sum = 0;
    const double sizes[3] = {size_m.x, size_m.y, size_m.z};
    for (int i = 0; i < 3; i++) {
        const double part[3] = {it->axes[i].x, it->axes[i].y, it->axes[i].z};
        sum += sizes[i] * fabs(part[axis]);
    }
    return sum;
}

static void touch_ellipsoid(const cairn_height_field *field, const shape *tyre, touches *all)
{
    const cairn_vec2 half = {half_along(tyre, tyre->size_m, 0), half_along(tyre, tyre->size_m, 1)};
    const double lowest_m = tyre->middle_m.z - half_along(tyre, tyre->size_m, 2);
    const cells under = cells_under(field, tyre->middle_m, half);
    for (int row = under.row; row < under.row_end; row++) {
        for (int column = under.column; column < under.column_end; column++) {
            for (int side = 0; side < 2; side++) {
                const triangle it = triangle_of(field, column, row, side);
                const double highest_m = fmax(it.corners[0].z, fmax(it.corners[1].z, it.corners[2].z));
                if (highest_m < lowest_m || is_flat(&it)) { continue; }
                touch_triangle(tyre, &it, all);
            }
        }
    }
}

// ---- boxes and cylinders: corners below the surface, and peaks inside

static void touch_points(const cairn_height_field *field, const cairn_vec3 *points, int count, touches *all)
{
    const int columns = (int)field->columns - 1, rows = (int)field->rows - 1;
    for (int i = 0; i < count; i++) {
        const double x = points[i].x / field->cell_m, y = points[i].y / field->cell_m;
        const int column = (int)floor(x), row = (int)floor(y);
        if (column < 0 || column >= columns || row < 0 || row >= rows) { continue; }
        const triangle it = triangle_of(field, column, row, x - column >= y - row ? 0 : 1);
        const double distance_m = cairn_vec3_dot(it.normal, cairn_vec3_sub(points[i], it.corners[0]));
        if (distance_m > 0 || is_flat(&it)) { continue; }
        add_touch(all, cairn_vec3_sub(points[i], cairn_vec3_scale(it.normal, 0.5 * distance_m)), it.normal, distance_m);
    }
}

// How deep a point of the geom's frame is in a box, and which way is out.
static double depth_in_box(cairn_vec3 at, cairn_vec3 half, cairn_vec3 *ret_outward)
{
    const double depths[3] = {half.x - fabs(at.x), half.y - fabs(at.y), half.z - fabs(at.z)};
    int face = 0;
    for (int i = 1; i < 3; i++) {
        if (depths[i] < depths[face]) { face = i; }
    }
    const double of[3] = {at.x, at.y, at.z}, sign = of[face] < 0 ? -1 : 1;
    *ret_outward = (cairn_vec3){face == 0 ? sign : 0, face == 1 ? sign : 0, face == 2 ? sign : 0};
    return depths[face];
}

// size: radius, half length; the axis is z.
static double depth_in_cylinder(cairn_vec3 at, cairn_vec3 size, cairn_vec3 *ret_outward)
{
    const double out = hypot(at.x, at.y), round = size.x - out, end = size.y - fabs(at.z);
    if (round < end && out > 1e-9) {
        *ret_outward = (cairn_vec3){at.x / out, at.y / out, 0};
        return round;
    }
    *ret_outward = (cairn_vec3){0, 0, at.z < 0 ? -1 : 1};
    return end;
}

static void touch_peaks(const cairn_height_field *field, const shape *it, int type, touches *all)
{
    const bool is_box = type == mjGEOM_BOX;
    const cairn_vec3 half_m = is_box ? it->size_m : (cairn_vec3){it->size_m.x, it->size_m.x, it->size_m.y};
    const cairn_vec2 wide_m = {half_along(it, half_m, 0), half_along(it, half_m, 1)};
    const cells under = cells_under(field, it->middle_m, wide_m);
    for (int row = under.row; row <= under.row_end; row++) {
        for (int column = under.column; column <= under.column_end; column++) {
            const cairn_vec3 peak = corner_of(field, column, row);
            if (peak.z <= 0) { continue; }
            const cairn_vec3 local = to_local(it, cairn_vec3_sub(peak, it->middle_m));
            cairn_vec3 outward;
            const double depth_m =
                is_box ? depth_in_box(local, half_m, &outward) : depth_in_cylinder(local, it->size_m, &outward);
            const cairn_vec3 normal = cairn_vec3_scale(from_local(it, outward), -1);
            if (depth_m <= 0 || normal.z < 0) { continue; } // ground does not pull down
            add_touch(all, cairn_vec3_sub(peak, cairn_vec3_scale(normal, 0.5 * depth_m)), normal, -depth_m);
        }
    }
}

static void touch_box(const cairn_height_field *field, const shape *it, touches *all)
{
    cairn_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        const cairn_vec3 signs = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        corners[i] = cairn_vec3_add(it->middle_m, from_local(it, by_parts(signs, it->size_m)));
    }
    touch_points(field, corners, 8, all);
    touch_peaks(field, it, mjGEOM_BOX, all);
}

static void touch_cylinder(const cairn_height_field *field, const shape *it, touches *all)
{
    cairn_vec3 rims[POINTS_MAX];
    for (int i = 0; i < POINTS_MAX; i++) {
        const double angle = 2 * CAIRN_PI * (i % RIM_POINTS) / RIM_POINTS, end = i < RIM_POINTS ? -1 : 1;
        const cairn_vec3 local = {it->size_m.x * cos(angle), it->size_m.x * sin(angle), end * it->size_m.y};
        rims[i] = cairn_vec3_add(it->middle_m, from_local(it, local));
    }
    touch_points(field, rims, POINTS_MAX, all);
    touch_peaks(field, it, mjGEOM_CYLINDER, all);
}

// Balls from one end to the other, about a radius apart.
static void touch_capsule(const cairn_height_field *field, const shape *it, touches *all)
{
    const double r = it->size_m.x;
    const int gaps = (int)fmin(fmax(ceil(2 * it->size_m.y / r), 1), CAPSULE_GAPS_MAX);
    for (int i = 0; i <= gaps; i++) {
        shape ball = *it;
        ball.size_m = (cairn_vec3){r, r, r};
        const double along = (2.0 * i / gaps - 1) * it->size_m.y;
        ball.middle_m = cairn_vec3_add(it->middle_m, cairn_vec3_scale(it->axes[2], along));
        touch_ellipsoid(field, &ball, all);
    }
}

// ---- the library's side

static bool is_new(const touch *it, const touch *kept, int count, bool is_tyre)
{
    for (int i = 0; i < count && is_tyre; i++) {
        if (cairn_vec3_dot(it->normal, kept[i].normal) > SAME_NORMAL_COSINE) { return false; }
    }
    return true;
}

// The deepest, deepest first; of equals the first.
static int keep_deepest(touches *all, int max, bool is_tyre, touch *ret_kept)
{
    int kept = 0;
    for (int i = 0; i < all->count && kept < max; i++) {
        int deepest = i;
        for (int k = i + 1; k < all->count; k++) {
            if (all->list[k].distance_m < all->list[deepest].distance_m) { deepest = k; }
        }
        const touch it = all->list[deepest];
        all->list[deepest] = all->list[i];
        if (is_new(&it, ret_kept, kept, is_tyre)) { ret_kept[kept++] = it; }
    }
    return kept;
}

static shape shape_in_field(const mjModel *model, const mjData *data, int geom, cairn_pose3 field_T_map)
{
    const mjtNum *at = data->geom_xpos + 3 * geom, *turn = data->geom_xmat + 9 * geom;
    const mjtNum *size = model->geom_size + 3 * geom;
    shape it = {.middle_m = cairn_pose3_apply(field_T_map, cairn_mujoco_vec(at)), .size_m = cairn_mujoco_vec(size)};
    for (int i = 0; i < 3; i++) {
        it.axes[i] = cairn_quat_rotate(field_T_map.turn, (cairn_vec3){turn[i], turn[3 + i], turn[6 + i]});
    }
    if (model->geom_type[geom] == mjGEOM_SPHERE) { it.size_m = (cairn_vec3){size[0], size[0], size[0]}; }
    return it;
}

static int collide_field(const mjModel *model, const mjData *data, const cairn_height_field *field, int geom,
                         mjContact *ret_contacts)
{
    const cairn_pose3 map_T_field = cairn_pose3_from_pose2(field->map_T_field, field->foot_m);
    const shape it = shape_in_field(model, data, geom, cairn_pose3_inverse(map_T_field));
    if (it.middle_m.z - model->geom_rbound[geom] > (double)field->height_m_max) { return 0; }
    touches all;
    all.count = 0;
    int max = BOX_CONTACTS_MAX;
    switch (model->geom_type[geom]) {
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
        max = TYRE_CONTACTS_MAX;
        touch_ellipsoid(field, &it, &all);
        break;
    case mjGEOM_CAPSULE:
        max = BELT_CONTACTS_MAX;
        touch_capsule(field, &it, &all);
        break;
    case mjGEOM_CYLINDER: touch_cylinder(field, &it, &all); break;
    default: touch_box(field, &it, &all); // of a mesh the box around it
    }
    touch kept[BOX_CONTACTS_MAX];
    const int count = keep_deepest(&all, max, max == TYRE_CONTACTS_MAX, kept);
    for (int i = 0; i < count; i++) {
        const cairn_vec3 at = cairn_pose3_apply(map_T_field, kept[i].at_m);
        const cairn_vec3 normal = cairn_quat_rotate(map_T_field.turn, kept[i].normal);
        const mjtNum frame[6] = {normal.x, normal.y, normal.z, 0, 0, 0}, place[3] = {at.x, at.y, at.z};
        ret_contacts[i].dist = kept[i].distance_m;
        memcpy(ret_contacts[i].pos, place, sizeof place);
        memcpy(ret_contacts[i].frame, frame, sizeof frame);
    }
    return count;
}

// What the library had for balls.
static mjfCollision collide_balls[mjNGEOMTYPES];

static int collide_party(const mjModel *model, const mjData *data, mjContact *contacts, int field_geom, int geom)
{
    const cairn_physics *physics;
    memcpy(&physics, data->userdata, sizeof(void *));
    const cairn_mujoco_near_state *near = &physics->near[-model->geom_group[field_geom] - 1];
    int count = 0;
    for (uint32_t i = 0; i < near->field_count && count + BOX_CONTACTS_MAX <= mjMAXCONPAIR; i++) {
        count += collide_field(model, data, &physics->arena->fields[near->fields[i]], geom, contacts + count);
    }
    return count;
}

// Of two geoms one is a ball: the one that stands for rough ground (mujoco_near.c), or a ball.
static int collide(const mjModel *model, const mjData *data, mjContact *contacts, int first, int second, mjtNum margin)
{
    if (model->geom_group[first] < 0 && model->geom_type[first] == mjGEOM_SPHERE) {
        return collide_party(model, data, contacts, first, second);
    }
    if (model->geom_group[second] < 0 && model->geom_type[second] == mjGEOM_SPHERE) {
        const int count = collide_party(model, data, contacts, second, first);
        for (int i = 0; i < count; i++) { mju_scl3(contacts[i].frame, contacts[i].frame, -1); }
        return count;
    }
    return collide_balls[model->geom_type[second]](model, data, contacts, first, second, margin);
}

void cairn_mujoco_rough_install(void)
{
    for (int type = mjGEOM_SPHERE; type <= mjGEOM_MESH; type++) {
        collide_balls[type] = mjCOLLISIONFUNC[mjGEOM_SPHERE][type];
        mjCOLLISIONFUNC[mjGEOM_SPHERE][type] = collide;
    }
}

void cairn_mujoco_rough_attach(cairn_physics *physics)
{
    _Static_assert(sizeof(void *) <= sizeof(mjtNum), "a pointer fits into one of the library's numbers");
    CAIRN_ASSERT(physics->model->nuserdata >= 1);
    memcpy(physics->data->userdata, &physics, sizeof(void *));
}
