// The clocks of this machine: what they tick by, and whether they agree with the world's.
#include "commands/doctor/doctor.h"
#include <string.h>
#include <sys/timex.h>
#include <time.h>

static void look_at_source(cairn_examination *examination)
{
    char source[64] = "not told";
    cairn_first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source);
    cairn_finding *finding = cairn_find(examination, "clock source", "%s", source);
    if (strcmp(source, "acpi_pm") == 0 || strcmp(source, "hpet") == 0 || strcmp(source, "jiffies") == 0) {
        cairn_advise(finding, CAIRN_NOTE,
                     "slow or coarse to read; add `clocksource=tsc tsc=reliable` to GRUB_CMDLINE_LINUX in "
                     "/etc/default/grub, then `update-grub` and restart");
    }
}

static void look_at_resolution(cairn_examination *examination)
{
    struct timespec resolution;
    if (clock_getres(CLOCK_MONOTONIC, &resolution) != 0) { return; }
    const bool coarse = resolution.tv_sec > 0 || resolution.tv_nsec > 1000;
    cairn_finding *finding = cairn_find(examination, "timer", "resolution %ld ns", resolution.tv_nsec);
    if (coarse) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT),
                     "timers wait for the tick: use a kernel with CONFIG_HIGH_RES_TIMERS=y, without `highres=off`");
    }
}

// Missions have a clock of their own, from the radio. This one dates files and events for people.
static void look_at_agreement(cairn_examination *examination)
{
    struct timex state = {0};
    const bool agrees = adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
    cairn_finding *finding =
        cairn_find(examination, "date and time", agrees ? "synchronised" : "not synchronised with any other clock");
    if (!agrees) {
        cairn_advise(finding, CAIRN_NOTE,
                     "only dates in file names and journals suffer; `timedatectl set-ntp true`, or set it by hand: "
                     "`timedatectl set-time '2026-01-31 12:00:00'`");
    }
}

void cairn_examine_clocks(cairn_examination *examination)
{
    look_at_source(examination);
    look_at_resolution(examination);
    look_at_agreement(examination);
}
