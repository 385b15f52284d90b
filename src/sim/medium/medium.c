// medium.c - the channel as a list of moments at which it becomes free.
//
// The medium lags behind its callers on purpose: who goes on the air at a moment is decided only once that moment has
// passed, when all that was sent and placed at it is known. Every datagram that goes on the air draws the same number
// of random words, so that a wall more or a loss less changes the fate of no other.
//
// Invariant  Each slot is free, or in one sender's queue, or in one receiver's inbox; there are as many slots as all
//            queues and inboxes can hold, so that taking one cannot fail.
#include "sim/medium/medium.h"
#include "base/random.h"
#include "sim/medium/medium_path.h"
#include "sim/physics/physics.h"
#include <string.h>

#define PARTIES_MAX (CAIRN_SIM_ROBOTS_MAX + 1)
// Walls are counted between places rounded to this: a robot that drives needs a new count some times a second only.
#define PLACE_M 0.1
#define NEVER_NS INT64_MAX

typedef struct datagram {
    cairn_mono sent, arrived;
    uint64_t order; // of going on the air: settles which of two that arrive in one nanosecond is first
    uint32_t from, to;
    uint32_t size_bytes;
} datagram;

typedef struct party {
    cairn_vec2 at_m;
    uint32_t queue_first; // index into queue
    uint32_t *queue;      // ring of slots, info.queued_count of them
    uint32_t inbox_count;
    uint32_t *inbox; // heap of slots, earliest arrival on top
    cairn_medium_info info;
} party;

// Walls between two parties the last time that either was heard by the other.
typedef struct pair {
    bool known;
    int32_t low_x, low_y, high_x, high_y; // places in PLACE_M, of the lower and the higher number
    uint32_t wall_count;
} pair;

// All that chance decides about one datagram.
typedef struct luck {
    double fading, noise, loss, jitter, duplicate, duplicate_jitter;
} luck;

struct cairn_medium {
    cairn_medium_def def; // its lists are our own copies; arena is not used after create
    uint64_t rate_bps;
    cairn_mono now;
    int64_t free_ns; // the channel, from then on
    uint32_t turn;   // who is asked first
    uint32_t party_count;
    uint32_t queued_count;        // of all
    int64_t head_ns[PARTIES_MAX]; // when the first in each queue was sent; NEVER_NS if none
    int64_t due_ns[PARTIES_MAX];  // when the first in each inbox arrives; NEVER_NS if none
    uint64_t order;
    cairn_random random;
    cairn_medium_walls walls;
    pair *pairs; // party_count squared
    uint32_t free_count;
    uint32_t *free_slots;
    datagram *datagrams;
    uint8_t *bytes; // def.datagram_bytes_max for each slot
    party parties[PARTIES_MAX];
};

// ---- making

cairn_medium_radio cairn_medium_radio_default(void)
{
    return (cairn_medium_radio){.rate_bps = 115200, .loss = 0.01, .delay_s = 0.005, .jitter_s = 0.005, .wall_cost = 1};
}

cairn_medium_def cairn_medium_def_default(void)
{
    return (cairn_medium_def){.radio = cairn_medium_radio_default(),
                              .path = {.transmit_dbm = 20,
                                       .noise_dbm = -90,
                                       .fading_db = 3.16,
                                       .near_db = 40,
                                       .scale_per_m = 0.55,
                                       .exponent = 1.5,
                                       .exponent_per_cost = 0.2,
                                       .cost_max = 10,
                                       .range_m_max = 500,
                                       .antenna_m = 0.5},
                              .overhead_bytes = 16,
                              .datagram_bytes_max = 1400,
                              .queue_count = 32,
                              .queue_rule = CAIRN_INBOX_DROP_OLDEST,
                              .inbox_count = 256};
}

