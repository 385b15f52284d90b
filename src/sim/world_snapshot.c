// world_snapshot.c - a running world as bytes, and back.
//
// In them, one after the other: a head; for each robot what is kept of it, its past and its camera's; the scene; the
// physics. The pictures and scans that were last delivered are in the cells, and among these bytes only where the cells
// are the world's own: a frozen sensor repeats them. The head has a hash of all that follows: whatever damages a file
// is found there. What could stop the program if it were wrong, or be wrong without any damage, is checked once more.
#include "base/hash.h"
#include "sim/world_private.h"
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x3370616e73637763) // "cwcsnap3"
#define TICK_MAX (CAIRN_S(366 * 24 * 3600) / CAIRN_PHYSICS_STEP_NS)
#define INDEX_MAX (INT64_C(1) << 50)
#define FAR_M 1e5
#define WHEEL_RAD_MAX 1e12
#define USED_J_MAX 1e13

typedef struct snapshot_head {
    uint64_t magic;
    uint64_t hash;  // of what follows the head
    uint64_t bytes; // in all
    int64_t tick;
    uint64_t robot_count, past_ticks;
    uint64_t physics; // hash of its name
} snapshot_head;

typedef struct kept_robot {
    double brake_rad[CAIRN_WHEELS_MAX], torque_nm[CAIRN_WHEELS_MAX];
    uint32_t dead, driven, wanted, pressed;
    int64_t index[CAIRN_SENSOR_COUNT], range_index[CAIRN_RANGE_SENSORS_MAX]; // of the next measurements
    uint32_t measured;                                                       // mask of sensors with a last frame
    uint32_t told, told_gaze;                                                // the two targets are there
    cairn_world_hands hands;
    cairn_failing failing[CAIRN_SENSOR_COUNT];
    cairn_encoders_state encoders;
    cairn_imu_state imu;
    cairn_vec3 imu_turn_radps;
    cairn_battery_state battery;
    cairn_random laser_random, thermal_random, range_image_random, range_randoms[CAIRN_RANGE_SENSORS_MAX];
    cairn_gps_state gps;
    cairn_magnetometer_state magnetometer;
    cairn_barometer_state barometer;
    cairn_encoder_frame encoder_frame;
    cairn_imu_frame imu_frame;
    cairn_bump_frame bump_frame;
    cairn_battery_frame battery_frame;
    cairn_ranges_frame ranges;
    cairn_gps_frame gps_frame;
    cairn_magnetometer_frame magnetometer_frame;
    cairn_barometer_frame barometer_frame;
    uint64_t ray_count;
    cairn_motor_target target;
    cairn_pan_tilt_target gaze_target;
} kept_robot;

// What is kept as it is: saving and loading both go through this list, so that neither can forget what the other has.
typedef struct kept_field {
    size_t robot_at, kept_at, size_bytes;
} kept_field;
#define SIZE_OF(type, field) sizeof(((type *)NULL)->field)
#define KEPT(field)                                                                                                    \
    {                                                                                                                  \
        offsetof(cairn_world_robot, field), offsetof(kept_robot, field),                                               \
            SIZE_OF(kept_robot, field) +                                                                               \
                0 * sizeof(char[SIZE_OF(kept_robot, field) == SIZE_OF(cairn_world_robot, field) ? 1 : -1])             \
    }
static const kept_field kept_fields[] = {
    KEPT(brake_rad),
    KEPT(torque_nm),
    KEPT(failing),
    KEPT(wanted),
    KEPT(pressed),
    KEPT(hands),
    KEPT(encoders),
    KEPT(imu),
    KEPT(imu_turn_radps),
    KEPT(battery),
    KEPT(laser_random),
    KEPT(thermal_random),
    KEPT(range_randoms),
    KEPT(range_image_random),
    KEPT(gps),
    KEPT(magnetometer),
    KEPT(barometer),
    KEPT(ray_count),
    KEPT(encoder_frame),
    KEPT(imu_frame),
    KEPT(bump_frame),
    KEPT(battery_frame),
    KEPT(ranges),
    KEPT(gps_frame),
    KEPT(magnetometer_frame),
    KEPT(barometer_frame),
};

