#include "station/replay/inputs.h"
#include "station/replay/archive.h"
#include "station/replay/walks.h"
#include <string.h>

#define HEAD_BYTES 18 // version, kind, step, time

static void walk_head(cairn_archive *archive, uint8_t *version, cairn_inputs_head *head)
{
    cairn_archive_u8(archive, version, UINT8_MAX);
    uint8_t kind = (uint8_t)head->kind;
    cairn_archive_u8(archive, &kind, CAIRN_STEP_TASKING);
    head->kind = (cairn_step_kind)kind;
    cairn_archive_u64(archive, &head->step);
    cairn_archive_mono(archive, &head->at);
}

// What follows the kind of an input.
static void walk_input(cairn_archive *archive, cairn_input *input)
{
    switch (input->kind) {
    case CAIRN_INPUT_FACTS:
        cairn_archive_u8(archive, &input->robot_at, CAIRN_FLEET_MAX - 1);
        cairn_walk_facts(archive, &input->facts);
        break;
    case CAIRN_INPUT_HEARD: {
        cairn_archive_u8(archive, &input->robot_at, CAIRN_FLEET_MAX - 1);
        uint16_t size_bytes = (uint16_t)input->heard.size_bytes;
        cairn_archive_u16(archive, &size_bytes);
        input->heard.size_bytes = size_bytes;
        break;
    }
    case CAIRN_INPUT_TOLD: {
        uint8_t level = (uint8_t)input->told.level;
        cairn_archive_u8(archive, &level, UINT8_MAX);
        input->told.level = (cairn_log_level)level;
        cairn_archive_u8(archive, &input->told.size_bytes, CAIRN_TOLD_BYTES_MAX);
        break;
    }
    case CAIRN_INPUT_AREAS: cairn_walk_areas(archive, &input->areas); break;
    case CAIRN_INPUT_ACTION: cairn_walk_action(archive, &input->action); break;
    default: cairn_archive_fail(archive);
    }
}

void cairn_inputs_begin(cairn_inputs_writer *writer, const cairn_inputs_head *head)
{
    cairn_archive archive;
    cairn_archive_save(&archive, writer->bytes, sizeof writer->bytes);
    uint8_t version = CAIRN_INPUTS_VERSION;
    cairn_inputs_head copy = *head;
    walk_head(&archive, &version, &copy);
    CAIRN_ASSERT(cairn_archive_end(&archive) == CAIRN_OK && archive.at_bytes == HEAD_BYTES);
    writer->count = 0;
    writer->size_bytes = archive.at_bytes;
}

void cairn_inputs_set_kind(cairn_inputs_writer *writer, cairn_step_kind kind) { writer->bytes[1] = (uint8_t)kind; }

// The input, and the bytes that belong to it.
static cairn_err add(cairn_inputs_writer *writer, cairn_input *input, const void *bytes, size_t size_bytes)
{
    cairn_archive archive;
    cairn_archive_save(&archive, writer->bytes + writer->size_bytes, sizeof writer->bytes - writer->size_bytes);
    uint8_t kind = (uint8_t)input->kind;
    cairn_archive_u8(&archive, &kind, UINT8_MAX);
    walk_input(&archive, input);
    cairn_archive_bytes(&archive, (void *)bytes, size_bytes); // saving only reads
    const cairn_err err = cairn_archive_end(&archive);
    CAIRN_ASSERT(err == CAIRN_OK || writer->count > 0);
    if (err != CAIRN_OK) { return err; }
    writer->count++;
    writer->size_bytes += archive.at_bytes;
    return CAIRN_OK;
}

cairn_err cairn_inputs_add_facts(cairn_inputs_writer *writer, uint32_t robot_at, const cairn_link_facts *facts)
{
    CAIRN_ASSERT(robot_at < CAIRN_FLEET_MAX);
    cairn_input input = {.kind = CAIRN_INPUT_FACTS, .robot_at = (uint8_t)robot_at, .facts = *facts};
    return add(writer, &input, NULL, 0);
}

cairn_err cairn_inputs_add_heard(cairn_inputs_writer *writer, uint32_t robot_at, const uint8_t *bytes,
                                 size_t size_bytes)
{
    CAIRN_ASSERT(robot_at < CAIRN_FLEET_MAX && size_bytes <= CAIRN_RADIO_BYTES_MAX);
    cairn_input input = {.kind = CAIRN_INPUT_HEARD, .robot_at = (uint8_t)robot_at, .heard = {.size_bytes = size_bytes}};
    return add(writer, &input, bytes, size_bytes);
}

