// The points of the scan before are foretold in both ways; each beam that fits one of the two and not the other is a
// vote. What moves by itself, a team-mate in front above all, fills a part of the view only: votes for standing must
// come from several sides, and be many more than those against.
#include "robot/reflex/outlook.h"
#include <math.h>

#define WAY_M 0.3 // counted between two scans: larger: surer; needs longer
#define AGE_NS_MAX CAIRN_MS(1500)
#define NOD_RAD 0.015     // both scans lie in one plane: larger: more pairs, and floor that is taken for a wall
#define LEAN_RAD 0.02     // likewise
#define TURN_RAD_MAX 0.35 // between them: a scan is taken in a moment, not at one
#define FITS_M 0.06       // noise, and a little way that it does go
#define FITS_PART 0.01
#define EDGE_PART 0.2 // [-] neighbours that differ by more are no one surface
#define VOTES_MIN 8
#define SECTORS 6
#define SECTORS_MIN 3
#define SURER 4 // times as many as those against, and more than those who agree with neither
#define TOLD_NS_MAX CAIRN_MS(700)
#define UPRIGHT_COSINE 0.98

void cairn_outlook_init(cairn_outlook *outlook, const cairn_body_description *body)
{
    CAIRN_ASSERT(outlook != NULL && body != NULL);
    const cairn_pose3 mount = body->laser.base_T_laser;
    const cairn_vec3 up = cairn_quat_rotate(mount.turn, (cairn_vec3){0, 0, 1});
    *outlook = (cairn_outlook){.usable = body->laser.offered && up.z > UPRIGHT_COSINE,
                               .base_T_laser = cairn_pose3_to_pose2(mount)};
}

void cairn_outlook_forget(cairn_outlook *outlook)
{
    outlook->count = outlook->next = 0;
    outlook->verdict = CAIRN_OUTLOOK_SILENT;
}

static void keep(cairn_outlook *outlook, const cairn_scan_frame *scan, const cairn_outlook_lie *lie)
{
    CAIRN_ASSERT(outlook->next < CAIRN_OUTLOOK_SCANS && outlook->count <= CAIRN_OUTLOOK_SCANS);
    cairn_outlook_scan *kept = &outlook->scans[outlook->next];
    outlook->next = (outlook->next + 1) % CAIRN_OUTLOOK_SCANS;
    if (outlook->count < CAIRN_OUTLOOK_SCANS) { outlook->count++; }
    kept->taken = scan->taken;
    kept->lie = *lie;
    kept->nod_rad = 0.5 * ((double)scan->nod_rad_first + (double)scan->nod_rad_last);
    const double step = (double)(scan->beam_count - 1) / (CAIRN_OUTLOOK_BEAMS - 1);
    outlook->angle_rad_first = scan->angle_rad_first;
    outlook->angle_rad_step = scan->angle_rad_step * (float)step;
    for (uint32_t i = 0; i < CAIRN_OUTLOOK_BEAMS; i++) {
        const uint32_t beam = (uint32_t)lround(i * step);
        CAIRN_ASSERT(beam < scan->beam_count);
        const float range_m = scan->range_m[beam];
        const double rad = (double)scan->angle_rad_first + (double)scan->angle_rad_step * beam;
        const double level = hypot(cos(rad) * cos(kept->nod_rad), sin(rad));
        const bool met = range_m >= scan->range_m_min && range_m < scan->range_m_max;
        kept->range_m[i] = met ? (float)((double)range_m * level) : NAN;
    }
}

static double angle_of(const cairn_outlook *outlook, uint32_t beam)
{
    return (double)outlook->angle_rad_first + (double)outlook->angle_rad_step * beam;
}

// The range of a scan at a bearing, along a straight line between its two beams there; NaN where they met nothing.
static double range_at(const cairn_outlook *outlook, const cairn_outlook_scan *scan, double bearing_rad)
{
    const double at =
        remainder(bearing_rad - (double)outlook->angle_rad_first, 2 * CAIRN_PI) / (double)outlook->angle_rad_step;
    const double beams = at < 0 ? at + fabs(2 * CAIRN_PI / (double)outlook->angle_rad_step) : at;
    if (!(beams >= 0) || beams >= CAIRN_OUTLOOK_BEAMS - 1) { return NAN; }
    const uint32_t beam = (uint32_t)beams;
    const double a = (double)scan->range_m[beam], b = (double)scan->range_m[beam + 1], part = beams - beam;
    if (!(fabs(a - b) < EDGE_PART * fmin(a, b))) { return NAN; }
    return 1 / ((1 - part) / a + part / b);
}

typedef enum fit { FITS_NOT, FITS, FITS_UNKNOWN } fit;

// Whether a point of the scan before lies where this one has it, after so much motion.
static fit fits(const cairn_outlook *outlook, const cairn_outlook_scan *now, cairn_pose2 now_T_then, cairn_vec2 at_m)
{
    const cairn_vec2 there = cairn_pose2_apply(now_T_then, at_m);
    const cairn_vec2 in_laser = cairn_pose2_apply(cairn_pose2_inverse(outlook->base_T_laser), there);
    const double foretold_m = cairn_vec2_length(in_laser);
    const double range_m = range_at(outlook, now, atan2(in_laser.y, in_laser.x));
    if (isnan(range_m)) { return FITS_UNKNOWN; }
    return fabs(range_m - foretold_m) < FITS_M + FITS_PART * foretold_m ? FITS : FITS_NOT;
}

