// The distance field is exact, names the nearest obstacle, and is the same whether edited or made afresh.
#include "../base/check.h"
#include "base/random.h"
#include "maps/distance.h"
#include "maps/distance_field.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 62
#define EDGE_MAX 60

static cairn_arena arena;
static uint8_t marked[EDGE_MAX * EDGE_MAX];

static cairn_distance_field *make_field(uint32_t width, uint32_t height, uint32_t limit_cells)
{
    const cairn_distance_field_def def = {.width = width, .height = height, .limit_cells = limit_cells};
    cairn_distance_field *field = NULL;
    assert_ok(cairn_distance_field_create(&def, &arena, &field));
    return field;
}

// Looks at every mark; of equally near ones the first by x, then y.
static cairn_nearest slow_nearest(uint32_t width, uint32_t height, uint32_t x, uint32_t y, uint32_t limit_cells)
{
    cairn_nearest best = {.squared_cells = limit_cells * limit_cells};
    for (uint32_t u = 0; u < width; u++) {
        for (uint32_t v = 0; v < height; v++) {
            const uint32_t squared = (u - x) * (u - x) + (v - y) * (v - y);
            if (!marked[v * width + u] || squared > best.squared_cells) { continue; }
            if (!best.found || squared < best.squared_cells) { best = (cairn_nearest){true, u, v, squared}; }
        }
    }
    return best;
}

static void check_field(const cairn_distance_field *field, uint32_t width, uint32_t height, uint32_t limit_cells)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const cairn_nearest is = cairn_distance_field_nearest(field, x, y);
            const cairn_nearest want = slow_nearest(width, height, x, y, limit_cells);
            assert_int_equal(is.found, want.found);
            if (!want.found) { continue; }
            assert_int_equal(is.squared_cells, want.squared_cells);
            assert_int_equal(is.x, want.x);
            assert_int_equal(is.y, want.y);
        }
    }
}

static void marks_random(cairn_random *random, uint32_t cells)
{
    const double density = pow(10, cairn_random_between(random, -3, -0.3));
    for (uint32_t i = 0; i < cells; i++) { marked[i] = cairn_random_uniform(random) < density; }
}

static void a_fresh_field_equals_looking_at_every_mark(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/field/fresh");
    for (int round = 0; round < 30; round++) {
        const uint32_t width = 1 + (uint32_t)cairn_random_below(&random, EDGE_MAX);
        const uint32_t height = 1 + (uint32_t)cairn_random_below(&random, EDGE_MAX);
        const uint32_t limit = round % 3 == 0 ? 100 : (uint32_t)cairn_random_below(&random, 40);
        marks_random(&random, width * height);
        cairn_arena_reset(&arena, 0);
        cairn_distance_field *field = make_field(width, height, limit);
        cairn_distance_field_set(field, marked);
        check_field(field, width, height, limit);
    }
}

// Batches of edits, dense and sparse, with and without a limit, repeated words and words that change nothing.
static void an_edited_field_equals_looking_at_every_mark(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/field/edits");
    for (int round = 0; round < 12; round++) {
        const uint32_t width = 1 + (uint32_t)cairn_random_below(&random, EDGE_MAX);
        const uint32_t height = 1 + (uint32_t)cairn_random_below(&random, EDGE_MAX);
        const uint32_t limit = round % 3 == 0 ? CAIRN_DISTANCE_EDGE_MAX : (uint32_t)cairn_random_below(&random, 20);
        marks_random(&random, width * height);
        cairn_arena_reset(&arena, 0);
        cairn_distance_field *field = make_field(width, height, limit);
        if (round % 2) {
            cairn_distance_field_set(field, marked);
        } else {
            memset(marked, 0, sizeof marked);
        }
        for (int batch = 0; batch < 8; batch++) {
            cairn_cell_edit edits[20];
            const size_t count = 1 + cairn_random_below(&random, 20);
            const bool mostly_marks = cairn_random_below(&random, 2);
            for (size_t i = 0; i < count; i++) {
                edits[i] = (cairn_cell_edit){.x = (uint32_t)cairn_random_below(&random, width),
                                             .y = (uint32_t)cairn_random_below(&random, height),
                                             .marked = cairn_random_below(&random, 5) ? mostly_marks : !mostly_marks};
                if (!mostly_marks && i % 2) { // unmark something that is there
                    for (uint32_t k = 0; k < width * height; k++) {
                        const uint32_t at = (k + edits[i].x) % (width * height);
                        if (marked[at]) {
                            edits[i] = (cairn_cell_edit){at % width, at / width, false};
                            break;
                        }
                    }
                }
                marked[edits[i].y * width + edits[i].x] = edits[i].marked;
            }
            cairn_distance_field_edit(field, edits, count);
            check_field(field, width, height, limit < EDGE_MAX ? limit : 2 * EDGE_MAX);
        }
    }
}

