// Every action of docs/page.md is understood, and nothing else is: what a person did not say must not move a robot.
#include "base/random.h"
#include "check.h"
#include "robot/guard_names.h"
#include "station/operator/operator.h"
#include <jansson.h>
#include <string.h>

static cairn_complaints told;

static cairn_operator_action parsed(const char *text)
{
    cairn_operator_action action;
    told = (cairn_complaints){0};
    assert_ok(cairn_operator_parse(text, strlen(text), &told, &action));
    assert_int_equal(told.count, 0);
    return action;
}

// Refused, with this in the reason, and the caller's action as it was.
static void refused(const char *text, const char *reason)
{
    cairn_operator_action action, before;
    memset(&action, 0x5a, sizeof action);
    before = action;
    told = (cairn_complaints){0};
    const cairn_err err = cairn_operator_parse(text, strlen(text), &told, &action);
    if (err != CAIRN_ERR_INVALID || strstr(told.text, reason) == NULL) {
        fail_msg("%s gave %s and said: %s", text, cairn_err_name(err), told.text);
    }
    assert_memory_equal(&action, &before, sizeof action);
}

static void every_action_of_the_protocol_is_understood(void **unused)
{
    (void)unused;
    cairn_operator_action action = parsed("{\"do\": \"mode\", \"robot\": 1, \"mode\": \"assisted left\"}");
    assert_int_equal(action.verb, CAIRN_DO_MODE);
    assert_int_equal(action.robot, 1);
    assert_int_equal(action.mode, CAIRN_MODE_ASSISTED_LEFT);
    action = parsed("{\"do\": \"go\", \"robot\": 250, \"x\": 4, \"y\": -5.25}");
    assert_int_equal(action.verb, CAIRN_DO_GO);
    assert_int_equal(action.robot, 250);
    assert_true(action.to_m.x == 4 && action.to_m.y == -5.25);
    action = parsed("{\"robot\": 7, \"do\": \"home\"}");
    assert_int_equal(action.verb, CAIRN_DO_HOME);
    assert_int_equal(action.robot, 7);
    action = parsed("{\"do\":\"drive\",\"robot\":3,\"forward\":0.5,\"turn\":-1,\"dead_man\":true,\"shown\":12.4}");
    assert_int_equal(action.verb, CAIRN_DO_DRIVE);
    assert_true(action.forward == 0.5 && action.turn == -1 && action.dead_man);
    assert_int_equal(action.shown.ns, 12400000000);
    action = parsed("{\"do\":\"override\",\"robot\":3,\"guards\":[\"tilt\",\"battery empty\"],\"shown\":1}");
    assert_int_equal(action.verb, CAIRN_DO_OVERRIDE);
    assert_int_equal(action.guards, 1u << CAIRN_GUARD_TILT | 1u << CAIRN_GUARD_BATTERY);
    assert_int_equal(parsed("{\"do\":\"override\",\"robot\":3,\"guards\":[],\"shown\":1}").guards, 0);
    assert_int_equal(parsed("{\"do\": \"stop\"}").robot, CAIRN_ALL_ROBOTS);
    assert_int_equal(parsed("{\"do\": \"stop\", \"robot\": 2}").robot, 2);
    assert_int_equal(parsed("{\"do\": \"release\"}").verb, CAIRN_DO_RELEASE);
    assert_int_equal(parsed("{\"do\": \"release\", \"robot\": 2}").robot, 2);
}

// A page that is newer than the station, or wrong, must hear about it and not be half obeyed.
static void whatever_is_not_an_action_is_refused_with_a_reason(void **unused)
{
    (void)unused;
    refused("", "empty");
    refused("{", "not JSON");
    refused("nonsense", "not JSON");
    refused("[]", "a list");
    refused("[{\"do\": \"stop\"}]", "a list");
    refused("{}", "\"do\" is missing");
    refused("{\"do\": 3}", "\"do\" is 3; expected \"mode\"");
    refused("{\"do\": \"dance\"}", "\"do\" is \"dance\"");
    refused("{\"do\": \"STOP\"}", "\"do\" is \"STOP\"");
    refused("{\"do\": \"stop\"} {\"do\": \"release\"}", "not JSON");
    refused("{\"do\": \"stop\", \"do\": \"release\"}", "duplicate");
    refused("{\"do\": \"home\", \"robot\": 1, \"robot\": 2}", "duplicate");
    refused("{\"do\":\"override\",\"robot\":3,\"guards\":[\"tlt\"],\"shown\":1}", "\"guards\" is [\"tlt\"]");
    refused("{\"do\":\"override\",\"robot\":3,\"guards\":2,\"shown\":1}", "a list of names of guards");
    refused("{\"do\":\"override\",\"robot\":3,\"guards\":[2],\"shown\":1}", "a list of names of guards");
    refused("{\"do\":\"override\",\"robot\":3,\"guards\":[]}", "\"shown\" is missing");
    refused("{\"do\": \"stop\", \"robots\": 1}", "\"robots\" is not known to \"stop\"");
    refused("{\"do\": \"home\", \"robot\": 1, \"x\": 2}", "\"x\" is not known to \"home\"");
}

