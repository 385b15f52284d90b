// test_edges.c - nobody drives off an edge: whole robots with an operator who holds the stick at full deflection
// towards holes, in every mode, at several angles, forwards and backwards, in both physics.
#include "arena_text.h"
#include "body/description_io.h"
#include "both_physics.h"
#include "sim/mission/team.h"

#define DEGREE (CAIRN_PI / 180)
#define EDGE_M 6.0      // a hole across the whole place begins here
#define FALLEN_M (-0.1) // lower than any floor here

static const char *const robots[] = {"emu", "negotiator", "magic"};
#define ROBOTS (sizeof robots / sizeof robots[0])

// Walls all around, so that robots know where they are; %s are holes, then the start.
#define PLACE                                                                                                          \
    "name: a\nabout: a place\nsize_m: [12, 8]\n"                                                                       \
    "walls: [{points_m: [[0.1, 0.1], [11.9, 0.1], [11.9, 7.9], [0.1, 7.9]], closed: true, height_m: 1}]\n"             \
    "boxes: [{at_m: [1, 7], size_m: [0.5, 0.5, 1]}, {at_m: [4.5, 1], size_m: [0.4, 0.6, 1]}]\n"                        \
    "holes: [%s]\nstarts: [{at_m: [%g, %g], heading_deg: %g}]\n"
#define TRENCH "{at_m: [7, 4], size_m: [2, 7.7], depth_m: 2}"

typedef struct drive {
    const char *physics, *robot, *holes;
    cairn_pose2 start;
    cairn_mode mode;
    double forward, turn;
    double for_s;
} drive;

typedef struct end {
    cairn_vec3 at_m;
    double low_m;     // the lowest that it ever was
    double way_m;     // from its start, as the crow flies, at most
    double front_x_m; // how far east its wheels reached at most
} end;

static end run(const drive *it)
{
    char text[1024];
    snprintf(text, sizeof text, PLACE, it->holes, it->start.x_m, it->start.y_m, it->start.yaw_rad / DEGREE);
    const cairn_sim_arena place = accepted(text);
    char path[256];
    snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", it->robot);
    static cairn_body_description body;
    static cairn_complaints complaints;
    assert_ok(cairn_body_description_read(path, &complaints, &body));
    const cairn_operator_action stick = {
        .verb = CAIRN_DO_DRIVE, .robot = 1, .forward = it->forward, .turn = it->turn, .dead_man = true};
    const cairn_operator_action go = {.verb = CAIRN_DO_GO, .robot = 1, .to_m = {EDGE_M + 4, it->start.y_m}};
    const bool sent = it->mode == CAIRN_MODE_WAYPOINT;
    const cairn_mission_action action = {.at_s = 3, .for_s = it->for_s, .action = sent ? go : stick};
    const cairn_team_def def = {.mission = "edge",
                                .arena = &place,
                                .physics = it->physics,
                                .seed = 1,
                                .session_seed = 1,
                                .radio = cairn_medium_radio_default(),
                                .action_count = 1,
                                .actions = &action,
                                .robot_count = 1,
                                .robots = {{.name = "one", .description = &body, .mode = it->mode}}};
    cairn_team *team = NULL;
    assert_ok(cairn_team_create(&def, &complaints, &team));
    end found = {.low_m = INFINITY, .front_x_m = -INFINITY};
    for (int i = 1; i <= (int)(10 * (it->for_s + 3)); i++) {
        cairn_team_run(team, (cairn_mono){i * CAIRN_MS(100)});
        cairn_robot_truth truth;
        cairn_team_truth(team, 0, &truth);
        found.at_m = truth.map_T_base.at_m;
        found.low_m = fmin(found.low_m, found.at_m.z);
        found.way_m = fmax(found.way_m, hypot(found.at_m.x - it->start.x_m, found.at_m.y - it->start.y_m));
        for (int wheel = 0; wheel < 4; wheel++) {
            const cairn_vec3 at = {(wheel & 1 ? 0.5 : -0.5) * body.wheels.wheelbase_m,
                                   (wheel & 2 ? 0.5 : -0.5) * body.wheels.track_m, 0};
            found.front_x_m = fmax(found.front_x_m, cairn_pose3_apply(truth.map_T_base, at).x);
        }
    }
    cairn_team_destroy(team);
    return found;
}