cairn_err cairn_inputs_add_told(cairn_inputs_writer *writer, cairn_log_level level, const char *text)
{
    const uint8_t size_bytes = (uint8_t)strnlen(text, CAIRN_TOLD_BYTES_MAX);
    cairn_input input = {.kind = CAIRN_INPUT_TOLD, .told = {.level = level, .size_bytes = size_bytes}};
    return add(writer, &input, text, size_bytes);
}

cairn_err cairn_inputs_add_action(cairn_inputs_writer *writer, const cairn_operator_action *action)
{
    cairn_input input = {.kind = CAIRN_INPUT_ACTION, .action = *action};
    return add(writer, &input, NULL, 0);
}

cairn_err cairn_inputs_add_areas(cairn_inputs_writer *writer, const cairn_team_areas *areas)
{
    cairn_input input = {.kind = CAIRN_INPUT_AREAS, .areas = *areas};
    return add(writer, &input, NULL, 0);
}

cairn_err cairn_inputs_open(cairn_inputs_reader *ret_reader, const uint8_t *bytes, size_t size_bytes,
                            cairn_inputs_head *ret_head)
{
    if (size_bytes < HEAD_BYTES || size_bytes > CAIRN_INPUTS_BYTES_MAX || bytes[0] == 0) { return CAIRN_ERR_CORRUPT; }
    if (bytes[0] > CAIRN_INPUTS_VERSION) { return CAIRN_ERR_UNSUPPORTED; }
    cairn_archive archive;
    cairn_archive_load(&archive, bytes, HEAD_BYTES);
    uint8_t version = 0;
    cairn_inputs_head head = {0};
    walk_head(&archive, &version, &head);
    if (cairn_archive_end(&archive) != CAIRN_OK) { return CAIRN_ERR_CORRUPT; }
    *ret_head = head;
    *ret_reader = (cairn_inputs_reader){.bytes = bytes, .size_bytes = size_bytes, .at = HEAD_BYTES};
    return CAIRN_OK;
}

// Where the bytes of an input begin, and how many there are.
static size_t lend_bytes(cairn_input *input, const uint8_t *bytes)
{
    switch (input->kind) {
    case CAIRN_INPUT_HEARD: input->heard.bytes = bytes; return input->heard.size_bytes;
    case CAIRN_INPUT_TOLD: input->told.text = (const char *)bytes; return input->told.size_bytes;
    default: return 0;
    }
}

cairn_err cairn_inputs_next(cairn_inputs_reader *reader, cairn_input *ret_input)
{
    if (reader->at == reader->size_bytes) { return CAIRN_ERR_EMPTY; }
    cairn_archive archive;
    cairn_archive_load(&archive, reader->bytes + reader->at, reader->size_bytes - reader->at);
    uint8_t kind = 0;
    cairn_archive_u8(&archive, &kind, UINT8_MAX);
    cairn_input input = {.kind = (cairn_input_kind)kind};
    walk_input(&archive, &input);
    if (archive.err != CAIRN_OK) { return archive.err; }
    const size_t at = reader->at + archive.at_bytes;
    const size_t size_bytes = lend_bytes(&input, reader->bytes + at);
    if (size_bytes > reader->size_bytes - at) { return CAIRN_ERR_CORRUPT; }
    reader->at = at + size_bytes;
    *ret_input = input;
    return CAIRN_OK;
}

static cairn_err check_input(const cairn_input *input, uint32_t robot_count)
{
    if (input->kind != CAIRN_INPUT_FACTS && input->kind != CAIRN_INPUT_HEARD) { return CAIRN_OK; }
    if (input->robot_at >= robot_count) { return CAIRN_ERR_CORRUPT; }
    if (input->kind == CAIRN_INPUT_FACTS) { return CAIRN_OK; }
    cairn_radio_message message;
    size_t size_bytes = 0;
    const cairn_err err = cairn_radio_size(input->heard.bytes, input->heard.size_bytes, &size_bytes);
    if (err != CAIRN_OK || size_bytes != input->heard.size_bytes) { return CAIRN_ERR_CORRUPT; }
    return cairn_radio_decode(input->heard.bytes, input->heard.size_bytes, &message);
}

cairn_err cairn_inputs_check(const uint8_t *bytes, size_t size_bytes, uint32_t robot_count, cairn_inputs_head *ret_head)
{
    cairn_inputs_reader reader;
    cairn_inputs_head head;
    cairn_err err = cairn_inputs_open(&reader, bytes, size_bytes, &head);
    while (err == CAIRN_OK) {
        cairn_input input;
        err = cairn_inputs_next(&reader, &input);
        if (err == CAIRN_OK) { err = check_input(&input, robot_count); }
    }
    if (err != CAIRN_ERR_EMPTY) { return err; }
    *ret_head = head;
    return CAIRN_OK;
}
