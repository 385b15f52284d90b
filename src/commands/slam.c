// cairn slam LOG - maps a recorded drive.
#include "commands/slam/slam.h"
#include "commands/command.h"
#include "commands/progress.h"
#include "commands/slam/drawing.h"
#include "commands/slam/journal_log.h"
#include "maps/files/bytes_io.h"
#include "ports/folder.h"
#include "slam/closure/stories_io.h"
#include "slam/log/carmen_io.h"
#include "slam/mapper/mapper.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn slam"
#define CLEAR_M 30.0 // where beams without a return end, for matching: no map is made of them

static const char usage[] =
    "usage: cairn slam LOG [options]\n"
    "       cairn slam eval TRAJECTORY --relations FILE | --reference FILE [options]\n"
    "\n"
    "Maps a recorded drive: a CARMEN log (FLASER, ROBOTLASER1, ODOM), plain or packed by gzip, bzip2 or xz, or\n"
    "a journal (MCAP) with a robot's scans and odometry. One set of parameters serves all. `cairn slam eval --help`\n"
    "tells how a trajectory is scored.\n"
    "\n"
    "  --method NAME   graph: scans on nodes, loops closed, pose graph              [graph]\n"
    "                  gradient: scans on the map so far; no loops\n"
    "                  mbicp: scans on the last node; no loops\n"
    "  --out DIR       where to write                                               [out/NAME-METHOD]\n"
    "  --robot NAME    of a journal: whose scans                                    [the only one in it]\n"
    "  --cell M        of the map                                                   [0.05]\n"
    "  --json          figures as one JSON object on stdout\n"
    "  --quiet         no progress bar\n"
    "\n"
    "Writes map.png (for people), map.pgm with map.yaml (for ROS), trajectory.tum and timings.json; by graph also\n"
    "closures.csv: the story of every loop closure that was found, and why it was accepted or refused.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn slam intel.clf.xz\n"
    "          cairn slam aces.clf.xz --method mbicp --out out/aces\n"
    "          cairn slam out/maze-1/journal.mcap --robot emu1\n"
    "          cairn slam eval out/intel-graph/trajectory.tum --relations intel.relations\n";

typedef struct job {
    const char *path, *method, *out, *robot;
    double cell_m;
    bool json, quiet;
    cairn_mapper_kind kind;
    char name[128], folder[1024];
    cairn_laser_log log;
    cairn_mapper mapper;
    cairn_pose2 *poses;
    double read_s, map_s, map_cpu_s, draw_s; // map_cpu_s: of the processor, without waiting for others
    cairn_slam_drawn drawn;
} job;

static double seconds_since(cairn_mono start) { return cairn_seconds(cairn_mono_since(cairn_mono_now(), start)); }

// "intel" of "data/intel.clf.xz".
static void name_of(const char *path, char ret_name[128])
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(ret_name, 128, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strchr(ret_name + 1, '.');
    if (dot != NULL) { *dot = '\0'; }
}

static uint32_t beams_max(const cairn_laser_log *log)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < log->scan_count; i++) {
        if (log->scans[i].beam_count > most) { most = log->scans[i].beam_count; }
    }
    return most < CAIRN_SCAN_POINTS_MAX ? most : CAIRN_SCAN_POINTS_MAX;
}

static cairn_err map_log(job *j)
{
    static cairn_scan_points points; // large
    cairn_progress progress;
    const cairn_mono start = cairn_mono_now();
    const int64_t cpu_start = cairn_thread_cpu_ns();
    cairn_progress_init(&progress, start, !j->quiet);
    cairn_err err = CAIRN_OK;
    for (uint32_t i = 0; i < j->log.scan_count && err == CAIRN_OK; i++) {
        cairn_laser_log_points(&j->log, i, CLEAR_M, &points);
        err = cairn_mapper_step(&j->mapper, &points, j->log.scans[i].odom_T_base);
        if (i % 64 == 0) {
            cairn_progress_draw(&progress, cairn_mono_now(), (double)i / j->log.scan_count,
                                "%u of %u scans, %.0f a second", i, j->log.scan_count,
                                i / fmax(seconds_since(start), 1e-3));
        }
    }
    if (err == CAIRN_OK) { err = cairn_mapper_finish(&j->mapper); }
    cairn_progress_finish(&progress);
    j->map_s = seconds_since(start);
    j->map_cpu_s = cairn_seconds(cairn_thread_cpu_ns() - cpu_start);
    for (uint32_t i = 0; i < j->log.scan_count && err == CAIRN_OK; i++) {
        j->poses[i] = cairn_mapper_pose(&j->mapper, i);
    }
    return err;
}

static double driven_m(const job *j)
{
    double sum = 0;
    for (uint32_t i = 1; i < j->log.scan_count; i++) {
        sum += hypot(j->poses[i].x_m - j->poses[i - 1].x_m, j->poses[i].y_m - j->poses[i - 1].y_m);
    }
    return sum;
}

static json_t *figures(const job *j)
{
    const cairn_mapper_info info = cairn_mapper_told(&j->mapper);
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "log", j->path, "method",
                     cairn_mapper_name(j->kind), "scans", (int)j->log.scan_count, "unmatched",
                     (int)info.unmatched_count, "nodes", (int)info.node_count, "closures", (int)info.closure_count,
                     "solves", (int)info.solve_count, "driven_m", driven_m(j), "free_m2", j->drawn.free_m2, "read_s",
                     j->read_s, "map_s", j->map_s, "map_cpu_s", j->map_cpu_s, "draw_s", j->draw_s, "scans_per_s",
                     j->log.scan_count / fmax(j->map_s, 1e-9));
}

