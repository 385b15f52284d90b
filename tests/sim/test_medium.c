// test_medium.c - the air: rate, order, losses, chance and counts.
#include "base/random.h"
#include "check.h"
#include "sim/medium/medium.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOLIDS_MAX 64
#define STARTS_MAX 30
#define BYTES_MAX 1400

static cairn_solid solids[SOLIDS_MAX];
static cairn_pose2 starts[STARTS_MAX];
static cairn_sim_arena arena = {.solids = solids, .starts = starts, .start_count = STARTS_MAX};
static cairn_arena memory;
static uint8_t buffer[BYTES_MAX];
static cairn_medium_arrival arrival;

static int begin(void **state)
{
    (void)state;
    arena.solid_count = 0;
    memset(starts, 0, sizeof starts);
    return cairn_arena_create(&memory, (size_t)64 << 20) == CAIRN_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cairn_arena_destroy(&memory);
    return 0;
}

static cairn_mono at(int64_t ns) { return (cairn_mono){ns}; }

// A radio that loses nothing and delays nothing: what is left is the rate.
static cairn_medium_def clear_def(uint32_t robot_count)
{
    cairn_medium_def def = cairn_medium_def_default();
    def.arena = &arena;
    def.robot_count = robot_count;
    def.seed = 1;
    def.radio.loss = def.radio.delay_s = def.radio.jitter_s = 0;
    return def;
}

// From here on the medium has all the memory it will ever have: taking more is a breach.
static cairn_medium *make(const cairn_medium_def *def)
{
    cairn_medium *medium;
    assert_ok(cairn_medium_create(def, &memory, &medium));
    memory.sealed = true;
    return medium;
}

static void again(void)
{
    memory.sealed = false;
    cairn_arena_reset(&memory, 0);
}

static void add_solid(cairn_solid_kind kind, cairn_pose2 pose, cairn_vec3 size_m)
{
    assert_true(arena.solid_count < SOLIDS_MAX);
    const cairn_pose3 map_T_box = {{pose.x_m, pose.y_m, size_m.z / 2},
                                   cairn_quat_from_axis((cairn_vec3){0, 0, 1}, pose.yaw_rad)};
    solids[arena.solid_count++] =
        (cairn_solid){.kind = kind, .map_T_box = map_T_box, .half_m = cairn_vec3_scale(size_m, 0.5)};
}

// Walls across the x axis, one metre apart from x = 1.
static void add_walls(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_solid(CAIRN_SOLID_WALL, (cairn_pose2){1.0 + i, 0, 0}, (cairn_vec3){0.1, 4, 1});
    }
}

static void send_bytes(cairn_medium *medium, uint32_t from, uint32_t to, uint32_t size_bytes, int64_t ns)
{
    static const uint8_t bytes[BYTES_MAX];
    assert_ok(cairn_medium_send(medium, from, to, bytes, size_bytes, at(ns)));
}

static cairn_err take(cairn_medium *medium, uint32_t who, int64_t ns)
{
    return cairn_medium_take(medium, who, at(ns), buffer, sizeof buffer, &arrival);
}

static uint64_t lost_of(const cairn_medium_info *info)
{
    uint64_t sum = 0;
    for (int i = 0; i < CAIRN_MEDIUM_LOST_COUNT; i++) { sum += info->lost_count[i]; }
    return sum;
}

// ---- rate and time

static void a_datagram_is_on_the_air_for_its_bits_over_the_rate(void **state)
{
    (void)state;
    const cairn_medium_def def = clear_def(2);
    cairn_medium *medium = make(&def);
    assert_int_equal(def.radio.rate_bps, 115200);
    assert_int_equal(def.overhead_bytes, 16);
    // 128 bytes with overhead, 1024 bits: 8 888 888.9 ns.
    assert_int_equal(cairn_medium_air_ns(medium, 112), 8888889);
    send_bytes(medium, 0, 2, 112, CAIRN_MS(5));
    send_bytes(medium, 0, 2, 1, CAIRN_MS(5)); // 17 bytes, 136 bits: 1 180 555.6 ns
    assert_ok(take(medium, 2, CAIRN_S(9)));
    assert_int_equal(arrival.arrived.ns, CAIRN_MS(5) + 8888889);
    assert_ok(take(medium, 2, CAIRN_S(9)));
    assert_int_equal(arrival.arrived.ns, CAIRN_MS(5) + 8888889 + 1180556);
    assert_int_equal(arrival.sent.ns, CAIRN_MS(5));
    send_bytes(medium, 1, 2, 112, CAIRN_S(10)); // long after: no waiting
    assert_int_equal(take(medium, 2, CAIRN_S(10) + 8888888), CAIRN_ERR_EMPTY);
    assert_ok(take(medium, 2, CAIRN_S(10) + 8888889));
    assert_int_equal(arrival.from, 1);
    assert_int_equal(cairn_medium_look_all(medium).air_ns, 2 * 8888889 + 1180556);
}

