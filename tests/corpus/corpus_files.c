// corpus_files.c - what test_corpus.py and tools/make_corpus.py cannot read or make with `cairn` itself.
//
// usage: corpus_files packets FILE       every message that both ends take from the recorded packets, a JSON line each
//        corpus_files terrain FILE       every terrain code, decoded: a JSON line each
//        corpus_files checkpoint FILE    what a mind would go on from, one JSON line
//        corpus_files make-packets FILE  records a session of today's link, with all kinds of messages
//
// Packets  A text file: `key HEX`, `robot N`, then a line for each packet: time in us by a clock that both ends share,
//          > (from the robot) or < (from the station), the bytes in hex.
// Terrain  A text file: a line for each code: width, height, the bytes in hex.
#include "base/hash.h"
#include "link/link_parts.h"
#include "link/radio_streams.h"
#include "maps/codec/planes_codec.h"
#include "maps/codec/terrain_codec.h"
#include "messages/cdr_json.h"
#include "robot/checkpoint.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROBOT 7
#define LINK_MEMORY_BYTES (1u << 20)
#define LINE_BYTES (1u << 15)
#define DELAY_NS CAIRN_MS(20)
#define TICK_NS CAIRN_MS(4)
#define SESSION_NS CAIRN_S(4)
#define STATE_HEAD_BYTES 64 // of a file in a robot's state folder (programs/robot/robot_pages.c)

static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "corpus_files: %s\n", what);
    exit(1);
}

static void check(cairn_err err, const char *what)
{
    if (err != CAIRN_OK) {
        (void)fprintf(stderr, "%s: ", cairn_err_name(err));
        die(what);
    }
}

static FILE *open_file(const char *path, const char *how)
{
    FILE *file = fopen(path, how);
    if (file == NULL) { die(path); }
    return file;
}

static size_t read_hex(const char *text, uint8_t *ret_bytes, size_t max)
{
    size_t count = 0;
    unsigned byte = 0;
    for (; count < max && sscanf(text + 2 * count, "%2x", &byte) == 1; count++) { ret_bytes[count] = (uint8_t)byte; }
    return count;
}

static cairn_link *make_link(cairn_link_role role, const uint8_t *key, uint8_t robot)
{
    static cairn_arena memory[2];
    cairn_link_def def = cairn_link_def_default();
    cairn_link *link = NULL;
    def.role = role;
    def.robot = robot;
    memcpy(def.key, key, sizeof def.key);
    cairn_random_init(&def.random, 1, role == CAIRN_LINK_ROBOT ? "corpus/robot" : "corpus/station");
    check(cairn_arena_create(&memory[role], LINK_MEMORY_BYTES), "memory");
    check(cairn_link_create(&def, &memory[role], &link), "link");
    return link;
}

// ---- reading packets

static const char *const sides[] = {[CAIRN_LINK_ROBOT] = "robot", [CAIRN_LINK_STATION] = "station"};

static void print_message(cairn_link_role to, const cairn_link_message *taken)
{
    static cairn_radio_message message; // large, as the next two
    static uint8_t cdr[LINE_BYTES];
    static char text[4 * LINE_BYTES];
    size_t cdr_bytes = 0, text_bytes = 0;
    check(cairn_radio_decode(taken->bytes, taken->size, &message), "a message is not understood");
    const cairn_radio_type *type = cairn_radio_type_of(message.id);
    check(cairn_cdr_encode_radio(&message, cdr, sizeof cdr, &cdr_bytes), type->name);
    check(cairn_cdr_json(type->ros, cdr, cdr_bytes, 0, text, sizeof text, &text_bytes), type->name);
    printf("{\"to\":\"%s\",\"stream\":\"%s\",\"name\":\"%s\",\"message\":%.*s}\n", sides[to],
           cairn_link_stream_name(taken->stream), type->name, (int)text_bytes, text);
}

// The two ends have other random numbers today than on the day of the recording: they are given those that the
// greetings show. From there on the packets must be taken in as they were then.
static void remember_greeting(cairn_link *const links[2], const uint8_t *bytes)
{
    const cairn_seal_names names = {cairn_get_le(bytes + 8, 8), cairn_get_le(bytes + 16, 8),
                                    cairn_get_le(bytes + 24, 8), cairn_get_le(bytes + 32, 8)};
    links[CAIRN_LINK_ROBOT]->own_session = names.robot_session;
    links[CAIRN_LINK_ROBOT]->hello_nonce = names.robot_nonce;
    links[CAIRN_LINK_STATION]->own_session = names.station_session;
    links[CAIRN_LINK_STATION]->challenges[0] = (cairn_challenge){.given = true, .names = names};
}

