// new.h - `cairn arena new`: arenas made by chance.
#pragma once

int cairn_arena_new_run(int argc, char **argv);
