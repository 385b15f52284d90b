#include "programs/sim/sim_radio.h"
#include "link/link.h"
#include "ports/udp.h"
#include <stdlib.h>

#define MEMORY_BYTES (32u << 20)
// Taken from one socket in one step: whoever floods it does not hold up the world.
#define DATAGRAMS_MAX 64

typedef struct radio_robot {
    uint8_t number;
    cairn_air_address home; // where its last datagram came from; none: not heard yet
    cairn_udp *to_station;
} radio_robot;

struct cairn_sim_radio {
    cairn_arena memory;
    cairn_medium *medium;
    cairn_udp *air;
    cairn_air_address station;
    uint64_t unknown_count;
    uint32_t robot_count;
    radio_robot robots[CAIRN_SIM_ROBOTS_MAX];
};

static cairn_err open_sockets(cairn_sim_radio *radio, const cairn_sim_radio_def *def, cairn_complaints *complaints)
{
    cairn_err err = cairn_udp_open(def->air, complaints, &radio->air);
    if (err == CAIRN_OK) { err = cairn_udp_resolve(def->station, complaints, &radio->station); }
    for (uint32_t i = 0; i < def->robot_count && err == CAIRN_OK; i++) {
        err = cairn_udp_open(":0", complaints, &radio->robots[i].to_station);
    }
    return err;
}

static cairn_err create_medium(cairn_sim_radio *radio, const cairn_sim_radio_def *def)
{
    cairn_medium_def medium = cairn_medium_def_default();
    medium.arena = def->arena;
    medium.robot_count = def->robot_count;
    medium.seed = def->seed;
    medium.radio = def->radio;
    const cairn_err err = cairn_arena_create(&radio->memory, MEMORY_BYTES);
    return err == CAIRN_OK ? cairn_medium_create(&medium, &radio->memory, &radio->medium) : err;
}

cairn_err cairn_sim_radio_create(const cairn_sim_radio_def *def, cairn_complaints *complaints,
                                 cairn_sim_radio **ret_radio)
{
    cairn_sim_radio *radio = calloc(1, sizeof *radio);
    if (radio == NULL) { return CAIRN_ERR_FULL; }
    radio->robot_count = def->robot_count;
    for (uint32_t i = 0; i < def->robot_count; i++) { radio->robots[i].number = def->numbers[i]; }
    cairn_err err = create_medium(radio, def);
    if (err == CAIRN_OK) { err = open_sockets(radio, def, complaints); }
    if (err != CAIRN_OK) {
        cairn_sim_radio_destroy(radio);
        return err;
    }
    *ret_radio = radio;
    return CAIRN_OK;
}

void cairn_sim_radio_destroy(cairn_sim_radio *radio)
{
    if (radio == NULL) { return; }
    for (uint32_t i = 0; i < radio->robot_count; i++) { cairn_udp_close(radio->robots[i].to_station); }
    cairn_udp_close(radio->air);
    cairn_arena_destroy(&radio->memory);
    free(radio);
}

void cairn_sim_radio_place(cairn_sim_radio *radio, uint32_t robot, cairn_vec2 at_m, cairn_mono now)
{
    cairn_medium_place(radio->medium, robot, at_m, now);
}

// By what every version of the protocol has in front. radio->robot_count: none of ours.
static uint32_t sender_of(const cairn_sim_radio *radio, const uint8_t *bytes, size_t size)
{
    uint8_t version = 0, number = 0;
    uint32_t at = 0;
    if (cairn_link_peek_version(bytes, size, &version, &number) != CAIRN_OK) { return radio->robot_count; }
    while (at < radio->robot_count && radio->robots[at].number != number) { at++; }
    return at;
}

static void hear_robots(cairn_sim_radio *radio, cairn_mono now)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address from;
    for (int n = 0; n < DATAGRAMS_MAX; n++) {
        if (cairn_udp_receive(radio->air, bytes, sizeof bytes, &size, &from) != CAIRN_OK) { return; }
        const uint32_t at = sender_of(radio, bytes, size);
        if (at == radio->robot_count) {
            radio->unknown_count++;
            continue;
        }
        radio->robots[at].home = from;
        (void)!cairn_medium_send(radio->medium, at, cairn_medium_station(radio->medium), bytes, size, now);
    }
}

static void hear_station(cairn_sim_radio *radio, uint32_t at, cairn_mono now)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address from;
    for (int n = 0; n < DATAGRAMS_MAX; n++) {
        if (cairn_udp_receive(radio->robots[at].to_station, bytes, sizeof bytes, &size, &from) != CAIRN_OK) { return; }
        (void)!cairn_medium_send(radio->medium, cairn_medium_station(radio->medium), at, bytes, size, now);
    }
}

static void bring_to_station(cairn_sim_radio *radio, cairn_mono now)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    cairn_medium_arrival arrival;
    const uint32_t station = cairn_medium_station(radio->medium);
    while (cairn_medium_take(radio->medium, station, now, bytes, sizeof bytes, &arrival) == CAIRN_OK) {
        cairn_udp_send(radio->robots[arrival.from].to_station, &radio->station, bytes, arrival.size_bytes);
    }
}

static void bring_to_robot(cairn_sim_radio *radio, uint32_t at, cairn_mono now)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    cairn_medium_arrival arrival;
    while (cairn_medium_take(radio->medium, at, now, bytes, sizeof bytes, &arrival) == CAIRN_OK) {
        if (cairn_air_address_is_none(&radio->robots[at].home)) { continue; }
        cairn_udp_send(radio->air, &radio->robots[at].home, bytes, arrival.size_bytes);
    }
}

void cairn_sim_radio_step(cairn_sim_radio *radio, cairn_mono now)
{
    hear_robots(radio, now);
    for (uint32_t i = 0; i < radio->robot_count; i++) { hear_station(radio, i, now); }
    bring_to_station(radio, now);
    for (uint32_t i = 0; i < radio->robot_count; i++) { bring_to_robot(radio, i, now); }
}

cairn_sim_radio_info cairn_sim_radio_look(const cairn_sim_radio *radio)
{
    return (cairn_sim_radio_info){.air = cairn_medium_look_all(radio->medium),
                                  .unknown_count = radio->unknown_count,
                                  .air_port = cairn_udp_port(radio->air)};
}
