// Plots of a mission over time. Marks of events and phases are on each, so that what one shows is explained by another.
#include "sim/mission/report/html.h"
#include "sim/mission/report/report.h"
#include <math.h>

// Above the field stand the title, the names of phases, and the numbers of events.
enum { TITLE_Y = 18, PHASE_Y = 34, EVENT_Y = 45 };
// In units of the drawing; a page shows it as wide as there is room, but never so small that words cannot be read.
enum { WIDTH = 720, LEFT = 64, RIGHT = 16, TOP = 48, BOTTOM = 44, HEIGHT = 170, BAND = 18, BAND_GAP = 6 };

// The first robot's way in the magenta of RoboCup's maps, the others apart from it and from each other.
const uint8_t cairn_way_colours[8][3] = {{120, 0, 140}, {0, 140, 130}, {205, 95, 0},  {40, 95, 210},
                                         {150, 120, 0}, {0, 115, 40},  {195, 30, 95}, {85, 85, 85}};

static const char *const mode_colours[CAIRN_MODE_COUNT] = {
    [CAIRN_MODE_STOPPED] = "#d62728",       [CAIRN_MODE_PAUSED] = "#f2b8a0",
    [CAIRN_MODE_IDLE] = "#d9dce3",          [CAIRN_MODE_TELEOPERATED] = "#e69f00",
    [CAIRN_MODE_ASSISTED_LEFT] = "#f0c75e", [CAIRN_MODE_ASSISTED_RIGHT] = "#c9a227",
    [CAIRN_MODE_WAYPOINT] = "#56a0d3",      [CAIRN_MODE_AUTONOMOUS] = "#3f9c6b"};

typedef struct plot {
    const cairn_report_def *def;
    FILE *to;
    double height;        // of the field
    double t_max, unit_s; // of the axis; one unit of its numbers
    double y_max;
} plot;

static double x_of(const plot *p, double t_s) { return LEFT + (WIDTH - LEFT - RIGHT) * t_s / p->t_max; }
static double y_of(const plot *p, double y) { return TOP + p->height * (1 - y / p->y_max); }

// The least of 1, 2, 5, 10, ... times a power of ten of which at most so many fit.
static double nice_step(double range, int count_max)
{
    double step = pow(10, floor(log10(range / count_max)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; i++) {
        if (range / (step * factors[i]) <= count_max + 1e-9) { return step * factors[i]; }
    }
    return 10 * step;
}

static void write_label(const plot *p, double x, double y, const char *anchor, const char *style, const char *words)
{
    fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, style);
    cairn_html_text(p->to, words);
    fputs("</text>\n", p->to);
}

static void begin(plot *p, const char *id, const char *title, double last)
{
    fprintf(p->to,
            "<figure class=\"plot\"><svg id=\"%s\" viewBox=\"0 0 %d %.0f\" role=\"img\" data-last=\"%.6g\" "
            "xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
            id, WIDTH, TOP + p->height + BOTTOM, last);
    cairn_html_text(p->to, title);
    fputs("</title>\n", p->to);
    write_label(p, LEFT, TITLE_Y, "start", "name", title);
}

// Every second phase is shaded; its name stands at its top.
static void draw_phases(const plot *p)
{
    const cairn_score *score = p->def->score;
    for (uint32_t i = 0; i < score->phase_count && score->phase_count > 1; i++) {
        const double from = x_of(p, score->phases[i].from.at_s), to = x_of(p, score->phases[i].to.at_s);
        if (to - from < 1) { continue; }
        fprintf(p->to, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", from, TOP, to - from,
                p->height, i % 2 == 0 ? "#f4f6fa" : "#ffffff");
        if (to - from > 40) { write_label(p, 0.5 * (from + to), PHASE_Y, "middle", "quiet", score->phases[i].name); }
    }
}

