// Everything is taken from the places that reach.h floods.
//
// "Cannot be avoided": places are joined to their neighbours in the order of a key (wide first, flat first, without
// steps first) until the victim hangs together with the start; the key of the last one is what the best way needs.
#include "sim/arena/check/difficulty.h"
#include "geometry/rays.h"
#include "sim/arena/check/sight.h"
#include <math.h>
#include <stdlib.h>

#define LASER_M 0.33     // above the floor: what is lower is not seen by a level laser
#define WIDE_M 4.0       // passages wider than this are all alike
#define KEY_STEPS 64     // of each key between nothing and its most
#define STEP_M_MOST 0.32 // steps and slopes beyond these count as these
#define SLOPE_MOST 0.64  // [-] rise over run
#define STEP_M_LEAST 0.02
#define ROUGH_SLOPE 0.07 // [-] about 4 degrees
#define AT_END_M 0.6     // from where one starts and where one looks
#define END_M 2.0        // a dead end: nothing within this is farther from the start
#define END_CELLS_MAX 20
#define ISLAND_M2 6.0 // a loop goes around at least this much ground that cannot be reached

const char *const cairn_difficulty_names[CAIRN_DIFFICULTY_PART_COUNT + 1] = {
    "far", "narrow", "steep", "steps", "rough", "hidden", "dead ends", "litter", "doors", "hazards", NULL};
static const double weights[CAIRN_DIFFICULTY_PART_COUNT] = {0.14, 0.16, 0.10, 0.06, 0.10, 0.16, 0.08, 0.10, 0.04, 0.06};

typedef struct survey {
    const cairn_sim_arena *arena;
    const cairn_reach_def *robot;
    cairn_reach reach;
    uint8_t *key;                // of each place
    uint32_t *joined;            // union-find over places
    uint32_t *order;             // places by key
    uint32_t *clearance;         // of each cell: chamfer distance to ground out of reach, 3 a cell
    const cairn_solid **between; // room for all solids
    uint32_t *stand;             // for each victim the place to see it from; CAIRN_REACH_NONE
    cairn_difficulty found;
} survey;

static uint32_t cell_count(const survey *of) { return of->reach.width * of->reach.height; }

// The place of a neighbouring cell that is nearest in height; CAIRN_REACH_NONE if there is none within 0.5 m.
static uint32_t neighbour(const survey *of, uint32_t place, int dx, int dy)
{
    const cairn_reach_place *from = &of->reach.places[place];
    const int64_t x = (int64_t)(from->cell % of->reach.width) + dx, y = (int64_t)(from->cell / of->reach.width) + dy;
    if (x < 0 || y < 0 || x >= of->reach.width || y >= of->reach.height) { return CAIRN_REACH_NONE; }
    uint32_t best = CAIRN_REACH_NONE;
    float least_m = 0.5f;
    for (uint32_t i = of->reach.first[y * of->reach.width + x]; i != CAIRN_REACH_NONE; i = of->reach.places[i].above) {
        const float apart_m = fabsf(of->reach.places[i].height_m - from->height_m);
        if (apart_m < least_m) {
            least_m = apart_m;
            best = i;
        }
    }
    return best;
}

static double rise_m(const survey *of, uint32_t place, int dx, int dy)
{
    const uint32_t next = neighbour(of, place, dx, dy);
    if (next == CAIRN_REACH_NONE) { return 0.0; }
    return (double)of->reach.places[next].height_m - (double)of->reach.places[place].height_m;
}

// Along one axis: the rises before, at and after a place. A step stands out from its neighbours; a slope does not.
static void ground_along(const survey *of, uint32_t place, int dx, int dy, double *ret_slope, double *ret_step_m)
{
    const uint32_t next = neighbour(of, place, dx, dy);
    const double here_m = rise_m(of, place, dx, dy), before_m = -rise_m(of, place, -dx, -dy);
    const double after_m = next == CAIRN_REACH_NONE ? 0.0 : rise_m(of, next, dx, dy);
    const double middle_m = fmax(fmin(here_m, before_m), fmin(fmax(here_m, before_m), after_m)); // the median
    const double step_m = fabs(here_m) - fmax(fabs(before_m), fabs(after_m));
    *ret_slope = fabs(middle_m) / of->reach.cell_m;
    *ret_step_m = step_m > STEP_M_LEAST ? fabs(here_m) - fabs(middle_m) : 0.0;
}

