// inbox.c - a ring of bytes that holds records: a length (4 bytes), then the message. A record may wrap around
// the end of the ring.
#include "base/inbox.h"
#include "base/lock.h"
#include <string.h>

#define PREFIX_BYTES sizeof(uint32_t)

struct cairn_inbox {
    cairn_lock lock;
    cairn_inbox_rule rule;
    size_t message_bytes_max;
    size_t start; // of the oldest record
    cairn_inbox_info info;
    uint8_t ring[]; // info.capacity_bytes
};

cairn_err cairn_inbox_create(cairn_arena *arena, size_t capacity_bytes, size_t message_bytes_max, cairn_inbox_rule rule,
                             cairn_inbox **ret_inbox)
{
    CAIRN_ASSERT(arena && ret_inbox);
    CAIRN_ASSERT(rule == CAIRN_INBOX_REFUSE || rule == CAIRN_INBOX_DROP_OLDEST);
    CAIRN_ASSERT(message_bytes_max <= UINT32_MAX && capacity_bytes >= message_bytes_max + PREFIX_BYTES);
    if (capacity_bytes > SIZE_MAX - sizeof(cairn_inbox)) { return CAIRN_ERR_FULL; }
    const size_t mark = cairn_arena_mark(arena);
    cairn_inbox *const inbox = cairn_arena_take(arena, 1, sizeof *inbox + capacity_bytes);
    if (!inbox) { return CAIRN_ERR_FULL; }
    if (cairn_lock_init(&inbox->lock) != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    inbox->rule = rule;
    inbox->message_bytes_max = message_bytes_max;
    inbox->info.capacity_bytes = capacity_bytes;
    *ret_inbox = inbox;
    return CAIRN_OK;
}

void cairn_inbox_finish(cairn_inbox *inbox)
{
    if (!inbox) { return; }
    cairn_lock_finish(&inbox->lock);
}

// at counts from the start of the oldest record.
static void copy_in(cairn_inbox *inbox, size_t at, const void *bytes, size_t count)
{
    const size_t capacity = inbox->info.capacity_bytes;
    const size_t begin = (inbox->start + at) % capacity;
    const size_t before_end = count < capacity - begin ? count : capacity - begin;
    if (count == 0) { return; }
    memcpy(inbox->ring + begin, bytes, before_end);
    memcpy(inbox->ring, (const uint8_t *)bytes + before_end, count - before_end);
}

static void copy_out(const cairn_inbox *inbox, size_t at, void *ret_bytes, size_t count)
{
    const size_t capacity = inbox->info.capacity_bytes;
    const size_t begin = (inbox->start + at) % capacity;
    const size_t before_end = count < capacity - begin ? count : capacity - begin;
    if (count == 0) { return; }
    memcpy(ret_bytes, inbox->ring + begin, before_end);
    memcpy((uint8_t *)ret_bytes + before_end, inbox->ring, count - before_end);
}

static uint32_t oldest_bytes(const cairn_inbox *inbox)
{
    CAIRN_ASSERT(inbox->info.waiting_count > 0);
    uint32_t size_bytes;
    copy_out(inbox, 0, &size_bytes, PREFIX_BYTES);
    CAIRN_ASSERT(size_bytes <= inbox->message_bytes_max);
    return size_bytes;
}

static void forget_oldest(cairn_inbox *inbox)
{
    const size_t record_bytes = PREFIX_BYTES + oldest_bytes(inbox);
    CAIRN_ASSERT(record_bytes <= inbox->info.waiting_bytes);
    inbox->start = (inbox->start + record_bytes) % inbox->info.capacity_bytes;
    inbox->info.waiting_bytes -= record_bytes;
    inbox->info.waiting_count--;
}

// Whether the record fits, after dropping what the rule allows.
static bool make_room(cairn_inbox *inbox, size_t record_bytes)
{
    while (record_bytes > inbox->info.capacity_bytes - inbox->info.waiting_bytes) {
        if (inbox->rule == CAIRN_INBOX_REFUSE) { return false; }
        forget_oldest(inbox);
        inbox->info.dropped_count++;
    }
    return true;
}

static void append(cairn_inbox *inbox, const void *message, uint32_t size_bytes)
{
    cairn_inbox_info *const info = &inbox->info;
    copy_in(inbox, info->waiting_bytes, &size_bytes, PREFIX_BYTES);
    copy_in(inbox, info->waiting_bytes + PREFIX_BYTES, message, size_bytes);
    info->waiting_bytes += PREFIX_BYTES + size_bytes;
    info->waiting_count++;
    if (info->waiting_count > info->waiting_count_max) { info->waiting_count_max = info->waiting_count; }
    info->put_count++;
}

cairn_err cairn_inbox_put(cairn_inbox *inbox, const void *message, size_t size_bytes)
{
    CAIRN_ASSERT(inbox && (message || size_bytes == 0));
    cairn_err err = CAIRN_OK;
    cairn_lock_take(&inbox->lock);
    if (size_bytes > inbox->message_bytes_max) {
        err = CAIRN_ERR_TOO_LARGE;
    } else if (!make_room(inbox, PREFIX_BYTES + size_bytes)) {
        err = CAIRN_ERR_FULL;
    } else {
        append(inbox, message, (uint32_t)size_bytes);
    }
    inbox->info.refused_count += err != CAIRN_OK;
    cairn_lock_give(&inbox->lock);
    return err;
}

cairn_err cairn_inbox_take(cairn_inbox *inbox, void *ret_message, size_t size_bytes_max, size_t *ret_size_bytes)
{
    CAIRN_ASSERT(inbox && ret_size_bytes && (ret_message || size_bytes_max == 0));
    cairn_err err = CAIRN_OK;
    cairn_lock_take(&inbox->lock);
    const uint32_t size_bytes = inbox->info.waiting_count > 0 ? oldest_bytes(inbox) : 0;
    if (inbox->info.waiting_count == 0) {
        err = CAIRN_ERR_EMPTY;
    } else if (size_bytes > size_bytes_max) {
        err = CAIRN_ERR_TOO_LARGE;
    } else {
        copy_out(inbox, PREFIX_BYTES, ret_message, size_bytes);
        forget_oldest(inbox);
        *ret_size_bytes = size_bytes;
    }
    cairn_lock_give(&inbox->lock);
    return err;
}

cairn_inbox_info cairn_inbox_look(cairn_inbox *inbox)
{
    CAIRN_ASSERT(inbox);
    cairn_lock_take(&inbox->lock);
    const cairn_inbox_info info = inbox->info;
    cairn_lock_give(&inbox->lock);
    return info;
}
