// Schema text from anyone's journal, and a message told by it. The first two bytes are the length of the text.
#include "messages/cdr_json.h"
#include "messages/schema.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cairn_complaints complaints;
    static char json[1 << 16];
    uint16_t text_bytes;
    if (size < sizeof text_bytes) { return 0; }
    memcpy(&text_bytes, data, sizeof text_bytes);
    data += sizeof text_bytes;
    size -= sizeof text_bytes;
    if (text_bytes > size) { text_bytes = (uint16_t)size; }

    cairn_arena arena;
    const cairn_ros_type *type = NULL;
    memset(&complaints, 0, sizeof complaints);
    if (cairn_arena_create(&arena, cairn_schema_arena_bytes(text_bytes)) != CAIRN_OK) { return 0; }
    const cairn_err err = cairn_schema_parse("p/msg/T", (const char *)data, text_bytes, &arena, &complaints, &type);
    CAIRN_ASSERT(err != CAIRN_ERR_FULL);                        // cairn_schema_arena_bytes promises enough
    CAIRN_ASSERT((err == CAIRN_OK) == (complaints.count == 0)); // a refusal says why
    if (err == CAIRN_OK) {
        size_t length = 0;
        for (uint32_t elements_max = 0; elements_max < 3; elements_max++) {
            if (cairn_cdr_json(type, data + text_bytes, size - text_bytes, elements_max, json, sizeof json, &length) ==
                CAIRN_OK) {
                CAIRN_ASSERT(length >= 2 && json[0] == '{' && json[length - 1] == '}');
            }
        }
    }
    cairn_arena_destroy(&arena);
    return 0;
}
