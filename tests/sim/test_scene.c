// test_scene.c - doors, figures and hazards against poses worked out by hand; nobody is run over.
#include "physics_rig.h"
#include "sim/scene.h"
#include <math.h>
#include <string.h>

#define DEGREE (CAIRN_PI / 180)
#define FIGURES_MAX 3

static const cairn_physics_kind *const planar = &cairn_physics_planar;

// A place of 20 x 20 m with a door, a block and figures, and robots in it.
typedef struct stage {
    rig rig;
    cairn_sim_wall walls[1];
    cairn_sim_door door;
    cairn_sim_block block;
    cairn_sim_figure figures[FIGURES_MAX];
    cairn_scene *scene;
    uint64_t dead;
} stage;

static void stage_start(stage *it, uint32_t robot_count, const cairn_pose2 *starts)
{
    static cairn_complaints complaints;
    rig *in = &it->rig;
    in->place.size_m = (cairn_vec2){20, 20};
    in->place.walls = it->walls;
    in->place.doors = &it->door;
    in->place.blocks = &it->block;
    in->place.figures = it->figures;
    in->kind = planar;
    in->robot = emu();
    in->robot_count = robot_count;
    assert_ok(cairn_arena_create(&in->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&in->place, &in->memory));
    const cairn_body_description *robots[ROBOTS_MAX] = {&in->robot, &in->robot, &in->robot};
    const cairn_physics_def physics = {
        .arena = &in->place, .robot_count = robot_count, .robots = robots, .starts = starts, .seed = in->seed};
    assert_ok(planar->create(&physics, &complaints, &in->physics));
    const cairn_scene_def def = {.arena = &in->place,
                                 .physics_kind = planar,
                                 .physics = in->physics,
                                 .robot_count = robot_count,
                                 .robots = robots,
                                 .seed = in->seed};
    assert_ok(cairn_scene_create(&def, &it->scene));
}

static void stage_end(stage *it)
{
    cairn_scene_destroy(it->scene);
    rig_end(&it->rig);
}

static void play(stage *it, double for_s)
{
    for (int i = 0; i < (int)lround(for_s * STEPS_PER_S); i++) {
        it->dead |= cairn_scene_step(it->scene, it->dead);
        run_step(&it->rig);
    }
}

static cairn_pose2 mover_at(const stage *it, uint32_t mover)
{
    return cairn_pose3_to_pose2(planar->mover(it->rig.physics, mover));
}

// A door of 1 m: hinge at (10, 10), shut towards +x, opening to +y within 2 s.
static cairn_sim_door front_door(void)
{
    return (cairn_sim_door){.name = "front",
                            .hinge_m = {10, 10},
                            .latch_m = {11, 10},
                            .thickness_m = 0.04,
                            .height_m = 2,
                            .open_rad = 90 * DEGREE,
                            .swing_s = 2};
}

// ---- doors

static void assert_leaf(const stage *it, double angle_rad)
{
    const cairn_pose2 leaf = mover_at(it, 0);
    assert_near(leaf.x_m, 10 + 0.5 * cos(angle_rad), 1e-9);
    assert_near(leaf.y_m, 10 + 0.5 * sin(angle_rad), 1e-9);
    assert_near(cairn_angle_between(leaf.yaw_rad, angle_rad), 0, 1e-9);
}

static void a_door_turns_about_its_hinge(void **state)
{
    (void)state;
    for (int open_at_start = 0; open_at_start < 2; open_at_start++) {
        static stage it;
        it = (stage){.door = front_door()};
        it.door.open = open_at_start;
        it.rig.place.door_count = 1;
        stage_start(&it, 1, &(cairn_pose2){2, 2, 0});
        const double from = open_at_start ? 90 : 0, sign = open_at_start ? -1 : 1;
        play(&it, 1);
        assert_leaf(&it, from * DEGREE);
        cairn_scene_set_door(it.scene, 0, !open_at_start);
        play(&it, 0.5);
        assert_leaf(&it, (from + sign * 22.5) * DEGREE);
        play(&it, 2);
        assert_leaf(&it, (from + sign * 90) * DEGREE);
        stage_end(&it);
    }
}

