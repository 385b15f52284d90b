// A cycle goes back over one closure, along odometry, over the other closure, and along odometry to where it began. The
// error of each step, in the step's own frame, is carried to the cycle's end; so its covariance can be made again for
// other scales without walking it again. Scales and the share of right cycles are found in turns (expectation and
// maximisation), from several starts: the likeliest wins.
#include "slam/closure/noise.h"
#include "slam/graph/adjacency.h"
#include <math.h>
#include <string.h>

#define HOPS_MAX 8u
#define STEPS_MAX (2 * HOPS_MAX + 2)
#define ITERATIONS 30u
#define SHARE_MIN 0.01     // [-] neither right nor wrong cycles are ever thought impossible
#define WRONG_PART 2.0     // [-] wrong cycles end at least this many times as far off as right ones
#define DENSITY_MIN 1e-100 // [-] of an error that neither explains: counts as wrong

typedef struct step {
    double carrier[36];    // its error to the cycle's end
    double covariance[36]; // as stated
} step;

typedef struct cycle {
    double error[6]; // at its end
    uint32_t step_count;
    step steps[STEPS_MAX];
} cycle;

typedef struct walk { // a cycle as it is put together
    uint32_t factors[STEPS_MAX];
    bool is_back[STEPS_MAX]; // walked from `to` to `from`
    uint32_t count;
} walk;

typedef struct hop { // a node along odometry
    uint32_t node;
    uint32_t factors[HOPS_MAX]; // from the first node to this one
    uint32_t count;
} hop;

typedef struct search {
    const cairn_noise_def *def;
    const cairn_graph *graph;
    cairn_factor_lists lists;
    uint32_t *next, *previous; // odometry factor from and to each node
    cycle *cycles;
    uint32_t cycle_count, seen_count, stride;
} search;

cairn_noise_def cairn_noise_def_default(void)
{
    return (cairn_noise_def){.hops = 3, .cycles_max = 400, .pseudo_count = 3, .scale_min = 0.2, .scale_max = 10};
}

static bool is_closure(const cairn_factor *factor)
{
    return !factor->is_gone && factor->kind == CAIRN_FACTOR_CLOSURE && factor->from != CAIRN_GRAPH_NONE;
}

void cairn_noise_scale(const cairn_noise *noise, uint32_t degrees, double *information)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = i; j < degrees; j++) { information[at++] /= noise->scale[i] * noise->scale[j]; }
    }
}

// The nodes within so many hops along odometry, the node itself first. Returns how many.
static uint32_t hop_around(const search *s, uint32_t node, hop *ret_hops)
{
    uint32_t count = 1;
    ret_hops[0] = (hop){.node = node};
    for (int way = 0; way < 2; way++) {
        const uint32_t *factor_at = way == 0 ? s->next : s->previous;
        hop at = {.node = node};
        while (at.count < s->def->hops && factor_at[at.node] != CAIRN_GRAPH_NONE) {
            const uint32_t factor = factor_at[at.node];
            at.factors[at.count++] = factor;
            at.node = way == 0 ? s->graph->factors[factor].to : s->graph->factors[factor].from;
            if (at.node == node) { break; }
            ret_hops[count++] = at;
        }
    }
    return count;
}

static void walk_over(const search *s, walk *w, uint32_t factor, uint32_t *node)
{
    const cairn_factor *f = &s->graph->factors[factor];
    w->factors[w->count] = factor;
    w->is_back[w->count++] = f->to == *node;
    *node = f->to == *node ? f->from : f->to;
}

static void add_cycle(search *s, const walk *w)
{
    const uint32_t degrees = s->graph->def.degrees;
    cycle *c = &s->cycles[s->cycle_count];
    cairn_graph_pose rest = cairn_graph_pose_identity(degrees); // of the cycle, from the present step's end
    *c = (cycle){.step_count = w->count};
    for (uint32_t i = w->count; i-- > 0;) {
        const cairn_factor *factor = &s->graph->factors[w->factors[i]];
        cairn_uncertain stated;
        if (cairn_uncertain_from_factor(degrees, factor, &stated) != CAIRN_OK) { return; }
        memcpy(c->steps[i].covariance, stated.covariance, sizeof stated.covariance);
        // A measurement's error is in the frame of its `to`: behind the step, or before it when it is walked back.
        if (!w->is_back[i]) { cairn_uncertain_carrier(degrees, &rest, c->steps[i].carrier); }
        const cairn_graph_pose moved = w->is_back[i] ? cairn_graph_pose_inverse(degrees, &stated.pose) : stated.pose;
        rest = cairn_graph_pose_compose(degrees, &moved, &rest);
        if (w->is_back[i]) { cairn_uncertain_carrier(degrees, &rest, c->steps[i].carrier); }
    }
    const cairn_factor none = {.from = CAIRN_GRAPH_NONE, .measured = cairn_graph_pose_identity(degrees)};
    cairn_factor_error(degrees, &none, NULL, &rest, c->error, NULL, NULL);
    s->cycle_count++;
}

