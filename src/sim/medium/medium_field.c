#include "sim/medium/medium_field.h"
#include <math.h>
#include <string.h>

// Chances over all fading are looked up in a table: strength goes up in steps, from so far below the radio's threshold
// to so far above it.
#define TABLE_STEP_DB 0.25
#define TABLE_SIDE_DB 60
enum { TABLE_COUNT = 2 * TABLE_SIDE_DB * 4 + 1 };
// Fading is summed over so many deviations to each side.
#define FADING_SIDE 5.0
enum { FADING_COUNT = 41 };
// A hop with less of a chance is none.
#define CHANCE_MIN 1e-4
// Weight of a hop beside that of its chance, -ln(chance): a relay has to be worth about a tenth.
#define HOP_WEIGHT 0.1

struct cairn_medium_field {
    cairn_medium_model model;
    cairn_medium_path path;
    cairn_medium_log_distance log_distance;
    double wall_cost;
    uint64_t seed;
    cairn_medium_walls walls;
    double chance_low_dbm; // of chances[0]
    double chances[TABLE_COUNT];
    double tenth_dbm; // where a tenth is lost
    uint32_t relay_count;
    uint8_t relays[CAIRN_MEDIUM_RELAYS_MAX]; // index into the radio's list
    cairn_vec2 relays_m[CAIRN_MEDIUM_RELAYS_MAX];
    cairn_medium_hop between[CAIRN_MEDIUM_RELAYS_MAX][CAIRN_MEDIUM_RELAYS_MAX];
    double values[CAIRN_MEDIUM_RELAYS_MAX][CAIRN_MEDIUM_RELAYS_MAX]; // value_of(between)
};

// ---- one hop

static cairn_medium_hop hop_between(const cairn_medium_field *field, cairn_vec2 from_m, cairn_vec2 to_m)
{
    cairn_medium_hop hop = {.distance_m = cairn_vec2_distance(from_m, to_m)};
    if (field->model == CAIRN_MEDIUM_LOG_DISTANCE) {
        hop.in_the_way_db = cairn_medium_walls_db(&field->walls, from_m, to_m, field->log_distance.material_db) +
                            cairn_medium_shadowing_db(&field->log_distance, field->seed, from_m, to_m);
    } else {
        hop.wall_cost = field->wall_cost * cairn_medium_walls_between(&field->walls, from_m, to_m);
    }
    return hop;
}

double cairn_medium_field_dbm(const cairn_medium_field *field, const cairn_medium_hop *hop, double fading)
{
    if (field->model == CAIRN_MEDIUM_LOG_DISTANCE) {
        return cairn_medium_log_distance_dbm(&field->log_distance, hop->distance_m, hop->in_the_way_db) +
               field->log_distance.fading_db * fading;
    }
    const cairn_medium_path *path = &field->path;
    if (!cairn_medium_path_open(path, hop->distance_m, hop->wall_cost)) { return -INFINITY; }
    return cairn_medium_path_dbm(path, hop->distance_m + hop->more_m, hop->wall_cost) + path->fading_db * fading;
}

double cairn_medium_field_loss(const cairn_medium_field *field, double received_dbm, uint32_t size_bytes)
{
    return field->model == CAIRN_MEDIUM_LOG_DISTANCE
               ? cairn_medium_log_distance_loss(&field->log_distance, received_dbm, size_bytes)
               : cairn_medium_path_loss(&field->path, received_dbm, size_bytes);
}

// ---- chances over all fading

static double mean_chance(const cairn_medium_field *field, double mean_dbm, double fading_db)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < FADING_COUNT; i++) {
        const double z = FADING_SIDE * (2.0 * i / (FADING_COUNT - 1) - 1), weight = exp(-z * z / 2);
        sum += weight * (1 - cairn_medium_field_loss(field, mean_dbm + fading_db * z, CAIRN_MEDIUM_USUAL_BYTES));
        weights += weight;
    }
    return sum / weights;
}

