// candidates.h - closures that wait beside the graph until others bear them out, and the story of every one of them.
//
// A proposed closure is compared with the others that wait: with short chains of the graph between their ends, two of
// them make a cycle, which must be the identity within its covariance, and so tight that this is no chance. When enough
// of them agree pair by pair (a clique), all of these are put into the graph. One that a good chain of the graph itself
// bears out or clearly contradicts is decided by that; one that the whole way through the graph, however uncertain,
// rules out does not wait at all. Who waits too long expires: old ones make chance agreements likelier.
//
// State    The stories, and cairn_candidates_kept. All else follows from them and from the graph, whose factors never
//          change their places: what is restored from both goes on as if nothing had been.
// Memory   From the arena at create; stories are never forgotten, so their number is bounded.
// Threads  One owner, of the graph too, which is borrowed for as long.
// Source   Olson et al. 2012 (Magic), 4.5; Olson 2009; Mangelson et al. 2018 (pairwise consistency).
#pragma once
#include "slam/closure/clique.h"
#include "slam/graph/pose_graph.h"

#define CAIRN_STORY_AGREED_MAX 8u
#define CAIRN_STORY_PROPOSER_BYTES 24u

typedef struct cairn_candidates cairn_candidates;

typedef enum cairn_closure_state {
    CAIRN_CLOSURE_WAITS,
    CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE, // others that waited agreed
    CAIRN_CLOSURE_ACCEPTED_BY_MAP,    // a good chain of the graph agreed
    CAIRN_CLOSURE_ACCEPTED_BY_PERSON,
    CAIRN_CLOSURE_REFUSED_BY_MAP, // a chain of the graph contradicted
    CAIRN_CLOSURE_REFUSED_BY_PERSON,
    CAIRN_CLOSURE_EXPIRED,
    CAIRN_CLOSURE_WITHDRAWN, // was accepted, and the solved map contradicted
    CAIRN_CLOSURE_STATE_COUNT
} cairn_closure_state;

typedef struct cairn_closure_proposal {
    uint32_t from, to;
    cairn_graph_pose measured; // from_T_to
    double information[21];    // as in cairn_factor
    // What a wrong one could say: volume of the window that was searched, m2 rad in the plane, m3 times quaternion
    // parts in space. Smaller windows make agreement by chance likelier.
    double window;
    float score, ambiguity; // [-] the proposer's, for the story
    char proposer[CAIRN_STORY_PROPOSER_BYTES];
} cairn_closure_proposal;

typedef struct cairn_closure_story {
    cairn_closure_proposal proposal;
    cairn_closure_state state;
    cairn_mission proposed_at, decided_at;
    uint32_t factor;       // in the graph; CAIRN_GRAPH_NONE if it never was accepted
    uint32_t agreed_count; // stories that agreed when it was decided; the first of them are named
    uint32_t agreed[CAIRN_STORY_AGREED_MAX];
    double chi2; // [-] of its best cycle; NaN if it had none
} cairn_closure_story;

typedef struct cairn_candidates_def {
    uint32_t stories_max, waiting_max; // waiting_max at most CAIRN_CLIQUE_MEMBERS_MAX; more: the oldest expire
    double probability;                // [-] that right ones agree: the bound of a cycle's chi2
    double possible; // [-] of right ones that the least uncertain way through the graph does not rule out; 0: not asked
    double chance_max; // [-] that a wrong one would agree
    double trace_max;  // [m2 + rad2] of the chains between the ends of two candidates
    uint32_t
        clique_min; // that must agree, itself included: 2 is Magic's cycle, 3 and more are surer and slower to accept
    // Two of the same `to` do not bear each other out: if that look is mistaken, all closures of it are. Surer where
    // clique_min is small; slower to accept.
    bool is_look_one_witness;
    // [m] Nor do two whose ends lie nearer than this to each other, both of them: a robot that stands before what looks
    // like another place is mistaken each time that it looks. Larger: surer where places look alike; slower to accept.
    double witness_m;
    int64_t expires_ns;
    uint32_t clique_steps_max;
} cairn_candidates_def;

// What the stories do not tell. Those that wait are the stories of that state, in their order.
typedef struct cairn_candidates_kept {
    uint32_t new_count;        // the last ones of them: not compared with the others yet
    cairn_agreement agreement; // of them; rows beyond its count are 0
} cairn_candidates_kept;

cairn_candidates_def cairn_candidates_def_default(void);
CAIRN_CHECKED cairn_err cairn_candidates_create(const cairn_candidates_def *def, cairn_graph *graph, cairn_arena *arena,
                                                cairn_candidates **ret_candidates);

// Adds one that waits, or is refused at once if it is not possible: its story tells. Searches the whole graph once.
// CAIRN_ERR_FULL: no room for another story. CAIRN_ERR_INVALID: as cairn_graph_add_factor, or an information that
// leaves a direction open.
CAIRN_CHECKED cairn_err cairn_candidates_propose(cairn_candidates *candidates, const cairn_closure_proposal *proposal,
                                                 cairn_mission now, uint32_t *ret_story);
// Adds one that waits for nobody: its match was made within what the map knows, and its story says that the map agrees.
// Errors as propose has them, and CAIRN_ERR_FULL without room in the graph.
CAIRN_CHECKED cairn_err cairn_candidates_accept(cairn_candidates *candidates, const cairn_closure_proposal *proposal,
                                                cairn_mission now, uint32_t *ret_story);
// Decides what can be decided; returns how many were accepted. Stops early if the graph has no more room for factors.
uint32_t cairn_candidates_step(cairn_candidates *candidates, cairn_mission now);
// A person's word: accepts one that waits or was refused, or refuses one, which is then gone from the graph too.
// CAIRN_ERR_FULL: no room in the graph.
CAIRN_CHECKED cairn_err cairn_candidates_decide(cairn_candidates *candidates, uint32_t story, bool is_accepted,
                                                cairn_mission now);
// The word of whoever solved the graph: an accepted one does not fit, by this chi2, and is gone from the graph.
void cairn_candidates_withdraw(cairn_candidates *candidates, uint32_t story, double chi2, cairn_mission now);
const cairn_closure_story *cairn_candidates_story(const cairn_candidates *candidates, uint32_t story);
uint32_t cairn_candidates_count(const cairn_candidates *candidates); // stories
// Saving and loading, after the graph: forget all, restore every story in its order, then what was kept.
// CAIRN_ERR_INVALID: does not fit the def, the graph or the stories; CAIRN_ERR_FULL: no room for another story.
cairn_candidates_kept cairn_candidates_keep(const cairn_candidates *candidates);
void cairn_candidates_forget(cairn_candidates *candidates);
CAIRN_CHECKED cairn_err cairn_candidates_restore(cairn_candidates *candidates, const cairn_closure_story *story);
CAIRN_CHECKED cairn_err cairn_candidates_restore_kept(cairn_candidates *candidates, const cairn_candidates_kept *kept);
// One line for people: who, what score, what agreed, why. Cut to fit.
void cairn_closure_story_tell(const cairn_closure_story *story, char *ret_text, size_t size_bytes);
const char *cairn_closure_state_name(cairn_closure_state state);
