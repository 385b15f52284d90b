#include "course.h"
#include "rig.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PERIOD_S 0.008
// [s] The real wheels follow their ramp with about this lag.
#define LAG_S 0.05
#define BEAMS COURSE_BEAMS
#define SCAN_PERIODS 5 // 25 Hz, told one period late

static void make_robot(course *track)
{
    assert_int_equal(cairn_arena_create(&track->arena, 1 << 20), CAIRN_OK);
    assert_int_equal(cairn_body_create(&track->description, &track->arena, &track->body), CAIRN_OK);
    assert_int_equal(cairn_reflex_cells_create(&track->arena, &track->reflex), CAIRN_OK);
    assert_int_equal(cairn_behaviour_cells_create(&track->arena, &track->cells), CAIRN_OK);
    assert_int_equal(
        cairn_behaviours_create(&track->body, &track->reflex, &track->cells, &track->arena, &track->behaviours),
        CAIRN_OK);
}

void course_init(course *track, uint64_t seed)
{
    *track = (course){.description = rig_description(), .gap_m_min = INFINITY};
    track->description.laser.beam_count = BEAMS;
    for (int i = 0; i < BEAMS; i++) {
        const double angle = track->description.laser.field_rad * (i / (BEAMS - 1.0) - 0.5);
        track->beams[i] = (cairn_vec2){cos(angle), sin(angle)};
    }
    cairn_random_init(&track->random, seed, "course");
    make_robot(track);
}

void course_finish(course *track) { cairn_arena_destroy(&track->arena); }

void course_place(course *track, cairn_pose2 map_T_base)
{
    cairn_arena_destroy(&track->arena);
    make_robot(track);
    track->map_T_base = map_T_base;
    track->forward_mps = track->turn_radps = 0.0;
    track->state = (cairn_reflex_state){0};
    track->command = (cairn_motion_command){0};
}

void course_clear(course *track) { track->wall_count = 0; }

void course_wall(course *track, cairn_vec2 from, cairn_vec2 to)
{
    assert_true(track->wall_count < COURSE_WALLS_MAX);
    track->walls[track->wall_count].from = from;
    track->walls[track->wall_count++].to = to;
}

void course_box(course *track, cairn_vec2 low, cairn_vec2 high)
{
    course_wall(track, low, (cairn_vec2){high.x, low.y});
    course_wall(track, (cairn_vec2){high.x, low.y}, high);
    course_wall(track, high, (cairn_vec2){low.x, high.y});
    course_wall(track, (cairn_vec2){low.x, high.y}, low);
}

// Draws one wall into a scan: each beam between the bearings of its ends meets its line somewhere.
static void draw_wall(cairn_scan_frame *frame, const cairn_vec2 *beams, cairn_vec2 from, cairn_vec2 to)
{
    const cairn_vec2 edge = cairn_vec2_sub(to, from);
    const double first = atan2(from.y, from.x), sweep = cairn_angle_between(first, atan2(to.y, to.x));
    const double low = fmin(first, first + sweep), high = fmax(first, first + sweep);
    for (int turn = -1; turn <= 1; turn++) {
        const double begin =
            (low + turn * 2.0 * CAIRN_PI - (double)frame->angle_rad_first) / (double)frame->angle_rad_step;
        const double end =
            (high + turn * 2.0 * CAIRN_PI - (double)frame->angle_rad_first) / (double)frame->angle_rad_step;
        for (int i = (int)ceil(fmax(begin, 0.0)); i <= fmin(end, BEAMS - 1.0); i++) {
            const double across = cairn_vec2_cross(beams[i], edge);
            if (across == 0.0) { continue; }
            const float range = (float)(cairn_vec2_cross(from, edge) / across);
            if (range > 0.0f && range < frame->range_m[i]) { frame->range_m[i] = range; }
        }
    }
}

