// Robots as MuJoCo bodies. MuJoCo has no tree of bounding volumes, so only what stands around a robot is given to
// it: each robot owns a fixed set of boxes, refilled from the arena's solids whenever it has moved REFILL_M. The
// solver's warm start knows accelerations only, not contacts, so that a refill does not disturb the motion.
// Contacts are those at the start of a step; the velocities at that moment are those before a new touch.
#include "sim/arena/ground.h"
#include "sim/physics/mujoco_drive.h"
#include "sim/physics/mujoco_model.h"
#include "sim/physics/robot_shape.h"
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY_MPS2 9.81
// A robot's boxes are chosen anew after it moved this far. Smaller: more often; larger: more boxes at once.
#define REFILL_M 0.25
// Boxes further than this from where the robot can be before the next refill are left out.
#define NEAR_MARGIN_M 0.05
// A touch has ended after half a second without contact.
#define TOUCH_GAP_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// A bump stays for one period of the reflex (8 ms), and accelerations are averaged over it.
#define REFLEX_STEPS 2

// A robot that is let down stands still after this.
#define SETTLE_STEPS 250

enum { SIDE_FRONT, SIDE_REAR, SIDE_LEFT, SIDE_RIGHT, SIDE_COUNT };

typedef struct near_boxes {
    cairn_vec3 filled_at_m; // where the robot was when they were chosen
    uint32_t solids[CAIRN_MUJOCO_NEAR_MAX];
    uint32_t count;
} near_boxes;

typedef struct robot_state {
    const cairn_body_description *description;
    cairn_robot_shape shape;
    cairn_mujoco_drive drive;
    cairn_mujoco_drive_state drive_state;
    mjtNum position[7]; // of the base at the start of the last step
    mjtNum velocity[6]; // likewise
    cairn_vec3 velocity_mps_earlier[REFLEX_STEPS];
    near_boxes near;
    int near_body, near_geom; // ids in the model
    cairn_collisions collisions;
    int64_t bump_step[SIDE_COUNT]; // last step that had a contact on that side
} robot_state;

struct cairn_physics {
    const cairn_sim_arena *arena;
    uint32_t robot_count;
    int64_t step; // steps taken
    mjModel *model;
    mjData *data;
    int *robot_of_geom;    // -1: not a robot's
    int *tyre_of_geom;     // -1: not a wheel
    uint32_t *obstacle_of; // of each solid: the first solid of the same thing
    int64_t *touch_step;   // robot_count rows of (solids, robots): last step in which they touched
    robot_state robots[CAIRN_SIM_ROBOTS_MAX];
    cairn_mujoco_tyre tyres[CAIRN_MUJOCO_TYRES_MAX];
};

static void on_library_error(const char *text) { cairn_breach(text, "mujoco", 0); }
// Warnings are counted by the library in mjData; the default handler would write files.
static void on_library_warning(const char *text) { (void)text; }
static void prepare_library(void)
{
    mju_user_error = on_library_error;
    mju_user_warning = on_library_warning;
}

static cairn_vec3 vec_from(const mjtNum *v) { return (cairn_vec3){v[0], v[1], v[2]}; }

static cairn_pose3 pose_from(const mjtNum *position)
{
    return (cairn_pose3){vec_from(position), {position[3], position[4], position[5], position[6]}};
}

static mjtNum *positions_of(const cairn_physics *physics, uint32_t robot)
{
    return physics->data->qpos + physics->robots[robot].drive.position_at;
}

static mjtNum *velocities_of(const cairn_physics *physics, uint32_t robot)
{
    return physics->data->qvel + physics->robots[robot].drive.velocity_at;
}

// ---- the boxes around a robot

static double solid_distance_m(const cairn_solid *solid, cairn_vec3 from_m)
{
    const cairn_vec3 local =
        cairn_quat_rotate(cairn_quat_conjugate(solid->map_T_box.turn), cairn_vec3_sub(from_m, solid->map_T_box.at_m));
    const cairn_vec3 outside = {fmax(fabs(local.x) - solid->half_m.x, 0), fmax(fabs(local.y) - solid->half_m.y, 0),
                                fmax(fabs(local.z) - solid->half_m.z, 0)};
    return cairn_vec3_length(outside);
}

