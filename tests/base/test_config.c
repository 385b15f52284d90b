// test_config.c - the schema reader: what lands where, what is refused, and what people are told.
#include "base/config/config.h"
#include "base/random.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20417

typedef enum colour { RED, GREEN, BLUE } colour;

typedef struct vec {
    double x, y;
} vec;

typedef struct lamp {
    char name[16];
    double angle_rad;
    bool on;
    uint32_t line;
} lamp;

typedef struct wire {
    uint32_t kind; // 0 straight, 1 round
    vec from_m, to_m;
    double radius_m;
} wire;

typedef struct sensor {
    bool offered;
    double range_m;
} sensor;

typedef struct room {
    char title[32], note[8];
    bool locked;
    uint32_t seats;
    int64_t delay_ns;
    double length_m, level;
    uint32_t colour;
    vec at_m;
    lamp main_lamp;
    lamp *lamps;
    uint32_t lamp_count;
    vec *points_m;
    uint32_t point_count;
    wire *wires;
    uint32_t wire_count;
    sensor sonar;
    sensor radar;
} room;

static const cairn_config_field lamp_fields[] = {
    CAIRN_CONFIG_TEXT(lamp, name, "name", .help = "shown to people"),
    CAIRN_CONFIG_REAL(lamp, angle_rad, "angle_deg", "degrees", -180, 180, .factor = CAIRN_CONFIG_DEG, .fallback = "90"),
    CAIRN_CONFIG_BOOL(lamp, on, "on", .fallback = "true"),
    CAIRN_CONFIG_LINE(lamp, line),
};
static const cairn_config_schema lamp_schema = CAIRN_CONFIG_SCHEMA(lamp, lamp_fields);
static const cairn_config_field lamp_item = CAIRN_CONFIG_ITEM_RECORD(lamp, &lamp_schema);
static const cairn_config_field point_item = CAIRN_CONFIG_ITEM_VECTOR(vec, "m", -10, 10);

static const cairn_config_field straight_fields[] = {
    CAIRN_CONFIG_VECTOR(wire, from_m, "from_m", "m", -10, 10),
    CAIRN_CONFIG_VECTOR(wire, to_m, "to_m", "m", -10, 10),
};
static const cairn_config_schema straight_schema = CAIRN_CONFIG_SCHEMA(wire, straight_fields);
static const cairn_config_field round_fields[] = {
    CAIRN_CONFIG_REAL(wire, radius_m, "radius_mm", "mm", 1, 1000, .factor = 0.001),
};
static const cairn_config_schema round_schema = CAIRN_CONFIG_SCHEMA(wire, round_fields);
static const cairn_config_variant wire_variants[] = {
    {"straight", &straight_schema}, {"round", &round_schema}, {NULL, NULL}};
static const cairn_config_field wire_item = CAIRN_CONFIG_ITEM_VARIANT(wire, kind, wire_variants);

static const cairn_config_field sensor_fields[] = {
    CAIRN_CONFIG_PRESENT(sensor, offered),
    CAIRN_CONFIG_REAL(sensor, range_m, "range_m", "m", 0, 100, .fallback = "5"),
};
static const cairn_config_schema sensor_schema = CAIRN_CONFIG_SCHEMA(sensor, sensor_fields);

static const char *const colours[] = {[RED] = "red", [GREEN] = "green", [BLUE] = "blue", [BLUE + 1] = NULL};

