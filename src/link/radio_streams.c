#include "link/radio_streams.h"

static const struct {
    uint8_t id;
    cairn_link_stream stream;
} table[] = {
    {CAIRN_MSG_STOP, CAIRN_LINK_STOP},
    {CAIRN_MSG_MODE_ORDER, CAIRN_LINK_MODE},
    {CAIRN_MSG_STICK, CAIRN_LINK_TELEOPERATION},
    {CAIRN_MSG_OVERRIDE, CAIRN_LINK_TELEOPERATION},
    {CAIRN_MSG_TELEMETRY, CAIRN_LINK_TELEMETRY},
    {CAIRN_MSG_TASK, CAIRN_LINK_TASK},
    {CAIRN_MSG_AREA, CAIRN_LINK_TASK},
    {CAIRN_MSG_VICTIM_SEEN, CAIRN_LINK_SIGHTING},
    {CAIRN_MSG_TEAMMATES, CAIRN_LINK_STATE},
    {CAIRN_MSG_NODE, CAIRN_LINK_NODE},
    {CAIRN_MSG_EVENT, CAIRN_LINK_SIGHTING},
    {CAIRN_MSG_TERRAIN_CODE, CAIRN_LINK_TERRAIN},
    {CAIRN_MSG_TERRAIN_GRID, CAIRN_LINK_TERRAIN},
};

cairn_err cairn_link_stream_of(uint8_t message_id, cairn_link_stream *ret_stream)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].id != message_id) { continue; }
        *ret_stream = table[i].stream;
        return CAIRN_OK;
    }
    return CAIRN_ERR_UNSUPPORTED;
}
