// The schema of arena files: keys, units, ranges and defaults.
#include "sim/arena/file/arena_file.h"

const char *const cairn_material_names[CAIRN_MATERIAL_COUNT + 1] = {"concrete", "brick", "drywall", "wood",
                                                                    "metal",    "glass", NULL};

#define SIZE_M_MAX CAIRN_ARENA_SIZE_M_MAX
#define HEIGHT_M_MAX 50.0 // of feet and platforms
#define AT(type)                                                                                                       \
    CAIRN_CONFIG_VECTOR(type, at_m, "at_m", "m", 0, SIZE_M_MAX, .help = "x, y from the floor's lower left corner")
#define CORNER(type)                                                                                                   \
    CAIRN_CONFIG_VECTOR(type, corner_m, "corner_m", "m", 0, SIZE_M_MAX, .help = "x, y of its lower left corner")
#define HEADING(type, member, key_)                                                                                    \
    CAIRN_CONFIG_REAL(type, member, key_, "degrees", -360, 360, .factor = CAIRN_CONFIG_DEG, .fallback = "0",           \
                      .help = "from east, counter-clockwise")
#define FOOT(type)                                                                                                     \
    CAIRN_CONFIG_REAL(type, foot_m, "foot_m", "m", 0, HEIGHT_M_MAX, .fallback = "0", .help = "height above the floor")
#define HARD(type) CAIRN_CONFIG_BOOL(type, hard, "hard", .fallback = "false", .help = "only climbers need to get there")
#define MATERIAL(type, usual) CAIRN_CONFIG_CHOICE(type, material, "material", cairn_material_names, .fallback = (usual))
#define FRICTION(type, usual) CAIRN_CONFIG_REAL(type, friction, "friction", "of tyres", 0.02, 2, .fallback = (usual))
#define ITEM(name, type)                                                                                               \
    static const cairn_config_schema name##_schema = CAIRN_CONFIG_SCHEMA(type, name##_fields);                         \
    static const cairn_config_field name##_item = CAIRN_CONFIG_ITEM_RECORD(type, &name##_schema)

#define WALL_FIELDS                                                                                                    \
    CAIRN_CONFIG_LINE(cairn_wall_entry, line),                                                                         \
        CAIRN_CONFIG_REAL(cairn_wall_entry, thickness_m, "thickness_m", "m", 0.01, 2, .fallback = "0.08"),             \
        CAIRN_CONFIG_REAL(cairn_wall_entry, height_m, "height_m", "m", 0.05, 10, .fallback = "1.0"),                   \
        FOOT(cairn_wall_entry), MATERIAL(cairn_wall_entry, "drywall")

static const cairn_config_field point_item = CAIRN_CONFIG_ITEM_VECTOR(cairn_vec2, "m", 0, SIZE_M_MAX);
static const cairn_config_field path_fields[] = {
    WALL_FIELDS,
    CAIRN_CONFIG_LIST(cairn_wall_entry, points_m, point_count, "points_m", &point_item, CAIRN_ARENA_POINTS_MAX,
                      .item_min = 2, .help = "[x, y] of the middle line, corner by corner"),
    CAIRN_CONFIG_BOOL(cairn_wall_entry, closed, "closed", .fallback = "false"),
};
static const cairn_config_schema path_schema = CAIRN_CONFIG_SCHEMA(cairn_wall_entry, path_fields);
static const cairn_config_field rectangle_fields[] = {
    WALL_FIELDS,
    CAIRN_CONFIG_VECTOR(cairn_wall_entry, corner_m, "corner_m", "m", 0, SIZE_M_MAX, .help = "lower left, middle line"),
    CAIRN_CONFIG_VECTOR(cairn_wall_entry, size_m, "size_m", "m", 0.1, SIZE_M_MAX, .help = "between middle lines"),
};
static const cairn_config_schema rectangle_schema = CAIRN_CONFIG_SCHEMA(cairn_wall_entry, rectangle_fields);
static const cairn_config_variant wall_variants[] = {[CAIRN_WALL_PATH] = {"path", &path_schema},
                                                     [CAIRN_WALL_RECTANGLE] = {"rectangle", &rectangle_schema},
                                                     {NULL, NULL}};
static const cairn_config_field wall_item = CAIRN_CONFIG_ITEM_VARIANT(cairn_wall_entry, kind, wall_variants);

