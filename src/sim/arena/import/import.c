// From a file of any known kind to the text of an arena, in one line of steps; what each does stands in its header.
#include "sim/arena/import/import.h"
#include "base/config/config.h"
#include "sim/arena/check/missed.h"
#include "sim/arena/import/place.h"
#include "sim/arena/import/relief.h"
#include "sim/arena/import/sources.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// The largest picture with all that is made of it; pages that are not touched cost nothing.
#define WORK_BYTES ((size_t)640 << 20)
#define HEIGHT_M 1.2
#define HOUSE_CELL_M 0.05
#define COARSE_M_MAX 0.2   // coarser cells close too many doorways
#define CELL_STEP_M 0.0002 // so that half a cell has four digits
#define RAF_MARGIN_M 0.3
#define RAF_OPEN_MARGIN_M 1.4
#define RAF_FENCE_M 0.05
#define RAF_POST_M 0.1
#define CHANCE_ROUNDS 8u

cairn_import_def cairn_import_def_default(void)
{
    return (cairn_import_def){.speck_m = 0.1, .boxes_max = 4000, .start_count = 8, .victim_count = 4, .seed = 1};
}

typedef struct import {
    const cairn_import_def *def;
    cairn_arena work;
    cairn_complaints *complaints;
    cairn_draft draft;
    cairn_import_report report;
    bool has_cells;
    cairn_cells cells;
    cairn_raf raf;
    uint8_t *inside;
    bool open; // robots get out of what is inside
} import;

static cairn_err no_memory(import *of)
{
    cairn_complain(of->complaints, of->def->file, 0, "no memory left to import it");
    return CAIRN_ERR_FULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// The file's name up to its first point that is followed by a known ending, as one plain word.
static void name_arena(const char *path, char ret_name[64])
{
    static const char *const endings[] = {".gz", ".yaml", ".yml", ".pgm", ".png", ".json", ".raf", ".xml"};
    char stem[256];
    (void)snprintf(stem, sizeof stem, "%.255s", file_name(path));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(stem, endings[i])) { stem[strlen(stem) - strlen(endings[i])] = '\0'; }
    }
    size_t used = 0;
    for (const char *at = stem; *at != '\0' && used < 63; at++) {
        const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                           *at == '_' || *at == '-' || *at == '.';
        ret_name[used++] = plain ? *at : '-';
    }
    ret_name[used] = '\0';
    // A YAML scalar must not look like a number, a flag or a list.
    const bool letter = (ret_name[0] >= 'a' && ret_name[0] <= 'z') || (ret_name[0] >= 'A' && ret_name[0] <= 'Z');
    if (!letter) {
        char made[64];
        (void)snprintf(made, sizeof made, "map-%.59s", ret_name);
        memcpy(ret_name, made, sizeof made);
    }
}

// ---- pictures

static double rounded_cell_m(double cell_m) { return fmax(round(cell_m / CELL_STEP_M), 1.0) * CELL_STEP_M; }

static cairn_err cell_of_picture(import *of, const cairn_grey *grey, double resolution_m, double *ret_cell_m)
{
    const cairn_import_def *def = of->def;
    double cell_m = resolution_m;
    if (def->cell_m > 0.0) { cell_m = def->cell_m; }
    if (def->width_m > 0.0) { cell_m = def->width_m / grey->width; }
    if (cell_m <= 0.0) {
        cairn_complain(
            of->complaints, def->file, 0,
            "does not say how large it is; give --cell, metres a pixel, or --width, metres of the whole picture");
        return CAIRN_ERR_INVALID;
    }
    if (cell_m < CAIRN_IMPORT_CELL_M_MIN - 1e-9 || cell_m > CAIRN_IMPORT_CELL_M_MAX) {
        cairn_complain(of->complaints, def->file, 0,
                       "has %.4f m a pixel; %.2f to %.0f can be taken: make the picture coarser or finer", cell_m,
                       CAIRN_IMPORT_CELL_M_MIN, CAIRN_IMPORT_CELL_M_MAX);
        return CAIRN_ERR_INVALID;
    }
    *ret_cell_m = rounded_cell_m(cell_m);
    if (fabs(*ret_cell_m - cell_m) > 1e-9) {
        cairn_draft_note(&of->draft, "A pixel is %.6f m; taken as %.4f m.", cell_m, *ret_cell_m);
    }
    return CAIRN_OK;
}