static void make_chances(cairn_medium_field *field)
{
    const bool log_distance = field->model == CAIRN_MEDIUM_LOG_DISTANCE;
    const double fading_db = log_distance ? field->log_distance.fading_db : field->path.fading_db;
    const double middle_dbm = log_distance ? field->log_distance.sensitivity_dbm : field->path.noise_dbm;
    field->chance_low_dbm = middle_dbm - TABLE_SIDE_DB;
    for (int i = 0; i < TABLE_COUNT; i++) {
        field->chances[i] = mean_chance(field, field->chance_low_dbm + i * TABLE_STEP_DB, fading_db);
    }
    int tenth = 1;
    while (tenth < TABLE_COUNT - 1 && field->chances[tenth] < 0.9) { tenth++; }
    const double below = field->chances[tenth - 1], rise = field->chances[tenth] - below;
    const double part = rise > 0 ? (0.9 - below) / rise : 1;
    field->tenth_dbm = field->chance_low_dbm + (tenth - 1 + part) * TABLE_STEP_DB;
}

static double hop_chance(const cairn_medium_field *field, const cairn_medium_hop *hop)
{
    const double at = (cairn_medium_field_dbm(field, hop, 0) - field->chance_low_dbm) / TABLE_STEP_DB;
    if (!(at >= 0)) { return 0; }
    if (at >= TABLE_COUNT - 1) { return field->chances[TABLE_COUNT - 1]; }
    const uint32_t low = (uint32_t)at;
    return field->chances[low] + (at - low) * (field->chances[low + 1] - field->chances[low]);
}

double cairn_medium_field_chance(const cairn_medium_field *field, const cairn_medium_route *route)
{
    double chance = 1;
    for (uint32_t i = 0; i < route->hop_count; i++) { chance *= hop_chance(field, &route->hops[i]); }
    return chance;
}

double cairn_medium_field_margin_db(const cairn_medium_field *field, const cairn_medium_route *route)
{
    double weakest_dbm = INFINITY;
    for (uint32_t i = 0; i < route->hop_count; i++) {
        weakest_dbm = fmin(weakest_dbm, cairn_medium_field_dbm(field, &route->hops[i], 0));
    }
    return weakest_dbm - field->tenth_dbm;
}

// ---- routes

// What is to be made small: along a way it is summed, or its greatest counts. INFINITY: no hop.
typedef struct hop_values {
    bool summed;
    double direct, from[CAIRN_MEDIUM_RELAYS_MAX], to[CAIRN_MEDIUM_RELAYS_MAX];
    double between[CAIRN_MEDIUM_RELAYS_MAX][CAIRN_MEDIUM_RELAYS_MAX];
} hop_values;

typedef struct way {
    double value;
    uint32_t relay_count;
    uint8_t relays[CAIRN_MEDIUM_HOPS_MAX - 1]; // of the field
} way;

// The least value of ways to each relay over so many others, and the one before it.
typedef struct way_table {
    double least[CAIRN_MEDIUM_HOPS_MAX][CAIRN_MEDIUM_RELAYS_MAX];
    uint8_t before[CAIRN_MEDIUM_HOPS_MAX][CAIRN_MEDIUM_RELAYS_MAX];
} way_table;

static double joined(const hop_values *values, double a, double b) { return values->summed ? a + b : fmax(a, b); }

static void fill_round(const hop_values *values, uint32_t relay_count, uint32_t round, way_table *table)
{
    for (uint32_t i = 0; i < relay_count; i++) {
        table->least[round][i] = INFINITY;
        for (uint32_t k = 0; k < relay_count; k++) {
            if (k == i) { continue; }
            const double value = joined(values, table->least[round - 1][k], values->between[k][i]);
            if (value < table->least[round][i]) {
                table->least[round][i] = value;
                table->before[round][i] = (uint8_t)k;
            }
        }
    }
}

