// cairn bench - runs the benches and prints their figures.
#include "commands/bench/bench.h"
#include "commands/command.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cairn_bench *const benches[] = {&cairn_bench_maps, &cairn_bench_rays, &cairn_bench_reflex,
                                             &cairn_bench_sim,  &cairn_bench_slam, &cairn_bench_terrain};

static const char usage[] =
    "usage: cairn bench [NAME] [options]\n"
    "\n"
    "Measures on this machine, beside the peers that are installed, in the same run. Without NAME: everything.\n"
    "\n"
    "  --json        one JSON object per figure: bench, case, metric, unit, ours, peer_name, peer, ratio;\n"
    "                or bench, case, why where something is not permitted or not installed\n"
    "  --seconds N   that reflex takes for each case                           [10]\n"
    "  --plot FILE   sim also measures how it grows with robots and with the place, and draws it (PNG)\n"
    "  --data DIR    maps and slam also measure on recorded data: DIR/clouds/isprs-*.pcd,\n"
    "                DIR/laser/*-corrected.log.gz, DIR/graphs\n"
    "  --list        names of the benches\n"
    "\n"
    "Run it from the folder that holds arenas/ and robots/; it takes about four minutes.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn bench sim\n"
    "          cairn bench sim --plot growth.png\n"
    "          cairn bench --json > figures.jsonl\n";

static json_t *real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static void say_json(const cairn_bench_figure *figure)
{
    const bool has_peer = figure->peer_name != NULL;
    json_t *object = json_object();
    json_object_set_new(object, "bench", json_string(figure->bench));
    json_object_set_new(object, "case", json_string(figure->subject));
    json_object_set_new(object, "metric", json_string(figure->metric));
    json_object_set_new(object, "unit", json_string(figure->unit));
    json_object_set_new(object, "ours", real_or_null(figure->ours));
    json_object_set_new(object, "peer_name", has_peer ? json_string(figure->peer_name) : json_null());
    json_object_set_new(object, "peer", has_peer ? real_or_null(figure->peer) : json_null());
    json_object_set_new(object, "ratio", has_peer ? real_or_null(figure->ours / figure->peer) : json_null());
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (text != NULL) { puts(text); }
    free(text);
    json_decref(object);
}

static void say_not_json(const char *bench, const char *subject, const char *why)
{
    json_t *object = json_object();
    json_object_set_new(object, "bench", json_string(bench));
    json_object_set_new(object, "case", json_string(subject));
    json_object_set_new(object, "why", json_string(why));
    char *text = json_dumps(object, JSON_COMPACT);
    if (text != NULL) { puts(text); }
    free(text);
    json_decref(object);
}

static void say_heading(const cairn_bench_report *report)
{
    if (report->figure_count > 0) { return; }
    printf("%-8s %-44s %-26s %12s %-12s %s\n", "bench", "case", "metric", "ours", "unit", "peer");
}

FILE *cairn_bench_peer(const char *program, const char *arguments)
{
    char self[512] = {0}, command[1400];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || strrchr(self, '/') == NULL) { return NULL; }
    *strrchr(self, '/') = '\0';
    const int length = snprintf(command, sizeof command, "'%s/bench/%s' %s 2>/dev/null", self, program, arguments);
    if (length < 0 || (size_t)length >= sizeof command) { return NULL; }
    return popen(command, "r"); // NOLINT(cert-env33-c): a peer's program
}

double cairn_bench_jbig_bytes(uint32_t width, uint32_t height, const uint8_t *planes, uint32_t count)
{
    char path[] = "/tmp/cairn-bench-XXXXXX", arguments[64], line[32];
    const size_t plane_bytes = (size_t)(width + 7) / 8 * height;
    const uint32_t size[2] = {width, height};
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "wb");
    if (out == NULL) { return 0; }
    for (uint32_t i = 0; i < count; i++) {
        fwrite(size, sizeof size, 1, out);
        fwrite(planes + i * plane_bytes, plane_bytes, 1, out);
    }
    fclose(out);
    snprintf(arguments, sizeof arguments, "< %s", path);
    FILE *pipe = cairn_bench_peer("bench_jbig", arguments);
    double sum = 0;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) { sum += strtod(line, NULL); }
    if (pipe != NULL) { pclose(pipe); }
    unlink(path);
    return sum;
}

void cairn_bench_say_not(cairn_bench_report *report, const char *bench, const char *subject, const char *why)
{
    if (report->json) {
        say_not_json(bench, subject, why);
    } else {
        say_heading(report);
        printf("%-8s %-44s %s\n", bench, subject, why);
    }
    report->figure_count++;
    fflush(stdout);
}

void cairn_bench_say(cairn_bench_report *report, const cairn_bench_figure *figure)
{
    if (report->json) {
        say_json(figure);
    } else {
        say_heading(report);
        printf("%-8s %-44s %-26s %12.4g %-12s", figure->bench, figure->subject, figure->metric, figure->ours,
               figure->unit);
        if (figure->peer_name != NULL) {
            printf(" %s %.4g (ratio %.2f)", figure->peer_name, figure->peer, figure->ours / figure->peer);
        }
        putchar('\n');
    }
    report->figure_count++;
    fflush(stdout);
}

int cairn_bench_run(int argc, char **argv)
{
    bool list = false;
    cairn_bench_report report = {0};
    uint64_t seconds = 0;
    const cairn_option known[] = {{"json", CAIRN_OPTION_FLAG, &report.json, 0, 0},
                                  {"seconds", CAIRN_OPTION_COUNT, &seconds, 1, 3600},
                                  {"plot", CAIRN_OPTION_TEXT, &report.plot, 0, 0},
                                  {"data", CAIRN_OPTION_TEXT, &report.data, 0, 0},
                                  {"list", CAIRN_OPTION_FLAG, &list, 0, 0}};
    const char *words[1];
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read("cairn bench", usage, argc, argv, known, sizeof known / sizeof known[0], words, 1,
                            &word_count, &status)) {
        return status;
    }
    report.seconds = (uint32_t)seconds;
    bool found = word_count == 0;
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++) {
        if (list) { printf("%-8s %s\n", benches[i]->name, benches[i]->summary); }
        if (list || (word_count == 1 && strcmp(words[0], benches[i]->name) != 0)) { continue; }
        found = true;
        static cairn_complaints complaints; // large
        const cairn_err err = benches[i]->run(&report, &complaints);
        if (err != CAIRN_OK) { return cairn_command_failed("cairn bench", err, &complaints); }
    }
    return found || list ? CAIRN_EXIT_DONE
                         : cairn_usage_error("cairn bench", "there is no bench '%s'; --list names them", words[0]);
}
