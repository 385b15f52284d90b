// link.c - datagrams in and out: headers, the bucket, who was heard when; the parts do the rest.
#include "link/link_parts.h"
#include <string.h>

#define PACKETS_PER_STEP_MAX 64
#define LOSS_PERIOD_NS CAIRN_S(2) // loss is counted over such spans, then smoothed by half

cairn_link_def cairn_link_def_default(void)
{
    return (cairn_link_def){
        .mtu_bytes = 1200,
        .datagram_extra_bytes = 28, // IPv4 and UDP
        .rate_bytes_per_s = 14400,  // 115.2 kbit/s
        .burst_bytes = 2400,
        .reserve_bytes = 300,
        .telemetry_period_ns = CAIRN_MS(500),
        .fresh_ns = CAIRN_MS(300),
        .ack_delay_ns = CAIRN_MS(30),
        .resend_ns_min = CAIRN_MS(60),
        .resend_ns_max = CAIRN_MS(500),
        .silent_after_ns = CAIRN_MS(1500),
        .probe_period_ns = CAIRN_MS(80),
        .probe_period_ns_late = CAIRN_MS(500),
        .probe_late_after_ns = CAIRN_S(30),
        .clock_lost_after_ns = CAIRN_S(60),
        .clock_uncertainty_ns_max = CAIRN_MS(250),
        .drift_ppm = 100,
    };
}

static uint32_t greeting_cost_bytes(const cairn_link_def *def)
{
    return CAIRN_LINK_GREETING_BYTES + def->datagram_extra_bytes;
}

static int64_t greeting_burst_nb(const cairn_link_def *def)
{
    return (int64_t)CAIRN_LINK_GREETINGS_BURST * greeting_cost_bytes(def) * 1000000000;
}

static uint32_t burst_bytes_min(const cairn_link_def *def)
{
    return def->mtu_bytes + def->datagram_extra_bytes + def->reserve_bytes +
           CAIRN_LINK_GREETINGS_BURST * greeting_cost_bytes(def);
}

cairn_err cairn_link_create(const cairn_link_def *def, cairn_arena *arena, cairn_link **ret_link)
{
    CAIRN_ASSERT(def->robot >= 1 && def->robot <= 250);
    CAIRN_ASSERT(def->mtu_bytes >= CAIRN_LINK_MTU_MIN && def->mtu_bytes <= CAIRN_LINK_MTU_MAX);
    CAIRN_ASSERT(def->burst_bytes >= burst_bytes_min(def));
    cairn_link *link = CAIRN_TAKE(arena, cairn_link, 1);
    if (link == NULL) { return CAIRN_ERR_FULL; }
    link->def = *def;
    cairn_seal_root_init(&link->root, def->key);
    link->own_session = cairn_seal_fresh(&link->root, &link->def.random);
    link->greeting_tokens_nb = greeting_burst_nb(def);
    link->tokens_nb = (int64_t)def->burst_bytes * 1000000000 - link->greeting_tokens_nb;
    cairn_err err = cairn_streams_create(link, arena);
    if (err == CAIRN_OK && def->role == CAIRN_LINK_STATION) { err = cairn_nonce_memory_init(&link->hellos, arena); }
    if (err == CAIRN_OK) { *ret_link = link; }
    return err;
}

cairn_err cairn_link_peek_robot(const uint8_t *bytes, size_t size, uint8_t *ret_robot)
{
    if (size < CAIRN_LINK_HEADER_BYTES + CAIRN_LINK_SEAL_BYTES) { return CAIRN_ERR_CORRUPT; }
    if (bytes[0] >> 4 != CAIRN_LINK_VERSION) { return CAIRN_ERR_UNSUPPORTED; }
    *ret_robot = bytes[1];
    return CAIRN_OK;
}

cairn_err cairn_link_peek_version(const uint8_t *bytes, size_t size, uint8_t *ret_version, uint8_t *ret_robot)
{
    if (size < CAIRN_LINK_HEADER_BYTES + CAIRN_LINK_SEAL_BYTES || size > CAIRN_LINK_MTU_MAX || bytes[0] >> 4 == 0) {
        return CAIRN_ERR_CORRUPT;
    }
    *ret_version = bytes[0] >> 4;
    *ret_robot = bytes[1];
    return CAIRN_OK;
}