static const cairn_config_field room_fields[] = {
    CAIRN_CONFIG_TEXT(room, title, "title", .help = "of the room"),
    CAIRN_CONFIG_TEXT(room, note, "note", .fallback = ""),
    CAIRN_CONFIG_BOOL(room, locked, "locked", .fallback = "false"),
    CAIRN_CONFIG_INTEGER(room, seats, "seats", "seats", 0, 100, .fallback = "4"),
    CAIRN_CONFIG_INTEGER(room, delay_ns, "delay_ms", "ms", -1000, 1000, .factor = 1e6, .fallback = "20"),
    CAIRN_CONFIG_REAL(room, length_m, "length_m", "m", 0.5, 20, .help = "wall to wall"),
    CAIRN_CONFIG_REAL(room, level, "level", NULL, -1e300, 1e300, .fallback = "0"),
    CAIRN_CONFIG_CHOICE(room, colour, "colour", colours, .fallback = "green"),
    CAIRN_CONFIG_VECTOR(room, at_m, "at_m", "m", -10, 10, .fallback = "1 -2.5"),
    CAIRN_CONFIG_RECORD(room, main_lamp, "main_lamp", &lamp_schema, .fallback = "none"),
    CAIRN_CONFIG_LIST(room, lamps, lamp_count, "lamps", &lamp_item, 3, .fallback = "[]"),
    CAIRN_CONFIG_LIST(room, points_m, point_count, "points_m", &point_item, 1000, .fallback = "[]"),
    CAIRN_CONFIG_LIST(room, wires, wire_count, "wires", &wire_item, 10, .fallback = "[]"),
    CAIRN_CONFIG_RECORD(room, sonar, "sonar", &sensor_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(room, radar, "radar", &sensor_schema, .fallback = "{}"),
};
static const cairn_config_schema room_schema = CAIRN_CONFIG_SCHEMA(room, room_fields);

static uint8_t block[1 << 16];
static cairn_complaints told;

static cairn_err read_bytes(const char *bytes, size_t size_bytes, room *ret_room)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    return cairn_config_parse(bytes, size_bytes, "room.yaml", &room_schema, &memory, &told, ret_room);
}

static cairn_err read_text(const char *text, room *ret_room) { return read_bytes(text, strlen(text), ret_room); }

// Refused, with this among what is told.
static void assert_refused(const char *text, const char *reason)
{
    room unused;
    assert_int_equal(read_text(text, &unused), CAIRN_ERR_INVALID);
    if (strstr(told.text, reason) == NULL) { fail_msg("\"%s\" is not told about:\n%s%s", reason, text, told.text); }
}

#define GOOD "title: hall\nlength_m: 3\n"

static void every_kind_lands_in_its_member(void **state)
{
    (void)state;
    room hall;
    assert_ok(read_text("title: \"the hall\"\n"
                        "locked: true\n"
                        "seats: 12\n"
                        "delay_ms: -3\n"
                        "length_m: 7.5\n"
                        "colour: blue\n"
                        "at_m: [3, -4.25]\n"
                        "main_lamp: {name: big, angle_deg: 180, on: false}\n"
                        "lamps:\n"
                        "  - name: a\n"
                        "    angle_deg: 45\n"
                        "  - name: b\n"
                        "points_m: [[1, 2], [3, 4], [5, 6]]\n"
                        "wires:\n"
                        "  - {kind: round, radius_mm: 250}\n"
                        "  - {from_m: [0, 0], to_m: [1, 1]}\n"
                        "sonar: {range_m: 2}\n",
                        &hall));
    assert_string_equal(hall.title, "the hall");
    assert_true(hall.locked);
    assert_int_equal(hall.seats, 12);
    assert_int_equal(hall.delay_ns, -3000000);
    assert_true(hall.length_m == 7.5);
    assert_int_equal(hall.colour, BLUE);
    assert_true(hall.at_m.x == 3 && hall.at_m.y == -4.25);
    assert_string_equal(hall.main_lamp.name, "big");
    assert_true(fabs(hall.main_lamp.angle_rad - acos(-1.0)) < 1e-15);
    assert_int_equal(hall.lamp_count, 2);
    assert_true(fabs(hall.lamps[0].angle_rad - acos(-1.0) / 4) < 1e-15);
    assert_int_equal(hall.lamps[0].line, 10);
    assert_int_equal(hall.lamps[1].line, 12);
    assert_int_equal(hall.point_count, 3);
    assert_true(hall.points_m[2].x == 5 && hall.points_m[2].y == 6);
    assert_int_equal(hall.wire_count, 2);
    assert_int_equal(hall.wires[0].kind, 1);
    assert_true(hall.wires[0].radius_m == 250 * 0.001);
    assert_int_equal(hall.wires[1].kind, 0);
    assert_true(hall.wires[1].to_m.x == 1);
    assert_true(hall.sonar.offered && hall.sonar.range_m == 2);
}

