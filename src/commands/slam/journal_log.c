// journal_log.c - two passes over the journal: one counts, so that memory is taken once, one keeps.
#include "commands/slam/journal_log.h"
#include "journal/mcap_read.h"
#include "messages/cdr_walk.h"
#include "slam/trajectory/trajectory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_BYTES 64u
#define ODOM_GAP_NS INT64_C(1500000000) // odometry is blended between messages at most this far apart
#define ROBOTS_MAX 64u

typedef struct job {
    const char *path;
    cairn_complaints *complaints;
    char robot[NAME_BYTES]; // "" until it is known
    char laser_frame[NAME_BYTES];
    cairn_laser_log log;
    cairn_trajectory odom;
    uint32_t scan_count, odom_count;
    size_t range_count;
    bool keeps, has_laser;
    uint32_t robot_count;
    char robots[ROBOTS_MAX][NAME_BYTES];
} job;

// ---- values out of messages

static double take_real(cairn_cdr_walk *in, size_t bytes)
{
    const uint8_t *from = cairn_cdr_take(in, bytes, bytes);
    if (from == NULL) { return 0; }
    const uint64_t bits = cairn_cdr_load(in, from, bytes);
    const uint32_t low = (uint32_t)bits;
    float single;
    double whole;
    memcpy(&single, &low, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    return bytes == 4 ? (double)single : whole;
}

static void take_name(cairn_cdr_walk *in, char ret_name[NAME_BYTES])
{
    const uint32_t length = cairn_cdr_take_u32(in);
    const uint8_t *text = cairn_cdr_take(in, length, 1);
    (void)snprintf(ret_name, NAME_BYTES, "%.*s", text != NULL ? (int)(length < NAME_BYTES ? length : NAME_BYTES) : 0,
                   text != NULL ? (const char *)text : "");
}

static int64_t take_header(cairn_cdr_walk *in, char ret_frame[NAME_BYTES])
{
    const int32_t seconds = (int32_t)cairn_cdr_take_u32(in);
    const uint32_t nanoseconds = cairn_cdr_take_u32(in);
    take_name(in, ret_frame);
    return (int64_t)seconds * 1000000000 + nanoseconds;
}

static cairn_pose2 take_pose(cairn_cdr_walk *in) // position, quaternion: flattened
{
    double v[7];
    for (int i = 0; i < 7; i++) { v[i] = take_real(in, 8); }
    const double x = v[3], y = v[4], z = v[5], w = v[6];
    return (cairn_pose2){v[0], v[1], atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))};
}

// ---- messages

static void keep_scan(job *j, cairn_cdr_walk *in, const cairn_log_scan *head, double range_m_min)
{
    cairn_log_scan *scan = &j->log.scans[j->scan_count];
    *scan = *head;
    scan->range_first = j->range_count;
    for (uint32_t i = 0; i < head->beam_count; i++) {
        const double range = take_real(in, 4);
        j->log.ranges_m[j->range_count + i] = range < range_m_min || isnan(range) ? NAN
                                              : range >= head->range_m_max        ? INFINITY
                                                                                  : (float)range;
    }
}

static void on_scan(job *j, cairn_cdr_walk *in)
{
    cairn_log_scan head = {0};
    head.stamp_ns = take_header(in, j->laser_frame);
    head.angle_first_rad = take_real(in, 4);
    (void)take_real(in, 4); // angle_max
    head.angle_step_rad = take_real(in, 4);
    (void)take_real(in, 4); // time_increment
    (void)take_real(in, 4); // scan_time
    const double range_m_min = take_real(in, 4);
    head.range_m_max = take_real(in, 4);
    head.beam_count = cairn_cdr_take_u32(in);
    const bool sound = !in->bad && head.beam_count >= 2 && head.beam_count <= CAIRN_LOG_BEAMS_MAX &&
                       in->size - in->at >= head.beam_count * sizeof(float) && isfinite(head.angle_first_rad) &&
                       fabs(head.angle_step_rad) * head.beam_count < 7 && head.angle_step_rad != 0;
    if (!sound || j->scan_count == CAIRN_LOG_SCANS_MAX || j->range_count + head.beam_count > CAIRN_LOG_RANGES_MAX) {
        return;
    }
    if (j->keeps) { keep_scan(j, in, &head, range_m_min); }
    j->scan_count++;
    j->range_count += head.beam_count;
}

