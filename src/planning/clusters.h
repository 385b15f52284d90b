// clusters.h - cells that hang together, and lines of sight between cells.
//
// What frontiers and lookouts share. Cells are numbered y * width + x.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Collects all wanted cells (nonzero) that hang together with `seed` by edges or corners, clears them in wanted[], and
// stores their numbers in ret_cells (room for all wanted cells), the seed first. Returns how many. O(cells found).
uint32_t cairn_cluster_take(uint8_t *wanted, uint32_t width, uint32_t height, uint32_t seed, uint32_t *ret_cells);

// The first wanted cell from `from` on; width * height if there is none.
uint32_t cairn_cluster_seed(const uint8_t *wanted, uint32_t width, uint32_t height, uint32_t from);

// Whether the straight line between the centres of two cells crosses only free cells (cairn_ground), the two ends left
// out; a line through a corner needs both cells beside it free. Exact, and the same in both directions. O(cells
// crossed).
bool cairn_cells_see(const uint8_t *ground, uint32_t width, uint32_t from, uint32_t to);
