// test_arena.c - arena files: the solids they become, what is refused, and the arenas that we ship.
#include "arena_text.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include <stdlib.h>

#define SEED 5077
#define LASER_M 0.33 // height of the emu's laser

// The first solid along a ray, and how far; NULL if there is none.
static const cairn_solid *first_hit(const cairn_sim_arena *arena, cairn_vec3 from_m, cairn_vec3 direction,
                                    double *ret_distance_m)
{
    const cairn_solid *nearest = NULL;
    *ret_distance_m = INFINITY;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const double hit_m = cairn_ray_box3(from_m, direction, solid->map_T_box, solid->half_m);
        if (hit_m >= 0 && hit_m < *ret_distance_m) {
            *ret_distance_m = hit_m;
            nearest = solid;
        }
    }
    return nearest;
}

// Seen from inside and from outside, a closed wall is a rectangle with whole corners.
static void walls_close_at_their_corners(void **state)
{
    (void)state;
    const char *const texts[] = {
        HEAD START "walls: [{kind: rectangle, corner_m: [0.5, 0.5], size_m: [8, 6], thickness_m: 0.2}]\n",
        HEAD START
        "walls: [{points_m: [[0.5, 0.5], [8.5, 0.5], [8.5, 6.5], [0.5, 6.5]], closed: true, thickness_m: 0.2}]",
        HEAD START "walls:\n"
                   "  - {points_m: [[0.5, 0.5], [8.5, 0.5]], thickness_m: 0.2}\n"
                   "  - {points_m: [[8.5, 6.5], [8.5, 0.5]], thickness_m: 0.2}\n"
                   "  - {points_m: [[8.5, 6.5], [0.5, 6.5], [0.5, 0.5]], thickness_m: 0.2}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const cairn_sim_arena arena = accepted(texts[i]);
        assert_int_equal(arena.wall_count, 4);
        assert_int_equal(arena.solid_count, 4);
        for (double x = 0.3; x < 9.0; x += 0.01) {
            for (double y = 0.3; y < 7.0; y += 0.01) {
                const bool in_outer = x > 0.4 && x < 8.6 && y > 0.4 && y < 6.6;
                const bool in_inner = x > 0.6 && x < 8.4 && y > 0.6 && y < 6.4;
                const double to_edge = fmin(fmin(fabs(x - 0.4), fabs(x - 0.6)), fmin(fabs(x - 8.4), fabs(x - 8.6)));
                const double to_side = fmin(fmin(fabs(y - 0.4), fabs(y - 0.6)), fmin(fabs(y - 6.4), fabs(y - 6.6)));
                if (fmin(to_edge, to_side) < 1e-6) { continue; }
                assert_true(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){x, y, 0.5}) == (in_outer && !in_inner));
            }
        }
    }
}

// A doorway is as wide as it is written: free ends are not made longer.
static void free_ends_of_walls_stay_where_they_are(void **state)
{
    (void)state;
    const cairn_sim_arena arena =
        accepted(HEAD START "walls: [{points_m: [[2, 5], [4, 5]]}, {points_m: [[5, 5], [7, 5]]}]\n");
    assert_false(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){4.001, 5, 0.5}));
    assert_false(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){4.999, 5, 0.5}));
    assert_true(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){3.999, 5, 0.5}));
    assert_true(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){3, 5.039, 0.999}));
    assert_false(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){3, 5.041, 0.5}));
    assert_false(inside_any(&arena, CAIRN_SOLID_WALL, (cairn_vec3){3, 5, 1.001}));
}

