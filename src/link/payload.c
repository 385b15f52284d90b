// payload.c - the inside of a sealed packet: stamps, acknowledgements, and frames by priority.
//
//   flags u8 (1: echo follows) | own send time, us, 48 bit | [peer's send time, us, low 32 bit | held since, us, u32]
//   frames: head u8 = stream + 16 * kind, then
//     latest  waited u16 (4 ms) | size u16 | bytes
//     piece   waited u16 (4 ms) | number u16 | size u14, last, first | bytes
//     ack     base u16 | count u8 | count bytes of bits
//     held    the same: pieces that are here, and will be acknowledged later
#include "link/link_parts.h"
#include <string.h>

#define SEAL_BYTES (CAIRN_LINK_HEADER_BYTES + CAIRN_LINK_SEAL_BYTES)
#define STAMP_BYTES 7
#define ECHO_BYTES 8
#define LATEST_HEAD_BYTES 5
#define PIECE_HEAD_BYTES 7
#define ACK_HEAD_BYTES 4
#define WAITED_UNIT_NS CAIRN_MS(4)
#define ECHO_PERIOD_NS CAIRN_MS(50) // more echoes sharpen the clock sooner, 8 bytes each
#define STATE_LATE_NS CAIRN_S(1)    // since the one before was sent. Less: fewer tasks on a thin link
#define IN_ORDER_PRESSED 3
#define HURRY_NS CAIRN_S(1) // after a silence, how long each stream is pressed
// How often to send one held piece again: its acknowledgement may have been lost. Shorter frees a sender's window
// sooner, and costs a piece each time while the peer holds.
#define ASK_HELD_NS CAIRN_S(1)

enum { FRAME_LATEST, FRAME_PIECE, FRAME_ACK, FRAME_HELD };

typedef struct packet_draft {
    cairn_link *link;
    cairn_mono now;
    size_t used;
    size_t max_urgent, max_bulk; // bytes of plain text that the bucket and the datagram allow
    bool content;
} packet_draft;

static uint16_t waited(int64_t put_ns, cairn_mono now)
{
    const int64_t units = (now.ns - put_ns + WAITED_UNIT_NS - 1) / WAITED_UNIT_NS;
    return (uint16_t)(units < 0 ? 0 : units > UINT16_MAX ? UINT16_MAX : units);
}

static uint8_t *add(packet_draft *draft, size_t size)
{
    uint8_t *at = draft->link->plain + draft->used;
    draft->used += size;
    CAIRN_ASSERT(draft->used <= draft->link->def.mtu_bytes - SEAL_BYTES);
    return at;
}

static void count_sent(packet_draft *draft, cairn_link_stream stream, size_t size)
{
    draft->link->info.streams[stream].sent_count++;
    draft->link->info.streams[stream].sent_bytes += size;
    draft->content = true;
}

static void add_stamps(packet_draft *draft)
{
    cairn_link *link = draft->link;
    const int64_t now_us = draft->now.ns / 1000;
    uint8_t *at = add(draft, STAMP_BYTES);
    at[0] = 0;
    cairn_put_le(at + 1, (uint64_t)now_us, 6);
    const bool recent = cairn_mono_since(draft->now, link->peer_received_at) < CAIRN_S(60);
    if (!link->stamp_wanted || !recent || cairn_mono_since(draft->now, link->echo_at) < ECHO_PERIOD_NS) { return; }
    at[0] = 1;
    at = add(draft, ECHO_BYTES);
    cairn_put_le(at, (uint64_t)link->peer_sent_us, 4);
    cairn_put_le(at + 4, (uint64_t)(cairn_mono_since(draft->now, link->peer_received_at) / 1000), 4);
}

