// cairn graph - pose graphs in files.
#include "commands/graph/graph.h"
#include "commands/command.h"
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: cairn graph optimize IN [-o OUT] [options]\n"
    "       cairn graph simplify IN -o OUT [options]\n"
    "       cairn graph info IN... [options]\n"
    "\n"
    "Pose graphs in files of g2o or TORO, in the plane or in space, plain or packed by gzip, bzip2 or xz: finds the\n"
    "poses that fit all measurements best, drops factors that say little, or tells what is in them. `cairn graph\n"
    "optimize --help` and so on tell more.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn graph info intel.g2o\n"
    "          cairn graph optimize intel.g2o -o best.g2o --plot best.png\n";

static void warn_of_lines(const char *command, const char *path, const cairn_g2o_lines *lines, const char *what)
{
    if (lines->count == 0) { return; }
    fprintf(stderr, "%s: %s:%u: %u %s\n", command, path, lines->first, lines->count, what);
}

void cairn_graph_warn(const char *command, const char *path, const cairn_g2o_info *info)
{
    if (info->other.count > 0) {
        fprintf(stderr, "%s: %s:%u: %u lines were read over that are neither nodes nor factors, the first with %s\n",
                command, path, info->other.first, info->other.count, info->other.word);
    }
    warn_of_lines(command, path, &info->looped,
                  "factors, of which this is the first, go from a node to itself and are left out");
    warn_of_lines(command, path, &info->mixed,
                  "mixtures, of which this is the first, are read as closures that may be wrong: use --robust");
    if (info->is_g2o_order) {
        fprintf(stderr, "%s: %s: EDGE2 has its information in g2o's order, not in TORO's, and is read so\n", command,
                path);
    }
    if (info->whole[0] != 0) {
        fprintf(stderr, "%s: %s: %s has all that the other files have; %s read\n", command, path, info->whole,
                info->is_whole_read ? "it has more, and alone is" : "they have all of it, too, and only they are");
    }
    if (info->factors_decoupled > 0) {
        fprintf(stderr,
                "%s: %s:%u: %u information matrices, of which this is the first, are not positive semidefinite: terms "
                "beside their diagonals that cannot be are left out\n",
                command, path, info->line_decoupled, info->factors_decoupled);
    }
}

cairn_err cairn_graph_open(const char *command, const char *path, bool ignore_unknown, cairn_arena *arena,
                           cairn_complaints *complaints, cairn_graph **ret_graph)
{
    cairn_g2o_info info;
    cairn_graph *graph;
    const cairn_err err = cairn_g2o_open(path, arena, complaints, &graph, &info);
    if (err != CAIRN_OK) { return err; }
    cairn_graph_warn(command, path, &info);
    if (info.unread.count > 0 && !ignore_unknown) {
        cairn_complain(complaints, path, info.unread.first,
                       "%s is not known here: only poses, and factors between and on them, are. Without this and %u "
                       "more such lines it would be another graph. --ignore-unknown solves what is left",
                       info.unread.word, info.unread.count - 1);
        return CAIRN_ERR_UNSUPPORTED;
    }
    if (info.unread.count > 0) {
        fprintf(stderr, "%s: %s:%u: %u lines of nodes and factors are left out, the first with %s\n", command, path,
                info.unread.first, info.unread.count, info.unread.word);
    }
    *ret_graph = graph;
    return CAIRN_OK;
}

int cairn_graph_run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {
        {"optimize", cairn_graph_optimize_run},
        {"simplify", cairn_graph_simplify_run},
        {"info", cairn_graph_info_run},
    };
    if (argc < 2) { return cairn_usage_error("cairn graph", "expected optimize, simplify or info"); }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) { return subcommands[i].run(argc - 1, argv + 1); }
    }
    return cairn_usage_error("cairn graph", "there is no '%s'; expected optimize, simplify or info", argv[1]);
}
