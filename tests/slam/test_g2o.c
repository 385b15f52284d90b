// Graphs in text: what is read, what it means, what is refused, and that writing loses nothing.
#include "../base/check.h"
#include "slam/graph/g2o_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairn_arena arena;

static cairn_err parse(const char *text, cairn_graph **ret_graph, cairn_g2o_info *ret_info)
{
    static cairn_complaints complaints;
    memset(&complaints, 0, sizeof complaints);
    cairn_arena_reset(&arena, 0);
    const cairn_err err =
        cairn_g2o_parse((const uint8_t *)text, strlen(text), "test", &arena, &complaints, ret_graph, ret_info);
    assert_true((err == CAIRN_OK) == (complaints.count == 0));
    return err;
}

// The two formats order the same matrix differently; mixing them up still converges, to a wrong map.
static void toro_and_g2o_order_information_differently(void **state)
{
    (void)state;
    const double expected[6] = {1, 0.1, 0.2, 2, 0.3, 3};
    cairn_graph *graph;
    assert_ok(parse("EDGE_SE2 0 1 1 2 0.5 1 0.1 0.2 2 0.3 3\n", &graph, NULL));
    assert_memory_equal(graph->factors[0].information, expected, sizeof expected);
    assert_ok(parse("EDGE2 0 1 1 2 0.5 1 0.1 2 3 0.2 0.3\n", &graph, NULL));
    assert_memory_equal(graph->factors[0].information, expected, sizeof expected);
}

// Half of all public graphs have no nodes in them, or have them in another order than their edges.
static void nodes_without_a_line_start_along_odometry(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("EDGE_SE2 2 1 -1 0 0 1 0 0 1 0 1\n" // backwards
                    "EDGE_SE2 0 2 9 9 0 1 0 0 1 0 1\n"  // a closure: must not be followed
                    "EDGE_SE2 0 1 1 0 1.5707963267948966 1 0 0 1 0 1\n"
                    "EDGE_SE2 0 1 5 5 0 1 0 0 1 0 1\n"  // again: a closure
                    "EDGE_SE2 2 7 1 0 0 1 0 0 1 0 1\n", // the only way to 7
                    &graph, &info));
    assert_int_equal(info.nodes_chained, 4);
    assert_int_equal(graph->node_count, 4);
    const double expected[4][2] = {{0, 0}, {1, 0}, {1, 1}, {1, 2}};
    for (int i = 0; i < 4; i++) {
        assert_true(hypot(graph->nodes[i].pose.v[0] - expected[i][0], graph->nodes[i].pose.v[1] - expected[i][1]) <
                    1e-12);
    }
    const uint8_t kinds[5] = {CAIRN_FACTOR_ODOMETRY, CAIRN_FACTOR_CLOSURE, CAIRN_FACTOR_ODOMETRY, CAIRN_FACTOR_CLOSURE,
                              CAIRN_FACTOR_CLOSURE};
    for (int i = 0; i < 5; i++) { assert_int_equal(graph->factors[i].kind, kinds[i]); }
}

static void factors_may_stand_before_their_nodes_and_unknown_lines_are_counted(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("# words\n\nEDGE_SE2 4 3 1 0 0 1 0 0 1 0 1\nVERTEX_XY 9 1 1\nVERTEX_SE2 4 1 2 0.5\nFIX 3\n"
                    "VERTEX_SE2 3 7 8 0\nEDGE_PRIOR_SE2 4 1 2 0.5 1 0 0 1 0 1\n",
                    &graph, &info));
    assert_int_equal(info.other.count, 0); // remarks are for people
    assert_int_equal(info.unread.count, 1);
    assert_int_equal(graph->node_count, 2);
    assert_true(graph->nodes[0].is_fixed && !graph->nodes[1].is_fixed);
    assert_int_equal(graph->nodes[1].name, 4);
    assert_int_equal(graph->factors[0].from, 1);
    assert_int_equal(graph->factors[1].kind, CAIRN_FACTOR_GLOBAL);
    assert_true(cairn_factor_chi2(graph, 1) < 1e-24);
}

