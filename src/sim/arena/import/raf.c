// NIST arenas as the RoboCup Rescue arena designer of Team Hector writes them: a flat list of XML elements on cells of
// 1.2 m, each with a type and a rotation (clockwise, degrees; 0: its wall stands in the north of the cell).
//
// Walls of one line are joined. Two half ramps that rise towards each other in a cell make a ridge, and so do two full
// ramps in neighbouring cells; one alone is a slope. The sizes are those of the designer's models.
#include "sim/arena/import/sources.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_M 1.2
#define WALL_M 0.05
#define SMALL_M 1.2
#define TALL_M 2.4
#define BARREL_M 0.5      // the square with the area of a barrel of 0.57 m
#define BARREL_LOW_M 0.6  //
#define BARREL_HIGH_M 1.2 // two of them, one on the other
#define TILE_M 1.18       // ramps leave a gap of 2 cm between cells
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
#define UNITS_MAX 1000.0
#define QUARTER_RAD 1.57079632679489661923

typedef enum element_kind {
    WALL,
    TALL_WALL,
    DIAGONAL,
    CORNER,
    BARREL,
    HIGH_BARREL,
    HALF_RAMP,
    FULL_RAMP,
    STEEP_RAMP,
    RAISED_FLOOR,
    FLIGHT,
    STEP_FIELD,
    VICTIM_ON_WALL,
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
    {"small_wall_triple_holes", WALL},
    {"wall_holes1", WALL},
    {"veil_wall", WALL},
    {"tall_wall", TALL_WALL},
    {"wall_diag_120", DIAGONAL},
    {"corner_diag_120", CORNER},
    {"fiducial_barrel", BARREL},
    {"fiducial_barrel_high", HIGH_BARREL},
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
    return strncmp(type, "victim_", 7) == 0 ? VICTIM_ON_WALL : OTHER;
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
    }
    if (!fits) {
        cairn_complain(in->complaints, in->name, in->line,
                       "%s: found '%s'; x and y count cells, rotation is a multiple of 90 degrees", key, value);
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
    int32_t height_mm;
} line;

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

static void add_line(lines *to, const element *of, cairn_vec2 a, cairn_vec2 b, double height_m)
{
    const cairn_vec2 from = place(of, a.x, a.y), till = place(of, b.x, b.y);
    line made = {llround(1000 * from.x), llround(1000 * from.y), llround(1000 * till.x), llround(1000 * till.y),
                 (int32_t)llround(1000 * height_m)};
    if (made.x1 < made.x0 || (made.x1 == made.x0 && made.y1 < made.y0)) {
        made = (line){made.x1, made.y1, made.x0, made.y0, made.height_mm};
    }
    to->all[to->count++] = made;
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
    COMPARE(a->height_mm, b->height_mm)
    COMPARE(line_key(a), line_key(b))
    COMPARE(along(a), along(b))
    return 0;
}

