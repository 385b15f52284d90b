// matching.h - where a scan was taken, from the map.
#pragma once
#include "matching/gradient.h"
