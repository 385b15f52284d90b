// A jailed process can read its clock and sleep; the system ends it at anything else.
#include "base/clock.h"
#include "check.h"
#include "programs/robot/reflex_jail.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_JAIL 77

// How a child that goes to jail and then does this comes to its end.
static int end_of(void (*act)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        if (!cairn_reflex_jail()) { _exit(NO_JAIL); }
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool is_without_jail(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == NO_JAIL; }

static void read_clock_and_sleep(void)
{
    for (int i = 0; i < 3; i++) { cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), CAIRN_MS(2))); }
}

static void write_a_line(void) { (void)!write(STDERR_FILENO, "free\n", 5); }
static void ask_for_memory(void)
{
    void *volatile block = malloc((size_t)64 << 20);
    (void)block;
}
static void ask_who_it_is(void) { (void)syscall(SYS_getpid); }
static void make_a_child(void) { (void)syscall(SYS_fork); }
static void open_a_file(void) { (void)syscall(SYS_openat, -100, "/dev/null", 0); }

static void clock_and_sleep_are_free(void **state)
{
    (void)state;
    const int status = end_of(read_clock_and_sleep);
    if (is_without_jail(status)) { skip(); }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void anything_else_is_the_end(void **state)
{
    (void)state;
    void (*const acts[])(void) = {write_a_line, ask_for_memory, ask_who_it_is, make_a_child, open_a_file};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        const int status = end_of(acts[i]);
        if (is_without_jail(status)) { skip(); }
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSYS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_and_sleep_are_free),
        cmocka_unit_test(anything_else_is_the_end),
    };
    return cmocka_run_group_tests_name("reflex_jail", tests, NULL, NULL);
}
