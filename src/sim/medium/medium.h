// medium.h - the air between robots and station: one shared radio channel that is thin, lossy and late.
//
// Who takes part is numbered: robots from 0, then the station (cairn_medium_station). A datagram waits in its sender's
// queue until the channel is free and it is the sender's turn (round robin); takes its air time; may be lost to
// silences, zones, walls and distance, or chance; and arrives after a delay, so that datagrams may overtake each other.
//
// Frame    map: x east, y north, metres. Heights do not matter but for which solids stand in the way.
// Time     What happens depends on the times at which datagrams were sent and antennas placed, and on the seed; not on
//          when or how often anybody looks, nor on the order of calls within one moment (but for the order in which one
//          sender sends). A datagram sent at a moment goes on the air at that moment at the earliest, from where its
//          sender was last placed before or at it.
// Memory   All of it from the arena, by create. No other function allocates.
// Threads  One owner.
// Source   docs/medium.md has the models, their sources and their figures.
#pragma once
#include "base/clock.h"
#include "base/inbox.h"
#include "sim/arena/arena.h"

#define CAIRN_MEDIUM_SILENCES_MAX 64
#define CAIRN_MEDIUM_ZONES_MAX 64
#define CAIRN_MEDIUM_RELAYS_MAX 16

// Whatever is on the air in it, even in part, is lost.
typedef struct cairn_medium_silence {
    double from_s, to_s; // to_s > from_s
    uint32_t line;       // of the mission file, for complaints
} cairn_medium_silence;

// A rectangle into and out of which nothing gets.
typedef struct cairn_medium_zone {
    cairn_vec2 at_m; // its middle
    cairn_vec2 size_m;
} cairn_medium_zone;

// Where the station's antenna stands; at the mean of the robots' starts when nothing is given.
typedef struct cairn_medium_antenna {
    bool given;
    cairn_vec2 at_m;
} cairn_medium_antenna;

// A radio node that stands somewhere and passes on what it hears.
typedef struct cairn_medium_relay {
    cairn_vec2 at_m;
} cairn_medium_relay;

// What distance and walls do.
typedef enum cairn_medium_model {
    CAIRN_MEDIUM_SIMPLE,       // walls are counted and make the signal fall faster with distance; one shared channel
    CAIRN_MEDIUM_LOG_DISTANCE, // each wall takes what its material takes; good and bad places; one shared channel
    CAIRN_MEDIUM_SUBT,         // the SubT virtual testbed: as simple, with its own relays and a channel for each radio
    CAIRN_MEDIUM_MODEL_COUNT
} cairn_medium_model;

extern const char *const cairn_medium_model_names[CAIRN_MEDIUM_MODEL_COUNT + 1]; // "simple", ...; ended by NULL

// Strength at the receiver: transmit_dbm - (near_db + 10 n log10(scale * distance)), n = exponent + exponent_per_cost *
// wall cost, then fading from datagram to datagram.
typedef struct cairn_medium_path {
    double transmit_dbm, noise_dbm;
    double fading_db;                   // deviation, normal
    double near_db;                     // loss up to a distance of 1 / scale
    double scale_per_m;                 //
    double exponent, exponent_per_cost; // [-]
    double cost_max;                    // [-] nothing gets through a greater wall cost
    double range_m_max;                 // nor further than this
    double relay_m;                     // subt: each relay on the way counts as so much more distance
    double antenna_m;                   // height: only walls and boxes that reach it stand in the way
} cairn_medium_path;

// Strength at the receiver: transmit_dbm - (reference_db + 10 exponent log10(distance / 1 m) + what each wall on the
// way takes + shadowing of both places), then fading from datagram to datagram.
typedef struct cairn_medium_log_distance {
    double transmit_dbm;
    double reference_db;    // loss at 1 m, and nearer
    double exponent;        // [-] 2 in the open, less along corridors, more in clutter
    double sensitivity_dbm; // at this strength a tenth of all datagrams of 100 bytes is lost, but for fading
    double decade_db;       // > 0; so much more strength, and a byte is wrong a tenth as often
    double fading_db;       // deviation, normal, anew for each datagram
    double shadowing_db;    // deviation, normal, of pairs of places: the same for the same seed and places
    double shadowing_m;     // > 0; places so far apart have little to do with each other
    double material_db[CAIRN_MATERIAL_COUNT];
} cairn_medium_log_distance;

// What kind of radio it is.
typedef struct cairn_medium_radio {
    cairn_medium_model model;
    double rate_bps;      // >= 1, shared by all; rounded to whole bits. subt: of each radio, sending and receiving
    double loss;          // [-] 0..1, of each datagram, beside what distance and walls do
    double duplicate;     // [-] 0..1, that a datagram arrives twice
    double delay_s;       // >= 0, from its last bit on the air to its arrival
    double jitter_s;      // >= 0, more delay, uniform in [0, jitter_s); lets datagrams overtake each other
    double wall_cost;     // [-] >= 0, of each wall crossed; more makes radio shadows darker. Not of log-distance
    double relay_delay_s; // >= 0, of each relay on the way, beside its air time. Not of subt
    cairn_medium_log_distance log_distance;
    cairn_medium_path subt;
    cairn_medium_antenna station;
    uint32_t silence_count, zone_count, relay_count;
    cairn_medium_silence *silences;
    cairn_medium_zone *zones;
    cairn_medium_relay *relays;
} cairn_medium_radio;

