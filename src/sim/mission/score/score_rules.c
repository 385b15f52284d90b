// The same mission in the style of three competitions. Where their rules are published the figures are theirs; the rest
// is ours, and docs/missions.md says which is which.
#include "sim/mission/score/score.h"
#include <math.h>

// RoboCup Rescue. A victim behind the radio dropout zone counted twice if the robot came back by itself, as the team of
// the Emu tells; the weights are ours.
#define ROBOCUP_VICTIM 20.0
#define ROBOCUP_MAP 20.0
#define ROBOCUP_BUMP 5.0
#define ROBOCUP_WRONG 5.0
#define ROBOCUP_RMS_M 0.2 // walls this wrong on average make a map worthless

// MAGIC 2010: map quality, objects dealt with, robots lost and human interaction; how much each counted was not
// published.
#define MAGIC_MAP 100.0
#define MAGIC_OBJECT 10.0
#define MAGIC_WRONG 5.0
#define MAGIC_ROBOT 10.0
#define MAGIC_ACTION 1.0
#define MAGIC_RMS_M 0.5

// SubT final: 40 artifacts, 45 reports, 5 m.
#define SUBT_M 5.0
#define SUBT_REPORTS 45
#define SUBT_ARTIFACTS 40

// [-] 1 for walls where they are, 0 for such as are wrong by rms_m or more, or for none at all.
static double map_quality(const cairn_score *score, double rms_m)
{
    return isfinite(score->map_wall_rms_m) ? fmax(0.0, 1.0 - score->map_wall_rms_m / rms_m) : 0.0;
}

static uint32_t count_brought_home(const cairn_score *score)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < score->person_count; i++) {
        const cairn_victim_score *person = &score->people[i];
        count += person->found && person->robot < score->robot_count && score->robots[person->robot].returned;
    }
    return count;
}

static cairn_robocup_score robocup(const cairn_score *score)
{
    cairn_robocup_score points = {.victims = ROBOCUP_VICTIM * score->found_count,
                                  .returned = ROBOCUP_VICTIM * count_brought_home(score),
                                  .map = ROBOCUP_MAP * score->explored_fraction * map_quality(score, ROBOCUP_RMS_M),
                                  .bumps = 0 - ROBOCUP_BUMP * score->collisions.count,
                                  .wrong = 0 - ROBOCUP_WRONG * score->false_count};
    points.total = points.victims + points.returned + points.map + points.bumps + points.wrong;
    return points;
}

// Reports may be taken back or moved in a later phase: counts can fall.
static double change(uint32_t from, uint32_t to) { return (double)to - (double)from; }

static cairn_magic_phase_score magic_phase(const cairn_phase_score *phase, double quality)
{
    const cairn_score_mark *from = &phase->from, *to = &phase->to;
    cairn_magic_phase_score points = {.map = MAGIC_MAP * (to->explored_fraction - from->explored_fraction) * quality,
                                      .objects = MAGIC_OBJECT * change(from->found_count, to->found_count),
                                      .wrong = 0 - MAGIC_WRONG * change(from->false_count, to->false_count),
                                      .robots_lost = 0 - MAGIC_ROBOT * change(from->dead_count, to->dead_count),
                                      .interaction = 0 - MAGIC_ACTION * change(from->action_count, to->action_count)};
    points.total = points.map + points.objects + points.wrong + points.robots_lost + points.interaction;
    return points;
}

static cairn_magic_score magic(const cairn_score *score)
{
    cairn_magic_score points = {.map_quality = map_quality(score, MAGIC_RMS_M)};
    for (uint32_t i = 0; i < score->phase_count; i++) {
        points.phases[i] = magic_phase(&score->phases[i], points.map_quality);
        points.total += points.phases[i].total;
    }
    return points;
}

// The nearest person that no earlier report has scored; person_count: none within reach.
static uint32_t nearest_open(const cairn_score *score, cairn_vec2 at_m, const bool *scored)
{
    uint32_t best = score->person_count;
    double best_m = SUBT_M;
    for (uint32_t v = 0; v < score->person_count; v++) {
        const double away_m = cairn_vec2_distance(at_m, score->people[v].at_m);
        if (scored[v] || away_m > best_m || (best < score->person_count && away_m == best_m)) { continue; }
        best = v;
        best_m = away_m;
    }
    return best;
}

// The first reports count, whatever they are worth; a report scores one artifact at most, an artifact one point.
static cairn_subt_score subt(const cairn_score *score)
{
    const uint32_t allowed = (score->victim_count * SUBT_REPORTS + SUBT_ARTIFACTS - 1) / SUBT_ARTIFACTS;
    cairn_subt_score points = {.allowed_count = allowed, .made_count = score->report_count};
    bool scored[CAIRN_VICTIMS_MAX] = {false};
    for (uint32_t i = 0; i < score->report_count && i < allowed; i++) {
        const uint32_t at = nearest_open(score, score->reports[i].at_m, scored);
        if (at == score->person_count) { continue; }
        scored[at] = true;
        points.scored_count++;
    }
    return points;
}

void cairn_score_rules(cairn_score *score)
{
    CAIRN_ASSERT(score->phase_count <= CAIRN_MISSION_PHASES_MAX);
    score->robocup = robocup(score);
    score->magic = magic(score);
    score->subt = subt(score);
}
