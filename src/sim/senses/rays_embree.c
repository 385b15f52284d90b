// Rays against triangles, by Embree. Two levels: what stands in the arena is one scene that is built once; blocks are
// another, doors and figures a third, built again when one of them has moved; each kind of robot is another. The scene
// that rays are cast into holds one instance of each of them, so that moving the robots builds a tree over a handful of
// boxes only.
// A filter hides a robot's own body from its own sensors: it is asked only when a ray meets a robot. (Bits of the rays'
// masks were dropped: there are more robots than bits.)
// The instruction set is pinned: what Embree would pick by itself differs between machines with AVX-512 and without.
// Packets of eight coherent rays: three times as fast as single rays.
#include "base/dispatch.h"
#include "sim/physics/robot_shape.h"
#include "sim/senses/rays.h"
#include <embree3/rtcore.h>
#include <stdlib.h>
#include <string.h>

#define LANES 8
#define BOX_CORNERS 8
#define BOX_TRIANGLES 12
#define WHEEL_SIDES 8
#define WHEEL_CORNERS (2 * WHEEL_SIDES)
#define WHEEL_TRIANGLES (2 * WHEEL_SIDES + 2 * (WHEEL_SIDES - 2))
#define OUTSIDE_M 1000.0 // the plane below holes reaches so far beyond the arena, as its floor does

// Triangles while they are being collected.
typedef struct mesh {
    float *corners;      // x, y, z
    uint32_t *triangles; // three corners each
    size_t corner_count, triangle_count;
} mesh;

// Movers that are built together. Blocks mostly lie still, figures walk: one must not make the other be built anew.
typedef struct mover_group {
    uint32_t count;
    uint32_t *movers;   // indices in arena->movers
    cairn_pose3 *poses; // where each is now
    float *celsius;
    mesh mesh;
    RTCGeometry geometry, instance; // held by their scenes
    RTCScene scene;                 // NULL: there are none
    unsigned instance_id;
} mover_group;

#define GROUPS 2 // blocks; doors and figures

struct cairn_rays {
    const cairn_sim_arena *arena;
    uint32_t robot_count;
    RTCDevice device;
    RTCScene scene; // what rays are cast into: instances of all others
    RTCScene world;
    RTCScene kinds[CAIRN_SIM_ROBOTS_MAX]; // one for each robot; robots of one description share it
    RTCGeometry robots[CAIRN_SIM_ROBOTS_MAX];
    unsigned robot_ids[CAIRN_SIM_ROBOTS_MAX]; // of their instances
    cairn_quat turns[CAIRN_SIM_ROBOTS_MAX];   // of the robots
    unsigned world_id;
    uint32_t box_count; // solids that stand
    float *celsius;     // of each of them, in the order of their triangles
    mover_group groups[GROUPS];
};

// What a cast goes with.
typedef struct cast_context {
    struct RTCIntersectContext embree; // first: Embree hands it back
    unsigned own_id;                   // instance that is not to be met
} cast_context;

static void add_corner(mesh *into, cairn_vec3 at)
{
    float *corner = into->corners + 3 * into->corner_count++;
    corner[0] = (float)at.x;
    corner[1] = (float)at.y;
    corner[2] = (float)at.z;
}

static void add_triangle(mesh *into, size_t a, size_t b, size_t c)
{
    uint32_t *triangle = into->triangles + 3 * into->triangle_count++;
    triangle[0] = (uint32_t)a;
    triangle[1] = (uint32_t)b;
    triangle[2] = (uint32_t)c;
}

