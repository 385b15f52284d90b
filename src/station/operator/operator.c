// operator.c - actions from JSON. Two tables say all: which keys there are, and which of them each verb takes.
#include "station/operator/operator.h"
#include "robot/guard_names.h"
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// [m] As far as a radio message can say.
#define PLACE_M_MAX 2000.0
// [s] Thirty years.
#define SHOWN_S_MAX 1e9

typedef enum operator_key {
    KEY_ROBOT,
    KEY_MODE,
    KEY_X,
    KEY_Y,
    KEY_FORWARD,
    KEY_TURN,
    KEY_DEAD_MAN,
    KEY_SHOWN,
    KEY_GUARDS,
    KEY_COUNT
} operator_key;
#define BIT(key) (1u << (key))

static const struct {
    const char *name;
    const char *expected;
    double low, high; // of numbers
} keys[KEY_COUNT] = {
    [KEY_ROBOT] = {"robot", "a whole number from 1 to 250", 1, 250},
    [KEY_MODE] = {"mode", "the name of a mode other than \"stopped\"", 0, 0},
    [KEY_X] = {"x", "a number from -2000 to 2000", -PLACE_M_MAX, PLACE_M_MAX},
    [KEY_Y] = {"y", "a number from -2000 to 2000", -PLACE_M_MAX, PLACE_M_MAX},
    [KEY_FORWARD] = {"forward", "a number from -1 to 1", -1, 1},
    [KEY_TURN] = {"turn", "a number from -1 to 1", -1, 1},
    [KEY_DEAD_MAN] = {"dead_man", "true or false", 0, 0},
    [KEY_SHOWN] = {"shown", "a number from 0 to 1e9", 0, SHOWN_S_MAX},
    [KEY_GUARDS] = {"guards", "a list of names of guards, empty to let go", 0, 0},
};

static const struct {
    const char *name;
    uint32_t required, optional; // BIT(key)
} verbs[CAIRN_DO_COUNT] = {
    [CAIRN_DO_MODE] = {"mode", BIT(KEY_ROBOT) | BIT(KEY_MODE), 0},
    [CAIRN_DO_GO] = {"go", BIT(KEY_ROBOT) | BIT(KEY_X) | BIT(KEY_Y), 0},
    [CAIRN_DO_HOME] = {"home", BIT(KEY_ROBOT), 0},
    [CAIRN_DO_DRIVE] = {"drive", BIT(KEY_ROBOT) | BIT(KEY_FORWARD) | BIT(KEY_TURN) | BIT(KEY_DEAD_MAN) | BIT(KEY_SHOWN),
                        0},
    [CAIRN_DO_STOP] = {"stop", 0, BIT(KEY_ROBOT)},
    [CAIRN_DO_RELEASE] = {"release", 0, BIT(KEY_ROBOT)},
    [CAIRN_DO_OVERRIDE] = {"override", BIT(KEY_ROBOT) | BIT(KEY_GUARDS) | BIT(KEY_SHOWN), 0},
};

const char *cairn_operator_verb_name(cairn_operator_verb verb)
{
    return (unsigned)verb < CAIRN_DO_COUNT ? verbs[verb].name : "unknown";
}

static bool read_robot(const json_t *value, cairn_operator_action *action)
{
    const json_int_t id = json_integer_value(value); // 0 for what is not a whole number
    if (id < (json_int_t)keys[KEY_ROBOT].low || id > (json_int_t)keys[KEY_ROBOT].high) { return false; }
    action->robot = (uint8_t)id;
    return true;
}

static bool read_mode(const json_t *value, cairn_operator_action *action)
{
    const char *name = json_string_value(value);
    for (uint8_t mode = CAIRN_MODE_STOPPED + 1; name != NULL && mode < CAIRN_MODE_COUNT; mode++) {
        if (strcmp(name, cairn_mode_names[mode]) == 0) {
            action->mode = mode;
            return true;
        }
    }
    return false;
}

static bool read_guard(const char *name, uint32_t *guards)
{
    for (unsigned bit = 0; name != NULL && bit < CAIRN_GUARD_BITS; bit++) {
        if (cairn_guard_name(bit) == NULL || strcmp(name, cairn_guard_name(bit)) != 0) { continue; }
        *guards |= 1u << bit;
        return true;
    }
    return false;
}

static bool read_guards(const json_t *value, cairn_operator_action *action)
{
    size_t at;
    json_t *name;
    if (!json_is_array(value)) { return false; }
    json_array_foreach(value, at, name)
    {
        if (!read_guard(json_string_value(name), &action->guards)) { return false; }
    }
    return true;
}

static bool read_number(const json_t *value, operator_key key, double *ret_number)
{
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= keys[key].low && number <= keys[key].high)) { return false; }
    *ret_number = number;
    return true;
}

