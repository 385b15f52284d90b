#include "programs/station/station_program.h"
#include "base/executor.h"
#include "base/ruled_clock.h"
#include "link/keys_io.h"
#include "ports/folder.h"
#include "ports/local_door.h"
#include "ports/notify.h"
#include "ports/shared_memory.h"
#include "ports/udp.h"
#include "ports/web_server.h"
#include "ports/web_token_io.h"
#include "programs/station/keeper.h"
#include "programs/station/page_lines.h"
#include "programs/station/restore.h"
#include "record/witness.h"
#include "station/page/page.h"
#include "station/replay/setup.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIO_PERIOD_NS CAIRN_MS(4)
#define KEEPER_PERIOD_NS CAIRN_MS(20)
#define PAGE_PERIOD_NS CAIRN_MS(100)
#define MAP_PERIOD_NS CAIRN_S(5)
#define PAGE_MEMORY_BYTES (16u << 20)
#define SIM_SILENT_NS CAIRN_S(1)
#define WAIT_NS CAIRN_MS(200) // between two looks of the caller's thread
#define LINK_RATE_BYTES_MIN 64u
#define MEGABYTE 1e6

struct cairn_station_program {
    cairn_station_program_def def;
    cairn_arena memory, page_memory;
    cairn_station_def station_def;
    cairn_station *station;
    cairn_store *store;
    cairn_keeper keeper;
    cairn_recorder *recorder; // NULL: no journal
    cairn_witness *witness;
    cairn_page *page;
    cairn_page_lines *page_lines;
    cairn_web_server *server; // NULL: this build has none
    cairn_local_door *door;   // NULL: could not be had
    cairn_udp *udp;
    cairn_shared_memory clock_memory;
    cairn_ruled_clock clock;
    cairn_time ruler;  // the simulator's time, or the machine's
    int64_t offset_ns; // ours is that much later, so that it goes on from the store's
    cairn_executor *executor;
    bool sim_silent;
    cairn_notify notify;
    _Atomic uint64_t lived_count; // steps of the station's thread
};

static volatile sig_atomic_t stop_asked; // a handler can be given nothing

void cairn_station_program_ask_stop(void) { stop_asked = 1; }

static cairn_mono program_now(void *context)
{
    const cairn_station_program *program = context;
    return cairn_mono_add(program->ruler.now(program->ruler.context), program->offset_ns);
}

static void program_sleep_until(void *context, cairn_mono until)
{
    const cairn_station_program *program = context;
    program->ruler.sleep_until(program->ruler.context, cairn_mono_add(until, -program->offset_ns));
}

static cairn_time program_time(cairn_station_program *program)
{
    return (cairn_time){.now = program_now, .sleep_until = program_sleep_until, .context = program};
}

// ---- its definition

static cairn_err read_key(const cairn_station_program *program, const cairn_station_file_robot *robot,
                          cairn_complaints *complaints, uint8_t ret_key[CAIRN_LINK_KEY_BYTES])
{
    cairn_key key;
    const cairn_err err = cairn_keys_read(program->def.file->keys, robot->name, complaints, &key);
    if (err != CAIRN_OK) { return err; }
    if (key.info.robot != robot->number) {
        cairn_complain(complaints, program->def.file->keys, 0,
                       "the key of %s is for robot number %u, the station file says %u; make them agree", robot->name,
                       key.info.robot, robot->number);
        cairn_key_wipe(&key);
        return CAIRN_ERR_INVALID;
    }
    memcpy(ret_key, key.secret, CAIRN_LINK_KEY_BYTES);
    cairn_key_wipe(&key);
    return CAIRN_OK;
}

// A square around the starts, in whole cells.
static void place_raster(const cairn_station_file *file, cairn_raster_def *raster)
{
    cairn_vec2 middle = {0, 0};
    for (uint32_t i = 0; i < file->robot_count; i++) {
        const cairn_vec2 start_m = cairn_pose2_at(file->robots[i].map_T_start);
        middle = cairn_vec2_add(middle, cairn_vec2_scale(start_m, 1.0 / file->robot_count));
    }
    const uint32_t cells = (uint32_t)ceil(file->map_size_m / raster->cell_m);
    raster->width = raster->height = cells;
    raster->origin_m = (cairn_vec2){(floor(middle.x / raster->cell_m) - floor(0.5 * cells)) * raster->cell_m,
                                    (floor(middle.y / raster->cell_m) - floor(0.5 * cells)) * raster->cell_m};
}

