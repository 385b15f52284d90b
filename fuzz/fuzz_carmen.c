// CARMEN logs from outside: any bytes, packed or not, give a log within its limits or a complaint.
#include "maps/files/bytes_io.h"
#include "slam/log/carmen_io.h"
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
    if (err == CAIRN_OK) { err = cairn_carmen_parse(text, text_bytes, "fuzz", &complaints, &log); }
    CAIRN_ASSERT((err == CAIRN_OK) == (complaints.count == 0));
    if (err == CAIRN_OK) {
        check(&log);
        cairn_laser_log_close(&log);
    }
    cairn_arena_destroy(&memory);
    return 0;
}
