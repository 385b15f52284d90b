#include "programs/sim/run_folder.h"
#include "ports/folder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES (CAIRN_RUN_FOLDER_BYTES + 64)

static void path_of(const char *folder, const char *name, const char *ending, char ret_path[PATH_BYTES])
{
    (void)snprintf(ret_path, PATH_BYTES, "%s/%s%s", folder, name, ending);
}

// ---- the folder and its lock

// Asks without taking, so that a simulator that starts meanwhile is not in the way of one who looks.
int cairn_run_folder_pid(const char *path)
{
    char lock[PATH_BYTES], words[32] = "";
    path_of(path, "lock", "", lock);
    const int file = open(lock, O_RDONLY | O_CLOEXEC);
    if (file < 0) { return 0; }
    struct flock held = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const bool is_held = fcntl(file, F_OFD_GETLK, &held) == 0 && held.l_type != F_UNLCK;
    const bool is_read = is_held && read(file, words, sizeof words - 1) > 0;
    close(file);
    return is_read ? (int)strtol(words, NULL, 10) : 0;
}

// The system gives the lock back when its process ends, however it ends.
static cairn_err take_lock(cairn_run_folder *folder, cairn_complaints *complaints)
{
    char path[PATH_BYTES];
    path_of(folder->path, "lock", "", path);
    folder->lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (folder->lock_file < 0) {
        cairn_complain(complaints, path, 0, "cannot be made: %s; choose another folder with --folder", strerror(errno));
        return CAIRN_ERR_IO;
    }
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(folder->lock_file, F_OFD_SETLK, &wanted) != 0) {
        cairn_complain(complaints, folder->path, 0,
                       "another simulator runs here, process %d; end it, or choose another folder with --folder",
                       cairn_run_folder_pid(folder->path));
        return CAIRN_ERR_INVALID;
    }
    const int length = snprintf(path, sizeof path, "%d\n", (int)getpid());
    if (ftruncate(folder->lock_file, 0) == 0 && write(folder->lock_file, path, (size_t)length) == length) {
        return CAIRN_OK;
    }
    cairn_complain(complaints, folder->path, 0, "nothing can be written here: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

// ---- files of a world that is over

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), ending_length = strlen(ending);
    return length > ending_length && strcmp(name + length - ending_length, ending) == 0;
}

// Robots that have the file mapped see the mark; nobody else finds it any more.
static void retire_page(const char *path)
{
    cairn_complaints unsaid = {0};
    cairn_shared_memory memory = {0};
    struct stat found;
    if (stat(path, &found) == 0 && found.st_size >= (off_t)CAIRN_BODY_PAGE_BYTES &&
        cairn_shared_memory_open(path, (size_t)found.st_size, true, &unsaid, &memory) == CAIRN_OK) {
        atomic_store_explicit(&((cairn_body_page *)memory.bytes)->retired, 1, memory_order_release);
        cairn_shared_memory_close(&memory);
    }
    unlink(path);
}

// The world goes first: killed in between, the next start begins anew too.
static void retire_files(const char *folder)
{
    char path[PATH_BYTES];
    path_of(folder, "world", "", path);
    unlink(path);
    path_of(folder, "snapshot", "", path);
    unlink(path);
    DIR *files = opendir(folder);
    if (files == NULL) { return; }
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (!ends_in(file->d_name, ".sensors") && !ends_in(file->d_name, ".motors")) { continue; }
        if (snprintf(path, sizeof path, "%s/%s", folder, file->d_name) < (int)sizeof path) { retire_page(path); }
    }
    closedir(files);
}

// ---- files of this world

static cairn_body_page_def page_def(const cairn_run_folder_def *def, uint32_t at, cairn_body_page_kind kind,
                                    uint64_t body_id)
{
    return (cairn_body_page_def){.kind = kind,
                                 .robot = def->world.robots[at].name,
                                 .body_hash = def->world.robots[at].body_hash,
                                 .description = def->bodies[at],
                                 .body_id = body_id};
}

