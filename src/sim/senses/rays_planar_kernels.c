// rays_planar_kernels.c - a whole sweep at once: boxes are drawn over the beams, nearest first.
//
// Boxes are looked at eight at a time, flocks of neighbours that are out of range not at all: does the plane cut it,
// how near is it at least, and between which beams does it lie. Then they are drawn in order of that distance into the
// beams' ranges, eight beams at a time, each beam exactly from its own place. Blocks of eight beams whose farthest
// range is nearer than a box are passed over, so that what stands in other rooms costs a look and nothing more.
//
// Choosing is done in single precision with margins; drawing starts from faces in double precision relative to the
// laser, so that ranges are good to tens of micrometres, at grazing angles to a few tenths of a millimetre.
// Walking a grid beam by beam was weighed and dropped: ten cells a beam cost several times as much.
#include "sim/senses/rays_planar_kernels.h"
#include "body/frames.h"
#include "sim/senses/lanes.h"

_Static_assert(LANES == CAIRN_PLANAR_LANES, "rows of fields are filled up to whole lanes");
_Static_assert(CAIRN_PLANAR_FLOCK % LANES == 0, "flocks are whole lanes");
#define BLOCKS_MAX ((CAIRN_SCAN_BEAMS_MAX + LANES - 1) / LANES)
#define TWO_PI_F 6.2831853f
// Distances in single precision, and angles from the polynomial below, are good to much less than these.
#define DISTANCE_MARGIN_M 1e-3f
#define BEAM_MARGIN 1.0f // of beams
// Neighbouring faces overlap by this much, so that no beam slips through between them.
#define FACE_MARGIN_M 4e-6f
// Lists by distance: bucket k holds what is at least k * BUCKET_M away, the last one all the rest.
#define BUCKET_COUNT 64
#define BUCKET_M 0.5f

// Good to 3e-4 rad, which is well within BEAM_MARGIN.
LANES_INLINE floats rough_atan2(floats y, floats x)
{
    const floats ax = magnitude(x), ay = magnitude(y);
    const floats a = smaller(ax, ay) / larger(larger(ax, ay), all(1e-20f));
    const floats s = a * a;
    floats angle = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
    angle = choose(ay > ax, 1.57079633f - angle, angle);
    angle = choose(x < 0.0f, 3.14159265f - angle, angle);
    return with_sign_of(angle, y);
}

// To [0, 2 pi), for angles within a few turns of it.
LANES_INLINE floats wrap_positive(floats angle)
{
    const floats turns = angle * (1.0f / TWO_PI_F);
    floats whole = __builtin_convertvector(__builtin_convertvector(turns, ints), floats);
    whole = choose(whole > turns, whole - 1.0f, whole);
    return angle - whole * TWO_PI_F;
}

// ---- which boxes may be seen, and between which beams

typedef struct laser_sight {
    floats x_m, y_m, plane_m, range_m; // of the laser
    floats play_m;                     // it moves by no more than this to either side of the middle
    floats bearing_rad_first, beams_per_rad;
    floats beam_count;
} laser_sight;

static laser_sight sight_of(const cairn_planar_sweep *sweep)
{
    return (laser_sight){
        .x_m = all((float)sweep->middle_m.x),
        .y_m = all((float)sweep->middle_m.y),
        .plane_m = all((float)sweep->plane_m),
        .range_m = all((float)sweep->range_m_max),
        .play_m = all((float)(0.5 * cairn_vec2_length(sweep->motion_m)) + DISTANCE_MARGIN_M),
        .bearing_rad_first = all((float)sweep->bearing_rad_first),
        .beams_per_rad = all((float)(1.0 / sweep->bearing_rad_step)),
        .beam_count = all((float)sweep->beam_count),
    };
}

