// layout.c - sizes of the kinds of values.
#include "messages/layout.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied to the wire as they are in memory");
_Static_assert(sizeof(bool) == 1 && sizeof(float) == 4 && sizeof(double) == 8, "the wire's sizes");

size_t cairn_kind_bytes(cairn_kind kind)
{
    static const uint8_t sizes[CAIRN_KIND_COUNT] = {
        [CAIRN_KIND_BOOL] = 1,   [CAIRN_KIND_INT8] = 1,    [CAIRN_KIND_UINT8] = 1,   [CAIRN_KIND_INT16] = 2,
        [CAIRN_KIND_UINT16] = 2, [CAIRN_KIND_INT32] = 4,   [CAIRN_KIND_UINT32] = 4,  [CAIRN_KIND_INT64] = 8,
        [CAIRN_KIND_UINT64] = 8, [CAIRN_KIND_FLOAT32] = 4, [CAIRN_KIND_FLOAT64] = 8,
    };
    CAIRN_ASSERT((unsigned)kind < CAIRN_KIND_COUNT);
    return sizes[kind];
}