// What wheels stand on (solids), what the truth says (ground_m) and the angle that the file names are one thing, and
// there is no hollow under the surface for a ray to slip into.
static void solids_are_of_the_material_that_the_file_says(void **state)
{
    (void)state;
    const cairn_sim_arena arena =
        accepted(HEAD START "walls: [{points_m: [[2, 5], [4, 5]]}, {points_m: [[5, 5], [7, 5]], material: metal}]\n"
                            "boxes: [{at_m: [3, 8], size_m: [1, 1, 1]},"
                            " {at_m: [6, 8], size_m: [1, 1, 1], material: concrete}]\n");
    const cairn_material expected[] = {CAIRN_MATERIAL_DRYWALL, CAIRN_MATERIAL_METAL, CAIRN_MATERIAL_WOOD,
                                       CAIRN_MATERIAL_CONCRETE};
    assert_int_equal(arena.solid_count, 4);
    for (int i = 0; i < 4; i++) { assert_int_equal(arena.solids[i].material, expected[i]); }
    assert_refused(HEAD START "walls:\n  - {points_m: [[2, 5], [4, 5]], material: glas}\n", "did you mean \"glass\"?");
}

static void ramps_are_solid_up_to_their_surface(void **state)
{
    (void)state;
    cairn_random random = stream_of(SEED, "ramps");
    const char *const texts[] = {
        HEAD START "ramps: [{at_m: [5, 5], heading_deg: 30, length_m: 1.3, width_m: 1.4}]\n",
        HEAD START "ramps: [{at_m: [5, 5], heading_deg: -100, length_m: 3, width_m: 2, top_m: 1, angle_deg: 20}]\n",
        HEAD START "ramps: [{at_m: [5, 5], length_m: 2, width_m: 1, top_m: 0.02, angle_deg: 5}]\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const cairn_sim_arena arena = accepted(texts[k]);
        const cairn_sim_ramp *ramp = &arena.ramps[0];
        const double peak_m = (ramp->length_m - ramp->top_m) / 2 * tan(ramp->angle_rad);
        assert_true(fabs(cairn_sim_ground_m(&arena, (cairn_vec2){5, 5}, INFINITY) - peak_m) < 1e-12);
        for (int i = 0; i < 20000; i++) {
            const cairn_vec2 local = {cairn_random_between(&random, -0.6, 0.6) * ramp->length_m,
                                      cairn_random_between(&random, -0.6, 0.6) * ramp->width_m};
            const cairn_vec2 at = cairn_pose2_apply(ramp->map_T_ramp, local);
            // By hand: how far in from the nearer foot, not beyond the edge of the top.
            const double in_m = fmin(ramp->length_m / 2 - fabs(local.x), (ramp->length_m - ramp->top_m) / 2);
            const bool over = in_m > 0 && fabs(local.y) < ramp->width_m / 2;
            const double truth_m = over ? in_m * tan(ramp->angle_rad) : 0.0;
            assert_true(fabs(cairn_sim_ground_m(&arena, at, INFINITY) - truth_m) < 1e-9);
            double hit_m;
            const cairn_solid *hit = first_hit(&arena, (cairn_vec3){at.x, at.y, 2}, (cairn_vec3){0, 0, -1}, &hit_m);
            if (truth_m > 1e-6) { assert_true(hit != NULL && fabs(2 - hit_m - truth_m) < 1e-9); }
            if (hit == NULL || 2 - hit_m <= 1e-9) { continue; }
            const double z = cairn_random_between(&random, 0.0, truth_m * 0.999);
            assert_true(inside_any(&arena, CAIRN_SOLID_GROUND, (cairn_vec3){at.x, at.y, z}));
        }
    }
}

// At the height of lasers and cameras, a boxed victim shows itself only towards its opening.
static void a_boxed_victim_is_seen_through_the_front_only(void **state)
{
    (void)state;
    const cairn_sim_arena arena =
        accepted(HEAD START "victims: [{name: v, at_m: [5, 5], facing_deg: 40, boxed: true, temperature_c: 35}]\n");
    const cairn_pose2 map_T_victim = arena.victims[0].map_T_victim;
    int seen = 0;
    for (int i = 0; i < 360; i++) {
        const double bearing_rad = i * CAIRN_PI / 180;
        const cairn_vec2 eye =
            cairn_pose2_apply(map_T_victim, (cairn_vec2){1.5 * cos(bearing_rad), 1.5 * sin(bearing_rad)});
        const cairn_vec2 towards = cairn_vec2_scale(cairn_vec2_sub(cairn_pose2_at(map_T_victim), eye), 1 / 1.5);
        double distance_m;
        const cairn_solid *hit =
            first_hit(&arena, (cairn_vec3){eye.x, eye.y, LASER_M}, (cairn_vec3){towards.x, towards.y, 0}, &distance_m);
        assert_non_null(hit);
        // The opening's edges are 0.30 m to each side and 0.32 m ahead of the middle.
        const double off_rad = fabs(cairn_angle_wrap(bearing_rad));
        if (off_rad < 0.7) { assert_int_equal(hit->kind, CAIRN_SOLID_VICTIM); }
        if (off_rad > 0.9) { assert_int_equal(hit->kind, CAIRN_SOLID_VICTIM_BOX); }
        seen += hit->kind == CAIRN_SOLID_VICTIM;
        assert_true(hit->temperature_c == (hit->kind == CAIRN_SOLID_VICTIM ? 35 : arena.ambient_c));
    }
    assert_true(seen > 70 && seen < 110);
}

