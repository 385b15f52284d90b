// The ellipsoid is laid on a sphere that keeps angles (conformal latitude), that on a cylinder around the zone's
// middle, and a series in the third flattening straightens the meridian's length. Everything follows from the two
// series.
#include "maps/files/utm.h"
#include "base/status.h"
#include <complex.h>

#define RADIUS_M 6378137.0
#define FLATTENING (1 / 298.257223563)
#define SCALE_MIDDLE 0.9996
#define EASTING_M_MIDDLE 500e3
#define NORTHING_M_SOUTH 10000e3
#define DEG (CAIRN_PI / 180)
enum { ORDER = 6, FROM_MIDDLE_DEG_MAX = 10 };

typedef struct series {
    double radius_m; // of the rectifying sphere
    double alpha[ORDER], beta[ORDER];
} series;

static series wgs84_series(void)
{
    const double n = FLATTENING / (2 - FLATTENING), n2 = n * n, n3 = n2 * n, n4 = n3 * n, n5 = n4 * n, n6 = n5 * n;
    return (series){
        .radius_m = RADIUS_M / (1 + n) * (1 + n2 / 4 + n4 / 64 + n6 / 256),
        .alpha = {n / 2 - 2 * n2 / 3 + 5 * n3 / 16 + 41 * n4 / 180 - 127 * n5 / 288 + 7891 * n6 / 37800,
                  13 * n2 / 48 - 3 * n3 / 5 + 557 * n4 / 1440 + 281 * n5 / 630 - 1983433 * n6 / 1935360,
                  61 * n3 / 240 - 103 * n4 / 140 + 15061 * n5 / 26880 + 167603 * n6 / 181440,
                  49561 * n4 / 161280 - 179 * n5 / 168 + 6601661 * n6 / 7257600,
                  34729 * n5 / 80640 - 3418889 * n6 / 1995840, 212378941 * n6 / 319334400},
        .beta = {n / 2 - 2 * n2 / 3 + 37 * n3 / 96 - n4 / 360 - 81 * n5 / 512 + 96199 * n6 / 604800,
                 n2 / 48 + n3 / 15 - 437 * n4 / 1440 + 46 * n5 / 105 - 1118711 * n6 / 3870720,
                 17 * n3 / 480 - 37 * n4 / 840 - 209 * n5 / 4480 + 5569 * n6 / 90720,
                 4397 * n4 / 161280 - 11 * n5 / 504 - 830251 * n6 / 7257600, 4583 * n5 / 161280 - 108847 * n6 / 3991680,
                 20648693 * n6 / 638668800},
    };
}

static double eccentricity(void) { return sqrt(FLATTENING * (2 - FLATTENING)); }

// The tangent of the conformal latitude from that of the latitude.
static double conformal_tan(double tan_latitude)
{
    const double e = eccentricity(), sine = tan_latitude / hypot(1, tan_latitude), sigma = sinh(e * atanh(e * sine));
    return tan_latitude * hypot(1, sigma) - sigma * hypot(1, tan_latitude);
}

// The inverse, by Newton's method: three rounds reach the last bit, five are sure.
static double latitude_tan(double tan_conformal)
{
    const double e2 = FLATTENING * (2 - FLATTENING);
    double t = tan_conformal / (1 - e2);
    for (int i = 0; i < 5; i++) {
        const double is = conformal_tan(t);
        t += (tan_conformal - is) / hypot(1, is) * (1 + (1 - e2) * t * t) / ((1 - e2) * hypot(1, t));
    }
    return t;
}

// Convergence and scale at a latitude, so far from the zone's middle; spherical is the point before the series.
static void add_shape(cairn_utm *utm, const series *s, double tan_latitude, double from_middle_rad,
                      double complex spherical)
{
    double complex slope = 1;
    for (int i = 0; i < ORDER; i++) { slope += 2 * (i + 1) * s->alpha[i] * ccos(2 * (i + 1) * spherical); }
    const double tau = conformal_tan(tan_latitude), e2 = FLATTENING * (2 - FLATTENING);
    utm->convergence_rad = atan(tau / hypot(1, tau) * tan(from_middle_rad)) - carg(slope);
    const double latitude = atan(tan_latitude), sine = sin(latitude);
    utm->scale = SCALE_MIDDLE * s->radius_m / RADIUS_M * cabs(slope) * sqrt(1 - e2 * sine * sine) *
                 hypot(1, tan_latitude) / hypot(tau, cos(from_middle_rad));
}

