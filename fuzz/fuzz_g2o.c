// Pose graphs in text: whatever the bytes, the reader refuses them in words or gives a graph that a solver can be run
// on.
#include "slam/graph/g2o_io.h"
#include "slam/solve/batch.h"

#define MEMORY_BYTES ((size_t)64 << 20)
#define NODES_MAX 200u // larger graphs are read but not solved: the fuzzer should spend its time on reading

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_arena arena;
    static cairn_complaints complaints; // large
    if (arena.base == NULL && cairn_arena_create(&arena, MEMORY_BYTES) != CAIRN_OK) { return 0; }
    cairn_arena_reset(&arena, 0);
    complaints = (cairn_complaints){0};
    cairn_graph *graph;
    const cairn_err err = cairn_g2o_parse(bytes, size_bytes, "fuzz", &arena, &complaints, &graph, NULL);
    CAIRN_ASSERT((err == CAIRN_OK) == (complaints.count == 0));
    if (err != CAIRN_OK || graph->node_count > NODES_MAX || graph->factor_count > 2 * NODES_MAX) { return 0; }
    cairn_batch *batch;
    const cairn_batch_def def = cairn_batch_def_default();
    if (cairn_batch_create(&def, graph, &arena, &batch) == CAIRN_OK) { (void)!cairn_batch_run(batch, graph, 3, NULL); }
    return 0;
}
