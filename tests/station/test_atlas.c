// Terrain maps are drawn where their node is, and what does not fit is refused.
#include "check.h"
#include "maps/codec/planes_codec.h"
#include "place.h"
#include "saved_atlas.h"
#include "station/atlas/atlas.h"
#include "station/replay/walks.h"
#include <stdlib.h>

static cairn_arena memory;
static cairn_atlas atlas;
static cairn_fleet_robot robot;
static cairn_fleet fleet; // the others
static cairn_terrain_planes planes;
static cairn_msg_node node;
static cairn_msg_terrain_grid map;
static uint8_t scratch_block[CAIRN_PLANES_SCRATCH_BYTES];

static int reset(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 128 << 20));
    cairn_raster_def def = place_raster(30, 30);
    def.origin_m = (cairn_vec2){-15, -15};
    const cairn_places_def places = cairn_places_def_default();
    assert_ok(cairn_atlas_init(&atlas, &def, &places, &memory));
    robot = (cairn_fleet_robot){.id = 1};
    fleet = (cairn_fleet){0};
    node = (cairn_msg_node){.robot = 1, .node = 7};
    map = (cairn_msg_terrain_grid){.robot = 1, .node = 7, .cell_mm = 100, .width = 60, .height = 40};
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 60, .height = 40};
    return 0;
}

static void tell_node(void) { cairn_atlas_add_node(&atlas, &fleet, &robot, &node); }

static void encode_map(const cairn_planes_earlier *earlier)
{
    size_t bytes = 0;
    cairn_arena scratch;
    cairn_arena_init(&scratch, scratch_block, sizeof scratch_block);
    assert_ok(cairn_planes_encode(&planes, earlier, &scratch, map.code, sizeof map.code, &bytes));
    map.code_count = (uint16_t)bytes;
}

// A map of the ground around the node, its rows along the private frame.
static void tell_map(void)
{
    map.x_mm = node.x_mm - 1000;
    map.y_mm = node.y_mm - 2000;
    encode_map(NULL);
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
}

static void tell(void)
{
    tell_node();
    tell_map();
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void set_bit(uint8_t *plane, uint32_t x, uint32_t y)
{
    const uint32_t cell = y * map.width + x;
    plane[cell >> 3] |= (uint8_t)(1u << (cell & 7));
}

// A patch of 3 x 3 known cells around a point, from the node along the private frame's axes, so that a turned raster
// cell cannot miss it.
static void know(double x_m, double y_m, bool obstacle)
{
    const uint32_t x = (uint32_t)floor((x_m + 1.0) / 0.1), y = (uint32_t)floor((y_m + 2.0) / 0.1);
    for (uint32_t i = 0; i < 9; i++) {
        set_bit(planes.known, x - 1 + i % 3, y - 1 + i / 3);
        if (obstacle) { set_bit(planes.obstacle, x - 1 + i % 3, y - 1 + i / 3); }
    }
}

// Start at (3, 1) facing north, the node 1 m ahead and turned left again, which turns no map. By hand.
static void a_wall_seen_from_a_turned_start_lands_where_it_stands(void **unused)
{
    (void)unused;
    robot.map_T_private = (cairn_pose2){3, 1, CAIRN_PI / 2};
    node.x_mm = 1000;
    node.yaw_urad = 1570796;
    know(2.05, 1.05, true);
    know(4.05, -1.05, false);
    tell();
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){3 - 1.05, 2 + 2.05}), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){3 + 1.05, 2 + 4.05}), CAIRN_GROUND_FREE);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){3, 2}), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(atlas.terrain_count, 1);
    assert_int_equal(atlas.refused_count, 0);
}

// A parked robot seen from far away must not stay on the map as a wall.
static void where_another_robot_stands_no_wall_is_drawn(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    know(4.05, -1.05, true);
    fleet.count = 1;
    fleet.robots[0] = (cairn_fleet_robot){.id = 2, .heard = true, .map_T_base = {2.0, 1.0, 0.3}};
    tell();
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){2.05, 1.05}), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){4.05, -1.05}), CAIRN_GROUND_OBSTACLE);
}