// The nearest solids in reach, in order of distance and then of index.
static void choose_near(const cairn_sim_arena *arena, cairn_vec3 from_m, double reach_m, near_boxes *near)
{
    double distances[CAIRN_MUJOCO_NEAR_MAX];
    near->count = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const double distance = solid_distance_m(&arena->solids[i], from_m);
        if (distance > reach_m) { continue; }
        if (near->count == CAIRN_MUJOCO_NEAR_MAX) {
            if (distance >= distances[near->count - 1]) { continue; }
            near->count--;
        }
        uint32_t at = near->count++;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            near->solids[at] = near->solids[at - 1];
        }
        distances[at] = distance;
        near->solids[at] = i;
    }
}

static void place_box(mjModel *model, int geom, const cairn_solid *solid)
{
    const cairn_pose3 pose = solid->map_T_box;
    const mjtNum at[3] = {pose.at_m.x, pose.at_m.y, pose.at_m.z};
    const mjtNum turn[4] = {pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z};
    const mjtNum half[3] = {solid->half_m.x, solid->half_m.y, solid->half_m.z};
    memcpy(model->geom_pos + 3 * geom, at, sizeof at);
    memcpy(model->geom_quat + 4 * geom, turn, sizeof turn);
    memcpy(model->geom_size + 3 * geom, half, sizeof half);
    model->geom_rbound[geom] = cairn_vec3_length(solid->half_m);
    model->geom_sameframe[geom] = 0; // or its own pose would be taken for that of its body
}

static void refill_near(cairn_physics *physics, uint32_t robot, bool always)
{
    robot_state *state = &physics->robots[robot];
    const cairn_pose3 base = pose_from(positions_of(physics, robot));
    const cairn_vec3 middle = cairn_pose3_apply(base, (cairn_vec3){0, 0, 0.5 * state->description->height_m});
    const double moved_m = cairn_vec3_length(cairn_vec3_sub(middle, state->near.filled_at_m));
    if (!always && moved_m < REFILL_M) { return; }

    choose_near(physics->arena, middle, state->shape.reach_m + REFILL_M + NEAR_MARGIN_M, &state->near);
    state->near.filled_at_m = middle;
    for (uint32_t i = 0; i < state->near.count; i++) {
        place_box(physics->model, state->near_geom + (int)i, &physics->arena->solids[state->near.solids[i]]);
    }
    // Boxes beyond the count take no part in collision.
    physics->model->body_geomnum[state->near_body] = (int)state->near.count;
}

// ---- touches

static void remember(cairn_physics *physics, uint32_t robot)
{
    robot_state *state = &physics->robots[robot];
    memcpy(state->position, positions_of(physics, robot), sizeof state->position);
    memcpy(state->velocity, velocities_of(physics, robot), sizeof state->velocity);
    memmove(state->velocity_mps_earlier + 1, state->velocity_mps_earlier,
            (REFLEX_STEPS - 1) * sizeof *state->velocity_mps_earlier);
    state->velocity_mps_earlier[0] = vec_from(state->velocity);
}

// Of a point of the robot, map axes, at the start of the last step. Turning wheels are round: their rims move
// along what they touch.
static cairn_vec3 point_velocity(const robot_state *state, cairn_vec3 at_m)
{
    const cairn_pose3 base = pose_from(state->position);
    const cairn_vec3 turn = cairn_quat_rotate(base.turn, vec_from(state->velocity + 3));
    const cairn_vec3 arm = cairn_vec3_sub(at_m, base.at_m);
    return cairn_vec3_add(vec_from(state->velocity), cairn_vec3_cross(turn, arm));
}

static void note_bump(robot_state *state, cairn_vec3 at_m, int64_t step)
{
    const cairn_vec3 at = cairn_pose3_apply(cairn_pose3_inverse(pose_from(state->position)), at_m);
    const double forward = at.x / state->description->length_m, leftward = at.y / state->description->width_m;
    int side = leftward > 0 ? SIDE_LEFT : SIDE_RIGHT;
    if (fabs(forward) >= fabs(leftward)) { side = forward > 0 ? SIDE_FRONT : SIDE_REAR; }
    state->bump_step[side] = step;
}

