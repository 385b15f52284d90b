// Looks over the shoulder of a robot that runs: prints a line for each step of its reflex, from the mapped cells.
//
//     watch_robot CONFIG          until it is ended
//
// time of the step, time of the last command, told speed and turn, measured speed, guards, odometry x y, starts of
// reflex and of mind
#include "programs/robot/robot_pages.h"
#include "robot/checkpoint.h"
#include "robot/reflex/reflex_cells.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t issued_ns(cairn_cell *command)
{
    const cairn_motion_command *latest = cairn_cell_latest(command, NULL);
    return latest != NULL ? latest->issued.ns : 0;
}

static uint32_t minds(cairn_cell *checkpoint)
{
    const cairn_checkpoint *latest = cairn_cell_latest(checkpoint, NULL);
    return latest != NULL ? latest->start_count : 0;
}

static void watch(cairn_cell *state, cairn_cell *command, cairn_cell *checkpoint)
{
    uint64_t seen = 0;
    for (;;) {
        // A step is printed with the command that it acted on: if another came while both were read, which may take
        // long on a busy machine, they are read again.
        const int64_t commanded_ns = issued_ns(command);
        uint64_t version = 0;
        const cairn_reflex_state *latest = cairn_cell_latest(state, &version);
        if (issued_ns(command) != commanded_ns) { continue; }
        if (latest != NULL && version != seen) {
            seen = version;
            printf("%" PRId64 " %" PRId64 " %.5f %.5f %.5f %u %.3f %.3f %u %u\n", latest->at.ns, commanded_ns,
                   latest->told_mps, latest->told_radps, latest->forward_mps, latest->guards, latest->odom_T_base.x_m,
                   latest->odom_T_base.y_m, latest->start_count, minds(checkpoint));
            fflush(stdout);
        }
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), CAIRN_MS(2)));
    }
}

int main(int argc, char **argv)
{
    static cairn_complaints complaints;
    static cairn_robot_file file;
    static cairn_robot_pages pages;
    cairn_arena memory;
    cairn_reflex_cells cells;
    cairn_cell *checkpoint = NULL;
    bool fresh = false;
    if (argc != 2 || cairn_robot_file_read(argv[1], &complaints, &file) != CAIRN_OK ||
        cairn_robot_pages_open_body(&pages, &file, &complaints) != CAIRN_OK ||
        cairn_robot_pages_open_own(&pages, &file, CAIRN_PROCESS_WATCHER, &complaints, &fresh) != CAIRN_OK ||
        cairn_arena_create(&memory, 1 << 20) != CAIRN_OK) {
        fputs(complaints.text, stderr);
        return EXIT_FAILURE;
    }
    const cairn_reflex_memory shared = {.to_reflex = pages.cells[CAIRN_PAGE_TO_REFLEX],
                                        .from_reflex = pages.cells[CAIRN_PAGE_FROM_REFLEX]};
    if (cairn_reflex_cells_attach(shared, &memory, &cells) != CAIRN_OK ||
        cairn_cell_attach(&memory, pages.cells[CAIRN_PAGE_CHECKPOINT], sizeof(cairn_checkpoint), &checkpoint) !=
            CAIRN_OK) {
        return EXIT_FAILURE;
    }
    watch(cells.state_behaviour, cells.command, checkpoint);
}
