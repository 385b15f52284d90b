#include "rig.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GRAVITY 9.80665

cairn_body_description rig_description(void)
{
    return (cairn_body_description){
        .name = "bench",
        .length_m = 0.52,
        .width_m = 0.44,
        .height_m = 0.35,
        .clearance_m = 0.06,
        .mass_kg = 18.0,
        .drive = CAIRN_DRIVE_TORQUE,
        .watchdog_ns = CAIRN_MS(200),
        .cpu_factor = 1.0,
        .bumper_offered = true,
        .wheels = {.radius_m = 0.12,
                   .width_m = 0.06,
                   .track_m = 0.38,
                   .wheelbase_m = 0.28,
                   .torque_nm_max = 8.0,
                   .speed_radps_max = 12.0,
                   .turn_efficiency = 0.58,
                   .rotor_inertia_kgm2 = 0.01},
        .encoders = {.offered = true, .ticks_per_turn = 4096.0, .rate_hz = 125.0},
        .imu = {.offered = true, .base_T_imu = {{0, 0, 0.1}, {1, 0, 0, 0}}, .rate_hz = 125.0},
        .laser = {.offered = true,
                  .base_T_laser = {{0.12, 0.0, 0.28}, {1, 0, 0, 0}},
                  .beam_count = 1081,
                  .field_rad = 1.5 * CAIRN_PI,
                  .rate_hz = 40.0,
                  .range_m_min = 0.05,
                  .range_m_max = 30.0,
                  .spin_rad = 2.0 * CAIRN_PI},
        .limits = {.accept_unseen_ground = true,
                   .speed_mps_max = 0.6,
                   .turn_radps_max = 1.5,
                   .accel_mps2_max = 1.0,
                   .turn_accel_radps2_max = 4.0,
                   .tilt_rad_max = 35.0 * CAIRN_PI / 180.0,
                   .climb_rad_max = 20.0 * CAIRN_PI / 180.0},
    };
}

void rig_init(rig *bench, const cairn_body_description *description)
{
    *bench = (rig){.description = *description, .inertia_factor = 1.0};
    bench->target.issued.ns = -CAIRN_S(10); // nobody has told the base anything
    assert_int_equal(cairn_arena_create(&bench->arena, 1 << 21), CAIRN_OK);
    assert_int_equal(cairn_body_create(&bench->description, &bench->arena, &bench->body), CAIRN_OK);
    bench->memory.to_reflex = cairn_arena_take(&bench->arena, 1, cairn_reflex_memory_bytes_to());
    bench->memory.from_reflex = cairn_arena_take(&bench->arena, 1, cairn_reflex_memory_bytes_from());
    assert_int_equal(cairn_reflex_cells_attach(bench->memory, &bench->arena, &bench->cells), CAIRN_OK);
    cairn_arena_seal(&bench->arena);
    rig_restart(bench);
}

void rig_restart(rig *bench)
{
    cairn_reflex_cells cells;
    cairn_arena_destroy(&bench->reflex_arena);
    assert_int_equal(cairn_arena_create(&bench->reflex_arena, 1 << 19), CAIRN_OK);
    assert_int_equal(cairn_reflex_cells_attach(bench->memory, &bench->reflex_arena, &cells), CAIRN_OK);
    assert_int_equal(cairn_reflex_create(&bench->body, &cells, &bench->reflex_arena, &bench->reflex), CAIRN_OK);
    cairn_arena_seal(&bench->reflex_arena);
}

void rig_finish(rig *bench)
{
    cairn_arena_destroy(&bench->reflex_arena);
    cairn_arena_destroy(&bench->arena);
}

// The base's own brake, as a friction: half of the motors' torque.
static double brake_nm(const rig *bench)
{
    const bool old = cairn_mono_since(bench->now, bench->target.issued) > bench->description.watchdog_ns;
    return bench->base_brakes && old ? 0.5 * bench->description.wheels.torque_nm_max : 0.0;
}

// One wheel over dt: motor torque, the slope's pull and friction that never drives.
static void turn_wheel(rig *bench, int i, double torque_nm, double dt)
{
    const cairn_body_description *of = &bench->description;
    const double radius = of->wheels.radius_m;
    const double load_kg = bench->lifted ? 0.0 : of->mass_kg / CAIRN_WHEELS_MAX;
    const double inertia = bench->inertia_factor * (of->wheels.rotor_inertia_kgm2 + load_kg * radius * radius);
    const double pull = load_kg * GRAVITY * sin(bench->slope_rad) * radius;
    const double brake = brake_nm(bench), before = bench->wheel_radps[i];
    double after = before + ((brake > 0.0 ? 0.0 : torque_nm) - pull) / inertia * dt;
    const double drag = (bench->friction_nm + brake) / inertia * dt;
    after = fabs(after) <= drag ? 0.0 : after - copysign(drag, after);
    if (bench->blocked[i]) { after = 0.0; }
    bench->wheel_radps[i] = after;
    bench->wheel_rad[i] += 0.5 * (before + after) * dt;
}

