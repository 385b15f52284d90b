// Trajectories in files, and the figures by which mappers are compared.
#include "../base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "slam/trajectory/relations_io.h"
#include "slam/trajectory/trajectory_eval.h"
#include "slam/trajectory/tum_io.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 3
#define COUNT 200

static cairn_stamped_pose poses[COUNT];
static const cairn_trajectory line = {COUNT, poses};

// A walk of about a metre a second.
static void make_walk(cairn_random *random)
{
    cairn_random_init(random, SEED, "trajectory");
    cairn_pose2 at = {3, -2, 1};
    for (uint32_t i = 0; i < COUNT; i++) {
        poses[i] = (cairn_stamped_pose){CAIRN_S(976052857) + CAIRN_MS(250) * i + 337284000, at};
        at = cairn_pose2_compose(at, (cairn_pose2){0.25, 0, cairn_random_between(random, -0.3, 0.3)});
    }
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    cairn_random random;
    make_walk(&random);
    char path[] = "/tmp/cairn-tum-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    (void)close(handle);
    cairn_complaints told = {0};
    cairn_tum_file file;
    assert_ok(cairn_tum_write(&line, path, &told));
    assert_ok(cairn_tum_open(path, &told, &file));
    (void)remove(path);
    assert_int_equal(file.trajectory.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(file.trajectory.poses[i].stamp_ns, poses[i].stamp_ns);
        assert_float_equal(file.trajectory.poses[i].map_T_base.x_m, poses[i].map_T_base.x_m, 1e-6);
        assert_float_equal(file.trajectory.poses[i].map_T_base.yaw_rad, poses[i].map_T_base.yaw_rad, 1e-7);
    }
    cairn_tum_close(&file);
}

// The benchmark's own figures: a trajectory with known errors must be given just those.
static void errors_of_relations_are_those_that_were_made(void **state)
{
    (void)state;
    cairn_random random;
    make_walk(&random);
    cairn_relation relations[100];
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t a = (uint32_t)cairn_random_below(&random, COUNT),
                       b = (uint32_t)cairn_random_below(&random, COUNT);
        const cairn_pose2 off = {0.01 * i, 0, i % 2 ? 0.1 : -0.3};
        sum += 0.01 * i / 100, squares += 1e-4 * i * i / 100;
        // between(known, said) = off, so known = said * off^-1.
        const cairn_pose2 said = cairn_pose2_between(poses[a].map_T_base, poses[b].map_T_base);
        relations[i] =
            (cairn_relation){poses[a].stamp_ns, poses[b].stamp_ns, cairn_pose2_compose(said, cairn_pose2_inverse(off))};
    }
    relations[7].to_ns = 5; // a moment that the trajectory does not know
    cairn_trajectory_errors errors;
    cairn_eval_relations(&line, relations, 100, CAIRN_S(1), &errors);
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.translation_m.count, 99);
    const double mean = (100 * sum - 0.07) / 99, square = (100 * squares - 0.0049) / 99;
    assert_float_equal(errors.translation_m.mean, mean, 1e-9);
    assert_float_equal(errors.translation_m.squared_mean, square, 1e-9);
    assert_float_equal(errors.translation_m.std, sqrt(square - mean * mean), 1e-9);
    assert_float_equal(errors.rotation_rad.mean, (50 * 0.3 + 49 * 0.1) / 99, 1e-9);
    assert_float_equal(errors.rotation_rad.largest, 0.3, 1e-9);
}

