#include "slam/trajectory/trajectory.h"
#include <stdlib.h>

static int by_stamp(const void *a, const void *b)
{
    const cairn_stamped_pose *p = a, *q = b;
    if (p->stamp_ns != q->stamp_ns) { return p->stamp_ns < q->stamp_ns ? -1 : 1; }
    // Any rule will do for one moment, if it is always the same.
    if (p->map_T_base.x_m != q->map_T_base.x_m) { return p->map_T_base.x_m < q->map_T_base.x_m ? -1 : 1; }
    return p->map_T_base.y_m < q->map_T_base.y_m ? -1 : p->map_T_base.y_m > q->map_T_base.y_m;
}

void cairn_trajectory_sort(cairn_trajectory *trajectory)
{
    qsort(trajectory->poses, trajectory->count, sizeof *trajectory->poses, by_stamp);
}

bool cairn_trajectory_at(const cairn_trajectory *trajectory, int64_t stamp_ns, int64_t gap_ns, cairn_pose2 *ret_pose)
{
    uint32_t low = 0, high = trajectory->count; // the first pose at or after the stamp
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trajectory->poses[middle].stamp_ns < stamp_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == trajectory->count) { return false; }
    const cairn_stamped_pose *after = &trajectory->poses[low];
    if (after->stamp_ns == stamp_ns) {
        *ret_pose = after->map_T_base;
        return true;
    }
    if (low == 0) { return false; }
    const cairn_stamped_pose *before = after - 1;
    const int64_t apart_ns = after->stamp_ns - before->stamp_ns;
    if (apart_ns > gap_ns) { return false; }
    *ret_pose = cairn_pose2_blend(before->map_T_base, after->map_T_base,
                                  (double)(stamp_ns - before->stamp_ns) / (double)apart_ns);
    return true;
}
