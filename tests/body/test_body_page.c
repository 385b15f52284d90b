// The head of a body's files: who must not meet does not, and is told why.
#include "body/body_page.h"
#include "check.h"
#include <string.h>

static _Alignas(64) uint8_t memory[1 << 20];
static cairn_body_description description;

static cairn_body_page_def make_def(void)
{
    description = (cairn_body_description){.encoders = {.offered = true}, .imu = {.offered = true}};
    memset(memory, 0, sizeof memory);
    return (cairn_body_page_def){.kind = CAIRN_BODY_PAGE_SENSORS,
                                 .robot = "emu1",
                                 .body_hash = 0x1234567890abcdefu,
                                 .description = &description};
}

static void a_robot_takes_what_was_made_for_it(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    const cairn_body_page_def def = make_def();
    assert_true(cairn_body_page_file_bytes(&def) <= sizeof memory);
    assert_int_equal((uintptr_t)cairn_body_page_cells(memory) % 64, 0);
    // A file that has been made and not yet filled is one to wait for.
    assert_int_equal(cairn_body_page_check(memory, &def, "emu1.sensors", &complaints), CAIRN_ERR_EMPTY);
    cairn_body_page_fill(memory, &def);
    assert_ok(cairn_body_page_check(memory, &def, "emu1.sensors", &complaints));
    atomic_store(&((cairn_body_page *)(void *)memory)->retired, 1);
    assert_int_equal(cairn_body_page_check(memory, &def, "emu1.sensors", &complaints), CAIRN_ERR_EMPTY);
    assert_int_equal(complaints.count, 0);
}

static void check_refused(const cairn_body_page_def *def, cairn_err err, const char *words)
{
    cairn_complaints complaints = {0};
    assert_int_equal(cairn_body_page_check(memory, def, "emu1.sensors", &complaints), err);
    assert_int_equal(complaints.count, 1);
    if (strstr(complaints.text, words) == NULL) { fail_msg("'%s' does not say '%s'", complaints.text, words); }
}

// A robot that drove another body's wheels, or read them by another layout, would be a danger.
static void whatever_differs_is_refused_in_words(void **state)
{
    (void)state;
    const cairn_body_page_def made = make_def();
    cairn_body_page_fill(memory, &made);
    cairn_body_page_def wanted = made;
    wanted.robot = "emu2";
    check_refused(&wanted, CAIRN_ERR_INVALID, "is the body of emu1, not of emu2");
    wanted = made;
    wanted.body_hash++;
    check_refused(&wanted, CAIRN_ERR_INVALID, "start both with the same file");
    wanted = made;
    wanted.kind = CAIRN_BODY_PAGE_MOTORS;
    check_refused(&wanted, CAIRN_ERR_INVALID, "is not a body's motors");
    static cairn_body_description other;
    other = description;
    other.laser.offered = true;
    wanted = made;
    wanted.description = &other;
    check_refused(&wanted, CAIRN_ERR_UNSUPPORTED, "another version");
    ((cairn_body_page *)(void *)memory)->version++;
    check_refused(&made, CAIRN_ERR_UNSUPPORTED, "update the older one");
    memset(memory, 0xff, sizeof memory); // no end of the name either
    check_refused(&made, CAIRN_ERR_INVALID, "is not a body's sensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_takes_what_was_made_for_it),
        cmocka_unit_test(whatever_differs_is_refused_in_words),
    };
    return cmocka_run_group_tests_name("body_page", tests, NULL, NULL);
}
