// An inbox keeps order and bounds, follows its rule when full, and counts what it did.
#include "base/inbox.h"
#include "base/random.h"
#include "check.h"
#include <pthread.h>
#include <string.h>

#define CAPACITY_BYTES 200
#define MESSAGE_BYTES_MAX 50

static cairn_inbox *new_inbox(cairn_arena *arena, cairn_inbox_rule rule)
{
    assert_ok(cairn_arena_create(arena, 1024));
    cairn_inbox *inbox = NULL;
    assert_ok(cairn_inbox_create(arena, CAPACITY_BYTES, MESSAGE_BYTES_MAX, rule, &inbox));
    return inbox;
}

static void free_inbox(cairn_arena *arena, cairn_inbox *inbox)
{
    cairn_inbox_finish(inbox);
    cairn_arena_destroy(arena);
}

// The obvious queue: an array that is shifted.
typedef struct model {
    uint8_t bytes[CAPACITY_BYTES / 4][MESSAGE_BYTES_MAX];
    size_t sizes[CAPACITY_BYTES / 4];
    uint32_t count;
    size_t used_bytes;
    uint64_t put_count, refused_count, dropped_count;
} model;

static void model_forget(model *queue)
{
    queue->used_bytes -= queue->sizes[0] + 4;
    queue->count--;
    memmove(queue->bytes, queue->bytes + 1, queue->count * sizeof *queue->bytes);
    memmove(queue->sizes, queue->sizes + 1, queue->count * sizeof *queue->sizes);
}

static cairn_err model_put(model *queue, cairn_inbox_rule rule, const uint8_t *bytes, size_t size)
{
    if (size > MESSAGE_BYTES_MAX) {
        queue->refused_count++;
        return CAIRN_ERR_TOO_LARGE;
    }
    while (queue->used_bytes + size + 4 > CAPACITY_BYTES) {
        if (rule == CAIRN_INBOX_REFUSE) {
            queue->refused_count++;
            return CAIRN_ERR_FULL;
        }
        model_forget(queue);
        queue->dropped_count++;
    }
    memcpy(queue->bytes[queue->count], bytes, size);
    queue->sizes[queue->count++] = size;
    queue->used_bytes += size + 4;
    queue->put_count++;
    return CAIRN_OK;
}

static void put_both(cairn_inbox *inbox, model *queue, cairn_inbox_rule rule, cairn_random *random)
{
    uint8_t bytes[MESSAGE_BYTES_MAX + 1];
    const size_t size = cairn_random_below(random, MESSAGE_BYTES_MAX + 2);
    for (size_t i = 0; i < size; i++) { bytes[i] = (uint8_t)cairn_random_u64(random); }
    assert_int_equal(cairn_inbox_put(inbox, bytes, size), model_put(queue, rule, bytes, size));
}

static void take_both(cairn_inbox *inbox, model *queue, cairn_random *random)
{
    uint8_t bytes[MESSAGE_BYTES_MAX];
    size_t size = 12345;
    const size_t room = cairn_random_below(random, MESSAGE_BYTES_MAX + 1);
    const cairn_err err = cairn_inbox_take(inbox, bytes, room, &size);
    if (queue->count == 0) {
        assert_int_equal(err, CAIRN_ERR_EMPTY);
    } else if (queue->sizes[0] > room) {
        assert_int_equal(err, CAIRN_ERR_TOO_LARGE);
    } else {
        assert_ok(err);
        assert_int_equal(size, queue->sizes[0]);
        assert_memory_equal(bytes, queue->bytes[0], size);
        model_forget(queue);
        return;
    }
    assert_int_equal(size, 12345);
}