// Corner i: bit 0 is its side along x, bit 1 along y, bit 2 along z.
static void add_box(mesh *into, cairn_pose3 frame_T_box, cairn_vec3 half)
{
    static const uint8_t faces[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    const size_t first = into->corner_count;
    for (int i = 0; i < BOX_CORNERS; i++) {
        const cairn_vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        add_corner(into, cairn_pose3_apply(frame_T_box, corner));
    }
    for (int face = 0; face < 6; face++) {
        const uint8_t *corner = faces[face];
        add_triangle(into, first + corner[0], first + corner[1], first + corner[2]);
        add_triangle(into, first + corner[0], first + corner[2], first + corner[3]);
    }
}

// An octagonal prism, axle along y.
static void add_wheel(mesh *into, cairn_vec3 centre, double radius_m, double half_width_m)
{
    const size_t first = into->corner_count;
    for (int i = 0; i < WHEEL_CORNERS; i++) {
        const double angle = 2 * CAIRN_PI * (i % WHEEL_SIDES) / WHEEL_SIDES;
        const double y_m = i < WHEEL_SIDES ? -half_width_m : half_width_m;
        add_corner(into, cairn_vec3_add(centre, (cairn_vec3){radius_m * cos(angle), y_m, radius_m * sin(angle)}));
    }
    for (size_t i = 0; i < WHEEL_SIDES; i++) {
        const size_t next = (i + 1) % WHEEL_SIDES;
        add_triangle(into, first + i, first + next, first + WHEEL_SIDES + i);
        add_triangle(into, first + next, first + WHEEL_SIDES + next, first + WHEEL_SIDES + i);
    }
    for (size_t i = 1; i + 1 < WHEEL_SIDES; i++) {
        add_triangle(into, first, first + i, first + i + 1);
        add_triangle(into, first + WHEEL_SIDES, first + WHEEL_SIDES + i, first + WHEEL_SIDES + i + 1);
    }
}

static void add_plane(mesh *into, cairn_vec2 from, cairn_vec2 to, double z_m)
{
    const size_t first = into->corner_count;
    for (int i = 0; i < 4; i++) { add_corner(into, (cairn_vec3){i & 1 ? to.x : from.x, i & 2 ? to.y : from.y, z_m}); }
    add_triangle(into, first, first + 1, first + 3);
    add_triangle(into, first, first + 3, first + 2);
}

// The floor is a rectangle; where there are holes it is made of solids, and this lies far below them.
static void add_floor(mesh *into, const cairn_sim_arena *arena)
{
    const cairn_vec2 size = arena->size_m;
    if (!arena->has_holes) {
        add_plane(into, (cairn_vec2){0, 0}, size, 0);
        return;
    }
    add_plane(into, (cairn_vec2){-OUTSIDE_M, -OUTSIDE_M}, (cairn_vec2){size.x + OUTSIDE_M, size.y + OUTSIDE_M},
              CAIRN_ABYSS_M);
}

static void add_field(mesh *into, const cairn_height_field *field)
{
    for (uint32_t row = 0; row < field->rows; row++) {
        for (uint32_t column = 0; column < field->columns; column++) {
            const cairn_vec2 at = {column * field->cell_m, row * field->cell_m};
            const cairn_vec2 in_map = cairn_pose2_apply(field->map_T_field, at);
            const double z_m = field->foot_m + (double)field->height_m[(size_t)row * field->columns + column];
            add_corner(into, (cairn_vec3){in_map.x, in_map.y, z_m});
        }
    }
    for (size_t row = 0; row + 1 < field->rows; row++) {
        for (size_t column = 0; column + 1 < field->columns; column++) {
            const size_t corner = row * field->columns + column, above = corner + field->columns;
            add_triangle(into, corner, corner + 1, above + 1);
            add_triangle(into, corner, above + 1, above);
        }
    }
}

// ---- building

// A geometry with room for so many corners and triangles, for which *ret_mesh is to be filled. NULL: no memory.
static RTCGeometry begin_mesh(RTCDevice device, size_t corners, size_t triangles, mesh *ret_mesh)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) { return NULL; }
    *ret_mesh = (mesh){.corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                          3 * sizeof(float), corners),
                       .triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                            3 * sizeof(uint32_t), triangles)};
    if (ret_mesh->corners && ret_mesh->triangles) { return geometry; }
    rtcReleaseGeometry(geometry);
    return NULL;
}

