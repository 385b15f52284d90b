#include "sim/senses/range_sensors.h"

#define RINGS 3
#define RING_RAYS 6           // of the first ring; each further one has so many more
#define ECHO_COSINE_MIN 0.766 // of 40 degrees
#define MM_PER_M 1000.0f
#define WHOLE_LANES(count) (((count) + 7) / 8 * 8)

_Static_assert(CAIRN_RANGE_RAYS_MAX == 1 + RING_RAYS * RINGS * (RINGS + 1) / 2, "a ray for each place on the rings");
_Static_assert(CAIRN_RANGE_PIXELS_MAX % 8 == 0, "arrays are whole lanes");

void cairn_sensor_range_image(const cairn_range_imager_description *imager, cairn_random *random, const float *depth_m,
                              uint32_t pixel_count, uint16_t *ret_millimetres)
{
    CAIRN_ASSERT(pixel_count <= CAIRN_RANGE_PIXELS_MAX);
    float noise[CAIRN_RANGE_PIXELS_MAX];
    cairn_random_gauss_fill(random, noise, WHOLE_LANES(pixel_count));
    const uint32_t dropout = (uint32_t)fmin(imager->dropout * 65536 + 0.5, 65536);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < pixel_count; i++, bits >>= 16) {
        if (i % 4 == 0) { bits = cairn_random_u64(random); } // four pixels from each
        const float deviation_m = (float)imager->noise_m + (float)imager->noise_m_per_m * depth_m[i];
        const float noisy_m = isinf(depth_m[i]) ? INFINITY : depth_m[i] + deviation_m * noise[i];
        const bool known = noisy_m >= (float)imager->range_m_min && noisy_m <= (float)imager->range_m_max &&
                           (bits & 0xffff) >= dropout;
        ret_millimetres[i] = known ? (uint16_t)lrintf(noisy_m * MM_PER_M) : 0;
    }
}

uint32_t cairn_range_rays(const cairn_range_sensor_description *sensor, cairn_vec3 ret_directions[CAIRN_RANGE_RAYS_MAX])
{
    ret_directions[0] = (cairn_vec3){1, 0, 0};
    if (sensor->kind == CAIRN_RANGE_INFRARED) { return 1; }
    uint32_t count = 1;
    for (int ring = 1; ring <= RINGS; ring++) {
        const double off_rad = 0.5 * sensor->field_rad * ring / RINGS;
        for (int i = 0; i < RING_RAYS * ring; i++) {
            const double around_rad = 2 * CAIRN_PI * i / (RING_RAYS * ring);
            ret_directions[count++] =
                (cairn_vec3){cos(off_rad), sin(off_rad) * cos(around_rad), sin(off_rad) * sin(around_rad)};
        }
    }
    return count;
}

float cairn_range_measure(const cairn_range_sensor_description *sensor, cairn_random *random, const cairn_ray_hit *hits,
                          uint32_t hit_count)
{
    const double noise_m = sensor->noise_m * cairn_random_gauss(random);
    const float cosine_min = sensor->kind == CAIRN_RANGE_SONAR ? (float)ECHO_COSINE_MIN : 0;
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < hit_count; i++) {
        if (hits[i].cosine >= cosine_min) { nearest_m = fmin(nearest_m, (double)hits[i].range_m); }
    }
    const double range_m = nearest_m + noise_m;
    if (range_m > sensor->range_m_max) { return INFINITY; }
    return range_m < sensor->range_m_min ? NAN : (float)range_m;
}
