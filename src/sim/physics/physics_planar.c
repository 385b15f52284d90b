// physics_planar.c - robots as rectangles on wheels that roll, slip and push.
//
// Skid steering has two ways to move, each with one speed of the wheels and one of the body: straight on (the mean of
// the wheels, the forward speed) and turning (half the difference of the sides, the yaw rate). In each the ground's
// force is whatever makes the body follow the wheels within this step, but no more than friction can give: wheels that
// are held back by a wall or driven too hard slip. What the wheels' turning becomes in motion is the kinematic
// figure less a slip that wanders slowly; for turning it also holds the body's turn_efficiency.
// Sideways the tyres hold. Height, roll and pitch are those of the ground below the wheels, and gravity pulls along
// the slope.
#include "base/random.h"
#include "sim/arena/ground.h"
#include "sim/physics/motor.h"
#include "sim/physics/physics.h"
#include "sim/physics/planar_contacts.h"
#include <stdio.h>
#include <stdlib.h>

#define GRAVITY_MPS2 9.81
// Tyre on floor [-].
#define TYRE_FRICTION 0.8
// Rolling resistance [-] of weight: keeps a robot where it is on floors up to one degree.
#define ROLLING_FRICTION 0.015
// The part of the tyres' friction that acts along the wheels while turning on the spot: at a turn efficiency of 0.58
// their contacts slip at 48 degrees to the wheels' planes.
#define SKID_PART 0.67
// Skidding resists in full when turning outweighs driving on by this much; the rest keeps it smooth near zero.
#define SKID_DRIVING_PART 0.3
#define SKID_RADPS 0.1
// Slip [-]: the forward one has a mean; both wander with a deviation and a time.
#define FORWARD_SLIP 0.01
#define FORWARD_SLIP_DEVIATION 0.005
#define TURN_SLIP_DEVIATION 0.03
#define SLIP_WANDER_S 4.0
// Tyres and frame soften what the IMU feels.
#define SOFTNESS_S 0.02

// Lower than this is rolled over, not touched.
#define STEP_M_MAX 0.03
// Nearer than this is touching; pushed apart to half of it, so that a touch lasts as long as the push.
#define TOUCH_M 1e-3
#define TOUCH_GAP_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// A bump stays for one period of the reflex (8 ms).
#define BUMP_STEPS 2
// A side is bumped when the contact lies within 60 degrees of its direction: a corner bumps two.
#define BUMP_COSINE 0.5
// Corners of rooms need two rounds, another robot between a third.
#define CONTACT_ROUNDS 3

enum { SIDE_FRONT, SIDE_REAR, SIDE_LEFT, SIDE_RIGHT, SIDE_COUNT };
enum { WAY_FORWARD, WAY_TURN, WAY_COUNT };

// One way to move: forward (m, m/s, kg, N) or turning (rad, rad/s, kg m2, N m).
typedef struct way_state {
    double body_speed;  // m/s or rad/s
    double wheel_radps; // mean of the wheels, or half the difference right - left
    double slip;        // [-] around its mean
    double body_mass;   // kg or kg m2
} way_state;

typedef struct robot_state {
    const cairn_body_description *description;
    cairn_random random;
    way_state ways[WAY_COUNT];
    cairn_pose2 pose;          // map_T_base seen from above
    cairn_vec2 heading;        // of the pose
    double wheel_inertia_kgm2; // of all four
    double reach_m;            // of the outline's corners
    double slope_rad;          // of the way ahead, rising positive
    cairn_robot_truth truth;
    cairn_collisions collisions;
    int64_t bump_step[SIDE_COUNT];
    int64_t *touch_step; // of each solid's thing, then each robot: last step in which they touched
} robot_state;

struct cairn_physics {
    cairn_arena memory;
    const cairn_sim_arena *arena;
    cairn_obstacle_index index;
    uint32_t robot_count;
    int64_t step;                          // steps taken
    double slip_keep, slip_new[WAY_COUNT]; // of the wandering, in one step
    robot_state *robots;
};

