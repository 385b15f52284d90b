#include "robot/behaviour/surroundings.h"
#include <math.h>
#include <string.h>

// [rad] Of each bundle of beams within this angle only the shortest is used. Larger: cheaper; thinner things are
// placed less well. 2.6 cm at the range of interest.
#define BUNDLE_RAD 0.0175
// [rad] Tilted by more than this, beams are checked against the floor.
#define TILT_RAD 0.07
#define FLOOR_M 0.10
// [m] Points deeper inside the hull than this are not obstacles but faults.
#define INSIDE_M 0.05
// [-] Of the beams of a scan at least this part must tell something. Larger: black or mirrored walls blind the robot.
#define TELLING_PART 0.25
// [-] Of a nod's period; a whole one lies between two looks at what is seen at one end of it only. Larger: things that
// move leave longer trails.
#define NOD_PART 1.1
// [m] What is so much higher than the robot does not stop it.
#define OVERHEAD_M 0.10
// [m] What rises by more than this within a square is no slope. Larger: low steps are taken for ramps.
#define STEEP_M 0.07
// [m] From base: nearer than this even a slope must be floor.
#define SLOPE_FROM_M 0.30
// What is near is kept so long when the laser cannot look there. Larger: what was never there stops the robot for
// longer.
#define NEAR_NS CAIRN_S(10)
// [m] A thing is gone when a beam went this much further, this much lower than where it was met.
#define THROUGH_M 0.10
#define THROUGH_LOWER_M 0.05

// Room that is kept for what the laser looks over: the outlines of five team-mates, or two and the kerbs between.
// Larger: in narrow places the laser's own points find less.
#define HULL_POINTS 128

void cairn_surroundings_init(cairn_surroundings *around, const cairn_body_description *body)
{
    memset(around, 0, sizeof *around);
    around->half_length_m = 0.5 * body->length_m;
    around->half_width_m = 0.5 * body->width_m;
    around->sees_ground = cairn_body_sees_ground(body);
    around->laser_offered = body->laser.offered;
    around->laser = &body->laser;
    if (!body->laser.offered) { return; }
    around->laser_at_m = body->laser.base_T_laser.at_m;
    around->base_turn_laser = body->laser.base_T_laser.turn;
    const double yaw_rad = cairn_quat_to_rpy(around->base_turn_laser).yaw_rad;
    around->laser_ahead = (cairn_vec2){cos(yaw_rad), sin(yaw_rad)};
    around->half_field_cos = cos(fmin(0.5 * body->laser.field_rad, CAIRN_PI));
    around->height_m = body->height_m;
    around->climb = tan(body->limits.climb_rad_max);
    if (body->laser.nod.offered) { around->nod_ns = cairn_ns_from_seconds(NOD_PART * body->laser.nod.period_s); }
}

static void make_beams(cairn_surroundings *around, const cairn_scan_frame *scan)
{
    around->beam_count = scan->beam_count;
    around->angle_rad_first = scan->angle_rad_first;
    around->angle_rad_step = scan->angle_rad_step;
    const double stride = floor(BUNDLE_RAD / fabs((double)scan->angle_rad_step));
    around->beam_stride = (uint32_t)fmin(fmax(stride, 1.0), 16.0);
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        const double angle = (double)scan->angle_rad_first + i * (double)scan->angle_rad_step;
        const cairn_vec3 along = {cos(angle), sin(angle), 0.0};
        const cairn_vec3 in_base = cairn_quat_rotate(around->base_turn_laser, along);
        around->beam_x[i] = (float)in_base.x;
        around->beam_y[i] = (float)in_base.y;
        around->beam_z[i] = (float)in_base.z;
    }
}

static bool beams_fit(const cairn_surroundings *around, const cairn_scan_frame *scan)
{
    return around->beam_count == scan->beam_count && around->angle_rad_first == scan->angle_rad_first &&
           around->angle_rad_step == scan->angle_rad_step;
}

