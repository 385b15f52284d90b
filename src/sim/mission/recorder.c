#include "sim/mission/recorder.h"
#include "base/lock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMU_PERIOD_NS CAIRN_MS(40)
#define NAME_BYTES 64

typedef struct robot_channels {
    uint16_t scan, imu, thermal, odom, truth, cmd_vel;
    uint16_t radio[256]; // by message id; 0: not made yet
    char base_frame[NAME_BYTES], laser_frame[NAME_BYTES], camera_frame[NAME_BYTES], private_frame[NAME_BYTES];
    cairn_mono scan_at, thermal_at, imu_at; // last recorded
    bool scan_seen, thermal_seen;
} robot_channels;

struct cairn_recorder {
    cairn_recorder_def def;
    cairn_lock lock; // of all that follows
    cairn_journal *journal;
    cairn_err err; // the first
    uint16_t tf, map, rosout;
    robot_channels robots[CAIRN_SIM_ROBOTS_MAX];
    int8_t *cells; // of the map
    size_t cells_max;
};

static void keep(cairn_recorder *recorder, cairn_err err)
{
    if (recorder->err == CAIRN_OK) { recorder->err = err; }
}

static void channel(cairn_recorder *recorder, const char *robot, const char *name, const cairn_ros_type *type,
                    uint16_t *ret_channel)
{
    char topic[2 * NAME_BYTES];
    snprintf(topic, sizeof topic, "%s%s/%s", robot != NULL ? "/" : "", robot != NULL ? robot : "", name);
    keep(recorder, cairn_journal_add_type(recorder->journal, topic, type, ret_channel));
}

static void add_robot(cairn_recorder *recorder, uint32_t robot)
{
    robot_channels *c = &recorder->robots[robot];
    const char *name = recorder->def.robot_names[robot];
    const cairn_body_description *body = recorder->def.descriptions[robot];
    snprintf(c->base_frame, NAME_BYTES, "%s/base_link", name);
    snprintf(c->laser_frame, NAME_BYTES, "%s/laser", name);
    snprintf(c->camera_frame, NAME_BYTES, "%s/thermal", name);
    snprintf(c->private_frame, NAME_BYTES, "%s/odom", name);
    channel(recorder, name, "odom", &cairn_ros_nav_msgs_Odometry_type, &c->odom);
    channel(recorder, name, "truth", &cairn_ros_nav_msgs_Odometry_type, &c->truth);
    channel(recorder, name, "cmd_vel", &cairn_ros_geometry_msgs_Twist_type, &c->cmd_vel);
    if (body->laser.offered) { channel(recorder, name, "scan", &cairn_ros_sensor_msgs_LaserScan_type, &c->scan); }
    if (body->imu.offered) { channel(recorder, name, "imu", &cairn_ros_sensor_msgs_Imu_type, &c->imu); }
    if (body->thermal.offered) { channel(recorder, name, "thermal", &cairn_ros_sensor_msgs_Image_type, &c->thermal); }
}

cairn_err cairn_recorder_create(const cairn_recorder_def *def, cairn_complaints *complaints,
                                cairn_recorder **ret_recorder)
{
    cairn_recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL || cairn_lock_init(&recorder->lock) != CAIRN_OK) {
        free(recorder);
        return CAIRN_ERR_FULL;
    }
    recorder->def = *def;
    cairn_journal_def journal = cairn_journal_def_default();
    if (journal.message_bytes_max < 4u << 20) { journal.message_bytes_max = 4u << 20; } // a map of 40 hectares
    cairn_err err = cairn_journal_create(&journal, def->path, complaints, &recorder->journal);
    if (err == CAIRN_OK) {
        channel(recorder, NULL, "tf", &cairn_ros_tf2_msgs_TFMessage_type, &recorder->tf);
        channel(recorder, NULL, "map", &cairn_ros_nav_msgs_OccupancyGrid_type, &recorder->map);
        channel(recorder, NULL, "rosout", &cairn_ros_rcl_interfaces_Log_type, &recorder->rosout);
        for (uint32_t i = 0; i < def->robot_count; i++) { add_robot(recorder, i); }
        err = recorder->err;
    }
    if (err != CAIRN_OK) {
        cairn_recorder_destroy(recorder);
        return err;
    }
    *ret_recorder = recorder;
    return CAIRN_OK;
}

