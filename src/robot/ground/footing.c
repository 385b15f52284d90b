#include "robot/ground/footing.h"
#include <math.h>
#include <string.h>

#define CELL_M 0.05
#define SWEEP_CELLS 160 // 8 m: CAIRN_SWEEP_REACH_M to each side
#define MERGED_CELLS 128
#define MEMORY_CELL_M 0.1
#define MEMORY_TILES 4096 // of 16 x 16 cells: 10,000 m2
#define NOD_PART 0.9      // [-] of a nod's period: the steps of the executor do not fit it exactly
#define IMAGER_SWEEP_NS CAIRN_S(1)
#define OVERHEAD_M 0.10 // what is so much higher than the robot does not stop it
#define CLIMB_MORE 0.1 // [-] steeper than the robot is meant to climb by this is an obstacle: slopes are measured badly
// [m] Steps up to so much more than the robot is meant for are none, and the least that can be told from noise: 1 cm of
// the laser's, half a degree of attitude at 3 m. Larger: low kerbs are missed; smaller: gravel is an obstacle.
#define STEP_MORE_M 0.02
#define STEP_M_MIN 0.06
#define NEAR_CELLS 44 // edge of the square around the robot, 2.2 m, whose obstacles are told to avoidance
#define DRAWN_CELLS                                                                                                    \
    5 // edge of the square, 0.25 m, in which a wall of the robot's own map is what the ground's memory shows
#define SHUT_IN_M 1.0 // obstacles this near to the robot's middle may shut it in

static cairn_terrain_def terrain_def(const cairn_body_description *description)
{
    cairn_terrain_def def = cairn_terrain_def_default();
    def.area = (cairn_terrain_area){.origin_m = {-CAIRN_SWEEP_REACH_M, -CAIRN_SWEEP_REACH_M},
                                    .cell_m = CELL_M,
                                    .width = SWEEP_CELLS,
                                    .height = SWEEP_CELLS};
    def.points_max = CAIRN_SWEEP_POINTS_MAX;
    def.clearance_m = description->height_m + OVERHEAD_M;
    def.up.slope = tan(description->limits.climb_rad_max) + CLIMB_MORE;
    def.up.step_m = fmax(description->limits.step_m_max + STEP_MORE_M, STEP_M_MIN);
    return def;
}