// Those that are too large to be kept for every tick.
static const cairn_sensor large[] = {CAIRN_SENSOR_LASER, CAIRN_SENSOR_THERMAL, CAIRN_SENSOR_RANGE_IMAGE};
#define LARGE (sizeof large / sizeof large[0])

static size_t past_bytes(const cairn_world *world) { return world->past_ticks * sizeof(cairn_robot_truth); }
static size_t gaze_bytes(const cairn_world *world) { return world->past_ticks * sizeof(cairn_vec2); }

static size_t large_bytes(const cairn_world *world)
{
    return world->owns_cells ? sizeof(cairn_scan_frame) + sizeof(cairn_thermal_frame) + sizeof(cairn_range_image_frame)
                             : 0;
}

static size_t robot_bytes(const cairn_world *world)
{
    return sizeof(kept_robot) + past_bytes(world) + gaze_bytes(world) + large_bytes(world);
}

size_t cairn_world_snapshot_bytes(const cairn_world *world)
{
    return sizeof(snapshot_head) + world->robot_count * robot_bytes(world) + cairn_scene_state_bytes(world->scene) +
           world->physics_kind->state_bytes(world->physics);
}

int64_t cairn_world_tick(const cairn_world *world) { return world->tick; }

// ---- to bytes

static void keep_cells(const cairn_body *body, kept_robot *kept)
{
    const cairn_motor_target *target = cairn_cell_latest(body->motors, NULL);
    const cairn_pan_tilt_target *gaze = body->pan_tilt ? cairn_cell_latest(body->pan_tilt, NULL) : NULL;
    kept->told = target != NULL;
    kept->told_gaze = gaze != NULL;
    if (target) { kept->target = *target; }
    if (gaze) { kept->gaze_target = *gaze; }
}

static void keep_robot(const cairn_world *world, const cairn_world_robot *robot, kept_robot *kept)
{
    for (size_t i = 0; i < sizeof kept_fields / sizeof kept_fields[0]; i++) {
        const kept_field *field = &kept_fields[i];
        memcpy((uint8_t *)kept + field->kept_at, (const uint8_t *)robot + field->robot_at, field->size_bytes);
    }
    kept->dead = robot->dead;
    kept->driven = robot->driven;
    for (uint32_t i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        kept->index[i] = robot->times[i].index;
        kept->measured |= robot->times[i].measured ? 1u << i : 0;
    }
    for (uint32_t i = 0; i < CAIRN_RANGE_SENSORS_MAX; i++) { kept->range_index[i] = robot->range_times[i].index; }
    if (world->owns_cells) { keep_cells(&robot->body, kept); }
}

static void keep_large(const cairn_world *world, cairn_world_robot *robot, uint8_t *to)
{
    for (size_t i = 0; world->owns_cells && i < LARGE; i++) {
        const cairn_world_frame last = cairn_world_frame_of(robot, large[i]);
        memcpy(to, last.frame, last.size_bytes);
        to += last.size_bytes;
    }
}

static snapshot_head head_of(const cairn_world *world)
{
    const char *name = world->physics_kind->name;
    return (snapshot_head){.magic = MAGIC,
                           .bytes = cairn_world_snapshot_bytes(world),
                           .tick = world->tick,
                           .robot_count = world->robot_count,
                           .past_ticks = world->past_ticks,
                           .physics = cairn_hash_bytes(0, name, strlen(name))};
}

