// write_station.c - writes the journal of a station that nobody answers, in files of 20 s, for test_verify.py.
//
// usage: write_station FOLDER plain|lie|gap|killed|again
//   lie      one of the recorded hashes is wrong
//   gap      a few seconds of inputs are missing, as after a disk that was too slow
//   killed   the last file is not finished
//   again    it ends after 50 s, and another one goes on from a store that could keep nothing after 45 s
#include "../sim/emu.h"
#include "base/executor.h"
#include "base/random.h"
#include "record/witness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATION_S 90
#define KEPT_S 45
#define ENDED_S 50

typedef struct play {
    const char *mode;
    cairn_arena memory;
    cairn_station *station;
    cairn_recorder *recorder;
    cairn_witness *witness;
    cairn_random random;
    cairn_mono now; // of the station's clock
    uint8_t *kept;  // on the heap; the state after KEPT_S
    size_t kept_bytes;
} play;

static void check(cairn_err err, const char *what)
{
    if (err == CAIRN_OK) { return; }
    (void)fprintf(stderr, "%s: %s\n", what, cairn_err_name(err));
    exit(1);
}

static void record(void *context, const cairn_station_record *found)
{
    play *all = context;
    const int64_t at_ns = cairn_station_time(all->station).ns;
    const bool missing = strcmp(all->mode, "gap") == 0 && at_ns > CAIRN_S(47) && at_ns < CAIRN_S(49);
    if (!missing) { cairn_witness_record(all->witness, found); }
}

static void ask_step(void *context, cairn_mono now)
{
    play *all = context;
    const cairn_operator_action action = {.verb = (cairn_operator_verb)cairn_random_below(&all->random, CAIRN_DO_COUNT),
                                          .robot = (uint8_t)(1 + cairn_random_below(&all->random, 2)),
                                          .mode = (uint8_t)cairn_random_below(&all->random, CAIRN_MODE_COUNT),
                                          .shown = now};
    (void)!cairn_inbox_put(cairn_station_operators(all->station), &action, sizeof action);
}

static void witness_step(void *context, cairn_mono now)
{
    play *all = context;
    cairn_witness_step(all->witness, now);
    if (strcmp(all->mode, "again") == 0 && all->kept == NULL && now.ns >= CAIRN_S(KEPT_S)) {
        const size_t max = cairn_station_save_bytes(all->station);
        all->kept = malloc(max);
        check(all->kept != NULL ? CAIRN_OK : CAIRN_ERR_FULL, "memory");
        check(cairn_station_save(all->station, all->kept, max, &all->kept_bytes), "save");
    }
    if (strcmp(all->mode, "lie") == 0 && now.ns == CAIRN_S(55)) {
        cairn_recorder_add_state(all->recorder, cairn_station_step(all->station), (cairn_station_hash){1, 2}, now);
    }
}

static cairn_station_def station_def(play *all, const cairn_body_description *body)
{
    cairn_station_def def = cairn_station_def_default();
    def.robot_count = 2;
    def.raster.width = def.raster.height = 200; // small enough for seeds of the fuzzer, too
    for (uint8_t i = 0; i < 2; i++) {
        def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                  .name = i == 0 ? "emu1" : "emu2",
                                                  .map_T_start = {.x_m = i},
                                                  .description = body,
                                                  .mode = CAIRN_MODE_AUTONOMOUS};
    }
    def.record = record;
    def.record_context = all;
    return def;
}

static cairn_mono clock_now(void *context) { return ((play *)context)->now; }

static void clock_sleep(void *context, cairn_mono until)
{
    play *all = context;
    if (until.ns > all->now.ns) { all->now = until; }
}

static void run(play *all, const char *folder, const cairn_station_def *def, int64_t until_s)
{
    static cairn_complaints complaints;
    cairn_recorder_def files = cairn_recorder_def_default();
    files.files.folder = folder;
    files.files.prefix = "station";
    files.files.rotate_ns = CAIRN_S(20);
    files.files.owner_turns = true;
    files.synchronous = true;
    check(cairn_recorder_create(&files, &complaints, &all->recorder), complaints.text);
    check(cairn_witness_create(def, all->station, all->recorder, all->now, &all->witness), "witness");
    cairn_executor *executor = NULL;
    const cairn_time time = {.now = clock_now, .sleep_until = clock_sleep, .context = all};
    check(cairn_executor_create_by_time(time, &executor), "executor");
    const uint32_t lane = cairn_executor_add_lane(executor, "station", 0);
    cairn_station_register(all->station, executor, lane);
    const cairn_task_def ask = {
        .name = "ask", .lane = lane, .period_ns = CAIRN_MS(700), .step = ask_step, .state = all};
    const cairn_task_def witness = {
        .name = "witness", .lane = lane, .period_ns = CAIRN_S(1), .step = witness_step, .state = all};
    (void)cairn_executor_add_task(executor, &ask);
    (void)cairn_executor_add_task(executor, &witness);
    cairn_executor_run(executor, (cairn_mono){CAIRN_S(until_s)});
    cairn_executor_destroy(executor);
}

static void end(play *all, bool killed)
{
    static cairn_complaints complaints;
    uint64_t hash = 0;
    if (!killed) {
        cairn_witness_conclude(all->witness, all->now);
        check(cairn_recorder_finish(all->recorder, &complaints, &hash), complaints.text);
    }
    cairn_witness_destroy(all->witness);
    cairn_recorder_destroy(all->recorder);
    cairn_station_finish(all->station);
    cairn_arena_destroy(&all->memory);
}

static void make(play *all, const cairn_station_def *def)
{
    check(cairn_arena_create(&all->memory, cairn_station_memory_bytes(def)), "memory");
    check(cairn_station_create(def, &all->memory, &all->station), "station");
}

int main(int argc, char **argv)
{
    if (argc != 3) { return 2; }
    static play all;
    const cairn_body_description body = emu();
    all.mode = argv[2];
    cairn_random_init(&all.random, 1, "tests/record/station");
    cairn_station_def def = station_def(&all, &body);
    make(&all, &def);
    const bool again = strcmp(all.mode, "again") == 0;
    run(&all, argv[1], &def, again ? ENDED_S : STATION_S);
    end(&all, strcmp(all.mode, "killed") == 0);
    if (again) {
        make(&all, &def);
        check(cairn_station_load(all.station, all.kept, all.kept_bytes), "load");
        free(all.kept);
        run(&all, argv[1], &def, STATION_S);
        end(&all, false);
    }
    return 0;
}
