// stop_delay.h - how long a stop takes, from the page's word at the station to wheels that stand: station, radio, robot
// and wheels simulated in lockstep.
#pragma once
#include "commands/bench/bench.h"

// Says p50, p90, p99 and the greatest of 200 stops (five for each of --seconds, if that is fewer) at random moments at
// full speed, at each delay and loss.
CAIRN_CHECKED cairn_err cairn_bench_stop_delays(cairn_bench_report *report, cairn_complaints *complaints);