static void assert_held(const drive *it, double way_m_least)
{
    const end found = run(it);
    print_message("%s %s mode %s heading %+.0f stick %+.1f %+.1f: low %.3f, wheels to x %.2f, way %.2f\n", it->physics,
                  it->robot, cairn_mode_name(it->mode), it->start.yaw_rad / DEGREE, it->forward, it->turn, found.low_m,
                  found.front_x_m, found.way_m);
    if (found.low_m < FALLEN_M) { fail_msg("it fell"); }
    if (found.way_m < way_m_least) { fail_msg("it did not drive up to the edge"); }
}

static void full_stick_ahead_stops_before_an_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        for (int heading = 0; heading < 60; heading += 25) {
            const drive it = {physics[i / ROBOTS],
                              robots[i % ROBOTS],
                              TRENCH,
                              {3, 3.5, heading * DEGREE},
                              CAIRN_MODE_TELEOPERATED,
                              1,
                              0,
                              14};
            assert_held(&it, 1);
        }
    }
}

static void full_stick_backwards_stops_on_ground_that_it_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        const drive it = {physics[i / ROBOTS],
                          robots[i % ROBOTS],
                          TRENCH,
                          {4.4, 3.5, 180 * DEGREE},
                          CAIRN_MODE_TELEOPERATED,
                          -1,
                          0,
                          14};
        assert_held(&it, 0);
    }
}

static void full_stick_in_an_arc_stops_before_an_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        const drive it = {physics[i / ROBOTS],
                          robots[i % ROBOTS],
                          TRENCH,
                          {3.8, 4, -60 * DEGREE},
                          CAIRN_MODE_TELEOPERATED,
                          1,
                          0.3,
                          14};
        assert_held(&it, 0.5);
    }
}

static void full_stick_stops_before_a_hole_no_wider_than_the_robot(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        const drive it = {physics[i / ROBOTS],
                          robots[i % ROBOTS],
                          "{at_m: [6.3, 3.6], size_m: [0.6, 0.6], depth_m: 1}",
                          {3, 3.5, 0},
                          CAIRN_MODE_TELEOPERATED,
                          1,
                          0,
                          14};
        assert_held(&it, 1);
    }
}

static void assisted_modes_stop_before_an_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        for (cairn_mode mode = CAIRN_MODE_ASSISTED_LEFT; mode <= CAIRN_MODE_ASSISTED_RIGHT; mode++) {
            const drive it = {physics[i / ROBOTS], robots[i % ROBOTS], TRENCH, {3, 3.5, 0}, mode, 1, 0, 14};
            assert_held(&it, 0.8);
        }
    }
}

static void a_robot_that_is_sent_across_a_trench_stops_before_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < PHYSICS * ROBOTS; i++) {
        const drive it = {physics[i / ROBOTS], robots[i % ROBOTS], TRENCH, {3, 3.5, 0}, CAIRN_MODE_WAYPOINT, 0, 0, 25};
        assert_held(&it, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_stick_ahead_stops_before_an_edge),
        cmocka_unit_test(full_stick_backwards_stops_on_ground_that_it_knows),
        cmocka_unit_test(full_stick_in_an_arc_stops_before_an_edge),
        cmocka_unit_test(full_stick_stops_before_a_hole_no_wider_than_the_robot),
        cmocka_unit_test(assisted_modes_stop_before_an_edge),
        cmocka_unit_test(a_robot_that_is_sent_across_a_trench_stops_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
