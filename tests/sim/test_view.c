// test_view.c - pictures in space: what is seen where, against rays cast one by one.
#include "base/random.h"
#include "check.h"
#include "picture_memory.h"
#include "sim/arena/view/view.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_sim_arena arena_of(cairn_solid *solids, uint32_t count)
{
    return (cairn_sim_arena){.name = "t", .size_m = {12, 8}, .solids = solids, .solid_count = count};
}

static cairn_view_def def_of(uint32_t width_px, uint32_t height_px)
{
    cairn_view_def def = cairn_view_def_default();
    def.width_px = width_px;
    def.height_px = height_px;
    def.bare = true;
    return def;
}

static cairn_picture draw(const cairn_sim_arena *arena, const cairn_view_def *def, cairn_workers *workers)
{
    cairn_picture picture;
    assert_ok(cairn_view_draw(arena, def, workers, &memory, &picture));
    return picture;
}

// The eye comes as near as it can: all of the place is in the picture, and it touches two opposite margins.
static void the_whole_arena_fills_the_picture(void **state)
{
    (void)state;
    cairn_solid wall = {.map_T_box = {{6, 4, 1}, {1, 0, 0, 0}}, .half_m = {5, 0.1, 1}};
    const cairn_sim_arena arena = arena_of(&wall, 1);
    cairn_random random;
    cairn_random_init(&random, 7, "test/view/camera");
    for (int i = 0; i < 200; i++) {
        cairn_view_def def =
            def_of(200 + (uint32_t)cairn_random_below(&random, 900), 200 + (uint32_t)cairn_random_below(&random, 900));
        def.azimuth_rad = 2 * CAIRN_PI * cairn_random_uniform(&random);
        def.elevation_rad = 0.1 + 1.45 * cairn_random_uniform(&random);
        const cairn_view_camera camera = cairn_view_camera_of(&arena, &def);
        cairn_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
        for (int corner = 0; corner < 8; corner++) {
            const cairn_vec2 at =
                cairn_view_project(&camera, (cairn_vec3){corner & 1 ? 12 : 0, corner & 2 ? 8 : 0, corner & 4 ? 2 : 0});
            low = (cairn_vec2){fmin(low.x, at.x), fmin(low.y, at.y)};
            high = (cairn_vec2){fmax(high.x, at.x), fmax(high.y, at.y)};
        }
        assert_true(low.x >= 0 && low.y >= 0 && high.x <= def.width_px && high.y <= def.height_px);
        assert_true(high.x - low.x > 0.9 * def.width_px || high.y - low.y > 0.9 * def.height_px);
    }
}

// Where a ray enters a box; INFINITY if it misses it.
static double enter(const cairn_solid *solid, cairn_vec3 from, cairn_vec3 along)
{
    const cairn_quat back = cairn_quat_conjugate(solid->map_T_box.turn);
    const cairn_vec3 o = cairn_quat_rotate(back, cairn_vec3_sub(from, solid->map_T_box.at_m));
    const cairn_vec3 d = cairn_quat_rotate(back, along);
    const double os[] = {o.x, o.y, o.z}, ds[] = {d.x, d.y, d.z};
    const double half[] = {solid->half_m.x, solid->half_m.y, solid->half_m.z};
    double in = -INFINITY, out = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double a = (-half[i] - os[i]) / ds[i], b = (half[i] - os[i]) / ds[i];
        in = fmax(in, fmin(a, b));
        out = fmin(out, fmax(a, b));
    }
    return in <= out && in > 0 ? in : INFINITY;
}

typedef enum thing { SKY, FLOOR, RED, BROWN, OTHER } thing;

// Through the floor's plate one sees nothing else, at its sides its skirt.
static thing hit(const cairn_solid *solids, uint32_t count, const cairn_view_camera *camera, double x_px, double y_px)
{
    const cairn_vec3 along =
        cairn_vec3_add(camera->forward,
                       cairn_vec3_add(cairn_vec3_scale(camera->right, (x_px - camera->middle_px.x) / camera->focal_px),
                                      cairn_vec3_scale(camera->up, -(y_px - camera->middle_px.y) / camera->focal_px)));
    const cairn_solid plate = {.map_T_box = {{6, 4, -0.049}, {1, 0, 0, 0}}, .half_m = {6, 4, 0.049}};
    double nearest = enter(&plate, camera->eye_m, along);
    const double height_m = camera->eye_m.z + nearest * along.z;
    thing seen = isinf(nearest) ? SKY : fabs(height_m) < 1e-6 ? FLOOR : OTHER;
    for (uint32_t i = 0; i < count; i++) {
        const double far = enter(&solids[i], camera->eye_m, along);
        if (far >= nearest) { continue; }
        nearest = far;
        seen = solids[i].kind == CAIRN_SOLID_VICTIM ? RED : BROWN;
    }
    return seen;
}