static void draw_time_axis(const plot *p)
{
    const double bottom = TOP + p->height, range = p->t_max / p->unit_s, step = nice_step(range, 10);
    char words[32];
    for (int i = 0; i * step <= range * (1 + 1e-9); i++) {
        const double x = x_of(p, i * step * p->unit_s);
        fprintf(p->to, "<path d=\"M%.1f %.1fv5\" class=\"axis\"/>\n", x, bottom);
        snprintf(words, sizeof words, "%g", i * step);
        write_label(p, x, bottom + 19, "middle", "number", words);
    }
    fprintf(p->to, "<path d=\"M%d %.1fH%d\" class=\"axis\"/>\n", LEFT, bottom, WIDTH - RIGHT);
    write_label(p, WIDTH - RIGHT, bottom + 37, "end", "quiet", p->unit_s > 1 ? "time [min]" : "time [s]");
}

static void draw_value_axis(const plot *p, const char *unit)
{
    const double step = nice_step(p->y_max, 5);
    char words[32];
    for (int i = 0; i * step <= p->y_max * (1 + 1e-9); i++) {
        const double y = y_of(p, i * step);
        fprintf(p->to, "<path d=\"M%d %.1fH%d\" class=\"grid\"/>\n", LEFT, y, WIDTH - RIGHT);
        snprintf(words, sizeof words, "%g", i * step);
        write_label(p, LEFT - 8, y + 4, "end", "number", words);
    }
    write_label(p, LEFT - 8, PHASE_Y, "end", "quiet", unit);
}

// Numbered as in the table of events; of several in one place only the first number is shown.
static void draw_events(const plot *p)
{
    const cairn_score *score = p->def->score;
    double last = -100;
    char words[16];
    for (uint32_t i = 0; i < score->event_count; i++) {
        const double x = x_of(p, score->events[i].at_s);
        fprintf(p->to, "<path d=\"M%.1f %dV%.1f\" class=\"event\"/>\n", x, TOP, TOP + p->height);
        if (x - last < 14) { continue; }
        snprintf(words, sizeof words, "%u", i + 1);
        write_label(p, x, EVENT_Y, "middle", "mark", words);
        last = x;
    }
}

static void end(const plot *p) { fputs("</svg></figure>\n", p->to); }

typedef double (*figure_fn)(const plot *p, uint32_t at, uint32_t which);

static void draw_line(const plot *p, figure_fn figure, uint32_t which, const char *colour, bool steps)
{
    const cairn_series *series = p->def->series;
    fprintf(p->to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"", colour);
    for (uint32_t i = 0; i < series->count; i++) {
        const double x = x_of(p, series->samples[i].at_s), y = y_of(p, figure(p, i, which));
        if (i == 0) {
            fprintf(p->to, "M%.1f %.1f", x, y);
        } else if (steps) {
            fprintf(p->to, "H%.1fV%.1f", x, y);
        } else {
            fprintf(p->to, "L%.1f %.1f", x, y);
        }
    }
    fputs("\"/>\n", p->to);
}

// Samples with their words from the right end of the title's line; returns where the next one may end.
static double draw_key(const plot *p, double right, const char *colour, const char *words)
{
    size_t length = 0;
    for (const char *c = words; *c != '\0'; c++) { length += ((unsigned char)*c & 0xc0) != 0x80; }
    const double left = right - 7.2 * (double)length - 22;
    fprintf(p->to, "<rect x=\"%.1f\" y=\"9\" width=\"14\" height=\"9\" fill=\"%s\"/>\n", left, colour);
    write_label(p, left + 19, TITLE_Y, "start", "quiet", words);
    return left - 12;
}

static double explored_pct(const plot *p, uint32_t at, uint32_t which)
{
    (void)which;
    return 100 * p->def->series->samples[at].explored_fraction;
}

static double victims(const plot *p, uint32_t at, uint32_t which)
{
    const cairn_series_sample *sample = &p->def->series->samples[at];
    return which == 0 ? sample->found_count : sample->report_count;
}

