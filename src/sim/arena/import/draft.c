// How an imported arena reads: sections with a comment each, a line for each thing, numbers as short as they go.
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
                         .starts = CAIRN_TAKE(memory, cairn_pose2, CAIRN_IMPORT_STARTS_MAX)};
    if (draft.walls == NULL || draft.boxes == NULL || draft.ramps == NULL || draft.victims == NULL ||
        draft.starts == NULL) {
        return CAIRN_ERR_FULL;
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

static void write_head(const cairn_draft *draft, FILE *out)
{
    for (uint32_t i = 0; i < draft->note_count; i++) { fprintf(out, "# %s\n", draft->notes[i]); }
    fprintf(out, "\nname: %s\nabout: \"%s\"\nsize_m: ", draft->name, draft->about);
    put_pair(out, draft->size_m);
    fputs("\n", out);
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
        fputs("}\n", out);
    }
}

static void write_boxes(const cairn_draft *draft, FILE *out)
{
    if (draft->box_count > 0) { fputs("\nboxes:\n", out); }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_sim_box *box = &draft->boxes[i];
        fputs("  - {at_m: ", out);
        put_pair(out, cairn_pose2_at(box->map_T_box));
        put_angle(out, "heading_deg", box->map_T_box.yaw_rad);
        fputs(", size_m: [", out);
        put_number(out, box->size_m.x);
        fputs(", ", out);
        put_number(out, box->size_m.y);
        fputs(", ", out);
        put_number(out, box->size_m.z);
        fputs("]}\n", out);
    }
}

static void write_ramps(const cairn_draft *draft, FILE *out)
{
    if (draft->ramp_count > 0) { fputs("\nramps:   # ridges: up to the middle, and down again\n", out); }
    for (uint32_t i = 0; i < draft->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &draft->ramps[i];
        fputs("  - {at_m: ", out);
        put_pair(out, cairn_pose2_at(ramp->map_T_ramp));
        put_angle(out, "heading_deg", ramp->map_T_ramp.yaw_rad);
        fputs(", ", out);
        put_key(out, "length_m", ramp->length_m);
        fputs(", ", out);
        put_key(out, "width_m", ramp->width_m);
        put_angle(out, "angle_deg", ramp->angle_rad);
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
        fputs(victim->boxed ? ", boxed: true}\n" : "}\n", out);
    }
}

static void write_starts(const cairn_draft *draft, FILE *out)
{
    fputs("\nstarts:\n", out);
    for (uint32_t i = 0; i < draft->start_count; i++) {
        fputs("  - {at_m: ", out);
        put_pair(out, cairn_pose2_at(draft->starts[i]));
        put_angle(out, "heading_deg", draft->starts[i].yaw_rad);
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
