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
// [m] All ranges at once change by more than this and the way since: they are wrong. Larger: fewer false alarms; walls
// are met by as much.
#define LEAP_M 0.05
// [-] So many of the beams agree about the leap. Larger: leaps are missed while it turns or much moves.
#define LEAP_PART 0.7
#define LEAP_BEAMS 128 // of a scan, that are compared
#define LEAP_BEAMS_MIN 16
// [m], [-] They agree within this, and so many deviations of the difference of two ranges.
#define AGREE_M 0.01
#define AGREE_DEVIATIONS 2.8

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

// ---- leaps

// By what the ranges of a scan differ from older ones, most of them by the same amount.
typedef struct leap {
    bool known; // enough beams met something both times, and most agree
    double by_m;
} leap;

// Beams that meet something now and then, looking the same way: the robot has turned between.
static uint32_t differences(const cairn_scan_frame *scan, const float *older_m, double turned_rad,
                            float ret_m[LEAP_BEAMS])
{
    const uint32_t stride = (scan->beam_count + LEAP_BEAMS - 1) / LEAP_BEAMS;
    const double shift = scan->angle_rad_step != 0.0f ? turned_rad / (double)scan->angle_rad_step : 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->beam_count; i += stride) {
        const double before = floor(i + shift + 0.5);
        if (!(before >= 0.0 && before < scan->beam_count)) { continue; }
        const float now_m = scan->range_m[i], then_m = older_m[(uint32_t)before];
        const bool met = now_m >= scan->range_m_min && now_m < scan->range_m_max; // false for NaN
        const bool met_then = then_m >= scan->range_m_min && then_m < scan->range_m_max;
        if (met && met_then) { ret_m[count++] = now_m - then_m; }
    }
    return count;
}

static float median_of(float *values, uint32_t count)
{
    CAIRN_ASSERT(count > 0 && count <= LEAP_BEAMS);
    for (uint32_t i = 1; i < count; i++) {
        const float value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) { values[at] = values[at - 1]; }
        values[at] = value;
    }
    return values[count / 2];
}

static leap compare(const cairn_scan_frame *scan, const float *older_m, double turned_rad, double noise_m)
{
    float differs_m[LEAP_BEAMS];
    const uint32_t count = differences(scan, older_m, turned_rad, differs_m);
    if (count < LEAP_BEAMS_MIN) { return (leap){0}; }
    const float by_m = median_of(differs_m, count), within_m = (float)(AGREE_M + AGREE_DEVIATIONS * noise_m);
    uint32_t agree = 0;
    for (uint32_t i = 0; i < count; i++) { agree += fabsf(differs_m[i] - by_m) <= within_m; }
    return (leap){.known = agree >= LEAP_PART * count, .by_m = (double)by_m};
}

static double way_m(cairn_pose2 from, cairn_pose2 to)
{
    return cairn_vec2_distance(cairn_pose2_at(from), cairn_pose2_at(to));
}

static void remember_ranges(const cairn_scan_frame *scan, cairn_pose2 odom_T_base, float *ret_m, cairn_pose2 *ret_at)
{
    memcpy(ret_m, scan->range_m, scan->beam_count * sizeof ret_m[0]);
    *ret_at = odom_T_base;
}

static void notice_leap(cairn_laser_doubt *doubt, double noise_m, const cairn_scan_frame *scan, cairn_pose2 odom_T_base)
{
    const bool comparable = doubt->range_count == scan->beam_count && doubt->angle_rad_step == scan->angle_rad_step;
    if (comparable) {
        const double turned_rad = cairn_angle_between(doubt->then.yaw_rad, odom_T_base.yaw_rad);
        const leap since = compare(scan, doubt->then_m, turned_rad, noise_m);
        if (since.known && fabs(since.by_m) > LEAP_M + way_m(doubt->then, odom_T_base)) { doubt->off_m += since.by_m; }
    }
    if (comparable && doubt->leapt) { // or it is again as it was
        const double turned_rad = cairn_angle_between(doubt->sound.yaw_rad, odom_T_base.yaw_rad);
        const leap in_all = compare(scan, doubt->sound_m, turned_rad, noise_m);
        if (in_all.known && fabs(in_all.by_m) <= LEAP_M) { doubt->off_m = 0.0; }
    }
    if (!comparable || fabs(doubt->off_m) <= LEAP_M) { doubt->off_m = 0.0; }
    doubt->leapt = doubt->off_m != 0.0;
    doubt->range_count = scan->beam_count;
    doubt->angle_rad_step = scan->angle_rad_step;
    remember_ranges(scan, odom_T_base, doubt->then_m, &doubt->then);
    if (!doubt->leapt) { remember_ranges(scan, odom_T_base, doubt->sound_m, &doubt->sound); }
}

void cairn_laser_doubt_go_on(cairn_laser_doubt *doubt, bool empty)
{
    CAIRN_ASSERT(doubt != NULL);
    if (!doubt->begun) { doubt->empty = empty; }
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
        const bool rich = sum.met_count >= RICH_PART * scan->beam_count; // of others too little can be compared
        if (rich) { notice_leap(doubt, laser->noise_m, scan, odom_T_base); }
        doubt->taken = scan->taken;
        doubt->begun = true;
    }
    return doubt->frozen || doubt->empty || doubt->leapt;
}

bool cairn_image_doubt_step(cairn_laser_doubt *doubt, const cairn_range_imager_description *imager,
                            const cairn_range_image_frame *image, cairn_pose2 odom_T_base)
{
    CAIRN_ASSERT(doubt != NULL && imager != NULL && image != NULL);
    CAIRN_ASSERT((uint64_t)image->width_px * image->height_px <= CAIRN_RANGE_PIXELS_MAX);
    if (!doubt->begun) { doubt->rich_at = doubt->any_at = image->taken; }
    if (!doubt->begun || image->taken.ns != doubt->taken.ns) {
        const scan_sum sum = image_sum_of(image);
        notice_frozen(doubt, imager->noise_m, sum, odom_T_base);
        notice_empty(doubt, 0, image->taken, image->width_px * image->height_px, sum.met_count);
        doubt->taken = image->taken;
        doubt->begun = true;
    }
    return doubt->frozen || doubt->empty;
}