// Robust: no ray slips through between two triangles.
static RTCScene new_scene(RTCDevice device, enum RTCBuildQuality quality)
{
    RTCScene scene = rtcNewScene(device);
    if (!scene) { return NULL; }
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene, quality);
    return scene;
}

static void attach_mesh(RTCScene scene, RTCGeometry geometry)
{
    rtcSetGeometryMask(geometry, 0xffffffffu);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry); // the scene holds it now
}

static bool is_mover(const cairn_sim_arena *arena, uint32_t solid)
{
    return arena->mover_count > 0 && cairn_solid_moves(&arena->solids[solid]);
}

// What stands: boxes and the floor are one mesh, each height field another.
static bool build_world(cairn_rays *rays)
{
    const cairn_sim_arena *arena = rays->arena;
    rays->world = new_scene(rays->device, RTC_BUILD_QUALITY_HIGH);
    rays->celsius = calloc((size_t)arena->solid_count + 1, sizeof *rays->celsius);
    mesh into;
    RTCGeometry boxes = begin_mesh(rays->device, BOX_CORNERS * (size_t)(arena->solid_count - arena->mover_count) + 4,
                                   BOX_TRIANGLES * (size_t)(arena->solid_count - arena->mover_count) + 2, &into);
    if (!rays->world || !rays->celsius || !boxes) { return false; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (is_mover(arena, i)) { continue; }
        add_box(&into, arena->solids[i].map_T_box, arena->solids[i].half_m);
        rays->celsius[rays->box_count++] = (float)arena->solids[i].temperature_c;
    }
    CAIRN_ASSERT(rays->box_count == arena->solid_count - arena->mover_count);
    add_floor(&into, arena);
    attach_mesh(rays->world, boxes);
    for (uint32_t i = 0; i < arena->field_count; i++) {
        const cairn_height_field *field = &arena->fields[i];
        RTCGeometry ground = begin_mesh(rays->device, (size_t)field->columns * field->rows,
                                        2 * (size_t)(field->columns - 1) * (field->rows - 1), &into);
        if (!ground) { return false; }
        add_field(&into, field);
        attach_mesh(rays->world, ground);
    }
    rtcCommitScene(rays->world);
    return true;
}

// A robot's sensors do not meet its own body. Embree has a reader of such packets for C++ only: seven fields of N
// values each come before the instance's.
static void hide_own_body(const struct RTCFilterFunctionNArguments *args)
{
    const cast_context *context = (const cast_context *)args->context;
    const unsigned *instances = (const unsigned *)args->hit + 7 * (size_t)args->N;
    for (unsigned i = 0; i < args->N; i++) {
        if (instances[i] == context->own_id) { args->valid[i] = 0; }
    }
}

static RTCScene build_robot(RTCDevice device, const cairn_body_description *robot)
{
    const cairn_robot_shape shape = cairn_robot_shape_of(robot);
    const size_t boxes = 1 + (shape.has_head ? 1 : 0) + (shape.has_belts ? 2 : 0);
    mesh into;
    RTCGeometry geometry = begin_mesh(device, BOX_CORNERS * boxes + WHEEL_CORNERS * CAIRN_WHEELS_MAX,
                                      BOX_TRIANGLES * boxes + WHEEL_TRIANGLES * CAIRN_WHEELS_MAX, &into);
    if (!geometry) { return NULL; }
    const cairn_quat level = cairn_quat_identity();
    add_box(&into, (cairn_pose3){shape.hull_centre_m, level}, shape.hull_half_m);
    if (shape.has_head) { add_box(&into, (cairn_pose3){shape.head_centre_m, level}, shape.head_half_m); }
    for (int i = 0; shape.has_belts && i < 2; i++) {
        add_box(&into, (cairn_pose3){shape.belt_centre_m[i], level}, shape.belt_half_m);
    }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        add_wheel(&into, shape.wheel_centre_m[i], shape.wheel_radius_m, shape.wheel_half_width_m);
    }
    RTCScene scene = new_scene(device, RTC_BUILD_QUALITY_HIGH);
    if (!scene) {
        rtcReleaseGeometry(geometry);
        return NULL;
    }
    rtcSetGeometryIntersectFilterFunction(geometry, hide_own_body);
    attach_mesh(scene, geometry);
    rtcCommitScene(scene);
    return scene;
}

