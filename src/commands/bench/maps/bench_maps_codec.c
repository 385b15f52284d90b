// bench maps, the codec - bytes and time of maps along recorded laser logs, beside zlib, RLE + zlib, JBIG1 (a program
// of its own, bench/bench_jbig.c) and the published 4-neighbour model. The tables have seen none of these places.
// Nothing was chosen by the last two logs; the others were looked at while it was.
#include "base/clock.h"
#include "commands/bench/maps/bench_maps.h"
#include "commands/bench/maps/log_maps.h"
#include "maps/codec/neighbour_codec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define SIDE CAIRN_LOG_MAP_SIDE
#define CELLS (SIDE * SIDE)
#define ROW_BYTES ((SIDE + 7) / 8)
#define MAPS_MAX 150 // of a log
#define ROUNDS 3     // the fastest counts: what else the machine does only adds
#define CODE_BYTES (2 * CELLS)

static const char *const logs[] = {"aces",  "belgioioso", "csail",    "infinite-corridor",
                                   "intel", "orebro",     "acapulco", "freiburg-campus"};
#define LOGS (sizeof logs / sizeof logs[0])
#define LOGS_JUDGING 2 // the last ones

typedef enum peer_kind { PEER_ZLIB, PEER_RLE_ZLIB, PEER_JBIG, PEER_NEIGHBOURS_4, PEERS } peer_kind;
static const char *const peer_names[PEERS] = {"zlib", "RLE + zlib", "JBIG1", "4 neighbours"};

// Bytes, ours and the best peer's, of all maps of several logs.
typedef struct codec_sums {
    double ours, peer;
} codec_sums;

typedef struct codec_bench {
    cairn_arena maps_memory, scratch;
    bool is_turned;
    bool is_judging;          // the log at hand
    codec_sums sums[2][2][2]; // both planes; after; judging
    cairn_log_map *maps;
    uint32_t count;
    double peer_bytes[2][PEERS]; // sums over all maps; one plane, both
    uint8_t code[CODE_BYTES];
} codec_bench;

static void pack(const uint8_t *cells, uint8_t mask, uint8_t ret_rows[SIDE * ROW_BYTES])
{
    memset(ret_rows, 0, (size_t)SIDE * ROW_BYTES);
    for (uint32_t i = 0; i < CELLS; i++) {
        const uint32_t x = i % SIDE;
        if (cells[i] & mask) { ret_rows[i / SIDE * ROW_BYTES + x / 8] |= (uint8_t)(128 >> x % 8); }
    }
}

// Without the two bytes before and the four behind that zlib adds to deflate.
static size_t deflated_bytes(const uint8_t *bytes, size_t count)
{
    static uint8_t out[4 * CELLS];
    uLongf out_bytes = sizeof out;
    return compress2(out, &out_bytes, bytes, count, 9) == Z_OK ? out_bytes - 6 : 0;
}

// Lengths of the runs of equal cells, row by row, seven bits a byte.
static size_t run_lengths(const uint8_t *cells, uint8_t mask, uint8_t ret_runs[2 * CELLS])
{
    size_t count = 0;
    uint32_t run = 0;
    bool is = false;
    for (uint32_t i = 0; i <= CELLS; i++) {
        if (i < CELLS && ((cells[i] & mask) != 0) == is) {
            run++;
            continue;
        }
        for (; run >= 128; run >>= 7) { ret_runs[count++] = (uint8_t)(128 | (run & 127)); }
        ret_runs[count++] = (uint8_t)run;
        run = 1;
        is = !is;
    }
    return count;
}

static void add_peers(codec_bench *b, const uint8_t *cells, uint8_t mask, double ret_bytes[PEERS])
{
    static uint8_t rows[SIDE * ROW_BYTES], runs[2 * CELLS];
    pack(cells, mask, rows);
    ret_bytes[PEER_ZLIB] += (double)deflated_bytes(rows, sizeof rows);
    ret_bytes[PEER_RLE_ZLIB] += (double)deflated_bytes(runs, run_lengths(cells, mask, runs));
    size_t bytes = 0;
    if (cairn_neighbour_encode(cells, SIDE, SIDE, mask, CAIRN_NEIGHBOURS_4, b->code, sizeof b->code, &bytes) ==
        CAIRN_OK) {
        ret_bytes[PEER_NEIGHBOURS_4] += (double)bytes;
    }
}