static cairn_err tell(const job *j, cairn_complaints *complaints)
{
    json_t *object = figures(j);
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(object);
    if (text == NULL) { return CAIRN_ERR_FULL; }
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/timings.json", j->folder);
    const cairn_bytes parts[] = {{text, strlen(text)}, {"\n", 1}};
    const cairn_err err = cairn_bytes_write(path, parts, 2, complaints);
    if (j->json) {
        puts(text);
    } else {
        const cairn_mapper_info info = cairn_mapper_told(&j->mapper);
        printf("%s by %s: %u scans, %.0f m driven", j->name, cairn_mapper_name(j->kind), j->log.scan_count,
               driven_m(j));
        if (info.node_count > 0) { printf(", %u nodes", info.node_count); }
        if (j->kind == CAIRN_MAPPER_GRAPH) { printf(", %u closures", info.closure_count); }
        printf("\n  read %.2f s, mapped %.2f s (%.0f scans a second; %.2f s of the processor), drawn %.2f s\n  %s: "
               "map.png, map.pgm, map.yaml, "
               "trajectory.tum, timings.json%s\n",
               j->read_s, j->map_s, j->log.scan_count / fmax(j->map_s, 1e-9), j->map_cpu_s, j->draw_s, j->folder,
               j->kind == CAIRN_MAPPER_GRAPH ? ", closures.csv" : "");
    }
    free(text);
    return err;
}

// Stories' times are metres driven: slam/mapper/graph_mapper.h.
static cairn_err tell_closures(const job *j, cairn_complaints *complaints)
{
    if (j->kind != CAIRN_MAPPER_GRAPH) { return CAIRN_OK; }
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/closures.csv", j->folder);
    return cairn_stories_write(path, cairn_graph_mapper_candidates(j->mapper.graph),
                               cairn_graph_mapper_graph(j->mapper.graph), "m", complaints);
}

static cairn_err draw(job *j, cairn_complaints *complaints)
{
    const cairn_mono start = cairn_mono_now();
    const cairn_mapper_info info = cairn_mapper_told(&j->mapper);
    char title[160], words[160];
    (void)snprintf(title, sizeof title, "%s", j->name);
    (void)snprintf(words, sizeof words, "by %s: %u scans, %.0f m driven, %u closures   cells of %g m",
                   cairn_mapper_name(j->kind), j->log.scan_count, driven_m(j), info.closure_count, j->cell_m);
    const cairn_slam_drawing drawing = {
        .log = &j->log, .poses = j->poses, .folder = j->folder, .title = title, .words = words, .cell_m = j->cell_m};
    const cairn_err err = cairn_slam_draw(&drawing, complaints, &j->drawn);
    j->draw_s = seconds_since(start);
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(complaints, j->path, 0, "the map would have more than %zu cells; try a larger --cell",
                       CAIRN_MAP_CELLS_MAX);
    }
    return err;
}

static cairn_err run(job *j, cairn_complaints *complaints)
{
    const cairn_mono start = cairn_mono_now();
    cairn_err err = cairn_journal_log_is(j->path) ? cairn_journal_log_open(j->path, j->robot, complaints, &j->log)
                                                  : cairn_carmen_open(j->path, complaints, &j->log);
    j->read_s = seconds_since(start);
    if (err == CAIRN_OK) { err = cairn_folder_make(j->folder, 0777, "choose another folder with --out", complaints); }
    if (err == CAIRN_OK) { err = cairn_mapper_create(j->kind, j->log.scan_count, beams_max(&j->log), &j->mapper); }
    if (err == CAIRN_OK) {
        j->poses = calloc(j->log.scan_count, sizeof *j->poses);
        err = j->poses != NULL ? map_log(j) : CAIRN_ERR_FULL;
    }
    if (err == CAIRN_OK) { err = draw(j, complaints); }
    if (err == CAIRN_OK) { err = tell_closures(j, complaints); }
    if (err == CAIRN_OK) { err = tell(j, complaints); }
    free(j->poses);
    cairn_mapper_destroy(&j->mapper);
    cairn_laser_log_close(&j->log);
    return err;
}

int cairn_slam_run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "eval") == 0) { return cairn_slam_eval_run(argc - 1, argv + 1); }
    static job j = {.method = "graph", .cell_m = 0.05};
    const cairn_option known[] = {
        {"method", CAIRN_OPTION_TEXT, &j.method, 0, 0}, {"out", CAIRN_OPTION_TEXT, &j.out, 0, 0},
        {"o", CAIRN_OPTION_TEXT, &j.out, 0, 0},         {"cell", CAIRN_OPTION_REAL, &j.cell_m, 0.01, 1},
        {"json", CAIRN_OPTION_FLAG, &j.json, 0, 0},     {"quiet", CAIRN_OPTION_FLAG, &j.quiet, 0, 0},
        {"robot", CAIRN_OPTION_TEXT, &j.robot, 0, 0},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &j.path, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0) {
        return cairn_usage_error(COMMAND, "LOG is missing; expected a CARMEN log or a journal, or eval");
    }
    if (cairn_mapper_find(j.method, &j.kind) != CAIRN_OK) {
        return cairn_usage_error(COMMAND, "there is no method '%s'; expected graph, gradient or mbicp", j.method);
    }
    name_of(j.path, j.name);
    if (j.out != NULL) {
        (void)snprintf(j.folder, sizeof j.folder, "%s", j.out);
    } else {
        (void)snprintf(j.folder, sizeof j.folder, "out/%s-%s", j.name, j.method);
    }
    cairn_complaints complaints = {0};
    const cairn_err err = run(&j, &complaints);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
