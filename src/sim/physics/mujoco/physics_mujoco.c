// Robots as MuJoCo bodies. What stands around each is chosen anew as it moves (mujoco_near.c); how tyres hold is
// mujoco_tyres.c. mujoco_private.h lists the parts.
#include "sim/arena/ground.h"
#include "sim/physics/mujoco/mujoco_private.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A robot that is let down stands still after this.
#define SETTLE_STEPS 250
// Ground at a start may lie this much above what the arena says, under one wheel or another.
#define START_SLACK_M 0.5
// A robot tilted further than this (60 degrees) for a second has fallen.
#define FALLEN_COSINE 0.5
#define FALLEN_STEPS (CAIRN_S(1) / CAIRN_PHYSICS_STEP_NS)

static void on_library_error(const char *text) { cairn_breach(text, "mujoco", 0); }
// Warnings are counted by the library in mjData; the default handler would write files.
static void on_library_warning(const char *text) { (void)text; }
static void prepare_library(void)
{
    mju_user_error = on_library_error;
    mju_user_warning = on_library_warning;
    cairn_mujoco_near_install();
    cairn_mujoco_rough_install();
    cairn_mujoco_boxes_install();
}

static mjtNum *positions_of(const cairn_physics *physics, uint32_t robot)
{
    return physics->data->qpos + physics->robots[robot].drive.position_at;
}

static mjtNum *velocities_of(const cairn_physics *physics, uint32_t robot)
{
    return physics->data->qvel + physics->robots[robot].drive.velocity_at;
}

// ---- one step

static void remember(cairn_physics *physics, uint32_t robot)
{
    cairn_mujoco_robot *it = &physics->robots[robot];
    cairn_mujoco_robot_state *state = &physics->robot_states[robot];
    memcpy(it->base_qpos, positions_of(physics, robot), sizeof it->base_qpos);
    memcpy(it->base_qvel, velocities_of(physics, robot), sizeof it->base_qvel);
    memmove(state->velocity_mps_earlier + 1, state->velocity_mps_earlier,
            (CAIRN_MUJOCO_REFLEX_STEPS - 1) * sizeof *state->velocity_mps_earlier);
    state->velocity_mps_earlier[0] = cairn_mujoco_vec(it->base_qvel);
    state->velocity_mps_earlier[0].z -= it->held_mps;
    it->held_mps = 0;
}

static void refill(cairn_physics *physics, uint32_t robot, bool always)
{
    const cairn_vec3 half_up = {0, 0, 0.5 * physics->robots[robot].description->height_m};
    const cairn_vec3 middle = cairn_pose3_apply(cairn_mujoco_pose(positions_of(physics, robot)), half_up);
    cairn_mujoco_near_refill(physics, robot, middle, always);
}

static double upward(cairn_quat turn) { return cairn_quat_rotate(turn, (cairn_vec3){0, 0, 1}).z; }

static void note_tilts(cairn_physics *physics)
{
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        const cairn_pose3 base = cairn_mujoco_pose(positions_of(physics, robot));
        if (upward(base.turn) > FALLEN_COSINE) { physics->robot_states[robot].upright_step = physics->step; }
    }
}

static void mujoco_step(cairn_physics *physics, const cairn_motor_target *targets)
{
    const uint32_t tyres = physics->robot_count * CAIRN_WHEELS_MAX;
    cairn_mujoco_blocks_before_step(physics);
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        CAIRN_ASSERT(targets[robot].command == CAIRN_DRIVE_TORQUE);
        remember(physics, robot);
        refill(physics, robot, false);
        cairn_mujoco_drive_apply(&physics->robots[robot].drive, physics->robots[robot].description, &targets[robot],
                                 physics->model, physics->data, &physics->robot_states[robot].drive,
                                 physics->tyres + robot * CAIRN_WHEELS_MAX);
    }
    if (physics->must_place) { cairn_mujoco_near_place(physics); }
    mj_step1(physics->model, physics->data);
    cairn_mujoco_tyres_hold(physics->model, physics->data, physics->tyre_of_geom, tyres, physics->tyres);
    mj_step2(physics->model, physics->data);
    cairn_mujoco_tyres_weigh(physics->model, physics->data, physics->tyre_of_geom, tyres, physics->tyres);
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) {
        cairn_mujoco_drive_load(&physics->robots[robot].drive, physics->robots[robot].description, physics->model,
                                physics->data, physics->tyres + robot * CAIRN_WHEELS_MAX);
    }
    const mjWarningStat *warnings = physics->data->warning;
    CAIRN_ASSERT(warnings[mjWARN_BADQPOS].number == 0 && warnings[mjWARN_BADQVEL].number == 0);
    CAIRN_ASSERT(warnings[mjWARN_BADQACC].number == 0);
    physics->step++;
    cairn_mujoco_touches_note(physics);
    cairn_mujoco_blocks_after_step(physics);
    note_tilts(physics);
}

