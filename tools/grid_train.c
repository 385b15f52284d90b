// grid_train.c - makes the trained parts of the grid codec from maps of tools/grid_maps.c. tools/grid_tables.py runs
// it.
//
//   grid_train neighbours OUT.h MAPS                     tables of the published models
//   grid_train plain OUT.h MAPS                          constants for cells with nothing to see around them
//   grid_train PLANES-alone|PLANES-after OUT.h MAPS CELLS EPOCHS   a network from so many cells, named as the file;
//                                                                  PLANES: 1 (obstacle) or 2 (known, obstacle)
//
// The network is that of src/maps/codec/terrain_network.h in floating point: window -> HIDDEN -> HIDDEN2 -> 2, clamped
// to 0..1 between layers; Adam on the code length; weights kept within what their integers can hold. Windows are those
// of src/maps/codec/grid_window.h, made by the same code that the codec uses.
#include "maps/codec/grid_move.h"
#include "maps/codec/neighbour_codec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN 32
#define HIDDEN2 16
#define INPUTS (2 * CAIRN_TERRAIN_WINDOW_CELLS)
#define WEIGHT_MAX (127 / 64.0f)
#define ROW_MAX 15.5f   // sum of the magnitudes of a second unit's weights: 16 bits hold its sums
#define CENTRE_MAX 6.8f // amid its sums, for the same reason
#define BATCH 128
#define RATE 0.003f
#define LEAK 0.02f // slope beyond the clamp, while learning only: a saturated unit can come back
#define SIDE 150
#define CELLS (SIDE * SIDE)
#define PLANE_BYTES 2816

typedef struct record {
    int32_t moved[3];
    uint8_t known[PLANE_BYTES], obstacle[PLANE_BYTES];
} record;

typedef struct network {
    float inputs[INPUTS][HIDDEN], bias[HIDDEN];
    float middle[HIDDEN2][HIDDEN], bias2[HIDDEN2];
    float out[2][HIDDEN2], bias3[2];
} network;
#define PARAMETERS (sizeof(network) / sizeof(float))

typedef struct sample {
    uint64_t unknown, obstacle;
    uint8_t what; // 0 unknown, 1 free, 2 obstacle
} sample;

typedef struct activity {
    uint16_t set[INPUTS];
    int set_count;
    float sum[HIDDEN], value[HIDDEN], sum2[HIDDEN2], value2[HIDDEN2], p[2];
} activity;

static record *records;
static size_t record_count;
static sample *samples;
static size_t sample_count, seen_count, samples_max;
static double scene_counts[2][CAIRN_GRID_FARS][3]; // all unknown, all free; then unknown, free, obstacle
static network net, gradient, first_moment, second_moment;

static void read_records(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    record_count = (size_t)ftell(file) / sizeof(record);
    records = malloc(record_count * sizeof(record));
    rewind(file);
    if (records == NULL || fread(records, sizeof(record), record_count, file) != record_count) { exit(1); }
    fclose(file);
}

static void cells_of(const record *from, bool has_known, uint8_t *ret_cells)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        const bool known = has_known && (from->known[i >> 3] >> (i & 7) & 1);
        ret_cells[i] = (uint8_t)(known | (from->obstacle[i >> 3] >> (i & 7) & 1) << 1);
    }
}

static cairn_grid_rows rows_make(void)
{
    const size_t bytes = cairn_grid_rows_bytes(SIDE, SIDE);
    return (cairn_grid_rows){SIDE, SIDE, cairn_grid_stride_bytes(SIDE), malloc(bytes), malloc(bytes)};
}

// Keeps a fair draw of all that come.
static void keep(sample s)
{
    if (samples_max == 0) { return; } // only counting
    const size_t at =
        sample_count < samples_max ? sample_count++ : ((size_t)rand() << 20 ^ (size_t)rand()) % ++seen_count;
    if (sample_count < samples_max) { seen_count = sample_count; }
    if (at < samples_max) { samples[at] = s; }
}

