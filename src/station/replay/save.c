// save.c - a station's whole state as bytes, and back, and its hash.
#include "station/replay/walks.h"
#include "station/station_parts.h"

static void walk_looks(cairn_archive *archive, cairn_station_state *state)
{
    cairn_archive_section(archive, "looks");
    for (uint32_t i = 0; i < state->fleet.count; i++) {
        cairn_archive_bool(archive, &state->looks[i].known);
        cairn_archive_mono(archive, &state->looks[i].at);
        cairn_archive_pose(archive, &state->looks[i].map_T_camera);
    }
}

// They hang on places that exist.
static void check_sightings(cairn_archive *archive, const cairn_station_state *state)
{
    for (uint32_t i = 0; i < state->victims.sighting_count; i++) {
        if (state->victims.sightings[i].place >= state->atlas.places->graph->node_count) {
            cairn_archive_fail(archive);
        }
    }
}

static void walk_state(cairn_archive *archive, cairn_station_state *state)
{
    cairn_archive_section(archive, "steps");
    cairn_archive_u64(archive, &state->step);
    cairn_archive_mono(archive, &state->at);
    cairn_archive_u32(archive, &state->refused_count);
    cairn_walk_fleet(archive, &state->fleet);
    walk_looks(archive, state);
    cairn_walk_victims(archive, &state->victims);
    cairn_walk_tasking(archive, &state->tasking);
    cairn_walk_events(archive, &state->events);
    cairn_walk_command(archive, &state->command);
    cairn_walk_areas(archive, &state->areas);
    cairn_archive_u32(archive, &state->areas.change_count);
    cairn_walk_actions(archive, &state->actions, state->fleet.count);
    cairn_walk_asked(archive, &state->asked);
    cairn_walk_teammates(archive, &state->teammates, state->fleet.count);
    cairn_walk_atlas(archive, &state->atlas);
    cairn_search_walk(archive, &state->search, &state->atlas);
    cairn_station_walk_waiting(archive, state);
    if (cairn_archive_loads(archive)) { check_sightings(archive, state); }
}

// Walks only read what they save or hash.
static cairn_station_state *to_be_read(const cairn_station *station) { return &((cairn_station *)station)->state; }

static void walk_head(cairn_archive *archive, uint32_t *layout, uint64_t *setup_hash)
{
    cairn_archive_u32(archive, layout);
    cairn_archive_u64(archive, setup_hash);
}

static void save(cairn_archive *archive, const cairn_station *station)
{
    uint32_t layout = CAIRN_STATION_LAYOUT;
    uint64_t setup_hash = station->setup_hash;
    walk_head(archive, &layout, &setup_hash);
    walk_state(archive, to_be_read(station));
}

size_t cairn_station_save_bytes(const cairn_station *station)
{
    cairn_archive archive;
    cairn_archive_save(&archive, NULL, 0);
    save(&archive, station);
    return archive.at_bytes;
}

cairn_err cairn_station_save(const cairn_station *station, uint8_t *ret_bytes, size_t max, size_t *ret_size)
{
    cairn_archive archive;
    cairn_archive_save(&archive, ret_bytes, max);
    save(&archive, station);
    const cairn_err err = cairn_archive_end(&archive);
    if (err == CAIRN_OK) { *ret_size = archive.at_bytes; }
    return err;
}

cairn_err cairn_station_load(cairn_station *station, const uint8_t *bytes, size_t size)
{
    CAIRN_ASSERT(station->state.step == 0 && station->state.at.ns == 0);
    cairn_archive archive;
    cairn_archive_load(&archive, bytes, size);
    uint32_t layout = 0;
    uint64_t setup_hash = 0;
    walk_head(&archive, &layout, &setup_hash);
    if (archive.err != CAIRN_OK) { return archive.err; }
    if (layout != CAIRN_STATION_LAYOUT) { return CAIRN_ERR_UNSUPPORTED; }
    if (setup_hash != station->setup_hash) { return CAIRN_ERR_INVALID; }
    walk_state(&archive, &station->state);
    return cairn_archive_end(&archive);
}

cairn_station_hash cairn_station_hashes(const cairn_station *station)
{
    cairn_archive archive;
    cairn_archive_hash(&archive);
    save(&archive, station);
    const uint64_t state = cairn_archive_hash_value(&archive);
    cairn_archive_hash(&archive);
    cairn_walk_raster(&archive, to_be_read(station)->atlas.raster);
    return (cairn_station_hash){.state = state, .map = cairn_archive_hash_value(&archive)};
}
