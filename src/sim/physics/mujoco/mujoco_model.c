// The settings follow from what was measured with skid steering (docs/simulator-mujoco.md): round contact patches
// (ellipsoid wheels), soft tyres, round friction cones and a low impedance of friction against that of normals let
// wheels slide sideways as Coulomb says; with MuJoCo's defaults the robot hops and turns half as fast.
#include "sim/physics/mujoco/mujoco_model.h"
#include "sim/physics/mujoco/mujoco_urdf.h"
#include "sim/physics/robot_shape.h"
#include <stdio.h>
#include <stdlib.h>

// Time constant [s] and damping ratio [-] of a tyre's contact. Longer: rolls smoother, sinks deeper.
#define TYRE_SOLREF "0.04 1"
// Part of the mass that one wheel has at most; the rest is the hull's.
#define WHEEL_MASS_PART 0.03
#define ROWS_PER_CONTACT 3 // a normal and two directions of friction
// Contacts at once. Memory grows with their square; those beyond are left out (the library counts it). A robot on flat
// ground has 4, one on its side in a step field 20 to 30; of many robots not all lie in step fields.
#define CONTACTS_SPARE 96
#define CONTACTS_PER_ROBOT 24
#define CONTACTS_PER_FURTHER_ROBOT 12 // beyond TEAM_ROBOTS
#define CONTACTS_PER_BLOCK 8
#define TEAM_ROBOTS 14
#define VELOCITIES_MAX 16 // of one robot

// Who meets whom is for the physics to say (mujoco_near.c); these bits only tell who meets the floor.
enum { BIT_ROBOT = 1, BIT_BLOCK = 2 };

// Priorities of the hull, and of all else: the higher one's friction and softness count. Ground and boxes have no
// weight of their own (solmix) in how soft a contact is.
#define HULL_PRIORITY 2
#define GROUND_MIX "solmix=\"0\" "

uint32_t cairn_mujoco_block_bodies(const cairn_physics_def *def)
{
    return def->arena->block_count < CAIRN_MUJOCO_BLOCKS_MAX ? def->arena->block_count : CAIRN_MUJOCO_BLOCKS_MAX;
}

uint32_t cairn_mujoco_boxes(const cairn_physics_def *def)
{
    return def->robot_count * (CAIRN_MUJOCO_NEAR_MAX + 1) +
           cairn_mujoco_block_bodies(def) * (CAIRN_MUJOCO_BLOCK_NEAR_MAX + 2);
}

static void write_options(FILE *out, uint32_t robot_count, uint32_t block_count)
{
    const uint32_t team = robot_count < TEAM_ROBOTS ? robot_count : TEAM_ROBOTS, further = robot_count - team;
    const uint32_t contacts = CONTACTS_SPARE + CONTACTS_PER_ROBOT * team + CONTACTS_PER_FURTHER_ROBOT * further +
                              CONTACTS_PER_BLOCK * block_count;
    const uint32_t rows = ROWS_PER_CONTACT * contacts, velocities = VELOCITIES_MAX * robot_count + 6 * block_count;
    fprintf(out, "<mujoco model=\"cairn\">\n");
    fprintf(out, "<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n");
    fprintf(out, "<size njmax=\"%u\" nconmax=\"%u\" nstack=\"%u\" nuserdata=\"1\"/>\n", rows, contacts,
            2000000 + 60 * rows + 4 * velocities * velocities);
    fprintf(out,
            "<option timestep=\"%.9g\" gravity=\"0 0 -9.81\" integrator=\"Euler\" solver=\"Newton\" "
            "cone=\"elliptic\" jacobian=\"sparse\" impratio=\"0.1\"/>\n",
            cairn_seconds(CAIRN_PHYSICS_STEP_NS));
}

// The body that gets the boxes around a party.
static void write_near(FILE *out, uint32_t party) { fprintf(out, "<body name=\"near %u\"/>\n", party); }

// Behind everything else in the model.
static void write_boxes(FILE *out, uint32_t count)
{
    fprintf(out, "<body name=\"boxes\">\n");
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "<geom type=\"box\" size=\"0.01 0.01 0.01\" " GROUND_MIX "contype=\"0\" conaffinity=\"3\"/>\n");
    }
    fprintf(out, "</body>\n");
}

// The physics gives it a size and a mass.
static void write_block(FILE *out, uint32_t block)
{
    fprintf(
        out,
        "<body name=\"block %u\">\n<freejoint/>\n"
        "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>\n"
        "<geom type=\"box\" size=\"0.1 0.1 0.1\" contype=\"%d\" conaffinity=\"%d\" friction=\"%g 0 0\"/>\n</body>\n",
        block, BIT_BLOCK, BIT_BLOCK | BIT_ROBOT, CAIRN_MUJOCO_BLOCK_FRICTION);
}

