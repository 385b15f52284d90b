// lock.h - a lock between threads of different priorities: who holds it is lifted to that of whoever waits for it.
//
// Never towards the motors: those have cells.
#pragma once
#include "base/status.h"
#include <pthread.h>

typedef struct cairn_lock {
    pthread_mutex_t mutex;
} cairn_lock;

CAIRN_CHECKED cairn_err cairn_lock_init(cairn_lock *lock); // CAIRN_ERR_FULL: the system has none left
void cairn_lock_finish(cairn_lock *lock);
void cairn_lock_take(cairn_lock *lock);
void cairn_lock_give(cairn_lock *lock);
