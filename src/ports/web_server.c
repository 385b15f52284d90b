// web_server.c - the thread, the event loop and the socket of the web server.
#include "ports/quiet_thread.h"
#include "ports/web_server_parts.h"
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// [us] How often clients are asked whether they can take news; half of the page's period, so that none waits long.
#define LOOK_US 50000
#define HANDSHAKE_S 5      // to say what it wants
#define KEEP_ALIVE_S 15    // an idle connection for files
#define PING_S 3           // a client that is silent so long is asked whether it is there
#define HANG_UP_S 8        // and after so long it is not
#define SERVICE_BYTES 4096 // what is read, and compressed, at once
#define COMPRESSION "permessage-deflate; client_no_context_takeover; client_max_window_bits"

// What browsers must not do with the page, in every answer. The page needs nothing from elsewhere.
static const struct lws_protocol_vhost_options security_headers[] = {
    {&security_headers[1], NULL, "content-security-policy:",
     "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {&security_headers[2], NULL, "x-content-type-options:", "nosniff"},
    {&security_headers[3], NULL, "x-frame-options:", "DENY"},
    {&security_headers[4], NULL, "referrer-policy:", "no-referrer"},
    {&security_headers[5], NULL, "cross-origin-opener-policy:", "same-origin"},
    {NULL, NULL, "cross-origin-resource-policy:", "same-origin"},
};

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = cairn_web_on_http, .per_session_data_size = sizeof(cairn_web_reply)},
    {.name = CAIRN_WEB_SUBPROTOCOL,
     .callback = cairn_web_on_client,
     .per_session_data_size = sizeof(cairn_web_client),
     .rx_buffer_size = CAIRN_OPERATOR_TEXT_BYTES_MAX},
    {0},
};

static const struct lws_extension extensions[] = {
    {"permessage-deflate", lws_extension_callback_pm_deflate, COMPRESSION},
    {0},
};

static const lws_retry_bo_t patience = {.secs_since_valid_ping = PING_S, .secs_since_valid_hangup = HANG_UP_S};

cairn_web_server *cairn_web_server_of(struct lws *wsi) { return lws_context_user(lws_get_context(wsi)); }

// The address as numbers; false if it is none.
static bool read_address(const char *bind, uint16_t port, struct sockaddr_storage *ret_address, socklen_t *ret_size)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (inet_pton(AF_INET, bind, &v4.sin_addr) == 1) {
        *ret_size = sizeof v4;
        memcpy(ret_address, &v4, sizeof v4);
        return true;
    }
    *ret_size = sizeof v6;
    memcpy(ret_address, &v6, sizeof v6);
    if (inet_pton(AF_INET6, bind, &((struct sockaddr_in6 *)ret_address)->sin6_addr) != 1) { return false; }
    return true;
}

static int try_bind(const struct sockaddr_storage *address, socklen_t size)
{
    const int yes = 1, handle = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) { return errno; }
    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const int failed = bind(handle, (const struct sockaddr *)address, size) != 0 ? errno : 0;
    close(handle);
    return failed;
}

// The library says only that it could not listen; a person wants to know why.
static cairn_err check_address(const cairn_web_server_def *def, cairn_complaints *complaints)
{
    struct sockaddr_storage address = {0};
    socklen_t size = 0;
    if (!read_address(def->bind, def->port, &address, &size)) {
        cairn_complain(complaints, NULL, 0, "'%s' is no address; expected numbers, like 127.0.0.1 or 0.0.0.0",
                       def->bind);
        return CAIRN_ERR_INVALID;
    }
    if (def->names != NULL && !cairn_web_names_fit(def->names)) {
        cairn_complain(complaints, NULL, 0,
                       "'%s' are no names of this machine; expected letters, digits, '-' and '.', blanks between "
                       "names, like station.local camp.example",
                       def->names);
        return CAIRN_ERR_INVALID;
    }
    const int failed = try_bind(&address, size);
    if (failed == 0) { return CAIRN_OK; }
    const char *what_to_do = failed == EADDRINUSE      ? "choose another with --port, or 0 for any that is free"
                             : failed == EACCES        ? "choose a port from 1024 on with --port"
                             : failed == EADDRNOTAVAIL ? "this machine does not have that address: see --bind"
                                                       : "choose another with --bind and --port";
    cairn_complain(complaints, NULL, 0, "cannot serve the page at %s port %u: %s; %s", def->bind, (unsigned)def->port,
                   failed == EADDRINUSE ? "another program serves there" : strerror(failed), what_to_do);
    return CAIRN_ERR_IO;
}

static void on_timer(lws_sorted_usec_list_t *timer)
{
    cairn_web_server *server = lws_container_of(timer, cairn_web_server, timer);
    (void)cairn_action_box_put_waiting(&server->actions);
    for (uint32_t i = 0; i < CAIRN_WEB_CLIENTS_MAX; i++) {
        if (server->clients[i] != NULL) { (void)lws_callback_on_writable(server->clients[i]->wsi); }
    }
    lws_sul_schedule(server->context, 0, &server->timer, on_timer, LOOK_US);
}

static void *serve(void *context)
{
    cairn_web_server *server = context;
    while (!atomic_load(&server->stopping) && lws_service(server->context, 0) >= 0) {}
    return NULL;
}

