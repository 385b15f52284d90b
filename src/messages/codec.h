// codec.h - messages to bytes and back, driven by the tables of layout.h.
//
// Radio    id u8, version u8, payload length u16, payload; little endian, packed, arrays preceded by their
//          count (u16). A receiver skips an unknown id by its length, ignores what a newer version appended,
//          and takes the unknown value (or an empty array) for what an older version does not have yet.
// CDR      XCDR1, little endian, with the 4-byte header {0,1,0,0}; what ROS 2 and journals use.
// Memory   Nothing is allocated; bytes go into the caller's block.
// Threads  Free of state: any.
#pragma once
#include "messages/layout.h"
#include "messages/radio.h"
#include "messages/ros2.h"

#define CAIRN_RADIO_HEADER_BYTES 4

// The type of an id; NULL for one that this build does not know. O(1).
const cairn_radio_type *cairn_radio_type_of(uint8_t id);

// Sets every field of the message to its unknown value, or 0 where it has none, and every array to empty.
// The id must be known.
void cairn_radio_clear(uint8_t id, cairn_radio_message *ret_message);

// Writes one message. CAIRN_ERR_OUTSIDE when a value is outside its range, CAIRN_ERR_TOO_LARGE when an array
// is longer than its bound, CAIRN_ERR_INVALID when arrays that belong together differ in length,
// CAIRN_ERR_FULL when max is too small (CAIRN_RADIO_BYTES_MAX always does), CAIRN_ERR_UNSUPPORTED for an
// unknown id. O(bytes).
CAIRN_CHECKED cairn_err cairn_radio_encode(const cairn_radio_message *message, uint8_t *ret_bytes, size_t max,
                                           size_t *ret_size);

// Length in bytes, header included, of the first message in a buffer, known or not.
// CAIRN_ERR_EMPTY when size is 0, CAIRN_ERR_CORRUPT when the buffer ends before the message does. O(1).
CAIRN_CHECKED cairn_err cairn_radio_size(const uint8_t *bytes, size_t size, size_t *ret_size);

// Reads the first message in a buffer; what follows it is not looked at. CAIRN_ERR_UNSUPPORTED for an unknown
// id (go on after cairn_radio_size), CAIRN_ERR_EMPTY when size is 0, CAIRN_ERR_CORRUPT for a wrong length,
// a value outside its range or an array longer than its bound. O(bytes).
CAIRN_CHECKED cairn_err cairn_radio_decode(const uint8_t *bytes, size_t size, cairn_radio_message *ret_message);

// Bytes that cairn_cdr_encode would write. O(fields).
size_t cairn_cdr_size(const cairn_ros_type *type, const void *message);

// Writes a generated struct as CDR. CAIRN_ERR_FULL when max is too small, CAIRN_ERR_TOO_LARGE when an array
// or string is longer than its bound. The unused tail of max is untouched. O(bytes).
CAIRN_CHECKED cairn_err cairn_cdr_encode(const cairn_ros_type *type, const void *message, uint8_t *ret_bytes,
                                         size_t max, size_t *ret_size);

// The same for a radio message, as cairn_msgs/msg/Name (cairn_radio_type_of(id)->ros). Ranges are not checked:
// a journal keeps what was there. CAIRN_ERR_UNSUPPORTED for an unknown id.
CAIRN_CHECKED cairn_err cairn_cdr_encode_radio(const cairn_radio_message *message, uint8_t *ret_bytes, size_t max,
                                               size_t *ret_size);
