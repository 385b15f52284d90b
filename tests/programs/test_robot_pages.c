// The files that a robot's processes share: with a world that begins anew while they are opened, and after damage.
#include "base/ruled_clock.h"
#include "body/description_io.h"
#include "check.h"
#include "ports/folder.h"
#include "programs/robot/robot_pages.h"
#include "programs/sim/run_folder.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char top[] = "/tmp/cairn-pages-XXXXXX";
static cairn_complaints complaints;
static cairn_robot_file file;
static cairn_run_folder world;
static int64_t world_count;

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(top) == NULL) { return -1; }
    (void)snprintf(file.name, sizeof file.name, "emu1");
    (void)snprintf(file.state, sizeof file.state, "%s/state", top);
    (void)snprintf(file.sim, sizeof file.sim, "%s/sim", top);
    file.number = 1;
    file.body_hash = 77;
    if (cairn_folder_make(file.state, 0700, "", &complaints) != CAIRN_OK) { return -1; }
    return cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/emu.yaml", &complaints, &file.body) == CAIRN_OK ? 0
                                                                                                                  : -1;
}

static int remove_all(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", top);
    return system(command); // NOLINT(cert-env33-c)
}

static int end_world(void **state)
{
    (void)state;
    cairn_run_folder_close(&world);
    return 0;
}

// It tells its number as its time.
static void begin_world(void)
{
    cairn_run_folder_close(&world);
    cairn_run_folder_def def = {.path = file.sim, .fresh = true, .bodies = {&file.body}};
    def.world.robot_count = 1;
    memcpy(def.world.robots[0].name, file.name, sizeof file.name);
    def.world.robots[0].number = 1;
    def.world.robots[0].body_hash = file.body_hash;
    assert_ok(cairn_run_folder_open(&def, &complaints, &world));
    cairn_ruled_publish(world.clock.bytes, (cairn_mono){++world_count}, (cairn_mono){0});
}

// ---- every opening of a shared file goes through here

static int opened_count, begin_at; // begin_at: before which opening a world begins anew; -1: never
static bool beginning;

cairn_err __real_cairn_shared_memory_open(const char *path, size_t size_bytes, bool writable, cairn_complaints *words,
                                          cairn_shared_memory *ret_memory);
cairn_err __wrap_cairn_shared_memory_open(const char *path, size_t size_bytes, bool writable, cairn_complaints *words,
                                          cairn_shared_memory *ret_memory);
cairn_err __wrap_cairn_shared_memory_open(const char *path, size_t size_bytes, bool writable, cairn_complaints *words,
                                          cairn_shared_memory *ret_memory)
{
    if (!beginning && opened_count++ == begin_at) {
        beginning = true;
        begin_world();
        beginning = false;
    }
    return __real_cairn_shared_memory_open(path, size_bytes, writable, words, ret_memory);
}

// With the clock of a world that is over, its time would stand still for good, and nobody would notice.
static void a_world_that_begins_anew_meanwhile_is_seen_as_a_whole_or_not_at_all(void **state)
{
    (void)state;
    int whole_count = 0;
    for (int at = -1; at < 4; at++) {
        begin_world();
        opened_count = 0;
        begin_at = at;
        cairn_robot_pages pages;
        const cairn_err err = cairn_robot_pages_open_body(&pages, &file, &complaints);
        begin_at = -1;
        if (err == CAIRN_ERR_EMPTY) { continue; }
        assert_ok(err);
        whole_count++;
        assert_false(cairn_robot_pages_are_retired(&pages));
        cairn_ruled_clock clock;
        cairn_ruled_clock_init(&clock, pages.memory[CAIRN_PAGE_CLOCK].bytes);
        assert_int_equal(cairn_ruled_now(&clock, (cairn_mono){0}).ns, world_count);
        const cairn_body_page *sensors = pages.memory[CAIRN_PAGE_SENSORS].bytes;
        const cairn_body_page *motors = pages.memory[CAIRN_PAGE_MOTORS].bytes;
        assert_true(sensors->body_id == motors->body_id && pages.body_id == sensors->body_id);
        cairn_robot_pages_close(&pages);
    }
    assert_true(whole_count >= 2);
}