// Where there are holes it lies far below, and blocks meet it too; else they lie on boxes of their own.
static void write_floor(FILE *out, const cairn_sim_arena *arena)
{
    fprintf(out,
            "<geom type=\"plane\" pos=\"0 0 %g\" size=\"1 1 1\" " GROUND_MIX
            "contype=\"0\" conaffinity=\"%d\" friction=\"%g 0 0\"/>\n",
            arena->has_holes ? CAIRN_ABYSS_M : 0.0, arena->has_holes ? BIT_ROBOT | BIT_BLOCK : BIT_ROBOT,
            CAIRN_GROUND_FRICTION);
}

static void write_box(FILE *out, cairn_vec3 centre, cairn_vec3 half)
{
    fprintf(out,
            "<geom type=\"box\" pos=\"%.9g %.9g %.9g\" size=\"%.9g %.9g %.9g\" contype=\"%d\" conaffinity=\"%d\" "
            "priority=\"%d\" friction=\"%g 0 0\"/>\n",
            centre.x, centre.y, centre.z, half.x, half.y, half.z, BIT_ROBOT, BIT_ROBOT, HULL_PRIORITY,
            CAIRN_MUJOCO_HULL_FRICTION);
}

// Motor and gears of a flipper count as inertia at the pivot [kg m2 for each N m of torque].
#define FLIPPER_GEAR_KGM2_PER_NM 0.002

double cairn_mujoco_flipper_inertia_kgm2(const cairn_flippers_description *flippers)
{
    return flippers->mass_kg * flippers->length_m * flippers->length_m / 3 +
           FLIPPER_GEAR_KGM2_PER_NM * flippers->torque_nm_max;
}

// A wheel's mass is small enough that its own inertia is less than the rotor's, and what is missing to that
// is the motor's, on the joint.
static double wheel_mass_kg(const cairn_body_description *robot)
{
    const double r = robot->wheels.radius_m;
    return fmin(WHEEL_MASS_PART * robot->mass_kg, robot->wheels.rotor_inertia_kgm2 / (r * r));
}

// A tyre that sinks in by s rolls on the middle of the overlap: made s/2 larger, it rolls at its radius and stands
// s/2 lower.
static void write_wheel(FILE *out, const cairn_body_description *robot, const cairn_robot_shape *shape, double sink_m,
                        uint32_t index, int wheel)
{
    const cairn_vec3 at = shape->wheel_centre_m[wheel];
    const double r = shape->wheel_radius_m, mass = wheel_mass_kg(robot);
    const double along_axle = 0.5 * mass * r * r;
    const double across = 0.5 * along_axle + mass * shape->wheel_half_width_m * shape->wheel_half_width_m / 3;
    const double geom_r = r + 0.5 * sink_m;
    fprintf(out, "<body pos=\"%.9g %.9g %.9g\">\n", at.x, at.y, at.z - 0.5 * sink_m);
    fprintf(out, "<joint name=\"wheel %u %d\" type=\"hinge\" axis=\"0 1 0\" armature=\"%.9g\"/>\n", index, wheel,
            robot->wheels.rotor_inertia_kgm2 - along_axle);
    fprintf(out, "<inertial pos=\"0 0 0\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n", mass, across, along_axle,
            across);
    fprintf(out,
            "<geom name=\"tyre %u %d\" type=\"ellipsoid\" size=\"%.9g %.9g %.9g\" contype=\"%d\" conaffinity=\"%d\" "
            "friction=\"%g 0 0\" solref=\"" TYRE_SOLREF "\"/>\n",
            index, wheel, geom_r, shape->wheel_half_width_m, geom_r, BIT_ROBOT, BIT_ROBOT, CAIRN_MUJOCO_TYRE_FRICTION);
    fprintf(out, "</body>\n");
}

// A stadium from the side: flat below, round at its ends. It lies on its body's x axis.
static void write_belt(FILE *out, cairn_vec3 rear, double length_m, double radius_m, uint32_t index, int tyre)
{
    fprintf(out,
            "<geom name=\"tyre %u %d\" type=\"capsule\" fromto=\"%.9g %.9g %.9g %.9g %.9g %.9g\" size=\"%.9g\" "
            "contype=\"%d\" conaffinity=\"%d\" friction=\"%g 0 0\" solref=\"" TYRE_SOLREF "\"/>\n",
            index, tyre, rear.x, rear.y, rear.z, rear.x + length_m, rear.y, rear.z, radius_m, BIT_ROBOT, BIT_ROBOT,
            CAIRN_MUJOCO_TYRE_FRICTION);
}

