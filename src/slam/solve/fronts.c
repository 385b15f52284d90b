// The structure of the factor: columns, then fronts that join columns of (nearly) the same structure, then where every
// block goes. Columns are counted by `local`, their place in the order that is being built.
#include "slam/solve/fronts.h"
#include "slam/solve/fronts_kernels.h"
#include "slam/solve/fused.h"
#include <string.h>

#define NONE CAIRN_GRAPH_NONE
#define SLACK CAIRN_FRONT_LANES // doubles after the values that kernels may read

// What a front costs, in units of one block multiplication: measured on M3500 by what makes its factorisation fastest.
#define COST_FRONT 30.0   // setting one up
#define COST_ROW_PAIR 0.6 // carrying one block of an update to the parent

static uint32_t padded(uint32_t count)
{
    return (count + CAIRN_FRONT_LANES - 1) / CAIRN_FRONT_LANES * CAIRN_FRONT_LANES;
}

static bool take_arrays(cairn_fronts *f, cairn_arena *arena, const cairn_fronts_def *room)
{
    f->fronts = CAIRN_TAKE(arena, cairn_front, (size_t)room->fronts_max + 1);
    f->vars = CAIRN_TAKE(arena, uint32_t, (size_t)room->vars_max + 1);
    f->places = CAIRN_TAKE(arena, uint32_t, (size_t)room->vars_max + 1);
    f->run_ends = CAIRN_TAKE(arena, uint32_t, (size_t)room->vars_max + 1);
    f->entries = CAIRN_TAKE(arena, cairn_front_entry, (size_t)room->entries_max + 1);
    f->values = CAIRN_TAKE(arena, double, room->values_max + SLACK);
    return f->fronts && f->vars && f->places && f->run_ends && f->entries && f->values;
}

cairn_err cairn_fronts_create(const cairn_fronts_def *def, cairn_arena *arena, cairn_fronts **ret_fronts)
{
    CAIRN_ASSERT(def->degrees == 3 || def->degrees == 6);
    cairn_fronts *f = CAIRN_TAKE(arena, cairn_fronts, 1);
    if (!f) { return CAIRN_ERR_FULL; }
    f->def = *def;
    f->front_of = CAIRN_TAKE(arena, uint32_t, def->variables_max);
    f->local_of = CAIRN_TAKE(arena, uint32_t, def->variables_max);
    f->column = CAIRN_TAKE(arena, double, (size_t)def->variables_max * def->degrees + 2 * SLACK);
    if (!f->front_of || !f->local_of || !f->column) { return CAIRN_ERR_FULL; }
    memset(f->front_of, 0xff, def->variables_max * sizeof *f->front_of);
    memset(f->local_of, 0xff, def->variables_max * sizeof *f->local_of);
    if (def->fronts_max == 0) {
        f->arena = arena;
    } else if (!take_arrays(f, arena, def)) {
        return CAIRN_ERR_FULL;
    }
    *ret_fronts = f;
    return CAIRN_OK;
}

void cairn_fronts_clear(cairn_fronts *f)
{
    f->front_count = f->vars_used = f->entries_used = 0;
    f->values_used = 0;
    memset(f->front_of, 0xff, f->def.variables_max * sizeof *f->front_of);
}

// ---- columns

typedef struct column {
    uint32_t *rows; // later columns that it touches, ascending
    uint32_t row_count;
    uint32_t child, sibling; // columns whose first row is this one
    uint32_t orphan;         // first of the orphans whose first row is this one; they are linked by `sibling`
    uint32_t pivot_count;    // of the front that ends with it
    uint32_t pivot_first;    // linked by `pivot_next`
    uint32_t pivot_next;
    uint32_t front_child; // fronts that end with other columns and hang below this one's; linked by front_sibling
    uint32_t front_sibling;
    uint32_t front;   // its number; NONE if the column is within another's front
    size_t update_at; // where a batch has its update, after the panels
} column;

typedef struct building {
    cairn_fronts *f;
    const cairn_incidence *incidence;
    const uint32_t *order;
    uint32_t count;
    column *columns;
    uint32_t *stamp, *found; // by local
    uint32_t *place;         // by local: where the front at hand has it
    cairn_arena *scratch;
    size_t updates_at; // of a batch: behind all panels
} building;

