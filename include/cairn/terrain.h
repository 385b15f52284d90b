// terrain.h - from points in space to ground that can be driven on, and how a robot would stand there.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "terrain/collapse.h"
#include "terrain/ground_model.h"
#include "terrain/heights.h"
#include "terrain/negative.h"
#include "terrain/stability.h"
#include "terrain/terrain.h"
#include "terrain/up_detector.h"
#ifdef __cplusplus
}
#endif
