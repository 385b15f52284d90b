// deliberate.h - T2: mapping, planning, looking for victims, and the robot's post, in the time left over.
//
// Step functions that share one processor; their declared costs are in deliberate_steps. What a step works out for
// others (cells, messages) leaves in its publish, so that in lockstep it appears when the cost has passed.
//
// Threads  All steps on one thread.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/body.h"
#include "maps/terrain_planes.h"
#include "messages/codec.h"
#include "robot/behaviour/behaviour.h"
#include "robot/behaviour/laser_doubt.h"
#include "robot/checkpoint.h"
#include "robot/condition/condition.h"
#include "robot/deliberate/areas.h"
#include "robot/deliberate/navigator.h"
#include "robot/deliberate/onward.h"
#include "robot/deliberate/tracker.h"
#include "robot/deliberate/watch.h"
#include "robot/ground/footing.h"
#include "robot/modes.h"
#include "robot/place/compass.h"
#include "robot/place/health.h"
#include "robot/place/own_map.h"
#include "robot/place/storey.h"
#include "robot/post/post.h"
#include "robot/post/sent_maps.h"
#include "robot/reflex/reflex_cells.h"
#include "robot/resume.h"
#include "robot/view.h"
#include <stdatomic.h>

typedef struct cairn_deliberate_def {
    uint8_t robot_id;
    const cairn_body *body; // borrowed, as are the next three
    const cairn_reflex_cells *reflex;
    const cairn_behaviour_cells *behaviour;
    cairn_cell *view; // cairn_robot_view, for whoever looks
    cairn_robot_post_boxes boxes;
    cairn_log log;
    cairn_cell *checkpoint; // cairn_checkpoint; NULL: nothing is kept
} cairn_deliberate_def;

// What a robot that searches by itself does when nobody hears it (retreat.c).
typedef enum cairn_retreat {
    CAIRN_RETREAT_NONE,  // it is heard, or has something to do
    CAIRN_RETREAT_ON,    // its task is done: searches on by itself
    CAIRN_RETREAT_BACK,  // on its way back along its trail
    CAIRN_RETREAT_REPORT // heard again: stands until what it has seen is told
} cairn_retreat;

// How much of the battery is left (battery.c).
typedef enum cairn_battery_level {
    CAIRN_BATTERY_GOOD, // or nobody knows
    CAIRN_BATTERY_LOW,
    CAIRN_BATTERY_CRITICAL
} cairn_battery_level;

#define CAIRN_ALARMS_MAX 8

typedef struct cairn_deliberate {
    cairn_deliberate_def def;
    // what the cells said last
    cairn_reflex_state state;
    cairn_behaviour_state behaviour;
    cairn_battery_frame battery;
    uint64_t scan_version, thermal_version, swept_version, image_version;
    bool listened;
    cairn_mono listened_from;
    uint32_t lacks; // bit 1 << cairn_lack for each sensor that is silent
    bool reflex_heard, reflex_silent;
    _Atomic bool over; // reflex has begun another odometry: what is known here does not hold any longer
    // what it thinks with
    cairn_tracker tracker;
    cairn_footing footing;
    cairn_own_map own_map;
    cairn_navigator navigator;
    cairn_robot_areas areas;
    cairn_mono areas_told_at; // to reflex
    bool areas_adrift;        // it does not know its place, and they stay where they were expressed last
    uint32_t refused_told;    // of the places where it would lean too far
    cairn_mono refused_told_at;
    cairn_watch watch;
    cairn_orders_state orders;
    cairn_mode_tally tally;
    cairn_place_health health; // how well it knows its place: what is built on it asks here
    cairn_health health_told;  // in an event
    bool carried;              // somebody has it in his hands
    bool stood;                // it has felt the ground under the robot
    bool restarted;            // its private frame began where nobody knows
    bool apart;                // its trail began anew, and the station has not heard of it yet
    cairn_mono sure_at;        // of its place, last
    cairn_mono seeks_from;     // it has looked for its place on its own map since then; 0: it does not
    uint32_t stretch;          // of its trail: it was cut so many times
    uint32_t stretch_told;     // in an event
    uint32_t stretch_node;     // the last node before this stretch
    // without the station
    cairn_retreat retreat;
    cairn_onward onward;
    double heard_way_m;         // its way when it last heard the station
    cairn_vec2 heard_m;         // and where it was, private frame
    cairn_mono reports_until;   // the latest
    cairn_vec2 got_somewhere_m; // private frame: where it was when it last did
    cairn_mono got_somewhere_at;
    // nodes of the trail
    uint32_t node_count;
    cairn_pose2 private_T_node;
    bool node_hangs_on; // private_T_node is in this private frame: there is an edge from it
    cairn_terrain_planes planes;
    cairn_vec2 planes_middle_m; // private frame, whose axes are theirs
    cairn_sent_maps sent;
    bool node_ready;
    cairn_mono node_at;
    cairn_pose2 node_edge;
    cairn_guess_deviation node_edge_deviation;
    cairn_battery_level battery_level;
    uint32_t battery_order; // the order in force when the battery was first found low or critical
    struct {                // of the bumpers front, rear, left, right
        bool pressed;
        cairn_pose2 odom_T_base; // where it was when it began
        cairn_mono since;
    } touches[4];
    cairn_mono alarm_told_at[CAIRN_ALARMS_MAX]; // of each of alarms.c; 0: never
    uint32_t reflex_refused_count;              // by reflex, commands and tellings, when it was last looked at
    cairn_mono reflex_refused_at;               // 0: never
    // slip
    cairn_mono slipped_at; // when it last did; 0: never
    cairn_mono slip_told_at;
    // the Earth's field and its air, of bodies that feel them
    cairn_compass compass;
    cairn_storey storey;
    cairn_mono turned_at; // by the compass, last
    // post
    uint32_t messages_dropped_count; // not understood, or not to be encoded
    cairn_near_obstacles near;
    cairn_sound_ground ground;
    cairn_laser_doubt laser_doubt, image_doubt;
    bool wary; // there was a mind before it: its laser may be frozen, and is heard once two of its scans have differed
    cairn_radio_message message; // room for one
    // restarts
    uint32_t start_count, lately_count;
    cairn_mono starts[CAIRN_CHECKPOINT_STARTS];
    cairn_mono kept_at;              // the last checkpoint
    cairn_condition_state condition; // what has become of it
    cairn_condition condition_told;  // in an event
    cairn_escape escape_told;
} cairn_deliberate;

