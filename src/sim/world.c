// world.c - a world as others see it: its steps, what happens to it, and what is true.
#include "sim/world_private.h"

void cairn_world_step(cairn_world *world, cairn_mono now)
{
    if (now.ns > 0) { cairn_world_move(world, now); }
    CAIRN_ASSERT(now.ns == world->tick * CAIRN_PHYSICS_STEP_NS);
    cairn_world_show(world, now);
}

cairn_body *cairn_world_body(cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return &world->robots[robot].body;
}

void cairn_world_truth(const cairn_world *world, uint32_t robot, cairn_robot_truth *ret_truth)
{
    world->physics_kind->truth(world->physics, robot, ret_truth);
}

double cairn_world_charge(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    const cairn_battery_description *battery = &world->robots[robot].body.description->battery;
    if (!battery->offered) { return 1; }
    return fmax(0, 1 - world->robots[robot].battery.used_j / (battery->capacity_wh * 3600));
}

bool cairn_world_is_driven(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].driven;
}

cairn_collisions cairn_world_collisions(const cairn_world *world, uint32_t robot)
{
    return world->physics_kind->collisions(world->physics, robot);
}

const cairn_collision_log *cairn_world_collision_log(const cairn_world *world)
{
    return world->physics_kind->collision_log(world->physics);
}

cairn_world_frames cairn_world_last_frames(const cairn_world *world, uint32_t robot)
{
    const cairn_world_robot *seen = &world->robots[robot];
    return (cairn_world_frames){
        .scan = seen->times[CAIRN_SENSOR_LASER].measured ? seen->scan : NULL,
        .thermal = seen->times[CAIRN_SENSOR_THERMAL].measured ? seen->thermal : NULL,
        .imu = seen->times[CAIRN_SENSOR_IMU].measured ? &seen->imu_frame : NULL,
        .range_image = seen->times[CAIRN_SENSOR_RANGE_IMAGE].measured ? seen->range_image : NULL,
        .ranges = seen->times[CAIRN_SENSOR_RANGES].measured ? &seen->ranges : NULL,
        .gps = seen->times[CAIRN_SENSOR_GPS].measured ? &seen->gps_frame : NULL,
    };
}

// ---- what happens in it

void cairn_world_fail(cairn_world *world, uint32_t robot, cairn_sensor sensor, const cairn_failure *failure)
{
    CAIRN_ASSERT(robot < world->robot_count && sensor < CAIRN_SENSOR_COUNT);
    cairn_failing *failing = &world->robots[robot].failing[sensor];
    if (failure != NULL) {
        cairn_failing_begin(failing, sensor, failure, (cairn_mono){world->tick * CAIRN_PHYSICS_STEP_NS});
        CAIRN_ASSERT(cairn_failing_late_ns(failing) <= world->late_ns_max);
    } else {
        cairn_failing_end(failing);
    }
}

bool cairn_world_fails(const cairn_world *world, uint32_t robot, cairn_sensor sensor, cairn_failure_way way)
{
    CAIRN_ASSERT(robot < world->robot_count && sensor < CAIRN_SENSOR_COUNT);
    return cairn_failing_is(&world->robots[robot].failing[sensor], way);
}

void cairn_world_kill(cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    world->robots[robot].dead = true;
}

bool cairn_world_is_dead(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].dead;
}

void cairn_world_set_door(cairn_world *world, uint32_t door, bool open)
{
    cairn_scene_set_door(world->scene, door, open);
}

void cairn_world_shake(cairn_world *world, double strength_mps) { cairn_scene_shake(world->scene, strength_mps); }

cairn_pose3 cairn_world_mover(const cairn_world *world, uint32_t mover)
{
    return world->physics_kind->mover(world->physics, mover);
}