// Public graphs (cubicle, rim) have information that no measurement can have: a term beside the diagonal that its two
// on the diagonal do not bear. Solvers that take it as it is go astray; the rest of it is good.
static void what_no_information_can_have_beside_its_diagonal_is_left_out_and_told(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("EDGE_SE2 0 1 1 0 0 4 1 0 4 0 1\n"
                    "EDGE_SE2 1 2 1 0 0 4 1 30 4 0 1\n"          // 30 between 4 and 1; the 1 between 4 and 4 stays
                    "EDGE_SE2 2 3 1 0 0 1 -0.9 -0.9 1 -0.9 1\n", // each may be, all three together may not
                    &graph, &info));
    assert_int_equal(info.factors_decoupled, 2);
    assert_int_equal(info.line_decoupled, 2);
    const double kept[6] = {4, 1, 0, 4, 0, 1}, alone[6] = {1, 0, 0, 1, 0, 1};
    assert_memory_equal(graph->factors[0].information, kept, sizeof kept);
    assert_memory_equal(graph->factors[1].information, kept, sizeof kept);
    assert_memory_equal(graph->factors[2].information, alone, sizeof alone);
}

// A node's distance from itself says nothing of where it is; one such line is no reason to refuse ten thousand others.
static void a_factor_from_a_node_to_itself_is_left_out_and_told(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\nEDGE_SE2 1 1 0 0 0 1 0 0 1 0 1\nEDGE_SE2 0 0 0 0 0 1 0 0 1 0 1\n",
                    &graph, &info));
    assert_int_equal(graph->factor_count, 1);
    assert_int_equal(info.looped.count, 2);
    assert_int_equal(info.looped.first, 2);
}

// Landmarks and the like tie poses together: who solves the rest solves another graph, and has to be told.
static void nodes_and_factors_that_are_not_known_are_told_apart_from_other_lines(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("PARAMS_SE2OFFSET 0 0 0 0\nEDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\n\nVERTEX_XY 9 1 1\n"
                    "EDGE_SE2_XY 0 9 1 1 1 0 1\nEDGE_BEARING_SE2_XY_OF_A_VERY_LONG_NAME 0 9 1 1\n",
                    &graph, &info));
    assert_int_equal(info.other.count, 1);
    assert_int_equal(info.other.first, 1);
    assert_string_equal(info.other.word, "PARAMS_SE2OFFSET");
    assert_int_equal(info.unread.count, 3);
    assert_int_equal(info.unread.first, 4);
    assert_string_equal(info.unread.word, "VERTEX_XY");
    assert_int_equal(graph->node_count, 2);
}

#define MIX(measured)                                                                                                  \
    "EDGE_SE2_MIXTURE 0 2 2 EDGE_SE2 1 0 2 2 0 0 1 0 0 1 0 1 EDGE_SE2 0.01 0 2 " measured "1e-9 0 0 1e-9 0 1e-9\n"

// Max-mixture files state each closure twice, once to be right and once to be nowhere. That is a closure which may be
// wrong, and robust solvers know those. Two places for one closure are none that we can hold.
static void a_mixture_of_right_and_nowhere_is_a_closure_and_one_of_two_places_is_not_read(void **state)
{
    (void)state;
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\nEDGE_SE2 1 2 1 0 0 1 0 0 1 0 1\n" MIX("2 0 0 "), &graph, &info));
    assert_int_equal(graph->factor_count, 3);
    assert_int_equal(graph->factors[2].kind, CAIRN_FACTOR_CLOSURE);
    assert_int_equal(info.mixed.count, 1);
    assert_int_equal(info.unread.count, 0);
    assert_ok(parse("EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\nEDGE_SE2 1 2 1 0 0 1 0 0 1 0 1\n" MIX("2 1 0 "), &graph, &info));
    assert_int_equal(graph->factor_count, 2);
    assert_int_equal(info.mixed.count, 0);
    assert_int_equal(info.unread.count, 1);
    assert_int_equal(info.unread.first, 3);
    assert_string_equal(info.unread.word, "EDGE_SE2_MIXTURE");
}

