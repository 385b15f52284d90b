// physics_planar.c - robots as rectangles on wheels that roll, slip and push.
//
// Skid steering has two ways to move, each with one speed of the wheels and one of the body: straight on (the mean of
// the wheels, the forward speed) and turning (half the difference of the sides, the yaw rate). In each the ground's
// force is whatever makes the body follow the wheels within this step, but no more than friction can give: wheels that
// are held back by a wall or driven too hard slip. What the wheels' turning becomes in motion is the kinematic
// figure less a slip that wanders slowly; for turning it also holds the body's turn_efficiency.
// Sideways the tyres hold as far as friction lets them. Height, roll and pitch are those of the ground below the wheels
// (planar_ground.h), and gravity pulls along the slope. Blocks give way to whoever pushes them (planar_movers.h).
#include "base/random.h"
#include "sim/arena/ground.h"
#include "sim/physics/motor.h"
#include "sim/physics/physics.h"
#include "sim/physics/planar/planar_contacts.h"
#include "sim/physics/planar/planar_ground.h"
#include "sim/physics/planar/planar_movers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY_MPS2 9.81
// Rolling resistance [-] of weight: keeps a robot where it is on floors up to one degree. Gravel and rubble give way.
#define ROLLING_FRICTION 0.015
#define ROUGH_ROLLING_FRICTION 0.06
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

// Nearer than this is touching; pushed apart to half of it, so that a touch lasts as long as the push.
#define TOUCH_M 1e-3
#define TOUCH_GAP_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// A bump stays for one period of the reflex (8 ms).
#define BUMP_STEPS 2
#define START_SLACK_M 0.01 // a start's ground lies at or just below what it says
// A side is bumped when the contact lies within 60 degrees of its direction: a corner bumps two.
#define BUMP_COSINE 0.5
// Corners of rooms need two rounds, another robot between a third.
#define CONTACT_ROUNDS 3
// Who is found inside a face of the ground, since it rises along the way, is moved out of it at this speed.
#define OUT_OF_GROUND_MPS 0.3
// Things touched within the last half second; the oldest goes if there are more.
#define TOUCHES 32
// Beyond these a state to be loaded is damaged.
#define FAR_M 1e5
#define FAST_MPS 1e3
#define FAST_RADPS 1e5
#define HARD_MPS2 1e7
#define TURNED_RAD 1e12

enum { SIDE_FRONT, SIDE_REAR, SIDE_LEFT, SIDE_RIGHT, SIDE_COUNT };
enum { WAY_FORWARD, WAY_TURN, WAY_COUNT };

// One way to move: forward (m, m/s, kg, N) or turning (rad, rad/s, kg m2, N m).
typedef struct way_state {
    double body_speed;  // m/s or rad/s
    double wheel_radps; // mean of the wheels, or half the difference right - left
    double slip;        // [-] around its mean
} way_state;

typedef struct touch_state {
    int64_t thing; // a solid, the first of its thing, or solid_count + a robot; -1: none
    int64_t step;  // last in which they touched
} touch_state;

// All of a robot that changes, as it is saved: plain data.
typedef struct robot_motion {
    cairn_random random;
    way_state ways[WAY_COUNT];
    cairn_pose2 pose;   // map_T_base seen from above
    cairn_vec2 heading; // of the pose
    double side_mps;    // sliding to the left, where tyres do not hold
    double slope_rad;   // of the way ahead, rising positive
    double lean_rad;    // of the ground across, rising to the left
    double fall_mps;    // downward, of one that falls
    cairn_feet feet;
    cairn_robot_truth truth;
    cairn_collisions collisions;
    int64_t bump_step[SIDE_COUNT];
    touch_state touches[TOUCHES];
} robot_motion;

typedef struct robot_state {
    const cairn_body_description *description;
    double body_mass[WAY_COUNT]; // kg or kg m2
    double wheel_inertia_kgm2;   // of all four
    double reach_m;              // of the outline's corners
    robot_motion now;
} robot_state;

struct cairn_physics {
    cairn_arena memory;
    const cairn_sim_arena *arena;
    bool flat; // no ground but the floor
    cairn_obstacle_index index;
    uint32_t robot_count, mover_count;
    int64_t step;                          // steps taken
    double slip_keep, slip_new[WAY_COUNT]; // of the wandering, in one step
    robot_state *robots;
    cairn_planar_mover *movers;
};

