// terrain_train.c - makes src/maps/codec/tables/terrain_weights.h, the trained part of the terrain codec's model, from real
// maps.
//
//   tools/terrain_maps.py build/cairn OUT            missions, and OUT/ARENA-SEED.maps with all their terrain maps
//   cc -O3 -march=native -ffast-math -Isrc -Iinclude tools/terrain_train.c build/src/maps/libmaps.a
//     build/src/base/libbase.a -lm -o OUT/terrain_train
//   OUT/terrain_train EPOCHS src/maps/codec/tables/terrain_weights.h OUT/office-1.maps OUT/office-2.maps OUT/maze-1.maps ...
//
// A record of a .maps file is width, height and code_bytes (uint16, little endian) and the code. The maps are decoded
// with the codec as it is linked in, so that codec must be the one that the missions were run with. The network is the
// one of src/maps/codec/terrain_network.h in floating point: cells -> HIDDEN -> HIDDEN2 -> 2, clamped to 0..1 between
// layers; Adam on the code length, weights kept within what their integers can hold. Every other map is mirrored left
// to right, since a robot's world has no handedness. New weights are a new format: old codes can no longer be read.
#include "maps/codec/terrain_codec.h"
#include "maps/codec/terrain_window.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HIDDEN
#define HIDDEN 32
#endif
#ifndef HIDDEN2
#define HIDDEN2 16
#endif
#define INPUTS (2 * (CAIRN_TERRAIN_REACH + CAIRN_TERRAIN_REACH * CAIRN_TERRAIN_SPAN))
#define WEIGHT_MAX (127 / 64.0f) // in units of 1/64 the sum of a window then stays far within int16
#define BATCH 128
#define RATE 0.002f
#define LEAK 0.02f // slope beyond the clamp, while learning only: a saturated unit can come back
#define MAPS_MAX 8000

typedef struct network {
    float inputs[INPUTS][HIDDEN], bias[HIDDEN];
    float middle[HIDDEN2][HIDDEN], bias2[HIDDEN2];
    float out[2][HIDDEN2], bias3[2];
} network;
#define PARAMETERS (sizeof(network) / sizeof(float))
#define BOUNDED (INPUTS * HIDDEN) // the first so many parameters, and the middle ones, are bounded

typedef struct sample {
    uint32_t map, x, y;
} sample;

typedef struct activity {
    uint16_t set[INPUTS];
    int set_count;
    float sum[HIDDEN], value[HIDDEN], sum2[HIDDEN2], value2[HIDDEN2], p[2];
} activity;

static cairn_terrain_planes *maps;
static uint32_t map_count;
static sample *samples;
static size_t sample_count;
static double scene_counts[2][3]; // all unknown, all free; then unknown, free, obstacle
static network net, gradient, first_moment, second_moment;

static float clamped(float sum) { return sum < 0 ? 0 : sum > 1 ? 1 : sum; }
static float slope(float sum) { return sum > 0 && sum < 1 ? 1 : LEAK; }

static void mirror(cairn_terrain_planes *planes)
{
    static cairn_terrain_planes from;
    from = *planes;
    memset(planes->known, 0, sizeof planes->known);
    memset(planes->obstacle, 0, sizeof planes->obstacle);
    for (uint32_t cell = 0; cell < planes->width * planes->height; cell++) {
        const uint32_t to = (planes->height - 1 - cell / planes->width) * planes->width + cell % planes->width;
        planes->known[to >> 3] |= (uint8_t)(cairn_plane_bit(from.known, cell) << (to & 7));
        planes->obstacle[to >> 3] |= (uint8_t)(cairn_plane_bit(from.obstacle, cell) << (to & 7));
    }
}

static void read_maps(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint16_t head[3];
    static uint8_t code[CAIRN_TERRAIN_CODE_BYTES_MAX];
    while (file != NULL && map_count < MAPS_MAX && fread(head, 2, 3, file) == 3) {
        cairn_terrain_planes *map = &maps[map_count];
        map->width = head[0];
        map->height = head[1];
        if (head[2] > sizeof code || fread(code, 1, head[2], file) != head[2] ||
            cairn_terrain_decode(code, head[2], map) != CAIRN_OK) {
            fprintf(stderr, "%s: a map cannot be read\n", path);
            exit(1);
        }
        if (map_count++ % 2 == 1) { mirror(map); }
    }
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fclose(file);
}

static int symbol(const cairn_terrain_planes *map, uint32_t x, uint32_t y)
{
    const cairn_terrain_cell cell = cairn_terrain_cell_at(map, y * map->width + x);
    return cell.known + cell.obstacle;
}

static void list_samples(void)
{
    size_t room = 0;
    for (uint32_t i = 0; i < map_count; i++) {
        for (uint32_t y = 0; y < maps[i].height; y++) {
            cairn_terrain_window window;
            cairn_terrain_window_start(&window, &maps[i], y);
            for (uint32_t x = 0; x < maps[i].width; x++) {
                if (x > 0) {
                    const cairn_terrain_cell before = cairn_terrain_cell_at(&maps[i], y * maps[i].width + x - 1);
                    cairn_terrain_window_advance(&window, &maps[i], before, x, y);
                }
                const cairn_terrain_scene scene = cairn_terrain_window_scene(&window);
                if (scene != CAIRN_TERRAIN_MIXED) {
                    scene_counts[scene][symbol(&maps[i], x, y)]++;
                    continue;
                }
                if (sample_count == room) {
                    room = room ? 2 * room : 1 << 20;
                    samples = realloc(samples, room * sizeof *samples);
                }
                samples[sample_count++] = (sample){i, x, y};
            }
        }
    }
}

