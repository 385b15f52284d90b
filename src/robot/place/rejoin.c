#include "robot/place/rejoin.h"
#include <math.h>
#include <string.h>

#define SIDE_CELLS 160 // of the part of the map that is looked at
#define FINE_CELLS 2   // a cell of the second look, in cells of the own map; of the first, twice that
#define STEP_CELLS_MAX (2 * FINE_CELLS)
#define DEVIATION_M_MIN 0.2 // [m] of the first look: a robot's own word on its doubt may be too small
#define DEVIATION_RAD 0.07  // the gyro goes on while nothing is seen
#define FINE_M 0.1          // [m], [rad] what the first look may be wrong by
#define FINE_RAD 0.02
#define WINDOW_M_MAX 12.0
// [-] Surer than a station's closures: there is no vote on this one.
#define SCORE_MIN 0.55
#define CLOSE_SCORE_MIN 0.65
#define AMBIGUITY_MAX 0.9
#define SLIDE_M_MAX 0.15
#define POINTS_MIN 60
// [-] The map must contradict the place that was found by less than this part of what it has against the place where
// the robot believes to be. Larger: a robot that is right is moved by walls that look alike; smaller: one that is lost
// by little stays so.
#define CONTRADICTED_PART 0.5
// [-] Of the returns of a scan that sees enough, at most this part lies where the map knows anything: it is new ground.
// Larger: goes on drawing sooner; a place that could still be found again is drawn twice.
#define NEW_PART 0.5
// [-] Of the returns that fall where the map knows something, more than this part on free floor denies the place.
// Robots that knew their place had no three scans in a row above 0.15; those that were half a metre off had 0.4 to 0.8.
// Larger: notices later; smaller: a door that was closed meanwhile denies a place that is right.
#define DENIED_PART 0.3
#define DENIED_STRIDE 4
#define DENIED_KNOWN_MIN 20
// [m], [rad] Two looks found the same place if they differ by less, and by this part of the way between them.
#define SAME_M 0.2
#define SAME_RAD 0.1
#define SAME_PART 0.1
// Larger: a wrong place that looks alike from a few spots is not believed; a lost robot is found again later.
#define CLAIM_LOOKS 3
#define CLAIM_WAY_PART 0.5 // [-] of the jump, if that is longer than CAIRN_REJOIN_FAR_M,
#define FAR_PART 0.6       // [-] and than this part of what the robot may be wrong by
#define STAY_M 0.2         // [m] what is found so near to where the robot believes to be bears it out

cairn_err cairn_rejoin_init(cairn_rejoin *rejoin, cairn_arena *arena)
{
    *rejoin = (cairn_rejoin){0};
    cairn_correlative_def def = cairn_correlative_def_default();
    def.window_m = WINDOW_M_MAX;
    def.score_min = SCORE_MIN;
    def.ambiguity_max = AMBIGUITY_MAX;
    def.slide_m_max = SLIDE_M_MAX;
    def.point_count_min = POINTS_MIN;
    const cairn_pyramid_def pyramid = {.width_max = SIDE_CELLS, .height_max = SIDE_CELLS, .point_count_max = 400};
    cairn_err err = cairn_correlative_create(&def, arena, &rejoin->correlative);
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid, arena, &rejoin->map); }
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid, arena, &rejoin->scan); }
    return err;
}

// One row of coarse cells: an obstacle if any cell of the map in it is, known if more than half of them are.
static void row_set(cairn_terrain_planes *planes, uint32_t row, const uint8_t *ground, uint32_t step)
{
    const uint32_t pitch = SIDE_CELLS * step;
    for (uint32_t x = 0; x < SIDE_CELLS; x++) {
        uint32_t known = 0;
        bool obstacle = false;
        for (uint32_t i = 0; i < step * step; i++) {
            const uint8_t cell = ground[(i / step) * pitch + x * step + i % step];
            known += cell != CAIRN_GROUND_UNKNOWN;
            obstacle = obstacle || cell == CAIRN_GROUND_OBSTACLE;
        }
        const uint32_t at = row * SIDE_CELLS + x;
        const uint8_t bit = (uint8_t)(1u << (at & 7));
        if (obstacle || 2 * known > step * step) { planes->known[at >> 3] |= bit; }
        if (obstacle) { planes->obstacle[at >> 3] |= bit; }
    }
}