// One look at work: where the robot is, and which way is up.
typedef struct look {
    cairn_surroundings *around;
    cairn_pose2 odom_T_base;
    float cos_yaw, sin_yaw;
    bool tilted;
    float up_x, up_y, up_z;
    float inside_x, inside_y; // within these a point is a fault
    float forward_mps, turn_radps;
    double scan_age_s; // of the first beam
    int64_t seen_ns;   // when what is being added was seen
    float z_m;         // how high
    bool nodding;
    uint32_t point_count_max; // of what is being added
} look;

static bool nods(const cairn_surroundings *around, const cairn_scan_frame *scan)
{
    return around->nod_ns > 0 && scan != NULL && (scan->nod_rad_first != 0.0f || scan->nod_rad_last != 0.0f);
}

static look begin_look(cairn_surroundings *around, const cairn_reflex_state *reflex, const cairn_scan_frame *scan)
{
    look at = {.around = around, .odom_T_base = reflex->odom_T_base, .up_z = 1.0f, .nodding = nods(around, scan)};
    at.inside_x = (float)(around->half_length_m - INSIDE_M);
    at.inside_y = (float)(around->half_width_m - INSIDE_M);
    at.forward_mps = isfinite(reflex->forward_mps) ? (float)reflex->forward_mps : 0.0f;
    at.turn_radps = isfinite(reflex->turn_radps) ? (float)reflex->turn_radps : 0.0f;
    at.cos_yaw = (float)cos(at.odom_T_base.yaw_rad);
    at.sin_yaw = (float)sin(at.odom_T_base.yaw_rad);
    const double roll = reflex->roll_rad, pitch = reflex->pitch_rad;
    if (fabs(roll) > TILT_RAD || fabs(pitch) > TILT_RAD || (at.nodding && isfinite(roll) && isfinite(pitch))) {
        at.tilted = true; // not where it is not known
        at.up_x = (float)-sin(pitch);
        at.up_y = (float)(cos(pitch) * sin(roll));
        at.up_z = (float)(cos(pitch) * cos(roll));
    }
    return at;
}

static uint32_t square_of(float odom_m)
{
    // The offset makes the number positive, so that cutting off its fraction rounds down.
    const int32_t square = (int32_t)(odom_m * (float)(1.0 / CAIRN_AROUND_CELL_M) + 1048576.0f);
    return (uint32_t)square & (CAIRN_AROUND_CELLS - 1u);
}

// Adds a point given in base, unless its square is taken: the first to come stays. Squares are fixed in odom, so
// that what is remembered is not thinned again from look to look, nor grows.
static void add_point(look *at, float x, float y)
{
    cairn_surroundings *around = at->around;
    if (fabsf(x) < at->inside_x && fabsf(y) < at->inside_y) { return; }
    const float odom_x = (float)at->odom_T_base.x_m + at->cos_yaw * x - at->sin_yaw * y;
    const float odom_y = (float)at->odom_T_base.y_m + at->sin_yaw * x + at->cos_yaw * y;
    const uint32_t cell = square_of(odom_y) * CAIRN_AROUND_CELLS + square_of(odom_x);
    uint8_t *byte = &around->cells[cell >> 3];
    const uint8_t bit = (uint8_t)(1u << (cell & 7u));
    if ((*byte & bit) != 0) { return; }
    if (around->point_count >= at->point_count_max) {
        around->dropped_count++;
        return;
    }
    *byte |= bit;
    around->seen_ns[around->point_count] = at->seen_ns;
    around->z_m[around->point_count] = at->z_m;
    around->x_m[around->point_count] = odom_x;
    around->y_m[around->point_count++] = odom_y;
}

