// graph.h - the subcommands of `cairn graph`, one file each, and what they share.
#pragma once
#include "slam/graph/g2o_io.h"

int cairn_graph_info_run(int argc, char **argv);     // info.c
int cairn_graph_optimize_run(int argc, char **argv); // optimize.c
int cairn_graph_simplify_run(int argc, char **argv); // simplify.c

// Untouched pages cost nothing: enough for the largest graph that can be read, and for a dense factor of it.
#define CAIRN_GRAPH_MEMORY_BYTES ((size_t)4 << 30)

// Says on stderr what of a file was not understood. Warns only.
void cairn_graph_warn(const char *command, const char *path, const cairn_g2o_info *info);

// A picture (PNG) of the graph from above: where nodes were (NULL: left out) and are, closures, and what was refused.
CAIRN_CHECKED cairn_err cairn_graph_plot(const cairn_graph *graph, const cairn_graph_pose *before, const char *title,
                                         const char *path, cairn_complaints *complaints); // plot.c