static void only_what_the_schema_defaults_is_defaulted(void **state)
{
    (void)state;
    room hall;
    assert_ok(read_text(GOOD "lamps: [{name: a}]\n", &hall));
    assert_string_equal(hall.note, "");
    assert_false(hall.locked);
    assert_int_equal(hall.seats, 4);
    assert_int_equal(hall.delay_ns, 20000000);
    assert_int_equal(hall.colour, GREEN);
    assert_true(hall.at_m.x == 1 && hall.at_m.y == -2.5);
    assert_true(fabs(hall.lamps[0].angle_rad - acos(0.0)) < 1e-15);
    assert_true(hall.lamps[0].on);
    assert_int_equal(hall.point_count, 0);
    assert_false(hall.sonar.offered);
    assert_true(hall.sonar.range_m == 0);
    assert_true(hall.radar.offered && hall.radar.range_m == 5);
    assert_refused("length_m: 3\n", "room.yaml:1: title: missing; expected text of 1 to 31 bytes (of the room)");
}

// A person mends a file once, not error by error.
static void all_errors_are_told_at_once_with_line_and_path(void **state)
{
    (void)state;
    room unused;
    assert_int_equal(read_text("title: hall\n"
                               "lenght_m: 3\n"
                               "seats: 101\n"
                               "lamps:\n"
                               "  - name: a\n"
                               "  - name: b\n"
                               "    angle_deg: 200\n"
                               "    on: maybe\n"
                               "points_m: [[1, 2], [3, x]]\n"
                               "colour: gren\n",
                               &unused),
                     CAIRN_ERR_INVALID);
    assert_string_equal(told.text,
                        "room.yaml:2: unknown key: lenght_m; did you mean \"length_m\"?\n"
                        "room.yaml:3: seats: found 101; expected a whole number from 0 to 100 seats\n"
                        "room.yaml:7: lamps[1].angle_deg: found 200; expected a number from -180 to 180 degrees\n"
                        "room.yaml:8: lamps[1].on: found maybe; expected true or false\n"
                        "room.yaml:9: points_m[1][1]: found x; expected a number from -10 to 10 m\n"
                        "room.yaml:10: colour: found gren; expected one of red, green, blue; did you mean \"green\"?\n"
                        "room.yaml:1: length_m: missing; expected a number from 0.5 to 20 m (wall to wall)\n");
    assert_int_equal(told.count, 7);
}

static void a_key_without_its_unit_is_recognised(void **state)
{
    (void)state;
    assert_refused("title: hall\nlength: 3\n", "unknown key: length; did you mean \"length_m\"?");
    assert_refused(GOOD "zzzzz: 3\n", "unknown key: zzzzz\n");
}

static void both_ends_of_a_range_belong_to_it(void **state)
{
    (void)state;
    room hall;
    assert_ok(read_text("title: hall\nlength_m: 0.5\n", &hall));
    assert_ok(read_text("title: hall\nlength_m: 20\n", &hall));
    assert_refused("title: hall\nlength_m: 0.4999\n", "length_m: found 0.4999");
    assert_refused("title: hall\nlength_m: 20.001\n", "length_m: found 20.001");
}