// It is put there, at the speed at which it came; the step then moves it by next to nothing.
static void mujoco_hold(cairn_physics *physics, uint32_t robot, cairn_pose3 map_T_base)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    mjtNum *position = positions_of(physics, robot), *velocity = velocities_of(physics, robot);
    const cairn_pose3 before = cairn_mujoco_pose(position);
    const double per_s = 1 / cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    const cairn_vec3 mps = cairn_vec3_scale(cairn_vec3_sub(map_T_base.at_m, before.at_m), per_s);
    const cairn_vec3 radps = cairn_vec3_scale(
        cairn_quat_log(cairn_quat_multiply(cairn_quat_conjugate(before.turn), map_T_base.turn)), per_s);
    const double held_mps = CAIRN_MUJOCO_GRAVITY_MPS2 / per_s; // gravity takes it away within the step
    const mjtNum speeds[6] = {mps.x, mps.y, mps.z + held_mps, radps.x, radps.y, radps.z};
    physics->robots[robot].held_mps = held_mps;
    memcpy(velocity, speeds, sizeof speeds);
}

// ---- what is true

static bool has_fallen(const cairn_physics *physics, uint32_t robot, cairn_vec3 at_m)
{
    // No part of it is above the floor: ditches that can be driven through are not as deep.
    const bool is_down = physics->arena->has_holes && at_m.z < -physics->robots[robot].description->height_m;
    return is_down || physics->step - physics->robot_states[robot].upright_step >= FALLEN_STEPS;
}

static void mujoco_truth(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const cairn_mujoco_robot_state *state = &physics->robot_states[robot];
    const mjtNum *position = positions_of(physics, robot), *velocity = velocities_of(physics, robot);
    cairn_robot_truth truth = {.map_T_base = cairn_mujoco_pose(position)};
    truth.velocity_mps = cairn_mujoco_vec(velocity);
    truth.turn_radps = cairn_mujoco_vec(velocity + 3);

    const double span_s = CAIRN_MUJOCO_REFLEX_STEPS * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    const cairn_vec3 earlier = state->velocity_mps_earlier[CAIRN_MUJOCO_REFLEX_STEPS - 1];
    cairn_vec3 force = cairn_vec3_scale(cairn_vec3_sub(truth.velocity_mps, earlier), 1 / span_s);
    force.z += CAIRN_MUJOCO_GRAVITY_MPS2;
    truth.accel_mps2 = cairn_quat_rotate(cairn_quat_conjugate(truth.map_T_base.turn), force);

    cairn_mujoco_drive_truth(&physics->robots[robot].drive, physics->data, &truth);
    bool bumps[CAIRN_SIDE_COUNT];
    for (int side = 0; side < CAIRN_SIDE_COUNT; side++) {
        bumps[side] = physics->step - state->bump_step[side] < CAIRN_MUJOCO_REFLEX_STEPS;
    }
    truth.bump_front = bumps[CAIRN_SIDE_FRONT];
    truth.bump_rear = bumps[CAIRN_SIDE_REAR];
    truth.bump_left = bumps[CAIRN_SIDE_LEFT];
    truth.bump_right = bumps[CAIRN_SIDE_RIGHT];
    truth.fallen = has_fallen(physics, robot, truth.map_T_base.at_m);
    *ret_truth = truth;
}

static cairn_collisions mujoco_collisions(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const cairn_mujoco_robot_state *state = &physics->robot_states[robot];
    return (cairn_collisions){(uint32_t)state->collision_count, state->collision_mps_max};
}

static const cairn_collision_log *mujoco_collision_log(const cairn_physics *physics) { return &physics->log; }

static void mujoco_destroy(cairn_physics *physics)
{
    if (!physics) { return; }
    if (physics->data) { mj_deleteData(physics->data); }
    if (physics->model) { mj_deleteModel(physics->model); }
    cairn_solid_index_destroy(physics->index);
    free(physics->robot_of_geom);
    free(physics->tyre_of_geom);
    free(physics->obstacle_of);
    free(physics->mover_of);
    free(physics->robot_states);
    free(physics->near);
    free(physics->body_states);
    free(physics->mover_states);
    free(physics);
}

// ---- making one