static void ground_at(const survey *of, uint32_t place, double *ret_slope, double *ret_step_m)
{
    double slope_x, slope_y, step_x_m, step_y_m;
    ground_along(of, place, 1, 0, &slope_x, &step_x_m);
    ground_along(of, place, 0, 1, &slope_y, &step_y_m);
    *ret_slope = hypot(slope_x, slope_y);
    *ret_step_m = fmax(step_x_m, step_y_m);
}

static uint8_t to_key(double value, double most)
{
    return (uint8_t)fmin(KEY_STEPS - 1.0, ceil(fmax(0.0, value) / most * (KEY_STEPS - 1)));
}

static double from_key(uint8_t key, double most) { return key * most / (KEY_STEPS - 1); }

// ---- clearance

static void relax(survey *of, uint32_t cell, int64_t x, int64_t y, uint32_t cost)
{
    if (x < 0 || y < 0 || x >= of->reach.width || y >= of->reach.height) { return; }
    const uint32_t other = of->clearance[y * of->reach.width + x] + cost;
    if (other < of->clearance[cell]) { of->clearance[cell] = other; }
}

// Two passes: 3 for a side, 4 for a corner.
static void measure_clearance(survey *of)
{
    const uint32_t width = of->reach.width, height = of->reach.height;
    for (uint32_t cell = 0; cell < cell_count(of); cell++) {
        of->clearance[cell] = of->reach.first[cell] == CAIRN_REACH_NONE ? 0 : 1u << 24;
    }
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            const uint32_t cell = (uint32_t)(y * width + x);
            relax(of, cell, x - 1, y, 3);
            relax(of, cell, x, y - 1, 3);
            relax(of, cell, x - 1, y - 1, 4);
            relax(of, cell, x + 1, y - 1, 4);
        }
    }
    for (int64_t y = height - 1; y >= 0; y--) {
        for (int64_t x = width - 1; x >= 0; x--) {
            const uint32_t cell = (uint32_t)(y * width + x);
            relax(of, cell, x + 1, y, 3);
            relax(of, cell, x, y + 1, 3);
            relax(of, cell, x + 1, y + 1, 4);
            relax(of, cell, x - 1, y + 1, 4);
        }
    }
}

// Room across at a cell: the robot fits where its middle may be, and what is free beside it comes on top.
static double width_m(const survey *of, uint32_t cell)
{
    return 2.0 * of->robot->radius_m + (2.0 * of->clearance[cell] / 3.0 - 1.0) * of->reach.cell_m;
}

// ---- the best way in one respect

static uint32_t root_of(survey *of, uint32_t place)
{
    while (of->joined[place] != place) {
        of->joined[place] = of->joined[of->joined[place]];
        place = of->joined[place];
    }
    return place;
}

static void join(survey *of, uint32_t place, uint8_t up_to)
{
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            const uint32_t next = dx == 0 && dy == 0 ? CAIRN_REACH_NONE : neighbour(of, place, dx, dy);
            if (next == CAIRN_REACH_NONE || of->key[next] > up_to) { continue; }
            const uint32_t a = root_of(of, place), b = root_of(of, next);
            if (a != b) { of->joined[a > b ? a : b] = a > b ? b : a; }
        }
    }
}

// Places sorted by their key, in `order`; where each key begins in starts[KEY_STEPS + 1].
static void sort_places(survey *of, uint32_t *starts)
{
    for (uint32_t i = 0; i <= KEY_STEPS; i++) { starts[i] = 0; }
    for (uint32_t i = 0; i < of->reach.place_count; i++) { starts[of->key[i] + 1]++; }
    for (uint32_t i = 0; i < KEY_STEPS; i++) { starts[i + 1] += starts[i]; }
    uint32_t next[KEY_STEPS];
    for (uint32_t i = 0; i < KEY_STEPS; i++) { next[i] = starts[i]; }
    for (uint32_t i = 0; i < of->reach.place_count; i++) { of->order[next[of->key[i]]++] = i; }
}