// Attaches an instance of a scene to the scene that rays are cast into; NULL when there is no memory.
static RTCGeometry attach_instance(cairn_rays *rays, RTCScene of, unsigned *ret_id)
{
    RTCGeometry instance = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_INSTANCE);
    if (!instance) { return NULL; }
    rtcSetGeometryInstancedScene(instance, of);
    rtcSetGeometryTimeStepCount(instance, 1);
    rtcSetGeometryMask(instance, 0xffffffffu);
    rtcCommitGeometry(instance);
    *ret_id = rtcAttachGeometry(rays->scene, instance);
    rtcReleaseGeometry(instance); // the scene holds it now
    return instance;
}

static void place_instance(RTCGeometry instance, cairn_pose3 pose)
{
    const cairn_vec3 x = cairn_quat_rotate(pose.turn, (cairn_vec3){1, 0, 0});
    const cairn_vec3 y = cairn_quat_rotate(pose.turn, (cairn_vec3){0, 1, 0});
    const cairn_vec3 z = cairn_vec3_cross(x, y), at = pose.at_m;
    const float columns[12] = {(float)x.x, (float)x.y, (float)x.z, (float)y.x,  (float)y.y,  (float)y.z,
                               (float)z.x, (float)z.y, (float)z.z, (float)at.x, (float)at.y, (float)at.z};
    rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, columns);
    rtcCommitGeometry(instance);
}

static const char *device_settings(void)
{
#if defined(__x86_64__)
    return cairn_isa_best() >= CAIRN_ISA_AVX2 ? "threads=1,isa=avx2" : "threads=1,isa=sse4.2";
#else
    return "threads=1";
#endif
}

static bool build_robots(cairn_rays *rays, const cairn_rays_def *def)
{
    for (uint32_t robot = 0; robot < def->robot_count; robot++) {
        for (uint32_t earlier = 0; earlier < robot && !rays->kinds[robot]; earlier++) {
            if (def->robots[earlier] != def->robots[robot]) { continue; }
            rays->kinds[robot] = rays->kinds[earlier];
            rtcRetainScene(rays->kinds[robot]);
        }
        if (!rays->kinds[robot]) { rays->kinds[robot] = build_robot(rays->device, def->robots[robot]); }
        if (!rays->kinds[robot]) { return false; }
        rays->robots[robot] = attach_instance(rays, rays->kinds[robot], &rays->robot_ids[robot]);
        if (!rays->robots[robot]) { return false; }
        place_instance(rays->robots[robot], (cairn_pose3){{0, 0, -1000}, cairn_quat_identity()}); // until it is set
    }
    return true;
}

// ---- movers

static int group_of(const cairn_mover *mover) { return mover->kind == CAIRN_SOLID_BLOCK ? 0 : 1; }

static const cairn_solid *solid_of(const cairn_rays *rays, const mover_group *group, uint32_t at)
{
    return &rays->arena->solids[rays->arena->movers[group->movers[at]].solid];
}

static void set_mover(const cairn_rays *rays, mover_group *group, uint32_t at, cairn_pose3 map_T_box)
{
    group->poses[at] = map_T_box;
    group->mesh.corner_count = (size_t)at * BOX_CORNERS;
    group->mesh.triangle_count = (size_t)at * BOX_TRIANGLES;
    add_box(&group->mesh, map_T_box, solid_of(rays, group, at)->half_m);
}

