// test_import.c - arenas out of other people's maps: what is read, what covers it, and that nothing is lost on the way.
#include "base/random.h"
#include "check.h"
#include "geometry/rays.h"
#include "sim/arena/check/difficulty.h"
#include "sim/arena/import/cover.h"
#include "sim/arena/import/sources.h"
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define SEED 9021
#define assert_near(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

static cairn_arena memory;
static cairn_complaints told;
static char folder[64];

static int set_up(void **state)
{
    (void)state;
    memset(&told, 0, sizeof told);
    (void)snprintf(folder, sizeof folder, "/tmp/cairn-import-XXXXXX");
    return cairn_arena_create(&memory, (size_t)64 << 20) == CAIRN_OK && mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    cairn_arena_destroy(&memory);
    return system(command); // NOLINT(cert-env33-c): a folder of our own making
}

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size_bytes)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *write_text(const char *name, const char *text) { return write_file(name, text, strlen(text)); }

// Rows of letters from the north: '#' wall, '.' free, ' ' unknown.
static cairn_cells drawn(double cell_m, const char *const *rows)
{
    uint32_t height = 0;
    while (rows[height] != NULL) { height++; }
    cairn_cells cells;
    assert_ok(cairn_cells_create((uint32_t)strlen(rows[0]), height, cell_m, &memory, &cells));
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < cells.width; x++) {
            const char letter = rows[height - 1 - y][x];
            cells.kinds[y * cells.width + x] = letter == '#'   ? CAIRN_CELL_WALL
                                               : letter == '.' ? CAIRN_CELL_FREE
                                                               : CAIRN_CELL_UNKNOWN;
        }
    }
    return cells;
}

static void assert_drawn(const cairn_cells *cells, const char *const *rows)
{
    for (uint32_t y = 0; y < cells->height; y++) {
        char row[256] = {0};
        for (uint32_t x = 0; x < cells->width; x++) {
            row[x] = " .#"[cells->kinds[(cells->height - 1 - y) * cells->width + x]];
        }
        assert_non_null(rows[y]);
        assert_string_equal(row, rows[y]);
    }
    assert_null(rows[cells->height]);
}

// ---- pictures

// Three ways to write one picture are one picture; a reader that loses a byte at the header's end shifts all of it.
static void plain_binary_and_gzipped_pictures_are_the_same(void **state)
{
    (void)state;
    static const uint8_t values[6] = {0, 51, 102, 153, 204, 255};
    const char *plain = "P2\n# a comment\n3 2 # another\n5\n0 1 2\n3 4 5\n";
    const char binary[] = "P5 3 2 255\n\x00\x33\x66\x99\xcc\xff";
    const char wide[] = "P5\n3 2\n65535\n\x00\x00\x33\x33\x66\x66\x99\x99\xcc\xcc\xff\xff";
    uint8_t packed[256];
    z_stream stream = {.next_in = (const uint8_t *)binary,
                       .avail_in = sizeof binary - 1,
                       .next_out = packed,
                       .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t packed_bytes = stream.total_out;
    (void)deflateEnd(&stream);
    const struct {
        const void *bytes;
        size_t size_bytes;
    } ways[] = {{plain, strlen(plain)}, {binary, sizeof binary - 1}, {wide, sizeof wide - 1}, {packed, packed_bytes}};
    for (size_t i = 0; i < 4; i++) {
        cairn_grey grey;
        assert_ok(
            cairn_grey_parse(ways[i].bytes, ways[i].size_bytes, "a", &cairn_import_limits, &memory, &told, &grey));
        assert_int_equal(grey.width, 3);
        assert_int_equal(grey.height, 2);
        assert_memory_equal(grey.values, values, sizeof values);
    }
    for (size_t cut = 0; cut < packed_bytes; cut++) {
        cairn_grey unused;
        assert_int_equal(cairn_grey_parse(packed, cut, "a", &cairn_import_limits, &memory, &told, &unused),
                         CAIRN_ERR_CORRUPT);
    }
}

// A file that was cut off must not become a map with a black rest: its walls would be believed.
static void a_picture_that_is_cut_off_is_refused(void **state)
{
    (void)state;
    const char binary[] = "P5 3 2 255\n\x00\x33\x66\x99\xcc\xff", plain[] = "P2 3 2 9 0 1 2 3 4 5";
    for (size_t cut = 0; cut < sizeof binary - 1; cut++) {
        cairn_grey unused;
        assert_int_equal(
            cairn_grey_parse((const uint8_t *)binary, cut, "a", &cairn_import_limits, &memory, &told, &unused),
            CAIRN_ERR_CORRUPT);
    }
    for (size_t cut = 0; cut < sizeof plain - 1; cut++) {
        cairn_grey unused;
        assert_int_equal(
            cairn_grey_parse((const uint8_t *)plain, cut, "a", &cairn_import_limits, &memory, &told, &unused),
            CAIRN_ERR_CORRUPT);
    }
}

static void a_picture_that_claims_too_many_pixels_is_refused_before_memory_is_taken(void **state)
{
    (void)state;
    const char huge[] = "P5 65535 65535 255\n", large[] = "P5 2000 2000 255\n";
    cairn_grey unused;
    assert_int_equal(
        cairn_grey_parse((const uint8_t *)huge, sizeof huge - 1, "a", &cairn_import_limits, &memory, &told, &unused),
        CAIRN_ERR_TOO_LARGE);
    assert_int_equal(
        cairn_grey_parse((const uint8_t *)large, sizeof large - 1, "a", &cairn_import_limits, &memory, &told, &unused),
        CAIRN_ERR_CORRUPT);
    assert_int_equal(memory.used_bytes, 0);
}

static void transparent_paper_is_white(void **state)
{
    (void)state;
    const uint8_t grey_and_cover[2][2][2] = {{{0, 255}, {0, 0}}, {{255, 255}, {80, 255}}};
    png_image image = {.version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = PNG_FORMAT_GA};
    uint8_t file[1024];
    png_alloc_size_t size_bytes = sizeof file;
    assert_true(png_image_write_to_memory(&image, file, &size_bytes, 0, grey_and_cover, 0, NULL));
    cairn_grey grey;
    assert_ok(cairn_grey_parse(file, size_bytes, "a.png", &cairn_import_limits, &memory, &told, &grey));
    assert_true(grey.png);
    const uint8_t expected[] = {0, 255, 255, 80};
    assert_memory_equal(grey.values, expected, 4);
}

// The map_server's own rule, value by value.
static void thresholds_mean_what_the_map_server_says(void **state)
{
    (void)state;
    cairn_ros_map map;
    const char *header = "image: a.pgm\nresolution: 0.05\norigin: [-1, -2, 0]\nnegate: 0\n"
                         "occupied_thresh: 0.65\nfree_thresh: 0.196\n";
    assert_ok(cairn_ros_map_parse(header, strlen(header), "a.yaml", &told, &map));
    for (uint32_t negate = 0; negate < 2; negate++) {
        map.negate = negate;
        for (uint32_t value = 0; value < 256; value++) {
            uint8_t pixel = (uint8_t)value;
            const cairn_grey grey = {.width = 1, .height = 1, .values = &pixel};
            cairn_cells cells;
            assert_ok(cairn_ros_map_cells(&map, &grey, 0.05, &memory, &cells));
            const double p = negate ? value / 255.0 : 1.0 - value / 255.0;
            assert_int_equal(cells.kinds[0], p > 0.65    ? CAIRN_CELL_WALL
                                             : p < 0.196 ? CAIRN_CELL_FREE
                                                         : CAIRN_CELL_UNKNOWN);
        }
    }
}

// A picture's first row is the north; an arena's is the south.
static void pictures_are_not_upside_down(void **state)
{
    (void)state;
    uint8_t values[] = {0, 255, 255, 255, 255, 128};
    const cairn_grey grey = {.width = 3, .height = 2, .values = values};
    const cairn_ros_map map = cairn_ros_map_of_picture(&grey);
    cairn_cells cells;
    assert_ok(cairn_ros_map_cells(&map, &grey, 0.1, &memory, &cells));
    assert_drawn(&cells, (const char *const[]){"#..", ".. ", NULL});
}

// ---- cells

static void tidy(const cairn_cells *cells, double speck_m, cairn_cells *ret_cells, cairn_import_report *ret_report)
{
    memset(ret_report, 0, sizeof *ret_report);
    assert_ok(cairn_cells_tidy(cells, speck_m, "a", &memory, &told, ret_cells, ret_report));
}

// Cells of 0.5 m: a speck is a single cell, and four cells are a square metre.
static void dirt_goes_and_the_outside_is_closed(void **state)
{
    (void)state;
    const cairn_cells cells = drawn(0.5, (const char *const[]){"           ", //
                                                               "  .....    ", //
                                                               "  ..#..    ", //
                                                               "  ....##   ", //
                                                               "  .....   #", //
                                                               "          .", NULL});
    cairn_cells made;
    cairn_import_report report;
    tidy(&cells, 0.6, &made, &report);
    assert_drawn(&made, (const char *const[]){"#######", //
                                              "#.....#", //
                                              "#.....#", //
                                              "#....##", //
                                              "#.....#", //
                                              "#######", NULL});
}

static void a_free_sheet_around_a_building_is_not_the_place(void **state)
{
    (void)state;
    const cairn_cells cells = drawn(0.5, (const char *const[]){"..........", //
                                                               ".######...", //
                                                               ".#....#...", //
                                                               ".#....#...", //
                                                               ".######...", //
                                                               "..........", NULL});
    cairn_cells made;
    cairn_import_report report;
    tidy(&cells, 0.1, &made, &report);
    assert_drawn(&made, (const char *const[]){"######", "#....#", "#....#", "######", NULL});
    assert_near(made.origin_m.x, 0.5, 1e-9);
    assert_near(made.origin_m.y, 0.5, 1e-9);
    assert_int_equal(report.closed_cells, 0);
}

static void a_map_without_ground_is_refused_in_words(void **state)
{
    (void)state;
    const cairn_cells cells = drawn(0.1, (const char *const[]){"####", "#..#", "####", NULL});
    cairn_cells unused;
    cairn_import_report report = {0};
    assert_int_equal(cairn_cells_tidy(&cells, 0.1, "a", &memory, &told, &unused, &report), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "no free ground"));
}