static const double STEP_S = (double)CAIRN_PHYSICS_STEP_NS * 1e-9;

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

// ---- rolling

static void wander_slips(cairn_physics *physics, robot_state *robot)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        way_state *way = &robot->now.ways[i];
        way->slip = physics->slip_keep * way->slip + physics->slip_new[i] * cairn_random_gauss(&robot->now.random);
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

static void roll(way_state *way, double body_mass, const way_load *load, double wheel_inertia_kgm2)
{
    // The force that leaves body and wheels together at the end of the step.
    const double wheel_free = way->wheel_radps + STEP_S * load->torque_nm / wheel_inertia_kgm2;
    const double body_free = way->body_speed + STEP_S * load->push;
    const double give = 1 / body_mass + load->ratio * load->lever / wheel_inertia_kgm2;
    const double wanted = (load->ratio * wheel_free - body_free) / (STEP_S * give);
    const double force = clamp(wanted, load->grip);
    const bool rolls = fabs(wanted) <= load->grip;
    way->wheel_radps = wheel_free - STEP_S * force * load->lever / wheel_inertia_kgm2;
    way->body_speed = body_free + STEP_S * force / body_mass;

    // Resistance stops what turns, never turns it back.
    const double inertia = wheel_inertia_kgm2 + (rolls ? body_mass * load->ratio * load->lever : 0);
    const double skid = load->skid_nm / (fabs(way->wheel_radps) + load->skid_radps);
    const double slowed = way->wheel_radps / (1 + STEP_S * skid / inertia);
    const double after = slowed - clamp(slowed, STEP_S * load->friction_nm / inertia);
    if (rolls) { way->body_speed -= load->ratio * (way->wheel_radps - after); }
    way->wheel_radps = after;
}

static void roll_robot(robot_state *robot, const cairn_motor_target *target)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    way_state *forward = &robot->now.ways[WAY_FORWARD], *turn = &robot->now.ways[WAY_TURN];
    double side_nm[2] = {0, 0}; // left, right
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        side_nm[i % 2] += cairn_motor_torque_nm(wheels, target->torque_nm[i], robot->now.truth.wheel_radps[i]);
    }
    const double weight_n = robot->description->mass_kg * GRAVITY_MPS2 * cos(robot->now.slope_rad);
    const double rolling = robot->now.feet.rough != 0 ? ROUGH_ROLLING_FRICTION : ROLLING_FRICTION;
    const double grip_n = robot->now.feet.friction * weight_n, rolling_nm = rolling * weight_n * wheels->radius_m;
    const double turn_ratio = wheels->turn_efficiency * (1 - turn->slip) * 2 * wheels->radius_m / wheels->track_m;
    const way_load loads[WAY_COUNT] = {
        {.ratio = wheels->radius_m * (1 - FORWARD_SLIP - forward->slip),
         .lever = wheels->radius_m,
         .torque_nm = side_nm[1] + side_nm[0],
         .push = -GRAVITY_MPS2 * sin(robot->now.slope_rad),
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
    for (int i = 0; i < WAY_COUNT; i++) {
        roll(&robot->now.ways[i], robot->body_mass[i], &loads[i], robot->wheel_inertia_kgm2);
    }
}

// Across the slope tyres hold or slide; friction stops them, never turns them back.
static void slide(robot_state *robot)
{
    robot_motion *now = &robot->now;
    if (now->lean_rad == 0 && now->side_mps == 0) { return; }
    const double pulled_mps = now->side_mps - STEP_S * GRAVITY_MPS2 * sin(now->lean_rad);
    const double held_mps = STEP_S * GRAVITY_MPS2 * now->feet.friction * cos(now->lean_rad) * cos(now->slope_rad);
    now->side_mps = pulled_mps - clamp(pulled_mps, held_mps);
    const double moved_m = now->side_mps * cos(now->lean_rad) * STEP_S;
    now->pose.x_m -= moved_m * now->heading.y;
    now->pose.y_m += moved_m * now->heading.x;
}

static void move_robot(robot_state *robot)
{
    const double turned_rad = robot->now.ways[WAY_TURN].body_speed * STEP_S;
    const double moved_m = robot->now.ways[WAY_FORWARD].body_speed * cos(robot->now.slope_rad) * STEP_S;
    const double yaw_rad = robot->now.pose.yaw_rad + 0.5 * turned_rad;
    robot->now.pose.x_m += moved_m * cos(yaw_rad);
    robot->now.pose.y_m += moved_m * sin(yaw_rad);
    robot->now.pose.yaw_rad = cairn_angle_wrap(robot->now.pose.yaw_rad + turned_rad);
    robot->now.heading = (cairn_vec2){cos(robot->now.pose.yaw_rad), sin(robot->now.pose.yaw_rad)};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double side = i % 2 == 0 ? -1 : 1; // left, right
        const double speed = robot->now.ways[WAY_FORWARD].wheel_radps + side * robot->now.ways[WAY_TURN].wheel_radps;
        robot->now.truth.wheel_radps[i] = speed;
        robot->now.truth.wheel_rad[i] += speed * STEP_S;
    }
}

