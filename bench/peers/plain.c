/* The plain loop, written as well as one can: blocks of 16 bodies, two of them side by side, in registers for
 * all substeps before the next; chains 16 across lanes. Compiled by several compilers, PLAIN is the peer's
 * name.
 */
#include "peer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, SIDE_BY_SIDE = 2, MOST_POINTS = 64 };
#define INLINED   static inline __attribute__((always_inline))
#define EACH_AXIS _Pragma("GCC unroll 4") for (int i = 0; i < 3; i++)
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

typedef struct body {
    lanes x[3], v[3];
} body;

typedef struct plain_state {
    peer_work work;
    unsigned kind;
    uint32_t groups; /* bodies of lanes: a group of chains is `points` of them */
    body *bodies;
} plain_state;

static inline lanes all(float x) { return (lanes){0} + x; }

static inline lanes root(lanes x) {
    for (int k = 0; k < LANES; k++) x[k] = sqrtf(x[k]);
    return x;
}

static inline lanes square(const lanes d[3]) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

/* --- Loose bodies --- */

/* pulls, drags: constants where this is inlined. */
INLINED void accelerate(const peer_work *w, bool pulls, bool drags, const body *at, lanes a[3]) {
    lanes d[3], f = all(0);
    if (pulls) {
        EACH_AXIS d[i] = w->centre[i] - at->x[i];
        const lanes q = square(d) + w->softness * w->softness;
        f = w->strength / (q * root(q));
    }
    EACH_AXIS {
        a[i] = all(w->gravity[i] + w->drag * w->wind[i]);
        if (drags) a[i] -= w->drag * at->v[i];
        if (pulls) a[i] += f * d[i];
    }
}

INLINED void euler_substep(const peer_work *w, bool pulls, bool drags, body *b) {
    lanes a[3];
    accelerate(w, pulls, drags, b, a);
    EACH_AXIS b->v[i] += w->h * a[i], b->x[i] += w->h * b->v[i];
}

INLINED void rk4_substep(const peer_work *w, bool pulls, bool drags, body *b) {
    static const float next[4] = {0.5f, 0.5f, 1, 0}, weight[4] = {1 / 6.f, 1 / 3.f, 1 / 3.f, 1 / 6.f};
    body at = *b, sum;
    EACH_AXIS sum.x[i] = sum.v[i] = all(0);
#pragma GCC unroll 4
    for (int stage = 0; stage < 4; stage++) {
        lanes a[3], v[3];
        accelerate(w, pulls, drags, &at, a);
        EACH_AXIS {
            v[i] = at.v[i];
            sum.x[i] += weight[stage] * v[i], sum.v[i] += weight[stage] * a[i];
            at.x[i] = b->x[i] + next[stage] * w->h * v[i], at.v[i] = b->v[i] + next[stage] * w->h * a[i];
        }
    }
    EACH_AXIS b->x[i] += w->h * sum.x[i], b->v[i] += w->h * sum.v[i];
}

INLINED void copy(body *to, const body *from) { EACH_AXIS to->x[i] = from->x[i], to->v[i] = from->v[i]; }

INLINED void substep(const peer_work *w, bool pulls, bool drags, bool rk4, body b[SIDE_BY_SIDE]) {
#pragma GCC unroll 4
    for (int u = 0; u < SIDE_BY_SIDE; u++)
        rk4 ? rk4_substep(w, pulls, drags, &b[u]) : euler_substep(w, pulls, drags, &b[u]);
}

INLINED void step_loose(const plain_state *s, bool pulls, bool drags, bool rk4) {
    const peer_work w = s->work;
    for (uint32_t g = 0; g < s->groups; g += SIDE_BY_SIDE) {
        body b[SIDE_BY_SIDE];
        for (int u = 0; u < SIDE_BY_SIDE; u++) copy(&b[u], &s->bodies[g + (uint32_t)u]);
        for (uint32_t k = 0; k < w.substeps; k++) substep(&w, pulls, drags, rk4, b);
        for (int u = 0; u < SIDE_BY_SIDE; u++) copy(&s->bodies[g + (uint32_t)u], &b[u]);
    }
}

/* --- Chains by RK4 --- */

