// PGM is read here, PNG by libpng's simple interface, each with its limits before anything is taken.
#include "maps/files/grey_io.h"
#include "maps/files/bytes_io.h"
#include <png.h>
#include <string.h>

static cairn_err no_memory(const char *name, cairn_complaints *complaints)
{
    cairn_complain(complaints, name, 0, "no memory left to read it");
    return CAIRN_ERR_FULL;
}

static cairn_err corrupt(const char *name, const char *why, cairn_complaints *complaints)
{
    cairn_complain(complaints, name, 0, "%s", why);
    return CAIRN_ERR_CORRUPT;
}

// ---- PGM

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

static bool is_space(uint8_t letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

// White space and comments, which last to the end of their line.
static void skip_space(cursor *from)
{
    while (from->at < from->end && (is_space(*from->at) || *from->at == '#')) {
        if (*from->at == '#') {
            while (from->at < from->end && *from->at != '\n') { from->at++; }
        } else {
            from->at++;
        }
    }
}

static bool read_count(cursor *from, uint32_t max, uint32_t *ret_value)
{
    skip_space(from);
    uint32_t value = 0;
    const uint8_t *first = from->at;
    while (from->at < from->end && *from->at >= '0' && *from->at <= '9') {
        value = 10 * value + (*from->at++ - '0');
        if (value > max) { return false; }
    }
    *ret_value = value;
    return from->at > first;
}

static bool sides_fit(uint32_t width, uint32_t height, size_t pixels_max, const char *name,
                      cairn_complaints *complaints)
{
    if ((size_t)width * height <= pixels_max) { return true; }
    cairn_complain(complaints, name, 0, "%u x %u pixels; at most %zu in all: make the picture smaller", width, height,
                   pixels_max);
    return false;
}

static bool read_binary(cursor *from, uint32_t max_value, cairn_grey *grey)
{
    const size_t count = (size_t)grey->width * grey->height, each = max_value > 255 ? 2 : 1;
    if (from->at == from->end || !is_space(*from->at)) { return false; }
    from->at++;
    if ((size_t)(from->end - from->at) < count * each) { return false; }
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = each == 1 ? from->at[i] : (uint32_t)from->at[2 * i] << 8 | from->at[2 * i + 1];
        grey->values[i] = (uint8_t)((value < max_value ? value : max_value) * 255 / max_value);
    }
    return true;
}

static bool read_plain(cursor *from, uint32_t max_value, cairn_grey *grey)
{
    const size_t count = (size_t)grey->width * grey->height;
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        if (!read_count(from, max_value, &value)) { return false; }
        grey->values[i] = (uint8_t)(value * 255 / max_value);
    }
    return true;
}

static cairn_err read_pgm(const uint8_t *bytes, size_t size_bytes, size_t pixels_max, const char *name,
                          cairn_arena *memory, cairn_complaints *complaints, cairn_grey *ret_grey)
{
    const bool plain = bytes[1] == '2';
    cursor from = {bytes + 2, bytes + size_bytes};
    cairn_grey grey = {0};
    uint32_t max_value = 0;
    if (!read_count(&from, 65535, &grey.width) || !read_count(&from, 65535, &grey.height) ||
        !read_count(&from, 65535, &max_value) || grey.width == 0 || grey.height == 0 || max_value == 0) {
        return corrupt(name,
                       "begins as a PGM file does, but width, height and greatest value (1 to 65535) do not follow",
                       complaints);
    }
    if (!sides_fit(grey.width, grey.height, pixels_max, name, complaints)) { return CAIRN_ERR_TOO_LARGE; }
    // A pixel takes a byte at least, so that a short file cannot ask for much memory.
    const size_t count = (size_t)grey.width * grey.height;
    const bool long_enough = (size_t)(from.end - from.at) >= count;
    grey.values = long_enough ? CAIRN_TAKE(memory, uint8_t, count) : NULL;
    if (long_enough && grey.values == NULL) { return no_memory(name, complaints); }
    if (!long_enough || !(plain ? read_plain(&from, max_value, &grey) : read_binary(&from, max_value, &grey))) {
        cairn_complain(complaints, name, 0, "is cut off or damaged: %u x %u pixels of at most %u were announced",
                       grey.width, grey.height, max_value);
        return CAIRN_ERR_CORRUPT;
    }
    *ret_grey = grey;
    return CAIRN_OK;
}