static const double STEP_S = (double)CAIRN_PHYSICS_STEP_NS * 1e-9;

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

// ---- rolling

static void wander_slips(cairn_physics *physics, robot_state *robot)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        way_state *way = &robot->ways[i];
        way->slip = physics->slip_keep * way->slip + physics->slip_new[i] * cairn_random_gauss(&robot->random);
    }
}

// What one way is driven by and held back by in this step.
typedef struct way_load {
    double ratio;       // body speed for one rad/s of the wheels
    double lever;       // torque on the wheels for one N or N m on the body
    double torque_nm;   // of the motors
    double push;        // acceleration of the body by others than the wheels
    double grip;        // N or N m at most
    double friction_nm; // holds the wheels, whichever way they turn
    double skid_nm;     // against skidding, at full
    double skid_radps;  // of the wheels at which half of it acts
} way_load;

static void roll(way_state *way, const way_load *load, double wheel_inertia_kgm2)
{
    // The force that leaves body and wheels together at the end of the step.
    const double wheel_free = way->wheel_radps + STEP_S * load->torque_nm / wheel_inertia_kgm2;
    const double body_free = way->body_speed + STEP_S * load->push;
    const double give = 1 / way->body_mass + load->ratio * load->lever / wheel_inertia_kgm2;
    const double wanted = (load->ratio * wheel_free - body_free) / (STEP_S * give);
    const double force = clamp(wanted, load->grip);
    const bool rolls = fabs(wanted) <= load->grip;
    way->wheel_radps = wheel_free - STEP_S * force * load->lever / wheel_inertia_kgm2;
    way->body_speed = body_free + STEP_S * force / way->body_mass;

    // Resistance stops what turns, never turns it back.
    const double inertia = wheel_inertia_kgm2 + (rolls ? way->body_mass * load->ratio * load->lever : 0);
    const double skid = load->skid_nm / (fabs(way->wheel_radps) + load->skid_radps);
    const double slowed = way->wheel_radps / (1 + STEP_S * skid / inertia);
    const double after = slowed - clamp(slowed, STEP_S * load->friction_nm / inertia);
    if (rolls) { way->body_speed -= load->ratio * (way->wheel_radps - after); }
    way->wheel_radps = after;
}

static void roll_robot(robot_state *robot, const cairn_motor_target *target)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    way_state *forward = &robot->ways[WAY_FORWARD], *turn = &robot->ways[WAY_TURN];
    double side_nm[2] = {0, 0}; // left, right
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        side_nm[i % 2] += cairn_motor_torque_nm(wheels, target->torque_nm[i], robot->truth.wheel_radps[i]);
    }
    const double weight_n = robot->description->mass_kg * GRAVITY_MPS2 * cos(robot->slope_rad);
    const double grip_n = TYRE_FRICTION * weight_n, rolling_nm = ROLLING_FRICTION * weight_n * wheels->radius_m;
    const double turn_ratio = wheels->turn_efficiency * (1 - turn->slip) * 2 * wheels->radius_m / wheels->track_m;
    const way_load loads[WAY_COUNT] = {
        {.ratio = wheels->radius_m * (1 - FORWARD_SLIP - forward->slip),
         .lever = wheels->radius_m,
         .torque_nm = side_nm[1] + side_nm[0],
         .push = -GRAVITY_MPS2 * sin(robot->slope_rad),
         .grip = grip_n,
         .friction_nm = rolling_nm,
         .skid_radps = 1},
        {.ratio = turn_ratio,
         .lever = turn_ratio,
         .torque_nm = side_nm[1] - side_nm[0],
         .grip = grip_n * 0.5 * wheels->track_m,
         .friction_nm = rolling_nm,
         .skid_nm = SKID_PART * grip_n * wheels->radius_m,
         .skid_radps = SKID_RADPS + SKID_DRIVING_PART * fabs(forward->wheel_radps)},
    };
    for (int i = 0; i < WAY_COUNT; i++) { roll(&robot->ways[i], &loads[i], robot->wheel_inertia_kgm2); }
}

