#include "robot/deliberate/watch.h"
#include "messages/units.h"

#define POINTS_AGE_NS_MAX CAIRN_MS(300) // between scan and picture; a robot turns by 20 degrees meanwhile

cairn_err cairn_watch_init(cairn_watch *watch, const cairn_laser_description *laser, cairn_arena *arena)
{
    CAIRN_ASSERT(watch != NULL && laser != NULL && arena != NULL);
    *watch = (cairn_watch){.spots_def = cairn_hot_spots_def_default(), .place_def = cairn_spot_place_def_default()};
    watch->laser_m = laser->offered && !laser->nod.offered ? laser->base_T_laser.at_m.z : NAN;
    const cairn_victim_tracks_def def = cairn_victim_tracks_def_default();
    return cairn_victim_tracks_create(&def, arena, &watch->tracks);
}

// The camera as it was at the picture, in the levelled frame of the scan's points.
static cairn_pose3 camera_among_points(const cairn_thermal_frame *frame, const cairn_thermal_description *camera,
                                       const cairn_tracker *tracker, const cairn_reflex_state *state)
{
    const cairn_pose2 odom_T_points = cairn_odom_at(state, tracker->points_at);
    const cairn_pose2 points_T_base = cairn_pose2_between(odom_T_points, cairn_odom_at(state, frame->taken));
    const bool level = !isfinite(state->roll_rad) || !isfinite(state->pitch_rad);
    const cairn_rpy tilt = {level ? 0 : state->roll_rad, level ? 0 : state->pitch_rad, 0};
    const cairn_pose3 level_T_base = {.turn = cairn_quat_from_rpy(tilt)};
    if (camera->pan_tilt.offered && isfinite(frame->pan_rad) && isfinite(frame->tilt_rad)) {
        const cairn_rpy head = {0, (double)frame->tilt_rad, (double)frame->pan_rad};
        const cairn_pose3 mount_T_camera = {.turn = cairn_quat_from_rpy(head)};
        const cairn_pose3 base_T_camera = cairn_pose3_compose(camera->base_T_camera, mount_T_camera);
        return cairn_pose3_compose(cairn_pose3_from_pose2(points_T_base, 0),
                                   cairn_pose3_compose(level_T_base, base_T_camera));
    }
    return cairn_pose3_compose(cairn_pose3_from_pose2(points_T_base, 0),
                               cairn_pose3_compose(level_T_base, camera->base_T_camera));
}

void cairn_watch_be_on_floor(cairn_watch *watch, int32_t floor)
{
    if (floor == watch->floor) { return; }
    watch->floor = floor;
    cairn_victim_tracks_forget(watch->tracks);
}

void cairn_watch_step(cairn_watch *watch, const cairn_thermal_frame *frame, const cairn_thermal_description *camera,
                      const cairn_tracker *tracker, const cairn_reflex_state *state)
{
    const int64_t apart_ns = cairn_mono_since(frame->taken, tracker->points_at);
    if (apart_ns > POINTS_AGE_NS_MAX || apart_ns < -POINTS_AGE_NS_MAX) { return; }
    cairn_hot_spot spots[CAIRN_HOT_SPOTS_MAX];
    watch->spots_def.field_rad = camera->field_rad;
    watch->place_def.laser_m = cairn_scan_leans(state) ? NAN : watch->laser_m; // then its plane is not level
    const uint32_t spot_count =
        cairn_hot_spots_find(&watch->spots_def, frame->centikelvin, frame->width_px, frame->height_px, spots);
    watch->picture_count++;
    watch->spot_count += spot_count;
    const cairn_pose3 points_T_camera = camera_among_points(frame, camera, tracker, state);
    const cairn_pose3 private_T_points = cairn_pose3_from_pose2(tracker->private_T_base, 0);
    cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < spot_count; i++) {
        const cairn_hot_spot *spot = &spots[i];
        cairn_spot_place place;
        if (!cairn_spot_place_find(&watch->place_def, spot, &tracker->points, points_T_camera, &place)) { continue; }
        sightings[count++] = (cairn_victim_sighting){.at_m = cairn_pose3_apply(private_T_points, place.at_m),
                                                     .deviation_m = place.deviation_m,
                                                     .celsius_max = spot->celsius_max,
                                                     .cut = spot->cut_left || spot->cut_right,
                                                     .rough = place.hit_count == 0};
    }
    cairn_victim_tracks_add(watch->tracks, sightings, count, frame->taken);
}

bool cairn_watch_take_report(cairn_watch *watch, uint8_t robot, cairn_msg_victim_seen *ret_seen)
{
    cairn_victim_track track;
    if (!cairn_victim_tracks_take_report(watch->tracks, &track)) { return false; }
    *ret_seen = (cairn_msg_victim_seen){
        .robot = robot,
        .sighting = track.id,
        .mono_ns = track.last_seen.ns,
        .x_mm = cairn_to_milli(track.at_m.x),
        .y_mm = cairn_to_milli(track.at_m.y),
        .z_mm = cairn_to_milli(track.at_m.z),
        .floor = (int8_t)watch->floor,
        .deviation_mm = (uint16_t)fmin(cairn_to_milli(track.deviation_m), 65534),
        .temperature_dc = (int16_t)lround(fmin(fmax(track.celsius_max, -40), 200) * 10),
        .frame_count = (uint16_t)(track.frame_count < 65535 ? track.frame_count : 65535),
        .confidence_pct = (uint8_t)lround(100 * fmin(fmax(track.confidence, 0), 1)),
    };
    return true;
}
