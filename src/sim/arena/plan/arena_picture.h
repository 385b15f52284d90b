// arena_picture.h - a plan of an arena, seen from above, north up.
#pragma once
#include "sim/arena/arena.h"
#include "sim/picture/picture.h"

#define CAIRN_ARENA_SCALE_PX_PER_M_MIN 2.0
#define CAIRN_ARENA_SCALE_PX_PER_M_MAX 400.0

// Pixels a metre at which the longer side becomes about 1,400 pixels.
double cairn_sim_arena_picture_scale(const cairn_sim_arena *arena);

// Draws floor and grid, ground by its height and slope, walls, boxes, doors with the arc of their swing, loose blocks,
// upper storeys thinly over what is below them, bystanders and hazards with their ways and circles, victims (numbered
// red discs) and starts (yellow arrows), with a title, axes, a scale bar and a legend, in an arena of memory.
// CAIRN_ERR_TOO_LARGE if the picture would exceed CAIRN_PICTURE_SIDE_PX_MAX, CAIRN_ERR_FULL if `memory` is too small:
// it needs three bytes for each pixel.
CAIRN_CHECKED cairn_err cairn_sim_arena_draw(const cairn_sim_arena *arena, double scale_px_per_m, cairn_arena *memory,
                                             cairn_picture *ret_picture);
// How large that picture is.
void cairn_sim_arena_picture_size(const cairn_sim_arena *arena, double scale_px_per_m, uint32_t *ret_width_px,
                                  uint32_t *ret_height_px);

// What ground of some height above the floor is drawn with: white floor, sand, ochre, and pale for upper storeys; holes
// are grey.
cairn_ink cairn_ground_ink(double height_m);

// Where the plan lies in its picture: map (x, y) is at (corner_px.x + scale x, corner_px.y - scale y).
typedef struct cairn_arena_frame {
    cairn_vec2 corner_px; // of map (0, 0)
    double scale_px_per_m;
    double foot_px; // where the room below the plan's own foot begins
} cairn_arena_frame;

// Something more on a plan: drawn on the bare floor, and over all else; either may be NULL.
typedef struct cairn_arena_layer {
    void (*on_floor)(void *context, cairn_picture *picture, const cairn_arena_frame *frame);
    void (*on_top)(void *context, cairn_picture *picture, const cairn_arena_frame *frame);
    void *context;
    uint32_t foot_px; // more room below
} cairn_arena_layer;

// As cairn_sim_arena_draw; the picture is higher by layer->foot_px.
CAIRN_CHECKED cairn_err cairn_sim_arena_draw_layer(const cairn_sim_arena *arena, double scale_px_per_m,
                                                   const cairn_arena_layer *layer, cairn_arena *memory,
                                                   cairn_picture *ret_picture);
