// link.h - one robot and the station over a thin, lossy radio: sessions, seals, streams, a byte budget, a shared clock.
//
// A state machine without sockets and without clocks: datagrams go in and out as bytes, time is a parameter, chance is
// a stream that the caller gives. Both ends hold one link for each robot; same inputs, same bytes. docs/link.md has the
// packet's layout and what each figure costs.
// Memory   One block from the arena at create, about 460 kB, on the station 480; nothing grows afterwards.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

#define CAIRN_LINK_VERSION 1
#define CAIRN_LINK_KEY_BYTES 32
#define CAIRN_LINK_MTU_MIN 640
#define CAIRN_LINK_MTU_MAX 1400
#define CAIRN_LINK_HEADER_BYTES 8
#define CAIRN_LINK_SEAL_BYTES 16
#define CAIRN_LINK_LATEST_BYTES_MAX 512   // longest message of a stream where the latest wins
#define CAIRN_LINK_MESSAGE_BYTES_MAX 8192 // longest acknowledged message; sent in pieces
#define CAIRN_LINK_CHALLENGES 16          // given and not yet answered; more: the oldest goes

typedef struct cairn_link cairn_link;

typedef enum cairn_link_role { CAIRN_LINK_ROBOT, CAIRN_LINK_STATION } cairn_link_role;

// In the order of priority: what stands earlier goes first.
typedef enum cairn_link_stream {
    CAIRN_LINK_STOP,          // acknowledged, in order
    CAIRN_LINK_MODE,          // acknowledged, in order
    CAIRN_LINK_TELEOPERATION, // the latest of each message id wins, never sent again, delivered only while fresh
    CAIRN_LINK_TELEMETRY,     // the latest wins, at most one each telemetry_period_ns; told again around a silence
    CAIRN_LINK_TASK,          // acknowledged, in order
    CAIRN_LINK_SIGHTING,      // acknowledged; as they arrive
    CAIRN_LINK_STATE,         // the latest of each message id wins; told again after a silence
    CAIRN_LINK_NODE,          // acknowledged; as they arrive
    CAIRN_LINK_TERRAIN,       // acknowledged; as they arrive
    CAIRN_LINK_STREAM_COUNT
} cairn_link_stream;

const char *cairn_link_stream_name(cairn_link_stream stream); // "stop", "teleoperation", ...
bool cairn_link_stream_acknowledged(cairn_link_stream stream);

// What a link is made from. Start from cairn_link_def_default() and set role, robot, key and random.
typedef struct cairn_link_def {
    cairn_link_role role;
    uint8_t robot;                     // 1..250, in every packet, so that the station finds the link
    uint8_t key[CAIRN_LINK_KEY_BYTES]; // shared by this robot and the station; copied
    cairn_random random;               // copied; makes session ids and challenges. On a real robot seeded by the system
    uint32_t mtu_bytes;                // of a datagram, CAIRN_LINK_MTU_MIN..MAX; the same at both ends
    uint32_t datagram_extra_bytes;     // what the network adds to each datagram; counts in the budget
    uint32_t rate_bytes_per_s;         // this sender's budget
    uint32_t burst_bytes;              // bucket; at least a datagram with its extra, the reserve and four greetings
    uint32_t reserve_bytes;       // of the bucket, kept from task and below: stops and acks need not wait for tokens
    int64_t telemetry_period_ns;  // telemetry, or a bare stamp where there is none
    int64_t fresh_ns;             // a teleoperation message that may be older is dropped
    int64_t ack_delay_ns;         // acks wait so long for company; longer saves packets and delays resending
    int64_t resend_ns_min;        // bounds of the resend time; a greater maximum saves bytes on a slow link and
    int64_t resend_ns_max;        //   stalls longer after a loss
    int64_t silent_after_ns;      // nothing heard for so long: probe instead of resending all, and say hello
    int64_t probe_period_ns;      // in silence, one small packet each; shorter recovers sooner and costs more
    int64_t probe_period_ns_late; // after probe_late_after_ns of silence
    int64_t probe_late_after_ns;
    int64_t clock_lost_after_ns;      // no two-way stamp for so long: not synchronised
    int64_t clock_uncertainty_ns_max; // more than this: not synchronised
    uint32_t drift_ppm;               // how far two clocks may run apart
    bool hold_acks;                   // taking a message does not acknowledge it; cairn_link_confirm does
} cairn_link_def;

