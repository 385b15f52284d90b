#include "slam/trajectory/tum_io.h"
#include "slam/log/text_file_io.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 160u
#define REACH_M_MAX 1e7

static cairn_err read_pose(cairn_text_walk *walk, const char *name, cairn_complaints *complaints,
                           cairn_stamped_pose *ret_pose)
{
    double v[7];
    bool good = cairn_text_seconds(walk, &ret_pose->stamp_ns);
    for (int i = 0; i < 7 && good; i++) { good = cairn_text_real(walk, &v[i]); }
    const double length = good ? sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]) : 0;
    if (!good || fabs(length - 1) > 1e-2 || fabs(v[0]) > REACH_M_MAX || fabs(v[1]) > REACH_M_MAX) {
        cairn_complain(complaints, name, walk->line, "expected 'stamp x y z qx qy qz qw' with a unit quaternion");
        return CAIRN_ERR_CORRUPT;
    }
    const double x = v[3], y = v[4], z = v[5], w = v[6];
    ret_pose->map_T_base = (cairn_pose2){v[0], v[1], atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))};
    return CAIRN_OK;
}

static cairn_err count_poses(cairn_text_walk walk, const char *name, cairn_complaints *complaints, uint32_t *ret_count)
{
    *ret_count = 0;
    while (cairn_text_next_line(&walk)) {
        *ret_count += cairn_text_has_words(&walk);
        if (*ret_count > CAIRN_TRAJECTORY_POSES_MAX) {
            cairn_complain(complaints, name, walk.line, "more than %u poses", CAIRN_TRAJECTORY_POSES_MAX);
            return CAIRN_ERR_TOO_LARGE;
        }
    }
    if (*ret_count > 0) { return CAIRN_OK; }
    cairn_complain(complaints, name, 0, "has no poses; expected lines 'stamp x y z qx qy qz qw'");
    return CAIRN_ERR_EMPTY;
}

cairn_err cairn_tum_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                          cairn_complaints *complaints, cairn_tum_file *ret_file)
{
    CAIRN_ASSERT((bytes != NULL || size_bytes == 0) && complaints != NULL && ret_file != NULL);
    cairn_text_walk walk = cairn_text_walk_of(bytes, size_bytes);
    cairn_tum_file file = {0};
    uint32_t count;
    cairn_err err = count_poses(walk, name_for_errors, complaints, &count);
    if (err != CAIRN_OK) { return err; }
    err = cairn_arena_create(&file.memory, count * sizeof(cairn_stamped_pose));
    if (err != CAIRN_OK) {
        cairn_complain(complaints, name_for_errors, 0, "no memory left to read it");
        return err;
    }
    file.trajectory.poses = CAIRN_TAKE(&file.memory, cairn_stamped_pose, count);
    while (err == CAIRN_OK && cairn_text_next_line(&walk)) {
        if (!cairn_text_has_words(&walk)) { continue; }
        err = read_pose(&walk, name_for_errors, complaints, &file.trajectory.poses[file.trajectory.count++]);
    }
    if (err != CAIRN_OK) {
        cairn_tum_close(&file);
        return err;
    }
    cairn_trajectory_sort(&file.trajectory);
    *ret_file = file;
    return CAIRN_OK;
}

cairn_err cairn_tum_open(const char *path, cairn_complaints *complaints, cairn_tum_file *ret_file)
{
    cairn_text_file text;
    cairn_err err = cairn_text_file_open(path, complaints, &text);
    if (err != CAIRN_OK) { return err; }
    err = cairn_tum_parse(text.bytes, text.size_bytes, path, complaints, ret_file);
    cairn_text_file_close(&text);
    return err;
}

void cairn_tum_close(cairn_tum_file *file)
{
    if (file == NULL) { return; }
    cairn_arena_destroy(&file->memory);
    *file = (cairn_tum_file){0};
}

cairn_err cairn_tum_write(const cairn_trajectory *trajectory, const char *path, cairn_complaints *complaints)
{
    const size_t room = (trajectory->count + 1) * (size_t)LINE_BYTES_MAX;
    char *text = malloc(room);
    if (text == NULL) {
        cairn_complain(complaints, path, 0, "no memory left to write it");
        return CAIRN_ERR_FULL;
    }
    size_t used = (size_t)snprintf(text, room, "# stamp_s x_m y_m z_m qx qy qz qw\n");
    for (uint32_t i = 0; i < trajectory->count; i++) {
        const cairn_stamped_pose *p = &trajectory->poses[i];
        const int64_t us = (p->stamp_ns >= 0 ? p->stamp_ns + 500 : p->stamp_ns - 500) / 1000;
        used += (size_t)snprintf(text + used, room - used, "%s%lld.%06lld %.6f %.6f 0 0 0 %.9f %.9f\n",
                                 us < 0 ? "-" : "", llabs(us / 1000000), llabs(us % 1000000), p->map_T_base.x_m,
                                 p->map_T_base.y_m, sin(0.5 * p->map_T_base.yaw_rad), cos(0.5 * p->map_T_base.yaw_rad));
    }
    const cairn_bytes part = {text, used};
    const cairn_err err = cairn_bytes_write(path, &part, 1, complaints);
    free(text);
    return err;
}
