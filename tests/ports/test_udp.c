// Datagrams over the loopback: what arrives and from where, what is dropped and counted, and what people are told.
#include "check.h"
#include "ports/udp.h"
#include "station/post.h"
#include <errno.h>
#include <string.h>

static cairn_complaints complaints;

static cairn_udp *open_udp(const char *at)
{
    cairn_udp *udp = NULL;
    complaints = (cairn_complaints){0};
    assert_ok(cairn_udp_open(at, &complaints, &udp));
    assert_int_equal(complaints.count, 0);
    assert_true(cairn_udp_port(udp) != 0);
    return udp;
}

static cairn_air_address resolve(const char *host, uint16_t port)
{
    char text[64];
    cairn_air_address address = {0};
    snprintf(text, sizeof text, "%s:%u", host, port);
    assert_ok(cairn_udp_resolve(text, &complaints, &address));
    return address;
}

static void assert_text(const cairn_air_address *address, const char *expected)
{
    char text[CAIRN_UDP_TEXT_BYTES];
    cairn_udp_text(address, text);
    assert_string_equal(text, expected);
}

static bool has_ipv6(void)
{
    cairn_udp *udp = NULL;
    const bool has = cairn_udp_open("[::1]:0", &complaints, &udp) == CAIRN_OK;
    cairn_udp_close(udp);
    return has;
}

// Sends from one to the other, answers at the address that came with it, and checks both ways.
static void talk(cairn_udp *from, const cairn_air_address *to_address, cairn_udp *to)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX], sent[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address came_from = {0}, answer_from = {0};
    for (size_t i = 0; i < sizeof sent; i++) { sent[i] = (uint8_t)(i * 7); }
    cairn_udp_send(from, to_address, sent, sizeof sent);
    assert_ok(cairn_udp_receive(to, bytes, sizeof bytes, &size, &came_from));
    assert_int_equal(size, sizeof sent);
    assert_memory_equal(bytes, sent, size);
    cairn_udp_send(to, &came_from, sent, 3);
    assert_ok(cairn_udp_receive(from, bytes, sizeof bytes, &size, &answer_from));
    assert_int_equal(size, 3);
    assert_memory_equal(&answer_from, to_address, sizeof answer_from);
    assert_int_equal(cairn_udp_receive(from, bytes, sizeof bytes, &size, &answer_from), CAIRN_ERR_EMPTY);
}

static void datagrams_arrive_and_can_be_answered_in_both_families(void **state)
{
    (void)state;
    cairn_udp *station = open_udp(":0"), *robot = open_udp("127.0.0.1:0");
    cairn_air_address at = resolve("127.0.0.1", cairn_udp_port(station));
    talk(robot, &at, station);
    cairn_udp_close(robot);
    if (has_ipv6()) {
        robot = open_udp("[::1]:0");
        at = resolve("[::1]", cairn_udp_port(station));
        talk(robot, &at, station); // the same socket of the station
        cairn_udp_close(robot);
    }
    assert_int_equal(cairn_udp_look(station).unreachable_count, 0);
    cairn_udp_close(station);
    cairn_udp_close(NULL);
}

// An address of one link is worth nothing without its interface: it must survive being kept as 18 bytes.
static void addresses_are_told_as_people_write_them(void **state)
{
    (void)state;
    const char *const good[] = {"127.0.0.1:7400", "192.0.2.255:65535", "[::1]:1", "[2001:db8::7]:7400",
                                "[fe80::1%lo]:7400"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cairn_air_address address = {0};
        assert_ok(cairn_udp_resolve(good[i], &complaints, &address));
        assert_false(cairn_air_address_is_none(&address));
        assert_text(&address, good[i]);
    }
    const cairn_air_address none = {0};
    assert_text(&none, "nowhere");
    const cairn_air_address named = resolve("localhost", 7400);
    char text[CAIRN_UDP_TEXT_BYTES];
    cairn_udp_text(&named, text);
    assert_true(strcmp(text, "127.0.0.1:7400") == 0 || strcmp(text, "[::1]:7400") == 0);
}

