// What this program is, what it speaks, and whose work it stands on.
#include "commands/doctor/doctor.h"
#include "link/link.h"
#include <jansson.h>
#include <png.h>
#include <sodium.h>
#include <yaml.h>
#include <zstd.h>
#ifdef CAIRN_HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif

void cairn_examine_versions(cairn_examination *examination)
{
    cairn_find(examination, "cairn", "%s, built with %s", CAIRN_VERSION, __VERSION__);
    cairn_find(examination, "speaks", "radio packets %d, page cairn.1, journals MCAP", CAIRN_LINK_VERSION);
#ifdef CAIRN_HAS_MUJOCO
    const char *const mujoco = mj_versionString();
#else
    const char *const mujoco = "not built in";
#endif
    cairn_find(examination, "libraries", "sodium %s, zstd %s, yaml %s, jansson %s, png %s, mujoco %s",
               sodium_version_string(), ZSTD_versionString(), yaml_get_version_string(), jansson_version_str(),
               png_get_libpng_ver(NULL), mujoco);
}
