// world_lift.c - somebody takes a robot in his hands, carries it, and sets it down upright.
#include "sim/arena/ground.h"
#include "sim/world_private.h"

#define UP_PART 0.25 // of the whole time: up, and as long down again
#define UP_S_MAX 1.5
#define SWAY_RAD 0.09 // of hands that carry something heavy
#define ROLL_PERIOD_S 1.3
#define PITCH_PERIOD_S 1.7
#define YAW_PERIOD_S 2.9
#define DOWN_FROM_M 0.3 // ground that is so much higher may be stood on

static double smooth(double part)
{
    const double p = fmin(fmax(part, 0), 1);
    return p * p * (3 - 2 * p);
}

void cairn_world_lift(cairn_world *world, uint32_t robot, const cairn_lift *lift)
{
    CAIRN_ASSERT(robot < world->robot_count && cairn_lift_is_sound(lift));
    cairn_robot_truth truth;
    cairn_world_truth(world, robot, &truth);
    const cairn_vec3 at_m = truth.map_T_base.at_m;
    const cairn_vec2 from = {at_m.x, at_m.y}, to = cairn_vec2_add(from, lift->move_m);
    const double over_m = at_m.z - cairn_sim_ground_m(world->place, from, at_m.z + DOWN_FROM_M);
    world->robots[robot].hands = (cairn_world_hands){
        .from_tick = world->tick,
        .ticks = (int64_t)(lift->for_s / cairn_seconds(CAIRN_PHYSICS_STEP_NS)),
        .map_T_base = truth.map_T_base,
        .lift = *lift,
        .end_z_m = cairn_sim_ground_m(world->place, to, at_m.z + DOWN_FROM_M) + over_m,
    };
}

bool cairn_world_is_held(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].hands.ticks > 0;
}

static cairn_pose3 held_pose(const cairn_world_hands *hands, double age_s)
{
    const cairn_lift *lift = &hands->lift;
    const double up_s = fmin(UP_PART * lift->for_s, UP_S_MAX);
    const double up = fmin(smooth(age_s / up_s), smooth((lift->for_s - age_s) / up_s));
    const double gone = smooth((age_s - up_s) / (lift->for_s - 2 * up_s));
    const cairn_rpy from = cairn_quat_to_rpy(hands->map_T_base.turn);
    const double left = 1 - smooth(age_s / up_s), sway_rad = SWAY_RAD * up, turns = 2 * CAIRN_PI * age_s;
    const cairn_rpy rpy = {left * from.roll_rad + sway_rad * sin(turns / ROLL_PERIOD_S),
                           left * from.pitch_rad + sway_rad * sin(turns / PITCH_PERIOD_S),
                           from.yaw_rad + sway_rad * sin(turns / YAW_PERIOD_S)};
    const cairn_vec3 at_m = hands->map_T_base.at_m;
    const double ground_m = at_m.z + gone * (hands->end_z_m - at_m.z);
    return (cairn_pose3){
        {at_m.x + gone * lift->move_m.x, at_m.y + gone * lift->move_m.y, ground_m + up * lift->height_m},
        cairn_quat_from_rpy(rpy)};
}

void cairn_world_carry(cairn_world *world)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        cairn_world_hands *hands = &world->robots[i].hands;
        const int64_t tick = world->tick + 1 - hands->from_tick;
        if (hands->ticks == 0) { continue; }
        if (tick > hands->ticks) {
            *hands = (cairn_world_hands){0};
            continue;
        }
        const double age_s = (double)tick * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
        world->physics_kind->hold(world->physics, i, held_pose(hands, age_s));
    }
}

bool cairn_lift_is_sound(const cairn_lift *lift)
{
    return lift->for_s >= 1 && lift->for_s <= 86400 && lift->height_m > 0 && lift->height_m <= CAIRN_LIFT_M_MAX &&
           isfinite(lift->move_m.x) && isfinite(lift->move_m.y);
}

bool cairn_world_hands_are_sound(const cairn_world_hands *hands, int64_t tick)
{
    const cairn_quat q = hands->map_T_base.turn;
    if (hands->ticks == 0) { return true; }
    return hands->ticks > 0 && hands->from_tick >= 0 && hands->from_tick <= tick && isfinite(hands->end_z_m) &&
           isfinite(hands->map_T_base.at_m.x + hands->map_T_base.at_m.y + hands->map_T_base.at_m.z) &&
           fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6 && cairn_lift_is_sound(&hands->lift);
}
