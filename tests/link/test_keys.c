// Robot keys: what is written is read back, what is damaged or open to others is refused, what is revoked stays dead,
// and nothing that is printed holds a secret.
#include "link/keys_io.h"
#include "pair.h"
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOON ((cairn_wall){CAIRN_S(1772366400)}) // 2026-03-01T12:00:00Z
#define NOBODY 65534

static const char living_text[] = "cairn key 1\n"
                                  "# made by hand\n"
                                  "name emu1\n"
                                  "robot 7\n"
                                  "\n"
                                  "made 2026-03-01T12:00:00Z\n"
                                  "key %s\n"
                                  "fingerprint %08x\n";

typedef struct place {
    char folder[64], file[128];
    cairn_complaints told;
} place;

static int make_place(void **state)
{
    place *at = calloc(1, sizeof *at);
    (void)snprintf(at->folder, sizeof at->folder, "/tmp/cairn-keys-XXXXXX");
    if (at == NULL || mkdtemp(at->folder) == NULL) { return -1; }
    (void)snprintf(at->file, sizeof at->file, "%s/emu1.key", at->folder);
    *state = at;
    return 0;
}

static int remove_place(void **state)
{
    place *at = *state;
    char command[192];
    (void)snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -r %s", at->folder, at->folder);
    const int status = system(command); // NOLINT(bugprone-command-processor, cert-env33-c): a path of our own
    free(at);
    return status;
}

static size_t read_text(const char *path, char *ret_text, size_t room)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(ret_text, 1, room - 1, file);
    (void)fclose(file);
    ret_text[size] = '\0';
    return size;
}

static void write_text(const char *path, const char *text, size_t size, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    (void)fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_told(place *at, const char *words)
{
    if (strstr(at->told.text, words) == NULL) { fail_msg("expected \"%s\" in:\n%s", words, at->told.text); }
    at->told = (cairn_complaints){0};
}

// No more than 8 hexadecimal digits in a row: a fingerprint, never a secret or much of it.
static void assert_no_secret(const char *text)
{
    while (*text != '\0') {
        const size_t run = strspn(text, "0123456789abcdefABCDEF");
        assert_true(run <= 8);
        text += run + (text[run] != '\0');
    }
}

static uint32_t count_files(const char *folder)
{
    char command[128], answer[16] = "";
    (void)snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *pipe = popen(command, "r"); // NOLINT(bugprone-command-processor, cert-env33-c): a path of our own
    assert_non_null(pipe);
    assert_non_null(fgets(answer, sizeof answer, pipe));
    (void)pclose(pipe);
    return (uint32_t)strtoul(answer, NULL, 10);
}

static cairn_key make_key(place *at, const char *name, uint8_t robot)
{
    cairn_key key;
    const cairn_err err = cairn_keys_make(at->folder, name, robot, NOON, &at->told, &key);
    if (err != CAIRN_OK) { fail_msg("%s", at->told.text); }
    return key;
}

static size_t living_example(char *ret_text, size_t room, uint8_t ret_secret[CAIRN_LINK_KEY_BYTES])
{
    char digits[2 * CAIRN_LINK_KEY_BYTES + 1];
    for (int i = 0; i < CAIRN_LINK_KEY_BYTES; i++) { ret_secret[i] = (uint8_t)(0x5a + 37 * i); }
    (void)sodium_bin2hex(digits, sizeof digits, ret_secret, CAIRN_LINK_KEY_BYTES);
    return (size_t)snprintf(ret_text, room, living_text, digits, cairn_key_fingerprint(ret_secret));
}

// The text

static void a_file_written_by_hand_is_read(void **state)
{
    (void)state;
    char text[512];
    uint8_t secret[CAIRN_LINK_KEY_BYTES];
    const size_t size = living_example(text, sizeof text, secret);
    cairn_complaints told = {0};
    cairn_key key;
    assert_ok(cairn_key_parse(text, size, "x", &told, &key));
    assert_string_equal(key.info.name, "emu1");
    assert_int_equal(key.info.robot, 7);
    assert_int_equal(key.info.made.ns, NOON.ns);
    assert_false(key.info.revoked);
    assert_memory_equal(key.secret, secret, sizeof secret);
}

static cairn_key random_key(cairn_random *random)
{
    static const char letters[] = "abcXYZ0189-_";
    cairn_key key = {.info = {.robot = (uint8_t)(1 + cairn_random_u64(random) % 250),
                              .made = {(int64_t)(cairn_random_u64(random) % 9000000000) * CAIRN_S(1)},
                              .revoked = cairn_random_u64(random) % 2 == 0}};
    const size_t length = 1 + cairn_random_u64(random) % CAIRN_KEY_NAME_BYTES_MAX;
    for (size_t i = 0; i < length; i++) { key.info.name[i] = letters[cairn_random_u64(random) % (i == 0 ? 10 : 12)]; }
    for (size_t i = 0; i < sizeof key.secret; i++) { key.secret[i] = (uint8_t)cairn_random_u64(random); }
    key.info.fingerprint = cairn_key_fingerprint(key.secret);
    if (key.info.revoked) {
        key.info.revoked_at = (cairn_wall){(int64_t)(cairn_random_u64(random) % 9000000000) * CAIRN_S(1)};
        cairn_key_wipe(&key);
    }
    return key;
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 11, "keys");
    for (int i = 0; i < 2000; i++) {
        const cairn_key key = random_key(&random);
        char text[CAIRN_KEY_TEXT_BYTES_MAX];
        cairn_complaints told = {0};
        cairn_key again = {0};
        assert_ok(cairn_key_parse(text, cairn_key_format(&key, text), "seed 11", &told, &again));
        assert_string_equal(again.info.name, key.info.name);
        assert_int_equal(again.info.robot, key.info.robot);
        assert_int_equal(again.info.fingerprint, key.info.fingerprint);
        assert_int_equal(again.info.made.ns, key.info.made.ns);
        assert_int_equal(again.info.revoked, key.info.revoked);
        assert_int_equal(again.info.revoked_at.ns, key.info.revoked_at.ns);
        assert_memory_equal(again.secret, key.secret, sizeof key.secret);
    }
}

