// Packets from the air: any bytes are read or refused, and what is read can be sent again unchanged.
#include "messages/codec.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cairn_radio_message message;
    static uint8_t again[CAIRN_RADIO_BYTES_MAX], cdr[2 * CAIRN_RADIO_BYTES_MAX];
    size_t whole = 0, written = 0;
    while (cairn_radio_size(data, size, &whole) == CAIRN_OK) {
        CAIRN_ASSERT(whole <= size);
        if (cairn_radio_decode(data, size, &message) == CAIRN_OK) {
            const cairn_radio_type *type = cairn_radio_type_of(message.id);
            CAIRN_ASSERT(cairn_radio_encode(&message, again, sizeof again, &written) == CAIRN_OK);
            if (data[1] == type->version) { CAIRN_ASSERT(written == whole && memcmp(again, data, whole) == 0); }
            CAIRN_ASSERT(cairn_cdr_encode_radio(&message, cdr, sizeof cdr, &written) == CAIRN_OK);
        }
        data += whole;
        size -= whole;
    }
    return 0;
}