// ---- covers

static cairn_cells random_cells(cairn_random *random)
{
    cairn_cells cells;
    assert_ok(cairn_cells_create(1 + cairn_random_below(random, 40), 1 + cairn_random_below(random, 40), 0.05, &memory,
                                 &cells));
    const double walls = cairn_random_uniform(random), unknown = 0.3 * cairn_random_uniform(random);
    for (size_t i = 0; i < (size_t)cells.width * cells.height; i++) {
        const double draw = cairn_random_uniform(random);
        cells.kinds[i] = draw < unknown                           ? CAIRN_CELL_UNKNOWN
                         : draw < unknown + (1 - unknown) * walls ? CAIRN_CELL_WALL
                                                                  : CAIRN_CELL_FREE;
    }
    return cells;
}

static uint32_t runs_in_rows(const cairn_cells *cells)
{
    uint32_t runs = 0;
    for (size_t i = 0; i < (size_t)cells->width * cells->height; i++) {
        const bool wall = cells->kinds[i] == CAIRN_CELL_WALL;
        runs += wall && (i % cells->width == 0 || cells->kinds[i - 1] != CAIRN_CELL_WALL);
    }
    return runs;
}

static bool wall_near(const cairn_cells *cells, int x, int y, int near)
{
    for (int to_y = y - near; to_y <= y + near; to_y++) {
        for (int to_x = x - near; to_x <= x + near; to_x++) {
            if (to_x < 0 || to_y < 0 || to_x >= (int)cells->width || to_y >= (int)cells->height) { continue; }
            if (cells->kinds[to_y * (int)cells->width + to_x] == CAIRN_CELL_WALL) { return true; }
        }
    }
    return false;
}

// A wall that is lost is a hole in the world; a free cell that is covered is a door that is shut.
static void covers_have_every_wall_and_no_free_ground(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "covers");
    uint32_t rect_count = 0, run_count = 0;
    for (int round = 0; round < 400; round++) {
        const size_t mark = cairn_arena_mark(&memory);
        const cairn_cells cells = random_cells(&random);
        const uint32_t slack = cairn_random_below(&random, 3);
        cairn_cover cover;
        assert_ok(cairn_cover_find(&cells, slack, 4096, &memory, &memory, &cover));
        uint8_t *covered = CAIRN_TAKE(&memory, uint8_t, (size_t)cells.width * cells.height);
        for (uint32_t i = 0; i < cover.count; i++) {
            const cairn_cover_rect *rect = &cover.rects[i];
            for (uint32_t y = rect->y; y < rect->y + rect->height; y++) {
                for (uint32_t x = rect->x; x < rect->x + rect->width; x++) { covered[y * cells.width + x] = 1; }
            }
        }
        for (uint32_t i = 0; i < cells.width * cells.height; i++) {
            const int x = (int)(i % cells.width), y = (int)(i / cells.width);
            if (cells.kinds[i] == CAIRN_CELL_WALL) { assert_true(covered[i]); }
            if (cells.kinds[i] == CAIRN_CELL_FREE && covered[i]) {
                assert_true(slack > 0 && wall_near(&cells, x, y, (int)slack));
            }
        }
        rect_count += cover.count;
        run_count += runs_in_rows(&cells);
        cairn_arena_reset(&memory, mark);
    }
    // Even of noise, which has no long walls, they are fewer than the obvious cover by the runs of each row.
    print_message("%u rectangles for %u runs\n", rect_count, run_count);
    assert_true(rect_count < run_count * 0.85);
}

static uint32_t count_of(double cell_m, uint32_t slack, const char *const *rows)
{
    const cairn_cells cells = drawn(cell_m, rows);
    cairn_cover cover;
    assert_ok(cairn_cover_find(&cells, slack, 100, &memory, &memory, &cover));
    return cover.count;
}

