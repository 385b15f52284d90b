// cairn replay - looks into journals: what was recorded, any channel as lines, and whether it comes out the same again.
#include "commands/replay/replay.h"
#include "commands/command.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MAX 4096

static const char command[] = "cairn replay";
static const char usage[] =
    "usage: cairn replay JOURNAL... [options]\n\n"
    "Looks into a journal (an MCAP file, several that follow each other, or their folder): lists its channels,\n"
    "prints one of them, or runs the station again and compares.\n\n"
    "  --channel TOPIC   print the messages of this channel, one JSON object a line\n"
    "  --csv TOPIC       print them as comma-separated values, the names of the columns first\n"
    "  --from S          leave out what is earlier than S seconds after the first message  [0]\n"
    "  --to S            leave out what is later                                           [the end]\n"
    "  --limit N         print at most N messages                                          [all]\n"
    "  --short N         arrays: only their first N elements; JSON {\"count\":C,\"first\":[...]},\n"
    "                    CSV a column for each of them     [JSON: whole; CSV: the count only]\n"
    "  --verify          run the station again on all that it was told, and compare its state and its map\n"
    "                    with what was recorded every 10 s\n"
    "  --json            the list of channels, or the outcome of --verify, as one JSON object\n\n"
    "In JSON, 64-bit integers are written in full, NaN and infinities as strings, uint8[] as base64.\n"
    "Exit status: 0 done; 1 failed, also when a journal is cut or damaged (what can be read is printed\n"
    "nevertheless) and when --verify finds a difference; 2 wrong usage.\n\n"
    "Examples: cairn replay out/maze-1/journal.mcap\n"
    "          cairn replay out/maze-1/journal.mcap --channel /emu1/scan --short 5 --limit 3\n"
    "          cairn replay out/maze-1/journal.mcap --csv /emu1/odom > odom.csv\n"
    "          cairn replay /var/lib/cairn/journals/emu1-*.mcap --channel /emu1/radio/victim_seen --from 60\n"
    "          cairn replay out/maze-1/journal.mcap --verify\n";

static bool usage_is_right(const cairn_replay_request *asked, const char *json_topic, const char *csv_topic,
                           size_t word_count)
{
    const bool narrowed =
        asked->from_s > 0 || asked->to_s < HUGE_VAL || asked->limit < UINT64_MAX || asked->elements_max > 0;
    if (word_count == 0) {
        cairn_usage_error(command, "JOURNAL is missing; expected a file such as out/maze-1/journal.mcap");
    } else if ((json_topic != NULL) + (csv_topic != NULL) + asked->verify > 1) {
        cairn_usage_error(command, "--channel, --csv and --verify are three different things; ask for one");
    } else if (asked->topic == NULL && narrowed) {
        cairn_usage_error(command,
                          "--from, --to, --limit and --short are for one channel; name it with --channel or --csv");
    } else if (asked->from_s > asked->to_s) {
        cairn_usage_error(command, "--from %g is later than --to %g", asked->from_s, asked->to_s);
    } else if (asked->topic != NULL && asked->json) {
        cairn_usage_error(command, "--json lists the channels; the lines of --channel are JSON anyway");
    } else {
        return true;
    }
    return false;
}

static bool read_request(int argc, char **argv, cairn_replay_request *ret_asked, const char **ret_words,
                         size_t *ret_word_count, int *ret_status)
{
    cairn_replay_request asked = {.from_s = 0, .to_s = HUGE_VAL, .limit = UINT64_MAX};
    const char *json_topic = NULL, *csv_topic = NULL;
    const cairn_option options[] = {
        {"channel", CAIRN_OPTION_TEXT, &json_topic, 0, 0},
        {"csv", CAIRN_OPTION_TEXT, &csv_topic, 0, 0},
        {"from", CAIRN_OPTION_REAL, &asked.from_s, 0, 1e12},
        {"to", CAIRN_OPTION_REAL, &asked.to_s, 0, 1e12},
        {"limit", CAIRN_OPTION_COUNT, &asked.limit, 1, 1e18},
        {"short", CAIRN_OPTION_COUNT, &asked.elements_max, 1, UINT32_MAX},
        {"verify", CAIRN_OPTION_FLAG, &asked.verify, 0, 0},
        {"json", CAIRN_OPTION_FLAG, &asked.json, 0, 0},
    };
    if (!cairn_options_read(command, usage, argc, argv, options, sizeof options / sizeof options[0], ret_words,
                            FILES_MAX, ret_word_count, ret_status)) {
        return false;
    }
    asked.topic = csv_topic != NULL ? csv_topic : json_topic;
    asked.csv = csv_topic != NULL;
    *ret_asked = asked;
    *ret_status = CAIRN_EXIT_USAGE;
    return usage_is_right(&asked, json_topic, csv_topic, *ret_word_count);
}

static cairn_err replay(cairn_replay *run, const char *const *words, size_t word_count)
{
    cairn_err err = cairn_replay_find_files(run, words, word_count);
    if (err != CAIRN_OK) { return err; }
    // Lines on a terminal would be torn by a bar.
    cairn_progress_init(&run->progress, cairn_mono_now(), run->asked.topic == NULL || !isatty(STDOUT_FILENO));
    if (run->asked.verify) {
        err = cairn_replay_verify(run);
    } else if (run->asked.topic != NULL) {
        err = cairn_replay_lines(run);
    } else {
        err = cairn_replay_table(run);
    }
    return err == CAIRN_OK && run->complaints.count > 0 ? CAIRN_ERR_CORRUPT : err;
}

int cairn_replay_run(int argc, char **argv)
{
    int status = CAIRN_EXIT_FAILED;
    cairn_replay *run = calloc(1, sizeof *run); // large: holds complaints
    const char **words = calloc(FILES_MAX, sizeof *words);
    size_t word_count = 0;
    if (run != NULL && words != NULL && read_request(argc, argv, &run->asked, words, &word_count, &status)) {
        const cairn_err err = replay(run, words, word_count);
        (void)fflush(stdout);
        status = err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(command, err, &run->complaints);
    }
    if (run != NULL) { cairn_replay_finish(run); }
    free(run);
    free(words);
    return status;
}
