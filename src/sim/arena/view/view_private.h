// view_private.h - what the files of view.c share: flat convex faces in space, and a raster that keeps the nearest.
#pragma once
#include "sim/arena/view/view.h"

enum { CAIRN_FACE_CORNERS_MAX = 9 }; // a rectangle, cut by the floor's four sides and by a height

// A flat convex piece of surface.
typedef struct cairn_face {
    uint32_t first_corner; // in the scene's corners
    uint8_t corner_count;
    bool gridded;   // floor: metre lines are drawn on it
    bool by_height; // ground: coloured by height, cairn_ground_ink
    bool smooth;    // part of a curved surface: no lines between it and its like
    bool painted;   // a sign on the ground: throws no shade
    cairn_ink ink;  // in full light
    float normal[3];
    float offset_m; // of its plane: normal . point
} cairn_face;

typedef struct cairn_view_scene {
    cairn_face *faces;
    cairn_vec3 *corners_m;
    uint32_t face_count, face_max, corner_count, corner_max;
    cairn_vec3 low_m, high_m; // what the picture has to show
    cairn_face nothing;       // stands in for what was cut away: written, never read
    double cut_above_m;
    double sign_m; // how large signs on the ground are drawn: a robot, or more where that would be too small to see
} cairn_view_scene;

// scene.c: how much room a scene needs at most; its bounds; the scene itself.
void cairn_view_scene_count(const cairn_sim_arena *arena, uint32_t *ret_faces, uint32_t *ret_corners);
void cairn_view_scene_bounds(const cairn_sim_arena *arena, double cut_above_m, cairn_vec3 *ret_low_m,
                             cairn_vec3 *ret_high_m);
// `scene` has its arrays, cut_above_m and sign_m.
void cairn_view_scene_fill(cairn_view_scene *scene, const cairn_sim_arena *arena);
// Of an arena's ground alone: ground solids, but those that `left_out` says, and height fields.
void cairn_view_scene_ground(cairn_view_scene *scene, const cairn_sim_arena *arena,
                             bool (*left_out)(const cairn_solid *solid));

// A window of samples. Sample (x, y) of the window lies at column + x, row + y of the whole raster.
typedef struct cairn_raster {
    uint32_t width, height;
    int32_t column, row;
    float *near;     // greater is nearer
    uint32_t *faces; // which one is seen; NULL: not kept
} cairn_raster;

#define CAIRN_FACE_NONE UINT32_MAX

// A face on a raster. Nearness is nx x + ny y + n0 in samples of the whole raster, exactly, for it is flat.
typedef struct cairn_flat {
    cairn_vec2 corners[CAIRN_FACE_CORNERS_MAX];
    uint32_t corner_count;
    double nx, ny, n0;
} cairn_flat;

// raster.c
void cairn_raster_clear(cairn_raster *raster);
void cairn_raster_fill(cairn_raster *raster, const cairn_flat *flat, uint32_t face);

// From far away along -z of a turned frame: for shade, and for how high things are. Nearness is the distance along
// `towards`, in metres.
typedef struct cairn_far_eye {
    cairn_vec3 right, up, towards; // unit
    cairn_vec2 low_m;              // of the raster's corner, along right and up
    double sample_m;
} cairn_far_eye;

cairn_far_eye cairn_far_eye_of(const cairn_view_scene *scene, cairn_vec3 towards, uint32_t side, double sample_m_min);
cairn_flat cairn_far_eye_flat(const cairn_far_eye *eye, const cairn_view_scene *scene, const cairn_face *face);

// light.c: how much light comes to places: from a sun behind the eye's left shoulder, with shade, and from the sky.
typedef struct cairn_view_light {
    cairn_vec3 to_sun; // unit
    cairn_far_eye sun, above;
    uint32_t side;                // of both rasters
    float *sun_near, *above_near; // nearest to the sun; highest
} cairn_view_light;

#define CAIRN_VIEW_LIGHT_SIDE 2560u // more: sharper shade, more memory (8 bytes for its square)

// Takes its rasters from `work`. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_view_light_init(cairn_view_light *light, const cairn_view_scene *scene,
                                              double eye_azimuth_rad, cairn_workers *workers, cairn_arena *work);
// [-] About 0.4 in deep shade to 1.1 for what faces the sun.
double cairn_view_light_at(const cairn_view_light *light, cairn_vec3 at_m, cairn_vec3 normal);

// shade.c: draws the scene, a tile after the other. Takes what it needs from `work`.
CAIRN_CHECKED cairn_err cairn_view_shade(const cairn_view_scene *scene, const cairn_view_camera *camera,
                                         const cairn_view_light *light, cairn_workers *workers, cairn_arena *work,
                                         cairn_picture *picture);
