#include "robot/reflex/kept.h"
#include "base/hash.h"
#include <math.h>

// No robot gets so far, nor turns while it believes to stand by so much.
#define PLACE_M_MAX 1e5
#define DISTANCE_M_MAX 1e8
#define BIAS_RADPS_MAX 1.0

#define SEALED_BYTES (sizeof(cairn_reflex_kept) - sizeof(uint64_t))
_Static_assert(sizeof(cairn_reflex_kept) == 15 * sizeof(uint64_t), "no padding");

static uint64_t hash_of(const cairn_reflex_kept *kept)
{
    return cairn_hash_bytes(CAIRN_KEPT_VERSION, &kept->version, SEALED_BYTES);
}

void cairn_reflex_kept_seal(cairn_reflex_kept *kept)
{
    kept->version = CAIRN_KEPT_VERSION;
    kept->hash = hash_of(kept);
}

bool cairn_reflex_kept_is_sound(const cairn_reflex_kept *kept)
{
    if (kept == NULL || kept->version != CAIRN_KEPT_VERSION || kept->hash != hash_of(kept)) { return false; }
    const cairn_pose2 *pose = &kept->odom_T_base; // comparisons that NaN fails
    const bool placed = fabs(pose->x_m) <= PLACE_M_MAX && fabs(pose->y_m) <= PLACE_M_MAX && fabs(pose->yaw_rad) <= 4.0;
    const bool driven = kept->distance_m >= 0.0 && kept->distance_m <= DISTANCE_M_MAX;
    return kept->odom_id != 0 && placed && driven && fabs(kept->turn_bias_radps) <= BIAS_RADPS_MAX &&
           kept->ticks_known <= 1 && kept->stop_latched <= 1;
}

cairn_odom_fate cairn_odom_judge(const cairn_odom_evidence *evidence)
{
    if (!evidence->kept) { return CAIRN_ODOM_ANEW; }
    if (!evidence->encoders) { return CAIRN_ODOM_GO_ON; } // nothing could contradict
    if (!evidence->ticks_kept) { return CAIRN_ODOM_ANEW; }
    if (!evidence->ticks_heard) {
        return evidence->waited_ns > CAIRN_KEPT_WAIT_NS_MAX ? CAIRN_ODOM_ANEW : CAIRN_ODOM_WAIT;
    }
    return evidence->rolled_m < CAIRN_KEPT_ROLLED_M_MAX ? CAIRN_ODOM_GO_ON : CAIRN_ODOM_ANEW; // NaN: anew
}
