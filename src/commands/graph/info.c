// cairn graph info - what is in a pose graph's file.
#include "commands/command.h"
#include "commands/graph/graph.h"
#include "slam/solve/structure.h"
#include <jansson.h>
#include <stdio.h>

#define COMMAND "cairn graph info"
enum { FILES_MAX = 256 };

static const char usage[] =
    "usage: cairn graph info IN... [options]\n"
    "\n"
    "Tells what is in pose graphs: nodes, odometry, closures, factors on one node, parts that nothing links, and how "
    "badly\n"
    "the poses fit the measurements as they are (chi2: the sum of squared errors by their information).\n"
    "\n"
    "  --plot FILE  draw it from above (PNG); with one IN\n"
    "  --json       one object for each file, for machines\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 wrong usage.\n"
    "\n"
    "Example: cairn graph info intel.g2o.xz manhattan.graph\n";

typedef struct summary {
    uint32_t kinds[CAIRN_FACTOR_KIND_COUNT], robots, parts, fixed;
    double chi2, length_m;
} summary;

static double apart_m(const cairn_graph_pose *a, const cairn_graph_pose *b, uint32_t degrees)
{
    return hypot(hypot(a->v[0] - b->v[0], a->v[1] - b->v[1]), degrees == 3 ? 0 : a->v[2] - b->v[2]);
}

static cairn_err summarise(const cairn_graph *graph, cairn_arena *arena, summary *ret_summary)
{
    summary s = {.chi2 = cairn_graph_chi2(graph)};
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        s.kinds[factor->kind]++;
        if (factor->kind == CAIRN_FACTOR_ODOMETRY) {
            s.length_m += apart_m(&graph->nodes[factor->from].pose, &graph->nodes[factor->to].pose, graph->def.degrees);
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) { // sorted by name, so robots stand together
        s.robots += i == 0 || graph->nodes[i].robot != graph->nodes[i - 1].robot;
        s.fixed += graph->nodes[i].is_fixed;
    }
    cairn_structure structure;
    const cairn_err err = cairn_structure_make(graph, arena, &structure);
    if (err != CAIRN_OK) { return err; }
    s.parts = structure.part_count;
    *ret_summary = s;
    return CAIRN_OK;
}

static void tell(const char *path, const cairn_graph *graph, const cairn_g2o_info *file, const summary *s)
{
    printf("%s: %s\n", path, graph->def.degrees == 3 ? "in the plane" : "in space");
    printf("  nodes      %u of %u robot%s, %u fixed, %u without a pose of their own\n", graph->node_count, s->robots,
           s->robots == 1 ? "" : "s", s->fixed, file->nodes_chained);
    printf("  factors    %u odometry, %u closures, %u on one node\n", s->kinds[CAIRN_FACTOR_ODOMETRY],
           s->kinds[CAIRN_FACTOR_CLOSURE], s->kinds[CAIRN_FACTOR_GLOBAL]);
    if (file->unread.count > 0) {
        printf("  not known  %u lines of nodes and factors, the first with %s at line %u\n", file->unread.count,
               file->unread.word, file->unread.first);
    }
    printf("  parts      %u\n", s->parts);
    printf("  path       %.1f m\n", s->length_m);
    printf("  chi2       %.6g\n", s->chi2);
}

static void tell_json(const char *path, const cairn_graph *graph, const cairn_g2o_info *file, const summary *s)
{
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f}", "file", path, "degrees",
        (int)graph->def.degrees, "nodes", (int)graph->node_count, "edges", (int)graph->factor_count, "odometry",
        (int)s->kinds[CAIRN_FACTOR_ODOMETRY], "closures", (int)s->kinds[CAIRN_FACTOR_CLOSURE], "global",
        (int)s->kinds[CAIRN_FACTOR_GLOBAL], "robots", (int)s->robots, "parts", (int)s->parts, "nodes_chained",
        (int)file->nodes_chained, "lines_other", (int)file->other.count, "lines_unread", (int)file->unread.count,
        "factors_decoupled", (int)file->factors_decoupled, "path_m", s->length_m, "chi2", s->chi2);
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

int cairn_graph_info_run(int argc, char **argv)
{
    bool json = false;
    const char *plot = NULL;
    const cairn_option known[] = {{"json", CAIRN_OPTION_FLAG, &json, 0, 0}, {"plot", CAIRN_OPTION_TEXT, &plot, 0, 0}};
    const char *paths[FILES_MAX];
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], paths, FILES_MAX, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "expected the file of a pose graph"); }
    if (plot && count > 1) { return cairn_usage_error(COMMAND, "--plot goes with one file"); }
    cairn_arena arena;
    static cairn_complaints complaints; // large
    if (cairn_arena_create(&arena, CAIRN_GRAPH_MEMORY_BYTES) != CAIRN_OK) {
        return cairn_command_failed(COMMAND, CAIRN_ERR_FULL, &complaints);
    }
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < count && err == CAIRN_OK; i++) {
        cairn_graph *graph;
        cairn_g2o_info file;
        summary s;
        cairn_arena_reset(&arena, 0);
        err = cairn_g2o_open(paths[i], &arena, &complaints, &graph, &file);
        if (err == CAIRN_OK) { err = summarise(graph, &arena, &s); }
        if (err != CAIRN_OK) { break; }
        cairn_graph_warn(COMMAND, paths[i], &file);
        (json ? tell_json : tell)(paths[i], graph, &file, &s);
        if (plot) { err = cairn_graph_plot(graph, NULL, paths[i], plot, &complaints); }
    }
    cairn_arena_destroy(&arena);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