static void check_def(const cairn_medium_def *def)
{
    const cairn_medium_radio *radio = &def->radio;
    CAIRN_ASSERT(def->arena && def->robot_count > 0 && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    CAIRN_ASSERT(def->robot_count <= def->arena->start_count);
    CAIRN_ASSERT(def->datagram_bytes_max > 0 && def->datagram_bytes_max <= UINT16_MAX &&
                 def->overhead_bytes <= UINT16_MAX);
    CAIRN_ASSERT(def->queue_count > 0 && def->queue_count <= UINT16_MAX);
    CAIRN_ASSERT(def->inbox_count > 0 && def->inbox_count <= UINT16_MAX);
    CAIRN_ASSERT(radio->rate_bps >= 1 && radio->rate_bps <= 1e12);
    CAIRN_ASSERT(radio->loss >= 0 && radio->loss <= 1 && radio->duplicate >= 0 && radio->duplicate <= 1);
    CAIRN_ASSERT(radio->delay_s >= 0 && radio->delay_s <= 3600 && radio->jitter_s >= 0 && radio->jitter_s <= 3600);
    CAIRN_ASSERT(radio->silence_count <= CAIRN_MEDIUM_SILENCES_MAX && radio->zone_count <= CAIRN_MEDIUM_ZONES_MAX);
}

static cairn_err copy_lists(cairn_medium *medium, cairn_arena *memory)
{
    cairn_medium_radio *radio = &medium->def.radio;
    cairn_medium_silence *silences = CAIRN_TAKE(memory, cairn_medium_silence, CAIRN_MEDIUM_SILENCES_MAX);
    cairn_medium_zone *zones = CAIRN_TAKE(memory, cairn_medium_zone, CAIRN_MEDIUM_ZONES_MAX);
    if (!silences || !zones) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < radio->silence_count; i++) { silences[i] = radio->silences[i]; }
    for (uint32_t i = 0; i < radio->zone_count; i++) { zones[i] = radio->zones[i]; }
    radio->silences = silences;
    radio->zones = zones;
    return CAIRN_OK;
}

static cairn_err take_slots(cairn_medium *medium, cairn_arena *memory)
{
    const cairn_medium_def *def = &medium->def;
    const uint32_t slot_count = medium->party_count * (def->queue_count + def->inbox_count);
    medium->pairs = CAIRN_TAKE(memory, pair, medium->party_count * medium->party_count);
    medium->free_slots = CAIRN_TAKE(memory, uint32_t, slot_count);
    medium->datagrams = CAIRN_TAKE(memory, datagram, slot_count);
    medium->bytes = cairn_arena_take(memory, slot_count, def->datagram_bytes_max);
    if (!medium->pairs || !medium->free_slots || !medium->datagrams || !medium->bytes) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < medium->party_count; i++) {
        medium->head_ns[i] = medium->due_ns[i] = NEVER_NS;
        medium->parties[i].queue = CAIRN_TAKE(memory, uint32_t, def->queue_count);
        medium->parties[i].inbox = CAIRN_TAKE(memory, uint32_t, def->inbox_count);
        if (!medium->parties[i].queue || !medium->parties[i].inbox) { return CAIRN_ERR_FULL; }
    }
    for (uint32_t i = 0; i < slot_count; i++) { medium->free_slots[i] = slot_count - 1 - i; }
    medium->free_count = slot_count;
    return CAIRN_OK;
}

static void place_all(cairn_medium *medium, const cairn_pose2 *starts)
{
    const uint32_t robot_count = medium->def.robot_count;
    cairn_vec2 sum_m = {0, 0};
    for (uint32_t i = 0; i < robot_count; i++) {
        medium->parties[i].at_m = cairn_pose2_at(starts[i]);
        sum_m = cairn_vec2_add(sum_m, medium->parties[i].at_m);
    }
    const cairn_medium_radio *radio = &medium->def.radio;
    medium->parties[robot_count].at_m =
        radio->station.given ? radio->station.at_m : cairn_vec2_scale(sum_m, 1.0 / robot_count);
}

cairn_err cairn_medium_create(const cairn_medium_def *def, cairn_arena *memory, cairn_medium **ret_medium)
{
    CAIRN_ASSERT(def && memory && ret_medium);
    check_def(def);
    const size_t mark = cairn_arena_mark(memory);
    cairn_medium *medium = CAIRN_TAKE(memory, cairn_medium, 1);
    if (!medium) { return CAIRN_ERR_FULL; }
    medium->def = *def;
    medium->rate_bps = (uint64_t)llround(def->radio.rate_bps);
    medium->party_count = def->robot_count + 1;
    cairn_err err = copy_lists(medium, memory);
    if (err == CAIRN_OK) { err = take_slots(medium, memory); }
    if (err == CAIRN_OK) { err = cairn_medium_walls_create(def->arena, def->path.antenna_m, memory, &medium->walls); }
    if (err != CAIRN_OK) {
        cairn_arena_reset(memory, mark);
        return err;
    }
    place_all(medium, def->arena->starts);
    medium->def.arena = NULL;
    cairn_random_init(&medium->random, def->seed, "medium");
    *ret_medium = medium;
    return CAIRN_OK;
}