static void add_found(building *b, uint32_t k, uint32_t local, uint32_t *count)
{
    if (b->stamp[local] == k || local == k) { return; }
    b->stamp[local] = k;
    b->found[(*count)++] = local;
}

static void sort_few(uint32_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) { values[at] = values[at - 1]; }
        values[at] = value;
    }
}

static uint32_t largest_child(const building *b, uint32_t k)
{
    uint32_t best = NONE;
    for (uint32_t c = b->columns[k].child; c != NONE; c = b->columns[c].sibling) {
        if (best == NONE || b->columns[c].row_count > b->columns[best].row_count) { best = c; }
    }
    return best;
}

// What the matrix, the other children and orphans add to the largest child's rows: few, so that sorting them is cheap.
static uint32_t find_more_rows(building *b, uint32_t k, uint32_t base)
{
    const column *here = &b->columns[k];
    uint32_t count = 0;
    const uint32_t *next = b->incidence->next, *ends = b->incidence->ends;
    for (uint32_t s = b->incidence->head[b->order[k]]; s != NONE; s = next[s]) {
        const uint32_t other = ends[s ^ 1u];
        const uint32_t local = other == NONE ? NONE : b->f->local_of[other];
        if (local != NONE && local > k) { add_found(b, k, local, &count); }
    }
    for (uint32_t c = here->child; c != NONE; c = b->columns[c].sibling) {
        if (c == base) { continue; }
        for (uint32_t i = 0; i < b->columns[c].row_count; i++) { add_found(b, k, b->columns[c].rows[i], &count); }
    }
    for (uint32_t o = here->orphan; o != NONE; o = b->f->fronts[o].sibling) {
        const cairn_front *front = &b->f->fronts[o];
        for (uint32_t i = 0; i < front->row_count; i++) {
            add_found(b, k, b->f->local_of[b->f->vars[front->vars_at + front->pivot_count + i]], &count);
        }
    }
    return count;
}

static bool make_column(building *b, uint32_t k)
{
    column *here = &b->columns[k];
    const uint32_t base = largest_child(b, k);
    const uint32_t base_count = base == NONE ? 0 : b->columns[base].row_count;
    const uint32_t *base_rows = base == NONE ? NULL : b->columns[base].rows;
    for (uint32_t i = 0; i < base_count; i++) { b->stamp[base_rows[i]] = k; }
    const uint32_t more = find_more_rows(b, k, base);
    sort_few(b->found, more);
    here->rows = CAIRN_TAKE(b->scratch, uint32_t, (size_t)base_count + more + 1);
    if (!here->rows) { return false; }
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < base_count; i++) {
        if (base_rows[i] == k) { continue; }
        while (at < more && b->found[at] < base_rows[i]) { here->rows[count++] = b->found[at++]; }
        here->rows[count++] = base_rows[i];
    }
    while (at < more) { here->rows[count++] = b->found[at++]; }
    here->row_count = count;
    if (count > 0) {
        here->sibling = b->columns[here->rows[0]].child;
        b->columns[here->rows[0]].child = k;
    }
    return true;
}

// ---- fronts

// Joins the front that ends with a child to the front that ends with k if the zeros that this brings cost less than a
// front of its own.
static bool is_worth_joining(const column *child, const column *here)
{
    const double rows = here->pivot_count + here->row_count, own = child->row_count;
    const double zeros_cost = 0.5 * child->pivot_count * (rows * rows - own * own);
    return zeros_cost <= COST_FRONT + COST_ROW_PAIR * 0.5 * own * own;
}

static void join_front(building *b, column *child, column *here)
{
    uint32_t last = child->pivot_first;
    while (b->columns[last].pivot_next != NONE) { last = b->columns[last].pivot_next; }
    b->columns[last].pivot_next = here->pivot_first;
    here->pivot_first = child->pivot_first;
    here->pivot_count += child->pivot_count;
    for (uint32_t c = child->front_child; c != NONE;) {
        const uint32_t next = b->columns[c].front_sibling;
        b->columns[c].front_sibling = here->front_child;
        here->front_child = c;
        c = next;
    }
}

