// NIST arenas as the RoboCup Rescue arena designer of Team Hector writes them: a flat list of XML elements on cells of
// 1.2 m, each with a type and a rotation (clockwise, degrees; 0: its wall stands in the north of the cell).
//
// A box with a victim stands in its cell before a wall, its open side to it, and robots look into it through the hole
// of the wall that its mount point names. Arena files have no walls with holes: such a wall is made of several, some
// above others. Walls of one line are joined. Two half ramps that rise towards each other in a cell make a ridge, and
// so do two full ramps in neighbouring cells; one alone is a slope. The sizes are those of the designer's models.
#include "sim/arena/import/sources.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_M 1.2
#define WALL_M 0.02     // theirs are of 1 cm
#define HOLE_M 0.134    // the square with the area of a hole of 0.15 m
#define BAND_M_MIN 0.05 // lower walls cannot be
#define BOX_GAP_M 0.002 // of a victim's box to the wall
#define SMALL_M 1.2
#define TALL_M 2.4
#define BARREL_M 0.5      // the square with the area of a barrel of 0.57 m
#define BARREL_LOW_M 0.6  //
#define BARREL_HIGH_M 1.2 // two of them, one on the other
#define TILE_M 1.18       // ramps are as long; as wide, too, but cracks of 2 cm between them are no ground
#define RAMP_PLATE_M 0.04
#define RAMP_ANGLE_RAD 0.2805 // half ramps are 0.17 m high, full ramps 0.34 m
#define FLOOR_HIGH_M 1.2      // of a raised floor; plates on four posts
#define FLOOR_SLAB_M 0.12
#define STEEP_ANGLE_RAD 0.785398 // of the ramp up to it: 45 degrees
#define STAIRS 5
#define STAIRS_RISE_M 0.206
#define STAIRS_RUN_M 0.236
#define POST_M 0.2 // of step fields: as docs/arenas.md has them
#define POST_STEP_M 0.1
#define POST_LEVELS 4
#define SHELF_M 0.02                              // the boards of a storage for things to grip
static const double shelves_m[] = {0.495, 0.995}; // their undersides
#define PERSON_M 0.2                              // half a person
#define GRID_M 0.1                                // of reach.h, for arenas of this size
#define UNITS_MAX 1000.0
#define MOUNT_MAX 99
#define QUARTER_RAD 1.57079632679489661923

typedef enum element_kind {
    WALL,
    HOLED_WALL,
    TALL_WALL,
    DIAGONAL,
    CORNER,
    BARREL,
    HIGH_BARREL,
    STORAGE,
    HALF_RAMP,
    FULL_RAMP,
    STEEP_RAMP,
    RAISED_FLOOR,
    FLIGHT,
    STEP_FIELD,
    VICTIM_IN_BOX,
    VICTIM,
    OTHER // what arena files have no word for
} element_kind;

static const struct {
    const char *name;
    element_kind kind;
} types[] = {
    {"small_wall", WALL},
    {"small_wall_qr", WALL},
    {"small_wall_no_tex", WALL},
    {"small_wall_triple_holes", HOLED_WALL},
    {"wall_holes1", HOLED_WALL},
    {"veil_wall", WALL},
    {"tall_wall", TALL_WALL},
    {"wall_diag_120", DIAGONAL},
    {"corner_diag_120", CORNER},
    {"fiducial_barrel", BARREL},
    {"fiducial_barrel_high", HIGH_BARREL},
    {"manip_storage", STORAGE},
    {"half_ramp", HALF_RAMP},
    {"full_ramp", FULL_RAMP},
    {"simple_elev_ramp", STEEP_RAMP},
    {"elevated_floor_120", RAISED_FLOOR},
    {"stairs_120", FLIGHT},
    {"stepfield_red_diagonal", STEP_FIELD},
    {"victim_1", VICTIM},
};

typedef struct element {
    uint32_t line;
    element_kind kind;
    char type[64];
    double x, y; // cells
    double offset_x, offset_y;
    int quarter; // turns clockwise
    int mount;   // which hole of its wall
    bool left_out;
} element;

typedef struct reader {
    const char *at, *end, *name;
    uint32_t line;
    cairn_complaints *complaints;
    element *elements;
    uint32_t count;
} reader;

static element_kind kind_of(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, type) == 0) { return types[i].kind; }
    }
    return strncmp(type, "victim_", 7) == 0 ? VICTIM_IN_BOX : OTHER;
}

