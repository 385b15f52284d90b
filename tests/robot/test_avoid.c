// Obstacle avoidance: in rooms and corridors, whatever is wished, the hull touches nothing.
#include "course.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED 20260714u

// A maze cell's worth of walls: corridors of 1.3 m with a bend, a dead end and a box standing about.
static void build_maze(course *track, cairn_random *random)
{
    course_clear(track);
    course_box(track, (cairn_vec2){0.0, 0.0}, (cairn_vec2){5.2, 3.9});
    course_box(track, (cairn_vec2){1.28, 0.0}, (cairn_vec2){1.33, 2.6});
    course_box(track, (cairn_vec2){2.58, 1.3}, (cairn_vec2){2.63, 3.9});
    course_box(track, (cairn_vec2){3.88, 0.0}, (cairn_vec2){3.93, 2.6});
    const double x = cairn_random_between(random, 1.5, 2.2), y = cairn_random_between(random, 0.2, 0.9);
    course_box(track, (cairn_vec2){x, y}, (cairn_vec2){x + 0.2, y + 0.2});
}

// A pose whose hull is clear of all walls.
static void place_free(course *track, cairn_random *random)
{
    do {
        course_place(track,
                     (cairn_pose2){cairn_random_between(random, 0.4, 4.8), cairn_random_between(random, 0.4, 3.5),
                                   cairn_random_between(random, -CAIRN_PI, CAIRN_PI)});
    } while (course_gap_m(track) < 0.15);
}

// A path straight to some place, walls or no walls: a wish as foolish as can be.
static void foolish_path(course *track, cairn_random *random)
{
    cairn_path *path = cairn_cell_begin(track->cells.path);
    *path = (cairn_path){.issued = track->now, .point_count = 2, .speed_mps_max = 0.6};
    path->points_m[0] = cairn_pose2_at(track->map_T_base);
    path->points_m[1] = (cairn_vec2){cairn_random_between(random, -0.5, 5.7), cairn_random_between(random, -0.5, 4.4)};
    path->face_at_end = cairn_random_below(random, 2) == 0;
    path->end_yaw_rad = cairn_random_between(random, -CAIRN_PI, CAIRN_PI);
    cairn_cell_publish(track->cells.path);
}

// Walls behind that the laser has not seen yet: what a map would tell.
static void tell_near_walls(course *track)
{
    cairn_near_obstacles *near = cairn_cell_begin(track->cells.obstacles);
    near->issued = track->now;
    near->point_count = 0;
    for (uint32_t i = 0; i < track->wall_count; i++) {
        const cairn_vec2 from = track->walls[i].from, edge = cairn_vec2_sub(track->walls[i].to, from);
        const double length = cairn_vec2_length(edge);
        for (double way = 0.0; way <= length; way += 0.04) {
            const cairn_vec2 point = cairn_vec2_add(from, cairn_vec2_scale(edge, way / length));
            const bool is_near = cairn_vec2_distance(point, cairn_pose2_at(track->map_T_base)) < 1.0;
            if (!is_near || near->point_count == CAIRN_NEAR_POINTS_MAX) { continue; }
            near->x_m[near->point_count] = (float)point.x;
            near->y_m[near->point_count++] = (float)point.y;
        }
    }
    cairn_cell_publish(track->cells.obstacles);
}

// 10,000 s in all: 500 places, 20 s each, a new foolish wish every 2.5 s.
static void no_wish_makes_the_hull_touch_a_wall(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "avoid/wishes");
    course *track = calloc(1, sizeof *track);
    course_init(track, SEED);
    track->range_noise_m = 0.01;
    double way_m = 0.0, turned_rad = 0.0;
    for (int place = 0; place < 500; place++) {
        build_maze(track, &random);
        place_free(track, &random);
        course_mode(track, CAIRN_MODE_AUTONOMOUS);
        tell_near_walls(track);
        for (int wish = 0; wish < 8; wish++) {
            foolish_path(track, &random);
            for (int i = 0; i < 313; i++) {
                course_step(track);
                way_m += fabs(track->forward_mps) * 0.008;
                turned_rad += fabs(track->turn_radps) * 0.008;
            }
        }
    }
    print_message("seed %u: nearest %.3f m, touching %u periods at up to %.2f m/s, %.0f m and %.0f rad driven\n", SEED,
                  track->gap_m_min, track->touching_count, track->touch_mps_max, way_m, turned_rad);
    assert_int_equal(track->touching_count, 0);
    assert_true(way_m > 500.0); // it did move
    course_finish(track);
    free(track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wish_makes_the_hull_touch_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
