// libtiff unpacks the picture, from memory and with a limit on each of its allocations. The tags of GeoTIFF are looked
// up here: libtiff forgets our description of them when it reads a directory, unless it is kept in a global, and then
// gives them as whatever type the file says they are.
#include "maps/files/geo_frame.h"
#include "maps/files/geotiff_io.h"
#include "maps/files/geotiff_tags.h"
#include "maps/files/ros_map_io.h"
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

static TIFF *open_source(source *from)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) { return NULL; }
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_BYTES_MAX);
    TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_reason, from);
    TIFF *file = TIFFClientOpenExt("map", "rm", from, source_read, source_write, source_seek, source_close, source_size,
                                   NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return file;
}

// ---- tags

typedef struct tag {
    const uint8_t *bytes; // within the file
    size_t count;
} tag;

static uint64_t number_at(const source *from, const uint8_t *at, size_t size)
{
    const bool big_endian = from->bytes[0] == 'M';
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) { value = value << 8 | at[big_endian ? i : size - 1 - i]; }
    return value;
}

static double real_at(const source *from, const tag *of, size_t i)
{
    const uint64_t bits = number_at(from, of->bytes + 8 * i, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A tag of the first directory with this type, of each_bytes; false if there is none, or it does not lie in the file.
static bool find_tag(const source *from, uint16_t number, TIFFDataType type, size_t each_bytes, tag *ret_tag)
{
    enum { COUNT_BYTES = 2, ENTRY_BYTES = 12, OFFSET_AT = 4, INLINE_BYTES = 4 };
    if (from->size_bytes < 8) { return false; }
    const size_t at = number_at(from, from->bytes + OFFSET_AT, 4);
    if (at > from->size_bytes || from->size_bytes - at < COUNT_BYTES) { return false; }
    const size_t count = number_at(from, from->bytes + at, COUNT_BYTES);
    if ((from->size_bytes - at - COUNT_BYTES) / ENTRY_BYTES < count) { return false; }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = from->bytes + at + COUNT_BYTES + i * ENTRY_BYTES;
        if (number_at(from, entry, 2) != number || number_at(from, entry + 2, 2) != (uint64_t)type) { continue; }
        tag found = {.bytes = entry + 8, .count = number_at(from, entry + 4, 4)};
        if (found.count * each_bytes > INLINE_BYTES) {
            const size_t offset = number_at(from, entry + 8, 4);
            if (offset > from->size_bytes || (from->size_bytes - offset) / each_bytes < found.count) { return false; }
            found.bytes = from->bytes + offset;
        }
        *ret_tag = found;
        return true;
    }
    return false;
}

static bool find_reals(const source *from, uint16_t number, size_t count, double *ret_reals)
{
    tag found;
    if (!find_tag(from, number, TIFF_DOUBLE, sizeof(double), &found) || found.count < count) { return false; }
    for (size_t i = 0; i < count; i++) {
        ret_reals[i] = real_at(from, &found, i);
        if (!isfinite(ret_reals[i])) { return false; }
    }
    return true;
}

// The value of a key that is a number by itself; 0: there is none.
static uint32_t find_key(const source *from, uint16_t key)
{
    tag keys;
    if (!find_tag(from, TAG_KEYS, TIFF_SHORT, 2, &keys)) { return 0; }
    for (size_t i = KEY_HEADER_COUNT; i + KEY_ENTRY_COUNT <= keys.count; i += KEY_ENTRY_COUNT) {
        const uint8_t *entry = keys.bytes + 2 * i;
        if (number_at(from, entry, 2) == key && number_at(from, entry + 2, 2) == 0) {
            return (uint32_t)number_at(from, entry + 6, 2);
        }
    }
    return 0;
}

// ---- where it lies

static const char *read_place(const source *from, cairn_geo_frame *frame)
{
    double matrix[16], scale[2], tie[6];
    if (find_reals(from, TAG_TRANSFORMATION, 16, matrix)) {
        const double e[3] = {matrix[0], matrix[1], matrix[3]}, n[3] = {matrix[4], matrix[5], matrix[7]};
        memcpy(frame->easting_m, e, sizeof e);
        memcpy(frame->northing_m, n, sizeof n);
        return NULL;
    }
    if (!find_reals(from, TAG_PIXEL_SCALE, 2, scale) || !find_reals(from, TAG_TIE_POINTS, 6, tie)) {
        return "has no place: it is a picture, not a map; take its PNG, and give the cell's size";
    }
    const double e[3] = {scale[0], 0, tie[3] - tie[0] * scale[0]}, n[3] = {0, -scale[1], tie[4] + tie[1] * scale[1]};
    memcpy(frame->easting_m, e, sizeof e);
    memcpy(frame->northing_m, n, sizeof n);
    return NULL;
}

static const char *read_frame(const source *from, cairn_geo_frame *ret_frame)
{
    cairn_geo_frame frame = {0};
    const uint32_t model = find_key(from, KEY_MODEL);
    if (model == MODEL_PROJECTED) {
        frame.epsg = find_key(from, KEY_PROJECTED);
        if (frame.epsg == 0) { frame.epsg = MODEL_OWN; } // told apart from a local frame, and refused as unknown
    } else if (model != 0 && model != MODEL_OWN) {
        return "is in degrees; convert it, for instance with gdalwarp -t_srs EPSG:32632";
    }
    const char *mistake = read_place(from, &frame);
    // A point stands for the middle of its cell there.
    if (mistake == NULL && find_key(from, KEY_RASTER) == RASTER_POINT) {
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
    if (mistake == NULL) { mistake = read_frame(from, &frame); }
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
