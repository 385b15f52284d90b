// How an arena that was made or imported reads: sections with a comment each, a line for each thing, numbers as short
// as they go.
#include "sim/arena/import/draft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cairn_err cairn_draft_create(cairn_arena *memory, cairn_draft *ret_draft)
{
    cairn_draft draft = {.walls = CAIRN_TAKE(memory, cairn_sim_wall, CAIRN_DRAFT_WALLS_MAX),
                         .boxes = CAIRN_TAKE(memory, cairn_sim_box, CAIRN_DRAFT_BOXES_MAX),
                         .ramps = CAIRN_TAKE(memory, cairn_sim_ramp, CAIRN_DRAFT_RAMPS_MAX),
                         .victims = CAIRN_TAKE(memory, cairn_sim_victim, CAIRN_IMPORT_VICTIMS_MAX),
                         .starts = CAIRN_TAKE(memory, cairn_pose2, CAIRN_IMPORT_STARTS_MAX),
                         .platforms = CAIRN_TAKE(memory, cairn_draft_platform, CAIRN_DRAFT_ELEMENTS_MAX),
                         .stairs = CAIRN_TAKE(memory, cairn_draft_stairs, CAIRN_DRAFT_ELEMENTS_MAX),
                         .ramp_fields = CAIRN_TAKE(memory, cairn_draft_ramp_field, CAIRN_DRAFT_ELEMENTS_MAX),
                         .step_fields = CAIRN_TAKE(memory, cairn_draft_step_field, CAIRN_DRAFT_ELEMENTS_MAX),
                         .roughs = CAIRN_TAKE(memory, cairn_draft_rough, CAIRN_DRAFT_ELEMENTS_MAX),
                         .holes = CAIRN_TAKE(memory, cairn_draft_hole, CAIRN_DRAFT_ELEMENTS_MAX),
                         .ditches = CAIRN_TAKE(memory, cairn_draft_ditch, CAIRN_DRAFT_ELEMENTS_MAX),
                         .doors = CAIRN_TAKE(memory, cairn_sim_door, CAIRN_DRAFT_ELEMENTS_MAX),
                         .blocks = CAIRN_TAKE(memory, cairn_sim_block, CAIRN_DRAFT_MOVERS_MAX),
                         .figures = CAIRN_TAKE(memory, cairn_sim_figure, CAIRN_DRAFT_MOVERS_MAX)};
    const void *const taken[] = {draft.walls,     draft.boxes,   draft.ramps,       draft.victims,     draft.starts,
                                 draft.platforms, draft.stairs,  draft.ramp_fields, draft.step_fields, draft.roughs,
                                 draft.holes,     draft.ditches, draft.doors,       draft.blocks,      draft.figures};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (taken[i] == NULL) { return CAIRN_ERR_FULL; }
    }
    *ret_draft = draft;
    return CAIRN_OK;
}

void cairn_draft_note(cairn_draft *draft, const char *format, ...)
{
    if (draft->note_count == CAIRN_DRAFT_NOTES) { return; }
    char *note = draft->notes[draft->note_count++];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(note, CAIRN_DRAFT_NOTE_BYTES, format, values);
    va_end(values);
    // Names of files go into comments: nothing in them may end the line.
    for (; *note != '\0'; note++) {
        if ((unsigned char)*note < ' ' || *note == 0x7f) { *note = '?'; }
    }
}

// A tenth of a millimetre is enough for the middle of cells of 0.075 m.
static void put_number(FILE *out, double value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%.4f", fabs(value) < 5e-5 ? 0.0 : value);
    while (length > 0 && text[length - 1] == '0') { text[--length] = '\0'; }
    if (length > 0 && text[length - 1] == '.') { text[--length] = '\0'; }
    fputs(text, out);
}

static void put_pair(FILE *out, cairn_vec2 pair)
{
    fputc('[', out);
    put_number(out, pair.x);
    fputs(", ", out);
    put_number(out, pair.y);
    fputc(']', out);
}

static void put_key(FILE *out, const char *key, double value)
{
    fprintf(out, "%s: ", key);
    put_number(out, value);
}

