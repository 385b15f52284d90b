// station.c - makes a station, and gathers what comes into it step by step.
#include "link/radio_streams.h"
#include "station/replay/setup.h"
#include "station/station_parts.h"
#include <string.h>

#define OPERATORS_BYTES (64u << 10) // some 700 actions: more than come in a step, whoever drives
#define TOLD_BYTES (8u << 10)       // some 40 texts of the program
#define LINK_LOOK_STEPS 25          // of the post, between two looks at the links for people

// What a station takes beside the raster and its robots: scratch, nodes, boxes, itself.
#define MEMORY_BYTES ((size_t)176 << 20)
#define MEMORY_BYTES_PER_CELL 13
#define MEMORY_BYTES_PER_ROBOT ((size_t)1 << 20)

#define AREAS_BYTES (8u << 10) // those of a file, and of another right after it

// Words of the program on their way.
typedef struct told_words {
    cairn_log_level level;
    char text[CAIRN_TOLD_BYTES_MAX + 1];
} told_words;

cairn_station_def cairn_station_def_default(void)
{
    return (cairn_station_def){.link = cairn_link_def_default(),
                               .raster = cairn_raster_def_default(),
                               .places = cairn_places_def_default(),
                               .tasking = cairn_tasking_def_default()};
}

size_t cairn_station_memory_bytes(const cairn_station_def *def)
{
    return MEMORY_BYTES + MEMORY_BYTES_PER_CELL * (size_t)def->raster.width * def->raster.height +
           cairn_kept_costs_memory_bytes(def->raster.width, def->raster.height) +
           (def->mute ? 0 : MEMORY_BYTES_PER_ROBOT * def->robot_count);
}

static cairn_err create_post(cairn_station *station, cairn_arena *arena)
{
    const cairn_station_def *def = &station->def;
    cairn_post_def post = {.robot_count = def->robot_count,
                           .link = def->link,
                           .seed = def->seed,
                           .hold_acks = def->hold_acks,
                           .tap = def->tap,
                           .tap_context = def->tap_context};
    for (uint32_t i = 0; i < def->robot_count; i++) {
        post.robots[i].id = def->robots[i].id;
        memcpy(post.robots[i].key, def->robots[i].key, sizeof post.robots[i].key);
    }
    return cairn_post_create(&post, arena, &station->post);
}

static cairn_err create_boxes(cairn_station *station, cairn_arena *arena)
{
    cairn_err err = create_post(station, arena);
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, OPERATORS_BYTES, sizeof(cairn_operator_action), CAIRN_INBOX_REFUSE,
                                 &station->operators);
    }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, TOLD_BYTES, sizeof(told_words), CAIRN_INBOX_REFUSE, &station->told);
    }
    if (err == CAIRN_OK) {
        err =
            cairn_inbox_create(arena, AREAS_BYTES, sizeof(cairn_team_areas), CAIRN_INBOX_REFUSE, &station->areas_given);
    }
    return err;
}

static void send_task(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task, cairn_mono now)
{
    const cairn_radio_message message = {.id = CAIRN_MSG_TASK, .task = *task};
    cairn_voice_say(context, robot, &message, now);
}

static void tie_parts(cairn_station *station)
{
    cairn_station_state *state = &station->state;
    station->voice = (cairn_voice){.fleet = &state->fleet, .post = station->post};
    state->command = (cairn_command){.fleet = &state->fleet, .voice = &station->voice, .events = &state->events};
    station->team = (cairn_tasking_team){.fleet = &state->fleet,
                                         .atlas = &state->atlas,
                                         .victims = &state->victims,
                                         .events = &state->events,
                                         .fences = &state->areas.fences,
                                         .send = send_task,
                                         .context = &station->voice};
    state->actions = (cairn_actions){
        .command = &state->command, .tasking = &state->tasking, .team = &station->team, .voice = &station->voice};
}