static void a_victim_in_the_open_sits_where_the_file_says(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted(HEAD START "victims: [{name: v, at_m: [5, 4], facing_deg: 90}]\n");
    assert_int_equal(arena.solid_count, 2);
    assert_true(arena.victims[0].temperature_c == 33);
    // Facing north: 0.40 m across from west to east, 0.28 m deep; the head on top.
    assert_true(inside_any(&arena, CAIRN_SOLID_VICTIM, (cairn_vec3){5.199, 4.139, 0.549}));
    assert_false(inside_any(&arena, CAIRN_SOLID_VICTIM, (cairn_vec3){5.201, 4, 0.3}));
    assert_false(inside_any(&arena, CAIRN_SOLID_VICTIM, (cairn_vec3){5, 4.141, 0.3}));
    assert_true(inside_any(&arena, CAIRN_SOLID_VICTIM, (cairn_vec3){5, 4, 0.749}));
    assert_false(inside_any(&arena, CAIRN_SOLID_VICTIM, (cairn_vec3){5, 4, 0.751}));
}

static void things_in_wrong_places_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *reason;
    } cases[] = {
        {HEAD START "walls: [{points_m: [[5, 5], [11, 5]]}]\n",
         "a.yaml:5: wall corner (11.00, 5.00) is outside the floor"},
        {HEAD START "walls: [{points_m: [[5, 5], [5, 5.001]]}]\n", "two corners in one place"},
        {HEAD START "walls: [{points_m: [[5, 5]]}]\n", "walls[0].points_m: found a list of 1"},
        {HEAD START "boxes: [{at_m: [9.8, 5], size_m: [1, 1, 1]}]\n", "boxes[0] reaches outside the floor"},
        {HEAD START "boxes: [{at_m: [9.4, 5], heading_deg: 45, size_m: [1, 1, 1]}]\n", "boxes[0] reaches outside"},
        {HEAD START "boxes: [{at_m: [5, 5], size_m: [1, 1, 0]}]\n", "boxes[0].size_m[2]: found 0"},
        {HEAD START "ramps: [{at_m: [5, 5], length_m: 1, width_m: 1, top_m: 0.95}]\n", "top_m must be shorter"},
        {HEAD START "ramps: [{at_m: [5, 5], length_m: 1, width_m: 1, angle_deg: 46}]\n",
         "ramps[0].angle_deg: found 46"},
        {HEAD START "ramps: [{at_m: [9.8, 5], length_m: 1, width_m: 1}]\n", "ramps[0] reaches outside"},
        {HEAD START "victims: [{name: v, at_m: [0.1, 5]}]\n", "victims[0] (v) reaches outside the floor"},
        {HEAD START "victims: [{name: v, at_m: [5, 5]}]\nboxes: [{at_m: [5.3, 5], size_m: [0.5, 0.5, 1]}]\n",
         "victims[0] (v) stands inside a box"},
        {HEAD START "victims: [{name: v, at_m: [5, 5]}]\nwalls: [{points_m: [[3, 5.15], [7, 5.15]]}]\n",
         "victims[0] (v) stands inside a wall"},
        {HEAD START "victims: [{name: v, at_m: [5, 5]}]\nramps: [{at_m: [5, 5.6], length_m: 1, width_m: 1}]\n",
         "victims[0] (v) stands inside a ramp"},
        {HEAD START "victims: [{name: v, at_m: [5, 5]}, {name: w, at_m: [5.2, 5]}]\n", "stands inside another victim"},
        {HEAD START "victims: [{name: v, at_m: [5, 5]}, {name: v, at_m: [7, 5]}]\n", "victims[0] is named v too"},
        {HEAD "starts: [{at_m: [10.5, 5]}]\n", "starts[0] is outside the floor"},
        {HEAD "starts: [{at_m: [5, 5]}]\nboxes: [{at_m: [5, 5.8], size_m: [1, 1, 1]}]\n",
         "starts[0] is 0.30 m from a box; a robot needs 0.35 m"},
        {HEAD "starts: [{at_m: [5, 5]}]\nramps: [{at_m: [5, 5.8], length_m: 1, width_m: 1}]\n", "from a ramp"},
        {HEAD "starts: [{at_m: [5, 5]}, {at_m: [5.6, 5]}]\n", "starts[1] is 0.60 m from starts[0]"},
        {HEAD, "starts: missing"},
        {HEAD "starts: []\n", "starts: found a list of 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) { assert_refused(cases[i].text, cases[i].reason); }
}

#define ROOM_WITH_DOOR(from, to)                                                                                       \
    HEAD START "walls:\n  - {points_m: [[" from ", 5], [10, 5]]}\n  - {points_m: [[0, 5], [" to ", 5]]}\n"

// 0.7 m is what a robot of 0.35 m radius needs; the grid of 0.1 m costs up to one cell more.
static void a_victim_behind_too_narrow_a_door_is_out_of_reach(void **state)
{
    (void)state;
    const char victim[] = "victims: [{name: v, at_m: [5, 8]}]\n";
    char text[512];
    snprintf(text, sizeof text, "%s%s", ROOM_WITH_DOOR("5.65", "5"), victim);
    assert_refused(text, "victims[0] (v): no robot from starts[0] can come within 1.5 m and see it");
    snprintf(text, sizeof text, "%s%s", ROOM_WITH_DOOR("5.9", "5"), victim);
    (void)accepted(text);
}

// Near is not enough: a wall between, or a box that opens to a wall, hides the victim.
static void a_victim_that_nobody_can_see_is_out_of_reach(void **state)
{
    (void)state;
    const char wall[] = HEAD START "walls: [{points_m: [[0, 9], [10, 9]]}]\n";
    char text[512];
    snprintf(text, sizeof text, "%svictims: [{name: v, at_m: [5, 9.5]}]\n", wall);
    assert_refused(text, "victims[0] (v): no robot");
    snprintf(text, sizeof text, "%svictims: [{name: v, at_m: [5, 8.6], facing_deg: 90, boxed: true}]\n", wall);
    assert_refused(text, "victims[0] (v): no robot");
    snprintf(text, sizeof text, "%svictims: [{name: v, at_m: [5, 8.6], facing_deg: -90, boxed: true}]\n", wall);
    (void)accepted(text);
}

// Such boxes need no ground below them, and are smaller; all else must stand on something.
static void a_box_on_a_wall_hangs_and_is_open_at_its_front(void **state)
{
    (void)state;
    assert_refused(HEAD START "victims: [{name: v, at_m: [5, 5], foot_m: 0.4, boxed: true}]\n", "is in the air");
    const cairn_sim_arena arena = accepted(HEAD START "victims: [{name: v, at_m: [5, 5], foot_m: 0.4, hangs: true}]\n");
    assert_true(arena.victims[0].boxed && arena.victims[0].hangs);
    assert_int_equal(arena.solid_count, 6);
    double distance_m;
    const cairn_vec3 east_m = {6, 5, 0.6}, west_m = {4, 5, 0.6}, below_m = {5, 5, 0.1};
    assert_int_equal(first_hit(&arena, east_m, (cairn_vec3){-1, 0, 0}, &distance_m)->kind, CAIRN_SOLID_VICTIM);
    assert_int_equal(first_hit(&arena, west_m, (cairn_vec3){1, 0, 0}, &distance_m)->kind, CAIRN_SOLID_VICTIM_BOX);
    assert_true(fabs(distance_m - 0.88) < 1e-9);
    assert_int_equal(first_hit(&arena, below_m, (cairn_vec3){0, 0, 1}, &distance_m)->kind, CAIRN_SOLID_VICTIM_BOX);
    assert_true(fabs(distance_m - 0.3) < 1e-9);
}

// An arena may have what only climbers get to, if it says so.
static void what_is_said_to_be_hard_may_be_out_of_reach(void **state)
{
    (void)state;
    const char closet[] = HEAD START "walls: [{kind: rectangle, corner_m: [3, 3], size_m: [4, 4]}]\n";
    char text[512];
    for (int hard = 0; hard < 2; hard++) {
        const char *more = hard ? ", hard: true" : "";
        snprintf(text, sizeof text, "%svictims: [{name: v, at_m: [5, 5]%s}]\n", closet, more);
        if (hard) { (void)accepted(text); }
        if (!hard) { assert_refused(text, "can come within 1.5 m and see it; or say hard: true"); }
        snprintf(text, sizeof text, "%sramps: [{at_m: [5, 5], length_m: 1.3, width_m: 1.4%s}]\n", closet, more);
        if (hard) { (void)accepted(text); }
        if (!hard) { assert_refused(text, "ramps[0] cannot be driven over"); }
    }
}

static void a_ramp_that_leads_into_a_wall_is_refused(void **state)
{
    (void)state;
    const char ramp[] = HEAD START "ramps: [{at_m: [5, 5], length_m: 1.3, width_m: 1.4}]\n";
    (void)accepted(ramp);
    char text[512];
    snprintf(text, sizeof text, "%sboxes: [{at_m: [6.2, 5], size_m: [0.5, 0.5, 1]}]\n", ramp);
    assert_refused(text, "ramps[0] cannot be driven over");
    snprintf(text, sizeof text, "%sboxes: [{at_m: [5, 5.5], size_m: [0.5, 0.5, 1]}]\n", ramp);
    assert_refused(text, "ramps[0] cannot be driven over");
}

static void starts_in_separate_rooms_are_refused(void **state)
{
    (void)state;
    assert_refused(HEAD "starts: [{at_m: [1, 1]}, {at_m: [1, 8]}]\nwalls: [{points_m: [[0, 5], [10, 5]]}]\n",
                   "starts[1] cannot be reached from starts[0]");
}

// Between 0.05 and 0.45 m nothing may hang in the air: a robot with one planar laser would not see it.
static void assert_nothing_overhangs(const cairn_sim_arena *arena)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (solid->kind == CAIRN_SOLID_GROUND) { continue; }
        const double bottom_m = solid->map_T_box.at_m.z - solid->half_m.z, top_m = bottom_m + 2 * solid->half_m.z;
        assert_true(bottom_m < 1e-9 || bottom_m > 0.44);
        if (bottom_m < 1e-9) { assert_true(top_m > LASER_M + 0.1); }
    }
}

