// A test yard after the ASTM methods for response robots: lanes side by side between an apron to start from and one to
// arrive at, each over another kind of ground.
//
// Harder: steeper ramps, higher steps, kerbs and stairs, coarser gravel; the arrival apron stays in reach by the
// gravel.
#include "sim/arena/make/maker.h"
#include <math.h>

#define PI 3.14159265358979323846
#define WALL_M 0.1
#define PALLET_M 1.2
#define LANE_M (2 * PALLET_M)
#define APRON_M 3.0

typedef struct lane {
    double x_m_low, x_m_high, y_m_low; // its ground, between its walls
    uint32_t pallets;                  // that fit along it
} lane;

static double round_cm(double value_m) { return round(value_m * 100.0) / 100.0; }

static cairn_pose2 middle_of(const lane *in, double x_m, double yaw_rad)
{
    return (cairn_pose2){round_cm(x_m), round_cm(in->y_m_low + LANE_M / 2), yaw_rad};
}

static void lay_gravel(cairn_maker *maker, const lane *in)
{
    const double length_m = in->pallets * PALLET_M, height_m = round_cm(cairn_maker_by_difficulty(maker, 0.02, 0.05));
    cairn_maker_rough(maker, false, middle_of(in, in->x_m_low + length_m / 2, 0.0),
                      (cairn_vec2){round_cm(length_m), 2.3}, height_m);
}

static void lay_continuous(cairn_maker *maker, const lane *in)
{
    cairn_maker_ramp_field(maker, false, (cairn_vec2){round_cm(in->x_m_low), round_cm(in->y_m_low)}, in->pallets, 2,
                           PALLET_M, round(cairn_maker_by_difficulty(maker, 10.0, 20.0)));
}

static void lay_crossing(cairn_maker *maker, const lane *in)
{
    cairn_maker_ramp_field(maker, true, (cairn_vec2){round_cm(in->x_m_low), round_cm(in->y_m_low)}, in->pallets, 2,
                           PALLET_M, round(cairn_maker_by_difficulty(maker, 10.0, 20.0)));
}

// Kerbs to get up and steps to get down, pallet by pallet.
static void lay_kerbs(cairn_maker *maker, const lane *in)
{
    const double top_m = round_cm(cairn_maker_by_difficulty(maker, 0.05, 0.2));
    for (uint32_t i = 0; i + 1 < in->pallets; i += 2) {
        cairn_maker_platform(maker, middle_of(in, in->x_m_low + (i + 1) * PALLET_M, 0.0),
                             (cairn_vec2){PALLET_M, LANE_M}, i % 4 == 0 ? top_m : round_cm(top_m * 0.75), 0.0);
    }
}

static void lay_hill(cairn_maker *maker, const lane *in)
{
    cairn_maker_step_field(maker, "hill", (cairn_vec2){round_cm(in->x_m_low), round_cm(in->y_m_low)}, in->pallets, 2,
                           round_cm(cairn_maker_by_difficulty(maker, 0.05, 0.15)), 3);
}

static void lay_diagonal(cairn_maker *maker, const lane *in)
{
    cairn_maker_step_field(maker, "diagonal", (cairn_vec2){round_cm(in->x_m_low), round_cm(in->y_m_low)}, in->pallets,
                           2, round_cm(cairn_maker_by_difficulty(maker, 0.05, 0.15)), 4);
}

static void lay_random(cairn_maker *maker, const lane *in)
{
    cairn_maker_step_field(maker, "random", (cairn_vec2){round_cm(in->x_m_low), round_cm(in->y_m_low)}, in->pallets, 2,
                           round_cm(cairn_maker_by_difficulty(maker, 0.04, 0.12)), 4);
}

// Up by stairs, along a platform, down by a slope.
static void lay_stairs(cairn_maker *maker, const lane *in)
{
    const double rise_m = round_cm(cairn_maker_by_difficulty(maker, 0.1, 0.2)), run_m = 0.28;
    const uint32_t steps = 4;
    const double high_m = steps * rise_m, up_m = in->x_m_low + steps * run_m;
    const double down_m = high_m / tan(20.0 * PI / 180.0), far_m = in->x_m_high - down_m;
    if (far_m - up_m < 0.6) { return; }
    cairn_maker_stairs(maker, middle_of(in, in->x_m_low, 0.0), steps, rise_m, run_m, LANE_M);
    cairn_maker_platform(maker,
                         (cairn_pose2){(round_cm(up_m) + round_cm(far_m)) / 2, round_cm(in->y_m_low + LANE_M / 2), 0.0},
                         (cairn_vec2){round_cm(far_m) - round_cm(up_m), LANE_M}, high_m, 0.0);
    const double length_m = round(down_m * 1e4) / 1e4;
    cairn_maker_slope(maker, (cairn_pose2){round_cm(far_m) + length_m / 2, round_cm(in->y_m_low + LANE_M / 2), PI},
                      length_m, LANE_M, 0.0, 20.0);
}

