// scene.c - doors, figures and hazards.
//
// Whatever moves asks first where it would be after the next step: it waits if that is too near to something, and
// nearer than it is now. So it may always move away from what came close to it by itself.
#include "sim/scene.h"
#include "base/random.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include "sim/physics/planar/planar_contacts.h"
#include <stdlib.h>
#include <string.h>

#define DOOR_CLEAR_M 0.02         // that a leaf keeps from what is in its way
#define FIGURE_CLEAR_M 0.5        // that a figure keeps from robots
#define FIGURE_CLEAR_THINGS_M 0.1 // and from doors and blocks
#define FIGURE_STEP_M 0.3         // that a figure climbs
#define HAZARD_STEPS 25           // between two looks of a hazard: 0.1 s

_Static_assert(CAIRN_SIM_ROBOTS_MAX <= 64, "robots are bits of a mask");

static const double STEP_S = (double)CAIRN_PHYSICS_STEP_NS * 1e-9;

typedef struct door_state {
    double opened; // [-] 0 shut .. 1 open
    double wanted; // 0 or 1
} door_state;

typedef struct figure_state {
    double walked_m; // of the way there and back
    double gone_off; // 0 or 1: a hazard that has
} figure_state;

// A box as it stands in the way of others.
typedef struct standing_box {
    cairn_rect rect;
    double bottom_m, top_m;
    double reach_m; // no part is further from its middle
} standing_box;

struct cairn_scene {
    cairn_scene_def def; // but for its robots, which are here
    const cairn_body_description *bodies[CAIRN_SIM_ROBOTS_MAX];
    uint32_t block_first, figure_first; // among the movers
    int64_t step;
    cairn_random shakes;
    door_state *doors;
    figure_state *figures;
    uint32_t swinging_count; // doors that are not where they are wanted
    bool has_walkers, has_hazards;
    bool robots_known; // the two below are of this step
    cairn_pose3 map_T_base[CAIRN_SIM_ROBOTS_MAX];
    standing_box robots[CAIRN_SIM_ROBOTS_MAX];
};

// ---- what stands in the way

static standing_box box_at(cairn_pose3 map_T_box, cairn_vec3 half_m)
{
    const double half_z_m = cairn_box_half_z_m(map_T_box, half_m);
    return (standing_box){cairn_rect_of_box(map_T_box, half_m), map_T_box.at_m.z - half_z_m,
                          map_T_box.at_m.z + half_z_m, cairn_vec3_length(half_m)};
}

static const cairn_solid *solid_of(const cairn_scene *scene, uint32_t mover)
{
    return &scene->def.arena->solids[scene->def.arena->movers[mover].solid];
}

static cairn_pose3 mover_pose(const cairn_scene *scene, uint32_t mover)
{
    return scene->def.physics_kind->mover(scene->def.physics, mover);
}

static void look_at_robots(cairn_scene *scene)
{
    if (scene->robots_known) { return; }
    for (uint32_t i = 0; i < scene->def.robot_count; i++) {
        const cairn_body_description *robot = scene->bodies[i];
        cairn_robot_truth truth;
        scene->def.physics_kind->truth(scene->def.physics, i, &truth);
        const cairn_pose3 base_T_middle = {{0, 0, 0.5 * robot->height_m}, cairn_quat_identity()};
        scene->map_T_base[i] = truth.map_T_base;
        scene->robots[i] = box_at(cairn_pose3_compose(truth.map_T_base, base_T_middle),
                                  (cairn_vec3){0.5 * robot->length_m, 0.5 * robot->width_m, 0.5 * robot->height_m});
    }
    scene->robots_known = true;
}

static bool is_far(const standing_box *from, cairn_vec2 at_m, double reach_m, double clear_m)
{
    const cairn_vec2 apart = cairn_vec2_sub(at_m, from->rect.centre_m);
    const double near_m = from->reach_m + reach_m + clear_m;
    return cairn_vec2_dot(apart, apart) > near_m * near_m;
}

