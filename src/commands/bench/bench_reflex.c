// The reflex level on this machine: what a step costs, and how late its thread wakes, at rest and under load.
//
// A robot that drives a curve: encoders, IMU, bumper and mind's command speak before each step, as on a robot. What
// they cost is not counted.
#include "body/body.h"
#include "body/description_io.h"
#include "commands/bench/bench.h"
#include "commands/bench/stop_delay.h"
#include "commands/bench/wake_ups.h"
#include "robot/reflex/reflex.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_BACK_TO_BACK 200000u
#define SECONDS_EACH 10u
#define LOADERS "2"        // as many as the machine that the figures in docs/control.md come from has processors
#define LATE_US_MAX 50000u // of the peer's histogram
#define RING_M 2.5         // the circle that it drives: 0.5 m/s, 0.2 rad/s
#define RING_HALF_M 1.3
#define WHEEL_TICKS_PER_STEP 21.0

typedef struct reflex_bench {
    cairn_body_description description;
    cairn_body body;
    cairn_reflex_cells cells;
    cairn_reflex *reflex;
    cairn_arena arena;
    cairn_scan_frame scan;  // walls all around, near enough to be reckoned with
    cairn_mono virtual_now; // of the steps back to back
    double ticks;
    uint32_t step_count;
    int64_t *cost_ns; // of each step, by the thread's processor time; NULL: not wanted
} reflex_bench;

static cairn_err make(reflex_bench *bench, cairn_complaints *complaints)
{
    cairn_err err = cairn_body_description_read("robots/emu.yaml", complaints, &bench->description);
    if (err == CAIRN_OK) { err = cairn_arena_create(&bench->arena, 1 << 21); }
    if (err == CAIRN_OK) { err = cairn_body_create(&bench->description, &bench->arena, &bench->body); }
    if (err == CAIRN_OK) { err = cairn_reflex_cells_create(&bench->arena, &bench->cells); }
    if (err == CAIRN_OK) { err = cairn_reflex_create(&bench->body, &bench->cells, &bench->arena, &bench->reflex); }
    return err;
}

// Ground all around, and areas with borders within reach, as many as there may be.
static void tell(reflex_bench *bench, cairn_mono now)
{
    const cairn_reflex_state *said = cairn_cell_latest(bench->cells.state_deliberate, NULL);
    if (said == NULL) { return; }
    cairn_sound_ground *ground = cairn_cell_begin(bench->cells.ground);
    *ground = (cairn_sound_ground){.issued = now, .odom_id = said->odom_id};
    ground->low_x = (int32_t)floor(said->odom_T_base.x_m / CAIRN_SEEN_CELL_M) - CAIRN_SEEN_CELLS / 2;
    ground->low_y = (int32_t)floor(said->odom_T_base.y_m / CAIRN_SEEN_CELL_M) - CAIRN_SEEN_CELLS / 2;
    memset(ground->bits, 0xff, sizeof ground->bits);
    cairn_cell_publish(bench->cells.ground);
    cairn_areas *areas = cairn_cell_begin(bench->cells.areas);
    *areas = (cairn_areas){.issued = now, .area_count = CAIRN_AREAS_MAX};
    for (uint32_t i = 0; i < CAIRN_AREAS_MAX; i++) {
        cairn_area *area = &areas->areas[i];
        *area = (cairn_area){.kind = i == 0 ? CAIRN_AREA_KEEP_IN : CAIRN_AREA_KEEP_OUT,
                             .corner_count = CAIRN_AREA_CORNERS_MAX};
        const double around_rad = 2.0 * CAIRN_PI * i / (CAIRN_AREAS_MAX - 1), away_m = i == 0 ? 0.0 : 3.0;
        for (uint32_t k = 0; k < CAIRN_AREA_CORNERS_MAX; k++) {
            const double rad = 2.0 * CAIRN_PI * k / CAIRN_AREA_CORNERS_MAX, radius_m = i == 0 ? 9.0 : 0.5;
            area->x_m[k] = (float)(said->odom_T_base.x_m + away_m * cos(around_rad) + radius_m * cos(rad));
            area->y_m[k] = (float)(said->odom_T_base.y_m + away_m * sin(around_rad) + radius_m * sin(rad));
        }
    }
    cairn_cell_publish(bench->cells.areas);
}

