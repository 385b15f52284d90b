#include "robot/robot.h"
#include "robot/mind.h"
#include "robot/reflex/reflex.h"

struct cairn_robot {
    cairn_robot_def def;
    cairn_reflex_cells cells;
    cairn_reflex *reflex;
    cairn_mind *mind;
};

static cairn_err create_parts(cairn_robot *robot, cairn_arena *arena)
{
    cairn_err err = cairn_reflex_cells_create(arena, &robot->cells);
    if (err == CAIRN_OK) { err = cairn_reflex_create(robot->def.body, &robot->cells, arena, &robot->reflex); }
    if (err != CAIRN_OK) { return err; }
    cairn_reflex_switch_off(robot->reflex, robot->def.without_guards);
    const cairn_mind_def mind = {
        .body = robot->def.body, .reflex = robot->cells, .link = robot->def.link, .log = robot->def.log};
    return cairn_mind_create(&mind, arena, &robot->mind);
}

cairn_err cairn_robot_create(const cairn_robot_def *def, cairn_arena *arena, cairn_robot **ret_robot)
{
    cairn_robot *robot = CAIRN_TAKE(arena, cairn_robot, 1);
    if (robot == NULL) { return CAIRN_ERR_FULL; }
    robot->def = *def;
    const cairn_err err = create_parts(robot, arena);
    if (err == CAIRN_OK) { *ret_robot = robot; }
    return err;
}

void cairn_robot_finish(cairn_robot *robot)
{
    if (robot != NULL) { cairn_mind_finish(robot->mind); }
}

cairn_inbox *cairn_robot_from_air(cairn_robot *robot) { return cairn_mind_from_air(robot->mind); }
cairn_inbox *cairn_robot_to_air(cairn_robot *robot) { return cairn_mind_to_air(robot->mind); }

static void reflex_step(void *context, cairn_mono now) { cairn_reflex_step(((cairn_robot *)context)->reflex, now); }

void cairn_robot_register(cairn_robot *robot, cairn_executor *executor, uint32_t lane)
{
    const cairn_task_def reflex = {.name = "reflex",
                                   .lane = lane,
                                   .processor = 0,
                                   .priority = 80,
                                   .period_ns = CAIRN_REFLEX_PERIOD_NS,
                                   .step = reflex_step,
                                   .state = robot};
    cairn_executor_add_task(executor, &reflex);
    cairn_mind_register(robot->mind, executor, lane);
}

bool cairn_robot_look(cairn_robot *robot, cairn_robot_view *ret_view) { return cairn_mind_look(robot->mind, ret_view); }

const cairn_occupancy_grid *cairn_robot_own_map(const cairn_robot *robot) { return cairn_mind_own_map(robot->mind); }

cairn_link_info cairn_robot_link_info(const cairn_robot *robot, cairn_mono now)
{
    return cairn_mind_link_info(robot->mind, now);
}

const cairn_reflex_cells *cairn_robot_cells(const cairn_robot *robot) { return &robot->cells; }
const cairn_cell *cairn_robot_telemetry(const cairn_robot *robot) { return cairn_mind_telemetry(robot->mind); }
