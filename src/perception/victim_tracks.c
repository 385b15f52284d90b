// victim_tracks.c - nearest neighbour, weighted means, and a log-odds of being a person.
#include "perception/victim_tracks.h"
#include <string.h>

#define LOGODDS_FIRST (-1.5) // a single warm spot is more often something else
#define LOGODDS_WHOLE 0.6    // each picture that shows it whole
#define LOGODDS_CUT 0.2      // and each that shows a part
#define LOGODDS_MAX 3.5
#define PLACE_M_MAX 1e5 // no robot sees a person farther away
// [-] Evidence of motion fades by 1/e in so long.
#define MOTION_S 1.5
#define MOTION_S_MIN 0.4 // [s] and must span so much
#define MOTION_FRAMES_MIN 5
#define MOTION_NOISE_M 0.03 // [m] deviation of sightings of what stands, at least
#define WALKS_MPS 0.3       // slower is not told from a place that gets surer as the robot comes near
#define WALKS_DEVIATIONS 4.0
#define WALKS_M 0.5           // [m] and so far it must have come
#define STANDS_NS CAIRN_S(4)  // who has stood for so long, and never went away, did not walk after all
#define STANDS_M 1.0          // [m] went away: this far
#define LEFT_M 1.3            // [m] from the track that somebody left who got up
#define LEFT_NS CAIRN_MS(500) // and between the two
#define UNSEEN_NS CAIRN_S(1)  // out of sight
#define FORGET_WEIGHT 0.9     // [-] once as sure as it may be, old pictures fade by this factor: the frame drifts

// A straight walk fitted to the latest sightings: sums over them, times from the last one on, places from the first.
// All of them show it whole, or all cut: where more of somebody comes into view, the middle of it moves and nobody
// does.
typedef struct track_motion {
    double weight, t, tt, x, y, tx, ty, xx_yy;
    uint32_t frame_count; // ever
    uint32_t fit_count;   // in the sums, from span_s ago on
    double span_s;
    bool cut;
} track_motion;

typedef struct track_entry {
    cairn_victim_track track;
    double weight, scatter, logodds; // as in cairn_victim_track_memo
    cairn_vec3 reported_at_m;
    double reported_confidence;
    bool taken;      // has its sighting of the picture under way
    bool tell_again; // its last report may not have arrived
    // Not kept over a restart: it is watched anew.
    track_motion motion;
    cairn_vec2 speed_mps; // while it moves
    cairn_vec3 first_m;
    cairn_mono watched_from, moved_at; // moved_at 0: never
    bool walks, taken_back;
} track_entry;

struct cairn_victim_tracks {
    cairn_victim_tracks_def def;
    uint32_t count, last_id, given_up_count;
    cairn_mono newest;                            // picture
    track_entry entries[CAIRN_VICTIM_TRACKS_MAX]; // in order of id
};

cairn_victim_tracks_def cairn_victim_tracks_def_default(void)
{
    return (cairn_victim_tracks_def){
        .gate_m = 0.8,
        .merge_m = 0.45,
        .deviation_m_min = 0.04,
        .report_frame_count = 3,
        .still_ns = CAIRN_S(1),
        .glimpse_frame_count = 5,
        .report_deviation_m = 0.3,
        .report_moved_m = 0.25,
        .report_grown = 0.25,
    };
}

cairn_err cairn_victim_tracks_create(const cairn_victim_tracks_def *def, cairn_arena *arena,
                                     cairn_victim_tracks **ret_tracks)
{
    CAIRN_ASSERT(def->gate_m > 0 && def->deviation_m_min > 0 && def->report_frame_count > 0);
    cairn_victim_tracks *tracks = CAIRN_TAKE(arena, cairn_victim_tracks, 1);
    if (!tracks) { return CAIRN_ERR_FULL; }
    tracks->def = *def;
    *ret_tracks = tracks;
    return CAIRN_OK;
}

static double ground_distance(cairn_vec3 a, cairn_vec3 b) { return hypot(a.x - b.x, a.y - b.y); }

static void entry_describe(const cairn_victim_tracks *tracks, track_entry *entry)
{
    const double floor_m = tracks->def.deviation_m_min;
    const double variance = 1 / entry->weight + entry->scatter / entry->track.frame_count;
    entry->track.deviation_m = sqrt(variance > floor_m * floor_m ? variance : floor_m * floor_m);
    entry->track.confidence = 1 / (1 + exp(-entry->logodds));
}

