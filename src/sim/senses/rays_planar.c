// rays_planar.c - a laser's sweep as a picture of one line, drawn by rays_planar_kernels.c.
//
// While the robot stands level all beams of a sweep lie in one horizontal plane, at the laser's height in the middle of
// the sweep: in an upper storey it cuts what is there. Upright boxes are kept ready; what is tilted (ramps, robots on
// ramps) is cut by the plane anew for each sweep. Height fields are not seen by these sweeps: they end below lasers.
// The laser of a robot that leans leans with it: its beams are cast in space, one by one.
#include "sim/senses/rays_planar.h"
#include "sim/physics/robot_shape.h"
#include <stdlib.h>
#include <string.h>

// A box is upright if its top leans less than this [-]: a tenth of a millimetre over ten metres.
#define LEAN_MAX 1e-5
// Lasers that lean by more than this [rad] look along their own plane: 2 cm over 4 m.
#define LEANS_RAD 0.005
#define GROUP_BEAMS 32 // of a sweep in space, cast from one pose: in their time no robot moves by a millimetre
// Solids that differ from the air by less than this are not looked for.
#define WARM_K_MIN 0.01
// Flocks: boxes are sorted by tiles of this edge, those of a larger radius than LARGE_M are looked at by every sweep.
// Circles are rounded to single precision, which is good to FLOCK_MARGIN_M.
#define TILE_M 4.0
#define LARGE_M 15.0
#define FLOCK_MARGIN_M 1e-2

static const cairn_kernel cast_kernel = {"planar_cast", CAIRN_KERNEL_VARIANTS(cairn_planar_cast)};
static const cairn_kernel paint_kernel = {"planar_paint", CAIRN_KERNEL_VARIANTS(cairn_planar_paint)};

static cairn_planar_thing thing_of(cairn_pose3 map_T_box, cairn_vec3 half_m, double celsius)
{
    cairn_planar_thing thing = {
        .map_T_box = map_T_box, .half_m = half_m, .radius_m = cairn_vec3_length(half_m), .celsius = (float)celsius};
    thing.arms_m[0] = cairn_quat_rotate(map_T_box.turn, (cairn_vec3){half_m.x, 0, 0});
    thing.arms_m[1] = cairn_quat_rotate(map_T_box.turn, (cairn_vec3){0, half_m.y, 0});
    thing.arms_m[2] = cairn_quat_rotate(map_T_box.turn, (cairn_vec3){0, 0, half_m.z});
    for (int i = 0; i < 3; i++) { thing.half_z_m += fabs(thing.arms_m[i].z); }
    thing.upright = fabs(thing.arms_m[0].z) < LEAN_MAX * half_m.x && fabs(thing.arms_m[1].z) < LEAN_MAX * half_m.y;
    return thing;
}

// ---- making

static void set_box(cairn_rays *rays, uint32_t at, const cairn_planar_thing *thing)
{
    const cairn_pose2 pose = cairn_pose3_to_pose2(thing->map_T_box);
    const double z_m = thing->map_T_box.at_m.z;
    const cairn_planar_box box = {.x_m = pose.x_m,
                                  .y_m = pose.y_m,
                                  .axis_x = cos(pose.yaw_rad),
                                  .axis_y = sin(pose.yaw_rad),
                                  .half_x_m = thing->half_m.x,
                                  .half_y_m = thing->half_m.y,
                                  .bottom_m = z_m - thing->half_m.z,
                                  .top_m = z_m + thing->half_m.z};
    const cairn_planar_fields *fields = &rays->fields;
    rays->boxes[at] = box;
    fields->x_m[at] = (float)box.x_m;
    fields->y_m[at] = (float)box.y_m;
    fields->axis_x[at] = (float)box.axis_x;
    fields->axis_y[at] = (float)box.axis_y;
    fields->half_x_m[at] = (float)box.half_x_m;
    fields->half_y_m[at] = (float)box.half_y_m;
    fields->bottom_m[at] = (float)box.bottom_m;
    fields->top_m[at] = (float)box.top_m;
    fields->yaw_rad[at] = (float)pose.yaw_rad;
}

static uint32_t upright_count(const cairn_rays *rays)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rays->thing_count; i++) { count += rays->things[i].upright; }
    return count;
}

