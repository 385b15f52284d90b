// Teams of one robot at full speed, in lockstep: an operator's stop is an input of the station, and from then on the
// truth of the wheels is watched until all stand. The radio's delay and loss are those of the medium.
#include "commands/bench/stop_delay.h"
#include "base/random.h"
#include "body/description_io.h"
#include "sim/arena/arena.h"
#include "sim/mission/team.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STOPS_MAX 200
#define STOPS_PER_S 5 // of --seconds: few, for those who are in a hurry
#define STOPS_OF_TEAM 10
#define STEP_NS CAIRN_PHYSICS_STEP_NS
#define PLACE_BYTES ((size_t)8 << 20)
#define FAST_PART 0.9   // of its greatest speed: it drives at full speed
#define STANDS_MPS 0.02 // at the rim: it stands
#define GIVE_UP_NS CAIRN_S(60)
#define ASK_NS CAIRN_S(2) // goes and releases are said again so often

// Long enough to get to full speed between any two stops.
static const char hall[] =
    "name: hall\nabout: to stop in\nsize_m: [40, 12]\nstarts: [{at_m: [8, 6], heading_deg: 0}]\n";
static const cairn_vec2 ends_m[] = {{34, 6}, {6, 6}};

typedef struct stop_run {
    const cairn_body_description *body;
    double delay_s, loss;
    cairn_err err;
    cairn_complaints complaints;
    uint32_t stop_count;
    int64_t late_ns[STOPS_MAX];
    // while it runs
    cairn_team *team;
    cairn_mono now;
    cairn_random random;
} stop_run;

static double rim_mps(const stop_run *run)
{
    cairn_robot_truth truth;
    cairn_team_truth(run->team, 0, &truth);
    double most_radps = 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { most_radps = fmax(most_radps, fabs(truth.wheel_radps[i])); }
    return most_radps * run->body->wheels.radius_m;
}

static void say(const stop_run *run, cairn_operator_action action)
{
    action.robot = 1;
    const cairn_err err = cairn_inbox_put(cairn_team_operators(run->team), &action, sizeof action);
    CAIRN_ASSERT(err == CAIRN_OK);
}

static void step(stop_run *run)
{
    run->now = cairn_mono_add(run->now, STEP_NS);
    cairn_team_run(run->team, run->now);
}

// Sends it to and fro until it goes at full speed, and then for a random time on. False: it does not get going.
static bool get_going(stop_run *run)
{
    const int64_t begun_ns = run->now.ns, more_ns = (int64_t)cairn_random_below(&run->random, 500) * STEP_NS;
    int64_t fast_ns = 0;
    for (int64_t asked_ns = -ASK_NS; run->now.ns - begun_ns < GIVE_UP_NS; step(run)) {
        if (run->now.ns - asked_ns >= ASK_NS) {
            cairn_robot_truth truth;
            cairn_team_truth(run->team, 0, &truth);
            const double x_m = truth.map_T_base.at_m.x;
            const bool back = x_m > 25 || (x_m > 15 && fabs(cairn_quat_to_rpy(truth.map_T_base.turn).yaw_rad) > 1.5);
            say(run, (cairn_operator_action){.verb = CAIRN_DO_RELEASE});
            say(run, (cairn_operator_action){.verb = CAIRN_DO_GO, .to_m = ends_m[back]});
            asked_ns = run->now.ns;
        }
        const bool fast = rim_mps(run) > FAST_PART * run->body->limits.speed_mps_max;
        fast_ns = fast ? fast_ns + STEP_NS : 0;
        if (fast_ns > more_ns) { return true; }
    }
    return false;
}

static bool stop_once(stop_run *run, int64_t *ret_late_ns)
{
    if (!get_going(run)) { return false; }
    const cairn_mono said = run->now;
    say(run, (cairn_operator_action){.verb = CAIRN_DO_STOP});
    while (rim_mps(run) > STANDS_MPS && run->now.ns - said.ns < GIVE_UP_NS) { step(run); }
    *ret_late_ns = run->now.ns - said.ns;
    for (int i = 0; i < 250; i++) { step(run); }
    return true;
}