static void scan(course *track)
{
    const cairn_laser_description *laser = &track->description.laser;
    const cairn_pose2 base_T_laser = {laser->base_T_laser.at_m.x, laser->base_T_laser.at_m.y, 0.0};
    const cairn_pose2 laser_T_map = cairn_pose2_inverse(cairn_pose2_compose(track->map_T_base, base_T_laser));
    cairn_scan_frame *frame = cairn_cell_begin(track->body.scan_behaviour);
    frame->taken = track->now;
    frame->beam_count = BEAMS;
    frame->angle_rad_first = (float)(-0.5 * laser->field_rad);
    frame->angle_rad_step = (float)(laser->field_rad / (BEAMS - 1));
    frame->beam_ns_step = 0.0f;
    frame->range_m_min = (float)laser->range_m_min;
    frame->range_m_max = (float)laser->range_m_max;
    for (uint32_t i = 0; i < BEAMS; i++) { frame->range_m[i] = INFINITY; }
    for (uint32_t i = 0; i < track->wall_count; i++) {
        draw_wall(frame, track->beams, cairn_pose2_apply(laser_T_map, track->walls[i].from),
                  cairn_pose2_apply(laser_T_map, track->walls[i].to));
    }
    if (track->range_noise_m > 0.0) {
        float noise[BEAMS];
        cairn_random_gauss_fill(&track->random, noise, BEAMS);
        for (uint32_t i = 0; i < BEAMS; i++) { frame->range_m[i] += (float)track->range_noise_m * noise[i]; }
    }
    for (uint32_t i = 0; i < BEAMS; i++) {
        if (track->laser_covered) { frame->range_m[i] = NAN; }
        if (track->laser_empty) { frame->range_m[i] = INFINITY; }
        if (track->laser_frozen) { frame->range_m[i] = track->said_m[i]; }
        track->said_m[i] = frame->range_m[i];
    }
    cairn_cell_publish(track->body.scan_behaviour);
}

static double point_to_segment(cairn_vec2 point, cairn_vec2 from, cairn_vec2 to)
{
    const cairn_vec2 edge = cairn_vec2_sub(to, from);
    const double part = cairn_vec2_dot(cairn_vec2_sub(point, from), edge) / cairn_vec2_dot(edge, edge);
    const double clipped = fmin(fmax(part, 0.0), 1.0);
    return cairn_vec2_distance(point, cairn_vec2_add(from, cairn_vec2_scale(edge, clipped)));
}

// Whether a segment passes through the rectangle about the origin (the clipping of Liang and Barsky).
static bool passes_through(cairn_vec2 from, cairn_vec2 to, double half_x, double half_y)
{
    double begin = 0.0, end = 1.0;
    const double starts[2] = {from.x, from.y}, steps[2] = {to.x - from.x, to.y - from.y};
    const double halves[2] = {half_x, half_y};
    for (int axis = 0; axis < 2; axis++) {
        if (steps[axis] == 0.0) {
            if (fabs(starts[axis]) > halves[axis]) { return false; }
            continue;
        }
        const double a = (-halves[axis] - starts[axis]) / steps[axis], b = (halves[axis] - starts[axis]) / steps[axis];
        begin = fmax(begin, fmin(a, b));
        end = fmin(end, fmax(a, b));
    }
    return begin <= end;
}

static double point_to_hull(cairn_vec2 point, double half_x, double half_y)
{
    return hypot(fmax(fabs(point.x) - half_x, 0.0), fmax(fabs(point.y) - half_y, 0.0));
}

// Distance from the rectangle of the hull to a wall, 0 when they meet: at an end of one of them, if at all.
static double hull_to_wall(const course *track, uint32_t wall, cairn_pose2 base_T_map)
{
    const cairn_vec2 from = cairn_pose2_apply(base_T_map, track->walls[wall].from);
    const cairn_vec2 to = cairn_pose2_apply(base_T_map, track->walls[wall].to);
    const double half_x = 0.5 * track->description.length_m, half_y = 0.5 * track->description.width_m;
    if (passes_through(from, to, half_x, half_y)) { return 0.0; }
    double nearest = fmin(point_to_hull(from, half_x, half_y), point_to_hull(to, half_x, half_y));
    for (int corner = 0; corner < 4; corner++) {
        const cairn_vec2 at = {corner & 1 ? half_x : -half_x, corner & 2 ? half_y : -half_y};
        nearest = fmin(nearest, point_to_segment(at, from, to));
    }
    return nearest;
}

