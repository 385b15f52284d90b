// A small table of addresses, each with its counts; this machine's own address has a share that others cannot take.
#include "ports/web_guard.h"
#include <netinet/in.h>
#include <string.h>

static bool is_same(const cairn_web_peer *a, const cairn_web_peer *b) { return memcmp(a, b, sizeof *a) == 0; }

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
static const cairn_web_peer loopback6 = {{[15] = 1}};

cairn_web_peer cairn_web_peer_of(const struct sockaddr *address)
{
    CAIRN_ASSERT(address != NULL);
    cairn_web_peer peer = {{0}};
    if (address->sa_family == AF_INET) {
        memcpy(peer.bytes, mapped, sizeof mapped);
        memcpy(peer.bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
    } else if (address->sa_family == AF_INET6) {
        memcpy(peer.bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
        const bool whole = memcmp(peer.bytes, mapped, sizeof mapped) == 0 || is_same(&peer, &loopback6);
        if (!whole) { memset(peer.bytes + 8, 0, 8); }
    }
    return peer;
}

bool cairn_web_peer_is_loopback(const cairn_web_peer *peer)
{
    const bool four = memcmp(peer->bytes, mapped, sizeof mapped) == 0 && peer->bytes[12] == 127;
    return four || is_same(peer, &loopback6);
}

static cairn_web_socket *find(cairn_web_guard *guard, const void *who)
{
    for (uint32_t i = 0; i < CAIRN_WEB_KEPT_SOCKETS_MAX; i++) {
        if (guard->sockets[i].who == who) { return &guard->sockets[i]; }
    }
    return NULL;
}

// Of whom connections are counted, or one is to go.
typedef enum crowd { OF_ONE, OF_OTHER_MACHINES, OF_ALL } crowd;

static bool is_in(const cairn_web_socket *socket, const cairn_web_peer *peer, crowd of)
{
    if (socket->who == NULL || socket->leaving) { return false; }
    if (of == OF_ONE) { return is_same(&socket->peer, peer); }
    return of == OF_ALL || !cairn_web_peer_is_loopback(&socket->peer);
}

static uint32_t count_of(const cairn_web_guard *guard, const cairn_web_peer *peer, crowd of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CAIRN_WEB_KEPT_SOCKETS_MAX; i++) { count += is_in(&guard->sockets[i], peer, of); }
    return count;
}

// Who said nothing before who has asked, and of those who came first; never a page. NULL: nobody.
static cairn_web_socket *first_to_go(cairn_web_guard *guard, const cairn_web_peer *peer, crowd of)
{
    cairn_web_socket *first = NULL;
    for (uint32_t i = 0; i < CAIRN_WEB_KEPT_SOCKETS_MAX; i++) {
        cairn_web_socket *socket = &guard->sockets[i];
        if (!is_in(socket, peer, of) || socket->stage == CAIRN_WEB_PAGE) { continue; }
        const bool sooner = first == NULL || socket->stage < first->stage ||
                            (socket->stage == first->stage && socket->since < first->since);
        if (sooner) { first = socket; }
    }
    return first;
}

bool cairn_web_guard_may_come(cairn_web_guard *guard, const cairn_web_peer *peer, void **ret_leaves)
{
    CAIRN_ASSERT(guard != NULL && peer != NULL && ret_leaves != NULL);
    *ret_leaves = NULL;
    const bool full_of_one = count_of(guard, peer, OF_ONE) >= CAIRN_WEB_SOCKETS_OF_ONE_MAX;
    const bool full_of_others =
        !cairn_web_peer_is_loopback(peer) && count_of(guard, peer, OF_OTHER_MACHINES) >= CAIRN_WEB_SOCKETS_FAR_MAX;
    const bool full = count_of(guard, peer, OF_ALL) >= CAIRN_WEB_SOCKETS_MAX;
    if (!full_of_one && !full_of_others && !full) { return true; }
    cairn_web_socket *first = first_to_go(guard, peer,
                                          full_of_one      ? OF_ONE
                                          : full_of_others ? OF_OTHER_MACHINES
                                                           : OF_ALL);
    if (first == NULL) { return false; }
    first->leaving = true;
    *ret_leaves = first->who;
    return true;
}

bool cairn_web_guard_came(cairn_web_guard *guard, void *who, const cairn_web_peer *peer)
{
    CAIRN_ASSERT(who != NULL);
    cairn_web_socket *place = find(guard, NULL);
    if (place == NULL) { return false; }
    *place = (cairn_web_socket){.who = who, .peer = *peer, .since = ++guard->came_count};
    return true;
}

void cairn_web_guard_asked(cairn_web_guard *guard, const void *who)
{
    CAIRN_ASSERT(who != NULL);
    cairn_web_socket *socket = find(guard, who);
    if (socket != NULL && socket->stage == CAIRN_WEB_SILENT) { socket->stage = CAIRN_WEB_ASKED; }
}

void cairn_web_guard_left(cairn_web_guard *guard, const void *who)
{
    CAIRN_ASSERT(who != NULL);
    cairn_web_socket *socket = find(guard, who);
    if (socket != NULL) { *socket = (cairn_web_socket){0}; }
}

bool cairn_web_guard_has_place(const cairn_web_guard *guard, const cairn_web_peer *peer, bool far)
{
    CAIRN_ASSERT(guard != NULL && peer != NULL);
    uint32_t all = 0, far_count = 0, of_one = 0;
    for (uint32_t i = 0; i < CAIRN_WEB_KEPT_SOCKETS_MAX; i++) {
        const cairn_web_socket *socket = &guard->sockets[i];
        if (socket->who == NULL || socket->stage != CAIRN_WEB_PAGE) { continue; }
        all++;
        far_count += socket->far;
        of_one += socket->far && is_same(&socket->peer, peer);
    }
    if (all >= CAIRN_WEB_CLIENTS_MAX) { return false; }
    return !far || (far_count < CAIRN_WEB_CLIENTS_FAR_MAX && of_one < CAIRN_WEB_CLIENTS_OF_ONE_MAX);
}

void cairn_web_guard_is_page(cairn_web_guard *guard, const void *who, bool far)
{
    CAIRN_ASSERT(who != NULL);
    cairn_web_socket *socket = find(guard, who);
    if (socket == NULL) { return; }
    socket->stage = CAIRN_WEB_PAGE;
    socket->far = far;
}

static bool is_over(const cairn_web_guesser *guesser, cairn_mono now)
{
    return cairn_mono_since(now, guesser->since) > CAIRN_WEB_GUESSES_NS;
}

bool cairn_web_guard_may_guess(const cairn_web_guard *guard, const cairn_web_peer *peer, cairn_mono now)
{
    for (uint32_t i = 0; i < CAIRN_WEB_GUESSERS_MAX; i++) {
        const cairn_web_guesser *guesser = &guard->guessers[i];
        if (guesser->count >= CAIRN_WEB_GUESSES_MAX && is_same(&guesser->peer, peer)) { return is_over(guesser, now); }
    }
    return true;
}

void cairn_web_guard_guessed_wrong(cairn_web_guard *guard, const cairn_web_peer *peer, cairn_mono now)
{
    CAIRN_ASSERT(guard != NULL && peer != NULL);
    cairn_web_guesser *place = &guard->guessers[0];
    for (uint32_t i = 0; i < CAIRN_WEB_GUESSERS_MAX; i++) {
        cairn_web_guesser *guesser = &guard->guessers[i];
        if (guesser->count > 0 && is_same(&guesser->peer, peer)) {
            place = guesser;
            break;
        }
        const bool sooner = place->count > 0 && (guesser->count == 0 || guesser->since.ns < place->since.ns);
        if (sooner) { place = guesser; }
    }
    if (place->count == 0 || !is_same(&place->peer, peer) || is_over(place, now)) {
        *place = (cairn_web_guesser){.peer = *peer, .since = now};
    }
    place->count++;
}
