// gradient.c - Gauss-Newton on the distances between the scan's patches and the surfaces of the local grid.
//
// Hector's scan-to-map matching climbs the bilinear slope of the occupancy itself. Tried and dropped: its optimum lies
// where the cells happen to have their middles, and is off the same way for as long as the robot drives along one wall
// (docs/maps.md: a hundred times the drift). Here the map keeps, beside the occupancy, where in each cell the surface
// runs, and the error of a patch is its distance from that line: the cells' size falls out of the result.
//
// Weights: a patch is as sure as its points are many, but never surer than the map. Beyond that a Cauchy weight, whose
// width shrinks as the pose settles, takes away the voice of what moved and of what is not on the map yet.
#include "matching/gradient.h"
#include "maps/local/local_grid_cells.h"
#include <math.h>

#define MAP_M 0.004          // deviation of the map itself: what many points in one place cannot average away
#define PATCH_COUNT_MAX 10.0 // points of a patch that are worth counting
#define WIDTH_M_FIRST 0.08   // Cauchy width at the start: larger forgives more, and converges slower
#define WIDTH_M_LAST 0.02    // and at the end
#define WIDTH_M_LOST 0.20    // at the start when the guess fits badly
#define LOST_PART 0.6        // fewer patches than this on a surface at the guess: look farther around
#define WEAK 0.95            // nor does the scan fix the place along a corridor: the same, for what ends it
#define LOST_STEPS 3         // how far: in surface cells along the normal, each way
#define EDGE_M 0.02          // deviation of an edge along its surface
#define EDGE_WIDTH_M 0.15    // least Cauchy width for edges: they must not let go of a slipping robot
#define EDGE_M_NEAR 0.15     // an edge is looked for this far around
#define EDGE_M_LOST 0.40     // and this far when the guess fits badly or is weak
#define ON_SURFACE_M 0.04    // a patch this close to its line lies on it
#define USED_PART_MIN 0.25   // fewer patches than this on a surface at the end: no match
#define USED_COUNT_MIN 8     // likewise
#define STEP_M_END 1e-4      // steps below these end the iteration
#define STEP_RAD_END 2e-5

// What is laid on the map.
typedef struct scan_parts {
    uint32_t count;
    const cairn_scan_patch *patches[CAIRN_SCAN_PATCHES_MAX]; // those chosen
    cairn_scan_edges edges;
} scan_parts;

// How closely: wide at the start, narrow at the end.
typedef struct focus {
    double width_m; // of the Cauchy weight
    int32_t steps;  // to look along the normal for a patch's surface, in surface cells, each way
} focus;

typedef struct normal_equations {
    double h[6]; // xx xy xa yy ya aa
    double g[3];
    uint32_t on_surface_count;
} normal_equations;

cairn_match_def cairn_match_def_default(void)
{
    return (cairn_match_def){
        .iteration_count_max = 12, .point_count_max = 160, .prior_xy_m = 0.02, .prior_yaw_rad = 0.01, .point_m = 0.012};
}

void cairn_match_def_set_motion(cairn_match_def *def, double moved_m, double turned_rad)
{
    def->prior_xy_m = 0.002 + 0.10 * fabs(moved_m) + 0.02 * fabs(turned_rad);
    def->prior_yaw_rad = 0.003 + 0.02 * fabs(turned_rad);
}

static void patches_choose(const cairn_scan_patches *all, uint32_t count_max, scan_parts *ret_chosen)
{
    ret_chosen->count = all->count < count_max ? all->count : count_max;
    for (uint32_t i = 0; i < ret_chosen->count; i++) {
        ret_chosen->patches[i] = &all->patches[(uint64_t)i * all->count / ret_chosen->count];
    }
}

// The line nearest to a point, looking along the normal in steps of a surface cell, both ways.
static bool line_find(const cairn_local_grid *grid, cairn_vec2 at, cairn_vec2 normal, int32_t steps, uint32_t tick,
                      cairn_surface_line *ret_line)
{
    const uint32_t side = cairn_surface_side((float)normal.x, (float)normal.y);
    for (int32_t i = 0; i <= 2 * steps; i++) {
        const double by_m = (i & 1 ? (i + 1) / 2 : -(i / 2)) * grid->surface_m;
        if (cairn_surface_line_at(grid, at.x + by_m * normal.x, at.y + by_m * normal.y, side, tick, ret_line)) {
            const double agree = ret_line->normal_x * normal.x + ret_line->normal_y * normal.y;
            if (agree * agree > 0.75) { return true; } // within 30 degrees
        }
    }
    return false;
}