static void every_beginning_of_a_file_is_refused(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 12, "keys");
    for (int i = 0; i < 20; i++) {
        const cairn_key key = random_key(&random);
        char text[CAIRN_KEY_TEXT_BYTES_MAX];
        const size_t size = cairn_key_format(&key, text);
        for (size_t length = 0; length < size; length++) {
            cairn_complaints told = {0};
            cairn_key none;
            assert_int_not_equal(cairn_key_parse(text, length, "x", &told, &none), CAIRN_OK);
            assert_true(told.count > 0);
            assert_no_secret(told.text);
        }
    }
}

// A wrong digit must not become a wrong key, which would only show as a robot that does not join.
static void no_changed_byte_changes_the_secret(void **state)
{
    (void)state;
    char text[512];
    uint8_t secret[CAIRN_LINK_KEY_BYTES];
    const size_t size = living_example(text, sizeof text, secret);
    for (size_t i = 0; i < size; i++) {
        const char before = text[i];
        for (int change = 1; change < 256; change++) {
            text[i] = (char)(before ^ change);
            cairn_complaints told = {0};
            cairn_key key = {0};
            const cairn_err err = cairn_key_parse(text, size, "x", &told, &key);
            assert_int_equal(err == CAIRN_OK, told.count == 0);
            assert_no_secret(told.text);
            if (err == CAIRN_OK) { assert_memory_equal(key.secret, secret, sizeof secret); }
        }
        text[i] = before;
    }
}

static void refuse(const char *text, cairn_err expected, const char *words)
{
    cairn_complaints told = {0};
    cairn_key none;
    assert_int_equal(cairn_key_parse(text, strlen(text), "emu1.key", &told, &none), expected);
    if (strstr(told.text, words) == NULL) { fail_msg("expected \"%s\" in:\n%s", words, told.text); }
}

