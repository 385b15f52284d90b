#include "ports/web_origin.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cairn_web_is_loopback(const char *bind)
{
    uint8_t v4[4], v6[16];
    static const uint8_t v6_loopback[16] = {[15] = 1};
    if (inet_pton(AF_INET, bind, v4) == 1) { return v4[0] == 127; }
    return inet_pton(AF_INET6, bind, v6) == 1 && memcmp(v6, v6_loopback, sizeof v6) == 0;
}

static bool is_name(const char *host, const char *name, uint16_t port)
{
    char wanted[96];
    const char *open = strchr(name, ':') != NULL ? "[" : "", *close = *open ? "]" : "";
    (void)snprintf(wanted, sizeof wanted, "%s%s%s:%u", open, name, close, (unsigned)port);
    if (strcasecmp(host, wanted) == 0) { return true; }
    (void)snprintf(wanted, sizeof wanted, "%s%s%s", open, name, close); // browsers leave 80 out
    return port == 80 && strcasecmp(host, wanted) == 0;
}

bool cairn_web_names_fit(const char *names)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-. ";
    const size_t length = strlen(names);
    return length < CAIRN_WEB_NAMES_BYTES && strspn(names, allowed) == length;
}

bool cairn_web_host_is_local(const char *host, uint16_t port)
{
    return is_name(host, "localhost", port) || is_name(host, "127.0.0.1", port) || is_name(host, "::1", port);
}

// The host without its port; 0 where there is none.
static size_t name_bytes(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
    if (host[0] == '[') { return end == NULL ? 0 : (size_t)(end + 1 - host); }
    return end == NULL ? strlen(host) : (size_t)(end - host);
}

static bool is_listed(const char *host, const char *names)
{
    const size_t size = name_bytes(host);
    if (size == 0 || strspn(host + size, ":0123456789") != strlen(host + size)) { return false; }
    for (const char *at = names + strspn(names, " "); *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && strncasecmp(at, host, size) == 0) { return true; }
        at += length;
    }
    return false;
}

// An address as numbers, with our port.
static bool is_numbers(const char *host, uint16_t port)
{
    char text[64];
    uint8_t bytes[16];
    const size_t size = name_bytes(host), brackets = host[0] == '[' ? 1 : 0;
    if (size <= 2 * brackets || size >= sizeof text) { return false; }
    memcpy(text, host + brackets, size - 2 * brackets);
    text[size - 2 * brackets] = '\0';
    return inet_pton(brackets != 0 ? AF_INET6 : AF_INET, text, bytes) == 1 && is_name(host, text, port);
}

bool cairn_web_host_fits(const char *host, const cairn_web_place *place)
{
    const bool any = strcmp(place->bind, "0.0.0.0") == 0 || strcmp(place->bind, "::") == 0;
    if (*host == '\0') { return false; }
    return cairn_web_host_is_local(host, place->port) || is_name(host, place->bind, place->port) ||
           (any && is_numbers(host, place->port)) || is_listed(host, place->names);
}

bool cairn_web_origin_fits(const char *origin, const char *host)
{
    static const char plain[] = "http://", sealed[] = "https://";
    if (strncmp(origin, plain, sizeof plain - 1) == 0) { return strcasecmp(origin + sizeof plain - 1, host) == 0; }
    if (strncmp(origin, sealed, sizeof sealed - 1) == 0) { return strcasecmp(origin + sizeof sealed - 1, host) == 0; }
    return false;
}
