// mission_inputs.h - what a mission command reads before it begins and writes when it is over.
#pragma once
#include "sim/mission/file/mission_file.h"
#include "sim/mission/team.h"

typedef struct cairn_mission_inputs {
    cairn_arena memory;
    const char *path; // of the mission file; borrowed
    cairn_mission_file file;
    cairn_sim_arena arena;
    const char *physics; // of the file, or as the command says
    cairn_body_description *descriptions;
    char out[1024], journal_path[1100];
    char command[2048]; // that runs it again, for the report; cairn_mission_remember fills it in
} cairn_mission_inputs;

// Whether --physics names one at all, in this build or not; NULL: not given. Says so to stderr if it does not.
bool cairn_mission_physics_is_known(const char *command, const char *physics);

// Reads the mission and all files that it names, telling all that is wrong at once; checks that this build has the
// physics (NULL: that of the file); makes the folder for the results (NULL: out/NAME-SEED). Finish it in any case.
CAIRN_CHECKED cairn_err cairn_mission_inputs_read(cairn_mission_inputs *inputs, const char *path, const char *physics,
                                                  const char *out, uint64_t seed, cairn_complaints *complaints);
void cairn_mission_inputs_finish(cairn_mission_inputs *inputs);

// A team for these inputs, with keys from the seed and everything repeatable; borrows the inputs.
cairn_team_def cairn_mission_team_def(const cairn_mission_inputs *inputs, uint64_t seed);

// How it was called: the command ("cairn mission run"), the file, seed and physics, and further words, which may be
// empty.
void cairn_mission_remember(cairn_mission_inputs *inputs, const char *command, uint64_t seed, const char *further);

// Ends the team's journal and writes map.png, map.tif, map_NAME.tif, map_victims.csv, map_ways.csv, graph.g2o,
// closures.csv, collisions.csv, score.json, series.csv and report.html: each that can be written, whatever becomes of
// the others. The score is filled in any case. The first error of several, with all reasons. The caller frees
// *ret_json, which is NULL without memory.
CAIRN_CHECKED cairn_err cairn_mission_write_results(cairn_team *team, const cairn_mission_inputs *inputs,
                                                    cairn_score_end ended, cairn_complaints *complaints,
                                                    cairn_score *ret_score, char **ret_json);
// In words, to stdout.
void cairn_mission_tell(const cairn_score *score, const cairn_mission_inputs *inputs, double wall_s);