static void plain_shapes_take_as_few_rectangles_as_a_person_would(void **state)
{
    (void)state;
    assert_int_equal(count_of(0.5, 0, (const char *const[]){"#####", "#...#", "#...#", "#####", NULL}), 4);
    assert_int_equal(count_of(0.5, 0, (const char *const[]){"..#..", "..#..", "#####", "..#..", NULL}), 2);
    assert_int_equal(count_of(0.5, 0, (const char *const[]){"####", "####", "####", NULL}), 1);
    // What nobody has seen behind a wall may be covered: a ragged back is one box.
    assert_int_equal(count_of(0.1, 0, (const char *const[]){"# # ", "####", "....", NULL}), 1);
}

static void too_many_rectangles_are_told_and_leave_no_trace(void **state)
{
    (void)state;
    const cairn_cells cells = drawn(0.5, (const char *const[]){"#.#.#", ".#.#.", "#.#.#", NULL});
    const size_t mark = cairn_arena_mark(&memory);
    cairn_cover unused;
    assert_int_equal(cairn_cover_find(&cells, 0, 7, &memory, &memory, &unused), CAIRN_ERR_TOO_LARGE);
    assert_int_equal(cairn_arena_mark(&memory), mark);
    assert_ok(cairn_cover_find(&cells, 0, 8, &memory, &memory, &unused));
}

// ---- plans

// The area inside an outline, by the shoelace formula, is the area of its free cells up to half a cell around it.
static void a_house_has_as_much_ground_as_its_outline(void **state)
{
    (void)state;
    const char *plan = "{\"verts\": [[-2, 1], [4, 1], [4, 3.5], [1, 3.5], [1, 6], [-2, 6]], "
                       "\"room_category\": {\"Kitchen\": [[-2, 1, 4, 3.5]]}}";
    cairn_draft draft;
    cairn_cells cells;
    assert_ok(cairn_draft_create(&memory, &draft));
    assert_ok(cairn_house_parse(plan, strlen(plan), "a.json", 0.05, &memory, &told, &draft, &cells));
    double area_m2 = 0.0;
    for (size_t i = 0; i < (size_t)cells.width * cells.height; i++) {
        area_m2 += (cells.kinds[i] == CAIRN_CELL_FREE) * 0.05 * 0.05;
    }
    assert_near(area_m2, 6 * 2.5 + 3 * 2.5, 22 * 0.025);
    assert_non_null(strstr(draft.notes[1], "Kitchen"));
}

static void plans_that_are_none_are_refused_in_words(void **state)
{
    (void)state;
    static const char *const plans[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"verts\": [[0, 0], [1, 1]]}",
                                        "{\"verts\": [[0, 0], [1, 1], [2, \"x\"]]}",
                                        "{\"verts\": [[0, 0], [1e9, 1], [2, 2]]}",
                                        "{\"verts\": [[0, 0], [900, 1], [2, 900]]}"};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        cairn_draft draft;
        cairn_cells unused;
        memset(&told, 0, sizeof told);
        assert_ok(cairn_draft_create(&memory, &draft));
        assert_int_not_equal(
            cairn_house_parse(plans[i], strlen(plans[i]), "a.json", 0.05, &memory, &told, &draft, &unused), CAIRN_OK);
        assert_int_equal(told.count, 1);
    }
}

static cairn_draft raf_draft(const char *text, cairn_raf *ret_raf)
{
    cairn_draft draft;
    assert_ok(cairn_draft_create(&memory, &draft));
    const cairn_err err = cairn_raf_parse(text, strlen(text), "a.raf", 0.0, 0.3, &memory, &told, &draft, ret_raf);
    if (err != CAIRN_OK) { fail_msg("refused:\n%s", told.text); }
    return draft;
}

static bool has_wall(const cairn_draft *draft, double x0, double y0, double x1, double y1)
{
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_sim_wall *wall = &draft->walls[i];
        if (fabs(wall->from_m.x - x0) + fabs(wall->from_m.y - y0) + fabs(wall->to_m.x - x1) + fabs(wall->to_m.y - y1) <
            1e-6) {
            return true;
        }
    }
    return false;
}

// Two cells side by side with all their outer walls, the one between them written twice from both sides.
static void walls_of_a_nist_arena_stand_where_their_rotation_says(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft = raf_draft("<?xml version=\"1.0\"?>\n<elements>\n"
                                        "<element type=\"small_wall\" rotation=\"0\" x=\"3\" y=\"-1\"/>\n"
                                        "<element type=\"small_wall\" rotation=\"180\" x=\"3\" y=\"-1\"/>\n"
                                        "<!-- <element type=\"tall_wall\" x=\"40\" y=\"0\"/> -->\n"
                                        "<element type='small_wall' rotation='270' x='3' y='-1' />\n"
                                        "<element type=\"small_wall\" rotation=\"0\" x=\"4\" y=\"-1\"/>\n"
                                        "<element type=\"small_wall\" rotation=\"180\" x=\"4\" y=\"-1\"></element>\n"
                                        "<element type=\"tall_wall\" rotation=\"90\" x=\"4\" y=\"-1\"/>\n"
                                        "<element type=\"small_wall\" rotation=\"90\" x=\"3\" y=\"-1\"/>\n"
                                        "<element type=\"small_wall\" rotation=\"270\" x=\"4\" y=\"-1\"/>\n"
                                        "<element type=\"victim_with_box1\" rotation=\"180\" x=\"3\" y=\"-1\"/>\n"
                                        "</elements>\n",
                                        &raf);
    const double west = 0.35, south = 0.35, middle = west + 1.2, east = west + 2.4, north = south + 1.2;
    assert_int_equal(draft.wall_count, 5);
    assert_true(has_wall(&draft, west, north, east, north));
    assert_true(has_wall(&draft, west, south, east, south));
    assert_true(has_wall(&draft, west, south, west, north));
    assert_true(has_wall(&draft, middle, south, middle, north));
    assert_true(has_wall(&draft, east, south, east, north));
    // The box stands before the southern wall of the western cell. No hole is there to look through: it is open north.
    assert_int_equal(raf.victim_count, 1);
    assert_near(raf.victims[0].at_m.x, west + 0.6, 1e-9);
    assert_near(raf.victims[0].at_m.y, south + 0.132, 1e-9);
    assert_near(raf.victims[0].foot_m, 0.0, 1e-9);
    assert_near(raf.victims[0].facing_rad, acos(0.0), 1e-9);
}

static void all_that_arena_files_have_no_word_for_is_told_also_in_one_cell(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft = raf_draft("<elements><element type=\"small_wall\" rotation=\"0\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"spectator_120\" rotation=\"0\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"fountain\" rotation=\"0\" x=\"0\" y=\"0\"/></elements>",
                                        &raf);
    assert_int_equal(raf.left_out, 2);
    const char *note = draft.notes[draft.note_count - 1];
    assert_non_null(strstr(note, "spectator_120"));
    assert_non_null(strstr(note, "fountain"));
}