static void mistakes_are_told_with_file_and_line(void **state)
{
    (void)state;
    refuse("# a letter\n", CAIRN_ERR_INVALID, "emu1.key:1: is not a key file");
    refuse("cairn key 2\n", CAIRN_ERR_UNSUPPORTED, "emu1.key:1: a key file of another version");
    refuse("cairn key 10\n", CAIRN_ERR_UNSUPPORTED, "another version");
    refuse("cairn key 1\nname ../x\n", CAIRN_ERR_INVALID, "emu1.key:2: name: expected 1 to 31");
    refuse("cairn key 1\nname -x\n", CAIRN_ERR_INVALID, "emu1.key:2: name");
    refuse("cairn key 1\n\nrobot 0\n", CAIRN_ERR_INVALID, "emu1.key:3: robot: expected a whole number from 1 to 250");
    refuse("cairn key 1\nrobot 251\n", CAIRN_ERR_INVALID, "emu1.key:2: robot");
    refuse("cairn key 1\nrobot 1\nrobot 1\n", CAIRN_ERR_INVALID, "emu1.key:3: robot stands here a second time");
    refuse("cairn key 1\nmade 2026-02-30T00:00:00Z\n", CAIRN_ERR_INVALID, "emu1.key:2: made: expected a time");
    refuse("cairn key 1\nmade 9999-01-01T00:00:00Z\n", CAIRN_ERR_INVALID, "emu1.key:2: made");
    refuse("cairn key 1\nmade  026-01-01T00:00:00Z\n", CAIRN_ERR_INVALID, "emu1.key:2: made");
    refuse("cairn key 1\nkey 1234\n", CAIRN_ERR_INVALID, "emu1.key:2: key: expected 64 hexadecimal digits");
    refuse("cairn key 1\nkeys 12\n", CAIRN_ERR_INVALID, "emu1.key:2: expected name, robot");
    refuse("cairn key 1\nrobot 1\r\n", CAIRN_ERR_INVALID, "emu1.key:2: robot");
    refuse("cairn key 1\nname a\n", CAIRN_ERR_INVALID, "fingerprint is missing");
    char large[CAIRN_KEY_TEXT_BYTES_MAX + 2];
    memset(large, '\n', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    refuse(large, CAIRN_ERR_TOO_LARGE, "more than 2048 bytes");
}

static void a_secret_in_a_revoked_file_is_refused(void **state)
{
    (void)state;
    char text[512];
    uint8_t secret[CAIRN_LINK_KEY_BYTES];
    const size_t size = living_example(text, sizeof text, secret);
    (void)snprintf(text + size, sizeof text - size, "revoked 2026-04-01T00:00:00Z\n");
    refuse(text, CAIRN_ERR_INVALID, "a revoked key must not have its secret");
}

static void keep_hello(void *context, const uint8_t *bytes, size_t size)
{
    assert_true(size >= CAIRN_LINK_HEADER_BYTES);
    memcpy(context, bytes, CAIRN_LINK_HEADER_BYTES);
}

// So that a person can tell from a list which key a robot on the air has.
static void the_fingerprint_is_the_one_on_the_air(void **state)
{
    place *at = *state;
    const cairn_key key = make_key(at, "emu1", 9);
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, PAIR_ARENA_BYTES));
    cairn_link_def def = cairn_link_def_default();
    def.role = CAIRN_LINK_ROBOT;
    def.robot = key.info.robot;
    memcpy(def.key, key.secret, sizeof def.key);
    cairn_random_init(&def.random, 1, "robot");
    cairn_link *link = NULL;
    assert_ok(cairn_link_create(&def, &arena, &link));
    uint8_t hello[CAIRN_LINK_HEADER_BYTES] = {0};
    cairn_link_step(link, (cairn_mono){CAIRN_S(1)}, keep_hello, hello);
    assert_int_equal(hello[1], 9);
    assert_int_equal((uint32_t)hello[4] | (uint32_t)hello[5] << 8 | (uint32_t)hello[6] << 16 | (uint32_t)hello[7] << 24,
                     key.info.fingerprint);
    cairn_arena_destroy(&arena);
}

// The folder