static void bad_addresses_are_refused_in_words(void **state)
{
    (void)state;
    const char *const bad[] = {"",
                               "host",
                               "127.0.0.1",
                               "127.0.0.1:",
                               "127.0.0.1:x",
                               "127.0.0.1:-1",
                               "1:65536",
                               "1:1e3",
                               "::1:70",
                               "[::1:70",
                               "[]:70",
                               "a b:70",
                               "[::1]",
                               ":",
                               "[[::1]]:7",
                               "127.0.0.1:123456789012345678901"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cairn_udp *udp = NULL;
        cairn_air_address address = {0};
        complaints = (cairn_complaints){0};
        assert_int_equal(cairn_udp_open(bad[i], &complaints, &udp), CAIRN_ERR_INVALID);
        assert_int_equal(cairn_udp_resolve(bad[i], &complaints, &address), CAIRN_ERR_INVALID);
        assert_int_equal(complaints.count, 2);
        assert_non_null(strstr(complaints.text, "expected HOST:PORT"));
    }
    const char *const nowhere[] = {":7400", "127.0.0.1:0"}; // good for listening, but nobody can be sent to there
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        cairn_air_address address = {0};
        assert_int_equal(cairn_udp_resolve(nowhere[i], &complaints, &address), CAIRN_ERR_INVALID);
    }
}

static void a_port_in_use_is_told_with_what_to_do(void **state)
{
    (void)state;
    cairn_udp *first = open_udp(":0"), *second = NULL;
    char at[32];
    snprintf(at, sizeof at, ":%u", cairn_udp_port(first));
    assert_int_equal(cairn_udp_open(at, &complaints, &second), CAIRN_ERR_IO);
    assert_null(second);
    assert_non_null(strstr(complaints.text, "is in use; is another station or robot running here?"));
    cairn_udp_close(first);
    second = open_udp(at); // and free again at once
    cairn_udp_close(second);

    complaints = (cairn_complaints){0};
    assert_int_equal(cairn_udp_open("192.0.2.1:0", &complaints, &second), CAIRN_ERR_IO);
    assert_non_null(strstr(complaints.text, "does not have that address"));
}

static void too_large_datagrams_are_dropped_and_counted(void **state)
{
    (void)state;
    cairn_udp *to = open_udp("127.0.0.1:0"), *from = open_udp("127.0.0.1:0");
    const cairn_air_address at = resolve("127.0.0.1", cairn_udp_port(to));
    uint8_t bytes[CAIRN_LINK_MTU_MAX + 100] = {0};
    size_t size = 0;
    cairn_air_address came_from;
    cairn_udp_send(from, &at, bytes, CAIRN_LINK_MTU_MAX + 1);
    cairn_udp_send(from, &at, bytes, 11); // larger than the room that the first receive gives
    cairn_udp_send(from, &at, bytes, 9);
    cairn_udp_send(from, &at, bytes, CAIRN_LINK_MTU_MAX);
    assert_ok(cairn_udp_receive(to, bytes, 10, &size, &came_from));
    assert_int_equal(size, 9);
    assert_ok(cairn_udp_receive(to, bytes, sizeof bytes, &size, &came_from));
    assert_int_equal(size, CAIRN_LINK_MTU_MAX);
    assert_int_equal(cairn_udp_receive(to, bytes, sizeof bytes, &size, &came_from), CAIRN_ERR_EMPTY);
    assert_int_equal(cairn_udp_look(to).too_large_count, 2);
    assert_int_equal(cairn_udp_look(to).received_count, 4);
    cairn_udp_close(to);
    cairn_udp_close(from);
}

// Robots and stations come and go: sending to one that is not there is no error.
static void what_cannot_be_sent_is_counted(void **state)
{
    (void)state;
    cairn_udp *udp = open_udp("127.0.0.1:0"), *gone = open_udp("127.0.0.1:0");
    const cairn_air_address dead = resolve("127.0.0.1", cairn_udp_port(gone)), none = {0};
    const cairn_air_address other_family = resolve("[::1]", 7400);
    const uint8_t byte = 1;
    cairn_udp_close(gone);
    for (int i = 0; i < 10; i++) { cairn_udp_send(udp, &dead, &byte, 1); }
    cairn_udp_send(udp, &none, &byte, 1);
    cairn_udp_send(udp, &other_family, &byte, 1);
    const cairn_udp_info info = cairn_udp_look(udp);
    assert_int_equal(info.sent_count + info.unreachable_count, 11);
    assert_int_equal(info.unaddressed_count, 1);
    assert_true(info.unreachable_count >= 1);
    assert_int_equal(info.last_errno, EAFNOSUPPORT);
    cairn_udp_close(udp);
}

