// geometry.h - vectors, poses in 2D and 3D, rays.
#pragma once
#include "geometry/pose2.h"
#include "geometry/pose3.h"
#include "geometry/rays.h"
#include "geometry/vec.h"