// Some programs write TORO's tag and g2o's order. Read as TORO's, no such matrix is positive: that gives them away.
static void edge2_in_g2os_order_is_seen_by_its_matrices(void **state)
{
    (void)state;
    const double diagonal[6] = {500, 0, 0, 400, 0, 5000}, full[6] = {1, 0.1, 0.2, 2, 0.3, 3};
    cairn_graph *graph;
    cairn_g2o_info info;
    assert_ok(parse("EDGE2 0 1 1 2 0.5 500 0 0 400 0 5000\nEDGE2 1 2 1 2 0.5 1 0.1 0.2 2 0.3 3\n", &graph, &info));
    assert_true(info.is_g2o_order);
    assert_int_equal(info.factors_decoupled, 0);
    assert_memory_equal(graph->factors[0].information, diagonal, sizeof diagonal);
    assert_memory_equal(graph->factors[1].information, full, sizeof full);
    // One that is bad in TORO's order among good ones is a bad one.
    assert_ok(parse("EDGE2 0 1 1 2 0.5 500 0 400 5000 0 0\nEDGE2 1 2 1 2 0.5 1 9 2 3 0 0\n", &graph, &info));
    assert_true(!info.is_g2o_order);
    assert_int_equal(info.factors_decoupled, 1);
    assert_memory_equal(graph->factors[0].information, diagonal, sizeof diagonal);
}

