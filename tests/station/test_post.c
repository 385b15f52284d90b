// The station's end of the air: where robots are answered, what strangers cannot do, and who speaks another version.
#include "check.h"
#include "link/radio_streams.h"
#include "station/post.h"
#include <string.h>

#define SEED 4242
#define ID 10
#define TICK_NS CAIRN_MS(20)

static const cairn_air_address HOME = {{1}}, AWAY = {{2}}, STRANGER = {{3}};

typedef struct one_datagram {
    size_t size;
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
} one_datagram;

static cairn_arena memory;
static cairn_post *post;
static cairn_link *robot;
static cairn_air_address robot_at; // where the robot's datagrams come from, and where it can be reached
static cairn_mono now;
static one_datagram first_hello;  // that the robot said
static one_datagram old_hello;    // that a stranger says right after each datagram of the robot; none when empty
static uint32_t sealed_to[4];     // by the first byte of the address
static uint32_t challenge_to[4];  // likewise
static uint32_t heard[256];       // by message id
static cairn_air_address last_to; // of a sealed one

static void make_key(uint8_t *ret_key) { memset(ret_key, 0x5a, CAIRN_LINK_KEY_BYTES); }

static void create_robot(uint64_t boot)
{
    cairn_link_def def = cairn_link_def_default();
    def.role = CAIRN_LINK_ROBOT;
    def.robot = ID;
    make_key(def.key);
    cairn_random_init(&def.random, SEED + boot, "robot");
    assert_ok(cairn_link_create(&def, &memory, &robot));
}

static int start_holding(bool hold_acks)
{
    static cairn_post_def def;
    def = (cairn_post_def){.robot_count = 1, .link = cairn_link_def_default(), .seed = SEED, .hold_acks = hold_acks};
    def.robots[0].id = ID;
    make_key(def.robots[0].key);
    assert_ok(cairn_arena_create(&memory, 8 << 20));
    assert_ok(cairn_post_create(&def, &memory, &post));
    create_robot(0);
    now = (cairn_mono){0};
    robot_at = HOME;
    first_hello.size = old_hello.size = 0;
    memset(sealed_to, 0, sizeof sealed_to);
    memset(challenge_to, 0, sizeof challenge_to);
    memset(heard, 0, sizeof heard);
    return 0;
}

static int start(void **unused)
{
    (void)unused;
    return start_holding(false);
}

static int start_with_held_acks(void **unused)
{
    (void)unused;
    return start_holding(true);
}

static int finish(void **unused)
{
    (void)unused;
    cairn_post_finish(post);
    cairn_arena_destroy(&memory);
    return 0;
}

static void from(cairn_air_address address, const uint8_t *bytes, size_t size)
{
    assert_ok(cairn_air_box_put(cairn_post_from_air(post), &address, bytes, size));
}

static void robot_sends(void *unused, const uint8_t *bytes, size_t size)
{
    (void)unused;
    if (first_hello.size == 0) {
        first_hello.size = size;
        memcpy(first_hello.bytes, bytes, size);
    }
    from(robot_at, bytes, size);
    if (old_hello.size > 0) { from(STRANGER, old_hello.bytes, old_hello.size); }
}

static void hear(void *unused, uint32_t at, const cairn_radio_message *message, cairn_mono when)
{
    (void)unused, (void)at, (void)when;
    heard[message->id]++;
}

static void carry_to_robot(void)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    cairn_air_address to;
    while (cairn_air_box_take(cairn_post_to_air(post, 0), &to, bytes, &size) == CAIRN_OK) {
        const bool challenge = cairn_link_is_unproven(bytes, size);
        (challenge ? challenge_to : sealed_to)[to.bytes[0]]++;
        if (!challenge) { last_to = to; }
        if (memcmp(&to, &robot_at, sizeof to) == 0) { (void)cairn_link_receive(robot, bytes, size, now); }
    }
    cairn_link_message taken;
    while (cairn_link_take(robot, now, &taken) == CAIRN_OK) {}
}

