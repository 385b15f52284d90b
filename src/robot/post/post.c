#include "robot/post/post.h"
#include "link/other_version.h"
#include "link/radio_streams.h"

#define ORDERS_BYTES (32u << 10)
#define REPORTS_BYTES (32u << 10)
#define SURVEY_BYTES (1u << 20) // an hour of nodes and maps, beside what the link itself keeps
#define AIR_BYTES (64u << 10)
#define MAPS_PUT 64                     // terrain maps on their way that are remembered
#define CONTACT_PERIOD_NS CAIRN_MS(200) // nobody plans more often

// A message that the link has no room for waits here, and its box behind it.
typedef struct waiting {
    cairn_inbox *box; // borrowed
    size_t size_bytes;
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
} waiting;

// The terrain maps that the link was given. It acknowledges them in that order.
typedef struct maps_put {
    uint64_t count;           // ever
    uint32_t nodes[MAPS_PUT]; // of the last ones
    uint64_t station_session; // this boot of the station,
    uint64_t count_before;    //   before which so many had been acknowledged
} maps_put;

struct cairn_robot_post {
    cairn_robot_tap_fn tap;
    void *tap_context;
    cairn_robot_post_boxes boxes;
    cairn_link *link;
    cairn_orders orders;
    cairn_inbox *from_air, *to_air;
    waiting reports, survey;
    maps_put maps;
    uint64_t telemetry_version;
    cairn_robot_contact contact;
    cairn_other_version version;
    cairn_robot_post_info info;
    cairn_radio_message message; // room for one
};

cairn_err cairn_robot_post_boxes_create(cairn_arena *arena, cairn_robot_post_boxes *ret_boxes)
{
    cairn_robot_post_boxes boxes = {0};
    const size_t max = CAIRN_RADIO_BYTES_MAX;
    cairn_err err = cairn_inbox_create(arena, ORDERS_BYTES, max, CAIRN_INBOX_DROP_OLDEST, &boxes.orders);
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, REPORTS_BYTES, max, CAIRN_INBOX_DROP_OLDEST, &boxes.reports);
    }
    if (err == CAIRN_OK) { err = cairn_inbox_create(arena, SURVEY_BYTES, max, CAIRN_INBOX_DROP_OLDEST, &boxes.survey); }
    if (err == CAIRN_OK) { err = cairn_cell_create(arena, sizeof(cairn_msg_telemetry), &boxes.telemetry); }
    if (err == CAIRN_OK) { err = cairn_cell_create(arena, sizeof(cairn_robot_contact), &boxes.contact); }
    if (err != CAIRN_OK) {
        cairn_robot_post_boxes_finish(&boxes);
        return err;
    }
    *ret_boxes = boxes;
    return CAIRN_OK;
}

void cairn_robot_post_boxes_finish(cairn_robot_post_boxes *boxes)
{
    cairn_inbox_finish(boxes->orders);
    cairn_inbox_finish(boxes->reports);
    cairn_inbox_finish(boxes->survey);
}

cairn_err cairn_robot_post_create(const cairn_robot_post_def *def, cairn_arena *arena, cairn_robot_post **ret_post)
{
    CAIRN_ASSERT(def->link.role == CAIRN_LINK_ROBOT);
    cairn_robot_post *post = CAIRN_TAKE(arena, cairn_robot_post, 1);
    if (post == NULL) { return CAIRN_ERR_FULL; }
    post->tap = def->tap;
    post->tap_context = def->tap_context;
    post->boxes = def->boxes;
    post->reports.box = def->boxes.reports;
    post->survey.box = def->boxes.survey;
    cairn_orders_init(&post->orders, def->link.robot, &def->reflex, &def->behaviour, &def->orders);
    cairn_err err = cairn_link_create(&def->link, arena, &post->link);
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, AIR_BYTES, CAIRN_LINK_MTU_MAX, CAIRN_INBOX_DROP_OLDEST, &post->from_air);
    }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, AIR_BYTES, CAIRN_LINK_MTU_MAX, CAIRN_INBOX_DROP_OLDEST, &post->to_air);
    }
    if (err != CAIRN_OK) {
        cairn_robot_post_finish(post);
        return err;
    }
    *ret_post = post;
    return CAIRN_OK;
}

void cairn_robot_post_finish(cairn_robot_post *post)
{
    if (post == NULL) { return; }
    cairn_inbox_finish(post->from_air);
    cairn_inbox_finish(post->to_air);
}