// Where one starts from or looks from may be worse than the way, beside a wall for one: it does not count.
static void forgive(survey *of, uint32_t place)
{
    const int far = (int)ceil(AT_END_M / of->reach.cell_m);
    for (int dy = -far; dy <= far; dy++) {
        for (int dx = -far; dx <= far; dx++) {
            const uint32_t next = neighbour(of, place, dx, dy);
            if (next != CAIRN_REACH_NONE) { of->key[next] = 0; }
        }
    }
}

// For each victim in reach the key that its best way needs.
static void best_ways(survey *of, uint8_t *ret_keys)
{
    uint32_t starts[KEY_STEPS + 1];
    const uint32_t victims = of->arena->victim_count;
    for (uint32_t i = 0; i < victims; i++) {
        ret_keys[i] = KEY_STEPS;
        if (of->stand[i] != CAIRN_REACH_NONE) { forgive(of, of->stand[i]); }
    }
    forgive(of, 0);
    for (uint32_t i = 0; i < of->reach.place_count; i++) { of->joined[i] = i; }
    sort_places(of, starts);
    for (uint32_t key = 0; key < KEY_STEPS; key++) {
        for (uint32_t i = starts[key]; i < starts[key + 1]; i++) { join(of, of->order[i], (uint8_t)key); }
        for (uint32_t i = 0; i < victims; i++) {
            if (ret_keys[i] == KEY_STEPS && of->stand[i] != CAIRN_REACH_NONE &&
                root_of(of, of->stand[i]) == root_of(of, 0)) {
                ret_keys[i] = (uint8_t)key;
            }
        }
    }
}

// ---- victims

// The nearest place by the robot's way from which the victim is seen.
static uint32_t place_to_see(const survey *of, uint32_t victim)
{
    const cairn_reach *reach = &of->reach;
    const cairn_vec2 at_m = cairn_pose2_at(of->arena->victims[victim].map_T_victim);
    cairn_sight sight;
    cairn_sight_gather(of->arena, victim, of->between, &sight);
    uint32_t best = CAIRN_REACH_NONE;
    const int far = (int)ceil(CAIRN_VICTIM_NEAR_M / reach->cell_m);
    const int x0 = (int)(at_m.x / reach->cell_m), y0 = (int)(at_m.y / reach->cell_m);
    for (int y = y0 - far; y <= y0 + far; y++) {
        for (int x = x0 - far; x <= x0 + far; x++) {
            if (x < 0 || y < 0 || x >= (int)reach->width || y >= (int)reach->height) { continue; }
            for (uint32_t i = reach->first[(uint32_t)y * reach->width + (uint32_t)x]; i != CAIRN_REACH_NONE;
                 i = reach->places[i].above) {
                const cairn_reach_place *place = &reach->places[i];
                if (best != CAIRN_REACH_NONE && reach->places[best].way_m <= place->way_m) { continue; }
                if (cairn_sight_sees(&sight, of->robot, reach, i)) { best = i; }
            }
        }
    }
    return best;
}

static void find_victims(survey *of)
{
    cairn_difficulty *found = &of->found;
    double sum_m = 0.0;
    for (uint32_t i = 0; i < of->arena->victim_count; i++) {
        of->stand[i] = place_to_see(of, i);
        if (of->stand[i] == CAIRN_REACH_NONE) { continue; }
        const double way_m = (double)of->reach.places[of->stand[i]].way_m;
        found->way_m_shortest = found->victims_in_reach == 0 ? way_m : fmin(found->way_m_shortest, way_m);
        found->way_m_longest = fmax(found->way_m_longest, way_m);
        found->victims_in_reach++;
        found->victims_seen |= (uint64_t)1 << i;
        sum_m += way_m;
    }
    if (found->victims_in_reach > 0) { found->way_m_mean = sum_m / found->victims_in_reach; }
}

// ---- the ground as a whole

