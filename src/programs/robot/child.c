#include "programs/robot/child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EARLY_NS CAIRN_S(10) // who dies sooner after the start will probably do so again
#define PAUSE_NS CAIRN_MS(250)
#define PAUSE_NS_MAX CAIRN_S(8)
// Until it has shown its first sign of life: reading files and taking memory on a busy machine.
#define START_NS CAIRN_S(10)

// In the new process. It has a group of its own, so that a Ctrl-C at the terminal reaches the supervisor alone.
static _Noreturn void become(const cairn_child *child, char *const argv[], pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (child->held_file > 0) { fcntl(child->held_file, F_SETFD, 0); }
    if (getppid() == parent) { execv(argv[0], argv); }
    _exit(127);
}

bool cairn_child_start(cairn_child *child, char *const argv[], const cairn_log *log, cairn_mono now,
                       cairn_mono machine_now)
{
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) { become(child, argv, parent); }
    child->started = machine_now;
    if (pid < 0) {
        cairn_log_line(log, now, CAIRN_LOG_ERROR, "%s cannot be started: %s", child->name, strerror(errno));
        child->start_after = cairn_mono_add(machine_now, PAUSE_NS_MAX);
        return false;
    }
    child->pid = pid;
    child->start_count++;
    for (uint32_t i = 0; i < child->life_count; i++) {
        child->lives[i].grew = cairn_mono_add(now, START_NS - child->lives[i].hung_ns);
    }
    return true;
}

static int64_t pause_ns(const cairn_child *child)
{
    if (child->early_count == 0) { return 0; }
    const uint32_t doubled = child->early_count < 6 ? child->early_count - 1 : 5;
    const int64_t pause = PAUSE_NS << doubled;
    return pause < PAUSE_NS_MAX ? pause : PAUSE_NS_MAX;
}

static void tell_end(const cairn_child *child, int status, const cairn_log *log, cairn_mono now)
{
    if (WIFSIGNALED(status)) {
        cairn_log_line(log, now, CAIRN_LOG_ERROR, "%s was ended by signal %d (%s)", child->name, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    } else {
        cairn_log_line(log, now, CAIRN_LOG_ERROR, "%s has ended with status %d", child->name, WEXITSTATUS(status));
    }
}

bool cairn_child_has_ended(cairn_child *child, const cairn_log *log, cairn_mono now, cairn_mono machine_now)
{
    int status = 0;
    if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid) { return false; }
    tell_end(child, status, log, now);
    child->pid = 0;
    const bool early = cairn_mono_since(machine_now, child->started) < EARLY_NS;
    child->early_count = early ? child->early_count + 1 : 0;
    child->start_after = cairn_mono_add(machine_now, pause_ns(child));
    return true;
}

void cairn_child_watch(cairn_child *child, const uint64_t *versions, const cairn_log *log, cairn_mono now)
{
    if (child->pid == 0) { return; }
    for (uint32_t i = 0; i < child->life_count; i++) {
        cairn_child_life *life = &child->lives[i];
        if (versions[i] != life->version) {
            life->version = versions[i];
            life->grew = now;
        }
        if (cairn_mono_since(now, life->grew) <= life->hung_ns) { continue; }
        cairn_log_line(log, now, CAIRN_LOG_ERROR, "%s hangs: it is ended, and started again", child->name);
        cairn_child_end(child, SIGKILL);
        life->grew = now; // it is gone in a moment
        return;
    }
}

void cairn_child_forgive(cairn_child *child, cairn_mono now)
{
    for (uint32_t i = 0; i < child->life_count; i++) {
        if (child->lives[i].grew.ns < now.ns) { child->lives[i].grew = now; }
    }
}

void cairn_child_end(cairn_child *child, int signal_number)
{
    if (child->pid != 0) { kill(child->pid, signal_number); }
}
