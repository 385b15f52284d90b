// cairn version - what this program is, what it was built with, and the version of all that it keeps or sends.
#include "base/dispatch.h"
#include "commands/command.h"
#include "commands/formats.h"
#include "sim/physics/physics.h"
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: cairn version [--json]\n\n"
    "Tells the version, the compiler and the parts that this program was built with, and the\n"
    "version of everything that it keeps or sends. docs/VERSIONS.md tells what happens when two\n"
    "programs differ there.\n\n"
    "  --json    one JSON object\n\n"
    "Exit status: 0 done, 2 wrong usage.\n\n"
    "Example: cairn version\n";

static const char *physics(void) { return cairn_physics_find("mujoco") != NULL ? "planar, mujoco" : "planar"; }

static void print_words(void)
{
    printf("cairn %s\n", CAIRN_VERSION);
    printf("  compiler   %s\n", __VERSION__);
    printf("  kernels    %s\n", cairn_isa_name(cairn_isa_best()));
    printf("  physics    %s\n", physics());
    printf("  sqlite     %s\n", sqlite3_libversion());
    printf("formats\n");
    for (size_t i = 0; i < CAIRN_FORMAT_COUNT; i++) {
        printf("  %-10s %2u  %s\n", cairn_formats[i].name, cairn_formats[i].version, cairn_formats[i].what);
    }
}

static void print_json(void)
{
    json_t *formats = json_object();
    for (size_t i = 0; i < CAIRN_FORMAT_COUNT; i++) {
        json_object_set_new(formats, cairn_formats[i].name, json_integer(cairn_formats[i].version));
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "cairn", CAIRN_VERSION, "compiler", __VERSION__,
                            "kernels", cairn_isa_name(cairn_isa_best()), "physics", physics(), "sqlite",
                            sqlite3_libversion(), "formats", formats);
    char *text = json_dumps(all, JSON_INDENT(2));
    json_decref(all);
    if (text != NULL) { puts(text); }
    free(text);
}

int cairn_version_run(int argc, char **argv)
{
    bool json = false;
    const cairn_option known[] = {{"json", CAIRN_OPTION_FLAG, &json, 0, 0}};
    const char *words[1];
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read("cairn version", usage, argc, argv, known, 1, words, 0, &word_count, &status)) {
        return status;
    }
    json ? print_json() : print_words();
    return CAIRN_EXIT_DONE;
}