// The shortest beam of a bundle that returned at all; beam_count if none is near enough to matter.
static uint32_t shortest_of(const cairn_scan_frame *scan, uint32_t first, uint32_t count)
{
    uint32_t best = scan->beam_count;
    float shortest = (float)CAIRN_AROUND_RANGE_M;
    const uint32_t end = first + count < scan->beam_count ? first + count : scan->beam_count;
    for (uint32_t i = first; i < end; i++) {
        const float range = scan->range_m[i];
        if (range < shortest && range >= scan->range_m_min) { // false for NaN
            shortest = range;
            best = i;
        }
    }
    return best;
}

// Where the end of a beam was in base when it was taken, the robot having moved since.
static void add_end(look *at, const cairn_scan_frame *scan, uint32_t beam, float x, float y)
{
    const float age_s = (float)at->scan_age_s - 1e-9f * scan->beam_ns_step * (float)beam;
    const float turned = at->turn_radps * age_s, moved = at->forward_mps * age_s;
    const float c = 1.0f - 0.5f * turned * turned; // a scan is young: the turn is small
    const float ahead = x - moved;
    add_point(at, c * ahead + turned * y, c * y - turned * ahead);
}

// The direction of a beam of a laser that nods, in base: its plane is pitched by the nod of that moment.
static cairn_vec3 nodding_beam(const cairn_surroundings *around, const cairn_scan_frame *scan, uint32_t beam)
{
    const double part = scan->beam_count > 1 ? (double)beam / (scan->beam_count - 1) : 0.0;
    const double nod_rad = (double)scan->nod_rad_first + part * (double)(scan->nod_rad_last - scan->nod_rad_first);
    const double angle = (double)scan->angle_rad_first + beam * (double)scan->angle_rad_step;
    const cairn_vec3 in_laser = {cos(angle) * cos(nod_rad), sin(angle), -cos(angle) * sin(nod_rad)};
    return cairn_quat_rotate(around->base_turn_laser, in_laser);
}

static double height_of(const look *at, cairn_vec3 in_base)
{
    return (double)at->up_x * in_base.x + (double)at->up_y * in_base.y + (double)at->up_z * in_base.z;
}

// Takes a height into its square; true when what is there rises too steeply to be a slope.
static bool is_steep(look *at, cairn_vec3 end, double height_m)
{
    const float odom_x = (float)(at->odom_T_base.x_m + (double)at->cos_yaw * end.x - (double)at->sin_yaw * end.y);
    const float odom_y = (float)(at->odom_T_base.y_m + (double)at->sin_yaw * end.x + (double)at->cos_yaw * end.y);
    const uint32_t cell = (square_of(odom_y) >> 1) * CAIRN_AROUND_SPANS + (square_of(odom_x) >> 1);
    cairn_around_span *span = &at->around->spans[cell];
    const float height = (float)height_m;
    if (span->since_ns == 0 || at->seen_ns - span->since_ns > at->around->nod_ns) {
        *span = (cairn_around_span){.since_ns = at->seen_ns, .low_m = height, .high_m = height};
        return false;
    }
    span->low_m = fminf(span->low_m, height);
    span->high_m = fmaxf(span->high_m, height);
    return span->high_m - span->low_m > (float)STEEP_M;
}

static void add_nodding_beam(look *at, const cairn_scan_frame *scan, uint32_t beam)
{
    const cairn_surroundings *around = at->around;
    const cairn_vec3 direction = nodding_beam(around, scan, beam);
    const cairn_vec3 end = cairn_vec3_add(around->laser_at_m, cairn_vec3_scale(direction, (double)scan->range_m[beam]));
    const double height_m = height_of(at, end), away_m = sqrt(end.x * end.x + end.y * end.y);
    if (height_m > around->height_m + OVERHEAD_M) { return; }
    const bool steep = is_steep(at, end, height_m);
    if (height_m < FLOOR_M || end.z < FLOOR_M) { return; } // as gravity has it, or as the slope that it stands on
    if (!steep && height_m < FLOOR_M + fmax(away_m - SLOPE_FROM_M, 0.0) * around->climb) { return; }
    at->z_m = (float)height_m;
    add_end(at, scan, beam, (float)end.x, (float)end.y);
}

