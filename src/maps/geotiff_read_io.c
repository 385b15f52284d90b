// Reading: libtiff takes the bytes apart, from memory and with a limit on each of its allocations; what the numbers in
// the tags mean, and whether they make sense, is decided here.
#include "maps/geo_frame.h"
#include "maps/geotiff_io.h"
#include "maps/geotiff_tags.h"
#include "maps/ros_map_io.h"
#include <stdio.h>
#include <string.h>

#define ALLOCATION_BYTES_MAX ((tmsize_t)64 << 20)
#define FIT_CELLS 1e-3 // how far the description may be from the tags: nobody moved or cropped the picture since

// ---- bytes in memory as a file

typedef struct source {
    const uint8_t *bytes;
    size_t size_bytes, at;
    char reason[256]; // the first that libtiff complained of
} source;

static tmsize_t source_read(thandle_t of, void *to, tmsize_t count)
{
    source *from = of;
    if (count < 0 || from->at >= from->size_bytes) { return 0; }
    const size_t left = from->size_bytes - from->at, taken = (size_t)count < left ? (size_t)count : left;
    memcpy(to, from->bytes + from->at, taken);
    from->at += taken;
    return (tmsize_t)taken;
}

static tmsize_t source_write(thandle_t of, void *bytes, tmsize_t count)
{
    (void)of, (void)bytes, (void)count;
    return 0;
}

static toff_t source_seek(thandle_t of, toff_t offset, int whence)
{
    source *from = of;
    const size_t base = whence == SEEK_CUR ? from->at : whence == SEEK_END ? from->size_bytes : 0;
    from->at = base + (size_t)offset;
    return from->at;
}

static int source_close(thandle_t of)
{
    (void)of;
    return 0;
}

static toff_t source_size(thandle_t of) { return ((const source *)of)->size_bytes; }

static int say_nothing(TIFF *file, void *unused, const char *module, const char *format, va_list arguments)
{
    (void)file, (void)unused, (void)module, (void)format, (void)arguments;
    return 1;
}

static int keep_reason(TIFF *file, void *kept, const char *module, const char *format, va_list arguments)
{
    (void)file, (void)module;
    source *from = kept;
    if (from->reason[0] == '\0') { (void)vsnprintf(from->reason, sizeof from->reason, format, arguments); }
    return 1;
}

// The first picture's directory is read only after our tags are known ("h").
static TIFF *open_source(source *from)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) { return NULL; }
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_BYTES_MAX);
    TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_reason, from);
    TIFF *file = TIFFClientOpenExt("map", "rhm", from, source_read, source_write, source_seek, source_close,
                                   source_size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (file == NULL) { return NULL; }
    cairn_geotiff_know_tags(file);
    if (TIFFReadDirectory(file) == 1) { return file; }
    TIFFClose(file);
    return NULL;
}

// ---- where it lies

// The value of a key that is a number by itself; 0: there is none.
static uint16_t key_value(const uint16_t *keys, size_t count, uint16_t key)
{
    for (size_t i = KEY_HEADER_COUNT; i + KEY_ENTRY_COUNT <= count; i += KEY_ENTRY_COUNT) {
        if (keys[i] == key && keys[i + 1] == 0) { return keys[i + 3]; }
    }
    return 0;
}

static bool get_numbers(TIFF *file, uint32_t tag, uint16_t count_min, const double **ret_numbers)
{
    uint16_t count = 0;
    double *numbers = NULL;
    if (TIFFGetField(file, tag, &count, &numbers) != 1 || numbers == NULL || count < count_min) { return false; }
    for (uint16_t i = 0; i < count_min; i++) {
        if (!isfinite(numbers[i])) { return false; }
    }
    *ret_numbers = numbers;
    return true;
}

static const char *read_place(TIFF *file, cairn_geo_frame *frame)
{
    const double *matrix, *scale, *tie;
    if (get_numbers(file, TAG_TRANSFORMATION, 16, &matrix)) {
        const double e[3] = {matrix[0], matrix[1], matrix[3]}, n[3] = {matrix[4], matrix[5], matrix[7]};
        memcpy(frame->easting_m, e, sizeof e);
        memcpy(frame->northing_m, n, sizeof n);
        return NULL;
    }
    if (!get_numbers(file, TAG_PIXEL_SCALE, 2, &scale) || !get_numbers(file, TAG_TIE_POINTS, 6, &tie)) {
        return "has no place: it is a picture, not a map; take its PNG, and give the cell's size";
    }
    const double e[3] = {scale[0], 0, tie[3] - tie[0] * scale[0]}, n[3] = {0, -scale[1], tie[4] + tie[1] * scale[1]};
    memcpy(frame->easting_m, e, sizeof e);
    memcpy(frame->northing_m, n, sizeof n);
    return NULL;
}

