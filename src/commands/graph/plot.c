// A graph from above: grey where nodes were, blue odometry, green closures, red what was refused.
#include "commands/graph/graph.h"
#include "sim/picture/picture.h"
#include <math.h>
#include <stdio.h>

#define SIDE_PX 1600u
#define MARGIN_PX 34.0
#define HEAD_PX 76.0 // room for the words above
#define MEMORY_BYTES ((size_t)SIDE_PX * SIDE_PX * 4)

static const cairn_ink paper = {255, 255, 255, 255}, past = {0xc4, 0xc4, 0xc8, 255}, odometry = {0x2a, 0x5d, 0xb0, 255},
                       closure = {0x3f, 0xa0, 0x5a, 150}, refused = {0xd0, 0x30, 0x30, 110},
                       words = {0x30, 0x30, 0x34, 255};

typedef struct sight {
    double scale, x_min, y_max;
} sight;

static void widen(const cairn_graph_pose *pose, double box[4])
{
    box[0] = fmin(box[0], pose->v[0]);
    box[1] = fmin(box[1], pose->v[1]);
    box[2] = fmax(box[2], pose->v[0]);
    box[3] = fmax(box[3], pose->v[1]);
}

static cairn_vec2 pixel_of(const sight *s, const cairn_graph_pose *pose)
{
    return (cairn_vec2){MARGIN_PX + (pose->v[0] - s->x_min) * s->scale, HEAD_PX + (s->y_max - pose->v[1]) * s->scale};
}

static void draw_factors(cairn_picture *picture, const sight *s, const cairn_graph *graph, bool odometry_wanted)
{
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        const bool is_odometry = factor->kind == CAIRN_FACTOR_ODOMETRY;
        if (factor->is_gone || factor->from == CAIRN_GRAPH_NONE || is_odometry != odometry_wanted) { continue; }
        const cairn_ink ink = is_odometry ? odometry : factor->weight < 0.5f ? refused : closure;
        cairn_picture_line(picture, pixel_of(s, &graph->nodes[factor->from].pose),
                           pixel_of(s, &graph->nodes[factor->to].pose), is_odometry ? 1.6 : 1, ink);
    }
}

static void draw_legend(cairn_picture *picture, const cairn_graph *graph, const char *title, bool has_past)
{
    cairn_picture_text(picture, (cairn_vec2){MARGIN_PX, 10}, 2, words, title);
    static const struct {
        const char *name;
        const cairn_ink *ink;
    } legend[] = {{"before", &past}, {"odometry", &odometry}, {"closures", &closure}, {"refused", &refused}};
    bool has_refused = false;
    for (uint32_t i = 0; i < graph->factor_count; i++) { has_refused |= graph->factors[i].weight < 0.5f; }
    double x = MARGIN_PX;
    for (size_t i = has_past ? 0 : 1; i < (has_refused ? 4 : 3); i++) {
        cairn_ink solid = *legend[i].ink;
        solid.cover = 255;
        cairn_picture_rectangle(picture, (cairn_vec2){x, 42}, (cairn_vec2){x + 22, 48}, solid);
        cairn_picture_text(picture, (cairn_vec2){x + 30, 38}, 2, words, legend[i].name);
        x += 30 + cairn_picture_text_width_px(2, legend[i].name) + 20;
    }
}

static cairn_err draw(const cairn_graph *graph, const cairn_graph_pose *before, const char *title, cairn_arena *arena,
                      const char *path, cairn_complaints *complaints)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < graph->node_count; i++) { widen(&graph->nodes[i].pose, box); }
    const double reach = fmax(fmax(box[2] - box[0], box[3] - box[1]), 1);
    for (uint32_t i = 0; i < graph->node_count && before; i++) {
        // A start that lies ten times as far would leave the answer as a dot: it is cut off.
        const double *v = before[i].v;
        if (fabs(v[0] - box[0]) < 10 * reach && fabs(v[1] - box[1]) < 10 * reach) { widen(&before[i], box); }
    }
    const double width = fmax(box[2] - box[0], 1e-3), height = fmax(box[3] - box[1], 1e-3);
    const sight s = {.scale = (SIDE_PX - 2 * MARGIN_PX) / fmax(width, height), .x_min = box[0], .y_max = box[3]};
    cairn_picture picture;
    const cairn_err err =
        cairn_picture_create((uint32_t)(width * s.scale + 2 * MARGIN_PX + 1),
                             (uint32_t)(height * s.scale + MARGIN_PX + HEAD_PX + 1), paper, arena, &picture);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 1; i < graph->node_count && before; i++) {
        if (graph->nodes[i].name != graph->nodes[i - 1].name + 1) { continue; }
        cairn_picture_line(&picture, pixel_of(&s, &before[i - 1]), pixel_of(&s, &before[i]), 1, past);
    }
    draw_factors(&picture, &s, graph, false);
    draw_factors(&picture, &s, graph, true);
    draw_legend(&picture, graph, title, before != NULL);
    char scale[48];
    (void)snprintf(scale, sizeof scale, "%.0f m x %.0f m", width, height);
    cairn_picture_text(&picture, (cairn_vec2){MARGIN_PX, picture.height_px - 22.0}, 2, words, scale);
    return cairn_picture_write_png(&picture, path, complaints);
}

cairn_err cairn_graph_plot(const cairn_graph *graph, const cairn_graph_pose *before, const char *title,
                           const char *path, cairn_complaints *complaints)
{
    cairn_arena arena;
    cairn_err err = cairn_arena_create(&arena, MEMORY_BYTES);
    if (err != CAIRN_OK) { return err; }
    err = draw(graph, before, title, &arena, path, complaints);
    cairn_arena_destroy(&arena);
    return err;
}
