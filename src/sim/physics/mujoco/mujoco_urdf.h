// mujoco_urdf.h - a robot's body out of a URDF file, for the model's text.
//
// MuJoCo's own loader reads the file; what it made of it is checked against the robot file and written anew:
//   - links with their masses, inertias and <collision> shapes (box, cylinder, sphere, capsule); <visual> is left out
//   - wheels turn about the four joints that the robot file names, on tyres of the robot file's radius and width
//   - all other joints are held where they are at rest
// The bytes are taken as anybody's. Refused before MuJoCo sees them: files above CAIRN_URDF_BYTES_MAX, includes,
// document types, MuJoCo's own extensions, and meshes as collision shapes, so that no other file is ever opened.
// MuJoCo's XML reader itself is not ours to make safe: read files of people you know.
// Threads  One at a time in a process, as mj_loadXML.
#pragma once
#include "body/description.h"
#include <mujoco/mujoco.h>
#include <stdio.h>

#define CAIRN_URDF_BYTES_MAX (256u << 10)
#define CAIRN_URDF_LINKS_MAX 64
#define CAIRN_URDF_SHAPES_MAX 64
// How far a wheel's joint may be from where the robot file has the wheel, and a shape outside of its outer box.
#define CAIRN_URDF_SLACK_M 0.03
// [-] How far the masses of both files may be apart.
#define CAIRN_URDF_MASS_SLACK 0.05

typedef struct cairn_mujoco_urdf cairn_mujoco_urdf;

// Reads description->urdf. CAIRN_ERR_IO, TOO_LARGE, INVALID with the reasons, all of those about joints, masses and
// sizes at once. The description is borrowed for the life of *ret_urdf.
CAIRN_CHECKED cairn_err cairn_mujoco_urdf_create(const cairn_body_description *description,
                                                 cairn_complaints *complaints, cairn_mujoco_urdf **ret_urdf);
// The same from bytes in memory, for tests and fuzzing; the path is for words only.
CAIRN_CHECKED cairn_err cairn_mujoco_urdf_parse(const char *bytes, size_t size_bytes,
                                                const cairn_body_description *description, cairn_complaints *complaints,
                                                cairn_mujoco_urdf **ret_urdf);
void cairn_mujoco_urdf_destroy(cairn_mujoco_urdf *urdf);

// How the model writes a robot's geoms: attributes of hull and of tyres, without type, size and place.
typedef struct cairn_urdf_style {
    const char *hull, *tyre;
} cairn_urdf_style;

// Everything inside of the robot's body, whose frame is base; names as mujoco_model.h has them. sink_m as there.
void cairn_mujoco_urdf_write(const cairn_mujoco_urdf *urdf, uint32_t robot, double sink_m, cairn_urdf_style style,
                             FILE *out);
