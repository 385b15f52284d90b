// Streams are repeatable, apart from each other, and have the distributions that they promise.
#include "base/random.h"
#include "base/random_kernels.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_COUNT 1000000

static cairn_random stream(const char *name)
{
    cairn_random random;
    cairn_random_init(&random, 42, name); // seed 42
    return random;
}

// The generator written out plainly, after its authors' definition.
static void words_follow_the_definition_of_xoshiro256pp(void **state)
{
    (void)state;
    cairn_random random = {{1, 2, 3, 4}};
    // First outputs from the state 1, 2, 3, 4: worked by hand from result = rotl(s0 + s3, 23) + s0.
    assert_int_equal(cairn_random_u64(&random), 41943041);
    assert_int_equal(cairn_random_u64(&random), 58720359);
    assert_int_equal(cairn_random_u64(&random), 3588806011781223);
}

static void a_stream_depends_on_seed_and_name_only(void **state)
{
    (void)state;
    cairn_random a = stream("emu1/laser"), b = stream("emu1/laser"), c = stream("emu2/laser"), d;
    cairn_random_init(&d, 43, "emu1/laser");
    int same_c = 0, same_d = 0;
    for (int i = 0; i < 1000; i++) {
        const uint64_t word = cairn_random_u64(&a);
        assert_int_equal(word, cairn_random_u64(&b));
        same_c += word == cairn_random_u64(&c);
        same_d += word == cairn_random_u64(&d);
    }
    assert_int_equal(same_c, 0);
    assert_int_equal(same_d, 0);
}

// Chi-square over the residues: with 6 degrees of freedom 33 has a chance of 1e-5.
static void below_is_uniform(void **state)
{
    (void)state;
    cairn_random random = stream("test/below");
    int counts[7] = {0};
    for (int i = 0; i < 700000; i++) { counts[cairn_random_below(&random, 7)]++; }
    double chi2 = 0;
    for (int i = 0; i < 7; i++) { chi2 += (counts[i] - 1e5) * (counts[i] - 1e5) / 1e5; }
    assert_true(chi2 < 33.0);

    // At three quarters of 2^32 a quarter of the words must be refused: otherwise every third value comes up twice
    // as often as the others.
    int thirds = 0;
    for (int i = 0; i < 300000; i++) { thirds += cairn_random_below(&random, 0xc0000000u) % 3 == 0; }
    assert_true(abs(thirds - 100000) < 5 * 258); // five deviations of the binomial
}

static void uniform_stays_in_its_interval(void **state)
{
    (void)state;
    cairn_random random = stream("test/uniform");
    double sum = 0;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double value = cairn_random_between(&random, -2.0, 6.0);
        assert_true(value >= -2.0 && value < 6.0);
        sum += value;
    }
    assert_true(fabs(sum / SAMPLE_COUNT - 2.0) < 5 * 8.0 / sqrt(12.0 * SAMPLE_COUNT));
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Sorts the values. Moments within five standard errors; the largest distance between empirical and normal
// distribution (Kolmogorov and Smirnov) below 1.95/sqrt(n), which chance exceeds once in a thousand seeds.
static void check_normal(float *values, size_t count)
{
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = values[i];
        m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
    }
    const double n = (double)count;
    assert_true(fabs(m1 / n) < 5 * sqrt(1 / n));
    assert_true(fabs(m2 / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(m3 / n) < 5 * sqrt(15 / n));
    assert_true(fabs(m4 / n - 3) < 5 * sqrt(96 / n));

    qsort(values, count, sizeof *values, compare_floats);
    double distance = 0;
    for (size_t i = 0; i < count; i++) {
        const double p = 0.5 * erfc(-values[i] / sqrt(2.0));
        distance = fmax(distance, fmax(fabs(p - (double)i / n), fabs(p - (double)(i + 1) / n)));
    }
    assert_true(distance < 1.95 / sqrt(n));
    assert_true(values[0] > -6.7f && values[count - 1] < 6.7f);
    assert_true(values[0] < -4.0f && values[count - 1] > 4.0f);
}

static void gauss_is_normal(void **state)
{
    (void)state;
    cairn_random random = stream("test/gauss");
    float *const values = malloc(SAMPLE_COUNT * sizeof *values);
    for (int i = 0; i < SAMPLE_COUNT; i++) { values[i] = (float)cairn_random_gauss(&random); }
    check_normal(values, SAMPLE_COUNT);
    free(values);
}

static void gauss_fill_is_normal(void **state)
{
    (void)state;
    cairn_random random = stream("test/fill");
    float *const values = malloc(SAMPLE_COUNT * sizeof *values);
    cairn_random_gauss_fill(&random, values, SAMPLE_COUNT);
    check_normal(values, SAMPLE_COUNT);
    // The same from many short fills, as sensors draw them.
    for (size_t at = 0; at < SAMPLE_COUNT; at += 100) { cairn_random_gauss_fill(&random, values + at, 100); }
    check_normal(values, SAMPLE_COUNT);
    free(values);
}

