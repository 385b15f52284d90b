#include "station/replay/setup.h"
#include "station/replay/archive.h"
#include <string.h>

#define START_M_MAX 5e4
#define RADIUS_CELLS_MAX 90 // planning/cost_grid.c prices no wider bands
#define FIGURE_MAX 1e9      // of a robot's description: all that matters is that it is a number

typedef struct setup_walk {
    cairn_archive archive;
    cairn_arena *arena; // loading
    cairn_err err;      // of the arena
} setup_walk;

static void walk_figures(cairn_archive *archive, double *const *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) { cairn_archive_double(archive, figures[i], -FIGURE_MAX, FIGURE_MAX); }
}
#define WALK_FIGURES(archive, ...)                                                                                     \
    walk_figures((archive), (double *const[]){__VA_ARGS__}, sizeof((double *const[]){__VA_ARGS__}) / sizeof(double *))

static void walk_pose3(cairn_archive *archive, cairn_pose3 *pose)
{
    WALK_FIGURES(archive, &pose->at_m.x, &pose->at_m.y, &pose->at_m.z);
    WALK_FIGURES(archive, &pose->turn.w, &pose->turn.x, &pose->turn.y, &pose->turn.z);
}

static void walk_sensors(cairn_archive *archive, cairn_body_description *body)
{
    cairn_archive_bool(archive, &body->bumper_offered);
    cairn_archive_bool(archive, &body->encoders.offered);
    WALK_FIGURES(archive, &body->encoders.ticks_per_turn, &body->encoders.rate_hz, &body->encoders.slip_noise);
    cairn_imu_description *imu = &body->imu;
    cairn_archive_bool(archive, &imu->offered);
    walk_pose3(archive, &imu->base_T_imu);
    WALK_FIGURES(archive, &imu->rate_hz, &imu->turn_noise_radps, &imu->turn_bias_radps,
                 &imu->turn_bias_walk_radps_per_sqrt_s, &imu->accel_noise_mps2);
    cairn_laser_description *laser = &body->laser;
    cairn_archive_bool(archive, &laser->offered);
    walk_pose3(archive, &laser->base_T_laser);
    cairn_archive_u32(archive, &laser->beam_count);
    WALK_FIGURES(archive, &laser->field_rad, &laser->rate_hz, &laser->range_m_min, &laser->range_m_max, &laser->noise_m,
                 &laser->dropout, &laser->spin_rad, &laser->delay_s);
    cairn_thermal_description *thermal = &body->thermal;
    cairn_archive_bool(archive, &thermal->offered);
    cairn_archive_double(archive, &thermal->base_T_camera.at_m.x, -10, 10); // the station works with these
    cairn_archive_double(archive, &thermal->base_T_camera.at_m.y, -10, 10);
    cairn_archive_double(archive, &thermal->base_T_camera.at_m.z, -10, 10);
    WALK_FIGURES(archive, &thermal->base_T_camera.turn.w, &thermal->base_T_camera.turn.x,
                 &thermal->base_T_camera.turn.y, &thermal->base_T_camera.turn.z);
    cairn_archive_u32(archive, &thermal->width_px);
    cairn_archive_u32(archive, &thermal->height_px);
    WALK_FIGURES(archive, &thermal->field_rad, &thermal->rate_hz, &thermal->noise_k, &thermal->delay_s);
    cairn_archive_bool(archive, &body->battery.offered);
    WALK_FIGURES(archive, &body->battery.capacity_wh, &body->battery.voltage_v_full, &body->battery.voltage_v_empty,
                 &body->battery.idle_w);
}

static void walk_body(cairn_archive *archive, cairn_body_description *body)
{
    cairn_archive_bytes(archive, body->name, sizeof body->name);
    if (cairn_archive_loads(archive)) { body->name[sizeof body->name - 1] = '\0'; }
    WALK_FIGURES(archive, &body->length_m, &body->width_m, &body->height_m, &body->clearance_m, &body->mass_kg);
    WALK_FIGURES(archive, &body->mass_centre_m.x, &body->mass_centre_m.y, &body->mass_centre_m.z);
    WALK_FIGURES(archive, &body->head_centre_m.x, &body->head_centre_m.y, &body->head_centre_m.z);
    WALK_FIGURES(archive, &body->head_size_m.x, &body->head_size_m.y, &body->head_size_m.z);
    uint8_t drive = (uint8_t)body->drive;
    cairn_archive_u8(archive, &drive, CAIRN_DRIVE_VELOCITY);
    if (cairn_archive_loads(archive)) { body->drive = (cairn_drive_command)drive; }
    cairn_archive_i64(archive, &body->watchdog_ns);
    cairn_archive_double(archive, &body->cpu_factor, -FIGURE_MAX, FIGURE_MAX);
    cairn_wheels_description *wheels = &body->wheels;
    WALK_FIGURES(archive, &wheels->radius_m, &wheels->width_m, &wheels->track_m, &wheels->wheelbase_m,
                 &wheels->torque_nm_max, &wheels->speed_radps_max, &wheels->turn_efficiency,
                 &wheels->rotor_inertia_kgm2);
    walk_sensors(archive, body);
    cairn_body_limits *limits = &body->limits;
    WALK_FIGURES(archive, &limits->speed_mps_max, &limits->turn_radps_max, &limits->accel_mps2_max,
                 &limits->turn_accel_radps2_max, &limits->tilt_rad_max, &limits->climb_rad_max);
}