// The same for any start and node, against plain trigonometry.
static void walls_land_where_they_stand_from_any_start(void **unused)
{
    (void)unused;
    const uint64_t seed = 41;
    printf("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/atlas");
    for (int round = 0; round < 200; round++) {
        const double a = cairn_random_between(&random, -3.1, 3.1), b = cairn_random_between(&random, -3.1, 3.1);
        const double sx = cairn_random_between(&random, -5, 5), sy = cairn_random_between(&random, -5, 5);
        const int32_t nx_mm = (int32_t)cairn_random_between(&random, -3000, 3000);
        const double x = 1.05 + 0.1 * cairn_random_below(&random, 30), y = 0.05 - 0.1 * cairn_random_below(&random, 15);
        memset(planes.known, 0, sizeof planes.known);
        memset(planes.obstacle, 0, sizeof planes.obstacle);
        cairn_raster_wipe(atlas.raster);
        robot.map_T_private = (cairn_pose2){sx, sy, a};
        node.x_mm = nx_mm;
        node.y_mm = 500;
        node.yaw_urad = (int32_t)lround(b * 1e6);
        know(x, y, true);
        robot.id = node.robot = map.robot = (uint8_t)(round + 1); // each has its own start
        tell();
        const double px = nx_mm * 1e-3 + x, py = 0.5 + y;
        const cairn_vec2 at = {sx + px * cos(a) - py * sin(a), sy + px * sin(a) + py * cos(a)};
        assert_int_equal(cairn_raster_at(atlas.raster, at), CAIRN_GROUND_OBSTACLE);
    }
}

// Older robots sent maps that turn with the node, in a code of their own; stores and journals still hold them.
static void a_map_of_an_older_robot_turns_with_its_node(void **unused)
{
    (void)unused;
    // As tests/maps/test_terrain_codec.c pins it: a wall along y = 4 from x = 3 on.
    static const uint8_t code[] = {0x0c, 0xde, 0x89, 0x09, 0x51, 0x66, 0x5f, 0xa4, 0x60, 0x6b, 0xeb, 0x02,
                                   0xe4, 0x08, 0xfc, 0x5f, 0x6f, 0x17, 0xb8, 0xb7, 0x3b, 0x5a, 0xda, 0x8d,
                                   0xa3, 0x95, 0xe4, 0x29, 0xd9, 0x37, 0x83, 0x8c, 0xe2, 0x78, 0xaa, 0x01};
    cairn_msg_terrain_code old = {.robot = 1,
                                  .node = 7,
                                  .cell_mm = 100,
                                  .width = 48,
                                  .height = 36,
                                  .x_mm = -1000,
                                  .y_mm = -2000,
                                  .code_count = sizeof code};
    memcpy(old.code, code, sizeof code);
    robot.map_T_private = (cairn_pose2){3, 1, CAIRN_PI / 2};
    node.x_mm = 1000;
    node.yaw_urad = 1570796; // its x looks west
    tell_node();
    cairn_atlas_add_terrain_code(&atlas, &fleet, &robot, &old);
    cairn_atlas_add_terrain_code(&atlas, &fleet, &robot, &old);
    assert_int_equal(atlas.terrain_count, 1);
    assert_int_equal(atlas.repeated_count, 1);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){3 - 0.05, 2 + 1.55}), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){3 - 0.05, 2 + 1.25}), CAIRN_GROUND_FREE);
    old.node = 8;
    old.code[old.code_count++] = 0; // no encoder ended with it
    cairn_atlas_add_terrain_code(&atlas, &fleet, &robot, &old);
    assert_int_equal(atlas.refused_count, 1);
}

