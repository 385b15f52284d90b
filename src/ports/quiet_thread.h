// quiet_thread.h - a thread that no signal wakes: those are for the thread that waits for them.
#pragma once
#include <pthread.h>
#include <stdbool.h>

// False when the system gives none. The name is what people see in lists of threads: at most 15 bytes.
bool cairn_quiet_thread_start(pthread_t *thread, void *(*run)(void *context), void *context, const char *name);
