// matching.h - where a scan was taken, from the map.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "matching/gradient.h"
#include "matching/level.h"
#include "matching/match.h"
#ifdef __cplusplus
}
#endif
