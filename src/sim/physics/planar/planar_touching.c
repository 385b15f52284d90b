// planar_touching.c - robots that meet walls, ground that they cannot climb, blocks and each other.
//
// Whoever touches is moved out, and pushed as hard as it takes to end the approach; blocks and other robots take their
// part of the push. Some rounds of this do for corners and for robots between others.
#include "sim/physics/planar/planar_private.h"

// Nearer than this is touching; pushed apart to half of it, so that a touch lasts as long as the push.
#define TOUCH_M 1e-3
// A side is bumped when the contact lies within 60 degrees of its direction: a corner bumps two.
#define BUMP_COSINE 0.5
// Corners of rooms need two rounds, another robot between a third.
#define CONTACT_ROUNDS 3
// Who is found inside a face of the ground, since it rises along the way, is moved out of it at this speed.
#define OUT_OF_GROUND_MPS 0.3

static cairn_rect outline_of(const cairn_planar_robot *robot)
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

static push_answer answer_of(const cairn_planar_robot *robot, cairn_vec2 at_m, cairn_vec2 normal)
{
    const cairn_vec2 arm = cairn_vec2_sub(at_m, cairn_pose2_at(robot->now.pose));
    push_answer answer = {.per_speed = {cairn_vec2_dot(robot->now.heading, normal), cairn_vec2_cross(arm, normal)}};
    for (int i = 0; i < WAY_COUNT; i++) {
        answer.point_mps += answer.per_speed[i] * robot->now.ways[i].body_speed;
        answer.give += answer.per_speed[i] * answer.per_speed[i] / robot->body_mass[i];
    }
    return answer;
}

static void give_push(cairn_planar_robot *robot, const push_answer *answer, double push_ns)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        robot->now.ways[i].body_speed += push_ns * answer->per_speed[i] / robot->body_mass[i];
    }
}

static void shift(cairn_planar_robot *robot, cairn_vec2 normal, double by_m)
{
    robot->now.pose.x_m += by_m * normal.x;
    robot->now.pose.y_m += by_m * normal.y;
}

// Where a touch is kept: its own place, or that of the oldest.
static cairn_planar_touch *touch_of(cairn_planar_robot *robot, uint32_t thing)
{
    cairn_planar_touch *oldest = &robot->now.touches[0];
    for (int i = 0; i < TOUCHES; i++) {
        cairn_planar_touch *touch = &robot->now.touches[i];
        if (touch->thing == thing) { return touch; }
        if (touch->step < oldest->step) { oldest = touch; }
    }
    return oldest;
}

// own: how the robot answers to a push along the normal, which points to it.
static void note_touch(cairn_physics *physics, cairn_planar_robot *robot, uint32_t thing, double closing_mps,
                       const push_answer *own, const cairn_rect_contact *contact, cairn_vec2 normal)
{
    closing_mps = fmax(closing_mps, 0);
    cairn_planar_touch *touch = touch_of(robot, thing);
    if (touch->thing != thing || physics->step - touch->step > TOUCH_GAP_STEPS) {
        robot->now.collisions.count++;
        robot->now.collisions.speed_mps_max = fmax(robot->now.collisions.speed_mps_max, closing_mps);
        cairn_collision_log_add(&physics->log, &(cairn_collision){.step = physics->step,
                                                                  .robot = (uint32_t)(robot - physics->robots),
                                                                  .thing = thing,
                                                                  .at_m = {contact->at_m.x, contact->at_m.y,
                                                                           robot->now.truth.map_T_base.at_m.z},
                                                                  .closing_mps = closing_mps,
                                                                  .own_mps = -own->point_mps});
    }
    *touch = (cairn_planar_touch){thing, physics->step};
    const double ahead = -cairn_vec2_dot(robot->now.heading, normal),
                 left = -cairn_vec2_cross(robot->now.heading, normal);
    if (ahead > BUMP_COSINE) { robot->now.bump_step[SIDE_FRONT] = physics->step; }
    if (ahead < -BUMP_COSINE) { robot->now.bump_step[SIDE_REAR] = physics->step; }
    if (left > BUMP_COSINE) { robot->now.bump_step[SIDE_LEFT] = physics->step; }
    if (left < -BUMP_COSINE) { robot->now.bump_step[SIDE_RIGHT] = physics->step; }
}

