/* Energy and momentum, in an order that no number of workers changes: 16 lanes within a chunk of 1,024 slots, then a
 * binary tree over the chunks of a segment, then over the segments, whose number depends only on the count. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "forces/table.h"
#include "system/internal.h"

#define CHUNK 1024u
#define SEGMENTS 64u
#define LEVELS 32

enum { MASS, KINETIC, POTENTIAL, MOMENTUM, ANGULAR = MOMENTUM + 3, SUMS = ANGULAR + 3 };

typedef struct sums {
    double of[SUMS];
} sums;

static void add(sums *to, const sums *more) {
    for (int i = 0; i < SUMS; i++) to->of[i] += more->of[i];
}

/* A binary counter of partial sums: level k holds the sum of 2^k items. Adding item by item gives the tree's sums. */
typedef struct tree {
    sums level[LEVELS];
    uint64_t items;
} tree;

static void tree_add(tree *t, sums item) {
    int level = 0;
    for (uint64_t bits = t->items; bits & 1; bits >>= 1, level++) {
        sums lower = t->level[level];
        add(&lower, &item);
        item = lower;
    }
    t->level[level] = item;
    t->items++;
}

static sums tree_total(const tree *t) {
    sums total = {{0}};
    for (int level = 0; level < LEVELS; level++)
        if (t->items >> level & 1) add(&total, &t->level[level]);
    return total;
}

typedef struct diagnosis {
    const mote_system *system;
    const mote_bundle *bundle; /* NULL: the loose particles */
    size_t slots, chunks, chunks_per_segment;
    sums segment[SEGMENTS];
} diagnosis;

/* Anchors belong to loose particles: MOTE_NO_SLOT has none. */
static double potential_at(const mote_system *system, size_t slot, const double x[3], double mass) {
    double sum = 0;
    for (uint32_t i = 0; i < system->forces.count; i++) {
        const mote_force_def *def = &system->forces.forces[i];
        const mote_force_row *row = mote_force_table[def->kind];
        if (def->region.shape != MOTE_REGION_EVERYWHERE) continue;
        if (def->kind == MOTE_FORCE_PARTICLE_ANCHORS) {
            for (int axis = 0; axis < 3 && slot != MOTE_NO_SLOT; axis++) {
                double d = x[axis] - (double)((const float *)system->particles.column[MOTE_COLUMN_ANCHOR + axis])[slot];
                sum += 0.5 * (double)def->as.particle_anchors.stiffness * d * d;
            }
        } else if (row->potential) {
            sum += row->potential(def, x, mass);
        }
    }
    return sum;
}

static void add_point(const mote_system *system, size_t slot, const double x[3], const double v[3], double mass, sums *to) {
    to->of[MASS] += mass;
    to->of[KINETIC] += 0.5 * mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    to->of[POTENTIAL] += potential_at(system, slot, x, mass);
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, after = (axis + 2) % 3;
        to->of[MOMENTUM + axis] += mass * v[axis];
        to->of[ANGULAR + axis] += mass * (x[next] * v[after] - x[after] * v[next]);
    }
}

static sums sum_lanes(sums lane[MOTE_GROUP]) {
    for (uint32_t half = MOTE_GROUP / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++) add(&lane[i], &lane[i + half]);
    return lane[0];
}

static sums sum_particles(const mote_system *system, size_t first, size_t end) {
    MOTE_ALIGNED(64) float memory[3][MOTE_BLOCK];
    float *const velocity[3] = {memory[0], memory[1], memory[2]};
    const float *inverse_mass = system->particles.column[MOTE_COLUMN_INVERSE_MASS];
    const double uniform = (double)system->def.uniform_mass;
    sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t last = end - block < MOTE_BLOCK ? end : block + MOTE_BLOCK;
        mote_system_true_velocity(system, false, block, last - block, velocity);
        for (size_t slot = block; slot < last; slot++) {
            if (inverse_mass && !(inverse_mass[slot] > 0)) continue;
            size_t at = slot - block;
            double x[3];
            for (int axis = 0; axis < 3; axis++)
                x[axis] = (double)((const float *)system->particles.column[MOTE_COLUMN_POSITION + axis])[slot];
            const double v[3] = {(double)memory[0][at], (double)memory[1][at], (double)memory[2][at]};
            add_point(system, slot, x, v, inverse_mass ? 1.0 / (double)inverse_mass[slot] : uniform,
                      &lane[slot % MOTE_GROUP]);
        }
    }
    return sum_lanes(lane);
}

