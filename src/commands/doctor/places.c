// Where store, journals and shared pages are to lie: room, speed, and whether it survives the power.
#include "base/clock.h"
#include "commands/doctor/doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define BLOCKS 16u // written to measure: enough to get past the first caches, too little to wear a disk
#define COMMIT_BYTES 4096u
#define COMMITS 15u
#define PATH_BYTES 4096

typedef enum disk_kind { DISK, IN_MEMORY, ELSEWHERE } disk_kind;

typedef struct disk_name {
    uint32_t magic;
    const char *name;
    disk_kind kind;
} disk_name;

static const disk_name disks[] = {
    {TMPFS_MAGIC, "tmpfs", IN_MEMORY},        {RAMFS_MAGIC, "ramfs", IN_MEMORY},  {NFS_SUPER_MAGIC, "nfs", ELSEWHERE},
    {SMB_SUPER_MAGIC, "smb", ELSEWHERE},      {0xff534d42u, "cifs", ELSEWHERE},   {0xfe534d42u, "smb2", ELSEWHERE},
    {0x65735546u, "fuse", ELSEWHERE},         {V9FS_MAGIC, "9p", ELSEWHERE},      {EXT4_SUPER_MAGIC, "ext4", DISK},
    {XFS_SUPER_MAGIC, "xfs", DISK},           {BTRFS_SUPER_MAGIC, "btrfs", DISK}, {F2FS_SUPER_MAGIC, "f2fs", DISK},
    {OVERLAYFS_SUPER_MAGIC, "overlay", DISK},
};

static disk_name disk_of(const char *folder)
{
    struct statfs facts = {0};
    if (statfs(folder, &facts) != 0) { return (disk_name){0, "unknown", DISK}; }
    for (size_t i = 0; i < sizeof disks / sizeof disks[0]; i++) {
        if (disks[i].magic == (uint32_t)facts.f_type) { return disks[i]; }
    }
    return (disk_name){(uint32_t)facts.f_type, "unknown", DISK};
}

// A file that has no name any more, so that nothing stays behind; -1 with errno.
static int nameless_file(const char *folder)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/cairn-doctor-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) { unlink(path); }
    return file;
}

static bool write_and_keep(int file, const void *bytes, size_t size_bytes)
{
    return write(file, bytes, size_bytes) == (ssize_t)size_bytes && fdatasync(file) == 0;
}

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// False, with errno, if a write fails.
static bool measure(int file, double *ret_bytes_per_s, double *ret_commit_ms)
{
    char *block = malloc(BLOCK_BYTES);
    if (block == NULL) { return false; }
    // Some disks are quick with zeros.
    for (size_t i = 0; i < BLOCK_BYTES; i++) { block[i] = (char)(i * 2654435761u >> 13); }
    bool good = true;
    int64_t commit_ns[COMMITS];
    for (uint32_t i = 0; i < COMMITS && good; i++) {
        const cairn_mono before = cairn_mono_now();
        good = write_and_keep(file, block, COMMIT_BYTES);
        commit_ns[i] = cairn_mono_since(cairn_mono_now(), before);
    }
    const cairn_mono before = cairn_mono_now();
    for (uint32_t i = 0; i < BLOCKS && good; i++) { good = write(file, block, BLOCK_BYTES) == (ssize_t)BLOCK_BYTES; }
    good = good && fdatasync(file) == 0;
    const double took_s = cairn_seconds(cairn_mono_since(cairn_mono_now(), before));
    free(block);
    if (!good) { return false; }
    qsort(commit_ns, COMMITS, sizeof commit_ns[0], compare);
    *ret_bytes_per_s = (double)(BLOCKS * BLOCK_BYTES) / took_s;
    *ret_commit_ms = 1e3 * cairn_seconds(commit_ns[COMMITS / 2]);
    return true;
}

