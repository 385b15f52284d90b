// robot_topics.c - a robot's frames and motion as ROS 2 messages.
#include "record/recorder_parts.h"

static cairn_ros_geometry_msgs_Quaternion quaternion(cairn_quat q)
{
    return (cairn_ros_geometry_msgs_Quaternion){.x = q.x, .y = q.y, .z = q.z, .w = q.w};
}

static cairn_ros_geometry_msgs_Vector3 vector(cairn_vec3 v)
{
    return (cairn_ros_geometry_msgs_Vector3){.x = v.x, .y = v.y, .z = v.z};
}

static void write_scan(cairn_recorder *recorder, uint16_t channel, const cairn_recorder_part *robot,
                       const cairn_scan_frame *scan, cairn_mono now)
{
    const cairn_laser_description *laser = &robot->def.description->laser;
    const cairn_ros_sensor_msgs_LaserScan message = {
        .header = cairn_recorder_header(scan->taken, robot->frames.laser),
        .angle_min = scan->angle_rad_first,
        .angle_max = scan->angle_rad_first + scan->angle_rad_step * (float)(scan->beam_count - 1),
        .angle_increment = scan->angle_rad_step,
        .time_increment = scan->beam_ns_step * 1e-9f,
        .scan_time = (float)(1.0 / laser->rate_hz),
        .range_min = scan->range_m_min,
        .range_max = scan->range_m_max,
        .ranges = {.data = scan->range_m, .count = scan->beam_count},
    };
    cairn_recorder_write(recorder, channel, now, scan->taken, &message);
}

static void write_thermal(cairn_recorder *recorder, uint16_t channel, const cairn_recorder_part *robot,
                          const cairn_thermal_frame *frame, cairn_mono now)
{
    const uint32_t row_bytes = frame->width_px * (uint32_t)sizeof(uint16_t);
    const cairn_ros_sensor_msgs_Image message = {
        .header = cairn_recorder_header(frame->taken, robot->frames.camera),
        .height = frame->height_px,
        .width = frame->width_px,
        .encoding = "mono16", // hundredths of a kelvin
        .step = row_bytes,
        .data = {.data = (const uint8_t *)frame->centikelvin, .count = row_bytes * frame->height_px},
    };
    cairn_recorder_write(recorder, channel, now, frame->taken, &message);
}

static void write_imu(cairn_recorder *recorder, uint16_t channel, const cairn_recorder_part *robot,
                      const cairn_imu_frame *frame, cairn_mono now)
{
    cairn_ros_sensor_msgs_Imu message = {
        .header = cairn_recorder_header(frame->taken, robot->frames.base),
        .angular_velocity = vector(frame->turn_radps),
        .linear_acceleration = vector(frame->accel_mps2),
    };
    message.orientation_covariance[0] = -1; // ROS: no orientation here
    cairn_recorder_write(recorder, channel, now, frame->taken, &message);
}

static void write_odometry(cairn_recorder *recorder, uint16_t to, const char *frame, const char *child,
                           cairn_pose3 pose, cairn_ros_geometry_msgs_Twist twist, cairn_mono now)
{
    const cairn_ros_nav_msgs_Odometry message = {
        .header = cairn_recorder_header(now, frame),
        .child_frame_id = child,
        .pose = {.pose = {.position = {.x = pose.at_m.x, .y = pose.at_m.y, .z = pose.at_m.z},
                          .orientation = quaternion(pose.turn)}},
        .twist = {.twist = twist},
    };
    cairn_recorder_write(recorder, to, now, now, &message);
}

static cairn_ros_geometry_msgs_TransformStamped transform(cairn_mono now, const char *parent, const char *child,
                                                          cairn_pose3 pose)
{
    return (cairn_ros_geometry_msgs_TransformStamped){
        .header = cairn_recorder_header(now, parent),
        .child_frame_id = child,
        .transform = {.translation = vector(pose.at_m), .rotation = quaternion(pose.turn)}};
}

// A sensor that turns on its mount: where it was when it took what is being written.
static void write_turned(cairn_recorder *recorder, cairn_recorder_part *robot, const char *frame, cairn_pose3 mount,
                         cairn_rpy turn, cairn_mono taken, cairn_mono now)
{
    mount.turn = cairn_quat_multiply(mount.turn, cairn_quat_from_rpy(turn));
    cairn_ros_geometry_msgs_TransformStamped turned = transform(taken, robot->frames.base, frame, mount);
    const cairn_ros_tf2_msgs_TFMessage message = {.transforms = {.data = &turned, .count = 1}};
    cairn_recorder_write(recorder, cairn_recorder_channel(recorder, robot, CAIRN_TOPIC_TF), now, taken, &message);
}

