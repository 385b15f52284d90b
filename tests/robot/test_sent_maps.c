// Terrain maps that refer to earlier ones, over a radio that loses, repeats and reorders, between ends that start
// again.
#include "../base/check.h"
#include "base/random.h"
#include "link/radio_streams.h"
#include "rig.h"
#include "robot/post/post.h"
#include "robot/post/sent_maps.h"
#include <string.h>

#define US 7
#define SEED 31
#define NODES 400
#define SIDE 60
#define LATE 64 // datagrams that may be on their way

typedef struct datagram {
    bool to_robot;
    int64_t due_ns;
    size_t size; // 0: none
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
} datagram;

static cairn_body_description description;
static cairn_arena memory, post_memory, station_memory, scratch;
static cairn_robot_post_boxes boxes;
static cairn_robot_post *post;
static cairn_link *station;
static cairn_sent_maps sent;
static cairn_random rng;
static cairn_mono now;
static double loss; // [-] of datagrams; as many come twice, and late
static bool in_silence;
static datagram late[LATE];
static cairn_terrain_planes planes, earlier, back;
static cairn_terrain_planes truth[NODES + 1]; // by node
static bool kept[NODES + 1];                  // by the station: it has read it
static uint32_t read_count, refused_count, referring_count, code_bytes;
static cairn_radio_message message;

static void start_station(uint64_t seed)
{
    cairn_arena_destroy(&station_memory);
    assert_ok(cairn_arena_create(&station_memory, 1 << 20));
    const cairn_link_def def = rig_link_def(CAIRN_LINK_STATION, US, seed);
    assert_ok(cairn_link_create(&def, &station_memory, &station));
}

static void start_robot(uint64_t seed)
{
    if (post != NULL) {
        cairn_robot_post_finish(post);
        cairn_robot_post_boxes_finish(&boxes);
    }
    cairn_arena_destroy(&post_memory);
    assert_ok(cairn_arena_create(&post_memory, 8 << 20));
    cairn_reflex_cells reflex;
    cairn_behaviour_cells behaviour;
    assert_ok(cairn_reflex_cells_create(&post_memory, &reflex));
    assert_ok(cairn_behaviour_cells_create(&post_memory, &behaviour));
    assert_ok(cairn_robot_post_boxes_create(&post_memory, &boxes));
    assert_ok(cairn_sent_maps_init(&sent, &post_memory));
    const cairn_robot_post_def def = {.link = rig_link_def(CAIRN_LINK_ROBOT, US, seed),
                                      .reflex = reflex,
                                      .behaviour = behaviour,
                                      .boxes = boxes,
                                      .orders = {.mode = CAIRN_MODE_IDLE}};
    assert_ok(cairn_robot_post_create(&def, &post_memory, &post));
}

static void carry(bool to_robot, const uint8_t *bytes, size_t size, bool is_late)
{
    for (int i = 0; is_late && i < LATE; i++) {
        if (late[i].size != 0) { continue; }
        late[i] = (datagram){.to_robot = to_robot, .due_ns = now.ns + CAIRN_MS(cairn_random_below(&rng, 400))};
        late[i].size = size;
        memcpy(late[i].bytes, bytes, size);
        return;
    }
    if (to_robot) {
        assert_ok(cairn_inbox_put(cairn_robot_post_from_air(post), bytes, size));
    } else {
        (void)cairn_link_receive(station, bytes, size, now);
    }
}

static void send(bool to_robot, const uint8_t *bytes, size_t size)
{
    if (in_silence || cairn_random_uniform(&rng) < loss) { return; }
    carry(to_robot, bytes, size, cairn_random_uniform(&rng) < loss);
    if (cairn_random_uniform(&rng) < loss) { carry(to_robot, bytes, size, true); }
}

static void to_robot(void *unused, const uint8_t *bytes, size_t size)
{
    (void)unused;
    send(true, bytes, size);
}

// As the station's atlas does it, tests/station/test_atlas.c.
static void read_map(const cairn_msg_terrain_grid *map)
{
    const cairn_terrain_planes *before = &truth[map->after_node % (NODES + 1)];
    referring_count += map->after_node != 0;
    code_bytes += map->code_count;
    if (map->after_node != 0 &&
        (!kept[map->after_node % (NODES + 1)] || cairn_planes_hash(before) != map->after_hash)) {
        refused_count++;
        return;
    }
    earlier = *before;
    const cairn_planes_earlier after = {&earlier, (int32_t)(map->node - map->after_node), 0}; // a column each
    back.width = map->width;
    back.height = map->height;
    assert_ok(cairn_planes_decode(map->code, map->code_count, map->after_node != 0 ? &after : NULL, &scratch, &back));
    assert_memory_equal(back.known, truth[map->node].known, sizeof back.known);
    assert_memory_equal(back.obstacle, truth[map->node].obstacle, sizeof back.obstacle);
    kept[map->node] = true;
    read_count++;
}