static void damaged_files_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cairn_err err;
    } cases[] = {
        {"", CAIRN_ERR_EMPTY},
        {"hello\n", CAIRN_ERR_EMPTY},
        {"VERTEX_SE2 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 -1 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 99999999999999999999 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 0 nan 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 0 1e300 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 0 0 0 0\nVERTEX_SE2 0 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE2 0 0 0 0\nVERTEX3 1 0 0 0 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"EDGE_SE2 0 1 1 0 0 1 0 0 -1 0 1\n", CAIRN_ERR_CORRUPT},
        {"EDGE_SE2 0 1 1 0 0 1 0 0 1 0\n", CAIRN_ERR_CORRUPT},
        {"EDGE_SE2 0\n", CAIRN_ERR_CORRUPT},
        {"VERTEX_SE3:QUAT 0 0 0 0 0 0 0 0\n", CAIRN_ERR_CORRUPT},
        {"EDGE_SE2_MIXTURE 0 1 0\n", CAIRN_ERR_CORRUPT},
        {"EDGE_SE2_MIXTURE 0 1 2 EDGE_SE2 1 0 1 1 0 0 1 0 0 1 0 1\n", CAIRN_ERR_CORRUPT}, // one of two
        {"VERTEX_SE2 0 0 0 0\nFIX 1\n", CAIRN_ERR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_graph *graph = NULL;
        assert_int_equal(parse(cases[i].text, &graph, NULL), cases[i].err);
        assert_null(graph);
    }
}

static void round_trip(const char *text, const char *name)
{
    cairn_graph *before, *after;
    assert_ok(parse(text, &before, NULL));
    char path[256];
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%s/cairn-%d-%s", folder ? folder : "/tmp", (int)getpid(), name);
    cairn_complaints complaints = {0};
    assert_ok(cairn_g2o_write(path, before, &complaints));
    assert_ok(cairn_g2o_open(path, &arena, &complaints, &after, NULL));
    (void)remove(path);
    assert_int_equal(after->node_count, before->node_count);
    assert_int_equal(after->factor_count, before->factor_count);
    for (uint32_t i = 0; i < before->node_count; i++) {
        assert_int_equal(after->nodes[i].name, before->nodes[i].name);
        for (int k = 0; k < 7; k++) {
            assert_true(fabs(after->nodes[i].pose.v[k] - before->nodes[i].pose.v[k]) < 1e-15);
        }
    }
    for (uint32_t i = 0; i < before->factor_count; i++) {
        for (int k = 0; k < 21; k++) {
            assert_true(fabs(after->factors[i].information[k] - before->factors[i].information[k]) < 1e-12);
        }
        assert_true(fabs(cairn_factor_chi2(after, i) - cairn_factor_chi2(before, i)) < 1e-12);
    }
}

static void writing_loses_nothing(void **state)
{
    (void)state;
    const char *plane = "VERTEX_SE2 3 0.1 0.3 3\nVERTEX_SE2 4 1.7 0.33333333333333331 -3\n"
                        "EDGE_SE2 3 4 1 2 0.5 1 0.1 0.2 2 0.3 3\n";
    const char *space = "VERTEX3 1 0.1 0.2 0.3 0.1 0.2 0.3\nVERTEX3 2 1 2 3 0.3 -0.2 3\n"
                        "EDGE3 1 2 1 2 3 0.1 0.1 0.1 5 0 0 0 0 0.4 6 0 0 0 0 7 0.3 0 0 8 0 0 9 0 10\n";
    round_trip(plane, "plane.g2o");
    round_trip(plane, "plane.graph");
    round_trip(space, "space.g2o");
    round_trip(space, "space.graph");
    round_trip("VERTEX_SE2 0 1 2 3\nFIX 0\nEDGE_PRIOR_SE2 0 1 2 3 1 0 0 1 0 1\n", "prior.g2o");
    round_trip("VERTEX3 7 1 2 3 0 0 0\nEDGE_SE3_PRIOR 7 0 1 2 3 0 0 0 1 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1\n",
               "prior3.g2o");
}

static size_t put_file(char *tar, size_t at, const char *name, const char *text)
{
    memcpy(tar + at, name, strlen(name));
    (void)snprintf(tar + at + 124, 12, "%011o", (unsigned)strlen(text));
    tar[at + 156] = '0';
    memcpy(tar + at + 257, "ustar", 5);
    memcpy(tar + at + 512, text, strlen(text));
    return at + 512 + (strlen(text) + 511) / 512 * 512;
}

#define FIRST_A "6989586621679009792"
#define FIRST_B "7061644215716937728"
#define UNIT " 1 0 0 1 0 1\n"

// Robots write one file each, and what two of them share is in both, rounded here and there. Twice would count twice.
// What one robot measured twice are two measurements, however equal: CSAIL has such a pair, and its best chi2 with it.
static void a_team_is_read_from_an_archive_and_what_two_robots_share_counts_once(void **state)
{
    (void)state;
    static char tar[8192];
    static cairn_complaints complaints;
    memset(tar, 0, sizeof tar);
    size_t size = put_file(tar, 0, "0.g2o",
                           "VERTEX_SE2 " FIRST_A " 0 0 0\n"
                           "EDGE_SE2 " FIRST_A " " FIRST_B " 12.0012 1 -0.5" UNIT "EDGE_SE2 " FIRST_A " " FIRST_B
                           " 11 1 -0.5" UNIT); // another measurement
    size = put_file(tar, size, "1.g2o",
                    "VERTEX_SE2 " FIRST_B " 0 0 0\n"
                    "EDGE_SE2 " FIRST_A " " FIRST_B " 12.00121 1 -0.5" UNIT);
    cairn_graph *graph;
    cairn_g2o_info info;
    cairn_arena_reset(&arena, 0);
    assert_ok(cairn_g2o_parse((const uint8_t *)tar, size + 1024, "team.tar", &arena, &complaints, &graph, &info));
    assert_int_equal(graph->node_count, 2);
    assert_int_equal(graph->factor_count, 2);
    assert_int_equal(info.factors_repeated, 1);
    assert_int_equal(info.other.count, 0);
    assert_int_equal(
        cairn_g2o_parse((const uint8_t *)tar, size - 512 - 1, "cut.tar", &arena, &complaints, &graph, &info),
        CAIRN_ERR_CORRUPT);
    assert_int_equal(complaints.count, 1);
    assert_ok(parse("EDGE_SE2 0 2 1 0 0" UNIT "EDGE_SE2 0 2 1 0 0" UNIT, &graph, &info));
    assert_int_equal(graph->factor_count, 2);
}

static cairn_graph *read_archive(const char *const names[], const char *const texts[], uint32_t count,
                                 cairn_g2o_info *ret_info)
{
    static char tar[16384];
    static cairn_complaints complaints;
    memset(tar, 0, sizeof tar);
    memset(&complaints, 0, sizeof complaints);
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) { size = put_file(tar, size, names[i], texts[i]); }
    cairn_graph *graph = NULL;
    cairn_arena_reset(&arena, 0);
    assert_ok(cairn_g2o_parse((const uint8_t *)tar, size + 1024, "team.tar", &arena, &complaints, &graph, ret_info));
    return graph;
}

