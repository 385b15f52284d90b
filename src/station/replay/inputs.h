// inputs.h - what came into the station in one step, as bytes: the station is a function of these and of nothing else.
//
// A record is a head (version, kind, number and time of the step) and inputs in the order in which they are taken. A
// step whose inputs fill a record goes on in another: all but its last are parts. Little endian, fixed width; doubles
// by their bits. Whoever has the setup and all records has the mission (docs/station.md).
//
// Memory   The writer's own block; a reader borrows the record.
// Threads  One owner.
#pragma once
#include "base/log.h"
#include "messages/codec.h"
#include "station/areas/areas.h"
#include "station/fleet.h"
#include "station/operator/operator.h"

#define CAIRN_INPUTS_VERSION 2             // 1 has neither areas nor overrides
#define CAIRN_INPUTS_BYTES_MAX (16u << 10) // of one record: more than the longest message, and facts of all robots
#define CAIRN_TOLD_BYTES_MAX 200           // longer words are cut

// Numbers are in files: never renumber.
typedef enum cairn_step_kind {
    CAIRN_STEP_PART = 0,   // inputs of a step that goes on in the next record
    CAIRN_STEP_POST = 1,   // every 20 ms: words of robots and operators
    CAIRN_STEP_TASKING = 2 // who goes where next; has no inputs
} cairn_step_kind;

typedef struct cairn_inputs_head {
    cairn_step_kind kind;
    uint64_t step; // counts up from 1 over the whole mission, over restarts of the station too
    cairn_mono at;
} cairn_inputs_head;

// Numbers are in files: never renumber.
typedef enum cairn_input_kind {
    CAIRN_INPUT_FACTS = 1,  // how a robot's link is, when that has changed
    CAIRN_INPUT_HEARD = 2,  // a message of a robot
    CAIRN_INPUT_TOLD = 3,   // words of the program around the station
    CAIRN_INPUT_ACTION = 4, // of an operator
    CAIRN_INPUT_AREAS = 5,  // where the team may be
} cairn_input_kind;

typedef struct cairn_input {
    cairn_input_kind kind;
    uint8_t robot_at; // facts, heard: index in the fleet, < CAIRN_FLEET_MAX
    union {
        cairn_link_facts facts;
        struct {
            const uint8_t *bytes; // one encoded radio message; borrowed from the record
            size_t size_bytes;
        } heard;
        struct {
            cairn_log_level level;
            uint8_t size_bytes;
            const char *text; // not NUL-terminated; borrowed from the record
        } told;
        cairn_operator_action action;
        cairn_team_areas areas;
    };
} cairn_input;

typedef struct cairn_inputs_writer {
    uint32_t count; // inputs so far
    size_t size_bytes;
    uint8_t bytes[CAIRN_INPUTS_BYTES_MAX];
} cairn_inputs_writer;

void cairn_inputs_begin(cairn_inputs_writer *writer, const cairn_inputs_head *head);
// The kind may turn out later: a step that does not fit becomes a part.
void cairn_inputs_set_kind(cairn_inputs_writer *writer, cairn_step_kind kind);
// CAIRN_ERR_FULL when the record has no room: it is unchanged. One that has no inputs yet has room for any.
CAIRN_CHECKED cairn_err cairn_inputs_add_facts(cairn_inputs_writer *writer, uint32_t robot_at,
                                               const cairn_link_facts *facts);
CAIRN_CHECKED cairn_err cairn_inputs_add_heard(cairn_inputs_writer *writer, uint32_t robot_at, const uint8_t *bytes,
                                               size_t size_bytes);
CAIRN_CHECKED cairn_err cairn_inputs_add_told(cairn_inputs_writer *writer, cairn_log_level level, const char *text);
CAIRN_CHECKED cairn_err cairn_inputs_add_action(cairn_inputs_writer *writer, const cairn_operator_action *action);
CAIRN_CHECKED cairn_err cairn_inputs_add_areas(cairn_inputs_writer *writer, const cairn_team_areas *areas);

typedef struct cairn_inputs_reader {
    const uint8_t *bytes; // borrowed
    size_t size_bytes, at;
} cairn_inputs_reader;

// CAIRN_ERR_CORRUPT for what is no record, CAIRN_ERR_UNSUPPORTED for one of a newer version.
CAIRN_CHECKED cairn_err cairn_inputs_open(cairn_inputs_reader *ret_reader, const uint8_t *bytes, size_t size_bytes,
                                          cairn_inputs_head *ret_head);
// CAIRN_ERR_EMPTY at the end; CAIRN_ERR_CORRUPT when the bytes are no input. Radio messages are not decoded here.
CAIRN_CHECKED cairn_err cairn_inputs_next(cairn_inputs_reader *reader, cairn_input *ret_input);
// Reads all of a record, radio messages too: CAIRN_OK, or why a station of so many robots cannot replay it.
CAIRN_CHECKED cairn_err cairn_inputs_check(const uint8_t *bytes, size_t size_bytes, uint32_t robot_count,
                                           cairn_inputs_head *ret_head);