static bool read_value(const json_t *value, operator_key key, cairn_operator_action *action)
{
    double shown_s = 0;
    switch (key) {
    case KEY_ROBOT: return read_robot(value, action);
    case KEY_MODE: return read_mode(value, action);
    case KEY_X: return read_number(value, key, &action->to_m.x);
    case KEY_Y: return read_number(value, key, &action->to_m.y);
    case KEY_FORWARD: return read_number(value, key, &action->forward);
    case KEY_TURN: return read_number(value, key, &action->turn);
    case KEY_GUARDS: return read_guards(value, action);
    case KEY_DEAD_MAN: action->dead_man = json_is_true(value); return json_is_boolean(value);
    case KEY_SHOWN:
        if (!read_number(value, key, &shown_s)) { return false; }
        action->shown = (cairn_mono){cairn_ns_from_seconds(shown_s)};
        return true;
    case KEY_COUNT: break;
    }
    return false;
}

// Names a value as it stands in the message.
static void complain_of_value(cairn_complaints *complaints, const char *name, const json_t *value, const char *expected)
{
    char text[64];
    const size_t size = json_dumpb(value, text, sizeof text, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
    if (size > 0 && size <= sizeof text) {
        cairn_complain(complaints, NULL, 0, "\"%s\" is %.*s; expected %s", name, (int)size, text, expected);
    } else {
        cairn_complain(complaints, NULL, 0, "\"%s\" is something long; expected %s", name, expected);
    }
}

static bool find_key(const char *name, operator_key *ret_key)
{
    for (operator_key at = 0; at < KEY_COUNT; at++) {
        if (strcmp(name, keys[at].name) == 0) {
            *ret_key = at;
            return true;
        }
    }
    return false;
}

static bool find_verb(json_t *root, cairn_complaints *complaints, cairn_operator_verb *ret_verb)
{
    static const char expected[] = "\"mode\", \"go\", \"home\", \"drive\", \"stop\", \"release\" or \"override\"";
    const json_t *value = json_object_get(root, "do");
    for (cairn_operator_verb verb = 0; json_is_string(value) && verb < CAIRN_DO_COUNT; verb++) {
        if (strcmp(json_string_value(value), verbs[verb].name) == 0) {
            *ret_verb = verb;
            return true;
        }
    }
    if (value == NULL) {
        cairn_complain(complaints, NULL, 0, "\"do\" is missing; expected %s", expected);
    } else {
        complain_of_value(complaints, "do", value, expected);
    }
    return false;
}

// Reads every key of the message; returns those that were there and right.
static uint32_t read_keys(json_t *root, cairn_complaints *complaints, cairn_operator_action *action)
{
    uint32_t had = 0;
    const char *name;
    json_t *value;
    json_object_foreach(root, name, value)
    {
        operator_key key;
        if (strcmp(name, "do") == 0) { continue; }
        if (!find_key(name, &key) || !((verbs[action->verb].required | verbs[action->verb].optional) & BIT(key))) {
            cairn_complain(complaints, NULL, 0, "\"%.40s\" is not known to \"%s\"", name, verbs[action->verb].name);
        } else if (!read_value(value, key, action)) {
            complain_of_value(complaints, name, value, keys[key].expected);
        } else {
            had |= BIT(key);
        }
    }
    return had;
}

static void complain_of_missing(cairn_complaints *complaints, json_t *root, cairn_operator_verb verb)
{
    for (operator_key at = 0; at < KEY_COUNT; at++) {
        if (!(verbs[verb].required & BIT(at)) || json_object_get(root, keys[at].name) != NULL) { continue; }
        cairn_complain(complaints, NULL, 0, "\"%s\" is missing; expected %s", keys[at].name, keys[at].expected);
    }
}

static bool read_action(json_t *root, cairn_complaints *complaints, cairn_operator_action *ret_action)
{
    const uint32_t before = complaints->count;
    cairn_operator_action action = {0};
    if (!json_is_object(root)) {
        cairn_complain(complaints, NULL, 0, "the message is a list; expected one action, {\"do\": ...}");
        return false;
    }
    if (!find_verb(root, complaints, &action.verb)) { return false; }
    const uint32_t had = read_keys(root, complaints, &action);
    complain_of_missing(complaints, root, action.verb);
    if (complaints->count != before) { return false; }
    CAIRN_ASSERT((had & verbs[action.verb].required) == verbs[action.verb].required);
    *ret_action = action;
    return true;
}

cairn_err cairn_operator_parse(const char *text, size_t size_bytes, cairn_complaints *complaints,
                               cairn_operator_action *ret_action)
{
    CAIRN_ASSERT((text != NULL || size_bytes == 0) && complaints != NULL && ret_action != NULL);
    if (size_bytes > CAIRN_OPERATOR_TEXT_BYTES_MAX) {
        cairn_complain(complaints, NULL, 0, "the message has %zu bytes; expected at most %d", size_bytes,
                       CAIRN_OPERATOR_TEXT_BYTES_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    json_error_t error;
    json_t *root = size_bytes > 0 ? json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (root == NULL) {
        cairn_complain(complaints, NULL, 0, "the message is not JSON: %s", size_bytes > 0 ? error.text : "it is empty");
        return CAIRN_ERR_INVALID;
    }
    const bool read = read_action(root, complaints, ret_action);
    json_decref(root);
    return read ? CAIRN_OK : CAIRN_ERR_INVALID;
}
