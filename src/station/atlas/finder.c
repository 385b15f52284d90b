// finder.c - the whole known raster is cut into windows of 4 m and 30 degrees: small enough that two rooms that look
// alike fall into two of them. Each window's best pose that has nearly as many hits as the best so far is a guess.
#include "station/atlas/finder.h"
#include "matching/correlative.h"
#include <math.h>

#define MAPS_MIN (CAIRN_FINDER_MAPS - 1)
#define APART_NS CAIRN_MS(2400) // between two maps that are laid: two nodes
#define REST_NS CAIRN_S(10)     // a search that found nothing is made again after this
#define HALF_CELLS 20           // of a window, each way
#define WINDOW_CELLS (2 * HALF_CELLS + 1)
#define BLOCK_WINDOWS 8u // of a side of the raster's part that is made ready at once
#define BLOCK_CELLS (BLOCK_WINDOWS * WINDOW_CELLS)
#define REACH_CELLS 107u // from a map's middle to its corner
#define ROOM_CELLS (BLOCK_CELLS + 2 * REACH_CELLS)
#define SECTORS 12u // of the headings
#define PEEK_CELLS 4u
// [-] Of all possible hits, what a guess must have. Smaller: found at the edge of the map, too; more guesses.
#define SCORE_MIN 0.5
#define ALIKE_PART 0.8 // [-] of the best map's hits: less is no guess
// [-] What a place must fit by, and by what part less any other. Larger, smaller: waits more often, errs more rarely.
// What lies on the other's free floor counts so many times against it: walls of two rooms are alike sooner than what
// stands in them.
#define FOUND_MIN 0.42 // right places in the office have 0.47, the best wrong ones 0.36
#define AGAINST 2.0
#define OTHER_MAX 0.8
#define MARGIN_MIN 0.4 // [-] of the score over what lies on the other's free floor
#define MERGE_M 0.6
#define MERGE_RAD 0.2
#define ASKED_M 0.25 // deviations of a guess: three of them are searched
#define ASKED_RAD 0.06
#define GUESSES_ASKED 4u // in a step
#define AGREE_M 0.3      // maps that are found agree by this
#define AGREE_RAD 0.08
#define SURE_M 0.1 // deviations of what was found
#define SURE_RAD 0.02

struct cairn_finder {
    cairn_correlative *matcher;
    cairn_pyramid *ground, *scan;
    cairn_terrain_planes planes;
};

cairn_err cairn_finder_create(cairn_arena *arena, cairn_finder **ret_finder)
{
    cairn_finder *finder = CAIRN_TAKE(arena, cairn_finder, 1);
    if (finder == NULL) { return CAIRN_ERR_FULL; }
    cairn_correlative_def matcher = cairn_correlative_def_default();
    matcher.margin_min = MARGIN_MIN;
    const cairn_pyramid_def ground = {ROOM_CELLS, ROOM_CELLS, CAIRN_OVERLAY_POINTS_MAX};
    const cairn_pyramid_def scan = cairn_pyramid_def_default();
    cairn_err err = cairn_correlative_create(&matcher, arena, &finder->matcher);
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&ground, arena, &finder->ground); }
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&scan, arena, &finder->scan); }
    if (err == CAIRN_OK) { *ret_finder = finder; }
    return err;
}

// ---- whom to look for

static bool is_usable(const cairn_atlas *atlas, const cairn_node_entry *node)
{
    const uint32_t side_max = cairn_pyramid_def_default().width_max;
    return node->has_pose && node->has_map && node->kept_bytes > 0 && node->terrain.is_upright &&
           fabs(node->terrain.cell_mm * 1e-3 - atlas->raster->def.cell_m) < 1e-6 && node->terrain.width <= side_max &&
           node->terrain.height <= side_max;
}

static bool is_of_stretch(const cairn_atlas *atlas, const cairn_node_entry *node, uint32_t head)
{
    const cairn_place *places = atlas->places->places;
    return node->robot == places[head].robot && node->has_pose && places[node->place].stretch == places[head].stretch &&
           places[node->place].is_apart;
}

