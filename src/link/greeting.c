// greeting.c - how two boots meet: hello, challenge, answer.
//
//   robot  -> station   hello      robot's session and a fresh nonce
//   station -> robot    challenge  the same, the station's session and a fresh nonce
//   robot  -> station   answer     the same four numbers; the station begins the session, the robot with the first
//                                  sealed packet that it then gets
//
// All three carry a tag under the robot's key. An old hello only provokes a challenge that nobody answers; an old
// challenge does not have the robot's nonce; an old answer does not have the station's. In silence the robot says hello
// too: when the station is the boot that it knows, the challenge proves that it lives, and the session goes on.
// Greetings have a small budget of their own (link.c), and the station remembers the hellos that it has heard: recorded
// ones in any number take nothing from sealed packets, and are refused once no robot can have meant them.
#include "link/link_parts.h"
#include <string.h>

#define HELLO_PERIOD_NS CAIRN_MS(400)  // shorter joins sooner on a bad link and costs more bytes
#define ANSWER_PERIOD_NS CAIRN_MS(200) // likewise
#define NONCE_LIFE_NS CAIRN_S(4)       // longer than any round trip; an attempt is given up after it

static bool same_names(const cairn_seal_names *a, const cairn_seal_names *b)
{
    return a->robot_session == b->robot_session && a->station_session == b->station_session &&
           a->robot_nonce == b->robot_nonce && a->station_nonce == b->station_nonce;
}

static void send_greeting(cairn_link *link, cairn_packet_kind kind, const cairn_seal_names *names)
{
    uint8_t bytes[CAIRN_LINK_GREETING_BYTES];
    cairn_link_header(link, kind, 0, link->root.fingerprint, bytes);
    cairn_put_le(bytes + 8, names->robot_session, 8);
    cairn_put_le(bytes + 16, names->station_session, 8);
    cairn_put_le(bytes + CAIRN_LINK_ROBOT_NONCE_AT, names->robot_nonce, 8);
    cairn_put_le(bytes + 32, names->station_nonce, 8);
    cairn_seal_greeting_tag(&link->root, bytes, 40, bytes + 40);
    cairn_link_emit_greeting(link, bytes);
}

static void begin_session(cairn_link *link, const cairn_seal_names *names, bool confirmed, cairn_mono now)
{
    const uint64_t peer = link->def.role == CAIRN_LINK_ROBOT ? names->station_session : names->robot_session;
    if (peer != link->info.peer_session) {
        cairn_streams_new_peer(link);
        link->clock = (cairn_clock_bounds){.jump_count = link->clock.jump_count};
        link->has_round_trip = false;
    }
    cairn_streams_new_session(link);
    link->names = *names;
    link->in_session = true;
    link->confirmed = confirmed;
    link->session_at = link->arrived_at = now;
    link->info.peer_session = peer;
    link->info.session_count++;
    link->window = (cairn_replay_window){0};
    link->stamp_wanted = link->loss_started = false;
    cairn_seal_session_init(&link->session, &link->root, names, link->def.role);
}

static cairn_link_verdict robot_challenged(cairn_link *link, const cairn_seal_names *names, cairn_mono now)
{
    if (names->robot_session != link->own_session) { return CAIRN_LINK_OTHER_SESSION; }
    if (link->hello_nonce == 0 || names->robot_nonce != link->hello_nonce) { return CAIRN_LINK_REPLAYED; }
    if (link->in_session && link->confirmed && names->station_session == link->names.station_session) {
        link->hello_nonce = 0; // the boot that we know is alive
    } else {
        // The same challenge again needs no other answer: answers are repeated by themselves until one is heard.
        const bool is_new = !link->in_session || !same_names(names, &link->names);
        if (is_new) { begin_session(link, names, false, now); }
        link->answer_due |= is_new;
    }
    cairn_link_heard(link, now);
    return CAIRN_LINK_ACCEPTED;
}

static cairn_link_verdict station_hello(cairn_link *link, const cairn_seal_names *names, cairn_mono now)
{
    if (link->in_session && names->robot_session == link->names.robot_session &&
        names->robot_nonce == link->names.robot_nonce) {
        return CAIRN_LINK_REPLAYED;
    }
    // The robot that made this nonce has given it up: only someone who recorded the hello can say it now.
    const int64_t age_ns = cairn_nonce_memory_age_ns(&link->hellos, names->robot_nonce, now);
    if (age_ns > 2 * NONCE_LIFE_NS) { return CAIRN_LINK_REPLAYED; }
    for (int i = 0; i < CAIRN_LINK_CHALLENGES; i++) {
        cairn_challenge *pending = &link->challenges[i];
        if (pending->given && pending->names.robot_session == names->robot_session &&
            pending->names.robot_nonce == names->robot_nonce) {
            pending->due = true;
            return CAIRN_LINK_ACCEPTED;
        }
    }
    // Replayed hellos can push each other out, and at worst delay a greeting; never a session.
    cairn_challenge *place = &link->challenges[link->challenge_next++ % CAIRN_LINK_CHALLENGES];
    *place = (cairn_challenge){.given = true, .due = true, .at = now, .names = *names};
    place->names.station_session = link->own_session;
    place->names.station_nonce = cairn_seal_fresh(&link->root, &link->def.random);
    return CAIRN_LINK_ACCEPTED;
}