static void form_front(building *b, uint32_t k)
{
    column *here = &b->columns[k];
    here->pivot_first = k;
    here->pivot_count = 1;
    const uint32_t largest = largest_child(b, k); // first: it most likely has the same structure
    if (largest != NONE && is_worth_joining(&b->columns[largest], here)) {
        join_front(b, &b->columns[largest], here);
    } else if (largest != NONE) {
        b->columns[largest].front_sibling = here->front_child;
        here->front_child = largest;
    }
    for (uint32_t c = here->child; c != NONE; c = b->columns[c].sibling) {
        if (c == largest) { continue; }
        if (is_worth_joining(&b->columns[c], here)) {
            join_front(b, &b->columns[c], here);
        } else {
            b->columns[c].front_sibling = here->front_child;
            here->front_child = c;
        }
    }
}

// Numbers fronts so that children come before parents, and close to them: what a child leaves is still in the cache.
static void number_below(building *b, uint32_t top, uint32_t *stack, uint32_t *number)
{
    uint32_t depth = 0;
    stack[depth++] = top;
    while (depth > 0) {
        column *at = &b->columns[stack[depth - 1]];
        const uint32_t child = at->front_child;
        if (child != NONE) { // taken off its list; `child` of the column is free to keep it for later
            at->front_child = b->columns[child].front_sibling;
            b->columns[child].front_sibling = at->child;
            at->child = child;
            stack[depth++] = child;
        } else {
            at->front = (*number)++;
            depth--;
        }
    }
}

// ---- where updates lie in a batch: they are only needed until the parent is done, so that few fit the cache

typedef struct hole {
    size_t at, size;
} hole;

typedef struct holes {
    hole *list;
    uint32_t count;
    size_t end; // all beyond is free
} holes;

static size_t fill_hole(holes *h, size_t size)
{
    for (uint32_t i = h->count; i-- > 0;) {
        hole *at_hand = &h->list[i];
        if (at_hand->size < size) { continue; }
        const size_t at = at_hand->at;
        at_hand->at += size;
        at_hand->size -= size;
        if (at_hand->size == 0) { *at_hand = h->list[--h->count]; }
        return at;
    }
    h->end += size;
    return h->end - size;
}

static void open_hole(holes *h, size_t at, size_t size)
{
    for (uint32_t i = 0; i < h->count; i++) { // joins with a neighbour if there is one
        hole *at_hand = &h->list[i];
        if (at_hand->at + at_hand->size == at) {
            at_hand->size += size;
            return;
        }
        if (at + size == at_hand->at) {
            at_hand->at = at;
            at_hand->size += size;
            return;
        }
    }
    if (size > 0) { h->list[h->count++] = (hole){at, size}; }
}

static size_t update_size(const building *b, const column *at)
{
    const uint32_t numbers = at->row_count * b->f->def.degrees;
    return (size_t)padded(numbers) * numbers;
}

// Returns how much room they need at once.
static size_t place_updates(building *b, const uint32_t *top_of, uint32_t number, hole *list)
{
    holes h = {.list = list};
    for (uint32_t i = 0; i < number; i++) {
        column *at = &b->columns[top_of[i]];
        at->update_at = fill_hole(&h, update_size(b, at));
        for (uint32_t c = at->child; c != NONE; c = b->columns[c].front_sibling) {
            open_hole(&h, b->columns[c].update_at, update_size(b, &b->columns[c]));
        }
    }
    return h.end;
}

static cairn_fronts_def count_room(const building *b)
{
    const uint32_t degrees = b->f->def.degrees;
    cairn_fronts_def room = {.degrees = degrees};
    for (uint32_t k = 0; k < b->count; k++) {
        const column *at = &b->columns[k];
        for (uint32_t s = b->incidence->head[b->order[k]]; s != NONE; s = b->incidence->next[s]) {
            const uint32_t other = b->incidence->ends[s ^ 1u];
            room.entries_max += other != NONE && b->f->local_of[other] != NONE && b->f->local_of[other] > k;
        }
        if (at->front == NONE) { continue; }
        room.fronts_max++;
        room.vars_max += at->pivot_count + at->row_count;
        room.values_max += (size_t)padded((at->pivot_count + at->row_count) * degrees) * at->pivot_count * degrees;
        if (!b->f->arena) { room.values_max += update_size(b, at); }
    }
    return room;
}

