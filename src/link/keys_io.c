// keys_io.c - see keys_io.h. Whoever makes a key reads the whole folder first, under the lock, so that a number is
// never given twice.
#include "link/keys_io.h"
#include "link/key_folder_io.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLD_KEYS_MAX 99 // of one name

static bool is_set(const char *variable) { return variable != NULL && variable[0] != '\0'; }

cairn_err cairn_keys_folder_default(cairn_complaints *complaints, char ret_folder[CAIRN_KEYS_PATH_BYTES_MAX])
{
    const char *keys = getenv("CAIRN_KEYS"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[CAIRN_KEYS_PATH_BYTES_MAX];
    int length = 0;
    if (is_set(keys)) {
        length = snprintf(path, sizeof path, "%s", keys);
    } else if (is_set(config) && config[0] == '/') { // relative ones are to be ignored, says its specification
        length = snprintf(path, sizeof path, "%s/cairn/keys", config);
    } else if (is_set(home)) {
        length = snprintf(path, sizeof path, "%s/.config/cairn/keys", home);
    } else {
        cairn_complain(complaints, NULL, 0,
                       "no folder for keys: neither CAIRN_KEYS nor XDG_CONFIG_HOME nor HOME is set; set CAIRN_KEYS");
        return CAIRN_ERR_NOT_FOUND;
    }
    if (length >= (int)sizeof path) {
        cairn_complain(complaints, NULL, 0, "the folder for keys has a name of %d bytes; at most %zu", length,
                       sizeof path - 1);
        return CAIRN_ERR_TOO_LARGE;
    }
    memcpy(ret_folder, path, (size_t)length + 1);
    return CAIRN_OK;
}

static cairn_err check_name(const char *name, cairn_complaints *complaints)
{
    CAIRN_ASSERT(name != NULL);
    if (cairn_key_name_is_good(name)) { return CAIRN_OK; }
    cairn_complain(complaints, NULL, 0,
                   "'%.64s' cannot be a robot's name; expected 1 to %d letters, digits, - or _, beginning with a "
                   "letter or digit",
                   name, CAIRN_KEY_NAME_BYTES_MAX);
    return CAIRN_ERR_INVALID;
}

static cairn_err refuse_revoked(const cairn_key_folder *folder, const cairn_key_info *info, const char *remedy)
{
    char time[CAIRN_KEY_TIME_BYTES];
    cairn_key_time_format(info->revoked_at, time);
    cairn_key_folder_complain(folder, cairn_key_file_name_of(info->name).text, "was revoked at %s; %s", time, remedy);
    return CAIRN_ERR_STALE;
}

static cairn_err refuse_missing(const char *path, const char *name, cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0,
                   "there is no key for %s here; copy %s" CAIRN_KEY_ENDING
                   " from the other side, or make one: cairn keys make %s",
                   name, name, name);
    return CAIRN_ERR_NOT_FOUND;
}

static cairn_err read_living(const cairn_key_folder *folder, const char *name, cairn_key *ret_key)
{
    cairn_key key;
    const cairn_err err =
        cairn_key_folder_read(folder, cairn_key_file_name_of(name).text, CAIRN_KEY_PRIVATE_ONLY, &key);
    if (err != CAIRN_OK) { return err; }
    if (key.info.revoked) {
        return refuse_revoked(folder, &key.info, "make another with `cairn keys make`, and copy it to the robot");
    }
    *ret_key = key;
    cairn_key_wipe(&key);
    return CAIRN_OK;
}

cairn_err cairn_keys_read(const char *folder, const char *name, cairn_complaints *complaints, cairn_key *ret_key)
{
    cairn_key_folder open_folder;
    cairn_err err = check_name(name, complaints);
    if (err != CAIRN_OK) { return err; }
    err = cairn_key_folder_open(&open_folder, folder, complaints);
    if (err == CAIRN_OK) { err = read_living(&open_folder, name, ret_key); }
    cairn_key_folder_close(&open_folder);
    return err == CAIRN_ERR_NOT_FOUND ? refuse_missing(folder, name, complaints) : err;
}

