#include "sim/campaign/trace.h"
#include "sim/mission/deeds.h"
#include <math.h>

static void say_events(FILE *to, const cairn_plan *plan, char (*names)[CAIRN_JUDGE_NAME_BYTES])
{
    const char *robots[CAIRN_JUDGE_ROBOTS_MAX];
    for (uint32_t i = 0; i < CAIRN_JUDGE_ROBOTS_MAX; i++) { robots[i] = names[i]; }
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const cairn_deed deed = {.event = &plan->events[i]};
        const char *kind;
        char words[128];
        cairn_deed_say(&deed, robots, &kind, words, sizeof words);
        fprintf(to, "# %.3f %s\n", plan->events[i].at_s, words);
    }
}

void cairn_trace_begin(FILE *to, const cairn_plan *plan, char (*names)[CAIRN_JUDGE_NAME_BYTES])
{
    fprintf(to, "# %s\n", plan->words);
    say_events(to, plan, names);
    for (uint32_t i = 0; i < plan->hold_count; i++) {
        const cairn_plan_hold *hold = &plan->holds[i];
        fprintf(to, "# %.3f to %.3f %s of %s %s\n", cairn_seconds(hold->from_ns), cairn_seconds(hold->to_ns),
                hold->deliberate ? "T2" : "T1", names[hold->robot], hold->late ? "is late" : "hangs");
    }
    for (uint32_t i = 0; i < plan->death_count; i++) {
        const cairn_plan_death *death = &plan->deaths[i];
        fprintf(to, "# %.3f to %.3f %s of %s is dead\n", cairn_seconds(death->from_ns), cairn_seconds(death->to_ns),
                death->reflex ? "reflex" : "mind", names[death->robot]);
    }
    for (uint32_t i = 0; i < plan->wild_count; i++) {
        const cairn_plan_wild *wild = &plan->wilds[i];
        fprintf(to, "# %.3f to %.3f mind of %s is wild: %.2f forward, %.2f turn\n", cairn_seconds(wild->from_ns),
                cairn_seconds(wild->to_ns), names[wild->robot], wild->forward, wild->turn);
    }
    if (plan->lift_count > 0) {
        fprintf(to, "# %.3f %s is lifted for %.1f s\n", cairn_seconds(plan->lift.at_ns), names[plan->lift.robot],
                plan->lift.for_s);
    }
    fprintf(to, "t_s,robot,x_m,y_m,z_m,roll_deg,pitch_deg,yaw_deg,mps,radps,rim_mps,asked_mps,asked_radps,asked_age_s,"
                "told_mps,told_radps,guards,overridden,stopped,believed_x_m,believed_y_m,health,condition,odom_x_m,"
                "odom_y_m,odom_yaw_deg,truly\n");
}

void cairn_trace_add(FILE *to, const cairn_trace_row *row, cairn_mono now)
{
    const cairn_judge_sample *sample = row->sample;
    const cairn_robot_truth *truth = &sample->truth;
    const cairn_rpy turned = cairn_quat_to_rpy(truth->map_T_base.turn);
    const double deg = 180 / CAIRN_PI, yaw = turned.yaw_rad;
    const double mps = truth->velocity_mps.x * cos(yaw) + truth->velocity_mps.y * sin(yaw);
    const cairn_motion_command *command = row->command;
    const cairn_reflex_state *state = row->state;
    fprintf(to, "%.3f,%s,%.3f,%.3f,%.3f,%.1f,%.1f,%.1f,%.3f,%.3f,%.2f,", cairn_seconds(now.ns), row->name,
            truth->map_T_base.at_m.x, truth->map_T_base.at_m.y, truth->map_T_base.at_m.z, turned.roll_rad * deg,
            turned.pitch_rad * deg, yaw * deg, mps, truth->turn_radps.z, truth->wheel_radps[0]);
    fprintf(to, "%.2f,%.2f,%.3f,", command != NULL ? command->forward_mps : NAN,
            command != NULL ? command->turn_radps : NAN,
            command != NULL ? cairn_seconds(now.ns - command->issued.ns) : NAN);
    fprintf(to, "%.2f,%.2f,", sample->told_mps, sample->told_radps);
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS && state != NULL; bit++) {
        if (state->guards >> bit & 1) { fprintf(to, "%s ", cairn_guard_name(bit)); }
    }
    fprintf(to, ",%x,%d,%.3f,%.3f,%u,%u,", state != NULL ? state->overridden : 0, sample->stopped, sample->believed_m.x,
            sample->believed_m.y, sample->health, sample->condition);
    const cairn_pose2 odom = state != NULL ? state->odom_T_base : (cairn_pose2){NAN, NAN, NAN};
    fprintf(to, "%.3f,%.3f,%.1f,", odom.x_m, odom.y_m, odom.yaw_rad * deg);
    for (unsigned c = 0; c < CAIRN_CONDITION_COUNT; c++) {
        if (sample->conditions >> c & 1) { fprintf(to, "%u ", c); }
    }
    fprintf(to, "\n");
}