static cairn_err take_picture(import *of, const cairn_ros_map *header, const char *path, const uint8_t *bytes,
                              size_t size_bytes)
{
    cairn_grey grey;
    cairn_err err = cairn_grey_parse(bytes, size_bytes, path, &cairn_import_limits, &of->work, of->complaints, &grey);
    double cell_m = 0.0;
    if (err == CAIRN_OK) { err = cell_of_picture(of, &grey, header != NULL ? header->resolution_m : 0.0, &cell_m); }
    if (err != CAIRN_OK) { return err; }
    const cairn_ros_map bare = cairn_ros_map_of_picture(&grey);
    if (header == NULL) { of->report.format = grey.png ? "PNG picture" : "PGM picture"; }
    of->has_cells = true;
    err = cairn_ros_map_cells(header != NULL ? header : &bare, &grey, cell_m, &of->work, &of->cells);
    return err == CAIRN_OK ? CAIRN_OK : no_memory(of);
}

// The picture that a header names; beside it, gzipped pictures are found too.
static cairn_err take_ros_map(import *of, const uint8_t *bytes, size_t size_bytes)
{
    of->report.format = "ROS map";
    cairn_ros_map header;
    cairn_err err = cairn_ros_map_parse((const char *)bytes, size_bytes, of->def->file, of->complaints, &header);
    if (err != CAIRN_OK) { return err; }
    char path[1024], packed[1024 + 4];
    err = cairn_config_resolve(of->def->file, header.image, path, sizeof path);
    if (err != CAIRN_OK) {
        cairn_complain(of->complaints, of->def->file, 0, "image: the path is too long");
        return err;
    }
    (void)snprintf(packed, sizeof packed, "%s.gz", path);
    const bool only_packed = access(path, F_OK) != 0 && access(packed, F_OK) == 0;
    const char *picture = only_packed ? packed : path;
    const uint8_t *picture_bytes;
    size_t picture_size;
    err = cairn_bytes_read(picture, CAIRN_IMPORT_BYTES_MAX, &of->work, of->complaints, &picture_bytes, &picture_size);
    if (err != CAIRN_OK) {
        cairn_complain(of->complaints, of->def->file, 0, "image: names %s", header.image);
        return err;
    }
    if (header.origin[2] != 0.0) {
        cairn_draft_note(&of->draft, "The map is turned by %g rad in its own frame; here it is not.", header.origin[2]);
    }
    return take_picture(of, &header, picture, picture_bytes, picture_size);
}

static cairn_err take_house(import *of, const uint8_t *bytes, size_t size_bytes)
{
    of->report.format = "HouseExpo plan";
    of->has_cells = true;
    const double cell_m = rounded_cell_m(of->def->cell_m > 0.0 ? of->def->cell_m : HOUSE_CELL_M);
    const cairn_err err = cairn_house_parse((const char *)bytes, size_bytes, of->def->file, cell_m, &of->work,
                                            of->complaints, &of->draft, &of->cells);
    return err == CAIRN_ERR_FULL ? no_memory(of) : err;
}

// ---- NIST arenas

static cairn_err parse_raf(import *of, const uint8_t *bytes, size_t size_bytes, double margin_m)
{
    of->draft.wall_count = of->draft.box_count = of->draft.ramp_count = 0;
    of->draft.platform_count = of->draft.stairs_count = of->draft.step_field_count = 0;
    const cairn_err err = cairn_raf_parse((const char *)bytes, size_bytes, of->def->file, of->def->height_m, margin_m,
                                          &of->work, of->complaints, &of->draft, &of->raf);
    return err == CAIRN_ERR_FULL ? no_memory(of) : err;
}