static cairn_err take_eyes(cairn_footing *footing, const cairn_body_description *description, cairn_arena *arena)
{
    const cairn_terrain_def terrain = terrain_def(description);
    const cairn_drivability_def maps = {.map_count = cairn_drivability_def_default().map_count,
                                        .cells_max = SWEEP_CELLS * SWEEP_CELLS};
    const cairn_memory_grid_def memory = {.cell_m = MEMORY_CELL_M, .tile_count = MEMORY_TILES};
    footing->ground = CAIRN_TAKE(arena, uint8_t, SWEEP_CELLS * SWEEP_CELLS);
    footing->merged = CAIRN_TAKE(arena, uint8_t, MERGED_CELLS * MERGED_CELLS);
    if (footing->ground == NULL || footing->merged == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = cairn_ground_sweep_init(&footing->sweep, description, arena);
    if (err == CAIRN_OK) { err = cairn_terrain_create(&terrain, arena, &footing->terrain); }
    if (err == CAIRN_OK) { err = cairn_drivability_create(&maps, arena, &footing->maps); }
    if (err == CAIRN_OK) { err = cairn_memory_grid_create(&memory, arena, &footing->memory); }
    if (err == CAIRN_OK) {
        err = cairn_standing_init(&footing->standing, description, footing->touches.lean_rad_max, arena);
    }
    if (err == CAIRN_OK) {
        err = cairn_upright_init(&footing->upright, &description->laser, SWEEP_CELLS * SWEEP_CELLS, arena);
    }
    if (err == CAIRN_OK) { err = cairn_seen_ground_init(&footing->seen, description, arena); }
    return err;
}

cairn_err cairn_footing_init(cairn_footing *footing, const cairn_body_description *description, cairn_arena *arena)
{
    *footing = (cairn_footing){0};
    cairn_touches_init(&footing->touches, description);
    const cairn_nod_description *nod = &description->laser.nod;
    const bool nods = description->laser.offered && nod->offered;
    footing->nods = nods;
    footing->sees_ground = cairn_body_sees_ground(description);
    footing->nod_ns = nods ? cairn_ns_from_seconds(NOD_PART * nod->period_s) : IMAGER_SWEEP_NS;
    return footing->sees_ground ? take_eyes(footing, description, arena) : CAIRN_OK;
}

// The corner is one of the memory's cells.
void cairn_footing_merge(cairn_footing *footing, cairn_vec2 at_m)
{
    const double half_m = 0.5 * MERGED_CELLS * CELL_M;
    footing->area = (cairn_drivability_area){.origin_m = {floor((at_m.x - half_m) / MEMORY_CELL_M) * MEMORY_CELL_M,
                                                          floor((at_m.y - half_m) / MEMORY_CELL_M) * MEMORY_CELL_M},
                                             .cell_m = CELL_M,
                                             .width = MERGED_CELLS,
                                             .height = MERGED_CELLS};
    cairn_drivability_merge(footing->maps, &footing->area, footing->merged);
    cairn_memory_grid_put(footing->memory, &footing->area, footing->merged);
}

void cairn_footing_go_on(cairn_footing *footing, const cairn_sound_ground *told, const cairn_reflex_state *state)
{
    if (!footing->sees_ground) { return; }
    cairn_ground_sweep_lean(&footing->sweep, state);
    cairn_seen_ground_go_on(&footing->seen, told, state, footing->sweep.risen_m);
}

void cairn_footing_stand(cairn_footing *footing, const cairn_reflex_state *state)
{
    if (!footing->sees_ground) { return; }
    cairn_ground_sweep_lean(&footing->sweep, state);
    cairn_seen_ground_stand(&footing->seen, state, footing->sweep.risen_m);
}

void cairn_footing_see(cairn_footing *footing, const cairn_tracker *tracker)
{
    if (!footing->sees_ground) { return; }
    if (tracker->slip.slips) {
        // Points are placed by odometry, and the way up a ramp too: what slips sees steps where there are none.
        cairn_ground_sweep_clear(&footing->sweep);
        cairn_standing_forget(&footing->standing);
        cairn_upright_forget(&footing->upright);
        return;
    }
    cairn_standing_see(&footing->standing, &footing->sweep, tracker->private_T_odom);
    cairn_seen_ground_see(&footing->seen, &footing->sweep);
}

// Makes the map of the sweep, however long it was; the next one begins.
static void end_sweep(cairn_footing *footing, const cairn_tracker *tracker, cairn_mono now)
{
    cairn_ground_sweep *sweep = &footing->sweep;
    const cairn_terrain_sweep points = cairn_ground_sweep_points(sweep);
    cairn_terrain_view view;
    cairn_drivability_map map;
    cairn_terrain_step(footing->terrain, &points, &view);
    cairn_terrain_drivability(&view, footing->ground, &map);
    const cairn_pose2 private_T_sweep = cairn_pose2_compose(tracker->private_T_odom, sweep->odom_T_sweep);
    const cairn_err err = cairn_drivability_add(footing->maps, private_T_sweep, &map);
    CAIRN_ASSERT(err == CAIRN_OK); // as many cells as it was made for
    footing->map_count++;
    cairn_upright_see(&footing->upright, &view, sweep->odom_T_sweep, now);
    const cairn_vec2 at_m = cairn_pose2_at(tracker->private_T_base);
    cairn_footing_merge(footing, at_m);
    cairn_standing_survey(&footing->standing, footing->memory, at_m);
    cairn_ground_sweep_clear(sweep);
}

bool cairn_footing_step(cairn_footing *footing, const cairn_tracker *tracker, cairn_mono now)
{
    const cairn_ground_sweep *sweep = &footing->sweep;
    if (!footing->sees_ground || !sweep->begun || cairn_mono_since(now, sweep->since) < footing->nod_ns) {
        return false;
    }
    end_sweep(footing, tracker, now);
    return true;
}

void cairn_footing_expect_image(cairn_footing *footing, const cairn_tracker *tracker, cairn_mono taken, cairn_mono now)
{
    if (!footing->sees_ground || !cairn_ground_sweep_has_tipped(&footing->sweep, taken)) { return; }
    if (tracker->started) {
        end_sweep(footing, tracker, now);
    } else {
        cairn_ground_sweep_clear(&footing->sweep);
    }
}

cairn_ground cairn_footing_at(const cairn_footing *footing, cairn_vec2 at_m)
{
    return footing->sees_ground ? cairn_memory_grid_at(footing->memory, at_m) : CAIRN_GROUND_UNKNOWN;
}

// The cell of the window that a point lies in; false outside.
static bool cell_in(const cairn_drivability_area *window, cairn_vec2 at_m, size_t *ret_cell)
{
    const double x = floor((at_m.x - window->origin_m.x) / window->cell_m);
    const double y = floor((at_m.y - window->origin_m.y) / window->cell_m);
    if (!(x >= 0 && y >= 0 && x < window->width && y < window->height)) { return false; }
    *ret_cell = (size_t)y * window->width + (size_t)x;
    return true;
}

void cairn_footing_mark(const cairn_footing *footing, const cairn_drivability_area *window, uint8_t *ground)
{
    if (footing->sees_ground) { cairn_memory_grid_merge(footing->memory, window, ground); }
    for (uint32_t i = 0; i < footing->touches.count; i++) {
        size_t cell;
        if (cell_in(window, footing->touches.marks[i].at_m, &cell)) { ground[cell] = CAIRN_GROUND_OBSTACLE; }
    }
}

static void set_bit(uint8_t *plane, size_t cell) { plane[cell >> 3] |= (uint8_t)(1u << (cell & 7)); }

// Whether the laser has ever drawn a wall there or up to a cell of the ground's memory away.
static bool is_drawn(const cairn_own_map *own, cairn_vec2 at_m)
{
    for (int32_t i = 0; i < DRAWN_CELLS * DRAWN_CELLS; i++) {
        const int32_t x = i % DRAWN_CELLS - DRAWN_CELLS / 2, y = i / DRAWN_CELLS - DRAWN_CELLS / 2;
        const cairn_vec2 there_m = {at_m.x + x * CELL_M, at_m.y + y * CELL_M};
        if (cairn_occupancy_grid_at(own->grid, there_m) == CAIRN_GROUND_OBSTACLE) { return true; }
    }
    return false;
}

void cairn_footing_mark_planes(const cairn_footing *footing, const cairn_own_map *own, cairn_pose2 private_T_node,
                               cairn_terrain_planes *planes)
{
    const cairn_drivability_area window = {planes->origin_m, planes->cell_m, planes->width, planes->height};
    const double cosine = cos(private_T_node.yaw_rad), sine = sin(private_T_node.yaw_rad);
    for (uint32_t cell = 0; cell < planes->width * planes->height && footing->sees_ground; cell++) {
        const uint32_t x = cell % planes->width, y = cell / planes->width;
        const double u_m = planes->origin_m.x + (x + 0.5) * planes->cell_m;
        const double v_m = planes->origin_m.y + (y + 0.5) * planes->cell_m;
        const cairn_vec2 at_m = {private_T_node.x_m + cosine * u_m - sine * v_m,
                                 private_T_node.y_m + sine * u_m + cosine * v_m};
        const cairn_ground seen = cairn_memory_grid_at(footing->memory, at_m);
        if (seen == CAIRN_GROUND_UNKNOWN || (seen == CAIRN_GROUND_OBSTACLE && is_drawn(own, at_m))) { continue; }
        set_bit(planes->known, cell);
        if (seen == CAIRN_GROUND_OBSTACLE) { set_bit(planes->obstacle, cell); }
    }
    const cairn_pose2 node_T_private = cairn_pose2_inverse(private_T_node);
    for (uint32_t i = 0; i < footing->touches.count; i++) {
        size_t cell;
        const cairn_vec2 in_node = cairn_pose2_apply(node_T_private, footing->touches.marks[i].at_m);
        if (!cell_in(&window, in_node, &cell)) { continue; }
        set_bit(planes->known, cell);
        set_bit(planes->obstacle, cell);
    }
}

static void add_near(cairn_near_obstacles *near, cairn_pose2 odom_T_private, cairn_vec2 at_m)
{
    if (near->point_count == CAIRN_NEAR_POINTS_MAX) { return; }
    const cairn_vec2 in_odom = cairn_pose2_apply(odom_T_private, at_m);
    near->x_m[near->point_count] = (float)in_odom.x;
    near->y_m[near->point_count++] = (float)in_odom.y;
}

// By the last maps where they know; of what they have forgotten, or never saw from here, by the memory.
static cairn_ground near_ground(const cairn_footing *footing, cairn_vec2 at_m)
{
    size_t cell;
    const bool merged = footing->area.width > 0 && cell_in(&footing->area, at_m, &cell);
    if (merged && footing->merged[cell] != CAIRN_GROUND_UNKNOWN) { return (cairn_ground)footing->merged[cell]; }
    return cairn_memory_grid_at(footing->memory, at_m);
}

// Whether the laser's map has an obstacle there or right beside it. Merged maps are pessimistic, and make a wall a cell
// thicker; were that told too, doors would be narrower than they are.
static bool is_of_a_wall(const cairn_tracker *tracker, cairn_vec2 at_m, cairn_mono now)
{
    for (int32_t i = 0; i < 9; i++) {
        const cairn_vec2 beside_m = {at_m.x + (i % 3 - 1) * CELL_M, at_m.y + (i < 3 ? -CELL_M : i < 6 ? 0 : CELL_M)};
        if (cairn_local_grid_at(tracker->grid, beside_m, now) == CAIRN_GROUND_OBSTACLE) { return true; }
    }
    return false;
}

void cairn_footing_near(const cairn_footing *footing, const cairn_tracker *tracker, cairn_vec2 at_m, cairn_mono now,
                        cairn_near_obstacles *near)
{
    const cairn_pose2 odom_T_private = cairn_pose2_inverse(tracker->private_T_odom);
    const cairn_vec2 middle_m = {(floor(at_m.x / CELL_M) + 0.5) * CELL_M, (floor(at_m.y / CELL_M) + 0.5) * CELL_M};
    for (int32_t i = 0; i < NEAR_CELLS * NEAR_CELLS && footing->sees_ground; i++) {
        const int32_t x = i % NEAR_CELLS - NEAR_CELLS / 2, y = i / NEAR_CELLS - NEAR_CELLS / 2;
        const cairn_vec2 there_m = {middle_m.x + x * CELL_M, middle_m.y + y * CELL_M};
        if (near_ground(footing, there_m) != CAIRN_GROUND_OBSTACLE) { continue; }
        // What the laser's map has too, comes from there, and is left to the laser where that looks.
        if (is_of_a_wall(tracker, there_m, now)) { continue; }
        add_near(near, odom_T_private, there_m);
    }
    for (uint32_t i = 0; i < footing->touches.count; i++) {
        const cairn_vec2 mark_m = footing->touches.marks[i].at_m;
        if (cairn_vec2_distance(mark_m, at_m) < 0.5 * NEAR_CELLS * CELL_M) { add_near(near, odom_T_private, mark_m); }
    }
}

int64_t cairn_footing_wait_ns(const cairn_footing *footing, cairn_vec2 at_m)
{
    if (!footing->sees_ground) { return 0; }
    return (int64_t)cairn_drivability_maps_to_wait(footing->maps, at_m, SHUT_IN_M) *
           (int64_t)((double)footing->nod_ns / NOD_PART);
}

void cairn_footing_forget(cairn_footing *footing, cairn_vec2 at_m, double radius_m)
{
    if (!footing->sees_ground) { return; }
    cairn_memory_grid_forget(footing->memory, at_m, radius_m);
    if (footing->area.width > 0) { cairn_memory_grid_put(footing->memory, &footing->area, footing->merged); }
}

void cairn_footing_forget_near(cairn_footing *footing, cairn_vec2 at_m)
{
    cairn_footing_forget(footing, at_m, SHUT_IN_M);
}

void cairn_footing_begin_anew(cairn_footing *footing)
{
    footing->touches.count = 0;
    if (!footing->sees_ground) { return; }
    cairn_ground_sweep_clear(&footing->sweep);
    cairn_drivability_forget(footing->maps);
    cairn_memory_grid_forget_all(footing->memory);
    cairn_standing_forget(&footing->standing);
    cairn_upright_forget(&footing->upright);
    footing->area = (cairn_drivability_area){0};
}
