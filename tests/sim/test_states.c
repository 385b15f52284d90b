// Robots that get into trouble in a mission say so in time, try what they may, ask for help, and others do their work.
#include "arena_text.h"
#include "body/description_io.h"
#include "radio.h"
#include "sim/condition_truth.h"
#include "sim/mission/team_parts.h"

#define STEP_NS CAIRN_MS(8)

// Two rooms with a gap; emu1 begins in the first, emu2 in the second.
#define ROOMS                                                                                                          \
    "name: rooms\nabout: two rooms\nsize_m: [8, 5]\n"                                                                  \
    "walls:\n  - {points_m: [[0, 0], [8, 0], [8, 5], [0, 5], [0, 0]]}\n  - {points_m: [[4, 0], [4, 3.4]]}\n"           \
    "starts: [{at_m: [2, 3.8]}, {at_m: [6, 1.5], heading_deg: 90}]\n"

typedef struct trouble {
    cairn_team *team;
    cairn_arena ends;
    cairn_cell *telemetry, *state;
    cairn_condition_truth truth;
    cairn_mono now;
    uint32_t conditions, escapes; // bits of those that were ever said
    uint32_t true_conditions;     // and were so
    double unsaid_s;              // the longest time in which neither what was so nor anything graver was said
    double told_lifted_s;         // for which its wheels were told to turn while it said that it is lifted
    cairn_mono unsaid_from;
    cairn_msg_telemetry said;
} trouble;

static cairn_sim_arena place;
static cairn_body_description robot;
static cairn_complaints complaints;

static int read_robot(void **unused)
{
    (void)unused;
    return cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/emu.yaml", &complaints, &robot) == CAIRN_OK ? 0 : -1;
}

static void begin(trouble *it, const char *physics, const char *arena, const cairn_mission_event *events,
                  uint32_t event_count)
{
    *it = (trouble){0};
    place = accepted(arena);
    place.starts[0] = (cairn_pose2){2, 1.5, 0}; // whatever lies there
    const cairn_team_def def = {.mission = "trouble",
                                .arena = &place,
                                .physics = physics,
                                .seed = 1,
                                .session_seed = 1,
                                .radio = cairn_medium_radio_default(),
                                .event_count = event_count,
                                .events = events,
                                .robot_count = 2,
                                .robots = {{.name = "emu1", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS},
                                           {.name = "emu2", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS}}};
    assert_ok(cairn_team_create(&def, &complaints, &it->team));
    assert_ok(cairn_arena_create(&it->ends, 1 << 20));
    const cairn_robot *first = it->team->robots[0].robot;
    const cairn_cell *telemetry = cairn_robot_telemetry(first), *state = cairn_robot_cells(first)->state_behaviour;
    assert_ok(cairn_cell_attach(&it->ends, telemetry->memory, telemetry->value_bytes, &it->telemetry));
    assert_ok(cairn_cell_attach(&it->ends, state->memory, state->value_bytes, &it->state));
    cairn_condition_truth_init(&it->truth);
}

static bool is_said(uint8_t said, cairn_condition is)
{
    return cairn_condition_rank(said) <= cairn_condition_rank(is) ||
           (cairn_condition_is_stuck(said) && cairn_condition_is_stuck(is));
}

static void look(trouble *it)
{
    const cairn_reflex_state *state = cairn_cell_latest(it->state, NULL);
    const cairn_msg_telemetry *said = cairn_cell_latest(it->telemetry, NULL);
    if (state == NULL || said == NULL) { return; }
    cairn_condition_truth_tell(&it->truth, state->told_mps, state->told_radps);
    const cairn_condition is = cairn_condition_truth_step(&it->truth, it->team->world, 0, it->now);
    it->said = *said;
    it->conditions |= 1u << said->condition;
    it->escapes |= 1u << said->escape;
    it->true_conditions |= 1u << is;
    if (is == CAIRN_CONDITION_WELL || is_said(said->condition, is)) { it->unsaid_from = it->now; }
    it->unsaid_s = fmax(it->unsaid_s, cairn_seconds(cairn_mono_since(it->now, it->unsaid_from)));
    const bool driven = state->told_mps != 0 || state->told_radps != 0;
    if (said->condition == CAIRN_CONDITION_LIFTED && driven) { it->told_lifted_s += cairn_seconds(STEP_NS); }
}

