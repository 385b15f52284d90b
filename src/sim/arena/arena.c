// Reads an arena file, turns its shorthand (paths and rectangles of walls) into walls, makes the solids, checks.
#include "base/config/config.h"
#include "sim/arena/arena_private.h"
#include <string.h>

// Limits that keep the simulator's fixed tables and the checks bounded.
enum { WALLS_MAX = 4096, POINTS_MAX = 512, BOXES_MAX = 2048, RAMPS_MAX = 256, VICTIMS_MAX = 64, STARTS_MAX = 64 };
#define SIZE_M_MAX 200.0

typedef enum wall_kind { WALL_PATH, WALL_RECTANGLE } wall_kind;

typedef struct wall_entry {
    uint32_t line;
    uint32_t kind; // wall_kind
    uint32_t point_count;
    cairn_vec2 *points_m;
    bool closed;
    cairn_vec2 corner_m, size_m;
    double thickness_m, height_m;
    uint32_t material; // cairn_material
} wall_entry;

typedef struct box_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad;
    cairn_vec3 size_m;
    uint32_t material;
} box_entry;

typedef struct ramp_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad, length_m, width_m, top_m, angle_rad;
} ramp_entry;

typedef struct victim_entry {
    uint32_t line;
    char name[32];
    cairn_vec2 at_m;
    double facing_rad;
    bool boxed;
    double temperature_c;
} victim_entry;

typedef struct start_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad;
} start_entry;

typedef struct arena_file {
    char name[64], about[256];
    cairn_vec2 size_m;
    double ambient_c;
    wall_entry *walls;
    box_entry *boxes;
    ramp_entry *ramps;
    victim_entry *victims;
    start_entry *starts;
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count;
} arena_file;

const char *const cairn_material_names[CAIRN_MATERIAL_COUNT + 1] = {"concrete", "brick", "drywall", "wood",
                                                                    "metal",    "glass", NULL};

#define AT(type)                                                                                                       \
    CAIRN_CONFIG_VECTOR(type, at_m, "at_m", "m", 0, SIZE_M_MAX, .help = "x, y from the floor's lower left corner")
#define HEADING(type, member, key_)                                                                                    \
    CAIRN_CONFIG_REAL(type, member, key_, "degrees", -360, 360, .factor = CAIRN_CONFIG_DEG, .fallback = "0",           \
                      .help = "from east, counter-clockwise")
#define WALL_FIELDS                                                                                                    \
    CAIRN_CONFIG_LINE(wall_entry, line),                                                                               \
        CAIRN_CONFIG_REAL(wall_entry, thickness_m, "thickness_m", "m", 0.01, 2, .fallback = "0.08"),                   \
        CAIRN_CONFIG_REAL(wall_entry, height_m, "height_m", "m", 0.05, 10, .fallback = "1.0"),                         \
        CAIRN_CONFIG_CHOICE(wall_entry, material, "material", cairn_material_names, .fallback = "drywall")

static const cairn_config_field point_item = CAIRN_CONFIG_ITEM_VECTOR(cairn_vec2, "m", 0, SIZE_M_MAX);
static const cairn_config_field path_fields[] = {
    WALL_FIELDS,
    CAIRN_CONFIG_LIST(wall_entry, points_m, point_count, "points_m", &point_item, POINTS_MAX, .item_min = 2,
                      .help = "[x, y] of the middle line, corner by corner"),
    CAIRN_CONFIG_BOOL(wall_entry, closed, "closed", .fallback = "false"),
};
static const cairn_config_schema path_schema = CAIRN_CONFIG_SCHEMA(wall_entry, path_fields);
static const cairn_config_field rectangle_fields[] = {
    WALL_FIELDS,
    CAIRN_CONFIG_VECTOR(wall_entry, corner_m, "corner_m", "m", 0, SIZE_M_MAX, .help = "lower left, middle line"),
    CAIRN_CONFIG_VECTOR(wall_entry, size_m, "size_m", "m", 0.1, SIZE_M_MAX, .help = "between middle lines"),
};
static const cairn_config_schema rectangle_schema = CAIRN_CONFIG_SCHEMA(wall_entry, rectangle_fields);
static const cairn_config_variant wall_variants[] = {
    [WALL_PATH] = {"path", &path_schema}, [WALL_RECTANGLE] = {"rectangle", &rectangle_schema}, {NULL, NULL}};
static const cairn_config_field wall_item = CAIRN_CONFIG_ITEM_VARIANT(wall_entry, kind, wall_variants);