static void a_made_key_is_read_back_and_is_its_owners_only(void **state)
{
    place *at = *state;
    char deep[96], file[128];
    (void)snprintf(deep, sizeof deep, "%s/a/b", at->folder);
    (void)snprintf(file, sizeof file, "%s/emu1.key", deep);
    cairn_key made, read;
    const mode_t before = umask(0);
    assert_ok(cairn_keys_make(deep, "emu1", 0, (cairn_wall){NOON.ns + 123456789}, &at->told, &made));
    (void)umask(before);
    assert_ok(cairn_keys_read(deep, "emu1", &at->told, &read));
    assert_memory_equal(made.secret, read.secret, sizeof read.secret);
    assert_string_equal(read.info.name, "emu1");
    assert_int_equal(read.info.robot, 1);
    assert_int_equal(read.info.made.ns, NOON.ns);
    struct stat found;
    assert_int_equal(stat(file, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(stat(deep, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    assert_int_equal(count_files(deep), 1);
}

static void keys_differ(void **state)
{
    place *at = *state;
    const cairn_key a = make_key(at, "a", 0), b = make_key(at, "b", 0);
    assert_memory_not_equal(a.secret, b.secret, sizeof a.secret);
    assert_int_not_equal(a.info.fingerprint, b.info.fingerprint);
}

static void a_living_key_is_not_overwritten(void **state)
{
    place *at = *state;
    const cairn_key key = make_key(at, "emu1", 0);
    cairn_key other, read;
    assert_int_equal(cairn_keys_make(at->folder, "emu1", 0, NOON, &at->told, &other), CAIRN_ERR_INVALID);
    assert_told(at, "revoke it first");
    assert_ok(cairn_keys_read(at->folder, "emu1", &at->told, &read));
    assert_memory_equal(key.secret, read.secret, sizeof read.secret);
}

static void a_bad_name_is_refused_before_anything_is_touched(void **state)
{
    place *at = *state;
    const char *const names[] = {"",        ".",        "..", "../x", "a/b",
                                 "a b",     "a.key",    "-a", "_a",   "a2345678901234567890123456789012",
                                 "ro\nbot", "r\xc3\xb6"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cairn_key key;
        cairn_key_info info;
        assert_int_equal(cairn_keys_make(at->folder, names[i], 0, NOON, &at->told, &key), CAIRN_ERR_INVALID);
        assert_int_equal(cairn_keys_read(at->folder, names[i], &at->told, &key), CAIRN_ERR_INVALID);
        assert_int_equal(cairn_keys_revoke(at->folder, names[i], NOON, &at->told, &info), CAIRN_ERR_INVALID);
        assert_told(at, "cannot be a robot's name");
    }
    assert_int_equal(count_files(at->folder), 0);
}

static void files_that_others_may_read_are_refused(void **state)
{
    place *at = *state;
    (void)make_key(at, "emu1", 0);
    const mode_t modes[] = {0640, 0604, 0620, 0601, 0644, 0666};
    cairn_key key;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(at->file, modes[i]), 0);
        assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &key), CAIRN_ERR_INVALID);
        assert_told(at, "chmod 600 /tmp/");
    }
    assert_int_equal(chmod(at->file, 0400), 0);
    assert_ok(cairn_keys_read(at->folder, "emu1", &at->told, &key));
    assert_int_equal(chmod(at->folder, 0755), 0);
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &key), CAIRN_ERR_INVALID);
    assert_told(at, "mode 0755; chmod 700 /tmp/");
}

static void what_is_not_a_plain_file_is_refused(void **state)
{
    place *at = *state;
    cairn_key key;
    assert_int_equal(symlink("/dev/zero", at->file), 0);
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &key), CAIRN_ERR_INVALID);
    assert_told(at, "is a symbolic link");
    assert_int_equal(unlink(at->file), 0);
    assert_int_equal(mkfifo(at->file, 0600), 0);
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &key), CAIRN_ERR_INVALID);
    assert_told(at, "is not a plain file");
}

static void a_missing_key_is_told_with_what_to_do(void **state)
{
    place *at = *state;
    cairn_key key;
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &key), CAIRN_ERR_NOT_FOUND);
    assert_told(at, "cairn keys make emu1");
    assert_int_equal(cairn_keys_read("/nowhere/at/all", "emu1", &at->told, &key), CAIRN_ERR_NOT_FOUND);
    assert_told(at, "/nowhere/at/all: there is no key for emu1 here");
}