static void look_at(const uint8_t *cells, bool has_known, const cairn_grid_rows *rows, const cairn_grid_rows *earlier,
                    bool is_cell_on_cell)
{
    const uint64_t all = earlier != NULL ? (UINT64_C(1) << CAIRN_GRID_AFTER_CELLS) - 1 : CAIRN_TERRAIN_WINDOW_ALL;
    static cairn_grid_far far;
    memset(&far, 0, sizeof far);
    cairn_grid_rows_clear(rows, has_known);
    for (uint32_t y = 0; y < SIDE; y++) {
        cairn_grid_row_begin(rows, y);
        far.x_plus_1 = 0;
        for (uint32_t x = 0; x < SIDE; x++) {
            const cairn_terrain_window window = earlier != NULL
                                                    ? cairn_grid_window_after(rows, earlier, is_cell_on_cell, x, y)
                                                    : cairn_grid_window_alone(rows, x, y);
            const uint8_t cell = cells[y * SIDE + x];
            const uint8_t what = has_known && !(cell & 1) ? 0 : cell & 2 ? 2 : 1;
            if (window.unknown == all) {
                scene_counts[0][cairn_grid_far_of(&far, x, y)][what]++;
            } else if (((window.unknown | window.obstacle) & all) == 0) {
                scene_counts[1][cairn_grid_far_of(&far, x, y)][what]++;
            } else {
                keep((sample){window.unknown, window.obstacle, what});
            }
            if (what == 2) { cairn_grid_far_add(&far, x, y); }
            cairn_grid_set(cairn_grid_row(rows, rows->unknown, y), cairn_grid_bit(rows, x), what == 0);
            cairn_grid_set(cairn_grid_row(rows, rows->obstacle, y), cairn_grid_bit(rows, x), what == 2);
        }
        cairn_grid_row_end(rows, y);
    }
}

static void list_samples(bool has_known, bool is_after)
{
    static uint8_t cells[CELLS], before[CELLS];
    const cairn_grid_rows rows = rows_make(), earlier = rows_make();
    samples = malloc(samples_max * sizeof *samples);
    for (size_t i = 0; i < record_count; i++) {
        memcpy(before, cells, sizeof cells);
        cells_of(&records[i], has_known, cells);
        const int32_t *m = records[i].moved;
        if (is_after && m[0] == INT32_MIN) { continue; }
        const cairn_grid_moved moved = {m[0], m[1], m[2], 100000};
        if (is_after) { cairn_grid_move(before, SIDE, SIDE, has_known, &moved, &earlier); }
        look_at(cells, has_known, &rows, is_after ? &earlier : NULL,
                cairn_grid_moved_is_cell_on_cell(&moved, SIDE, SIDE, SIDE, SIDE));
    }
}

static float clamped(float sum) { return sum < 0 ? 0 : sum > 1 ? 1 : sum; }
static float slope(float sum) { return sum > 0 && sum < 1 ? 1 : LEAK; }

static void look(const sample *s, activity *a)
{
    a->set_count = 0;
    for (int cell = 0; cell < CAIRN_TERRAIN_WINDOW_CELLS; cell++) {
        if (s->unknown >> cell & 1) { a->set[a->set_count++] = (uint16_t)(2 * cell); }
        if (s->obstacle >> cell & 1) { a->set[a->set_count++] = (uint16_t)(2 * cell + 1); }
    }
}

static void forward(activity *a)
{
    memcpy(a->sum, net.bias, sizeof a->sum);
    for (int i = 0; i < a->set_count; i++) {
        for (int h = 0; h < HIDDEN; h++) { a->sum[h] += net.inputs[a->set[i]][h]; }
    }
    for (int h = 0; h < HIDDEN; h++) { a->value[h] = clamped(a->sum[h]); }
    for (int k = 0; k < HIDDEN2; k++) {
        a->sum2[k] = net.bias2[k];
        for (int h = 0; h < HIDDEN; h++) { a->sum2[k] += net.middle[k][h] * a->value[h]; }
        a->value2[k] = clamped(a->sum2[k]);
    }
    for (int o = 0; o < 2; o++) {
        float logit = net.bias3[o];
        for (int k = 0; k < HIDDEN2; k++) { logit += net.out[o][k] * a->value2[k]; }
        a->p[o] = 1 / (1 + expf(-fminf(fmaxf(logit, -11), 11)));
    }
}

static void backward(const activity *a, int what)
{
    const float error[2] = {a->p[0] - (what > 0), what > 0 ? a->p[1] - (what == 2) : 0};
    float back[HIDDEN] = {0};
    for (int o = 0; o < 2; o++) { gradient.bias3[o] += error[o]; }
    for (int k = 0; k < HIDDEN2; k++) {
        for (int o = 0; o < 2; o++) { gradient.out[o][k] += error[o] * a->value2[k]; }
        const float back2 = (error[0] * net.out[0][k] + error[1] * net.out[1][k]) * slope(a->sum2[k]);
        gradient.bias2[k] += back2;
        for (int h = 0; h < HIDDEN; h++) {
            gradient.middle[k][h] += back2 * a->value[h];
            back[h] += back2 * net.middle[k][h];
        }
    }
    for (int h = 0; h < HIDDEN; h++) {
        back[h] *= slope(a->sum[h]);
        gradient.bias[h] += back[h];
    }
    for (int i = 0; i < a->set_count; i++) {
        for (int h = 0; h < HIDDEN; h++) { gradient.inputs[a->set[i]][h] += back[h]; }
    }
}