// Finds the file, or makes it where it is missing.
static cairn_err open_page(const cairn_run_folder *folder, const cairn_body_page_def *page,
                           cairn_complaints *complaints, cairn_shared_memory *ret_memory)
{
    char path[PATH_BYTES];
    const bool sensors = page->kind == CAIRN_BODY_PAGE_SENSORS;
    path_of(folder->path, page->robot, sensors ? ".sensors" : ".motors", path);
    const size_t file_bytes = cairn_body_page_file_bytes(page);
    cairn_err err = cairn_shared_memory_open(path, file_bytes, true, complaints, ret_memory);
    if (err == CAIRN_OK) { err = cairn_body_page_check(ret_memory->bytes, page, path, complaints); }
    if (err == CAIRN_OK) {
        atomic_fetch_add(&((cairn_body_page *)ret_memory->bytes)->boot, 1);
    } else if (err == CAIRN_ERR_EMPTY) {
        cairn_shared_memory_close(ret_memory);
        err = cairn_shared_memory_create(path, file_bytes, complaints, ret_memory);
        if (err == CAIRN_OK) { cairn_body_page_fill(ret_memory->bytes, page); }
    }
    if (err != CAIRN_OK || sensors) { return err; }
    cairn_shared_memory_close(ret_memory); // the motors' are only read from here on
    return cairn_shared_memory_open(path, file_bytes, false, complaints, ret_memory);
}

static cairn_err open_clock(cairn_run_folder *folder, cairn_complaints *complaints)
{
    char path[PATH_BYTES];
    path_of(folder->path, "clock", "", path);
    cairn_err err = CAIRN_ERR_EMPTY;
    if (folder->goes_on) {
        err = cairn_shared_memory_open(path, sizeof(cairn_ruled_memory), true, complaints, &folder->clock);
    }
    if (err != CAIRN_ERR_EMPTY) { return err; }
    return cairn_shared_memory_create(path, sizeof(cairn_ruled_memory), complaints, &folder->clock);
}

static bool is_same_world(const cairn_world_page_def *one, const cairn_world_page_def *other)
{
    return one->arena_hash == other->arena_hash && one->robot_count == other->robot_count &&
           memcmp(one->robots, other->robots, sizeof one->robots) == 0;
}

// Whether there is a world to go on with; an error if it is not ours.
static cairn_err find_world(cairn_run_folder *folder, const cairn_run_folder_def *def, cairn_complaints *complaints)
{
    char path[PATH_BYTES];
    path_of(folder->path, "world", "", path);
    cairn_err err = cairn_shared_memory_open(path, cairn_world_page_file_bytes(), true, complaints, &folder->world);
    if (err == CAIRN_OK) { err = cairn_world_page_check(folder->world.bytes, path, complaints); }
    if (err == CAIRN_OK && !is_same_world(&((cairn_world_page *)folder->world.bytes)->def, &def->world)) {
        cairn_complain(complaints, path, 0, "is the world of another arena, other robots or other bodies");
        err = CAIRN_ERR_INVALID;
    }
    folder->goes_on = err == CAIRN_OK;
    if (err != CAIRN_OK) { cairn_shared_memory_close(&folder->world); }
    if (err == CAIRN_OK || err == CAIRN_ERR_EMPTY) { return CAIRN_OK; }
    cairn_complain(complaints, NULL, 0, "--fresh begins anew there, --folder takes another folder");
    return err;
}

static cairn_err open_world(cairn_run_folder *folder, const cairn_run_folder_def *def, uint64_t world_id,
                            cairn_complaints *complaints)
{
    if (folder->goes_on) {
        atomic_fetch_add(&((cairn_world_page *)folder->world.bytes)->boot, 1);
        return CAIRN_OK;
    }
    char path[PATH_BYTES];
    path_of(folder->path, "world", "", path);
    const cairn_err err = cairn_shared_memory_create(path, cairn_world_page_file_bytes(), complaints, &folder->world);
    if (err == CAIRN_OK) { cairn_world_page_fill(folder->world.bytes, &def->world, world_id); }
    return err;
}

static cairn_err open_files(cairn_run_folder *folder, const cairn_run_folder_def *def, cairn_complaints *complaints)
{
    if (!folder->goes_on) { retire_files(folder->path); }
    uint64_t world_id = 0;
    if (folder->goes_on) {
        world_id = ((const cairn_world_page *)folder->world.bytes)->world_id;
    } else {
        randombytes_buf(&world_id, sizeof world_id);
    }
    cairn_err err = open_clock(folder, complaints);
    for (uint32_t i = 0; i < folder->robot_count && err == CAIRN_OK; i++) {
        // Motors first: who finds the sensors finds all.
        const cairn_body_page_def motors = page_def(def, i, CAIRN_BODY_PAGE_MOTORS, world_id);
        const cairn_body_page_def sensors = page_def(def, i, CAIRN_BODY_PAGE_SENSORS, world_id);
        err = open_page(folder, &motors, complaints, &folder->motors[i]);
        if (err == CAIRN_OK) { err = open_page(folder, &sensors, complaints, &folder->sensors[i]); }
    }
    return err == CAIRN_OK ? open_world(folder, def, world_id, complaints) : err;
}