static void equations_add(normal_equations *eq, cairn_vec2 arm, cairn_vec2 n, double error, double weight)
{
    const double by_yaw = n.y * arm.x - n.x * arm.y;
    eq->h[0] += weight * n.x * n.x;
    eq->h[1] += weight * n.x * n.y;
    eq->h[2] += weight * n.x * by_yaw;
    eq->h[3] += weight * n.y * n.y;
    eq->h[4] += weight * n.y * by_yaw;
    eq->h[5] += weight * by_yaw * by_yaw;
    eq->g[0] -= weight * n.x * error;
    eq->g[1] -= weight * n.y * error;
    eq->g[2] -= weight * by_yaw * error;
}

static void patches_add(normal_equations *eq, const cairn_match_def *def, const cairn_local_grid *grid,
                        const scan_parts *parts, cairn_pose2 pose, focus look, uint32_t tick)
{
    const double cosine = cos(pose.yaw_rad), sine = sin(pose.yaw_rad);
    for (uint32_t i = 0; i < parts->count; i++) {
        const cairn_scan_patch *patch = parts->patches[i];
        const cairn_vec2 arm = {cosine * patch->x_m - sine * patch->y_m, sine * patch->x_m + cosine * patch->y_m};
        const cairn_vec2 at = {pose.x_m + arm.x, pose.y_m + arm.y};
        const cairn_vec2 normal = {cosine * patch->normal_x - sine * patch->normal_y,
                                   sine * patch->normal_x + cosine * patch->normal_y};
        cairn_surface_line line;
        if (!line_find(grid, at, normal, look.steps, tick, &line)) { continue; }

        const cairn_vec2 n = {line.normal_x, line.normal_y};
        const double error = n.x * (at.x - line.x_m) + n.y * (at.y - line.y_m);
        const double points = patch->count < PATCH_COUNT_MAX ? patch->count : PATCH_COUNT_MAX;
        const double variance = def->point_m * def->point_m / points + MAP_M * MAP_M + line.thickness_m2 / line.count;
        const double ratio = error / look.width_m;
        equations_add(eq, arm, n, error, 1 / (variance * (1 + ratio * ratio)));
        eq->on_surface_count += fabs(error) < ON_SURFACE_M;
    }
}

// Edges say something only along their surface; across it the patches know better.
static void edges_add(normal_equations *eq, const cairn_local_grid *grid, const scan_parts *parts, cairn_pose2 pose,
                      focus look, uint32_t tick)
{
    const double cosine = cos(pose.yaw_rad), sine = sin(pose.yaw_rad);
    for (uint32_t i = 0; i < parts->edges.count; i++) {
        const cairn_placed_edge edge = cairn_edge_place(&parts->edges.edges[i], pose, cosine, sine);
        const double within_m = look.steps > 0 ? EDGE_M_LOST : EDGE_M_NEAR;
        const int32_t near = cairn_edge_mark_near(grid, &edge, within_m, CAIRN_EDGE_MARK_SURE);
        if (near < 0 || tick - grid->marks[near].seen > CAIRN_MEMORY_TICKS) { continue; }
        const cairn_vec2 along = {edge.along_x, edge.along_y};
        const double error =
            along.x * (edge.x_m - grid->marks[near].x_m) + along.y * (edge.y_m - grid->marks[near].y_m);
        const double ratio = error / fmax(look.width_m, EDGE_WIDTH_M);
        equations_add(eq, (cairn_vec2){edge.x_m - pose.x_m, edge.y_m - pose.y_m}, along, error,
                      1 / (EDGE_M * EDGE_M * (1 + ratio * ratio)));
    }
}

static normal_equations equations_make(const cairn_match_def *def, const cairn_local_grid *grid,
                                       const scan_parts *parts, cairn_pose2 pose, focus look, uint32_t tick)
{
    normal_equations eq = {0};
    patches_add(&eq, def, grid, parts, pose, look, tick);
    edges_add(&eq, grid, parts, pose, look, tick);
    return eq;
}

