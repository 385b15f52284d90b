// Closures that wait, those that agree, and the clique search under them.
#include "dense.h"
#include "slam/closure/candidates.h"

#define NODES 80u
#define SEED 5

static cairn_arena arena;
static cairn_graph_pose truth[NODES];
static const noise odometry = {0.08, 0.04}, closing = {0.05, 0.02};

static cairn_mission at_s(double s) { return (cairn_mission){cairn_ns_from_seconds(s)}; }

// Two rounds of a circle; only odometry.
static cairn_graph *make_graph(cairn_random *random)
{
    cairn_arena_reset(&arena, 0);
    const cairn_graph_def def = {.degrees = 3, .nodes_max = NODES, .factors_max = 4 * NODES};
    cairn_graph *graph = NULL;
    make_circle(3, NODES, 2, truth);
    assert_ok(cairn_graph_create(&def, &arena, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = truth[i], .name = i}, NULL));
        if (i > 0) { add_true_factor(graph, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, odometry, random); }
    }
    return graph;
}

static cairn_closure_proposal propose(uint32_t from, uint32_t to, bool is_true, cairn_random *random)
{
    cairn_closure_proposal proposal = {
        .from = from, .to = to, .window = 6 * 6 * 1.6, .score = 0.8f, .proposer = "test"};
    const cairn_graph_pose inverse = cairn_graph_pose_inverse(3, &truth[from]);
    const cairn_graph_pose right = cairn_graph_pose_compose(3, &inverse, &truth[to]);
    double step[6] = {closing.position_m * cairn_random_gauss(random), closing.position_m * cairn_random_gauss(random),
                      closing.turn * cairn_random_gauss(random)};
    if (!is_true) {
        for (int i = 0; i < 2; i++) { step[i] = cairn_random_between(random, -3, 3); }
        step[2] = cairn_random_between(random, -0.8, 0.8);
    }
    proposal.measured = cairn_graph_pose_step(3, &right, step);
    cairn_factor factor = {0};
    set_information(&factor, 3, closing);
    memcpy(proposal.information, factor.information, sizeof proposal.information);
    return proposal;
}

// Four true closures of neighbouring places, among wrong ones: the true ones bear each other out, the wrong ones wait.
static void closures_that_agree_are_accepted_and_others_wait(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/candidates");
    uint32_t wrong_count = 0, right_count = 0;
    for (int round = 0; round < 20; round++) {
        cairn_graph *graph = make_graph(&random);
        cairn_candidates *candidates = NULL;
        const cairn_candidates_def def = cairn_candidates_def_default();
        assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
        for (uint32_t i = 0; i < 12; i++) {
            const bool is_true = i % 3 == 0;
            const cairn_closure_proposal proposal = propose(55 + i / 3, 15 + i / 3, is_true, &random);
            assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(i), NULL));
        }
        (void)cairn_candidates_step(candidates, at_s(20));
        for (uint32_t i = 0; i < 12; i++) {
            const cairn_closure_story *story = cairn_candidates_story(candidates, i);
            const bool is_in = story->factor != CAIRN_GRAPH_NONE;
            *(i % 3 == 0 ? &right_count : &wrong_count) += is_in;
            assert_true(is_in == (story->state == CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE ||
                                  story->state == CAIRN_CLOSURE_ACCEPTED_BY_MAP));
        }
    }
    assert_int_equal(wrong_count, 0);
    assert_true(right_count >= 72); // of 80: a bound of 0.99 for each of the pairs leaves some out
}