static const cairn_config_field box_fields[] = {
    CAIRN_CONFIG_LINE(cairn_box_entry, line),
    AT(cairn_box_entry),
    HEADING(cairn_box_entry, heading_rad, "heading_deg"),
    CAIRN_CONFIG_VECTOR(cairn_box_entry, size_m, "size_m", "m", 0.02, 50, .help = "along its heading, across, height"),
    FOOT(cairn_box_entry),
    MATERIAL(cairn_box_entry, "wood"),
};
ITEM(box, cairn_box_entry);

static const char *const ramp_kinds[] = {"ridge", "slope", NULL};
static const cairn_config_field ramp_fields[] = {
    CAIRN_CONFIG_LINE(cairn_ramp_entry, line),
    CAIRN_CONFIG_CHOICE(cairn_ramp_entry, kind, "kind", ramp_kinds, .fallback = "ridge"),
    AT(cairn_ramp_entry),
    HEADING(cairn_ramp_entry, heading_rad, "heading_deg"),
    CAIRN_CONFIG_REAL(cairn_ramp_entry, length_m, "length_m", "m", 0.2, 60, .help = "foot to foot"),
    CAIRN_CONFIG_REAL(cairn_ramp_entry, width_m, "width_m", "m", 0.7, 60, .help = "across the way over it"),
    CAIRN_CONFIG_REAL(cairn_ramp_entry, top_m, "top_m", "m", 0, 60, .fallback = "0", .help = "length of the flat top"),
    CAIRN_CONFIG_REAL(cairn_ramp_entry, angle_rad, "angle_deg", "degrees", 1, 45, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "15", .help = "of its slopes"),
    FOOT(cairn_ramp_entry),
    HARD(cairn_ramp_entry),
};
ITEM(ramp, cairn_ramp_entry);

static const cairn_config_field platform_fields[] = {
    CAIRN_CONFIG_LINE(cairn_platform, line),
    AT(cairn_platform),
    HEADING(cairn_platform, heading_rad, "heading_deg"),
    CAIRN_CONFIG_VECTOR(cairn_platform, size_m, "size_m", "m", 0.05, SIZE_M_MAX, .help = "along its heading, across"),
    CAIRN_CONFIG_REAL(cairn_platform, top_m, "top_m", "m", 0.01, HEIGHT_M_MAX, .fallback = "0.1"),
    CAIRN_CONFIG_REAL(cairn_platform, slab_m, "slab_m", "m", 0, 2, .fallback = "0", .help = "thickness; 0: solid"),
    FRICTION(cairn_platform, "0.8"),
};
ITEM(platform, cairn_platform);

static const cairn_config_field stairs_fields[] = {
    CAIRN_CONFIG_LINE(cairn_stairs, line),
    AT(cairn_stairs),
    HEADING(cairn_stairs, heading_rad, "heading_deg"),
    CAIRN_CONFIG_INTEGER(cairn_stairs, steps, "steps", NULL, 1, 200, .fallback = "5"),
    CAIRN_CONFIG_REAL(cairn_stairs, rise_m, "rise_m", "m", 0.02, 0.5, .fallback = "0.18", .help = "of one step"),
    CAIRN_CONFIG_REAL(cairn_stairs, run_m, "run_m", "m", 0.1, 2, .fallback = "0.28", .help = "depth of one step"),
    CAIRN_CONFIG_REAL(cairn_stairs, width_m, "width_m", "m", 0.3, 60, .fallback = "1.2"),
    FOOT(cairn_stairs),
};
ITEM(stairs, cairn_stairs);

#define TILES(type) CAIRN_CONFIG_VECTOR(type, tiles, "tiles", NULL, 1, 64, .help = "how many along x and y")
static const char *const ramp_field_kinds[] = {"continuous", "crossing", NULL};
static const cairn_config_field ramp_field_fields[] = {
    CAIRN_CONFIG_LINE(cairn_ramp_field, line),
    CAIRN_CONFIG_CHOICE(cairn_ramp_field, kind, "kind", ramp_field_kinds, .help = "continuous or crossing"),
    CORNER(cairn_ramp_field),
    TILES(cairn_ramp_field),
    CAIRN_CONFIG_REAL(cairn_ramp_field, tile_m, "tile_m", "m", 0.2, 5, .fallback = "1.2"),
    CAIRN_CONFIG_REAL(cairn_ramp_field, angle_rad, "angle_deg", "degrees", 1, 45, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "15"),
};
ITEM(ramp_field, cairn_ramp_field);

