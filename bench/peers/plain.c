/* The plain loop, written as well as one can: registers of bodies, some of them side by side, for all
 * substeps before the next ones; chains across lanes. Compiled by several compilers, PLAIN is the peer's
 * name.
 */
#include "peer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined __AVX512F__
enum { LANES = 16 };
#elif defined __AVX__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
/* Registers side by side: two where a frame has one substep and waits for memory (with four 0.6 to 0.9 of the
 * speed), else four (1.05 to 1.35 times the speed of two; measured). The first case fetches bodies AHEAD (1.1
 * to 1.3 times the speed). */
enum { ONCE = 2, MOST_SIDE_BY_SIDE = 4, MOST_POINTS = 64, AHEAD = 64 };
#define INLINED   static inline __attribute__((always_inline))
#define EACH_AXIS _Pragma("GCC unroll 4") for (int i = 0; i < 3; i++)
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t mask __attribute__((vector_size(LANES * sizeof(float)))); /* -1 or 0, of a comparison */

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

/* a where the mask is set, else b. */
static inline lanes choose(mask which, lanes a, lanes b) {
    return (lanes)(((mask)a & which) | ((mask)b & ~which));
}

static inline lanes least_of(lanes a, lanes b) { return choose(a < b, a, b); }
static inline lanes most_of(lanes a, lanes b) { return choose(a < b, b, a); }

static inline lanes size_of(lanes x) { return most_of(x, -x); }

static inline lanes square(const lanes d[3]) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

/* --- Loose bodies --- */

/* Terms of the acceleration, constants where these are inlined. */
enum { PULLS = 1, DRAGS = 2, MIXES = 4 };

/* 1 at the depth `inside` below a face, a smoothstep over the falloff outside. */
static inline lanes edge(lanes inside, float falloff) {
    const lanes s = least_of(all(1), most_of(all(0), (inside + falloff) / falloff));
    return s * s * (3 - 2 * s);
}

/* Spring, attractors, quadratic drag and the box. */
INLINED void add_mixture(const peer_work *w, const body *at, lanes a[3]) {
    const peer_mixture *m = &w->mixture;
    lanes d[3], inside = all(1);
    EACH_AXIS a[i] += m->stiffness * (m->anchor[i] - at->x[i]);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        EACH_AXIS d[i] = m->centre[k][i] - at->x[i];
        const lanes q = square(d) + w->softness * w->softness, f = w->strength / (q * root(q));
        EACH_AXIS a[i] += f * d[i];
    }
    EACH_AXIS d[i] = m->air[i] - at->v[i];
    const lanes drag =
        least_of(m->drag * root(square(d)), all(1 / w->h - w->drag)); /* both at most stop a body */
    EACH_AXIS a[i] += drag * d[i];
    EACH_AXIS inside *= edge(m->extent[i] - size_of(at->x[i] - m->middle[i]), m->falloff);
    EACH_AXIS a[i] += inside * m->lift[i];
}

INLINED void accelerate(const peer_work *w, unsigned terms, const body *at, lanes a[3]) {
    lanes d[3], f = all(0);
    if (terms & PULLS) {
        EACH_AXIS d[i] = w->centre[i] - at->x[i];
        const lanes q = square(d) + w->softness * w->softness;
        f = w->strength / (q * root(q));
    }
    EACH_AXIS {
        a[i] = all(w->gravity[i] + w->drag * w->wind[i]);
        if (terms & DRAGS) a[i] -= w->drag * at->v[i];
        if (terms & PULLS) a[i] += f * d[i];
    }
    if (terms & MIXES) add_mixture(w, at, a);
}

INLINED void euler_substep(const peer_work *w, unsigned terms, body *b) {
    lanes a[3];
    accelerate(w, terms, b, a);
    EACH_AXIS b->v[i] += w->h * a[i], b->x[i] += w->h * b->v[i];
}

INLINED void rk4_substep(const peer_work *w, unsigned terms, body *b) {
    static const float next[4] = {0.5f, 0.5f, 1, 0}, weight[4] = {1 / 6.f, 1 / 3.f, 1 / 3.f, 1 / 6.f};
    body at = *b, sum;
    EACH_AXIS sum.x[i] = sum.v[i] = all(0);
#pragma GCC unroll 4
    for (int stage = 0; stage < 4; stage++) {
        lanes a[3], v[3];
        accelerate(w, terms, &at, a);
        EACH_AXIS {
            v[i] = at.v[i];
            sum.x[i] += weight[stage] * v[i], sum.v[i] += weight[stage] * a[i];
            at.x[i] = b->x[i] + next[stage] * w->h * v[i], at.v[i] = b->v[i] + next[stage] * w->h * a[i];
        }
    }
    EACH_AXIS b->x[i] += w->h * sum.x[i], b->v[i] += w->h * sum.v[i];
}

INLINED void copy(body *to, const body *from) { EACH_AXIS to->x[i] = from->x[i], to->v[i] = from->v[i]; }