// A single closure has nobody to agree with: it must not get in, and must not wait for ever.
static void a_lone_closure_expires(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/lone");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    const cairn_closure_proposal proposal = propose(60, 20, true, &random);
    uint32_t story = 9;
    assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(0), &story));
    assert_int_equal(cairn_candidates_step(candidates, at_s(10)), 0);
    assert_int_equal(cairn_candidates_story(candidates, story)->state, CAIRN_CLOSURE_WAITS);
    assert_int_equal(cairn_candidates_step(candidates, at_s(301)), 0);
    assert_int_equal(cairn_candidates_story(candidates, story)->state, CAIRN_CLOSURE_EXPIRED);
    // A person may know better, and may change his mind.
    assert_ok(cairn_candidates_decide(candidates, story, true, at_s(400)));
    const uint32_t factor = cairn_candidates_story(candidates, story)->factor;
    assert_int_equal(factor, graph->factor_count - 1);
    assert_ok(cairn_candidates_decide(candidates, story, false, at_s(401)));
    assert_true(graph->factors[factor].is_gone);
    char text[160];
    cairn_closure_story_tell(cairn_candidates_story(candidates, story), text, sizeof text);
    assert_non_null(strstr(text, "by test, score 0.80"));
    assert_non_null(strstr(text, "refused by a person"));
}

// Between nodes that odometry joins well, the graph itself decides at once.
static void a_good_chain_of_the_graph_decides(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/chain");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    cairn_closure_proposal right = propose(30, 33, true, &random), wrong = right;
    wrong.measured.v[0] += 1;
    assert_ok(cairn_candidates_propose(candidates, &right, at_s(0), NULL));
    assert_ok(cairn_candidates_propose(candidates, &wrong, at_s(0), NULL));
    assert_int_equal(cairn_candidates_step(candidates, at_s(1)), 1);
    assert_int_equal(cairn_candidates_story(candidates, 0)->state, CAIRN_CLOSURE_ACCEPTED_BY_MAP);
    assert_int_equal(cairn_candidates_story(candidates, 1)->state, CAIRN_CLOSURE_REFUSED_BY_MAP);
    right.information[0] = 0; // leaves a direction open
    assert_int_equal(cairn_candidates_propose(candidates, &right, at_s(2), NULL), CAIRN_ERR_INVALID);
}

// One step of odometry that is off by a little more than it says makes the map contradict every closure across it in
// the same way: one alone must wait, and three that agree are right.
static void what_the_map_contradicts_a_little_is_for_others_to_tell(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/little");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    for (uint32_t i = 0; i < graph->factor_count; i++) { // exact but for one
        const cairn_graph_pose inverse = cairn_graph_pose_inverse(3, &truth[i]);
        graph->factors[i].measured = cairn_graph_pose_compose(3, &inverse, &truth[i + 1]);
    }
    graph->factors[32].measured.v[0] += 0.7;
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    for (uint32_t i = 0; i < 3; i++) {
        const cairn_closure_proposal proposal = propose(30 + i, 34 + i, true, &random);
        assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(i), NULL));
        const uint32_t accepted = cairn_candidates_step(candidates, at_s(i));
        assert_int_equal(accepted, i < 2 ? 0 : 3);
        assert_int_equal(cairn_candidates_story(candidates, i)->state,
                         i < 2 ? CAIRN_CLOSURE_WAITS : CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE);
    }
}

// A closure that would need odometry to be off by many deviations must not wait until chance bears it out; one that
// nothing joins to the graph cannot be judged by it.
static void what_the_way_rules_out_is_refused_at_once(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/possible");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    cairn_closure_proposal far = propose(60, 20, true, &random);
    far.measured.v[0] += 60; // the chain of 40 steps is good to a few metres
    uint32_t story = 9;
    assert_ok(cairn_candidates_propose(candidates, &far, at_s(0), &story));
    assert_int_equal(cairn_candidates_story(candidates, story)->state, CAIRN_CLOSURE_REFUSED_BY_MAP);
    assert_true(cairn_candidates_story(candidates, story)->chi2 > cairn_chi2_quantile(3, def.possible));
    assert_int_equal(cairn_candidates_keep(candidates).agreement.count, 0);
    graph->factors[40].is_gone = true;
    assert_ok(cairn_candidates_propose(candidates, &far, at_s(1), &story));
    assert_int_equal(cairn_candidates_story(candidates, story)->state, CAIRN_CLOSURE_WAITS);
}

