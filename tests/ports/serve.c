// serve.c - a web server with a made-up station behind it, for test_web_server.mjs: serve [PORT [FILES [BIND [NAMES
// [TOKEN]]]]]. Lines on stdin change the station:
//   move ID X Y | paint SEED | say TEXT | tick MS | actions | quit
// and "actions" prints what operators asked for since the last time.
#include "base/random.h"
#include "ports/web_server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 640
#define ROBOTS 3

typedef struct made_station {
    cairn_arena arena;
    cairn_atlas atlas;
    cairn_fleet fleet;
    cairn_victims victims;
    cairn_events events;
    cairn_station_view view;
    cairn_body_description body;
    cairn_page *page;
    cairn_inbox *operators;
    cairn_mono now;
} made_station;

static const uint8_t index_bytes[] = "<!doctype html><title>made</title>";
static const uint8_t script_bytes[] = "console.log('as it is');";
static const uint8_t script_gzip[] = {0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 'x'}; // only carried, never read
static uint8_t large_bytes[300000];
static const cairn_web_file made_files[] = {
    {"/index.html", "text/html; charset=utf-8", "\"i1\"", index_bytes, sizeof index_bytes - 1, NULL, 0},
    {"/page.js", "text/javascript; charset=utf-8", "\"s1\"", script_bytes, sizeof script_bytes - 1, script_gzip,
     sizeof script_gzip},
    {"/large.bin", "application/octet-stream", "\"l1\"", large_bytes, sizeof large_bytes, NULL, 0},
    {"/empty.txt", "text/plain; charset=utf-8", "\"e1\"", index_bytes, 0, NULL, 0},
};

static cairn_err make_station(made_station *made)
{
    cairn_raster_def raster = cairn_raster_def_default();
    raster.width = WIDTH;
    raster.height = HEIGHT;
    cairn_err err = cairn_arena_create(&made->arena, 16u << 20);
    if (err == CAIRN_OK) { err = cairn_raster_create(&raster, &made->arena, &made->atlas.raster); }
    if (err != CAIRN_OK) { return err; }
    made->atlas.searched = CAIRN_TAKE(&made->arena, uint8_t, WIDTH * HEIGHT);
    made->atlas.places = CAIRN_TAKE(&made->arena, cairn_places, 1); // nobody has passed any
    if (made->atlas.searched == NULL || made->atlas.places == NULL) { return CAIRN_ERR_FULL; }
    made->fleet.count = ROBOTS;
    cairn_page_def def = {.mission = "made", .raster = raster, .robot_count = ROBOTS};
    for (uint32_t i = 0; i < ROBOTS; i++) {
        made->fleet.robots[i] = (cairn_fleet_robot){.id = (uint8_t)(i + 1), .name = "emu"};
        def.descriptions[i] = &made->body;
    }
    made->view = (cairn_station_view){.raster = made->atlas.raster,
                                      .atlas = &made->atlas,
                                      .fleet = &made->fleet,
                                      .victims = &made->victims,
                                      .events = &made->events};
    err = cairn_page_create(&def, &made->arena, &made->page);
    if (err != CAIRN_OK) { return err; }
    return cairn_inbox_create(&made->arena, 64 * 1024, sizeof(cairn_operator_action), CAIRN_INBOX_REFUSE,
                              &made->operators);
}

static void move(made_station *made, uint32_t id, double x_m, double y_m)
{
    cairn_fleet_robot *robot = cairn_fleet_find(&made->fleet, (uint8_t)id);
    if (robot == NULL) { return; }
    robot->heard = true;
    robot->heard_at = made->now;
    robot->map_T_base = (cairn_pose2){x_m, y_m, 0};
}

// Noise everywhere: what compresses least.
static void paint(made_station *made, uint64_t seed)
{
    cairn_random random;
    cairn_random_init(&random, seed, "paint");
    cairn_raster *raster = made->atlas.raster;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) { raster->ground[i] = (uint8_t)cairn_random_below(&random, 3); }
    raster->x_min = raster->y_min = 0;
    raster->x_max = WIDTH - 1;
    raster->y_max = HEIGHT - 1;
}

static void print_actions(made_station *made)
{
    cairn_operator_action action;
    size_t size = 0;
    while (cairn_inbox_take(made->operators, &action, sizeof action, &size) == CAIRN_OK) {
        printf("action %s robot %u mode %u to %g %g stick %g %g dead_man %d shown %g guards %u\n",
               cairn_operator_verb_name(action.verb), action.robot, action.mode, action.to_m.x, action.to_m.y,
               action.forward, action.turn, action.dead_man, cairn_seconds(action.shown.ns), action.guards);
    }
    printf("done\n");
}

// False: quit.
static bool obey(made_station *made, char *line)
{
    uint32_t id;
    double x_m, y_m;
    unsigned long long number;
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "quit") == 0) { return false; }
    if (sscanf(line, "move %u %lf %lf", &id, &x_m, &y_m) == 3) { move(made, id, x_m, y_m); }
    if (sscanf(line, "paint %llu", &number) == 1) { paint(made, number); }
    if (strncmp(line, "say ", 4) == 0) {
        cairn_events_add(&made->events, made->now, CAIRN_LOG_INFO, 0, "%s", line + 4);
    }
    if (sscanf(line, "tick %llu", &number) == 1) {
        made->now = cairn_mono_add(made->now, CAIRN_MS((int64_t)number));
        cairn_page_update(made->page, &made->view, made->now);
    }
    if (strcmp(line, "actions") == 0) { print_actions(made); }
    return true;
}

int main(int argc, char **argv)
{
    static made_station made;
    static cairn_complaints complaints;
    if (make_station(&made) != CAIRN_OK) { return 1; }
    for (size_t i = 0; i < sizeof large_bytes; i++) { large_bytes[i] = (uint8_t)(i * 7 + i / 256); }
    cairn_web_server_def def = cairn_web_server_def_default();
    const bool embedded = argc > 2 && strcmp(argv[2], "embedded") == 0, none = argc > 2 && strcmp(argv[2], "none") == 0;
    if (!embedded) { def.files = (cairn_web_files){made_files, none ? 0 : sizeof made_files / sizeof *made_files}; }
    def.port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 0);
    if (argc > 3) { def.bind = argv[3]; }
    if (argc > 4) { def.names = argv[4]; }
    if (argc > 5) { def.token = argv[5]; }
    def.page = made.page;
    def.operators = made.operators;
    def.log = (cairn_log){.sink = cairn_log_to_stderr, .source = "web"};
    cairn_web_server *server = NULL;
    const cairn_err err = cairn_web_server_create(&def, &complaints, &server);
    if (err != CAIRN_OK) {
        printf("%s: %s", cairn_err_name(err), complaints.text);
        return 1;
    }
    printf("serving %u %s files %zu\n", cairn_web_server_port(server), cairn_web_server_address(server),
           def.files.count);
    fflush(stdout);
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL && obey(&made, line)) { fflush(stdout); }
    cairn_web_server_destroy(server);
    print_actions(&made); // what leaving pages let go
    cairn_page_finish(made.page);
    cairn_inbox_finish(made.operators);
    cairn_arena_destroy(&made.arena);
    return 0;
}
