#include "base/dispatch.h"
#include "commands/command.h"
#include "sim/physics/physics.h"
#include <stdio.h>

static const char usage[] = "usage: cairn version\n\n"
                            "Tells the version, the compiler and the parts that this program was built with.\n"
                            "Exit status: 0 done, 2 wrong usage.\n\n"
                            "Example: cairn version\n";

int cairn_version_run(int argc, char **argv)
{
    const char *words[1];
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read("cairn version", usage, argc, argv, NULL, 0, words, 0, &word_count, &status)) {
        return status;
    }
    printf("cairn %s\n", CAIRN_VERSION);
    printf("  compiler   %s\n", __VERSION__);
    printf("  kernels    %s\n", cairn_isa_name(cairn_isa_best()));
    printf("  physics    planar%s\n", cairn_physics_find("mujoco") != NULL ? ", mujoco" : "");
    return CAIRN_EXIT_DONE;
}