// The number of the input for column `bit` of a row, unknown or obstacle: the order of the table.
static int input_number(int row, int bit, int is_obstacle)
{
    const int cell = row == 0 ? bit : CAIRN_TERRAIN_REACH + (row - 1) * CAIRN_TERRAIN_SPAN + bit;
    return 2 * cell + is_obstacle;
}

static void look(const sample *s, activity *a)
{
    const cairn_terrain_planes *map = &maps[s->map];
    a->set_count = 0;
    for (int row = 0; row < CAIRN_TERRAIN_ROWS; row++) {
        for (int bit = 0; bit < (row == 0 ? CAIRN_TERRAIN_REACH : CAIRN_TERRAIN_SPAN); bit++) {
            int x = (int)s->x + (row == 0 ? -1 - bit : CAIRN_TERRAIN_REACH - bit);
            int y = (int)s->y - row - (row == 0 && x < 0);
            x = x < 0 ? 0 : x >= (int)map->width ? (int)map->width - 1 : x;
            const int what = y < 0 ? 0 : symbol(map, (uint32_t)x, (uint32_t)y);
            if (what != 1) { a->set[a->set_count++] = (uint16_t)input_number(row, bit, what == 2); }
        }
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
    for (size_t i = 0; i < BOUNDED; i++) { w[i] = fminf(fmaxf(w[i], -WEIGHT_MAX), WEIGHT_MAX); }
    float *middle = &net.middle[0][0];
    for (size_t i = 0; i < HIDDEN * HIDDEN2; i++) { middle[i] = fminf(fmaxf(middle[i], -WEIGHT_MAX), WEIGHT_MAX); }
}

static double bits(float p, bool is) { return -log2(is ? p : 1 - p); }

static void shuffle(void)
{
    for (size_t i = sample_count - 1; i > 0; i--) {
        const size_t j = ((uint64_t)rand() << 20 ^ (uint64_t)rand()) % (i + 1);
        const sample swap = samples[i];
        samples[i] = samples[j];
        samples[j] = swap;
    }
}

static void train(int epochs)
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
                const int what = symbol(&maps[samples[j].map], samples[j].x, samples[j].y);
                look(&samples[j], &a);
                forward(&a);
                spent_bits += bits(a.p[0], what > 0) + (what > 0 ? bits(a.p[1], what == 2) : 0);
                backward(&a, what);
            }
            step++;
            adam(step, RATE * (1 - (float)step / (float)steps) + 1e-5f);
        }
        printf("epoch %d: %.1f bytes/map where something is seen\n", epoch + 1, spent_bits / 8 / map_count);
        fflush(stdout);
    }
}

static void say_table(FILE *out, const char *type, const char *name, const float *w, size_t count, size_t row,
                      float unit)
{
    fprintf(out, "static const %s %s = {", type, name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%ld,", i % row == 0 && row < count ? "\n    " : "", lroundf(w[i] * unit));
    }
    fprintf(out, "};\n");
}

static float logit_of(double yes, double no) { return (float)log((yes + 0.5) / (no + 0.5)); }

static void write_tables(const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(out, "// Made by tools/terrain_train.c from %u maps; do not edit. Units: docs/maps.md.\n", map_count);
    fprintf(out, "// clang-format off\n#pragma once\n#include <stdint.h>\n\n");
    fprintf(out, "#define HIDDEN %d\n#define HIDDEN2 %d\n\n", HIDDEN, HIDDEN2);
    char name[64];
    snprintf(name, sizeof name, "input_weights[%d * HIDDEN]", INPUTS);
    say_table(out, "int16_t", name, &net.inputs[0][0], INPUTS * HIDDEN, HIDDEN, 64);
    say_table(out, "int16_t", "input_bias[HIDDEN]", net.bias, HIDDEN, HIDDEN, 64);
    say_table(out, "int16_t", "middle_weights[HIDDEN2 * HIDDEN]", &net.middle[0][0], HIDDEN * HIDDEN2, HIDDEN, 64);
    say_table(out, "int32_t", "middle_bias[HIDDEN2]", net.bias2, HIDDEN2, HIDDEN2, 4096);
    say_table(out, "int16_t", "out_weights[2 * HIDDEN2]", &net.out[0][0], 2 * HIDDEN2, HIDDEN2, 256);
    say_table(out, "int32_t", "out_bias[2]", net.bias3, 2, 2, 65536);
    float plain[4], squash[49];
    for (int scene = 0; scene < 2; scene++) {
        const double *count = scene_counts[scene];
        plain[2 * scene] = logit_of(count[1] + count[2], count[0]);
        plain[2 * scene + 1] = logit_of(count[2], count[1]);
    }
    for (int i = 0; i < 49; i++) { squash[i] = 1 / (1 + expf(-(float)i / 4)); }
    say_table(out, "int32_t", "plain_logits[4]", plain, 4, 4, 256);
    say_table(out, "int32_t", "squash_table[49]", squash, 49, 49, 65536);
    fclose(out);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: terrain_train EPOCHS WEIGHTS.h MAPS...\n");
        return 2;
    }
    maps = calloc(MAPS_MAX, sizeof *maps);
    srand(1);
    for (int i = 3; i < argc; i++) { read_maps(argv[i]); }
    list_samples();
    printf("%u maps, %zu cells to learn from\n", map_count, sample_count);
    train(atoi(argv[1]));
    write_tables(argv[2]);
    return 0;
}
