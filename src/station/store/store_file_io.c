// store_file_io.c - see store_file_io.h.
//
// PATH.lock is locked, not PATH: closing any handle of PATH would drop SQLite's own locks. The lock goes with the open
// file, so that the system takes it back from a process that dies. The file is looked at through a connection that
// cannot write before one that can is opened: that one would begin by moving the log into a file that may be damaged.
//
// A damaged file is replaced in steps that can be interrupted anywhere: PATH.building is filled; renamed to PATH.new it
// is complete, and from then on PATH is the damaged one; then PATH-wal, PATH-journal and PATH move aside, and PATH.new
// to PATH. Who finds a PATH.new goes on from there.
#include "station/store/store_file_io.h"
#include "station/store/pages_io.h"
#include "station/store/salvage_io.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4000 // with the longest ending it is still below the system's 4096
#define ASIDE_MAX 10000     // damaged files kept beside each other

typedef struct side_path {
    char text[PATH_BYTES_MAX + 64];
} side_path;

static side_path beside(const char *path, const char *ending)
{
    side_path side;
    const int length = snprintf(side.text, sizeof side.text, "%s%s", path, ending);
    CAIRN_ASSERT(length > 0 && (size_t)length < sizeof side.text);
    return side;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static uint64_t file_bytes(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (uint64_t)found.st_size : 0;
}

static cairn_err failed(const char *path, const char *what, cairn_complaints *complaints)
{
    const int cause = errno;
    cairn_complain(complaints, path, 0, "%s: %s", what, strerror(cause));
    return cause == ENOSPC || cause == EDQUOT ? CAIRN_ERR_FULL : CAIRN_ERR_IO;
}

static cairn_err database_failed(const char *path, const char *what, int result, const char *words,
                                 cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0, "%s: %s", what, words != NULL ? words : sqlite3_errstr(result));
    return cairn_database_err(result);
}

// A name that was given away or taken is on the disk only once its folder is.
static cairn_err sync_folder(const char *path, cairn_complaints *complaints)
{
    char folder[PATH_BYTES_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash == NULL) {
        (void)snprintf(folder, sizeof folder, ".");
    } else {
        slash[slash == folder] = '\0';
    }
    const int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) { return failed(folder, "cannot be opened", complaints); }
    const bool synced = fsync(handle) == 0 || errno == EINVAL;
    const cairn_err err = synced ? CAIRN_OK : failed(folder, "may not outlive a power failure", complaints);
    (void)close(handle);
    return err;
}

static cairn_err check_path(const char *path, cairn_complaints *complaints)
{
    if (path[0] != '\0' && strlen(path) < PATH_BYTES_MAX) { return CAIRN_OK; }
    cairn_complain(complaints, NULL, 0, "a store must have a path of 1 to %d bytes", PATH_BYTES_MAX - 1);
    return CAIRN_ERR_INVALID;
}

static void read_holder(int handle, char *ret_words, size_t room)
{
    char text[32] = {0};
    const ssize_t got = pread(handle, text, sizeof text - 1, 0);
    const long pid = got > 0 ? strtol(text, NULL, 10) : 0;
    (void)snprintf(ret_words, room, pid > 0 ? "another station (process %ld)" : "another station", pid);
}

static cairn_err take_lock(cairn_store_file *file, const char *path, cairn_complaints *complaints)
{
    const side_path lock = beside(path, ".lock");
    file->lock = open(lock.text, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file->lock < 0 && errno == ENOENT) {
        cairn_complain(complaints, path, 0, "the folder for this store does not exist; make it first");
        return CAIRN_ERR_NOT_FOUND;
    }
    if (file->lock < 0) { return failed(path, "no store can be kept here", complaints); }
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file->lock, F_OFD_SETLK, &whole) != 0) {
        if (errno != EAGAIN && errno != EACCES) { return failed(lock.text, "cannot be locked", complaints); }
        char holder[64];
        read_holder(file->lock, holder, sizeof holder);
        cairn_complain(complaints, path, 0, "%s has this store open; stop it, or give this one a store of its own",
                       holder);
        return CAIRN_ERR_IO;
    }
    char text[32];
    const int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    // For people only: on a full disk the lock holds all the same.
    if (ftruncate(file->lock, 0) == 0) { (void)!pwrite(file->lock, text, (size_t)size, 0); }
    return CAIRN_OK;
}