bool cairn_link_is_unproven(const uint8_t *bytes, size_t size)
{
    const int kind = size > 0 ? bytes[0] & 15 : CAIRN_PACKET_DATA;
    return kind == CAIRN_PACKET_HELLO || kind == CAIRN_PACKET_CHALLENGE;
}

uint64_t cairn_link_hello_name(const uint8_t *bytes, size_t size)
{
    if (!cairn_link_is_unproven(bytes, size) || size != CAIRN_LINK_GREETING_BYTES) { return 0; }
    return cairn_get_le(bytes + CAIRN_LINK_ROBOT_NONCE_AT, 8);
}

void cairn_link_header(const cairn_link *link, cairn_packet_kind kind, uint16_t tag, uint32_t counter, uint8_t *ret)
{
    ret[0] = (uint8_t)(CAIRN_LINK_VERSION << 4 | kind);
    ret[1] = link->def.robot;
    cairn_put_le(ret + 2, tag, 2);
    cairn_put_le(ret + 4, counter, 4);
}

bool cairn_link_is_silent(const cairn_link *link, cairn_mono now)
{
    return link->heard && cairn_mono_since(now, link->heard_at) > link->def.silent_after_ns;
}

void cairn_link_heard(cairn_link *link, cairn_mono now)
{
    if (cairn_link_is_silent(link, now)) {
        link->woken = true;
        link->woken_at = now;
    }
    link->heard = true;
    link->heard_at = now;
}

// Packets that came against those that the peer numbered in the same span.
static void learn_loss(cairn_link *link, cairn_mono now)
{
    link->loss_received++;
    if (!link->loss_started) {
        link->loss_started = true;
        link->loss_newest = link->window.newest;
        link->loss_received = 0;
        link->loss_at = now;
    }
    const uint32_t expected = link->window.newest - link->loss_newest;
    if (cairn_mono_since(now, link->loss_at) < LOSS_PERIOD_NS || expected == 0) { return; }
    const double got = (double)link->loss_received / expected;
    const double lost = got > 1 ? 0 : 1 - got;
    link->loss = link->loss_known ? (link->loss + lost) / 2 : lost;
    link->loss_known = true;
    link->loss_newest = link->window.newest;
    link->loss_received = 0;
    link->loss_at = now;
}

static cairn_link_verdict receive_data(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now)
{
    if (!link->in_session || cairn_get_le(bytes + 2, 2) != link->session.tag) { return CAIRN_LINK_OTHER_SESSION; }
    const uint32_t counter = (uint32_t)cairn_get_le(bytes + 4, 4);
    if (!cairn_replay_fresh(&link->window, counter)) { return CAIRN_LINK_REPLAYED; }
    if (!cairn_seal_open(&link->session, counter, bytes, size, link->plain)) { return CAIRN_LINK_ALTERED; }
    cairn_replay_mark(&link->window, counter);
    if (!link->confirmed) {
        link->confirmed = true;
        link->hello_nonce = 0;
    }
    cairn_link_heard(link, now);
    learn_loss(link, now);
    link->info.packets_received++;
    link->info.bytes_received += size + link->def.datagram_extra_bytes;
    cairn_payload_read(link, link->plain, size - CAIRN_LINK_HEADER_BYTES - CAIRN_LINK_SEAL_BYTES, counter, now);
    return CAIRN_LINK_ACCEPTED;
}

static cairn_link_verdict judge(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now)
{
    uint8_t version = 0, robot = 0;
    if (cairn_link_peek_version(bytes, size, &version, &robot) != CAIRN_OK) { return CAIRN_LINK_MALFORMED; }
    if (version != CAIRN_LINK_VERSION) { return CAIRN_LINK_OTHER_VERSION; } // which may have other sizes
    if (size < CAIRN_LINK_HEADER_BYTES + CAIRN_LINK_SEAL_BYTES || size > link->def.mtu_bytes) {
        return CAIRN_LINK_MALFORMED;
    }
    if (robot != link->def.robot) { return CAIRN_LINK_OTHER_ROBOT; }
    return (bytes[0] & 15) == CAIRN_PACKET_DATA ? receive_data(link, bytes, size, now)
                                                : cairn_greeting_receive(link, bytes, size, now);
}