static void a_file_under_another_name_is_refused(void **state)
{
    place *at = *state;
    (void)make_key(at, "emu1", 0);
    char other[128];
    (void)snprintf(other, sizeof other, "%s/emu2.key", at->folder);
    assert_int_equal(rename(at->file, other), 0);
    cairn_key key;
    assert_int_equal(cairn_keys_read(at->folder, "emu2", &at->told, &key), CAIRN_ERR_INVALID);
    assert_told(at, "is the key of emu1 and must be named emu1.key");
}

static void numbers_are_the_lowest_free_and_never_shared(void **state)
{
    place *at = *state;
    assert_int_equal(make_key(at, "a", 0).info.robot, 1);
    assert_int_equal(make_key(at, "b", 3).info.robot, 3);
    assert_int_equal(make_key(at, "c", 0).info.robot, 2);
    assert_int_equal(make_key(at, "d", 0).info.robot, 4);
    cairn_key key;
    assert_int_equal(cairn_keys_make(at->folder, "e", 3, NOON, &at->told, &key), CAIRN_ERR_INVALID);
    assert_told(at, "b.key: robot number 3 is taken");
    assert_int_equal(make_key(at, "f", 250).info.robot, 250);
}

static void two_files_with_one_number_are_told(void **state)
{
    place *at = *state;
    char text[512], other[64];
    uint8_t secret[CAIRN_LINK_KEY_BYTES];
    (void)make_key(at, "a", 7);
    write_text(at->file, text, living_example(text, sizeof text, secret), 0600);
    static cairn_keys_list list;
    assert_int_equal(cairn_keys_find(at->folder, &at->told, &list), CAIRN_ERR_INVALID);
    assert_int_equal(list.count, 2);
    (void)snprintf(other, sizeof other, "number 7 is that of a.key too");
    assert_told(at, other);
    cairn_key_info info;
    assert_ok(cairn_keys_revoke(at->folder, "a", NOON, &at->told, &info));
    assert_ok(cairn_keys_find(at->folder, &at->told, &list));
}

static void all_250_robots_get_a_number_and_one_more_is_refused(void **state)
{
    place *at = *state;
    char name[16];
    for (int i = 1; i <= CAIRN_KEY_ROBOT_MAX; i++) {
        (void)snprintf(name, sizeof name, "r%d", i);
        assert_int_equal(make_key(at, name, 0).info.robot, i);
    }
    cairn_key key;
    assert_int_equal(cairn_keys_make(at->folder, "more", 0, NOON, &at->told, &key), CAIRN_ERR_FULL);
    assert_told(at, "all 250 robot numbers are taken");
}

static void processes_that_make_keys_at_once_get_different_numbers(void **state)
{
    enum { PROCESSES = 4, EACH = 8 };
    place *at = *state;
    for (int i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) { continue; }
        for (int k = 0; k < EACH; k++) {
            char name[32];
            cairn_key key;
            (void)snprintf(name, sizeof name, "p%d-%d", i, k);
            if (cairn_keys_make(at->folder, name, 0, NOON, &at->told, &key) != CAIRN_OK) { _exit(1); }
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    static cairn_keys_list list;
    assert_ok(cairn_keys_find(at->folder, &at->told, &list)); // which tells numbers that are shared
    assert_int_equal(list.count, PROCESSES * EACH);
}

static void a_revoked_key_is_refused_and_its_secret_is_gone(void **state)
{
    place *at = *state;
    const cairn_key key = make_key(at, "emu1", 5);
    const int held = open(at->file, O_RDONLY); // the old file, which the rename takes out of the folder
    cairn_key_info info;
    assert_ok(cairn_keys_revoke(at->folder, "emu1", (cairn_wall){NOON.ns + CAIRN_S(60)}, &at->told, &info));
    assert_true(info.revoked && info.fingerprint == key.info.fingerprint);
    char text[CAIRN_KEY_TEXT_BYTES_MAX + 1];
    (void)read_text(at->file, text, sizeof text);
    assert_no_secret(text);
    assert_non_null(strstr(text, "revoked 2026-03-01T12:01:00Z\n"));
    const ssize_t size = read(held, text, sizeof text);
    assert_true(size > 0 && text[0] == '\0' && memcmp(text, text + 1, (size_t)size - 1) == 0);
    (void)close(held);

    cairn_key none;
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &none), CAIRN_ERR_STALE);
    assert_told(at, "was revoked at 2026-03-01T12:01:00Z; make another");
    assert_int_equal(cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info), CAIRN_ERR_STALE);
    assert_told(at, "nothing left to revoke");
    bool made = false;
    assert_int_equal(cairn_keys_ensure(at->folder, "emu1", 5, NOON, &at->told, &none, &made), CAIRN_ERR_STALE);
}