static void *take(setup_walk *walk, size_t size_bytes)
{
    void *taken = cairn_arena_take(walk->arena, 1, size_bytes);
    if (taken == NULL) { walk->err = CAIRN_ERR_FULL; }
    return taken;
}

// Names are shown to people and stand in events.
static void walk_name(setup_walk *walk, const char **name)
{
    const bool loads = cairn_archive_loads(&walk->archive);
    uint32_t size_bytes = loads ? 0 : (uint32_t)strlen(*name);
    cairn_archive_count(&walk->archive, &size_bytes, CAIRN_SETUP_NAME_BYTES_MAX);
    if (!loads) {
        cairn_archive_bytes(&walk->archive, (void *)*name, size_bytes); // only read
        return;
    }
    char *taken = take(walk, CAIRN_SETUP_NAME_BYTES_MAX + 1);
    if (taken == NULL) { return; }
    cairn_archive_bytes(&walk->archive, taken, size_bytes);
    cairn_events_make_readable(taken);
    if (size_bytes == 0 || strlen(taken) != size_bytes) { cairn_archive_fail(&walk->archive); }
    *name = taken;
}

static void walk_robot(setup_walk *walk, cairn_station_robot_def *robot)
{
    cairn_archive *archive = &walk->archive;
    cairn_archive_u8(archive, &robot->id, 250);
    walk_name(walk, &robot->name);
    if (walk->err != CAIRN_OK) { return; }
    cairn_archive_double(archive, &robot->map_T_start.x_m, -START_M_MAX, START_M_MAX);
    cairn_archive_double(archive, &robot->map_T_start.y_m, -START_M_MAX, START_M_MAX);
    cairn_archive_double(archive, &robot->map_T_start.yaw_rad, -7.0, 7.0);
    cairn_archive_u8(archive, &robot->mode, CAIRN_MODE_COUNT - 1);
    if (robot->id == 0 || robot->mode == CAIRN_MODE_STOPPED) { cairn_archive_fail(archive); }
    if (!cairn_archive_loads(archive)) {
        walk_body(archive, (cairn_body_description *)robot->description); // only read
        return;
    }
    cairn_body_description *body = take(walk, sizeof *body);
    if (body != NULL) { walk_body(archive, body); }
    robot->description = body;
}

static void walk_raster(cairn_archive *archive, cairn_raster_def *raster)
{
    cairn_archive_double(archive, &raster->origin_m.x, -START_M_MAX, START_M_MAX);
    cairn_archive_double(archive, &raster->origin_m.y, -START_M_MAX, START_M_MAX);
    cairn_archive_double(archive, &raster->cell_m, 0.02, 1.0);
    cairn_archive_count(archive, &raster->width, 20000);
    cairn_archive_count(archive, &raster->height, 20000);
    cairn_archive_i8(archive, &raster->vote_obstacle);
    cairn_archive_i8(archive, &raster->vote_free);
    int8_t limit = 9; // once a bound on votes; setups are still told apart by it
    cairn_archive_i8(archive, &limit);
    const uint64_t cells = (uint64_t)raster->width * raster->height;
    const bool votes = raster->vote_obstacle > 0 && raster->vote_free < 0 && limit > 0;
    if (cells == 0 || cells > CAIRN_SETUP_RASTER_CELLS_MAX || !votes) { cairn_archive_fail(archive); }
}

// Nothing is surer than 0.1 mm and 0.01 mrad: the graph of places must be solvable.
static void walk_places(cairn_archive *archive, cairn_places_def *places)
{
    cairn_archive_double(archive, &places->apart_m, 0.01, 100);
    cairn_archive_double(archive, &places->apart_rad, 0.01, 100);
    cairn_archive_double(archive, &places->start_m_dev, 1e-4, 100);
    cairn_archive_double(archive, &places->start_rad_dev, 1e-5, 10);
    cairn_archive_double(archive, &places->edge_m_dev_min, 1e-4, 100);
    cairn_archive_double(archive, &places->edge_rad_dev_min, 1e-5, 10);
}