void cairn_recorder_destroy(cairn_recorder *recorder)
{
    if (recorder == NULL) { return; }
    cairn_journal_destroy(recorder->journal);
    cairn_lock_finish(&recorder->lock);
    free(recorder->cells);
    free(recorder);
}

static void write_message(cairn_recorder *recorder, uint16_t to, cairn_mono now, cairn_mono taken, const void *message)
{
    keep(recorder, cairn_journal_write_message(recorder->journal, to, now.ns, taken.ns, message));
}

static cairn_ros_std_msgs_Header header(cairn_mono at, const char *frame)
{
    return (cairn_ros_std_msgs_Header){
        .stamp = {.sec = (int32_t)(at.ns / CAIRN_S(1)), .nanosec = (uint32_t)(at.ns % CAIRN_S(1))}, .frame_id = frame};
}

static cairn_ros_geometry_msgs_Quaternion quaternion(cairn_quat q)
{
    return (cairn_ros_geometry_msgs_Quaternion){.x = q.x, .y = q.y, .z = q.z, .w = q.w};
}

static cairn_ros_geometry_msgs_Vector3 vector(cairn_vec3 v)
{
    return (cairn_ros_geometry_msgs_Vector3){.x = v.x, .y = v.y, .z = v.z};
}

static void write_scan(cairn_recorder *recorder, uint32_t robot, const cairn_scan_frame *scan, cairn_mono now)
{
    const cairn_laser_description *laser = &recorder->def.descriptions[robot]->laser;
    const cairn_ros_sensor_msgs_LaserScan message = {
        .header = header(scan->taken, recorder->robots[robot].laser_frame),
        .angle_min = scan->angle_rad_first,
        .angle_max = scan->angle_rad_first + scan->angle_rad_step * (float)(scan->beam_count - 1),
        .angle_increment = scan->angle_rad_step,
        .time_increment = scan->beam_ns_step * 1e-9f,
        .scan_time = (float)(1.0 / laser->rate_hz),
        .range_min = scan->range_m_min,
        .range_max = scan->range_m_max,
        .ranges = {.data = scan->range_m, .count = scan->beam_count},
    };
    write_message(recorder, recorder->robots[robot].scan, now, scan->taken, &message);
}

static void write_thermal(cairn_recorder *recorder, uint32_t robot, const cairn_thermal_frame *frame, cairn_mono now)
{
    const uint32_t row_bytes = frame->width_px * (uint32_t)sizeof(uint16_t);
    const cairn_ros_sensor_msgs_Image message = {
        .header = header(frame->taken, recorder->robots[robot].camera_frame),
        .height = frame->height_px,
        .width = frame->width_px,
        .encoding = "mono16", // hundredths of a kelvin
        .step = row_bytes,
        .data = {.data = (const uint8_t *)frame->centikelvin, .count = row_bytes * frame->height_px},
    };
    write_message(recorder, recorder->robots[robot].thermal, now, frame->taken, &message);
}

static void write_imu(cairn_recorder *recorder, uint32_t robot, const cairn_imu_frame *frame, cairn_mono now)
{
    cairn_ros_sensor_msgs_Imu message = {
        .header = header(frame->taken, recorder->robots[robot].base_frame),
        .angular_velocity = vector(frame->turn_radps),
        .linear_acceleration = vector(frame->accel_mps2),
    };
    message.orientation_covariance[0] = -1; // ROS: no orientation here
    write_message(recorder, recorder->robots[robot].imu, now, frame->taken, &message);
}

