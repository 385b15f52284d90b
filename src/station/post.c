#include "station/post.h"
#include "link/other_version.h"
#include "link/radio_streams.h"
#include <stdio.h>
#include <string.h>

#define FROM_AIR_BYTES (1u << 20)
#define TO_AIR_BYTES (64u << 10)

// Where the last hellos came from, as many as a link has challenges for: each is challenged at its own place, so that
// who repeats old ones does not draw away the challenge to a new one.
typedef struct hello_places {
    uint32_t count; // ever
    uint64_t names[CAIRN_LINK_CHALLENGES];
    cairn_air_address from[CAIRN_LINK_CHALLENGES];
} hello_places;

struct cairn_post {
    cairn_post_def def;
    cairn_link *links[CAIRN_POST_ROBOTS_MAX];
    cairn_inbox *from_air;
    cairn_inbox *to_air[CAIRN_POST_ROBOTS_MAX];
    uint8_t robot_at_plus_1[256]; // by id; 0: not of this team
    bool brought[CAIRN_POST_ROBOTS_MAX];
    cairn_other_version versions[CAIRN_POST_ROBOTS_MAX];
    cairn_air_address address[CAIRN_POST_ROBOTS_MAX]; // of the last proven datagram
    hello_places hellos[CAIRN_POST_ROBOTS_MAX];
    cairn_post_info info;
    cairn_radio_message message; // room for one
};

static cairn_err create_link(cairn_post *post, uint32_t robot_at, cairn_arena *arena)
{
    const cairn_post_robot *robot = &post->def.robots[robot_at];
    cairn_link_def def = post->def.link;
    def.role = CAIRN_LINK_STATION;
    def.robot = robot->id;
    def.hold_acks = post->def.hold_acks;
    memcpy(def.key, robot->key, sizeof def.key);
    char name[32];
    snprintf(name, sizeof name, "station/link/%u", robot->id);
    cairn_random_init(&def.random, post->def.seed, name);
    return cairn_link_create(&def, arena, &post->links[robot_at]);
}

static cairn_err create_parts(cairn_post *post, cairn_arena *arena)
{
    const size_t max = CAIRN_AIR_BOX_BYTES_MAX;
    cairn_err err = cairn_inbox_create(arena, FROM_AIR_BYTES, max, CAIRN_INBOX_REFUSE, &post->from_air);
    for (uint32_t i = 0; err == CAIRN_OK && i < post->def.robot_count; i++) {
        CAIRN_ASSERT(post->robot_at_plus_1[post->def.robots[i].id] == 0);
        post->robot_at_plus_1[post->def.robots[i].id] = (uint8_t)(i + 1);
        err = create_link(post, i, arena);
        if (err == CAIRN_OK) {
            err = cairn_inbox_create(arena, TO_AIR_BYTES, max, CAIRN_INBOX_DROP_OLDEST, &post->to_air[i]);
        }
    }
    return err;
}

cairn_err cairn_post_create(const cairn_post_def *def, cairn_arena *arena, cairn_post **ret_post)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_POST_ROBOTS_MAX);
    cairn_post *post = CAIRN_TAKE(arena, cairn_post, 1);
    if (post == NULL) { return CAIRN_ERR_FULL; }
    post->def = *def;
    const cairn_err err = create_parts(post, arena);
    if (err != CAIRN_OK) {
        cairn_post_finish(post);
        return err;
    }
    *ret_post = post;
    return CAIRN_OK;
}

void cairn_post_finish(cairn_post *post)
{
    if (post == NULL) { return; }
    cairn_inbox_finish(post->from_air);
    for (uint32_t i = 0; i < post->def.robot_count; i++) { cairn_inbox_finish(post->to_air[i]); }
}

cairn_inbox *cairn_post_from_air(cairn_post *post) { return post->from_air; }

cairn_inbox *cairn_post_to_air(cairn_post *post, uint32_t robot_at)
{
    CAIRN_ASSERT(robot_at < post->def.robot_count);
    return post->to_air[robot_at];
}

// NULL: not one of the last.
static const cairn_air_address *place_of_hello(const hello_places *hellos, uint64_t name)
{
    for (uint32_t i = 0; i < CAIRN_LINK_CHALLENGES; i++) {
        if (hellos->names[i] == name && name != 0) { return &hellos->from[i]; }
    }
    return NULL;
}

// The first to say a hello keeps it: the robot speaks before anybody can repeat it.
static void note_hello(hello_places *hellos, uint64_t name, const cairn_air_address *from)
{
    if (place_of_hello(hellos, name) != NULL) { return; }
    const uint32_t at = hellos->count++ % CAIRN_LINK_CHALLENGES;
    hellos->names[at] = name;
    hellos->from[at] = *from;
}

static void receive_datagram(cairn_post *post, const cairn_air_address *from, const uint8_t *bytes, size_t size_bytes,
                             cairn_mono now)
{
    uint8_t version = 0, robot = 0;
    const bool readable = cairn_link_peek_version(bytes, size_bytes, &version, &robot) == CAIRN_OK;
    if (!readable || post->robot_at_plus_1[robot] == 0) {
        post->info.stranger_count++;
        return;
    }
    const uint32_t robot_at = post->robot_at_plus_1[robot] - 1u;
    const cairn_link_verdict verdict = cairn_link_receive(post->links[robot_at], bytes, size_bytes, now);
    if (verdict == CAIRN_LINK_OTHER_VERSION) {
        post->info.robots[robot_at].other_version = cairn_other_version_hear(&post->versions[robot_at], version, now);
    }
    if (verdict != CAIRN_LINK_ACCEPTED) { return; }
    if (cairn_link_is_unproven(bytes, size_bytes)) {
        note_hello(&post->hellos[robot_at], cairn_link_hello_name(bytes, size_bytes), from);
        return;
    }
    post->address[robot_at] = *from;
    post->info.robots[robot_at].other_version = 0;
    cairn_other_version_end(&post->versions[robot_at], now);
    post->brought[robot_at] = true;
}