static void add_fence(cairn_draft *draft, double height_m)
{
    const double low = RAF_FENCE_M, east = draft->size_m.x - RAF_FENCE_M, north = draft->size_m.y - RAF_FENCE_M;
    const cairn_vec2 corners_m[] = {{low, low}, {east, low}, {east, north}, {low, north}};
    for (uint32_t i = 0; i < 4 && draft->wall_count < CAIRN_DRAFT_WALLS_MAX; i++) {
        draft->walls[draft->wall_count++] = (cairn_sim_wall){.from_m = corners_m[i],
                                                             .to_m = corners_m[(i + 1) % 4],
                                                             .thickness_m = 2 * RAF_FENCE_M,
                                                             .height_m = height_m};
    }
}

static cairn_err take_raf(import *of, const uint8_t *bytes, size_t size_bytes)
{
    of->report.format = "NIST arena";
    const uint32_t note_count = of->draft.note_count;
    cairn_err err = parse_raf(of, bytes, size_bytes, RAF_MARGIN_M);
    if (err != CAIRN_OK) { return err; }
    bool closed = false;
    if (cairn_ground_inside_walls(&of->draft, &of->work, &of->inside, &closed) != CAIRN_OK) { return no_memory(of); }
    if (!closed) {
        of->open = true;
        of->draft.note_count = note_count;
        err = parse_raf(of, bytes, size_bytes, RAF_OPEN_MARGIN_M);
        if (err != CAIRN_OK) { return err; }
        if (cairn_ground_inside_walls(&of->draft, &of->work, &of->inside, &closed) != CAIRN_OK) {
            return no_memory(of);
        }
        add_fence(&of->draft, of->def->height_m > 0.0 ? of->def->height_m : HEIGHT_M);
        cairn_draft_note(&of->draft, "Its walls leave it open: a fence stands around all of it.");
    }
    of->report.elements_left_out = of->raf.left_out;
    return CAIRN_OK;
}

static cairn_err take_file(import *of)
{
    const char *file = of->def->file;
    const uint8_t *bytes;
    size_t size_bytes;
    cairn_err err = cairn_bytes_read(file, CAIRN_IMPORT_BYTES_MAX, &of->work, of->complaints, &bytes, &size_bytes);
    if (err != CAIRN_OK) { return err; }
    if (ends_with(file, ".yaml") || ends_with(file, ".yml")) { return take_ros_map(of, bytes, size_bytes); }
    if (ends_with(file, ".json")) { return take_house(of, bytes, size_bytes); }
    if (ends_with(file, ".raf") || ends_with(file, ".xml")) { return take_raf(of, bytes, size_bytes); }
    return take_picture(of, NULL, file, bytes, size_bytes);
}

// ---- the arena

// Walls from cells that are `factor` times as large as those of the source.
static cairn_err make_walls_of(import *of, const cairn_cells *source, uint32_t factor)
{
    const cairn_import_def *def = of->def;
    cairn_cells coarse, tidy;
    cairn_err err = cairn_cells_coarsen(source, factor, &of->work, &coarse);
    of->report.speck_count = of->report.fringe_cells = of->report.closed_cells = 0;
    if (err == CAIRN_OK) {
        err = cairn_cells_tidy(&coarse, def->speck_m, def->file, &of->work, of->complaints, &tidy, &of->report);
    }
    if (err != CAIRN_OK) { return err; }
    of->cells = tidy;
    of->report.coarser = factor;
    return cairn_draft_add_cells(&of->draft, &of->cells, def->height_m > 0.0 ? def->height_m : HEIGHT_M, def->boxes_max,
                                 def->file, &of->work, of->complaints, &of->report);
}

static cairn_err make_walls(import *of)
{
    if (!of->has_cells) { return CAIRN_OK; }
    const cairn_cells source = of->cells;
    const size_t mark = cairn_arena_mark(&of->work);
    cairn_err err = CAIRN_ERR_TOO_LARGE;
    for (uint32_t factor = 1; err == CAIRN_ERR_TOO_LARGE; factor++) {
        if (factor > 1 && factor * source.cell_m > COARSE_M_MAX + 1e-9) { break; }
        cairn_arena_reset(&of->work, mark);
        err = make_walls_of(of, &source, factor);
    }
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(
            of->complaints, of->def->file, 0,
            "needs more than %u walls and boxes; allow more with --boxes, remove dirt with --speck, or cut a "
            "part out",
            of->def->boxes_max);
    }
    if (err == CAIRN_OK) { err = cairn_ground_inside_cells(&of->draft, &of->cells, &of->work, &of->inside); }
    return err == CAIRN_ERR_FULL ? no_memory(of) : err;
}