static const cairn_config_field box_fields[] = {
    CAIRN_CONFIG_LINE(box_entry, line),
    AT(box_entry),
    HEADING(box_entry, heading_rad, "heading_deg"),
    CAIRN_CONFIG_VECTOR(box_entry, size_m, "size_m", "m", 0.02, 50, .help = "along its heading, across, height"),
    CAIRN_CONFIG_CHOICE(box_entry, material, "material", cairn_material_names, .fallback = "wood"),
};
static const cairn_config_schema box_schema = CAIRN_CONFIG_SCHEMA(box_entry, box_fields);
static const cairn_config_field box_item = CAIRN_CONFIG_ITEM_RECORD(box_entry, &box_schema);

static const cairn_config_field ramp_fields[] = {
    CAIRN_CONFIG_LINE(ramp_entry, line),
    AT(ramp_entry),
    HEADING(ramp_entry, heading_rad, "heading_deg"),
    CAIRN_CONFIG_REAL(ramp_entry, length_m, "length_m", "m", 0.2, 20, .help = "foot to foot"),
    CAIRN_CONFIG_REAL(ramp_entry, width_m, "width_m", "m", 0.7, 20, .help = "across the way over it"),
    CAIRN_CONFIG_REAL(ramp_entry, top_m, "top_m", "m", 0, 20, .fallback = "0", .help = "length of the flat top"),
    CAIRN_CONFIG_REAL(ramp_entry, angle_rad, "angle_deg", "degrees", 1, 20, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "15", .help = "of both slopes"),
};
static const cairn_config_schema ramp_schema = CAIRN_CONFIG_SCHEMA(ramp_entry, ramp_fields);
static const cairn_config_field ramp_item = CAIRN_CONFIG_ITEM_RECORD(ramp_entry, &ramp_schema);

static const cairn_config_field victim_fields[] = {
    CAIRN_CONFIG_LINE(victim_entry, line),
    CAIRN_CONFIG_TEXT(victim_entry, name, "name", .help = "shown in scores and pictures"),
    AT(victim_entry),
    HEADING(victim_entry, facing_rad, "facing_deg"),
    CAIRN_CONFIG_BOOL(victim_entry, boxed, "boxed", .fallback = "false"),
    CAIRN_CONFIG_REAL(victim_entry, temperature_c, "temperature_c", "degrees Celsius", -40, 80, .fallback = "33"),
};
static const cairn_config_schema victim_schema = CAIRN_CONFIG_SCHEMA(victim_entry, victim_fields);
static const cairn_config_field victim_item = CAIRN_CONFIG_ITEM_RECORD(victim_entry, &victim_schema);

static const cairn_config_field start_fields[] = {
    CAIRN_CONFIG_LINE(start_entry, line),
    AT(start_entry),
    HEADING(start_entry, heading_rad, "heading_deg"),
};
static const cairn_config_schema start_schema = CAIRN_CONFIG_SCHEMA(start_entry, start_fields);
static const cairn_config_field start_item = CAIRN_CONFIG_ITEM_RECORD(start_entry, &start_schema);

static const cairn_config_field arena_fields[] = {
    CAIRN_CONFIG_TEXT(arena_file, name, "name", .help = "one word"),
    CAIRN_CONFIG_TEXT(arena_file, about, "about", .help = "one sentence for people"),
    CAIRN_CONFIG_VECTOR(arena_file, size_m, "size_m", "m", 1, SIZE_M_MAX, .help = "of the floor: x, y"),
    CAIRN_CONFIG_REAL(arena_file, ambient_c, "ambient_c", "degrees Celsius", -40, 60, .fallback = "20"),
    CAIRN_CONFIG_LIST(arena_file, walls, wall_count, "walls", &wall_item, WALLS_MAX, .fallback = "[]"),
    CAIRN_CONFIG_LIST(arena_file, boxes, box_count, "boxes", &box_item, BOXES_MAX, .fallback = "[]"),
    CAIRN_CONFIG_LIST(arena_file, ramps, ramp_count, "ramps", &ramp_item, RAMPS_MAX, .fallback = "[]"),
    CAIRN_CONFIG_LIST(arena_file, victims, victim_count, "victims", &victim_item, VICTIMS_MAX, .fallback = "[]"),
    CAIRN_CONFIG_LIST(arena_file, starts, start_count, "starts", &start_item, STARTS_MAX, .item_min = 1,
                      .help = "where robots begin"),
};
static const cairn_config_schema arena_schema = CAIRN_CONFIG_SCHEMA(arena_file, arena_fields);

// The file's entries and the lines of what they become live in working memory until the checks are done.
typedef struct conversion {
    const arena_file *file;
    cairn_arena *work, *memory;
    cairn_sim_arena arena;
    cairn_sim_arena_lines lines;
} conversion;

