/* The plain references of networks: the graph and its edits, the paths of pins and reels, tears. */
#include "reference_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference_rows.h"

/* --- Making --- */

static void *zeroed(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) abort();
    return memory;
}

/* All of one island get the same sign; the smaller stays. */
static void join(reference_network *n, uint32_t a, uint32_t b) {
    const uint32_t keep = n->island[a] < n->island[b] ? n->island[a] : n->island[b],
                   drop = n->island[a] + n->island[b] - keep;
    const bool frozen = n->frozen[a] || n->frozen[b];
    if (keep == drop) return;
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->island[i] != keep && n->island[i] != drop) continue;
        n->island[i] = keep;
        n->frozen[i] = frozen;
    }
}

/* The same for all springs at once, in the order of edges: an island's sign travels along its springs until
 * nothing changes. */
static void find_islands(reference_network *n) {
    bool changed = true;
    for (uint32_t i = 0; i < n->count; i++) n->island[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < 2 * n->spring_end; k++) {
            const reference_spring *s = &n->spring[k < n->spring_end ? k : 2 * n->spring_end - 1 - k];
            uint32_t *a = &n->island[s->a], *b = &n->island[s->b];
            if (*a == *b) continue;
            if (*a < *b)
                *b = *a;
            else
                *a = *b;
            changed = true;
        }
    }
}

static void store(reference_network *n, uint32_t i, const float *x, const float *v) {
    for (int axis = 0; axis < 3; axis++) {
        if (n->in_double)
            n->dx[i][axis] = (double)x[axis], n->dv[i][axis] = v ? (double)v[axis] : 0;
        else
            n->x[i][axis] = x[axis], n->v[i][axis] = v ? v[axis] : 0;
    }
}

static float distance(const float a[3], const float b[3]) {
    float d[3];
    row_between(a, b, d);
    return row_length(d);
}

static void put(reference_network *n, uint32_t number, const mote_spring *s, float placed) {
    n->spring[number] =
        (reference_spring){.a = s->a,
                           .b = s->b,
                           .alive = true,
                           .stiffness = (double)s->stiffness,
                           .damping = (double)s->damping,
                           .tear_strain = s->tear_strain,
                           .rest_length = s->rest_length == MOTE_AS_PLACED ? placed : s->rest_length};
    if (number == n->spring_end) n->spring_end++;
}

static void allocate(reference_network *n) {
    n->own_mass = zeroed(n->count, sizeof *n->own_mass);
    n->mass = zeroed(n->count, sizeof *n->mass);
    n->island = zeroed(n->count, sizeof *n->island);
    n->frozen = zeroed(n->count, sizeof *n->frozen);
    n->pin = zeroed(n->count, sizeof *n->pin);
    n->spring = zeroed(n->spring_capacity, sizeof *n->spring);
    n->torn = zeroed(n->spring_capacity, sizeof *n->torn);
    if (n->in_double) {
        n->dx = zeroed(n->count, sizeof *n->dx), n->dv = zeroed(n->count, sizeof *n->dv);
        n->dreaction = zeroed(n->count, sizeof *n->dreaction);
    } else {
        n->x = zeroed(n->count, sizeof *n->x), n->v = zeroed(n->count, sizeof *n->v);
        n->reaction = zeroed(n->count, sizeof *n->reaction);
    }
}

reference_network *reference_network_make(const mote_network_def *def, bool in_double) {
    reference_network *n = zeroed(1, sizeof *n);
    n->count = def->particle_count;
    n->in_double = in_double;
    n->spring_capacity = def->spring_capacity > def->spring_count ? def->spring_capacity : def->spring_count;
    allocate(n);
    n->uniform_mass = 1 / (def->particle_mass ? def->particle_mass[0] : def->mass);
    const float first = n->uniform_mass;
    for (uint32_t i = 0; i < n->count; i++) {
        n->own_mass[i] = n->mass[i] = 1 / (def->particle_mass ? def->particle_mass[i] : def->mass);
        if (n->mass[i] != first) n->uniform_mass = 0;
        store(n, i, def->positions + 3 * i, def->velocities ? def->velocities + 3 * i : NULL);
    }
    for (uint32_t k = 0; k < def->spring_count; k++) {
        const mote_spring *s = &def->springs[k];
        put(n, k, s, distance(def->positions + 3 * s->a, def->positions + 3 * s->b));
    }
    find_islands(n);
    return n;
}

