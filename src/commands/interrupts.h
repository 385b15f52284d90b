// interrupts.h - Ctrl-C, a closed terminal and SIGTERM end a mission early, and leave its results.
//
// The first asks the team to stop. Launchers often pass the same Ctrl-C on a second time; the third, should ending
// hang, ends the program. One team at a time.
#pragma once
#include "sim/mission/team.h"

// From now on signals are counted and end nothing but a team's run. A SIGHUP that is ignored (nohup) stays so.
void cairn_interrupts_listen(void);
// They end this team's run, also one that came before; NULL: nobody's.
void cairn_interrupts_watch(cairn_team *team); // borrowed until the next call
bool cairn_interrupts_came(void);