static double middle_deg(uint32_t zone) { return 6.0 * zone - 183; }

static double from_middle_deg(uint32_t zone, double longitude_deg)
{
    return remainder(longitude_deg - middle_deg(zone), 360);
}

static cairn_utm in_zone(uint32_t zone, bool south, double latitude_deg, double longitude_deg)
{
    CAIRN_ASSERT(latitude_deg >= CAIRN_UTM_LATITUDE_DEG_MIN && latitude_deg <= CAIRN_UTM_LATITUDE_DEG_MAX);
    CAIRN_ASSERT(longitude_deg >= -180 && longitude_deg <= 180);
    cairn_utm utm = {.zone = zone, .south = south};
    const double from_middle = from_middle_deg(zone, longitude_deg) * DEG;
    const double tan_latitude = tan(latitude_deg * DEG), tau = conformal_tan(tan_latitude);
    const series s = wgs84_series();
    const double complex spherical =
        atan2(tau, cos(from_middle)) + I * asinh(sin(from_middle) / hypot(tau, cos(from_middle)));
    double complex straight = spherical;
    for (int i = 0; i < ORDER; i++) { straight += s.alpha[i] * csin(2 * (i + 1) * spherical); }
    utm.easting_m = EASTING_M_MIDDLE + SCALE_MIDDLE * s.radius_m * cimag(straight);
    utm.northing_m = (utm.south ? NORTHING_M_SOUTH : 0) + SCALE_MIDDLE * s.radius_m * creal(straight);
    add_shape(&utm, &s, tan_latitude, from_middle, spherical);
    return utm;
}

cairn_utm cairn_utm_of(double latitude_deg, double longitude_deg)
{
    const double longitude = longitude_deg < 180 ? longitude_deg : -180;
    return in_zone((uint32_t)floor((longitude + 180) / 6) + 1, latitude_deg < 0, latitude_deg, longitude);
}

bool cairn_utm_beside(const cairn_utm *other, double latitude_deg, double longitude_deg, cairn_utm *ret_utm)
{
    CAIRN_ASSERT(other != NULL && other->zone >= 1 && other->zone <= 60 && ret_utm != NULL);
    if (fabs(from_middle_deg(other->zone, longitude_deg)) > FROM_MIDDLE_DEG_MAX) { return false; }
    *ret_utm = in_zone(other->zone, other->south, latitude_deg, longitude_deg);
    return true;
}

bool cairn_utm_place(cairn_utm *utm, double *ret_latitude_deg, double *ret_longitude_deg)
{
    CAIRN_ASSERT(utm != NULL && utm->zone >= 1 && utm->zone <= 60);
    const series s = wgs84_series();
    const double to_sphere = 1 / (SCALE_MIDDLE * s.radius_m);
    const double north = (utm->northing_m - (utm->south ? NORTHING_M_SOUTH : 0)) * to_sphere;
    const double east = (utm->easting_m - EASTING_M_MIDDLE) * to_sphere;
    if (!(fabs(north) < CAIRN_PI / 2 && fabs(east) < 0.2)) { return false; }
    const double complex straight = north + I * east;
    double complex spherical = straight;
    for (int i = 0; i < ORDER; i++) { spherical -= s.beta[i] * csin(2 * (i + 1) * straight); }
    const double along = sinh(cimag(spherical)), up = sin(creal(spherical)), across = cos(creal(spherical));
    const double from_middle = atan2(along, across), tan_latitude = latitude_tan(up / hypot(along, across));
    const double latitude = atan(tan_latitude) / DEG;
    if (fabs(from_middle) > FROM_MIDDLE_DEG_MAX * DEG || latitude < CAIRN_UTM_LATITUDE_DEG_MIN ||
        latitude > CAIRN_UTM_LATITUDE_DEG_MAX) {
        return false;
    }
    const double longitude = middle_deg(utm->zone) + from_middle / DEG;
    *ret_latitude_deg = latitude;
    *ret_longitude_deg = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
    add_shape(utm, &s, tan_latitude, from_middle, spherical);
    return true;
}
