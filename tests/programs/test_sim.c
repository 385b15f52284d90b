// The simulator as a program: shared files, time that it rules, its death, and datagrams through its air.
//
// The machine's time is made up here, so that nothing depends on how fast this machine is.
#include "base/random.h"
#include "body/description_io.h"
#include "check.h"
#include "ports/udp.h"
#include "programs/sim/sim.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS CAIRN_PHYSICS_STEP_NS
#define ROBOTS 2

static char folder[] = "/tmp/cairn-sim-XXXXXX";
static cairn_complaints complaints;
static cairn_arena memory;
static cairn_sim_arena arena;
static cairn_body_description body;
static cairn_sim *sim; // NULL: none runs

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) { return -1; }
    if (cairn_arena_create(&memory, 64u << 20) != CAIRN_OK) { return -1; }
    if (cairn_sim_arena_read(CAIRN_SOURCE_ROOT "/arenas/office.yaml", &memory, &complaints, &arena) != CAIRN_OK) {
        return -1;
    }
    return cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/emu.yaml", &complaints, &body) == CAIRN_OK ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    cairn_arena_destroy(&memory);
    return system(command); // NOLINT(cert-env33-c)
}

static cairn_sim_def make_def(bool fresh)
{
    complaints = (cairn_complaints){0};
    cairn_sim_def def = {.arena = &arena,
                         .arena_hash = 7,
                         .physics = "planar",
                         .seed = 3,
                         .radio = cairn_medium_radio_default(),
                         .folder = folder,
                         .fresh = fresh,
                         .air = "127.0.0.1:0",
                         .station = "127.0.0.1:9",
                         .robot_count = ROBOTS};
    def.radio.loss = 0;
    def.robots[0] = (cairn_sim_robot_def){.name = "emu5", .number = 5, .body_hash = 50, .description = &body};
    def.robots[1] = (cairn_sim_robot_def){.name = "emu2", .number = 2, .body_hash = 20, .description = &body};
    return def;
}

static void make_sim(bool fresh)
{
    const cairn_sim_def def = make_def(fresh);
    const cairn_err err = cairn_sim_create(&def, &complaints, &sim);
    if (err != CAIRN_OK) { fail_msg("%s", complaints.text); }
}

static void end_sim(void)
{
    cairn_sim_destroy(sim);
    sim = NULL;
}

static int end_sim_after(void **state) // also after a test that failed
{
    (void)state;
    end_sim();
    return 0;
}

// What a robot's program has of the simulator: the same files, mapped on its own.
typedef struct far_robot {
    cairn_arena memory;
    cairn_shared_memory clock, sensors, motors;
    cairn_ruled_clock time;
    cairn_body body;
} far_robot;

static cairn_shared_memory map(const char *name, size_t size_bytes, bool writable)
{
    char path[128];
    cairn_shared_memory mapped = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(cairn_shared_memory_open(path, size_bytes, writable, &complaints, &mapped));
    return mapped;
}

static void far_robot_map(far_robot *robot, const char *name, uint64_t body_hash)
{
    *robot = (far_robot){0};
    char file[64];
    cairn_body_page_def page = {
        .kind = CAIRN_BODY_PAGE_SENSORS, .robot = name, .body_hash = body_hash, .description = &body};
    (void)snprintf(file, sizeof file, "%s.sensors", name);
    robot->sensors = map(file, cairn_body_page_file_bytes(&page), false);
    assert_ok(cairn_body_page_check(robot->sensors.bytes, &page, file, &complaints));
    page.kind = CAIRN_BODY_PAGE_MOTORS;
    (void)snprintf(file, sizeof file, "%s.motors", name);
    robot->motors = map(file, cairn_body_page_file_bytes(&page), true);
    assert_ok(cairn_body_page_check(robot->motors.bytes, &page, file, &complaints));
    robot->clock = map("clock", sizeof(cairn_ruled_memory), false);
    cairn_ruled_clock_init(&robot->time, robot->clock.bytes);
    assert_ok(cairn_arena_create(&robot->memory, 4u << 20));
    const cairn_body_memory cells = {.sensors = cairn_body_page_cells(robot->sensors.bytes),
                                     .motors = cairn_body_page_cells(robot->motors.bytes)};
    assert_ok(cairn_body_attach(&body, cells, &robot->memory, &robot->body));
}