static void trace_back(const way_table *table, uint32_t round, uint32_t last, way *found)
{
    found->relay_count = round + 1;
    for (uint32_t i = round + 1; i-- > 0;) {
        found->relays[i] = (uint8_t)last;
        last = table->before[i][last];
    }
}

// Bellman and Ford's rounds. Ways of few relays win over equal ones of more; with `fewest` over all of more.
static way find_way(const hop_values *values, uint32_t relay_count, bool fewest)
{
    way_table table = {.before = {{0}}};
    way found = {.value = values->direct};
    for (uint32_t round = 0; round + 1 < CAIRN_MEDIUM_HOPS_MAX && round < relay_count; round++) {
        if (fewest && found.value < INFINITY) { break; }
        if (round == 0) {
            memcpy(table.least[0], values->from, sizeof values->from);
        } else {
            fill_round(values, relay_count, round, &table);
        }
        for (uint32_t i = 0; i < relay_count; i++) {
            const double value = joined(values, table.least[round][i], values->to[i]);
            if (value < found.value) {
                found.value = value;
                trace_back(&table, round, i, &found);
            }
        }
    }
    return found;
}

// Simple and log-distance: weight of a hop. subt: its wall cost.
static double value_of(const cairn_medium_field *field, const cairn_medium_hop *hop)
{
    if (field->model == CAIRN_MEDIUM_SUBT) {
        return cairn_medium_path_open(&field->path, hop->distance_m, hop->wall_cost) ? hop->wall_cost : INFINITY;
    }
    const double chance = hop_chance(field, hop);
    return chance < CHANCE_MIN ? INFINITY : HOP_WEIGHT - log(chance);
}

// The hops that a route may be made of, beside those between relays.
typedef struct ends {
    cairn_medium_hop direct, from[CAIRN_MEDIUM_RELAYS_MAX], to[CAIRN_MEDIUM_RELAYS_MAX];
} ends;

static double length_if_within(const cairn_medium_hop *hop, double value, double value_max)
{
    return value <= value_max ? hop->distance_m : INFINITY;
}

// Of the ways with the least wall cost the one with the fewest relays, then with the shortest longest hop.
static way find_shortest(const cairn_medium_field *field, const ends *hops, const hop_values *costs, double cost_max)
{
    hop_values lengths = {.direct = length_if_within(&hops->direct, costs->direct, cost_max)};
    for (uint32_t i = 0; i < field->relay_count; i++) {
        lengths.from[i] = length_if_within(&hops->from[i], costs->from[i], cost_max);
        lengths.to[i] = length_if_within(&hops->to[i], costs->to[i], cost_max);
        for (uint32_t k = 0; k < field->relay_count; k++) {
            lengths.between[i][k] = length_if_within(&field->between[i][k], costs->between[i][k], cost_max);
        }
    }
    return find_way(&lengths, field->relay_count, true);
}

static cairn_medium_route route_of(const cairn_medium_field *field, const ends *hops, const way *found)
{
    cairn_medium_route route = {.hop_count = 1, .hops = {hops->direct}};
    if (found->value == INFINITY || found->relay_count == 0) { return route; }
    route.relay_count = found->relay_count;
    route.hop_count = found->relay_count + 1;
    route.hops[0] = hops->from[found->relays[0]];
    for (uint32_t i = 0; i < found->relay_count; i++) {
        const uint8_t relay = found->relays[i];
        route.relays[i] = field->relays[relay];
        route.hops[i + 1] = i + 1 < found->relay_count ? field->between[relay][found->relays[i + 1]] : hops->to[relay];
    }
    return route;
}

// The SubT testbed takes the longest hop and the worst walls for the whole way, and a little more for each relay.
static void make_one_hop(const cairn_medium_field *field, cairn_medium_route *route)
{
    cairn_medium_hop whole = {.more_m = field->path.relay_m * route->relay_count};
    for (uint32_t i = 0; i < route->hop_count; i++) {
        whole.distance_m = fmax(whole.distance_m, route->hops[i].distance_m);
        whole.wall_cost = fmax(whole.wall_cost, route->hops[i].wall_cost);
    }
    route->hop_count = 1;
    route->hops[0] = whole;
}

