#include "sim/physics/planar_ground.h"

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

static bool is_on_field(const cairn_sim_arena *arena, cairn_vec2 at_m, double ground_m)
{
    for (uint32_t i = 0; i < arena->field_count; i++) {
        const cairn_height_field *field = &arena->fields[i];
        const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(field->map_T_field), at_m);
        const double height_m = ground_m - field->foot_m;
        if (at.x >= 0 && at.y >= 0 && at.x <= (field->columns - 1) * field->cell_m &&
            at.y <= (field->rows - 1) * field->cell_m && height_m > -SLACK_M &&
            height_m < (double)field->height_m_max + SLACK_M) {
            return true;
        }
    }
    return false;
}

void cairn_feet_put(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double from_m,
                    cairn_feet *ret_feet)
{
    cairn_feet feet = {.friction = 0};
    const cairn_vec2 middle = at_m[CAIRN_FOOT_MIDDLE];
    const double middle_m = cairn_sim_ground_m(arena, middle, from_m);
    feet.ground_m[CAIRN_FOOT_MIDDLE] = middle_m;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double reach_m = cairn_vec2_distance(at_m[i], middle); // as much higher on a slope of 45 degrees
        const cairn_footing ground = cairn_sim_ground(arena, at_m[i], middle_m + reach_m);
        feet.hangs[i] = ground.height_m < middle_m - reach_m;
        feet.ground_m[i] = feet.height_m[i] = feet.hangs[i] != 0 ? middle_m : ground.height_m;
        feet.friction += ground.friction / CAIRN_WHEELS_MAX;
    }
    feet.rough = is_on_field(arena, middle, middle_m);
    *ret_feet = feet;
}

void cairn_feet_move(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double step_m,
                     double elapsed_s, cairn_feet *feet)
{
    double friction = 0;
    uint32_t standing = 0;
    for (int i = 0; i < CAIRN_FEET_COUNT; i++) {
        const cairn_footing ground = cairn_sim_ground(arena, at_m[i], feet->ground_m[i] + step_m + SLACK_M);
        feet->hangs[i] = ground.height_m < feet->ground_m[i] - step_m - SLACK_M;
        if (feet->hangs[i] == 0) { feet->ground_m[i] = ground.height_m; }
        if (i == CAIRN_FOOT_MIDDLE) { break; }
        if (feet->hangs[i] == 0) {
            friction += ground.friction;
            standing++;
        }
        const double lift_m = feet->ground_m[i] - feet->height_m[i], lift_m_max = LIFT_MPS * elapsed_s;
        feet->height_m[i] += fmin(fmax(lift_m, -lift_m_max), lift_m_max);
    }
    feet->friction = standing > 0 ? friction / standing : CAIRN_GROUND_FRICTION;
    if (arena->field_count > 0) {
        feet->rough = is_on_field(arena, at_m[CAIRN_FOOT_MIDDLE], feet->ground_m[CAIRN_FOOT_MIDDLE]);
    }
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

// The part of a line straight up and down that lies in a box; false if it misses it.
static bool span_at(const cairn_solid *solid, cairn_vec2 at_m, double *ret_low_m, double *ret_high_m)
{
    const cairn_quat back = cairn_quat_conjugate(solid->map_T_box.turn);
    const cairn_vec3 middle = solid->map_T_box.at_m;
    const cairn_vec3 from = cairn_quat_rotate(back, (cairn_vec3){at_m.x - middle.x, at_m.y - middle.y, 0});
    const cairn_vec3 up = cairn_quat_rotate(back, (cairn_vec3){0, 0, 1});
    const double from_of[3] = {from.x, from.y, from.z}, up_of[3] = {up.x, up.y, up.z};
    const double half_of[3] = {solid->half_m.x, solid->half_m.y, solid->half_m.z};
    double low_m = -INFINITY, high_m = INFINITY;
    for (int i = 0; i < 3; i++) {
        if (fabs(up_of[i]) < 1e-12) {
            if (fabs(from_of[i]) > half_of[i]) { return false; }
            continue;
        }
        const double middle_m = -from_of[i] / up_of[i], half_m = half_of[i] / fabs(up_of[i]);
        low_m = fmax(low_m, middle_m - half_m);
        high_m = fmin(high_m, middle_m + half_m);
    }
    if (low_m > high_m) { return false; }
    *ret_low_m = middle.z + low_m;
    *ret_high_m = middle.z + high_m;
    return true;
}

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
    double low_m, high_m;
    if (!span_at(ground->ground, just_inside(&ground->rect, contact->at_m), &low_m, &high_m)) { return false; }
    if (high_m <= foot_m + step_m || low_m >= foot_m + height_m) { return false; }
    const cairn_vec2 outside =
        cairn_vec2_add(contact->at_m, cairn_vec2_scale(contact->normal, FACE_M + fmax(-contact->gap_m, 0)));
    return high_m - cairn_sim_ground_m(arena, outside, high_m + 1e-3) > step_m;
}