static void on_record(void *context, const cairn_station_record *record)
{
    cairn_station_program *program = context;
    cairn_keeper_record(&program->keeper, record);
    if (program->witness != NULL) { cairn_witness_record(program->witness, record); }
}

static void on_message(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    cairn_station_program *program = context;
    if (program->recorder != NULL) { cairn_recorder_add_radio(program->recorder, robot_at, message, now); }
}

// To the journal, and to the program's own log.
static void on_line(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    cairn_station_program *program = context;
    if (program->recorder != NULL) { cairn_recorder_add_line(program->recorder, now, level, source, text); }
    cairn_log_line(&program->def.log, now, level, "%s", text);
}

static cairn_err define_station(cairn_station_program *program, cairn_complaints *complaints)
{
    const cairn_station_file *file = program->def.file;
    cairn_station_def *def = &program->station_def;
    *def = cairn_station_def_default();
    def->robot_count = file->robot_count;
    const double share_bytes_per_s = file->rate_bps / 8 / file->robot_count;
    def->link.rate_bytes_per_s =
        share_bytes_per_s > LINK_RATE_BYTES_MIN ? (uint32_t)share_bytes_per_s : LINK_RATE_BYTES_MIN;
    place_raster(file, &def->raster);
    def->places.start_m_dev = file->start_m_dev;
    def->places.start_rad_dev = file->start_rad_dev;
    randombytes_buf(&def->seed, sizeof def->seed);
    def->log = (cairn_log){.sink = on_line, .context = program, .source = "station", .level = CAIRN_LOG_INFO};
    def->tap = on_message;
    def->tap_context = program;
    def->record = on_record;
    def->record_context = program;
    def->hold_acks = true;
    cairn_err err = CAIRN_OK;
    for (uint32_t i = 0; i < file->robot_count; i++) {
        const cairn_station_file_robot *robot = &file->robots[i];
        def->robots[i] = (cairn_station_robot_def){.id = robot->number,
                                                   .name = robot->name,
                                                   .map_T_start = robot->map_T_start,
                                                   .description = &robot->body,
                                                   .mode = CAIRN_MODE_IDLE}; // only a person sets a robot going
        const cairn_err key_err = read_key(program, robot, complaints, def->robots[i].key);
        if (err == CAIRN_OK) { err = key_err; }
    }
    return err;
}

// ---- its time

static cairn_err follow_simulator(cairn_station_program *program, cairn_complaints *complaints)
{
    char path[CAIRN_PROGRAM_PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/clock", program->def.file->sim);
    bool told = false;
    for (;;) {
        cairn_err err =
            cairn_shared_memory_open(path, sizeof(cairn_ruled_memory), false, complaints, &program->clock_memory);
        if (err == CAIRN_OK) {
            cairn_ruled_clock_init(&program->clock, program->clock_memory.bytes);
            program->ruler = cairn_ruled_time(&program->clock);
            if (program->ruler.now(program->ruler.context).ns > 0) { return CAIRN_OK; }
            cairn_shared_memory_close(&program->clock_memory);
            err = CAIRN_ERR_EMPTY;
        }
        if (err != CAIRN_ERR_EMPTY || stop_asked) { return err; }
        if (!told) {
            cairn_log_line(&program->def.log, (cairn_mono){0}, CAIRN_LOG_INFO, "waits for the simulator in %s",
                           program->def.file->sim);
        }
        told = true;
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), WAIT_NS));
    }
}

// Time goes on from where the store ends. A machine's clock may have been set back by a new start; a simulator's cannot
// be moved, because the robots follow it too.
static cairn_err set_time(cairn_station_program *program, cairn_complaints *complaints)
{
    const cairn_mono last = cairn_station_time(program->station);
    const int64_t behind_ns = cairn_mono_since(last, program->ruler.now(program->ruler.context));
    program->offset_ns = 0;
    if (behind_ns <= 0) { return CAIRN_OK; }
    if (program->def.file->sim[0] == '\0') {
        program->offset_ns = behind_ns;
        return CAIRN_OK;
    }
    cairn_complain(complaints, program->def.file->store, 0,
                   "is of a mission that is %.0f s ahead of the simulator, so of another world; begin a new one with "
                   "--fresh",
                   cairn_seconds(behind_ns));
    return CAIRN_ERR_INVALID;
}

// ---- its store