// One robot touches an obstacle: a solid's thing, or solid_count + another robot.
static void note_touch(cairn_physics *physics, uint32_t robot, uint32_t obstacle, double closing_mps, cairn_vec3 at_m)
{
    robot_state *state = &physics->robots[robot];
    const size_t row = physics->arena->solid_count + physics->robot_count;
    int64_t *last = &physics->touch_step[robot * row + obstacle];
    if (physics->step - *last > TOUCH_GAP_STEPS) {
        state->collisions.count++;
        state->collisions.speed_mps_max = fmax(state->collisions.speed_mps_max, closing_mps);
    }
    *last = physics->step;
    note_bump(state, at_m, physics->step);
}

static void note_robot_contact(cairn_physics *physics, uint32_t first, uint32_t second, const mjContact *contact)
{
    const cairn_vec3 at = vec_from(contact->pos), normal = vec_from(contact->frame); // from first to second
    const cairn_vec3 apart =
        cairn_vec3_sub(point_velocity(&physics->robots[second], at), point_velocity(&physics->robots[first], at));
    const double closing_mps = -cairn_vec3_dot(apart, normal);
    note_touch(physics, first, physics->arena->solid_count + second, closing_mps, at);
    note_touch(physics, second, physics->arena->solid_count + first, closing_mps, at);
}

// sign: +1 if the contact's normal points from the robot to the solid, else -1.
static void note_solid_contact(cairn_physics *physics, uint32_t robot, int geom, double sign, const mjContact *contact)
{
    const robot_state *state = &physics->robots[robot];
    const int slot = geom - state->near_geom;
    if (slot < 0 || slot >= (int)state->near.count) { return; } // the floor
    const uint32_t solid = state->near.solids[slot];
    if (physics->arena->solids[solid].kind == CAIRN_SOLID_GROUND) { return; }
    const cairn_vec3 at = vec_from(contact->pos);
    const double closing_mps = sign * cairn_vec3_dot(point_velocity(state, at), vec_from(contact->frame));
    note_touch(physics, robot, physics->obstacle_of[solid], closing_mps, at);
}

static void note_contacts(cairn_physics *physics)
{
    for (int i = 0; i < physics->data->ncon; i++) {
        const mjContact *contact = &physics->data->contact[i];
        const int first = physics->robot_of_geom[contact->geom1], second = physics->robot_of_geom[contact->geom2];
        if (first >= 0 && second >= 0) {
            note_robot_contact(physics, (uint32_t)first, (uint32_t)second, contact);
        } else if (first >= 0) {
            note_solid_contact(physics, (uint32_t)first, contact->geom2, 1, contact);
        } else if (second >= 0) {
            note_solid_contact(physics, (uint32_t)second, contact->geom1, -1, contact);
        }
    }
}

// ---- the interface

static void mujoco_step(cairn_physics *physics, const cairn_motor_target *targets)
{
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        CAIRN_ASSERT(targets[robot].command == CAIRN_DRIVE_TORQUE);
        remember(physics, robot);
        refill_near(physics, robot, false);
        cairn_mujoco_drive_apply(&physics->robots[robot].drive, physics->robots[robot].description, &targets[robot],
                                 physics->model, physics->data, &physics->robots[robot].drive_state,
                                 physics->tyres + robot * CAIRN_WHEELS_MAX);
    }
    mj_step1(physics->model, physics->data);
    cairn_mujoco_tyres_hold(physics->model, physics->data, physics->tyre_of_geom,
                            physics->robot_count * CAIRN_WHEELS_MAX, physics->tyres);
    mj_step2(physics->model, physics->data);
    cairn_mujoco_tyres_weigh(physics->model, physics->data, physics->tyre_of_geom,
                             physics->robot_count * CAIRN_WHEELS_MAX, physics->tyres);
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        cairn_mujoco_drive_load(&physics->robots[robot].drive, physics->robots[robot].description, physics->model,
                                physics->data, physics->tyres + robot * CAIRN_WHEELS_MAX);
    }
    const mjWarningStat *warnings = physics->data->warning;
    CAIRN_ASSERT(warnings[mjWARN_BADQPOS].number == 0 && warnings[mjWARN_BADQVEL].number == 0);
    CAIRN_ASSERT(warnings[mjWARN_BADQACC].number == 0);
    physics->step++;
    note_contacts(physics);
}