static void step(void)
{
    now.ns += CAIRN_MS(8);
    for (int i = 0; i < LATE; i++) {
        if (late[i].size == 0 || late[i].due_ns > now.ns) { continue; }
        carry(late[i].to_robot, late[i].bytes, late[i].size, false);
        late[i].size = 0;
    }
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (cairn_inbox_take(cairn_robot_post_to_air(post), bytes, sizeof bytes, &size) == CAIRN_OK) {
        send(false, bytes, size);
    }
    cairn_link_message one;
    while (cairn_link_take(station, now, &one) == CAIRN_OK) {
        assert_ok(cairn_radio_decode(one.bytes, one.size, &message));
        if (message.id == CAIRN_MSG_TERRAIN_GRID) { read_map(&message.terrain_grid); }
    }
    cairn_link_step(station, now, to_robot, NULL);
    cairn_robot_post_step(post, now);
}

static void run_s(double s)
{
    for (const int64_t until_ns = now.ns + (int64_t)(1e9 * s); now.ns < until_ns;) { step(); }
}

// A corridor that goes by, a column each node, with some noise.
static void draw(uint32_t node)
{
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = SIDE, .height = SIDE};
    for (uint32_t cell = 0; cell < SIDE * SIDE; cell++) {
        const uint32_t x = cell % SIDE + node, y = cell / SIDE;
        const bool is_wall = y == 20 || y == 41 || (x % 37 == 0 && y % 11 != 3);
        const bool is_noise = cairn_random_below(&rng, 500) == 0;
        if (y < 18 || y > 43) { continue; }
        planes.known[cell >> 3] |= (uint8_t)(1u << (cell & 7));
        planes.obstacle[cell >> 3] |= (uint8_t)((is_wall ^ is_noise) << (cell & 7));
    }
    truth[node] = planes;
}

static void tell(uint32_t node)
{
    draw(node);
    static cairn_radio_message out;
    out = (cairn_radio_message){.id = CAIRN_MSG_TERRAIN_GRID};
    out.terrain_grid = (cairn_msg_terrain_grid){
        .robot = US, .node = node, .cell_mm = 100, .width = SIDE, .height = SIDE, .x_mm = (int32_t)(100 * node)};
    const cairn_robot_contact *contact = cairn_cell_latest(boxes.contact, NULL);
    assert_ok(cairn_sent_maps_code(&sent, &planes, contact != NULL ? contact->terrain_node : 0, &out.terrain_grid));
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size = 0;
    assert_ok(cairn_radio_encode(&out, bytes, sizeof bytes, &size));
    assert_ok(cairn_inbox_put(boxes.survey, bytes, size));
}

static int start(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&rng, SEED, "test/sent_maps");
    now = (cairn_mono){0};
    loss = 0;
    in_silence = false;
    memset(late, 0, sizeof late);
    memset(kept, 0, sizeof kept);
    read_count = refused_count = referring_count = code_bytes = 0;
    description = rig_description();
    assert_ok(cairn_arena_create(&memory, CAIRN_PLANES_SCRATCH_BYTES + 64));
    uint8_t *block = CAIRN_TAKE(&memory, uint8_t, CAIRN_PLANES_SCRATCH_BYTES);
    cairn_arena_init(&scratch, block, CAIRN_PLANES_SCRATCH_BYTES);
    start_robot(SEED);
    start_station(SEED);
    run_s(2);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_robot_post_finish(post);
    cairn_robot_post_boxes_finish(&boxes);
    post = NULL;
    cairn_arena_destroy(&memory);
    cairn_arena_destroy(&post_memory);
    cairn_arena_destroy(&station_memory);
    return 0;
}

// What is referred to has been acknowledged, so it is there: whatever the radio does with the rest.
static void every_map_is_read_whatever_the_radio_loses(void **unused)
{
    (void)unused;
    for (uint32_t node = 1; node <= 200; node++) {
        loss = node < 190 ? 0.1 * (node / 50) : 0;
        in_silence = node % 60 >= 50 && node % 60 < 58; // and is deaf for a while
        tell(node);
        run_s(1.25);
    }
    in_silence = false;
    run_s(20);
    print_message("%u read, %u of them after others, %u bytes each\n", read_count, referring_count,
                  code_bytes / read_count);
    assert_int_equal(refused_count, 0);
    assert_int_equal(read_count, 200);
    assert_true(referring_count > 100);
}

