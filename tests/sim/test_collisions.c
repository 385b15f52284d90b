// test_collisions.c - every collision is listed: who met what, how fast, and whose doing it was.
#include "physics_rig.h"
#include "sim/mission/report/collision_list.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"emu1", "emu2", "emu3"};

static void rig_start(rig *it, const cairn_physics_kind *kind, uint32_t robot_count, const cairn_pose2 *starts)
{
    static cairn_complaints complaints;
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it->place, &it->memory));
    it->kind = kind;
    it->robot = emu();
    it->robot_count = robot_count;
    const cairn_body_description *robots[ROBOTS_MAX] = {&it->robot, &it->robot, &it->robot};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = robot_count, .robots = robots, .starts = starts, .seed = 1};
    assert_ok(kind->create(&def, &complaints, &it->physics));
}

static const cairn_physics_kind *const kinds[] = {
    &cairn_physics_planar,
#ifdef CAIRN_HAS_MUJOCO
    &cairn_physics_mujoco,
#endif
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static cairn_collision_entry describe(const rig *it, uint64_t at)
{
    const cairn_collision *one = &it->kind->collision_log(it->physics)->last[at];
    cairn_collision_entry entry;
    cairn_collision_describe(one, &it->place, names, truth_of(it, one->robot).map_T_base, &entry);
    return entry;
}

static void a_wall_is_told_with_its_speed_and_height(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        cairn_sim_wall walls[] = {{.from_m = {1, 0}, .to_m = {1, 10}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {5, 0}, .to_m = {5, 10}, .thickness_m = 0.1, .height_m = 0.7}};
        rig it = {.place = {.size_m = {10, 10}, .wall_count = 2, .walls = walls}};
        rig_start(&it, kinds[i], 1, &(cairn_pose2){4, 5, 0});
        want(&it, 0, 0.3, 0);
        run(&it, 4);
        const cairn_collision_log *log = it.kind->collision_log(it.physics);
        assert_int_equal(log->count, it.kind->collisions(it.physics, 0).count);
        assert_int_equal(log->count, 1);
        const cairn_collision_entry entry = describe(&it, 0);
        assert_string_equal(entry.with, "wall 2");
        assert_near(entry.speed_mps, it.kind->collisions(it.physics, 0).speed_mps_max, 1e-12);
        assert_near(entry.own_mps, entry.speed_mps, 1e-9);
        assert_near(entry.at_m.x, 4.95, 0.02);
        assert_near(entry.ahead_m, 0.5 * it.robot.length_m, 0.03);
        assert_near(entry.top_m, 0.7, 0.02);
        char words[96];
        cairn_collision_say(&entry, names, sizeof words, words);
        assert_non_null(strstr(words, "emu1 ran into wall 2 at 0."));
        rig_end(&it);
    }
}

static void who_stands_is_met_and_who_drives_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        rig it = {.place = {.size_m = {10, 10}}};
        rig_start(&it, kinds[i], 2, (cairn_pose2[]){{4, 5, 0}, {5.5, 5, 0}});
        want(&it, 0, 0.3, 0);
        run(&it, 5);
        assert_int_equal(it.kind->collision_log(it.physics)->count, 2);
        for (uint64_t k = 0; k < 2; k++) {
            const cairn_collision_entry entry = describe(&it, k);
            assert_string_equal(entry.with, names[1 - entry.robot]);
            assert_true(isnan(entry.top_m));
            assert_near(entry.own_mps, entry.robot == 0 ? entry.speed_mps : 0, 0.02);
            char words[96];
            cairn_collision_say(&entry, names, sizeof words, words);
            assert_non_null(strstr(words, entry.robot == 0 ? "emu1 ran into emu2" : "emu2 was met by emu1"));
        }
        rig_end(&it);
    }
}

static void a_full_list_keeps_the_hardest_of_the_rest(void **state)
{
    (void)state;
    cairn_collision_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    for (int i = 0; i < CAIRN_COLLISION_LIST_MAX + 50; i++) {
        cairn_collision_list_add(list,
                                 &(cairn_collision_entry){.at_s = i, .speed_mps = i == CAIRN_COLLISION_LIST_MAX + 7});
    }
    assert_int_equal(list->count, CAIRN_COLLISION_LIST_MAX);
    assert_near(list->entries[CAIRN_COLLISION_LIST_MAX - 1].at_s, CAIRN_COLLISION_LIST_MAX + 7, 0);
    free(list);
}

static void names_with_commas_make_no_columns(void **state)
{
    (void)state;
    static cairn_collision_list list;
    cairn_collision_entry entry = {
        .at_s = 1.5, .with = "door \"a, b\"", .speed_mps = 0.25, .own_mps = 0.2, .top_m = NAN};
    cairn_collision_list_add(&list, &entry);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_true(cairn_collision_list_write_csv(&list, (const char *[]){"e,1"}, to));
    assert_int_equal(fclose(to), 0);
    assert_string_equal(strchr(text, '\n') + 1,
                        "1.500,\"e,1\",\"door \"\"a, b\"\"\",0.250,0.200,0.00,0.00,0.00,0.00,0.00,,0.0\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_is_told_with_its_speed_and_height),
        cmocka_unit_test(who_stands_is_met_and_who_drives_runs),
        cmocka_unit_test(a_full_list_keeps_the_hardest_of_the_rest),
        cmocka_unit_test(names_with_commas_make_no_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
