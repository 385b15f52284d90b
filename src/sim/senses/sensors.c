#include "sim/senses/sensors.h"
#include "sim/senses/sensors_kernels.h"
#include <string.h>

// Kernels work on eight values at once.
#define WHOLE_LANES(count) (((count) + 7) / 8 * 8)
_Static_assert(CAIRN_SCAN_BEAMS_MAX % 8 == 0 && CAIRN_THERMAL_PIXELS_MAX % 8 == 0, "arrays are whole lanes");

// From the battery to the wheels [-]: motors and gears.
#define DRIVE_EFFICIENCY 0.7
// Lithium cells: the last tenth of the charge takes the last two fifths of the voltage.
#define LOW_CHARGE 0.1
#define LOW_VOLTAGE_PART 0.4

// ---- laser

static const cairn_kernel scan_kernel = {"scan_measure", CAIRN_KERNEL_VARIANTS(cairn_scan_measure)};
static const cairn_kernel thermal_kernel = {"thermal_measure", CAIRN_KERNEL_VARIANTS(cairn_thermal_measure)};

void cairn_sensor_scan(const cairn_laser_description *laser, cairn_random *random, uint32_t beam_count, float *range_m)
{
    CAIRN_ASSERT(beam_count > 0 && beam_count <= CAIRN_SCAN_BEAMS_MAX);
    float noise[CAIRN_SCAN_BEAMS_MAX];
    uint64_t bits[CAIRN_SCAN_BEAMS_MAX / 4]; // four beams from each
    cairn_random_gauss_fill(random, noise, WHOLE_LANES(beam_count));
    for (uint32_t i = 0; i < WHOLE_LANES(beam_count) / 4; i++) { bits[i] = cairn_random_u64(random); }
    const cairn_scan_model model = {.deviation_m = (float)laser->noise_m,
                                    .range_m_min = (float)laser->range_m_min,
                                    .range_m_max = (float)laser->range_m_max,
                                    .dropout = (uint16_t)fmin(laser->dropout * 65536 + 0.5, 65535)};
    const cairn_scan_measure_fn measure = (cairn_scan_measure_fn)cairn_dispatch(&scan_kernel, cairn_isa_best());
    measure(&model, noise, (const uint16_t *)bits, beam_count, range_m);
}

// ---- inertial unit

cairn_vec3 cairn_sensor_draw3(cairn_random *random, double deviation)
{
    cairn_vec3 drawn;
    drawn.x = deviation * cairn_random_gauss(random);
    drawn.y = deviation * cairn_random_gauss(random);
    drawn.z = deviation * cairn_random_gauss(random);
    return drawn;
}

void cairn_imu_init(cairn_imu_state *state, const cairn_imu_description *imu, uint64_t seed, const char *stream)
{
    cairn_random_init(&state->random, seed, stream);
    state->turn_bias_radps = cairn_sensor_draw3(&state->random, imu->turn_bias_radps);
}

void cairn_imu_measure(cairn_imu_state *state, const cairn_imu_description *imu, const cairn_imu_truth *truth,
                       double elapsed_s, cairn_imu_frame *ret_frame)
{
    CAIRN_ASSERT(elapsed_s >= 0);
    const cairn_vec3 walked =
        cairn_sensor_draw3(&state->random, imu->turn_bias_walk_radps_per_sqrt_s * sqrt(elapsed_s));
    const cairn_vec3 turn_noise = cairn_sensor_draw3(&state->random, imu->turn_noise_radps);
    const cairn_vec3 accel_noise = cairn_sensor_draw3(&state->random, imu->accel_noise_mps2);
    state->turn_bias_radps = cairn_vec3_add(state->turn_bias_radps, walked);

    const cairn_vec3 arm = imu->base_T_imu.at_m, turn = truth->turn_radps;
    const cairn_vec3 inward = cairn_vec3_cross(turn, cairn_vec3_cross(turn, arm));
    const cairn_vec3 whirl = cairn_vec3_add(inward, cairn_vec3_cross(truth->turn_accel_radps2, arm));
    ret_frame->turn_radps = cairn_vec3_add(turn, cairn_vec3_add(state->turn_bias_radps, turn_noise));
    ret_frame->accel_mps2 = cairn_vec3_add(truth->accel_mps2, cairn_vec3_add(whirl, accel_noise));
}

// ---- encoders

void cairn_encoders_init(cairn_encoders_state *state, uint64_t seed, const char *stream)
{
    *state = (cairn_encoders_state){0};
    cairn_random_init(&state->random, seed, stream);
}

void cairn_encoders_measure(cairn_encoders_state *state, const cairn_body_description *robot,
                            const double wheel_rad[CAIRN_WHEELS_MAX], cairn_encoder_frame *ret_frame)
{
    const double radius_m = robot->wheels.radius_m, ticks_per_rad = robot->encoders.ticks_per_turn / (2 * CAIRN_PI);
    ret_frame->wheel_count = CAIRN_WHEELS_MAX;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double path_m = fabs(wheel_rad[i] - state->wheel_rad[i]) * radius_m;
        state->error_m[i] += robot->encoders.slip_noise * sqrt(path_m) * cairn_random_gauss(&state->random);
        state->wheel_rad[i] = wheel_rad[i];
        ret_frame->ticks[i] = (int64_t)floor((wheel_rad[i] + state->error_m[i] / radius_m) * ticks_per_rad);
    }
    if (robot->encoders.rear_only) { memcpy(ret_frame->ticks, ret_frame->ticks + 2, 2 * sizeof *ret_frame->ticks); }
}

// ---- thermal camera

void cairn_sensor_thermal(const cairn_thermal_description *thermal, cairn_random *random, const float *celsius,
                          uint32_t pixel_count, uint16_t *ret_centikelvin)
{
    CAIRN_ASSERT(pixel_count <= CAIRN_THERMAL_PIXELS_MAX);
    float noise[CAIRN_THERMAL_PIXELS_MAX];
    cairn_random_gauss_fill(random, noise, WHOLE_LANES(pixel_count));
    const cairn_thermal_measure_fn measure =
        (cairn_thermal_measure_fn)cairn_dispatch(&thermal_kernel, cairn_isa_best());
    measure((float)thermal->noise_k, celsius, noise, pixel_count, ret_centikelvin);
}

// ---- battery

void cairn_battery_drain(cairn_battery_state *state, const cairn_battery_description *battery, double wheel_power_w,
                         double elapsed_s)
{
    state->power_w = battery->idle_w + fmax(wheel_power_w, 0) / DRIVE_EFFICIENCY;
    state->used_j += state->power_w * elapsed_s;
}

void cairn_battery_measure(const cairn_battery_state *state, const cairn_battery_description *battery,
                           cairn_battery_frame *ret_frame)
{
    const double charge = fmin(fmax(1 - state->used_j / (3600 * battery->capacity_wh), 0), 1);
    const double low = LOW_VOLTAGE_PART * fmin(charge / LOW_CHARGE, 1);
    const double high = (1 - LOW_VOLTAGE_PART) * fmax(charge - LOW_CHARGE, 0) / (1 - LOW_CHARGE);
    const double voltage_v =
        battery->voltage_v_empty + (battery->voltage_v_full - battery->voltage_v_empty) * (low + high);
    ret_frame->charge = (float)charge;
    ret_frame->voltage_v = (float)voltage_v;
    ret_frame->current_a = (float)(state->power_w / voltage_v);
}
