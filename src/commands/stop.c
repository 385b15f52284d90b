// cairn stop - stops robots from the command line of the station's machine, and tells who has obeyed.
//
// Every station that runs here is told, through its local door (ports/local_door.h); what they say is what the page is
// told. The stop is sent first, before anything is read.
#include "base/clock.h"
#include "commands/command.h"
#include "ports/local_door.h"
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COMMAND "cairn stop"
#define LINE_BYTES (2 * CAIRN_PAGE_BYTES_MAX)
#define POLL_MS 100
#define SURE_COUNT 2 // states in a row that agree: one may be cut into several messages

static const char usage[] =
    "usage: cairn stop [ROBOT] [options]\n"
    "\n"
    "Stops all robots of every station that runs on this machine, or the one that is named, and waits until they have\n"
    "said that they stand. It needs no browser: it works when the page does not, or when this build has none. As with\n"
    "the page, a stop stays until it is released, also for robots that join later; a released robot stays idle.\n"
    "\n"
    "  ROBOT        its name or its number                                      [all]\n"
    "  --release    release a stop instead; after a stop of all, only all can be released\n"
    "  --wait S     how long to wait for the robots                             [10]\n"
    "\n"
    "Stations are found in /run/cairn, $XDG_RUNTIME_DIR/cairn and /tmp/cairn-UID, or in $CAIRN_RUN alone if that is "
    "set.\n"
    "One that another user runs may need sudo.\n"
    "\n"
    "Exit status: 0 all robots that were heard have obeyed, 1 not all have (their names are told), 2 wrong usage.\n"
    "\n"
    "Examples: cairn stop\n"
    "          cairn stop emu2 --wait 30\n"
    "          cairn stop --release\n";

typedef struct stop_options {
    const char *robot; // NULL: all
    double wait_s;
    bool release;
} stop_options;

typedef struct seen_robot {
    bool known, heard, lost, wanted, acknowledged;
    bool told; // to the person, that it has obeyed
    char name[64];
} seen_robot;

typedef struct seen_station {
    int handle; // -1: ended, or asked for somebody else's robot
    char path[CAIRN_LOCAL_DOOR_PATH_BYTES], mission[64];
    bool greeted, asked, stop_all;
    bool is_foreign; // does not have the robot that is meant
    uint32_t robot;  // the one that is meant; 0: all
    uint32_t sure_count;
    seen_robot robots[256];
    char line[LINE_BYTES];
    size_t line_bytes;
    char refused[256];
} seen_station;

// ---- what is said to a station