// ---- touching

static cairn_rect outline_of(const robot_state *robot)
{
    return (cairn_rect){cairn_pose2_at(robot->now.pose),
                        robot->now.heading,
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
    const cairn_vec2 arm = cairn_vec2_sub(at_m, cairn_pose2_at(robot->now.pose));
    push_answer answer = {.per_speed = {cairn_vec2_dot(robot->now.heading, normal), cairn_vec2_cross(arm, normal)}};
    for (int i = 0; i < WAY_COUNT; i++) {
        answer.point_mps += answer.per_speed[i] * robot->now.ways[i].body_speed;
        answer.give += answer.per_speed[i] * answer.per_speed[i] / robot->body_mass[i];
    }
    return answer;
}

static void give_push(robot_state *robot, const push_answer *answer, double push_ns)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        robot->now.ways[i].body_speed += push_ns * answer->per_speed[i] / robot->body_mass[i];
    }
}

static void shift(robot_state *robot, cairn_vec2 normal, double by_m)
{
    robot->now.pose.x_m += by_m * normal.x;
    robot->now.pose.y_m += by_m * normal.y;
}

// Where a touch is kept: its own place, or that of the oldest.
static touch_state *touch_of(robot_state *robot, uint32_t thing)
{
    touch_state *oldest = &robot->now.touches[0];
    for (int i = 0; i < TOUCHES; i++) {
        touch_state *touch = &robot->now.touches[i];
        if (touch->thing == thing) { return touch; }
        if (touch->step < oldest->step) { oldest = touch; }
    }
    return oldest;
}

static void note_touch(cairn_physics *physics, robot_state *robot, uint32_t thing, double closing_mps,
                       cairn_vec2 normal)
{
    touch_state *touch = touch_of(robot, thing);
    if (touch->thing != thing || physics->step - touch->step > TOUCH_GAP_STEPS) {
        robot->now.collisions.count++;
        robot->now.collisions.speed_mps_max = fmax(robot->now.collisions.speed_mps_max, closing_mps);
    }
    *touch = (touch_state){thing, physics->step};
    const double ahead = -cairn_vec2_dot(robot->now.heading, normal),
                 left = -cairn_vec2_cross(robot->now.heading, normal);
    if (ahead > BUMP_COSINE) { robot->now.bump_step[SIDE_FRONT] = physics->step; }
    if (ahead < -BUMP_COSINE) { robot->now.bump_step[SIDE_REAR] = physics->step; }
    if (left > BUMP_COSINE) { robot->now.bump_step[SIDE_LEFT] = physics->step; }
    if (left < -BUMP_COSINE) { robot->now.bump_step[SIDE_RIGHT] = physics->step; }
}

static void stop_sliding(robot_state *robot, cairn_vec2 normal)
{
    const double left = cairn_vec2_cross(robot->now.heading, normal);
    if (robot->now.side_mps * left < 0) { robot->now.side_mps = 0; }
}

typedef struct robot_in_physics {
    cairn_physics *physics;
    robot_state *robot;
} robot_in_physics;

// Of the plane in which a robot stands.
static double foot_at_m(const robot_state *robot, cairn_vec2 at_m)
{
    const cairn_pose3 pose = robot->now.truth.map_T_base;
    const cairn_vec3 up = cairn_quat_rotate(pose.turn, (cairn_vec3){0, 0, 1});
    const double x_m = at_m.x - robot->now.pose.x_m, y_m = at_m.y - robot->now.pose.y_m;
    return pose.at_m.z - (up.x * x_m + up.y * y_m) / fmax(up.z, 0.1);
}

