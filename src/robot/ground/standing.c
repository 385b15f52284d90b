#include "robot/ground/standing.h"
#include <math.h>
#include <string.h>

#define CELL_M 0.1 // finer cells stay empty between the lines of a nod
#define HEIGHT_TILES 256
#define TAKEN_HZ_MAX (1 / 0.024) // of each sensor: so often deliberate looks for a new frame
#define MEMORY_S 20              // larger: more is known behind the robot, and heights that drifted meet
// Rays make nothing free here, they only take away what stood: floor is passed far more often than it is met.
#define CLEAR_BELOW_M (-1e3)
#define WINDOW_CELLS 64
// [m] On uneven ground a robot of four stiff wheels stands on three and rocks. A wheel that hangs by less than this
// comes down before the robot falls over, and holds it. Larger: one that hangs over a hole is counted on.
#define TOUCH_M 0.10
#define ROCK_M 0.01         // its mass may be off by this along and across: so it comes to stand on each of its wheels
#define LEVEL_M 0.015       // all wheels this near to the ground: it does not rock
#define NEIGHBOURS_MIN 3    // known ones around a hole. Fewer: guesses far from what was seen
#define LEAN_PART 0.6       // [-] of the angle at which it tips on its weakest edge. Larger: nearer to tipping
#define SLOW_PART (2 / 3.0) // [-] of the greatest lean, from which on it goes slowly
#define SLOWEST_MPS 0.15
#define STEP_M 0.1
#define UNDER_M 0.15 // the first of a way that is not judged
#define NEAR_M 1.0
#define LOOK_M 2.5 // a nod's lines lie 0.2 m apart there, and heights beyond are guesses
#define REFUSED_NS CAIRN_S(20)
#define SAME_PLACE_M 0.03
#define REFUSED_RADIUS_M 0.15 // smaller: more tries until a way leads round; larger: gaps beside it are closed

static cairn_stand_def contacts_of(const cairn_body_description *description)
{
    const cairn_wheels_description *wheels = &description->wheels;
    cairn_stand_def body = {.mass_m = description->mass_centre_m, .touch_m = TOUCH_M};
    const int rows = description->tracks.offered ? 3 : 2; // a belt also carries in its middle
    for (int row = 0; row < rows; row++) {
        const double x_m = wheels->wheelbase_m * ((double)row / (rows - 1) - 0.5);
        body.contact_m[body.contact_count++] = (cairn_vec2){x_m, 0.5 * wheels->track_m};
        body.contact_m[body.contact_count++] = (cairn_vec2){x_m, -0.5 * wheels->track_m};
    }
    return body;
}

#define SLOPE_CELLS 32

// How it stands on a slope that rises along x, heading along yaw.
static bool stand_on_slope(const cairn_stand_def *body, double slope_rad, double yaw_rad, cairn_stand *ret_stand)
{
    int32_t height_um[SLOPE_CELLS * SLOPE_CELLS];
    double reach_m = 0;
    for (uint32_t i = 0; i < body->contact_count; i++) {
        reach_m = fmax(reach_m, cairn_vec2_length(body->contact_m[i]));
    }
    const double cell_m = 3 * reach_m / SLOPE_CELLS;
    for (uint32_t i = 0; i < SLOPE_CELLS * SLOPE_CELLS; i++) {
        height_um[i] = cairn_um(tan(slope_rad) * cell_m * (i % SLOPE_CELLS));
    }
    const cairn_height_grid slope = {{{0, 0}, cell_m, SLOPE_CELLS, SLOPE_CELLS}, height_um};
    const double middle_m = 0.5 * SLOPE_CELLS * cell_m;
    return cairn_stand_drop(body, &slope, (cairn_pose2){middle_m, middle_m, yaw_rad}, ret_stand) == CAIRN_OK;
}

// The greatest risk on a slope, whichever way the robot stands on it: up, down and across.
static double risk_on_slope(const cairn_stand_def *body, double slope_rad)
{
    double risk = 1;
    for (int quarter = 0; quarter < 4; quarter++) {
        cairn_stand stand;
        if (!stand_on_slope(body, slope_rad, quarter * 0.5 * CAIRN_PI, &stand)) { return INFINITY; }
        risk = fmax(risk, stand.risk);
    }
    return risk;
}