// The pose in which all wheels stand on the ground at a start, as well as they can.
static cairn_pose3 standing_pose(const cairn_sim_arena *arena, const cairn_robot_shape *shape, cairn_pose2 start,
                                 double from_m)
{
    double ground_m[CAIRN_WHEELS_MAX];
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec2 wheel = {shape->wheel_centre_m[i].x, shape->wheel_centre_m[i].y};
        ground_m[i] = cairn_sim_ground_m(arena, cairn_pose2_apply(start, wheel), from_m);
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
    const uint32_t complaint_count = complaints->count;
    size_t bytes = 0;
    char *text = cairn_mujoco_model_text(def, sink_m, complaints, &bytes);
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
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; } // of a URDF file
    cairn_complain(complaints, NULL, 0, "the mujoco physics cannot be made: %s", why);
    return CAIRN_ERR_UNSUPPORTED;
}

static int body_named(const cairn_physics *physics, const char *what, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "%s %u", what, number);
    const int body = mj_name2id(physics->model, mjOBJ_BODY, name);
    CAIRN_ASSERT(body > 0);
    return body;
}

// A belt's load is that of two wheels, one in each half; flippers carry nothing at first.
static void map_tyres(cairn_physics *physics, const cairn_body_description *description, uint32_t robot)
{
    const bool belts = description->tracks.offered;
    const double load_n = description->mass_kg * CAIRN_MUJOCO_GRAVITY_MPS2 / CAIRN_WHEELS_MAX;
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

static void map_robot(cairn_physics *physics, const cairn_body_description *description, uint32_t robot)
{
    const mjModel *model = physics->model;
    const int hull = body_named(physics, "robot", robot);
    physics->robots[robot].description = description;
    physics->robots[robot].shape = cairn_robot_shape_of(description);
    physics->robots[robot].drive = cairn_mujoco_drive_of(model, robot, description);
    for (int geom = 0; geom < model->ngeom; geom++) {
        if (model->body_rootid[model->geom_bodyid[geom]] == hull) { physics->robot_of_geom[geom] = (int)robot; }
    }
    map_tyres(physics, description, robot);
}

static void map_party(cairn_physics *physics, uint32_t party)
{
    const bool is_robot = party < physics->robot_count;
    physics->parties[party] =
        (cairn_mujoco_party){.near_body = body_named(physics, "near", party),
                             .near_max = is_robot ? CAIRN_MUJOCO_NEAR_MAX : CAIRN_MUJOCO_BLOCK_NEAR_MAX,
                             .reach_m = is_robot ? physics->robots[party].shape.reach_m : 0};
}

static void map_block(cairn_physics *physics, uint32_t block)
{
    const mjModel *model = physics->model;
    const int body = body_named(physics, "block", block), joint = model->body_jntadr[body];
    physics->bodies[block] = (cairn_mujoco_body){.body = body,
                                                 .geom = model->body_geomadr[body],
                                                 .qpos_at = model->jnt_qposadr[joint],
                                                 .qvel_at = model->jnt_dofadr[joint]};
}

static void map_model(cairn_physics *physics, const cairn_physics_def *def)
{
    for (int geom = 0; geom < physics->model->ngeom; geom++) {
        physics->robot_of_geom[geom] = physics->tyre_of_geom[geom] = -1;
    }
    for (uint32_t robot = 0; robot < physics->robot_count; robot++) { map_robot(physics, def->robots[robot], robot); }
    for (uint32_t block = 0; block < physics->body_count; block++) { map_block(physics, block); }
    for (uint32_t party = 0; party < physics->party_count; party++) { map_party(physics, party); }
    physics->nq = physics->model->nq;
    physics->nv = physics->model->nv;
    physics->nM = physics->model->nM;
    physics->njnt = physics->model->njnt;
    physics->nbody = physics->model->nbody;
    const int boxes = mj_name2id(physics->model, mjOBJ_BODY, "boxes");
    physics->boxes_geom = physics->model->body_geomadr[boxes];
    physics->boxes_end = physics->boxes_geom + physics->model->body_geomnum[boxes];
    CAIRN_ASSERT(physics->boxes_end == physics->model->ngeom && boxes == physics->model->nbody - 1);
    physics->model->body_geomnum[boxes] = 0;
    cairn_mujoco_near_mark(physics);
}

// Solids of one wall, box or victim are one obstacle. They follow each other in the list.
static void map_solids(cairn_physics *physics)
{
    const cairn_solid *solids = physics->arena->solids;
    for (uint32_t i = 0; i < physics->arena->solid_count; i++) {
        const bool goes_on = i > 0 && solids[i].kind == solids[i - 1].kind && solids[i].owner == solids[i - 1].owner;
        physics->obstacle_of[i] = goes_on ? physics->obstacle_of[i - 1] : i;
    }
    for (uint32_t i = 0; i < physics->arena->mover_count; i++) {
        CAIRN_ASSERT(physics->arena->movers[i].solid < physics->arena->solid_count);
        physics->mover_of[physics->arena->movers[i].solid] = i + 1;
    }
}

static cairn_err take_tables(cairn_physics *physics)
{
    const size_t solids = physics->arena->solid_count, geoms = (size_t)physics->model->ngeom;
    physics->robot_of_geom = calloc(geoms, sizeof *physics->robot_of_geom);
    physics->tyre_of_geom = calloc(geoms, sizeof *physics->tyre_of_geom);
    physics->obstacle_of = calloc(solids + 1, sizeof *physics->obstacle_of);
    physics->mover_of = calloc(solids + 1, sizeof *physics->mover_of);
    physics->robot_states = calloc(physics->robot_count + 1, sizeof *physics->robot_states);
    physics->near = calloc(physics->party_count + 1, sizeof *physics->near);
    physics->body_states = calloc(physics->body_count + 1, sizeof *physics->body_states);
    physics->mover_states = calloc(physics->arena->mover_count + 1, sizeof *physics->mover_states);
    if (!physics->robot_of_geom || !physics->tyre_of_geom || !physics->obstacle_of) { return CAIRN_ERR_FULL; }
    if (!physics->mover_of || !physics->robot_states || !physics->near) { return CAIRN_ERR_FULL; }
    if (!physics->body_states || !physics->mover_states) { return CAIRN_ERR_FULL; }
    return cairn_solid_index_create(physics->arena, &physics->index);
}

// A start of the arena says on which storey it is; any other place is on the highest.
static double start_from_m(const cairn_sim_arena *arena, cairn_pose2 start)
{
    for (uint32_t i = 0; arena->start_feet_m && i < arena->start_count; i++) {
        if (arena->starts[i].x_m != start.x_m || arena->starts[i].y_m != start.y_m) { continue; }
        return arena->start_feet_m[i] + START_SLACK_M;
    }
    return INFINITY;
}

static void place_robot(cairn_physics *physics, uint32_t robot, const cairn_physics_def *def)
{
    cairn_mujoco_robot_state *state = &physics->robot_states[robot];
    for (int side = 0; side < CAIRN_SIDE_COUNT; side++) { state->bump_step[side] = -CAIRN_MUJOCO_REFLEX_STEPS; }
    const cairn_pose2 start = def->starts[robot];
    const double from_m = start_from_m(physics->arena, start);
    const cairn_pose3 pose = standing_pose(physics->arena, &physics->robots[robot].shape, start, from_m);
    cairn_mujoco_set_pose(positions_of(physics, robot), pose);
    state->drive =
        cairn_mujoco_drive_start(&physics->robots[robot].drive, physics->robots[robot].description, physics->data);
    refill(physics, robot, true);
}

static cairn_err fill_physics(cairn_physics *physics, const cairn_physics_def *def, const double *sink_m,
                              cairn_complaints *complaints)
{
    cairn_err err = load_model(physics, def, sink_m, complaints);
    if (err == CAIRN_OK) { err = take_tables(physics); }
    if (err != CAIRN_OK) { return err; }
    map_model(physics, def);
    map_solids(physics);
    cairn_mujoco_rough_attach(physics);
    cairn_mujoco_blocks_start(physics);
    for (uint32_t robot = 0; robot < def->robot_count; robot++) { place_robot(physics, robot, def); }
    cairn_mujoco_near_place(physics);
    return CAIRN_OK;
}

static cairn_err make_physics(const cairn_physics_def *def, const double *sink_m, cairn_complaints *complaints,
                              cairn_physics **ret_physics)
{
    cairn_physics *physics = calloc(1, sizeof *physics);
    if (!physics) { return CAIRN_ERR_FULL; }
    physics->arena = def->arena;
    physics->robot_count = def->robot_count;
    physics->body_count = cairn_mujoco_block_bodies(def);
    physics->party_count = physics->robot_count + physics->body_count;
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
                                                 .collisions = mujoco_collisions,
                                                 .collision_log = mujoco_collision_log,
                                                 .mover = cairn_mujoco_mover,
                                                 .put = cairn_mujoco_put,
                                                 .push = cairn_mujoco_push,
                                                 .state_bytes = cairn_mujoco_state_bytes,
                                                 .save = cairn_mujoco_save,
                                                 .load = cairn_mujoco_load,
                                                 .hold = mujoco_hold,
                                                 .stance = cairn_mujoco_stance};