cairn_err cairn_run_folder_open_snapshot(cairn_run_folder *folder, size_t snapshot_bytes, cairn_complaints *complaints)
{
    char path[PATH_BYTES];
    path_of(folder->path, "snapshot", "", path);
    const uint64_t world_id = ((const cairn_world_page *)folder->world.bytes)->world_id;
    const size_t file_bytes = cairn_snapshot_page_file_bytes(snapshot_bytes);
    cairn_err err = CAIRN_ERR_EMPTY;
    if (folder->goes_on) {
        err = cairn_shared_memory_open(path, file_bytes, true, complaints, &folder->snapshot);
        if (err == CAIRN_OK && !cairn_snapshot_page_is_of(folder->snapshot.bytes, snapshot_bytes, world_id)) {
            cairn_complain(complaints, path, 0, "is not the snapshot of the world that is here");
            err = CAIRN_ERR_CORRUPT;
        }
    }
    if (err != CAIRN_ERR_EMPTY) { return err; }
    err = cairn_shared_memory_create(path, file_bytes, complaints, &folder->snapshot);
    if (err == CAIRN_OK) { cairn_snapshot_page_fill(folder->snapshot.bytes, snapshot_bytes, world_id); }
    return err;
}

cairn_err cairn_run_folder_open(const cairn_run_folder_def *def, cairn_complaints *complaints,
                                cairn_run_folder *ret_folder)
{
    CAIRN_ASSERT(def->world.robot_count > 0 && def->world.robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_run_folder folder = {.lock_file = -1, .robot_count = def->world.robot_count};
    if (snprintf(folder.path, sizeof folder.path, "%s", def->path) >= (int)sizeof folder.path) {
        cairn_complain(complaints, def->path, 0, "is longer than %zu bytes; choose another folder with --folder",
                       sizeof folder.path - 1);
        return CAIRN_ERR_TOO_LARGE;
    }
    cairn_err err = cairn_folder_make(folder.path, 0700, "choose another with --folder", complaints);
    if (err != CAIRN_OK) { return err; }
    err = take_lock(&folder, complaints);
    if (err == CAIRN_OK && !def->fresh) { err = find_world(&folder, def, complaints); }
    if (err == CAIRN_OK) { err = open_files(&folder, def, complaints); }
    if (err != CAIRN_OK) {
        cairn_run_folder_close(&folder);
        return err;
    }
    *ret_folder = folder;
    return CAIRN_OK;
}

void cairn_run_folder_close(cairn_run_folder *folder)
{
    if (folder->path[0] == '\0') { return; }
    for (uint32_t i = 0; i < folder->robot_count; i++) {
        cairn_shared_memory_close(&folder->sensors[i]);
        cairn_shared_memory_close(&folder->motors[i]);
    }
    cairn_shared_memory_close(&folder->clock);
    cairn_shared_memory_close(&folder->world);
    cairn_shared_memory_close(&folder->snapshot);
    if (folder->lock_file >= 0) { close(folder->lock_file); }
    *folder = (cairn_run_folder){0};
}

cairn_err cairn_run_folder_open_world(const char *path, cairn_complaints *complaints, cairn_shared_memory *ret_world)
{
    char world[PATH_BYTES];
    path_of(path, "world", "", world);
    cairn_shared_memory found = {0};
    cairn_err err = cairn_shared_memory_open(world, cairn_world_page_file_bytes(), false, complaints, &found);
    if (err == CAIRN_OK) { err = cairn_world_page_check(found.bytes, world, complaints); }
    if (err == CAIRN_OK) {
        *ret_world = found;
        return CAIRN_OK;
    }
    cairn_shared_memory_close(&found);
    if (err != CAIRN_ERR_EMPTY) { return err; }
    cairn_complain(complaints, world, 0, "is not there: no simulator has run in this folder");
    return CAIRN_ERR_NOT_FOUND;
}