uint32_t cairn_medium_station(const cairn_medium *medium)
{
    CAIRN_ASSERT(medium);
    return medium->def.robot_count;
}

int64_t cairn_medium_air_ns(const cairn_medium *medium, size_t size_bytes)
{
    CAIRN_ASSERT(medium && size_bytes <= medium->def.datagram_bytes_max);
    const uint64_t bit_count = 8 * (size_bytes + medium->def.overhead_bytes);
    return (int64_t)((bit_count * 1000000000u + medium->rate_bps - 1) / medium->rate_bps);
}

// ---- slots, queues, inboxes

static uint8_t *bytes_of(const cairn_medium *medium, uint32_t slot)
{
    return medium->bytes + (size_t)slot * medium->def.datagram_bytes_max;
}

static uint32_t take_slot(cairn_medium *medium)
{
    CAIRN_ASSERT(medium->free_count > 0);
    return medium->free_slots[--medium->free_count];
}

static void free_slot(cairn_medium *medium, uint32_t slot) { medium->free_slots[medium->free_count++] = slot; }

// What goes on the air next is asked for often: the answers are kept side by side.
static void note_head(cairn_medium *medium, uint32_t who)
{
    const party *sender = &medium->parties[who];
    medium->head_ns[who] =
        sender->info.queued_count > 0 ? medium->datagrams[sender->queue[sender->queue_first]].sent.ns : NEVER_NS;
}

static void note_due(cairn_medium *medium, uint32_t who)
{
    const party *receiver = &medium->parties[who];
    medium->due_ns[who] = receiver->inbox_count > 0 ? medium->datagrams[receiver->inbox[0]].arrived.ns : NEVER_NS;
}

static void queue_add(cairn_medium *medium, uint32_t who, uint32_t slot)
{
    party *sender = &medium->parties[who];
    CAIRN_ASSERT(sender->info.queued_count < medium->def.queue_count);
    sender->queue[(sender->queue_first + sender->info.queued_count) % medium->def.queue_count] = slot;
    sender->info.queued_count++;
    medium->queued_count++;
    note_head(medium, who);
}

static uint32_t queue_remove(cairn_medium *medium, uint32_t who)
{
    party *sender = &medium->parties[who];
    CAIRN_ASSERT(sender->info.queued_count > 0);
    const uint32_t slot = sender->queue[sender->queue_first];
    sender->queue_first = (sender->queue_first + 1) % medium->def.queue_count;
    sender->info.queued_count--;
    medium->queued_count--;
    note_head(medium, who);
    return slot;
}

static bool earlier(const cairn_medium *medium, uint32_t a, uint32_t b)
{
    const datagram *first = &medium->datagrams[a], *second = &medium->datagrams[b];
    if (first->arrived.ns != second->arrived.ns) { return first->arrived.ns < second->arrived.ns; }
    return first->order < second->order;
}

static void inbox_add(cairn_medium *medium, uint32_t who, uint32_t slot)
{
    party *receiver = &medium->parties[who];
    CAIRN_ASSERT(receiver->inbox_count < medium->def.inbox_count);
    uint32_t at = receiver->inbox_count++;
    for (; at > 0 && earlier(medium, slot, receiver->inbox[(at - 1) / 2]); at = (at - 1) / 2) {
        receiver->inbox[at] = receiver->inbox[(at - 1) / 2];
    }
    receiver->inbox[at] = slot;
    note_due(medium, who);
}

static uint32_t inbox_remove(cairn_medium *medium, uint32_t who)
{
    party *receiver = &medium->parties[who];
    CAIRN_ASSERT(receiver->inbox_count > 0);
    uint32_t *const heap = receiver->inbox;
    const uint32_t top = heap[0], count = --receiver->inbox_count;
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && earlier(medium, heap[child + 1], heap[child])) { child++; }
        if (!earlier(medium, heap[child], heap[count])) { break; }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = heap[count];
    note_due(medium, who);
    return top;
}

