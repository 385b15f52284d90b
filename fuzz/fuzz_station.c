// Whatever a robot says in valid words, and operators ask between: the station takes it in, can be shown, handed over,
// saved and loaded with the same state, and goes on.
//
// The fuzzer's bytes are a script. Words are made by the tables of the messages, so that every one of them is valid; a
// robot's next word begins as its last of that kind did, and some fields of it change.
#include "maps/codec/planes_codec.h"
#include "station/atlas/handover.h"
#include "station/page/page.h"
#include "station/replay/inputs.h"
#include <string.h>

#define INPUT_BYTES_MAX 4096u
#define STEPS_MAX 400u // of tasking: each may lay maps on each other
#define ROBOTS 3u
#define KINDS_MAX 64u // ids on the air are below

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const cairn_body_description BODY = {
    .name = "emu", .thermal = {.offered = true, .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}}}};

typedef struct script {
    const uint8_t *bytes;
    size_t size, at;
    cairn_station_def def;
    cairn_arena memory;
    cairn_station *station;
    cairn_page *page;
    cairn_page_cursor cursor;
    int64_t at_ns;
    uint32_t tasking_count;
    cairn_radio_message said[ROBOTS][KINDS_MAX]; // the last of each kind
    cairn_terrain_planes planes[ROBOTS];         // of the last terrain_grid
    cairn_msg_terrain_grid heads[ROBOTS];
} script;

static script run; // too large for the stack

static uint64_t next(uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        value |= (uint64_t)(run.at < run.size ? run.bytes[run.at] : 0) << 8 * i;
        run.at++;
    }
    return value;
}

static uint32_t below(uint32_t count) { return (uint32_t)(next(1) % count); }

static cairn_station_def small_def(void)
{
    static const char *const names[ROBOTS] = {"emu1", "emu2", "emu3"};
    static const cairn_pose2 starts[ROBOTS] = {{0, 0, 0}, {1, 0, 0}, {-3.5, 3.5, 3.1}};
    cairn_station_def def = cairn_station_def_default();
    def.mute = true;
    def.raster.origin_m = (cairn_vec2){-4, -4};
    def.raster.width = 80;
    def.raster.height = 70;
    def.robot_count = ROBOTS;
    for (uint8_t i = 0; i < ROBOTS; i++) {
        def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                  .name = names[i],
                                                  .map_T_start = starts[i],
                                                  .description = &BODY,
                                                  .mode = CAIRN_MODE_AUTONOMOUS};
    }
    return def;
}

static void start(cairn_arena *ret_memory, cairn_station **ret_station)
{
    CAIRN_ASSERT(cairn_arena_create(ret_memory, cairn_station_memory_bytes(&run.def)) == CAIRN_OK);
    CAIRN_ASSERT(cairn_station_create(&run.def, ret_memory, ret_station) == CAIRN_OK);
}

// ---- words

static uint8_t *field_of(cairn_radio_message *message, const cairn_field *field)
{
    return (uint8_t *)&message->telemetry + field->offset_bytes; // all members of the union begin there
}

static void set_value(uint8_t *to, const cairn_field *field, int64_t value)
{
    memcpy(to, &value, cairn_kind_bytes((cairn_kind)field->kind));
}

static int64_t value_of(const uint8_t *from, const cairn_field *field)
{
    uint64_t bits = 0;
    const size_t size = cairn_kind_bytes((cairn_kind)field->kind);
    memcpy(&bits, from, size);
    const bool is_signed = field->kind == CAIRN_KIND_INT8 || field->kind == CAIRN_KIND_INT16 ||
                           field->kind == CAIRN_KIND_INT32 || field->kind == CAIRN_KIND_INT64;
    if (is_signed && size < 8 && (bits >> (8 * size - 1)) != 0) { bits |= UINT64_MAX << 8 * size; }
    return (int64_t)bits;
}

static int64_t within(const cairn_radio_rule *rule, int64_t value)
{
    return value < rule->min ? rule->min : value > rule->max ? rule->max : value;
}