static void step(void)
{
    cairn_link_step(robot, now, robot_sends, NULL);
    cairn_post_receive(post, now, hear, NULL);
    cairn_post_flush(post, now);
    carry_to_robot();
    now = cairn_mono_add(now, TICK_NS);
}

static void run_ms(int64_t ms)
{
    for (const int64_t until_ns = now.ns + CAIRN_MS(ms); now.ns < until_ns;) { step(); }
}

static bool is_connected(void) { return cairn_post_link(post, 0, now).state == CAIRN_LINK_CONNECTED; }

// Robots get addresses from whatever network they are on, and change them: the station asks nobody.
static void a_robot_is_answered_where_it_was_last_heard(void **unused)
{
    (void)unused;
    run_ms(2000);
    assert_true(is_connected());
    assert_true(challenge_to[HOME.bytes[0]] > 0 && sealed_to[HOME.bytes[0]] > 0);
    robot_at = AWAY;
    run_ms(2000);
    assert_memory_equal(&last_to, &AWAY, sizeof last_to);
    assert_true(is_connected());
    assert_int_equal(cairn_post_link(post, 0, now).session_count, 1);
    const uint32_t home_before = sealed_to[HOME.bytes[0]];
    run_ms(2000);
    assert_int_equal(sealed_to[HOME.bytes[0]], home_before);
    assert_int_equal(challenge_to[0] + sealed_to[0], 0); // never to nobody
}

// A restarted robot at a new address says hello there, while the old session is still thought to live.
static void a_restarted_robot_at_another_address_is_met_there(void **unused)
{
    (void)unused;
    run_ms(2000);
    create_robot(1);
    robot_at = AWAY;
    run_ms(3000);
    assert_true(challenge_to[AWAY.bytes[0]] > 0);
    assert_true(is_connected());
    assert_int_equal(cairn_post_link(post, 0, now).session_count, 2);
    assert_memory_equal(&last_to, &AWAY, sizeof last_to);
}

// Hellos can be recorded and said again. If they moved the robot's address, whoever recorded one could turn every stop
// away from it.
static void a_repeated_hello_turns_nothing_away_from_the_robot(void **unused)
{
    (void)unused;
    run_ms(2000);
    create_robot(1); // a second boot, so that the recorded hello is not that of the session
    run_ms(3000);
    assert_true(is_connected());
    const uint32_t home_before = sealed_to[HOME.bytes[0]], challenges_before = challenge_to[HOME.bytes[0]];
    for (int i = 0; i < 100; i++) {
        from(STRANGER, first_hello.bytes, first_hello.size);
        step();
    }
    assert_true(challenge_to[HOME.bytes[0]] > challenges_before); // it was a good hello, of him who said it first
    assert_int_equal(challenge_to[STRANGER.bytes[0]], 0);
    assert_int_equal(sealed_to[STRANGER.bytes[0]], 0);
    assert_true(sealed_to[HOME.bytes[0]] >= home_before + 4); // 2 s, a stamp each 500 ms at least
    assert_true(is_connected());
    assert_int_equal(cairn_post_link(post, 0, now).session_count, 2);
}

// A station that has just begun does not know which hellos are old. The challenge to a new one must not go to where an
// old one came from last.
static void old_hellos_do_not_draw_away_the_challenge_to_a_new_one(void **unused)
{
    (void)unused;
    run_ms(500);
    const one_datagram recorded = first_hello;
    (void)finish(NULL);
    (void)start(NULL);
    create_robot(1);
    old_hello = recorded;
    run_ms(2000);
    assert_true(is_connected());
    assert_true(challenge_to[STRANGER.bytes[0]] > 0 && challenge_to[HOME.bytes[0]] > 0);
    assert_int_equal(sealed_to[STRANGER.bytes[0]], 0);
}

