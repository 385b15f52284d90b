#include "sim/physics/mujoco/mujoco_tyres.h"
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
// [-] Sine of the least angle between a belt's axle and what it touches: what scrapes along its side is not driven.
#define SIDE_SINE 0.2

// [-] Friction of a belt over that of a tyre: rubber with cleats.
#define BELT_GRIP 1.15

enum { HALF_REAR, HALF_FRONT, HALF_COUNT };

static cairn_vec3 vec_from(const mjtNum *v) { return (cairn_vec3){v[0], v[1], v[2]}; }

// Index of the tyre that meets something else there; -1: none.
static int tyre_at(const mjContact *contact, const int *tyre_of_geom)
{
    const int first = tyre_of_geom[contact->geom1], second = tyre_of_geom[contact->geom2];
    if (contact->efc_address < 0 || (first < 0) == (second < 0)) { return -1; }
    return first >= 0 ? first : second;
}

// Of the contacts of each wheel with the ground the deepest; NULL in the air.
static void find_ground(const mjData *data, const int *tyre_of_geom, const cairn_mujoco_tyre *tyres,
                        const mjContact **ret_ground)
{
    for (int i = 0; i < data->ncon; i++) {
        const mjContact *contact = &data->contact[i];
        const int tyre = tyre_at(contact, tyre_of_geom);
        if (tyre < 0 || tyres[tyre].belt || fabs(contact->frame[2]) < GROUND_COSINE) { continue; }
        if (!ret_ground[tyre] || contact->dist < ret_ground[tyre]->dist) { ret_ground[tyre] = contact; }
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
    const cairn_vec3 along = vec_from(ground->frame + 3), across = vec_from(ground->frame + 6);
    const double asked_max = HOLD_RESERVE * ground->friction[0] * tyre->load_n[0] * data->efc_R[row];

    const cairn_vec2 slipped = {model->opt.timestep * data->efc_vel[row], model->opt.timestep * data->efc_vel[row + 1]};
    const cairn_vec3 strained = cairn_vec3_scale(tyre->strain_m[0], sign);
    cairn_vec2 strain = {cairn_vec3_dot(strained, along), cairn_vec3_dot(strained, across)};
    strain = limited(cairn_vec2_add(strain, slipped), asked_max / STRAIN_PULL);
    cairn_vec2 asked = {data->efc_aref[row], data->efc_aref[row + 1]};
    asked = limited(cairn_vec2_sub(asked, cairn_vec2_scale(strain, STRAIN_PULL)), asked_max);
    data->efc_aref[row] = asked.x;
    data->efc_aref[row + 1] = asked.y;
    tyre->strain_m[0] =
        cairn_vec3_add(cairn_vec3_scale(along, sign * strain.x), cairn_vec3_scale(across, sign * strain.y));
}

// ---- belts

// One contact of a belt.
typedef struct belt_touch {
    double sign;              // +1: the belt is the contact's second geom
    cairn_vec3 along, across; // axes of friction
    cairn_vec3 running;       // direction in which a belt that drives forward runs there; 0 on its side
    int half;
} belt_touch;

static belt_touch touch_of(const mjModel *model, const mjData *data, const mjContact *contact,
                           const cairn_mujoco_tyre *tyre)
{
    const mjtNum *axes = data->xmat + 9 * model->geom_bodyid[tyre->geom]; // rows of map_R_body
    const cairn_vec3 ahead = {axes[0], axes[3], axes[6]}, axle = {axes[1], axes[4], axes[7]};
    const double sign = contact->geom2 == tyre->geom ? 1 : -1;
    const cairn_vec3 outward = cairn_vec3_scale(vec_from(contact->frame), -sign);
    const cairn_vec3 running = cairn_vec3_cross(axle, outward), middle = vec_from(data->geom_xpos + 3 * tyre->geom);
    const double sine = cairn_vec3_length(running);
    return (belt_touch){
        .sign = sign,
        .along = vec_from(contact->frame + 3),
        .across = vec_from(contact->frame + 6),
        .running = cairn_vec3_scale(running, sine > SIDE_SINE ? 1 / sine : 0),
        .half = cairn_vec3_dot(cairn_vec3_sub(vec_from(contact->pos), middle), ahead) > 0 ? HALF_FRONT : HALF_REAR,
    };
}

// Over the contacts of one half of a belt.
typedef struct half_sums {
    uint32_t count;
    cairn_vec3 slip_mps; // map axes
    double hold_max;     // the most of one contact, over its load: HOLD_RESERVE * friction * R
} half_sums;

typedef struct belt_sums {
    half_sums halves[HALF_COUNT];
} belt_sums;

// The speed of slipping along the contact's axes, as the solver counts it, with the belt's running in it.
static cairn_vec2 slip_of(const mjData *data, int row, const belt_touch *touch, double belt_mps)
{
    const cairn_vec3 running = cairn_vec3_scale(touch->running, touch->sign * belt_mps);
    return (cairn_vec2){data->efc_vel[row] + cairn_vec3_dot(running, touch->along),
                        data->efc_vel[row + 1] + cairn_vec3_dot(running, touch->across)};
}

static void sum_up(const mjModel *model, const mjData *data, const mjContact *contact, const cairn_mujoco_tyre *tyre,
                   belt_sums *sums)
{
    const int row = contact->efc_address + 1;
    const belt_touch touch = touch_of(model, data, contact, tyre);
    const cairn_vec2 slip = cairn_vec2_scale(slip_of(data, row, &touch, tyre->belt_mps), touch.sign);
    half_sums *half = &sums->halves[touch.half];
    half->count++;
    half->slip_mps = cairn_vec3_add(
        half->slip_mps, cairn_vec3_add(cairn_vec3_scale(touch.along, slip.x), cairn_vec3_scale(touch.across, slip.y)));
    half->hold_max = fmax(half->hold_max, HOLD_RESERVE * contact->friction[0] * data->efc_R[row]);
}

// Half a belt as a whole is strained by what its contacts slip in the mean.
static void strain_half(const mjModel *model, const half_sums *sums, double load_n, cairn_vec3 *strain)
{
    if (sums->count == 0) {
        *strain = (cairn_vec3){0};
        return;
    }
    const double strain_m_max = sums->hold_max * load_n / sums->count / STRAIN_PULL;
    *strain = cairn_vec3_add(*strain, cairn_vec3_scale(sums->slip_mps, model->opt.timestep / sums->count));
    const double strain_m = cairn_vec3_length(*strain);
    if (strain_m > strain_m_max) { *strain = cairn_vec3_scale(*strain, strain_m_max / strain_m); }
}

static void ask_belt(const mjModel *model, mjData *data, const mjContact *contact, const belt_sums *sums,
                     const cairn_mujoco_tyre *tyre)
{
    const int row = contact->efc_address + 1;
    const belt_touch touch = touch_of(model, data, contact, tyre);
    const double load_n = tyre->load_n[touch.half] / sums->halves[touch.half].count;
    const double asked_max = HOLD_RESERVE * contact->friction[0] * load_n * data->efc_R[row];
    const double damping = data->efc_KBIP[4 * row + 1]; // 1/s: the solver's own, for the speed of slipping
    const cairn_vec2 slip = slip_of(data, row, &touch, tyre->belt_mps);
    const cairn_vec3 strained = cairn_vec3_scale(tyre->strain_m[touch.half], touch.sign);
    const cairn_vec2 strain = {cairn_vec3_dot(strained, touch.along), cairn_vec3_dot(strained, touch.across)};
    const cairn_vec2 back = cairn_vec2_add(cairn_vec2_scale(slip, damping), cairn_vec2_scale(strain, STRAIN_PULL));
    const cairn_vec2 asked = limited(cairn_vec2_scale(back, -1), asked_max);
    data->efc_aref[row] = asked.x;
    data->efc_aref[row + 1] = asked.y;
}

// The solver takes the friction of a contact from these.
static void grip(mjContact *contact)
{
    contact->friction[0] *= BELT_GRIP;
    contact->friction[1] *= BELT_GRIP;
    contact->mu *= BELT_GRIP;
}

static void hold_belts(const mjModel *model, mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                       cairn_mujoco_tyre *tyres)
{
    belt_sums sums[CAIRN_MUJOCO_TYRES_MAX];
    for (uint32_t i = 0; i < tyre_count; i++) { sums[i] = (belt_sums){0}; }
    for (int i = 0; i < data->ncon; i++) {
        const int at = tyre_at(&data->contact[i], tyre_of_geom);
        if (at < 0 || !tyres[at].belt) { continue; }
        grip(&data->contact[i]);
        sum_up(model, data, &data->contact[i], &tyres[at], &sums[at]);
    }
    for (uint32_t i = 0; i < tyre_count; i++) {
        for (int half = 0; tyres[i].belt && half < HALF_COUNT; half++) {
            strain_half(model, &sums[i].halves[half], tyres[i].load_n[half], &tyres[i].strain_m[half]);
        }
    }
    for (int i = 0; i < data->ncon; i++) {
        const int at = tyre_at(&data->contact[i], tyre_of_geom);
        if (at >= 0 && tyres[at].belt) { ask_belt(model, data, &data->contact[i], &sums[at], &tyres[at]); }
    }
}

static void weigh_belts(const mjModel *model, const mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                        cairn_mujoco_tyre *tyres)
{
    double loads_n[CAIRN_MUJOCO_TYRES_MAX][HALF_COUNT];
    for (uint32_t i = 0; i < tyre_count; i++) {
        loads_n[i][HALF_REAR] = loads_n[i][HALF_FRONT] = 0;
        tyres[i].pull_n = 0;
    }
    for (int i = 0; i < data->ncon; i++) {
        const mjContact *contact = &data->contact[i];
        const int at = tyre_at(contact, tyre_of_geom);
        if (at < 0 || !tyres[at].belt) { continue; }
        const belt_touch touch = touch_of(model, data, contact, &tyres[at]);
        const mjtNum *force_n = data->efc_force + contact->efc_address;
        loads_n[at][touch.half] += force_n[0];
        tyres[at].pull_n += touch.sign * (force_n[1] * cairn_vec3_dot(touch.along, touch.running) +
                                          force_n[2] * cairn_vec3_dot(touch.across, touch.running));
    }
    for (uint32_t i = 0; i < tyre_count; i++) {
        if (!tyres[i].belt) { continue; }
        for (int half = 0; half < HALF_COUNT; half++) {
            tyres[i].load_n[half] += LOAD_PART * (loads_n[i][half] - tyres[i].load_n[half]);
        }
    }
}

// ---- both

void cairn_mujoco_tyres_hold(const mjModel *model, mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                             cairn_mujoco_tyre *tyres)
{
    CAIRN_ASSERT(tyre_count <= CAIRN_MUJOCO_TYRES_MAX);
    CAIRN_ASSERT(model->opt.cone == mjCONE_ELLIPTIC); // rows: normal, two directions of friction
    const mjContact *ground[CAIRN_MUJOCO_TYRES_MAX] = {0};
    find_ground(data, tyre_of_geom, tyres, ground);
    for (uint32_t i = 0; i < tyre_count; i++) {
        if (tyres[i].belt) { continue; }
        if (ground[i]) {
            strain_tyre(model, data, ground[i], &tyres[i]);
        } else {
            tyres[i].strain_m[0] = (cairn_vec3){0};
        }
    }
    hold_belts(model, data, tyre_of_geom, tyre_count, tyres);
}

void cairn_mujoco_tyres_weigh(const mjModel *model, const mjData *data, const int *tyre_of_geom, uint32_t tyre_count,
                              cairn_mujoco_tyre *tyres)
{
    CAIRN_ASSERT(tyre_count <= CAIRN_MUJOCO_TYRES_MAX);
    const mjContact *ground[CAIRN_MUJOCO_TYRES_MAX] = {0};
    find_ground(data, tyre_of_geom, tyres, ground);
    for (uint32_t i = 0; i < tyre_count; i++) {
        if (tyres[i].belt) { continue; }
        const double load_n = ground[i] ? data->efc_force[ground[i]->efc_address] : 0;
        tyres[i].load_n[0] += LOAD_PART * (load_n - tyres[i].load_n[0]);
    }
    weigh_belts(model, data, tyre_of_geom, tyre_count, tyres);
}