// The belts are the hull's. What runs around is a rotor inside, that touches nothing: mujoco_drive.c couples them.
static void write_tracks(FILE *out, const cairn_body_description *robot, const cairn_robot_shape *shape, double sink_m,
                         uint32_t index)
{
    for (int side = 0; side < 2; side++) {
        cairn_vec3 rear = shape->wheel_centre_m[side + 2];
        rear.z -= sink_m;
        write_belt(out, rear, robot->wheels.wheelbase_m, shape->wheel_radius_m, index, side);
    }
    for (int side = 0; side < 2; side++) {
        fprintf(out, "<body>\n<joint name=\"wheel %u %d\" type=\"hinge\" axis=\"0 1 0\" armature=\"%.9g\"/>\n", index,
                side, 2 * robot->wheels.rotor_inertia_kgm2);
        fprintf(out, "<inertial pos=\"0 0 0\" mass=\"1e-6\" diaginertia=\"1e-9 1e-9 1e-9\"/>\n</body>\n");
    }
}

static void write_flipper(FILE *out, const cairn_flippers_description *flippers, double sink_m, uint32_t index,
                          int side)
{
    const double y_m = (side == 0 ? 0.5 : -0.5) * flippers->track_m, length = flippers->length_m;
    const double own_kgm2 = flippers->mass_kg * length * length / 12;
    const double around_pivot_kgm2 = own_kgm2 + flippers->mass_kg * length * length / 4;
    fprintf(out, "<body pos=\"%.9g %.9g %.9g\">\n", flippers->pivot_m.x, y_m, flippers->pivot_m.y - sink_m);
    fprintf(out,
            "<joint name=\"flipper %u %d\" type=\"hinge\" axis=\"0 -1 0\" limited=\"true\" range=\"%.9g %.9g\" "
            "armature=\"%.9g\"/>\n",
            index, side, flippers->angle_rad_min, flippers->angle_rad_max,
            cairn_mujoco_flipper_inertia_kgm2(flippers) - around_pivot_kgm2);
    fprintf(out, "<inertial pos=\"%.9g 0 0\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n", 0.5 * length,
            flippers->mass_kg, 0.5 * flippers->mass_kg * flippers->radius_m * flippers->radius_m, own_kgm2, own_kgm2);
    write_belt(out, (cairn_vec3){0}, length, flippers->radius_m, index, side + 2);
    fprintf(out, "</body>\n");
}

// Mass and its moment about base of all that is not the hull. Flippers count where they are at the start.
static double parts_kg(const cairn_body_description *robot, const cairn_robot_shape *shape, cairn_vec3 *ret_moment)
{
    const cairn_flippers_description *flippers = &robot->flippers;
    if (!robot->tracks.offered) {
        const double wheels_kg = CAIRN_WHEELS_MAX * wheel_mass_kg(robot);
        *ret_moment = (cairn_vec3){0, 0, wheels_kg * shape->wheel_radius_m};
        return wheels_kg;
    }
    const double flippers_kg = flippers->offered ? 2 * flippers->mass_kg : 0, half_m = 0.5 * flippers->length_m;
    *ret_moment = (cairn_vec3){flippers_kg * (flippers->pivot_m.x + half_m * cos(flippers->angle_rad_start)), 0,
                               flippers_kg * (flippers->pivot_m.y + half_m * sin(flippers->angle_rad_start))};
    return flippers_kg;
}

// The hull's mass sits where it brings that of the whole robot to the description's centre.
static void write_hull_inertia(FILE *out, const cairn_body_description *robot, const cairn_robot_shape *shape)
{
    cairn_vec3 parts_moment;
    const double hull_kg = robot->mass_kg - parts_kg(robot, shape, &parts_moment);
    const cairn_vec3 moment = cairn_vec3_sub(cairn_vec3_scale(robot->mass_centre_m, robot->mass_kg), parts_moment);
    const cairn_vec3 at = cairn_vec3_scale(moment, 1 / hull_kg), half = shape->hull_half_m;
    const double third = hull_kg / 3;
    fprintf(out, "<inertial pos=\"%.9g %.9g %.9g\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n", at.x, at.y, at.z,
            hull_kg, third * (half.y * half.y + half.z * half.z), third * (half.x * half.x + half.z * half.z),
            third * (half.x * half.x + half.y * half.y));
}

static void write_wheels(FILE *out, const cairn_body_description *robot, const cairn_robot_shape *shape, double sink_m,
                         uint32_t index)
{
    for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) { write_wheel(out, robot, shape, sink_m, index, wheel); }
}

