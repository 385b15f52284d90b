#include "sim/senses/earth.h"
#include "sim/senses/sensors.h"

// A lump of iron in a field B is a dipole of 3 B V / mu0 (a sphere's; longer things are more, plates less). Its own
// field at a distance r is V / (4 pi r^3) (3 (3 B.u u - B)), u towards the place.
#define LUMP_FACTOR 3.0
#define LUMP_M 0.5   // half of the part of a long box that counts
#define REACH_M 10.0 // beyond it, a cubic metre of iron adds less than 0.1 % of the field
#define NEAR_M 0.3   // a sensor inside of a box is not nearer than this to its lump

// [-] Part of a volume that acts as a lump of iron. A steel cupboard or a vehicle is mostly air. Of reinforced concrete
// one part in 100 is steel, but in rods, which take on twenty times as much of the field as lumps.
static double iron_part(const cairn_solid *solid)
{
    const bool built = solid->kind == CAIRN_SOLID_WALL || solid->kind == CAIRN_SOLID_BOX;
    const bool has_iron = solid->material == CAIRN_MATERIAL_METAL || solid->material == CAIRN_MATERIAL_CONCRETE;
    return built && has_iron ? 0.2 : 0;
}

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

static cairn_vec3 field_of_lump_ut(const cairn_solid *solid, cairn_vec3 at_m, cairn_vec3 earth_ut)
{
    const cairn_vec3 half = {fmin(solid->half_m.x, LUMP_M), fmin(solid->half_m.y, LUMP_M),
                             fmin(solid->half_m.z, LUMP_M)};
    const cairn_vec3 in_box = cairn_pose3_apply(cairn_pose3_inverse(solid->map_T_box), at_m);
    const cairn_vec3 lump = {clamp(in_box.x, solid->half_m.x - half.x), clamp(in_box.y, solid->half_m.y - half.y),
                             clamp(in_box.z, solid->half_m.z - half.z)};
    const cairn_vec3 apart = cairn_quat_rotate(solid->map_T_box.turn, cairn_vec3_sub(in_box, lump));
    const double away_m = cairn_vec3_length(apart);
    if (away_m > REACH_M || away_m == 0) { return (cairn_vec3){0, 0, 0}; }
    const double r_m = fmax(away_m, NEAR_M), iron_m3 = iron_part(solid) * 8 * half.x * half.y * half.z;
    const cairn_vec3 u = cairn_vec3_scale(apart, 1 / away_m);
    const cairn_vec3 shape = cairn_vec3_sub(cairn_vec3_scale(u, 3 * cairn_vec3_dot(u, earth_ut)), earth_ut);
    return cairn_vec3_scale(shape, LUMP_FACTOR * iron_m3 / (4 * CAIRN_PI * r_m * r_m * r_m));
}

cairn_vec3 cairn_earth_field_ut(const cairn_sim_arena *arena, cairn_vec3 at_m)
{
    const cairn_vec3 earth_ut = {0, CAIRN_EARTH_FIELD_UT * cos(CAIRN_EARTH_DIP_RAD),
                                 -CAIRN_EARTH_FIELD_UT * sin(CAIRN_EARTH_DIP_RAD)};
    cairn_vec3 field_ut = earth_ut;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (iron_part(&arena->solids[i]) == 0) { continue; }
        field_ut = cairn_vec3_add(field_ut, field_of_lump_ut(&arena->solids[i], at_m, earth_ut));
    }
    return field_ut;
}

void cairn_magnetometer_init(cairn_magnetometer_state *state, const cairn_magnetometer_description *magnetometer,
                             uint64_t seed, const char *stream)
{
    cairn_random_init(&state->random, seed, stream);
    state->bias_ut = cairn_sensor_draw3(&state->random, magnetometer->bias_ut);
}

void cairn_magnetometer_measure(cairn_magnetometer_state *state, const cairn_magnetometer_description *magnetometer,
                                cairn_quat map_T_base, cairn_vec3 field_ut, cairn_magnetometer_frame *ret_frame)
{
    const cairn_vec3 noise_ut = cairn_sensor_draw3(&state->random, magnetometer->noise_ut);
    const cairn_vec3 in_base = cairn_quat_rotate(cairn_quat_conjugate(map_T_base), field_ut);
    ret_frame->field_ut = cairn_vec3_add(in_base, cairn_vec3_add(state->bias_ut, noise_ut));
}

void cairn_barometer_init(cairn_barometer_state *state, uint64_t seed, const char *stream)
{
    cairn_random_init(&state->random, seed, stream);
    state->weather_pa = 0;
}

void cairn_barometer_measure(cairn_barometer_state *state, const cairn_barometer_description *barometer,
                             double height_m, double elapsed_s, cairn_barometer_frame *ret_frame)
{
    CAIRN_ASSERT(elapsed_s >= 0);
    const double walked = barometer->weather_pa_per_sqrt_min * sqrt(elapsed_s / 60);
    state->weather_pa += walked * cairn_random_gauss(&state->random);
    const double noise_pa = barometer->noise_pa * cairn_random_gauss(&state->random);
    ret_frame->pressure_pa = CAIRN_EARTH_PRESSURE_PA - CAIRN_EARTH_PA_PER_M * height_m + state->weather_pa + noise_pa;
}
