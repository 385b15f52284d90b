// setup.h - what a station was made from, as bytes: with these and the records of inputs a mission can be run again.
//
// Robots with their starts and descriptions, the raster's, the places' and the tasking's figures. Version 1 has none of
// places: they are the defaults. Not in it: keys, the seed, the
// links' figures, callbacks, and of descriptions what no station looks at: tracks, flippers, URDF, kerbs and gaps, and
// the sensors that only their robot reads (tests/station/test_setup.c lists them). None of them changes what the
// station makes of its inputs.
#pragma once
#include "station/station.h"

#define CAIRN_SETUP_VERSION 2
#define CAIRN_SETUP_BYTES_MAX (64u << 10)
#define CAIRN_SETUP_RASTER_CELLS_MAX 100000000u
#define CAIRN_SETUP_NAME_BYTES_MAX 63
// Of names and descriptions, when they are read back.
#define CAIRN_SETUP_MEMORY_BYTES                                                                                       \
    (CAIRN_FLEET_MAX * (sizeof(cairn_body_description) + 2 * (CAIRN_SETUP_NAME_BYTES_MAX + 1)))

// CAIRN_ERR_FULL when max is too small; CAIRN_SETUP_BYTES_MAX always does. CAIRN_ERR_INVALID when the def has what no
// setup may have (docs/station.md lists the bounds): it could not be read back.
CAIRN_CHECKED cairn_err cairn_station_setup_encode(const cairn_station_def *def, uint8_t *ret_bytes, size_t max,
                                                   size_t *ret_size);
// Starts from cairn_station_def_default(); names and descriptions are taken from the arena, at most
// CAIRN_SETUP_MEMORY_BYTES. Nothing in the bytes is trusted. CAIRN_ERR_CORRUPT, CAIRN_ERR_UNSUPPORTED for a newer
// version, CAIRN_ERR_FULL for the arena.
CAIRN_CHECKED cairn_err cairn_station_setup_decode(const uint8_t *bytes, size_t size, cairn_arena *arena,
                                                   cairn_station_def *ret_def);
// By which two setups are told apart.
uint64_t cairn_station_setup_hash(const cairn_station_def *def);
// Whether a def is of the team, starts and map of a kept setup. If so a mission that began with that may go on with
// this def, which then has the kept modes of robots that are first heard: records are replayed as they were made.
// CAIRN_ERR_INVALID when it is not, or as decode; the def is then untouched.
CAIRN_CHECKED cairn_err cairn_station_setup_go_on(const uint8_t *kept, size_t size, cairn_arena *arena,
                                                  cairn_station_def *def);
