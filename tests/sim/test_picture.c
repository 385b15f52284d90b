// test_picture.c - the canvas: shapes cover what geometry says, and files hold what was drawn.
#include "check.h"
#include "picture_memory.h"
#include "sim/arena/plan/plan.h"
#include <math.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const cairn_ink WHITE = {255, 255, 255, 255}, BLACK = {0, 0, 0, 255};

static cairn_picture white(uint32_t width_px, uint32_t height_px)
{
    cairn_arena_reset(&memory, 0);
    cairn_picture picture;
    assert_ok(cairn_picture_create(width_px, height_px, WHITE, &memory, &picture));
    return picture;
}

// Black drawn on white: how many pixels' worth.
static double area_px(const cairn_picture *picture)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)3 * picture->width_px * picture->height_px; i += 3) {
        sum += (255 - picture->rgb[i]) / 255.0;
    }
    return sum;
}

static void shapes_cover_their_area(void **state)
{
    (void)state;
    cairn_picture picture = white(200, 200);
    cairn_picture_disc(&picture, (cairn_vec2){100.3, 99.8}, 60, BLACK);
    assert_true(fabs(area_px(&picture) - CAIRN_PI * 3600) < 20);

    picture = white(200, 200);
    cairn_picture_rectangle(&picture, (cairn_vec2){150.5, 20.25}, (cairn_vec2){10.25, 180.5}, BLACK);
    assert_true(fabs(area_px(&picture) - 140.25 * 160.25) < 3);

    picture = white(200, 200);
    cairn_picture_line(&picture, (cairn_vec2){20, 30}, (cairn_vec2){170, 150}, 7, BLACK);
    assert_true(fabs(area_px(&picture) - (hypot(150, 120) * 7 + CAIRN_PI * 3.5 * 3.5)) < 5);

    picture = white(200, 200);
    const cairn_vec2 triangle[] = {{10, 10}, {190, 40}, {60, 180}};
    cairn_picture_polygon(&picture, triangle, 3, BLACK);
    assert_true(fabs(area_px(&picture) - fabs(180.0 * 170 - 50.0 * 30) / 2) < 15);
}

static void what_lies_outside_is_cut_off(void **state)
{
    (void)state;
    cairn_picture picture = white(50, 40);
    cairn_picture_disc(&picture, (cairn_vec2){-1e9, 5}, 10, BLACK);
    cairn_picture_disc(&picture, (cairn_vec2){0, 0}, 10, BLACK);
    cairn_picture_line(&picture, (cairn_vec2){-1000, 20}, (cairn_vec2){1e6, 20}, 2, BLACK);
    cairn_picture_rectangle(&picture, (cairn_vec2){45, 35}, (cairn_vec2){1e12, 1e12}, BLACK);
    cairn_picture_text(&picture, (cairn_vec2){-20, -5}, 3, BLACK, "edge edge edge");
    cairn_picture_pixel(&picture, 50, 0, BLACK);
    cairn_picture_pixel(&picture, 0, -1, BLACK);
    assert_int_equal(picture.rgb[0], 0);
    assert_int_equal(picture.rgb[3 * (39 * 50 + 49)], 0);
    assert_int_equal(picture.rgb[3 * (30 * 50 + 25)], 255);
}

static void a_fifth_of_cover_mixes_a_fifth(void **state)
{
    (void)state;
    cairn_picture picture = white(2, 2);
    cairn_picture_pixel(&picture, 0, 0, (cairn_ink){0, 100, 255, 51}); // a fifth
    assert_int_equal(picture.rgb[0], 204);
    assert_int_equal(picture.rgb[1], 224);
    assert_int_equal(picture.rgb[2], 255);
}

// Every letter that can be typed is drawn, differs from the others, and stays in its box.
static void letters_are_all_there_and_differ(void **state)
{
    (void)state;
    for (char letter = '!'; letter <= '~'; letter++) {
        cairn_picture picture = white(20, 30);
        const char text[] = {letter, '\0'};
        cairn_picture_text(&picture, (cairn_vec2){3, 3}, 2, BLACK, text);
        assert_true(area_px(&picture) > 0);
        for (uint32_t y = 0; y < 30; y++) {
            for (uint32_t x = 0; x < 20; x++) {
                const bool in_box = x >= 3 && x < 13 && y >= 3 && y < 21;
                assert_true(in_box || picture.rgb[3 * (y * 20 + x)] == 255);
            }
        }
        for (char other = '!'; other < letter; other++) {
            assert_memory_not_equal(cairn_picture_letters[letter - 32], cairn_picture_letters[other - 32],
                                    CAIRN_PICTURE_LETTER_ROWS);
        }
    }
    assert_true(cairn_picture_text_width_px(2, "ab") == 22);
    assert_true(cairn_picture_text_width_px(2, "\xc3\xa4") == 10); // one letter, though not ASCII
    assert_true(cairn_picture_text_width_px(2, "") == 0);
}