// A mission that an older station began goes on as it began. CAIRN_ERR_INVALID: it is another team's.
static cairn_err go_on_with(cairn_station_program *program, const uint8_t *kept, size_t kept_bytes,
                            cairn_complaints *complaints)
{
    cairn_arena memory = {0};
    cairn_station_def *def = &program->station_def;
    cairn_err err = cairn_arena_create(&memory, CAIRN_SETUP_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_station_setup_go_on(kept, kept_bytes, &memory, def); }
    cairn_arena_destroy(&memory);
    for (uint32_t i = 0; err == CAIRN_OK && i < def->robot_count; i++) {
        if (def->robots[i].mode == CAIRN_MODE_IDLE) { continue; }
        cairn_complain(complaints, program->def.file->store, 0,
                       "is of a mission in which %s is ordered to be %s when it is first heard; with --fresh it waits "
                       "for an order",
                       def->robots[i].name, cairn_mode_name((cairn_mode)def->robots[i].mode));
    }
    return err;
}

// The store keeps the setup that it was made with. Another team, other starts or another map cannot go on with it.
static cairn_err check_setup(cairn_station_program *program, const uint8_t *ours, size_t ours_bytes,
                             cairn_complaints *complaints)
{
    const uint8_t *kept = NULL;
    size_t kept_bytes = 0;
    if (cairn_store_setup(program->store, &kept, &kept_bytes) != CAIRN_OK) { return CAIRN_OK; }
    if (kept_bytes == ours_bytes && memcmp(kept, ours, ours_bytes) == 0) { return CAIRN_OK; }
    const cairn_err err = go_on_with(program, kept, kept_bytes, complaints);
    if (err == CAIRN_OK) { return CAIRN_OK; }
    if (err == CAIRN_ERR_UNSUPPORTED) {
        cairn_complain(complaints, program->def.file->store, 0,
                       "was made by a newer cairn (its setup is of version %u, this one knows version %d); use that "
                       "one, or begin a new mission with --fresh",
                       kept[0], CAIRN_SETUP_VERSION);
        return err;
    }
    cairn_complain(
        complaints, program->def.file->store, 0,
        "was made with another team, other starts or deviations of starts, or another map size than the station "
        "file now has; mend that, or begin a new mission with --fresh");
    return CAIRN_ERR_INVALID;
}

static cairn_err open_store(cairn_station_program *program, cairn_complaints *complaints)
{
    const cairn_station_file *file = program->def.file;
    static uint8_t setup[CAIRN_SETUP_BYTES_MAX];
    size_t setup_bytes = 0;
    cairn_err err = cairn_station_setup_encode(&program->station_def, setup, sizeof setup, &setup_bytes);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, NULL, 0, "the station file has figures that no mission can have");
        return err;
    }
    err = cairn_folder_make_for(file->store, 0777, "choose another place for `store`", complaints);
    if (err == CAIRN_OK && program->def.fresh) { err = cairn_store_move_aside(file->store, complaints); }
    if (err != CAIRN_OK) { return err; }
    cairn_store_def def = cairn_store_def_default();
    def.path = file->store;
    def.quota_bytes = file->store_quota_bytes;
    def.setup = setup;
    def.setup_bytes = setup_bytes;
    err = cairn_store_open(&def, complaints, &program->store);
    return err == CAIRN_OK ? check_setup(program, setup, setup_bytes, complaints) : err;
}

// Whoever sits at the page does not read what a service prints.
static void tell_lines(cairn_station_program *program, const char *lines)
{
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
        char text[CAIRN_EVENT_TEXT_BYTES];
        snprintf(text, sizeof text, "%.*s", (int)(end - lines), lines);
        (void)!cairn_station_tell(program->station, CAIRN_LOG_WARN, text); // full: it is printed, too
    }
}

