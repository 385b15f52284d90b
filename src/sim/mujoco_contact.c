#include "sim/mujoco_contact.h"
#include "base/status.h"
#include <math.h>

// Beyond this cosine a wheel's axle and the surface's normal are one line: it touches with its side, and has no
// rolling direction.
#define SIDE_COSINE 0.9
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

// The library's own, for edges and corners. Its table is one for the process, and so is what was in it; set once.
static mjfCollision general_ellipsoid_box;

// The point of an ellipsoid that is furthest along a direction (unit, world axes), as an offset from its middle.
static void furthest(const mjtNum *size, const mjtNum *axes, const mjtNum *direction, mjtNum ret_offset[3])
{
    mjtNum local[3];
    mju_rotVecMatT(local, direction, axes);
    for (int i = 0; i < 3; i++) { local[i] *= size[i]; }
    const mjtNum length = mju_norm3(local);
    for (int i = 0; i < 3; i++) { local[i] *= size[i] / length; }
    mju_rotVecMat(ret_offset, local, axes);
}

// One contact: `deepest` lies -dist below a surface whose normal points to the ellipsoid. The normal in the contact's
// frame points from the first geom to the second; the next axis is a hint for the direction of friction.
static void put_contact(mjContact *contact, mjtNum dist, const mjtNum *deepest, const mjtNum *normal, bool flipped,
                        const mjtNum *axes)
{
    contact->dist = dist;
    mju_addScl3(contact->pos, deepest, normal, -0.5 * dist);
    mju_scl3(contact->frame, normal, flipped ? -1 : 1);
    mju_zero3(contact->frame + 3);
    const mjtNum axle[3] = {axes[1], axes[4], axes[7]};
    if (fabs(mju_dot3(axle, normal)) < SIDE_COSINE) { mju_copy3(contact->frame + 3, axle); }
}

static int plane_ellipsoid(const mjModel *model, const mjData *data, mjContact *contact, int plane, int ellipsoid,
                           mjtNum margin)
{
    const mjtNum *turn = data->geom_xmat + 9 * plane, *axes = data->geom_xmat + 9 * ellipsoid;
    const mjtNum normal[3] = {turn[2], turn[5], turn[8]}, down[3] = {-turn[2], -turn[5], -turn[8]};
    mjtNum offset[3], deepest[3], above[3];
    furthest(model->geom_size + 3 * ellipsoid, axes, down, offset);
    mju_add3(deepest, data->geom_xpos + 3 * ellipsoid, offset);
    mju_sub3(above, deepest, data->geom_xpos + 3 * plane);
    const mjtNum dist = mju_dot3(above, normal);
    if (dist > margin) { return 0; }
    put_contact(contact, dist, deepest, normal, false, axes);
    return 1;
}

// The face of a box that an ellipsoid is least deep under.
typedef struct nearest_face {
    int axis;
    mjtNum sign;
    mjtNum dist; // of the ellipsoid's deepest point, < 0 below the face
} nearest_face;

// `middle` and the ellipsoid's extents along the box's axes, in the box's frame.
static nearest_face find_face(const mjtNum *middle, const mjtNum *extents, const mjtNum *half)
{
    nearest_face face = {.dist = -INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        const mjtNum dist = fabs(middle[axis]) - half[axis] - extents[axis];
        if (dist > face.dist) { face = (nearest_face){axis, middle[axis] < 0 ? -1 : 1, dist}; }
    }
    return face;
}

static int ellipsoid_box(const mjModel *model, const mjData *data, mjContact *contact, int ellipsoid, int box,
                         mjtNum margin)
{
    const mjtNum *size = model->geom_size + 3 * ellipsoid, *half = model->geom_size + 3 * box;
    const mjtNum *axes = data->geom_xmat + 9 * ellipsoid, *turn = data->geom_xmat + 9 * box;
    const mjtNum *at = data->geom_xpos + 3 * ellipsoid, *box_at = data->geom_xpos + 3 * box;
    mjtNum between[3], middle[3], extents[3];
    mju_sub3(between, at, box_at);
    mju_rotVecMatT(middle, between, turn);
    for (int axis = 0; axis < 3; axis++) {
        const mjtNum direction[3] = {turn[axis], turn[3 + axis], turn[6 + axis]};
        mjtNum offset[3];
        furthest(size, axes, direction, offset);
        extents[axis] = mju_dot3(offset, direction);
    }
    const nearest_face face = find_face(middle, extents, half);
    if (face.dist > margin) { return 0; }

    const mjtNum normal[3] = {face.sign * turn[face.axis], face.sign * turn[3 + face.axis],
                              face.sign * turn[6 + face.axis]};
    const mjtNum inward[3] = {-normal[0], -normal[1], -normal[2]};
    mjtNum offset[3], deepest[3], from_box[3], local[3];
    furthest(size, axes, inward, offset);
    mju_add3(deepest, at, offset);
    mju_sub3(from_box, deepest, box_at);
    mju_rotVecMatT(local, from_box, turn);
    for (int axis = 0; axis < 3; axis++) {
        if (axis != face.axis && fabs(local[axis]) > half[axis]) {
            return general_ellipsoid_box(model, data, contact, ellipsoid, box, margin);
        }
    }
    put_contact(contact, face.dist, deepest, normal, true, axes);
    return 1;
}

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

void cairn_mujoco_contact_install(void)
{
    CAIRN_ASSERT(mjCOLLISIONFUNC[mjGEOM_ELLIPSOID][mjGEOM_BOX] != ellipsoid_box);
    general_ellipsoid_box = mjCOLLISIONFUNC[mjGEOM_ELLIPSOID][mjGEOM_BOX];
    mjCOLLISIONFUNC[mjGEOM_ELLIPSOID][mjGEOM_BOX] = ellipsoid_box;
    mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_ELLIPSOID] = plane_ellipsoid;
}
