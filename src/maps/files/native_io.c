#include "maps/files/native_io.h"
#include "base/hash.h"
#include "maps/files/bytes_io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's numbers are used as they lie");

static const char MAGIC[8] = "CAIRNMAP";
enum { FLAG_SURVEYED = 1, FLAG_OCCUPIED = 2, FLAGS_ALL = 3 };
enum { PLANE_ALIGN_BYTES = 64 };

typedef struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint32_t width, height;
    double cell_m;
    double corner[3]; // x, y [m], yaw [rad]
    uint32_t flags, zero;
    double latitude_deg, longitude_deg, heading_deg;
    uint64_t ground_at, occupied_at, file_bytes; // occupied_at 0: there is none
    uint64_t ground_hash, occupied_hash;
    uint64_t header_hash; // of all before it
} header;
_Static_assert(sizeof(header) == 136, "the file's header has no holes");

static uint64_t header_hash(const header *of) { return cairn_hash_bytes(0, of, offsetof(header, header_hash)); }

static size_t align_up(size_t at) { return (at + PLANE_ALIGN_BYTES - 1) / PLANE_ALIGN_BYTES * PLANE_ALIGN_BYTES; }

// Where everything must lie, from what the header says is in the file.
static void lay_out(header *of)
{
    const size_t count = (size_t)of->width * of->height;
    of->ground_at = align_up(sizeof *of);
    of->occupied_at = of->flags & FLAG_OCCUPIED ? align_up(of->ground_at + count) : 0;
    of->file_bytes = (of->occupied_at != 0 ? of->occupied_at : of->ground_at) + count;
}

static header header_of(const cairn_map *map)
{
    const cairn_pose2 corner = map->map_T_corner;
    header of = {.version = CAIRN_NATIVE_VERSION,
                 .header_bytes = sizeof of,
                 .width = map->width,
                 .height = map->height,
                 .cell_m = map->cell_m,
                 .corner = {corner.x_m, corner.y_m, corner.yaw_rad},
                 .flags = (map->survey.known ? FLAG_SURVEYED : 0u) | (map->occupied_pct != NULL ? FLAG_OCCUPIED : 0u)};
    memcpy(of.magic, MAGIC, sizeof of.magic);
    if (map->survey.known) {
        of.latitude_deg = map->survey.latitude_deg;
        of.longitude_deg = map->survey.longitude_deg;
        of.heading_deg = map->survey.heading_deg;
    }
    lay_out(&of);
    const size_t count = (size_t)map->width * map->height;
    of.ground_hash = cairn_hash_bytes(0, map->ground, count);
    of.occupied_hash = map->occupied_pct != NULL ? cairn_hash_bytes(0, map->occupied_pct, count) : 0;
    of.header_hash = header_hash(&of);
    return of;
}

cairn_err cairn_native_write(const cairn_map *map, const char *path, cairn_complaints *complaints)
{
    CAIRN_ASSERT(map != NULL && path != NULL && complaints != NULL);
    CAIRN_ASSERT(cairn_map_frame_mistake(map) == NULL);
    static const uint8_t zeros[PLANE_ALIGN_BYTES];
    const header of = header_of(map);
    const size_t count = (size_t)map->width * map->height;
    cairn_bytes parts[] = {{&of, sizeof of}, {zeros, of.ground_at - sizeof of}, {map->ground, count}, {0}, {0}};
    size_t part_count = 3;
    if (map->occupied_pct != NULL) {
        parts[part_count++] = (cairn_bytes){zeros, of.occupied_at - of.ground_at - count};
        parts[part_count++] = (cairn_bytes){map->occupied_pct, count};
    }
    return cairn_bytes_write(path, parts, part_count, complaints);
}

bool cairn_native_begins(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
    uint8_t any = 0;
    for (size_t i = from; i < to; i++) { any |= bytes[i]; }
    return any == 0;
}

// Without its planes: where they lie is not to be trusted before check_header.
static cairn_map frame_of(const header *of)
{
    return (cairn_map){.width = of->width,
                       .height = of->height,
                       .cell_m = of->cell_m,
                       .map_T_corner = {of->corner[0], of->corner[1], of->corner[2]},
                       .survey = {.known = of->flags & FLAG_SURVEYED,
                                  .latitude_deg = of->latitude_deg,
                                  .longitude_deg = of->longitude_deg,
                                  .heading_deg = of->heading_deg}};
}