// Neighbours within a fill, and the two values of one pair, are not correlated: five standard errors.
static void values_of_a_fill_are_not_correlated(void **state)
{
    (void)state;
    cairn_random random = stream("test/lags");
    float *const values = malloc(SAMPLE_COUNT * sizeof *values);
    cairn_random_gauss_fill(&random, values, SAMPLE_COUNT);
    static const size_t lags[] = {1, 2, 3, 7, 8, 9, 16, 255, 256, 257, 512};
    for (size_t k = 0; k < sizeof lags / sizeof *lags; k++) {
        double plain = 0, squares = 0;
        const size_t pairs = SAMPLE_COUNT - lags[k];
        for (size_t i = 0; i < pairs; i++) {
            const double a = values[i], b = values[i + lags[k]];
            plain += a * b;
            squares += (a * a - 1) * (b * b - 1);
        }
        assert_true(fabs(plain) < 5 * sqrt((double)pairs));
        assert_true(fabs(squares) < 5 * 2 * sqrt((double)pairs));
    }
    free(values);
}

static void a_fill_moves_the_stream_by_a_fixed_amount(void **state)
{
    (void)state;
    for (size_t count = 0; count < 600; count += 7) {
        cairn_random a = stream("test/a"), b = stream("test/a");
        float values[600], guard[600];
        memset(values, 0x55, sizeof values);
        memset(guard, 0x55, sizeof guard);
        cairn_random_gauss_fill(&a, values, count);
        (void)cairn_random_u64(&b);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(values + count, guard + count, (600 - count) * sizeof *values);
    }
}

// The transform in double precision with libm, from words drawn one lane at a time.
static void slow_row(cairn_random *lanes, double *ret_values)
{
    for (int i = 0; i < CAIRN_GAUSS_LANES; i++) {
        const uint64_t word = cairn_random_u64(&lanes[i]);
        const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
        const double r = sqrt(-2 * log(((low >> 1) + 0.5) / 0x1p31));
        const double angle = (double)(int32_t)(high << 2) / 0x1p31 * (M_PI / 4);
        const double x = (high >> 31 ? -1 : 1) * cos(angle), y = sin(angle);
        const bool swap = (high >> 30) & 1;
        ret_values[i] = r * (swap ? y : x);
        ret_values[i + CAIRN_GAUSS_LANES] = r * (swap ? x : y);
    }
}

static void a_fill_is_box_and_mullers_transform_to_2e_6(void **state)
{
    (void)state;
    cairn_random random = stream("test/slow"), lanes[CAIRN_GAUSS_LANES];
    cairn_gauss_lanes fast;
    for (int i = 0; i < CAIRN_GAUSS_LANES; i++) {
        for (int word = 0; word < 4; word++) { fast.state[word][i] = lanes[i].state[word] = cairn_random_u64(&random); }
    }
    // u near 1 keeps 24 bits, so that r there is off by up to 1.7e-4: such rare values are compared more loosely.
    for (int row = 0; row < 20000; row++) {
        float got[CAIRN_GAUSS_ROW_VALUES];
        double wanted[CAIRN_GAUSS_ROW_VALUES];
        cairn_gauss_rows_baseline(&fast, got, 1);
        slow_row(lanes, wanted);
        for (int i = 0; i < CAIRN_GAUSS_LANES; i++) {
            const double r = hypot(wanted[i], wanted[i + CAIRN_GAUSS_LANES]);
            const double bound = 2e-6 + 1.2e-7 / fmax(r, 7e-4);
            assert_true(fabs(got[i] - wanted[i]) < bound);
            assert_true(fabs(got[i + CAIRN_GAUSS_LANES] - wanted[i + CAIRN_GAUSS_LANES]) < bound);
        }
    }
}

static void all_instruction_sets_fill_the_same_bits(void **state)
{
    (void)state;
    static const cairn_kernel kernel = {"gauss_rows", CAIRN_KERNEL_VARIANTS(cairn_gauss_rows)};
    static float wanted[100 * CAIRN_GAUSS_ROW_VALUES], got[100 * CAIRN_GAUSS_ROW_VALUES];
    cairn_random random = stream("test/isa");
    cairn_gauss_lanes start;
    for (int word = 0; word < 4; word++) {
        for (int i = 0; i < CAIRN_GAUSS_LANES; i++) { start.state[word][i] = cairn_random_u64(&random); }
    }
    cairn_gauss_lanes lanes = start;
    ((cairn_gauss_rows_fn)kernel.variant[CAIRN_ISA_BASELINE])(&lanes, wanted, 100);
    for (int isa = 0; isa <= (int)cairn_isa_best(); isa++) {
        lanes = start;
        ((cairn_gauss_rows_fn)cairn_dispatch(&kernel, (cairn_isa)isa))(&lanes, got, 100);
        assert_memory_equal(wanted, got, sizeof got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_follow_the_definition_of_xoshiro256pp),
        cmocka_unit_test(a_stream_depends_on_seed_and_name_only),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(uniform_stays_in_its_interval),
        cmocka_unit_test(gauss_is_normal),
        cmocka_unit_test(gauss_fill_is_normal),
        cmocka_unit_test(values_of_a_fill_are_not_correlated),
        cmocka_unit_test(a_fill_moves_the_stream_by_a_fixed_amount),
        cmocka_unit_test(a_fill_is_box_and_mullers_transform_to_2e_6),
        cmocka_unit_test(all_instruction_sets_fill_the_same_bits),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
