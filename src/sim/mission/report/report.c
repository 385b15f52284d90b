#include "sim/mission/report/report.h"
#include "sim/mission/report/html.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

static const char style[] =
    "body{font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#1a2233;"
    "background:#fff;max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.7rem;margin:.2em 0 0}h2{font-size:1.15rem;margin:1.8em 0 .5em;border-bottom:2px solid #00285a}\n"
    "h3{font-size:1rem;margin:1.2em 0 .3em}p{margin:.4em 0}.quiet{color:#566077}\n"
    ".chips{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.2rem,1fr));gap:.6rem;margin:1rem 0}\n"
    ".chip{border:1px solid #cfd5e2;border-radius:.5rem;padding:.5rem .7rem}"
    ".chip b{display:block;font-size:1.3rem;white-space:nowrap}.chip span{color:#566077;font-size:.85rem}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;margin:.3em 0;font-size:.92rem}\n"
    "th,td{text-align:right;padding:.22em .7em;border-bottom:1px solid #e2e6ee;white-space:nowrap}\n"
    "th{color:#566077;font-weight:600;vertical-align:bottom;white-space:normal}th:first-child,td:first-child{text-"
    "align:left}\n"
    ".doubt{background:#ffe9d6;color:#a02a00;font-weight:700}.chip.doubt span{color:#a02a00}\n"
    "td.words,th.words{text-align:left;white-space:normal;min-width:8rem}tr.sum td{font-weight:700}\n"
    ".scores{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:0 2rem}\n"
    "figure{margin:0 0 .6rem}img{max-width:100%;height:auto;border:1px solid #cfd5e2}\n"
    ".plot{overflow-x:auto}.plot svg{display:block;width:100%;min-width:32rem;height:auto}\n"
    "svg text{font-family:inherit;font-size:13px;fill:#1a2233}svg text.name{font-size:15px;font-weight:600}\n"
    "svg text.quiet,svg text.number{fill:#566077}svg text.mark{font-size:11px;fill:#a02a00;font-weight:700}\n"
    ".axis{stroke:#566077;fill:none}.grid{stroke:#e2e6ee;fill:none}.event{stroke:#a02a00;stroke-dasharray:3 3;"
    "fill:none}\n"
    "code,pre{font:.9rem ui-monospace,'DejaVu Sans Mono',monospace}pre{background:#f4f6fa;padding:.7rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "@media print{body{max-width:none;padding:0;font-size:11pt}h2,h3{break-after:avoid}figure,tr,.chip"
    "{break-inside:avoid}.plot svg{min-width:0}}\n";

typedef struct page {
    const cairn_report_def *def;
    const cairn_score *score;
    FILE *to;
} page;

// ---- pieces

static void head(const page *p, const char *words, bool is_text)
{
    fprintf(p->to, "<th%s>", is_text ? " class=\"words\"" : "");
    cairn_html_text(p->to, words);
    fputs("</th>", p->to);
}

static void cell_text(const page *p, const char *words)
{
    fputs("<td>", p->to);
    cairn_html_text(p->to, words);
    fputs("</td>", p->to);
}

static void cell_words(const page *p, const char *words)
{
    fputs("<td class=\"words\">", p->to);
    cairn_html_text(p->to, words);
    fputs("</td>", p->to);
}

static void cell(const page *p, const char *format, ...) CAIRN_PRINTF(2, 3);
static void cell(const page *p, const char *format, ...)
{
    char words[64];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    cell_text(p, words);
}

// A figure that score.json has too, under this key.
static void keyed(const page *p, const char *key, const char *format, double value)
{
    char words[64] = "\xe2\x80\x93";
    if (isfinite(value)) { (void)snprintf(words, sizeof words, format, value); }
    fprintf(p->to, "<td data-key=\"%s\">%s</td>", key, words);
}

// A figure beyond its bound is marked, in colour and in words.
static void bounded(const page *p, const char *key, double value, double bound)
{
    if (!(value > bound)) {
        keyed(p, key, "%.3f", value);
        return;
    }
    fprintf(p->to, "<td class=\"doubt\"><span data-key=\"%s\">%.3f</span> lost</td>", key, value);
}

static void mark_chip(const page *p, const char *key, const char *value, const char *words, bool is_doubtful)
{
    fprintf(p->to, "<div class=\"chip%s\"><b data-key=\"%s\">", is_doubtful ? " doubt" : "", key);
    cairn_html_text(p->to, value);
    fputs("</b><span>", p->to);
    cairn_html_text(p->to, words);
    fputs("</span></div>\n", p->to);
}

static void chip(const page *p, const char *key, const char *value, const char *words)
{
    mark_chip(p, key, value, words, false);
}

static void begin_table(const page *p, const char *id)
{
    fprintf(p->to, "<div class=\"scroll\"><table id=\"%s\">\n<thead><tr>", id);
}
static void begin_rows(const page *p) { fputs("</tr></thead>\n<tbody>\n", p->to); }
static void end_table(const page *p) { fputs("</tbody></table></div>\n", p->to); }

static const char *robot_name(const page *p, uint32_t robot)
{
    return robot < p->score->robot_count ? p->score->robots[robot].name : "?";
}

// ---- head

static uint32_t count_returned(const cairn_score *score)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < score->robot_count; i++) { count += score->robots[i].returned; }
    return count;
}

