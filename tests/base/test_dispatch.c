// The best copy of a kernel that machine and person allow is picked.
#include "base/dispatch.h"
#include "check.h"

static void plain(void) {}
static void wide(void) {}

static void the_best_built_variant_is_picked(void **state)
{
    (void)state;
    const cairn_kernel both = {"both", {plain, NULL, wide}}, one = {"one", {plain}}, none = {"none", {0}};
    assert_true(cairn_dispatch(&both, CAIRN_ISA_BASELINE) == plain);
    assert_true(cairn_dispatch(&both, CAIRN_ISA_AVX2) == plain);
    assert_true(cairn_dispatch(&both, CAIRN_ISA_AVX512) == wide);
    assert_true(cairn_dispatch(&one, CAIRN_ISA_AVX512) == plain);
    assert_breach(cairn_dispatch(&none, CAIRN_ISA_BASELINE));
}

static void a_wish_lowers_the_instruction_set_and_never_raises_it(void **state)
{
    (void)state;
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_AVX512, NULL), CAIRN_ISA_AVX512);
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_AVX512, "avx2"), CAIRN_ISA_AVX2);
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_AVX512, "baseline"), CAIRN_ISA_BASELINE);
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_AVX2, "avx512"), CAIRN_ISA_AVX2);
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_BASELINE, "avx2"), CAIRN_ISA_BASELINE);
    assert_int_equal(cairn_isa_limit(CAIRN_ISA_AVX2, "fastest"), CAIRN_ISA_AVX2);
}

static void instruction_sets_are_named(void **state)
{
    (void)state;
    assert_string_equal(cairn_isa_name(CAIRN_ISA_BASELINE), "baseline");
    assert_string_equal(cairn_isa_name(CAIRN_ISA_AVX512), "avx512");
    assert_breach(cairn_isa_name(CAIRN_ISA_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_built_variant_is_picked),
        cmocka_unit_test(a_wish_lowers_the_instruction_set_and_never_raises_it),
        cmocka_unit_test(instruction_sets_are_named),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
