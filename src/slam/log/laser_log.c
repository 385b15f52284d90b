#include "slam/log/laser_log.h"

void cairn_laser_log_close(cairn_laser_log *log)
{
    if (log == NULL) { return; }
    cairn_arena_destroy(&log->memory);
    *log = (cairn_laser_log){0};
}