static bool is_in_the_way(const standing_box *now, const standing_box *next, const standing_box *other, double clear_m)
{
    if (other->bottom_m > next->top_m || other->top_m < next->bottom_m) { return false; }
    cairn_rect_contact at_next, at_now;
    if (!cairn_rects_touch(&next->rect, &other->rect, clear_m, &at_next)) { return false; }
    return !cairn_rects_touch(&now->rect, &other->rect, INFINITY, &at_now) || at_next.gap_m < at_now.gap_m;
}

static bool robots_are_in_the_way(cairn_scene *scene, const standing_box *now, const standing_box *next, double clear_m)
{
    look_at_robots(scene);
    for (uint32_t i = 0; i < scene->def.robot_count; i++) {
        const standing_box *robot = &scene->robots[i];
        if (is_far(next, robot->rect.centre_m, robot->reach_m, clear_m)) { continue; }
        if (is_in_the_way(now, next, robot, clear_m)) { return true; }
    }
    return false;
}

static bool movers_are_in_the_way(const cairn_scene *scene, uint32_t own, uint32_t first, uint32_t end,
                                  const standing_box *now, const standing_box *next, double clear_m)
{
    for (uint32_t i = first; i < end; i++) {
        if (i == own) { continue; }
        const cairn_pose3 pose = mover_pose(scene, i);
        const cairn_vec3 half_m = solid_of(scene, i)->half_m;
        if (is_far(next, (cairn_vec2){pose.at_m.x, pose.at_m.y}, cairn_vec3_length(half_m), clear_m)) { continue; }
        const standing_box other = box_at(pose, half_m);
        if (is_in_the_way(now, next, &other, clear_m)) { return true; }
    }
    return false;
}

// ---- doors

// The leaf of the solid, turned about the hinge by what it has opened since the start.
static cairn_pose3 door_pose(const cairn_scene *scene, uint32_t door, double opened)
{
    const cairn_sim_door *leaf = &scene->def.arena->doors[door];
    const double turned_rad = leaf->open_rad * (opened - (leaf->open ? 1 : 0));
    const cairn_pose3 start = solid_of(scene, door)->map_T_box;
    if (turned_rad == 0) { return start; }
    const cairn_quat turn = cairn_quat_from_axis((cairn_vec3){0, 0, 1}, turned_rad);
    const cairn_vec3 hinge = {leaf->hinge_m.x, leaf->hinge_m.y, 0};
    const cairn_vec3 from_hinge = cairn_vec3_sub(start.at_m, hinge);
    return (cairn_pose3){cairn_vec3_add(hinge, cairn_quat_rotate(turn, from_hinge)),
                         cairn_quat_multiply(turn, start.turn)};
}

static void swing_door(cairn_scene *scene, uint32_t door)
{
    door_state *state = &scene->doors[door];
    if (state->opened == state->wanted) { return; }
    const double by = STEP_S / fmax(scene->def.arena->doors[door].swing_s, STEP_S);
    const double opened = state->wanted > state->opened ? fmin(state->opened + by, 1) : fmax(state->opened - by, 0);
    const cairn_vec3 half_m = solid_of(scene, door)->half_m;
    const cairn_pose3 pose = door_pose(scene, door, opened);
    const standing_box now = box_at(mover_pose(scene, door), half_m), next = box_at(pose, half_m);
    if (robots_are_in_the_way(scene, &now, &next, DOOR_CLEAR_M) ||
        movers_are_in_the_way(scene, door, scene->block_first, scene->def.arena->mover_count, &now, &next,
                              DOOR_CLEAR_M)) {
        return;
    }
    state->opened = opened;
    scene->def.physics_kind->put(scene->def.physics, door, pose);
    if (opened == state->wanted) { scene->swinging_count--; }
}

static void count_swinging(cairn_scene *scene)
{
    scene->swinging_count = 0;
    for (uint32_t i = 0; i < scene->def.arena->door_count; i++) {
        scene->swinging_count += scene->doors[i].opened != scene->doors[i].wanted;
    }
}

