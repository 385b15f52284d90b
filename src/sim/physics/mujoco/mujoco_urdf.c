// What MuJoCo has made of the file is a model of its own, of which only the rest pose is used: every link where it then
// is, in base. So links can be written flat, each beside the others, and nothing of the file's text gets into the
// model's: no names, and no surgery on XML.
#include "sim/physics/mujoco/mujoco_urdf.h"
#include "sim/physics/robot_shape.h"
#include <stdlib.h>
#include <string.h>

// Keeps links that are fixed to others, and leaves out what is only to be looked at.
#define EXTENSION "<mujoco><compiler fusestatic=\"false\" discardvisual=\"true\"/></mujoco></robot>"
#define AXLE_COSINE 0.99
#define MASS_KG_MIN 1e-6 // of a link that has none; MuJoCo wants some on what moves
#define INERTIA_KGM2_MIN 1e-9
#define FAR_M 100.0 // no part of a robot is as far from its root
#define HEAVY 1e5   // nor weighs so many kg or kg m2

struct cairn_mujoco_urdf {
    const cairn_body_description *description;
    mjModel *model;
    mjData *data; // at rest
    int wheel_joints[CAIRN_WHEELS_MAX];
};

// ---- before MuJoCo sees the text

typedef struct forbidden {
    const char *text, *reason;
} forbidden;

static const forbidden everywhere[] = {
    {"<!", "has a document type, an entity or raw data; take it out"},
    {"<include", "includes another file; put its text in here"},
    {"<mujoco", "has an extension of MuJoCo; take it out, the simulator has its own"},
    {"<xacro:", "is xacro, not URDF; expand it first"},
};

// XML comments are harmless, but what they may hide is not: they are blanked.
static void blank_comments(char *text)
{
    for (char *from = strstr(text, "<!--"); from; from = strstr(from, "<!--")) {
        const char *to = strstr(from, "-->");
        const size_t bytes = to ? (size_t)(to - from) + 3 : strlen(from);
        for (size_t i = 0; i < bytes; i++) { from[i] = from[i] == '\n' ? '\n' : ' '; } // lines keep their numbers
    }
}

static uint32_t line_of(const char *text, const char *at)
{
    uint32_t line = 1;
    for (const char *c = text; c < at; c++) { line += *c == '\n'; }
    return line;
}

static bool has_mesh_to_collide_with(const char *text, const char **ret_at)
{
    for (const char *from = strstr(text, "<collision"); from; from = strstr(from + 1, "<collision")) {
        const char *to = strstr(from, "</collision"), *mesh = strstr(from, "<mesh");
        if (mesh && (!to || mesh < to)) {
            *ret_at = mesh;
            return true;
        }
    }
    return false;
}

// MuJoCo 2.2.2 reads where nothing is when a joint's type is none of URDF's.
static bool is_type_of_joint(const char *quoted)
{
    static const char *const words[] = {"fixed", "continuous", "revolute", "prismatic"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t bytes = strlen(words[i]);
        if (strncmp(quoted + 1, words[i], bytes) == 0 && quoted[bytes + 1] == quoted[0]) { return true; }
    }
    return false;
}

static bool has_strange_joint(const char *text, const char **ret_at)
{
    for (const char *from = strstr(text, "<joint"); from; from = strstr(from + 1, "<joint")) {
        const char *end = strchr(from, '>');
        for (const char *at = strstr(from, "type"); at && (!end || at < end); at = strstr(at + 1, "type")) {
            const char *value = at + 4 + strspn(at + 4, " \t\r\n=");
            if ((*value == '"' || *value == '\'') && !is_type_of_joint(value)) {
                *ret_at = at;
                return true;
            }
        }
    }
    return false;
}

