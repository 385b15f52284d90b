// A client that has read every message, however slowly, knows exactly what the station knows.
#include "base/random.h"
#include "check.h"
#include "robot/condition_names.h"
#include "robot/guard_names.h"
#include "station/page/page_text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 401 // not a whole number of tiles; a map takes several messages
#define HEIGHT 333
#define ROBOTS 5
#define POINTS_MAX 8192
#define PLACES 64

// The station as the page sees it, filled by hand.
typedef struct page_site {
    cairn_arena arena;
    cairn_atlas atlas;
    cairn_places places; // the list alone
    cairn_place place_list[PLACES];
    uint32_t place_count;
    cairn_fleet fleet;
    cairn_victims victims;
    cairn_events events;
    cairn_station_view view;
    cairn_body_description body;
    cairn_page *page;
    cairn_mono now;
} page_site;

// What a page has made of the messages.
typedef struct page_client {
    cairn_page_cursor cursor;
    uint32_t message_count, hello_count, state_count, bare_count, tile_message_count;
    double t;
    json_t *hello, *team, *robots[256], *victims[CAIRN_VICTIMS_MAX + 1], *events[4096];
    uint32_t event_count;
    cairn_vec2 *trails[256];
    uint32_t trail_counts[256];
    uint32_t points_told_count; // of all trails, also again
    uint8_t cells[HEIGHT][WIDTH];
} page_client;

static const char *const names[ROBOTS] = {"emu1", "emu2", "emu \"three\"", "emu4", "\xc3\xa9mu5"};

static page_site *new_site(uint32_t robot_count)
{
    page_site *made = calloc(1, sizeof *made);
    assert_non_null(made);
    assert_ok(cairn_arena_create(&made->arena, 8u << 20));
    cairn_raster_def def = cairn_raster_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.origin_m = (cairn_vec2){-7.5, -2};
    assert_ok(cairn_raster_create(&def, &made->arena, &made->atlas.raster));
    made->atlas.searched = CAIRN_TAKE(&made->arena, uint8_t, WIDTH * HEIGHT);
    made->places.places = made->place_list;
    made->place_count = 1; // the origin
    made->atlas.places = &made->places;
    made->body = (cairn_body_description){.length_m = 0.52,
                                          .width_m = 0.44,
                                          .limits.speed_mps_max = 0.6,
                                          .thermal = {.offered = true, .field_rad = 1.047}};
    cairn_page_def page_def = {.mission = "an \"office\"", .raster = def, .robot_count = robot_count};
    made->fleet.count = robot_count;
    for (uint32_t i = 0; i < robot_count; i++) {
        made->fleet.robots[i].id = (uint8_t)(i * 7 + 1);
        made->fleet.robots[i].name = names[i % ROBOTS];
        page_def.descriptions[i] = &made->body;
    }
    assert_ok(cairn_page_create(&page_def, &made->arena, &made->page));
    made->view = (cairn_station_view){.raster = made->atlas.raster,
                                      .atlas = &made->atlas,
                                      .fleet = &made->fleet,
                                      .victims = &made->victims,
                                      .events = &made->events};
    return made;
}

static void free_site(page_site *site)
{
    cairn_page_finish(site->page);
    cairn_arena_destroy(&site->arena);
    free(site);
}

static void update(page_site *site)
{
    site->now = cairn_mono_add(site->now, CAIRN_MS(100));
    cairn_page_update(site->page, &site->view, site->now);
}

static page_client *new_client(void)
{
    page_client *made = calloc(1, sizeof *made);
    assert_non_null(made);
    return made;
}

static void free_client(page_client *client)
{
    json_decref(client->hello);
    json_decref(client->team);
    for (uint32_t i = 0; i < 256; i++) {
        json_decref(client->robots[i]);
        free(client->trails[i]);
    }
    for (uint32_t i = 0; i <= CAIRN_VICTIMS_MAX; i++) { json_decref(client->victims[i]); }
    for (uint32_t i = 0; i < client->event_count; i++) { json_decref(client->events[i]); }
    free(client);
}

// Reading: each line here is a sentence of docs/page.md.

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void keep(json_t **kept, json_t *value)
{
    json_decref(*kept);
    *kept = json_incref(value);
}

static void read_trail(page_client *client, json_t *told)
{
    const uint32_t id = (uint32_t)number_of(told, "id"), from = (uint32_t)number_of(told, "from");
    json_t *points = json_object_get(told, "points");
    assert_true(id < 256 && from <= client->trail_counts[id]);
    assert_true(from + json_array_size(points) <= POINTS_MAX);
    if (client->trails[id] == NULL) { client->trails[id] = calloc(POINTS_MAX, sizeof *client->trails[id]); }
    client->trail_counts[id] = from;
    client->points_told_count += (uint32_t)json_array_size(points);
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        client->trails[id][client->trail_counts[id]++] =
            (cairn_vec2){json_number_value(json_array_get(point, 0)), json_number_value(json_array_get(point, 1))};
    }
}

