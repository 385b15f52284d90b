// arena_radio.h - `cairn arena render --radio`: where the radio gets through.
#pragma once
#include "sim/arena/arena.h"

typedef struct cairn_arena_radio_options {
    const char *from; // "X,Y", the same as from_m; NULL: from where the station's antenna stands
    cairn_vec2 from_m;
    const char *mission; // whose radio; NULL: the default one
    uint64_t seed;       // of good and bad places
    double scale_px_per_m;
    const char *out; // the PNG file
} cairn_arena_radio_options;

// Whether the text is two numbers with a comma in between; they go to *ret_at_m.
bool cairn_arena_radio_place(const char *text, cairn_vec2 *ret_at_m);

// Draws and writes the picture, and says so. Reasons for failure are in *complaints.
CAIRN_CHECKED cairn_err cairn_arena_radio_render(const cairn_sim_arena *arena, const cairn_arena_radio_options *options,
                                                 cairn_complaints *complaints);