#define ID 10

static void ignore(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    (void)context, (void)robot_at, (void)message, (void)now;
}

typedef struct robot_end {
    cairn_link *link;
    cairn_inbox *from_air, *to_air;
} robot_end;

static void robot_sends(void *context, const uint8_t *bytes, size_t size)
{
    assert_ok(cairn_inbox_put(((robot_end *)context)->to_air, bytes, size));
}

// The whole way: the robot's boxes without addresses, the station's with; the robot's socket is another one in between,
// as when its network gives it another address, and the session goes on.
static void a_robot_and_a_station_talk_through_their_sockets(void **state)
{
    (void)state;
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 8 << 20));
    static cairn_post_def post_def;
    post_def = (cairn_post_def){.robot_count = 1, .link = cairn_link_def_default(), .seed = 1};
    post_def.robots[0].id = ID;
    cairn_post *post = NULL;
    assert_ok(cairn_post_create(&post_def, &memory, &post));
    cairn_link_def link_def = cairn_link_def_default();
    link_def.role = CAIRN_LINK_ROBOT;
    link_def.robot = ID;
    cairn_random_init(&link_def.random, 2, "robot");
    robot_end robot = {0};
    assert_ok(cairn_link_create(&link_def, &memory, &robot.link));
    assert_ok(cairn_inbox_create(&memory, 1 << 16, CAIRN_LINK_MTU_MAX, CAIRN_INBOX_REFUSE, &robot.from_air));
    assert_ok(cairn_inbox_create(&memory, 1 << 16, CAIRN_LINK_MTU_MAX, CAIRN_INBOX_REFUSE, &robot.to_air));

    cairn_udp *station_udp = open_udp(":0"), *robot_udp = open_udp("127.0.0.1:0");
    const cairn_air_address station_at = resolve("127.0.0.1", cairn_udp_port(station_udp));
    cairn_mono now = {0};
    for (int i = 0; i < 300; i++) {
        if (i == 150) {
            cairn_udp *next = open_udp("127.0.0.1:0");
            cairn_udp_close(robot_udp);
            robot_udp = next;
        }
        now = cairn_mono_add(now, CAIRN_MS(20));
        cairn_link_step(robot.link, now, robot_sends, &robot);
        cairn_udp_pump_out_to(robot_udp, &station_at, robot.to_air);
        cairn_udp_pump_in(station_udp, cairn_post_from_air(post));
        cairn_post_receive(post, now, ignore, NULL);
        cairn_post_flush(post, now);
        cairn_udp_pump_out(station_udp, cairn_post_to_air(post, 0));
        cairn_udp_pump_in_plain(robot_udp, robot.from_air);
        uint8_t bytes[CAIRN_LINK_MTU_MAX];
        size_t size = 0;
        while (cairn_inbox_take(robot.from_air, bytes, sizeof bytes, &size) == CAIRN_OK) {
            (void)cairn_link_receive(robot.link, bytes, size, now);
        }
    }
    assert_int_equal(cairn_post_link(post, 0, now).state, CAIRN_LINK_CONNECTED);
    const cairn_link_info info = cairn_link_info_now(robot.link, now);
    assert_int_equal(info.state, CAIRN_LINK_CONNECTED);
    assert_int_equal(info.session_count, 1);
    assert_int_equal(cairn_udp_look(station_udp).unaddressed_count, 0);
    cairn_udp_close(station_udp);
    cairn_udp_close(robot_udp);
    cairn_inbox_finish(robot.from_air);
    cairn_inbox_finish(robot.to_air);
    cairn_post_finish(post);
    cairn_arena_destroy(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagrams_arrive_and_can_be_answered_in_both_families),
        cmocka_unit_test(addresses_are_told_as_people_write_them),
        cmocka_unit_test(bad_addresses_are_refused_in_words),
        cmocka_unit_test(a_port_in_use_is_told_with_what_to_do),
        cmocka_unit_test(too_large_datagrams_are_dropped_and_counted),
        cmocka_unit_test(what_cannot_be_sent_is_counted),
        cmocka_unit_test(a_robot_and_a_station_talk_through_their_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