static const char *read_frame(TIFF *file, cairn_geo_frame *ret_frame)
{
    cairn_geo_frame frame = {0};
    uint16_t count = 0, *keys = NULL;
    const bool has_keys = TIFFGetField(file, TAG_KEYS, &count, &keys) == 1 && keys != NULL;
    const uint16_t model = has_keys ? key_value(keys, count, KEY_MODEL) : 0;
    if (model == MODEL_PROJECTED) {
        frame.epsg = key_value(keys, count, KEY_PROJECTED);
        if (frame.epsg == 0) { frame.epsg = MODEL_OWN; } // told apart from a local frame, and refused as unknown
    } else if (model != 0 && model != MODEL_OWN) {
        return "is in degrees; convert it, for instance with gdalwarp -t_srs EPSG:32632";
    }
    const char *mistake = read_place(file, &frame);
    // A point stands for the middle of its cell there.
    if (mistake == NULL && has_keys && key_value(keys, count, KEY_RASTER) == 2) {
        frame.easting_m[2] -= (frame.easting_m[0] + frame.easting_m[1]) / 2;
        frame.northing_m[2] -= (frame.northing_m[0] + frame.northing_m[1]) / 2;
    }
    *ret_frame = frame;
    return mistake;
}

// The map's own frame, if the description has one and it still fits.
static bool read_description(TIFF *file, const cairn_geo_frame *frame, cairn_map *map)
{
    const char *text = NULL;
    cairn_map told = *map;
    cairn_map_survey *survey = &told.survey;
    if (TIFFGetField(file, TIFFTAG_IMAGEDESCRIPTION, &text) != 1 || text == NULL) { return false; }
    const int count = sscanf(text,
                             CAIRN_GEOTIFF_DESCRIPTION " cell_m %lf corner_m %lf %lf yaw_rad %lf latitude_deg %lf "
                                                       "longitude_deg %lf heading_deg %lf",
                             &told.cell_m, &told.map_T_corner.x_m, &told.map_T_corner.y_m, &told.map_T_corner.yaw_rad,
                             &survey->latitude_deg, &survey->longitude_deg, &survey->heading_deg);
    if (count != 4 && count != 7) { return false; }
    survey->known = count == 7;
    if (cairn_map_frame_mistake(&told) != NULL) { return false; }
    const cairn_geo_frame again = cairn_geo_frame_of(survey, cairn_geo_map_T_picture(&told), told.cell_m);
    if (!(cairn_geo_frame_apart_px(frame, &again, map->width, map->height) <= FIT_CELLS)) { return false; }
    *map = told;
    return true;
}

// ---- what is in it

static const char *check_shape(TIFF *file, uint16_t *ret_photometric)
{
    uint16_t bits = 0, samples = 0, compression = 0, format = 0, orientation = 0;
    (void)TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
    (void)TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    (void)TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
    (void)TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    (void)TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &orientation);
    if (bits != 8 || samples != 1 || format != SAMPLEFORMAT_UINT) {
        return "is not one band of 8 bits; take one, for instance with gdal_translate -b 1 -ot Byte";
    }
    if (TIFFIsTiled(file)) { return "is tiled; convert it with gdal_translate -co TILED=NO"; }
    if (orientation != ORIENTATION_TOPLEFT) { return "does not begin at its upper left corner"; }
    if (compression != COMPRESSION_NONE && compression != COMPRESSION_LZW && compression != COMPRESSION_PACKBITS &&
        compression != COMPRESSION_ADOBE_DEFLATE && compression != COMPRESSION_DEFLATE) {
        return "is compressed in another way than LZW, Deflate or PackBits; convert it with gdal_translate -co "
               "COMPRESS=DEFLATE";
    }
    if (TIFFGetField(file, TIFFTAG_PHOTOMETRIC, ret_photometric) != 1) { return "does not say what its numbers mean"; }
    if (*ret_photometric == PHOTOMETRIC_PALETTE || *ret_photometric == PHOTOMETRIC_MINISBLACK) { return NULL; }
    return "is neither grey nor a palette of unknown, free and obstacle";
}

