// render.h - `cairn arena render`: pictures of an arena.
#pragma once

int cairn_arena_render_run(int argc, char **argv);