static bool is_same_story(const cairn_closure_story *a, const cairn_closure_story *b)
{
    return a->state == b->state && a->factor == b->factor && a->agreed_count == b->agreed_count &&
           memcmp(a->agreed, b->agreed, sizeof a->agreed) == 0 && memcmp(&a->chi2, &b->chi2, sizeof a->chi2) == 0 &&
           a->decided_at.ns == b->decided_at.ns && a->proposal.from == b->proposal.from;
}

static cairn_graph *copy_graph(const cairn_graph *graph)
{
    cairn_graph *copy = NULL;
    assert_ok(cairn_graph_create(&graph->def, &arena, &copy));
    copy->node_count = graph->node_count;
    copy->factor_count = graph->factor_count;
    memcpy(copy->nodes, graph->nodes, graph->node_count * sizeof *graph->nodes);
    memcpy(copy->factors, graph->factors, graph->factor_count * sizeof *graph->factors);
    return copy;
}

// One of a stream of closures around the second round, every second one wrong; every third call is a step. A
// person takes one out or puts one in now and then, which changes the graph for those that wait.
static void stream(cairn_candidates *candidates, uint32_t i, cairn_random *random)
{
    const cairn_closure_proposal proposal = propose(44 + i % 30, 4 + i % 30, i % 2 == 0, random);
    assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(i), NULL));
    if (i % 5 == 4) { assert_ok(cairn_candidates_decide(candidates, i - 4, i % 2 == 0, at_s(i))); }
    if (i % 3 == 2) { (void)cairn_candidates_step(candidates, at_s(i)); }
}

// A station that died goes on from what it saved. Saved after any call, with some waiting, some new and some decided,
// the copy must decide all that comes later alike.
static void what_was_restored_goes_on_the_same(void **state)
{
    (void)state;
    for (uint32_t saved_at = 0; saved_at < 40; saved_at++) {
        cairn_random random;
        cairn_random_init(&random, SEED + saved_at, "test/restore");
        cairn_graph *graph = make_graph(&random), *other_graph = NULL;
        cairn_candidates *first = NULL, *other = NULL;
        cairn_candidates_def def = cairn_candidates_def_default();
        def.stories_max = 100;
        def.waiting_max = 10; // the oldest are pushed out, too
        assert_ok(cairn_candidates_create(&def, graph, &arena, &first));
        for (uint32_t i = 0; i < saved_at; i++) { stream(first, i, &random); }
        other_graph = copy_graph(graph);
        assert_ok(cairn_candidates_create(&def, other_graph, &arena, &other));
        const cairn_closure_proposal forgotten = propose(1, 41, true, &random);
        assert_ok(cairn_candidates_propose(other, &forgotten, at_s(0), NULL));
        cairn_candidates_forget(other);
        for (uint32_t i = 0; i < cairn_candidates_count(first); i++) {
            assert_ok(cairn_candidates_restore(other, cairn_candidates_story(first, i)));
        }
        const cairn_candidates_kept kept = cairn_candidates_keep(first);
        assert_ok(cairn_candidates_restore_kept(other, &kept));
        cairn_random other_random = random;
        for (uint32_t i = saved_at; i < 80; i++) {
            stream(first, i, &random);
            stream(other, i, &other_random);
        }
        assert_int_equal(cairn_candidates_count(first), cairn_candidates_count(other));
        for (uint32_t i = 0; i < cairn_candidates_count(first); i++) {
            assert_true(is_same_story(cairn_candidates_story(first, i), cairn_candidates_story(other, i)));
        }
        assert_int_equal(graph->factor_count, other_graph->factor_count);
        assert_true(graph->factor_count > NODES + 10); // that something was decided at all
    }
}