// True when the next frame is due at this rate; 2 ms of slack, so that a rate equal to the sensor's keeps all.
static bool is_due(bool seen, cairn_mono last, cairn_mono taken, double rate_hz)
{
    if (rate_hz <= 0 || (seen && taken.ns <= last.ns)) { return false; }
    const int64_t period_ns = cairn_ns_from_seconds(1.0 / rate_hz);
    return !seen || cairn_mono_since(taken, last) >= period_ns - CAIRN_MS(2);
}

static void write_frames(cairn_recorder *recorder, uint32_t robot, cairn_world_frames frames, cairn_mono now)
{
    robot_channels *c = &recorder->robots[robot];
    if (frames.scan != NULL && is_due(c->scan_seen, c->scan_at, frames.scan->taken, recorder->def.scan_hz)) {
        write_scan(recorder, robot, frames.scan, now);
        c->scan_at = frames.scan->taken;
        c->scan_seen = true;
    }
    if (frames.thermal != NULL &&
        is_due(c->thermal_seen, c->thermal_at, frames.thermal->taken, recorder->def.thermal_hz)) {
        write_thermal(recorder, robot, frames.thermal, now);
        c->thermal_at = frames.thermal->taken;
        c->thermal_seen = true;
    }
    if (frames.imu != NULL && cairn_mono_since(frames.imu->taken, c->imu_at) >= IMU_PERIOD_NS) {
        write_imu(recorder, robot, frames.imu, now);
        c->imu_at = frames.imu->taken;
    }
}

static void write_odometry(cairn_recorder *recorder, uint16_t to, const char *frame, const char *child,
                           cairn_pose3 pose, cairn_ros_geometry_msgs_Twist twist, cairn_mono now)
{
    const cairn_ros_nav_msgs_Odometry message = {
        .header = header(now, frame),
        .child_frame_id = child,
        .pose = {.pose = {.position = {.x = pose.at_m.x, .y = pose.at_m.y, .z = pose.at_m.z},
                          .orientation = quaternion(pose.turn)}},
        .twist = {.twist = twist},
    };
    write_message(recorder, to, now, now, &message);
}

static cairn_ros_geometry_msgs_TransformStamped transform(cairn_mono now, const char *parent, const char *child,
                                                          cairn_pose3 pose)
{
    return (cairn_ros_geometry_msgs_TransformStamped){
        .header = header(now, parent),
        .child_frame_id = child,
        .transform = {.translation = vector(pose.at_m), .rotation = quaternion(pose.turn)}};
}

static void write_transforms(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view, cairn_mono now)
{
    const robot_channels *c = &recorder->robots[robot];
    const cairn_body_description *body = recorder->def.descriptions[robot];
    cairn_ros_geometry_msgs_TransformStamped transforms[4] = {
        transform(now, "map", c->private_frame, cairn_pose3_from_pose2(recorder->def.starts[robot], 0)),
        transform(now, c->private_frame, c->base_frame, cairn_pose3_from_pose2(view->private_T_base, 0)),
    };
    uint32_t count = 2; // sensors that the robot lacks have no frame
    if (body->laser.offered) {
        transforms[count++] = transform(now, c->base_frame, c->laser_frame, body->laser.base_T_laser);
    }
    if (body->thermal.offered) {
        transforms[count++] = transform(now, c->base_frame, c->camera_frame, body->thermal.base_T_camera);
    }
    const cairn_ros_tf2_msgs_TFMessage message = {.transforms = {.data = transforms, .count = count}};
    write_message(recorder, recorder->tf, now, now, &message);
}

static void write_motion(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view,
                         const cairn_robot_truth *truth, cairn_mono now)
{
    const robot_channels *c = &recorder->robots[robot];
    const cairn_ros_geometry_msgs_Twist believed = {.linear = {.x = view->forward_mps},
                                                    .angular = {.z = view->turn_radps}};
    const cairn_ros_geometry_msgs_Twist told = {.linear = {.x = view->told_mps}, .angular = {.z = view->told_radps}};
    const cairn_vec3 base_mps = cairn_quat_rotate(cairn_quat_conjugate(truth->map_T_base.turn), truth->velocity_mps);
    const cairn_ros_geometry_msgs_Twist moved = {.linear = vector(base_mps), .angular = vector(truth->turn_radps)};
    write_odometry(recorder, c->odom, c->private_frame, c->base_frame, cairn_pose3_from_pose2(view->private_T_base, 0),
                   believed, now);
    write_odometry(recorder, c->truth, "map", c->base_frame, truth->map_T_base, moved, now);
    write_message(recorder, c->cmd_vel, now, now, &told);
    write_transforms(recorder, robot, view, now);
}