// Solves the 3x3 system with the prior added, by Cholesky; it is positive definite because the prior is.
static void step_solve(const normal_equations *eq, const cairn_match_def *def, cairn_pose2 guess, cairn_pose2 pose,
                       double ret_step[3])
{
    const double prior_xy = 1 / (def->prior_xy_m * def->prior_xy_m);
    const double prior_yaw = 1 / (def->prior_yaw_rad * def->prior_yaw_rad);
    const double a = eq->h[0] + prior_xy, d = eq->h[3] + prior_xy, f = eq->h[5] + prior_yaw;
    const double l00 = sqrt(a), l10 = eq->h[1] / l00, l20 = eq->h[2] / l00;
    const double l11 = sqrt(d - l10 * l10), l21 = (eq->h[4] - l20 * l10) / l11;
    const double l22 = sqrt(f - l20 * l20 - l21 * l21);
    const double g0 = eq->g[0] + prior_xy * (guess.x_m - pose.x_m);
    const double g1 = eq->g[1] + prior_xy * (guess.y_m - pose.y_m);
    const double g2 = eq->g[2] + prior_yaw * cairn_angle_between(pose.yaw_rad, guess.yaw_rad);
    const double y0 = g0 / l00, y1 = (g1 - l10 * y0) / l11, y2 = (g2 - l20 * y0 - l21 * y1) / l22;
    ret_step[2] = y2 / l22;
    ret_step[1] = (y1 - l21 * ret_step[2]) / l11;
    ret_step[0] = (y0 - l10 * ret_step[1] - l20 * ret_step[2]) / l00;
}

// How evenly the surfaces' normals point all ways: 0 evenly, 1 all one way (or there are none).
static double weakness_of(const normal_equations *eq)
{
    const double mean = 0.5 * (eq->h[0] + eq->h[3]), apart = 0.5 * (eq->h[0] - eq->h[3]), mixed = eq->h[1];
    return mean > 0 ? sqrt(apart * apart + mixed * mixed) / mean : 1;
}

static void match_describe(const normal_equations *eq, const scan_parts *chosen, cairn_match *match)
{
    const double *h = eq->h, full[9] = {h[0], h[1], h[2], h[1], h[3], h[4], h[2], h[4], h[5]};
    memcpy(match->information, full, sizeof full);
    match->score = chosen->count > 0 ? (double)eq->on_surface_count / chosen->count : 0;
    match->doubts = eq->on_surface_count < USED_COUNT_MIN ? CAIRN_MATCH_TOO_FEW : 0;
    match->doubts |= match->score < USED_PART_MIN ? CAIRN_MATCH_POOR : 0;
    match->is_trusted = match->doubts == 0; // the prior holds where a corridor slides
    cairn_match_set_weakness(match);
}

void cairn_match_gradient(const cairn_match_def *def, const cairn_local_grid *grid, const cairn_scan_points *points,
                          cairn_pose2 guess_map_T_base, cairn_mono now, cairn_match *ret_match)
{
    CAIRN_ASSERT(def->prior_xy_m > 0 && def->prior_yaw_rad > 0 && def->point_m > 0 && def->iteration_count_max > 0);
    cairn_scan_patches patches;
    cairn_scan_patches_find(points, (float)grid->def.range_m_max, &patches);
    scan_parts parts;
    patches_choose(&patches, def->point_count_max, &parts);
    cairn_scan_edges_find(points, (float)grid->def.range_m_max, &parts.edges);

    const uint32_t tick = cairn_local_grid_tick(grid, now);
    cairn_pose2 pose = guess_map_T_base;
    focus look = {WIDTH_M_FIRST, 0};
    cairn_match match = {.pose = guess_map_T_base, .point_count = parts.count};
    normal_equations eq = {0};
    for (uint32_t i = 0; i < def->iteration_count_max; i++) {
        eq = equations_make(def, grid, &parts, pose, look, tick);
        if (i == 0 && (eq.on_surface_count < LOST_PART * parts.count || weakness_of(&eq) > WEAK)) {
            look = (focus){WIDTH_M_LOST, LOST_STEPS};
            eq = equations_make(def, grid, &parts, pose, look, tick);
        }
        double step[3];
        step_solve(&eq, def, guess_map_T_base, pose, step);
        pose = (cairn_pose2){pose.x_m + step[0], pose.y_m + step[1], cairn_angle_wrap(pose.yaw_rad + step[2])};
        match.iteration_count = i + 1;
        const bool settled = fabs(step[0]) + fabs(step[1]) < STEP_M_END && fabs(step[2]) < STEP_RAD_END;
        if (settled && look.width_m <= WIDTH_M_LAST) { break; }
        look.width_m = fmax(WIDTH_M_LAST, 0.5 * look.width_m);
        if (look.steps > 0 && i >= 2) { look.steps--; }
    }
    match_describe(&eq, &parts, &match);
    if (match.is_trusted) { match.pose = pose; }
    *ret_match = match;
}