static bool lies_well(const cairn_stand_def *body)
{
    cairn_stand level;
    return body->mass_m.z > 0 && stand_on_slope(body, 0, 0, &level) && level.measure_m_rad > 0;
}

// As many as its sensors take in MEMORY_S: each scan of a laser that nods and each image counts.
static uint32_t memory_scans(const cairn_body_description *description)
{
    const double laser_hz = description->laser.nod.offered ? description->laser.rate_hz : 0;
    const double imager_hz = description->range_imager.offered ? description->range_imager.rate_hz : 0;
    return (uint32_t)fmax(ceil(MEMORY_S * (fmin(laser_hz, TAKEN_HZ_MAX) + fmin(imager_hz, TAKEN_HZ_MAX))), 1);
}

cairn_err cairn_standing_init(cairn_standing *standing, const cairn_body_description *description, double lean_rad_max,
                              cairn_arena *arena)
{
    *standing = (cairn_standing){.body = contacts_of(description), .lean_rad_max = lean_rad_max};
    standing->able = lies_well(&standing->body);
    if (!standing->able) { return CAIRN_OK; }
    cairn_stand level;
    const bool stands = stand_on_slope(&standing->body, 0, 0, &level);
    CAIRN_ASSERT(stands);
    const double lean_rad = fmin(lean_rad_max, LEAN_PART * level.angle_rad);
    standing->risk_max = risk_on_slope(&standing->body, lean_rad);
    standing->risk_slow = risk_on_slope(&standing->body, SLOW_PART * lean_rad);
    cairn_height_map_def def = cairn_height_map_def_default();
    def.cell_m = CELL_M;
    def.tile_count = HEIGHT_TILES;
    def.range_m_max = CAIRN_SWEEP_REACH_M;
    def.clear_below_m = CLEAR_BELOW_M;
    def.memory_scans = memory_scans(description);
    standing->window_um = CAIRN_TAKE(arena, int32_t, WINDOW_CELLS * WINDOW_CELLS);
    standing->filled_um = CAIRN_TAKE(arena, int32_t, WINDOW_CELLS * WINDOW_CELLS);
    standing->rays = CAIRN_TAKE(arena, cairn_height_ray, CAIRN_SWEEP_RAYS_MAX);
    if (standing->window_um == NULL || standing->filled_um == NULL || standing->rays == NULL) { return CAIRN_ERR_FULL; }
    return cairn_height_map_create(&def, arena, &standing->heights);
}

void cairn_standing_see(cairn_standing *standing, const cairn_ground_sweep *sweep, cairn_pose2 private_T_odom)
{
    if (!standing->able || sweep->ray_count == 0) { return; }
    const cairn_pose2 private_T_sweep = cairn_pose2_compose(private_T_odom, sweep->odom_T_sweep);
    const double cosine = cos(private_T_sweep.yaw_rad), sine = sin(private_T_sweep.yaw_rad);
    cairn_height_ray *rays = standing->rays;
    for (uint32_t i = 0; i < sweep->ray_count; i++) {
        const cairn_vec3 end_m = sweep->rays[i].end_m;
        rays[i] = (cairn_height_ray){.end_m = {private_T_sweep.x_m + cosine * end_m.x - sine * end_m.y,
                                               private_T_sweep.y_m + sine * end_m.x + cosine * end_m.y,
                                               end_m.z + sweep->begun_z_m},
                                     .hit = sweep->rays[i].hit,
                                     .end_only = sweep->rays[i].end_only};
    }
    const cairn_vec3 from_m = sweep->rays_from_m;
    const cairn_vec2 at_m = cairn_pose2_apply(private_T_sweep, (cairn_vec2){from_m.x, from_m.y});
    cairn_height_map_add(standing->heights, (cairn_vec3){at_m.x, at_m.y, from_m.z + sweep->begun_z_m}, rays,
                         sweep->ray_count);
}

