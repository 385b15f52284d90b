#include "maps/files/finds_io.h"
#include "maps/files/bytes_io.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 256, FIELDS_MAX = 6 };
#define PLACE_M_MAX 1e6

// ---- lines

typedef struct lines {
    const char *at, *end;
    uint32_t number; // of the last line that was taken
    char text[LINE_BYTES_MAX];
} lines;

// Spreadsheets write a byte order mark first.
static lines lines_of(const char *bytes, size_t size_bytes)
{
    const bool marked = size_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    return (lines){.at = bytes + (marked ? 3 : 0), .end = bytes + size_bytes};
}

typedef enum taken { TAKEN, ENDED, TOO_LONG } taken;

static taken take_line(lines *of)
{
    if (of->at >= of->end) { return ENDED; }
    const char *stop = memchr(of->at, '\n', (size_t)(of->end - of->at));
    const char *line_end = stop != NULL ? stop : of->end;
    size_t length = (size_t)(line_end - of->at);
    of->number++;
    if (length >= LINE_BYTES_MAX) { return TOO_LONG; }
    memcpy(of->text, of->at, length);
    while (length > 0 && (of->text[length - 1] == '\r' || of->text[length - 1] == ' ')) { length--; }
    of->text[length] = '\0';
    of->at = stop != NULL ? stop + 1 : of->end;
    return TAKEN;
}

// Cuts the line at its commas; quotation marks around a field are left out.
static size_t split(char *text, char *ret_fields[FIELDS_MAX + 1])
{
    size_t count = 0;
    for (char *at = text; at != NULL && count <= FIELDS_MAX;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) { *comma = '\0'; }
        const size_t length = strlen(at);
        if (length >= 2 && at[0] == '"' && at[length - 1] == '"') {
            at[length - 1] = '\0';
            at++;
        }
        ret_fields[count++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static bool read_place(const char *text, double *ret_m)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(fabs(value) <= PLACE_M_MAX)) { return false; }
    *ret_m = value;
    return true;
}

static cairn_err wrong(const lines *of, const char *name, cairn_complaints *complaints, const char *wanted)
{
    cairn_complain(complaints, name, of->number, "expected %s", wanted);
    return CAIRN_ERR_INVALID;
}

// ---- finds

static bool read_find(char *text, cairn_find *ret_find)
{
    char *fields[FIELDS_MAX + 1], *end;
    if (split(text, fields) != FIELDS_MAX) { return false; }
    cairn_find find = {0};
    const unsigned long id = strtoul(fields[0], &end, 10);
    if (end == fields[0] || *end != '\0' || id > 999999 || fields[0][0] == '-') { return false; }
    find.id = (uint32_t)id;
    if ((size_t)snprintf(find.time, sizeof find.time, "%s", fields[1]) >= sizeof find.time ||
        (size_t)snprintf(find.name, sizeof find.name, "%s", fields[2]) >= sizeof find.name) {
        return false;
    }
    if (!read_place(fields[3], &find.x_m) || !read_place(fields[4], &find.y_m) || !read_place(fields[5], &find.z_m)) {
        return false;
    }
    *ret_find = find;
    return true;
}

cairn_err cairn_finds_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *memory,
                            cairn_complaints *complaints, cairn_finds *ret_finds)
{
    CAIRN_ASSERT(name_for_errors != NULL && memory != NULL && complaints != NULL && ret_finds != NULL);
    lines of = lines_of(bytes, size_bytes);
    cairn_finds finds = {.items = CAIRN_TAKE(memory, cairn_find, CAIRN_FINDS_MAX)};
    if (finds.items == NULL) { return CAIRN_ERR_FULL; }
    bool heading = true;
    taken took;
    while ((took = take_line(&of)) == TAKEN) {
        if (heading) {
            heading = strncmp(of.text, "id,time,", 8) != 0;
            continue;
        }
        if (of.text[0] == '\0') { continue; }
        if (finds.count == CAIRN_FINDS_MAX) {
            cairn_complain(complaints, name_for_errors, of.number, "more than %u finds", CAIRN_FINDS_MAX);
            return CAIRN_ERR_TOO_LARGE;
        }
        if (!read_find(of.text, &finds.items[finds.count++])) {
            return wrong(&of, name_for_errors, complaints, "id,time,name,x,y,z with a whole number and metres");
        }
    }
    if (took == TOO_LONG) { return wrong(&of, name_for_errors, complaints, "lines of at most 255 letters"); }
    if (heading) { return wrong(&of, name_for_errors, complaints, "a line of column names: id,time,name,x,y,z"); }
    *ret_finds = finds;
    return CAIRN_OK;
}

// ---- ways

static cairn_way_points *way_named(cairn_way_list *ways, const char *name)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        if (strcmp(ways->items[i].name, name) == 0) { return &ways->items[i]; }
    }
    if (ways->count == CAIRN_WAYS_MAX) { return NULL; }
    cairn_way_points *way = &ways->items[ways->count++];
    (void)snprintf(way->name, sizeof way->name, "%s", name);
    return way;
}

