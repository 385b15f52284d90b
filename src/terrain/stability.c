// stability.c - the plane that a robot comes to rest on, and the force-angle measure about each edge of its contacts.
//
// All triples of contacts are tried. There are few contacts, there is nothing to get stuck in, and what happens when
// the centre of mass lies exactly above a line between two contacts (any robot with four wheels) is plain: of the
// planes that are as low, the flattest.
#include "terrain/stability.h"

#define SETTLE_ROUNDS 4         // a leaning robot's contacts are nearer together; each round looks up where they are
#define HEIGHT_TOLERANCE_M 1e-7 // between a plane and the contacts that define it

// Height over the map: base_m + along_x * x + along_y * y, in the frame of the place (turned by yaw).
typedef struct rest_plane {
    double base_m, along_x, along_y;
} rest_plane;

static double plane_at(const rest_plane *plane, cairn_vec2 at)
{
    return plane->base_m + plane->along_x * at.x + plane->along_y * at.y;
}

double cairn_height_at(const cairn_height_grid *grid, cairn_vec2 at_m)
{
    const cairn_terrain_area *area = &grid->area;
    const double u = (at_m.x - area->origin_m.x) / area->cell_m, v = (at_m.y - area->origin_m.y) / area->cell_m;
    if (!(u >= 0 && u < area->width && v >= 0 && v < area->height)) { return NAN; }
    const double cu = fmin(fmax(u - 0.5, 0), area->width - 1), cv = fmin(fmax(v - 0.5, 0), area->height - 1);
    const uint32_t x = (uint32_t)cu, y = (uint32_t)cv;
    const uint32_t right = x + 1 < area->width ? 1 : 0, up = y + 1 < area->height ? area->width : 0;
    const int32_t *cell = grid->height_um + (size_t)y * area->width + x;
    const int32_t corner[4] = {cell[0], cell[right], cell[up], cell[up + right]};
    for (int i = 0; i < 4; i++) {
        if (corner[i] == CAIRN_HEIGHT_NONE) { return NAN; }
    }
    const double part_x = cu - x, part_y = cv - y;
    const double low = (1 - part_x) * corner[0] + part_x * corner[1];
    const double high = (1 - part_x) * corner[2] + part_x * corner[3];
    return 1e-6 * ((1 - part_y) * low + part_y * high);
}

// How the base is turned when its contacts lie in a plane and it heads along yaw as seen from above.
static cairn_quat turn_on(const rest_plane *plane, double yaw_rad)
{
    // In the frame of the place, base x goes along (1, 0, along_x); the plane's normal is base z.
    const double pitch_rad = -atan(plane->along_x);
    const double roll_rad = atan(plane->along_y * cos(pitch_rad));
    return cairn_quat_from_rpy((cairn_rpy){roll_rad, pitch_rad, yaw_rad});
}

static bool plane_through(const cairn_vec2 *at, const double *height_m, const uint32_t *triple, rest_plane *ret_plane)
{
    const cairn_vec2 a = cairn_vec2_sub(at[triple[1]], at[triple[0]]), b = cairn_vec2_sub(at[triple[2]], at[triple[0]]);
    const double area = cairn_vec2_cross(a, b);
    if (fabs(area) < 1e-9) { return false; }
    const double rise_a = height_m[triple[1]] - height_m[triple[0]], rise_b = height_m[triple[2]] - height_m[triple[0]];
    ret_plane->along_x = (rise_a * b.y - rise_b * a.y) / area;
    ret_plane->along_y = (rise_b * a.x - rise_a * b.x) / area;
    ret_plane->base_m = 0;
    ret_plane->base_m = height_m[triple[0]] - plane_at(ret_plane, at[triple[0]]);
    return true;
}

static bool lies_between(const cairn_vec2 *at, const uint32_t *triple, cairn_vec2 point)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const cairn_vec2 from = at[triple[i]], to = at[triple[(i + 1) % 3]];
        const double side = cairn_vec2_cross(cairn_vec2_sub(to, from), cairn_vec2_sub(point, from));
        least = fmin(least, side);
        most = fmax(most, side);
    }
    return least >= -1e-12 || most <= 1e-12; // all on one side, whichever way round the triple goes
}

