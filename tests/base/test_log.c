// Log lines reach the sink that was given, cut where they must be, and not too often.
#include "base/log.h"
#include "check.h"
#include <string.h>

typedef struct heard {
    int count;
    cairn_log_level level;
    char source[32];
    char text[CAIRN_LOG_TEXT_BYTES];
} heard;

static void hear(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    (void)now;
    heard *const ear = context;
    ear->count++;
    ear->level = level;
    snprintf(ear->source, sizeof ear->source, "%s", source);
    snprintf(ear->text, sizeof ear->text, "%s", text);
}

static void a_line_reaches_the_sink_with_its_source(void **state)
{
    (void)state;
    heard ear = {0};
    const cairn_log log = {.sink = hear, .context = &ear, .source = "emu1/mind", .level = CAIRN_LOG_INFO};
    cairn_log_line(&log, (cairn_mono){5}, CAIRN_LOG_WARN, "%d wheels", 4);
    assert_int_equal(ear.count, 1);
    assert_int_equal(ear.level, CAIRN_LOG_WARN);
    assert_string_equal(ear.source, "emu1/mind");
    assert_string_equal(ear.text, "4 wheels");
}

static void lines_below_the_level_are_dropped(void **state)
{
    (void)state;
    heard ear = {0};
    const cairn_log log = {.sink = hear, .context = &ear, .level = CAIRN_LOG_WARN}, nobody = {0};
    cairn_log_line(&log, (cairn_mono){0}, CAIRN_LOG_INFO, "not this");
    assert_int_equal(ear.count, 0);
    cairn_log_line(&log, (cairn_mono){0}, CAIRN_LOG_WARN, "this");
    assert_int_equal(ear.count, 1);
    cairn_log_line(&nobody, (cairn_mono){0}, CAIRN_LOG_FATAL, "nobody hears this");
    cairn_log_line(NULL, (cairn_mono){0}, CAIRN_LOG_FATAL, "nor this");
}

static void a_long_line_is_cut_and_says_so(void **state)
{
    (void)state;
    heard ear = {0};
    const cairn_log log = {.sink = hear, .context = &ear};
    char longest[CAIRN_LOG_TEXT_BYTES + 1];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cairn_log_line(&log, (cairn_mono){0}, CAIRN_LOG_INFO, "%s", longest);
    assert_int_equal(strlen(ear.text), CAIRN_LOG_TEXT_BYTES - 1);
    assert_string_equal(ear.text + CAIRN_LOG_TEXT_BYTES - 5, "x...");
    cairn_log_line(&log, (cairn_mono){0}, CAIRN_LOG_INFO, "%s", longest + 1); // just fits
    assert_string_equal(ear.text, longest + 1);
}

static void a_repeated_line_is_said_once_a_second_with_what_was_swallowed(void **state)
{
    (void)state;
    heard ear = {0};
    const cairn_log log = {.sink = hear, .context = &ear};
    cairn_log_often_state often = {0};
    for (int ms = 0; ms < 3000; ms += 10) {
        cairn_log_often(&log, &often, (cairn_mono){CAIRN_MS(ms)}, CAIRN_LOG_WARN, "slip at %d", ms);
        assert_int_equal(ear.count, 1 + ms / 1000);
    }
    assert_string_equal(ear.text, "(99 not shown) slip at 2000");
}

static void the_terminal_sink_writes_time_level_source_and_text(void **state)
{
    (void)state;
    FILE *const file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    cairn_log_to_stderr(NULL, (cairn_mono){CAIRN_MS(12345)}, CAIRN_LOG_WARN, "emu1/mind", "wheel slips");
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);

    char line[100] = "";
    rewind(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "12.345 WARN emu1/mind: wheel slips\n");
    fclose(file);
}

// A text that was cut must not look as if it were whole.
static void a_text_that_does_not_fit_ends_in_dots(void **state)
{
    (void)state;
    char text[10];
    cairn_text_print(text, sizeof text, "%s", "123456789");
    assert_string_equal(text, "123456789");
    cairn_text_print(text, sizeof text, "%s", "1234567890");
    assert_string_equal(text, "123456...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_does_not_fit_ends_in_dots),
        cmocka_unit_test(a_line_reaches_the_sink_with_its_source),
        cmocka_unit_test(lines_below_the_level_are_dropped),
        cmocka_unit_test(a_long_line_is_cut_and_says_so),
        cmocka_unit_test(a_repeated_line_is_said_once_a_second_with_what_was_swallowed),
        cmocka_unit_test(the_terminal_sink_writes_time_level_source_and_text),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