// The cycle of closures a and b, if it is one of those that are looked at.
static void meet(search *s, uint32_t a, uint32_t b, const hop *near, const hop *far)
{
    if (near->count + far->count == 0) { return; } // the same two nodes: it may be the same measurement, told twice
    if (s->seen_count++ % s->stride != 0 || s->cycle_count == s->def->cycles_max) { return; }
    walk w = {.count = 0};
    uint32_t node = s->graph->factors[a].to;
    walk_over(s, &w, a, &node);
    for (uint32_t i = 0; i < near->count; i++) { walk_over(s, &w, near->factors[i], &node); }
    walk_over(s, &w, b, &node);
    for (uint32_t i = far->count; i-- > 0;) { walk_over(s, &w, far->factors[i], &node); }
    CAIRN_ASSERT(node == s->graph->factors[a].to);
    add_cycle(s, &w);
}

static void find_partners(search *s, uint32_t a)
{
    const cairn_graph *graph = s->graph;
    hop near[2 * HOPS_MAX + 1], far[2 * HOPS_MAX + 1];
    const uint32_t near_count = hop_around(s, graph->factors[a].from, near);
    const uint32_t far_count = hop_around(s, graph->factors[a].to, far);
    for (uint32_t i = 0; i < near_count; i++) {
        const uint32_t node = near[i].node;
        for (uint32_t at = s->lists.start[node]; at < s->lists.start[node + 1]; at++) {
            const uint32_t b = s->lists.factor[at];
            const cairn_factor *f = &graph->factors[b];
            if (b <= a || !is_closure(f)) { continue; }
            const uint32_t other = f->from == node ? f->to : f->from;
            for (uint32_t k = 0; k < far_count; k++) {
                if (far[k].node == other) { meet(s, a, b, &near[i], &far[k]); }
            }
        }
    }
}

static void find_cycles(search *s)
{
    s->cycle_count = s->seen_count = 0;
    for (uint32_t i = 0; i < s->graph->factor_count; i++) {
        if (is_closure(&s->graph->factors[i])) { find_partners(s, i); }
    }
}

static void predict(const cycle *c, uint32_t n, const double *scale, double *ret_covariance)
{
    CAIRN_ASSERT(n == 3 || n == 6);
    memset(ret_covariance, 0, n * n * sizeof(double));
    for (uint32_t i = 0; i < c->step_count; i++) {
        double scaled[36], carried[36];
        for (uint32_t k = 0; k < n * n; k++) { scaled[k] = c->steps[i].covariance[k] * scale[k / n] * scale[k % n]; }
        cairn_uncertain_carry(n, c->steps[i].carrier, scaled, carried);
        for (uint32_t k = 0; k < n * n; k++) { ret_covariance[k] += carried[k]; }
    }
}

static double normal_density(uint32_t n, const double *error, const double *covariance)
{
    cairn_uncertain normal = {.pose = cairn_graph_pose_identity(n)};
    double inverse[36], chi2 = 0;
    CAIRN_ASSERT(n == 3 || n == 6);
    memcpy(normal.covariance, covariance, n * n * sizeof(double));
    if (!cairn_symmetric_inverse(n, covariance, inverse)) { return 0; }
    for (uint32_t i = 0; i < n * n; i++) { chi2 += error[i / n] * inverse[i] * error[i % n]; }
    return exp(-0.5 * chi2) / (pow(2 * CAIRN_PI, 0.5 * n) * cairn_uncertain_spread(n, &normal));
}

typedef struct mixture {
    cairn_noise noise;
    double wrong[36]; // covariance of cycles with a wrong closure, a diagonal
} mixture;

typedef struct sums { // over all cycles
    double likely;    // log of how likely all of it is
    double right;
    double error[6];     // squared, of wrong ones
    double part[6];      // of the prediction, squared, of right ones
    double predicted[6]; // squared
} sums;

