// streams.c - the table of streams, putting and taking.
#include "link/link_parts.h"
#include <string.h>

// Queues hold what a robot says in 20 s of silence: a node and a terrain map of 26 pieces each 1.25 s.
const cairn_stream_rule cairn_stream_rules[CAIRN_LINK_STREAM_COUNT] = {
    [CAIRN_LINK_STOP] = {"stop", true, true, true, false, 16, 16, 64},
    [CAIRN_LINK_MODE] = {"mode", true, true, true, false, 16, 16, 64},
    [CAIRN_LINK_TELEOPERATION] = {"teleoperation", .bytes_max = CAIRN_LINK_LATEST_BYTES_MAX},
    [CAIRN_LINK_TELEMETRY] = {"telemetry", .bytes_max = CAIRN_LINK_LATEST_BYTES_MAX},
    [CAIRN_LINK_TASK] = {"task", true, true, false, true, 64, 16, 1024},
    [CAIRN_LINK_SIGHTING] = {"sighting", true, false, false, true, 64, 32, 2048},
    [CAIRN_LINK_STATE] = {"state", .bulk = true, .bytes_max = CAIRN_LINK_LATEST_BYTES_MAX},
    [CAIRN_LINK_NODE] = {"node", true, false, false, true, 128, 64, 1024},
    [CAIRN_LINK_TERRAIN] = {"terrain", true, false, false, true, 1024, 64, CAIRN_LINK_MESSAGE_BYTES_MAX},
};

const char *cairn_link_stream_name(cairn_link_stream stream)
{
    CAIRN_ASSERT((unsigned)stream < CAIRN_LINK_STREAM_COUNT);
    return cairn_stream_rules[stream].name;
}

bool cairn_link_stream_acknowledged(cairn_link_stream stream)
{
    CAIRN_ASSERT((unsigned)stream < CAIRN_LINK_STREAM_COUNT);
    return cairn_stream_rules[stream].acknowledged;
}

static cairn_err create_ends(cairn_stream_ends *ends, cairn_link_stream stream, cairn_arena *arena)
{
    const cairn_stream_rule *rule = &cairn_stream_rules[stream];
    if (rule->acknowledged) {
        const cairn_err err = cairn_sender_init(&ends->sender, rule->queue, rule->window, arena);
        return err != CAIRN_OK ? err : cairn_receiver_init(&ends->receiver, rule->window, rule->in_order, arena);
    }
    ends->kinds = stream == CAIRN_LINK_STATE           ? CAIRN_LINK_STATE_KINDS
                  : stream == CAIRN_LINK_TELEOPERATION ? CAIRN_LINK_TELEOPERATION_KINDS
                                                       : 1;
    ends->out = CAIRN_TAKE(arena, cairn_latest, ends->kinds);
    ends->in = CAIRN_TAKE(arena, cairn_latest, ends->kinds);
    return ends->out == NULL || ends->in == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
}

cairn_err cairn_streams_create(cairn_link *link, cairn_arena *arena)
{
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        const cairn_err err = create_ends(&link->streams[i], (cairn_link_stream)i, arena);
        if (err != CAIRN_OK) { return err; }
        link->streams[i].receiver.hold = link->def.hold_acks;
    }
    return CAIRN_OK;
}

void cairn_streams_new_session(cairn_link *link)
{
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        for (uint32_t k = 0; k < link->streams[i].kinds; k++) { link->streams[i].in[k].used = false; }
    }
}

void cairn_streams_new_peer(cairn_link *link)
{
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        cairn_stream_ends *ends = &link->streams[i];
        ends->ack_wanted = false;
        for (uint32_t k = 0; k < ends->kinds; k++) { ends->in[k].full = false; }
        if (cairn_stream_rules[i].acknowledged) {
            cairn_sender_renumber(&ends->sender);
            cairn_receiver_reset(&ends->receiver);
        }
    }
}

// The place for a message of this id: its own, or a free one; NULL when all are taken by others.
static cairn_latest *latest_for(cairn_latest *all, uint32_t kinds, uint8_t id)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (kinds == 1 || (all[k].size != 0 && all[k].id == id)) { return &all[k]; }
    }
    for (uint32_t k = 0; k < kinds; k++) {
        if (all[k].size == 0) { return &all[k]; }
    }
    return NULL;
}

static cairn_err put_latest(cairn_link *link, cairn_link_stream stream, const uint8_t *bytes, size_t size,
                            cairn_mono now)
{
    cairn_stream_ends *ends = &link->streams[stream];
    cairn_latest *latest = latest_for(ends->out, ends->kinds, bytes[0]);
    if (latest == NULL) { return CAIRN_ERR_FULL; }
    link->info.streams[stream].replaced_count += latest->full;
    latest->full = true;
    latest->id = bytes[0];
    latest->size = (uint16_t)size;
    latest->put_ns = now.ns;
    memcpy(latest->bytes, bytes, size);
    return CAIRN_OK;
}