void cairn_standing_forget(cairn_standing *standing)
{
    if (!standing->able) { return; }
    cairn_height_map_forget(standing->heights);
    standing->window = (cairn_height_grid){0};
    standing->refused_count = 0;
}

// The mean of the known heights around a cell; CAIRN_HEIGHT_NONE if they are too few.
static int32_t mean_beside(const int32_t *height_um, uint32_t x, uint32_t y)
{
    int64_t sum = 0;
    int64_t count = 0;
    for (int32_t i = 0; i < 9; i++) {
        const int32_t u = (int32_t)x + i % 3 - 1, v = (int32_t)y + i / 3 - 1;
        if (u < 0 || v < 0 || u >= WINDOW_CELLS || v >= WINDOW_CELLS) { continue; }
        const int32_t um = height_um[v * WINDOW_CELLS + u];
        if (um == CAIRN_HEIGHT_NONE) { continue; }
        sum += um;
        count++;
    }
    return count >= NEIGHBOURS_MIN ? (int32_t)(sum / count) : CAIRN_HEIGHT_NONE;
}

void cairn_standing_survey(cairn_standing *standing, const cairn_memory_grid *ground, cairn_vec2 at_m)
{
    if (!standing->able) { return; }
    const double half_m = 0.5 * WINDOW_CELLS * CELL_M;
    const cairn_vec2 corner_m = {floor((at_m.x - half_m) / CELL_M) * CELL_M,
                                 floor((at_m.y - half_m) / CELL_M) * CELL_M};
    for (uint32_t i = 0; i < WINDOW_CELLS * WINDOW_CELLS; i++) {
        const uint32_t x = i % WINDOW_CELLS, y = i / WINDOW_CELLS;
        const cairn_vec2 middle_m = {corner_m.x + (x + 0.5) * CELL_M, corner_m.y + (y + 0.5) * CELL_M};
        const bool stands_there = cairn_memory_grid_at(ground, middle_m) != CAIRN_GROUND_OBSTACLE;
        const cairn_height_cell cell = cairn_height_map_at(standing->heights, middle_m);
        const bool known = stands_there && cell.ground == CAIRN_GROUND_OBSTACLE;
        standing->window_um[i] = known ? cairn_um((double)cell.height_m) : CAIRN_HEIGHT_NONE;
    }
    for (uint32_t i = 0; i < WINDOW_CELLS * WINDOW_CELLS; i++) {
        const int32_t um = standing->window_um[i];
        standing->filled_um[i] =
            um != CAIRN_HEIGHT_NONE ? um : mean_beside(standing->window_um, i % WINDOW_CELLS, i / WINDOW_CELLS);
    }
    standing->window = (cairn_height_grid){{corner_m, CELL_M, WINDOW_CELLS, WINDOW_CELLS}, standing->filled_um};
}

// Lets it down with its mass a little off, to each of four sides; the riskiest stand counts.
static bool rock(const cairn_standing *standing, cairn_pose2 place, cairn_stand *ret_stand)
{
    cairn_stand worst = {.risk = 0};
    for (int side = 0; side < 4; side++) {
        cairn_stand_def body = standing->body;
        body.mass_m.x += side % 2 == 0 ? ROCK_M : -ROCK_M;
        body.mass_m.y += side / 2 == 0 ? ROCK_M : -ROCK_M;
        cairn_stand stand;
        if (cairn_stand_drop(&body, &standing->window, place, &stand) != CAIRN_OK) { continue; }
        if (stand.risk > worst.risk) { worst = stand; }
    }
    if (worst.risk > 0) { *ret_stand = worst; }
    return worst.risk > 0;
}

static bool stands_on_all(const cairn_standing *standing, cairn_pose2 place, cairn_stand *ret_stand)
{
    cairn_stand_def stiff = standing->body;
    stiff.touch_m = LEVEL_M;
    const bool known = cairn_stand_drop(&stiff, &standing->window, place, ret_stand) == CAIRN_OK;
    return known && ret_stand->touching == (1u << stiff.contact_count) - 1;
}

