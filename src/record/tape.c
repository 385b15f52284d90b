// tape.c - two blocks of messages: callers fill the front one, the writer empties the back one, then they swap.
#include "record/tape.h"
#include "base/lock.h"
#include "messages/codec.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// How often the writer looks. Longer: fewer wake-ups; a crash of this process loses what waits.
#define WRITER_PERIOD_NS CAIRN_MS(50)
// How often it hands over a chunk that is not full yet: what a crash may cost. Shorter chunks compress worse.
#define FLUSH_PERIOD_NS CAIRN_S(1)

typedef struct entry {
    int64_t log_ns, publish_ns;
    uint32_t size;
    uint16_t channel; // 0: a new file begins here
} entry;

typedef struct block {
    uint8_t *bytes;
    size_t used, max;
} block;

typedef struct channel {
    char *topic;
    const cairn_ros_type *type;
} channel;

struct cairn_tape {
    cairn_tape_def def;
    cairn_rotation *files;        // the writer's
    uint16_t files_channel_count; // likewise: channels that the files have
    block back;                   // likewise
    pthread_t writer;
    bool running; // the writer is

    cairn_lock lock; // of all that follows
    block front;
    channel *channels; // CAIRN_JOURNAL_CHANNELS_MAX of them; id = place + 1
    uint16_t channel_count;
    bool ending, turn_is_due, turning; // turning: is in the queue
    cairn_tape_info info;
};

static size_t padded(size_t size) { return (size + 7) & ~(size_t)7; }

// Room for so many more bytes at the end of the front block; NULL when there is none.
static uint8_t *reserve(cairn_tape *tape, size_t more)
{
    block *front = &tape->front;
    if (more > tape->def.queue_bytes_max - front->used) { return NULL; }
    if (front->used + more > front->max) {
        size_t max = front->max == 0 ? 64 << 10 : front->max;
        while (max < front->used + more) { max *= 2; }
        uint8_t *grown = realloc(front->bytes, max);
        if (grown == NULL) { return NULL; }
        front->bytes = grown;
        front->max = max;
    }
    return front->bytes + front->used;
}

// Channels that callers have made since the last time. Their list may grow meanwhile; its entries stay.
static void add_channels(cairn_tape *tape, uint16_t up_to)
{
    const bool alone = tape->def.synchronous; // the caller has the lock
    for (; tape->files_channel_count < up_to; tape->files_channel_count++) {
        if (!alone) { cairn_lock_take(&tape->lock); }
        const channel one = tape->channels[tape->files_channel_count];
        if (!alone) { cairn_lock_give(&tape->lock); }
        (void)!cairn_rotation_add_type(tape->files, one.topic, one.type); // its trouble is in the rotation's info
    }
}

// Writes a block out; returns the time of its last message, or the time given.
static int64_t empty(cairn_tape *tape, block *full, int64_t now_ns)
{
    for (size_t at = 0; at < full->used;) {
        entry head;
        memcpy(&head, full->bytes + at, sizeof head);
        const uint8_t *bytes = full->bytes + at + sizeof head;
        if (head.channel == 0) {
            (void)!cairn_rotation_turn(tape->files, head.log_ns);
        } else {
            add_channels(tape, head.channel);
            (void)!cairn_rotation_write(tape->files, head.channel, head.log_ns, head.publish_ns, bytes, head.size);
        }
        now_ns = head.log_ns;
        at += sizeof head + padded(head.size);
    }
    full->used = 0;
    return now_ns;
}

// What callers may know of the files.
static void report(cairn_tape *tape, int64_t now_ns, bool turned)
{
    tape->turning = tape->turning && !turned;
    tape->turn_is_due = tape->def.files.owner_turns && !tape->turning && cairn_rotation_is_due(tape->files, now_ns);
    cairn_rotation_look(tape->files, &tape->info.files);
}

static void *write_on(void *context)
{
    cairn_tape *tape = context;
    cairn_mono flushed = cairn_mono_now();
    int64_t now_ns = 0;
    for (bool ending = false; !ending;) {
        cairn_lock_take(&tape->lock);
        const block full = tape->front;
        tape->front = tape->back;
        tape->back = full;
        ending = tape->ending;
        const bool turning = tape->turning;
        cairn_lock_give(&tape->lock);
        now_ns = empty(tape, &tape->back, now_ns);
        const cairn_mono now = cairn_mono_now();
        if (cairn_mono_since(now, flushed) >= FLUSH_PERIOD_NS) {
            (void)!cairn_rotation_flush(tape->files);
            flushed = now;
        }
        cairn_lock_take(&tape->lock);
        report(tape, now_ns, turning);
        cairn_lock_give(&tape->lock);
        if (!ending) { cairn_mono_sleep_until(cairn_mono_add(now, WRITER_PERIOD_NS)); }
    }
    return NULL;
}

// A synchronous tape empties its queue at once. Under the lock.
static void write_now(cairn_tape *tape, int64_t now_ns)
{
    if (!tape->def.synchronous) { return; }
    (void)empty(tape, &tape->front, now_ns);
    report(tape, now_ns, true);
}

