// The station of a team: made, stepped, and started again in the middle of a mission.
//
// A reboot is what a restart of `cairn station` is: the state that was kept is all that is left of the old one, and a
// new one loads it. Links begin new sessions; what waited in boxes is gone; orders and tasks are said again. What a
// robot had been told to be received is in the state, as it would be in the store.
#include "sim/mission/team_parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the air's rate. The rest is for turns of the channel, and for what is said again.
#define STATION_PART 0.3
#define LINK_RATE_BYTES_MIN 64u
#define PAGE_MEMORY_BYTES ((size_t)4 << 20)
// Larger: more memory, and a page that takes longer to send. Places that do not fit into it get a raster of their size.
#define RASTER_CELLS 2000
#define RASTER_MARGIN_M 10.0

static void station_tap(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    cairn_team *team = context;
    cairn_recorder_add_radio(team->recorder, robot_at, message, now);
}

static void station_record(void *context, const cairn_station_record *record)
{
    cairn_witness_record(((cairn_team *)context)->witness, record);
}

static void station_log(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    cairn_team *team = context;
    if (team->recorder != NULL) { cairn_recorder_add_line(team->recorder, now, level, source, text); }
}

static uint32_t share_bytes_per_s(const cairn_team *team, double part)
{
    const double bytes_per_s = part * team->def.radio.rate_bps / 8 / team->def.robot_count;
    return bytes_per_s > LINK_RATE_BYTES_MIN ? (uint32_t)fmin(bytes_per_s, UINT32_MAX / 2) : LINK_RATE_BYTES_MIN;
}

// Both ends of each link share the air's rate; a datagram costs what the medium adds to it.
cairn_link_def cairn_team_link_def(const cairn_team *team, double part)
{
    cairn_link_def link = cairn_link_def_default();
    link.datagram_extra_bytes = cairn_medium_def_default().overhead_bytes;
    link.rate_bytes_per_s = share_bytes_per_s(team, part);
    return link;
}

// ---- making one

// The arena's floor and a margin, in whole cells.
static void cover_arena(const cairn_sim_arena *arena, cairn_raster_def *raster)
{
    raster->origin_m = (cairn_vec2){-RASTER_MARGIN_M, -RASTER_MARGIN_M};
    raster->width = (uint32_t)ceil((arena->size_m.x + 2 * RASTER_MARGIN_M) / raster->cell_m);
    raster->height = (uint32_t)ceil((arena->size_m.y + 2 * RASTER_MARGIN_M) / raster->cell_m);
}

// A square of 200 m around the starts, in whole cells; where the arena does not fit into it, the arena.
static void place_raster(const cairn_team *team, cairn_raster_def *raster)
{
    cairn_vec2 middle = {0, 0};
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        middle = cairn_vec2_add(middle, cairn_vec2_scale(cairn_pose2_at(team->starts[i]), 1.0 / team->def.robot_count));
    }
    raster->width = raster->height = RASTER_CELLS;
    raster->origin_m = (cairn_vec2){(floor(middle.x / raster->cell_m) - 0.5 * RASTER_CELLS) * raster->cell_m,
                                    (floor(middle.y / raster->cell_m) - 0.5 * RASTER_CELLS) * raster->cell_m};
    const double side_m = RASTER_CELLS * raster->cell_m;
    const cairn_vec2 low_m = raster->origin_m, size_m = team->def.arena->size_m;
    const bool fits = low_m.x <= 0 && low_m.y <= 0 && low_m.x + side_m >= size_m.x && low_m.y + side_m >= size_m.y;
    if (!fits) { cover_arena(team->def.arena, raster); }
}

static void define_station(cairn_team *team)
{
    cairn_station_def *def = &team->station_def;
    *def = cairn_station_def_default();
    def->robot_count = team->def.robot_count;
    place_raster(team, &def->raster);
    def->link = cairn_team_link_def(team, STATION_PART);
    def->seed = team->def.session_seed;
    def->log = (cairn_log){.sink = station_log, .context = team, .source = "station", .level = CAIRN_LOG_INFO};
    def->tap = team->recorder != NULL ? station_tap : NULL;
    def->tap_context = team;
    def->record = team->recorder != NULL ? station_record : NULL;
    def->record_context = team;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        def->robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                   .name = team->names[i],
                                                   .map_T_start = team->starts[i],
                                                   .description = team->descriptions[i],
                                                   .mode = (uint8_t)team->def.robots[i].mode};
        memcpy(def->robots[i].key, team->def.robots[i].key, CAIRN_LINK_KEY_BYTES);
    }
}

static cairn_err create_page(cairn_team *team)
{
    const cairn_raster_def *raster = &team->station_def.raster;
    cairn_page_def page = {.mission = team->def.mission, .raster = *raster, .robot_count = team->def.robot_count};
    for (uint32_t i = 0; i < page.robot_count; i++) { page.descriptions[i] = team->descriptions[i]; }
    const size_t cells = (size_t)raster->width * raster->height;
    const cairn_err err = cairn_arena_create(&team->page_memory, PAGE_MEMORY_BYTES + cells / 3);
    return err == CAIRN_OK ? cairn_page_create(&page, &team->page_memory, &team->page) : err;
}

