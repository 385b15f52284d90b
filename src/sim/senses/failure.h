// failure.h - the ways in which a simulated sensor can fail, and what becomes of its frames then.
//
// A frame is spoiled after the sensor has measured it and before anybody sees it, so that robot, journal and page get
// the same. Which sensor can fail in which way, and what a mission file must say about it, is one table here.
//
// silent        no frames
// frozen        new frames with new times, but all that they say is what the last good one said
// stuck         a part stays as it is: a wheel's count, a gyro; a bumper's side stays pressed; all ranges are the same;
//               a spot in the middle of thermal pictures stays warm
// biased        wrong by the same amount all the time
// empty         sees nothing: no echo, no warmth, no satellites, no touch
// jumping       one frame in ten, by chance, is wrong by the amount, up or down; a bumper is touched by nobody
// late          arrives so much later, with its true time
// intermittent  silent and working by turns, for 0.2 to 2 s each, by chance
//
// Chance comes from a stream of the failing sensor's own: a failure changes nothing in what other sensors say.
#pragma once
#include "base/random.h"
#include "body/frames.h"

typedef enum cairn_failure_way {
    CAIRN_FAILURE_SILENT,
    CAIRN_FAILURE_FROZEN,
    CAIRN_FAILURE_STUCK,
    CAIRN_FAILURE_BIASED,
    CAIRN_FAILURE_EMPTY,
    CAIRN_FAILURE_JUMPING,
    CAIRN_FAILURE_LATE,
    CAIRN_FAILURE_INTERMITTENT,
    CAIRN_FAILURE_WAY_COUNT
} cairn_failure_way;
extern const char *const cairn_failure_words[CAIRN_FAILURE_WAY_COUNT + 1]; // "silent", ...; ended by NULL

// What a failure's amount is. The keys of mission files; 0 is none of them.
typedef enum cairn_failure_figure {
    CAIRN_FAILURE_NO_FIGURE,
    CAIRN_FAILURE_BY_M,     // ranges, and a place's way to the east
    CAIRN_FAILURE_BY_K,     // temperatures
    CAIRN_FAILURE_BY_DEGPS, // turning about z
    CAIRN_FAILURE_BY_MPS2,  // acceleration along x
    CAIRN_FAILURE_BY_PCT,   // all wheels' ways, and so speed
    CAIRN_FAILURE_BY_TICKS, // one wheel's count
    CAIRN_FAILURE_BY_V,
    CAIRN_FAILURE_BY_UT, // the field along x
    CAIRN_FAILURE_BY_PA,
    CAIRN_FAILURE_AT_M,   // what all ranges are
    CAIRN_FAILURE_AT_C,   // how warm the spot is
    CAIRN_FAILURE_LATE_S, // how much later frames arrive
    CAIRN_FAILURE_FIGURE_COUNT
} cairn_failure_figure;
typedef struct cairn_failure_key {
    const char *key, *unit;
    double min, max; // of the amount, which is never 0
} cairn_failure_key;
extern const cairn_failure_key cairn_failure_keys[CAIRN_FAILURE_FIGURE_COUNT];
#define CAIRN_FAILURE_LATE_S_MAX 2.0 // robots' pasts are kept so long where a mission has a late sensor

typedef struct cairn_failure {
    uint32_t way;    // cairn_failure_way
    uint32_t figure; // cairn_failure_figure
    uint32_t part;   // index in the rule's parts
    uint32_t spare;  // 0
    double amount;   // in the figure's unit
} cairn_failure;

typedef struct cairn_failure_rule {
    bool possible;
    uint32_t figures;         // mask of figures, of which exactly one is needed; 0: takes none
    const char *const *parts; // one of them is needed, ended by NULL; NULL: takes none
} cairn_failure_rule;
const cairn_failure_rule *cairn_failure_rule_of(cairn_sensor sensor, cairn_failure_way way);
// Whether the table allows it: its way, exactly the figure and part that it takes, and the amount in its range.
bool cairn_failure_is_sound(cairn_sensor sensor, const cairn_failure *failure);
// "frozen", "biased by 0.2 m", "stuck: front left"; cut where there is no room.
void cairn_failure_say(cairn_sensor sensor, const cairn_failure *failure, char *ret_text, size_t text_bytes);

// One sensor of one robot, failing or not. Plain bytes without gaps: part of a world's snapshot.
typedef struct cairn_failing {
    uint32_t failed; // 0 or 1: whether the failure below holds
    uint32_t off;    // intermittent: it says nothing now
    cairn_failure failure;
    int64_t turns_ns; // intermittent: when off changes
    cairn_random random;
    // Encoders: what was lost or counted too much stays so when they work again. All in ticks.
    int64_t true_ticks[CAIRN_WHEELS_MAX];
    double shift_ticks[CAIRN_WHEELS_MAX];
} cairn_failing;

void cairn_failing_init(cairn_failing *failing, uint64_t seed, const char *stream);
// The failure must be sound.
void cairn_failing_begin(cairn_failing *failing, cairn_sensor sensor, const cairn_failure *failure, cairn_mono now);
void cairn_failing_end(cairn_failing *failing);
bool cairn_failing_is_sound(const cairn_failing *failing, cairn_sensor sensor); // what snapshots may hold
static inline bool cairn_failing_is(const cairn_failing *failing, cairn_failure_way way)
{
    return failing->failed != 0 && failing->failure.way == (uint32_t)way;
}
static inline int64_t cairn_failing_late_ns(const cairn_failing *failing)
{
    return cairn_failing_is(failing, CAIRN_FAILURE_LATE) ? cairn_ns_from_seconds(failing->failure.amount) : 0;
}
// Whether a measurement that arrives now is withheld. To be asked once for each, in order of time.
bool cairn_failing_withholds(cairn_failing *failing, cairn_mono now);

// Spoil a frame that was just measured. Not here: frozen, for which the last frame is delivered again; but the counts
// of frozen encoders are held here, since what they missed stays lost. `before`: the last frame that was delivered.
void cairn_failing_encoders(cairn_failing *failing, cairn_encoder_frame *frame); // also while they work
void cairn_failing_imu(cairn_failing *failing, const cairn_imu_frame *before, cairn_imu_frame *frame);
void cairn_failing_bump(cairn_failing *failing, cairn_bump_frame *frame);
void cairn_failing_battery(cairn_failing *failing, cairn_battery_frame *frame);
void cairn_failing_scan(cairn_failing *failing, cairn_scan_frame *frame);
void cairn_failing_thermal(cairn_failing *failing, cairn_thermal_frame *frame);
void cairn_failing_range_image(cairn_failing *failing, cairn_range_image_frame *frame);
void cairn_failing_range(cairn_failing *failing, float *range_m);
void cairn_failing_gps(cairn_failing *failing, cairn_gps_frame *frame);
void cairn_failing_magnetometer(cairn_failing *failing, cairn_magnetometer_frame *frame);
void cairn_failing_barometer(cairn_failing *failing, cairn_barometer_frame *frame);
