#include "robot/ground/seen_ground.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_M CAIRN_SEEN_CELL_M
#define CELLS CAIRN_SEEN_CELLS
// [m] Two neighbouring rows farther apart say nothing about what lies between them. Larger: sees farther ahead; holes
// that are as wide are seen only from nearer by.
#define GAP_M_MIN 0.25
#define REACH_M 3.0 // farther, half a degree of attitude is half a step
// [m] So far beside the wheels' way the ground is trusted unless a ray went through it: turning on the spot takes
// wheels 5 cm out of the strip that they rolled along. Larger: turns sooner in places that it has not seen; edges
// beside its way, that it has not seen either, come nearer.
#define DRIVEN_M 0.10
// [m] Beyond what must carry beside the wheels: cells are not along them.
#define BESIDE_MORE_M (0.5 * CELL_M)
#define STEP_MORE_M 0.02
#define STEP_M_MIN 0.06 // the least that can be told from noise
#define SLOPE_MORE 0.1
#define BELOW_M 0.08 // a ray so much below ground that was seen shows that it is not there
#define SAME_M_MAX                                                                                                     \
    0.10 // heights of one cell that differ by less, and by less than a step, are one ground, and averaged
#define TRUST_MORE_M 0.3
// [m] The nearest ground in sight is taken as one line over so much: longer is less noisy, and bends of ramps are
// missed.
#define LINE_M 0.3
// [-] Along the ground it may be so many times as far as across, and so many cells more. Larger: goes on sooner where
// it has seen little; streets become sound while the robot still stands on the pavement.
#define ROUNDABOUT 2
#define ROUNDABOUT_CELLS 5
#define LEANS_M 0.5    // ground of which no height is known goes on so far as the robot leans
#define EVEN_M 0.02    // ground that goes on for a shorter way is the same if it is so near to what the robot stands on
#define LINE_M_MIN 0.1 // over less it says nothing of a slope

// How far from the base's middle the lowest ray of a sensor meets level ground straight ahead.
static double nearest_sight_m(cairn_pose3 base_T_sensor, double down_rad)
{
    const cairn_vec3 ahead = cairn_quat_rotate(base_T_sensor.turn, (cairn_vec3){cos(down_rad), 0, -sin(down_rad)});
    if (ahead.z >= -0.05) { return 0; } // level: it shows none
    return base_T_sensor.at_m.x + base_T_sensor.at_m.z * ahead.x / -ahead.z;
}

static double trust_of(const cairn_body_description *description)
{
    double sight_m = INFINITY;
    const cairn_range_imager_description *imager = &description->range_imager;
    if (imager->offered) {
        const double half_rad = atan(tan(0.5 * imager->field_rad) * imager->height_px / imager->width_px);
        sight_m = nearest_sight_m(imager->base_T_camera, half_rad);
    }
    const cairn_laser_description *laser = &description->laser;
    if (laser->offered && laser->nod.offered) {
        sight_m = fmin(sight_m, nearest_sight_m(laser->base_T_laser, laser->nod.to_rad));
    }
    const double corner_m = hypot(0.5 * description->length_m, 0.5 * description->width_m);
    return fmax(isfinite(sight_m) ? sight_m : 0, corner_m) + TRUST_MORE_M;
}