// The leaf sweeps the quarter in which the robot stands: it must stop before it, and go on once the way is free.
static void a_door_waits_for_a_robot_in_its_way(void **state)
{
    (void)state;
    static stage it;
    it = (stage){.door = front_door()};
    it.rig.place.door_count = 1;
    stage_start(&it, 1, &(cairn_pose2){10.6, 10.6, 0});
    cairn_scene_set_door(it.scene, 0, true);
    play(&it, 5);
    const cairn_pose2 leaf = mover_at(&it, 0);
    // Its corner at (10.87, 10.38) is met first, 25.3 degrees up, less half the leaf and the clearance.
    assert_true(leaf.yaw_rad > 18 * DEGREE && leaf.yaw_rad < 24 * DEGREE);
    assert_int_equal(planar->collisions(it.rig.physics, 0).count, 0);
    assert_near(truth_of(&it.rig, 0).map_T_base.at_m.x, 10.6, 1e-9);

    want(&it.rig, 0, 0.5, 0);
    play(&it, 6);
    assert_leaf(&it, 90 * DEGREE);
    stage_end(&it);
}

// Whoever stands against a shut door from outside must not hold it shut.
static void a_door_opens_away_from_a_robot_that_touches_it(void **state)
{
    (void)state;
    static stage it;
    it = (stage){.door = front_door()};
    it.rig.place.door_count = 1;
    stage_start(&it, 1, &(cairn_pose2){10.5, 9, CAIRN_PI / 2});
    want(&it.rig, 0, 0.3, 0);
    play(&it, 4);
    assert_near(truth_of(&it.rig, 0).map_T_base.at_m.y, 9.98 - 0.27, 3e-3); // the door holds it
    assert_true(truth_of(&it.rig, 0).bump_front);
    cairn_scene_set_door(it.scene, 0, true);
    play(&it, 3);
    assert_leaf(&it, 90 * DEGREE);
    assert_true(truth_of(&it.rig, 0).map_T_base.at_m.y > 10.2);
    stage_end(&it);
}

static void a_door_waits_for_a_block(void **state)
{
    (void)state;
    static stage it;
    it = (stage){.door = front_door(),
                 .block = {.map_T_block = {10.5, 10.5, 0}, .size_m = {0.3, 0.3, 0.3}, .mass_kg = 5}};
    it.rig.place.door_count = it.rig.place.block_count = 1;
    stage_start(&it, 1, &(cairn_pose2){2, 2, 0});
    cairn_scene_set_door(it.scene, 0, true);
    play(&it, 4);
    assert_true(mover_at(&it, 0).yaw_rad < 30 * DEGREE);
    planar->put(it.rig.physics, 1, cairn_pose3_from_pose2((cairn_pose2){5, 5, 0}, 0.15));
    play(&it, 2);
    assert_leaf(&it, 90 * DEGREE);
    stage_end(&it);
}

// ---- figures

static void a_figure_walks_to_and_fro(void **state)
{
    (void)state;
    static stage it;
    cairn_vec2 way[] = {{2, 2}, {5, 2}, {5, 6}};
    it = (stage){.figures = {{.kind = CAIRN_FIGURE_BYSTANDER, .point_count = 3, .points_m = way, .speed_mps = 0.8}}};
    it.rig.place.figure_count = 1;
    stage_start(&it, 1, &(cairn_pose2){15, 15, 0});
    const struct {
        double after_s, x_m, y_m, yaw_rad;
    } cases[] = {{1, 2.8, 2, 0},         {5, 5, 3, CAIRN_PI / 2}, {8.75, 5, 6, CAIRN_PI / 2}, {10, 5, 5, -CAIRN_PI / 2},
                 {17.5, 2, 2, CAIRN_PI}, {18.5, 2.8, 2, 0}};
    double now_s = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        play(&it, cases[i].after_s - now_s);
        now_s = cases[i].after_s;
        const cairn_pose2 at = mover_at(&it, 0);
        assert_near(at.x_m, cases[i].x_m, 0.005); // it turns within a step
        assert_near(at.y_m, cases[i].y_m, 0.005);
        if (i != 2 && i != 4) { assert_near(cairn_angle_between(at.yaw_rad, cases[i].yaw_rad), 0, 1e-9); }
    }
    stage_end(&it);
}

