// replay_main.c - `cairn replay` on its own, so that the journal's tests need no other command.
#include "commands/command.h"

int main(int argc, char **argv) { return cairn_replay_run(argc, argv); }