static void write_nod(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_scan_frame *scan,
                      cairn_mono now)
{
    const cairn_laser_description *laser = &robot->def.description->laser;
    if (!laser->nod.offered) { return; }
    const cairn_mono ended =
        cairn_mono_add(scan->taken, (int64_t)((double)scan->beam_ns_step * (double)(scan->beam_count - 1)));
    const cairn_rpy first = {0, (double)scan->nod_rad_first, 0}, last = {0, (double)scan->nod_rad_last, 0};
    write_turned(recorder, robot, robot->frames.laser, laser->base_T_laser, first, scan->taken, now);
    write_turned(recorder, robot, robot->frames.laser, laser->base_T_laser, last, ended, now);
}

static void write_gaze(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_thermal_frame *frame,
                       cairn_mono now)
{
    const cairn_thermal_description *camera = &robot->def.description->thermal;
    if (!camera->pan_tilt.offered) { return; }
    const cairn_rpy gaze = {0, (double)frame->tilt_rad, (double)frame->pan_rad};
    write_turned(recorder, robot, robot->frames.camera, camera->base_T_camera, gaze, frame->taken, now);
}

static void write_range_image(cairn_recorder *recorder, uint16_t channel, const cairn_recorder_part *robot,
                              const cairn_range_image_frame *frame, cairn_mono now)
{
    const uint32_t row_bytes = frame->width_px * (uint32_t)sizeof(uint16_t);
    const cairn_ros_sensor_msgs_Image message = {
        .header = cairn_recorder_header(frame->taken, robot->frames.imager),
        .height = frame->height_px,
        .width = frame->width_px,
        .encoding = "16UC1", // REP-118: millimetres along the camera's axis
        .step = row_bytes,
        .data = {.data = (const uint8_t *)frame->millimetres, .count = row_bytes * frame->height_px},
    };
    cairn_recorder_write(recorder, channel, now, frame->taken, &message);
}

// Every reading that is newer than the last one written of its sensor.
static void write_ranges(cairn_recorder *recorder, uint16_t channel, cairn_recorder_part *robot,
                         const cairn_ranges_frame *frame, cairn_mono now)
{
    const cairn_body_description *body = robot->def.description;
    for (uint32_t i = 0; i < frame->sensor_count && i < body->range_sensor_count; i++) {
        const cairn_range_reading *reading = &frame->readings[i];
        if (reading->taken.ns <= robot->range_taken[i].ns) { continue; }
        robot->range_taken[i] = reading->taken;
        const cairn_range_sensor_description *sensor = &body->range_sensors[i];
        const bool sonar = sensor->kind == CAIRN_RANGE_SONAR;
        const cairn_ros_sensor_msgs_Range message = {
            .header = cairn_recorder_header(reading->taken, robot->frames.ranges[i]),
            .radiation_type = sonar ? 0 : 1, // ULTRASOUND, INFRARED
            .field_of_view = sonar ? (float)sensor->field_rad : 0,
            .min_range = (float)sensor->range_m_min,
            .max_range = (float)sensor->range_m_max,
            .range = reading->range_m,
            .variance = (float)(sensor->noise_m * sensor->noise_m),
        };
        cairn_recorder_write(recorder, channel, now, reading->taken, &message);
    }
}

static cairn_mono newest_range(const cairn_ranges_frame *frame)
{
    cairn_mono newest = {0};
    for (uint32_t i = 0; i < frame->sensor_count && i < CAIRN_RANGE_SENSORS_MAX; i++) {
        if (frame->readings[i].taken.ns > newest.ns) { newest = frame->readings[i].taken; }
    }
    return newest;
}

