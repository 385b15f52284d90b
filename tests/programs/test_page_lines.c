// What is said about the operator's pages is kept, and no flood of it fills the log.
#include "check.h"
#include "programs/station/page_lines.h"
#include <string.h>

static cairn_arena memory;
static cairn_page_lines *lines;
static uint32_t kept_count, uncounted;
static char last[CAIRN_LOG_TEXT_BYTES];

static void sink(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    (void)context, (void)now, (void)level, (void)source;
    unsigned count = 0;
    if (sscanf(text, "%u lines about pages were not kept", &count) == 1) {
        uncounted += count;
        return;
    }
    kept_count++;
    snprintf(last, sizeof last, "%s", text);
}

static const cairn_log to = {.sink = sink, .level = CAIRN_LOG_INFO};

static int start(void **unused)
{
    (void)unused;
    kept_count = uncounted = 0;
    assert_ok(cairn_arena_create(&memory, CAIRN_PAGE_LINES_BYTES));
    return cairn_page_lines_create(&memory, &lines) == CAIRN_OK ? 0 : -1;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_page_lines_finish(lines);
    cairn_arena_destroy(&memory);
    return 0;
}

static void say(uint32_t count)
{
    const cairn_log log = cairn_page_lines_log(lines);
    for (uint32_t i = 0; i < count; i++) {
        cairn_log_line(&log, (cairn_mono){0}, CAIRN_LOG_WARN, "page 7 (10.0.0.%u) was refused", i % 250);
    }
}

static void what_is_said_of_pages_is_passed_on_in_its_order(void **unused)
{
    (void)unused;
    say(12);
    cairn_page_lines_take(lines, &to, (cairn_mono){CAIRN_S(1)});
    assert_int_equal(kept_count, 12);
    assert_int_equal(uncounted, 0);
    assert_string_equal(last, "page 7 (10.0.0.11) was refused");
}

// Whoever reaches the port can be refused a thousand times a second.
static void a_flood_of_lines_is_cut_and_counted(void **unused)
{
    (void)unused;
    for (int64_t second = 1; second <= 60; second++) {
        say(1000);
        cairn_page_lines_take(lines, &to, (cairn_mono){CAIRN_S(second)});
    }
    assert_true(kept_count >= 60 * CAIRN_PAGE_LINES_PER_S);
    assert_true(kept_count <= 60 * CAIRN_PAGE_LINES_PER_S + CAIRN_PAGE_LINES_BURST);
    for (int64_t second = 61; second <= 70; second++) {
        cairn_page_lines_take(lines, &to, (cairn_mono){CAIRN_S(second)});
    }
    assert_int_equal(kept_count + uncounted, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_said_of_pages_is_passed_on_in_its_order, start, finish),
        cmocka_unit_test_setup_teardown(a_flood_of_lines_is_cut_and_counted, start, finish),
    };
    return cmocka_run_group_tests_name("page lines", tests, NULL, NULL);
}