// Whoever looks at the channel at that moment before the other calls must not make a difference.
static void what_is_sent_when_the_channel_falls_free_has_its_turn_at_that_moment(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(2);
    def.radio.rate_bps = 64000;
    cairn_medium *medium = make(&def);
    assert_int_equal(cairn_medium_air_ns(medium, 16), CAIRN_MS(4));
    send_bytes(medium, 0, 2, 16, 0);
    send_bytes(medium, 0, 2, 16, 0);
    assert_ok(take(medium, 2, CAIRN_MS(4)));
    send_bytes(medium, 1, 2, 16, CAIRN_MS(4));
    const uint32_t senders[] = {1, 0};
    for (int i = 0; i < 2; i++) {
        assert_ok(take(medium, 2, CAIRN_MS(8 + 4 * i)));
        assert_int_equal(arrival.from, senders[i]);
        assert_int_equal(arrival.arrived.ns, CAIRN_MS(8 + 4 * i));
    }
}

typedef struct burst {
    int64_t from_ns, to_ns;
    uint64_t bits;
} burst;

static void no_window_carries_more_than_the_rate(void **state)
{
    (void)state;
    enum { COUNT_MAX = 3000 };
    static burst bursts[COUNT_MAX];
    cairn_medium_def def = clear_def(5);
    def.radio.rate_bps = 99991; // divides nothing evenly
    cairn_medium *medium = make(&def);
    cairn_random random;
    cairn_random_init(&random, 3, "traffic");
    uint32_t count = 0;
    for (int64_t ns = 0; ns < CAIRN_S(20); ns += CAIRN_MS(4)) {
        const uint32_t who = cairn_random_below(&random, 5);
        if (cairn_random_uniform(&random) < 0.7) {
            send_bytes(medium, who, 5, 1 + cairn_random_below(&random, 300), ns);
        }
        while (take(medium, 5, ns) == CAIRN_OK && count < COUNT_MAX) {
            bursts[count++] = (burst){arrival.arrived.ns - cairn_medium_air_ns(medium, arrival.size_bytes),
                                      arrival.arrived.ns, 8 * (arrival.size_bytes + def.overhead_bytes)};
        }
    }
    assert_in_range(count, 1000, COUNT_MAX - 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (uint32_t k = i; k < count; k++) {
            if (k > i) { assert_true(bursts[k].from_ns >= bursts[k - 1].to_ns); }
            bits += bursts[k].bits;
            const double room = (double)(bursts[k].to_ns - bursts[i].from_ns) * 1e-9 * def.radio.rate_bps;
            if ((double)bits > room * (1 + 1e-12)) { fail_msg("%u to %u: too many bits", i, k); }
        }
    }
    // Overloaded: the channel did not rest either.
    const cairn_medium_info all = cairn_medium_look_all(medium);
    assert_true(all.lost_count[CAIRN_MEDIUM_LOST_QUEUE] > 0 && all.air_ns > CAIRN_S(19));
}

static void delay_and_jitter_are_as_stated_and_let_datagrams_overtake(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(1);
    def.radio.delay_s = 0.020;
    def.radio.jitter_s = 0.500;
    cairn_medium *medium = make(&def);
    enum { COUNT = 4000 };
    const int64_t air_ns = cairn_medium_air_ns(medium, 4);
    double sum_s = 0;
    uint32_t taken = 0, overtaken = 0, last = 0;
    int64_t last_arrived_ns = 0;
    for (int64_t tick = 0; taken < COUNT; tick++) {
        const int64_t ns = tick * CAIRN_MS(10);
        const uint32_t number = (uint32_t)tick;
        if (tick < COUNT) { assert_ok(cairn_medium_send(medium, 0, 1, &number, sizeof number, at(ns))); }
        while (take(medium, 1, ns) == CAIRN_OK) {
            const int64_t late_ns = arrival.arrived.ns - arrival.sent.ns - air_ns - CAIRN_MS(20);
            assert_true(late_ns >= 0 && late_ns <= CAIRN_MS(500));
            assert_true(arrival.arrived.ns >= last_arrived_ns && arrival.arrived.ns <= ns);
            uint32_t got;
            memcpy(&got, buffer, sizeof got);
            overtaken += got < last;
            last = got;
            last_arrived_ns = arrival.arrived.ns;
            sum_s += cairn_seconds(late_ns);
            taken++;
        }
    }
    // A uniform variable's mean has a deviation of width / sqrt(12 n).
    assert_true(fabs(sum_s / COUNT - 0.25) < 5 * 0.5 / sqrt(12.0 * COUNT));
    assert_true(overtaken > COUNT / 10);
}

// ---- losses

// The chance that a datagram is lost at a mean strength, averaged over fading by summing a fine histogram of it.
static double expected_loss(double distance_m, double wall_cost, uint32_t size_bytes)
{
    const double mean_db = 20 - (40 + 10 * (1.5 + 0.2 * wall_cost) * log10(0.55 * distance_m)) + 90;
    double lost = 0, weight = 0;
    for (double z = -8; z <= 8; z += 0.001) {
        const double p = exp(-z * z / 2);
        const double wrong = erfc(sqrt(pow(10, (mean_db + 3.16 * z) / 10)));
        lost += p * (1 - pow(1 - wrong, size_bytes));
        weight += p;
    }
    return lost / weight;
}

// Sends count datagrams from robot 0 to the station, far apart in time, and takes what arrives.
static cairn_medium_info try_many(cairn_medium *medium, uint32_t size_bytes, uint32_t count)
{
    const uint32_t station = cairn_medium_station(medium);
    int64_t ns = 0;
    for (uint32_t i = 0; i < count; i++, ns += CAIRN_S(1)) {
        send_bytes(medium, 0, station, size_bytes, ns);
        while (take(medium, station, ns) == CAIRN_OK) {}
    }
    while (take(medium, station, ns) == CAIRN_OK) {}
    return cairn_medium_look(medium, 0);
}