static const char *const step_field_kinds[] = {"hill", "diagonal", "random", NULL};
static const cairn_config_field step_field_fields[] = {
    CAIRN_CONFIG_LINE(cairn_step_field, line),
    CAIRN_CONFIG_CHOICE(cairn_step_field, kind, "kind", step_field_kinds, .help = "hill, diagonal or random"),
    CORNER(cairn_step_field),
    TILES(cairn_step_field),
    CAIRN_CONFIG_REAL(cairn_step_field, post_m, "post_m", "m", 0.1, 0.6, .fallback = "0.2", .help = "side of a post"),
    CAIRN_CONFIG_REAL(cairn_step_field, step_m, "step_m", "m", 0.01, 0.5, .fallback = "0.1"),
    CAIRN_CONFIG_INTEGER(cairn_step_field, levels, "levels", NULL, 1, 20, .fallback = "4"),
    CAIRN_CONFIG_INTEGER(cairn_step_field, seed, "seed", NULL, 0, 4294967295.0, .fallback = "1"),
    CAIRN_CONFIG_BOOL(cairn_step_field, turned, "turned", .fallback = "false", .help = "by a quarter: diagonal"),
};
ITEM(step_field, cairn_step_field);

#define ROUGH_FIELDS(usual_height_m)                                                                                   \
    CAIRN_CONFIG_LINE(cairn_rough, line), AT(cairn_rough), HEADING(cairn_rough, heading_rad, "heading_deg"),           \
        CAIRN_CONFIG_VECTOR(cairn_rough, size_m, "size_m", "m", 0.2, SIZE_M_MAX, .help = "along its heading, across"), \
        CAIRN_CONFIG_REAL(cairn_rough, height_m, "height_m", "m", 0.005, 2, .fallback = (usual_height_m)),             \
        CAIRN_CONFIG_REAL(cairn_rough, cell_m, "cell_m", "m", 0.02, 2, .fallback = "0.1"), FOOT(cairn_rough),          \
        CAIRN_CONFIG_INTEGER(cairn_rough, seed, "seed", NULL, 0, 4294967295.0, .fallback = "1"),                       \
        FRICTION(cairn_rough, "0.8")
static const cairn_config_field gravel_fields[] = {ROUGH_FIELDS("0.05")};
static const cairn_config_schema gravel_schema = CAIRN_CONFIG_SCHEMA(cairn_rough, gravel_fields);
static const cairn_config_field rubble_fields[] = {ROUGH_FIELDS("0.25")};
static const cairn_config_schema rubble_schema = CAIRN_CONFIG_SCHEMA(cairn_rough, rubble_fields);
static const cairn_config_variant rough_variants[] = {
    [CAIRN_ROUGH_GRAVEL] = {"gravel", &gravel_schema}, [CAIRN_ROUGH_RUBBLE] = {"rubble", &rubble_schema}, {NULL, NULL}};
static const cairn_config_field rough_item = CAIRN_CONFIG_ITEM_VARIANT(cairn_rough, kind, rough_variants);

// A pit's bottom must lie well above CAIRN_ABYSS_M.
#define DEPTH_M_MAX 8.0
static const cairn_config_field hole_fields[] = {
    CAIRN_CONFIG_LINE(cairn_hole, line),
    AT(cairn_hole),
    CAIRN_CONFIG_VECTOR(cairn_hole, size_m, "size_m", "m", 0.05, SIZE_M_MAX, .help = "along x, along y"),
    CAIRN_CONFIG_REAL(cairn_hole, depth_m, "depth_m", "m", 0.01, DEPTH_M_MAX, .fallback = "1.0"),
};
ITEM(hole, cairn_hole);

static const char *const axes[] = {"x", "y", NULL};
static const cairn_config_field ditch_fields[] = {
    CAIRN_CONFIG_LINE(cairn_ditch, line),
    AT(cairn_ditch),
    CAIRN_CONFIG_REAL(cairn_ditch, length_m, "length_m", "m", 0.1, SIZE_M_MAX),
    CAIRN_CONFIG_REAL(cairn_ditch, width_m, "width_m", "m", 0.1, 60),
    CAIRN_CONFIG_CHOICE(cairn_ditch, along, "along", axes, .fallback = "x", .help = "which way its length lies"),
    CAIRN_CONFIG_REAL(cairn_ditch, depth_m, "depth_m", "m", 0.01, DEPTH_M_MAX, .fallback = "0.15"),
    FRICTION(cairn_ditch, "0.15"),
};
ITEM(ditch, cairn_ditch);