// A map may lie anywhere: where it lies is not an error, and a stretched one is.
static void a_moved_trajectory_has_no_error_and_a_bent_one_has(void **state)
{
    (void)state;
    cairn_random random;
    make_walk(&random);
    static cairn_stamped_pose moved[COUNT];
    const cairn_pose2 by = {100, -30, 2.5};
    for (uint32_t i = 0; i < COUNT; i++) {
        moved[i] = poses[i];
        moved[i].map_T_base = cairn_pose2_compose(by, poses[i].map_T_base);
    }
    const cairn_trajectory other = {COUNT, moved};
    cairn_arena scratch;
    assert_ok(cairn_arena_create(&scratch, 1 << 16));
    cairn_reference_errors errors;
    assert_ok(cairn_eval_reference(&line, &other, 1, CAIRN_S(1), &scratch, &errors));
    assert_true(errors.absolute.translation_m.largest < 1e-9);
    assert_true(errors.relative.rotation_rad.largest < 1e-9);
    assert_int_equal(errors.absolute.missing_count, 0);
    assert_float_equal(errors.reference_T_map.yaw_rad, 2.5, 1e-9);
    // Each quarter of a metre becomes 0.26: over the metre of an RPE, less a hair, that is 4 cm.
    for (uint32_t i = 1; i < COUNT; i++) {
        const cairn_pose2 step = cairn_pose2_between(poses[i - 1].map_T_base, poses[i].map_T_base);
        moved[i].map_T_base = cairn_pose2_compose(
            moved[i - 1].map_T_base, (cairn_pose2){0.26 / 0.25 * step.x_m, 0.26 / 0.25 * step.y_m, step.yaw_rad});
    }
    cairn_arena_reset(&scratch, 0);
    assert_ok(cairn_eval_reference(&other, &line, 0.99, CAIRN_S(1), &scratch, &errors));
    assert_true(errors.relative.translation_m.mean > 0.03 && errors.relative.translation_m.mean < 0.041);
    assert_true(errors.absolute.translation_m.mean > 0.04);
    cairn_arena_destroy(&scratch);
}

static void between_stamps_poses_are_blended_but_not_across_gaps(void **state)
{
    (void)state;
    cairn_random random;
    make_walk(&random);
    cairn_pose2 pose;
    assert_true(cairn_trajectory_at(&line, poses[3].stamp_ns + CAIRN_MS(125), CAIRN_MS(250), &pose));
    assert_float_equal(pose.x_m, 0.5 * (poses[3].map_T_base.x_m + poses[4].map_T_base.x_m), 1e-9);
    assert_false(cairn_trajectory_at(&line, poses[3].stamp_ns + CAIRN_MS(125), CAIRN_MS(249), &pose));
    assert_false(cairn_trajectory_at(&line, poses[0].stamp_ns - 1, CAIRN_S(9), &pose));
    assert_false(cairn_trajectory_at(&line, poses[COUNT - 1].stamp_ns + 1, CAIRN_S(9), &pose));
    assert_true(cairn_trajectory_at(&line, poses[COUNT - 1].stamp_ns, 0, &pose));
}

static void damaged_files_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        bool relations;
        cairn_err err;
    } cases[] = {
        {"# nothing\n", "has no poses", false, CAIRN_ERR_EMPTY},
        {"1 2 3\n", "a:1: expected 'stamp x y z", false, CAIRN_ERR_CORRUPT},
        {"\n1 0 0 0 0 0 0 2\n", "a:2: expected 'stamp x y z", false, CAIRN_ERR_CORRUPT},
        {"", "has no relations", true, CAIRN_ERR_EMPTY},
        {"1 2 3 4 5 6 7\n", "a:1: expected 'stamp1 stamp2", true, CAIRN_ERR_CORRUPT},
        {"1 2 3 4 5 6 7 x\n", "a:1: expected 'stamp1 stamp2", true, CAIRN_ERR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_complaints told = {0};
        cairn_tum_file file;
        cairn_relations relations;
        const uint8_t *bytes = (const uint8_t *)cases[i].text;
        const size_t size = strlen(cases[i].text);
        const cairn_err err = cases[i].relations ? cairn_relations_parse(bytes, size, "a", &told, &relations)
                                                 : cairn_tum_parse(bytes, size, "a", &told, &file);
        assert_int_equal(err, cases[i].err);
        assert_non_null(strstr(told.text, cases[i].words));
    }
    cairn_complaints told = {0};
    cairn_relations relations;
    const char *good = "# t1 t2 x y z r p y\n976052905.167303 976052911.885496 -0.05 -0.12 0 0 0 -1.68\n";
    assert_ok(cairn_relations_parse((const uint8_t *)good, strlen(good), "a", &told, &relations));
    assert_int_equal(relations.count, 1);
    assert_int_equal(relations.relations[0].from_ns, 976052905167303000);
    assert_float_equal(relations.relations[0].from_T_to.yaw_rad, -1.68, 1e-12);
    cairn_relations_close(&relations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(errors_of_relations_are_those_that_were_made),
        cmocka_unit_test(a_moved_trajectory_has_no_error_and_a_bent_one_has),
        cmocka_unit_test(between_stamps_poses_are_blended_but_not_across_gaps),
        cmocka_unit_test(damaged_files_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