// The caller has made sure that there is room for it.
static void add_bits(packet_draft *draft, int stream, int kind, uint64_t bits)
{
    int count = 0;
    while (count < 8 && bits >> 8 * count != 0) { count++; }
    uint8_t *at = add(draft, ACK_HEAD_BYTES + (size_t)count);
    at[0] = (uint8_t)(stream + 16 * kind);
    cairn_put_le(at + 1, draft->link->streams[stream].receiver.base, 2);
    at[3] = (uint8_t)count;
    cairn_put_le(at + 4, bits, count);
}

static bool add_acks(packet_draft *draft)
{
    bool due = false;
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        const cairn_stream_ends *ends = &draft->link->streams[i];
        if (!ends->ack_wanted) { continue; }
        add_bits(draft, i, FRAME_ACK, cairn_receiver_bits(&ends->receiver));
        const uint64_t held = cairn_receiver_held_bits(&ends->receiver);
        if (held != 0) { add_bits(draft, i, FRAME_HELD, held); }
        due |= draft->now.ns >= ends->ack_due.ns;
    }
    return due;
}

// Stamps, and an acknowledgement of every stream.
static size_t first_frames_bytes_max(const cairn_link *link)
{
    const size_t acks = CAIRN_LINK_STREAM_COUNT * (ACK_HEAD_BYTES + 8);
    return STAMP_BYTES + ECHO_BYTES + (link->def.hold_acks ? 2 : 1) * acks;
}

static bool hurried(const cairn_link *link, cairn_mono now)
{
    return link->woken && cairn_mono_since(now, link->woken_at) < HURRY_NS;
}

static int64_t probe_ns(const cairn_link *link, cairn_mono now)
{
    const bool late = cairn_mono_since(now, link->heard_at) > link->def.probe_late_after_ns;
    return late ? link->def.probe_period_ns_late : link->def.probe_period_ns;
}

// In silence one probe each period, and as often in the first second after it. All streams share them, so that a probe
// is one packet.
static void time_probes(cairn_link *link, cairn_mono now)
{
    const bool silent = cairn_link_is_silent(link, now);
    if (!silent && !hurried(link, now)) { return; }
    const int64_t period_ns = silent ? probe_ns(link, now) : link->def.probe_period_ns;
    if (cairn_mono_since(now, link->probe_at) >= period_ns) { link->probe_at = now; }
}

static bool probing(const cairn_link *link, cairn_mono now) { return link->probe_at.ns == now.ns; }

// A new message is due; telemetry not more often than its period. Around a silence the last one is told again, since
// the peer may have missed it: telemetry with the probes, state in the first second that something is heard.
static bool latest_due(const cairn_link *link, cairn_link_stream stream, const cairn_latest *latest, cairn_mono now)
{
    const int64_t since_ns = now.ns - latest->sent_ns;
    const bool paced = stream == CAIRN_LINK_TELEMETRY && latest->sent && since_ns < link->def.telemetry_period_ns;
    if (latest->full && !paced) { return true; }
    if (stream == CAIRN_LINK_TELEOPERATION || latest->size == 0 || since_ns == 0 || !probing(link, now)) {
        return false;
    }
    return hurried(link, now) || (stream == CAIRN_LINK_TELEMETRY && cairn_link_is_silent(link, now));
}

static void write_latest(packet_draft *draft, cairn_link_stream stream, cairn_latest *latest)
{
    const size_t size = LATEST_HEAD_BYTES + latest->size;
    uint8_t *at = add(draft, size);
    at[0] = (uint8_t)(stream + 16 * FRAME_LATEST);
    cairn_put_le(at + 1, waited(latest->put_ns, draft->now), 2);
    cairn_put_le(at + 3, latest->size, 2);
    memcpy(at + LATEST_HEAD_BYTES, latest->bytes, latest->size);
    draft->link->info.streams[stream].resent_count += !latest->full;
    latest->full = false;
    latest->sent = true;
    latest->sent_ns = draft->now.ns;
    count_sent(draft, stream, size);
}