// NULL: the header is one that cairn_native_write makes, for a file of this size.
static const char *check_header(const header *of, size_t size_bytes)
{
    if (of->header_bytes != sizeof *of || of->header_hash != header_hash(of)) { return "its header is damaged"; }
    if (of->flags > FLAGS_ALL || of->zero != 0) { return "its header has marks that have no meaning"; }
    const cairn_map frame = frame_of(of);
    const char *mistake = cairn_map_frame_mistake(&frame);
    if (mistake != NULL) { return mistake; }
    header wanted = *of;
    lay_out(&wanted);
    if (wanted.ground_at != of->ground_at || wanted.occupied_at != of->occupied_at ||
        wanted.file_bytes != of->file_bytes) {
        return "its parts are not where they belong";
    }
    if (size_bytes < of->file_bytes) { return "is cut off"; }
    return size_bytes > of->file_bytes ? "has more bytes than it says" : NULL;
}

static const char *check_planes(const header *of, const uint8_t *bytes)
{
    const size_t count = (size_t)of->width * of->height, ground_end = of->ground_at + count;
    if (!is_zero(bytes, sizeof *of, of->ground_at) ||
        (of->occupied_at != 0 && !is_zero(bytes, ground_end, of->occupied_at))) {
        return "is damaged between its parts";
    }
    if (cairn_hash_bytes(0, bytes + of->ground_at, count) != of->ground_hash) { return "its cells are damaged"; }
    const uint64_t occupied = of->occupied_at != 0 ? cairn_hash_bytes(0, bytes + of->occupied_at, count) : 0;
    return occupied != of->occupied_hash ? "its probabilities are damaged" : NULL;
}

cairn_err cairn_native_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                             cairn_complaints *complaints, cairn_map *ret_map)
{
    CAIRN_ASSERT(name_for_errors != NULL && complaints != NULL && ret_map != NULL);
    header of;
    if (size_bytes < sizeof of || !cairn_native_begins(bytes, size_bytes)) {
        cairn_complain(complaints, name_for_errors, 0, "is no Cairn map, or only the beginning of one");
        return CAIRN_ERR_CORRUPT;
    }
    memcpy(&of, bytes, sizeof of);
    if (of.version != CAIRN_NATIVE_VERSION) {
        cairn_complain(complaints, name_for_errors, 0,
                       "is a Cairn map of version %u; this program reads version %u: take a newer cairn", of.version,
                       CAIRN_NATIVE_VERSION);
        return CAIRN_ERR_UNSUPPORTED;
    }
    const char *mistake = check_header(&of, size_bytes);
    if (mistake == NULL) { mistake = check_planes(&of, bytes); }
    cairn_map map = frame_of(&of);
    if (mistake == NULL) {
        map.ground = bytes + of.ground_at;
        map.occupied_pct = of.occupied_at != 0 ? bytes + of.occupied_at : NULL;
        mistake = cairn_map_mistake(&map);
    }
    if (mistake != NULL) {
        cairn_complain(complaints, name_for_errors, 0, "%s", mistake);
        return CAIRN_ERR_CORRUPT;
    }
    *ret_map = map;
    return CAIRN_OK;
}

static cairn_err cannot(const char *path, const char *why, cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0, "cannot be read: %s", why);
    return CAIRN_ERR_IO;
}

cairn_err cairn_native_open(const char *path, cairn_complaints *complaints, cairn_native *ret_native)
{
    CAIRN_ASSERT(path != NULL && complaints != NULL && ret_native != NULL);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) { return cannot(path, strerror(errno), complaints); }
    struct stat about;
    const bool known = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    cairn_native native = {.size_bytes = known ? (size_t)about.st_size : 0};
    void *pages = native.size_bytes > 0 ? mmap(NULL, native.size_bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    (void)close(file); // the pages stay
    if (pages == MAP_FAILED) { return cannot(path, "it is empty, or not a file", complaints); }
    native.pages = pages;
    const cairn_err err = cairn_native_parse(pages, native.size_bytes, path, complaints, &native.map);
    if (err != CAIRN_OK) {
        cairn_native_close(&native);
        return err;
    }
    *ret_native = native;
    return CAIRN_OK;
}

void cairn_native_close(cairn_native *native)
{
    if (native == NULL || native->pages == NULL) { return; }
    (void)munmap(native->pages, native->size_bytes);
    *native = (cairn_native){0};
}