cairn_err cairn_seen_ground_init(cairn_seen_ground *seen, const cairn_body_description *description, cairn_arena *arena)
{
    CAIRN_ASSERT(seen != NULL && description != NULL && arena != NULL);
    CAIRN_ASSERT(description->length_m > 0 && description->width_m > 0);
    const cairn_body_limits *limits = &description->limits;
    *seen = (cairn_seen_ground){
        .half_length_m = 0.5 * description->length_m,
        .half_width_m = 0.5 * description->width_m,
        .wheel_x_m = 0.5 * description->wheels.wheelbase_m,
        .wheel_y_m = 0.5 * description->wheels.track_m,
        .beside_m =
            0.5 * (description->wheels.track_m + description->wheels.width_m) + CAIRN_GROUND_ASIDE_M + BESIDE_MORE_M,
        .trust_m = trust_of(description),
        .gap_m = fmax(limits->gap_m_max, GAP_M_MIN),
        .step_m = fmax(limits->step_m_max + STEP_MORE_M, STEP_M_MIN),
        .slope = tan(limits->climb_rad_max) + SLOPE_MORE,
        .drop_m = fmax(limits->drop_m_max, STEP_M_MIN),
        .cells = CAIRN_TAKE(arena, cairn_seen_cell, CELLS * CELLS),
        .reached = CAIRN_TAKE(arena, uint16_t, CELLS * CELLS),
        .queue = CAIRN_TAKE(arena, uint32_t, CELLS * CELLS),
    };
    return seen->cells != NULL && seen->reached != NULL && seen->queue != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

// ---- cells

static int32_t lattice(double m) { return (int32_t)floor(m / CELL_M); }

static cairn_seen_cell *slot_of(const cairn_seen_ground *seen, int32_t x, int32_t y)
{
    return &seen->cells[((uint32_t)y & (CELLS - 1)) * CELLS + ((uint32_t)x & (CELLS - 1))];
}

// The cell if anything is known of it; NULL otherwise.
static cairn_seen_cell *told_of(const cairn_seen_ground *seen, int32_t x, int32_t y)
{
    cairn_seen_cell *cell = slot_of(seen, x, y);
    const bool is_it = cell->x == x && cell->y == y && (cell->seen || cell->open);
    return is_it && seen->way_m - cell->passed_m < CAIRN_SEEN_WAY_M ? cell : NULL;
}

// The cell if its ground is known; NULL otherwise.
static cairn_seen_cell *known(const cairn_seen_ground *seen, int32_t x, int32_t y)
{
    cairn_seen_cell *cell = told_of(seen, x, y);
    return cell != NULL && cell->seen ? cell : NULL;
}

static void mark(cairn_seen_ground *seen, cairn_vec2 at_m, double height_m)
{
    const int32_t x = lattice(at_m.x), y = lattice(at_m.y);
    const cairn_seen_cell *before = known(seen, x, y);
    const bool same = before != NULL && fabs((double)before->height_m - height_m) < fmin(seen->step_m, SAME_M_MAX);
    const double mean_m = same ? 0.5 * ((double)before->height_m + height_m) : height_m;
    *slot_of(seen, x, y) =
        (cairn_seen_cell){.x = x, .y = y, .seen = true, .height_m = (float)mean_m, .passed_m = seen->way_m};
}

static bool is_near(const cairn_seen_ground *seen, cairn_vec3 at_m)
{
    const double dx_m = at_m.x - seen->odom_T_base.x_m, dy_m = at_m.y - seen->odom_T_base.y_m;
    return dx_m * dx_m + dy_m * dy_m < REACH_M * REACH_M; // false for what is no number
}

static uint32_t steps_between(double way_m) { return 1 + (uint32_t)(way_m / (0.5 * CELL_M)); }

static void mark_unless_told(cairn_seen_ground *seen, cairn_vec2 at_m, double height_m)
{
    if (told_of(seen, lattice(at_m.x), lattice(at_m.y)) == NULL) { mark(seen, at_m, height_m); }
}

// The nearest ground in a picture is hardly wider than the robot: where it shows the middle of a wheel's way, the rest
// of that way and what must carry beside it are trusted.
static void mark_beside(cairn_seen_ground *seen, cairn_pose2 odom_T_base, cairn_vec3 at_m)
{
    const cairn_vec2 in_base = cairn_pose2_apply(cairn_pose2_inverse(odom_T_base), (cairn_vec2){at_m.x, at_m.y});
    const double out_m = fabs(in_base.y);
    if (in_base.x < 0 || out_m < seen->wheel_y_m || out_m >= seen->beside_m) { return; }
    const uint32_t steps = steps_between(seen->beside_m - out_m);
    for (uint32_t i = 1; i <= steps; i++) {
        const double y_m = out_m + (seen->beside_m - out_m) * i / steps;
        const cairn_vec2 there_m = {in_base.x, copysign(y_m, in_base.y)};
        mark_unless_told(seen, cairn_pose2_apply(odom_T_base, there_m), at_m.z);
    }
}

// One column of the last picture, or of the last two scans.
typedef struct column {
    cairn_vec3 from_m;
    bool outermost;          // beside it nothing was looked at
    cairn_pose2 odom_T_base; // when it was taken
} column;

static void mark_between(cairn_seen_ground *seen, const column *of, cairn_vec3 from_m, cairn_vec3 to_m)
{
    const cairn_vec3 by_m = cairn_vec3_sub(to_m, from_m);
    const uint32_t steps = steps_between(hypot(by_m.x, by_m.y));
    for (uint32_t i = 0; i <= steps; i++) {
        const cairn_vec3 at_m = cairn_vec3_add(from_m, cairn_vec3_scale(by_m, (double)i / steps));
        mark(seen, (cairn_vec2){at_m.x, at_m.y}, at_m.z);
        if (of->outermost) { mark_beside(seen, of->odom_T_base, at_m); }
    }
}

// How high the ground is at a point of the base, were it as even as the robot stands.
static double standing_m(const cairn_seen_ground *seen, cairn_vec2 in_base)
{
    return seen->ground_m + seen->rises_ahead * in_base.x + seen->rises_left * in_base.y;
}

// A rectangle of the base's: what carries the robot, and what is trusted beside it where nothing is known.
static void mark_rectangle(cairn_seen_ground *seen, double half_x_m, double half_y_m)
{
    const uint32_t columns = steps_between(2 * half_x_m), rows = steps_between(2 * half_y_m);
    const cairn_frame2 odom_T_base = cairn_frame2_of(seen->odom_T_base);
    for (uint32_t i = 0; i <= columns; i++) {
        for (uint32_t k = 0; k <= rows; k++) {
            const cairn_vec2 at_m = {half_x_m * (2.0 * i / columns - 1), half_y_m * (2.0 * k / rows - 1)};
            const cairn_vec2 there_m = cairn_frame2_apply(odom_T_base, at_m);
            const bool carries = fabs(at_m.y) <= seen->half_width_m;
            if (carries) {
                mark(seen, there_m, standing_m(seen, at_m));
            } else {
                mark_unless_told(seen, there_m, standing_m(seen, at_m));
            }
        }
    }
}

static void trust_around(cairn_seen_ground *seen)
{
    const cairn_vec2 at_m = cairn_pose2_at(seen->odom_T_base);
    const int32_t reach = 2 * (lattice(seen->trust_m) + 1); // by half cells, so that rounding leaves none out
    for (int32_t x = -reach; x <= reach; x++) {
        for (int32_t y = -reach; y <= reach; y++) {
            const cairn_vec2 by_m = {0.5 * CELL_M * x, 0.5 * CELL_M * y};
            if (cairn_vec2_length(by_m) > seen->trust_m) { continue; }
            mark(seen, cairn_vec2_add(at_m, by_m), seen->ground_m);
        }
    }
}

static void take_stand(cairn_seen_ground *seen, const cairn_reflex_state *state, double ground_m)
{
    seen->odom_T_base = state->odom_T_base;
    seen->way_m = state->distance_m;
    seen->ground_m = ground_m;
    const bool leans = isfinite(state->pitch_rad) && isfinite(state->roll_rad); // it may be lifted, or lie on its side
    seen->rises_ahead = leans ? fmin(fmax(-tan(state->pitch_rad), -seen->slope), seen->slope) : 0;
    seen->rises_left = leans ? fmin(fmax(tan(state->roll_rad), -seen->slope), seen->slope) : 0;
}

void cairn_seen_ground_go_on(cairn_seen_ground *seen, const cairn_sound_ground *told, const cairn_reflex_state *state,
                             double ground_m)
{
    CAIRN_ASSERT(seen != NULL && seen->cells != NULL && state != NULL && !seen->begun);
    if (told == NULL || told->odom_id != state->odom_id) { return; }
    take_stand(seen, state, ground_m);
    const cairn_pose2 base_T_odom = cairn_pose2_inverse(seen->odom_T_base);
    for (int32_t i = 0; i < CELLS * CELLS; i++) {
        const int32_t along = i % CELLS, across = i / CELLS;
        const cairn_vec2 at_m = {((double)told->low_x + along + 0.5) * CELL_M,
                                 ((double)told->low_y + across + 0.5) * CELL_M};
        if (!cairn_sound_ground_carries(told, at_m)) { continue; }
        // How high it is was not told. Farther off it need not go on as the robot leans.
        const cairn_vec2 in_base = cairn_pose2_apply(base_T_odom, at_m);
        const double away_m = cairn_vec2_length(in_base);
        mark(seen, at_m, standing_m(seen, cairn_vec2_scale(in_base, LEANS_M / fmax(away_m, LEANS_M))));
    }
    seen->begun = true;
}

void cairn_seen_ground_stand(cairn_seen_ground *seen, const cairn_reflex_state *state, double ground_m)
{
    CAIRN_ASSERT(seen != NULL && seen->cells != NULL && state != NULL);
    take_stand(seen, state, ground_m);
    if (!seen->begun) { trust_around(seen); }
    seen->begun = true;
    mark_rectangle(seen, seen->wheel_x_m, seen->half_width_m + DRIVEN_M);
}

void cairn_seen_ground_forget(cairn_seen_ground *seen)
{
    CAIRN_ASSERT(seen != NULL && seen->cells != NULL);
    memset(seen->cells, 0, (size_t)CELLS * CELLS * sizeof seen->cells[0]);
    seen->begun = false;
}

// ---- rows

// What a ray passed below is not there: ground that was seen before, or any that could go on from the nearer end of the
// ray beside it.
// along_m: how far the end is away, level.
static void clear_below(cairn_seen_ground *seen, cairn_vec3 from_m, double near_m, double near_z_m, cairn_vec3 end_m,
                        double along_m)
{
    const cairn_vec3 by_m = cairn_vec3_sub(end_m, from_m);
    const double to_m = fmin(along_m, REACH_M);
    if (!(along_m > CELL_M)) { return; }
    for (uint32_t i = 0; near_m + 0.5 * CELL_M * i < to_m - CELL_M; i++) {
        const double at = near_m + 0.5 * CELL_M * i;
        const cairn_vec3 at_m = cairn_vec3_add(from_m, cairn_vec3_scale(by_m, at / along_m));
        const int32_t x = lattice(at_m.x), y = lattice(at_m.y);
        const cairn_seen_cell *cell = known(seen, x, y);
        const double ground_m = cell != NULL ? (double)cell->height_m : near_z_m - seen->slope * (at - near_m);
        if (ground_m <= at_m.z + BELOW_M) { continue; }
        *slot_of(seen, x, y) = (cairn_seen_cell){.x = x, .y = y, .open = true, .passed_m = seen->way_m};
    }
}

static double away_m(cairn_vec3 from_m, cairn_vec3 at_m) { return hypot(at_m.x - from_m.x, at_m.y - from_m.y); }

static bool is_one_ground(const cairn_seen_ground *seen, cairn_vec3 a_m, cairn_vec3 b_m)
{
    const double apart_m = away_m(a_m, b_m);
    return apart_m <= seen->gap_m &&
           fabs(a_m.z - b_m.z) <= fmin(fmin(seen->step_m, seen->drop_m), 0.5 * STEP_M_MIN + seen->slope * apart_m);
}

// The ends of two neighbouring rays, and how far they are away.
static void see_pair(cairn_seen_ground *seen, const column *of, cairn_vec3 a_m, double a_away_m, cairn_vec3 b_m,
                     double b_away_m)
{
    const bool a_nearer = a_away_m < b_away_m;
    const cairn_vec3 near_m = a_nearer ? a_m : b_m, far_m = a_nearer ? b_m : a_m;
    clear_below(seen, of->from_m, a_nearer ? a_away_m : b_away_m, near_m.z, far_m, a_nearer ? b_away_m : a_away_m);
    if (is_near(seen, near_m) && is_near(seen, far_m) && is_one_ground(seen, near_m, far_m)) {
        mark_between(seen, of, near_m, far_m);
    }
}

// The nearest ground in a column as one line through its lowest points, along the robot's x.
typedef struct ground_line {
    double x_m, z_m; // its middle, in base
    double slope;    // [-] upward
} ground_line;

// Fits it by least squares. False where the ground goes on for too short a way to tell how it leans.
static bool line_of(const cairn_seen_ground *seen, const cairn_ground_rows *rows, uint32_t at, const column *of,
                    ground_line *ret_line)
{
    const cairn_pose2 base_T_odom = cairn_pose2_inverse(of->odom_T_base);
    double count = 0, x_sum = 0, z_sum = 0, xx_sum = 0, xz_sum = 0, first_x_m = 0, x_m = 0;
    cairn_vec3 last_m = {0};
    for (uint32_t row = rows->height; row-- > 0;) {
        const cairn_vec3 at_m = rows->end_m[row * rows->width + at];
        if (!isfinite(at_m.x) || (count > 0 && !is_one_ground(seen, last_m, at_m))) { break; }
        const double there_m = cairn_pose2_apply(base_T_odom, (cairn_vec2){at_m.x, at_m.y}).x;
        if (count == 0) { first_x_m = there_m; }
        if (there_m - first_x_m > LINE_M) { break; }
        x_m = there_m - first_x_m;
        count++;
        x_sum += x_m;
        z_sum += at_m.z;
        xx_sum += x_m * x_m;
        xz_sum += x_m * at_m.z;
        last_m = at_m;
    }
    CAIRN_ASSERT(count > 0);
    const double spread = xx_sum - x_sum * x_sum / count;
    if (!(x_m >= LINE_M_MIN && spread > 0)) { return false; }
    const double slope = (xz_sum - x_sum * z_sum / count) / spread;
    *ret_line = (ground_line){.x_m = first_x_m + x_sum / count, .z_m = z_sum / count, .slope = slope};
    return true;
}

// Whether the ground that the robot stands on and the ground in sight can be one, with a bend but without a step, in
// what lies between them unseen. A ramp's line meets that of the floor before it; that of the street below a kerb runs
// beside it. Joining the two by a slope made a ramp of every kerb that had come too near to be seen. A ramp that rises
// below an edge is as deep as at the hull.
static bool is_bend(const cairn_seen_ground *seen, const ground_line *line, double y_m, double to_x_m)
{
    const double from_x_m = seen->wheel_x_m;
    CAIRN_ASSERT(isfinite(line->slope) && isfinite(line->z_m));
    const double begin_m =
        standing_m(seen, (cairn_vec2){from_x_m, y_m}) - line->z_m - line->slope * (from_x_m - line->x_m);
    const double end_m = standing_m(seen, (cairn_vec2){to_x_m, y_m}) - line->z_m - line->slope * (to_x_m - line->x_m);
    if (begin_m * end_m <= 0) { return true; }
    if (begin_m > 0) { return fmax(begin_m, end_m) <= fmin(seen->step_m, seen->drop_m); } // down, anywhere in between
    return fmin(-begin_m, -end_m) <= seen->step_m;
}

// From the hull to the nearest ground that is in sight, straight ahead.
static void see_first(cairn_seen_ground *seen, const cairn_ground_rows *rows, uint32_t at, const column *of)
{
    const cairn_vec3 end_m = rows->end_m[(rows->height - 1) * rows->width + at];
    const cairn_vec2 in_base = cairn_pose2_apply(cairn_pose2_inverse(of->odom_T_base), (cairn_vec2){end_m.x, end_m.y});
    const double blind_m = in_base.x - seen->half_length_m;
    if (fabs(in_base.y) > seen->half_width_m + CELL_M || blind_m < 0 || blind_m > CAIRN_SEEN_BLIND_M) { return; }
    const cairn_vec2 foot_m = {seen->wheel_x_m, in_base.y};
    const double foot_z_m = standing_m(seen, foot_m);
    if (fabs(end_m.z - foot_z_m) > 0.5 * STEP_M_MIN + seen->slope * (in_base.x - foot_m.x)) { return; }
    ground_line line;
    const bool tells = line_of(seen, rows, at, of, &line);
    if (tells && !is_bend(seen, &line, in_base.y, in_base.x)) { return; }
    // The floor between the robot and a wall: as even as the robot stands, or nobody knows.
    if (!tells && fabs(end_m.z - standing_m(seen, in_base)) > EVEN_M) { return; }
    const cairn_vec2 hull_m = cairn_pose2_apply(of->odom_T_base, foot_m);
    mark_between(seen, of, (cairn_vec3){hull_m.x, hull_m.y, foot_z_m}, end_m);
}

static void see_column(cairn_seen_ground *seen, const cairn_ground_rows *rows, uint32_t at, const column *of)
{
    bool any = false;
    cairn_vec3 last_m = {0};
    double last_away_m = 0;
    for (uint32_t row = rows->height; row-- > 0;) { // from the lowest up
        const cairn_vec3 at_m = rows->end_m[row * rows->width + at];
        if (!isfinite(at_m.x)) {
            any = false; // nobody knows what lies there
            continue;
        }
        const double at_away_m = away_m(rows->from_m, at_m);
        if (any) {
            see_pair(seen, of, last_m, last_away_m, at_m, at_away_m);
        } else {
            clear_below(seen, rows->from_m, seen->wheel_x_m, seen->ground_m, at_m, at_away_m);
            if (row + 1 == rows->height) { see_first(seen, rows, at, of); }
        }
        if (is_near(seen, at_m)) { mark(seen, (cairn_vec2){at_m.x, at_m.y}, at_m.z); }
        last_m = at_m;
        last_away_m = at_away_m;
        any = true;
    }
}

void cairn_seen_ground_see(cairn_seen_ground *seen, const cairn_ground_sweep *sweep)
{
    CAIRN_ASSERT(seen != NULL && sweep != NULL);
    const cairn_ground_rows *rows = &sweep->rows;
    if (!seen->begun) { return; }
    for (uint32_t at = 0; at < rows->width; at++) {
        const column of = {rows->from_m, at == 0 || at + 1 == rows->width, sweep->odom_T_last};
        see_column(seen, rows, at, &of);
    }
}

// ---- telling

static bool is_step_down(const cairn_seen_ground *seen, const cairn_seen_cell *from, const cairn_seen_cell *to)
{
    const double down_m = (double)from->height_m - (double)to->height_m;
    return down_m > fmin(seen->step_m + seen->slope * CELL_M, seen->drop_m);
}

// Where the flood has been: how many cells it is to there, one beside the other, and whether that is up a step, on a
// wall or a kerb: nothing that lies lower beside it is an edge for who is down here.
enum { UNREACHED = 0, STEPS_MASK = 0x3fff, BELOW_STEP = 0x4000, RAISED = 0x8000 };

// The street below a pavement can be reached by a ramp somewhere, and is no way down from here for that: what lies far
// farther off along the ground than across is not sound now. It will be, once the robot is down there.
static bool is_roundabout(uint32_t steps, int32_t x, int32_t y)
{
    const int32_t across = abs(x - CELLS / 2) + abs(y - CELLS / 2);
    return steps > ROUNDABOUT * (uint32_t)across + ROUNDABOUT_CELLS;
}

// Floods on from one cell to the one beside it, if that is sound.
static bool goes_on(cairn_seen_ground *seen, const cairn_sound_ground *ground, uint32_t from, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= CELLS || y >= CELLS) { return false; }
    uint16_t *reached = &seen->reached[y * CELLS + x];
    const int32_t from_x = (int32_t)(from % CELLS), from_y = (int32_t)(from / CELLS);
    const cairn_seen_cell *cell = slot_of(seen, ground->low_x + from_x, ground->low_y + from_y);
    const cairn_seen_cell *beside = known(seen, ground->low_x + x, ground->low_y + y);
    if (beside == NULL) { return false; }
    const bool raised = (seen->reached[from] & RAISED) != 0;
    if (is_step_down(seen, cell, beside)) {
        if (!raised) { *reached = BELOW_STEP; } // also if there is a way around: nobody drives down here
        return false;
    }
    const uint32_t steps = (seen->reached[from] & STEPS_MASK) + 1u;
    if (*reached != UNREACHED || is_roundabout(steps, x, y)) { return false; }
    CAIRN_ASSERT(steps <= STEPS_MASK);
    *reached = (uint16_t)(steps | (raised || is_step_down(seen, beside, cell) ? RAISED : 0));
    return true;
}

