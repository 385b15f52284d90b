// Hot spots on painted pictures: what is found, where, and what is left out.
#include "../base/check.h"
#include "base/random.h"
#include "perception/hot_spots.h"
#include <math.h>

#define SEED 21
#define WIDTH 80
#define HEIGHT 60

static uint16_t picture[WIDTH * HEIGHT];
static cairn_hot_spot spots[CAIRN_HOT_SPOTS_MAX];

static uint16_t centikelvin(double celsius) { return (uint16_t)lround(100 * (celsius + 273.15)); }

static void paint_all(double celsius)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) { picture[i] = centikelvin(celsius); }
}

static void paint(int left, int top, int right, int bottom, double celsius)
{
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) { picture[y * WIDTH + x] = centikelvin(celsius); }
    }
}

static uint32_t find(void)
{
    const cairn_hot_spots_def def = cairn_hot_spots_def_default();
    return cairn_hot_spots_find(&def, picture, WIDTH, HEIGHT, spots);
}

static void a_warm_rectangle_is_found_where_it_is(void **state)
{
    (void)state;
    paint_all(20);
    paint(10, 20, 19, 44, 33);
    picture[30 * WIDTH + 12] = centikelvin(34.5);
    assert_int_equal(find(), 1);
    assert_int_equal(spots[0].pixel_count, 250);
    assert_true(spots[0].left == 10 && spots[0].right == 19 && spots[0].top == 20 && spots[0].bottom == 44);
    assert_float_equal(spots[0].column, 14.5, 1e-9);
    assert_float_equal(spots[0].row, 32, 1e-9);
    assert_float_equal(spots[0].celsius_max, 34.5, 0.006);
    assert_false(spots[0].cut_left || spots[0].cut_right || spots[0].cut_top || spots[0].cut_bottom);
}

// The border columns of the picture look along half the field; the middle looks straight ahead.
static void directions_follow_the_pinhole(void **state)
{
    (void)state;
    paint_all(20);
    paint(0, 0, WIDTH - 1, 0, 33);
    assert_int_equal(find(), 1);
    const double half = 35 * CAIRN_PI / 180;
    assert_float_equal(spots[0].towards_left.y / spots[0].towards_left.x, tan(half), 1e-9);
    assert_float_equal(spots[0].towards_right.y / spots[0].towards_right.x, -tan(half), 1e-9);
    assert_float_equal(spots[0].towards_top.z / spots[0].towards_top.x, tan(half) * HEIGHT / WIDTH, 1e-9);
    assert_float_equal(spots[0].towards.y, 0, 1e-9);
    assert_float_equal(cairn_vec3_length(spots[0].towards), 1, 1e-12);
    assert_true(spots[0].cut_left && spots[0].cut_right && spots[0].cut_top && !spots[0].cut_bottom);
}

static void noise_alone_is_no_spot(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/noise");
    for (int round = 0; round < 50; round++) {
        const double ambient = cairn_random_between(&random, 5, 35);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            picture[i] = centikelvin(ambient + cairn_random_gauss(&random)); // ten times the camera's noise
        }
        assert_int_equal(find(), 0);
    }
}

static void what_is_too_hot_too_small_or_hardly_warmer_is_left_out(void **state)
{
    (void)state;
    paint_all(20);
    paint(5, 5, 20, 20, 60);   // a fire
    paint(30, 30, 31, 30, 33); // two pixels
    paint(40, 40, 50, 50, 27); // a warm pipe
    assert_int_equal(find(), 0);
    paint_all(30);
    paint(40, 40, 50, 50, 34); // a person's temperature, in a hall that is as warm
    assert_int_equal(find(), 0);
}

static void a_person_who_fills_most_of_the_picture_is_found(void **state)
{
    (void)state;
    paint_all(20);
    paint(10, 0, WIDTH - 1, HEIGHT - 1, 33); // seven eighths
    assert_int_equal(find(), 0);
    paint(10, 0, 69, HEIGHT - 1, 33);
    paint(70, 0, WIDTH - 1, HEIGHT - 1, 20); // three quarters
    assert_int_equal(find(), 1);
    assert_int_equal(spots[0].pixel_count, 60 * HEIGHT);
}

static void pixels_that_are_not_known_belong_to_nothing(void **state)
{
    (void)state;
    paint_all(20);
    paint(10, 10, 20, 20, 33);
    for (int y = 0; y < HEIGHT; y++) { picture[y * WIDTH + 15] = 0; }
    assert_int_equal(find(), 2); // the dead column cuts it in two
    for (int i = 0; i < WIDTH * HEIGHT; i++) { picture[i] = 0; }
    assert_int_equal(find(), 0);
}

static void spots_come_largest_first_and_the_smallest_are_dropped(void **state)
{
    (void)state;
    paint_all(20);
    for (int i = 0; i < 20; i++) {
        const int left = i % 5 * 15 + 1, top = i / 5 * 14 + 1;
        paint(left, top, left + 1, top + 2 + i / 5 * 2 + i % 5 / 2, 33);
    }
    assert_int_equal(find(), CAIRN_HOT_SPOTS_MAX);
    for (int i = 1; i < CAIRN_HOT_SPOTS_MAX; i++) { assert_true(spots[i].pixel_count <= spots[i - 1].pixel_count); }
    assert_int_equal(spots[0].pixel_count, 2 * 11);
    assert_true(spots[CAIRN_HOT_SPOTS_MAX - 1].pixel_count >= 2 * 5);
}

// Against labelling by repeated spreading: random blots, same pieces.
static void pieces_agree_with_a_slow_labelling(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/pieces");
    for (int round = 0; round < 20; round++) {
        static int label[WIDTH * HEIGHT];
        paint_all(20);
        for (int i = 0; i < 8; i++) {
            const int x = (int)cairn_random_below(&random, 70), y = (int)cairn_random_below(&random, 50);
            paint(x, y, x + 1 + (int)cairn_random_below(&random, 8), y + 1 + (int)cairn_random_below(&random, 8), 33);
        }
        for (int i = 0; i < WIDTH * HEIGHT; i++) { label[i] = picture[i] == centikelvin(33) ? i + 1 : 0; }
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                const int around[4] = {i % WIDTH ? i - 1 : i, i % WIDTH < WIDTH - 1 ? i + 1 : i,
                                       i >= WIDTH ? i - WIDTH : i, i + WIDTH < WIDTH * HEIGHT ? i + WIDTH : i};
                for (int k = 0; k < 4; k++) {
                    if (label[i] && label[around[k]] > label[i]) { label[i] = label[around[k]], changed = true; }
                }
            }
        }
        const uint32_t count = find();
        uint32_t pixels = 0;
        for (uint32_t i = 0; i < count; i++) { pixels += spots[i].pixel_count; }
        uint32_t warm = 0, roots = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) { warm += label[i] != 0, roots += label[i] == i + 1; }
        assert_int_equal(pixels, warm);
        assert_int_equal(count, roots);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_rectangle_is_found_where_it_is),
        cmocka_unit_test(directions_follow_the_pinhole),
        cmocka_unit_test(noise_alone_is_no_spot),
        cmocka_unit_test(what_is_too_hot_too_small_or_hardly_warmer_is_left_out),
        cmocka_unit_test(a_person_who_fills_most_of_the_picture_is_found),
        cmocka_unit_test(pixels_that_are_not_known_belong_to_nothing),
        cmocka_unit_test(spots_come_largest_first_and_the_smallest_are_dropped),
        cmocka_unit_test(pieces_agree_with_a_slow_labelling),
    };
    return cmocka_run_group_tests_name("hot_spots", tests, NULL, NULL);
}
