// Guards that keep the robot on ground that carries, and where it may be: drop and area. What they promise is checked
// by a second, plain account of where wheels and hull are.
#include "base/random.h"
#include "rig.h"
#include "robot/reflex/area.h"
#include "robot/reflex/near.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SEED 1996u
#define DEGREES (CAIRN_PI / 180.0)
#define SWITCHED_OFF(guard) (1u << (guard))

static cairn_body_description seeing_description(void)
{
    cairn_body_description description = rig_description();
    description.range_imager.offered = true;
    description.limits.accept_unseen_ground = false;
    description.laser.field_rad = 2.0 * CAIRN_PI; // it sees behind: only what is tested limits it
    return description;
}

// Until it knows its odometry, of which ground and areas are told.
static void settle(rig *bench, uint32_t without)
{
    cairn_reflex_switch_off(bench->reflex, without);
    rig_command(bench, 0, 0);
    rig_run(bench, 0.1);
}

// Something else is asked for every 0.8 s.
static void step_at_random(rig *bench, cairn_random *random, int step)
{
    if (step % 100 == 0) {
        rig_command(bench, cairn_random_between(random, -0.6, 0.6), cairn_random_between(random, -1.5, 1.5));
    }
    rig_step(bench);
}

// ---- ground

typedef bool (*is_ground)(const void *of, double x_m, double y_m);

static void tell_ground(rig *bench, is_ground carries, const void *of)
{
    static cairn_sound_ground ground;
    ground = (cairn_sound_ground){.issued = bench->now, .odom_id = bench->state.odom_id};
    ground.low_x = ground.low_y = -CAIRN_SEEN_CELLS / 2;
    for (uint32_t i = 0; i < CAIRN_SEEN_CELLS * CAIRN_SEEN_CELLS; i++) {
        const double x_m = ((double)(i % CAIRN_SEEN_CELLS) + ground.low_x + 0.5) * CAIRN_SEEN_CELL_M;
        const double y_m = ((double)(i / CAIRN_SEEN_CELLS) + ground.low_y + 0.5) * CAIRN_SEEN_CELL_M;
        if (carries(of, x_m, y_m)) { ground.bits[i >> 3] |= (uint8_t)(1u << (i & 7)); }
    }
    cairn_cell_write(bench->cells.ground, &ground, sizeof ground);
}

// Ends at +-1.5 m ahead and behind.
static bool is_on_platform(const void *of, double x_m, double y_m)
{
    (void)of;
    (void)y_m;
    return fabs(x_m) < 1.5;
}

static bool is_anywhere(const void *of, double x_m, double y_m)
{
    (void)of;
    (void)x_m;
    (void)y_m;
    return true;
}

// What of the wheels is farthest along the map's x, to either side.
static double farthest_wheel_m(const rig *bench)
{
    const cairn_wheels_description *wheels = &bench->description.wheels;
    double farthest_m = 0.0;
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 at_m = {(i & 1 ? 0.5 : -0.5) * wheels->wheelbase_m,
                                 (i & 2 ? 0.5 : -0.5) * (wheels->track_m + wheels->width_m)};
        farthest_m = fmax(farthest_m, fabs(cairn_pose2_apply(bench->truth, at_m).x));
    }
    return farthest_m;
}

static double farthest_on_platform_m(double forward_mps, double turn_radps, bool turned_first, uint32_t without)
{
    const cairn_body_description description = seeing_description();
    rig bench;
    rig_init(&bench, &description);
    settle(&bench, without);
    tell_ground(&bench, is_on_platform, NULL);
    if (turned_first) {
        rig_command(&bench, 0, 0.8);
        rig_run(&bench, 0.8);
    }
    rig_command(&bench, forward_mps, turn_radps);
    double farthest_m = 0.0;
    for (int i = 0; i < 125 * 60 && farthest_m < 1.6; i++) {
        rig_step(&bench);
        farthest_m = fmax(farthest_m, farthest_wheel_m(&bench));
    }
    rig_finish(&bench);
    return farthest_m;
}

