// Two passes: the first counts scans and beams, so that memory is taken for what is there and not for what a line
// claims; the second reads. What FLASER leaves out is then deduced from the log as a whole.
#include "slam/log/carmen_io.h"
#include "slam/log/text_file_io.h"
#include <math.h>

#define RANGE_M_NEVER 50.0     // lasers of these logs reach less: from here on nothing came back
#define RANGE_M_WORTHLESS 0.02 // nearer is inside the laser: the reading failed
#define TOP_PART 0.9985        // of the largest reading: where a heap of "nothing came back" lies
#define BELOW_PART 0.98        // down to here there must be hardly anything, or the heap is a wall
#define HEAP_READINGS_MIN 10u
#define HEAP_PART_MIN 0.001 // of all readings
#define SAME_M 1e-5         // poses that are copies of each other, as printed
#define OFFSET_SAME_M 2e-3  // the laser's place on the robot, from rounded poses

typedef enum line_kind { LINE_OTHER, LINE_FLASER, LINE_ROBOTLASER, LINE_ODOM, LINE_OFFSET } line_kind;

// What is known of a scan beyond what is kept of it.
typedef struct pieces {
    cairn_pose2 log_T_laser, scan_odom; // as its line says
    cairn_pose2 odom_first, odom_last;  // of the ODOM lines since the scan before
    bool has_odom, says_reach;
} pieces;

typedef struct reading {
    cairn_text_walk walk;
    const char *name;
    cairn_complaints *complaints;
    cairn_laser_log log;
    pieces *pieces;
    double offset_x_m;
    cairn_pose2 odom_first, odom_last;
    bool has_odom;
} reading;

static cairn_err bad_line(const reading *r, const char *what)
{
    cairn_complain(r->complaints, r->name, r->walk.line, "%s", what);
    return CAIRN_ERR_CORRUPT;
}

static line_kind kind_of(cairn_text_walk *walk)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(walk, &word, &length)) { return LINE_OTHER; }
    if (cairn_text_is(word, length, "FLASER")) { return LINE_FLASER; }
    if (cairn_text_is(word, length, "ROBOTLASER1")) { return LINE_ROBOTLASER; }
    if (cairn_text_is(word, length, "ODOM")) { return LINE_ODOM; }
    if (!cairn_text_is(word, length, "PARAM") || !cairn_text_word(walk, &word, &length)) { return LINE_OTHER; }
    return cairn_text_is(word, length, "robot_frontlaser_offset") ? LINE_OFFSET : LINE_OTHER;
}

static bool read_pose(cairn_text_walk *walk, cairn_pose2 *ret_pose)
{
    cairn_pose2 pose;
    if (!cairn_text_real(walk, &pose.x_m) || !cairn_text_real(walk, &pose.y_m) ||
        !cairn_text_real(walk, &pose.yaw_rad)) {
        return false;
    }
    if (fabs(pose.x_m) > CAIRN_LOG_REACH_M_MAX || fabs(pose.y_m) > CAIRN_LOG_REACH_M_MAX || fabs(pose.yaw_rad) > 1e6) {
        return false;
    }
    pose.yaw_rad = cairn_angle_wrap(pose.yaw_rad);
    *ret_pose = pose;
    return true;
}

// ---- scans

