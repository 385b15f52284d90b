// bench maps on recorded clouds: PCD files are read as they are or refused, and errors are counted as ISPRS counts
// them.
#include "../base/check.h"
#include "base/random.h"
#include "commands/bench/maps/bench_cloud.h"
#include "commands/bench/maps/bench_maps.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEED 2
#define EDGE 40
#define POINTS (EDGE * EDGE)
#define FILE_BYTES_MAX (POINTS * 16 + 4096)

// The figures that the bench says, taken instead of printed.
static double said[64];
static uint32_t said_count;

void cairn_bench_say(cairn_bench_report *report, const cairn_bench_figure *figure)
{
    report->figure_count++;
    if (said_count < 64) { said[said_count++] = figure->ours; }
}
void cairn_bench_say_not(cairn_bench_report *report, const char *bench, const char *subject, const char *why)
{
    (void)bench, (void)subject, (void)why;
    report->figure_count++;
}

// A PCD file; runs of bytes as they are, but one copy, so that both of LZF's kinds are read. Returns its bytes.
static size_t pcd_make(const float *values, uint32_t count, uint8_t *ret_bytes)
{
    const uint8_t *raw = (const uint8_t *)values;
    const size_t raw_bytes = 12 * (size_t)count;
    int head = sprintf((char *)ret_bytes,
                       "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS %u\n"
                       "DATA binary_compressed\n",
                       count);
    uint8_t *out = ret_bytes + head + 8;
    for (size_t at = 0; at < raw_bytes;) {
        if (at >= 4 && raw_bytes - at >= 4 && memcmp(raw + at - 4, raw + at, 4) == 0) {
            *out++ = 2 << 5; // four bytes, from four before
            *out++ = 3;
            at += 4;
            continue;
        }
        const size_t run = raw_bytes - at < 4 ? raw_bytes - at : 4;
        *out++ = (uint8_t)(run - 1);
        memcpy(out, raw + at, run);
        out += run;
        at += run;
    }
    const uint32_t sizes[2] = {(uint32_t)(out - ret_bytes - head - 8), (uint32_t)raw_bytes};
    memcpy(ret_bytes + head, sizes, 8); // little-endian machines
    return (size_t)(out - ret_bytes);
}

static void file_write(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

typedef struct made_place {
    float all[3 * POINTS], ground[3 * POINTS];
    uint32_t ground_count;
} made_place;

// Level ground, with a house of 8 x 8 m in it; every 50th ground point is told as something else in the truth.
static void place_make(made_place *place)
{
    uint32_t ground = 0;
    static float x[POINTS], y[POINTS], z[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        const uint32_t u = i % EDGE, v = i / EDGE;
        const bool house = u >= 10 && u < 18 && v >= 10 && v < 18;
        place->all[i] = (float)u;
        place->all[POINTS + i] = (float)v;
        place->all[2 * POINTS + i] = house ? 5 : 0;
        if (house || i % 50 == 0) { continue; }
        x[ground] = (float)u;
        y[ground] = (float)v;
        z[ground++] = 0;
    }
    memcpy(place->ground, x, ground * sizeof x[0]);
    memcpy(place->ground + ground, y, ground * sizeof y[0]);
    memcpy(place->ground + 2 * (size_t)ground, z, ground * sizeof z[0]);
    place->ground_count = ground;
}

static char folder[] = "/tmp/cairn-test-isprs-XXXXXX";
static made_place made; // large
static uint8_t bytes[FILE_BYTES_MAX];

static int folder_make(void **state)
{
    (void)state;
    char path[128];
    if (!mkdtemp(folder)) { return 1; }
    snprintf(path, sizeof path, "%s/clouds", folder);
    if (mkdir(path, 0700) != 0) { return 1; }
    place_make(&made);
    const char *const samples[] = {"11", "12", "21", "22", "31", "41", "51"};
    for (int i = 0; i < 7; i++) {
        snprintf(path, sizeof path, "%s/clouds/isprs-samp%s.pcd", folder, samples[i]);
        file_write(path, bytes, pcd_make(made.all, POINTS, bytes));
        snprintf(path, sizeof path, "%s/clouds/isprs-samp%s-ground.pcd", folder, samples[i]);
        file_write(path, bytes, pcd_make(made.ground, made.ground_count, bytes));
    }
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command); // NOLINT(cert-env33-c)
}

// The house is told from the ground; the points that the truth calls something else count as type II and total errors.
static void errors_are_counted_against_the_truth(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_bench_report report = {.data = folder};
    said_count = 0;
    assert_ok(cairn_bench_maps_isprs(&report, &complaints));
    assert_int_equal(said_count, 7 * 2 * 3);
    const double others = POINTS - made.ground_count, mistold = others - 64;
    assert_true(mistold > 20);
    for (uint32_t i = 0; i < said_count; i += 3) {
        assert_float_equal(said[i], 0, 1e-9);
        assert_float_equal(said[i + 1], 100 * mistold / others, 1e-9);
        assert_float_equal(said[i + 2], 100 * mistold / POINTS, 1e-9);
    }
}

static void without_data_it_says_so(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_bench_report report = {0};
    assert_ok(cairn_bench_maps_isprs(&report, &complaints));
    assert_int_equal(report.figure_count, 1);
    report.data = "/nonexistent";
    assert_int_equal(cairn_bench_maps_isprs(&report, &complaints), CAIRN_ERR_NOT_FOUND);
    assert_non_null(strstr(complaints.text, "/nonexistent/clouds/isprs-samp11.pcd"));
}

// Files come from elsewhere: cut short or with bytes changed, they are refused, or read as other numbers, never past an
// end.
static void spoilt_files_do_no_harm(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/pcd");
    static uint8_t block[1 << 20];
    char path[128];
    snprintf(path, sizeof path, "%s/spoilt.pcd", folder);
    uint32_t refused = 0;
    for (int round = 0; round < 400; round++) {
        size_t count = pcd_make(made.all, POINTS, bytes);
        if (round % 4 == 0) { count = cairn_random_below(&random, (uint32_t)count); }
        for (uint32_t i = 0; i < 1 + cairn_random_below(&random, 5) && count > 0; i++) {
            const uint32_t reach = round % 2 ? 200 : (uint32_t)count;
            bytes[cairn_random_below(&random, reach < count ? reach : (uint32_t)count)] =
                (uint8_t)cairn_random_u64(&random);
        }
        file_write(path, bytes, count);
        cairn_arena memory;
        cairn_arena_init(&memory, block, sizeof block);
        static cairn_complaints complaints;
        complaints.count = 0;
        complaints.used_bytes = 0;
        cairn_cloud cloud = {0};
        const cairn_err err = cairn_bench_cloud_read(path, &memory, &complaints, &cloud);
        refused += err != CAIRN_OK;
        assert_int_equal(err != CAIRN_OK, complaints.count > 0);
        assert_int_equal(err == CAIRN_OK, cloud.count > 0);
    }
    assert_true(refused > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_counted_against_the_truth),
        cmocka_unit_test(without_data_it_says_so),
        cmocka_unit_test(spoilt_files_do_no_harm),
    };
    return cmocka_run_group_tests_name("bench_isprs", tests, folder_make, folder_remove);
}
