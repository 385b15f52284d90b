// Around the surveyed origin UTM is the ground turned by the convergence and scaled; over a map of a kilometre what
// that leaves out stays below a millimetre a hundred metres.
#include "maps/files/geo_frame.h"
#include "maps/files/utm.h"

enum { EPSG_NORTH = 32600, EPSG_SOUTH = 32700, ZONE_MAX = 60 };
#define DEG (CAIRN_PI / 180)
#define SQUARE_PART 1e-6 // how far a pixel may be from a square, of its side

cairn_pose2 cairn_geo_map_T_picture(const cairn_map *map)
{
    return cairn_pose2_compose(map->map_T_corner, (cairn_pose2){.y_m = map->height * map->cell_m});
}

static cairn_pose2 grid_T_map(const cairn_utm *utm, const cairn_map_survey *survey)
{
    return (cairn_pose2){utm->easting_m, utm->northing_m, utm->convergence_rad - survey->heading_deg * DEG};
}

cairn_geo_frame cairn_geo_frame_of(const cairn_map_survey *survey, cairn_pose2 map_T_picture, double px_m)
{
    cairn_geo_frame frame = {0};
    cairn_pose2 world_T_map = {0};
    double scale = 1;
    if (survey->known) {
        const cairn_utm utm = cairn_utm_of(survey->latitude_deg, survey->longitude_deg);
        frame.epsg = (utm.south ? EPSG_SOUTH : EPSG_NORTH) + utm.zone;
        world_T_map = grid_T_map(&utm, survey);
        scale = utm.scale;
    }
    const cairn_vec2 corner = cairn_pose2_rotate(world_T_map, cairn_vec2_scale(cairn_pose2_at(map_T_picture), scale));
    const double yaw = world_T_map.yaw_rad + map_T_picture.yaw_rad, side = px_m * scale;
    const double along = side * cos(yaw), aside = side * sin(yaw);
    frame.easting_m[0] = along;
    frame.easting_m[1] = aside;
    frame.easting_m[2] = world_T_map.x_m + corner.x;
    frame.northing_m[0] = aside;
    frame.northing_m[1] = -along;
    frame.northing_m[2] = world_T_map.y_m + corner.y;
    return frame;
}

static cairn_vec2 at(const cairn_geo_frame *frame, double column, double row)
{
    return (cairn_vec2){frame->easting_m[0] * column + frame->easting_m[1] * row + frame->easting_m[2],
                        frame->northing_m[0] * column + frame->northing_m[1] * row + frame->northing_m[2]};
}

double cairn_geo_frame_apart_px(const cairn_geo_frame *a, const cairn_geo_frame *b, uint32_t width, uint32_t height)
{
    if (a->epsg != b->epsg) { return INFINITY; }
    const double side = hypot(a->easting_m[0], a->northing_m[0]);
    double apart = 0;
    for (int i = 0; i < 4; i++) {
        const double column = i & 1 ? width : 0, row = i & 2 ? height : 0;
        const double here = cairn_vec2_distance(at(a, column, row), at(b, column, row)) / side;
        apart = here <= apart ? apart : here; // also where it is not a number
    }
    return apart;
}

const char *cairn_geo_frame_apply(const cairn_geo_frame *frame, cairn_map *map)
{
    const double *e = frame->easting_m, *n = frame->northing_m, side = hypot(e[0], n[0]);
    if (!(side > 0) || !(fabs(e[1] - n[0]) <= SQUARE_PART * side) || !(fabs(n[1] + e[0]) <= SQUARE_PART * side)) {
        return "its cells are not squares that stand upright in the file; resample it, for instance with gdalwarp";
    }
    const cairn_vec2 corner = at(frame, 0, map->height);
    const double yaw = atan2(n[0], e[0]);
    if (frame->epsg == 0) {
        map->cell_m = side;
        map->map_T_corner = (cairn_pose2){corner.x, corner.y, yaw};
        map->survey = (cairn_map_survey){0};
        return NULL;
    }
    const bool south = frame->epsg > EPSG_SOUTH;
    const uint32_t zone = frame->epsg - (south ? EPSG_SOUTH : EPSG_NORTH);
    if (frame->epsg <= EPSG_NORTH || zone < 1 || zone > ZONE_MAX) {
        return "its coordinate reference is not UTM on WGS 84; convert it, for instance with gdalwarp -t_srs "
               "EPSG:32632";
    }
    cairn_utm utm = {.zone = zone, .south = south, .easting_m = corner.x, .northing_m = corner.y};
    cairn_map_survey survey = {.known = true};
    if (!cairn_utm_place(&utm, &survey.latitude_deg, &survey.longitude_deg)) {
        return "it lies where its UTM zone does not reach";
    }
    const double heading = (utm.convergence_rad - yaw) / DEG;
    survey.heading_deg = heading - 360 * floor(heading / 360);
    map->cell_m = side / utm.scale;
    map->map_T_corner = (cairn_pose2){0};
    map->survey = survey;
    return NULL;
}

bool cairn_geo_survey_apart(const cairn_map_survey *first, const cairn_map_survey *second,
                            cairn_pose2 *ret_first_T_second)
{
    CAIRN_ASSERT(first->known && second->known && ret_first_T_second != NULL);
    const cairn_utm at = cairn_utm_of(first->latitude_deg, first->longitude_deg);
    cairn_utm other;
    if (!cairn_utm_beside(&at, second->latitude_deg, second->longitude_deg, &other)) { return false; }
    const cairn_pose2 apart = cairn_pose2_between(grid_T_map(&at, first), grid_T_map(&other, second));
    *ret_first_T_second = (cairn_pose2){apart.x_m / at.scale, apart.y_m / at.scale, apart.yaw_rad};
    return true;
}
