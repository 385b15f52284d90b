#include "robot/mind.h"
#include "robot/behaviour/behaviour.h"
#include "robot/deliberate/deliberate.h"
#include "robot/post/post.h"
#include "robot/reflex/reflex.h"
#include "robot/resume.h"

#define REFLEX_AGE_NS_MAX CAIRN_MS(100)

struct cairn_mind {
    cairn_mind_def def;
    cairn_behaviour_cells behaviour_cells;
    cairn_robot_post_boxes boxes;
    cairn_cell *view;
    cairn_behaviours *behaviours;
    cairn_robot_post *post;
    cairn_deliberate deliberate;
};

bool cairn_mind_may_begin(const cairn_reflex_cells *reflex, cairn_mono now)
{
    const cairn_reflex_state *state = cairn_cell_latest(reflex->state_deliberate, NULL);
    return state != NULL && !state->unsettled && state->at.ns <= now.ns + CAIRN_CLOCK_SLACK_NS &&
           state->at.ns >= now.ns - REFLEX_AGE_NS_MAX;
}

size_t cairn_mind_checkpoint_bytes(void) { return sizeof(cairn_checkpoint); }

static cairn_err create_lines(cairn_mind *mind, cairn_arena *arena)
{
    cairn_err err = cairn_behaviour_cells_create(arena, &mind->behaviour_cells);
    if (err == CAIRN_OK) { err = cairn_robot_post_boxes_create(arena, &mind->boxes); }
    if (err == CAIRN_OK) { err = cairn_cell_create(arena, sizeof(cairn_robot_view), &mind->view); }
    return err;
}

static cairn_err create_parts(cairn_mind *mind, const cairn_orders_state *orders, cairn_arena *arena)
{
    const cairn_body *body = mind->def.body;
    const cairn_robot_post_def post = {.link = mind->def.link,
                                       .reflex = mind->def.reflex,
                                       .behaviour = mind->behaviour_cells,
                                       .boxes = mind->boxes,
                                       .orders = *orders,
                                       .tap = mind->def.tap,
                                       .tap_context = mind->def.tap_context};
    const cairn_deliberate_def deliberate = {.robot_id = mind->def.link.robot,
                                             .body = body,
                                             .reflex = &mind->def.reflex,
                                             .behaviour = &mind->behaviour_cells,
                                             .view = mind->view,
                                             .boxes = mind->boxes,
                                             .log = mind->def.log,
                                             .checkpoint = mind->def.checkpoint};
    cairn_err err = cairn_behaviours_create(body, &mind->def.reflex, &mind->behaviour_cells, arena, &mind->behaviours);
    if (err == CAIRN_OK) { err = cairn_robot_post_create(&post, arena, &mind->post); }
    if (err == CAIRN_OK) { err = cairn_deliberate_init(&mind->deliberate, &deliberate, arena); }
    return err;
}

// What was before: the decision once for all parts, so that they cannot differ.
static cairn_err create_all(cairn_mind *mind, const cairn_reflex_state *reflex, cairn_arena *arena)
{
    const cairn_mono now = mind->def.now;
    cairn_cell *const checkpoints = mind->def.checkpoint;
    const cairn_checkpoint *last = checkpoints != NULL ? cairn_cell_latest(checkpoints, NULL) : NULL;
    const cairn_resume_past before = {
        .last = last, .reflex = reflex, .said = cairn_cell_latest(mind->def.reflex.stop, NULL)};
    const cairn_resume_facts facts = cairn_resume_look(&before, now);
    const cairn_resume resume = cairn_resume_decide(&facts);
    const cairn_orders_state orders = cairn_resume_orders(resume, &before);
    cairn_err err = create_lines(mind, arena);
    if (err == CAIRN_OK) { err = create_parts(mind, &orders, arena); }
    if (err != CAIRN_OK || checkpoints == NULL) { return err; }
    const cairn_deliberate_past past = {.resume = resume,
                                        .last = facts.checkpoint ? last : NULL,
                                        .reflex = reflex,
                                        .orders = orders,
                                        .start_count = facts.start_count};
    cairn_deliberate_resume(&mind->deliberate, &past, now);
    return CAIRN_OK;
}

cairn_err cairn_mind_create(const cairn_mind_def *def, cairn_arena *arena, cairn_mind **ret_mind)
{
    // Read once: another reflex may begin at any moment.
    const cairn_reflex_state *reflex = cairn_cell_latest(def->reflex.state_deliberate, NULL);
    if (def->checkpoint != NULL && (reflex == NULL || reflex->unsettled)) { return CAIRN_ERR_EMPTY; }
    cairn_mind *mind = CAIRN_TAKE(arena, cairn_mind, 1);
    if (mind == NULL) { return CAIRN_ERR_FULL; }
    mind->def = *def;
    mind->def.link.role = CAIRN_LINK_ROBOT;
    const cairn_err err = create_all(mind, reflex, arena);
    if (err != CAIRN_OK) {
        cairn_mind_finish(mind);
        return err;
    }
    *ret_mind = mind;
    return CAIRN_OK;
}

void cairn_mind_finish(cairn_mind *mind)
{
    if (mind == NULL) { return; }
    cairn_robot_post_finish(mind->post);
    cairn_robot_post_boxes_finish(&mind->boxes);
}

cairn_inbox *cairn_mind_from_air(cairn_mind *mind) { return cairn_robot_post_from_air(mind->post); }
cairn_inbox *cairn_mind_to_air(cairn_mind *mind) { return cairn_robot_post_to_air(mind->post); }

static void behaviour_step(void *context, cairn_mono now)
{
    cairn_behaviours_step(((cairn_mind *)context)->behaviours, now);
}

static void post_step(void *context, cairn_mono now) { cairn_robot_post_step(((cairn_mind *)context)->post, now); }

void cairn_mind_register(cairn_mind *mind, cairn_executor *executor, uint32_t lane)
{
    enum { BEHAVIOUR = 1, DELIBERATE }; // processors, and threads when in real time; 0 is reflex
    const cairn_task_def steps[] = {
        {.name = "post", .processor = BEHAVIOUR, .priority = 40, .step = post_step},
        {.name = "behaviour", .processor = BEHAVIOUR, .priority = 40, .step = behaviour_step},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        cairn_task_def def = steps[i];
        def.lane = lane;
        def.period_ns = CAIRN_REFLEX_PERIOD_NS;
        def.state = mind;
        cairn_executor_add_task(executor, &def);
    }
    cairn_deliberate_register(&mind->deliberate, executor, lane, DELIBERATE);
}

bool cairn_mind_is_over(const cairn_mind *mind) { return atomic_load(&mind->deliberate.over); }

bool cairn_mind_look(cairn_mind *mind, cairn_robot_view *ret_view)
{
    const cairn_robot_view *view = cairn_cell_latest(mind->view, NULL);
    if (view != NULL) { *ret_view = *view; }
    return view != NULL;
}

const cairn_occupancy_grid *cairn_mind_own_map(const cairn_mind *mind) { return mind->deliberate.own_map.grid; }

const cairn_cell *cairn_mind_telemetry(const cairn_mind *mind) { return mind->boxes.telemetry; }

cairn_link_info cairn_mind_link_info(const cairn_mind *mind, cairn_mono now)
{
    return cairn_link_info_now(cairn_robot_post_link(mind->post), now);
}

cairn_robot_post_info cairn_mind_post_info(const cairn_mind *mind) { return cairn_robot_post_look(mind->post); }