// What people are told when two versions meet; it ends when the robot speaks ours, and strangers cannot fake it for
// long.
static void another_version_is_remembered_until_ours_is_heard(void **unused)
{
    (void)unused;
    const uint8_t other[24] = {(CAIRN_LINK_VERSION + 2) << 4, ID}, stranger[24] = {other[0], 99}, none[24] = {0, ID};
    from(HOME, stranger, sizeof stranger);
    from(HOME, none, sizeof none);
    cairn_post_receive(post, now, hear, NULL);
    assert_int_equal(cairn_post_look(post).robots[0].other_version, 0);
    assert_int_equal(cairn_post_look(post).stranger_count, 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cairn_post_look(post).robots[0].other_version, 0);
        from(HOME, other, sizeof other);
        cairn_post_receive(post, now, hear, NULL);
    }
    assert_int_equal(cairn_post_look(post).robots[0].other_version, CAIRN_LINK_VERSION + 2);
    assert_int_equal(cairn_post_link(post, 0, now).verdict_count[CAIRN_LINK_OTHER_VERSION], 3);
    run_ms(2000);
    assert_int_equal(cairn_post_look(post).robots[0].other_version, 0);
    assert_int_equal(cairn_post_look(post).stranger_count, 2);
}

// A robot with newer software says things that this station does not know yet: the rest goes on, and people are told.
static void unknown_messages_are_counted_with_their_id(void **unused)
{
    (void)unused;
    uint8_t bytes[40] = {0xee, 1};
    assert_ok(cairn_link_put(robot, CAIRN_LINK_NODE, bytes, sizeof bytes, now));
    run_ms(2000);
    bytes[0] = 0xef;
    assert_ok(cairn_link_put(robot, CAIRN_LINK_SIGHTING, bytes, sizeof bytes, now));
    run_ms(1000);
    const cairn_post_info info = cairn_post_look(post);
    assert_int_equal(info.robots[0].unknown_count, 2);
    assert_int_equal(info.robots[0].unknown_id, 0xef);
    assert_int_equal(info.refused_count, 2);
    assert_int_equal(cairn_link_info_now(robot, now).streams[CAIRN_LINK_NODE].queued_count, 0); // not sent for ever
}

static void say_node(uint32_t node)
{
    cairn_radio_message message;
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size = 0;
    cairn_radio_clear(CAIRN_MSG_NODE, &message);
    message.node.robot = ID;
    message.node.node = node;
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    assert_ok(cairn_link_put(robot, CAIRN_LINK_NODE, bytes, size, now));
}

static void tickets_reach_every_link(void **unused)
{
    (void)unused;
    run_ms(2000);
    cairn_post_set_ticket(post, 3);
    say_node(1);
    run_ms(1000);
    cairn_post_set_ticket(post, 4);
    say_node(2);
    run_ms(1000);
    assert_int_equal(heard[CAIRN_MSG_NODE], 2);
    assert_int_equal(cairn_link_info_now(robot, now).streams[CAIRN_LINK_NODE].acknowledged_count, 0);
    cairn_post_confirm(post, 3);
    run_ms(1000);
    assert_int_equal(cairn_link_info_now(robot, now).streams[CAIRN_LINK_NODE].acknowledged_count, 1);
    cairn_post_confirm(post, 4);
    run_ms(1000);
    assert_int_equal(cairn_link_info_now(robot, now).streams[CAIRN_LINK_NODE].acknowledged_count, 2);
    assert_int_equal(heard[CAIRN_MSG_NODE], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_robot_is_answered_where_it_was_last_heard, start, finish),
        cmocka_unit_test_setup_teardown(old_hellos_do_not_draw_away_the_challenge_to_a_new_one, start, finish),
        cmocka_unit_test_setup_teardown(a_restarted_robot_at_another_address_is_met_there, start, finish),
        cmocka_unit_test_setup_teardown(a_repeated_hello_turns_nothing_away_from_the_robot, start, finish),
        cmocka_unit_test_setup_teardown(another_version_is_remembered_until_ours_is_heard, start, finish),
        cmocka_unit_test_setup_teardown(unknown_messages_are_counted_with_their_id, start, finish),
        cmocka_unit_test_setup_teardown(tickets_reach_every_link, start_with_held_acks, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