static void read_event(page_client *client, json_t *told)
{
    const double number = number_of(told, "number");
    if (client->event_count > 0) { assert_true(number > number_of(client->events[client->event_count - 1], "number")); }
    assert_true(client->event_count < 4096);
    client->events[client->event_count++] = json_incref(told);
}

static void read_state(page_client *client, json_t *told)
{
    size_t i;
    json_t *each;
    const double t = number_of(told, "t");
    assert_true(t >= client->t);
    client->t = t;
    client->state_count++;
    client->bare_count += json_object_size(told) == 2;
    if (json_object_get(told, "done") != NULL) {
        keep(&client->team,
             json_pack("{s:O, s:O, s:O, s:O}", "done", json_object_get(told, "done"), "stop_all",
                       json_object_get(told, "stop_all"), "explored_m2", json_object_get(told, "explored_m2"),
                       "searched_m2", json_object_get(told, "searched_m2")));
        json_decref(client->team); // pack made it ours already
    }
    json_array_foreach(json_object_get(told, "robots"), i, each)
    {
        keep(&client->robots[(size_t)number_of(each, "id")], each);
    }
    json_array_foreach(json_object_get(told, "victims"), i, each)
    {
        keep(&client->victims[(size_t)number_of(each, "number")], each);
    }
    json_array_foreach(json_object_get(told, "events"), i, each) { read_event(client, each); }
    json_array_foreach(json_object_get(told, "trails"), i, each) { read_trail(client, each); }
}

static void read_words(page_client *client, const uint8_t *bytes, size_t size)
{
    json_error_t error;
    json_t *told = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (told == NULL) { fail_msg("not JSON: %s in %.*s", error.text, (int)size, (const char *)bytes); }
    const char *type = json_string_value(json_object_get(told, "type"));
    if (strcmp(type, "hello") == 0) {
        client->hello_count++;
        client->t = number_of(told, "t");
        keep(&client->hello, told);
    } else {
        assert_string_equal(type, "state");
        assert_int_equal(client->hello_count, 1);
        read_state(client, told);
    }
    json_decref(told);
}

static void read_tiles(page_client *client, const uint8_t *bytes, size_t size)
{
    assert_true(bytes[0] == 1 && bytes[1] == 0);
    const uint32_t count = bytes[2] | (uint32_t)bytes[3] << 8;
    assert_int_equal(size, 4 + count * 260);
    assert_true(count > 0);
    for (const uint8_t *tile = bytes + 4; tile < bytes + size; tile += 260) {
        const uint32_t column = tile[0] | (uint32_t)tile[1] << 8, row = tile[2] | (uint32_t)tile[3] << 8;
        for (uint32_t i = 0; i < 1024; i++) {
            const uint32_t x = column * 32 + i % 32, y = row * 32 + i / 32;
            const uint8_t code = tile[4 + i / 4] >> i % 4 * 2 & 3;
            if (x < WIDTH && y < HEIGHT) {
                client->cells[y][x] = code;
            } else {
                assert_int_equal(code, 0);
            }
        }
    }
    client->tile_message_count++;
}

// Whether there was a message.
static bool read_next(page_client *client, page_site *site)
{
    static uint8_t bytes[CAIRN_PAGE_BYTES_MAX];
    size_t size = 0;
    bool is_binary = false;
    const cairn_err err = cairn_page_next(site->page, &client->cursor, bytes, sizeof bytes, &size, &is_binary);
    if (err == CAIRN_ERR_EMPTY) { return false; }
    assert_ok(err);
    assert_true(size > 0 && size <= CAIRN_PAGE_BYTES_MAX);
    client->message_count++;
    if (is_binary) {
        read_tiles(client, bytes, size);
    } else {
        read_words(client, bytes, size);
    }
    return true;
}

static void read_all(page_client *client, page_site *site)
{
    for (uint32_t i = 0; read_next(client, site); i++) { assert_true(i < 10000); }
}

// What the site has, looked at directly.

static void near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within)) { fail_msg("got %.9g, wanted %.9g", got, wanted); }
}

static void same_cells(const page_client *client, const page_site *site)
{
    uint32_t known = 0, searched = 0;
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint8_t ground = site->atlas.raster->ground[y * WIDTH + x];
            const bool looked = ground == CAIRN_GROUND_FREE && (site->atlas.searched[y * WIDTH + x] & 1);
            if (client->cells[y][x] != (looked ? 3 : ground)) {
                fail_msg("cell %u %u is told as %d", x, y, client->cells[y][x]);
            }
            known += ground != CAIRN_GROUND_UNKNOWN;
            searched += looked;
        }
    }
    near(number_of(client->team, "explored_m2"), known * 0.01, 0.051);
    near(number_of(client->team, "searched_m2"), searched * 0.01, 0.051);
}

static void same_point(const json_t *told, cairn_vec2 wanted)
{
    near(json_number_value(json_array_get(told, 0)), wanted.x, 0.00051);
    near(json_number_value(json_array_get(told, 1)), wanted.y, 0.00051);
}