// ---- what becomes of a datagram

static luck draw(cairn_random *random)
{
    luck drawn;
    drawn.fading = cairn_random_gauss(random);
    drawn.noise = cairn_random_uniform(random);
    drawn.loss = cairn_random_uniform(random);
    drawn.jitter = cairn_random_uniform(random);
    drawn.duplicate = cairn_random_uniform(random);
    drawn.duplicate_jitter = cairn_random_uniform(random);
    return drawn;
}

static bool silent(const cairn_medium_radio *radio, int64_t from_ns, int64_t to_ns)
{
    for (uint32_t i = 0; i < radio->silence_count; i++) {
        const cairn_medium_silence *silence = &radio->silences[i];
        if (to_ns > cairn_ns_from_seconds(silence->from_s) && from_ns < cairn_ns_from_seconds(silence->to_s)) {
            return true;
        }
    }
    return false;
}

static bool in_zone(const cairn_medium_radio *radio, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < radio->zone_count; i++) {
        const cairn_medium_zone *zone = &radio->zones[i];
        const cairn_vec2 off_m = cairn_vec2_sub(at_m, zone->at_m);
        if (fabs(off_m.x) <= zone->size_m.x / 2 && fabs(off_m.y) <= zone->size_m.y / 2) { return true; }
    }
    return false;
}

static int32_t place_of(double x_m) { return (int32_t)lround(x_m / PLACE_M); }

static uint32_t walls_between(cairn_medium *medium, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const cairn_vec2 low_m = medium->parties[low].at_m, high_m = medium->parties[high].at_m;
    const pair now = {.known = true,
                      .low_x = place_of(low_m.x),
                      .low_y = place_of(low_m.y),
                      .high_x = place_of(high_m.x),
                      .high_y = place_of(high_m.y)};
    pair *kept = &medium->pairs[low * medium->party_count + high];
    if (!kept->known || kept->low_x != now.low_x || kept->low_y != now.low_y || kept->high_x != now.high_x ||
        kept->high_y != now.high_y) {
        *kept = now;
        kept->wall_count =
            cairn_medium_walls_between(&medium->walls, (cairn_vec2){now.low_x * PLACE_M, now.low_y * PLACE_M},
                                       (cairn_vec2){now.high_x * PLACE_M, now.high_y * PLACE_M});
    }
    return kept->wall_count;
}

// CAIRN_MEDIUM_LOST_COUNT: not lost.
static cairn_medium_loss judge(cairn_medium *medium, const datagram *sent, int64_t start_ns, const luck *drawn)
{
    const cairn_medium_radio *radio = &medium->def.radio;
    const cairn_medium_path *path = &medium->def.path;
    const cairn_vec2 from_m = medium->parties[sent->from].at_m, to_m = medium->parties[sent->to].at_m;
    if (silent(radio, start_ns, medium->free_ns)) { return CAIRN_MEDIUM_LOST_SILENCE; }
    if (in_zone(radio, from_m) || in_zone(radio, to_m)) { return CAIRN_MEDIUM_LOST_ZONE; }
    const double distance_m = cairn_vec2_distance(from_m, to_m);
    const double wall_cost = radio->wall_cost * walls_between(medium, sent->from, sent->to);
    if (!cairn_medium_path_open(path, distance_m, wall_cost)) { return CAIRN_MEDIUM_LOST_RANGE; }
    const double received_dbm = cairn_medium_path_dbm(path, distance_m, wall_cost) + path->fading_db * drawn->fading;
    if (drawn->noise < cairn_medium_path_loss(path, received_dbm, sent->size_bytes)) { return CAIRN_MEDIUM_LOST_NOISE; }
    if (drawn->loss < radio->loss) { return CAIRN_MEDIUM_LOST_CHANCE; }
    return medium->parties[sent->to].inbox_count < medium->def.inbox_count ? CAIRN_MEDIUM_LOST_COUNT
                                                                           : CAIRN_MEDIUM_LOST_INBOX;
}

