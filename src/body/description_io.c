// Mounts are written as a place and roll, pitch, yaw in degrees, and kept as poses: so the file is read into a
// struct of its own, checked as a whole, and turned over into the description.
#include "body/description_io.h"
#include "base/config/config.h"

typedef struct mount {
    cairn_vec3 at_m;
    cairn_rpy turn;
} mount;

typedef struct head_section {
    cairn_vec3 centre_m, size_m;
} head_section;

typedef struct imu_section {
    cairn_imu_description imu;
    mount mount;
} imu_section;

typedef struct laser_section {
    cairn_laser_description laser;
    mount mount;
    uint32_t line;
} laser_section;

typedef struct thermal_section {
    cairn_thermal_description thermal;
    mount mount;
    uint32_t line;
} thermal_section;

typedef struct battery_section {
    cairn_battery_description battery;
    uint32_t line;
} battery_section;

typedef struct robot_file {
    cairn_body_description body; // all that needs no turning over
    head_section head;
    uint32_t drive;
    imu_section imu;
    laser_section laser;
    thermal_section thermal;
    battery_section battery;
} robot_file;

#define MS_TO_NS 1e6
#define MS_TO_S 1e-3
#define PERCENT 0.01

static const cairn_config_field mount_fields[] = {
    CAIRN_CONFIG_VECTOR(mount, at_m, "at_m", "m", -3, 3, .help = "where it sits, in base: forward, left, up"),
    CAIRN_CONFIG_VECTOR(mount, turn, "turn_deg", "degrees", -180, 180, .factor = CAIRN_CONFIG_DEG, .fallback = "0 0 0",
                        .help = "roll, pitch, yaw"),
};
static const cairn_config_schema mount_schema = CAIRN_CONFIG_SCHEMA(mount, mount_fields);

static const cairn_config_field head_fields[] = {
    CAIRN_CONFIG_VECTOR(head_section, centre_m, "centre_m", "m", -2, 2, .help = "middle of the box, in base"),
    CAIRN_CONFIG_VECTOR(head_section, size_m, "size_m", "m", 0.01, 2, .help = "length, width, height"),
};
static const cairn_config_schema head_schema = CAIRN_CONFIG_SCHEMA(head_section, head_fields);

static const cairn_config_field wheels_fields[] = {
    CAIRN_CONFIG_REAL(cairn_wheels_description, radius_m, "radius_m", "m", 0.01, 1, .help = "of a wheel"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, width_m, "width_m", "m", 0.005, 1, .help = "of a wheel"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, track_m, "track_m", "m", 0.05, 3,
                      .help = "between the middles of left and right wheels"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, wheelbase_m, "wheelbase_m", "m", 0.05, 3,
                      .help = "between front and rear axles"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, torque_nm_max, "torque_nm_max", "N m", 0.01, 1000,
                      .help = "of one wheel"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, speed_radps_max, "speed_radps_max", "rad/s", 0.1, 500,
                      .help = "of one wheel"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, turn_efficiency, "turn_efficiency", NULL, 0.05, 1,
                      .help = "true turn over the turn of ideal wheels"),
    CAIRN_CONFIG_REAL(cairn_wheels_description, rotor_inertia_kgm2, "rotor_inertia_kgm2", "kg m2", 1e-6, 10,
                      .help = "of one wheel with its motor"),
};
static const cairn_config_schema wheels_schema = CAIRN_CONFIG_SCHEMA(cairn_wheels_description, wheels_fields);

static const cairn_config_field encoder_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_encoder_description, offered),
    CAIRN_CONFIG_REAL(cairn_encoder_description, rate_hz, "rate_hz", "Hz", 1, 1000, .help = "frames a second"),
    CAIRN_CONFIG_REAL(cairn_encoder_description, ticks_per_turn, "ticks_per_turn", NULL, 1, 1e7,
                      .help = "of the wheel, all edges counted"),
    CAIRN_CONFIG_REAL(cairn_encoder_description, slip_noise, "slip_noise", NULL, 0, 1,
                      .help = "deviation of a wheel's slip over one metre"),
};
static const cairn_config_schema encoder_schema = CAIRN_CONFIG_SCHEMA(cairn_encoder_description, encoder_fields);

