// picture.h - a small canvas to draw maps and arenas on, and its PNG file.
//
// Frame    Pixels: x to the right, y down, (0,0) the upper left corner of the upper left pixel. Places are real
//          numbers; edges are smoothed. What lies outside the canvas is cut off.
// Memory   The pixels lie in the arena given to create.
// Threads  One owner.
// The same calls give the same bytes, also in the file (same libpng and zlib).
#pragma once
#include "base/memory.h"
#include "geometry/vec.h"

#define CAIRN_PICTURE_SIDE_PX_MAX 16384u
#define CAIRN_PICTURE_LETTER_COLUMNS 5
#define CAIRN_PICTURE_LETTER_ROWS 9

// A colour and how much it covers: 255 wholly, 0 not at all.
typedef struct cairn_ink {
    uint8_t red, green, blue, cover;
} cairn_ink;

typedef struct cairn_picture {
    uint32_t width_px, height_px;
    uint8_t *rgb; // row by row from the top
} cairn_picture;

// A canvas of one colour. CAIRN_ERR_TOO_LARGE beyond CAIRN_PICTURE_SIDE_PX_MAX, CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_picture_create(uint32_t width_px, uint32_t height_px, cairn_ink ground,
                                             cairn_arena *arena, cairn_picture *ret_picture);

void cairn_picture_fill(cairn_picture *picture, cairn_ink ink);
void cairn_picture_pixel(cairn_picture *picture, int64_t x, int64_t y, cairn_ink ink);
// Upright, between two opposite corners.
void cairn_picture_rectangle(cairn_picture *picture, cairn_vec2 from_px, cairn_vec2 to_px, cairn_ink ink);
// Round ends; width 1 or more.
void cairn_picture_line(cairn_picture *picture, cairn_vec2 from_px, cairn_vec2 to_px, double width_px, cairn_ink ink);
void cairn_picture_disc(cairn_picture *picture, cairn_vec2 middle_px, double radius_px, cairn_ink ink);
// Any polygon; where it crosses itself, even parts are outside.
void cairn_picture_polygon(cairn_picture *picture, const cairn_vec2 *corners_px, uint32_t corner_count, cairn_ink ink);

// One line of text with its upper left corner at at_px, in dots of `dot_px` pixels: a letter is 5 x 7 dots (9 with
// what hangs below the line) and takes 6. Other than ASCII becomes '?'.
void cairn_picture_text(cairn_picture *picture, cairn_vec2 at_px, uint32_t dot_px, cairn_ink ink, const char *text);
double cairn_picture_text_width_px(uint32_t dot_px, const char *text);

// Writes an 8-bit RGB PNG file, whole or not at all. CAIRN_ERR_IO with the reason in *complaints.
CAIRN_CHECKED cairn_err cairn_picture_write_png(const cairn_picture *picture, const char *path,
                                                cairn_complaints *complaints);

// The dots of the letters from space (32) to tilde (126).
extern const uint8_t cairn_picture_letters[95][CAIRN_PICTURE_LETTER_ROWS];
