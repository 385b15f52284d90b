#include "sim/physics/planar/planar_ground.h"

// Between two steps of the physics a place moves by millimetres: ground that lies lower by more than a step and this
// is no slope.
#define SLACK_M 0.01
// A wheel rises and sinks no faster than this: it rolls over a step.
#define LIFT_MPS 2.0
// A face is judged by the ground this far to either side of it.
#define FACE_M 0.01
// Whoever is further inside than this stands on it.
#define ON_IT_M 0.05

bool cairn_arena_is_flat(const cairn_sim_arena *arena)
{
    bool flat = arena->field_count == 0 && !arena->has_holes;
    for (uint32_t i = 0; i < arena->solid_count && flat; i++) { flat = arena->solids[i].kind != CAIRN_SOLID_GROUND; }
    return flat;
}

void cairn_feet_put(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double from_m,
                    cairn_feet *ret_feet)
{
    cairn_feet feet = {.friction = 0};
    const cairn_vec2 middle = at_m[CAIRN_FOOT_MIDDLE];
    const cairn_footing middle_ground = cairn_sim_ground(arena, middle, from_m);
    const double middle_m = middle_ground.height_m;
    feet.ground_m[CAIRN_FOOT_MIDDLE] = middle_m;
    feet.rough = middle_ground.rough;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double reach_m = cairn_vec2_distance(at_m[i], middle); // as much higher on a slope of 45 degrees
        const cairn_footing ground = cairn_sim_ground(arena, at_m[i], middle_m + reach_m);
        feet.hangs[i] = ground.height_m < middle_m - reach_m;
        feet.ground_m[i] = feet.height_m[i] = feet.hangs[i] != 0 ? middle_m : ground.height_m;
        feet.friction += ground.friction / CAIRN_WHEELS_MAX;
    }
    *ret_feet = feet;
}

// One foot to the ground at its place, unless that is an edge.
static cairn_footing foot_move(const cairn_sim_arena *arena, cairn_vec2 at_m, double drop_m, int foot, cairn_feet *feet)
{
    const cairn_footing ground = cairn_sim_ground(arena, at_m, feet->ground_m[foot] + drop_m);
    feet->hangs[foot] = ground.height_m < feet->ground_m[foot] - drop_m;
    if (feet->hangs[foot] == 0) { feet->ground_m[foot] = ground.height_m; }
    return ground;
}

void cairn_feet_move(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double step_m,
                     double elapsed_s, cairn_feet *feet)
{
    double friction = 0;
    uint32_t standing = 0;
    const double drop_m = step_m + SLACK_M;
    const cairn_footing middle = foot_move(arena, at_m[CAIRN_FOOT_MIDDLE], drop_m, CAIRN_FOOT_MIDDLE, feet);
    feet->rough = feet->hangs[CAIRN_FOOT_MIDDLE] == 0 && middle.rough;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const cairn_footing ground = foot_move(arena, at_m[i], drop_m, i, feet);
        // The robot has gone down beside it: nothing holds it up there any longer.
        if (feet->hangs[i] != 0 && feet->hangs[CAIRN_FOOT_MIDDLE] == 0 && ground.height_m >= middle.height_m - drop_m) {
            feet->hangs[i] = 0;
            feet->ground_m[i] = ground.height_m;
        }
        if (feet->hangs[i] == 0) {
            friction += ground.friction;
            standing++;
        }
        const double lift_m = feet->ground_m[i] - feet->height_m[i], lift_m_max = LIFT_MPS * elapsed_s;
        feet->height_m[i] += fmin(fmax(lift_m, -lift_m_max), lift_m_max);
    }
    feet->friction = standing > 0 ? friction / standing : CAIRN_GROUND_FRICTION;
}

// Over a gap that all wheels span it does not.
bool cairn_feet_fall(const cairn_feet *feet)
{
    const double *hangs = feet->hangs;
    const bool pair =
        hangs[0] + hangs[1] == 2 || hangs[2] + hangs[3] == 2 || hangs[0] + hangs[2] == 2 || hangs[1] + hangs[3] == 2;
    return hangs[CAIRN_FOOT_MIDDLE] != 0 && pair;
}

// ---- faces

// The nearest place in a rectangle that is a little away from its border.
static cairn_vec2 just_inside(const cairn_rect *rect, cairn_vec2 at_m)
{
    const cairn_vec2 apart = cairn_vec2_sub(at_m, rect->centre_m);
    const double x_max = fmax(rect->half_m.x - FACE_M, 0), y_max = fmax(rect->half_m.y - FACE_M, 0);
    const double x = fmin(fmax(cairn_vec2_dot(rect->axis, apart), -x_max), x_max);
    const double y = fmin(fmax(cairn_vec2_cross(rect->axis, apart), -y_max), y_max);
    return (cairn_vec2){rect->centre_m.x + x * rect->axis.x - y * rect->axis.y,
                        rect->centre_m.y + x * rect->axis.y + y * rect->axis.x};
}

bool cairn_ground_stops(const cairn_sim_arena *arena, const cairn_obstacle *ground, const cairn_rect_contact *contact,
                        double foot_m, double height_m, double step_m)
{
    CAIRN_ASSERT(ground->ground);
    if (contact->gap_m < -ON_IT_M) { return false; }
    cairn_pierced face;
    if (!cairn_solid_pierce(ground->ground, just_inside(&ground->rect, contact->at_m), &face)) { return false; }
    if (face.top_m <= foot_m + step_m || face.bottom_m >= foot_m + height_m) { return false; }
    const cairn_vec2 outside =
        cairn_vec2_add(contact->at_m, cairn_vec2_scale(contact->normal, FACE_M + fmax(-contact->gap_m, 0)));
    return face.top_m - cairn_sim_ground_m(arena, outside, face.top_m + 1e-3) > step_m;
}
