// Chance makes few slopes on which a robot slides with wheels that stand, and fewer on which it does so for seconds.
// Nobody starts on the ice: who slides before his mind begins cannot know from where. Posts stand on it: between bare
// walls no scan tells of a slide, and the accelerometer tells of none that is gentle.
#include "sim/campaign/ice.h"
#include <math.h>
#include <stdio.h>

#define DITCH_M 14.0 // wide
#define POSTS 12     // in rows across it, each somewhere in its field
#define DEG (CAIRN_PI / 180)
#define TEXT_BYTES 2048

static double uniform(cairn_random *random, double low, double high) { return cairn_random_between(random, low, high); }

static int write_posts(cairn_random *random, char *text, size_t room)
{
    int used = 0;
    for (int i = 0; i < POSTS; i++) {
        const int row = i / 3, column = i % 3;
        const double x_m = 6.5 + 3.5 * row + uniform(random, -1.2, 1.2);
        const double y_m = 2.4 + 3.6 * column + uniform(random, -1.2, 1.2);
        const int more = snprintf(text + used, room - (size_t)used, "%s{at_m: [%.2f, %.2f], size_m: [0.4, 0.4, 2.5]}",
                                  i == 0 ? "" : ", ", x_m, y_m);
        CAIRN_ASSERT(more > 0 && (size_t)(used + more) < room);
        used += more;
    }
    return used;
}

// Nothing that a file sets down may begin below the floor.
static void lower_posts(cairn_sim_arena *arena, double by_m)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        cairn_solid *solid = &arena->solids[i];
        if (solid->kind != CAIRN_SOLID_BOX) { continue; }
        solid->map_T_box.at_m.z -= 0.5 * by_m;
        solid->half_m.z += 0.5 * by_m;
    }
}

cairn_err cairn_ice_make(cairn_random *random, cairn_complaints *complaints, cairn_plan *plan)
{
    static const char frame[] =
        "name: ice\nabout: a hall with a ditch of ice\nsize_m: [22, 12]\n"
        "walls: [{kind: rectangle, corner_m: [0.05, 0.05], size_m: [21.9, 11.9], height_m: 2.5}]\n"
        "ditches: [{at_m: [12, 6], length_m: 11.9, width_m: %.1f, along: y, depth_m: %.3f, friction: %.3f}]\n"
        "starts: [{at_m: [4.3, 2.8], heading_deg: %.0f}, {at_m: [4.3, 6], heading_deg: %.0f}, "
        "{at_m: [4.3, 9.2], heading_deg: %.0f}]\nboxes: [";
    char *text = cairn_arena_take(&plan->memory, TEXT_BYTES, 1);
    if (text == NULL) { return CAIRN_ERR_FULL; }
    const double angle_deg = uniform(random, 3, 22), slope = tan(angle_deg * DEG);
    const double friction = fmax(0.02, slope * uniform(random, 0.4, 0.98)); // near the slope's: it slides for long
    const double depth_m = 0.5 * DITCH_M * slope;
    double heading_deg[CAIRN_JUDGE_ROBOTS_MAX];
    for (int i = 0; i < CAIRN_JUDGE_ROBOTS_MAX; i++) { heading_deg[i] = uniform(random, -25, 25); }
    int bytes =
        snprintf(text, TEXT_BYTES, frame, DITCH_M, depth_m, friction, heading_deg[0], heading_deg[1], heading_deg[2]);
    CAIRN_ASSERT(bytes > 0 && bytes < TEXT_BYTES);
    bytes += write_posts(random, text + bytes, TEXT_BYTES - (size_t)bytes);
    bytes += snprintf(text + bytes, TEXT_BYTES - (size_t)bytes, "]\n");
    CAIRN_ASSERT(bytes < TEXT_BYTES);
    snprintf(plan->words, sizeof plan->words, "a ditch of ice, %.0f degrees, friction %.2f", angle_deg, friction);
    plan->no_grip = true;
    const cairn_err err =
        cairn_sim_arena_parse(text, (size_t)bytes, plan->words, &plan->memory, complaints, &plan->arena);
    if (err == CAIRN_OK) { lower_posts(&plan->arena, depth_m); }
    return err;
}