// Two that rise to each other are a ridge, one is a slope up to the middle of its cell.
static void half_ramps_make_ridges_and_slopes(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft = raf_draft("<elements><element type=\"half_ramp\" rotation=\"0\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"half_ramp\" rotation=\"90\" x=\"1\" y=\"0\"/>"
                                        "<element type=\"half_ramp\" rotation=\"180\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"half_ramp\" rotation=\"180\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"spectator_120\" rotation=\"0\" x=\"2\" y=\"0\"/></elements>",
                                        &raf);
    assert_int_equal(draft.ramp_count, 2);
    assert_true(draft.ramps[0].slope);
    assert_near(draft.ramps[0].map_T_ramp.yaw_rad, 0.0, 1e-9);
    assert_near(draft.ramps[0].map_T_ramp.x_m, 0.35 + 0.6 + 1.2 - 1.18 / 4, 1e-9);
    assert_near(draft.ramps[0].length_m, 0.59, 1e-9);
    assert_false(draft.ramps[1].slope);
    assert_near(draft.ramps[1].map_T_ramp.yaw_rad, acos(0.0), 1e-9);
    assert_int_equal(raf.left_out, 1);
    assert_non_null(strstr(draft.notes[1], "1 spectator_120"));
}

// No wheel falls into a crack of 2 cm, and nobody should think that a robot does.
static void ramps_side_by_side_leave_no_crack(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft = raf_draft("<elements><element type=\"half_ramp\" rotation=\"0\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"half_ramp\" rotation=\"180\" x=\"0\" y=\"0\"/>"
                                        "<element type=\"full_ramp\" rotation=\"0\" x=\"1\" y=\"0\"/></elements>",
                                        &raf);
    assert_int_equal(draft.ramp_count, 2);
    assert_near(draft.ramps[0].width_m, 1.2, 1e-9);
    assert_near(draft.ramps[1].width_m, 1.2, 1e-9);
}

// The designer's full ramps rise to the south when they are not turned; turns are clockwise.
static void full_ramps_stairs_floors_and_step_fields_lie_as_their_models_do(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft =
        raf_draft("<elements><element type=\"full_ramp\" rotation=\"0\" x=\"0\" y=\"1\"/>"
                  "<element type=\"full_ramp\" rotation=\"180\" x=\"0\" y=\"0\"/>"
                  "<element type=\"full_ramp\" rotation=\"90\" x=\"2\" y=\"0\"/>"
                  "<element type=\"stairs_120\" rotation=\"0\" x=\"3\" y=\"0\"/>"
                  "<element type=\"elevated_floor_120\" rotation=\"0\" x=\"3\" y=\"1\"/>"
                  "<element type=\"stepfield_red_diagonal\" rotation=\"90\" x=\"3\" y=\"1\"/>"
                  "<element type=\"stepfield_red_diagonal\" rotation=\"90\" x=\"4\" y=\"1\"/>"
                  "<element type=\"stepfield_red_diagonal\" rotation=\"180\" x=\"5\" y=\"1\"/></elements>",
                  &raf);
    const double x0 = 0.35 + 0.6, y0 = 0.35 + 0.6; // the middle of cell (0, 0)
    assert_int_equal(draft.ramp_count, 2);
    // The pair meets at its high ends, on the line between the cells.
    assert_false(draft.ramps[0].slope);
    assert_near(draft.ramps[0].map_T_ramp.y_m, y0 + 0.6, 1e-9);
    assert_near(draft.ramps[0].length_m, 2.38, 1e-9);
    assert_near(draft.ramps[0].length_m / 2 * tan(draft.ramps[0].angle_rad), 0.34, 0.005);
    // Turned by a quarter it rises to the west.
    assert_true(draft.ramps[1].slope);
    assert_near(fabs(draft.ramps[1].map_T_ramp.yaw_rad), 2 * acos(0.0), 1e-9);
    assert_int_equal(draft.stairs_count, 1);
    assert_near(draft.stairs[0].map_T_stairs.x_m, x0 + 3 * 1.2, 1e-9);
    assert_near(draft.stairs[0].map_T_stairs.y_m, y0 - 0.59, 1e-9);
    assert_near(draft.stairs[0].map_T_stairs.yaw_rad, acos(0.0), 1e-9);
    assert_int_equal(draft.platform_count, 1);
    assert_near(draft.platforms[0].top_m, 1.2, 1e-9);
    // Below the raised floor lies one, too. Turned by a quarter, the ridge goes from the upper left to the lower right.
    assert_int_equal(draft.step_field_count, 3);
    assert_near(draft.step_fields[0].corner_m.x, x0 + 3 * 1.2 - 0.6, 1e-9);
    assert_near(draft.step_fields[1].corner_m.x, x0 + 4 * 1.2 - 0.6, 1e-9);
    assert_true(draft.step_fields[0].turned && draft.step_fields[1].turned && !draft.step_fields[2].turned);
    assert_int_equal(raf.left_out, 0);
}

// Half a barrel stands in its cell before the wall; the other half is an element of its own.
static void a_barrel_stands_on_its_side_of_the_wall_only(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft =
        raf_draft("<elements><element type=\"small_wall\" rotation=\"90\" x=\"0\" y=\"0\"/>"
                  "<element type=\"fiducial_barrel\" rotation=\"90\" x=\"0\" y=\"0\"/>"
                  "<element type=\"fiducial_barrel_high\" rotation=\"270\" x=\"1\" y=\"0\"/></elements>",
                  &raf);
    assert_int_equal(draft.box_count, 2);
    const double wall_x_m = draft.walls[0].from_m.x;
    assert_near(draft.boxes[0].map_T_box.x_m, wall_x_m - 0.125, 1e-9);
    assert_near(draft.boxes[0].size_m.x, 0.25, 1e-9);
    assert_near(draft.boxes[0].size_m.y, 0.5, 1e-9);
    assert_near(draft.boxes[0].size_m.z, 0.6, 1e-9);
    assert_near(draft.boxes[1].map_T_box.x_m, wall_x_m + 0.125, 1e-9);
    assert_near(draft.boxes[1].size_m.z, 1.2, 1e-9);
}

// A storage is two boards, at the heights of its model.
static void a_storage_has_its_two_boards(void **state)
{
    (void)state;
    cairn_raf raf;
    const cairn_draft draft =
        raf_draft("<elements><element type=\"manip_storage\" rotation=\"0\" x=\"0\" y=\"0\"/></elements>", &raf);
    assert_int_equal(raf.left_out, 0);
    assert_int_equal(draft.box_count, 2);
    assert_near(draft.boxes[0].foot_m, 0.495, 1e-9);
    assert_near(draft.boxes[1].foot_m, 0.995, 1e-9);
    assert_near(draft.boxes[0].size_m.x, 1.18, 1e-9);
}

static void nist_arenas_that_are_none_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } wrong[] = {
        {"<elements>\n</elements>", "a.raf: has no <element"},
        {"<elements>\n<element type=\"a\" x=\"1\"/>", "a.raf:2: an element needs"},
        {"<elements>\n\n<element type=\"a\" x=\"east\" y=\"1\"/>", "a.raf:3: x: found 'east'"},
        {"<element type=\"a\" rotation=\"45\" x=\"1\" y=\"1\"/>", "rotation: found '45'"},
        {"<element type=\"a\" x=\"1\" y=\"1\"", "does not end"},
        {"<elements>\n<element type=\"a\" x=\"1\" y=\"1\" mount-point=\"low\"/>", "a.raf:2: mount-point: found 'low'"},
        {"<element type=\"a\" x=\"1\" y=\"1\" mount-point=\"0.5\"/>", "mount-point: found '0.5'"},
        {"<!-- ", "does not end"},
        {"P5 1 1 255 ", "expected a list"},
        // 199.98 m with its margin, and more where the grid begins.
        {"<element type=\"small_wall\" x=\"0\" y=\"1\"/><element type=\"small_wall\" x=\"165.12\" y=\"1\"/>",
         "at most 200 m"},
        {"<element type=\"small_wall\" x=\"1\" y=\"1\"/><element type=\"small_wall\" x=\"900\" y=\"1\"/>",
         "at most 200 m"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cairn_draft draft;
        cairn_raf unused;
        memset(&told, 0, sizeof told);
        assert_ok(cairn_draft_create(&memory, &draft));
        assert_int_not_equal(
            cairn_raf_parse(wrong[i].text, strlen(wrong[i].text), "a.raf", 0.0, 0.3, &memory, &told, &draft, &unused),
            CAIRN_OK);
        if (strstr(told.text, wrong[i].reason) == NULL) {
            fail_msg("\"%s\" is not in: %s", wrong[i].reason, told.text);
        }
    }
}