static void write_radio(cairn_recorder *recorder, uint32_t robot, const cairn_radio_message *message, cairn_mono now)
{
    const cairn_radio_type *type = cairn_radio_type_of(message->id);
    if (type == NULL) { return; }
    uint16_t *to = &recorder->robots[robot].radio[message->id];
    if (*to == 0) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "radio/%s", type->name);
        channel(recorder, recorder->def.robot_names[robot], name, type->ros, to);
    }
    // All members of the union start at the same place.
    write_message(recorder, *to, now, now, &message->stick);
}

static void write_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now)
{
    if (raster->x_max < raster->x_min) { return; }
    const uint32_t width = raster->x_max - raster->x_min + 1, height = raster->y_max - raster->y_min + 1;
    const size_t cells = (size_t)width * height;
    if (cells > recorder->cells_max) {
        int8_t *grown = realloc(recorder->cells, cells);
        if (grown == NULL) {
            keep(recorder, CAIRN_ERR_FULL);
            return;
        }
        recorder->cells = grown;
        recorder->cells_max = cells;
    }
    static const int8_t occupancy[] = {
        [CAIRN_GROUND_UNKNOWN] = -1, [CAIRN_GROUND_FREE] = 0, [CAIRN_GROUND_OBSTACLE] = 100};
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = raster->ground + (size_t)(raster->y_min + y) * raster->def.width + raster->x_min;
        for (uint32_t x = 0; x < width; x++) { recorder->cells[(size_t)y * width + x] = occupancy[row[x]]; }
    }
    const cairn_ros_nav_msgs_OccupancyGrid message = {
        .header = header(now, "map"),
        .info = {.resolution = (float)raster->def.cell_m,
                 .width = width,
                 .height = height,
                 .origin = {.position = {.x = raster->def.origin_m.x + raster->x_min * raster->def.cell_m,
                                         .y = raster->def.origin_m.y + raster->y_min * raster->def.cell_m},
                            .orientation = {.w = 1}}},
        .data = {.data = recorder->cells, .count = (uint32_t)cells},
    };
    write_message(recorder, recorder->map, now, now, &message);
}

static void write_line(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                       const char *text)
{
    const cairn_ros_rcl_interfaces_Log message = {
        .stamp = header(now, "").stamp, .level = (uint8_t)level, .name = source, .msg = text};
    write_message(recorder, recorder->rosout, now, now, &message);
}

// ---- what others call, each on its own thread

void cairn_recorder_frames(cairn_recorder *recorder, uint32_t robot, cairn_world_frames frames, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_frames(recorder, robot, frames, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_motion(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view,
                           const cairn_robot_truth *truth, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_motion(recorder, robot, view, truth, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_radio(cairn_recorder *recorder, uint32_t robot, const cairn_radio_message *message, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_radio(recorder, robot, message, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_map(recorder, raster, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_log(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                        const char *text)
{
    cairn_lock_take(&recorder->lock);
    write_line(recorder, now, level, source, text);
    cairn_lock_give(&recorder->lock);
}

cairn_err cairn_recorder_finish(cairn_recorder *recorder, cairn_complaints *complaints, uint64_t *ret_hash)
{
    keep(recorder, cairn_journal_finish(recorder->journal));
    if (recorder->err != CAIRN_OK) {
        cairn_complain(complaints, recorder->def.path, 0, "the journal is not complete (%s): %s",
                       cairn_err_name(recorder->err), cairn_journal_trouble(recorder->journal));
        return recorder->err;
    }
    *ret_hash = cairn_journal_hash(recorder->journal);
    return CAIRN_OK;
}