// Whether a beam of this scan went lower and further where something was seen before.
static bool is_seen_through(const look *at, const cairn_scan_frame *scan, float x, float y, float z)
{
    const cairn_surroundings *around = at->around;
    const double dx = (double)x - around->laser_at_m.x, dy = (double)y - around->laser_at_m.y;
    const double ahead = dx * around->laser_ahead.x + dy * around->laser_ahead.y;
    const double aside = dy * around->laser_ahead.x - dx * around->laser_ahead.y;
    const double beam = (atan2(aside, ahead) - (double)scan->angle_rad_first) / (double)scan->angle_rad_step;
    if (!(beam >= 0.0 && beam <= scan->beam_count - 1)) { return false; }
    const uint32_t nearest = (uint32_t)(beam + 0.5);
    const cairn_vec3 direction = nodding_beam(around, scan, nearest);
    const double along = sqrt(direction.x * direction.x + direction.y * direction.y), away_m = sqrt(dx * dx + dy * dy);
    const cairn_vec3 passed = cairn_vec3_add(around->laser_at_m, cairn_vec3_scale(direction, away_m / along));
    const bool further = (double)scan->range_m[nearest] * along > away_m + THROUGH_M; // false for NaN
    return further && height_of(at, passed) < (double)z - THROUGH_LOWER_M;
}

static void add_beam(look *at, const cairn_scan_frame *scan, uint32_t beam)
{
    const cairn_surroundings *around = at->around;
    const float range = scan->range_m[beam];
    const float x = (float)around->laser_at_m.x + range * around->beam_x[beam];
    const float y = (float)around->laser_at_m.y + range * around->beam_y[beam];
    const float z = (float)around->laser_at_m.z + range * around->beam_z[beam];
    if (at->tilted && at->up_x * x + at->up_y * y + at->up_z * z < (float)FLOOR_M) { return; }
    add_end(at, scan, beam, x, y);
}

// Whether a scan shows what is around now. A beam tells something if it met a thing, or nothing within its reach. Who
// does not know how its laser nods might look over everything.
static bool is_a_look(const cairn_scan_frame *scan, cairn_mono now)
{
    if (scan == NULL || scan->beam_count > CAIRN_SCAN_BEAMS_MAX || scan->taken.ns > now.ns ||
        cairn_mono_since(now, scan->taken) > CAIRN_SCAN_AGE_NS_MAX ||
        !(isfinite(scan->nod_rad_first) && isfinite(scan->nod_rad_last))) {
        return false;
    }
    uint32_t telling = 0;
    for (uint32_t i = 0; i < scan->beam_count; i++) { telling += scan->range_m[i] >= scan->range_m_min; }
    return telling > 0 && telling >= TELLING_PART * scan->beam_count;
}

static void add_scan(look *at, const cairn_scan_frame *scan, cairn_mono now)
{
    cairn_surroundings *around = at->around;
    if (!beams_fit(around, scan)) { make_beams(around, scan); }
    at->scan_age_s = cairn_seconds(cairn_mono_since(now, scan->taken));
    at->seen_ns = scan->taken.ns;
    for (uint32_t first = 0; first < scan->beam_count; first += around->beam_stride) {
        const uint32_t beam = shortest_of(scan, first, around->beam_stride);
        if (beam == scan->beam_count) { continue; }
        if (at->nodding) {
            add_nodding_beam(at, scan, beam);
        } else {
            add_beam(at, scan, beam);
        }
    }
    around->scanned = scan->taken;
    around->seen = true;
}

// Whether the laser would see a point of the base frame, were nothing in between.
static bool in_view(const cairn_surroundings *around, float x, float y)
{
    if (!around->laser_offered) { return false; }
    const double dx = x - around->laser_at_m.x, dy = y - around->laser_at_m.y;
    const double ahead = dx * around->laser_ahead.x + dy * around->laser_ahead.y;
    return ahead > sqrt(dx * dx + dy * dy) * around->half_field_cos;
}