static void write_own_body(FILE *out, const cairn_body_description *robot, double sink_m, uint32_t index)
{
    const cairn_robot_shape shape = cairn_robot_shape_of(robot);
    write_hull_inertia(out, robot, &shape);
    write_box(out, shape.hull_centre_m, shape.hull_half_m);
    if (shape.has_head) { write_box(out, shape.head_centre_m, shape.head_half_m); }
    if (robot->tracks.offered) {
        write_tracks(out, robot, &shape, sink_m, index);
    } else {
        write_wheels(out, robot, &shape, sink_m, index);
    }
    for (int side = 0; robot->flippers.offered && side < 2; side++) {
        write_flipper(out, &robot->flippers, sink_m, index, side);
    }
}

static cairn_err write_urdf_body(FILE *out, const cairn_body_description *robot, double sink_m, uint32_t index,
                                 cairn_complaints *complaints)
{
    cairn_mujoco_urdf *urdf = NULL;
    const cairn_err err = cairn_mujoco_urdf_create(robot, complaints, &urdf);
    if (err != CAIRN_OK) { return err; }
    char hull[128], tyre[128];
    snprintf(hull, sizeof hull, "contype=\"%d\" conaffinity=\"%d\" priority=\"%d\" friction=\"%g 0 0\"", BIT_ROBOT,
             BIT_ROBOT, HULL_PRIORITY, CAIRN_MUJOCO_HULL_FRICTION);
    snprintf(tyre, sizeof tyre, "contype=\"%d\" conaffinity=\"%d\" friction=\"%g 0 0\" solref=\"" TYRE_SOLREF "\"",
             BIT_ROBOT, BIT_ROBOT, CAIRN_MUJOCO_TYRE_FRICTION);
    cairn_mujoco_urdf_write(urdf, index, sink_m, (cairn_urdf_style){.hull = hull, .tyre = tyre}, out);
    cairn_mujoco_urdf_destroy(urdf);
    return CAIRN_OK;
}

static cairn_err write_robot(FILE *out, const cairn_body_description *robot, double sink_m, uint32_t index,
                             cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    fprintf(out, "<body name=\"robot %u\">\n<freejoint name=\"base %u 0\"/>\n", index, index);
    if (robot->urdf.offered) {
        err = write_urdf_body(out, robot, sink_m, index, complaints);
    } else {
        write_own_body(out, robot, sink_m, index);
    }
    fprintf(out, "</body>\n");
    return err;
}

// Wheels whose encoder sits at the rear only are joined to the rear by a chain: else a front wheel that slips would
// spin up, and nobody would know.
static void write_chains(FILE *out, const cairn_physics_def *def)
{
    fprintf(out, "<equality>\n");
    for (uint32_t i = 0; i < def->robot_count; i++) {
        const cairn_body_description *robot = def->robots[i];
        if (!robot->encoders.rear_only || robot->tracks.offered || robot->urdf.offered) { continue; }
        for (int side = 0; side < 2; side++) {
            fprintf(out, "<joint joint1=\"wheel %u %d\" joint2=\"wheel %u %d\"/>\n", i, side, i, side + 2);
        }
    }
    fprintf(out, "</equality>\n");
}

static cairn_err write_model(FILE *out, const cairn_physics_def *def, const double *sink_m,
                             cairn_complaints *complaints)
{
    const uint32_t robots = def->robot_count, blocks = cairn_mujoco_block_bodies(def);
    const cairn_sim_arena *arena = def->arena;
    write_options(out, robots, blocks);
    fprintf(out, "<worldbody>\n");
    write_floor(out, arena);
    for (uint32_t robot = 0; robot < robots; robot++) {
        const cairn_err err = write_robot(out, def->robots[robot], sink_m[robot], robot, complaints);
        if (err != CAIRN_OK) { return err; }
    }
    for (uint32_t robot = 0; robot < robots; robot++) { write_near(out, robot); }
    for (uint32_t i = 0; i < blocks; i++) {
        write_block(out, i);
        write_near(out, robots + i);
    }
    write_boxes(out, cairn_mujoco_boxes(def));
    fprintf(out, "</worldbody>\n");
    write_chains(out, def);
    fprintf(out, "</mujoco>\n");
    return CAIRN_OK;
}

char *cairn_mujoco_model_text(const cairn_physics_def *def, const double *sink_m, cairn_complaints *complaints,
                              size_t *ret_bytes)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_bytes);
    if (!out) { return NULL; }
    const cairn_err err = write_model(out, def, sink_m, complaints);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || err != CAIRN_OK) {
        free(text);
        return NULL;
    }
    return text;
}
