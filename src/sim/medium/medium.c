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
#include "sim/medium/medium_field.h"
#include "sim/physics/physics.h"
#include <math.h>
#include <string.h>

#define PARTIES_MAX (CAIRN_SIM_ROBOTS_MAX + 1)
// Ways are sought between places rounded to this: a robot that drives needs a new one some times a second only.
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

// The way between two parties the last time that either was heard by the other.
typedef struct pair {
    bool known;
    int32_t low_x, low_y, high_x, high_y; // places in PLACE_M, of the lower and the higher number
    cairn_medium_route route;
} pair;

// All that chance decides about one datagram.
typedef struct luck {
    double fading[CAIRN_MEDIUM_HOPS_MAX], noise[CAIRN_MEDIUM_HOPS_MAX]; // of each hop
    double loss, jitter, duplicate, duplicate_jitter;
} luck;

// What became of a datagram that went on the air.
typedef struct fate {
    cairn_medium_loss lost; // CAIRN_MEDIUM_LOST_COUNT: not lost
    uint32_t hop_count;     // on which it was sent
} fate;

struct cairn_medium {
    cairn_medium_def def; // its lists are our own copies; arena is not used after create
    uint64_t rate_bps;
    cairn_mono now;
    bool shared;                       // one channel for all, free_ns; or one for each radio to send and one to receive
    int64_t free_ns;                   // the channel, from then on
    int64_t send_free_ns[PARTIES_MAX]; // not shared: each sender
    int64_t hear_free_ns[PARTIES_MAX]; // not shared: each receiver
    uint32_t turn;                     // who is asked first
    uint32_t party_count;
    uint32_t queued_count;         // of all
    int64_t head_ns[PARTIES_MAX];  // when the first in each queue was sent; NEVER_NS if none
    uint32_t head_to[PARTIES_MAX]; // whom it is for
    int64_t due_ns[PARTIES_MAX];   // when the first in each inbox arrives; NEVER_NS if none
    uint64_t order;
    cairn_random random, relay_random;
    cairn_medium_field *field;
    pair *pairs; // party_count squared
    uint32_t free_count;
    uint32_t *free_slots;
    datagram *datagrams;
    uint8_t *bytes; // def.datagram_bytes_max for each slot
    party parties[PARTIES_MAX];
};

// ---- making

const char *const cairn_medium_model_names[CAIRN_MEDIUM_MODEL_COUNT + 1] = {"simple", "log-distance", "subt", NULL};

cairn_medium_path cairn_medium_path_default(void)
{
    return (cairn_medium_path){.transmit_dbm = 20,
                               .noise_dbm = -90,
                               .fading_db = 3.16,
                               .near_db = 40,
                               .scale_per_m = 0.55,
                               .exponent = 1.5,
                               .exponent_per_cost = 0.2,
                               .cost_max = 10,
                               .range_m_max = 500,
                               .relay_m = 2,
                               .antenna_m = 0.5};
}

cairn_medium_log_distance cairn_medium_log_distance_default(void)
{
    return (cairn_medium_log_distance){.transmit_dbm = 20,
                                       .reference_db = 40,
                                       .exponent = 2,
                                       .sensitivity_dbm = -90,
                                       .decade_db = 2,
                                       .fading_db = 2,
                                       .shadowing_db = 4,
                                       .shadowing_m = 3,
                                       .material_db = {[CAIRN_MATERIAL_CONCRETE] = 12,
                                                       [CAIRN_MATERIAL_BRICK] = 8,
                                                       [CAIRN_MATERIAL_DRYWALL] = 3,
                                                       [CAIRN_MATERIAL_WOOD] = 4,
                                                       [CAIRN_MATERIAL_METAL] = 26,
                                                       [CAIRN_MATERIAL_GLASS] = 2}};
}

cairn_medium_radio cairn_medium_radio_default(void)
{
    return (cairn_medium_radio){.rate_bps = 115200,
                                .loss = 0.01,
                                .delay_s = 0.005,
                                .jitter_s = 0.005,
                                .wall_cost = 1,
                                .relay_delay_s = 0.005,
                                .log_distance = cairn_medium_log_distance_default(),
                                .subt = cairn_medium_path_default()};
}

