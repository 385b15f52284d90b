// The correlative matcher: against trying every pose, and on places of which the answer is known.
#include "../base/check.h"
#include "matching/correlative.h"
#include "matching/pyramid_cache.h"
#include "world.h"
#include <stdlib.h>

#define SEED 1

static cairn_arena arena;
static cairn_correlative *matcher;
static cairn_pyramid *reference, *scan;

static void grid_set(cairn_terrain_planes *planes, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= (int32_t)planes->width || y >= (int32_t)planes->height) { return; }
    const uint32_t cell = (uint32_t)y * planes->width + (uint32_t)x;
    planes->obstacle[cell >> 3] |= (uint8_t)(1 << (cell & 7));
    planes->known[cell >> 3] |= (uint8_t)(1 << (cell & 7));
}

// Walls and specks about the origin.
static void random_grid(cairn_terrain_planes *planes, cairn_random *random)
{
    *planes = (cairn_terrain_planes){.cell_m = cairn_random_between(random, 0.05, 0.2),
                                     .width = 1 + cairn_random_below(random, 160),
                                     .height = 1 + cairn_random_below(random, 160)};
    planes->origin_m = (cairn_vec2){cairn_random_between(random, -3, 3) - 0.5 * planes->width * planes->cell_m,
                                    cairn_random_between(random, -3, 3) - 0.5 * planes->height * planes->cell_m};
    const uint32_t walls = 1 + cairn_random_below(random, 12), specks = cairn_random_below(random, 60);
    for (uint32_t i = 0; i < walls; i++) {
        double x = cairn_random_between(random, 0, planes->width), y = cairn_random_between(random, 0, planes->height);
        const double way = cairn_random_between(random, 0, 2 * CAIRN_PI);
        for (uint32_t k = cairn_random_below(random, 80); k > 0; k--, x += cos(way), y += sin(way)) {
            grid_set(planes, (int32_t)floor(x), (int32_t)floor(y));
        }
    }
    for (uint32_t i = 0; i < specks; i++) {
        grid_set(planes, (int32_t)cairn_random_below(random, planes->width),
                 (int32_t)cairn_random_below(random, planes->height));
    }
}

// The obvious way: every pose, every point, cell by cell.
typedef struct brute {
    const cairn_terrain_planes *planes;
    const cairn_pyramid *scan;
    const cairn_correlative_window *window;
    int32_t x[CAIRN_OVERLAY_POINTS_MAX], y[CAIRN_OVERLAY_POINTS_MAX]; // cells of the points at one turn
    uint8_t *value;                                                   // 2 on a surface, 1 next to one, else 0
} brute;

static bool is_surface(const cairn_terrain_planes *planes, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < (int32_t)planes->width && y < (int32_t)planes->height &&
           cairn_plane_bit(planes->obstacle, (uint32_t)y * planes->width + (uint32_t)x);
}

// With a border of one cell.
static void brute_values(brute *b)
{
    static uint8_t value[162 * 162];
    const int32_t width = (int32_t)b->planes->width, height = (int32_t)b->planes->height;
    b->value = value;
    for (int32_t y = -1; y <= height; y++) {
        for (int32_t x = -1; x <= width; x++) {
            bool near = false;
            for (int32_t k = 0; k < 9; k++) { near |= is_surface(b->planes, x + k % 3 - 1, y + k / 3 - 1); }
            value[(y + 1) * 162 + x + 1] = (uint8_t)(near + is_surface(b->planes, x, y));
        }
    }
}