void cairn_scene_set_door(cairn_scene *scene, uint32_t door, bool open)
{
    CAIRN_ASSERT(door < scene->def.arena->door_count);
    scene->doors[door].wanted = open ? 1 : 0;
    count_swinging(scene);
}

// ---- figures

static double way_m(const cairn_sim_figure *figure)
{
    double length_m = 0;
    for (uint32_t i = 1; i < figure->point_count; i++) {
        length_m += cairn_vec2_distance(figure->points_m[i - 1], figure->points_m[i]);
    }
    return length_m;
}

static bool walks(const cairn_sim_figure *figure) { return figure->speed_mps > 0 && way_m(figure) > 0; }

// Where it is after so much of its way there and back, and which way it looks.
static cairn_pose2 place_on_way(const cairn_sim_figure *figure, double walked_m)
{
    const double length_m = way_m(figure);
    const bool back = walked_m > length_m;
    double left_m = back ? 2 * length_m - walked_m : walked_m;
    cairn_vec2 from = figure->points_m[0], to = from;
    for (uint32_t i = 1; i < figure->point_count; i++) {
        from = figure->points_m[i - 1];
        to = figure->points_m[i];
        const double part_m = cairn_vec2_distance(from, to);
        if (left_m <= part_m) { break; }
        if (i + 1 < figure->point_count) { left_m -= part_m; }
    }
    const cairn_vec2 along = cairn_vec2_sub(to, from);
    const double long_m = cairn_vec2_length(along), part = long_m > 0 ? fmin(left_m / long_m, 1) : 0;
    const cairn_vec2 at = cairn_vec2_add(from, cairn_vec2_scale(along, part));
    return (cairn_pose2){at.x, at.y, back ? atan2(-along.y, -along.x) : atan2(along.y, along.x)};
}

static void walk_figure(cairn_scene *scene, uint32_t figure)
{
    const cairn_sim_figure *who = &scene->def.arena->figures[figure];
    figure_state *state = &scene->figures[figure];
    if (state->gone_off != 0 || !walks(who)) { return; }
    const uint32_t mover = scene->figure_first + figure;
    const cairn_vec3 half_m = solid_of(scene, mover)->half_m;
    const cairn_pose3 pose_now = mover_pose(scene, mover);
    const double there_and_back_m = 2 * way_m(who);
    double walked_m = state->walked_m + who->speed_mps * STEP_S;
    if (walked_m >= there_and_back_m) { walked_m = fmod(walked_m, there_and_back_m); }

    const cairn_pose2 place = place_on_way(who, walked_m);
    const double foot_m =
        cairn_sim_ground_m(scene->def.arena, cairn_pose2_at(place), pose_now.at_m.z - half_m.z + FIGURE_STEP_M);
    const cairn_pose3 pose = cairn_pose3_from_pose2(place, foot_m + half_m.z);
    const standing_box now = box_at(pose_now, half_m), next = box_at(pose, half_m);
    if (robots_are_in_the_way(scene, &now, &next, FIGURE_CLEAR_M) ||
        movers_are_in_the_way(scene, mover, 0, scene->figure_first, &now, &next, FIGURE_CLEAR_THINGS_M)) {
        return;
    }
    state->walked_m = walked_m;
    scene->def.physics_kind->put(scene->def.physics, mover, pose);
}

// ---- hazards

static bool hides(cairn_vec3 from, cairn_vec3 direction, double length_m, cairn_pose3 map_T_box, cairn_vec3 half_m)
{
    const cairn_vec3 middle = cairn_vec3_add(from, cairn_vec3_scale(direction, 0.5 * length_m));
    const double apart_m = cairn_vec3_length(cairn_vec3_sub(map_T_box.at_m, middle));
    if (apart_m > 0.5 * length_m + cairn_vec3_length(half_m)) { return false; }
    const double distance_m = cairn_ray_box3(from, direction, map_T_box, half_m);
    return distance_m >= 0 && distance_m < length_m;
}