static void same_task(const json_t *told, const cairn_fleet_robot *robot)
{
    static const char *const states[] = {"none", "under way", "done", "blocked", "no way"};
    static const char *const purposes[] = {"go", "explore", "look", "home"};
    const cairn_assignment *wanted = &robot->assignment;
    assert_int_equal(number_of(told, "id"), wanted->task);
    assert_string_equal(json_string_value(json_object_get(told, "purpose")), purposes[wanted->purpose]);
    const bool taken = robot->telemetry.task == wanted->task;
    assert_string_equal(json_string_value(json_object_get(told, "state")),
                        states[taken ? robot->telemetry.task_state : 0]);
    same_point(json_object_get(told, "goal"), cairn_pose2_at(wanted->goal));
    same_point(json_object_get(told, "target"), wanted->target_m);
    json_t *way = json_object_get(told, "way");
    assert_int_equal(json_array_size(way), wanted->via_count);
    for (uint32_t i = 0; i < wanted->via_count; i++) { same_point(json_array_get(way, i), wanted->via_m[i]); }
}

static void same_robot(const json_t *told, const cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_msg_telemetry *telemetry = &robot->telemetry;
    near(number_of(told, "x"), robot->map_T_base.x_m, 0.00051);
    near(number_of(told, "y"), robot->map_T_base.y_m, 0.00051);
    near(number_of(told, "yaw"), robot->map_T_base.yaw_rad, 0.00051);
    near(number_of(told, "speed"), telemetry->speed_mmps * 1e-3, 1e-9);
    near(number_of(told, "heard"), cairn_seconds(robot->heard_at.ns), 0.00101);
    assert_int_equal(number_of(told, "mode"), telemetry->mode);
    assert_int_equal(json_is_true(json_object_get(told, "lost")), robot->lost);
    assert_int_equal(json_is_null(json_object_get(told, "battery")), telemetry->battery_pct == 255);
    if (telemetry->battery_pct != 255) { near(number_of(told, "battery"), telemetry->battery_pct, 0); }
    assert_int_equal(json_object_get(told, "roll") == NULL, telemetry->roll_mrad == -32768);
    if (telemetry->roll_mrad != -32768) { near(number_of(told, "roll"), telemetry->roll_mrad * 1e-3, 1e-9); }
    size_t guard_count = 0; // that have a name
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS; bit++) {
        guard_count += (cairn_fleet_guards(robot) >> bit & 1) != 0 && cairn_guard_name(bit) != NULL;
    }
    assert_int_equal(json_array_size(json_object_get(told, "guards")), guard_count);
    const json_t *overridden = json_object_get(told, "overridden");
    assert_int_equal(json_is_null(overridden), telemetry->overridden == CAIRN_MSG_TELEMETRY_OVERRIDDEN_UNKNOWN);
    assert_int_equal(json_array_size(overridden), telemetry->overridden == 1u << CAIRN_GUARD_TILT);
    const json_t *condition = json_object_get(told, "condition"), *health = json_object_get(told, "health");
    const bool is_well = telemetry->condition == CAIRN_CONDITION_WELL || telemetry->condition >= CAIRN_CONDITION_COUNT;
    assert_int_equal(json_is_null(condition), is_well);
    if (!is_well) {
        assert_string_equal(json_string_value(json_object_get(condition, "name")),
                            cairn_condition_name(telemetry->condition));
    }
    assert_int_equal(json_is_null(health), telemetry->health >= CAIRN_HEALTH_COUNT);
    if (telemetry->health < CAIRN_HEALTH_COUNT) {
        assert_string_equal(json_string_value(json_object_get(health, "name")), cairn_health_name(telemetry->health));
    }
    const json_t *link = json_object_get(told, "link");
    near(number_of(link, "quality"), cairn_fleet_link_quality(robot, now), 0.0051);
    assert_string_equal(json_string_value(json_object_get(link, "state")), cairn_link_state_name(robot->link.state));
    const json_t *stop = json_object_get(told, "stop");
    assert_int_equal(json_is_true(json_object_get(stop, "wanted")), robot->stop.wanted);
    assert_int_equal(json_is_true(json_object_get(stop, "acknowledged")), robot->stop.acknowledged);
    const json_t *order = json_object_get(told, "order");
    assert_int_equal(json_is_null(order), robot->order.order == 0);
    if (robot->order.order != 0) {
        assert_int_equal(number_of(order, "mode"), robot->order.mode);
        assert_int_equal(json_is_true(json_object_get(order, "taken")), telemetry->order == robot->order.order);
    }
    const json_t *task = json_object_get(told, "task");
    assert_int_equal(json_is_null(task), robot->assignment.task == 0);
    if (robot->assignment.task != 0) { same_task(task, robot); }
}

