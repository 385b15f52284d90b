// arena_picture.h - a plan of an arena, seen from above, north up.
#pragma once
#include "sim/arena/arena.h"
#include "sim/arena/picture.h"

#define CAIRN_ARENA_SCALE_PX_PER_M_MIN 8.0
#define CAIRN_ARENA_SCALE_PX_PER_M_MAX 400.0

// Pixels a metre at which the longer side becomes about 1,400 pixels.
double cairn_sim_arena_picture_scale(const cairn_sim_arena *arena);

// Draws floor, grid, walls, boxes, ramps, victims (numbered red discs) and starts (yellow arrows), with a title, axes,
// a scale bar and a legend, in an arena of memory. CAIRN_ERR_TOO_LARGE if the picture would exceed
// CAIRN_PICTURE_SIDE_PX_MAX, CAIRN_ERR_FULL if `memory` is too small: it needs three bytes for each pixel.
CAIRN_CHECKED cairn_err cairn_sim_arena_draw(const cairn_sim_arena *arena, double scale_px_per_m, cairn_arena *memory,
                                             cairn_picture *ret_picture);
// How large that picture is.
void cairn_sim_arena_picture_size(const cairn_sim_arena *arena, double scale_px_per_m, uint32_t *ret_width_px,
                                  uint32_t *ret_height_px);