static double jbig_bytes(const codec_bench *b, uint8_t mask)
{
    static uint8_t planes[MAPS_MAX][SIDE * ROW_BYTES];
    for (uint32_t i = 0; i < b->count; i++) { pack(b->maps[i].cells, mask, planes[i]); }
    return cairn_bench_jbig_bytes(SIDE, SIDE, planes[0], b->count);
}

static void ask_peers(codec_bench *b)
{
    double known[PEERS] = {0}, obstacle[PEERS] = {0};
    for (uint32_t i = 0; i < b->count; i++) {
        add_peers(b, b->maps[i].cells, CAIRN_GRID_KNOWN, known);
        add_peers(b, b->maps[i].cells, CAIRN_GRID_OBSTACLE, obstacle);
    }
    known[PEER_JBIG] = jbig_bytes(b, CAIRN_GRID_KNOWN);
    obstacle[PEER_JBIG] = jbig_bytes(b, CAIRN_GRID_OBSTACLE);
    for (int peer = 0; peer < PEERS; peer++) {
        b->peer_bytes[0][peer] = obstacle[peer];
        b->peer_bytes[1][peer] = known[peer] + obstacle[peer];
    }
}

typedef struct codec_costs {
    double bytes, encode_us, decode_us; // of a map, mean
} codec_costs;

static cairn_grid_cells cells_of(cairn_log_map *map, bool has_known)
{
    return (cairn_grid_cells){SIDE, SIDE, has_known, map->cells};
}

static bool is_same(const uint8_t *a, const uint8_t *b, uint8_t mask)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        if ((a[i] ^ b[i]) & mask) { return false; }
    }
    return true;
}

static cairn_err measure_once(codec_bench *b, bool has_known, bool is_after, codec_costs *ret_costs)
{
    static uint8_t back[CELLS];
    *ret_costs = (codec_costs){0};
    const uint32_t first = 1;
    for (uint32_t i = first; i < b->count; i++) {
        const cairn_grid_cells grid = cells_of(&b->maps[i], has_known), before = cells_of(&b->maps[i - 1], has_known);
        const cairn_grid_earlier earlier = {&before, b->maps[i].moved}, *after = is_after ? &earlier : NULL;
        cairn_grid_cells ret_grid = {SIDE, SIDE, has_known, back};
        size_t bytes = 0;
        const int64_t started_ns = cairn_thread_cpu_ns();
        cairn_err err = cairn_grid_encode(&grid, after, &b->scratch, b->code, sizeof b->code, &bytes);
        const int64_t encoded_ns = cairn_thread_cpu_ns();
        if (err == CAIRN_OK) { err = cairn_grid_decode(b->code, bytes, after, &b->scratch, &ret_grid); }
        const int64_t decoded_ns = cairn_thread_cpu_ns();
        if (err != CAIRN_OK) { return err; }
        CAIRN_ASSERT(is_same(back, grid.cells, has_known ? 3 : CAIRN_GRID_OBSTACLE));
        ret_costs->bytes += (double)bytes;
        ret_costs->encode_us += 1e-3 * (double)(encoded_ns - started_ns);
        ret_costs->decode_us += 1e-3 * (double)(decoded_ns - encoded_ns);
    }
    const double maps = b->count - first;
    *ret_costs = (codec_costs){ret_costs->bytes / maps, ret_costs->encode_us / maps, ret_costs->decode_us / maps};
    return CAIRN_OK;
}

static peer_kind best_peer(const double bytes[PEERS])
{
    peer_kind best = PEER_ZLIB;
    for (int i = 1; i < PEERS; i++) {
        if (bytes[i] > 0 && bytes[i] < bytes[best]) { best = (peer_kind)i; }
    }
    return best;
}

static void say_peers(cairn_bench_report *report, const codec_bench *b, const char *log, bool has_known)
{
    const double *bytes = b->peer_bytes[has_known];
    char subject[200];
    int used = snprintf(subject, sizeof subject, "%s, %s:", log, has_known ? "both planes" : "obstacle plane");
    for (int i = 0; i < PEERS; i++) {
        if (bytes[i] == 0) { continue; }
        used += snprintf(subject + used, sizeof subject - (size_t)used, " %s %.0f", peer_names[i], bytes[i] / b->count);
    }
    cairn_bench_say_not(report, "maps", subject, "bytes");
}

