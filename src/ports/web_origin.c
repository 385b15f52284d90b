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

bool cairn_web_host_fits(const char *host, const char *bind, uint16_t port)
{
    if (*host == '\0') { return false; }
    if (!cairn_web_is_loopback(bind)) { return true; }
    return is_name(host, bind, port) || is_name(host, "localhost", port) || is_name(host, "127.0.0.1", port) ||
           is_name(host, "::1", port);
}

bool cairn_web_origin_fits(const char *origin, const char *host)
{
    static const char plain[] = "http://", sealed[] = "https://";
    if (strncmp(origin, plain, sizeof plain - 1) == 0) { return strcasecmp(origin + sizeof plain - 1, host) == 0; }
    if (strncmp(origin, sealed, sizeof sealed - 1) == 0) { return strcasecmp(origin + sizeof sealed - 1, host) == 0; }
    return false;
}
