// test_script.c - the scripted operator acts when it should, as a person at the page would.
#include "base/random.h"
#include "check.h"
#include "sim/mission/script.h"
#include <string.h>

#define ACTION_BYTES (sizeof(cairn_operator_action) + 4) // in an inbox
#define STEP_NS CAIRN_MS(4)

static uint8_t block[1 << 16];
static cairn_inbox *operators;
static cairn_script script;

static void begin(const cairn_mission_action *actions, uint32_t count, uint32_t room_for)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    assert_ok(cairn_inbox_create(&memory, room_for * ACTION_BYTES, sizeof(cairn_operator_action), CAIRN_INBOX_REFUSE,
                                 &operators));
    cairn_script_init(&script, actions, count);
}

static bool take(cairn_operator_action *ret_action)
{
    size_t size_bytes = 0;
    const cairn_err err = cairn_inbox_take(operators, ret_action, sizeof *ret_action, &size_bytes);
    if (err == CAIRN_OK) { assert_int_equal(size_bytes, sizeof *ret_action); }
    return err == CAIRN_OK;
}

static cairn_mission_action plain(double at_s, cairn_operator_verb verb, uint8_t robot)
{
    return (cairn_mission_action){.at_s = at_s, .action = {.verb = verb, .robot = robot}};
}

static cairn_mission_action drive(double at_s, double for_s, uint8_t robot, double forward)
{
    return (cairn_mission_action){
        .at_s = at_s,
        .for_s = for_s,
        .action = {.verb = CAIRN_DO_DRIVE, .robot = robot, .forward = forward, .turn = 0.25, .dead_man = true}};
}

// A robot has one stick and one key for its guards; each is let go by itself.
static void guards_are_held_beside_the_stick_and_let_go_once(void **state)
{
    (void)state;
    const cairn_mission_action actions[] = {
        drive(1, 2, 1, 0.5), {.at_s = 1.5, .for_s = 1, .action = {.verb = CAIRN_DO_OVERRIDE, .robot = 1, .guards = 2}}};
    begin(actions, 2, 200);
    uint32_t held = 0, let_go = 0, driven = 0;
    for (cairn_mono now = {0}; now.ns < CAIRN_S(5); now.ns += STEP_NS) {
        cairn_operator_action action;
        cairn_script_step(&script, now, operators);
        while (take(&action)) {
            driven += action.verb == CAIRN_DO_DRIVE && action.dead_man;
            held += action.verb == CAIRN_DO_OVERRIDE && action.guards == 2;
            let_go += action.verb == CAIRN_DO_OVERRIDE && action.guards == 0;
            assert_true(action.shown.ns == now.ns);
        }
    }
    assert_in_range(driven, 39, 41);
    assert_in_range(held, 19, 21);
    assert_int_equal(let_go, 1);
}

static void actions_come_once_and_at_their_time(void **state)
{
    (void)state;
    cairn_mission_action actions[] = {plain(0, CAIRN_DO_STOP, CAIRN_ALL_ROBOTS), plain(1.001, CAIRN_DO_MODE, 2),
                                      plain(1.001, CAIRN_DO_GO, 1), plain(3, CAIRN_DO_HOME, 1)};
    actions[1].action.mode = CAIRN_MODE_TELEOPERATED;
    actions[2].action.to_m = (cairn_vec2){3.5, -4};
    const int64_t when_ns[] = {0, CAIRN_MS(1004), CAIRN_MS(1004), CAIRN_S(3)}; // the first step at or after
    begin(actions, 4, 8);
    uint32_t count = 0;
    for (int64_t ns = 0; ns < CAIRN_S(5); ns += STEP_NS) {
        cairn_script_step(&script, (cairn_mono){ns}, operators);
        for (cairn_operator_action action; take(&action); count++) {
            assert_true(count < 4);
            assert_int_equal(ns, when_ns[count]);
            assert_int_equal(action.verb, actions[count].action.verb);
            assert_int_equal(action.robot, actions[count].action.robot);
            assert_int_equal(action.mode, actions[count].action.mode);
            assert_true(action.to_m.x == actions[count].action.to_m.x && action.to_m.y == actions[count].action.to_m.y);
        }
    }
    assert_int_equal(count, 4);
    cairn_inbox_finish(operators);
}

