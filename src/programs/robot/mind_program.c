#include "programs/robot/mind_program.h"
#include "base/ruled_clock.h"
#include "link/keys_io.h"
#include "maps/files/geotiff_io.h"
#include "ports/folder.h"
#include "ports/udp.h"
#include "programs/robot/robot_pages.h"
#include "record/recorder.h"
#include "robot/mind.h"
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BYTES (80u << 20)
#define RADIO_PERIOD_NS CAIRN_MS(8)
#define RECORD_PERIOD_NS CAIRN_MS(20)
#define MOTION_PERIOD_NS CAIRN_MS(100)
#define LOOK_NS CAIRN_MS(10) // while waiting for reflex
#define RADIO_PROCESSOR 1    // that of the post, which waits for no plan
#define WATCH_PROCESSOR 3
#define LINK_RATE_BYTES_MIN 64u
#define MEGABYTE 1e6

typedef struct mind_program {
    const cairn_mind_program_def *def;
    cairn_robot_pages pages;
    cairn_ruled_clock clock;
    cairn_time time;
    cairn_arena memory;
    cairn_body body;
    cairn_reflex_cells reflex;
    cairn_cell *checkpoint;
    cairn_mind *mind;
    cairn_udp *udp;
    cairn_air_address station;
    cairn_recorder *recorder; // NULL: no journal
    cairn_body watched;       // the recorder's own ends of the body's cells
    cairn_mono motion_at, link_at;
    uint16_t told_versions; // of the radio, that were met and told: bit n is version n
    bool told_unknown;
    cairn_executor *executor;
    bool over;
} mind_program;

static _Atomic(cairn_executor *) running; // a handler can be given nothing
static atomic_bool stop_asked;

void cairn_mind_program_ask_stop(void)
{
    atomic_store(&stop_asked, true);
    cairn_executor *executor = atomic_load(&running);
    if (executor != NULL) { cairn_executor_ask_stop(executor); }
}

static cairn_mono now_of(const mind_program *program) { return program->time.now(program->time.context); }

static cairn_err open_pages(mind_program *program, cairn_complaints *complaints)
{
    const cairn_robot_file *file = program->def->file;
    bool fresh = false;
    cairn_err err = cairn_robot_pages_open_body(&program->pages, file, complaints);
    if (err == CAIRN_ERR_EMPTY) { cairn_complain(complaints, file->sim, 0, "has no body for %s any more", file->name); }
    if (err == CAIRN_OK) {
        err = cairn_robot_pages_open_own(&program->pages, file, CAIRN_PROCESS_MIND, complaints, &fresh);
    }
    if (err != CAIRN_OK) { return err; }
    cairn_ruled_clock_init(&program->clock, program->pages.memory[CAIRN_PAGE_CLOCK].bytes);
    program->time = cairn_ruled_time(&program->clock);
    return CAIRN_OK;
}

static cairn_err attach_cells(mind_program *program)
{
    void **cells = program->pages.cells;
    const cairn_body_memory body = {.sensors = cells[CAIRN_PAGE_SENSORS], .motors = cells[CAIRN_PAGE_MOTORS]};
    const cairn_reflex_memory shared = {.to_reflex = cells[CAIRN_PAGE_TO_REFLEX],
                                        .from_reflex = cells[CAIRN_PAGE_FROM_REFLEX]};
    const cairn_body_description *description = &program->def->file->body;
    cairn_err err = cairn_body_attach(description, body, &program->memory, &program->body);
    if (err == CAIRN_OK) { err = cairn_body_attach(description, body, &program->memory, &program->watched); }
    if (err == CAIRN_OK) { err = cairn_reflex_cells_attach(shared, &program->memory, &program->reflex); }
    if (err == CAIRN_OK) {
        err = cairn_cell_attach(&program->memory, cells[CAIRN_PAGE_CHECKPOINT], cairn_mind_checkpoint_bytes(),
                                &program->checkpoint);
    }
    return err;
}