static void bound(void)
{
    float *inputs = &net.inputs[0][0];
    for (size_t i = 0; i < INPUTS * HIDDEN; i++) { inputs[i] = fminf(fmaxf(inputs[i], -WEIGHT_MAX), WEIGHT_MAX); }
    for (int k = 0; k < HIDDEN2; k++) {
        float sum = 0;
        for (int h = 0; h < HIDDEN; h++) {
            net.middle[k][h] = fminf(fmaxf(net.middle[k][h], -WEIGHT_MAX), WEIGHT_MAX);
            sum += fabsf(net.middle[k][h]);
        }
        for (int h = 0; h < HIDDEN && sum > ROW_MAX; h++) { net.middle[k][h] *= ROW_MAX / sum; }
        float half = 0;
        for (int h = 0; h < HIDDEN; h++) { half += net.middle[k][h] / 2; }
        net.bias2[k] = fminf(fmaxf(net.bias2[k] + half, -CENTRE_MAX), CENTRE_MAX) - half;
    }
}

static void adam(size_t step, float rate)
{
    float *w = (float *)&net, *m = (float *)&first_moment, *v = (float *)&second_moment;
    const float *g = (const float *)&gradient;
    const float scale = rate / (1 - powf(0.9f, (float)step)), unbias = 1 / (1 - powf(0.999f, (float)step));
    for (size_t i = 0; i < PARAMETERS; i++) {
        const float slope_mean = g[i] / BATCH;
        m[i] += 0.1f * (slope_mean - m[i]);
        v[i] += 0.001f * (slope_mean * slope_mean - v[i]);
        w[i] -= scale * m[i] / (sqrtf(v[i] * unbias) + 1e-8f);
    }
    bound();
}

static void shuffle(void)
{
    for (size_t i = sample_count - 1; i > 0; i--) {
        const size_t j = ((uint64_t)rand() << 20 ^ (uint64_t)rand()) % (i + 1);
        const sample swap = samples[i];
        samples[i] = samples[j];
        samples[j] = swap;
    }
}

static double bits(float p, bool is) { return -log2(is ? p : 1 - p); }

static void train(int epochs, bool has_known)
{
    float *w = (float *)&net;
    for (size_t i = 0; i < PARAMETERS; i++) { w[i] = ((float)rand() / (float)RAND_MAX - 0.5f) * 0.2f; }
    for (int h = 0; h < HIDDEN; h++) { net.bias[h] = 0.3f; }
    for (int k = 0; k < HIDDEN2; k++) {
        net.bias2[k] = 0.3f;
        for (int h = 0; h < HIDDEN; h++) { net.middle[k][h] *= 3; }
        for (int o = 0; o < 2; o++) { net.out[o][k] *= 10; }
    }
    static activity a;
    const size_t steps = (size_t)epochs * (sample_count / BATCH);
    size_t step = 0;
    for (int epoch = 0; epoch < epochs; epoch++) {
        double spent_bits = 0;
        shuffle();
        for (size_t i = 0; i + BATCH <= sample_count; i += BATCH) {
            memset(&gradient, 0, sizeof gradient);
            for (size_t j = i; j < i + BATCH; j++) {
                const int what = samples[j].what;
                look(&samples[j], &a);
                forward(&a);
                spent_bits += (has_known ? bits(a.p[0], what > 0) : 0) + (what > 0 ? bits(a.p[1], what == 2) : 0);
                backward(&a, what);
            }
            step++;
            adam(step, RATE * (1 - (float)step / (float)steps) + 1e-5f);
        }
        printf("epoch %d: %.4f bits a cell where something is seen\n", epoch + 1, spent_bits / (double)sample_count);
        fflush(stdout);
    }
}

static void say_table(FILE *out, const char *name, const float *w, size_t count, float unit)
{
    fprintf(out, "    .%s = {", name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%ld,", i % HIDDEN == 0 && count > HIDDEN ? "\n        " : "", lroundf(w[i] * unit));
    }
    fprintf(out, "},\n");
}

static float logit_of(double yes, double no) { return fminf(fmaxf((float)log((yes + 0.5) / (no + 0.5)), -10), 10); }

static FILE *begin_header(const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(out, "// Made by tools/grid_tables.py from %zu maps; do not edit. Units: docs/maps.md.\n", record_count);
    fprintf(out, "// clang-format off\n#pragma once\n");
    return out;
}