// Neighbours on one line become one wall; what is there twice becomes one.
static void join(lines *walls)
{
    qsort(walls->all, walls->count, sizeof walls->all[0], compare_lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walls->count; i++) {
        line *last = kept > 0 ? &walls->all[kept - 1] : NULL;
        const line next = walls->all[i];
        const bool same = last != NULL && slope_of(last) == slope_of(&next) && last->height_mm == next.height_mm &&
                          line_key(last) == line_key(&next);
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

static void add_barrel(cairn_draft *draft, const element *of, double height_m)
{
    const cairn_vec2 at_m = place(of, 0.0, CELL_M / 2);
    for (uint32_t i = 0; i < draft->box_count; i++) {
        cairn_sim_box *box = &draft->boxes[i];
        if (cairn_vec2_distance(cairn_pose2_at(box->map_T_box), at_m) > 0.01) { continue; }
        box->size_m.z = fmax(box->size_m.z, height_m); // one on each side of a wall: the two halves of one
        return;
    }
    if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return; }
    draft->boxes[draft->box_count++] =
        (cairn_sim_box){.map_T_box = {at_m.x, at_m.y, 0.0}, .size_m = {BARREL_M, BARREL_M, height_m}};
}

// Which way the local north of an element points.
static double north_rad(const element *of) { return cairn_angle_wrap(QUARTER_RAD * (1 - of->quarter)); }

static void add_ramp(cairn_draft *draft, cairn_vec2 at_m, double heading_rad, double length_m, double angle_rad,
                     bool slope)
{
    if (draft->ramp_count == CAIRN_DRAFT_RAMPS_MAX) { return; }
    draft->ramps[draft->ramp_count++] = (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, heading_rad},
                                                         .length_m = length_m,
                                                         .width_m = TILE_M,
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

// On the floor; arena files have none on raised floors.
static bool add_step_field(const reader *in, cairn_draft *draft, const element *of)
{
    if (draft->step_field_count == CAIRN_DRAFT_ELEMENTS_MAX) { return false; }
    if (find_at(in, RAISED_FLOOR, of->x, of->y, -1) != UINT32_MAX) { return false; }
    const cairn_vec2 middle_m = place(of, 0, 0);
    draft->step_fields[draft->step_field_count++] =
        (cairn_draft_step_field){.kind = "diagonal",
                                 .corner_m = {middle_m.x - CELL_M / 2, middle_m.y - CELL_M / 2},
                                 .columns = 1,
                                 .rows = 1,
                                 .post_m = POST_M,
                                 .step_m = POST_STEP_M,
                                 .levels = POST_LEVELS,
                                 .seed = 1};
    return true;
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
    case STEP_FIELD: return add_step_field(in, draft, of);
    default: return false;
    }
}

static void add_victim(cairn_raf *raf, const element *of)
{
    if (raf->victim_count == CAIRN_IMPORT_VICTIMS_MAX) { return; }
    const bool on_wall = of->kind == VICTIM_ON_WALL;
    const cairn_vec2 offset_m = {of->offset_x * CELL_M, of->offset_y * CELL_M};
    const cairn_vec2 at_m = cairn_vec2_add(place(of, 0.0, on_wall ? CELL_M / 2 : 0.0), offset_m);
    raf->victims[raf->victim_count++] =
        (cairn_raf_victim){.at_m = at_m,
                           .facing_rad = cairn_angle_wrap(-QUARTER_RAD * (of->quarter + 1)),
                           .on_wall = on_wall,
                           .boxed = on_wall};
}

static void add_element(reader *in, uint32_t index, double height_m, lines *walls, cairn_draft *draft, cairn_raf *raf)
{
    const element *of = &in->elements[index];
    const double half = CELL_M / 2, small_m = height_m > 0.0 ? height_m : SMALL_M;
    const cairn_vec2 northwest = {-half, half}, northeast = {half, half}, southwest = {-half, -half}, middle = {0, 0};
    switch (of->kind) {
    case WALL: add_line(walls, of, northwest, northeast, small_m); break;
    case TALL_WALL: add_line(walls, of, northwest, northeast, height_m > 0.0 ? height_m : TALL_M); break;
    case DIAGONAL: add_line(walls, of, southwest, northeast, small_m); break;
    case CORNER:
        add_line(walls, of, middle, northeast, small_m);
        add_line(walls, of, middle, northwest, small_m);
        break;
    case BARREL: add_barrel(draft, of, BARREL_LOW_M); break;
    case HIGH_BARREL: add_barrel(draft, of, BARREL_HIGH_M); break;
    case VICTIM_ON_WALL:
    case VICTIM: add_victim(raf, of); break;
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
        stretch(&all, cairn_pose2_at(draft->boxes[i].map_T_box), BARREL_M / 2);
    }
    for (uint32_t i = 0; i < raf->victim_count; i++) { stretch(&all, raf->victims[i].at_m, 0.0); }
    for (uint32_t i = 0; i < in->count; i++) {
        const element *of = &in->elements[i];
        if (of->kind < HALF_RAMP || of->kind == VICTIM || of->kind == VICTIM_ON_WALL) { continue; }
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

static void move_onto_floor(const bounds *all, double margin_m, const lines *walls, cairn_draft *draft, cairn_raf *raf)
{
    const cairn_vec2 by_m = {margin_m - all->low_m.x, margin_m - all->low_m.y};
    draft->size_m = cairn_vec2_add(cairn_vec2_sub(all->high_m, all->low_m), (cairn_vec2){2 * margin_m, 2 * margin_m});
    for (uint32_t i = 0; i < walls->count && draft->wall_count < CAIRN_DRAFT_WALLS_MAX; i++) {
        const line *from = &walls->all[i];
        draft->walls[draft->wall_count++] =
            (cairn_sim_wall){.from_m = cairn_vec2_add((cairn_vec2){from->x0 / 1000.0, from->y0 / 1000.0}, by_m),
                             .to_m = cairn_vec2_add((cairn_vec2){from->x1 / 1000.0, from->y1 / 1000.0}, by_m),
                             .thickness_m = WALL_M,
                             .height_m = from->height_mm / 1000.0};
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
    lines walls = {.all = CAIRN_TAKE(memory, line, 2 * CAIRN_RAF_ELEMENTS_MAX)};
    if (in.elements == NULL || raf.victims == NULL || walls.all == NULL) { return CAIRN_ERR_FULL; }
    if (!read_all(&in)) { return CAIRN_ERR_CORRUPT; }
    if (in.count == 0) {
        cairn_complain(complaints, name_for_errors, 0, "has no <element .../>; expected a NIST arena description");
        return CAIRN_ERR_CORRUPT;
    }
    for (uint32_t i = 0; i < in.count; i++) { add_element(&in, i, height_m, &walls, draft, &raf); }
    join(&walls);
    const bounds all = bounds_of(&in, &walls, draft, &raf);
    const cairn_vec2 size_m = cairn_vec2_sub(all.high_m, all.low_m);
    if (fmax(size_m.x, size_m.y) + 2 * margin_m > CAIRN_DRAFT_SIDE_M_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "is %.1f x %.1f m; an arena has at most %.0f m a side", size_m.x,
                       size_m.y, CAIRN_DRAFT_SIDE_M_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (walls.count > CAIRN_DRAFT_WALLS_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "has %u walls; at most %d", walls.count, CAIRN_DRAFT_WALLS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    move_onto_floor(&all, margin_m, &walls, draft, &raf);
    cairn_draft_note(draft, "(0, 0) here is (%.3f, %.3f) m there.", all.low_m.x - margin_m, all.low_m.y - margin_m);
    note_left_out(&in, draft, &raf);
    *ret_raf = raf;
    return CAIRN_OK;
}