// What the reader takes when the key is missing is not written.
static void put_angle(FILE *out, const char *key, double angle_rad)
{
    const double degrees = round(angle_rad * 180.0 / 3.14159265358979323846 * 100.0) / 100.0;
    if (degrees == 0.0) { return; }
    fputs(", ", out);
    put_key(out, key, degrees);
}

static void put_more(FILE *out, const char *key, double value)
{
    fputs(", ", out);
    put_key(out, key, value);
}

// Left out where it is 0, which is what the reader takes it for.
static void put_more_unless_0(FILE *out, const char *key, double value)
{
    if (fabs(value) >= 5e-5) { put_more(out, key, value); }
}

static void put_triple(FILE *out, const char *key, cairn_vec3 value)
{
    fprintf(out, ", %s: [", key);
    put_number(out, value.x);
    fputs(", ", out);
    put_number(out, value.y);
    fputs(", ", out);
    put_number(out, value.z);
    fputc(']', out);
}

static void put_more_pair(FILE *out, const char *key, cairn_vec2 pair)
{
    fprintf(out, ", %s: ", key);
    put_pair(out, pair);
}

static void put_place(FILE *out, cairn_pose2 at)
{
    fputs("  - {at_m: ", out);
    put_pair(out, cairn_pose2_at(at));
    put_angle(out, "heading_deg", at.yaw_rad);
}

static void put_material(FILE *out, const cairn_draft *draft, cairn_material material, cairn_material read_as)
{
    if (draft->tells_materials && material != read_as) {
        fprintf(out, ", material: %s", cairn_material_names[material]);
    }
}

static void put_title(FILE *out, uint32_t count, const char *title)
{
    if (count > 0) { fprintf(out, "\n%s\n", title); }
}

static void write_head(const cairn_draft *draft, FILE *out)
{
    for (uint32_t i = 0; i < draft->note_count; i++) { fprintf(out, "# %s\n", draft->notes[i]); }
    fprintf(out, "\nname: %s\nabout: \"%s\"\nsize_m: ", draft->name, draft->about);
    put_pair(out, draft->size_m);
    fputs("\n", out);
    if (draft->ambient_c != 0.0) {
        put_key(out, "ambient_c", draft->ambient_c);
        fputs("\n", out);
    }
    if (draft->outdoors) { fputs("outdoors: true\n", out); }
}

static void write_walls(const cairn_draft *draft, FILE *out)
{
    if (draft->wall_count > 0) { fputs("\nwalls:\n", out); }
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_sim_wall *wall = &draft->walls[i];
        fputs("  - {points_m: [", out);
        put_pair(out, wall->from_m);
        fputs(", ", out);
        put_pair(out, wall->to_m);
        fputs("], ", out);
        put_key(out, "thickness_m", wall->thickness_m);
        fputs(", ", out);
        put_key(out, "height_m", wall->height_m);
        put_more_unless_0(out, "foot_m", wall->foot_m);
        put_material(out, draft, wall->material, CAIRN_MATERIAL_DRYWALL);
        fputs("}\n", out);
    }
}

static void write_boxes(const cairn_draft *draft, FILE *out)
{
    if (draft->box_count > 0) { fputs("\nboxes:\n", out); }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_sim_box *box = &draft->boxes[i];
        put_place(out, box->map_T_box);
        put_triple(out, "size_m", box->size_m);
        put_more_unless_0(out, "foot_m", box->foot_m);
        put_material(out, draft, box->material, CAIRN_MATERIAL_WOOD);
        fputs("}\n", out);
    }
}

static void write_ramps(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->ramp_count, "ramps:   # ridges: up to the middle, and down again; slopes: up only");
    for (uint32_t i = 0; i < draft->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &draft->ramps[i];
        put_place(out, ramp->map_T_ramp);
        if (ramp->slope) { fputs(", kind: slope", out); }
        put_more(out, "length_m", ramp->length_m);
        put_more(out, "width_m", ramp->width_m);
        put_more_unless_0(out, "top_m", ramp->top_m);
        put_angle(out, "angle_deg", ramp->angle_rad);
        put_more_unless_0(out, "foot_m", ramp->foot_m);
        fputs(ramp->hard ? ", hard: true}\n" : "}\n", out);
    }
}

