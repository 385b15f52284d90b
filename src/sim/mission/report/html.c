#include "sim/mission/report/html.h"

void cairn_html_text(FILE *to, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        switch (*c) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc(*c < 0x20 || *c == 0x7f ? '?' : *c, to); break;
        }
    }
}

void cairn_html_base64(FILE *to, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0u) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0u);
        fputc(digits[three >> 18], to);
        fputc(digits[three >> 12 & 63], to);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', to);
        fputc(left > 2 ? digits[three & 63] : '=', to);
    }
}
