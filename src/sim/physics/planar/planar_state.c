// planar_state.c - the state of the planar physics as bytes: a head, robots, movers.
#include "sim/physics/planar/planar_private.h"
#include <string.h>

// Beyond these a state to be loaded is damaged.
#define FAR_M 1e5
#define FAST_MPS 1e3
#define FAST_RADPS 1e5
#define HARD_MPS2 1e7
#define TURNED_RAD 1e12

typedef struct state_head {
    uint64_t magic;
    int64_t step;
    uint64_t robot_count, mover_count;
} state_head;

#define STATE_MAGIC UINT64_C(0x31726e6c70726363) // "ccrplnr1"

size_t cairn_planar_state_bytes(const cairn_physics *physics)
{
    return sizeof(state_head) + physics->robot_count * sizeof(cairn_planar_motion) +
           physics->mover_count * sizeof(cairn_mover_motion);
}

void cairn_planar_save(const cairn_physics *physics, void *ret_state)
{
    const state_head head = {STATE_MAGIC, physics->step, physics->robot_count, physics->mover_count};
    uint8_t *to = ret_state;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t i = 0; i < physics->robot_count; i++, to += sizeof(cairn_planar_motion)) {
        memcpy(to, &physics->robots[i].now, sizeof(cairn_planar_motion));
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

static bool is_sound_robot(const cairn_planar_motion *now, int64_t step)
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

cairn_err cairn_planar_load(cairn_physics *physics, const void *state)
{
    const uint8_t *from = state, *robots = from + sizeof(state_head);
    const uint8_t *movers = robots + physics->robot_count * sizeof(cairn_planar_motion);
    state_head head;
    memcpy(&head, from, sizeof head);
    bool sound = head.magic == STATE_MAGIC && head.step >= 0 && head.robot_count == physics->robot_count &&
                 head.mover_count == physics->mover_count;
    for (uint32_t i = 0; i < physics->robot_count && sound; i++) {
        cairn_planar_motion robot;
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
        memcpy(&physics->robots[i].now, robots + i * sizeof(cairn_planar_motion), sizeof(cairn_planar_motion));
    }
    for (uint32_t i = 0; i < physics->mover_count; i++) {
        cairn_mover_motion motion;
        memcpy(&motion, movers + i * sizeof motion, sizeof motion);
        cairn_planar_mover_set(&physics->movers[i], &motion);
    }
    return CAIRN_OK;
}