static void brute_turn(brute *b, int32_t turn)
{
    const cairn_terrain_planes *planes = b->planes;
    const double yaw_rad = b->window->centre.yaw_rad + turn * b->window->step_rad, cell_m = planes->cell_m;
    const float c = (float)(cos(yaw_rad) / cell_m), s = (float)(sin(yaw_rad) / cell_m);
    const float at_x = (float)((b->window->centre.x_m - planes->origin_m.x) / cell_m + CAIRN_OVERLAY_OFFSET);
    const float at_y = (float)((b->window->centre.y_m - planes->origin_m.y) / cell_m + CAIRN_OVERLAY_OFFSET);
    for (uint32_t i = 0; i < b->scan->point_count; i++) {
        const float x_m = b->scan->x_m[i], y_m = b->scan->y_m[i];
        b->x[i] = (int32_t)floorf(c * x_m - s * y_m + at_x) - CAIRN_OVERLAY_OFFSET;
        b->y[i] = (int32_t)floorf(s * x_m + c * y_m + at_y) - CAIRN_OVERLAY_OFFSET;
    }
}

static uint32_t brute_hits(const brute *b, int32_t move_x, int32_t move_y)
{
    const int32_t width = (int32_t)b->planes->width, height = (int32_t)b->planes->height;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < b->scan->point_count; i++) {
        const int32_t x = b->x[i] + move_x, y = b->y[i] + move_y;
        if (x >= -1 && y >= -1 && x <= width && y <= height) { hits += b->value[(y + 1) * 162 + x + 1]; }
    }
    return hits;
}

static uint32_t brute_best(brute *b)
{
    uint32_t best = 0;
    for (int32_t turn = -b->window->turn_half; turn <= b->window->turn_half; turn++) {
        brute_turn(b, turn);
        for (int32_t y = -b->window->y_half; y <= b->window->y_half; y++) {
            for (int32_t x = -b->window->x_half; x <= b->window->x_half; x++) {
                const uint32_t hits = brute_hits(b, x, y);
                best = hits > best ? hits : best;
            }
        }
    }
    return best;
}

static uint32_t brute_at(brute *b, const cairn_correlative_peak *peak)
{
    brute_turn(b, peak->turn);
    return brute_hits(b, peak->x, peak->y);
}

// Branch and bound must lose nothing: the best of the window is the best of all poses in it. CAIRN_PAIRS: how many.
static void finds_what_trying_every_pose_finds(void **state)
{
    (void)state;
    const char *pairs = getenv("CAIRN_PAIRS");
    const uint32_t count = pairs != NULL ? (uint32_t)strtoul(pairs, NULL, 10) : 50;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/pairs");
    uint32_t found_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        static cairn_terrain_planes a, b;
        random_grid(&a, &random);
        if (i % 2 == 0) {
            random_grid(&b, &random);
        } else {
            b = a;
        }
        cairn_pyramid_set_grid(reference, &a);
        cairn_pyramid_set_grid(scan, &b);
        const bool wide = i % 10 == 0; // more than one tile
        const cairn_correlative_window window = {.centre = {cairn_random_between(&random, -2, 2),
                                                            cairn_random_between(&random, -2, 2),
                                                            cairn_random_between(&random, -3, 3)},
                                                 .step_rad = cairn_random_between(&random, 0.005, 0.05),
                                                 .turn_half = (int32_t)cairn_random_below(&random, wide ? 2 : 20),
                                                 .x_half = (int32_t)cairn_random_below(&random, wide ? 129 : 40),
                                                 .y_half = (int32_t)cairn_random_below(&random, wide ? 129 : 40)};
        brute obvious = {.planes = &a, .scan = scan, .window = &window};
        brute_values(&obvious);
        const uint32_t best = brute_best(&obvious), hits_min = i % 3 == 0 ? best / 2 : 0;
        cairn_correlative_peak peak = {0};
        const bool found = cairn_correlative_search(matcher, reference, scan, &window, hits_min, &peak);
        if (found != (best > hits_min) || peak.hits != best || (found && brute_at(&obvious, &peak) != best)) {
            print_message("pair %u of seed %d: %u hits found, %u by trying all\n", i, SEED, peak.hits, best);
            fail();
        }
        found_count += found;
        // And nothing is made up: no pose has more than the best.
        assert_false(cairn_correlative_search(matcher, reference, scan, &window, best, &peak));
    }
    assert_true(found_count > count / 2);
}