static const char *read_cells(TIFF *file, uint16_t photometric, const cairn_map *map, uint8_t *ground)
{
    const cairn_ros_map grey = {.occupied_thresh = CAIRN_ROS_OCCUPIED_THRESH, .free_thresh = CAIRN_ROS_FREE_THRESH};
    uint8_t classes[256];
    for (uint32_t i = 0; i < 256; i++) {
        classes[i] = photometric == PHOTOMETRIC_PALETTE ? (uint8_t)i : (uint8_t)cairn_ros_map_ground(&grey, (uint8_t)i);
    }
    if (TIFFScanlineSize(file) != (tmsize_t)map->width) { return "has rows of another size than it says"; }
    for (uint32_t y = 0; y < map->height; y++) {
        uint8_t *row = &ground[(size_t)(map->height - 1 - y) * map->width];
        if (TIFFReadScanline(file, row, y, 0) != 1) { return "is cut off or damaged"; }
        for (uint32_t x = 0; x < map->width; x++) { row[x] = classes[row[x]]; }
    }
    return NULL;
}

static cairn_err refuse(cairn_err err, const char *name, const char *why, const source *from,
                        cairn_complaints *complaints)
{
    const bool more = from->reason[0] != '\0';
    cairn_complain(complaints, name, 0, "%s%s%s%s", why, more ? " (" : "", from->reason, more ? ")" : "");
    return err;
}

static cairn_err read_map(TIFF *file, const char *name, const source *from, cairn_arena *memory,
                          cairn_complaints *complaints, cairn_map *ret_map)
{
    // What is needed before the cells are read, with sizes that are not yet known to be sane.
    cairn_map map = {.cell_m = 1};
    uint16_t photometric = 0;
    if (TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &map.width) != 1 ||
        TIFFGetField(file, TIFFTAG_IMAGELENGTH, &map.height) != 1) {
        return refuse(CAIRN_ERR_CORRUPT, name, "has no size", from, complaints);
    }
    const char *mistake = cairn_map_frame_mistake(&map);
    if (mistake != NULL) { return refuse(CAIRN_ERR_TOO_LARGE, name, mistake, from, complaints); }
    cairn_geo_frame frame;
    mistake = check_shape(file, &photometric);
    if (mistake == NULL) { mistake = read_frame(file, &frame); }
    if (mistake == NULL && !read_description(file, &frame, &map)) { mistake = cairn_geo_frame_apply(&frame, &map); }
    if (mistake == NULL) { mistake = cairn_map_frame_mistake(&map); }
    if (mistake != NULL) { return refuse(CAIRN_ERR_UNSUPPORTED, name, mistake, from, complaints); }
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, (size_t)map.width * map.height);
    if (ground == NULL) { return refuse(CAIRN_ERR_FULL, name, "no memory left to read it", from, complaints); }
    mistake = read_cells(file, photometric, &map, ground);
    map.ground = ground;
    if (mistake == NULL) { mistake = cairn_map_mistake(&map); }
    if (mistake != NULL) { return refuse(CAIRN_ERR_CORRUPT, name, mistake, from, complaints); }
    *ret_map = map;
    return CAIRN_OK;
}

cairn_err cairn_geotiff_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *memory,
                              cairn_complaints *complaints, cairn_map *ret_map)
{
    CAIRN_ASSERT(name_for_errors != NULL && memory != NULL && complaints != NULL && ret_map != NULL);
    source from = {.bytes = bytes, .size_bytes = size_bytes};
    TIFF *file = open_source(&from);
    if (file == NULL) { return refuse(CAIRN_ERR_CORRUPT, name_for_errors, "is no TIFF file", &from, complaints); }
    const size_t mark = cairn_arena_mark(memory);
    const cairn_err err = read_map(file, name_for_errors, &from, memory, complaints, ret_map);
    if (err != CAIRN_OK) { cairn_arena_reset(memory, mark); }
    TIFFClose(file);
    return err;
}
