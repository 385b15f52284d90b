// map.h - `cairn arena map`: the map that a team should make of an arena.
#pragma once

int cairn_arena_map_run(int argc, char **argv);