// Rubble, then a ditch across.
static void lay_rubble(cairn_maker *maker, const lane *in)
{
    const double length_m = (in->x_m_high - in->x_m_low - 2.4) / 2,
                 height_m = round_cm(cairn_maker_by_difficulty(maker, 0.08, 0.3));
    cairn_maker_rough(maker, true, middle_of(in, in->x_m_low + length_m / 2, 0.0),
                      (cairn_vec2){round_cm(length_m), 2.3}, height_m);
    const double depth_m = round_cm(cairn_maker_by_difficulty(maker, 0.1, 0.25));
    cairn_maker_ditch(maker, cairn_pose2_at(middle_of(in, in->x_m_high - length_m / 2 - 0.6, 0.0)), 2.3,
                      round_cm(7.0 * depth_m), true, depth_m);
}

void cairn_make_stepfield(cairn_maker *maker)
{
    static void (*const grounds[])(cairn_maker * maker, const lane *in) = {lay_gravel,   lay_continuous, lay_kerbs,
                                                                           lay_crossing, lay_hill,       lay_stairs,
                                                                           lay_diagonal, lay_rubble,     lay_random};
    enum { GROUNDS = sizeof grounds / sizeof grounds[0] };
    const uint32_t lanes = (uint32_t)((maker->def->size_m.y - WALL_M) / (LANE_M + WALL_M));
    // As wide as its lanes: a strip left over would be a way around all of them.
    const cairn_vec2 size_m = {maker->def->size_m.x, round_cm(lanes * (LANE_M + WALL_M) + WALL_M + 0.02)};
    maker->draft.outdoors = true;
    maker->draft.size_m = size_m;
    maker->wall = (cairn_wall_style){WALL_M, 1.2, 0.0, CAIRN_MATERIAL_WOOD};
    cairn_maker_fence(maker);
    const uint32_t pallets = (uint32_t)((size_m.x - 2 * APRON_M - 2 * WALL_M) / PALLET_M);
    const double x_m = APRON_M + WALL_M, y_m = WALL_M + 0.01;
    const double x_m_high = round_cm(x_m + pallets * PALLET_M);
    // The easiest lane is somewhere; what others there are is by chance, all different as long as there are enough.
    uint32_t order[GROUNDS], used = 0;
    for (uint32_t i = 0; i < GROUNDS; i++) { order[i] = i; }
    for (uint32_t i = GROUNDS - 1; i > 1; i--) {
        const uint32_t k = 1 + cairn_maker_below(maker, i), swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    const uint32_t easy = cairn_maker_below(maker, lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        const lane in = {x_m, x_m_high, y_m + i * (LANE_M + WALL_M), pallets};
        const double wall_y_m = round_cm(in.y_m_low + LANE_M + WALL_M / 2);
        if (wall_y_m < size_m.y - 0.3) {
            cairn_maker_wall(maker, (cairn_vec2){x_m, wall_y_m}, (cairn_vec2){x_m_high, wall_y_m});
        }
        grounds[i == easy ? 0 : order[1 + used++ % (GROUNDS - 1)]](maker, &in);
    }
    cairn_maker_starts(maker, (cairn_vec2){0.4, 0.6}, (cairn_vec2){APRON_M - 0.4, size_m.y - 0.6}, 0.0);
    const double step_m = (size_m.y - 2 * WALL_M) / lanes;
    for (uint32_t i = 0; i < lanes; i++) {
        cairn_maker_zone(maker, (cairn_vec2){size_m.x - 1.0, WALL_M + i * step_m},
                         (cairn_vec2){size_m.x - WALL_M, WALL_M + (i + 1) * step_m}, 0);
    }
    cairn_maker_zone(maker, (cairn_vec2){size_m.x - 1.0, WALL_M}, (cairn_vec2){size_m.x - WALL_M, size_m.y - WALL_M},
                     1);
}