static double left_mps(const rig *bench)
{
    return 0.5 * (bench->wheel_radps[0] + bench->wheel_radps[2]) * bench->description.wheels.radius_m;
}

static double right_mps(const rig *bench)
{
    return 0.5 * (bench->wheel_radps[1] + bench->wheel_radps[3]) * bench->description.wheels.radius_m;
}

static double forward_mps(const rig *bench) { return 0.5 * (left_mps(bench) + right_mps(bench)); }

static double turn_radps(const rig *bench)
{
    const cairn_wheels_description *wheels = &bench->description.wheels;
    return (right_mps(bench) - left_mps(bench)) * wheels->turn_efficiency / wheels->track_m;
}

static void move_world(rig *bench)
{
    const int parts = 8;
    const double dt = 0.008 / parts;
    const bool obeyed = bench->target.command == CAIRN_DRIVE_TORQUE;
    for (int part = 0; part < parts; part++) {
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
            turn_wheel(bench, i, obeyed ? bench->target.torque_nm[i] : 0.0, dt);
        }
        const double way = forward_mps(bench) * dt, angle = turn_radps(bench) * dt;
        if (!bench->lifted) {
            bench->truth.x_m += way * cos(bench->slope_rad) * cos(bench->truth.yaw_rad + 0.5 * angle);
            bench->truth.y_m += way * cos(bench->slope_rad) * sin(bench->truth.yaw_rad + 0.5 * angle);
            bench->truth.yaw_rad += angle;
        }
    }
}

static int64_t count(rig *bench, int i)
{
    const double ticks_per_turn = bench->description.encoders.ticks_per_turn;
    const int64_t ticks = (int64_t)floor(bench->wheel_rad[i] / (2.0 * CAIRN_PI) * ticks_per_turn);
    const int64_t more = ticks - bench->true_ticks[i];
    bench->true_ticks[i] = ticks;
    switch (bench->counts[i]) {
    case COUNT_TRUE: bench->ticks[i] += more; break;
    case COUNT_FROZEN: break;
    case COUNT_TREMBLING: bench->ticks[i] += bench->frame_count % 2 == 0 ? 1 : -1; break;
    case COUNT_ONE_WAY: bench->ticks[i] += more > 0 ? more : 0; break;
    case COUNT_HALF: bench->ticks[i] += more / 2; break;
    case COUNT_THIRD: bench->ticks[i] += more / 3; break;
    case COUNT_JUMPING: bench->ticks[i] += more + (bench->frame_count % 25 == 0 ? (int64_t)ticks_per_turn : 0); break;
    }
    return bench->ticks[i];
}

// An endless wall at wall_m, or emptiness.
static void scan(rig *bench)
{
    const cairn_laser_description *laser = &bench->description.laser;
    static cairn_scan_frame frame;
    frame = (cairn_scan_frame){.taken = bench->now, .beam_count = 181, .range_m_min = 0.05f, .range_m_max = 30.0f};
    frame.angle_rad_first = (float)(-0.5 * laser->field_rad);
    frame.angle_rad_step = (float)(laser->field_rad / (frame.beam_count - 1));
    const double yaw = bench->truth.yaw_rad, at_m = laser->base_T_laser.at_m.x;
    for (uint32_t i = 0; i < frame.beam_count; i++) {
        const double along = cos(yaw + (double)frame.angle_rad_first + i * (double)frame.angle_rad_step);
        const double range_m = (bench->wall_m - bench->truth.x_m - at_m * cos(yaw)) / along;
        const double noise_m = 0.001 * (double)((bench->frame_count + i) % 5);
        frame.range_m[i] = bench->wall_m > 0.0 && range_m > 0.0 ? (float)(range_m + noise_m) : INFINITY;
    }
    cairn_cell_write(bench->body.scan_reflex, &frame, sizeof frame);
}