// Ends of the range, small steps, and anything.
static int64_t choose(const cairn_radio_rule *rule, int64_t before)
{
    const uint32_t how = below(8);
    const bool was_known = before >= rule->min && before <= rule->max;
    switch (how) {
    case 0: return rule->min;
    case 1: return rule->max;
    case 2: return rule->has_unknown ? rule->unknown : within(rule, 0);
    case 3: return within(rule, (was_known && before < INT64_MAX ? before : 0) + 1);
    case 4: return within(rule, (int8_t)next(1) * 100);
    case 5: return within(rule, (int16_t)next(2));
    case 6: return within(rule, (was_known && before < INT64_MAX / 2 ? before : 0) + (int16_t)next(2));
    default: break;
    }
    const uint64_t span = (uint64_t)rule->max - (uint64_t)rule->min;
    const uint64_t any = next(8);
    return (int64_t)((uint64_t)rule->min + (span == UINT64_MAX ? any : any % (span + 1)));
}

static void change_field(cairn_radio_message *message, const cairn_radio_type *type, uint32_t at)
{
    const cairn_field *field = &type->ros->fields[at];
    uint8_t *to = field_of(message, field);
    if (field->shape != CAIRN_SHAPE_INLINE) {
        set_value(to, field, choose(&type->rules[at], value_of(to, field)));
        return;
    }
    const uint16_t count = (uint16_t)(next(2) % (field->bound + 1));
    for (uint32_t i = 0; i < type->ros->field_count; i++) { // those that belong together are equally long
        const cairn_field *other = &type->ros->fields[i];
        if (i != at && type->rules[i].same_count_as < 0 && type->rules[at].same_count_as < 0) { continue; }
        if (other->shape != CAIRN_SHAPE_INLINE) { continue; }
        memcpy((uint8_t *)&message->telemetry + other->count_offset_bytes, &count, sizeof count);
        for (uint32_t k = 0; k < count; k++) {
            set_value(field_of(message, other) + k * cairn_kind_bytes((cairn_kind)other->kind), other,
                      within(&type->rules[i], (int64_t)(next(1) + k)));
        }
    }
}

// A word like the last of its kind, valid from the first on.
static cairn_radio_message *begin_word(uint32_t robot_at, const cairn_radio_type *type)
{
    cairn_radio_message *message = &run.said[robot_at][type->id];
    const bool is_first = message->id == 0;
    if (is_first) { cairn_radio_clear(type->id, message); }
    for (uint32_t i = 0; i < type->ros->field_count; i++) {
        const cairn_field *field = &type->ros->fields[i];
        if (field->shape != CAIRN_SHAPE_ONE) { continue; }
        uint8_t *to = field_of(message, field);
        const bool counts = strcmp(field->name, "node") == 0;
        const int64_t step = counts ? 1 : strcmp(field->name, "mono_ns") == 0 ? CAIRN_MS(500) : 0;
        const int64_t value = value_of(to, field);
        if (strcmp(field->name, "robot") == 0) {
            set_value(to, field, (int64_t)robot_at + 1);
        } else if (step != 0 && !is_first && value <= type->rules[i].max - step) {
            set_value(to, field, value + step);
        } else if (is_first && !type->rules[i].has_unknown) {
            set_value(to, field, within(&type->rules[i], 0));
        }
    }
    return message;
}

static void change_word(cairn_radio_message *message, const cairn_radio_type *type)
{
    const uint32_t count = below(8);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = below(type->ros->field_count);
        if (strcmp(type->ros->fields[at].name, "robot") != 0) { change_field(message, type, at); }
    }
}

// ---- records

static void take(cairn_step_kind kind, const cairn_inputs_writer *writer)
{
    static cairn_inputs_writer record;
    record = *writer;
    cairn_inputs_set_kind(&record, kind);
    CAIRN_ASSERT(cairn_station_replay(run.station, record.bytes, record.size_bytes) == CAIRN_OK);
}

static void begin(cairn_inputs_writer *ret_writer)
{
    const cairn_inputs_head head = {
        .kind = CAIRN_STEP_PART, .step = cairn_station_step(run.station) + 1, .at = {run.at_ns}};
    cairn_inputs_begin(ret_writer, &head);
}

static void hear(uint32_t robot_at, const cairn_radio_message *message)
{
    static cairn_inputs_writer writer;
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size = 0;
    CAIRN_ASSERT(cairn_radio_encode(message, bytes, sizeof bytes, &size) == CAIRN_OK);
    begin(&writer);
    CAIRN_ASSERT(cairn_inputs_add_heard(&writer, robot_at, bytes, size) == CAIRN_OK);
    take(CAIRN_STEP_PART, &writer);
}

