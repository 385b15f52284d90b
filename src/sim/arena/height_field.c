// Rough ground: made from a seed, and looked up.
//
// gravel  Every corner has a height of its own, on gentle waves of about half a metre: wheels shake, nothing stops
//         them.
// rubble  Broken slabs of about half a metre, each a plane with its own height and tilt, one corner's distance from the
//         next: a robot pitches, rolls, and meets edges that it must go around or climb.
//
// Both sink to nothing towards the rim.
#include "base/random.h"
#include "sim/arena/arena_private.h"
#include "sim/arena/ground.h"

#define WAVE_M 0.5          // between the crests of gravel
#define GRAVEL_WAVES 0.5    // [-] part of the height that the waves have; the rest is pebbles
#define GRAVEL_RIM_M 0.3    // over which it rises from nothing
#define SLAB_M 0.55         // across a piece of rubble
#define SLAB_SLOPE_MAX 0.35 // [-] of one piece: 19 degrees
#define RUBBLE_RIM_M 0.4

static uint32_t cells_along(double size_m, double cell_m)
{
    const double cells = round(size_m / cell_m);
    return cells < 1 ? 1 : (uint32_t)cells;
}

uint32_t cairn_rough_corner_count(const cairn_rough *rough)
{
    const uint64_t count =
        (uint64_t)(cells_along(rough->size_m.x, rough->cell_m) + 1) * (cells_along(rough->size_m.y, rough->cell_m) + 1);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

// How far in from the rim, as a part of the way to full height.
static double rim_factor(const cairn_height_field *field, uint32_t column, uint32_t row, double rim_m)
{
    const uint32_t to_side = column < field->columns - 1 - column ? column : field->columns - 1 - column;
    const uint32_t to_end = row < field->rows - 1 - row ? row : field->rows - 1 - row;
    return fmin((to_side < to_end ? to_side : to_end) * field->cell_m / rim_m, 1.0);
}

// Random things at the corners of a coarse lattice over the field, with one more all around.
typedef struct site {
    cairn_vec2 at_m; // field frame
    double height;   // [-] 0 to 1
    cairn_vec2 slope;
} site;

typedef struct lattice {
    double spacing_m;
    uint32_t columns, rows;
    site *sites;
} lattice;

static cairn_err make_lattice(const cairn_height_field *field, double spacing_m, cairn_random *random,
                              cairn_arena *memory, lattice *ret_lattice)
{
    lattice made = {.spacing_m = spacing_m,
                    .columns = (uint32_t)ceil((field->columns - 1) * field->cell_m / spacing_m) + 3,
                    .rows = (uint32_t)ceil((field->rows - 1) * field->cell_m / spacing_m) + 3};
    made.sites = CAIRN_TAKE(memory, site, (size_t)made.columns * made.rows);
    if (made.sites == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t r = 0; r < made.rows; r++) {
        for (uint32_t c = 0; c < made.columns; c++) {
            site *of = &made.sites[(size_t)r * made.columns + c];
            of->at_m.x = (c - 1.0 + cairn_random_uniform(random)) * spacing_m;
            of->at_m.y = (r - 1.0 + cairn_random_uniform(random)) * spacing_m;
            of->height = cairn_random_uniform(random);
            of->slope.x = cairn_random_between(random, -SLAB_SLOPE_MAX, SLAB_SLOPE_MAX);
            of->slope.y = cairn_random_between(random, -SLAB_SLOPE_MAX, SLAB_SLOPE_MAX);
        }
    }
    *ret_lattice = made;
    return CAIRN_OK;
}

static const site *site_at(const lattice *of, uint32_t column, uint32_t row)
{
    return &of->sites[(size_t)row * of->columns + column];
}

static double smooth(double t) { return t * t * (3 - 2 * t); }

// Heights of the lattice's corners, blended smoothly between them: 0 to 1.
static double wave_at(const lattice *of, cairn_vec2 at_m)
{
    const double x = at_m.x / of->spacing_m + 1, y = at_m.y / of->spacing_m + 1;
    const uint32_t c = (uint32_t)x, r = (uint32_t)y;
    const double fx = smooth(x - c), fy = smooth(y - r);
    const double south = (1 - fx) * site_at(of, c, r)->height + fx * site_at(of, c + 1, r)->height;
    const double north = (1 - fx) * site_at(of, c, r + 1)->height + fx * site_at(of, c + 1, r + 1)->height;
    return (1 - fy) * south + fy * north;
}

// The piece that a point belongs to: that of the nearest site.
static const site *piece_at(const lattice *of, cairn_vec2 at_m)
{
    const uint32_t c = (uint32_t)(at_m.x / of->spacing_m + 1), r = (uint32_t)(at_m.y / of->spacing_m + 1);
    const site *nearest = NULL;
    double nearest_m = INFINITY;
    for (uint32_t y = r - 1; y <= r + 1 && y < of->rows; y++) {
        for (uint32_t x = c - 1; x <= c + 1 && x < of->columns; x++) {
            const double apart_m = cairn_vec2_distance(site_at(of, x, y)->at_m, at_m);
            if (apart_m < nearest_m) {
                nearest_m = apart_m;
                nearest = site_at(of, x, y);
            }
        }
    }
    return nearest;
}

static double gravel_at(const lattice *waves, cairn_vec2 at_m, double height_m, cairn_random *random)
{
    const double pebble = cairn_random_uniform(random);
    return height_m * (GRAVEL_WAVES * wave_at(waves, at_m) + (1 - GRAVEL_WAVES) * pebble);
}

static double rubble_at(const lattice *pieces, cairn_vec2 at_m, double height_m)
{
    const site *piece = piece_at(pieces, at_m);
    const double tilt_m = cairn_vec2_dot(piece->slope, cairn_vec2_sub(at_m, piece->at_m));
    return fmin(fmax(height_m * piece->height + tilt_m, 0.0), height_m);
}

static void fill(const cairn_rough *rough, const lattice *over, cairn_random *random, cairn_height_field *field,
                 float *heights_m)
{
    const bool gravel = rough->kind == CAIRN_ROUGH_GRAVEL;
    for (uint32_t r = 0; r < field->rows; r++) {
        for (uint32_t c = 0; c < field->columns; c++) {
            const cairn_vec2 at_m = {c * field->cell_m, r * field->cell_m};
            const double full_m =
                gravel ? gravel_at(over, at_m, rough->height_m, random) : rubble_at(over, at_m, rough->height_m);
            const float height_m = (float)(full_m * rim_factor(field, c, r, gravel ? GRAVEL_RIM_M : RUBBLE_RIM_M));
            heights_m[(size_t)r * field->columns + c] = height_m;
            if (height_m > field->height_m_max) { field->height_m_max = height_m; }
        }
    }
}

cairn_err cairn_rough_make_field(const cairn_rough *rough, cairn_arena *memory, cairn_height_field *ret_field)
{
    cairn_height_field field = {.foot_m = rough->foot_m,
                                .cell_m = rough->cell_m,
                                .columns = cells_along(rough->size_m.x, rough->cell_m) + 1,
                                .rows = cells_along(rough->size_m.y, rough->cell_m) + 1,
                                .friction = rough->friction};
    const cairn_pose2 map_T_middle = {rough->at_m.x, rough->at_m.y, rough->heading_rad};
    const cairn_pose2 middle_T_corner = {-(field.columns - 1.0) * field.cell_m / 2,
                                         -(field.rows - 1.0) * field.cell_m / 2, 0};
    field.map_T_field = cairn_pose2_compose(map_T_middle, middle_T_corner);
    float *heights_m = CAIRN_TAKE(memory, float, (size_t)field.columns *field.rows);
    if (heights_m == NULL) { return CAIRN_ERR_FULL; }
    const size_t mark = cairn_arena_mark(memory);
    cairn_random random;
    cairn_random_init(&random, rough->seed, rough->kind == CAIRN_ROUGH_GRAVEL ? "arena/gravel" : "arena/rubble");
    lattice over;
    const cairn_err err =
        make_lattice(&field, rough->kind == CAIRN_ROUGH_GRAVEL ? WAVE_M : SLAB_M, &random, memory, &over);
    if (err != CAIRN_OK) { return err; }
    fill(rough, &over, &random, &field, heights_m);
    cairn_arena_reset(memory, mark);
    field.height_m = heights_m;
    *ret_field = field;
    return CAIRN_OK;
}

bool cairn_height_field_at(const cairn_height_field *field, cairn_vec2 at_m, double *ret_height_m,
                           cairn_vec2 *ret_slope)
{
    const double x = at_m.x / field->cell_m, y = at_m.y / field->cell_m;
    if (!(x >= 0 && y >= 0 && x <= field->columns - 1 && y <= field->rows - 1)) { return false; }
    const uint32_t c = x >= field->columns - 1 ? field->columns - 2 : (uint32_t)x;
    const uint32_t r = y >= field->rows - 1 ? field->rows - 2 : (uint32_t)y;
    const float *corner_m = &field->height_m[(size_t)r * field->columns + c];
    const double h00 = corner_m[0], h10 = corner_m[1], h01 = corner_m[field->columns],
                 h11 = corner_m[field->columns + 1];
    const double fx = x - c, fy = y - r;
    // Which side of the line from (c, r) to (c + 1, r + 1).
    const cairn_vec2 rise_m = fx >= fy ? (cairn_vec2){h10 - h00, h11 - h10} : (cairn_vec2){h11 - h01, h01 - h00};
    *ret_height_m = h00 + fx * rise_m.x + fy * rise_m.y;
    *ret_slope = cairn_vec2_scale(rise_m, 1 / field->cell_m);
    return true;
}

double cairn_height_field_m(const cairn_height_field *field, cairn_vec2 at_m)
{
    double height_m;
    cairn_vec2 slope;
    return cairn_height_field_at(field, at_m, &height_m, &slope) ? height_m : 0.0;
}