// Seen from the box's own axes, the two corners that bound what it covers are chosen by the side on which the laser
// stands; from there on it is plain trigonometry. A direction changes by at most asin(play / distance) when the
// laser moves, which is below 1.6 times that ratio.
LANES_INLINE void look_at_boxes(const laser_sight *sight, const cairn_planar_fields *fields, uint32_t at,
                                const cairn_planar_scratch *ret)
{
    const floats dx = sight->x_m - load(fields->x_m + at), dy = sight->y_m - load(fields->y_m + at);
    const floats ux = load(fields->axis_x + at), uy = load(fields->axis_y + at);
    const floats hx = load(fields->half_x_m + at), hy = load(fields->half_y_m + at);
    const floats x = dx * ux + dy * uy, y = dy * ux - dx * uy;
    const ints out_x = magnitude(x) > hx, out_y = magnitude(y) > hy;
    const floats gap_x = larger(magnitude(x) - hx, all(0.0f)), gap_y = larger(magnitude(y) - hy, all(0.0f));
    floats near = larger(larger(gap_x, gap_y), 0.7071f * (gap_x + gap_y)) - sight->play_m; // an octagon's distance
    near = larger(near, all(0.0f));

    const floats side_x = with_sign_of(hx, x), side_y = with_sign_of(hy, y);
    const floats ax = side_x - x, ay = choose(out_x, -side_y, side_y) - y;
    const floats bx = choose(out_y, -side_x, side_x) - x, by = side_y - y;
    const floats angle_a = rough_atan2(ay, ax), angle_b = rough_atan2(by, bx);
    const ints a_first = ax * by - ay * bx > 0.0f;
    const floats right = choose(a_first, angle_a, angle_b);
    const floats width = wrap_positive(choose(a_first, angle_b, angle_a) - right);

    const floats margin = BEAM_MARGIN + 1.6f * sight->play_m * sight->beams_per_rad / larger(near, all(1e-6f));
    const floats first =
        wrap_positive(right + load(fields->yaw_rad + at) - sight->bearing_rad_first) * sight->beams_per_rad;
    const ints close = near < sight->play_m; // all around
    const floats from = choose(close, all(0.0f), first - margin);
    const floats to = choose(close, sight->beam_count, first + width * sight->beams_per_rad + margin);
    const ints cut = (load(fields->bottom_m + at) <= sight->plane_m) & (load(fields->top_m + at) >= sight->plane_m);
    store(ret->distance_m + at, choose(cut, near, all(INFINITY)));
    store_ints(ret->beam_first + at, __builtin_convertvector(from, ints) - 1);
    store_ints(ret->beam_last + at, __builtin_convertvector(to, ints) + 1);
}

// Few and small: by their bounding circles.
static void look_at_polygon(const cairn_planar_sweep *sweep, const cairn_planar_polygon *polygon, uint32_t at,
                            const cairn_planar_scratch *ret)
{
    cairn_vec2 sum = {0, 0};
    for (uint32_t i = 0; i < polygon->corner_count; i++) { sum = cairn_vec2_add(sum, polygon->corners_m[i]); }
    const cairn_vec2 centre = cairn_vec2_scale(sum, 1.0 / polygon->corner_count);
    double radius_m = 0.5 * cairn_vec2_length(sweep->motion_m) + (double)DISTANCE_MARGIN_M;
    double corner_m = 0;
    for (uint32_t i = 0; i < polygon->corner_count; i++) {
        corner_m = fmax(corner_m, cairn_vec2_distance(centre, polygon->corners_m[i]));
    }
    radius_m += corner_m;
    const cairn_vec2 to_centre = cairn_vec2_sub(centre, sweep->middle_m);
    const double distance_m = cairn_vec2_length(to_centre);
    ret->distance_m[at] = (float)fmax(distance_m - radius_m, 0.0);
    ret->beam_first[at] = 0;
    ret->beam_last[at] = (int32_t)sweep->beam_count;
    if (distance_m <= 1.01 * radius_m) { return; }
    const double half_rad = asin(radius_m / distance_m);
    double right_rad = atan2(to_centre.y, to_centre.x) - half_rad - sweep->bearing_rad_first;
    right_rad -= 2 * CAIRN_PI * floor(right_rad / (2 * CAIRN_PI));
    ret->beam_first[at] = (int32_t)(right_rad / sweep->bearing_rad_step - 2.0);
    ret->beam_last[at] = (int32_t)((right_rad + 2 * half_rad) / sweep->bearing_rad_step + 2.0);
}

// ---- drawing

// A face between two corners, relative to the laser in the middle of the sweep.
typedef struct box_face {
    float normal_x, normal_y, distance_m, normal_motion_m; // outward normal; signed distance of the laser's plane
    float along_x, along_y, start_m, along_motion_m;       // unit vector from corner to corner
    float length_m;
} box_face;

typedef struct beam_canvas {
    uint32_t block_count;
    float farthest_m[BLOCKS_MAX]; // range of each block
    floats range_m[BLOCKS_MAX];
    floats ray_x[BLOCKS_MAX], ray_y[BLOCKS_MAX]; // unit directions of beams
    floats moment[BLOCKS_MAX];                   // [-] -0.5 at the first beam, 0.5 at the last
} beam_canvas;