static void robots_modes_and_numbers_keep_to_their_bounds(void **unused)
{
    (void)unused;
    refused("{\"do\": \"home\"}", "\"robot\" is missing; expected a whole number from 1 to 250");
    refused("{\"do\": \"home\", \"robot\": 0}", "\"robot\" is 0; expected a whole number");
    refused("{\"do\": \"stop\", \"robot\": 0}", "\"robot\" is 0");
    refused("{\"do\": \"home\", \"robot\": 251}", "\"robot\" is 251");
    refused("{\"do\": \"home\", \"robot\": 257}", "\"robot\" is 257");
    refused("{\"do\": \"home\", \"robot\": -1}", "\"robot\" is -1");
    refused("{\"do\": \"home\", \"robot\": 1.0}", "\"robot\" is 1.0");
    refused("{\"do\": \"home\", \"robot\": \"1\"}", "\"robot\" is \"1\"");
    refused("{\"do\": \"home\", \"robot\": null}", "\"robot\" is null");
    refused("{\"do\": \"home\", \"robot\": 99999999999999999999}", "not JSON");
    refused("{\"do\": \"mode\", \"robot\": 1, \"mode\": \"stopped\"}", "\"mode\" is \"stopped\"");
    refused("{\"do\": \"mode\", \"robot\": 1, \"mode\": \"\"}", "expected the name of a mode");
    refused("{\"do\": \"mode\", \"robot\": 1, \"mode\": 7}", "\"mode\" is 7");
    refused("{\"do\": \"go\", \"robot\": 1, \"x\": 2000.1, \"y\": 0}", "\"x\" is 2000.1");
    refused("{\"do\": \"go\", \"robot\": 1, \"x\": 0, \"y\": NaN}", "not JSON");
    refused("{\"do\": \"go\", \"robot\": 1, \"x\": 0, \"y\": 1e999}", "not JSON");
    refused("{\"do\": \"go\", \"robot\": 1, \"x\": 0}", "\"y\" is missing");
    refused("{\"do\":\"drive\",\"robot\":1,\"forward\":1.01,\"turn\":0,\"dead_man\":true,\"shown\":1}", "\"forward\"");
    refused("{\"do\":\"drive\",\"robot\":1,\"forward\":0,\"turn\":-2,\"dead_man\":true,\"shown\":1}", "\"turn\" is -2");
    refused("{\"do\":\"drive\",\"robot\":1,\"forward\":0,\"turn\":0,\"dead_man\":1,\"shown\":1}", "true or false");
    refused("{\"do\":\"drive\",\"robot\":1,\"forward\":0,\"turn\":0,\"dead_man\":true,\"shown\":-1}",
            "\"shown\" is -1");
    refused("{\"do\":\"drive\",\"robot\":1,\"forward\":0,\"turn\":0,\"dead_man\":true}", "\"shown\" is missing");
}

// All that is wrong is said at once.
static void every_fault_is_named(void **unused)
{
    (void)unused;
    refused("{\"do\": \"go\", \"robot\": 0, \"x\": true, \"z\": 1}", "\"y\" is missing");
    assert_int_equal(told.count, 4);
}

static void a_long_message_is_too_large(void **unused)
{
    (void)unused;
    char text[CAIRN_OPERATOR_TEXT_BYTES_MAX + 2];
    memset(text, ' ', sizeof text);
    memcpy(text, "{\"do\": \"stop\"}", 14);
    cairn_operator_action action;
    told = (cairn_complaints){0};
    assert_ok(cairn_operator_parse(text, CAIRN_OPERATOR_TEXT_BYTES_MAX, &told, &action));
    assert_int_equal(cairn_operator_parse(text, CAIRN_OPERATOR_TEXT_BYTES_MAX + 1, &told, &action),
                     CAIRN_ERR_TOO_LARGE);
    assert_int_equal(told.count, 1);
}

// Whatever action a page can put together reads back to the same.
static void random_actions_read_back(void **unused)
{
    (void)unused;
    const uint64_t seed = 20;
    printf("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "operator");
    for (int i = 0; i < 2000; i++) {
        const int robot = 1 + (int)cairn_random_below(&random, 250);
        const double forward = cairn_random_between(&random, -1, 1), turn = cairn_random_between(&random, -1, 1);
        const double shown_s = cairn_random_between(&random, 0, 1e5), x = cairn_random_between(&random, -2000, 2000);
        json_t *drive = json_pack("{s:s, s:i, s:f, s:f, s:b, s:f}", "do", "drive", "robot", robot, "forward", forward,
                                  "turn", turn, "dead_man", i % 2, "shown", shown_s);
        char *text = json_dumps(drive, JSON_COMPACT);
        cairn_operator_action action = parsed(text);
        assert_true(action.robot == robot && action.forward == forward && action.turn == turn);
        assert_true(action.dead_man == (i % 2 == 1) && llabs(action.shown.ns - llround(shown_s * 1e9)) <= 1);
        free(text);
        json_decref(drive);
        json_t *go = json_pack("{s:s, s:i, s:f, s:f}", "do", "go", "robot", robot, "x", x, "y", -x);
        text = json_dumps(go, 0);
        action = parsed(text);
        assert_true(action.verb == CAIRN_DO_GO && action.to_m.x == x && action.to_m.y == -x);
        free(text);
        json_decref(go);
    }
}

static void verbs_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(cairn_operator_verb_name(CAIRN_DO_MODE), "mode");
    assert_string_equal(cairn_operator_verb_name(CAIRN_DO_RELEASE), "release");
    assert_string_equal(cairn_operator_verb_name(CAIRN_DO_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_of_the_protocol_is_understood),
        cmocka_unit_test(whatever_is_not_an_action_is_refused_with_a_reason),
        cmocka_unit_test(robots_modes_and_numbers_keep_to_their_bounds),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(a_long_message_is_too_large),
        cmocka_unit_test(random_actions_read_back),
        cmocka_unit_test(verbs_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