static void move_robot(robot_state *robot)
{
    const double turned_rad = robot->ways[WAY_TURN].body_speed * STEP_S;
    const double moved_m = robot->ways[WAY_FORWARD].body_speed * cos(robot->slope_rad) * STEP_S;
    const double yaw_rad = robot->pose.yaw_rad + 0.5 * turned_rad;
    robot->pose.x_m += moved_m * cos(yaw_rad);
    robot->pose.y_m += moved_m * sin(yaw_rad);
    robot->pose.yaw_rad = cairn_angle_wrap(robot->pose.yaw_rad + turned_rad);
    robot->heading = (cairn_vec2){cos(robot->pose.yaw_rad), sin(robot->pose.yaw_rad)};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double side = i % 2 == 0 ? -1 : 1; // left, right
        const double speed = robot->ways[WAY_FORWARD].wheel_radps + side * robot->ways[WAY_TURN].wheel_radps;
        robot->truth.wheel_radps[i] = speed;
        robot->truth.wheel_rad[i] += speed * STEP_S;
    }
}

// ---- touching

static cairn_rect outline_of(const robot_state *robot)
{
    return (cairn_rect){cairn_pose2_at(robot->pose),
                        robot->heading,
                        {0.5 * robot->description->length_m, 0.5 * robot->description->width_m}};
}

// How a robot's two ways to move answer to a push along a normal at a point.
typedef struct push_answer {
    double per_speed[WAY_COUNT]; // speed of the point along the normal, for one unit of each way
    double point_mps;            // of the point along the normal now
    double give;                 // speed gained for one N s
} push_answer;

static push_answer answer_of(const robot_state *robot, cairn_vec2 at_m, cairn_vec2 normal)
{
    const cairn_vec2 arm = cairn_vec2_sub(at_m, cairn_pose2_at(robot->pose));
    push_answer answer = {.per_speed = {cairn_vec2_dot(robot->heading, normal), cairn_vec2_cross(arm, normal)}};
    for (int i = 0; i < WAY_COUNT; i++) {
        answer.point_mps += answer.per_speed[i] * robot->ways[i].body_speed;
        answer.give += answer.per_speed[i] * answer.per_speed[i] / robot->ways[i].body_mass;
    }
    return answer;
}

static void give_push(robot_state *robot, const push_answer *answer, double push_ns)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        robot->ways[i].body_speed += push_ns * answer->per_speed[i] / robot->ways[i].body_mass;
    }
}

static void shift(robot_state *robot, cairn_vec2 normal, double by_m)
{
    robot->pose.x_m += by_m * normal.x;
    robot->pose.y_m += by_m * normal.y;
}

static void note_touch(cairn_physics *physics, robot_state *robot, uint32_t thing, double closing_mps,
                       cairn_vec2 normal)
{
    if (physics->step - robot->touch_step[thing] > TOUCH_GAP_STEPS) {
        robot->collisions.count++;
        robot->collisions.speed_mps_max = fmax(robot->collisions.speed_mps_max, closing_mps);
    }
    robot->touch_step[thing] = physics->step;
    const double ahead = -cairn_vec2_dot(robot->heading, normal), left = -cairn_vec2_cross(robot->heading, normal);
    if (ahead > BUMP_COSINE) { robot->bump_step[SIDE_FRONT] = physics->step; }
    if (ahead < -BUMP_COSINE) { robot->bump_step[SIDE_REAR] = physics->step; }
    if (left > BUMP_COSINE) { robot->bump_step[SIDE_LEFT] = physics->step; }
    if (left < -BUMP_COSINE) { robot->bump_step[SIDE_RIGHT] = physics->step; }
}

typedef struct robot_in_physics {
    cairn_physics *physics;
    robot_state *robot;
} robot_in_physics;