static void receive_datagrams(cairn_post *post, cairn_mono now)
{
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    size_t size_bytes = 0;
    cairn_air_address from;
    while (cairn_air_box_take(post->from_air, &from, bytes, &size_bytes) == CAIRN_OK) {
        receive_datagram(post, &from, bytes, size_bytes, now);
    }
}

// Who speaks, by the message's own words; 0: nobody who could be heard here.
static uint8_t speaker_of(const cairn_radio_message *message)
{
    switch (message->id) {
    case CAIRN_MSG_TELEMETRY: return message->telemetry.robot;
    case CAIRN_MSG_VICTIM_SEEN: return message->victim_seen.robot;
    case CAIRN_MSG_NODE: return message->node.robot;
    case CAIRN_MSG_EVENT: return message->event.robot;
    case CAIRN_MSG_TERRAIN_CODE: return message->terrain_code.robot;
    case CAIRN_MSG_TERRAIN_GRID: return message->terrain_grid.robot;
    default: return 0;
    }
}

static void tap(const cairn_post *post, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    if (post->def.tap != NULL) { post->def.tap(post->def.tap_context, robot_at, message, now); }
}

static void take_messages(cairn_post *post, uint32_t robot_at, cairn_mono now, cairn_post_fn hear, void *context)
{
    cairn_link_message taken;
    while (cairn_link_take(post->links[robot_at], now, &taken) == CAIRN_OK) {
        const cairn_err err = cairn_radio_decode(taken.bytes, taken.size, &post->message);
        if (err == CAIRN_ERR_UNSUPPORTED) {
            post->info.robots[robot_at].unknown_count++;
            post->info.robots[robot_at].unknown_id = taken.id;
        }
        if (err != CAIRN_OK || speaker_of(&post->message) != post->def.robots[robot_at].id) {
            post->info.refused_count++;
            continue;
        }
        tap(post, robot_at, &post->message, now);
        hear(context, robot_at, &post->message, now);
    }
}

void cairn_post_receive(cairn_post *post, cairn_mono now, cairn_post_fn hear, void *context)
{
    receive_datagrams(post, now);
    for (uint32_t i = 0; i < post->def.robot_count; i++) {
        if (post->brought[i]) { take_messages(post, i, now, hear, context); }
        post->brought[i] = false;
    }
}

bool cairn_post_send(cairn_post *post, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    CAIRN_ASSERT(robot_at < post->def.robot_count);
    uint8_t bytes[CAIRN_LINK_MESSAGE_BYTES_MAX];
    size_t size_bytes = 0;
    cairn_link_stream stream = CAIRN_LINK_STREAM_COUNT;
    cairn_err err = cairn_link_stream_of(message->id, &stream);
    if (err == CAIRN_OK) { err = cairn_radio_encode(message, bytes, sizeof bytes, &size_bytes); }
    if (err == CAIRN_OK) { err = cairn_link_put(post->links[robot_at], stream, bytes, size_bytes, now); }
    if (err != CAIRN_OK) {
        post->info.unsent_count++;
        return false;
    }
    tap(post, robot_at, message, now);
    return true;
}

typedef struct sending {
    cairn_post *post;
    uint32_t robot_at;
} sending;

static void put_on_air(void *context, const uint8_t *bytes, size_t size)
{
    const sending *s = context;
    static const cairn_air_address nowhere;
    const cairn_air_address *to = &s->post->address[s->robot_at];
    if (cairn_link_is_unproven(bytes, size)) {
        to = place_of_hello(&s->post->hellos[s->robot_at], cairn_link_hello_name(bytes, size));
        if (to == NULL) { to = &nowhere; } // newer ones have pushed it out; its robot says another
    }
    // Full: the oldest went, and the box counts it.
    const cairn_err err = cairn_air_box_put(s->post->to_air[s->robot_at], to, bytes, size);
    CAIRN_ASSERT(err == CAIRN_OK);
}

void cairn_post_flush(cairn_post *post, cairn_mono now)
{
    for (uint32_t i = 0; i < post->def.robot_count; i++) {
        sending s = {post, i};
        cairn_link_step(post->links[i], now, put_on_air, &s);
    }
}

void cairn_post_set_ticket(cairn_post *post, uint64_t ticket)
{
    for (uint32_t i = 0; i < post->def.robot_count; i++) { cairn_link_set_ticket(post->links[i], ticket); }
}

void cairn_post_confirm(cairn_post *post, uint64_t ticket)
{
    for (uint32_t i = 0; i < post->def.robot_count; i++) { cairn_link_confirm(post->links[i], ticket); }
}

cairn_link_info cairn_post_link(const cairn_post *post, uint32_t robot_at, cairn_mono now)
{
    CAIRN_ASSERT(robot_at < post->def.robot_count);
    return cairn_link_info_now(post->links[robot_at], now);
}

cairn_post_info cairn_post_look(const cairn_post *post) { return post->info; }