static void entry_remove(cairn_victim_tracks *tracks, uint32_t index)
{
    CAIRN_ASSERT(index < tracks->count);
    tracks->count--;
    memmove(tracks->entries + index, tracks->entries + index + 1, (tracks->count - index) * sizeof *tracks->entries);
}

static void give_one_up(cairn_victim_tracks *tracks)
{
    CAIRN_ASSERT(tracks->count > 0);
    uint32_t worst = 0;
    for (uint32_t i = 1; i < tracks->count; i++) {
        const cairn_victim_track *a = &tracks->entries[i].track, *b = &tracks->entries[worst].track;
        const bool a_reported = a->report_count > 0, b_reported = b->report_count > 0;
        if (a_reported != b_reported ? b_reported : a->last_seen.ns < b->last_seen.ns) { worst = i; }
    }
    entry_remove(tracks, worst);
    tracks->given_up_count++;
}

static void motion_age(track_motion *motion, double dt_s)
{
    const double keep = exp(-dt_s / MOTION_S);
    motion->tt += dt_s * (dt_s * motion->weight - 2 * motion->t);
    motion->tx -= dt_s * motion->x;
    motion->ty -= dt_s * motion->y;
    motion->t -= dt_s * motion->weight;
    double *const sums[] = {&motion->weight, &motion->t,  &motion->tt, &motion->x,
                            &motion->y,      &motion->tx, &motion->ty, &motion->xx_yy};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) { *sums[i] *= keep; }
    motion->span_s += dt_s;
}

// The speed that the sightings tell, and how sure it is; false: too few, or too short a time.
static bool motion_speed(const track_motion *motion, cairn_vec2 *ret_mps, double *ret_deviation_mps)
{
    if (motion->fit_count < MOTION_FRAMES_MIN || motion->span_s < MOTION_S_MIN) { return false; }
    const double w = motion->weight, spread = motion->tt - motion->t * motion->t / w;
    if (spread < 1e-6) { return false; }
    const cairn_vec2 v = {(motion->tx - motion->t * motion->x / w) / spread,
                          (motion->ty - motion->t * motion->y / w) / spread};
    const double about = motion->xx_yy - (motion->x * motion->x + motion->y * motion->y) / w;
    const double left = fmax(about - spread * cairn_vec2_dot(v, v), 0) / (2 * w); // of each axis
    *ret_mps = v;
    *ret_deviation_mps = sqrt(fmax(left, MOTION_NOISE_M * MOTION_NOISE_M) / spread);
    return true;
}

static void motion_add(track_entry *entry, const cairn_victim_sighting *sighting, cairn_mono taken)
{
    track_motion *motion = &entry->motion;
    if (sighting->rough) { // as the robot comes nearer, its error goes, and nobody does
        *motion = (track_motion){.frame_count = motion->frame_count + 1};
        return;
    }
    if (motion->cut != sighting->cut) {
        *motion = (track_motion){.frame_count = motion->frame_count, .cut = sighting->cut};
    } else if (motion->fit_count > 0) {
        motion_age(motion, cairn_seconds(cairn_mono_since(taken, entry->track.last_seen)));
    }
    const double x = sighting->at_m.x - entry->first_m.x, y = sighting->at_m.y - entry->first_m.y;
    motion->weight += 1;
    motion->x += x;
    motion->y += y;
    motion->xx_yy += x * x + y * y;
    motion->frame_count++;
    motion->fit_count++;
}

// Who gets up leaves the track behind that lay there: the walk begins beside it, when it was last seen.
static void find_left_behind(cairn_victim_tracks *tracks, const track_entry *walker)
{
    for (uint32_t i = 0; i < tracks->count; i++) {
        track_entry *other = &tracks->entries[i];
        const int64_t after_ns = cairn_mono_since(walker->watched_from, other->track.last_seen);
        if (other == walker || after_ns < 0 || after_ns > LEFT_NS) { continue; }
        if (ground_distance(other->track.at_m, walker->first_m) < LEFT_M) { other->walks = true; }
    }
}

// Whether it moves, and what follows from that.
static void entry_watch(cairn_victim_tracks *tracks, track_entry *entry)
{
    cairn_vec2 mps;
    double deviation_mps = 0;
    if (!motion_speed(&entry->motion, &mps, &deviation_mps)) { return; }
    const double away_m = ground_distance(entry->track.at_m, entry->first_m), speed_mps = cairn_vec2_length(mps);
    const bool moves = speed_mps > fmax(WALKS_MPS, WALKS_DEVIATIONS * deviation_mps);
    entry->speed_mps = moves ? mps : (cairn_vec2){0, 0};
    if (moves) { entry->moved_at = entry->track.last_seen; }
    if (moves && away_m > WALKS_M && !entry->walks) {
        entry->walks = true;
        find_left_behind(tracks, entry);
    }
    const bool stands = cairn_mono_since(entry->track.last_seen, entry->moved_at) > STANDS_NS;
    if (entry->walks && stands && away_m < STANDS_M && !entry->taken_back) { entry->walks = false; }
}