// The newest maps of a stretch, each some time before the next.
static uint32_t choose_maps(const cairn_atlas *atlas, uint32_t head, uint32_t *ret_nodes)
{
    uint32_t count = 0;
    int64_t before_ns = INT64_MAX;
    for (uint32_t i = cairn_node_store_count(&atlas->nodes); i > 0 && count < CAIRN_FINDER_MAPS; i--) {
        const cairn_node_entry *node = cairn_node_store_get(&atlas->nodes, i - 1);
        if (!is_of_stretch(atlas, node, head) || !is_usable(atlas, node)) { continue; }
        if (count > 0 && node->said.mono_ns > before_ns - APART_NS) { continue; }
        before_ns = node->said.mono_ns;
        ret_nodes[count++] = node->node;
    }
    return count;
}

// The next stretch that is apart, after the one that was looked for last.
static uint32_t next_head(const cairn_atlas *atlas, uint32_t after)
{
    const cairn_places *places = atlas->places;
    const uint32_t count = places->graph->node_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = (after + 1 + i) % count;
        if (place == CAIRN_PLACE_NONE || !places->places[place].is_apart) { continue; }
        if (cairn_places_starts_frame(places, place)) { return place; }
    }
    return CAIRN_PLACE_NONE;
}

static void begin(cairn_search *search, const cairn_atlas *atlas, cairn_mono now)
{
    const cairn_raster *raster = atlas->raster;
    const bool rests = search->ended.ns > 0 && cairn_mono_since(now, search->ended) < REST_NS;
    if (rests || raster->known_count == 0) { return; }
    const uint32_t head = next_head(atlas, search->last_head);
    if (head == CAIRN_PLACE_NONE) { return; }
    search->last_head = head;
    uint32_t nodes[CAIRN_FINDER_MAPS];
    const uint32_t count = choose_maps(atlas, head, nodes);
    if (count < MAPS_MIN) { return; }
    *search = (cairn_search){.head = head,
                             .last_head = head,
                             .told_head = search->told_head,
                             .map_count = count,
                             .x_min = raster->x_min,
                             .y_min = raster->y_min,
                             .width = raster->x_max + 1 - raster->x_min,
                             .height = raster->y_max + 1 - raster->y_min};
    for (uint32_t i = 0; i < count; i++) { search->nodes[i] = nodes[i]; }
}

// ---- laying maps

static const cairn_node_entry *map_of(const cairn_search *search, const cairn_atlas *atlas, uint32_t at)
{
    const cairn_node_entry *node =
        cairn_atlas_node(atlas, atlas->places->places[search->head].robot, search->nodes[at]);
    return node != NULL && is_of_stretch(atlas, node, search->head) && is_usable(atlas, node) ? node : NULL;
}

// The rows of its maps all run along the private frame.
static cairn_pose2 private_T_rows(const cairn_node_entry *node)
{
    return (cairn_pose2){node->said.x_mm * 1e-3, node->said.y_mm * 1e-3, 0};
}

// All maps are there still: the first's rows, and from it to each.
static bool take_maps(const cairn_search *search, const cairn_atlas *atlas, cairn_pose2 *ret_first_T_rows)
{
    const cairn_node_entry *first = map_of(search, atlas, 0);
    for (uint32_t i = 0; i < search->map_count; i++) {
        const cairn_node_entry *node = map_of(search, atlas, i);
        if (first == NULL || node == NULL) { return false; }
        ret_first_T_rows[i] = cairn_pose2_between(private_T_rows(first), private_T_rows(node));
    }
    return true;
}

static bool set_scan(cairn_finder *finder, const cairn_search *search, const cairn_atlas *atlas, uint32_t at)
{
    if (cairn_atlas_planes(atlas, map_of(search, atlas, at), &finder->planes) != CAIRN_OK) { return false; }
    cairn_pyramid_set_grid(finder->scan, &finder->planes);
    return finder->scan->point_count > 0;
}

