/* Affine maps of one substep, in double. */
#include "integrators/scheme.h"

mote_exact_map mote_map_free(double h) { return (mote_exact_map){0, h, 0, 0, 0, 0}; }

/* Solves v1 = v + h (C + B v1 + K x1), x1 = x + h v1 for the differences x1 - x and v1 - v. */
static mote_exact_map implicit_euler(double constant, double damping, double stiffness, double h) {
    double scale = h / (1.0 - h * damping - h * h * stiffness);
    double vx = scale * stiffness, vv = scale * (damping + h * stiffness), vc = scale * constant;
    return (mote_exact_map){h * vx, h + h * vv, h * vc, vx, vv, vc};
}

mote_exact_map mote_map_make(mote_map_kind kind, double constant, double damping, double stiffness,
                             double h) {
    if (kind == MOTE_MAP_IMPLICIT_EULER) return implicit_euler(constant, damping, stiffness, h);
    mote_exact_map m = mote_propagator_make(damping, stiffness, h);
    m.xc *= constant, m.vc *= constant;
    if (kind == MOTE_MAP_KINEMATIC_AVERAGE) {
        m.xx = 0.5 * h * m.vx;
        m.xv = h + 0.5 * h * m.vv;
        m.xc = 0.5 * h * m.vc;
    }
    return m;
}

void mote_map_add(mote_exact_map *sum, const mote_exact_map *term, double h) {
    sum->xx += term->xx;
    sum->xv += term->xv - h;
    sum->xc += term->xc;
    sum->vx += term->vx;
    sum->vv += term->vv;
    sum->vc += term->vc;
}

mote_map mote_map_round(const mote_exact_map *m) {
    return (mote_map){(float)m->xx, (float)m->xv, (float)m->xc, (float)m->vx, (float)m->vv, (float)m->vc};
}
