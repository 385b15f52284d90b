// Any bytes as a key file: read, or refused with reasons that hold no secret; what is read is written back the same.
#include "link/key_file.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_no_secret(const char *text)
{
    while (*text != '\0') {
        const size_t run = strspn(text, "0123456789abcdefABCDEF");
        CAIRN_ASSERT(run <= 8);
        text += run + (text[run] != '\0');
    }
}

static void check_written_back(const cairn_key *key)
{
    char text[CAIRN_KEY_TEXT_BYTES_MAX];
    cairn_complaints told = {0};
    cairn_key again;
    CAIRN_ASSERT(cairn_key_parse(text, cairn_key_format(key, text), "again", &told, &again) == CAIRN_OK);
    CAIRN_ASSERT(strcmp(again.info.name, key->info.name) == 0 && again.info.robot == key->info.robot);
    CAIRN_ASSERT(again.info.fingerprint == key->info.fingerprint && again.info.made.ns == key->info.made.ns);
    CAIRN_ASSERT(again.info.revoked == key->info.revoked && again.info.revoked_at.ns == key->info.revoked_at.ns);
    CAIRN_ASSERT(memcmp(again.secret, key->secret, sizeof key->secret) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t none[CAIRN_LINK_KEY_BYTES];
    cairn_complaints told = {0};
    cairn_key key;
    const cairn_err err = cairn_key_parse((const char *)bytes, size, "fuzz", &told, &key);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    check_no_secret(told.text);
    if (err != CAIRN_OK) { return 0; }
    CAIRN_ASSERT(cairn_key_name_is_good(key.info.name) && key.info.robot >= 1 && key.info.robot <= CAIRN_KEY_ROBOT_MAX);
    CAIRN_ASSERT(!key.info.revoked || memcmp(key.secret, none, sizeof none) == 0);
    check_written_back(&key);
    return 0;
}
