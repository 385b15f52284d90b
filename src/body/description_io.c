// Mounts are written as a place and roll, pitch, yaw in degrees, and kept as poses: so the file is read into a
// struct of its own, checked as a whole, and turned over into the description.
#include "body/description_io.h"
#include "base/config/config.h"
#include <string.h>

typedef struct mount {
    cairn_vec3 at_m;
    cairn_rpy turn;
} mount;

typedef struct head_section {
    cairn_vec3 centre_m, size_m;
} head_section;

typedef struct wheels_section {
    cairn_wheels_description wheels;
    bool offered;
    uint32_t line;
} wheels_section;

// Of a belt where wheels_section has it of a wheel.
typedef struct tracks_section {
    cairn_wheels_description belt;
    bool offered;
} tracks_section;

typedef struct flippers_section {
    cairn_flippers_description flippers;
    uint32_t line;
} flippers_section;

typedef struct urdf_section {
    cairn_urdf_description urdf;
    uint32_t line;
} urdf_section;

typedef struct encoder_section {
    cairn_encoder_description encoders;
    uint32_t which;
} encoder_section;

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

typedef struct imager_section {
    cairn_range_imager_description imager;
    mount mount;
    uint32_t line;
} imager_section;

typedef struct range_item {
    cairn_range_sensor_description sensor;
    mount mount;
    uint32_t kind, line;
} range_item;

typedef struct gps_section {
    cairn_gps_description gps;
    mount mount;
} gps_section;

typedef struct magnetometer_section {
    cairn_magnetometer_description magnetometer;
    mount mount;
} magnetometer_section;

typedef struct battery_section {
    cairn_battery_description battery;
    uint32_t line;
} battery_section;

typedef struct robot_file {
    cairn_body_description body; // all that needs no turning over
    head_section head;
    uint32_t drive;
    wheels_section wheels;
    tracks_section tracks;
    flippers_section flippers;
    urdf_section urdf;
    encoder_section encoders;
    imu_section imu;
    laser_section laser;
    thermal_section thermal;
    imager_section imager;
    uint32_t range_count;
    range_item *ranges;
    gps_section gps;
    magnetometer_section magnetometer;
    battery_section battery;
} robot_file;

#define MS_TO_NS 1e6
#define MS_TO_S 1e-3
#define PERCENT 0.01
#define NOD_SCANS_MIN 10 // in a period: between two beams of a scan the nod is taken as even
#define LISTS_BYTES 16384
#define FLIPPERS_MASS_PART 0.5

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
    CAIRN_CONFIG_PRESENT(wheels_section, offered),
    CAIRN_CONFIG_LINE(wheels_section, line),
    CAIRN_CONFIG_REAL(wheels_section, wheels.radius_m, "radius_m", "m", 0.01, 1, .help = "of a wheel"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.width_m, "width_m", "m", 0.005, 1, .help = "of a wheel"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.track_m, "track_m", "m", 0.05, 3,
                      .help = "between the middles of left and right wheels"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.wheelbase_m, "wheelbase_m", "m", 0.05, 3,
                      .help = "between front and rear axles"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.torque_nm_max, "torque_nm_max", "N m", 0.01, 1000, .help = "of one wheel"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.speed_radps_max, "speed_radps_max", "rad/s", 0.1, 500,
                      .help = "of one wheel"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.turn_efficiency, "turn_efficiency", NULL, 0.05, 1,
                      .help = "true turn over the turn of ideal wheels"),
    CAIRN_CONFIG_REAL(wheels_section, wheels.rotor_inertia_kgm2, "rotor_inertia_kgm2", "kg m2", 1e-6, 10,
                      .help = "of one wheel with its motor"),
};
static const cairn_config_schema wheels_schema = CAIRN_CONFIG_SCHEMA(wheels_section, wheels_fields);