// The count of losses lies within five deviations of a binomial's mean.
static void assert_rate(uint64_t lost, uint32_t count, double p, const char *what)
{
    const double tolerance = 5 * sqrt(count * p * (1 - p)) + 1;
    if (fabs((double)lost - count * p) > tolerance) {
        fail_msg("%s: lost %lu of %u, expected %.1f +- %.1f", what, (unsigned long)lost, count, count * p, tolerance);
    }
}

static void losses_follow_distance_walls_and_size(void **state)
{
    (void)state;
    const struct {
        double distance_m;
        uint32_t walls, size_bytes;
    } cases[] = {{450, 0, 1400}, {300, 5, 100},  {60, 10, 20}, {60, 10, 1400},
                 {90, 10, 100},  {150, 10, 100}, {480, 10, 5}};
    bool partly = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        again();
        arena.solid_count = 0;
        add_walls(cases[i].walls);
        cairn_medium_def def = clear_def(1);
        def.radio.station.given = true;
        def.radio.station.at_m = (cairn_vec2){cases[i].distance_m, 0};
        const cairn_medium_info info = try_many(make(&def), cases[i].size_bytes, 4000);
        const double p = expected_loss(cases[i].distance_m, cases[i].walls, cases[i].size_bytes);
        char what[64];
        snprintf(what, sizeof what, "%.0f m, %u walls, %u bytes", cases[i].distance_m, cases[i].walls,
                 cases[i].size_bytes);
        assert_rate(info.lost_count[CAIRN_MEDIUM_LOST_NOISE], 4000, p, what);
        assert_int_equal(info.lost_count[CAIRN_MEDIUM_LOST_NOISE], lost_of(&info));
        partly = partly || (p > 0.2 && p < 0.8);
    }
    assert_true(partly); // the cases say something
}

static void three_walls_lose_more_than_the_same_distance_in_the_open(void **state)
{
    (void)state;
    uint64_t lost[2];
    for (int walled = 0; walled < 2; walled++) {
        again();
        if (walled) { add_walls(3); }
        cairn_medium_def def = clear_def(1);
        def.radio.wall_cost = 3;
        def.radio.station.given = true;
        def.radio.station.at_m = (cairn_vec2){150, 0};
        const cairn_medium_info info = try_many(make(&def), 100, 1000);
        lost[walled] = lost_of(&info);
    }
    assert_true(lost[0] < 5 && lost[1] > 200);
}

static void nothing_gets_through_too_many_walls_or_too_far(void **state)
{
    (void)state;
    const struct {
        uint32_t walls;
        double distance_m;
        bool open;
    } cases[] = {{10, 15, true}, {11, 15, false}, {0, 499, true}, {0, 501, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        again();
        arena.solid_count = 0;
        add_walls(cases[i].walls);
        cairn_medium_def def = clear_def(1);
        def.path.fading_db = 0;
        def.radio.station.given = true;
        def.radio.station.at_m = (cairn_vec2){cases[i].distance_m, 0};
        const cairn_medium_info info = try_many(make(&def), 100, 200);
        assert_int_equal(info.lost_count[CAIRN_MEDIUM_LOST_RANGE], cases[i].open ? 0 : 200);
        assert_int_equal(info.delivered_count, cases[i].open ? 200 : 0);
    }
}

static void walls_are_counted_anew_when_either_end_moves(void **state)
{
    (void)state;
    add_walls(11); // one more than anything gets through, up to y = 2
    const cairn_medium_def def = clear_def(1);
    cairn_medium *medium = make(&def);
    const struct {
        uint32_t who;
        cairn_vec2 to_m;
        bool open;
    } moves[] = {{1, {14, 0}, false}, {1, {5.5, 0}, true}, {1, {14, 0}, false}, {1, {14, 9}, true}, {1, {14, 0}, false},
                 {0, {7.5, 0}, true}, {0, {0, 0}, false},  {0, {0, 9}, true},   {0, {0, 0}, false}};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        const int64_t ns = CAIRN_S((int64_t)i);
        cairn_medium_place(medium, moves[i].who, moves[i].to_m, at(ns));
        send_bytes(medium, 0, 1, 10, ns);
        send_bytes(medium, 1, 0, 10, ns);
        assert_int_equal(take(medium, 1, ns + CAIRN_MS(500)), moves[i].open ? CAIRN_OK : CAIRN_ERR_EMPTY);
        assert_int_equal(take(medium, 0, ns + CAIRN_MS(500)), moves[i].open ? CAIRN_OK : CAIRN_ERR_EMPTY);
    }
}

static void extra_loss_and_duplicates_come_at_their_stated_rates(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(1);
    def.radio.loss = 0.3;
    def.radio.duplicate = 0.1;
    const cairn_medium_info info = try_many(make(&def), 50, 10000);
    assert_rate(info.lost_count[CAIRN_MEDIUM_LOST_CHANCE], 10000, 0.3, "loss");
    assert_rate(info.duplicated_count, 10000, 0.7 * 0.1, "duplicates");
    assert_int_equal(info.delivered_count, 10000 - lost_of(&info) + info.duplicated_count);
}

