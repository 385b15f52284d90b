// Somebody without a key sends as much as the air carries: old greetings, old packets, reflected ones, noise. A stop
// still reaches the robot in the time that docs/link.md states, the budget is kept, and a robot that restarts comes
// back.
#include "pair.h"
#include <stdlib.h>
#include <string.h>

#define SEED 1717
#define RATE_BYTES_PER_S 3000 // a fifth of a thin radio: what a station with five robots gives to each
#define BURST_BYTES 2400
#define CAUGHT_MAX 1024
// 10 ms on the way, two ticks, and the time in which an empty bucket fills enough for a packet: 230 bytes of 7/8 the
// rate.
#define STOP_NS_MAX CAIRN_MS(120)
#define REJOIN_NS_MAX CAIRN_S(12)

static const radio_faults GOOD = {.delay_ns = CAIRN_MS(10)};

typedef struct recording {
    int from;
    size_t size;
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
} recording;

typedef struct attacker {
    uint32_t count, next;
    recording caught[CAUGHT_MAX];
    bool greetings_only;
    cairn_random random;
} attacker;

static bool is_kind(const recording *caught, int kind) { return (caught->bytes[0] & 15) == kind; }

static void keep(pair *world, int from, const uint8_t *bytes, size_t size)
{
    attacker *them = world->tap_context;
    if (them->count == CAUGHT_MAX || (them->greetings_only && (bytes[0] & 15) == 0)) { return; }
    recording *caught = &them->caught[them->count++];
    caught->from = from;
    caught->size = size;
    memcpy(caught->bytes, bytes, size);
}

static cairn_link_info info_of(const pair *world, int role)
{
    return cairn_link_info_now(world->links[role], pair_clock(world, role));
}

static void set_rates(pair *world)
{
    for (int role = 0; role < 2; role++) {
        world->defs[role].rate_bytes_per_s = RATE_BYTES_PER_S;
        world->defs[role].burst_bytes = BURST_BYTES;
        cairn_link_set_budget(world->links[role], RATE_BYTES_PER_S, BURST_BYTES, pair_clock(world, role));
    }
}

// Two ends that talk, and one who has recorded `boots` earlier boots of the robot and what was said since.
static pair *overheard(attacker *them, uint32_t boots)
{
    pair *world = pair_create(SEED, &GOOD);
    set_rates(world);
    cairn_random_init(&them->random, SEED, "attacker");
    world->tap = keep;
    world->tap_context = them;
    them->greetings_only = true;
    for (uint32_t i = 0; i < boots; i++) {
        pair_run(world, CAIRN_MS(500));
        pair_restart(world, CAIRN_LINK_ROBOT);
        set_rates(world);
    }
    pair_restart(world, CAIRN_LINK_STATION); // which does not know the hellos that the boot before it heard
    set_rates(world);
    them->greetings_only = false;
    pair_run(world, CAIRN_S(5));
    world->tap = NULL;
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).state, CAIRN_LINK_CONNECTED);
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).state, CAIRN_LINK_CONNECTED);
    for (int role = 0; role < 2; role++) { world->note_count[role] = 0; }
    return world;
}

// One datagram of a flood, to either end.
typedef void (*flood_fn)(attacker *them, pair *world);

static void give(pair *world, int to, const uint8_t *bytes, size_t size)
{
    (void)cairn_link_receive(world->links[to], bytes, size, pair_clock(world, to));
}

static void say_again(attacker *them, pair *world, int kind, uint32_t among, bool reflected)
{
    uint32_t met = 0;
    const uint32_t wanted = among == 0 ? 0 : them->next++ % among;
    for (uint32_t i = 0; i < them->count; i++) {
        const recording *caught = &them->caught[i];
        if (!is_kind(caught, kind) || met++ < wanted) { continue; }
        give(world, reflected ? caught->from : 1 - caught->from, caught->bytes, caught->size);
        return;
    }
    them->next = 0;
}

static void two_old_hellos(attacker *them, pair *world) { say_again(them, world, 1, 2, false); }
static void all_old_hellos(attacker *them, pair *world) { say_again(them, world, 1, CAUGHT_MAX, false); }
static void old_challenges(attacker *them, pair *world) { say_again(them, world, 2, CAUGHT_MAX, false); }
static void old_answers(attacker *them, pair *world) { say_again(them, world, 3, CAUGHT_MAX, false); }
static void old_packets(attacker *them, pair *world) { say_again(them, world, 0, CAUGHT_MAX, false); }
static void reflected_packets(attacker *them, pair *world)
{
    say_again(them, world, (int)cairn_random_below(&them->random, 4), CAUGHT_MAX, true);
}

