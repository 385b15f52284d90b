// Three passes: one counts lines, so that memory is taken for what is there; one collects names, sorts them and places
// the nodes; one reads the factors, which may stand before the nodes that they name.
#include "slam/graph/g2o_io.h"
#include "maps/files/bytes_io.h"
#include "slam/graph/chain.h"
#include "slam/graph/repeats.h"
#include "slam/graph/whole.h"
#include "slam/log/text_walk.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX                                                                                                 \
    (2 * CAIRN_G2O_BYTES_MAX + ((size_t)1 << 20)) // packed and unpacked; untouched pages cost nothing
#define REACH_M_MAX 1e7                           // farther is a damaged file

typedef enum line_kind {
    LINE_OTHER,
    LINE_FIX,
    LINE_VERTEX2,
    LINE_VERTEX3_QUAT,
    LINE_VERTEX3_RPY,
    LINE_EDGE2_G2O,
    LINE_EDGE2_TORO,
    LINE_EDGE2_MIXTURE,
    LINE_PRIOR2,
    LINE_EDGE3_QUAT,
    LINE_EDGE3_RPY,
    LINE_PRIOR3,
} line_kind;

static const struct {
    const char *word;
    line_kind kind;
} tags[] = {
    {"VERTEX_SE2", LINE_VERTEX2},
    {"VERTEX2", LINE_VERTEX2},
    {"VERTEX_SE3:QUAT", LINE_VERTEX3_QUAT},
    {"VERTEX3", LINE_VERTEX3_RPY},
    {"EDGE_SE2", LINE_EDGE2_G2O},
    {"EDGE2", LINE_EDGE2_TORO},
    {"EDGE_SE2_MIXTURE", LINE_EDGE2_MIXTURE},
    {"EDGE_PRIOR_SE2", LINE_PRIOR2},
    {"EDGE_SE3:QUAT", LINE_EDGE3_QUAT},
    {"EDGE3", LINE_EDGE3_RPY},
    {"EDGE_SE3_PRIOR", LINE_PRIOR3},
    {"FIX", LINE_FIX},
};

typedef struct reading {
    cairn_text_walk walk;
    const char *name;
    cairn_complaints *complaints;
    cairn_graph *graph;
    uint64_t *names; // sorted, one for each node once they are known
    size_t name_count;
    line_kind edge2;                // LINE_EDGE2_TORO, or LINE_EDGE2_G2O: whose order EDGE2 has
    bool *is_placed, *has_odometry; // by node: had a line of its own; the node after it is linked to it
    cairn_g2o_info info;
} reading;

static cairn_err bad_line(const reading *r, const char *what)
{
    cairn_complain(r->complaints, r->name, r->walk.line, "%s", what);
    return CAIRN_ERR_CORRUPT;
}

// Counts the line, whose first word this is.
static void count_line(const reading *r, cairn_g2o_lines *lines, const char *word, size_t length)
{
    if (lines->count++ > 0) { return; }
    const size_t kept = length < sizeof lines->word ? length : sizeof lines->word - 1;
    lines->first = r->walk.line;
    memcpy(lines->word, word, kept);
    lines->word[kept] = 0;
}

static line_kind kind_of(cairn_text_walk *walk)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(walk, &word, &length)) { return LINE_OTHER; }
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (cairn_text_is(word, length, tags[i].word)) { return tags[i].kind; }
    }
    return LINE_OTHER;
}

static bool is_vertex(line_kind kind) { return kind >= LINE_VERTEX2 && kind <= LINE_VERTEX3_RPY; }
static bool is_factor(line_kind kind) { return kind >= LINE_EDGE2_G2O; }
static bool is_on_one(line_kind kind) { return kind == LINE_PRIOR2 || kind == LINE_PRIOR3; }
static uint32_t degrees_of(line_kind kind)
{
    return kind == LINE_VERTEX2 || (kind >= LINE_EDGE2_G2O && kind <= LINE_PRIOR2) ? 3 : 6;
}

