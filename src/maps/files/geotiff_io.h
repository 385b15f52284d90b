// geotiff_io.h - maps as GeoTIFF files: what geographic information systems read.
//
// Written  One band of 8 bits with a palette: 0 unknown (also "no data"), 1 free, 2 obstacle; deflated strips. The
//          reference is UTM on WGS 84 (EPSG 326zz, 327zz) if the map was surveyed, turned and scaled as the place
//          demands, so that cells stay as they are; else an engineering frame in metres. The map's own frame stands in
//          the description. Probabilities are left out.
// Read     What is written here; and other people's bands of 8 bits in strips, palette as above or grey as
//          map_server's trinary pictures, in UTM on WGS 84 or without a known reference, with square cells. Where the
//          description is missing or does not fit the reference any more, the map frame begins at the lower left
//          corner of a surveyed map, and is the file's own otherwise.
// Threads  No state of its own. The same map gives the same bytes (same libtiff and zlib).
#pragma once
#include "maps/files/map.h"

// CAIRN_ERR_IO with the reason in *complaints. The map must be without mistakes.
CAIRN_CHECKED cairn_err cairn_geotiff_write(const cairn_map *map, const char *path, cairn_complaints *complaints);
// What a grid that grows knows, its frame laid so in the map's. CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL, CAIRN_ERR_IO.
CAIRN_CHECKED cairn_err cairn_geotiff_write_occupancy(const cairn_occupancy_grid *grid, cairn_pose2 map_T_grid,
                                                      const char *path, cairn_complaints *complaints);

// From bytes that may hold anything. The plane lies in memory. CAIRN_ERR_CORRUPT, CAIRN_ERR_UNSUPPORTED,
// CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL; *complaints has the reason.
CAIRN_CHECKED cairn_err cairn_geotiff_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                            cairn_arena *memory, cairn_complaints *complaints, cairn_map *ret_map);

// A picture of three channels, row by row from the top, that lies on the earth as the map does: its upper left corner
// at corner_m in the map frame, its columns along the map's x axis. CAIRN_ERR_IO.
typedef struct cairn_geotiff_picture {
    uint32_t width_px, height_px;
    const uint8_t *rgb;
    cairn_vec2 corner_m;
    double px_per_m;
    cairn_map_survey survey;
} cairn_geotiff_picture;
CAIRN_CHECKED cairn_err cairn_geotiff_picture_write(const cairn_geotiff_picture *picture, const char *path,
                                                    cairn_complaints *complaints);