typedef struct tally {
    uint32_t stands, goes, neither;
    bool sectors[SECTORS]; // where those for standing are
} tally;

static tally count_votes(const cairn_outlook *outlook, const cairn_outlook_scan *then, const cairn_outlook_scan *now)
{
    const cairn_pose2 gone = cairn_pose2_between(now->lie.odom_T_base, then->lie.odom_T_base);
    const cairn_pose2 turned = {0, 0, gone.yaw_rad};
    tally votes = {0};
    for (uint32_t i = 0; i < CAIRN_OUTLOOK_BEAMS; i++) {
        const double range_m = (double)then->range_m[i], rad = angle_of(outlook, i);
        if (isnan(range_m)) { continue; }
        const cairn_vec2 in_laser = {range_m * cos(rad), range_m * sin(rad)};
        const cairn_vec2 at_m = cairn_pose2_apply(outlook->base_T_laser, in_laser);
        const fit stands = fits(outlook, now, turned, at_m), goes = fits(outlook, now, gone, at_m);
        if (stands == FITS_UNKNOWN || goes == FITS_UNKNOWN || (stands == FITS && goes == FITS)) { continue; }
        votes.stands += stands == FITS;
        votes.goes += goes == FITS;
        votes.neither += stands == FITS_NOT && goes == FITS_NOT;
        if (stands == FITS) { votes.sectors[i * SECTORS / CAIRN_OUTLOOK_BEAMS] = true; }
    }
    return votes;
}

static cairn_outlook_verdict verdict_of(const tally *votes)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < SECTORS; i++) { sectors += votes->sectors[i]; }
    const bool stands = votes->stands >= VOTES_MIN && sectors >= SECTORS_MIN && votes->stands > SURER * votes->goes;
    if (stands && votes->stands > votes->neither) { return CAIRN_OUTLOOK_STANDS; }
    const bool goes = votes->goes >= VOTES_MIN && votes->goes > votes->stands;
    return goes ? CAIRN_OUTLOOK_GOES : CAIRN_OUTLOOK_SILENT;
}

static double lean_between(const cairn_outlook_lie *a, const cairn_outlook_lie *b)
{
    const double roll_rad = a->roll_rad - b->roll_rad, pitch_rad = a->pitch_rad - b->pitch_rad;
    return fmax(isnan(roll_rad) ? 0 : fabs(roll_rad), isnan(pitch_rad) ? 0 : fabs(pitch_rad));
}

// The youngest scan of the same plane since which the wheels went far enough; NULL: none.
static const cairn_outlook_scan *one_before(const cairn_outlook *outlook, const cairn_outlook_scan *now)
{
    for (uint32_t ago = 1; ago < outlook->count; ago++) {
        const cairn_outlook_scan *then =
            &outlook->scans[(outlook->next + CAIRN_OUTLOOK_SCANS - 1 - ago) % CAIRN_OUTLOOK_SCANS];
        const int64_t age_ns = cairn_mono_since(now->taken, then->taken);
        if (age_ns < 0 || age_ns > AGE_NS_MAX) { return NULL; }
        const cairn_pose2 gone = cairn_pose2_between(then->lie.odom_T_base, now->lie.odom_T_base);
        if (fabs(gone.yaw_rad) > TURN_RAD_MAX) { return NULL; }
        if (cairn_vec2_length(cairn_pose2_at(gone)) < WAY_M || fabs(then->nod_rad - now->nod_rad) > NOD_RAD) {
            continue;
        }
        if (lean_between(&then->lie, &now->lie) <= LEAN_RAD) { return then; }
    }
    return NULL;
}

void cairn_outlook_look(cairn_outlook *outlook, const cairn_scan_frame *scan, const cairn_outlook_lie *lie,
                        cairn_mono now)
{
    CAIRN_ASSERT(scan != NULL && lie != NULL);
    if (!outlook->usable || scan->beam_count < CAIRN_OUTLOOK_BEAMS || scan->beam_count > CAIRN_SCAN_BEAMS_MAX) {
        return;
    }
    if (!(fabsf(scan->angle_rad_step) > 0)) { return; }
    keep(outlook, scan, lie);
    const cairn_outlook_scan *newest = &outlook->scans[(outlook->next + CAIRN_OUTLOOK_SCANS - 1) % CAIRN_OUTLOOK_SCANS];
    const cairn_outlook_scan *then = one_before(outlook, newest);
    if (then == NULL) { return; }
    const tally votes = count_votes(outlook, then, newest);
    const cairn_outlook_verdict verdict = verdict_of(&votes);
    if (verdict == CAIRN_OUTLOOK_SILENT) { return; }
    outlook->verdict = verdict;
    outlook->told_at = now;
}

cairn_outlook_verdict cairn_outlook_says(const cairn_outlook *outlook, cairn_mono now)
{
    const bool lately = cairn_mono_since(now, outlook->told_at) <= TOLD_NS_MAX;
    return lately ? outlook->verdict : CAIRN_OUTLOOK_SILENT;
}
