#include "programs/sim/world_page.h"
#include <jansson.h>
#include <string.h>

#define MAGIC 0x444c5743u // "CWLD"
#define HEAD_BYTES ((sizeof(cairn_world_page) + 63) / 64 * 64)

cairn_mono cairn_world_moment_time(const cairn_world_moment *moment)
{
    return (cairn_mono){moment->tick * CAIRN_PHYSICS_STEP_NS};
}

size_t cairn_world_page_file_bytes(void) { return HEAD_BYTES + cairn_cell_memory_bytes(sizeof(cairn_world_moment)); }

void cairn_world_page_fill(void *file_memory, const cairn_world_page_def *def, uint64_t world_id)
{
    cairn_world_page *page = file_memory;
    page->magic = MAGIC;
    page->version = CAIRN_WORLD_PAGE_VERSION;
    page->moment_bytes = sizeof(cairn_world_moment);
    page->world_id = world_id;
    page->def = *def;
    atomic_store_explicit(&page->boot, 1, memory_order_release);
}

cairn_err cairn_world_page_check(const void *file_memory, const char *path, cairn_complaints *complaints)
{
    const cairn_world_page *page = file_memory;
    if (atomic_load_explicit(&page->boot, memory_order_acquire) == 0) { return CAIRN_ERR_EMPTY; }
    const bool same = page->magic == MAGIC && page->version == CAIRN_WORLD_PAGE_VERSION;
    if (same && page->moment_bytes == sizeof(cairn_world_moment) && page->def.robot_count <= CAIRN_SIM_ROBOTS_MAX) {
        return CAIRN_OK;
    }
    cairn_complain(complaints, path, 0, "is the world of a simulator of another version (%u, this one has %u)",
                   page->version, CAIRN_WORLD_PAGE_VERSION);
    return CAIRN_ERR_UNSUPPORTED;
}

cairn_err cairn_world_page_attach(void *file_memory, cairn_arena *arena, cairn_cell **ret_moments)
{
    return cairn_cell_attach(arena, (uint8_t *)file_memory + HEAD_BYTES, sizeof(cairn_world_moment), ret_moments);
}

// ---- snapshots

#define SNAPSHOT_MAGIC 0x504e5343u // "CSNP"
#define SNAPSHOT_HEAD_BYTES ((sizeof(cairn_snapshot_page) + 63) / 64 * 64)

size_t cairn_snapshot_page_file_bytes(size_t snapshot_bytes)
{
    return SNAPSHOT_HEAD_BYTES + cairn_cell_memory_bytes(snapshot_bytes);
}

void cairn_snapshot_page_fill(void *file_memory, size_t snapshot_bytes, uint64_t world_id)
{
    cairn_snapshot_page *page = file_memory;
    page->magic = SNAPSHOT_MAGIC;
    page->version = CAIRN_WORLD_PAGE_VERSION;
    page->snapshot_bytes = snapshot_bytes;
    page->world_id = world_id;
    atomic_store_explicit(&page->ready, 1, memory_order_release);
}

bool cairn_snapshot_page_is_of(const void *file_memory, size_t snapshot_bytes, uint64_t world_id)
{
    const cairn_snapshot_page *page = file_memory;
    return atomic_load_explicit(&page->ready, memory_order_acquire) == 1 && page->magic == SNAPSHOT_MAGIC &&
           page->version == CAIRN_WORLD_PAGE_VERSION && page->snapshot_bytes == snapshot_bytes &&
           page->world_id == world_id;
}

cairn_err cairn_snapshot_page_attach(void *file_memory, size_t snapshot_bytes, cairn_arena *arena,
                                     cairn_cell **ret_snapshots)
{
    return cairn_cell_attach(arena, (uint8_t *)file_memory + SNAPSHOT_HEAD_BYTES, snapshot_bytes, ret_snapshots);
}

// ---- words

static json_t *robot_json(const cairn_world_page_robot *robot, const cairn_world_moment_robot *seen)
{
    json_t *json = json_pack("{s:s%, s:I, s:f, s:f, s:f, s:f, s:f, s:b, s:i}",                      //
                             "name", robot->name, strnlen(robot->name, sizeof robot->name),         //
                             "number", (json_int_t)robot->number,                                   //
                             "x_m", seen->map_T_base.x_m, "y_m", seen->map_T_base.y_m,              //
                             "yaw_rad", seen->map_T_base.yaw_rad, "speed_mps", seen->speed_mps,     //
                             "wheel_radps_max", seen->wheel_radps_max, "driven", (int)seen->driven, //
                             "collisions", (int)seen->collisions.count);
    json_t *told = seen->told_ns == INT64_MAX ? json_null() : json_real((double)seen->told_ns * 1e-6);
    if (json != NULL && json_object_set_new(json, "told_ms", told) == 0) { return json; }
    json_decref(json);
    return NULL;
}

char *cairn_world_page_json(const cairn_world_page *page, const cairn_world_moment *moment, int pid)
{
    const cairn_mono time = cairn_world_moment_time(moment);
    json_t *robots = json_array();
    for (uint32_t i = 0; i < page->def.robot_count && i < CAIRN_SIM_ROBOTS_MAX; i++) {
        (void)json_array_append_new(robots, robot_json(&page->def.robots[i], &moment->robots[i]));
    }
    json_t *radio = json_pack("{s:I, s:I, s:I, s:I}", "sent", (json_int_t)moment->radio_sent_count, //
                              "sent_bytes", (json_int_t)moment->radio_sent_bytes,                   //
                              "delivered", (json_int_t)moment->radio_delivered_count,               //
                              "lost", (json_int_t)moment->radio_lost_count);
    json_t *pid_json = pid > 0 ? json_integer(pid) : json_null();
    json_t *all = json_pack("{s:f, s:I, s:I, s:o, s:f, s:o, s:o}", "time_s", cairn_seconds(time.ns), //
                            "time_ns", (json_int_t)time.ns,                                          //
                            "boot", (json_int_t)atomic_load(&page->boot), "pid", pid_json,           //
                            "lost_s", cairn_seconds(moment->lost_ns), "radio", radio, "robots", robots);
    char *text = all != NULL ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return text;
}