static bool take_group(mover_group *group, const cairn_sim_arena *arena, int which)
{
    for (uint32_t i = 0; i < arena->mover_count; i++) { group->count += group_of(&arena->movers[i]) == which; }
    if (group->count == 0) { return true; }
    group->movers = calloc(group->count, sizeof *group->movers);
    group->poses = calloc(group->count, sizeof *group->poses);
    group->celsius = calloc(group->count, sizeof *group->celsius);
    if (!group->movers || !group->poses || !group->celsius) { return false; }
    uint32_t at = 0;
    for (uint32_t i = 0; i < arena->mover_count; i++) {
        if (group_of(&arena->movers[i]) == which) { group->movers[at++] = i; }
    }
    return true;
}

static bool build_group(cairn_rays *rays, int which)
{
    mover_group *group = &rays->groups[which];
    if (!take_group(group, rays->arena, which)) { return false; }
    if (group->count == 0) { return true; }
    group->scene = new_scene(rays->device, RTC_BUILD_QUALITY_MEDIUM);
    group->geometry = begin_mesh(rays->device, BOX_CORNERS * (size_t)group->count, BOX_TRIANGLES * (size_t)group->count,
                                 &group->mesh);
    if (!group->scene || !group->geometry) { return false; }
    for (uint32_t i = 0; i < group->count; i++) {
        set_mover(rays, group, i, solid_of(rays, group, i)->map_T_box);
        group->celsius[i] = (float)solid_of(rays, group, i)->temperature_c;
    }
    attach_mesh(group->scene, group->geometry);
    rtcCommitScene(group->scene);
    group->instance = attach_instance(rays, group->scene, &group->instance_id);
    return group->instance != NULL;
}

static bool move_group(cairn_rays *rays, mover_group *group, const cairn_pose3 *map_T_box)
{
    bool moved = false;
    for (uint32_t i = 0; i < group->count; i++) {
        const cairn_pose3 pose = map_T_box[group->movers[i]];
        if (cairn_pose3_is_same(pose, group->poses[i])) { continue; }
        set_mover(rays, group, i, pose);
        moved = true;
    }
    if (!moved) { return false; }
    rtcUpdateGeometryBuffer(group->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(group->geometry);
    rtcCommitScene(group->scene);
    rtcCommitGeometry(group->instance);
    return true;
}

static void embree_set_movers(cairn_rays *rays, const cairn_pose3 *map_T_box)
{
    bool moved = false;
    for (int i = 0; i < GROUPS; i++) { moved |= move_group(rays, &rays->groups[i], map_T_box); }
    if (moved) { rtcCommitScene(rays->scene); }
}

// ---- making

static bool build(cairn_rays *rays, const cairn_rays_def *def)
{
    rays->scene = new_scene(rays->device, RTC_BUILD_QUALITY_MEDIUM);
    if (!rays->scene || !build_world(rays)) { return false; }
    if (!attach_instance(rays, rays->world, &rays->world_id)) { return false; }
    for (int i = 0; i < GROUPS; i++) {
        if (!build_group(rays, i)) { return false; }
    }
    if (!build_robots(rays, def)) { return false; }
    rtcCommitScene(rays->scene);
    return rtcGetDeviceError(rays->device) == RTC_ERROR_NONE;
}

static void destroy_group(mover_group *group)
{
    if (group->scene) { rtcReleaseScene(group->scene); }
    free(group->movers);
    free(group->poses);
    free(group->celsius);
}

static void embree_destroy(cairn_rays *rays)
{
    if (!rays) { return; }
    if (rays->scene) { rtcReleaseScene(rays->scene); }
    if (rays->world) { rtcReleaseScene(rays->world); }
    for (uint32_t robot = 0; robot < rays->robot_count; robot++) {
        if (rays->kinds[robot]) { rtcReleaseScene(rays->kinds[robot]); }
    }
    for (int i = 0; i < GROUPS; i++) { destroy_group(&rays->groups[i]); }
    if (rays->device) { rtcReleaseDevice(rays->device); }
    free(rays->celsius);
    free(rays);
}

static cairn_err embree_create(const cairn_rays_def *def, cairn_complaints *complaints, cairn_rays **ret_rays)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_rays *rays = calloc(1, sizeof *rays);
    if (!rays) { return CAIRN_ERR_FULL; }
    rays->arena = def->arena;
    rays->robot_count = def->robot_count;
    rays->device = rtcNewDevice(device_settings());
    if (!rays->device || !rtcGetDeviceProperty(rays->device, RTC_DEVICE_PROPERTY_FILTER_FUNCTION_SUPPORTED)) {
        cairn_complain(complaints, NULL, 0,
                       "this Embree cannot be used: it must run on this processor and have filter functions");
        embree_destroy(rays);
        return CAIRN_ERR_UNSUPPORTED;
    }
    if (!build(rays, def)) {
        embree_destroy(rays);
        return CAIRN_ERR_FULL;
    }
    *ret_rays = rays;
    return CAIRN_OK;
}

