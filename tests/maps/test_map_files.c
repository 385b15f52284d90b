// Maps in files: what is written comes back, lies where it should on the earth, and damage is noticed.
#include "../base/check.h"
#include "base/random.h"
#include "maps/files/bytes_io.h"
#include "maps/files/finds_io.h"
#include "maps/files/geo_frame.h"
#include "maps/files/geotiff_io.h"
#include "maps/files/map_file_io.h"
#include "maps/files/utm.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEED 11
#define DEG (CAIRN_PI / 180)

static char folder[] = "/tmp/cairn-map-files-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    cairn_complaints told = {0};
    const cairn_bytes part = {text, strlen(text)};
    assert_ok(cairn_bytes_write(path_of(name), &part, 1, &told));
}

// A random map with a frame of its own; planes lie in static memory.
static cairn_map random_map(cairn_random *random, bool surveyed, bool pct)
{
    static uint8_t ground[90 * 90], percents[90 * 90];
    cairn_map map = {.width = 1 + (uint32_t)cairn_random_below(random, 90),
                     .height = 1 + (uint32_t)cairn_random_below(random, 90),
                     .cell_m = cairn_random_between(random, 0.01, 1),
                     .map_T_corner = {cairn_random_between(random, -100, 100), cairn_random_between(random, -100, 100),
                                      cairn_random_below(random, 2) ? 0 : cairn_random_between(random, -3, 3)},
                     .ground = ground,
                     .occupied_pct = pct ? percents : NULL};
    for (uint32_t i = 0; i < map.width * map.height; i++) {
        ground[i] = (uint8_t)cairn_random_below(random, 3);
        const uint8_t likely[] = {CAIRN_MAP_PCT_UNKNOWN, (uint8_t)cairn_random_below(random, 20),
                                  (uint8_t)(66 + cairn_random_below(random, 35))};
        percents[i] = likely[ground[i]];
    }
    if (surveyed) {
        map.survey = (cairn_map_survey){.known = true,
                                        .latitude_deg = cairn_random_between(random, -79, 83),
                                        .longitude_deg = cairn_random_between(random, -180, 180),
                                        .heading_deg = cairn_random_between(random, 0, 360)};
    }
    return map;
}

static void assert_same_cells(const cairn_map *a, const cairn_map *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_memory_equal(a->ground, b->ground, (size_t)a->width * a->height);
}

static void assert_same_map(const cairn_map *a, const cairn_map *b)
{
    assert_same_cells(a, b);
    assert_true(a->cell_m == b->cell_m && a->map_T_corner.x_m == b->map_T_corner.x_m &&
                a->map_T_corner.y_m == b->map_T_corner.y_m && a->map_T_corner.yaw_rad == b->map_T_corner.yaw_rad);
    assert_true(a->survey.known == b->survey.known && a->survey.latitude_deg == b->survey.latitude_deg &&
                a->survey.longitude_deg == b->survey.longitude_deg && a->survey.heading_deg == b->survey.heading_deg);
    assert_int_equal(a->occupied_pct != NULL, b->occupied_pct != NULL);
    if (a->occupied_pct != NULL) {
        assert_memory_equal(a->occupied_pct, b->occupied_pct, (size_t)a->width * a->height);
    }
}

static void opens_as(const char *name, const cairn_map *wanted)
{
    cairn_complaints told = {0};
    cairn_map_file file;
    const cairn_err err = cairn_map_file_open(path_of(name), 0, &told, &file);
    if (err != CAIRN_OK) { fail_msg("%s", told.text); }
    assert_same_map(&file.map, wanted);
    cairn_map_file_close(&file);
}

// ---- files

static void every_kind_of_file_gives_back_what_it_can_hold(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/map_files");
    for (int round = 0; round < 40; round++) {
        const bool surveyed = round & 1, pct = round & 2;
        cairn_map map = random_map(&random, surveyed, pct);
        cairn_complaints told = {0};
        const char *without;
        assert_ok(cairn_map_file_write(&map, path_of("a.cairnmap"), &told, &without));
        assert_null(without);
        opens_as("a.cairnmap", &map);
        cairn_map less = map;
        less.occupied_pct = NULL;
        assert_ok(cairn_map_file_write(&map, path_of("a.tif"), &told, &without));
        assert_int_equal(without != NULL, pct);
        opens_as("a.tif", &less);
        less = map;
        less.survey = (cairn_map_survey){0};
        const char *names[] = {"b.yaml", "c.pgm", "d.png"}, *headers[] = {"b.yaml", "c.yaml", "d.yaml"};
        for (int i = 0; i < 3; i++) {
            assert_ok(cairn_map_file_write(&map, path_of(names[i]), &told, &without));
            assert_int_equal(without != NULL, surveyed);
            opens_as(headers[i], &less);
        }
    }
}