static const cairn_config_field tracks_fields[] = {
    CAIRN_CONFIG_PRESENT(tracks_section, offered),
    CAIRN_CONFIG_REAL(tracks_section, belt.radius_m, "radius_m", "m", 0.01, 1,
                      .help = "of the rollers at its ends, the belt included"),
    CAIRN_CONFIG_REAL(tracks_section, belt.width_m, "width_m", "m", 0.005, 1, .help = "of a belt"),
    CAIRN_CONFIG_REAL(tracks_section, belt.track_m, "track_m", "m", 0.05, 3,
                      .help = "between the middles of the left and the right belt"),
    CAIRN_CONFIG_REAL(tracks_section, belt.wheelbase_m, "length_m", "m", 0.05, 3,
                      .help = "between the axles of the end rollers"),
    CAIRN_CONFIG_REAL(tracks_section, belt.torque_nm_max, "torque_nm_max", "N m", 0.01, 1000,
                      .help = "of one belt's drive, at its roller"),
    CAIRN_CONFIG_REAL(tracks_section, belt.speed_radps_max, "speed_radps_max", "rad/s", 0.1, 500,
                      .help = "of the rollers"),
    CAIRN_CONFIG_REAL(tracks_section, belt.turn_efficiency, "turn_efficiency", NULL, 0.05, 1,
                      .help = "true turn over that of ideal belts"),
    CAIRN_CONFIG_REAL(tracks_section, belt.rotor_inertia_kgm2, "inertia_kgm2", "kg m2", 1e-6, 10,
                      .help = "of one belt with its motor and gears, about its roller"),
};
static const cairn_config_schema tracks_schema = CAIRN_CONFIG_SCHEMA(tracks_section, tracks_fields);

static const cairn_config_field flippers_fields[] = {
    CAIRN_CONFIG_PRESENT(flippers_section, flippers.offered),
    CAIRN_CONFIG_LINE(flippers_section, line),
    CAIRN_CONFIG_VECTOR(flippers_section, flippers.pivot_m, "pivot_m", "m", -2, 2,
                        .help = "their axle, in base: forward, up"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.track_m, "track_m", "m", 0.05, 3,
                      .help = "between the middles of the left and the right one"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.length_m, "length_m", "m", 0.02, 2,
                      .help = "from the pivot to the axle at the tip"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.radius_m, "radius_m", "m", 0.01, 1,
                      .help = "of the rollers at its ends, the belt included"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.width_m, "width_m", "m", 0.005, 1, .help = "of a flipper's belt"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.mass_kg, "mass_kg", "kg", 0.01, 200,
                      .help = "of one flipper; part of the robot's mass_kg"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.torque_nm_max, "torque_nm_max", "N m", 0.01, 2000,
                      .help = "of one flipper at its pivot"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.speed_radps_max, "speed_degps_max", "degrees/s", 1, 720,
                      .factor = CAIRN_CONFIG_DEG, .help = "of the pivot"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.angle_rad_min, "angle_deg_min", "degrees", -180, 180,
                      .factor = CAIRN_CONFIG_DEG, .help = "lowest angle: 0 level ahead, positive: tip up"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.angle_rad_max, "angle_deg_max", "degrees", -180, 180,
                      .factor = CAIRN_CONFIG_DEG, .help = "highest angle; 180: folded back"),
    CAIRN_CONFIG_REAL(flippers_section, flippers.angle_rad_start, "angle_deg_start", "degrees", -180, 180,
                      .factor = CAIRN_CONFIG_DEG, .help = "at power-up"),
};
static const cairn_config_schema flippers_schema = CAIRN_CONFIG_SCHEMA(flippers_section, flippers_fields);

static const cairn_config_field urdf_fields[] = {
    CAIRN_CONFIG_PRESENT(urdf_section, urdf.offered),
    CAIRN_CONFIG_LINE(urdf_section, line),
    CAIRN_CONFIG_TEXT(urdf_section, urdf.path, "file", .help = "relative to this file"),
    CAIRN_CONFIG_TEXT(urdf_section, urdf.wheel_joints[0], "front_left", .help = "the joint of that wheel"),
    CAIRN_CONFIG_TEXT(urdf_section, urdf.wheel_joints[1], "front_right", .help = "the joint of that wheel"),
    CAIRN_CONFIG_TEXT(urdf_section, urdf.wheel_joints[2], "rear_left", .help = "the joint of that wheel"),
    CAIRN_CONFIG_TEXT(urdf_section, urdf.wheel_joints[3], "rear_right", .help = "the joint of that wheel"),
    CAIRN_CONFIG_VECTOR(urdf_section, urdf.root_m, "root_m", "m", -3, 3, .fallback = "0 0 0",
                        .help = "where its root link's origin is, in base"),
};
static const cairn_config_schema urdf_schema = CAIRN_CONFIG_SCHEMA(urdf_section, urdf_fields);

