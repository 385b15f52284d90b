// pages_io.c - see pages_io.h.
//
// A log is a header of 32 bytes and frames: a header of 24 bytes (page number, size of the file, two salts, two
// checksums) and a page. A log that is begun again writes over the old one with new salts. The checksums run over all
// frames before, so that SQLite drops everything behind one flipped bit; for reading pages they are not looked at,
// since the rows that are looked for carry hashes of their own.
#include "station/store/pages_io.h"
#include "station/store/database_io.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = CAIRN_DATABASE_PAGE_BYTES, LOG_HEAD = 32, FRAME_HEAD = 24, FRAME = FRAME_HEAD + PAGE };

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// As many bytes as there are, the rest zeros; false when the system says no, or there is none.
static bool read_at(int handle, uint64_t at, uint8_t *ret_bytes, size_t size)
{
    size_t have = 0;
    while (have < size) {
        const ssize_t got = pread(handle, ret_bytes + have, size - have, (off_t)(at + have));
        if (got < 0 && errno == EINTR) { continue; }
        if (got < 0) { return false; }
        if (got == 0) { break; }
        have += (size_t)got;
    }
    memset(ret_bytes + have, 0, size - have);
    return have > 0;
}

static cairn_err open_file(const char *path, int *ret_handle, uint64_t *ret_bytes)
{
    *ret_bytes = 0;
    *ret_handle = open(path, O_RDONLY | O_CLOEXEC);
    if (*ret_handle < 0) { return errno == ENOENT ? CAIRN_OK : CAIRN_ERR_IO; }
    struct stat found;
    if (fstat(*ret_handle, &found) != 0) { return CAIRN_ERR_IO; }
    *ret_bytes = (uint64_t)found.st_size;
    return CAIRN_OK;
}

static bool frame_head(const cairn_pages *pages, uint32_t frame, uint8_t ret_head[FRAME_HEAD])
{
    return read_at(pages->log, LOG_HEAD + (uint64_t)frame * FRAME, ret_head, FRAME_HEAD);
}

// One of the two is enough: a log that is begun again changes both, a flipped bit only one.
static bool same_salts(const uint8_t *salts, const uint32_t wanted[2])
{
    return read_u32(salts) == wanted[0] || read_u32(salts + 4) == wanted[1];
}

// The salts of the header, if one of the first two frames has them too; else those of the first frame, which is the
// first to be written over: one flipped bit does not hide the log.
static void find_salts(cairn_pages *pages)
{
    uint8_t head[LOG_HEAD], frame[FRAME_HEAD];
    if (!read_at(pages->log, 0, head, sizeof head)) { return; }
    pages->salts[0] = read_u32(head + 16);
    pages->salts[1] = read_u32(head + 20);
    for (uint32_t i = 0; i < 2 && i < pages->frame_count; i++) {
        if (frame_head(pages, i, frame) && same_salts(frame + 8, pages->salts)) { return; }
    }
    if (pages->frame_count == 0 || !frame_head(pages, 0, frame)) { return; }
    pages->salts[0] = read_u32(frame + 8);
    pages->salts[1] = read_u32(frame + 12);
}

// The page that a frame is of; 0 if it does not count.
static uint32_t frame_page(const cairn_pages *pages, uint32_t frame)
{
    uint8_t head[FRAME_HEAD];
    if (!frame_head(pages, frame, head) || !same_salts(head + 8, pages->salts)) { return 0; }
    return read_u32(head);
}

