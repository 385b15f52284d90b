// Errors have names, breaches end the program, complaints are bounded and kept whole.
#include "check.h"
#include <stdlib.h>
#include <string.h>

static void every_error_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a < CAIRN_ERR_COUNT; a++) {
        assert_non_null(cairn_err_name((cairn_err)a));
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(cairn_err_name((cairn_err)a), cairn_err_name((cairn_err)b));
        }
    }
    assert_string_equal(cairn_err_name(CAIRN_ERR_FULL), "full");
    assert_string_equal(cairn_err_name((cairn_err)9999), "unknown error");
}

static void a_false_assertion_ends_the_program(void **state)
{
    (void)state;
    CAIRN_ASSERT(1 + 1 == 2);
    assert_breach(CAIRN_ASSERT(1 + 1 == 3));
}

static void complaints_name_file_and_line_where_known(void **state)
{
    (void)state;
    cairn_complaints *const list = calloc(1, sizeof *list);
    cairn_complain(list, "emu.yaml", 12, "no such %s", "wheel");
    cairn_complain(list, "emu.yaml", 0, "empty");
    cairn_complain(list, NULL, 0, "done");
    assert_int_equal(list->count, 3);
    assert_string_equal(list->text, "emu.yaml:12: no such wheel\nemu.yaml: empty\ndone\n");
    assert_int_equal(list->used_bytes, strlen(list->text));
    free(list);
}

// Input from outside may be wrong in a million places; what is kept stays whole lines.
static void complaints_beyond_the_bound_are_counted_not_kept(void **state)
{
    (void)state;
    cairn_complaints *const list = calloc(1, sizeof *list);
    char word[301];
    for (uint32_t i = 0; i < 1000; i++) {
        const size_t length = 1 + i * 37 % 300;
        memset(word, 'x', length);
        word[length] = '\0';
        cairn_complain(list, "f", i + 1, "%s", word);
        assert_int_equal(list->used_bytes, strlen(list->text));
        assert_int_equal(list->text[list->used_bytes - 1], '\n');
    }
    assert_int_equal(list->count, 1000);
    assert_true(list->used_bytes > sizeof list->text - 310);
    free(list);
}

static void a_line_that_just_fits_is_kept(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        cairn_complaints *const list = calloc(1, sizeof *list);
        const size_t length = sizeof list->text - 2 + over; // a newline and the terminator follow
        char *const text = malloc(length + 1);
        memset(text, 'x', length);
        text[length] = '\0';
        cairn_complain(list, NULL, 0, "%s", text);
        assert_int_equal(list->count, 1);
        assert_int_equal(strlen(list->text), over ? 0 : length + 1);
        free(text);
        free(list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_name_of_its_own),
        cmocka_unit_test(a_false_assertion_ends_the_program),
        cmocka_unit_test(complaints_name_file_and_line_where_known),
        cmocka_unit_test(complaints_beyond_the_bound_are_counted_not_kept),
        cmocka_unit_test(a_line_that_just_fits_is_kept),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