// A corridor that goes round in a ring, and the robot along its middle: it looks the same from everywhere, as passed.
// As many points as surroundings take, none of them in its way.
static float ring_m(double angle_rad)
{
    const double up = sin(angle_rad), to_middle_m = RING_M * up; // of the ring, along the ray
    const double off2_m2 = RING_M * RING_M - to_middle_m * to_middle_m;
    const double inner2_m2 = (RING_M - RING_HALF_M) * (RING_M - RING_HALF_M) - off2_m2;
    const double outer2_m2 = (RING_M + RING_HALF_M) * (RING_M + RING_HALF_M) - off2_m2;
    const bool meets_inner = inner2_m2 > 0.0 && up > 0.0;
    return (float)(meets_inner ? to_middle_m - sqrt(inner2_m2) : to_middle_m + sqrt(outer2_m2));
}

static void look(reflex_bench *bench, cairn_mono now)
{
    const cairn_laser_description *laser = &bench->description.laser;
    cairn_scan_frame *scan = &bench->scan;
    scan->taken = now;
    scan->beam_count = laser->beam_count;
    scan->angle_rad_first = (float)(-0.5 * laser->field_rad);
    scan->angle_rad_step = (float)(laser->field_rad / (laser->beam_count - 1));
    scan->range_m_min = (float)laser->range_m_min;
    scan->range_m_max = (float)laser->range_m_max;
    const float noise_m = now.ns / CAIRN_REFLEX_PERIOD_NS % 2 == 0 ? 0.001f : -0.001f;
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        scan->range_m[i] = ring_m((double)scan->angle_rad_first + i * (double)scan->angle_rad_step) + noise_m;
    }
    cairn_cell_write(bench->body.scan_reflex, scan, sizeof *scan);
}

static void speak(reflex_bench *bench, cairn_mono now)
{
    bench->ticks += WHEEL_TICKS_PER_STEP;
    cairn_encoder_frame encoders = {.taken = now, .wheel_count = CAIRN_WHEELS_MAX};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        encoders.ticks[i] = (int64_t)(bench->ticks * (i % 2 == 0 ? 1.0 : 1.2)); // right wheels go farther: a left curve
    }
    // No two frames of a working IMU are the same.
    const double noise = now.ns / CAIRN_REFLEX_PERIOD_NS % 2 == 0 ? 0.001 : -0.001;
    const cairn_imu_frame imu = {
        .taken = now, .turn_radps = {0, 0, 0.2 + noise}, .accel_mps2 = {0.05 + noise, 0.06, 9.81}};
    const cairn_bump_frame bump = {.taken = now};
    const cairn_motion_command command = {.issued = now, .forward_mps = 0.5, .turn_radps = 0.2};
    cairn_cell_write(bench->body.encoders_reflex, &encoders, sizeof encoders);
    cairn_cell_write(bench->body.imu_reflex, &imu, sizeof imu);
    cairn_cell_write(bench->body.bump_reflex, &bump, sizeof bump);
    cairn_cell_write(bench->cells.command, &command, sizeof command);
    if (now.ns / CAIRN_REFLEX_PERIOD_NS % 12 == 0) { tell(bench, now); } // as often as mind does
    if (now.ns / CAIRN_REFLEX_PERIOD_NS % 3 != 0) { return; }            // the laser is slower
    look(bench, now);
}

static void step_and_measure(void *state, cairn_mono now)
{
    reflex_bench *const bench = state;
    speak(bench, now);
    const int64_t before_ns = cairn_thread_cpu_ns();
    cairn_reflex_step(bench->reflex, now);
    bench->cost_ns[bench->step_count++] = cairn_thread_cpu_ns() - before_ns;
}