static void agree_with_model(cairn_inbox_rule rule)
{
    cairn_random random;
    cairn_random_init(&random, 5, "test/inbox"); // seed 5
    cairn_arena arena;
    cairn_inbox *const inbox = new_inbox(&arena, rule);
    model queue = {0};
    uint32_t waiting_count_max = 0;
    for (int i = 0; i < 20000; i++) {
        if (cairn_random_below(&random, 2)) {
            put_both(inbox, &queue, rule, &random);
        } else {
            take_both(inbox, &queue, &random);
        }
        if (queue.count > waiting_count_max) { waiting_count_max = queue.count; }
        const cairn_inbox_info info = cairn_inbox_look(inbox);
        assert_int_equal(info.waiting_count, queue.count);
        assert_int_equal(info.waiting_count_max, waiting_count_max);
        assert_int_equal(info.waiting_bytes, queue.used_bytes);
        assert_int_equal(info.put_count, queue.put_count);
        assert_int_equal(info.refused_count, queue.refused_count);
        assert_int_equal(info.dropped_count, queue.dropped_count);
    }
    assert_true(rule == CAIRN_INBOX_REFUSE ? queue.refused_count > 100 : queue.dropped_count > 100);
    free_inbox(&arena, inbox);
}

static void a_refusing_inbox_agrees_with_a_plain_queue(void **state)
{
    (void)state;
    agree_with_model(CAIRN_INBOX_REFUSE);
}

static void a_dropping_inbox_agrees_with_a_plain_queue(void **state)
{
    (void)state;
    agree_with_model(CAIRN_INBOX_DROP_OLDEST);
}

static void an_inbox_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 1024));
    cairn_inbox *inbox = NULL;
    assert_int_equal(cairn_inbox_create(&arena, 2000, 10, CAIRN_INBOX_REFUSE, &inbox), CAIRN_ERR_FULL);
    assert_null(inbox);
    assert_breach((void)!cairn_inbox_create(&arena, 100, 97, CAIRN_INBOX_REFUSE, &inbox));
    cairn_inbox_finish(NULL);
    cairn_arena_destroy(&arena);
}

#define SENDERS 3
#define SENT_EACH 5000u

typedef struct sender {
    cairn_inbox *inbox;
    uint32_t number;
} sender;

static void *send_many(void *context)
{
    const sender *const me = context;
    for (uint32_t i = 0; i < SENT_EACH;) {
        const uint32_t message[2] = {me->number, i};
        if (cairn_inbox_put(me->inbox, message, sizeof message) == CAIRN_OK) {
            i++;
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void messages_of_each_sender_arrive_complete_and_in_order(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_inbox *const inbox = new_inbox(&arena, CAIRN_INBOX_REFUSE);
    pthread_t threads[SENDERS];
    sender senders[SENDERS];
    for (uint32_t i = 0; i < SENDERS; i++) {
        senders[i] = (sender){inbox, i};
        assert_int_equal(pthread_create(&threads[i], NULL, send_many, &senders[i]), 0);
    }
    uint32_t next[SENDERS] = {0}, wrong_count = 0;
    for (uint32_t taken = 0; taken < SENDERS * SENT_EACH;) {
        uint32_t message[2] = {0};
        size_t size;
        if (cairn_inbox_take(inbox, message, sizeof message, &size) != CAIRN_OK) {
            sched_yield();
            continue;
        }
        wrong_count += message[0] >= SENDERS || size != sizeof message || message[1] != next[message[0] % SENDERS]++;
        taken++;
    }
    for (int i = 0; i < SENDERS; i++) { assert_int_equal(pthread_join(threads[i], NULL), 0); }
    assert_int_equal(wrong_count, 0);
    free_inbox(&arena, inbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusing_inbox_agrees_with_a_plain_queue),
        cmocka_unit_test(a_dropping_inbox_agrees_with_a_plain_queue),
        cmocka_unit_test(an_inbox_that_does_not_fit_is_refused),
        cmocka_unit_test(messages_of_each_sender_arrive_complete_and_in_order),
    };
    return cmocka_run_group_tests_name("inbox", tests, NULL, NULL);
}