cairn_link_verdict cairn_link_receive(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now)
{
    const cairn_link_verdict verdict = judge(link, bytes, size, now);
    link->info.verdict_count[verdict]++;
    return verdict;
}

static void emit(cairn_link *link, const uint8_t *bytes, size_t size, int64_t *tokens_nb)
{
    CAIRN_ASSERT(size <= link->def.mtu_bytes);
    const size_t cost = size + link->def.datagram_extra_bytes;
    CAIRN_ASSERT(*tokens_nb >= (int64_t)cost * 1000000000);
    *tokens_nb -= (int64_t)cost * 1000000000;
    link->info.packets_sent++;
    link->info.bytes_sent += cost;
    link->send(link->send_context, bytes, size);
}

// Their own bucket; before there is a session the other one too, which nobody else needs then. NULL: wait.
static int64_t *tokens_to_greet(cairn_link *link)
{
    const int64_t cost_nb = (int64_t)greeting_cost_bytes(&link->def) * 1000000000;
    if (link->greeting_tokens_nb >= cost_nb) { return &link->greeting_tokens_nb; }
    return !link->in_session && link->tokens_nb >= cost_nb ? &link->tokens_nb : NULL;
}

bool cairn_link_may_greet(cairn_link *link) { return tokens_to_greet(link) != NULL; }

void cairn_link_emit_greeting(cairn_link *link, const uint8_t bytes[CAIRN_LINK_GREETING_BYTES])
{
    int64_t *tokens_nb = tokens_to_greet(link);
    CAIRN_ASSERT(tokens_nb != NULL);
    emit(link, bytes, CAIRN_LINK_GREETING_BYTES, tokens_nb);
}

// Greetings get their part until their bucket is full, and sealed packets all the rest: both together the whole rate.
static void refill(cairn_link *link, cairn_mono now)
{
    const int64_t greeting_full_nb = greeting_burst_nb(&link->def);
    const int64_t full_nb = (int64_t)link->def.burst_bytes * 1000000000 - greeting_full_nb;
    int64_t elapsed_ns = link->stepped ? cairn_mono_since(now, link->step_at) : 0;
    CAIRN_ASSERT(elapsed_ns >= 0);
    if (elapsed_ns > CAIRN_S(100)) { elapsed_ns = CAIRN_S(100); }
    const int64_t came_nb = elapsed_ns * (int64_t)link->def.rate_bytes_per_s;
    int64_t greeting_nb = came_nb / CAIRN_LINK_GREETING_PART;
    if (greeting_nb > greeting_full_nb - link->greeting_tokens_nb) {
        greeting_nb = greeting_full_nb - link->greeting_tokens_nb;
    }
    link->greeting_tokens_nb += greeting_nb;
    link->tokens_nb += came_nb - greeting_nb;
    if (link->tokens_nb > full_nb) { link->tokens_nb = full_nb; }
    link->stepped = true;
    link->step_at = now;
}

static void send_sealed(cairn_link *link, cairn_mono now)
{
    for (int i = 0; i < PACKETS_PER_STEP_MAX; i++) {
        // A counter is never used twice: a session that has used them all falls silent. 2^32 packets take a year.
        if (link->session.send_counter == UINT32_MAX) { return; }
        const size_t size = cairn_payload_build(link, now);
        if (size == 0) { return; }
        const uint32_t counter = link->session.send_counter++;
        cairn_link_header(link, CAIRN_PACKET_DATA, link->session.tag, counter, link->packet);
        const size_t sealed = cairn_seal_close(&link->session, counter, link->plain, size, link->packet);
        emit(link, link->packet, sealed, &link->tokens_nb);
    }
}