// Directions by turning a whole block at a time, in double precision.
static void set_up_canvas(const cairn_planar_sweep *sweep, beam_canvas *canvas)
{
    const double step = sweep->bearing_rad_step;
    doubles lane_x, lane_y;
    for (int i = 0; i < LANES; i++) {
        lane_x[i] = cos(sweep->bearing_rad_first + i * step);
        lane_y[i] = sin(sweep->bearing_rad_first + i * step);
    }
    const double turn_x = cos(LANES * step), turn_y = sin(LANES * step);
    const float moment_step = sweep->beam_count > 1 ? 1.0f / (float)(sweep->beam_count - 1) : 0.0f;
    const floats lane = {0, 1, 2, 3, 4, 5, 6, 7};
    canvas->block_count = (sweep->beam_count + LANES - 1) / LANES;
    for (uint32_t block = 0; block < canvas->block_count; block++) {
        canvas->ray_x[block] = __builtin_convertvector(lane_x, floats);
        canvas->ray_y[block] = __builtin_convertvector(lane_y, floats);
        canvas->moment[block] = ((float)(block * LANES) + lane) * moment_step - (sweep->beam_count > 1 ? 0.5f : 0.0f);
        canvas->range_m[block] = all((float)sweep->range_m_max);
        canvas->farthest_m[block] = (float)sweep->range_m_max;
        const doubles x = lane_x * turn_x - lane_y * turn_y;
        lane_y = lane_x * turn_y + lane_y * turn_x;
        lane_x = x;
    }
}

static box_face face_between(const cairn_planar_sweep *sweep, cairn_vec2 from, cairn_vec2 to)
{
    const cairn_vec2 edge = cairn_vec2_sub(to, from);
    const double length = cairn_vec2_length(edge);
    const cairn_vec2 along = cairn_vec2_scale(edge, 1.0 / length), normal = {along.y, -along.x};
    const cairn_vec2 start = cairn_vec2_sub(from, sweep->middle_m);
    return (box_face){.normal_x = (float)normal.x,
                      .normal_y = (float)normal.y,
                      .distance_m = (float)cairn_vec2_dot(normal, start),
                      .normal_motion_m = (float)cairn_vec2_dot(normal, sweep->motion_m),
                      .along_x = (float)along.x,
                      .along_y = (float)along.y,
                      .start_m = (float)cairn_vec2_dot(along, start),
                      .along_motion_m = (float)cairn_vec2_dot(along, sweep->motion_m),
                      .length_m = (float)length};
}

// Ray: moment * motion + t * ray. It enters through the face where it meets its line from outside, between the corners.
LANES_INLINE void draw_face_block(beam_canvas *canvas, const box_face *face, uint32_t block)
{
    const floats ray_x = canvas->ray_x[block], ray_y = canvas->ray_y[block], moment = canvas->moment[block];
    const floats facing = face->normal_x * ray_x + face->normal_y * ray_y;
    const floats t = (face->distance_m - moment * face->normal_motion_m) / facing;
    const floats past_start =
        moment * face->along_motion_m + t * (face->along_x * ray_x + face->along_y * ray_y) - face->start_m;
    const floats range = canvas->range_m[block];
    const ints met = (facing < 0.0f) & (t >= 0.0f) & (past_start >= -FACE_MARGIN_M) &
                     (past_start <= face->length_m + FACE_MARGIN_M) & (t < range);
    canvas->range_m[block] = choose(met, t, range);
}

static void draw_faces(beam_canvas *canvas, const box_face *faces, uint32_t face_count, float distance_m,
                       int32_t beam_first, int32_t beam_last)
{
    const int32_t last = (int32_t)canvas->block_count * LANES - 1;
    if (beam_last < 0 || beam_first > last) { return; }
    const uint32_t from = (uint32_t)(beam_first < 0 ? 0 : beam_first) / LANES;
    const uint32_t to = (uint32_t)(beam_last > last ? last : beam_last) / LANES;
    for (uint32_t block = from; block <= to; block++) {
        if (canvas->farthest_m[block] <= distance_m) { continue; }
        for (uint32_t i = 0; i < face_count; i++) { draw_face_block(canvas, &faces[i], block); }
        canvas->farthest_m[block] = largest(canvas->range_m[block]);
    }
}