// ---- words

static bool read_name(cairn_text_walk *walk, uint64_t *ret_name)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(walk, &word, &length) || length > 20) { return false; }
    uint64_t name = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)(word[i] - '0');
        if (digit > 9 || name > (UINT64_MAX - digit) / 10) { return false; }
        name = 10 * name + digit;
    }
    *ret_name = name;
    return true;
}

static bool read_reals(cairn_text_walk *walk, uint32_t count, double *ret_values)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!cairn_text_real(walk, &ret_values[i])) { return false; }
    }
    return true;
}

static bool read_pose(cairn_text_walk *walk, line_kind kind, cairn_graph_pose *ret_pose)
{
    const uint32_t degrees = degrees_of(kind);
    const bool is_quat = kind == LINE_VERTEX3_QUAT || kind == LINE_EDGE3_QUAT || kind == LINE_PRIOR3;
    double v[7];
    if (!read_reals(walk, degrees == 3 ? 3 : is_quat ? 7 : 6, v)) { return false; }
    for (uint32_t i = 0; i < (degrees == 3 ? 2 : 3); i++) {
        if (!(fabs(v[i]) < REACH_M_MAX)) { return false; }
    }
    if (degrees == 3) {
        *ret_pose = (cairn_graph_pose){{v[0], v[1], cairn_angle_wrap(v[2])}};
        return true;
    }
    cairn_quat turn;
    if (is_quat) { // files have them printed short, some far from unit
        const double length = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
        if (!(length > 0.5 && length < 2)) { return false; }
        turn = cairn_quat_normalise((cairn_quat){.w = v[6], .x = v[3], .y = v[4], .z = v[5]});
    } else {
        turn = cairn_quat_from_rpy((cairn_rpy){.roll_rad = v[3], .pitch_rad = v[4], .yaw_rad = v[5]});
    }
    *ret_pose = cairn_graph_pose_from3((cairn_pose3){.at_m = {v[0], v[1], v[2]}, .turn = turn});
    return true;
}

static bool line_is_over(cairn_text_walk walk)
{
    const char *word;
    size_t length;
    return !cairn_text_word(&walk, &word, &length);
}

static bool read_information(cairn_text_walk *walk, line_kind kind, double *ret_upper)
{
    double v[21];
    if (kind == LINE_EDGE3_RPY && line_is_over(*walk)) { // TORO allows none: the same about everything
        static const uint8_t diagonal[6] = {0, 6, 11, 15, 18, 20};
        memset(ret_upper, 0, 21 * sizeof *ret_upper);
        for (uint32_t i = 0; i < 6; i++) { ret_upper[diagonal[i]] = i < 3 ? 1 : 4; }
        return true;
    }
    if (!read_reals(walk, degrees_of(kind) == 3 ? 6 : 21, v)) { return false; }
    if (kind == LINE_EDGE2_TORO) { // I11 I12 I22 I33 I13 I23
        memcpy(ret_upper, (double[6]){v[0], v[1], v[4], v[2], v[5], v[3]}, 6 * sizeof *v);
        return true;
    }
    memcpy(ret_upper, v, (degrees_of(kind) == 3 ? 6 : 21) * sizeof *v);
    if (kind != LINE_EDGE3_RPY) { return true; }
    for (uint32_t row = 0, at = 0; row < 6; row++) {
        for (uint32_t column = row; column < 6; column++, at++) {
            ret_upper[at] *= (row < 3 ? 1 : 2) * (column < 3 ? 1 : 2);
        }
    }
    return true;
}

// ---- passes

typedef struct counts {
    size_t vertices, factors;
    uint32_t degrees;
    uint32_t unsound_toro, unsound_g2o; // informations of EDGE2, by whose order they are read
} counts;