// Whether nothing but mover `own` is between two points.
static bool is_in_sight(const cairn_scene *scene, uint32_t own, cairn_vec3 from, cairn_vec3 to)
{
    const cairn_sim_arena *arena = scene->def.arena;
    const cairn_vec3 apart = cairn_vec3_sub(to, from);
    const double length_m = cairn_vec3_length(apart);
    if (length_m <= 0) { return true; }
    const cairn_vec3 direction = cairn_vec3_scale(apart, 1 / length_m);
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (cairn_solid_moves(solid)) { continue; }
        if (hides(from, direction, length_m, solid->map_T_box, solid->half_m)) { return false; }
    }
    for (uint32_t i = 0; i < arena->mover_count; i++) {
        if (i != own && hides(from, direction, length_m, mover_pose(scene, i), solid_of(scene, i)->half_m)) {
            return false;
        }
    }
    return true;
}

static uint64_t robots_within(cairn_scene *scene, uint32_t mover, double within_m)
{
    look_at_robots(scene);
    const cairn_vec3 from = mover_pose(scene, mover).at_m;
    uint64_t found = 0;
    for (uint32_t i = 0; i < scene->def.robot_count; i++) {
        const cairn_vec3 middle =
            cairn_pose3_apply(scene->map_T_base[i], (cairn_vec3){0, 0, 0.5 * scene->bodies[i]->height_m});
        if (hypot(middle.x - from.x, middle.y - from.y) > within_m) { continue; }
        if (is_in_sight(scene, mover, from, middle)) { found |= UINT64_C(1) << i; }
    }
    return found;
}

static uint64_t look_around(cairn_scene *scene, uint64_t dead)
{
    uint64_t destroyed = 0;
    for (uint32_t i = 0; i < scene->def.arena->figure_count; i++) {
        const cairn_sim_figure *figure = &scene->def.arena->figures[i];
        if (figure->kind != CAIRN_FIGURE_HAZARD || scene->figures[i].gone_off != 0) { continue; }
        if ((robots_within(scene, scene->figure_first + i, figure->trigger_m) & ~dead) == 0) { continue; }
        scene->figures[i].gone_off = 1;
        destroyed |= robots_within(scene, scene->figure_first + i, figure->lethal_m);
    }
    return destroyed & ~dead;
}

// ---- all of it

void cairn_scene_shake(cairn_scene *scene, double strength_mps)
{
    CAIRN_ASSERT(strength_mps >= 0);
    for (uint32_t i = scene->block_first; i < scene->figure_first; i++) {
        const double towards_rad = cairn_random_between(&scene->shakes, -CAIRN_PI, CAIRN_PI);
        const double speed_mps = cairn_random_between(&scene->shakes, 0, strength_mps);
        scene->def.physics_kind->push(scene->def.physics, i,
                                      (cairn_vec3){speed_mps * cos(towards_rad), speed_mps * sin(towards_rad), 0});
    }
}

uint64_t cairn_scene_step(cairn_scene *scene, uint64_t dead)
{
    if (scene->def.arena->mover_count == 0) { return 0; }
    scene->robots_known = false;
    scene->step++;
    for (uint32_t i = 0; scene->swinging_count > 0 && i < scene->def.arena->door_count; i++) { swing_door(scene, i); }
    for (uint32_t i = 0; scene->has_walkers && i < scene->def.arena->figure_count; i++) { walk_figure(scene, i); }
    return scene->has_hazards && scene->step % HAZARD_STEPS == 0 ? look_around(scene, dead) : 0;
}

// ---- its state: step, random stream, doors, figures

size_t cairn_scene_state_bytes(const cairn_scene *scene)
{
    return sizeof scene->step + sizeof scene->shakes + scene->def.arena->door_count * sizeof(door_state) +
           scene->def.arena->figure_count * sizeof(figure_state);
}