// Adds a point of the odom frame that is near and out of the laser's view; unseen: also in its view.
static void add_told(look *at, float odom_x, float odom_y, bool unseen)
{
    const float dx = odom_x - (float)at->odom_T_base.x_m, dy = odom_y - (float)at->odom_T_base.y_m;
    const float x = at->cos_yaw * dx + at->sin_yaw * dy, y = at->cos_yaw * dy - at->sin_yaw * dx;
    const float reach = (float)(unseen ? CAIRN_AROUND_RANGE_M : CAIRN_AROUND_MEMORY_M);
    if (!(x * x + y * y <= reach * reach)) { return; } // NaN too
    if (unseen || !in_view(at->around, x, y)) { add_point(at, x, y); }
}

// Whether what a nodding laser saw a while ago is still taken to be there, in its view and out of it. Given in odom.
static bool is_kept(const look *at, const cairn_scan_frame *scan, float odom_x, float odom_y, float z, int64_t age_ns)
{
    const float dx = odom_x - (float)at->odom_T_base.x_m, dy = odom_y - (float)at->odom_T_base.y_m;
    const float x = at->cos_yaw * dx + at->sin_yaw * dy, y = at->cos_yaw * dy - at->sin_yaw * dx;
    const bool near = x * x + y * y <= (float)(CAIRN_AROUND_MEMORY_M * CAIRN_AROUND_MEMORY_M);
    return age_ns <= (near ? NEAR_NS : at->around->nod_ns) && !is_seen_through(at, scan, x, y, z);
}

void cairn_surroundings_look(cairn_surroundings *around, const cairn_reflex_state *reflex, const cairn_scan_frame *scan,
                             const cairn_near_obstacles *near, cairn_mono now)
{
    float old_x[CAIRN_AROUND_POINTS_MAX], old_y[CAIRN_AROUND_POINTS_MAX];
    float old_z[CAIRN_AROUND_POINTS_MAX];
    int64_t old_ns[CAIRN_AROUND_POINTS_MAX];
    const uint32_t old_count = around->own_count;
    memcpy(old_x, around->x_m, old_count * sizeof old_x[0]);
    memcpy(old_y, around->y_m, old_count * sizeof old_y[0]);
    memcpy(old_ns, around->seen_ns, old_count * sizeof old_ns[0]);
    memcpy(old_z, around->z_m, old_count * sizeof old_z[0]);
    around->point_count = 0;
    memset(around->cells, 0, sizeof around->cells);

    const bool told = near != NULL && near->point_count <= CAIRN_NEAR_POINTS_MAX;
    look at = begin_look(around, reflex, scan);
    at.point_count_max = CAIRN_AROUND_POINTS_MAX - (told && near->hull_count > 0 ? HULL_POINTS : 0);
    cairn_laser_doubt_go_on(&around->doubt, reflex->laser_empty != 0);
    const bool looked =
        is_a_look(scan, now) && !cairn_laser_doubt_step(&around->doubt, around->laser, scan, reflex->odom_T_base);
    if (looked) { add_scan(&at, scan, now); }
    for (uint32_t i = 0; i < old_count; i++) {
        at.seen_ns = old_ns[i];
        at.z_m = old_z[i];
        const bool kept = looked && at.nodding && is_kept(&at, scan, old_x[i], old_y[i], old_z[i], now.ns - old_ns[i]);
        add_told(&at, old_x[i], old_y[i], !looked || kept);
    }
    around->own_count = around->point_count;
    at.point_count_max = CAIRN_AROUND_POINTS_MAX;
    for (uint32_t i = 0; told && i < near->point_count; i++) {
        add_told(&at, near->x_m[i], near->y_m[i], i < near->hull_count);
    }
}
