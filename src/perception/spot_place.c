// spot_place.c - bearings of the laser's hits against those of the spot's edges, all seen from the camera.
#include "perception/spot_place.h"
#include <stdlib.h>

#define INNER_PART 0.8     // [-] of the width within which hits are taken: edges see past the body
#define CLUSTER_GAP_M 0.15 // hits farther apart in range than this are not on one body
#define CLUSTER_PART 0.15  // [-] of the hits that a cluster must have, to be more than a stray

// [m] So much above a spot the laser's plane passes over it; the edges of spots are those of their outermost pixels, so
// they seem taller. Larger: people under cars are put on the cars; smaller: who lies in the laser's way is not placed
// by it.
#define OVER_M 0.02
#define GROUND_SLOPE_MIN 0.03 // [-] flatter, half a degree of attitude is all of the range
#define SLOPE_DEVIATION 0.01  // [-] of a spot's lower edge: half a pixel and a third of a degree

typedef struct bearings {
    double left, right, middle; // [rad] in the frame of the points, from the camera
} bearings;

cairn_spot_place_def cairn_spot_place_def_default(void)
{
    return (cairn_spot_place_def){.range_m_max = 6.0,
                                  .body_m = 0.14,
                                  .height_m_max = 2.2,
                                  .size_m_min = 0.08,
                                  .hit_count_min = 3,
                                  .laser_m = NAN};
}

static double bearing_of(cairn_pose3 base_T_camera, cairn_vec3 towards)
{
    const cairn_vec3 v = cairn_quat_rotate(base_T_camera.turn, towards);
    return atan2(v.y, v.x);
}

// Tangent of the elevation above the level.
static double slope_of(cairn_pose3 base_T_camera, cairn_vec3 towards)
{
    const cairn_vec3 v = cairn_quat_rotate(base_T_camera.turn, towards);
    return v.z / sqrt(v.x * v.x + v.y * v.y);
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Ranges from the camera of all hits within the spot's inner width, sorted.
static uint32_t ranges_within(const bearings *b, double part, const cairn_scan_points *points, cairn_vec3 camera_m,
                              double range_m_max, float *ret_range_m)
{
    const double width = cairn_angle_between(b->right, b->left), middle = b->right + 0.5 * width;
    const double half = 0.5 * part * width;
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        if (!points->hit[i]) { continue; }
        const double dx = points->x_m[i] - camera_m.x, dy = points->y_m[i] - camera_m.y;
        if (dx * dx + dy * dy > range_m_max * range_m_max) { continue; }
        if (fabs(cairn_angle_between(middle, atan2(dy, dx))) > half) { continue; }
        ret_range_m[count++] = (float)sqrt(dx * dx + dy * dy);
    }
    qsort(ret_range_m, count, sizeof *ret_range_m, compare_floats);
    return count;
}

// The first run of sorted ranges without a gap that is large enough; its length, 0 if there is none.
static uint32_t nearest_cluster(const float *range_m, uint32_t count, uint32_t count_min, uint32_t *ret_first)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i <= count; i++) {
        if (i < count && range_m[i] - range_m[i - 1] <= CLUSTER_GAP_M) { continue; }
        const uint32_t length = i - first;
        if (length >= count_min && length >= CLUSTER_PART * count) {
            *ret_first = first;
            return length;
        }
        first = i;
    }
    return 0;
}

static bool is_person_sized(const cairn_spot_place_def *def, const cairn_hot_spot *spot, cairn_pose3 base_T_camera,
                            double width_rad, double range_m)
{
    const double wide_m = range_m * width_rad;
    const double high_m =
        range_m * (slope_of(base_T_camera, spot->towards_top) - slope_of(base_T_camera, spot->towards_bottom));
    const bool cut = spot->cut_left || spot->cut_right || spot->cut_top || spot->cut_bottom;
    if (wide_m > def->height_m_max || high_m > def->height_m_max) { return false; }
    return cut || (wide_m >= def->size_m_min && high_m >= def->size_m_min);
}

