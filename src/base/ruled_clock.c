#include "base/ruled_clock.h"

#define TRIES 8
// A sleeper looks again at least so often. Shorter: more wake-ups while time stands still; longer: later when it runs.
#define LOOK_AGAIN_NS CAIRN_MS(4)

void cairn_ruled_publish(cairn_ruled_memory *memory, cairn_mono time, cairn_mono machine_now)
{
    // A publisher before this one may have died in between: the mark is made even again.
    const uint64_t mark = atomic_load_explicit(&memory->mark, memory_order_relaxed) & ~(uint64_t)1;
    atomic_store_explicit(&memory->mark, mark + 1, memory_order_relaxed);
    atomic_store_explicit(&memory->time_ns, time.ns, memory_order_release);
    atomic_store_explicit(&memory->at_ns, machine_now.ns, memory_order_release);
    atomic_store_explicit(&memory->mark, mark + 2, memory_order_release);
}

// False: nothing published yet, or never seen at rest.
static bool read_published(const cairn_ruled_memory *memory, int64_t *ret_time_ns, int64_t *ret_at_ns)
{
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = atomic_load_explicit(&memory->mark, memory_order_acquire);
        if (before == 0) { return false; }
        *ret_time_ns = atomic_load_explicit(&memory->time_ns, memory_order_acquire);
        *ret_at_ns = atomic_load_explicit(&memory->at_ns, memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(&memory->mark, memory_order_relaxed) == before) { return true; }
    }
    return false;
}

void cairn_ruled_clock_init(cairn_ruled_clock *clock, cairn_ruled_memory *memory)
{
    clock->memory = memory;
    atomic_init(&clock->last_ns, 0);
}

cairn_mono cairn_ruled_now(cairn_ruled_clock *clock, cairn_mono machine_now)
{
    int64_t time_ns = 0, at_ns = 0;
    int64_t last_ns = atomic_load_explicit(&clock->last_ns, memory_order_relaxed);
    if (!read_published(clock->memory, &time_ns, &at_ns)) { return (cairn_mono){last_ns}; }
    int64_t ahead_ns = machine_now.ns - at_ns;
    if (ahead_ns < 0) { ahead_ns = 0; }
    if (ahead_ns > CAIRN_RULED_NS_AHEAD) { ahead_ns = CAIRN_RULED_NS_AHEAD; }
    const int64_t now_ns = time_ns + ahead_ns;
    while (now_ns > last_ns && !atomic_compare_exchange_weak_explicit(&clock->last_ns, &last_ns, now_ns,
                                                                      memory_order_relaxed, memory_order_relaxed)) {}
    return (cairn_mono){now_ns > last_ns ? now_ns : last_ns};
}

int64_t cairn_ruled_silent_ns(const cairn_ruled_clock *clock, cairn_mono machine_now)
{
    int64_t time_ns = 0, at_ns = 0;
    if (!read_published(clock->memory, &time_ns, &at_ns)) { return INT64_MAX; }
    return machine_now.ns > at_ns ? machine_now.ns - at_ns : 0;
}

static cairn_mono ruled_now(void *context) { return cairn_ruled_now(context, cairn_mono_now()); }

static void ruled_sleep_until(void *context, cairn_mono until)
{
    const cairn_mono machine_now = cairn_mono_now();
    const int64_t left_ns = cairn_mono_since(until, cairn_ruled_now(context, machine_now));
    if (left_ns <= 0) { return; }
    cairn_mono_sleep_until(cairn_mono_add(machine_now, left_ns < LOOK_AGAIN_NS ? left_ns : LOOK_AGAIN_NS));
}

cairn_time cairn_ruled_time(cairn_ruled_clock *clock)
{
    return (cairn_time){.now = ruled_now, .sleep_until = ruled_sleep_until, .context = clock};
}