// ---- all of it

static const char *import(const cairn_import_def *def, cairn_import_report *ret_report)
{
    const char *text;
    size_t size_bytes;
    const cairn_err err = cairn_import_run(def, &memory, &told, &text, &size_bytes, ret_report);
    if (err != CAIRN_OK) { fail_msg("refused:\n%s", told.text); }
    assert_int_equal(strlen(text), size_bytes);
    return text;
}

static void assert_import_refused(const cairn_import_def *def, const char *reason)
{
    const char *text;
    size_t size_bytes;
    cairn_import_report unused;
    memset(&told, 0, sizeof told);
    assert_int_not_equal(cairn_import_run(def, &memory, &told, &text, &size_bytes, &unused), CAIRN_OK);
    if (strstr(told.text, reason) == NULL) { fail_msg("\"%s\" is not in: %s", reason, told.text); }
}

// Rooms in a row and column with doors of 1 m, and dirt; 0.1 m a pixel.
static const char *write_rooms(const char *name, cairn_random *random)
{
    enum { SIDE = 120, ROOM = 30 };
    static uint8_t file[SIDE * SIDE + 32];
    const int head = snprintf((char *)file, 32, "P5\n%d %d\n255\n", SIDE, SIDE);
    uint8_t *pixels = file + head;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = i % SIDE, y = i / SIDE;
        const bool wall = x % ROOM < 2 || y % ROOM < 2 || x >= SIDE - 2 || y >= SIDE - 2;
        const bool door =
            x > 2 && y > 2 && x < SIDE - 2 && y < SIDE - 2 &&
            ((x % ROOM < 2 && y % ROOM >= 10 && y % ROOM < 20) || (y % ROOM < 2 && x % ROOM >= 10 && x % ROOM < 20));
        const bool dirt = cairn_random_below(random, 60) == 0;
        pixels[i] = (wall && !door) ? 0 : dirt ? (uint8_t)cairn_random_below(random, 256) : 254;
    }
    return write_file(name, file, (size_t)head + SIDE * SIDE);
}

// What is written has passed the checks of `cairn arena check` already; here it is read once more as anybody would.
static void imported_maps_are_arenas_in_order_with_all_their_walls(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "rooms");
    for (int round = 0; round < 5; round++) {
        const size_t mark = cairn_arena_mark(&memory);
        (void)write_rooms("rooms.pgm", &random);
        cairn_import_def def = cairn_import_def_default();
        def.file = write_text("rooms.yaml", "image: rooms.pgm\nresolution: 0.1\norigin: [-3, 4, 0]\nnegate: 0\n"
                                            "occupied_thresh: 0.65\nfree_thresh: 0.196\n");
        def.seed = (uint64_t)round;
        def.victim_count = 6;
        cairn_import_report report;
        const char *text = import(&def, &report);
        assert_int_equal(report.missed_cells, 0);
        assert_int_equal(report.covered_cells, 0);
        assert_true(report.wall_cells > 1000);
        assert_int_equal(report.victim_count, 6);
        assert_int_equal(report.start_count, 8);
        assert_non_null(strstr(text, "(0, 0) here is (-3.000, 4.000) m there"));
        cairn_sim_arena arena;
        assert_ok(cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, &arena));
        assert_near(arena.size_m.x, 12.0, 0.1);
        cairn_arena_reset(&memory, mark);
    }
}

static void the_same_seed_gives_the_same_bytes_and_another_other_victims(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "same");
    cairn_import_def def = cairn_import_def_default();
    def.file = write_rooms("rooms.pgm", &random);
    def.cell_m = 0.1;
    cairn_import_report report;
    const char *first = import(&def, &report), *again = import(&def, &report);
    assert_string_equal(first, again);
    def.seed = 2;
    assert_string_not_equal(first, import(&def, &report));
}

// Of its wall, no two rows are alike.
static const char *write_round_room(const char *name)
{
    enum { SIDE = 120 };
    static uint8_t file[SIDE * SIDE + 32];
    const int head = snprintf((char *)file, 32, "P5\n%d %d\n255\n", SIDE, SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        file[head + i] =
            hypot(i % SIDE - SIDE / 2, i / SIDE - SIDE / 2) < 55 ? 255 : 0; // NOLINT(bugprone-integer-division)
    }
    return write_file(name, file, (size_t)head + SIDE * SIDE);
}

static void few_boxes_are_bought_with_softer_walls_and_that_is_said(void **state)
{
    (void)state;
    cairn_import_def def = cairn_import_def_default();
    def.file = write_round_room("round.pgm");
    def.cell_m = 0.1;
    cairn_import_report exact, few;
    (void)import(&def, &exact);
    assert_int_equal(exact.slack_cells, 0);
    def.boxes_max = (exact.wall_count + exact.box_count) * 3 / 4;
    const char *text = import(&def, &few);
    assert_true(few.slack_cells > 0 || few.coarser > 1);
    assert_true(few.wall_count + few.box_count <= def.boxes_max);
    assert_int_equal(few.missed_cells, 0);
    assert_int_equal(few.covered_cells, 0);
    assert_true(strstr(text, "Softened") != NULL || strstr(text, "Coarser") != NULL);
}

// Rows of letters as for `drawn`, as a PGM file.
static const char *write_drawing(const char *name, const char *const *rows)
{
    static char text[65536];
    uint32_t height = 0;
    while (rows[height] != NULL) { height++; }
    size_t used = (size_t)snprintf(text, sizeof text, "P2 %zu %u 255\n", strlen(rows[0]), height);
    for (uint32_t y = 0; y < height; y++) {
        for (const char *at = rows[y]; *at != '\0'; at++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%d ", *at == '#' ? 0 : *at == '.' ? 255 : 128);
        }
    }
    return write_text(name, text);
}

// The reader makes walls longer where their ends meet; where a thin one becomes a thick one, that must not happen.
static void walls_that_meet_end_to_end_do_not_grow_into_free_ground(void **state)
{
    (void)state;
    cairn_import_def def = cairn_import_def_default();
    def.file = write_drawing("thick.pgm", (const char *const[]){"##############################", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#..............########......#", //
                                                                "#.....#################......#", //
                                                                "#..............########......#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "#............................#", //
                                                                "##############################", NULL});
    def.cell_m = 0.25;
    cairn_import_report report;
    (void)import(&def, &report);
    assert_int_equal(report.missed_cells, 0);
    assert_int_equal(report.covered_cells, 0);
    assert_int_equal(report.wall_count + report.box_count, 6);
}

