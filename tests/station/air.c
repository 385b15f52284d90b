// air.c - see air.h.
#include "air.h"
#include "link/radio_streams.h"
#include "maps/codec/planes_codec.h"
#include <stdio.h>
#include <stdlib.h>

#define TICK_NS CAIRN_MS(20)
#define TELEMETRY_NS CAIRN_MS(500)

static const cairn_pose2 STARTS[AIR_ROBOTS] = {{6, 6, 0}, {10, 7, CAIRN_PI / 2}, {24, 24, 0}};
static const char *const NAMES[AIR_ROBOTS] = {"emu1", "emu2", "emu3"};

static void count_tapped(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    (void)robot_at, (void)message, (void)now;
    ((air *)context)->tapped_count++;
}

static void make_key(uint8_t id, uint8_t *ret_key)
{
    for (int i = 0; i < CAIRN_LINK_KEY_BYTES; i++) { ret_key[i] = (uint8_t)(id * 7 + i); }
}

static void boot_robot(air *world, uint32_t robot_at)
{
    air_robot *robot = &world->robots[robot_at];
    cairn_link_def def = cairn_link_def_default();
    def.role = CAIRN_LINK_ROBOT;
    def.robot = robot->id;
    make_key(robot->id, def.key);
    cairn_random_init(&def.random, world->def.seed * 1000 + world->boot_count++, NAMES[robot_at]);
    assert_ok(cairn_arena_create(&robot->memory, 1 << 20));
    assert_ok(cairn_link_create(&def, &robot->memory, &robot->link));
    cairn_radio_message cleared;
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &cleared);
    robot->telemetry = cleared.telemetry;
    robot->telemetry.robot = robot->id;
    robot->telemetry.mode = CAIRN_MODE_IDLE;
    robot->telemetry.order = robot->telemetry.areas = robot->telemetry.overridden = 0;
    robot->said = (cairn_mono){-TELEMETRY_NS};
}

static void boot_station(air *world)
{
    world->def.seed += 1000003;
    assert_ok(cairn_arena_create(&world->memory, 192 << 20));
    assert_ok(cairn_station_create(&world->def, &world->memory, &world->station));
    assert_ok(cairn_executor_create_lockstep(TICK_NS, NULL, &world->executor));
    cairn_station_register(world->station, world->executor, cairn_executor_add_lane(world->executor, "station", 0));
}

air *air_create(uint64_t seed)
{
    air *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->description =
        (cairn_body_description){.thermal = {.offered = true, .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}}}};
    cairn_random_init(&world->random, seed, "tests/air");
    world->def = cairn_station_def_default();
    world->def.seed = seed;
    world->def.raster = place_raster(30, 30);
    world->def.robot_count = AIR_ROBOTS;
    world->def.tap = count_tapped;
    world->def.tap_context = world;
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
        world->def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(AIR_FIRST_ID + i),
                                                         .name = NAMES[i],
                                                         .map_T_start = STARTS[i],
                                                         .description = &world->description,
                                                         .mode = CAIRN_MODE_AUTONOMOUS};
        make_key(world->def.robots[i].id, world->def.robots[i].key);
        world->robots[i] = (air_robot){.id = world->def.robots[i].id, .obeys = true};
        world->robots[i].address.bytes[0] = world->def.robots[i].id;
        world->robots[i].kept = calloc(AIR_KEPT, sizeof(cairn_radio_message));
        assert_non_null(world->robots[i].kept);
        boot_robot(world, i);
    }
    boot_station(world);
    return world;
}

static void end_station(air *world)
{
    cairn_executor_destroy(world->executor);
    cairn_station_finish(world->station);
    cairn_arena_destroy(&world->memory);
}

void air_destroy(air *world)
{
    end_station(world);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
        free(world->robots[i].kept);
        cairn_arena_destroy(&world->robots[i].memory);
    }
    free(world);
}

cairn_mono air_now(const air *world) { return cairn_executor_now(world->executor); }

// The robots' clock goes on when the station is started again.
static cairn_mono robots_now(const air *world) { return cairn_mono_add(air_now(world), world->before_ns); }

void air_restart_robot(air *world, uint32_t robot_at)
{
    cairn_arena_destroy(&world->robots[robot_at].memory);
    boot_robot(world, robot_at);
}

void air_restart_station(air *world)
{
    world->before_ns += air_now(world).ns;
    end_station(world);
    boot_station(world);
}

static void note(air *world, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) { world->hash = (world->hash ^ bytes[i]) * 0x100000001b3u; }
    world->hash ^= (uint64_t)air_now(world).ns;
}

static bool is_lost(air *world) { return cairn_random_uniform(&world->random) < world->loss; }

typedef struct sending {
    air *world;
    const air_robot *robot;
} sending;

static void to_station(void *context, const uint8_t *bytes, size_t size)
{
    const sending *s = context;
    note(s->world, bytes, size);
    if (!s->robot->mute && !is_lost(s->world)) {
        assert_ok(cairn_air_box_put(cairn_station_from_air(s->world->station), &s->robot->address, bytes, size));
    }
}

void air_say(air *world, uint32_t robot_at, const cairn_radio_message *message)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size = 0;
    cairn_link_stream stream;
    assert_ok(cairn_radio_encode(message, bytes, sizeof bytes, &size));
    if (cairn_link_stream_of(message->id, &stream) != CAIRN_OK) { fail(); }
    assert_ok(cairn_link_put(world->robots[robot_at].link, stream, bytes, size, robots_now(world)));
}