static void what_is_not_a_finite_decimal_number_is_refused(void **state)
{
    (void)state;
    const char *const words[] = {".nan", "nan",  ".inf", "inf", "-inf", "0x10", "1e999", "5 m",
                                 "1,5",  "--3",  "+",    ".",   "e5",   "3e",   "true",  "\"3\"",
                                 "~",    "null", "''",   "[3]", "{}",   "1_0",  "0b1",   "1.2.3"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "title: hall\nlength_m: %s\n", words[i]);
        assert_refused(text, "room.yaml:2: length_m: found ");
    }
    assert_refused("title: hall\nlength_m:\n", "length_m: found nothing");
    assert_refused(GOOD "seats: 3.5\n", "seats: found 3.5; expected a whole number");
    assert_refused(GOOD "delay_ms: 1e300\n", "delay_ms: found 1e300");
}

static void a_key_given_twice_is_refused(void **state)
{
    (void)state;
    assert_refused(GOOD "seats: 1\nseats: 1\n", "room.yaml:4: seats: given twice");
    assert_refused(GOOD "lamps: [{name: a, name: b}]\n", "lamps[0].name: given twice");
    assert_refused(GOOD "wires: [{kind: round, kind: round, radius_mm: 5}]\n", "wires[0].kind: given twice");
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    assert_refused(GOOD "lamps: 3\n", "lamps: found 3; expected a list of 0 to 3 items");
    assert_refused(GOOD "lamps: [{name: a}, {name: b}, {name: c}, {name: d}]\n", "lamps: found a list of 4");
    assert_refused(GOOD "lamps: [3]\n", "lamps[0]: found 3; expected a record");
    assert_refused(GOOD "main_lamp: [a]\n", "main_lamp: found a list of 1; expected a record");
    assert_refused(GOOD "at_m: [1, 2, 3]\n", "at_m: found a list of 3; expected [2 numbers]");
    assert_refused(GOOD "colour: [red]\n", "colour: found a list of 1; expected one of");
    assert_refused(GOOD "locked: yes\n", "locked: found yes; expected true or false");
    assert_refused(GOOD "note: 12345678\n", "note: found 12345678; expected text of 1 to 7 bytes");
    assert_refused("title: \"a\\x07b\"\nlength_m: 3\n", "title: found the text \"a b\"");
    assert_refused("- title\n", "expected lines of key: value");
    assert_refused("title\n", "expected lines of key: value");
}

static void a_variant_takes_the_keys_of_its_kind_only(void **state)
{
    (void)state;
    assert_refused(GOOD "wires: [{kind: round, radius_mm: 5, from_m: [0, 0]}]\n", "wires[0]: unknown key: from_m");
    assert_refused(GOOD "wires: [{kind: roung}]\n", "did you mean \"round\"?");
    assert_refused(GOOD "wires: [{kind: round}]\n", "wires[0].radius_mm: missing");
    assert_refused(GOOD "wires: [{from_m: [0, 0]}]\n", "wires[0].to_m: missing");
}

static void yaml_that_people_do_not_need_is_refused(void **state)
{
    (void)state;
    assert_refused("title: &a hall\nlength_m: 3\n", "room.yaml:1: anchors (&) are not allowed");
    assert_refused("title: hall\nlength_m: *a\n", "room.yaml:2: aliases (*) are not allowed");
    assert_refused("title: !!str hall\nlength_m: 3\n", "tags (!) are not allowed");
    assert_refused(GOOD "---\n" GOOD, "more than one document");
    assert_refused(GOOD "? [a]\n: 3\n", "a key must be a word");
    assert_refused(GOOD "note: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n", "nested too deeply");
    assert_refused("title: \"hall\n", "not valid YAML");
    assert_refused("title: a\n  b: c: d\n", "room.yaml:");
    assert_refused("\xff\xfe\xfd", "room.yaml: ");
    assert_refused("", "the file is empty");
    assert_refused("# nothing\n", "the file is empty");
}

// "A bomb" of nested aliases is refused at its first anchor, before it can grow.
static void an_alias_bomb_costs_nothing(void **state)
{
    (void)state;
    assert_refused("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", "room.yaml:1: anchors");
    assert_int_equal(told.count, 1);
}

