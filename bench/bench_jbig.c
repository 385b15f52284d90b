// bench_jbig.c - how many bytes JBIG1 takes for planes: a peer, run by `cairn bench maps` and `terrain`, and a program
// of its own since jbigkit is GPL.
//
// Reads planes from stdin: width and height (uint32, this machine's order), then rows of whole bytes, first cell in the
// highest bit. Prints the bytes of each plane, a line each: one stripe, its 20-byte header not counted.
#include <jbig.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE_MAX 4096
#define HEADER_BYTES 20

static size_t written_bytes;

static void count(unsigned char *start, size_t bytes, void *file)
{
    (void)start;
    (void)file;
    written_bytes += bytes;
}

int main(void)
{
    uint32_t size[2];
    while (fread(size, sizeof size, 1, stdin) == 1) {
        if (size[0] == 0 || size[0] > SIDE_MAX || size[1] == 0 || size[1] > SIDE_MAX) { return 1; }
        const size_t bytes = (size_t)(size[0] + 7) / 8 * size[1];
        unsigned char *plane = malloc(bytes);
        if (plane == NULL || fread(plane, 1, bytes, stdin) != bytes) { return 1; }
        struct jbg_enc_state state;
        jbg_enc_init(&state, size[0], size[1], 1, &plane, count, NULL);
        jbg_enc_layers(&state, 0);
        jbg_enc_options(&state, JBG_ILEAVE | JBG_SMID, JBG_TPBON, size[1], -1, -1);
        written_bytes = 0;
        jbg_enc_out(&state);
        jbg_enc_free(&state);
        free(plane);
        printf("%zu\n", written_bytes - HEADER_BYTES);
    }
    return 0;
}