void cairn_link_step(cairn_link *link, cairn_mono now, cairn_link_send_fn send, void *context)
{
    CAIRN_ASSERT(send != NULL);
    link->send = send;
    link->send_context = context;
    refill(link, now);
    if (link->in_session && link->confirmed) { send_sealed(link, now); } // a stop before any greeting
    cairn_greeting_step(link, now);
    link->send = NULL;
}

void cairn_link_set_budget(cairn_link *link, uint32_t rate_bytes_per_s, uint32_t burst_bytes, cairn_mono now)
{
    CAIRN_ASSERT(burst_bytes >= burst_bytes_min(&link->def));
    refill(link, now);
    link->def.rate_bytes_per_s = rate_bytes_per_s;
    link->def.burst_bytes = burst_bytes;
    refill(link, now);
}

cairn_link_clock cairn_link_clock_now(const cairn_link *link, cairn_mono now)
{
    int64_t low_ns = 0, high_ns = 0;
    cairn_link_clock clock = {.uncertainty_ns = INT64_MAX};
    if (!cairn_clock_bounds_at(&link->clock, now, link->def.drift_ppm, &low_ns, &high_ns)) { return clock; }
    clock.offset_ns = low_ns + (high_ns - low_ns) / 2;
    clock.uncertainty_ns = (high_ns - low_ns + 1) / 2;
    clock.synchronised = clock.uncertainty_ns <= link->def.clock_uncertainty_ns_max &&
                         cairn_mono_since(now, link->clock.exchange_at) <= link->def.clock_lost_after_ns;
    return clock;
}

cairn_err cairn_link_mission(const cairn_link *link, cairn_mono now, cairn_mission *ret_mission)
{
    if (link->def.role == CAIRN_LINK_STATION) {
        ret_mission->ns = now.ns;
        return CAIRN_OK;
    }
    const cairn_link_clock clock = cairn_link_clock_now(link, now);
    if (!clock.synchronised) { return CAIRN_ERR_STALE; }
    ret_mission->ns = now.ns + clock.offset_ns;
    return CAIRN_OK;
}

static cairn_link_state state_of(const cairn_link *link, cairn_mono now)
{
    if (!link->in_session) { return link->hello_sent ? CAIRN_LINK_JOINING : CAIRN_LINK_ALONE; }
    if (!link->confirmed) { return CAIRN_LINK_JOINING; }
    return cairn_link_is_silent(link, now) ? CAIRN_LINK_SILENT : CAIRN_LINK_CONNECTED;
}

cairn_link_info cairn_link_info_now(const cairn_link *link, cairn_mono now)
{
    cairn_link_info info = link->info;
    info.state = state_of(link, now);
    info.own_session = link->own_session;
    info.heard = link->heard;
    info.silent_ns = cairn_mono_since(now, link->heard_at);
    info.unheard_ns = cairn_mono_since(now, link->arrived_at);
    info.round_trip_ns = link->has_round_trip ? link->round_trip_ns : 0;
    info.loss = link->loss;
    info.clock_jumps = link->clock.jump_count;
    info.clock = cairn_link_clock_now(link, now);
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        const cairn_stream_ends *ends = &link->streams[i];
        info.streams[i].queued_count = ends->sender.message_count;
        info.streams[i].held_count = (uint32_t)__builtin_popcountll(cairn_receiver_held_bits(&ends->receiver));
        for (uint32_t k = 0; k < ends->kinds; k++) { info.streams[i].queued_count += ends->out[k].full; }
    }
    return info;
}

const char *cairn_link_verdict_name(cairn_link_verdict verdict)
{
    static const char *const names[CAIRN_LINK_VERDICT_COUNT] = {
        "accepted", "malformed", "other version", "other robot", "wrong key", "altered", "replayed", "other session"};
    CAIRN_ASSERT((unsigned)verdict < CAIRN_LINK_VERDICT_COUNT);
    return names[verdict];
}

const char *cairn_link_state_name(cairn_link_state state)
{
    static const char *const names[] = {"alone", "joining", "connected", "silent"};
    CAIRN_ASSERT((unsigned)state < sizeof names / sizeof *names);
    return names[state];
}