static cairn_err define_link(const mind_program *program, cairn_complaints *complaints, cairn_link_def *ret_link)
{
    const cairn_robot_file *file = program->def->file;
    cairn_key key;
    const cairn_err err = cairn_keys_read(file->keys, file->name, complaints, &key);
    if (err != CAIRN_OK) { return err; }
    cairn_link_def link = cairn_link_def_default();
    link.robot = file->number;
    memcpy(link.key, key.secret, sizeof link.key);
    const bool fits = key.info.robot == file->number;
    cairn_key_wipe(&key);
    if (!fits) {
        cairn_complain(complaints, file->keys, 0,
                       "the key of %s is for another robot number than %u; make the robot file and the key agree",
                       file->name, file->number);
        return CAIRN_ERR_INVALID;
    }
    const double bytes_per_s = file->rate_bps / 8;
    link.rate_bytes_per_s = bytes_per_s > LINK_RATE_BYTES_MIN ? (uint32_t)bytes_per_s : LINK_RATE_BYTES_MIN;
    uint64_t seed = 0;
    randombytes_buf(&seed, sizeof seed);
    cairn_random_init(&link.random, seed, "link");
    *ret_link = link;
    return CAIRN_OK;
}

// CAIRN_ERR_EMPTY: asked to stop before reflex spoke.
static cairn_err wait_for_reflex(const mind_program *program)
{
    while (!cairn_mind_may_begin(&program->reflex, now_of(program))) {
        if (atomic_load(&stop_asked)) { return CAIRN_ERR_EMPTY; }
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), LOOK_NS));
    }
    return CAIRN_OK;
}

static void on_message(void *context, const uint8_t *bytes, size_t size, cairn_mono now)
{
    mind_program *program = context;
    static cairn_radio_message message; // large; one thread
    if (program->recorder == NULL || cairn_radio_decode(bytes, size, &message) != CAIRN_OK) { return; }
    cairn_recorder_add_radio(program->recorder, 0, &message, now);
}

// CAIRN_ERR_EMPTY: asked to stop before.
static cairn_err begin_mind(mind_program *program, cairn_mind_def *def)
{
    for (;;) {
        cairn_err err = wait_for_reflex(program);
        if (err != CAIRN_OK) { return err; }
        def->now = now_of(program);
        err = cairn_mind_create(def, &program->memory, &program->mind);
        if (err != CAIRN_ERR_EMPTY) { return err; } // or another reflex has begun in between
    }
}

static cairn_err create_mind(mind_program *program, cairn_complaints *complaints)
{
    cairn_mind_def def = {.body = &program->body,
                          .reflex = program->reflex,
                          .log = program->def->log,
                          .checkpoint = program->checkpoint,
                          .tap = on_message,
                          .tap_context = program};
    cairn_err err = define_link(program, complaints, &def.link);
    if (err == CAIRN_OK) { err = begin_mind(program, &def); }
    sodium_memzero(&def.link, sizeof def.link);
    return err;
}

static cairn_err open_radio(mind_program *program, cairn_complaints *complaints)
{
    const cairn_err err = cairn_udp_resolve(program->def->file->station, complaints, &program->station);
    return err == CAIRN_OK ? cairn_udp_open(":0", complaints, &program->udp) : err;
}

static cairn_err create_recorder(mind_program *program, cairn_complaints *complaints)
{
    const cairn_robot_file *file = program->def->file;
    const cairn_journal_settings *settings = &file->journal;
    if (settings->folder[0] == '\0') { return CAIRN_OK; }
    cairn_recorder_def def = cairn_recorder_def_default();
    def.files.folder = settings->folder;
    def.files.prefix = file->name;
    def.files.rotate_bytes = (uint64_t)(settings->rotate_mb * MEGABYTE);
    def.files.rotate_ns = cairn_ns_from_seconds(60 * settings->rotate_min);
    def.files.quota_bytes = (uint64_t)(settings->quota_mb * MEGABYTE);
    def.level = (cairn_record_level)settings->level;
    def.scan_hz = settings->scan_hz;
    def.thermal_hz = settings->thermal_hz;
    def.robot_count = 1;
    def.robots[0] = (cairn_recorder_robot){.name = file->name, .description = &file->body};
    const cairn_err err = cairn_folder_make(settings->folder, 0777, "choose another for `journal`", complaints);
    return err == CAIRN_OK ? cairn_recorder_create(&def, complaints, &program->recorder) : err;
}