static bool add_latest(packet_draft *draft, cairn_link_stream stream)
{
    cairn_link *link = draft->link;
    const size_t max = cairn_stream_rules[stream].bulk ? draft->max_bulk : draft->max_urgent;
    for (uint32_t k = 0; k < link->streams[stream].kinds; k++) {
        cairn_latest *latest = &link->streams[stream].out[k];
        if (!latest_due(link, stream, latest, draft->now)) { continue; }
        if (stream == CAIRN_LINK_TELEOPERATION && draft->now.ns - latest->put_ns > link->def.fresh_ns) {
            latest->full = false;
            link->info.streams[stream].outdated_count++;
            continue;
        }
        if (draft->used + LATEST_HEAD_BYTES + latest->size > max) { return false; }
        write_latest(draft, stream, latest);
    }
    return true;
}

static bool state_is_late(const cairn_link *link, cairn_mono now)
{
    const cairn_stream_ends *ends = &link->streams[CAIRN_LINK_STATE];
    for (uint32_t k = 0; k < ends->kinds; k++) {
        if (ends->out[k].full && now.ns - ends->out[k].sent_ns > STATE_LATE_NS) { return true; }
    }
    return false;
}

static int64_t resend_ns(const cairn_link *link)
{
    if (!link->has_round_trip) { return link->def.resend_ns_max; }
    const int64_t ns = link->round_trip_ns + 4 * link->round_trip_ns_var + link->def.ack_delay_ns;
    return ns < link->def.resend_ns_min   ? link->def.resend_ns_min
           : ns > link->def.resend_ns_max ? link->def.resend_ns_max
                                          : ns;
}

// Around a silence nobody knows what arrived, and one piece of each stream is pressed: the one that has waited longest
// to be sent again. The oldest alone will not do: it may be there already, with only its acknowledgement lost. In
// order, those at the front matter most.
static cairn_piece *pressed_piece(const cairn_sender *sender, const cairn_stream_rule *rule)
{
    cairn_piece *pressed = NULL;
    uint32_t among = rule->in_order ? IN_ORDER_PRESSED : rule->window;
    const uint32_t end = cairn_sender_end(sender);
    for (uint32_t number = sender->base; number != end && among > 0; number++) {
        cairn_piece *piece = cairn_sender_piece(sender, number);
        if (piece->acked || piece->held) { continue; }
        among--;
        if (!piece->sent) { return piece; }
        if (pressed == NULL || piece->sent_ns < pressed->sent_ns) { pressed = piece; }
    }
    return pressed;
}

// The piece to press now, if any: one with each probe.
static const cairn_piece *press(const packet_draft *draft, cairn_link_stream stream)
{
    const cairn_stream_ends *ends = &draft->link->streams[stream];
    if (!probing(draft->link, draft->now) || ends->pressed_at.ns == draft->now.ns) { return NULL; }
    return pressed_piece(&ends->sender, &cairn_stream_rules[stream]);
}

// Of all that the peer holds, the oldest alone is sent again: the answer tells of the others too.
static const cairn_piece *oldest_held(const cairn_sender *sender)
{
    const uint32_t end = cairn_sender_end(sender);
    for (uint32_t number = sender->base; number != end; number++) {
        const cairn_piece *piece = cairn_sender_piece(sender, number);
        if (piece->held && !piece->acked) { return piece; }
    }
    return NULL;
}

// The pieces of a stream that are not treated like the others; NULL: none.
typedef struct chosen_pieces {
    const cairn_piece *pressed, *held;
} chosen_pieces;

// A piece is due when it is new or its time is up; in silence only the pressed one is.
static bool piece_due(const cairn_link *link, const cairn_piece *piece, chosen_pieces chosen, cairn_mono now)
{
    if (piece == chosen.pressed) { return true; }
    if (piece->acked || cairn_link_is_silent(link, now)) { return false; }
    if (piece->held) { return piece == chosen.held && now.ns - piece->sent_ns >= ASK_HELD_NS; }
    return !piece->sent || now.ns - piece->sent_ns >= resend_ns(link);
}