static bool ask(seen_station *station, const stop_options *options)
{
    CAIRN_ASSERT(station->handle >= 0 && !station->asked);
    char text[96];
    const char *verb = options->release ? "release" : "stop";
    if (station->robot == CAIRN_ALL_ROBOTS) {
        (void)snprintf(text, sizeof text, "{\"do\":\"%s\"}\n", verb);
    } else {
        (void)snprintf(text, sizeof text, "{\"do\":\"%s\",\"robot\":%u}\n", verb, station->robot);
    }
    station->asked = true;
    return send(station->handle, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

// ---- what it says

// Words of somebody else for a terminal, which would obey control characters in them.
static void copy_words(char *ret_text, size_t size, const char *words)
{
    (void)snprintf(ret_text, size, "%s", words != NULL ? words : "?");
    for (char *at = ret_text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) { *at = '?'; }
    }
}

static void hear_hello(seen_station *station, json_t *message)
{
    copy_words(station->mission, sizeof station->mission, json_string_value(json_object_get(message, "mission")));
    size_t at;
    json_t *robot;
    json_array_foreach(json_object_get(message, "robots"), at, robot)
    {
        const json_int_t id = json_integer_value(json_object_get(robot, "id"));
        const char *name = json_string_value(json_object_get(robot, "name"));
        if (id < 1 || id > 255 || name == NULL) { continue; }
        station->robots[id].known = true;
        copy_words(station->robots[id].name, sizeof station->robots[id].name, name);
    }
    station->greeted = true;
}

static void hear_state(seen_station *station, json_t *message)
{
    json_t *stop_all = json_object_get(message, "stop_all");
    if (stop_all != NULL) { station->stop_all = json_is_true(stop_all); }
    size_t at;
    json_t *robot;
    json_array_foreach(json_object_get(message, "robots"), at, robot)
    {
        const json_int_t id = json_integer_value(json_object_get(robot, "id"));
        json_t *stop = json_object_get(robot, "stop");
        if (id < 1 || id > 255) { continue; }
        seen_robot *seen = &station->robots[id];
        seen->heard = true;
        seen->lost = json_is_true(json_object_get(robot, "lost"));
        seen->wanted = json_is_true(json_object_get(stop, "wanted"));
        seen->acknowledged = json_is_true(json_object_get(stop, "acknowledged"));
    }
}

static bool is_meant(const seen_station *station, uint32_t id)
{
    CAIRN_ASSERT(id > 0 && id < 256);
    const seen_robot *robot = &station->robots[id];
    return robot->known && (station->robot == CAIRN_ALL_ROBOTS ? robot->heard : station->robot == id);
}

static bool has_obeyed(const seen_robot *robot, const stop_options *options)
{
    return robot->heard && robot->acknowledged && robot->wanted == !options->release;
}

static bool all_have_obeyed(const seen_station *station, const stop_options *options)
{
    if (station->robot == CAIRN_ALL_ROBOTS && station->stop_all == options->release) { return false; }
    for (uint32_t id = 1; id < 256; id++) {
        if (is_meant(station, id) && !has_obeyed(&station->robots[id], options)) { return false; }
    }
    return true;
}

static void tell_news(seen_station *station, const stop_options *options)
{
    for (uint32_t id = 1; id < 256; id++) {
        seen_robot *robot = &station->robots[id];
        if (!is_meant(station, id) || robot->told || !has_obeyed(robot, options)) { continue; }
        robot->told = true;
        printf("  %s %s\n", robot->name, options->release ? "is released" : "has stopped");
        fflush(stdout);
    }
}

static void hear_line(seen_station *station, const stop_options *options)
{
    json_t *message = json_loadb(station->line, station->line_bytes, 0, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    const char *why = json_string_value(json_object_get(message, "why"));
    if (type != NULL && strcmp(type, "hello") == 0) { hear_hello(station, message); }
    if (type != NULL && strcmp(type, "refused") == 0 && why != NULL) {
        copy_words(station->refused, sizeof station->refused, why);
    }
    if (type != NULL && strcmp(type, "state") == 0) {
        hear_state(station, message);
        station->sure_count = station->asked && all_have_obeyed(station, options) ? station->sure_count + 1 : 0;
        if (station->asked) { tell_news(station, options); }
    }
    json_decref(message);
}

static void hang_up(seen_station *station)
{
    CAIRN_ASSERT(station->handle >= 0);
    close(station->handle);
    station->handle = -1;
}

static void hear(seen_station *station, const stop_options *options)
{
    char bytes[4096];
    ssize_t size = 0;
    while (station->handle >= 0 && (size = recv(station->handle, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            if (bytes[i] == '\n') {
                hear_line(station, options);
                station->line_bytes = 0;
            } else if (station->line_bytes < sizeof station->line) {
                station->line[station->line_bytes++] = bytes[i];
            }
        }
    }
    if (station->handle >= 0 && (size == 0 || (errno != EAGAIN && errno != EINTR))) { hang_up(station); }
}

// ---- all stations

typedef struct seen_stations {
    seen_station *all;
    size_t count;
} seen_stations;

// Doors that could not be opened.
typedef struct closed_doors {
    size_t forbidden_count, busy_count;
} closed_doors;

static int fail_nobody(const closed_doors *closed)
{
    if (closed->forbidden_count + closed->busy_count == 0) {
        (void)fprintf(stderr, COMMAND ": no station runs on this machine, so nobody was told to stop; run it where the "
                                      "station runs\n");
    }
    (void)fprintf(stderr, "If a robot must stand now, switch it off.\n");
    return CAIRN_EXIT_FAILED;
}

static void tell_closed(const closed_doors *closed)
{
    if (closed->forbidden_count > 0) {
        (void)fprintf(stderr, COMMAND ": %zu stations run here that this user may not speak to; try sudo cairn stop\n",
                      closed->forbidden_count);
    }
    if (closed->busy_count > 0) {
        (void)fprintf(stderr, COMMAND ": %zu stations run here and do not answer\n", closed->busy_count);
    }
}

// Opens every door. Who wants all stopped is heard at once; a name has to be looked up first.
static closed_doors open_doors(seen_stations *stations, const stop_options *options)
{
    CAIRN_ASSERT(stations->count == 0);
    char paths[CAIRN_LOCAL_DOORS_MAX][CAIRN_LOCAL_DOOR_PATH_BYTES];
    const size_t count = cairn_local_doors_find(paths);
    closed_doors closed = {0};
    for (size_t i = 0; i < count; i++) {
        const int handle = cairn_local_door_open(paths[i]);
        if (handle < 0) {
            closed.forbidden_count += errno == EACCES || errno == EPERM;
            closed.busy_count += errno == EAGAIN;
            continue;
        }
        seen_station *station = &stations->all[stations->count++];
        station->handle = handle;
        memcpy(station->path, paths[i], sizeof station->path);
        if (options->robot == NULL && !ask(station, options)) { hang_up(station); }
    }
    return closed;
}

// One look at every station.
static void look(seen_stations *stations, const stop_options *options)
{
    CAIRN_ASSERT(stations->count <= CAIRN_LOCAL_DOORS_MAX);
    struct pollfd waits[CAIRN_LOCAL_DOORS_MAX];
    for (size_t i = 0; i < stations->count; i++) {
        waits[i] = (struct pollfd){.fd = stations->all[i].handle, .events = POLLIN};
    }
    (void)poll(waits, stations->count, POLL_MS);
    for (size_t i = 0; i < stations->count; i++) {
        if (stations->all[i].handle >= 0) { hear(&stations->all[i], options); }
    }
}

static uint32_t find_robot(const seen_station *station, const char *words)
{
    CAIRN_ASSERT(words != NULL);
    char *end = NULL;
    const unsigned long number = strtoul(words, &end, 10);
    for (uint32_t id = 1; id < 256; id++) {
        const bool numbered = *words != '\0' && *end == '\0' && number == id;
        if (station->robots[id].known && (numbered || strcmp(station->robots[id].name, words) == 0)) { return id; }
    }
    return 0;
}

// A robot's name has to be looked up first: each station that has said who is of its team is asked at once, however
// long others take. The ones that do not have the robot are left alone.
static void ask_greeted(seen_stations *stations, const stop_options *options)
{
    for (size_t i = 0; i < stations->count; i++) {
        seen_station *station = &stations->all[i];
        if (station->handle < 0 || !station->greeted || station->asked) { continue; }
        station->robot = find_robot(station, options->robot);
        station->is_foreign = station->robot == 0;
        if (station->is_foreign || !ask(station, options)) { hang_up(station); }
    }
}

static bool is_over(const seen_stations *stations)
{
    for (size_t i = 0; i < stations->count; i++) {
        const seen_station *station = &stations->all[i];
        if (station->handle >= 0 && station->refused[0] == '\0' && station->sure_count < SURE_COUNT) { return false; }
    }
    return true;
}

// ---- what came of it

static void tell_missing(const seen_station *station, const stop_options *options)
{
    const char *words = options->release ? "NOT RELEASED" : "NOT STOPPED";
    bool any = false;
    for (uint32_t id = 1; id < 256; id++) {
        const seen_robot *robot = &station->robots[id];
        if (!is_meant(station, id) || has_obeyed(robot, options)) { continue; }
        any = true;
        (void)fprintf(stderr, "%s: %s%s\n", words, robot->name,
                      !robot->heard ? ", which was never heard; the station says it when it is"
                      : robot->lost ? ", which is not heard; the station goes on saying it"
                                    : ", which has not said so yet; the station goes on saying it");
    }
    if (station->refused[0] != '\0') {
        (void)fprintf(stderr, "the station of %s: %s\n", station->mission, station->refused);
    }
    if (options->release && station->robot != CAIRN_ALL_ROBOTS && station->stop_all) {
        (void)fprintf(stderr, "all robots of %s are stopped: release all, with cairn stop --release\n",
                      station->mission);
    } else if (!station->greeted && station->handle >= 0) {
        (void)fprintf(stderr, "%s: the station at %s does not answer\n", words, station->path);
    } else if (!any && station->handle < 0) {
        (void)fprintf(stderr, "%s: the station at %s ended before it told who has obeyed\n", words, station->path);
    } else if (!any) {
        (void)fprintf(stderr, "%s: the station of %s has not said so\n", words, station->mission);
    }
    if (!options->release) { (void)fprintf(stderr, "Believe that it moves. If it must stand now, switch it off.\n"); }
}

static void tell_done(const seen_station *station, const stop_options *options)
{
    if (station->robot != CAIRN_ALL_ROBOTS) { return; } // told already, by name
    uint32_t heard_count = 0, unheard_count = 0;
    for (uint32_t id = 1; id < 256; id++) {
        heard_count += station->robots[id].known && station->robots[id].heard;
        unheard_count += station->robots[id].known && !station->robots[id].heard;
    }
    printf("%s: %s, %u robots", station->mission, options->release ? "ALL RELEASED" : "ALL STOPPED", heard_count);
    if (unheard_count > 0) {
        printf("; %u of the team were never heard%s", unheard_count,
               options->release ? "" : ", and stand when they join");
    }
    printf("\n");
}

static int conclude(const seen_stations *stations, const stop_options *options)
{
    int status = CAIRN_EXIT_DONE;
    for (size_t i = 0; i < stations->count; i++) {
        const seen_station *station = &stations->all[i];
        if (station->is_foreign) { continue; }
        if (station->sure_count >= SURE_COUNT && station->refused[0] == '\0') {
            tell_done(station, options);
        } else {
            fflush(stdout);
            tell_missing(station, options);
            status = CAIRN_EXIT_FAILED;
        }
    }
    return status;
}

static bool all_are_foreign(const seen_stations *stations)
{
    for (size_t i = 0; i < stations->count; i++) {
        if (!stations->all[i].is_foreign) { return false; }
    }
    return true;
}

static int run(seen_stations *stations, const stop_options *options)
{
    const cairn_mono until = cairn_mono_add(cairn_mono_now(), cairn_ns_from_seconds(options->wait_s));
    const closed_doors closed = open_doors(stations, options);
    tell_closed(&closed);
    if (stations->count == 0) { return fail_nobody(&closed); }
    printf("%s...\n", options->release ? "RELEASING" : "STOPPING");
    fflush(stdout);
    while (!is_over(stations) && cairn_mono_now().ns < until.ns) {
        look(stations, options);
        ask_greeted(stations, options);
    }
    if (all_are_foreign(stations)) {
        return cairn_usage_error(COMMAND, "no station here has a robot '%s'", options->robot);
    }
    const int status = conclude(stations, options);
    return closed.forbidden_count + closed.busy_count > 0 ? CAIRN_EXIT_FAILED : status;
}

int cairn_stop_run(int argc, char **argv)
{
    stop_options options = {.wait_s = 10};
    const cairn_option known[] = {
        {"release", CAIRN_OPTION_FLAG, &options.release, 0, 0},
        {"wait", CAIRN_OPTION_REAL, &options.wait_s, 0.1, 86400},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.robot, 1,
                            &word_count, &status)) {
        return status;
    }
    seen_stations stations = {.all = calloc(CAIRN_LOCAL_DOORS_MAX, sizeof *stations.all)};
    static cairn_complaints none;
    if (stations.all == NULL) { return cairn_command_failed(COMMAND, CAIRN_ERR_FULL, &none); }
    status = run(&stations, &options);
    for (size_t i = 0; i < stations.count; i++) {
        if (stations.all[i].handle >= 0) { hang_up(&stations.all[i]); }
    }
    free(stations.all);
    return status;
}