static void same_victim(const json_t *told, const cairn_victim *victim)
{
    if (victim->same_as != 0) { // that, and nothing else: nobody can take it for a place to go to
        assert_int_equal(number_of(told, "same_as"), victim->same_as);
        assert_int_equal(json_object_size(told), 2);
        return;
    }
    assert_null(json_object_get(told, "same_as"));
    near(number_of(told, "x"), victim->at_m.x, 0.00051);
    near(number_of(told, "y"), victim->at_m.y, 0.00051);
    near(number_of(told, "temperature"), victim->temperature_c, 0.051);
    assert_int_equal(number_of(told, "confidence"), victim->confidence_pct);
    assert_int_equal(number_of(told, "found_by"), victim->found_by);
    assert_int_equal(number_of(told, "sightings"), victim->sighting_count);
    near(number_of(told, "last_seen"), cairn_seconds(victim->last_seen.ns), 0.00101);
}

static void same_events(const page_client *client, const page_site *site)
{
    if (site->events.count == 0) { return; }
    assert_true(client->event_count > 0);
    for (uint32_t i = 0; i < client->event_count; i++) {
        const cairn_event *event = cairn_events_get(&site->events, (uint64_t)number_of(client->events[i], "number"));
        if (event == NULL) { continue; } // told long ago
        assert_string_equal(json_string_value(json_object_get(client->events[i], "text")), event->text);
        assert_int_equal(number_of(client->events[i], "robot"), event->robot);
        assert_string_equal(json_string_value(json_object_get(client->events[i], "level")),
                            event->level == CAIRN_LOG_ERROR  ? "error"
                            : event->level == CAIRN_LOG_WARN ? "warn"
                                                             : "info");
    }
    assert_int_equal(number_of(client->events[client->event_count - 1], "number"), site->events.count);
}

static void same_all(const page_client *client, const page_site *site)
{
    near(client->t, cairn_seconds(site->now.ns), 1.0);
    same_cells(client, site);
    assert_int_equal(json_is_true(json_object_get(client->team, "done")), site->view.done);
    assert_int_equal(json_is_true(json_object_get(client->team, "stop_all")), site->view.stop_all);
    for (uint32_t i = 0; i < site->fleet.count; i++) {
        const cairn_fleet_robot *robot = &site->fleet.robots[i];
        assert_int_equal(client->robots[robot->id] != NULL, robot->heard);
        if (robot->heard) { same_robot(client->robots[robot->id], robot, site->now); }
    }
    for (uint32_t i = 0; i < CAIRN_VICTIMS_MAX; i++) {
        assert_int_equal(client->victims[i + 1] != NULL, i < site->victims.victim_count);
        if (i < site->victims.victim_count) { same_victim(client->victims[i + 1], &site->victims.victims[i]); }
    }
    same_events(client, site);
}

// Two clients that read at different speeds end up with the same.
static void same_trails(const page_client *a, const page_client *b)
{
    for (uint32_t id = 0; id < 256; id++) {
        assert_int_equal(a->trail_counts[id], b->trail_counts[id]);
        if (a->trail_counts[id] == 0) { continue; }
        assert_memory_equal(a->trails[id], b->trails[id], a->trail_counts[id] * sizeof(cairn_vec2));
    }
}

// Chance at work on the site.

static void paint(page_site *site, cairn_random *random)
{
    cairn_raster *raster = site->atlas.raster;
    const uint32_t x0 = cairn_random_below(random, WIDTH), y0 = cairn_random_below(random, HEIGHT);
    const uint32_t x1 = x0 + cairn_random_below(random, 40), y1 = y0 + cairn_random_below(random, 40);
    const uint8_t ground = (uint8_t)cairn_random_below(random, 3), looked = (uint8_t)cairn_random_below(random, 2);
    for (uint32_t y = y0; y < y1 && y < HEIGHT; y++) {
        for (uint32_t x = x0; x < x1 && x < WIDTH; x++) {
            raster->ground[y * WIDTH + x] = ground;
            site->atlas.searched[y * WIDTH + x] = looked;
            raster->x_min = x < raster->x_min ? x : raster->x_min;
            raster->y_min = y < raster->y_min ? y : raster->y_min;
            raster->x_max = x > raster->x_max ? x : raster->x_max;
            raster->y_max = y > raster->y_max ? y : raster->y_max;
        }
    }
}

// A map that was made anew knows less.
static void forget(page_site *site)
{
    cairn_raster *raster = site->atlas.raster;
    memset(raster->ground, CAIRN_GROUND_UNKNOWN, WIDTH * HEIGHT);
    raster->x_min = WIDTH;
    raster->y_min = HEIGHT;
    raster->x_max = raster->y_max = 0;
}

static void give_task(cairn_fleet_robot *robot, cairn_random *random, uint32_t via_count)
{
    robot->assignment.task = cairn_random_below(random, 4);
    robot->assignment.purpose = (uint8_t)cairn_random_below(random, 4);
    robot->assignment.via_count = via_count;
    for (uint32_t i = 0; i < via_count; i++) {
        robot->assignment.via_m[i] = (cairn_vec2){cairn_random_between(random, -2000, 2000), -1.0 * i};
    }
    robot->assignment.goal = (cairn_pose2){cairn_random_gauss(random), cairn_random_gauss(random), 0};
    robot->assignment.target_m = (cairn_vec2){-0.0004, cairn_random_gauss(random)};
}

