// web_files.c - the page's files over HTTP, and who is let through: to a connection, and to the WebSocket.
#include "ports/web_server_parts.h"
#include <string.h>

#define CHUNK_BYTES 4096
#define HEADER_BYTES 2048
#define METHOD_GET 0 // lws_http_get_uri_and_method
#define METHOD_HEAD 7

static const char no_page[] = "This build has no page: install nodejs and npm, and build again.\n";
static const char not_found[] = "There is nothing here. The page is at /\n";
static const char entered[] = "Welcome.\n";
static const char wrong_host[] =
    "This is not a name of this machine that cairn was told: open the address that it printed, "
    "or add the name to page.names of the station file.\n";

static const cairn_web_file *find_file(const cairn_web_files *files, const char *path)
{
    if (strcmp(path, "/") == 0) { path = "/index.html"; }
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].path, path) == 0) { return &files->files[i]; }
    }
    return NULL;
}

static bool accepts_gzip(struct lws *wsi)
{
    char accepted[128];
    cairn_web_header_of(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, accepted, sizeof accepted);
    return strstr(accepted, "gzip") != NULL;
}

static bool has_already(struct lws *wsi, const cairn_web_file *file)
{
    char etag[128];
    cairn_web_header_of(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, etag, sizeof etag);
    return strcmp(etag, file->etag) == 0;
}

// Headers that are written into one block.
typedef struct header_block {
    uint8_t bytes[LWS_PRE + HEADER_BYTES];
    uint8_t *at;
} header_block;

static uint8_t *block_end(header_block *block) { return block->bytes + sizeof block->bytes - 1; }

static bool add_header(struct lws *wsi, header_block *block, const char *name, const char *value)
{
    return lws_add_http_header_by_name(wsi, (const uint8_t *)name, (const uint8_t *)value, (int)strlen(value),
                                       &block->at, block_end(block)) == 0;
}

// Sends the headers; the body follows when the socket takes it. Ends the request where there is no body.
static int send_headers(struct lws *wsi, header_block *block, bool body)
{
    if (lws_finalize_write_http_header(wsi, block->bytes + LWS_PRE, &block->at, block_end(block))) { return -1; }
    if (!body) { return lws_http_transaction_completed(wsi) ? -1 : 0; }
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int answer_text(struct lws *wsi, cairn_web_reply *reply, unsigned status, const char *text)
{
    header_block block = {.at = block.bytes + LWS_PRE};
    *reply = (cairn_web_reply){.bytes = (const uint8_t *)text, .size_bytes = strlen(text)};
    if (lws_add_http_common_headers(wsi, status, "text/plain; charset=utf-8", reply->size_bytes, &block.at,
                                    block_end(&block))) {
        return -1;
    }
    return send_headers(wsi, &block, true);
}

static int answer_file(struct lws *wsi, cairn_web_reply *reply, const cairn_web_file *file, bool head)
{
    header_block block = {.at = block.bytes + LWS_PRE};
    const bool unchanged = has_already(wsi, file), packed = file->gzip != NULL && accepts_gzip(wsi);
    *reply = (cairn_web_reply){.bytes = packed ? file->gzip : file->bytes,
                               .size_bytes = unchanged ? 0
                                             : packed  ? file->gzip_bytes
                                                       : file->size_bytes};
    if (lws_add_http_common_headers(wsi, unchanged ? HTTP_STATUS_NOT_MODIFIED : HTTP_STATUS_OK, file->type,
                                    reply->size_bytes, &block.at, block_end(&block)) ||
        !add_header(wsi, &block, "etag:", file->etag) || !add_header(wsi, &block, "cache-control:", "no-cache") ||
        !add_header(wsi, &block, "vary:", "accept-encoding") ||
        (packed && !unchanged && !add_header(wsi, &block, "content-encoding:", "gzip"))) {
        return -1;
    }
    return send_headers(wsi, &block, !head && reply->size_bytes > 0);
}

// Who came from where, and why he was turned away.
static void say_refused(struct lws *wsi, const cairn_web_server *server, unsigned status, const char *why)
{
    char peer[48] = "";
    (void)lws_get_peer_simple(wsi, peer, sizeof peer);
    cairn_log_line(&server->def.log, cairn_page_now(server->def.page), CAIRN_LOG_WARN,
                   "somebody at %s was refused with status %u: %s", peer, status, why);
}

// Whether the page may open its WebSocket, in words; who says the token here is known from then on.
static int answer_enter(struct lws *wsi, cairn_web_reply *reply, cairn_web_server *server)
{
    char cookie[160];
    const char *why = entered;
    const unsigned refused = cairn_web_entry_refusal(wsi, server, &why);
    if (refused != 0) { say_refused(wsi, server, refused, "without the token"); }
    header_block block = {.at = block.bytes + LWS_PRE};
    *reply = (cairn_web_reply){.bytes = (const uint8_t *)why, .size_bytes = strlen(why)};
    if (lws_add_http_common_headers(wsi, refused != 0 ? refused : HTTP_STATUS_OK, "text/plain; charset=utf-8",
                                    reply->size_bytes, &block.at, block_end(&block)) ||
        !add_header(wsi, &block, "cache-control:", "no-store")) {
        return -1;
    }
    if (refused == 0 && cairn_web_entry_is_far(wsi, server)) {
        cairn_web_entry_cookie(server, cookie, sizeof cookie);
        if (!add_header(wsi, &block, "set-cookie:", cookie)) { return -1; }
    }
    return send_headers(wsi, &block, true);
}

static int on_request(struct lws *wsi, cairn_web_reply *reply, const char *path)
{
    cairn_web_server *server = cairn_web_server_of(wsi);
    char *uri = NULL;
    int uri_bytes = 0;
    const int method = lws_http_get_uri_and_method(wsi, &uri, &uri_bytes);
    cairn_web_guard_asked(&server->guard, wsi);
    if (!cairn_web_entry_host_fits(wsi, server)) {
        say_refused(wsi, server, HTTP_STATUS_FORBIDDEN, "the page was asked for by another name");
        return answer_text(wsi, reply, HTTP_STATUS_FORBIDDEN, wrong_host);
    }
    if (method != METHOD_GET && method != METHOD_HEAD) {
        (void)lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, NULL);
        return -1; // a body may follow, and nobody wants it
    }
    if (strcmp(path, "/enter") == 0 && method == METHOD_GET) { return answer_enter(wsi, reply, server); }
    const cairn_web_file *file = find_file(&server->def.files, path);
    if (file != NULL) { return answer_file(wsi, reply, file, method == METHOD_HEAD); }
    const bool page_missing = server->def.files.count == 0;
    return page_missing ? answer_text(wsi, reply, HTTP_STATUS_SERVICE_UNAVAILABLE, no_page)
                        : answer_text(wsi, reply, HTTP_STATUS_NOT_FOUND, not_found);
}