// The datagram in the slot, its last bit now on the air, arrives.
static void fly(cairn_medium *medium, uint32_t slot, double jitter)
{
    const cairn_medium_radio *radio = &medium->def.radio;
    datagram *sent = &medium->datagrams[slot];
    sent->order = medium->order++;
    sent->arrived.ns = medium->free_ns + cairn_ns_from_seconds(radio->delay_s + radio->jitter_s * jitter);
    inbox_add(medium, sent->to, slot);
    medium->parties[sent->from].info.flying_count++;
}

// A duplicate that the receiver has no room for is not made.
static void duplicate(cairn_medium *medium, uint32_t slot, double jitter)
{
    const datagram *sent = &medium->datagrams[slot];
    if (medium->parties[sent->to].inbox_count == medium->def.inbox_count) { return; }
    const uint32_t copy = take_slot(medium);
    medium->datagrams[copy] = *sent;
    memcpy(bytes_of(medium, copy), bytes_of(medium, slot), sent->size_bytes);
    medium->parties[sent->from].info.duplicated_count++;
    fly(medium, copy, jitter);
}

static void transmit(cairn_medium *medium, uint32_t who, int64_t start_ns)
{
    party *sender = &medium->parties[who];
    const uint32_t slot = queue_remove(medium, who);
    const datagram *sent = &medium->datagrams[slot];
    const int64_t air_ns = cairn_medium_air_ns(medium, sent->size_bytes);
    medium->free_ns = start_ns + air_ns;
    medium->turn = (who + 1) % medium->party_count;
    sender->info.air_ns += air_ns;

    const luck drawn = draw(&medium->random);
    const cairn_medium_loss lost = judge(medium, sent, start_ns, &drawn);
    if (lost != CAIRN_MEDIUM_LOST_COUNT) {
        sender->info.lost_count[lost]++;
        free_slot(medium, slot);
        return;
    }
    fly(medium, slot, drawn.jitter);
    if (drawn.duplicate < medium->def.radio.duplicate) { duplicate(medium, slot, drawn.duplicate_jitter); }
}

// ---- time

// When the next datagram goes on the air: as soon as the channel is free and somebody has one.
static int64_t next_start_ns(const cairn_medium *medium)
{
    int64_t first_ns = NEVER_NS;
    for (uint32_t i = 0; i < medium->party_count; i++) {
        if (medium->head_ns[i] < first_ns) { first_ns = medium->head_ns[i]; }
    }
    return first_ns > medium->free_ns ? first_ns : medium->free_ns;
}

// Whose turn it is among those who had something to send by then.
static uint32_t whose_turn(const cairn_medium *medium, int64_t start_ns)
{
    uint32_t who = medium->turn;
    for (uint32_t i = 0; i < medium->party_count && medium->head_ns[who] > start_ns; i++) {
        who = who + 1 < medium->party_count ? who + 1 : 0;
    }
    CAIRN_ASSERT(medium->head_ns[who] <= start_ns);
    return who;
}

// Decides all that went on the air before now. Apart from advance, which mostly has nothing to do.
__attribute__((noinline)) static void catch_up(cairn_medium *medium, cairn_mono now)
{
    while (medium->queued_count > 0) {
        const int64_t start_ns = next_start_ns(medium);
        if (start_ns >= now.ns) { break; }
        transmit(medium, whose_turn(medium, start_ns), start_ns);
    }
}

static void advance(cairn_medium *medium, cairn_mono now)
{
    CAIRN_ASSERT(now.ns >= medium->now.ns);
    if (now.ns == medium->now.ns) { return; } // what was sent since goes on the air now at the earliest
    if (medium->queued_count > 0 && medium->free_ns < now.ns) { catch_up(medium, now); }
    medium->now = now;
}

void cairn_medium_place(cairn_medium *medium, uint32_t who, cairn_vec2 at_m, cairn_mono now)
{
    CAIRN_ASSERT(medium && who < medium->party_count);
    CAIRN_ASSERT(fabs(at_m.x) < 1e6 && fabs(at_m.y) < 1e6);
    advance(medium, now);
    medium->parties[who].at_m = at_m;
}

// ---- sending and taking

// Whether the sender's queue takes one more, after the oldest has made room where the rule says so.
static bool make_room(cairn_medium *medium, uint32_t who)
{
    party *sender = &medium->parties[who];
    if (sender->info.queued_count < medium->def.queue_count) { return true; }
    if (medium->def.queue_rule == CAIRN_INBOX_REFUSE) { return false; }
    free_slot(medium, queue_remove(medium, who));
    sender->info.lost_count[CAIRN_MEDIUM_LOST_QUEUE]++;
    return true;
}

