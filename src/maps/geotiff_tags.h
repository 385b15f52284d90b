// geotiff_tags.h - the tags and keys of GeoTIFF that we write and read, private to the files geotiff*_io.c.
//
// Source   OGC 19-008r4, docs.ogc.org/is/19-008r4.
#pragma once
#include <tiffio.h>

enum { TAG_PIXEL_SCALE = 33550, TAG_TIE_POINTS = 33922, TAG_TRANSFORMATION = 34264 };
enum { TAG_KEYS = 34735, TAG_KEY_TEXTS = 34737, TAG_NO_DATA = 42113 };
enum { KEY_MODEL = 1024, KEY_RASTER = 1025, KEY_CITATION = 1026, KEY_PROJECTED = 3072, KEY_LINEAR_UNITS = 3076 };
enum { MODEL_PROJECTED = 1, MODEL_OWN = 32767, RASTER_AREA = 1, UNIT_METRE = 9001 };
enum { KEY_HEADER_COUNT = 4, KEY_ENTRY_COUNT = 4 };

// What the description of a map begins with, and the words that follow: see describe() in geotiff_io.c.
#define CAIRN_GEOTIFF_DESCRIPTION "cairn map 1:"

// Tells libtiff of the tags, so that they can be set and got; of a file opened for reading before its directory is
// read.
static inline void cairn_geotiff_know_tags(TIFF *file)
{
    static char names[6][24] = {"ModelPixelScale", "ModelTiepoint",  "ModelTransformation",
                                "GeoKeyDirectory", "GeoAsciiParams", "GDAL_NODATA"};
    const TIFFFieldInfo infos[] = {
        {TAG_PIXEL_SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, names[0]},
        {TAG_TIE_POINTS, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, names[1]},
        {TAG_TRANSFORMATION, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, names[2]},
        {TAG_KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, names[3]},
        {TAG_KEY_TEXTS, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, names[4]},
        {TAG_NO_DATA, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, names[5]},
    };
    (void)TIFFMergeFieldInfo(file, infos, sizeof infos / sizeof infos[0]);
}