// Robots and station have different processors and must agree: every copy of the kernels, on random planes.
static void all_instruction_sets_count_the_same(void **state)
{
    (void)state;
    enum { ROWS = 200, COLUMNS = 5, BLOCK_ROWS = 50, BLOCK_COLUMNS = 5, POINTS = 112 };
    static const cairn_kernel count_kernel = {"count", CAIRN_KERNEL_VARIANTS(cairn_overlay_count)};
    static const cairn_kernel bound_kernel = {"bound", CAIRN_KERNEL_VARIANTS(cairn_overlay_bound)};
    static const cairn_kernel place_kernel = {"place", CAIRN_KERNEL_VARIANTS(cairn_overlay_place)};
    static uint64_t first[ROWS * COLUMNS + 8], second[ROWS * COLUMNS + 8];
    static uint16_t blocks[16 * BLOCK_COLUMNS * BLOCK_ROWS];
    static float x_m[POINTS], y_m[POINTS];
    cairn_random random;
    cairn_random_init(&random, SEED, "test/kernels");
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        first[i] = cairn_random_u64(&random);
        second[i] = first[i] & cairn_random_u64(&random);
    }
    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++) { blocks[i] = (uint16_t)cairn_random_u64(&random); }
    for (uint32_t i = 0; i < POINTS; i++) {
        x_m[i] = (float)cairn_random_between(&random, -15, 15), y_m[i] = (float)cairn_random_between(&random, -15, 15);
    }
    const cairn_overlay_pose pose = {.cosine = 8,
                                     .sine = 6,
                                     .x = 4196,
                                     .y = 4166,
                                     .move_x = -4090,
                                     .move_y = -4090,
                                     .x_max = 188,
                                     .y_max = 136,
                                     .rows = ROWS,
                                     .block_rows = BLOCK_ROWS};
    static cairn_overlay_spots cells[CAIRN_ISA_COUNT], spots[CAIRN_ISA_COUNT]; // zero beyond the points
    cairn_overlay_counts counts[CAIRN_ISA_COUNT][2];
    cairn_overlay_bounds bounds[CAIRN_ISA_COUNT];
    for (int isa = 0; isa <= (int)cairn_isa_best(); isa++) {
        ((cairn_overlay_place_fn)cairn_dispatch(&place_kernel, (cairn_isa)isa))(x_m, y_m, POINTS, &pose, &cells[isa],
                                                                                &spots[isa]);
        assert_memory_equal(&cells[isa], &cells[0], sizeof cells[0]);
        assert_memory_equal(&spots[isa], &spots[0], sizeof spots[0]);
        const cairn_overlay_count_fn count = (cairn_overlay_count_fn)cairn_dispatch(&count_kernel, (cairn_isa)isa);
        count(first, ROWS, &cells[0], POINTS, UINT64_MAX >> 3, NULL, &counts[isa][0]);
        count(second, ROWS, &cells[0], POINTS, UINT64_MAX >> 3, &counts[isa][0], &counts[isa][1]);
        assert_memory_equal(counts[isa], counts[0], sizeof counts[0]);
        ((cairn_overlay_bound_fn)cairn_dispatch(&bound_kernel, (cairn_isa)isa))(blocks, BLOCK_ROWS, &spots[0], POINTS,
                                                                                UINT16_MAX >> 1, &bounds[isa]);
        assert_memory_equal(&bounds[isa], &bounds[0], sizeof bounds[0]);
    }
}