static uint32_t boxed_count(const cairn_sim_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->victim_count; i++) { count += arena->victims[i].boxed; }
    return count;
}

static void the_maze_is_as_promised(void **state)
{
    (void)state;
    const cairn_sim_arena maze = shipped(CAIRN_SOURCE_ROOT "/arenas/maze.yaml");
    assert_string_equal(maze.name, "maze");
    assert_true(fabs(maze.size_m.x - 10) < 0.5 && fabs(maze.size_m.y - 10) < 0.5);
    assert_int_equal(maze.victim_count, 4);
    assert_int_equal(boxed_count(&maze), 2);
    assert_int_equal(maze.ramp_count, 2);
    assert_int_equal(maze.start_count, 3);
    assert_nothing_overhangs(&maze);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(cairn_sim_ground_m(&maze, cairn_pose2_at(maze.ramps[i].map_T_ramp), INFINITY) < LASER_M - 0.1);
    }
}

static void the_office_is_as_promised(void **state)
{
    (void)state;
    const cairn_sim_arena office = shipped(CAIRN_SOURCE_ROOT "/arenas/office.yaml");
    assert_true(office.size_m.x == 40 && office.size_m.y == 25);
    assert_int_equal(office.victim_count, 8);
    assert_int_equal(boxed_count(&office), 4);
    assert_true(office.ramp_count >= 2);
    assert_int_equal(office.start_count, 14);
    assert_nothing_overhangs(&office);
}

