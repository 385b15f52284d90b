// test_mujoco_energy.c - nothing gains energy that no motor has put in.
//
// CAIRN_ENERGY_SEED: of the driving; meson.build has two, of which each runs SECONDS_IN_CI: four minutes in all.
// CAIRN_ENERGY_S: simulated seconds, for tests/soak.py.
#include "base/random.h"
#include "rough_arena.h"
#include "sim/physics/mujoco/mujoco_private.h"
#include <math.h>
#include <stdlib.h>

#define GRAVITY_MPS2 9.81
#define SECONDS_IN_CI 120.0
// What may come back at once: of tyres and bodies pressed together, and of gravity, which the integrator counts half a
// step early or late. An 18 kg robot that rises by 6 cm has as much.
#define GAIN_J_MAX 10.0

// Of robots and loose blocks, moving and standing high.
static double energy_j(cairn_physics *physics)
{
    const mjModel *model = physics->model;
    mjData *data = physics->data;
    static mjtNum momentum[1 << 12];
    assert_true(model->nv <= 1 << 12);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_crb(model, data);
    mj_mulM(model, data, momentum, data->qvel);
    double sum_j = 0.5 * mju_dot(momentum, data->qvel, model->nv);
    for (int body = 1; body < model->nbody; body++) {
        const char *name = mj_id2name(model, mjOBJ_BODY, model->body_rootid[body]);
        if (!name || strncmp(name, "robot", 5) != 0) { continue; }
        sum_j += model->body_mass[body] * GRAVITY_MPS2 * data->xipos[3 * body + 2];
    }
    for (uint32_t i = 0; i < physics->arena->mover_count; i++) {
        const double mass_kg = physics->arena->blocks[physics->arena->movers[i].owner].mass_kg;
        sum_j += mass_kg * GRAVITY_MPS2 * physics->mover_states[i].map_T_box.at_m.z;
    }
    return sum_j;
}

// Motors push with what was applied, over the way between the speeds before and after.
static double motor_work_j(const cairn_physics *physics, const mjtNum *before)
{
    double work_j = 0;
    for (int i = 0; i < physics->nv; i++) {
        work_j +=
            physics->data->qfrc_applied[i] * 0.5 * (before[i] + physics->data->qvel[i]) * physics->model->opt.timestep;
    }
    return work_j;
}

// Every robot drives, turns or spins its wheels at random, for half a second each, one after the other.
static void choose_torques(cairn_random *chance, int64_t step, cairn_motor_target *targets)
{
    for (int i = 0; i < ROUGH_ROBOTS; i++) {
        if ((step + 9 * i) % 125 != 0) { continue; }
        const double forward = cairn_random_between(chance, -8, 8), turn = cairn_random_between(chance, -5, 5);
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
            targets[i].torque_nm[wheel] = forward + (wheel % 2 == 0 ? -turn : turn);
        }
    }
}

static void random_driving_over_everything_gains_no_energy(void **state)
{
    (void)state;
    const char *wanted = getenv("CAIRN_ENERGY_S"), *seed_text = getenv("CAIRN_ENERGY_SEED");
    const double for_s = wanted ? atof(wanted) : SECONDS_IN_CI;
    const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
    static cairn_complaints complaints;
    cairn_arena memory;
    cairn_sim_arena arena;
    read_arena(rough_yaml, &memory, &arena);
    const cairn_body_description robot = emu();
    const cairn_body_description *robots[ROUGH_ROBOTS];
    for (int i = 0; i < ROUGH_ROBOTS; i++) { robots[i] = &robot; }
    const cairn_physics_def def = {
        .arena = &arena, .robot_count = ROUGH_ROBOTS, .robots = robots, .starts = arena.starts, .seed = 1};
    cairn_physics *physics = NULL;
    assert_ok(cairn_physics_mujoco.create(&def, &complaints, &physics));

    cairn_random chance;
    cairn_random_init(&chance, seed, "torques");
    cairn_motor_target targets[ROUGH_ROBOTS] = {0};
    for (int i = 0; i < ROUGH_ROBOTS; i++) { targets[i].flipper_rad = NAN; }
    mjtNum *before = calloc((size_t)physics->nv, sizeof *before);
    int contacts_max = 0;
    double work_j = 0, least_j = energy_j(physics), gained_j_max = 0;
    const int64_t steps = (int64_t)(for_s / cairn_seconds(CAIRN_PHYSICS_STEP_NS));
    for (int64_t step = 0; step < steps; step++) {
        choose_torques(&chance, step, targets);
        memcpy(before, physics->data->qvel, (size_t)physics->nv * sizeof *before);
        cairn_physics_mujoco.step(physics, targets);
        work_j += motor_work_j(physics, before);
        contacts_max = physics->data->ncon > contacts_max ? physics->data->ncon : contacts_max;
        const double rest_j = energy_j(physics) - work_j; // falls with friction, and never rises
        least_j = fmin(least_j, rest_j);
        if (rest_j - least_j > gained_j_max) {
            gained_j_max = rest_j - least_j;
            if (getenv("CAIRN_ENERGY_SAY")) { print_message("%.3f s: %.3f J\n", (double)step * 0.004, gained_j_max); }
        }
        if (!(gained_j_max < GAIN_J_MAX)) {
            fail_msg("%.1f J gained by %.3f s, seed %lu", gained_j_max, (double)step * 0.004, seed);
        }
    }
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < ROUGH_ROBOTS; i++) {
        cairn_robot_truth truth;
        cairn_physics_mujoco.truth(physics, i, &truth);
        fallen += truth.fallen;
    }
    print_message("%.0f s: motors did %.0f J, %.0f J went into friction, at most %.2f J came back; %u robots lie; at "
                  "most %d contacts\n",
                  for_s, work_j, -least_j, gained_j_max, fallen, contacts_max);
    assert_int_equal(physics->data->warning[mjWARN_CONTACTFULL].number, 0);
    assert_int_equal(physics->data->warning[mjWARN_CNSTRFULL].number, 0);
    free(before);
    cairn_physics_mujoco.destroy(physics);
    cairn_arena_destroy(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_driving_over_everything_gains_no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