// Raised floors stand on a post at each corner.
static void add_posts(cairn_draft *draft)
{
    for (uint32_t i = 0; i < draft->platform_count; i++) {
        const cairn_draft_platform *floor = &draft->platforms[i];
        const double out_m = floor->size_m.x / 2 - RAF_POST_M;
        for (int corner = 0; corner < 4 && draft->box_count < CAIRN_DRAFT_BOXES_MAX; corner++) {
            const cairn_vec2 local_m = {corner % 2 ? out_m : -out_m, corner / 2 ? out_m : -out_m};
            const cairn_vec2 at_m = cairn_pose2_apply(floor->map_T_platform, local_m);
            draft->boxes[draft->box_count++] = (cairn_sim_box){
                .map_T_box = {at_m.x, at_m.y, 0}, .size_m = {RAF_POST_M, RAF_POST_M, floor->top_m - floor->slab_m}};
        }
    }
}

static void mark_all_hard(cairn_draft *draft)
{
    for (uint32_t i = 0; i < draft->ramp_count; i++) { draft->ramps[i].hard = true; }
    for (uint32_t i = 0; i < draft->victim_count; i++) { draft->victims[i].hard = true; }
}

static void keep_starts(cairn_draft *draft, const bool *missed)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->start_count; i++) {
        if (!missed[i]) { draft->starts[kept++] = draft->starts[i]; }
    }
    draft->start_count = kept;
}

static void describe_shortly(import *of)
{
    cairn_draft *draft = &of->draft;
    (void)snprintf(draft->about, sizeof draft->about, "%s of %.1f x %.1f m with %u victims and %u starts.",
                   of->report.format, draft->size_m.x, draft->size_m.y, draft->victim_count, draft->start_count);
}

// Says of each ramp and each person whether the robot that arenas are checked for gets there; starts that it does not
// get to go. An arena that is not in order otherwise is told of when its text is read back.
static cairn_err mark_hard(import *of)
{
    cairn_draft *draft = &of->draft;
    const size_t mark = cairn_arena_mark(&of->work);
    const char *text;
    size_t size_bytes;
    cairn_complaints unheard = {0};
    cairn_sim_arena arena;
    cairn_missed missed;
    mark_all_hard(draft);
    describe_shortly(of);
    const uint32_t start_count = draft->start_count;
    draft->start_count = 1;
    cairn_err err = cairn_draft_write(draft, &of->work, &text, &size_bytes);
    draft->start_count = start_count;
    if (err == CAIRN_OK) { err = cairn_sim_arena_parse(text, size_bytes, "draft", &of->work, &unheard, &arena); }
    if (err == CAIRN_OK) {
        arena.starts = draft->starts;
        arena.start_count = start_count;
        err = cairn_missed_find(&arena, &of->work, &missed);
    }
    if (err == CAIRN_OK) {
        for (uint32_t i = 0; i < draft->ramp_count; i++) { draft->ramps[i].hard = missed.ramps[i]; }
        for (uint32_t i = 0; i < draft->victim_count; i++) { draft->victims[i].hard = missed.victims[i]; }
        keep_starts(draft, missed.starts);
        of->report.reach_m2 = missed.reach_m2;
    }
    cairn_arena_reset(&of->work, mark);
    return err == CAIRN_ERR_FULL ? CAIRN_ERR_FULL : CAIRN_OK;
}

// Of people placed by chance, nobody is hard to get to: who is is placed again.
static cairn_err place_by_chance(import *of)
{
    const cairn_import_def *def = of->def;
    cairn_draft *draft = &of->draft;
    uint32_t *left_out = &of->report.victims_left_out;
    draft->victims_note = "placed by chance";
    cairn_err err = CAIRN_OK;
    uint32_t dropped = 1;
    for (uint64_t round = 0; round < CHANCE_ROUNDS && dropped > 0 && err == CAIRN_OK; round++) {
        const uint32_t missing = def->victim_count - draft->victim_count;
        err = cairn_place_victims(draft, of->inside, of->open, missing, def->seed + (round << 32), &of->work, left_out);
        if (err == CAIRN_OK && !of->has_cells) { err = mark_hard(of); }
        dropped = of->has_cells ? 0 : cairn_place_drop_hard(draft);
    }
    *left_out = def->victim_count - draft->victim_count;
    return err;
}