static void embree_set_robots(cairn_rays *rays, const cairn_pose3 *map_T_base)
{
    for (uint32_t robot = 0; robot < rays->robot_count; robot++) {
        place_instance(rays->robots[robot], map_T_base[robot]);
        rays->turns[robot] = map_T_base[robot].turn;
    }
    rtcCommitScene(rays->scene);
}

// ---- casting

// A ray from a point in a direction of any length; far is in units of that length.
static void set_ray(struct RTCRayHit8 *packet, int lane, cairn_vec3 at, cairn_vec3 direction, float far)
{
    struct RTCRay8 *ray = &packet->ray;
    ray->org_x[lane] = (float)at.x;
    ray->org_y[lane] = (float)at.y;
    ray->org_z[lane] = (float)at.z;
    ray->dir_x[lane] = (float)direction.x;
    ray->dir_y[lane] = (float)direction.y;
    ray->dir_z[lane] = (float)direction.z;
    ray->tnear[lane] = 0;
    ray->tfar[lane] = far;
    ray->time[lane] = 0;
    ray->mask[lane] = 0xffffffffu;
    ray->id[lane] = 0;
    ray->flags[lane] = 0;
    packet->hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
    packet->hit.primID[lane] = RTC_INVALID_GEOMETRY_ID;
    packet->hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
}

static void cast(const cairn_rays *rays, uint32_t robot, int used, struct RTCRayHit8 *packet)
{
    _Alignas(32) int valid[LANES];
    for (int lane = 0; lane < LANES; lane++) { valid[lane] = lane < used ? -1 : 0; }
    cast_context context = {.own_id = rays->robot_ids[robot]};
    rtcInitIntersectContext(&context.embree);
    context.embree.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, rays->scene, &context.embree, packet);
}

// The laser at the first beam of a packet and at that of the next. Between them its turn is far below a
// thousandth, so that its axes may be blended: the error is below 1e-7. From packet to packet the turn is exact.
typedef struct sweep_packet {
    cairn_vec3 at, x, y; // position and axes of the laser
} sweep_packet;

static sweep_packet sweep_at(cairn_vec3 at, cairn_quat turn)
{
    return (sweep_packet){at, cairn_quat_rotate(turn, (cairn_vec3){1, 0, 0}),
                          cairn_quat_rotate(turn, (cairn_vec3){0, 1, 0})};
}

static cairn_vec3 along(cairn_vec3 from, cairn_vec3 to, double part)
{
    return (cairn_vec3){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                        from.z + part * (to.z - from.z)};
}

// Turns the mirror on by one step with each beam: by products, which need no sine for each and round to 1e-13.
static void fill_packet(const sweep_packet *from, const sweep_packet *to, cairn_vec2 step, cairn_vec2 *beam, float far,
                        struct RTCRayHit8 *packet)
{
    for (int lane = 0; lane < LANES; lane++) {
        const double part = lane * (1.0 / LANES), c = beam->x, s = beam->y;
        const cairn_vec3 x = along(from->x, to->x, part), y = along(from->y, to->y, part);
        const cairn_vec3 direction = {c * x.x + s * y.x, c * x.y + s * y.y, c * x.z + s * y.z};
        set_ray(packet, lane, along(from->at, to->at, part), direction, far);
        *beam = (cairn_vec2){c * step.x - s * step.y, c * step.y + s * step.x};
    }
}

