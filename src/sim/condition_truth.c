// The predicates of robot/condition_names.h, each in one function.
#include "sim/condition_truth.h"
#include "sim/world_private.h"
#include <math.h>

#define SAMPLE_NS CAIRN_MS(16)
#define FALLEN_COSINE 0.5     // 60 degrees
#define WAY_M 0.1             // of the wheels in a second, or that they were told
#define TURN_RAD 0.2          // that they were told
#define GETS_ON_PART 0.6      // [-] of what it is told: then it is not stuck, whatever its wheels do
#define PART 0.2              // [-] of it that counts as moving
#define SLIDE_MPS 0.1         // over the ground
#define WHEELS_STAND_MPS 0.02 // rim
#define CARRIED_MPS2 3.0      // specific force: less is a free fall

void cairn_condition_truth_init(cairn_condition_truth *truth) { *truth = (cairn_condition_truth){0}; }

void cairn_condition_truth_tell(cairn_condition_truth *truth, double told_mps, double told_radps)
{
    CAIRN_ASSERT(isfinite(told_mps) && isfinite(told_radps));
    truth->told_mps = told_mps;
    truth->told_radps = told_radps;
}

static cairn_vec3 upward(const cairn_robot_truth *robot)
{
    return cairn_quat_rotate(cairn_quat_conjugate(robot->map_T_base.turn), (cairn_vec3){0, 0, 1});
}

static double side_of(const double wheels[CAIRN_WHEELS_MAX], int side, double radius_m)
{
    return 0.5 * (wheels[side] + wheels[side + 2]) * radius_m;
}

// Along the robot's x, as seen from above.
static bool slides(const cairn_robot_truth *robot, const cairn_body_description *body)
{
    const double rim_mps[2] = {side_of(robot->wheel_radps, 0, body->wheels.radius_m),
                               side_of(robot->wheel_radps, 1, body->wheels.radius_m)};
    const double wheels_mps = 0.5 * (rim_mps[0] + rim_mps[1]);
    const double ground_mps = hypot(robot->velocity_mps.x, robot->velocity_mps.y);
    if (ground_mps < SLIDE_MPS) { return false; }
    const cairn_vec3 ahead = cairn_quat_rotate(robot->map_T_base.turn, (cairn_vec3){1, 0, 0});
    const double along_mps = robot->velocity_mps.x * ahead.x + robot->velocity_mps.y * ahead.y;
    const bool stand = fabs(rim_mps[0]) < WHEELS_STAND_MPS && fabs(rim_mps[1]) < WHEELS_STAND_MPS;
    const bool other_way = fabs(along_mps) > SLIDE_MPS && wheels_mps * along_mps < -WHEELS_STAND_MPS * SLIDE_MPS;
    return stand || other_way;
}

static const cairn_condition_truth_sample *oldest_of(const cairn_condition_truth *truth)
{
    const bool full = truth->sample_count == CAIRN_CONDITION_TRUTH_SAMPLES;
    return &truth->samples[full ? truth->next : 0];
}

static const cairn_condition_truth_sample *newest_of(const cairn_condition_truth *truth)
{
    return &truth->samples[(truth->next + CAIRN_CONDITION_TRUTH_SAMPLES - 1) % CAIRN_CONDITION_TRUTH_SAMPLES];
}

static void sample(cairn_condition_truth *truth, const cairn_robot_truth *robot, const cairn_body_description *body,
                   cairn_mono now)
{
    if (truth->begun && cairn_mono_since(now, truth->sampled_at) < SAMPLE_NS) { return; }
    const double period_s = truth->begun ? cairn_seconds(cairn_mono_since(now, truth->sampled_at)) : 0.0;
    truth->begun = true;
    truth->sampled_at = now;
    truth->told_m += truth->told_mps * period_s;
    truth->told_rad += truth->told_radps * period_s;
    truth->samples[truth->next] = (cairn_condition_truth_sample){
        .map_T_base = robot->map_T_base,
        .side_m = {side_of(robot->wheel_rad, 0, body->wheels.radius_m),
                   side_of(robot->wheel_rad, 1, body->wheels.radius_m)},
        .told_m = truth->told_m,
        .told_rad = truth->told_rad,
        .slides = slides(robot, body),
    };
    truth->next = (truth->next + 1) % CAIRN_CONDITION_TRUTH_SAMPLES;
    if (truth->sample_count < CAIRN_CONDITION_TRUTH_SAMPLES) { truth->sample_count++; }
}

static bool slid_for_a_second(const cairn_condition_truth *truth)
{
    if (truth->sample_count < CAIRN_CONDITION_TRUTH_SAMPLES) { return false; }
    for (uint32_t i = 0; i < truth->sample_count; i++) {
        if (!truth->samples[i].slides) { return false; }
    }
    return true;
}

// Of the last second: how far the wheels went, and how far that moves the robot, less what every turn loses by
// skidding.
typedef struct wheels_way {
    double rim_m, moves_m;
} wheels_way;

