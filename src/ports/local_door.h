// local_door.h - a way to stop robots from this machine's command line, without a browser: a Unix socket.
//
// It takes the page's `stop` and `release`, and tells what the page is told, one JSON text a line (docs/page.md). It
// has a thread and places of its own: it is there when all places of the page are taken, and in builds without a page.
// Whoever may open the socket may stop and release: in /run/cairn every user of this machine, as with the page on
// 127.0.0.1; elsewhere the station's own user, and root.
//
// Memory   The heap, about 200 kB.
// Threads  One of its own, from create to destroy.
#pragma once
#include "base/inbox.h"
#include "base/log.h"
#include "station/page/page.h"

#define CAIRN_LOCAL_DOOR_CLIENTS_MAX 4 // one more: who came first goes
#define CAIRN_LOCAL_DOOR_PATH_BYTES 108
#define CAIRN_LOCAL_DOORS_MAX 32 // of one machine that are found

typedef struct cairn_local_door_def {
    cairn_page *page;       // borrowed
    cairn_inbox *operators; // borrowed
    cairn_log log;          // lines come from the door's thread
} cairn_local_door_def;

typedef struct cairn_local_door cairn_local_door;

// Opens one in $CAIRN_RUN, else the first of /run/cairn, $XDG_RUNTIME_DIR/cairn and /tmp/cairn-UID that can be had.
// CAIRN_ERR_IO when none can: *complaints says why.
CAIRN_CHECKED cairn_err cairn_local_door_create(const cairn_local_door_def *def, cairn_complaints *complaints,
                                                cairn_local_door **ret_door);
void cairn_local_door_destroy(cairn_local_door *door); // accepts NULL
const char *cairn_local_door_path(const cairn_local_door *door);

// Makes the folder for a door of this process, and writes the path that it should have.
CAIRN_CHECKED cairn_err cairn_local_door_place(cairn_complaints *complaints,
                                               char ret_path[static CAIRN_LOCAL_DOOR_PATH_BYTES]);
// All doors of this machine that this user can see, also such that nobody is behind any longer: in $CAIRN_RUN alone if
// it is set, else in all the folders above, of all users. Returns how many.
size_t cairn_local_doors_find(char ret_paths[static CAIRN_LOCAL_DOORS_MAX][CAIRN_LOCAL_DOOR_PATH_BYTES]);
// The socket behind a door; -1: nobody is there, or not for this user (errno).
int cairn_local_door_open(const char *path);
