// cairn doctor - is this machine fit: each check with what to do.
#include "base/dispatch.h"
#include "base/executor.h"
#include "commands/command.h"
#include "sim/physics/physics.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char usage[] =
    "usage: cairn doctor\n\n"
    "Checks what this machine offers to Cairn, and says what to do where something is missing.\n"
    "Exit status: 0 fit, 1 something must be mended, 2 wrong usage.\n\n"
    "Example: cairn doctor\n";

typedef enum verdict { FINE, ADVICE, TROUBLE } verdict;

static verdict say(verdict how, const char *what, const char *found, const char *to_do)
{
    static const char *const marks[] = {[FINE] = "ok  ", [ADVICE] = "note", [TROUBLE] = "BAD "};
    printf("%s  %-16s %s\n", marks[how], what, found);
    if (how != FINE) { printf("      %-16s -> %s\n", "", to_do); }
    return how;
}

static verdict check_processors(void)
{
    char found[64];
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(found, sizeof found, "%ld online, kernels for %s", count, cairn_isa_name(cairn_isa_best()));
    return say(count >= 2 ? FINE : ADVICE, "processors", found, "one processor runs everything, only slower");
}

static verdict check_memory(void)
{
    char found[64];
    const double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    snprintf(found, sizeof found, "%.1f GiB", gib);
    return say(gib >= 2 ? FINE : ADVICE, "memory", found, "2 GiB or more for the simulator with several robots");
}

static void do_nothing(void *state, cairn_mono now)
{
    (void)state;
    (void)now;
}

// Asks the realtime executor itself: what it gets, a robot gets.
static verdict check_realtime(void)
{
    cairn_executor *executor = NULL;
    if (cairn_executor_create_realtime(&executor) != CAIRN_OK) {
        return say(TROUBLE, "real time", "no thread can be started", "free some memory or raise `ulimit -u`");
    }
    const uint32_t lane = cairn_executor_add_lane(executor, "doctor", 0);
    const cairn_task_def task = {
        .name = "doctor", .lane = lane, .period_ns = CAIRN_MS(8), .priority = 80, .step = do_nothing};
    const uint32_t id = cairn_executor_add_task(executor, &task);
    cairn_executor_run(executor, (cairn_mono){CAIRN_S(1)});
    static cairn_complaints why; // large
    const bool granted = cairn_executor_is_realtime(executor, &why);
    const cairn_task_info info = cairn_executor_task_info(executor, id);
    cairn_executor_destroy(executor);
    char found[160];
    snprintf(found, sizeof found, "%s; 125 Hz for 1 s: latest %.2f ms late, %llu periods missed",
             granted ? "SCHED_FIFO and locked memory granted" : "not granted", (double)info.late_ns_max * 1e-6,
             (unsigned long long)info.skipped_count);
    return say(granted ? FINE : ADVICE, "real time", found,
               "on a robot give the user `rtprio 80` and `memlock unlimited` in /etc/security/limits.d/cairn.conf");
}

static verdict check_locked_memory(void)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    char found[64];
    const bool endless = limit.rlim_cur == RLIM_INFINITY;
    snprintf(found, sizeof found, endless ? "unlimited" : "%llu kB", (unsigned long long)limit.rlim_cur / 1024);
    return say(endless || limit.rlim_cur >= 64u << 20 ? FINE : ADVICE, "locked memory", found,
               "`memlock unlimited` in /etc/security/limits.d/cairn.conf, for robots only");
}

static verdict check_clock(void)
{
    char source[64] = "unknown";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file != NULL) {
        if (fgets(source, sizeof source, file) != NULL) { source[strcspn(source, "\n")] = '\0'; }
        fclose(file);
    }
    const bool slow = strcmp(source, "acpi_pm") == 0 || strcmp(source, "hpet") == 0;
    return say(slow ? ADVICE : FINE, "clock source", source, "this one is slow to read; try `clocksource=tsc` at boot");
}

static verdict check_disk(void)
{
    struct statvfs disk;
    if (statvfs(".", &disk) != 0) { return say(ADVICE, "disk", "cannot be asked", "start from a folder that exists"); }
    const double gib = (double)disk.f_bavail * (double)disk.f_frsize / (1 << 30);
    char found[64];
    snprintf(found, sizeof found, "%.1f GiB free here", gib);
    return say(gib >= 1 ? FINE : TROUBLE, "disk", found,
               "a mission's journal takes tens of megabytes: free some space");
}

static verdict check_physics(void)
{
    const bool has = cairn_physics_find("mujoco") != NULL;
#ifdef CAIRN_HAS_EMBREE
    const bool has_rays = true;
#else
    const bool has_rays = false;
#endif
    const char *found = !has       ? "planar only"
                        : has_rays ? "planar, mujoco with Embree"
                                   : "planar, mujoco without Embree";
    return say(has && has_rays ? FINE : ADVICE, "physics", found,
               "install libmujoco-dev and libembree-dev and build again for contacts and terrain");
}

int cairn_doctor_run(int argc, char **argv)
{
    const char *words[1];
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read("cairn doctor", usage, argc, argv, NULL, 0, words, 0, &word_count, &status)) {
        return status;
    }
    verdict (*const checks[])(void) = {check_processors, check_memory, check_realtime, check_locked_memory,
                                       check_clock,      check_disk,   check_physics};
    verdict worst = FINE;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const verdict one = checks[i]();
        if (one > worst) { worst = one; }
    }
    printf("%s\n", worst == TROUBLE ? "Something must be mended first." : "Fit to run simulated missions.");
    return worst == TROUBLE ? CAIRN_EXIT_FAILED : CAIRN_EXIT_DONE;
}