cairn_err cairn_link_put(cairn_link *link, cairn_link_stream stream, const uint8_t *bytes, size_t size, cairn_mono now)
{
    CAIRN_ASSERT((unsigned)stream < CAIRN_LINK_STREAM_COUNT);
    CAIRN_ASSERT(size > 0);
    const cairn_stream_rule *rule = &cairn_stream_rules[stream];
    if (size > rule->bytes_max) { return CAIRN_ERR_TOO_LARGE; }
    cairn_link_stream_info *info = &link->info.streams[stream];
    const cairn_err err = rule->acknowledged ? cairn_sender_put(&link->streams[stream].sender, bytes, size, now)
                                             : put_latest(link, stream, bytes, size, now);
    if (err != CAIRN_OK) {
        info->refused_count++;
        return err;
    }
    info->put_count++;
    info->put_bytes += size;
    return CAIRN_OK;
}

void cairn_streams_arrived(cairn_link *link, cairn_link_stream stream, const cairn_latest *message)
{
    cairn_stream_ends *ends = &link->streams[stream];
    cairn_link_stream_info *info = &link->info.streams[stream];
    cairn_latest *latest = latest_for(ends->in, ends->kinds, message->id);
    if (latest == NULL || (latest->used && message->counter <= latest->counter)) {
        info->outdated_count++;
        return;
    }
    info->outdated_count += latest->full; // nobody took the one before
    *latest = *message;
    info->arrived_count++;
    latest->full = latest->used = true;
}

// Age by the peer's put time. Fresh: even at the far end of the clock's uncertainty the message is young enough.
static bool measure_age(const cairn_link *link, int64_t put_ns, cairn_mono now, cairn_link_message *message)
{
    int64_t low_ns = 0, high_ns = 0;
    if (!cairn_clock_bounds_at(&link->clock, now, link->def.drift_ppm, &low_ns, &high_ns)) { return false; }
    message->age_ns = now.ns + low_ns + (high_ns - low_ns) / 2 - put_ns;
    message->uncertainty_ns = (high_ns - low_ns + 1) / 2;
    message->age_known = cairn_link_clock_now(link, now).synchronised;
    return message->age_ns + message->uncertainty_ns <= link->def.fresh_ns;
}

static bool take_latest(cairn_link *link, cairn_link_stream stream, cairn_mono now, cairn_link_message *message)
{
    cairn_stream_ends *ends = &link->streams[stream];
    for (uint32_t k = 0; k < ends->kinds; k++) {
        cairn_latest *latest = &ends->in[k];
        if (!latest->full) { continue; }
        latest->full = false;
        const bool fresh = measure_age(link, latest->put_ns, now, message);
        if (stream == CAIRN_LINK_TELEOPERATION && !fresh) {
            link->info.streams[stream].outdated_count++;
            continue;
        }
        message->size = latest->size;
        memcpy(link->whole, latest->bytes, latest->size);
        return true;
    }
    return false;
}

static bool take_whole(cairn_link *link, cairn_link_stream stream, cairn_mono now, cairn_link_message *message)
{
    cairn_stream_ends *ends = &link->streams[stream];
    int64_t put_ns = 0;
    if (cairn_receiver_take(&ends->receiver, link->whole, &message->size, &put_ns) != CAIRN_OK) { return false; }
    (void)measure_age(link, put_ns, now, message);
    const bool urgent = cairn_stream_rules[stream].together;
    if (!ends->ack_wanted || urgent) { ends->ack_due = cairn_mono_add(now, urgent ? 0 : link->def.ack_delay_ns); }
    ends->ack_wanted = true;
    return true;
}

cairn_err cairn_link_take(cairn_link *link, cairn_mono now, cairn_link_message *ret_message)
{
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        const cairn_link_stream stream = (cairn_link_stream)i;
        cairn_link_message message = {.stream = stream, .bytes = link->whole};
        const bool got = cairn_stream_rules[i].acknowledged ? take_whole(link, stream, now, &message)
                                                            : take_latest(link, stream, now, &message);
        if (!got) { continue; }
        cairn_link_stream_info *info = &link->info.streams[i];
        message.id = message.bytes[0];
        info->delivered_count++;
        info->delivered_bytes += message.size;
        if (message.age_known && message.age_ns > info->age_ns_max) { info->age_ns_max = message.age_ns; }
        *ret_message = message;
        return CAIRN_OK;
    }
    return CAIRN_ERR_EMPTY;
}

void cairn_link_set_ticket(cairn_link *link, uint64_t ticket)
{
    CAIRN_ASSERT(ticket >= link->ticket);
    link->ticket = ticket;
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) { link->streams[i].receiver.ticket = ticket; }
}

void cairn_link_confirm(cairn_link *link, uint64_t ticket)
{
    for (int i = 0; i < CAIRN_LINK_STREAM_COUNT; i++) {
        cairn_stream_ends *ends = &link->streams[i];
        if (!cairn_stream_rules[i].acknowledged || !cairn_receiver_confirm(&ends->receiver, ticket)) { continue; }
        ends->ack_wanted = true;
        ends->ack_due = (cairn_mono){INT64_MIN}; // it has waited long enough
    }
}