// Whether a station has the store open now.
static bool is_locked(const char *path)
{
    const int handle = open(beside(path, ".lock").text, O_RDONLY | O_CLOEXEC);
    if (handle < 0) { return false; }
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const bool locked = fcntl(handle, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    (void)close(handle);
    return locked;
}

// Whether the log holds something that SQLite would drop without a word.
static bool log_is_damaged(const char *path)
{
    cairn_pages pages;
    if (cairn_pages_open(&pages, path) != CAIRN_OK) { return false; } // SQLite will say why
    const bool whole = cairn_pages_log_is_whole(&pages);
    cairn_pages_close(&pages);
    return !whole;
}

// Whether a file in which nothing was found was a store once: by the beginning of SQLite's header, and the owner in it.
static bool looks_like_a_store(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    enum { OWNER_AT = 68, HEADER_BYTES = 100 };
    uint8_t head[HEADER_BYTES] = {0};
    const int handle = open(path, O_RDONLY | O_CLOEXEC);
    if (handle < 0) { return false; }
    const ssize_t got = read(handle, head, sizeof head);
    (void)close(handle);
    if (got <= 0 || memcmp(head, magic, (size_t)got < sizeof magic ? (size_t)got : sizeof magic) != 0) { return false; }
    uint32_t owner = 0;
    for (int i = 0; i < 4; i++) { owner = owner << 8 | head[OWNER_AT + i]; }
    return got < HEADER_BYTES || owner == CAIRN_DATABASE_APPLICATION;
}

// Looks at the file without changing it. With keep, a sound one stays open in *db.
static cairn_database_health look_at(const char *path, cairn_database_how how, bool check_log, cairn_database *keep)
{
    cairn_database_health health = {.verdict = CAIRN_DATABASE_DAMAGED};
    // SQLite would throw the log away.
    if (file_bytes(path) == 0 && file_bytes(beside(path, "-wal").text) > 0) {
        (void)snprintf(health.words, sizeof health.words, "there is only its write-ahead log");
        return health;
    }
    if (check_log && log_is_damaged(path)) {
        (void)snprintf(health.words, sizeof health.words, "its write-ahead log is not whole");
        return health;
    }
    cairn_database db;
    const int result = cairn_database_open(&db, path, how, health.words);
    if (result != SQLITE_OK) {
        if (!cairn_database_result_is_damage(result)) { health.verdict = CAIRN_DATABASE_FAILED; }
        return health;
    }
    health = cairn_database_check(&db);
    if (keep != NULL && health.verdict == CAIRN_DATABASE_SOUND) {
        *keep = db;
    } else {
        cairn_database_close(&db);
    }
    return health;
}

static cairn_err say_no_store(const char *path, cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0,
                   "is not a store of cairn, and nothing of one is found in it; give another path, or move it away");
    return CAIRN_ERR_INVALID;
}

static cairn_err say_newer(const char *path, int64_t version, cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0,
                   "is a store of version %" PRId64 ", and this cairn knows versions up to %d; use a newer cairn",
                   version, CAIRN_STORE_VERSION);
    return CAIRN_ERR_UNSUPPORTED;
}

static void say_what_was_saved(const char *path, const cairn_salvage *salvage, cairn_complaints *complaints)
{
    char lost[160] = "nothing before that is missing";
    if (salvage->lost_count > 0) {
        (void)snprintf(lost, sizeof lost,
                       "%" PRIu64 " tickets before that are missing, the first from %" PRIu64 " to %" PRIu64,
                       salvage->lost_count, salvage->lost_first, salvage->lost_last);
    }
    cairn_complain(complaints, path, 0,
                   "sound in it: %" PRIu64 " records and %" PRIu64 " snapshots up to ticket %" PRIu64 "; %s%s",
                   salvage->record_count, salvage->snapshot_count, salvage->last, lost,
                   salvage->has_setup ? "" : "; the setup in it is lost");
}

