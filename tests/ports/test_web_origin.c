// A web site that is open in the operator's browser must not be able to drive robots.
#include "check.h"
#include "ports/web_origin.h"

static void loopback_addresses_are_known(void **unused)
{
    (void)unused;
    assert_true(cairn_web_is_loopback("127.0.0.1") && cairn_web_is_loopback("127.1.2.3"));
    assert_true(cairn_web_is_loopback("::1") && cairn_web_is_loopback("0:0:0:0:0:0:0:1"));
    assert_false(cairn_web_is_loopback("0.0.0.0") || cairn_web_is_loopback("192.0.2.1"));
    assert_false(cairn_web_is_loopback("::") || cairn_web_is_loopback("localhost") || cairn_web_is_loopback(""));
}

static void on_loopback_only_this_machines_names_fit(void **unused)
{
    (void)unused;
    const char *good[] = {"127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"};
    const char *bad[] = {"",
                         "localhost",
                         "localhost:80",
                         "evil.example:8080",
                         "localhost.evil:8080",
                         "[::1]",
                         "127.0.0.1",
                         "::1:8080",
                         "localhost:8080 ",
                         "localhost:08080",
                         "0.0.0.0:8080",
                         "127.0.0.2:8080",
                         "evil@localhost:8080"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(cairn_web_host_fits(good[i], "127.0.0.1", 8080));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cairn_web_host_fits(bad[i], "127.0.0.1", 8080));
    }
    assert_true(cairn_web_host_fits("127.9.9.9:8080", "127.9.9.9", 8080));
    assert_true(cairn_web_host_fits("localhost", "127.0.0.1", 80)); // browsers leave 80 out
}

// Where other machines can reach it, its name is not ours to know.
static void elsewhere_any_name_fits(void **unused)
{
    (void)unused;
    assert_true(cairn_web_host_fits("station.example:8080", "0.0.0.0", 8080));
    assert_true(cairn_web_host_fits("192.0.2.1:8080", "192.0.2.1", 8080));
    assert_false(cairn_web_host_fits("", "0.0.0.0", 8080));
}

static void an_origin_must_be_the_host(void **unused)
{
    (void)unused;
    assert_true(cairn_web_origin_fits("http://localhost:8080", "localhost:8080"));
    assert_true(cairn_web_origin_fits("https://station.example", "station.example"));
    const char *bad[] = {"",
                         "null",
                         "localhost:8080",
                         "http://",
                         "http://localhost",
                         "http://localhost:80800",
                         "http://localhost:8080/",
                         "http://evil.example",
                         "http://localhost:8080.evil.example",
                         "ftp://localhost:8080",
                         "http://evil.example/http://localhost:8080"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cairn_web_origin_fits(bad[i], "localhost:8080"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_addresses_are_known),
        cmocka_unit_test(on_loopback_only_this_machines_names_fit),
        cmocka_unit_test(elsewhere_any_name_fits),
        cmocka_unit_test(an_origin_must_be_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
