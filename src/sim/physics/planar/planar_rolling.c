// planar_rolling.c - how a robot rolls and slips.
//
// Skid steering has two ways to move, each with one speed of the wheels and one of the body: straight on (the mean of
// the wheels, the forward speed) and turning (half the difference of the sides, the yaw rate). In each the ground's
// force is whatever makes the body follow the wheels within this step, but no more than friction can give: wheels that
// are held back by a wall or driven too hard slip. What the wheels' turning becomes in motion is the kinematic
// figure less a slip that wanders slowly; for turning it also holds the body's turn_efficiency.
// Sideways the tyres hold as far as friction lets them, and gravity pulls along the slope.
#include "sim/physics/motor.h"
#include "sim/physics/planar/planar_private.h"

// Rolling resistance [-] of weight: keeps a robot where it is on floors up to one degree. Gravel and rubble give way.
#define ROLLING_FRICTION 0.015
#define ROUGH_ROLLING_FRICTION 0.06
// The part of the tyres' friction that acts along the wheels while turning on the spot: at a turn efficiency of 0.58
// their contacts slip at 48 degrees to the wheels' planes.
#define SKID_PART 0.67
// Skidding resists in full when turning outweighs driving on by this much; the rest keeps it smooth near zero.
#define SKID_DRIVING_PART 0.3
#define SKID_RADPS 0.1
#define FORWARD_SLIP 0.01 // [-] mean of what wanders

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

static void wander_slips(const cairn_physics *physics, cairn_planar_robot *robot)
{
    for (int i = 0; i < WAY_COUNT; i++) {
        cairn_planar_way *way = &robot->now.ways[i];
        way->slip = physics->slip_keep * way->slip + physics->slip_new[i] * cairn_random_gauss(&robot->now.random);
    }
}

// What one way is driven by and held back by in this step.
typedef struct way_load {
    double ratio;       // body speed for one rad/s of the wheels
    double lever;       // torque on the wheels for one N or N m on the body
    double torque_nm;   // of the motors
    double push;        // acceleration of the body by others than the wheels
    double grip;        // N or N m at most
    double friction_nm; // holds the wheels, whichever way they turn
    double skid_nm;     // against skidding, at full
    double skid_radps;  // of the wheels at which half of it acts
} way_load;

static void roll(cairn_planar_way *way, double body_mass, const way_load *load, double wheel_inertia_kgm2)
{
    // The force that leaves body and wheels together at the end of the step.
    const double wheel_free = way->wheel_radps + STEP_S * load->torque_nm / wheel_inertia_kgm2;
    const double body_free = way->body_speed + STEP_S * load->push;
    const double give = 1 / body_mass + load->ratio * load->lever / wheel_inertia_kgm2;
    const double wanted = (load->ratio * wheel_free - body_free) / (STEP_S * give);
    const double force = clamp(wanted, load->grip);
    const bool rolls = fabs(wanted) <= load->grip;
    way->wheel_radps = wheel_free - STEP_S * force * load->lever / wheel_inertia_kgm2;
    way->body_speed = body_free + STEP_S * force / body_mass;

    // Resistance stops what turns, never turns it back.
    const double inertia = wheel_inertia_kgm2 + (rolls ? body_mass * load->ratio * load->lever : 0);
    const double skid = load->skid_nm / (fabs(way->wheel_radps) + load->skid_radps);
    const double slowed = way->wheel_radps / (1 + STEP_S * skid / inertia);
    const double after = slowed - clamp(slowed, STEP_S * load->friction_nm / inertia);
    if (rolls) { way->body_speed -= load->ratio * (way->wheel_radps - after); }
    way->wheel_radps = after;
}