typedef struct cairn_medium_def {
    const cairn_sim_arena *arena; // borrowed during create; has a start for each robot
    uint32_t robot_count;         // <= CAIRN_SIM_ROBOTS_MAX
    uint64_t seed;
    cairn_medium_radio radio;    // lists are copied
    cairn_medium_path path;      // of the simple model; its antenna_m of all
    uint32_t overhead_bytes;     // air time of a datagram beside its bytes: preamble, address, length, check sum, turn
    uint32_t datagram_bytes_max; // 1..65535
    uint32_t queue_count;        // datagrams that wait at each sender; more: longer delays before anything is dropped
    cairn_inbox_rule queue_rule; // what happens when they are more
    uint32_t inbox_count;        // datagrams under way to each receiver or not yet taken; more than these are lost
} cairn_medium_def;

// 115.2 kbit/s, 1 % loss, 5 ms delay, 5 ms jitter; the simple model with the path loss of the SubT virtual testbed, no
// relays; the oldest in a full queue make room. Arena, robots and seed are the caller's.
cairn_medium_path cairn_medium_path_default(void);
cairn_medium_log_distance cairn_medium_log_distance_default(void);
cairn_medium_radio cairn_medium_radio_default(void);
cairn_medium_def cairn_medium_def_default(void);

typedef enum cairn_medium_loss {
    CAIRN_MEDIUM_LOST_QUEUE,   // pushed out of its sender's full queue by a newer one
    CAIRN_MEDIUM_LOST_SILENCE, // on the air in a silence
    CAIRN_MEDIUM_LOST_ZONE,    // sender or receiver in a zone
    CAIRN_MEDIUM_LOST_RANGE,   // too far, or too many walls. Not of log-distance
    CAIRN_MEDIUM_LOST_NOISE,   // bits wrong, on any hop
    CAIRN_MEDIUM_LOST_CHANCE,  // the radio's `loss`
    CAIRN_MEDIUM_LOST_INBOX,   // the receiver did not take its datagrams in time
    CAIRN_MEDIUM_LOST_COUNT
} cairn_medium_loss;

const char *cairn_medium_loss_name(cairn_medium_loss cause); // "queue", "silence", ... Never NULL

// What became of the datagrams of one sender, as far as the medium's time has come (the latest `now` of any call):
// sent + duplicated = delivered + lost (all causes) + queued + flying.
typedef struct cairn_medium_info {
    uint64_t sent_count, sent_bytes; // accepted by send
    uint64_t refused_count;          // not accepted: queue full, or too large
    uint64_t duplicated_count;
    uint64_t delivered_count, delivered_bytes; // taken by their receivers
    uint64_t lost_count[CAIRN_MEDIUM_LOST_COUNT];
    uint32_t queued_count;                   // wait for the channel
    uint32_t flying_count;                   // on the air, or arrived and not taken
    int64_t air_ns;                          // of all that went on the air, overhead and relays included
    uint64_t received_count, received_bytes; // as a receiver: taken
} cairn_medium_info;

typedef struct cairn_medium_arrival {
    uint32_t from;
    uint32_t size_bytes;
    cairn_mono sent;    // when it was given to send
    cairn_mono arrived; // <= now of the take
} cairn_medium_arrival;

typedef struct cairn_medium cairn_medium;

// Where the station's antenna stands: as the radio says, or at the mean of the robots' starts.
cairn_vec2 cairn_medium_station_m(const cairn_medium_def *def);

// Robots stand at the arena's starts. CAIRN_ERR_FULL if the arena of memory is too small; about
// (robots + 1) * (queue_count + inbox_count) * datagram_bytes_max bytes.
CAIRN_CHECKED cairn_err cairn_medium_create(const cairn_medium_def *def, cairn_arena *memory,
                                            cairn_medium **ret_medium);

uint32_t cairn_medium_station(const cairn_medium *medium); // the station's number: that of robots

// Times never go back from call to call, whatever the call.

// Moves an antenna. O(1) and what came due.
void cairn_medium_place(cairn_medium *medium, uint32_t who, cairn_vec2 at_m, cairn_mono now);

// Copies a datagram of at least one byte into the sender's queue. CAIRN_ERR_TOO_LARGE; CAIRN_ERR_FULL only under
// CAIRN_INBOX_REFUSE; both are counted. The sender never learns what became of it.
CAIRN_CHECKED cairn_err cairn_medium_send(cairn_medium *medium, uint32_t from, uint32_t to, const void *bytes,
                                          size_t size_bytes, cairn_mono now);

// Copies out the datagram that arrived first of those not yet taken. CAIRN_ERR_EMPTY when none has arrived by now;
// CAIRN_ERR_TOO_LARGE (and it stays) when ret_bytes is too small. O(log inbox_count) and what came due.
CAIRN_CHECKED cairn_err cairn_medium_take(cairn_medium *medium, uint32_t who, cairn_mono now, void *ret_bytes,
                                          size_t size_bytes_max, cairn_medium_arrival *ret_arrival);

cairn_medium_info cairn_medium_look(const cairn_medium *medium, uint32_t who);
cairn_medium_info cairn_medium_look_all(const cairn_medium *medium); // the sum over all

// Time on the air of a datagram for one hop, overhead included, rounded up to whole nanoseconds.
int64_t cairn_medium_air_ns(const cairn_medium *medium, size_t size_bytes);