// The map around a place, `step` of its cells to one.
static void part_set(cairn_rejoin *rejoin, const cairn_occupancy_grid *grid, cairn_vec2 middle_m, uint32_t step)
{
    CAIRN_ASSERT(step > 0 && step <= STEP_CELLS_MAX);
    const double fine_m = cairn_occupancy_grid_get_def(grid)->cell_m;
    const int32_t half = (int32_t)(SIDE_CELLS * step / 2);
    const int32_t x = (int32_t)floor(middle_m.x / fine_m) - half, y = (int32_t)floor(middle_m.y / fine_m) - half;
    cairn_terrain_planes *planes = &rejoin->planes;
    planes->cell_m = fine_m * step;
    planes->width = planes->height = SIDE_CELLS;
    planes->origin_m = (cairn_vec2){fine_m * x, fine_m * y};
    memset(planes->known, 0, sizeof planes->known);
    memset(planes->obstacle, 0, sizeof planes->obstacle);
    uint8_t ground[SIDE_CELLS * STEP_CELLS_MAX * STEP_CELLS_MAX];
    for (uint32_t row = 0; row < SIDE_CELLS; row++) {
        cairn_occupancy_grid_read(grid, x, y + (int32_t)(row * step), SIDE_CELLS * step, step, ground);
        row_set(planes, row, ground, step);
    }
    cairn_pyramid_set_grid(rejoin->map, planes);
}

// The doubts of the match.
static uint8_t look(cairn_rejoin *rejoin, const cairn_own_map *map, const cairn_scan_points *points,
                    const cairn_match_prior *prior, uint32_t step, cairn_match *ret_match)
{
    part_set(rejoin, map->grid, cairn_pose2_at(prior->pose), step);
    cairn_pyramid_set_scan(rejoin->scan, points, rejoin->map->cell_m);
    cairn_match_correlative(rejoin->correlative, rejoin->map, rejoin->scan, prior, ret_match);
    return ret_match->doubts;
}

static bool has_obstacle_near(const cairn_occupancy_grid *grid, cairn_vec2 at_m)
{
    const double cell_m = cairn_occupancy_grid_get_def(grid)->cell_m;
    for (int i = 0; i < 9; i++) {
        const int x = i % 3 - 1, y = i / 3 - 1;
        const cairn_vec2 there_m = {at_m.x + x * cell_m, at_m.y + y * cell_m};
        if (cairn_occupancy_grid_at(grid, there_m) == CAIRN_GROUND_OBSTACLE) { return true; }
    }
    return false;
}

// Returns of a scan, as the map has them where they would be from a place.
typedef struct returns {
    uint32_t all, known, free; // free: on floor that it saw free, beside nothing
} returns;

static returns count_returns(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 place,
                             uint32_t stride)
{
    returns counts = {0};
    for (uint32_t i = 0; i < points->count; i += stride) {
        if (!points->hit[i]) { continue; }
        const cairn_vec2 at_m = cairn_pose2_apply(place, (cairn_vec2){points->x_m[i], points->y_m[i]});
        const bool explained = has_obstacle_near(map->grid, at_m);
        const cairn_ground ground = cairn_occupancy_grid_at(map->grid, at_m);
        counts.all++;
        counts.known += explained || ground != CAIRN_GROUND_UNKNOWN;
        counts.free += !explained && ground == CAIRN_GROUND_FREE;
    }
    CAIRN_ASSERT(counts.free <= counts.known && counts.known <= counts.all);
    return counts;
}

// Of the returns that fall where the map knows something, the part on floor that it saw free. All of it if they are
// few.
static double contradicted(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 place)
{
    const returns counts = count_returns(map, points, place, 1);
    return counts.known < POINTS_MIN ? 1 : (double)counts.free / counts.known;
}

