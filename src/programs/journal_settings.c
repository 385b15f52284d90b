#include "programs/journal_settings.h"

const char *const cairn_journal_level_words[] = {"all", "no-images", "operations", NULL};

static const cairn_config_field fields[] = {
    CAIRN_CONFIG_TEXT(cairn_journal_settings, folder, "folder", .help = "where its files go, relative to this file"),
    CAIRN_CONFIG_CHOICE(cairn_journal_settings, level, "level", cairn_journal_level_words, .fallback = "all"),
    CAIRN_CONFIG_REAL(cairn_journal_settings, rotate_mb, "rotate_mb", "MB", 1, 1e6, .fallback = "256"),
    CAIRN_CONFIG_REAL(cairn_journal_settings, rotate_min, "rotate_min", "minutes", 0.1, 1e5, .fallback = "30"),
    CAIRN_CONFIG_REAL(cairn_journal_settings, quota_mb, "quota_mb", "MB", 1, 1e9, .fallback = "4096"),
    CAIRN_CONFIG_REAL(cairn_journal_settings, scan_hz, "scan_hz", "Hz", 0, 200, .fallback = "10"),
    CAIRN_CONFIG_REAL(cairn_journal_settings, thermal_hz, "thermal_hz", "Hz", 0, 100, .fallback = "1"),
};
const cairn_config_schema cairn_journal_settings_schema = CAIRN_CONFIG_SCHEMA(cairn_journal_settings, fields);