// Both ramps of the maze are the only ways into their parts: with a box on one, its victim is out of reach.
static void the_mazes_ramps_must_be_crossed(void **state)
{
    (void)state;
    FILE *file = fopen(CAIRN_SOURCE_ROOT "/arenas/maze.yaml", "r");
    assert_non_null(file);
    static char text[32768];
    const size_t length = fread(text, 1, sizeof text - 256, file);
    fclose(file);
    const struct {
        const char *box, *reason;
    } cases[] = {{"\nboxes: [{at_m: [5.08, 0.76], size_m: [0.2, 1.3, 1]}]\n", "(Dan): no robot"},
                 {"\nboxes: [{at_m: [9.40, 6.52], size_m: [1.3, 0.2, 1]}]\n", "(Cleo): no robot"}};
    for (size_t i = 0; i < 2; i++) {
        text[length] = '\0';
        strcat(text, cases[i].box);
        assert_refused(text, cases[i].reason);
    }
}

static void the_same_file_makes_the_same_bytes(void **state)
{
    (void)state;
    const cairn_sim_arena first = shipped(CAIRN_SOURCE_ROOT "/arenas/office.yaml");
    const size_t size_bytes = first.solid_count * sizeof(cairn_solid);
    void *copy = malloc(size_bytes);
    assert_non_null(copy);
    memcpy(copy, first.solids, size_bytes);
    memset(block, 0xff, sizeof block);
    const cairn_sim_arena second = shipped(CAIRN_SOURCE_ROOT "/arenas/office.yaml");
    assert_int_equal(second.solid_count, first.solid_count);
    assert_memory_equal(second.solids, copy, size_bytes);
    free(copy);
}

