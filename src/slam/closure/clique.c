// Branch and bound: a clique needs a colour for each member, so a set of few colours holds no larger clique.
#include "slam/closure/clique.h"
#include <string.h>

typedef struct bits {
    uint64_t words[CAIRN_CLIQUE_WORDS];
} bits;

typedef struct search {
    const cairn_agreement *agreement;
    uint32_t steps_left;
    uint32_t chosen[CAIRN_CLIQUE_MEMBERS_MAX], chosen_count;
    cairn_clique *best;
} search;

void cairn_agreement_set(cairn_agreement *agreement, uint32_t a, uint32_t b)
{
    CAIRN_ASSERT(a < CAIRN_CLIQUE_MEMBERS_MAX && b < CAIRN_CLIQUE_MEMBERS_MAX);
    agreement->rows[a][b / 64] |= UINT64_C(1) << b % 64;
    agreement->rows[b][a / 64] |= UINT64_C(1) << a % 64;
}

bool cairn_agreement_get(const cairn_agreement *agreement, uint32_t a, uint32_t b)
{
    return (agreement->rows[a][b / 64] >> b % 64 & 1) != 0;
}

static int first_of(const bits *set)
{
    for (uint32_t i = 0; i < CAIRN_CLIQUE_WORDS; i++) {
        if (set->words[i]) { return (int)(64 * i) + __builtin_ctzll(set->words[i]); }
    }
    return -1;
}

static void remove_from(bits *set, uint32_t member) { set->words[member / 64] &= ~(UINT64_C(1) << member % 64); }

// Colours a set greedily: members in order of their colour, which is never more than needed for those before them.
static uint32_t colour(const cairn_agreement *agreement, bits left, uint16_t *ret_members, uint16_t *ret_colours)
{
    uint32_t count = 0;
    for (uint16_t of = 1; first_of(&left) >= 0; of++) {
        bits same = left; // no two of one colour agree
        for (int member = first_of(&same); member >= 0; member = first_of(&same)) {
            remove_from(&same, (uint32_t)member);
            remove_from(&left, (uint32_t)member);
            for (uint32_t i = 0; i < CAIRN_CLIQUE_WORDS; i++) { same.words[i] &= ~agreement->rows[member][i]; }
            ret_members[count] = (uint16_t)member;
            ret_colours[count++] = of;
        }
    }
    return count;
}

static void note_best(search *s)
{
    if (s->chosen_count <= s->best->size) { return; }
    s->best->size = s->chosen_count;
    memcpy(s->best->members, s->chosen, s->chosen_count * sizeof *s->chosen);
}

// Depth is bounded by the largest clique, at most CAIRN_CLIQUE_MEMBERS_MAX.
static void expand(search *s, bits open) // NOLINT(misc-no-recursion)
{
    uint16_t members[CAIRN_CLIQUE_MEMBERS_MAX], colours[CAIRN_CLIQUE_MEMBERS_MAX];
    const uint32_t count = colour(s->agreement, open, members, colours);
    for (uint32_t i = count; i-- > 0;) {
        if (s->chosen_count + colours[i] <= s->best->size) { return; }
        if (s->steps_left == 0) {
            s->best->is_largest = false;
            return;
        }
        s->steps_left--;
        bits agreeing = open;
        for (uint32_t k = 0; k < CAIRN_CLIQUE_WORDS; k++) { agreeing.words[k] &= s->agreement->rows[members[i]][k]; }
        remove_from(&agreeing, members[i]);
        s->chosen[s->chosen_count++] = members[i];
        if (first_of(&agreeing) < 0) {
            note_best(s);
        } else {
            expand(s, agreeing);
        }
        s->chosen_count--;
        remove_from(&open, members[i]);
    }
}

void cairn_clique_find(const cairn_agreement *agreement, uint32_t steps_max, cairn_clique *ret_clique)
{
    CAIRN_ASSERT(agreement->count <= CAIRN_CLIQUE_MEMBERS_MAX);
    *ret_clique = (cairn_clique){.is_largest = true};
    search s = {.agreement = agreement, .steps_left = steps_max, .best = ret_clique};
    bits all = {{0}};
    for (uint32_t i = 0; i < agreement->count; i++) { all.words[i / 64] |= UINT64_C(1) << i % 64; }
    expand(&s, all);
    for (uint32_t i = 1; i < ret_clique->size; i++) { // ascending
        const uint32_t member = ret_clique->members[i];
        uint32_t at = i;
        for (; at > 0 && ret_clique->members[at - 1] > member; at--) {
            ret_clique->members[at] = ret_clique->members[at - 1];
        }
        ret_clique->members[at] = member;
    }
}