static void add_piece(packet_draft *draft, cairn_link_stream stream, uint32_t number, cairn_piece *piece)
{
    const size_t size = PIECE_HEAD_BYTES + piece->size;
    uint8_t *at = add(draft, size);
    at[0] = (uint8_t)(stream + 16 * FRAME_PIECE);
    cairn_put_le(at + 1, waited(piece->put_ns, draft->now), 2);
    cairn_put_le(at + 3, number, 2);
    cairn_put_le(at + 5, (uint64_t)(piece->size | piece->last << 14 | piece->first << 15), 2);
    memcpy(at + PIECE_HEAD_BYTES, piece->bytes, piece->size);
    draft->link->info.streams[stream].resent_count += piece->sent;
    piece->sent = true;
    piece->sent_ns = draft->now.ns;
    count_sent(draft, stream, size);
}

static bool any_due(const packet_draft *draft, const cairn_sender *sender, chosen_pieces chosen)
{
    const uint32_t end = cairn_sender_end(sender);
    for (uint32_t number = sender->base; number != end; number++) {
        if (piece_due(draft->link, cairn_sender_piece(sender, number), chosen, draft->now)) { return true; }
    }
    return false;
}

// The pieces of a stream that are due, oldest first; false when one of them did not fit.
static bool add_pieces(packet_draft *draft, cairn_link_stream stream)
{
    const cairn_stream_rule *rule = &cairn_stream_rules[stream];
    cairn_stream_ends *ends = &draft->link->streams[stream];
    const cairn_sender *sender = &ends->sender;
    const size_t max = rule->bulk ? draft->max_bulk : draft->max_urgent;
    const uint32_t end = cairn_sender_end(sender);
    const chosen_pieces chosen = {press(draft, stream), oldest_held(sender)};
    const bool all = rule->together && any_due(draft, sender, chosen);
    for (uint32_t number = sender->base; number != end; number++) {
        cairn_piece *piece = cairn_sender_piece(sender, number);
        const bool just_sent = piece->sent && piece->sent_ns == draft->now.ns;
        const bool wanted = (all && !piece->held) || piece_due(draft->link, piece, chosen, draft->now);
        if (piece->acked || just_sent || !wanted) { continue; }
        if (draft->used + PIECE_HEAD_BYTES + piece->size > max) { return false; }
        if (piece == chosen.pressed) { ends->pressed_at = draft->now; }
        add_piece(draft, stream, number, piece);
    }
    return true;
}

static size_t plain_max(const cairn_link *link, int64_t tokens_bytes)
{
    int64_t bytes = tokens_bytes - link->def.datagram_extra_bytes;
    if (bytes > link->def.mtu_bytes) { bytes = link->def.mtu_bytes; }
    return bytes < SEAL_BYTES ? 0 : (size_t)bytes - SEAL_BYTES;
}

static void commit(packet_draft *draft)
{
    cairn_link *link = draft->link;
    link->sent_any = true;
    link->sent_at = draft->now;
    link->send_now = false;
    if (link->plain[0] != 0) {
        link->stamp_wanted = false;
        link->echo_at = draft->now;
    }
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) { link->streams[i].ack_wanted = false; }
}

size_t cairn_payload_build(cairn_link *link, cairn_mono now)
{
    const int64_t tokens_bytes = link->tokens_nb / 1000000000;
    packet_draft draft = {.link = link, .now = now};
    draft.max_urgent = plain_max(link, tokens_bytes);
    draft.max_bulk = plain_max(link, tokens_bytes - link->def.reserve_bytes);
    if (draft.max_urgent < first_frames_bytes_max(link)) { return 0; }
    time_probes(link, now);
    add_stamps(&draft);
    const bool ack_due = add_acks(&draft);
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        const cairn_link_stream stream = (cairn_link_stream)i;
        // Where the others are goes before a new task when it has waited too long.
        if (stream == CAIRN_LINK_TASK && state_is_late(link, now) && !add_latest(&draft, CAIRN_LINK_STATE)) { break; }
        const bool fitted =
            cairn_stream_rules[i].acknowledged ? add_pieces(&draft, stream) : add_latest(&draft, stream);
        if (!fitted) { break; }
    }
    const int64_t period_ns = cairn_link_is_silent(link, now) ? probe_ns(link, now) : link->def.telemetry_period_ns;
    const bool quiet = !link->sent_any || cairn_mono_since(now, link->sent_at) >= period_ns;
    if (!draft.content && !ack_due && !quiet && !link->send_now) { return 0; }
    commit(&draft);
    return draft.used;
}

