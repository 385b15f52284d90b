// fleet.h - the robots as the station knows them: last word from each, its link, what it was told and is doing.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "link/link.h"
#include "messages/codec.h"
#include "robot/guard_names.h"
#include "robot/tasks.h"

#define CAIRN_FLEET_MAX 30
// The greatest number of an order, a task, a release or a node that is believed only because a robot names it: more
// than one comes to in its life, and far from where 32 bits end. What was given here may be greater.
#define CAIRN_NUMBER_MAX (1u << 24)
#define CAIRN_LOST_NS CAIRN_MS(2800) // nothing heard for this long: lost; shown so within 3 s

// What a robot has been sent to do.
typedef struct cairn_assignment {
    uint32_t task;       // 0: nothing
    uint8_t purpose;     // task.purpose on the air
    cairn_pose2 goal;    // map frame: stand here
    bool face;           // whether the goal's heading is wanted
    cairn_vec2 target_m; // map frame: the frontier or the spot to look at
    bool by_operator;    // the team's tasking leaves it alone
    cairn_mono given;
    cairn_mono said;         // last known to be under way
    cairn_mono due;          // by then it must be over
    cairn_vec2 moved_from_m; // where it was when it last got somewhere
    cairn_mono moved_at;
    cairn_pose2 told_T; // map_T_private when it was last told: the robot has it in its own frame
    uint32_t via_count; // the way there, map frame
    cairn_vec2 via_m[CAIRN_VIAS_MAX];
} cairn_assignment;

// The mode that a robot should be in: state, said again until its telemetry names the order.
typedef struct cairn_fleet_order {
    uint8_t mode;
    uint32_t count; // of orders given to this robot, here or by a station before: the last one's id
    uint32_t order; // id; 0: none given
    uint32_t named; // by its telemetry, the last
    bool unsaid;    // too many are under way
    cairn_mono sent;
} cairn_fleet_order;

// The stop of one robot: latched here, said again until the robot says that it stands.
typedef struct cairn_fleet_stop {
    bool wanted;            // until released
    bool acknowledged;      // telemetry agrees with wanted: stopped, or released
    bool held;              // a release that waits for older orders and tasks to be off the air
    uint32_t release_count; // of the last release
    cairn_mono sent;
} cairn_fleet_stop;

// The areas that a robot was told (areas/areas.h).
typedef struct cairn_fleet_areas {
    uint32_t count;        // of revisions given to this robot, here or by a station before
    uint32_t revision;     // the one it is to keep to; 0: none was given
    uint32_t change_count; // of the team's areas, as they were told
    cairn_pose2 told_T;    // map_T_private then
    cairn_mono said;
} cairn_fleet_areas;

// What decisions need to know of a robot's link, read once at the beginning of each step of the post. What is said
// later counts itself in. Everything else about links is for people only.
typedef struct cairn_link_facts {
    uint8_t stop_count, mode_count,
        task_count;        // messages under way, areas with the tasks: the link sends them by itself until taken
    uint64_t peer_session; // of the robot's last boot that was met; 0: none yet
    uint8_t other_version; // of the radio protocol that something in this robot's name speaks; 0: none met
    uint8_t unknown_id;    // of a message that the robot sent and that is not known here; 0: none
} cairn_link_facts;

typedef struct cairn_fleet_robot {
    uint8_t id;
    const char *name;          // borrowed: "emu1"
    cairn_pose2 map_T_private; // where its private frame lies in the map: its known start, then as its last place says
    bool heard;                // at all: until then nobody sees it
    bool unplaced;             // nobody knows where its private frame lies: map_T_private is where it was shown last
    bool is_cut;               // its private frame is not that of its start: its own way home ends elsewhere
    bool lost;                 // heard before, and silent for CAIRN_LOST_NS
    cairn_mono heard_at;
    cairn_link_facts facts;
    cairn_link_info link;          // for people: looked at twice a second, no part of the state
    cairn_msg_telemetry telemetry; // the last
    cairn_pose2 map_T_base;        // from it
    cairn_fleet_order order;
    cairn_fleet_stop stop;
    cairn_fleet_areas areas;
    cairn_assignment assignment;
    uint32_t task_count;        // ids given out, here or by a station before
    cairn_mono dropped_at;      // when it was last told to drop its task
    cairn_vec2 failed_at_m;     // where it stood when a task failed
    uint32_t failed_here_count; // tasks that failed there, one after another
    cairn_mono rests_until;     // no task before then
    uint32_t strange_count;     // numbers that it named and nobody gave: they are not believed
} cairn_fleet_robot;

typedef struct cairn_fleet {
    uint32_t count;
    cairn_fleet_robot robots[CAIRN_FLEET_MAX];
} cairn_fleet;

// Guards and lacks that a robot tells: bit 1 << number of robot/guard_names.h.
uint32_t cairn_fleet_guards(const cairn_fleet_robot *robot);

cairn_fleet_robot *cairn_fleet_find(cairn_fleet *fleet, uint8_t id); // NULL: not known
// Where its private frame lies is known better now; it stands accordingly.
void cairn_fleet_place(cairn_fleet_robot *robot, cairn_pose2 map_T_private);
// Returns what of it nobody can have told the robot, NULL: nothing. An order that is not believed counts as not known,
// a task as none, a release as none.
const char *cairn_fleet_hear_telemetry(cairn_fleet *fleet, const cairn_msg_telemetry *telemetry, cairn_mono now);
bool cairn_fleet_is_silent(const cairn_fleet_robot *robot, cairn_mono now); // heard once, not for CAIRN_LOST_NS
// How good a robot's link is, from loss, round trip and silence either way: [-] 0 nothing heard lately, or the robot
// has heard nothing .. 1 as good as it gets.
double cairn_fleet_link_quality(const cairn_fleet_robot *robot, cairn_mono now);
