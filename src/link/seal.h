// seal.h - keys, tags and seals of a link, on libsodium; and the window that tells replays.
//
// A robot's key makes: a fingerprint (which key is this), a greeting key (tags of hello, challenge, answer), and for
// each session two keys, one each way, from both ends' session ids and nonces. A packet's nonce is its counter.
// Threads  Free of state.
#pragma once
#include "link/link.h"

#define CAIRN_LINK_WINDOW 256 // counters told apart behind the newest; at 100 packets/s good for 2.5 s of reordering

typedef struct cairn_seal_root {
    uint8_t robot_key[CAIRN_LINK_KEY_BYTES];
    uint8_t greeting_key[32];
    uint32_t fingerprint;
} cairn_seal_root;

typedef struct cairn_seal_names {
    uint64_t robot_session, station_session, robot_nonce, station_nonce;
} cairn_seal_names;

typedef struct cairn_seal_session {
    uint8_t send_key[32], receive_key[32];
    uint16_t tag; // in the header: which session
    uint32_t send_counter;
} cairn_seal_session;

typedef struct cairn_replay_window {
    uint32_t newest;
    bool any;
    uint64_t seen[CAIRN_LINK_WINDOW / 64]; // by counter modulo the window
} cairn_replay_window;

void cairn_seal_root_init(cairn_seal_root *root, const uint8_t key[CAIRN_LINK_KEY_BYTES]);

// A number that nobody can foretell from others like it, made of a draw. Never 0.
uint64_t cairn_seal_fresh(const cairn_seal_root *root, cairn_random *random);

// 16 bytes that prove the bytes under the greeting key.
void cairn_seal_greeting_tag(const cairn_seal_root *root, const uint8_t *bytes, size_t size,
                             uint8_t ret_tag[CAIRN_LINK_SEAL_BYTES]);
bool cairn_seal_same(const uint8_t a[CAIRN_LINK_SEAL_BYTES], const uint8_t b[CAIRN_LINK_SEAL_BYTES]); // constant time

void cairn_seal_session_init(cairn_seal_session *session, const cairn_seal_root *root, const cairn_seal_names *names,
                             cairn_link_role role);

// Seals plain behind a header of CAIRN_LINK_HEADER_BYTES that is already in ret_packet; returns the packet's size.
size_t cairn_seal_close(const cairn_seal_session *session, uint32_t counter, const uint8_t *plain, size_t size,
                        uint8_t *ret_packet);
// Opens a packet; false if it was not sealed with this key, header and counter.
CAIRN_CHECKED bool cairn_seal_open(const cairn_seal_session *session, uint32_t counter, const uint8_t *packet,
                                   size_t size, uint8_t *ret_plain);

bool cairn_replay_fresh(const cairn_replay_window *window, uint32_t counter);
void cairn_replay_mark(cairn_replay_window *window, uint32_t counter); // only fresh ones
