// both_physics.h - the names of the physics that this build has, for tests that go through all of them.
#pragma once

static const char *const physics[] = {
    "planar",
#if defined(CAIRN_HAS_MUJOCO) && defined(CAIRN_HAS_EMBREE)
    "mujoco",
#endif
};
#define PHYSICS (sizeof physics / sizeof physics[0])
