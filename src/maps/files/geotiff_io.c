// Only libtiff is used: the keys of GeoTIFF are a table of a dozen numbers. libgeotiff, which writes them too, opens
// files without libtiff's limits on memory, and brings PROJ along.
#include "maps/files/geotiff_io.h"
#include "maps/files/bytes_io.h"
#include "maps/files/geo_frame.h"
#include "maps/files/geotiff_tags.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STRIP_BYTES = 1 << 16, DESCRIPTION_BYTES_MAX = 400 };

// Tells libtiff of the tags, so that they can be set.
static void know_tags(TIFF *file)
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

static int say_nothing(TIFF *file, void *unused, const char *module, const char *format, va_list arguments)
{
    (void)file, (void)unused, (void)module, (void)format, (void)arguments;
    return 1;
}

// Keeps the first thing that libtiff has to say.
static int keep_reason(TIFF *file, void *kept, const char *module, const char *format, va_list arguments)
{
    (void)file, (void)module;
    char *text = kept;
    if (text[0] == '\0') { (void)vsnprintf(text, CAIRN_PATH_BYTES_MAX, format, arguments); }
    return 1;
}

// North up and square is said in the short way that every reader knows; a turned picture needs the whole matrix.
static bool set_place(TIFF *file, const cairn_geo_frame *frame)
{
    const double *e = frame->easting_m, *n = frame->northing_m;
    if (e[1] == 0 && n[0] == 0) {
        const double scale[3] = {e[0], -n[1], 0}, tie[6] = {0, 0, 0, e[2], n[2], 0};
        return TIFFSetField(file, TAG_PIXEL_SCALE, 3, scale) == 1 && TIFFSetField(file, TAG_TIE_POINTS, 6, tie) == 1;
    }
    const double matrix[16] = {e[0], e[1], 0, e[2], n[0], n[1], 0, n[2], 0, 0, 0, 0, 0, 0, 0, 1};
    return TIFFSetField(file, TAG_TRANSFORMATION, 16, matrix) == 1;
}

static bool set_reference(TIFF *file, const cairn_geo_frame *frame)
{
    char text[64];
    if (frame->epsg != 0) {
        (void)snprintf(text, sizeof text, "WGS 84 / UTM zone %u%c|", frame->epsg % 100,
                       frame->epsg < 32700 ? 'N' : 'S');
    } else {
        (void)snprintf(text, sizeof text, "Cairn map frame|");
    }
    const uint16_t last_key = frame->epsg != 0 ? KEY_PROJECTED : KEY_LINEAR_UNITS;
    const uint16_t last = frame->epsg != 0 ? (uint16_t)frame->epsg : UNIT_METRE;
    const uint16_t model = frame->epsg != 0 ? MODEL_PROJECTED : MODEL_OWN;
    // A header (version 1, revision 1.1, four keys), then key, place, count and value of each.
    const uint16_t keys[] = {1,
                             1,
                             1,
                             4, //
                             KEY_MODEL,
                             0,
                             1,
                             model, //
                             KEY_RASTER,
                             0,
                             1,
                             RASTER_AREA, //
                             KEY_CITATION,
                             TAG_KEY_TEXTS,
                             (uint16_t)strlen(text),
                             0, //
                             last_key,
                             0,
                             1,
                             last};
    return TIFFSetField(file, TAG_KEYS, sizeof keys / sizeof keys[0], keys) == 1 &&
           TIFFSetField(file, TAG_KEY_TEXTS, text) == 1 && set_place(file, frame);
}

static bool set_size(TIFF *file, uint32_t width, uint32_t height, uint16_t samples)
{
    const uint32_t row_bytes = width * samples, rows = STRIP_BYTES > row_bytes ? STRIP_BYTES / row_bytes : 1;
    return TIFFSetField(file, TIFFTAG_IMAGEWIDTH, width) == 1 && TIFFSetField(file, TIFFTAG_IMAGELENGTH, height) == 1 &&
           TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8) == 1 &&
           TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, samples) == 1 &&
           TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1 &&
           TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) == 1 &&
           TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, rows) == 1 && TIFFSetField(file, TIFFTAG_SOFTWARE, "Cairn") == 1;
}

// The frame that the keys cannot tell, in words that geotiff_read_io.c reads again.
static void describe(const cairn_map *map, char ret_text[DESCRIPTION_BYTES_MAX])
{
    const cairn_pose2 corner = map->map_T_corner;
    const int used = snprintf(ret_text, DESCRIPTION_BYTES_MAX,
                              CAIRN_GEOTIFF_DESCRIPTION " cell_m %.17g corner_m %.17g %.17g yaw_rad %.17g", map->cell_m,
                              corner.x_m, corner.y_m, corner.yaw_rad);
    if (map->survey.known) {
        (void)snprintf(ret_text + used, DESCRIPTION_BYTES_MAX - (size_t)used,
                       " latitude_deg %.17g longitude_deg %.17g heading_deg %.17g", map->survey.latitude_deg,
                       map->survey.longitude_deg, map->survey.heading_deg);
    }
}