static void a_key_that_others_could_read_can_be_revoked(void **state)
{
    place *at = *state;
    (void)make_key(at, "emu1", 0);
    assert_int_equal(chmod(at->file, 0644), 0);
    cairn_key_info info;
    assert_ok(cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info));
    struct stat found;
    assert_int_equal(stat(at->file, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
}

static void a_replaced_key_keeps_its_number_and_leaves_a_trace(void **state)
{
    place *at = *state;
    static cairn_keys_list list;
    cairn_key_info info;
    (void)make_key(at, "a", 0);
    const cairn_key first = make_key(at, "emu1", 5);
    assert_ok(cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info));
    assert_int_equal(make_key(at, "b", 0).info.robot, 2);
    const cairn_key second = make_key(at, "emu1", 0);
    assert_int_equal(second.info.robot, 5);
    assert_int_not_equal(second.info.fingerprint, first.info.fingerprint);
    assert_ok(cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info));
    (void)make_key(at, "emu1", 0);

    assert_ok(cairn_keys_find(at->folder, &at->told, &list));
    const char *const files[] = {"a.key", "b.key", "emu1.key", "emu1.key.1", "emu1.key.2"};
    assert_int_equal(list.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(list.entries[i].file, files[i]);
        assert_int_equal(list.entries[i].info.revoked, i >= 3);
    }
    assert_int_equal(list.entries[3].info.fingerprint, first.info.fingerprint);
    assert_int_equal(list.entries[4].info.fingerprint, second.info.fingerprint);
}

// A number stays with a revoked name, until a person says otherwise.
static void the_number_of_a_revoked_key_is_given_away_only_when_asked_for(void **state)
{
    place *at = *state;
    cairn_key_info info;
    (void)make_key(at, "a", 1);
    assert_ok(cairn_keys_revoke(at->folder, "a", NOON, &at->told, &info));
    assert_int_equal(make_key(at, "b", 0).info.robot, 2);
    assert_int_equal(make_key(at, "c", 1).info.robot, 1);
    assert_int_equal(make_key(at, "a", 0).info.robot, 3);
}

static void robots_are_listed_by_name_and_number(void **state)
{
    place *at = *state;
    static cairn_keys_list list;
    assert_ok(cairn_keys_find("/nowhere/at/all", &at->told, &list));
    assert_int_equal(list.count, 0);
    (void)make_key(at, "emu10", 0);
    (void)make_key(at, "emu2", 0);
    (void)make_key(at, "ant", 0);
    char other[128];
    (void)snprintf(other, sizeof other, "%s/notes.txt", at->folder);
    write_text(other, "x", 1, 0644);
    (void)snprintf(other, sizeof other, "%s/.new.key", at->folder); // left behind by a crash
    write_text(other, "x", 1, 0600);
    assert_ok(cairn_keys_find(at->folder, &at->told, &list));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.entries[0].info.name, "ant");
    assert_string_equal(list.entries[1].info.name, "emu2");
    assert_string_equal(list.entries[2].info.name, "emu10");
    (void)make_key(at, "bee", 0); // and the crash is no hindrance
}

static void a_damaged_file_is_told_beside_the_good_ones(void **state)
{
    place *at = *state;
    static cairn_keys_list list;
    (void)make_key(at, "a", 0);
    write_text(at->file, "cairn key 1\nname emu1\n", 22, 0600);
    assert_int_equal(cairn_keys_find(at->folder, &at->told, &list), CAIRN_ERR_INVALID);
    assert_int_equal(list.count, 1);
    assert_told(at, "emu1.key: robot is missing");
    cairn_key key; // whose number might be that of the damaged file
    assert_int_equal(cairn_keys_make(at->folder, "b", 0, NOON, &at->told, &key), CAIRN_ERR_INVALID);
}