// In narrow places a person is easily in the way of a robot that has not set out yet.
static void people_in_narrow_places_leave_every_start_a_way_out(void **state)
{
    (void)state;
    cairn_import_def def = cairn_import_def_default();
    def.file = write_drawing("narrow.pgm", (const char *const[]){"##################", //
                                                                 "#.....##.....##..#", //
                                                                 "#.....##.....##..#", //
                                                                 "#.....##.....##..#", //
                                                                 "#................#", //
                                                                 "#................#", //
                                                                 "#................#", //
                                                                 "##.....##.....####", //
                                                                 "##.....##.....####", //
                                                                 "##################", NULL});
    def.cell_m = 0.3;
    def.start_count = 12;
    def.victim_count = 6;
    for (def.seed = 0; def.seed < 40; def.seed++) {
        cairn_import_report report;
        const size_t mark = cairn_arena_mark(&memory);
        (void)import(&def, &report);
        cairn_arena_reset(&memory, mark);
    }
}

static void a_picture_without_a_scale_is_asked_for_one(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "scale");
    cairn_import_def def = cairn_import_def_default();
    def.file = write_rooms("rooms.pgm", &random);
    assert_import_refused(&def, "give --cell");
    def.width_m = 12.0;
    cairn_import_report report;
    (void)import(&def, &report);
    assert_near(report.cell_m, 0.1, 1e-9);
    def.width_m = 500.0;
    assert_import_refused(&def, "make the picture coarser or finer");
    def.width_m = 100.0;
    (void)import(&def, &report);
}

// A ring of walls around so many cells, from (0, 0) on, and what stands in it.
static const char *import_ring(int wide, int high, const char *in_it, cairn_import_report *ret_report,
                               cairn_sim_arena *ret_arena)
{
    static char text[16384];
    size_t used = 0;
    for (int i = 0; i < wide * 2 + high * 2; i++) {
        const bool level = i < wide * 2;
        const int along = level ? i / 2 : (i - wide * 2) / 2, far = i % 2;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"%d\" x=\"%d\" y=\"%d\"/>\n",
                                 level ? (far ? 0 : 180) : (far ? 90 : 270), level ? along : far * (wide - 1),
                                 level ? far * (high - 1) : along);
    }
    (void)snprintf(text + used, sizeof text - used, "%s", in_it);
    cairn_import_def def = cairn_import_def_default();
    def.file = write_text("ring.raf", text);
    def.victim_count = 0;
    def.start_count = 3;
    const char *made = import(&def, ret_report);
    if (cairn_sim_arena_parse(made, strlen(made), "a.yaml", &memory, &told, ret_arena) != CAIRN_OK) {
        fail_msg("not in order:\n%s", told.text);
    }
    return made;
}

// What a look from one point towards another meets first.
static cairn_solid_kind first_met(const cairn_sim_arena *arena, cairn_vec3 from_m, cairn_vec3 to_m)
{
    const cairn_vec3 way_m = cairn_vec3_sub(to_m, from_m);
    const cairn_vec3 direction = cairn_vec3_scale(way_m, 1.0 / cairn_vec3_length(way_m));
    double nearest_m = INFINITY;
    cairn_solid_kind kind = CAIRN_SOLID_GROUND;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const double hit_m = cairn_ray_box3(from_m, direction, solid->map_T_box, solid->half_m);
        if (hit_m < 0.0 || hit_m >= nearest_m) { continue; }
        nearest_m = hit_m;
        kind = solid->kind;
    }
    return kind;
}

#define EDGE_M 0.35 // of the floor to the middle of the first wall

static void a_victim_in_a_box_without_a_hole_is_open_to_its_cell(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    cairn_import_report report;
    (void)import_ring(4, 4, "<element type=\"victim_with_box1\" rotation=\"0\" x=\"2\" y=\"3\"/>\n", &report, &arena);
    assert_int_equal(report.victim_count, 1);
    assert_int_equal(report.victims_left_out, 0);
    assert_int_equal(arena.wall_count, 4);
    const cairn_pose2 victim = arena.victims[0].map_T_victim;
    assert_true(arena.victims[0].boxed);
    assert_near(victim.x_m, EDGE_M + 3.0, 1e-3);
    assert_near(victim.y_m, EDGE_M + 4.8 - 0.132, 1e-3);
    assert_near(victim.yaw_rad, -acos(0.0), 1e-3);
    const cairn_vec3 at_m = {victim.x_m, victim.y_m, 0.2};
    assert_int_equal(first_met(&arena, (cairn_vec3){at_m.x, at_m.y - 1.0, 0.3}, at_m), CAIRN_SOLID_VICTIM);
    assert_int_equal(first_met(&arena, (cairn_vec3){at_m.x + 1.0, at_m.y, 0.3}, at_m), CAIRN_SOLID_VICTIM_BOX);
}

// Two rooms, a doorway in the south. The box hangs in the western room on the wall between them, and robots of the
// eastern one look through the hole in front of it. Mount points are from the top: 0, 1, 2.
static void a_victim_behind_a_hole_of_a_wall_is_seen_through_it_only(void **state)
{
    (void)state;
    static const struct {
        const char *mount;
        double hole_y_m, hole_z_m, foot_m; // from the wall's middle, and from the floor
    } mounts[] = {{"", 0.3, 0.9, 0.7}, {"mount-point=\"1\"", -0.3, 0.6, 0.4}, {"mount-point=\"2\"", 0.3, 0.3, 0.1}};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "<element type=\"small_wall\" rotation=\"90\" x=\"1\" y=\"2\"/>\n"
                       "<element type=\"wall_holes1\" rotation=\"90\" x=\"1\" y=\"1\"/>\n"
                       "<element type=\"victim_with_box1\" rotation=\"90\" x=\"1\" y=\"1\" %s/>\n",
                       mounts[i].mount);
        cairn_sim_arena arena;
        cairn_import_report report;
        (void)import_ring(4, 3, text, &report, &arena);
        assert_int_equal(report.victim_count, 1);
        const double wall_x_m = EDGE_M + 2.4, middle_y_m = EDGE_M + 1.8;
        const cairn_sim_victim *victim = &arena.victims[0];
        assert_near(victim->map_T_victim.x_m, wall_x_m - 0.132, 1e-3);
        assert_near(victim->map_T_victim.y_m, middle_y_m + mounts[i].hole_y_m, 1e-3);
        assert_near(victim->map_T_victim.yaw_rad, 0.0, 1e-3);
        assert_near(victim->foot_m, mounts[i].foot_m, 1e-3);
        const cairn_vec3 at_m = {victim->map_T_victim.x_m, victim->map_T_victim.y_m, mounts[i].hole_z_m};
        const cairn_vec3 east_m = {wall_x_m + 0.8, at_m.y, mounts[i].hole_z_m};
        const cairn_vec3 west_m = {wall_x_m - 0.8, at_m.y, mounts[i].hole_z_m};
        const cairn_vec3 aside_m = {wall_x_m + 0.1, at_m.y + 0.6, mounts[i].hole_z_m};
        assert_int_equal(first_met(&arena, east_m, at_m), CAIRN_SOLID_VICTIM);
        assert_int_equal(first_met(&arena, west_m, at_m), CAIRN_SOLID_VICTIM_BOX);
        assert_int_equal(first_met(&arena, aside_m, at_m), CAIRN_SOLID_WALL);
    }
}