enum { ENCODERS_ALL, ENCODERS_REAR };
static const char *const encoder_words[] = {
    [ENCODERS_ALL] = "all", [ENCODERS_REAR] = "rear", [ENCODERS_REAR + 1] = NULL};

static const cairn_config_field encoder_fields[] = {
    CAIRN_CONFIG_PRESENT(encoder_section, encoders.offered),
    CAIRN_CONFIG_CHOICE(encoder_section, which, "wheels", encoder_words, .fallback = "all",
                        .help = "which wheels have one"),
    CAIRN_CONFIG_REAL(encoder_section, encoders.rate_hz, "rate_hz", "Hz", 1, 1000, .help = "frames a second"),
    CAIRN_CONFIG_REAL(encoder_section, encoders.ticks_per_turn, "ticks_per_turn", NULL, 1, 1e7,
                      .help = "of the wheel, all edges counted"),
    CAIRN_CONFIG_REAL(encoder_section, encoders.slip_noise, "slip_noise", NULL, 0, 1,
                      .help = "deviation of a wheel's slip over one metre"),
};
static const cairn_config_schema encoder_schema = CAIRN_CONFIG_SCHEMA(encoder_section, encoder_fields);

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

static const cairn_config_field nod_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_nod_description, offered),
    CAIRN_CONFIG_REAL(cairn_nod_description, from_rad, "from_deg", "degrees", -60, 60, .factor = CAIRN_CONFIG_DEG,
                      .help = "one end of its nodding; positive looks down"),
    CAIRN_CONFIG_REAL(cairn_nod_description, to_rad, "to_deg", "degrees", -60, 60, .factor = CAIRN_CONFIG_DEG,
                      .help = "the other end"),
    CAIRN_CONFIG_REAL(cairn_nod_description, period_s, "period_s", "s", 0.2, 60, .help = "to and fro"),
};
static const cairn_config_schema nod_schema = CAIRN_CONFIG_SCHEMA(cairn_nod_description, nod_fields);

static const cairn_config_field pan_tilt_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_pan_tilt_description, offered),
    CAIRN_CONFIG_REAL(cairn_pan_tilt_description, pan_rad_max, "pan_deg", "degrees", 0, 180, .factor = CAIRN_CONFIG_DEG,
                      .help = "how far it turns to either side"),
    CAIRN_CONFIG_REAL(cairn_pan_tilt_description, tilt_rad_max, "tilt_deg", "degrees", 0, 90,
                      .factor = CAIRN_CONFIG_DEG, .help = "how far it turns up and down"),
    CAIRN_CONFIG_REAL(cairn_pan_tilt_description, speed_radps, "speed_degps", "degrees/s", 1, 1000,
                      .factor = CAIRN_CONFIG_DEG, .help = "of each axis"),
};
static const cairn_config_schema pan_tilt_schema = CAIRN_CONFIG_SCHEMA(cairn_pan_tilt_description, pan_tilt_fields);

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
    CAIRN_CONFIG_RECORD(laser_section, laser.nod, "nod", &nod_schema, .fallback = "none"),
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
    CAIRN_CONFIG_RECORD(thermal_section, thermal.pan_tilt, "pan_tilt", &pan_tilt_schema, .fallback = "none"),
};
static const cairn_config_schema thermal_schema = CAIRN_CONFIG_SCHEMA(thermal_section, thermal_fields);