static bool get_room(building *b, const cairn_fronts_def *room)
{
    cairn_fronts *f = b->f;
    if (f->arena) { return take_arrays(f, f->arena, room); }
    return f->front_count + room->fronts_max <= f->def.fronts_max && f->vars_used + room->vars_max <= f->def.vars_max &&
           f->entries_used + room->entries_max <= f->def.entries_max &&
           f->values_used + room->values_max <= f->def.values_max;
}

static void place_child(building *b, uint32_t child, uint32_t parent)
{
    cairn_fronts *f = b->f;
    cairn_front *front = &f->fronts[child];
    front->parent = parent;
    front->sibling = f->fronts[parent].child;
    f->fronts[parent].child = child;
    front->is_ordered = true;
    const uint32_t at = front->vars_at + front->pivot_count;
    for (uint32_t i = at; i < at + front->row_count; i++) {
        f->places[i] = b->place[f->local_of[f->vars[i]]];
        if (i > at && f->places[i] < f->places[i - 1]) { front->is_ordered = false; }
    }
    const uint32_t pivots = f->fronts[parent].pivot_count;
    for (uint32_t row = front->row_count; row-- > 0;) {
        const uint32_t place = f->places[at + row];
        const bool goes_on = row + 1 < front->row_count && f->places[at + row + 1] == place + 1 && place + 1 != pivots;
        f->run_ends[at + row] = goes_on ? f->run_ends[at + row + 1] : row + 1;
    }
}

static void write_entries(building *b, cairn_front *front)
{
    cairn_fronts *f = b->f;
    const uint32_t degrees = f->def.degrees;
    front->entries_at = f->entries_used;
    for (uint32_t p = 0; p < front->pivot_count; p++) {
        const uint32_t var = f->vars[front->vars_at + p], k = f->local_of[var];
        for (uint32_t s = b->incidence->head[var]; s != NONE; s = b->incidence->next[s]) {
            const uint32_t other = b->incidence->ends[s ^ 1u];
            const uint32_t local = other == NONE ? NONE : f->local_of[other];
            if (local == NONE || local < k) { continue; }
            f->entries[f->entries_used++] = (cairn_front_entry){
                .factor = s / 2,
                .at = (p * front->stride + b->place[local]) * degrees & 0x7fffffffu,
                .is_transposed = (s & 1u) == 0, // the column is the `from`, so the row is the `to`
            };
        }
    }
    front->entry_count = f->entries_used - front->entries_at;
}

static void write_front(building *b, uint32_t k, uint32_t first)
{
    cairn_fronts *f = b->f;
    const column *at = &b->columns[k];
    const uint32_t index = first + at->front, degrees = f->def.degrees;
    cairn_front *front = &f->fronts[index];
    *front = (cairn_front){.pivot_count = at->pivot_count,
                           .row_count = at->row_count,
                           .vars_at = f->vars_used,
                           .parent = NONE,
                           .child = NONE,
                           .sibling = NONE,
                           .stride = padded((at->pivot_count + at->row_count) * degrees),
                           .update_stride = padded(at->row_count * degrees),
                           .panel_at = f->values_used,
                           .is_alive = true,
                           .is_ordered = true};
    f->values_used += (size_t)front->stride * front->pivot_count * degrees;
    front->update_at = f->arena ? b->updates_at + at->update_at : f->values_used;
    if (!f->arena) { f->values_used += update_size(b, at); }
    uint32_t place = 0;
    for (uint32_t p = at->pivot_first; p != NONE; p = b->columns[p].pivot_next) {
        f->front_of[b->order[p]] = index;
        f->vars[f->vars_used++] = b->order[p];
        b->place[p] = place++;
    }
    for (uint32_t i = 0; i < at->row_count; i++) {
        f->vars[f->vars_used++] = b->order[at->rows[i]];
        b->place[at->rows[i]] = place++;
    }
    write_entries(b, front);
    for (uint32_t c = at->child; c != NONE; c = b->columns[c].front_sibling) {
        place_child(b, first + b->columns[c].front, index);
    }
}