static void learn_round_trip(cairn_link *link, int64_t sample_ns)
{
    if (sample_ns < 0) { return; }
    if (!link->has_round_trip) {
        link->has_round_trip = true;
        link->round_trip_ns = sample_ns;
        link->round_trip_ns_var = sample_ns / 2;
        return;
    }
    const int64_t error_ns = sample_ns - link->round_trip_ns;
    link->round_trip_ns += error_ns / 8;
    link->round_trip_ns_var += ((error_ns < 0 ? -error_ns : error_ns) - link->round_trip_ns_var) / 4;
}

static void read_stamps(cairn_link *link, const uint8_t *plain, bool echo, cairn_mono now)
{
    const int64_t sent_us = (int64_t)cairn_get_le(plain + 1, 6);
    const uint32_t drift_ppm = link->def.drift_ppm;
    // The echo of the quickest packet is worth most, and any will do: the newest by the peer's clock is told back.
    if (!link->stamp_wanted || sent_us >= link->peer_sent_us) {
        link->peer_sent_us = sent_us;
        link->peer_received_at = now;
    }
    link->stamp_wanted = true;
    cairn_clock_bounds_raise_low(&link->clock, sent_us * 1000 - now.ns, now, drift_ppm);
    if (!echo) { return; }
    const int64_t now_us = now.ns / 1000;
    const int64_t ago_us = (uint32_t)((uint32_t)now_us - (uint32_t)cairn_get_le(plain + STAMP_BYTES, 4));
    const int64_t held_us = (int64_t)cairn_get_le(plain + STAMP_BYTES + 4, 4);
    const int64_t own_sent_us = now_us - ago_us;
    // Stamps are whole microseconds, rounded down: two of them may make the bound too tight.
    const int64_t high_ns = (sent_us - held_us - own_sent_us) * 1000 + 2000;
    cairn_clock_bounds_drop_high(&link->clock, high_ns, now, drift_ppm);
    learn_round_trip(link, (ago_us - held_us) * 1000);
    if (own_sent_us * 1000 > link->arrived_at.ns) { link->arrived_at.ns = own_sent_us * 1000; }
}

typedef struct frame_reader {
    cairn_link *link;
    const uint8_t *at, *end;
    int64_t sent_ns; // the packet, by the peer's clock
    uint32_t counter;
    cairn_mono now;
} frame_reader;

static bool left(const frame_reader *reading, size_t size) { return (size_t)(reading->end - reading->at) >= size; }

static bool read_latest(frame_reader *reading, cairn_link_stream stream)
{
    if (!left(reading, LATEST_HEAD_BYTES)) { return false; }
    cairn_latest message = {.counter = reading->counter};
    message.put_ns = reading->sent_ns - (int64_t)cairn_get_le(reading->at + 1, 2) * WAITED_UNIT_NS;
    message.size = (uint16_t)cairn_get_le(reading->at + 3, 2);
    const bool fits = message.size > 0 && message.size <= CAIRN_LINK_LATEST_BYTES_MAX;
    if (!fits || !left(reading, (size_t)LATEST_HEAD_BYTES + message.size)) { return false; }
    memcpy(message.bytes, reading->at + LATEST_HEAD_BYTES, message.size);
    message.id = message.bytes[0];
    reading->at += LATEST_HEAD_BYTES + message.size;
    cairn_streams_arrived(reading->link, stream, &message);
    return true;
}