// What stands before the beams, and their count. A line of n beams has at least 2 n bytes after it.
static cairn_err read_head(reading *r, line_kind kind, cairn_log_scan *scan)
{
    cairn_text_walk *walk = &r->walk;
    double skipped, view_rad = CAIRN_PI, accuracy;
    scan->angle_first_rad = -CAIRN_PI / 2;
    scan->range_m_max = INFINITY;
    if (kind == LINE_ROBOTLASER &&
        (!cairn_text_real(walk, &skipped) || !cairn_text_real(walk, &scan->angle_first_rad) ||
         !cairn_text_real(walk, &view_rad) || !cairn_text_real(walk, &scan->angle_step_rad) ||
         !cairn_text_real(walk, &scan->range_m_max) || !cairn_text_real(walk, &accuracy) ||
         !cairn_text_real(walk, &skipped))) {
        return bad_line(r, "a ROBOTLASER1 line begins with type, first angle, field of view, step, reach, accuracy, "
                           "remission mode, count");
    }
    if (!cairn_text_count(walk, &scan->beam_count)) { return bad_line(r, "the number of beams is missing"); }
    if (scan->beam_count < 2 || scan->beam_count > CAIRN_LOG_BEAMS_MAX) {
        cairn_complain(r->complaints, r->name, walk->line, "a scan of %u beams; expected 2 to %u", scan->beam_count,
                       CAIRN_LOG_BEAMS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    if ((size_t)(walk->line_end - walk->line_at) < 2 * (size_t)scan->beam_count) {
        return bad_line(r, "the line is cut off: it has fewer readings than it says");
    }
    if (kind == LINE_FLASER) {
        const uint32_t n = scan->beam_count;
        const double degrees = n == 180 || n == 181   ? 1
                               : n == 360 || n == 361 ? 0.5
                               : n == 400 || n == 401 ? 0.25
                                                      : 180.0 / (n - 1);
        scan->angle_step_rad = degrees * CAIRN_PI / 180;
        if (n == 400 || n == 401) { scan->angle_first_rad = -50 * CAIRN_PI / 180; }
    }
    if (fabs(scan->angle_first_rad) > 7 || !(fabs(scan->angle_step_rad) * (scan->beam_count - 1) <= 6.3) ||
        scan->angle_step_rad == 0 || !(scan->range_m_max > 0)) {
        return bad_line(r, "beams that span more than a turn, or none, or a reach that is not above 0");
    }
    return CAIRN_OK;
}

static cairn_err read_ranges(reading *r, cairn_log_scan *scan)
{
    float *ranges = r->log.ranges_m + r->log.range_count;
    scan->range_first = r->log.range_count;
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        double range;
        if (!cairn_text_real(&r->walk, &range)) {
            cairn_complain(r->complaints, r->name, r->walk.line, "reading %u of %u is missing or no number", i + 1,
                           scan->beam_count);
            return CAIRN_ERR_CORRUPT;
        }
        ranges[i] = range < RANGE_M_WORTHLESS ? NAN : range >= scan->range_m_max ? INFINITY : (float)range;
    }
    r->log.range_count += scan->beam_count;
    return CAIRN_OK;
}

static cairn_err read_tail(reading *r, line_kind kind, cairn_log_scan *scan, pieces *piece)
{
    cairn_text_walk *walk = &r->walk;
    double skipped;
    uint32_t remissions = 0;
    bool good = true;
    if (kind == LINE_ROBOTLASER) {
        good = cairn_text_count(walk, &remissions);
        for (uint32_t i = 0; i < remissions && good; i++) { good = cairn_text_real(walk, &skipped); }
    }
    good = good && read_pose(walk, &piece->log_T_laser) && read_pose(walk, &piece->scan_odom);
    const uint32_t speeds = kind == LINE_ROBOTLASER ? 5 : 0; // and distances to keep
    for (uint32_t i = 0; i < speeds && good; i++) { good = cairn_text_real(walk, &skipped); }
    if (!good || !cairn_text_seconds(walk, &scan->stamp_ns)) {
        return bad_line(r, "after the readings, two poses and a time are expected; the line is cut off or damaged");
    }
    return CAIRN_OK;
}

static cairn_err read_scan(reading *r, line_kind kind)
{
    cairn_log_scan scan = {0};
    pieces piece = {.odom_first = r->odom_first,
                    .odom_last = r->odom_last,
                    .has_odom = r->has_odom,
                    .says_reach = kind == LINE_ROBOTLASER};
    cairn_err err = read_head(r, kind, &scan);
    if (err == CAIRN_OK) { err = read_ranges(r, &scan); }
    if (err == CAIRN_OK) { err = read_tail(r, kind, &scan, &piece); }
    if (err != CAIRN_OK) { return err; }
    r->has_odom = false;
    r->pieces[r->log.scan_count] = piece;
    r->log.scans[r->log.scan_count++] = scan;
    return CAIRN_OK;
}

static cairn_err read_odom(reading *r)
{
    cairn_pose2 pose;
    if (!read_pose(&r->walk, &pose)) { return bad_line(r, "ODOM wants x, y and heading"); }
    if (!r->has_odom) { r->odom_first = pose; }
    r->odom_last = pose;
    r->has_odom = true;
    return CAIRN_OK;
}

static cairn_err read_line(reading *r)
{
    const line_kind kind = kind_of(&r->walk);
    switch (kind) {
    case LINE_FLASER:
    case LINE_ROBOTLASER: return read_scan(r, kind);
    case LINE_ODOM: return read_odom(r);
    case LINE_OFFSET:
        return cairn_text_real(&r->walk, &r->offset_x_m) && fabs(r->offset_x_m) < 10
                   ? CAIRN_OK
                   : bad_line(r, "robot_frontlaser_offset wants a distance in metres");
    case LINE_OTHER: break;
    }
    r->log.lines_other++;
    return CAIRN_OK;
}

// ---- what the log as a whole says

// Readings heaped at the largest one are the laser's way of saying that nothing came back.
static double range_m_none(const reading *r)
{
    double largest = 0;
    size_t count = 0, top = 0, below = 0;
    for (size_t i = 0; i < r->log.range_count; i++) {
        const float range = r->log.ranges_m[i];
        if (range > (float)largest && range < (float)RANGE_M_NEVER) { largest = range; }
    }
    for (size_t i = 0; i < r->log.range_count; i++) {
        const double range = r->log.ranges_m[i];
        count += isfinite(range);
        top += range >= TOP_PART * largest && range <= largest;
        below += range >= BELOW_PART * largest && range < TOP_PART * largest;
    }
    const bool heap = top >= HEAP_READINGS_MIN && (double)top >= HEAP_PART_MIN * (double)count && top > 5 * below;
    return heap ? TOP_PART * largest : RANGE_M_NEVER;
}

static void mark_no_returns(reading *r)
{
    const double none = range_m_none(r);
    for (uint32_t s = 0; s < r->log.scan_count; s++) {
        cairn_log_scan *scan = &r->log.scans[s];
        if (r->pieces[s].says_reach) { continue; }
        scan->range_m_max = none;
        float *ranges = r->log.ranges_m + scan->range_first;
        for (uint32_t i = 0; i < scan->beam_count; i++) {
            if (ranges[i] >= (float)none) { ranges[i] = INFINITY; }
        }
    }
}

static double apart_m(cairn_pose2 a, cairn_pose2 b) // a radian counts as a metre
{
    return fmax(hypot(a.x_m - b.x_m, a.y_m - b.y_m), fabs(cairn_angle_between(a.yaw_rad, b.yaw_rad)));
}

// Where ODOM begins again at the pose of the scan before, and does not end at the pose of the scan after.
static bool odom_restarts(const reading *r)
{
    uint32_t moved = 0, restarted = 0;
    for (uint32_t s = 1; s < r->log.scan_count; s++) {
        const pieces *p = &r->pieces[s];
        if (!p->has_odom || apart_m(p->scan_odom, r->pieces[s - 1].scan_odom) < SAME_M) { continue; }
        moved++;
        restarted +=
            apart_m(p->odom_first, r->pieces[s - 1].scan_odom) < SAME_M && apart_m(p->odom_last, p->scan_odom) > SAME_M;
    }
    return 2 * restarted > moved;
}

static void find_laser(reading *r, bool restarts)
{
    const cairn_pose2 by_param = {r->offset_x_m, 0, 0};
    const cairn_pose2 first = cairn_pose2_between(r->pieces[0].scan_odom, r->pieces[0].log_T_laser);
    bool constant = hypot(first.x_m, first.y_m) < 10;
    for (uint32_t s = 1; s < r->log.scan_count && constant; s++) {
        const cairn_pose2 there = cairn_pose2_between(r->pieces[s].scan_odom, r->pieces[s].log_T_laser);
        constant = apart_m(there, first) < OFFSET_SAME_M;
    }
    r->log.base_T_laser = constant && !restarts ? first : by_param;
    r->log.is_corrected = restarts || !constant;
}

static void place_scans(reading *r)
{
    const bool restarts = odom_restarts(r);
    find_laser(r, restarts);
    const cairn_pose2 laser_T_base = cairn_pose2_inverse(r->log.base_T_laser);
    cairn_pose2 odom = r->pieces[0].has_odom ? r->pieces[0].odom_last : r->pieces[0].scan_odom;
    for (uint32_t s = 0; s < r->log.scan_count; s++) {
        const pieces *p = &r->pieces[s];
        if (s > 0 && restarts) {
            const cairn_pose2 before = r->pieces[s - 1].scan_odom;
            odom = cairn_pose2_compose(odom, cairn_pose2_between(before, p->has_odom ? p->odom_last : p->scan_odom));
        }
        r->log.scans[s].odom_T_base = restarts ? odom : p->scan_odom;
        r->log.scans[s].log_T_base = cairn_pose2_compose(p->log_T_laser, laser_T_base);
    }
}

// ---- the whole

static cairn_err count_scans(reading *r, uint32_t *ret_scans, size_t *ret_ranges)
{
    *ret_scans = 0;
    *ret_ranges = 0;
    while (cairn_text_next_line(&r->walk)) {
        const line_kind kind = kind_of(&r->walk);
        if (kind != LINE_FLASER && kind != LINE_ROBOTLASER) { continue; }
        cairn_log_scan scan = {0};
        const cairn_err err = read_head(r, kind, &scan);
        if (err != CAIRN_OK) { return err; }
        *ret_scans += 1;
        *ret_ranges += scan.beam_count;
        if (*ret_scans > CAIRN_LOG_SCANS_MAX || *ret_ranges > CAIRN_LOG_RANGES_MAX) {
            cairn_complain(r->complaints, r->name, r->walk.line, "more than %u scans or %zu readings; cut the log",
                           CAIRN_LOG_SCANS_MAX, CAIRN_LOG_RANGES_MAX);
            return CAIRN_ERR_TOO_LARGE;
        }
    }
    if (*ret_scans > 0) { return CAIRN_OK; }
    cairn_complain(r->complaints, r->name, 0, "has no FLASER or ROBOTLASER1 lines; a CARMEN log is expected");
    return CAIRN_ERR_EMPTY;
}

static cairn_err read_all(reading *r, const void *bytes, size_t size_bytes, cairn_arena *scratch)
{
    uint32_t scan_count;
    size_t range_count;
    r->walk = cairn_text_walk_of(bytes, size_bytes);
    cairn_err err = count_scans(r, &scan_count, &range_count);
    if (err != CAIRN_OK) { return err; }
    err = cairn_arena_create(&r->log.memory, scan_count * sizeof(cairn_log_scan) + range_count * sizeof(float) + 256);
    if (err == CAIRN_OK) { err = cairn_arena_create(scratch, scan_count * sizeof(pieces) + 64); }
    if (err != CAIRN_OK) {
        cairn_complain(r->complaints, r->name, 0, "no memory left to read it");
        return err;
    }
    r->log.scans = CAIRN_TAKE(&r->log.memory, cairn_log_scan, scan_count);
    r->log.ranges_m = CAIRN_TAKE(&r->log.memory, float, range_count);
    r->pieces = CAIRN_TAKE(scratch, pieces, scan_count);
    CAIRN_ASSERT(r->log.scans != NULL && r->log.ranges_m != NULL && r->pieces != NULL);
    r->walk = cairn_text_walk_of(bytes, size_bytes);
    while (err == CAIRN_OK && cairn_text_next_line(&r->walk)) { err = read_line(r); }
    if (err != CAIRN_OK) { return err; }
    mark_no_returns(r);
    place_scans(r);
    return CAIRN_OK;
}

cairn_err cairn_carmen_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                             cairn_complaints *complaints, cairn_laser_log *ret_log)
{
    CAIRN_ASSERT((bytes != NULL || size_bytes == 0) && complaints != NULL && ret_log != NULL);
    reading r = {.name = name_for_errors, .complaints = complaints};
    cairn_arena scratch = {0};
    const cairn_err err = read_all(&r, bytes, size_bytes, &scratch);
    cairn_arena_destroy(&scratch);
    if (err != CAIRN_OK) {
        cairn_laser_log_close(&r.log);
        return err;
    }
    *ret_log = r.log;
    return CAIRN_OK;
}

cairn_err cairn_carmen_open(const char *path, cairn_complaints *complaints, cairn_laser_log *ret_log)
{
    cairn_text_file text;
    cairn_err err = cairn_text_file_open(path, complaints, &text);
    if (err != CAIRN_OK) { return err; }
    err = cairn_carmen_parse(text.bytes, text.size_bytes, path, complaints, ret_log);
    cairn_text_file_close(&text);
    return err;
}