// PATH.WHAT-N that is free, also with the endings of its log and journal.
static bool free_aside(const char *path, const char *what, side_path *ret_aside)
{
    for (int i = 1; i <= ASIDE_MAX; i++) {
        (void)snprintf(ret_aside->text, sizeof ret_aside->text, "%s.%s-%d", path, what, i);
        if (!exists(ret_aside->text) && !exists(beside(ret_aside->text, "-wal").text) &&
            !exists(beside(ret_aside->text, "-journal").text)) {
            return true;
        }
    }
    return false;
}

// A file with all that belongs to it, itself last: a log or journal that stayed would be played into the next file.
static cairn_err move_to(const char *path, const char *aside, const char *const endings[], size_t count,
                         cairn_complaints *complaints)
{
    for (size_t i = 0; i < count; i++) {
        const side_path from = beside(path, endings[i]);
        if (exists(from.text) && rename(from.text, beside(aside, endings[i]).text) != 0) {
            return failed(from.text, "cannot be moved aside", complaints);
        }
    }
    (void)unlink(beside(path, "-shm").text);
    return CAIRN_OK;
}

// The rest of the replacement, from where PATH.new is complete.
static cairn_err replace_by_new(const char *path, cairn_complaints *complaints)
{
    side_path aside;
    if (!free_aside(path, "damaged", &aside)) {
        cairn_complain(complaints, path, 0, "too many damaged files beside it; move PATH.damaged-* away");
        return CAIRN_ERR_FULL;
    }
    static const char *const endings[] = {"-wal", "-journal", ""};
    const cairn_err err = move_to(path, aside.text, endings, sizeof endings / sizeof *endings, complaints);
    if (err != CAIRN_OK) { return err; }
    if (rename(beside(path, ".new").text, path) != 0) { return failed(path, "cannot be made anew", complaints); }
    cairn_complain(complaints, path, 0, "was damaged and is made anew; the damaged file is %s", aside.text);
    return sync_folder(path, complaints);
}

static cairn_err build_anew(const char *path, const cairn_store_def *def, cairn_salvage *ret_salvage,
                            cairn_complaints *complaints)
{
    const side_path building = beside(path, ".building");
    (void)unlink(building.text);
    (void)unlink(beside(building.text, "-wal").text);
    char words[CAIRN_DATABASE_WORDS_BYTES];
    cairn_database db;
    int result = cairn_database_open(&db, building.text, CAIRN_DATABASE_WRITE, words);
    if (result != SQLITE_OK) { return database_failed(building.text, "cannot be made", result, words, complaints); }
    result = cairn_salvage_read(path, def->setup, def->setup_bytes, &db, ret_salvage);
    cairn_err err = CAIRN_OK;
    if (result != SQLITE_OK) { err = database_failed(path, "cannot be saved", result, NULL, complaints); }
    cairn_database_close(&db);
    if (err == CAIRN_OK && exists(beside(building.text, "-wal").text)) {
        cairn_complain(complaints, building.text, 0, "cannot be completed; make room on the disk");
        err = CAIRN_ERR_FULL;
    }
    if (err != CAIRN_OK) {
        (void)unlink(building.text);
        (void)unlink(beside(building.text, "-wal").text);
        (void)unlink(beside(building.text, "-shm").text);
    }
    return err;
}

static cairn_err save(const char *path, const cairn_store_def *def, const cairn_database_health *health,
                      cairn_complaints *complaints)
{
    cairn_salvage salvage = {0};
    cairn_err err = build_anew(path, def, &salvage, complaints);
    if (err != CAIRN_OK) { return err; }
    const side_path building = beside(path, ".building");
    if (!salvage.has_setup && salvage.last == 0 && !looks_like_a_store(path)) {
        (void)unlink(building.text);
        return say_no_store(path, complaints);
    }
    cairn_complain(complaints, path, 0, "is damaged: %s", health->words);
    say_what_was_saved(path, &salvage, complaints);
    if (rename(building.text, beside(path, ".new").text) != 0) {
        return failed(building.text, "cannot be renamed", complaints);
    }
    err = sync_folder(path, complaints);
    return err == CAIRN_OK ? replace_by_new(path, complaints) : err;
}