static bool shares_height(const robot_state *robot, double bottom_m, double top_m)
{
    const double ground_m = robot->now.truth.map_T_base.at_m.z;
    return top_m >= ground_m + robot->description->limits.step_m_max &&
           bottom_m <= ground_m + robot->description->height_m;
}

static void meet_obstacle(void *context, const cairn_obstacle *obstacle)
{
    const robot_in_physics *of = context;
    robot_state *robot = of->robot;
    if (!shares_height(robot, obstacle->bottom_m, obstacle->top_m)) { return; }
    const cairn_rect outline = outline_of(robot);
    cairn_rect_contact contact;
    if (!cairn_rects_touch(&outline, &obstacle->rect, TOUCH_M, &contact)) { return; }
    if (obstacle->ground && !cairn_ground_stops(of->physics->arena, obstacle, &contact, foot_at_m(robot, contact.at_m),
                                                robot->description->height_m, robot->description->limits.step_m_max)) {
        return;
    }
    const push_answer answer = answer_of(robot, contact.at_m, contact.normal);
    note_touch(of->physics, robot, obstacle->thing, fmax(-answer.point_mps, 0), contact.normal);
    double out_m = fmax(0.5 * TOUCH_M - contact.gap_m, 0);
    if (obstacle->ground) {
        const double back_m = fmax(-answer.point_mps, 0) * STEP_S, further_m = OUT_OF_GROUND_MPS * STEP_S;
        out_m = fmin(out_m, back_m + further_m / CONTACT_ROUNDS);
    }
    shift(robot, contact.normal, out_m);
    stop_sliding(robot, contact.normal);
    if (answer.point_mps < 0 && answer.give > 0) { give_push(robot, &answer, -answer.point_mps / answer.give); }
}

// A block takes its part of the push. It does not give way at once: it slides on in its own time, and until then the
// robot is held back.
static void meet_mover(cairn_physics *physics, robot_state *robot, cairn_planar_mover *mover)
{
    const double apart_m = cairn_vec2_distance(cairn_pose2_at(robot->now.pose), mover->obstacle.rect.centre_m);
    if (apart_m > robot->reach_m + mover->reach_m + TOUCH_M) { return; }
    if (!shares_height(robot, mover->obstacle.bottom_m, mover->obstacle.top_m)) { return; }
    const cairn_rect outline = outline_of(robot);
    cairn_rect_contact contact;
    if (!cairn_rects_touch(&outline, &mover->obstacle.rect, TOUCH_M, &contact)) { return; }

    const cairn_vec2 back = cairn_vec2_scale(contact.normal, -1);
    const push_answer answer = answer_of(robot, contact.at_m, contact.normal);
    const double closing_mps = -(answer.point_mps + cairn_planar_mover_mps(mover, contact.at_m, back));
    const double give = answer.give + cairn_planar_mover_give(mover, contact.at_m, back);
    note_touch(physics, robot, mover->obstacle.thing, fmax(closing_mps, 0), contact.normal);
    shift(robot, contact.normal, fmax(0.5 * TOUCH_M - contact.gap_m, 0));
    stop_sliding(robot, contact.normal);
    if (closing_mps > 0 && give > 0) {
        give_push(robot, &answer, closing_mps / give);
        cairn_planar_mover_push(mover, contact.at_m, back, closing_mps / give);
    }
}

static void meet_robot(cairn_physics *physics, uint32_t first, uint32_t second)
{
    robot_state *a = &physics->robots[first], *b = &physics->robots[second];
    const double apart_m = cairn_vec2_distance(cairn_pose2_at(a->now.pose), cairn_pose2_at(b->now.pose));
    if (apart_m > a->reach_m + b->reach_m + TOUCH_M) { return; }
    const double a_m = a->now.truth.map_T_base.at_m.z, b_m = b->now.truth.map_T_base.at_m.z;
    if (a_m > b_m + b->description->height_m || b_m > a_m + a->description->height_m) { return; }
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
            cairn_obstacle_index_visit(&physics->index, cairn_pose2_at(robot->now.pose), robot->reach_m + TOUCH_M,
                                       meet_obstacle, &context);
            for (uint32_t k = 0; k < physics->mover_count; k++) { meet_mover(physics, robot, &physics->movers[k]); }
        }
        if (physics->mover_count > 0) {
            cairn_planar_movers_meet(physics->arena, &physics->index, physics->movers, physics->mover_count);
        }
    }
}

