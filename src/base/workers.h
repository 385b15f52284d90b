// workers.h - a fixed team of threads for work that splits into independent jobs.
//
// Results never depend on the number of workers: jobs share nothing that they write.
#pragma once
#include "base/memory.h"

typedef struct cairn_workers cairn_workers;
typedef void (*cairn_job_fn)(void *context, uint32_t job);

// worker_count includes the calling thread: 1 makes no threads. 0 picks the number of processors.
CAIRN_CHECKED cairn_err cairn_workers_create(uint32_t worker_count, cairn_workers **ret_workers);
void cairn_workers_destroy(cairn_workers *workers); // accepts NULL
uint32_t cairn_workers_count(const cairn_workers *workers);

// Runs job(context, 0) … job(context, job_count - 1), in any order and on any worker, and returns when all
// are done. Workers NULL: in order, on the caller; so too while another run of these workers is under way, as
// when a job calls run. Waiting spins briefly and then sleeps. Starting a round costs about a microsecond.
void cairn_workers_run(cairn_workers *workers, cairn_job_fn job, void *context, uint32_t job_count);
