#include "programs/robot/supervisor.h"
#include "base/ruled_clock.h"
#include "base/sanitized.h"
#include "ports/folder.h"
#include "ports/notify.h"
#include "programs/robot/child.h"
#include "programs/robot/robot_pages.h"
#include "robot/checkpoint.h"
#include "robot/reflex/reflex_cells.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOOK_NS CAIRN_MS(20) // between two looks at the children
#define REFLEX_HUNG_NS CAIRN_S(1)
#define BEHAVIOUR_HUNG_NS CAIRN_S(2)
#define DELIBERATE_HUNG_NS CAIRN_S(6) // a plan on a busy machine may take its time
#define BODY_SILENT_NS CAIRN_S(1)
#define ABSENT_NS CAIRN_MS(500)    // between two looks: longer than any machine is that busy
#define BODY_WAIT_NS CAIRN_MS(200) // between two looks for a body
#define STAND_NS_MAX CAIRN_S(2)    // at the end, how long reflex is given to bring the robot to rest
#define STANDS_MPS 0.01
#define LOCK_NS_MAX CAIRN_S(2) // for the reflex of a supervisor that was killed to be gone
#define REFLEX_PRIORITY 80

typedef struct supervisor {
    const cairn_supervisor_def *def;
    char self[CAIRN_PROGRAM_PATH_BYTES], reflex_path[CAIRN_PROGRAM_PATH_BYTES], setup_path[CAIRN_PROGRAM_PATH_BYTES];
    int lock;
    cairn_arena memory; // of the ends below
    cairn_robot_pages pages;
    cairn_ruled_clock clock;
    cairn_cell *state, *command, *checkpoint; // only looked at
    uint64_t state_before;                    // its version when there was no reflex of ours yet
    cairn_child reflex, mind;
    bool body_silent;
    cairn_mono looked_at; // by the machine's clock
    cairn_notify notify;
} supervisor;

static volatile sig_atomic_t stop_asked; // a handler can be given nothing

void cairn_supervisor_ask_stop(void) { stop_asked = 1; }

static cairn_mono robot_now(supervisor *s) { return cairn_ruled_now(&s->clock, cairn_mono_now()); }

static void say(supervisor *s, cairn_log_level level, const char *text)
{
    cairn_log_line(&s->def->log, robot_now(s), level, "%s", text);
}

// cairn-reflex lies beside cairn in the build folder, and in libexec as installed.
static cairn_err find_programs(supervisor *s, cairn_complaints *complaints)
{
    const ssize_t length = readlink("/proc/self/exe", s->self, sizeof s->self - 1);
    if (length <= 0) {
        cairn_complain(complaints, "/proc/self/exe", 0, "cannot be read: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    s->self[length] = '\0';
    const int folder = (int)(strrchr(s->self, '/') - s->self);
    static const char *const places[] = {"cairn-reflex", "../libexec/cairn/cairn-reflex"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(s->reflex_path, sizeof s->reflex_path, "%.*s/%s", folder, s->self, places[i]);
        if (access(s->reflex_path, X_OK) == 0) { return CAIRN_OK; }
    }
    cairn_complain(complaints, s->reflex_path, 0, "is not there: it is built and installed together with cairn");
    return CAIRN_ERR_NOT_FOUND;
}

// Whoever writes to a mapped file of a disk may have to wait while the disk writes that page back.
static void warn_of_disk(const supervisor *s)
{
    struct statfs found;
    if (statfs(s->def->file->state, &found) != 0 || found.f_type == TMPFS_MAGIC || found.f_type == RAMFS_MAGIC) {
        return;
    }
    cairn_log_line(
        &s->def->log, (cairn_mono){0}, CAIRN_LOG_WARN,
        "`state` lies on a disk, which can hold up reflex when it is busy; on a real robot put it into /run");
}

// Two programs must not drive one robot. Reflex holds it too: the system gives the supervisor's back before it ends its
// children.
static cairn_err lock_state(supervisor *s, cairn_complaints *complaints)
{
    char path[CAIRN_PROGRAM_PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/lock", s->def->file->state);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock < 0) {
        cairn_complain(complaints, path, 0, "cannot be opened: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    const cairn_mono until = cairn_mono_add(cairn_mono_now(), LOCK_NS_MAX);
    do {
        if (flock(s->lock, LOCK_EX | LOCK_NB) == 0) { return CAIRN_OK; }
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), LOOK_NS));
    } while (cairn_mono_now().ns < until.ns && !stop_asked);
    cairn_complain(complaints, path, 0, "another `cairn robot` runs with this state folder; end that one first");
    return CAIRN_ERR_INVALID;
}

static cairn_err write_setup(supervisor *s, cairn_complaints *complaints)
{
    cairn_reflex_setup setup;
    memset(&setup, 0, sizeof setup);
    setup.version = CAIRN_REFLEX_SETUP_VERSION;
    setup.size_bytes = sizeof setup;
    setup.sensors = s->pages.where[CAIRN_PAGE_SENSORS];
    setup.motors = s->pages.where[CAIRN_PAGE_MOTORS];
    setup.to_reflex = s->pages.where[CAIRN_PAGE_TO_REFLEX];
    setup.from_reflex = s->pages.where[CAIRN_PAGE_FROM_REFLEX];
    setup.clock = s->pages.where[CAIRN_PAGE_CLOCK];
    setup.priority = CAIRN_SANITIZED ? 0 : REFLEX_PRIORITY;
    setup.description = s->def->file->body;
    FILE *file = fopen(s->setup_path, "wb");
    const bool written = file != NULL && fwrite(&setup, sizeof setup, 1, file) == 1;
    const bool closed = file != NULL && fclose(file) == 0;
    if (written && closed) { return CAIRN_OK; }
    cairn_complain(complaints, s->setup_path, 0, "cannot be written: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

static cairn_err attach_ends(supervisor *s)
{
    cairn_reflex_cells cells;
    cairn_arena_reset(&s->memory, 0);
    const cairn_reflex_memory shared = {.to_reflex = s->pages.cells[CAIRN_PAGE_TO_REFLEX],
                                        .from_reflex = s->pages.cells[CAIRN_PAGE_FROM_REFLEX]};
    cairn_err err = cairn_reflex_cells_attach(shared, &s->memory, &cells);
    if (err == CAIRN_OK) {
        err = cairn_cell_attach(&s->memory, s->pages.cells[CAIRN_PAGE_CHECKPOINT], sizeof(cairn_checkpoint),
                                &s->checkpoint);
    }
    s->state = cells.state_behaviour;
    s->command = cells.command;
    return err;
}

static uint64_t version_of(cairn_cell *cell)
{
    uint64_t version = 0;
    (void)cairn_cell_latest(cell, &version);
    return version;
}

// Until there is a body, or somebody asks to stop. CAIRN_ERR_EMPTY: asked.
static cairn_err wait_for_body(supervisor *s, cairn_complaints *complaints)
{
    bool told = false;
    for (;;) {
        const cairn_err err = cairn_robot_pages_open_body(&s->pages, s->def->file, complaints);
        if (err != CAIRN_ERR_EMPTY) { return err; }
        if (!told) {
            cairn_log_line(&s->def->log, (cairn_mono){0}, CAIRN_LOG_INFO, "waits for the simulator in %s",
                           s->def->file->sim);
        }
        told = true;
        if (stop_asked) { return CAIRN_ERR_EMPTY; }
        cairn_notify_alive(&s->notify);
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), BODY_WAIT_NS));
    }
}

