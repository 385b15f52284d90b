// What a robot's file says of its eyes: whether it sees the ground that it drives on.
#include "body/description_io.h"
#include "commands/doctor/doctor.h"

void cairn_examine_robot(cairn_examination *examination)
{
    static cairn_complaints complaints; // large
    static cairn_body_description robot;
    if (examination->robot == NULL) { return; }
    if (cairn_body_description_read(examination->robot, &complaints, &robot) != CAIRN_OK) {
        cairn_finding *unread = cairn_find(examination, "robot file", "%.200s", complaints.text);
        cairn_advise(unread, CAIRN_PROBLEM, "mend %.280s", examination->robot);
        return;
    }
    cairn_find(examination, "robot file", "%s", robot.name);
    if (cairn_body_sees_ground(&robot)) {
        cairn_find(examination, "ground", "%s", "it sees the ground ahead, and drives only where it has seen some");
        return;
    }
    cairn_finding *unseen = cairn_find(examination, "ground", "nothing on it sees the ground ahead: it may fall");
    if (robot.limits.accept_unseen_ground) {
        cairn_advise(unseen, CAIRN_NOTE,
                     "its file accepts that (limits.accept_unseen_ground): keep it away from edges "
                     "and holes, or give it a range imager");
    } else {
        cairn_advise(unseen, CAIRN_PROBLEM,
                     "give it a range imager or a laser that nods, and an IMU; or accept the risk "
                     "with limits.accept_unseen_ground: true. It does not drive until then");
    }
}