// The wall may be written in the cell beyond: its holes are then seen from the other side.
static void a_box_hangs_at_the_holes_of_a_wall_of_the_next_cell(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    cairn_import_report report;
    (void)import_ring(4, 3,
                      "<element type=\"wall_holes1\" rotation=\"270\" x=\"2\" y=\"1\"/>\n"
                      "<element type=\"victim_with_box1\" rotation=\"90\" x=\"1\" y=\"1\" mount-point=\"1\"/>\n",
                      &report, &arena);
    const cairn_sim_victim *victim = &arena.victims[0];
    const cairn_vec3 at_m = {victim->map_T_victim.x_m, victim->map_T_victim.y_m, 0.6};
    assert_near(victim->map_T_victim.y_m, EDGE_M + 1.8 + 0.3, 1e-3);
    assert_int_equal(first_met(&arena, (cairn_vec3){EDGE_M + 3.0, at_m.y, 0.6}, at_m), CAIRN_SOLID_VICTIM);
}

// No robot of ours gets up there; the victim is there all the same, and the file says that it is hard.
static void a_victim_on_a_raised_floor_sits_on_it(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    cairn_import_report report;
    const char *made = import_ring(4, 4,
                                   "<element type=\"elevated_floor_120\" rotation=\"0\" x=\"3\" y=\"3\"/>\n"
                                   "<element type=\"stairs_120\" rotation=\"90\" x=\"2\" y=\"3\"/>\n"
                                   "<element type=\"victim_1\" rotation=\"0\" x=\"3\" y=\"3\"/>\n",
                                   &report, &arena);
    assert_int_equal(report.victim_count, 1);
    assert_int_equal(report.relief_left_out, 0);
    assert_near(arena.victims[0].foot_m, 1.2, 1e-9);
    assert_non_null(strstr(made, "foot_m: 1.2, hard: true"));
}

// Who is in a box that hangs where a barrel is cannot be: it is told.
static void a_victim_that_would_stand_in_something_is_left_out_and_told(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    cairn_import_report report;
    const char *made = import_ring(4, 4,
                                   "<element type=\"victim_with_box1\" rotation=\"0\" x=\"2\" y=\"3\"/>\n"
                                   "<element type=\"victim_with_box1\" rotation=\"0\" x=\"1\" y=\"3\"/>\n"
                                   "<element type=\"fiducial_barrel\" rotation=\"0\" x=\"1\" y=\"3\"/>\n",
                                   &report, &arena);
    assert_int_equal(report.victim_count, 1);
    assert_int_equal(report.victims_left_out, 1);
    assert_non_null(strstr(made, "1 victims were left out"));
}

// A room with one doorway to the outside, around which the importer puts a fence. People are placed by chance, and
// never so that they close the doorway.
static void people_by_chance_leave_the_way_out_of_an_open_arena(void **state)
{
    (void)state;
    static char text[8192];
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"0\" x=\"%d\" y=\"2\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"180\" x=\"%d\" y=\"0\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"270\" x=\"0\" y=\"%d\"/>\n",
                                 i, i, i);
    }
    for (int x = 3; x < 6; x++) { // a corridor that leads out
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"0\" x=\"%d\" y=\"1\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"180\" x=\"%d\" y=\"1\"/>\n",
                                 x, x);
    }
    (void)snprintf(text + used, sizeof text - used,
                   "<element type=\"small_wall\" rotation=\"90\" x=\"2\" y=\"2\"/>\n"
                   "<element type=\"small_wall\" rotation=\"90\" x=\"2\" y=\"0\"/>\n");
    cairn_import_def def = cairn_import_def_default();
    def.file = write_text("open.raf", text);
    def.victim_count = 3;
    for (def.seed = 0; def.seed < 12; def.seed++) {
        const size_t mark = cairn_arena_mark(&memory);
        cairn_import_report report;
        (void)import(&def, &report);
        // The room and the corridor have less than 12 m2 for a robot's middle, the outside has 20.
        if (report.reach_m2 < 15.0) { fail_msg("seed %u: %.1f m2", (unsigned)def.seed, report.reach_m2); }
        cairn_arena_reset(&memory, mark);
    }
}

// 3 x 3 cells of ridges around one flat cell: people hang on the walls, and the ridges stay but for those below starts.
static void people_by_chance_take_no_ground_to_climb_away(void **state)
{
    (void)state;
    static char text[8192];
    size_t used = 0;
    for (int i = 0; i < 9; i++) {
        const int x = i % 3, y = i / 3, side = 90 * (i % 2);
        if (i == 4) { continue; }
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"half_ramp\" rotation=\"%d\" x=\"%d\" y=\"%d\"/>\n"
                                 "<element type=\"half_ramp\" rotation=\"%d\" x=\"%d\" y=\"%d\"/>\n",
                                 side, x, y, side + 180, x, y);
    }
    for (int i = 0; i < 3; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"0\" x=\"%d\" y=\"2\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"180\" x=\"%d\" y=\"0\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"270\" x=\"0\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"90\" x=\"2\" y=\"%d\"/>\n",
                                 i, i, i, i);
    }
    cairn_import_def def = cairn_import_def_default();
    def.file = write_text("ridges.raf", text);
    def.victim_count = 3;
    cairn_import_report report;
    const char *made = import(&def, &report);
    cairn_sim_arena arena;
    assert_ok(cairn_sim_arena_parse(made, strlen(made), "a.yaml", &memory, &told, &arena));
    assert_int_equal(arena.victim_count, 3);
    assert_true(arena.ramp_count >= 6);
    uint32_t hanging = 0;
    for (uint32_t i = 0; i < arena.victim_count; i++) {
        assert_false(arena.victims[i].hard);
        hanging += arena.victims[i].hangs;
    }
    assert_true(hanging >= 2);
}

// A room and a corridor of 1.2 m. Who sits in the corridor leaves way for the robot of the check, not for negotiator.
static void people_by_chance_leave_wide_robots_their_way(void **state)
{
    (void)state;
    static char text[8192];
    size_t used = 0;
    for (int x = 0; x < 8; x++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"0\" x=\"%d\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"180\" x=\"%d\" y=\"0\"/>\n",
                                 x, x < 3 || x > 5 ? 2 : 0, x);
    }
    for (int y = 0; y < 3; y++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"270\" x=\"0\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"90\" x=\"7\" y=\"%d\"/>\n",
                                 y, y);
        if (y == 0) { continue; }
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"90\" x=\"2\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"270\" x=\"6\" y=\"%d\"/>\n",
                                 y, y);
    }
    cairn_import_def def = cairn_import_def_default();
    def.file = write_text("corridor.raf", text);
    def.victim_count = 4;
    def.start_count = 2;
    cairn_reach_def wide = cairn_reach_def_default();
    wide.radius_m = 0.445;
    for (def.seed = 0; def.seed < 12; def.seed++) {
        const size_t mark = cairn_arena_mark(&memory);
        cairn_import_report report;
        const char *made = import(&def, &report);
        cairn_sim_arena arena;
        cairn_difficulty found;
        assert_ok(cairn_sim_arena_parse(made, strlen(made), "a.yaml", &memory, &told, &arena));
        assert_ok(cairn_difficulty_of(&arena, &wide, &found));
        if (found.reach_m2 < 0.9 * found.free_m2) { fail_msg("seed %u", (unsigned)def.seed); }
        cairn_arena_reset(&memory, mark);
    }
}