// Other people's programs read these bytes: they are map_saver's, to the letter.
static void a_ros_map_is_written_as_map_saver_does(void **state)
{
    (void)state;
    const uint8_t ground[] = {CAIRN_GROUND_FREE, CAIRN_GROUND_OBSTACLE, CAIRN_GROUND_UNKNOWN, CAIRN_GROUND_FREE};
    const cairn_map map = {.width = 2, .height = 2, .cell_m = 0.5, .map_T_corner = {-1, 2.25, 0}, .ground = ground};
    cairn_complaints told = {0};
    const char *without;
    assert_ok(cairn_map_file_write(&map, path_of("it's.yaml"), &told, &without));
    static uint8_t block[4096];
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    const uint8_t *bytes;
    size_t size_bytes;
    assert_ok(cairn_bytes_read(path_of("it's.pgm"), 4096, &memory, &told, &bytes, &size_bytes));
    const char pgm[] = "P5\n2 2\n255\n\xcd\xfe\xfe\x00"; // the upper row first
    assert_int_equal(size_bytes, sizeof pgm - 1);
    assert_memory_equal(bytes, pgm, size_bytes);
    assert_ok(cairn_bytes_read(path_of("it's.yaml"), 4096, &memory, &told, &bytes, &size_bytes));
    const char yaml[] = "image: 'it''s.pgm'\nmode: trinary\nresolution: 0.5\norigin: [-1, 2.25, 0]\nnegate: 0\n"
                        "occupied_thresh: 0.65\nfree_thresh: 0.196\n";
    assert_int_equal(size_bytes, sizeof yaml - 1);
    assert_memory_equal(bytes, yaml, size_bytes);
    opens_as("it's.yaml", &map);
}

static void refused(const char *name, cairn_err wanted, const char *words)
{
    cairn_complaints told = {0};
    cairn_map_file file = {.format = "untouched"};
    assert_int_equal(cairn_map_file_open(path_of(name), 0, &told, &file), wanted);
    if (strstr(told.text, words) == NULL) { fail_msg("'%s' is not in: %s", words, told.text); }
    assert_string_equal(file.format, "untouched");
}