static bool listen_there(cairn_web_server *server)
{
    lws_set_log_level(0, NULL); // what matters is returned, and said in our own words
    const struct lws_context_creation_info info = {
        .port = server->def.port,
        .iface = server->bind,
        .protocols = protocols,
        .extensions = extensions,
        .headers = &security_headers[0],
        .vhost_name = "page",
        .server_string = "cairn",
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (strchr(server->bind, ':') == NULL ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0),
        .fd_limit_per_thread = CAIRN_WEB_KEPT_SOCKETS_MAX,
        .pt_serv_buf_size = SERVICE_BYTES,
        .timeout_secs = HANDSHAKE_S,
        .keepalive_timeout = KEEP_ALIVE_S,
        .retry_and_idle_policy = &patience,
        .uid = -1,
        .gid = -1,
        .user = server,
    };
    server->context = lws_create_context(&info);
    if (server->context == NULL) { return false; }
    server->vhost = lws_create_vhost(server->context, &info);
    if (server->vhost == NULL) { return false; }
    server->port = (uint16_t)lws_get_vhost_listen_port(server->vhost);
    return server->port != 0;
}

static bool is_any(const char *bind) { return strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0; }

// How other machines name this one: by the first name that it was told, or the first address that it has.
static void name_for_others(const cairn_web_server *server, char *ret_name, size_t size)
{
    (void)snprintf(ret_name, size, "THIS-MACHINE");
    if (server->names[0] != '\0') {
        const char *first = server->names + strspn(server->names, " ");
        (void)snprintf(ret_name, size, "%.*s", (int)strcspn(first, " "), first);
        return;
    }
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) { return; }
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
        const bool fits = at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET && (at->ifa_flags & IFF_UP) != 0 &&
                          (at->ifa_flags & IFF_LOOPBACK) == 0;
        if (!fits) { continue; }
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)at->ifa_addr)->sin_addr, ret_name, (socklen_t)size);
        break;
    }
    freeifaddrs(all);
}

static void write_address(cairn_web_server *server)
{
    const bool v6 = strchr(server->bind, ':') != NULL, any = is_any(server->bind);
    char name[CAIRN_WEB_NAMES_BYTES];
    (void)snprintf(server->address, sizeof server->address, "http://%s%s%s:%u/", v6 && !any ? "[" : "",
                   any ? "localhost" : server->bind, v6 && !any ? "]" : "", (unsigned)server->port);
    if (server->token[0] == '\0') { return; }
    if (!any && !cairn_web_is_loopback(server->bind) && server->names[0] == '\0') {
        (void)snprintf(server->far_address, sizeof server->far_address, "%s#token=%s", server->address, server->token);
        return;
    }
    name_for_others(server, name, sizeof name);
    (void)snprintf(server->far_address, sizeof server->far_address, "http://%s:%u/#token=%s", name,
                   (unsigned)server->port, server->token);
}

static void give_back(cairn_web_server *server)
{
    if (server->context != NULL) { lws_context_destroy(server->context); }
    sodium_memzero(server->token, sizeof server->token);
    free(server);
}

static void copy_def(cairn_web_server *server, const cairn_web_server_def *def)
{
    server->def = *def;
    server->actions.operators = def->operators;
    (void)snprintf(server->bind, sizeof server->bind, "%s", def->bind);
    (void)snprintf(server->names, sizeof server->names, "%s", def->names != NULL ? def->names : "");
    if (cairn_web_server_wants_token(server->bind, server->names)) {
        CAIRN_ASSERT(def->token != NULL && cairn_web_token_fits(def->token));
        (void)snprintf(server->token, sizeof server->token, "%s", def->token);
    }
    server->def.bind = server->bind;
    server->def.names = server->names;
    server->def.token = server->token;
}

cairn_err cairn_web_server_create(const cairn_web_server_def *def, cairn_complaints *complaints,
                                  cairn_web_server **ret_server)
{
    CAIRN_ASSERT(def->bind != NULL && def->page != NULL && def->operators != NULL);
    const cairn_err err = check_address(def, complaints);
    if (err != CAIRN_OK) { return err; }
    cairn_web_server *server = calloc(1, sizeof *server);
    if (server == NULL) { return CAIRN_ERR_FULL; }
    copy_def(server, def);
    bool serving = listen_there(server);
    if (serving) {
        write_address(server);
        lws_sul_schedule(server->context, 0, &server->timer, on_timer, LOOK_US);
        serving = cairn_quiet_thread_start(&server->thread, serve, server, "web server");
    }
    if (!serving) {
        give_back(server);
        cairn_complain(complaints, NULL, 0, "cannot serve the page at %s port %u; choose another with --port",
                       def->bind, (unsigned)def->port);
        return CAIRN_ERR_IO;
    }
    *ret_server = server;
    return CAIRN_OK;
}

void cairn_web_server_destroy(cairn_web_server *server)
{
    if (server == NULL) { return; }
    atomic_store(&server->stopping, true);
    lws_cancel_service(server->context);
    const int failed = pthread_join(server->thread, NULL);
    CAIRN_ASSERT(!failed);
    give_back(server); // closes who is still connected; whoever drives lets go
}

uint16_t cairn_web_server_port(const cairn_web_server *server) { return server->port; }

const char *cairn_web_server_address(const cairn_web_server *server) { return server->address; }

const char *cairn_web_server_far_address(const cairn_web_server *server) { return server->far_address; }