static void a_copy_of_a_living_key_among_the_old_is_told(void **state)
{
    place *at = *state;
    static cairn_keys_list list;
    char text[512], copy[160];
    uint8_t secret[CAIRN_LINK_KEY_BYTES];
    (void)snprintf(copy, sizeof copy, "%s.1", at->file);
    write_text(copy, text, living_example(text, sizeof text, secret), 0600);
    assert_int_equal(cairn_keys_find(at->folder, &at->told, &list), CAIRN_ERR_INVALID);
    assert_told(at, "emu1.key.1: a copy of a living key");
}

static void ensure_makes_a_key_once(void **state)
{
    place *at = *state;
    cairn_key first, second;
    bool made = false;
    assert_ok(cairn_keys_ensure(at->folder, "emu1", 3, NOON, &at->told, &first, &made));
    assert_true(made);
    assert_int_equal(first.info.robot, 3);
    assert_ok(cairn_keys_ensure(at->folder, "emu1", 3, NOON, &at->told, &second, &made));
    assert_false(made);
    assert_memory_equal(first.secret, second.secret, sizeof first.secret);
    assert_ok(cairn_keys_ensure(at->folder, "emu1", 0, NOON, &at->told, &second, &made));
    assert_int_equal(cairn_keys_ensure(at->folder, "emu1", 4, NOON, &at->told, &second, &made), CAIRN_ERR_INVALID);
    assert_told(at, "is for robot number 3, and 4 is wanted");
    assert_int_equal(cairn_keys_ensure(at->folder, "emu2", 3, NOON, &at->told, &second, &made), CAIRN_ERR_INVALID);
    assert_told(at, "robot number 3 is taken");
}

// Faults

static void assert_nothing_changed(place *at, const cairn_key *key, uint32_t file_count)
{
    cairn_key read;
    assert_ok(cairn_keys_read(at->folder, "emu1", &at->told, &read));
    assert_memory_equal(read.secret, key->secret, sizeof read.secret);
    assert_int_equal(count_files(at->folder), file_count);
}

// A disk that is full after some bytes, at every number of them.
static void a_write_that_fails_leaves_no_half_file(void **state)
{
    place *at = *state;
    const cairn_key key = make_key(at, "emu1", 0);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (rlim_t bytes = 0; bytes < 120; bytes++) {
        const struct rlimit small = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
        cairn_key none;
        cairn_key_info info;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const cairn_err make_err = cairn_keys_make(at->folder, "emu2", 0, NOON, &at->told, &none);
        const cairn_err revoke_err = cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(make_err, CAIRN_ERR_IO);
        assert_int_equal(revoke_err, CAIRN_ERR_IO);
        assert_told(at, "cannot be written");
        assert_nothing_changed(at, &key, 1);
    }
}

