// verify.c - whether a station comes out the same again, in words or as JSON.
#include "commands/replay/replay.h"
#include "record/verifier.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct verify {
    cairn_replay *run;
    cairn_verifier *verifier;
} verify;

static cairn_err take(void *context, const cairn_mcap_message *found)
{
    const verify *check = context;
    const cairn_verifier_message message = {.topic = found->channel->topic,
                                            .type = found->channel->schema_name,
                                            .time_s = cairn_replay_seconds(check->run->start_ns, found->log_time_ns),
                                            .bytes = found->bytes,
                                            .size = found->size};
    return cairn_verifier_take(check->verifier, &message, &check->run->complaints);
}

static void print_outcome(const cairn_verifier_info *info, bool json)
{
    const char *outcome = info->differs ? "differs" : info->check_count > 0 ? "agrees" : "nothing to compare";
    if (json) {
        printf("{\"outcome\":");
        cairn_replay_print_string(outcome);
        printf(",\"difference\":");
        cairn_replay_print_string(info->difference);
        printf(",\"steps\":%" PRIu64 ",\"checks\":%" PRIu64 ",\"gaps\":%" PRIu64 ",\"checked_s\":%.9g",
               info->step_count, info->check_count, info->gap_count, info->checked_s);
        printf(",\"state_hash\":\"%016" PRIx64 "\",\"map_hash\":\"%016" PRIx64 "\"}\n", info->hash.state,
               info->hash.map);
    } else if (info->differs) {
        printf("differs: %s\n", info->difference);
    } else if (info->check_count > 0) {
        printf("agrees: %" PRIu64 " steps, %" PRIu64 " checks, state %016" PRIx64 ", map %016" PRIx64 "\n",
               info->step_count, info->check_count, info->hash.state, info->hash.map);
    }
}

static void conclude(cairn_replay *run, const cairn_verifier_info *info)
{
    const char *path = run->paths[0];
    print_outcome(info, run->asked.json);
    if (!info->has_station) {
        cairn_complain(&run->complaints, path, 0,
                       "there is no station in this journal; --verify needs that of a mission or of `cairn station`");
    } else if (info->check_count == 0) {
        cairn_complain(&run->complaints, path, 0,
                       "no state of the station could be compared; the journal is too short or begins in the middle");
    } else if (info->differs) {
        cairn_complain(&run->complaints, path, 0, "the station does not come out the same: %s", info->difference);
    }
}

cairn_err cairn_replay_verify(cairn_replay *run)
{
    verify check = {.run = run};
    cairn_err err = cairn_verifier_create(&check.verifier);
    if (err != CAIRN_OK) { return err; }
    const cairn_replay_visitor visitor = {.take = take, .context = &check};
    err = cairn_replay_walk(run, &visitor);
    conclude(run, cairn_verifier_look(check.verifier));
    cairn_verifier_destroy(check.verifier);
    return err;
}