// What comes from a file may be anything: it is refused in words, not believed.
static void what_does_not_fit_is_not_restored(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/unfit");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    const cairn_closure_story good = {.proposal = propose(60, 20, true, &random), .factor = CAIRN_GRAPH_NONE};
    cairn_closure_story bad = good;
    bad.proposal.to = NODES;
    assert_int_equal(cairn_candidates_restore(candidates, &bad), CAIRN_ERR_INVALID);
    bad = good;
    bad.state = CAIRN_CLOSURE_STATE_COUNT;
    assert_int_equal(cairn_candidates_restore(candidates, &bad), CAIRN_ERR_INVALID);
    bad = good;
    bad.state = CAIRN_CLOSURE_ACCEPTED_BY_MAP;
    bad.factor = graph->factor_count;
    assert_int_equal(cairn_candidates_restore(candidates, &bad), CAIRN_ERR_INVALID);
    bad.factor = 3; // somebody else's
    assert_int_equal(cairn_candidates_restore(candidates, &bad), CAIRN_ERR_INVALID);
    bad = good;
    memset(bad.proposal.proposer, 'x', sizeof bad.proposal.proposer);
    assert_int_equal(cairn_candidates_restore(candidates, &bad), CAIRN_ERR_INVALID);
    for (int i = 0; i < 3; i++) { assert_ok(cairn_candidates_restore(candidates, &good)); }
    cairn_candidates_kept kept = {.agreement.count = 4};
    assert_int_equal(cairn_candidates_restore_kept(candidates, &kept), CAIRN_ERR_INVALID);
    kept.agreement.count = 3;
    kept.agreement.rows[0][0] = 2; // 0 agrees with 1, and 1 not with 0
    assert_int_equal(cairn_candidates_restore_kept(candidates, &kept), CAIRN_ERR_INVALID);
    kept.agreement.rows[1][0] = 1;
    assert_ok(cairn_candidates_restore_kept(candidates, &kept));
}

// Two closures of one look agree even if that look is mistaken. Who asks for it gets them counted as one witness; a
// look from elsewhere is a second one.
static void closures_of_one_look_are_one_witness(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        cairn_random random;
        cairn_random_init(&random, SEED, "test/look");
        cairn_graph *graph = make_graph(&random);
        cairn_candidates *candidates = NULL;
        cairn_candidates_def def = cairn_candidates_def_default();
        def.clique_min = 2;
        def.is_look_one_witness = strict == 1;
        assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
        for (uint32_t i = 0; i < 2; i++) {
            const cairn_closure_proposal proposal = propose(20 + i, 60, true, &random);
            assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(i), NULL));
        }
        assert_int_equal(cairn_candidates_step(candidates, at_s(3)), strict == 1 ? 0 : 2);
        const cairn_closure_proposal second = propose(21, 61, true, &random);
        assert_ok(cairn_candidates_propose(candidates, &second, at_s(4), NULL));
        (void)cairn_candidates_step(candidates, at_s(5));
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(cairn_candidates_story(candidates, i)->factor != CAIRN_GRAPH_NONE);
        }
    }
}

// A robot that stands where two places look alike makes the same mistake again and again: its looks are one witness.
static void looks_from_one_spot_do_not_bear_each_other_out(void **state)
{
    (void)state;
    for (uint32_t strict = 0; strict < 2; strict++) {
        cairn_random random;
        cairn_random_init(&random, SEED, "test/spot");
        cairn_graph *graph = make_graph(&random);
        cairn_candidates *candidates = NULL;
        cairn_candidates_def def = cairn_candidates_def_default();
        def.clique_min = 2;
        def.witness_m = strict == 1 ? 1e3 : 0.0; // of nodes that odometry joins: all are one spot, or none
        assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
        for (uint32_t i = 0; i < 2; i++) {
            const cairn_closure_proposal proposal = propose(20 + i, 60, true, &random);
            assert_ok(cairn_candidates_propose(candidates, &proposal, at_s(i), NULL));
        }
        assert_int_equal(cairn_candidates_step(candidates, at_s(3)), strict == 1 ? 0 : 2);
    }
}

// A match that was made within what the map knows needs no others, but has its story like all.
static void one_that_the_map_led_to_is_accepted_at_once(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/accept");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    cairn_closure_proposal proposal = propose(30, 34, true, &random);
    uint32_t story = 9;
    assert_ok(cairn_candidates_accept(candidates, &proposal, at_s(1), &story));
    assert_int_equal(cairn_candidates_story(candidates, story)->state, CAIRN_CLOSURE_ACCEPTED_BY_MAP);
    assert_int_equal(cairn_candidates_story(candidates, story)->factor, graph->factor_count - 1);
    assert_int_equal(cairn_candidates_keep(candidates).agreement.count, 0);
    proposal.to = NODES;
    assert_int_equal(cairn_candidates_accept(candidates, &proposal, at_s(2), NULL), CAIRN_ERR_INVALID);
    assert_int_equal(cairn_candidates_count(candidates), 1);
}