// A disk that has failed is no reason to stand still.
static void open_journal(mind_program *program)
{
    static cairn_complaints complaints; // large
    if (create_recorder(program, &complaints) == CAIRN_OK) { return; }
    cairn_log_line(&program->def->log, now_of(program), CAIRN_LOG_ERROR, "there is no journal: %s", complaints.text);
}

static void hear_step(void *context, cairn_mono now)
{
    mind_program *program = context;
    (void)now;
    cairn_udp_pump_in_plain(program->udp, cairn_mind_from_air(program->mind));
}

// Each once: nobody has proved them, and a log that anyone can fill is of no use.
static void tell_of_versions(mind_program *program, cairn_mono now)
{
    const cairn_robot_post_info post = cairn_mind_post_info(program->mind);
    const uint16_t bit = (uint16_t)(1u << (post.other_version & 15));
    if (post.other_version != 0 && (program->told_versions & bit) == 0) {
        program->told_versions |= bit;
        cairn_log_line(&program->def->log, now, CAIRN_LOG_WARN,
                       "something in the station's name, unproven, speaks version %u of the radio protocol, this robot "
                       "version %u: if they do not meet, update the older one",
                       post.other_version, CAIRN_LINK_VERSION);
    }
    if (post.unknown_count > 0 && !program->told_unknown) {
        program->told_unknown = true;
        cairn_log_line(&program->def->log, now, CAIRN_LOG_WARN,
                       "the station says things that this robot does not understand (message %u): update the robot",
                       post.unknown_id);
    }
}

static void speak_step(void *context, cairn_mono now)
{
    mind_program *program = context;
    cairn_udp_pump_out_to(program->udp, &program->station, cairn_mind_to_air(program->mind));
    if (cairn_mono_since(now, program->link_at) < CAIRN_S(1)) { return; }
    program->link_at = now;
    tell_of_versions(program, now);
    if (program->recorder == NULL) { return; }
    const cairn_link_info link = cairn_mind_link_info(program->mind, now);
    cairn_recorder_add_link(program->recorder, 0, &link, now);
}

static const void *latest(cairn_cell *cell) { return cell != NULL ? cairn_cell_latest(cell, NULL) : NULL; }

static void record_step(void *context, cairn_mono now)
{
    mind_program *program = context;
    const cairn_recorder_frames frames = {.scan = latest(program->watched.scan_deliberate),
                                          .thermal = latest(program->watched.thermal_mind),
                                          .imu = latest(program->watched.imu_reflex)};
    cairn_recorder_add_frames(program->recorder, 0, &frames, now);
    if (cairn_mono_since(now, program->motion_at) < MOTION_PERIOD_NS) { return; }
    program->motion_at = now;
    cairn_robot_view view;
    if (cairn_mind_look(program->mind, &view)) { cairn_recorder_add_motion(program->recorder, 0, &view, now); }
    cairn_recorder_news news;
    while (cairn_recorder_next_news(program->recorder, &news)) {
        cairn_log_line(&program->def->log, now, news.level, "%s", news.text);
    }
}

// Reflex has begun another odometry: the supervisor makes another mind, which begins with that.
static void end_step(void *context, cairn_mono now)
{
    mind_program *program = context;
    if (program->over || !cairn_mind_is_over(program->mind)) { return; }
    program->over = true;
    cairn_log_line(&program->def->log, now, CAIRN_LOG_WARN, "reflex has lost its place: mind begins again");
    cairn_executor_ask_stop(program->executor);
}

static void add_task(mind_program *program, uint32_t lane, const char *name, uint32_t processor, int64_t period_ns,
                     cairn_step_fn step)
{
    const cairn_task_def def = {
        .name = name, .lane = lane, .processor = processor, .period_ns = period_ns, .step = step, .state = program};
    cairn_executor_add_task(program->executor, &def);
}