static void failure_leaves_output_and_memory_untouched(void **state)
{
    (void)state;
    room hall;
    memset(&hall, 0x5a, sizeof hall);
    room before = hall;
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    const char text[] = "title: hall\nlamps: [{name: a}]\n";
    assert_int_equal(cairn_config_parse(text, sizeof text - 1, "x", &room_schema, &memory, &told, &hall),
                     CAIRN_ERR_INVALID);
    assert_memory_equal(&hall, &before, sizeof hall);
    assert_int_equal(memory.used_bytes, 0);
}

static void lists_that_do_not_fit_are_told(void **state)
{
    (void)state;
    room hall;
    cairn_arena memory;
    cairn_arena_init(&memory, block, 128);
    memset(&told, 0, sizeof told);
    const char text[] = GOOD "points_m: [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]]\n";
    assert_int_equal(cairn_config_parse(text, sizeof text - 1, "x", &room_schema, &memory, &told, &hall),
                     CAIRN_ERR_FULL);
    assert_non_null(strstr(told.text, "points_m: no memory left for 9 items"));
}

static void size_and_number_of_values_are_limited(void **state)
{
    (void)state;
    const size_t size_bytes = CAIRN_CONFIG_BYTES_MAX + 1;
    char *large = malloc(size_bytes);
    assert_non_null(large);
    memset(large, '#', size_bytes);
    room hall;
    assert_int_equal(read_bytes(large, size_bytes, &hall), CAIRN_ERR_TOO_LARGE);

    // As large as allowed, but of nothing but values.
    for (size_t i = 0; i < CAIRN_CONFIG_BYTES_MAX; i += 2) { memcpy(large + i, i == 0 ? "[1" : ",1", 2); }
    assert_int_equal(read_bytes(large, CAIRN_CONFIG_BYTES_MAX, &hall), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "too many values"));
    free(large);
}

// Complaints are bounded: a file of 10,000 wrong keys is not read to its end.
static void a_flood_of_errors_is_cut_off(void **state)
{
    (void)state;
    enum { KEYS = 10000, BYTES_EACH = 11 };
    char *flood = malloc(KEYS * BYTES_EACH + 1);
    assert_non_null(flood);
    for (int i = 0; i < KEYS; i++) {
        snprintf(flood + (size_t)i * BYTES_EACH, BYTES_EACH + 1, "key%04u: 1\n", (unsigned)i % 10000u);
    }
    room hall;
    assert_int_equal(read_bytes(flood, KEYS * BYTES_EACH, &hall), CAIRN_ERR_INVALID);
    assert_true(told.count <= 101);
    free(flood);
}

static void files_that_are_not_there_are_told(void **state)
{
    (void)state;
    room hall;
    memset(&told, 0, sizeof told);
    assert_int_equal(cairn_config_read("/nowhere/at.all", &room_schema, NULL, &told, &hall), CAIRN_ERR_IO);
    assert_string_equal(told.text, "/nowhere/at.all: cannot be read: No such file or directory\n");
    memset(&told, 0, sizeof told);
    assert_int_equal(cairn_config_read("/", &room_schema, NULL, &told, &hall), CAIRN_ERR_IO);
}

// What is written with 17 digits comes back as the same double, of any size.
static void numbers_come_back_to_the_last_bit(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "numbers");
    for (int i = 0; i < 2000; i++) {
        const double mantissa = cairn_random_between(&random, -10.0, 10.0);
        const double value = mantissa * pow(10.0, floor(cairn_random_between(&random, -250.0, 250.0)));
        char text[128];
        snprintf(text, sizeof text, GOOD "level: %.17g\n", value);
        room hall;
        assert_ok(read_text(text, &hall));
        assert_true(hall.level == value);
    }
}

