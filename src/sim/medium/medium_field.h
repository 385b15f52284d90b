// medium_field.h - what a radio makes of any two places of an arena: the best way between them, direct or by relays,
// and the chance to get through.
//
// Frame    map: x east, y north, metres.
// Memory   From the arena given to create; about 64 bytes for each wall and 12 kB.
// Threads  One owner: walls are counted in scratch of the field.
#pragma once
#include "sim/medium/medium_path.h"

#define CAIRN_MEDIUM_HOPS_MAX 8
// The size of datagram that routes are chosen for and pictures tell of.
#define CAIRN_MEDIUM_USUAL_BYTES 100

// From one antenna to the next.
typedef struct cairn_medium_hop {
    double distance_m;
    double more_m;        // subt: what relays add to it
    double wall_cost;     // [-] simple, subt
    double in_the_way_db; // log-distance: walls and shadowing
} cairn_medium_hop;

// Each hop takes its air time and its chance. The way of subt is one hop, whatever the number of relays on it.
typedef struct cairn_medium_route {
    uint32_t hop_count; // >= 1
    uint32_t relay_count;
    uint8_t relays[CAIRN_MEDIUM_HOPS_MAX - 1]; // index into the radio's list, in the order of the way
    cairn_medium_hop hops[CAIRN_MEDIUM_HOPS_MAX];
} cairn_medium_route;

typedef struct cairn_medium_field cairn_medium_field;

// Uses arena, radio, path and seed of the def, none of them after return. Relays in zones are left out. CAIRN_ERR_FULL
// if the memory is too small. O(relays^2 walls).
CAIRN_CHECKED cairn_err cairn_medium_field_create(const cairn_medium_def *def, cairn_arena *memory,
                                                  cairn_medium_field **ret_field);

// The best way. Simple and log-distance: the one most likely to get a usual datagram through, where a relay must raise
// the chance by a tenth to be worth its air time. subt: the one whose worst hop has the least wall cost, of these the
// one with the fewest relays, of these the one with the shortest longest hop. Direct when nothing gets through.
// O(relays (relays + walls)).
cairn_medium_route cairn_medium_field_route(const cairn_medium_field *field, cairn_vec2 from_m, cairn_vec2 to_m);

// Strength at the end of a hop; fading [-] in deviations. -INFINITY: too far, or too many walls.
double cairn_medium_field_dbm(const cairn_medium_field *field, const cairn_medium_hop *hop, double fading);
// Probability [-] that a datagram of that strength, fading included, is lost.
double cairn_medium_field_loss(const cairn_medium_field *field, double received_dbm, uint32_t size_bytes);

// Chance [-] of a usual datagram to get along the route, over all fading; beside the radio's `loss`.
double cairn_medium_field_chance(const cairn_medium_field *field, const cairn_medium_route *route);
// How much weaker the weakest hop might be [dB] before it lost a tenth of all usual datagrams; negative: it does.
// -INFINITY: too far, or too many walls.
double cairn_medium_field_margin_db(const cairn_medium_field *field, const cairn_medium_route *route);