static void embree_sweep(const cairn_rays *rays, const cairn_sweep *sweep, float *ret_range_m)
{
    CAIRN_ASSERT(sweep->robot < rays->robot_count);
    const cairn_pose3 start = sweep->map_T_laser_first, end = sweep->map_T_laser_last;
    const double part = sweep->beam_count > 1 ? (double)LANES / (sweep->beam_count - 1) : 0; // of the sweep, a packet
    const cairn_vec3 moved = cairn_vec3_scale(cairn_vec3_sub(end.at_m, start.at_m), part);
    const cairn_vec3 turned = cairn_quat_log(cairn_quat_multiply(cairn_quat_conjugate(start.turn), end.turn));
    const cairn_quat turn_step = cairn_quat_exp(cairn_vec3_scale(turned, part));
    const cairn_vec2 beam_step = {cos(sweep->angle_rad_step), sin(sweep->angle_rad_step)};
    cairn_vec2 beam = {cos(sweep->angle_rad_first), sin(sweep->angle_rad_first)};

    cairn_quat turn = start.turn;
    sweep_packet now = sweep_at(start.at_m, turn);
    for (uint32_t first = 0; first < sweep->beam_count; first += LANES) {
        turn = cairn_quat_multiply(turn, turn_step);
        const sweep_packet next = sweep_at(cairn_vec3_add(now.at, moved), turn);
        struct RTCRayHit8 packet;
        fill_packet(&now, &next, beam_step, &beam, (float)sweep->range_m_max, &packet);
        const uint32_t left = sweep->beam_count - first, used = left < LANES ? left : LANES;
        cast(rays, sweep->robot, (int)used, &packet);
        for (uint32_t lane = 0; lane < used; lane++) {
            const bool hit = packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
            ret_range_m[first + lane] = hit ? packet.ray.tfar[lane] : INFINITY;
        }
        now = next;
    }
}

// Robots, floor and rough ground are as warm as the air.
static float celsius_of(const cairn_rays *rays, const struct RTCHit8 *hit, int lane)
{
    const uint32_t box = hit->primID[lane] / BOX_TRIANGLES; // the floor's two come last
    const unsigned instance = hit->instID[0][lane];
    const float ambient = (float)rays->arena->ambient_c;
    if (hit->geomID[lane] == RTC_INVALID_GEOMETRY_ID) { return ambient; }
    if (instance == rays->world_id) {
        return hit->geomID[lane] == 0 && box < rays->box_count ? rays->celsius[box] : ambient;
    }
    for (int i = 0; i < GROUPS; i++) {
        if (rays->groups[i].count > 0 && instance == rays->groups[i].instance_id) {
            return rays->groups[i].celsius[box];
        }
    }
    return ambient;
}

