#include "base/config/config_tree.h"
#include <stdio.h>
#include <string.h>

// Appends, and cuts off what does not fit.
static void CAIRN_PRINTF(3, 4) append(char *text, size_t text_bytes_max, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + used, text_bytes_max - used, format, args);
    va_end(args);
}

static void say_range(const cairn_config_field *field, char *text, size_t bytes_max)
{
    append(text, bytes_max, " from %.10g to %.10g", field->min, field->max);
    if (field->unit != NULL) { append(text, bytes_max, " %s", field->unit); }
}

static void say_choices(const cairn_config_field *field, char *text, size_t bytes_max)
{
    append(text, bytes_max, "one of ");
    for (uint32_t i = 0; field->choices[i] != NULL; i++) {
        append(text, bytes_max, "%s%s", i > 0 ? ", " : "", field->choices[i]);
    }
}

void cairn_config_say_expected(const cairn_config_field *field, char *ret_text, size_t text_bytes_max)
{
    ret_text[0] = '\0';
    switch (field->kind) {
    case CAIRN_CONFIG_KIND_BOOL: append(ret_text, text_bytes_max, "true or false"); break;
    case CAIRN_CONFIG_KIND_INTEGER:
        append(ret_text, text_bytes_max, "a whole number");
        say_range(field, ret_text, text_bytes_max);
        break;
    case CAIRN_CONFIG_KIND_REAL:
        append(ret_text, text_bytes_max, "a number");
        say_range(field, ret_text, text_bytes_max);
        break;
    case CAIRN_CONFIG_KIND_TEXT:
        append(ret_text, text_bytes_max, "text of 1 to %zu bytes", field->size_bytes - 1);
        break;
    case CAIRN_CONFIG_KIND_CHOICE: say_choices(field, ret_text, text_bytes_max); break;
    case CAIRN_CONFIG_KIND_VECTOR:
        append(ret_text, text_bytes_max, "[%zu numbers]", field->size_bytes / sizeof(double));
        say_range(field, ret_text, text_bytes_max);
        break;
    case CAIRN_CONFIG_KIND_LIST:
        append(ret_text, text_bytes_max, "a list of %u to %u items", field->item_min, field->item_max);
        break;
    default: append(ret_text, text_bytes_max, "a record (lines of key: value)"); break;
    }
}

void cairn_config_say_found(const cairn_config_node *node, char *ret_text, size_t text_bytes_max)
{
    ret_text[0] = '\0';
    if (node->kind == CAIRN_CONFIG_NODE_SEQUENCE) {
        append(ret_text, text_bytes_max, "a list of %u", node->child_count);
    } else if (node->kind == CAIRN_CONFIG_NODE_MAPPING) {
        append(ret_text, text_bytes_max, "a record");
    } else if (node->text[0] == '\0' && !node->quoted) {
        append(ret_text, text_bytes_max, "nothing");
    } else {
        // Control characters of a hostile file must not reach the terminal.
        char shown[48];
        size_t used = 0;
        for (const char *at = node->text; *at != '\0' && used < sizeof shown - 1; at++) {
            shown[used++] = (unsigned char)*at < 0x20 || *at == 0x7f ? ' ' : *at;
        }
        shown[used] = '\0';
        const char *cut = strlen(node->text) > used ? "…" : "";
        append(ret_text, text_bytes_max, node->quoted ? "the text \"%s%s\"" : "%s%s", shown, cut);
    }
}