// However a file is cut off or damaged, it is read, or refused with a reason: never neither.
static void damaged_files_are_read_or_refused_with_a_reason(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "damage");
    const char good[] = "title: hall\nlength_m: 3\nlamps:\n  - {name: a, angle_deg: 3}\n  - name: b\n    on: false\n"
                        "wires: [{kind: round, radius_mm: 5}]\npoints_m: [[1, 2], [3, 4]]\nsonar: {range_m: 1}\n";
    int accepted = 0;
    for (int i = 0; i < 5000; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        const size_t length = (size_t)cairn_random_between(&random, 0, (double)sizeof good);
        for (int k = 0; k < 2; k++) {
            const size_t at = (size_t)cairn_random_between(&random, 0, (double)sizeof good - 1);
            text[at] = (char)(uint8_t)cairn_random_between(&random, 1, 255);
        }
        room hall;
        const cairn_err err = read_bytes(text, i % 2 == 0 ? length : sizeof good - 1, &hall);
        assert_true((err == CAIRN_OK) == (told.count == 0));
        accepted += err == CAIRN_OK;
    }
    assert_true(accepted > 0 && accepted < 5000);
}

static void named_paths_are_relative_to_the_file_that_names_them(void **state)
{
    (void)state;
    char path[32];
    assert_ok(cairn_config_resolve("missions/maze.yaml", "../arenas/maze.yaml", path, sizeof path));
    assert_string_equal(path, "missions/../arenas/maze.yaml");
    assert_ok(cairn_config_resolve("maze.yaml", "emu.yaml", path, sizeof path));
    assert_string_equal(path, "emu.yaml");
    assert_ok(cairn_config_resolve("missions/maze.yaml", "/a/emu.yaml", path, sizeof path));
    assert_string_equal(path, "/a/emu.yaml");
    assert_int_equal(cairn_config_resolve("missions/maze.yaml", "abcdefghijklmnopqrstuvwxyz", path, sizeof path),
                     CAIRN_ERR_TOO_LARGE);
}

// A later cairn may mean something else by the same words.
static void a_file_of_a_later_version_is_refused_in_words(void **state)
{
    (void)state;
    room hall;
    assert_ok(read_text(GOOD "version: 1\n", &hall));
    assert_refused(GOOD "version: 2\n", "version: found 2, but this cairn reads files up to version 1; take a newer");
    assert_refused(GOOD "version: 2\nbroken: [\n", "");
    assert_refused(GOOD "version: old\n", "version: found");
    assert_refused(GOOD "version: 1\nversion: 1\n", "version: given twice");
    assert_refused(GOOD "version: 0\n", "version: found 0; expected 1");
    assert_refused(GOOD "lamps: [{name: a, version: 1}]\n", "unknown key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_a_later_version_is_refused_in_words),
        cmocka_unit_test(every_kind_lands_in_its_member),
        cmocka_unit_test(only_what_the_schema_defaults_is_defaulted),
        cmocka_unit_test(all_errors_are_told_at_once_with_line_and_path),
        cmocka_unit_test(a_key_without_its_unit_is_recognised),
        cmocka_unit_test(both_ends_of_a_range_belong_to_it),
        cmocka_unit_test(what_is_not_a_finite_decimal_number_is_refused),
        cmocka_unit_test(a_key_given_twice_is_refused),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(a_variant_takes_the_keys_of_its_kind_only),
        cmocka_unit_test(yaml_that_people_do_not_need_is_refused),
        cmocka_unit_test(an_alias_bomb_costs_nothing),
        cmocka_unit_test(failure_leaves_output_and_memory_untouched),
        cmocka_unit_test(lists_that_do_not_fit_are_told),
        cmocka_unit_test(size_and_number_of_values_are_limited),
        cmocka_unit_test(a_flood_of_errors_is_cut_off),
        cmocka_unit_test(files_that_are_not_there_are_told),
        cmocka_unit_test(numbers_come_back_to_the_last_bit),
        cmocka_unit_test(damaged_files_are_read_or_refused_with_a_reason),
        cmocka_unit_test(named_paths_are_relative_to_the_file_that_names_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