static double mean_of(const survey *of, const uint8_t *keys, double most, uint8_t *ret_worst)
{
    double sum = 0.0;
    *ret_worst = 0;
    for (uint32_t i = 0; i < of->arena->victim_count; i++) {
        if (of->stand[i] == CAIRN_REACH_NONE) { continue; }
        const uint8_t key = keys[i] < KEY_STEPS ? keys[i] : KEY_STEPS - 1;
        if (key > *ret_worst) { *ret_worst = key; }
        sum += from_key(key, most);
    }
    return of->found.victims_in_reach > 0 ? sum / of->found.victims_in_reach : 0.0;
}

static double limited(double part) { return fmin(1.0, fmax(0.0, part)); }

static void measure_ways(survey *of, uint8_t *keys)
{
    cairn_difficulty *found = &of->found;
    uint8_t worst;
    uint32_t rough = 0;
    for (uint32_t i = 0; i < of->reach.place_count; i++) {
        double slope, step_m;
        ground_at(of, i, &slope, &step_m);
        of->key[i] = to_key(slope, SLOPE_MOST);
        rough += slope > ROUGH_SLOPE || step_m > 0.0;
    }
    found->rough_part = rough / fmax(1.0, of->reach.place_count);
    best_ways(of, keys);
    found->parts[CAIRN_DIFFICULTY_STEEP] = limited(mean_of(of, keys, SLOPE_MOST, &worst) / 0.36);
    found->slope_rad_max = atan(from_key(worst, SLOPE_MOST));
    for (uint32_t i = 0; i < of->reach.place_count; i++) {
        double slope, step_m;
        ground_at(of, i, &slope, &step_m);
        of->key[i] = to_key(step_m, STEP_M_MOST);
    }
    best_ways(of, keys);
    found->parts[CAIRN_DIFFICULTY_STEPS] = limited(mean_of(of, keys, STEP_M_MOST, &worst) / 0.12);
    found->step_m_max = from_key(worst, STEP_M_MOST);
    for (uint32_t i = 0; i < of->reach.place_count; i++) {
        of->key[i] = to_key(WIDE_M - width_m(of, of->reach.places[i].cell), WIDE_M);
    }
    best_ways(of, keys);
    const double mean_m = WIDE_M - mean_of(of, keys, WIDE_M, &worst);
    const double least_m = 2.0 * of->robot->radius_m;
    found->narrowest_m = found->victims_in_reach > 0 ? WIDE_M - from_key(worst, WIDE_M) : INFINITY;
    found->parts[CAIRN_DIFFICULTY_NARROW] = found->victims_in_reach > 0 ? limited((least_m + 1.5 - mean_m) / 1.5) : 0.0;
}

// Pieces of ground out of reach that are wholly within ground in reach: one loop around each.
static uint32_t count_loops(survey *of)
{
    const uint32_t width = of->reach.width, height = of->reach.height;
    const double cell_m2 = of->reach.cell_m * of->reach.cell_m;
    uint32_t loops = 0;
    uint32_t *queue = of->order;    // one entry for each cell is enough: see the bytes taken
    uint32_t *seen = of->clearance; // used up by now
    for (uint32_t cell = 0; cell < cell_count(of); cell++) { seen[cell] = of->reach.first[cell] != CAIRN_REACH_NONE; }
    for (uint32_t first = 0; first < cell_count(of); first++) {
        if (seen[first]) { continue; }
        uint32_t used = 0, done = 0;
        bool at_edge = false;
        queue[used++] = first;
        seen[first] = 1;
        while (done < used) {
            const uint32_t cell = queue[done++], x = cell % width, y = cell / width;
            at_edge = at_edge || x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            const uint32_t next[4] = {x > 0 ? cell - 1 : cell, x + 1 < width ? cell + 1 : cell,
                                      y > 0 ? cell - width : cell, y + 1 < height ? cell + width : cell};
            for (int i = 0; i < 4; i++) {
                if (seen[next[i]]) { continue; }
                seen[next[i]] = 1;
                queue[used++] = next[i];
            }
        }
        loops += !at_edge && used * cell_m2 >= ISLAND_M2;
    }
    return loops;
}