static void mujoco_truth(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const robot_state *state = &physics->robots[robot];
    const mjtNum *position = positions_of(physics, robot), *velocity = velocities_of(physics, robot);
    cairn_robot_truth truth = {.map_T_base = pose_from(position)};
    truth.velocity_mps = vec_from(velocity);
    truth.turn_radps = vec_from(velocity + 3);

    const double span_s = REFLEX_STEPS * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    const cairn_vec3 gained = cairn_vec3_sub(truth.velocity_mps, state->velocity_mps_earlier[REFLEX_STEPS - 1]);
    cairn_vec3 force = cairn_vec3_scale(gained, 1 / span_s);
    force.z += GRAVITY_MPS2;
    truth.accel_mps2 = cairn_quat_rotate(cairn_quat_conjugate(truth.map_T_base.turn), force);

    cairn_mujoco_drive_truth(&state->drive, physics->data, &truth);
    bool bumps[SIDE_COUNT];
    for (int side = 0; side < SIDE_COUNT; side++) {
        bumps[side] = physics->step - state->bump_step[side] < REFLEX_STEPS;
    }
    truth.bump_front = bumps[SIDE_FRONT];
    truth.bump_rear = bumps[SIDE_REAR];
    truth.bump_left = bumps[SIDE_LEFT];
    truth.bump_right = bumps[SIDE_RIGHT];
    *ret_truth = truth;
}

static cairn_collisions mujoco_collisions(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    return physics->robots[robot].collisions;
}

static void mujoco_destroy(cairn_physics *physics)
{
    if (!physics) { return; }
    if (physics->data) { mj_deleteData(physics->data); }
    if (physics->model) { mj_deleteModel(physics->model); }
    free(physics->robot_of_geom);
    free(physics->tyre_of_geom);
    free(physics->obstacle_of);
    free(physics->touch_step);
    free(physics);
}

// ---- making one

// The pose in which all wheels stand on the ground at a start, as well as they can.
static cairn_pose3 standing_pose(const cairn_sim_arena *arena, const cairn_robot_shape *shape, cairn_pose2 start)
{
    double ground_m[CAIRN_WHEELS_MAX];
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec2 wheel = {shape->wheel_centre_m[i].x, shape->wheel_centre_m[i].y};
        ground_m[i] = cairn_sim_ground_m(arena, cairn_pose2_apply(start, wheel), INFINITY);
    }
    const double wheelbase_m = shape->wheel_centre_m[0].x - shape->wheel_centre_m[2].x;
    const double track_m = shape->wheel_centre_m[0].y - shape->wheel_centre_m[1].y;
    const double rise_m = 0.5 * (ground_m[0] + ground_m[1] - ground_m[2] - ground_m[3]);
    const double lean_m = 0.5 * (ground_m[0] + ground_m[2] - ground_m[1] - ground_m[3]);
    const cairn_rpy rpy = {atan2(lean_m, track_m), -atan2(rise_m, wheelbase_m), start.yaw_rad};
    cairn_pose3 pose = {{start.x_m, start.y_m, 0}, cairn_quat_from_rpy(rpy)};

    double lift_m = -INFINITY;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec3 foot = {shape->wheel_centre_m[i].x, shape->wheel_centre_m[i].y, 0};
        lift_m = fmax(lift_m, ground_m[i] - cairn_pose3_apply(pose, foot).z);
    }
    pose.at_m.z = lift_m;
    return pose;
}

static cairn_err load_model(cairn_physics *physics, const cairn_physics_def *def, const double *sink_m,
                            cairn_complaints *complaints)
{
    char why[1000] = "out of memory";
    size_t bytes = 0;
    char *text = cairn_mujoco_model_text(def, sink_m, &bytes);
    mjVFS *files = malloc(sizeof *files); // 2 MB
    if (text && files) {
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, "cairn.xml", (int)bytes) == 0) {
            memcpy(files->filedata[0], text, bytes);
            physics->model = mj_loadXML("cairn.xml", files, why, sizeof why);
        }
        mj_deleteVFS(files);
    }
    free(text);
    free(files);
    if (physics->model) { physics->data = mj_makeData(physics->model); }
    if (physics->data) { return CAIRN_OK; }
    cairn_complain(complaints, NULL, 0, "the mujoco physics cannot be made: %s", why);
    return CAIRN_ERR_UNSUPPORTED;
}

