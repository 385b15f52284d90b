#include "station/atlas/victims.h"

#define MERGE_M 0.9 // two people closer than this are reported as one place to go to

static cairn_sighting *sighting_of(cairn_victims *victims, uint8_t robot, uint32_t id)
{
    for (uint32_t i = 0; i < victims->sighting_count; i++) {
        cairn_sighting *sighting = &victims->sightings[i];
        if (sighting->robot == robot && sighting->sighting == id) { return sighting; }
    }
    return NULL;
}

// Whom a person seen here, on this floor, would be taken for, of the victims from this index on.
static uint32_t nearest_victim(const cairn_victims *victims, cairn_vec2 at_m, int8_t floor, uint32_t first)
{
    uint32_t best = CAIRN_VICTIMS_MAX;
    double best_m = MERGE_M;
    for (uint32_t i = first; i < victims->victim_count; i++) {
        const cairn_victim *victim = &victims->victims[i];
        const double away_m = cairn_vec2_distance(victim->at_m, at_m);
        if (victim->same_as == 0 && victim->floor == floor && away_m < best_m) {
            best_m = away_m;
            best = i;
        }
    }
    return best;
}

// The position is the mean of the sightings, each worth the inverse of its variance.
static void average(cairn_victims *victims, uint32_t victim)
{
    cairn_victim *v = &victims->victims[victim];
    double weight_sum = 0, z_weight_sum = 0, z_sum = 0;
    cairn_vec2 sum = {0, 0};
    v->sighting_count = 0;
    v->confidence_pct = 0;
    for (uint32_t i = 0; i < victims->sighting_count; i++) {
        const cairn_sighting *sighting = &victims->sightings[i];
        if (sighting->victim != victim) { continue; }
        const double weight = 1.0 / (sighting->deviation_m * sighting->deviation_m + 1e-4);
        sum = cairn_vec2_add(sum, cairn_vec2_scale(sighting->at_m, weight));
        weight_sum += weight;
        if (sighting->z_mm != CAIRN_MSG_VICTIM_SEEN_Z_MM_UNKNOWN) {
            z_sum += weight * sighting->z_mm * 1e-3;
            z_weight_sum += weight;
        }
        v->sighting_count++;
        if (sighting->confidence_pct > v->confidence_pct) { v->confidence_pct = sighting->confidence_pct; }
    }
    if (weight_sum > 0) { v->at_m = cairn_vec2_scale(sum, 1.0 / weight_sum); }
    v->has_z = z_weight_sum > 0;
    v->z_m = v->has_z ? z_sum / z_weight_sum : 0;
}

// Room for a sighting: the weakest of all goes when there is none.
static cairn_sighting *room_for(cairn_victims *victims, uint8_t confidence_pct)
{
    if (victims->sighting_count < CAIRN_SIGHTINGS_MAX) { return &victims->sightings[victims->sighting_count++]; }
    cairn_sighting *weakest = &victims->sightings[0];
    for (uint32_t i = 1; i < victims->sighting_count; i++) {
        if (victims->sightings[i].confidence_pct < weakest->confidence_pct) { weakest = &victims->sightings[i]; }
    }
    victims->given_up_count++;
    if (weakest->confidence_pct >= confidence_pct) { return NULL; }
    const uint32_t loser = weakest->victim;
    weakest->victim = CAIRN_VICTIMS_MAX; // nobody's
    average(victims, loser);
    return weakest;
}

// A sighting not heard of before, tied to the victim that it is of. NULL: no room.
static cairn_sighting *add_sighting(cairn_victims *victims, const cairn_msg_victim_seen *seen, cairn_vec2 at_m,
                                    uint8_t confidence_pct, cairn_mono now)
{
    uint32_t victim = nearest_victim(victims, at_m, seen->floor, 0);
    const bool is_new = victim == CAIRN_VICTIMS_MAX;
    if (is_new && victims->victim_count == CAIRN_VICTIMS_MAX) {
        victims->given_up_count++;
        return NULL;
    }
    cairn_sighting *sighting = room_for(victims, confidence_pct);
    if (sighting == NULL) { return NULL; }
    if (is_new) {
        victim = victims->victim_count++;
        victims->victims[victim] =
            (cairn_victim){.first_seen = now, .found_by = seen->robot, .at_m = at_m, .floor = seen->floor};
    }
    *sighting =
        (cairn_sighting){.robot = seen->robot, .sighting = seen->sighting, .victim = victim, .floor = seen->floor};
    return sighting;
}

