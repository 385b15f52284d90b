// The library's collision of two boxes (MuJoCo 2.2) finds points that lie deeper in each other than the boxes overlap
// where an edge lies along a face: 0.9 m for boxes of 0.2 m, and a robot flies off at 9 m/s. Along a contact's normal
// no two points of boxes can be further inside each other than the boxes are: what says so is left out. If nothing else
// is left, the library's general collision of convex shapes, which finds one point, is asked.
#include "sim/physics/mujoco/mujoco_private.h"

// Rounding: a depth may be larger than the overlap by so much.
#define SLACK_M 0.001

static mjfCollision collide_library, collide_convex;

// Half of how far a box reaches along a direction.
static double half_along(const mjModel *model, const mjData *data, int geom, const mjtNum *along)
{
    const mjtNum *turn = data->geom_xmat + 9 * geom, *half = model->geom_size + 3 * geom;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += half[i] * fabs(turn[i] * along[0] + turn[3 + i] * along[1] + turn[6 + i] * along[2]);
    }
    return sum;
}

static bool is_possible(const mjModel *model, const mjData *data, int first, int second, const mjContact *contact)
{
    mjtNum apart[3];
    mju_sub3(apart, data->geom_xpos + 3 * second, data->geom_xpos + 3 * first);
    const double overlap_m = half_along(model, data, first, contact->frame) +
                             half_along(model, data, second, contact->frame) - fabs(mju_dot3(apart, contact->frame));
    return -contact->dist <= overlap_m + SLACK_M;
}

static int collide(const mjModel *model, const mjData *data, mjContact *contacts, int first, int second, mjtNum margin)
{
    const int found = collide_library(model, data, contacts, first, second, margin);
    int kept = 0;
    for (int i = 0; i < found; i++) {
        if (is_possible(model, data, first, second, &contacts[i])) { contacts[kept++] = contacts[i]; }
    }
    return found > 0 && kept == 0 ? collide_convex(model, data, contacts, first, second, margin) : kept;
}

void cairn_mujoco_boxes_install(void)
{
    collide_library = mjCOLLISIONFUNC[mjGEOM_BOX][mjGEOM_BOX];
    collide_convex = mjCOLLISIONFUNC[mjGEOM_BOX][mjGEOM_MESH]; // it asks the geoms what they are
    mjCOLLISIONFUNC[mjGEOM_BOX][mjGEOM_BOX] = collide;
}