// Node 8's map, three columns and two rows on, told after node 7's.
static void tell_after(const cairn_terrain_planes *earlier_planes)
{
    const cairn_planes_earlier earlier = {earlier_planes, 3, -2};
    map.node = 8;
    map.x_mm += 300;
    map.y_mm -= 200;
    map.after_node = 7;
    map.after_hash = cairn_planes_hash(earlier_planes);
    encode_map(&earlier);
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
}

static void a_map_is_told_after_one_that_is_kept(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell(); // with its node, or
    static cairn_terrain_planes first, again;
    first = planes;
    know(3.05, -1.05, false);
    tell_after(&first);
    assert_int_equal(atlas.refused_count, 0);
    assert_ok(cairn_atlas_planes(&atlas, cairn_atlas_node(&atlas, 1, 8), &again));
    assert_int_equal(cairn_planes_hash(&again), cairn_planes_hash(&planes));
    node.node = 8;
    tell_node(); // before it
    assert_int_equal(atlas.terrain_count, 2);
}

// A station that lost its store, or took another map for that node, must not make up a map.
static void a_map_after_one_that_is_not_there_is_refused(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    static cairn_terrain_planes first;
    first = planes;
    map.x_mm = map.y_mm = 0;
    tell_after(&first); // none
    assert_int_equal(atlas.refused_count, 1);
    know(4.05, 1.05, true);
    map = (cairn_msg_terrain_grid){.robot = 1, .node = 7, .cell_mm = 100, .width = 60, .height = 40};
    tell_map(); // another
    tell_after(&first);
    assert_int_equal(atlas.refused_count, 2);
    map.cell_mm = 50; // or on another lattice
    map.after_hash = cairn_planes_hash(&planes);
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
    map.cell_mm = 100;
    map.x_mm += 50;
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
    map.x_mm += 90000; // or far away
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
    assert_int_equal(atlas.refused_count, 5);
    map.after_node = map.after_hash = 0; // alone it is welcome
    tell_map();
    assert_int_equal(atlas.refused_count, 5);
    assert_true(cairn_atlas_node(&atlas, 1, 8)->has_map);
}

// The radio delivers them as they arrive: a map may come before its node, and long after.
static void a_node_and_its_map_come_in_any_order_and_count_once(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell_map();
    assert_int_equal(atlas.raster->known_count, 0);
    map.node = 8;
    tell_map(); // another one waits too
    tell_node();
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){2.05, 1.05}), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(atlas.terrain_count, 1);
    const int64_t score = cairn_raster_score(atlas.raster, 170, 160);
    assert_int_equal(score, 3);
    map.node = 7;
    for (int i = 0; i < 5; i++) { tell(); } // after a restart all may come again
    assert_int_equal(cairn_raster_score(atlas.raster, 170, 160), score);
    assert_int_equal(atlas.terrain_count, 1);
    assert_int_equal(atlas.node_count, 1);
    assert_int_equal(atlas.repeated_count, 10);
    assert_int_equal(atlas.refused_count, 0);
}

// Robots count for themselves: node 7 of one is not node 7 of another.
static void nodes_of_two_robots_are_two(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell_map();
    robot.id = node.robot = 2;
    tell_node();
    assert_int_equal(atlas.terrain_count, 0);
    assert_non_null(cairn_atlas_node(&atlas, 1, 7));
    assert_false(cairn_atlas_node(&atlas, 1, 7)->has_pose);
    assert_true(cairn_atlas_node(&atlas, 2, 7)->has_pose);
    assert_null(cairn_atlas_node(&atlas, 2, 8));
}