// ---- the little XML that these files have

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

static bool take_attribute(reader *in, const char *key, const char *value, element *to)
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

static bool read_attribute(reader *in, element *to)
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
    element read = {.line = in->line, .x = NAN, .y = NAN};
    in->at += strlen("<element");
    for (skip_space(in); in->at < in->end && *in->at != '/' && *in->at != '>'; skip_space(in)) {
        if (!read_attribute(in, &read)) { return false; }
    }
    if (!skip_past(in, ">")) { return false; }
    if (read.type[0] == '\0' || isnan(read.x) || isnan(read.y)) {
        return complain(in, "an element needs type, x and y");
    }
    if (in->count == CAIRN_RAF_ELEMENTS_MAX) { return complain(in, "more than 4096 elements"); }
    read.kind = kind_of(read.type);
    in->elements[in->count++] = read;
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

// ---- walls

// Millimetres, so that ends that are meant to meet do.
typedef struct line {
    int64_t x0, y0, x1, y1;
    int32_t foot_mm, height_mm;
} line;

// How a wall stands.
typedef struct upright {
    double foot_m, height_m;
} upright;

// Of a wall with holes there are ten.
#define LINES_MAX (10 * CAIRN_RAF_ELEMENTS_MAX)

typedef struct lines {
    line *all;
    uint32_t count;
} lines;

static cairn_vec2 place(const element *of, double local_x_m, double local_y_m)
{
    cairn_vec2 turned = {local_x_m, local_y_m};
    for (int i = 0; i < of->quarter; i++) { turned = (cairn_vec2){turned.y, -turned.x}; }
    return (cairn_vec2){of->x * CELL_M + turned.x, of->y * CELL_M + turned.y};
}

static void add_line(lines *to, const element *of, cairn_vec2 a, cairn_vec2 b, upright how)
{
    if (to->count == LINES_MAX) { return; }
    const cairn_vec2 one = place(of, a.x, a.y), other = place(of, b.x, b.y);
    const bool turned = llround(1000 * other.x) < llround(1000 * one.x) ||
                        (llround(1000 * other.x) == llround(1000 * one.x) && other.y < one.y);
    const cairn_vec2 from = turned ? other : one, till = turned ? one : other;
    to->all[to->count++] = (line){.x0 = llround(1000 * from.x),
                                  .y0 = llround(1000 * from.y),
                                  .x1 = llround(1000 * till.x),
                                  .y1 = llround(1000 * till.y),
                                  .foot_mm = (int32_t)lround(1000 * how.foot_m),
                                  .height_mm = (int32_t)lround(1000 * how.height_m)};
}

// Where boxes hang on a wall with holes, by mount point, and the middle of the hole in front of each: metres from the
// wall's middle to the east, seen in its cell, and above the floor. From the lowest hole to the highest they are 2, 1,
// 0.
static const struct {
    double mount_x_m, mount_z_m, x_m, z_m;
} holes[] = {{-0.3, 0.9, -0.291, 0.896}, {0.3, 0.6, 0.289, 0.591}, {-0.3, 0.3, -0.280, 0.309}};
#define HOLES ((int)(sizeof holes / sizeof holes[0]))

// Bands one above the other: whole ones, and ones with a gap, the hole. No two gaps end above each other, where the
// reader would take them for a corner and make both longer.
static void add_holed_wall(lines *to, const element *of, double height_m)
{
    const double half_m = CELL_M / 2, north_m = CELL_M / 2;
    double foot_m = 0.0;
    for (int i = HOLES - 1; i >= -1; i--) {
        const double low_m = i < 0 ? height_m : fmin(holes[i].z_m - HOLE_M / 2, height_m);
        const upright whole = {foot_m, low_m - foot_m};
        if (whole.height_m > BAND_M_MIN) {
            add_line(to, of, (cairn_vec2){-half_m, north_m}, (cairn_vec2){half_m, north_m}, whole);
        }
        if (i < 0 || low_m >= height_m) { return; }
        foot_m = fmin(low_m + HOLE_M, height_m);
        const upright beside = {low_m, fmax(foot_m - low_m, BAND_M_MIN)};
        add_line(to, of, (cairn_vec2){-half_m, north_m}, (cairn_vec2){holes[i].x_m - HOLE_M / 2, north_m}, beside);
        add_line(to, of, (cairn_vec2){holes[i].x_m + HOLE_M / 2, north_m}, (cairn_vec2){half_m, north_m}, beside);
    }
}