static wheels_way wheels_way_of(const cairn_condition_truth *truth, double turn_efficiency)
{
    const cairn_condition_truth_sample *from = oldest_of(truth), *to = newest_of(truth);
    const double left_m = to->side_m[0] - from->side_m[0], right_m = to->side_m[1] - from->side_m[1];
    return (wheels_way){0.5 * (fabs(left_m) + fabs(right_m)),
                        fmax(0.5 * fabs(right_m + left_m), 0.5 * turn_efficiency * fabs(right_m - left_m))};
}

static double robot_way_m(const cairn_condition_truth *truth, double track_m)
{
    const cairn_condition_truth_sample *from = oldest_of(truth), *to = newest_of(truth);
    const double way_m = cairn_vec3_length(cairn_vec3_sub(to->map_T_base.at_m, from->map_T_base.at_m));
    const cairn_quat turned = cairn_quat_multiply(cairn_quat_conjugate(from->map_T_base.turn), to->map_T_base.turn);
    return way_m + 0.5 * track_m * cairn_vec3_length(cairn_quat_log(turned));
}

static cairn_condition stuck_kind(const cairn_condition_truth *truth, const cairn_robot_truth *robot,
                                  const cairn_robot_stance *stance, const cairn_body_description *body)
{
    const wheels_way wheels = wheels_way_of(truth, body->wheels.turn_efficiency);
    const double robot_m = robot_way_m(truth, body->wheels.track_m);
    const double told_m = fabs(newest_of(truth)->told_m - oldest_of(truth)->told_m);
    const double told_rad = fabs(newest_of(truth)->told_rad - oldest_of(truth)->told_rad);
    const double way_m = fmax(told_m, 0.5 * body->wheels.track_m * told_rad);
    const bool gets_on = way_m > 0 && robot_m > GETS_ON_PART * way_m;
    if (wheels.rim_m > WAY_M && robot_m < PART * wheels.moves_m && !gets_on) {
        return stance->belly_down ? CAIRN_CONDITION_HIGH_CENTRED : CAIRN_CONDITION_SPINNING;
    }
    if (told_m < WAY_M && told_rad < TURN_RAD) { return CAIRN_CONDITION_WELL; }
    if (wheels.rim_m > PART * way_m || robot_m > PART * way_m) { return CAIRN_CONDITION_WELL; }
    const bool both = (robot->bump_front && robot->bump_rear) || (robot->bump_left && robot->bump_right);
    return both ? CAIRN_CONDITION_WEDGED : CAIRN_CONDITION_BLOCKED;
}

static cairn_condition first_true(const cairn_condition_truth *truth, const cairn_robot_truth *robot,
                                  const cairn_robot_stance *stance, const cairn_body_description *body)
{
    const double up = upward(robot).z;
    if (up < FALLEN_COSINE) { return CAIRN_CONDITION_FALLEN; }
    if (!stance->touched && cairn_vec3_length(robot->accel_mps2) > CARRIED_MPS2) { return CAIRN_CONDITION_LIFTED; }
    if (up < cos(body->limits.tilt_rad_max)) { return CAIRN_CONDITION_TILTED; }
    if (slid_for_a_second(truth) && stance->touched) { return CAIRN_CONDITION_SLIDING; }
    const cairn_condition stuck = stuck_kind(truth, robot, stance, body);
    return stuck == CAIRN_CONDITION_WELL && truth->blind ? CAIRN_CONDITION_BLIND : stuck;
}

cairn_condition cairn_condition_truth_judge(cairn_condition_truth *truth, const cairn_robot_truth *robot,
                                            const cairn_robot_stance *stance, const cairn_body_description *body,
                                            cairn_mono now)
{
    CAIRN_ASSERT(!truth->begun || cairn_mono_since(now, truth->sampled_at) >= 0);
    sample(truth, robot, body, now);
    const cairn_condition is = first_true(truth, robot, stance, body);
    if (is != truth->condition) { truth->since = now; }
    truth->condition = is;
    return is;
}

static bool sees_nothing(const cairn_failing *failing)
{
    return cairn_failing_is(failing, CAIRN_FAILURE_SILENT) || cairn_failing_is(failing, CAIRN_FAILURE_FROZEN) ||
           cairn_failing_is(failing, CAIRN_FAILURE_EMPTY);
}

static bool is_blind(const cairn_world *world, uint32_t robot)
{
    const cairn_body_description *body = world->robots[robot].body.description;
    const cairn_failing *failing = world->robots[robot].failing;
    return (body->laser.offered && sees_nothing(&failing[CAIRN_SENSOR_LASER])) ||
           (body->range_imager.offered && sees_nothing(&failing[CAIRN_SENSOR_RANGE_IMAGE]));
}

cairn_condition cairn_condition_truth_step(cairn_condition_truth *truth, const cairn_world *world, uint32_t robot,
                                           cairn_mono now)
{
    CAIRN_ASSERT(robot < world->robot_count);
    cairn_robot_truth is;
    cairn_world_truth(world, robot, &is);
    const cairn_robot_stance stance = world->physics_kind->stance(world->physics, robot);
    truth->blind = is_blind(world, robot);
    return cairn_condition_truth_judge(truth, &is, &stance, world->robots[robot].body.description, now);
}
