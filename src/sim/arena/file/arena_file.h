// arena_file.h - an arena file as it is written: what the schema reads it into, and the limits.
#pragma once
#include "base/config/config.h"
#include "sim/arena/elements.h"

// They keep the simulator's tables and the checks bounded.
enum {
    CAIRN_ARENA_WALLS_MAX = 16384,
    CAIRN_ARENA_POINTS_MAX = 512, // of one path
    CAIRN_ARENA_BOXES_MAX = 16384,
    CAIRN_ARENA_RAMPS_MAX = 1024,
    CAIRN_ARENA_ELEMENTS_MAX = 1024, // of each further kind of ground
    CAIRN_ARENA_HOLES_MAX = 256,     // and so many ditches
    CAIRN_ARENA_ROUGH_MAX = 64,
    CAIRN_ARENA_DOORS_MAX = 64,
    CAIRN_ARENA_BLOCKS_MAX = 1024,
    CAIRN_ARENA_FIGURES_MAX = 64,
    CAIRN_ARENA_VICTIMS_MAX = 64,
    CAIRN_ARENA_STARTS_MAX = 64
};
#define CAIRN_ARENA_SIZE_M_MAX 600.0

typedef enum cairn_wall_entry_kind { CAIRN_WALL_PATH, CAIRN_WALL_RECTANGLE } cairn_wall_entry_kind;

typedef struct cairn_wall_entry {
    uint32_t line;
    uint32_t kind; // cairn_wall_entry_kind
    uint32_t point_count;
    cairn_vec2 *points_m;
    bool closed;
    cairn_vec2 corner_m, size_m;
    double thickness_m, height_m, foot_m;
    uint32_t material; // cairn_material
} cairn_wall_entry;

typedef struct cairn_box_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad;
    cairn_vec3 size_m;
    double foot_m;
    uint32_t material;
} cairn_box_entry;

typedef struct cairn_ramp_entry {
    uint32_t line;
    uint32_t kind; // 1: a slope
    cairn_vec2 at_m;
    double heading_rad, length_m, width_m, top_m, angle_rad, foot_m;
    bool hard;
} cairn_ramp_entry;

typedef struct cairn_door_entry {
    uint32_t line;
    char name[32];
    cairn_vec2 hinge_m, latch_m;
    double thickness_m, height_m, foot_m, open_rad, swing_s;
    bool open;
    uint32_t material;
} cairn_door_entry;

typedef struct cairn_block_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad;
    cairn_vec3 size_m;
    double mass_kg, foot_m;
    uint32_t material;
} cairn_block_entry;

typedef struct cairn_figure_entry {
    uint32_t line;
    uint32_t kind; // cairn_figure_kind
    char name[32];
    uint32_t point_count;
    cairn_vec2 *points_m;
    double speed_mps, trigger_m, lethal_m, temperature_c;
} cairn_figure_entry;

typedef struct cairn_victim_entry {
    uint32_t line;
    char name[32];
    cairn_vec2 at_m;
    double facing_rad, foot_m;
    bool boxed, hangs, hard;
    double temperature_c;
} cairn_victim_entry;

typedef struct cairn_start_entry {
    uint32_t line;
    cairn_vec2 at_m;
    double heading_rad, foot_m;
} cairn_start_entry;

typedef struct cairn_arena_file {
    char name[64], about[256];
    cairn_vec2 size_m;
    double ambient_c;
    bool outdoors;
    cairn_wall_entry *walls;
    cairn_box_entry *boxes;
    cairn_ramp_entry *ramps;
    cairn_door_entry *doors;
    cairn_block_entry *blocks;
    cairn_figure_entry *figures;
    cairn_victim_entry *victims;
    cairn_start_entry *starts;
    uint32_t wall_count, box_count, ramp_count, door_count, block_count, figure_count, victim_count, start_count;
    cairn_sim_elements elements;
} cairn_arena_file;

extern const cairn_config_schema cairn_arena_file_schema;