static void a_file_holds_what_was_drawn(void **state)
{
    (void)state;
    cairn_picture picture = white(123, 77);
    cairn_picture_disc(&picture, (cairn_vec2){60, 40}, 30, (cairn_ink){240, 10, 10, 255});
    cairn_picture_text(&picture, (cairn_vec2){5, 5}, 1, (cairn_ink){0, 50, 140, 255}, "Victim 1");
    char path[] = "/tmp/cairn-picture-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    static cairn_complaints told;
    assert_ok(cairn_picture_write_png(&picture, path, &told));

    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, 123);
    assert_int_equal(image.height, 77);
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    assert_memory_equal(pixels, picture.rgb, 3 * 123 * 77);
    free(pixels);
    unlink(path);
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    const cairn_picture picture = white(4, 4);
    cairn_complaints told = {0};
    assert_int_equal(cairn_picture_write_png(&picture, "/nowhere/a.png", &told), CAIRN_ERR_IO);
    assert_string_equal(told.text, "/nowhere/a.png: cannot be written: No such file or directory\n");
    memset(&told, 0, sizeof told);
    assert_int_equal(cairn_picture_write_png(&picture, "/dev/full", &told), CAIRN_ERR_IO);
}

// Half a picture looks like a whole one of less; on a full disk the old one stays.
static void a_picture_that_cannot_be_written_leaves_what_was_there(void **state)
{
    (void)state;
    cairn_picture picture = white(300, 300);
    char folder[] = "/tmp/cairn-picture-XXXXXX", path[64], beside[80];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.png", folder);
    (void)snprintf(beside, sizeof beside, "%s.new", path);
    cairn_complaints told = {0};
    assert_ok(cairn_picture_write_png(&picture, path, &told));
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    for (size_t i = 0; i < (size_t)3 * 300 * 300; i++) { picture.rgb[i] = (uint8_t)(i * i >> 7); } // packs badly
    struct rlimit as_it_was;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &as_it_was), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, as_it_was.rlim_max}), 0);
    const cairn_err err = cairn_picture_write_png(&picture, path, &told);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &as_it_was), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(err, CAIRN_ERR_IO);
    assert_non_null(strstr(told.text, "cannot be written: File too large"));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_int_equal(stat(beside, &after), -1);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void sizes_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    cairn_picture picture;
    cairn_arena_reset(&memory, 0);
    assert_int_equal(cairn_picture_create(CAIRN_PICTURE_SIDE_PX_MAX + 1, 1, WHITE, &memory, &picture),
                     CAIRN_ERR_TOO_LARGE);
    assert_int_equal(cairn_picture_create(10000, 10000, WHITE, &memory, &picture), CAIRN_ERR_FULL);
}

static const uint8_t *pixel_at(const cairn_picture *picture, double x_px, double y_px)
{
    return &picture->rgb[3 * ((size_t)y_px * picture->width_px + (size_t)x_px)];
}

// A plan has walls where walls are, in the right place and the right way up.
static void a_plan_shows_each_thing_where_it_stands(void **state)
{
    (void)state;
    const char text[] = "name: a\nabout: b\nsize_m: [8, 4]\nstarts: [{at_m: [1, 1]}]\n"
                        "walls: [{points_m: [[2, 3], [6, 3]], thickness_m: 0.2}]\n"
                        "victims: [{name: v, at_m: [7, 1]}]\n";
    cairn_arena_reset(&memory, 0);
    static cairn_complaints told;
    cairn_sim_arena arena;
    assert_ok(cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, &arena));
    cairn_picture plan;
    assert_ok(cairn_sim_arena_draw(&arena, 100, &memory, &plan));
    uint32_t width_px, height_px;
    cairn_sim_arena_picture_size(&arena, 100, &width_px, &height_px);
    assert_int_equal(plan.width_px, width_px);
    assert_int_equal(plan.height_px, height_px);
    // The floor's upper left corner is where the paper ends: found by its colour, between lines of the grid.
    uint32_t left = 0, top = 0;
    while (pixel_at(&plan, left, height_px / 2.0)[0] != 255) { assert_true(++left < width_px); }
    while (pixel_at(&plan, width_px / 2.0 + 20, top)[0] != 255) { assert_true(++top < height_px); }
    const uint8_t wall[] = {0, 40, 120};
    assert_memory_equal(pixel_at(&plan, left + 230, top + 100), wall, 3);
    assert_memory_equal(pixel_at(&plan, left + 230, top + 108), wall, 3);
    assert_int_equal(pixel_at(&plan, left + 230, top + 113)[0], 255);
    const uint8_t victim[] = {240, 10, 10};
    assert_memory_equal(pixel_at(&plan, left + 700, top + 313), victim, 3);
    const uint8_t start[] = {255, 200, 0};
    assert_memory_equal(pixel_at(&plan, left + 110, top + 300), start, 3);
}

static void assert_ink(const cairn_picture *plan, double x_px, double y_px, cairn_ink ink)
{
    const uint8_t expected[] = {ink.red, ink.green, ink.blue};
    assert_memory_equal(pixel_at(plan, x_px, y_px), expected, 3);
}