// Orphans of all columns of a front hang below it.
static void adopt_orphans(building *b, uint32_t k, uint32_t first)
{
    for (uint32_t p = b->columns[k].pivot_first; p != NONE; p = b->columns[p].pivot_next) {
        for (uint32_t o = b->columns[p].orphan; o != NONE;) {
            const uint32_t next = b->f->fronts[o].sibling;
            place_child(b, o, first + b->columns[k].front);
            o = next;
        }
    }
}

static bool prepare(building *b, const uint32_t *orphans, uint32_t orphan_count)
{
    b->columns = CAIRN_TAKE(b->scratch, column, b->count);
    b->stamp = CAIRN_TAKE(b->scratch, uint32_t, b->count);
    b->found = CAIRN_TAKE(b->scratch, uint32_t, (size_t)b->count + 1);
    b->place = CAIRN_TAKE(b->scratch, uint32_t, b->count);
    if (!b->columns || !b->stamp || !b->found || !b->place) { return false; }
    for (uint32_t k = 0; k < b->count; k++) {
        b->columns[k] = (column){.child = NONE,
                                 .sibling = NONE,
                                 .orphan = NONE,
                                 .pivot_next = NONE,
                                 .front_child = NONE,
                                 .front_sibling = NONE,
                                 .front = NONE};
        b->stamp[k] = NONE;
        b->f->local_of[b->order[k]] = k;
    }
    for (uint32_t i = 0; i < orphan_count; i++) {
        cairn_front *front = &b->f->fronts[orphans[i]];
        uint32_t lowest = NONE;
        for (uint32_t r = 0; r < front->row_count; r++) {
            const uint32_t local = b->f->local_of[b->f->vars[front->vars_at + front->pivot_count + r]];
            CAIRN_ASSERT(local != NONE);
            if (local < lowest) { lowest = local; }
        }
        CAIRN_ASSERT(lowest != NONE);
        front->sibling = b->columns[lowest].orphan;
        b->columns[lowest].orphan = orphans[i];
    }
    return true;
}

// Fronts are written in the order of their numbers, so that memory follows the passes.
static bool write_all(building *b, uint32_t *ret_first)
{
    uint32_t *stack = CAIRN_TAKE(b->scratch, uint32_t, (size_t)b->count + 1);
    uint32_t *top_of = CAIRN_TAKE(b->scratch, uint32_t, (size_t)b->count + 1);
    if (!stack || !top_of) { return false; }
    for (uint32_t k = 0; k < b->count; k++) { b->columns[k].child = NONE; }
    uint32_t number = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->columns[k].row_count == 0) { number_below(b, k, stack, &number); }
    }
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->columns[k].front != NONE) { top_of[b->columns[k].front] = k; }
    }
    cairn_fronts_def room = count_room(b);
    CAIRN_ASSERT(room.fronts_max == number);
    if (b->f->arena) {
        hole *list = CAIRN_TAKE(b->scratch, hole, (size_t)number + 1);
        if (!list) { return false; }
        b->updates_at = room.values_max;
        room.values_max += place_updates(b, top_of, number, list);
    }
    if (!get_room(b, &room)) { return false; }
    const uint32_t first = b->f->front_count;
    for (uint32_t i = 0; i < number; i++) {
        write_front(b, top_of[i], first);
        adopt_orphans(b, top_of[i], first);
    }
    b->f->front_count = first + number;
    *ret_first = first;
    return true;
}

