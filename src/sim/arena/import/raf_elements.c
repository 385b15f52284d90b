// The little XML that the files of the RoboCup Rescue arena designer of Team Hector have.
#include "sim/arena/import/raf_elements.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 1000.0
#define MOUNT_MAX 99

static const struct {
    const char *name;
    cairn_raf_kind kind;
} types[] = {
    {"small_wall", CAIRN_RAF_WALL},
    {"small_wall_qr", CAIRN_RAF_WALL},
    {"small_wall_no_tex", CAIRN_RAF_WALL},
    {"small_wall_triple_holes", CAIRN_RAF_HOLED_WALL},
    {"wall_holes1", CAIRN_RAF_HOLED_WALL},
    {"veil_wall", CAIRN_RAF_WALL},
    {"tall_wall", CAIRN_RAF_TALL_WALL},
    {"wall_diag_120", CAIRN_RAF_DIAGONAL},
    {"corner_diag_120", CAIRN_RAF_CORNER},
    {"fiducial_barrel", CAIRN_RAF_BARREL},
    {"fiducial_barrel_high", CAIRN_RAF_HIGH_BARREL},
    {"manip_storage", CAIRN_RAF_STORAGE},
    {"half_ramp", CAIRN_RAF_HALF_RAMP},
    {"full_ramp", CAIRN_RAF_FULL_RAMP},
    {"simple_elev_ramp", CAIRN_RAF_STEEP_RAMP},
    {"elevated_floor_120", CAIRN_RAF_RAISED_FLOOR},
    {"stairs_120", CAIRN_RAF_FLIGHT},
    {"stepfield_red_diagonal", CAIRN_RAF_STEP_FIELD},
    {"victim_1", CAIRN_RAF_VICTIM},
};

typedef struct reader {
    const char *at, *end, *name;
    uint32_t line;
    cairn_complaints *complaints;
    cairn_raf_elements *to;
} reader;

static cairn_raf_kind kind_of(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, type) == 0) { return types[i].kind; }
    }
    return strncmp(type, "victim_", 7) == 0 ? CAIRN_RAF_VICTIM_IN_BOX : CAIRN_RAF_OTHER;
}

static bool complain(reader *in, const char *what)
{
    cairn_complain(in->complaints, in->name, in->line, "%s", what);
    return false;
}

static void advance(reader *in)
{
    in->line += *in->at == '\n';
    in->at++;
}

static void skip_space(reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || (*in->at >= '\t' && *in->at <= '\r'))) { advance(in); }
}

static bool starts_with(const reader *in, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(in->end - in->at) >= length && memcmp(in->at, word, length) == 0;
}

static bool skip_past(reader *in, const char *word)
{
    for (; in->at < in->end; advance(in)) {
        if (!starts_with(in, word)) { continue; }
        in->at += strlen(word);
        return true;
    }
    return complain(in, "a tag or comment does not end");
}

static size_t name_length(const reader *in)
{
    size_t length = 0;
    while (in->at + length < in->end) {
        const char letter = in->at[length];
        const bool fits = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '-' ||
                          letter == '_' || (letter >= '0' && letter <= '9');
        if (!fits) { break; }
        length++;
    }
    return length;
}

static bool parse_number(const char *text, double limit, double *ret_value)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(fabs(value) <= limit)) { return false; }
    *ret_value = value;
    return true;
}

static bool take_attribute(reader *in, const char *key, const char *value, cairn_raf_element *to)
{
    bool fits = true;
    double number = 0.0;
    if (strcmp(key, "type") == 0) {
        fits = value[0] != '\0';
        (void)snprintf(to->type, sizeof to->type, "%s", value);
    } else if (strcmp(key, "x") == 0) {
        fits = parse_number(value, UNITS_MAX, &to->x);
    } else if (strcmp(key, "y") == 0) {
        fits = parse_number(value, UNITS_MAX, &to->y);
    } else if (strcmp(key, "offset-x") == 0) {
        fits = parse_number(value, UNITS_MAX, &to->offset_x);
    } else if (strcmp(key, "offset-y") == 0) {
        fits = parse_number(value, UNITS_MAX, &to->offset_y);
    } else if (strcmp(key, "rotation") == 0) {
        fits = parse_number(value, 360.0, &number) && fmod(number, 90.0) == 0.0;
        to->quarter = fits ? ((int)number / 90 + 4) % 4 : 0;
    } else if (strcmp(key, "mount-point") == 0) {
        fits = parse_number(value, MOUNT_MAX, &number) && number >= -1 && floor(number) == number;
        to->mount = fits && number > 0 ? (int)number : 0; // -1 is not chosen: the first
    }
    if (!fits) {
        cairn_complain(in->complaints, in->name, in->line,
                       "%s: found '%s'; x and y count cells, rotation is a multiple of 90 degrees, mount-point is a "
                       "whole number from -1 to %d",
                       key, value, MOUNT_MAX);
    }
    return fits;
}

