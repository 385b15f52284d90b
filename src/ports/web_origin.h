// web_origin.h - who may talk to the server, by what a browser says of itself. Pure.
//
// A browser sends, with every WebSocket, the site that opened it (Origin) and the name by which it reached us (Host). A
// page from elsewhere has another origin. A foreign name that was made to point at this machine has that name as host.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// An address of this machine that no other machine can reach: 127.x.x.x or ::1.
bool cairn_web_is_loopback(const char *bind);
// Whether the host header names this server. Where other machines can reach it, any name may be its.
bool cairn_web_host_fits(const char *host, const char *bind, uint16_t port);
// Whether the origin is this host: "http://HOST" or, behind a proxy, "https://HOST".
bool cairn_web_origin_fits(const char *origin, const char *host);
