#include "sim/senses/gps.h"

#define FIX_SATELLITES_MIN 4
#define SKY_M 300.0      // what is farther away hides nothing
#define AIR_S 100.0      // [s] over which the air's error changes. Larger: slower
#define ECHO_S 20.0      // [s] walls' changes faster: the robot drives past them
#define HEIGHT_FACTOR 2  // [-] heights err more: all satellites are above
#define CLAIM_NOISE 0.05 // [-] of what is claimed

// Elevation and azimuth, spread over the sky as over a middle latitude.
static const double satellites_deg[CAIRN_GPS_SATELLITES][2] = {
    {15, 20},  {15, 110}, {15, 200}, {15, 290}, {35, 65},  {35, 155},
    {35, 245}, {35, 335}, {60, 10},  {60, 130}, {60, 250}, {80, 180},
};

void cairn_gps_init(cairn_gps_state *state, uint64_t seed, const char *stream)
{
    cairn_random_init(&state->random, seed, stream);
    for (int i = 0; i < 3; i++) {
        state->air[i] = cairn_random_gauss(&state->random);
        state->echo[i] = cairn_random_gauss(&state->random);
    }
}

uint32_t cairn_gps_satellites(const cairn_rays_kind *kind, const cairn_rays *rays, const cairn_sim_arena *arena,
                              uint32_t robot, cairn_vec3 antenna_m)
{
    if (!arena->outdoors) { return 0; }
    cairn_vec3 directions[CAIRN_GPS_RAYS];
    cairn_ray_hit hits[CAIRN_GPS_RAYS];
    for (int i = 0; i < CAIRN_GPS_SATELLITES; i++) {
        const double up = satellites_deg[i][0] * CAIRN_PI / 180, around = satellites_deg[i][1] * CAIRN_PI / 180;
        directions[i] = (cairn_vec3){cos(up) * cos(around), cos(up) * sin(around), sin(up)};
    }
    directions[CAIRN_GPS_SATELLITES] = (cairn_vec3){0, 0, 1};
    const cairn_cast cast = {.robot = robot,
                             .map_T_sensor = {antenna_m, cairn_quat_identity()},
                             .ray_count = CAIRN_GPS_RAYS,
                             .directions = directions,
                             .range_m_max = SKY_M};
    kind->cast(rays, &cast, hits);
    if (isfinite(hits[CAIRN_GPS_SATELLITES].range_m)) { return 0; } // a roof
    uint32_t count = 0;
    for (int i = 0; i < CAIRN_GPS_SATELLITES; i++) { count += isinf(hits[i].range_m) != 0; }
    return count;
}

static void wander(cairn_random *random, double value[3], double elapsed_s, double time_s)
{
    const double kept = exp(-elapsed_s / time_s), fresh = sqrt(1 - kept * kept);
    for (int i = 0; i < 3; i++) { value[i] = kept * value[i] + fresh * cairn_random_gauss(random); }
}

void cairn_gps_measure(cairn_gps_state *state, const cairn_gps_description *gps, cairn_vec3 antenna_m,
                       uint32_t satellite_count, double elapsed_s, cairn_gps_frame *ret_frame)
{
    CAIRN_ASSERT(elapsed_s >= 0 && satellite_count <= CAIRN_GPS_SATELLITES);
    wander(&state->random, state->air, elapsed_s, AIR_S);
    wander(&state->random, state->echo, elapsed_s, ECHO_S);
    const double claim = 1 + CLAIM_NOISE * cairn_random_gauss(&state->random);
    const double hidden = 1 - (double)satellite_count / CAIRN_GPS_SATELLITES;
    double error_m[3];
    for (int i = 0; i < 3; i++) {
        error_m[i] = gps->noise_m * state->air[i] + gps->multipath_m * hidden * state->echo[i];
    }
    ret_frame->satellite_count = satellite_count;
    ret_frame->fix = satellite_count >= FIX_SATELLITES_MIN;
    ret_frame->at_m = ret_frame->fix
                          ? cairn_vec3_add(antenna_m, (cairn_vec3){error_m[0], error_m[1], HEIGHT_FACTOR * error_m[2]})
                          : (cairn_vec3){NAN, NAN, NAN};
    ret_frame->claimed_m = ret_frame->fix ? (float)(gps->claimed_m * claim) : NAN;
}