static cairn_err take_boxes(cairn_rays *rays)
{
    cairn_planar_fields *fields = &rays->fields;
    const uint32_t flock_count = (upright_count(rays) + CAIRN_PLANAR_FLOCK - 1) / CAIRN_PLANAR_FLOCK;
    fields->count = flock_count * CAIRN_PLANAR_FLOCK;
    float **const columns[] = {&fields->x_m,      &fields->y_m,      &fields->axis_x,
                               &fields->axis_y,   &fields->half_x_m, &fields->half_y_m,
                               &fields->bottom_m, &fields->top_m,    &fields->yaw_rad};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        *columns[i] = CAIRN_TAKE(&rays->memory, float, fields->count);
        if (!*columns[i]) { return CAIRN_ERR_FULL; }
    }
    fields->flocks = CAIRN_TAKE(&rays->memory, cairn_planar_flock, flock_count);
    rays->boxes = CAIRN_TAKE(&rays->memory, cairn_planar_box, fields->count);
    return fields->flocks && rays->boxes ? CAIRN_OK : CAIRN_ERR_FULL;
}

// No plane cuts it.
static void empty_box(cairn_rays *rays, uint32_t at)
{
    rays->boxes[at] = (cairn_planar_box){.axis_x = 1, .bottom_m = 1, .top_m = 0};
    rays->fields.axis_x[at] = 1;
    rays->fields.bottom_m[at] = 1;
    rays->fields.top_m[at] = 0;
}

static void note_box(cairn_rays *rays, uint32_t thing, uint32_t box)
{
    for (uint32_t i = 0; i < rays->arena->mover_count; i++) {
        if (rays->movers[i].thing == thing) { rays->movers[i].box = box; }
    }
}

// Where a thing comes among the boxes: along a curve through square tiles that keeps neighbours together. What moves,
// or is so large that its flock would be in everybody's range, comes last.
typedef struct box_turn {
    uint32_t along, thing;
} box_turn;

static uint32_t spread_bits(uint32_t value) // 16 bits to every other one of 32
{
    value = (value | value << 8) & 0x00FF00FF;
    value = (value | value << 4) & 0x0F0F0F0F;
    value = (value | value << 2) & 0x33333333;
    return (value | value << 1) & 0x55555555;
}

static uint32_t tile_of(double at_m) { return (uint32_t)fmin(fmax(at_m / TILE_M + 16384, 0), 32767); }

static box_turn turn_of(const cairn_rays *rays, uint32_t thing)
{
    const cairn_planar_thing *placed = &rays->things[thing];
    if (cairn_solid_moves(&rays->arena->solids[thing]) || placed->radius_m > LARGE_M) {
        return (box_turn){UINT32_MAX, thing};
    }
    const uint32_t x = tile_of(placed->map_T_box.at_m.x), y = tile_of(placed->map_T_box.at_m.y);
    return (box_turn){spread_bits(x) | spread_bits(y) << 1, thing};
}

static int by_turn(const void *left, const void *right)
{
    const box_turn *a = left, *b = right;
    if (a->along != b->along) { return a->along < b->along ? -1 : 1; }
    return a->thing < b->thing ? -1 : 1;
}

static bool is_anywhere(const cairn_rays *rays, uint32_t thing) { return turn_of(rays, thing).along == UINT32_MAX; }

static cairn_planar_flock flock_around(const cairn_rays *rays, const box_turn *turns, uint32_t count)
{
    cairn_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        const cairn_planar_thing *thing = &rays->things[turns[i].thing];
        if (is_anywhere(rays, turns[i].thing)) { return (cairn_planar_flock){.radius_m = INFINITY}; }
        const cairn_vec3 at = thing->map_T_box.at_m;
        low = (cairn_vec2){fmin(low.x, at.x - thing->radius_m), fmin(low.y, at.y - thing->radius_m)};
        high = (cairn_vec2){fmax(high.x, at.x + thing->radius_m), fmax(high.y, at.y + thing->radius_m)};
    }
    return (cairn_planar_flock){.x_m = (float)(0.5 * (low.x + high.x)),
                                .y_m = (float)(0.5 * (low.y + high.y)),
                                .radius_m = (float)(0.5 * cairn_vec2_distance(low, high) + FLOCK_MARGIN_M)};
}