static void slopes(const peer_work *w, const body *at, lanes (*a)[3]) {
    for (uint32_t k = 0; k < w->points; k++) EACH_AXIS a[k][i] = all(w->gravity[i]);
    for (uint32_t k = 0; k + 1 < w->points; k++) {
        lanes d[3], rate = all(0);
        EACH_AXIS d[i] = at[k + 1].x[i] - at[k].x[i];
        const lanes length = root(square(d)), inverse = 1 / length;
        EACH_AXIS rate += (at[k + 1].v[i] - at[k].v[i]) * d[i];
        const lanes f = (w->stiffness * (length - w->rest) + w->damping * rate * inverse) * inverse;
        EACH_AXIS a[k][i] += f * d[i], a[k + 1][i] -= f * d[i];
    }
}

static void step_chains(const plain_state *s) {
    static const float next[4] = {0.5f, 0.5f, 1, 0}, weight[4] = {1 / 6.f, 1 / 3.f, 1 / 3.f, 1 / 6.f};
    const peer_work w = s->work;
    static body at[MOST_POINTS], sum[MOST_POINTS];
    static lanes a[MOST_POINTS][3];
    for (uint32_t g = 0; g < s->groups; g += w.points)
        for (uint32_t step = 0; step < 4 * w.substeps; step++) {
            const uint32_t stage = step % 4;
            body *b = s->bodies + g;
            slopes(&w, stage ? at : b, a);
            for (uint32_t k = 0; k < w.points; k++) EACH_AXIS {
                    const lanes v = stage ? at[k].v[i] : b[k].v[i];
                    sum[k].x[i] = (stage ? sum[k].x[i] : all(0)) + weight[stage] * v;
                    sum[k].v[i] = (stage ? sum[k].v[i] : all(0)) + weight[stage] * a[k][i];
                    at[k].x[i] = b[k].x[i] + next[stage] * w.h * v;
                    at[k].v[i] = b[k].v[i] + next[stage] * w.h * a[k][i];
                    if (stage == 3) b[k].x[i] += w.h * sum[k].x[i], b[k].v[i] += w.h * sum[k].v[i];
                }
        }
}

/* --- The peer --- */

static void plain_frame(void *user) {
    const plain_state *s = user;
    const bool pulls = s->work.strength > 0, drags = s->work.drag > 0, rk4 = s->kind == PEER_RK4;
    if (s->kind == PEER_CHAINS) step_chains(s);
    /* Each call has constants in its loop. */
    else if (rk4)
        pulls &&drags ? step_loose(s, true, true, true)
        : pulls       ? step_loose(s, true, false, true)
                      : step_loose(s, false, true, true);
    else
        pulls &&drags ? step_loose(s, true, true, false)
        : pulls       ? step_loose(s, true, false, false)
                      : step_loose(s, false, true, false);
}

/* Point k of chain c is body k of its group, in lane c % LANES. */
static body *body_of(const plain_state *s, uint32_t i, uint32_t *lane) {
    const uint32_t points = s->work.points, chain = i / points;
    *lane = chain % LANES;
    return s->bodies + chain / LANES * points + i % points;
}

static void *plain_open(const void *work, unsigned kind) {
    plain_state *s = malloc(sizeof *s);
    if (!s) abort();
    s->work = *(const peer_work *)work, s->kind = kind;
    const uint32_t points = s->work.points, wide = LANES * SIDE_BY_SIDE,
                   chains = (s->work.count / points + wide - 1) / wide * wide;
    s->groups = chains / LANES * points;
    s->bodies = aligned_alloc(64, s->groups * sizeof(body));
    if (!s->bodies) abort();
    for (uint32_t i = 0; i < chains * points; i++) { /* lanes that are left over repeat the first chain */
        uint32_t lane, from = i < s->work.count ? i : i % points;
        body *b = body_of(s, i, &lane);
        for (int axis = 0; axis < 3; axis++)
            b->x[axis][lane] = s->work.positions[from][axis],
            b->v[axis][lane] = s->work.velocities[from][axis];
    }
    return s;
}

static void plain_place(const void *user, uint32_t i, float place[3]) {
    uint32_t lane;
    const body *b = body_of(user, i, &lane);
    for (int axis = 0; axis < 3; axis++) place[axis] = b->x[axis][lane];
}

static void plain_close(void *user) {
    free(((plain_state *)user)->bodies);
    free(user);
}

const bench_peer PLAIN = {
    PLAIN_NAME,
    "blocks of 2 x 16 bodies stay in registers for all substeps; chains 16 across lanes, a "
    "pass a stage",
    PEER_EULER | PEER_RK4 | PEER_CHAINS,
    plain_open,
    plain_frame,
    plain_place,
    plain_close};
