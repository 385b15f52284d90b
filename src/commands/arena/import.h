// import.h - cairn arena import.
#pragma once

// argv[0] is "import".
int cairn_arena_import_run(int argc, char **argv);
