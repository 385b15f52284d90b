// graph.h - the subcommands of `cairn graph`, one file each, and what they share.
#pragma once
#include "slam/graph/g2o_io.h"

int cairn_graph_info_run(int argc, char **argv);     // info.c
int cairn_graph_optimize_run(int argc, char **argv); // optimize.c
int cairn_graph_simplify_run(int argc, char **argv); // simplify.c

// Untouched pages cost nothing: enough for the largest graph that can be read, and for a dense factor of it.
#define CAIRN_GRAPH_MEMORY_BYTES ((size_t)4 << 30)

// Says on stderr what of a file was read otherwise than it stands there. Warns only; of nodes and factors that are not
// known nothing.
void cairn_graph_warn(const char *command, const char *path, const cairn_g2o_info *info);
// Reads a graph to be solved, and warns. CAIRN_ERR_UNSUPPORTED if it has nodes or factors that are not known here: what
// is left is another graph. With ignore_unknown they are left out, and that is said.
CAIRN_CHECKED cairn_err cairn_graph_open(const char *command, const char *path, bool ignore_unknown, cairn_arena *arena,
                                         cairn_complaints *complaints, cairn_graph **ret_graph);

// A picture (PNG) of the graph from above: where nodes were (NULL: left out) and are, closures, and what was refused.
CAIRN_CHECKED cairn_err cairn_graph_plot(const cairn_graph *graph, const cairn_graph_pose *before, const char *title,
                                         const char *path, cairn_complaints *complaints); // plot.c