// ---- standing on the ground, and what can be felt of it

static void feet_of(const robot_state *robot, cairn_vec2 ret_at_m[CAIRN_FEET_COUNT])
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_vec2 wheel = {(i < 2 ? 0.5 : -0.5) * wheels->wheelbase_m,
                                  (i % 2 == 0 ? 0.5 : -0.5) * wheels->track_m};
        ret_at_m[i] = cairn_pose2_apply(robot->now.pose, wheel);
    }
    ret_at_m[CAIRN_FOOT_MIDDLE] = cairn_pose2_at(robot->now.pose);
}

static cairn_pose3 pose_on_feet(const robot_state *robot)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    const double *wheel_m = robot->now.feet.height_m;
    const double front_m = 0.5 * (wheel_m[0] + wheel_m[1]), rear_m = 0.5 * (wheel_m[2] + wheel_m[3]);
    const double left_m = 0.5 * (wheel_m[0] + wheel_m[2]), right_m = 0.5 * (wheel_m[1] + wheel_m[3]);
    const cairn_rpy rpy = {atan2(left_m - right_m, wheels->track_m), -atan2(front_m - rear_m, wheels->wheelbase_m),
                           robot->now.pose.yaw_rad};
    return (cairn_pose3){{robot->now.pose.x_m, robot->now.pose.y_m, 0.5 * (front_m + rear_m)},
                         cairn_quat_from_rpy(rpy)};
}

// Beyond this its mass is no longer above its wheels.
static bool tips_over(const robot_state *robot, cairn_pose3 map_T_base)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    const cairn_rpy rpy = cairn_quat_to_rpy(map_T_base.turn);
    const double mass_m = robot->description->mass_centre_m.z;
    return fabs(rpy.roll_rad) > atan2(0.5 * wheels->track_m, mass_m) ||
           fabs(rpy.pitch_rad) > atan2(0.5 * wheels->wheelbase_m, mass_m);
}

static void stop_for_ever(robot_state *robot)
{
    robot->now.truth.fallen = true;
    robot->now.side_mps = 0;
    for (int i = 0; i < WAY_COUNT; i++) { robot->now.ways[i].body_speed = robot->now.ways[i].wheel_radps = 0; }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { robot->now.truth.wheel_radps[i] = 0; }
}

// Straight down, as it is turned, to the next ground.
static cairn_pose3 fall(const cairn_sim_arena *arena, robot_state *robot)
{
    cairn_pose3 pose = robot->now.truth.map_T_base;
    pose.at_m.x = robot->now.pose.x_m;
    pose.at_m.y = robot->now.pose.y_m;
    const double from_m = robot->now.feet.ground_m[CAIRN_FOOT_MIDDLE];
    const double ground_m = fmin(cairn_sim_ground_m(arena, cairn_pose2_at(robot->now.pose), from_m), pose.at_m.z);
    robot->now.fall_mps += GRAVITY_MPS2 * STEP_S;
    pose.at_m.z = fmax(pose.at_m.z - robot->now.fall_mps * STEP_S, ground_m);
    if (pose.at_m.z <= ground_m) { robot->now.fall_mps = 0; }
    return pose;
}

static cairn_pose3 standing_pose(const cairn_physics *physics, robot_state *robot)
{
    if (physics->flat) { return cairn_pose3_from_pose2(robot->now.pose, 0); }
    if (robot->now.truth.fallen) { return fall(physics->arena, robot); }
    cairn_vec2 at_m[CAIRN_FEET_COUNT];
    feet_of(robot, at_m);
    cairn_feet_move(physics->arena, at_m, robot->description->limits.step_m_max, STEP_S, &robot->now.feet);
    const cairn_pose3 pose = pose_on_feet(robot);
    if (cairn_feet_fall(&robot->now.feet) || tips_over(robot, pose)) { stop_for_ever(robot); }
    return pose;
}

static void set_slope(const cairn_physics *physics, robot_state *robot)
{
    if (physics->flat) { return; }
    const cairn_rpy rpy = cairn_quat_to_rpy(robot->now.truth.map_T_base.turn);
    robot->now.slope_rad = -rpy.pitch_rad;
    robot->now.lean_rad = rpy.roll_rad;
}

