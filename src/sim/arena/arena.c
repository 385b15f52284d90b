// Reads an arena file, converts it, makes solids, height fields and the index of the ground, checks.
#include "sim/arena/arena.h"
#include "sim/arena/arena_private.h"
#include "sim/arena/ground.h"

static cairn_err make(const cairn_arena_file *file, cairn_arena *work, cairn_arena *memory, cairn_sim_arena *ret_arena,
                      cairn_sim_arena_lines *ret_lines)
{
    cairn_err err = cairn_sim_arena_convert(file, work, memory, ret_arena, ret_lines);
    if (err == CAIRN_OK) { err = cairn_sim_arena_make_all(ret_arena, &file->elements, memory); }
    if (err == CAIRN_OK) { err = cairn_ground_index_create(ret_arena, memory); }
    return err;
}

static cairn_err make_and_check(const cairn_arena_file *file, const char *name_for_errors, cairn_arena *work,
                                cairn_arena *memory, cairn_complaints *complaints, cairn_sim_arena *ret_arena)
{
    const size_t mark = cairn_arena_mark(memory);
    const uint32_t complaint_count = complaints->count;
    cairn_sim_arena arena;
    cairn_sim_arena_lines lines = {.file = name_for_errors};
    cairn_err err = make(file, work, memory, &arena, &lines);
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(complaints, name_for_errors, 0,
                       "too large: at most %d segments of walls, %u solids in all (posts of step fields and the floor "
                       "around holes count too) and %u corners of rough ground",
                       CAIRN_ARENA_WALLS_MAX, CAIRN_ARENA_SOLIDS_MAX, CAIRN_ARENA_CORNERS_MAX);
    } else if (err != CAIRN_OK) {
        cairn_complain(complaints, name_for_errors, 0, "no memory left for all that is in it");
    } else {
        cairn_sim_arena_check(&arena, &file->elements, &lines, complaints);
        if (complaints->count > complaint_count) { err = CAIRN_ERR_INVALID; }
    }
    if (err == CAIRN_OK) {
        *ret_arena = arena;
    } else {
        cairn_arena_reset(memory, mark);
    }
    return err;
}

// For the file's lists and the lines. The dearest list item takes 64 bytes for each of the at least three letters of
// it.
#define WORK_BYTES_MAX ((size_t)16 << 20)
_Static_assert(sizeof(cairn_wall_entry) <= 3 * 64 && sizeof(cairn_figure_entry) <= 3 * 64 &&
                   sizeof(cairn_door_entry) <= 3 * 64,
               "room for every list item");

static size_t work_bytes(size_t file_bytes)
{
    const size_t wanted = 64 * file_bytes + 65536;
    return wanted < WORK_BYTES_MAX ? wanted : WORK_BYTES_MAX;
}

typedef struct source {
    const char *path; // NULL: from bytes
    const char *bytes;
    size_t size_bytes;
    const char *name_for_errors;
} source;

static cairn_err read_source(const source *from, cairn_arena *memory, cairn_complaints *complaints,
                             cairn_sim_arena *ret_arena)
{
    cairn_arena work;
    cairn_err err = cairn_arena_create(&work, from->path != NULL ? WORK_BYTES_MAX : work_bytes(from->size_bytes));
    if (err != CAIRN_OK) {
        cairn_complain(complaints, from->name_for_errors, 0, "no memory left to read it");
        return err;
    }
    cairn_arena_file file;
    if (from->path != NULL) {
        err = cairn_config_read(from->path, &cairn_arena_file_schema, &work, complaints, &file);
    } else {
        err = cairn_config_parse(from->bytes, from->size_bytes, from->name_for_errors, &cairn_arena_file_schema, &work,
                                 complaints, &file);
    }
    if (err == CAIRN_OK) { err = make_and_check(&file, from->name_for_errors, &work, memory, complaints, ret_arena); }
    cairn_arena_destroy(&work);
    return err;
}

cairn_err cairn_sim_arena_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                               cairn_sim_arena *ret_arena)
{
    CAIRN_ASSERT(path != NULL && memory != NULL && complaints != NULL && ret_arena != NULL);
    return read_source(&(source){.path = path, .name_for_errors = path}, memory, complaints, ret_arena);
}

cairn_err cairn_sim_arena_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *memory,
                                cairn_complaints *complaints, cairn_sim_arena *ret_arena)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && ret_arena != NULL);
    return read_source(&(source){.bytes = bytes, .size_bytes = size_bytes, .name_for_errors = name_for_errors}, memory,
                       complaints, ret_arena);
}