// Told apart by hue, which light and shade do not change.
static thing colour_of(const uint8_t *rgb)
{
    if (rgb[0] > 3 * rgb[1]) { return RED; }
    if (rgb[0] > 1.2 * rgb[1] && rgb[1] > 1.2 * rgb[2]) { return BROWN; }
    if (rgb[2] > rgb[0]) { return SKY; }
    return FLOOR;
}

static cairn_solid random_solid(cairn_random *random, cairn_solid_kind kind)
{
    cairn_solid solid = {.kind = kind};
    solid.map_T_box.at_m = (cairn_vec3){2 + 8 * cairn_random_uniform(random), 2 + 4 * cairn_random_uniform(random),
                                        0.4 + cairn_random_uniform(random)};
    solid.map_T_box.turn =
        cairn_quat_exp((cairn_vec3){3 * cairn_random_uniform(random) - 1.5, 3 * cairn_random_uniform(random) - 1.5,
                                    6 * cairn_random_uniform(random)});
    // As high as wide: a flat one would be taken for a lid.
    const double half_m = 0.2 + 0.7 * cairn_random_uniform(random);
    solid.half_m = (cairn_vec3){half_m, 0.1 + 0.9 * half_m * cairn_random_uniform(random), half_m * 1.01};
    return solid;
}

// Projection, hiding and clipping at once: each pixel shows what the ray through it meets first.
static void a_pixel_shows_what_its_ray_meets(void **state)
{
    (void)state;
    enum { SOLIDS = 12, WIDTH = 240, HEIGHT = 160 };
    cairn_random random;
    cairn_random_init(&random, 3, "test/view/rays");
    uint32_t seen_of[5] = {0};
    for (int scene = 0; scene < 12; scene++) {
        cairn_arena_reset(&memory, 0);
        cairn_solid solids[SOLIDS];
        for (int i = 0; i < SOLIDS; i++) {
            solids[i] = random_solid(&random, i % 2 ? CAIRN_SOLID_VICTIM : CAIRN_SOLID_VICTIM_BOX);
        }
        const cairn_sim_arena arena = arena_of(solids, SOLIDS);
        cairn_view_def def = def_of(WIDTH, HEIGHT);
        def.azimuth_rad = 6.3 * cairn_random_uniform(&random);
        def.elevation_rad = 0.2 + 1.3 * cairn_random_uniform(&random);
        const cairn_view_camera camera = cairn_view_camera_of(&arena, &def);
        const cairn_picture picture = draw(&arena, &def, NULL);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                // Beside an edge a pixel is a mixture, and has an outline.
                const thing seen = hit(solids, SOLIDS, &camera, x + 0.5, y + 0.5);
                bool pure = seen != OTHER;
                for (int k = 0; k < 9 && pure; k++) {
                    const int dx = k % 3 - 1, dy = k / 3 - 1;
                    pure = hit(solids, SOLIDS, &camera, x + 0.5 + 1.3 * dx, y + 0.5 + 1.3 * dy) == seen;
                }
                if (!pure) { continue; }
                seen_of[seen]++;
                const thing drawn = colour_of(&picture.rgb[3 * (y * WIDTH + x)]);
                if (drawn != seen) { fail_msg("scene %d, pixel %u, %u: %d for %d", scene, x, y, drawn, seen); }
            }
        }
    }
    for (int i = SKY; i <= BROWN; i++) { assert_true(seen_of[i] > 5000); }
}

// Upper storeys can be taken off.
static void what_is_above_the_cut_is_gone(void **state)
{
    (void)state;
    cairn_arena_reset(&memory, 0);
    cairn_solid solids[] = {
        {.kind = CAIRN_SOLID_VICTIM, .map_T_box = {{6, 4, 3}, {1, 0, 0, 0}}, .half_m = {3, 3, 0.5}},
        {.kind = CAIRN_SOLID_VICTIM_BOX, .map_T_box = {{6, 4, 1}, {1, 0, 0, 0}}, .half_m = {1, 1, 1}},
    };
    const cairn_sim_arena arena = arena_of(solids, 2);
    cairn_view_def def = def_of(300, 200);
    def.cut_above_m = 1.5;
    const cairn_picture picture = draw(&arena, &def, NULL);
    uint32_t brown = 0;
    for (size_t i = 0; i < (size_t)300 * 200; i++) {
        assert_true(colour_of(&picture.rgb[3 * i]) != RED);
        brown += colour_of(&picture.rgb[3 * i]) == BROWN;
    }
    assert_true(brown > 500);
    // The box that is cut in two has its top at the cut.
    const cairn_view_camera camera = cairn_view_camera_of(&arena, &def);
    const cairn_vec2 top = cairn_view_project(&camera, (cairn_vec3){6, 4, 1.5});
    const cairn_vec2 over = cairn_view_project(&camera, (cairn_vec3){6, 5.4, 1.6});
    assert_int_equal(colour_of(&picture.rgb[3 * ((uint32_t)top.y * 300 + (uint32_t)top.x)]), BROWN);
    assert_true(colour_of(&picture.rgb[3 * ((uint32_t)over.y * 300 + (uint32_t)over.x)]) != BROWN);
}