static void report(page_site *site, cairn_random *random)
{
    cairn_fleet_robot *robot = &site->fleet.robots[cairn_random_below(random, site->fleet.count)];
    robot->heard = true;
    robot->heard_at = site->now;
    robot->lost = cairn_random_below(random, 2);
    robot->map_T_base.x_m += 0.3 * cairn_random_gauss(random);
    robot->map_T_base.y_m += 0.3 * cairn_random_gauss(random);
    robot->map_T_base.yaw_rad = cairn_random_between(random, -CAIRN_PI, CAIRN_PI);
    robot->telemetry = (cairn_msg_telemetry){
        .robot = robot->id,
        .mode = (uint8_t)cairn_random_below(random, 8),
        .guards = (uint16_t)cairn_random_below(random, 65536),
        .battery_pct = (uint8_t)(cairn_random_below(random, 2) ? 255 : cairn_random_below(random, 101)),
        .speed_mmps = (int16_t)((int)cairn_random_below(random, 2000) - 1000),
        .roll_mrad = (int16_t)(cairn_random_below(random, 2) ? -32768 : (int)cairn_random_below(random, 6000) - 3000),
        .task = cairn_random_below(random, 4),
        .task_state = (uint8_t)cairn_random_below(random, 5),
        .order = cairn_random_below(random, 3),
        .overridden = cairn_random_below(random, 2) ? 1u << CAIRN_GUARD_TILT : CAIRN_MSG_TELEMETRY_OVERRIDDEN_UNKNOWN,
    };
    robot->link.state = (cairn_link_state)cairn_random_below(random, 4);
    robot->link.loss = cairn_random_uniform(random);
    robot->link.clock.uncertainty_ns = cairn_random_below(random, 2) ? INT64_MAX : 1234567;
    robot->order =
        (cairn_fleet_order){.mode = (uint8_t)cairn_random_below(random, 8), .order = cairn_random_below(random, 3)};
    robot->stop.wanted = cairn_random_below(random, 2);
    robot->stop.acknowledged = cairn_random_below(random, 2);
    give_task(robot, random, cairn_random_below(random, 65));
}

static void see(page_site *site, cairn_random *random)
{
    const cairn_msg_victim_seen seen = {
        .robot = (uint8_t)(1 + cairn_random_below(random, 5)),
        .sighting = cairn_random_below(random, 1000),
        .x_mm = (int32_t)cairn_random_below(random, 40000),
        .y_mm = (int32_t)cairn_random_below(random, 40000) - 20000,
        .deviation_mm = (uint16_t)(50 + cairn_random_below(random, 500)),
        .temperature_dc = (int16_t)cairn_random_below(random, 400),
        .frame_count = 1,
        .confidence_pct = (uint8_t)cairn_random_below(random, 101),
    };
    (void)cairn_victims_add(&site->victims, &seen, (cairn_seen_from){0}, site->now);
    cairn_victims_joined joined;
    while (cairn_victims_join(&site->victims, &joined)) {}
}

// A robot passes a place: it hangs on that one from now on.
static void pass_place(page_site *site, uint32_t robot_at)
{
    const cairn_fleet_robot *robot = &site->fleet.robots[robot_at];
    if (site->place_count == PLACES) { return; }
    site->place_list[site->place_count] = (cairn_place){.robot = robot->id, .map_T_private = robot->map_T_private};
    site->places.robots[robot->id].last = site->place_count++;
}

// The map was solved: a place has moved, and its robot too if it was the last that it passed.
static void move_place(page_site *site, uint32_t place, cairn_pose2 by)
{
    cairn_place *moved = &site->place_list[place];
    moved->map_T_private = cairn_pose2_compose(by, moved->map_T_private);
    site->places.solve_count++;
    cairn_fleet_robot *robot = cairn_fleet_find(&site->fleet, moved->robot);
    if (robot == NULL || site->places.robots[robot->id].last != place) { return; }
    robot->map_T_private = moved->map_T_private;
    robot->map_T_base = cairn_pose2_compose(by, robot->map_T_base);
}

static void solve(page_site *site, cairn_random *random)
{
    pass_place(site, (uint32_t)cairn_random_below(random, site->fleet.count));
    move_place(site, 1 + (uint32_t)cairn_random_below(random, site->place_count - 1),
               (cairn_pose2){cairn_random_between(random, -0.1, 0.1), cairn_random_between(random, -0.1, 0.1),
                             cairn_random_between(random, -0.01, 0.01)});
}

static void happen(page_site *site, cairn_random *random)
{
    static const cairn_log_level levels[] = {CAIRN_LOG_INFO, CAIRN_LOG_WARN, CAIRN_LOG_ERROR};
    const uint32_t count = cairn_random_below(random, 50) == 0 ? 700 : 1 + cairn_random_below(random, 3);
    for (uint32_t i = 0; i < count; i++) {
        cairn_events_add(&site->events, site->now, levels[cairn_random_below(random, 3)],
                         (uint8_t)cairn_random_below(random, 6), "\"event\" \\ %u \xc3\xa9 %s", i,
                         cairn_random_below(random, 9) ? "" : "much longer than the others, and with words to spare");
    }
}