static const cairn_config_field door_fields[] = {
    CAIRN_CONFIG_LINE(cairn_door_entry, line),
    CAIRN_CONFIG_TEXT(cairn_door_entry, name, "name", .help = "for events of missions"),
    CAIRN_CONFIG_VECTOR(cairn_door_entry, hinge_m, "hinge_m", "m", 0, SIZE_M_MAX, .help = "x, y of the hinge"),
    CAIRN_CONFIG_VECTOR(cairn_door_entry, latch_m, "latch_m", "m", 0, SIZE_M_MAX, .help = "other end when closed"),
    CAIRN_CONFIG_REAL(cairn_door_entry, thickness_m, "thickness_m", "m", 0.01, 0.5, .fallback = "0.04"),
    CAIRN_CONFIG_REAL(cairn_door_entry, height_m, "height_m", "m", 0.2, 10, .fallback = "2.0"),
    FOOT(cairn_door_entry),
    CAIRN_CONFIG_REAL(cairn_door_entry, open_rad, "open_deg", "degrees", -180, 180, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "90", .help = "how far it opens, counter-clockwise positive"),
    CAIRN_CONFIG_REAL(cairn_door_entry, swing_s, "swing_s", "s", 0.1, 60, .fallback = "2"),
    CAIRN_CONFIG_BOOL(cairn_door_entry, open, "open", .fallback = "true"),
    MATERIAL(cairn_door_entry, "wood"),
};
ITEM(door, cairn_door_entry);

static const cairn_config_field block_fields[] = {
    CAIRN_CONFIG_LINE(cairn_block_entry, line),
    AT(cairn_block_entry),
    HEADING(cairn_block_entry, heading_rad, "heading_deg"),
    CAIRN_CONFIG_VECTOR(cairn_block_entry, size_m, "size_m", "m", 0.03, 5, .help = "along its heading, across, height"),
    CAIRN_CONFIG_REAL(cairn_block_entry, mass_kg, "mass_kg", "kg", 0.05, 5000),
    FOOT(cairn_block_entry),
    MATERIAL(cairn_block_entry, "concrete"),
};
ITEM(block, cairn_block_entry);

#define FIGURE_FIELDS(usual_c)                                                                                         \
    CAIRN_CONFIG_LINE(cairn_figure_entry, line), CAIRN_CONFIG_TEXT(cairn_figure_entry, name, "name"),                  \
        CAIRN_CONFIG_LIST(cairn_figure_entry, points_m, point_count, "points_m", &point_item, CAIRN_ARENA_POINTS_MAX,  \
                          .item_min = 1, .help = "[x, y] of its way, walked to and fro"),                              \
        CAIRN_CONFIG_REAL(cairn_figure_entry, speed_mps, "speed_mps", "m/s", 0, 5, .fallback = "0"),                   \
        CAIRN_CONFIG_REAL(cairn_figure_entry, temperature_c, "temperature_c", "degrees Celsius", -40, 80,              \
                          .fallback = (usual_c))
static const cairn_config_field bystander_fields[] = {FIGURE_FIELDS("33")};
static const cairn_config_schema bystander_schema = CAIRN_CONFIG_SCHEMA(cairn_figure_entry, bystander_fields);
static const cairn_config_field hazard_fields[] = {
    FIGURE_FIELDS("20"),
    CAIRN_CONFIG_REAL(cairn_figure_entry, trigger_m, "trigger_m", "m", 0.1, 100, .fallback = "2.5"),
    CAIRN_CONFIG_REAL(cairn_figure_entry, lethal_m, "lethal_m", "m", 0.1, 100, .fallback = "10"),
};
static const cairn_config_schema hazard_schema = CAIRN_CONFIG_SCHEMA(cairn_figure_entry, hazard_fields);
static const cairn_config_variant figure_variants[] = {[CAIRN_FIGURE_BYSTANDER] = {"bystander", &bystander_schema},
                                                       [CAIRN_FIGURE_HAZARD] = {"hazard", &hazard_schema},
                                                       {NULL, NULL}};
static const cairn_config_field figure_item = CAIRN_CONFIG_ITEM_VARIANT(cairn_figure_entry, kind, figure_variants);