// For those who close loops later.
static void what_was_told_of_a_node_can_be_read_again(void **unused)
{
    (void)unused;
    robot.map_T_private = (cairn_pose2){3, 1, CAIRN_PI / 2};
    node.x_mm = 1000;
    node.floor = 2;
    node.edge_x_um = 123456;
    node.edge_yaw_urad_dev = 789;
    know(2.05, 1.05, true);
    tell();
    const cairn_node_entry *entry = cairn_atlas_node(&atlas, 1, 7);
    assert_non_null(entry);
    assert_true(cairn_vec2_distance(cairn_pose2_at(entry->map_T_node), (cairn_vec2){3, 2}) < 1e-9);
    assert_int_equal(entry->said.floor, 2);
    assert_int_equal(entry->said.edge_x_um, 123456);
    assert_int_equal(entry->said.edge_yaw_urad_dev, 789);
    static cairn_terrain_planes again;
    assert_ok(cairn_atlas_planes(&atlas, entry, &again));
    assert_int_equal(again.width, 60);
    assert_memory_equal(again.known, planes.known, 60 * 40 / 8);
    assert_memory_equal(again.obstacle, planes.obstacle, 60 * 40 / 8);
    node.node = 9;
    tell_node();
    assert_int_equal(cairn_atlas_planes(&atlas, cairn_atlas_node(&atlas, 1, 9), &again), CAIRN_ERR_EMPTY);
}

// Bytes that no robot makes must not be drawn.
static void a_map_that_cannot_be_read_is_refused(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell_node();
    map.code_count = 40; // zeros: no encoder ends with them
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
    map.node = 8;
    map.width = map.height = 161;
    cairn_atlas_add_terrain(&atlas, &fleet, &robot, &map);
    assert_int_equal(atlas.refused_count, 2);
    assert_int_equal(atlas.terrain_count, 0);
    assert_int_equal(atlas.raster->known_count, 0);
}

static cairn_atlas *room_with_a_screen(void)
{
    cairn_arena_reset(&memory, 0);
    const cairn_raster_def def = place_raster(10, 6);
    const cairn_places_def places = cairn_places_def_default();
    assert_ok(cairn_atlas_init(&atlas, &def, &places, &memory));
    place_room(&atlas, (cairn_vec2){1, 1}, (cairn_vec2){9, 5}, false);
    place_paint(&atlas, (cairn_vec2){5, 2}, (cairn_vec2){5.2, 4}, CAIRN_GROUND_OBSTACLE, false);
    return &atlas;
}

static uint8_t searched_at(double x_m, double y_m)
{
    uint32_t x = 0, y = 0;
    assert_true(cairn_raster_cell_of(atlas.raster, (cairn_vec2){x_m, y_m}, &x, &y));
    return atlas.searched[(size_t)y * atlas.raster->def.width + x];
}

// What the camera looks at counts, what is behind it or behind a wall does not.
static void only_what_the_camera_sees_is_searched(void **unused)
{
    (void)unused;
    const cairn_sight sight = {.field_rad = 1.0, .range_m_max = 5};
    const cairn_pose2 camera = {3, 3, 0};
    cairn_atlas_mark_searched(room_with_a_screen(), CAIRN_PLACE_NONE, camera, camera, &sight);
    assert_int_equal(searched_at(4.45, 3.05), CAIRN_SEARCHED_THERMAL);
    assert_int_equal(searched_at(2.45, 3.05), 0);
    assert_int_equal(searched_at(6.45, 3.05), 0);
    assert_int_equal(searched_at(3.55, 4.45), 0);
}

// A turning camera has each spot in too few pictures: only what stays in view counts, and no trace is left of the rest.
static void what_a_turn_swept_over_is_not_searched(void **unused)
{
    (void)unused;
    const cairn_sight sight = {.field_rad = 1.0, .range_m_max = 5};
    cairn_atlas_mark_searched(room_with_a_screen(), CAIRN_PLACE_NONE, (cairn_pose2){3, 3, 0.4},
                              (cairn_pose2){3, 3, -0.4}, &sight);
    assert_int_equal(searched_at(4.45, 3.05), CAIRN_SEARCHED_THERMAL); // straight ahead: in both
    assert_int_equal(searched_at(4.05, 3.65), 0);                      // only before the turn
    assert_int_equal(searched_at(4.05, 2.35), 0);                      // only after it
    for (size_t i = 0; i < (size_t)atlas.raster->def.width * atlas.raster->def.height; i++) {
        assert_true(atlas.searched[i] <= CAIRN_SEARCHED_THERMAL);
    }
}