static void stop_sliding(cairn_planar_robot *robot, cairn_vec2 normal)
{
    const double left = cairn_vec2_cross(robot->now.heading, normal);
    if (robot->now.side_mps * left < 0) { robot->now.side_mps = 0; }
}

typedef struct robot_in_physics {
    cairn_physics *physics;
    cairn_planar_robot *robot;
} robot_in_physics;

// Of the plane in which a robot stands.
static double foot_at_m(const cairn_planar_robot *robot, cairn_vec2 at_m)
{
    const cairn_pose3 pose = robot->now.truth.map_T_base;
    const cairn_vec3 up = cairn_quat_rotate(pose.turn, (cairn_vec3){0, 0, 1});
    const double x_m = at_m.x - robot->now.pose.x_m, y_m = at_m.y - robot->now.pose.y_m;
    return pose.at_m.z - (up.x * x_m + up.y * y_m) / fmax(up.z, 0.1);
}

static bool shares_height(const cairn_planar_robot *robot, double bottom_m, double top_m)
{
    const double ground_m = robot->now.truth.map_T_base.at_m.z;
    return top_m >= ground_m + robot->description->limits.step_m_max &&
           bottom_m <= ground_m + robot->description->height_m;
}

static void meet_obstacle(void *context, const cairn_obstacle *obstacle)
{
    const robot_in_physics *of = context;
    cairn_planar_robot *robot = of->robot;
    if (!shares_height(robot, obstacle->bottom_m, obstacle->top_m)) { return; }
    const cairn_rect outline = outline_of(robot);
    cairn_rect_contact contact;
    if (!cairn_rects_touch(&outline, &obstacle->rect, TOUCH_M, &contact)) { return; }
    if (obstacle->ground && !cairn_ground_stops(of->physics->arena, obstacle, &contact, foot_at_m(robot, contact.at_m),
                                                robot->description->height_m, robot->description->limits.step_m_max)) {
        return;
    }
    const push_answer answer = answer_of(robot, contact.at_m, contact.normal);
    note_touch(of->physics, robot, obstacle->thing, -answer.point_mps, &answer, &contact, contact.normal);
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
static void meet_mover(cairn_physics *physics, cairn_planar_robot *robot, cairn_planar_mover *mover)
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
    note_touch(physics, robot, mover->obstacle.thing, closing_mps, &answer, &contact, contact.normal);
    shift(robot, contact.normal, fmax(0.5 * TOUCH_M - contact.gap_m, 0));
    stop_sliding(robot, contact.normal);
    if (closing_mps > 0 && give > 0) {
        give_push(robot, &answer, closing_mps / give);
        cairn_planar_mover_push(mover, contact.at_m, back, closing_mps / give);
    }
}

static void meet_robot(cairn_physics *physics, uint32_t first, uint32_t second)
{
    cairn_planar_robot *a = &physics->robots[first], *b = &physics->robots[second];
    if (cairn_planar_is_held(physics, a) || cairn_planar_is_held(physics, b)) { return; }
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
    note_touch(physics, a, thing + second, closing_mps, &answer_a, &contact, contact.normal);
    note_touch(physics, b, thing + first, closing_mps, &answer_b, &contact, back);
    const double apart_by_m = fmax(0.5 * TOUCH_M - contact.gap_m, 0);
    shift(a, contact.normal, 0.5 * apart_by_m);
    shift(b, back, 0.5 * apart_by_m);
    if (closing_mps > 0 && give > 0) {
        give_push(a, &answer_a, closing_mps / give);
        give_push(b, &answer_b, closing_mps / give);
    }
}

void cairn_planar_keep_apart(cairn_physics *physics)
{
    for (int round = 0; round < CONTACT_ROUNDS; round++) {
        for (uint32_t first = 0; first < physics->robot_count; first++) {
            for (uint32_t second = first + 1; second < physics->robot_count; second++) {
                meet_robot(physics, first, second);
            }
        }
        for (uint32_t i = 0; i < physics->robot_count; i++) {
            cairn_planar_robot *robot = &physics->robots[i];
            if (cairn_planar_is_held(physics, robot)) { continue; }
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