static cairn_err create_executor(mind_program *program)
{
    const cairn_err err = cairn_executor_create_by_time(program->time, &program->executor);
    if (err != CAIRN_OK) { return err; }
    const uint32_t lane = cairn_executor_add_lane(program->executor, program->def->file->name, 0);
    add_task(program, lane, "hear", RADIO_PROCESSOR, RADIO_PERIOD_NS, hear_step);
    cairn_mind_register(program->mind, program->executor, lane);
    add_task(program, lane, "speak", RADIO_PROCESSOR, RADIO_PERIOD_NS, speak_step);
    add_task(program, lane, "end", WATCH_PROCESSOR, CAIRN_MS(100), end_step);
    if (program->recorder != NULL) {
        add_task(program, lane, "record", WATCH_PROCESSOR, RECORD_PERIOD_NS, record_step);
    }
    return CAIRN_OK;
}

static cairn_err create(mind_program *program, cairn_complaints *complaints)
{
    cairn_err err = cairn_arena_create(&program->memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = open_pages(program, complaints); }
    if (err == CAIRN_OK) { err = attach_cells(program); }
    if (err == CAIRN_OK) { err = open_radio(program, complaints); }
    if (err == CAIRN_OK) { err = create_mind(program, complaints); }
    if (err == CAIRN_OK) { open_journal(program); }
    if (err == CAIRN_OK) { err = create_executor(program); }
    if (err == CAIRN_OK) { cairn_arena_seal(&program->memory); }
    return err;
}

// The robot's own map, beside the journal's last file and with its number: what is left if nobody has heard it.
static void write_own_map(const mind_program *program, uint64_t number, cairn_complaints *complaints)
{
    const cairn_robot_file *file = program->def->file;
    const cairn_occupancy_grid *grid = cairn_mind_own_map(program->mind);
    if (cairn_occupancy_grid_get_info(grid).tiles_used == 0) { return; }
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/%s-%06llu.tif", file->journal.folder, file->name, (unsigned long long)number);
    const cairn_err err = cairn_geotiff_write_occupancy(grid, (cairn_pose2){0}, path, complaints);
    const cairn_log *log = &program->def->log;
    if (err == CAIRN_OK) {
        cairn_log_line(log, now_of(program), CAIRN_LOG_INFO, "its own map is in %s", path);
    } else {
        cairn_log_line(log, now_of(program), CAIRN_LOG_WARN, "its own map: %s",
                       complaints->text[0] != '\0' ? complaints->text : cairn_err_name(err));
    }
}

static void finish(mind_program *program)
{
    static cairn_complaints complaints;
    uint64_t hash = 0;
    cairn_executor_destroy(program->executor);
    if (program->recorder != NULL) {
        const uint64_t number = cairn_recorder_look(program->recorder).files.number;
        if (cairn_recorder_finish(program->recorder, &complaints, &hash) != CAIRN_OK) {
            cairn_log_line(&program->def->log, now_of(program), CAIRN_LOG_WARN, "journal: %s", complaints.text);
        }
        complaints = (cairn_complaints){0};
        if (program->mind != NULL) { write_own_map(program, number, &complaints); } // the supervisor waits for 3 s
    }
    cairn_recorder_destroy(program->recorder);
    cairn_mind_finish(program->mind);
    cairn_udp_close(program->udp);
    cairn_robot_pages_close(&program->pages);
    cairn_arena_destroy(&program->memory);
}

cairn_err cairn_mind_program_run(const cairn_mind_program_def *def, cairn_complaints *complaints)
{
    static mind_program program; // large
    program = (mind_program){.def = def};
    cairn_err err = create(&program, complaints);
    if (err == CAIRN_OK) {
        atomic_store(&running, program.executor);
        if (!atomic_load(&stop_asked)) { cairn_executor_run(program.executor, (cairn_mono){INT64_MAX}); }
        atomic_store(&running, NULL);
    }
    finish(&program);
    return err == CAIRN_ERR_EMPTY && atomic_load(&stop_asked) ? CAIRN_OK : err;
}
