// Lines wait in an inbox until the station's thread writes them; a bucket of lines bounds what a flood can bring.
#include "programs/station/page_lines.h"
#include "base/inbox.h"
#include <string.h>

#define LINE_BYTES_MAX 480u

struct cairn_page_lines {
    cairn_inbox *box;
    uint64_t refused_count; // that was told
    uint32_t may_count;     // lines that may still be passed on
};

typedef struct page_line {
    cairn_log_level level;
    char text[LINE_BYTES_MAX];
} page_line;

cairn_err cairn_page_lines_create(cairn_arena *arena, cairn_page_lines **ret_lines)
{
    CAIRN_ASSERT(arena != NULL && ret_lines != NULL);
    cairn_page_lines *lines = CAIRN_TAKE(arena, cairn_page_lines, 1);
    if (lines == NULL) { return CAIRN_ERR_FULL; }
    lines->may_count = CAIRN_PAGE_LINES_BURST;
    const size_t room_bytes = CAIRN_PAGE_LINES_BURST * (sizeof(page_line) + 4);
    _Static_assert(CAIRN_PAGE_LINES_BURST * (sizeof(page_line) + 4) + 1024 <= CAIRN_PAGE_LINES_BYTES, "has room");
    const cairn_err err = cairn_inbox_create(arena, room_bytes, sizeof(page_line), CAIRN_INBOX_REFUSE, &lines->box);
    if (err == CAIRN_OK) { *ret_lines = lines; }
    return err;
}

void cairn_page_lines_finish(cairn_page_lines *lines)
{
    if (lines != NULL) { cairn_inbox_finish(lines->box); }
}

static void keep(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    cairn_page_lines *lines = context;
    (void)now;
    (void)source;
    page_line line = {.level = level};
    cairn_text_print(line.text, sizeof line.text, "%s", text);
    (void)!cairn_inbox_put(lines->box, &line, sizeof line); // full: the box counts it
}

cairn_log cairn_page_lines_log(cairn_page_lines *lines)
{
    CAIRN_ASSERT(lines != NULL);
    return (cairn_log){.sink = keep, .context = lines, .source = "page", .level = CAIRN_LOG_INFO};
}

void cairn_page_lines_take(cairn_page_lines *lines, const cairn_log *to, cairn_mono now)
{
    CAIRN_ASSERT(lines != NULL && to != NULL);
    CAIRN_ASSERT(lines->may_count <= CAIRN_PAGE_LINES_BURST);
    page_line line;
    size_t size_bytes = 0;
    lines->may_count += CAIRN_PAGE_LINES_PER_S;
    if (lines->may_count > CAIRN_PAGE_LINES_BURST) { lines->may_count = CAIRN_PAGE_LINES_BURST; }
    while (lines->may_count > 0 && cairn_inbox_take(lines->box, &line, sizeof line, &size_bytes) == CAIRN_OK) {
        CAIRN_ASSERT(size_bytes == sizeof line && memchr(line.text, '\0', sizeof line.text) != NULL);
        cairn_log_line(to, now, line.level, "%s", line.text);
        lines->may_count--;
    }
    const uint64_t refused_count = cairn_inbox_look(lines->box).refused_count;
    if (refused_count == lines->refused_count) { return; }
    cairn_log_line(to, now, CAIRN_LOG_WARN, "%llu lines about pages were not kept: there were too many",
                   (unsigned long long)(refused_count - lines->refused_count));
    lines->refused_count = refused_count;
}