// The raster between two cells, as far as there is one. False: there is none.
static bool set_ground(cairn_finder *finder, const cairn_raster *raster, int64_t x0, int64_t y0, uint32_t side)
{
    const int64_t x1 = x0 + side < raster->def.width ? x0 + side : raster->def.width;
    const int64_t y1 = y0 + side < raster->def.height ? y0 + side : raster->def.height;
    x0 = x0 > 0 ? x0 : 0;
    y0 = y0 > 0 ? y0 : 0;
    if (x0 >= x1 || y0 >= y1) { return false; }
    const double cell_m = raster->def.cell_m;
    const cairn_pyramid_ground part = {
        .ground = raster->ground + (size_t)y0 * raster->def.width + (size_t)x0,
        .pitch = raster->def.width,
        .width = (uint32_t)(x1 - x0),
        .height = (uint32_t)(y1 - y0),
        .cell_m = cell_m,
        .origin_m = {raster->def.origin_m.x + cell_m * (double)x0, raster->def.origin_m.y + cell_m * (double)y0}};
    cairn_pyramid_set_ground(finder->ground, &part);
    return true;
}

// ---- windows

typedef struct window {
    uint32_t block; // of the raster's parts
    int64_t x, y;   // lower left cell of the block
    int64_t x_mid, y_mid;
    uint32_t sector;
} window;

static uint32_t blocks_along(uint32_t cells) { return (cells + BLOCK_CELLS - 1) / BLOCK_CELLS; }

static uint32_t windows_of(const cairn_search *search)
{
    return blocks_along(search->width) * blocks_along(search->height) * BLOCK_WINDOWS * BLOCK_WINDOWS * SECTORS;
}

static window window_at(const cairn_search *search, uint32_t at)
{
    const uint32_t spot = at / SECTORS, block = spot / (BLOCK_WINDOWS * BLOCK_WINDOWS),
                   across = blocks_along(search->width), x = spot % BLOCK_WINDOWS,
                   y = spot / BLOCK_WINDOWS % BLOCK_WINDOWS;
    window w = {.block = block, .sector = at % SECTORS};
    w.x = (int64_t)search->x_min + (int64_t)(block % across) * BLOCK_CELLS;
    w.y = (int64_t)search->y_min + (int64_t)(block / across) * BLOCK_CELLS;
    w.x_mid = w.x + (int64_t)x * WINDOW_CELLS + HALF_CELLS;
    w.y_mid = w.y + (int64_t)y * WINDOW_CELLS + HALF_CELLS;
    return w;
}

// A robot stands on ground that somebody has seen, or what it sees nobody has.
static bool is_known(const cairn_raster *raster, const window *w)
{
    for (int64_t y = w->y_mid - HALF_CELLS; y <= w->y_mid + HALF_CELLS; y += PEEK_CELLS) {
        for (int64_t x = w->x_mid - HALF_CELLS; x <= w->x_mid + HALF_CELLS; x += PEEK_CELLS) {
            if (x < 0 || y < 0 || x >= raster->def.width || y >= raster->def.height) { continue; }
            if (raster->ground[(size_t)y * raster->def.width + (size_t)x] != CAIRN_GROUND_UNKNOWN) { return true; }
        }
    }
    return false;
}

static bool are_near(cairn_pose2 a, cairn_pose2 b, double near_m, double near_rad)
{
    return cairn_vec2_distance(cairn_pose2_at(a), cairn_pose2_at(b)) <= near_m &&
           fabs(cairn_angle_between(a.yaw_rad, b.yaw_rad)) <= near_rad;
}

static void add_guess(cairn_search *search, cairn_pose2 map_T_first, double score)
{
    uint32_t at = search->guess_count, worst = 0;
    for (uint32_t i = 0; i < search->guess_count; i++) {
        if (are_near(search->guesses[i].map_T_first, map_T_first, MERGE_M, MERGE_RAD)) { at = i; }
        if (search->guesses[i].score < search->guesses[worst].score) { worst = i; }
    }
    if (at == CAIRN_FINDER_GUESSES) { at = worst; }
    if (at < search->guess_count && search->guesses[at].score >= score) { return; }
    if (at == search->guess_count) { search->guess_count++; }
    search->guesses[at] = (cairn_search_guess){.map_T_first = map_T_first, .score = score};
}