static bool carries_all(const rest_plane *plane, const cairn_vec2 *at, const double *height_m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (plane_at(plane, at[i]) < height_m[i] - HEIGHT_TOLERANCE_M) { return false; }
    }
    return true;
}

static double steepness(const rest_plane *plane)
{
    return plane->along_x * plane->along_x + plane->along_y * plane->along_y;
}

// A plane through three contacts with the mass between them that carries all others is the lowest there is at the mass:
// any other that carries these three is at least as high between them. Several are equally low where the mass lies
// above a line between two contacts.
static bool rest_on(const cairn_vec2 *at, const double *height_m, uint32_t count, cairn_vec2 mass,
                    rest_plane *ret_plane)
{
    bool found = false;
    uint32_t triple[3];
    for (triple[0] = 0; triple[0] < count; triple[0]++) {
        for (triple[1] = triple[0] + 1; triple[1] < count; triple[1]++) {
            for (triple[2] = triple[1] + 1; triple[2] < count; triple[2]++) {
                rest_plane plane;
                if (!lies_between(at, triple, mass) || !plane_through(at, height_m, triple, &plane)) { continue; }
                if (!carries_all(&plane, at, height_m, count)) { continue; }
                if (found && steepness(&plane) >= steepness(ret_plane)) { continue; }
                *ret_plane = plane;
                found = true;
            }
        }
    }
    return found;
}

// Where the contacts and the point under the mass are, seen from above in the frame of the place.
typedef struct footprint {
    cairn_vec2 at[CAIRN_CONTACTS_MAX], mass;
    double height_m[CAIRN_CONTACTS_MAX];
} footprint;

static cairn_vec2 seen_from_above(cairn_quat lean, cairn_vec2 in_base)
{
    const cairn_vec3 turned = cairn_quat_rotate(lean, (cairn_vec3){in_base.x, in_base.y, 0});
    return (cairn_vec2){turned.x, turned.y};
}

static bool footprint_look(const cairn_stand_def *def, const cairn_height_grid *grid, cairn_pose2 place,
                           cairn_quat lean, footprint *ret_print)
{
    const double cosine = cos(place.yaw_rad), sine = sin(place.yaw_rad);
    ret_print->mass = seen_from_above(lean, (cairn_vec2){def->mass_m.x, def->mass_m.y});
    for (uint32_t i = 0; i < def->contact_count; i++) {
        const cairn_vec2 at = seen_from_above(lean, def->contact_m[i]);
        const cairn_vec2 on_map = {place.x_m + cosine * at.x - sine * at.y, place.y_m + sine * at.x + cosine * at.y};
        ret_print->at[i] = at;
        ret_print->height_m[i] = cairn_height_at(grid, on_map);
        if (!isfinite(ret_print->height_m[i])) { return false; }
    }
    return true;
}

// Adds a point to a chain that turns left, taking back the corners that it makes none. Never those before `keep`.
static uint32_t hull_push(cairn_vec2 *hull, uint32_t count, uint32_t keep, cairn_vec2 next)
{
    while (count >= keep + 2 && cairn_vec2_cross(cairn_vec2_sub(hull[count - 1], hull[count - 2]),
                                                 cairn_vec2_sub(next, hull[count - 1])) <= 1e-12) {
        count--;
    }
    hull[count] = next;
    return count + 1;
}

// Corners of the convex hull of some contacts, counter-clockwise (Andrew's monotone chain). Returns how many.
static uint32_t hull_of(const cairn_vec2 *points, uint32_t count, cairn_vec2 *ret_hull)
{
    cairn_vec2 sorted[CAIRN_CONTACTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = i;
        for (; slot > 0 && (points[i].x < sorted[slot - 1].x ||
                            (points[i].x == sorted[slot - 1].x && points[i].y < sorted[slot - 1].y));
             slot--) {
            sorted[slot] = sorted[slot - 1];
        }
        sorted[slot] = points[i];
    }
    uint32_t hull = 0;
    for (uint32_t i = 0; i < count; i++) { hull = hull_push(ret_hull, hull, 0, sorted[i]); }
    const uint32_t lower = hull - 1; // the upper side begins where the lower one ended
    for (uint32_t i = count - 1; i-- > 0;) { hull = hull_push(ret_hull, hull, lower, sorted[i]); }
    return hull - 1; // it ends where it began
}

typedef struct tipping {
    double angle_rad, measure_m_rad;
} tipping;