static cairn_err fill_boxes(cairn_rays *rays)
{
    box_turn *turns = calloc(rays->fields.count + 1, sizeof *turns);
    if (!turns) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    for (uint32_t i = 0; i < rays->thing_count; i++) {
        if (rays->things[i].upright) { turns[count++] = turn_of(rays, i); }
    }
    qsort(turns, count, sizeof *turns, by_turn);
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t thing = turns[at].thing;
        if (cairn_solid_moves(&rays->arena->solids[thing])) { note_box(rays, thing, at); }
        set_box(rays, at, &rays->things[thing]);
    }
    for (uint32_t at = count; at < rays->fields.count; at++) { empty_box(rays, at); }
    for (uint32_t first = 0; first < count; first += CAIRN_PLANAR_FLOCK) {
        const uint32_t left = count - first;
        rays->fields.flocks[first / CAIRN_PLANAR_FLOCK] =
            flock_around(rays, turns + first, left < CAIRN_PLANAR_FLOCK ? left : CAIRN_PLANAR_FLOCK);
    }
    free(turns);
    return CAIRN_OK;
}

static cairn_err take_things(cairn_rays *rays)
{
    rays->thing_count = rays->arena->solid_count;
    rays->things = CAIRN_TAKE(&rays->memory, cairn_planar_thing, rays->thing_count);
    rays->tilted = CAIRN_TAKE(&rays->memory, uint32_t, rays->thing_count);
    rays->warm = CAIRN_TAKE(&rays->memory, uint32_t, rays->thing_count);
    rays->movers = CAIRN_TAKE(&rays->memory, cairn_planar_seen_mover, rays->arena->mover_count + 1);
    if (!rays->things || !rays->tilted || !rays->warm || !rays->movers) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < rays->arena->mover_count; i++) {
        rays->movers[i] = (cairn_planar_seen_mover){rays->arena->movers[i].solid, CAIRN_PLANAR_NO_BOX};
    }
    for (uint32_t i = 0; i < rays->thing_count; i++) {
        const cairn_solid *solid = &rays->arena->solids[i];
        rays->things[i] = thing_of(solid->map_T_box, solid->half_m, solid->temperature_c);
        if (!rays->things[i].upright && !cairn_solid_moves(solid)) { rays->tilted[rays->tilted_count++] = i; }
        if (fabs(solid->temperature_c - rays->arena->ambient_c) >= WARM_K_MIN) { rays->warm[rays->warm_count++] = i; }
    }
    return CAIRN_OK;
}

static cairn_err take_hills(cairn_rays *rays)
{
    rays->hills = CAIRN_TAKE(&rays->memory, cairn_planar_hill, rays->arena->field_count + 1);
    if (!rays->hills) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < rays->arena->field_count; i++) {
        const cairn_height_field *field = &rays->arena->fields[i];
        const cairn_pose3 map_T_field = cairn_pose3_from_pose2(field->map_T_field, field->foot_m);
        const cairn_vec3 half_m = {0.5 * (field->columns - 1) * field->cell_m, 0.5 * (field->rows - 1) * field->cell_m,
                                   0.5 * (double)field->height_m_max + 1e-6};
        rays->hills[i] = (cairn_planar_hill){.field = field,
                                             .map_T_field = map_T_field,
                                             .field_T_map = cairn_pose3_inverse(map_T_field),
                                             .half_m = half_m,
                                             .middle_m = cairn_pose3_apply(map_T_field, half_m)};
    }
    return CAIRN_OK;
}

static cairn_err take_robot(cairn_rays *rays, cairn_planar_robot *robot, const cairn_body_description *description)
{
    const cairn_robot_shape shape = cairn_robot_shape_of(description);
    robot->centre_m[robot->box_count] = shape.hull_centre_m;
    robot->half_m[robot->box_count++] = shape.hull_half_m;
    if (shape.has_head) {
        robot->centre_m[robot->box_count] = shape.head_centre_m;
        robot->half_m[robot->box_count++] = shape.head_half_m;
    }
    const uint32_t polygon_count =
        rays->tilted_count + rays->arena->mover_count + rays->robot_count * CAIRN_PLANAR_ROBOT_BOXES;
    const uint32_t item_count = rays->fields.count + polygon_count;
    robot->scratch.distance_m = CAIRN_TAKE(&rays->memory, float, item_count);
    robot->scratch.beam_first = CAIRN_TAKE(&rays->memory, int32_t, item_count);
    robot->scratch.beam_last = CAIRN_TAKE(&rays->memory, int32_t, item_count);
    robot->scratch.next = CAIRN_TAKE(&rays->memory, int32_t, item_count);
    robot->polygons = CAIRN_TAKE(&rays->memory, cairn_planar_polygon, polygon_count);
    robot->depth_m = CAIRN_TAKE(&rays->memory, float, CAIRN_PLANAR_PIXELS_MAX);
    robot->celsius = CAIRN_TAKE(&rays->memory, float, CAIRN_PLANAR_PIXELS_MAX);
    robot->sights = CAIRN_TAKE(&rays->memory, cairn_planar_sight, rays->warm_count);
    robot->near =
        CAIRN_TAKE(&rays->memory, cairn_planar_near, rays->thing_count + rays->robot_count * CAIRN_PLANAR_ROBOT_BOXES);
    const bool taken = robot->near && robot->sights && robot->scratch.distance_m && robot->scratch.beam_first &&
                       robot->scratch.beam_last && robot->scratch.next && robot->polygons && robot->depth_m &&
                       robot->celsius;
    return taken ? CAIRN_OK : CAIRN_ERR_FULL;
}