static void entry_start(cairn_victim_tracks *tracks, const cairn_victim_sighting *sighting, cairn_mono taken)
{
    if (tracks->count == CAIRN_VICTIM_TRACKS_MAX) { give_one_up(tracks); }
    track_entry *entry = &tracks->entries[tracks->count++];
    *entry = (track_entry){
        .track = {.id = ++tracks->last_id,
                  .at_m = sighting->at_m,
                  .celsius_max = sighting->celsius_max,
                  .frame_count = 1,
                  .first_seen = taken,
                  .last_seen = taken},
        .weight = 1 / (sighting->deviation_m * sighting->deviation_m),
        .logodds = LOGODDS_FIRST + (sighting->cut ? LOGODDS_CUT : LOGODDS_WHOLE),
        .taken = true,
        .first_m = sighting->at_m,
        .watched_from = taken,
    };
    motion_add(entry, sighting, taken);
    entry_describe(tracks, entry);
}

static void entry_add(cairn_victim_tracks *tracks, track_entry *entry, const cairn_victim_sighting *sighting,
                      cairn_mono taken)
{
    cairn_victim_track *track = &entry->track;
    const double off_m = ground_distance(track->at_m, sighting->at_m);
    const double weight = 1 / (sighting->deviation_m * sighting->deviation_m);
    const double weight_max = 1 / (tracks->def.deviation_m_min * tracks->def.deviation_m_min);
    const bool moves = cairn_vec2_length(entry->speed_mps) > 0;
    if (moves) { entry->weight = fmin(entry->weight, weight); } // where it was says little
    const double part = weight / (entry->weight + weight);
    const cairn_vec3 by = cairn_vec3_scale(cairn_vec3_sub(sighting->at_m, track->at_m), part);
    track->at_m = cairn_vec3_add(track->at_m, by);
    entry->weight = sighting->rough ? fmax(entry->weight, weight) : entry->weight + weight;
    motion_add(entry, sighting, taken);
    if (entry->weight > weight_max) { entry->weight = FORGET_WEIGHT * weight_max; }
    track->frame_count++;
    const double newest = track->frame_count < 10 ? 1.0 / (track->frame_count - 1) : 0.1;
    entry->scatter += newest * (off_m * off_m - entry->scatter);
    entry->logodds = fmin(LOGODDS_MAX, entry->logodds + (sighting->cut ? LOGODDS_CUT : LOGODDS_WHOLE));
    track->celsius_max = fmax(track->celsius_max, sighting->celsius_max);
    track->last_seen = taken;
    entry->taken = true;
    entry_watch(tracks, entry);
    entry_describe(tracks, entry);
}

// Two tracks turned out to be one: the second goes over into the first.
static void entry_merge(const cairn_victim_tracks *tracks, track_entry *old, const track_entry *young)
{
    const double part = young->weight / (old->weight + young->weight);
    const cairn_vec3 by = cairn_vec3_scale(cairn_vec3_sub(young->track.at_m, old->track.at_m), part);
    old->track.at_m = cairn_vec3_add(old->track.at_m, by);
    old->weight += young->weight;
    old->scatter = fmax(old->scatter, young->scatter);
    old->logodds = fmax(old->logodds, young->logodds);
    old->track.frame_count += young->track.frame_count;
    old->track.celsius_max = fmax(old->track.celsius_max, young->track.celsius_max);
    if (young->track.last_seen.ns > old->track.last_seen.ns) { old->track.last_seen = young->track.last_seen; }
    if (young->track.first_seen.ns < old->track.first_seen.ns) { old->track.first_seen = young->track.first_seen; }
    old->taken = old->taken || young->taken;
    old->walks = old->walks || young->walks;
    old->tell_again = old->tell_again || young->tell_again;
    entry_describe(tracks, old);
}

