// CARMEN logs, trajectories and relations from outside: any bytes, packed or not, give what they should within its
// limits, or a complaint.
#include "maps/files/bytes_io.h"
#include "slam/log/carmen_io.h"
#include "slam/trajectory/relations_io.h"
#include "slam/trajectory/tum_io.h"
#include <math.h>

#define TEXT_BYTES_MAX ((size_t)1 << 20) // larger texts only make it slow

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const cairn_laser_log *log)
{
    CAIRN_ASSERT(log->scan_count > 0);
    size_t count = 0;
    for (uint32_t s = 0; s < log->scan_count; s++) {
        const cairn_log_scan *scan = &log->scans[s];
        CAIRN_ASSERT(scan->range_first == count && scan->beam_count <= CAIRN_LOG_BEAMS_MAX);
        CAIRN_ASSERT(isfinite(scan->odom_T_base.x_m) && isfinite(scan->log_T_base.yaw_rad));
        count += scan->beam_count;
    }
    CAIRN_ASSERT(count == log->range_count);
    for (size_t i = 0; i < count; i++) { CAIRN_ASSERT(isnan(log->ranges_m[i]) || log->ranges_m[i] > 0); }
}

static void parse_trajectories(const uint8_t *text, size_t text_bytes, cairn_complaints *complaints)
{
    cairn_tum_file file;
    cairn_relations relations;
    if (cairn_tum_parse(text, text_bytes, "fuzz", complaints, &file) == CAIRN_OK) {
        for (uint32_t i = 1; i < file.trajectory.count; i++) {
            CAIRN_ASSERT(file.trajectory.poses[i - 1].stamp_ns <= file.trajectory.poses[i].stamp_ns);
        }
        cairn_tum_close(&file);
    }
    if (cairn_relations_parse(text, text_bytes, "fuzz", complaints, &relations) == CAIRN_OK) {
        cairn_relations_close(&relations);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static cairn_complaints complaints;
    complaints = (cairn_complaints){0};
    cairn_arena memory;
    if (cairn_arena_create(&memory, 2 * TEXT_BYTES_MAX) != CAIRN_OK) { return 0; }
    const uint8_t *text;
    size_t text_bytes;
    cairn_laser_log log;
    cairn_err err = cairn_bytes_unpack(bytes, size, "fuzz", TEXT_BYTES_MAX, &memory, &complaints, &text, &text_bytes);
    const bool unpacked = err == CAIRN_OK;
    if (err == CAIRN_OK) { err = cairn_carmen_parse(text, text_bytes, "fuzz", &complaints, &log); }
    CAIRN_ASSERT((err == CAIRN_OK) == (complaints.count == 0));
    if (err == CAIRN_OK) {
        check(&log);
        cairn_laser_log_close(&log);
    }
    if (unpacked) { parse_trajectories(text, text_bytes, &complaints); }
    cairn_arena_destroy(&memory);
    return 0;
}