static bool read_attribute(reader *in, cairn_raf_element *to)
{
    char key[32], value[64];
    const size_t key_length = name_length(in);
    if (key_length == 0 || key_length >= sizeof key) { return complain(in, "expected an attribute, as x=\"1\""); }
    memcpy(key, in->at, key_length);
    key[key_length] = '\0';
    in->at += key_length;
    skip_space(in);
    if (!starts_with(in, "=")) { return complain(in, "expected = after an attribute's name"); }
    in->at++;
    skip_space(in);
    if (!starts_with(in, "\"") && !starts_with(in, "'")) {
        return complain(in, "expected an attribute's value in quotes");
    }
    const char quote = *in->at++;
    size_t length = 0;
    while (in->at + length < in->end && in->at[length] != quote && in->at[length] >= ' ') { length++; }
    if (in->at + length == in->end || in->at[length] != quote || length >= sizeof value) {
        return complain(in, "an attribute's value does not end, or is longer than 63 bytes");
    }
    memcpy(value, in->at, length);
    value[length] = '\0';
    in->at += length + 1;
    return take_attribute(in, key, value, to);
}

static bool read_element(reader *in)
{
    cairn_raf_element read = {.x = NAN, .y = NAN};
    in->at += strlen("<element");
    for (skip_space(in); in->at < in->end && *in->at != '/' && *in->at != '>'; skip_space(in)) {
        if (!read_attribute(in, &read)) { return false; }
    }
    if (!skip_past(in, ">")) { return false; }
    if (read.type[0] == '\0' || isnan(read.x) || isnan(read.y)) {
        return complain(in, "an element needs type, x and y");
    }
    if (in->to->count == CAIRN_RAF_ELEMENTS_MAX) { return complain(in, "more than 4096 elements"); }
    read.kind = kind_of(read.type);
    in->to->all[in->to->count++] = read;
    return true;
}

static bool read_all(reader *in)
{
    while (true) {
        skip_space(in);
        if (in->at == in->end) { return true; }
        bool good;
        if (starts_with(in, "<!--")) {
            good = skip_past(in, "-->");
        } else if (starts_with(in, "<element ") || starts_with(in, "<element\t") || starts_with(in, "<element\n")) {
            good = read_element(in);
        } else if (starts_with(in, "<")) {
            good = skip_past(in, ">");
        } else {
            good = complain(in, "expected a list of <element type=... x=... y=.../>");
        }
        if (!good) { return false; }
    }
}

bool cairn_raf_elements_read(const char *bytes, size_t size_bytes, const char *name_for_errors,
                             cairn_complaints *complaints, cairn_raf_elements *elements)
{
    CAIRN_ASSERT(complaints != NULL && elements != NULL && elements->all != NULL);
    CAIRN_ASSERT(bytes != NULL || size_bytes == 0);
    reader in = {.at = bytes,
                 .end = bytes + size_bytes,
                 .name = name_for_errors,
                 .line = 1,
                 .complaints = complaints,
                 .to = elements};
    elements->count = 0;
    return read_all(&in);
}

uint32_t cairn_raf_find(const cairn_raf_elements *in, cairn_raf_kind kind, double x, double y, int quarter)
{
    CAIRN_ASSERT(in != NULL && quarter < 4);
    for (uint32_t i = 0; i < in->count; i++) {
        const cairn_raf_element *of = &in->all[i];
        if (of->kind == kind && of->x == x && of->y == y && (quarter < 0 || of->quarter == quarter)) { return i; }
    }
    return UINT32_MAX;
}

cairn_vec2 cairn_raf_place(const cairn_raf_element *of, double local_x_m, double local_y_m)
{
    CAIRN_ASSERT(of->quarter >= 0 && of->quarter < 4);
    cairn_vec2 turned = {local_x_m, local_y_m};
    for (int i = 0; i < of->quarter; i++) { turned = (cairn_vec2){turned.y, -turned.x}; }
    return (cairn_vec2){of->x * CAIRN_RAF_CELL_M + turned.x, of->y * CAIRN_RAF_CELL_M + turned.y};
}

double cairn_raf_north_rad(const cairn_raf_element *of)
{
    return cairn_angle_wrap(CAIRN_RAF_QUARTER_RAD * (1 - of->quarter));
}