// Whoever only wants to see what is printed writes to /dev/null, and as root a file that is moved there would take its
// place for the whole machine. A pipe stands for it here.
static void a_device_or_a_pipe_is_written_to_and_stays_what_it_is(void **state)
{
    (void)state;
    const char *path = path_of("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int pipe = open(path, O_RDWR | O_NONBLOCK);
    assert_true(pipe >= 0);
    cairn_complaints told = {0};
    const cairn_bytes part = {"some bytes", 10};
    assert_ok(cairn_bytes_write(path, &part, 1, &told));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    char got[16];
    assert_int_equal(read(pipe, got, sizeof got), 10);
    assert_memory_equal(got, "some bytes", 10);
    (void)close(pipe);
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    refused("nowhere.tif", CAIRN_ERR_IO, "No such file");
    write_text("bare.pgm", "P5\n1 1\n255\nx");
    refused("bare.pgm", CAIRN_ERR_INVALID, "--cell");
    write_text("lost.yaml", "image: nowhere.pgm\nresolution: 0.1\n");
    refused("lost.yaml", CAIRN_ERR_IO, "image: names nowhere.pgm");
    write_text("short.tif", "II*");
    refused("short.tif", CAIRN_ERR_CORRUPT, "neither PGM");
    write_text("some.tif", "II*x");
    refused("some.tif", CAIRN_ERR_CORRUPT, "neither PGM");
    const cairn_bytes big = {"II+\0\10\0\0\0", 8};
    cairn_complaints unused = {0};
    assert_ok(cairn_bytes_write(path_of("big.tif"), &big, 1, &unused));
    refused("big.tif", CAIRN_ERR_UNSUPPORTED, "BIGTIFF=NO");
    write_text("half.cairnmap", "CAIRNMAPxxxxxxxxxxx");
    refused("half.cairnmap", CAIRN_ERR_CORRUPT, "only the beginning");
    cairn_complaints told = {0};
    const char *without;
    const uint8_t one = 0;
    const cairn_map map = {.width = 1, .height = 1, .cell_m = 1, .ground = &one};
    assert_int_equal(cairn_map_file_write(&map, path_of("a.bmp"), &told, &without), CAIRN_ERR_UNSUPPORTED);
    assert_int_equal(cairn_map_file_write(&map, path_of("no/such/a.tif"), &told, &without), CAIRN_ERR_IO);
    assert_non_null(strstr(told.text, "No such file"));
}

// Probabilities that say something else than the cells cannot both be in a raw picture: the cells win, and it is told.
static void cells_win_over_probabilities_in_pictures(void **state)
{
    (void)state;
    const uint8_t ground = CAIRN_GROUND_FREE, pct = 90;
    cairn_map map = {.width = 1, .height = 1, .cell_m = 1, .ground = &ground, .occupied_pct = &pct};
    cairn_complaints told = {0};
    const char *without;
    assert_ok(cairn_map_file_write(&map, path_of("odd.pgm"), &told, &without));
    assert_non_null(strstr(without, "probabilities"));
    map.occupied_pct = NULL;
    opens_as("odd.yaml", &map);
}

// ---- Cairn's own files

static size_t native_bytes(const cairn_map *map, uint8_t *ret_bytes, size_t max)
{
    cairn_complaints told = {0};
    assert_ok(cairn_native_write(map, path_of("n.cairnmap"), &told));
    FILE *file = fopen(path_of("n.cairnmap"), "rb");
    assert_non_null(file);
    const size_t size = fread(ret_bytes, 1, max, file);
    (void)fclose(file);
    return size;
}

static bool native_reads(const uint8_t *bytes, size_t size_bytes, cairn_err *ret_err)
{
    cairn_complaints told = {0};
    cairn_map map;
    *ret_err = cairn_native_parse(bytes, size_bytes, "n", &told, &map);
    assert_int_equal(*ret_err == CAIRN_OK, told.count == 0);
    return *ret_err == CAIRN_OK;
}

// A map that was damaged on its way must not be driven by: every bit of every byte counts, and every byte is needed.
static void a_native_file_damaged_anywhere_is_refused(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/native");
    cairn_map map = random_map(&random, true, true);
    map.width = 13;
    map.height = 7;
    _Alignas(8) static uint8_t bytes[4096];
    const size_t size = native_bytes(&map, bytes, sizeof bytes);
    cairn_err err;
    assert_true(native_reads(bytes, size, &err));
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            if (native_reads(bytes, size, &err)) { fail_msg("byte %zu, bit %d", at, bit); }
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
    for (size_t cut = 0; cut < size; cut++) { assert_false(native_reads(bytes, cut, &err)); }
    assert_false(native_reads(bytes, size + 1, &err));
    bytes[8] = 2;
    assert_false(native_reads(bytes, size, &err));
    assert_int_equal(err, CAIRN_ERR_UNSUPPORTED);
}

// Hashes protect from accidents, not from people: a file whose hashes are right is still looked at cell by cell.
static void a_native_file_with_impossible_cells_is_refused(void **state)
{
    (void)state;
    uint8_t ground[4] = {0, 1, 2, 3}, pct[4] = {0, 100, 255, 101};
    const cairn_map worse = {.width = 4, .height = 1, .cell_m = 1, .ground = ground};
    _Alignas(8) static uint8_t bytes[4096];
    cairn_err err;
    assert_false(native_reads(bytes, native_bytes(&worse, bytes, sizeof bytes), &err));
    ground[3] = 0;
    cairn_map more = worse;
    more.occupied_pct = pct;
    assert_false(native_reads(bytes, native_bytes(&more, bytes, sizeof bytes), &err));
    pct[3] = 100;
    assert_true(native_reads(bytes, native_bytes(&more, bytes, sizeof bytes), &err));
}

// ---- the earth

// The reference values are PROJ's (gdaltransform 3.6.2), which has an implementation of its own.
static void utm_agrees_with_proj_to_a_tenth_of_a_millimetre(void **state)
{
    (void)state;
    static const struct {
        double latitude_deg, longitude_deg;
        uint32_t zone;
        bool south;
        double easting_m, northing_m;
    } places[] = {
        {52.5163, 13.3777, 33, false, 389917.832636658, 5819701.91906485},
        {-33.4489, -70.6693, 19, true, 344846.720310103, 6297700.15560968},
        {10, 179.999, 60, false, 828818.998328275, 1106907.85572254},
        {-45.5, -180, 1, true, 265621.338520731, 4957124.98265637},
        {-45.5, 180, 1, true, 265621.338520731, 4957124.98265637},
        {48.8584, 2.2945, 31, false, 448252.001375365, 5411954.90994727},
        {83.9, 6, 32, false, 464424.319810425, 9317856.46614826},
        {-79.5, -0.0001, 30, true, 561004.51261855, 1172650.28579936},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const cairn_utm utm = cairn_utm_of(places[i].latitude_deg, places[i].longitude_deg);
        assert_int_equal(utm.zone, places[i].zone);
        assert_int_equal(utm.south, places[i].south);
        assert_float_equal(utm.easting_m, places[i].easting_m, 1e-4);
        assert_float_equal(utm.northing_m, places[i].northing_m, 1e-4);
    }
}

// A step north and a step east on the ellipsoid, whose lengths are known by its radii of curvature, must appear turned
// by the convergence and longer by the scale.
static void convergence_and_scale_are_those_of_small_steps(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/utm");
    const double f = 1 / 298.257223563, e2 = f * (2 - f), step_deg = 1e-5;
    for (int round = 0; round < 500; round++) {
        const double latitude = cairn_random_between(&random, -79.9, 83.9);
        const uint32_t zone = 1 + (uint32_t)cairn_random_below(&random, 60);
        const double longitude = 6.0 * zone - 183 + cairn_random_between(&random, -2.99, 2.99);
        const cairn_utm at = cairn_utm_of(latitude, longitude);
        const cairn_utm north = cairn_utm_of(latitude + step_deg, longitude),
                        south = cairn_utm_of(latitude - step_deg, longitude);
        if (north.south != south.south) { continue; }
        const double w = 1 - e2 * sin(latitude * DEG) * sin(latitude * DEG);
        const double step_m = 2 * step_deg * DEG * 6378137.0 * (1 - e2) / (w * sqrt(w));
        const double de = north.easting_m - south.easting_m, dn = north.northing_m - south.northing_m;
        assert_float_equal(hypot(de, dn) / step_m, at.scale, 1e-7);
        assert_float_equal(atan2(de, dn), -at.convergence_rad, 1e-7);
        cairn_utm back = {.zone = at.zone, .south = at.south, .easting_m = at.easting_m, .northing_m = at.northing_m};
        double latitude_back, longitude_back;
        assert_true(cairn_utm_place(&back, &latitude_back, &longitude_back));
        assert_float_equal(latitude_back, latitude, 1e-11);
        assert_float_equal(longitude_back, longitude, 1e-11);
        assert_float_equal(back.scale, at.scale, 1e-12);
    }
}

// Another program may crop a map and keep the description. Then it is the reference that counts: nothing moves.
static void a_map_without_its_description_lies_where_it_lay(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/geo_frame");
    for (int round = 0; round < 500; round++) {
        const cairn_map map = random_map(&random, round & 1, false);
        const cairn_geo_frame frame = cairn_geo_frame_of(&map.survey, cairn_geo_map_T_picture(&map), map.cell_m);
        cairn_map again = {.width = map.width, .height = map.height};
        assert_null(cairn_geo_frame_apply(&frame, &again));
        assert_null(cairn_map_frame_mistake(&again));
        assert_int_equal(again.survey.known, map.survey.known);
        assert_float_equal(again.cell_m, map.cell_m, 1e-4 * map.cell_m); // the scale differs over a hundred metres
        const cairn_geo_frame second = cairn_geo_frame_of(&again.survey, cairn_geo_map_T_picture(&again), again.cell_m);
        if (second.epsg != frame.epsg) { continue; } // the corner lies beyond the edge of the zone
        assert_true(cairn_geo_frame_apart_px(&frame, &second, map.width, map.height) < 1e-3);
    }
}

// East of the origin is east, north is north: on a zone's middle, where the grid is not turned.
static void a_heading_turns_the_map_clockwise(void **state)
{
    (void)state;
    cairn_map_survey survey = {.known = true, .latitude_deg = 45, .longitude_deg = 9};
    const cairn_pose2 corner = {10, 0, 0}; // 10 m along the map's x axis
    cairn_geo_frame frame = cairn_geo_frame_of(&survey, corner, 0.1);
    assert_int_equal(frame.epsg, 32632);
    const double north0 = frame.northing_m[2];
    assert_float_equal(frame.easting_m[2], 500000 + 9.996, 1e-6);
    survey.heading_deg = 90; // the map's y axis points east, its x axis south
    frame = cairn_geo_frame_of(&survey, corner, 0.1);
    assert_float_equal(frame.easting_m[2], 500000, 1e-6);
    assert_float_equal(frame.northing_m[2], north0 - 9.996, 1e-6);
    assert_float_equal(frame.northing_m[0], -0.09996, 1e-9); // columns go south, too
}

static void a_damaged_geotiff_is_refused_or_read_but_never_trusted(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/damaged tiff");
    cairn_map map = random_map(&random, true, false);
    map.width = map.height = 40;
    cairn_complaints told = {0};
    assert_ok(cairn_geotiff_write(&map, path_of("d.tif"), &told));
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 1 << 20));
    const uint8_t *read;
    size_t size;
    assert_ok(cairn_bytes_read(path_of("d.tif"), 1 << 20, &memory, &told, &read, &size));
    uint8_t *bytes = CAIRN_TAKE(&memory, uint8_t, size);
    const size_t mark = cairn_arena_mark(&memory);
    uint32_t refused_count = 0;
    for (size_t at = 0; at < 8 * size; at++) {
        memcpy(bytes, read, size);
        bytes[at / 8] ^= (uint8_t)(1 << at % 8);
        cairn_arena_reset(&memory, mark);
        cairn_complaints why = {0};
        cairn_map got;
        const cairn_err err = cairn_geotiff_parse(bytes, size, "d", &memory, &why, &got);
        assert_int_equal(err == CAIRN_OK, why.count == 0);
        refused_count += err != CAIRN_OK;
        if (err == CAIRN_OK) { assert_null(cairn_map_mistake(&got)); }
    }
    assert_true(refused_count > size); // a bit in eight at the least
    for (size_t cut = 0; cut < size; cut++) {
        cairn_arena_reset(&memory, mark);
        cairn_complaints why = {0};
        cairn_map got;
        assert_int_not_equal(cairn_geotiff_parse(read, cut, "d", &memory, &why, &got), CAIRN_OK);
    }
    cairn_arena_destroy(&memory);
}

