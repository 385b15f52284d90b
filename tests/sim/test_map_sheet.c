// test_map_sheet.c - a map drawn for people: nobody who was found is missing, and nothing lies on something else.
#include "check.h"
#include "picture_memory.h"
#include "sim/mission/report/map_sheet.h"
#include <stdio.h>
#include <string.h>

enum { SIDE = 100, TITLE_PX = 78, MARGIN_PX = 48, NORTH_PX = 110 }; // of the sheet: above the map, beside it, of north
static const cairn_ink VICTIM = {240, 10, 10, 255}, WHITE = {255, 255, 255, 255};
static uint8_t cells[SIDE * SIDE];

// 10 x 10 m of free ground.
static cairn_sheet_place draw(cairn_map_sheet sheet, cairn_picture *ret_picture)
{
    memset(cells, CAIRN_GROUND_FREE, sizeof cells);
    const cairn_map map = {.width = SIDE, .height = SIDE, .cell_m = 0.1, .ground = cells};
    sheet.map = &map;
    sheet.style = CAIRN_SHEET_CLEAN;
    sheet.title = sheet.title != NULL ? sheet.title : "";
    sheet.aside = sheet.words = "";
    cairn_sheet_place place;
    assert_ok(cairn_map_sheet_draw(&sheet, &memory, ret_picture, &place));
    return place;
}

static const uint8_t *pixel_at(const cairn_picture *picture, double x, double y)
{
    assert_true(x >= 0 && y >= 0 && x < picture->width_px && y < picture->height_px);
    return &picture->rgb[3 * ((size_t)y * picture->width_px + (size_t)x)];
}

static bool is_ink(const cairn_picture *picture, double x, double y, cairn_ink ink)
{
    const uint8_t *rgb = pixel_at(picture, x, y);
    return rgb[0] == ink.red && rgb[1] == ink.green && rgb[2] == ink.blue;
}

static cairn_vec2 to_px(const cairn_sheet_place *place, cairn_vec2 at_m)
{
    return (cairn_vec2){(at_m.x - place->corner_m.x) * place->px_per_m, (place->corner_m.y - at_m.y) * place->px_per_m};
}

// Whoever names a picture by a sentence must still see where north is.
static void a_long_title_ends_before_north(void **state)
{
    (void)state;
    char title[201];
    memset(title, 'W', sizeof title);
    for (uint32_t letters = 8; letters <= 200; letters += 8) {
        title[letters] = '\0';
        cairn_arena_reset(&memory, 0);
        cairn_picture with, without;
        (void)draw((cairn_map_sheet){.title = title}, &with);
        (void)draw((cairn_map_sheet){0}, &without);
        assert_int_equal(with.width_px, without.width_px);
        bool is_titled = false;
        for (uint32_t y = 0; y < TITLE_PX; y++) {
            const uint32_t north = with.width_px - NORTH_PX;
            assert_memory_equal(pixel_at(&with, north, y), pixel_at(&without, north, y), 3 * NORTH_PX);
            is_titled |= memcmp(pixel_at(&with, 0, y), pixel_at(&without, 0, y), (size_t)3 * north) != 0;
        }
        assert_true(is_titled);
        title[letters] = 'W';
    }
}

// The number is what the list beside the picture is read by. White on white it is none.
static void a_number_lies_on_its_mark_however_long_it_is(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {7, 42, 123, 999999};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        cairn_arena_reset(&memory, 0);
        const cairn_sheet_mark victim = {numbers[i], {5.05, 5.05}};
        cairn_picture picture;
        const cairn_sheet_place place = draw((cairn_map_sheet){.victims = &victim, .victim_count = 1}, &picture);
        const cairn_vec2 at = to_px(&place, victim.at_m);
        char text[12];
        (void)snprintf(text, sizeof text, "%u", numbers[i]);
        const double half = 0.5 * cairn_picture_text_width_px(2, text);
        for (int side = -1; side <= 1; side += 2) {
            assert_true(is_ink(&picture, at.x + side * (half + 2), at.y - 3, VICTIM));
            assert_true(is_ink(&picture, at.x + side * (half + 2), at.y + 3, VICTIM));
            assert_true(is_ink(&picture, at.x + side * (half + 12), at.y, WHITE));
        }
    }
}

// A person who lies where nobody has looked yet, or a robot that went there, belongs into the picture more than most.
static void finds_and_ways_beyond_the_known_ground_are_in_the_picture(void **state)
{
    (void)state;
    static const cairn_vec2 places_m[] = {{14, 5}, {-4, 5}, {5, 16}, {5, -3.3}};
    for (size_t i = 0; i < sizeof places_m / sizeof places_m[0]; i++) {
        cairn_arena_reset(&memory, 0);
        const cairn_sheet_mark victim = {1, places_m[i]};
        const cairn_sheet_way way = {.name = "emu1", .points_m = &places_m[i], .point_count = 1};
        cairn_picture picture;
        const cairn_map_sheet sheets[] = {{.victims = &victim, .victim_count = 1},
                                          {.things = &victim, .thing_count = 1},
                                          {.ways = &way, .way_count = 1}};
        for (int k = 0; k < 3; k++) {
            const cairn_sheet_place place = draw(sheets[k], &picture);
            const cairn_vec2 at = to_px(&place, places_m[i]);
            assert_true(at.x > MARGIN_PX && at.x < picture.width_px - MARGIN_PX && at.y > TITLE_PX);
            assert_false(is_ink(&picture, at.x - 5, at.y, WHITE));
            assert_int_equal(place.beyond_count, 0);
        }
    }
}

// A place in another frame must not shrink the map to a dot, nor be drawn on title and legend; it is counted.
static void what_lies_far_beyond_is_left_out_and_counted(void **state)
{
    (void)state;
    cairn_arena_reset(&memory, 0);
    const cairn_sheet_mark far[] = {{1, {1e6, -1e6}}, {2, {5, 60}}, {3, {5, 5}}};
    const cairn_vec2 points_m[] = {{5, 5}, {5, 300}, {-1e6, 5}, {5, 5}};
    const cairn_sheet_way way = {
        .name = "emu1", .points_m = points_m, .point_count = 4, .has_start = true, .start = {900, 900, 0}};
    cairn_picture with, without;
    const cairn_map_sheet sheet = {
        .victims = far, .victim_count = 3, .things = far, .thing_count = 2, .ways = &way, .way_count = 1};
    const cairn_sheet_place place = draw(sheet, &with), plain = draw((cairn_map_sheet){0}, &without);
    assert_float_equal(place.px_per_m, plain.px_per_m, 1e-12);
    assert_int_equal(place.beyond_count, 4);
    assert_int_equal(plain.beyond_count, 0);
    assert_memory_equal(with.rgb, without.rgb, (size_t)3 * TITLE_PX * with.width_px);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_title_ends_before_north),
        cmocka_unit_test(a_number_lies_on_its_mark_however_long_it_is),
        cmocka_unit_test(finds_and_ways_beyond_the_known_ground_are_in_the_picture),
        cmocka_unit_test(what_lies_far_beyond_is_left_out_and_counted),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
