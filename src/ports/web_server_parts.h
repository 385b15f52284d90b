// web_server_parts.h - what the files of the web server share: private to them. All of it on the server's thread, but
// for `stopping`.
#pragma once
#include "ports/action_box.h"
#include "ports/web_origin.h"
#include "ports/web_server.h"
#include "ports/web_token_io.h"
#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>

#define CAIRN_WEB_SUBPROTOCOL "cairn.1"
#define CAIRN_WEB_WHY_BYTES 512

// A file on its way out.
typedef struct cairn_web_reply {
    const uint8_t *bytes; // borrowed from the files, or static
    size_t size_bytes, sent_bytes;
} cairn_web_reply;

// A page that is connected.
typedef struct cairn_web_client {
    struct lws *wsi;
    char peer[48];    // address that it came from
    uint32_t number;  // of all that ever connected
    cairn_mono since; // by the machine's clock
    uint32_t asked_count;
    cairn_page_cursor cursor;
    char text[CAIRN_OPERATOR_TEXT_BYTES_MAX]; // a message that is still coming
    size_t text_bytes;
    double action_tokens; // how many more it may send now
    cairn_mono tokens_at;
    uint32_t refused_count;
    char why[CAIRN_WEB_WHY_BYTES]; // of the last refusal, not yet sent; empty: none
    bool driving[256];             // robots whose dead man's key it holds down
    bool overriding[256];          // robots of which it holds guards switched off
} cairn_web_client;

struct cairn_web_server {
    cairn_web_server_def def;
    char bind[64], names[CAIRN_WEB_NAMES_BYTES], token[CAIRN_WEB_TOKEN_BYTES]; // token "": nobody needs one
    char address[96], far_address[512];
    cairn_web_guard guard;
    uint16_t port;
    struct lws_context *context;
    struct lws_vhost *vhost;
    pthread_t thread;
    atomic_bool stopping;
    lws_sorted_usec_list_t timer;
    cairn_web_client *clients[CAIRN_WEB_CLIENTS_MAX]; // NULL: free
    uint32_t client_count, ever_count;
    cairn_action_box actions;
    cairn_complaints complaints; // room for one refusal
    uint8_t message[LWS_PRE + CAIRN_PAGE_BYTES_MAX];
};

cairn_web_server *cairn_web_server_of(struct lws *wsi);

cairn_web_peer cairn_web_peer_of_socket(int handle);

// web_entry.c: whom the server knows. Status 0: may come in; else HTTP's, and *ret_why for people.
unsigned cairn_web_entry_refusal(struct lws *wsi, cairn_web_server *server, const char **ret_why);
bool cairn_web_entry_host_fits(struct lws *wsi, const cairn_web_server *server);
// By another machine, or through a proxy that says so.
bool cairn_web_entry_is_far(struct lws *wsi, const cairn_web_server *server);
// The value of the cookie that lets the page in.
void cairn_web_entry_cookie(const cairn_web_server *server, char *ret_text, size_t size);
// The value of a request's header; empty where there is none or it is too long.
void cairn_web_header_of(struct lws *wsi, enum lws_token_indexes token, char *ret_text, int size);

// One for each protocol; session is a cairn_web_reply, and a cairn_web_client.
int cairn_web_on_http(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size);
int cairn_web_on_client(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size);