// Mind asks for it without end, as a broken one may. However slowly it goes, it does not creep over.
static void no_wheel_leaves_the_ground_that_carries(void **state)
{
    (void)state;
    const struct {
        double forward_mps, turn_radps;
        bool arrives;
    } asked[] = {{0.6, 0, true},    {-0.6, 0, true},   {0.3, 0.02, true}, {0.08, 0, true},
                 {-0.05, 0, false}, {0.003, 0, false}, {0.6, -0.3, true}, {0.4, 0.25, true}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        for (int turned = 0; turned < 2; turned++) {
            const double m = farthest_on_platform_m(asked[i].forward_mps, asked[i].turn_radps, turned != 0, 0);
            print_message("%.3f m/s %.2f rad/s: %.3f m\n", asked[i].forward_mps, asked[i].turn_radps, m);
            assert_true(m < 1.5 - 0.01);
            if (asked[i].arrives && asked[i].turn_radps == 0 && turned == 0) { assert_true(m > 1.4); } // no sooner
        }
    }
    assert_true(farthest_on_platform_m(0.6, 0, false, SWITCHED_OFF(CAIRN_GUARD_DROP)) > 1.5);
    assert_true(farthest_on_platform_m(0.08, 0, false, SWITCHED_OFF(CAIRN_GUARD_DROP)) > 1.5);
}

// A few round patches of ground, the first around the start.
#define PATCHES 14
typedef struct patches {
    cairn_vec2 at_m[PATCHES];
    double radius_m[PATCHES];
} patches;

static bool is_on_patch(const void *of, double x_m, double y_m)
{
    const patches *ground = of;
    for (int i = 0; i < PATCHES; i++) {
        if (hypot(x_m - ground->at_m[i].x, y_m - ground->at_m[i].y) < ground->radius_m[i]) { return true; }
    }
    return false;
}

static bool is_on_cell(const patches *ground, cairn_vec2 at_m)
{
    const double x_m = (floor(at_m.x / CAIRN_SEEN_CELL_M) + 0.5) * CAIRN_SEEN_CELL_M;
    const double y_m = (floor(at_m.y / CAIRN_SEEN_CELL_M) + 0.5) * CAIRN_SEEN_CELL_M;
    return is_on_patch(ground, x_m, y_m);
}

// Ground, or a gap that is no wider than a wheel rolls over: ground on both sides of it.
#define GAP_M 0.1
static bool carries_wheel(const patches *ground, cairn_vec2 at_m)
{
    if (is_on_cell(ground, at_m)) { return true; }
    for (int i = 0; i < 8; i++) {
        const cairn_vec2 aside_m = {0.5 * GAP_M * cos(i * CAIRN_PI / 8), 0.5 * GAP_M * sin(i * CAIRN_PI / 8)};
        if (is_on_cell(ground, cairn_vec2_add(at_m, aside_m)) && is_on_cell(ground, cairn_vec2_sub(at_m, aside_m))) {
            return true;
        }
    }
    return false;
}

// Slowly: by the cell's middle, as the map was made.
static bool stands_on_patches(const rig *bench, const patches *ground)
{
    const cairn_wheels_description *wheels = &bench->description.wheels;
    for (int i = 0; i < 8; i++) {
        const double out_m = 0.5 * wheels->track_m + (i & 4 ? 0.5 : -0.5) * wheels->width_m;
        const cairn_vec2 at_m = {(i & 1 ? 0.5 : -0.5) * wheels->wheelbase_m, i & 2 ? out_m : -out_m};
        const cairn_vec2 there_m = cairn_pose2_apply(bench->truth, at_m);
        if (!carries_wheel(ground, there_m)) { return false; }
    }
    return true;
}

// Drives at random over ground at random; returns how often a wheel stood beside it.
static uint32_t steps_off_ground(uint64_t round, uint32_t without, double *ret_way_m)
{
    cairn_random random;
    cairn_random_init(&random, SEED + round, "borders/ground");
    patches ground = {.radius_m = {0.6}};
    for (int i = 1; i < PATCHES; i++) {
        ground.at_m[i] =
            (cairn_vec2){cairn_random_between(&random, -1.6, 1.6), cairn_random_between(&random, -1.6, 1.6)};
        ground.radius_m[i] = cairn_random_between(&random, 0.2, 0.9);
    }
    const cairn_body_description description = seeing_description();
    rig bench;
    rig_init(&bench, &description);
    settle(&bench, without);
    tell_ground(&bench, is_on_patch, &ground);
    uint32_t off_count = 0;
    for (int i = 0; i < 30 * 125; i++) {
        step_at_random(&bench, &random, i);
        off_count += !stands_on_patches(&bench, &ground);
    }
    *ret_way_m += bench.state.distance_m;
    rig_finish(&bench);
    return off_count;
}

