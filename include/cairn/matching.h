// matching.h - where a scan was taken, from a map or from other scans.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "matching/correlative.h"
#include "matching/gradient.h"
#include "matching/level.h"
#include "matching/match.h"
#include "matching/mbicp.h"
#include "matching/pyramid.h"
#ifdef __cplusplus
}
#endif
