#include "slam/solve/batch.h"
#include "slam/solve/linear.h"
#include "slam/solve/structure.h"
#include <string.h>

#define DAMPING_START 1e-4 // [-] of the diagonal
#define DAMPING_MAX 1e12   // no step is that small and still wrong: the model is
#define RADIUS_START 1e4   // [-] dogleg: steps are lengths in m and rad; the first is nearly free
#define RADIUS_MIN 1e-10
#define GAIN_GOOD 0.75
#define GAIN_POOR 0.25
// Gauss-Newton may climb a little on its way. More than this is a start that it cannot use.
#define CLIMB_MAX 1.0

struct cairn_batch {
    cairn_batch_def def;
    cairn_structure structure;
    cairn_linear linear;
    cairn_fronts *fronts;
    double *step, *newton, *steepest, *product; // by node
    cairn_graph_pose *before;                   // poses, to go back to
    cairn_batch_info info;
    bool is_fresh; // the factor is of where the last run ended
};

typedef struct run {
    cairn_batch *batch;
    cairn_graph *graph;
    uint32_t factorisations_max;
    double chi2;
} run;

static const char *const solver_names[CAIRN_SOLVER_KIND_COUNT] = {"gn", "lm", "dogleg"};

const char *cairn_solver_name(cairn_solver_kind kind)
{
    CAIRN_ASSERT((unsigned)kind < CAIRN_SOLVER_KIND_COUNT);
    return solver_names[kind];
}

