// Processors, memory and kernel.
#include "base/dispatch.h"
#include "commands/doctor/doctor.h"
#include "sim/physics/physics.h"
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static void look_at_processors(cairn_examination *examination)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    cairn_finding *finding = cairn_find(examination, "processors", "%ld online", count);
    if (count < 2) { cairn_advise(finding, CAIRN_NOTE, "one processor runs everything, only later: give it a second"); }

    const char *wish = getenv("CAIRN_ISA");
    finding = cairn_find(examination, "instructions", "kernels for %s", cairn_isa_name(cairn_isa_best()));
    if (wish != NULL) { cairn_advise(finding, CAIRN_NOTE, "CAIRN_ISA=%.32s rules: unset it for the fastest", wish); }

    // A processor that sleeps deeply or runs slowly wakes late.
    char governor[64];
    if (!cairn_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor)) {
        cairn_find(examination, "frequency", "not ruled by this kernel");
        return;
    }
    finding = cairn_find(examination, "frequency", "governor %s", governor);
    if (strcmp(governor, "performance") != 0) {
        cairn_advise(finding, CAIRN_NOTE,
                     "on a robot: `cpupower frequency-set -g performance` (package linux-cpupower), at each boot");
    }
}

static void look_at_memory(cairn_examination *examination)
{
    const double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    cairn_finding *finding = cairn_find(examination, "memory", "%.1f GiB", gib);
    if (gib < 0.5) {
        cairn_advise(finding, CAIRN_PROBLEM, "a station takes 0.3 GiB, a robot 0.4 GiB: use a larger machine");
    } else if (gib < 2) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_SIM),
                     "2 GiB or more for the simulator with several robots");
    }
}

static void look_at_kernel(cairn_examination *examination)
{
    struct utsname name;
    char line[8] = "";
    if (uname(&name) != 0) { return; }
    const bool preemptible = strstr(name.version, "PREEMPT_RT") != NULL ||
                             (cairn_first_line("/sys/kernel/realtime", line, sizeof line) && line[0] == '1');
    cairn_finding *finding = cairn_find(examination, "kernel", "%s %s, %s", name.sysname, name.release,
                                        preemptible ? "PREEMPT_RT" : "not PREEMPT_RT");
    if (!preemptible && (examination->roles & CAIRN_FOR_ROBOT) != 0) {
        cairn_advise(finding, CAIRN_NOTE,
                     "wake-ups have no bound under load; Debian has one with: `apt install linux-image-rt-%s`",
                     strcmp(name.machine, "aarch64") == 0 ? "arm64" : "amd64");
    }

    // Reflex gives up all system calls but clock and sleep; the kernel must be able to hold it to that.
    const uint32_t action = SECCOMP_RET_KILL_PROCESS;
    const bool seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    finding = cairn_find(examination, "seccomp", seccomp ? "filters are there" : "no filters");
    if (!seccomp) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT),
                     "reflex cannot be shut in: use a kernel with CONFIG_SECCOMP_FILTER=y");
    }
}

static void look_at_physics(cairn_examination *examination)
{
    const bool has = cairn_physics_find("mujoco") != NULL;
#ifdef CAIRN_HAS_EMBREE
    const bool has_rays = true;
#else
    const bool has_rays = false;
#endif
    cairn_finding *finding =
        cairn_find(examination, "physics", "planar%s%s", has ? ", mujoco" : "", has && has_rays ? " with Embree" : "");
    if (!has || !has_rays) {
        cairn_advise(finding, CAIRN_NOTE,
                     "for contacts and ramps install libmujoco-dev and libembree-dev, build again");
    }
}

void cairn_examine_machine(cairn_examination *examination)
{
    look_at_processors(examination);
    look_at_memory(examination);
    look_at_kernel(examination);
    look_at_physics(examination);
}