INLINED void substep(const peer_work *w, unsigned terms, bool rk4, uint32_t side, body *b) {
#pragma GCC unroll 4
    for (uint32_t u = 0; u < side; u++) rk4 ? rk4_substep(w, terms, &b[u]) : euler_substep(w, terms, &b[u]);
}

/* side: registers side by side. */
INLINED void step_side(const plain_state *s, unsigned terms, bool rk4, uint32_t side) {
    const peer_work w = s->work;
    for (uint32_t g = 0; g < s->groups; g += side) {
        body b[MOST_SIDE_BY_SIDE];
        for (size_t line = 0; w.substeps == 1 && line < side * sizeof(body); line += 64)
            __builtin_prefetch((const char *)&s->bodies[g + AHEAD] + line, 1);
#pragma GCC unroll 4
        for (uint32_t u = 0; u < side; u++) copy(&b[u], &s->bodies[g + u]);
        for (uint32_t k = 0; k < w.substeps; k++) substep(&w, terms, rk4, side, b);
#pragma GCC unroll 4
        for (uint32_t u = 0; u < side; u++) copy(&s->bodies[g + u], &b[u]);
    }
}

INLINED void step_loose(const plain_state *s, unsigned terms, bool rk4) {
    if (s->work.substeps == 1)
        step_side(s, terms, rk4, ONCE);
    else
        step_side(s, terms, rk4, MOST_SIDE_BY_SIDE);
}

/* --- Chains by RK4 --- */

/* One stage of the points of a group of chains, in one pass: the pull of the spring behind a point waits in
 * registers. */
INLINED void chain_stage(const peer_work *w, body *restrict b, body *restrict at, body *restrict sum,
                         int stage) {
    static const float next[4] = {0.5f, 0.5f, 1, 0}, weight[4] = {1 / 6.f, 1 / 3.f, 1 / 3.f, 1 / 6.f};
    const body *from = stage ? at : b;
    body here = from[0], after = here;
    lanes pull[3] = {all(0), all(0), all(0)};
    for (uint32_t k = 0; k < w->points; k++) {
        lanes a[3];
        EACH_AXIS a[i] = w->gravity[i] - pull[i];
        if (k + 1 < w->points) {
            lanes d[3], rate = all(0);
            after = from[k + 1];
            EACH_AXIS d[i] = after.x[i] - here.x[i];
            const lanes length = root(square(d)), inverse = 1 / length;
            EACH_AXIS rate += (after.v[i] - here.v[i]) * d[i];
            const lanes f = (w->stiffness * (length - w->rest) + w->damping * rate * inverse) * inverse;
            EACH_AXIS pull[i] = f * d[i], a[i] += pull[i];
        }
        EACH_AXIS {
            const lanes x = (stage ? sum[k].x[i] : all(0)) + weight[stage] * here.v[i],
                        v = (stage ? sum[k].v[i] : all(0)) + weight[stage] * a[i];
            if (stage == 3) {
                b[k].x[i] += w->h * x, b[k].v[i] += w->h * v;
            } else {
                sum[k].x[i] = x, sum[k].v[i] = v;
                at[k].x[i] = b[k].x[i] + next[stage] * w->h * here.v[i];
                at[k].v[i] = b[k].v[i] + next[stage] * w->h * a[i];
            }
        }
        here = after;
    }
}

static void step_chains(const plain_state *s) {
    const peer_work w = s->work;
    static body at[MOST_POINTS], sum[MOST_POINTS];
    for (uint32_t g = 0; g < s->groups; g += w.points)
        for (uint32_t k = 0; k < w.substeps; k++) {
            chain_stage(&w, s->bodies + g, at, sum, 0);
            chain_stage(&w, s->bodies + g, at, sum, 1);
            chain_stage(&w, s->bodies + g, at, sum, 2);
            chain_stage(&w, s->bodies + g, at, sum, 3);
        }
}

/* --- The peer --- */

static void plain_frame(void *user) {
    const plain_state *s = user;
    const bool pulls = s->work.strength > 0, drags = s->work.drag > 0, rk4 = s->kind == PEER_RK4;
    if (s->kind == PEER_CHAINS) step_chains(s);
    /* Each call has constants in its loop. */
    else if (s->kind == PEER_MIXED)
        step_loose(s, DRAGS | MIXES, false);
    else if (rk4)
        pulls &&drags ? step_loose(s, PULLS | DRAGS, true)
        : pulls       ? step_loose(s, PULLS, true)
                      : step_loose(s, DRAGS, true);
    else
        pulls &&drags ? step_loose(s, PULLS | DRAGS, false)
        : pulls       ? step_loose(s, PULLS, false)
                      : step_loose(s, DRAGS, false);
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
    const uint32_t points = s->work.points, wide = LANES * MOST_SIDE_BY_SIDE,
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
    "bodies stay in registers for all substeps, 2 or 4 registers side by side; chains across lanes, a pass "
    "a stage",
    PEER_EULER | PEER_RK4 | PEER_CHAINS | PEER_MIXED,
    plain_open,
    plain_frame,
    plain_place,
    plain_close};