static cairn_err create_parts(cairn_station *station, cairn_arena *arena)
{
    const cairn_station_def *def = &station->def;
    cairn_err err = cairn_atlas_init(&station->state.atlas, &def->raster, &def->places, arena);
    const cairn_revisits_def revisits = cairn_revisits_def_default();
    if (err == CAIRN_OK) { err = cairn_revisits_create(&revisits, arena, &station->revisits); }
    if (err == CAIRN_OK) { err = cairn_finder_create(arena, &station->finder); }
    if (err == CAIRN_OK) { err = cairn_tasking_init(&station->state.tasking, &def->tasking, &def->raster, arena); }
    if (err == CAIRN_OK && !def->mute) { err = create_boxes(station, arena); }
    if (err == CAIRN_OK) { tie_parts(station); }
    return err;
}

static void init_fleet(const cairn_station_def *def, cairn_fleet *fleet)
{
    fleet->count = def->robot_count;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        fleet->robots[i] = (cairn_fleet_robot){.id = def->robots[i].id,
                                               .name = def->robots[i].name,
                                               .map_T_private = def->robots[i].map_T_start,
                                               .map_T_base = def->robots[i].map_T_start,
                                               .stop = {.acknowledged = true}};
    }
}

cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena, cairn_station **ret_station)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_FLEET_MAX);
    cairn_station *station = CAIRN_TAKE(arena, cairn_station, 1);
    if (station == NULL) { return CAIRN_ERR_FULL; }
    station->def = *def;
    station->setup_hash = cairn_station_setup_hash(def);
    station->state.events.log = def->log;
    init_fleet(def, &station->state.fleet);
    const cairn_err err = create_parts(station, arena);
    if (err != CAIRN_OK) {
        cairn_station_finish(station);
        return err;
    }
    *ret_station = station;
    return CAIRN_OK;
}

void cairn_station_finish(cairn_station *station)
{
    if (station == NULL) { return; }
    cairn_post_finish(station->post);
    cairn_inbox_finish(station->operators);
    cairn_inbox_finish(station->told);
    cairn_inbox_finish(station->areas_given);
}

cairn_inbox *cairn_station_from_air(cairn_station *station) { return cairn_post_from_air(station->post); }
cairn_inbox *cairn_station_to_air(cairn_station *station, uint32_t robot_at)
{
    return cairn_post_to_air(station->post, robot_at);
}
cairn_inbox *cairn_station_operators(cairn_station *station) { return station->operators; }

cairn_err cairn_station_tell(cairn_station *station, cairn_log_level level, const char *text)
{
    told_words words = {.level = level};
    memcpy(words.text, text, strnlen(text, CAIRN_TOLD_BYTES_MAX));
    return cairn_inbox_put(station->told, &words, sizeof words);
}

cairn_err cairn_station_set_areas(cairn_station *station, const cairn_team_areas *areas)
{
    CAIRN_ASSERT(areas->fences.count <= CAIRN_FENCES_MAX);
    return cairn_inbox_put(station->areas_given, areas, sizeof *areas);
}

void cairn_station_confirm(cairn_station *station, uint64_t step)
{
    if (step > station->confirmed_step) { station->confirmed_step = step; }
}

static void begin_record(cairn_station *station, cairn_step_kind kind, cairn_mono now)
{
    const cairn_inputs_head head = {.kind = kind, .step = station->state.step + 1, .at = now};
    cairn_inputs_begin(&station->inputs, &head);
    station->urgent = station->asked = false;
}

// What was gathered is done, and handed to whoever keeps it.
static void end_record(cairn_station *station)
{
    const uint64_t step = station->state.step + 1;
    cairn_station_take(station, station->inputs.bytes, station->inputs.size_bytes);
    const cairn_station_record record = {.step = step,
                                         .ends_step = station->state.step == step,
                                         .urgent = station->urgent,
                                         .asked = station->asked,
                                         .bytes = station->inputs.bytes,
                                         .size_bytes = station->inputs.size_bytes};
    if (station->def.record != NULL) { station->def.record(station->def.record_context, &record); }
}

// A record that is full becomes a part of its step, and another is begun.
static void go_on_in_another(cairn_station *station, cairn_mono now)
{
    cairn_inputs_set_kind(&station->inputs, CAIRN_STEP_PART);
    end_record(station);
    begin_record(station, CAIRN_STEP_POST, now);
}