cairn_medium_def cairn_medium_def_default(void)
{
    return (cairn_medium_def){.radio = cairn_medium_radio_default(),
                              .path = cairn_medium_path_default(),
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
    CAIRN_ASSERT(radio->relay_delay_s >= 0 && radio->relay_delay_s <= 3600);
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

cairn_vec2 cairn_medium_station_m(const cairn_medium_def *def)
{
    CAIRN_ASSERT(def && def->arena && def->robot_count > 0 && def->robot_count <= def->arena->start_count);
    if (def->radio.station.given) { return def->radio.station.at_m; }
    cairn_vec2 sum_m = {0, 0};
    for (uint32_t i = 0; i < def->robot_count; i++) {
        sum_m = cairn_vec2_add(sum_m, cairn_pose2_at(def->arena->starts[i]));
    }
    return cairn_vec2_scale(sum_m, 1.0 / def->robot_count);
}

static void place_all(cairn_medium *medium, const cairn_medium_def *def)
{
    for (uint32_t i = 0; i < def->robot_count; i++) { medium->parties[i].at_m = cairn_pose2_at(def->arena->starts[i]); }
    medium->parties[def->robot_count].at_m = cairn_medium_station_m(def);
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
    if (err == CAIRN_OK) { err = cairn_medium_field_create(def, memory, &medium->field); }
    if (err != CAIRN_OK) {
        cairn_arena_reset(memory, mark);
        return err;
    }
    place_all(medium, def);
    medium->def.arena = NULL;
    medium->def.radio.relays = NULL;
    medium->shared = def->radio.model != CAIRN_MEDIUM_SUBT;
    cairn_random_init(&medium->random, def->seed, "medium");
    cairn_random_init(&medium->relay_random, def->seed, "medium/relays");
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
    const datagram *head = &medium->datagrams[sender->queue[sender->queue_first]];
    medium->head_ns[who] = sender->info.queued_count > 0 ? head->sent.ns : NEVER_NS;
    medium->head_to[who] = sender->info.queued_count > 0 ? head->to : who;
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

static luck draw(cairn_medium *medium)
{
    cairn_random *random = &medium->random;
    luck drawn;
    drawn.fading[0] = cairn_random_gauss(random);
    drawn.noise[0] = cairn_random_uniform(random);
    drawn.loss = cairn_random_uniform(random);
    drawn.jitter = cairn_random_uniform(random);
    drawn.duplicate = cairn_random_uniform(random);
    drawn.duplicate_jitter = cairn_random_uniform(random);
    // From a stream of their own: relays that nobody needs change nothing.
    for (uint32_t i = 1; i < CAIRN_MEDIUM_HOPS_MAX && medium->def.radio.relay_count > 0; i++) {
        drawn.fading[i] = cairn_random_gauss(&medium->relay_random);
        drawn.noise[i] = cairn_random_uniform(&medium->relay_random);
    }
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

static int32_t place_of(double x_m) { return (int32_t)lround(x_m / PLACE_M); }

static const cairn_medium_route *route_between(cairn_medium *medium, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const cairn_vec2 low_m = medium->parties[low].at_m, high_m = medium->parties[high].at_m;
    const int32_t low_x = place_of(low_m.x), low_y = place_of(low_m.y);
    const int32_t high_x = place_of(high_m.x), high_y = place_of(high_m.y);
    pair *kept = &medium->pairs[low * medium->party_count + high];
    if (!kept->known || kept->low_x != low_x || kept->low_y != low_y || kept->high_x != high_x ||
        kept->high_y != high_y) {
        *kept = (pair){.known = true, .low_x = low_x, .low_y = low_y, .high_x = high_x, .high_y = high_y};
        kept->route = cairn_medium_field_route(medium->field, (cairn_vec2){low_x * PLACE_M, low_y * PLACE_M},
                                               (cairn_vec2){high_x * PLACE_M, high_y * PLACE_M});
    }
    // What is near changes within a place, too; walls hardly.
    if (kept->route.relay_count == 0) { kept->route.hops[0].distance_m = cairn_vec2_distance(low_m, high_m); }
    return &kept->route;
}

// How far it comes along its way. The channel is not spent on hops after the one on which it is lost.
static fate send_along(const cairn_medium *medium, const cairn_medium_route *route, uint32_t size_bytes,
                       const luck *drawn)
{
    for (uint32_t i = 0; i < route->hop_count; i++) {
        const double received_dbm = cairn_medium_field_dbm(medium->field, &route->hops[i], drawn->fading[i]);
        if (received_dbm == -INFINITY) { return (fate){CAIRN_MEDIUM_LOST_RANGE, i + 1}; }
        if (drawn->noise[i] < cairn_medium_field_loss(medium->field, received_dbm, size_bytes)) {
            return (fate){CAIRN_MEDIUM_LOST_NOISE, i + 1};
        }
    }
    return (fate){CAIRN_MEDIUM_LOST_COUNT, route->hop_count};
}

static fate judge(cairn_medium *medium, const datagram *sent, int64_t start_ns, const luck *drawn)
{
    const cairn_medium_radio *radio = &medium->def.radio;
    const party *from = &medium->parties[sent->from], *to = &medium->parties[sent->to];
    const bool from_zone = cairn_medium_in_zone(radio, from->at_m);
    fate ends = {CAIRN_MEDIUM_LOST_ZONE, 1};
    if (!from_zone) { ends = send_along(medium, route_between(medium, sent->from, sent->to), sent->size_bytes, drawn); }
    const int64_t end_ns = start_ns + ends.hop_count * cairn_medium_air_ns(medium, sent->size_bytes);
    if (silent(radio, start_ns, end_ns)) {
        ends.lost = CAIRN_MEDIUM_LOST_SILENCE;
    } else if (from_zone || cairn_medium_in_zone(radio, to->at_m)) {
        ends.lost = CAIRN_MEDIUM_LOST_ZONE;
    } else if (ends.lost == CAIRN_MEDIUM_LOST_COUNT && drawn->loss < radio->loss) {
        ends.lost = CAIRN_MEDIUM_LOST_CHANCE;
    } else if (ends.lost == CAIRN_MEDIUM_LOST_COUNT && to->inbox_count == medium->def.inbox_count) {
        ends.lost = CAIRN_MEDIUM_LOST_INBOX;
    }
    return ends;
}

// The datagram in the slot, whose last bit is on the air at end_ns, arrives.
static void fly(cairn_medium *medium, uint32_t slot, int64_t end_ns, double jitter)
{
    const cairn_medium_radio *radio = &medium->def.radio;
    datagram *sent = &medium->datagrams[slot];
    sent->order = medium->order++;
    sent->arrived.ns = end_ns + cairn_ns_from_seconds(radio->delay_s + radio->jitter_s * jitter);
    inbox_add(medium, sent->to, slot);
    medium->parties[sent->from].info.flying_count++;
}

// A duplicate that the receiver has no room for is not made.
static void duplicate(cairn_medium *medium, uint32_t slot, int64_t end_ns, double jitter)
{
    const datagram *sent = &medium->datagrams[slot];
    if (medium->parties[sent->to].inbox_count == medium->def.inbox_count) { return; }
    const uint32_t copy = take_slot(medium);
    medium->datagrams[copy] = *sent;
    memcpy(bytes_of(medium, copy), bytes_of(medium, slot), sent->size_bytes);
    medium->parties[sent->from].info.duplicated_count++;
    fly(medium, copy, end_ns, jitter);
}

// No channel that it used is free before.
static void occupy(cairn_medium *medium, const datagram *sent, int64_t end_ns)
{
    medium->free_ns = end_ns;
    medium->send_free_ns[sent->from] = medium->hear_free_ns[sent->to] = end_ns;
}

static void transmit(cairn_medium *medium, uint32_t who, int64_t start_ns)
{
    party *sender = &medium->parties[who];
    const uint32_t slot = queue_remove(medium, who);
    const datagram *sent = &medium->datagrams[slot];
    const luck drawn = draw(medium);
    const fate ends = judge(medium, sent, start_ns, &drawn);
    const int64_t air_ns = ends.hop_count * cairn_medium_air_ns(medium, sent->size_bytes);
    occupy(medium, sent, start_ns + air_ns);
    medium->turn = (who + 1) % medium->party_count;
    sender->info.air_ns += air_ns;

    if (ends.lost != CAIRN_MEDIUM_LOST_COUNT) {
        sender->info.lost_count[ends.lost]++;
        free_slot(medium, slot);
        return;
    }
    const cairn_medium_radio *radio = &medium->def.radio;
    const int64_t end_ns = start_ns + air_ns + (ends.hop_count - 1) * cairn_ns_from_seconds(radio->relay_delay_s);
    fly(medium, slot, end_ns, drawn.jitter);
    if (drawn.duplicate < radio->duplicate) { duplicate(medium, slot, end_ns, drawn.duplicate_jitter); }
}

// ---- time

// When a sender's first datagram may go on the air, but for others who share the channel; NEVER_NS if it has none.
static int64_t ready_ns(const cairn_medium *medium, uint32_t who)
{
    const int64_t head_ns = medium->head_ns[who];
    if (medium->shared || head_ns == NEVER_NS) { return head_ns; }
    const int64_t send_ns = medium->send_free_ns[who], hear_ns = medium->hear_free_ns[medium->head_to[who]];
    const int64_t free_ns = send_ns > hear_ns ? send_ns : hear_ns;
    return head_ns > free_ns ? head_ns : free_ns;
}

// When the next datagram goes on the air: as soon as its channel is free and somebody has one.
static int64_t next_start_ns(const cairn_medium *medium)
{
    int64_t first_ns = NEVER_NS;
    for (uint32_t i = 0; i < medium->party_count; i++) {
        const int64_t ns = ready_ns(medium, i);
        if (ns < first_ns) { first_ns = ns; }
    }
    return medium->shared && first_ns < medium->free_ns ? medium->free_ns : first_ns;
}

// Whose turn it is among those who had something to send by then.
static uint32_t whose_turn(const cairn_medium *medium, int64_t start_ns)
{
    uint32_t who = medium->turn;
    for (uint32_t i = 0; i < medium->party_count && ready_ns(medium, who) > start_ns; i++) {
        who = who + 1 < medium->party_count ? who + 1 : 0;
    }
    CAIRN_ASSERT(ready_ns(medium, who) <= start_ns);
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
    if (medium->queued_count > 0 && (!medium->shared || medium->free_ns < now.ns)) { catch_up(medium, now); }
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