static void stand(const cairn_physics *physics, robot_state *robot)
{
    cairn_robot_truth *truth = &robot->now.truth;
    const cairn_pose3 before = truth->map_T_base, now = standing_pose(physics, robot);
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
    set_slope(physics, robot);
}

// ---- the interface

static void planar_step(cairn_physics *physics, const cairn_motor_target *targets)
{
    physics->step++;
    for (uint32_t i = 0; i < physics->robot_count; i++) {
        CAIRN_ASSERT(targets[i].command == CAIRN_DRIVE_TORQUE);
        wander_slips(physics, &physics->robots[i]);
        if (physics->robots[i].now.truth.fallen) { continue; }
        roll_robot(&physics->robots[i], &targets[i]);
        move_robot(&physics->robots[i]);
        slide(&physics->robots[i]);
    }
    keep_apart(physics);
    if (physics->mover_count > 0) {
        cairn_planar_movers_slide(physics->arena, physics->movers, physics->mover_count, STEP_S);
    }
    for (uint32_t i = 0; i < physics->robot_count; i++) { stand(physics, &physics->robots[i]); }
}

static void planar_truth(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const robot_state *state = &physics->robots[robot];
    *ret_truth = state->now.truth;
    ret_truth->bump_front = physics->step - state->now.bump_step[SIDE_FRONT] < BUMP_STEPS;
    ret_truth->bump_rear = physics->step - state->now.bump_step[SIDE_REAR] < BUMP_STEPS;
    ret_truth->bump_left = physics->step - state->now.bump_step[SIDE_LEFT] < BUMP_STEPS;
    ret_truth->bump_right = physics->step - state->now.bump_step[SIDE_RIGHT] < BUMP_STEPS;
}

static cairn_collisions planar_collisions(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    return physics->robots[robot].now.collisions;
}

// ---- movers

static cairn_pose3 planar_mover(const cairn_physics *physics, uint32_t mover)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    return physics->movers[mover].motion.map_T_box;
}

static void planar_put(cairn_physics *physics, uint32_t mover, cairn_pose3 map_T_box)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    cairn_planar_mover_put(&physics->movers[mover], map_T_box);
}

static void planar_push(cairn_physics *physics, uint32_t mover, cairn_vec3 by_mps)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    cairn_mover_motion *motion = &physics->movers[mover].motion;
    if (!physics->movers[mover].loose) { return; }
    motion->speed_mps = cairn_vec2_add(motion->speed_mps, (cairn_vec2){by_mps.x, by_mps.y});
}

// ---- its state: a head, robots, movers

typedef struct state_head {
    uint64_t magic;
    int64_t step;
    uint64_t robot_count, mover_count;
} state_head;

#define STATE_MAGIC UINT64_C(0x31726e6c70726363) // "ccrplnr1"

static size_t planar_state_bytes(const cairn_physics *physics)
{
    return sizeof(state_head) + physics->robot_count * sizeof(robot_motion) +
           physics->mover_count * sizeof(cairn_mover_motion);
}

static void planar_save(const cairn_physics *physics, void *ret_state)
{
    const state_head head = {STATE_MAGIC, physics->step, physics->robot_count, physics->mover_count};
    uint8_t *to = ret_state;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t i = 0; i < physics->robot_count; i++, to += sizeof(robot_motion)) {
        memcpy(to, &physics->robots[i].now, sizeof(robot_motion));
    }
    for (uint32_t i = 0; i < physics->mover_count; i++, to += sizeof(cairn_mover_motion)) {
        memcpy(to, &physics->movers[i].motion, sizeof(cairn_mover_motion));
    }
}

// Further out, faster or more often than this nothing gets in a year; NaN is not within it.
static bool is_within(double value, double limit) { return fabs(value) <= limit; }

static bool is_sound_pose(cairn_pose3 pose)
{
    const double turn =
        pose.turn.w * pose.turn.w + pose.turn.x * pose.turn.x + pose.turn.y * pose.turn.y + pose.turn.z * pose.turn.z;
    return cairn_vec3_length(pose.at_m) <= FAR_M && is_within(turn - 1, 1e-6);
}