// What the link tells of itself, as far as decisions go. A session that is not there yet does not end the one before,
// and of strange versions the first that was met stays: nobody has proved them, and each is told.
static cairn_link_facts read_facts(const cairn_station *station, uint32_t robot_at, const cairn_post_robot_info *post,
                                   cairn_mono now)
{
    const cairn_link_info info = cairn_post_link(station->post, robot_at, now);
    cairn_link_facts facts = station->state.fleet.robots[robot_at].facts;
    const uint32_t stop_count = info.streams[CAIRN_LINK_STOP].queued_count;
    const uint32_t mode_count = info.streams[CAIRN_LINK_MODE].queued_count;
    const uint32_t task_count = info.streams[CAIRN_LINK_TASK].queued_count;
    facts.stop_count = (uint8_t)(stop_count < UINT8_MAX ? stop_count : UINT8_MAX);
    facts.mode_count = (uint8_t)(mode_count < UINT8_MAX ? mode_count : UINT8_MAX);
    facts.task_count = (uint8_t)(task_count < UINT8_MAX ? task_count : UINT8_MAX);
    if (info.peer_session != 0) { facts.peer_session = info.peer_session; }
    if (facts.other_version == 0) { facts.other_version = post->other_version; }
    if (facts.unknown_id == 0) { facts.unknown_id = post->unknown_id; }
    return facts;
}

static bool are_same(const cairn_link_facts *a, const cairn_link_facts *b)
{
    return a->stop_count == b->stop_count && a->mode_count == b->mode_count && a->task_count == b->task_count &&
           a->peer_session == b->peer_session && a->other_version == b->other_version && a->unknown_id == b->unknown_id;
}

static void gather_facts(cairn_station *station, cairn_mono now)
{
    const cairn_post_info post = cairn_post_look(station->post);
    for (uint32_t i = 0; i < station->state.fleet.count; i++) {
        const cairn_link_facts facts = read_facts(station, i, &post.robots[i], now);
        if (are_same(&facts, &station->state.fleet.robots[i].facts)) { continue; }
        const cairn_err err = cairn_inputs_add_facts(&station->inputs, i, &facts);
        CAIRN_ASSERT(err == CAIRN_OK); // a record has room for those of all robots
    }
}

static void gather_heard(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    cairn_station *station = context;
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    cairn_err err = cairn_radio_encode(message, bytes, sizeof bytes, &size_bytes);
    CAIRN_ASSERT(err == CAIRN_OK); // it has just been decoded
    err = cairn_inputs_add_heard(&station->inputs, robot_at, bytes, size_bytes);
    if (err != CAIRN_OK) {
        go_on_in_another(station, now);
        err = cairn_inputs_add_heard(&station->inputs, robot_at, bytes, size_bytes);
    }
    CAIRN_ASSERT(err == CAIRN_OK);
    cairn_link_stream stream = CAIRN_LINK_STREAM_COUNT;
    const bool waited_for =
        cairn_link_stream_of(message->id, &stream) == CAIRN_OK && cairn_link_stream_acknowledged(stream);
    station->urgent |= waited_for;
}

static void gather_told(cairn_station *station, cairn_mono now)
{
    told_words words;
    size_t size_bytes = 0;
    while (cairn_inbox_take(station->told, &words, sizeof words, &size_bytes) == CAIRN_OK) {
        cairn_err err = cairn_inputs_add_told(&station->inputs, words.level, words.text);
        if (err != CAIRN_OK) {
            go_on_in_another(station, now);
            err = cairn_inputs_add_told(&station->inputs, words.level, words.text);
        }
        CAIRN_ASSERT(err == CAIRN_OK);
    }
}

