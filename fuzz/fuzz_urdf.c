// Any bytes as a URDF file of robots/rover.yaml: refused with a reason, or a robot that can be written into a model.
//
// MuJoCo's own XML reader is among what is tried; nobody can mend it here. What it is not to see is stopped before it.
#include "body/description_io.h"
#include "sim/physics/mujoco/mujoco_urdf.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

// What is wrong with a model is in the words that mj_loadXML returns; that it also warns is of no use here.
static void be_silent(const char *words) { (void)words; }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_body_description robot;
    static FILE *nowhere;
    if (nowhere == NULL) {
        static cairn_complaints about_robot;
        nowhere = fopen("/dev/null", "w");
        if (nowhere == NULL) { abort(); }
        if (cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/rover.yaml", &about_robot, &robot) != CAIRN_OK) {
            abort();
        }
        mju_user_warning = be_silent;
    }
    cairn_complaints told = {0};
    cairn_mujoco_urdf *urdf = NULL;
    const cairn_err err = cairn_mujoco_urdf_parse((const char *)bytes, size_bytes, &robot, &told, &urdf);
    CAIRN_ASSERT((err == CAIRN_OK) == (urdf != NULL) && (err == CAIRN_OK) == (told.count == 0));
    if (urdf != NULL) {
        cairn_mujoco_urdf_write(urdf, 0, 0.001, (cairn_urdf_style){"class=\"hull\"", "class=\"tyre\""}, nowhere);
    }
    cairn_mujoco_urdf_destroy(urdf);
    return 0;
}