void reference_network_destroy(reference_network *n) {
    void *all[] = {n->own_mass, n->mass, n->island,    n->frozen, n->pin, n->spring,   n->torn,
                   n->dx,       n->dv,   n->dreaction, n->x,      n->v,   n->reaction, n};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static double x_of(const reference_network *n, uint32_t i, int axis) {
    return n->in_double ? n->dx[i][axis] : (double)n->x[i][axis];
}

/* --- On the way --- */

/* How far a journey has come at substep + fraction, in [0, 1]. */
static double journey(uint64_t from_tick, uint64_t to_tick, const reference_surroundings *w, double at) {
    if (to_tick <= from_tick) return 1;
    const double within = (double)w->ticks_per_step * (at / (double)w->substeps);
    const double passed = (double)(int64_t)(w->step * w->ticks_per_step - from_tick) + within;
    const double fraction = passed / (double)(to_tick - from_tick);
    return fraction < 0 ? 0 : fraction < 1 ? fraction : 1;
}

static double between(const reference_network *n, double from, double to, double fraction) {
    if (n->in_double) return from + fraction * (to - from);
    const float f = (float)fraction, first = (float)from, last = (float)to;
    return (double)(f < 1 ? first + f * (last - first) : last);
}

double reference_length(const reference_network *n, const reference_spring *s,
                        const reference_surroundings *w, double at) {
    if (!s->reels) return (double)s->rest_length;
    return between(n, (double)s->from, (double)s->to, journey(s->from_tick, s->to_tick, w, at));
}

static double stands(const reference_network *n, const reference_pin *p, const reference_surroundings *w,
                     double at, int axis) {
    return between(n, p->from[axis], p->to[axis], journey(p->from_tick, p->to_tick, w, at));
}

void reference_place_pins(reference_network *n, const reference_surroundings *w, double at) {
    for (uint32_t i = 0; i < n->pin_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double x = stands(n, &n->pin[i], w, at, axis);
            if (n->in_double)
                n->dx[n->pin[i].particle][axis] = x;
            else
                n->x[n->pin[i].particle][axis] = (float)x;
        }
}

void reference_move_pins(reference_network *n, const reference_surroundings *w, uint32_t substep) {
    const double h = w->timestep / (double)w->substeps;
    reference_place_pins(n, w, substep);
    for (uint32_t i = 0; i < n->pin_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t at = n->pin[i].particle;
            const double end = stands(n, &n->pin[i], w, (double)substep + 1, axis);
            if (n->in_double)
                n->dv[at][axis] = (end - n->dx[at][axis]) / h;
            else
                n->v[at][axis] = (float)(1.0 / h) * ((float)end - n->x[at][axis]);
        }
}

double reference_seconds(const reference_surroundings *w, double at) {
    return w->start_time + ((double)w->step + at / (double)w->substeps) * w->timestep;
}

/* --- Edits --- */

/* Takes the lowest free number. */
uint32_t reference_network_add(reference_network *n, const mote_spring *s) {
    uint32_t number = 0;
    while (number < n->spring_end && n->spring[number].alive) number++;
    if (number == n->spring_capacity) abort();
    float a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = (float)x_of(n, s->a, axis);
        b[axis] = (float)x_of(n, s->b, axis);
    }
    put(n, number, s, distance(a, b));
    join(n, s->a, s->b);
    return number;
}

void reference_network_remove(reference_network *n, uint32_t number) { n->spring[number].alive = false; }

void reference_network_set(reference_network *n, uint32_t number, float stiffness, float damping,
                           float tear_strain) {
    reference_spring *s = &n->spring[number];
    s->stiffness = (double)stiffness, s->damping = (double)damping, s->tear_strain = tear_strain;
}

/* A spring that is being reeled starts from the length that it has reached. */
void reference_network_reel(reference_network *n, uint32_t number, float length, uint64_t now,
                            uint64_t tick) {
    reference_spring *s = &n->spring[number];
    const reference_surroundings boundary = {.step = now, .ticks_per_step = 1, .substeps = 1};
    const float from = (float)reference_length(n, s, &boundary, 0);
    s->reels = true;
    s->from = from, s->to = length;
    s->from_tick = now, s->to_tick = tick;
}

static uint32_t pin_of(const reference_network *n, uint32_t particle) {
    uint32_t i = 0;
    while (i < n->pin_count && n->pin[i].particle != particle) i++;
    return i;
}

void reference_network_pin(reference_network *n, uint32_t particle, const float target[3], uint64_t now,
                           uint64_t tick) {
    const uint32_t place = pin_of(n, particle);
    reference_pin *p = &n->pin[place];
    if (place == n->pin_count) n->pin_count++;
    *p = (reference_pin){.particle = particle, .from_tick = now, .to_tick = tick};
    for (int axis = 0; axis < 3; axis++) {
        p->from[axis] = x_of(n, particle, axis);
        p->to[axis] = (double)target[axis];
    }
    n->mass[particle] = 0;
}

void reference_network_unpin(reference_network *n, uint32_t particle) {
    const uint32_t place = pin_of(n, particle);
    if (place == n->pin_count) abort();
    n->pin[place] = n->pin[--n->pin_count];
    n->mass[particle] = n->own_mass[particle];
    for (int axis = 0; axis < 3; axis++) {
        if (n->in_double)
            n->dreaction[particle][axis] = 0;
        else
            n->reaction[particle][axis] = 0;
    }
}

/* --- The step --- */

/* A reel that has arrived by the end of the step is at rest at its last length. */
static void end_reels(reference_network *n, uint64_t now) {
    for (uint32_t k = 0; k < n->spring_end; k++) {
        reference_spring *s = &n->spring[k];
        if (!s->alive || !s->reels || s->to_tick > now) continue;
        s->reels = false;
        s->rest_length = s->to;
    }
}

static double strain_of(const reference_network *n, const reference_spring *s, float length) {
    if (n->in_double) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) square += pow(n->dx[s->b][axis] - n->dx[s->a][axis], 2);
        return sqrt(square) / (double)length - 1;
    }
    return (double)(distance(n->x[s->a], n->x[s->b]) / length - 1);
}

static void tear(reference_network *n, const reference_surroundings *w) {
    n->torn_count = 0;
    for (uint32_t k = 0; k < n->spring_end; k++) {
        reference_spring *s = &n->spring[k];
        if (!s->alive || s->tear_strain == 0) continue;
        const float length = (float)reference_length(n, s, w, w->substeps);
        if (!(strain_of(n, s, length) > (double)s->tear_strain)) continue;
        s->alive = false;
        n->torn[n->torn_count++] = k;
    }
}

void reference_network_step(reference_network *n, const reference_surroundings *w) {
    if (n->in_double)
        reference_double_network_step(n, w);
    else
        reference_float_network_step(n, w);
    n->started = true;
    n->last_substeps = w->substeps;
    end_reels(n, (w->step + 1) * w->ticks_per_step);
    tear(n, w);
}
