// map.h - the parts of `cairn map`, each a subcommand of its own.
#pragma once

int cairn_map_info_run(int argc, char **argv);
int cairn_map_convert_run(int argc, char **argv);
int cairn_map_render_run(int argc, char **argv);
int cairn_map_compare_run(int argc, char **argv);
int cairn_map_encode_run(int argc, char **argv);
int cairn_map_decode_run(int argc, char **argv); // encode.c
