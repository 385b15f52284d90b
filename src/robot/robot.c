#include "robot/robot.h"
#include "robot/behaviour/behaviour.h"
#include "robot/deliberate/deliberate.h"
#include "robot/post/post.h"
#include "robot/reflex/reflex.h"

struct cairn_robot {
    cairn_robot_def def;
    cairn_reflex_cells reflex_cells;
    cairn_behaviour_cells behaviour_cells;
    cairn_robot_post_boxes boxes;
    cairn_cell *view;
    cairn_reflex *reflex;
    cairn_behaviours *behaviours;
    cairn_robot_post *post;
    cairn_deliberate deliberate;
};

static cairn_err create_lines(cairn_robot *robot, cairn_arena *arena)
{
    cairn_err err = cairn_reflex_cells_create(arena, &robot->reflex_cells);
    if (err == CAIRN_OK) { err = cairn_behaviour_cells_create(arena, &robot->behaviour_cells); }
    if (err == CAIRN_OK) { err = cairn_robot_post_boxes_create(arena, &robot->boxes); }
    if (err == CAIRN_OK) { err = cairn_cell_create(arena, sizeof(cairn_robot_view), &robot->view); }
    return err;
}

static cairn_err create_parts(cairn_robot *robot, cairn_arena *arena)
{
    const cairn_body *body = robot->def.body;
    const cairn_robot_post_def post = {.link = robot->def.link,
                                       .reflex = robot->reflex_cells,
                                       .behaviour = robot->behaviour_cells,
                                       .boxes = robot->boxes};
    const cairn_deliberate_def deliberate = {.robot_id = robot->def.link.robot,
                                             .body = body,
                                             .reflex = &robot->reflex_cells,
                                             .behaviour = &robot->behaviour_cells,
                                             .view = robot->view,
                                             .boxes = robot->boxes,
                                             .log = robot->def.log};
    cairn_err err = cairn_reflex_create(body, &robot->reflex_cells, arena, &robot->reflex);
    if (err == CAIRN_OK) {
        err = cairn_behaviours_create(body, &robot->reflex_cells, &robot->behaviour_cells, arena, &robot->behaviours);
    }
    if (err == CAIRN_OK) { err = cairn_robot_post_create(&post, arena, &robot->post); }
    if (err == CAIRN_OK) { err = cairn_deliberate_init(&robot->deliberate, &deliberate, arena); }
    return err;
}

cairn_err cairn_robot_create(const cairn_robot_def *def, cairn_arena *arena, cairn_robot **ret_robot)
{
    cairn_robot *robot = CAIRN_TAKE(arena, cairn_robot, 1);
    if (robot == NULL) { return CAIRN_ERR_FULL; }
    robot->def = *def;
    robot->def.link.role = CAIRN_LINK_ROBOT;
    cairn_err err = create_lines(robot, arena);
    if (err == CAIRN_OK) { err = create_parts(robot, arena); }
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
    cairn_robot_post_finish(robot->post);
    cairn_robot_post_boxes_finish(&robot->boxes);
}

cairn_inbox *cairn_robot_from_air(cairn_robot *robot) { return cairn_robot_post_from_air(robot->post); }
cairn_inbox *cairn_robot_to_air(cairn_robot *robot) { return cairn_robot_post_to_air(robot->post); }

static void reflex_step(void *context, cairn_mono now) { cairn_reflex_step(((cairn_robot *)context)->reflex, now); }
static void behaviour_step(void *context, cairn_mono now)
{
    cairn_behaviours_step(((cairn_robot *)context)->behaviours, now);
}

static void post_step(void *context, cairn_mono now) { cairn_robot_post_step(((cairn_robot *)context)->post, now); }

void cairn_robot_register(cairn_robot *robot, cairn_executor *executor, uint32_t lane)
{
    enum { REFLEX, BEHAVIOUR, DELIBERATE }; // processors, and threads when in real time
    const cairn_task_def steps[] = {
        {.name = "reflex", .processor = REFLEX, .priority = 80, .step = reflex_step},
        {.name = "post", .processor = BEHAVIOUR, .priority = 40, .step = post_step},
        {.name = "behaviour", .processor = BEHAVIOUR, .priority = 40, .step = behaviour_step},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        cairn_task_def def = steps[i];
        def.lane = lane;
        def.period_ns = CAIRN_REFLEX_PERIOD_NS;
        def.state = robot;
        cairn_executor_add_task(executor, &def);
    }
    cairn_deliberate_register(&robot->deliberate, executor, lane, DELIBERATE);
}

bool cairn_robot_look(cairn_robot *robot, cairn_robot_view *ret_view)
{
    const cairn_robot_view *view = cairn_cell_latest(robot->view, NULL);
    if (view != NULL) { *ret_view = *view; }
    return view != NULL;
}

cairn_link_info cairn_robot_link_info(const cairn_robot *robot, cairn_mono now)
{
    return cairn_link_info_now(cairn_robot_post_link(robot->post), now);
}
