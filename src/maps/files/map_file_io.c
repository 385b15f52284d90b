// Pictures are written as map_server's map_saver does: 254 free, 0 occupied, 205 unknown, which every reader of the
// trinary mode takes for what it is; with probabilities in its raw mode, in which the numbers are percents.
#include "maps/files/map_file_io.h"
#include "base/config/config.h"
#include "maps/files/bytes_io.h"
#include "maps/files/geotiff_io.h"
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes, picture and planes of the largest file; pages that are not touched cost nothing.
#define MEMORY_BYTES (2 * CAIRN_MAP_FILE_BYTES_MAX + 3 * CAIRN_MAP_CELLS_MAX + ((size_t)1 << 20))
enum { PIXEL_OCCUPIED = 0, PIXEL_UNKNOWN = 205, PIXEL_FREE = 254 };

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

// ---- pictures

cairn_err cairn_map_of_picture(const cairn_ros_map *header, const cairn_grey *grey, const char *name_for_errors,
                               cairn_arena *memory, cairn_complaints *complaints, cairn_map *ret_map)
{
    CAIRN_ASSERT(header != NULL && grey != NULL && memory != NULL && complaints != NULL && ret_map != NULL);
    cairn_map map = {.width = grey->width,
                     .height = grey->height,
                     .cell_m = header->resolution_m,
                     .map_T_corner = {header->origin[0], header->origin[1], cairn_angle_wrap(header->origin[2])}};
    const char *mistake = cairn_map_frame_mistake(&map);
    if (mistake != NULL) {
        cairn_complain(complaints, name_for_errors, 0, "%s", mistake);
        return CAIRN_ERR_INVALID;
    }
    const size_t count = (size_t)map.width * map.height;
    const bool has_pct = header->mode != CAIRN_ROS_TRINARY;
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, count), *pct = has_pct ? CAIRN_TAKE(memory, uint8_t, count) : NULL;
    if (ground == NULL || (has_pct && pct == NULL)) { return CAIRN_ERR_FULL; }
    uint8_t grounds[256], pcts[256];
    for (uint32_t i = 0; i < 256; i++) {
        const double occupied = cairn_ros_map_p_occupied(header, (uint8_t)i);
        grounds[i] = (uint8_t)cairn_ros_map_ground(header, (uint8_t)i);
        pcts[i] = occupied < 0 ? CAIRN_MAP_PCT_UNKNOWN : (uint8_t)lround(100 * occupied);
    }
    for (uint32_t y = 0; y < map.height; y++) {
        const uint8_t *from = grey->values + (size_t)(map.height - 1 - y) * map.width;
        const size_t row = (size_t)y * map.width;
        for (uint32_t x = 0; x < map.width; x++) { ground[row + x] = grounds[from[x]]; }
        for (uint32_t x = 0; x < map.width && has_pct; x++) { pct[row + x] = pcts[from[x]]; }
    }
    map.ground = ground;
    map.occupied_pct = pct;
    *ret_map = map;
    return CAIRN_OK;
}

static cairn_err parse_picture(const char *path, const uint8_t *bytes, size_t size_bytes, const cairn_ros_map *header,
                               cairn_complaints *complaints, cairn_map_file *file)
{
    cairn_grey grey;
    cairn_err err = cairn_grey_parse(bytes, size_bytes, path, &cairn_map_limits, &file->memory, complaints, &grey);
    if (err != CAIRN_OK) { return err; }
    if (!(header->resolution_m > 0)) {
        cairn_complain(complaints, path, 0, "does not say how large a cell is; name its YAML file, or give --cell");
        return CAIRN_ERR_INVALID;
    }
    if (file->format == NULL) { file->format = grey.png ? "PNG picture" : "PGM picture"; }
    return cairn_map_of_picture(header, &grey, path, &file->memory, complaints, &file->map);
}

// People gzip large pictures and leave the header as it is.
static void use_gzipped(char picture[CAIRN_PATH_BYTES_MAX])
{
    char packed[CAIRN_PATH_BYTES_MAX];
    const int length = snprintf(packed, sizeof packed, "%s.gz", picture);
    if (access(picture, F_OK) == 0 || length >= (int)sizeof packed || access(packed, F_OK) != 0) { return; }
    memcpy(picture, packed, (size_t)length + 1);
}

static cairn_err parse_ros_map(const char *path, const uint8_t *bytes, size_t size_bytes, cairn_complaints *complaints,
                               cairn_map_file *file)
{
    cairn_ros_map header;
    cairn_err err = cairn_ros_map_parse((const char *)bytes, size_bytes, path, complaints, &header);
    if (err != CAIRN_OK) { return err; }
    char picture[CAIRN_PATH_BYTES_MAX];
    err = cairn_config_resolve(path, header.image, picture, sizeof picture);
    if (err == CAIRN_OK) { use_gzipped(picture); }
    if (err == CAIRN_OK) {
        err = cairn_bytes_read(picture, CAIRN_MAP_FILE_BYTES_MAX, &file->memory, complaints, &bytes, &size_bytes);
    }
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "image: names %s; see above", header.image);
        return err;
    }
    file->format = "ROS map";
    return parse_picture(picture, bytes, size_bytes, &header, complaints, file);
}