// Of a line that is not known. Blank ones and remarks are for people.
static void count_unknown(reading *r, cairn_text_walk line)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(&line, &word, &length) || word[0] == '#') { return; }
    const bool is_of_graph =
        (length >= 6 && memcmp(word, "VERTEX", 6) == 0) || (length >= 4 && memcmp(word, "EDGE", 4) == 0);
    count_line(r, is_of_graph ? &r->info.unread : &r->info.other, word, length);
}

// In whose order an EDGE2's information makes sense. A line that is cut off is told of later.
static void weigh_orders(cairn_text_walk line, counts *n)
{
    uint64_t name;
    double pose[3], upper[6];
    for (int i = 0; i < 2; i++) {
        if (!read_name(&line, &name)) { return; }
    }
    if (!read_reals(&line, 3, pose)) { return; }
    cairn_text_walk again = line;
    if (!read_information(&line, LINE_EDGE2_TORO, upper)) { return; }
    n->unsound_toro += !cairn_information_is_sound(3, upper);
    if (read_information(&again, LINE_EDGE2_G2O, upper)) { n->unsound_g2o += !cairn_information_is_sound(3, upper); }
}

static cairn_err count_lines(reading *r, counts *ret_counts)
{
    counts n = {0};
    cairn_text_walk *walk = &r->walk;
    while (cairn_text_next_line(walk)) {
        const cairn_text_walk line = *walk;
        const line_kind kind = kind_of(walk);
        if (kind == LINE_OTHER) { count_unknown(r, line); }
        if (kind == LINE_OTHER || kind == LINE_FIX) { continue; }
        if (kind == LINE_EDGE2_TORO) { weigh_orders(*walk, &n); }
        const uint32_t degrees = degrees_of(kind);
        if (n.degrees != 0 && n.degrees != degrees) {
            return bad_line(r, "a graph is in the plane or in space, not both");
        }
        n.degrees = degrees;
        n.vertices += is_vertex(kind);
        n.factors += is_factor(kind);
    }
    if (n.vertices + n.factors == 0) {
        cairn_complain(r->complaints, r->name, 0,
                       "no pose graph in here; VERTEX_SE2, EDGE_SE2 or the like are expected");
        return CAIRN_ERR_EMPTY;
    }
    if (n.vertices > CAIRN_GRAPH_NODES_MAX || n.factors > CAIRN_GRAPH_FACTORS_MAX) {
        cairn_complain(r->complaints, r->name, 0, "%zu nodes and %zu factors; at most %u and %u can be read",
                       n.vertices, n.factors, CAIRN_GRAPH_NODES_MAX, CAIRN_GRAPH_FACTORS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    r->info.is_g2o_order = n.unsound_toro > n.unsound_g2o;
    r->edge2 = r->info.is_g2o_order ? LINE_EDGE2_G2O : LINE_EDGE2_TORO;
    *ret_counts = n;
    return CAIRN_OK;
}

static int by_name(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static cairn_err collect_names(reading *r)
{
    while (cairn_text_next_line(&r->walk)) {
        const line_kind kind = kind_of(&r->walk);
        if (kind == LINE_OTHER || kind == LINE_FIX) { continue; }
        const uint32_t count = is_factor(kind) && !is_on_one(kind) ? 2 : 1;
        for (uint32_t i = 0; i < count; i++) {
            if (!read_name(&r->walk, &r->names[r->name_count])) {
                return bad_line(r, "a node's number is missing or none");
            }
            r->name_count++;
        }
    }
    qsort(r->names, r->name_count, sizeof *r->names, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < r->name_count; i++) {
        if (kept == 0 || r->names[i] != r->names[kept - 1]) { r->names[kept++] = r->names[i]; }
    }
    r->name_count = kept;
    return CAIRN_OK;
}

static bool find_node(const reading *r, uint64_t name, uint32_t *ret_index)
{
    const uint64_t *found = bsearch(&name, r->names, r->name_count, sizeof name, by_name);
    if (!found) { return false; }
    *ret_index = (uint32_t)(found - r->names);
    return true;
}

static cairn_err add_nodes(reading *r)
{
    const cairn_graph_pose origin =
        r->graph->def.degrees == 3 ? (cairn_graph_pose){{0}} : cairn_graph_pose_from3(cairn_pose3_identity());
    for (size_t i = 0; i < r->name_count; i++) {
        const cairn_graph_node node = {
            .pose = origin, .name = r->names[i], .robot = (uint16_t)(r->names[i] >> CAIRN_GRAPH_ROBOT_SHIFT)};
        const cairn_err err = cairn_graph_add_node(r->graph, &node, NULL);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

static cairn_err read_vertex(reading *r, line_kind kind)
{
    uint64_t name;
    uint32_t index;
    cairn_graph_pose pose;
    if (!read_name(&r->walk, &name) || !find_node(r, name, &index)) {
        return bad_line(r, "a node's number is missing");
    }
    if (!read_pose(&r->walk, kind, &pose)) { return bad_line(r, "the pose is cut off, or not a pose"); }
    if (r->is_placed[index]) { return bad_line(r, "this node was there before"); }
    r->is_placed[index] = true;
    r->graph->nodes[index].pose = pose;
    return CAIRN_OK;
}

static cairn_err read_fix(reading *r)
{
    uint64_t name;
    uint32_t index;
    while (!line_is_over(r->walk)) {
        if (!read_name(&r->walk, &name) || !find_node(r, name, &index)) {
            return bad_line(r, "FIX wants numbers of nodes");
        }
        r->graph->nodes[index].is_fixed = true;
    }
    return CAIRN_OK;
}

// Up to and with the names of a mixture's next part, which repeats them after its weight.
static bool enter_part(cairn_text_walk *walk)
{
    const char *word;
    size_t length;
    double weight;
    uint64_t name;
    return cairn_text_word(walk, &word, &length) && cairn_text_is(word, length, "EDGE_SE2") &&
           cairn_text_real(walk, &weight) && read_name(walk, &name) && read_name(walk, &name);
}

// Whether the parts after the first measured the same as it. False at *ret_whole: they are cut off.
static bool is_one_place(cairn_text_walk walk, uint32_t parts, const cairn_factor *first, bool *ret_whole)
{
    bool is_one = true;
    *ret_whole = true;
    for (uint32_t i = 1; i < parts && *ret_whole; i++) {
        cairn_factor other;
        *ret_whole = enter_part(&walk) && read_pose(&walk, LINE_EDGE2_G2O, &other.measured) &&
                     read_information(&walk, LINE_EDGE2_G2O, other.information);
        is_one &= *ret_whole && cairn_factor_measures_same(3, first, &other);
    }
    return is_one;
}

static void say_kind(reading *r, cairn_factor *factor)
{
    factor->kind = factor->from == CAIRN_GRAPH_NONE ? CAIRN_FACTOR_GLOBAL : CAIRN_FACTOR_CLOSURE;
    if (factor->from == CAIRN_GRAPH_NONE) { return; }
    const uint32_t low = factor->from < factor->to ? factor->from : factor->to;
    const uint32_t high = factor->from + factor->to - low;
    if (high == low + 1 && r->names[high] == r->names[low] + 1 && !r->has_odometry[low]) {
        r->has_odometry[low] = true;
        factor->kind = CAIRN_FACTOR_ODOMETRY;
    }
}

// Leaves out what cannot stand beside the diagonal: only what is too large for it, or everything.
static void decouple(uint32_t degrees, bool everything, double *upper)
{
    double diagonal[6];
    for (uint32_t row = 0, at = 0; row < degrees; at += degrees - row, row++) { diagonal[row] = upper[at]; }
    for (uint32_t row = 0, at = 0; row < degrees; row++, at++) {
        for (uint32_t column = row + 1; column < degrees; column++) {
            at++;
            if (everything || upper[at] * upper[at] > diagonal[row] * diagonal[column]) { upper[at] = 0; }
        }
    }
}

static void mend_information(reading *r, double *upper)
{
    const uint32_t degrees = r->graph->def.degrees;
    if (cairn_information_is_sound(degrees, upper)) { return; }
    decouple(degrees, false, upper);
    if (!cairn_information_is_sound(degrees, upper)) { decouple(degrees, true, upper); }
    if (r->info.factors_decoupled++ == 0) { r->info.line_decoupled = (uint32_t)r->walk.line; }
}

// The names of its nodes. CAIRN_ERR_CORRUPT if they are missing.
static cairn_err read_ends(reading *r, line_kind kind, cairn_factor *factor)
{
    uint64_t name;
    factor->from = CAIRN_GRAPH_NONE;
    if ((!is_on_one(kind) && (!read_name(&r->walk, &name) || !find_node(r, name, &factor->from))) ||
        !read_name(&r->walk, &name) || !find_node(r, name, &factor->to)) {
        return bad_line(r, "a node's number is missing");
    }
    return CAIRN_OK;
}

// What it measured. Of a mixture, how many parts it has.
static cairn_err read_measured(reading *r, line_kind kind, cairn_factor *factor, uint32_t *ret_parts)
{
    uint32_t parameter;
    *ret_parts = 1;
    if (kind == LINE_EDGE2_MIXTURE &&
        (!cairn_text_count(&r->walk, ret_parts) || *ret_parts == 0 || !enter_part(&r->walk))) {
        return bad_line(r, "a mixture without EDGE_SE2 in it");
    }
    if (kind == LINE_PRIOR3 && !cairn_text_count(&r->walk, &parameter)) {
        return bad_line(r, "a parameter is missing");
    }
    if (!read_pose(&r->walk, kind, &factor->measured)) {
        return bad_line(r, "the measured pose is cut off, or not a pose");
    }
    if (!read_information(&r->walk, kind == LINE_EDGE2_TORO ? r->edge2 : kind, factor->information)) {
        return bad_line(r, "the information matrix is cut off, or not of numbers");
    }
    return CAIRN_OK;
}

static cairn_err read_factor(reading *r, line_kind kind)
{
    static const char mixture[] = "EDGE_SE2_MIXTURE";
    cairn_factor factor = {0};
    uint32_t parts;
    cairn_err err = read_ends(r, kind, &factor);
    if (err != CAIRN_OK) { return err; }
    if (factor.from == factor.to) {
        count_line(r, &r->info.looped, "", 0);
        return CAIRN_OK;
    }
    err = read_measured(r, kind, &factor, &parts);
    if (err != CAIRN_OK) { return err; }
    if (kind == LINE_EDGE2_MIXTURE) {
        bool is_whole;
        const bool is_one = is_one_place(r->walk, parts, &factor, &is_whole);
        if (!is_whole) { return bad_line(r, "a mixture that is cut off"); }
        count_line(r, is_one ? &r->info.mixed : &r->info.unread, mixture, sizeof mixture - 1);
        if (!is_one) { return CAIRN_OK; }
    }
    mend_information(r, factor.information);
    say_kind(r, &factor);
    err = cairn_graph_add_factor(r->graph, &factor, NULL);
    return err == CAIRN_ERR_INVALID ? bad_line(r, "an information matrix with less than 0 on its diagonal") : err;
}

static cairn_err read_all(reading *r)
{
    while (cairn_text_next_line(&r->walk)) {
        const line_kind kind = kind_of(&r->walk);
        cairn_err err = CAIRN_OK;
        if (kind == LINE_FIX) { err = read_fix(r); }
        if (is_vertex(kind)) { err = read_vertex(r, kind); }
        if (is_factor(kind)) { err = read_factor(r, kind); }
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

static cairn_err parse_with(reading *r, const uint8_t *bytes, size_t size_bytes, cairn_arena *arena,
                            cairn_arena *scratch)
{
    counts n = {0};
    r->walk = cairn_text_walk_of(bytes, size_bytes);
    cairn_err err = count_lines(r, &n);
    if (err != CAIRN_OK) { return err; }
    r->names = CAIRN_TAKE(scratch, uint64_t, n.vertices + 2 * n.factors);
    if (!r->names) { return CAIRN_ERR_FULL; }
    r->walk = cairn_text_walk_of(bytes, size_bytes);
    err = collect_names(r);
    if (err != CAIRN_OK) { return err; }
    if (r->name_count > CAIRN_GRAPH_NODES_MAX) { return CAIRN_ERR_TOO_LARGE; }
    r->is_placed = CAIRN_TAKE(scratch, bool, r->name_count);
    r->has_odometry = CAIRN_TAKE(scratch, bool, r->name_count);
    const cairn_graph_def def = {
        .degrees = n.degrees, .nodes_max = (uint32_t)r->name_count, .factors_max = (uint32_t)n.factors};
    err = r->is_placed && r->has_odometry ? cairn_graph_create(&def, arena, &r->graph) : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = add_nodes(r); }
    r->walk = cairn_text_walk_of(bytes, size_bytes);
    if (err == CAIRN_OK) { err = read_all(r); }
    if (err == CAIRN_OK) { err = cairn_graph_drop_repeats(r->graph, scratch, &r->info.factors_repeated); }
    if (err != CAIRN_OK) { return err; }
    for (size_t i = 0; i < r->name_count; i++) { r->info.nodes_chained += !r->is_placed[i]; }
    return r->info.nodes_chained > 0 ? cairn_graph_chain(r->graph, r->is_placed, scratch) : CAIRN_OK;
}

// Names, flags and chaining: a line has at least 10 bytes and brings two names, a node and a factor at most.
static size_t scratch_bytes(size_t size_bytes) { return 18 * size_bytes + 65536; }

static cairn_err parse_text(reading *r, const uint8_t *bytes, size_t size_bytes, cairn_arena *arena)
{
    cairn_arena scratch;
    cairn_err err = cairn_arena_create(&scratch, scratch_bytes(size_bytes));
    if (err != CAIRN_OK) { return err; }
    err = parse_with(r, bytes, size_bytes, arena, &scratch);
    cairn_arena_destroy(&scratch);
    return err;
}

// Of a whole graph beside its parts, the parts are read if they have all factors and as many poses, and tell whose
// nodes they are; else the whole, unless it lacks poses that they have.
static void leave_out(cairn_tar_file *files, uint32_t count, const cairn_whole *whole, const uint32_t *placed_counts,
                      bool is_all_placed, cairn_g2o_info *info)
{
    uint32_t placed_by_parts = 0;
    for (uint32_t i = 0; i < count; i++) { placed_by_parts += i == whole->index ? 0 : placed_counts[i]; }
    const bool are_parts_enough = !whole->has_more && placed_by_parts >= placed_counts[whole->index];
    if (!are_parts_enough && !is_all_placed && placed_by_parts > 0) { return; }
    memcpy(info->whole, files[whole->index].name, sizeof info->whole);
    info->is_whole_read = !are_parts_enough;
    for (uint32_t i = 0; i < count; i++) { files[i].is_left_out = (i == whole->index) == are_parts_enough; }
}

// Looks for a whole graph beside its parts. An archive with a file that is no graph is left as it is: reading it will
// tell.
static cairn_err choose_files(cairn_tar_file *files, uint32_t count, cairn_arena *arena, cairn_g2o_info *info)
{
    const cairn_graph **graphs = CAIRN_TAKE(arena, const cairn_graph *, (size_t)count + 1);
    uint32_t *placed_counts = CAIRN_TAKE(arena, uint32_t, (size_t)count + 1);
    if (!graphs || !placed_counts) { return CAIRN_ERR_FULL; }
    cairn_complaints unheard = {0};
    for (uint32_t i = 0; i < count; i++) {
        reading r = {.name = files[i].name, .complaints = &unheard};
        const cairn_err err = parse_text(&r, files[i].bytes, files[i].size_bytes, arena);
        if (err != CAIRN_OK) { return err == CAIRN_ERR_FULL ? err : CAIRN_OK; }
        graphs[i] = r.graph;
        placed_counts[i] = r.graph->node_count - r.info.nodes_chained;
    }
    cairn_whole whole;
    const cairn_err err = cairn_graph_find_whole(graphs, count, arena, &whole);
    if (err != CAIRN_OK || whole.index == CAIRN_GRAPH_NONE) { return err; }
    leave_out(files, count, &whole, placed_counts, placed_counts[whole.index] == graphs[whole.index]->node_count, info);
    return CAIRN_OK;
}

static cairn_err parse_archive(reading *r, const uint8_t *bytes, size_t size_bytes, cairn_arena *arena)
{
    cairn_arena files_arena; // the files' graphs: a line of 28 bytes makes a factor of 240 at most; and their text
    cairn_err err = cairn_arena_create(&files_arena, 24 * size_bytes + 65536);
    if (err != CAIRN_OK) { return err; }
    cairn_tar_file *files = NULL;
    uint32_t count = 0;
    const uint8_t *text = NULL;
    size_t text_bytes = 0;
    err = cairn_tar_list(bytes, size_bytes, &files_arena, &files, &count);
    if (err == CAIRN_ERR_CORRUPT) { cairn_complain(r->complaints, r->name, 0, "a tar archive that is cut off"); }
    const size_t mark = cairn_arena_mark(&files_arena);
    if (err == CAIRN_OK) { err = choose_files(files, count, &files_arena, &r->info); }
    cairn_arena_reset(&files_arena, mark);
    if (err == CAIRN_OK) { err = cairn_tar_join(files, count, &files_arena, &text, &text_bytes); }
    if (err == CAIRN_OK) { err = parse_text(r, text, text_bytes, arena); }
    cairn_arena_destroy(&files_arena);
    return err;
}

cairn_err cairn_g2o_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *arena,
                          cairn_complaints *complaints, cairn_graph **ret_graph, cairn_g2o_info *ret_info)
{
    reading r = {.name = name_for_errors, .complaints = complaints};
    const size_t mark = cairn_arena_mark(arena);
    const cairn_err err = (cairn_tar_is(bytes, size_bytes) ? parse_archive : parse_text)(&r, bytes, size_bytes, arena);
    if (err != CAIRN_OK) {
        if (err == CAIRN_ERR_FULL) {
            cairn_complain(complaints, name_for_errors, 0, "needs more memory than there is");
        }
        cairn_arena_reset(arena, mark);
        return err;
    }
    *ret_graph = r.graph;
    if (ret_info) { *ret_info = r.info; }
    return CAIRN_OK;
}

cairn_err cairn_g2o_open(const char *path, cairn_arena *arena, cairn_complaints *complaints, cairn_graph **ret_graph,
                         cairn_g2o_info *ret_info)
{
    cairn_arena text;
    cairn_err err = cairn_arena_create(&text, TEXT_BYTES_MAX);
    if (err != CAIRN_OK) { return err; }
    const uint8_t *bytes;
    size_t size_bytes;
    err = cairn_bytes_read(path, CAIRN_G2O_BYTES_MAX, &text, complaints, &bytes, &size_bytes);
    if (err == CAIRN_OK) {
        err = cairn_bytes_unpack(bytes, size_bytes, path, CAIRN_G2O_BYTES_MAX, &text, complaints, &bytes, &size_bytes);
    }
    if (err == CAIRN_OK) { err = cairn_g2o_parse(bytes, size_bytes, path, arena, complaints, ret_graph, ret_info); }
    cairn_arena_destroy(&text);
    return err;
}
