// Reflex takes no memory, no lock, writes no line and asks the system for nothing while it steps, whatever comes.
//
// The linker leads every such call of our own code through here (--wrap, meson.build); those of a reflex step are
// counted. The process cairn-reflex is beside that jailed: tests/programs/test_reflex_jail.c.
#include "../base/check.h"
#include "base/random.h"
#include "rig.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SEED 71

static bool stepping;
static uint32_t step_count, call_count;
static const char *last_call;

static void note(const char *name)
{
    if (!stepping) { return; }
    call_count++;
    last_call = name;
}

// What stands in for NAME: __wrap_NAME, by the linker's rule.
#define WRAP(result, name, parameters, arguments)                                                                      \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        note(#name);                                                                                                   \
        return __real_##name arguments;                                                                                \
    }

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, (void *old, size_t size), (old, size))
WRAP(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
WRAP(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
WRAP(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
WRAP(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
WRAP(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *file), (bytes, size, count, file))
WRAP(int, fputs, (const char *text, FILE *file), (text, file))
WRAP(int, vfprintf, (FILE * file, const char *format, va_list list), (file, format, list))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time))
WRAP(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
     (clock, flags, time, left))

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
    note("free");
    __real_free(block);
}

int __wrap_fprintf(FILE *file, const char *format, ...);
int __wrap_fprintf(FILE *file, const char *format, ...)
{
    note("fprintf");
    va_list list;
    va_start(list, format);
    const int result = __real_vfprintf(file, format, list);
    va_end(list);
    return result;
}

void __real_cairn_reflex_step(cairn_reflex *reflex, cairn_mono now);
void __wrap_cairn_reflex_step(cairn_reflex *reflex, cairn_mono now);
void __wrap_cairn_reflex_step(cairn_reflex *reflex, cairn_mono now)
{
    stepping = true;
    __real_cairn_reflex_step(reflex, now);
    stepping = false;
    step_count++;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// The counting itself can fail: it must see what it is there for.
static void a_call_in_a_step_would_be_seen(void **state)
{
    (void)state;
    void *(*volatile take)(size_t) = malloc; // or the compiler sees that nobody wants the memory
    void (*volatile give)(void *) = free;
    call_count = 0;
    stepping = true;
    give(take(7));
    (void)!write(-1, "", 0);
    stepping = false;
    assert_int_equal(call_count, 3);
    call_count = 0;
}

// Whatever mind says that it saw: any bits, or what might be.
static void tell_of_motion(rig *bench, cairn_random *random)
{
    cairn_seen_motion saw = {.at = bench->now,
                             .forward_mps = cairn_random_between(random, -1, 1),
                             .turn_radps = cairn_random_between(random, -1, 1)};
    if (cairn_random_below(random, 4) == 0) {
        unsigned char bytes[sizeof saw];
        for (size_t i = 0; i < sizeof bytes; i++) { bytes[i] = (unsigned char)cairn_random_below(random, 256); }
        memcpy(&saw, bytes, sizeof saw);
    }
    cairn_cell_write(bench->cells.seen, &saw, sizeof saw);
}

static void shake(rig *bench, cairn_random *random)
{
    tell_of_motion(bench, random);
    switch (cairn_random_below(random, 9)) {
    case 0: rig_command(bench, cairn_random_between(random, -3, 3), cairn_random_between(random, -9, 9)); break;
    case 1: bench->command_every_period = !bench->command_every_period; break;
    case 2: rig_stop(bench, cairn_random_below(random, 2) == 0, cairn_random_below(random, 5)); break;
    case 3: bench->encoders_silent = !bench->encoders_silent; break;
    case 4: bench->imu_silent = !bench->imu_silent; break;
    case 5: bench->bump.front = !bench->bump.front; break;
    case 6: bench->imu_frozen = !bench->imu_frozen; break;
    case 7: bench->slope_rad = cairn_random_between(random, -1, 1); break;
    default: bench->accel_extra_mps2.x = cairn_random_between(random, -50, 50); break;
    }
}

static void run_shaken(const cairn_body_description *description)
{
    cairn_random random;
    cairn_random_init(&random, SEED, "shake");
    rig bench;
    rig_init(&bench, description);
    step_count = call_count = 0;
    for (int i = 0; i < 4000; i++) {
        if (i % 8 == 0) { shake(&bench, &random); }
        rig_step(&bench);
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) { // false for NaN
            assert_true(fabs(bench.target.torque_nm[wheel]) <= description->wheels.torque_nm_max);
        }
        if (i % 1000 == 999) { rig_restart(&bench); }
    }
    rig_finish(&bench);
    if (call_count > 0) { fail_msg("%u calls, the last of %s (seed %d)", call_count, last_call, SEED); }
    assert_true(step_count >= 4000);
}

// With encoders and without: those are driven by other loops (robot/reflex/unseen.h).
static void a_step_calls_nothing_but_arithmetic(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    run_shaken(&description);
    description.encoders.offered = false;
    description.limits.speed_mps_max = CAIRN_UNSEEN_MPS_MAX;
    description.imu.turn_noise_radps = description.imu.accel_noise_mps2 = 1e-3;
    run_shaken(&description);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_in_a_step_would_be_seen),
        cmocka_unit_test(a_step_calls_nothing_but_arithmetic),
    };
    return cmocka_run_group_tests_name("reflex_alone", tests, NULL, NULL);
}