// The team's raster is mostly unknown; its file has what is known, where it was.
// Every cell of the grid is in the map or unknown, and the map's border has something known on each side.
static void a_grid_that_grows_is_cut_to_what_is_known(void **state)
{
    (void)state;
    cairn_arena memory, room;
    assert_ok(cairn_arena_create(&memory, 32 << 20));
    const cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    cairn_occupancy_grid *grid = NULL;
    assert_ok(cairn_occupancy_grid_create(&def, &memory, &grid));
    cairn_map map;
    assert_ok(cairn_arena_create(&room, cairn_map_of_occupancy_bytes(grid)));
    assert_ok(cairn_map_of_occupancy(grid, &room, &map));
    assert_int_equal(map.width * map.height, 1);
    cairn_arena_destroy(&room);
    static cairn_scan_points points;
    points = (cairn_scan_points){.count = 90};
    for (uint32_t i = 0; i < points.count; i++) {
        const double angle = -0.8 + 1.6 * i / 89, range_m = 2 + 1.5 * sin(5 * angle);
        points.x_m[i] = (float)(range_m * cos(angle));
        points.y_m[i] = (float)(range_m * sin(angle));
        points.hit[i] = i % 7 != 0;
    }
    cairn_occupancy_grid_add(grid, (cairn_pose2){-7.3, 4.1, 2.0}, &points);
    cairn_occupancy_grid_add(grid, (cairn_pose2){5.2, -3.4, 0.4}, &points);
    assert_ok(cairn_arena_create(&room, cairn_map_of_occupancy_bytes(grid)));
    assert_ok(cairn_map_of_occupancy(grid, &room, &map));
    uint32_t sides = 0, known = 0;
    for (uint32_t i = 0; i < map.width * map.height; i++) {
        const uint32_t x = i % map.width, y = i / map.width;
        assert_int_equal(map.ground[i], cairn_occupancy_grid_at(grid, cairn_map_centre_of(&map, x, y)));
        if (map.ground[i] == CAIRN_GROUND_UNKNOWN) { continue; }
        known++;
        sides |= (uint32_t)(x == 0) | (uint32_t)(y == 0) << 1 | (uint32_t)(x == map.width - 1) << 2 |
                 (uint32_t)(y == map.height - 1) << 3;
    }
    assert_int_equal(sides, 15);
    uint32_t known_of_grid = 0;
    const cairn_occupancy_grid_info info = cairn_occupancy_grid_get_info(grid);
    for (int32_t y = info.y_min; y < info.y_end; y++) {
        for (int32_t x = info.x_min; x < info.x_end; x++) {
            const cairn_vec2 at_m = {(x + 0.5) * def.cell_m, (y + 0.5) * def.cell_m};
            known_of_grid += cairn_occupancy_grid_at(grid, at_m) != CAIRN_GROUND_UNKNOWN;
        }
    }
    assert_int_equal(known, known_of_grid);
    cairn_arena_destroy(&room);
    cairn_occupancy_grid_add(grid, (cairn_pose2){600, 600, 0}, &points); // what lies between does not fit into a file
    assert_ok(cairn_arena_create(&room, cairn_map_of_occupancy_bytes(grid)));
    assert_int_equal(cairn_map_of_occupancy(grid, &room, &map), CAIRN_ERR_TOO_LARGE);
    cairn_arena_destroy(&room);
    cairn_arena_destroy(&memory);
}

