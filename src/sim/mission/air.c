#include "sim/mission/air.h"

#define DATAGRAM_BYTES_MAX 1400

static void send_all(cairn_air *air, cairn_inbox *box, uint32_t from, uint32_t to, cairn_mono now)
{
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    size_t size = 0;
    while (cairn_inbox_take(box, datagram, sizeof datagram, &size) == CAIRN_OK) {
        (void)!cairn_medium_send(air->medium, from, to, datagram, size, now); // the medium counts what it loses
    }
}

static void bring_all(cairn_air *air, uint32_t to, cairn_inbox *box, cairn_mono now)
{
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    cairn_medium_arrival arrival;
    while (cairn_medium_take(air->medium, to, now, datagram, sizeof datagram, &arrival) == CAIRN_OK) {
        (void)!cairn_inbox_put(box, datagram, arrival.size_bytes); // a full box counts what it refuses
    }
}

void cairn_air_step(cairn_air *air, cairn_mono now)
{
    const uint32_t station = cairn_medium_station(air->medium);
    for (uint32_t i = 0; i < air->robot_count; i++) {
        send_all(air, air->robots[i].to_air, i, station, now);
        send_all(air, air->station_to[i], station, i, now);
    }
    for (uint32_t i = 0; i < air->robot_count; i++) { bring_all(air, i, air->robots[i].from_air, now); }
    bring_all(air, station, air->station_from, now);
}
