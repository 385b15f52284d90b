// test_radio_picture.c - the picture of a radio shows what the radio does.
#include "check.h"
#include "sim/medium/medium_field.h"
#include "sim/medium/radio_picture.h"
#include <math.h>
#include <string.h>

#define SCALE_PX_PER_M 10.0

static cairn_solid solids[1];
static cairn_pose2 starts[1] = {{2, 5, 0}};
static cairn_sim_arena arena = {
    .name = "hall", .size_m = {60, 20}, .solids = solids, .starts = starts, .start_count = 1};
static cairn_arena memory;

static int begin(void **state)
{
    (void)state;
    // One wall of metal across the hall.
    solids[0] = (cairn_solid){.kind = CAIRN_SOLID_WALL,
                              .map_T_box = {{30, 10, 1}, cairn_quat_identity()},
                              .half_m = {0.1, 10, 1},
                              .material = CAIRN_MATERIAL_METAL};
    arena.solid_count = 1;
    return cairn_arena_create(&memory, (size_t)16 << 20) == CAIRN_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cairn_arena_destroy(&memory);
    return 0;
}

static cairn_radio_picture_def hall(void)
{
    cairn_radio_picture_def def = {.medium = cairn_medium_def_default(),
                                   .from_m = {2, 10},
                                   .from_name = "station",
                                   .scale_px_per_m = SCALE_PX_PER_M};
    def.medium.arena = &arena;
    def.medium.robot_count = 1;
    def.medium.radio.model = CAIRN_MEDIUM_LOG_DISTANCE;
    def.medium.radio.log_distance.shadowing_db = 0;
    return def;
}

static cairn_picture draw(const cairn_radio_picture_def *def, double *ret_covered)
{
    cairn_arena_reset(&memory, 0);
    cairn_picture picture;
    cairn_radio_picture_info info;
    assert_ok(cairn_radio_picture_draw(def, &memory, &picture, &info));
    uint32_t width_px, height_px;
    cairn_radio_picture_size(def, &width_px, &height_px);
    assert_int_equal(picture.width_px, width_px);
    assert_int_equal(picture.height_px, height_px);
    *ret_covered = info.covered;
    return picture;
}

// Lightness of the floor, 0..765, at a place; the plan's margins are 56 to the left and 58 above.
static int light_at(const cairn_picture *picture, cairn_vec2 at_m)
{
    const size_t x = (size_t)(56 + SCALE_PX_PER_M * at_m.x), y = (size_t)(58 + SCALE_PX_PER_M * (20 - at_m.y));
    const uint8_t *rgb = &picture->rgb[3 * (y * picture->width_px + x)];
    return rgb[0] + rgb[1] + rgb[2];
}

static void the_floor_is_darker_where_less_gets_through(void **state)
{
    (void)state;
    cairn_radio_picture_def def = hall();
    def.medium.radio.log_distance.transmit_dbm = 0; // 90 dB to spend: 40 for a metre, 26 for the wall
    double covered;
    const cairn_picture picture = draw(&def, &covered);
    const int near = light_at(&picture, (cairn_vec2){5, 13}), far = light_at(&picture, (cairn_vec2){28, 13});
    const int behind = light_at(&picture, (cairn_vec2){33, 13});
    assert_true(near > far && far > behind);
}

// A count of places, by the field itself.
static void the_part_that_is_covered_is_that_of_the_field(void **state)
{
    (void)state;
    cairn_radio_picture_def def = hall();
    def.medium.radio.log_distance.transmit_dbm = -25; // the edge is on the open floor, at 14 m
    double covered;
    (void)draw(&def, &covered);
    cairn_medium_field *field;
    cairn_arena_reset(&memory, 0);
    assert_ok(cairn_medium_field_create(&def.medium, &memory, &field));
    int count = 0, all = 0;
    for (double y_m = 0.05; y_m < 20; y_m += 0.1) {
        for (double x_m = 0.05; x_m < 60; x_m += 0.1, all++) {
            const cairn_medium_route route = cairn_medium_field_route(field, def.from_m, (cairn_vec2){x_m, y_m});
            count += cairn_medium_field_chance(field, &route) >= 0.9;
        }
    }
    assert_true(covered > 0.1 && covered < 0.9);
    assert_true(fabs(covered - (double)count / all) < 0.005);
}

static void zones_and_relays_show(void **state)
{
    (void)state;
    cairn_radio_picture_def def = hall();
    def.medium.radio.log_distance.transmit_dbm = -5;
    double before, after, none;
    (void)draw(&def, &before);
    cairn_medium_relay relay = {.at_m = {28, 10}};
    def.medium.radio.relays = &relay;
    def.medium.radio.relay_count = 1;
    (void)draw(&def, &after);
    assert_true(after > before + 0.02);
    cairn_medium_zone zone = {.at_m = {10, 4}, .size_m = {6, 4}};
    def.medium.radio.zones = &zone;
    def.medium.radio.zone_count = 1;
    const cairn_picture picture = draw(&def, &none);
    assert_true(none < after);
    assert_true(light_at(&picture, (cairn_vec2){11, 4.5}) < light_at(&picture, (cairn_vec2){16, 4.5}));
    def.from_m = zone.at_m; // an antenna in a cage
    (void)draw(&def, &none);
    assert_true(none == 0);
}

static void the_same_radio_gives_the_same_bytes(void **state)
{
    (void)state;
    cairn_radio_picture_def def = hall();
    def.medium.radio.log_distance.shadowing_db = 8;
    def.medium.radio.log_distance.transmit_dbm = -5;
    static uint8_t first[1 << 20];
    double covered, again, other;
    cairn_picture picture = draw(&def, &covered);
    const size_t size_bytes = (size_t)3 * picture.width_px * picture.height_px;
    assert_true(size_bytes <= sizeof first);
    memcpy(first, picture.rgb, size_bytes);
    picture = draw(&def, &again);
    assert_true(again == covered);
    assert_memory_equal(picture.rgb, first, size_bytes);
    def.medium.seed++;
    picture = draw(&def, &other);
    assert_true(memcmp(picture.rgb, first, size_bytes) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_floor_is_darker_where_less_gets_through, begin, end),
        cmocka_unit_test_setup_teardown(the_part_that_is_covered_is_that_of_the_field, begin, end),
        cmocka_unit_test_setup_teardown(zones_and_relays_show, begin, end),
        cmocka_unit_test_setup_teardown(the_same_radio_gives_the_same_bytes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
