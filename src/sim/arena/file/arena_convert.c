// What an arena file says, turned into the things of an arena: its shorthand (paths and rectangles of walls) spelt out.
#include "sim/arena/arena_private.h"
#include <string.h>

// The file's entries and the lines of what they become live in working memory until the checks are done.
typedef struct conversion {
    const cairn_arena_file *file;
    cairn_arena *work, *memory;
    cairn_sim_arena arena;
    cairn_sim_arena_lines lines;
} conversion;

static uint32_t segments_of(const cairn_wall_entry *wall)
{
    if (wall->kind == CAIRN_WALL_RECTANGLE) { return 4; }
    return wall->point_count - (wall->closed ? 0 : 1);
}

static uint32_t segments_in(const cairn_arena_file *file)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < file->wall_count; i++) { total += segments_of(&file->walls[i]); }
    return total;
}

// Corner i of a wall entry, going round.
static cairn_vec2 corner_of(const cairn_wall_entry *wall, uint32_t i)
{
    if (wall->kind == CAIRN_WALL_PATH) { return wall->points_m[i % wall->point_count]; }
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
    const cairn_arena_file *file = convert->file;
    const uint32_t total = segments_in(file);
    void *things;
    uint32_t *lines;
    if (!take(convert, total, sizeof(cairn_sim_wall), &things, &lines)) { return false; }
    cairn_sim_wall *walls = things;
    uint32_t used = 0;
    for (uint32_t i = 0; i < file->wall_count; i++) {
        const cairn_wall_entry *entry = &file->walls[i];
        for (uint32_t k = 0; k < segments_of(entry); k++) {
            lines[used] = entry->line;
            walls[used++] = (cairn_sim_wall){.from_m = corner_of(entry, k),
                                             .to_m = corner_of(entry, k + 1),
                                             .thickness_m = entry->thickness_m,
                                             .height_m = entry->height_m,
                                             .foot_m = entry->foot_m,
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
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->box_count, sizeof(cairn_sim_box), &things, &lines)) { return false; }
    cairn_sim_box *boxes = things;
    for (uint32_t i = 0; i < file->box_count; i++) {
        const cairn_box_entry *entry = &file->boxes[i];
        lines[i] = entry->line;
        boxes[i] = (cairn_sim_box){.map_T_box = pose_of(entry->at_m, entry->heading_rad),
                                   .size_m = entry->size_m,
                                   .foot_m = entry->foot_m,
                                   .material = (cairn_material)entry->material};
    }
    convert->arena.boxes = boxes;
    convert->arena.box_count = file->box_count;
    convert->lines.boxes = lines;
    return true;
}

static bool convert_ramps(conversion *convert)
{
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->ramp_count, sizeof(cairn_sim_ramp), &things, &lines)) { return false; }
    cairn_sim_ramp *ramps = things;
    for (uint32_t i = 0; i < file->ramp_count; i++) {
        const cairn_ramp_entry *entry = &file->ramps[i];
        lines[i] = entry->line;
        ramps[i] = (cairn_sim_ramp){.map_T_ramp = pose_of(entry->at_m, entry->heading_rad),
                                    .length_m = entry->length_m,
                                    .width_m = entry->width_m,
                                    .top_m = entry->top_m,
                                    .angle_rad = entry->angle_rad,
                                    .foot_m = entry->foot_m,
                                    .slope = entry->kind == 1,
                                    .hard = entry->hard};
    }
    convert->arena.ramps = ramps;
    convert->arena.ramp_count = file->ramp_count;
    convert->lines.ramps = lines;
    return true;
}

static bool convert_victims(conversion *convert)
{
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->victim_count, sizeof(cairn_sim_victim), &things, &lines)) { return false; }
    cairn_sim_victim *victims = things;
    for (uint32_t i = 0; i < file->victim_count; i++) {
        const cairn_victim_entry *entry = &file->victims[i];
        lines[i] = entry->line;
        victims[i] = (cairn_sim_victim){.map_T_victim = pose_of(entry->at_m, entry->facing_rad),
                                        .boxed = entry->boxed || entry->hangs,
                                        .hangs = entry->hangs,
                                        .hard = entry->hard,
                                        .foot_m = entry->foot_m,
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
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->start_count, sizeof(cairn_pose2), &things, &lines)) { return false; }
    cairn_pose2 *starts = things;
    double *feet_m = CAIRN_TAKE(convert->memory, double, file->start_count + 1);
    if (feet_m == NULL) { return false; }
    for (uint32_t i = 0; i < file->start_count; i++) {
        lines[i] = file->starts[i].line;
        starts[i] = pose_of(file->starts[i].at_m, file->starts[i].heading_rad);
        feet_m[i] = file->starts[i].foot_m;
    }
    convert->arena.start_feet_m = feet_m;
    convert->arena.starts = starts;
    convert->arena.start_count = file->start_count;
    convert->lines.starts = lines;
    return true;
}

