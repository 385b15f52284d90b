// cairn-reflex - T0 of one robot as a process of its own: sensors and orders in mapped memory, wheels out, 125 Hz.
//
//     cairn-reflex SETUP
//
// `cairn robot` starts it, watches it and starts it again. Nothing here but libc and our own code; after start one
// thread that reads cells, computes, writes cells and sleeps, in a jail that ends it at any other system call. When it
// dies or hangs, the base's own watchdog stops the wheels.
#include "base/ruled_clock.h"
#include "ports/shared_memory.h"
#include "programs/robot/reflex_jail.h"
#include "programs/robot/reflex_setup.h"
#include "robot/reflex/reflex.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define MEMORY_BYTES (1u << 20)
#define STACK_BYTES (64u << 10) // touched before the start, so that no page is missing later

typedef struct reflex_process {
    cairn_reflex_setup setup;
    cairn_arena memory;
    cairn_body body;
    cairn_reflex_cells cells;
    cairn_reflex *reflex;
    cairn_ruled_clock ruled;
    cairn_time time;
} reflex_process;

static cairn_err read_setup(const char *path, cairn_complaints *complaints, cairn_reflex_setup *ret_setup)
{
    FILE *file = fopen(path, "rb");
    const size_t read = file != NULL ? fread(ret_setup, 1, sizeof *ret_setup, file) : 0;
    if (file != NULL) { (void)fclose(file); }
    if (read < sizeof ret_setup->version) {
        cairn_complain(complaints, path, 0, "cannot be read: `cairn robot` writes it, and starts this program");
        return CAIRN_ERR_CORRUPT;
    }
    if (ret_setup->version != CAIRN_REFLEX_SETUP_VERSION || ret_setup->size_bytes != sizeof *ret_setup ||
        read < sizeof *ret_setup) {
        cairn_complain(complaints, path, 0,
                       "is a setup of version %u, and this cairn-reflex is of another build (it knows version %d): "
                       "install cairn and cairn-reflex together",
                       ret_setup->version, CAIRN_REFLEX_SETUP_VERSION);
        return CAIRN_ERR_UNSUPPORTED;
    }
    return CAIRN_OK;
}

static cairn_err map(const cairn_mapped_cells *cells, bool writable, cairn_complaints *complaints, void **ret_cells)
{
    cairn_shared_memory memory;
    const cairn_err err = cairn_shared_memory_open(cells->path, cells->file_bytes, writable, complaints, &memory);
    if (err == CAIRN_ERR_EMPTY) { cairn_complain(complaints, cells->path, 0, "is not there"); }
    if (err == CAIRN_OK) { *ret_cells = (uint8_t *)memory.bytes + cells->cells_at; }
    return err;
}

// Whatever started it, and with whatever state: no two reflexes drive one robot. Given back by the system at the end.
static cairn_err claim_wheels(const cairn_mapped_cells *motors, cairn_complaints *complaints)
{
    const int file = open(motors->path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) { return CAIRN_OK; }
    if (file >= 0 && errno == EWOULDBLOCK) {
        cairn_complain(complaints, motors->path, 0, "another reflex drives these wheels; end that `cairn robot` first");
        return CAIRN_ERR_INVALID;
    }
    cairn_complain(complaints, motors->path, 0, "cannot be locked: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

static cairn_err map_time(reflex_process *process, cairn_complaints *complaints)
{
    process->time = cairn_time_of_machine();
    if (process->setup.clock.path[0] == '\0') { return CAIRN_OK; }
    void *memory = NULL;
    const cairn_err err = map(&process->setup.clock, false, complaints, &memory);
    if (err != CAIRN_OK) { return err; }
    cairn_ruled_clock_init(&process->ruled, memory);
    process->time = cairn_ruled_time(&process->ruled);
    return CAIRN_OK;
}

static cairn_err create(reflex_process *process, cairn_complaints *complaints)
{
    const cairn_reflex_setup *setup = &process->setup;
    cairn_body_memory body = {0};
    cairn_reflex_memory shared = {0};
    cairn_err err = cairn_arena_create(&process->memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = claim_wheels(&setup->motors, complaints); }
    if (err == CAIRN_OK) { err = map(&setup->sensors, false, complaints, &body.sensors); }
    if (err == CAIRN_OK) { err = map(&setup->motors, true, complaints, &body.motors); }
    if (err == CAIRN_OK) { err = map(&setup->to_reflex, false, complaints, &shared.to_reflex); }
    if (err == CAIRN_OK) { err = map(&setup->from_reflex, true, complaints, &shared.from_reflex); }
    if (err == CAIRN_OK) { err = map_time(process, complaints); }
    if (err == CAIRN_OK) { err = cairn_body_attach(&setup->description, body, &process->memory, &process->body); }
    if (err == CAIRN_OK) { err = cairn_reflex_cells_attach(shared, &process->memory, &process->cells); }
    if (err == CAIRN_OK) {
        err = cairn_reflex_create(&process->body, &process->cells, &process->memory, &process->reflex);
    }
    CAIRN_ASSERT(err != CAIRN_OK || cairn_reflex_switched_off(process->reflex) == 0);
    cairn_arena_seal(&process->memory);
    return err;
}

static void touch_stack(void)
{
    volatile uint8_t stack[STACK_BYTES];
    for (size_t i = 0; i < sizeof stack; i += 1024) { stack[i] = 0; }
}

// What is refused is said once, and reflex runs all the same: late now and then, rather than not at all.
static void become_realtime(const cairn_reflex_setup *setup)
{
    const struct sched_param wanted = {.sched_priority = setup->priority};
    if (setup->priority > 0 && sched_setscheduler(0, SCHED_FIFO, &wanted) != 0) {
        fprintf(stderr, "cairn-reflex: no SCHED_FIFO priority %d (%s); `cairn doctor` says what to do\n",
                setup->priority, strerror(errno));
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fprintf(stderr, "cairn-reflex: memory is not locked (%s); `cairn doctor` says what to do\n", strerror(errno));
    }
    touch_stack();
    fflush(stderr);
}

static _Noreturn void run(const reflex_process *process)
{
    cairn_mono due = process->time.now(process->time.context);
    for (;;) {
        const cairn_mono now = process->time.now(process->time.context);
        if (now.ns < due.ns) {
            process->time.sleep_until(process->time.context, due);
            continue;
        }
        cairn_reflex_step(process->reflex, now);
        due = cairn_mono_add(now, CAIRN_REFLEX_PERIOD_NS - now.ns % CAIRN_REFLEX_PERIOD_NS);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: cairn-reflex SETUP\n\nThe reflex level of one robot; `cairn robot CONFIG` starts it.\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); // once more: the system forgets it where this program has capabilities of its own
    static reflex_process process;
    static cairn_complaints complaints;
    cairn_err err = read_setup(argv[1], &complaints, &process.setup);
    if (err == CAIRN_OK) { err = create(&process, &complaints); }
    if (err != CAIRN_OK) {
        fprintf(stderr, "cairn-reflex: %s\n%s", cairn_err_name(err), complaints.text);
        return 1;
    }
    become_realtime(&process.setup);
    if (!cairn_reflex_jail()) { fputs("cairn-reflex: not jailed: this system or build has no filter\n", stderr); }
    run(&process);
}