static void on_odom(job *j, cairn_cdr_walk *in)
{
    char frame[NAME_BYTES], child[NAME_BYTES];
    cairn_stamped_pose pose = {.stamp_ns = take_header(in, frame)};
    take_name(in, child);
    pose.map_T_base = take_pose(in);
    if (in->bad || !isfinite(pose.map_T_base.x_m + pose.map_T_base.y_m + pose.map_T_base.yaw_rad) ||
        j->odom_count == CAIRN_TRAJECTORY_POSES_MAX) {
        return;
    }
    if (j->keeps) { j->odom.poses[j->odom_count] = pose; }
    j->odom_count++;
}

// Where the laser sits: the transform whose child is the frame of its scans.
static void on_tf(job *j, cairn_cdr_walk *in)
{
    const uint32_t count = cairn_cdr_take_u32(in);
    for (uint32_t i = 0; i < count && !in->bad && !j->has_laser; i++) {
        char frame[NAME_BYTES], child[NAME_BYTES];
        (void)take_header(in, frame);
        take_name(in, child);
        const cairn_pose2 pose = take_pose(in);
        if (!in->bad && j->laser_frame[0] != '\0' && strcmp(child, j->laser_frame) == 0) {
            j->log.base_T_laser = pose;
            j->has_laser = true;
        }
    }
}

// "emu1" of "/emu1/scan"; false for other topics.
static bool robot_of(const char *topic, const char *ending, char ret_name[NAME_BYTES])
{
    const size_t length = strlen(topic), tail = strlen(ending);
    if (topic[0] != '/' || length <= tail + 1 || length - tail - 1 >= NAME_BYTES) { return false; }
    if (strcmp(topic + length - tail, ending) != 0) { return false; }
    (void)snprintf(ret_name, NAME_BYTES, "%.*s", (int)(length - tail - 1), topic + 1);
    return strchr(ret_name, '/') == NULL;
}

static void robot_note(job *j, const char *name)
{
    for (uint32_t i = 0; i < j->robot_count; i++) {
        if (strcmp(j->robots[i], name) == 0) { return; }
    }
    if (j->robot_count < ROBOTS_MAX) { (void)snprintf(j->robots[j->robot_count++], NAME_BYTES, "%s", name); }
}

static void on_message(job *j, const cairn_mcap_message *message)
{
    char name[NAME_BYTES];
    cairn_cdr_walk in;
    const char *topic = message->channel->topic;
    const bool is_scan = robot_of(topic, "/scan", name);
    if (is_scan) { robot_note(j, name); }
    if (!is_scan && !robot_of(topic, "/odom", name) && strcmp(topic, "/tf") != 0) { return; }
    if (cairn_cdr_walk_over(message->bytes, message->size, &in) != CAIRN_OK) { return; }
    if (strcmp(topic, "/tf") == 0) {
        if (j->keeps) { on_tf(j, &in); }
    } else if (strcmp(name, j->robot) == 0) {
        (is_scan ? on_scan : on_odom)(j, &in);
    }
}

static cairn_err pass(job *j)
{
    cairn_mcap_source source;
    cairn_err err = cairn_mcap_source_open(j->path, j->complaints, &source);
    if (err != CAIRN_OK) { return err; }
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    cairn_mcap_reader *reader = NULL;
    err = cairn_mcap_reader_create(&source, &limits, &reader);
    cairn_mcap_message message;
    while (err == CAIRN_OK && (err = cairn_mcap_next(reader, &message)) == CAIRN_OK) { on_message(j, &message); }
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
    return err == CAIRN_ERR_EMPTY ? CAIRN_OK : err;
}

