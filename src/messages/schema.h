// schema.h - reads ros2msg text, from any journal, into the tables of layout.h.
//
// The text is that of one message and, after lines of '=' and "MSG: package/Type", of all that it depends on.
// Constants and default values are accepted and left out; builtin_interfaces/Time and Duration need no text.
// Refused: wstring, types that contain themselves, and whatever is beyond the limits below.
// Memory   From the caller's arena: names and tables, about three times the text.
// Threads  Free of state: any.
#pragma once
#include "base/memory.h"
#include "messages/layout.h"

#define CAIRN_SCHEMA_BYTES_MAX (1 << 20)
#define CAIRN_SCHEMA_TYPES_MAX 512
#define CAIRN_SCHEMA_FIELDS_MAX 8192 // of all types together
#define CAIRN_SCHEMA_DEPTH_MAX 24    // messages within messages
#define CAIRN_SCHEMA_NAME_MAX 128    // bytes of a name

// Enough arena for any text of this many bytes.
size_t cairn_schema_arena_bytes(size_t text_bytes);

// The name is that of the message, "package/msg/Type" or "package/Type". The type has no C struct: it serves
// cairn_cdr_json. CAIRN_ERR_INVALID, CAIRN_ERR_TOO_LARGE or CAIRN_ERR_UNSUPPORTED with complaints in the form
// "name:line: what"; CAIRN_ERR_FULL when the arena is too small. O(text * types).
CAIRN_CHECKED cairn_err cairn_schema_parse(const char *name, const char *text, size_t size, cairn_arena *arena,
                                           cairn_complaints *complaints, const cairn_ros_type **ret_type);
