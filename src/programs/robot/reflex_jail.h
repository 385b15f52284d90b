// reflex_jail.h - from here on, this process can read its clock, sleep and end; nothing else.
//
// The operating system ends the process at any other call (seccomp, SIGSYS). So nothing in it can allocate, lock, log,
// open or send, whatever goes wrong.
#pragma once
#include "base/status.h"

// False when the system knows no such filter, or in a build for a sanitizer, which needs more calls than ours.
CAIRN_CHECKED bool cairn_reflex_jail(void);
