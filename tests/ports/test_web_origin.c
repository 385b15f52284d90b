// A web site that is open in the operator's browser must not be able to drive robots.
#include "check.h"
#include "ports/web_origin.h"

static bool fits(const char *host, const char *bind, const char *names)
{
    const cairn_web_place place = {bind, 8080, names};
    return cairn_web_host_fits(host, &place);
}

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
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) { assert_true(fits(good[i], "127.0.0.1", "")); }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) { assert_false(fits(bad[i], "127.0.0.1", "")); }
    assert_true(fits("127.9.9.9:8080", "127.9.9.9", ""));
    const cairn_web_place place = {"127.0.0.1", 80, ""};
    assert_true(cairn_web_host_fits("localhost", &place)); // browsers leave 80 out
}

// Whoever owns a name can make it point at this machine, and his page in the operator's browser then has our origin.
static void elsewhere_only_numbers_and_names_that_were_told_fit(void **unused)
{
    (void)unused;
    const char *good[] = {"192.0.2.1:8080",       "10.0.0.7:8080",   "[2001:db8::7]:8080", "localhost:8080",
                          "station.example:8080", "STATION.example", "camp.local:443",     "camp.local"};
    const char *bad[] = {"",
                         "evil.example:8080",
                         "evil.example",
                         "station.example.evil.example:8080",
                         "evilstation.example:8080",
                         "station.example:8080.evil.example",
                         "station.example@evil.example",
                         "192.0.2.1.evil.example:8080",
                         "192.0.2.1:80",
                         "192.0.2.1",
                         "3221225985:8080",
                         "0xc0.0.2.1:8080",
                         "[2001:db8::7]",
                         "[2001:db8::7",
                         "[evil.example]:8080",
                         "[]:8080",
                         " "};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(fits(good[i], "0.0.0.0", "station.example camp.local"));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fits(bad[i], "0.0.0.0", "station.example camp.local"));
    }
    assert_true(fits("192.0.2.1:8080", "192.0.2.1", "") && fits("localhost:8080", "192.0.2.1", ""));
    assert_false(fits("192.0.2.2:8080", "192.0.2.1", "") || fits("station.example:8080", "192.0.2.1", ""));
    assert_true(fits("station.example", "127.0.0.1", "station.example")); // behind a proxy on this machine
}

static void names_are_names(void **unused)
{
    (void)unused;
    assert_true(cairn_web_names_fit("") && cairn_web_names_fit("station.example  camp-2.local"));
    assert_false(cairn_web_names_fit("station.example:8080") || cairn_web_names_fit("http://station.example"));
    assert_false(cairn_web_names_fit("*") || cairn_web_names_fit("a,b"));
}

// A proxy on this machine comes from 127.0.0.1, too: only the name tells that somebody else is behind it.
static void a_name_that_was_told_is_not_this_machine_to_itself(void **unused)
{
    (void)unused;
    assert_true(cairn_web_host_is_local("localhost:8080", 8080) && cairn_web_host_is_local("[::1]:8080", 8080));
    assert_false(cairn_web_host_is_local("station.example:8080", 8080) || cairn_web_host_is_local("127.0.0.1", 8080));
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
        cmocka_unit_test(elsewhere_only_numbers_and_names_that_were_told_fit),
        cmocka_unit_test(names_are_names),
        cmocka_unit_test(a_name_that_was_told_is_not_this_machine_to_itself),
        cmocka_unit_test(an_origin_must_be_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
