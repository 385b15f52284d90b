// The file that a station is started with: what it says becomes the station's, what it leaves out is the default.
#include "check.h"
#include "programs/station/station_file_io.h"
#include "station/atlas/places.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "version: 1\nname: test\nstore: {file: station.db}\nkeys: keys\n"
#define TEAM                                                                                                           \
    "robots: [{name: emu1, number: 1, body: " CAIRN_SOURCE_ROOT "/robots/emu.yaml, start_m: [1, 2], heading_deg: "     \
    "90}]\n"

static cairn_arena memory;
static cairn_station_file file;
static cairn_complaints told;

static cairn_err read_text(const char *text)
{
    char path[] = "/tmp/cairn-station-file-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    const size_t size_bytes = strlen(text);
    assert_int_equal(write(handle, text, size_bytes), size_bytes);
    close(handle);
    told = (cairn_complaints){0};
    cairn_arena_reset(&memory, 0);
    const cairn_err err = cairn_station_file_read(path, &memory, &told, &file);
    unlink(path);
    return err;
}

static void refused(const char *text, const char *words)
{
    assert_int_not_equal(read_text(text), CAIRN_OK);
    if (strstr(told.text, words) == NULL) { print_message("%s lacks \"%s\"\n", told.text, words); }
    assert_non_null(strstr(told.text, words));
}

static int start(void **unused)
{
    (void)unused;
    return cairn_arena_create(&memory, 16 << 20) == CAIRN_OK ? 0 : -1;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

// A file that is older than the keys means what it always meant.
static void starts_are_as_sure_as_places_take_them_to_be_unless_told(void **unused)
{
    (void)unused;
    const cairn_places_def usual = cairn_places_def_default();
    assert_ok(read_text(HEAD TEAM));
    assert_true(file.start_m_dev == usual.start_m_dev && file.start_rad_dev == usual.start_rad_dev);
    assert_ok(read_text(HEAD "start_position_sd_m: 0.5\nstart_heading_sd_rad: 0.1\n" TEAM));
    assert_true(file.start_m_dev == 0.5 && file.start_rad_dev == 0.1);
}

// Nothing is known exactly, and a start that is known to 10 m only is not known.
static void impossible_deviations_are_refused_in_words(void **unused)
{
    (void)unused;
    refused(HEAD "start_position_sd_m: 0\n" TEAM, "start_position_sd_m: found 0");
    refused(HEAD "start_position_sd_m: 11\n" TEAM, "start_position_sd_m: found 11");
    refused(HEAD "start_position_sd_m: -0.02\n" TEAM, "start_position_sd_m: found -0.02");
    refused(HEAD "start_position_sd_m: nan\n" TEAM, "start_position_sd_m");
    refused(HEAD "start_heading_sd_rad: 0\n" TEAM, "start_heading_sd_rad: found 0");
    refused(HEAD "start_heading_sd_rad: 1.5\n" TEAM, "start_heading_sd_rad: found 1.5");
    refused(HEAD "start_heading_sd_rad: little\n" TEAM, "start_heading_sd_rad");
    refused(HEAD "start_heading_sd_deg: 1\n" TEAM, "start_heading_sd_deg");
}

// A border in the wrong place is worse than a station that does not start.
static void areas_are_read_and_what_is_none_is_refused_with_its_line(void **unused)
{
    (void)unused;
    assert_ok(read_text(HEAD TEAM "areas: [{name: stair, kind: keep_out, corners_m: [[0, 0], [2, 0], [0, 2]]}]\n"));
    assert_int_equal(file.areas.fences.count, 1);
    assert_string_equal(file.areas.names[0], "stair");
    assert_int_equal(file.areas.fences.fences[0].kind, CAIRN_FENCE_KEEP_OUT);
    assert_ok(read_text(HEAD TEAM));
    assert_int_equal(file.areas.fences.count, 0);
    refused(HEAD TEAM "areas: [{name: stair, kind: keep_out, corners_m: [[0, 0], [2, 0]]}]\n", "a list of 3 to 16");
    refused(HEAD TEAM "areas: [{name: a, kind: keep_in, corners_m: [[0, 0], [1, 1], [1, 0], [0, 1]]}]\n", "cross");
    refused(HEAD TEAM "areas: [{name: a, kind: keep_in, corners_m: [[0, 0], [1, 1], [2500, 0]]}]\n", "at most 1900 m");
}

// A station that is started, again or afresh, hears robots that somebody left standing: nothing in its file sets one
// going.
static void no_station_file_sets_a_robot_going(void **unused)
{
    (void)unused;
    refused(HEAD "robots: [{name: emu1, number: 1, body: " CAIRN_SOURCE_ROOT
                 "/robots/emu.yaml, start_m: [1, 2], mode: autonomous}]\n",
            "mode");
}

// What other machines must know outlives the program, as the store does.
static void the_pages_token_is_beside_the_store_unless_told(void **unused)
{
    (void)unused;
    assert_ok(read_text(HEAD TEAM));
    assert_string_equal(file.page_names, "");
    assert_string_equal(file.page_token_file, "/tmp/page.token");
    assert_ok(read_text(HEAD "page: {bind: 0.0.0.0, names: station.local camp, token_file: secret/t}\n" TEAM));
    assert_string_equal(file.page_names, "station.local camp");
    assert_string_equal(file.page_token_file, "/tmp/secret/t");
    refused(HEAD "page: {names: \"http://station.local\"}\n" TEAM, "page.names");
}

// The example is what people copy: it names the defaults.
static void the_example_says_what_is_usual(void **unused)
{
    (void)unused;
    const cairn_places_def usual = cairn_places_def_default();
    told = (cairn_complaints){0};
    cairn_arena_reset(&memory, 0);
    assert_ok(cairn_station_file_read(CAIRN_SOURCE_ROOT "/deploy/office/station.yaml", &memory, &told, &file));
    assert_true(file.start_m_dev == usual.start_m_dev && file.start_rad_dev == usual.start_rad_dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_as_sure_as_places_take_them_to_be_unless_told),
        cmocka_unit_test(impossible_deviations_are_refused_in_words),
        cmocka_unit_test(areas_are_read_and_what_is_none_is_refused_with_its_line),
        cmocka_unit_test(no_station_file_sets_a_robot_going),
        cmocka_unit_test(the_pages_token_is_beside_the_store_unless_told),
        cmocka_unit_test(the_example_says_what_is_usual),
    };
    return cmocka_run_group_tests_name("station file", tests, start, finish);
}