/* Masked slots have no mass, as pinned points have. */
static sums sum_strands(const mote_system *system, const mote_bundle *bundle, size_t first, size_t end) {
    sums lane[MOTE_GROUP];
    memset(lane, 0, sizeof lane);
    for (size_t slot = first; slot < end; slot++) {
        if (!(bundle->inverse_mass[slot] > 0)) continue;
        const double x[3] = {(double)bundle->x[0][slot], (double)bundle->x[1][slot], (double)bundle->x[2][slot]};
        const double v[3] = {(double)bundle->v[0][slot], (double)bundle->v[1][slot], (double)bundle->v[2][slot]};
        add_point(system, MOTE_NO_SLOT, x, v, 1.0 / (double)bundle->inverse_mass[slot], &lane[slot % MOTE_GROUP]);
    }
    return sum_lanes(lane);
}

static void do_segments(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    diagnosis *d = context;
    for (size_t segment = first; segment < end; segment++) {
        size_t chunk = segment * d->chunks_per_segment, last = chunk + d->chunks_per_segment;
        tree t;
        t.items = 0;
        for (; chunk < last && chunk < d->chunks; chunk++) {
            size_t slot = chunk * CHUNK, last_slot = d->slots - slot < CHUNK ? d->slots : slot + CHUNK;
            tree_add(&t, d->bundle ? sum_strands(d->system, d->bundle, slot, last_slot)
                                   : sum_particles(d->system, slot, last_slot));
        }
        d->segment[segment] = tree_total(&t);
    }
}

static uint32_t forces_without_potential(const mote_system *system) {
    uint32_t without = 0;
    for (uint32_t i = 0; i < system->forces.count; i++) {
        const mote_force_def *def = &system->forces.forces[i];
        bool has = mote_force_table[def->kind]->potential || def->kind == MOTE_FORCE_PARTICLE_ANCHORS;
        without += !has || def->region.shape != MOTE_REGION_EVERYWHERE;
    }
    return without;
}

/* Over `slots` slots of the loose particles, or of a bundle. */
static sums sum_range(const mote_system *system, const mote_bundle *bundle, size_t slots) {
    diagnosis d = {.system = system, .bundle = bundle, .slots = slots};
    d.chunks = (slots + CHUNK - 1) / CHUNK;
    d.chunks_per_segment = (d.chunks + SEGMENTS - 1) / SEGMENTS;
    mote_parallel_for(&system->def.jobs, SEGMENTS, 1, do_segments, &d);
    tree t;
    t.items = 0;
    for (uint32_t i = 0; i < SEGMENTS; i++) tree_add(&t, d.segment[i]);
    return tree_total(&t);
}

mote_result mote_system_diagnose(const mote_system *system, mote_diagnostics *diagnostics) {
    if (!system || !diagnostics) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_fpu_state saved = mote_fpu_enter();
    mote_system_set_busy(system, true);
    sums total = sum_range(system, NULL, system->particles.count);
    for (uint32_t i = 0; i < system->bundle_count; i++) {
        sums more = sum_range(system, system->bundles[i], system->bundles[i]->slot_count);
        add(&total, &more);
    }
    *diagnostics = (mote_diagnostics){.mass = total.of[MASS], .kinetic = total.of[KINETIC],
                                      .potential = total.of[POTENTIAL],
                                      .forces_without_potential = forces_without_potential(system)};
    memcpy(diagnostics->momentum, &total.of[MOMENTUM], sizeof diagnostics->momentum);
    memcpy(diagnostics->angular_momentum, &total.of[ANGULAR], sizeof diagnostics->angular_momentum);
    mote_system_set_busy(system, false);
    mote_fpu_leave(saved);
    return MOTE_OK;
}