static void roll_robot(cairn_planar_robot *robot, const cairn_motor_target *target, bool held)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    cairn_planar_way *forward = &robot->now.ways[WAY_FORWARD], *turn = &robot->now.ways[WAY_TURN];
    double side_nm[2] = {0, 0}; // left, right
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        side_nm[i % 2] += cairn_motor_torque_nm(wheels, target->torque_nm[i], robot->now.truth.wheel_radps[i]);
    }
    const double weight_n = held ? 0 : robot->description->mass_kg * GRAVITY_MPS2 * cos(robot->now.slope_rad);
    const double rolling = robot->now.feet.rough != 0 ? ROUGH_ROLLING_FRICTION : ROLLING_FRICTION;
    const double grip_n = robot->now.feet.friction * weight_n, rolling_nm = rolling * weight_n * wheels->radius_m;
    const double turn_ratio = wheels->turn_efficiency * (1 - turn->slip) * 2 * wheels->radius_m / wheels->track_m;
    const way_load loads[WAY_COUNT] = {
        {.ratio = wheels->radius_m * (1 - FORWARD_SLIP - forward->slip),
         .lever = wheels->radius_m,
         .torque_nm = side_nm[1] + side_nm[0],
         .push = held ? 0 : -GRAVITY_MPS2 * sin(robot->now.slope_rad),
         .grip = grip_n,
         .friction_nm = rolling_nm,
         .skid_radps = 1},
        {.ratio = turn_ratio,
         .lever = turn_ratio,
         .torque_nm = side_nm[1] - side_nm[0],
         .grip = grip_n * 0.5 * wheels->track_m,
         .friction_nm = rolling_nm,
         .skid_nm = SKID_PART * grip_n * wheels->radius_m,
         .skid_radps = SKID_RADPS + SKID_DRIVING_PART * fabs(forward->wheel_radps)},
    };
    for (int i = 0; i < WAY_COUNT; i++) {
        roll(&robot->now.ways[i], robot->body_mass[i], &loads[i], robot->wheel_inertia_kgm2);
    }
}

// Across the slope tyres hold or slide; friction stops them, never turns them back.
static void slide(cairn_planar_robot *robot)
{
    cairn_planar_motion *now = &robot->now;
    if (now->lean_rad == 0 && now->side_mps == 0) { return; }
    const double pulled_mps = now->side_mps - STEP_S * GRAVITY_MPS2 * sin(now->lean_rad);
    const double held_mps = STEP_S * GRAVITY_MPS2 * now->feet.friction * cos(now->lean_rad) * cos(now->slope_rad);
    now->side_mps = pulled_mps - clamp(pulled_mps, held_mps);
    const double moved_m = now->side_mps * cos(now->lean_rad) * STEP_S;
    now->pose.x_m -= moved_m * now->heading.y;
    now->pose.y_m += moved_m * now->heading.x;
}

static void move_robot(cairn_planar_robot *robot)
{
    const double turned_rad = robot->now.ways[WAY_TURN].body_speed * STEP_S;
    const double moved_m = robot->now.ways[WAY_FORWARD].body_speed * cos(robot->now.slope_rad) * STEP_S;
    const double yaw_rad = robot->now.pose.yaw_rad + 0.5 * turned_rad;
    robot->now.pose.x_m += moved_m * cos(yaw_rad);
    robot->now.pose.y_m += moved_m * sin(yaw_rad);
    robot->now.pose.yaw_rad = cairn_angle_wrap(robot->now.pose.yaw_rad + turned_rad);
    robot->now.heading = (cairn_vec2){cos(robot->now.pose.yaw_rad), sin(robot->now.pose.yaw_rad)};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double side = i % 2 == 0 ? -1 : 1; // left, right
        const double speed = robot->now.ways[WAY_FORWARD].wheel_radps + side * robot->now.ways[WAY_TURN].wheel_radps;
        robot->now.truth.wheel_radps[i] = speed;
        robot->now.truth.wheel_rad[i] += speed * STEP_S;
    }
}

static void let_be_carried(cairn_planar_robot *robot)
{
    robot->now.ways[WAY_FORWARD].body_speed = robot->now.ways[WAY_TURN].body_speed = robot->now.side_mps = 0;
    robot->now.pose = cairn_pose3_to_pose2(robot->held_T);
}

void cairn_planar_drive(const cairn_physics *physics, cairn_planar_robot *robot, const cairn_motor_target *target)
{
    CAIRN_ASSERT(target->command == CAIRN_DRIVE_TORQUE);
    wander_slips(physics, robot);
    if (robot->now.truth.fallen) { return; }
    const bool held = cairn_planar_is_held(physics, robot);
    roll_robot(robot, target, held);
    if (held) { let_be_carried(robot); }
    move_robot(robot);
    if (!held) { slide(robot); }
}