static double loop_ns(reflex_bench *bench, bool with_steps)
{
    const int64_t before_ns = cairn_thread_cpu_ns();
    for (uint32_t i = 0; i < STEPS_BACK_TO_BACK; i++) {
        bench->virtual_now = cairn_mono_add(bench->virtual_now, CAIRN_REFLEX_PERIOD_NS);
        speak(bench, bench->virtual_now);
        if (with_steps) { cairn_reflex_step(bench->reflex, bench->virtual_now); }
    }
    return (double)(cairn_thread_cpu_ns() - before_ns) / STEPS_BACK_TO_BACK;
}

// Without the two readings of the clock around each step, which cost as much as a step does.
static void say_pure_cost(cairn_bench_report *report, reflex_bench *bench)
{
    double best_ns = INFINITY;
    for (int i = 0; i < 5; i++) { best_ns = fmin(best_ns, loop_ns(bench, true) - loop_ns(bench, false)); }
    cairn_bench_say(report, &(cairn_bench_figure){"reflex", "back to back", "step", "ns", best_ns, NULL, 0});
    const cairn_reflex_state *said = cairn_cell_latest(bench->cells.state_behaviour, NULL);
    CAIRN_ASSERT(said != NULL && said->guards == 0 && said->told_mps > 0.4); // it drives: nothing was skipped
}

static bool is_installed(const char *program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0; // NOLINT(cert-env33-c): a peer's command line tool
}

// Adds what one line of its output says: "000012 000345" is 345 wake-ups that were 12 us late.
static uint32_t hear_cyclictest(const char *line, int64_t *late_ns, uint32_t heard, uint32_t count)
{
    unsigned late_us = 0, times = 0;
    if (sscanf(line, "%6u %6u", &late_us, &times) != 2) { return heard; } // NOLINT(cert-err34-c): its own format
    for (uint32_t i = 0; i < times && heard < count; i++) { late_ns[heard++] = (int64_t)late_us * 1000; }
    return heard;
}

// What cyclictest, the kernel people's own, says of wake-ups at the same period in the same conditions. Its histogram
// ends at LATE_US_MAX; it tells the latest all the same.
static bool ask_cyclictest(uint32_t count, bool fifo, cairn_spread *ret_late)
{
    char command[256], line[128];
    snprintf(command, sizeof command, "cyclictest -q -t1 -i %lld -l %u -h %u %s 2>/dev/null",
             (long long)(CAIRN_REFLEX_PERIOD_NS / 1000), count, LATE_US_MAX,
             fifo ? "-p 80 --policy=fifo" : "--policy=other");
    int64_t *late_ns = calloc(count, sizeof *late_ns);
    FILE *pipe = late_ns != NULL ? popen(command, "r") : NULL; // NOLINT(cert-env33-c)
    uint32_t heard = 0;
    unsigned latest_us = 0;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        heard = hear_cyclictest(line, late_ns, heard, count);
        (void)sscanf(line, "# Max Latencies: %6u", &latest_us); // NOLINT(cert-err34-c)
    }
    const bool done = pipe != NULL && pclose(pipe) == 0 && heard > 0;
    if (done) {
        *ret_late = cairn_spread_of(late_ns, heard);
        ret_late->us_max = fmax(ret_late->us_max, latest_us);
    }
    free(late_ns);
    return done;
}

static void say_spread(cairn_bench_report *report, const char *subject, const char *what, cairn_spread ours,
                       const char *peer_name, cairn_spread peer)
{
    char metric[3][32];
    snprintf(metric[0], sizeof metric[0], "%s, p50", what);
    snprintf(metric[1], sizeof metric[1], "%s, p99", what);
    snprintf(metric[2], sizeof metric[2], "%s, max", what);
    const double our_us[3] = {ours.us_p50, ours.us_p99, ours.us_max};
    const double peer_us[3] = {peer.us_p50, peer.us_p99, peer.us_max};
    for (int i = 0; i < 3; i++) {
        cairn_bench_say(report,
                        &(cairn_bench_figure){"reflex", subject, metric[i], "us", our_us[i], peer_name, peer_us[i]});
    }
}

