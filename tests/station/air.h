// air.h - a station and robots that are nothing but their end of the link, on virtual time with a radio that can be
// cut.
#pragma once
#include "check.h"
#include "link/air_address.h"
#include "place.h"
#include "station/station.h"

#define AIR_ROBOTS 3
#define AIR_KEPT 512
#define AIR_FIRST_ID 10 // robots have the ids 10, 11, 12 and the names emu1, emu2, emu3

typedef struct air_robot {
    uint8_t id;
    cairn_air_address address; // where it is answered
    cairn_arena memory;
    cairn_link *link;
    bool on;                       // sends telemetry twice a second
    bool obeys;                    // does at once as it is told; otherwise only keeps what it hears
    bool mute, deaf;               // what it sends, or what is sent to it, is lost
    cairn_msg_telemetry telemetry; // what it says of itself
    int64_t late_ns;               // and how old that is when it leaves
    cairn_mono said;
    uint32_t kept_count;
    cairn_radio_message *kept; // everything that it was told, AIR_KEPT at most
} air_robot;

typedef struct air {
    cairn_station_def def;
    cairn_arena memory;
    cairn_station *station;
    cairn_executor *executor;
    cairn_body_description description;
    air_robot robots[AIR_ROBOTS];
    double loss;           // [-] of datagrams, both ways
    cairn_random random;   // of the losses
    uint64_t hash;         // of every datagram, both ways, and when
    uint32_t tapped_count; // messages that the station's tap was told of
    int64_t before_ns;     // what earlier stations have run
    uint64_t boot_count;
} air;

air *air_create(uint64_t seed);
void air_destroy(air *world);
cairn_mono air_now(const air *world);
void air_run_ms(air *world, int64_t ms);
void air_restart_robot(air *world, uint32_t robot_at); // forgets all; says so in its telemetry
void air_restart_station(air *world);

void air_say(air *world, uint32_t robot_at, const cairn_radio_message *message);
void air_do(air *world, const cairn_operator_action *action);

// The last message of this kind that a robot was told, and how many there were. NULL: none.
const cairn_radio_message *air_told(const air *world, uint32_t robot_at, uint8_t id, uint32_t *ret_count);
uint32_t air_told_count(const air *world, uint32_t robot_at, uint8_t id);
cairn_station_view air_look(const air *world);
const cairn_fleet_robot *air_robot_seen(const air *world, uint32_t robot_at); // as the station knows it
uint32_t air_event_count(const air *world, const char *part);                 // events with these words in them
// A square of free ground around the start of a robot, as one node and its terrain map.
void air_make_terrain(air_robot *robot, uint32_t node, cairn_radio_message *ret_node, cairn_radio_message *ret_terrain);