static cairn_err place_all(import *of)
{
    const cairn_import_def *def = of->def;
    cairn_draft *draft = &of->draft;
    const uint32_t relief = cairn_relief_count(draft);
    cairn_err err = cairn_place_starts(draft, of->inside, def->start_count, of->raf.victims, of->raf.victim_count,
                                       def->file, &of->work, of->complaints);
    if (err == CAIRN_OK && !of->has_cells) { add_posts(draft); }
    if (err == CAIRN_OK && of->raf.victim_count > 0) {
        draft->victims_note = "where the file has them";
        of->report.victims_left_out = cairn_place_raf_victims(draft, &of->raf);
        cairn_place_relief(draft);
    } else if (err == CAIRN_OK && def->victim_count > 0) {
        err = place_by_chance(of);
    }
    if (err == CAIRN_OK) { err = cairn_place_reach(draft, of->inside, &of->work, &of->report.reach_m2); }
    if (err == CAIRN_OK && !of->has_cells) { err = mark_hard(of); }
    describe_shortly(of);
    of->report.relief_left_out = relief - cairn_relief_count(draft);
    return err == CAIRN_ERR_FULL ? no_memory(of) : err;
}

// Reads the text as `cairn arena check` does, and compares it with the cells.
static cairn_err read_back(import *of, const char *text, size_t size_bytes)
{
    const size_t mark = cairn_arena_mark(&of->work);
    cairn_sim_arena arena;
    cairn_err err = cairn_sim_arena_parse(text, size_bytes, "imported arena", &of->work, of->complaints, &arena);
    if (err == CAIRN_OK && of->has_cells) { err = cairn_draft_compare(&arena, &of->cells, &of->work, &of->report); }
    if (err == CAIRN_OK) {
        cairn_import_report *report = &of->report;
        report->wall_count = arena.wall_count;
        report->box_count = arena.box_count;
        report->ramp_count = arena.ramp_count;
        report->relief_count = cairn_relief_count(&of->draft);
        report->victim_count = arena.victim_count;
        report->start_count = arena.start_count;
        report->size_m[0] = arena.size_m.x;
        report->size_m[1] = arena.size_m.y;
    }
    cairn_arena_reset(&of->work, mark);
    if (err == CAIRN_OK && of->report.missed_cells + of->report.covered_cells > 0) {
        cairn_complain(of->complaints, of->def->file, 0,
                       "%u wall cells would be missing and %u free cells be covered; please report this map",
                       of->report.missed_cells, of->report.covered_cells);
        return CAIRN_ERR_INVALID;
    }
    if (err == CAIRN_ERR_INVALID) {
        cairn_complain(of->complaints, of->def->file, 0, "could not be made into an arena that is in order; see above");
    }
    return err;
}

static void describe_cells(import *of)
{
    const cairn_import_report *report = &of->report;
    cairn_draft *draft = &of->draft;
    cairn_draft_note(draft,
                     "(0, 0) here is (%.3f, %.3f) m there. Cells of %g m; %u wall cells in %u walls and %u boxes.",
                     of->cells.origin_m.x, of->cells.origin_m.y, report->cell_m, report->wall_cells, report->wall_count,
                     report->box_count);
    if (report->coarser > 1) {
        cairn_draft_note(draft, "Coarser than there: a cell is wall where any of its %u x %u cells is.",
                         report->coarser, report->coarser);
    }
    if (report->slack_cells == 0) {
        cairn_draft_note(draft, "Exact: every wall cell is covered, no free cell is.");
    } else {
        cairn_draft_note(draft,
                         "Softened: every wall cell is covered; free cells only up to %g m from a wall cell (%u are).",
                         report->slack_cells * report->cell_m, report->softened_cells);
    }
    cairn_draft_note(draft,
                     "Dirt: %u groups of cells smaller than %g m both ways were removed. %u unknown cells beside",
                     report->speck_count, of->def->speck_m, report->closed_cells);
    cairn_draft_note(draft, "free ground are walls, so that the outside is closed.");
}