static bool is_farther(const survey *of, uint32_t place, uint32_t than)
{
    const float way_m = of->reach.places[place].way_m, other_m = of->reach.places[than].way_m;
    return way_m > other_m || (way_m == other_m && place < than);
}

// Whether no place around is farther from the start. Around is what one gets to within END_M, not what lies behind a
// wall.
static bool is_farthest(const survey *of, uint32_t place)
{
    enum { SIDE = 2 * END_CELLS_MAX + 1 };
    uint8_t seen[SIDE][SIDE] = {0};
    struct {
        uint32_t place;
        int8_t dx, dy;
    } queue[SIDE * SIDE];
    const int far = (int)fmin(END_CELLS_MAX, ceil(END_M / of->reach.cell_m));
    uint32_t used = 0;
    queue[used].place = place;
    queue[used].dx = queue[used].dy = 0;
    used++;
    seen[END_CELLS_MAX][END_CELLS_MAX] = 1;
    for (uint32_t i = 0; i < used; i++) {
        for (int way = 0; way < 8; way++) {
            static const int steps[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
            const int dx = queue[i].dx + steps[way][0], dy = queue[i].dy + steps[way][1];
            if (abs(dx) > far || abs(dy) > far || seen[dy + END_CELLS_MAX][dx + END_CELLS_MAX]) { continue; }
            const uint32_t next = neighbour(of, queue[i].place, steps[way][0], steps[way][1]);
            if (next == CAIRN_REACH_NONE) { continue; }
            if (is_farther(of, next, place)) { return false; }
            seen[dy + END_CELLS_MAX][dx + END_CELLS_MAX] = 1;
            queue[used].place = next;
            queue[used].dx = (int8_t)dx;
            queue[used].dy = (int8_t)dy;
            used++;
        }
    }
    return true;
}

// Where the way from the start ends: from there one must go back. A loop has such a place too, where its two sides
// meet.
static uint32_t count_dead_ends(const survey *of)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < of->reach.place_count; i++) { ends += is_farthest(of, i); }
    return ends > of->found.loops ? ends - of->found.loops : 0;
}

// Narrows an interval to the numbers x for which a * x + b is within a limit.
static void narrow(double a, double b, double limit, double *low, double *high)
{
    if (fabs(a) < 1e-9) {
        if (fabs(b) > limit) { *high = -INFINITY; }
        return;
    }
    const double middle = -b / a, half = limit / fabs(a);
    *low = fmax(*low, middle - half);
    *high = fmin(*high, middle + half);
}

// Marks the cells within the robot's radius of a rectangle: row by row, and of each row only what may be near it.
static void block(const survey *of, cairn_pose2 at, cairn_vec2 half_m, uint32_t *blocked)
{
    const double cell_m = of->reach.cell_m, radius_m = of->robot->radius_m;
    const double near_m = radius_m + 1e-6; // what is just about near is looked at
    const double c = cos(at.yaw_rad), s = sin(at.yaw_rad);
    const double tall_m = fabs(s) * half_m.x + fabs(c) * half_m.y + radius_m;
    const double y0 = fmax(0.0, floor((at.y_m - tall_m) / cell_m));
    const double y1 = fmin(of->reach.height, ceil((at.y_m + tall_m) / cell_m));
    for (uint32_t y = (uint32_t)y0; y < y1; y++) {
        const double dy_m = (y + 0.5) * cell_m - at.y_m;
        double low_m = -at.x_m, high_m = of->arena->size_m.x - at.x_m;
        narrow(c, s * dy_m, half_m.x + near_m, &low_m, &high_m);
        narrow(-s, c * dy_m, half_m.y + near_m, &low_m, &high_m);
        if (high_m < low_m) { continue; }
        const uint32_t x0 = (uint32_t)fmax(0.0, floor((at.x_m + low_m) / cell_m));
        const double x1 = fmin(of->reach.width, ceil((at.x_m + high_m) / cell_m) + 1);
        for (uint32_t x = x0; x < x1; x++) {
            const cairn_vec2 middle_m = {(x + 0.5) * cell_m, (y + 0.5) * cell_m};
            if (cairn_box2_distance(middle_m, at, half_m) < radius_m) { blocked[y * of->reach.width + x] = 1; }
        }
    }
}