static uint32_t count_lost(const cairn_score *score)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < score->robot_count; i++) {
        count += score->robots[i].fallen || !isnan(score->robots[i].dead_s);
    }
    return count;
}

static void write_chips(const page *p)
{
    const cairn_score *score = p->score;
    char words[64];
    fputs("<div class=\"chips\">\n", p->to);
    snprintf(words, sizeof words, "%.1f %%", 100 * score->explored_fraction);
    chip(p, "explored_fraction", words, "explored");
    snprintf(words, sizeof words, "%u of %u", score->found_count, score->victim_count);
    chip(p, "victims.found", words, "victims found");
    snprintf(words, sizeof words, "%u", score->false_count);
    chip(p, "victims.false", words, "false reports");
    snprintf(words, sizeof words, "%u", score->collisions.count);
    chip(p, "collisions.count", words, "collisions");
    snprintf(words, sizeof words, "%u of %u", count_returned(score), score->robot_count);
    chip(p, "returned.count", words, "robots came back");
    snprintf(words, sizeof words, "%u", count_lost(score));
    chip(p, "lost", words, "robots dead or fallen");
    snprintf(words, sizeof words, "%.1f kbit/s", score->radio.kbit_per_s);
    chip(p, "radio.kbit_per_s", words, "radio, on average");
    if (isfinite(score->map_wall_rms_m)) {
        snprintf(words, sizeof words, "%.0f mm", 1e3 * score->map_wall_rms_m);
        const bool astray = score->map_wall_rms_m > CAIRN_WALL_RMS_M_GOOD;
        mark_chip(p, "map_wall_rms_m", words,
                  astray ? "error of mapped walls: do not build on this map" : "error of mapped walls", astray);
    }
    fputs("</div>\n", p->to);
}

static void write_head(const page *p)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          p->to);
    cairn_html_text(p->to, p->score->mission);
    fprintf(p->to, " \xe2\x80\x93 mission report</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
    cairn_html_text(p->to, p->score->mission);
    fputs("</h1>\n<p class=\"quiet\">", p->to);
    fprintf(p->to, "%u robots in ", p->score->robot_count);
    cairn_html_text(p->to, p->def->arena);
    fputs(", ", p->to);
    cairn_html_text(p->to, p->def->physics);
    const uint32_t whole_s = (uint32_t)lround(p->score->sim_s);
    fprintf(p->to, " physics, seed %" PRIu64 ", %u:%02u:%02u simulated%s</p>\n", p->score->seed, whole_s / 3600,
            whole_s / 60 % 60, whole_s % 60,
            p->score->ended == CAIRN_ENDED_INTERRUPTED ? "; somebody ended the mission early" : "");
    if (p->def->about[0] != '\0') {
        fputs("<p>", p->to);
        cairn_html_text(p->to, p->def->about);
        fputs("</p>\n", p->to);
    }
    write_chips(p);
}