static void a_silence_takes_all_that_is_on_the_air_in_it_and_nothing_else(void **state)
{
    (void)state;
    cairn_medium_silence silences[] = {{.from_s = 2, .to_s = 4}, {.from_s = 7, .to_s = 7.5}};
    cairn_medium_def def = clear_def(1);
    def.radio.silences = silences;
    def.radio.silence_count = 2;
    cairn_medium *medium = make(&def);
    memset(silences, 0, sizeof silences); // copied
    const int64_t air_ns = cairn_medium_air_ns(medium, 40);
    uint32_t expected = 0, taken = 0;
    for (int64_t ns = 0; ns < CAIRN_S(10); ns += CAIRN_MS(10)) {
        const bool in_first = ns + air_ns > CAIRN_S(2) && ns < CAIRN_S(4);
        const bool in_second = ns + air_ns > CAIRN_S(7) && ns < CAIRN_MS(7500);
        expected += !in_first && !in_second;
        send_bytes(medium, 0, 1, 40, ns);
        if (take(medium, 1, ns + CAIRN_MS(9)) == CAIRN_OK) {
            taken++;
            assert_false(in_first || in_second);
        }
    }
    assert_int_equal(taken, expected);
    assert_int_equal(cairn_medium_look(medium, 0).lost_count[CAIRN_MEDIUM_LOST_SILENCE], 1000 - expected);
}

static void nothing_gets_into_or_out_of_a_zone(void **state)
{
    (void)state;
    cairn_medium_zone zone = {.at_m = {10, 5}, .size_m = {4, 2}};
    cairn_medium_def def = clear_def(1);
    def.radio.zones = &zone;
    def.radio.zone_count = 1;
    cairn_medium *medium = make(&def);
    int64_t ns = 0;
    for (double x_m = 5.05; x_m < 15; x_m += 0.1) {
        for (double y_m = 3.05; y_m < 7; y_m += 0.1) {
            const bool inside = fabs(x_m - 10) < 2 && fabs(y_m - 5) < 1;
            ns += CAIRN_MS(100);
            cairn_medium_place(medium, 0, (cairn_vec2){x_m, y_m}, at(ns));
            send_bytes(medium, 0, 1, 10, ns);
            send_bytes(medium, 1, 0, 10, ns);
            assert_int_equal(take(medium, 1, ns + CAIRN_MS(50)), inside ? CAIRN_ERR_EMPTY : CAIRN_OK);
            assert_int_equal(take(medium, 0, ns + CAIRN_MS(50)), inside ? CAIRN_ERR_EMPTY : CAIRN_OK);
        }
    }
    const cairn_medium_info all = cairn_medium_look_all(medium);
    assert_int_equal(all.lost_count[CAIRN_MEDIUM_LOST_ZONE], lost_of(&all));
    assert_int_equal(lost_of(&all), 2 * 40 * 20);
}

// ---- relays and models

// Robot 0 and the station see each other only past the corner of a block, where a relay stands.
static cairn_medium_def corner_def(cairn_medium_model model)
{
    static cairn_medium_relay relay = {.at_m = {1, 1}};
    arena.solid_count = 0;
    add_solid(CAIRN_SOLID_WALL, (cairn_pose2){10, 10, 0}, (cairn_vec3){16, 16, 2});
    starts[0] = (cairn_pose2){1, 19, 0};
    cairn_medium_def def = clear_def(1);
    def.radio.model = model;
    def.radio.wall_cost = 11;
    def.radio.log_distance.material_db[CAIRN_MATERIAL_CONCRETE] = 90;
    def.radio.station.given = true;
    def.radio.station.at_m = (cairn_vec2){19, 1};
    def.radio.relays = &relay;
    def.radio.relay_count = 1;
    return def;
}

static void a_relay_carries_what_walls_stop_and_takes_air_time_and_delay_for_it(void **state)
{
    (void)state;
    for (int model = CAIRN_MEDIUM_SIMPLE; model <= CAIRN_MEDIUM_LOG_DISTANCE; model++) {
        again();
        cairn_medium_def def = corner_def((cairn_medium_model)model);
        def.radio.relay_delay_s = 0.030;
        cairn_medium *medium = make(&def);
        const int64_t air_ns = cairn_medium_air_ns(medium, 100);
        send_bytes(medium, 0, 1, 100, 0);
        send_bytes(medium, 0, 1, 100, 0);
        for (int i = 1; i <= 2; i++) { // each is on the air twice before the next can be
            assert_ok(take(medium, 1, CAIRN_S(1)));
            assert_int_equal(arrival.arrived.ns, i * 2 * air_ns + CAIRN_MS(30));
        }
        assert_int_equal(cairn_medium_look(medium, 0).air_ns, 4 * air_ns);
        send_bytes(medium, 1, 0, 100, CAIRN_S(1)); // and back
        assert_ok(take(medium, 0, CAIRN_S(2)));

        again();
        def.radio.relay_count = 0;
        medium = make(&def);
        send_bytes(medium, 0, 1, 100, 0);
        assert_int_equal(take(medium, 1, CAIRN_S(1)), CAIRN_ERR_EMPTY);
        assert_int_equal(cairn_medium_look(medium, 0).air_ns, air_ns);
    }
}