static void speak(rig *bench, double accel_mps2)
{
    const cairn_body_description *of = &bench->description;
    if (of->encoders.offered && !bench->encoders_silent) {
        cairn_encoder_frame frame = {.taken = cairn_mono_add(bench->now, -bench->encoders_late_ns),
                                     .wheel_count = CAIRN_WHEELS_MAX};
        bench->frame_count++;
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { frame.ticks[i] = count(bench, i); }
        cairn_cell_write(bench->body.encoders_reflex, &frame, sizeof frame);
    }
    if (of->imu.offered && !bench->imu_silent) {
        const double turn = bench->lifted ? 0.0 : turn_radps(bench);
        const double flat = GRAVITY * cos(bench->slope_rad);
        const cairn_vec3 still = {GRAVITY * sin(bench->slope_rad), flat * sin(bench->roll_rad),
                                  flat * cos(bench->roll_rad)};
        const cairn_vec3 moving = {bench->lifted ? 0.0 : accel_mps2, forward_mps(bench) * turn, 0.0};
        cairn_imu_frame frame = {
            .turn_radps = {turn * sin(bench->slope_rad) + bench->level_bias_radps.x, bench->level_bias_radps.y,
                           turn * cos(bench->slope_rad) + bench->turn_bias_radps},
            .accel_mps2 = cairn_vec3_add(cairn_vec3_add(still, moving), bench->accel_extra_mps2),
        };
        const double noise = bench->imu_count++ % 2 == 0 ? 1.0 : -1.0;
        frame.turn_radps.x += noise * of->imu.turn_noise_radps;
        frame.accel_mps2.y += noise * of->imu.accel_noise_mps2;
        if (bench->gyro_frozen) { frame.turn_radps = bench->imu.turn_radps; }
        if (bench->accel_frozen) { frame.accel_mps2 = bench->imu.accel_mps2; }
        if (!bench->imu_frozen) { bench->imu = frame; }
        bench->imu.taken = cairn_mono_add(bench->now, -bench->imu_late_ns);
        cairn_cell_write(bench->body.imu_reflex, &bench->imu, sizeof bench->imu);
    }
    if (of->laser.offered && !bench->laser_silent && bench->now.ns / CAIRN_REFLEX_PERIOD_NS % 3 == 0) { scan(bench); }
    if (of->stop_button_offered && !bench->button_silent) {
        const cairn_button_frame frame = {.taken = bench->now, .pressed = bench->button_pressed};
        cairn_cell_write(bench->body.button_reflex, &frame, sizeof frame);
    }
    if (of->bumper_offered && !bench->bump_silent) {
        bench->bump.taken = bench->now;
        cairn_cell_write(bench->body.bump_reflex, &bench->bump, sizeof bench->bump);
    }
}

void rig_step(rig *bench)
{
    bench->now.ns += CAIRN_REFLEX_PERIOD_NS;
    const double before = forward_mps(bench);
    move_world(bench);
    speak(bench, (forward_mps(bench) - before) / 0.008);
    if (bench->command_every_period) {
        bench->command.issued = bench->now;
        cairn_cell_write(bench->cells.command, &bench->command, sizeof bench->command);
    }
    cairn_reflex_step(bench->reflex, bench->now);
    const cairn_motor_target *target = cairn_cell_latest(bench->body.motors, NULL);
    if (target != NULL) { bench->target = *target; }
    bench->state = *(const cairn_reflex_state *)cairn_cell_latest(bench->cells.state_deliberate, NULL);
}

void rig_wait(rig *bench, double seconds)
{
    bench->target = (cairn_motor_target){0};
    const int periods = (int)lround(seconds / 0.008);
    for (int i = 0; i < periods; i++) {
        bench->now.ns += CAIRN_REFLEX_PERIOD_NS;
        move_world(bench);
        speak(bench, 0.0);
    }
}

void rig_run(rig *bench, double seconds)
{
    const int periods = (int)lround(seconds / 0.008);
    for (int i = 0; i < periods; i++) { rig_step(bench); }
}

void rig_command(rig *bench, double forward, double turn)
{
    bench->command = (cairn_motion_command){.forward_mps = forward, .turn_radps = turn};
    bench->command_every_period = true;
}

void rig_stop(rig *bench, bool stop, uint32_t release_count)
{
    const cairn_stop_command command = {.issued = bench->now, .stop = stop, .release_count = release_count};
    cairn_cell_write(bench->cells.stop, &command, sizeof command);
}

bool rig_guarded(const rig *bench, cairn_guard guard) { return (bench->state.guards >> guard & 1u) != 0; }

double rig_fastest_wheel_radps(const rig *bench)
{
    double fastest = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { fastest = fmax(fastest, fabs(bench->wheel_radps[i])); }
    return fastest;
}

cairn_link_def rig_link_def(cairn_link_role role, uint8_t robot, uint64_t seed)
{
    cairn_link_def def = cairn_link_def_default();
    def.role = role;
    def.robot = robot;
    memset(def.key, 0x5a, sizeof def.key);
    cairn_random_init(&def.random, seed, role == CAIRN_LINK_ROBOT ? "robot" : "station");
    return def;
}