static bool is_sound_truth(const cairn_robot_truth *truth)
{
    bool sound = is_sound_pose(truth->map_T_base) && cairn_vec3_length(truth->velocity_mps) <= FAST_MPS &&
                 cairn_vec3_length(truth->turn_radps) <= FAST_RADPS &&
                 cairn_vec3_length(truth->accel_mps2) <= HARD_MPS2;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        sound = sound && is_within(truth->wheel_rad[i], TURNED_RAD) && is_within(truth->wheel_radps[i], FAST_RADPS);
    }
    uint8_t fallen; // any byte is in a file, only two are a bool
    memcpy(&fallen, &truth->fallen, sizeof fallen);
    return sound && fallen <= 1;
}

// A step that was before `step`, or long before the first.
static bool was_before(int64_t earlier, int64_t step) { return earlier >= -TOUCH_GAP_STEPS - 1 && earlier <= step; }

static bool is_sound_robot(const robot_motion *now, int64_t step)
{
    bool sound = is_sound_truth(&now->truth) && is_within(now->pose.x_m, FAR_M) && is_within(now->pose.y_m, FAR_M) &&
                 is_within(now->pose.yaw_rad, 2 * CAIRN_PI) && is_within(cairn_vec2_length(now->heading) - 1, 1e-6) &&
                 is_within(now->side_mps, FAST_MPS) && is_within(now->fall_mps, FAST_MPS) &&
                 is_within(now->slope_rad, CAIRN_PI) && is_within(now->lean_rad, CAIRN_PI) &&
                 is_within(now->feet.friction, 10) && is_within(now->collisions.speed_mps_max, FAST_MPS);
    for (int i = 0; i < WAY_COUNT; i++) {
        sound = sound && is_within(now->ways[i].body_speed, FAST_RADPS) &&
                is_within(now->ways[i].wheel_radps, FAST_RADPS) && is_within(now->ways[i].slip, 1);
    }
    for (int i = 0; i < CAIRN_FEET_COUNT; i++) { sound = sound && is_within(now->feet.ground_m[i], FAR_M); }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { sound = sound && is_within(now->feet.height_m[i], FAR_M); }
    for (int i = 0; i < SIDE_COUNT; i++) { sound = sound && was_before(now->bump_step[i], step); }
    for (int i = 0; i < TOUCHES; i++) { sound = sound && was_before(now->touches[i].step, step); }
    return sound;
}

static bool is_sound_mover(const cairn_mover_motion *motion)
{
    return is_sound_pose(motion->map_T_box) && cairn_vec2_length(motion->speed_mps) <= FAST_MPS &&
           is_within(motion->turn_radps, FAST_RADPS);
}

static cairn_err planar_load(cairn_physics *physics, const void *state)
{
    const uint8_t *from = state, *robots = from + sizeof(state_head);
    const uint8_t *movers = robots + physics->robot_count * sizeof(robot_motion);
    state_head head;
    memcpy(&head, from, sizeof head);
    bool sound = head.magic == STATE_MAGIC && head.step >= 0 && head.robot_count == physics->robot_count &&
                 head.mover_count == physics->mover_count;
    for (uint32_t i = 0; i < physics->robot_count && sound; i++) {
        robot_motion robot;
        memcpy(&robot, robots + i * sizeof robot, sizeof robot);
        sound = is_sound_robot(&robot, head.step);
    }
    for (uint32_t i = 0; i < physics->mover_count && sound; i++) {
        cairn_mover_motion motion;
        memcpy(&motion, movers + i * sizeof motion, sizeof motion);
        sound = is_sound_mover(&motion);
    }
    if (!sound) { return CAIRN_ERR_CORRUPT; }
    physics->step = head.step;
    for (uint32_t i = 0; i < physics->robot_count; i++) {
        memcpy(&physics->robots[i].now, robots + i * sizeof(robot_motion), sizeof(robot_motion));
    }
    for (uint32_t i = 0; i < physics->mover_count; i++) {
        cairn_mover_motion motion;
        memcpy(&motion, movers + i * sizeof motion, sizeof motion);
        cairn_planar_mover_set(&physics->movers[i], &motion);
    }
    return CAIRN_OK;
}

static void planar_destroy(cairn_physics *physics)
{
    if (!physics) { return; }
    cairn_arena_destroy(&physics->memory);
    free(physics);
}

// ---- making one