bool cairn_victims_add(cairn_victims *victims, const cairn_msg_victim_seen *seen, cairn_seen_from from, cairn_mono now)
{
    const cairn_vec2 private_m = {seen->x_mm * 1e-3, seen->y_mm * 1e-3};
    const cairn_vec2 at_m = cairn_pose2_apply(from.map_T_private, private_m);
    const uint8_t confidence_pct =
        seen->confidence_pct == CAIRN_MSG_VICTIM_SEEN_CONFIDENCE_PCT_UNKNOWN ? 0 : seen->confidence_pct;
    const uint32_t count_before = victims->victim_count;
    cairn_sighting *sighting = sighting_of(victims, seen->robot, seen->sighting);
    if (sighting == NULL) { sighting = add_sighting(victims, seen, at_m, confidence_pct, now); }
    if (sighting == NULL) { return false; }
    sighting->at_m = at_m;
    sighting->private_m = private_m;
    sighting->z_mm = seen->z_mm;
    sighting->place = from.place;
    sighting->deviation_m =
        seen->deviation_mm == CAIRN_MSG_VICTIM_SEEN_DEVIATION_MM_UNKNOWN ? 1.0 : fmax(seen->deviation_mm * 1e-3, 0.02);
    sighting->frame_count = seen->frame_count;
    sighting->confidence_pct = confidence_pct;
    cairn_victim *victim = &victims->victims[sighting->victim];
    victim->last_seen = now;
    if (seen->temperature_dc != CAIRN_MSG_VICTIM_SEEN_TEMPERATURE_DC_UNKNOWN) {
        victim->temperature_c = fmax(victim->temperature_c, seen->temperature_dc * 0.1);
    }
    average(victims, sighting->victim);
    return victims->victim_count > count_before;
}

uint32_t cairn_victims_take_back(cairn_victims *victims, uint8_t robot, uint32_t sighting)
{
    cairn_sighting *gone = sighting_of(victims, robot, sighting);
    if (gone == NULL) { return 0; }
    const uint32_t of = gone->victim;
    *gone = victims->sightings[--victims->sighting_count];
    if (of >= victims->victim_count) { return 0; }
    average(victims, of);
    if (victims->victims[of].sighting_count > 0) { return 0; }
    for (uint32_t i = 0; i < victims->victim_count; i++) { // who was the same as nobody is nobody
        if (victims->victims[i].same_as == of + 1) { victims->victims[i] = (cairn_victim){.same_as = i + 1}; }
    }
    victims->victims[of] = (cairn_victim){.same_as = of + 1};
    return of + 1;
}

void cairn_victims_follow(cairn_victims *victims, const cairn_places *places)
{
    for (uint32_t i = 0; i < victims->sighting_count; i++) {
        cairn_sighting *sighting = &victims->sightings[i];
        if (sighting->place == CAIRN_PLACE_NONE) { continue; }
        sighting->at_m = cairn_pose2_apply(places->places[sighting->place].map_T_private, sighting->private_m);
    }
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        if (victims->victims[i].same_as == 0) { average(victims, i); }
    }
}

// Indices of the two that are nearest to each other; false: none are near enough.
static bool nearest_pair(const cairn_victims *victims, uint32_t *ret_first, uint32_t *ret_second)
{
    double best_m = INFINITY;
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        const cairn_victim *one = &victims->victims[i];
        const uint32_t other =
            one->same_as == 0 ? nearest_victim(victims, one->at_m, one->floor, i + 1) : CAIRN_VICTIMS_MAX;
        if (other == CAIRN_VICTIMS_MAX) { continue; }
        const double away_m = cairn_vec2_distance(one->at_m, victims->victims[other].at_m);
        if (away_m >= best_m) { continue; }
        best_m = away_m;
        *ret_first = i;
        *ret_second = other;
    }
    return isfinite(best_m);
}

bool cairn_victims_join(cairn_victims *victims, cairn_victims_joined *ret_joined)
{
    uint32_t first = 0, second = 0;
    if (!nearest_pair(victims, &first, &second)) { return false; }
    cairn_victim *stays = &victims->victims[first], *gone = &victims->victims[second];
    stays->temperature_c = fmax(stays->temperature_c, gone->temperature_c);
    if (gone->last_seen.ns > stays->last_seen.ns) { stays->last_seen = gone->last_seen; }
    *gone = (cairn_victim){.same_as = first + 1};
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        if (victims->victims[i].same_as == second + 1) { victims->victims[i].same_as = first + 1; }
    }
    for (uint32_t i = 0; i < victims->sighting_count; i++) {
        if (victims->sightings[i].victim == second) { victims->sightings[i].victim = first; }
    }
    average(victims, first);
    *ret_joined = (cairn_victims_joined){.stays = first + 1, .gone = second + 1};
    return true;
}

uint32_t cairn_victims_count(const cairn_victims *victims)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < victims->victim_count; i++) { count += victims->victims[i].same_as == 0; }
    return count;
}
