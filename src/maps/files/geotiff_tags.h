// geotiff_tags.h - the tags and keys of GeoTIFF that we write and read, private to the files geotiff*_io.c.
//
// Source   OGC 19-008r4, docs.ogc.org/is/19-008r4.
#pragma once
#include <tiffio.h>

enum { TAG_PIXEL_SCALE = 33550, TAG_TIE_POINTS = 33922, TAG_TRANSFORMATION = 34264 };
enum { TAG_KEYS = 34735, TAG_KEY_TEXTS = 34737, TAG_NO_DATA = 42113 };
enum { KEY_MODEL = 1024, KEY_RASTER = 1025, KEY_CITATION = 1026, KEY_PROJECTED = 3072, KEY_LINEAR_UNITS = 3076 };
enum { MODEL_PROJECTED = 1, MODEL_OWN = 32767, RASTER_AREA = 1, RASTER_POINT = 2, UNIT_METRE = 9001 };
enum { KEY_HEADER_COUNT = 4, KEY_ENTRY_COUNT = 4 };

// What the description of a map begins with, and the words that follow: see describe() in geotiff_io.c.
#define CAIRN_GEOTIFF_DESCRIPTION "cairn map 1:"
