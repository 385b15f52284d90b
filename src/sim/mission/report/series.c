#include "sim/mission/report/series.h"
#include "sim/mission/report/csv.h"
#include <string.h>

void cairn_series_init(cairn_series *series)
{
    series->period_ns = CAIRN_SERIES_PERIOD_NS;
    series->due = (cairn_mono){0};
    series->count = 0;
}

bool cairn_series_is_due(const cairn_series *series, cairn_mono now) { return now.ns >= series->due.ns; }

static void thin(cairn_series *series)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < series->count; i += 2) { series->samples[kept++] = series->samples[i]; }
    series->count = kept;
    series->period_ns *= 2;
}

cairn_series_sample *cairn_series_add(cairn_series *series, cairn_mono now)
{
    const double at_s = cairn_seconds(now.ns);
    const bool again = series->count > 0 && series->samples[series->count - 1].at_s == at_s;
    if (again) { series->count--; }
    if (series->count == CAIRN_SERIES_MAX) { thin(series); }
    // On whole periods, so that thinned samples stay evenly spaced.
    series->due = (cairn_mono){(now.ns / series->period_ns + 1) * series->period_ns};
    cairn_series_sample *sample = &series->samples[series->count++];
    *sample = (cairn_series_sample){.at_s = at_s};
    return sample;
}

double cairn_series_kbit_per_s(const cairn_series *series, uint32_t at)
{
    CAIRN_ASSERT(at < series->count);
    if (at == 0) { return 0.0; }
    const cairn_series_sample *before = &series->samples[at - 1], *now = &series->samples[at];
    return 8e-3 * (double)(now->radio_bytes - before->radio_bytes) / (now->at_s - before->at_s);
}

bool cairn_series_write_csv(const cairn_series *series, uint32_t robot_count, const char *const *names, FILE *to)
{
    static const char *const states[] = {
        [CAIRN_SERIES_WELL] = "well", [CAIRN_SERIES_LOST] = "lost", [CAIRN_SERIES_DEAD] = "dead"};
    static const char *const figures[] = {".mode", ".speed_mps", ".distance_m", ".state", ".health", ".error_m"};
    fputs("t_s,explored_fraction,victims_found,victims_reported,radio_kbit_per_s,station", to);
    for (uint32_t i = 0; i < robot_count; i++) {
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
            fputc(',', to);
            cairn_csv_text(to, names[i], figures[k]);
        }
    }
    fputc('\n', to);
    for (uint32_t k = 0; k < series->count; k++) {
        const cairn_series_sample *sample = &series->samples[k];
        fprintf(to, "%.3f,%.5f,%u,%u,%.3f,%s", sample->at_s, sample->explored_fraction, sample->found_count,
                sample->report_count, cairn_series_kbit_per_s(series, k), sample->station_up ? "up" : "down");
        for (uint32_t i = 0; i < robot_count; i++) {
            const cairn_series_robot *robot = &sample->robots[i];
            fprintf(to, ",%s,%.3f,%.2f,%s,%s,%.3f", cairn_mode_name((cairn_mode)robot->mode), (double)robot->speed_mps,
                    (double)robot->distance_m, states[robot->state], cairn_health_name(robot->health),
                    (double)robot->error_m);
        }
        fputc('\n', to);
    }
    return ferror(to) == 0;
}