static cairn_err take_robots(cairn_rays *rays, const cairn_rays_def *def)
{
    rays->robots = CAIRN_TAKE(&rays->memory, cairn_planar_robot, def->robot_count);
    if (!rays->robots) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->robot_count; i++) {
        const cairn_err err = take_robot(rays, &rays->robots[i], def->robots[i]);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

// Generous: pages that are never touched cost nothing.
static size_t memory_bytes(const cairn_rays_def *def)
{
    const size_t each_solid = sizeof(cairn_planar_seen_mover) + sizeof(cairn_planar_thing) + sizeof(cairn_planar_box) +
                              32 * sizeof(float); // the flocks, too
    const size_t each_item =
        4 * sizeof(float) + sizeof(cairn_planar_polygon) + sizeof(cairn_planar_sight) + sizeof(cairn_planar_near);
    const size_t solids = def->arena->solid_count + CAIRN_PLANAR_FLOCK;
    const size_t items = solids + def->arena->mover_count + def->robot_count * CAIRN_PLANAR_ROBOT_BOXES;
    const size_t each_robot =
        sizeof(cairn_planar_robot) + items * each_item + 2 * CAIRN_PLANAR_PIXELS_MAX * sizeof(float) + 4096;
    const size_t hills = (def->arena->field_count + 1) * sizeof(cairn_planar_hill);
    return solids * each_solid + hills + def->robot_count * each_robot + 65536;
}

static void planar_destroy(cairn_rays *rays)
{
    if (!rays) { return; }
    cairn_arena_destroy(&rays->memory);
    free(rays);
}

static void planar_set_robots(cairn_rays *rays, const cairn_pose3 *map_T_base)
{
    for (uint32_t i = 0; i < rays->robot_count; i++) {
        cairn_planar_robot *robot = &rays->robots[i];
        for (uint32_t box = 0; box < robot->box_count; box++) {
            const cairn_pose3 base_T_box = {robot->centre_m[box], cairn_quat_identity()};
            robot->things[box] =
                thing_of(cairn_pose3_compose(map_T_base[i], base_T_box), robot->half_m[box], rays->arena->ambient_c);
        }
    }
}

// What has not moved costs a comparison.
static void planar_set_movers(cairn_rays *rays, const cairn_pose3 *map_T_box)
{
    for (uint32_t i = 0; i < rays->arena->mover_count; i++) {
        const cairn_planar_seen_mover *mover = &rays->movers[i];
        cairn_planar_thing *thing = &rays->things[mover->thing];
        if (cairn_pose3_is_same(thing->map_T_box, map_T_box[i])) { continue; }
        *thing = thing_of(map_T_box[i], thing->half_m, (double)thing->celsius);
        if (mover->box == CAIRN_PLANAR_NO_BOX) { continue; }
        if (thing->upright) {
            set_box(rays, mover->box, thing);
        } else {
            empty_box(rays, mover->box);
        }
    }
}

static cairn_err fill_rays(cairn_rays *rays, const cairn_rays_def *def)
{
    cairn_err err = cairn_arena_create(&rays->memory, memory_bytes(def));
    if (err == CAIRN_OK) { err = take_things(rays); }
    if (err == CAIRN_OK) { err = take_boxes(rays); }
    if (err == CAIRN_OK) { err = take_hills(rays); }
    if (err == CAIRN_OK) { err = take_robots(rays, def); }
    if (err == CAIRN_OK) { err = fill_boxes(rays); }
    if (err != CAIRN_OK) { return err; }
    cairn_arena_seal(&rays->memory);
    rays->cast = (cairn_planar_cast_fn)cairn_dispatch(&cast_kernel, cairn_isa_best());
    rays->paint = (cairn_planar_paint_fn)cairn_dispatch(&paint_kernel, cairn_isa_best());
    return CAIRN_OK;
}

static cairn_err planar_create(const cairn_rays_def *def, cairn_complaints *complaints, cairn_rays **ret_rays)
{
    CAIRN_ASSERT(def->arena && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_rays *rays = calloc(1, sizeof *rays);
    if (!rays) { return CAIRN_ERR_FULL; }
    rays->arena = def->arena;
    rays->robot_count = def->robot_count;
    const cairn_err err = fill_rays(rays, def);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, NULL, 0, "the planar rays cannot be made: no memory for %u solids",
                       def->arena->solid_count);
        planar_destroy(rays);
        return err;
    }
    *ret_rays = rays;
    return CAIRN_OK;
}