static bool convert_doors(conversion *convert)
{
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->door_count, sizeof(cairn_sim_door), &things, &lines)) { return false; }
    cairn_sim_door *doors = things;
    for (uint32_t i = 0; i < file->door_count; i++) {
        const cairn_door_entry *entry = &file->doors[i];
        lines[i] = entry->line;
        doors[i] = (cairn_sim_door){.hinge_m = entry->hinge_m,
                                    .latch_m = entry->latch_m,
                                    .thickness_m = entry->thickness_m,
                                    .height_m = entry->height_m,
                                    .foot_m = entry->foot_m,
                                    .open_rad = entry->open_rad,
                                    .swing_s = entry->swing_s,
                                    .open = entry->open,
                                    .material = (cairn_material)entry->material};
        memcpy(doors[i].name, entry->name, sizeof doors[i].name);
    }
    convert->arena.doors = doors;
    convert->arena.door_count = file->door_count;
    convert->lines.doors = lines;
    return true;
}

static bool convert_blocks(conversion *convert)
{
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->block_count, sizeof(cairn_sim_block), &things, &lines)) { return false; }
    cairn_sim_block *blocks = things;
    for (uint32_t i = 0; i < file->block_count; i++) {
        const cairn_block_entry *entry = &file->blocks[i];
        lines[i] = entry->line;
        blocks[i] = (cairn_sim_block){.map_T_block = pose_of(entry->at_m, entry->heading_rad),
                                      .size_m = entry->size_m,
                                      .foot_m = entry->foot_m,
                                      .mass_kg = entry->mass_kg,
                                      .material = (cairn_material)entry->material};
    }
    convert->arena.blocks = blocks;
    convert->arena.block_count = file->block_count;
    convert->lines.blocks = lines;
    return true;
}

static bool convert_figures(conversion *convert)
{
    const cairn_arena_file *file = convert->file;
    void *things;
    uint32_t *lines;
    if (!take(convert, file->figure_count, sizeof(cairn_sim_figure), &things, &lines)) { return false; }
    cairn_sim_figure *figures = things;
    for (uint32_t i = 0; i < file->figure_count; i++) {
        const cairn_figure_entry *entry = &file->figures[i];
        lines[i] = entry->line;
        figures[i] = (cairn_sim_figure){.kind = (cairn_figure_kind)entry->kind,
                                        .point_count = entry->point_count,
                                        .points_m = CAIRN_TAKE(convert->memory, cairn_vec2, entry->point_count),
                                        .speed_mps = entry->speed_mps,
                                        .trigger_m = entry->trigger_m,
                                        .lethal_m = entry->lethal_m,
                                        .temperature_c = entry->temperature_c};
        if (figures[i].points_m == NULL) { return false; }
        memcpy(figures[i].points_m, entry->points_m, entry->point_count * sizeof(cairn_vec2));
        memcpy(figures[i].name, entry->name, sizeof figures[i].name);
    }
    convert->arena.figures = figures;
    convert->arena.figure_count = file->figure_count;
    convert->lines.figures = lines;
    return true;
}

cairn_err cairn_sim_arena_convert(const cairn_arena_file *file, cairn_arena *work, cairn_arena *memory,
                                  cairn_sim_arena *ret_arena, cairn_sim_arena_lines *ret_lines)
{
    conversion convert = {.file = file, .work = work, .memory = memory, .lines = {.file = ret_lines->file}};
    convert.arena = (cairn_sim_arena){.size_m = file->size_m, .ambient_c = file->ambient_c, .outdoors = file->outdoors};
    memcpy(convert.arena.name, file->name, sizeof convert.arena.name);
    memcpy(convert.arena.about, file->about, sizeof convert.arena.about);
    if (segments_in(file) > CAIRN_ARENA_WALLS_MAX) { return CAIRN_ERR_TOO_LARGE; }
    if (!(convert_walls(&convert) && convert_boxes(&convert) && convert_ramps(&convert) && convert_doors(&convert) &&
          convert_blocks(&convert) && convert_figures(&convert) && convert_victims(&convert) &&
          convert_starts(&convert))) {
        return CAIRN_ERR_FULL;
    }
    *ret_arena = convert.arena;
    *ret_lines = convert.lines;
    return CAIRN_OK;
}