static void meet_obstacle(void *context, const cairn_obstacle *obstacle)
{
    const robot_in_physics *of = context;
    robot_state *robot = of->robot;
    const double ground_m = robot->truth.map_T_base.at_m.z;
    if (obstacle->top_m < ground_m + STEP_M_MAX) { return; }
    if (obstacle->bottom_m > ground_m + robot->description->height_m) { return; }
    const cairn_rect outline = outline_of(robot);
    cairn_rect_contact contact;
    if (!cairn_rects_touch(&outline, &obstacle->rect, TOUCH_M, &contact)) { return; }

    const push_answer answer = answer_of(robot, contact.at_m, contact.normal);
    note_touch(of->physics, robot, obstacle->thing, fmax(-answer.point_mps, 0), contact.normal);
    shift(robot, contact.normal, fmax(0.5 * TOUCH_M - contact.gap_m, 0));
    if (answer.point_mps < 0 && answer.give > 0) { give_push(robot, &answer, -answer.point_mps / answer.give); }
}

static void meet_robot(cairn_physics *physics, uint32_t first, uint32_t second)
{
    robot_state *a = &physics->robots[first], *b = &physics->robots[second];
    const double apart_m = cairn_vec2_distance(cairn_pose2_at(a->pose), cairn_pose2_at(b->pose));
    if (apart_m > a->reach_m + b->reach_m + TOUCH_M) { return; }
    const cairn_rect outline_a = outline_of(a), outline_b = outline_of(b);
    cairn_rect_contact contact;
    if (!cairn_rects_touch(&outline_a, &outline_b, TOUCH_M, &contact)) { return; }

    const cairn_vec2 back = cairn_vec2_scale(contact.normal, -1);
    const push_answer answer_a = answer_of(a, contact.at_m, contact.normal),
                      answer_b = answer_of(b, contact.at_m, back);
    const double closing_mps = -(answer_a.point_mps + answer_b.point_mps), give = answer_a.give + answer_b.give;
    const uint32_t thing = physics->arena->solid_count;
    note_touch(physics, a, thing + second, fmax(closing_mps, 0), contact.normal);
    note_touch(physics, b, thing + first, fmax(closing_mps, 0), back);
    const double apart_by_m = fmax(0.5 * TOUCH_M - contact.gap_m, 0);
    shift(a, contact.normal, 0.5 * apart_by_m);
    shift(b, back, 0.5 * apart_by_m);
    if (closing_mps > 0 && give > 0) {
        give_push(a, &answer_a, closing_mps / give);
        give_push(b, &answer_b, closing_mps / give);
    }
}

static void keep_apart(cairn_physics *physics)
{
    for (int round = 0; round < CONTACT_ROUNDS; round++) {
        for (uint32_t first = 0; first < physics->robot_count; first++) {
            for (uint32_t second = first + 1; second < physics->robot_count; second++) {
                meet_robot(physics, first, second);
            }
        }
        for (uint32_t i = 0; i < physics->robot_count; i++) {
            robot_state *robot = &physics->robots[i];
            robot_in_physics context = {physics, robot};
            cairn_obstacle_index_visit(&physics->index, cairn_pose2_at(robot->pose), robot->reach_m + TOUCH_M,
                                       meet_obstacle, &context);
        }
    }
}

// ---- standing on the ground, and what can be felt of it

static cairn_pose3 standing_pose(const cairn_sim_arena *arena, const robot_state *robot)
{
    if (arena->ramp_count == 0 && arena->field_count == 0) { return cairn_pose3_from_pose2(robot->pose, 0); }
    const cairn_wheels_description *wheels = &robot->description->wheels;
    double ground_m[CAIRN_WHEELS_MAX];
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec2 wheel = {(i < 2 ? 0.5 : -0.5) * wheels->wheelbase_m,
                                  (i % 2 == 0 ? 0.5 : -0.5) * wheels->track_m};
        ground_m[i] = cairn_sim_ground_m(arena, cairn_pose2_apply(robot->pose, wheel), INFINITY);
    }
    const double front_m = 0.5 * (ground_m[0] + ground_m[1]), rear_m = 0.5 * (ground_m[2] + ground_m[3]);
    const double left_m = 0.5 * (ground_m[0] + ground_m[2]), right_m = 0.5 * (ground_m[1] + ground_m[3]);
    const cairn_rpy rpy = {atan2(left_m - right_m, wheels->track_m), -atan2(front_m - rear_m, wheels->wheelbase_m),
                           robot->pose.yaw_rad};
    return (cairn_pose3){{robot->pose.x_m, robot->pose.y_m, 0.5 * (front_m + rear_m)}, cairn_quat_from_rpy(rpy)};
}