// Joins the first pair of tracks that have come too near to each other. The older stays, unless only the younger was
// reported: people know that one by its id. Tracks that both have a sighting in this picture are two people.
static bool tracks_merge_once(cairn_victim_tracks *tracks)
{
    for (uint32_t i = 0; i < tracks->count; i++) {
        for (uint32_t k = i + 1; k < tracks->count; k++) {
            track_entry *old = &tracks->entries[i], *young = &tracks->entries[k];
            if (old->taken && young->taken) { continue; }
            if (ground_distance(old->track.at_m, young->track.at_m) > tracks->def.merge_m) { continue; }
            const bool young_stays = young->track.report_count > 0 && old->track.report_count == 0;
            entry_merge(tracks, young_stays ? young : old, young_stays ? old : young);
            entry_remove(tracks, young_stays ? i : k);
            return true;
        }
    }
    return false;
}

// How far a sighting is from where a track would be now.
static double away_from(const track_entry *entry, cairn_vec3 at_m, cairn_mono taken)
{
    const double dt_s = cairn_seconds(cairn_mono_since(taken, entry->track.last_seen));
    const double ahead_s = fmin(fmax(dt_s, 0), MOTION_S);
    const cairn_vec3 now_m = {entry->track.at_m.x + ahead_s * entry->speed_mps.x,
                              entry->track.at_m.y + ahead_s * entry->speed_mps.y, entry->track.at_m.z};
    return ground_distance(now_m, at_m);
}

// The closest pair of a free track and an unused sighting within the gate; false if there is none.
static bool closest_pair(const cairn_victim_tracks *tracks, const cairn_victim_sighting *sightings, uint32_t count,
                         const bool *used, uint32_t *ret_track, uint32_t *ret_sighting)
{
    double best_m = tracks->def.gate_m;
    bool found = false;
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t t = 0; !used[s] && t < tracks->count; t++) {
            if (tracks->entries[t].taken) { continue; }
            const double apart_m = away_from(&tracks->entries[t], sightings[s].at_m, tracks->newest);
            if (apart_m >= best_m) { continue; }
            best_m = apart_m, found = true;
            *ret_track = t, *ret_sighting = s;
        }
    }
    return found;
}

void cairn_victim_tracks_add(cairn_victim_tracks *tracks, const cairn_victim_sighting *sightings, uint32_t count,
                             cairn_mono taken)
{
    CAIRN_ASSERT(count <= CAIRN_HOT_SPOTS_MAX);
    bool used[CAIRN_HOT_SPOTS_MAX] = {false};
    tracks->newest = taken;
    for (uint32_t i = 0; i < tracks->count; i++) { tracks->entries[i].taken = false; }
    uint32_t track = 0, sighting = 0;
    while (closest_pair(tracks, sightings, count, used, &track, &sighting)) {
        used[sighting] = true;
        entry_add(tracks, &tracks->entries[track], &sightings[sighting], taken);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!used[i]) { entry_start(tracks, &sightings[i], taken); }
    }
    while (tracks_merge_once(tracks)) {}
}

// It was watched for long enough not to be somebody who walks by, or for as long as it could be.
static bool stood_still(const cairn_victim_tracks *tracks, const track_entry *entry)
{
    const cairn_victim_track *track = &entry->track;
    const int64_t moved_ago_ns = cairn_mono_since(track->last_seen, entry->moved_at);
    if (entry->moved_at.ns > 0 && moved_ago_ns < tracks->def.still_ns) { return false; }
    const bool gone = cairn_mono_since(tracks->newest, track->last_seen) > UNSEEN_NS;
    return cairn_mono_since(track->last_seen, entry->watched_from) >= tracks->def.still_ns ||
           (gone && entry->motion.frame_count >= tracks->def.glimpse_frame_count);
}

static bool is_due(const cairn_victim_tracks *tracks, const track_entry *entry)
{
    const cairn_victim_tracks_def *def = &tracks->def;
    const cairn_victim_track *track = &entry->track;
    if (entry->walks) { return track->report_count > 0 && !entry->taken_back; }
    if (entry->tell_again) { return true; }
    if (track->frame_count < def->report_frame_count || track->deviation_m > def->report_deviation_m) { return false; }
    if (track->report_count == 0 && !stood_still(tracks, entry)) { return false; }
    return track->report_count == 0 || ground_distance(track->at_m, entry->reported_at_m) > def->report_moved_m ||
           track->confidence - entry->reported_confidence > def->report_grown;
}

bool cairn_victim_tracks_has_report(const cairn_victim_tracks *tracks)
{
    for (uint32_t i = 0; i < tracks->count; i++) {
        if (is_due(tracks, &tracks->entries[i])) { return true; }
    }
    return false;
}