// The page says the whole stick at 20 Hz, by a fresh picture, and says when the key is let go.
static void a_drive_holds_the_stick_and_then_lets_go(void **state)
{
    (void)state;
    const cairn_mission_action actions[] = {drive(1, 0.18, 2, -0.5)};
    const int64_t when_ms[] = {1000, 1052, 1100, 1152, 1180}; // the steps at or after 1000, 1050, 1100, 1150, 1180
    begin(actions, 1, 8);
    uint32_t count = 0;
    for (int64_t ns = 0; ns < CAIRN_S(3); ns += STEP_NS) {
        cairn_script_step(&script, (cairn_mono){ns}, operators);
        for (cairn_operator_action action; take(&action); count++) {
            assert_true(count < 5);
            const bool held = count < 4;
            assert_int_equal(ns, CAIRN_MS(when_ms[count]));
            assert_true(action.verb == CAIRN_DO_DRIVE && action.robot == 2);
            assert_int_equal(action.shown.ns, ns);
            assert_int_equal(action.dead_man, held);
            assert_true(action.forward == (held ? -0.5 : 0) && action.turn == (held ? 0.25 : 0));
        }
    }
    assert_int_equal(count, 5);
    cairn_inbox_finish(operators);
}

// One person has one hand: the second drive goes on where the first is, and nothing is let go in between.
static void a_later_drive_takes_the_stick_over(void **state)
{
    (void)state;
    const cairn_mission_action actions[] = {drive(0, 10, 1, 1), drive(0.1, 0.1, 1, -1)};
    begin(actions, 2, 8);
    uint32_t count = 0, released = 0;
    for (int64_t ns = 0; ns < CAIRN_S(12); ns += STEP_NS) {
        cairn_script_step(&script, (cairn_mono){ns}, operators);
        for (cairn_operator_action action; take(&action); count++) {
            released += !action.dead_man;
            assert_true(action.forward == (ns < CAIRN_MS(100) ? 1 : ns < CAIRN_MS(200) ? -1 : 0));
        }
    }
    assert_int_equal(count, 5); // 0, 50 | 100, 150, and the end at 200
    assert_int_equal(released, 1);
    cairn_inbox_finish(operators);
}

// A station that is slow to look must still get every stop, in order, and the end of every drive.
static void what_a_full_inbox_refuses_comes_later(void **state)
{
    (void)state;
    const cairn_mission_action actions[] = {drive(0, 0.1, 1, 1), plain(0.2, CAIRN_DO_STOP, 1),
                                            plain(0.2, CAIRN_DO_STOP, 2), plain(0.2, CAIRN_DO_RELEASE, 1)};
    begin(actions, 4, 1);
    for (int64_t ns = 0; ns < CAIRN_S(1); ns += STEP_NS) { cairn_script_step(&script, (cairn_mono){ns}, operators); }
    cairn_operator_action action;
    assert_true(take(&action) && action.verb == CAIRN_DO_DRIVE && action.dead_man);
    bool let_go = false;
    cairn_operator_action others[3];
    uint32_t other_count = 0;
    for (int64_t ns = CAIRN_S(1); ns < CAIRN_S(2); ns += STEP_NS) {
        cairn_script_step(&script, (cairn_mono){ns}, operators);
        while (take(&action)) {
            if (action.verb != CAIRN_DO_DRIVE) {
                assert_true(other_count < 3);
                others[other_count++] = action;
                continue;
            }
            assert_false(action.dead_man || let_go);
            let_go = true;
        }
    }
    assert_true(let_go);
    assert_int_equal(other_count, 3);
    assert_true(others[0].verb == CAIRN_DO_STOP && others[0].robot == 1);
    assert_true(others[1].verb == CAIRN_DO_STOP && others[1].robot == 2);
    assert_true(others[2].verb == CAIRN_DO_RELEASE && others[2].robot == 1);
    cairn_inbox_finish(operators);
}