static int slope_of(const line *wall) // 0 level, 1 upright, 2 rising, 3 falling
{
    if (wall->y0 == wall->y1) { return 0; }
    if (wall->x0 == wall->x1) { return 1; }
    return wall->y1 > wall->y0 ? 2 : 3;
}

// Same for all walls on one straight line.
static int64_t line_key(const line *wall)
{
    switch (slope_of(wall)) {
    case 0: return wall->y0;
    case 1: return wall->x0;
    case 2: return wall->y0 - wall->x0;
    default: return wall->y0 + wall->x0;
    }
}

static int64_t along(const line *wall) { return slope_of(wall) == 1 ? wall->y0 : wall->x0; }

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b)) { return (a) < (b) ? -1 : 1; }

static int compare_lines(const void *first, const void *second)
{
    const line *a = first, *b = second;
    COMPARE(slope_of(a), slope_of(b))
    COMPARE(a->foot_mm, b->foot_mm)
    COMPARE(a->height_mm, b->height_mm)
    COMPARE(line_key(a), line_key(b))
    COMPARE(along(a), along(b))
    return 0;
}

static bool stand_alike(const line *a, const line *b)
{
    return slope_of(a) == slope_of(b) && a->foot_mm == b->foot_mm && a->height_mm == b->height_mm;
}

// Neighbours on one line become one wall; what is there twice becomes one.
static void join(lines *walls)
{
    qsort(walls->all, walls->count, sizeof walls->all[0], compare_lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walls->count; i++) {
        line *last = kept > 0 ? &walls->all[kept - 1] : NULL;
        const line next = walls->all[i];
        const bool same = last != NULL && stand_alike(last, &next) && line_key(last) == line_key(&next);
        const int64_t last_end = last == NULL ? 0 : slope_of(last) == 1 ? last->y1 : last->x1;
        if (!same || along(&next) > last_end) {
            walls->all[kept++] = next;
        } else if ((slope_of(&next) == 1 ? next.y1 : next.x1) > last_end) {
            last->x1 = next.x1;
            last->y1 = next.y1;
        }
    }
    walls->count = kept;
}

// ---- the draft

// Where an element of a kind, turned so, stands in a cell; UINT32_MAX: nowhere. The first of several.
static uint32_t find_at(const reader *in, element_kind kind, double x, double y, int quarter)
{
    for (uint32_t i = 0; i < in->count; i++) {
        const element *of = &in->elements[i];
        if (of->kind == kind && of->x == x && of->y == y && (quarter < 0 || of->quarter == quarter)) { return i; }
    }
    return UINT32_MAX;
}

// Which way the local north of an element points.
static double north_rad(const element *of) { return cairn_angle_wrap(QUARTER_RAD * (1 - of->quarter)); }

// One is half a barrel, in its cell before the wall.
static void add_barrel(cairn_draft *draft, const element *of, double height_m)
{
    if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return; }
    const cairn_vec2 at_m = place(of, 0.0, CELL_M / 2 - BARREL_M / 4);
    draft->boxes[draft->box_count++] =
        (cairn_sim_box){.map_T_box = {at_m.x, at_m.y, north_rad(of)}, .size_m = {BARREL_M / 2, BARREL_M, height_m}};
}

static void add_ramp(cairn_draft *draft, cairn_vec2 at_m, double heading_rad, double length_m, double angle_rad,
                     bool slope)
{
    if (draft->ramp_count == CAIRN_DRAFT_RAMPS_MAX) { return; }
    draft->ramps[draft->ramp_count++] = (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, heading_rad},
                                                         .length_m = length_m,
                                                         .width_m = CELL_M,
                                                         .angle_rad = angle_rad,
                                                         .slope = slope};
}

// Rises from the south of its cell to the middle.
static void add_half_ramp(const reader *in, uint32_t index, cairn_draft *draft)
{
    const element *of = &in->elements[index];
    const uint32_t opposite = find_at(in, HALF_RAMP, of->x, of->y, (of->quarter + 2) % 4);
    if (opposite == UINT32_MAX) {
        add_ramp(draft, place(of, 0, -TILE_M / 4), north_rad(of), TILE_M / 2, RAMP_ANGLE_RAD, true);
    } else if (opposite < index) {
        const double heading_rad = of->quarter % 2 == 0 ? QUARTER_RAD : 0.0;
        add_ramp(draft, place(of, 0, 0), heading_rad, TILE_M, RAMP_ANGLE_RAD, false);
    }
}

