// map_from_scans.c - a map from laser scans, with libcairn alone: a grid, its distances, a code of few bytes, and
// files.
//
//   cc map_from_scans.c $(pkg-config --cflags --libs cairn) -o map_from_scans
//   ./map_from_scans room       # writes room.pgm and room.yaml, which ROS's map_server reads
//
// The scans are made up: a robot with a laser drives through two rooms and the door between them. Put your own into
// cairn_scan_points, with a pose for each, and the rest stays as it is.
#include <cairn/base.h>
#include <cairn/geometry.h>
#include <cairn/maps.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN_COUNT = 60, BEAM_COUNT = 1081 };
#define RANGE_M_MAX 12.0
#define ROBOT_RADIUS_M 0.25
#define MEMORY_BYTES ((size_t)64 << 20)

// The place: rectangles that a beam cannot pass. 10 m by 6 m, a wall across it with a door, and a box.
typedef struct block {
    cairn_pose2 map_T_block;
    cairn_vec2 half_m;
} block;
static const block place[] = {
    {{5.0, 0.0, 0}, {5.05, 0.05}},  {{5.0, 6.0, 0}, {5.05, 0.05}}, {{0.0, 3.0, 0}, {0.05, 3.05}},
    {{10.0, 3.0, 0}, {0.05, 3.05}}, {{6.0, 1.2, 0}, {0.05, 1.2}},  {{6.0, 4.7, 0}, {0.05, 1.3}},
    {{2.0, 4.5, 0.6}, {0.4, 0.25}},
};

static void quit(const char *what, const cairn_complaints *why)
{
    (void)fprintf(stderr, "map_from_scans: %s\n%s", what, why != NULL ? why->text : "");
    exit(1);
}

static double range_m(cairn_vec2 from_m, cairn_vec2 direction)
{
    double nearest_m = RANGE_M_MAX;
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        const double at_m = cairn_ray_box2(from_m, direction, place[i].map_T_block, place[i].half_m);
        if (at_m >= 0 && at_m < nearest_m) { nearest_m = at_m; }
    }
    return nearest_m;
}

// 270 degrees, as a common laser has them, points in the robot's own frame.
static void look(cairn_pose2 map_T_base, cairn_scan_points *ret_points)
{
    memset(ret_points, 0, sizeof *ret_points);
    ret_points->count = BEAM_COUNT;
    for (uint32_t i = 0; i < BEAM_COUNT; i++) {
        const double bearing_rad = (i / (BEAM_COUNT - 1.0) - 0.5) * 1.5 * CAIRN_PI;
        const cairn_vec2 direction = {cos(bearing_rad), sin(bearing_rad)};
        const double at_m = range_m(cairn_pose2_at(map_T_base), cairn_pose2_rotate(map_T_base, direction));
        ret_points->x_m[i] = (float)(at_m * direction.x);
        ret_points->y_m[i] = (float)(at_m * direction.y);
        ret_points->hit[i] = at_m < RANGE_M_MAX;
    }
}

// Through both rooms and back, looking around on the way.
static cairn_pose2 pose_of(uint32_t scan)
{
    const double part = scan / (SCAN_COUNT - 1.0);
    return (cairn_pose2){1.0 + 7.5 * (0.5 - 0.5 * cos(2 * CAIRN_PI * part)), 2.9, 2 * CAIRN_PI * part};
}