cairn_link_def cairn_link_def_default(void);

// Makes a link that has not met its peer. The def is copied. CAIRN_ERR_FULL if the arena is too small.
CAIRN_CHECKED cairn_err cairn_link_create(const cairn_link_def *def, cairn_arena *arena, cairn_link **ret_link);

// Whose packet this is, from its header alone (unproven): for a station that holds many links.
// CAIRN_ERR_CORRUPT when too short, CAIRN_ERR_UNSUPPORTED for another version. O(1).
CAIRN_CHECKED cairn_err cairn_link_peek_robot(const uint8_t *bytes, size_t size, uint8_t *ret_robot);

// Version and robot of a packet of any version: the first two bytes mean the same in all, and none has packets that are
// shorter than ours without a word in them. Unproven: good for words to people (other_version.h), never for acting.
// CAIRN_ERR_CORRUPT when too short or too long, or of version 0, which there never was. O(1).
CAIRN_CHECKED cairn_err cairn_link_peek_version(const uint8_t *bytes, size_t size, uint8_t *ret_version,
                                                uint8_t *ret_robot);

// Whether it is a hello, or the challenge to one. Whoever says hello has proved nothing yet, he may repeat what he has
// recorded: an accepted hello says where to send the challenge, and nothing about where the peer of a session is. O(1).
bool cairn_link_is_unproven(const uint8_t *bytes, size_t size);
// Which hello this is, or is the challenge to: 0 for anything else. O(1).
uint64_t cairn_link_hello_name(const uint8_t *bytes, size_t size);

// What became of a datagram. All but ACCEPTED are dropped, change nothing, and are counted.
typedef enum cairn_link_verdict {
    CAIRN_LINK_ACCEPTED,
    CAIRN_LINK_MALFORMED,     // too short, too long, or of a kind that is not for this end
    CAIRN_LINK_OTHER_VERSION, // of the protocol
    CAIRN_LINK_OTHER_ROBOT,
    CAIRN_LINK_WRONG_KEY,     // a greeting made with another key
    CAIRN_LINK_ALTERED,       // the seal does not fit
    CAIRN_LINK_REPLAYED,      // seen before, or too old to tell
    CAIRN_LINK_OTHER_SESSION, // of an earlier boot or of nobody we know
    CAIRN_LINK_VERDICT_COUNT
} cairn_link_verdict;

const char *cairn_link_verdict_name(cairn_link_verdict verdict); // "replayed", ...

// Takes in one datagram. O(size).
cairn_link_verdict cairn_link_receive(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now);

// Sends what is due through send, within the budget; call it every few milliseconds, and after receiving.
// The bytes are lent for the call. send must not call the link.
typedef void (*cairn_link_send_fn)(void *context, const uint8_t *bytes, size_t size);
void cairn_link_step(cairn_link *link, cairn_mono now, cairn_link_send_fn send, void *context);

// Queues a message (an encoded radio message: its first byte is its id); copies. In streams where the latest wins it
// takes the place of one not yet sent. CAIRN_ERR_FULL when the queue of an acknowledged stream (or the eight kinds of
// state, or the two of teleoperation) is full: refused and counted; CAIRN_ERR_TOO_LARGE over the stream's limit.
// O(size).
CAIRN_CHECKED cairn_err cairn_link_put(cairn_link *link, cairn_link_stream stream, const uint8_t *bytes, size_t size,
                                       cairn_mono now);

typedef struct cairn_link_message {
    cairn_link_stream stream;
    uint8_t id;           // first byte
    const uint8_t *bytes; // lent until the next call on this link
    size_t size;
    bool age_known;         // false while the clock is not synchronised
    int64_t age_ns;         // since it was put, by the best estimate
    int64_t uncertainty_ns; // of the age
} cairn_link_message;

