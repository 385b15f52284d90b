#include "robot/robot.h"
#include "robot/behaviour/behaviour.h"
#include "robot/deliberate/deliberate.h"
#include "robot/reflex/reflex.h"

#define INBOX_BYTES (64u << 10)
#define OUTBOX_BYTES (256u << 10)

struct cairn_robot {
    cairn_robot_def def;
    cairn_reflex_cells reflex_cells;
    cairn_behaviour_cells behaviour_cells;
    cairn_reflex *reflex;
    cairn_behaviours *behaviours;
    cairn_deliberate deliberate;
    cairn_inbox *inbox, *outbox;
};

static cairn_err create_parts(cairn_robot *robot, cairn_arena *arena)
{
    const cairn_body *body = robot->def.body;
    cairn_err err = cairn_reflex_cells_create(arena, &robot->reflex_cells);
    if (err == CAIRN_OK) { err = cairn_behaviour_cells_create(arena, &robot->behaviour_cells); }
    if (err == CAIRN_OK) { err = cairn_reflex_create(body, &robot->reflex_cells, arena, &robot->reflex); }
    if (err == CAIRN_OK) {
        err = cairn_behaviours_create(body, &robot->reflex_cells, &robot->behaviour_cells, arena, &robot->behaviours);
    }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, INBOX_BYTES, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_DROP_OLDEST, &robot->inbox);
    }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, OUTBOX_BYTES, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_DROP_OLDEST, &robot->outbox);
    }
    return err;
}

cairn_err cairn_robot_create(const cairn_robot_def *def, cairn_arena *arena, cairn_robot **ret_robot)
{
    CAIRN_ASSERT(def->id >= 1 && def->id <= 250);
    cairn_robot *robot = CAIRN_TAKE(arena, cairn_robot, 1);
    if (robot == NULL) { return CAIRN_ERR_FULL; }
    robot->def = *def;
    cairn_err err = create_parts(robot, arena);
    if (err == CAIRN_OK) {
        const cairn_deliberate_def deliberate = {.robot_id = def->id,
                                                 .body = def->body,
                                                 .reflex = &robot->reflex_cells,
                                                 .behaviour = &robot->behaviour_cells,
                                                 .inbox = robot->inbox,
                                                 .outbox = robot->outbox,
                                                 .log = def->log};
        err = cairn_deliberate_init(&robot->deliberate, &deliberate, arena);
    }
    if (err != CAIRN_OK) {
        cairn_robot_finish(robot);
        return err;
    }
    *ret_robot = robot;
    return CAIRN_OK;
}

void cairn_robot_finish(cairn_robot *robot)
{
    if (robot == NULL) { return; }
    cairn_inbox_finish(robot->inbox);
    cairn_inbox_finish(robot->outbox);
}

cairn_inbox *cairn_robot_inbox(cairn_robot *robot) { return robot->inbox; }
cairn_inbox *cairn_robot_outbox(cairn_robot *robot) { return robot->outbox; }

static void reflex_step(void *context, cairn_mono now) { cairn_reflex_step(((cairn_robot *)context)->reflex, now); }
static void behaviour_step(void *context, cairn_mono now)
{
    cairn_behaviours_step(((cairn_robot *)context)->behaviours, now);
}

void cairn_robot_register(cairn_robot *robot, cairn_executor *executor, uint32_t lane)
{
    enum { REFLEX, BEHAVIOUR, DELIBERATE }; // processors, and threads when in real time
    const cairn_task_def reflex = {.name = "reflex",
                                   .lane = lane,
                                   .processor = REFLEX,
                                   .period_ns = CAIRN_REFLEX_PERIOD_NS,
                                   .priority = 80,
                                   .step = reflex_step,
                                   .state = robot};
    const cairn_task_def behaviour = {.name = "behaviour",
                                      .lane = lane,
                                      .processor = BEHAVIOUR,
                                      .period_ns = CAIRN_REFLEX_PERIOD_NS,
                                      .priority = 40,
                                      .step = behaviour_step,
                                      .state = robot};
    cairn_executor_add_task(executor, &reflex);
    cairn_executor_add_task(executor, &behaviour);
    cairn_deliberate_register(&robot->deliberate, executor, lane, DELIBERATE);
}

void cairn_robot_look(const cairn_robot *robot, cairn_robot_view *ret_view)
{
    const cairn_deliberate *d = &robot->deliberate;
    *ret_view = (cairn_robot_view){
        .at = d->state.at,
        .private_T_base = cairn_tracker_pose(&d->tracker, &d->state),
        .odom_T_base = d->state.odom_T_base,
        .forward_mps = d->state.forward_mps,
        .turn_radps = d->state.turn_radps,
        .told_mps = d->state.told_mps,
        .told_radps = d->state.told_radps,
        .modes = d->tally,
        .guards = d->state.guards,
        .match_quality = d->tracker.matched_count > 0 ? d->tracker.match.quality : NAN,
    };
}