// ---- PNG

// What somebody's program noted of its screen. libpng would change the greys by it, and unknown ground become free.
static bool is_note_of_screen(const uint8_t *kind)
{
    static const char *const notes[] = {"gAMA", "cHRM", "iCCP", "sRGB"};
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (memcmp(kind, notes[i], 4) == 0) { return true; }
    }
    return false;
}

// Leaves those out, and returns the bytes that remain; with ret_bytes NULL only counts them. Where chunks do not add up
// the rest stays as it is: libpng says what is wrong.
static size_t without_notes(const uint8_t *bytes, size_t size_bytes, uint8_t *ret_bytes)
{
    size_t made = 0;
    for (size_t at = 0, whole = 8; at < size_bytes; at += whole, whole = size_bytes - at) {
        const size_t left = size_bytes - at;
        if (at > 0 && left >= 12) {
            const uint8_t *head = bytes + at;
            const size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
            whole = length <= left - 12 ? 12 + length : left;
            if (is_note_of_screen(head + 4)) { continue; }
        }
        if (ret_bytes != NULL) { memcpy(ret_bytes + made, bytes + at, whole); }
        made += whole;
    }
    return made;
}

static cairn_err read_png(const uint8_t *bytes, size_t size_bytes, size_t pixels_max, const char *name,
                          cairn_arena *memory, cairn_complaints *complaints, cairn_grey *ret_grey)
{
    CAIRN_ASSERT(size_bytes > 8);
    const size_t kept_bytes = without_notes(bytes, size_bytes, NULL);
    if (kept_bytes < size_bytes) {
        uint8_t *kept = CAIRN_TAKE(memory, uint8_t, kept_bytes);
        if (kept == NULL) { return no_memory(name, complaints); }
        size_bytes = without_notes(bytes, size_bytes, kept);
        bytes = kept;
    }
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, size_bytes)) {
        cairn_complain(complaints, name, 0, "is a PNG file that cannot be read: %s", image.message);
        return CAIRN_ERR_CORRUPT;
    }
    cairn_err err = CAIRN_OK;
    cairn_grey grey = {.width = image.width, .height = image.height, .png = true};
    if (!sides_fit(grey.width, grey.height, pixels_max, name, complaints)) {
        err = CAIRN_ERR_TOO_LARGE;
    } else {
        image.format = PNG_FORMAT_GRAY;
        image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB; // 16 bits are finer steps of the same greys
        grey.values = CAIRN_TAKE(memory, uint8_t, PNG_IMAGE_SIZE(image));
        if (grey.values == NULL) { err = no_memory(name, complaints); }
    }
    const png_color paper = {255, 255, 255}; // what is transparent is paper
    if (err == CAIRN_OK && !png_image_finish_read(&image, &paper, grey.values, 0, NULL)) {
        cairn_complain(complaints, name, 0, "is a PNG file that cannot be read: %s", image.message);
        err = CAIRN_ERR_CORRUPT;
    }
    png_image_free(&image);
    if (err == CAIRN_OK) { *ret_grey = grey; }
    return err;
}

cairn_err cairn_grey_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                           const cairn_grey_limits *limits, cairn_arena *memory, cairn_complaints *complaints,
                           cairn_grey *ret_grey)
{
    CAIRN_ASSERT(limits != NULL && memory != NULL && complaints != NULL && ret_grey != NULL);
    cairn_err err = cairn_bytes_unpack(bytes, size_bytes, name_for_errors, limits->bytes_max, memory, complaints,
                                       &bytes, &size_bytes);
    if (err != CAIRN_OK) { return err; }
    if (size_bytes > 8 && png_sig_cmp(bytes, 0, 8) == 0) {
        return read_png(bytes, size_bytes, limits->pixels_max, name_for_errors, memory, complaints, ret_grey);
    }
    if (size_bytes > 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5')) {
        return read_pgm(bytes, size_bytes, limits->pixels_max, name_for_errors, memory, complaints, ret_grey);
    }
    return corrupt(name_for_errors, "is neither PGM (P2, P5) nor PNG, nor one of them gzipped", complaints);
}