static void gather_areas(cairn_station *station, cairn_mono now)
{
    cairn_team_areas areas;
    size_t size_bytes = 0;
    while (cairn_inbox_take(station->areas_given, &areas, sizeof areas, &size_bytes) == CAIRN_OK) {
        cairn_err err = cairn_inputs_add_areas(&station->inputs, &areas);
        if (err != CAIRN_OK) {
            go_on_in_another(station, now);
            err = cairn_inputs_add_areas(&station->inputs, &areas);
        }
        CAIRN_ASSERT(err == CAIRN_OK);
        station->urgent = station->asked = true;
    }
}

static void gather_actions(cairn_station *station, cairn_mono now)
{
    cairn_operator_action action;
    size_t size_bytes = 0;
    while (cairn_inbox_take(station->operators, &action, sizeof action, &size_bytes) == CAIRN_OK) {
        if (size_bytes != sizeof action) {
            station->misread_count++;
            continue;
        }
        cairn_err err = cairn_inputs_add_action(&station->inputs, &action);
        if (err != CAIRN_OK) {
            go_on_in_another(station, now);
            err = cairn_inputs_add_action(&station->inputs, &action);
        }
        CAIRN_ASSERT(err == CAIRN_OK);
        station->asked |= action.verb != CAIRN_DO_DRIVE && action.verb != CAIRN_DO_OVERRIDE;
        station->urgent |= station->asked;
    }
}

// For people: how the links are. No decision looks at it.
static void look_at_links(cairn_station *station, cairn_mono now)
{
    if (station->looked_count++ % LINK_LOOK_STEPS != 0) { return; }
    for (uint32_t i = 0; i < station->state.fleet.count; i++) {
        station->state.fleet.robots[i].link = cairn_post_link(station->post, i, now);
    }
}

void cairn_station_step_post(cairn_station *station, cairn_mono now)
{
    CAIRN_ASSERT(!station->def.mute);
    begin_record(station, CAIRN_STEP_POST, now);
    gather_facts(station, now);
    cairn_post_set_ticket(station->post, station->state.step + 1);
    cairn_post_receive(station->post, now, gather_heard, station);
    gather_told(station, now);
    gather_areas(station, now);
    gather_actions(station, now);
    end_record(station);
    look_at_links(station, now);
    if (station->def.hold_acks) { cairn_post_confirm(station->post, station->confirmed_step); }
    cairn_post_flush(station->post, now);
}

void cairn_station_step_tasking(cairn_station *station, cairn_mono now)
{
    begin_record(station, CAIRN_STEP_TASKING, now);
    end_record(station);
}

static void post_step(void *context, cairn_mono now) { cairn_station_step_post(context, now); }
static void tasking_step(void *context, cairn_mono now) { cairn_station_step_tasking(context, now); }

void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane)
{
    CAIRN_ASSERT(!station->def.mute);
    const cairn_task_def post = {
        .name = "station/post", .lane = lane, .period_ns = CAIRN_STATION_POST_NS, .step = post_step, .state = station};
    const cairn_task_def tasking = {.name = "station/tasking",
                                    .lane = lane,
                                    .period_ns = CAIRN_STATION_TASKING_NS,
                                    .offset_ns = CAIRN_STATION_TASKING_OFFSET_NS,
                                    .step = tasking_step,
                                    .state = station};
    cairn_executor_add_task(executor, &post);
    cairn_executor_add_task(executor, &tasking);
}

uint64_t cairn_station_step(const cairn_station *station) { return station->state.step; }
cairn_mono cairn_station_time(const cairn_station *station) { return station->state.at; }

void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view)
{
    const cairn_station_state *state = &station->state;
    const cairn_post_info post = station->post != NULL ? cairn_post_look(station->post) : (cairn_post_info){0};
    const uint32_t strange_count = station->misread_count + post.refused_count + post.stranger_count;
    *ret_view = (cairn_station_view){.raster = state->atlas.raster,
                                     .atlas = &state->atlas,
                                     .fleet = &state->fleet,
                                     .victims = &state->victims,
                                     .events = &state->events,
                                     .areas = &state->areas,
                                     .done = state->tasking.done,
                                     .stop_all = state->command.stop_all,
                                     .refused_count = state->refused_count + strange_count,
                                     .action_count = state->actions.taken_count};
}
