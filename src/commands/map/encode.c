// cairn map encode, cairn map decode - planes of bits (PBM) as few bytes, and back.
#include "commands/command.h"
#include "commands/map/map.h"
#include "maps/codec/grid_file.h"
#include "maps/files/bytes_io.h"
#include "maps/files/pbm_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PBM_BYTES_MAX ((size_t)CAIRN_GRID_SIDE_MAX * CAIRN_GRID_SIDE_MAX / 8 + 65536)
#define MEMORY_BYTES (192u << 20) // two grids of two planes of the largest size, their files, and scratch

static const char encode_usage[] =
    "usage: cairn map encode IN.pbm -o OUT [options]\n"
    "\n"
    "Codes a plane of obstacles (PBM, kind P4, black is set, up to 4096 x 4096) without loss, and prints the bytes.\n"
    "\n"
    "  -o, --out OUT            the coded file to write\n"
    "  --known KNOWN.pbm        a second plane of the same size: which cells are known\n"
    "  --after PREVIOUS.pbm     an earlier map that who decodes has too: only what is new takes bytes\n"
    "  --after-known FILE.pbm   its second plane, with --known\n"
    "  --moved X,Y,YAW          where this map's middle lies in the earlier one's frame: metres right and up,\n"
    "                           degrees to the left                              [0,0,0]\n"
    "  --cell M                 edge of a cell, in metres                        [0.1]\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map encode walls.pbm -o walls.cgrd\n"
    "          cairn map encode now.pbm -o now.cgrd --after before.pbm --moved 0.5,0,10\n";

static const char decode_usage[] =
    "usage: cairn map decode IN -o OUT.pbm [options]\n"
    "\n"
    "Makes the plane of obstacles (PBM, kind P4) again that `cairn map encode` was given.\n"
    "\n"
    "  -o, --out OUT.pbm        the picture to write\n"
    "  --known KNOWN.pbm        where to write the plane of known cells, if the file has one\n"
    "  --after PREVIOUS.pbm     the earlier map that the file was coded after; the file tells if it needs one\n"
    "  --after-known FILE.pbm   its second plane\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Example: cairn map decode now.cgrd -o now.pbm --after before.pbm\n";

typedef struct job {
    const char *in, *out, *known, *after, *after_known, *moved;
    double cell_m;
    cairn_arena memory;
    cairn_complaints complaints;
} job;

// "X,Y,YAW" in metres and degrees.
static bool read_moved(const job *j, cairn_grid_moved *ret_moved)
{
    double values[3] = {0, 0, 0};
    const char *at = j->moved;
    for (int i = 0; i < 3 && at != NULL; i++) {
        char *end;
        values[i] = strtod(at, &end);
        if (end == at || !isfinite(values[i]) || fabs(values[i]) > 1000 || *end != (i < 2 ? ',' : '\0')) {
            return false;
        }
        at = end + 1;
    }
    *ret_moved = (cairn_grid_moved){(int32_t)lround(1e6 * values[0]), (int32_t)lround(1e6 * values[1]),
                                    (int32_t)lround(1e6 * values[2] * M_PI / 180), (uint32_t)lround(1e6 * j->cell_m)};
    return cairn_grid_moved_is_possible(ret_moved);
}

static cairn_err read_plane(job *j, const char *path, uint8_t mask, cairn_grid_cells *grid)
{
    const uint8_t *bytes = NULL;
    size_t size_bytes = 0;
    cairn_pbm pbm;
    cairn_err err = cairn_bytes_read(path, PBM_BYTES_MAX, &j->memory, &j->complaints, &bytes, &size_bytes);
    if (err == CAIRN_OK) { err = cairn_pbm_parse(bytes, size_bytes, path, CAIRN_GRID_SIDE_MAX, &j->complaints, &pbm); }
    if (err != CAIRN_OK) { return err; }
    if (grid->cells == NULL) {
        grid->width = pbm.width;
        grid->height = pbm.height;
        grid->cells = CAIRN_TAKE(&j->memory, uint8_t, (size_t)pbm.width * pbm.height);
        if (grid->cells == NULL) { return CAIRN_ERR_FULL; }
    }
    if (pbm.width != grid->width || pbm.height != grid->height) {
        cairn_complain(&j->complaints, path, 0, "is %u x %u cells, not %u x %u as the plane of obstacles", pbm.width,
                       pbm.height, grid->width, grid->height);
        return CAIRN_ERR_INVALID;
    }
    cairn_pbm_to_cells(&pbm, mask, grid->cells);
    return CAIRN_OK;
}