// What there is at path, so that after CAIRN_OK it can be opened for writing. *ret_version is of the file.
static cairn_err prepare(const char *path, const cairn_store_def *def, int64_t *ret_version,
                         cairn_complaints *complaints)
{
    *ret_version = 0;
    if (exists(beside(path, ".new").text)) {
        const cairn_err err = replace_by_new(path, complaints);
        if (err != CAIRN_OK) { return err; }
    }
    if (file_bytes(path) == 0 && file_bytes(beside(path, "-wal").text) == 0) { return CAIRN_OK; }
    if (file_bytes(beside(path, "-journal").text) > 0) {
        char words[CAIRN_DATABASE_WORDS_BYTES];
        const int result = cairn_database_undo(path, words);
        // A damaged file is found out below.
        if (result != SQLITE_OK && !cairn_database_result_is_damage(result)) {
            return database_failed(path, "cannot be opened", result, words, complaints);
        }
    }
    const cairn_database_health health = look_at(path, CAIRN_DATABASE_READ, true, NULL);
    *ret_version = health.version;
    switch (health.verdict) {
    case CAIRN_DATABASE_SOUND:
    case CAIRN_DATABASE_OLDER: return CAIRN_OK;
    case CAIRN_DATABASE_NEWER: return say_newer(path, health.version, complaints);
    case CAIRN_DATABASE_FAILED:
        cairn_complain(complaints, path, 0, "cannot be opened: %s", health.words);
        return CAIRN_ERR_IO;
    case CAIRN_DATABASE_FOREIGN:
    case CAIRN_DATABASE_DAMAGED: break;
    }
    *ret_version = CAIRN_STORE_VERSION;
    return save(path, def, &health, complaints);
}

static cairn_err limit_size(cairn_store_file *file, const cairn_store_def *def, cairn_complaints *complaints)
{
    if (def->quota_bytes == 0) { return CAIRN_OK; }
    char sql[80];
    (void)snprintf(sql, sizeof sql, "PRAGMA max_page_count = %" PRIu64,
                   def->quota_bytes / CAIRN_DATABASE_PAGE_BYTES > 0 ? def->quota_bytes / CAIRN_DATABASE_PAGE_BYTES : 1);
    const int result = cairn_database_do(&file->db, sql);
    return result == SQLITE_OK ? CAIRN_OK : database_failed(def->path, "cannot be opened", result, NULL, complaints);
}

// The setup and the last ticket.
static int read_ends(cairn_store_file *file)
{
    const int result = cairn_database_read_setup(&file->db, &file->setup, &file->setup_bytes);
    return result == SQLITE_OK ? cairn_database_last_ticket(&file->db, &file->last) : result;
}

static cairn_err open_writing(cairn_store_file *file, const cairn_store_def *def, int64_t version,
                              cairn_complaints *complaints)
{
    char words[CAIRN_DATABASE_WORDS_BYTES];
    int result = cairn_database_open(&file->db, def->path, CAIRN_DATABASE_WRITE, words);
    if (result != SQLITE_OK) { return database_failed(def->path, "cannot be opened", result, words, complaints); }
    const cairn_err err = limit_size(file, def, complaints);
    if (err != CAIRN_OK) { return err; }
    if (version < CAIRN_STORE_VERSION) {
        result = cairn_database_migrate(&file->db, def->path, cairn_database_steps, version, CAIRN_STORE_VERSION,
                                        def->setup, def->setup_bytes);
        if (result != SQLITE_OK) {
            return database_failed(def->path, version > 0 ? "cannot be brought up to date" : "cannot be made", result,
                                   sqlite3_errmsg(file->db.handle), complaints);
        }
        if (version > 0) {
            cairn_complain(complaints, def->path, 0,
                           "was of version %" PRId64 " and is now of version %d; as it was, it is kept as %s.v%" PRId64,
                           version, CAIRN_STORE_VERSION, def->path, version);
        }
    }
    result = read_ends(file);
    if (result != SQLITE_OK) { return database_failed(def->path, "cannot be read", result, NULL, complaints); }
    return sync_folder(def->path, complaints);
}

cairn_err cairn_store_file_open(cairn_store_file *file, const cairn_store_def *def, cairn_complaints *complaints)
{
    *file = (cairn_store_file){.lock = -1};
    int64_t version = 0;
    cairn_err err = check_path(def->path, complaints);
    if (err == CAIRN_OK) { err = take_lock(file, def->path, complaints); }
    if (err == CAIRN_OK) { err = prepare(def->path, def, &version, complaints); }
    if (err == CAIRN_OK) { err = open_writing(file, def, version, complaints); }
    if (err != CAIRN_OK) { cairn_store_file_close(file); }
    return err;
}