// Of all that this build knows, those that only a station says too.
static const cairn_radio_type *any_type(void)
{
    const uint32_t wanted = below(16);
    const cairn_radio_type *type = cairn_radio_type_of(CAIRN_MSG_TELEMETRY);
    uint32_t count = 0;
    for (uint32_t id = 0; id < KINDS_MAX; id++) {
        const cairn_radio_type *known = cairn_radio_type_of((uint8_t)id);
        if (known != NULL && count++ == wanted) { type = known; }
    }
    return type;
}

static void say_any(void)
{
    const uint32_t robot_at = below(ROBOTS);
    const cairn_radio_type *type = any_type();
    cairn_radio_message *message = begin_word(robot_at, type);
    change_word(message, type);
    hear(robot_at, message);
}

// ---- maps of ground, in real code

// Rooms that all robots see alike, wherever they stand.
static bool is_wall_at(uint32_t robot_at, const cairn_msg_terrain_grid *grid, uint32_t cell)
{
    const double x_m = run.def.robots[robot_at].map_T_start.x_m + (grid->x_mm + (int32_t)grid->cell_mm * 0.5) * 1e-3;
    const int64_t x = (int64_t)floor(x_m * 10) + cell % grid->width, y = grid->y_mm / 100 + cell / grid->width;
    return x % 37 == 0 || y % 23 == 0 || (x % 11 == 3 && y % 17 < 5);
}

static void draw_planes(uint32_t robot_at, const cairn_msg_terrain_grid *grid, cairn_terrain_planes *ret_planes)
{
    const uint32_t width = grid->width, height = grid->height;
    *ret_planes = (cairn_terrain_planes){.cell_m = 0.1, .width = width, .height = height};
    const uint32_t how = below(4), seed = (uint32_t)next(2);
    for (uint32_t cell = 0; cell < width * height; cell++) {
        const bool is_wall = is_wall_at(robot_at, grid, cell);
        const bool is_known = how != 3 || (cell * 2654435761u + seed) >> 30 != 0;
        const bool is_obstacle = how == 0 ? false : how == 1 ? is_wall : (cell * 2246822519u + seed) >> 29 == 0;
        ret_planes->known[cell >> 3] |= (uint8_t)(is_known << (cell & 7));
        ret_planes->obstacle[cell >> 3] |= (uint8_t)((is_known && is_obstacle) << (cell & 7));
    }
}

// Whether this map may be told by what the last one had, as robots do.
static bool follows(uint32_t robot_at, const cairn_msg_terrain_grid *grid, cairn_planes_earlier *ret_earlier)
{
    const cairn_msg_terrain_grid *head = &run.heads[robot_at];
    const int32_t x_mm = grid->x_mm - head->x_mm, y_mm = grid->y_mm - head->y_mm;
    if (head->node == 0 || head->cell_mm != grid->cell_mm || x_mm % grid->cell_mm != 0 || y_mm % grid->cell_mm != 0) {
        return false;
    }
    *ret_earlier = (cairn_planes_earlier){&run.planes[robot_at], x_mm / grid->cell_mm, y_mm / grid->cell_mm};
    return cairn_planes_overlap(ret_earlier, grid->width, grid->height);
}

static void send_map(uint32_t robot_at)
{
    static cairn_terrain_planes planes;
    static uint8_t scratch_block[CAIRN_PLANES_SCRATCH_BYTES];
    cairn_arena scratch;
    cairn_arena_init(&scratch, scratch_block, sizeof scratch_block);
    cairn_radio_message *message = &run.said[robot_at][CAIRN_MSG_TERRAIN_GRID];
    cairn_msg_terrain_grid *grid = &message->terrain_grid;
    draw_planes(robot_at, grid, &planes);
    cairn_planes_earlier earlier;
    const bool refers = below(2) != 0 && follows(robot_at, grid, &earlier);
    size_t size = 0;
    const cairn_err err =
        cairn_planes_encode(&planes, refers ? &earlier : NULL, &scratch, grid->code, sizeof grid->code, &size);
    CAIRN_ASSERT(err == CAIRN_OK);
    grid->code_count = (uint16_t)size;
    grid->after_node = refers ? run.heads[robot_at].node : 0;
    grid->after_hash = refers ? cairn_planes_hash(&run.planes[robot_at]) : 0;
    hear(robot_at, message);
    run.heads[robot_at] = *grid;
    run.planes[robot_at] = planes;
}