static void write_map(const page *p)
{
    if (p->def->map_png == NULL) { return; }
    fputs("<h2>Map</h2>\n<figure><img id=\"map\" alt=\"the map that the team made\" src=\"data:image/png;base64,",
          p->to);
    cairn_html_base64(p->to, p->def->map_png, p->def->map_bytes);
    fputs("\"/></figure>\n", p->to);
}

static void write_plots(const page *p)
{
    fputs("<h2>Over time</h2>\n", p->to);
    if (p->score->event_count > 0) {
        fputs("<p class=\"quiet\">Broken lines with numbers are the events of the table below.</p>\n", p->to);
    }
    cairn_report_plots(p->def, p->to);
}

// ---- points

static void point_row(const page *p, const char *words, const char *key, double value, bool is_sum)
{
    const bool is_whole = value == floor(value);
    fprintf(p->to, "<tr%s>", is_sum ? " class=\"sum\"" : "");
    cell_text(p, words);
    keyed(p, key, is_whole ? "%.0f" : "%.1f", value);
    fputs("</tr>\n", p->to);
}

static void begin_points(const page *p, const char *id, const char *title)
{
    fprintf(p->to, "<div><h3>%s</h3>\n", title);
    begin_table(p, id);
    head(p, "for", true);
    head(p, "points", false);
    begin_rows(p);
}

static void write_robocup(const page *p)
{
    const cairn_robocup_score *points = &p->score->robocup;
    begin_points(p, "robocup", "RoboCup Rescue style");
    point_row(p, "victims within 1 m", "robocup.victims", points->victims, false);
    point_row(p, "their finders came back", "robocup.returned", points->returned, false);
    point_row(p, "map", "robocup.map", points->map, false);
    point_row(p, "collisions", "robocup.bumps", points->bumps, false);
    point_row(p, "false reports", "robocup.false", points->wrong, false);
    point_row(p, "in all", "robocup.total", points->total, true);
    end_table(p);
    fputs("</div>\n", p->to);
}

static void write_subt(const page *p)
{
    const cairn_subt_score *points = &p->score->subt;
    begin_points(p, "subt", "SubT style");
    point_row(p, "artifacts", "subt.artifacts", p->score->victim_count, false);
    point_row(p, "reports allowed", "subt.reports_allowed", points->allowed_count, false);
    point_row(p, "reports made", "subt.reports", points->made_count, false);
    point_row(p, "within 5 m", "subt.total", points->scored_count, true);
    end_table(p);
    fputs("</div>\n", p->to);
}

static void write_magic(const page *p)
{
    const cairn_magic_score *magic = &p->score->magic;
    fputs("<h3>MAGIC style, by phase</h3>\n", p->to);
    begin_table(p, "magic");
    static const char *const heads[] = {"phase", "map", "objects", "false", "robots lost", "interaction", "total"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->phase_count; i++) {
        const cairn_magic_phase_score *phase = &magic->phases[i];
        const double figures[] = {phase->map,         phase->objects,     phase->wrong,
                                  phase->robots_lost, phase->interaction, phase->total};
        static const char *const keys[] = {"map", "objects", "false", "robots_lost", "interaction", "total"};
        fputs("<tr>", p->to);
        cell_text(p, p->score->phases[i].name);
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
            char key[64];
            snprintf(key, sizeof key, "magic.phases.%u.%s", i, keys[k]);
            keyed(p, key, "%.1f", figures[k]);
        }
        fputs("</tr>\n", p->to);
    }
    fprintf(p->to, "<tr class=\"sum\"><td>in all</td><td></td><td></td><td></td><td></td><td></td>");
    keyed(p, "magic.total", "%.1f", magic->total);
    fputs("</tr>\n", p->to);
    end_table(p);
    fprintf(p->to, "<p class=\"quiet\">Quality of the map: %.2f of 1.</p>\n", magic->map_quality);
}

static void write_points(const page *p)
{
    fputs("<h2>Points</h2>\n<div class=\"scores\">\n", p->to);
    write_robocup(p);
    write_subt(p);
    fputs("</div>\n", p->to);
    write_magic(p);
}

