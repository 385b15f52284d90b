// base.h - status, memory, clocks, executors, random streams, config, cells, inboxes, workers, log and dispatch.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "base/cell.h"
#include "base/clock.h"
#include "base/config/config.h"
#include "base/dispatch.h"
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/workers.h"
#ifdef __cplusplus
}
#endif