static uint32_t segments_of(const wall_entry *wall)
{
    if (wall->kind == WALL_RECTANGLE) { return 4; }
    return wall->point_count - (wall->closed ? 0 : 1);
}

// Corner i of a wall entry, going round.
static cairn_vec2 corner_of(const wall_entry *wall, uint32_t i)
{
    if (wall->kind == WALL_PATH) { return wall->points_m[i % wall->point_count]; }
    const uint32_t corner = i % 4;
    return (cairn_vec2){wall->corner_m.x + (corner == 1 || corner == 2 ? wall->size_m.x : 0.0),
                        wall->corner_m.y + (corner >= 2 ? wall->size_m.y : 0.0)};
}

// Takes room for the things and their lines; false when memory is short. One more than needed: a list may be empty.
static bool take(conversion *convert, uint32_t count, size_t each_bytes, void **ret_things, uint32_t **ret_lines)
{
    *ret_things = cairn_arena_take(convert->memory, count + 1, each_bytes);
    *ret_lines = CAIRN_TAKE(convert->work, uint32_t, count + 1);
    return *ret_things != NULL && *ret_lines != NULL;
}

static bool convert_walls(conversion *convert)
{
    const arena_file *file = convert->file;
    uint32_t total = 0;
    for (uint32_t i = 0; i < file->wall_count; i++) { total += segments_of(&file->walls[i]); }
    void *things;
    uint32_t *lines;
    if (total > WALLS_MAX || !take(convert, total, sizeof(cairn_sim_wall), &things, &lines)) { return false; }
    cairn_sim_wall *walls = things;
    uint32_t used = 0;
    for (uint32_t i = 0; i < file->wall_count; i++) {
        const wall_entry *entry = &file->walls[i];
        for (uint32_t k = 0; k < segments_of(entry); k++) {
            lines[used] = entry->line;
            walls[used++] = (cairn_sim_wall){.from_m = corner_of(entry, k),
                                             .to_m = corner_of(entry, k + 1),
                                             .thickness_m = entry->thickness_m,
                                             .height_m = entry->height_m,
                                             .material = (cairn_material)entry->material};
        }
    }
    convert->arena.walls = walls;
    convert->arena.wall_count = total;
    convert->lines.walls = lines;
    return true;
}

static cairn_pose2 pose_of(cairn_vec2 at_m, double yaw_rad)
{
    return (cairn_pose2){at_m.x, at_m.y, cairn_angle_wrap(yaw_rad)};
}

static bool convert_boxes(conversion *convert)
{
    const arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->box_count, sizeof(cairn_sim_box), &things, &lines)) { return false; }
    cairn_sim_box *boxes = things;
    for (uint32_t i = 0; i < file->box_count; i++) {
        const box_entry *entry = &file->boxes[i];
        lines[i] = entry->line;
        boxes[i] = (cairn_sim_box){.map_T_box = pose_of(entry->at_m, entry->heading_rad),
                                   .size_m = entry->size_m,
                                   .material = (cairn_material)entry->material};
    }
    convert->arena.boxes = boxes;
    convert->arena.box_count = file->box_count;
    convert->lines.boxes = lines;
    return true;
}

static bool convert_ramps(conversion *convert)
{
    const arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->ramp_count, sizeof(cairn_sim_ramp), &things, &lines)) { return false; }
    cairn_sim_ramp *ramps = things;
    for (uint32_t i = 0; i < file->ramp_count; i++) {
        const ramp_entry *entry = &file->ramps[i];
        lines[i] = entry->line;
        ramps[i] = (cairn_sim_ramp){.map_T_ramp = pose_of(entry->at_m, entry->heading_rad),
                                    .length_m = entry->length_m,
                                    .width_m = entry->width_m,
                                    .top_m = entry->top_m,
                                    .angle_rad = entry->angle_rad};
    }
    convert->arena.ramps = ramps;
    convert->arena.ramp_count = file->ramp_count;
    convert->lines.ramps = lines;
    return true;
}

static bool convert_victims(conversion *convert)
{
    const arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->victim_count, sizeof(cairn_sim_victim), &things, &lines)) { return false; }
    cairn_sim_victim *victims = things;
    for (uint32_t i = 0; i < file->victim_count; i++) {
        const victim_entry *entry = &file->victims[i];
        lines[i] = entry->line;
        victims[i] = (cairn_sim_victim){.map_T_victim = pose_of(entry->at_m, entry->facing_rad),
                                        .boxed = entry->boxed,
                                        .temperature_c = entry->temperature_c};
        memcpy(victims[i].name, entry->name, sizeof victims[i].name);
    }
    convert->arena.victims = victims;
    convert->arena.victim_count = file->victim_count;
    convert->lines.victims = lines;
    return true;
}