// Counts each way's points; with room for them, one row for each way, also keeps them.
static cairn_err walk_ways(lines of, const char *name, cairn_complaints *complaints, cairn_vec2 *const *rooms,
                           cairn_way_list *ways)
{
    taken took;
    uint32_t all = 0;
    while ((took = take_line(&of)) == TAKEN) {
        char *fields[FIELDS_MAX + 1];
        cairn_vec2 at = {0};
        if (of.text[0] == '\0' || (of.number == 1 && strcmp(of.text, "robot,x_m,y_m") == 0)) { continue; }
        if (split(of.text, fields) != 3 || !read_place(fields[1], &at.x) || !read_place(fields[2], &at.y) ||
            strlen(fields[0]) >= sizeof ways->items[0].name) {
            return wrong(&of, name, complaints, "robot,x_m,y_m with a name of at most 31 letters and metres");
        }
        cairn_way_points *way = way_named(ways, fields[0]);
        if (way == NULL || all++ == CAIRN_WAY_POINTS_MAX) {
            cairn_complain(complaints, name, of.number, "more than %u robots or %u points", CAIRN_WAYS_MAX,
                           CAIRN_WAY_POINTS_MAX);
            return CAIRN_ERR_TOO_LARGE;
        }
        if (rooms != NULL) {
            CAIRN_ASSERT(rooms[way - ways->items] != NULL); // the first walk met the same names
            rooms[way - ways->items][way->count] = at;
        }
        way->count++;
    }
    return took == TOO_LONG ? wrong(&of, name, complaints, "lines of at most 255 letters") : CAIRN_OK;
}

cairn_err cairn_ways_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *memory,
                           cairn_complaints *complaints, cairn_way_list *ret_ways)
{
    CAIRN_ASSERT(name_for_errors != NULL && memory != NULL && complaints != NULL && ret_ways != NULL);
    const lines of = lines_of(bytes, size_bytes);
    cairn_way_list ways = {.items = CAIRN_TAKE(memory, cairn_way_points, CAIRN_WAYS_MAX)};
    if (ways.items == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = walk_ways(of, name_for_errors, complaints, NULL, &ways);
    if (err != CAIRN_OK) { return err; }
    cairn_vec2 *rooms[CAIRN_WAYS_MAX] = {0};
    for (uint32_t i = 0; i < ways.count; i++) {
        rooms[i] = CAIRN_TAKE(memory, cairn_vec2, ways.items[i].count);
        if (rooms[i] == NULL) { return CAIRN_ERR_FULL; }
        ways.items[i].points_m = rooms[i];
        ways.items[i].count = 0;
    }
    err = walk_ways(of, name_for_errors, complaints, rooms, &ways);
    if (err == CAIRN_OK) { *ret_ways = ways; }
    return err;
}

// ---- writing

static void print_plain(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        const bool plain = *text != '"' && *text != ',' && *text != '\n' && *text != '\r';
        (void)fputc(plain ? *text : ' ', to);
    }
}

static void print_finds(FILE *to, const cairn_finds *finds, const cairn_finds_heading *heading)
{
    const char *head[] = {heading->kind, "1.0",         heading->team,   heading->country,
                          heading->date, heading->time, heading->mission};
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        (void)fputc('"', to);
        print_plain(to, head[i]);
        (void)fputs("\"\n", to);
    }
    (void)fprintf(to, "\nid,time,%s,x,y,z\n", strcmp(heading->kind, "victims") == 0 ? "name" : "text");
    for (uint32_t i = 0; i < finds->count; i++) {
        const cairn_find *find = &finds->items[i];
        (void)fprintf(to, "%u,", find->id);
        print_plain(to, find->time);
        (void)fputc(',', to);
        print_plain(to, find->name);
        (void)fprintf(to, ",%.3f,%.3f,%.3f\n", find->x_m, find->y_m, find->z_m);
    }
}

static void print_ways(FILE *to, const cairn_way_list *ways)
{
    (void)fputs("robot,x_m,y_m\n", to);
    for (uint32_t i = 0; i < ways->count; i++) {
        for (uint32_t p = 0; p < ways->items[i].count; p++) {
            print_plain(to, ways->items[i].name);
            (void)fprintf(to, ",%.3f,%.3f\n", ways->items[i].points_m[p].x, ways->items[i].points_m[p].y);
        }
    }
}

// Closes what was printed into memory, writes it and gives it back.
static cairn_err write_printed(FILE *memory, char **text, const size_t *size_bytes, const char *path,
                               cairn_complaints *complaints)
{
    cairn_err err = CAIRN_ERR_FULL;
    if (fclose(memory) == 0) {
        const cairn_bytes part = {*text, *size_bytes};
        err = cairn_bytes_write(path, &part, 1, complaints);
    }
    free(*text);
    return err;
}

cairn_err cairn_finds_write(const cairn_finds *finds, const cairn_finds_heading *heading, const char *path,
                            cairn_complaints *complaints)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *memory = open_memstream(&text, &size_bytes);
    if (memory == NULL) { return CAIRN_ERR_FULL; }
    print_finds(memory, finds, heading);
    return write_printed(memory, &text, &size_bytes, path, complaints);
}

cairn_err cairn_ways_write(const cairn_way_list *ways, const char *path, cairn_complaints *complaints)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *memory = open_memstream(&text, &size_bytes);
    if (memory == NULL) { return CAIRN_ERR_FULL; }
    print_ways(memory, ways);
    return write_printed(memory, &text, &size_bytes, path, complaints);
}