// The complaints from said_bytes on are about the store.
static cairn_err restore(cairn_station_program *program, size_t said_bytes, cairn_complaints *complaints)
{
    cairn_restored restored;
    cairn_keeper_init(&program->keeper, program->store);
    cairn_err err = cairn_arena_create(&program->memory, cairn_station_memory_bytes(&program->station_def));
    if (err == CAIRN_OK) {
        err = cairn_station_restore(&program->station_def, program->store, &program->memory, complaints,
                                    &program->station, &restored);
    }
    if (err == CAIRN_OK && restored.newer) {
        cairn_complain(complaints, program->def.file->store, 0,
                       "would lose that if an older cairn went on with it; use the newer one, or begin a new mission "
                       "with --fresh");
        return CAIRN_ERR_UNSUPPORTED;
    }
    if (err == CAIRN_OK) { err = set_time(program, complaints); }
    if (err != CAIRN_OK) { return err; }
    const cairn_mono now = program_now(program);
    cairn_keeper_start(&program->keeper, program->station, now);
    program->keeper.gap = restored.cut;
    tell_lines(program, complaints->text + said_bytes);
    err = cairn_station_set_areas(program->station, &program->def.file->areas); // they may have been edited since
    if (err != CAIRN_OK || !restored.anything) { return err; }
    char text[160];
    snprintf(text, sizeof text, "the station was started again; it goes on from %.1f s, %.1f s ago",
             cairn_seconds(cairn_station_time(program->station).ns),
             cairn_seconds(cairn_mono_since(now, cairn_station_time(program->station))));
    return cairn_station_tell(program->station, CAIRN_LOG_WARN, text);
}

// ---- journal, page, radio

static cairn_err open_journal(cairn_station_program *program, cairn_complaints *complaints)
{
    const cairn_station_file *file = program->def.file;
    const cairn_journal_settings *settings = &file->journal;
    if (settings->folder[0] == '\0') { return CAIRN_OK; }
    cairn_recorder_def def = cairn_recorder_def_default();
    def.files.folder = settings->folder;
    def.files.prefix = "station";
    def.files.rotate_bytes = (uint64_t)(settings->rotate_mb * MEGABYTE);
    def.files.rotate_ns = cairn_ns_from_seconds(60 * settings->rotate_min);
    def.files.quota_bytes = (uint64_t)(settings->quota_mb * MEGABYTE);
    def.files.owner_turns = true;
    def.level = (cairn_record_level)settings->level;
    def.robot_count = file->robot_count;
    for (uint32_t i = 0; i < file->robot_count; i++) {
        def.robots[i] = (cairn_recorder_robot){.name = file->robots[i].name,
                                               .description = &file->robots[i].body,
                                               .map_T_start = file->robots[i].map_T_start,
                                               .is_placed = true};
    }
    cairn_err err = cairn_folder_make(settings->folder, 0777, "choose another for `journal`", complaints);
    if (err == CAIRN_OK) { err = cairn_recorder_create(&def, complaints, &program->recorder); }
    if (err == CAIRN_OK) {
        err = cairn_witness_create(&program->station_def, program->station, program->recorder, program_now(program),
                                   &program->witness);
    }
    return err;
}

static cairn_err open_page(cairn_station_program *program, cairn_complaints *complaints)
{
    const cairn_station_file *file = program->def.file;
    cairn_page_def page = {
        .mission = file->name, .raster = program->station_def.raster, .robot_count = file->robot_count};
    for (uint32_t i = 0; i < file->robot_count; i++) { page.descriptions[i] = &file->robots[i].body; }
    cairn_err err = cairn_arena_create(&program->page_memory, PAGE_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_page_create(&page, &program->page_memory, &program->page); }
    if (err == CAIRN_OK) { err = cairn_page_lines_create(&program->page_memory, &program->page_lines); }
    if (err != CAIRN_OK) { return err; }
    char token[CAIRN_WEB_TOKEN_BYTES] = "";
    cairn_web_server_def server = cairn_web_server_def_default();
    server.bind = file->page_bind;
    server.port = file->page_port;
    server.names = file->page_names;
    if (cairn_web_server_wants_token(server.bind, server.names)) {
        err = cairn_web_token_ensure(file->page_token_file, complaints, token);
        if (err != CAIRN_OK) { return err; }
        server.token = token;
    }
    server.page = program->page;
    server.operators = cairn_station_operators(program->station);
    server.log = cairn_page_lines_log(program->page_lines);
    err = cairn_web_server_create(&server, complaints, &program->server);
    sodium_memzero(token, sizeof token);
    if (err != CAIRN_ERR_UNSUPPORTED) { return err; }
    cairn_log_line(&program->def.log, (cairn_mono){0}, CAIRN_LOG_WARN,
                   "this build has no page: `cairn stop` stops the robots");
    return CAIRN_OK;
}

// Without it the page still stops robots.
static void open_door(cairn_station_program *program)
{
    static cairn_complaints complaints; // large
    const cairn_local_door_def def = {.page = program->page,
                                      .operators = cairn_station_operators(program->station),
                                      .log = cairn_page_lines_log(program->page_lines)};
    if (cairn_local_door_create(&def, &complaints, &program->door) == CAIRN_OK) { return; }
    cairn_log_line(&program->def.log, (cairn_mono){0}, CAIRN_LOG_WARN, "`cairn stop` will not work: %s",
                   complaints.text);
}

