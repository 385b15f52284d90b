// bench_plot.h - figures as a picture: lines over two logarithmic axes.
#pragma once
#include "base/status.h"

#define CAIRN_PLOT_POINTS_MAX 16
#define CAIRN_PLOT_LINES_MAX 4

typedef struct cairn_plot_line {
    const char *name;
    uint32_t point_count;
    double x[CAIRN_PLOT_POINTS_MAX], y[CAIRN_PLOT_POINTS_MAX]; // above 0
} cairn_plot_line;

typedef struct cairn_plot {
    const char *title, *x_title, *y_title;
    uint32_t line_count;
    cairn_plot_line lines[CAIRN_PLOT_LINES_MAX];
} cairn_plot;

// One plot beside the other, into a PNG file.
CAIRN_CHECKED cairn_err cairn_plots_write(const cairn_plot *plots, uint32_t plot_count, const char *path,
                                          cairn_complaints *complaints);