// A robot's map changes in a few places. What is far from them must cost nothing.
static void an_edit_looks_only_at_cells_within_its_reach(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    cairn_distance_field *field = make_field(1000, 1000, 20);
    const cairn_cell_edit mark = {500, 500, true}, again = {500, 500, true}, unmark = {500, 500, false};
    const uint64_t disc = 1257; // pi * 20^2
    const uint64_t looked = cairn_distance_field_edit(field, &mark, 1);
    assert_true(looked >= disc && looked < disc + 3 * 41);
    assert_int_equal(cairn_distance_field_edit(field, &again, 1), 0);
    assert_true(cairn_distance_field_edit(field, &unmark, 1) < disc + 3 * 41);
    assert_false(cairn_distance_field_nearest(field, 500, 500).found);
    assert_true(cairn_distance_field_clearance(field, 1, 1) == 20);
}

// Two implementations of the same distance agree to the last bit.
static void clearance_equals_the_distance_transform(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/field/clearance");
    static float distance[EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 10; round++) {
        marks_random(&random, EDGE_MAX * EDGE_MAX);
        cairn_arena_reset(&arena, 0);
        cairn_distance_field *field = make_field(EDGE_MAX, EDGE_MAX, 25);
        cairn_distance_field_set(field, marked);
        assert_ok(cairn_distance_transform(marked, EDGE_MAX, EDGE_MAX, 25, &arena, distance));
        for (uint32_t i = 0; i < EDGE_MAX * EDGE_MAX; i++) {
            assert_true(cairn_distance_field_clearance(field, i % EDGE_MAX, i / EDGE_MAX) == distance[i]);
        }
    }
}

// Where the disc may be is where no mark lies in it.
static void the_disc_is_blocked_where_a_mark_lies_in_it(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/field/disc");
    static uint8_t blocked[EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 6; round++) {
        marks_random(&random, EDGE_MAX * EDGE_MAX);
        cairn_arena_reset(&arena, 0);
        cairn_distance_field *field = make_field(EDGE_MAX, EDGE_MAX, 12);
        cairn_distance_field_set(field, marked);
        const float radius = round == 0 ? 5.0f : (float)cairn_random_between(&random, 0, 12);
        cairn_distance_field_disc(field, radius, blocked);
        for (int i = 0; i < EDGE_MAX * EDGE_MAX; i++) {
            bool touched = false;
            for (int k = 0; k < EDGE_MAX * EDGE_MAX; k++) {
                const int dx = k % EDGE_MAX - i % EDGE_MAX, dy = k / EDGE_MAX - i / EDGE_MAX;
                touched |= marked[k] && dx * dx + dy * dy <= (double)radius * radius;
            }
            assert_int_equal(blocked[i], touched);
        }
    }
}

static void a_small_arena_is_refused_and_given_back(void **state)
{
    (void)state;
    static uint8_t block[1024];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    const cairn_distance_field_def def = {.width = 100, .height = 100, .limit_cells = 5};
    cairn_distance_field *field = NULL;
    assert_int_equal(cairn_distance_field_create(&def, &small, &field), CAIRN_ERR_FULL);
    assert_null(field);
    assert_int_equal(cairn_arena_mark(&small), 0);
}

int main(void)
{
    if (cairn_arena_create(&arena, 16 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_field_equals_looking_at_every_mark),
        cmocka_unit_test(an_edited_field_equals_looking_at_every_mark),
        cmocka_unit_test(an_edit_looks_only_at_cells_within_its_reach),
        cmocka_unit_test(clearance_equals_the_distance_transform),
        cmocka_unit_test(the_disc_is_blocked_where_a_mark_lies_in_it),
        cmocka_unit_test(a_small_arena_is_refused_and_given_back),
    };
    const int failed = cmocka_run_group_tests_name("distance_field", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
