// sanitized.h - whether this build has AddressSanitizer or ThreadSanitizer in it.
//
// Their runtimes make system calls of their own, and their locks spin: where two threads of different SCHED_FIFO
// priorities meet in one, the higher spins for ever on the processor that the lower one needs. So a sanitized build is
// not jailed and takes no priority.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAIRN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAIRN_SANITIZED 1
#endif
#endif
#ifndef CAIRN_SANITIZED
#define CAIRN_SANITIZED 0
#endif
