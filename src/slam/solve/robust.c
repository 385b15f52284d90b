// Iteratively re-weighted least squares. For a cost rho of a factor's chi2, the weight rho' gives the same gradient, so
// a solver of plain least squares that is weighted again and again finds rho's minimum.
#include "slam/solve/robust.h"
#include "slam/closure/uncertain.h"
#include <math.h>
#include <string.h>

#define SETTLED_CHANGE 1e-3 // [-] of any weight, below which another round would change nothing of note
#define NEARLY 1e-4f        // [-] a weight this near 0 or 1 has been decided

static const char *const names[CAIRN_ROBUST_KIND_COUNT] = {"none", "huber", "cauchy",   "geman",
                                                           "dcs",  "gnc",   "consensus"};

const char *cairn_robust_kind_name(cairn_robust_kind kind)
{
    CAIRN_ASSERT(kind < CAIRN_ROBUST_KIND_COUNT);
    return names[kind];
}

cairn_err cairn_robust_kind_find(const char *name, cairn_robust_kind *ret_kind)
{
    for (uint32_t i = 0; i < CAIRN_ROBUST_KIND_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *ret_kind = (cairn_robust_kind)i;
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_NOT_FOUND;
}

cairn_robust_def cairn_robust_def_default(cairn_robust_kind kind)
{
    // One round is one iteration but for gnc, where the answer should keep up with the cost as it sharpens.
    return (cairn_robust_def){.kind = kind,
                              .probability = 0.99,
                              .sharpen = 1.4,
                              .rounds_max = 100,
                              .final_iterations = 100,
                              .round_iterations = kind == CAIRN_ROBUST_GNC ? 2 : 1};
}

double cairn_robust_chi2_bound(const cairn_robust_def *def, uint32_t degrees)
{
    return cairn_chi2_quantile(degrees, def->probability);
}

double cairn_robust_weight(cairn_robust_kind kind, double chi2, double chi2_bound)
{
    const double part = chi2 / chi2_bound;
    switch (kind) {
    case CAIRN_ROBUST_NONE: return 1;
    case CAIRN_ROBUST_HUBER: return part <= 1 ? 1 : 1 / sqrt(part);
    case CAIRN_ROBUST_CAUCHY: return 1 / (1 + part);
    case CAIRN_ROBUST_GEMAN: return 1 / ((1 + part) * (1 + part));
    case CAIRN_ROBUST_DCS: return part <= 1 ? 1 : 4 / ((1 + part) * (1 + part));
    case CAIRN_ROBUST_GNC:
    case CAIRN_ROBUST_CONSENSUS:
    case CAIRN_ROBUST_KIND_COUNT: break;
    }
    CAIRN_ASSERT(!"a kernel");
    return 0;
}

double cairn_robust_cost(cairn_robust_kind kind, double chi2, double chi2_bound)
{
    const double part = chi2 / chi2_bound;
    switch (kind) {
    case CAIRN_ROBUST_NONE: return chi2;
    case CAIRN_ROBUST_HUBER: return part <= 1 ? chi2 : chi2_bound * (2 * sqrt(part) - 1);
    case CAIRN_ROBUST_CAUCHY: return chi2_bound * log1p(part);
    case CAIRN_ROBUST_GEMAN: return chi2 / (1 + part);
    case CAIRN_ROBUST_DCS: return part <= 1 ? chi2 : chi2_bound * (3 - 4 / (1 + part));
    case CAIRN_ROBUST_GNC: return fmin(chi2, chi2_bound);
    case CAIRN_ROBUST_CONSENSUS:
    case CAIRN_ROBUST_KIND_COUNT: break;
    }
    CAIRN_ASSERT(!"a kernel");
    return 0;
}

double cairn_gnc_weight(double sharpness, double chi2, double chi2_bound)
{
    if (chi2 * (sharpness + 1) <= chi2_bound * sharpness) { return 1; }
    if (chi2 * sharpness >= chi2_bound * (sharpness + 1)) { return 0; }
    return sqrt(chi2_bound / chi2 * sharpness * (sharpness + 1)) - sharpness;
}

static bool is_doubted(const cairn_factor *factor) { return !factor->is_gone && factor->kind != CAIRN_FACTOR_ODOMETRY; }

// Greatest chi2 of the factors that may be wrong.
static double worst_chi2(const cairn_graph *graph)
{
    double worst = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (is_doubted(&graph->factors[i])) { worst = fmax(worst, cairn_factor_chi2(graph, i)); }
    }
    return worst;
}