static double kbit_per_s(const plot *p, uint32_t at, uint32_t which)
{
    (void)which;
    return cairn_series_kbit_per_s(p->def->series, at);
}

static double distance_m(const plot *p, uint32_t at, uint32_t robot)
{
    return (double)p->def->series->samples[at].robots[robot].distance_m;
}

static double greatest(const plot *p, figure_fn figure, uint32_t which_count)
{
    double most = 0;
    for (uint32_t i = 0; i < p->def->series->count; i++) {
        for (uint32_t k = 0; k < which_count; k++) { most = fmax(most, figure(p, i, k)); }
    }
    return most;
}

static void draw_field(plot *p, const char *unit)
{
    draw_phases(p);
    draw_value_axis(p, unit);
    draw_time_axis(p);
}

static void draw_area(plot p)
{
    const uint32_t last = p.def->series->count - 1;
    char title[96];
    snprintf(title, sizeof title, "Area explored, of %.0f m\xc2\xb2 that can be reached", p.def->score->reachable_m2);
    const double most = greatest(&p, explored_pct, 1);
    p.y_max = most > 60 ? 100 : fmax(1, 1.15 * most); // the first minutes in a large place are to be seen, too
    begin(&p, "plot-area", title, explored_pct(&p, last, 0) / 100);
    draw_field(&p, "[%]");
    draw_line(&p, explored_pct, 0, "#00285a", false);
    draw_events(&p);
    end(&p);
}

static void draw_victims(plot p)
{
    const uint32_t total = p.def->score->victim_count;
    p.y_max = fmax(1, fmax(total, greatest(&p, victims, 2)));
    begin(&p, "plot-victims", "Victims", p.def->score->found_count);
    double right = draw_key(&p, WIDTH - RIGHT, "#c00a0a", "found within 1 m");
    right = draw_key(&p, right, "#9aa0ad", "reported");
    (void)draw_key(&p, right, "#222222", "there are");
    draw_field(&p, "");
    fprintf(p.to, "<path d=\"M%d %.1fH%d\" stroke=\"#222222\" stroke-dasharray=\"6 4\"/>\n", LEFT, y_of(&p, total),
            WIDTH - RIGHT);
    draw_line(&p, victims, 1, "#9aa0ad", true);
    draw_line(&p, victims, 0, "#c00a0a", true);
    draw_events(&p);
    end(&p);
}

static void draw_radio(plot p)
{
    p.y_max = fmax(1, 1.08 * greatest(&p, kbit_per_s, 1));
    begin(&p, "plot-radio", "Radio: all that is sent, with headers and what is said again",
          p.def->score->radio.kbit_per_s);
    draw_field(&p, "[kbit/s]");
    draw_line(&p, kbit_per_s, 0, "#1f5fa8", false);
    draw_events(&p);
    end(&p);
}

static void draw_distance(plot p)
{
    p.y_max = fmax(1, 1.05 * greatest(&p, distance_m, p.def->score->robot_count));
    double sum_m = 0;
    for (uint32_t i = 0; i < p.def->score->robot_count; i++) { sum_m += distance_m(&p, p.def->series->count - 1, i); }
    begin(&p, "plot-distance", "Distance driven by each robot; colours as on the map", sum_m);
    draw_field(&p, "[m]");
    for (uint32_t i = 0; i < p.def->score->robot_count; i++) {
        char colour[8];
        const uint8_t *c = cairn_way_colours[i % 8];
        snprintf(colour, sizeof colour, "#%02x%02x%02x", c[0], c[1], c[2]);
        draw_line(&p, distance_m, i, colour, false);
    }
    draw_events(&p);
    end(&p);
}

// ---- bands

static double band_top(uint32_t row) { return TOP + BAND_GAP + row * (double)(BAND + BAND_GAP); }

static void draw_band(const plot *p, uint32_t row, double from_s, double to_s, const char *colour)
{
    fprintf(p->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x_of(p, from_s),
            band_top(row), x_of(p, to_s) - x_of(p, from_s), BAND, colour);
}