// A station that goes on from its store has all that it acknowledged; a mind that starts again refers to nothing yet.
static void every_map_is_read_when_either_end_starts_again(void **unused)
{
    (void)unused;
    for (uint32_t node = 1; node <= 120; node++) {
        loss = 0.1;
        if (node % 30 == 15) { start_station(SEED + node); }
        if (node % 40 == 20) {
            run_s(8); // what a mind has not sent yet is lost with it
            start_robot(SEED + node);
        }
        tell(node);
        run_s(1.25);
    }
    loss = 0;
    run_s(20);
    print_message("%u read, %u of them after others\n", read_count, referring_count);
    assert_int_equal(refused_count, 0);
    assert_true(read_count >= 115 && referring_count > 60);
}

// Then what the robot knows to be acknowledged is gone. It must notice, and lose only what was on its way.
static void a_station_that_forgot_everything_loses_little(void **unused)
{
    (void)unused;
    for (uint32_t node = 1; node <= 60; node++) {
        if (node == 30) {
            start_station(SEED + node);
            memset(kept, 0, sizeof kept);
        }
        tell(node);
        run_s(1.25);
    }
    run_s(5);
    print_message("%u read, %u refused\n", read_count, refused_count);
    assert_true(refused_count <= 5);
    assert_int_equal(read_count + refused_count, 60);
    for (uint32_t node = 40; node <= 60; node++) { assert_true(kept[node]); }
}

// Should all that fail, a map that refers to none comes in the end.
static void now_and_then_a_map_refers_to_none(void **unused)
{
    (void)unused;
    uint32_t alone = 0, in_a_row = 0, in_a_row_max = 0;
    for (uint32_t node = 1; node <= 100; node++) {
        draw(node);
        cairn_msg_terrain_grid *map = &message.terrain_grid;
        *map = (cairn_msg_terrain_grid){
            .robot = US, .node = node, .cell_mm = 100, .width = SIDE, .height = SIDE, .x_mm = (int32_t)(100 * node)};
        assert_ok(cairn_sent_maps_code(&sent, &planes, node - 1, map));
        assert_true(map->after_node == 0 || map->after_node == node - 1);
        in_a_row = map->after_node != 0 ? in_a_row + 1 : 0;
        in_a_row_max = in_a_row > in_a_row_max ? in_a_row : in_a_row_max;
        alone += map->after_node == 0;
    }
    assert_int_equal(in_a_row_max, CAIRN_SENT_MAPS_ALONE - 1);
    assert_true(alone >= 100 / CAIRN_SENT_MAPS_ALONE && alone <= 100 / CAIRN_SENT_MAPS_ALONE + 1);
}

// One that is no longer remembered, has other cells, or lies elsewhere is of no use.
static void what_is_of_no_use_is_not_referred_to(void **unused)
{
    (void)unused;
    cairn_msg_terrain_grid *map = &message.terrain_grid;
    const cairn_msg_terrain_grid first = {.robot = US, .node = 1, .cell_mm = 100, .width = SIDE, .height = SIDE};
    draw(1);
    static const struct {
        uint32_t node, acknowledged;
        uint16_t cell_mm;
        int32_t x_mm;
        uint32_t after;
    } cases[] = {{2, 1, 100, 100, 1}, {2, 0, 100, 100, 0}, {2, 1, 50, 100, 0}, {2, 1, 100, 6000, 0}, {2, 3, 100, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        *map = first;
        assert_ok(cairn_sent_maps_code(&sent, &planes, 0, map));
        *map = first;
        map->node = cases[i].node;
        map->cell_mm = cases[i].cell_mm;
        map->x_mm = cases[i].x_mm;
        assert_ok(cairn_sent_maps_code(&sent, &planes, cases[i].acknowledged, map));
        assert_int_equal(map->after_node, cases[i].after);
    }
    for (uint32_t node = 1; node <= CAIRN_SENT_MAPS + 1; node++) {
        *map = first;
        map->node = node;
        assert_ok(cairn_sent_maps_code(&sent, &planes, node > CAIRN_SENT_MAPS ? 1 : 0, map));
        assert_int_equal(map->after_node, node > CAIRN_SENT_MAPS ? 1 : 0);
    }
    map->node = CAIRN_SENT_MAPS + 2;
    assert_ok(cairn_sent_maps_code(&sent, &planes, 1, map));
    assert_int_equal(map->after_node, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_map_is_read_whatever_the_radio_loses, start, finish),
        cmocka_unit_test_setup_teardown(every_map_is_read_when_either_end_starts_again, start, finish),
        cmocka_unit_test_setup_teardown(a_station_that_forgot_everything_loses_little, start, finish),
        cmocka_unit_test_setup_teardown(now_and_then_a_map_refers_to_none, start, finish),
        cmocka_unit_test_setup_teardown(what_is_of_no_use_is_not_referred_to, start, finish),
    };
    return cmocka_run_group_tests_name("sent_maps", tests, NULL, NULL);
}