// What is sound, into memory.
static cairn_err read_damaged(cairn_store_file *file, const char *path, const cairn_database_health *health,
                              cairn_complaints *complaints)
{
    cairn_salvage salvage = {0};
    int result = cairn_database_open_memory(&file->db);
    if (result == SQLITE_OK) { result = cairn_salvage_read(path, NULL, 0, &file->db, &salvage); }
    if (result == SQLITE_CANTOPEN) { return failed(path, "cannot be read", complaints); }
    if (result != SQLITE_OK) { return database_failed(path, "cannot be read", result, NULL, complaints); }
    if (!salvage.has_setup && !looks_like_a_store(path)) { return say_no_store(path, complaints); }
    cairn_complain(complaints, path, 0,
                   health->verdict == CAIRN_DATABASE_FAILED ? "is read without SQLite, which says: %s"
                                                            : "is damaged: %s",
                   health->words);
    say_what_was_saved(path, &salvage, complaints);
    if (!salvage.has_setup) { return CAIRN_OK; }
    result = read_ends(file);
    return result == SQLITE_OK ? CAIRN_OK : database_failed(path, "cannot be read", result, NULL, complaints);
}

static cairn_err open_to_look(cairn_store_file *file, const char *path, cairn_complaints *complaints)
{
    if (!exists(path)) {
        cairn_complain(complaints, path, 0, "cannot be read: %s", strerror(errno));
        return CAIRN_ERR_NOT_FOUND;
    }
    const bool unchanged = file_bytes(beside(path, "-wal").text) == 0;
    const bool live = is_locked(path);
    const cairn_database_health health =
        look_at(path, unchanged && !live ? CAIRN_DATABASE_UNCHANGED : CAIRN_DATABASE_READ, !live, &file->db);
    switch (health.verdict) {
    case CAIRN_DATABASE_NEWER: return say_newer(path, health.version, complaints);
    case CAIRN_DATABASE_OLDER:
        cairn_complain(complaints, path, 0,
                       health.version == 0 ? "has nothing in it"
                                           : "is of an older version; a station brings it up to date when it opens it");
        return CAIRN_ERR_UNSUPPORTED;
    case CAIRN_DATABASE_SOUND: {
        const int result = read_ends(file);
        return result == SQLITE_OK ? CAIRN_OK : database_failed(path, "cannot be read", result, NULL, complaints);
    }
    default: return read_damaged(file, path, &health, complaints);
    }
}

cairn_err cairn_store_file_open_reading(cairn_store_file *file, const char *path, cairn_complaints *complaints)
{
    *file = (cairn_store_file){.lock = -1};
    cairn_err err = check_path(path, complaints);
    if (err == CAIRN_OK) { err = open_to_look(file, path, complaints); }
    if (err != CAIRN_OK) { cairn_store_file_close(file); }
    return err;
}

// A file made anew that waits to take the place of a damaged one goes too, or it would be the new store.
static cairn_err move_all_aside(const char *path, cairn_complaints *complaints)
{
    static const char *const endings[] = {"-wal", "-journal", ".new", ""};
    side_path aside;
    if (!free_aside(path, "before", &aside)) {
        cairn_complain(complaints, path, 0, "too many old stores beside it; move PATH.before-* away");
        return CAIRN_ERR_FULL;
    }
    const cairn_err err = move_to(path, aside.text, endings, sizeof endings / sizeof *endings, complaints);
    return err == CAIRN_OK ? sync_folder(path, complaints) : err;
}

cairn_err cairn_store_move_aside(const char *path, cairn_complaints *complaints)
{
    cairn_store_file file = {.lock = -1};
    cairn_err err = check_path(path, complaints);
    if (err == CAIRN_OK) { err = take_lock(&file, path, complaints); }
    if (err == CAIRN_OK) { err = move_all_aside(path, complaints); }
    cairn_store_file_close(&file);
    return err;
}

void cairn_store_file_close(cairn_store_file *file)
{
    cairn_database_close(&file->db);
    if (file->lock >= 0) { (void)close(file->lock); }
    free(file->setup);
    *file = (cairn_store_file){.lock = -1};
}
