// journal.h - what a journal holds, for tests: counts by topic, and whether every check passed.
#pragma once
#include "check.h"
#include "journal/mcap_read.h"
#include <string.h>

#define JOURNAL_TOPICS_MAX 64

typedef struct journal {
    bool sound;
    bool in_order; // log times never go back
    uint64_t hash;
    uint64_t message_count;
    uint32_t topic_count;
    struct {
        char topic[96], schema[64];
        uint32_t message_count;
        size_t bytes_max;
        uint64_t first_ns, last_ns;
    } topics[JOURNAL_TOPICS_MAX];
} journal;

static inline uint32_t journal_topic(const journal *j, const char *topic)
{
    for (uint32_t i = 0; i < j->topic_count; i++) {
        if (strcmp(j->topics[i].topic, topic) == 0) { return i; }
    }
    return j->topic_count;
}

// 0 also for a topic that is not there.
static inline uint32_t journal_count(const journal *j, const char *topic)
{
    const uint32_t at = journal_topic(j, topic);
    return at < j->topic_count ? j->topics[at].message_count : 0;
}

static inline void journal_read(journal *j, const char *path)
{
    *j = (journal){.in_order = true};
    cairn_complaints complaints = {0};
    cairn_mcap_source source;
    cairn_mcap_reader *reader = NULL;
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    assert_ok(cairn_mcap_source_open(path, &complaints, &source));
    assert_ok(cairn_mcap_reader_create(&source, &limits, &reader));
    uint64_t last_ns = 0;
    cairn_mcap_message message;
    while (cairn_mcap_next(reader, &message) == CAIRN_OK) {
        const uint32_t at = journal_topic(j, message.channel->topic);
        assert_true(at < JOURNAL_TOPICS_MAX);
        if (at == j->topic_count) {
            j->topic_count++;
            snprintf(j->topics[at].topic, sizeof j->topics[at].topic, "%s", message.channel->topic);
            snprintf(j->topics[at].schema, sizeof j->topics[at].schema, "%s", message.channel->schema_name);
            j->topics[at].first_ns = message.log_time_ns;
        }
        j->topics[at].message_count++;
        j->topics[at].last_ns = message.log_time_ns;
        if (message.size > j->topics[at].bytes_max) { j->topics[at].bytes_max = message.size; }
        j->in_order = j->in_order && message.log_time_ns >= last_ns;
        last_ns = message.log_time_ns;
    }
    const cairn_mcap_info *info = cairn_mcap_reader_info(reader);
    j->sound = cairn_mcap_sound(info);
    j->hash = info->hash;
    j->message_count = info->message_count;
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
}