static void radio_step(void *context, cairn_mono now)
{
    cairn_station_program *program = context;
    (void)now;
    cairn_udp_pump_in(program->udp, cairn_station_from_air(program->station));
    for (uint32_t i = 0; i < program->station_def.robot_count; i++) {
        cairn_udp_pump_out(program->udp, cairn_station_to_air(program->station, i));
    }
}

static void keeper_step(void *context, cairn_mono now)
{
    cairn_station_program *program = context;
    cairn_keeper_step(&program->keeper, now);
    atomic_fetch_add_explicit(&program->lived_count, 1, memory_order_relaxed);
}

static void page_step(void *context, cairn_mono now)
{
    cairn_station_program *program = context;
    if (!cairn_keeper_may_show(&program->keeper, now)) { return; }
    cairn_station_view view;
    cairn_station_look(program->station, &view);
    cairn_page_update(program->page, &view, now);
}

static void watch_step(void *context, cairn_mono now)
{
    cairn_station_program *program = context;
    cairn_station_view view;
    cairn_station_look(program->station, &view);
    if (program->def.watch != NULL) { program->def.watch(program->def.watch_context, &view, now); }
    cairn_recorder_news news;
    while (program->recorder != NULL && cairn_recorder_next_news(program->recorder, &news)) {
        (void)!cairn_station_tell(program->station, news.level, news.text); // full: the log has it
        cairn_log_line(&program->def.log, now, news.level, "%s", news.text);
    }
    if (program->witness != NULL) { cairn_witness_step(program->witness, now); }
    cairn_page_lines_take(program->page_lines, &program->station_def.log, now);
}

static void map_step(void *context, cairn_mono now)
{
    cairn_station_program *program = context;
    cairn_station_view view;
    cairn_station_look(program->station, &view);
    cairn_recorder_add_map(program->recorder, view.raster, now);
}

static void add_task(cairn_station_program *program, uint32_t lane, const char *name, int64_t period_ns,
                     cairn_step_fn step)
{
    const cairn_task_def def = {.name = name, .lane = lane, .period_ns = period_ns, .step = step, .state = program};
    cairn_executor_add_task(program->executor, &def);
}

static cairn_err create_executor(cairn_station_program *program)
{
    const cairn_err err = cairn_executor_create_by_time(program_time(program), &program->executor);
    if (err != CAIRN_OK) { return err; }
    const uint32_t radio = cairn_executor_add_lane(program->executor, "radio", 0);
    const uint32_t station = cairn_executor_add_lane(program->executor, "station", 0);
    add_task(program, radio, "radio", RADIO_PERIOD_NS, radio_step);
    cairn_station_register(program->station, program->executor, station);
    add_task(program, station, "keeper", KEEPER_PERIOD_NS, keeper_step);
    add_task(program, station, "page", PAGE_PERIOD_NS, page_step);
    add_task(program, station, "watch", CAIRN_S(1), watch_step);
    if (program->recorder != NULL) { add_task(program, station, "map", MAP_PERIOD_NS, map_step); }
    return CAIRN_OK;
}

static cairn_err create_parts(cairn_station_program *program, cairn_complaints *complaints)
{
    cairn_err err = define_station(program, complaints);
    program->ruler = cairn_time_of_machine();
    if (err == CAIRN_OK) { err = cairn_udp_open(program->def.file->listen, complaints, &program->udp); }
    if (err == CAIRN_OK && program->def.file->sim[0] != '\0') { err = follow_simulator(program, complaints); }
    const size_t said_bytes = complaints->used_bytes;
    if (err == CAIRN_OK) { err = open_store(program, complaints); }
    if (err == CAIRN_OK) { err = restore(program, said_bytes, complaints); }
    if (err == CAIRN_OK) { err = open_page(program, complaints); }
    if (err == CAIRN_OK) { open_door(program); }
    // After all else that can fail: a journal that is begun may cost an old one its place.
    if (err == CAIRN_OK) { err = open_journal(program, complaints); }
    if (err == CAIRN_OK) { err = create_executor(program); }
    return err;
}

