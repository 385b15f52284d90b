#include "station/voice.h"

static void count_in(uint8_t *count)
{
    if (*count < UINT8_MAX) { (*count)++; }
}

void cairn_voice_say(const cairn_voice *voice, cairn_fleet_robot *robot, const cairn_radio_message *message,
                     cairn_mono now)
{
    switch (message->id) {
    case CAIRN_MSG_STOP: count_in(&robot->facts.stop_count); break;
    case CAIRN_MSG_MODE_ORDER: count_in(&robot->facts.mode_count); break;
    case CAIRN_MSG_TASK:
    case CAIRN_MSG_AREA: count_in(&robot->facts.task_count); break;
    default: break;
    }
    if (voice->post == NULL) { return; }
    // What the link has no room for is counted there, and is not under way by the next step's facts.
    (void)cairn_post_send(voice->post, (uint32_t)(robot - voice->fleet->robots), message, now);
}