static bool any_block_open(const beam_canvas *canvas, float distance_m, int32_t beam_first, int32_t beam_last)
{
    const int32_t last = (int32_t)canvas->block_count * LANES - 1;
    if (beam_last < 0 || beam_first > last) { return false; }
    const uint32_t from = (uint32_t)(beam_first < 0 ? 0 : beam_first) / LANES;
    const uint32_t to = (uint32_t)(beam_last > last ? last : beam_last) / LANES;
    for (uint32_t block = from; block <= to; block++) {
        if (canvas->farthest_m[block] > distance_m) { return true; }
    }
    return false;
}

static uint32_t corners_of(const cairn_planar_sweep *sweep, uint32_t item, cairn_vec2 *ret_corners)
{
    if (item >= sweep->fields->count) {
        const cairn_planar_polygon *polygon = &sweep->polygons[item - sweep->fields->count];
        memcpy(ret_corners, polygon->corners_m, sizeof polygon->corners_m);
        return polygon->corner_count;
    }
    const cairn_planar_box *box = &sweep->boxes[item];
    const cairn_vec2 x = {box->axis_x * box->half_x_m, box->axis_y * box->half_x_m};
    const cairn_vec2 y = {-box->axis_y * box->half_y_m, box->axis_x * box->half_y_m};
    ret_corners[0] = (cairn_vec2){box->x_m - x.x - y.x, box->y_m - x.y - y.y};
    ret_corners[1] = (cairn_vec2){box->x_m + x.x - y.x, box->y_m + x.y - y.y};
    ret_corners[2] = (cairn_vec2){box->x_m + x.x + y.x, box->y_m + x.y + y.y};
    ret_corners[3] = (cairn_vec2){box->x_m - x.x + y.x, box->y_m - x.y + y.y};
    return 4;
}

static void draw_item(const cairn_planar_sweep *sweep, const cairn_planar_scratch *scratch, uint32_t item,
                      beam_canvas *canvas)
{
    const float distance_m = scratch->distance_m[item];
    const int32_t first = scratch->beam_first[item], last = scratch->beam_last[item];
    const int32_t round = (int32_t)(2 * CAIRN_PI / sweep->bearing_rad_step); // what ends beyond it starts anew
    if (!any_block_open(canvas, distance_m, first, last) &&
        !any_block_open(canvas, distance_m, first - round - 1, last - round) &&
        !any_block_open(canvas, distance_m, first + round, last + round + 1)) {
        return;
    }
    cairn_vec2 corners[CAIRN_PLANAR_CORNERS_MAX];
    const uint32_t corner_count = corners_of(sweep, item, corners);
    box_face faces[CAIRN_PLANAR_CORNERS_MAX];
    uint32_t face_count = 0;
    bool inside = true;
    const float play_m = (float)(0.5 * cairn_vec2_length(sweep->motion_m)) + DISTANCE_MARGIN_M;
    for (uint32_t i = 0; i < corner_count; i++) {
        faces[face_count] = face_between(sweep, corners[i], corners[(i + 1) % corner_count]);
        inside = inside && faces[face_count].distance_m > 0.0f;
        face_count += faces[face_count].distance_m < play_m; // the others show their backs
    }
    if (inside) {
        for (uint32_t block = 0; block < canvas->block_count; block++) { canvas->range_m[block] = all(0.0f); }
        return;
    }
    draw_faces(canvas, faces, face_count, distance_m, first, last);
    draw_faces(canvas, faces, face_count, distance_m, first - round - 1, last - round);
    draw_faces(canvas, faces, face_count, distance_m, first + round, last + round + 1);
}

// ---- the whole

typedef struct distance_lists {
    int32_t heads[BUCKET_COUNT];
} distance_lists;

static void sort_by_distance(const cairn_planar_scratch *scratch, uint32_t first, uint32_t end, float range_m_max,
                             distance_lists *lists)
{
    for (uint32_t item = first; item < end; item++) {
        const float distance_m = scratch->distance_m[item];
        if (!(distance_m < range_m_max)) { continue; }
        const float bucket = distance_m * (1.0f / BUCKET_M);
        const int at = bucket < BUCKET_COUNT - 1 ? (int)bucket : BUCKET_COUNT - 1;
        scratch->next[item] = lists->heads[at];
        lists->heads[at] = (int32_t)item;
    }
}

