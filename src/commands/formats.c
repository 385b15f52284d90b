#include "commands/formats.h"
#include "base/config/config.h"
#include "body/body_page.h"
#include "journal/journal.h"
#include "link/key_file.h"
#include "maps/codec/grid_codec.h"
#include "maps/files/native_io.h"
#include "programs/robot/reflex_setup.h"
#include "programs/robot/robot_pages.h"
#include "programs/sim/world_page.h"
#include "robot/checkpoint.h"
#include "station/page/page.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include "station/store/store_io.h"

const cairn_format cairn_formats[CAIRN_FORMAT_COUNT] = {
    {"radio", CAIRN_LINK_VERSION, "packets between robot and station; only the same is understood"},
    {"page", CAIRN_PAGE_VERSION, "messages between station and browser; only the same is understood"},
    {"store", CAIRN_STORE_VERSION, "the station's store"},
    {"setup", CAIRN_SETUP_VERSION, "what a station was made from, in stores and journals"},
    {"inputs", CAIRN_INPUTS_VERSION, "what a station was told, in stores and journals"},
    {"snapshot", CAIRN_STATION_LAYOUT, "a station's state; of others the inputs are taken instead"},
    {"journal", CAIRN_JOURNAL_FORMAT, "the meaning of a journal's channels"},
    {"config", CAIRN_CONFIG_VERSION, "files of people: robots, stations, missions, arenas, bodies"},
    {"key", CAIRN_KEY_VERSION, "key files"},
    {"body", CAIRN_BODY_PAGE_VERSION, "sensors and motors, shared by simulator and robot; only the same"},
    {"state", CAIRN_ROBOT_PAGES_VERSION, "what a robot's processes share; of others nothing is taken"},
    {"checkpoint", CAIRN_CHECKPOINT_VERSION, "where mind goes on, in a robot's state; of others nothing is taken"},
    {"reflex", CAIRN_REFLEX_SETUP_VERSION, "what cairn tells cairn-reflex; only the same"},
    {"map", CAIRN_NATIVE_VERSION, "maps in files (.cairnmap)"},
    {"grid", CAIRN_GRID_CODE_VERSION, "grids in files of `cairn map encode`; only the same is decoded"},
    {"world", CAIRN_WORLD_PAGE_VERSION, "where a simulator goes on; only the same"},
};