// A robot may be beyond the edge of the map, or say that it is: nothing is searched there, nothing else is touched, and
// no trace is left where it looked from inside.
static void a_camera_beyond_any_edge_searches_nothing(void **unused)
{
    (void)unused;
    const cairn_sight sight = {.field_rad = 1.0, .range_m_max = 5};
    const cairn_pose2 inside = {3, 3, 0};
    const double off_m[] = {4.9, 5.2, 20, 300, 4100, 100000}; // the farthest that a snapshot may hold
    uint8_t before[100 * 60];
    memcpy(before, room_with_a_screen()->searched, sizeof before);
    for (int i = 0; i < 6 * 8; i++) {
        const double angle_rad = i % 8 * 0.25 * CAIRN_PI, far_m = 5 + off_m[i / 8];
        const cairn_pose2 off = {5 + far_m * cos(angle_rad), 3 + far_m * sin(angle_rad), angle_rad};
        cairn_atlas_mark_searched(&atlas, CAIRN_PLACE_NONE, off, off, &sight);
        cairn_atlas_mark_searched(&atlas, CAIRN_PLACE_NONE, inside, off, &sight);
        cairn_atlas_mark_searched(&atlas, CAIRN_PLACE_NONE, off, inside, &sight);
    }
    assert_int_equal(atlas.raster->def.width * atlas.raster->def.height, sizeof before);
    assert_memory_equal(atlas.searched, before, sizeof before);
}

// ---- moving nodes

#define MOVED_NODES 60

static cairn_pose2 pose_near(cairn_random *random, cairn_pose2 pose, double by_m)
{
    return (cairn_pose2){pose.x_m + cairn_random_between(random, -by_m, by_m),
                         pose.y_m + cairn_random_between(random, -by_m, by_m),
                         pose.yaw_rad + cairn_random_between(random, -0.3, 0.3)};
}

static void planes_random(cairn_random *random)
{
    memset(planes.obstacle, 0, sizeof planes.obstacle);
    for (uint32_t i = 0; i < 60 * 40 / 8; i++) {
        planes.known[i] = cairn_random_below(random, 3) ? 0xff : (uint8_t)cairn_random_u64(random);
        planes.obstacle[i] = cairn_random_below(random, 4) ? 0 : planes.known[i] & (uint8_t)cairn_random_u64(random);
    }
}

// A node of each of many robots at these poses, where they start. It and another stand around, that one in its map, and
// the mission's clock goes on. Every third map comes before its node.
static void tell_many(const cairn_pose2 poses[MOVED_NODES])
{
    cairn_random random;
    cairn_random_init(&random, 5, "tests/atlas/moves");
    fleet.count = 2;
    for (uint32_t i = 0; i < MOVED_NODES; i++) {
        const cairn_vec2 first = {-0.96, 1.54}, second = {1.46, 0.54}; // relative to the node, so that they move along
        for (uint8_t k = 0; k < 2; k++) {
            const uint8_t id = (uint8_t)(k == i % 2 ? i + 1 : 200);
            fleet.robots[k] = (cairn_fleet_robot){.id = id, .heard = true, .heard_at = {CAIRN_S(20ll * i)}};
            const cairn_vec2 at = cairn_pose2_apply(poses[i], k == 0 ? first : second);
            fleet.robots[k].map_T_base = (cairn_pose2){at.x, at.y, 0};
        }
        robot = fleet.robots[i % 2];
        robot.map_T_private = poses[i];
        node = (cairn_msg_node){.robot = robot.id, .node = i + 1};
        map.robot = robot.id;
        map.node = i + 1;
        planes_random(&random);
        if (i % 3 == 0) { tell_map(); }
        tell_node();
        if (i % 3 != 0) { tell_map(); }
    }
}

