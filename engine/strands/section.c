/* Stiffnesses of a section: an ellipse of semi-axes a >= b, with a hole of the same proportions or without.
 * Second moment of area pi a b^3 / 4, torsion constant pi a^3 b^3 / (a^2 + b^2), shear modulus
 * E / (2 (1 + nu)); a hole takes its own away. For the torsion that is exact, because the lines of equal
 * stress function are ellipses of these proportions. */
#include <float.h>
#include <math.h>

#include <mote/rod.h>

#include "base/check.h"
#include "base/fpu.h"

#define PI 3.14159265358979323846

#define COOKIE 0x726f6473u

mote_rod_def mote_default_rod_def(void) {
    return (mote_rod_def){.cookie = COOKIE, .young = 4e9, .poisson = 0.35, .density = 1300, .radius = 40e-6};
}

static mote_result check(const mote_rod_def *rod, const char **parameter) {
    if (rod->cookie != COOKIE) return mote_named(parameter, "cookie", MOTE_ERROR_DEF);
    const struct {
        const char *name;
        double value;
        bool possible;
    } row[] = {
        {"young", rod->young, rod->young >= 0},
        {"poisson", rod->poisson, rod->poisson > -1 && rod->poisson <= 0.5},
        {"density", rod->density, rod->density > 0},
        {"radius", rod->radius, rod->radius > 0},
        {"hole_radius", rod->hole_radius, rod->hole_radius >= 0 && rod->hole_radius < rod->radius},
        {"short_radius", rod->short_radius, rod->short_radius >= 0 && rod->short_radius <= rod->radius}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        *parameter = row[i].name;
        if (!isfinite(row[i].value)) return MOTE_ERROR_NOT_FINITE;
        if (!row[i].possible) return MOTE_ERROR_RANGE;
    }
    *parameter = NULL;
    return MOTE_OK;
}

/* Returns whether a value is a normal float, or 0 where that is possible. */
static bool fits(double value, bool zero) {
    return (value >= (double)FLT_MIN && value <= (double)FLT_MAX) || (zero && value == 0);
}

static mote_result compute(const mote_rod_def *rod, mote_rod_section *section, const char **parameter) {
    const double outer = rod->radius * rod->radius, inner = rod->hole_radius * rod->hole_radius;
    const double share = rod->short_radius > 0 ? rod->short_radius / rod->radius : 1, square = share * share;
    const double area = PI * (outer - inner) * share, ratio = 1 / square;
    const double bending = 0.25 * rod->young * area * (outer + inner) * square;
    const double twisting = bending / (1 + rod->poisson) * (2 / (1 + square)), mass = rod->density * area;
    *parameter = "short_radius";
    if (!fits(ratio, false)) return MOTE_ERROR_RANGE;
    *parameter = "radius";
    if (!fits(mass, false)) return MOTE_ERROR_RANGE;
    *parameter = "young";
    if (!fits(bending, rod->young == 0) || !fits(twisting, rod->young == 0)) return MOTE_ERROR_RANGE;
    *parameter = NULL;
    *section = (mote_rod_section){(float)bending, (float)twisting, (float)mass, (float)ratio};
    return MOTE_OK;
}

mote_result mote_rod_section_of(const mote_rod_def *rod, mote_rod_section *section, const char **parameter) {
    const char *ignored;
    parameter = mote_name_cleared(parameter, &ignored);
    if (!rod || !section) return MOTE_ERROR_NULL;
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check(rod, parameter);
    if (result == MOTE_OK) result = compute(rod, section, parameter);
    mote_fpu_leave(saved);
    return result;
}