static bool set_classes(TIFF *file, const cairn_map *map)
{
    // Of 0 unknown, 1 free, 2 obstacle; 16 bits a channel.
    const uint16_t inks[3][3] = {{226, 226, 227}, {255, 255, 255}, {0, 40, 120}};
    uint16_t channels[3][256] = {0};
    for (int i = 0; i < 3; i++) {
        for (int channel = 0; channel < 3; channel++) { channels[channel][i] = (uint16_t)(inks[i][channel] * 257); }
    }
    char text[DESCRIPTION_BYTES_MAX];
    describe(map, text);
    return TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_PALETTE) == 1 &&
           TIFFSetField(file, TIFFTAG_COLORMAP, channels[0], channels[1], channels[2]) == 1 &&
           TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, text) == 1 && TIFFSetField(file, TAG_NO_DATA, "0") == 1;
}

static bool write_map(TIFF *file, const void *of)
{
    const cairn_map *map = of;
    const cairn_geo_frame frame = cairn_geo_frame_of(&map->survey, cairn_geo_map_T_picture(map), map->cell_m);
    bool good = set_size(file, map->width, map->height, 1) && set_classes(file, map) && set_reference(file, &frame);
    uint8_t row[CAIRN_MAP_SIDE_MAX]; // libtiff may change what it is given
    for (uint32_t y = 0; y < map->height && good; y++) {
        memcpy(row, &map->ground[(size_t)(map->height - 1 - y) * map->width], map->width);
        good = TIFFWriteScanline(file, row, y, 0) == 1;
    }
    return good;
}

static bool write_picture(TIFF *file, const void *of)
{
    const cairn_geotiff_picture *picture = of;
    const cairn_geo_frame frame = cairn_geo_frame_of(
        &picture->survey, (cairn_pose2){picture->corner_m.x, picture->corner_m.y, 0}, 1 / picture->px_per_m);
    bool good = set_size(file, picture->width_px, picture->height_px, 3) &&
                TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB) == 1 && set_reference(file, &frame);
    uint8_t row[3 * CAIRN_MAP_SIDE_MAX];
    const size_t row_bytes = (size_t)3 * picture->width_px;
    for (uint32_t y = 0; y < picture->height_px && good; y++) {
        memcpy(row, &picture->rgb[y * row_bytes], row_bytes);
        good = TIFFWriteScanline(file, row, y, 0) == 1;
    }
    return good;
}

static cairn_err write_file(const char *path, bool (*write)(TIFF *file, const void *of), const void *of,
                            cairn_complaints *complaints)
{
    char beside[CAIRN_PATH_BYTES_MAX], reason[CAIRN_PATH_BYTES_MAX] = "";
    const cairn_err err = cairn_bytes_beside(path, complaints, beside);
    if (err != CAIRN_OK) { return err; }
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) { return CAIRN_ERR_FULL; }
    TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_reason, reason);
    errno = 0;
    TIFF *file = TIFFOpenExt(beside, "w", options);
    TIFFOpenOptionsFree(options);
    bool good = file != NULL;
    if (good) {
        know_tags(file);
        good = write(file, of) && TIFFFlush(file) == 1;
        TIFFClose(file);
    }
    // What libtiff says is seldom more than that a call failed; the operating system's word tells why.
    const int why = good && reason[0] == '\0' ? 0 : errno != 0 ? errno : EIO;
    return cairn_bytes_settle(beside, path, why, complaints);
}

cairn_err cairn_geotiff_write(const cairn_map *map, const char *path, cairn_complaints *complaints)
{
    CAIRN_ASSERT(map != NULL && path != NULL && complaints != NULL);
    CAIRN_ASSERT(cairn_map_frame_mistake(map) == NULL);
    return write_file(path, write_map, map, complaints);
}

cairn_err cairn_geotiff_write_occupancy(const cairn_occupancy_grid *grid, cairn_pose2 map_T_grid, const char *path,
                                        cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, cairn_map_of_occupancy_bytes(grid));
    if (err != CAIRN_OK) { return err; }
    cairn_map map;
    err = cairn_map_of_occupancy(grid, &memory, &map);
    if (err == CAIRN_OK) {
        map.map_T_corner = cairn_pose2_compose(map_T_grid, map.map_T_corner);
        err = cairn_geotiff_write(&map, path, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}

cairn_err cairn_geotiff_picture_write(const cairn_geotiff_picture *picture, const char *path,
                                      cairn_complaints *complaints)
{
    CAIRN_ASSERT(picture != NULL && path != NULL && complaints != NULL);
    CAIRN_ASSERT(picture->width_px <= CAIRN_MAP_SIDE_MAX && picture->px_per_m > 0);
    return write_file(path, write_picture, picture, complaints);
}