// What a robot's stick should say at `now`, worked out from the whole list and without memory: 0 nothing, 1 held, 2 let
// go. *ret_drive is who holds it.
static int stick_expected(const cairn_mission_action *actions, uint32_t count, uint8_t robot, int64_t before_ns,
                          int64_t now_ns, const cairn_mission_action **ret_drive)
{
    *ret_drive = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (actions[i].action.robot == robot && cairn_ns_from_seconds(actions[i].at_s) <= now_ns) {
            *ret_drive = &actions[i];
        }
    }
    if (*ret_drive == NULL) { return 0; }
    const int64_t start_ns = cairn_ns_from_seconds((*ret_drive)->at_s);
    const int64_t until_ns = start_ns + cairn_ns_from_seconds((*ret_drive)->for_s);
    if (before_ns < until_ns && until_ns <= now_ns) { return 2; }
    for (int64_t tick_ns = start_ns; tick_ns < until_ns && tick_ns <= now_ns; tick_ns += CAIRN_MS(50)) {
        if (tick_ns > before_ns) { return 1; }
    }
    return 0;
}

static void any_drives_at_any_pace_are_as_the_list_says(void **state)
{
    (void)state;
    const uint64_t seed = 20261116;
    print_message("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "script");
    for (int round = 0; round < 200; round++) {
        cairn_mission_action actions[40];
        double at_s = 0;
        for (uint32_t i = 0; i < 40; i++) {
            at_s += 0.3 * cairn_random_uniform(&random);
            actions[i] = drive(at_s, 0.001 + cairn_random_uniform(&random),
                               (uint8_t)(1 + cairn_random_below(&random, 3)), 0.01 * (i + 1));
        }
        begin(actions, 40, 64);
        int64_t before_ns = -1;
        for (int64_t ns = 0; ns < CAIRN_S(15); ns += 1 + (int64_t)cairn_random_below(&random, 90000000)) {
            cairn_script_step(&script, (cairn_mono){ns}, operators);
            for (uint8_t robot = 1; robot <= 3; robot++) {
                const cairn_mission_action *by;
                const int expected = stick_expected(actions, 40, robot, before_ns, ns, &by);
                cairn_operator_action action;
                if (expected == 0) { continue; }
                assert_true(take(&action));
                assert_int_equal(action.robot, robot);
                assert_int_equal(action.dead_man, expected == 1);
                assert_true(action.forward == (expected == 1 ? by->action.forward : 0));
            }
            assert_int_equal(cairn_inbox_look(operators).waiting_count, 0);
            before_ns = ns;
        }
        cairn_inbox_finish(operators);
    }
}

static void a_script_out_of_order_is_a_breach(void **state)
{
    (void)state;
    const cairn_mission_action actions[] = {plain(2, CAIRN_DO_STOP, 1), plain(1, CAIRN_DO_STOP, 1)};
    const cairn_mission_action nobody[] = {drive(1, 1, CAIRN_ALL_ROBOTS, 1)};
    assert_breach(cairn_script_init(&script, actions, 2));
    assert_breach(cairn_script_init(&script, nobody, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_come_once_and_at_their_time),
        cmocka_unit_test(guards_are_held_beside_the_stick_and_let_go_once),
        cmocka_unit_test(a_drive_holds_the_stick_and_then_lets_go),
        cmocka_unit_test(a_later_drive_takes_the_stick_over),
        cmocka_unit_test(what_a_full_inbox_refuses_comes_later),
        cmocka_unit_test(any_drives_at_any_pace_are_as_the_list_says),
        cmocka_unit_test(a_script_out_of_order_is_a_breach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