static void write_network(const char *path, const char *name)
{
    FILE *out = begin_header(path);
    fprintf(out, "#include \"maps/codec/terrain_network.h\"\n\nstatic const cairn_terrain_weights %s = {\n", name);
    say_table(out, "input", &net.inputs[0][0], INPUTS * HIDDEN, 64);
    say_table(out, "input_bias", net.bias, HIDDEN, 64);
    say_table(out, "middle", &net.middle[0][0], HIDDEN * HIDDEN2, 64);
    say_table(out, "middle_bias", net.bias2, HIDDEN2, 4096);
    say_table(out, "out", &net.out[0][0], 2 * HIDDEN2, 256);
    say_table(out, "out_bias", net.bias3, 2, 65536);
    fprintf(out, "};\n");
    fclose(out);
}

// What cells with nothing to see around them are, by how far away the last obstacles were.
static void write_plain(const char *path)
{
    static const char *const names[] = {"one_alone", "one_after", "both_alone", "both_after"};
    FILE *out = begin_header(path);
    fprintf(out, "#include \"maps/codec/grid_window.h\"\n\n// 1/256 nat, known and obstacle: all unknown, all free\n");
    for (int kind = 0; kind < 4; kind++) {
        memset(scene_counts, 0, sizeof scene_counts);
        list_samples(kind >= 2, kind % 2 == 1);
        fprintf(out, "static const int32_t grid_plain_%s[2][CAIRN_GRID_FARS][2] = {", names[kind]);
        for (int scene = 0; scene < 2; scene++) {
            fprintf(out, "\n    {");
            for (int far = 0; far < CAIRN_GRID_FARS; far++) {
                const double *count = scene_counts[scene][far];
                fprintf(out, "{%ld, %ld}, ", lroundf(256 * logit_of(count[1] + count[2], count[0])),
                        lroundf(256 * logit_of(count[2], count[1])));
            }
            fprintf(out, "},");
        }
        fprintf(out, "};\n");
    }
    fclose(out);
}

// How often each context of the model was followed by a one.
static void write_neighbour_table(FILE *out, uint8_t mask, cairn_neighbours model)
{
    static uint8_t cells[CELLS];
    static double ones[1024], all[1024];
    const uint32_t count = 1u << cairn_neighbour_bits[model];
    for (uint32_t i = 0; i < count; i++) {
        ones[i] = 0.4;
        all[i] = 0.8;
    }
    for (size_t i = 0; i < record_count; i += 3) {
        cells_of(&records[i], true, cells);
        for (uint32_t at = 0; at < CELLS; at++) {
            const uint32_t context =
                cairn_neighbours_of(cells, SIDE, mask, cairn_neighbour_bits[model], at % SIDE, at / SIDE);
            ones[context] += (cells[at] & mask) != 0;
            all[context]++;
        }
    }
    fprintf(out, "static const uint16_t neighbours_%s_%d[%u] = {", mask == 1 ? "known" : "obstacle",
            cairn_neighbour_bits[model], count);
    for (uint32_t i = 0; i < count; i++) {
        const double p = fmin(fmax(65536 * ones[i] / all[i], 1), 65535);
        fprintf(out, "%s%ld,", i % 16 == 0 ? "\n    " : "", lround(p));
    }
    fprintf(out, "\n};\n");
}

static void write_neighbours(const char *path)
{
    FILE *out = begin_header(path);
    fprintf(out, "#include <stdint.h>\n\n");
    for (uint8_t mask = 1; mask <= 2; mask++) {
        for (int model = 0; model < CAIRN_NEIGHBOURS_COUNT; model++) {
            write_neighbour_table(out, mask, (cairn_neighbours)model);
        }
    }
    fclose(out);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr,
                "usage: grid_train neighbours|plain|1-alone|1-after|2-alone|2-after OUT.h MAPS [CELLS EPOCHS]\n");
        return 2;
    }
    srand(1);
    read_records(argv[3]);
    if (strcmp(argv[1], "neighbours") == 0) {
        write_neighbours(argv[2]);
        return 0;
    }
    if (strcmp(argv[1], "plain") == 0) {
        write_plain(argv[2]);
        return 0;
    }
    if (argc < 6) { return 2; }
    samples_max = (size_t)atol(argv[4]);
    const bool has_known = argv[1][0] == '2', is_after = strcmp(argv[1] + 1, "-after") == 0;
    list_samples(has_known, is_after);
    printf("%zu maps, %zu cells to learn from\n", record_count, sample_count);
    train(atoi(argv[5]), has_known);
    const char *slash = strrchr(argv[2], '/'), *file = slash != NULL ? slash + 1 : argv[2];
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    write_network(argv[2], name);
    return 0;
}
