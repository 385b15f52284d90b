#include "sim/mission/air.h"
#include "link/air_address.h"

#define DATAGRAM_BYTES_MAX CAIRN_LINK_MTU_MAX

static void send_all(cairn_air *air, cairn_inbox *box, uint32_t from, uint32_t to, cairn_mono now)
{
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    size_t size = 0;
    while (cairn_inbox_take(box, datagram, sizeof datagram, &size) == CAIRN_OK) {
        if (air->silent[from]) { continue; }
        (void)!cairn_medium_send(air->medium, from, to, datagram, size, now); // the medium counts what it loses
    }
}

// The station's boxes have room for addresses; on this air there are none.
static void send_from_station(cairn_air *air, uint32_t to, cairn_mono now)
{
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    size_t size = 0;
    cairn_air_address address;
    const uint32_t station = cairn_medium_station(air->medium);
    while (cairn_air_box_take(air->station_to[to], &address, datagram, &size) == CAIRN_OK) {
        if (air->station_silent) { continue; }
        (void)!cairn_medium_send(air->medium, station, to, datagram, size, now);
    }
}

static void bring_to_station(cairn_air *air, cairn_mono now)
{
    static const cairn_air_address none;
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    cairn_medium_arrival arrival;
    const uint32_t station = cairn_medium_station(air->medium);
    while (cairn_medium_take(air->medium, station, now, datagram, sizeof datagram, &arrival) == CAIRN_OK) {
        if (air->station_silent) { continue; }
        (void)!cairn_air_box_put(air->station_from, &none, datagram, arrival.size_bytes);
    }
}

static void bring_all(cairn_air *air, uint32_t to, cairn_inbox *box, cairn_mono now)
{
    uint8_t datagram[DATAGRAM_BYTES_MAX];
    cairn_medium_arrival arrival;
    while (cairn_medium_take(air->medium, to, now, datagram, sizeof datagram, &arrival) == CAIRN_OK) {
        if (air->silent[to]) { continue; }
        (void)!cairn_inbox_put(box, datagram, arrival.size_bytes); // a full box counts what it refuses
    }
}

void cairn_air_step(cairn_air *air, cairn_mono now)
{
    const uint32_t station = cairn_medium_station(air->medium);
    for (uint32_t i = 0; i < air->robot_count; i++) {
        send_all(air, air->robots[i].to_air, i, station, now);
        send_from_station(air, i, now);
    }
    for (uint32_t i = 0; i < air->robot_count; i++) { bring_all(air, i, air->robots[i].from_air, now); }
    bring_to_station(air, now);
}