static void describe(import *of)
{
    const cairn_import_report *report = &of->report;
    cairn_draft *draft = &of->draft;
    if (of->has_cells) { describe_cells(of); }
    if (report->relief_left_out > 0) {
        cairn_draft_note(
            draft, "%u ramps, stairs, step fields or raised floors are flat floor instead: people or starts are there.",
            report->relief_left_out);
    }
    if (report->victims_left_out > 0) {
        cairn_draft_note(draft, "%u victims were left out: they would stand in something else.",
                         report->victims_left_out);
    }
    if (of->raf.victim_count == 0 && report->victim_count > 0) {
        cairn_draft_note(draft, "The source has no victims; %u were placed by chance, seed %llu.", report->victim_count,
                         (unsigned long long)of->def->seed);
    }
}

static cairn_err write_text(import *of, cairn_arena *memory, const char **ret_text, size_t *ret_size_bytes)
{
    cairn_err err = cairn_draft_write(&of->draft, memory, ret_text, ret_size_bytes);
    if (err != CAIRN_OK) { return no_memory(of); }
    if (*ret_size_bytes > CAIRN_IMPORT_TEXT_BYTES_MAX) {
        cairn_complain(of->complaints, of->def->file, 0, "would make an arena file of more than 1 MiB; use --boxes");
        return CAIRN_ERR_TOO_LARGE;
    }
    return read_back(of, *ret_text, *ret_size_bytes);
}

static cairn_err make_text(import *of, cairn_arena *memory, const char **ret_text, size_t *ret_size_bytes)
{
    const size_t mark = cairn_arena_mark(memory);
    cairn_err err = write_text(of, memory, ret_text, ret_size_bytes);
    cairn_arena_reset(memory, mark);
    if (err != CAIRN_OK) { return err; }
    // The comment tells what reading back has shown.
    describe(of);
    return write_text(of, memory, ret_text, ret_size_bytes);
}

static cairn_err run(import *of, cairn_arena *memory, const char **ret_text, size_t *ret_size_bytes)
{
    cairn_err err = cairn_draft_create(&of->work, &of->draft);
    if (err != CAIRN_OK) { return no_memory(of); }
    if (of->def->name != NULL) {
        (void)snprintf(of->draft.name, sizeof of->draft.name, "%s", of->def->name);
    } else {
        name_arena(of->def->file, of->draft.name);
    }
    cairn_draft_note(&of->draft, "Made by `cairn arena import` from %.100s", file_name(of->def->file));
    err = take_file(of);
    if (err == CAIRN_OK) { err = make_walls(of); }
    if (err == CAIRN_OK) { err = place_all(of); }
    if (err == CAIRN_OK) { err = make_text(of, memory, ret_text, ret_size_bytes); }
    return err;
}

cairn_err cairn_import_run(const cairn_import_def *def, cairn_arena *memory, cairn_complaints *complaints,
                           const char **ret_text, size_t *ret_size_bytes, cairn_import_report *ret_report)
{
    CAIRN_ASSERT(def != NULL && def->file != NULL && memory != NULL && complaints != NULL);
    CAIRN_ASSERT(def->start_count >= 1 && def->start_count <= CAIRN_IMPORT_STARTS_MAX);
    CAIRN_ASSERT(def->victim_count <= CAIRN_IMPORT_VICTIMS_MAX && def->boxes_max <= CAIRN_IMPORT_BOXES_MAX);
import of = {.def = def, .complaints = complaints };
    if (cairn_arena_create(&of.work, WORK_BYTES) != CAIRN_OK) { return no_memory(&of); }
    const cairn_err err = run(&of, memory, ret_text, ret_size_bytes);
    if (err == CAIRN_OK) { *ret_report = of.report; }
    cairn_arena_destroy(&of.work);
    return err;
}