// And make the same planes of a reference.
static void all_instruction_sets_make_the_same_planes(void **state)
{
    (void)state;
    enum { ROWS = 264, COLUMNS = 5, BLOCK_ROWS = 64, BLOCKS = 5 * 16 * BLOCK_ROWS, WIDTH = 150, HEIGHT = 122 };
    static const cairn_kernel planes_kernel = {"planes", CAIRN_KERNEL_VARIANTS(cairn_overlay_planes)};
    static uint64_t on[ROWS * COLUMNS], near[CAIRN_ISA_COUNT][ROWS * COLUMNS], known[CAIRN_ISA_COUNT][ROWS * COLUMNS];
    static uint16_t on_blocks[CAIRN_ISA_COUNT][BLOCKS], near_blocks[CAIRN_ISA_COUNT][BLOCKS];
    cairn_random random;
    cairn_random_init(&random, SEED, "test/planes");
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t x = CAIRN_OVERLAY_MARGIN + cairn_random_below(&random, WIDTH);
        const uint32_t y = CAIRN_OVERLAY_MARGIN + cairn_random_below(&random, HEIGHT);
        on[x / 63 * ROWS + y] |= (uint64_t)1 << x % 63;
        if (x % 63 == 0) { on[(x / 63 - 1) * ROWS + y] |= (uint64_t)1 << 63; }
    }
    for (int isa = 0; isa <= (int)cairn_isa_best(); isa++) {
        const cairn_overlay_plane_set set = {.columns = COLUMNS,
                                             .rows = ROWS,
                                             .block_rows = BLOCK_ROWS,
                                             .width = WIDTH,
                                             .height = HEIGHT,
                                             .on = on,
                                             .near = near[isa],
                                             .known = known[isa],
                                             .on_blocks = on_blocks[isa],
                                             .near_blocks = near_blocks[isa]};
        ((cairn_overlay_planes_fn)cairn_dispatch(&planes_kernel, (cairn_isa)isa))(&set);
        assert_memory_equal(near[isa], near[0], sizeof near[0]);
        assert_memory_equal(known[isa], known[0], sizeof known[0]);
        assert_memory_equal(on_blocks[isa], on_blocks[0], sizeof on_blocks[0]);
        assert_memory_equal(near_blocks[isa], near_blocks[0], sizeof near_blocks[0]);
    }
    // Against the obvious: a block is set if a cell of its 4 x 4 is.
    for (uint32_t y = 0; y < CAIRN_OVERLAY_MARGIN + HEIGHT; y++) {
        for (uint32_t x = 0; x < CAIRN_OVERLAY_MARGIN + WIDTH; x++) {
            bool any = false;
            for (uint32_t k = 0; k < 16; k++) {
                const uint32_t at_x = x + k % 4, at_y = y + k / 4;
                any |= on[at_x / 63 * ROWS + at_y] >> at_x % 63 & 1;
            }
            const uint32_t column = x / 4 / 15, phase = y % 4 * 4 + x % 4;
            const uint16_t block = on_blocks[0][(column * 16 + phase) * BLOCK_ROWS + y / 4];
            assert_int_equal(block >> x / 4 % 15 & 1, any);
        }
    }
}

// A node at a pose in a world: the terrain that its laser sees all around.
static void node_make(const world *w, cairn_pose2 at, cairn_pyramid *ret_node)
{
    static cairn_terrain_planes planes;
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 150, .height = 150, .origin_m = {-7.5, -7.5}};
    for (int32_t beam = 0; beam < 1440; beam++) {
        const double bearing = beam * 2 * CAIRN_PI / 1440;
        const double range = world_range(w, cairn_pose2_at(at), at.yaw_rad + bearing), reach = fmin(range, 7.4);
        for (int32_t i = 0; 0.05 * i < reach; i++) {
            const uint32_t x = (uint32_t)floor((7.5 + 0.05 * i * cos(bearing)) / 0.1);
            const uint32_t y = (uint32_t)floor((7.5 + 0.05 * i * sin(bearing)) / 0.1);
            planes.known[(y * 150 + x) >> 3] |= (uint8_t)(1 << ((y * 150 + x) & 7));
        }
        if (range > reach) { continue; }
        grid_set(&planes, (int32_t)floor((7.5 + range * cos(bearing)) / 0.1),
                 (int32_t)floor((7.5 + range * sin(bearing)) / 0.1));
    }
    cairn_pyramid_set_grid(ret_node, &planes);
}