static double edge_m(const survey *of, uint32_t cell)
{
    const uint32_t x = cell % of->reach.width, y = cell / of->reach.width;
    const double x_m = (x + 0.5) * of->reach.cell_m, y_m = (y + 0.5) * of->reach.cell_m;
    return fmin(fmin(x_m, of->arena->size_m.x - x_m), fmin(y_m, of->arena->size_m.y - y_m));
}

// Free ground that hangs together with a cell is looked at once: marked 2, or blocked if no robot gets to any of it.
static void block_outside(survey *of, uint32_t from, uint32_t *blocked)
{
    uint32_t *queue = of->order, count = 0;
    bool reached = false;
    queue[count++] = from;
    blocked[from] = 2;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell = queue[i], x = cell % of->reach.width, y = cell / of->reach.width;
        reached |= of->reach.first[cell] != CAIRN_REACH_NONE;
        const uint32_t next[] = {x > 0 ? cell - 1 : cell, x + 1 < of->reach.width ? cell + 1 : cell,
                                 y > 0 ? cell - of->reach.width : cell,
                                 y + 1 < of->reach.height ? cell + of->reach.width : cell};
        for (int k = 0; k < 4; k++) {
            if (blocked[next[k]] != 0) { continue; }
            blocked[next[k]] = 2;
            queue[count++] = next[k];
        }
    }
    for (uint32_t i = 0; i < count && !reached; i++) { blocked[queue[i]] = 1; }
}

// Cells within the robot's radius of something that stands, whatever the ground.
static void measure_free(survey *of)
{
    uint32_t *blocked = of->clearance;
    const double cell_m = of->reach.cell_m, radius_m = of->robot->radius_m;
    for (uint32_t cell = 0; cell < cell_count(of); cell++) { blocked[cell] = 0; }
    for (uint32_t i = 0; i < of->arena->solid_count; i++) {
        const cairn_solid *solid = &of->arena->solids[i];
        if (solid->kind == CAIRN_SOLID_GROUND || solid->kind == CAIRN_SOLID_DOOR || solid->kind == CAIRN_SOLID_FIGURE ||
            solid->map_T_box.at_m.z - solid->half_m.z > of->robot->height_m) {
            continue;
        }
        const cairn_pose2 at = cairn_pose3_to_pose2(solid->map_T_box);
        const cairn_vec2 half_m = {solid->half_m.x, solid->half_m.y};
        block(of, at, half_m, blocked);
    }
    for (uint32_t cell = 0; cell < cell_count(of); cell++) {
        const bool reached = of->reach.first[cell] != CAIRN_REACH_NONE;
        blocked[cell] = !reached && (blocked[cell] || edge_m(of, cell) < radius_m);
    }
    for (uint32_t cell = 0; cell < cell_count(of); cell++) {
        if (!blocked[cell] && edge_m(of, cell) < radius_m + cell_m) { block_outside(of, cell, blocked); }
    }
    uint32_t open = 0;
    for (uint32_t cell = 0; cell < cell_count(of); cell++) { open += blocked[cell] != 1; }
    of->found.free_m2 = open * cell_m * cell_m;
    of->found.reach_m2 = of->reach.cell_count * cell_m * cell_m;
}

// Small things that a level laser does not see, or that move: how many in 100 m2 of free ground.
static double litter_of(const survey *of)
{
    uint32_t count = of->arena->block_count;
    for (uint32_t i = 0; i < of->arena->box_count; i++) {
        const cairn_sim_box *box = &of->arena->boxes[i];
        count += box->foot_m + box->size_m.z < LASER_M;
    }
    return count * 100.0 / fmax(1.0, of->found.free_m2);
}

