// make.h - makes arenas by chance: seven kinds of places, as large, as full and as hard as asked for.
//
// Gives    The text of an arena file. It has been read back and checked as `cairn arena check` does; victims and
//          figures stand where sim/arena/check/reach.h says that a robot gets to.
// Chance   A layout that fails the check is thrown away and the next one drawn, CAIRN_MAKE_ATTEMPTS times at most.
// Memory   The text lies in the caller's arena; working memory is taken from the heap and given back.
// Threads  No state of its own. The same def gives the same text.
#pragma once
#include "base/memory.h"
#include "geometry/pose2.h"

typedef enum cairn_make_kind {
    CAIRN_MAKE_MAZE,          // narrow cells, dead ends, ridges
    CAIRN_MAKE_OFFICE,        // corridors, rooms with doors, furniture
    CAIRN_MAKE_YARD,          // outdoors: sheds, vehicles, kerbs, gravel, a ditch
    CAIRN_MAKE_COLLAPSED,     // broken rooms, rubble, voids, holes, an upper storey
    CAIRN_MAKE_RADIO_DROPOUT, // a winding tunnel with dead ends behind thick walls
    CAIRN_MAKE_STEPFIELD,     // lanes of test ground side by side, after ASTM
    CAIRN_MAKE_SHOWGROUND,    // streets, halls and stalls, up to 500 x 500 m
    CAIRN_MAKE_KIND_COUNT
} cairn_make_kind;

extern const char *const cairn_make_kind_names[CAIRN_MAKE_KIND_COUNT + 1]; // "maze", ...; ended by NULL

enum {
    CAIRN_MAKE_ATTEMPTS = 40,
    CAIRN_MAKE_DIFFICULTY_MAX = 5,
    CAIRN_MAKE_HAZARDS_MAX = 32,
    CAIRN_MAKE_BYSTANDERS_MAX = 32
};
#define CAIRN_MAKE_SIDE_M_MAX 600.0
#define CAIRN_MAKE_TEXT_BYTES_MAX ((size_t)1 << 20)

typedef struct cairn_make_def {
    cairn_make_kind kind;
    const char *name; // one word
    cairn_vec2 size_m;
    uint32_t victim_count;    // up to 64
    uint32_t start_count;     // 1 to 64
    uint32_t difficulty;      // 1 to 5
    uint32_t static_hazards;  // figures that stand
    uint32_t mobile_hazards;  // figures that walk
    uint32_t bystander_count; // people who walk about
    uint64_t seed;
} cairn_make_def;

// What each kind is made like unless told otherwise.
cairn_make_def cairn_make_def_default(cairn_make_kind kind);
// The smallest and the largest floor that a kind can be made on, either way.
void cairn_make_size_limits(cairn_make_kind kind, double *ret_m_min, double *ret_m_max);

typedef struct cairn_make_report {
    cairn_vec2 size_m; // a whole number of cells or lanes: a little less than asked for
    uint32_t attempts; // layouts drawn, the last of which was taken
    double reach_m2;   // ground that a robot gets to
    uint32_t solids;
} cairn_make_report;

// The text is NUL-terminated; size without the NUL. On failure *complaints has the reasons:
//   CAIRN_ERR_INVALID no layout was in order (the last one's complaints are told), CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL
CAIRN_CHECKED cairn_err cairn_make_run(const cairn_make_def *def, cairn_arena *memory, cairn_complaints *complaints,
                                       const char **ret_text, size_t *ret_size_bytes, cairn_make_report *ret_report);