static void a_raster_is_cut_to_what_is_known(void **state)
{
    (void)state;
    static uint8_t block[1 << 20];
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){-5, -3};
    def.width = 100;
    def.height = 60;
    cairn_raster *raster;
    assert_ok(cairn_raster_create(&def, &memory, &raster));
    cairn_map map;
    assert_ok(cairn_map_of_raster(raster, &memory, &map));
    assert_int_equal(map.width * map.height, 1);
    static cairn_terrain_planes planes;
    planes = (cairn_terrain_planes){.cell_m = def.cell_m, .width = 4, .height = 2};
    planes.known[0] = 0xff;
    planes.obstacle[0] = 0x80; // the last cell: x 3, y 1
    cairn_raster_add(raster, (cairn_pose2){1, 2, 0}, &planes, 0);
    cairn_raster_settle(raster);
    assert_ok(cairn_map_of_raster(raster, &memory, &map));
    const cairn_map_counts counts = cairn_map_count(&map);
    assert_true(counts.obstacle > 0 && counts.free > 0);
    for (uint32_t y = 0; y < def.height; y++) {
        for (uint32_t x = 0; x < def.width; x++) {
            const cairn_vec2 at = cairn_raster_centre_of(raster, x, y);
            assert_int_equal(cairn_map_at(&map, at), cairn_raster_at(raster, at));
        }
    }
}