cairn_err cairn_medium_send(cairn_medium *medium, uint32_t from, uint32_t to, const void *bytes, size_t size_bytes,
                            cairn_mono now)
{
    CAIRN_ASSERT(medium && bytes && size_bytes > 0);
    CAIRN_ASSERT(from < medium->party_count && to < medium->party_count && from != to);
    advance(medium, now);
    party *sender = &medium->parties[from];
    const bool too_large = size_bytes > medium->def.datagram_bytes_max;
    if (too_large || !make_room(medium, from)) {
        sender->info.refused_count++;
        return too_large ? CAIRN_ERR_TOO_LARGE : CAIRN_ERR_FULL;
    }
    const uint32_t slot = take_slot(medium);
    medium->datagrams[slot] = (datagram){.sent = now, .from = from, .to = to, .size_bytes = (uint32_t)size_bytes};
    memcpy(bytes_of(medium, slot), bytes, size_bytes);
    queue_add(medium, from, slot);
    sender->info.sent_count++;
    sender->info.sent_bytes += size_bytes;
    return CAIRN_OK;
}

static void count_taken(cairn_medium *medium, const datagram *taken)
{
    cairn_medium_info *sender = &medium->parties[taken->from].info, *receiver = &medium->parties[taken->to].info;
    CAIRN_ASSERT(sender->flying_count > 0);
    sender->flying_count--;
    sender->delivered_count++;
    sender->delivered_bytes += taken->size_bytes;
    receiver->received_count++;
    receiver->received_bytes += taken->size_bytes;
}

cairn_err cairn_medium_take(cairn_medium *medium, uint32_t who, cairn_mono now, void *ret_bytes, size_t size_bytes_max,
                            cairn_medium_arrival *ret_arrival)
{
    CAIRN_ASSERT(medium && who < medium->party_count && ret_bytes && ret_arrival);
    advance(medium, now);
    if (medium->due_ns[who] > now.ns) { return CAIRN_ERR_EMPTY; }
    const datagram *first = &medium->datagrams[medium->parties[who].inbox[0]];
    if (first->size_bytes > size_bytes_max) { return CAIRN_ERR_TOO_LARGE; }
    const uint32_t slot = inbox_remove(medium, who);
    memcpy(ret_bytes, bytes_of(medium, slot), first->size_bytes);
    *ret_arrival = (cairn_medium_arrival){
        .from = first->from, .size_bytes = first->size_bytes, .sent = first->sent, .arrived = first->arrived};
    count_taken(medium, first);
    free_slot(medium, slot);
    return CAIRN_OK;
}

// ---- counts

const char *cairn_medium_loss_name(cairn_medium_loss cause)
{
    static const char *const names[CAIRN_MEDIUM_LOST_COUNT] = {"queue", "silence", "zone", "range",
                                                               "noise", "chance",  "inbox"};
    CAIRN_ASSERT(cause < CAIRN_MEDIUM_LOST_COUNT);
    return names[cause];
}

cairn_medium_info cairn_medium_look(const cairn_medium *medium, uint32_t who)
{
    CAIRN_ASSERT(medium && who < medium->party_count);
    return medium->parties[who].info;
}

cairn_medium_info cairn_medium_look_all(const cairn_medium *medium)
{
    CAIRN_ASSERT(medium);
    cairn_medium_info sum = {0};
    for (uint32_t i = 0; i < medium->party_count; i++) {
        const cairn_medium_info *info = &medium->parties[i].info;
        sum.sent_count += info->sent_count;
        sum.sent_bytes += info->sent_bytes;
        sum.refused_count += info->refused_count;
        sum.duplicated_count += info->duplicated_count;
        sum.delivered_count += info->delivered_count;
        sum.delivered_bytes += info->delivered_bytes;
        for (int k = 0; k < CAIRN_MEDIUM_LOST_COUNT; k++) { sum.lost_count[k] += info->lost_count[k]; }
        sum.queued_count += info->queued_count;
        sum.flying_count += info->flying_count;
        sum.air_ns += info->air_ns;
        sum.received_count += info->received_count;
        sum.received_bytes += info->received_bytes;
    }
    return sum;
}