static void look_at_speed(cairn_examination *examination)
{
    double bytes_per_s = 0.0, commit_ms = 0.0;
    const int file = nameless_file(examination->folder);
    const bool good = file >= 0 && measure(file, &bytes_per_s, &commit_ms);
    const int why = errno;
    if (file >= 0) { close(file); }
    if (!good) {
        cairn_advise(
            cairn_find(examination, "disk speed", "%s: cannot be written to: %s", examination->folder, strerror(why)),
            CAIRN_PROBLEM, "`chown cairn %s`, or name another folder", examination->folder);
        return;
    }
    cairn_finding *finding =
        cairn_find(examination, "disk speed", "%.0f MB/s; a small commit takes %.1f ms", bytes_per_s * 1e-6, commit_ms);
    if (bytes_per_s < 5e6 || commit_ms > 100.0) {
        cairn_advise(finding, CAIRN_NOTE,
                     "acknowledgements wait for the disk: robots send everything again meanwhile; use a faster disk");
    }
}

static void look_at_folder(cairn_examination *examination)
{
    const char *folder = examination->folder;
    struct statvfs room;
    if (statvfs(folder, &room) != 0 || access(folder, X_OK) != 0) {
        cairn_advise(cairn_find(examination, "disk", "%s: %s", folder, strerror(errno)), CAIRN_PROBLEM,
                     "`mkdir -p %s`, or name another folder", folder);
        return;
    }
    const disk_name disk = disk_of(folder);
    const double gib = (double)room.f_bavail * (double)room.f_frsize / (1 << 30);
    cairn_finding *finding = cairn_find(examination, "disk", "%s: %.1f GiB free, %s", folder, gib, disk.name);
    const cairn_verdict severe = cairn_needed_by(examination, CAIRN_FOR_STATION);
    if (gib < 0.25) {
        cairn_advise(finding, CAIRN_PROBLEM, "journals and the store would soon fill it: free at least 1 GiB");
    } else if (disk.kind == IN_MEMORY) {
        cairn_advise(finding, severe, "what lies here is gone with the power: put the store on a disk");
    } else if (disk.kind == ELSEWHERE) {
        cairn_advise(finding, severe,
                     "a store must not depend on a network, nor may its locks: use a disk of this machine");
    } else if (gib < 1) {
        cairn_advise(finding, CAIRN_NOTE, "a mission's journal takes tens to hundreds of megabytes: free some room");
    }
    look_at_speed(examination);
}

// Two views of one file, as two processes have them: what is written in one must be there in the other.
static bool pages_are_shared(int file)
{
    if (ftruncate(file, COMMIT_BYTES) != 0) { return false; }
    char *one = mmap(NULL, COMMIT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (one == MAP_FAILED) { return false; }
    const char *other = mmap(NULL, COMMIT_BYTES, PROT_READ, MAP_SHARED, file, 0);
    bool shared = false;
    if (other != MAP_FAILED) {
        one[17] = 'c';
        shared = *(const volatile char *)&other[17] == 'c';
        munmap((void *)other, COMMIT_BYTES);
    }
    munmap(one, COMMIT_BYTES);
    return shared;
}

static void look_at_shared_pages(cairn_examination *examination)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    const char *folder = runtime != NULL && runtime[0] == '/' ? runtime : "/tmp";
    const int file = nameless_file(folder);
    const bool good = file >= 0 && pages_are_shared(file);
    const int why = errno;
    if (file >= 0) { close(file); }
    const disk_name disk = disk_of(folder);
    cairn_finding *finding = cairn_find(examination, "shared pages", "%s: %s%s%s", folder, disk.name,
                                        good ? "" : ", cannot be shared: ", good ? "" : strerror(why));
    if (!good) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT | CAIRN_FOR_SIM),
                     "`chmod 1777 %s`, or set XDG_RUNTIME_DIR to a folder that you may write to", folder);
    } else if (disk.kind != IN_MEMORY && (examination->roles & CAIRN_FOR_ROBOT) != 0) {
        cairn_advise(
            finding, CAIRN_NOTE,
            "a page on a disk can hold up who writes to it while it is saved; a robot's should lie in a tmpfs: "
            "/run, or /dev/shm");
    }
}

void cairn_examine_places(cairn_examination *examination)
{
    look_at_folder(examination);
    look_at_shared_pages(examination);
}
