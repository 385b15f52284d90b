// slam.h - pose graphs: nodes and factors, their files, solvers, whom to believe.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "slam/closure/candidates.h"
#include "slam/closure/clique.h"
#include "slam/closure/consensus.h"
#include "slam/closure/history.h"
#include "slam/closure/noise.h"
#include "slam/closure/projection.h"
#include "slam/closure/references.h"
#include "slam/closure/simplify.h"
#include "slam/closure/suggest.h"
#include "slam/closure/uncertain.h"
#include "slam/graph/chain.h"
#include "slam/graph/g2o_io.h"
#include "slam/graph/pose_graph.h"
#include "slam/graph/tar.h"
#include "slam/solve/batch.h"
#include "slam/solve/consensus_solve.h"
#include "slam/solve/fronts.h"
#include "slam/solve/incremental.h"
#include "slam/solve/marginals.h"
#include "slam/solve/ordering.h"
#include "slam/solve/robust.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#ifdef __cplusplus
}
#endif