// ---- what a plane leaves of a box

static void sort_around(cairn_planar_polygon *polygon)
{
    cairn_vec2 centre = {0, 0};
    for (uint32_t i = 0; i < polygon->corner_count; i++) { centre = cairn_vec2_add(centre, polygon->corners_m[i]); }
    centre = cairn_vec2_scale(centre, 1.0 / polygon->corner_count);
    for (uint32_t i = 1; i < polygon->corner_count; i++) {
        const cairn_vec2 corner = polygon->corners_m[i];
        const double angle = atan2(corner.y - centre.y, corner.x - centre.x);
        uint32_t at = i;
        for (; at > 0; at--) {
            const cairn_vec2 before = polygon->corners_m[at - 1];
            if (atan2(before.y - centre.y, before.x - centre.x) <= angle) { break; }
            polygon->corners_m[at] = before;
        }
        polygon->corners_m[at] = corner;
    }
}

static cairn_vec3 corner_of(const cairn_planar_thing *thing, int corner)
{
    cairn_vec3 at = thing->map_T_box.at_m;
    for (int i = 0; i < 3; i++) {
        at = corner >> i & 1 ? cairn_vec3_add(at, thing->arms_m[i]) : cairn_vec3_sub(at, thing->arms_m[i]);
    }
    return at;
}

// Counter-clockwise, as long as z points up.
static cairn_planar_polygon outline_of(const cairn_planar_thing *thing)
{
    static const int around[4] = {0, 1, 3, 2};
    cairn_planar_polygon polygon = {.corner_count = 4};
    for (int i = 0; i < 4; i++) {
        const cairn_vec3 at = corner_of(thing, around[i]);
        polygon.corners_m[i] = (cairn_vec2){at.x, at.y};
    }
    return polygon;
}

// Corners where the box's edges pass through the plane. Two of them may meet in one point: a face of no length
// hides nothing, so they are merged.
static bool cut_tilted(const cairn_planar_thing *thing, double plane_m, cairn_planar_polygon *ret_polygon)
{
    cairn_planar_polygon polygon = {.corner_count = 0};
    for (int from = 0; from < 8; from++) {
        for (int axis = 1; axis < 8; axis <<= 1) {
            const cairn_vec3 a = corner_of(thing, from), b = corner_of(thing, from | axis);
            if ((from & axis) || (a.z < plane_m) == (b.z < plane_m)) { continue; }
            const double part = (plane_m - a.z) / (b.z - a.z);
            const cairn_vec2 at = {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
            bool known = polygon.corner_count == CAIRN_PLANAR_CORNERS_MAX;
            for (uint32_t i = 0; i < polygon.corner_count; i++) {
                known = known || cairn_vec2_distance(at, polygon.corners_m[i]) < 1e-7;
            }
            if (!known) { polygon.corners_m[polygon.corner_count++] = at; }
        }
    }
    if (polygon.corner_count < 3) { return false; }
    sort_around(&polygon);
    *ret_polygon = polygon;
    return true;
}

static bool cut(const cairn_planar_thing *thing, double plane_m, cairn_planar_polygon *ret_polygon)
{
    if (fabs(thing->map_T_box.at_m.z - plane_m) > thing->half_z_m) { return false; }
    if (!thing->upright) { return cut_tilted(thing, plane_m, ret_polygon); }
    *ret_polygon = outline_of(thing);
    return true;
}

static uint32_t cut_all(const cairn_rays *rays, uint32_t robot, double plane_m)
{
    cairn_planar_polygon *polygons = rays->robots[robot].polygons;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rays->tilted_count; i++) {
        count += cut(&rays->things[rays->tilted[i]], plane_m, &polygons[count]);
    }
    for (uint32_t i = 0; i < rays->arena->mover_count; i++) {
        const cairn_planar_thing *thing = &rays->things[rays->movers[i].thing];
        if (thing->upright && rays->movers[i].box != CAIRN_PLANAR_NO_BOX) { continue; }
        count += cut(thing, plane_m, &polygons[count]);
    }
    for (uint32_t other = 0; other < rays->robot_count; other++) {
        for (uint32_t box = 0; other != robot && box < rays->robots[other].box_count; box++) {
            count += cut(&rays->robots[other].things[box], plane_m, &polygons[count]);
        }
    }
    return count;
}