// One room with furniture, seen whole from everywhere in it.
static void add_room(world *w, double x)
{
    world_add_box(w, x - 3, -2, x + 3, 2);
    world_add_box(w, x + 1.2, 0.8, x + 2.2, 1.4);
    world_add_box(w, x - 2.5, -1.5, x - 2.1, -0.4);
    world_add(w, x - 1, 2, x - 1, 1.2);
}

static cairn_match match_nodes(const world *w, cairn_pose2 at, cairn_pose2 other, const cairn_match_prior *prior)
{
    node_make(w, at, reference);
    node_make(w, other, scan);
    cairn_match match;
    cairn_match_correlative(matcher, reference, scan, prior, &match);
    return match;
}

// Loop closing: from nowhere near, as exact as the cells allow, and it says how exact.
static void finds_a_revisit_and_trusts_it(void **state)
{
    (void)state;
    world w = {0};
    add_room(&w, 0);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/revisit");
    double chi2 = 0;
    for (int i = 0; i < 20; i++) {
        const cairn_pose2 at = {0.2, -0.3, cairn_random_between(&random, -3, 3)};
        const cairn_pose2 other = {cairn_random_between(&random, -0.6, 0.8), cairn_random_between(&random, -0.9, 0.5),
                                   at.yaw_rad + cairn_random_between(&random, -0.7, 0.7)};
        const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0.5, 0.5, 0}, 1, 0.5);
        const cairn_match match = match_nodes(&w, at, other, &prior);
        const cairn_pose2 truth = cairn_pose2_between(at, other);
        const double x = match.pose.x_m - truth.x_m, y = match.pose.y_m - truth.y_m;
        const double yaw = cairn_angle_between(truth.yaw_rad, match.pose.yaw_rad), *info = match.information;
        assert_true(match.is_trusted && match.score > 0.6);
        assert_true(hypot(x, y) < 0.1 && fabs(yaw) < 0.03);
        chi2 += info[0] * x * x + info[4] * y * y + info[8] * yaw * yaw +
                2 * (info[1] * x * y + info[2] * x * yaw + info[5] * y * yaw);
    }
    // 60 degrees of freedom. A covariance that is right gives about 60 on recorded pairs, less here: no noise.
    print_message("chi2 of 20 revisits: %.1f\n", chi2);
    assert_true(chi2 > 3 && chi2 < 120);
}

// In a bare corridor any place along it is as good: the covariance must say so, or the map bends.
static void a_corridor_slides_along_itself(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const double way = 0.5 * i;
        world w = {0};
        for (int side = -1; side <= 1; side += 2) {
            const double x = -side * sin(way), y = side * cos(way);
            world_add(&w, x - 40 * cos(way), y - 40 * sin(way), x + 40 * cos(way), y + 40 * sin(way));
        }
        const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0, 0, 0}, 1, 0.3);
        const cairn_match match = match_nodes(&w, (cairn_pose2){0, 0, 0}, (cairn_pose2){cos(way), sin(way), 0}, &prior);
        double covariance[9];
        cairn_match_covariance(&match, covariance);
        const double c = cos(way), s = sin(way);
        const double along = c * c * covariance[0] + 2 * c * s * covariance[1] + s * s * covariance[4];
        const double across = s * s * covariance[0] - 2 * c * s * covariance[1] + c * c * covariance[4];
        print_message("corridor at %.1f rad: deviation %.2f m along, %.3f m across, %.4f rad\n", way, sqrt(along),
                      sqrt(across), sqrt(covariance[8]));
        assert_true(along > 0.25 && across < 0.01); // more than half a metre, less than a cell
        assert_true(fabs(sin(match.weakest_direction_rad - way)) < 0.1);
        assert_true(match.doubts & CAIRN_MATCH_SLIDES);
        assert_false(match.is_trusted);
    }
}

