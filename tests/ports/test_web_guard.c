// Who opens many connections, or guesses, must not keep the operator from the page; and the token is a secret.
#include "check.h"
#include "ports/web_guard.h"
#include "ports/web_token_io.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_web_guard guard;
static char whos[4096]; // their addresses are who came
static uint32_t who_count;

static int start(void **unused)
{
    (void)unused;
    memset(&guard, 0, sizeof guard);
    who_count = 0;
    return 0;
}

static cairn_web_peer four(uint8_t a, uint8_t d)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const uint8_t bytes[4] = {a, 0, 2, d};
    memcpy(&address.sin_addr, bytes, 4);
    return cairn_web_peer_of((const struct sockaddr *)&address);
}

static cairn_web_peer six(const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return cairn_web_peer_of((const struct sockaddr *)&address);
}

// Who came; NULL: was not let in. Who had to go for it goes.
static void *come(cairn_web_peer peer)
{
    void *leaves = NULL, *who = &whos[who_count++];
    assert_true(who_count < sizeof whos);
    if (!cairn_web_guard_may_come(&guard, &peer, &leaves)) { return NULL; }
    if (leaves != NULL) { cairn_web_guard_left(&guard, leaves); }
    assert_true(cairn_web_guard_came(&guard, who, &peer));
    return who;
}

static bool is_in(const void *who)
{
    for (uint32_t i = 0; i < CAIRN_WEB_KEPT_SOCKETS_MAX; i++) {
        if (guard.sockets[i].who == who) { return true; }
    }
    return false;
}

static void addresses_are_told_apart(void **unused)
{
    (void)unused;
    const cairn_web_peer own = four(127, 1), own6 = six("::1"), far = four(192, 1), mapped = six("::ffff:192.0.2.1");
    assert_true(cairn_web_peer_is_loopback(&own) && cairn_web_peer_is_loopback(&own6));
    assert_false(cairn_web_peer_is_loopback(&far) || cairn_web_peer_is_loopback(&mapped));
    assert_memory_equal(&far, &mapped, sizeof far);
    const cairn_web_peer one = six("2001:db8:1:2::1"), same_network = six("2001:db8:1:2:ffff::9"),
                         other = six("2001:db8:1:3::1");
    assert_memory_equal(&one, &same_network, sizeof one);
    assert_memory_not_equal(&one, &other, sizeof one);
}

static void idle_connections_push_out_their_own_kind(void **unused)
{
    (void)unused;
    void *operator_asked = come(four(192, 7));
    cairn_web_guard_asked(&guard, operator_asked);
    void *page = come(four(192, 1));
    cairn_web_guard_is_page(&guard, page, true);
    void *last = NULL;
    for (int i = 0; i < 500; i++) {
        last = come(four(192, 1));
        assert_non_null(last);
    }
    assert_true(is_in(last) && is_in(page) && is_in(operator_asked));
}

static void who_has_asked_stays_longer_than_who_says_nothing(void **unused)
{
    (void)unused;
    void *asked = come(four(192, 1));
    cairn_web_guard_asked(&guard, asked);
    for (int i = 0; i < CAIRN_WEB_SOCKETS_OF_ONE_MAX; i++) { assert_non_null(come(four(192, 1))); }
    assert_true(is_in(asked));
}

static void many_addresses_leave_room_for_this_machine(void **unused)
{
    (void)unused;
    for (int k = 1; k < 250; k++) {
        for (int i = 0; i < 5; i++) { (void)come(four(192, (uint8_t)k)); }
    }
    void *own = come(four(127, 1));
    assert_non_null(own);
    for (int k = 1; k < 250; k++) { (void)come(four(198, (uint8_t)k)); }
    assert_true(is_in(own));
}

static void pages_of_others_leave_places_for_this_machine(void **unused)
{
    (void)unused;
    const cairn_web_peer own = four(127, 1);
    uint32_t far_count = 0;
    for (int k = 1; k < 100; k++) {
        const cairn_web_peer peer = four(192, (uint8_t)k);
        void *who = come(peer);
        if (who == NULL || !cairn_web_guard_has_place(&guard, &peer, true)) { continue; }
        cairn_web_guard_is_page(&guard, who, true);
        far_count++;
    }
    assert_int_equal(far_count, CAIRN_WEB_CLIENTS_FAR_MAX);
    for (int i = 0; i < CAIRN_WEB_CLIENTS_MAX - CAIRN_WEB_CLIENTS_FAR_MAX; i++) {
        assert_true(cairn_web_guard_has_place(&guard, &own, false));
        cairn_web_guard_is_page(&guard, come(own), false);
    }
    assert_false(cairn_web_guard_has_place(&guard, &own, false));
}

static void who_guesses_wrong_too_often_waits_a_minute(void **unused)
{
    (void)unused;
    const cairn_web_peer guesser = four(192, 1), other = four(192, 2);
    cairn_mono now = {CAIRN_S(1000)};
    for (int i = 0; i < CAIRN_WEB_GUESSES_MAX; i++) {
        assert_true(cairn_web_guard_may_guess(&guard, &guesser, now));
        cairn_web_guard_guessed_wrong(&guard, &guesser, now);
    }
    assert_false(cairn_web_guard_may_guess(&guard, &guesser, now));
    assert_true(cairn_web_guard_may_guess(&guard, &other, now));
    now = cairn_mono_add(now, CAIRN_WEB_GUESSES_NS + 1);
    assert_true(cairn_web_guard_may_guess(&guard, &guesser, now));
    cairn_web_guard_guessed_wrong(&guard, &guesser, now); // and is counted anew
    assert_true(cairn_web_guard_may_guess(&guard, &guesser, now));
}

static void a_token_is_made_once_and_is_its_owners_alone(void **unused)
{
    (void)unused;
    static cairn_complaints complaints;
    char folder[] = "/tmp/cairn-token-XXXXXX", path[64], first[CAIRN_WEB_TOKEN_BYTES], second[CAIRN_WEB_TOKEN_BYTES];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/page.token", folder);
    assert_ok(cairn_web_token_ensure(path, &complaints, first));
    assert_ok(cairn_web_token_ensure(path, &complaints, second));
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), 32);
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(cairn_web_token_ensure(path, &complaints, second), CAIRN_ERR_INVALID);
    assert_non_null(strstr(complaints.text, "chmod 600"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, 5), 0);
    assert_int_equal(cairn_web_token_ensure(path, &complaints, second), CAIRN_ERR_INVALID);
    assert_int_equal(unlink(path), 0);
    assert_ok(cairn_web_token_ensure(path, &complaints, second));
    assert_string_not_equal(first, second);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(addresses_are_told_apart, start),
        cmocka_unit_test_setup(idle_connections_push_out_their_own_kind, start),
        cmocka_unit_test_setup(who_has_asked_stays_longer_than_who_says_nothing, start),
        cmocka_unit_test_setup(many_addresses_leave_room_for_this_machine, start),
        cmocka_unit_test_setup(pages_of_others_leave_places_for_this_machine, start),
        cmocka_unit_test_setup(who_guesses_wrong_too_often_waits_a_minute, start),
        cmocka_unit_test_setup(a_token_is_made_once_and_is_its_owners_alone, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