// Rises from the north of its cell to the south; there another may go down again.
static void add_full_ramp(const reader *in, uint32_t index, cairn_draft *draft)
{
    static const int south_x[] = {0, -1, 0, 1}, south_y[] = {-1, 0, 1, 0};
    const element *of = &in->elements[index];
    const uint32_t opposite =
        find_at(in, FULL_RAMP, of->x + south_x[of->quarter], of->y + south_y[of->quarter], (of->quarter + 2) % 4);
    if (opposite == UINT32_MAX) {
        // Its high end is a plate that sticks out a little; it stays inside the wall that may be there.
        add_ramp(draft, place(of, 0, RAMP_PLATE_M / 2), cairn_angle_wrap(north_rad(of) + 2 * QUARTER_RAD),
                 TILE_M - RAMP_PLATE_M, RAMP_ANGLE_RAD, true);
    } else if (opposite < index) {
        const double heading_rad = of->quarter % 2 == 0 ? QUARTER_RAD : 0.0;
        add_ramp(draft, place(of, 0, -CELL_M / 2), heading_rad, CELL_M + TILE_M, RAMP_ANGLE_RAD, false);
    }
}

static void add_raised_floor(cairn_draft *draft, const element *of)
{
    if (draft->platform_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 at_m = place(of, 0, 0);
    draft->platforms[draft->platform_count++] = (cairn_draft_platform){.map_T_platform = {at_m.x, at_m.y, 0},
                                                                       .size_m = {CELL_M, CELL_M},
                                                                       .top_m = FLOOR_HIGH_M,
                                                                       .slab_m = FLOOR_SLAB_M};
}

// From the south up.
static void add_flight(cairn_draft *draft, const element *of)
{
    if (draft->stairs_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 at_m = place(of, 0, -TILE_M / 2);
    draft->stairs[draft->stairs_count++] = (cairn_draft_stairs){.map_T_stairs = {at_m.x, at_m.y, north_rad(of)},
                                                                .steps = STAIRS,
                                                                .rise_m = STAIRS_RISE_M,
                                                                .run_m = STAIRS_RUN_M,
                                                                .width_m = TILE_M};
}

// On the floor, also where there is a raised one: theirs lies below it, too.
static void add_step_field(cairn_draft *draft, const element *of)
{
    if (draft->step_field_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 middle_m = place(of, 0, 0);
    draft->step_fields[draft->step_field_count++] =
        (cairn_draft_step_field){.kind = "diagonal",
                                 .corner_m = {middle_m.x - CELL_M / 2, middle_m.y - CELL_M / 2},
                                 .columns = 1,
                                 .rows = 1,
                                 .post_m = POST_M,
                                 .step_m = POST_STEP_M,
                                 .levels = POST_LEVELS,
                                 .seed = 1,
                                 .turned = of->quarter % 2 == 1};
}

// Two boards, one above the other.
static void add_storage(cairn_draft *draft, const element *of)
{
    const cairn_vec2 at_m = place(of, 0, 0);
    for (size_t i = 0; i < sizeof shelves_m / sizeof shelves_m[0]; i++) {
        if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return; }
        draft->boxes[draft->box_count++] = (cairn_sim_box){
            .map_T_box = {at_m.x, at_m.y, 0.0}, .size_m = {TILE_M, TILE_M, SHELF_M}, .foot_m = shelves_m[i]};
    }
}

// What is there twice is there once.
static bool add_relief(const reader *in, uint32_t index, cairn_draft *draft)
{
    const element *of = &in->elements[index];
    if (find_at(in, of->kind, of->x, of->y, of->quarter) != index) { return true; }
    switch (of->kind) {
    case HALF_RAMP: add_half_ramp(in, index, draft); return true;
    case FULL_RAMP: add_full_ramp(in, index, draft); return true;
    case STEEP_RAMP: add_ramp(draft, place(of, 0, 0), north_rad(of), CELL_M, STEEP_ANGLE_RAD, true); return true;
    case RAISED_FLOOR: add_raised_floor(draft, of); return true;
    case FLIGHT: add_flight(draft, of); return true;
    case STEP_FIELD: add_step_field(draft, of); return true;
    default: return false;
    }
}

static const int north_x[] = {0, 1, 0, -1}, north_y[] = {1, 0, -1, 0}; // of the cell beyond an element's wall

// Where a box hangs: behind the hole that it names, of the wall of its cell or, seen from there, of the cell beyond.
// Without a hole it stands on the floor before the wall, open into the cell, for else nobody could see into it.
static cairn_raf_victim boxed_victim(const reader *in, const element *of)
{
    const bool here = find_at(in, HOLED_WALL, of->x, of->y, of->quarter) != UINT32_MAX;
    const bool beyond = find_at(in, HOLED_WALL, of->x + north_x[of->quarter], of->y + north_y[of->quarter],
                                (of->quarter + 2) % 4) != UINT32_MAX;
    const bool holed = (here || beyond) && of->mount < HOLES;
    const double along_m = !holed ? 0.0 : (here ? 1 : -1) * holes[of->mount].mount_x_m;
    const double before_m = CELL_M / 2 - WALL_M / 2 - BOX_GAP_M - CAIRN_HUNG_BOX_DEEP_M / 2;
    const cairn_vec2 offset_m = {of->offset_x * CELL_M, of->offset_y * CELL_M};
    return (cairn_raf_victim){.at_m = cairn_vec2_add(place(of, along_m, before_m), offset_m),
                              .facing_rad = cairn_angle_wrap(north_rad(of) + (holed ? 0 : 2 * QUARTER_RAD)),
                              .foot_m = holed ? holes[of->mount].mount_z_m - CAIRN_HUNG_BOX_HIGH_M / 2 : 0.0,
                              .hangs = true};
}

// In the open; on a raised floor, where there is one.
static cairn_raf_victim open_victim(const reader *in, const element *of)
{
    const cairn_vec2 offset_m = {of->offset_x * CELL_M, of->offset_y * CELL_M};
    const bool raised = find_at(in, RAISED_FLOOR, of->x, of->y, -1) != UINT32_MAX;
    return (cairn_raf_victim){.at_m = cairn_vec2_add(place(of, 0.0, 0.0), offset_m),
                              .facing_rad = cairn_angle_wrap(north_rad(of) + 2 * QUARTER_RAD),
                              .foot_m = raised ? FLOOR_HIGH_M : 0.0};
}

static void add_victim(const reader *in, const element *of, cairn_raf *raf)
{
    if (raf->victim_count == CAIRN_IMPORT_VICTIMS_MAX) { return; }
    raf->victims[raf->victim_count++] = of->kind == VICTIM_IN_BOX ? boxed_victim(in, of) : open_victim(in, of);
}

static void add_element(reader *in, uint32_t index, double height_m, lines *walls, cairn_draft *draft, cairn_raf *raf)
{
    const element *of = &in->elements[index];
    const double half = CELL_M / 2;
    const upright small = {0.0, height_m > 0.0 ? height_m : SMALL_M};
    const upright tall = {0.0, height_m > 0.0 ? height_m : TALL_M};
    const cairn_vec2 northwest = {-half, half}, northeast = {half, half}, southwest = {-half, -half}, middle = {0, 0};
    switch (of->kind) {
    case WALL: add_line(walls, of, northwest, northeast, small); break;
    case HOLED_WALL: add_holed_wall(walls, of, small.height_m); break;
    case TALL_WALL: add_line(walls, of, northwest, northeast, tall); break;
    case DIAGONAL: add_line(walls, of, southwest, northeast, small); break;
    case CORNER:
        add_line(walls, of, middle, northeast, small);
        add_line(walls, of, middle, northwest, small);
        break;
    case BARREL: add_barrel(draft, of, BARREL_LOW_M); break;
    case HIGH_BARREL: add_barrel(draft, of, BARREL_HIGH_M); break;
    case STORAGE: add_storage(draft, of); break;
    case VICTIM_IN_BOX:
    case VICTIM: add_victim(in, of, raf); break;
    default: in->elements[index].left_out = !add_relief(in, index, draft); break;
    }
}

typedef struct bounds {
    cairn_vec2 low_m, high_m;
} bounds;

static void stretch(bounds *all, cairn_vec2 at_m, double by_m)
{
    all->low_m = (cairn_vec2){fmin(all->low_m.x, at_m.x - by_m), fmin(all->low_m.y, at_m.y - by_m)};
    all->high_m = (cairn_vec2){fmax(all->high_m.x, at_m.x + by_m), fmax(all->high_m.y, at_m.y + by_m)};
}

static void stretch_victim(bounds *all, const cairn_raf_victim *victim)
{
    const double deep_m = victim->hangs ? CAIRN_HUNG_BOX_DEEP_M / 2 : PERSON_M;
    const double wide_m = victim->hangs ? CAIRN_HUNG_BOX_WIDE_M / 2 : PERSON_M;
    const double c = fabs(cos(victim->facing_rad)), s = fabs(sin(victim->facing_rad));
    const cairn_vec2 half_m = {c * deep_m + s * wide_m, s * deep_m + c * wide_m};
    stretch(all, cairn_vec2_sub(victim->at_m, half_m), 0.0);
    stretch(all, cairn_vec2_add(victim->at_m, half_m), 0.0);
}

// Around walls, barrels, people, and cells with ground of their own.
static bounds bounds_of(const reader *in, const lines *walls, const cairn_draft *draft, const cairn_raf *raf)
{
    bounds all = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < walls->count; i++) {
        const line *wall = &walls->all[i];
        stretch(&all, (cairn_vec2){wall->x0 / 1000.0, wall->y0 / 1000.0}, WALL_M);
        stretch(&all, (cairn_vec2){wall->x1 / 1000.0, wall->y1 / 1000.0}, WALL_M);
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        stretch(&all, cairn_pose2_at(draft->boxes[i].map_T_box), draft->boxes[i].size_m.y / 2);
    }
    for (uint32_t i = 0; i < raf->victim_count; i++) { stretch_victim(&all, &raf->victims[i]); }
    for (uint32_t i = 0; i < in->count; i++) {
        const element *of = &in->elements[i];
        if (of->kind < HALF_RAMP || of->kind == VICTIM || of->kind == VICTIM_IN_BOX) { continue; }
        stretch(&all, (cairn_vec2){of->x * CELL_M, of->y * CELL_M}, CELL_M / 2);
    }
    return all;
}

static void move_pose(cairn_pose2 *pose, cairn_vec2 by_m)
{
    pose->x_m += by_m.x;
    pose->y_m += by_m.y;
}

static void move_relief(cairn_draft *draft, cairn_vec2 by_m)
{
    for (uint32_t i = 0; i < draft->ramp_count; i++) { move_pose(&draft->ramps[i].map_T_ramp, by_m); }
    for (uint32_t i = 0; i < draft->platform_count; i++) { move_pose(&draft->platforms[i].map_T_platform, by_m); }
    for (uint32_t i = 0; i < draft->stairs_count; i++) { move_pose(&draft->stairs[i].map_T_stairs, by_m); }
    for (uint32_t i = 0; i < draft->step_field_count; i++) {
        draft->step_fields[i].corner_m = cairn_vec2_add(draft->step_fields[i].corner_m, by_m);
    }
}

// The next number that is `rest` more than a multiple of GRID_M.
static double up_to_grid(double value_m, double rest_m)
{
    return (ceil((value_m - rest_m) / GRID_M - 1e-6) * GRID_M) + rest_m;
}

// How far all moves so that it lies on the floor: the middle lines of walls and of ways between them then go through
// the middles of the cells on which reach is found out, and no way looks narrower than it is.
static cairn_vec2 offset_m(const bounds *all, double margin_m)
{
    return (cairn_vec2){up_to_grid(margin_m - all->low_m.x, GRID_M / 2),
                        up_to_grid(margin_m - all->low_m.y, GRID_M / 2)};
}

static cairn_vec2 floor_m(const bounds *all, double margin_m)
{
    const cairn_vec2 by_m = offset_m(all, margin_m);
    return (cairn_vec2){up_to_grid(all->high_m.x + by_m.x + margin_m, 0.0),
                        up_to_grid(all->high_m.y + by_m.y + margin_m, 0.0)};
}

static void move_onto_floor(const bounds *all, double margin_m, const lines *walls, cairn_draft *draft, cairn_raf *raf)
{
    const cairn_vec2 by_m = offset_m(all, margin_m);
    draft->size_m = floor_m(all, margin_m);
    for (uint32_t i = 0; i < walls->count && draft->wall_count < CAIRN_DRAFT_WALLS_MAX; i++) {
        const line *from = &walls->all[i];
        draft->walls[draft->wall_count++] =
            (cairn_sim_wall){.from_m = cairn_vec2_add((cairn_vec2){from->x0 / 1000.0, from->y0 / 1000.0}, by_m),
                             .to_m = cairn_vec2_add((cairn_vec2){from->x1 / 1000.0, from->y1 / 1000.0}, by_m),
                             .thickness_m = WALL_M,
                             .height_m = from->height_mm / 1000.0,
                             .foot_m = from->foot_mm / 1000.0};
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        draft->boxes[i].map_T_box.x_m += by_m.x;
        draft->boxes[i].map_T_box.y_m += by_m.y;
    }
    move_relief(draft, by_m);
    for (uint32_t i = 0; i < raf->victim_count; i++) {
        raf->victims[i].at_m = cairn_vec2_add(raf->victims[i].at_m, by_m);
    }
}

// Whether none of its type was left out before this one, and how many were in all.
static bool is_first_of_type(const reader *in, uint32_t index, uint32_t *ret_count)
{
    *ret_count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (!in->elements[i].left_out || strcmp(in->elements[i].type, in->elements[index].type) != 0) { continue; }
        if (i < index) { return false; }
        ++*ret_count;
    }
    return true;
}