void cairn_world_snapshot(const cairn_world *world, void *ret_bytes)
{
    CAIRN_ASSERT(world != NULL && ret_bytes != NULL);
    snapshot_head head = head_of(world);
    uint8_t *const body = (uint8_t *)ret_bytes + sizeof head;
    uint8_t *to = body;
    for (uint32_t i = 0; i < world->robot_count; i++) {
        cairn_world_robot *robot = &world->robots[i];
        kept_robot kept;
        memset(&kept, 0, sizeof kept); // the gaps too
        keep_robot(world, robot, &kept);
        memcpy(to, &kept, sizeof kept);
        memcpy(to + sizeof kept, robot->past, past_bytes(world));
        memset(to + sizeof kept + past_bytes(world), 0, gaze_bytes(world));
        if (robot->gaze) { memcpy(to + sizeof kept + past_bytes(world), robot->gaze, gaze_bytes(world)); }
        keep_large(world, robot, to + sizeof kept + past_bytes(world) + gaze_bytes(world));
        to += robot_bytes(world);
    }
    cairn_scene_save(world->scene, to);
    to += cairn_scene_state_bytes(world->scene);
    world->physics_kind->save(world->physics, to);
    head.hash = cairn_hash_bytes((uint64_t)head.tick, body, head.bytes - sizeof head);
    memcpy(ret_bytes, &head, sizeof head);
}

// ---- and back

// NaN is not.
static bool is_within(double value, double limit) { return fabs(value) <= limit; }

// The next measurement must lie within the past that is kept, or be yet to come.
static bool is_sound_index(const cairn_world *world, const cairn_sensor_times *times, int64_t index, int64_t tick)
{
    if (times->rate_mhz <= 0) { return true; }
    if (index < 0 || index > INDEX_MAX) { return false; }
    const int64_t past_ns = (tick - (int64_t)world->past_ticks + 1) * CAIRN_PHYSICS_STEP_NS;
    return cairn_sensor_taken_ns(times, index) > past_ns || index == 0;
}

static bool is_sound_robot(const cairn_world *world, const cairn_world_robot *robot, const kept_robot *kept,
                           int64_t tick)
{
    bool sound = kept->dead <= 1 && kept->driven <= 1 && kept->told <= 1 && kept->told_gaze <= 1;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        sound = sound && is_within(kept->brake_rad[i], WHEEL_RAD_MAX) && is_within(kept->torque_nm[i], WHEEL_RAD_MAX);
    }
    for (uint32_t i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        sound = sound && is_sound_index(world, &robot->times[i], kept->index[i], tick);
    }
    for (uint32_t i = 0; i < CAIRN_RANGE_SENSORS_MAX; i++) {
        sound = sound && is_sound_index(world, &robot->range_times[i], kept->range_index[i], tick);
    }
    for (uint32_t i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        sound = sound && cairn_failing_is_sound(&kept->failing[i], (cairn_sensor)i) &&
                cairn_failing_late_ns(&kept->failing[i]) <= world->late_ns_max;
    }
    sound = sound && cairn_world_hands_are_sound(&kept->hands, tick);
    sound = sound && kept->ranges.sensor_count == robot->ranges.sensor_count;
    return sound && kept->battery.used_j >= 0 && kept->battery.used_j <= USED_J_MAX;
}

static bool is_sound_past(const cairn_world *world, const uint8_t *past)
{
    for (uint32_t i = 0; i < world->past_ticks; i++) {
        cairn_robot_truth truth;
        memcpy(&truth, past + i * sizeof truth, sizeof truth);
        if (!(cairn_vec3_length(truth.map_T_base.at_m) <= FAR_M)) { return false; }
    }
    return true;
}

static bool are_sound_robots(const cairn_world *world, const uint8_t *from, int64_t tick)
{
    for (uint32_t i = 0; i < world->robot_count; i++, from += robot_bytes(world)) {
        kept_robot kept;
        memcpy(&kept, from, sizeof kept);
        if (!is_sound_robot(world, &world->robots[i], &kept, tick)) { return false; }
        if (!is_sound_past(world, from + sizeof kept)) { return false; }
    }
    return true;
}

static void restore_cells(cairn_body *body, const kept_robot *kept)
{
    if (kept->told) { cairn_cell_write(body->motors, &kept->target, sizeof kept->target); }
    if (kept->told_gaze && body->pan_tilt) {
        cairn_cell_write(body->pan_tilt, &kept->gaze_target, sizeof kept->gaze_target);
    }
}

