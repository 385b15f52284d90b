// maps.h - the local grid, the long memory, terrain maps, the raster of all robots, and distances.
#pragma once
#include "maps/distance.h"
#include "maps/distance_field.h"
#include "maps/drivability.h"
#include "maps/height_map.h"
#include "maps/local_grid.h"
#include "maps/memory_grid.h"
#include "maps/occupancy_grid.h"
#include "maps/raster.h"
#include "maps/scan_edges.h"
#include "maps/scan_patches.h"
#include "maps/scan_points.h"
#include "maps/terrain_planes.h"
