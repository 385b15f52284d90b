// places.h - where the robots' private frames lie in the map: a pose graph over their trails.
//
// A robot's private frame never jumps, so it drifts: where it lies in the map is another question at each part of the
// trail. A place is a node of the trail at which that is asked. It carries the answer, map_T_private as seen from
// there, and all that was seen until the next place hangs on it: nodes, sightings, what was searched. A new place is
// made when the robot has moved a little since its last one.
//
// Graph    A place's index is its node's in the graph; its frame is the robot's base. Node 0 is the map's origin,
//          fixed. From it a factor leads to the first place of each robot: its known start. From place to place lead
//          factors of odometry, by the poses in the private frame and the deviations of all nodes between; of nodes
//          that did not come, by those that did. A node that comes late makes a place between two others. One that
//          comes before its robot's first place hangs on that.
// Cut      A robot that lost its place begins another stretch of its trail, and says so in each node. Nothing leads
//          there, so it is kept apart until somebody finds where it lies (finder.h): its start is then as good as
//          known.
// Restart  An older robot that lost its frame says so by an edge that does not lead from the node before it to where it
//          says to be. It starts again from its known start. Where the node before has not come, a node without an
//          edge near its frame's origin is taken for one; when it comes, both are asked again.
// Full     Later nodes hang on their robot's last place, as if it had not drifted since. Counted. There is always room
//          for the first place of a robot.
// Memory   From the arena at create, about 22 MB.
// Threads  One owner.
#pragma once
#include "slam/closure/candidates.h"
#include "station/atlas/node_store.h"

#define CAIRN_PLACES_MAX 16384u
#define CAIRN_PLACE_FACTORS_MAX (2 * CAIRN_PLACES_MAX + 8192u)
#define CAIRN_CLOSURE_STORIES_MAX 8192u
#define CAIRN_PLACE_NONE 0u // the origin: nothing hangs on it

typedef struct cairn_place {
    uint8_t robot; // id
    uint32_t node; // of the atlas
    cairn_pose2 private_T_place;
    cairn_pose2 map_T_private; // as seen from here
    double way_m;              // driven since the robot's first place
    double unsure_m2;          // variance of odometry's position since then, turns left out: jumps where wheels slipped
    bool is_tried;             // whether somebody has been here before: asked, or waits to be
    uint16_t stretch;          // of its trail, as its node says (messages/radio.def)
    bool is_apart;             // nobody knows where this stretch of the trail lies: nothing of it is drawn
    uint32_t before, after;    // of the same robot, by the nodes' numbers; CAIRN_PLACE_NONE
    uint32_t factor;           // that leads here: from the one before, or from the origin
} cairn_place;

typedef struct cairn_places_robot {
    uint32_t last;     // place with the greatest node; CAIRN_PLACE_NONE: none yet
    cairn_pose2 start; // map_T_private, known
} cairn_places_robot;

typedef struct cairn_places_def {
    double apart_m, apart_rad; // moved since the last place: another
    // Of a known start. Larger: one robot that slips near its start turns the map of all; smaller: a start that was
    // measured badly bends it.
    double start_m_dev, start_rad_dev;
    double edge_m_dev_min, edge_rad_dev_min; // no edge is surer than this, whatever its robot says
} cairn_places_def;

typedef struct cairn_places {
    cairn_places_def def;
    cairn_graph *graph;
    cairn_place *places; // graph->node_count of them
    cairn_candidates *candidates;
    cairn_places_robot robots[256]; // by id
    uint32_t *pending;              // places that wait to be tried, a ring of CAIRN_PLACES_MAX
    uint32_t pending_first, pending_count;
    uint32_t unsolved_count; // what a solve would change: closures accepted since the last one
    uint32_t unsolved_steps; // tasking steps since it
    uint32_t solve_count;
    uint32_t full_count; // nodes that should have become places
} cairn_places;

cairn_places_def cairn_places_def_default(void);
CAIRN_CHECKED cairn_err cairn_places_create(const cairn_places_def *def, cairn_arena *arena, cairn_places **ret_places);

// The place that a node hangs on, made if need be; `start` is where its robot's private frame is known to lie if this
// is the robot's first node. The store must not have the node's pose yet. O(1) for nodes that come in order.
uint32_t cairn_places_add(cairn_places *places, cairn_pose2 start, const cairn_msg_node *node,
                          const cairn_node_store *store);
// Where a robot's frame lies now: as seen from its last place; `start` before its first.
cairn_pose2 cairn_places_frame(const cairn_places *places, uint8_t robot, cairn_pose2 start);
uint32_t cairn_places_last(const cairn_places *places, uint8_t robot); // CAIRN_PLACE_NONE: none
bool cairn_places_is_apart(const cairn_places *places, uint8_t robot); // the stretch on which the robot is now
bool cairn_places_is_cut(const cairn_places *places, uint8_t robot);   // its frame is not the one that it began in
bool cairn_places_starts_frame(const cairn_places *places, uint32_t place);
// A stretch that was apart, from its first place on, lies here by what somebody has found, with these deviations of
// that place. What hangs on it must follow.
void cairn_places_settle(cairn_places *places, uint32_t place, cairn_pose2 map_T_private, double m_dev, double rad_dev);
// A place whose terrain map has come waits to be tried. Once for each.
void cairn_places_wait(cairn_places *places, uint32_t place);
// The one that has waited longest; CAIRN_PLACE_NONE: nobody waits.
uint32_t cairn_places_take(cairn_places *places);

typedef struct cairn_places_solved {
    uint32_t withdrawn_count; // closures that the others made implausible
    double chi2;
} cairn_places_solved;
// Solves the graph from where it is, by all closures that were accepted, and tells each place where the private frame
// lies. When a closure does not fit, all of them are weighed against each other, and those that lose are withdrawn. A
// pure function of the graph. CAIRN_ERR_FULL: scratch is too small; CAIRN_ERR_INVALID: the solver's. The places are
// then unchanged.
CAIRN_CHECKED cairn_err cairn_places_solve(cairn_places *places, cairn_arena *scratch, cairn_mission now,
                                           cairn_places_solved *ret_solved);

// What became of the closures that were proposed.
typedef struct cairn_closures_count {
    uint32_t accepted;  // and in the graph
    uint32_t refused;   // by the map, at once or when it was solved, or by a person
    uint32_t undecided; // nothing agreed in time, or they still wait
} cairn_closures_count;
cairn_closures_count cairn_places_closures(const cairn_places *places);

// A copy of the graph for files, from the arena. Names count up along each robot's trail, and leave one out where a
// private frame begins; known starts are factors on one node. So whoever reads it can tell starts, odometry and
// closures from each other. Indices are the same. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_places_copy_graph(const cairn_places *places, cairn_arena *arena,
                                                cairn_graph **ret_graph);

void cairn_places_walk(cairn_archive *archive, cairn_places *places);