// A row of stalls, all the same, longer than can be seen: one stall further fits as well.
static void rooms_alike_are_a_second_peak(void **state)
{
    (void)state;
    world w = {0};
    for (int i = -8; i <= 8; i++) {
        world_add_box(&w, 1.8 * i - 0.1, 0.5, 1.8 * i, 1.5);
        world_add(&w, 1.8 * i, 1.5, 1.8 * i + 1.8, 1.5);
        world_add_box(&w, 1.8 * i + 0.6, -1.6, 1.8 * i + 0.9, -1.3);
    }
    const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0, 0, 0}, 1, 0.2);
    const cairn_match match = match_nodes(&w, (cairn_pose2){0, 0, 0}, (cairn_pose2){0.3, 0.1, 0.1}, &prior);
    assert_true(match.ambiguity > 0.95);
    assert_true(match.doubts & CAIRN_MATCH_SECOND_PEAK);
    assert_false(match.is_trusted);
}

// What was seen as free cannot hold a wall: a closet fits into the corner of a hall by two of its walls, and the others
// are found out.
static void free_floor_contradicts(void **state)
{
    (void)state;
    world hall = {0}, closet = {0};
    world_add_box(&hall, -2, -2, 5, 5);
    world_add_box(&closet, -1.2, -1.2, 1.2, 1.2);
    const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){-0.8, -0.8, 0}, 1, 0.2);
    node_make(&hall, (cairn_pose2){0, 0, 0}, reference);
    node_make(&closet, (cairn_pose2){0, 0, 0}, scan);
    cairn_match match;
    cairn_match_correlative(matcher, reference, scan, &prior, &match);
    assert_true(match.score > 0.4); // it does fit somehow
    assert_true(match.doubts & CAIRN_MATCH_CONTRADICTED);
    assert_false(match.is_trusted);
}

static void too_little_is_said_to_be_too_little(void **state)
{
    (void)state;
    world w = {0}, empty = {0};
    add_room(&w, 0);
    const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0.1, 0.2, 0.3}, 1, 0.2);
    node_make(&w, (cairn_pose2){0, 0, 0}, reference);
    node_make(&empty, (cairn_pose2){0, 0, 0}, scan);
    for (int i = 0; i < 2; i++) {
        cairn_match match;
        cairn_match_correlative(matcher, i ? scan : reference, i ? reference : scan, &prior, &match);
        assert_int_equal(match.doubts, CAIRN_MATCH_TOO_FEW);
        assert_memory_equal(&match.pose, &prior.pose, sizeof prior.pose);
        assert_true(match.weakness == 1);
    }
}

// Scans as they come from the laser are nodes, too.
static void lays_a_scan_on_a_scan(void **state)
{
    (void)state;
    world w = {0};
    add_room(&w, 0);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/scans");
    static cairn_scan_points points;
    const cairn_pose2 at = {0.5, 0, 2.5}, other = {0, 0.4, 2.1}, truth = cairn_pose2_between(at, other);
    world_scan(&w, at, 0.01, 30, &random, &points);
    cairn_pyramid_set_scan(reference, &points, 0.1);
    world_scan(&w, other, 0.01, 30, &random, &points);
    cairn_pyramid_set_scan(scan, &points, 0.1);
    const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0, 0, 0}, 1, 0.3);
    cairn_match match;
    cairn_match_correlative(matcher, reference, scan, &prior, &match);
    assert_true(match.is_trusted);
    assert_true(hypot(match.pose.x_m - truth.x_m, match.pose.y_m - truth.y_m) < 0.06);
    assert_true(fabs(cairn_angle_between(match.pose.yaw_rad, truth.yaw_rad)) < 0.02);
}