cairn_inbox *cairn_robot_post_from_air(cairn_robot_post *post) { return post->from_air; }
cairn_inbox *cairn_robot_post_to_air(cairn_robot_post *post) { return post->to_air; }
const cairn_link *cairn_robot_post_link(const cairn_robot_post *post) { return post->link; }
cairn_robot_post_info cairn_robot_post_look(const cairn_robot_post *post) { return post->info; }

static bool is_for_mind(const cairn_robot_post *post)
{
    const cairn_radio_message *message = &post->message;
    const uint8_t us = post->orders.robot_id;
    return (message->id == CAIRN_MSG_TASK && message->task.robot == us) ||
           (message->id == CAIRN_MSG_AREA && message->area.robot == us) ||
           (message->id == CAIRN_MSG_TEAMMATES && message->teammates.robot == us);
}

static void tell_tap(const cairn_robot_post *post, const uint8_t *bytes, size_t size, cairn_mono now)
{
    if (post->tap != NULL) { post->tap(post->tap_context, bytes, size, now); }
}

// Words about where others were grew older on the way, on a thin link by a second.
static bool pass_on(cairn_robot_post *post, const cairn_link_message *heard)
{
    if (post->message.id != CAIRN_MSG_TEAMMATES || !heard->age_known) {
        return cairn_inbox_put(post->boxes.orders, heard->bytes, heard->size) == CAIRN_OK;
    }
    cairn_msg_teammates *told = &post->message.teammates;
    const int64_t way_ms = heard->age_ns > 0 ? heard->age_ns / CAIRN_MS(1) : 0;
    for (uint32_t i = 0; i < told->age_ms_count; i++) {
        const int64_t age_ms = told->age_ms[i] + way_ms;
        told->age_ms[i] = (uint16_t)(age_ms < UINT16_MAX ? age_ms : UINT16_MAX);
    }
    uint8_t bytes[CAIRN_LINK_LATEST_BYTES_MAX];
    size_t size = 0;
    return cairn_radio_encode(&post->message, bytes, sizeof bytes, &size) == CAIRN_OK &&
           cairn_inbox_put(post->boxes.orders, bytes, size) == CAIRN_OK;
}

// A message of an unknown kind, out of range or for somebody else is dropped and counted.
static void hear(cairn_robot_post *post, const cairn_link_message *heard, cairn_mono now)
{
    const cairn_err err = cairn_radio_decode(heard->bytes, heard->size, &post->message);
    if (err == CAIRN_ERR_UNSUPPORTED) {
        post->info.unknown_count++;
        post->info.unknown_id = heard->id;
    }
    const bool understood = err == CAIRN_OK;
    if (understood && cairn_orders_take(&post->orders, &post->message, now)) { return; }
    const bool passed_on = understood && is_for_mind(post) && pass_on(post, heard);
    if (!passed_on) { post->info.refused_count++; }
}

// A station of another version is met in its header only; when one of ours answers, that is over.
static void note_version(cairn_robot_post *post, cairn_link_verdict verdict, const uint8_t *bytes, size_t size,
                         cairn_mono now)
{
    uint8_t version = 0, robot = 0;
    if (cairn_link_peek_version(bytes, size, &version, &robot) != CAIRN_OK || robot != post->orders.robot_id) {
        return;
    }
    if (verdict == CAIRN_LINK_OTHER_VERSION) {
        post->info.other_version = cairn_other_version_hear(&post->version, version, now);
    }
    if (verdict != CAIRN_LINK_ACCEPTED || cairn_link_is_unproven(bytes, size)) { return; }
    post->info.other_version = 0;
    cairn_other_version_end(&post->version, now);
}

static void receive(cairn_robot_post *post, cairn_mono now)
{
    uint8_t datagram[CAIRN_LINK_MTU_MAX];
    size_t size = 0;
    while (cairn_inbox_take(post->from_air, datagram, sizeof datagram, &size) == CAIRN_OK) {
        const cairn_link_verdict verdict = cairn_link_receive(post->link, datagram, size, now); // it counts its drops
        note_version(post, verdict, datagram, size, now);
    }
    cairn_link_message heard;
    while (cairn_link_take(post->link, now, &heard) == CAIRN_OK) {
        tell_tap(post, heard.bytes, heard.size, now);
        hear(post, &heard, now);
    }
}