static void a_failed_replacement_leaves_no_trace_behind(void **state)
{
    place *at = *state;
    cairn_key none;
    cairn_key_info info;
    struct rlimit before, small;
    (void)make_key(at, "emu1", 0);
    assert_ok(cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const cairn_err err = cairn_keys_make(at->folder, "emu1", 0, NOON, &at->told, &none);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(err, CAIRN_ERR_IO);
    assert_int_equal(count_files(at->folder), 1);
    assert_int_equal(cairn_keys_read(at->folder, "emu1", &at->told, &none), CAIRN_ERR_STALE);
}

// As root, who may write anywhere, for once as somebody else.
static void a_folder_that_may_not_be_written_is_left_as_it_was(void **state)
{
    place *at = *state;
    const cairn_key key = make_key(at, "emu1", 0);
    const bool root = geteuid() == 0;
    if (root) {
        assert_int_equal(chown(at->file, NOBODY, NOBODY) | chown(at->folder, NOBODY, NOBODY), 0);
        assert_int_equal(seteuid(NOBODY), 0);
    }
    cairn_key none;
    cairn_key_info info;
    assert_int_equal(chmod(at->folder, 0500), 0);
    const cairn_err make_err = cairn_keys_make(at->folder, "emu2", 0, NOON, &at->told, &none);
    const cairn_err revoke_err = cairn_keys_revoke(at->folder, "emu1", NOON, &at->told, &info);
    if (root) { assert_int_equal(seteuid(0), 0); }
    assert_int_equal(make_err, CAIRN_ERR_IO);
    assert_int_equal(revoke_err, CAIRN_ERR_IO);
    assert_told(at, "cannot be written: Permission denied");
    assert_nothing_changed(at, &key, 1);
}

static void the_default_folder_follows_the_environment(void **state)
{
    place *at = *state;
    char folder[CAIRN_KEYS_PATH_BYTES_MAX];
    (void)setenv("HOME", "/home/x", 1);
    (void)setenv("XDG_CONFIG_HOME", "/etc/x", 1);
    (void)setenv("CAIRN_KEYS", "keys", 1);
    assert_ok(cairn_keys_folder_default(&at->told, folder));
    assert_string_equal(folder, "keys");
    (void)setenv("CAIRN_KEYS", "", 1);
    assert_ok(cairn_keys_folder_default(&at->told, folder));
    assert_string_equal(folder, "/etc/x/cairn/keys");
    (void)setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_ok(cairn_keys_folder_default(&at->told, folder));
    assert_string_equal(folder, "/home/x/.config/cairn/keys");
    (void)unsetenv("HOME");
    assert_int_equal(cairn_keys_folder_default(&at->told, folder), CAIRN_ERR_NOT_FOUND);
    assert_told(at, "set CAIRN_KEYS");
    char large[CAIRN_KEYS_PATH_BYTES_MAX + 1];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    (void)setenv("CAIRN_KEYS", large, 1);
    assert_int_equal(cairn_keys_folder_default(&at->told, folder), CAIRN_ERR_TOO_LARGE);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_written_by_hand_is_read),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(every_beginning_of_a_file_is_refused),
        cmocka_unit_test(no_changed_byte_changes_the_secret),
        cmocka_unit_test(mistakes_are_told_with_file_and_line),
        cmocka_unit_test(a_secret_in_a_revoked_file_is_refused),
        IN_FOLDER(the_fingerprint_is_the_one_on_the_air),
        IN_FOLDER(a_made_key_is_read_back_and_is_its_owners_only),
        IN_FOLDER(keys_differ),
        IN_FOLDER(a_living_key_is_not_overwritten),
        IN_FOLDER(a_bad_name_is_refused_before_anything_is_touched),
        IN_FOLDER(files_that_others_may_read_are_refused),
        IN_FOLDER(what_is_not_a_plain_file_is_refused),
        IN_FOLDER(a_missing_key_is_told_with_what_to_do),
        IN_FOLDER(a_file_under_another_name_is_refused),
        IN_FOLDER(numbers_are_the_lowest_free_and_never_shared),
        IN_FOLDER(two_files_with_one_number_are_told),
        IN_FOLDER(all_250_robots_get_a_number_and_one_more_is_refused),
        IN_FOLDER(processes_that_make_keys_at_once_get_different_numbers),
        IN_FOLDER(a_revoked_key_is_refused_and_its_secret_is_gone),
        IN_FOLDER(a_key_that_others_could_read_can_be_revoked),
        IN_FOLDER(a_replaced_key_keeps_its_number_and_leaves_a_trace),
        IN_FOLDER(the_number_of_a_revoked_key_is_given_away_only_when_asked_for),
        IN_FOLDER(robots_are_listed_by_name_and_number),
        IN_FOLDER(a_damaged_file_is_told_beside_the_good_ones),
        IN_FOLDER(a_copy_of_a_living_key_among_the_old_is_told),
        IN_FOLDER(ensure_makes_a_key_once),
        IN_FOLDER(a_write_that_fails_leaves_no_half_file),
        IN_FOLDER(a_failed_replacement_leaves_no_trace_behind),
        IN_FOLDER(a_folder_that_may_not_be_written_is_left_as_it_was),
        IN_FOLDER(the_default_folder_follows_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
