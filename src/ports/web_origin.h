// web_origin.h - who may talk to the server, by what a browser says of itself. Pure.
//
// A browser sends, with every WebSocket, the site that opened it (Origin) and the name by which it reached us (Host). A
// page from elsewhere has another origin. A foreign name that was made to point at this machine has that name as host:
// so only names that were told to the server fit, and addresses as numbers, which nobody can point elsewhere.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_WEB_NAMES_BYTES 256

// Where the server is.
typedef struct cairn_web_place {
    const char *bind; // as numbers
    uint16_t port;
    const char *names; // by which browsers reach it, with blanks between them; "" none
} cairn_web_place;

// An address of this machine that no other machine can reach: 127.x.x.x or ::1.
bool cairn_web_is_loopback(const char *bind);
// Names of hosts: letters, digits, '-' and '.', at most CAIRN_WEB_NAMES_BYTES - 1 with the blanks between them.
bool cairn_web_names_fit(const char *names);
// Whether the host header names this server: this machine to itself; where others can reach it, its address as numbers;
// or one of its names, whatever the port, which a proxy may change.
bool cairn_web_host_fits(const char *host, const cairn_web_place *place);
// Whether the host header names the browser's own machine: localhost, 127.0.0.1 or [::1], with our port.
bool cairn_web_host_is_local(const char *host, uint16_t port);
// Whether the origin is this host: "http://HOST" or, behind a proxy, "https://HOST".
bool cairn_web_origin_fits(const char *origin, const char *host);