static bool may_be_loaded(const char *text, const char *path, cairn_complaints *complaints)
{
    const char *at = NULL;
    for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; i++) {
        at = strstr(text, everywhere[i].text);
        if (!at) { continue; }
        cairn_complain(complaints, path, line_of(text, at), "%s", everywhere[i].reason);
        return false;
    }
    if (has_mesh_to_collide_with(text, &at)) {
        cairn_complain(complaints, path, line_of(text, at),
                       "a <collision> is a mesh; give the link a box, cylinder or sphere instead");
        return false;
    }
    if (has_strange_joint(text, &at)) {
        cairn_complain(complaints, path, line_of(text, at),
                       "a joint is of a strange type; expected fixed, continuous, revolute or prismatic");
        return false;
    }
    if (!strstr(text, "</robot>")) {
        cairn_complain(complaints, path, 0, "is not a URDF: there is no <robot>");
        return false;
    }
    return true;
}

// ---- through MuJoCo's loader

static mjModel *load(const char *text, const char *path, cairn_complaints *complaints)
{
    char why[500] = "out of memory";
    mjModel *model = NULL;
    const size_t bytes = strlen(text);
    mjVFS *files = malloc(sizeof *files);
    if (files) {
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, "robot.urdf", (int)bytes) == 0) {
            memcpy(files->filedata[0], text, bytes);
            model = mj_loadXML("robot.urdf", files, why, sizeof why);
        }
        mj_deleteVFS(files);
    }
    free(files);
    for (char *c = why; *c; c++) { *c = *c == '\n' ? ' ' : *c; }
    if (!model) { cairn_complain(complaints, path, 0, "MuJoCo does not take it: %s", why); }
    return model;
}

// ---- what it has become, in base

static cairn_vec3 vec_from(const mjtNum *v) { return (cairn_vec3){v[0], v[1], v[2]}; }

static cairn_vec3 in_base(const cairn_mujoco_urdf *urdf, const mjtNum *v)
{
    return cairn_vec3_add(vec_from(v), urdf->description->urdf.root_m);
}

static cairn_quat link_turn(const cairn_mujoco_urdf *urdf, int link)
{
    const mjtNum *q = urdf->data->xquat + 4 * link;
    return (cairn_quat){q[0], q[1], q[2], q[3]};
}

static int wheel_of_link(const cairn_mujoco_urdf *urdf, int link)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        if (urdf->model->jnt_bodyid[urdf->wheel_joints[i]] == link) { return i; }
    }
    return -1;
}

// ---- checks

static const char *const wheel_words[CAIRN_WHEELS_MAX] = {"front_left", "front_right", "rear_left", "rear_right"};

static bool check_size(const cairn_mujoco_urdf *urdf, cairn_complaints *complaints)
{
    const mjModel *model = urdf->model;
    const char *path = urdf->description->urdf.path;
    int roots = 0, links = model->nbody - 1;
    for (int link = 1; link <= links; link++) { roots += model->body_parentid[link] == 0; }
    if (links > CAIRN_URDF_LINKS_MAX || model->ngeom > CAIRN_URDF_SHAPES_MAX) {
        cairn_complain(complaints, path, 0, "%d links and %d collision shapes; at most %d and %d", links, model->ngeom,
                       CAIRN_URDF_LINKS_MAX, CAIRN_URDF_SHAPES_MAX);
    } else if (model->nmesh > 0) {
        cairn_complain(complaints, path, 0, "has meshes; give its links boxes, cylinders or spheres");
    } else if (roots != 1) {
        cairn_complain(complaints, path, 0, "has %d links that hang on no other; it must be one", roots);
    } else {
        return true;
    }
    return false;
}

static bool are_within(const mjtNum *values, int count, double limit)
{
    for (int i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= limit)) { return false; } // NaN, too
    }
    return true;
}

