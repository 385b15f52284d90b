// cairn keys - the secrets that robots share with the station: made, listed, revoked.
#include "commands/command.h"
#include "link/keys_io.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: cairn keys make NAME [options]\n"
    "       cairn keys list [options]\n"
    "       cairn keys revoke NAME [options]\n"
    "\n"
    "Each robot shares a secret key with its station; without it nobody can read or order anything on the air.\n"
    "docs/keys.md tells what that protects from and what not. `cairn keys make --help`, `list --help` and\n"
    "`revoke --help` tell more. Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn keys make emu1\n"
    "          cairn keys list\n"
    "          cairn keys revoke emu1\n";

#define FOLDER_HELP                                                                                                    \
    "  --folder DIR   where the keys are      [$CAIRN_KEYS, else $XDG_CONFIG_HOME/cairn/keys,\n"                       \
    "                                          else ~/.config/cairn/keys]\n"

static const char make_usage[] =
    "usage: cairn keys make NAME [options]\n"
    "\n"
    "Makes a random key for the robot of that name and writes it to DIR/NAME.key, readable by you alone. Station and\n"
    "robot need the same file: copy it over by hand. A living key is never overwritten; revoke it first.\n"
    "\n"
    "  --robot N      the robot's number on the air, 1 to 250                  [the lowest free]\n" FOLDER_HELP "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn keys make emu1\n"
    "          cairn keys make emu4 --robot 4 --folder ~/spare-keys\n";

static const char list_usage[] =
    "usage: cairn keys list [options]\n"
    "\n"
    "Lists the keys of a folder, living and revoked. Secrets are not shown; a fingerprint tells keys apart.\n"
    "\n" FOLDER_HELP "  --json         one object for each key, for machines\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be accepted, 2 wrong usage.\n"
    "\n"
    "Examples: cairn keys list\n"
    "          cairn keys list --json\n";

static const char revoke_usage[] = "usage: cairn keys revoke NAME [options]\n"
                                   "\n"
                                   "Ends a robot's key, because the robot is lost or its file may have been copied. "
                                   "The file stays, without its secret.\n"
                                   "\n" FOLDER_HELP "\n"
                                   "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
                                   "\n"
                                   "Examples: cairn keys revoke emu1\n"
                                   "          cairn keys revoke emu1 && cairn keys make emu1\n";

typedef struct keys_options {
    const char *command, *name, *folder;
    uint64_t robot; // 0: the lowest free
    bool json;
    char default_folder[CAIRN_KEYS_PATH_BYTES_MAX];
    cairn_complaints complaints;
} keys_options;

static cairn_err choose_folder(keys_options *options)
{
    if (options->folder != NULL) { return CAIRN_OK; }
    const cairn_err err = cairn_keys_folder_default(&options->complaints, options->default_folder);
    if (err == CAIRN_OK) { options->folder = options->default_folder; }
    return err;
}

static int failed(const keys_options *options, cairn_err err)
{
    return cairn_command_failed(options->command, err, &options->complaints);
}

static int make(keys_options *options)
{
    cairn_key key;
    const cairn_err err = cairn_keys_make(options->folder, options->name, (uint8_t)options->robot, cairn_wall_now(),
                                          &options->complaints, &key);
    if (err != CAIRN_OK) { return failed(options, err); }
    cairn_key_wipe(&key);
    printf("%s/%s.key: robot number %u, fingerprint %08x\n", options->folder, key.info.name, key.info.robot,
           key.info.fingerprint);
    puts("Station and robot need this same file. Copy it to the robot's folder of keys by hand (scp or a stick), mode\n"
         "0600, and leave no other copy behind: whoever has the file can speak as this robot and to it.");
    return CAIRN_EXIT_DONE;
}

static int revoke(keys_options *options)
{
    cairn_key_info info;
    const cairn_err err =
        cairn_keys_revoke(options->folder, options->name, cairn_wall_now(), &options->complaints, &info);
    if (err != CAIRN_OK) { return failed(options, err); }
    printf("%s: revoked, fingerprint %08x; its secret is erased here\n", info.name, info.fingerprint);
    printf("Restart a station that is running, for it read its keys when it started. `cairn keys make %s` makes "
           "another.\n",
           info.name);
    return CAIRN_EXIT_DONE;
}

