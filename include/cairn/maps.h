// maps.h - grids, heights, distances, terrain maps, the raster of all robots; their codes, and maps in files.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "maps/codec/grid_codec.h"
#include "maps/codec/grid_file.h"
#include "maps/codec/planes_codec.h"
#include "maps/codec/terrain_codec.h"
#include "maps/distance.h"
#include "maps/distance_field.h"
#include "maps/drivability.h"
#include "maps/files/finds_io.h"
#include "maps/files/geotiff_io.h"
#include "maps/files/map.h"
#include "maps/files/map_compare.h"
#include "maps/files/map_file_io.h"
#include "maps/files/pbm_io.h"
#include "maps/height_map.h"
#include "maps/local/local_grid.h"
#include "maps/local/scan_edges.h"
#include "maps/local/scan_patches.h"
#include "maps/local/scan_points.h"
#include "maps/memory_grid.h"
#include "maps/occupancy_grid.h"
#include "maps/raster.h"
#include "maps/raster_cover.h"
#include "maps/raster_maker.h"
#include "maps/terrain_planes.h"
#ifdef __cplusplus
}
#endif
