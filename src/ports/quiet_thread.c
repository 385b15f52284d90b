// A thread takes over its maker's mask of signals: all are blocked while it is made.
#include "ports/quiet_thread.h"
#include "base/status.h"
#include <signal.h>

bool cairn_quiet_thread_start(pthread_t *thread, void *(*run)(void *context), void *context, const char *name)
{
    CAIRN_ASSERT(thread != NULL && run != NULL && name != NULL);
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) { return false; }
    const bool started = pthread_create(thread, NULL, run, context) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) { (void)pthread_setname_np(*thread, name); }
    return started;
}
