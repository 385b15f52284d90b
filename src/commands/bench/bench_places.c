#include "commands/bench/bench_places.h"
#include "geometry/rays.h"

static bool is_free(const cairn_sim_arena *arena, cairn_vec2 at_m, double clearance_m)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const cairn_vec2 half = {solid->half_m.x, solid->half_m.y};
        if (cairn_box2_distance(at_m, cairn_pose3_to_pose2(solid->map_T_box), half) < clearance_m) { return false; }
    }
    return true;
}

cairn_pose2 cairn_bench_free_place(const cairn_sim_arena *arena, double clearance_m, cairn_random *random)
{
    cairn_pose2 place;
    do {
        place = (cairn_pose2){cairn_random_between(random, 0, arena->size_m.x),
                              cairn_random_between(random, 0, arena->size_m.y),
                              cairn_random_between(random, -CAIRN_PI, CAIRN_PI)};
    } while (!is_free(arena, cairn_pose2_at(place), clearance_m));
    return place;
}