static bool convert_starts(conversion *convert)
{
    const arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->start_count, sizeof(cairn_pose2), &things, &lines)) { return false; }
    cairn_pose2 *starts = things;
    for (uint32_t i = 0; i < file->start_count; i++) {
        lines[i] = file->starts[i].line;
        starts[i] = pose_of(file->starts[i].at_m, file->starts[i].heading_rad);
    }
    convert->arena.starts = starts;
    convert->arena.start_count = file->start_count;
    convert->lines.starts = lines;
    return true;
}

static cairn_err convert_all(conversion *convert)
{
    const arena_file *file = convert->file;
    convert->arena.size_m = file->size_m;
    convert->arena.ambient_c = file->ambient_c;
    memcpy(convert->arena.name, file->name, sizeof convert->arena.name);
    memcpy(convert->arena.about, file->about, sizeof convert->arena.about);
    const bool fits = convert_walls(convert) && convert_boxes(convert) && convert_ramps(convert) &&
                      convert_victims(convert) && convert_starts(convert);
    return fits ? cairn_sim_arena_make_solids(&convert->arena, convert->memory) : CAIRN_ERR_FULL;
}

static cairn_err convert_and_check(const arena_file *file, const char *name_for_errors, cairn_arena *work,
                                   cairn_arena *memory, cairn_complaints *complaints, cairn_sim_arena *ret_arena)
{
    const size_t mark = cairn_arena_mark(memory);
    const uint32_t complaint_count = complaints->count;
    conversion convert = {.file = file, .work = work, .memory = memory, .lines = {.file = name_for_errors}};
    cairn_err err = convert_all(&convert);
    if (err == CAIRN_ERR_FULL) {
        cairn_complain(complaints, name_for_errors, 0, "too large: more than %d walls, or no memory left", WALLS_MAX);
    } else {
        cairn_sim_arena_check(&convert.arena, &convert.lines, complaints);
        if (complaints->count > complaint_count) { err = CAIRN_ERR_INVALID; }
    }
    if (err == CAIRN_OK) {
        *ret_arena = convert.arena;
    } else {
        cairn_arena_reset(memory, mark);
    }
    return err;
}

// For the file's lists and the lines. The dearest list item, a wall, takes 120 bytes and at least three letters.
#define WORK_BYTES_MAX ((size_t)16 << 20)

static size_t work_bytes(size_t file_bytes)
{
    const size_t wanted = 64 * file_bytes + 65536;
    return wanted < WORK_BYTES_MAX ? wanted : WORK_BYTES_MAX;
}

typedef struct source {
    const char *path; // NULL: from bytes
    const char *bytes;
    size_t size_bytes;
    const char *name_for_errors;
} source;

static cairn_err read_source(const source *from, cairn_arena *memory, cairn_complaints *complaints,
                             cairn_sim_arena *ret_arena)
{
    cairn_arena work;
    cairn_err err = cairn_arena_create(&work, from->path != NULL ? WORK_BYTES_MAX : work_bytes(from->size_bytes));
    if (err != CAIRN_OK) {
        cairn_complain(complaints, from->name_for_errors, 0, "no memory left to read it");
        return err;
    }
    arena_file file;
    if (from->path != NULL) {
        err = cairn_config_read(from->path, &arena_schema, &work, complaints, &file);
    } else {
        err = cairn_config_parse(from->bytes, from->size_bytes, from->name_for_errors, &arena_schema, &work, complaints,
                                 &file);
    }
    if (err == CAIRN_OK) {
        err = convert_and_check(&file, from->name_for_errors, &work, memory, complaints, ret_arena);
    }
    cairn_arena_destroy(&work);
    return err;
}

cairn_err cairn_sim_arena_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                               cairn_sim_arena *ret_arena)
{
    CAIRN_ASSERT(path != NULL && memory != NULL && complaints != NULL && ret_arena != NULL);
    return read_source(&(source){.path = path, .name_for_errors = path}, memory, complaints, ret_arena);
}

cairn_err cairn_sim_arena_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, cairn_arena *memory,
                                cairn_complaints *complaints, cairn_sim_arena *ret_arena)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && ret_arena != NULL);
    return read_source(&(source){.bytes = bytes, .size_bytes = size_bytes, .name_for_errors = name_for_errors}, memory,
                       complaints, ret_arena);
}
