// cairn doctor - is this machine fit: each thing that Cairn needs of it, with what to do.
#include "commands/doctor/doctor.h"
#include "commands/command.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: cairn doctor [FOLDER] [options]\n\n"
    "Looks at what this machine offers to Cairn, and says what to do where something is missing. FOLDER is where the\n"
    "store and the journals are to lie [.]. It takes about three seconds and leaves nothing behind.\n\n"
    "  --for WHO          robot, station or sim: what it cannot do without is a PROBLEM   [in general: a note]\n"
    "  --robot FILE       a robot's file: does it see the ground that it drives on        [none]\n"
    "  --station-port N   UDP, where a station hears robots                               [7400]\n"
    "  --sim-port N       UDP, where a simulator hears robots                             [7401]\n"
    "  --page-port N      TCP, where the page is served                                   [8080]\n"
    "  --json             one JSON object per check: check, verdict (ok, note, problem), found, to_do\n\n"
    "Exit status: 0 fit, 1 something must be mended, 2 wrong usage.\n\n"
    "Examples: cairn doctor\n"
    "          cairn doctor /var/lib/cairn --for robot --robot robots/emu.yaml\n";

static const char *const marks[] = {[CAIRN_FINE] = "OK     ", [CAIRN_NOTE] = "note   ", [CAIRN_PROBLEM] = "PROBLEM"};
static const char *const words_of[] = {[CAIRN_FINE] = "ok", [CAIRN_NOTE] = "note", [CAIRN_PROBLEM] = "problem"};

cairn_finding *cairn_find(cairn_examination *examination, const char *what, const char *format, ...)
{
    CAIRN_ASSERT(examination->count < CAIRN_FINDINGS_MAX);
    cairn_finding *finding = &examination->findings[examination->count++];
    *finding = (cairn_finding){.what = what};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
    return finding;
}

void cairn_advise(cairn_finding *finding, cairn_verdict verdict, const char *format, ...)
{
    finding->verdict = verdict;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->to_do, sizeof finding->to_do, format, arguments);
    va_end(arguments);
}

cairn_verdict cairn_needed_by(const cairn_examination *examination, uint32_t roles)
{
    return (examination->roles & roles) != 0 ? CAIRN_PROBLEM : CAIRN_NOTE;
}

bool cairn_first_line(const char *path, char *ret_line, size_t size_bytes)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) { return false; }
    const bool got = fgets(ret_line, (int)size_bytes, file) != NULL;
    fclose(file);
    if (got) { ret_line[strcspn(ret_line, "\n")] = '\0'; }
    return got;
}

static void print_finding(const cairn_finding *finding)
{
    printf("%s  %-16s %s\n", marks[finding->verdict], finding->what, finding->found);
    if (finding->to_do[0] != '\0') { printf("         %-16s -> %s\n", "", finding->to_do); }
}

static void print_json(const cairn_finding *finding)
{
    json_t *object = json_object();
    json_object_set_new(object, "check", json_string(finding->what));
    json_object_set_new(object, "verdict", json_string(words_of[finding->verdict]));
    json_object_set_new(object, "found", json_string(finding->found));
    json_object_set_new(object, "to_do", finding->to_do[0] != '\0' ? json_string(finding->to_do) : json_null());
    char *text = json_dumps(object, JSON_COMPACT);
    if (text != NULL) { puts(text); }
    free(text);
    json_decref(object);
}

static bool read_role(const char *word, uint32_t *ret_roles)
{
    static const char *const names[] = {"robot", "station", "sim"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(word, names[i]) == 0) {
            *ret_roles = 1u << i;
            return true;
        }
    }
    return false;
}

// Prints each part's findings as soon as they are there: some parts take a second.
static cairn_verdict examine(cairn_examination *examination, bool json)
{
    void (*const parts[])(cairn_examination *) = {cairn_examine_versions, cairn_examine_machine, cairn_examine_clocks,
                                                  cairn_examine_realtime, cairn_examine_places,  cairn_examine_ports,
                                                  cairn_examine_robot};
    cairn_verdict worst = CAIRN_FINE;
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        const uint32_t before = examination->count;
        parts[part](examination);
        for (uint32_t i = before; i < examination->count; i++) {
            const cairn_finding *finding = &examination->findings[i];
            json ? print_json(finding) : print_finding(finding);
            if (finding->verdict > worst) { worst = finding->verdict; }
        }
        fflush(stdout);
    }
    return worst;
}

int cairn_doctor_run(int argc, char **argv)
{
    const char *words[1] = {"."}, *role = NULL, *robot = NULL;
    uint64_t station_port = 7400, sim_port = 7401, page_port = 8080;
    bool json = false;
    const cairn_option known[] = {{"for", CAIRN_OPTION_TEXT, &role, 0, 0},
                                  {"robot", CAIRN_OPTION_TEXT, &robot, 0, 0},
                                  {"station-port", CAIRN_OPTION_COUNT, &station_port, 1, 65535},
                                  {"sim-port", CAIRN_OPTION_COUNT, &sim_port, 1, 65535},
                                  {"page-port", CAIRN_OPTION_COUNT, &page_port, 1, 65535},
                                  {"json", CAIRN_OPTION_FLAG, &json, 0, 0}};
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read("cairn doctor", usage, argc, argv, known, sizeof known / sizeof known[0], words, 1,
                            &word_count, &status)) {
        return status;
    }
    static cairn_examination examination; // large
    examination = (cairn_examination){.folder = words[0],
                                      .robot = robot,
                                      .station_port = (uint16_t)station_port,
                                      .sim_port = (uint16_t)sim_port,
                                      .page_port = (uint16_t)page_port};
    if (role != NULL && !read_role(role, &examination.roles)) {
        return cairn_usage_error("cairn doctor", "--for wants robot, station or sim, not '%s'", role);
    }
    const bool fit = examine(&examination, json) != CAIRN_PROBLEM;
    if (!json && fit) { printf("Fit%s%s.\n", role != NULL ? " for a " : "", role != NULL ? role : ""); }
    if (!json && !fit) { printf("Not fit: mend what is marked PROBLEM first.\n"); }
    return fit ? CAIRN_EXIT_DONE : CAIRN_EXIT_FAILED;
}