static bool read_piece(frame_reader *reading, cairn_link_stream stream)
{
    if (!left(reading, PIECE_HEAD_BYTES)) { return false; }
    const uint16_t number = (uint16_t)cairn_get_le(reading->at + 3, 2);
    const uint16_t word = (uint16_t)cairn_get_le(reading->at + 5, 2);
    cairn_piece piece = {.size = word & 0x3fff, .last = (word >> 14 & 1) != 0, .first = word >> 15 != 0};
    piece.put_ns = reading->sent_ns - (int64_t)cairn_get_le(reading->at + 1, 2) * WAITED_UNIT_NS;
    const bool fits = piece.size > 0 && piece.size <= CAIRN_LINK_PIECE_BYTES;
    if (!fits || !left(reading, (size_t)PIECE_HEAD_BYTES + piece.size)) { return false; }
    memcpy(piece.bytes, reading->at + PIECE_HEAD_BYTES, piece.size);
    reading->at += PIECE_HEAD_BYTES + piece.size;
    cairn_stream_ends *ends = &reading->link->streams[stream];
    const cairn_err err = cairn_receiver_add(&ends->receiver, number, &piece);
    if (err == CAIRN_ERR_OUTSIDE) { return true; }
    reading->link->info.streams[stream].arrived_count += err == CAIRN_OK;
    reading->link->info.streams[stream].duplicate_count += err == CAIRN_ERR_STALE;
    if (!ends->ack_wanted) { ends->ack_due = cairn_mono_add(reading->now, reading->link->def.ack_delay_ns); }
    ends->ack_wanted = true;
    return true;
}

static bool read_bits(frame_reader *reading, cairn_link_stream stream, unsigned kind)
{
    if (!left(reading, ACK_HEAD_BYTES)) { return false; }
    const uint8_t count = reading->at[3];
    if (count > 8 || !left(reading, (size_t)ACK_HEAD_BYTES + count)) { return false; }
    const uint64_t bits = cairn_get_le(reading->at + ACK_HEAD_BYTES, count);
    const uint16_t base = (uint16_t)cairn_get_le(reading->at + 1, 2);
    reading->at += ACK_HEAD_BYTES + count;
    cairn_sender *sender = &reading->link->streams[stream].sender;
    if (kind == FRAME_HELD) {
        cairn_sender_hold(sender, base, bits);
    } else {
        reading->link->info.streams[stream].acknowledged_count += cairn_sender_acknowledge(sender, base, bits);
    }
    return true;
}

static bool read_frame(frame_reader *reading)
{
    const unsigned stream = reading->at[0] & 15, kind = reading->at[0] >> 4;
    if (stream >= CAIRN_LINK_STREAM_COUNT) { return false; }
    const bool acknowledged = cairn_stream_rules[stream].acknowledged;
    if (kind == FRAME_LATEST) { return !acknowledged && read_latest(reading, (cairn_link_stream)stream); }
    if (kind == FRAME_PIECE) { return acknowledged && read_piece(reading, (cairn_link_stream)stream); }
    return kind <= FRAME_HELD && acknowledged && read_bits(reading, (cairn_link_stream)stream, kind);
}

void cairn_payload_read(cairn_link *link, const uint8_t *plain, size_t size, uint32_t counter, cairn_mono now)
{
    const bool echo = size > 0 && plain[0] == 1;
    const size_t stamps = STAMP_BYTES + (echo ? ECHO_BYTES : 0);
    if (size < stamps || plain[0] > 1) {
        link->info.bad_frame_count++;
        return;
    }
    read_stamps(link, plain, echo, now);
    frame_reader reading = {link, plain + stamps, plain + size, (int64_t)cairn_get_le(plain + 1, 6) * 1000, counter,
                            now};
    while (reading.at != reading.end) {
        if (!read_frame(&reading)) {
            link->info.bad_frame_count++;
            return;
        }
    }
}