static void take_packet(cairn_link *const links[2], cairn_link_role to, const uint8_t *bytes, size_t size,
                        cairn_mono now)
{
    if ((bytes[0] & 15) == CAIRN_PACKET_CHALLENGE && size == CAIRN_LINK_GREETING_BYTES) {
        remember_greeting(links, bytes);
    }
    const cairn_link_verdict verdict = cairn_link_receive(links[to], bytes, size, now);
    if (verdict != CAIRN_LINK_ACCEPTED) {
        printf("{\"to\":\"%s\",\"refused\":\"%s\"}\n", sides[to], cairn_link_verdict_name(verdict));
    }
    cairn_link_message message;
    while (cairn_link_take(links[to], now, &message) == CAIRN_OK) { print_message(to, &message); }
}

static void read_packets(const char *path)
{
    FILE *file = open_file(path, "re");
    static char line[LINE_BYTES], hex[LINE_BYTES];
    static uint8_t bytes[LINE_BYTES / 2];
    uint8_t key[CAIRN_LINK_KEY_BYTES] = {0};
    unsigned robot = 0;
    cairn_link *links[2] = {NULL};
    uint32_t packet_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        int64_t time_us = 0;
        char way = 0;
        if (sscanf(line, "key %32767s", hex) == 1) {
            if (read_hex(hex, key, sizeof key) != sizeof key) { die("a key of another length"); }
        } else if (sscanf(line, "robot %u", &robot) == 1) {
            for (int role = 0; role < 2; role++) {
                links[role] = make_link((cairn_link_role)role, key, (uint8_t)robot);
            }
        } else if (sscanf(line, "%" SCNd64 " %c %32767s", &time_us, &way, hex) == 3 && links[0] != NULL) {
            const size_t size = read_hex(hex, bytes, sizeof bytes);
            take_packet(links, way == '>' ? CAIRN_LINK_STATION : CAIRN_LINK_ROBOT, bytes, size,
                        (cairn_mono){time_us * 1000});
            packet_count++;
        }
    }
    (void)fclose(file);
    printf("{\"packets\":%u,\"bad_frames\":%" PRIu64 "}\n", packet_count,
           links[0]->info.bad_frame_count + links[1]->info.bad_frame_count);
}

// ---- making packets

typedef struct recording {
    FILE *file;
    cairn_link *links[2];
    cairn_mono now;
    int sender;
    struct {
        int to;
        int64_t due_ns;
        size_t size;
        uint8_t bytes[CAIRN_LINK_MTU_MAX];
    } flying[256];
    uint32_t flying_count;
} recording;

static void on_send(void *context, const uint8_t *bytes, size_t size)
{
    recording *all = context;
    if (all->flying_count == 256) { die("too many packets under way"); }
    all->flying[all->flying_count].to = 1 - all->sender;
    all->flying[all->flying_count].due_ns = all->now.ns + DELAY_NS;
    all->flying[all->flying_count].size = size;
    memcpy(all->flying[all->flying_count++].bytes, bytes, size);
}

static void deliver(recording *all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->flying_count; i++) {
        if (all->flying[i].due_ns > all->now.ns) {
            if (kept != i) { all->flying[kept] = all->flying[i]; }
            kept++;
            continue;
        }
        (void)fprintf(all->file, "%" PRId64 " %c ", all->now.ns / 1000,
                      all->flying[i].to == CAIRN_LINK_STATION ? '>' : '<');
        for (size_t at = 0; at < all->flying[i].size; at++) {
            (void)fprintf(all->file, "%02x", all->flying[i].bytes[at]);
        }
        (void)fputc('\n', all->file);
        (void)cairn_link_receive(all->links[all->flying[i].to], all->flying[i].bytes, all->flying[i].size, all->now);
    }
    all->flying_count = kept;
}

static void put(recording *all, const cairn_radio_message *message)
{
    const bool from_robot = message->id >= CAIRN_MSG_TELEMETRY;
    uint8_t bytes[CAIRN_LINK_MESSAGE_BYTES_MAX];
    size_t size = 0;
    cairn_link_stream stream;
    check(cairn_link_stream_of(message->id, &stream), "a stream for the message");
    check(cairn_radio_encode(message, bytes, sizeof bytes, &size), "a message");
    check(cairn_link_put(all->links[from_robot ? CAIRN_LINK_ROBOT : CAIRN_LINK_STATION], stream, bytes, size, all->now),
          "the link");
}

