// cairn store - what a station's store holds: how far it came, whom it found, and all that it was told.
#include "commands/command.h"
#include "messages/cdr_json.h"
#include "messages/codec.h"
#include "programs/station/restore.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn store"
#define DEF_MEMORY_BYTES CAIRN_SETUP_MEMORY_BYTES
#define TEXT_BYTES (64u << 10)

static const char usage[] =
    "usage: cairn store FILE [options]\n"
    "\n"
    "Reads a station's store, also while the station runs or after it was damaged: how far the mission came, the "
    "robots,\n"
    "and the victims that were found, with their places on the map.\n"
    "\n"
    "  FILE        a store: deploy/office/run/station.db\n"
    "  --json      for machines\n"
    "  --inputs    instead, all that the station was told, one JSON object a line: messages of robots, actions of\n"
    "              operators, words of the program\n"
    "\n"
    "Exit status: 0 done, 1 failed, or something in the store is damaged, 2 wrong usage.\n"
    "\n"
    "Examples: cairn store deploy/office/run/station.db\n"
    "          cairn store deploy/office/run/station.db --inputs | grep victim_seen\n";

typedef struct store_options {
    const char *path;
    bool json, inputs;
} store_options;

// ---- inputs, line by line

typedef struct printing {
    const char *path;
    cairn_complaints *complaints;
} printing;

static void print_heard(const cairn_inputs_head *head, const cairn_input *input)
{
    static cairn_radio_message message; // large, as the next two
    static uint8_t cdr[TEXT_BYTES];
    static char text[4 * TEXT_BYTES];
    size_t cdr_bytes = 0, text_bytes = 0;
    if (cairn_radio_decode(input->heard.bytes, input->heard.size_bytes, &message) != CAIRN_OK) { return; }
    const cairn_radio_type *type = cairn_radio_type_of(message.id);
    if (cairn_cdr_encode_radio(&message, cdr, sizeof cdr, &cdr_bytes) != CAIRN_OK ||
        cairn_cdr_json(type->ros, cdr, cdr_bytes, 0, text, sizeof text, &text_bytes) != CAIRN_OK) {
        return;
    }
    printf("{\"step\":%" PRIu64 ",\"time_s\":%.3f,\"heard\":\"%s\",\"message\":%.*s}\n", head->step,
           cairn_seconds(head->at.ns), type->name, (int)text_bytes, text);
}

static void print_object(const cairn_inputs_head *head, const char *kind, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(value);
    if (text == NULL) { return; }
    printf("{\"step\":%" PRIu64 ",\"time_s\":%.3f,\"%s\":%s}\n", head->step, cairn_seconds(head->at.ns), kind, text);
    free(text);
}

static void print_action(const cairn_inputs_head *head, const cairn_operator_action *action)
{
    json_t *value = json_pack("{s:s, s:i}", "do", cairn_operator_verb_name(action->verb), "robot", (int)action->robot);
    if (action->verb == CAIRN_DO_MODE) {
        json_object_set_new(value, "mode", json_string(cairn_mode_name((cairn_mode)action->mode)));
    } else if (action->verb == CAIRN_DO_GO) {
        json_object_set_new(value, "x", json_real(action->to_m.x));
        json_object_set_new(value, "y", json_real(action->to_m.y));
    } else if (action->verb == CAIRN_DO_DRIVE) {
        json_object_set_new(value, "forward", json_real(action->forward));
        json_object_set_new(value, "turn", json_real(action->turn));
        json_object_set_new(value, "dead_man", json_boolean(action->dead_man));
    }
    print_object(head, "action", value);
}

static cairn_err print_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    cairn_inputs_reader reader;
    cairn_inputs_head head;
    const printing *to = context;
    cairn_err err = cairn_inputs_open(&reader, record, size, &head);
    if (err == CAIRN_ERR_UNSUPPORTED) {
        cairn_complain(to->complaints, to->path, 0,
                       "from record %" PRIu64
                       " on it was written by a newer cairn (version %u of the records, this one "
                       "knows version %d); use that one",
                       ticket, record[0], CAIRN_INPUTS_VERSION);
    }
    cairn_input input;
    while (err == CAIRN_OK && (err = cairn_inputs_next(&reader, &input)) == CAIRN_OK) {
        if (input.kind == CAIRN_INPUT_HEARD) { print_heard(&head, &input); }
        if (input.kind == CAIRN_INPUT_ACTION) { print_action(&head, &input.action); }
        if (input.kind == CAIRN_INPUT_TOLD) {
            print_object(&head, "told", json_stringn(input.told.text, input.told.size_bytes));
        }
    }
    return err == CAIRN_ERR_EMPTY ? CAIRN_OK : err;
}

// ---- what became of them

static json_t *victims_json(const cairn_victims *victims)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        const cairn_victim *victim = &victims->victims[i];
        if (victim->same_as != 0) {
            json_array_append_new(list, json_pack("{s:i, s:i}", "number", (int)i + 1, "same_as", (int)victim->same_as));
            continue;
        }
        json_array_append_new(list, json_pack("{s:i, s:f, s:f, s:o, s:i, s:f}", "number", (int)i + 1, "x_m",
                                              victim->at_m.x, "y_m", victim->at_m.y, "z_m",
                                              victim->has_z ? json_real(victim->z_m) : json_null(), "floor",
                                              victim->floor, "temperature_c", victim->temperature_c));
    }
    return list;
}