static void act(page_site *site, cairn_random *random)
{
    switch (cairn_random_below(random, 12)) {
    case 0:
    case 1:
    case 2: paint(site, random); break;
    case 3:
        if (cairn_random_below(random, 40) == 0) { forget(site); }
        break;
    case 4:
    case 5:
    case 6: report(site, random); break;
    case 7: see(site, random); break;
    case 8: happen(site, random); break;
    case 9: site->view.stop_all = !site->view.stop_all; break;
    case 10: site->view.done = !site->view.done; break;
    case 11: solve(site, random); break;
    default: break;
    }
}

#define CLIENTS 4

// One reads all, one a message now and then, one sleeps for long; a last one comes at the end.
static void read_some(page_client **clients, page_site *site, cairn_random *random)
{
    read_all(clients[0], site);
    (void)read_next(clients[1], site);
    for (uint32_t i = cairn_random_below(random, 4); i > 0; i--) { (void)read_next(clients[2], site); }
    if (cairn_random_below(random, 200) == 0) { read_all(clients[3], site); }
}

static void clients_that_read_everything_know_everything(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        cairn_random random;
        cairn_random_init(&random, seed, "page");
        page_site *site = new_site(ROBOTS);
        page_client *clients[CLIENTS], *late = new_client();
        for (uint32_t i = 0; i < CLIENTS; i++) { clients[i] = new_client(); }
        for (uint32_t step = 0; step < 600; step++) {
            for (uint32_t i = cairn_random_below(&random, 5); i > 0; i--) { act(site, &random); }
            update(site);
            read_some(clients, site, &random);
        }
        read_all(late, site);
        same_all(late, site);
        assert_true(late->event_count <= 200);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            read_all(clients[i], site);
            same_all(clients[i], site);
            same_trails(clients[i], late);
            assert_int_equal(clients[i]->hello_count, 1);
            free_client(clients[i]);
        }
        free_client(late);
        free_site(site);
    }
}

static void a_client_is_greeted_first_with_what_never_changes(void **unused)
{
    (void)unused;
    page_site *site = new_site(2);
    page_client *client = new_client();
    assert_false(read_next(client, site)); // no update yet: no names
    update(site);
    assert_true(read_next(client, site));
    assert_int_equal(client->hello_count, 1);
    const json_t *map = json_object_get(client->hello, "map");
    near(number_of(map, "x0"), -7.5, 0);
    near(number_of(map, "y0"), -2, 0);
    near(number_of(map, "cell"), 0.1, 1e-12);
    assert_int_equal(number_of(map, "width"), WIDTH);
    assert_int_equal(number_of(map, "height"), HEIGHT);
    assert_int_equal(number_of(map, "tile"), 32);
    assert_int_equal(number_of(client->hello, "version"), 1);
    assert_string_equal(json_string_value(json_object_get(client->hello, "mission")), "an \"office\"");
    assert_int_equal(json_array_size(json_object_get(client->hello, "modes")), CAIRN_MODE_COUNT);
    const json_t *robots = json_object_get(client->hello, "robots");
    assert_int_equal(json_array_size(robots), 2);
    assert_int_equal(number_of(json_array_get(robots, 1), "id"), 8);
    near(number_of(json_array_get(robots, 1), "length"), 0.52, 1e-12);
    near(number_of(json_array_get(robots, 1), "thermal_field"), 1.047, 1e-12);
    assert_string_equal(json_string_value(json_object_get(json_array_get(robots, 0), "name")), "emu1");
    free_client(client);
    free_site(site);
}

// The page tells a quiet mission from a dead connection by the time that keeps coming: at the first update that is a
// quarter of a second after the last.
static void a_quiet_mission_says_the_time(void **unused)
{
    (void)unused;
    page_site *site = new_site(1);
    page_client *client = new_client();
    update(site);
    read_all(client, site);
    const uint32_t before = client->message_count;
    for (uint32_t i = 0; i < 50; i++) {
        update(site);
        read_all(client, site);
    }
    assert_int_equal(client->message_count - before, 16);
    assert_int_equal(client->bare_count, 16);
    near(client->t, cairn_seconds(site->now.ns), 0.25);
    free_client(client);
    free_site(site);
}

