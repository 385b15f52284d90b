// cdr_csv.h - CDR bytes of any known type as a row of comma-separated values, and the names of its columns.
//
// Every row of a type has the same columns. A field in a field is "pose.position.x". An array of fixed length has a
// column for each element, "covariance[0]"; any other array has its "ranges.count" and, with elements_max, columns for
// the first so many elements, which stay empty where there are fewer. Numbers are as in JSON, but NaN and infinities
// are bare. Strings are quoted where commas, quotes or line ends make it necessary (RFC 4180).
//
// Memory   Nothing is allocated.
// Threads  Free of state: any.
#pragma once
#include "messages/layout.h"

#define CAIRN_CSV_COLUMNS_MAX 16384

// The names, separated by commas, without a line end or NUL. elements_max 0: fixed arrays whole, of others the count
// only. CAIRN_ERR_TOO_LARGE beyond CAIRN_CSV_COLUMNS_MAX columns, CAIRN_ERR_FULL when max is too small.
CAIRN_CHECKED cairn_err cairn_cdr_csv_head(const cairn_ros_type *type, uint32_t elements_max, char *ret_text,
                                           size_t max, size_t *ret_size);

// The values of one message, for the columns of head. Further errors: CAIRN_ERR_CORRUPT when the bytes do not fit the
// type, CAIRN_ERR_UNSUPPORTED for another encoding than plain CDR. O(bytes + columns).
CAIRN_CHECKED cairn_err cairn_cdr_csv_row(const cairn_ros_type *type, const uint8_t *bytes, size_t size,
                                          uint32_t elements_max, char *ret_text, size_t max, size_t *ret_size);
