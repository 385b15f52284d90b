#include "sim/mission/score.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

void cairn_score_victims(cairn_score *score, const cairn_sim_arena *arena, const cairn_victims *victims)
{
    score->victim_count = arena->victim_count;
    score->found_count = score->false_count = 0;
    for (uint32_t v = 0; v < arena->victim_count; v++) {
        const cairn_vec2 true_m = cairn_pose2_at(arena->victims[v].map_T_victim);
        bool found = false;
        for (uint32_t i = 0; i < victims->victim_count; i++) {
            found |= cairn_vec2_distance(victims->victims[i].at_m, true_m) <= CAIRN_FOUND_M;
        }
        score->found_count += found;
    }
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        bool is_true = false;
        for (uint32_t v = 0; v < arena->victim_count; v++) {
            const cairn_vec2 true_m = cairn_pose2_at(arena->victims[v].map_T_victim);
            is_true |= cairn_vec2_distance(victims->victims[i].at_m, true_m) <= CAIRN_FOUND_M;
        }
        score->false_count += !is_true;
    }
}

static double kbit_per_s(uint64_t bytes, double over_s) { return 8e-3 * (double)bytes / over_s; }

void cairn_score_radio(cairn_score *score, const cairn_radio_ends *ends, const cairn_medium_info *air)
{
    CAIRN_ASSERT(score->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_radio_score *radio = &score->radio;
    *radio = (cairn_radio_score){0};
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_link_info *robot = &ends[i].robot, *station = &ends[i].station;
        const uint64_t bytes = robot->bytes_sent + station->bytes_sent;
        radio->robots[i] =
            (cairn_robot_radio_score){robot->bytes_sent, station->bytes_sent, kbit_per_s(bytes, score->sim_s)};
        radio->bytes += bytes;
        for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
            radio->stream_bytes[s] += robot->streams[s].sent_bytes + station->streams[s].sent_bytes;
        }
    }
    radio->kbit_per_s = kbit_per_s(radio->bytes, score->sim_s);
    memcpy(radio->dropped, air->lost_count, sizeof radio->dropped);
}

// Four decimals: a tenth of a millimetre is as much as anybody will read.
static json_t *figure(double value) { return isfinite(value) ? json_real(round(value * 1e4) / 1e4) : json_null(); }

static json_t *modes_json(const cairn_mode_tally *modes)
{
    json_t *all = json_object();
    for (uint32_t mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        if (modes->spent_ns[mode] == 0) { continue; }
        json_t *one = json_object();
        json_object_set_new(one, "time_s", figure(cairn_seconds(modes->spent_ns[mode])));
        json_object_set_new(one, "distance_m", figure(modes->travelled_m[mode]));
        json_object_set_new(all, cairn_mode_name((cairn_mode)mode), one);
    }
    return all;
}

static json_t *collisions_json(cairn_collisions collisions)
{
    json_t *all = json_object();
    json_object_set_new(all, "count", json_integer(collisions.count));
    json_object_set_new(all, "speed_mps_max", figure(collisions.speed_mps_max));
    return all;
}

static json_t *victims_json(const cairn_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "total", json_integer(score->victim_count));
    json_object_set_new(all, "found", json_integer(score->found_count));
    json_object_set_new(all, "missed", json_integer(score->victim_count - score->found_count));
    json_object_set_new(all, "false", json_integer(score->false_count));
    return all;
}

static json_t *count_json(uint64_t count) { return json_integer((json_int_t)count); }

static json_t *air_json(uint64_t bytes, double kbit_per_s)
{
    json_t *all = json_object();
    json_object_set_new(all, "bytes", count_json(bytes));
    json_object_set_new(all, "kbit_per_s", figure(kbit_per_s));
    return all;
}

static json_t *dropped_json(const uint64_t *dropped)
{
    json_t *all = json_object();
    uint64_t total = 0;
    for (uint32_t cause = 0; cause < CAIRN_MEDIUM_LOST_COUNT; cause++) {
        json_object_set_new(all, cairn_medium_loss_name((cairn_medium_loss)cause), count_json(dropped[cause]));
        total += dropped[cause];
    }
    json_object_set_new(all, "total", count_json(total));
    return all;
}

static json_t *radio_json(const cairn_score *score)
{
    const cairn_radio_score *radio = &score->radio;
    json_t *all = air_json(radio->bytes, radio->kbit_per_s), *robots = json_object(), *streams = json_object();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_radio_score *robot = &radio->robots[i];
        json_object_set_new(robots, score->robots[i].name,
                            air_json(robot->up_bytes + robot->down_bytes, robot->kbit_per_s));
    }
    for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
        json_object_set_new(streams, cairn_link_stream_name((cairn_link_stream)s), count_json(radio->stream_bytes[s]));
    }
    json_object_set_new(all, "per_robot", robots);
    json_object_set_new(all, "per_stream", streams);
    json_object_set_new(all, "dropped", dropped_json(radio->dropped));
    return all;
}

static json_t *operator_json(const cairn_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "actions", json_integer(score->action_count));
    json_object_set_new(all, "actions_per_minute", figure(60.0 * score->action_count / score->sim_s));
    return all;
}

char *cairn_score_to_json(const cairn_score *score)
{
    json_t *root = json_object(), *errors = json_object(), *modes = json_object();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_score *robot = &score->robots[i];
        json_t *error = json_object();
        json_object_set_new(error, "mean", figure(robot->position_error_m_mean));
        json_object_set_new(error, "max", figure(robot->position_error_m_max));
        json_object_set_new(errors, robot->name, error);
        json_object_set_new(modes, robot->name, modes_json(&robot->modes));
    }
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, score->hash);
    const bool journalled = score->hash != 0; // without a journal there is nothing to hash
    json_object_set_new(root, "mission", json_string(score->mission));
    json_object_set_new(root, "seed", json_integer((json_int_t)score->seed));
    json_object_set_new(root, "sim_s", figure(score->sim_s));
    json_object_set_new(root, "explored_fraction", figure(score->explored_fraction));
    json_object_set_new(root, "map_wall_rms_m", figure(score->map_wall_rms_m));
    json_object_set_new(root, "victims", victims_json(score));
    json_object_set_new(root, "position_error_m", errors);
    json_object_set_new(root, "modes", modes);
    json_object_set_new(root, "collisions", collisions_json(score->collisions));
    json_object_set_new(root, "radio", radio_json(score));
    json_object_set_new(root, "operator", operator_json(score));
    json_object_set_new(root, "hash", journalled ? json_string(hash) : json_null());
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    json_decref(root);
    return text;
}
