// udp.c - see udp.h.
//
// An air address is 16 bytes of IPv6, or IPv4 mapped into it (::ffff:a.b.c.d), and 2 bytes of port, big endian. An IPv6
// address of one link only (fe80::/10) is worth nothing without the interface; its number is kept in bytes 2..5, which
// are zero in all such addresses.
#include "ports/udp.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST_BYTES 256
#define PUMP_DATAGRAMS_MAX 512
#define BAD_IN_A_ROW_MAX 64 // datagrams that receive drops before it says that nothing is there
#define PORT_AT 16

struct cairn_udp {
    int handle;
    sa_family_t family;
    uint16_t port;
    cairn_udp_info info;
};

typedef struct host_port {
    char host[HOST_BYTES]; // empty: none
    char port[8];          // decimal digits
} host_port;

static bool is_port(const char *text)
{
    const size_t length = strlen(text);
    return length >= 1 && length <= 5 && strspn(text, "0123456789") == length && strtoul(text, NULL, 10) <= UINT16_MAX;
}

// Splits at the last colon and takes brackets off. False: not of this form.
static bool split(const char *text, host_port *ret)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || !is_port(colon + 1)) { return false; }
    const char *from = text;
    size_t length = (size_t)(colon - text);
    const bool bracketed = length >= 3 && from[0] == '[' && from[length - 1] == ']';
    if (bracketed) {
        from++;
        length -= 2;
    }
    if (length >= sizeof ret->host || strcspn(from, "[] \t") < length) { return false; }
    if (!bracketed && memchr(from, ':', length) != NULL) { return false; } // IPv6: which colon is the last?
    memcpy(ret->host, from, length);
    ret->host[length] = '\0';
    snprintf(ret->port, sizeof ret->port, "%s", colon + 1);
    return true;
}

static cairn_err complain_form(cairn_complaints *complaints, const char *text)
{
    cairn_complain(complaints, NULL, 0,
                   "'%s' is no address; expected HOST:PORT with a port up to 65535, like 192.0.2.10:7400, "
                   "station.local:7400 or [::1]:7400",
                   text);
    return CAIRN_ERR_INVALID;
}

static bool is_of_one_link(const uint8_t *bytes) { return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80; }

static cairn_air_address from_socket(const struct sockaddr_storage *from)
{
    cairn_air_address address = {0};
    uint8_t *bytes = address.bytes;
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)from;
        bytes[10] = bytes[11] = 0xff;
        memcpy(bytes + 12, &in->sin_addr, 4);
        memcpy(bytes + PORT_AT, &in->sin_port, 2);
    } else if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)from;
        memcpy(bytes, &in->sin6_addr, 16);
        if (is_of_one_link(bytes)) { memcpy(bytes + 2, &in->sin6_scope_id, 4); }
        memcpy(bytes + PORT_AT, &in->sin6_port, 2);
    }
    return address;
}

// False when a socket of this family cannot reach it.
static bool to_socket(const cairn_air_address *address, sa_family_t family, struct sockaddr_storage *ret,
                      socklen_t *ret_size)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    const uint8_t *bytes = address->bytes;
    *ret = (struct sockaddr_storage){.ss_family = family};
    if (family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)ret;
        memcpy(&in->sin_addr, bytes + 12, 4);
        memcpy(&in->sin_port, bytes + PORT_AT, 2);
        *ret_size = sizeof *in;
        return memcmp(bytes, mapped, sizeof mapped) == 0;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)ret;
    memcpy(&in->sin6_addr, bytes, 16);
    if (is_of_one_link(bytes)) {
        memcpy(&in->sin6_scope_id, bytes + 2, 4);
        memset(in->sin6_addr.s6_addr + 2, 0, 4);
    }
    memcpy(&in->sin6_port, bytes + PORT_AT, 2);
    *ret_size = sizeof *in;
    return true;
}

// All addresses of a name, or of numbers; numbers do not ask whether this computer has such addresses itself.
static int look_up(const host_port *parts, int flags, struct addrinfo **ret_found)
{
    const struct addrinfo numbers = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = flags | AI_NUMERICHOST | AI_NUMERICSERV};
    const struct addrinfo names = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = flags | AI_ADDRCONFIG | AI_NUMERICSERV};
    const char *host = parts->host[0] == '\0' ? NULL : parts->host;
    const int failed = getaddrinfo(host, parts->port, &numbers, ret_found);
    return failed == EAI_NONAME && host != NULL ? getaddrinfo(host, parts->port, &names, ret_found) : failed;
}