bool cairn_rejoin_is_new_ground(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 private_T_base)
{
    CAIRN_ASSERT(map != NULL && points != NULL);
    const returns counts = count_returns(map, points, private_T_base, 1);
    return counts.all >= POINTS_MIN && counts.known <= NEW_PART * counts.all;
}

bool cairn_rejoin_is_denied(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 private_T_base)
{
    CAIRN_ASSERT(map != NULL && points != NULL);
    if (!map->begun) { return false; }
    const returns counts = count_returns(map, points, private_T_base, DENIED_STRIDE);
    return counts.known >= DENIED_KNOWN_MIN && counts.free > DENIED_PART * counts.known;
}

bool cairn_rejoin_find(cairn_rejoin *rejoin, const cairn_own_map *map, const cairn_scan_points *points,
                       cairn_pose2 guess, double deviation_m, cairn_match *ret_match)
{
    CAIRN_ASSERT(deviation_m >= 0 && isfinite(guess.x_m) && isfinite(guess.y_m) && isfinite(guess.yaw_rad));
    if (!map->begun) { return false; }
    const cairn_match_prior wide = cairn_match_prior_make(guess, fmax(deviation_m, DEVIATION_M_MIN), DEVIATION_RAD);
    cairn_match match;
    // Large cells make a ridge of many a peak: whether it slides is for the closer look to say.
    if ((look(rejoin, map, points, &wide, 2 * FINE_CELLS, &match) & ~CAIRN_MATCH_SLIDES) != 0) { return false; }
    const cairn_match_prior close = cairn_match_prior_make(match.pose, FINE_M, FINE_RAD);
    if (look(rejoin, map, points, &close, FINE_CELLS, &match) != 0 || match.score < CLOSE_SCORE_MIN) { return false; }
    // Beside what it has not seen before, a place that fits well need not be the right one.
    const bool moves = cairn_vec2_distance(cairn_pose2_at(match.pose), cairn_pose2_at(guess)) > STAY_M;
    if (moves && contradicted(map, points, match.pose) > CONTRADICTED_PART * contradicted(map, points, guess)) {
        return false;
    }
    *ret_match = match;
    return true;
}

static bool is_same(const cairn_rejoin_claim *claim, cairn_pose2 private_T_base, cairn_pose2 found, double distance_m)
{
    const cairn_pose2 claimed = cairn_pose2_compose(claim->found_T_was, private_T_base);
    const double apart_m = cairn_vec2_distance(cairn_pose2_at(claimed), cairn_pose2_at(found));
    const double way_m = fabs(distance_m - claim->distance_m);
    return apart_m < SAME_M + SAME_PART * way_m && fabs(cairn_angle_between(claimed.yaw_rad, found.yaw_rad)) < SAME_RAD;
}

bool cairn_rejoin_bears_out(cairn_rejoin *rejoin, cairn_pose2 private_T_base, double deviation_m, cairn_pose2 found,
                            double distance_m)
{
    CAIRN_ASSERT(isfinite(found.x_m) && isfinite(found.y_m) && isfinite(found.yaw_rad) && isfinite(distance_m));
    cairn_rejoin_claim *claim = &rejoin->claim;
    const double jump_m = cairn_vec2_distance(cairn_pose2_at(private_T_base), cairn_pose2_at(found));
    if (claim->look_count == 0 || !is_same(claim, private_T_base, found, distance_m)) {
        *claim = (cairn_rejoin_claim){.found_T_was = cairn_pose2_compose(found, cairn_pose2_inverse(private_T_base)),
                                      .distance_m = distance_m};
    }
    claim->look_count++;
    const double way_m = fabs(distance_m - claim->distance_m);
    const double far_m = fmax(CAIRN_REJOIN_FAR_M, FAR_PART * deviation_m);
    const double way_m_min = jump_m > far_m ? CLAIM_WAY_PART * jump_m : 0.0;
    const bool borne_out = claim->look_count >= CLAIM_LOOKS && way_m >= way_m_min;
    if (jump_m > CAIRN_REJOIN_NEAR_M && !borne_out) { return false; }
    claim->look_count = 0;
    return true;
}

void cairn_rejoin_drop_claim(cairn_rejoin *rejoin) { rejoin->claim.look_count = 0; }