static void note_left_out(const reader *in, cairn_draft *draft, cairn_raf *raf)
{
    char list[CAIRN_DRAFT_NOTE_BYTES] = "";
    for (uint32_t i = 0; i < in->count; i++) {
        uint32_t count;
        if (!in->elements[i].left_out) { continue; }
        raf->left_out++;
        if (!is_first_of_type(in, i, &count)) { continue; }
        char one[80];
        (void)snprintf(one, sizeof one, "%u %s", count, in->elements[i].type);
        if (strlen(list) + strlen(one) > 100) {
            cairn_draft_note(draft, "Left out (flat floor instead): %s", list);
            list[0] = '\0';
        }
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (list[0] != '\0') { cairn_draft_note(draft, "Left out (flat floor instead): %s", list); }
}

cairn_err cairn_raf_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, double height_m,
                          double margin_m, cairn_arena *memory, cairn_complaints *complaints, cairn_draft *draft,
                          cairn_raf *ret_raf)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && draft != NULL && ret_raf != NULL);
    reader in = {.at = bytes,
                 .end = bytes + size_bytes,
                 .name = name_for_errors,
                 .line = 1,
                 .complaints = complaints,
                 .elements = CAIRN_TAKE(memory, element, CAIRN_RAF_ELEMENTS_MAX)};
    cairn_raf raf = {.victims = CAIRN_TAKE(memory, cairn_raf_victim, CAIRN_IMPORT_VICTIMS_MAX)};
    lines walls = {.all = CAIRN_TAKE(memory, line, LINES_MAX)};
    if (in.elements == NULL || raf.victims == NULL || walls.all == NULL) { return CAIRN_ERR_FULL; }
    if (!read_all(&in)) { return CAIRN_ERR_CORRUPT; }
    if (in.count == 0) {
        cairn_complain(complaints, name_for_errors, 0, "has no <element .../>; expected a NIST arena description");
        return CAIRN_ERR_CORRUPT;
    }
    for (uint32_t i = 0; i < in.count; i++) { add_element(&in, i, height_m, &walls, draft, &raf); }
    join(&walls);
    const bounds all = bounds_of(&in, &walls, draft, &raf);
    const cairn_vec2 size_m = floor_m(&all, margin_m);
    if (fmax(size_m.x, size_m.y) > CAIRN_DRAFT_SIDE_M_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "is %.1f x %.1f m; an arena has at most %.0f m a side", size_m.x,
                       size_m.y, CAIRN_DRAFT_SIDE_M_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (walls.count > CAIRN_DRAFT_WALLS_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "has %u walls; at most %d", walls.count, CAIRN_DRAFT_WALLS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    move_onto_floor(&all, margin_m, &walls, draft, &raf);
    const cairn_vec2 by_m = offset_m(&all, margin_m);
    cairn_draft_note(draft, "(0, 0) here is (%.3f, %.3f) m there.", -by_m.x, -by_m.y);
    note_left_out(&in, draft, &raf);
    *ret_raf = raf;
    return CAIRN_OK;
}
