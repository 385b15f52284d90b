// cairn slam eval - how well a trajectory keeps to known relations, or to a reference.
#include "base/clock.h"
#include "commands/command.h"
#include "commands/slam/slam.h"
#include "slam/trajectory/relations_io.h"
#include "slam/trajectory/trajectory_eval.h"
#include "slam/trajectory/tum_io.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#define COMMAND "cairn slam eval"

static const char usage[] =
    "usage: cairn slam eval TRAJECTORY --relations FILE [options]\n"
    "       cairn slam eval TRAJECTORY --reference FILE [options]\n"
    "\n"
    "Says how well a trajectory (TUM text: stamp x y z qx qy qz qw) keeps to what is known. Files may be packed\n"
    "by gzip, bzip2 or xz.\n"
    "\n"
    "  --relations FILE  of the benchmark by Kuemmerle et al. 2009: stamp1 stamp2 x y z roll pitch yaw\n"
    "  --reference FILE  another trajectory (TUM): ATE after laying one on the other, and RPE over --step\n"
    "  --step M          driven distance of one RPE                                 [1]\n"
    "  --gap S           poses are blended between stamps at most this far apart    [1]\n"
    "  --json            one object: translation_m and rotation_deg, each with mean, std, squared_mean, max;\n"
    "                    count, missing; with --reference also rpe, with the same two\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or nothing could be compared, 2 wrong usage.\n"
    "\n"
    "Examples: cairn slam eval out/intel/trajectory.tum --relations intel.relations\n"
    "          cairn slam eval out/office/trajectory.tum --reference truth.tum --json\n";

typedef struct wishes {
    const char *trajectory, *relations, *reference;
    double step_m, gap_s;
    bool json;
} wishes;

static void tell_sums(const char *name, const cairn_error_sums *sums, double factor, const char *unit)
{
    printf("  %-12s mean %8.4f %s, std %8.4f, squared mean %9.6f %s2, max %8.4f\n", name, factor * sums->mean, unit,
           factor * sums->std, factor * factor * sums->squared_mean, unit, factor * sums->largest);
}

static void tell(const char *what, const cairn_trajectory_errors *errors)
{
    printf("%s: %u compared", what, errors->translation_m.count);
    if (errors->missing_count > 0) { printf(", %u without a counterpart", errors->missing_count); }
    printf("\n");
    tell_sums("translation", &errors->translation_m, 1, "m");
    tell_sums("rotation", &errors->rotation_rad, 180 / CAIRN_PI, "deg");
}

static json_t *sums_json(const cairn_error_sums *sums, double factor)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "mean", factor * sums->mean, "std", factor * sums->std, "squared_mean",
                     factor * factor * sums->squared_mean, "max", factor * sums->largest);
}

static json_t *errors_json(const cairn_trajectory_errors *errors)
{
    return json_pack("{s:i, s:i, s:o, s:o}", "count", (int)errors->translation_m.count, "missing",
                     (int)errors->missing_count, "translation_m", sums_json(&errors->translation_m, 1), "rotation_deg",
                     sums_json(&errors->rotation_rad, 180 / CAIRN_PI));
}

static void print_json(json_t *object)
{
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static cairn_err nothing_compared(const wishes *w, const char *with, cairn_complaints *complaints)
{
    cairn_complain(complaints, with, 0, "has no stamp at which %s has a pose; are they of the same log?",
                   w->trajectory);
    return CAIRN_ERR_NOT_FOUND;
}

static cairn_err by_relations(const wishes *w, const cairn_trajectory *trajectory, cairn_complaints *complaints)
{
    cairn_relations relations;
    const cairn_err err = cairn_relations_open(w->relations, complaints, &relations);
    if (err != CAIRN_OK) { return err; }
    cairn_trajectory_errors errors;
    cairn_eval_relations(trajectory, relations.relations, relations.count, cairn_ns_from_seconds(w->gap_s), &errors);
    cairn_relations_close(&relations);
    if (errors.translation_m.count == 0) { return nothing_compared(w, w->relations, complaints); }
    if (w->json) {
        print_json(errors_json(&errors));
    } else {
        tell("relations", &errors);
    }
    return CAIRN_OK;
}

static cairn_err by_reference(const wishes *w, const cairn_trajectory *trajectory, cairn_complaints *complaints)
{
    cairn_tum_file reference;
    cairn_arena scratch;
    cairn_reference_errors errors;
    cairn_err err = cairn_tum_open(w->reference, complaints, &reference);
    if (err != CAIRN_OK) { return err; }
    err = cairn_arena_create(&scratch, cairn_eval_reference_bytes(trajectory->count));
    if (err == CAIRN_OK) {
        err = cairn_eval_reference(trajectory, &reference.trajectory, w->step_m, cairn_ns_from_seconds(w->gap_s),
                                   &scratch, &errors);
        cairn_arena_destroy(&scratch);
    }
    cairn_tum_close(&reference);
    if (err != CAIRN_OK) { return err; }
    if (errors.absolute.translation_m.count == 0) { return nothing_compared(w, w->reference, complaints); }
    if (w->json) {
        json_t *object = errors_json(&errors.absolute);
        if (object != NULL) { (void)json_object_set_new(object, "rpe", errors_json(&errors.relative)); }
        print_json(object);
    } else {
        tell("ATE", &errors.absolute);
        printf("RPE over %g m: ", w->step_m);
        tell("pairs", &errors.relative);
    }
    return CAIRN_OK;
}

int cairn_slam_eval_run(int argc, char **argv)
{
    wishes w = {.step_m = 1, .gap_s = 1};
    const cairn_option known[] = {
        {"relations", CAIRN_OPTION_TEXT, &w.relations, 0, 0}, {"reference", CAIRN_OPTION_TEXT, &w.reference, 0, 0},
        {"step", CAIRN_OPTION_REAL, &w.step_m, 1e-3, 1e6},    {"gap", CAIRN_OPTION_REAL, &w.gap_s, 0, 1e6},
        {"json", CAIRN_OPTION_FLAG, &w.json, 0, 0},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &w.trajectory, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "TRAJECTORY is missing; expected a TUM file"); }
    if ((w.relations == NULL) == (w.reference == NULL)) {
        return cairn_usage_error(COMMAND, "expected either --relations FILE or --reference FILE");
    }
    cairn_complaints complaints = {0};
    cairn_tum_file file;
    cairn_err err = cairn_tum_open(w.trajectory, &complaints, &file);
    if (err == CAIRN_OK) {
        err = (w.relations != NULL ? by_relations : by_reference)(&w, &file.trajectory, &complaints);
        cairn_tum_close(&file);
    }
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