static void print_json(const cairn_station *station, const cairn_station_view *view, const cairn_restored *restored)
{
    json_t *robots = json_array();
    for (uint32_t i = 0; i < view->fleet->count; i++) {
        const cairn_fleet_robot *robot = &view->fleet->robots[i];
        json_array_append_new(robots,
                              json_pack("{s:s, s:i, s:b, s:f, s:f, s:f}", "name", robot->name, "number", (int)robot->id,
                                        "heard", robot->heard, "x_m", robot->map_T_base.x_m, "y_m",
                                        robot->map_T_base.y_m, "heard_s", cairn_seconds(robot->heard_at.ns)));
    }
    const cairn_station_hash hash = cairn_station_hashes(station);
    char state[17], map[17];
    snprintf(state, sizeof state, "%016" PRIx64, hash.state);
    snprintf(map, sizeof map, "%016" PRIx64, hash.map);
    json_t *all = json_pack(
        "{s:f, s:I, s:I, s:I, s:b, s:I, s:I, s:s, s:s, s:o, s:o}", "time_s",
        cairn_seconds(cairn_station_time(station).ns), "step", (json_int_t)cairn_station_step(station), "snapshot_step",
        (json_int_t)restored->snapshot_step, "replayed", (json_int_t)restored->replayed_count, "cut", restored->cut,
        "nodes", (json_int_t)view->atlas->node_count, "actions", (json_int_t)view->action_count, "state_hash", state,
        "map_hash", map, "robots", robots, "victims", victims_json(view->victims));
    char *text = json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(all);
    if (text != NULL) { puts(text); }
    free(text);
}

static void print_words(const cairn_station *station, const cairn_station_view *view, const cairn_restored *restored)
{
    const double cell_m = view->raster->def.cell_m;
    printf("%.1f s of mission time, %" PRIu64 " steps (the last state kept is of step %" PRIu64 ", %" PRIu64
           " records after it)\n",
           cairn_seconds(cairn_station_time(station).ns), cairn_station_step(station), restored->snapshot_step,
           restored->replayed_count);
    printf("map: %.0f m2 known, %u nodes; operators: %u actions\n", view->raster->known_count * cell_m * cell_m,
           view->atlas->node_count, view->action_count);
    for (uint32_t i = 0; i < view->fleet->count; i++) {
        const cairn_fleet_robot *robot = &view->fleet->robots[i];
        if (robot->heard) {
            printf("  %-10s last heard at %.1f s, at (%.2f, %.2f)\n", robot->name, cairn_seconds(robot->heard_at.ns),
                   robot->map_T_base.x_m, robot->map_T_base.y_m);
        } else {
            printf("  %-10s never heard\n", robot->name);
        }
    }
    printf("victims: %u\n", cairn_victims_count(view->victims));
    for (uint32_t i = 0; i < view->victims->victim_count; i++) {
        const cairn_victim *victim = &view->victims->victims[i];
        if (victim->same_as != 0) { continue; }
        printf("  %-3u at (%.2f, %.2f), floor %d, ", i + 1, victim->at_m.x, victim->at_m.y, victim->floor);
        if (victim->has_z) { printf("%.1f m above the ground, ", victim->z_m); }
        printf("%.1f C\n", victim->temperature_c);
    }
}

typedef struct looked {
    cairn_arena def_memory, memory;
    cairn_station *station;
} looked;

static cairn_err look(const store_options *options, cairn_store *store, looked *at, cairn_complaints *complaints)
{
    const uint8_t *setup = NULL;
    size_t setup_bytes = 0;
    cairn_station_def def;
    cairn_restored restored;
    cairn_err err = cairn_store_setup(store, &setup, &setup_bytes);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, options->path, 0, "has no setup any more; --inputs still shows what it was told");
        return err;
    }
    err = cairn_arena_create(&at->def_memory, DEF_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_station_setup_decode(setup, setup_bytes, &at->def_memory, &def); }
    if (err == CAIRN_ERR_UNSUPPORTED) {
        cairn_complain(
            complaints, options->path, 0,
            "was made by a newer cairn (its setup is of version %u, this one knows version %d); use that one", setup[0],
            CAIRN_SETUP_VERSION);
    }
    if (err != CAIRN_OK) { return err; }
    def.mute = true;
    err = cairn_arena_create(&at->memory, cairn_station_memory_bytes(&def));
    if (err == CAIRN_OK) { err = cairn_station_restore(&def, store, &at->memory, complaints, &at->station, &restored); }
    if (err != CAIRN_OK) { return err; }
    cairn_station_view view;
    cairn_station_look(at->station, &view);
    if (options->json) {
        print_json(at->station, &view, &restored);
    } else {
        print_words(at->station, &view, &restored);
    }
    return CAIRN_OK;
}

static int run(const store_options *options)
{
    static cairn_complaints complaints; // large
    cairn_store *store = NULL;
    looked at = {0};
    printing to = {.path = options->path, .complaints = &complaints};
    cairn_err err = cairn_store_open_reading(options->path, &complaints, &store);
    if (err == CAIRN_OK) {
        err = options->inputs ? cairn_store_read_inputs(store, 0, print_record, &to, &complaints)
                              : look(options, store, &at, &complaints);
    }
    cairn_station_finish(at.station);
    cairn_arena_destroy(&at.memory);
    cairn_arena_destroy(&at.def_memory);
    cairn_store_close(store);
    if (err == CAIRN_OK && complaints.count > 0) { err = CAIRN_ERR_CORRUPT; }
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

int cairn_store_run(int argc, char **argv)
{
    store_options options = {0};
    const cairn_option known[] = {
        {"json", CAIRN_OPTION_FLAG, &options.json, 0, 0},
        {"inputs", CAIRN_OPTION_FLAG, &options.inputs, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.path, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) { return cairn_usage_error(COMMAND, "wants a FILE"); }
    return run(&options);
}