// A pixel's ray is the camera's axis plus so many pixels to the right and down: linear, and as long along the camera's
// x as the focal length in pixels, so that what Embree calls far is depth over that length.
static void embree_picture(const cairn_rays *rays, const cairn_thermal_view *view, double depth_m_max,
                           float *ret_depth_m, float *ret_celsius)
{
    CAIRN_ASSERT(view->robot < rays->robot_count && view->field_rad < CAIRN_PI);
    const double focal_px = 0.5 * view->width_px / tan(0.5 * view->field_rad);
    const cairn_quat turn = view->map_T_camera.turn;
    const cairn_vec3 forward = cairn_quat_rotate(turn, (cairn_vec3){focal_px, 0, 0});
    const cairn_vec3 right = cairn_quat_rotate(turn, (cairn_vec3){0, -1, 0});
    const cairn_vec3 down = cairn_quat_rotate(turn, (cairn_vec3){0, 0, -1});
    const float focal = (float)focal_px;
    for (uint32_t row = 0; row < view->height_px; row++) {
        const cairn_vec3 middle = cairn_vec3_add(forward, cairn_vec3_scale(down, row + 0.5 - 0.5 * view->height_px));
        for (uint32_t first = 0; first < view->width_px; first += LANES) {
            struct RTCRayHit8 packet;
            const int used = view->width_px - first < LANES ? (int)(view->width_px - first) : LANES;
            for (int lane = 0; lane < used; lane++) {
                const double column = first + (uint32_t)lane + 0.5 - 0.5 * view->width_px;
                const cairn_vec3 direction = cairn_vec3_add(middle, cairn_vec3_scale(right, column));
                set_ray(&packet, lane, view->map_T_camera.at_m, direction, INFINITY);
            }
            cast(rays, view->robot, used, &packet);
            const size_t pixel = row * (size_t)view->width_px + first;
            for (int lane = 0; lane < used; lane++) {
                if (ret_celsius) { ret_celsius[pixel + (size_t)lane] = celsius_of(rays, &packet.hit, lane); }
                if (!ret_depth_m) { continue; }
                const float depth_m = focal * packet.ray.tfar[lane];
                ret_depth_m[pixel + (size_t)lane] = depth_m <= (float)depth_m_max ? depth_m : INFINITY;
            }
        }
    }
}

static void embree_thermal(const cairn_rays *rays, const cairn_thermal_view *view, float *ret_celsius)
{
    embree_picture(rays, view, INFINITY, NULL, ret_celsius);
}

// Embree's normals are in the axes of what was met: those of robots are turned, all others' are the map's.
static float cosine_of(const cairn_rays *rays, const struct RTCRayHit8 *packet, int lane, cairn_vec3 direction)
{
    cairn_vec3 normal = {(double)packet->hit.Ng_x[lane], (double)packet->hit.Ng_y[lane],
                         (double)packet->hit.Ng_z[lane]};
    for (uint32_t robot = 0; robot < rays->robot_count; robot++) {
        if (packet->hit.instID[0][lane] != rays->robot_ids[robot]) { continue; }
        normal = cairn_quat_rotate(rays->turns[robot], normal);
    }
    const double length = cairn_vec3_length(normal);
    return length > 0 ? (float)fmin(fabs(cairn_vec3_dot(normal, direction)) / length, 1) : 0;
}

static void embree_cast(const cairn_rays *rays, const cairn_cast *def, cairn_ray_hit *ret_hits)
{
    CAIRN_ASSERT(def->robot < rays->robot_count);
    for (uint32_t first = 0; first < def->ray_count; first += LANES) {
        struct RTCRayHit8 packet;
        cairn_vec3 directions[LANES];
        const int used = def->ray_count - first < LANES ? (int)(def->ray_count - first) : LANES;
        for (int lane = 0; lane < used; lane++) {
            directions[lane] = cairn_quat_rotate(def->map_T_sensor.turn, def->directions[first + (uint32_t)lane]);
            set_ray(&packet, lane, def->map_T_sensor.at_m, directions[lane], (float)def->range_m_max);
        }
        cast(rays, def->robot, used, &packet);
        for (int lane = 0; lane < used; lane++) {
            const bool hit = packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
            ret_hits[first + (uint32_t)lane] =
                hit ? (cairn_ray_hit){packet.ray.tfar[lane], cosine_of(rays, &packet, lane, directions[lane])}
                    : (cairn_ray_hit){INFINITY, 0};
        }
    }
}

const cairn_rays_kind cairn_rays_embree = {.name = "embree",
                                           .create = embree_create,
                                           .destroy = embree_destroy,
                                           .set_robots = embree_set_robots,
                                           .set_movers = embree_set_movers,
                                           .sweep = embree_sweep,
                                           .thermal = embree_thermal,
                                           .picture = embree_picture,
                                           .cast = embree_cast};
