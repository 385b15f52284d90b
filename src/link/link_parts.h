// link_parts.h - the inside of a link, shared by its own files and by tests of its frames. Nobody else includes it.
#pragma once
#include "link/clock_bounds.h"
#include "link/nonce_memory.h"
#include "link/receiver.h"
#include "link/seal.h"
#include "link/sender.h"

#define CAIRN_LINK_STATE_KINDS 8
#define CAIRN_LINK_TELEOPERATION_KINDS 2 // stick and override
#define CAIRN_LINK_GREETING_BYTES (CAIRN_LINK_HEADER_BYTES + 32 + CAIRN_LINK_SEAL_BYTES)
#define CAIRN_LINK_ROBOT_NONCE_AT 24 // in a greeting

// Greetings have a bucket of their own, so that nobody's hellos use up what a stop needs. What it does not need, the
// sealed packets get.
#define CAIRN_LINK_GREETING_PART 8   // of the rate, one in so many; fewer greets sooner in a flood, and costs data
#define CAIRN_LINK_GREETINGS_BURST 4 // in the bucket

typedef enum cairn_packet_kind {
    CAIRN_PACKET_DATA,
    CAIRN_PACKET_HELLO,
    CAIRN_PACKET_CHALLENGE,
    CAIRN_PACKET_ANSWER
} cairn_packet_kind;

// How a stream is treated; the table is part of the protocol, both ends must have the same.
typedef struct cairn_stream_rule {
    const char *name;
    bool acknowledged;
    bool in_order;  // delivered in the order of putting
    bool together;  // what is not acknowledged goes along with whatever is sent: order then costs no waiting
    bool bulk;      // leaves the bucket's reserve alone
    uint32_t queue; // pieces at the sender, a power of two
    uint32_t window;
    size_t bytes_max;
} cairn_stream_rule;

extern const cairn_stream_rule cairn_stream_rules[CAIRN_LINK_STREAM_COUNT];

// One message where the latest wins. Sending end: waiting; receiving end: not yet taken.
typedef struct cairn_latest {
    bool full;
    bool used; // receiving end: counter is valid
    bool sent; // sending end
    uint8_t id;
    uint16_t size;    // 0: never had one
    uint32_t counter; // receiving end: of the packet that brought the newest
    int64_t put_ns;   // sending end: own clock; receiving end: the peer's
    int64_t sent_ns;  // sending end: last time
    uint8_t bytes[CAIRN_LINK_LATEST_BYTES_MAX];
} cairn_latest;

typedef struct cairn_stream_ends {
    cairn_sender sender; // acknowledged streams
    cairn_receiver receiver;
    bool ack_wanted;
    cairn_mono ack_due, pressed_at;
    cairn_latest *out, *in; // the others: one, or CAIRN_LINK_..._KINDS
    uint32_t kinds;
} cairn_stream_ends;

// A challenge that the station has given and that was not answered yet.
typedef struct cairn_challenge {
    bool given, due;
    uint32_t sent_count;
    cairn_mono at;
    cairn_seal_names names;
} cairn_challenge;

struct cairn_link {
    cairn_link_def def;
    cairn_seal_root root;
    cairn_link_info info; // counters; the rest is filled in by info_now

    // greeting
    uint64_t own_session;
    bool in_session;        // keys are there
    bool confirmed;         // the peer has them too
    cairn_seal_names names; // of the session
    cairn_seal_session session;
    cairn_replay_window window;
    uint64_t hello_nonce; // robot: 0 when the next hello needs a new one
    cairn_mono hello_nonce_at, hello_at, answer_at, session_at;
    bool hello_sent, answer_due, answer_sent;
    cairn_nonce_memory hellos; // station
    cairn_challenge challenges[CAIRN_LINK_CHALLENGES];
    uint32_t challenge_next;

    // hearing and timing
    bool heard;
    cairn_mono heard_at, woken_at;
    bool woken;
    bool stamp_wanted; // something arrived since the last echo
    int64_t peer_sent_us;
    cairn_mono peer_received_at, echo_at;
    cairn_mono arrived_at; // when we sent the newest packet that the peer has echoed; at first: when the session began
    bool has_round_trip;
    int64_t round_trip_ns, round_trip_ns_var;
    cairn_clock_bounds clock;
    uint32_t loss_newest, loss_received;
    cairn_mono loss_at;
    bool loss_started, loss_known;
    double loss;

    // sending
    int64_t tokens_nb;          // for sealed packets, bytes * 1e9
    int64_t greeting_tokens_nb; // for greetings
    bool stepped;
    cairn_mono step_at, sent_at, probe_at;
    bool sent_any, send_now;
    cairn_link_send_fn send; // during a step
    void *send_context;

    uint64_t ticket; // of what is taken now; see cairn_link_set_ticket
    cairn_stream_ends streams[CAIRN_LINK_STREAM_COUNT];
    uint8_t plain[CAIRN_LINK_MTU_MAX], packet[CAIRN_LINK_MTU_MAX];
    uint8_t whole[CAIRN_LINK_PIECES_WINDOW * CAIRN_LINK_PIECE_BYTES];
};

static inline void cairn_put_le(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) { at[i] = (uint8_t)(value >> 8 * i); }
}
static inline uint64_t cairn_get_le(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) { value |= (uint64_t)at[i] << 8 * i; }
    return value;
}

// link.c
void cairn_link_heard(cairn_link *link, cairn_mono now); // something authentic and fresh arrived
bool cairn_link_is_silent(const cairn_link *link, cairn_mono now);
bool cairn_link_may_greet(cairn_link *link); // there are tokens for a greeting
void cairn_link_emit_greeting(cairn_link *link, const uint8_t bytes[CAIRN_LINK_GREETING_BYTES]);
void cairn_link_header(const cairn_link *link, cairn_packet_kind kind, uint16_t tag, uint32_t counter, uint8_t *ret);

// greeting.c
cairn_link_verdict cairn_greeting_receive(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now);
void cairn_greeting_step(cairn_link *link, cairn_mono now);

// payload.c: the inside of a sealed packet.
// Fills link->plain; 0 when nothing is due or the bucket is too low.
size_t cairn_payload_build(cairn_link *link, cairn_mono now);
void cairn_payload_read(cairn_link *link, const uint8_t *plain, size_t size, uint32_t counter, cairn_mono now);

// streams.c
cairn_err cairn_streams_create(cairn_link *link, cairn_arena *arena);
void cairn_streams_new_session(cairn_link *link); // packet counters begin anew
void cairn_streams_new_peer(cairn_link *link);    // another boot
// A message of a latest-wins stream came with packet message->counter.
void cairn_streams_arrived(cairn_link *link, cairn_link_stream stream, const cairn_latest *message);