// Where the robot may stand, and where it has most room.
static void tell_room(const cairn_map *map, cairn_arena *memory)
{
    const size_t count = (size_t)map->width * map->height;
    const cairn_distance_field_def def = {map->width, map->height, CAIRN_DISTANCE_EDGE_MAX};
    cairn_distance_field *field = NULL;
    uint8_t *closed = CAIRN_TAKE(memory, uint8_t, count);
    if (closed == NULL || cairn_distance_field_create(&def, memory, &field) != CAIRN_OK) {
        quit("too little memory", NULL);
    }
    for (size_t i = 0; i < count; i++) { closed[i] = map->ground[i] != CAIRN_GROUND_FREE; }
    cairn_distance_field_set(field, closed);
    size_t standing = 0, best = 0;
    float best_cells = 0;
    for (size_t i = 0; i < count; i++) {
        const float cells =
            cairn_distance_field_clearance(field, (uint32_t)(i % map->width), (uint32_t)(i / map->width));
        standing += cells * map->cell_m > ROBOT_RADIUS_M;
        if (cells > best_cells) {
            best_cells = cells;
            best = i;
        }
    }
    const cairn_vec2 at_m = cairn_map_centre_of(map, (uint32_t)(best % map->width), (uint32_t)(best / map->width));
    printf("a robot of %.2f m radius can stand on %.1f m2; most room: %.2f m around (%.2f, %.2f)\n", ROBOT_RADIUS_M,
           (double)standing * map->cell_m * map->cell_m, best_cells * map->cell_m, at_m.x, at_m.y);
}

// As few bytes as a radio would want, and back again.
static void tell_code(const cairn_map *map, cairn_arena *memory)
{
    const size_t count = (size_t)map->width * map->height;
    cairn_grid_cells sent = {.width = map->width, .height = map->height, .has_known = true}, heard = sent;
    const size_t bytes_max = CAIRN_GRID_FILE_HEAD_BYTES_MAX + cairn_grid_code_bytes_max(&sent);
    uint8_t *bytes = CAIRN_TAKE(memory, uint8_t, bytes_max);
    sent.cells = CAIRN_TAKE(memory, uint8_t, count);
    heard.cells = CAIRN_TAKE(memory, uint8_t, count);
    if (bytes == NULL || sent.cells == NULL || heard.cells == NULL) { quit("too little memory", NULL); }
    for (size_t i = 0; i < count; i++) {
        sent.cells[i] = map->ground[i] == CAIRN_GROUND_UNKNOWN    ? 0
                        : map->ground[i] == CAIRN_GROUND_OBSTACLE ? CAIRN_GRID_KNOWN | CAIRN_GRID_OBSTACLE
                                                                  : CAIRN_GRID_KNOWN;
    }
    size_t file_bytes = 0, code_bytes = 0;
    if (cairn_grid_file_encode(&sent, NULL, memory, bytes, bytes_max, &file_bytes, &code_bytes) != CAIRN_OK ||
        cairn_grid_file_decode(bytes, file_bytes, NULL, memory, &heard) != CAIRN_OK) {
        quit("the grid cannot be coded", NULL);
    }
    printf("coded in %zu bytes; decoded %s\n", file_bytes,
           memcmp(sent.cells, heard.cells, count) == 0 ? "the same" : "another grid");
}

int main(int argc, char **argv)
{
    cairn_arena memory = {0};
    cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    cairn_occupancy_grid *grid = NULL;
    static cairn_scan_points points;
    if (argc != 2) { quit("usage: map_from_scans NAME, which writes NAME.pgm and NAME.yaml", NULL); }
    def.range_m_max = RANGE_M_MAX;
    if (cairn_arena_create(&memory, MEMORY_BYTES) != CAIRN_OK ||
        cairn_occupancy_grid_create(&def, &memory, &grid) != CAIRN_OK) {
        quit("too little memory", NULL);
    }
    for (uint32_t i = 0; i < SCAN_COUNT; i++) {
        look(pose_of(i), &points);
        cairn_occupancy_grid_add(grid, pose_of(i), &points);
    }

    cairn_map map;
    if (cairn_map_of_occupancy(grid, &memory, &map) != CAIRN_OK) { quit("too little memory", NULL); }
    const cairn_map_counts counts = cairn_map_count(&map);
    printf("%d scans: %u x %u cells of %.2f m, %zu free, %zu obstacle\n", SCAN_COUNT, map.width, map.height, map.cell_m,
           counts.free, counts.obstacle);
    tell_room(&map, &memory);
    tell_code(&map, &memory);

    static cairn_complaints told;
    const char *without = NULL;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s.pgm", argv[1]);
    if (cairn_map_file_write(&map, path, &told, &without) != CAIRN_OK) { quit("the map cannot be written", &told); }
    printf("wrote %s and its header\n", path);
    cairn_arena_destroy(&memory);
    return 0;
}