static void on_any_ground_and_under_any_command_wheels_stay_on_it(void **state)
{
    (void)state;
    print_message("seed %u\n", SEED);
    uint32_t unguarded = 0;
    double way_m = 0, free_way_m = 0;
    for (uint64_t round = 0; round < 40; round++) {
        assert_int_equal(steps_off_ground(round, 0, &way_m), 0);
        unguarded += steps_off_ground(round, SWITCHED_OFF(CAIRN_GUARD_DROP), &free_way_m) > 0;
    }
    print_message("%.0f m, and %.0f m without the guard; %u of 40 left the ground then\n", way_m, free_way_m,
                  unguarded);
    assert_true(unguarded > 20 && way_m > 40);
}

static double speed_after(rig *bench, double seconds)
{
    rig_run(bench, seconds);
    return fabs(bench->state.told_mps);
}

static void who_was_not_told_of_ground_stands_and_old_ground_stays_true(void **state)
{
    (void)state;
    const cairn_body_description description = seeing_description();
    rig bench;
    rig_init(&bench, &description);
    rig_command(&bench, 0.3, 0);
    assert_true(speed_after(&bench, 1) == 0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_DROP));
    bench.state.odom_id++; // of another odometry
    tell_ground(&bench, is_anywhere, NULL);
    assert_true(speed_after(&bench, 1) == 0);
    assert_int_equal(bench.state.tellings_refused_count, 1);
    bench.now.ns += CAIRN_S(1); // from the future
    tell_ground(&bench, is_anywhere, NULL);
    bench.now.ns -= CAIRN_S(1);
    assert_true(speed_after(&bench, 0.5) == 0);
    tell_ground(&bench, is_anywhere, NULL);
    assert_true(speed_after(&bench, 1) > 0.29);
    rig_command(&bench, 0.3, 0.6); // round and round
    assert_true(speed_after(&bench, 60) > 0.29);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_DROP));
    rig_finish(&bench);
}

// Numbers of cells that lie anywhere at all.
static void ground_of_no_place_carries_nothing(void **state)
{
    (void)state;
    const int32_t lows[] = {INT32_MIN, INT32_MAX, -1000000, 1 << 20};
    for (size_t i = 0; i < sizeof lows / sizeof lows[0]; i++) {
        const cairn_body_description description = seeing_description();
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, 0.3, 0.1);
        rig_run(&bench, 0.1);
        static cairn_sound_ground ground;
        memset(&ground, 0xff, sizeof ground);
        ground.issued = bench.now;
        ground.odom_id = bench.state.odom_id;
        ground.low_x = ground.low_y = lows[i];
        cairn_cell_write(bench.cells.ground, &ground, sizeof ground);
        assert_true(speed_after(&bench, 1) == 0);
        rig_finish(&bench);
    }
}

static void who_sees_no_ground_creeps_unless_its_file_accepts_that(void **state)
{
    (void)state;
    for (int accepts = 0; accepts < 2; accepts++) {
        cairn_body_description description = seeing_description();
        description.range_imager.offered = false;
        description.limits.accept_unseen_ground = accepts != 0;
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, 0.5, 0.4);
        rig_run(&bench, 2);
        assert_int_equal(rig_guarded(&bench, CAIRN_GUARD_DROP), !accepts);
        assert_float_equal(bench.state.told_mps, accepts ? 0.5 : CAIRN_CREEP_MPS, 1e-6);
        assert_float_equal(bench.state.told_radps, accepts ? 0.4 : CAIRN_CREEP_RADPS, 1e-6);
        rig_finish(&bench);
    }
}

// ---- areas

static cairn_area rectangle(uint8_t kind, double x0, double y0, double x1, double y1)
{
    return (cairn_area){.kind = kind,
                        .corner_count = 4,
                        .x_m = {(float)x0, (float)x1, (float)x1, (float)x0},
                        .y_m = {(float)y0, (float)y0, (float)y1, (float)y1}};
}

// A star around a place, its corners in order.
static cairn_area star(cairn_random *random, uint8_t kind, cairn_vec2 at_m, double low_m, double high_m)
{
    cairn_area area = {.kind = kind, .corner_count = (uint8_t)(3 + cairn_random_below(random, 14))};
    for (int i = 0; i < area.corner_count; i++) {
        const double angle = 2 * CAIRN_PI * i / area.corner_count,
                     radius_m = cairn_random_between(random, low_m, high_m);
        area.x_m[i] = (float)(at_m.x + radius_m * cos(angle));
        area.y_m[i] = (float)(at_m.y + radius_m * sin(angle));
    }
    return area;
}