static const cairn_config_field imu_fields[] = {
    CAIRN_CONFIG_PRESENT(imu_section, imu.offered),
    CAIRN_CONFIG_RECORD(imu_section, mount, "mount", &mount_schema, .help = "where it sits"),
    CAIRN_CONFIG_REAL(imu_section, imu.rate_hz, "rate_hz", "Hz", 1, 2000, .help = "frames a second"),
    CAIRN_CONFIG_REAL(imu_section, imu.turn_noise_radps, "turn_noise_radps", "rad/s", 0, 1,
                      .help = "deviation of a reading"),
    CAIRN_CONFIG_REAL(imu_section, imu.turn_bias_radps, "turn_bias_radps", "rad/s", 0, 1,
                      .help = "deviation of the bias at power-up"),
    CAIRN_CONFIG_REAL(imu_section, imu.turn_bias_walk_radps_per_sqrt_s, "turn_bias_walk_radps_per_sqrt_s",
                      "rad/s per root of a second", 0, 1, .help = "how fast the bias wanders"),
    CAIRN_CONFIG_REAL(imu_section, imu.accel_noise_mps2, "accel_noise_mps2", "m/s2", 0, 10,
                      .help = "deviation of a reading"),
};
static const cairn_config_schema imu_schema = CAIRN_CONFIG_SCHEMA(imu_section, imu_fields);

static const cairn_config_field laser_fields[] = {
    CAIRN_CONFIG_PRESENT(laser_section, laser.offered),
    CAIRN_CONFIG_LINE(laser_section, line),
    CAIRN_CONFIG_RECORD(laser_section, mount, "mount", &mount_schema, .help = "where it sits"),
    CAIRN_CONFIG_INTEGER(laser_section, laser.beam_count, "beam_count", "beams", 2, CAIRN_SCAN_BEAMS_MAX,
                         .help = "in one scan"),
    CAIRN_CONFIG_REAL(laser_section, laser.field_rad, "field_deg", "degrees", 1, 360, .factor = CAIRN_CONFIG_DEG,
                      .help = "from the first beam to the last"),
    CAIRN_CONFIG_REAL(laser_section, laser.rate_hz, "rate_hz", "Hz", 0.1, 200, .help = "scans a second"),
    CAIRN_CONFIG_REAL(laser_section, laser.range_m_min, "range_m_min", "m", 0, 10, .help = "nearest it can see"),
    CAIRN_CONFIG_REAL(laser_section, laser.range_m_max, "range_m_max", "m", 0.1, 500, .help = "farthest it can see"),
    CAIRN_CONFIG_REAL(laser_section, laser.noise_m, "noise_m", "m", 0, 1, .help = "deviation of a range"),
    CAIRN_CONFIG_REAL(laser_section, laser.dropout, "dropout_pct", "%", 0, 100, .factor = PERCENT,
                      .help = "beams that return nothing"),
    CAIRN_CONFIG_REAL(laser_section, laser.spin_rad, "spin_deg", "degrees", 1, 360, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "360", .help = "turn of the mirror in one period"),
    CAIRN_CONFIG_REAL(laser_section, laser.delay_s, "delay_ms", "ms", 0, 1000, .factor = MS_TO_S,
                      .help = "from the last beam to arrival"),
};
static const cairn_config_schema laser_schema = CAIRN_CONFIG_SCHEMA(laser_section, laser_fields);

static const cairn_config_field thermal_fields[] = {
    CAIRN_CONFIG_PRESENT(thermal_section, thermal.offered),
    CAIRN_CONFIG_LINE(thermal_section, line),
    CAIRN_CONFIG_RECORD(thermal_section, mount, "mount", &mount_schema, .help = "where it sits"),
    CAIRN_CONFIG_INTEGER(thermal_section, thermal.width_px, "width_px", "pixels", 4, 640, .help = "columns"),
    CAIRN_CONFIG_INTEGER(thermal_section, thermal.height_px, "height_px", "pixels", 4, 480, .help = "rows"),
    CAIRN_CONFIG_REAL(thermal_section, thermal.field_rad, "field_deg", "degrees", 1, 160, .factor = CAIRN_CONFIG_DEG,
                      .help = "horizontal"),
    CAIRN_CONFIG_REAL(thermal_section, thermal.rate_hz, "rate_hz", "Hz", 0.1, 100, .help = "pictures a second"),
    CAIRN_CONFIG_REAL(thermal_section, thermal.noise_k, "noise_k", "K", 0, 10, .help = "deviation of a pixel"),
    CAIRN_CONFIG_REAL(thermal_section, thermal.delay_s, "delay_ms", "ms", 0, 1000, .factor = MS_TO_S,
                      .help = "from taking to arrival"),
};
static const cairn_config_schema thermal_schema = CAIRN_CONFIG_SCHEMA(thermal_section, thermal_fields);

