// distance.h - exact Euclidean distance to the nearest marked cell (Felzenszwalb & Huttenlocher 2012).
#pragma once
#include "base/memory.h"

// marked: width * height bytes, nonzero is marked. ret_distance_cells: centre to centre, capped at limit_cells
// (also where nothing is marked). Scratch is reset on return. O(cells).
CAIRN_CHECKED cairn_err cairn_distance_transform(const uint8_t *marked, uint32_t width, uint32_t height,
                                                 float limit_cells, cairn_arena *scratch, float *ret_distance_cells);
