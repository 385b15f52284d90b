// scene.h - a sitting person before walls, as a thermal camera and a laser see it, by plain ray casting.
#pragma once
#include "../matching/world.h"
#include "geometry/rays.h"
#include "perception/victim_tracks.h"

#define SCENE_WIDTH 80
#define SCENE_HEIGHT 60
#define SCENE_FIELD_RAD (70 * CAIRN_PI / 180)
#define SCENE_PERSON_MAX 4

typedef struct scene {
    world walls; // without the people
    world all;   // with them, as the laser sees them
    uint32_t person_count;
    cairn_pose2 people[SCENE_PERSON_MAX];
} scene;

static const cairn_vec3 SCENE_PERSON_HALF_M = {0.14, 0.2, 0.375};
static const cairn_pose3 SCENE_BASE_T_CAMERA = {{0.2, 0, 0.3}, {1, 0, 0, 0}};

static inline void scene_add_person(scene *s, cairn_pose2 at)
{
    s->people[s->person_count++] = at;
    s->all = s->walls;
    for (uint32_t p = 0; p < s->person_count; p++) {
        cairn_vec2 corner[4];
        for (int i = 0; i < 4; i++) {
            const double x = (i == 0 || i == 3) ? -0.14 : 0.14, y = i < 2 ? -0.2 : 0.2;
            corner[i] = cairn_pose2_apply(s->people[p], (cairn_vec2){x, y});
        }
        for (int i = 0; i < 4; i++) {
            world_add(&s->all, corner[i].x, corner[i].y, corner[(i + 1) % 4].x, corner[(i + 1) % 4].y);
        }
    }
}

// Walls are taken to be higher than the picture.
static inline void scene_picture(const scene *s, cairn_pose2 map_T_base, cairn_random *random,
                                 uint16_t *ret_centikelvin)
{
    const cairn_pose3 camera = cairn_pose3_compose(cairn_pose3_from_pose2(map_T_base, 0), SCENE_BASE_T_CAMERA);
    const double pixel = 2 * tan(0.5 * SCENE_FIELD_RAD) / SCENE_WIDTH;
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++) {
        const double y = (0.5 * SCENE_WIDTH - i % SCENE_WIDTH - 0.5) * pixel;
        const double z = (0.5 * SCENE_HEIGHT - i / SCENE_WIDTH - 0.5) * pixel;
        const double length = sqrt(1 + y * y + z * z), flat = sqrt(1 + y * y);
        const cairn_vec3 towards = cairn_quat_rotate(camera.turn, (cairn_vec3){1 / length, y / length, z / length});
        const double wall =
            world_range(&s->walls, (cairn_vec2){camera.at_m.x, camera.at_m.y}, atan2(towards.y, towards.x));
        bool warm = false;
        for (uint32_t p = 0; p < s->person_count; p++) {
            const double range = cairn_ray_box3(
                camera.at_m, towards, cairn_pose3_from_pose2(s->people[p], SCENE_PERSON_HALF_M.z), SCENE_PERSON_HALF_M);
            warm = warm || (range >= 0 && range * flat / length < wall);
        }
        const double celsius = (warm ? 33 : 20) + 0.1 * cairn_random_gauss(random);
        ret_centikelvin[i] = (uint16_t)lround(100 * (celsius + 273.15));
    }
}

// The picture's spots placed by a scan that was taken elsewhere, in the frame of the map.
static inline uint32_t scene_sightings_by(const scene *s, cairn_pose2 map_T_base, cairn_pose2 map_T_scan,
                                          cairn_random *random, cairn_victim_sighting *ret_sightings)
{
    static uint16_t picture[SCENE_WIDTH * SCENE_HEIGHT];
    static cairn_scan_points points;
    cairn_hot_spot spots[CAIRN_HOT_SPOTS_MAX];
    const cairn_hot_spots_def def = cairn_hot_spots_def_default();
    const cairn_spot_place_def place_def = cairn_spot_place_def_default();
    const cairn_pose3 scan_T_base = cairn_pose3_from_pose2(cairn_pose2_between(map_T_scan, map_T_base), 0);
    const cairn_pose3 scan_T_camera = cairn_pose3_compose(scan_T_base, SCENE_BASE_T_CAMERA);
    scene_picture(s, map_T_base, random, picture);
    world_scan(&s->all, map_T_scan, 0.01, 30, random, &points);
    const uint32_t found = cairn_hot_spots_find(&def, picture, SCENE_WIDTH, SCENE_HEIGHT, spots);
    uint32_t count = 0;
    for (uint32_t i = 0; i < found; i++) {
        cairn_spot_place place;
        if (!cairn_spot_place_find(&place_def, &spots[i], &points, scan_T_camera, &place)) { continue; }
        const cairn_vec2 at = cairn_pose2_apply(map_T_scan, (cairn_vec2){place.at_m.x, place.at_m.y});
        ret_sightings[count++] = (cairn_victim_sighting){.at_m = {at.x, at.y, place.at_m.z},
                                                         .deviation_m = place.deviation_m,
                                                         .celsius_max = spots[i].celsius_max,
                                                         .cut = spots[i].cut_left || spots[i].cut_right};
    }
    return count;
}

static inline uint32_t scene_sightings(const scene *s, cairn_pose2 map_T_base, cairn_random *random,
                                       cairn_victim_sighting *ret_sightings)
{
    return scene_sightings_by(s, map_T_base, map_T_base, random, ret_sightings);
}