static json_t *entry_to_json(const cairn_keys_entry *entry)
{
    char fingerprint[9], made[CAIRN_KEY_TIME_BYTES], revoked[CAIRN_KEY_TIME_BYTES];
    (void)snprintf(fingerprint, sizeof fingerprint, "%08x", entry->info.fingerprint);
    cairn_key_time_format(entry->info.made, made);
    if (entry->info.revoked) { cairn_key_time_format(entry->info.revoked_at, revoked); }
    return json_pack("{s:s, s:s, s:I, s:s, s:s, s:s?}", "file", entry->file, "name", entry->info.name, "robot",
                     (json_int_t)entry->info.robot, "fingerprint", fingerprint, "made", made, "revoked",
                     entry->info.revoked ? revoked : NULL);
}

static void print_json(const cairn_keys_entry *entry)
{
    json_t *object = entry_to_json(entry);
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        fprintf(stderr, "cairn keys list: no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static void print_line(const cairn_keys_entry *entry)
{
    char made[CAIRN_KEY_TIME_BYTES], revoked[CAIRN_KEY_TIME_BYTES] = "";
    cairn_key_time_format(entry->info.made, made);
    if (entry->info.revoked) { cairn_key_time_format(entry->info.revoked_at, revoked); }
    printf("%-16s %5u  %08x     %s  %s%s\n", entry->info.name, entry->info.robot, entry->info.fingerprint, made,
           entry->info.revoked ? "revoked " : "living", revoked);
}

static int list(keys_options *options)
{
    static cairn_keys_list found; // large
    const cairn_err err = cairn_keys_find(options->folder, &options->complaints, &found);
    const bool any = found.count > 0;
    if (!any && err == CAIRN_OK && !options->json) {
        printf("there are no keys in %s; make one: cairn keys make NAME\n", options->folder);
    }
    if (any && !options->json) { printf("%-16s robot  fingerprint  %-20s  state\n", "name", "made"); }
    for (uint32_t i = 0; i < found.count; i++) {
        if (options->json) {
            print_json(&found.entries[i]);
        } else {
            print_line(&found.entries[i]);
        }
    }
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : failed(options, err);
}

typedef struct subcommand {
    const char *word, *command, *usage;
    bool wants_name, takes_robot, takes_json;
    int (*run)(keys_options *options);
} subcommand;

static const subcommand subcommands[] = {
    {"make", "cairn keys make", make_usage, true, true, false, make},
    {"list", "cairn keys list", list_usage, false, false, true, list},
    {"revoke", "cairn keys revoke", revoke_usage, true, false, false, revoke},
};

static int read_options_and_run(const subcommand *which, int argc, char **argv)
{
    static keys_options options; // large
    options.command = which->command;
    cairn_option known[3] = {{"folder", CAIRN_OPTION_TEXT, &options.folder, 0, 0}};
    size_t known_count = 1, word_count;
    int status;
    if (which->takes_robot) {
        known[known_count++] = (cairn_option){"robot", CAIRN_OPTION_COUNT, &options.robot, 1, CAIRN_KEY_ROBOT_MAX};
    }
    if (which->takes_json) { known[known_count++] = (cairn_option){"json", CAIRN_OPTION_FLAG, &options.json, 0, 0}; }
    if (!cairn_options_read(which->command, which->usage, argc, argv, known, known_count, &options.name,
                            which->wants_name ? 1 : 0, &word_count, &status)) {
        return status;
    }
    if (which->wants_name && word_count == 0) {
        return cairn_usage_error(which->command, "NAME is missing; expected a robot's name, such as emu1");
    }
    if (which->wants_name && !cairn_key_name_is_good(options.name)) {
        return cairn_usage_error(which->command, "NAME wants 1 to %d letters, digits, - or _, not '%s'",
                                 CAIRN_KEY_NAME_BYTES_MAX, options.name);
    }
    const cairn_err err = choose_folder(&options);
    return err == CAIRN_OK ? which->run(&options) : failed(&options, err);
}

int cairn_keys_run(int argc, char **argv)
{
    if (argc < 2) { return cairn_usage_error("cairn keys", "expected make, list or revoke"); }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].word) == 0) {
            return read_options_and_run(&subcommands[i], argc - 1, argv + 1);
        }
    }
    return cairn_usage_error("cairn keys", "there is no '%s'; expected make, list or revoke", argv[1]);
}