// MuJoCo takes "inf" and "nan" for numbers.
static bool check_numbers(const cairn_mujoco_urdf *urdf, cairn_complaints *complaints)
{
    const mjModel *model = urdf->model;
    for (int link = 1; link < model->nbody; link++) {
        if (are_within(urdf->data->xpos + 3 * link, 3, FAR_M) && are_within(urdf->data->xquat + 4 * link, 4, 1.1) &&
            are_within(model->body_ipos + 3 * link, 3, FAR_M) && are_within(model->body_iquat + 4 * link, 4, 1.1) &&
            are_within(model->body_mass + link, 1, HEAVY) && are_within(model->body_inertia + 3 * link, 3, HEAVY)) {
            continue;
        }
        const char *name = mj_id2name(model, mjOBJ_BODY, link);
        cairn_complain(complaints, urdf->description->urdf.path, 0,
                       "link \"%.60s\" or its joint has a number that is none, or too large", name ? name : "");
        return false;
    }
    return true;
}

static bool find_wheels(cairn_mujoco_urdf *urdf, cairn_complaints *complaints)
{
    const cairn_urdf_description *of = &urdf->description->urdf;
    bool found = true;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const int joint = mj_name2id(urdf->model, mjOBJ_JOINT, of->wheel_joints[i]);
        urdf->wheel_joints[i] = joint;
        if (joint < 0) {
            cairn_complain(complaints, of->path, 0, "has no joint \"%s\", the robot file's %s", of->wheel_joints[i],
                           wheel_words[i]);
            found = false;
        } else if (urdf->model->jnt_type[joint] != mjJNT_HINGE) {
            cairn_complain(complaints, of->path, 0, "joint \"%s\" is no wheel's: it must be continuous or revolute",
                           of->wheel_joints[i]);
            found = false;
        }
    }
    return found;
}

static void check_wheel(const cairn_mujoco_urdf *urdf, const cairn_robot_shape *shape, int wheel,
                        cairn_complaints *complaints)
{
    const cairn_urdf_description *of = &urdf->description->urdf;
    const int joint = urdf->wheel_joints[wheel];
    const cairn_vec3 at = in_base(urdf, urdf->data->xanchor + 3 * joint), told = shape->wheel_centre_m[wheel];
    if (!(fabs(urdf->data->xaxis[3 * joint + 1]) >= AXLE_COSINE)) {
        cairn_complain(complaints, of->path, 0, "joint \"%s\" does not turn about the robot's y, as a wheel must",
                       of->wheel_joints[wheel]);
    }
    if (!(cairn_vec3_length(cairn_vec3_sub(at, told)) <= CAIRN_URDF_SLACK_M)) {
        cairn_complain(complaints, of->path, 0,
                       "joint \"%s\" is at [%.3f, %.3f, %.3f] in base; by the robot file's wheels and root_m it is at "
                       "[%.3f, %.3f, %.3f]",
                       of->wheel_joints[wheel], at.x, at.y, at.z, told.x, told.y, told.z);
    }
    for (int link = 1; link < urdf->model->nbody; link++) {
        if (urdf->model->body_parentid[link] == urdf->model->jnt_bodyid[joint]) {
            cairn_complain(complaints, of->path, 0, "something hangs on the wheel of joint \"%s\"",
                           of->wheel_joints[wheel]);
        }
    }
    for (int other = 0; other < wheel; other++) {
        if (urdf->wheel_joints[other] == joint) {
            cairn_complain(complaints, of->path, 0, "joint \"%s\" is named for two wheels", of->wheel_joints[wheel]);
        }
    }
}

static void check_mass(const cairn_mujoco_urdf *urdf, cairn_complaints *complaints)
{
    double mass_kg = 0;
    const double told_kg = urdf->description->mass_kg;
    for (int link = 1; link < urdf->model->nbody; link++) { mass_kg += urdf->model->body_mass[link]; }
    if (!(fabs(mass_kg - told_kg) <= CAIRN_URDF_MASS_SLACK * told_kg)) {
        cairn_complain(complaints, urdf->description->urdf.path, 0,
                       "its links weigh %.3f kg in all; the robot file's mass_kg is %.3f", mass_kg, told_kg);
    }
}