static void put_telemetry(cairn_robot_post *post, cairn_mono now)
{
    uint64_t version = 0;
    const cairn_msg_telemetry *telemetry = cairn_cell_latest(post->boxes.telemetry, &version);
    if (telemetry == NULL || version == post->telemetry_version) { return; }
    post->telemetry_version = version;
    post->message = (cairn_radio_message){.id = CAIRN_MSG_TELEMETRY};
    post->message.telemetry = *telemetry;
    uint8_t bytes[CAIRN_LINK_LATEST_BYTES_MAX];
    size_t size = 0;
    if (cairn_radio_encode(&post->message, bytes, sizeof bytes, &size) != CAIRN_OK ||
        cairn_link_put(post->link, CAIRN_LINK_TELEMETRY, bytes, size, now) != CAIRN_OK) {
        post->info.unsent_count++;
        return;
    }
    tell_tap(post, bytes, size, now);
}

static void note_put(cairn_robot_post *post, const uint8_t *bytes, size_t size)
{
    if (bytes[0] != CAIRN_MSG_TERRAIN_GRID || cairn_radio_decode(bytes, size, &post->message) != CAIRN_OK) { return; }
    post->maps.nodes[post->maps.count++ % MAPS_PUT] = post->message.terrain_grid.node;
}

static void put_waiting(cairn_robot_post *post, waiting *from, cairn_mono now)
{
    for (;;) {
        if (from->size_bytes == 0 &&
            cairn_inbox_take(from->box, from->bytes, sizeof from->bytes, &from->size_bytes) != CAIRN_OK) {
            return;
        }
        cairn_link_stream stream;
        cairn_err err = cairn_link_stream_of(from->bytes[0], &stream);
        if (err == CAIRN_OK) { err = cairn_link_put(post->link, stream, from->bytes, from->size_bytes, now); }
        if (err == CAIRN_ERR_FULL) { return; }
        if (err == CAIRN_OK) {
            tell_tap(post, from->bytes, from->size_bytes, now);
            note_put(post, from->bytes, from->size_bytes);
        } else {
            post->info.unsent_count++;
        }
        from->size_bytes = 0;
    }
}

static void send(void *context, const uint8_t *bytes, size_t size)
{
    cairn_robot_post *post = context;
    (void)!cairn_inbox_put(post->to_air, bytes, size); // the oldest go, and are counted there
}

// A station that began anew may not have what another boot of it acknowledged.
static uint32_t acknowledged_node(maps_put *maps, const cairn_link_info *link)
{
    const uint32_t queued = link->streams[CAIRN_LINK_TERRAIN].queued_count;
    const uint64_t acknowledged = maps->count - (queued < maps->count ? queued : maps->count);
    if (link->peer_session != maps->station_session) {
        maps->station_session = link->peer_session;
        maps->count_before = acknowledged;
    }
    const bool is_known = acknowledged > maps->count_before && maps->count - acknowledged < MAPS_PUT;
    return is_known ? maps->nodes[(acknowledged - 1) % MAPS_PUT] : 0;
}

static void tell_contact(cairn_robot_post *post, cairn_mono now)
{
    cairn_robot_contact *contact = &post->contact;
    if (contact->at.ns > 0 && cairn_mono_since(now, contact->at) < CONTACT_PERIOD_NS) { return; }
    const cairn_link_info link = cairn_link_info_now(post->link, now);
    *contact = (cairn_robot_contact){.at = now,
                                     .heard = link.heard,
                                     .silent_ns = link.silent_ns,
                                     .terrain_node = acknowledged_node(&post->maps, &link),
                                     .unsent_count = link.streams[CAIRN_LINK_NODE].queued_count +
                                                     link.streams[CAIRN_LINK_TERRAIN].queued_count +
                                                     cairn_inbox_look(post->boxes.survey).waiting_count};
    cairn_cell_write(post->boxes.contact, contact, sizeof *contact);
}

void cairn_robot_post_step(cairn_robot_post *post, cairn_mono now)
{
    receive(post, now);
    cairn_orders_heed_reflex(&post->orders);
    cairn_orders_tell(&post->orders, now);
    put_telemetry(post, now);
    put_waiting(post, &post->reports, now);
    put_waiting(post, &post->survey, now);
    cairn_link_step(post->link, now, send, post);
    tell_contact(post, now);
}
