// hash.h - a 64-bit hash of bytes, and a running one of messages: by it two runs are compared, and damage on disk is
// seen.
//
// The running hash covers topic, log time and bytes of every message in the order of writing, and nothing else: neither
// compression nor chunking changes it. Integer arithmetic only: every machine gets the same value. Not
// cryptographic: it finds differences, not forgers. docs/journal.md defines it.
//
// Threads  One owner.
// Cost     About 0.1 ns a byte.
#pragma once
#include "base/status.h"

// All-zero is the hash of nothing.
typedef struct cairn_message_hash {
    uint64_t value;
} cairn_message_hash;

// Hash of a block on its own.
uint64_t cairn_hash_bytes(uint64_t seed, const void *bytes, size_t size);

// Of a channel, once: what cairn_message_hash_add wants.
uint64_t cairn_hash_topic(const char *topic);

void cairn_message_hash_add(cairn_message_hash *hash, uint64_t topic_hash, uint64_t log_time_ns, const void *bytes,
                            size_t size);