// ---- what lies beside a map

static cairn_err read_finds(const char *text, cairn_finds *ret_finds, cairn_complaints *told)
{
    static uint8_t block[1 << 20];
    static cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    return cairn_finds_parse(text, strlen(text), "v.csv", &memory, told, ret_finds);
}

// Judges read these files by program: the heading is to the letter, and names cannot break a line.
static void finds_are_written_as_robocup_rescue_asks(void **state)
{
    (void)state;
    cairn_find items[] = {{.id = 1, .time = "0:12:30", .name = "Ann, \"doll\"", .x_m = 1.25, .y_m = -2, .z_m = 0.5},
                          {.id = 7, .time = "", .name = "", .x_m = 0, .y_m = 0, .z_m = 0}};
    const cairn_finds finds = {items, 2};
    const cairn_finds_heading heading = {.kind = "victims",
                                         .team = "Cairn",
                                         .country = "Erewhon",
                                         .date = "2026-07-01",
                                         .time = "10:00:00",
                                         .mission = "Prelim1"};
    cairn_complaints told = {0};
    assert_ok(cairn_finds_write(&finds, &heading, path_of("v.csv"), &told));
    static uint8_t block[8192];
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    const uint8_t *bytes;
    size_t size_bytes;
    assert_ok(cairn_bytes_read(path_of("v.csv"), 4096, &memory, &told, &bytes, &size_bytes));
    const char wanted[] = "\"victims\"\n\"1.0\"\n\"Cairn\"\n\"Erewhon\"\n\"2026-07-01\"\n\"10:00:00\"\n\"Prelim1\"\n\n"
                          "id,time,name,x,y,z\n1,0:12:30,Ann   doll ,1.250,-2.000,0.500\n7,,,0.000,0.000,0.000\n";
    assert_int_equal(size_bytes, sizeof wanted - 1);
    assert_memory_equal(bytes, wanted, size_bytes);
    cairn_finds again;
    assert_ok(read_finds(wanted, &again, &told));
    assert_int_equal(again.count, 2);
    assert_int_equal(again.items[1].id, 7);
    assert_string_equal(again.items[0].time, "0:12:30");
    assert_true(again.items[0].x_m == 1.25 && again.items[0].y_m == -2 && again.items[0].z_m == 0.5);
}

