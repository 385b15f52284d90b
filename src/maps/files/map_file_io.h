// map_file_io.h - maps from and to files of any kind that we know.
//
// Kinds    .cairnmap (maps/files/native_io.h); .tif, .tiff (maps/files/geotiff_io.h); .yaml, a map_server header with
//          its PGM or PNG picture; .pgm, .png, the picture alone, also gzipped. Read: what the bytes are decides, and
//          the name only where they do not tell. Written: the name's ending decides.
// Memory   What open gives back holds its memory, or the file's pages, until close.
// Threads  No state of its own.
#pragma once
#include "maps/files/grey_io.h"
#include "maps/files/native_io.h"
#include "maps/files/ros_map_io.h"

#define CAIRN_MAP_FILE_BYTES_MAX ((size_t)160 << 20)
static const cairn_grey_limits cairn_map_limits = {.bytes_max = CAIRN_MAP_FILE_BYTES_MAX,
                                                   .pixels_max = CAIRN_MAP_CELLS_MAX};

typedef struct cairn_map_file {
    cairn_map map;
    const char *format; // "Cairn map", "GeoTIFF", "ROS map", "PGM picture", "PNG picture"
    cairn_native native;
    cairn_arena memory;
} cairn_map_file;

// cell_m: of a picture alone; 0: not given, and such a picture is refused. *ret_file is untouched on failure:
// CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_UNSUPPORTED, CAIRN_ERR_INVALID, CAIRN_ERR_FULL, with
// the reason in *complaints.
CAIRN_CHECKED cairn_err cairn_map_file_open(const char *path, double cell_m, cairn_complaints *complaints,
                                            cairn_map_file *ret_file);
void cairn_map_file_close(cairn_map_file *file); // accepts NULL and all-zero

// Writes a map; a picture's header lies beside it (x.pgm and x.yaml). *ret_without says for people what that kind of
// file cannot hold, NULL: nothing is lost. CAIRN_ERR_UNSUPPORTED for an ending that is not known, CAIRN_ERR_IO.
CAIRN_CHECKED cairn_err cairn_map_file_write(const cairn_map *map, const char *path, cairn_complaints *complaints,
                                             const char **ret_without);

// The cells of a picture under a header, and its probabilities if its mode has any. The planes lie in memory.
// CAIRN_ERR_FULL; CAIRN_ERR_INVALID with the reason.
CAIRN_CHECKED cairn_err cairn_map_of_picture(const cairn_ros_map *header, const cairn_grey *grey,
                                             const char *name_for_errors, cairn_arena *memory,
                                             cairn_complaints *complaints, cairn_map *ret_map);
