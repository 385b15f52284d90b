#include "sim/physics/mujoco_tyres.h"
#include "base/status.h"
#include <math.h>

// Surfaces steeper than about 60 degrees are walls: tyres do not hold on to them.
#define GROUND_COSINE 0.5
// [1/s2] How hard a strained tyre pulls back. Larger: strained less when parked; rings when it takes hold.
#define STRAIN_PULL 2000.0
// [-] What is asked of a contact along the ground, over what friction gives there. A contact that is asked for more
// than it gives also pushes up (the cone of forces slants): at 1.2 a turning robot hops and turns too slowly. Below 1
// friction is less than it should be.
#define HOLD_RESERVE 1.1
// [-] Part of a tyre's new load that enters its mean. Smaller: steadier; later to know of a load that moved.
#define LOAD_PART 0.2

// Of the contacts of each tyre with the ground the deepest; NULL in the air.
static void find_ground(const mjData *data, const int *tyre_of_geom, const mjContact **ret_ground)
{
    for (int i = 0; i < data->ncon; i++) {
        const mjContact *contact = &data->contact[i];
        const int first = tyre_of_geom[contact->geom1], second = tyre_of_geom[contact->geom2];
        if (contact->efc_address < 0 || (first < 0) == (second < 0)) { continue; }
        if (fabs(contact->frame[2]) < GROUND_COSINE) { continue; }
        const mjContact **ground = &ret_ground[first >= 0 ? first : second];
        if (!*ground || contact->dist < (*ground)->dist) { *ground = contact; }
    }
}

static cairn_vec2 limited(cairn_vec2 v, double length_max)
{
    const double length = hypot(v.x, v.y);
    return length > length_max ? cairn_vec2_scale(v, length_max / length) : v;
}

// One tyre on the ground: strained on by what it slips in this step, along the two axes of the contact's plane.
static void strain_tyre(const mjModel *model, mjData *data, const mjContact *ground, cairn_mujoco_tyre *tyre)
{
    const int row = ground->efc_address + 1; // of the first axis of friction
    const double sign = ground->geom2 == tyre->geom ? 1 : -1;
    const cairn_vec3 along = {ground->frame[3], ground->frame[4], ground->frame[5]};
    const cairn_vec3 across = {ground->frame[6], ground->frame[7], ground->frame[8]};
    const double asked_max = HOLD_RESERVE * ground->friction[0] * tyre->load_n * data->efc_R[row];

    const cairn_vec2 slipped = {model->opt.timestep * data->efc_vel[row], model->opt.timestep * data->efc_vel[row + 1]};
    cairn_vec2 strain = {sign * cairn_vec3_dot(tyre->strain_m, along), sign * cairn_vec3_dot(tyre->strain_m, across)};
    strain = limited(cairn_vec2_add(strain, slipped), asked_max / STRAIN_PULL);
    cairn_vec2 asked = {data->efc_aref[row], data->efc_aref[row + 1]};
    asked = limited(cairn_vec2_sub(asked, cairn_vec2_scale(strain, STRAIN_PULL)), asked_max);
    data->efc_aref[row] = asked.x;
    data->efc_aref[row + 1] = asked.y;
    tyre->strain_m =
        cairn_vec3_add(cairn_vec3_scale(along, sign * strain.x), cairn_vec3_scale(across, sign * strain.y));
}

void cairn_mujoco_tyres_hold(const mjModel *model, mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                             cairn_mujoco_tyre *tyres)
{
    CAIRN_ASSERT(tyre_count <= CAIRN_MUJOCO_TYRES_MAX);
    CAIRN_ASSERT(model->opt.cone == mjCONE_ELLIPTIC); // rows: normal, two directions of friction
    const mjContact *ground[CAIRN_MUJOCO_TYRES_MAX] = {0};
    find_ground(data, tyre_of_geom, ground);
    for (uint32_t i = 0; i < tyre_count; i++) {
        if (ground[i]) {
            strain_tyre(model, data, ground[i], &tyres[i]);
        } else {
            tyres[i].strain_m = (cairn_vec3){0};
        }
    }
}

void cairn_mujoco_tyres_weigh(const mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                              cairn_mujoco_tyre *tyres)
{
    CAIRN_ASSERT(tyre_count <= CAIRN_MUJOCO_TYRES_MAX);
    const mjContact *ground[CAIRN_MUJOCO_TYRES_MAX] = {0};
    find_ground(data, tyre_of_geom, ground);
    for (uint32_t i = 0; i < tyre_count; i++) {
        const double load_n = ground[i] ? data->efc_force[ground[i]->efc_address] : 0;
        tyres[i].load_n += LOAD_PART * (load_n - tyres[i].load_n);
    }
}
