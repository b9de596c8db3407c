/* The plain references of networks: the graph and its edits, where pins and reels are on their way, what
 * tears. */
#include "reference_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* --- Making --- */

static void *room(size_t count, size_t bytes) {
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
    const float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return sqrtf((x * x + y * y) + z * z);
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
    n->own_mass = room(n->count, sizeof *n->own_mass);
    n->mass = room(n->count, sizeof *n->mass);
    n->island = room(n->count, sizeof *n->island);
    n->frozen = room(n->count, sizeof *n->frozen);
    n->pin = room(n->count, sizeof *n->pin);
    n->spring = room(n->spring_room, sizeof *n->spring);
    n->torn = room(n->spring_room, sizeof *n->torn);
    if (n->in_double) {
        n->dx = room(n->count, sizeof *n->dx), n->dv = room(n->count, sizeof *n->dv);
        n->dreaction = room(n->count, sizeof *n->dreaction);
    } else {
        n->x = room(n->count, sizeof *n->x), n->v = room(n->count, sizeof *n->v);
        n->reaction = room(n->count, sizeof *n->reaction);
    }
}

reference_network *reference_network_make(const mote_network_def *def, bool in_double) {
    reference_network *n = room(1, sizeof *n);
    n->count = def->particle_count;
    n->in_double = in_double;
    n->spring_room = def->spring_capacity > def->spring_count ? def->spring_capacity : def->spring_count;
    allocate(n);
    n->uniform_mass = 1 / (def->masses ? def->masses[0] : def->particle_mass);
    const float first = n->uniform_mass;
    for (uint32_t i = 0; i < n->count; i++) {
        n->own_mass[i] = n->mass[i] = 1 / (def->masses ? def->masses[i] : def->particle_mass);
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

double reference_network_x(const reference_network *n, uint32_t i, int axis) {
    return n->in_double ? n->dx[i][axis] : (double)n->x[i][axis];
}

double reference_network_v(const reference_network *n, uint32_t i, int axis) {
    return n->in_double ? n->dv[i][axis] : (double)n->v[i][axis];
}

/* --- Edits --- */

/* Takes the lowest free number. */
uint32_t reference_network_add(reference_network *n, const mote_spring *s) {
    uint32_t number = 0;
    while (number < n->spring_end && n->spring[number].alive) number++;
    if (number == n->spring_room) abort();
    float a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = (float)reference_network_x(n, s->a, axis);
        b[axis] = (float)reference_network_x(n, s->b, axis);
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

/* A spring that is being reeled starts from the length that it has by now. */
void reference_network_reel(reference_network *n, uint32_t number, float length, uint64_t now,
                            uint64_t tick) {
    reference_spring *s = &n->spring[number];
    float from = s->rest_length;
    if (s->reels) {
        const reference_surroundings boundary = {.step = now, .ticks_per_step = 1};
        const float f = (float)reference_journey(s->from_tick, s->to_tick, &boundary, 0);
        from = f < 1 ? s->from + f * (s->to - s->from) : s->to;
    }
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
        p->from[axis] = reference_network_x(n, particle, axis);
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

/* --- On the way --- */

double reference_journey(uint64_t from_tick, uint64_t to_tick, const reference_surroundings *w,
                         double within) {
    if (to_tick <= from_tick) return 1;
    const double passed = (double)(int64_t)(w->step * w->ticks_per_step - from_tick) + within;
    const double fraction = passed / (double)(to_tick - from_tick);
    return fraction < 0 ? 0 : fraction < 1 ? fraction : 1;
}

double reference_ticks(const reference_surroundings *w, double at) {
    return (double)w->ticks_per_step * (at / (double)w->substeps);
}

double reference_seconds(const reference_surroundings *w, uint32_t substep, double fraction) {
    return w->start_time +
           ((double)w->step + ((double)substep + fraction) / (double)w->substeps) * w->timestep;
}

/* --- Forces of the system --- */

bool reference_folds(const mote_force_def *f) {
    return f->kind != MOTE_FORCE_CALLBACK && !reference_is_inline(f);
}

void reference_fold(const mote_force_def *f, reference_affine *acceleration, reference_affine *newtons) {
    for (int axis = 0; axis < 3; axis++) switch (f->kind) {
        case MOTE_FORCE_GRAVITY:
            acceleration->constant[axis] += (double)f->as.gravity.acceleration[axis];
            break;
        case MOTE_FORCE_THRUST:
            newtons->constant[axis] += (double)f->as.thrust.force[axis];
            break;
        case MOTE_FORCE_WIND:
            newtons->constant[axis] += (double)f->drag * (double)f->as.wind.velocity[axis];
            newtons->damping[axis] -= (double)f->drag;
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            newtons->constant[axis] +=
                (double)f->as.anchor_spring.stiffness * (double)f->as.anchor_spring.anchor[axis];
            newtons->stiffness[axis] -= (double)f->as.anchor_spring.stiffness;
            newtons->damping[axis] -= (double)f->as.anchor_spring.damping;
            break;
        default:
            break;
        }
}

void reference_add_over_mass(reference_affine *sum, const reference_affine *newtons, double inverse_mass) {
    for (int axis = 0; axis < 3; axis++) {
        sum->constant[axis] += newtons->constant[axis] * inverse_mass;
        sum->damping[axis] += newtons->damping[axis] * inverse_mass;
        sum->stiffness[axis] += newtons->stiffness[axis] * inverse_mass;
    }
}

/* --- The step --- */

/* What has arrived by the end of the step is as long as it shall be. */
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
        float length = s->rest_length;
        if (s->reels) {
            const float f = (float)reference_journey(s->from_tick, s->to_tick, w, (double)w->ticks_per_step);
            length = f < 1 ? s->from + f * (s->to - s->from) : s->to;
        }
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
