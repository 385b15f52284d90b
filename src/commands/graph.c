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

void cairn_graph_warn(const char *command, const char *path, const cairn_g2o_info *info)
{
    if (info->lines_other > 0) {
        fprintf(stderr,
                "%s: %s: %u lines were read over: only poses, and factors between and on them, are known here\n",
                command, path, info->lines_other);
    }
    if (info->factors_decoupled > 0) {
        fprintf(stderr,
                "%s: %s:%u: %u information matrices, of which this is the first, are not positive semidefinite: terms "
                "beside their diagonals that cannot be are left out\n",
                command, path, info->line_decoupled, info->factors_decoupled);
    }
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