// The next message, by priority. Taking an acknowledged one is what acknowledges it, and the ack leaves with the next
// step; unless def.hold_acks. CAIRN_ERR_EMPTY when there is none.
CAIRN_CHECKED cairn_err cairn_link_take(cairn_link *link, cairn_mono now, cairn_link_message *ret_message);

// With def.hold_acks every acknowledged message that is taken carries the ticket of the moment (at first 0; never
// lowered), and is acknowledged only when that ticket or a later one is confirmed: when it is safe on disk. What is
// held is delivered no second time, counts in the sender's window, and so stops the sender in the end. A new boot of
// the peer forgets what was held. A ticket that was confirmed holds again what is taken under it afterwards.
void cairn_link_set_ticket(cairn_link *link, uint64_t ticket);
void cairn_link_confirm(cairn_link *link, uint64_t ticket); // the acks leave with the next step

// The peer's clock: peer = own + offset. On a robot this is the mission clock.
typedef struct cairn_link_clock {
    bool synchronised;
    int64_t offset_ns;
    int64_t
        uncertainty_ns; // the true offset lies within, as long as drift_ppm holds; INT64_MAX before the first exchange
} cairn_link_clock;

cairn_link_clock cairn_link_clock_now(const cairn_link *link, cairn_mono now);

// This moment in mission time. On the station its own clock; on a robot CAIRN_ERR_STALE while not synchronised.
CAIRN_CHECKED cairn_err cairn_link_mission(const cairn_link *link, cairn_mono now, cairn_mission *ret_mission);

// Changes the budget from now on; what the bucket holds is kept, up to the new burst.
void cairn_link_set_budget(cairn_link *link, uint32_t rate_bytes_per_s, uint32_t burst_bytes, cairn_mono now);

typedef enum cairn_link_state {
    CAIRN_LINK_ALONE,     // no session yet
    CAIRN_LINK_JOINING,   // greeting under way
    CAIRN_LINK_CONNECTED, // heard lately
    CAIRN_LINK_SILENT     // a session, but nothing heard for silent_after_ns
} cairn_link_state;

const char *cairn_link_state_name(cairn_link_state state);

typedef struct cairn_link_stream_info {
    uint64_t put_count, put_bytes;
    uint64_t sent_count, sent_bytes; // frames on the air, first time and again, with their frame headers
    uint64_t resent_count;
    uint64_t acknowledged_count; // messages that the peer has taken, and confirmed if it holds
    uint64_t refused_count;      // queue full
    uint64_t replaced_count;     // by a newer one, before being sent
    uint64_t delivered_count, delivered_bytes;
    uint64_t arrived_count;   // frames that arrived and were new: pieces, or messages where the latest wins
    uint64_t duplicate_count; // arrived again
    uint64_t outdated_count;  // older than one already delivered, or no longer fresh
    int64_t age_ns_max;       // of delivered messages whose age was known
    uint32_t queued_count;    // messages put and not yet acknowledged (latest wins: not yet sent)
    uint32_t held_count;      // messages taken and not yet confirmed
} cairn_link_stream_info;

typedef struct cairn_link_info {
    cairn_link_state state;
    uint64_t own_session, peer_session; // peer 0: none yet
    uint32_t session_count;             // sessions begun
    uint64_t verdict_count[CAIRN_LINK_VERDICT_COUNT];
    uint64_t bad_frame_count;          // sealed by the peer and yet not understood
    uint64_t packets_sent, bytes_sent; // bytes with datagram_extra_bytes
    uint64_t packets_received, bytes_received;
    bool heard;
    int64_t silent_ns;     // since something authentic was heard; meaningless unless heard
    int64_t unheard_ns;    // since we sent the newest packet that the peer says it has heard; meaningless unless heard
    int64_t round_trip_ns; // smoothed; 0 unknown
    double loss;           // [-] of the peer's packets, smoothed; 0 at first
    uint32_t clock_jumps;  // stamps that contradicted what was known of the peer's clock
    cairn_link_clock clock;
    cairn_link_stream_info streams[CAIRN_LINK_STREAM_COUNT];
} cairn_link_info;

cairn_link_info cairn_link_info_now(const cairn_link *link, cairn_mono now);
