// web_clients.c - the pages that are connected: what changed goes to each as fast as it reads, actions come from each.
#include "messages/json.h"
#include "ports/web_server_parts.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// [bytes] So much may wait in the kernel for a slow client: more, and what it is shown is old before it arrives.
#define UNSENT_BYTES_MAX 16384

// Who it is, and what it did: for whoever asks later who moved a robot.
static void say(const cairn_web_server *server, const cairn_web_client *client, cairn_log_level level,
                const char *format, ...) CAIRN_PRINTF(4, 5);
static void say(const cairn_web_server *server, const cairn_web_client *client, cairn_log_level level,
                const char *format, ...)
{
    char what[CAIRN_WEB_WHY_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(what, sizeof what, format, values);
    va_end(values);
    cairn_events_make_readable(what); // it may hold words from outside
    cairn_log_line(&server->def.log, cairn_page_now(server->def.page), level, "page %u (%s) %s", client->number,
                   client->peer, what);
}

// Whether the client holds this key of this robot; NULL: the action is no key.
static bool *held_key(cairn_web_client *client, const cairn_operator_action *action)
{
    if (action->verb == CAIRN_DO_DRIVE) { return &client->driving[action->robot]; }
    return action->verb == CAIRN_DO_OVERRIDE ? &client->overriding[action->robot] : NULL;
}

static bool holds(const cairn_operator_action *action)
{
    return action->verb == CAIRN_DO_DRIVE ? action->dead_man : action->guards != 0;
}

// Keys that are held come twenty times a second: only that somebody takes one, and lets it go.
static void say_asked(const cairn_web_server *server, cairn_web_client *client, const cairn_operator_action *action)
{
    char whom[24] = "all robots";
    if (action->robot != CAIRN_ALL_ROBOTS) { (void)snprintf(whom, sizeof whom, "robot %u", action->robot); }
    const bool *held = held_key(client, action);
    if (held != NULL && holds(action) == *held) { return; }
    client->asked_count++;
    const char *verb = cairn_operator_verb_name(action->verb);
    switch (action->verb) {
    case CAIRN_DO_MODE:
        say(server, client, CAIRN_LOG_INFO, "asks of %s: %s %s", whom, verb, cairn_mode_name((cairn_mode)action->mode));
        break;
    case CAIRN_DO_GO:
        say(server, client, CAIRN_LOG_INFO, "asks of %s: %s to (%.1f, %.1f)", whom, verb, action->to_m.x,
            action->to_m.y);
        break;
    case CAIRN_DO_DRIVE:
        say(server, client, CAIRN_LOG_INFO, "%s %s", action->dead_man ? "begins to drive" : "lets go of", whom);
        break;
    case CAIRN_DO_OVERRIDE:
        say(server, client, CAIRN_LOG_INFO, "%s guards of %s", holds(action) ? "overrides" : "no longer overrides",
            whom);
        break;
    default: say(server, client, CAIRN_LOG_INFO, "asks of %s: %s", whom, verb); break;
    }
}

static int on_connected(cairn_web_server *server, cairn_web_client *client, struct lws *wsi)
{
    const int unsent_bytes = UNSENT_BYTES_MAX;
    *client =
        (cairn_web_client){.wsi = wsi, .action_tokens = CAIRN_WEB_ACTIONS_PER_S_MAX, .tokens_at = cairn_mono_now()};
    uint32_t slot = 0;
    while (slot < CAIRN_WEB_CLIENTS_MAX && server->clients[slot] != NULL) { slot++; }
    if (slot == CAIRN_WEB_CLIENTS_MAX) { return -1; } // several came at once, each to the last free place
    server->clients[slot] = client;
    server->client_count++;
    client->number = ++server->ever_count;
    client->since = cairn_mono_now();
    (void)lws_get_peer_simple(wsi, client->peer, sizeof client->peer);
    (void)setsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
    say(server, client, CAIRN_LOG_INFO, "connected, %u are", server->client_count);
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

// Nobody holds the key any more, whatever became of the page.
static void let_go(cairn_web_server *server, cairn_web_client *client)
{
    static const cairn_operator_verb keys[] = {CAIRN_DO_DRIVE, CAIRN_DO_OVERRIDE};
    for (uint32_t i = 0; i < 2 * 256u; i++) {
        const cairn_operator_action action = {
            .verb = keys[i % 2], .robot = (uint8_t)(i / 2), .shown = cairn_page_now(server->def.page)};
        if (!*held_key(client, &action)) { continue; }
        const cairn_err err = cairn_action_box_put(&server->actions, &action);
        say(server, client, CAIRN_LOG_WARN, "left while %s robot %u%s",
            action.verb == CAIRN_DO_DRIVE ? "driving" : "overriding guards of", action.robot,
            err == CAIRN_OK ? "" : ", and the station's inbox is full");
    }
}

static void on_closed(cairn_web_server *server, cairn_web_client *client)
{
    uint32_t slot = 0;
    while (slot < CAIRN_WEB_CLIENTS_MAX && server->clients[slot] != client) { slot++; }
    if (slot == CAIRN_WEB_CLIENTS_MAX) { return; } // was never taken
    let_go(server, client);
    server->clients[slot] = NULL;
    server->client_count--;
    say(server, client, CAIRN_LOG_INFO, "left after %.0f s: asked %u times, refused %u times; %u are connected",
        cairn_seconds(cairn_mono_since(cairn_mono_now(), client->since)), client->asked_count, client->refused_count,
        server->client_count);
}

static int send_message(cairn_web_server *server, struct lws *wsi, size_t size, bool is_binary)
{
    const int sent = lws_write(wsi, server->message + LWS_PRE, size, is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    if (sent < (int)size) { return -1; } // lws keeps what the socket did not take: less is the end of the connection
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int send_refusal(cairn_web_server *server, cairn_web_client *client)
{
    cairn_json json = {.text = (char *)server->message + LWS_PRE, .max = CAIRN_PAGE_BYTES_MAX};
    cairn_json_raw(&json, "{\"type\":\"refused\",\"why\":");
    cairn_json_string(&json, client->why, strlen(client->why));
    cairn_json_raw(&json, "}");
    CAIRN_ASSERT(!json.full);
    client->why[0] = '\0';
    return send_message(server, client->wsi, json.used, false);
}

static int on_writable(cairn_web_server *server, cairn_web_client *client)
{
    size_t size = 0;
    bool is_binary = false;
    if (client->why[0] != '\0') { return send_refusal(server, client); }
    const cairn_err err = cairn_page_next(server->def.page, &client->cursor, server->message + LWS_PRE,
                                          CAIRN_PAGE_BYTES_MAX, &size, &is_binary);
    if (err != CAIRN_OK) { return 0; } // has had everything: the timer asks again
    return send_message(server, client->wsi, size, is_binary);
}

// The first line of the reason is enough.
static void refuse(const cairn_web_server *server, cairn_web_client *client, const char *why)
{
    size_t length = strcspn(why, "\n");
    if (length >= sizeof client->why) { length = sizeof client->why - 1; }
    memcpy(client->why, why, length);
    client->why[length] = '\0';
    client->refused_count++;
    say(server, client, CAIRN_LOG_WARN, "was refused: %s", client->why);
    (void)lws_callback_on_writable(client->wsi);
}

// What makes a robot stand still is never too much.
static bool may_act(cairn_web_client *client, const cairn_operator_action *action)
{
    const cairn_mono now = cairn_mono_now();
    client->action_tokens += cairn_seconds(cairn_mono_since(now, client->tokens_at)) * CAIRN_WEB_ACTIONS_PER_S_MAX;
    client->tokens_at = now;
    if (client->action_tokens > CAIRN_WEB_ACTIONS_PER_S_MAX) { client->action_tokens = CAIRN_WEB_ACTIONS_PER_S_MAX; }
    const bool *held = held_key(client, action);
    const bool lets_go = held != NULL && *held && !holds(action);
    if (action->verb == CAIRN_DO_STOP || lets_go) { return true; }
    if (client->action_tokens < 1) { return false; }
    client->action_tokens--;
    return true;
}

static void on_text(cairn_web_server *server, cairn_web_client *client)
{
    cairn_operator_action action;
    server->complaints = (cairn_complaints){0};
    if (cairn_operator_parse(client->text, client->text_bytes, &server->complaints, &action) != CAIRN_OK) {
        refuse(server, client, server->complaints.text);
        return;
    }
    if (!may_act(client, &action)) {
        refuse(server, client, "too many actions a second");
        return;
    }
    say_asked(server, client, &action);
    bool *held = held_key(client, &action);
    if (held != NULL) { *held = holds(&action); }
    if (cairn_action_box_put(&server->actions, &action) != CAIRN_OK) {
        refuse(server, client, "the station is behind with what it was asked");
    }
}

static int close_for(struct lws *wsi, enum lws_close_status status)
{
    lws_close_reason(wsi, status, NULL, 0);
    return -1;
}

static int on_bytes(cairn_web_server *server, cairn_web_client *client, const char *bytes, size_t size)
{
    if (lws_frame_is_binary(client->wsi)) { return close_for(client->wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE); }
    if (lws_is_first_fragment(client->wsi)) { client->text_bytes = 0; }
    if (size > sizeof client->text - client->text_bytes) {
        return close_for(client->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    if (size > 0) { memcpy(client->text + client->text_bytes, bytes, size); }
    client->text_bytes += size;
    if (lws_is_final_fragment(client->wsi)) { on_text(server, client); }
    return 0;
}

int cairn_web_on_client(struct lws *wsi, enum lws_callback_reasons reason, void *session, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: return on_connected(cairn_web_server_of(wsi), session, wsi);
    case LWS_CALLBACK_CLOSED: on_closed(cairn_web_server_of(wsi), session); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return on_writable(cairn_web_server_of(wsi), session);
    case LWS_CALLBACK_RECEIVE: return on_bytes(cairn_web_server_of(wsi), session, in, size);
    default: return 0;
    }
}
