// layout.h - how a message is laid out: the tables that the generator makes and one engine reads.
//
// A message type is a table of fields. The same table drives the radio codec, CDR in both directions and
// JSON; types read from a schema at run time (schema.h) have the same form, without places in a C struct.
// Memory   Generated tables are constant; run-time ones live in the arena that they were read into.
// Threads  Constant: any.
#pragma once
#include "base/status.h"

typedef enum cairn_kind {
    CAIRN_KIND_BOOL,
    CAIRN_KIND_INT8,
    CAIRN_KIND_UINT8, // also ROS's byte and char
    CAIRN_KIND_INT16,
    CAIRN_KIND_UINT16,
    CAIRN_KIND_INT32,
    CAIRN_KIND_UINT32,
    CAIRN_KIND_INT64,
    CAIRN_KIND_UINT64,
    CAIRN_KIND_FLOAT32,
    CAIRN_KIND_FLOAT64,
    CAIRN_KIND_STRING,  // const char *, NUL-terminated; NULL is sent as ""
    CAIRN_KIND_MESSAGE, // a struct of its own, see cairn_field.type
    CAIRN_KIND_COUNT
} cairn_kind;

// How often the value is there, and how C holds it.
typedef enum cairn_shape {
    CAIRN_SHAPE_ONE,      // T x;
    CAIRN_SHAPE_FIXED,    // T x[bound];
    CAIRN_SHAPE_INLINE,   // uint16_t x_count; T x[bound];                 radio messages
    CAIRN_SHAPE_SEQUENCE, // struct { const T *data; uint32_t count; } x;  ROS 2 messages, borrowed
    CAIRN_SHAPE_COUNT
} cairn_shape;

typedef struct cairn_ros_type cairn_ros_type;

typedef struct cairn_field {
    const char *name;
    const cairn_ros_type *type;  // of CAIRN_KIND_MESSAGE, otherwise NULL
    uint32_t offset_bytes;       // of x in the C struct
    uint32_t count_offset_bytes; // of x_count in the C struct, CAIRN_SHAPE_INLINE only
    uint32_t bound;              // elements of FIXED, most elements of INLINE and SEQUENCE; 0: no bound
    uint32_t string_bound;       // most bytes of a string; 0: no bound
    uint8_t kind;                // cairn_kind
    uint8_t shape;               // cairn_shape
} cairn_field;

struct cairn_ros_type {
    const char *name;   // "sensor_msgs/msg/LaserScan"
    const char *schema; // ros2msg text with all that it depends on; NULL when read at run time
    const cairn_field *fields;
    uint32_t field_count;
    uint32_t size_bytes; // of the C struct; 0 when read at run time
};

// What the radio codec checks beside the layout. min, max and unknown of a uint64 are its bits.
typedef struct cairn_radio_rule {
    int64_t min, max;
    int64_t unknown;  // valid with has_unknown; outside min..max
    const char *unit; // "mm"; "-" where there is none
    bool has_unknown;
    uint8_t since;         // version of the message that appended this field
    int16_t same_count_as; // index of an earlier array whose count must be equal; -1: none
} cairn_radio_rule;

typedef struct cairn_radio_type {
    const char *name;              // "victim_seen"
    const cairn_radio_rule *rules; // one for each of ros->fields
    const cairn_ros_type *ros;     // "cairn_msgs/msg/VictimSeen"; its struct is cairn_msg_victim_seen
    uint32_t payload_bytes_max;
    uint8_t id, version;
} cairn_radio_type;

// Bytes of one value of a kind in C and, since all machines are little endian, on the wire; 0 for
// CAIRN_KIND_STRING and CAIRN_KIND_MESSAGE, whose size differs.
static inline size_t cairn_kind_bytes(cairn_kind kind)
{
    static const uint8_t sizes[CAIRN_KIND_COUNT] = {
        [CAIRN_KIND_BOOL] = 1,   [CAIRN_KIND_INT8] = 1,    [CAIRN_KIND_UINT8] = 1,   [CAIRN_KIND_INT16] = 2,
        [CAIRN_KIND_UINT16] = 2, [CAIRN_KIND_INT32] = 4,   [CAIRN_KIND_UINT32] = 4,  [CAIRN_KIND_INT64] = 8,
        [CAIRN_KIND_UINT64] = 8, [CAIRN_KIND_FLOAT32] = 4, [CAIRN_KIND_FLOAT64] = 8,
    };
    return sizes[kind];
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied to the wire as they are in memory");
_Static_assert(sizeof(bool) == 1 && sizeof(float) == 4 && sizeof(double) == 8, "the wire's sizes");
