// radio_picture.h - where the radio gets through: the plan of an arena, coloured by the margin of a datagram from an
// antenna to each place.
#pragma once
#include "sim/medium/medium.h"
#include "sim/picture/picture.h"

typedef struct cairn_radio_picture_def {
    cairn_medium_def medium; // arena, radio, path, seed and robot_count count
    cairn_vec2 from_m;       // where the antenna stands
    const char *from_name;   // "station"
    double scale_px_per_m;
} cairn_radio_picture_def;

typedef struct cairn_radio_picture_info {
    double covered; // [-] part of the floor where at most a tenth of all datagrams of 100 bytes is lost to noise
} cairn_radio_picture_info;

// How large the picture will be.
void cairn_radio_picture_size(const cairn_radio_picture_def *def, uint32_t *ret_width_px, uint32_t *ret_height_px);

// Draws it in `memory`. CAIRN_ERR_TOO_LARGE beyond CAIRN_PICTURE_SIDE_PX_MAX; CAIRN_ERR_FULL if memory is too small: it
// needs three bytes for each pixel and 1 MiB. Silences and the radio's `loss` do not show; zones do.
CAIRN_CHECKED cairn_err cairn_radio_picture_draw(const cairn_radio_picture_def *def, cairn_arena *memory,
                                                 cairn_picture *ret_picture, cairn_radio_picture_info *ret_info);
