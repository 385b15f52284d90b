// The handler only counts: a team that runs is asked to stop by the first signal, the third ends the program.
#include "commands/interrupts.h"
#include <signal.h>
#include <stdatomic.h>

// A handler can be given nothing, so what it stops is known to the file.
static _Atomic(cairn_team *) running;
static atomic_int count;

static void stop_running(int signal_number)
{
    cairn_team *team = atomic_load(&running);
    if (team != NULL) { cairn_team_ask_stop(team); }
    if (atomic_fetch_add(&count, 1) == 1) { signal(signal_number, SIG_DFL); }
}

void cairn_interrupts_listen(void)
{
    const struct sigaction action = {.sa_handler = stop_running};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) { sigaction(SIGHUP, &action, NULL); }
}

void cairn_interrupts_watch(cairn_team *team)
{
    atomic_store(&running, team);
    if (team != NULL && cairn_interrupts_came()) { cairn_team_ask_stop(team); }
}

bool cairn_interrupts_came(void) { return atomic_load(&count) > 0; }
