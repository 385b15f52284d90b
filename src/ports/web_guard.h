// web_guard.h - what one address may take of the web server: connections, places for pages, guesses at the token. Pure.
//
// Connections that say nothing are pushed out by new ones of the same address, so that nobody can keep others out by
// opening many. This machine has connections and places of its own, that others cannot take.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "base/status.h"

#define CAIRN_WEB_SOCKETS_MAX 128        // connections of all kinds; browsers open six for files
#define CAIRN_WEB_SOCKETS_FAR_MAX 96     // of other machines
#define CAIRN_WEB_SOCKETS_OF_ONE_MAX 24  // of one address
#define CAIRN_WEB_CLIENTS_MAX 16         // pages at the same time; one more is refused with status 503
#define CAIRN_WEB_CLIENTS_FAR_MAX 12     // of other machines: the rest is for this one
#define CAIRN_WEB_CLIENTS_OF_ONE_MAX 6   // of one other address; a proxy is one
#define CAIRN_WEB_GUESSES_MAX 10         // wrong tokens of one address in CAIRN_WEB_GUESSES_NS
#define CAIRN_WEB_GUESSES_NS CAIRN_S(60) // longer slows guessing down, and whoever mistyped
#define CAIRN_WEB_GUESSERS_MAX 64        // addresses that are remembered; the one that guessed longest ago goes
#define CAIRN_WEB_KEPT_SOCKETS_MAX (2 * CAIRN_WEB_SOCKETS_MAX) // with those that are being closed

// Where a connection comes from: IPv6, or IPv4 mapped into it. Of IPv6 the half that names a network: whoever has one
// address of it has them all.
typedef struct cairn_web_peer {
    uint8_t bytes[16];
} cairn_web_peer;

struct sockaddr;
cairn_web_peer cairn_web_peer_of(const struct sockaddr *address);
bool cairn_web_peer_is_loopback(const cairn_web_peer *peer);

typedef enum cairn_web_stage { CAIRN_WEB_SILENT, CAIRN_WEB_ASKED, CAIRN_WEB_PAGE } cairn_web_stage;

typedef struct cairn_web_socket {
    void *who; // NULL: free
    cairn_web_peer peer;
    cairn_web_stage stage;
    bool leaving; // told to go
    bool far;     // a page that is not this machine's own
    uint64_t since;
} cairn_web_socket;

typedef struct cairn_web_guesser {
    cairn_web_peer peer;
    uint32_t count;
    cairn_mono since;
} cairn_web_guesser;

typedef struct cairn_web_guard {
    cairn_web_socket sockets[CAIRN_WEB_KEPT_SOCKETS_MAX];
    uint64_t came_count;
    cairn_web_guesser guessers[CAIRN_WEB_GUESSERS_MAX];
} cairn_web_guard;

// Whether one more connection of this address may come. *ret_leaves is who has to go for it; NULL: nobody.
bool cairn_web_guard_may_come(cairn_web_guard *guard, const cairn_web_peer *peer, void **ret_leaves);
// False: all are kept already, the connection must be closed.
bool cairn_web_guard_came(cairn_web_guard *guard, void *who, const cairn_web_peer *peer);
void cairn_web_guard_asked(cairn_web_guard *guard, const void *who); // a whole request
void cairn_web_guard_left(cairn_web_guard *guard, const void *who);

// Whether there is a place for one more page; far: not this machine's own.
bool cairn_web_guard_has_place(const cairn_web_guard *guard, const cairn_web_peer *peer, bool far);
void cairn_web_guard_is_page(cairn_web_guard *guard, const void *who, bool far);

// Whether this address may say a token now.
bool cairn_web_guard_may_guess(const cairn_web_guard *guard, const cairn_web_peer *peer, cairn_mono now);
void cairn_web_guard_guessed_wrong(cairn_web_guard *guard, const cairn_web_peer *peer, cairn_mono now);