static void station_speaks(recording *all, uint32_t number)
{
    static cairn_radio_message message; // large
    cairn_radio_clear(CAIRN_MSG_MODE_ORDER, &message);
    message.mode_order = (cairn_msg_mode_order){.robot = ROBOT, .order = number, .mode = 3};
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_STOP, &message);
    message.stop = (cairn_msg_stop){.robot = ROBOT, .stop = number % 2, .release_count = number};
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_STICK, &message);
    message.stick =
        (cairn_msg_stick){.robot = ROBOT, .sequence = number, .forward_pct = 40, .turn_pct = -15, .dead_man = 1};
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_TASK, &message);
    message.task = (cairn_msg_task){.robot = ROBOT, .task = number, .purpose = 1, .end_yaw_mrad = 1571};
    message.task.via_x_mm_count = message.task.via_y_mm_count = 12;
    for (int32_t i = 0; i < 12; i++) {
        message.task.via_x_mm[i] = 1000 * i;
        message.task.via_y_mm[i] = -700 * i;
    }
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_TEAMMATES, &message);
    message.teammates.robot = ROBOT;
    message.teammates.other_count = message.teammates.x_mm_count = message.teammates.y_mm_count = 1;
    message.teammates.yaw_mrad_count = message.teammates.speed_mmps_count = message.teammates.age_ms_count = 1;
    message.teammates.other[0] = 2;
    message.teammates.x_mm[0] = 2340;
    message.teammates.y_mm[0] = -1180;
    message.teammates.age_ms[0] = 420;
    put(all, &message);
}

static void robot_speaks(recording *all, uint32_t number)
{
    static cairn_radio_message message; // large
    const int64_t mono_ns = all->now.ns;
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = ROBOT;
    message.telemetry.mono_ns = mono_ns;
    message.telemetry.x_mm = 1234;
    message.telemetry.y_mm = -567;
    message.telemetry.mode = 6;
    message.telemetry.battery_pct = 87;
    message.telemetry.order = number;
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.victim_seen = (cairn_msg_victim_seen){.robot = ROBOT,
                                                  .sighting = number,
                                                  .mono_ns = mono_ns,
                                                  .x_mm = 3210,
                                                  .y_mm = 1450,
                                                  .z_mm = 310,
                                                  .deviation_mm = 97,
                                                  .temperature_dc = 334,
                                                  .frame_count = 5,
                                                  .confidence_pct = 90};
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_NODE, &message);
    message.node = (cairn_msg_node){.robot = ROBOT, .node = number, .mono_ns = mono_ns, .x_mm = 800, .yaw_urad = 12345};
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_EVENT, &message);
    message.event = (cairn_msg_event){.robot = ROBOT, .mono_ns = mono_ns, .level = 20, .text_count = 6};
    memcpy(message.event.text, "corpus", 6);
    put(all, &message);
    cairn_radio_clear(CAIRN_MSG_TERRAIN_GRID, &message);
    message.terrain_grid = (cairn_msg_terrain_grid){.robot = ROBOT, .node = number, .cell_mm = 100};
    message.terrain_grid.width = message.terrain_grid.height = 100;
    message.terrain_grid.code_count = 700; // three pieces
    for (uint32_t i = 0; i < 700; i++) { message.terrain_grid.code[i] = (uint8_t)(i * 7 + number); }
    put(all, &message);
}

static void make_packets(const char *path)
{
    static recording all;
    uint8_t key[CAIRN_LINK_KEY_BYTES];
    all.file = open_file(path, "we");
    (void)fprintf(all.file, "# A session of a robot and its station: greetings, and all kinds of messages. The key is "
                            "for this file only.\nkey ");
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(i * 11 + 3);
        (void)fprintf(all.file, "%02x", key[i]);
    }
    (void)fprintf(all.file, "\nrobot %d\n", ROBOT);
    for (int role = 0; role < 2; role++) { all.links[role] = make_link((cairn_link_role)role, key, ROBOT); }
    for (; all.now.ns < SESSION_NS; all.now.ns += TICK_NS) {
        deliver(&all);
        const uint32_t number = (uint32_t)(all.now.ns / CAIRN_S(1));
        if (all.now.ns % CAIRN_S(1) == 0 && number >= 1 && number <= 2) {
            robot_speaks(&all, number);
            station_speaks(&all, number);
        }
        for (all.sender = 0; all.sender < 2; all.sender++) {
            cairn_link_step(all.links[all.sender], all.now, on_send, &all);
            cairn_link_message message;
            while (cairn_link_take(all.links[all.sender], all.now, &message) == CAIRN_OK) {}
        }
    }
    if (fclose(all.file) != 0) { die("cannot be written"); }
}

// ---- terrain codes and checkpoints