static void stand(const cairn_physics *physics, robot_state *robot)
{
    cairn_robot_truth *truth = &robot->truth;
    const cairn_pose3 before = truth->map_T_base, now = standing_pose(physics->arena, robot);
    const cairn_vec3 velocity = cairn_vec3_scale(cairn_vec3_sub(now.at_m, before.at_m), 1 / STEP_S);
    cairn_vec3 force = cairn_vec3_scale(cairn_vec3_sub(velocity, truth->velocity_mps), 1 / STEP_S);
    force.z += GRAVITY_MPS2;
    const cairn_vec3 felt = cairn_quat_rotate(cairn_quat_conjugate(now.turn), force);
    const cairn_vec3 change = cairn_vec3_scale(cairn_vec3_sub(felt, truth->accel_mps2), STEP_S / (SOFTNESS_S + STEP_S));
    const cairn_quat turned = cairn_quat_multiply(cairn_quat_conjugate(before.turn), now.turn);

    truth->accel_mps2 = cairn_vec3_add(truth->accel_mps2, change);
    truth->turn_radps = cairn_vec3_scale(cairn_quat_log(turned), 1 / STEP_S);
    truth->velocity_mps = velocity;
    truth->map_T_base = now;
    robot->slope_rad = -cairn_quat_to_rpy(now.turn).pitch_rad;
}

// ---- the interface

static void planar_step(cairn_physics *physics, const cairn_motor_target *targets)
{
    physics->step++;
    for (uint32_t i = 0; i < physics->robot_count; i++) {
        CAIRN_ASSERT(targets[i].command == CAIRN_DRIVE_TORQUE);
        wander_slips(physics, &physics->robots[i]);
        roll_robot(&physics->robots[i], &targets[i]);
        move_robot(&physics->robots[i]);
    }
    keep_apart(physics);
    for (uint32_t i = 0; i < physics->robot_count; i++) { stand(physics, &physics->robots[i]); }
}

static void planar_truth(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const robot_state *state = &physics->robots[robot];
    *ret_truth = state->truth;
    ret_truth->bump_front = physics->step - state->bump_step[SIDE_FRONT] < BUMP_STEPS;
    ret_truth->bump_rear = physics->step - state->bump_step[SIDE_REAR] < BUMP_STEPS;
    ret_truth->bump_left = physics->step - state->bump_step[SIDE_LEFT] < BUMP_STEPS;
    ret_truth->bump_right = physics->step - state->bump_step[SIDE_RIGHT] < BUMP_STEPS;
}

static cairn_collisions planar_collisions(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    return physics->robots[robot].collisions;
}

static void planar_destroy(cairn_physics *physics)
{
    if (!physics) { return; }
    cairn_arena_destroy(&physics->memory);
    free(physics);
}

// ---- making one

