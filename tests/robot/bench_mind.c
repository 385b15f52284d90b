#include "bench_mind.h"
#include "../base/check.h"

void bench_mind_init(bench_mind *bench, const cairn_body_description *description, cairn_task_state task_state)
{
    *bench = (bench_mind){.description = *description, .now = {CAIRN_S(100)}};
    assert_ok(cairn_arena_create(&bench->memory, 96 << 20));
    assert_ok(cairn_body_create(&bench->description, &bench->memory, &bench->body));
    cairn_deliberate_def def = {.body = &bench->body, .robot_id = 1};
    assert_ok(cairn_robot_post_boxes_create(&bench->memory, &def.boxes));
    bench->deliberate = CAIRN_TAKE(&bench->memory, cairn_deliberate, 1);
    assert_non_null(bench->deliberate);
    assert_ok(cairn_deliberate_init(bench->deliberate, &def, &bench->memory));
    bench->deliberate->orders.mode = CAIRN_MODE_AUTONOMOUS;
    bench->deliberate->navigator.task = (cairn_robot_task){.id = BENCH_TASK, .purpose = CAIRN_PURPOSE_EXPLORE};
    bench->deliberate->navigator.task_state = task_state;
}

void bench_mind_finish(bench_mind *bench)
{
    cairn_robot_post_boxes_finish(&bench->deliberate->def.boxes);
    cairn_arena_destroy(&bench->memory);
}
