// The map that is handed over: what the nodes that a cover keeps say, and elsewhere what the live raster knows.
#include "check.h"
#include "maps/codec/planes_codec.h"
#include "maps/raster_cover.h"
#include "place.h"
#include "station/atlas/handover.h"
#include <math.h>

#define SEED 23
#define NODES_MAX 256

static cairn_arena memory, room;
static cairn_atlas atlas;
static cairn_fleet fleet;
static uint8_t scratch_block[CAIRN_PLANES_SCRATCH_BYTES];
static cairn_handover handover;

static int start(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 160 << 20));
    cairn_raster_def def = place_raster(40, 40);
    def.origin_m = (cairn_vec2){-20, -20};
    const cairn_places_def places = cairn_places_def_default();
    assert_ok(cairn_atlas_init(&atlas, &def, &places, &memory));
    fleet = (cairn_fleet){.count = 1};
    fleet.robots[0] = (cairn_fleet_robot){.id = 1, .heard = true, .heard_at = {CAIRN_S(1)}};
    fleet.robots[0].telemetry.mono_ns = CAIRN_S(1);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

// A room of 6 x 4 m as a robot in it sees it; a wall at its right end where there is a door that is shut.
static cairn_terrain_planes room_seen(bool shut)
{
    cairn_terrain_planes planes = {.cell_m = 0.1, .width = 60, .height = 40};
    for (uint32_t cell = 0; cell < planes.width * planes.height; cell++) {
        const uint32_t x = cell % planes.width, y = cell / planes.width;
        const bool wall = x == 0 || y == 0 || y == planes.height - 1 || (x == planes.width - 1 && (shut || y > 9));
        planes.known[cell >> 3] |= (uint8_t)(1u << (cell & 7));
        planes.obstacle[cell >> 3] |= (uint8_t)(wall << (cell & 7));
    }
    return planes;
}

// The robot says, so many seconds after it began, that it is there and what is around it.
static void tell(uint32_t number, double at_s, cairn_pose2 pose, const cairn_terrain_planes *planes)
{
    const cairn_msg_node node = {.robot = 1,
                                 .node = number,
                                 .mono_ns = CAIRN_S(1) + (int64_t)(at_s * 1e9),
                                 .x_mm = (int32_t)lround(1e3 * pose.x_m),
                                 .y_mm = (int32_t)lround(1e3 * pose.y_m),
                                 .yaw_urad = (int32_t)lround(1e6 * pose.yaw_rad)};
    cairn_msg_terrain_grid map = {.robot = 1,
                                  .node = number,
                                  .cell_mm = 100,
                                  .width = (uint16_t)planes->width,
                                  .height = (uint16_t)planes->height,
                                  .x_mm = node.x_mm - 1000,
                                  .y_mm = node.y_mm - 2000};
    size_t bytes = 0;
    cairn_arena scratch;
    cairn_arena_init(&scratch, scratch_block, sizeof scratch_block);
    assert_ok(cairn_planes_encode(planes, NULL, &scratch, map.code, sizeof map.code, &bytes));
    map.code_count = (uint16_t)bytes;
    cairn_fleet_robot *robot = &fleet.robots[0];
    robot->heard_at = robot->heard_at.ns > node.mono_ns ? robot->heard_at : (cairn_mono){node.mono_ns};
    robot->telemetry.mono_ns = robot->heard_at.ns;
    cairn_atlas_add_node(&atlas, &fleet, robot, &node);
    cairn_atlas_add_terrain(&atlas, &fleet, robot, &map);
}

static void make(void)
{
    assert_ok(cairn_arena_create(&room, cairn_handover_bytes(&atlas)));
    assert_ok(cairn_handover_make(&atlas, &fleet, &room, &handover));
}

static cairn_ground live_at(uint32_t x, uint32_t y)
{
    return cairn_raster_at(atlas.raster, cairn_map_centre_of(&handover.map, x, y));
}

static void nothing_known_is_one_unknown_cell(void **unused)
{
    (void)unused;
    make();
    assert_int_equal(handover.map.width * handover.map.height, 1);
    assert_int_equal(handover.map.ground[0], CAIRN_GROUND_UNKNOWN);
    assert_int_equal(handover.drawn_count + handover.left_out_count, 0);
    cairn_arena_destroy(&room);
}