// By the angles under which the edges are seen: another way than the guard's.
static bool winds_around(const cairn_area *area, cairn_vec2 at_m)
{
    double sum = 0;
    for (int i = 0; i < area->corner_count; i++) {
        const int next = (i + 1) % area->corner_count;
        const double a = atan2((double)area->y_m[i] - at_m.y, (double)area->x_m[i] - at_m.x);
        const double b = atan2((double)area->y_m[next] - at_m.y, (double)area->x_m[next] - at_m.x);
        sum += cairn_angle_between(a, b);
    }
    return fabs(sum) > CAIRN_PI;
}

// Whether every point of a lattice over the box may be where it is; all within one keep-in.
static bool lattice_allows(const cairn_areas *areas, cairn_pose2 odom_T_box, cairn_vec2 half_m, int points)
{
    bool any_in = false, within = false;
    for (uint32_t i = 0; i < areas->area_count; i++) {
        const cairn_area *area = &areas->areas[i];
        bool all_in = true, all_out = true;
        for (int k = 0; k < points * points; k++) {
            const cairn_vec2 at_m = {half_m.x * (2.0 * (k % points) / (points - 1) - 1),
                                     half_m.y * (2.0 * (k / points) / (points - 1) - 1)};
            const bool in = winds_around(area, cairn_pose2_apply(odom_T_box, at_m));
            all_in = all_in && in;
            all_out = all_out && !in;
        }
        if (area->kind == CAIRN_AREA_KEEP_OUT && !all_out) { return false; }
        any_in = any_in || area->kind == CAIRN_AREA_KEEP_IN;
        within = within || (area->kind == CAIRN_AREA_KEEP_IN && all_in);
    }
    return within || !any_in;
}

static cairn_areas random_areas(cairn_random *random)
{
    cairn_areas areas = {.area_count = 1 + cairn_random_below(random, 3)};
    for (uint32_t i = 0; i < areas.area_count; i++) {
        const bool keep_in = cairn_random_below(random, 2) == 0;
        const cairn_vec2 at_m = {cairn_random_between(random, -0.5, 0.5), cairn_random_between(random, -0.5, 0.5)};
        areas.areas[i] = keep_in ? star(random, CAIRN_AREA_KEEP_IN, at_m, 0.6, 2.0)
                                 : star(random, CAIRN_AREA_KEEP_OUT, at_m, 0.1, 0.6);
    }
    return areas;
}