// Whether the laser's plane, so far away, is higher than the spot: what it hits there hides nothing of the spot.
static bool is_passed_over(const cairn_spot_place_def *def, const cairn_hot_spot *spot, cairn_pose3 base_T_camera,
                           double range_m)
{
    if (!isfinite(def->laser_m) || spot->cut_top) { return false; }
    const double top_m = base_T_camera.at_m.z + range_m * slope_of(base_T_camera, spot->towards_top);
    return def->laser_m > top_m + OVER_M;
}

// How far away a spot is that begins on level ground; infinite if its lower edge tells nothing.
static double range_on_ground(const cairn_hot_spot *spot, cairn_pose3 base_T_camera)
{
    const double falls = -slope_of(base_T_camera, spot->towards_bottom);
    const bool tells = !spot->cut_bottom && falls >= GROUND_SLOPE_MIN && base_T_camera.at_m.z > 0; // not on its back
    return tells ? base_T_camera.at_m.z / falls : INFINITY;
}

// The range by the laser's hits between the spot's edges, and how many of them; false if there are too few.
static bool range_by_laser(const cairn_spot_place_def *def, const bearings *b, const cairn_scan_points *points,
                           cairn_vec3 camera_m, double *ret_range_m, uint32_t *ret_hit_count)
{
    // Hits beyond the range count too: the wall behind must not vanish and leave a stray as the only cluster.
    float range[CAIRN_SCAN_POINTS_MAX];
    uint32_t count = ranges_within(b, INNER_PART, points, camera_m, 4 * def->range_m_max, range), first = 0;
    if (count < def->hit_count_min) { count = ranges_within(b, 1.0, points, camera_m, 4 * def->range_m_max, range); }
    const uint32_t length = nearest_cluster(range, count, def->hit_count_min, &first);
    if (length == 0) { return false; }
    const uint32_t third = (length + 2) / 3;
    *ret_range_m = range[first + third / 2];
    *ret_hit_count = length;
    return true;
}

bool cairn_spot_place_find(const cairn_spot_place_def *def, const cairn_hot_spot *spot, const cairn_scan_points *points,
                           cairn_pose3 base_T_camera, cairn_spot_place *ret_place)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX && def->hit_count_min > 0);
    const bearings b = {.left = bearing_of(base_T_camera, spot->towards_left),
                        .right = bearing_of(base_T_camera, spot->towards_right),
                        .middle = bearing_of(base_T_camera, spot->towards)};
    const cairn_vec3 camera = base_T_camera.at_m;
    double range_m, more_m = 0;
    uint32_t hit_count;
    if (!range_by_laser(def, &b, points, camera, &range_m, &hit_count)) { return false; }
    if (is_passed_over(def, spot, base_T_camera, range_m)) {
        range_m = range_on_ground(spot, base_T_camera);
        more_m = SLOPE_DEVIATION * range_m * range_m / camera.z;
        hit_count = 0;
    }
    const double width_rad = fabs(cairn_angle_between(b.right, b.left));
    // No number is too far, too.
    if (!(range_m <= def->range_m_max) || !is_person_sized(def, spot, base_T_camera, width_rad, range_m)) {
        return false;
    }

    // A third of the width for not knowing the person's shape; what is cut off may be as wide again.
    double deviation_m = 0.05 + 0.02 * range_m + 0.15 * width_rad * range_m + more_m;
    if (spot->cut_left || spot->cut_right) { deviation_m += 0.15 + 0.5 * width_rad * range_m; }
    const double far_m = range_m + def->body_m;
    *ret_place = (cairn_spot_place){
        .at_m = {camera.x + far_m * cos(b.middle), camera.y + far_m * sin(b.middle),
                 camera.z + range_m * slope_of(base_T_camera, spot->towards)},
        .range_m = range_m,
        .deviation_m = deviation_m,
        .hit_count = hit_count,
    };
    return true;
}