static cairn_link_verdict station_answered(cairn_link *link, const cairn_seal_names *names, cairn_mono now)
{
    if (names->station_session != link->own_session) { return CAIRN_LINK_OTHER_SESSION; }
    if (link->in_session && same_names(names, &link->names)) {
        // The robot has not heard us yet; but who repeats an answer does not set our pace.
        const bool paced = link->sent_any && cairn_mono_since(now, link->sent_at) < ANSWER_PERIOD_NS / 2;
        link->send_now |= !link->window.any && !paced;
        return CAIRN_LINK_REPLAYED;
    }
    for (int i = 0; i < CAIRN_LINK_CHALLENGES; i++) {
        cairn_challenge *pending = &link->challenges[i];
        if (!pending->given || !same_names(&pending->names, names)) { continue; }
        pending->given = pending->due = false;
        begin_session(link, names, true, now);
        cairn_link_heard(link, now);
        link->send_now = true;
        return CAIRN_LINK_ACCEPTED;
    }
    return CAIRN_LINK_REPLAYED;
}

cairn_link_verdict cairn_greeting_receive(cairn_link *link, const uint8_t *bytes, size_t size, cairn_mono now)
{
    const cairn_packet_kind kind = (cairn_packet_kind)(bytes[0] & 15);
    const bool for_us = link->def.role == CAIRN_LINK_ROBOT ? kind == CAIRN_PACKET_CHALLENGE
                                                           : kind == CAIRN_PACKET_HELLO || kind == CAIRN_PACKET_ANSWER;
    if (!for_us || size != CAIRN_LINK_GREETING_BYTES) { return CAIRN_LINK_MALFORMED; }
    if (cairn_get_le(bytes + 4, 4) != link->root.fingerprint) { return CAIRN_LINK_WRONG_KEY; }
    uint8_t tag[CAIRN_LINK_SEAL_BYTES];
    cairn_seal_greeting_tag(&link->root, bytes, 40, tag);
    if (!cairn_seal_same(tag, bytes + 40)) { return CAIRN_LINK_ALTERED; }
    const cairn_seal_names names = {cairn_get_le(bytes + 8, 8), cairn_get_le(bytes + 16, 8),
                                    cairn_get_le(bytes + CAIRN_LINK_ROBOT_NONCE_AT, 8), cairn_get_le(bytes + 32, 8)};
    if (kind == CAIRN_PACKET_CHALLENGE) { return robot_challenged(link, &names, now); }
    return kind == CAIRN_PACKET_HELLO ? station_hello(link, &names, now) : station_answered(link, &names, now);
}

static void robot_hello(cairn_link *link, cairn_mono now)
{
    const bool wanted = !link->in_session || (link->confirmed && cairn_link_is_silent(link, now));
    if (!wanted || (link->hello_sent && cairn_mono_since(now, link->hello_at) < HELLO_PERIOD_NS)) { return; }
    if (!cairn_link_may_greet(link)) { return; }
    if (link->hello_nonce == 0 || cairn_mono_since(now, link->hello_nonce_at) > NONCE_LIFE_NS) {
        link->hello_nonce = cairn_seal_fresh(&link->root, &link->def.random);
        link->hello_nonce_at = now;
    }
    link->hello_sent = true;
    link->hello_at = now;
    const cairn_seal_names names = {.robot_session = link->own_session, .robot_nonce = link->hello_nonce};
    send_greeting(link, CAIRN_PACKET_HELLO, &names);
}

static void robot_answer(cairn_link *link, cairn_mono now)
{
    if (!link->in_session || link->confirmed) { return; }
    if (cairn_mono_since(now, link->session_at) > NONCE_LIFE_NS) {
        link->in_session = link->answer_due = false;
        link->hello_nonce = 0;
        return;
    }
    const bool again = cairn_mono_since(now, link->answer_at) >= ANSWER_PERIOD_NS;
    if (!(link->answer_due || again) || !cairn_link_may_greet(link)) { return; }
    link->answer_due = false;
    link->answer_at = now;
    send_greeting(link, CAIRN_PACKET_ANSWER, &link->names);
}

// The one that was said least: who says one hello a hundred times does not keep others waiting. NULL: none is due.
static cairn_challenge *next_challenge(cairn_link *link, cairn_mono now)
{
    cairn_challenge *next = NULL;
    for (int i = 0; i < CAIRN_LINK_CHALLENGES; i++) {
        cairn_challenge *pending = &link->challenges[i];
        if (pending->given && cairn_mono_since(now, pending->at) > 2 * NONCE_LIFE_NS) {
            pending->given = pending->due = false;
        }
        if (pending->due && (next == NULL || pending->sent_count < next->sent_count)) { next = pending; }
    }
    return next;
}

static void station_challenge(cairn_link *link, cairn_mono now)
{
    for (int i = 0; i < CAIRN_LINK_CHALLENGES; i++) {
        cairn_challenge *pending = next_challenge(link, now);
        if (pending == NULL || !cairn_link_may_greet(link)) { return; }
        pending->due = false;
        pending->sent_count++;
        send_greeting(link, CAIRN_PACKET_CHALLENGE, &pending->names);
    }
}

void cairn_greeting_step(cairn_link *link, cairn_mono now)
{
    if (link->def.role == CAIRN_LINK_ROBOT) {
        robot_answer(link, now);
        robot_hello(link, now);
    } else {
        station_challenge(link, now);
    }
}
