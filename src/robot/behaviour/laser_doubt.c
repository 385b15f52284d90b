#include "robot/behaviour/laser_doubt.h"
#include <math.h>
#include <string.h>

#define SAME_SCANS 3     // so many that are the same are a frozen laser. More: it drives on for longer
#define SAME_BEAMS_MIN 8 // fewer returns may be the same by chance, of lasers that count in millimetres
#define MOVED_M 0.02     // of one without noise
#define MOVED_RAD 0.02
#define RICH_PART 0.1
#define ANY_PART 0.01
#define SUDDEN_NS CAIRN_MS(250) // longer: robots that leave a building fast are blind
#define EMPTY_NS CAIRN_MS(40)   // a single scan that is lost is nothing

typedef struct scan_sum {
    uint64_t hash;
    uint32_t met_count;
} scan_sum;

static scan_sum sum_of(const cairn_scan_frame *scan)
{
    scan_sum sum = {.hash = 14695981039346656037u};
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        const float range_m = scan->range_m[i];
        uint32_t bits;
        memcpy(&bits, &range_m, sizeof bits);
        sum.hash = (sum.hash ^ bits) * 1099511628211u;
        sum.met_count += range_m >= scan->range_m_min && range_m < scan->range_m_max; // false for NaN
    }
    return sum;
}

static bool has_moved(cairn_pose2 from, cairn_pose2 to)
{
    return cairn_vec2_distance(cairn_pose2_at(from), cairn_pose2_at(to)) > MOVED_M ||
           fabs(cairn_angle_between(from.yaw_rad, to.yaw_rad)) > MOVED_RAD;
}

static scan_sum image_sum_of(const cairn_range_image_frame *image)
{
    scan_sum sum = {.hash = 14695981039346656037u};
    const uint32_t pixel_count = image->width_px * image->height_px;
    for (uint32_t i = 0; i < pixel_count; i++) {
        sum.hash = (sum.hash ^ image->millimetres[i]) * 1099511628211u;
        sum.met_count += image->millimetres[i] != 0;
    }
    return sum;
}

static void notice_frozen(cairn_laser_doubt *doubt, double noise_m, scan_sum sum, cairn_pose2 odom_T_base)
{
    const bool same = doubt->begun && sum.hash == doubt->hash && sum.met_count >= SAME_BEAMS_MIN;
    doubt->same_count = same ? doubt->same_count + 1 : 1;
    if (!same) { doubt->odom_T_base = odom_T_base; }
    doubt->differed = doubt->differed || noise_m <= 0 || (doubt->begun && !same);
    doubt->hash = sum.hash;
    const bool must_differ = noise_m > 0 || has_moved(doubt->odom_T_base, odom_T_base);
    doubt->frozen = doubt->same_count >= SAME_SCANS && must_differ;
}

static void notice_empty(cairn_laser_doubt *doubt, int64_t nod_ns, cairn_mono taken, uint32_t ray_count,
                         uint32_t met_count)
{
    if (met_count >= RICH_PART * ray_count) { doubt->rich_at = taken; }
    if (met_count >= ANY_PART * ray_count) {
        doubt->any_at = taken;
        doubt->empty = false;
        return;
    }
    const bool sudden = doubt->rich_at.ns > 0 && cairn_mono_since(doubt->any_at, doubt->rich_at) <= SUDDEN_NS;
    const bool lasts = cairn_mono_since(taken, doubt->any_at) > EMPTY_NS + nod_ns;
    if (sudden && lasts) { doubt->empty = true; }
}

bool cairn_laser_doubt_step(cairn_laser_doubt *doubt, const cairn_laser_description *laser,
                            const cairn_scan_frame *scan, cairn_pose2 odom_T_base)
{
    CAIRN_ASSERT(doubt != NULL && laser != NULL && scan != NULL);
    CAIRN_ASSERT(scan->beam_count <= CAIRN_SCAN_BEAMS_MAX);
    if (!doubt->begun || scan->taken.ns != doubt->taken.ns) {
        const scan_sum sum = sum_of(scan);
        const int64_t nod_ns = laser->nod.offered ? cairn_ns_from_seconds(laser->nod.period_s) : 0;
        notice_frozen(doubt, laser->noise_m, sum, odom_T_base);
        notice_empty(doubt, nod_ns, scan->taken, scan->beam_count, sum.met_count);
        doubt->taken = scan->taken;
        doubt->begun = true;
    }
    return doubt->frozen || doubt->empty;
}

bool cairn_image_doubt_step(cairn_laser_doubt *doubt, const cairn_range_imager_description *imager,
                            const cairn_range_image_frame *image, cairn_pose2 odom_T_base)
{
    CAIRN_ASSERT(doubt != NULL && imager != NULL && image != NULL);
    CAIRN_ASSERT((uint64_t)image->width_px * image->height_px <= CAIRN_RANGE_PIXELS_MAX);
    if (!doubt->begun || image->taken.ns != doubt->taken.ns) {
        const scan_sum sum = image_sum_of(image);
        notice_frozen(doubt, imager->noise_m, sum, odom_T_base);
        notice_empty(doubt, 0, image->taken, image->width_px * image->height_px, sum.met_count);
        doubt->taken = image->taken;
        doubt->begun = true;
    }
    return doubt->frozen || doubt->empty;
}