static cairn_err create_operators(cairn_team *team)
{
    const size_t one_bytes = sizeof(cairn_operator_action), box_bytes = (size_t)64 << 10;
    const cairn_err err = cairn_arena_create(&team->operators_memory, 2 * box_bytes);
    if (err != CAIRN_OK) { return err; }
    return cairn_inbox_create(&team->operators_memory, box_bytes, one_bytes, CAIRN_INBOX_REFUSE, &team->operators);
}

static cairn_err make(const cairn_station_def *def, cairn_arena *memory, cairn_station **ret_station)
{
    const cairn_err err = cairn_arena_create(memory, cairn_station_memory_bytes(def));
    return err == CAIRN_OK ? cairn_station_create(def, memory, ret_station) : err;
}

cairn_err cairn_team_create_station(cairn_team *team)
{
    define_station(team);
    cairn_err err = create_operators(team);
    if (err == CAIRN_OK) { err = make(&team->station_def, &team->station_memory, &team->station); }
    if (err == CAIRN_OK && team->def.areas.fences.count > 0) {
        err = cairn_station_set_areas(team->station, &team->def.areas);
    }
    if (err == CAIRN_OK && team->recorder != NULL) {
        err = cairn_witness_create(&team->station_def, team->station, team->recorder, (cairn_mono){0}, &team->witness);
    }
    if (err == CAIRN_OK && team->def.realtime) { err = create_page(team); }
    return err;
}

void cairn_team_tie_air(cairn_team *team)
{
    team->air.station_silent = team->station_down;
    team->air.station_from = cairn_station_from_air(team->station);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        team->air.station_to[i] = cairn_station_to_air(team->station, i);
    }
}

// ---- running it

// What operators ask of a station that is down, nobody hears.
static void pass_on_actions(cairn_team *team)
{
    cairn_operator_action action;
    size_t size_bytes = 0;
    while (cairn_inbox_take(team->operators, &action, sizeof action, &size_bytes) == CAIRN_OK) {
        if (team->station_down) { continue; }
        (void)!cairn_inbox_put(cairn_station_operators(team->station), &action, size_bytes); // as large as ours
    }
}

void cairn_team_station_post_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    pass_on_actions(team);
    if (!team->station_down) { cairn_station_step_post(team->station, now); }
}

void cairn_team_station_tasking_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    if (team->station_down) { return; }
    cairn_station_step_tasking(team->station, now);
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    cairn_lock_take(&team->lock);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        team->robots[i].map_T_private = view.fleet->robots[i].map_T_private;
        team->robots[i].unplaced = view.fleet->robots[i].unplaced;
    }
    cairn_lock_give(&team->lock);
}

// ---- starting it again

void cairn_team_station_down(cairn_team *team)
{
    team->station_down = true;
    cairn_lock_take(&team->lock);
    team->air.station_silent = true;
    cairn_lock_give(&team->lock);
}

// The score tells what all stations of the mission sent.
static void keep_counts(cairn_team *team)
{
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        const cairn_link_info *last = &view.fleet->robots[i].link;
        cairn_link_info *sum = &team->before[i];
        sum->bytes_sent += last->bytes_sent;
        for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
            sum->streams[s].sent_bytes += last->streams[s].sent_bytes;
        }
    }
}

// A station that knows nothing, and then what the old one had kept.
static cairn_err make_from(const cairn_team *team, const cairn_station_def *def, cairn_arena *memory,
                           cairn_station **ret_station)
{
    const size_t max = cairn_station_save_bytes(team->station);
    uint8_t *kept = malloc(max);
    size_t size = 0;
    cairn_err err = kept != NULL ? cairn_station_save(team->station, kept, max, &size) : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = make(def, memory, ret_station); }
    if (err == CAIRN_OK) { err = cairn_station_load(*ret_station, kept, size); }
    free(kept);
    return err;
}

static void replace(cairn_team *team, cairn_station *station, cairn_arena memory)
{
    keep_counts(team);
    if (team->witness != NULL) { cairn_witness_follow(team->witness, station); }
    cairn_station *old = team->station;
    cairn_arena old_memory = team->station_memory;
    team->station = station;
    team->station_memory = memory;
    cairn_lock_take(&team->lock);
    cairn_team_tie_air(team);
    cairn_lock_give(&team->lock);
    cairn_station_finish(old);
    cairn_arena_destroy(&old_memory);
}

static void tell(cairn_team *team, cairn_mono now)
{
    const cairn_mono kept = cairn_station_time(team->station);
    char text[160];
    snprintf(text, sizeof text, "the station was started again; it goes on from %.1f s, %.1f s ago",
             cairn_seconds(kept.ns), cairn_seconds(cairn_mono_since(now, kept)));
    (void)!cairn_station_tell(team->station, CAIRN_LOG_WARN, text); // its box is empty
}

cairn_err cairn_team_station_up(cairn_team *team, cairn_mono now)
{
    CAIRN_ASSERT(team->station_down);
    cairn_station_def def = team->station_def;
    team->station_start_count++;
    def.seed += team->station_start_count * UINT64_C(0x9e3779b97f4a7c15); // its sessions are not those before
    cairn_arena memory = {0};
    cairn_station *station = NULL;
    const cairn_err err = make_from(team, &def, &memory, &station);
    team->station_down = false;
    if (err == CAIRN_OK) {
        replace(team, station, memory);
        tell(team, now);
        return CAIRN_OK;
    }
    cairn_station_finish(station);
    cairn_arena_destroy(&memory);
    cairn_lock_take(&team->lock);
    cairn_team_tie_air(team);
    cairn_lock_give(&team->lock);
    return err;
}