static const cairn_config_field battery_fields[] = {
    CAIRN_CONFIG_PRESENT(battery_section, battery.offered),
    CAIRN_CONFIG_LINE(battery_section, line),
    CAIRN_CONFIG_REAL(battery_section, battery.capacity_wh, "capacity_wh", "Wh", 0.1, 100000, .help = "when full"),
    CAIRN_CONFIG_REAL(battery_section, battery.voltage_v_full, "voltage_v_full", "V", 1, 1000, .help = "when full"),
    CAIRN_CONFIG_REAL(battery_section, battery.voltage_v_empty, "voltage_v_empty", "V", 1, 1000, .help = "when empty"),
    CAIRN_CONFIG_REAL(battery_section, battery.idle_w, "idle_w", "W", 0, 10000, .help = "standing still"),
};
static const cairn_config_schema battery_schema = CAIRN_CONFIG_SCHEMA(battery_section, battery_fields);

static const cairn_config_field limits_fields[] = {
    CAIRN_CONFIG_REAL(cairn_body_limits, speed_mps_max, "speed_mps_max", "m/s", 0.01, 10, .help = "on flat ground"),
    CAIRN_CONFIG_REAL(cairn_body_limits, turn_radps_max, "turn_radps_max", "rad/s", 0.01, 20, .help = "on the spot"),
    CAIRN_CONFIG_REAL(cairn_body_limits, accel_mps2_max, "accel_mps2_max", "m/s2", 0.01, 50,
                      .help = "speeding up and braking"),
    CAIRN_CONFIG_REAL(cairn_body_limits, turn_accel_radps2_max, "turn_accel_radps2_max", "rad/s2", 0.01, 200,
                      .help = "of the turn"),
    CAIRN_CONFIG_REAL(cairn_body_limits, tilt_rad_max, "tilt_deg_max", "degrees", 1, 90, .factor = CAIRN_CONFIG_DEG,
                      .help = "the tilt guard stops the wheels beyond it"),
    CAIRN_CONFIG_REAL(cairn_body_limits, climb_rad_max, "climb_deg_max", "degrees", 0, 60, .factor = CAIRN_CONFIG_DEG,
                      .help = "steepest ramp it is meant for"),
    CAIRN_CONFIG_REAL(cairn_body_limits, step_m_max, "step_m_max", "m", 0, 1, .fallback = "0.03",
                      .help = "highest kerb it is meant for"),
    CAIRN_CONFIG_REAL(cairn_body_limits, gap_m_max, "gap_m_max", "m", 0, 2, .fallback = "0.05",
                      .help = "widest gap it is meant for"),
};
static const cairn_config_schema limits_schema = CAIRN_CONFIG_SCHEMA(cairn_body_limits, limits_fields);

static const char *const drive_words[] = {
    [CAIRN_DRIVE_TORQUE] = "torque", [CAIRN_DRIVE_VELOCITY] = "velocity", [CAIRN_DRIVE_VELOCITY + 1] = NULL};

