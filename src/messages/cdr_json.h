// cdr_json.h - CDR bytes of any known type as JSON.
//
// An object with the fields in the order of the type. Integers of 64 bits are written in full, which readers
// that keep numbers as doubles round. uint8[] without a bound (pictures, point clouds) is a base64 string;
// every other array is an array. NaN and infinities are strings (json.h). CDR of either byte order is read.
//
// Memory   Nothing is allocated.
// Threads  Free of state: any.
#pragma once
#include "messages/layout.h"

// Writes one JSON object, without a NUL. With elements_max > 0 a longer array becomes
// {"count":N,"first":[...]}, with the first elements_max of them.
// CAIRN_ERR_CORRUPT when the bytes do not fit the type, CAIRN_ERR_UNSUPPORTED for another encoding than plain
// CDR, CAIRN_ERR_FULL when max is too small. Bytes after the message are not looked at. O(bytes).
CAIRN_CHECKED cairn_err cairn_cdr_json(const cairn_ros_type *type, const uint8_t *bytes, size_t size,
                                       uint32_t elements_max, char *ret_text, size_t max, size_t *ret_size);