static cairn_err place_robot(cairn_physics *physics, uint32_t at, const cairn_physics_def *def)
{
    robot_state *robot = &physics->robots[at];
    const cairn_body_description *description = def->robots[at];
    robot->description = description;
    robot->pose = def->starts[at];
    robot->heading = (cairn_vec2){cos(robot->pose.yaw_rad), sin(robot->pose.yaw_rad)};
    robot->wheel_inertia_kgm2 = CAIRN_WHEELS_MAX * description->wheels.rotor_inertia_kgm2;
    robot->reach_m = 0.5 * hypot(description->length_m, description->width_m);
    robot->ways[WAY_FORWARD].body_mass = description->mass_kg;
    // As if its mass were spread evenly over the outer box.
    robot->ways[WAY_TURN].body_mass = description->mass_kg * 4 * robot->reach_m * robot->reach_m / 12;
    char name[32];
    snprintf(name, sizeof name, "planar/slip/%u", at);
    cairn_random_init(&robot->random, def->seed, name);
    robot->ways[WAY_FORWARD].slip = FORWARD_SLIP_DEVIATION * cairn_random_gauss(&robot->random);
    robot->ways[WAY_TURN].slip = TURN_SLIP_DEVIATION * cairn_random_gauss(&robot->random);

    const uint32_t touch_count = physics->arena->solid_count + physics->robot_count;
    robot->touch_step = CAIRN_TAKE(&physics->memory, int64_t, touch_count);
    if (!robot->touch_step) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < touch_count; i++) { robot->touch_step[i] = -TOUCH_GAP_STEPS - 1; }
    for (int side = 0; side < SIDE_COUNT; side++) { robot->bump_step[side] = -BUMP_STEPS; }

    const cairn_pose3 standing = standing_pose(physics->arena, robot);
    robot->truth.map_T_base = standing;
    robot->truth.accel_mps2 = cairn_quat_rotate(cairn_quat_conjugate(standing.turn), (cairn_vec3){0, 0, GRAVITY_MPS2});
    robot->slope_rad = -cairn_quat_to_rpy(standing.turn).pitch_rad;
    return CAIRN_OK;
}

static cairn_err fill_physics(cairn_physics *physics, const cairn_physics_def *def)
{
    const size_t touch_bytes = (def->arena->solid_count + def->robot_count + 8) * sizeof(int64_t);
    const size_t bytes =
        cairn_obstacle_index_bytes(def->arena) + 4096 + def->robot_count * (sizeof(robot_state) + touch_bytes + 64);
    cairn_err err = cairn_arena_create(&physics->memory, bytes);
    if (err == CAIRN_OK) { err = cairn_obstacle_index_create(def->arena, &physics->memory, &physics->index); }
    if (err != CAIRN_OK) { return err; }
    physics->robots = CAIRN_TAKE(&physics->memory, robot_state, def->robot_count);
    if (!physics->robots) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->robot_count && err == CAIRN_OK; i++) { err = place_robot(physics, i, def); }
    cairn_arena_seal(&physics->memory);
    return err;
}

static cairn_err planar_create(const cairn_physics_def *def, cairn_complaints *complaints, cairn_physics **ret_physics)
{
    CAIRN_ASSERT(def->arena && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    for (uint32_t i = 0; i < def->robot_count; i++) {
        if (def->robots[i]->drive == CAIRN_DRIVE_TORQUE) { continue; }
        cairn_complain(complaints, NULL, 0, "robot \"%s\": the planar physics drives wheels by torque only",
                       def->robots[i]->name);
        return CAIRN_ERR_UNSUPPORTED;
    }
    cairn_physics *physics = calloc(1, sizeof *physics);
    if (!physics) { return CAIRN_ERR_FULL; }
    physics->arena = def->arena;
    physics->robot_count = def->robot_count;
    physics->slip_keep = exp(-STEP_S / SLIP_WANDER_S);
    const double fresh = sqrt(1 - physics->slip_keep * physics->slip_keep);
    physics->slip_new[WAY_FORWARD] = FORWARD_SLIP_DEVIATION * fresh;
    physics->slip_new[WAY_TURN] = TURN_SLIP_DEVIATION * fresh;
    const cairn_err err = fill_physics(physics, def);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, NULL, 0, "the planar physics cannot be made: no memory for %u solids",
                       def->arena->solid_count);
        planar_destroy(physics);
        return err;
    }
    *ret_physics = physics;
    return CAIRN_OK;
}

const cairn_physics_kind cairn_physics_planar = {.name = "planar",
                                                 .create = planar_create,
                                                 .destroy = planar_destroy,
                                                 .step = planar_step,
                                                 .truth = planar_truth,
                                                 .collisions = planar_collisions};