static void whether_a_hull_may_be_somewhere_agrees_with_a_lattice_of_points(void **state)
{
    (void)state;
    print_message("seed %u\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "borders/allows");
    const cairn_vec2 half_m = {0.26, 0.22}, less_m = {0.245, 0.205}, more_m = {0.275, 0.235};
    uint32_t allowed = 0, refused = 0;
    for (int i = 0; i < 4000; i++) {
        const cairn_areas areas = random_areas(&random);
        const cairn_pose2 at = {cairn_random_between(&random, -1.5, 1.5), cairn_random_between(&random, -1.5, 1.5),
                                cairn_random_between(&random, -3, 3)};
        const bool allows = cairn_area_allows(&areas, at, half_m);
        const bool lattice = lattice_allows(&areas, at, half_m, 15);
        if (allows) { assert_true(lattice); }
        // A spike that reaches between the points, or a border that only just touches, may go either way.
        if (!allows && lattice && !cairn_area_allows(&areas, at, less_m)) {
            assert_false(lattice_allows(&areas, at, more_m, 61));
        }
        assert_int_equal(allows, cairn_area_violation_m(&areas, at, half_m) == 0);
        allowed += allows;
        refused += !allows;
    }
    print_message("%u allowed, %u not\n", allowed, refused);
    assert_true(allowed > 400 && refused > 400);
}

static void tell_areas(rig *bench, cairn_areas areas)
{
    areas.issued = bench->now;
    cairn_cell_write(bench->cells.areas, &areas, sizeof areas);
}

static cairn_body_description open_description(void)
{
    cairn_body_description description = rig_description();
    description.laser.field_rad = 2.0 * CAIRN_PI;
    return description;
}

// In the open, with nothing but areas to limit it.
static void open_rig(rig *bench, double forward_mps, double turn_radps)
{
    const cairn_body_description description = open_description();
    rig_init(bench, &description);
    rig_command(bench, forward_mps, turn_radps);
    rig_run(bench, 0.1);
}

static cairn_vec2 hull_of(const rig *bench)
{
    return (cairn_vec2){0.5 * bench->description.length_m, 0.5 * bench->description.width_m};
}

// Drives at random among areas at random; returns how often the hull was where it must not be.
static uint32_t steps_out_of_areas(uint64_t round, uint32_t without, double *ret_way_m)
{
    cairn_random random;
    cairn_random_init(&random, SEED + round, "borders/areas");
    cairn_areas areas = {.area_count = CAIRN_AREAS_MAX};
    areas.areas[0] = star(&random, CAIRN_AREA_KEEP_IN, (cairn_vec2){0}, 1.2, 2.5);
    areas.areas[1] = star(&random, CAIRN_AREA_KEEP_IN, (cairn_vec2){1.0, 0.3}, 0.8, 1.5);
    for (uint32_t i = 2; i < CAIRN_AREAS_MAX; i++) {
        const double angle = cairn_random_between(&random, -3.1, 3.1), away_m = cairn_random_between(&random, 0.9, 2.0);
        areas.areas[i] =
            star(&random, CAIRN_AREA_KEEP_OUT, (cairn_vec2){away_m * cos(angle), away_m * sin(angle)}, 0.05, 0.4);
    }
    const cairn_body_description description = open_description();
    rig bench;
    rig_init(&bench, &description);
    bench.friction_nm = 1.0; // of wheels that skid: without any, a turn rolls on for a centimetre
    settle(&bench, without);
    tell_areas(&bench, areas);
    uint32_t out_count = 0;
    for (int i = 0; i < 30 * 125; i++) {
        step_at_random(&bench, &random, i);
        if (i % 5 == 0) { out_count += !lattice_allows(&areas, bench.truth, hull_of(&bench), 9); }
    }
    *ret_way_m += bench.state.distance_m;
    rig_finish(&bench);
    return out_count;
}

static void among_any_areas_and_under_any_command_the_hull_stays_where_it_may_be(void **state)
{
    (void)state;
    print_message("seed %u\n", SEED);
    uint32_t unguarded = 0;
    double way_m = 0, free_way_m = 0;
    for (uint64_t round = 0; round < 30; round++) {
        assert_int_equal(steps_out_of_areas(round, 0, &way_m), 0);
        unguarded += steps_out_of_areas(round, SWITCHED_OFF(CAIRN_GUARD_AREA), &free_way_m) > 0;
    }
    print_message("%.0f m, and %.0f m without the guard; %u of 30 went out then\n", way_m, free_way_m, unguarded);
    assert_true(unguarded > 20 && way_m > 30);
}

// A fence is drawn where the robot stands, and full speed is asked of it: it creeps out, and never in.
static void who_is_where_it_must_not_be_creeps_back_only(void **state)
{
    (void)state;
    const struct {
        uint8_t kind;
        double from_m, to_m; // along x
        double back;         // -1: backwards
    } cases[] = {{CAIRN_AREA_KEEP_OUT, 0.1, 5, -1}, {CAIRN_AREA_KEEP_OUT, -5, 0.2, 1},
                 {CAIRN_AREA_KEEP_IN, 0.0, 5, 1},   {CAIRN_AREA_KEEP_IN, -5, 0.2, -1},
                 {CAIRN_AREA_KEEP_IN, 1.0, 5, 1},   {CAIRN_AREA_KEEP_OUT, -0.6, 0.9, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig bench;
        open_rig(&bench, -0.5 * cases[i].back, 0);
        cairn_areas areas = {.area_count = 1};
        areas.areas[0] = rectangle(cases[i].kind, cases[i].from_m, -3, cases[i].to_m, 3);
        tell_areas(&bench, areas);
        rig_run(&bench, 1);
        const double violation_m = cairn_area_violation_m(&areas, bench.truth, hull_of(&bench));
        assert_true(violation_m > 0 && rig_guarded(&bench, CAIRN_GUARD_AREA));
        rig_run(&bench, 3);
        assert_true(bench.state.told_mps == 0);
        rig_command(&bench, 0.5 * cases[i].back, 0);
        double before_m = violation_m;
        for (int k = 0; k < 40 * 125 && before_m > 0; k++) {
            rig_step(&bench);
            assert_true(fabs(bench.state.told_mps) <= CAIRN_CREEP_MPS + 1e-9 || before_m < 0.02);
            const double now_m = cairn_area_violation_m(&areas, bench.truth, hull_of(&bench));
            assert_true(now_m <= before_m + 1e-6);
            before_m = now_m;
        }
        assert_true(before_m == 0);
        rig_command(&bench, 0, 1); // it may look around
        rig_finish(&bench);
    }
}

// Turning is how it gets to face the way back.
static void who_is_where_it_must_not_be_may_turn_slowly(void **state)
{
    (void)state;
    rig bench;
    open_rig(&bench, 0, 1.0);
    cairn_areas areas = {.area_count = 1};
    areas.areas[0] = rectangle(CAIRN_AREA_KEEP_OUT, -3, -3, 3, 3);
    tell_areas(&bench, areas);
    rig_run(&bench, 1);
    assert_float_equal(bench.state.told_radps, CAIRN_CREEP_RADPS, 1e-6);
    rig_finish(&bench);
}

// Whatever another process writes: the last good areas stay.
static void areas_that_cannot_be_are_refused_and_counted(void **state)
{
    (void)state;
    rig bench;
    open_rig(&bench, 0.5, 0);
    cairn_areas good = {.area_count = 2};
    good.areas[0] = rectangle(CAIRN_AREA_KEEP_IN, -1, -1, 1, 1);
    good.areas[1] = rectangle(CAIRN_AREA_KEEP_OUT, -1, 0.5, 1, 1);
    tell_areas(&bench, good);
    for (uint32_t way = 0; way < 8; way++) {
        cairn_areas bad = good;
        bad.areas[0] = rectangle(CAIRN_AREA_KEEP_IN, -9, -9, 9, 9);
        switch (way) {
        case 0: bad.area_count = CAIRN_AREAS_MAX + 1; break;
        case 1: bad.area_count = UINT32_MAX; break;
        case 2: bad.areas[1].corner_count = 2; break;
        case 3: bad.areas[1].corner_count = CAIRN_AREA_CORNERS_MAX + 1; break;
        case 4: bad.areas[1].kind = 2; break;
        case 5: bad.areas[1].x_m[3] = NAN; break;
        case 6: bad.areas[0].y_m[0] = INFINITY; break;
        default: bad.areas[0].x_m[2] = 1e30f; break;
        }
        rig_run(&bench, 0.1);
        tell_areas(&bench, bad);
        rig_run(&bench, 0.1);
        assert_int_equal(bench.state.tellings_refused_count, way + 1);
    }
    rig_run(&bench, 5);
    assert_true(lattice_allows(&good, bench.truth, hull_of(&bench), 9));
    assert_true(rig_guarded(&bench, CAIRN_GUARD_AREA));
    good.area_count = 0; // everywhere
    tell_areas(&bench, good);
    rig_run(&bench, 2);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_AREA));
    assert_true(bench.state.told_mps > 0.49);
    rig_finish(&bench);
}

