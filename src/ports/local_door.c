// local_door.c - the thread behind the socket: lines in are actions, lines out are what the page would be told.
#include "ports/local_door.h"
#include "ports/action_box.h"
#include "ports/quiet_thread.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LOOK_MS 50       // how often clients get news
#define READS_MAX 8      // of a client at once
#define MESSAGES_MAX 256 // for a client at once

typedef struct door_client {
    int handle;     // -1: free
    uint64_t since; // order of coming
    cairn_page_cursor cursor;
    char line[CAIRN_OPERATOR_TEXT_BYTES_MAX];
    size_t line_bytes;
    uint8_t out[CAIRN_PAGE_BYTES_MAX + 1]; // a message on its way, with its end of line
    size_t out_bytes, out_sent;
} door_client;

struct cairn_local_door {
    cairn_local_door_def def;
    char path[CAIRN_LOCAL_DOOR_PATH_BYTES];
    int listener;
    pthread_t thread;
    atomic_bool stopping;
    cairn_action_box actions;
    uint64_t came_count;
    door_client clients[CAIRN_LOCAL_DOOR_CLIENTS_MAX];
    cairn_complaints complaints; // room for one refusal
};

static void hang_up(door_client *client)
{
    CAIRN_ASSERT(client->handle >= 0);
    close(client->handle);
    client->handle = -1;
}

// Whoever came first goes: a stop that comes now matters more than one who has stood here for long.
static void let_in(cairn_local_door *door)
{
    const int handle = accept4(door->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (handle < 0) { return; }
    door_client *place = &door->clients[0];
    for (uint32_t i = 0; i < CAIRN_LOCAL_DOOR_CLIENTS_MAX && place->handle >= 0; i++) {
        if (door->clients[i].handle < 0 || door->clients[i].since < place->since) { place = &door->clients[i]; }
    }
    if (place->handle >= 0) { hang_up(place); }
    *place = (door_client){.handle = handle, .since = ++door->came_count};
}

// What cannot be done is answered as the page is.
static void refuse(door_client *client, const char *why)
{
    const int used = snprintf((char *)client->out, sizeof client->out, "{\"type\":\"refused\",\"why\":\"%s\"}\n", why);
    CAIRN_ASSERT(used > 0 && (size_t)used < sizeof client->out);
    if (client->out_sent == client->out_bytes) {
        client->out_bytes = (size_t)used;
        client->out_sent = 0;
    }
}

static void act(cairn_local_door *door, door_client *client)
{
    CAIRN_ASSERT(client->line_bytes <= sizeof client->line);
    cairn_operator_action action;
    door->complaints = (cairn_complaints){0};
    const cairn_err err = cairn_operator_parse(client->line, client->line_bytes, &door->complaints, &action);
    if (err != CAIRN_OK || (action.verb != CAIRN_DO_STOP && action.verb != CAIRN_DO_RELEASE)) {
        refuse(client, "only stop and release are taken here");
        return;
    }
    if (cairn_action_box_put(&door->actions, &action) != CAIRN_OK) {
        refuse(client, "the station is behind with what it was asked");
        return;
    }
    cairn_log_line(&door->def.log, cairn_page_now(door->def.page), CAIRN_LOG_WARN, "%s of %s%.0u by the command line",
                   cairn_operator_verb_name(action.verb), action.robot == CAIRN_ALL_ROBOTS ? "all" : "robot ",
                   action.robot);
}

static void hear(cairn_local_door *door, door_client *client)
{
    char bytes[CAIRN_OPERATOR_TEXT_BYTES_MAX];
    for (int i = 0; i < READS_MAX && client->handle >= 0; i++) {
        const ssize_t size = recv(client->handle, bytes, sizeof bytes, 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) { return; }
        if (size <= 0) { hang_up(client); }
        for (ssize_t k = 0; k < size && client->handle >= 0; k++) {
            if (bytes[k] == '\n') {
                act(door, client);
                client->line_bytes = 0;
            } else if (client->line_bytes == sizeof client->line) {
                hang_up(client);
            } else {
                client->line[client->line_bytes++] = bytes[k];
            }
        }
    }
}

// The next text for this client, if there is one; the map's tiles are not for command lines.
static bool next_message(cairn_local_door *door, door_client *client)
{
    for (int i = 0; i < MESSAGES_MAX; i++) {
        size_t size = 0;
        bool is_binary = false;
        if (cairn_page_next(door->def.page, &client->cursor, client->out, CAIRN_PAGE_BYTES_MAX, &size, &is_binary) !=
            CAIRN_OK) {
            return false;
        }
        if (is_binary) { continue; }
        client->out[size] = '\n';
        client->out_bytes = size + 1;
        client->out_sent = 0;
        return true;
    }
    return false;
}

static void tell(cairn_local_door *door, door_client *client)
{
    CAIRN_ASSERT(client->handle >= 0 && client->out_sent <= client->out_bytes);
    for (int i = 0; i < MESSAGES_MAX; i++) {
        if (client->out_sent == client->out_bytes && !next_message(door, client)) { return; }
        const ssize_t sent = send(client->handle, client->out + client->out_sent, client->out_bytes - client->out_sent,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) { hang_up(client); }
        if (sent <= 0) { return; }
        client->out_sent += (size_t)sent;
    }
}

static void *serve(void *context)
{
    cairn_local_door *door = context;
    while (!atomic_load(&door->stopping)) {
        struct pollfd waits[1 + CAIRN_LOCAL_DOOR_CLIENTS_MAX] = {{.fd = door->listener, .events = POLLIN}};
        for (uint32_t i = 0; i < CAIRN_LOCAL_DOOR_CLIENTS_MAX; i++) {
            waits[1 + i] = (struct pollfd){.fd = door->clients[i].handle, .events = POLLIN};
        }
        (void)poll(waits, 1 + CAIRN_LOCAL_DOOR_CLIENTS_MAX, LOOK_MS);
        (void)cairn_action_box_put_waiting(&door->actions);
        if ((waits[0].revents & POLLIN) != 0) { let_in(door); }
        for (uint32_t i = 0; i < CAIRN_LOCAL_DOOR_CLIENTS_MAX; i++) {
            door_client *client = &door->clients[i];
            if (client->handle >= 0) { hear(door, client); }
            if (client->handle >= 0) { tell(door, client); }
        }
    }
    return NULL;
}

// Doors of stations that were killed are left behind: nobody answers there.
static void sweep(const char *own_path)
{
    CAIRN_ASSERT(strrchr(own_path, '/') != NULL);
    char paths[CAIRN_LOCAL_DOORS_MAX][CAIRN_LOCAL_DOOR_PATH_BYTES];
    const size_t folder_bytes = (size_t)(strrchr(own_path, '/') - own_path) + 1;
    const size_t count = cairn_local_doors_find(paths);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(paths[i], own_path, folder_bytes) != 0) { continue; }
        const int handle = cairn_local_door_open(paths[i]);
        if (handle >= 0) {
            close(handle);
        } else if (errno == ECONNREFUSED) {
            (void)unlink(paths[i]);
        }
    }
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CAIRN_ASSERT(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    const int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) { return -1; }
    (void)unlink(path); // of an earlier process with our number
    if (bind(handle, (const struct sockaddr *)&address, sizeof address) == 0 && chmod(path, 0666) == 0 &&
        listen(handle, 16) == 0) {
        return handle;
    }
    const int why = errno;
    close(handle);
    errno = why;
    return -1;
}