cairn_err cairn_fronts_build(cairn_fronts *fronts, const cairn_incidence *incidence, const uint32_t *order,
                             uint32_t count, const uint32_t *orphans, uint32_t orphan_count, cairn_arena *scratch,
                             uint32_t *ret_first)
{
    const size_t mark = cairn_arena_mark(scratch);
    building b = {.f = fronts, .incidence = incidence, .order = order, .count = count, .scratch = scratch};
    bool is_good = prepare(&b, orphans, orphan_count);
    for (uint32_t k = 0; k < count && is_good; k++) { is_good = make_column(&b, k); }
    for (uint32_t k = 0; k < count && is_good; k++) { form_front(&b, k); }
    if (is_good) { is_good = write_all(&b, ret_first); }
    for (uint32_t k = 0; k < count; k++) { fronts->local_of[order[k]] = NONE; }
    // The arena of a batch may be the scratch itself; what was taken for good lies above the mark then.
    if (fronts->arena != scratch) { cairn_arena_reset(scratch, mark); }
    return is_good ? CAIRN_OK : CAIRN_ERR_FULL;
}

uint64_t cairn_fronts_nonzeros(const cairn_fronts *fronts)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < fronts->front_count; i++) {
        const cairn_front *front = &fronts->fronts[i];
        if (!front->is_alive) { continue; }
        const uint64_t pivots = (uint64_t)front->pivot_count * fronts->def.degrees;
        count += pivots * (pivots + 1) / 2 + pivots * front->row_count * fronts->def.degrees;
    }
    return count;
}

// ---- passes

typedef bool (*factor_fn)(cairn_fronts *, const cairn_front_matrix *, uint32_t);
typedef void (*solve_fn)(cairn_fronts *, uint32_t, double *);

static const cairn_kernel factor_kernel = {"front_factor", CAIRN_KERNEL_VARIANTS(cairn_front_factor)};

bool cairn_fronts_factor_one(cairn_fronts *fronts, const cairn_front_matrix *matrix, uint32_t front)
{
    return ((factor_fn)cairn_dispatch_fused(&factor_kernel))(fronts, matrix, front);
}

bool cairn_fronts_factor(cairn_fronts *fronts, const cairn_front_matrix *matrix, uint32_t first)
{
    const factor_fn factor = (factor_fn)cairn_dispatch_fused(&factor_kernel);
    for (uint32_t i = first; i < fronts->front_count; i++) {
        if (fronts->fronts[i].is_alive && !factor(fronts, matrix, i)) { return false; }
    }
    return true;
}

static const cairn_kernel forward_kernel = {"front_forward", CAIRN_KERNEL_VARIANTS(cairn_front_forward)};
static const cairn_kernel backward_kernel = {"front_backward", CAIRN_KERNEL_VARIANTS(cairn_front_backward)};

void cairn_fronts_forward_one(cairn_fronts *fronts, uint32_t front, double *b)
{
    ((solve_fn)cairn_dispatch_fused(&forward_kernel))(fronts, front, b);
}

void cairn_fronts_backward_one(cairn_fronts *fronts, uint32_t front, double *y)
{
    ((solve_fn)cairn_dispatch_fused(&backward_kernel))(fronts, front, y);
}

void cairn_fronts_forward(cairn_fronts *fronts, double *b)
{
    const solve_fn forward = (solve_fn)cairn_dispatch_fused(&forward_kernel);
    for (uint32_t i = 0; i < fronts->front_count; i++) {
        if (fronts->fronts[i].is_alive) { forward(fronts, i, b); }
    }
}

bool cairn_fronts_factor_forward(cairn_fronts *fronts, const cairn_front_matrix *matrix, double *b)
{
    const factor_fn factor = (factor_fn)cairn_dispatch_fused(&factor_kernel);
    const solve_fn forward = (solve_fn)cairn_dispatch_fused(&forward_kernel);
    for (uint32_t i = 0; i < fronts->front_count; i++) {
        if (!fronts->fronts[i].is_alive) { continue; }
        if (!factor(fronts, matrix, i)) { return false; }
        forward(fronts, i, b);
    }
    return true;
}

void cairn_fronts_backward(cairn_fronts *fronts, double *y)
{
    const solve_fn backward = (solve_fn)cairn_dispatch_fused(&backward_kernel);
    for (uint32_t i = fronts->front_count; i-- > 0;) {
        if (fronts->fronts[i].is_alive) { backward(fronts, i, y); }
    }
}
