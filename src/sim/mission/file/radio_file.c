#include "sim/mission/file/radio_file.h"

static const cairn_config_field silence_fields[] = {
    CAIRN_CONFIG_LINE(cairn_medium_silence, line),
    CAIRN_CONFIG_REAL(cairn_medium_silence, from_s, "from_s", "s", 0, 86400, .help = "when the silence begins"),
    CAIRN_CONFIG_REAL(cairn_medium_silence, to_s, "to_s", "s", 0, 86400, .help = "when it ends"),
};
static const cairn_config_schema silence_schema = CAIRN_CONFIG_SCHEMA(cairn_medium_silence, silence_fields);
static const cairn_config_field silence_item = CAIRN_CONFIG_ITEM_RECORD(cairn_medium_silence, &silence_schema);

static const cairn_config_field zone_fields[] = {
    CAIRN_CONFIG_VECTOR(cairn_medium_zone, at_m, "at_m", "m", -1000, 1000, .help = "its middle"),
    CAIRN_CONFIG_VECTOR(cairn_medium_zone, size_m, "size_m", "m", 0.1, 1000, .help = "x, y"),
};
static const cairn_config_schema zone_schema = CAIRN_CONFIG_SCHEMA(cairn_medium_zone, zone_fields);
static const cairn_config_field zone_item = CAIRN_CONFIG_ITEM_RECORD(cairn_medium_zone, &zone_schema);

static const cairn_config_field relay_fields[] = {
    CAIRN_CONFIG_VECTOR(cairn_medium_relay, at_m, "at_m", "m", -1000, 1000, .help = "where it stands"),
};
static const cairn_config_schema relay_schema = CAIRN_CONFIG_SCHEMA(cairn_medium_relay, relay_fields);
static const cairn_config_field relay_item = CAIRN_CONFIG_ITEM_RECORD(cairn_medium_relay, &relay_schema);

static const cairn_config_field station_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_medium_antenna, given),
    CAIRN_CONFIG_VECTOR(cairn_medium_antenna, at_m, "at_m", "m", -1000, 1000, .help = "where its antenna stands"),
};
static const cairn_config_schema station_schema = CAIRN_CONFIG_SCHEMA(cairn_medium_antenna, station_fields);

// The defaults are those of cairn_medium_log_distance_default.
#define MATERIAL(material, key_, fallback_)                                                                            \
    CAIRN_CONFIG_REAL(cairn_medium_log_distance, material_db[material], key_, "dB", 0, 200, .fallback = (fallback_))
static const cairn_config_field material_fields[] = {
    MATERIAL(CAIRN_MATERIAL_CONCRETE, "concrete_db", "12"), MATERIAL(CAIRN_MATERIAL_BRICK, "brick_db", "8"),
    MATERIAL(CAIRN_MATERIAL_DRYWALL, "drywall_db", "3"),    MATERIAL(CAIRN_MATERIAL_WOOD, "wood_db", "4"),
    MATERIAL(CAIRN_MATERIAL_METAL, "metal_db", "26"),       MATERIAL(CAIRN_MATERIAL_GLASS, "glass_db", "2"),
};
_Static_assert(sizeof material_fields / sizeof material_fields[0] == CAIRN_MATERIAL_COUNT, "one key for each material");
static const cairn_config_schema material_schema = CAIRN_CONFIG_SCHEMA(cairn_medium_log_distance, material_fields);

#define LOG_REAL(member, ...) CAIRN_CONFIG_REAL(cairn_radio_log_distance_entry, values.member, #member, __VA_ARGS__)
static const cairn_config_field log_distance_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_radio_log_distance_entry, given),
    CAIRN_CONFIG_LINE(cairn_radio_log_distance_entry, line),
    LOG_REAL(transmit_dbm, "dBm", -30, 60, .fallback = "20"),
    LOG_REAL(reference_db, "dB", 0, 150, .fallback = "40"),
    LOG_REAL(exponent, NULL, 1, 8, .fallback = "2"),
    LOG_REAL(sensitivity_dbm, "dBm", -150, 0, .fallback = "-90"),
    LOG_REAL(decade_db, "dB", 0.1, 20, .fallback = "2"),
    LOG_REAL(fading_db, "dB", 0, 15, .fallback = "2"),
    LOG_REAL(shadowing_db, "dB", 0, 30, .fallback = "4"),
    LOG_REAL(shadowing_m, "m", 0.1, 1000, .fallback = "3"),
    CAIRN_CONFIG_RECORD(cairn_radio_log_distance_entry, values, "materials", &material_schema, .fallback = "{}"),
};
static const cairn_config_schema log_distance_schema =
    CAIRN_CONFIG_SCHEMA(cairn_radio_log_distance_entry, log_distance_fields);

// The defaults are those of cairn_medium_path_default.
#define SUBT_REAL(member, ...) CAIRN_CONFIG_REAL(cairn_radio_subt_entry, values.member, #member, __VA_ARGS__)
static const cairn_config_field subt_fields[] = {
    CAIRN_CONFIG_PRESENT(cairn_radio_subt_entry, given),
    CAIRN_CONFIG_LINE(cairn_radio_subt_entry, line),
    SUBT_REAL(transmit_dbm, "dBm", -30, 60, .fallback = "20"),
    SUBT_REAL(noise_dbm, "dBm", -150, 0, .fallback = "-90"),
    SUBT_REAL(fading_db, "dB", 0, 15, .fallback = "3.16"),
    SUBT_REAL(near_db, "dB", 0, 150, .fallback = "40"),
    SUBT_REAL(scale_per_m, "1/m", 0.001, 100, .fallback = "0.55"),
    SUBT_REAL(exponent, NULL, 0, 8, .fallback = "1.5"),
    SUBT_REAL(exponent_per_cost, NULL, 0, 8, .fallback = "0.2"),
    SUBT_REAL(cost_max, NULL, 0, 1000, .fallback = "10"),
    SUBT_REAL(range_m_max, "m", 1, 100000, .fallback = "500"),
    SUBT_REAL(relay_m, "m", 0, 1000, .fallback = "2"),
};
static const cairn_config_schema subt_schema = CAIRN_CONFIG_SCHEMA(cairn_radio_subt_entry, subt_fields);

