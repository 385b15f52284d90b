#include "robot/reflex/command.h"
#include "robot/reflex/reflex.h"
#include <math.h>

void cairn_reflex_command_init(cairn_reflex_command *command, cairn_cell *cell)
{
    *command = (cairn_reflex_command){0};
    (void)cairn_cell_latest(cell, &command->version);
}

// Comparisons are written so that NaN fails them.
static bool plausible(const cairn_reflex_command *command, const cairn_motion_command *asked,
                      const cairn_body_limits *limits, cairn_mono now)
{
    const bool in_time = asked->issued.ns <= now.ns + CAIRN_CLOCK_SLACK_NS &&
                         (!command->heard || asked->issued.ns >= command->issued.ns);
    return in_time && fabs(asked->forward_mps) <= limits->speed_mps_max &&
           fabs(asked->turn_radps) <= limits->turn_radps_max;
}

void cairn_reflex_command_step(cairn_reflex_command *command, cairn_cell *cell, const cairn_body_limits *limits,
                               cairn_mono now)
{
    uint64_t version = 0;
    const cairn_motion_command *asked = cairn_cell_latest(cell, &version);
    if (asked != NULL && version != command->version) {
        command->version = version;
        if (plausible(command, asked, limits, now)) {
            command->wanted = (cairn_motion){asked->forward_mps, asked->turn_radps};
            command->issued = asked->issued;
            command->heard = true;
        } else {
            command->refused_count++;
        }
    }
    command->in_force = command->heard && command->issued.ns >= now.ns - CAIRN_COMMAND_AGE_NS_MAX;
    if (!command->in_force) { command->wanted = (cairn_motion){0}; }
}
