#include "link/air_address.h"
#include <string.h>

#define ADDRESS_BYTES sizeof(cairn_air_address)

bool cairn_air_address_is_none(const cairn_air_address *address)
{
    static const cairn_air_address none;
    return memcmp(address, &none, sizeof none) == 0;
}

cairn_err cairn_air_box_put(cairn_inbox *box, const cairn_air_address *address, const uint8_t *bytes, size_t size)
{
    uint8_t message[CAIRN_AIR_BOX_BYTES_MAX];
    if (size > CAIRN_LINK_MTU_MAX) { return CAIRN_ERR_TOO_LARGE; }
    memcpy(message, address, ADDRESS_BYTES);
    memcpy(message + ADDRESS_BYTES, bytes, size);
    return cairn_inbox_put(box, message, ADDRESS_BYTES + size);
}

cairn_err cairn_air_box_take(cairn_inbox *box, cairn_air_address *ret_address, uint8_t *ret_bytes, size_t *ret_size)
{
    uint8_t message[CAIRN_AIR_BOX_BYTES_MAX];
    size_t size = 0;
    const cairn_err err = cairn_inbox_take(box, message, sizeof message, &size);
    if (err != CAIRN_OK) { return err; }
    CAIRN_ASSERT(size >= ADDRESS_BYTES); // what goes into such a box goes through cairn_air_box_put
    memcpy(ret_address, message, ADDRESS_BYTES);
    memcpy(ret_bytes, message + ADDRESS_BYTES, size - ADDRESS_BYTES);
    *ret_size = size - ADDRESS_BYTES;
    return CAIRN_OK;
}