// The obvious trail: all points, then every second one of them as often as it takes.
static void a_long_trail_is_thinned_and_told_again(void **unused)
{
    (void)unused;
    page_site *site = new_site(1);
    page_client *fast = new_client(), *slow = new_client();
    cairn_fleet_robot *robot = &site->fleet.robots[0];
    robot->heard = true;
    static cairn_vec2 model[POINTS_MAX];
    uint32_t count = 0;
    double spacing_m = 0.25;
    for (uint32_t step = 0; step < 9000; step++) {
        robot->map_T_base = (cairn_pose2){0.13 * step, 3.0 * sin(0.01 * step), 0};
        const cairn_vec2 at = cairn_pose2_at(robot->map_T_base);
        if (count == 0 || cairn_vec2_distance(model[count - 1], at) >= spacing_m) {
            if (count == 2048) {
                for (count = 0; count < 1024; count++) { model[count] = model[2 * count]; }
                spacing_m *= 2;
            }
            model[count++] = at;
        }
        update(site);
        read_all(fast, site);
        if (step % 50 == 0) { (void)read_next(slow, site); }
    }
    assert_true(spacing_m > 0.25);
    read_all(slow, site);
    assert_int_equal(fast->trail_counts[robot->id], count);
    for (uint32_t i = 0; i < count; i++) {
        near(fast->trails[robot->id][i].x, model[i].x, 0.00051);
        near(fast->trails[robot->id][i].y, model[i].y, 0.00051);
    }
    same_trails(fast, slow);
    free_client(fast);
    free_client(slow);
    free_site(site);
}

// A robot of which the map is put right has been elsewhere than was thought, too: its trail lies in the corridors that
// are drawn, not beside them. Only what moved is told again: the air to a page may be thin.
static void a_trail_moves_with_the_map(void **unused)
{
    (void)unused;
    page_site *site = new_site(1);
    page_client *fast = new_client(), *slow = new_client(), *late = new_client();
    cairn_fleet_robot *robot = &site->fleet.robots[0];
    robot->heard = true;
    robot->map_T_private = robot->map_T_base = (cairn_pose2){1, 2, 0.5};
    static cairn_vec2 private_m[POINTS_MAX];
    for (uint32_t i = 0; i < 40; i++) { // 20 points hang on each of two places
        if (i % 20 == 0) { pass_place(site, 0); }
        private_m[i] = (cairn_vec2){0.3 * i, 0.1 * sin(i)};
        const cairn_vec2 at_m = cairn_pose2_apply(robot->map_T_private, private_m[i]);
        robot->map_T_base = (cairn_pose2){at_m.x, at_m.y, 0};
        update(site);
        read_all(fast, site);
        if (i == 30) { read_all(slow, site); }
    }
    assert_int_equal(fast->points_told_count, 40);
    // A centimetre is nobody's business.
    move_place(site, 2, (cairn_pose2){0.01, 0, 0});
    update(site);
    read_all(fast, site);
    assert_int_equal(fast->points_told_count, 40);
    move_place(site, 2, (cairn_pose2){0.3, -0.4, 0.05});
    update(site);
    read_all(fast, site);
    assert_int_equal(fast->points_told_count, 60);
    read_all(slow, site); // one change behind
    same_trails(fast, slow);
    move_place(site, 1, (cairn_pose2){0, 0.2, 0});
    update(site);
    read_all(fast, site);
    move_place(site, 2, (cairn_pose2){0, 0.2, 0});
    update(site);
    read_all(fast, site);
    read_all(slow, site); // two behind
    read_all(late, site);
    assert_int_equal(fast->trail_counts[robot->id], 40);
    for (uint32_t i = 0; i < 40; i++) {
        const cairn_vec2 true_m = cairn_pose2_apply(site->place_list[1 + i / 20].map_T_private, private_m[i]);
        near(fast->trails[robot->id][i].x, true_m.x, 0.00051);
        near(fast->trails[robot->id][i].y, true_m.y, 0.00051);
    }
    same_trails(fast, slow);
    same_trails(fast, late);
    // The trail ends where the robot is: it has not jumped.
    near(fast->trails[robot->id][39].x, robot->map_T_base.x_m, 0.00051);
    free_client(fast);
    free_client(slow);
    free_client(late);
    free_site(site);
}

static void crowd(page_site *site, cairn_random *random, uint32_t step)
{
    for (uint32_t i = 0; i < site->fleet.count; i++) {
        cairn_fleet_robot *robot = &site->fleet.robots[i];
        robot->heard = true;
        robot->heard_at = site->now;
        robot->map_T_base = (cairn_pose2){-1000.001 - step, 1000.111 + i, -3.141};
        robot->telemetry.guards = 0xffff;
        give_task(robot, random, CAIRN_VIAS_MAX);
        robot->assignment.task = UINT32_MAX;
    }
    for (uint32_t i = 0; i < 100; i++) { paint(site, random); }
}