// NAME.key or NAME.key.1; whether NAME is good is told when the file is read.
static bool is_key_file(const char *file)
{
    const char *dot = strchr(file, '.');
    if (dot == NULL || dot == file || strlen(file) >= CAIRN_KEYS_FILE_BYTES_MAX) { return false; }
    if (strncmp(dot, CAIRN_KEY_ENDING, strlen(CAIRN_KEY_ENDING)) != 0) { return false; }
    const char *rest = dot + strlen(CAIRN_KEY_ENDING);
    const size_t digits = rest[0] == '.' ? strspn(rest + 1, "0123456789") : 0;
    return rest[0] == '\0' || (digits > 0 && rest[1 + digits] == '\0');
}

static bool is_old(const char *file) { return file[strcspn(file, ".") + strlen(CAIRN_KEY_ENDING)] != '\0'; }

static int compare_files(const void *a, const void *b)
{
    return strverscmp(((const cairn_keys_entry *)a)->file, ((const cairn_keys_entry *)b)->file);
}

// Adds one file to the list; a refused one is complained of and left out.
static cairn_err add_entry(const cairn_key_folder *folder, const char *file, cairn_keys_list *list)
{
    if (list->count == CAIRN_KEYS_MAX) {
        cairn_key_folder_complain(folder, NULL, "more than %d key files; delete old ones, NAME" CAIRN_KEY_ENDING ".1",
                                  CAIRN_KEYS_MAX);
        return CAIRN_ERR_FULL;
    }
    cairn_key key;
    if (cairn_key_folder_read(folder, file, CAIRN_KEY_PRIVATE_ONLY, &key) != CAIRN_OK) { return CAIRN_OK; }
    cairn_key_wipe(&key);
    if (is_old(file) && !key.info.revoked) {
        cairn_key_folder_complain(folder, file, "a copy of a living key has no place here; delete this file");
        return CAIRN_OK;
    }
    cairn_keys_entry *entry = &list->entries[list->count++];
    entry->info = key.info;
    CAIRN_ASSERT(strlen(file) < sizeof entry->file); // is_key_file has seen to it
    memcpy(entry->file, file, strlen(file) + 1);
    return CAIRN_OK;
}

static cairn_err add_entries(const cairn_key_folder *folder, cairn_keys_list *list)
{
    const int handle = openat(folder->handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *walk = handle >= 0 ? fdopendir(handle) : NULL;
    if (walk == NULL) {
        cairn_key_folder_complain(folder, NULL, "cannot be listed: %s", strerror(errno));
        if (handle >= 0) { (void)close(handle); }
        return CAIRN_ERR_IO;
    }
    cairn_err err = CAIRN_OK;
    for (const struct dirent *entry = readdir(walk); entry != NULL && err == CAIRN_OK; entry = readdir(walk)) {
        if (is_key_file(entry->d_name)) { err = add_entry(folder, entry->d_name, list); }
    }
    (void)closedir(walk);
    qsort(list->entries, list->count, sizeof list->entries[0], compare_files);
    return err;
}

static const cairn_keys_entry *living_with(const cairn_keys_list *list, uint8_t robot)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->entries[i].info.robot == robot && !list->entries[i].info.revoked) { return &list->entries[i]; }
    }
    return NULL;
}

static void check_numbers(const cairn_key_folder *folder, const cairn_keys_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const cairn_keys_entry *entry = &list->entries[i], *first = living_with(list, entry->info.robot);
        if (entry->info.revoked || first == entry) { continue; }
        cairn_key_folder_complain(folder, entry->file, "robot number %u is that of %s too; revoke one of them",
                                  entry->info.robot, first->file);
    }
}

static cairn_err find_all(const cairn_key_folder *folder, cairn_keys_list *ret_list)
{
    const uint32_t complaint_count = folder->complaints->count;
    cairn_keys_list list = {0};
    const cairn_err err = add_entries(folder, &list);
    if (err != CAIRN_OK) { return err; }
    check_numbers(folder, &list);
    *ret_list = list;
    return folder->complaints->count == complaint_count ? CAIRN_OK : CAIRN_ERR_INVALID;
}

cairn_err cairn_keys_find(const char *folder, cairn_complaints *complaints, cairn_keys_list *ret_list)
{
    cairn_key_folder open_folder;
    cairn_err err = cairn_key_folder_open(&open_folder, folder, complaints);
    if (err == CAIRN_ERR_NOT_FOUND) {
        ret_list->count = 0;
        return CAIRN_OK;
    }
    if (err == CAIRN_OK) { err = find_all(&open_folder, ret_list); }
    cairn_key_folder_close(&open_folder);
    return err;
}