// Two hops that each lose a part lose together what chance says, and what is lost on the first is not sent on.
static void each_hop_takes_its_own_chance(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    cairn_medium_def def = corner_def(CAIRN_MEDIUM_LOG_DISTANCE);
    def.radio.log_distance.shadowing_db = def.radio.log_distance.fading_db = 0;
    // Both hops are 18 m long: strength at the sensitivity, so that 100 bytes are lost one time in ten.
    def.radio.log_distance.transmit_dbm = -90 + 40 + 20 * log10(18);
    cairn_medium *medium = make(&def);
    const int64_t air_ns = cairn_medium_air_ns(medium, 100);
    const cairn_medium_info info = try_many(medium, 100, COUNT);
    assert_int_equal(info.sent_count, COUNT);
    assert_rate(info.lost_count[CAIRN_MEDIUM_LOST_NOISE], COUNT, 1 - 0.9 * 0.9, "two hops");
    assert_rate((uint64_t)(2 * COUNT - info.air_ns / air_ns), COUNT, 0.1, "lost on the first hop");
}

static void relays_that_nobody_needs_change_nothing(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    cairn_medium_info infos[2];
    for (int i = 0; i < 2; i++) {
        again();
        cairn_medium_def def = corner_def(CAIRN_MEDIUM_SIMPLE);
        def.radio.loss = 0.2;
        def.radio.station.at_m = (cairn_vec2){1, 15};
        def.radio.relay_count = (uint32_t)i;
        infos[i] = try_many(make(&def), 100, COUNT);
    }
    assert_memory_equal(&infos[0], &infos[1], sizeof infos[0]);
    assert_true(infos[0].lost_count[CAIRN_MEDIUM_LOST_CHANCE] > COUNT / 10);
}

static void in_subt_each_radio_has_the_rate_to_itself(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(4);
    def.radio.model = CAIRN_MEDIUM_SUBT;
    def.radio.rate_bps = 1000000;
    cairn_medium *medium = make(&def);
    const int64_t air_ns = cairn_medium_air_ns(medium, 109); // 125 bytes with overhead: a millisecond
    assert_int_equal(air_ns, CAIRN_MS(1));
    send_bytes(medium, 0, 1, 109, 0); // two that have nothing to do with each other
    send_bytes(medium, 2, 3, 109, 0);
    const uint32_t receivers[] = {1, 3};
    for (int i = 0; i < 2; i++) {
        assert_ok(take(medium, receivers[i], CAIRN_S(1)));
        assert_int_equal(arrival.arrived.ns, air_ns);
    }
    // To one receiver they come one after the other, and so they go from one sender; a radio can do both at a time.
    for (uint32_t who = 0; who < 3; who++) { send_bytes(medium, who, 4, 109, CAIRN_S(2)); }
    send_bytes(medium, 4, 0, 109, CAIRN_S(2));
    send_bytes(medium, 4, 1, 109, CAIRN_S(2));
    for (int i = 1; i <= 3; i++) {
        assert_ok(take(medium, 4, CAIRN_S(3)));
        assert_int_equal(arrival.arrived.ns, CAIRN_S(2) + i * air_ns);
    }
    for (uint32_t who = 0; who < 2; who++) {
        assert_ok(take(medium, who, CAIRN_S(3)));
        assert_int_equal(arrival.arrived.ns, CAIRN_S(2) + (who + 1) * air_ns);
    }
}

// A relay costs nothing in SubT but a little strength.
static void in_subt_relays_take_no_time(void **state)
{
    (void)state;
    const cairn_medium_def def = corner_def(CAIRN_MEDIUM_SUBT);
    cairn_medium *medium = make(&def);
    send_bytes(medium, 0, 1, 100, 0);
    assert_ok(take(medium, 1, CAIRN_S(1)));
    assert_int_equal(arrival.arrived.ns, cairn_medium_air_ns(medium, 100));
}

// ---- chance and looking

typedef struct heard {
    uint32_t who;
    uint64_t hash; // over sender, times and bytes of all that it took
    uint32_t count;
} heard;

static void hear(heard *to, const void *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) { to->hash = (to->hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u; }
}

typedef struct manner {
    uint64_t seed;
    cairn_medium_model model;
    int64_t poll_ns;    // how often each looks
    bool poll_first;    // before or after what is sent at the moment
    bool highest_first; // in which order the senders of one moment call
} manner;

enum { TALKERS = 6 };

static void poll_all(cairn_medium *medium, int64_t ns, heard *heard_by)
{
    for (uint32_t who = 0; who < TALKERS; who++) {
        while (take(medium, who, ns) == CAIRN_OK) {
            hear(&heard_by[who], &arrival.from, sizeof arrival.from);
            hear(&heard_by[who], &arrival.arrived.ns, sizeof arrival.arrived.ns);
            hear(&heard_by[who], buffer, arrival.size_bytes);
            heard_by[who].count++;
        }
    }
}

static void talk(cairn_medium *medium, uint32_t who, int64_t ns)
{
    // What one says depends on who and when only.
    cairn_random random;
    char name[48];
    snprintf(name, sizeof name, "talk %u %ld", who, (long)ns);
    cairn_random_init(&random, 5, name);
    const cairn_vec2 at_m = {cairn_random_between(&random, 0, 12), cairn_random_between(&random, -3, 3)};
    cairn_medium_place(medium, who, at_m, at(ns));
    if (cairn_random_uniform(&random) < 0.06) {
        uint8_t bytes[200];
        for (size_t i = 0; i < sizeof bytes; i++) { bytes[i] = (uint8_t)cairn_random_u64(&random); }
        const uint32_t to = (who + 1 + cairn_random_below(&random, TALKERS - 1)) % TALKERS;
        assert_ok(cairn_medium_send(medium, who, to, bytes, 1 + cairn_random_below(&random, 200), at(ns)));
    }
}

