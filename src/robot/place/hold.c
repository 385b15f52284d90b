#include "robot/place/hold.h"
#include <math.h>

// [m] From the first on the place is doubted, below the second it is believed again. Smaller: says so of robots whose
// maps are still of use.
#define DOUBT_M 0.5
#define SURE_M 0.15
#define ASTRAY_M 0.1    // [m] a local map drawn by a robot that is surer than this is as good as the long one
#define REJOINED_M 0.05 // [m] deviation of a match to the long map
// [m] A scan that contradicts the map doubts the place by so much more, and a row of them by no more than this: nobody
// was carried off between two scans. Larger: a place that is lost is looked for farther away, and found less often.
#define ODD_M 0.4
#define SLIDE_M_MIN 0.01 // [m] less between two scans is noise
#define ODD_M_MAX 1.2

static void judge(cairn_hold *hold)
{
    const double deviation_m = cairn_hold_deviation_m(hold);
    CAIRN_ASSERT(isfinite(deviation_m));
    if (deviation_m > DOUBT_M) { hold->doubtful = true; }
    if (deviation_m < SURE_M) { hold->doubtful = false; }
}

void cairn_hold_carry(cairn_hold *hold, cairn_hold_way way)
{
    CAIRN_ASSERT(way.deviation_m >= 0 && way.spun_m >= 0);
    hold->loose_m = hypot(hold->loose_m + way.spun_m, way.deviation_m);
    judge(hold);
}

void cairn_hold_contradict(cairn_hold *hold)
{
    hold->loose_m = fmax(hold->loose_m, fmin(hold->loose_m + ODD_M, ODD_M_MAX));
    judge(hold);
}

void cairn_hold_doubt(cairn_hold *hold)
{
    hold->doubtful = true;
    judge(hold);
}

// Information about the place along the direction that is known least.
static double least_known(const cairn_match *match)
{
    const double *h = match->information;
    const double mean = 0.5 * (h[0] + h[4]), apart = 0.5 * (h[0] - h[4]);
    return fmax(mean - hypot(apart, h[1]), 0);
}

void cairn_hold_match(cairn_hold *hold, const cairn_match *match)
{
    const double before_m2 = hold->loose_m * hold->loose_m;
    hold->loose_m = sqrt(before_m2 / (1 + before_m2 * least_known(match)));
    judge(hold);
}

void cairn_hold_draw(cairn_hold *hold)
{
    if (hold->loose_m <= ASTRAY_M) { return; }
    hold->astray_m += hold->loose_m; // as a map goes astray, it goes on in one direction
    hold->loose_m = 0;
    judge(hold);
}

void cairn_hold_lose(cairn_hold *hold, double by_m)
{
    CAIRN_ASSERT(by_m > DOUBT_M);
    hold->astray_m = fmax(hold->astray_m, by_m);
    judge(hold);
}

void cairn_hold_slide(cairn_hold *hold, double way_m)
{
    CAIRN_ASSERT(way_m >= 0);
    hold->astray_m += way_m > SLIDE_M_MIN ? way_m : 0;
    judge(hold);
}

void cairn_hold_rejoin(cairn_hold *hold)
{
    hold->loose_m = REJOINED_M;
    hold->astray_m = 0;
    judge(hold);
}

void cairn_hold_settle(cairn_hold *hold)
{
    CAIRN_ASSERT(!hold->doubtful && hold->loose_m <= ASTRAY_M);
    hold->kept_m += hold->astray_m;
    hold->astray_m = 0;
    judge(hold);
}

bool cairn_hold_is_sharp(const cairn_hold *hold) { return hold->loose_m <= ASTRAY_M; }

double cairn_hold_deviation_m(const cairn_hold *hold) { return hypot(hold->loose_m, hold->astray_m); }

bool cairn_hold_is_firm(const cairn_hold *hold) { return cairn_hold_deviation_m(hold) <= ASTRAY_M; }