static cairn_err lowest_free(const cairn_key_folder *folder, const cairn_keys_list *list, uint8_t *ret_robot)
{
    bool taken[CAIRN_KEY_ROBOT_MAX + 1] = {true};
    for (uint32_t i = 0; i < list->count; i++) { taken[list->entries[i].info.robot] = true; }
    for (unsigned robot = 1; robot <= CAIRN_KEY_ROBOT_MAX; robot++) {
        if (taken[robot]) { continue; }
        *ret_robot = (uint8_t)robot;
        return CAIRN_OK;
    }
    cairn_key_folder_complain(folder, NULL,
                              "all %d robot numbers are taken; delete files of revoked keys that are of no more use",
                              CAIRN_KEY_ROBOT_MAX);
    return CAIRN_ERR_FULL;
}

// `before` is the revoked key of that name, or NULL. Its number is used again unless someone else has it by now.
static cairn_err choose_number(const cairn_key_folder *folder, const cairn_keys_list *list,
                               const cairn_keys_entry *before, uint8_t robot, uint8_t *ret_robot)
{
    const cairn_keys_entry *holder = living_with(list, robot);
    if (holder != NULL) {
        cairn_key_folder_complain(folder, holder->file, "robot number %u is taken; choose another, or revoke this key",
                                  robot);
        return CAIRN_ERR_INVALID;
    }
    if (robot == 0 && before != NULL && living_with(list, before->info.robot) == NULL) { robot = before->info.robot; }
    if (robot == 0) { return lowest_free(folder, list, ret_robot); }
    *ret_robot = robot;
    return CAIRN_OK;
}

static const cairn_keys_entry *entry_of(const cairn_keys_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const cairn_keys_entry *entry = &list->entries[i];
        if (strcmp(entry->info.name, name) == 0 && !is_old(entry->file)) { return entry; }
    }
    return NULL;
}

