// Chance makes few slopes on which a robot slides with wheels that stand, and fewer on which it does so for seconds.
// Nobody starts on the ice: who slides before his mind begins cannot know from where.
#include "sim/campaign/ice.h"
#include <math.h>
#include <stdio.h>

#define DITCH_M 14.0 // wide
#define DEG (CAIRN_PI / 180)
#define TEXT_BYTES 1024

static double uniform(cairn_random *random, double low, double high) { return cairn_random_between(random, low, high); }

cairn_err cairn_ice_make(cairn_random *random, cairn_complaints *complaints, cairn_plan *plan)
{
    static const char frame[] =
        "name: ice\nabout: a hall with a ditch of ice\nsize_m: [22, 12]\n"
        "walls: [{kind: rectangle, corner_m: [0.05, 0.05], size_m: [21.9, 11.9], height_m: 2.5}]\n"
        "boxes: [{at_m: [%.2f, 0.6], size_m: [0.6, 0.6, 2]}, {at_m: [%.2f, 11.4], size_m: [1, 0.4, 2]}]\n"
        "ditches: [{at_m: [12, 6], length_m: 11.9, width_m: %.1f, along: y, depth_m: %.3f, friction: %.3f}]\n"
        "starts: [{at_m: [4.3, 2.8], heading_deg: %.0f}, {at_m: [4.3, 6], heading_deg: %.0f}, "
        "{at_m: [4.3, 9.2], heading_deg: %.0f}]\n";
    char *text = cairn_arena_take(&plan->memory, TEXT_BYTES, 1);
    if (text == NULL) { return CAIRN_ERR_FULL; }
    const double west_m = uniform(random, 1, 21), east_m = uniform(random, 1, 21);
    const double angle_deg = uniform(random, 3, 22), slope = tan(angle_deg * DEG);
    const double friction = fmax(0.02, slope * uniform(random, 0.4, 0.98)); // near the slope's: it slides for long
    double heading_deg[CAIRN_JUDGE_ROBOTS_MAX];
    for (int i = 0; i < CAIRN_JUDGE_ROBOTS_MAX; i++) { heading_deg[i] = uniform(random, -25, 25); }
    const int bytes = snprintf(text, TEXT_BYTES, frame, west_m, east_m, DITCH_M, 0.5 * DITCH_M * slope, friction,
                               heading_deg[0], heading_deg[1], heading_deg[2]);
    CAIRN_ASSERT(bytes > 0 && bytes < TEXT_BYTES);
    snprintf(plan->words, sizeof plan->words, "a ditch of ice, %.0f degrees, friction %.2f", angle_deg, friction);
    plan->no_grip = true;
    return cairn_sim_arena_parse(text, (size_t)bytes, plan->words, &plan->memory, complaints, &plan->arena);
}