// A pose graph turns steps with the node: moving by d in the scan's frame must cost the same either way.
static void information_of_a_factor_is_that_of_the_match(void **state)
{
    (void)state;
    const cairn_match match = {.pose = {1, 2, 0.7}, .information = {50, 5, 3, 5, 20, -2, 3, -2, 90}};
    double upper[6];
    cairn_match_factor_information(&match, upper);
    const double d[3] = {0.3, -0.2, 0.1}, c = cos(0.7), s = sin(0.7);
    const double e[3] = {c * d[0] - s * d[1], s * d[0] + c * d[1], d[2]}, *i = match.information;
    double cost = 0;
    for (int k = 0; k < 9; k++) { cost += e[k / 3] * i[k] * e[k % 3]; }
    const double turned = upper[0] * d[0] * d[0] + upper[3] * d[1] * d[1] + upper[5] * d[2] * d[2] +
                          2 * (upper[1] * d[0] * d[1] + upper[2] * d[0] * d[2] + upper[4] * d[1] * d[2]);
    assert_float_equal(cost, turned, 1e-9);
    double covariance[9];
    cairn_match_covariance(&match, covariance);
    for (int k = 0; k < 9; k++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) { sum += i[k / 3 * 3 + j] * covariance[j * 3 + k % 3]; }
        assert_float_equal(sum, (k % 4 == 0 ? 1 : 0), 0.02); // but for what stands for "not known"
    }
}

// Against the obvious: a list in the order of use.
static void the_cache_keeps_what_was_used_last(void **state)
{
    (void)state;
    enum { KEPT = 5 };
    const size_t mark = cairn_arena_mark(&arena);
    const cairn_pyramid_cache_def def = {.pyramid = {.width_max = 8, .height_max = 8, .point_count_max = 16},
                                         .count = KEPT};
    cairn_pyramid_cache *cache = NULL;
    assert_ok(cairn_pyramid_cache_create(&def, &arena, &cache));
    cairn_random random;
    cairn_random_init(&random, SEED, "test/cache");
    uint64_t list[KEPT] = {0};
    const cairn_pyramid *whose[KEPT] = {NULL};
    uint32_t count = 0;
    for (int i = 0; i < 2000; i++) {
        const uint64_t node = cairn_random_below(&random, 9) * 1000003u;
        uint32_t at = 0;
        while (at < count && list[at] != node) { at++; }
        const cairn_pyramid *got = at < count ? whose[at] : NULL;
        if (cairn_random_below(&random, 10) == 0) {
            cairn_pyramid_cache_forget(cache, node);
            if (got == NULL) { continue; }
            count--;
            for (; at < count; at++) { list[at] = list[at + 1], whose[at] = whose[at + 1]; }
            continue;
        }
        bool is_new;
        const cairn_pyramid *pyramid = cairn_pyramid_cache_get(cache, node, &is_new);
        assert_int_equal(is_new, got == NULL);
        assert_true(is_new || pyramid == got);
        if (is_new && count < KEPT) { count++; }
        for (at = at < count ? at : count - 1; at > 0; at--) { list[at] = list[at - 1], whose[at] = whose[at - 1]; }
        list[0] = node, whose[0] = pyramid;
    }
    cairn_arena_reset(&arena, mark);
}

int main(void)
{
    const cairn_pyramid_def def = {.width_max = 160, .height_max = 160, .point_count_max = 300};
    const cairn_correlative_def match_def = cairn_correlative_def_default();
    if (cairn_arena_create(&arena, 32 << 20) != CAIRN_OK ||
        cairn_pyramid_create(&def, &arena, &reference) != CAIRN_OK ||
        cairn_pyramid_create(&def, &arena, &scan) != CAIRN_OK ||
        cairn_correlative_create(&match_def, &arena, &matcher) != CAIRN_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_trying_every_pose_finds),
        cmocka_unit_test(all_instruction_sets_count_the_same),
        cmocka_unit_test(all_instruction_sets_make_the_same_planes),
        cmocka_unit_test(finds_a_revisit_and_trusts_it),
        cmocka_unit_test(a_corridor_slides_along_itself),
        cmocka_unit_test(rooms_alike_are_a_second_peak),
        cmocka_unit_test(free_floor_contradicts),
        cmocka_unit_test(too_little_is_said_to_be_too_little),
        cmocka_unit_test(lays_a_scan_on_a_scan),
        cmocka_unit_test(the_cache_keeps_what_was_used_last),
        cmocka_unit_test(information_of_a_factor_is_that_of_the_match),
    };
    const int failed = cmocka_run_group_tests_name("correlative", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