// Everything at its largest, all robots and the whole map changing all the time: messages stay within bounds, and a
// client that reads one message for each update still gets the events, the victims, the trails and the map.
static void no_kind_of_news_holds_up_another(void **unused)
{
    (void)unused;
    page_site *site = new_site(CAIRN_FLEET_MAX);
    page_client *client = new_client();
    cairn_random random;
    cairn_random_init(&random, 3, "page");
    char quotes[160];
    memset(quotes, '"', sizeof quotes);
    for (uint32_t i = 0; i < 512; i++) {
        cairn_events_add(&site->events, site->now, CAIRN_LOG_INFO, 1, "%u %.*s", i, (int)sizeof quotes, quotes);
    }
    for (uint32_t i = 0; i < 2000; i++) { see(site, &random); }
    for (uint32_t step = 0; step < 200; step++) {
        crowd(site, &random, step);
        update(site);
        assert_true(read_next(client, site));
    }
    assert_true(client->state_count >= 90 && client->tile_message_count >= 90);
    same_events(client, site);
    assert_int_equal(client->event_count, 200);
    for (uint32_t i = 0; i < site->victims.victim_count; i++) { assert_non_null(client->victims[i + 1]); }
    for (uint32_t i = 0; i < CAIRN_FLEET_MAX; i++) {
        assert_true(client->trail_counts[site->fleet.robots[i].id] > 100);
    }
    read_all(client, site);
    same_all(client, site);
    free_client(client);
    free_site(site);
}

// A map that is made anew may know less, and nothing at all where it knew something.
static void a_map_that_forgets_is_forgotten(void **unused)
{
    (void)unused;
    page_site *site = new_site(1);
    page_client *client = new_client();
    cairn_random random;
    cairn_random_init(&random, 4, "page");
    for (uint32_t i = 0; i < 100; i++) { paint(site, &random); }
    update(site);
    read_all(client, site);
    same_cells(client, site);
    assert_true(number_of(client->team, "explored_m2") > 0);
    forget(site);
    update(site);
    read_all(client, site);
    same_cells(client, site);
    assert_true(number_of(client->team, "explored_m2") == 0);
    for (uint32_t i = 0; i < 100; i++) { paint(site, &random); }
    update(site);
    forget(site);
    site->atlas.raster->ground[3 * WIDTH + 3] = CAIRN_GROUND_OBSTACLE; // knows one cell, and that only
    site->atlas.raster->x_min = site->atlas.raster->x_max = 3;
    site->atlas.raster->y_min = site->atlas.raster->y_max = 3;
    update(site);
    read_all(client, site);
    same_cells(client, site);
    free_client(client);
    free_site(site);
}

// Nobody who was there misses an event as long as the station has it.
static void a_client_that_slept_gets_the_events_that_are_left(void **unused)
{
    (void)unused;
    page_site *site = new_site(1);
    page_client *client = new_client();
    cairn_events_add(&site->events, site->now, CAIRN_LOG_INFO, 0, "first");
    update(site);
    read_all(client, site);
    assert_int_equal(client->event_count, 1);
    for (uint32_t i = 0; i < 400; i++) { cairn_events_add(&site->events, site->now, CAIRN_LOG_WARN, 0, "%u", i); }
    update(site);
    read_all(client, site);
    assert_int_equal(client->event_count, 401);
    for (uint32_t i = 0; i < 700; i++) { cairn_events_add(&site->events, site->now, CAIRN_LOG_WARN, 0, "%u", i); }
    update(site);
    read_all(client, site);
    assert_int_equal(client->event_count, 401 + CAIRN_EVENTS_MAX);
    same_events(client, site);
    free_client(client);
    free_site(site);
}

static void numbers_are_short_and_right(void **unused)
{
    (void)unused;
    const struct {
        double value;
        uint32_t decimals;
        const char *text;
    } rows[] = {{0, 3, "0"},           {-0.0004, 3, "0"},   {-0.0006, 3, "-0.001"},
                {0.1 + 0.2, 3, "0.3"}, {-12.5, 3, "-12.5"}, {1234.56789, 3, "1234.568"},
                {7, 0, "7"},           {0.05, 2, "0.05"},   {-0.999, 2, "-1"},
                {100, 1, "100"},       {NAN, 3, "null"},    {INFINITY, 3, "null"},
                {1e-6, 6, "0.000001"}, {1e300, 3, "null"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64] = {0};
        cairn_json json = {.text = text, .max = sizeof text - 1};
        cairn_page_number(&json, rows[i].value, rows[i].decimals);
        assert_string_equal(text, rows[i].text);
    }
    cairn_random random;
    cairn_random_init(&random, 1, "numbers");
    for (int i = 0; i < 10000; i++) {
        const double value = cairn_random_gauss(&random) * pow(10, cairn_random_between(&random, -6, 6));
        char text[64] = {0};
        cairn_json json = {.text = text, .max = sizeof text - 1};
        cairn_page_number(&json, value, 3);
        near(strtod(text, NULL), value, 0.0005 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_is_greeted_first_with_what_never_changes),
        cmocka_unit_test(clients_that_read_everything_know_everything),
        cmocka_unit_test(a_quiet_mission_says_the_time),
        cmocka_unit_test(a_long_trail_is_thinned_and_told_again),
        cmocka_unit_test(a_trail_moves_with_the_map),
        cmocka_unit_test(a_map_that_forgets_is_forgotten),
        cmocka_unit_test(a_client_that_slept_gets_the_events_that_are_left),
        cmocka_unit_test(no_kind_of_news_holds_up_another),
        cmocka_unit_test(numbers_are_short_and_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
