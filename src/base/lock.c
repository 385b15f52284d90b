#include "base/lock.h"

cairn_err cairn_lock_init(cairn_lock *lock)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) { return CAIRN_ERR_FULL; }
    const bool made = pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0 &&
                      pthread_mutex_init(&lock->mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made ? CAIRN_OK : CAIRN_ERR_FULL;
}

void cairn_lock_finish(cairn_lock *lock) { (void)!pthread_mutex_destroy(&lock->mutex); }

void cairn_lock_take(cairn_lock *lock)
{
    const int failed = pthread_mutex_lock(&lock->mutex);
    CAIRN_ASSERT(!failed);
}

void cairn_lock_give(cairn_lock *lock)
{
    const int failed = pthread_mutex_unlock(&lock->mutex);
    CAIRN_ASSERT(!failed);
}