// A start of the arena says on which storey it is; any other place is on the highest.
static double start_from_m(const cairn_sim_arena *arena, cairn_pose2 start)
{
    for (uint32_t i = 0; i < arena->start_count; i++) {
        const cairn_pose2 at = arena->starts[i];
        if (at.x_m == start.x_m && at.y_m == start.y_m) {
            return (arena->start_feet_m ? arena->start_feet_m[i] : 0) + START_SLACK_M;
        }
    }
    return INFINITY;
}

static void place_robot(cairn_physics *physics, uint32_t at, const cairn_physics_def *def)
{
    robot_state *robot = &physics->robots[at];
    const cairn_body_description *description = def->robots[at];
    robot->description = description;
    robot->now.pose = def->starts[at];
    robot->now.heading = (cairn_vec2){cos(robot->now.pose.yaw_rad), sin(robot->now.pose.yaw_rad)};
    robot->wheel_inertia_kgm2 = CAIRN_WHEELS_MAX * description->wheels.rotor_inertia_kgm2;
    robot->reach_m = 0.5 * hypot(description->length_m, description->width_m);
    robot->body_mass[WAY_FORWARD] = description->mass_kg;
    // As if its mass were spread evenly over the outer box.
    robot->body_mass[WAY_TURN] = description->mass_kg * 4 * robot->reach_m * robot->reach_m / 12;
    char name[32];
    snprintf(name, sizeof name, "planar/slip/%u", at);
    cairn_random_init(&robot->now.random, def->seed, name);
    robot->now.ways[WAY_FORWARD].slip = FORWARD_SLIP_DEVIATION * cairn_random_gauss(&robot->now.random);
    robot->now.ways[WAY_TURN].slip = TURN_SLIP_DEVIATION * cairn_random_gauss(&robot->now.random);

    for (int i = 0; i < TOUCHES; i++) { robot->now.touches[i] = (touch_state){-1, -TOUCH_GAP_STEPS - 1}; }
    for (int side = 0; side < SIDE_COUNT; side++) { robot->now.bump_step[side] = -BUMP_STEPS; }
    robot->now.feet.friction = CAIRN_GROUND_FRICTION;
    robot->now.truth.map_T_base = cairn_pose3_from_pose2(robot->now.pose, 0);
    if (!physics->flat) {
        cairn_vec2 at_m[CAIRN_FEET_COUNT];
        feet_of(robot, at_m);
        cairn_feet_put(physics->arena, at_m, start_from_m(physics->arena, robot->now.pose), &robot->now.feet);
        robot->now.truth.map_T_base = pose_on_feet(robot);
    }
    const cairn_quat map_T_turn = cairn_quat_conjugate(robot->now.truth.map_T_base.turn);
    robot->now.truth.accel_mps2 = cairn_quat_rotate(map_T_turn, (cairn_vec3){0, 0, GRAVITY_MPS2});
    set_slope(physics, robot);
}

static cairn_err fill_physics(cairn_physics *physics, const cairn_physics_def *def)
{
    const size_t bytes = cairn_obstacle_index_bytes(def->arena) + 4096 + def->robot_count * (sizeof(robot_state) + 64) +
                         def->arena->mover_count * (sizeof(cairn_planar_mover) + 64);
    cairn_err err = cairn_arena_create(&physics->memory, bytes);
    if (err == CAIRN_OK) { err = cairn_obstacle_index_create(def->arena, &physics->memory, &physics->index); }
    if (err != CAIRN_OK) { return err; }
    physics->robots = CAIRN_TAKE(&physics->memory, robot_state, def->robot_count);
    physics->movers = CAIRN_TAKE(&physics->memory, cairn_planar_mover, def->arena->mover_count + 1);
    if (!physics->robots || !physics->movers) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->robot_count; i++) { place_robot(physics, i, def); }
    for (uint32_t i = 0; i < physics->mover_count; i++) { cairn_planar_mover_init(&physics->movers[i], def->arena, i); }
    cairn_arena_seal(&physics->memory);
    return CAIRN_OK;
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
    physics->flat = cairn_arena_is_flat(def->arena);
    physics->robot_count = def->robot_count;
    physics->mover_count = def->arena->mover_count;
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
                                                 .collisions = planar_collisions,
                                                 .mover = planar_mover,
                                                 .put = planar_put,
                                                 .push = planar_push,
                                                 .state_bytes = planar_state_bytes,
                                                 .save = planar_save,
                                                 .load = planar_load};