cairn_medium_route cairn_medium_field_route(const cairn_medium_field *field, cairn_vec2 from_m, cairn_vec2 to_m)
{
    CAIRN_ASSERT(field);
    const cairn_medium_hop direct = hop_between(field, from_m, to_m);
    // Most ways are direct, and it can be seen from them alone: two hops weigh so much however good they are.
    const bool subt = field->model == CAIRN_MEDIUM_SUBT;
    const double direct_value = field->relay_count > 0 ? value_of(field, &direct) : 0;
    if (direct_value <= (subt ? 0 : 2 * HOP_WEIGHT)) { return (cairn_medium_route){.hop_count = 1, .hops = {direct}}; }
    ends hops = {.direct = direct};
    hop_values values = {.summed = !subt, .direct = direct_value};
    memcpy(values.between, field->values, sizeof values.between);
    for (uint32_t i = 0; i < field->relay_count; i++) {
        hops.from[i] = hop_between(field, from_m, field->relays_m[i]);
        hops.to[i] = hop_between(field, field->relays_m[i], to_m);
        values.from[i] = value_of(field, &hops.from[i]);
        values.to[i] = value_of(field, &hops.to[i]);
    }
    way found = find_way(&values, field->relay_count, false);
    if (subt && found.value < INFINITY) { found = find_shortest(field, &hops, &values, found.value); }
    cairn_medium_route route = route_of(field, &hops, &found);
    if (subt) { make_one_hop(field, &route); }
    return route;
}

// ---- making

static void add_relays(cairn_medium_field *field, const cairn_medium_radio *radio)
{
    for (uint32_t i = 0; i < radio->relay_count; i++) {
        if (cairn_medium_in_zone(radio, radio->relays[i].at_m)) { continue; }
        field->relays[field->relay_count] = (uint8_t)i;
        field->relays_m[field->relay_count++] = radio->relays[i].at_m;
    }
    for (uint32_t i = 0; i < field->relay_count; i++) {
        for (uint32_t k = 0; k < field->relay_count; k++) {
            // The same both ways, to the last bit.
            const uint32_t low = i < k ? i : k, high = i < k ? k : i;
            field->between[i][k] = hop_between(field, field->relays_m[low], field->relays_m[high]);
            field->values[i][k] = value_of(field, &field->between[i][k]);
        }
    }
}

cairn_err cairn_medium_field_create(const cairn_medium_def *def, cairn_arena *memory, cairn_medium_field **ret_field)
{
    CAIRN_ASSERT(def && def->arena && memory && ret_field);
    const cairn_medium_radio *radio = &def->radio;
    CAIRN_ASSERT(radio->model < CAIRN_MEDIUM_MODEL_COUNT && radio->relay_count <= CAIRN_MEDIUM_RELAYS_MAX);
    CAIRN_ASSERT(radio->model != CAIRN_MEDIUM_LOG_DISTANCE ||
                 (radio->log_distance.decade_db > 0 && radio->log_distance.shadowing_m > 0));
    cairn_medium_field *field = CAIRN_TAKE(memory, cairn_medium_field, 1);
    if (!field) { return CAIRN_ERR_FULL; }
    field->model = radio->model;
    field->path = radio->model == CAIRN_MEDIUM_SUBT ? radio->subt : def->path;
    field->log_distance = radio->log_distance;
    field->wall_cost = radio->wall_cost;
    field->seed = def->seed;
    const cairn_err err = cairn_medium_walls_create(def->arena, def->path.antenna_m, memory, &field->walls);
    if (err != CAIRN_OK) { return err; }
    make_chances(field);
    add_relays(field, radio);
    *ret_field = field;
    return CAIRN_OK;
}