static const char *colour_of(const cairn_series_robot *robot)
{
    return robot->state == CAIRN_SERIES_DEAD ? "#111111" : mode_colours[robot->mode % CAIRN_MODE_COUNT];
}

// As much of a name as stands beside a band.
static void shorten(const char *name, char ret_short[32])
{
    size_t used = 0, letters = 0;
    for (; name[used] != '\0'; used++) {
        letters += ((unsigned char)name[used] & 0xc0) != 0x80;
        if (letters > 7 || used >= 24) { break; }
    }
    (void)snprintf(ret_short, 32, "%.*s%s", (int)used, name, name[used] != '\0' ? "\xe2\x80\xa6" : "");
}

// A sample stands for the time until the next one; equal neighbours are one band. Lost: a line below.
static void draw_robot(const plot *p, uint32_t robot)
{
    const cairn_series *series = p->def->series;
    uint32_t from = 0, lost_from = 0;
    for (uint32_t i = 1; i < series->count; i++) {
        const cairn_series_robot *before = &series->samples[i - 1].robots[robot],
                                 *now = &series->samples[i].robots[robot];
        const bool last = i + 1 == series->count;
        if (last || colour_of(now) != colour_of(before)) {
            draw_band(p, robot, series->samples[from].at_s, series->samples[i].at_s, colour_of(before));
            from = i;
        }
        if (last || now->state != before->state) {
            if (before->state == CAIRN_SERIES_LOST) {
                fprintf(p->to, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#7a0f7a\" stroke-width=\"3\"/>\n",
                        x_of(p, series->samples[lost_from].at_s), band_top(robot) + BAND + 1.5,
                        x_of(p, series->samples[i].at_s));
            }
            lost_from = i;
        }
    }
    char name[32];
    shorten(p->def->score->robots[robot].name, name);
    write_label(p, LEFT - 8, band_top(robot) + 13, "end", "number", name);
}

// The modes that there were, below the field.
static void draw_mode_keys(const plot *p)
{
    bool used[CAIRN_MODE_COUNT] = {false}, lost = false, dead = false;
    for (uint32_t i = 0; i < p->def->series->count; i++) {
        for (uint32_t k = 0; k < p->def->score->robot_count; k++) {
            const cairn_series_robot *robot = &p->def->series->samples[i].robots[k];
            used[robot->mode % CAIRN_MODE_COUNT] = true;
            lost |= robot->state == CAIRN_SERIES_LOST;
            dead |= robot->state == CAIRN_SERIES_DEAD;
        }
    }
    double right = WIDTH - RIGHT;
    if (dead) { right = draw_key(p, right, "#111111", "dead"); }
    if (lost) { right = draw_key(p, right, "#7a0f7a", "not heard"); }
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        if (used[mode]) { right = draw_key(p, right, mode_colours[mode], cairn_mode_name((cairn_mode)mode)); }
    }
}

static void draw_modes(plot p)
{
    p.height = BAND_GAP + p.def->score->robot_count * (double)(BAND + BAND_GAP);
    begin(&p, "plot-modes", "Modes", p.def->score->robot_count);
    draw_mode_keys(&p);
    draw_phases(&p);
    draw_time_axis(&p);
    for (uint32_t i = 0; i < p.def->score->robot_count; i++) { draw_robot(&p, i); }
    draw_events(&p);
    end(&p);
}

void cairn_report_plots(const cairn_report_def *def, FILE *to)
{
    CAIRN_ASSERT(def->series->count > 0);
    const double sim_s = def->series->samples[def->series->count - 1].at_s;
    const plot p = {
        .def = def, .to = to, .height = HEIGHT, .t_max = fmax(sim_s, 1), .unit_s = sim_s > 300 ? 60 : 1, .y_max = 1};
    draw_area(p);
    draw_victims(p);
    draw_radio(p);
    draw_modes(p);
    draw_distance(p);
}
