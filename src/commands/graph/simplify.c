// cairn graph simplify - fewer factors that say nearly the same.
#include "slam/closure/simplify.h"
#include "commands/command.h"
#include "commands/graph/graph.h"
#include "slam/solve/choose.h"
#include <jansson.h>
#include <stdio.h>

#define COMMAND "cairn graph simplify"

static const char usage[] =
    "usage: cairn graph simplify IN -o OUT [options]\n"
    "\n"
    "Solves a pose graph as `cairn graph optimize` does, merges factors between the same two nodes, and drops\n"
    "closures that tell little which the others do not: the least uncertain chain that is left between their\n"
    "nodes has at most A times their covariance (trace). What is left fits exactly where the nodes are, so that "
    "solving OUT gives the same poses.\n"
    "\n"
    "  -o OUT      where to write it; TORO's format if the name ends in .graph, else g2o's\n"
    "  --alpha A   greater: fewer factors are left, and nodes are known less well      [2]\n"
    "  --ignore-unknown  do without nodes and factors that are not known here (landmarks and the like); without it a\n"
    "              file with such is refused\n"
    "  --json      one object, for machines\n"
    "\n"
    "Only simplify a graph that is known to be good: what is wrong in it is baked in and cannot be taken out later.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Example: cairn graph simplify intel.g2o -o small.g2o --alpha 4\n";

typedef struct settings {
    const char *in, *out;
    cairn_simplify_def simplify;
    bool json, ignore_unknown;
} settings;

static cairn_err solve(const settings *is, cairn_graph *graph, cairn_arena *scratch, cairn_complaints *complaints,
                       cairn_batch_info *ret_info)
{
    const cairn_choose_def def = cairn_choose_def_default();
    cairn_choose_info info;
    const cairn_err err = cairn_choose_solve(&def, graph, scratch, &info);
    if (err == CAIRN_OK) { *ret_info = info.batch; }
    if (err == CAIRN_ERR_INVALID) {
        cairn_complain(complaints, is->in, 0,
                       "its factors do not determine the nodes: some have too little information about them");
    }
    return err;
}

static void tell(const settings *is, const cairn_graph *graph, const cairn_batch_info *solved,
                 const cairn_simplify_info *info)
{
    if (is->json) {
        json_t *object =
            json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "file", is->in, "nodes", (int)graph->node_count,
                      "edges_before", (int)info->before_count, "merged", (int)info->merged_count, "removed",
                      (int)info->removed_count, "edges_after", (int)info->after_count, "alpha", is->simplify.alpha,
                      "worst_part", info->worst_part, "chi2", solved->chi2_after);
        if (object) { (void)json_dumpf(object, stdout, JSON_COMPACT); }
        puts("");
        json_decref(object);
        return;
    }
    printf("%s: %u nodes, %u factors between them\n", is->in, graph->node_count, info->before_count);
    printf("  merged     %u that stood beside another\n", info->merged_count);
    printf("  removed    %u; for the worst, %.2f of its covariance is left (at most %.2f)\n", info->removed_count,
           info->worst_part, is->simplify.alpha);
    printf("  left       %u, chi2 %.6g before\n", info->after_count, solved->chi2_after);
}

static cairn_err run(const settings *is, cairn_arena *arena, cairn_arena *scratch, cairn_complaints *complaints)
{
    cairn_graph *graph;
    cairn_batch_info solved;
    cairn_simplify_info info;
    cairn_err err = cairn_graph_open(COMMAND, is->in, is->ignore_unknown, arena, complaints, &graph);
    if (err != CAIRN_OK) { return err; }
    err = solve(is, graph, scratch, complaints, &solved);
    if (err == CAIRN_OK) { err = cairn_graph_simplify(&is->simplify, graph, scratch, &info); }
    if (err != CAIRN_OK) { return err; }
    if (!solved.is_converged) { fprintf(stderr, COMMAND ": %s: not converged: solve it first\n", is->in); }
    fprintf(stderr, COMMAND ": what is wrong in this graph is baked in now; keep the old file\n");
    tell(is, graph, &solved, &info);
    return cairn_g2o_write(is->out, graph, complaints);
}

int cairn_graph_simplify_run(int argc, char **argv)
{
    settings is = {.simplify = cairn_simplify_def_default()};
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &is.out, 0, 0},
        {"alpha", CAIRN_OPTION_REAL, &is.simplify.alpha, 1e-6, 1e6},
        {"json", CAIRN_OPTION_FLAG, &is.json, 0, 0},
        {"ignore-unknown", CAIRN_OPTION_FLAG, &is.ignore_unknown, 0, 0},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &is.in, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0 || !is.out) { return cairn_usage_error(COMMAND, "expected the file of a pose graph, and -o OUT"); }
    static cairn_complaints complaints; // large
    cairn_arena arena = {0}, scratch = {0};
    cairn_err err = cairn_arena_create(&arena, CAIRN_GRAPH_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&scratch, CAIRN_GRAPH_MEMORY_BYTES); }
    if (err == CAIRN_OK) { err = run(&is, &arena, &scratch, &complaints); }
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&arena);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