static int on_writable(struct lws *wsi, cairn_web_reply *reply)
{
    uint8_t chunk[LWS_PRE + CHUNK_BYTES];
    const size_t left = reply->size_bytes - reply->sent_bytes, count = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    const bool last = count == left;
    if (left == 0) { return 0; }
    memcpy(chunk + LWS_PRE, reply->bytes + reply->sent_bytes, count);
    reply->sent_bytes += count;
    if (lws_write(wsi, chunk + LWS_PRE, count, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)count) {
        return -1;
    }
    if (last) { return lws_http_transaction_completed(wsi) ? -1 : 0; }
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

// The status with which somebody is turned away from the WebSocket; 0: let through.
static unsigned refusal_of(struct lws *wsi, cairn_web_server *server, const char **ret_why)
{
    char path[64], host[256], origin[300], protocols[128];
    cairn_web_header_of(wsi, WSI_TOKEN_GET_URI, path, sizeof path);
    cairn_web_header_of(wsi, WSI_TOKEN_HOST, host, sizeof host);
    cairn_web_header_of(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
    cairn_web_header_of(wsi, WSI_TOKEN_PROTOCOL, protocols, sizeof protocols);
    const cairn_web_peer peer = cairn_web_peer_of_socket(lws_get_socket_fd(wsi));
    *ret_why = "there is no such place";
    if (strcmp(path, "/ws") != 0) { return HTTP_STATUS_NOT_FOUND; }
    if (!cairn_web_entry_host_fits(wsi, server) || !cairn_web_origin_fits(origin, host)) {
        *ret_why = "not from a page of this server";
        return HTTP_STATUS_FORBIDDEN;
    }
    *ret_why = "of another version of the page";
    if (strcmp(protocols, CAIRN_WEB_SUBPROTOCOL) != 0) { return HTTP_STATUS_BAD_REQUEST; }
    const char *words = NULL;
    const unsigned refused = cairn_web_entry_refusal(wsi, server, &words);
    if (refused != 0) {
        *ret_why = "without the token";
        return refused;
    }
    *ret_why = "all places are taken";
    const bool has_place = cairn_web_guard_has_place(&server->guard, &peer, cairn_web_entry_is_far(wsi, server));
    return has_place ? 0 : HTTP_STATUS_SERVICE_UNAVAILABLE;
}

// Less than 0: hang up; more: answered already; 0: go on.
static int on_upgrade(struct lws *wsi, const char *to)
{
    cairn_web_server *server = cairn_web_server_of(wsi);
    const char *why = "";
    if (strcasecmp(to, "websocket") != 0) { return -1; }
    cairn_web_guard_asked(&server->guard, wsi);
    const unsigned status = refusal_of(wsi, server, &why);
    if (status == 0) {
        cairn_web_guard_is_page(&server->guard, wsi, cairn_web_entry_is_far(wsi, server));
        return 0;
    }
    say_refused(wsi, server, status, why);
    return lws_return_http_status(wsi, status, NULL) ? -1 : 1;
}

// Before anything is read: nonzero hangs up.
static int on_knock(cairn_web_server *server, int handle)
{
    const cairn_web_peer peer = cairn_web_peer_of_socket(handle);
    void *leaves = NULL;
    if (!cairn_web_guard_may_come(&server->guard, &peer, &leaves)) { return -1; }
    if (leaves != NULL) { lws_set_timeout(leaves, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC); }
    return 0;
}

static int on_came(cairn_web_server *server, struct lws *wsi)
{
    const cairn_web_peer peer = cairn_web_peer_of_socket(lws_get_socket_fd(wsi));
    return cairn_web_guard_came(&server->guard, wsi, &peer) ? 0 : -1;
}

int cairn_web_on_http(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return on_knock(cairn_web_server_of(wsi), (int)(intptr_t)in);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: return on_came(cairn_web_server_of(wsi), wsi);
    case LWS_CALLBACK_WSI_DESTROY: cairn_web_guard_left(&cairn_web_server_of(wsi)->guard, wsi); return 0;
    case LWS_CALLBACK_HTTP: return on_request(wsi, session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return on_writable(wsi, session);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return on_upgrade(wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; // a WebSocket that asked for no protocol
    default: return lws_callback_http_dummy(wsi, reason, session, in, size);
    }
}