// Weighs every factor; sharpness is gnc's. Returns the greatest change.
static double weigh(const cairn_robust_def *def, cairn_graph *graph, double chi2_bound, double sharpness)
{
    double change = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        cairn_factor *factor = &graph->factors[i];
        if (!is_doubted(factor)) { continue; }
        const double chi2 = cairn_factor_chi2(graph, i);
        const double weight = def->kind == CAIRN_ROBUST_GNC ? cairn_gnc_weight(sharpness, chi2, chi2_bound)
                                                            : cairn_robust_weight(def->kind, chi2, chi2_bound);
        change = fmax(change, fabs(weight - (double)factor->weight));
        factor->weight = (float)weight;
    }
    return change;
}

static bool are_decided(const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (is_doubted(factor) && factor->weight > NEARLY && factor->weight < 1 - NEARLY) { return false; }
    }
    return true;
}

static cairn_err solve_kernel(const cairn_robust_def *def, cairn_graph *graph, const cairn_weighted_solver *solver,
                              cairn_robust_info *info)
{
    while (info->round_count < def->rounds_max && !info->is_settled) {
        info->round_count++;
        info->is_settled = weigh(def, graph, info->chi2_bound, 0) < SETTLED_CHANGE;
        const cairn_err err = solver->solve(solver->context, graph, def->round_iterations);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

// The first sharpness makes the cost convex as far out as the worst factor (Yang et al., remark 5).
static cairn_err solve_gnc(const cairn_robust_def *def, cairn_graph *graph, const cairn_weighted_solver *solver,
                           cairn_robust_info *info)
{
    cairn_err err = solver->solve(solver->context, graph, def->round_iterations);
    if (err != CAIRN_OK) { return err; }
    const double convex = 2 * worst_chi2(graph) / info->chi2_bound - 1;
    double sharpness = convex > 0 ? 1 / convex : INFINITY;
    if (isinf(sharpness)) { info->is_settled = true; } // every factor fits: nothing is doubted
    while (info->round_count < def->rounds_max && !info->is_settled) {
        info->round_count++;
        const double change = weigh(def, graph, info->chi2_bound, sharpness);
        err = solver->solve(solver->context, graph, def->round_iterations);
        if (err != CAIRN_OK) { return err; }
        info->is_settled = sharpness > 1 && change < SETTLED_CHANGE && are_decided(graph);
        sharpness *= def->sharpen;
    }
    return CAIRN_OK;
}

cairn_err cairn_robust_solve(const cairn_robust_def *def, cairn_graph *graph, const cairn_weighted_solver *solver,
                             cairn_robust_info *ret_info)
{
    CAIRN_ASSERT(def->kind < CAIRN_ROBUST_CONSENSUS && def->sharpen > 1 && def->rounds_max > 0);
    cairn_robust_info info = {.chi2_bound = cairn_robust_chi2_bound(def, graph->def.degrees)};
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone) { graph->factors[i].weight = 1; }
    }
    cairn_err err = CAIRN_OK;
    if (def->kind == CAIRN_ROBUST_GNC) {
        err = solve_gnc(def, graph, solver, &info);
    } else if (def->kind != CAIRN_ROBUST_NONE) {
        err = solve_kernel(def, graph, solver, &info);
    }
    if (err == CAIRN_OK) { err = solver->solve(solver->context, graph, def->final_iterations); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        info.refused_count += is_doubted(&graph->factors[i]) && graph->factors[i].weight < 0.5f;
    }
    *ret_info = info;
    return CAIRN_OK;
}