static void say_map(void)
{
    const uint32_t robot_at = below(ROBOTS);
    const cairn_radio_type *type = cairn_radio_type_of(CAIRN_MSG_TERRAIN_GRID);
    change_word(begin_word(robot_at, type), type);
    send_map(robot_at);
}

static cairn_pose2 pose_of(const cairn_msg_node *node)
{
    return (cairn_pose2){node->x_mm * 1e-3, node->y_mm * 1e-3, node->yaw_urad * 1e-6};
}

// The next node of a trail: near the map mostly, and reached from the one before mostly.
static const cairn_msg_node *say_node(uint32_t robot_at)
{
    cairn_radio_message *message = begin_word(robot_at, cairn_radio_type_of(CAIRN_MSG_NODE));
    cairn_msg_node *node = &message->node;
    const cairn_pose2 before = pose_of(node);
    const uint32_t how = below(8);
    const int32_t scale = how == 0 ? 15000 : 40;
    node->x_mm = (int8_t)next(1) * scale;
    node->y_mm = (int8_t)next(1) * scale;
    node->yaw_urad = (int8_t)next(1) * 24000;
    const cairn_pose2 edge = cairn_pose2_between(before, pose_of(node));
    const bool fits = how != 1 && fabs(edge.x_m) < 99 && fabs(edge.y_m) < 99;
    node->edge_x_um = fits ? (int32_t)(edge.x_m * 1e6) : 0;
    node->edge_y_um = fits ? (int32_t)(edge.y_m * 1e6) : 0;
    node->edge_yaw_urad = fits ? (int32_t)(edge.yaw_rad * 1e6) : 0;
    node->edge_xy_um_dev = (uint32_t)next(2);
    node->edge_yaw_urad_dev = (uint32_t)next(2);
    hear(robot_at, message);
    return node;
}

// A node and the map around it, as a robot says them: the ends of all ranges are for the others.
static void survey(void)
{
    const uint32_t robot_at = below(ROBOTS);
    const cairn_msg_node *node = say_node(robot_at);
    cairn_msg_terrain_grid *grid = &begin_word(robot_at, cairn_radio_type_of(CAIRN_MSG_TERRAIN_GRID))->terrain_grid;
    grid->node = node->node;
    grid->cell_mm = 100;
    grid->width = (uint16_t)(60 + below(101));
    grid->height = (uint16_t)(60 + below(101));
    grid->x_mm = node->x_mm / 100 * 100 - grid->width / 2 * 100;
    grid->y_mm = node->y_mm / 100 * 100 - grid->height / 2 * 100;
    send_map(robot_at);
}

// ---- people and the program

static double any_double(void)
{
    static const double ends[] = {0,     -0.0,   1,      -1,    1e9,         -1e9,
                                  1e300, -1e300, 1e-300, 99999, (double)NAN, (double)INFINITY};
    const uint32_t how = below(4);
    if (how == 0) { return ends[below(sizeof ends / sizeof ends[0])]; }
    return how == 1 ? (int8_t)next(1) / 128.0 : how == 2 ? (int8_t)next(1) * 0.1 : (int16_t)next(2);
}

static void ask(void)
{
    static cairn_inputs_writer writer;
    const cairn_operator_action action = {.verb = (cairn_operator_verb)below(CAIRN_DO_COUNT + 1),
                                          .robot = (uint8_t)below(ROBOTS + 2),
                                          .mode = (uint8_t)below(CAIRN_MODE_COUNT + 2),
                                          .to_m = {any_double(), any_double()},
                                          .forward = any_double(),
                                          .turn = any_double(),
                                          .dead_man = below(2) != 0,
                                          .shown = {below(4) == 0 ? (int64_t)next(8) : run.at_ns}};
    begin(&writer);
    CAIRN_ASSERT(cairn_inputs_add_action(&writer, &action) == CAIRN_OK);
    take(CAIRN_STEP_PART, &writer);
}

static void tell_facts(void)
{
    static cairn_inputs_writer writer;
    const uint32_t robot_at = below(ROBOTS);
    const cairn_link_facts facts = {.stop_count = (uint8_t)next(1),
                                    .mode_count = (uint8_t)next(1),
                                    .task_count = (uint8_t)below(3),
                                    .peer_session = next(1),
                                    .other_version = (uint8_t)next(1),
                                    .unknown_id = (uint8_t)next(1)};
    begin(&writer);
    CAIRN_ASSERT(cairn_inputs_add_facts(&writer, robot_at, &facts) == CAIRN_OK);
    take(CAIRN_STEP_PART, &writer);
}