// Whoever solved the graph has the last word before a person: the factor is gone, and the story says why.
static void what_the_solved_map_contradicts_is_withdrawn(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/withdraw");
    cairn_graph *graph = make_graph(&random);
    cairn_candidates *candidates = NULL;
    const cairn_candidates_def def = cairn_candidates_def_default();
    assert_ok(cairn_candidates_create(&def, graph, &arena, &candidates));
    const cairn_closure_proposal right = propose(30, 33, true, &random);
    assert_ok(cairn_candidates_propose(candidates, &right, at_s(0), NULL));
    assert_int_equal(cairn_candidates_step(candidates, at_s(1)), 1);
    cairn_candidates_withdraw(candidates, 0, 77, at_s(2));
    const cairn_closure_story *story = cairn_candidates_story(candidates, 0);
    assert_int_equal(story->state, CAIRN_CLOSURE_WITHDRAWN);
    assert_true(story->chi2 == 77 && story->decided_at.ns == at_s(2).ns);
    assert_true(graph->factors[story->factor].is_gone);
}

// The obvious search, over all sets.
static uint32_t largest_by_trying_all(const cairn_agreement *agreement)
{
    uint32_t largest = 0;
    for (uint32_t set = 1; set < 1u << agreement->count; set++) {
        bool is_clique = true;
        for (uint32_t a = 0; a < agreement->count && is_clique; a++) {
            for (uint32_t b = a + 1; b < agreement->count && is_clique; b++) {
                is_clique = !(set >> a & 1) || !(set >> b & 1) || cairn_agreement_get(agreement, a, b);
            }
        }
        if (is_clique && (uint32_t)__builtin_popcount(set) > largest) { largest = (uint32_t)__builtin_popcount(set); }
    }
    return largest;
}

static void the_clique_is_the_largest(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/clique");
    for (int round = 0; round < 60; round++) {
        cairn_agreement agreement = {.count = 1 + cairn_random_below(&random, 12)};
        const double density = cairn_random_uniform(&random);
        for (uint32_t a = 0; a < agreement.count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                if (cairn_random_uniform(&random) < density) { cairn_agreement_set(&agreement, a, b); }
            }
        }
        cairn_clique clique;
        cairn_clique_find(&agreement, 100000, &clique);
        assert_true(clique.is_largest);
        assert_int_equal(clique.size, largest_by_trying_all(&agreement));
        for (uint32_t i = 1; i < clique.size; i++) {
            assert_true(clique.members[i] > clique.members[i - 1]);
            for (uint32_t k = 0; k < i; k++) {
                assert_true(cairn_agreement_get(&agreement, clique.members[i], clique.members[k]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closures_that_agree_are_accepted_and_others_wait),
        cmocka_unit_test(a_lone_closure_expires),
        cmocka_unit_test(a_good_chain_of_the_graph_decides),
        cmocka_unit_test(what_the_map_contradicts_a_little_is_for_others_to_tell),
        cmocka_unit_test(what_the_way_rules_out_is_refused_at_once),
        cmocka_unit_test(what_was_restored_goes_on_the_same),
        cmocka_unit_test(what_does_not_fit_is_not_restored),
        cmocka_unit_test(closures_of_one_look_are_one_witness),
        cmocka_unit_test(looks_from_one_spot_do_not_bear_each_other_out),
        cmocka_unit_test(one_that_the_map_led_to_is_accepted_at_once),
        cmocka_unit_test(what_the_solved_map_contradicts_is_withdrawn),
        cmocka_unit_test(the_clique_is_the_largest),
    };
    if (cairn_arena_create(&arena, 64u << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
