#include "slam/trajectory/relations_io.h"
#include "slam/log/text_file_io.h"
#include <math.h>

#define REACH_M_MAX 1e7

static cairn_err read_relation(cairn_text_walk *walk, const char *name, cairn_complaints *complaints,
                               cairn_relation *ret_relation)
{
    double v[6];
    bool good = cairn_text_seconds(walk, &ret_relation->from_ns) && cairn_text_seconds(walk, &ret_relation->to_ns);
    for (int i = 0; i < 6 && good; i++) { good = cairn_text_real(walk, &v[i]); }
    if (!good || fabs(v[0]) > REACH_M_MAX || fabs(v[1]) > REACH_M_MAX || fabs(v[5]) > 1e3) {
        cairn_complain(complaints, name, walk->line, "expected 'stamp1 stamp2 x y z roll pitch yaw'");
        return CAIRN_ERR_CORRUPT;
    }
    ret_relation->from_T_to = (cairn_pose2){v[0], v[1], cairn_angle_wrap(v[5])};
    return CAIRN_OK;
}

static cairn_err count_relations(cairn_text_walk walk, const char *name, cairn_complaints *complaints,
                                 uint32_t *ret_count)
{
    *ret_count = 0;
    while (cairn_text_next_line(&walk)) {
        *ret_count += cairn_text_has_words(&walk);
        if (*ret_count > CAIRN_RELATIONS_MAX) {
            cairn_complain(complaints, name, walk.line, "more than %u relations", CAIRN_RELATIONS_MAX);
            return CAIRN_ERR_TOO_LARGE;
        }
    }
    if (*ret_count > 0) { return CAIRN_OK; }
    cairn_complain(complaints, name, 0, "has no relations; expected lines 'stamp1 stamp2 x y z roll pitch yaw'");
    return CAIRN_ERR_EMPTY;
}

cairn_err cairn_relations_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                cairn_complaints *complaints, cairn_relations *ret_relations)
{
    CAIRN_ASSERT((bytes != NULL || size_bytes == 0) && complaints != NULL && ret_relations != NULL);
    cairn_text_walk walk = cairn_text_walk_of(bytes, size_bytes);
    cairn_relations all = {0};
    uint32_t count;
    cairn_err err = count_relations(walk, name_for_errors, complaints, &count);
    if (err != CAIRN_OK) { return err; }
    err = cairn_arena_create(&all.memory, count * sizeof(cairn_relation));
    if (err != CAIRN_OK) {
        cairn_complain(complaints, name_for_errors, 0, "no memory left to read it");
        return err;
    }
    all.relations = CAIRN_TAKE(&all.memory, cairn_relation, count);
    while (err == CAIRN_OK && cairn_text_next_line(&walk)) {
        if (!cairn_text_has_words(&walk)) { continue; }
        err = read_relation(&walk, name_for_errors, complaints, &all.relations[all.count++]);
    }
    if (err != CAIRN_OK) {
        cairn_relations_close(&all);
        return err;
    }
    *ret_relations = all;
    return CAIRN_OK;
}

cairn_err cairn_relations_open(const char *path, cairn_complaints *complaints, cairn_relations *ret_relations)
{
    cairn_text_file text;
    cairn_err err = cairn_text_file_open(path, complaints, &text);
    if (err != CAIRN_OK) { return err; }
    err = cairn_relations_parse(text.bytes, text.size_bytes, path, complaints, ret_relations);
    cairn_text_file_close(&text);
    return err;
}

void cairn_relations_close(cairn_relations *relations)
{
    if (relations == NULL) { return; }
    cairn_arena_destroy(&relations->memory);
    *relations = (cairn_relations){0};
}
