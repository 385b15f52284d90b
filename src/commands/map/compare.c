// cairn map compare - how well a map agrees with another.
#include "commands/command.h"
#include "commands/map/map.h"
#include "maps/files/map_compare.h"
#include "maps/files/map_file_io.h"
#include <jansson.h>
#include <stdio.h>

#define COMMAND "cairn map compare"
#define DEG (CAIRN_PI / 180)
#define SHIFT_M_MAX 20.0
#define TURN_DEG_MAX 45.0
#define SCRATCH_BYTES (34 * CAIRN_COMPARE_CELLS_MAX)

static const char usage[] =
    "usage: cairn map compare TRUTH MAP [options]\n"
    "\n"
    "Says how well MAP agrees with TRUTH: cells that agree; walls in both of walls in either (IoU); of MAP's walls "
    "those\n"
    "within the tolerance of one (precision), of TRUTH's walls those that were found (recall); and how far MAP's "
    "walls\n"
    "are from TRUTH's, on average, their deviation and at most. MAP's walls where TRUTH knows nothing are not judged.\n"
    "Where both maps are surveyed they are compared where they lie on the earth, else by their own frames.\n"
    "\n"
    "  --tolerance M   how far a wall may be from where it should             [0.1]\n"
    "  --align M       move MAP by up to so much each way first, so that its walls fit best, 0 to 20   [0]\n"
    "  --turn DEG      and turn it by up to so much, 0 to 45                  [3 with --align]\n"
    "  --cell M        the side of a cell, of pictures without a header       [none: refused]\n"
    "  --json          one object, for machines\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map compare building.yaml out/office-1/map.tif\n"
    "          cairn map compare building.yaml out/office-1/map.tif --align 1 --turn 5 --tolerance 0.2\n";

static double part_of(size_t count, size_t all) { return all > 0 ? (double)count / (double)all : (double)NAN; }

static void print_part(const char *name, double part, const char *of, const char *why_none)
{
    if (isnan(part)) {
        printf("  %-12s not known: %s\n", name, why_none);
    } else {
        printf("  %-12s %.2f %% of %s\n", name, 100 * part, of);
    }
}

static void tell(const cairn_comparison *is, const cairn_compare_def *def)
{
    printf("compared on %u x %u cells of %g m\n", is->width, is->height, is->cell_m);
    const cairn_pose2 moved = is->truth_T_map;
    const bool is_fitted = def->shift_m > 0 || def->turn_rad > 0;
    const bool is_moved = fabs(moved.x_m) + fabs(moved.y_m) + fabs(moved.yaw_rad) > 0;
    if (is_fitted || is_moved) {
        printf("  moved        by (%.3f, %.3f) m and %.2f degrees about TRUTH's origin%s\n", moved.x_m, moved.y_m,
               moved.yaw_rad / DEG, is_fitted ? "" : ", by their surveys");
    }
    print_part("covered", part_of(is->both_known, is->truth_known), "the cells that TRUTH knows",
               "TRUTH knows no cell");
    print_part("agreeing", part_of(is->agreeing, is->both_known), "the cells that both know",
               "there is no cell that both know");
    printf("  wall IoU     %.3f\n", is->wall_iou);
    char words[80];
    (void)snprintf(words, sizeof words, "MAP's %zu judged wall cells, within %g m", is->judged_walls, def->tolerance_m);
    print_part("precision", is->precision, words, "no wall of MAP's was judged");
    (void)snprintf(words, sizeof words, "TRUTH's %zu wall cells, within %g m", is->truth_walls, def->tolerance_m);
    print_part("recall", is->recall, words, "TRUTH has no wall");
    if (!isnan(is->error_m_mean)) {
        printf("  error        %.3f m on average, deviation %.3f m, %.3f m at most\n", is->error_m_mean,
               is->error_m_deviation, is->error_m_max);
    }
}

static json_t *number(double value) { return isnan(value) ? json_null() : json_real(value); }

static void tell_json(const cairn_comparison *is, const cairn_compare_def *def)
{
    json_t *object = json_pack(
        "{s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:[f,f,f]}", "cell_m", is->cell_m,
        "truth_known", (json_int_t)is->truth_known, "map_known", (json_int_t)is->map_known, "both_known",
        (json_int_t)is->both_known, "agreeing", (json_int_t)is->agreeing, "truth_walls", (json_int_t)is->truth_walls,
        "map_walls", (json_int_t)is->map_walls, "judged_walls", (json_int_t)is->judged_walls, "wall_iou", is->wall_iou,
        "tolerance_m", def->tolerance_m, "precision", number(is->precision), "recall", number(is->recall),
        "error_m_mean", number(is->error_m_mean), "error_m_deviation", number(is->error_m_deviation), "error_m_max",
        number(is->error_m_max), "truth_T_map", is->truth_T_map.x_m, is->truth_T_map.y_m, is->truth_T_map.yaw_rad);
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static cairn_err compare(const char *const paths[2], double cell_m, const cairn_compare_def *def,
                         cairn_complaints *complaints, cairn_comparison *ret_comparison)
{
    cairn_map_file truth = {0}, map = {0};
    cairn_arena scratch = {0};
    cairn_err err = cairn_map_file_open(paths[0], cell_m, complaints, &truth);
    if (err == CAIRN_OK) { err = cairn_map_file_open(paths[1], cell_m, complaints, &map); }
    if (err == CAIRN_OK) { err = cairn_arena_create(&scratch, SCRATCH_BYTES); }
    if (err == CAIRN_OK) {
        err = cairn_map_compare(&truth.map, &map.map, def, &scratch, ret_comparison);
        if (err == CAIRN_ERR_TOO_LARGE) {
            cairn_complain(complaints, paths[1], 0,
                           "lies so far from %s, or is so fine, that both do not fit %zu cells (%u a side)", paths[0],
                           CAIRN_COMPARE_CELLS_MAX, CAIRN_COMPARE_SIDE_MAX);
        }
    }
    cairn_arena_destroy(&scratch);
    cairn_map_file_close(&map);
    cairn_map_file_close(&truth);
    return err;
}

int cairn_map_compare_run(int argc, char **argv)
{
    cairn_compare_def def = cairn_compare_def_default();
    double cell_m = 0, turn_deg = -1;
    bool json = false;
    const cairn_option known[] = {
        {"tolerance", CAIRN_OPTION_REAL, &def.tolerance_m, 0.001, 100},
        {"align", CAIRN_OPTION_REAL, &def.shift_m, 0, SHIFT_M_MAX},
        {"turn", CAIRN_OPTION_REAL, &turn_deg, 0, TURN_DEG_MAX},
        {"cell", CAIRN_OPTION_REAL, &cell_m, CAIRN_MAP_CELL_M_MIN, CAIRN_MAP_CELL_M_MAX},
        {"json", CAIRN_OPTION_FLAG, &json, 0, 0},
    };
    const char *paths[2];
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], paths, 2, &count,
                            &status)) {
        return status;
    }
    if (count < 2) { return cairn_usage_error(COMMAND, "expected two maps: TRUTH and MAP"); }
    def.turn_rad = (turn_deg >= 0 ? turn_deg : def.shift_m > 0 ? 3 : 0) * DEG;
    cairn_complaints complaints = {0};
    cairn_comparison comparison;
    const cairn_err err = compare(paths, cell_m, &def, &complaints, &comparison);
    if (err != CAIRN_OK) { return cairn_command_failed(COMMAND, err, &complaints); }
    (json ? tell_json : tell)(&comparison, &def);
    return CAIRN_EXIT_DONE;
}