#define NEXT_A "6989586621679009793"
#define NEXT_B "7061644215716937731"
#define OF_A "VERTEX_SE2 " FIRST_A " 0 0 0\nVERTEX_SE2 " NEXT_A " 1 0 0\nEDGE_SE2 " FIRST_A " " NEXT_A " 1 0 0" UNIT
#define OF_B                                                                                                           \
    "VERTEX_SE2 7061644215716937730 0 0 0\nVERTEX_SE2 " NEXT_B " 1 0 0\nEDGE_SE2 7061644215716937730 " NEXT_B          \
    " 1 0.5 0" UNIT
#define JOINT "EDGE_SE2 " NEXT_A " 7061644215716937730 3 0 0" UNIT
// The same with plain numbers, as the authors of blocks world have it.
#define WHOLE                                                                                                          \
    "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\nVERTEX_SE2 2 4 0 0\nVERTEX_SE2 3 5 0 0\nEDGE_SE2 0 1 1 0 0" UNIT          \
    "EDGE_SE2 1 2 3 0 0" UNIT "EDGE_SE2 2 3 1 0.5 0" UNIT

// Counted twice, every measurement would seem twice as sure, and the team would be there twice.
static void a_whole_graph_beside_its_parts_counts_once(void **state)
{
    (void)state;
    cairn_g2o_info info;
    const char *const names[] = {"0.g2o", "1.g2o", "full.g2o"};
    // Nothing in the whole that the parts do not have: the parts know whose nodes they are.
    const cairn_graph *graph = read_archive(names, (const char *const[]){OF_A JOINT, OF_B JOINT, WHOLE}, 3, &info);
    assert_int_equal(graph->node_count, 4);
    assert_int_equal(graph->factor_count, 3);
    assert_string_equal(info.whole, "full.g2o");
    assert_true(!info.is_whole_read);
    assert_int_equal(graph->nodes[0].robot, 97);
    // Something more in the whole: it is read alone.
    graph = read_archive(names, (const char *const[]){OF_A, OF_B, WHOLE}, 3, &info);
    assert_int_equal(graph->node_count, 4);
    assert_int_equal(graph->factor_count, 3);
    assert_string_equal(info.whole, "full.g2o");
    assert_true(info.is_whole_read);
    assert_int_equal(graph->nodes[0].robot, 0);
    // The same names in both, which cannot be read one after the other.
    graph = read_archive(names, (const char *const[]){OF_A, OF_A, OF_A OF_B JOINT}, 3, &info);
    assert_int_equal(graph->factor_count, 3);
    assert_true(info.is_whole_read);
    // Parts that are not all in it are parts.
    graph = read_archive(names, (const char *const[]){OF_A, OF_B JOINT}, 2, &info);
    assert_int_equal(graph->factor_count, 3);
    assert_string_equal(info.whole, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toro_and_g2o_order_information_differently),
        cmocka_unit_test(nodes_without_a_line_start_along_odometry),
        cmocka_unit_test(factors_may_stand_before_their_nodes_and_unknown_lines_are_counted),
        cmocka_unit_test(what_no_information_can_have_beside_its_diagonal_is_left_out_and_told),
        cmocka_unit_test(a_factor_from_a_node_to_itself_is_left_out_and_told),
        cmocka_unit_test(nodes_and_factors_that_are_not_known_are_told_apart_from_other_lines),
        cmocka_unit_test(a_mixture_of_right_and_nowhere_is_a_closure_and_one_of_two_places_is_not_read),
        cmocka_unit_test(edge2_in_g2os_order_is_seen_by_its_matrices),
        cmocka_unit_test(damaged_files_are_refused_with_a_reason),
        cmocka_unit_test(writing_loses_nothing),
        cmocka_unit_test(a_team_is_read_from_an_archive_and_what_two_robots_share_counts_once),
        cmocka_unit_test(a_whole_graph_beside_its_parts_counts_once),
    };
    if (cairn_arena_create(&arena, 1 << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