static void far_robot_unmap(far_robot *robot)
{
    cairn_shared_memory_close(&robot->clock);
    cairn_shared_memory_close(&robot->sensors);
    cairn_shared_memory_close(&robot->motors);
    cairn_arena_destroy(&robot->memory);
}

static void push(far_robot *robot, cairn_mono machine_now)
{
    const cairn_motor_target target = {.issued = cairn_ruled_now(&robot->time, machine_now),
                                       .command = CAIRN_DRIVE_TORQUE,
                                       .torque_nm = {0.6, 0.6, 0.6, 0.6}};
    cairn_cell_write(robot->body.motors, &target, sizeof target);
}

// The truth, as anybody sees it.
static cairn_world_moment look(void)
{
    static cairn_world_moment moment;
    cairn_shared_memory world = {0};
    cairn_arena ends;
    cairn_cell *moments = NULL;
    assert_ok(cairn_run_folder_open_world(folder, &complaints, &world));
    assert_ok(cairn_arena_create(&ends, 2 * cairn_cell_bytes(sizeof moment)));
    assert_ok(cairn_world_page_attach(world.bytes, &ends, &moments));
    const cairn_world_moment *latest = cairn_cell_latest(moments, NULL);
    assert_non_null(latest);
    moment = *latest;
    cairn_arena_destroy(&ends);
    cairn_shared_memory_close(&world);
    return moment;
}

// ---- driving through files

static void a_robot_in_another_process_drives_and_senses(void **state)
{
    (void)state;
    make_sim(true);
    static far_robot robot;
    far_robot_map(&robot, "emu5", 50);
    cairn_mono now = {CAIRN_S(1000)};
    for (int i = 0; i < 250; i++) {
        cairn_sim_step(sim, now);
        push(&robot, now);
        now = cairn_mono_add(now, TICK_NS);
    }
    const cairn_world_moment moment = look();
    // Robots are kept by number, whatever the order of the command line, and number n begins at start n.
    const cairn_pose2 start = arena.starts[4], at = moment.robots[1].map_T_base;
    const double moved_m = hypot(at.x_m - start.x_m, at.y_m - start.y_m);
    assert_true(moved_m > 0.1 && moved_m < 2);
    assert_true(moment.robots[1].driven && moment.robots[1].speed_mps > 0.1);
    const cairn_pose2 other = moment.robots[0].map_T_base;
    assert_true(hypot(other.x_m - arena.starts[1].x_m, other.y_m - arena.starts[1].y_m) < 1e-3);
    assert_true(!moment.robots[0].driven && moment.robots[0].told_ns == INT64_MAX);

    const cairn_encoder_frame *encoders = cairn_cell_latest(robot.body.encoders_reflex, NULL);
    assert_int_equal(encoders->taken.ns, CAIRN_MS(992));
    assert_true(encoders->ticks[0] > 100);
    assert_non_null(cairn_cell_latest(robot.body.scan_behaviour, NULL));
    far_robot_unmap(&robot);
    end_sim();
}

// Reflex died or hangs: nobody writes targets any more, and the last one drives for no longer than the watchdog.
static void wheels_stand_when_targets_stop_coming(void **state)
{
    (void)state;
    make_sim(true);
    static far_robot robot;
    far_robot_map(&robot, "emu2", 20);
    cairn_mono now = {CAIRN_S(1000)};
    for (int i = 0; i < 400; i++) {
        cairn_sim_step(sim, now);
        push(&robot, now);
        now = cairn_mono_add(now, TICK_NS);
    }
    const cairn_mono last = cairn_ruled_now(&robot.time, cairn_mono_add(now, -TICK_NS));
    assert_true(look().robots[0].speed_mps > 0.1);
    bool was_driven = true;
    while (cairn_sim_time(sim).ns < last.ns + body.watchdog_ns + CAIRN_S(1)) {
        cairn_sim_step(sim, now);
        now = cairn_mono_add(now, TICK_NS);
        const cairn_world_moment moment = look();
        const int64_t age_ns = cairn_mono_since(cairn_world_moment_time(&moment), last);
        assert_int_equal(moment.robots[0].told_ns, age_ns);
        assert_true(moment.robots[0].driven == (age_ns <= body.watchdog_ns));
        was_driven = was_driven && moment.robots[0].driven;
    }
    assert_false(was_driven);
    assert_true(look().robots[0].wheel_radps_max < 0.01);
    far_robot_unmap(&robot);
    end_sim();
}

