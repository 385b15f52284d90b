// web_entry.c - whom the server knows: this machine to itself, and whoever has said the token.
//
// The token comes as `Authorization: Bearer` to /enter, once, and as a cookie from then on. It is in no address that a
// browser sends, so in no log; page scripts cannot read the cookie; other sites cannot make a browser send it.
#include "ports/web_server_parts.h"
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define COOKIE_S 604800 // a week; the browser forgets it then, and asks again
#define COOKIES_BYTES 1024

static const char no_token[] = "This page can drive robots, and wants the token that cairn printed when it was "
                               "started: open that address, or write the token here.\n";
static const char wrong_token[] =
    "This is not the token of this station. It is in the address that cairn printed when it "
    "was started, after token=, and in its token file.\n";
static const char too_many[] = "Too many wrong tokens from this address: wait a minute.\n";

void cairn_web_header_of(struct lws *wsi, enum lws_token_indexes token, char *ret_text, int size)
{
    CAIRN_ASSERT(ret_text != NULL && size > 0);
    if (lws_hdr_copy(wsi, ret_text, size, token) < 0) { ret_text[0] = '\0'; }
}

cairn_web_peer cairn_web_peer_of_socket(int handle)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getpeername(handle, (struct sockaddr *)&address, &size) != 0) { address.ss_family = AF_UNSPEC; }
    return cairn_web_peer_of((const struct sockaddr *)&address);
}

bool cairn_web_entry_host_fits(struct lws *wsi, const cairn_web_server *server)
{
    char host[256];
    const cairn_web_place place = {server->bind, server->port, server->names};
    cairn_web_header_of(wsi, WSI_TOKEN_HOST, host, sizeof host);
    return cairn_web_host_fits(host, &place);
}

// A proxy on this machine comes from here, too; but then the browser has named it by another name.
bool cairn_web_entry_is_far(struct lws *wsi, const cairn_web_server *server)
{
    char host[256];
    const cairn_web_peer peer = cairn_web_peer_of_socket(lws_get_socket_fd(wsi));
    const cairn_web_place here = {server->bind, server->port, ""};
    cairn_web_header_of(wsi, WSI_TOKEN_HOST, host, sizeof host);
    if (!cairn_web_peer_is_loopback(&peer)) { return true; }
    const bool own = cairn_web_is_loopback(server->bind) && cairn_web_host_fits(host, &here);
    return !own && !cairn_web_host_is_local(host, server->port);
}

// In time that does not tell how much of it was right.
static bool is_token(const cairn_web_server *server, const char *said)
{
    char padded[CAIRN_WEB_TOKEN_BYTES] = "";
    if (strlen(said) >= sizeof padded) { return false; }
    memcpy(padded, said, strlen(said));
    return server->token[0] != '\0' && sodium_memcmp(padded, server->token, sizeof padded) == 0;
}

// The value of our cookie; empty where there is none. Browsers do not tell ports apart: its name does.
static void cookie_of(struct lws *wsi, const cairn_web_server *server, char *ret_value, size_t size)
{
    CAIRN_ASSERT(ret_value != NULL && size > 0);
    char all[COOKIES_BYTES], name[32];
    ret_value[0] = '\0';
    (void)snprintf(name, sizeof name, "cairn_%u=", (unsigned)server->port);
    cairn_web_header_of(wsi, WSI_TOKEN_HTTP_COOKIE, all, sizeof all);
    for (const char *at = all; *at != '\0';) {
        at += strspn(at, "; ");
        const size_t length = strcspn(at, ";");
        if (strncmp(at, name, strlen(name)) == 0) {
            (void)snprintf(ret_value, size, "%.*s", (int)(length - strlen(name)), at + strlen(name));
            return;
        }
        at += length;
    }
}

void cairn_web_entry_cookie(const cairn_web_server *server, char *ret_text, size_t size)
{
    CAIRN_ASSERT(server->token[0] != '\0');
    const int used = snprintf(ret_text, size, "cairn_%u=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict",
                              (unsigned)server->port, server->token, COOKIE_S);
    CAIRN_ASSERT(used > 0 && (size_t)used < size);
}

unsigned cairn_web_entry_refusal(struct lws *wsi, cairn_web_server *server, const char **ret_why)
{
    CAIRN_ASSERT(server != NULL && ret_why != NULL);
    static const char bearer[] = "Bearer ";
    char said[256], cookie[2 * CAIRN_WEB_TOKEN_BYTES];
    if (!cairn_web_entry_is_far(wsi, server)) { return 0; }
    const cairn_web_peer peer = cairn_web_peer_of_socket(lws_get_socket_fd(wsi));
    const cairn_mono now = cairn_mono_now();
    cairn_web_header_of(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, said, sizeof said);
    cookie_of(wsi, server, cookie, sizeof cookie);
    const bool bears = strncmp(said, bearer, strlen(bearer)) == 0;
    const char *before = *ret_why;
    *ret_why = no_token;
    if (!bears && cookie[0] == '\0') { return HTTP_STATUS_UNAUTHORIZED; }
    *ret_why = too_many;
    if (!cairn_web_guard_may_guess(&server->guard, &peer, now)) { return 429; }
    if (is_token(server, bears ? said + strlen(bearer) : cookie)) {
        *ret_why = before;
        return 0;
    }
    cairn_web_guard_guessed_wrong(&server->guard, &peer, now);
    *ret_why = wrong_token;
    return HTTP_STATUS_UNAUTHORIZED;
}