// ---- sweeps

static bool leans(cairn_pose3 map_T_laser)
{
    return cairn_quat_rotate(map_T_laser.turn, (cairn_vec3){0, 0, 1}).z < cos(LEANS_RAD);
}

static void sweep_in_space(const cairn_rays *rays, const cairn_sweep *sweep, float *ret_range_m)
{
    const double gaps = fmax(sweep->beam_count - 1.0, 1.0);
    for (uint32_t first = 0; first < sweep->beam_count; first += GROUP_BEAMS) {
        const uint32_t left = sweep->beam_count - first, count = left < GROUP_BEAMS ? left : GROUP_BEAMS;
        const double part = (first + 0.5 * (count - 1)) / gaps;
        cairn_vec3 directions[GROUP_BEAMS];
        cairn_ray_hit hits[GROUP_BEAMS];
        for (uint32_t i = 0; i < count; i++) {
            const double angle_rad = sweep->angle_rad_first + (first + i) * sweep->angle_rad_step;
            directions[i] = (cairn_vec3){cos(angle_rad), sin(angle_rad), 0};
        }
        const cairn_cast cast = {.robot = sweep->robot,
                                 .map_T_sensor =
                                     cairn_pose3_blend(sweep->map_T_laser_first, sweep->map_T_laser_last, part),
                                 .ray_count = count,
                                 .directions = directions,
                                 .range_m_max = sweep->range_m_max};
        cairn_planar_rays(rays, &cast, hits);
        for (uint32_t i = 0; i < count; i++) { ret_range_m[first + i] = hits[i].range_m; }
    }
}

static void planar_sweep(const cairn_rays *rays, const cairn_sweep *sweep, float *ret_range_m)
{
    CAIRN_ASSERT(sweep->robot < rays->robot_count && sweep->angle_rad_step > 0);
    CAIRN_ASSERT(sweep->beam_count > 0 && sweep->beam_count <= CAIRN_SCAN_BEAMS_MAX);
    if (leans(sweep->map_T_laser_first) || leans(sweep->map_T_laser_last)) {
        sweep_in_space(rays, sweep, ret_range_m);
        return;
    }
    const cairn_pose2 first = cairn_pose3_to_pose2(sweep->map_T_laser_first);
    const bool single = sweep->beam_count == 1; // is the first
    const cairn_pose2 last = single ? first : cairn_pose3_to_pose2(sweep->map_T_laser_last);
    const uint32_t gaps = single ? 1 : sweep->beam_count - 1;
    const double turned_rad = cairn_angle_between(first.yaw_rad, last.yaw_rad);
    cairn_planar_sweep planar = {
        .middle_m = cairn_vec2_scale(cairn_vec2_add(cairn_pose2_at(first), cairn_pose2_at(last)), 0.5),
        .motion_m = cairn_vec2_sub(cairn_pose2_at(last), cairn_pose2_at(first)),
        .plane_m = 0.5 * (sweep->map_T_laser_first.at_m.z + sweep->map_T_laser_last.at_m.z),
        .bearing_rad_first = first.yaw_rad + sweep->angle_rad_first,
        .bearing_rad_step = sweep->angle_rad_step + turned_rad / gaps,
        .range_m_max = sweep->range_m_max,
        .beam_count = sweep->beam_count,
        .fields = &rays->fields,
        .boxes = rays->boxes,
        .polygons = rays->robots[sweep->robot].polygons,
    };
    CAIRN_ASSERT(planar.bearing_rad_step > 0); // a robot that outruns its laser's mirror
    planar.polygon_count = cut_all(rays, sweep->robot, planar.plane_m);
    rays->cast(&planar, &rays->robots[sweep->robot].scratch, ret_range_m);
}

const cairn_rays_kind cairn_rays_planar = {.name = "planar",
                                           .create = planar_create,
                                           .destroy = planar_destroy,
                                           .set_robots = planar_set_robots,
                                           .set_movers = planar_set_movers,
                                           .sweep = planar_sweep,
                                           .thermal = cairn_planar_thermal,
                                           .picture = cairn_planar_picture,
                                           .cast = cairn_planar_rays};