static const cairn_config_field robot_fields[] = {
    CAIRN_CONFIG_TEXT(robot_file, body.name, "name", .help = "of this kind of robot"),
    CAIRN_CONFIG_REAL(robot_file, body.length_m, "length_m", "m", 0.05, 5, .help = "outer box, wheels included"),
    CAIRN_CONFIG_REAL(robot_file, body.width_m, "width_m", "m", 0.05, 5, .help = "outer box, wheels included"),
    CAIRN_CONFIG_REAL(robot_file, body.height_m, "height_m", "m", 0.02, 5, .help = "outer box, head included"),
    CAIRN_CONFIG_REAL(robot_file, body.clearance_m, "clearance_m", "m", 0, 2, .help = "below the hull"),
    CAIRN_CONFIG_REAL(robot_file, body.mass_kg, "mass_kg", "kg", 0.1, 2000, .help = "all in all"),
    CAIRN_CONFIG_VECTOR(robot_file, body.mass_centre_m, "mass_centre_m", "m", -3, 3, .help = "in base"),
    CAIRN_CONFIG_RECORD(robot_file, head, "head", &head_schema, .fallback = "none"),
    CAIRN_CONFIG_CHOICE(robot_file, drive, "drive", drive_words, .help = "what its motors take"),
    CAIRN_CONFIG_INTEGER(robot_file, body.watchdog_ns, "watchdog_ms", "ms", 20, 2000, .factor = MS_TO_NS,
                         .help = "the base stops by itself when its last order is older"),
    CAIRN_CONFIG_REAL(robot_file, body.cpu_factor, "cpu_factor", NULL, 0.05, 50, .fallback = "1",
                      .help = "time that its computer takes, over the reference's"),
    CAIRN_CONFIG_RECORD(robot_file, body.wheels, "wheels", &wheels_schema, .help = "what it drives on"),
    CAIRN_CONFIG_RECORD(robot_file, body.encoders, "encoders", &encoder_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, imu, "imu", &imu_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, laser, "laser", &laser_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, thermal, "thermal", &thermal_schema, .fallback = "none"),
    CAIRN_CONFIG_BOOL(robot_file, body.bumper_offered, "bumper", .fallback = "false"),
    CAIRN_CONFIG_RECORD(robot_file, battery, "battery", &battery_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, body.limits, "limits", &limits_schema, .help = "what may be asked of it"),
};
static const cairn_config_schema robot_schema = CAIRN_CONFIG_SCHEMA(robot_file, robot_fields);

static cairn_pose3 pose_of(const mount *from)
{
    return (cairn_pose3){.at_m = from->at_m, .turn = cairn_quat_from_rpy(from->turn)};
}

// What no single field can tell.
static void check_whole(const robot_file *file, const char *path, cairn_complaints *complaints)
{
    const cairn_laser_description *laser = &file->laser.laser;
    if (laser->offered && laser->range_m_min >= laser->range_m_max) {
        cairn_complain(complaints, path, file->laser.line, "laser: range_m_min must be below range_m_max");
    }
    if (laser->offered && laser->field_rad > laser->spin_rad) {
        cairn_complain(complaints, path, file->laser.line, "laser: field_deg must not exceed spin_deg");
    }
    const cairn_thermal_description *thermal = &file->thermal.thermal;
    if (thermal->offered && thermal->width_px * thermal->height_px > CAIRN_THERMAL_PIXELS_MAX) {
        cairn_complain(complaints, path, file->thermal.line, "thermal: %u x %u pixels; at most %d in all",
                       thermal->width_px, thermal->height_px, CAIRN_THERMAL_PIXELS_MAX);
    }
    const cairn_battery_description *battery = &file->battery.battery;
    if (battery->offered && battery->voltage_v_empty >= battery->voltage_v_full) {
        cairn_complain(complaints, path, file->battery.line, "battery: voltage_v_empty must be below voltage_v_full");
    }
}

cairn_err cairn_body_description_read(const char *path, cairn_complaints *complaints,
                                      cairn_body_description *ret_description)
{
    robot_file file;
    const cairn_err err = cairn_config_read(path, &robot_schema, NULL, complaints, &file);
    if (err != CAIRN_OK) { return err; }
    const uint32_t complaint_count = complaints->count;
    check_whole(&file, path, complaints);
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }

    cairn_body_description description = file.body;
    description.head_centre_m = file.head.centre_m;
    description.head_size_m = file.head.size_m;
    description.drive = (cairn_drive_command)file.drive;
    description.imu = file.imu.imu;
    description.imu.base_T_imu = pose_of(&file.imu.mount);
    description.laser = file.laser.laser;
    description.laser.base_T_laser = pose_of(&file.laser.mount);
    description.thermal = file.thermal.thermal;
    description.thermal.base_T_camera = pose_of(&file.thermal.mount);
    description.battery = file.battery.battery;
    *ret_description = description;
    return CAIRN_OK;
}
