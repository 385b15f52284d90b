// maker.h - what the kinds of make.h share: chance, elements, what takes up which part of the plan, people.
//
// Every number that is drawn is a whole number of centimetres or degrees, so that the text says exactly what was meant.
// Adding to a list that is full sets `full`, and the attempt fails.
#pragma once
#include "base/random.h"
#include "sim/arena/import/draft.h"
#include "sim/arena/make/make.h"

// Part of the plan, between two heights, that something takes up or that is to stay free.
typedef struct cairn_taken {
    cairn_pose2 map_T_middle;
    cairn_vec2 half_m;
    double z_m_low, z_m_high;
    bool seen; // stands in the way of a look
} cairn_taken;

// Where a victim may wait: along the sides of a rectangle. Low ranks are tried first.
typedef struct cairn_zone {
    cairn_vec2 low_m, high_m;
    double foot_m;
    uint32_t rank;
} cairn_zone;

// How the next walls are built.
typedef struct cairn_wall_style {
    double thickness_m, height_m, foot_m;
    cairn_material material;
} cairn_wall_style;

typedef struct cairn_maker {
    const cairn_make_def *def;
    cairn_random random;
    cairn_draft draft;
    cairn_arena *work;
    double hard; // [-] 0 for difficulty 1 to 1 for difficulty 5
    cairn_wall_style wall;
    uint32_t taken_count, zone_count;
    cairn_taken *taken;
    cairn_zone *zones;
    bool full;
} cairn_maker;

CAIRN_CHECKED cairn_err cairn_maker_create(const cairn_make_def *def, uint32_t attempt, cairn_arena *work,
                                           cairn_maker *ret_maker);

double cairn_maker_m(cairn_maker *maker, double low_m, double high_m);            // whole centimetres
double cairn_maker_turn_rad(cairn_maker *maker, double low_deg, double high_deg); // whole degrees
bool cairn_maker_chance(cairn_maker *maker, double part);
uint32_t cairn_maker_below(cairn_maker *maker, uint32_t limit);
// From the easy value to the hard one as difficulty grows.
double cairn_maker_by_difficulty(const cairn_maker *maker, double easy, double hard);

// Whether a rectangle of the floor, wider by margin_m, meets nothing that is taken; or nothing between two heights.
bool cairn_maker_is_free(const cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double margin_m);
bool cairn_maker_is_free_between(const cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double margin_m,
                                 double z_m_low, double z_m_high);
void cairn_maker_keep_free(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m);
bool cairn_maker_can_see(const cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m, double z_m);

void cairn_maker_wall(cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m);
// The same with an opening that begins gap_from_m after its start.
void cairn_maker_wall_with_gap(cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m, double gap_from_m, double gap_m);
void cairn_maker_fence(cairn_maker *maker); // around the whole floor, in the present style
void cairn_maker_box(cairn_maker *maker, cairn_pose2 at, cairn_vec3 size_m, double foot_m, cairn_material material);
void cairn_maker_ridge(cairn_maker *maker, cairn_pose2 at, double length_m, double width_m, double angle_deg);
// at: middle of its base; x up. Ends in a flat top of top_m.
void cairn_maker_slope(cairn_maker *maker, cairn_pose2 at, double length_m, double width_m, double top_m,
                       double angle_deg);
void cairn_maker_platform(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double top_m, double slab_m);
void cairn_maker_stairs(cairn_maker *maker, cairn_pose2 at, uint32_t steps, double rise_m, double run_m,
                        double width_m);
void cairn_maker_ramp_field(cairn_maker *maker, bool crossing, cairn_vec2 corner_m, uint32_t columns, uint32_t rows,
                            double tile_m, double angle_deg);
void cairn_maker_step_field(cairn_maker *maker, const char *kind, cairn_vec2 corner_m, uint32_t columns, uint32_t rows,
                            double step_m, uint32_t levels);
void cairn_maker_rough(cairn_maker *maker, bool rubble, cairn_pose2 at, cairn_vec2 size_m, double height_m);
void cairn_maker_hole(cairn_maker *maker, cairn_vec2 at_m, cairn_vec2 size_m, double depth_m);
void cairn_maker_ditch(cairn_maker *maker, cairn_vec2 at_m, double length_m, double width_m, bool along_y,
                       double depth_m);
// A leaf in an opening; open_deg: which way and how far it opens. What it sweeps stays free.
void cairn_maker_door(cairn_maker *maker, cairn_vec2 hinge_m, cairn_vec2 latch_m, double open_deg, bool open);
void cairn_maker_block(cairn_maker *maker, cairn_pose2 at, cairn_vec3 size_m, double mass_kg, cairn_material material);

// A box or block somewhere in a rectangle where `margin_m` around it is free, after a few tries; false: no room. At any
// heading if turned, else along the axes.
typedef struct cairn_litter {
    cairn_vec2 low_m, high_m; // where its middle may be
    cairn_vec3 size_m;
    double margin_m;
    bool turned, loose;
    cairn_material material;
} cairn_litter;
bool cairn_maker_drop(cairn_maker *maker, const cairn_litter *litter);
// The same along one of the sides of the rectangle, its long side to the wall, gap_m away from it.
bool cairn_maker_drop_at_side(cairn_maker *maker, const cairn_litter *litter, double gap_m);

// Starts in rows, 0.9 m apart, within a rectangle; they stay free. The attempt fails if there is no room.
void cairn_maker_starts(cairn_maker *maker, cairn_vec2 low_m, cairn_vec2 high_m, double heading_deg);
void cairn_maker_zone(cairn_maker *maker, cairn_vec2 low_m, cairn_vec2 high_m, uint32_t rank);

// people.c: victims in the zones and figures anywhere, where robots get to in the layout as it was read back.
// CAIRN_ERR_INVALID with the reason if there is no room for all of them. *ret_reach_m2: what is reached.
CAIRN_CHECKED cairn_err cairn_maker_people(cairn_maker *maker, const cairn_sim_arena *layout,
                                           cairn_complaints *complaints, double *ret_reach_m2);

// The kinds.
void cairn_make_maze(cairn_maker *maker);
void cairn_make_office(cairn_maker *maker);
void cairn_make_yard(cairn_maker *maker);
void cairn_make_collapsed(cairn_maker *maker);
void cairn_make_radio_dropout(cairn_maker *maker);
void cairn_make_stepfield(cairn_maker *maker);
void cairn_make_showground(cairn_maker *maker);