// Whatever a robot's processes do to the memory that they may write, the world goes on, and its wheels stay within what
// motors can do.
static void nothing_in_a_robots_memory_hurts_the_world(void **state)
{
    (void)state;
    make_sim(true);
    static far_robot robot;
    far_robot_map(&robot, "emu2", 20);
    cairn_random random;
    cairn_random_init(&random, 13, "test");
    uint64_t *const words = cairn_body_page_cells(robot.motors.bytes);
    const size_t word_count = cairn_body_motor_bytes(&body) / sizeof *words;
    uint32_t driven_count = 0;
    for (int64_t i = 0; i < 2000; i++) {
        cairn_motor_target target;
        uint8_t *const bytes = (uint8_t *)&target;
        for (size_t b = 0; b < sizeof target; b++) { bytes[b] = (uint8_t)cairn_random_u64(&random); }
        if (cairn_random_below(&random, 2) == 0) { target.issued = cairn_sim_time(sim); }
        if (cairn_random_below(&random, 2) == 0) { target.command = CAIRN_DRIVE_TORQUE; }
        cairn_cell_write(robot.body.motors, &target, sizeof target);
        if (i % 3 == 0) {
            words[cairn_random_below(&random, (uint32_t)word_count)] = cairn_random_u64(&random) >> (i % 64);
        }
        cairn_sim_step(sim, (cairn_mono){i * TICK_NS});
        const cairn_world_moment_robot seen = look().robots[0];
        driven_count += seen.driven;
        assert_true(seen.wheel_radps_max <= 1.5 * body.wheels.speed_radps_max);
        assert_true(seen.speed_mps < 3);
    }
    assert_true(driven_count > 20);
    far_robot_unmap(&robot);
    end_sim();
}

// ---- time

// However late the simulator is called: a robot's clock never goes back, never runs faster than the machine's but for
// what it had run ahead, and what the simulator was too late is told.
static void time_is_lost_and_never_jumps(void **state)
{
    (void)state;
    make_sim(true);
    static far_robot robot;
    far_robot_map(&robot, "emu2", 20);
    cairn_random random;
    cairn_random_init(&random, 11, "test");
    const cairn_mono began = {CAIRN_S(50)};
    cairn_mono machine = began, told = {0};
    cairn_sim_step(sim, machine);
    for (int i = 0; i < 400; i++) {
        const bool hangs = cairn_random_below(&random, 40) == 0;
        const int64_t late_ns = hangs ? CAIRN_S(cairn_random_below(&random, 20)) : cairn_random_below(&random, 9000000);
        machine = cairn_mono_add(machine, late_ns);
        const cairn_mono before = cairn_ruled_now(&robot.time, machine);
        assert_true(before.ns >= told.ns && before.ns - told.ns <= late_ns);
        const cairn_mono time_before = cairn_sim_time(sim);
        cairn_sim_step(sim, machine);
        assert_true(cairn_sim_time(sim).ns - time_before.ns <= CAIRN_RULED_NS_AHEAD + TICK_NS);
        told = cairn_ruled_now(&robot.time, machine);
        assert_true(told.ns >= before.ns && told.ns - before.ns <= TICK_NS);
        const int64_t passed_ns = cairn_sim_time(sim).ns + look().lost_ns;
        assert_true(cairn_mono_since(machine, began) - passed_ns >= 0);
        assert_true(cairn_mono_since(machine, began) - passed_ns < TICK_NS);
    }
    assert_true(look().lost_ns > CAIRN_S(10));
    far_robot_unmap(&robot);
    end_sim();
}

// ---- death