// ---- tables

static void write_phases(const page *p)
{
    fputs("<h2>Phases</h2>\n", p->to);
    begin_table(p, "phases");
    static const char *const heads[] = {"phase", "from [s]", "to [s]",      "explored [%]", "found",
                                        "false", "actions",  "robots lost", "collisions"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->phase_count; i++) {
        const cairn_score_mark *from = &p->score->phases[i].from, *to = &p->score->phases[i].to;
        fputs("<tr>", p->to);
        cell_text(p, p->score->phases[i].name);
        cell(p, "%.0f", from->at_s);
        cell(p, "%.0f", to->at_s);
        cell(p, "%.1f", 100 * (to->explored_fraction - from->explored_fraction));
        cell(p, "%d", (int)(to->found_count - from->found_count));
        cell(p, "%d", (int)(to->false_count - from->false_count));
        cell(p, "%u", to->action_count - from->action_count);
        cell(p, "%u", to->dead_count - from->dead_count);
        cell(p, "%u", to->collision_count - from->collision_count);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
}

static void cell_state(const page *p, const cairn_robot_score *robot)
{
    if (!isnan(robot->dead_s)) {
        cell(p, "dead at %.0f s", robot->dead_s);
    } else {
        cell_text(p, robot->fallen ? "fallen" : "well");
    }
}

static void cell_home(const page *p, const cairn_robot_score *robot)
{
    if (robot->returned) {
        cell(p, "since %.0f s", robot->home_s);
    } else if (robot->left) {
        cell(p, "no, %.1f m away", robot->start_m);
    } else {
        cell_text(p, "never left");
    }
}

static void write_robots(const page *p)
{
    fputs("<h2>Robots</h2>\n", p->to);
    begin_table(p, "robots");
    static const char *const heads[] = {"robot",          "driven [m]",        "by itself [%]",
                                        "mean error [m]", "largest error [m]", "collisions",
                                        "radio [kB]",     "back at its start", "at the end"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->robot_count; i++) {
        const cairn_robot_score *robot = &p->score->robots[i];
        const cairn_robot_radio_score *radio = &p->score->radio.robots[i];
        int64_t all_ns = 0;
        for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) { all_ns += robot->modes.spent_ns[mode]; }
        const double own = all_ns > 0 ? (double)robot->modes.spent_ns[CAIRN_MODE_AUTONOMOUS] / (double)all_ns : 0;
        fputs("<tr>", p->to);
        cell_text(p, robot->name);
        cell(p, "%.1f", robot->distance_m);
        cell(p, "%.0f", 100 * own);
        bounded(p, "position_error_m.mean", robot->position_error_m_mean, CAIRN_POSITION_M_GOOD);
        bounded(p, "position_error_m.max", robot->position_error_m_max, CAIRN_POSITION_M_GOOD);
        cell(p, "%u", robot->collisions.count);
        cell(p, "%.1f", (double)(radio->up_bytes + radio->down_bytes) / 1e3);
        cell_home(p, robot);
        cell_state(p, robot);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
}

static void write_victims(const page *p)
{
    fputs("<h2>Victims</h2>\n", p->to);
    begin_table(p, "victims");
    static const char *const heads[] = {"name", "x [m]", "y [m]", "found at [s]", "by", "error [m]"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->person_count; i++) {
        const cairn_victim_score *person = &p->score->people[i];
        fputs("<tr>", p->to);
        cell_text(p, person->name);
        cell(p, "%.1f", person->at_m.x);
        cell(p, "%.1f", person->at_m.y);
        keyed(p, "found_s", "%.0f", person->found_s);
        cell_text(p, person->found ? robot_name(p, person->robot) : "not found");
        keyed(p, "error_m", "%.2f", person->error_m);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
}

static void write_false_reports(const page *p)
{
    if (p->score->false_count == 0) { return; }
    fputs("<h3>False reports</h3>\n", p->to);
    begin_table(p, "false");
    static const char *const heads[] = {"by", "at [s]", "x [m]", "y [m]", "nearest victim [m]"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->report_count; i++) {
        const cairn_report_score *report = &p->score->reports[i];
        if (report->error_m <= CAIRN_FOUND_M) { continue; }
        fputs("<tr>", p->to);
        cell_text(p, robot_name(p, report->robot));
        cell(p, "%.0f", report->at_s);
        cell(p, "%.1f", report->at_m.x);
        cell(p, "%.1f", report->at_m.y);
        keyed(p, "error_m", "%.1f", report->error_m);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
}

// The hardest, in order; of equals the earlier one first. The rest is in collisions.csv.
#define HARDEST_MAX 10

static uint32_t find_hardest(const cairn_collision_list *list, const cairn_collision_entry **ret_hardest)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const cairn_collision_entry *one = &list->entries[i];
        uint32_t at = count;
        while (at > 0 && ret_hardest[at - 1]->speed_mps < one->speed_mps) { at--; }
        if (at == HARDEST_MAX) { continue; }
        if (count < HARDEST_MAX) { count++; }
        for (uint32_t k = count - 1; k > at; k--) { ret_hardest[k] = ret_hardest[k - 1]; }
        ret_hardest[at] = one;
    }
    return count;
}

static void write_collisions(const page *p)
{
    if (p->def->collisions == NULL || p->def->collisions->count == 0) { return; }
    const cairn_collision_entry *hardest[HARDEST_MAX];
    const uint32_t count = find_hardest(p->def->collisions, hardest);
    fputs("<h2>Hardest collisions</h2>\n", p->to);
    begin_table(p, "collisions");
    static const char *const heads[] = {"what happened", "at [s]", "x [m]", "y [m]", "height of it [m]"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { head(p, heads[i], i == 0); }
    begin_rows(p);
    const char *names[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < p->score->robot_count; i++) { names[i] = p->score->robots[i].name; }
    for (uint32_t i = 0; i < count; i++) {
        char words[160];
        cairn_collision_say(hardest[i], names, sizeof words, words);
        fputs("<tr>", p->to);
        cell_words(p, words);
        cell(p, "%.1f", hardest[i]->at_s);
        cell(p, "%.1f", hardest[i]->at_m.x);
        cell(p, "%.1f", hardest[i]->at_m.y);
        keyed(p, "top_m", "%.2f", hardest[i]->top_m);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
    fputs("<p class=\"quiet\">collisions.csv has them all.</p>\n", p->to);
}

static void write_events(const page *p)
{
    if (p->score->event_count == 0) { return; }
    fputs("<h2>Events</h2>\n", p->to);
    begin_table(p, "events");
    head(p, "number", false);
    head(p, "at [s]", false);
    head(p, "what happened", true);
    begin_rows(p);
    for (uint32_t i = 0; i < p->score->event_count; i++) {
        fputs("<tr>", p->to);
        cell(p, "%u", i + 1);
        cell(p, "%.1f", p->score->events[i].at_s);
        cell_words(p, p->score->events[i].words);
        fputs("</tr>\n", p->to);
    }
    end_table(p);
}

static void write_end(const page *p)
{
    fputs("<h2>Run it again</h2>\n<pre id=\"command\">", p->to);
    cairn_html_text(p->to, p->def->command);
    fputs("</pre>\n<p class=\"quiet\">", p->to);
    if (p->score->hash != 0) {
        fprintf(p->to, "Journal hash <code data-key=\"hash\">%016" PRIx64 "</code>. ", p->score->hash);
    }
    fputs("docs/missions.md tells how the points are counted.</p>\n</body></html>\n", p->to);
}

bool cairn_report_write(const cairn_report_def *def, FILE *to)
{
    const page p = {.def = def, .score = def->score, .to = to};
    write_head(&p);
    write_map(&p);
    write_plots(&p);
    write_points(&p);
    if (p.score->phase_count > 1) { write_phases(&p); }
    write_robots(&p);
    write_victims(&p);
    write_false_reports(&p);
    write_collisions(&p);
    write_events(&p);
    write_end(&p);
    return ferror(to) == 0;
}
