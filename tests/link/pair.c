// pair.c - see pair.h.
#include "pair.h"
#include <stdlib.h>
#include <string.h>

#define FLYING_MAX 8192
#define NOTES_MAX 200000

static cairn_link_def def_for(const pair *world, int role, uint64_t boot)
{
    cairn_link_def def = cairn_link_def_default();
    def.role = (cairn_link_role)role;
    def.robot = 7;
    def.hold_acks = world->hold_acks[role];
    for (int i = 0; i < CAIRN_LINK_KEY_BYTES; i++) { def.key[i] = (uint8_t)(i * 5 + 1); }
    cairn_random_init(&def.random, world->seed * 1000 + boot, role == CAIRN_LINK_ROBOT ? "robot" : "station");
    return def;
}

static void boot(pair *world, int role, uint64_t count)
{
    world->defs[role] = def_for(world, role, count);
    assert_ok(cairn_arena_create(&world->arenas[role], PAIR_ARENA_BYTES));
    assert_ok(cairn_link_create(&world->defs[role], &world->arenas[role], &world->links[role]));
    cairn_arena_seal(&world->arenas[role]);
}

pair *pair_create(uint64_t seed, const radio_faults *faults)
{
    pair *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->seed = seed;
    world->faults = *faults;
    world->flying = malloc(FLYING_MAX * sizeof *world->flying);
    assert_non_null(world->flying);
    cairn_random_init(&world->random, seed, "radio");
    world->clock_ns[CAIRN_LINK_ROBOT] = (int64_t)cairn_random_below(&world->random, 1000) * CAIRN_MS(1);
    world->clock_ns[CAIRN_LINK_STATION] = (int64_t)cairn_random_below(&world->random, 2000000) * CAIRN_MS(1);
    for (int role = 0; role < 2; role++) {
        world->notes[role] = malloc(NOTES_MAX * sizeof *world->notes[role]);
        assert_non_null(world->notes[role]);
        boot(world, role, 0);
    }
    return world;
}

void pair_destroy(pair *world)
{
    for (int role = 0; role < 2; role++) {
        free(world->notes[role]);
        cairn_arena_destroy(&world->arenas[role]);
    }
    free(world->flying);
    free(world);
}

void pair_restart(pair *world, int role)
{
    static uint64_t boots = 1;
    cairn_arena_destroy(&world->arenas[role]);
    boot(world, role, boots++);
    world->note_count[role] = 0; // the bucket is full again
}

cairn_mono pair_clock(const pair *world, int role)
{
    const int64_t drifted_ns = (int64_t)((double)world->now_ns * world->drift[role]);
    return (cairn_mono){world->clock_ns[role] + world->now_ns + drifted_ns};
}

static void launch(pair *world, int to, const uint8_t *bytes, size_t size)
{
    assert_true(world->flying_count < FLYING_MAX);
    radio_datagram *datagram = &world->flying[world->flying_count++];
    const int64_t jitter_ns = (int64_t)(cairn_random_uniform(&world->random) * (double)world->faults.jitter_ns);
    datagram->at_ns = world->now_ns + world->faults.delay_ns + jitter_ns;
    datagram->at_ns += to == CAIRN_LINK_STATION ? world->faults.extra_up_ns : 0;
    datagram->order = world->order++;
    datagram->to = to;
    datagram->size = size;
    memcpy(datagram->bytes, bytes, size);
}

static void on_send(void *context, const uint8_t *bytes, size_t size)
{
    pair *world = context;
    const int from = world->sender;
    assert_true(size <= world->defs[from].mtu_bytes);
    assert_true(world->note_count[from] < NOTES_MAX);
    world->notes[from][world->note_count[from]++] =
        (sent_note){world->now_ns, size + world->defs[from].datagram_extra_bytes};
    for (size_t i = 0; i < size; i++) { world->hash = (world->hash ^ bytes[i]) * 0x100000001b3u; }
    world->hash ^= (uint64_t)world->now_ns;
    if (world->tap != NULL) { world->tap(world, from, bytes, size); }
    const radio_faults *faults = &world->faults;
    const bool silent = world->now_ns >= faults->silent_from_ns && world->now_ns < faults->silent_to_ns;
    const bool lost = cairn_random_uniform(&world->random) < faults->loss;
    if (silent || lost) { return; }
    launch(world, 1 - from, bytes, size);
    if (cairn_random_uniform(&world->random) < faults->twice) { launch(world, 1 - from, bytes, size); }
}

// The earliest that is due, by arrival, then by sending; -1 if none is.
static int next_due(const pair *world)
{
    int best = -1;
    for (uint32_t i = 0; i < world->flying_count; i++) {
        const radio_datagram *a = &world->flying[i];
        if (a->at_ns > world->now_ns) { continue; }
        const radio_datagram *b = best < 0 ? NULL : &world->flying[best];
        if (b == NULL || a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order)) { best = (int)i; }
    }
    return best;
}

void pair_tick(pair *world)
{
    for (int i = next_due(world); i >= 0; i = next_due(world)) {
        const radio_datagram *arrived = &world->flying[i];
        (void)cairn_link_receive(world->links[arrived->to], arrived->bytes, arrived->size,
                                 pair_clock(world, arrived->to));
        world->flying[i] = world->flying[--world->flying_count];
    }
    for (int role = 0; role < 2; role++) {
        world->sender = role;
        cairn_link_step(world->links[role], pair_clock(world, role), on_send, world);
    }
    world->now_ns += PAIR_TICK_NS;
}

void pair_run(pair *world, int64_t duration_ns)
{
    const int64_t end_ns = world->now_ns + duration_ns;
    while (world->now_ns < end_ns) {
        pair_tick(world);
        for (int role = 0; role < 2; role++) {
            cairn_link_message message;
            while (cairn_link_take(world->links[role], pair_clock(world, role), &message) == CAIRN_OK) {}
        }
    }
}

int64_t pair_over_budget(const pair *world, int role)
{
    const cairn_link_def *def = &world->defs[role];
    const int64_t allowed = (int64_t)def->rate_bytes_per_s + def->burst_bytes;
    int64_t in_window = 0, worst = -allowed;
    uint32_t first = 0;
    for (uint32_t i = 0; i < world->note_count[role]; i++) {
        in_window += (int64_t)world->notes[role][i].cost_bytes;
        while (world->notes[role][i].at_ns - world->notes[role][first].at_ns > CAIRN_S(1)) {
            in_window -= (int64_t)world->notes[role][first++].cost_bytes;
        }
        if (in_window - allowed > worst) { worst = in_window - allowed; }
    }
    return worst;
}
