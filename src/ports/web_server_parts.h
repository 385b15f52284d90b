// web_server_parts.h - what the files of the web server share: private to them. All of it on the server's thread, but
// for `stopping`.
#pragma once
#include "ports/action_box.h"
#include "ports/web_server.h"
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
    cairn_page_cursor cursor;
    char text[CAIRN_OPERATOR_TEXT_BYTES_MAX]; // a message that is still coming
    size_t text_bytes;
    double action_tokens; // how many more it may send now
    cairn_mono tokens_at;
    uint32_t refused_count;
    char why[CAIRN_WEB_WHY_BYTES]; // of the last refusal, not yet sent; empty: none
    bool driving[256];             // robots whose dead man's key it holds down
} cairn_web_client;

struct cairn_web_server {
    cairn_web_server_def def;
    char bind[64], address[96];
    uint16_t port;
    struct lws_context *context;
    struct lws_vhost *vhost;
    pthread_t thread;
    atomic_bool stopping;
    lws_sorted_usec_list_t timer;
    cairn_web_client *clients[CAIRN_WEB_CLIENTS_MAX]; // NULL: free
    uint32_t client_count;
    cairn_action_box actions;
    cairn_complaints complaints; // room for one refusal
    uint8_t message[LWS_PRE + CAIRN_PAGE_BYTES_MAX];
};

cairn_web_server *cairn_web_server_of(struct lws *wsi);

// One for each protocol; session is a cairn_web_reply, and a cairn_web_client.
int cairn_web_on_http(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size);
int cairn_web_on_client(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size);