static const cairn_config_field imager_fields[] = {
    CAIRN_CONFIG_PRESENT(imager_section, imager.offered),
    CAIRN_CONFIG_LINE(imager_section, line),
    CAIRN_CONFIG_RECORD(imager_section, mount, "mount", &mount_schema, .help = "where it sits"),
    CAIRN_CONFIG_INTEGER(imager_section, imager.width_px, "width_px", "pixels", 4, 160, .help = "columns"),
    CAIRN_CONFIG_INTEGER(imager_section, imager.height_px, "height_px", "pixels", 4, 120, .help = "rows"),
    CAIRN_CONFIG_REAL(imager_section, imager.field_rad, "field_deg", "degrees", 1, 160, .factor = CAIRN_CONFIG_DEG,
                      .help = "horizontal"),
    CAIRN_CONFIG_REAL(imager_section, imager.rate_hz, "rate_hz", "Hz", 0.1, 60, .help = "pictures a second"),
    CAIRN_CONFIG_REAL(imager_section, imager.range_m_min, "range_m_min", "m", 0, 10, .help = "nearest it can see"),
    CAIRN_CONFIG_REAL(imager_section, imager.range_m_max, "range_m_max", "m", 0.1, 60, .help = "farthest it can see"),
    CAIRN_CONFIG_REAL(imager_section, imager.noise_m, "noise_m", "m", 0, 1, .help = "deviation of a range of zero"),
    CAIRN_CONFIG_REAL(imager_section, imager.noise_m_per_m, "noise_m_per_m", NULL, 0, 1,
                      .help = "what a metre of range adds to the deviation"),
    CAIRN_CONFIG_REAL(imager_section, imager.dropout, "dropout_pct", "%", 0, 100, .factor = PERCENT,
                      .help = "pixels that are not known"),
    CAIRN_CONFIG_REAL(imager_section, imager.delay_s, "delay_ms", "ms", 0, 1000, .factor = MS_TO_S,
                      .help = "from taking to arrival"),
};
static const cairn_config_schema imager_schema = CAIRN_CONFIG_SCHEMA(imager_section, imager_fields);

static const char *const range_words[] = {
    [CAIRN_RANGE_INFRARED] = "infrared", [CAIRN_RANGE_SONAR] = "sonar", [CAIRN_RANGE_SONAR + 1] = NULL};

static const cairn_config_field range_fields[] = {
    CAIRN_CONFIG_LINE(range_item, line),
    CAIRN_CONFIG_TEXT(range_item, sensor.name, "name", .help = "of this sensor, in journals"),
    CAIRN_CONFIG_CHOICE(range_item, kind, "kind", range_words, .help = "one ray, or a cone"),
    CAIRN_CONFIG_RECORD(range_item, mount, "mount", &mount_schema, .help = "where it sits; it looks along its x"),
    CAIRN_CONFIG_REAL(range_item, sensor.field_rad, "field_deg", "degrees", 1, 90, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "30", .help = "of a sonar's cone, from side to side"),
    CAIRN_CONFIG_REAL(range_item, sensor.range_m_min, "range_m_min", "m", 0, 10, .help = "nearest it can see"),
    CAIRN_CONFIG_REAL(range_item, sensor.range_m_max, "range_m_max", "m", 0.05, 60, .help = "farthest it can see"),
    CAIRN_CONFIG_REAL(range_item, sensor.noise_m, "noise_m", "m", 0, 1, .help = "deviation of a range"),
    CAIRN_CONFIG_REAL(range_item, sensor.rate_hz, "rate_hz", "Hz", 0.1, 250, .help = "readings a second"),
    CAIRN_CONFIG_REAL(range_item, sensor.delay_s, "delay_ms", "ms", 0, 1000, .factor = MS_TO_S,
                      .help = "from taking to arrival"),
};
static const cairn_config_schema range_schema = CAIRN_CONFIG_SCHEMA(range_item, range_fields);
static const cairn_config_field range_one = CAIRN_CONFIG_ITEM_RECORD(range_item, &range_schema);

static const cairn_config_field gps_fields[] = {
    CAIRN_CONFIG_PRESENT(gps_section, gps.offered),
    CAIRN_CONFIG_RECORD(gps_section, mount, "mount", &mount_schema, .help = "where its antenna sits"),
    CAIRN_CONFIG_REAL(gps_section, gps.rate_hz, "rate_hz", "Hz", 0.1, 50, .help = "fixes a second"),
    CAIRN_CONFIG_REAL(gps_section, gps.noise_m, "noise_m", "m", 0, 100, .help = "deviation under an open sky"),
    CAIRN_CONFIG_REAL(gps_section, gps.multipath_m, "multipath_m", "m", 0, 1000,
                      .help = "deviation that walls add, were they to hide the whole sky"),
    CAIRN_CONFIG_REAL(gps_section, gps.claimed_m, "claimed_m", "m", 0, 1000,
                      .help = "deviation that the receiver claims, always"),
    CAIRN_CONFIG_REAL(gps_section, gps.delay_s, "delay_ms", "ms", 0, 2000, .factor = MS_TO_S,
                      .help = "from taking to arrival"),
};
static const cairn_config_schema gps_schema = CAIRN_CONFIG_SCHEMA(gps_section, gps_fields);