// A simulator in a process of its own, which is killed at an instant that nobody chose.
static pid_t run_killed(cairn_random *random)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const cairn_sim_def def = make_def(false);
        if (cairn_sim_create(&def, &complaints, &sim) != CAIRN_OK) { _exit(1); }
        for (int64_t i = 0;; i++) {
            cairn_sim_step(sim, (cairn_mono){CAIRN_S(5) + i * TICK_NS});
            if (i == 50 && write(ready[1], "x", 1) != 1) { _exit(1); }
        }
    }
    close(ready[1]);
    char word = 0;
    assert_int_equal(read(ready[0], &word, 1), 1);
    close(ready[0]);
    usleep(cairn_random_below(random, 3000));
    return child;
}

static void a_killed_simulator_goes_on_where_it_was(void **state)
{
    (void)state;
    make_sim(true);
    end_sim();
    cairn_random random;
    cairn_random_init(&random, 12, "test");
    static far_robot robot; // maps once, and lives through all of it
    bool mapped = false;
    cairn_mono told = {0};
    for (uint64_t life = 2; life < 10; life++) {
        const pid_t child = run_killed(&random);
        if (!mapped) { far_robot_map(&robot, "emu2", 20); }
        mapped = true;
        kill(child, SIGKILL);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        // With the next tick not far from the last; never before it.
        const cairn_mono then = cairn_ruled_now(&robot.time, (cairn_mono){0});
        const cairn_mono kept = {look().tick * TICK_NS};
        assert_true(then.ns > told.ns && kept.ns >= then.ns && kept.ns <= then.ns + TICK_NS);
        told = then;
        assert_int_equal(atomic_load(&((const cairn_body_page *)robot.sensors.bytes)->boot), life);
        assert_int_equal(cairn_run_folder_pid(folder), 0);
    }
    make_sim(false);
    assert_true(cairn_sim_look(sim).goes_on);
    cairn_sim_step(sim, (cairn_mono){CAIRN_S(9)});
    assert_true(cairn_ruled_now(&robot.time, (cairn_mono){CAIRN_S(9)}).ns > told.ns);
    for (int i = 0; i < 10; i++) { cairn_sim_step(sim, (cairn_mono){CAIRN_S(9) + i * TICK_NS}); }
    const cairn_encoder_frame *encoders = cairn_cell_latest(robot.body.encoders_reflex, NULL);
    assert_true(encoders->taken.ns > told.ns);
    far_robot_unmap(&robot);
    end_sim();
}

// Robots that are programs of their own meet the same failures as in missions, also those of a simulator that died
// meanwhile: events name robots as they were given, and what has begun is not begun again.
static void events_befall_robots_of_other_processes(void **state)
{
    (void)state;
    const cairn_mission_event events[] = {
        {.kind = CAIRN_EVENT_FAIL,
         .at_s = 0.2,
         .robot = 1,
         .sensor = CAIRN_SENSOR_ENCODERS,
         .failure = {.way = CAIRN_FAILURE_SILENT}},
        {.kind = CAIRN_EVENT_FAIL,
         .at_s = 0.4,
         .for_s = 0.6,
         .robot = 1,
         .sensor = CAIRN_SENSOR_LASER,
         .failure = {.way = CAIRN_FAILURE_FROZEN}},
    };
    cairn_sim_def def = make_def(true);
    def.events = events;
    def.event_count = 2;
    assert_ok(cairn_sim_create(&def, &complaints, &sim));
    static far_robot robot; // emu2, the second that was given, the first by number
    far_robot_map(&robot, "emu2", 20);
    static cairn_scan_frame frozen;
    cairn_mono now = {CAIRN_S(1000)};
    for (int tick = 0; tick <= 260; tick++, now = cairn_mono_add(now, TICK_NS)) {
        if (tick == 150) { // 0.6 s: another simulator goes on
            end_sim();
            def.fresh = false;
            assert_ok(cairn_sim_create(&def, &complaints, &sim));
        }
        cairn_sim_step(sim, now);
        const cairn_scan_frame *scan = cairn_cell_latest(robot.body.scan_behaviour, NULL);
        if (tick == 99) { frozen = *scan; }
        if (tick < 110) { continue; }
        const bool same = memcmp(frozen.range_m, scan->range_m, frozen.beam_count * sizeof(float)) == 0;
        assert_true(scan->taken.ns > frozen.taken.ns);
        if (tick != 250 && tick < 256) { assert_int_equal(same, tick < 250); }
    }
    const cairn_encoder_frame *encoders = cairn_cell_latest(robot.body.encoders_reflex, NULL);
    assert_true(encoders->taken.ns <= CAIRN_MS(200));
    far_robot_unmap(&robot);
    end_sim();
}