// ---- the robot's own

static bool open_own(cairn_robot_process process, cairn_robot_pages *ret_pages)
{
    bool fresh = false;
    assert_ok(cairn_robot_pages_open_body(ret_pages, &file, &complaints));
    assert_ok(cairn_robot_pages_open_own(ret_pages, &file, process, &complaints, &fresh));
    return fresh;
}

static const cairn_robot_page own[] = {CAIRN_PAGE_TO_REFLEX, CAIRN_PAGE_FROM_REFLEX, CAIRN_PAGE_CHECKPOINT};
#define OWN_COUNT (sizeof own / sizeof own[0])
#define MARK 0x5a

static void damage(const char *path, int how)
{
    FILE *damaged = fopen(path, how == 0 ? "wb" : "r+b");
    assert_non_null(damaged);
    if (how == 1) { assert_int_equal(fputc(0xff, damaged), 0xff); }
    assert_int_equal(fclose(damaged), 0);
    if (how == 2) { assert_int_equal(unlink(path), 0); }
}

static void write_mark(const char *path, long at)
{
    FILE *marked = fopen(path, "r+b");
    assert_non_null(marked);
    assert_int_equal(fseek(marked, at, SEEK_SET), 0);
    assert_int_equal(fputc(MARK, marked), MARK);
    assert_int_equal(fclose(marked), 0);
}

// Each may be the only one that knows of a stop.
static void damage_to_one_file_costs_nothing_of_the_others(void **state)
{
    (void)state;
    for (size_t damaged = 0; damaged < OWN_COUNT; damaged++) {
        for (int how = 0; how < 3; how++) {
            cairn_robot_pages pages;
            begin_world();
            assert_true(open_own(CAIRN_PROCESS_SUPERVISOR, &pages));
            for (size_t i = 0; i < OWN_COUNT; i++) {
                write_mark(pages.where[own[i]].path, (long)pages.where[own[i]].cells_at);
            }
            cairn_robot_pages_close(&pages);
            damage(pages.where[own[damaged]].path, how);
            assert_true(open_own(CAIRN_PROCESS_SUPERVISOR, &pages));
            for (size_t i = 0; i < OWN_COUNT; i++) {
                assert_int_equal(*(const uint8_t *)pages.cells[own[i]], i == damaged ? 0 : MARK);
            }
            cairn_robot_pages_close(&pages);
            assert_false(open_own(CAIRN_PROCESS_SUPERVISOR, &pages));
            cairn_robot_pages_close(&pages);
        }
    }
}

static void nothing_outlives_another_body(void **state)
{
    (void)state;
    cairn_robot_pages pages;
    begin_world();
    assert_true(open_own(CAIRN_PROCESS_SUPERVISOR, &pages));
    for (size_t i = 0; i < OWN_COUNT; i++) { write_mark(pages.where[own[i]].path, (long)pages.where[own[i]].cells_at); }
    cairn_robot_pages_close(&pages);
    begin_world();
    assert_true(open_own(CAIRN_PROCESS_SUPERVISOR, &pages));
    for (size_t i = 0; i < OWN_COUNT; i++) { assert_int_equal(*(const uint8_t *)pages.cells[own[i]], 0); }
    cairn_robot_pages_close(&pages);
}

int main(void)
{
    begin_at = -1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_world_that_begins_anew_meanwhile_is_seen_as_a_whole_or_not_at_all, end_world),
        cmocka_unit_test_teardown(damage_to_one_file_costs_nothing_of_the_others, end_world),
        cmocka_unit_test_teardown(nothing_outlives_another_body, end_world),
    };
    return cmocka_run_group_tests(tests, set_up, remove_all);
}