// A greeting with the robot's fingerprint and sessions that nobody has; only its tag cannot be made.
static void invented_hellos(attacker *them, pair *world)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    for (uint32_t i = 0; i < them->count; i++) {
        const recording *caught = &them->caught[i];
        if (!is_kind(caught, 1)) { continue; }
        memcpy(bytes, caught->bytes, caught->size);
        for (size_t k = 8; k < caught->size; k++) { bytes[k] = (uint8_t)cairn_random_u64(&them->random); }
        give(world, CAIRN_LINK_STATION, bytes, caught->size);
        return;
    }
}

static void noise(attacker *them, pair *world)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    const size_t size = cairn_random_below(&them->random, CAIRN_LINK_MTU_MAX);
    for (size_t k = 0; k < size; k++) { bytes[k] = (uint8_t)cairn_random_u64(&them->random); }
    if (size > 1) {
        bytes[0] = (uint8_t)(CAIRN_LINK_VERSION << 4 | bytes[0] % 4);
        bytes[1] = 7;
    }
    give(world, (int)cairn_random_below(&them->random, 2), bytes, size);
}

static const struct {
    const char *name;
    flood_fn say;
} FLOODS[] = {
    {"two old hellos", two_old_hellos},   {"all old hellos", all_old_hellos},
    {"old challenges", old_challenges},   {"old answers", old_answers},
    {"old packets", old_packets},         {"reflected packets", reflected_packets},
    {"invented hellos", invented_hellos}, {"noise", noise},
};
#define FLOOD_COUNT (sizeof FLOODS / sizeof *FLOODS)
// Datagrams a second: what was seen to do harm, a thin radio full of greetings, and more than any of our radios
// carries.
static const uint32_t RATES[] = {60, 250, 10000};

// A tick of the world with so many datagrams of the flood in it; debt carries parts of one over.
static void flooded_tick(attacker *them, pair *world, flood_fn say, uint32_t per_s, int64_t *debt)
{
    for (*debt += (int64_t)per_s * PAIR_TICK_NS; *debt >= CAIRN_S(1); *debt -= CAIRN_S(1)) { say(them, world); }
    pair_tick(world);
}

typedef struct flood_result {
    uint32_t stops, telemetries;
    int64_t stop_ns_max;    // from putting to taking
    int64_t unheard_ns_max; // as the station is told
} flood_result;

// 20 s: a stop each 500 ms, telemetry always.
static flood_result run_flood(attacker *them, pair *world, flood_fn say, uint32_t per_s)
{
    flood_result result = {0};
    cairn_link_message message;
    int64_t debt = 0, put_at_ns = 0;
    bool under_way = false;
    for (int tick = 0; tick < 5000; tick++) {
        const uint8_t order[12] = {0x10}, telemetry[48] = {0x01};
        assert_ok(
            cairn_link_put(world->links[0], CAIRN_LINK_TELEMETRY, telemetry, sizeof telemetry, pair_clock(world, 0)));
        if (tick % 125 == 99 && !under_way) {
            assert_ok(cairn_link_put(world->links[1], CAIRN_LINK_STOP, order, sizeof order, pair_clock(world, 1)));
            put_at_ns = world->now_ns;
            under_way = true;
        }
        flooded_tick(them, world, say, per_s, &debt);
        while (cairn_link_take(world->links[0], pair_clock(world, 0), &message) == CAIRN_OK) {
            result.stops++;
            under_way = false;
        }
        const int64_t waited_ns = under_way ? world->now_ns - put_at_ns : 0;
        if (waited_ns > result.stop_ns_max) { result.stop_ns_max = waited_ns; }
        while (cairn_link_take(world->links[1], pair_clock(world, 1), &message) == CAIRN_OK) { result.telemetries++; }
        const int64_t unheard_ns = info_of(world, CAIRN_LINK_STATION).unheard_ns;
        if (unheard_ns > result.unheard_ns_max) { result.unheard_ns_max = unheard_ns; }
    }
    return result;
}

