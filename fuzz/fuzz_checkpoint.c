// A checkpoint and a reflex's kept state with any content under a right seal: nothing that is called sound may breach.
#include "robot/reflex/kept.h"
#include "robot/resume.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void use(const cairn_checkpoint *checkpoint)
{
    static cairn_arena arena;
    if (arena.base == NULL && cairn_arena_create(&arena, 1u << 20) != CAIRN_OK) { abort(); }
    cairn_arena_reset(&arena, 0);
    const cairn_mono now = {CAIRN_S(100)};
    const cairn_reflex_state reflex = {.odom_id = checkpoint->odom_id, .start_count = checkpoint->reflex_start_count};
    const cairn_stop_command said = {.issued = now, .stop = true, .release_count = checkpoint->reflex_start_count};
    const cairn_resume_past past = {.last = checkpoint, .reflex = &reflex, .said = &said};
    const cairn_resume_facts facts = cairn_resume_look(&past, now);
    const cairn_orders_state orders = cairn_resume_orders(cairn_resume_decide(&facts), &past);
    cairn_mode_tally tally = checkpoint->tally;
    tally.counted = now;
    cairn_mode_tally_step(&tally, orders.mode, now, 1);

    const cairn_victim_tracks_def def = cairn_victim_tracks_def_default();
    cairn_victim_tracks *tracks = NULL;
    if (cairn_victim_tracks_create(&def, &arena, &tracks) != CAIRN_OK) { abort(); }
    cairn_victim_tracks_load(tracks, &checkpoint->victims, now);
    const cairn_victim_sighting sighting = {.at_m = {1, 2, 0.5}, .deviation_m = 0.1, .celsius_max = 33};
    for (int i = 0; i < 4; i++) { cairn_victim_tracks_add(tracks, &sighting, 1, now); }
    cairn_victim_track report;
    while (cairn_victim_tracks_take_report(tracks, &report)) {}

    cairn_trail trail = checkpoint->trail;
    cairn_trail_add(&trail, (cairn_vec2){1, 1});
    cairn_vec2 home[CAIRN_VIAS_MAX];
    (void)cairn_trail_home(&trail, (cairn_vec2){1, 1}, 0.6, 2.0, home, CAIRN_VIAS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static cairn_checkpoint checkpoint;
    cairn_reflex_kept kept = {0};
    if (size > sizeof checkpoint) { return 0; }
    memset(&checkpoint, 0, sizeof checkpoint);
    checkpoint.trail.spacing_m = 0.25; // or hardly anything would be sound
    memcpy(&checkpoint, bytes, size);
    cairn_checkpoint_seal(&checkpoint);
    if (cairn_checkpoint_is_sound(&checkpoint)) { use(&checkpoint); }
    memcpy(&kept, bytes, size < sizeof kept ? size : sizeof kept);
    (void)cairn_reflex_kept_is_sound(&kept);
    cairn_reflex_kept_seal(&kept);
    (void)cairn_reflex_kept_is_sound(&kept);
    return 0;
}
