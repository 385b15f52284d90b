// notify.h - signs of life to whoever started this program: systemd's notification socket, where there is one.
//
// systemd ends and starts again a service with WatchdogSec= whose signs of life stop: so a station that hangs is
// treated as one that has died. Without the socket (NOTIFY_SOCKET) nothing happens.
//
// Threads  One owner.
#pragma once
#include "base/status.h"

typedef struct cairn_notify {
    int socket; // -1: nobody wants to know
} cairn_notify;

void cairn_notify_open(cairn_notify *notify);
void cairn_notify_ready(cairn_notify *notify); // the program does its work from now on
void cairn_notify_alive(cairn_notify *notify); // at least twice in each WatchdogSec
void cairn_notify_close(cairn_notify *notify);