static cairn_err read_grid(job *j, const char *obstacle, const char *known, cairn_grid_cells *ret_grid)
{
    *ret_grid = (cairn_grid_cells){.has_known = known != NULL};
    const cairn_err err = read_plane(j, obstacle, CAIRN_GRID_OBSTACLE, ret_grid);
    return err == CAIRN_OK && known != NULL ? read_plane(j, known, CAIRN_GRID_KNOWN, ret_grid) : err;
}

static cairn_err encode(job *j, const cairn_grid_moved *moved)
{
    cairn_grid_cells grid, before;
    cairn_err err = read_grid(j, j->in, j->known, &grid);
    if (err == CAIRN_OK && j->after != NULL) { err = read_grid(j, j->after, j->after_known, &before); }
    if (err != CAIRN_OK) { return err; }
    const cairn_grid_earlier earlier = {&before, *moved};
    const size_t bytes_max = CAIRN_GRID_FILE_HEAD_BYTES_MAX + cairn_grid_code_bytes_max(&grid);
    uint8_t *bytes = CAIRN_TAKE(&j->memory, uint8_t, bytes_max);
    size_t file_bytes = 0, code_bytes = 0;
    if (bytes == NULL) { return CAIRN_ERR_FULL; }
    err = cairn_grid_file_encode(&grid, j->after != NULL ? &earlier : NULL, &j->memory, bytes, bytes_max, &file_bytes,
                                 &code_bytes);
    if (err == CAIRN_OK) { err = cairn_bytes_write(j->out, &(cairn_bytes){bytes, file_bytes}, 1, &j->complaints); }
    if (err == CAIRN_OK) {
        printf("%u x %u cells, %d plane%s: %zu byte%s of code, %zu in %s\n", grid.width, grid.height,
               grid.has_known ? 2 : 1, grid.has_known ? "s" : "", code_bytes, code_bytes == 1 ? "" : "s", file_bytes,
               j->out);
    }
    return err;
}

static cairn_err write_plane(job *j, const cairn_grid_cells *grid, uint8_t mask, const char *path)
{
    uint8_t *bytes = CAIRN_TAKE(&j->memory, uint8_t, cairn_pbm_bytes_max(grid->width, grid->height));
    if (bytes == NULL) { return CAIRN_ERR_FULL; }
    const size_t size_bytes = cairn_pbm_from_cells(grid->cells, grid->width, grid->height, mask, bytes);
    return cairn_bytes_write(path, &(cairn_bytes){bytes, size_bytes}, 1, &j->complaints);
}

static void complain(job *j, cairn_err err, bool has_known)
{
    if (err == CAIRN_ERR_NOT_FOUND && j->after != NULL && has_known == (j->after_known != NULL)) {
        cairn_complain(&j->complaints, j->after, 0,
                       "is not the map that %s was coded after; name that one with --after%s", j->in,
                       has_known ? ", and its second plane with --after-known" : "");
        return;
    }
    const char *what =
        err == CAIRN_ERR_NOT_FOUND
            ? has_known ? "was coded after an earlier map of two planes; name them with --after and --after-known"
                        : "was coded after an earlier map of one plane; name that one with --after"
        : err == CAIRN_ERR_UNSUPPORTED ? "was coded by another version of cairn; decode it with that one"
                                       : "is no file of `cairn map encode`, or it is damaged";
    cairn_complain(&j->complaints, j->in, 0, "%s", what);
}