typedef struct kept_raster {
    uint64_t sums[300 * 300];
    uint8_t ground[300 * 300];
    uint32_t known_count, x_min, y_min, x_max, y_max;
} kept_raster;

static void raster_copy(kept_raster *ret)
{
    const cairn_raster *raster = atlas.raster;
    memcpy(ret->sums, raster->sums, sizeof ret->sums);
    memcpy(ret->ground, raster->ground, sizeof ret->ground);
    ret->known_count = raster->known_count;
    ret->x_min = raster->x_min, ret->y_min = raster->y_min;
    ret->x_max = raster->x_max, ret->y_max = raster->y_max;
}

static void poses_random(cairn_random *random, cairn_pose2 *ret_poses)
{
    for (uint32_t i = 0; i < MOVED_NODES; i++) {
        ret_poses[i] = (cairn_pose2){cairn_random_between(random, -9, 9), cairn_random_between(random, -9, 9),
                                     cairn_random_between(random, -3, 3)};
    }
}

static cairn_atlas_moved move_to(const cairn_pose2 *poses)
{
    cairn_atlas_move moves[MOVED_NODES];
    for (uint32_t i = 0; i < MOVED_NODES; i++) {
        moves[i] = (cairn_atlas_move){.robot = (uint8_t)(i + 1), .node = i + 1, .map_T_node = poses[i]};
    }
    return cairn_atlas_move_nodes(&atlas, moves, MOVED_NODES);
}

