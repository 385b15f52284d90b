// range_sensors.h - range imagers, infrared and sonar: from true distances to what they say.
//
// As in sensors.h each model draws from its own stream, the same number of words whatever the values.
#pragma once
#include "base/random.h"
#include "body/description.h"
#include "sim/senses/rays.h"

// True distances along the camera's x to millimetres: noise that grows with range, drop-outs, 0 for what is not known.
// Both arrays have room for CAIRN_RANGE_PIXELS_MAX.
void cairn_sensor_range_image(const cairn_range_imager_description *imager, cairn_random *random, const float *depth_m,
                              uint32_t pixel_count, uint16_t *ret_millimetres);

#define CAIRN_RANGE_RAYS_MAX 37
// The rays of a sensor in its own axes, unit: one along x for infrared; for a sonar also three rings about it, evenly
// out to half its field.
uint32_t cairn_range_rays(const cairn_range_sensor_description *sensor,
                          cairn_vec3 ret_directions[CAIRN_RANGE_RAYS_MAX]);
// One reading from what these rays met (cairn_range_reading.range_m). A sonar hears the nearest thing that it does not
// look at too flatly: what is met at more than 40 degrees from square on throws the sound away.
float cairn_range_measure(const cairn_range_sensor_description *sensor, cairn_random *random, const cairn_ray_hit *hits,
                          uint32_t hit_count);