static const cairn_config_field magnetometer_fields[] = {
    CAIRN_CONFIG_PRESENT(magnetometer_section, magnetometer.offered),
    CAIRN_CONFIG_RECORD(magnetometer_section, mount, "mount", &mount_schema, .help = "where it sits"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.rate_hz, "rate_hz", "Hz", 0.5, 200,
                      .help = "readings a second"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.noise_ut, "noise_ut", "uT", 0, 50,
                      .help = "deviation of a reading"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.bias_ut, "bias_ut", "uT", 0, 50,
                      .help = "deviation of what the robot's own steel adds, after calibration"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.field_ut, "field_ut", "uT", 20, 70,
                      .help = "strength of the Earth's field where it works"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.dip_rad, "dip_deg", "degrees", -80, 80,
                      .factor = CAIRN_CONFIG_DEG, .help = "how steeply that field points down; negative: up"),
    CAIRN_CONFIG_REAL(magnetometer_section, magnetometer.delay_s, "delay_ms", "ms", 0, 200, .factor = MS_TO_S,
                      .fallback = "0", .help = "from taking to arrival"),
};
static const cairn_config_schema magnetometer_schema = CAIRN_CONFIG_SCHEMA(magnetometer_section, magnetometer_fields);

static const cairn_config_field barometer_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_barometer_description, offered),
    CAIRN_CONFIG_REAL(cairn_barometer_description, rate_hz, "rate_hz", "Hz", 0.5, 200, .help = "readings a second"),
    CAIRN_CONFIG_REAL(cairn_barometer_description, noise_pa, "noise_pa", "Pa", 0, 100,
                      .help = "deviation of a reading"),
    CAIRN_CONFIG_REAL(cairn_barometer_description, weather_pa_per_sqrt_min, "weather_pa_per_sqrt_min",
                      "Pa per root of a minute", 0, 100, .help = "how fast the pressure wanders by itself"),
    CAIRN_CONFIG_REAL(cairn_barometer_description, storey_m, "storey_m", "m", 1.5, 10, .fallback = "3",
                      .help = "from floor to floor where it works"),
    CAIRN_CONFIG_REAL(cairn_barometer_description, delay_s, "delay_ms", "ms", 0, 1000, .factor = MS_TO_S,
                      .fallback = "0", .help = "from taking to arrival"),
};
static const cairn_config_schema barometer_schema = CAIRN_CONFIG_SCHEMA(cairn_barometer_description, barometer_fields);

