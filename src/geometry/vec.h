// vec.h - points and directions in the plane and in space, metres unless a name says otherwise.
#pragma once
#include <math.h>

#define CAIRN_PI 3.14159265358979323846

typedef struct cairn_vec2 {
    double x, y;
} cairn_vec2;

typedef struct cairn_vec3 {
    double x, y, z;
} cairn_vec3;

static inline cairn_vec2 cairn_vec2_add(cairn_vec2 a, cairn_vec2 b) { return (cairn_vec2){a.x + b.x, a.y + b.y}; }
static inline cairn_vec2 cairn_vec2_sub(cairn_vec2 a, cairn_vec2 b) { return (cairn_vec2){a.x - b.x, a.y - b.y}; }
static inline cairn_vec2 cairn_vec2_scale(cairn_vec2 a, double by) { return (cairn_vec2){a.x * by, a.y * by}; }
static inline double cairn_vec2_dot(cairn_vec2 a, cairn_vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double cairn_vec2_cross(cairn_vec2 a, cairn_vec2 b) { return a.x * b.y - a.y * b.x; }
static inline double cairn_vec2_length(cairn_vec2 a) { return sqrt(a.x * a.x + a.y * a.y); }
static inline double cairn_vec2_distance(cairn_vec2 a, cairn_vec2 b) { return cairn_vec2_length(cairn_vec2_sub(b, a)); }

static inline cairn_vec3 cairn_vec3_add(cairn_vec3 a, cairn_vec3 b)
{
    return (cairn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline cairn_vec3 cairn_vec3_sub(cairn_vec3 a, cairn_vec3 b)
{
    return (cairn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline cairn_vec3 cairn_vec3_scale(cairn_vec3 a, double by)
{
    return (cairn_vec3){a.x * by, a.y * by, a.z * by};
}
static inline double cairn_vec3_dot(cairn_vec3 a, cairn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline cairn_vec3 cairn_vec3_cross(cairn_vec3 a, cairn_vec3 b)
{
    return (cairn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double cairn_vec3_length(cairn_vec3 a) { return sqrt(cairn_vec3_dot(a, a)); }