static void obey(air_robot *robot, const cairn_radio_message *message)
{
    cairn_msg_telemetry *t = &robot->telemetry;
    if (message->id == CAIRN_MSG_STOP && message->stop.stop) {
        t->mode = CAIRN_MODE_STOPPED;
    } else if (message->id == CAIRN_MSG_STOP && t->mode == CAIRN_MODE_STOPPED &&
               message->stop.release_count > t->release_count) {
        t->release_count = message->stop.release_count;
        t->mode = CAIRN_MODE_IDLE;
    } else if (message->id == CAIRN_MSG_MODE_ORDER) {
        t->order = message->mode_order.order;
        if (t->mode != CAIRN_MODE_STOPPED) { t->mode = message->mode_order.mode; }
    } else if (message->id == CAIRN_MSG_TASK) {
        t->task = message->task.task;
        t->task_state = t->task == 0 ? CAIRN_TASK_NONE : CAIRN_TASK_UNDER_WAY;
    } else if (message->id == CAIRN_MSG_AREA && message->area.index + 1 >= message->area.count) {
        t->areas = message->area.revision;
    }
}

static void hear_station(air *world, uint32_t robot_at)
{
    air_robot *robot = &world->robots[robot_at];
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address to;
    while (cairn_air_box_take(cairn_station_to_air(world->station, robot_at), &to, bytes, &size) == CAIRN_OK) {
        assert_memory_equal(&to, &robot->address, sizeof to);
        note(world, bytes, size);
        if (!robot->deaf && !is_lost(world)) { (void)cairn_link_receive(robot->link, bytes, size, robots_now(world)); }
    }
    cairn_link_message taken;
    while (cairn_link_take(robot->link, robots_now(world), &taken) == CAIRN_OK) {
        assert_true(robot->kept_count < AIR_KEPT);
        cairn_radio_message *message = &robot->kept[robot->kept_count++];
        assert_ok(cairn_radio_decode(taken.bytes, taken.size, message));
        if (robot->obeys) { obey(robot, message); }
    }
}

static void speak(air *world, uint32_t robot_at)
{
    air_robot *robot = &world->robots[robot_at];
    if (!robot->on) { return; }
    if (cairn_mono_since(robots_now(world), robot->said) >= TELEMETRY_NS) {
        robot->said = robots_now(world);
        robot->telemetry.mono_ns = robot->said.ns > robot->late_ns ? robot->said.ns - robot->late_ns : 0;
        const cairn_radio_message message = {.id = CAIRN_MSG_TELEMETRY, .telemetry = robot->telemetry};
        air_say(world, robot_at, &message);
    }
    sending s = {world, robot};
    cairn_link_step(robot->link, robots_now(world), to_station, &s);
}

void air_run_ms(air *world, int64_t ms)
{
    const int64_t until_ns = air_now(world).ns + CAIRN_MS(ms);
    while (air_now(world).ns < until_ns) {
        for (uint32_t i = 0; i < AIR_ROBOTS; i++) { speak(world, i); }
        cairn_executor_run(world->executor, cairn_mono_add(air_now(world), TICK_NS));
        for (uint32_t i = 0; i < AIR_ROBOTS; i++) { hear_station(world, i); }
    }
}

void air_do(air *world, const cairn_operator_action *action)
{
    assert_ok(cairn_inbox_put(cairn_station_operators(world->station), action, sizeof *action));
}

const cairn_radio_message *air_told(const air *world, uint32_t robot_at, uint8_t id, uint32_t *ret_count)
{
    const air_robot *robot = &world->robots[robot_at];
    const cairn_radio_message *last = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < robot->kept_count; i++) {
        if (robot->kept[i].id != id) { continue; }
        last = &robot->kept[i];
        count++;
    }
    if (ret_count != NULL) { *ret_count = count; }
    return last;
}

uint32_t air_told_count(const air *world, uint32_t robot_at, uint8_t id)
{
    uint32_t count = 0;
    (void)air_told(world, robot_at, id, &count);
    return count;
}

cairn_station_view air_look(const air *world)
{
    cairn_station_view view;
    cairn_station_look(world->station, &view);
    return view;
}

const cairn_fleet_robot *air_robot_seen(const air *world, uint32_t robot_at)
{
    return &air_look(world).fleet->robots[robot_at];
}

uint32_t air_event_count(const air *world, const char *part)
{
    const cairn_events *events = air_look(world).events;
    uint32_t count = 0;
    for (uint64_t number = 1; number <= events->count; number++) {
        const cairn_event *event = cairn_events_get(events, number);
        if (event != NULL && strstr(event->text, part) != NULL) { count++; }
    }
    return count;
}

void air_make_terrain(air_robot *robot, uint32_t node, cairn_radio_message *ret_node, cairn_radio_message *ret_terrain)
{
    cairn_radio_clear(CAIRN_MSG_NODE, ret_node);
    ret_node->node.robot = robot->id;
    ret_node->node.node = node;
    cairn_radio_clear(CAIRN_MSG_TERRAIN_GRID, ret_terrain);
    cairn_msg_terrain_grid *terrain = &ret_terrain->terrain_grid;
    *terrain = (cairn_msg_terrain_grid){
        .robot = robot->id, .node = node, .cell_mm = 100, .width = 64, .height = 64, .x_mm = -3200, .y_mm = -3200};
    static cairn_terrain_planes planes;
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 64, .height = 64};
    memset(planes.known, 0xff, 64 * 64 / 8);
    size_t bytes = 0;
    static uint8_t block[CAIRN_PLANES_SCRATCH_BYTES];
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    assert_ok(cairn_planes_encode(&planes, NULL, &scratch, terrain->code, sizeof terrain->code, &bytes));
    terrain->code_count = (uint16_t)bytes;
}