static const cairn_config_field battery_fields[] = {
    CAIRN_CONFIG_PRESENT(battery_section, battery.offered),
    CAIRN_CONFIG_LINE(battery_section, line),
    CAIRN_CONFIG_REAL(battery_section, battery.capacity_wh, "capacity_wh", "Wh", 0.1, 100000, .help = "when full"),
    CAIRN_CONFIG_REAL(battery_section, battery.voltage_v_full, "voltage_v_full", "V", 1, 1000, .help = "when full"),
    CAIRN_CONFIG_REAL(battery_section, battery.voltage_v_empty, "voltage_v_empty", "V", 1, 1000, .help = "when empty"),
    CAIRN_CONFIG_REAL(battery_section, battery.idle_w, "idle_w", "W", 0, 10000, .help = "standing still"),
    CAIRN_CONFIG_REAL(battery_section, battery.low, "low_pct", "%", 0, 100, .factor = 0.01, .fallback = "25",
                      .help = "below this a robot that searches by itself comes home"),
    CAIRN_CONFIG_REAL(battery_section, battery.critical, "critical_pct", "%", 0, 100, .factor = 0.01, .fallback = "10",
                      .help = "below this it stands, unless the operator holds the guard off"),
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
    CAIRN_CONFIG_REAL(cairn_body_limits, drop_m_max, "drop_m_max", "m", 0, 2, .fallback = "0.06",
                      .help = "deepest step down that a wheel may come over; half of what tips it is safe"),
    CAIRN_CONFIG_BOOL(cairn_body_limits, accept_unseen_ground, "accept_unseen_ground", .fallback = "false",
                      .help = "drive although nothing on it sees the ground: it may fall into holes"),
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
    CAIRN_CONFIG_RECORD(robot_file, wheels, "wheels", &wheels_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, tracks, "tracks", &tracks_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, flippers, "flippers", &flippers_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, urdf, "urdf", &urdf_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, encoders, "encoders", &encoder_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, imu, "imu", &imu_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, laser, "laser", &laser_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, thermal, "thermal", &thermal_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, imager, "range_imager", &imager_schema, .fallback = "none"),
    CAIRN_CONFIG_LIST(robot_file, ranges, range_count, "range_sensors", &range_one, CAIRN_RANGE_SENSORS_MAX,
                      .fallback = "[]"),
    CAIRN_CONFIG_RECORD(robot_file, gps, "gps", &gps_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, magnetometer, "magnetometer", &magnetometer_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, body.barometer, "barometer", &barometer_schema, .fallback = "none"),
    CAIRN_CONFIG_BOOL(robot_file, body.bumper_offered, "bumper", .fallback = "false"),
    CAIRN_CONFIG_BOOL(robot_file, body.stop_button_offered, "stop_button", .fallback = "false"),
    CAIRN_CONFIG_RECORD(robot_file, battery, "battery", &battery_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(robot_file, body.limits, "limits", &limits_schema, .help = "what may be asked of it"),
};
static const cairn_config_schema robot_schema = CAIRN_CONFIG_SCHEMA(robot_file, robot_fields);

static cairn_pose3 pose_of(const mount *from)
{
    return (cairn_pose3){.at_m = from->at_m, .turn = cairn_quat_from_rpy(from->turn)};
}

static void check_drive(const robot_file *file, const char *path, cairn_complaints *complaints)
{
    if (file->wheels.offered == file->tracks.offered) {
        cairn_complain(complaints, path, file->wheels.line, "a robot has either wheels or tracks; this one has %s",
                       file->wheels.offered ? "both" : "neither");
    }
    const bool uncounted = file->drive == CAIRN_DRIVE_TORQUE && !file->encoders.encoders.offered;
    if (uncounted && file->body.limits.speed_mps_max > CAIRN_UNSEEN_MPS_MAX) {
        cairn_complain(complaints, path, 0,
                       "limits: speed_mps_max is at most %g for a robot that takes torque and has no encoders",
                       CAIRN_UNSEEN_MPS_MAX);
    }
    const flippers_section *flippers = &file->flippers;
    const cairn_flippers_description *of = &flippers->flippers;
    if (of->offered && !file->tracks.offered) {
        cairn_complain(complaints, path, flippers->line, "flippers: only a robot with tracks has them");
    }
    if (of->offered && !(of->angle_rad_min <= of->angle_rad_start && of->angle_rad_start <= of->angle_rad_max)) {
        cairn_complain(complaints, path, flippers->line,
                       "flippers: angle_deg_start must lie between angle_deg_min and angle_deg_max");
    }
    if (of->offered && 2 * of->mass_kg >= FLIPPERS_MASS_PART * file->body.mass_kg) {
        cairn_complain(complaints, path, flippers->line, "flippers: both weigh more than half of the robot's mass_kg");
    }
    if (file->urdf.urdf.offered && file->tracks.offered) {
        cairn_complain(complaints, path, file->urdf.line, "urdf: only for robots with wheels");
    }
}

static void check_nod(const robot_file *file, const char *path, cairn_complaints *complaints)
{
    const cairn_laser_description *laser = &file->laser.laser;
    if (laser->nod.offered && laser->nod.period_s * laser->rate_hz < NOD_SCANS_MIN) {
        cairn_complain(complaints, path, file->laser.line, "laser: nod: a period must last at least %d scans",
                       NOD_SCANS_MIN);
    }
}

// Readings are told apart by name, in journals.
static void check_ranges(const robot_file *file, const char *path, cairn_complaints *complaints)
{
    for (uint32_t i = 0; i < file->range_count; i++) {
        const range_item *item = &file->ranges[i];
        if (item->sensor.range_m_min >= item->sensor.range_m_max) {
            cairn_complain(complaints, path, item->line, "range_sensors: range_m_min must be below range_m_max");
        }
        for (uint32_t before = 0; before < i; before++) {
            if (strcmp(item->sensor.name, file->ranges[before].sensor.name) != 0) { continue; }
            cairn_complain(complaints, path, item->line, "range_sensors: two are named \"%s\"", item->sensor.name);
        }
    }
}

// What no single field can tell.
static void check_whole(const robot_file *file, const char *path, cairn_complaints *complaints)
{
    check_drive(file, path, complaints);
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
    const cairn_range_imager_description *imager = &file->imager.imager;
    if (imager->offered && imager->range_m_min >= imager->range_m_max) {
        cairn_complain(complaints, path, file->imager.line, "range_imager: range_m_min must be below range_m_max");
    }
    check_nod(file, path, complaints);
    check_ranges(file, path, complaints);
    const cairn_battery_description *battery = &file->battery.battery;
    if (battery->offered && battery->voltage_v_empty >= battery->voltage_v_full) {
        cairn_complain(complaints, path, file->battery.line, "battery: voltage_v_empty must be below voltage_v_full");
    }
    if (battery->offered && battery->critical > battery->low) {
        cairn_complain(complaints, path, file->battery.line, "battery: critical_pct must not be above low_pct");
    }
}

// A belt is two wheels that turn together.
static cairn_wheels_description wheels_of_belt(cairn_wheels_description belt)
{
    belt.torque_nm_max *= 0.5;
    belt.rotor_inertia_kgm2 *= 0.5;
    return belt;
}

static cairn_err resolve_urdf(const char *path, uint32_t line, cairn_complaints *complaints,
                              cairn_urdf_description *urdf)
{
    char resolved[CAIRN_URDF_PATH_BYTES];
    const cairn_err err = cairn_config_resolve(path, urdf->path, resolved, sizeof resolved);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, line, "urdf: the path of %s is too long; at most %d bytes", urdf->path,
                       CAIRN_URDF_PATH_BYTES - 1);
        return err;
    }
    memcpy(urdf->path, resolved, sizeof resolved);
    return CAIRN_OK;
}