static int body_named(const cairn_physics *physics, const char *what, uint32_t robot)
{
    char name[32];
    snprintf(name, sizeof name, "%s %u", what, robot);
    const int body = mj_name2id(physics->model, mjOBJ_BODY, name);
    CAIRN_ASSERT(body > 0);
    return body;
}

// A belt's load is that of two wheels, one in each half; flippers carry nothing at first.
static void map_tyres(cairn_physics *physics, uint32_t robot, const cairn_body_description *description)
{
    const bool belts = description->tracks.offered;
    const double load_n = description->mass_kg * GRAVITY_MPS2 / CAIRN_WHEELS_MAX;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "tyre %u %d", robot, i);
        const int geom = mj_name2id(physics->model, mjOBJ_GEOM, name), tyre = (int)robot * CAIRN_WHEELS_MAX + i;
        physics->tyres[tyre] = (cairn_mujoco_tyre){.geom = geom, .belt = belts};
        if (geom < 0) { continue; }
        if (!belts || i < 2) { physics->tyres[tyre].load_n[0] = physics->tyres[tyre].load_n[1] = load_n; }
        physics->tyre_of_geom[geom] = tyre;
    }
}

// Whose each geom is.
static void map_geoms(cairn_physics *physics, const cairn_physics_def *def)
{
    const mjModel *model = physics->model;
    for (int geom = 0; geom < model->ngeom; geom++) { physics->robot_of_geom[geom] = physics->tyre_of_geom[geom] = -1; }
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        const int hull = body_named(physics, "robot", robot);
        for (int geom = 0; geom < model->ngeom; geom++) {
            if (model->body_rootid[model->geom_bodyid[geom]] == hull) { physics->robot_of_geom[geom] = (int)robot; }
        }
        map_tyres(physics, robot, def->robots[robot]);
        physics->robots[robot].near_body = body_named(physics, "near", robot);
        physics->robots[robot].near_geom = model->body_geomadr[physics->robots[robot].near_body];
    }
}

// Solids of one wall, box or victim are one obstacle.
static void map_obstacles(cairn_physics *physics)
{
    const cairn_solid *solids = physics->arena->solids;
    for (uint32_t i = 0; i < physics->arena->solid_count; i++) {
        uint32_t first = 0;
        while (solids[first].kind != solids[i].kind || solids[first].owner != solids[i].owner) { first++; }
        physics->obstacle_of[i] = first;
    }
}

static cairn_err take_tables(cairn_physics *physics)
{
    const size_t solids = physics->arena->solid_count, robots = physics->robot_count;
    const size_t touches = robots * (solids + robots);
    physics->robot_of_geom = calloc((size_t)physics->model->ngeom, sizeof *physics->robot_of_geom);
    physics->tyre_of_geom = calloc((size_t)physics->model->ngeom, sizeof *physics->tyre_of_geom);
    physics->obstacle_of = calloc(solids + 1, sizeof *physics->obstacle_of);
    physics->touch_step = calloc(touches + 1, sizeof *physics->touch_step);
    if (!physics->robot_of_geom || !physics->tyre_of_geom) { return CAIRN_ERR_FULL; }
    if (!physics->obstacle_of || !physics->touch_step) { return CAIRN_ERR_FULL; }
    for (size_t i = 0; i < touches; i++) { physics->touch_step[i] = -TOUCH_GAP_STEPS - 1; }
    return CAIRN_OK;
}

static void place_robot(cairn_physics *physics, uint32_t robot, const cairn_physics_def *def)
{
    robot_state *state = &physics->robots[robot];
    state->description = def->robots[robot];
    state->shape = cairn_robot_shape_of(state->description);
    state->drive = cairn_mujoco_drive_of(physics->model, robot, state->description);
    state->drive_state = cairn_mujoco_drive_start(&state->drive, state->description, physics->data);
    for (int side = 0; side < SIDE_COUNT; side++) { state->bump_step[side] = -REFLEX_STEPS; }
    const cairn_pose3 pose = standing_pose(physics->arena, &state->shape, def->starts[robot]);
    const mjtNum position[7] = {pose.at_m.x, pose.at_m.y, pose.at_m.z, pose.turn.w,
                                pose.turn.x, pose.turn.y, pose.turn.z};
    memcpy(positions_of(physics, robot), position, sizeof position);
    refill_near(physics, robot, true);
}

