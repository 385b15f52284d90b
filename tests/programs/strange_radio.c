// strange_radio.c - one end of a link with the right key that says a message of a kind nobody knows, for
// test_versions.py.
//
// usage: strange_radio robot KEYS NAME HOST:PORT     as this robot, to a station there
//        strange_radio station KEYS NAME HOST:PORT   as the station of this robot, listening there
//
// Says "acknowledged" when the other end has taken it. By this machine's clock.
#include "link/keys_io.h"
#include "ports/udp.h"
#include <stdio.h>
#include <string.h>

#define UNKNOWN_ID 0x7f // docs/messages.md has no such message
#define PATIENCE_NS CAIRN_S(60)

typedef struct strange_end {
    cairn_udp *udp;
    cairn_air_address peer;
} strange_end;

static void on_send(void *context, const uint8_t *bytes, size_t size)
{
    const strange_end *end = context;
    cairn_udp_send(end->udp, &end->peer, bytes, size);
}

static int fail(const char *what, const cairn_complaints *complaints)
{
    (void)fprintf(stderr, "strange_radio: %s\n%s", what, complaints->text);
    return 1;
}

static int talk(strange_end *end, cairn_link *link, cairn_link_stream stream)
{
    const uint8_t message[] = {UNKNOWN_ID, 1, 3, 0, 1, 2, 3}; // id, version, length, as all messages have them
    const cairn_mono until = cairn_mono_add(cairn_mono_now(), PATIENCE_NS);
    if (cairn_link_put(link, stream, message, sizeof message, cairn_mono_now()) != CAIRN_OK) { return 1; }
    for (cairn_mono now = cairn_mono_now(); now.ns < until.ns; now = cairn_mono_now()) {
        uint8_t bytes[CAIRN_LINK_MTU_MAX];
        size_t size = 0;
        cairn_air_address from;
        while (cairn_udp_receive(end->udp, bytes, sizeof bytes, &size, &from) == CAIRN_OK) {
            if (cairn_link_receive(link, bytes, size, now) == CAIRN_LINK_ACCEPTED) { end->peer = from; }
        }
        cairn_link_message taken;
        while (cairn_link_take(link, now, &taken) == CAIRN_OK) {}
        cairn_link_step(link, now, on_send, end);
        if (cairn_link_info_now(link, now).streams[stream].acknowledged_count > 0) {
            puts("acknowledged");
            return 0;
        }
        cairn_mono_sleep_until(cairn_mono_add(now, CAIRN_MS(4)));
    }
    (void)fputs("strange_radio: nobody acknowledges\n", stderr);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 5) { return 2; }
    static cairn_complaints complaints;
    const bool robot = strcmp(argv[1], "robot") == 0;
    cairn_key key;
    cairn_arena memory;
    strange_end end = {0};
    cairn_link *link = NULL;
    if (cairn_keys_read(argv[2], argv[3], &complaints, &key) != CAIRN_OK) { return fail("no key", &complaints); }
    cairn_err err = cairn_udp_open(robot ? ":0" : argv[4], &complaints, &end.udp);
    if (err == CAIRN_OK && robot) { err = cairn_udp_resolve(argv[4], &complaints, &end.peer); }
    cairn_link_def def = cairn_link_def_default();
    def.role = robot ? CAIRN_LINK_ROBOT : CAIRN_LINK_STATION;
    def.robot = key.info.robot;
    memcpy(def.key, key.secret, sizeof def.key);
    cairn_random_init(&def.random, (uint64_t)cairn_mono_now().ns, "strange");
    if (err == CAIRN_OK) { err = cairn_arena_create(&memory, 1u << 20); }
    if (err == CAIRN_OK) { err = cairn_link_create(&def, &memory, &link); }
    if (err != CAIRN_OK) { return fail(cairn_err_name(err), &complaints); }
    const int status = talk(&end, link, robot ? CAIRN_LINK_SIGHTING : CAIRN_LINK_MODE);
    cairn_udp_close(end.udp);
    cairn_arena_destroy(&memory);
    return status;
}