static cairn_err run_case(cairn_bench_report *report, codec_bench *b, const char *log, bool has_known, bool is_after)
{
    codec_costs best = {0, INFINITY, INFINITY}, now;
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_err err = measure_once(b, has_known, is_after, &now);
        if (err != CAIRN_OK) { return err; }
        best = (codec_costs){now.bytes, fmin(best.encode_us, now.encode_us), fmin(best.decode_us, now.decode_us)};
    }
    const double *peers = b->peer_bytes[has_known];
    const peer_kind peer = best_peer(peers);
    codec_sums *sums = &b->sums[has_known][is_after][b->is_judging];
    sums->ours += best.bytes;
    sums->peer += peers[peer] / b->count;
    char subject[80];
    snprintf(subject, sizeof subject, "codec, %s%s, %s%s", log, b->is_turned ? ", turned" : "",
             has_known ? "both planes" : "obstacles", is_after ? ", after" : "");
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "size", "bytes", best.bytes, peer_names[peer],
                                                  peers[peer] / b->count});
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "encode", "us", best.encode_us, NULL, 0});
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "decode", "us", best.decode_us, NULL, 0});
    return CAIRN_OK;
}

static cairn_err run_log(cairn_bench_report *report, codec_bench *b, const char *log, cairn_complaints *complaints)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/laser/%s-corrected.log.gz", report->data, log);
    cairn_arena_reset(&b->maps_memory, 0);
    cairn_err err = cairn_log_maps_read(path, b->is_turned, MAPS_MAX, &b->maps_memory, complaints, &b->maps, &b->count);
    if (err != CAIRN_OK) { return err; }
    if (b->count < 2) { return CAIRN_OK; }
    ask_peers(b);
    for (int known = 0; known < 2 && err == CAIRN_OK; known++) {
        if (!report->json) { say_peers(report, b, log, known); }
        err = run_case(report, b, log, known, false);
        if (err == CAIRN_OK) { err = run_case(report, b, log, known, true); }
    }
    return err;
}

// Bytes as a part of the best peer's.
static void say_sums(cairn_bench_report *report, const codec_bench *b)
{
    for (int i = 0; i < 8; i++) {
        const bool has_known = i & 4, is_after = i & 2, is_judging = i & 1;
        const codec_sums *sums = &b->sums[has_known][is_after][is_judging];
        char subject[96];
        snprintf(subject, sizeof subject, "codec, %s logs%s, %s%s", is_judging ? "judging" : "other",
                 b->is_turned ? ", turned" : "", has_known ? "both planes" : "obstacles", is_after ? ", after" : "");
        cairn_bench_say(
            report, &(cairn_bench_figure){"maps", subject, "of the best peer", "-", sums->ours / sums->peer, NULL, 0});
    }
}

static cairn_err run_logs(cairn_bench_report *report, codec_bench *b, bool is_turned, cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    b->is_turned = is_turned;
    memset(b->sums, 0, sizeof b->sums);
    for (size_t i = 0; i < LOGS && err == CAIRN_OK; i++) {
        b->is_judging = i >= LOGS - LOGS_JUDGING;
        err = run_log(report, b, logs[i], complaints);
    }
    if (err == CAIRN_OK) { say_sums(report, b); }
    return err;
}

cairn_err cairn_bench_maps_codec(cairn_bench_report *report, cairn_complaints *complaints)
{
    if (report->data == NULL) {
        cairn_bench_say_not(report, "maps", "codec, maps along laser logs",
                            "needs --data DIR with laser/*-corrected.log.gz");
        return CAIRN_OK;
    }
    static codec_bench b; // large
    cairn_err err = cairn_arena_create(&b.maps_memory, MAPS_MAX * sizeof(cairn_log_map) + 4096);
    if (err == CAIRN_OK) { err = cairn_arena_create(&b.scratch, cairn_grid_scratch_bytes(SIDE, SIDE)); }
    if (err == CAIRN_OK) { err = run_logs(report, &b, false, complaints); }
    if (err == CAIRN_OK) { err = run_logs(report, &b, true, complaints); }
    cairn_arena_destroy(&b.scratch);
    cairn_arena_destroy(&b.maps_memory);
    return err;
}