static void restore_robot(const cairn_world *world, cairn_world_robot *robot, const kept_robot *kept)
{
    for (size_t i = 0; i < sizeof kept_fields / sizeof kept_fields[0]; i++) {
        const kept_field *field = &kept_fields[i];
        memcpy((uint8_t *)robot + field->robot_at, (const uint8_t *)kept + field->kept_at, field->size_bytes);
    }
    robot->dead = kept->dead;
    robot->driven = kept->driven;
    for (uint32_t i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        robot->times[i].index = kept->index[i];
        robot->times[i].measured = kept->measured >> i & 1;
    }
    for (uint32_t i = 0; i < CAIRN_RANGE_SENSORS_MAX; i++) { robot->range_times[i].index = kept->range_index[i]; }
    robot->depth_ns = -1;
    if (world->owns_cells) { restore_cells(&robot->body, kept); }
}

// From the bytes, or from the cells in memory of others, where what was delivered last still is.
static void restore_large(const cairn_world *world, cairn_world_robot *robot, const uint8_t *from)
{
    for (size_t i = 0; i < LARGE; i++) {
        const cairn_world_frame last = cairn_world_frame_of(robot, large[i]);
        const bool told = robot->times[large[i]].measured && last.cells[0] != NULL;
        const void *frame = world->owns_cells || !told ? from : cairn_cell_latest(last.cells[0], NULL);
        robot->times[large[i]].measured = told && frame != NULL;
        if (robot->times[large[i]].measured) { memcpy(last.frame, frame, last.size_bytes); }
        from += world->owns_cells ? last.size_bytes : 0;
    }
}

static void restore_robots(cairn_world *world, const uint8_t *from)
{
    for (uint32_t i = 0; i < world->robot_count; i++, from += robot_bytes(world)) {
        cairn_world_robot *robot = &world->robots[i];
        kept_robot kept;
        memcpy(&kept, from, sizeof kept);
        restore_robot(world, robot, &kept);
        memcpy(robot->past, from + sizeof kept, past_bytes(world));
        if (robot->gaze) { memcpy(robot->gaze, from + sizeof kept + past_bytes(world), gaze_bytes(world)); }
        restore_large(world, robot, from + sizeof kept + past_bytes(world) + gaze_bytes(world));
    }
}

// Both or neither.
static cairn_err restore_motion(cairn_world *world, const uint8_t *scene, const uint8_t *physics)
{
    uint8_t *before = malloc(cairn_scene_state_bytes(world->scene));
    if (!before) { return CAIRN_ERR_FULL; }
    cairn_scene_save(world->scene, before);
    cairn_err err = cairn_scene_load(world->scene, scene);
    if (err == CAIRN_OK) {
        err = world->physics_kind->load(world->physics, physics);
        if (err != CAIRN_OK && cairn_scene_load(world->scene, before) != CAIRN_OK) { CAIRN_ASSERT(false); }
    }
    free(before);
    return err;
}

cairn_err cairn_world_restore(cairn_world *world, const void *bytes)
{
    CAIRN_ASSERT(world != NULL && bytes != NULL);
    const uint8_t *robots = (const uint8_t *)bytes + sizeof(snapshot_head);
    const uint8_t *scene = robots + world->robot_count * robot_bytes(world);
    const uint8_t *physics = scene + cairn_scene_state_bytes(world->scene);
    snapshot_head head, expected = head_of(world);
    memcpy(&head, bytes, sizeof head);
    expected.tick = head.tick;
    expected.hash = cairn_hash_bytes((uint64_t)head.tick, robots, expected.bytes - sizeof head);
    if (memcmp(&head, &expected, sizeof head) != 0) { return CAIRN_ERR_CORRUPT; }
    if (head.tick < 0 || head.tick > TICK_MAX || !are_sound_robots(world, robots, head.tick)) {
        return CAIRN_ERR_CORRUPT;
    }
    const cairn_err err = restore_motion(world, scene, physics);
    if (err != CAIRN_OK) { return err; }
    restore_robots(world, robots);
    world->tick = head.tick;
    return CAIRN_OK;
}
