// Memory that outlives its processes, and that a reader cannot write to.
#include "body/body.h"
#include "check.h"
#include "ports/shared_memory.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cairn-memory-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) { return -1; }
    snprintf(path, sizeof path, "%s/cells", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void what_a_killed_process_wrote_is_there(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_shared_memory memory;
    assert_ok(cairn_shared_memory_create(path, 4096, &complaints, &memory));
    const pid_t child = fork();
    if (child == 0) {
        cairn_shared_memory own;
        if (cairn_shared_memory_open(path, 4096, true, &complaints, &own) != CAIRN_OK) { _exit(1); }
        memcpy(own.bytes, "written", 8);
        raise(SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_string_equal(memory.bytes, "written");
    cairn_shared_memory_close(&memory);
    assert_ok(cairn_shared_memory_open(path, 4096, false, &complaints, &memory));
    assert_string_equal(memory.bytes, "written");
    cairn_shared_memory_close(&memory);
}

static void a_reader_cannot_write(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_shared_memory memory;
    assert_ok(cairn_shared_memory_create(path, 4096, &complaints, &memory));
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); // a sanitizer would make a report of it
        cairn_shared_memory own;
        if (cairn_shared_memory_open(path, 4096, false, &complaints, &own) != CAIRN_OK) { _exit(1); }
        *(volatile char *)own.bytes = 1;
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    cairn_shared_memory_close(&memory);
}

static void what_does_not_fit_is_refused_in_words(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_shared_memory memory = {0};
    assert_int_equal(cairn_shared_memory_open("/nowhere/cells", 64, false, &complaints, &memory), CAIRN_ERR_EMPTY);
    assert_int_equal(complaints.count, 0);
    assert_int_equal(cairn_shared_memory_create("/nowhere/cells", 64, &complaints, &memory), CAIRN_ERR_IO);
    assert_int_equal(complaints.count, 1);
    assert_ok(cairn_shared_memory_create(path, 4096, &complaints, &memory));
    cairn_shared_memory_close(&memory);
    assert_int_equal(cairn_shared_memory_open(path, 8192, false, &complaints, &memory), CAIRN_ERR_CORRUPT);
    assert_int_equal(complaints.count, 2);
    assert_null(memory.bytes);
}

// Port and robot map the same files at different places; what one writes the other reads, sensor by sensor.
static void two_ends_of_a_body_meet_in_shared_memory(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    static cairn_body_description description;
    description.encoders.offered = description.laser.offered = description.battery.offered = true;
    const size_t sensor_bytes = cairn_body_sensor_bytes(&description);
    cairn_shared_memory port, robot;
    assert_ok(cairn_shared_memory_create(path, sensor_bytes, &complaints, &port));
    assert_ok(cairn_shared_memory_open(path, sensor_bytes, false, &complaints, &robot));
    assert_ptr_not_equal(port.bytes, robot.bytes);
    static _Alignas(64) uint8_t motors[1 << 16];
    assert_true(cairn_body_motor_bytes(&description) <= sizeof motors);
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 1 << 20));
    cairn_body at_port, at_robot;
    assert_ok(cairn_body_attach(&description, (cairn_body_memory){port.bytes, motors}, &arena, &at_port));
    assert_ok(cairn_body_attach(&description, (cairn_body_memory){robot.bytes, motors}, &arena, &at_robot));
    assert_null(at_robot.imu_reflex);

    const cairn_encoder_frame encoders = {.taken = {5}, .wheel_count = 4, .ticks = {1, 2, 3, 4}};
    const cairn_battery_frame battery = {.taken = {6}, .voltage_v = 24};
    const cairn_motor_target target = {.issued = {7}, .forward_mps = 0.5};
    cairn_cell_write(at_port.encoders_reflex, &encoders, sizeof encoders);
    cairn_cell_write(at_port.battery_mind, &battery, sizeof battery);
    cairn_cell_write(at_robot.motors, &target, sizeof target);
    assert_int_equal(((const cairn_encoder_frame *)cairn_cell_latest(at_robot.encoders_reflex, NULL))->ticks[3], 4);
    assert_int_equal(((const cairn_battery_frame *)cairn_cell_latest(at_robot.battery_mind, NULL))->taken.ns, 6);
    assert_int_equal(((const cairn_motor_target *)cairn_cell_latest(at_port.motors, NULL))->issued.ns, 7);
    assert_null(cairn_cell_latest(at_robot.scan_behaviour, NULL));
    cairn_arena_destroy(&arena);
    cairn_shared_memory_close(&port);
    cairn_shared_memory_close(&robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_process_wrote_is_there),
        cmocka_unit_test(a_reader_cannot_write),
        cmocka_unit_test(what_does_not_fit_is_refused_in_words),
        cmocka_unit_test(two_ends_of_a_body_meet_in_shared_memory),
    };
    return cmocka_run_group_tests_name("shared_memory", tests, make_folder, remove_folder);
}