// ---- the whole

static cairn_err choose_robot(job *j, const char *robot)
{
    cairn_err err = pass(j); // with no robot named, only the names are noted
    if (err != CAIRN_OK) { return err; }
    char names[512] = "";
    for (uint32_t i = 0; i < j->robot_count; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", j->robots[i]);
        if (robot != NULL && strcmp(robot, j->robots[i]) == 0) {
            (void)snprintf(j->robot, NAME_BYTES, "%s", robot);
            return CAIRN_OK;
        }
    }
    if (j->robot_count == 0) {
        cairn_complain(j->complaints, j->path, 0, "has no scans (/NAME/scan); journals of level operations keep none");
        return CAIRN_ERR_EMPTY;
    }
    if (robot == NULL && j->robot_count == 1) {
        (void)snprintf(j->robot, NAME_BYTES, "%s", j->robots[0]);
        return CAIRN_OK;
    }
    cairn_complain(j->complaints, j->path, 0, "has scans of %s; choose one of them with --robot", names);
    return CAIRN_ERR_NOT_FOUND;
}

static cairn_err take_memory(job *j)
{
    const size_t bytes = j->scan_count * sizeof(cairn_log_scan) + j->range_count * sizeof(float) + 256;
    const cairn_err err = cairn_arena_create(&j->log.memory, bytes);
    if (err != CAIRN_OK) { return err; }
    j->log.scans = CAIRN_TAKE(&j->log.memory, cairn_log_scan, j->scan_count);
    j->log.ranges_m = CAIRN_TAKE(&j->log.memory, float, j->range_count);
    j->odom.poses = malloc((j->odom_count + 1) * sizeof *j->odom.poses);
    return j->odom.poses != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

static cairn_err place_scans(job *j)
{
    j->odom.count = j->odom_count;
    cairn_trajectory_sort(&j->odom);
    j->log.range_count = j->range_count;
    for (uint32_t i = 0; i < j->scan_count; i++) {
        cairn_log_scan scan = j->log.scans[i];
        if (!cairn_trajectory_at(&j->odom, scan.stamp_ns, ODOM_GAP_NS, &scan.odom_T_base)) { continue; }
        scan.log_T_base = scan.odom_T_base;
        j->log.scans[j->log.scan_count++] = scan;
    }
    if (j->log.scan_count > 0) { return CAIRN_OK; }
    cairn_complain(j->complaints, j->path, 0, "has no odometry of %s (/%s/odom) around its scans", j->robot, j->robot);
    return CAIRN_ERR_EMPTY;
}

static cairn_err read_all(job *j, const char *robot)
{
    cairn_err err = choose_robot(j, robot);
    if (err == CAIRN_OK) { err = pass(j); } // counts
    if (err == CAIRN_OK) { err = take_memory(j); }
    j->keeps = true;
    j->scan_count = j->odom_count = 0;
    j->range_count = 0;
    if (err == CAIRN_OK) { err = pass(j); }
    return err == CAIRN_OK ? place_scans(j) : err;
}

bool cairn_journal_log_is(const char *path)
{
    uint8_t first[5] = {0};
    FILE *file = fopen(path, "rb");
    const size_t count = file != NULL ? fread(first, 1, sizeof first, file) : 0;
    if (file != NULL) { (void)fclose(file); }
    return count == sizeof first && memcmp(first, "\x89MCAP", sizeof first) == 0;
}

cairn_err cairn_journal_log_open(const char *path, const char *robot, cairn_complaints *complaints,
                                 cairn_laser_log *ret_log)
{
    static job j; // large
    j = (job){.path = path, .complaints = complaints};
    const cairn_err err = read_all(&j, robot);
    free(j.odom.poses);
    if (err != CAIRN_OK) {
        cairn_laser_log_close(&j.log);
        return err;
    }
    *ret_log = j.log;
    return CAIRN_OK;
}