static cairn_err meet_body(supervisor *s, cairn_complaints *complaints)
{
    cairn_err err = wait_for_body(s, complaints);
    if (err != CAIRN_OK) { return err; }
    cairn_ruled_clock_init(&s->clock, s->pages.memory[CAIRN_PAGE_CLOCK].bytes);
    s->body_silent = false;
    bool fresh = false;
    err = cairn_robot_pages_open_own(&s->pages, s->def->file, CAIRN_PROCESS_SUPERVISOR, complaints, &fresh);
    if (err == CAIRN_OK) { err = attach_ends(s); }
    if (err == CAIRN_OK) { s->state_before = version_of(s->state); }
    if (err == CAIRN_OK) { err = write_setup(s, complaints); }
    if (err == CAIRN_OK && s->pages.outdated) {
        say(s, CAIRN_LOG_WARN, "what was kept in `state` is of another version of cairn, and is left out");
    }
    if (err == CAIRN_OK) {
        say(s, CAIRN_LOG_INFO,
            fresh ? "has a body; begins anew" : "has a body; goes on with what it knew before it ended");
    }
    return err;
}

static void keep_running(supervisor *s, cairn_child *child, char *const argv[])
{
    const cairn_mono machine_now = cairn_mono_now(), now = robot_now(s);
    (void)cairn_child_has_ended(child, &s->def->log, now, machine_now);
    if (child->pid == 0 && machine_now.ns >= child->start_after.ns) {
        (void)cairn_child_start(child, argv, &s->def->log, now, machine_now);
    }
}

static void notice_body(supervisor *s)
{
    const bool silent = cairn_ruled_silent_ns(&s->clock, cairn_mono_now()) > BODY_SILENT_NS;
    if (silent == s->body_silent) { return; }
    s->body_silent = silent;
    say(s, silent ? CAIRN_LOG_WARN : CAIRN_LOG_INFO,
        silent ? "the simulator is silent: its time stands still" : "the simulator is back");
}

// A supervisor that was stopped itself, perhaps with all of its children, has seen no sign of life from anybody.
static void forgive_own_absence(supervisor *s, cairn_mono now)
{
    const cairn_mono machine_now = cairn_mono_now();
    if (cairn_mono_since(machine_now, s->looked_at) > ABSENT_NS) {
        cairn_child_forgive(&s->reflex, now);
        cairn_child_forgive(&s->mind, now);
    }
    s->looked_at = machine_now;
}

