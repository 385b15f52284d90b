#include "robot/checkpoint.h"
#include "base/hash.h"
#include <math.h>
#include <string.h>

#define PLACE_M_MAX 1e5
#define SEALED_BYTES (sizeof(cairn_checkpoint) - offsetof(cairn_checkpoint, version))

static uint64_t hash_of(const cairn_checkpoint *checkpoint)
{
    return cairn_hash_bytes(CAIRN_CHECKPOINT_VERSION, &checkpoint->version, SEALED_BYTES);
}

void cairn_checkpoint_seal(cairn_checkpoint *checkpoint)
{
    checkpoint->version = CAIRN_CHECKPOINT_VERSION;
    checkpoint->size_bytes = sizeof *checkpoint;
    checkpoint->hash = hash_of(checkpoint);
}

// Comparisons are written so that NaN fails them.
static bool point_is_sound(cairn_vec2 at_m) { return fabs(at_m.x) <= PLACE_M_MAX && fabs(at_m.y) <= PLACE_M_MAX; }

static bool pose_is_sound(cairn_pose2 pose) { return point_is_sound(cairn_pose2_at(pose)) && fabs(pose.yaw_rad) <= 4; }

static bool points_are_sound(const cairn_vec2 *points_m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!point_is_sound(points_m[i])) { return false; }
    }
    return true;
}

static bool task_is_sound(const cairn_checkpoint *checkpoint)
{
    const cairn_robot_task *task = &checkpoint->task;
    unsigned char face = 0;
    memcpy(&face, &task->face_at_end, sizeof face);
    return task->via_count <= CAIRN_VIAS_MAX && points_are_sound(task->via_m, task->via_count) && face <= 1 &&
           fabs(task->end_yaw_rad) <= 10 && checkpoint->via_at <= task->via_count &&
           (unsigned)checkpoint->task_state <= CAIRN_TASK_NO_WAY;
}

static bool tally_is_sound(const cairn_mode_tally *tally)
{
    for (int i = 0; i < CAIRN_MODE_COUNT; i++) {
        if (tally->spent_ns[i] < 0 || !(tally->travelled_m[i] >= 0 && isfinite(tally->travelled_m[i]))) {
            return false;
        }
    }
    return (unsigned)tally->mode < CAIRN_MODE_COUNT;
}

static bool trail_is_sound(const cairn_trail *trail)
{
    return trail->count <= CAIRN_TRAIL_POINTS_MAX && trail->spacing_m > 0 && trail->spacing_m <= PLACE_M_MAX &&
           points_are_sound(trail->points_m, trail->count);
}

bool cairn_checkpoint_is_sound(const cairn_checkpoint *checkpoint)
{
    if (checkpoint == NULL || checkpoint->version != CAIRN_CHECKPOINT_VERSION ||
        checkpoint->size_bytes != sizeof *checkpoint || checkpoint->hash != hash_of(checkpoint)) {
        return false;
    }
    const bool lies = fabs(checkpoint->height_m) <= PLACE_M_MAX && checkpoint->floor >= -20 && checkpoint->floor <= 100;
    return lies && checkpoint->lately_count <= CAIRN_CHECKPOINT_STARTS && pose_is_sound(checkpoint->private_T_odom) &&
           pose_is_sound(checkpoint->private_T_base) && pose_is_sound(checkpoint->private_T_node) &&
           trail_is_sound(&checkpoint->trail) && (unsigned)checkpoint->orders.mode < CAIRN_MODE_COUNT &&
           tally_is_sound(&checkpoint->tally) && task_is_sound(checkpoint) &&
           cairn_kept_areas_are_sound(&checkpoint->areas) && cairn_victim_memo_is_sound(&checkpoint->victims);
}

uint32_t cairn_checkpoint_starts_within(const cairn_checkpoint *checkpoint, int64_t within_ns, cairn_mono now)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < checkpoint->lately_count; i++) {
        const int64_t at_ns = checkpoint->starts[i].ns;
        count += at_ns <= now.ns && at_ns >= now.ns - within_ns; // a clock that began anew counts none
    }
    return count;
}