static void write_platforms(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->platform_count, "platforms:   # flat ground above the floor: kerbs, steps, upper storeys");
    for (uint32_t i = 0; i < draft->platform_count; i++) {
        const cairn_draft_platform *platform = &draft->platforms[i];
        put_place(out, platform->map_T_platform);
        put_more_pair(out, "size_m", platform->size_m);
        put_more(out, "top_m", platform->top_m);
        put_more_unless_0(out, "slab_m", platform->slab_m);
        fputs("}\n", out);
    }
}

static void write_stairs(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->stairs_count, "stairs:");
    for (uint32_t i = 0; i < draft->stairs_count; i++) {
        const cairn_draft_stairs *stairs = &draft->stairs[i];
        put_place(out, stairs->map_T_stairs);
        fprintf(out, ", steps: %u", stairs->steps);
        put_more(out, "rise_m", stairs->rise_m);
        put_more(out, "run_m", stairs->run_m);
        put_more(out, "width_m", stairs->width_m);
        put_more_unless_0(out, "foot_m", stairs->foot_m);
        fputs("}\n", out);
    }
}

static void write_ramp_fields(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->ramp_field_count, "ramp_fields:   # ASTM E2826 (continuous) and E2827 (crossing)");
    for (uint32_t i = 0; i < draft->ramp_field_count; i++) {
        const cairn_draft_ramp_field *field = &draft->ramp_fields[i];
        fprintf(out, "  - {kind: %s, corner_m: ", field->crossing ? "crossing" : "continuous");
        put_pair(out, field->corner_m);
        fprintf(out, ", tiles: [%u, %u]", field->columns, field->rows);
        put_more(out, "tile_m", field->tile_m);
        put_angle(out, "angle_deg", field->angle_rad);
        fputs("}\n", out);
    }
}

static void write_step_fields(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->step_field_count, "step_fields:   # ASTM E2828 like: square posts of several heights");
    for (uint32_t i = 0; i < draft->step_field_count; i++) {
        const cairn_draft_step_field *field = &draft->step_fields[i];
        fprintf(out, "  - {kind: %s, corner_m: ", field->kind);
        put_pair(out, field->corner_m);
        fprintf(out, ", tiles: [%u, %u]", field->columns, field->rows);
        put_more(out, "post_m", field->post_m);
        put_more(out, "step_m", field->step_m);
        fprintf(out, ", levels: %u, seed: %u", field->levels, field->seed);
        fputs(field->turned ? ", turned: true}\n" : "}\n", out);
    }
}

static void write_roughs(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->rough_count, "rough:");
    for (uint32_t i = 0; i < draft->rough_count; i++) {
        const cairn_draft_rough *rough = &draft->roughs[i];
        put_place(out, rough->map_T_rough);
        fprintf(out, ", kind: %s", rough->rubble ? "rubble" : "gravel");
        put_more_pair(out, "size_m", rough->size_m);
        put_more(out, "height_m", rough->height_m);
        put_more_unless_0(out, "cell_m", rough->cell_m);
        fprintf(out, ", seed: %u}\n", rough->seed);
    }
}

static void write_holes(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->hole_count, "holes:");
    for (uint32_t i = 0; i < draft->hole_count; i++) {
        fputs("  - {at_m: ", out);
        put_pair(out, draft->holes[i].at_m);
        put_more_pair(out, "size_m", draft->holes[i].size_m);
        put_more(out, "depth_m", draft->holes[i].depth_m);
        fputs("}\n", out);
    }
    put_title(out, draft->ditch_count, "ditches:   # their sides are slippery");
    for (uint32_t i = 0; i < draft->ditch_count; i++) {
        const cairn_draft_ditch *ditch = &draft->ditches[i];
        fputs("  - {at_m: ", out);
        put_pair(out, ditch->at_m);
        put_more(out, "length_m", ditch->length_m);
        put_more(out, "width_m", ditch->width_m);
        fprintf(out, ", along: %s", ditch->along_y ? "y" : "x");
        put_more(out, "depth_m", ditch->depth_m);
        fputs("}\n", out);
    }
}