static cairn_vec3 half_of_shape(const mjModel *model, int geom)
{
    const mjtNum *size = model->geom_size + 3 * geom;
    switch (model->geom_type[geom]) {
    case mjGEOM_SPHERE: return (cairn_vec3){size[0], size[0], size[0]};
    case mjGEOM_CYLINDER: return (cairn_vec3){size[0], size[0], size[1]};
    case mjGEOM_CAPSULE: return (cairn_vec3){size[0], size[0], size[0] + size[1]};
    default: return vec_from(size);
    }
}

// Physics looks for what is near within the outer box, and planners keep that box clear.
static void check_shape(const cairn_mujoco_urdf *urdf, int geom, cairn_complaints *complaints)
{
    const cairn_body_description *robot = urdf->description;
    const cairn_vec3 half = half_of_shape(urdf->model, geom), at = in_base(urdf, urdf->data->geom_xpos + 3 * geom);
    const mjtNum *axes = urdf->data->geom_xmat + 9 * geom;
    const double reach_m[3] = {fabs(axes[0]) * half.x + fabs(axes[1]) * half.y + fabs(axes[2]) * half.z,
                               fabs(axes[3]) * half.x + fabs(axes[4]) * half.y + fabs(axes[5]) * half.z,
                               fabs(axes[6]) * half.x + fabs(axes[7]) * half.y + fabs(axes[8]) * half.z};
    const double out_m =
        fmax(fmax(fabs(at.x) + reach_m[0] - 0.5 * robot->length_m, fabs(at.y) + reach_m[1] - 0.5 * robot->width_m),
             fmax(at.z + reach_m[2] - robot->height_m, reach_m[2] - at.z));
    if (!(out_m <= CAIRN_URDF_SLACK_M)) {
        const int link = urdf->model->geom_bodyid[geom];
        const char *name = mj_id2name(urdf->model, mjOBJ_BODY, link);
        cairn_complain(complaints, robot->urdf.path, 0,
                       "link \"%.60s\" reaches %.3f m out of the robot file's length_m, width_m, height_m",
                       name ? name : "", out_m);
    }
}

static bool check(cairn_mujoco_urdf *urdf, cairn_complaints *complaints)
{
    const uint32_t before = complaints->count;
    if (!check_size(urdf, complaints) || !check_numbers(urdf, complaints)) { return false; }
    if (!find_wheels(urdf, complaints)) { return false; }
    const cairn_robot_shape shape = cairn_robot_shape_of(urdf->description);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { check_wheel(urdf, &shape, i, complaints); }
    check_mass(urdf, complaints);
    for (int geom = 0; geom < urdf->model->ngeom; geom++) {
        if (wheel_of_link(urdf, urdf->model->geom_bodyid[geom]) < 0) { check_shape(urdf, geom, complaints); }
    }
    return complaints->count == before;
}

// ---- making one

// Takes the model.
static cairn_err make(mjModel *model, const cairn_body_description *description, cairn_complaints *complaints,
                      cairn_mujoco_urdf **ret_urdf)
{
    cairn_mujoco_urdf *urdf = calloc(1, sizeof *urdf);
    if (!urdf) {
        mj_deleteModel(model);
        return CAIRN_ERR_FULL;
    }
    *urdf = (cairn_mujoco_urdf){.description = description, .model = model, .data = mj_makeData(model)};
    cairn_err err = urdf->data ? CAIRN_OK : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) {
        mj_kinematics(model, urdf->data);
        if (!check(urdf, complaints)) { err = CAIRN_ERR_INVALID; }
    }
    if (err != CAIRN_OK) {
        cairn_mujoco_urdf_destroy(urdf);
        return err;
    }
    *ret_urdf = urdf;
    return CAIRN_OK;
}