// For a robot that drives, only time stood still: it goes on at the speed that it had.
static void a_robot_that_moves_goes_on_moving(void **state)
{
    (void)state;
    make_sim(true);
    static far_robot robot;
    far_robot_map(&robot, "emu2", 20);
    cairn_mono now = {CAIRN_S(1000)};
    for (int i = 0; i < 300; i++) {
        cairn_sim_step(sim, now);
        push(&robot, now);
        now = cairn_mono_add(now, TICK_NS);
    }
    const cairn_world_moment before = look();
    end_sim();
    make_sim(false);
    now = cairn_mono_add(now, CAIRN_S(60)); // the machine's clock went on
    cairn_sim_step(sim, now);
    const cairn_world_moment after = look();
    assert_int_equal(after.tick, before.tick + 1);
    assert_true(before.robots[0].speed_mps > 0.2 && after.robots[0].driven);
    assert_true(fabs(after.robots[0].speed_mps - before.robots[0].speed_mps) < 0.02);
    const cairn_pose2 a = before.robots[0].map_T_base, b = after.robots[0].map_T_base;
    assert_true(fabs(hypot(b.x_m - a.x_m, b.y_m - a.y_m) - 0.004 * before.robots[0].speed_mps) < 1e-4);
    far_robot_unmap(&robot);
    end_sim();
}

static void begun_anew_robots_are_told_to_let_go(void **state)
{
    (void)state;
    make_sim(true);
    for (int64_t i = 0; i < 20; i++) { cairn_sim_step(sim, (cairn_mono){i * TICK_NS}); }
    end_sim();
    static far_robot robot;
    far_robot_map(&robot, "emu2", 20);
    const cairn_body_page *page = robot.sensors.bytes;
    const uint64_t old_id = page->body_id;
    make_sim(false);
    assert_true(cairn_sim_look(sim).goes_on);
    assert_int_equal(cairn_sim_look(sim).began.ns, 20 * TICK_NS);
    assert_int_equal(atomic_load(&page->retired), 0);
    end_sim();

    make_sim(true);
    assert_false(cairn_sim_look(sim).goes_on);
    assert_int_equal(atomic_load(&page->retired), 1);
    far_robot_unmap(&robot);
    far_robot_map(&robot, "emu2", 20);
    assert_true(((const cairn_body_page *)robot.sensors.bytes)->body_id != old_id);
    cairn_sim_step(sim, (cairn_mono){CAIRN_S(70)});
    assert_int_equal(look().tick, 0);
    far_robot_unmap(&robot);
    end_sim();
}

// ---- refusals

static void check_refused(const cairn_sim_def *def, const char *words)
{
    cairn_sim *refused = NULL;
    complaints = (cairn_complaints){0};
    assert_int_not_equal(cairn_sim_create(def, &complaints, &refused), CAIRN_OK);
    assert_null(refused);
    if (strstr(complaints.text, words) == NULL) { fail_msg("'%s' does not say '%s'", complaints.text, words); }
}

static void what_cannot_be_is_refused_in_words(void **state)
{
    (void)state;
    make_sim(true);
    cairn_sim_step(sim, (cairn_mono){0});
    char pid[32];
    (void)snprintf(pid, sizeof pid, "process %d", (int)getpid());
    cairn_sim_def def = make_def(false);
    check_refused(&def, pid); // it runs already
    assert_int_equal(cairn_run_folder_pid(folder), getpid());
    end_sim();

    def.arena_hash++;
    check_refused(&def, "--fresh begins anew");
    def = make_def(false);
    def.robots[1].body_hash++;
    check_refused(&def, "other bodies");
    def = make_def(false);
    def.robots[1].number = 5;
    check_refused(&def, "emu5 and emu2 have the same number, 5");
    def.robots[1].number = 15;
    check_refused(&def, "office has 14 starts");
    def = make_def(false);
    def.robots[1].name = "emu5";
    check_refused(&def, "two robots are named emu5");
    def = make_def(false);
    def.folder = "/proc/cairn";
    check_refused(&def, "--folder");
    def = make_def(false); // and after all this it goes on
    make_sim(false);
    assert_true(cairn_sim_look(sim).goes_on);
    end_sim();
}