static void a_figure_waits_half_a_metre_before_a_robot(void **state)
{
    (void)state;
    static stage it;
    cairn_vec2 way[] = {{2, 5}, {12, 5}};
    it = (stage){.figures = {{.kind = CAIRN_FIGURE_BYSTANDER, .point_count = 2, .points_m = way, .speed_mps = 1}}};
    it.rig.place.figure_count = 1;
    stage_start(&it, 1, &(cairn_pose2){7, 5, 0});
    play(&it, 8);
    const double half_m = it.rig.place.solids[it.rig.place.movers[0].solid].half_m.x;
    assert_near(7 - 0.27 - mover_at(&it, 0).x_m - half_m, 0.5, 0.005);
    want(&it.rig, 0, 0.7, 0);
    play(&it, 8);
    assert_true(mover_at(&it, 0).x_m > 8);
    assert_int_equal(planar->collisions(it.rig.physics, 0).count, 0);
    stage_end(&it);
}

// ---- hazards

static cairn_sim_figure mine(cairn_vec2 *at)
{
    return (cairn_sim_figure){
        .kind = CAIRN_FIGURE_HAZARD, .point_count = 1, .points_m = at, .trigger_m = 2.5, .lethal_m = 6};
}

// Three robots: one comes near, one is within lethal reach, one is too far away.
static void a_hazard_destroys_whoever_it_sees_once(void **state)
{
    (void)state;
    static stage it;
    cairn_vec2 at = {5, 5};
    it = (stage){.figures = {mine(&at)}};
    it.rig.place.figure_count = 1;
    stage_start(&it, 3, (const cairn_pose2[]){{9, 5, CAIRN_PI}, {5, 10.5, 0}, {12, 5, 0}});
    play(&it, 1);
    assert_int_equal(it.dead, 0); // 4 m away
    want(&it.rig, 0, 0.5, 0);
    while (it.dead == 0 && it.rig.step < 20 * STEPS_PER_S) { play(&it, 0.004); }
    assert_int_equal(it.dead, 3);
    const double away_m = truth_of(&it.rig, 0).map_T_base.at_m.x - 5;
    assert_true(away_m <= 2.5 && away_m > 2.5 - 0.5 * 0.11); // looked at ten times a second
    want(&it.rig, 0, 0, 0);
    want(&it.rig, 2, -0.5, 0); // another one comes: it has gone off
    play(&it, 12);
    assert_true(truth_of(&it.rig, 2).map_T_base.at_m.x < 7.4);
    assert_int_equal(it.dead, 3);
    stage_end(&it);
}

static void a_wall_or_a_shut_door_hides_from_a_hazard(void **state)
{
    (void)state;
    cairn_vec2 at = {10.5, 9};
    for (int open = 0; open < 2; open++) {
        static stage it;
        it = (stage){.door = front_door(), .figures = {mine(&at)}};
        it.walls[0] = (cairn_sim_wall){.from_m = {0, 10}, .to_m = {10, 10}, .thickness_m = 0.1, .height_m = 2};
        it.door.open = open;
        it.rig.place.wall_count = it.rig.place.door_count = it.rig.place.figure_count = 1;
        stage_start(&it, 2, (const cairn_pose2[]){{10.6, 11.2, 0}, {8, 12, 0}}); // behind the door, behind the wall
        play(&it, 1);
        assert_int_equal(it.dead, open ? 1 : 0);
        stage_end(&it);
    }
}

static void the_dead_set_nothing_off(void **state)
{
    (void)state;
    static stage it;
    cairn_vec2 at = {5, 5};
    it = (stage){.figures = {mine(&at)}, .dead = 1};
    it.rig.place.figure_count = 1;
    stage_start(&it, 2, (const cairn_pose2[]){{6, 5, 0}, {9, 5, 0}});
    play(&it, 1);
    assert_int_equal(it.dead, 1);
    stage_end(&it);
}

// ---- aftershocks, and all of it again

