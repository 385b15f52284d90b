#include "slam/closure/stories_io.h"
#include "maps/files/bytes_io.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

static void story_print(FILE *file, uint32_t index, const cairn_closure_story *story, const cairn_graph *graph)
{
    const cairn_closure_proposal *closure = &story->proposal;
    const cairn_graph_node *from = &graph->nodes[closure->from], *to = &graph->nodes[closure->to];
    fprintf(file, "%u,%s,%llu,%llu,%u,%u,%.6f,%.6f,%.6f,%.3f,%.3f,%s,%.3f,%.3f,", index,
            cairn_closure_state_name(story->state), (unsigned long long)from->name, (unsigned long long)to->name,
            from->robot, to->robot, closure->measured.v[0], closure->measured.v[1], closure->measured.v[2],
            (double)closure->score, (double)closure->ambiguity, closure->proposer, cairn_seconds(story->proposed_at.ns),
            cairn_seconds(story->decided_at.ns));
    if (!isnan(story->chi2)) { fprintf(file, "%.3f", story->chi2); }
    fprintf(file, ",%u,", story->agreed_count);
    for (uint32_t i = 0; i < story->agreed_count && i < CAIRN_STORY_AGREED_MAX; i++) {
        fprintf(file, "%s%u", i > 0 ? " " : "", story->agreed[i]);
    }
    fputs("\n", file);
}

cairn_err cairn_stories_write(const char *path, const cairn_candidates *candidates, const cairn_graph *graph,
                              const char *unit, cairn_complaints *complaints)
{
    CAIRN_ASSERT(graph->def.degrees == 3);
    char beside[CAIRN_PATH_BYTES_MAX];
    const cairn_err err = cairn_bytes_beside(path, complaints, beside);
    if (err != CAIRN_OK) { return err; }
    errno = 0;
    FILE *file = fopen(beside, "w");
    if (file == NULL) { return cairn_bytes_settle(beside, path, errno, complaints); }
    fprintf(file,
            "story,state,from,to,from_robot,to_robot,x_m,y_m,yaw_rad,score,ambiguity,proposer,proposed_%s,decided_%s,"
            "chi2,agreed,agreed_first\n",
            unit, unit);
    for (uint32_t i = 0; i < cairn_candidates_count(candidates); i++) {
        story_print(file, i, cairn_candidates_story(candidates, i), graph);
    }
    const bool whole = ferror(file) == 0;
    const int why = whole ? 0 : EIO;
    return cairn_bytes_settle(beside, path, fclose(file) != 0 && whole ? errno : why, complaints);
}