static void run_talk(manner how, heard *ret_heard, cairn_medium_info *ret_info)
{
    again();
    arena.solid_count = 0;
    add_walls(9);
    cairn_medium_zone zone = {.at_m = {6, 0}, .size_m = {1, 1}};
    cairn_medium_def def = cairn_medium_def_default();
    def.arena = &arena;
    def.robot_count = TALKERS - 1;
    def.seed = how.seed;
    def.path.noise_dbm = -48;
    def.queue_count = 4;
    def.radio.rate_bps = 90000;
    def.radio.wall_cost = 1.5;
    def.radio.loss = 0.1;
    def.radio.duplicate = 0.05;
    def.radio.jitter_s = 0.1;
    def.radio.zones = &zone;
    def.radio.zone_count = 1;
    def.radio.model = how.model;
    cairn_medium_relay relays[] = {{.at_m = {3.5, 0}}, {.at_m = {9.5, 1}}};
    if (how.model != CAIRN_MEDIUM_SIMPLE) { // thin enough that the relays are needed
        def.radio.relays = relays;
        def.radio.relay_count = 2;
        def.radio.log_distance.sensitivity_dbm = -60;
        def.radio.subt.noise_dbm = -48;
    }
    cairn_medium *medium = make(&def);
    for (uint32_t i = 0; i < TALKERS; i++) { ret_heard[i] = (heard){.who = i}; }
    int64_t ns = 0;
    for (; ns < CAIRN_S(40); ns += CAIRN_MS(4)) {
        if (how.poll_first && ns % how.poll_ns == 0) { poll_all(medium, ns, ret_heard); }
        for (uint32_t i = 0; i < TALKERS; i++) { talk(medium, how.highest_first ? TALKERS - 1 - i : i, ns); }
        if (!how.poll_first && ns % how.poll_ns == 0) { poll_all(medium, ns, ret_heard); }
    }
    poll_all(medium, ns + CAIRN_S(10), ret_heard);
    *ret_info = cairn_medium_look_all(medium);
}

static void same_bytes_however_one_looks(cairn_medium_model model)
{
    const manner manners[] = {
        {.seed = 1, .model = model, .poll_ns = CAIRN_MS(4)},
        {.seed = 1, .model = model, .poll_ns = CAIRN_MS(4)},
        {.seed = 1, .model = model, .poll_ns = CAIRN_MS(20)},
        {.seed = 1, .model = model, .poll_ns = CAIRN_MS(100), .poll_first = true},
        {.seed = 1, .model = model, .poll_ns = CAIRN_MS(4), .poll_first = true, .highest_first = true}};
    heard first[TALKERS], other[TALKERS];
    cairn_medium_info first_info, other_info;
    run_talk(manners[0], first, &first_info);
    for (int i = 0; i < CAIRN_MEDIUM_LOST_COUNT; i++) { // every cause that this traffic can meet, it meets
        const bool met = first_info.lost_count[i] > 0;
        const bool can = i != CAIRN_MEDIUM_LOST_SILENCE && i != CAIRN_MEDIUM_LOST_INBOX &&
                         (i != CAIRN_MEDIUM_LOST_RANGE || model == CAIRN_MEDIUM_SIMPLE) &&
                         (i != CAIRN_MEDIUM_LOST_QUEUE || model != CAIRN_MEDIUM_SUBT);
        assert_int_equal(met, can);
    }
    for (size_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
        run_talk(manners[i], other, &other_info);
        assert_memory_equal(&other_info, &first_info, sizeof first_info);
        for (uint32_t who = 0; who < TALKERS; who++) {
            assert_int_equal(other[who].count, first[who].count);
            assert_true(other[who].count > 50 && other[who].hash == first[who].hash);
        }
    }
    run_talk((manner){.seed = 2, .model = model, .poll_ns = CAIRN_MS(4)}, other, &other_info);
    for (uint32_t who = 0; who < TALKERS; who++) { assert_true(other[who].hash != first[who].hash); }
}

static void the_same_seed_gives_the_same_bytes_however_one_looks(void **state)
{
    (void)state;
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        same_bytes_however_one_looks((cairn_medium_model)model);
    }
}

// ---- queues and counts

static void under_overload_all_get_the_same_share_and_the_modest_lose_nothing(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(14);
    cairn_medium *medium = make(&def);
    const uint32_t station = cairn_medium_station(medium);
    for (int64_t tick = 0; tick < 15000; tick++) { // a minute
        const int64_t ns = tick * CAIRN_MS(4);
        // Robot 0 sends ten times as much as others, all too much; the last but one every second.
        for (uint32_t who = 0; who < 13; who++) {
            if (tick % (who == 0 ? 1 : 10) == 0) { send_bytes(medium, who, station, 100, ns); }
        }
        if (tick % 250 == 0) { send_bytes(medium, 13, station, 100, ns); }
        while (take(medium, station, ns) == CAIRN_OK) {}
    }
    const uint64_t share = cairn_medium_look(medium, 0).delivered_count;
    assert_true(share > 450); // 124 datagrams a second, one for the modest, by thirteen
    for (uint32_t who = 1; who < 13; who++) {
        const uint64_t delivered = cairn_medium_look(medium, who).delivered_count;
        assert_true(delivered + 1 >= share && delivered <= share + 1);
    }
    const cairn_medium_info modest = cairn_medium_look(medium, 13);
    assert_int_equal(modest.delivered_count, 60);
    assert_int_equal(lost_of(&modest), 0);
}

