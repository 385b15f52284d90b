// Areas come one by one, in the robot's own frame. They count only once a whole set of a greater revision is there; the
// set is then carried into odometry's frame again and again, as that frame drifts, for reflex and for the planner.
#include "robot/deliberate/areas.h"
#include <math.h>

_Static_assert(CAIRN_FENCES_MAX == CAIRN_AREAS_MAX && CAIRN_FENCE_CORNERS_MAX == CAIRN_AREA_CORNERS_MAX &&
                   (int)CAIRN_FENCE_KEEP_IN == (int)CAIRN_AREA_KEEP_IN &&
                   (int)CAIRN_FENCE_KEEP_OUT == (int)CAIRN_AREA_KEEP_OUT,
               "one to one");

static cairn_fence fence_of(const cairn_msg_area *message)
{
    cairn_fence fence = {.kind = (cairn_fence_kind)message->kind, .corner_count = message->x_mm_count};
    for (uint32_t i = 0; i < fence.corner_count; i++) {
        fence.corners_m[i] = (cairn_vec2){message->x_mm[i] * 1e-3, message->y_mm[i] * 1e-3};
    }
    return fence;
}

static cairn_area_taken keep_coming(cairn_robot_areas *areas)
{
    const uint32_t all = (1u << areas->coming.fences.count) - 1u;
    if (areas->coming_bits != all) { return CAIRN_AREA_TAKEN; }
    areas->kept = areas->coming;
    return CAIRN_AREA_WHOLE;
}

cairn_area_taken cairn_robot_areas_take(cairn_robot_areas *areas, const cairn_msg_area *message)
{
    CAIRN_ASSERT(areas != NULL && message != NULL);
    if (message->revision <= areas->kept.revision || message->revision < areas->coming.revision) {
        return CAIRN_AREA_TAKEN;
    }
    if (message->revision > areas->coming.revision) {
        areas->coming = (cairn_kept_areas){.revision = message->revision, .fences = {.count = message->count}};
        areas->coming_bits = 0;
    }
    if (message->count != areas->coming.fences.count) { return CAIRN_AREA_NONSENSE; }
    if (message->count > 0) {
        const cairn_fence fence = fence_of(message);
        if (message->index >= message->count || cairn_fence_trouble(&fence) != NULL) { return CAIRN_AREA_NONSENSE; }
        areas->coming.fences.fences[message->index] = fence;
        areas->coming_bits |= 1u << message->index;
    }
    return keep_coming(areas);
}

static cairn_area expressed(const cairn_fence *fence, cairn_pose2 odom_T_private)
{
    const cairn_fence in_odom = cairn_fence_moved(fence, odom_T_private);
    cairn_area area = {.kind = (uint8_t)fence->kind, .corner_count = (uint8_t)fence->corner_count};
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        area.x_m[i] = (float)in_odom.corners_m[i].x;
        area.y_m[i] = (float)in_odom.corners_m[i].y;
    }
    return area;
}

bool cairn_robot_areas_express(cairn_robot_areas *areas, cairn_pose2 odom_T_private, bool knows_place, cairn_mono now)
{
    CAIRN_ASSERT(isfinite(odom_T_private.x_m) && isfinite(odom_T_private.y_m) && isfinite(odom_T_private.yaw_rad));
    if (areas->kept.revision == 0) { return false; }
    areas->told.issued = now;
    if (!knows_place && areas->told_revision == areas->kept.revision) { return true; }
    areas->told.area_count = areas->kept.fences.count;
    for (uint32_t i = 0; i < areas->kept.fences.count; i++) {
        areas->told.areas[i] = expressed(&areas->kept.fences.fences[i], odom_T_private);
    }
    areas->told_revision = areas->kept.revision;
    return true;
}

bool cairn_kept_areas_are_sound(const cairn_kept_areas *kept)
{
    if (kept->fences.count > CAIRN_FENCES_MAX) { return false; }
    for (uint32_t i = 0; i < kept->fences.count; i++) {
        const cairn_fence *fence = &kept->fences.fences[i];
        if ((unsigned)fence->kind > CAIRN_FENCE_KEEP_OUT || cairn_fence_trouble(fence) != NULL) { return false; }
    }
    return true;
}