static cairn_err fill_physics(cairn_physics *physics, const cairn_physics_def *def, const double *sink_m,
                              cairn_complaints *complaints)
{
    cairn_err err = load_model(physics, def, sink_m, complaints);
    if (err == CAIRN_OK) { err = take_tables(physics); }
    if (err != CAIRN_OK) { return err; }
    map_geoms(physics, def);
    map_obstacles(physics);
    for (uint32_t robot = 0; robot < def->robot_count; robot++) { place_robot(physics, robot, def); }
    return CAIRN_OK;
}

static cairn_err make_physics(const cairn_physics_def *def, const double *sink_m, cairn_complaints *complaints,
                              cairn_physics **ret_physics)
{
    cairn_physics *physics = calloc(1, sizeof *physics);
    if (!physics) { return CAIRN_ERR_FULL; }
    physics->arena = def->arena;
    physics->robot_count = def->robot_count;
    const cairn_err err = fill_physics(physics, def, sink_m, complaints);
    if (err != CAIRN_OK) {
        mujoco_destroy(physics);
        return err;
    }
    *ret_physics = physics;
    return CAIRN_OK;
}

// How far a robot's tyres sink in at rest depends on the whole of it: one is let down on an empty floor.
static cairn_err measure_sink(const cairn_body_description *robot, cairn_complaints *complaints, double *ret_sink_m)
{
    const cairn_sim_arena empty = {.size_m = {1, 1}};
    const cairn_pose2 start = {0};
    const cairn_physics_def def = {.arena = &empty, .robot_count = 1, .robots = &robot, .starts = &start};
    const double no_sink_m = 0;
    cairn_physics *physics = NULL;
    const cairn_err err = make_physics(&def, &no_sink_m, complaints, &physics);
    if (err != CAIRN_OK) { return err; }
    const cairn_motor_target idle = {.command = CAIRN_DRIVE_TORQUE, .flipper_rad = NAN};
    for (int i = 0; i < SETTLE_STEPS; i++) { mujoco_step(physics, &idle); }
    *ret_sink_m = -positions_of(physics, 0)[2];
    mujoco_destroy(physics);
    return CAIRN_OK;
}

static cairn_err sink_of(const cairn_physics_def *def, uint32_t robot, cairn_complaints *complaints, double *sink_m)
{
    if (def->robots[robot]->drive != CAIRN_DRIVE_TORQUE) {
        cairn_complain(complaints, NULL, 0, "robot \"%s\": the mujoco physics drives wheels by torque only",
                       def->robots[robot]->name);
        return CAIRN_ERR_UNSUPPORTED;
    }
    for (uint32_t earlier = 0; earlier < robot; earlier++) {
        if (def->robots[earlier] != def->robots[robot]) { continue; }
        sink_m[robot] = sink_m[earlier];
        return CAIRN_OK;
    }
    return measure_sink(def->robots[robot], complaints, &sink_m[robot]);
}

static cairn_err mujoco_create(const cairn_physics_def *def, cairn_complaints *complaints, cairn_physics **ret_physics)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    pthread_once(&prepared, prepare_library);
    double sink_m[CAIRN_SIM_ROBOTS_MAX] = {0};
    for (uint32_t robot = 0; robot < def->robot_count; robot++) {
        const cairn_err err = sink_of(def, robot, complaints, sink_m);
        if (err != CAIRN_OK) { return err; }
    }
    return make_physics(def, sink_m, complaints, ret_physics);
}

const cairn_physics_kind cairn_physics_mujoco = {.name = "mujoco",
                                                 .create = mujoco_create,
                                                 .destroy = mujoco_destroy,
                                                 .step = mujoco_step,
                                                 .truth = mujoco_truth,
                                                 .collisions = mujoco_collisions};