static void add_up(const search *s, const mixture *m, sums *ret_sums)
{
    const uint32_t n = s->graph->def.degrees;
    *ret_sums = (sums){0};
    for (uint32_t i = 0; i < s->cycle_count; i++) {
        const cycle *c = &s->cycles[i];
        double covariance[36];
        predict(c, n, m->noise.scale, covariance);
        const double right = m->noise.right_share * normal_density(n, c->error, covariance);
        const double wrong = (1 - m->noise.right_share) * normal_density(n, c->error, m->wrong);
        const double all = right + wrong + DENSITY_MIN;
        ret_sums->likely += log(all);
        ret_sums->right += right / all;
        for (uint32_t k = 0; k < n; k++) {
            const double squared = c->error[k] * c->error[k];
            ret_sums->part[k] += right / all * squared / covariance[k * (n + 1)];
            ret_sums->error[k] += (1 - right / all) * squared;
            ret_sums->predicted[k] += covariance[k * (n + 1)] / s->cycle_count;
        }
    }
}

// One turn: how likely each cycle is right by the noise so far, then the noise by that. Returns how likely all was.
static double improve(const search *s, mixture *m)
{
    const uint32_t n = s->graph->def.degrees;
    const double belief = s->def->pseudo_count;
    sums sum;
    add_up(s, m, &sum);
    for (uint32_t k = 0; k < n; k++) {
        double *scale = &m->noise.scale[k];
        const double grown = (*scale * *scale * sum.part[k] + belief) / (sum.right + belief);
        *scale = fmin(fmax(sqrt(grown), s->def->scale_min), s->def->scale_max);
        const double wrong_count = s->cycle_count - sum.right;
        m->wrong[k * (n + 1)] = fmax(sum.error[k] / (wrong_count + 1), WRONG_PART * WRONG_PART * sum.predicted[k]);
    }
    m->noise.right_share = fmin(fmax(sum.right / s->cycle_count, SHARE_MIN), 1 - SHARE_MIN);
    return sum.likely;
}

static void fit(const search *s, cairn_noise *ret_noise)
{
    static const double starts[] = {1, 0.2, 5}; // as stated, far surer, far less sure
    const uint32_t n = s->graph->def.degrees;
    double best = -INFINITY;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        mixture m = {.noise = {.cycle_count = s->cycle_count, .right_share = 0.5}};
        double likely = 0;
        for (uint32_t k = 0; k < 6; k++) { m.noise.scale[k] = starts[i]; }
        for (uint32_t k = 0; k < n; k++) { m.wrong[k * (n + 1)] = 1; } // a metre, a radian
        for (uint32_t k = 0; k < ITERATIONS; k++) { likely = improve(s, &m); }
        if (likely <= best) { continue; }
        best = likely;
        *ret_noise = m.noise;
    }
}

static void find_odometry(search *s)
{
    for (uint32_t i = 0; i < s->graph->node_count; i++) { s->next[i] = s->previous[i] = CAIRN_GRAPH_NONE; }
    for (uint32_t i = 0; i < s->graph->factor_count; i++) {
        const cairn_factor *f = &s->graph->factors[i];
        if (f->is_gone || f->kind != CAIRN_FACTOR_ODOMETRY || f->from == CAIRN_GRAPH_NONE) { continue; }
        s->next[f->from] = i;
        s->previous[f->to] = i;
    }
}

static cairn_err run(search *s, cairn_arena *scratch, cairn_noise *ret_noise)
{
    cairn_err err = cairn_factor_lists_make(s->graph, scratch, &s->lists);
    if (err != CAIRN_OK) { return err; }
    s->next = CAIRN_TAKE(scratch, uint32_t, s->graph->node_count + 1);
    s->previous = CAIRN_TAKE(scratch, uint32_t, s->graph->node_count + 1);
    s->cycles = CAIRN_TAKE(scratch, cycle, s->def->cycles_max);
    if (!s->next || !s->previous || !s->cycles) { return CAIRN_ERR_FULL; }
    find_odometry(s);
    s->stride = UINT32_MAX; // count them first
    find_cycles(s);
    s->stride = s->seen_count / s->def->cycles_max + 1;
    find_cycles(s);
    if (s->cycle_count > 0) { fit(s, ret_noise); }
    return CAIRN_OK;
}

cairn_err cairn_noise_find(const cairn_noise_def *def, const cairn_graph *graph, cairn_arena *scratch,
                           cairn_noise *ret_noise)
{
    CAIRN_ASSERT(def->hops <= HOPS_MAX && def->cycles_max > 0 && def->scale_min > 0);
    search s = {.def = def, .graph = graph};
    cairn_noise noise = {.scale = {1, 1, 1, 1, 1, 1}};
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_err err = run(&s, scratch, &noise);
    cairn_arena_reset(scratch, mark);
    if (err == CAIRN_OK) { *ret_noise = noise; }
    return err;
}