static void write_gps(cairn_recorder *recorder, uint16_t channel, const cairn_recorder_part *robot,
                      const cairn_gps_frame *frame, cairn_mono now)
{
    const double radius_m = 6371000, degree = CAIRN_PI / 180;
    const double variance = (double)frame->claimed_m * (double)frame->claimed_m;
    cairn_ros_sensor_msgs_NavSatFix message = {
        .header = cairn_recorder_header(frame->taken, robot->frames.antenna),
        .status = {.status = frame->fix ? 0 : -1, .service = 1}, // STATUS_FIX, STATUS_NO_FIX; SERVICE_GPS
        .latitude = CAIRN_RECORD_LATITUDE_DEG + frame->at_m.y / (radius_m * degree),
        .longitude =
            CAIRN_RECORD_LONGITUDE_DEG + frame->at_m.x / (radius_m * degree * cos(CAIRN_RECORD_LATITUDE_DEG * degree)),
        .altitude = frame->at_m.z,
        .position_covariance_type = frame->fix ? 1 : 0, // APPROXIMATED: what the receiver claims
    };
    for (int i = 0; i < 3 && frame->fix; i++) { message.position_covariance[4 * i] = variance; }
    cairn_recorder_write(recorder, channel, now, frame->taken, &message);
}

// A frame that has been written is older than the next one; only newer ones are.
static uint16_t due(cairn_recorder *recorder, cairn_recorder_part *robot, cairn_record_topic topic, cairn_mono taken)
{
    const cairn_recorder_stream *stream = &robot->streams[topic];
    if (stream->seen && taken.ns <= stream->at.ns) { return 0; }
    return cairn_recorder_due(recorder, robot, topic, taken);
}

static void write_frames(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_recorder_frames *frames,
                         cairn_mono now)
{
    if (frames->scan != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_SCAN, frames->scan->taken);
        if (to != 0) {
            write_scan(recorder, to, robot, frames->scan, now);
            write_nod(recorder, robot, frames->scan, now);
        }
    }
    if (frames->thermal != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_THERMAL, frames->thermal->taken);
        if (to != 0) {
            write_thermal(recorder, to, robot, frames->thermal, now);
            write_gaze(recorder, robot, frames->thermal, now);
        }
    }
    if (frames->imu != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_IMU, frames->imu->taken);
        if (to != 0) { write_imu(recorder, to, robot, frames->imu, now); }
    }
    if (frames->range_image != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_RANGE_IMAGE, frames->range_image->taken);
        if (to != 0) { write_range_image(recorder, to, robot, frames->range_image, now); }
    }
    if (frames->ranges != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_RANGES, newest_range(frames->ranges));
        if (to != 0) { write_ranges(recorder, to, robot, frames->ranges, now); }
    }
    if (frames->gps != NULL) {
        const uint16_t to = due(recorder, robot, CAIRN_TOPIC_GPS, frames->gps->taken);
        if (to != 0) { write_gps(recorder, to, robot, frames->gps, now); }
    }
}

// Frames of further sensors, of those that are recorded.
static uint32_t add_further_frames(const cairn_recorder *recorder, const cairn_recorder_part *robot, cairn_mono now,
                                   cairn_ros_geometry_msgs_TransformStamped *transforms)
{
    const cairn_body_description *body = robot->def.description;
    const char *base = robot->frames.base;
    uint32_t count = 0;
    if (body->range_imager.offered && recorder->def.range_image_hz > 0) {
        transforms[count++] = transform(now, base, robot->frames.imager, body->range_imager.base_T_camera);
    }
    for (uint32_t i = 0; i < body->range_sensor_count && recorder->def.ranges_hz > 0; i++) {
        transforms[count++] = transform(now, base, robot->frames.ranges[i], body->range_sensors[i].base_T_sensor);
    }
    if (body->gps.offered && recorder->def.gps_hz > 0) {
        transforms[count++] = transform(now, base, robot->frames.antenna, body->gps.base_T_antenna);
    }
    return count;
}

static void write_transforms(cairn_recorder *recorder, uint16_t to, const cairn_recorder_part *robot,
                             const cairn_robot_view *view, cairn_mono now)
{
    const cairn_recorder_names *frames = &robot->frames;
    const cairn_body_description *body = robot->def.description;
    cairn_ros_geometry_msgs_TransformStamped transforms[6 + CAIRN_RANGE_SENSORS_MAX];
    uint32_t count = 0;
    if (robot->def.is_placed) {
        transforms[count++] = transform(now, "map", frames->private, cairn_pose3_from_pose2(robot->def.map_T_start, 0));
    }
    transforms[count++] =
        transform(now, frames->private, frames->base, cairn_pose3_from_pose2(view->private_T_base, 0));
    // Sensors that the robot lacks have no frame; those that turn on their mounts have theirs from when they looked.
    if (body->laser.offered && !body->laser.nod.offered) {
        transforms[count++] = transform(now, frames->base, frames->laser, body->laser.base_T_laser);
    }
    if (body->thermal.offered && !body->thermal.pan_tilt.offered) {
        transforms[count++] = transform(now, frames->base, frames->camera, body->thermal.base_T_camera);
    }
    count += add_further_frames(recorder, robot, now, transforms + count);
    const cairn_ros_tf2_msgs_TFMessage message = {.transforms = {.data = transforms, .count = count}};
    cairn_recorder_write(recorder, to, now, now, &message);
}