static void lines_that_are_no_finds_are_told_by_their_number(void **state)
{
    (void)state;
    static const char *const bad[] = {"id,time,name,x,y,z\n1,,a,1,2\n",     "id,time,name,x,y,z\n-1,,a,1,2,3\n",
                                      "id,time,name,x,y,z\n1,,a,nan,2,3\n", "id,time,name,x,y,z\n1,,a,1,2,3,4\n",
                                      "id,time,name,x,y,z\n1,,a,1e9,2,3\n", "id,time,name,x,y,z\nx,,a,1,2,3\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cairn_complaints told = {0};
        cairn_finds finds = {.count = 77};
        assert_int_equal(read_finds(bad[i], &finds, &told), CAIRN_ERR_INVALID);
        assert_non_null(strstr(told.text, "v.csv:2: expected id,time"));
        assert_int_equal(finds.count, 77);
    }
    cairn_complaints told = {0};
    cairn_finds finds;
    assert_int_equal(read_finds("\"victims\"\n", &finds, &told), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "column names"));
}

static void ways_come_back_each_in_its_order(void **state)
{
    (void)state;
    const cairn_vec2 first[] = {{0, 1}, {2, 3.5}, {-4, 5}}, second[] = {{9, 9}};
    cairn_way_points items[] = {{.name = "emu1", .points_m = first, .count = 3},
                                {.name = "emu2", .points_m = second, .count = 1}};
    const cairn_way_list ways = {items, 2};
    cairn_complaints told = {0};
    assert_ok(cairn_ways_write(&ways, path_of("w.csv"), &told));
    static uint8_t block[1 << 16];
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    const uint8_t *bytes;
    size_t size_bytes;
    assert_ok(cairn_bytes_read(path_of("w.csv"), 4096, &memory, &told, &bytes, &size_bytes));
    cairn_way_list again;
    assert_ok(cairn_ways_parse((const char *)bytes, size_bytes, "w.csv", &memory, &told, &again));
    assert_int_equal(again.count, 2);
    assert_string_equal(again.items[1].name, "emu2");
    assert_int_equal(again.items[0].count, 3);
    assert_memory_equal(again.items[0].points_m, first, sizeof first);
    const char bad[] = "robot,x_m,y_m\nemu1,1,2\nemu1,1\n";
    assert_int_equal(cairn_ways_parse(bad, sizeof bad - 1, "w.csv", &memory, &told, &again), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "w.csv:3: expected robot,x_m,y_m"));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_file_gives_back_what_it_can_hold),
        cmocka_unit_test(a_ros_map_is_written_as_map_saver_does),
        cmocka_unit_test(a_device_or_a_pipe_is_written_to_and_stays_what_it_is),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
        cmocka_unit_test(cells_win_over_probabilities_in_pictures),
        cmocka_unit_test(a_native_file_damaged_anywhere_is_refused),
        cmocka_unit_test(a_native_file_with_impossible_cells_is_refused),
        cmocka_unit_test(utm_agrees_with_proj_to_a_tenth_of_a_millimetre),
        cmocka_unit_test(convergence_and_scale_are_those_of_small_steps),
        cmocka_unit_test(a_map_without_its_description_lies_where_it_lay),
        cmocka_unit_test(a_heading_turns_the_map_clockwise),
        cmocka_unit_test(a_damaged_geotiff_is_refused_or_read_but_never_trusted),
        cmocka_unit_test(a_grid_that_grows_is_cut_to_what_is_known),
        cmocka_unit_test(a_raster_is_cut_to_what_is_known),
        cmocka_unit_test(finds_are_written_as_robocup_rescue_asks),
        cmocka_unit_test(lines_that_are_no_finds_are_told_by_their_number),
        cmocka_unit_test(ways_come_back_each_in_its_order),
    };
    return cmocka_run_group_tests_name("map_files", tests, make_folder, remove_folder);
}
