// made_scene.h - a place made of boxes, and what a turning and nodding laser sees of it.
#pragma once
#include "base/random.h"
#include "geometry/rays.h"
#include "terrain/terrain.h"
#include <string.h>

#define SCENE_BOXES_MAX 16
#define SCENE_RAYS_MAX 60000

typedef struct scene_box {
    cairn_vec3 low_m, high_m; // corners
} scene_box;

typedef struct made_scene {
    uint32_t box_count;
    scene_box boxes[SCENE_BOXES_MAX];
    cairn_vec3 sensor_m;
    uint32_t hit_count, miss_count;
    float hit_x_m[SCENE_RAYS_MAX], hit_y_m[SCENE_RAYS_MAX], hit_z_m[SCENE_RAYS_MAX];
    float miss_x_m[SCENE_RAYS_MAX], miss_y_m[SCENE_RAYS_MAX], miss_z_m[SCENE_RAYS_MAX];
} made_scene;

static inline void scene_add(made_scene *made, cairn_vec3 low_m, cairn_vec3 high_m)
{
    made->boxes[made->box_count++] = (scene_box){low_m, high_m};
}

static inline double scene_range(const made_scene *made, cairn_vec3 direction)
{
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < made->box_count; i++) {
        const cairn_vec3 low = made->boxes[i].low_m, high = made->boxes[i].high_m;
        const cairn_vec3 half = cairn_vec3_scale(cairn_vec3_sub(high, low), 0.5);
        const cairn_pose3 at = {cairn_vec3_add(low, half), {1, 0, 0, 0}};
        const double range_m = cairn_ray_box3(made->sensor_m, direction, at, half);
        if (range_m >= 0 && range_m < nearest_m) { nearest_m = range_m; }
    }
    return nearest_m;
}

// Rays all around, from 60 degrees below the horizon to 30 above it; those without a return are told as misses at 15 m.
static inline void scene_look(made_scene *made, uint32_t around, uint32_t upward, double noise_m, cairn_random *random)
{
    made->hit_count = made->miss_count = 0;
    for (uint32_t i = 0; i < around * upward; i++) {
        const double turn = 2 * CAIRN_PI * (i / upward + 0.5) / around; // amid the beams of a flat scan
        const double tilt = CAIRN_PI * (-60 + 90.0 * (i % upward) / upward) / 180;
        const cairn_vec3 direction = {cos(turn) * cos(tilt), sin(turn) * cos(tilt), sin(tilt)};
        const double range_m = scene_range(made, direction);
        const bool hit = range_m < 15;
        const double noisy_m = hit ? range_m + noise_m * cairn_random_gauss(random) : 15;
        const cairn_vec3 end = cairn_vec3_add(made->sensor_m, cairn_vec3_scale(direction, noisy_m));
        const uint32_t slot = hit ? made->hit_count++ : made->miss_count++;
        (hit ? made->hit_x_m : made->miss_x_m)[slot] = (float)end.x;
        (hit ? made->hit_y_m : made->miss_y_m)[slot] = (float)end.y;
        (hit ? made->hit_z_m : made->miss_z_m)[slot] = (float)end.z;
    }
}

static inline cairn_terrain_sweep scene_sweep(const made_scene *made)
{
    return (cairn_terrain_sweep){made->sensor_m,
                                 {made->hit_x_m, made->hit_y_m, made->hit_z_m, made->hit_count},
                                 {made->miss_x_m, made->miss_y_m, made->miss_z_m, made->miss_count}};
}

static inline uint8_t scene_cell(const cairn_terrain_view *view, double x_m, double y_m)
{
    const uint32_t x = (uint32_t)((x_m - view->area.origin_m.x) / view->area.cell_m);
    const uint32_t y = (uint32_t)((y_m - view->area.origin_m.y) / view->area.cell_m);
    return view->cells[y * view->area.width + x];
}