static void write_motion(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_robot_view *view,
                         cairn_mono now)
{
    const cairn_ros_geometry_msgs_Twist believed = {.linear = {.x = view->forward_mps},
                                                    .angular = {.z = view->turn_radps}};
    const cairn_ros_geometry_msgs_Twist told = {.linear = {.x = view->told_mps}, .angular = {.z = view->told_radps}};
    const uint16_t odom = cairn_recorder_due(recorder, robot, CAIRN_TOPIC_ODOM, now);
    const uint16_t cmd_vel = cairn_recorder_due(recorder, robot, CAIRN_TOPIC_CMD_VEL, now);
    const uint16_t tf = cairn_recorder_due(recorder, robot, CAIRN_TOPIC_TF, now);
    if (odom != 0) {
        write_odometry(recorder, odom, robot->frames.private, robot->frames.base,
                       cairn_pose3_from_pose2(view->private_T_base, 0), believed, now);
    }
    cairn_recorder_write(recorder, cmd_vel, now, now, &told);
    if (tf != 0) { write_transforms(recorder, tf, robot, view, now); }
}

static void write_truth(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_recorder_truth *truth,
                        cairn_mono now)
{
    const uint16_t to = cairn_recorder_due(recorder, robot, CAIRN_TOPIC_TRUTH, now);
    if (to == 0) { return; }
    const cairn_vec3 base_mps = cairn_quat_rotate(cairn_quat_conjugate(truth->map_T_base.turn), truth->velocity_mps);
    const cairn_ros_geometry_msgs_Twist moved = {.linear = vector(base_mps), .angular = vector(truth->turn_radps)};
    write_odometry(recorder, to, "map", robot->frames.base, truth->map_T_base, moved, now);
}

static cairn_recorder_part *part(cairn_recorder *recorder, uint32_t robot)
{
    CAIRN_ASSERT(robot < recorder->def.robot_count && recorder->def.robots[robot].description != NULL);
    return &recorder->robots[robot];
}

// ---- what others call, each on its own thread

void cairn_recorder_add_frames(cairn_recorder *recorder, uint32_t robot, const cairn_recorder_frames *frames,
                               cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_frames(recorder, part(recorder, robot), frames, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_place(cairn_recorder *recorder, uint32_t robot, cairn_pose2 map_T_private)
{
    cairn_lock_take(&recorder->lock);
    part(recorder, robot)->def.map_T_start = map_T_private;
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_motion(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_motion(recorder, part(recorder, robot), view, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_truth(cairn_recorder *recorder, uint32_t robot, const cairn_recorder_truth *truth,
                              cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_truth(recorder, part(recorder, robot), truth, now);
    cairn_lock_give(&recorder->lock);
}

static void write_link(cairn_recorder *recorder, uint16_t to, const cairn_link_info *link, cairn_mono now)
{
    uint64_t put_count[CAIRN_LINK_STREAM_COUNT], acknowledged_count[CAIRN_LINK_STREAM_COUNT];
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        put_count[i] = link->streams[i].put_count;
        acknowledged_count[i] = link->streams[i].acknowledged_count;
    }
    const cairn_ros_cairn_msgs_LinkState message = {
        .state = cairn_link_state_name(link->state),
        .put_count = {.data = put_count, .count = CAIRN_LINK_STREAM_COUNT},
        .acknowledged_count = {.data = acknowledged_count, .count = CAIRN_LINK_STREAM_COUNT},
        .packets_sent = link->packets_sent,
        .packets_received = link->packets_received,
        .loss = (float)link->loss,
        .round_trip_s = (float)cairn_seconds(link->round_trip_ns),
    };
    cairn_recorder_write(recorder, to, now, now, &message);
}

void cairn_recorder_add_link(cairn_recorder *recorder, uint32_t robot, const cairn_link_info *link, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    const uint16_t to = cairn_recorder_due(recorder, part(recorder, robot), CAIRN_TOPIC_LINK, now);
    if (to != 0) { write_link(recorder, to, link, now); }
    cairn_lock_give(&recorder->lock);
}
