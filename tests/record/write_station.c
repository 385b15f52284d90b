// write_station.c - writes the journal of a station that nobody answers, in files of 20 s, for test_verify.py.
//
// usage: write_station FOLDER plain|lie|gap|killed
//   lie      one of the recorded hashes is wrong
//   gap      a few seconds of inputs are missing, as after a disk that was too slow
//   killed   the last file is not finished
#include "../sim/emu.h"
#include "base/executor.h"
#include "base/random.h"
#include "record/witness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATION_S 90

typedef struct play {
    const char *mode;
    cairn_arena memory;
    cairn_station *station;
    cairn_recorder *recorder;
    cairn_witness *witness;
    cairn_random random;
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

static void run(play *all, const char *folder, const cairn_station_def *def)
{
    static cairn_complaints complaints;
    cairn_recorder_def files = cairn_recorder_def_default();
    files.files.folder = folder;
    files.files.prefix = "station";
    files.files.rotate_ns = CAIRN_S(20);
    files.files.owner_turns = true;
    files.synchronous = true;
    check(cairn_recorder_create(&files, &complaints, &all->recorder), complaints.text);
    check(cairn_witness_create(def, all->station, all->recorder, (cairn_mono){0}, &all->witness), "witness");
    cairn_executor *executor = NULL;
    check(cairn_executor_create_lockstep(CAIRN_MS(4), NULL, &executor), "executor");
    const uint32_t lane = cairn_executor_add_lane(executor, "station", 0);
    cairn_station_register(all->station, executor, lane);
    const cairn_task_def ask = {
        .name = "ask", .lane = lane, .period_ns = CAIRN_MS(700), .step = ask_step, .state = all};
    const cairn_task_def witness = {
        .name = "witness", .lane = lane, .period_ns = CAIRN_S(1), .step = witness_step, .state = all};
    (void)cairn_executor_add_task(executor, &ask);
    (void)cairn_executor_add_task(executor, &witness);
    cairn_executor_run(executor, (cairn_mono){CAIRN_S(STATION_S)});
    cairn_executor_destroy(executor);
}

static void end(play *all, bool killed)
{
    static cairn_complaints complaints;
    uint64_t hash = 0;
    if (!killed) {
        cairn_witness_conclude(all->witness, (cairn_mono){CAIRN_S(STATION_S)});
        check(cairn_recorder_finish(all->recorder, &complaints, &hash), complaints.text);
    }
    cairn_witness_destroy(all->witness);
    cairn_recorder_destroy(all->recorder);
    cairn_station_finish(all->station);
    cairn_arena_destroy(&all->memory);
}

int main(int argc, char **argv)
{
    if (argc != 3) { return 2; }
    static play all;
    const cairn_body_description body = emu();
    all.mode = argv[2];
    cairn_random_init(&all.random, 1, "tests/record/station");
    cairn_station_def def = station_def(&all, &body);
    check(cairn_arena_create(&all.memory, cairn_station_memory_bytes(&def)), "memory");
    check(cairn_station_create(&def, &all.memory, &all.station), "station");
    run(&all, argv[1], &def);
    end(&all, strcmp(all.mode, "killed") == 0);
    return 0;
}