// A corridor of seven cells with something across it, between a room of starts and a person at its end.
static cairn_import_report import_corridor(const char *across, cairn_sim_arena *ret_arena)
{
    char text[4096];
    size_t used = 0;
    for (int i = 0; i < 7; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"0\" x=\"%d\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"180\" x=\"%d\" y=\"%d\"/>\n",
                                 i, i < 3 ? 1 : 0, i, i < 3 ? -1 : 0);
    }
    for (int y = -1; y <= 1; y++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<element type=\"small_wall\" rotation=\"270\" x=\"0\" y=\"%d\"/>\n"
                                 "<element type=\"small_wall\" rotation=\"90\" x=\"%d\" y=\"%d\"/>\n",
                                 y, y == 0 ? 6 : 2, y);
    }
    (void)snprintf(text + used, sizeof text - used,
                   "<element type=\"victim_1\" rotation=\"0\" x=\"6.25\" y=\"0\"/>\n%s", across);
    cairn_import_def def = cairn_import_def_default();
    def.file = write_text("corridor.raf", text);
    def.start_count = 3;
    cairn_import_report report;
    const char *made = import(&def, &report);
    assert_ok(cairn_sim_arena_parse(made, strlen(made), "a.yaml", &memory, &told, ret_arena));
    assert_int_equal(report.victim_count, 1);
    return report;
}

// Stairs with steps of 20 cm end the way for robots that climb 12 cm. They are real, and who is behind them is hard to
// get to; a ridge is not.
static void what_is_hard_to_get_over_is_real_and_said_to_be_hard(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    cairn_import_report report =
        import_corridor("<element type=\"stairs_120\" rotation=\"90\" x=\"4\" y=\"0\"/>", &arena);
    assert_int_equal(report.relief_count, 1);
    assert_int_equal(report.relief_left_out, 0);
    assert_true(arena.victims[0].hard);
    report = import_corridor("<element type=\"half_ramp\" rotation=\"90\" x=\"4\" y=\"0\"/>"
                             "<element type=\"half_ramp\" rotation=\"270\" x=\"4\" y=\"0\"/>",
                             &arena);
    assert_int_equal(report.relief_count, 1);
    assert_int_equal(report.relief_left_out, 0);
    assert_int_equal(arena.ramp_count, 1);
    assert_false(arena.victims[0].hard || arena.ramps[0].hard);
}

// Walls stand at both feet of a ridge that lies along a corridor: robots drive on it, though not over it.
static void a_ridge_along_a_corridor_is_a_ridge(void **state)
{
    (void)state;
    cairn_sim_arena arena;
    const cairn_import_report report = import_corridor("<element type=\"half_ramp\" rotation=\"0\" x=\"4\" y=\"0\"/>"
                                                       "<element type=\"half_ramp\" rotation=\"180\" x=\"4\" y=\"0\"/>",
                                                       &arena);
    assert_int_equal(report.relief_count, 1);
    assert_int_equal(report.relief_left_out, 0);
    assert_int_equal(arena.ramp_count, 1);
    assert_false(arena.ramps[0].slope);
    assert_true(arena.ramps[0].hard);
    assert_near(arena.ramps[0].length_m, 1.18, 1e-9);
}

static void files_that_cannot_be_imported_are_told_by_name(void **state)
{
    (void)state;
    cairn_import_def def = cairn_import_def_default();
    def.file = in_folder("none.pgm");
    assert_import_refused(&def, "none.pgm: cannot be read");
    def.file = write_text("lost.yaml", "image: nowhere.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\n");
    assert_import_refused(&def, "nowhere.pgm: cannot be read");
    def.file = write_text("odd.yaml", "image: a.pgm\nresolution: -1\n");
    assert_import_refused(&def, "odd.yaml:2: resolution");
    def.file = write_text("text.pgm", "hello");
    assert_import_refused(&def, "neither PGM");
    def.file = folder;
    assert_import_refused(&def, "not a file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_binary_and_gzipped_pictures_are_the_same),
        TEST(a_picture_that_is_cut_off_is_refused),
        TEST(a_picture_that_claims_too_many_pixels_is_refused_before_memory_is_taken),
        TEST(transparent_paper_is_white),
        TEST(thresholds_mean_what_the_map_server_says),
        TEST(pictures_are_not_upside_down),
        TEST(dirt_goes_and_the_outside_is_closed),
        TEST(a_free_sheet_around_a_building_is_not_the_place),
        TEST(a_map_without_ground_is_refused_in_words),
        TEST(covers_have_every_wall_and_no_free_ground),
        TEST(plain_shapes_take_as_few_rectangles_as_a_person_would),
        TEST(too_many_rectangles_are_told_and_leave_no_trace),
        TEST(a_house_has_as_much_ground_as_its_outline),
        TEST(plans_that_are_none_are_refused_in_words),
        TEST(walls_of_a_nist_arena_stand_where_their_rotation_says),
        TEST(all_that_arena_files_have_no_word_for_is_told_also_in_one_cell),
        TEST(half_ramps_make_ridges_and_slopes),
        TEST(full_ramps_stairs_floors_and_step_fields_lie_as_their_models_do),
        TEST(ramps_side_by_side_leave_no_crack),
        TEST(a_barrel_stands_on_its_side_of_the_wall_only),
        TEST(a_storage_has_its_two_boards),
        TEST(what_is_hard_to_get_over_is_real_and_said_to_be_hard),
        TEST(a_ridge_along_a_corridor_is_a_ridge),
        TEST(nist_arenas_that_are_none_are_refused_with_their_line),
        TEST(imported_maps_are_arenas_in_order_with_all_their_walls),
        TEST(the_same_seed_gives_the_same_bytes_and_another_other_victims),
        TEST(few_boxes_are_bought_with_softer_walls_and_that_is_said),
        TEST(walls_that_meet_end_to_end_do_not_grow_into_free_ground),
        TEST(people_in_narrow_places_leave_every_start_a_way_out),
        TEST(a_picture_without_a_scale_is_asked_for_one),
        TEST(a_victim_in_a_box_without_a_hole_is_open_to_its_cell),
        TEST(a_victim_behind_a_hole_of_a_wall_is_seen_through_it_only),
        TEST(a_box_hangs_at_the_holes_of_a_wall_of_the_next_cell),
        TEST(a_victim_on_a_raised_floor_sits_on_it),
        TEST(a_victim_that_would_stand_in_something_is_left_out_and_told),
        TEST(people_by_chance_leave_the_way_out_of_an_open_arena),
        TEST(people_by_chance_take_no_ground_to_climb_away),
        TEST(people_by_chance_leave_wide_robots_their_way),
        TEST(files_that_cannot_be_imported_are_told_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