static cairn_err decode(job *j)
{
    const uint8_t *bytes = NULL;
    size_t size_bytes = 0;
    cairn_grid_file file;
    cairn_grid_cells before, grid;
    cairn_err err = cairn_bytes_read(j->in, 3 * PBM_BYTES_MAX, &j->memory, &j->complaints, &bytes, &size_bytes);
    if (err == CAIRN_OK && j->after != NULL) { err = read_grid(j, j->after, j->after_known, &before); }
    if (err != CAIRN_OK) { return err; }
    err = cairn_grid_file_parse(bytes, size_bytes, &file);
    if (err != CAIRN_OK) {
        complain(j, err, false);
        return err;
    }
    grid.cells = CAIRN_TAKE(&j->memory, uint8_t, (size_t)file.width * file.height);
    if (grid.cells == NULL) { return CAIRN_ERR_FULL; }
    err = cairn_grid_file_decode(bytes, size_bytes, j->after != NULL ? &before : NULL, &j->memory, &grid);
    if (err != CAIRN_OK) {
        complain(j, err, file.has_known);
        return err;
    }
    err = write_plane(j, &grid, CAIRN_GRID_OBSTACLE, j->out);
    if (err == CAIRN_OK && j->known != NULL && grid.has_known) {
        err = write_plane(j, &grid, CAIRN_GRID_KNOWN, j->known);
    }
    if (err == CAIRN_OK) {
        printf("%u x %u cells, %d plane%s, from %zu bytes\n", grid.width, grid.height, grid.has_known ? 2 : 1,
               grid.has_known ? "s" : "", size_bytes);
    }
    return err;
}

static int run(const char *command, const char *usage, bool is_decoding, int argc, char **argv)
{
    static job j; // large
    j = (job){.cell_m = 0.1};
    // The last two are for encode only.
    const cairn_option known[] = {{"out", CAIRN_OPTION_TEXT, &j.out, 0, 0},
                                  {"o", CAIRN_OPTION_TEXT, &j.out, 0, 0},
                                  {"known", CAIRN_OPTION_TEXT, &j.known, 0, 0},
                                  {"after", CAIRN_OPTION_TEXT, &j.after, 0, 0},
                                  {"after-known", CAIRN_OPTION_TEXT, &j.after_known, 0, 0},
                                  {"moved", CAIRN_OPTION_TEXT, &j.moved, 0, 0},
                                  {"cell", CAIRN_OPTION_REAL, &j.cell_m, 0.001, 10}};
    const size_t known_count = sizeof known / sizeof known[0] - (is_decoding ? 2 : 0);
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(command, usage, argc, argv, known, known_count, &j.in, 1, &word_count, &status)) {
        return status;
    }
    cairn_grid_moved moved = {0};
    if (word_count == 0) { return cairn_usage_error(command, "expected a file"); }
    if (j.out == NULL) { return cairn_usage_error(command, "expected -o with the file to write"); }
    if (j.moved != NULL && j.after == NULL) { return cairn_usage_error(command, "--moved needs --after"); }
    if (!is_decoding && (j.after != NULL || j.after_known != NULL) &&
        (j.after == NULL || (j.known != NULL) != (j.after_known != NULL))) {
        return cairn_usage_error(command, "with two planes --known, --after and --after-known go together");
    }
    if (!read_moved(&j, &moved)) {
        return cairn_usage_error(command, "--moved wants metres, metres and degrees, within 100 m and a turn, not '%s'",
                                 j.moved);
    }
    cairn_err err = cairn_arena_create(&j.memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = is_decoding ? decode(&j) : encode(&j, &moved); }
    cairn_arena_destroy(&j.memory);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(command, err, &j.complaints);
}

int cairn_map_encode_run(int argc, char **argv) { return run("cairn map encode", encode_usage, false, argc, argv); }
int cairn_map_decode_run(int argc, char **argv) { return run("cairn map decode", decode_usage, true, argc, argv); }
