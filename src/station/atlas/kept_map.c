#include "station/atlas/kept_map.h"
#include <math.h>
#include <string.h>

#define ROBOT_M 0.45 // what is seen this near to a robot is the robot

static int32_t reach_of(const cairn_terrain_planes *planes) { return (int32_t)(ROBOT_M / planes->cell_m); }

void cairn_kept_spots_add(cairn_kept_spots *spots, const cairn_terrain_planes *planes, cairn_vec2 at_m)
{
    const double x = floor((at_m.x - planes->origin_m.x) / planes->cell_m);
    const double y = floor((at_m.y - planes->origin_m.y) / planes->cell_m), reach = reach_of(planes);
    if (!(x >= -reach && y >= -reach && x < planes->width + reach && y < planes->height + reach)) { return; }
    CAIRN_ASSERT(spots->count < CAIRN_KEPT_SPOTS_MAX);
    spots->at[spots->count++] = (cairn_kept_spot){(int16_t)x, (int16_t)y};
}

static void hide(cairn_terrain_planes *planes, cairn_kept_spot spot)
{
    const int32_t reach = reach_of(planes), x_last = (int32_t)planes->width - 1, y_last = (int32_t)planes->height - 1;
    for (int32_t y = spot.y - reach; y <= spot.y + reach; y++) {
        for (int32_t x = spot.x - reach; x <= spot.x + reach; x++) {
            if (y < 0 || x < 0 || y > y_last || x > x_last) { continue; }
            const uint32_t cell = (uint32_t)y * planes->width + (uint32_t)x;
            planes->known[cell >> 3] &= (uint8_t) ~(1u << (cell & 7));
            planes->obstacle[cell >> 3] &= (uint8_t) ~(1u << (cell & 7));
        }
    }
}

void cairn_kept_spots_hide(const cairn_kept_spots *spots, cairn_terrain_planes *planes)
{
    for (uint32_t i = 0; i < spots->count; i++) { hide(planes, spots->at[i]); }
}

size_t cairn_kept_map_write(const cairn_terrain_planes *planes, const cairn_kept_spots *spots, uint8_t *ret_bytes)
{
    uint8_t *to = ret_bytes;
    *to++ = (uint8_t)spots->count;
    for (uint32_t i = 0; i < spots->count; i++) {
        const uint16_t x = (uint16_t)spots->at[i].x, y = (uint16_t)spots->at[i].y;
        const uint8_t four[4] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)y, (uint8_t)(y >> 8)};
        memcpy(to, four, sizeof four);
        to += sizeof four;
    }
    return (size_t)(to - ret_bytes) + cairn_terrain_pack(planes, to);
}

cairn_err cairn_kept_map_read(const uint8_t *bytes, size_t size_bytes, cairn_terrain_planes *planes,
                              cairn_kept_spots *ret_spots)
{
    if (size_bytes == 0 || bytes[0] > CAIRN_KEPT_SPOTS_MAX || size_bytes < 1 + 4 * (size_t)bytes[0]) {
        return CAIRN_ERR_CORRUPT;
    }
    ret_spots->count = bytes[0];
    const uint8_t *from = bytes + 1;
    for (uint32_t i = 0; i < ret_spots->count; i++, from += 4) {
        ret_spots->at[i] = (cairn_kept_spot){(int16_t)(from[0] | from[1] << 8), (int16_t)(from[2] | from[3] << 8)};
    }
    return cairn_terrain_unpack(from, size_bytes - (size_t)(from - bytes), planes);
}
