// drop.h - no wheel leaves the ground that carries: no gap, no drop, no step down, no ground that nobody has seen.
//
// Mind tells where the ground was seen or driven on (sound_ground.h). The motion that is wanted is followed along its
// arc; if what the robot stands on would come to lie on anything else before it can stand, braking with all that its
// file says it has, the motion is slowed along that arc, down to nothing: nobody creeps over an edge. What it stands on
// now is taken as it is, so that it may always come away. Avoidance counts on half of the brakes and a wider outline,
// and this one acts only where that outline has come off sound ground, too: where avoidance does its work, it has
// nothing to do.
// Sees      Robots that see the ground (cairn_body_sees_ground), unless their file accepts unseen ground. What mind
//           told stays true; it is not heard when it is of another odometry or from the future.
// Blind     One that sees none may creep (CAIRN_CREEP_MPS) if its file does not accept that.
// Not seen  Holes narrower than the map's cells; ground that breaks under the robot.
// Frame     odom of reflex.
// Cost      Each step O(points of the feet) times CAIRN_BRAKING_POSES.
#pragma once
#include "body/description.h"
#include "robot/ground/sound_ground.h"
#include "robot/reflex/braking.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_drop {
    const cairn_body_description *body; // borrowed
    bool sees;                          // it must keep to the ground that it has seen
    bool told;                          // where that is
    uint64_t version, odom_id;
    uint32_t refused_count;
    double held;         // [m/s] which way it was made to stand; 0: it was not
    cairn_vec2 stands_m; // half of what it stands on, in base
    cairn_sound_ground ground;
} cairn_drop;

void cairn_drop_init(cairn_drop *drop, const cairn_body_description *body);
// Hears what is new. The cell may be NULL.
void cairn_drop_hear(cairn_drop *drop, cairn_cell *cell, uint64_t odom_id, cairn_mono now);
// What is left of a motion wanted at this place; `moves` is the motion measured, NaN where it is not known.
cairn_motion_limit cairn_drop_judge(cairn_drop *drop, cairn_pose2 odom_T_base, cairn_motion wanted, cairn_motion moves);