void cairn_seen_ground_tell(cairn_seen_ground *seen, cairn_mono now, cairn_sound_ground *ret_ground)
{
    CAIRN_ASSERT(seen != NULL && seen->queue != NULL && ret_ground != NULL);
    const int32_t middle_x = lattice(seen->odom_T_base.x_m), middle_y = lattice(seen->odom_T_base.y_m);
    memset(seen->reached, 0, CELLS * CELLS * sizeof seen->reached[0]);
    *ret_ground = (cairn_sound_ground){.issued = now, .low_x = middle_x - CELLS / 2, .low_y = middle_y - CELLS / 2};
    uint32_t head = 0, tail = 0;
    if (known(seen, middle_x, middle_y) != NULL) {
        seen->queue[tail++] = (CELLS / 2) * CELLS + CELLS / 2;
        seen->reached[seen->queue[0]] = 1;
    }
    while (head < tail) {
        const uint32_t at = seen->queue[head++];
        const int32_t x = (int32_t)(at % CELLS), y = (int32_t)(at / CELLS);
        for (int side = 0; side < 4 && seen->reached[at] != BELOW_STEP; side++) {
            const int32_t u = x + (side == 0) - (side == 1), v = y + (side == 2) - (side == 3);
            if (goes_on(seen, ret_ground, at, u, v)) { seen->queue[tail++] = (uint32_t)(v * CELLS + u); }
        }
    }
    CAIRN_ASSERT(tail <= CELLS * CELLS); // each is reached once
    for (uint32_t i = 0; i < tail; i++) {
        const uint32_t at = seen->queue[i];
        if (seen->reached[at] != BELOW_STEP) { ret_ground->bits[at >> 3] |= (uint8_t)(1u << (at & 7)); }
    }
}
