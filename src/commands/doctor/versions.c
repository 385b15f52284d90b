// What this program is, what it speaks, and whose work it stands on.
#include "commands/doctor/doctor.h"
#include "commands/formats.h"
#include <jansson.h>
#include <png.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <yaml.h>
#include <zstd.h>
#ifdef CAIRN_HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif

// "radio 1, page 1, store 1, ..."
static void find_formats(cairn_examination *examination)
{
    char text[sizeof examination->findings[0].found] = "";
    size_t used = 0;
    for (size_t i = 0; i < CAIRN_FORMAT_COUNT && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u", i == 0 ? "" : ", ", cairn_formats[i].name,
                                 cairn_formats[i].version);
    }
    cairn_find(examination, "speaks", "%s", text);
}

void cairn_examine_versions(cairn_examination *examination)
{
    cairn_find(examination, "cairn", "%s, built with %s", CAIRN_VERSION, __VERSION__);
    find_formats(examination);
#ifdef CAIRN_HAS_MUJOCO
    const char *const mujoco = mj_versionString();
#else
    const char *const mujoco = "not built in";
#endif
    cairn_find(examination, "libraries", "sodium %s, sqlite %s, zstd %s, yaml %s, jansson %s, png %s, mujoco %s",
               sodium_version_string(), sqlite3_libversion(), ZSTD_versionString(), yaml_get_version_string(),
               jansson_version_str(), png_get_libpng_ver(NULL), mujoco);
}
