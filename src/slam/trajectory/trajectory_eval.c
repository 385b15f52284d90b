#include "slam/trajectory/trajectory_eval.h"
#include <math.h>

// Sums by Welford's rule: exact enough for millions of tiny errors.
typedef struct running {
    uint32_t count;
    double mean, spread, squares, largest;
} running;

static void running_add(running *r, double value)
{
    r->count++;
    const double before = value - r->mean;
    r->mean += before / r->count;
    r->spread += before * (value - r->mean);
    r->squares += value * value;
    r->largest = fmax(r->largest, value);
}

static cairn_error_sums running_end(const running *r)
{
    const double count = r->count > 0 ? r->count : 1;
    return (cairn_error_sums){r->count, r->mean, sqrt(r->spread / count), r->squares / count, r->largest};
}

typedef struct both {
    running translation_m, rotation_rad;
    uint32_t missing;
} both;

static void both_add(both *b, cairn_pose2 error)
{
    running_add(&b->translation_m, hypot(error.x_m, error.y_m));
    running_add(&b->rotation_rad, fabs(error.yaw_rad));
}

static cairn_trajectory_errors both_end(const both *b)
{
    return (cairn_trajectory_errors){running_end(&b->translation_m), running_end(&b->rotation_rad), b->missing};
}

void cairn_eval_relations(const cairn_trajectory *trajectory, const cairn_relation *relations, uint32_t count,
                          int64_t gap_ns, cairn_trajectory_errors *ret_errors)
{
    both sums = {0};
    for (uint32_t i = 0; i < count; i++) {
        cairn_pose2 from, to;
        if (!cairn_trajectory_at(trajectory, relations[i].from_ns, gap_ns, &from) ||
            !cairn_trajectory_at(trajectory, relations[i].to_ns, gap_ns, &to)) {
            sums.missing++;
            continue;
        }
        both_add(&sums, cairn_pose2_between(relations[i].from_T_to, cairn_pose2_between(from, to)));
    }
    *ret_errors = both_end(&sums);
}

// The least squares of positions in the plane has a closed form: Horn 1987.
static cairn_pose2 lay_on(const cairn_stamped_pose *poses, const cairn_pose2 *wanted, uint32_t count)
{
    cairn_vec2 from = {0, 0}, to = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        from.x += poses[i].map_T_base.x_m / count, from.y += poses[i].map_T_base.y_m / count;
        to.x += wanted[i].x_m / count, to.y += wanted[i].y_m / count;
    }
    double dot = 0, cross = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double ax = poses[i].map_T_base.x_m - from.x, ay = poses[i].map_T_base.y_m - from.y;
        const double bx = wanted[i].x_m - to.x, by = wanted[i].y_m - to.y;
        dot += ax * bx + ay * by;
        cross += ax * by - ay * bx;
    }
    const cairn_pose2 turn = {0, 0, dot == 0 && cross == 0 ? 0 : atan2(cross, dot)};
    const cairn_vec2 moved = cairn_pose2_rotate(turn, from);
    return (cairn_pose2){to.x - moved.x, to.y - moved.y, turn.yaw_rad};
}

static cairn_trajectory_errors relative_errors(const cairn_stamped_pose *poses, const cairn_pose2 *wanted,
                                               uint32_t count, double step_m)
{
    both sums = {0};
    uint32_t to = 0;
    double far_m = 0; // driven from i to `to`, by the reference
    for (uint32_t i = 0; i < count; i++) {
        if (to < i) { to = i, far_m = 0; }
        for (; to + 1 < count && far_m < step_m; to++) {
            far_m += hypot(wanted[to + 1].x_m - wanted[to].x_m, wanted[to + 1].y_m - wanted[to].y_m);
        }
        if (far_m < step_m) { break; }
        both_add(&sums, cairn_pose2_between(cairn_pose2_between(wanted[i], wanted[to]),
                                            cairn_pose2_between(poses[i].map_T_base, poses[to].map_T_base)));
        if (i + 1 < count) { far_m -= hypot(wanted[i + 1].x_m - wanted[i].x_m, wanted[i + 1].y_m - wanted[i].y_m); }
    }
    return both_end(&sums);
}

size_t cairn_eval_reference_bytes(uint32_t pose_count)
{
    return pose_count * (sizeof(cairn_stamped_pose) + sizeof(cairn_pose2)) + 128;
}

cairn_err cairn_eval_reference(const cairn_trajectory *trajectory, const cairn_trajectory *reference, double step_m,
                               int64_t gap_ns, cairn_arena *scratch, cairn_reference_errors *ret_errors)
{
    CAIRN_ASSERT(step_m > 0);
    cairn_stamped_pose *poses = CAIRN_TAKE(scratch, cairn_stamped_pose, trajectory->count);
    cairn_pose2 *wanted = CAIRN_TAKE(scratch, cairn_pose2, trajectory->count);
    if (poses == NULL || wanted == NULL) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    for (uint32_t i = 0; i < trajectory->count; i++) {
        poses[count] = trajectory->poses[i];
        count += cairn_trajectory_at(reference, poses[count].stamp_ns, gap_ns, &wanted[count]);
    }
    const cairn_pose2 laid = count > 0 ? lay_on(poses, wanted, count) : (cairn_pose2){0};
    both sums = {.missing = trajectory->count - count};
    for (uint32_t i = 0; i < count; i++) {
        both_add(&sums, cairn_pose2_between(wanted[i], cairn_pose2_compose(laid, poses[i].map_T_base)));
    }
    *ret_errors = (cairn_reference_errors){.absolute = both_end(&sums),
                                           .relative = relative_errors(poses, wanted, count, step_m),
                                           .reference_T_map = laid};
    return CAIRN_OK;
}