// The defaults are those of cairn_medium_radio_default.
#define RADIO_REAL(member, ...) CAIRN_CONFIG_REAL(cairn_radio_entry, radio.member, __VA_ARGS__)
#define RADIO_LIST(member, count_member, ...)                                                                          \
    CAIRN_CONFIG_LIST(cairn_radio_entry, radio.member, radio.count_member, #member, __VA_ARGS__, .fallback = "[]")
static const cairn_config_field radio_fields[] = {
    CAIRN_CONFIG_LINE(cairn_radio_entry, line),
    CAIRN_CONFIG_CHOICE(cairn_radio_entry, model, "model", cairn_medium_model_names, .fallback = "simple"),
    RADIO_REAL(rate_bps, "rate_kbps", "kbit/s", 1, 1000000, .factor = 1000, .fallback = "115.2"),
    RADIO_REAL(loss, "loss_pct", "%", 0, 100, .factor = 0.01, .fallback = "1"),
    RADIO_REAL(duplicate, "duplicate_pct", "%", 0, 100, .factor = 0.01, .fallback = "0"),
    RADIO_REAL(delay_s, "delay_ms", "ms", 0, 60000, .factor = 0.001, .fallback = "5"),
    RADIO_REAL(jitter_s, "jitter_ms", "ms", 0, 60000, .factor = 0.001, .fallback = "5"),
    RADIO_REAL(wall_cost, "wall_cost", NULL, 0, 100, .fallback = "1"),
    RADIO_REAL(relay_delay_s, "relay_delay_ms", "ms", 0, 60000, .factor = 0.001, .fallback = "5"),
    CAIRN_CONFIG_RECORD(cairn_radio_entry, log_distance, "log_distance", &log_distance_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(cairn_radio_entry, subt, "subt", &subt_schema, .fallback = "none"),
    CAIRN_CONFIG_RECORD(cairn_radio_entry, radio.station, "station", &station_schema, .fallback = "none"),
    RADIO_LIST(silences, silence_count, &silence_item, CAIRN_MEDIUM_SILENCES_MAX),
    RADIO_LIST(zones, zone_count, &zone_item, CAIRN_MEDIUM_ZONES_MAX),
    RADIO_LIST(relays, relay_count, &relay_item, CAIRN_MEDIUM_RELAYS_MAX),
};
const cairn_config_schema cairn_radio_schema = CAIRN_CONFIG_SCHEMA(cairn_radio_entry, radio_fields);

static void check_silences(const char *path, const cairn_medium_radio *radio, cairn_complaints *complaints)
{
    for (uint32_t i = 0; i < radio->silence_count; i++) {
        const cairn_medium_silence *silence = &radio->silences[i];
        if (silence->to_s <= silence->from_s) {
            cairn_complain(complaints, path, silence->line,
                           "radio.silences[%u].to_s: found %g; expected more than from_s, %g", i, silence->to_s,
                           silence->from_s);
        }
    }
}

// A key that a model does not have would be believed to do something.
static void check_model(const char *path, const cairn_radio_entry *entry, cairn_complaints *complaints)
{
    const cairn_medium_radio usual = cairn_medium_radio_default();
    const char *model = cairn_medium_model_names[entry->model];
    if (entry->log_distance.given && entry->model != CAIRN_MEDIUM_LOG_DISTANCE) {
        cairn_complain(complaints, path, entry->log_distance.line,
                       "radio.log_distance: not of model %s; write model: log-distance, or leave it out", model);
    }
    if (entry->subt.given && entry->model != CAIRN_MEDIUM_SUBT) {
        cairn_complain(complaints, path, entry->subt.line,
                       "radio.subt: not of model %s; write model: subt, or leave it out", model);
    }
    if (entry->model == CAIRN_MEDIUM_LOG_DISTANCE && entry->radio.wall_cost != usual.wall_cost) {
        cairn_complain(complaints, path, entry->line,
                       "radio.wall_cost: not of model log-distance, where each wall takes what its material takes; "
                       "write log_distance.materials, or leave it out");
    }
    if (entry->model == CAIRN_MEDIUM_SUBT && entry->radio.relay_delay_s != usual.relay_delay_s) {
        cairn_complain(complaints, path, entry->line,
                       "radio.relay_delay_ms: not of model subt, where relays take no time; leave it out");
    }
}

cairn_medium_radio cairn_radio_convert(const char *path, const cairn_radio_entry *entry, cairn_complaints *complaints)
{
    CAIRN_ASSERT(path && entry && complaints && entry->model < CAIRN_MEDIUM_MODEL_COUNT);
    check_silences(path, &entry->radio, complaints);
    check_model(path, entry, complaints);
    cairn_medium_radio radio = entry->radio;
    radio.model = (cairn_medium_model)entry->model;
    radio.log_distance = entry->log_distance.given ? entry->log_distance.values : cairn_medium_log_distance_default();
    radio.subt = entry->subt.given ? entry->subt.values : cairn_medium_path_default();
    return radio;
}