cairn_err cairn_local_door_create(const cairn_local_door_def *def, cairn_complaints *complaints,
                                  cairn_local_door **ret_door)
{
    CAIRN_ASSERT(complaints != NULL && ret_door != NULL);
    CAIRN_ASSERT(def->page != NULL && def->operators != NULL);
    cairn_local_door *door = calloc(1, sizeof *door);
    if (door == NULL) { return CAIRN_ERR_FULL; }
    door->def = *def;
    door->actions.operators = def->operators;
    for (uint32_t i = 0; i < CAIRN_LOCAL_DOOR_CLIENTS_MAX; i++) { door->clients[i].handle = -1; }
    cairn_err err = cairn_local_door_place(complaints, door->path);
    if (err == CAIRN_OK) {
        sweep(door->path);
        door->listener = listen_at(door->path);
        if (door->listener < 0 || !cairn_quiet_thread_start(&door->thread, serve, door, "local door")) {
            cairn_complain(complaints, door->path, 0, "cannot listen here: %s", strerror(errno));
            if (door->listener >= 0) { close(door->listener); }
            err = CAIRN_ERR_IO;
        }
    }
    if (err != CAIRN_OK) {
        free(door);
        return err;
    }
    *ret_door = door;
    return CAIRN_OK;
}

void cairn_local_door_destroy(cairn_local_door *door)
{
    if (door == NULL) { return; }
    atomic_store(&door->stopping, true);
    const int failed = pthread_join(door->thread, NULL);
    CAIRN_ASSERT(!failed);
    (void)unlink(door->path);
    close(door->listener);
    for (uint32_t i = 0; i < CAIRN_LOCAL_DOOR_CLIENTS_MAX; i++) {
        if (door->clients[i].handle >= 0) { hang_up(&door->clients[i]); }
    }
    free(door);
}

const char *cairn_local_door_path(const cairn_local_door *door) { return door->path; }
