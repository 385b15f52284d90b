// raf_things.h - what stands in a NIST arena: barrels, shelves and people.
//
// A box with a victim stands in its cell before a wall, its open side to it, and robots look into it through the hole
// of the wall that its mount point names.
#pragma once
#include "sim/arena/import/raf_elements.h"
#include "sim/arena/import/sources.h"

// Each goes into the draft, in the file's frame. What finds no room is left out.
// Half a barrel, in its cell before the wall; of two, one on the other.
void cairn_raf_add_barrel(const cairn_raf_element *of, bool high, cairn_draft *draft);
// Two boards, one above the other, for things to grip.
void cairn_raf_add_storage(const cairn_raf_element *of, cairn_draft *draft);
void cairn_raf_add_victim(const cairn_raf_elements *in, const cairn_raf_element *of, cairn_raf *raf);
