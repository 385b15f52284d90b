// Strange packets are counted within a window of time; a word is said once enough of them came.
#include "link/other_version.h"
#include "base/status.h"

#define COUNT_MIN 3
#define WITHIN_NS CAIRN_S(30) // robots greet every second or two
#define PROVEN_NS CAIRN_S(3)  // telemetry comes twice a second

uint8_t cairn_other_version_hear(cairn_other_version *heard, uint8_t version, cairn_mono now)
{
    CAIRN_ASSERT(heard != NULL && heard->count <= COUNT_MIN);
    CAIRN_ASSERT(version != 0);
    const int64_t since_ns = cairn_mono_since(now, heard->since);
    if (heard->is_proven && since_ns < PROVEN_NS) { return 0; }
    if (heard->is_proven || heard->version != version || since_ns > WITHIN_NS) {
        *heard = (cairn_other_version){.version = version, .since = now};
    }
    if (heard->count < COUNT_MIN) { heard->count++; }
    return heard->count == COUNT_MIN ? version : 0;
}

void cairn_other_version_end(cairn_other_version *heard, cairn_mono now)
{
    CAIRN_ASSERT(heard != NULL);
    *heard = (cairn_other_version){.is_proven = true, .since = now};
}