static void look_after(supervisor *s)
{
    char *const reflex[] = {s->reflex_path, s->setup_path, NULL};
    char *const mind[] = {s->self, (char *)"robot", (char *)s->def->config, (char *)"--mind", NULL};
    keep_running(s, &s->reflex, reflex);
    // A mind that began by the last word of the reflex before would take the whole robot's absence for its own.
    if (s->mind.start_count > 0 || version_of(s->state) != s->state_before) { keep_running(s, &s->mind, mind); }
    notice_body(s);
    const cairn_mono now = robot_now(s);
    forgive_own_absence(s, now);
    cairn_child_watch(&s->reflex, (uint64_t[]){version_of(s->state)}, &s->def->log, now);
    cairn_child_watch(&s->mind, (uint64_t[]){version_of(s->command), version_of(s->checkpoint)}, &s->def->log, now);
}

static bool stands(supervisor *s)
{
    const cairn_reflex_state *state = cairn_cell_latest(s->state, NULL);
    return state == NULL || (fabs(state->told_mps) < STANDS_MPS && fabs(state->told_radps) < STANDS_MPS &&
                             !(fabs(state->forward_mps) > STANDS_MPS));
}

static void wait_for_end(supervisor *s, cairn_child *child, int64_t patience_ns)
{
    const cairn_mono until = cairn_mono_add(cairn_mono_now(), patience_ns);
    while (child->pid != 0) {
        int64_t now_ns = cairn_mono_now().ns;
        if (now_ns > until.ns) { cairn_child_end(child, SIGKILL); }
        cairn_mono_sleep_until((cairn_mono){now_ns + LOOK_NS});
        static const cairn_log quiet;
        (void)cairn_child_has_ended(child, &quiet, robot_now(s), cairn_mono_now());
    }
}

// Mind first: its silence makes reflex stop the robot. Then reflex, when the robot stands. None of the three takes as
// long as systemd waits for a sign of life.
static void end_children(supervisor *s)
{
    cairn_child_end(&s->mind, SIGTERM);
    wait_for_end(s, &s->mind, CAIRN_S(3));
    cairn_notify_alive(&s->notify);
    const cairn_mono until = cairn_mono_add(cairn_mono_now(), STAND_NS_MAX);
    while (s->reflex.pid != 0 && !stands(s) && cairn_mono_now().ns < until.ns) {
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), LOOK_NS));
    }
    cairn_notify_alive(&s->notify);
    cairn_child_end(&s->reflex, SIGTERM);
    wait_for_end(s, &s->reflex, CAIRN_S(1));
}

static void init_children(supervisor *s)
{
    s->reflex =
        (cairn_child){.name = "reflex", .held_file = s->lock, .life_count = 1, .lives = {{.hung_ns = REFLEX_HUNG_NS}}};
    s->mind = (cairn_child){
        .name = "mind", .life_count = 2, .lives = {{.hung_ns = BEHAVIOUR_HUNG_NS}, {.hung_ns = DELIBERATE_HUNG_NS}}};
}

// Whether it is the same body, and the files are there that a child which is started again needs: one on new files
// would not meet the other.
static bool may_go_on(supervisor *s)
{
    if (cairn_robot_pages_are_retired(&s->pages)) {
        say(s, CAIRN_LOG_WARN, "the simulator has a new world: begins anew");
        return false;
    }
    const bool both_run = s->reflex.pid != 0 && s->mind.pid != 0;
    if (both_run || (cairn_robot_pages_are_there(&s->pages) && access(s->setup_path, F_OK) == 0)) { return true; }
    say(s, CAIRN_LOG_ERROR, "its files in `state` were taken away: begins anew");
    return false;
}

static cairn_err live(supervisor *s, cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    while (!stop_asked && err == CAIRN_OK) {
        err = meet_body(s, complaints);
        if (err != CAIRN_OK) { break; }
        init_children(s);
        while (!stop_asked && may_go_on(s)) {
            look_after(s);
            cairn_notify_alive(&s->notify);
            cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), LOOK_NS));
        }
        end_children(s);
        cairn_robot_pages_close(&s->pages);
    }
    return err == CAIRN_ERR_EMPTY && stop_asked ? CAIRN_OK : err;
}

cairn_err cairn_supervisor_run(const cairn_supervisor_def *def, cairn_complaints *complaints)
{
    static supervisor s; // large
    s = (supervisor){.def = def, .lock = -1};
    snprintf(s.setup_path, sizeof s.setup_path, "%.480s/reflex.setup", def->file->state);
    (void)signal(SIGCHLD, SIG_DFL); // who started us may ignore it: we would never hear of a child's end
    cairn_err err = find_programs(&s, complaints);
    if (err == CAIRN_OK) { err = cairn_folder_make(def->file->state, 0700, "choose another as `state`", complaints); }
    if (err == CAIRN_OK) { err = lock_state(&s, complaints); }
    if (err == CAIRN_OK) { warn_of_disk(&s); }
    if (err == CAIRN_OK) { err = cairn_arena_create(&s.memory, 1u << 20); }
    cairn_notify_open(&s.notify);
    cairn_notify_ready(&s.notify);
    if (err == CAIRN_OK) { err = live(&s, complaints); }
    cairn_notify_close(&s.notify);
    cairn_robot_pages_close(&s.pages);
    cairn_arena_destroy(&s.memory);
    if (s.lock >= 0) { close(s.lock); }
    return err;
}