// What hides the sun makes the floor behind it darker, and nowhere else.
static void a_wall_throws_shade(void **state)
{
    (void)state;
    cairn_arena_reset(&memory, 0);
    cairn_solid wall = {.kind = CAIRN_SOLID_WALL, .map_T_box = {{6, 4, 1}, {1, 0, 0, 0}}, .half_m = {2, 0.05, 1}};
    const cairn_sim_arena arena = arena_of(&wall, 1);
    cairn_view_def def = def_of(600, 400);
    def.azimuth_rad = -CAIRN_PI / 2;
    def.elevation_rad = 1.3;
    const cairn_view_camera camera = cairn_view_camera_of(&arena, &def);
    const cairn_picture picture = draw(&arena, &def, NULL);
    const cairn_vec2 behind = cairn_view_project(&camera, (cairn_vec3){6.5, 4.7, 0});
    const cairn_vec2 before = cairn_view_project(&camera, (cairn_vec3){6.5, 2.4, 0});
    const uint8_t dark = picture.rgb[3 * ((uint32_t)behind.y * 600 + (uint32_t)behind.x)];
    const uint8_t light = picture.rgb[3 * ((uint32_t)before.y * 600 + (uint32_t)before.x)];
    assert_true(light > 225);
    assert_true(dark < 185);
}

// Rounding may put a wall's side a hair's breadth outside the floor, where things are cut off.
static void a_wall_on_the_very_edge_has_all_its_sides(void **state)
{
    (void)state;
    cairn_arena_reset(&memory, 0);
    cairn_solid wall = {
        .kind = CAIRN_SOLID_VICTIM, .map_T_box = {{0.05 - 1e-12, 4, 0.5}, {1, 0, 0, 0}}, .half_m = {0.05, 4, 0.5}};
    const cairn_sim_arena arena = arena_of(&wall, 1);
    cairn_view_def def = def_of(600, 400);
    def.azimuth_rad = CAIRN_PI;
    def.elevation_rad = 0.5;
    const cairn_view_camera camera = cairn_view_camera_of(&arena, &def);
    const cairn_picture picture = draw(&arena, &def, NULL);
    const cairn_vec2 side = cairn_view_project(&camera, (cairn_vec3){0, 4, 0.5});
    assert_int_equal(colour_of(&picture.rgb[3 * ((uint32_t)side.y * 600 + (uint32_t)side.x)]), RED);
}

static void any_number_of_workers_draws_the_same(void **state)
{
    (void)state;
    cairn_arena_reset(&memory, 0);
    cairn_random random;
    cairn_random_init(&random, 5, "test/view/workers");
    cairn_solid solids[300];
    for (int i = 0; i < 300; i++) { solids[i] = random_solid(&random, CAIRN_SOLID_BOX); }
    cairn_pose2 start = {1, 1, 0.3};
    cairn_sim_arena arena = arena_of(solids, 300);
    arena.starts = &start;
    arena.start_count = 1;
    const cairn_view_def def = def_of(333, 222);
    const cairn_picture one = draw(&arena, &def, NULL);
    cairn_workers *workers;
    assert_ok(cairn_workers_create(3, &workers));
    const cairn_picture three = draw(&arena, &def, workers);
    cairn_workers_destroy(workers);
    assert_memory_equal(one.rgb, three.rgb, (size_t)3 * 333 * 222);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_arena_fills_the_picture),
        cmocka_unit_test(a_pixel_shows_what_its_ray_meets),
        cmocka_unit_test(what_is_above_the_cut_is_gone),
        cmocka_unit_test(a_wall_throws_shade),
        cmocka_unit_test(a_wall_on_the_very_edge_has_all_its_sides),
        cmocka_unit_test(any_number_of_workers_draws_the_same),
    };
    return cmocka_run_group_tests(tests, make_memory, drop_memory);
}
