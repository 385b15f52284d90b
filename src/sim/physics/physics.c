#include "sim/physics/physics.h"
#include <string.h>

static const cairn_physics_kind *const kinds[] = {
    &cairn_physics_planar,
#ifdef CAIRN_HAS_MUJOCO
    &cairn_physics_mujoco,
#endif
};

const cairn_physics_kind *cairn_physics_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i]->name, name) == 0) { return kinds[i]; }
    }
    return NULL;
}
