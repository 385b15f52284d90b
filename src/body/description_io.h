// description_io.h - reads a robot file (robots/*.yaml) into a description.
//
// Every field is checked for type, unit and range; a sensor's section that is left out is a sensor that is not
// offered. robots/emu.yaml shows all fields.
#pragma once
#include "body/description.h"

// CAIRN_ERR_INVALID, IO or TOO_LARGE with all reasons in *complaints; *ret_description is then untouched.
CAIRN_CHECKED cairn_err cairn_body_description_read(const char *path, cairn_complaints *complaints,
                                                    cairn_body_description *ret_description);
