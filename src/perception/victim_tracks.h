// victim_tracks.h - the same person seen again and again becomes one track, and now and then a report.
//
// Who walks is no victim: a track is reported once it has stood still for a second, or was still for as long as it
// could be seen; not while it moves, nor later. If it had been reported it is reported once more, with no confidence:
// taken back.
//
// Frame    the robot's private frame; z above the ground where the robot stands.
// Memory   One block from the arena at create. At most CAIRN_VICTIM_TRACKS_MAX tracks: when full, the track that was
//          never reported and is unseen for longest is given up, then (all reported) the one unseen for longest.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "base/memory.h"
#include "perception/spot_place.h"

#define CAIRN_VICTIM_TRACKS_MAX 64

typedef struct cairn_victim_tracks_def {
    double gate_m;                // a sighting nearer to a track than this belongs to it
    double merge_m;               // tracks that come nearer to each other than this become one
    double deviation_m_min;       // a track never gets surer than this: errors of neighbouring pictures are alike
    uint32_t report_frame_count;  // pictures before the first report
    int64_t still_ns;             // for so long it must have been seen not to move. Larger: later, and fewer bystanders
    uint32_t glimpse_frame_count; // or in so many pictures, if it went out of sight sooner
    double report_deviation_m;    // nor is a track reported while it is less sure than this
    double report_moved_m;        // reported again when it has moved by more than this since
    double report_grown;          // [-] or when its confidence has grown by more
} cairn_victim_tracks_def;

// One spot of one picture, placed.
typedef struct cairn_victim_sighting {
    cairn_vec3 at_m;
    double deviation_m;
    double celsius_max;
    bool cut;   // by the picture's border: counts less
    bool rough; // its range is off alike in picture after picture: many tell no more than one, and nothing of walking
} cairn_victim_sighting;

typedef struct cairn_victim_track {
    uint32_t id; // counts up from 1, never reused
    cairn_vec3 at_m;
    double deviation_m; // along the ground, one sigma
    double celsius_max; // warmest pixel so far
    uint32_t frame_count;
    double confidence; // [-] 0..1 that it is a person
    cairn_mono first_seen, last_seen;
    uint32_t report_count;
} cairn_victim_track;

typedef struct cairn_victim_tracks cairn_victim_tracks;

cairn_victim_tracks_def cairn_victim_tracks_def_default(void);
CAIRN_CHECKED cairn_err cairn_victim_tracks_create(const cairn_victim_tracks_def *def, cairn_arena *arena,
                                                   cairn_victim_tracks **ret_tracks);
// Folds in the sightings of one picture. Two sightings of one picture never go to the same track, the nearer one does.
// O(sightings * tracks).
void cairn_victim_tracks_add(cairn_victim_tracks *tracks, const cairn_victim_sighting *sightings, uint32_t count,
                             cairn_mono taken);
// The next track that is due to be reported, and marks it as reported; false if none is. Oldest track first.
bool cairn_victim_tracks_has_report(const cairn_victim_tracks *tracks); // there is one
bool cairn_victim_tracks_take_report(cairn_victim_tracks *tracks, cairn_victim_track *ret_track);

// All tracks as plain data, for whoever keeps them over a restart.
typedef struct cairn_victim_track_memo {
    cairn_victim_track track;
    double weight;  // [1/m2] sum of 1 / variance of the sightings
    double scatter; // [m2] running mean of the squared distance of sightings from the track
    double logodds;
    cairn_vec3 reported_at_m;
    double reported_confidence;
} cairn_victim_track_memo;

typedef struct cairn_victim_memo {
    uint32_t count, last_id, given_up_count;
    cairn_victim_track_memo tracks[CAIRN_VICTIM_TRACKS_MAX]; // in order of id
} cairn_victim_memo;

void cairn_victim_tracks_save(const cairn_victim_tracks *tracks, cairn_victim_memo *ret_memo);
bool cairn_victim_memo_is_sound(const cairn_victim_memo *memo); // nothing in it that cannot be
// Takes over a sound memo. Nobody knows which reports arrived: each track that was reported is due once more, under its
// id. Times later than now are set to now.
void cairn_victim_tracks_load(cairn_victim_tracks *tracks, const cairn_victim_memo *memo, cairn_mono now);
void cairn_victim_tracks_forget(cairn_victim_tracks *tracks); // all of them; ids go on

uint32_t cairn_victim_tracks_count(const cairn_victim_tracks *tracks);
// In order of id, 0 .. count - 1; borrowed until the next add.
const cairn_victim_track *cairn_victim_tracks_get(const cairn_victim_tracks *tracks, uint32_t index);
uint32_t cairn_victim_tracks_given_up(const cairn_victim_tracks *tracks);
