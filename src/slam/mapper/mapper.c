#include "slam/mapper/mapper.h"
#include <string.h>

static const char *const names[CAIRN_MAPPER_KIND_COUNT] = {"graph", "gradient", "mbicp"};

const char *cairn_mapper_name(cairn_mapper_kind kind) { return names[kind]; }

cairn_err cairn_mapper_find(const char *name, cairn_mapper_kind *ret_kind)
{
    for (uint32_t i = 0; i < CAIRN_MAPPER_KIND_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret_kind = (cairn_mapper_kind)i;
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_NOT_FOUND;
}

static cairn_follow_def counted(cairn_follow_def def, uint32_t scans_max, uint32_t beams_max)
{
    def.nodes_max = def.scans_max = scans_max;
    def.beams_max = beams_max;
    return def;
}

static cairn_err create_graph(cairn_mapper *mapper, uint32_t scans_max, uint32_t beams_max)
{
    cairn_graph_mapper_def def = cairn_graph_mapper_def_default();
    def.follow = counted(def.follow, scans_max, beams_max);
    const cairn_err err = cairn_arena_create(&mapper->memory, cairn_graph_mapper_bytes(&def));
    return err == CAIRN_OK ? cairn_graph_mapper_create(&def, &mapper->memory, &mapper->graph) : err;
}

static cairn_err create_gradient(cairn_mapper *mapper, uint32_t scans_max)
{
    cairn_gradient_mapper_def def = cairn_gradient_mapper_def_default();
    def.scans_max = scans_max;
    const cairn_err err = cairn_arena_create(&mapper->memory, cairn_gradient_mapper_bytes(&def));
    return err == CAIRN_OK ? cairn_gradient_mapper_create(&def, &mapper->memory, &mapper->gradient) : err;
}

static cairn_err create_mbicp(cairn_mapper *mapper, uint32_t scans_max, uint32_t beams_max)
{
    cairn_follow_def def = counted(cairn_follow_def_default(), scans_max, beams_max);
    def.reference_count = 1;
    const cairn_err err = cairn_arena_create(&mapper->memory, cairn_follow_bytes(&def));
    return err == CAIRN_OK ? cairn_follow_create(&def, &mapper->memory, &mapper->follow) : err;
}

cairn_err cairn_mapper_create(cairn_mapper_kind kind, uint32_t scans_max, uint32_t beams_max, cairn_mapper *ret_mapper)
{
    *ret_mapper = (cairn_mapper){.kind = kind}; // made where it stays: its parts know its arena by address
    const cairn_err err = kind == CAIRN_MAPPER_GRAPH      ? create_graph(ret_mapper, scans_max, beams_max)
                          : kind == CAIRN_MAPPER_GRADIENT ? create_gradient(ret_mapper, scans_max)
                                                          : create_mbicp(ret_mapper, scans_max, beams_max);
    if (err != CAIRN_OK) { cairn_mapper_destroy(ret_mapper); }
    return err;
}

void cairn_mapper_destroy(cairn_mapper *mapper)
{
    if (mapper == NULL) { return; }
    cairn_arena_destroy(&mapper->memory);
    *mapper = (cairn_mapper){0};
}

cairn_err cairn_mapper_step(cairn_mapper *mapper, const cairn_scan_points *points, cairn_pose2 odom_T_base)
{
    switch (mapper->kind) {
    case CAIRN_MAPPER_GRAPH: return cairn_graph_mapper_step(mapper->graph, points, odom_T_base);
    case CAIRN_MAPPER_GRADIENT: return cairn_gradient_mapper_step(mapper->gradient, points, odom_T_base);
    default: return cairn_follow_step(mapper->follow, points, odom_T_base);
    }
}

cairn_err cairn_mapper_finish(cairn_mapper *mapper)
{
    return mapper->kind == CAIRN_MAPPER_GRAPH ? cairn_graph_mapper_finish(mapper->graph) : CAIRN_OK;
}

cairn_pose2 cairn_mapper_pose(const cairn_mapper *mapper, uint32_t scan)
{
    switch (mapper->kind) {
    case CAIRN_MAPPER_GRAPH: return cairn_graph_mapper_pose(mapper->graph, scan);
    case CAIRN_MAPPER_GRADIENT: return cairn_gradient_mapper_pose(mapper->gradient, scan);
    default: CAIRN_ASSERT(scan < mapper->follow->scan_count); return mapper->follow->scans[scan].pose;
    }
}

static cairn_mapper_info told_of(const cairn_follow *follow)
{
    cairn_mapper_info info = {.scan_count = follow->scan_count, .node_count = follow->node_count};
    for (uint32_t i = 0; i < follow->scan_count; i++) { info.unmatched_count += !follow->scans[i].is_matched; }
    return info;
}

cairn_mapper_info cairn_mapper_told(const cairn_mapper *mapper)
{
    if (mapper->kind == CAIRN_MAPPER_GRADIENT) {
        return (cairn_mapper_info){.unmatched_count = cairn_gradient_mapper_unmatched(mapper->gradient)};
    }
    if (mapper->kind == CAIRN_MAPPER_MBICP) { return told_of(mapper->follow); }
    const cairn_graph_mapper_info graph = cairn_graph_mapper_told(mapper->graph);
    cairn_mapper_info info = told_of(cairn_graph_mapper_follow(mapper->graph));
    info.closure_count = graph.closure_count;
    info.solve_count = graph.solve_count;
    return info;
}