// An optimiser moves nodes, and moves them back when it knows better. Nothing of it may stay in the map.
static void nodes_moved_and_back_give_the_same_raster(void **unused)
{
    (void)unused;
    static kept_raster before, moved, after;
    cairn_pose2 first[MOVED_NODES], there[MOVED_NODES];
    cairn_random random;
    cairn_random_init(&random, 7, "tests/atlas");
    poses_random(&random, first);
    tell_many(first);
    raster_copy(&before);
    for (uint32_t i = 0; i < MOVED_NODES; i++) { there[i] = pose_near(&random, first[i], 2); }
    assert_int_equal(move_to(there).redrawn_count, MOVED_NODES);
    raster_copy(&moved);
    assert_true(memcmp(&before, &moved, sizeof before) != 0);
    for (uint32_t i = 0; i < MOVED_NODES; i++) { there[i] = pose_near(&random, first[i], 0.01); } // and about
    (void)move_to(there);
    (void)move_to(first);
    raster_copy(&after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(move_to(first).stood_count, MOVED_NODES);
}

// Where a node was before must not matter, nor must who stood in its view: that moves with it.
static void a_moved_atlas_is_as_one_that_heard_the_new_poses(void **unused)
{
    (void)unused;
    static kept_raster fresh, moved;
    cairn_pose2 first[MOVED_NODES], last[MOVED_NODES];
    cairn_random random;
    cairn_random_init(&random, 8, "tests/atlas");
    poses_random(&random, first);
    poses_random(&random, last);
    tell_many(last);
    raster_copy(&fresh);
    assert_true(fresh.known_count > 10000);
    finish(NULL);
    reset(NULL);
    tell_many(first);
    (void)move_to(last);
    raster_copy(&moved);
    assert_memory_equal(&fresh, &moved, sizeof fresh);
    const cairn_node_entry *entry = cairn_atlas_node(&atlas, 10, 10);
    assert_true(entry->map_T_node.x_m == last[9].x_m && entry->map_T_node.yaw_rad == last[9].yaw_rad);
}

// A station that was killed goes on from a snapshot: later moves must take back what the one before it drew.
static void nodes_can_be_moved_after_a_restart(void **unused)
{
    (void)unused;
    static kept_raster before, after;
    cairn_pose2 first[MOVED_NODES], last[MOVED_NODES];
    cairn_random random;
    cairn_random_init(&random, 9, "tests/atlas");
    poses_random(&random, first);
    poses_random(&random, last);
    tell_many(first);
    (void)move_to(last);
    const saved_atlas saved = atlas_save(&atlas);
    (void)move_to(first);
    raster_copy(&before);

    finish(NULL);
    reset(NULL);
    assert_ok(atlas_load(&atlas, saved));
    assert_int_equal(move_to(first).redrawn_count, MOVED_NODES);
    raster_copy(&after);
    assert_memory_equal(&before, &after, sizeof before);
    free(saved.bytes);
}

// Less than the rounding: nothing is drawn again, but the pose is the one that was given.
static void a_node_that_hardly_moves_stands(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell();
    const cairn_atlas_move by_little = {1, 7, {0.004, -0.004, 0.0004}}, by_more = {1, 7, {0.006, 0, 0}};
    cairn_atlas_moved moved = cairn_atlas_move_nodes(&atlas, &by_little, 1);
    assert_int_equal(moved.stood_count, 1);
    assert_true(cairn_atlas_node(&atlas, 1, 7)->map_T_node.x_m == 0.004);
    moved = cairn_atlas_move_nodes(&atlas, &by_more, 1);
    assert_int_equal(moved.redrawn_count, 1);
}

static void nodes_that_are_not_there_are_counted(void **unused)
{
    (void)unused;
    tell_map(); // its node has not come
    const cairn_atlas_move moves[] = {{1, 7, {1, 1, 0}}, {2, 7, {1, 1, 0}}};
    assert_int_equal(cairn_atlas_move_nodes(&atlas, moves, 2).strange_count, 2);
    tell_node();
    assert_true(cairn_atlas_node(&atlas, 1, 7)->map_T_node.x_m == 0);
}

// The store is full after half an hour of a large team. What its oldest nodes taught must stay known, where it was.
static void what_made_room_stays_in_the_raster(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell();
    memset(planes.known, 0, sizeof planes.known);
    memset(planes.obstacle, 0, sizeof planes.obstacle);
    know(-0.45, -0.55, true);
    for (uint32_t i = 0; i < CAIRN_NODES_MAX; i++) {
        node.node = map.node = 100 + i;
        tell();
    }
    assert_null(cairn_atlas_node(&atlas, 1, 7));
    assert_int_equal(atlas.nodes.node_lost_count, 1);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){2.05, 1.05}), CAIRN_GROUND_OBSTACLE);
    const cairn_atlas_move move = {1, 7, {5, 5, 0}};
    assert_int_equal(cairn_atlas_move_nodes(&atlas, &move, 1).strange_count, 1);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){2.05, 1.05}), CAIRN_GROUND_OBSTACLE);
}

// A map that is no longer kept cannot be drawn elsewhere; its node's pose is right all the same.
static void a_map_that_is_gone_stays_where_it_was_drawn(void **unused)
{
    (void)unused;
    know(2.05, 1.05, true);
    tell();
    cairn_node_store_drop(&atlas.nodes, cairn_node_store_find(&atlas.nodes, 1, 7)); // as when the ring is full
    const cairn_atlas_move move = {1, 7, {5, 5, 0}};
    assert_int_equal(cairn_atlas_move_nodes(&atlas, &move, 1).fixed_count, 1);
    assert_int_equal(cairn_raster_at(atlas.raster, (cairn_vec2){2.05, 1.05}), CAIRN_GROUND_OBSTACLE);
    assert_true(cairn_atlas_node(&atlas, 1, 7)->map_T_node.x_m == 5);
}