static void run(trouble *it, double until_s)
{
    for (; it->now.ns < cairn_ns_from_seconds(until_s); it->now = cairn_mono_add(it->now, STEP_NS)) {
        cairn_team_run(it->team, it->now);
        look(it);
    }
}

static void end(trouble *it)
{
    cairn_team_destroy(it->team);
    cairn_arena_destroy(&it->ends);
}

static void assert_said(const trouble *it, cairn_condition what)
{
    print_message("true %x, said %x, escapes %x, unsaid for %.2f s\n", it->true_conditions, it->conditions, it->escapes,
                  it->unsaid_s);
    assert_true(it->true_conditions & 1u << what);
    assert_true(it->unsaid_s <= cairn_seconds(CAIRN_CONDITION_NS_MAX));
}

// Carried off in somebody's hands, on the way and at rest: it says so, and no wheel turns.
static void one_that_is_lifted_says_so_and_stands(const char *physics)
{
    static trouble it;
    const cairn_mission_event lift = {
        .kind = CAIRN_EVENT_LIFT, .at_s = 6, .for_s = 10, .height_m = 0.5, .move_m = {-0.5, 1.5}};
    begin(&it, physics, ROOMS, &lift, 1);
    run(&it, 5.9);
    assert_int_equal(it.conditions, 1u << CAIRN_CONDITION_WELL);
    run(&it, 15.8);
    assert_said(&it, CAIRN_CONDITION_LIFTED);
    assert_int_equal(it.said.condition, CAIRN_CONDITION_LIFTED);
    assert_int_equal(it.said.escape, CAIRN_ESCAPE_NEEDS_HELP);
    assert_true(it.told_lifted_s < 0.7); // the path is let be, and it brakes
    run(&it, 40);
    cairn_robot_truth truth;
    cairn_team_truth(it.team, 0, &truth);
    assert_false(truth.fallen);
    assert_true(it.unsaid_s <= cairn_seconds(CAIRN_CONDITION_NS_MAX));
    end(&it);
}

static void a_robot_in_somebodys_hands_says_so_and_stands_planar(void **unused)
{
    (void)unused;
    one_that_is_lifted_says_so_and_stands("planar");
}

static void a_robot_in_somebodys_hands_says_so_and_stands_mujoco(void **unused)
{
    (void)unused;
    one_that_is_lifted_says_so_and_stands("mujoco");
}

// Its belly lies on a beam: it says so, tries a counted number of times, asks for help, and emu2 searches its room.
static void a_robot_on_a_beam_asks_for_help_and_another_does_its_work(void **unused)
{
    (void)unused;
    static trouble it;
    begin(&it, "mujoco", ROOMS "boxes: [{at_m: [2, 1.5], size_m: [0.3, 0.12, 0.12]}]\n", NULL, 0);
    run(&it, 90);
    assert_said(&it, CAIRN_CONDITION_HIGH_CENTRED);
    assert_int_equal(it.said.escape, CAIRN_ESCAPE_NEEDS_HELP);
    assert_true(it.escapes & 1u << CAIRN_ESCAPE_UNDER_WAY);
    assert_true(cairn_condition_is_stuck(it.said.condition)); // also while it stands
    run(&it, 200);
    print_message("explored %.2f\n", cairn_team_explored(it.team));
    assert_true(cairn_team_explored(it.team) > 0.95);
    end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_in_somebodys_hands_says_so_and_stands_planar),
        cmocka_unit_test(a_robot_in_somebodys_hands_says_so_and_stands_mujoco),
        cmocka_unit_test(a_robot_on_a_beam_asks_for_help_and_another_does_its_work),
    };
    return cmocka_run_group_tests(tests, read_robot, NULL);
}