void cairn_scene_save(const cairn_scene *scene, void *ret_state)
{
    uint8_t *to = ret_state;
    memcpy(to, &scene->step, sizeof scene->step);
    to += sizeof scene->step;
    memcpy(to, &scene->shakes, sizeof scene->shakes);
    to += sizeof scene->shakes;
    const size_t doors_bytes = scene->def.arena->door_count * sizeof(door_state);
    memcpy(to, scene->doors, doors_bytes);
    memcpy(to + doors_bytes, scene->figures, scene->def.arena->figure_count * sizeof(figure_state));
}

static bool is_yes_or_no(double value) { return value == 0 || value == 1; }

cairn_err cairn_scene_load(cairn_scene *scene, const void *state)
{
    const cairn_sim_arena *arena = scene->def.arena;
    const uint8_t *from = state;
    const uint8_t *doors = from + sizeof scene->step + sizeof scene->shakes;
    const uint8_t *figures = doors + arena->door_count * sizeof(door_state);
    int64_t step;
    memcpy(&step, from, sizeof step);
    bool sound = step >= 0;
    for (uint32_t i = 0; i < arena->door_count; i++) {
        door_state door;
        memcpy(&door, doors + i * sizeof door, sizeof door);
        sound = sound && door.opened >= 0 && door.opened <= 1 && is_yes_or_no(door.wanted);
    }
    for (uint32_t i = 0; i < arena->figure_count; i++) {
        figure_state figure;
        memcpy(&figure, figures + i * sizeof figure, sizeof figure);
        sound = sound && figure.walked_m >= 0 && figure.walked_m <= 2 * way_m(&arena->figures[i]);
        sound = sound && is_yes_or_no(figure.gone_off);
    }
    if (!sound) { return CAIRN_ERR_CORRUPT; }
    scene->step = step;
    memcpy(&scene->shakes, from + sizeof step, sizeof scene->shakes);
    memcpy(scene->doors, doors, arena->door_count * sizeof(door_state));
    memcpy(scene->figures, figures, arena->figure_count * sizeof(figure_state));
    count_swinging(scene);
    return CAIRN_OK;
}

cairn_err cairn_scene_create(const cairn_scene_def *def, cairn_scene **ret_scene)
{
    const cairn_sim_arena *arena = def->arena;
    CAIRN_ASSERT(arena && def->physics && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    CAIRN_ASSERT(arena->mover_count == arena->door_count + arena->block_count + arena->figure_count);
    cairn_scene *scene = calloc(1, sizeof *scene);
    if (!scene) { return CAIRN_ERR_FULL; }
    scene->def = *def;
    scene->def.robots = NULL;
    for (uint32_t i = 0; i < def->robot_count; i++) { scene->bodies[i] = def->robots[i]; }
    scene->block_first = arena->door_count;
    scene->figure_first = arena->door_count + arena->block_count;
    scene->doors = calloc(arena->door_count + 1, sizeof *scene->doors);
    scene->figures = calloc(arena->figure_count + 1, sizeof *scene->figures);
    if (!scene->doors || !scene->figures) {
        cairn_scene_destroy(scene);
        return CAIRN_ERR_FULL;
    }
    cairn_random_init(&scene->shakes, def->seed, "scene/shakes");
    for (uint32_t i = 0; i < arena->door_count; i++) {
        scene->doors[i].opened = scene->doors[i].wanted = arena->doors[i].open ? 1 : 0;
    }
    for (uint32_t i = 0; i < arena->figure_count; i++) {
        scene->has_walkers = scene->has_walkers || walks(&arena->figures[i]);
        scene->has_hazards = scene->has_hazards || arena->figures[i].kind == CAIRN_FIGURE_HAZARD;
    }
    *ret_scene = scene;
    return CAIRN_OK;
}

void cairn_scene_destroy(cairn_scene *scene)
{
    if (!scene) { return; }
    free(scene->doors);
    free(scene->figures);
    free(scene);
}
