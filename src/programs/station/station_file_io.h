// station_file_io.h - the file that `cairn station` is started with: its team, and where everything lies.
//
// deploy/office/station.yaml shows all fields. Paths are relative to the file.
#pragma once
#include "body/description.h"
#include "geometry/pose2.h"
#include "ports/web_origin.h"
#include "programs/journal_settings.h"
#include "station/areas/areas.h"
#include "station/fleet.h"

typedef struct cairn_station_file_robot {
    char name[32];
    uint8_t number; // on the air
    char body_file[CAIRN_PROGRAM_PATH_BYTES];
    cairn_body_description body;
    cairn_pose2 map_T_start;
} cairn_station_file_robot;

typedef struct cairn_station_file {
    char name[64]; // of the mission, for people
    char listen[128];
    char page_bind[64];
    uint16_t page_port;
    char page_names[CAIRN_WEB_NAMES_BYTES];         // by which browsers reach it; "": by its address alone
    char page_token_file[CAIRN_PROGRAM_PATH_BYTES]; // looked at only where other machines can reach the page
    char store[CAIRN_PROGRAM_PATH_BYTES];
    uint64_t store_quota_bytes; // 0: none
    char keys[CAIRN_PROGRAM_PATH_BYTES];
    char sim[CAIRN_PROGRAM_PATH_BYTES]; // "": this machine's time
    double rate_bps;                    // to all robots together
    double map_size_m;                  // edge of the square around the starts
    double start_m_dev, start_rad_dev;  // how well the starts are known: one deviation along x or y, and of the heading
    uint32_t robot_count;
    cairn_station_file_robot *robots; // in the arena
    cairn_team_areas areas;
    cairn_journal_settings journal;
} cairn_station_file;

// All that is wrong is told at once; *ret_file is then untouched.
CAIRN_CHECKED cairn_err cairn_station_file_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                                cairn_station_file *ret_file);
