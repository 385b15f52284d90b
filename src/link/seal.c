// seal.c - see seal.h. Uniqueness of nonces rests on the counter, that of session keys on four 64-bit numbers, two from
// each end; secrecy rests on the robot's key alone, so the numbers may be seen and need not be secret.
#include "link/seal.h"
#include <sodium.h>
#include <string.h>

static void put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) { at[i] = (uint8_t)(value >> 8 * i); }
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) { value |= (uint64_t)at[i] << 8 * i; }
    return value;
}

void cairn_seal_root_init(cairn_seal_root *root, const uint8_t key[CAIRN_LINK_KEY_BYTES])
{
    CAIRN_ASSERT(sodium_init() >= 0);
    uint8_t print[16];
    memcpy(root->robot_key, key, CAIRN_LINK_KEY_BYTES);
    CAIRN_ASSERT(crypto_kdf_derive_from_key(root->greeting_key, sizeof root->greeting_key, 1, "cairngrt", key) == 0);
    CAIRN_ASSERT(crypto_kdf_derive_from_key(print, sizeof print, 2, "cairnfpr", key) == 0);
    root->fingerprint = (uint32_t)get_u64(print);
}

uint64_t cairn_seal_fresh(const cairn_seal_root *root, cairn_random *random)
{
    uint8_t draw[16], out[16];
    put_u64(draw, cairn_random_u64(random));
    put_u64(draw + 8, cairn_random_u64(random));
    CAIRN_ASSERT(crypto_generichash(out, sizeof out, draw, sizeof draw, root->greeting_key, 32) == 0);
    const uint64_t value = get_u64(out);
    return value == 0 ? 1 : value;
}

void cairn_seal_greeting_tag(const cairn_seal_root *root, const uint8_t *bytes, size_t size,
                             uint8_t ret_tag[CAIRN_LINK_SEAL_BYTES])
{
    CAIRN_ASSERT(crypto_generichash(ret_tag, CAIRN_LINK_SEAL_BYTES, bytes, size, root->greeting_key, 32) == 0);
}

bool cairn_seal_same(const uint8_t a[CAIRN_LINK_SEAL_BYTES], const uint8_t b[CAIRN_LINK_SEAL_BYTES])
{
    return sodium_memcmp(a, b, CAIRN_LINK_SEAL_BYTES) == 0;
}

void cairn_seal_session_init(cairn_seal_session *session, const cairn_seal_root *root, const cairn_seal_names *names,
                             cairn_link_role role)
{
    uint8_t text[8 + 32], keys[64], tag[16];
    memcpy(text, "cairnses", 8);
    put_u64(text + 8, names->robot_session);
    put_u64(text + 16, names->station_session);
    put_u64(text + 24, names->robot_nonce);
    put_u64(text + 32, names->station_nonce);
    CAIRN_ASSERT(crypto_generichash(keys, sizeof keys, text, sizeof text, root->robot_key, 32) == 0);
    CAIRN_ASSERT(crypto_generichash(tag, sizeof tag, text, sizeof text, root->greeting_key, 32) == 0);
    const bool robot = role == CAIRN_LINK_ROBOT;
    memcpy(session->send_key, keys + (robot ? 0 : 32), 32);
    memcpy(session->receive_key, keys + (robot ? 32 : 0), 32);
    session->tag = (uint16_t)(tag[0] | tag[1] << 8);
    session->send_counter = 0;
    sodium_memzero(keys, sizeof keys);
}

static void nonce_of(uint32_t counter, uint8_t ret_nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES])
{
    memset(ret_nonce, 0, crypto_aead_chacha20poly1305_IETF_NPUBBYTES);
    for (int i = 0; i < 4; i++) { ret_nonce[i] = (uint8_t)(counter >> 8 * i); }
}

size_t cairn_seal_close(const cairn_seal_session *session, uint32_t counter, const uint8_t *plain, size_t size,
                        uint8_t *ret_packet)
{
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    unsigned long long sealed = 0;
    nonce_of(counter, nonce);
    CAIRN_ASSERT(crypto_aead_chacha20poly1305_ietf_encrypt(ret_packet + CAIRN_LINK_HEADER_BYTES, &sealed, plain, size,
                                                           ret_packet, CAIRN_LINK_HEADER_BYTES, NULL, nonce,
                                                           session->send_key) == 0);
    CAIRN_ASSERT(sealed == size + CAIRN_LINK_SEAL_BYTES);
    return CAIRN_LINK_HEADER_BYTES + (size_t)sealed;
}

bool cairn_seal_open(const cairn_seal_session *session, uint32_t counter, const uint8_t *packet, size_t size,
                     uint8_t *ret_plain)
{
    CAIRN_ASSERT(size >= CAIRN_LINK_HEADER_BYTES + CAIRN_LINK_SEAL_BYTES);
    uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
    nonce_of(counter, nonce);
    return crypto_aead_chacha20poly1305_ietf_decrypt(ret_plain, NULL, NULL, packet + CAIRN_LINK_HEADER_BYTES,
                                                     size - CAIRN_LINK_HEADER_BYTES, packet, CAIRN_LINK_HEADER_BYTES,
                                                     nonce, session->receive_key) == 0;
}

bool cairn_replay_fresh(const cairn_replay_window *window, uint32_t counter)
{
    if (!window->any || counter > window->newest) { return true; }
    if (window->newest - counter >= CAIRN_LINK_WINDOW) { return false; }
    const uint32_t at = counter % CAIRN_LINK_WINDOW;
    return (window->seen[at / 64] >> at % 64 & 1) == 0;
}

void cairn_replay_mark(cairn_replay_window *window, uint32_t counter)
{
    CAIRN_ASSERT(cairn_replay_fresh(window, counter));
    if (!window->any) {
        window->any = true;
        window->newest = counter;
    }
    if (counter > window->newest) {
        const uint32_t ahead = counter - window->newest;
        for (uint32_t i = 1; i <= ahead && i <= CAIRN_LINK_WINDOW; i++) {
            const uint32_t at = (window->newest + i) % CAIRN_LINK_WINDOW;
            window->seen[at / 64] &= ~((uint64_t)1 << at % 64);
        }
        window->newest = counter;
    }
    const uint32_t at = counter % CAIRN_LINK_WINDOW;
    window->seen[at / 64] |= (uint64_t)1 << at % 64;
}
