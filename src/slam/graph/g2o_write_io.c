// Writing: 17 digits, so that nothing is lost. All of it goes to memory first, so that a file is whole or not there.
#include "maps/files/bytes_io.h"
#include "slam/graph/g2o_io.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_pose(FILE *file, const cairn_graph *graph, const cairn_graph_pose *pose, bool is_toro)
{
    const double *v = pose->v;
    if (graph->def.degrees == 3) {
        (void)fprintf(file, " %.17g %.17g %.17g", v[0], v[1], v[2]);
    } else if (is_toro) {
        const cairn_rpy rpy = cairn_quat_to_rpy(cairn_graph_pose_to3(pose).turn);
        (void)fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g", v[0], v[1], v[2], rpy.roll_rad, rpy.pitch_rad,
                      rpy.yaw_rad);
    } else {
        (void)fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g", v[0], v[1], v[2], v[4], v[5], v[6], v[3]);
    }
}

static void put_information(FILE *file, const cairn_graph *graph, const double *upper, bool is_toro)
{
    static const uint8_t toro_order[6] = {0, 1, 3, 5, 2, 4};
    const uint32_t degrees = graph->def.degrees;
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            const double halves = is_toro && degrees == 6 ? (row < 3 ? 1 : 0.5) * (column < 3 ? 1 : 0.5) : 1;
            (void)fprintf(file, " %.17g", halves * upper[is_toro && degrees == 3 ? toro_order[at] : at]);
        }
    }
    (void)fputc('\n', file);
}

static void put_factor(FILE *file, const cairn_graph *graph, const cairn_factor *factor, bool is_toro)
{
    CAIRN_ASSERT(factor->to < graph->node_count);
    CAIRN_ASSERT(factor->from == CAIRN_GRAPH_NONE || factor->from < graph->node_count);
    const bool is_plane = graph->def.degrees == 3;
    const uint64_t to = graph->nodes[factor->to].name;
    if (factor->from == CAIRN_GRAPH_NONE) {
        (void)fprintf(file, is_plane ? "EDGE_PRIOR_SE2 %" PRIu64 : "EDGE_SE3_PRIOR %" PRIu64 " 0", to);
    } else {
        const char *tag = is_plane ? (is_toro ? "EDGE2" : "EDGE_SE2") : is_toro ? "EDGE3" : "EDGE_SE3:QUAT";
        (void)fprintf(file, "%s %" PRIu64 " %" PRIu64, tag, graph->nodes[factor->from].name, to);
    }
    put_pose(file, graph, &factor->measured, is_toro);
    put_information(file, graph, factor->information, is_toro);
}

static bool has_priors(const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone && graph->factors[i].from == CAIRN_GRAPH_NONE) { return true; }
    }
    return false;
}

static void put_graph(FILE *file, const cairn_graph *graph, bool is_toro)
{
    const char *tag = graph->def.degrees == 3 ? (is_toro ? "VERTEX2" : "VERTEX_SE2")
                      : is_toro               ? "VERTEX3"
                                              : "VERTEX_SE3:QUAT";
    if (graph->def.degrees == 6 && has_priors(graph)) { (void)fputs("PARAMS_SE3OFFSET 0 0 0 0 0 0 0 1\n", file); }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const cairn_graph_node *node = &graph->nodes[i];
        (void)fprintf(file, "%s %" PRIu64, tag, node->name);
        put_pose(file, graph, &node->pose, is_toro);
        (void)fputc('\n', file);
        if (node->is_fixed) { (void)fprintf(file, "FIX %" PRIu64 "\n", node->name); }
    }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone) { put_factor(file, graph, &graph->factors[i], is_toro); }
    }
}

static bool fits_toro(const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].is_fixed) { return false; }
    }
    return !has_priors(graph);
}

cairn_err cairn_g2o_write(const char *path, const cairn_graph *graph, cairn_complaints *complaints)
{
    CAIRN_ASSERT(path != NULL && graph != NULL);
    CAIRN_ASSERT(graph->def.degrees == 3 || graph->def.degrees == 6);
    const size_t length = strlen(path);
    const bool is_toro = length > 6 && strcmp(path + length - 6, ".graph") == 0;
    if (is_toro && !fits_toro(graph)) {
        cairn_complain(complaints, path, 0, "TORO's format has no fixed nodes and no factors on one node; write .g2o");
        return CAIRN_ERR_UNSUPPORTED;
    }
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *file = open_memstream(&text, &size_bytes);
    if (!file) { return CAIRN_ERR_FULL; }
    put_graph(file, graph, is_toro);
    const bool is_whole = !ferror(file);
    if (fclose(file) != 0 || !is_whole) {
        free(text);
        return CAIRN_ERR_FULL;
    }
    const cairn_err err = cairn_bytes_write(path, &(cairn_bytes){text, size_bytes}, 1, complaints);
    free(text);
    return err;
}