// ---- files of any kind

static bool is_tiff(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes > 4 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
}

// With 64-bit offsets. Tags are looked up by us, in plain ones only.
static bool is_big_tiff(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes > 4 && (memcmp(bytes, "II+\0", 4) == 0 || memcmp(bytes, "MM\0+", 4) == 0);
}

static cairn_err read_bytes(const char *path, double cell_m, cairn_complaints *complaints, cairn_map_file *file)
{
    const uint8_t *bytes;
    size_t size_bytes;
    cairn_err err = cairn_bytes_read(path, CAIRN_MAP_FILE_BYTES_MAX, &file->memory, complaints, &bytes, &size_bytes);
    if (err != CAIRN_OK) { return err; }
    if (is_big_tiff(bytes, size_bytes)) {
        cairn_complain(complaints, path, 0, "is a BigTIFF; convert it with gdal_translate -co BIGTIFF=NO");
        return CAIRN_ERR_UNSUPPORTED;
    }
    if (is_tiff(bytes, size_bytes)) {
        file->format = "GeoTIFF";
        return cairn_geotiff_parse(bytes, size_bytes, path, &file->memory, complaints, &file->map);
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".yml")) {
        return parse_ros_map(path, bytes, size_bytes, complaints, file);
    }
    const cairn_ros_map bare = {
        .resolution_m = cell_m, .occupied_thresh = CAIRN_ROS_OCCUPIED_THRESH, .free_thresh = CAIRN_ROS_FREE_THRESH};
    return parse_picture(path, bytes, size_bytes, &bare, complaints, file);
}

static bool is_native(const char *path)
{
    uint8_t first[8];
    FILE *file = fopen(path, "rb");
    const size_t count = file != NULL ? fread(first, 1, sizeof first, file) : 0;
    if (file != NULL) { (void)fclose(file); }
    return cairn_native_begins(first, count);
}

cairn_err cairn_map_file_open(const char *path, double cell_m, cairn_complaints *complaints, cairn_map_file *ret_file)
{
    CAIRN_ASSERT(path != NULL && cell_m >= 0 && complaints != NULL && ret_file != NULL);
    cairn_map_file file = {0};
    cairn_err err;
    if (is_native(path)) {
        file.format = "Cairn map";
        err = cairn_native_open(path, complaints, &file.native);
        file.map = file.native.map;
    } else {
        err = cairn_arena_create(&file.memory, MEMORY_BYTES);
        if (err == CAIRN_OK) { err = read_bytes(path, cell_m, complaints, &file); }
    }
    if (err != CAIRN_OK) {
        if (err == CAIRN_ERR_FULL) { cairn_complain(complaints, path, 0, "no memory left to read it"); }
        cairn_map_file_close(&file);
        return err;
    }
    *ret_file = file;
    return CAIRN_OK;
}

void cairn_map_file_close(cairn_map_file *file)
{
    if (file == NULL) { return; }
    cairn_native_close(&file->native);
    cairn_arena_destroy(&file->memory);
    *file = (cairn_map_file){0};
}

// ---- writing

// Whether each cell's probability says the same as its class, by the thresholds that the header will have.
static bool pct_agrees(const cairn_map *map, const cairn_ros_map *header)
{
    for (size_t i = 0; i < (size_t)map->width * map->height; i++) {
        if (cairn_ros_map_ground(header, map->occupied_pct[i]) != map->ground[i]) { return false; }
    }
    return true;
}

// Row by row from the top; NULL without memory. The caller frees it.
static uint8_t *pixels_of(const cairn_map *map, bool raw)
{
    static const uint8_t pixels[] = {[CAIRN_GROUND_UNKNOWN] = PIXEL_UNKNOWN,
                                     [CAIRN_GROUND_FREE] = PIXEL_FREE,
                                     [CAIRN_GROUND_OBSTACLE] = PIXEL_OCCUPIED};
    const size_t count = (size_t)map->width * map->height;
    CAIRN_ASSERT(count > 0);
    uint8_t *values = malloc(count);
    for (uint32_t y = 0; y < map->height && values != NULL; y++) {
        uint8_t *to = &values[(size_t)(map->height - 1 - y) * map->width];
        const size_t row = (size_t)y * map->width;
        for (uint32_t x = 0; x < map->width; x++) {
            to[x] = raw ? map->occupied_pct[row + x] : pixels[map->ground[row + x]];
        }
    }
    return values;
}

static cairn_err write_pgm(const cairn_map *map, const uint8_t *values, const char *path, cairn_complaints *complaints)
{
    char head[64];
    const int used = snprintf(head, sizeof head, "P5\n%u %u\n255\n", map->width, map->height);
    const cairn_bytes parts[] = {{head, (size_t)used}, {values, (size_t)map->width * map->height}};
    return cairn_bytes_write(path, parts, 2, complaints);
}