bool cairn_victim_tracks_take_report(cairn_victim_tracks *tracks, cairn_victim_track *ret_track)
{
    CAIRN_ASSERT(tracks != NULL && ret_track != NULL);
    for (uint32_t i = 0; i < tracks->count; i++) {
        track_entry *entry = &tracks->entries[i];
        if (!is_due(tracks, entry)) { continue; }
        entry->track.report_count++;
        entry->tell_again = false;
        entry->reported_at_m = entry->track.at_m;
        entry->reported_confidence = entry->track.confidence;
        *ret_track = entry->track;
        if (entry->walks) {
            entry->taken_back = true;
            ret_track->confidence = 0;
        }
        return true;
    }
    return false;
}

uint32_t cairn_victim_tracks_count(const cairn_victim_tracks *tracks) { return tracks->count; }

const cairn_victim_track *cairn_victim_tracks_get(const cairn_victim_tracks *tracks, uint32_t index)
{
    CAIRN_ASSERT(index < tracks->count);
    return &tracks->entries[index].track;
}

uint32_t cairn_victim_tracks_given_up(const cairn_victim_tracks *tracks) { return tracks->given_up_count; }

void cairn_victim_tracks_save(const cairn_victim_tracks *tracks, cairn_victim_memo *ret_memo)
{
    CAIRN_ASSERT(tracks != NULL && ret_memo != NULL);
    *ret_memo = (cairn_victim_memo){
        .count = tracks->count, .last_id = tracks->last_id, .given_up_count = tracks->given_up_count};
    for (uint32_t i = 0; i < tracks->count; i++) {
        const track_entry *entry = &tracks->entries[i];
        ret_memo->tracks[i] = (cairn_victim_track_memo){.track = entry->track,
                                                        .weight = entry->weight,
                                                        .scatter = entry->scatter,
                                                        .logodds = entry->logodds,
                                                        .reported_at_m = entry->reported_at_m,
                                                        .reported_confidence = entry->reported_confidence};
    }
}

static bool place_is_sound(cairn_vec3 at_m)
{
    return fabs(at_m.x) <= PLACE_M_MAX && fabs(at_m.y) <= PLACE_M_MAX && fabs(at_m.z) <= PLACE_M_MAX; // NaN is not
}

static bool track_is_sound(const cairn_victim_track_memo *memo)
{
    const cairn_victim_track *track = &memo->track;
    return place_is_sound(track->at_m) && place_is_sound(memo->reported_at_m) && track->deviation_m > 0 &&
           track->deviation_m <= PLACE_M_MAX && fabs(track->celsius_max) <= 2000 && track->frame_count > 0 &&
           track->confidence >= 0 && track->confidence <= 1 && memo->weight > 0 && isfinite(memo->weight) &&
           memo->scatter >= 0 && isfinite(memo->scatter) && fabs(memo->logodds) <= 100 &&
           fabs(memo->reported_confidence) <= 1;
}

bool cairn_victim_memo_is_sound(const cairn_victim_memo *memo)
{
    if (memo->count > CAIRN_VICTIM_TRACKS_MAX) { return false; }
    uint32_t before_id = 0;
    for (uint32_t i = 0; i < memo->count; i++) {
        const uint32_t id = memo->tracks[i].track.id;
        if (id <= before_id || id > memo->last_id || !track_is_sound(&memo->tracks[i])) { return false; }
        before_id = id;
    }
    return true;
}

static cairn_mono no_later(cairn_mono time, cairn_mono now) { return time.ns < now.ns ? time : now; }

void cairn_victim_tracks_load(cairn_victim_tracks *tracks, const cairn_victim_memo *memo, cairn_mono now)
{
    CAIRN_ASSERT(cairn_victim_memo_is_sound(memo));
    tracks->count = memo->count;
    tracks->last_id = memo->last_id;
    tracks->given_up_count = memo->given_up_count;
    for (uint32_t i = 0; i < memo->count; i++) {
        const cairn_victim_track_memo *from = &memo->tracks[i];
        track_entry *entry = &tracks->entries[i];
        *entry = (track_entry){.track = from->track,
                               .weight = from->weight,
                               .scatter = from->scatter,
                               .logodds = from->logodds,
                               .reported_at_m = from->reported_at_m,
                               .reported_confidence = from->reported_confidence,
                               .tell_again = from->track.report_count > 0,
                               .first_m = from->track.at_m,
                               .watched_from = now};
        entry->track.first_seen = no_later(from->track.first_seen, now);
        entry->track.last_seen = no_later(from->track.last_seen, now);
    }
}

void cairn_victim_tracks_forget(cairn_victim_tracks *tracks) { tracks->count = 0; }
