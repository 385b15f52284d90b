// web_server.h - serves the operator's page, and talks to it: files over HTTP, docs/page.md over a WebSocket at /ws.
//
// Whoever can speak to it can drive robots, so by default only this machine can, and of this machine's browsers only
// pages that came from here: the names that the browser gives as origin and host must agree, and be names of this
// server (web_origin.h). Browsers of other machines, and such that come by a name through a proxy, must have said the
// token: GET /enter with it as `Authorization: Bearer` sets a cookie that the WebSocket asks for. Nothing is encrypted:
// put a proxy with TLS before it on a network that others listen to. What one address may take: web_guard.h.
//
// Memory   The heap: about 100 kB, and some 300 kB for each of at most CAIRN_WEB_CLIENTS_MAX clients, most of it for
//          compression.
// Threads  One of its own, from create to destroy, with one event loop. A client that reads slowly is told less often;
//          one that does not read costs nothing. Nobody waits for a client.
#pragma once
#include "base/inbox.h"
#include "base/log.h"
#include "ports/web_guard.h"
#include "station/page/page.h"

#define CAIRN_WEB_ACTIONS_PER_S_MAX 100u // of one client; more are refused, but never a stop or a dead man's let go

// A file of the page, all of it in memory.
typedef struct cairn_web_file {
    const char *path;     // "/index.html"
    const char *type;     // "text/html; charset=utf-8"
    const char *etag;     // quoted: "\"c0ffee\""
    const uint8_t *bytes; // as they are
    size_t size_bytes;
    const uint8_t *gzip; // compressed; NULL: not worth it
    size_t gzip_bytes;
} cairn_web_file;

typedef struct cairn_web_files {
    const cairn_web_file *files;
    size_t count; // 0: this build has no page, and whoever asks for it is told how to get one
} cairn_web_files;

typedef struct cairn_web_server_def {
    const char *bind;       // an address of this machine, as numbers; copied
    uint16_t port;          // 0: any that is free
    const char *names;      // by which browsers reach it, with blanks between them; copied; NULL: none
    const char *token;      // web_token_io.h; copied; must be there if others can reach it: bind, or names
    cairn_web_files files;  // borrowed
    cairn_page *page;       // borrowed
    cairn_inbox *operators; // borrowed; gets a cairn_operator_action for each that is understood
    cairn_log log;          // lines come from the server's thread
} cairn_web_server_def;

typedef struct cairn_web_server cairn_web_server;

// 127.0.0.1, port 8080, and the page that is built into the program; page and operators must be set.
cairn_web_server_def cairn_web_server_def_default(void);

// Starts serving. CAIRN_ERR_IO when the address cannot be had, CAIRN_ERR_INVALID when it is none,
// CAIRN_ERR_UNSUPPORTED in a build without a web server; *complaints says what to do.
CAIRN_CHECKED cairn_err cairn_web_server_create(const cairn_web_server_def *def, cairn_complaints *complaints,
                                                cairn_web_server **ret_server);
// Closes all connections and ends the thread. Accepts NULL.
void cairn_web_server_destroy(cairn_web_server *server);

uint16_t cairn_web_server_port(const cairn_web_server *server);
// For people: "http://127.0.0.1:8080/". Where other machines can reach it, the other one is theirs, with the token in
// it: "http://192.0.2.10:8080/#token=..."; else "".
const char *cairn_web_server_address(const cairn_web_server *server);
const char *cairn_web_server_far_address(const cairn_web_server *server);
// Whether a token is wanted: others than this machine can reach it.
bool cairn_web_server_wants_token(const char *bind, const char *names);