static cairn_err write_png(const cairn_map *map, const uint8_t *values, const char *path, cairn_complaints *complaints)
{
    char beside[CAIRN_PATH_BYTES_MAX];
    const cairn_err err = cairn_bytes_beside(path, complaints, beside);
    if (err != CAIRN_OK) { return err; }
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = map->width, .height = map->height, .format = PNG_FORMAT_GRAY};
    errno = 0;
    const bool good = png_image_write_to_file(&image, beside, 0, values, 0, NULL) != 0;
    return cairn_bytes_settle(beside, path, good ? 0 : errno != 0 ? errno : EIO, complaints);
}

static cairn_err write_header(const cairn_map *map, const cairn_ros_map *header, const char *picture, const char *path,
                              cairn_complaints *complaints)
{
    const char *slash = strrchr(picture, '/');
    char text[2 * CAIRN_PATH_BYTES_MAX], name[CAIRN_PATH_BYTES_MAX];
    size_t used = 0;
    // In single quotes YAML needs only those doubled.
    for (const char *c = slash != NULL ? slash + 1 : picture; *c != '\0' && used + 3 < sizeof name; c++) {
        if (*c == '\'') { name[used++] = '\''; }
        name[used++] = *c;
    }
    name[used] = '\0';
    const cairn_pose2 corner = map->map_T_corner;
    const int size = snprintf(text, sizeof text,
                              "image: '%s'\nmode: %s\nresolution: %.17g\norigin: [%.17g, %.17g, %.17g]\nnegate: 0\n"
                              "occupied_thresh: %g\nfree_thresh: %g\n",
                              name, header->mode == CAIRN_ROS_RAW ? "raw" : "trinary", map->cell_m, corner.x_m,
                              corner.y_m, corner.yaw_rad, header->occupied_thresh, header->free_thresh);
    const cairn_bytes part = {text, (size_t)size};
    return cairn_bytes_write(path, &part, 1, complaints);
}

// "x.yaml" to "x.pgm".
static void with_ending(const char *path, const char *ending, char ret_path[CAIRN_PATH_BYTES_MAX])
{
    const char *dot = strrchr(path, '.');
    (void)snprintf(ret_path, CAIRN_PATH_BYTES_MAX, "%.*s%s", (int)(dot - path), path, ending);
}

static cairn_err write_ros_map(const cairn_map *map, const char *path, cairn_complaints *complaints,
                               const char **ret_without)
{
    if (strlen(path) + sizeof ".yaml.new" > CAIRN_PATH_BYTES_MAX) {
        cairn_complain(complaints, path, 0, "the path is too long");
        return CAIRN_ERR_TOO_LARGE;
    }
    cairn_ros_map header = {
        .occupied_thresh = CAIRN_ROS_OCCUPIED_THRESH, .free_thresh = CAIRN_ROS_FREE_THRESH, .mode = CAIRN_ROS_RAW};
    const bool raw = map->occupied_pct != NULL && pct_agrees(map, &header);
    header.mode = raw ? CAIRN_ROS_RAW : CAIRN_ROS_TRINARY;
    const bool png = ends_with(path, ".png"), lost = map->occupied_pct != NULL && !raw;
    char picture[CAIRN_PATH_BYTES_MAX], yaml[CAIRN_PATH_BYTES_MAX];
    with_ending(path, png ? ".png" : ".pgm", picture);
    with_ending(path, ".yaml", yaml);
    uint8_t *values = pixels_of(map, raw);
    if (values == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = (png ? write_png : write_pgm)(map, values, picture, complaints);
    free(values);
    if (err == CAIRN_OK) { err = write_header(map, &header, picture, yaml, complaints); }
    *ret_without = map->survey.known && lost ? "the survey, and probabilities that do not agree with the cells"
                   : map->survey.known       ? "the survey"
                   : lost                    ? "probabilities that do not agree with the cells"
                                             : NULL;
    return err;
}

cairn_err cairn_map_file_write(const cairn_map *map, const char *path, cairn_complaints *complaints,
                               const char **ret_without)
{
    CAIRN_ASSERT(map != NULL && path != NULL && complaints != NULL && ret_without != NULL);
    CAIRN_ASSERT(cairn_map_mistake(map) == NULL);
    *ret_without = NULL;
    if (ends_with(path, ".cairnmap")) { return cairn_native_write(map, path, complaints); }
    if (ends_with(path, ".tif") || ends_with(path, ".tiff")) {
        if (map->occupied_pct != NULL) { *ret_without = "probabilities"; }
        return cairn_geotiff_write(map, path, complaints);
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".pgm") || ends_with(path, ".png")) {
        return write_ros_map(map, path, complaints, ret_without);
    }
    cairn_complain(complaints, path, 0, "the name's ending is none of .cairnmap, .tif, .yaml, .pgm and .png");
    return CAIRN_ERR_UNSUPPORTED;
}
