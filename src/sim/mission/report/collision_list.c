// collision_list.c - a collision's numbers made into names that people know, a sentence, and a row of a table.
#include "sim/mission/report/collision_list.h"
#include "sim/mission/report/csv.h"
#include <math.h>
#include <string.h>

static void name_solid(const cairn_sim_arena *arena, const cairn_solid *solid, size_t max, char *ret_name)
{
    static const char *const kinds[] = {[CAIRN_SOLID_WALL] = "wall",
                                        [CAIRN_SOLID_BOX] = "box",
                                        [CAIRN_SOLID_GROUND] = "ground",
                                        [CAIRN_SOLID_VICTIM] = "victim",
                                        [CAIRN_SOLID_VICTIM_BOX] = "the box of victim",
                                        [CAIRN_SOLID_DOOR] = "door",
                                        [CAIRN_SOLID_BLOCK] = "block",
                                        [CAIRN_SOLID_FIGURE] = "figure"};
    const uint32_t owner = solid->owner;
    if (solid->kind == CAIRN_SOLID_FIGURE) {
        const cairn_sim_figure *figure = &arena->figures[owner];
        (void)snprintf(ret_name, max, "%s %s", figure->kind == CAIRN_FIGURE_HAZARD ? "hazard" : "bystander",
                       figure->name);
    } else if (solid->kind == CAIRN_SOLID_DOOR) {
        (void)snprintf(ret_name, max, "door %s", arena->doors[owner].name);
    } else if (solid->kind == CAIRN_SOLID_VICTIM || solid->kind == CAIRN_SOLID_VICTIM_BOX) {
        (void)snprintf(ret_name, max, "%s %s", kinds[solid->kind], arena->victims[owner].name);
    } else {
        (void)snprintf(ret_name, max, "%s %u", kinds[solid->kind], owner + 1);
    }
}

static double top_m(const cairn_solid *solid)
{
    double turn[9];
    cairn_quat_to_matrix(solid->map_T_box.turn, turn);
    return solid->map_T_box.at_m.z + fabs(turn[6]) * solid->half_m.x + fabs(turn[7]) * solid->half_m.y +
           fabs(turn[8]) * solid->half_m.z;
}

void cairn_collision_describe(const cairn_collision *collision, const cairn_sim_arena *arena, const char *const *names,
                              cairn_pose3 map_T_base, cairn_collision_entry *ret_entry)
{
    CAIRN_ASSERT(collision != NULL && arena != NULL && names != NULL && ret_entry != NULL);
    CAIRN_ASSERT(collision->robot < CAIRN_SIM_ROBOTS_MAX);
    const cairn_vec3 at = cairn_pose3_apply(cairn_pose3_inverse(map_T_base), collision->at_m);
    const cairn_vec3 up = cairn_quat_rotate(map_T_base.turn, (cairn_vec3){0, 0, 1});
    *ret_entry = (cairn_collision_entry){.at_s = cairn_seconds(collision->step * CAIRN_PHYSICS_STEP_NS),
                                         .robot = collision->robot,
                                         .speed_mps = collision->closing_mps,
                                         .own_mps = collision->own_mps,
                                         .at_m = collision->at_m,
                                         .ahead_m = at.x,
                                         .left_m = at.y,
                                         .top_m = NAN,
                                         .tilt_rad = acos(fmin(fmax(up.z, -1), 1))};
    if (collision->thing < arena->solid_count) {
        const cairn_solid *solid = &arena->solids[collision->thing];
        name_solid(arena, solid, sizeof ret_entry->with, ret_entry->with);
        ret_entry->top_m = top_m(solid) - map_T_base.at_m.z;
    } else {
        const uint32_t other = collision->thing - arena->solid_count;
        CAIRN_ASSERT(other < CAIRN_SIM_ROBOTS_MAX);
        (void)snprintf(ret_entry->with, sizeof ret_entry->with, "%s", names[other]);
    }
}

void cairn_collision_list_add(cairn_collision_list *list, const cairn_collision_entry *entry)
{
    CAIRN_ASSERT(list->count <= CAIRN_COLLISION_LIST_MAX);
    if (list->count < CAIRN_COLLISION_LIST_MAX) {
        list->entries[list->count++] = *entry;
        return;
    }
    cairn_collision_entry *last = &list->entries[CAIRN_COLLISION_LIST_MAX - 1];
    if (entry->speed_mps > last->speed_mps) { *last = *entry; }
}

void cairn_collision_say(const cairn_collision_entry *entry, const char *const *names, size_t max, char *ret_words)
{
    CAIRN_ASSERT(names != NULL && ret_words != NULL && max > 0);
    CAIRN_ASSERT(entry->robot < CAIRN_SIM_ROBOTS_MAX);
    const bool came_itself = entry->own_mps >= 0.5 * entry->speed_mps;
    (void)snprintf(ret_words, max, came_itself ? "%s ran into %s at %.2f m/s" : "%s was met by %s at %.2f m/s",
                   names[entry->robot], entry->with, entry->speed_mps);
}

bool cairn_collision_list_write_csv(const cairn_collision_list *list, const char *const *names, FILE *to)
{
    CAIRN_ASSERT(to != NULL && list->count <= CAIRN_COLLISION_LIST_MAX);
    fputs("t_s,robot,with,speed_mps,own_mps,x_m,y_m,z_m,ahead_m,left_m,top_m,tilt_deg\n", to);
    for (uint32_t i = 0; i < list->count; i++) {
        const cairn_collision_entry *it = &list->entries[i];
        fprintf(to, "%.3f,", it->at_s);
        cairn_csv_text(to, names[it->robot], "");
        fputc(',', to);
        cairn_csv_text(to, it->with, "");
        fprintf(to, ",%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,", it->speed_mps, it->own_mps, it->at_m.x, it->at_m.y,
                it->at_m.z, it->ahead_m, it->left_m);
        if (!isnan(it->top_m)) { fprintf(to, "%.2f", it->top_m); }
        fprintf(to, ",%.1f\n", it->tilt_rad * 180 / CAIRN_PI);
    }
    return ferror(to) == 0;
}