cairn_err cairn_station_program_create(const cairn_station_program_def *def, cairn_complaints *complaints,
                                       cairn_station_program **ret_program)
{
    cairn_station_program *program = calloc(1, sizeof *program);
    if (program == NULL) { return CAIRN_ERR_FULL; }
    program->def = *def;
    const cairn_err err = create_parts(program, complaints);
    if (err != CAIRN_OK) {
        cairn_station_program_destroy(program);
        return err;
    }
    *ret_program = program;
    return CAIRN_OK;
}

// ---- running

// While the simulator's time stands still nothing of the station runs: this thread says so, and tells it afterwards.
static void notice_simulator(cairn_station_program *program)
{
    if (program->clock_memory.bytes == NULL) { return; }
    const bool silent = cairn_ruled_silent_ns(&program->clock, cairn_mono_now()) > SIM_SILENT_NS;
    if (silent == program->sim_silent) { return; }
    program->sim_silent = silent;
    const cairn_log_level level = silent ? CAIRN_LOG_WARN : CAIRN_LOG_INFO;
    const char *text = silent ? "the simulator is silent: its time stands still" : "the simulator is back";
    cairn_log_line(&program->def.log, program_now(program), level, "%s", text);
    if (!silent) { (void)!cairn_station_tell(program->station, CAIRN_LOG_WARN, "the simulator was silent"); }
}

// Signs of life are given for the station's thread: what matters is whether that gets on.
static void give_sign_of_life(cairn_station_program *program, uint64_t *told_count)
{
    const uint64_t lived_count = atomic_load_explicit(&program->lived_count, memory_order_relaxed);
    if (lived_count == *told_count && !program->sim_silent) { return; }
    *told_count = lived_count;
    cairn_notify_alive(&program->notify);
}

static void *run_executor(void *context)
{
    cairn_station_program *program = context;
    cairn_executor_run(program->executor, (cairn_mono){INT64_MAX});
    return NULL;
}

void cairn_station_program_run(cairn_station_program *program)
{
    pthread_t thread;
    const int failed = pthread_create(&thread, NULL, run_executor, program);
    CAIRN_ASSERT(!failed);
    cairn_notify_open(&program->notify);
    cairn_notify_ready(&program->notify);
    uint64_t told_count = 0;
    while (!stop_asked) {
        notice_simulator(program);
        give_sign_of_life(program, &told_count);
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), WAIT_NS));
    }
    cairn_executor_ask_stop(program->executor);
    pthread_join(thread, NULL);
    cairn_notify_close(&program->notify);
    cairn_station_view view;
    cairn_station_look(program->station, &view);
    const cairn_mono now = cairn_station_time(program->station);
    if (program->recorder != NULL) { cairn_recorder_add_map(program->recorder, view.raster, now); }
    if (program->witness != NULL) { cairn_witness_conclude(program->witness, now); }
    (void)cairn_keeper_keep_state(&program->keeper, now); // the records are enough without it
}

const char *cairn_station_program_address(const cairn_station_program *program)
{
    return program->server == NULL ? "none in this build" : cairn_web_server_address(program->server);
}

const char *cairn_station_program_far_address(const cairn_station_program *program)
{
    return program->server == NULL ? "" : cairn_web_server_far_address(program->server);
}

static void finish_journal(cairn_station_program *program)
{
    if (program->recorder == NULL) { return; }
    static cairn_complaints complaints;
    uint64_t hash = 0;
    if (cairn_recorder_finish(program->recorder, &complaints, &hash) != CAIRN_OK) {
        cairn_log_line(&program->def.log, program_now(program), CAIRN_LOG_WARN, "journal: %s", complaints.text);
    }
}

void cairn_station_program_destroy(cairn_station_program *program)
{
    if (program == NULL) { return; }
    cairn_local_door_destroy(program->door);
    cairn_web_server_destroy(program->server);
    cairn_executor_destroy(program->executor);
    if (program->page_lines != NULL) {
        cairn_page_lines_take(program->page_lines, &program->station_def.log, program_now(program));
    }
    finish_journal(program);
    cairn_witness_destroy(program->witness);
    cairn_recorder_destroy(program->recorder);
    cairn_page_lines_finish(program->page_lines);
    cairn_page_finish(program->page);
    cairn_keeper_finish(&program->keeper);
    cairn_station_finish(program->station);
    cairn_store_close(program->store);
    cairn_udp_close(program->udp);
    cairn_shared_memory_close(&program->clock_memory);
    cairn_arena_destroy(&program->page_memory);
    cairn_arena_destroy(&program->memory);
    sodium_memzero(&program->station_def, sizeof program->station_def);
    free(program);
}