static void look_into(cairn_finder *finder, cairn_search *search, const cairn_raster *raster, const window *w,
                      cairn_pose2 first_T_rows)
{
    const double cell_m = raster->def.cell_m, all = 2.0 * finder->scan->point_count;
    const double sector_rad = 2 * CAIRN_PI / SECTORS;
    const double step_rad =
        fmin(CAIRN_CORRELATIVE_STEP_RAD_MAX,
             fmax(CAIRN_CORRELATIVE_STEP_RAD_MIN, 2 * cell_m / fmax(finder->scan->radius_m, cell_m)));
    const cairn_correlative_window around = {.centre = {raster->def.origin_m.x + cell_m * ((double)w->x_mid + 0.5),
                                                        raster->def.origin_m.y + cell_m * ((double)w->y_mid + 0.5),
                                                        cairn_angle_wrap(sector_rad * w->sector)},
                                             .step_rad = step_rad,
                                             .turn_half = (int32_t)ceil(0.5 * sector_rad / step_rad),
                                             .x_half = HALF_CELLS,
                                             .y_half = HALF_CELLS};
    uint32_t *best = &search->hits_best[search->map_at];
    const uint32_t hits_min = (uint32_t)fmax(SCORE_MIN * all, ALIKE_PART * *best);
    cairn_correlative_peak peak;
    if (!cairn_correlative_search(finder->matcher, finder->ground, finder->scan, &around, hits_min, &peak)) { return; }
    *best = peak.hits > *best ? peak.hits : *best;
    const cairn_pose2 map_T_rows = {around.centre.x_m + cell_m * peak.x, around.centre.y_m + cell_m * peak.y,
                                    cairn_angle_wrap(around.centre.yaw_rad + step_rad * peak.turn)};
    add_guess(search, cairn_pose2_compose(map_T_rows, cairn_pose2_inverse(first_T_rows)), peak.hits / all);
}

// Lays the map in hand on some windows of one part of the raster.
static bool look_on(cairn_finder *finder, cairn_search *search, const cairn_atlas *atlas,
                    const cairn_pose2 *first_T_rows)
{
    const cairn_raster *raster = atlas->raster;
    const uint32_t count = windows_of(search);
    uint32_t left = CAIRN_FINDER_WINDOWS, block = UINT32_MAX;
    for (; left > 0 && search->window_at < count; search->window_at++) {
        const window w = window_at(search, search->window_at);
        if (!is_known(raster, &w)) { continue; }
        if (w.block != block && block != UINT32_MAX) { return true; }
        if (block == UINT32_MAX && (!set_scan(finder, search, atlas, search->map_at) ||
                                    !set_ground(finder, raster, w.x - REACH_CELLS, w.y - REACH_CELLS, ROOM_CELLS))) {
            return false;
        }
        block = w.block;
        left--;
        look_into(finder, search, raster, &w, first_T_rows[search->map_at]);
    }
    if (search->window_at == count) {
        search->window_at = 0;
        search->map_at++;
    }
    return true;
}

// ---- asking all maps

// What one map says of a guess: its score there, less what contradicts, and, without a doubt, where the first map lies
// by it.
static double ask(cairn_finder *finder, cairn_pose2 map_T_first, cairn_pose2 first_T_rows, cairn_pose2 *ret_map_T_first,
                  bool *ret_is_sure)
{
    const cairn_match_prior prior =
        cairn_match_prior_make(cairn_pose2_compose(map_T_first, first_T_rows), ASKED_M, ASKED_RAD);
    cairn_match match;
    cairn_match_correlative(finder->matcher, finder->ground, finder->scan, &prior, &match);
    *ret_is_sure = match.is_trusted;
    *ret_map_T_first = cairn_pose2_compose(match.pose, cairn_pose2_inverse(first_T_rows));
    return fmax(0, match.score - AGAINST * match.contradicted);
}