static void turn_over_ranges(const robot_file *file, cairn_body_description *into)
{
    into->range_imager = file->imager.imager;
    into->range_imager.base_T_camera = pose_of(&file->imager.mount);
    into->range_sensor_count = file->range_count;
    for (uint32_t i = 0; i < file->range_count; i++) {
        into->range_sensors[i] = file->ranges[i].sensor;
        into->range_sensors[i].kind = (cairn_range_kind)file->ranges[i].kind;
        into->range_sensors[i].base_T_sensor = pose_of(&file->ranges[i].mount);
    }
    into->gps = file->gps.gps;
    into->gps.base_T_antenna = pose_of(&file->gps.mount);
    into->magnetometer = file->magnetometer.magnetometer;
    into->magnetometer.base_T_sensor = pose_of(&file->magnetometer.mount);
}

static cairn_err read_with(cairn_arena *lists, const char *path, cairn_complaints *complaints,
                           cairn_body_description *ret_description)
{
    robot_file file;
    const cairn_err err = cairn_config_read(path, &robot_schema, lists, complaints, &file);
    if (err != CAIRN_OK) { return err; }
    const uint32_t complaint_count = complaints->count;
    check_whole(&file, path, complaints);
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }

    cairn_body_description description = file.body;
    description.head_centre_m = file.head.centre_m;
    description.head_size_m = file.head.size_m;
    description.drive = (cairn_drive_command)file.drive;
    description.wheels = file.tracks.offered ? wheels_of_belt(file.tracks.belt) : file.wheels.wheels;
    description.tracks.offered = file.tracks.offered;
    description.flippers = file.flippers.flippers;
    description.urdf = file.urdf.urdf;
    if (file.urdf.urdf.offered) {
        const cairn_err resolve_err = resolve_urdf(path, file.urdf.line, complaints, &description.urdf);
        if (resolve_err != CAIRN_OK) { return resolve_err; }
    }
    description.encoders = file.encoders.encoders;
    description.encoders.rear_only = file.encoders.which == ENCODERS_REAR;
    description.imu = file.imu.imu;
    description.imu.base_T_imu = pose_of(&file.imu.mount);
    description.laser = file.laser.laser;
    description.laser.base_T_laser = pose_of(&file.laser.mount);
    description.thermal = file.thermal.thermal;
    description.thermal.base_T_camera = pose_of(&file.thermal.mount);
    turn_over_ranges(&file, &description);
    description.battery = file.battery.battery;
    *ret_description = description;
    return CAIRN_OK;
}

cairn_err cairn_body_description_read(const char *path, cairn_complaints *complaints,
                                      cairn_body_description *ret_description)
{
    cairn_arena lists;
    cairn_err err = cairn_arena_create(&lists, LISTS_BYTES);
    if (err != CAIRN_OK) { return err; }
    err = read_with(&lists, path, complaints, ret_description);
    cairn_arena_destroy(&lists);
    return err;
}
