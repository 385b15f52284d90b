// folder.h - makes folders, with all that lie above them.
#pragma once
#include "base/status.h"
#include <sys/types.h>

// The folder itself; one that is there is taken as it is. CAIRN_ERR_IO with words when the system refuses, when
// something else lies there, or when nothing may be written into it; `remedy` ends the sentence: "choose another with
// --out".
CAIRN_CHECKED cairn_err cairn_folder_make(const char *path, mode_t mode, const char *remedy,
                                          cairn_complaints *complaints);
// The folder that a file is to lie in.
CAIRN_CHECKED cairn_err cairn_folder_make_for(const char *file_path, mode_t mode, const char *remedy,
                                              cairn_complaints *complaints);