// The wheels have not moved, so the areas are where they were; and a robot put elsewhere has not got any.
static void areas_outlive_reflex_and_not_the_odometry(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        rig bench;
        open_rig(&bench, 0, 0);
        cairn_areas areas = {.area_count = 1};
        areas.areas[0] = rectangle(CAIRN_AREA_KEEP_IN, -1, -1, 1, 1);
        tell_areas(&bench, areas);
        rig_run(&bench, 0.2);
        if (moved) {
            for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.wheel_rad[i] += 20; }
        }
        rig_restart(&bench);
        rig_run(&bench, 0.2);
        rig_command(&bench, 0.5, 0);
        rig_run(&bench, 5);
        assert_int_equal(bench.state.told_mps == 0, !moved);
        rig_finish(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wheel_leaves_the_ground_that_carries),
        cmocka_unit_test(on_any_ground_and_under_any_command_wheels_stay_on_it),
        cmocka_unit_test(who_was_not_told_of_ground_stands_and_old_ground_stays_true),
        cmocka_unit_test(ground_of_no_place_carries_nothing),
        cmocka_unit_test(who_sees_no_ground_creeps_unless_its_file_accepts_that),
        cmocka_unit_test(whether_a_hull_may_be_somewhere_agrees_with_a_lattice_of_points),
        cmocka_unit_test(among_any_areas_and_under_any_command_the_hull_stays_where_it_may_be),
        cmocka_unit_test(who_is_where_it_must_not_be_creeps_back_only),
        cmocka_unit_test(who_is_where_it_must_not_be_may_turn_slowly),
        cmocka_unit_test(areas_that_cannot_be_are_refused_and_counted),
        cmocka_unit_test(areas_outlive_reflex_and_not_the_odometry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
