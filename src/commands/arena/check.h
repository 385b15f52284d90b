// check.h - `cairn arena check`: what is wrong with arenas, what can be reached in them, and how hard they are.
#pragma once

int cairn_arena_check_run(int argc, char **argv);