cairn_err cairn_solver_find(const char *name, cairn_solver_kind *ret_kind)
{
    for (unsigned i = 0; i < CAIRN_SOLVER_KIND_COUNT; i++) {
        if (strcmp(name, solver_names[i]) == 0) {
            *ret_kind = (cairn_solver_kind)i;
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_NOT_FOUND;
}

cairn_batch_def cairn_batch_def_default(void)
{
    return (cairn_batch_def){.solver = CAIRN_SOLVER_DOGLEG, .iterations_max = 100, .tolerance = 1e-8};
}

static int64_t now(const cairn_batch *batch) { return batch->def.now_ns ? batch->def.now_ns() : 0; }

static cairn_err create_parts(cairn_batch *batch, const cairn_graph *graph, cairn_arena *arena)
{
    const size_t numbers = (size_t)graph->node_count * graph->def.degrees;
    batch->step = CAIRN_TAKE(arena, double, numbers);
    batch->newton = CAIRN_TAKE(arena, double, numbers);
    batch->steepest = CAIRN_TAKE(arena, double, numbers);
    batch->product = CAIRN_TAKE(arena, double, numbers);
    batch->before = CAIRN_TAKE(arena, cairn_graph_pose, graph->node_count);
    if (!batch->step || !batch->newton || !batch->steepest || !batch->product || !batch->before) {
        return CAIRN_ERR_FULL;
    }
    cairn_err err = cairn_linear_create(graph, arena, &batch->linear);
    if (err == CAIRN_OK) { err = cairn_structure_make(graph, arena, &batch->structure); }
    const int64_t t0 = now(batch);
    if (err == CAIRN_OK) { err = cairn_structure_order(&batch->structure, batch->def.ordering, arena); }
    const int64_t t1 = now(batch);
    const cairn_fronts_def def = {.degrees = graph->def.degrees, .variables_max = graph->node_count};
    if (err == CAIRN_OK) { err = cairn_fronts_create(&def, arena, &batch->fronts); }
    uint32_t first;
    if (err == CAIRN_OK) {
        err = cairn_fronts_build(batch->fronts, &batch->structure.incidence, batch->structure.order,
                                 batch->structure.free_count, NULL, 0, arena, &first);
    }
    if (err != CAIRN_OK) { return err; }
    batch->info = (cairn_batch_info){.ordering_ns = t1 - t0,
                                     .structure_ns = now(batch) - t1,
                                     .l_nonzeros = cairn_fronts_nonzeros(batch->fronts),
                                     .nodes_held = graph->node_count - batch->structure.free_count};
    return CAIRN_OK;
}

cairn_err cairn_batch_create(const cairn_batch_def *def, const cairn_graph *graph, cairn_arena *arena,
                             cairn_batch **ret_batch)
{
    cairn_batch *batch = CAIRN_TAKE(arena, cairn_batch, 1);
    if (!batch) { return CAIRN_ERR_FULL; }
    batch->def = *def;
    const cairn_err err = create_parts(batch, graph, arena);
    if (err == CAIRN_OK) { *ret_batch = batch; }
    return err;
}

// ---- pieces of an iteration

static void linearise(run *r)
{
    const int64_t t = now(r->batch);
    r->chi2 = cairn_linear_make(&r->batch->linear, r->graph);
    r->batch->info.linear_ns += now(r->batch) - t;
}

// step = H^-1 b. False: not positive definite.
static bool solve(run *r, double damping_part)
{
    cairn_batch *batch = r->batch;
    const cairn_front_matrix matrix = {
        .diagonal = batch->linear.diagonal, .beside = batch->linear.beside, .damping_part = damping_part};
    memcpy(batch->step, batch->linear.b, (size_t)r->graph->node_count * r->graph->def.degrees * sizeof *batch->step);
    const int64_t t0 = now(batch);
    const bool is_good = cairn_fronts_factor_forward(batch->fronts, &matrix, batch->step);
    const int64_t t1 = now(batch);
    batch->info.factor_ns += t1 - t0;
    batch->info.factorisations++;
    if (!is_good) { return false; }
    cairn_fronts_backward(batch->fronts, batch->step);
    batch->info.solve_ns += now(batch) - t1;
    return true;
}

static double dot(const run *r, const double *a, const double *b)
{
    const uint32_t degrees = r->graph->def.degrees;
    double sum = 0;
    for (uint32_t n = 0; n < r->graph->node_count; n++) {
        if (r->batch->structure.is_held[n]) { continue; }
        for (uint32_t i = 0; i < degrees; i++) { sum += a[(size_t)n * degrees + i] * b[(size_t)n * degrees + i]; }
    }
    return sum;
}

static void move_nodes(run *r, const double *step)
{
    const uint32_t degrees = r->graph->def.degrees;
    for (uint32_t n = 0; n < r->graph->node_count; n++) {
        cairn_graph_pose *pose = &r->graph->nodes[n].pose;
        r->batch->before[n] = *pose;
        if (r->batch->structure.is_held[n]) { continue; }
        if (degrees == 3) { // the cosine and the sine are known from the last linearisation
            const double *turn = cairn_linear_turn(&r->batch->linear, n), *d = step + 3 * (size_t)n;
            pose->v[0] += turn[0] * d[0] - turn[1] * d[1];
            pose->v[1] += turn[1] * d[0] + turn[0] * d[1];
            pose->v[2] = cairn_angle_wrap(pose->v[2] + d[2]);
        } else {
            *pose = cairn_graph_pose_step(degrees, pose, step + (size_t)n * degrees);
        }
    }
}

static void move_back(run *r)
{
    for (uint32_t n = 0; n < r->graph->node_count; n++) { r->graph->nodes[n].pose = r->batch->before[n]; }
}

static bool may_factor(const run *r) { return r->batch->info.factorisations < r->factorisations_max; }

// Near the minimum gains shrink faster and faster: whether the next one, by the last two, is worth a factorisation.
static bool is_done(const run *r, double before, double lowered, double lowered_before)
{
    const double next = lowered < 0.1 * lowered_before ? lowered * (lowered / lowered_before) : lowered;
    return next <= r->batch->def.tolerance * before;
}

// ---- Levenberg-Marquardt

// One step that lowers chi2, however much damping it takes. False: there is none, or no budget left.
static bool step_damped(run *r, double *damping, double *growth, double *ret_lowered)
{
    while (may_factor(r) && *damping < DAMPING_MAX) {
        if (solve(r, *damping)) {
            const double *step = r->batch->step;
            cairn_linear_multiply(&r->batch->linear, r->graph, r->batch->structure.is_held, step, r->batch->product);
            const double foreseen = 2 * dot(r, step, r->batch->linear.b) - dot(r, step, r->batch->product);
            move_nodes(r, step);
            const double chi2 = cairn_linear_chi2(&r->batch->linear, r->graph);
            const double lowered = r->chi2 - chi2;
            if (lowered >= 0 && isfinite(chi2)) {
                const double gain = foreseen > 0 ? lowered / foreseen : 1, slack = 2 * gain - 1;
                *damping *= fmax(1.0 / 3, 1 - slack * slack * slack);
                *growth = 2;
                *ret_lowered = lowered;
                return true;
            }
            move_back(r);
            if (foreseen <= r->batch->def.tolerance * r->chi2) { // at the bottom: what is left is rounding
                *ret_lowered = 0;
                return true;
            }
        }
        *damping *= *growth;
        *growth *= 2;
    }
    return false;
}

static cairn_err run_levenberg(run *r)
{
    double damping = DAMPING_START, growth = 2, lowered;
    while (may_factor(r)) {
        if (!step_damped(r, &damping, &growth, &lowered)) { return may_factor(r) ? CAIRN_ERR_INVALID : CAIRN_OK; }
        r->batch->info.iterations++;
        const double before = r->chi2;
        linearise(r);
        if (lowered <= r->batch->def.tolerance * before) {
            r->batch->info.is_converged = true;
            return CAIRN_OK;
        }
    }
    return CAIRN_OK;
}

// ---- Gauss-Newton

static cairn_err run_gauss_newton(run *r)
{
    double foreseen_before = 0;
    while (may_factor(r)) {
        if (!solve(r, 0)) { return run_levenberg(r); }
        const double before = r->chi2, foreseen = dot(r, r->batch->step, r->batch->linear.b);
        move_nodes(r, r->batch->step);
        linearise(r);
        if (!isfinite(r->chi2) || r->chi2 > before * (1 + CLIMB_MAX)) {
            move_back(r);
            linearise(r);
            return run_levenberg(r);
        }
        r->batch->info.iterations++;
        if (is_done(r, before, foreseen, foreseen_before)) {
            r->batch->info.is_converged = true;
            return CAIRN_OK;
        }
        foreseen_before = foreseen;
    }
    return CAIRN_OK;
}

// ---- dogleg

// From the Gauss-Newton step: the longest step along the dog's leg that stays within the radius. Returns what it is
// foreseen to lower chi2 by.
static double bend(run *r, double radius)
{
    cairn_batch *batch = r->batch;
    const double *b = batch->linear.b, *newton = batch->newton;
    const size_t numbers = (size_t)r->graph->node_count * r->graph->def.degrees;
    if (sqrt(dot(r, newton, newton)) <= radius) {
        memcpy(batch->step, newton, numbers * sizeof *newton);
        return dot(r, newton, b);
    }
    const double slope = dot(r, b, b);
    cairn_linear_multiply(&batch->linear, r->graph, batch->structure.is_held, b, batch->product);
    const double curvature = dot(r, b, batch->product), far = curvature > 0 ? slope / curvature : 0;
    const double cauchy = far * sqrt(slope);
    if (cauchy >= radius) {
        const double part = radius / sqrt(slope);
        for (size_t i = 0; i < numbers; i++) { batch->step[i] = part * b[i]; }
        return 2 * part * slope - part * part * curvature;
    }
    // |far b + t (newton - far b)| = radius
    for (size_t i = 0; i < numbers; i++) {
        batch->steepest[i] = far * b[i];
        batch->step[i] = newton[i] - batch->steepest[i];
    }
    const double aa = dot(r, batch->step, batch->step), ab = dot(r, batch->steepest, batch->step);
    const double t = (-ab + sqrt(ab * ab + aa * (radius * radius - cauchy * cauchy))) / aa;
    for (size_t i = 0; i < numbers; i++) { batch->step[i] = batch->steepest[i] + t * batch->step[i]; }
    cairn_linear_multiply(&batch->linear, r->graph, batch->structure.is_held, batch->step, batch->product);
    return 2 * dot(r, batch->step, b) - dot(r, batch->step, batch->product);
}

// Shortens the leg until chi2 falls. Returns by how much it fell; 0 at the bottom, where only rounding is left.
static double step_bent(run *r, double *radius)
{
    for (;;) {
        const double foreseen = bend(r, *radius), before = r->chi2;
        const double length = sqrt(dot(r, r->batch->step, r->batch->step));
        move_nodes(r, r->batch->step);
        linearise(r); // most steps are good, so that this is the next one's beginning
        const double lowered = before - r->chi2, gain = foreseen > 0 ? lowered / foreseen : 0;
        if (isfinite(r->chi2) && lowered >= 0) {
            if (gain > GAIN_GOOD) { *radius = fmax(*radius, 3 * length); }
            if (gain < GAIN_POOR) { *radius = 0.5 * length; }
            return lowered;
        }
        move_back(r);
        linearise(r);
        if (foreseen <= r->batch->def.tolerance * before || length < RADIUS_MIN) { return 0; }
        *radius = 0.25 * length;
    }
}

static cairn_err run_dogleg(run *r)
{
    double radius = RADIUS_START, lowered_before = 0;
    while (may_factor(r)) {
        if (!solve(r, 0)) { return run_levenberg(r); }
        memcpy(r->batch->newton, r->batch->step,
               (size_t)r->graph->node_count * r->graph->def.degrees * sizeof *r->batch->step);
        const double before = r->chi2, lowered = step_bent(r, &radius);
        r->batch->info.iterations++;
        if (is_done(r, before, lowered, lowered_before)) {
            r->batch->info.is_converged = true;
            return CAIRN_OK;
        }
        lowered_before = lowered;
    }
    return CAIRN_OK;
}

// ---- the whole

cairn_err cairn_batch_run(cairn_batch *batch, cairn_graph *graph, uint32_t iterations_max, cairn_batch_info *ret_info)
{
    CAIRN_ASSERT(graph->node_count == batch->structure.node_count &&
                 graph->factor_count == batch->structure.factor_count);
    run r = {.batch = batch, .graph = graph, .factorisations_max = iterations_max};
    batch->info.iterations = batch->info.factorisations = 0;
    batch->info.is_converged = false;
    batch->is_fresh = false;
    cairn_linear_learn(&batch->linear, graph);
    linearise(&r);
    batch->info.chi2_before = batch->info.chi2_after = r.chi2;
    cairn_err err = CAIRN_ERR_INVALID;
    if (isfinite(r.chi2)) {
        switch (batch->def.solver) {
        case CAIRN_SOLVER_LEVENBERG: err = run_levenberg(&r); break;
        case CAIRN_SOLVER_DOGLEG: err = run_dogleg(&r); break;
        default: err = run_gauss_newton(&r); break;
        }
        batch->info.chi2_after = r.chi2;
    }
    if (ret_info) { *ret_info = batch->info; }
    return err;
}

static cairn_err solve_weighted(void *context, cairn_graph *graph, uint32_t iterations_max)
{
    return cairn_batch_run(context, graph, iterations_max, NULL);
}

cairn_weighted_solver cairn_batch_weighted(cairn_batch *batch)
{
    return (cairn_weighted_solver){.solve = solve_weighted, .context = batch};
}

const cairn_batch_info *cairn_batch_last(const cairn_batch *batch) { return &batch->info; }
bool cairn_batch_refactor(cairn_batch *batch)
{
    const cairn_front_matrix matrix = {.diagonal = batch->linear.diagonal, .beside = batch->linear.beside};
    if (!batch->is_fresh) { batch->is_fresh = cairn_fronts_factor(batch->fronts, &matrix, 0); }
    return batch->is_fresh;
}

cairn_fronts *cairn_batch_fronts(cairn_batch *batch) { return batch->fronts; }
bool cairn_batch_holds(const cairn_batch *batch, uint32_t node) { return batch->structure.is_held[node]; }