static bool ask_all(cairn_finder *finder, const cairn_search *search, const cairn_atlas *atlas,
                    const cairn_pose2 *first_T_rows, cairn_search_guess *guess)
{
    const cairn_raster *raster = atlas->raster;
    const cairn_pose2 about = guess->map_T_first;
    cairn_pose2 found[CAIRN_FINDER_MAPS];
    bool sure[CAIRN_FINDER_MAPS];
    double sum = 0;
    for (uint32_t i = 0; i < search->map_count; i++) {
        const cairn_pose2 at = cairn_pose2_compose(about, first_T_rows[i]);
        const int64_t x = (int64_t)floor((at.x_m - raster->def.origin_m.x) / raster->def.cell_m),
                      y = (int64_t)floor((at.y_m - raster->def.origin_m.y) / raster->def.cell_m);
        const uint32_t half = REACH_CELLS + HALF_CELLS;
        sure[i] = false;
        if (!set_scan(finder, search, atlas, i)) { return false; }
        if (set_ground(finder, raster, x - half, y - half, 2 * half)) {
            sum += ask(finder, about, first_T_rows[i], &found[i], &sure[i]);
        }
    }
    guess->score = sum / search->map_count;
    guess->sure_count = 0;
    cairn_pose2 mean = {0, 0, about.yaw_rad};
    for (uint32_t i = 0; i < search->map_count; i++) {
        if (!sure[i]) { continue; }
        const double part = 1.0 / ++guess->sure_count;
        mean.x_m += part * (found[i].x_m - mean.x_m);
        mean.y_m += part * (found[i].y_m - mean.y_m);
        mean.yaw_rad += part * cairn_angle_between(mean.yaw_rad, found[i].yaw_rad);
    }
    for (uint32_t i = 0; i < search->map_count; i++) {
        if (sure[i] && !are_near(found[i], mean, AGREE_M, AGREE_RAD)) { guess->sure_count = 0; }
    }
    if (guess->sure_count > 0) { guess->map_T_first = mean; }
    return true;
}

static cairn_search_news decide(const cairn_search *search, const cairn_atlas *atlas, cairn_search_result *ret_result)
{
    const cairn_search_guess *best = NULL;
    for (uint32_t i = 0; i < search->guess_count; i++) {
        if (best == NULL || search->guesses[i].score > best->score) { best = &search->guesses[i]; }
    }
    ret_result->alike_count = 0;
    if (best == NULL || best->score < FOUND_MIN) { return CAIRN_SEARCH_NOWHERE; }
    ret_result->alike_count = 1;
    for (uint32_t i = 0; i < search->guess_count; i++) {
        const cairn_search_guess *other = &search->guesses[i];
        ret_result->alike_count += other->score > OTHER_MAX * best->score &&
                                   !are_near(other->map_T_first, best->map_T_first, MERGE_M, MERGE_RAD);
    }
    if (ret_result->alike_count > 1) { return CAIRN_SEARCH_ALIKE; }
    if (best->sure_count < MAPS_MIN) { return CAIRN_SEARCH_NOWHERE; }
    const cairn_place *head = &atlas->places->places[search->head];
    const cairn_pose2 private_T_first = private_T_rows(map_of(search, atlas, 0));
    const double far_m = cairn_vec2_distance(cairn_pose2_at(head->private_T_place), cairn_pose2_at(private_T_first));
    ret_result->map_T_last = best->map_T_first;
    ret_result->found = (cairn_atlas_found){
        .map_T_private = cairn_pose2_compose(best->map_T_first, cairn_pose2_inverse(private_T_first)),
        .m_dev = hypot(SURE_M, SURE_RAD * far_m),
        .rad_dev = SURE_RAD};
    return CAIRN_SEARCH_FOUND;
}

static cairn_search_news end(cairn_search *search, cairn_search_news news, cairn_mono now)
{
    search->head = CAIRN_PLACE_NONE;
    search->ended = now;
    return news;
}