static void a_stop_passes_in_the_stated_time_under_every_flood(void **state)
{
    (void)state;
    for (size_t i = 0; i < FLOOD_COUNT; i++) {
        for (size_t k = 0; k < sizeof RATES / sizeof *RATES; k++) {
            attacker *them = calloc(1, sizeof *them);
            pair *world = overheard(them, 40);
            const flood_result result = run_flood(them, world, FLOODS[i].say, RATES[k]);
            print_message("seed %d, %s, %u/s: stop within %lld ms, robot heard within %lld ms\n", SEED, FLOODS[i].name,
                          RATES[k], (long long)(result.stop_ns_max / 1000000),
                          (long long)(result.unheard_ns_max / 1000000));
            assert_int_equal(result.stops, 40);
            assert_true(result.stop_ns_max <= STOP_NS_MAX);
            assert_true(result.telemetries >= 38);
            assert_true(result.unheard_ns_max <= CAIRN_MS(1300));
            for (int role = 0; role < 2; role++) { assert_true(pair_over_budget(world, role) <= 0); }
            pair_destroy(world);
            free(them);
        }
    }
}

// A stop needs a session: a robot that boots into a flood must get one.
static void a_robot_that_restarts_under_a_flood_is_back_in_the_stated_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < FLOOD_COUNT; i++) {
        for (int flooded_before = 0; flooded_before < 2; flooded_before++) {
            attacker *them = calloc(1, sizeof *them);
            pair *world = overheard(them, 100);
            int64_t debt = 0;
            cairn_link_message message;
            for (int tick = 0; flooded_before && tick < 2500; tick++) {
                flooded_tick(them, world, FLOODS[i].say, 1000, &debt);
            }
            // A station that boots, too, does not know which hellos are old.
            if (!flooded_before) { pair_restart(world, CAIRN_LINK_STATION); }
            pair_restart(world, CAIRN_LINK_ROBOT);
            set_rates(world);
            const int64_t start_ns = world->now_ns;
            while (info_of(world, CAIRN_LINK_ROBOT).state != CAIRN_LINK_CONNECTED &&
                   world->now_ns - start_ns < CAIRN_S(60)) {
                flooded_tick(them, world, FLOODS[i].say, 1000, &debt);
                while (cairn_link_take(world->links[1], pair_clock(world, 1), &message) == CAIRN_OK) {}
            }
            print_message("seed %d, %s%s: back after %lld ms\n", SEED, FLOODS[i].name,
                          flooded_before ? " for 10 s already" : ", the station new, too",
                          (long long)((world->now_ns - start_ns) / 1000000));
            assert_true(world->now_ns - start_ns <= (flooded_before ? CAIRN_S(2) : REJOIN_NS_MAX));
            pair_destroy(world);
            free(them);
        }
    }
}

// What the station is told about the way out is about packets that arrived, not about packets that it sent.
static void a_way_that_carries_nothing_is_noticed_at_the_sending_end(void **state)
{
    (void)state;
    attacker *them = calloc(1, sizeof *them);
    pair *world = overheard(them, 0);
    pair_run(world, CAIRN_S(5));
    assert_true(info_of(world, CAIRN_LINK_STATION).unheard_ns < CAIRN_MS(1300));
    cairn_link_message message;
    for (int tick = 0; tick < 1250; tick++) { // 5 s in which the robot is heard and hears nothing
        pair_tick(world);
        for (uint32_t i = 0; i < world->flying_count;) {
            if (world->flying[i].to == CAIRN_LINK_ROBOT) {
                world->flying[i] = world->flying[--world->flying_count];
            } else {
                i++;
            }
        }
        while (cairn_link_take(world->links[1], pair_clock(world, 1), &message) == CAIRN_OK) {}
    }
    const cairn_link_info info = info_of(world, CAIRN_LINK_STATION);
    assert_int_equal(info.state, CAIRN_LINK_CONNECTED);
    assert_true(info.unheard_ns > CAIRN_MS(4900));
    pair_destroy(world);
    free(them);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_passes_in_the_stated_time_under_every_flood),
        cmocka_unit_test(a_robot_that_restarts_under_a_flood_is_back_in_the_stated_time),
        cmocka_unit_test(a_way_that_carries_nothing_is_noticed_at_the_sending_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
