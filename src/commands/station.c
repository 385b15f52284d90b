// cairn station - the ground station of a team: radio, store, operator's page, journal.
#include "commands/command.h"
#include "programs/station/station_program.h"
#include <stdatomic.h>
#include <stdio.h>

#define COMMAND "cairn station"
#define QUIET_WORDS_S 30 // a line each

static const char usage[] = "usage: cairn station CONFIG [options]\n"
                            "\n"
                            "Runs the ground station: hears the robots, makes one map of what they see, sends them on, "
                            "and serves the operator's\n"
                            "page. What robots and operators tell it is on disk before it is acknowledged; started "
                            "again after a crash it goes on\n"
                            "where it was. Ctrl-C ends it; the robots then go on alone.\n"
                            "\n"
                            "  CONFIG       a station file; deploy/office/station.yaml shows all fields\n"
                            "  --port N     where the page is served; 0: any that is free               [from CONFIG]\n"
                            "  --fresh      begin a new mission; the store of the last one is kept beside the new one\n"
                            "  --check      read all files, say what was read, and exit\n"
                            "\n"
                            "Where `page` of CONFIG lets other machines in, their browsers need the address with the "
                            "token in it, which is\n"
                            "printed at the start. `cairn stop` stops all robots without the page.\n"
                            "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
                            "\n"
                            "Example: cairn station deploy/office/station.yaml\n";

typedef struct station_options {
    const char *config;
    uint64_t port; // UINT64_MAX: of the file
    bool fresh, check;
} station_options;

static void stop(int signal_number)
{
    (void)signal_number;
    cairn_station_program_ask_stop();
}

static void watch(void *context, const cairn_station_view *view, cairn_mono now)
{
    int64_t *told_s = context;
    const int64_t now_s = now.ns / CAIRN_S(1);
    if (now_s < *told_s + QUIET_WORDS_S) { return; }
    *told_s = now_s;
    uint32_t heard_count = 0;
    for (uint32_t i = 0; i < view->fleet->count; i++) {
        heard_count += view->fleet->robots[i].heard && !view->fleet->robots[i].lost;
    }
    printf("%lld s: %u of %u robots heard, %.0f m2 known, %u victims%s\n", (long long)now_s, heard_count,
           view->fleet->count, view->raster->known_count * view->raster->def.cell_m * view->raster->def.cell_m,
           cairn_victims_count(view->victims), view->stop_all ? ", all are stopped" : "");
    fflush(stdout);
}

static void tell_files(const cairn_station_file *file)
{
    printf("%s: %u robots, listens at %s, page at http://%s:%u/, store %s\n", file->name, file->robot_count,
           file->listen, file->page_bind, file->page_port, file->store);
    for (uint32_t i = 0; i < file->robot_count; i++) {
        const cairn_station_file_robot *robot = &file->robots[i];
        printf("  %-10s number %u, starts at (%.2f, %.2f)\n", robot->name, robot->number, robot->map_T_start.x_m,
               robot->map_T_start.y_m);
    }
}

static cairn_err serve(const cairn_station_file *file, const station_options *options, cairn_complaints *complaints)
{
    int64_t told_s = -QUIET_WORDS_S;
    const cairn_station_program_def def = {
        .file = file,
        .fresh = options->fresh,
        .log = {.sink = cairn_log_to_stderr, .source = "station", .level = CAIRN_LOG_INFO},
        .watch = watch,
        .watch_context = &told_s};
    cairn_command_serve(stop);
    cairn_station_program *program = NULL;
    const cairn_err err = cairn_station_program_create(&def, complaints, &program);
    if (err == CAIRN_ERR_EMPTY) { return CAIRN_OK; } // asked to end before it began
    if (err != CAIRN_OK) { return err; }
    if (complaints->count > 0) { fputs(complaints->text, stderr); } // what was lost, and that it goes on
    printf("  operator's page  %s\n", cairn_station_program_address(program));
    const char *far_address = cairn_station_program_far_address(program);
    if (far_address[0] != '\0') { printf("  other machines   %s\n", far_address); }
    fflush(stdout);
    cairn_station_program_run(program);
    cairn_station_program_destroy(program);
    return CAIRN_OK;
}

static int run(const station_options *options)
{
    static cairn_complaints complaints; // large
    cairn_arena memory = {0};
    cairn_station_file file;
    cairn_err err = cairn_arena_create(&memory, 1u << 20);
    if (err == CAIRN_OK) { err = cairn_station_file_read(options->config, &memory, &complaints, &file); }
    if (err == CAIRN_OK && options->port != UINT64_MAX) { file.page_port = (uint16_t)options->port; }
    if (err == CAIRN_OK) { tell_files(&file); }
    if (err == CAIRN_OK && !options->check) { err = serve(&file, options, &complaints); }
    cairn_arena_destroy(&memory);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

int cairn_station_run(int argc, char **argv)
{
    station_options options = {.port = UINT64_MAX};
    const cairn_option known[] = {
        {"port", CAIRN_OPTION_COUNT, &options.port, 0, 65535},
        {"fresh", CAIRN_OPTION_FLAG, &options.fresh, 0, 0},
        {"check", CAIRN_OPTION_FLAG, &options.check, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.config, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) { return cairn_usage_error(COMMAND, "wants a CONFIG"); }
    return run(&options);
}