static void rate(survey *of)
{
    cairn_difficulty *found = &of->found;
    const cairn_sim_arena *arena = of->arena;
    uint32_t boxed = 0, hazards = 0;
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        boxed += arena->victims[i].boxed || of->stand[i] == CAIRN_REACH_NONE;
    }
    for (uint32_t i = 0; i < arena->figure_count; i++) {
        hazards += arena->figures[i].kind == CAIRN_FIGURE_HAZARD ? 2 : 1;
    }
    for (uint32_t i = 0; i < arena->door_count; i++) { found->doors_closed += !arena->doors[i].open; }
    double *parts = found->parts;
    parts[CAIRN_DIFFICULTY_FAR] = limited(log2(1.0 + found->way_m_mean / 10.0) / 6.0);
    parts[CAIRN_DIFFICULTY_ROUGH] = limited(2.0 * found->rough_part);
    parts[CAIRN_DIFFICULTY_HIDDEN] = arena->victim_count > 0 ? (double)boxed / arena->victim_count : 0.0;
    parts[CAIRN_DIFFICULTY_DEAD_ENDS] = (double)found->dead_ends / (found->dead_ends + 3.0 * found->loops + 1.0);
    parts[CAIRN_DIFFICULTY_LITTER] = limited(litter_of(of) / 10.0);
    parts[CAIRN_DIFFICULTY_DOORS] = arena->door_count > 0 ? (double)found->doors_closed / arena->door_count : 0.0;
    parts[CAIRN_DIFFICULTY_HAZARDS] = limited(hazards / 20.0);
    found->total = 1.0;
    for (int i = 0; i < CAIRN_DIFFICULTY_PART_COUNT; i++) { found->total += 9.0 * weights[i] * parts[i]; }
}

static cairn_err survey_all(survey *of)
{
    const size_t cells = cell_count(of), places = of->reach.place_count;
    const size_t most = cells > places ? cells : places;
    cairn_arena work;
    const size_t solid_bytes = (of->arena->solid_count + 1) * sizeof(const cairn_solid *);
    cairn_err err = cairn_arena_create(&work, places * 5 + most * 4 + cells * 4 + solid_bytes + 8192);
    if (err != CAIRN_OK) { return err; }
    of->key = CAIRN_TAKE(&work, uint8_t, places + 1);
    of->joined = CAIRN_TAKE(&work, uint32_t, places + 1);
    of->order = CAIRN_TAKE(&work, uint32_t, most + 1);
    of->clearance = CAIRN_TAKE(&work, uint32_t, cells);
    of->stand = CAIRN_TAKE(&work, uint32_t, of->arena->victim_count + 1);
    of->between = CAIRN_TAKE(&work, const cairn_solid *, of->arena->solid_count + 1);
    uint8_t *keys = CAIRN_TAKE(&work, uint8_t, of->arena->victim_count + 1);
    CAIRN_ASSERT(of->between != NULL && of->key != NULL && of->joined != NULL && of->order != NULL &&
                 of->clearance != NULL && of->stand != NULL && keys != NULL);
    find_victims(of);
    of->found.narrowest_m = INFINITY;
    if (places > 0) {
        measure_clearance(of);
        measure_ways(of, keys);
    }
    of->found.loops = count_loops(of);
    of->found.dead_ends = count_dead_ends(of);
    measure_free(of);
    rate(of);
    cairn_arena_destroy(&work);
    return CAIRN_OK;
}

cairn_err cairn_difficulty_of(const cairn_sim_arena *arena, const cairn_reach_def *robot,
                              cairn_difficulty *ret_difficulty)
{
    CAIRN_ASSERT(arena != NULL && robot != NULL && ret_difficulty != NULL && arena->victim_count <= 64);
    cairn_reach_def checked = *robot;
    checked.looks_max = 0;
    survey of = {.arena = arena, .robot = &checked};
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, cairn_reach_bytes(arena, robot));
    if (err != CAIRN_OK) { return err; }
    err = cairn_reach_create(arena, &checked, &memory, &of.reach);
    if (err == CAIRN_OK) { err = survey_all(&of); }
    if (err == CAIRN_OK) { *ret_difficulty = of.found; }
    cairn_arena_destroy(&memory);
    return err;
}