cairn_err cairn_mujoco_urdf_parse(const char *bytes, size_t size_bytes, const cairn_body_description *description,
                                  cairn_complaints *complaints, cairn_mujoco_urdf **ret_urdf)
{
    const char *path = description->urdf.path;
    if (size_bytes > CAIRN_URDF_BYTES_MAX) {
        cairn_complain(complaints, path, 0, "is larger than %u KiB", CAIRN_URDF_BYTES_MAX >> 10);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (memchr(bytes, '\0', size_bytes)) {
        cairn_complain(complaints, path, 0, "is no text");
        return CAIRN_ERR_INVALID;
    }
    char *text = calloc(1, size_bytes + sizeof EXTENSION);
    if (!text) { return CAIRN_ERR_FULL; }
    memcpy(text, bytes, size_bytes);
    blank_comments(text);
    mjModel *model = NULL;
    if (may_be_loaded(text, path, complaints)) {
        memcpy(strstr(text, "</robot>"), EXTENSION, sizeof EXTENSION); // and what follows the robot is gone
        model = load(text, path, complaints);
    }
    free(text);
    return model ? make(model, description, complaints, ret_urdf) : CAIRN_ERR_INVALID;
}

cairn_err cairn_mujoco_urdf_create(const cairn_body_description *description, cairn_complaints *complaints,
                                   cairn_mujoco_urdf **ret_urdf)
{
    CAIRN_ASSERT(description->urdf.offered);
    FILE *file = fopen(description->urdf.path, "rb");
    if (!file) {
        cairn_complain(complaints, description->urdf.path, 0, "cannot be opened");
        return CAIRN_ERR_IO;
    }
    char *bytes = malloc(CAIRN_URDF_BYTES_MAX + 1);
    const size_t size_bytes = bytes ? fread(bytes, 1, CAIRN_URDF_BYTES_MAX + 1, file) : 0;
    fclose(file);
    const cairn_err err =
        bytes ? cairn_mujoco_urdf_parse(bytes, size_bytes, description, complaints, ret_urdf) : CAIRN_ERR_FULL;
    free(bytes);
    return err;
}

void cairn_mujoco_urdf_destroy(cairn_mujoco_urdf *urdf)
{
    if (!urdf) { return; }
    if (urdf->data) { mj_deleteData(urdf->data); }
    mj_deleteModel(urdf->model);
    free(urdf);
}

// ---- writing

static void write_pose(FILE *out, cairn_vec3 at, cairn_quat turn)
{
    fprintf(out, "pos=\"%.9g %.9g %.9g\" quat=\"%.9g %.9g %.9g %.9g\"", at.x, at.y, at.z, turn.w, turn.x, turn.y,
            turn.z);
}

static void write_inertia(const mjModel *model, int link, FILE *out)
{
    const mjtNum *inertia = model->body_inertia + 3 * link, *turn = model->body_iquat + 4 * link;
    fprintf(out, "<inertial ");
    write_pose(out, vec_from(model->body_ipos + 3 * link), (cairn_quat){turn[0], turn[1], turn[2], turn[3]});
    fprintf(out, " mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n", fmax(model->body_mass[link], MASS_KG_MIN),
            fmax(inertia[0], INERTIA_KGM2_MIN), fmax(inertia[1], INERTIA_KGM2_MIN), fmax(inertia[2], INERTIA_KGM2_MIN));
}

static const char *type_word(int type)
{
    switch (type) {
    case mjGEOM_SPHERE: return "sphere";
    case mjGEOM_CYLINDER: return "cylinder";
    case mjGEOM_CAPSULE: return "capsule";
    default: return "box";
    }
}

static void write_shapes(const mjModel *model, int link, const char *style, FILE *out)
{
    for (int i = 0; i < model->body_geomnum[link]; i++) {
        const int geom = model->body_geomadr[link] + i;
        const cairn_vec3 size = vec_from(model->geom_size + 3 * geom);
        const mjtNum *turn = model->geom_quat + 4 * geom;
        fprintf(out, "<geom type=\"%s\" size=\"%.9g %.9g %.9g\" ", type_word(model->geom_type[geom]), size.x, size.y,
                size.z);
        write_pose(out, vec_from(model->geom_pos + 3 * geom), (cairn_quat){turn[0], turn[1], turn[2], turn[3]});
        fprintf(out, " %s/>\n", style);
    }
}

// The link's moment of inertia about its axle, to which the motor's comes.
static double axle_inertia_kgm2(const cairn_mujoco_urdf *urdf, int link, cairn_vec3 axle)
{
    const mjtNum *axes = urdf->data->ximat + 9 * link, *inertia = urdf->model->body_inertia + 3 * link;
    double about = 0;
    for (int i = 0; i < 3; i++) {
        const double cosine = axes[i] * axle.x + axes[3 + i] * axle.y + axes[6 + i] * axle.z;
        about += inertia[i] * cosine * cosine;
    }
    return about;
}

// The tyre stands in for the link's shapes: a round contact patch turns on the spot as theory says, a cylinder's does
// not. Its axes are base's at rest.
static void write_wheel(const cairn_mujoco_urdf *urdf, int wheel, uint32_t robot, double sink_m, const char *style,
                        FILE *out)
{
    const cairn_wheels_description *wheels = &urdf->description->wheels;
    const int joint = urdf->wheel_joints[wheel], link = urdf->model->jnt_bodyid[joint];
    cairn_vec3 at = in_base(urdf, urdf->data->xpos + 3 * link), axle = vec_from(urdf->data->xaxis + 3 * joint);
    const cairn_vec3 anchor = vec_from(urdf->model->jnt_pos + 3 * joint);
    const cairn_quat to_link = cairn_quat_conjugate(link_turn(urdf, link));
    const double missing_kgm2 = wheels->rotor_inertia_kgm2 - axle_inertia_kgm2(urdf, link, axle);
    if (axle.y < 0) { axle = cairn_vec3_scale(axle, -1); } // forward is positive, whatever the file's axis
    const cairn_vec3 in_link = cairn_quat_rotate(to_link, axle);
    at.z -= 0.5 * sink_m;
    fprintf(out, "<body ");
    write_pose(out, at, link_turn(urdf, link));
    fprintf(out, ">\n<joint name=\"wheel %u %d\" type=\"hinge\" pos=\"%.9g %.9g %.9g\" axis=\"%.9g %.9g %.9g\" ", robot,
            wheel, anchor.x, anchor.y, anchor.z, in_link.x, in_link.y, in_link.z);
    fprintf(out, "armature=\"%.9g\"/>\n", fmax(missing_kgm2, 0));
    write_inertia(urdf->model, link, out);
    const double radius_m = wheels->radius_m + 0.5 * sink_m;
    fprintf(out, "<geom name=\"tyre %u %d\" type=\"ellipsoid\" size=\"%.9g %.9g %.9g\" ", robot, wheel, radius_m,
            0.5 * wheels->width_m, radius_m);
    write_pose(out, anchor, to_link);
    fprintf(out, " %s/>\n</body>\n", style);
}

void cairn_mujoco_urdf_write(const cairn_mujoco_urdf *urdf, uint32_t robot, double sink_m, cairn_urdf_style style,
                             FILE *out)
{
    // The robot's own body weighs nothing: all that it carries is in the links.
    fprintf(out, "<inertial pos=\"0 0 0\" mass=\"%g\" diaginertia=\"%g %g %g\"/>\n", MASS_KG_MIN, INERTIA_KGM2_MIN,
            INERTIA_KGM2_MIN, INERTIA_KGM2_MIN);
    for (int link = 1; link < urdf->model->nbody; link++) {
        const int wheel = wheel_of_link(urdf, link);
        if (wheel >= 0) {
            write_wheel(urdf, wheel, robot, sink_m, style.tyre, out);
            continue;
        }
        fprintf(out, "<body ");
        write_pose(out, in_base(urdf, urdf->data->xpos + 3 * link), link_turn(urdf, link));
        fprintf(out, ">\n");
        write_inertia(urdf->model, link, out);
        write_shapes(urdf->model, link, style.hull, out);
        fprintf(out, "</body>\n");
    }
}