double course_gap_m(const course *track)
{
    const cairn_pose2 base_T_map = cairn_pose2_inverse(track->map_T_base);
    double nearest = INFINITY;
    for (uint32_t i = 0; i < track->wall_count; i++) { nearest = fmin(nearest, hull_to_wall(track, i, base_T_map)); }
    return nearest;
}

static double ramp(double from, double to, double change_max)
{
    return from + fmin(fmax(to - from, -change_max), change_max);
}

// The wheels follow the command within the limits and with a lag.
static void move(course *track)
{
    const cairn_body_limits *limits = &track->description.limits;
    const double follow = PERIOD_S / LAG_S;
    track->forward_mps +=
        follow *
        (ramp(track->forward_mps, track->command.forward_mps, limits->accel_mps2_max * LAG_S) - track->forward_mps);
    track->turn_radps +=
        follow *
        (ramp(track->turn_radps, track->command.turn_radps, limits->turn_accel_radps2_max * LAG_S) - track->turn_radps);
    const double yaw = track->map_T_base.yaw_rad + 0.5 * track->turn_radps * PERIOD_S;
    track->map_T_base.x_m += track->forward_mps * PERIOD_S * cos(yaw);
    track->map_T_base.y_m += track->forward_mps * PERIOD_S * sin(yaw);
    track->map_T_base.yaw_rad = cairn_angle_wrap(track->map_T_base.yaw_rad + track->turn_radps * PERIOD_S);
}

static void watch(course *track)
{
    if (track->period_count % 4 != 0) { return; }
    const double gap = course_gap_m(track);
    track->gap_m_min = fmin(track->gap_m_min, gap);
    if (gap > 0.0) { return; }
    track->touching_count++;
    const double corner = fabs(track->forward_mps) + 0.34 * fabs(track->turn_radps);
    track->touch_mps_max = fmax(track->touch_mps_max, corner);
}

void course_step(course *track)
{
    if (track->stick_held) { course_stick(track, 0.0, 0.0); }
    track->now.ns += CAIRN_MS(8);
    if (track->period_count++ % SCAN_PERIODS == 0 && !track->scans_off) { scan(track); }
    const cairn_mode_order order = {.issued = track->now, .mode = track->mode};
    if (!track->deliberate_hangs) { cairn_cell_write(track->cells.mode, &order, sizeof order); }
    track->state.at = track->now;
    track->state.odom_T_base = track->map_T_base;
    track->state.forward_mps = track->forward_mps;
    track->state.turn_radps = track->turn_radps;
    cairn_cell_write(track->reflex.state_behaviour, &track->state, sizeof track->state);
    cairn_behaviours_step(track->behaviours, track->now);
    track->command = *(const cairn_motion_command *)cairn_cell_latest(track->reflex.command, NULL);
    move(track);
    watch(track);
}

void course_run(course *track, double seconds)
{
    const int periods = (int)lround(seconds / PERIOD_S);
    for (int i = 0; i < periods; i++) { course_step(track); }
}

void course_mode(course *track, cairn_mode mode) { track->mode = mode; }

void course_stick(course *track, double forward, double turn)
{
    const cairn_stick stick = {.received = track->now, .forward = forward, .turn = turn, .dead_man = true};
    cairn_cell_write(track->cells.stick, &stick, sizeof stick);
}

cairn_behaviour_state course_state(course *track)
{
    return *(const cairn_behaviour_state *)cairn_cell_latest(track->cells.state, NULL);
}