static cairn_pose2 shaken_block(uint64_t seed)
{
    static stage it;
    it = (stage){.block = {.map_T_block = {10, 10, 0}, .size_m = {0.4, 0.3, 0.3}, .mass_kg = 8}};
    it.rig.seed = seed;
    it.rig.place.block_count = 1;
    stage_start(&it, 1, &(cairn_pose2){2, 2, 0});
    for (int i = 0; i < 4; i++) {
        cairn_scene_shake(it.scene, 2);
        play(&it, 1);
    }
    const cairn_pose2 at = mover_at(&it, 0);
    play(&it, 1);
    const cairn_pose2 later = mover_at(&it, 0);
    assert_memory_equal(&at, &later, sizeof at); // it has come to rest
    stage_end(&it);
    return at;
}

static void aftershocks_move_blocks_as_the_seed_says(void **state)
{
    (void)state;
    const cairn_pose2 first = shaken_block(1), again = shaken_block(1), other = shaken_block(2);
    assert_memory_equal(&first, &again, sizeof first);
    assert_memory_not_equal(&first, &other, sizeof first);
    const double moved_m = hypot(first.x_m - 10, first.y_m - 10);
    assert_true(moved_m > 0.01 && moved_m < 4 * 2.0 * 2.0 / (2 * 0.6 * GRAVITY_MPS2)); // four slides from 2 m/s
}

// What has been saved goes on as what it was saved of; what is damaged changes nothing.
static void a_saved_scene_goes_on(void **state)
{
    (void)state;
    static stage it[2];
    cairn_vec2 way[] = {{2, 5}, {4, 5}};
    for (int i = 0; i < 2; i++) {
        it[i] = (stage){.door = front_door(),
                        .figures = {{.kind = CAIRN_FIGURE_HAZARD, .point_count = 2, .points_m = way, .speed_mps = 1}}};
        it[i].rig.place.door_count = it[i].rig.place.figure_count = 1;
        stage_start(&it[i], 1, &(cairn_pose2){15, 15, 0});
    }
    cairn_scene_set_door(it[0].scene, 0, true);
    play(&it[0], 1.1);
    uint8_t saved[256], physics[8192], again[256];
    assert_true(cairn_scene_state_bytes(it[0].scene) <= sizeof saved);
    assert_true(planar->state_bytes(it[0].rig.physics) <= sizeof physics);
    cairn_scene_save(it[0].scene, saved);
    planar->save(it[0].rig.physics, physics);
    assert_ok(cairn_scene_load(it[1].scene, saved));
    assert_ok(planar->load(it[1].rig.physics, physics));
    play(&it[0], 2);
    play(&it[1], 2);
    for (uint32_t i = 0; i < 2; i++) {
        const cairn_pose3 a = planar->mover(it[0].rig.physics, i), b = planar->mover(it[1].rig.physics, i);
        assert_memory_equal(&a, &b, sizeof a);
    }
    cairn_scene_save(it[1].scene, again);
    memset(saved + cairn_scene_state_bytes(it[0].scene) - 8, 0xff, 8); // NaN
    assert_int_equal(cairn_scene_load(it[1].scene, saved), CAIRN_ERR_CORRUPT);
    cairn_scene_save(it[1].scene, saved);
    assert_memory_equal(saved, again, cairn_scene_state_bytes(it[1].scene));
    for (int i = 0; i < 2; i++) { stage_end(&it[i]); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_turns_about_its_hinge),
        cmocka_unit_test(a_door_waits_for_a_robot_in_its_way),
        cmocka_unit_test(a_door_opens_away_from_a_robot_that_touches_it),
        cmocka_unit_test(a_door_waits_for_a_block),
        cmocka_unit_test(a_figure_walks_to_and_fro),
        cmocka_unit_test(a_figure_waits_half_a_metre_before_a_robot),
        cmocka_unit_test(a_hazard_destroys_whoever_it_sees_once),
        cmocka_unit_test(a_wall_or_a_shut_door_hides_from_a_hazard),
        cmocka_unit_test(the_dead_set_nothing_off),
        cmocka_unit_test(aftershocks_move_blocks_as_the_seed_says),
        cmocka_unit_test(a_saved_scene_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
