// Discs and lines are shaded by each pixel's distance to their edge, polygons by 4 x 4 points in each pixel.
#include "sim/picture/picture.h"
#include "maps/files/bytes_io.h"
#include <errno.h>
#include <png.h>
#include <stdio.h>

cairn_err cairn_picture_create(uint32_t width_px, uint32_t height_px, cairn_ink ground, cairn_arena *arena,
                               cairn_picture *ret_picture)
{
    if (width_px == 0 || height_px == 0) { return CAIRN_ERR_EMPTY; }
    if (width_px > CAIRN_PICTURE_SIDE_PX_MAX || height_px > CAIRN_PICTURE_SIDE_PX_MAX) { return CAIRN_ERR_TOO_LARGE; }
    cairn_picture picture = {.width_px = width_px, .height_px = height_px};
    picture.rgb = CAIRN_TAKE(arena, uint8_t, (size_t)3 * width_px * height_px);
    if (picture.rgb == NULL) { return CAIRN_ERR_FULL; }
    cairn_picture_fill(&picture, (cairn_ink){ground.red, ground.green, ground.blue, 255});
    *ret_picture = picture;
    return CAIRN_OK;
}

static uint8_t mix(uint8_t below, uint8_t above, uint32_t cover)
{
    return (uint8_t)((below * (255u - cover) + above * cover + 127u) / 255u);
}

void cairn_picture_pixel(cairn_picture *picture, int64_t x, int64_t y, cairn_ink ink)
{
    if (x < 0 || y < 0 || x >= picture->width_px || y >= picture->height_px) { return; }
    uint8_t *pixel = &picture->rgb[3 * ((size_t)y * picture->width_px + (size_t)x)];
    pixel[0] = mix(pixel[0], ink.red, ink.cover);
    pixel[1] = mix(pixel[1], ink.green, ink.cover);
    pixel[2] = mix(pixel[2], ink.blue, ink.cover);
}

void cairn_picture_fill(cairn_picture *picture, cairn_ink ink)
{
    for (uint32_t y = 0; y < picture->height_px; y++) {
        for (uint32_t x = 0; x < picture->width_px; x++) { cairn_picture_pixel(picture, x, y, ink); }
    }
}

// part: how much of the pixel the shape covers, 0..1.
static void blend(cairn_picture *picture, int64_t x, int64_t y, cairn_ink ink, double part)
{
    if (part <= 0.0) { return; }
    ink.cover = (uint8_t)lround(ink.cover * fmin(part, 1.0));
    cairn_picture_pixel(picture, x, y, ink);
}

typedef struct span {
    int64_t first, end;
} span;

// The pixels between two places on one axis, cut to the canvas.
static span pixels_between(double a, double b, uint32_t count)
{
    const double low = fmax(floor(fmin(a, b)), 0.0), high = fmin(ceil(fmax(a, b)), count);
    return (span){(int64_t)low, high > low ? (int64_t)high : (int64_t)low};
}

// How much of pixel i lies between two places on one axis.
static double part_between(int64_t i, double low, double high)
{
    return fmin(high, (double)i + 1.0) - fmax(low, (double)i);
}

void cairn_picture_rectangle(cairn_picture *picture, cairn_vec2 from_px, cairn_vec2 to_px, cairn_ink ink)
{
    const cairn_vec2 low = {fmin(from_px.x, to_px.x), fmin(from_px.y, to_px.y)};
    const cairn_vec2 high = {fmax(from_px.x, to_px.x), fmax(from_px.y, to_px.y)};
    const span xs = pixels_between(low.x, high.x, picture->width_px);
    const span ys = pixels_between(low.y, high.y, picture->height_px);
    for (int64_t y = ys.first; y < ys.end; y++) {
        for (int64_t x = xs.first; x < xs.end; x++) {
            blend(picture, x, y, ink, part_between(x, low.x, high.x) * part_between(y, low.y, high.y));
        }
    }
}

static double distance_to_segment(cairn_vec2 at, cairn_vec2 from, cairn_vec2 to)
{
    const cairn_vec2 along = cairn_vec2_sub(to, from), out = cairn_vec2_sub(at, from);
    const double square = cairn_vec2_dot(along, along);
    const double part = square > 0.0 ? fmin(fmax(cairn_vec2_dot(out, along) / square, 0.0), 1.0) : 0.0;
    return cairn_vec2_distance(at, cairn_vec2_add(from, cairn_vec2_scale(along, part)));
}

void cairn_picture_line(cairn_picture *picture, cairn_vec2 from_px, cairn_vec2 to_px, double width_px, cairn_ink ink)
{
    CAIRN_ASSERT(width_px >= 1.0);
    const double half = width_px / 2, more = half + 1.0;
    const span xs = pixels_between(fmin(from_px.x, to_px.x) - more, fmax(from_px.x, to_px.x) + more, picture->width_px);
    const span ys =
        pixels_between(fmin(from_px.y, to_px.y) - more, fmax(from_px.y, to_px.y) + more, picture->height_px);
    for (int64_t y = ys.first; y < ys.end; y++) {
        for (int64_t x = xs.first; x < xs.end; x++) {
            const cairn_vec2 middle = {(double)x + 0.5, (double)y + 0.5};
            blend(picture, x, y, ink, half + 0.5 - distance_to_segment(middle, from_px, to_px));
        }
    }
}