static int compare_frames(const void *left, const void *right)
{
    const cairn_frame *const a = left, *const b = right;
    if (a->page != b->page) { return a->page < b->page ? -1 : 1; }
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_frames(cairn_pages *pages)
{
    for (uint32_t i = 0; i < pages->frame_count; i++) { pages->frames[i] = (cairn_frame){frame_page(pages, i), i}; }
    if (pages->frame_count > 0) { qsort(pages->frames, pages->frame_count, sizeof *pages->frames, compare_frames); }
}

cairn_err cairn_pages_open(cairn_pages *pages, const char *path)
{
    *pages = (cairn_pages){.file = -1, .log = -1};
    char log_path[4096 + 8];
    (void)snprintf(log_path, sizeof log_path, "%s-wal", path);
    uint64_t file_bytes, log_bytes = 0;
    cairn_err err = open_file(path, &pages->file, &file_bytes);
    if (err == CAIRN_OK) { err = open_file(log_path, &pages->log, &log_bytes); }
    const uint64_t file_pages = (file_bytes + PAGE - 1) / PAGE;
    const uint64_t frames = log_bytes < LOG_HEAD ? 0 : (log_bytes - LOG_HEAD + PAGE - 1) / FRAME;
    if (err == CAIRN_OK && file_pages + frames >= UINT32_MAX) { err = CAIRN_ERR_TOO_LARGE; }
    if (err == CAIRN_OK) {
        pages->file_pages = (uint32_t)file_pages;
        pages->frame_count = (uint32_t)frames;
        pages->frames = calloc(frames + 1, sizeof *pages->frames);
        if (pages->frames == NULL) { err = CAIRN_ERR_FULL; }
    }
    if (err != CAIRN_OK) {
        const int cause = errno;
        cairn_pages_close(pages);
        errno = cause;
        return err;
    }
    find_salts(pages);
    sort_frames(pages);
    return CAIRN_OK;
}

void cairn_pages_close(cairn_pages *pages)
{
    if (pages->file >= 0) { (void)close(pages->file); }
    if (pages->log >= 0) { (void)close(pages->log); }
    free(pages->frames);
    *pages = (cairn_pages){.file = -1, .log = -1};
}

uint32_t cairn_pages_image_count(const cairn_pages *pages) { return pages->file_pages + pages->frame_count; }

bool cairn_pages_read_image(const cairn_pages *pages, uint32_t image, uint8_t *ret_bytes, uint32_t *ret_page)
{
    CAIRN_ASSERT(image < cairn_pages_image_count(pages));
    if (image < pages->file_pages) {
        *ret_page = image + 1;
        return read_at(pages->file, (uint64_t)image * PAGE, ret_bytes, PAGE);
    }
    const uint32_t frame = image - pages->file_pages;
    *ret_page = frame_page(pages, frame);
    return *ret_page != 0 && read_at(pages->log, LOG_HEAD + (uint64_t)frame * FRAME + FRAME_HEAD, ret_bytes, PAGE);
}

bool cairn_pages_read(const cairn_pages *pages, uint32_t page, uint8_t *ret_bytes)
{
    if (page < 1) { return false; }
    // The number of frames of this page and of those before it.
    uint32_t low = 0, high = pages->frame_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (pages->frames[middle].page <= page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool in_log = low > 0 && pages->frames[low - 1].page == page;
    if (!in_log && page > pages->file_pages) { return false; }
    uint32_t found;
    return cairn_pages_read_image(pages, in_log ? pages->file_pages + pages->frames[low - 1].index : page - 1,
                                  ret_bytes, &found);
}

// The checksum that runs through a log; the words are in the byte order that the header tells.
typedef struct log_sum {
    uint32_t one, two;
    bool big_endian;
} log_sum;

static void add_to_sum(log_sum *sum, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        const uint32_t first = read_u32(bytes + i), second = read_u32(bytes + i + 4);
        sum->one += (sum->big_endian ? first : __builtin_bswap32(first)) + sum->two;
        sum->two += (sum->big_endian ? second : __builtin_bswap32(second)) + sum->one;
    }
}

static bool sum_is(const log_sum *sum, const uint8_t *stored)
{
    return read_u32(stored) == sum->one && read_u32(stored + 4) == sum->two;
}

static bool log_head_is_sound(const cairn_pages *pages, log_sum *ret_sum)
{
    uint8_t head[LOG_HEAD];
    if (!read_at(pages->log, 0, head, sizeof head)) { return false; }
    *ret_sum = (log_sum){.big_endian = (head[3] & 1) != 0};
    add_to_sum(ret_sum, head, 24);
    return sum_is(ret_sum, head + 24);
}

bool cairn_pages_log_is_whole(const cairn_pages *pages)
{
    log_sum sum = {0};
    bool sound = pages->frame_count > 0 && log_head_is_sound(pages, &sum);
    for (uint32_t i = 0; i < pages->frame_count; i++) {
        uint8_t frame[FRAME];
        if (!read_at(pages->log, LOG_HEAD + (uint64_t)i * FRAME, frame, sizeof frame)) { return false; }
        if (!same_salts(frame + 8, pages->salts)) {
            sound = false;
            continue;
        }
        add_to_sum(&sum, frame, 8);
        add_to_sum(&sum, frame + FRAME_HEAD, PAGE);
        const bool salts = read_u32(frame + 8) == pages->salts[0] && read_u32(frame + 12) == pages->salts[1];
        sound = sound && salts && sum_is(&sum, frame + 16);
        const bool commits = read_u32(frame + 4) != 0;
        if (commits && !sound) { return false; }
    }
    return true;
}
