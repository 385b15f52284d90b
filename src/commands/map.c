// cairn map - looks at maps in files, converts, draws and compares them.
#include "commands/map/map.h"
#include "commands/command.h"
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: cairn map info MAP... [options]\n"
    "       cairn map convert MAP -o OUT [options]\n"
    "       cairn map render MAP -o OUT [options]\n"
    "       cairn map compare TRUTH MAP [options]\n"
    "       cairn map encode IN.pbm -o OUT [options]\n"
    "       cairn map decode IN -o OUT.pbm [options]\n"
    "\n"
    "Maps in files: tells what is in them, converts and draws them, and says how well two of them agree. A map is\n"
    "a GeoTIFF (.tif), a ROS map (.yaml with its PGM or PNG picture), such a picture alone (.pgm, .png), or a\n"
    "Cairn map (.cairnmap). docs/maps.md tells what each can hold. `cairn map info --help` and so on tell more.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map info out/maze-1/map.tif\n"
    "          cairn map convert out/maze-1/map.tif -o maze.yaml\n"
    "          cairn map render out/maze-1/map.tif -o maze.png\n"
    "          cairn map compare building.yaml out/office-1/map.tif --align 1\n";

int cairn_map_run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {
        {"info", cairn_map_info_run},       {"convert", cairn_map_convert_run}, {"render", cairn_map_render_run},
        {"compare", cairn_map_compare_run}, {"encode", cairn_map_encode_run},   {"decode", cairn_map_decode_run},
    };
    if (argc < 2) {
        return cairn_usage_error("cairn map", "expected info, convert, render, compare, encode or decode");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) { return subcommands[i].run(argc - 1, argv + 1); }
    }
    return cairn_usage_error("cairn map", "there is no '%s'; expected info, convert, render, compare, encode or decode",
                             argv[1]);
}