// About the edge from -> to, counter-clockwise; down is the direction of the weight, a unit vector in the base's frame.
static tipping tipping_about(cairn_vec2 from, cairn_vec2 to, cairn_vec3 mass_m, cairn_vec3 down)
{
    const cairn_vec3 edge = {to.x - from.x, to.y - from.y, 0};
    const cairn_vec3 axis = cairn_vec3_scale(edge, 1 / cairn_vec3_length(edge));
    const cairn_vec3 out = cairn_vec3_sub((cairn_vec3){to.x, to.y, 0}, mass_m);
    const cairn_vec3 lever = cairn_vec3_sub(out, cairn_vec3_scale(axis, cairn_vec3_dot(axis, out)));
    const cairn_vec3 force = cairn_vec3_sub(down, cairn_vec3_scale(axis, cairn_vec3_dot(axis, down)));
    // Positive while the weight pulls to the inner side of the edge.
    const double inwards = cairn_vec3_dot(cairn_vec3_cross(lever, force), axis);
    const double angle_rad = atan2(inwards, cairn_vec3_dot(lever, force));
    const double force_n = cairn_vec3_length(force);
    // Distance between the line of the force and the edge: tall and narrow robots have little.
    const double distance_m = force_n > 0 ? fabs(inwards) / force_n : 0;
    return (tipping){angle_rad, angle_rad * distance_m * force_n};
}

static tipping least_stable(const cairn_stand_def *def, uint32_t touching, cairn_vec3 down)
{
    cairn_vec2 points[CAIRN_CONTACTS_MAX], hull[CAIRN_CONTACTS_MAX + 2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->contact_count; i++) {
        if (touching >> i & 1) { points[count++] = def->contact_m[i]; }
    }
    CAIRN_ASSERT(count >= 3); // those that the plane goes through
    const uint32_t corners = hull_of(points, count, hull);
    tipping least = {INFINITY, INFINITY};
    for (uint32_t i = 0; i < corners; i++) {
        const tipping here = tipping_about(hull[i], hull[(i + 1) % corners], def->mass_m, down);
        least.angle_rad = fmin(least.angle_rad, here.angle_rad);
        least.measure_m_rad = fmin(least.measure_m_rad, here.measure_m_rad);
    }
    return least;
}

static void stand_judge(const cairn_stand_def *def, cairn_stand *stand)
{
    const cairn_vec3 down = cairn_quat_rotate(cairn_quat_conjugate(stand->map_T_base.turn), (cairn_vec3){0, 0, -1});
    const tipping here = least_stable(def, stand->touching, down);
    const tipping level = least_stable(def, (1u << def->contact_count) - 1, (cairn_vec3){0, 0, -1});
    stand->angle_rad = here.angle_rad;
    stand->measure_m_rad = here.measure_m_rad;
    stand->risk = here.measure_m_rad > 0 ? fmax(1, level.measure_m_rad / here.measure_m_rad) : INFINITY;
}

cairn_err cairn_stand_drop(const cairn_stand_def *def, const cairn_height_grid *grid, cairn_pose2 place,
                           cairn_stand *ret_stand)
{
    CAIRN_ASSERT(def->contact_count >= 3 && def->contact_count <= CAIRN_CONTACTS_MAX);
    CAIRN_ASSERT(def->mass_m.z > 0 && def->touch_m >= 0);
    footprint print;
    rest_plane plane = {0};
    for (int round = 0; round < SETTLE_ROUNDS; round++) {
        if (!footprint_look(def, grid, place, turn_on(&plane, 0), &print)) { return CAIRN_ERR_OUTSIDE; }
        if (!rest_on(print.at, print.height_m, def->contact_count, print.mass, &plane)) { return CAIRN_ERR_INVALID; }
    }

    cairn_stand stand = {.map_T_base = {{place.x_m, place.y_m, plane.base_m}, turn_on(&plane, place.yaw_rad)}};
    for (uint32_t i = 0; i < def->contact_count; i++) {
        const double gap_m = plane_at(&plane, print.at[i]) - print.height_m[i];
        if (gap_m <= def->touch_m + HEIGHT_TOLERANCE_M) { stand.touching |= 1u << i; }
    }
    stand_judge(def, &stand);
    *ret_stand = stand;
    return CAIRN_OK;
}
