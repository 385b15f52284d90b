#include "ports/notify.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void cairn_notify_open(cairn_notify *notify)
{
    notify->socket = -1;
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof to.sun_path) { return; }
    memcpy(to.sun_path, path, strlen(path));
    if (path[0] == '@') { to.sun_path[0] = '\0'; } // a name that is not in the file system
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    notify->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (notify->socket >= 0 && connect(notify->socket, (const struct sockaddr *)&to, size) != 0) {
        cairn_notify_close(notify);
    }
}

static void tell(const cairn_notify *notify, const char *text)
{
    if (notify->socket >= 0) { (void)!send(notify->socket, text, strlen(text), MSG_NOSIGNAL); } // the next one will do
}

void cairn_notify_ready(cairn_notify *notify) { tell(notify, "READY=1"); }
void cairn_notify_alive(cairn_notify *notify) { tell(notify, "WATCHDOG=1"); }

void cairn_notify_close(cairn_notify *notify)
{
    if (notify->socket >= 0) { close(notify->socket); }
    notify->socket = -1;
}