static void a_full_queue_follows_its_rule(void **state)
{
    (void)state;
    for (int refuse = 0; refuse < 2; refuse++) {
        again();
        cairn_medium_def def = clear_def(1);
        def.queue_count = 4;
        def.queue_rule = refuse ? CAIRN_INBOX_REFUSE : CAIRN_INBOX_DROP_OLDEST;
        cairn_medium *medium = make(&def);
        for (uint8_t i = 0; i < 6; i++) {
            const cairn_err err = cairn_medium_send(medium, 0, 1, &i, 1, at(CAIRN_MS(4)));
            assert_int_equal(err, refuse && i >= 4 ? CAIRN_ERR_FULL : CAIRN_OK);
        }
        for (uint8_t i = 0; i < 4; i++) {
            assert_ok(take(medium, 1, CAIRN_S(1)));
            assert_int_equal(buffer[0], refuse ? i : i + 2);
        }
        const cairn_medium_info info = cairn_medium_look(medium, 0);
        assert_int_equal(info.refused_count, refuse ? 2 : 0);
        assert_int_equal(info.lost_count[CAIRN_MEDIUM_LOST_QUEUE], refuse ? 0 : 2);
    }
}

static void what_does_not_fit_is_refused_and_counted(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(1);
    def.datagram_bytes_max = 100;
    cairn_medium *medium = make(&def);
    uint8_t bytes[101] = {7};
    assert_int_equal(cairn_medium_send(medium, 0, 1, bytes, 101, at(0)), CAIRN_ERR_TOO_LARGE);
    assert_ok(cairn_medium_send(medium, 0, 1, bytes, 100, at(0)));
    assert_int_equal(cairn_medium_take(medium, 1, at(CAIRN_S(1)), buffer, 99, &arrival), CAIRN_ERR_TOO_LARGE);
    assert_int_equal(cairn_medium_take(medium, 1, at(CAIRN_S(1)), buffer, 100, &arrival), CAIRN_OK);
    assert_int_equal(arrival.size_bytes, 100);
    assert_int_equal(cairn_medium_look(medium, 0).refused_count, 1);
    assert_breach((void)take(medium, 1, CAIRN_S(1) - 1)); // time does not go back
}

static void a_receiver_that_never_looks_costs_itself_alone(void **state)
{
    (void)state;
    cairn_medium_def def = clear_def(3);
    def.inbox_count = 8;
    def.radio.duplicate = 0.5;
    cairn_medium *medium = make(&def);
    uint32_t taken = 0;
    for (int64_t ns = 0; ns < CAIRN_S(60); ns += CAIRN_MS(20)) {
        send_bytes(medium, 3, 0, 20, ns);
        send_bytes(medium, 3, 1, 20, ns);
        while (take(medium, 1, ns) == CAIRN_OK) { taken++; }
    }
    while (take(medium, 1, CAIRN_S(61)) == CAIRN_OK) { taken++; }
    const cairn_medium_info info = cairn_medium_look(medium, 3);
    assert_int_equal(info.flying_count, 8);
    assert_true(info.lost_count[CAIRN_MEDIUM_LOST_INBOX] > 2900 && taken > 3000);
    assert_int_equal(info.delivered_count, taken);
}

static void too_little_memory_is_told_and_none_is_kept(void **state)
{
    (void)state;
    const cairn_medium_def def = clear_def(2);
    cairn_medium *medium = make(&def);
    assert_non_null(medium);
    const size_t needed_bytes = memory.used_bytes;
    const size_t padding_bytes = 64; // the last thing that is taken may end on a rounded-up place
    for (size_t size_bytes = 0; size_bytes + padding_bytes < needed_bytes; size_bytes += needed_bytes / 37) {
        cairn_arena small;
        cairn_arena_init(&small, memory.base, size_bytes);
        cairn_medium *none = NULL;
        assert_int_equal(cairn_medium_create(&def, &small, &none), CAIRN_ERR_FULL);
        assert_true(none == NULL && small.used_bytes == 0);
    }
}

static void assert_conserved(const cairn_medium_info *info)
{
    assert_int_equal(info->sent_count + info->duplicated_count,
                     info->delivered_count + lost_of(info) + info->queued_count + info->flying_count);
}

static void check_counts(const cairn_medium *medium, const cairn_medium_def *def)
{
    for (uint32_t who = 0; who <= def->robot_count; who++) {
        const cairn_medium_info info = cairn_medium_look(medium, who);
        assert_conserved(&info);
        assert_true(info.queued_count <= def->queue_count);
    }
    const cairn_medium_info all = cairn_medium_look_all(medium);
    assert_conserved(&all);
    assert_int_equal(all.received_count, all.delivered_count);
    assert_int_equal(all.received_bytes, all.delivered_bytes);
    assert_true(all.flying_count <= (def->robot_count + 1) * def->inbox_count);
}