// So many stops of one team, from this one on: no battery lasts for all.
static cairn_err run_some(stop_run *run, const cairn_sim_arena *arena, uint32_t first)
{
    run->now = (cairn_mono){0};
    cairn_team_def def = {.mission = "stops",
                          .arena = arena,
                          .physics = "planar",
                          .seed = first + 1,
                          .session_seed = first + 1,
                          .radio = cairn_medium_radio_default(),
                          .robot_count = 1,
                          .robots = {{.name = "emu1", .description = run->body, .mode = CAIRN_MODE_IDLE}}};
    def.radio.delay_s = run->delay_s;
    def.radio.loss = run->loss;
    cairn_team_key_from_seed(first + 1, "emu1", def.robots[0].key);
    cairn_err err = cairn_team_create(&def, &run->complaints, &run->team);
    for (uint32_t i = first; i < first + STOPS_OF_TEAM && i < run->stop_count && err == CAIRN_OK; i++) {
        if (stop_once(run, &run->late_ns[i])) { continue; }
        cairn_complain(&run->complaints, NULL, 0, "the robot of the stops does not get going");
        err = CAIRN_ERR_UNSUPPORTED;
    }
    cairn_team_destroy(run->team);
    run->team = NULL;
    return err;
}

static void run_one(void *context, uint32_t job)
{
    stop_run *run = &((stop_run *)context)[job];
    cairn_arena memory;
    run->err = cairn_arena_create(&memory, PLACE_BYTES);
    if (run->err != CAIRN_OK) { return; }
    cairn_sim_arena arena;
    run->err = cairn_sim_arena_parse(hall, sizeof hall - 1, "hall", &memory, &run->complaints, &arena);
    cairn_random_init(&run->random, 1, "stops");
    for (uint32_t first = 0; first < run->stop_count && run->err == CAIRN_OK; first += STOPS_OF_TEAM) {
        run->err = run_some(run, &arena, first);
    }
    cairn_arena_destroy(&memory);
}

static int compare_ns(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void say_run(cairn_bench_report *report, stop_run *run)
{
    static const struct {
        const char *name;
        double part;
    } rows[] = {{"stop to standing, p50", 0.5},
                {"stop to standing, p90", 0.9},
                {"stop to standing, p99", 0.99},
                {"stop to standing, max", 1}};
    char subject[64];
    snprintf(subject, sizeof subject, "radio %g ms late, %g %% lost", run->delay_s * 1000, run->loss * 100);
    qsort(run->late_ns, run->stop_count, sizeof run->late_ns[0], compare_ns);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double ms = cairn_seconds(run->late_ns[(int)ceil(rows[i].part * run->stop_count) - 1]) * 1000;
        cairn_bench_say(report, &(cairn_bench_figure){"reflex", subject, rows[i].name, "ms", ms, NULL, 0});
    }
}

cairn_err cairn_bench_stop_delays(cairn_bench_report *report, cairn_complaints *complaints)
{
    static stop_run runs[4]; // large
    const uint32_t asked = report->seconds * STOPS_PER_S;
    const uint32_t stop_count = asked > 0 && asked < STOPS_MAX ? asked : STOPS_MAX;
    static cairn_body_description body;
    cairn_workers *workers = NULL;
    cairn_err err = cairn_body_description_read("robots/emu.yaml", complaints, &body);
    if (err == CAIRN_OK) { err = cairn_workers_create(0, &workers); }
    if (err != CAIRN_OK) { return err; }
    for (int i = 0; i < 4; i++) {
        runs[i] = (stop_run){
            .body = &body, .stop_count = stop_count, .delay_s = i / 2 == 0 ? 0 : 0.3, .loss = i % 2 == 0 ? 0 : 0.2};
    }
    cairn_workers_run(workers, run_one, runs, 4);
    cairn_workers_destroy(workers);
    for (int i = 0; i < 4; i++) {
        if (runs[i].err != CAIRN_OK) {
            *complaints = runs[i].complaints;
            return runs[i].err;
        }
        say_run(report, &runs[i]);
    }
    return CAIRN_OK;
}