bool cairn_standing_at(const cairn_standing *standing, cairn_pose2 place, cairn_stand *ret_stand)
{
    if (!standing->able || standing->window.area.width == 0) { return false; }
    return stands_on_all(standing, place, ret_stand) || rock(standing, place, ret_stand);
}

bool cairn_standing_is_refused(const cairn_standing *standing, const cairn_stand *stand)
{
    const double upright = cairn_quat_rotate(stand->map_T_base.turn, (cairn_vec3){0, 0, 1}).z;
    return stand->risk > standing->risk_max || upright < cos(standing->lean_rad_max);
}

cairn_way_stands cairn_standing_along(const cairn_standing *standing, const cairn_way *way)
{
    cairn_way_stands stands = {.risk_near = 1};
    double along_m = 0; // at the segment's beginning
    for (uint32_t i = 0; i + 1 < way->point_count && along_m < LOOK_M && standing->able; i++) {
        const cairn_vec2 from_m = way->points_m[i], by_m = cairn_vec2_sub(way->points_m[i + 1], from_m);
        const double length_m = cairn_vec2_length(by_m), yaw_rad = atan2(by_m.y, by_m.x);
        const uint32_t steps = 1 + (uint32_t)(length_m / STEP_M);
        for (uint32_t step = 0; step <= steps; step++) {
            const double part = (double)step / steps, here_m = along_m + part * length_m;
            const cairn_vec2 at_m = cairn_vec2_add(from_m, cairn_vec2_scale(by_m, part));
            cairn_stand stand;
            if (here_m < UNDER_M || here_m > LOOK_M) { continue; }
            if (!cairn_standing_at(standing, (cairn_pose2){at_m.x, at_m.y, yaw_rad}, &stand)) { continue; }
            if (cairn_standing_is_refused(standing, &stand)) {
                stands.refused = true;
                stands.refused_m = at_m;
                stands.refused_along_m = here_m;
                return stands;
            }
            if (here_m <= NEAR_M) { stands.risk_near = fmax(stands.risk_near, stand.risk); }
        }
        along_m += length_m;
    }
    return stands;
}

void cairn_standing_refuse(cairn_standing *standing, cairn_vec2 at_m, cairn_mono now)
{
    for (uint32_t i = 0; i < standing->refused_count; i++) {
        if (cairn_vec2_distance(standing->refused[i].at_m, at_m) > SAME_PLACE_M) { continue; }
        standing->refused[i].at = now;
        return;
    }
    if (standing->refused_count == CAIRN_REFUSED_MAX) {
        memmove(standing->refused, standing->refused + 1, (CAIRN_REFUSED_MAX - 1) * sizeof standing->refused[0]);
        standing->refused_count--;
    }
    standing->refused[standing->refused_count++] = (cairn_refused_place){now, at_m};
    standing->refused_ever++;
}

void cairn_standing_close_place(cairn_cost_grid *grid, cairn_vec2 place_m)
{
    cairn_cost_grid_block_disc(grid, place_m, REFUSED_RADIUS_M);
}

void cairn_standing_close(cairn_standing *standing, cairn_cost_grid *grid, cairn_vec2 at_m, cairn_mono now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < standing->refused_count; i++) {
        const cairn_refused_place place = standing->refused[i];
        if (cairn_mono_since(now, place.at) > REFUSED_NS) { continue; }
        standing->refused[kept++] = place;
        if (cairn_vec2_distance(place.at_m, at_m) > UNDER_M + REFUSED_RADIUS_M) {
            cairn_standing_close_place(grid, place.at_m);
        }
    }
    standing->refused_count = kept;
}

double cairn_standing_speed_mps(const cairn_standing *standing, double risk, double cruise_mps)
{
    if (!standing->able || risk <= standing->risk_slow) { return cruise_mps; }
    const double part = fmin((risk - standing->risk_slow) / (standing->risk_max - standing->risk_slow), 1);
    return cruise_mps + part * (fmin(SLOWEST_MPS, cruise_mps) - cruise_mps);
}