// Gives the revoked key a second name, which stays: NAME.key.1, or the next that is free.
static cairn_err keep_old(const cairn_key_folder *folder, const cairn_keys_entry *before, cairn_key_file_name *ret_kept)
{
    for (uint8_t i = 1; i <= OLD_KEYS_MAX; i++) {
        (void)snprintf(ret_kept->text, sizeof ret_kept->text, "%s" CAIRN_KEY_ENDING ".%u", before->info.name, i);
        if (linkat(folder->handle, before->file, folder->handle, ret_kept->text, 0) == 0) { return CAIRN_OK; }
        if (errno == EEXIST) { continue; }
        cairn_key_folder_complain(folder, ret_kept->text, "cannot be written: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    cairn_key_folder_complain(folder, before->file, "has %d old keys beside it; delete some", OLD_KEYS_MAX);
    return CAIRN_ERR_FULL;
}

static cairn_err replace(const cairn_key_folder *folder, const cairn_keys_entry *before, const cairn_key *key)
{
    cairn_key_file_name kept;
    cairn_err err = keep_old(folder, before, &kept);
    if (err != CAIRN_OK) { return err; }
    err = cairn_key_folder_write(folder, key);
    if (err != CAIRN_OK) { (void)unlinkat(folder->handle, kept.text, 0); }
    return err;
}

static cairn_wall whole_seconds(cairn_wall time) { return (cairn_wall){time.ns - time.ns % CAIRN_S(1)}; }

static void draw_secret(cairn_key *key)
{
    CAIRN_ASSERT(sodium_init() >= 0);
    randombytes_buf(key->secret, sizeof key->secret);
    key->info.fingerprint = cairn_key_fingerprint(key->secret);
}

static cairn_err make_locked(const cairn_key_folder *folder, const char *name, uint8_t robot, cairn_wall now,
                             cairn_key *ret_key)
{
    cairn_keys_list list;
    cairn_err err = find_all(folder, &list);
    if (err != CAIRN_OK) { return err; }
    const cairn_keys_entry *before = entry_of(&list, name);
    if (before != NULL && !before->info.revoked) {
        cairn_key_folder_complain(folder, before->file,
                                  "there is a living key already; to replace it, revoke it first");
        return CAIRN_ERR_INVALID;
    }
    cairn_key key = {.info.made = whole_seconds(now)};
    (void)snprintf(key.info.name, sizeof key.info.name, "%s", name);
    err = choose_number(folder, &list, before, robot, &key.info.robot);
    if (err != CAIRN_OK) { return err; }
    draw_secret(&key);
    err = before != NULL ? replace(folder, before, &key) : cairn_key_folder_write(folder, &key);
    if (err == CAIRN_OK) { *ret_key = key; }
    cairn_key_wipe(&key);
    return err;
}

cairn_err cairn_keys_make(const char *folder, const char *name, uint8_t robot, cairn_wall now,
                          cairn_complaints *complaints, cairn_key *ret_key)
{
    CAIRN_ASSERT(robot <= CAIRN_KEY_ROBOT_MAX);
    cairn_key_folder open_folder;
    cairn_err err = check_name(name, complaints);
    if (err != CAIRN_OK) { return err; }
    err = cairn_key_folder_open_to_write(&open_folder, folder, complaints);
    if (err == CAIRN_OK) { err = make_locked(&open_folder, name, robot, now, ret_key); }
    cairn_key_folder_close(&open_folder);
    return err;
}

static cairn_err check_robot(const cairn_key_folder *folder, const cairn_key_info *info, uint8_t robot)
{
    if (robot == 0 || info->robot == robot) { return CAIRN_OK; }
    cairn_key_folder_complain(folder, cairn_key_file_name_of(info->name).text,
                              "is for robot number %u, and %u is wanted; revoke it, or take another name", info->robot,
                              robot);
    return CAIRN_ERR_INVALID;
}

cairn_err cairn_keys_ensure(const char *folder, const char *name, uint8_t robot, cairn_wall now,
                            cairn_complaints *complaints, cairn_key *ret_key, bool *ret_made)
{
    CAIRN_ASSERT(robot <= CAIRN_KEY_ROBOT_MAX);
    cairn_key_folder open_folder;
    cairn_key key = {0};
    cairn_err err = check_name(name, complaints);
    if (err == CAIRN_OK) { err = cairn_key_folder_open_to_write(&open_folder, folder, complaints); }
    if (err != CAIRN_OK) { return err; }
    err = read_living(&open_folder, name, &key);
    const bool missing = err == CAIRN_ERR_NOT_FOUND;
    if (missing) { err = make_locked(&open_folder, name, robot, now, &key); }
    if (err == CAIRN_OK) { err = check_robot(&open_folder, &key.info, robot); }
    cairn_key_folder_close(&open_folder);
    if (err == CAIRN_OK) {
        *ret_key = key;
        *ret_made = missing;
    }
    cairn_key_wipe(&key);
    return err;
}

static cairn_err revoke_locked(const cairn_key_folder *folder, const char *name, cairn_wall now,
                               cairn_key_info *ret_info)
{
    cairn_key key;
    cairn_err err = cairn_key_folder_read(folder, cairn_key_file_name_of(name).text, CAIRN_KEY_ANY_MODE, &key);
    if (err != CAIRN_OK) { return err; }
    cairn_key_wipe(&key);
    if (key.info.revoked) { return refuse_revoked(folder, &key.info, "there is nothing left to revoke"); }
    key.info.revoked = true;
    key.info.revoked_at = whole_seconds(now);
    err = cairn_key_folder_write_and_erase(folder, &key);
    if (err == CAIRN_OK) { *ret_info = key.info; }
    return err;
}

cairn_err cairn_keys_revoke(const char *folder, const char *name, cairn_wall now, cairn_complaints *complaints,
                            cairn_key_info *ret_info)
{
    cairn_key_folder open_folder;
    cairn_err err = check_name(name, complaints);
    if (err != CAIRN_OK) { return err; }
    err = cairn_key_folder_open(&open_folder, folder, complaints);
    if (err == CAIRN_OK) { err = cairn_key_folder_lock(&open_folder); }
    if (err == CAIRN_OK) { err = revoke_locked(&open_folder, name, now, ret_info); }
    cairn_key_folder_close(&open_folder);
    return err == CAIRN_ERR_NOT_FOUND ? refuse_missing(folder, name, complaints) : err;
}