static const cairn_config_field victim_fields[] = {
    CAIRN_CONFIG_LINE(cairn_victim_entry, line),
    CAIRN_CONFIG_TEXT(cairn_victim_entry, name, "name", .help = "shown in scores and pictures"),
    AT(cairn_victim_entry),
    HEADING(cairn_victim_entry, facing_rad, "facing_deg"),
    FOOT(cairn_victim_entry),
    CAIRN_CONFIG_BOOL(cairn_victim_entry, boxed, "boxed", .fallback = "false"),
    CAIRN_CONFIG_BOOL(cairn_victim_entry, hangs, "hangs", .fallback = "false", .help = "in a small box on a wall"),
    HARD(cairn_victim_entry),
    CAIRN_CONFIG_REAL(cairn_victim_entry, temperature_c, "temperature_c", "degrees Celsius", -40, 80, .fallback = "33"),
};
ITEM(victim, cairn_victim_entry);

static const cairn_config_field start_fields[] = {
    CAIRN_CONFIG_LINE(cairn_start_entry, line),
    AT(cairn_start_entry),
    HEADING(cairn_start_entry, heading_rad, "heading_deg"),
    FOOT(cairn_start_entry),
};
ITEM(start, cairn_start_entry);

#define LIST(member, count_member, key_, item_field, item_max_)                                                        \
    CAIRN_CONFIG_LIST(cairn_arena_file, member, count_member, key_, &(item_field), item_max_, .fallback = "[]")
#define GROUND_LIST(member, count_member, key_, item_field, item_max_)                                                 \
    LIST(elements.member, elements.count_member, key_, item_field, item_max_)

static const cairn_config_field arena_fields[] = {
    CAIRN_CONFIG_TEXT(cairn_arena_file, name, "name", .help = "one word"),
    CAIRN_CONFIG_TEXT(cairn_arena_file, about, "about", .help = "one sentence for people"),
    CAIRN_CONFIG_VECTOR(cairn_arena_file, size_m, "size_m", "m", 1, SIZE_M_MAX, .help = "of the floor: x, y"),
    CAIRN_CONFIG_REAL(cairn_arena_file, ambient_c, "ambient_c", "degrees Celsius", -40, 60, .fallback = "20"),
    CAIRN_CONFIG_BOOL(cairn_arena_file, outdoors, "outdoors", .fallback = "false"),
    LIST(walls, wall_count, "walls", wall_item, CAIRN_ARENA_WALLS_MAX),
    LIST(boxes, box_count, "boxes", box_item, CAIRN_ARENA_BOXES_MAX),
    LIST(ramps, ramp_count, "ramps", ramp_item, CAIRN_ARENA_RAMPS_MAX),
    GROUND_LIST(platforms, platform_count, "platforms", platform_item, CAIRN_ARENA_ELEMENTS_MAX),
    GROUND_LIST(stairs, stairs_count, "stairs", stairs_item, CAIRN_ARENA_ELEMENTS_MAX),
    GROUND_LIST(ramp_fields, ramp_field_count, "ramp_fields", ramp_field_item, CAIRN_ARENA_ELEMENTS_MAX),
    GROUND_LIST(step_fields, step_field_count, "step_fields", step_field_item, CAIRN_ARENA_ELEMENTS_MAX),
    GROUND_LIST(holes, hole_count, "holes", hole_item, CAIRN_ARENA_HOLES_MAX),
    GROUND_LIST(ditches, ditch_count, "ditches", ditch_item, CAIRN_ARENA_HOLES_MAX),
    GROUND_LIST(rough, rough_count, "rough", rough_item, CAIRN_ARENA_ROUGH_MAX),
    LIST(doors, door_count, "doors", door_item, CAIRN_ARENA_DOORS_MAX),
    LIST(blocks, block_count, "blocks", block_item, CAIRN_ARENA_BLOCKS_MAX),
    LIST(figures, figure_count, "figures", figure_item, CAIRN_ARENA_FIGURES_MAX),
    LIST(victims, victim_count, "victims", victim_item, CAIRN_ARENA_VICTIMS_MAX),
    CAIRN_CONFIG_LIST(cairn_arena_file, starts, start_count, "starts", &start_item, CAIRN_ARENA_STARTS_MAX,
                      .item_min = 1, .help = "where robots begin"),
};
const cairn_config_schema cairn_arena_file_schema = CAIRN_CONFIG_SCHEMA(cairn_arena_file, arena_fields);
