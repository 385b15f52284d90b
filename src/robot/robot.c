#include "robot/robot.h"
#include "robot/mind.h"
#include "robot/reflex/reflex.h"

// The part of the arena that a program lies in: the one after it is made there once more, to the same addresses.
typedef struct room {
    uint8_t *block;
    size_t size_bytes;
} room;

struct cairn_robot {
    cairn_robot_def def;
    cairn_reflex_cells cells;
    cairn_cell *checkpoint; // NULL: it may not die
    room rooms[2];          // by cairn_robot_program
    bool dead[2];           // likewise
    cairn_reflex *reflex;
    cairn_mind *mind;
};

static cairn_err create_reflex(cairn_robot *robot, cairn_arena *arena)
{
    const cairn_err err = cairn_reflex_create(robot->def.body, &robot->cells, arena, &robot->reflex);
    if (err == CAIRN_OK) { cairn_reflex_switch_off(robot->reflex, robot->def.without_guards); }
    return err;
}

static cairn_err create_mind(cairn_robot *robot, cairn_cell *checkpoint, cairn_mono now, cairn_arena *arena)
{
    const cairn_mind_def mind = {.body = robot->def.body,
                                 .reflex = robot->cells,
                                 .link = robot->def.link,
                                 .log = robot->def.log,
                                 .checkpoint = checkpoint,
                                 .now = now};
    return cairn_mind_create(&mind, arena, &robot->mind);
}

static void note_room(cairn_robot *robot, cairn_robot_program program, const cairn_arena *arena, size_t from)
{
    robot->rooms[program] = (room){arena->base + from, cairn_arena_mark(arena) - from};
}

static cairn_err create_parts(cairn_robot *robot, cairn_arena *arena)
{
    cairn_err err = cairn_reflex_cells_create(arena, &robot->cells);
    if (err == CAIRN_OK && robot->def.may_die) {
        err = cairn_cell_create(arena, cairn_mind_checkpoint_bytes(), &robot->checkpoint);
    }
    const size_t reflex_mark = cairn_arena_mark(arena);
    if (err == CAIRN_OK) { err = create_reflex(robot, arena); }
    note_room(robot, CAIRN_ROBOT_REFLEX_PROGRAM, arena, reflex_mark);
    const size_t mind_mark = cairn_arena_mark(arena);
    // The first mind keeps nothing: one that does must wait for reflex to speak.
    if (err == CAIRN_OK) { err = create_mind(robot, NULL, (cairn_mono){0}, arena); }
    note_room(robot, CAIRN_ROBOT_MIND_PROGRAM, arena, mind_mark);
    return err;
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

void cairn_robot_kill(cairn_robot *robot, cairn_robot_program program)
{
    CAIRN_ASSERT(robot->checkpoint != NULL && !robot->dead[program]);
    robot->dead[program] = true; // its boxes stay, for those who put into them, until there are others
}

static cairn_err start_mind(cairn_robot *robot, cairn_random sessions, cairn_mono now, cairn_arena *arena)
{
    if (!cairn_mind_may_begin(&robot->cells, now)) { return CAIRN_ERR_EMPTY; }
    const cairn_mind *before = robot->mind;
    cairn_mind_finish(robot->mind);
    robot->def.link.random = sessions;
    const cairn_err err = create_mind(robot, robot->checkpoint, now, arena);
    CAIRN_ASSERT(err == CAIRN_OK && robot->mind == before); // tasks and boxes are tied to it
    return err;
}

cairn_err cairn_robot_start(cairn_robot *robot, cairn_robot_program program, cairn_random sessions, cairn_mono now)
{
    CAIRN_ASSERT(robot->dead[program]);
    cairn_arena arena;
    cairn_arena_init(&arena, robot->rooms[program].block, robot->rooms[program].size_bytes);
    const cairn_err err =
        program == CAIRN_ROBOT_MIND_PROGRAM ? start_mind(robot, sessions, now, &arena) : create_reflex(robot, &arena);
    robot->dead[program] = err != CAIRN_OK;
    return err;
}

bool cairn_robot_mind_is_over(const cairn_robot *robot)
{
    return !robot->dead[CAIRN_ROBOT_MIND_PROGRAM] && cairn_mind_is_over(robot->mind);
}

cairn_inbox *cairn_robot_from_air(cairn_robot *robot) { return cairn_mind_from_air(robot->mind); }
cairn_inbox *cairn_robot_to_air(cairn_robot *robot) { return cairn_mind_to_air(robot->mind); }

static void reflex_step(void *context, cairn_mono now)
{
    const cairn_robot *robot = context;
    if (!robot->dead[CAIRN_ROBOT_REFLEX_PROGRAM]) { cairn_reflex_step(robot->reflex, now); }
}

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