static bool out_of_range(const cairn_planar_sweep *sweep, const cairn_planar_flock *flock)
{
    const double dx_m = sweep->middle_m.x - (double)flock->x_m, dy_m = sweep->middle_m.y - (double)flock->y_m;
    const double reach_m = sweep->range_m_max + (double)flock->radius_m + 0.5 * cairn_vec2_length(sweep->motion_m) +
                           (double)DISTANCE_MARGIN_M;
    return dx_m * dx_m + dy_m * dy_m > reach_m * reach_m;
}

static void look_at_flock(const cairn_planar_sweep *sweep, const laser_sight *sight, uint32_t flock,
                          const cairn_planar_scratch *scratch, distance_lists *lists)
{
    if (out_of_range(sweep, &sweep->fields->flocks[flock])) { return; }
    const uint32_t first = flock * CAIRN_PLANAR_FLOCK, end = first + CAIRN_PLANAR_FLOCK;
    for (uint32_t at = first; at < end; at += LANES) { look_at_boxes(sight, sweep->fields, at, scratch); }
    sort_by_distance(scratch, first, end, (float)sweep->range_m_max, lists);
}

void CAIRN_KERNEL(cairn_planar_cast)(const cairn_planar_sweep *sweep, const cairn_planar_scratch *scratch,
                                     float *ret_range_m)
{
    const laser_sight sight = sight_of(sweep);
    distance_lists lists;
    for (int i = 0; i < BUCKET_COUNT; i++) { lists.heads[i] = -1; }
    for (uint32_t flock = 0; flock < sweep->fields->count / CAIRN_PLANAR_FLOCK; flock++) {
        look_at_flock(sweep, &sight, flock, scratch, &lists);
    }
    const uint32_t polygon_first = sweep->fields->count;
    for (uint32_t i = 0; i < sweep->polygon_count; i++) {
        look_at_polygon(sweep, &sweep->polygons[i], polygon_first + i, scratch);
    }
    const float range_m_max = (float)sweep->range_m_max;
    sort_by_distance(scratch, polygon_first, polygon_first + sweep->polygon_count, range_m_max, &lists);

    beam_canvas canvas;
    set_up_canvas(sweep, &canvas);
    for (int bucket = 0; bucket < BUCKET_COUNT; bucket++) {
        for (int32_t item = lists.heads[bucket]; item >= 0; item = scratch->next[item]) {
            draw_item(sweep, scratch, (uint32_t)item, &canvas);
        }
    }
    for (uint32_t block = 0; block < canvas.block_count; block++) {
        canvas.range_m[block] = choose(canvas.range_m[block] < range_m_max, canvas.range_m[block], all(INFINITY));
    }
    memcpy(ret_range_m, canvas.range_m, sweep->beam_count * sizeof *ret_range_m);
}

// ---- pictures

// Narrows near..far to the part of the rays within one slab |p| <= half. A ray along the slab divides by zero: it is
// then inside from -inf to inf, or outside from one infinity to the same.
LANES_INLINE void clip(float from, floats ray, float half, floats *near, floats *far)
{
    const floats a = (-half - from) / ray, b = (half - from) / ray;
    *near = larger(*near, smaller(a, b));
    *far = smaller(*far, larger(a, b));
}

void CAIRN_KERNEL(cairn_planar_paint)(const cairn_planar_warmth *box, const cairn_planar_window *window, float *depth_m,
                                      float *celsius)
{
    const floats lane = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t row = window->row_first; row < window->row_end; row++) {
        const float x = (float)(box->corner.x + row * box->down.x), y = (float)(box->corner.y + row * box->down.y);
        const float z = (float)(box->corner.z + row * box->down.z);
        for (uint32_t column = window->column_first; column < window->column_end; column += LANES) {
            const floats at = (float)column + lane;
            const size_t pixel = (size_t)row * window->width_px + column;
            const floats depth = load(depth_m + pixel);
            floats near = all(0.0f), far = depth;
            clip((float)box->from_m.x, x + at * (float)box->right.x, (float)box->half_m.x, &near, &far);
            clip((float)box->from_m.y, y + at * (float)box->right.y, (float)box->half_m.y, &near, &far);
            clip((float)box->from_m.z, z + at * (float)box->right.z, (float)box->half_m.z, &near, &far);
            const ints met = (near <= far) & (near < depth);
            store(depth_m + pixel, choose(met, near, depth));
            store(celsius + pixel, choose(met, all(box->celsius), load(celsius + pixel)));
        }
    }
}