static cairn_err run_row(cairn_bench_report *report, reflex_bench *bench, const char *load, bool fifo, bool has_peer)
{
    char subject[64];
    snprintf(subject, sizeof subject, "%s, %s", load, fifo ? "SCHED_FIFO" : "no priority");
    const uint32_t count = (report->seconds > 0 ? report->seconds : SECONDS_EACH) * 125;
    bench->cost_ns = calloc(count, sizeof *bench->cost_ns);
    if (bench->cost_ns == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < count; i++) { bench->cost_ns[i] = -1; } // touched now, not while it is measured
    bench->step_count = 0;
    const cairn_wake_ups_def def = {.period_ns = CAIRN_REFLEX_PERIOD_NS,
                                    .count = count,
                                    .priority = fifo ? CAIRN_REFLEX_PRIORITY : 0,
                                    .step = step_and_measure,
                                    .state = bench};
    cairn_spread late = {0}, peer = {0};
    const cairn_err err = cairn_wake_ups_measure(&def, &late);
    if (err == CAIRN_ERR_UNSUPPORTED) {
        cairn_bench_say_not(report, "reflex", subject, "not permitted: `cairn doctor` says what to do");
    } else if (err == CAIRN_OK) {
        say_spread(report, subject, "step", cairn_spread_of(bench->cost_ns, count), NULL, peer);
        const bool answered = has_peer && ask_cyclictest(count, fifo, &peer);
        say_spread(report, subject, "late", late, answered ? "cyclictest" : NULL, peer);
    }
    free(bench->cost_ns);
    return err == CAIRN_ERR_UNSUPPORTED ? CAIRN_OK : err;
}

// The process that loads the machine; -1 if it does not run a second later.
static pid_t start_load(void)
{
    const pid_t child = fork();
    if (child == 0) {
        execlp("stress-ng", "stress-ng", "--cpu", LOADERS, "--temp-path", "/tmp", "--quiet", (char *)NULL);
        _exit(127);
    }
    cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), CAIRN_S(1)));
    return child > 0 && waitpid(child, NULL, WNOHANG) == 0 ? child : -1;
}

static void end_load(pid_t child)
{
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

static cairn_err run_rows(cairn_bench_report *report, reflex_bench *bench, const char *load, bool has_peer)
{
    const cairn_err err = run_row(report, bench, load, false, has_peer);
    return err == CAIRN_OK ? run_row(report, bench, load, true, has_peer) : err;
}

static cairn_err run_loaded(cairn_bench_report *report, reflex_bench *bench, bool has_peer)
{
    static const char load[] = "stress-ng --cpu " LOADERS;
    if (!is_installed("stress-ng")) {
        cairn_bench_say_not(report, "reflex", load, "stress-ng is not installed: `apt install stress-ng`");
        return CAIRN_OK;
    }
    const pid_t child = start_load();
    if (child < 0) {
        cairn_bench_say_not(report, "reflex", load, "stress-ng does not run: try it by hand");
        return CAIRN_OK;
    }
    const cairn_err err = run_rows(report, bench, load, has_peer);
    end_load(child);
    return err;
}

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    reflex_bench steady = {0}, paced = {0};
    cairn_err err = make(&steady, complaints);
    if (err == CAIRN_OK) { err = make(&paced, complaints); }
    const bool has_peer = is_installed("cyclictest");
    if (err == CAIRN_OK) {
        say_pure_cost(report, &steady);
        err = cairn_bench_stop_delays(report, complaints);
    }
    if (err == CAIRN_OK) { err = run_rows(report, &paced, "idle", has_peer); }
    if (err == CAIRN_OK) { err = run_loaded(report, &paced, has_peer); }
    cairn_arena_destroy(&steady.arena);
    cairn_arena_destroy(&paced.arena);
    return err;
}

const cairn_bench cairn_bench_reflex = {"reflex", "cost of a reflex step, lateness of its wake-ups, delay of a stop",
                                        run};