static void step(cairn_step_kind kind)
{
    static cairn_inputs_writer writer;
    if (kind == CAIRN_STEP_TASKING && run.tasking_count++ >= STEPS_MAX) { return; }
    run.at_ns += CAIRN_MS(20) * (1 + (int64_t)next(1));
    begin(&writer);
    take(kind, &writer);
}

// ---- what is done with a station

// A page that has had nothing, and one that goes on.
static void show(void)
{
    static uint8_t bytes[CAIRN_PAGE_BYTES_MAX];
    cairn_station_view view;
    cairn_station_look(run.station, &view);
    cairn_page_update(run.page, &view, (cairn_mono){run.at_ns});
    cairn_page_cursor fresh = {0};
    cairn_page_cursor *cursors[] = {&run.cursor, &fresh};
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        bool is_binary = false;
        for (int k = 0; k < 100; k++) {
            const cairn_err err = cairn_page_next(run.page, cursors[i], bytes, sizeof bytes, &size, &is_binary);
            if (err == CAIRN_ERR_EMPTY) { break; }
            CAIRN_ASSERT(err == CAIRN_OK && size <= sizeof bytes);
        }
    }
}

static void hand_over(void)
{
    cairn_station_view view;
    cairn_station_look(run.station, &view);
    if (view.raster->known_count == 0) { return; }
    cairn_arena memory;
    cairn_handover handover;
    CAIRN_ASSERT(cairn_arena_create(&memory, cairn_handover_bytes(view.atlas)) == CAIRN_OK);
    CAIRN_ASSERT(cairn_handover_make(view.atlas, view.fleet, &memory, &handover) == CAIRN_OK);
    cairn_arena_destroy(&memory);
}

// What was saved is loaded, and is the same.
static void restart(void)
{
    cairn_arena memory, saved;
    cairn_station *station = NULL;
    const size_t size_max = cairn_station_save_bytes(run.station);
    size_t size = 0;
    const cairn_station_hash before = cairn_station_hashes(run.station);
    CAIRN_ASSERT(cairn_arena_create(&saved, size_max + 64) == CAIRN_OK);
    uint8_t *bytes = CAIRN_TAKE(&saved, uint8_t, size_max);
    CAIRN_ASSERT(bytes != NULL && cairn_station_save(run.station, bytes, size_max, &size) == CAIRN_OK);
    start(&memory, &station);
    CAIRN_ASSERT(cairn_station_load(station, bytes, size) == CAIRN_OK);
    const cairn_station_hash after = cairn_station_hashes(station);
    CAIRN_ASSERT(before.state == after.state && before.map == after.map);
    cairn_arena_destroy(&saved);
    cairn_station_finish(run.station);
    cairn_arena_destroy(&run.memory);
    run.memory = memory;
    run.station = station;
}

static void do_next(void)
{
    switch (below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: say_any(); break;
    case 4: say_map(); break;
    case 5:
    case 6: survey(); break;
    case 7: ask(); break;
    case 8: tell_facts(); break;
    case 9:
    case 10: step(CAIRN_STEP_POST); break;
    case 11:
    case 12:
    case 13: step(CAIRN_STEP_TASKING); break;
    case 14: show(); break;
    default: below(8) == 0 ? restart() : step(CAIRN_STEP_TASKING); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > INPUT_BYTES_MAX) { return 0; }
    run = (script){.bytes = bytes, .size = size, .def = small_def()};
    cairn_arena page_memory;
    start(&run.memory, &run.station);
    const cairn_page_def page = {
        .mission = "fuzz", .raster = run.def.raster, .robot_count = ROBOTS, .descriptions = {&BODY, &BODY, &BODY}};
    CAIRN_ASSERT(cairn_arena_create(&page_memory, 8u << 20) == CAIRN_OK);
    CAIRN_ASSERT(cairn_page_create(&page, &page_memory, &run.page) == CAIRN_OK);
    while (run.at < run.size) { do_next(); }
    step(CAIRN_STEP_POST);
    show();
    hand_over();
    restart();
    cairn_page_finish(run.page);
    cairn_arena_destroy(&page_memory);
    cairn_station_finish(run.station);
    cairn_arena_destroy(&run.memory);
    return 0;
}