cairn_search_news cairn_finder_step(cairn_finder *finder, cairn_search *search, const cairn_atlas *atlas,
                                    cairn_mono now, cairn_search_result *ret_result)
{
    CAIRN_ASSERT(finder != NULL && search != NULL && atlas != NULL && ret_result != NULL);
    if (search->head == CAIRN_PLACE_NONE) { begin(search, atlas, now); }
    if (search->head == CAIRN_PLACE_NONE) { return CAIRN_SEARCH_GOES_ON; }
    *ret_result = (cairn_search_result){.head = search->head};
    cairn_pose2 first_T_rows[CAIRN_FINDER_MAPS];
    if (!take_maps(search, atlas, first_T_rows)) { return end(search, CAIRN_SEARCH_NOWHERE, now); }
    if (search->map_at < search->map_count) {
        return look_on(finder, search, atlas, first_T_rows) ? CAIRN_SEARCH_GOES_ON
                                                            : end(search, CAIRN_SEARCH_NOWHERE, now);
    }
    for (uint32_t i = 0; i < GUESSES_ASKED && search->asked_count < search->guess_count; i++, search->asked_count++) {
        if (!ask_all(finder, search, atlas, first_T_rows, &search->guesses[search->asked_count])) {
            return end(search, CAIRN_SEARCH_NOWHERE, now);
        }
    }
    if (search->asked_count < search->guess_count) { return CAIRN_SEARCH_GOES_ON; }
    return end(search, decide(search, atlas, ret_result), now);
}

// ---- saved

static void walk_guess(cairn_archive *archive, cairn_search_guess *guess)
{
    cairn_archive_pose(archive, &guess->map_T_first);
    cairn_archive_double(archive, &guess->score, 0, 1);
    cairn_archive_count(archive, &guess->sure_count, CAIRN_FINDER_MAPS);
}

static bool is_sound(const cairn_search *search, const cairn_atlas *atlas)
{
    const cairn_places *places = atlas->places;
    const cairn_raster_def *raster = &atlas->raster->def;
    if (search->head == CAIRN_PLACE_NONE) { return true; }
    const bool starts = search->head < places->graph->node_count && places->places[search->head].is_apart &&
                        cairn_places_starts_frame(places, search->head);
    const bool lies = search->width > 0 && search->height > 0 && search->x_min < raster->width &&
                      search->width <= raster->width && search->y_min < raster->height &&
                      search->height <= raster->height;
    return starts && lies && search->map_count >= MAPS_MIN && search->window_at <= windows_of(search) &&
           search->asked_count <= search->guess_count;
}

void cairn_search_walk(cairn_archive *archive, cairn_search *search, const cairn_atlas *atlas)
{
    cairn_archive_section(archive, "search");
    cairn_archive_u32(archive, &search->head);
    cairn_archive_u32(archive, &search->last_head);
    cairn_archive_u32(archive, &search->told_head);
    cairn_archive_mono(archive, &search->ended);
    cairn_archive_count(archive, &search->map_count, CAIRN_FINDER_MAPS);
    cairn_archive_u32(archive, &search->x_min);
    cairn_archive_u32(archive, &search->y_min);
    cairn_archive_u32(archive, &search->width);
    cairn_archive_u32(archive, &search->height);
    cairn_archive_count(archive, &search->map_at, CAIRN_FINDER_MAPS);
    cairn_archive_u32(archive, &search->window_at);
    cairn_archive_u32(archive, &search->asked_count);
    for (uint32_t i = 0; i < CAIRN_FINDER_MAPS; i++) {
        cairn_archive_u32(archive, &search->nodes[i]);
        cairn_archive_u32(archive, &search->hits_best[i]);
    }
    cairn_archive_count(archive, &search->guess_count, CAIRN_FINDER_GUESSES);
    for (uint32_t i = 0; i < search->guess_count; i++) { walk_guess(archive, &search->guesses[i]); }
    if (cairn_archive_loads(archive) && !is_sound(search, atlas)) { cairn_archive_fail(archive); }
}