// A robot comes home and tells what it saw 20 minutes ago: it must not outvote who has been there since.
static void what_comes_late_weighs_what_it_did_when_it_was_seen(void **unused)
{
    (void)unused;
    const int64_t up_ns = CAIRN_S(800000); // the station's clock counts from when its machine was started
    robot.heard = true;
    robot.heard_at = (cairn_mono){up_ns};
    node.node = 1;
    tell_node();
    assert_int_equal(cairn_atlas_node(&atlas, 1, 1)->era, 0);
    node.node = 7;
    robot.heard_at = (cairn_mono){up_ns + CAIRN_S(1500)};
    robot.telemetry.mono_ns = CAIRN_S(1490); // its clock began later
    node.mono_ns = CAIRN_S(290);
    know(2.05, 1.05, true);
    tell();
    assert_int_equal(cairn_atlas_node(&atlas, 1, 7)->era, 1);
    node.node = map.node = 8;
    node.mono_ns = CAIRN_S(1491);
    tell();
    assert_int_equal(cairn_atlas_node(&atlas, 1, 8)->era, 5);
    assert_int_equal(cairn_raster_score(atlas.raster, 170, 160), 3 * 2 + 3 * 32);
}

static void an_atlas_without_room_says_so(void **unused)
{
    (void)unused;
    uint8_t block[4096];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    const cairn_raster_def def = place_raster(30, 30);
    const cairn_places_def places = cairn_places_def_default();
    assert_int_equal(cairn_atlas_init(&atlas, &def, &places, &small), CAIRN_ERR_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wall_seen_from_a_turned_start_lands_where_it_stands, reset, finish),
        cmocka_unit_test_setup_teardown(where_another_robot_stands_no_wall_is_drawn, reset, finish),
        cmocka_unit_test_setup_teardown(walls_land_where_they_stand_from_any_start, reset, finish),
        cmocka_unit_test_setup_teardown(a_map_of_an_older_robot_turns_with_its_node, reset, finish),
        cmocka_unit_test_setup_teardown(a_map_is_told_after_one_that_is_kept, reset, finish),
        cmocka_unit_test_setup_teardown(a_map_after_one_that_is_not_there_is_refused, reset, finish),
        cmocka_unit_test_setup_teardown(a_node_and_its_map_come_in_any_order_and_count_once, reset, finish),
        cmocka_unit_test_setup_teardown(nodes_of_two_robots_are_two, reset, finish),
        cmocka_unit_test_setup_teardown(what_was_told_of_a_node_can_be_read_again, reset, finish),
        cmocka_unit_test_setup_teardown(a_map_that_cannot_be_read_is_refused, reset, finish),
        cmocka_unit_test_setup_teardown(only_what_the_camera_sees_is_searched, reset, finish),
        cmocka_unit_test_setup_teardown(what_a_turn_swept_over_is_not_searched, reset, finish),
        cmocka_unit_test_setup_teardown(a_camera_beyond_any_edge_searches_nothing, reset, finish),
        cmocka_unit_test_setup_teardown(nodes_moved_and_back_give_the_same_raster, reset, finish),
        cmocka_unit_test_setup_teardown(a_moved_atlas_is_as_one_that_heard_the_new_poses, reset, finish),
        cmocka_unit_test_setup_teardown(nodes_can_be_moved_after_a_restart, reset, finish),
        cmocka_unit_test_setup_teardown(a_node_that_hardly_moves_stands, reset, finish),
        cmocka_unit_test_setup_teardown(nodes_that_are_not_there_are_counted, reset, finish),
        cmocka_unit_test_setup_teardown(what_made_room_stays_in_the_raster, reset, finish),
        cmocka_unit_test_setup_teardown(a_map_that_is_gone_stays_where_it_was_drawn, reset, finish),
        cmocka_unit_test_setup_teardown(what_comes_late_weighs_what_it_did_when_it_was_seen, reset, finish),
        cmocka_unit_test_setup_teardown(an_atlas_without_room_says_so, reset, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