static void write_doors(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->door_count, "doors:");
    for (uint32_t i = 0; i < draft->door_count; i++) {
        const cairn_sim_door *door = &draft->doors[i];
        fprintf(out, "  - {name: %s, hinge_m: ", door->name);
        put_pair(out, door->hinge_m);
        put_more_pair(out, "latch_m", door->latch_m);
        put_more_unless_0(out, "thickness_m", door->thickness_m);
        put_more_unless_0(out, "height_m", door->height_m);
        put_more_unless_0(out, "foot_m", door->foot_m);
        put_angle(out, "open_deg", door->open_rad);
        put_more_unless_0(out, "swing_s", door->swing_s);
        fprintf(out, ", open: %s}\n", door->open ? "true" : "false");
    }
}

static void write_blocks(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->block_count, "blocks:   # loose: they move when they are pushed");
    for (uint32_t i = 0; i < draft->block_count; i++) {
        const cairn_sim_block *block = &draft->blocks[i];
        put_place(out, block->map_T_block);
        put_triple(out, "size_m", block->size_m);
        put_more_unless_0(out, "foot_m", block->foot_m);
        put_more(out, "mass_kg", block->mass_kg);
        put_material(out, draft, block->material, CAIRN_MATERIAL_CONCRETE);
        fputs("}\n", out);
    }
}

static void write_figures(const cairn_draft *draft, FILE *out)
{
    put_title(out, draft->figure_count, "figures:   # people who walk about, and what robots must keep away from");
    for (uint32_t i = 0; i < draft->figure_count; i++) {
        const cairn_sim_figure *figure = &draft->figures[i];
        const bool hazard = figure->kind == CAIRN_FIGURE_HAZARD;
        fprintf(out, "  - {name: %s, kind: %s, points_m: [", figure->name, hazard ? "hazard" : "bystander");
        for (uint32_t k = 0; k < figure->point_count; k++) {
            if (k > 0) { fputs(", ", out); }
            put_pair(out, figure->points_m[k]);
        }
        fputs("]", out);
        put_more(out, "speed_mps", figure->speed_mps);
        if (hazard) {
            put_more(out, "trigger_m", figure->trigger_m);
            put_more(out, "lethal_m", figure->lethal_m);
        }
        put_more_unless_0(out, "temperature_c", figure->temperature_c);
        fputs("}\n", out);
    }
}

static void write_victims(const cairn_draft *draft, FILE *out)
{
    if (draft->victim_count == 0) { return; }
    fprintf(out, "\nvictims:   # %s\n", draft->victims_note);
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        const cairn_sim_victim *victim = &draft->victims[i];
        fprintf(out, "  - {name: %s, at_m: ", victim->name);
        put_pair(out, cairn_pose2_at(victim->map_T_victim));
        put_angle(out, "facing_deg", victim->map_T_victim.yaw_rad);
        put_more_unless_0(out, "foot_m", victim->foot_m);
        if (victim->boxed) { fputs(victim->hangs ? ", hangs: true" : ", boxed: true", out); }
        fputs(victim->hard ? ", hard: true}\n" : "}\n", out);
    }
}

static void write_starts(const cairn_draft *draft, FILE *out)
{
    fputs("\nstarts:\n", out);
    for (uint32_t i = 0; i < draft->start_count; i++) {
        put_place(out, draft->starts[i]);
        fputs("}\n", out);
    }
}

cairn_err cairn_draft_write(const cairn_draft *draft, cairn_arena *memory, const char **ret_text,
                            size_t *ret_size_bytes)
{
    CAIRN_ASSERT(draft != NULL && memory != NULL && ret_text != NULL && ret_size_bytes != NULL);
    char *written = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&written, &size_bytes);
    if (out == NULL) { return CAIRN_ERR_FULL; }
    write_head(draft, out);
    write_walls(draft, out);
    write_boxes(draft, out);
    write_ramps(draft, out);
    write_platforms(draft, out);
    write_stairs(draft, out);
    write_ramp_fields(draft, out);
    write_step_fields(draft, out);
    write_roughs(draft, out);
    write_holes(draft, out);
    write_doors(draft, out);
    write_blocks(draft, out);
    write_figures(draft, out);
    write_victims(draft, out);
    write_starts(draft, out);
    const bool whole = fclose(out) == 0;
    char *text = whole ? CAIRN_TAKE(memory, char, size_bytes + 1) : NULL;
    if (text != NULL) {
        memcpy(text, written, size_bytes);
        *ret_text = text;
        *ret_size_bytes = size_bytes;
    }
    free(written);
    return text != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}
