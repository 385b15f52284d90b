// cairn robot - one robot: reflex and mind as two processes, and the supervisor that starts them again.
#include "commands/command.h"
#include "programs/robot/mind_program.h"
#include "programs/robot/supervisor.h"
#include <stdio.h>

#define COMMAND "cairn robot"

static const char usage[] =
    "usage: cairn robot CONFIG [options]\n"
    "\n"
    "Runs one robot: sensors, map, planner, motors and radio. Two processes do the work, reflex (125 Hz, guards, "
    "wheels)\n"
    "and mind (everything else); this one starts them, watches them, and starts them again. Its body is today one of\n"
    "`cairn sim`.\n"
    "\n"
    "  CONFIG      a robot file; deploy/office/emu1.yaml shows all fields\n"
    "  --check     read all files, say what was read, and exit\n"
    "\n"
    "Every way out stops the motors first. Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Example: cairn robot deploy/office/emu1.yaml\n";

typedef struct robot_options {
    const char *config;
    bool check, mind; // mind: be that; given by the supervisor
} robot_options;

static void stop_supervisor(int signal_number)
{
    (void)signal_number;
    cairn_supervisor_ask_stop();
}

static void stop_mind(int signal_number)
{
    (void)signal_number;
    cairn_mind_program_ask_stop();
}

static void tell_file(const cairn_robot_file *file)
{
    printf("%s: number %u, body %s, radio to %s, state in %s\n", file->name, file->number, file->body.name,
           file->station, file->state);
    fflush(stdout);
}

static cairn_err run_supervisor(const robot_options *options, const cairn_robot_file *file,
                                cairn_complaints *complaints)
{
    const cairn_supervisor_def def = {
        .file = file,
        .config = options->config,
        .log = {.sink = cairn_log_to_stderr, .source = file->name, .level = CAIRN_LOG_INFO}};
    tell_file(file);
    if (options->check) { return CAIRN_OK; }
    cairn_command_serve(stop_supervisor);
    return cairn_supervisor_run(&def, complaints);
}

static cairn_err run_mind(const cairn_robot_file *file, cairn_complaints *complaints)
{
    const cairn_mind_program_def def = {
        .file = file, .log = {.sink = cairn_log_to_stderr, .source = file->name, .level = CAIRN_LOG_INFO}};
    cairn_command_serve(stop_mind);
    return cairn_mind_program_run(&def, complaints);
}

int cairn_robot_run(int argc, char **argv)
{
    robot_options options = {0};
    const cairn_option known[] = {
        {"check", CAIRN_OPTION_FLAG, &options.check, 0, 0},
        {"mind", CAIRN_OPTION_FLAG, &options.mind, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.config, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) { return cairn_usage_error(COMMAND, "wants a CONFIG"); }
    static cairn_complaints complaints; // large, as is the next
    static cairn_robot_file file;
    cairn_err err = cairn_robot_file_read(options.config, &complaints, &file);
    if (err == CAIRN_OK) {
        err = options.mind ? run_mind(&file, &complaints) : run_supervisor(&options, &file, &complaints);
    }
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