// Against the obvious: each node that the cover keeps is drawn into a raster as large as the live one.
static void it_is_what_the_covering_nodes_say_and_else_the_live_raster(void **unused)
{
    (void)unused;
    cairn_random dice;
    cairn_random_init(&dice, SEED, "tests/handover");
    print_message("seed %d\n", SEED);
    static cairn_raster_node nodes[NODES_MAX];
    static cairn_terrain_planes seen[NODES_MAX];
    static uint8_t stays[NODES_MAX];
    cairn_pose2 pose = {0, 0, 0};
    for (uint32_t i = 0; i < NODES_MAX; i++) {
        seen[i] = room_seen(cairn_random_below(&dice, 2));
        for (uint32_t k = 0; k < 200; k++) { // what it did not see
            const uint32_t cell = cairn_random_below(&dice, 2400);
            seen[i].known[cell >> 3] &= (uint8_t) ~(1u << (cell & 7));
            seen[i].obstacle[cell >> 3] &= seen[i].known[cell >> 3];
        }
        if (i % 3 == 0) { // else it stands
            pose.x_m = 12 * cairn_random_uniform(&dice) - 6;
            pose.y_m = 12 * cairn_random_uniform(&dice) - 6;
            pose.yaw_rad = 6 * cairn_random_uniform(&dice) - 3;
        }
        tell(i + 1, 1.25 * i, pose, &seen[i]);
        const cairn_node_entry *node = cairn_atlas_node(&atlas, 1, i + 1);
        seen[i].origin_m = (cairn_vec2){-1, -2};
        nodes[i] = (cairn_raster_node){.map_T_node = cairn_atlas_map_pose(node),
                                       .planes = &seen[i],
                                       .seen_s = 1.25 * i,
                                       .field_rad = 2 * CAIRN_PI};
    }
    make();
    cairn_arena scratch;
    assert_ok(cairn_arena_create(&scratch, 32 << 20));
    const cairn_raster_cover_def cover = cairn_raster_cover_def_default();
    cairn_raster *drawn = NULL;
    uint32_t stay_count = 0;
    assert_ok(cairn_raster_create(&atlas.raster->def, &scratch, &drawn));
    assert_ok(cairn_raster_cover(&cover, nodes, NODES_MAX, &scratch, stays));
    for (uint32_t i = 0; i < NODES_MAX; i++) {
        stay_count += stays[i];
        const uint32_t era = cairn_raster_era(nodes[i].seen_s);
        if (stays[i]) { cairn_raster_add(drawn, nodes[i].map_T_node, nodes[i].planes, era); }
    }
    cairn_raster_settle(drawn);
    assert_int_equal(handover.drawn_count, stay_count);
    assert_int_equal(handover.left_out_count, NODES_MAX - stay_count);
    assert_true(stay_count > 20 && stay_count < NODES_MAX - 20);
    uint32_t only_live = 0, other_than_live = 0;
    for (uint32_t y = 0; y < handover.map.height; y++) {
        for (uint32_t x = 0; x < handover.map.width; x++) {
            const cairn_ground live = live_at(x, y);
            const cairn_ground said = cairn_raster_at(drawn, cairn_map_centre_of(&handover.map, x, y));
            const cairn_ground should = said != CAIRN_GROUND_UNKNOWN ? said : live;
            assert_int_equal(handover.map.ground[(size_t)y * handover.map.width + x], should);
            only_live += said == CAIRN_GROUND_UNKNOWN && live != CAIRN_GROUND_UNKNOWN;
            other_than_live += should != live;
        }
    }
    assert_int_equal(handover.live_cell_count, only_live);
    assert_true(other_than_live > 0); // or this test shows nothing
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&room);
}

// A node whose map has made room is in the live raster alone.
static void what_is_no_longer_kept_is_not_lost(void **unused)
{
    (void)unused;
    const cairn_terrain_planes planes = room_seen(true);
    tell(1, 0, (cairn_pose2){0, 0, 0}, &planes);
    tell(2, 100, (cairn_pose2){-9, 0, 0}, &planes);
    cairn_node_store_drop(&atlas.nodes, cairn_node_store_find(&atlas.nodes, 1, 1));
    make();
    assert_int_equal(handover.drawn_count, 1);
    assert_int_equal(handover.unkept_count, 1);
    assert_int_equal(handover.live_cell_count, 60 * 40);
    for (uint32_t y = 0; y < handover.map.height; y++) {
        for (uint32_t x = 0; x < handover.map.width; x++) {
            assert_int_equal(handover.map.ground[(size_t)y * handover.map.width + x], live_at(x, y));
        }
    }
    cairn_arena_destroy(&room);
}

// A robot that watched an open door for minutes has one voice a minute: whoever saw it shut since is believed.
static void who_stood_and_looked_does_not_outvote_what_came_later(void **unused)
{
    (void)unused;
    const cairn_terrain_planes open = room_seen(false), shut = room_seen(true);
    uint32_t number = 0;
    for (int i = 0; i < 200; i++) { tell(++number, 1.25 * i, (cairn_pose2){0, 0, 0}, &open); }
    const cairn_vec2 door_m = {4.95, -1.5};
    for (int i = 0; i < 12; i++) { tell(++number, 320 + 62 * i, (cairn_pose2){0, 0, 0}, &shut); }
    make();
    assert_int_equal(cairn_raster_at(atlas.raster, door_m), CAIRN_GROUND_FREE); // the live map is slower
    assert_int_equal(cairn_map_at(&handover.map, door_m), CAIRN_GROUND_OBSTACLE);
    cairn_arena_destroy(&room);
}

int main(void)
{
#define HANDOVER_TEST(fact) cmocka_unit_test_setup_teardown(fact, start, finish)
    const struct CMUnitTest tests[] = {
        HANDOVER_TEST(nothing_known_is_one_unknown_cell),
        HANDOVER_TEST(it_is_what_the_covering_nodes_say_and_else_the_live_raster),
        HANDOVER_TEST(what_is_no_longer_kept_is_not_lost),
        HANDOVER_TEST(who_stood_and_looked_does_not_outvote_what_came_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
