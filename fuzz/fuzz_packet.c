// Datagrams from the air: whatever is not sealed for the session changes nothing, and whatever a peer seals is read or
// refused. The first byte says which: even ones are datagrams, odd ones the inside of a packet whose seal was right;
// and whether the station holds its acknowledgements.
#include "link/link_parts.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct mail_bag {
    size_t size;
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
} mail_bag;

static void catch_last(void *context, const uint8_t *bytes, size_t size)
{
    mail_bag *last = context;
    last->size = size;
    memcpy(last->bytes, bytes, size);
}

static cairn_link *make(cairn_link_role role, bool hold_acks, cairn_arena *arena, uint8_t *block, size_t block_bytes)
{
    cairn_link_def def = cairn_link_def_default();
    cairn_link *link = NULL;
    def.role = role;
    def.robot = 1;
    def.hold_acks = hold_acks;
    cairn_random_init(&def.random, 1, role == CAIRN_LINK_ROBOT ? "robot" : "station");
    cairn_arena_init(arena, block, block_bytes);
    CAIRN_ASSERT(cairn_link_create(&def, arena, &link) == CAIRN_OK);
    return link;
}

static void meet(cairn_link *robot, cairn_link *station)
{
    mail_bag last = {0};
    cairn_link *from = robot, *to = station;
    for (int i = 0; i < 6; i++) {
        cairn_link_step(from, (cairn_mono){CAIRN_MS(1000 + 20 * i)}, catch_last, &last);
        (void)cairn_link_receive(to, last.bytes, last.size, (cairn_mono){CAIRN_MS(1010 + 20 * i)});
        cairn_link *swap = from;
        from = to;
        to = swap;
    }
    CAIRN_ASSERT(robot->confirmed && station->in_session);
}

static void read_inside(cairn_link *link, const uint8_t *data, size_t size)
{
    cairn_mono now = {CAIRN_S(2)};
    cairn_payload_read(link, data, size, 100, now);
    cairn_link_message message;
    size_t taken = 0;
    while (cairn_link_take(link, now, &message) == CAIRN_OK) {
        CAIRN_ASSERT(message.size > 0 && message.id == message.bytes[0]);
        taken += message.size;
    }
    CAIRN_ASSERT(taken <= size);
    mail_bag last = {0};
    cairn_link_step(link, cairn_mono_add(now, CAIRN_S(1)), catch_last, &last);
    cairn_link_confirm(link, 0);
    cairn_payload_read(link, data, size, 101, now); // not taken: nothing is held
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        CAIRN_ASSERT(cairn_link_info_now(link, now).streams[i].held_count == 0);
    }
    cairn_link_step(link, cairn_mono_add(now, CAIRN_S(2)), catch_last, &last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t robot_block[1 << 19], station_block[1 << 19];
    cairn_arena robot_arena, station_arena;
    if (size < 1 || size > CAIRN_LINK_MTU_MAX) { return 0; }
    memset(robot_block, 0, sizeof robot_block);
    memset(station_block, 0, sizeof station_block);
    const bool hold_acks = data[0] % 8 > 3;
    cairn_link *robot = make(CAIRN_LINK_ROBOT, false, &robot_arena, robot_block, sizeof robot_block);
    cairn_link *station = make(CAIRN_LINK_STATION, hold_acks, &station_arena, station_block, sizeof station_block);
    meet(robot, station);
    uint8_t message[600] = {0x22};
    CAIRN_ASSERT(cairn_link_put(station, CAIRN_LINK_TERRAIN, message, sizeof message, (cairn_mono){CAIRN_S(2)}) ==
                 CAIRN_OK);
    if (data[0] % 2 == 1) {
        read_inside(data[0] % 4 == 1 ? robot : station, data + 1, size - 1);
        return 0;
    }
    uint8_t version = 0, whose = 0;
    const bool headed = cairn_link_peek_version(data + 1, size - 1, &version, &whose) == CAIRN_OK;
    CAIRN_ASSERT(!headed || (version > 0 && version < 16));
    CAIRN_ASSERT(cairn_link_receive(robot, data + 1, size - 1, (cairn_mono){CAIRN_S(2)}) != CAIRN_LINK_ACCEPTED);
    (void)cairn_link_receive(station, data + 1, size - 1, (cairn_mono){CAIRN_S(2)}); // the key is known: hellos pass
    CAIRN_ASSERT(robot->info.session_count == 1 && station->info.session_count == 1);
    return 0;
}
