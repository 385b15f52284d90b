// stories_io.h - the story of every closure as a table in a file (CSV), one line each, in the order of their proposal.
//
// Columns  story, what became of it, from, to (the nodes' names, as in a .g2o file of the same graph), their robots,
//          x_m, y_m, yaw_rad (from_T_to, as measured), score, ambiguity, proposer, when it was proposed and decided,
//          chi2 (empty: it had no cycle), how many agreed, and the first of these stories, apart by blanks. Plane
//          graphs.
#pragma once
#include "base/log.h"
#include "slam/closure/candidates.h"

// Stories' times are told in this unit: "s", or "m" where the clock of the candidates is the way driven (a metre a
// second). CAIRN_ERR_IO, with the reason in *complaints.
CAIRN_CHECKED cairn_err cairn_stories_write(const char *path, const cairn_candidates *candidates,
                                            const cairn_graph *graph, const char *unit, cairn_complaints *complaints);