// ---- radio

static const uint8_t words_of_2[] = {
    CAIRN_LINK_VERSION << 4, 2, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

// Steps until something has come to the socket; the machine's time is made up, so only steps count.
static size_t hear(cairn_mono *machine, cairn_udp *socket, uint8_t *bytes, cairn_air_address *from)
{
    size_t size = 0;
    for (int i = 0; i < 1000; i++) {
        *machine = cairn_mono_add(*machine, TICK_NS);
        cairn_sim_step(sim, *machine);
        if (cairn_udp_receive(socket, bytes, CAIRN_LINK_MTU_MAX, &size, from) == CAIRN_OK) { return size; }
    }
    return 0;
}

static void datagrams_go_through_the_air_both_ways(void **state)
{
    (void)state;
    cairn_udp *station = NULL, *robot = NULL;
    complaints = (cairn_complaints){0};
    assert_ok(cairn_udp_open("127.0.0.1:0", &complaints, &station));
    assert_ok(cairn_udp_open("127.0.0.1:0", &complaints, &robot));
    char station_address[32], air_address[32];
    (void)snprintf(station_address, sizeof station_address, "127.0.0.1:%u", cairn_udp_port(station));
    cairn_sim_def def = make_def(true);
    def.station = station_address;
    assert_ok(cairn_sim_create(&def, &complaints, &sim));
    (void)snprintf(air_address, sizeof air_address, "127.0.0.1:%u", cairn_sim_look(sim).radio.air_port);
    cairn_air_address air, from;
    assert_ok(cairn_udp_resolve(air_address, &complaints, &air));

    cairn_mono machine = {0};
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    cairn_udp_send(robot, &air, words_of_2, sizeof words_of_2);
    size_t size = hear(&machine, station, bytes, &from);
    assert_int_equal(size, sizeof words_of_2);
    assert_memory_equal(bytes, words_of_2, size);
    // The medium's delay was waited for in simulated time.
    assert_true(cairn_sim_time(sim).ns >= cairn_ns_from_seconds(def.radio.delay_s));

    // The station answers where it came from, and robot 2 hears it at the socket that it sent from.
    cairn_udp_send(station, &from, (const uint8_t *)"stop", 4);
    size = hear(&machine, robot, bytes, &from);
    assert_int_equal(size, 4);
    assert_memory_equal(bytes, "stop", 4);

    uint8_t nobody[sizeof words_of_2];
    memcpy(nobody, words_of_2, sizeof nobody);
    nobody[1] = 77;
    cairn_udp_send(robot, &air, nobody, sizeof nobody);
    assert_int_equal(hear(&machine, station, bytes, &from), 0);
    assert_int_equal(cairn_sim_look(sim).radio.unknown_count, 1);
    assert_int_equal(look().radio_sent_count, 2);
    assert_int_equal(look().radio_delivered_count, 2);
    end_sim();
    cairn_udp_close(station);
    cairn_udp_close(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_robot_in_another_process_drives_and_senses, end_sim_after),
        cmocka_unit_test_teardown(wheels_stand_when_targets_stop_coming, end_sim_after),
        cmocka_unit_test_teardown(nothing_in_a_robots_memory_hurts_the_world, end_sim_after),
        cmocka_unit_test_teardown(time_is_lost_and_never_jumps, end_sim_after),
        cmocka_unit_test_teardown(a_killed_simulator_goes_on_where_it_was, end_sim_after),
        cmocka_unit_test_teardown(events_befall_robots_of_other_processes, end_sim_after),
        cmocka_unit_test_teardown(a_robot_that_moves_goes_on_moving, end_sim_after),
        cmocka_unit_test_teardown(begun_anew_robots_are_told_to_let_go, end_sim_after),
        cmocka_unit_test_teardown(what_cannot_be_is_refused_in_words, end_sim_after),
        cmocka_unit_test_teardown(datagrams_go_through_the_air_both_ways, end_sim_after),
    };
    return cmocka_run_group_tests_name("sim", tests, set_up, remove_all);
}
