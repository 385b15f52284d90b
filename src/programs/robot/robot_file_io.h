// robot_file_io.h - the file that `cairn robot` is started with: who this robot is, and where everything lies.
//
// deploy/office/emu1.yaml shows all fields. Paths are relative to the file. The body itself is described by the file
// that `body` names (robots/emu.yaml), which the simulator and the station read too.
#pragma once
#include "body/description.h"
#include "programs/journal_settings.h"

typedef struct cairn_robot_file {
    char name[32];                            // "emu1"; also that of its key
    uint8_t number;                           // on the air, 1..250; in the simulator its start too
    char body_file[CAIRN_PROGRAM_PATH_BYTES]; // paths are resolved
    cairn_body_description body;              // read from it
    uint64_t body_hash;                       // of that file's bytes: is it the body that a port offers?
    char station[128];                        // HOST:PORT
    char keys[CAIRN_PROGRAM_PATH_BYTES];      // folder
    char state[CAIRN_PROGRAM_PATH_BYTES];     // folder: what outlives a crash
    char sim[CAIRN_PROGRAM_PATH_BYTES];       // folder of the simulator that has this body
    double rate_bps;                          // of its radio
    cairn_journal_settings journal;
} cairn_robot_file;

// All that is wrong is told at once; *ret_file is then untouched.
CAIRN_CHECKED cairn_err cairn_robot_file_read(const char *path, cairn_complaints *complaints,
                                              cairn_robot_file *ret_file);
// The hash of a body file, as a port writes it beside the cells that it offers.
CAIRN_CHECKED cairn_err cairn_body_file_hash(const char *path, cairn_complaints *complaints, uint64_t *ret_hash);