static void print_planes(const cairn_terrain_planes *planes)
{
    static uint8_t cells[CAIRN_TERRAIN_CELLS_MAX]; // 0 not known, 1 free, 2 obstacle: however the planes are kept
    uint32_t known_count = 0, obstacle_count = 0;
    const uint32_t cell_count = planes->width * planes->height;
    for (uint32_t i = 0; i < cell_count; i++) {
        const bool known = cairn_plane_bit(planes->known, i), obstacle = cairn_plane_bit(planes->obstacle, i);
        cells[i] = known ? (obstacle ? 2 : 1) : 0;
        known_count += known;
        obstacle_count += known && obstacle;
    }
    printf("{\"width\":%u,\"height\":%u,\"known\":%u,\"obstacles\":%u,\"hash\":\"%016" PRIx64 "\"}\n", planes->width,
           planes->height, known_count, obstacle_count, cairn_hash_bytes(0, cells, cell_count));
}

#define GRIDS_MAX 256

// "grid" node, the node that it refers to, column and row of its corner, width, height, bytes.
static void read_grid(const char *line)
{
    static struct {
        int column, row;
        cairn_terrain_planes planes;
    } grids[GRIDS_MAX]; // by node
    static char hex[LINE_BYTES];
    static uint8_t code[CAIRN_PLANES_CODE_BYTES_MAX], block[CAIRN_PLANES_SCRATCH_BYTES];
    unsigned node = 0, after = 0, width = 0, height = 0;
    int column = 0, row = 0;
    if (sscanf(line, "grid %u %u %d %d %u %u %32767s", &node, &after, &column, &row, &width, &height, hex) != 7 ||
        node >= GRIDS_MAX || after >= GRIDS_MAX || width > 160 || height > 160) {
        die("a line that is no grid");
    }
    grids[node].column = column;
    grids[node].row = row;
    grids[node].planes.width = width;
    grids[node].planes.height = height;
    const cairn_planes_earlier earlier = {&grids[after].planes, column - grids[after].column, row - grids[after].row};
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    check(cairn_planes_decode(code, read_hex(hex, code, sizeof code), after != 0 ? &earlier : NULL, &scratch,
                              &grids[node].planes),
          "a grid is not understood");
    print_planes(&grids[node].planes);
}

static void read_terrain(const char *path)
{
    FILE *file = open_file(path, "re");
    static char line[LINE_BYTES], hex[LINE_BYTES];
    static uint8_t code[CAIRN_TERRAIN_CODE_BYTES_MAX];
    static cairn_terrain_planes planes;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') { continue; }
        if (line[0] == 'g') {
            read_grid(line);
            continue;
        }
        if (sscanf(line, "%u %u %32767s", &planes.width, &planes.height, hex) != 3) { die("a line that is no code"); }
        if (planes.width > 160 || planes.height > 160) { die("a map that is too large"); }
        check(cairn_terrain_decode(code, read_hex(hex, code, sizeof code), &planes), "a code is not understood");
        print_planes(&planes);
    }
    (void)fclose(file);
}

// As the next mind looks at it; a file of another size is of another version.
static void read_checkpoint(const char *path)
{
    const size_t size = STATE_HEAD_BYTES + cairn_cell_memory_bytes(sizeof(cairn_checkpoint));
    uint8_t *memory = aligned_alloc(64, size);
    cairn_arena arena;
    cairn_cell *cell = NULL;
    FILE *file = open_file(path, "re");
    if (memory == NULL) { die("memory"); }
    const bool whole = fread(memory, 1, size, file) == size && fgetc(file) == EOF;
    (void)fclose(file);
    check(cairn_arena_create(&arena, 1u << 20), "memory");
    check(cairn_cell_attach(&arena, memory + STATE_HEAD_BYTES, sizeof(cairn_checkpoint), &cell), "cell");
    const cairn_checkpoint *found = whole ? cairn_cell_latest(cell, NULL) : NULL;
    if (!cairn_checkpoint_is_sound(found)) {
        printf("{\"sound\":false}\n");
    } else {
        printf("{\"sound\":true,\"version\":%u,\"at_ns\":%" PRId64 ",\"start_count\":%u,\"node_count\":%u,"
               "\"x_m\":%.6f,\"y_m\":%.6f,\"task\":%u,\"mode_order\":%u}\n",
               found->version, found->at.ns, found->start_count, found->node_count, found->private_T_base.x_m,
               found->private_T_base.y_m, found->task.id, found->orders.order);
    }
    cairn_arena_destroy(&arena);
    free(memory);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *path);
    } commands[] = {{"packets", read_packets},
                    {"terrain", read_terrain},
                    {"checkpoint", read_checkpoint},
                    {"make-packets", make_packets}};
    for (size_t i = 0; argc == 3 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) { continue; }
        commands[i].run(argv[2]);
        return 0;
    }
    (void)fputs("usage: corpus_files packets|terrain|checkpoint|make-packets FILE\n", stderr);
    return 2;
}
