// test_agree.c - planar and MuJoCo agree on flat ground: what is tried out in the fast one holds in the other.
#include "physics_rig.h"
#include <math.h>

#define DRIVE_S 20
#define AGREE 0.1 // [-] of the way

typedef struct drive_end {
    cairn_vec2 at_m;
    double turned_rad, way_m;
} drive_end;

// A drive: wheel torques left and right, or, where these are 0, what a wheel loop is asked for.
typedef struct drive_case {
    const char *name;
    double left_nm, right_nm;
    double forward_mps, turn_radps;
} drive_case;

static drive_end drive_in(const cairn_physics_kind *kind, const drive_case *drive)
{
    static cairn_complaints complaints;
    rig it = {.place = {.size_m = {100, 100}}, .robot = emu(), .kind = kind, .robot_count = 1};
    assert_ok(cairn_arena_create(&it.memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it.place, &it.memory));
    const cairn_body_description *robots[1] = {&it.robot};
    const cairn_physics_def def = {
        .arena = &it.place, .robot_count = 1, .robots = robots, .starts = &(cairn_pose2){50, 50, 0}, .seed = 1};
    assert_ok(kind->create(&def, &complaints, &it.physics));
    want(&it, 0, drive->forward_mps, drive->turn_radps);
    const bool by_torque = drive->left_nm != 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        it.targets[0].torque_nm[i] = i % 2 == 0 ? drive->left_nm : drive->right_nm;
    }
    drive_end end = {.way_m = 0};
    for (int i = 0; i < DRIVE_S * STEPS_PER_S; i++) {
        if (by_torque) {
            kind->step(it.physics, it.targets);
        } else {
            run_step(&it);
        }
        const cairn_robot_truth truth = truth_of(&it, 0);
        end.at_m = (cairn_vec2){truth.map_T_base.at_m.x - 50, truth.map_T_base.at_m.y - 50};
        end.turned_rad += truth.turn_radps.z / STEPS_PER_S;
        end.way_m += hypot(truth.velocity_mps.x, truth.velocity_mps.y) / STEPS_PER_S;
    }
    rig_end(&it);
    return end;
}

// Straight on, in bends, and on the spot; by torque alone and with a wheel loop.
static void the_same_drive_ends_at_the_same_place(void **state)
{
    (void)state;
    const drive_case drives[] = {{"straight", 2, 2, 0, 0},        {"bend by torque", -2, 8, 0, 0},
                                 {"on the spot", -6, 6, 0, 0},    {"slow straight", 0, 0, 0.3, 0},
                                 {"wide bend", 0, 0, 0.6, -0.3},  {"bend", 0, 0, 0.5, 0.4},
                                 {"narrow bend", 0, 0, 0.3, 0.8}, {"slowly on the spot", 0, 0, 0, 0.8}};
    for (size_t i = 0; i < sizeof drives / sizeof drives[0]; i++) {
        const drive_end planar = drive_in(&cairn_physics_planar, &drives[i]);
        const drive_end mujoco = drive_in(&cairn_physics_mujoco, &drives[i]);
        const double apart_m = cairn_vec2_distance(planar.at_m, mujoco.at_m);
        const double way_m = fmax(planar.way_m, mujoco.way_m);
        print_message("%s: %.2f m apart after %.2f m, turned %.2f and %.2f rad\n", drives[i].name, apart_m, way_m,
                      planar.turned_rad, mujoco.turned_rad);
        if (way_m > 0.5) {
            assert_true(apart_m <= AGREE * way_m);
        } else {
            assert_true(apart_m < 0.05);
            assert_near(planar.turned_rad, mujoco.turned_rad, AGREE * fabs(mujoco.turned_rad));
            assert_true(fabs(mujoco.turned_rad) > 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_drive_ends_at_the_same_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
