// geometry.h - vectors, poses in 2D and 3D, rays.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "geometry/pose2.h"
#include "geometry/pose3.h"
#include "geometry/rays.h"
#include "geometry/vec.h"
#ifdef __cplusplus
}
#endif