static cairn_medium_def random_def(cairn_random *random)
{
    cairn_medium_def def = clear_def(1 + cairn_random_below(random, 8));
    def.seed = cairn_random_u64(random);
    def.radio.rate_bps = cairn_random_between(random, 2000, 200000);
    def.radio.loss = cairn_random_between(random, 0, 0.5);
    def.radio.duplicate = cairn_random_between(random, 0, 0.5);
    def.radio.delay_s = cairn_random_between(random, 0, 0.1);
    def.radio.jitter_s = cairn_random_between(random, 0, 1);
    def.queue_count = 1 + cairn_random_below(random, 10);
    def.inbox_count = 1 + cairn_random_below(random, 40);
    def.queue_rule = cairn_random_below(random, 2) ? CAIRN_INBOX_REFUSE : CAIRN_INBOX_DROP_OLDEST;
    def.radio.model = (cairn_medium_model)cairn_random_below(random, CAIRN_MEDIUM_MODEL_COUNT);
    return def;
}

// In the end everything sent is delivered or lost, whatever the settings, and each datagram comes out as it went in.
static void no_datagram_is_forgotten_or_made_up(void **state)
{
    (void)state;
    const uint64_t seed = 20;
    print_message("seed %lu\n", (unsigned long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "counts");
    for (int run = 0; run < 40; run++) {
        again();
        const cairn_medium_def def = random_def(&random);
        cairn_medium *medium = make(&def);
        const uint32_t parties = def.robot_count + 1;
        uint64_t accepted = 0;
        int64_t ns = 0;
        for (int tick = 0; tick < 1500; tick++, ns += CAIRN_MS(4)) {
            const uint32_t from = cairn_random_below(&random, parties),
                           size_bytes = 1 + cairn_random_below(&random, 120);
            const uint32_t to = (from + 1 + cairn_random_below(&random, parties - 1)) % parties;
            uint8_t bytes[120];
            memset(bytes, (int)(from * 16 + to), size_bytes);
            accepted += cairn_medium_send(medium, from, to, bytes, size_bytes, at(ns)) == CAIRN_OK;
            const uint32_t who = cairn_random_below(&random, parties);
            while (take(medium, who, ns) == CAIRN_OK) {
                for (uint32_t i = 0; i < arrival.size_bytes; i++) {
                    assert_int_equal(buffer[i], arrival.from * 16 + who);
                }
            }
            if (tick % 10 == 0) { check_counts(medium, &def); }
        }
        ns += CAIRN_S(3600);
        for (uint32_t who = 0; who < parties; who++) {
            while (take(medium, who, ns) == CAIRN_OK) {}
        }
        check_counts(medium, &def);
        const cairn_medium_info all = cairn_medium_look_all(medium);
        assert_int_equal(all.sent_count, accepted);
        assert_int_equal(all.sent_count + all.refused_count, 1500);
        assert_int_equal(all.queued_count + all.flying_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_datagram_is_on_the_air_for_its_bits_over_the_rate, begin, end),
        cmocka_unit_test_setup_teardown(what_is_sent_when_the_channel_falls_free_has_its_turn_at_that_moment, begin,
                                        end),
        cmocka_unit_test_setup_teardown(no_window_carries_more_than_the_rate, begin, end),
        cmocka_unit_test_setup_teardown(delay_and_jitter_are_as_stated_and_let_datagrams_overtake, begin, end),
        cmocka_unit_test_setup_teardown(losses_follow_distance_walls_and_size, begin, end),
        cmocka_unit_test_setup_teardown(three_walls_lose_more_than_the_same_distance_in_the_open, begin, end),
        cmocka_unit_test_setup_teardown(nothing_gets_through_too_many_walls_or_too_far, begin, end),
        cmocka_unit_test_setup_teardown(walls_are_counted_anew_when_either_end_moves, begin, end),
        cmocka_unit_test_setup_teardown(extra_loss_and_duplicates_come_at_their_stated_rates, begin, end),
        cmocka_unit_test_setup_teardown(a_silence_takes_all_that_is_on_the_air_in_it_and_nothing_else, begin, end),
        cmocka_unit_test_setup_teardown(nothing_gets_into_or_out_of_a_zone, begin, end),
        cmocka_unit_test_setup_teardown(a_relay_carries_what_walls_stop_and_takes_air_time_and_delay_for_it, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_hop_takes_its_own_chance, begin, end),
        cmocka_unit_test_setup_teardown(relays_that_nobody_needs_change_nothing, begin, end),
        cmocka_unit_test_setup_teardown(in_subt_each_radio_has_the_rate_to_itself, begin, end),
        cmocka_unit_test_setup_teardown(in_subt_relays_take_no_time, begin, end),
        cmocka_unit_test_setup_teardown(the_same_seed_gives_the_same_bytes_however_one_looks, begin, end),
        cmocka_unit_test_setup_teardown(under_overload_all_get_the_same_share_and_the_modest_lose_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_full_queue_follows_its_rule, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_and_counted, begin, end),
        cmocka_unit_test_setup_teardown(a_receiver_that_never_looks_costs_itself_alone, begin, end),
        cmocka_unit_test_setup_teardown(too_little_memory_is_told_and_none_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(no_datagram_is_forgotten_or_made_up, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