static void memory_that_is_too_small_is_told(void **state)
{
    (void)state;
    cairn_arena memory;
    cairn_arena_init(&memory, block, 4096);
    memset(&told, 0, sizeof told);
    cairn_sim_arena arena;
    assert_int_equal(cairn_sim_arena_read(CAIRN_SOURCE_ROOT "/arenas/office.yaml", &memory, &told, &arena),
                     CAIRN_ERR_FULL);
    assert_int_equal(memory.used_bytes, 0);
    assert_true(told.count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_close_at_their_corners),
        cmocka_unit_test(free_ends_of_walls_stay_where_they_are),
        cmocka_unit_test(solids_are_of_the_material_that_the_file_says),
        cmocka_unit_test(ramps_are_solid_up_to_their_surface),
        cmocka_unit_test(a_boxed_victim_is_seen_through_the_front_only),
        cmocka_unit_test(a_victim_in_the_open_sits_where_the_file_says),
        cmocka_unit_test(things_in_wrong_places_are_refused),
        cmocka_unit_test(a_victim_behind_too_narrow_a_door_is_out_of_reach),
        cmocka_unit_test(a_victim_that_nobody_can_see_is_out_of_reach),
        cmocka_unit_test(a_box_on_a_wall_hangs_and_is_open_at_its_front),
        cmocka_unit_test(what_is_said_to_be_hard_may_be_out_of_reach),
        cmocka_unit_test(a_ramp_that_leads_into_a_wall_is_refused),
        cmocka_unit_test(starts_in_separate_rooms_are_refused),
        cmocka_unit_test(the_maze_is_as_promised),
        cmocka_unit_test(the_office_is_as_promised),
        cmocka_unit_test(the_mazes_ramps_must_be_crossed),
        cmocka_unit_test(the_same_file_makes_the_same_bytes),
        cmocka_unit_test(memory_that_is_too_small_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