CAIRN_CHECKED cairn_err cairn_deliberate_init(cairn_deliberate *deliberate, const cairn_deliberate_def *def,
                                              cairn_arena *arena);
// Takes over what the mind before it left; before the first step, and with a checkpoint cell only. The first checkpoint
// is written.
typedef struct cairn_deliberate_past {
    cairn_resume resume;
    const cairn_checkpoint *last;     // NULL when it begins anew; borrowed for the call, as is the next
    const cairn_reflex_state *reflex; // how reflex is now
    cairn_orders_state orders;
    uint32_t start_count; // of minds lately
} cairn_deliberate_past;
void cairn_deliberate_resume(cairn_deliberate *deliberate, const cairn_deliberate_past *past, cairn_mono now);

// Registers the steps in this lane, on this processor.
void cairn_deliberate_register(cairn_deliberate *deliberate, cairn_executor *executor, uint32_t lane,
                               uint32_t processor);

// The parts of the job, each in its own file.
void cairn_deliberate_notice_lacks(cairn_deliberate *deliberate, cairn_mono now);   // lacks.c
void cairn_deliberate_notice_slip(cairn_deliberate *deliberate, cairn_mono now);    // lacks.c: after each scan
void cairn_deliberate_tell_alarms(cairn_deliberate *deliberate, cairn_mono now);    // alarms.c
void cairn_deliberate_notice_doubt(cairn_deliberate *deliberate, cairn_mono now);   // lacks.c: often
void cairn_deliberate_notice_bumpers(cairn_deliberate *deliberate, cairn_mono now); // alarms.c
// cut.c: after each scan. Whether no node is made; and a trail that is cut for good.
void cairn_deliberate_seek_place(cairn_deliberate *deliberate, cairn_mono now);
bool cairn_deliberate_is_trail_cut(const cairn_deliberate *deliberate);
void cairn_deliberate_cut_trail(cairn_deliberate *deliberate, cairn_mono now);
// Whether the station can have heard of the frame that this robot counts in: what it sent before means elsewhere.
bool cairn_deliberate_shares_frame(const cairn_deliberate *deliberate);
// Before each plan: whether the robot goes by itself, and nothing makes it stand: battery, contact, a doubtful place.
bool cairn_deliberate_may_go(cairn_deliberate *deliberate, cairn_mono now);
// battery.c: before each plan. False while the robot must stand.
bool cairn_deliberate_heed_battery(cairn_deliberate *deliberate, cairn_mono now);
double cairn_deliberate_charge(const cairn_deliberate *deliberate); // [-] 0..1; NaN not known
// conditions.c: often; and whether it may move by itself as it is.
void cairn_deliberate_notice_condition(cairn_deliberate *deliberate, cairn_mono now);
bool cairn_deliberate_heed_condition(const cairn_deliberate *deliberate);
// earth.c: what magnetometer and barometer say, and the turn that the first asks for.
void cairn_deliberate_feel_earth(cairn_deliberate *deliberate, cairn_mono now);
void cairn_deliberate_heed_compass(cairn_deliberate *deliberate, cairn_mono now);
// For telemetry: it has slipped just now.
uint32_t cairn_deliberate_slip_bit(const cairn_deliberate *deliberate, cairn_mono now);
// retreat.c: before each plan. False while the robot must stand.
bool cairn_deliberate_heed_contact(cairn_deliberate *deliberate, cairn_mono now);
void cairn_deliberate_listen(cairn_deliberate *deliberate, cairn_mono now);     // cells
void cairn_deliberate_read_post(cairn_deliberate *deliberate, cairn_mono now);  // post_in.c
void cairn_deliberate_tell_areas(cairn_deliberate *deliberate, cairn_mono now); // post_in.c: often
void cairn_deliberate_send(cairn_deliberate *deliberate, cairn_inbox *box);     // post_out.c: deliberate->message
void cairn_deliberate_keep(cairn_deliberate *deliberate, cairn_mono now);       // keep.c: writes a checkpoint
void cairn_deliberate_keep_if_due(cairn_deliberate *deliberate, cairn_mono now);
void cairn_deliberate_report_people(cairn_deliberate *deliberate);                      // sightings that are due
bool cairn_deliberate_hears_reflex(const cairn_deliberate *deliberate, cairn_mono now); // it has spoken just now
void cairn_deliberate_send_telemetry(cairn_deliberate *deliberate, cairn_mono now);
void cairn_deliberate_send_node(cairn_deliberate *deliberate);
void cairn_deliberate_send_event(cairn_deliberate *deliberate, cairn_mono now, cairn_log_level level,
                                 const char *format, ...) CAIRN_PRINTF(4, 5);