// Ground is coloured by its height, whatever element it comes from; where two overlap the higher one is seen.
static void a_plan_shows_how_high_the_ground_is(void **state)
{
    (void)state;
    const char text[] =
        "name: a\nabout: b\nsize_m: [8, 4]\nstarts: [{at_m: [1, 1]}]\n"
        "platforms: [{at_m: [3, 2.5], size_m: [1, 1], top_m: 0.1}, {at_m: [3, 2.5], size_m: [0.4, 0.4], "
        "top_m: 0.2}, {at_m: [3.2, 2.5], size_m: [1, 1], top_m: 0.05}]\n"
        "holes: [{at_m: [5, 2.5], size_m: [1, 1], depth_m: 1}]\n";
    cairn_arena_reset(&memory, 0);
    static cairn_complaints told;
    cairn_sim_arena arena;
    assert_ok(cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, &arena));
    cairn_picture plan;
    const double scale = 100;
    assert_ok(cairn_sim_arena_draw(&arena, scale, &memory, &plan));
    uint32_t left = 0;
    while (pixel_at(&plan, left, plan.height_px / 2.0)[0] != 255) { assert_true(++left < plan.width_px); }
    const double north = 58 + 150; // rows below the title, 1.5 m south of the northern edge
    assert_ink(&plan, left + 300, north, cairn_ground_ink(0.2));
    assert_ink(&plan, left + 265, north, cairn_ground_ink(0.1));
    assert_ink(&plan, left + 360, north, cairn_ground_ink(0.05));
    assert_ink(&plan, left + 500, north, cairn_ground_ink(-1));
    assert_int_equal(pixel_at(&plan, left + 620, north + 20)[0], 255);
}

// A wall with a hole is made of walls above each other: none of them is an upper storey's, and a box that hangs there
// is seen from above as one that stands. What has no wall below it is an upper storey's.
static void a_wall_upon_a_wall_is_no_upper_storey(void **state)
{
    (void)state;
    const char text[] = "name: a\nabout: b\nsize_m: [8, 4]\nstarts: [{at_m: [1, 1]}]\n"
                        "walls: [{points_m: [[2, 3], [4, 3]], thickness_m: 0.2, height_m: 0.7},\n"
                        "  {points_m: [[2, 3], [2.8, 3]], thickness_m: 0.2, height_m: 0.2, foot_m: 0.7},\n"
                        "  {points_m: [[5, 3], [7, 3]], thickness_m: 0.2, height_m: 0.7, foot_m: 0.7}]\n"
                        "victims: [{name: v, at_m: [3.3, 2.75], facing_deg: 90, foot_m: 0.7, hangs: true}]\n";
    cairn_arena_reset(&memory, 0);
    static cairn_complaints told;
    cairn_sim_arena arena;
    const cairn_err err = cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, &arena);
    if (err != CAIRN_OK) { fail_msg("%s", told.text); }
    cairn_picture plan;
    assert_ok(cairn_sim_arena_draw(&arena, 100, &memory, &plan));
    uint32_t left = 0;
    while (pixel_at(&plan, left, plan.height_px / 2.0)[0] != 255) { assert_true(++left < plan.width_px); }
    const double north = 58 + 100;
    assert_ink(&plan, left + 240, north, CAIRN_PLAN_WALL);
    assert_ink(&plan, left + 350, north, CAIRN_PLAN_WALL);
    assert_true(pixel_at(&plan, left + 600, north)[0] > 100); // what is below shows through
    const cairn_solid *panel = NULL;
    for (uint32_t i = 0; i < arena.solid_count; i++) {
        const cairn_solid *solid = &arena.solids[i];
        const bool side = solid->half_m.x < 0.02 || solid->half_m.y < 0.02;
        if (solid->kind == CAIRN_SOLID_VICTIM_BOX && side) { panel = solid; }
    }
    assert_non_null(panel);
    assert_ink(&plan, left + 100 * panel->map_T_box.at_m.x, 58 + 100 * (4 - panel->map_T_box.at_m.y), CAIRN_PLAN_PANEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_cover_their_area),
        cmocka_unit_test(what_lies_outside_is_cut_off),
        cmocka_unit_test(a_fifth_of_cover_mixes_a_fifth),
        cmocka_unit_test(letters_are_all_there_and_differ),
        cmocka_unit_test(a_file_holds_what_was_drawn),
        cmocka_unit_test(a_file_that_cannot_be_written_is_told),
        cmocka_unit_test(a_picture_that_cannot_be_written_leaves_what_was_there),
        cmocka_unit_test(sizes_beyond_the_limit_are_refused),
        cmocka_unit_test(a_plan_shows_each_thing_where_it_stands),
        cmocka_unit_test(a_plan_shows_how_high_the_ground_is),
        cmocka_unit_test(a_wall_upon_a_wall_is_no_upper_storey),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