static void walk_sight(cairn_archive *archive, cairn_sight *sight)
{
    cairn_archive_double(archive, &sight->field_rad, 0.01, 6.3);
    cairn_archive_double(archive, &sight->range_m_min, 0, 100);
    cairn_archive_double(archive, &sight->range_m_max, 0.1, 100);
    if (sight->range_m_max <= sight->range_m_min) { cairn_archive_fail(archive); }
}

static void walk_tasking(cairn_archive *archive, cairn_tasking_def *tasking)
{
    cairn_archive_double(archive, &tasking->robot_radius_m, 0.01, 10);
    cairn_archive_double(archive, &tasking->turn_radius_m, 0.01, 10);
    walk_sight(archive, &tasking->thermal);
    walk_sight(archive, &tasking->look);
    cairn_archive_double(archive, &tasking->apart_m, 0, 1000);
    cairn_archive_count(archive, &tasking->frontier_cells_min, 1000000);
    cairn_archive_count(archive, &tasking->unseen_cells_min, 1000000);
}

static void walk_def(setup_walk *walk, cairn_station_def *def, uint8_t version)
{
    cairn_archive *archive = &walk->archive;
    cairn_archive_section(archive, "setup");
    cairn_archive_count(archive, &def->robot_count, CAIRN_FLEET_MAX);
    bool taken[256] = {false};
    for (uint32_t i = 0; i < def->robot_count && walk->err == CAIRN_OK; i++) {
        walk_robot(walk, &def->robots[i]);
        if (taken[def->robots[i].id]) { cairn_archive_fail(archive); }
        taken[def->robots[i].id] = true;
    }
    walk_raster(archive, &def->raster);
    walk_tasking(archive, &def->tasking);
    if (version >= 2) { walk_places(archive, &def->places); }
    if (def->tasking.robot_radius_m > RADIUS_CELLS_MAX * def->raster.cell_m) { cairn_archive_fail(archive); }
}

cairn_err cairn_station_setup_encode(const cairn_station_def *def, uint8_t *ret_bytes, size_t max, size_t *ret_size)
{
    setup_walk walk = {.err = CAIRN_OK};
    cairn_station_def copy = *def;
    cairn_archive_save(&walk.archive, ret_bytes, max);
    uint8_t version = CAIRN_SETUP_VERSION;
    cairn_archive_u8(&walk.archive, &version, UINT8_MAX);
    walk_def(&walk, &copy, CAIRN_SETUP_VERSION);
    if (walk.archive.err == CAIRN_ERR_FULL) { return CAIRN_ERR_FULL; }
    _Alignas(16) uint8_t block[CAIRN_SETUP_MEMORY_BYTES];
    cairn_arena arena;
    cairn_arena_init(&arena, block, sizeof block);
    if (cairn_station_setup_decode(ret_bytes, walk.archive.at_bytes, &arena, &copy) != CAIRN_OK) {
        return CAIRN_ERR_INVALID;
    }
    *ret_size = walk.archive.at_bytes;
    return CAIRN_OK;
}

cairn_err cairn_station_setup_decode(const uint8_t *bytes, size_t size, cairn_arena *arena, cairn_station_def *ret_def)
{
    if (size == 0 || size > CAIRN_SETUP_BYTES_MAX || bytes[0] == 0) { return CAIRN_ERR_CORRUPT; }
    if (bytes[0] > CAIRN_SETUP_VERSION) { return CAIRN_ERR_UNSUPPORTED; }
    const size_t mark = cairn_arena_mark(arena);
    setup_walk walk = {.arena = arena};
    cairn_station_def def = cairn_station_def_default();
    cairn_archive_load(&walk.archive, bytes + 1, size - 1);
    walk_def(&walk, &def, bytes[0]);
    const cairn_err err = walk.err != CAIRN_OK ? walk.err : cairn_archive_end(&walk.archive);
    if (err != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return err;
    }
    *ret_def = def;
    return CAIRN_OK;
}

uint64_t cairn_station_setup_hash(const cairn_station_def *def)
{
    setup_walk walk = {.err = CAIRN_OK};
    cairn_station_def copy = *def;
    cairn_archive_hash(&walk.archive);
    walk_def(&walk, &copy, CAIRN_SETUP_VERSION);
    return cairn_archive_hash_value(&walk.archive);
}

cairn_err cairn_station_setup_go_on(const uint8_t *kept, size_t size, cairn_arena *arena, cairn_station_def *def)
{
    cairn_station_def began, now = *def;
    const cairn_err err = cairn_station_setup_decode(kept, size, arena, &began);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < now.robot_count && i < began.robot_count; i++) {
        now.robots[i].mode = began.robots[i].mode;
    }
    if (cairn_station_setup_hash(&began) != cairn_station_setup_hash(&now)) { return CAIRN_ERR_INVALID; }
    *def = now;
    return CAIRN_OK;
}