void cairn_picture_disc(cairn_picture *picture, cairn_vec2 middle_px, double radius_px, cairn_ink ink)
{
    const double more = radius_px + 1.0;
    const span xs = pixels_between(middle_px.x - more, middle_px.x + more, picture->width_px);
    const span ys = pixels_between(middle_px.y - more, middle_px.y + more, picture->height_px);
    for (int64_t y = ys.first; y < ys.end; y++) {
        for (int64_t x = xs.first; x < xs.end; x++) {
            const cairn_vec2 at = {(double)x + 0.5, (double)y + 0.5};
            blend(picture, x, y, ink, radius_px + 0.5 - cairn_vec2_distance(at, middle_px));
        }
    }
}

// Even-odd rule: a ray to the right crosses an odd number of edges.
static bool inside_polygon(const cairn_vec2 *corners, uint32_t count, cairn_vec2 at)
{
    bool inside = false;
    for (uint32_t i = 0, j = count - 1; i < count; j = i++) {
        const cairn_vec2 a = corners[i], b = corners[j];
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)) { inside = !inside; }
    }
    return inside;
}

static double polygon_part(const cairn_vec2 *corners, uint32_t count, int64_t x, int64_t y)
{
    int hits = 0;
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            const cairn_vec2 at = {(double)x + (column + 0.5) / 4, (double)y + (row + 0.5) / 4};
            hits += inside_polygon(corners, count, at);
        }
    }
    return hits / 16.0;
}

void cairn_picture_polygon(cairn_picture *picture, const cairn_vec2 *corners_px, uint32_t corner_count, cairn_ink ink)
{
    CAIRN_ASSERT(corner_count >= 3);
    cairn_vec2 low = corners_px[0], high = corners_px[0];
    for (uint32_t i = 1; i < corner_count; i++) {
        low = (cairn_vec2){fmin(low.x, corners_px[i].x), fmin(low.y, corners_px[i].y)};
        high = (cairn_vec2){fmax(high.x, corners_px[i].x), fmax(high.y, corners_px[i].y)};
    }
    const span xs = pixels_between(low.x, high.x, picture->width_px);
    const span ys = pixels_between(low.y, high.y, picture->height_px);
    for (int64_t y = ys.first; y < ys.end; y++) {
        for (int64_t x = xs.first; x < xs.end; x++) {
            blend(picture, x, y, ink, polygon_part(corners_px, corner_count, x, y));
        }
    }
}

static void draw_letter(cairn_picture *picture, int64_t left, int64_t top, uint32_t dot_px, cairn_ink ink, char letter)
{
    const int index = letter >= 32 && letter <= 126 ? letter - 32 : '?' - 32;
    for (int64_t y = 0; y < CAIRN_PICTURE_LETTER_ROWS * (int64_t)dot_px; y++) {
        const uint8_t row = cairn_picture_letters[index][y / dot_px];
        for (int64_t x = 0; x < CAIRN_PICTURE_LETTER_COLUMNS * (int64_t)dot_px; x++) {
            if (row >> (CAIRN_PICTURE_LETTER_COLUMNS - 1 - x / dot_px) & 1) {
                cairn_picture_pixel(picture, left + x, top + y, ink);
            }
        }
    }
}

void cairn_picture_text(cairn_picture *picture, cairn_vec2 at_px, uint32_t dot_px, cairn_ink ink, const char *text)
{
    CAIRN_ASSERT(dot_px >= 1);
    int64_t left = llround(at_px.x);
    const int64_t top = llround(at_px.y);
    for (const char *at = text; *at != '\0'; at++) {
        if (((unsigned char)*at & 0xC0) == 0x80) { continue; } // the rest of a letter beyond ASCII
        draw_letter(picture, left, top, dot_px, ink, *at);
        left += (CAIRN_PICTURE_LETTER_COLUMNS + 1) * (int64_t)dot_px;
    }
}

double cairn_picture_text_width_px(uint32_t dot_px, const char *text)
{
    uint32_t letters = 0;
    for (const char *at = text; *at != '\0'; at++) { letters += ((unsigned char)*at & 0xC0) != 0x80; }
    return letters == 0 ? 0.0 : (double)dot_px * (letters * (CAIRN_PICTURE_LETTER_COLUMNS + 1) - 1);
}

// The caller tells why, by errno; libpng would print a line of its own.
static void give_up(png_structp png, png_const_charp why)
{
    (void)why;
    png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp what) { (void)png, (void)what; }

// libpng jumps here on any failure.
static cairn_err write_rows(const cairn_picture *picture, FILE *file, png_structp png, png_infop info)
{
    if (setjmp(png_jmpbuf(png))) { return CAIRN_ERR_IO; }
    png_init_io(png, file);
    png_set_IHDR(png, info, picture->width_px, picture->height_px, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < picture->height_px; y++) {
        png_write_row(png, &picture->rgb[(size_t)3 * y * picture->width_px]);
    }
    png_write_end(png, info);
    return CAIRN_OK;
}

static cairn_err write_file(const cairn_picture *picture, FILE *file)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, say_nothing);
    if (png == NULL) { return CAIRN_ERR_FULL; }
    png_infop info = png_create_info_struct(png);
    const cairn_err err = info != NULL ? write_rows(picture, file, png, info) : CAIRN_ERR_FULL;
    png_destroy_write_struct(&png, &info);
    return err;
}

cairn_err cairn_picture_write_png(const cairn_picture *picture, const char *path, cairn_complaints *complaints)
{
    char beside[CAIRN_PATH_BYTES_MAX];
    const cairn_err err = cairn_bytes_beside(path, complaints, beside);
    if (err != CAIRN_OK) { return err; }
    errno = 0;
    FILE *file = fopen(beside, "wb");
    const bool whole = file != NULL && write_file(picture, file) == CAIRN_OK;
    int why = whole ? 0 : errno != 0 ? errno : EIO;
    if (file != NULL && fclose(file) != 0 && why == 0) { why = errno; }
    return cairn_bytes_settle(beside, path, why, complaints);
}