cairn_err cairn_tape_create(const cairn_tape_def *def, cairn_complaints *complaints, cairn_tape **ret_tape)
{
    CAIRN_ASSERT(def->queue_bytes_max > 0);
    cairn_tape *tape = calloc(1, sizeof *tape);
    if (tape == NULL || cairn_lock_init(&tape->lock) != CAIRN_OK) {
        free(tape);
        return CAIRN_ERR_FULL;
    }
    tape->def = *def;
    tape->channels = calloc(CAIRN_JOURNAL_CHANNELS_MAX, sizeof *tape->channels);
    cairn_err err =
        tape->channels == NULL ? CAIRN_ERR_FULL : cairn_rotation_create(&def->files, complaints, &tape->files);
    if (err == CAIRN_OK) {
        cairn_rotation_look(tape->files, &tape->info.files);
        tape->turn_is_due = def->files.owner_turns && cairn_rotation_is_due(tape->files, 0);
    }
    if (err == CAIRN_OK && !def->synchronous) {
        tape->running = pthread_create(&tape->writer, NULL, write_on, tape) == 0;
        if (!tape->running) { err = CAIRN_ERR_FULL; }
    }
    if (err != CAIRN_OK) {
        cairn_tape_destroy(tape);
        return err;
    }
    *ret_tape = tape;
    return CAIRN_OK;
}

static void stop_writer(cairn_tape *tape)
{
    if (!tape->running) { return; }
    cairn_lock_take(&tape->lock);
    tape->ending = true;
    cairn_lock_give(&tape->lock);
    (void)pthread_join(tape->writer, NULL);
    tape->running = false;
}

void cairn_tape_destroy(cairn_tape *tape)
{
    if (tape == NULL) { return; }
    stop_writer(tape);
    cairn_rotation_destroy(tape->files);
    for (uint16_t i = 0; tape->channels != NULL && i < tape->channel_count; i++) { free(tape->channels[i].topic); }
    free(tape->channels);
    free(tape->front.bytes);
    free(tape->back.bytes);
    cairn_lock_finish(&tape->lock);
    free(tape);
}

uint16_t cairn_tape_add_type(cairn_tape *tape, const char *topic, const cairn_ros_type *type)
{
    char *copy = strdup(topic);
    uint16_t made = 0;
    cairn_lock_take(&tape->lock);
    if (copy != NULL && tape->channel_count < CAIRN_JOURNAL_CHANNELS_MAX) {
        tape->channels[tape->channel_count++] = (channel){copy, type};
        made = tape->channel_count;
    }
    cairn_lock_give(&tape->lock);
    if (made == 0) { free(copy); }
    return made;
}

// Under the lock.
static bool put(cairn_tape *tape, uint16_t channel_id, cairn_mono now, cairn_mono taken, const void *message)
{
    CAIRN_ASSERT(channel_id >= 1 && channel_id <= tape->channel_count && !tape->ending);
    const cairn_ros_type *type = tape->channels[channel_id - 1].type;
    const size_t size = cairn_cdr_size(type, message);
    uint8_t *at = size <= UINT32_MAX ? reserve(tape, sizeof(entry) + padded(size)) : NULL;
    if (at == NULL) { return false; }
    entry head = {.log_ns = now.ns, .publish_ns = taken.ns, .size = (uint32_t)size, .channel = channel_id};
    size_t written = 0;
    if (cairn_cdr_encode(type, message, at + sizeof head, size, &written) != CAIRN_OK) { return false; }
    memcpy(at, &head, sizeof head);
    tape->front.used += sizeof head + padded(size);
    return true;
}

void cairn_tape_write(cairn_tape *tape, uint16_t channel_id, cairn_mono now, cairn_mono taken, const void *message)
{
    cairn_lock_take(&tape->lock);
    if (put(tape, channel_id, now, taken, message)) {
        write_now(tape, now.ns);
    } else {
        tape->info.dropped_count++;
    }
    cairn_lock_give(&tape->lock);
}

bool cairn_tape_turn_is_due(cairn_tape *tape)
{
    cairn_lock_take(&tape->lock);
    const bool due = tape->turn_is_due;
    cairn_lock_give(&tape->lock);
    return due;
}

bool cairn_tape_turn(cairn_tape *tape, cairn_mono now, size_t head_bytes)
{
    CAIRN_ASSERT(tape->def.files.path == NULL);
    cairn_lock_take(&tape->lock);
    const entry head = {.log_ns = now.ns, .publish_ns = now.ns};
    uint8_t *at = reserve(tape, sizeof head + head_bytes);
    if (at != NULL) {
        memcpy(at, &head, sizeof head);
        tape->front.used += sizeof head;
        tape->turning = true;
        tape->turn_is_due = false;
        write_now(tape, now.ns);
    }
    cairn_lock_give(&tape->lock);
    return at != NULL;
}

cairn_tape_info cairn_tape_look(cairn_tape *tape)
{
    cairn_lock_take(&tape->lock);
    const cairn_tape_info info = tape->info;
    cairn_lock_give(&tape->lock);
    return info;
}

cairn_err cairn_tape_finish(cairn_tape *tape)
{
    stop_writer(tape);
    const cairn_err err = cairn_rotation_finish(tape->files);
    cairn_rotation_look(tape->files, &tape->info.files);
    return err;
}
