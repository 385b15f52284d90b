// check.h - what every test program includes: cmocka, and checks in our own words.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define assert_ok(call) assert_int_equal((call), CAIRN_OK)

// Whether the statement ends the program as a breach does. It runs in a child process.
#define assert_breach(statement)                                                                                       \
    do {                                                                                                               \
        fflush(NULL);                                                                                                  \
        const pid_t child_ = fork();                                                                                   \
        assert_true(child_ >= 0);                                                                                      \
        if (child_ == 0) {                                                                                             \
            signal(SIGABRT, SIG_DFL);                                                                                  \
            if (!freopen("/dev/null", "w", stderr)) { _exit(2); }                                                      \
            statement;                                                                                                 \
            _exit(0);                                                                                                  \
        }                                                                                                              \
        int status_ = 0;                                                                                               \
        assert_int_equal(waitpid(child_, &status_, 0), child_);                                                        \
        assert_true(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGABRT);                                             \
    } while (0)