static cairn_err complain_unknown(cairn_complaints *complaints, const char *text, int failed)
{
    cairn_complain(complaints, NULL, 0, "%s: nobody knows this host: %s; give its number, like 192.0.2.10:7400", text,
                   gai_strerror(failed));
    return CAIRN_ERR_NOT_FOUND;
}

cairn_err cairn_udp_resolve(const char *text, cairn_complaints *complaints, cairn_air_address *ret_address)
{
    host_port parts;
    if (!split(text, &parts) || parts.host[0] == '\0' || strtoul(parts.port, NULL, 10) == 0) {
        return complain_form(complaints, text);
    }
    struct addrinfo *found = NULL;
    const int failed = look_up(&parts, 0, &found);
    if (failed != 0) { return complain_unknown(complaints, text, failed); }
    struct sockaddr_storage first = {0};
    memcpy(&first, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    *ret_address = from_socket(&first);
    return CAIRN_OK;
}

void cairn_udp_text(const cairn_air_address *address, char ret_text[static CAIRN_UDP_TEXT_BYTES])
{
    struct sockaddr_storage at;
    socklen_t size = 0;
    char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
    const bool four = to_socket(address, AF_INET, &at, &size);
    if (!four) { (void)to_socket(address, AF_INET6, &at, &size); }
    const int failed = getnameinfo((const struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                                   NI_NUMERICHOST | NI_NUMERICSERV | NI_DGRAM);
    if (cairn_air_address_is_none(address) || failed != 0) {
        snprintf(ret_text, CAIRN_UDP_TEXT_BYTES, "nowhere");
    } else {
        snprintf(ret_text, CAIRN_UDP_TEXT_BYTES, four ? "%.60s:%.7s" : "[%.60s]:%.7s", host, port);
    }
}

// Opens and binds; -1 and errno.
static int open_at(const struct addrinfo *at)
{
    const int handle = socket(at->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (handle < 0) { return -1; }
    const int off = 0;
    if (at->ai_family == AF_INET6) { (void)setsockopt(handle, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off); }
    if (bind(handle, at->ai_addr, at->ai_addrlen) == 0) { return handle; }
    const int why = errno;
    close(handle);
    errno = why;
    return -1;
}

// All hosts of both families in one socket, where the system has IPv6: so that is tried first.
static int open_first(const struct addrinfo *found, bool any_host, const struct addrinfo **ret_at)
{
    int handle = -1;
    for (int round = any_host ? 0 : 1; round < 2; round++) {
        for (const struct addrinfo *at = found; handle < 0 && at != NULL; at = at->ai_next) {
            if (round == 0 && at->ai_family != AF_INET6) { continue; }
            handle = open_at(at);
            *ret_at = at;
            if (handle < 0 && errno == EADDRINUSE) { return handle; }
        }
        if (handle >= 0) { return handle; }
    }
    return handle;
}

static cairn_err complain_open(cairn_complaints *complaints, const char *text, const char *port)
{
    const int why = errno;
    if (why == EADDRINUSE) {
        cairn_complain(complaints, NULL, 0,
                       "cannot listen at %s: UDP port %s is in use; is another station or robot running here? choose "
                       "another port, or 0 for any free one",
                       text, port);
    } else if (why == EACCES) {
        cairn_complain(complaints, NULL, 0, "cannot listen at %s: not permitted; choose a port from 1024 to 65535",
                       text);
    } else if (why == EADDRNOTAVAIL) {
        cairn_complain(complaints, NULL, 0,
                       "cannot listen at %s: this computer does not have that address; `ip address` lists them, :%s "
                       "listens at all",
                       text, port);
    } else {
        cairn_complain(complaints, NULL, 0, "cannot listen at %s: %s", text, strerror(why));
    }
    return CAIRN_ERR_IO;
}

static uint16_t port_of(int handle)
{
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    const int failed = getsockname(handle, (struct sockaddr *)&own, &size);
    CAIRN_ASSERT(failed == 0);
    const cairn_air_address address = from_socket(&own);
    return (uint16_t)(address.bytes[PORT_AT] << 8 | address.bytes[PORT_AT + 1]);
}

cairn_err cairn_udp_open(const char *bind_address, cairn_complaints *complaints, cairn_udp **ret_udp)
{
    host_port parts;
    if (!split(bind_address, &parts)) { return complain_form(complaints, bind_address); }
    struct addrinfo *found = NULL;
    const int failed = look_up(&parts, AI_PASSIVE, &found);
    if (failed != 0) { return complain_unknown(complaints, bind_address, failed); }
    const struct addrinfo *at = NULL;
    const int handle = open_first(found, parts.host[0] == '\0', &at);
    const sa_family_t family = (sa_family_t)(at != NULL ? at->ai_family : AF_UNSPEC);
    if (handle < 0) { (void)complain_open(complaints, bind_address, parts.port); }
    freeaddrinfo(found);
    if (handle < 0) { return CAIRN_ERR_IO; }
    cairn_udp *udp = calloc(1, sizeof *udp);
    if (udp == NULL) {
        close(handle);
        return CAIRN_ERR_FULL;
    }
    *udp = (cairn_udp){.handle = handle, .family = family, .port = port_of(handle)};
    *ret_udp = udp;
    return CAIRN_OK;
}

void cairn_udp_close(cairn_udp *udp)
{
    if (udp == NULL) { return; }
    close(udp->handle);
    free(udp);
}

uint16_t cairn_udp_port(const cairn_udp *udp) { return udp->port; }
cairn_udp_info cairn_udp_look(const cairn_udp *udp) { return udp->info; }

cairn_err cairn_udp_receive(cairn_udp *udp, uint8_t *ret_bytes, size_t max, size_t *ret_size,
                            cairn_air_address *ret_from)
{
    if (max > CAIRN_LINK_MTU_MAX) { max = CAIRN_LINK_MTU_MAX; }
    for (int i = 0; i < BAD_IN_A_ROW_MAX; i++) {
        struct sockaddr_storage from = {0};
        socklen_t from_size = sizeof from;
        const ssize_t size =
            recvfrom(udp->handle, ret_bytes, max, MSG_TRUNC, (struct sockaddr *)&from, &from_size); // the true size
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) { return CAIRN_ERR_EMPTY; }
        if (size < 0) {
            udp->info.failed_count += errno != EINTR;
            udp->info.last_errno = errno;
            continue;
        }
        udp->info.received_count++;
        if ((size_t)size > max) {
            udp->info.too_large_count++;
            continue;
        }
        *ret_size = (size_t)size;
        *ret_from = from_socket(&from);
        return CAIRN_OK;
    }
    return CAIRN_ERR_EMPTY;
}

void cairn_udp_send(cairn_udp *udp, const cairn_air_address *to, const uint8_t *bytes, size_t size)
{
    struct sockaddr_storage at;
    socklen_t at_size = 0;
    if (cairn_air_address_is_none(to)) {
        udp->info.unaddressed_count++;
        return;
    }
    errno = EAFNOSUPPORT;
    ssize_t sent = -1;
    if (to_socket(to, udp->family, &at, &at_size)) {
        do {
            sent = sendto(udp->handle, bytes, size, MSG_NOSIGNAL, (const struct sockaddr *)&at, at_size);
        } while (sent < 0 && errno == EINTR);
    }
    if (sent >= 0) {
        udp->info.sent_count++;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
        udp->info.full_count++;
    } else {
        udp->info.unreachable_count++;
        udp->info.last_errno = errno;
    }
}

void cairn_udp_pump_in(cairn_udp *udp, cairn_inbox *box)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address from;
    for (int i = 0; i < PUMP_DATAGRAMS_MAX; i++) {
        if (cairn_udp_receive(udp, bytes, sizeof bytes, &size, &from) != CAIRN_OK) { return; }
        (void)!cairn_air_box_put(box, &from, bytes, size); // a full box counts what it refuses
    }
}

void cairn_udp_pump_in_plain(cairn_udp *udp, cairn_inbox *box)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address from;
    for (int i = 0; i < PUMP_DATAGRAMS_MAX; i++) {
        if (cairn_udp_receive(udp, bytes, sizeof bytes, &size, &from) != CAIRN_OK) { return; }
        (void)!cairn_inbox_put(box, bytes, size);
    }
}

void cairn_udp_pump_out(cairn_udp *udp, cairn_inbox *box)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address to;
    while (cairn_air_box_take(box, &to, bytes, &size) == CAIRN_OK) { cairn_udp_send(udp, &to, bytes, size); }
}

void cairn_udp_pump_out_to(cairn_udp *udp, const cairn_air_address *to, cairn_inbox *box)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (cairn_inbox_take(box, bytes, sizeof bytes, &size) == CAIRN_OK) { cairn_udp_send(udp, to, bytes, size); }
}
