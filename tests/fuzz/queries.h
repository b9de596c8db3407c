/* What two hosts ask of strands and networks: the answers are the same, and they fit each other. */
#ifndef MOTE_FUZZ_QUERIES_H
#define MOTE_FUZZ_QUERIES_H

#include "shown_calls.h"

enum { MOST_ASKED = 6 * 6 }; /* points of an id; more than MOST_NODES */

/* NaN of any payload are the same. */
static inline bool same_double(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static inline void check_statistics(const mote_statistics *a, const mote_statistics *b) {
    FUZZ_CHECK(same_double(a->kinetic, b->kinetic) && same_double(a->potential, b->potential));
    FUZZ_CHECK(same_double(a->elastic, b->elastic) && same_double(a->mass, b->mass));
    for (int axis = 0; axis < 3; axis++) {
        FUZZ_CHECK(same_double(a->momentum[axis], b->momentum[axis]));
        FUZZ_CHECK(same_double(a->angular_momentum[axis], b->angular_momentum[axis]));
    }
}

/* --- Strands --- */

/* Points, slots and the vertex buffer of one id add up. */
static inline void check_strand_layout(host *h, mote_strands_id id, mote_strand_shape shape) {
    const mote_strands_view view = mote_strands_columns(h->system, id);
    const uint64_t vertices = mote_strands_vertex_count(h->system, id, shape),
                   count = mote_strands_index_count(h->system, id, shape);
    uint32_t points = 0;
    uint64_t first = 0;
    for (uint32_t strand = 0; strand < view.strand_count; strand++) {
        const uint32_t own = mote_strands_points(h->system, id, strand);
        FUZZ_CHECK(mote_strands_first_vertex(h->system, id, shape, strand) == first);
        for (uint32_t k = 0; k < own; k++)
            FUZZ_CHECK(mote_strands_slot(h->system, id, strand, k) < view.slot_count);
        FUZZ_CHECK(mote_strands_slot(h->system, id, strand, own) == MOTE_NO_SLOT);
        points += own, first += (uint64_t)own * (shape == MOTE_STRAND_RIBBONS ? 2 : 1);
    }
    FUZZ_CHECK(points == view.point_count && first == vertices);
    FUZZ_CHECK(mote_strands_points(h->system, id, view.strand_count) == 0);
    uint32_t *indices = exact_memory(count * sizeof *indices);
    if (view.strand_count)
        FUZZ_CHECK(mote_strands_index_buffer(h->system, id, shape, indices, count) == MOTE_OK);
    for (uint64_t i = 0; i < count && view.strand_count; i++)
        FUZZ_CHECK(indices[i] < vertices || indices[i] == UINT32_MAX);
    free(indices);
}

/* One host's answers about the strand `strand` of an id. */
typedef struct strand_answers {
    mote_result state, report, stability, statistics;
    mote_strand_step_report of;
    mote_statistics sums;
    double factor;
} strand_answers;

static inline strand_answers ask_strand(host *h, mote_strands_id id, uint32_t strand, float *x) {
    strand_answers a = {.factor = 0};
    const uint32_t points = mote_strands_points(h->system, id, strand);
    FUZZ_CHECK(points <= MOST_ASKED);
    a.state = mote_strands_state(h->system, id, strand, 1, x, x + 3 * points);
    a.report = mote_strands_report_of(h->system, id, strand, &a.of);
    a.stability = mote_strands_stability(h->system, id, strand, &a.factor);
    a.statistics = mote_strands_statistics(h->system, id, &a.sums);
    return a;
}

/* Positions and velocities are those of the columns. */
static inline void check_strand_state(host *h, mote_strands_id id, uint32_t strand, const float *x) {
    const mote_strands_view view = mote_strands_columns(h->system, id);
    const uint32_t points = mote_strands_points(h->system, id, strand);
    for (uint32_t k = 0; k < points; k++) {
        const uint32_t slot = mote_strands_slot(h->system, id, strand, k);
        FUZZ_CHECK(memcmp(&x[3 * k + 1], &view.position.y[slot], sizeof *x) == 0);
        FUZZ_CHECK(memcmp(&x[3 * (points + k)], &view.velocity.x[slot], sizeof *x) == 0);
    }
}

static inline void query_strands(host h[2], input *in) {
    const uint32_t kept = take_below(in, KEPT), strand = take_below(in, 7);
    const mote_strand_shape shape = (mote_strand_shape)take_below(in, MOTE_STRAND_SHAPE_COUNT);
    strand_answers a[2];
    float *x[2];
    for (int k = 0; k < 2; k++) {
        const mote_strands_id id = h[k].id.strands[kept];
        check_strand_layout(&h[k], id, shape);
        x[k] = exact_memory(6 * MOST_ASKED * sizeof **x);
        a[k] = ask_strand(&h[k], id, strand, x[k]);
        if (a[k].state == MOTE_OK) check_strand_state(&h[k], id, strand, x[k]);
    }
    check_same_floats(x[0], x[1], 6 * MOST_ASKED);
    FUZZ_CHECK(a[0].state == a[1].state && a[0].report == a[1].report);
    FUZZ_CHECK(a[0].stability == a[1].stability && a[0].statistics == a[1].statistics);
    FUZZ_CHECK(same_double(a[0].factor, a[1].factor));
    if (a[0].stability == MOTE_OK) FUZZ_CHECK(a[0].factor >= 1);
    if (a[0].statistics == MOTE_OK) check_statistics(&a[0].sums, &a[1].sums);
    if (a[0].report) return;
    const mote_strand_step_report *of = &a[0].of, *other = &a[1].of;
    FUZZ_CHECK(same_double((double)of->strain, (double)other->strain));
    FUZZ_CHECK(same_double((double)of->depth, (double)other->depth));
    FUZZ_CHECK(of->iterations == other->iterations && of->unsolved == other->unsolved);
    FUZZ_CHECK(of->fallbacks == other->fallbacks && of->buried == other->buried);
    FUZZ_CHECK(of->deepest_point == other->deepest_point && of->infeasible == other->infeasible);
    FUZZ_CHECK(of->stiff_curls == other->stiff_curls && of->frozen == other->frozen);
}

/* --- Networks --- */

static inline void query_network(host h[2], input *in) {
    const uint32_t kept = take_below(in, KEPT);
    mote_statistics sums[2];
    mote_network_stability_report bound[2];
    const uint32_t *torn[2];
    uint32_t count[2] = {0, 0}, frozen[2] = {0, 0};
    mote_result result[2];
    for (int k = 0; k < 2; k++) {
        const mote_network_id id = h[k].id.network[kept];
        const mote_network_view view = mote_network_columns(h[k].system, id);
        torn[k] = mote_network_torn(h[k].system, id, &count[k]);
        for (uint32_t i = 0; i < view.particle_count; i++) {
            frozen[k] += mote_network_frozen(h[k].system, id, i) ? i + 1 : 0;
            FUZZ_CHECK(mote_network_slot(h[k].system, id, i) != MOTE_NO_SLOT);
        }
        FUZZ_CHECK(mote_network_slot(h[k].system, id, view.particle_count) == MOTE_NO_SLOT);
        result[k] = mote_network_statistics(h[k].system, id, &sums[k]);
        FUZZ_CHECK(mote_network_stability(h[k].system, id, &bound[k]) == result[k]);
    }
    FUZZ_CHECK(result[0] == result[1] && frozen[0] == frozen[1]);
    if (!h[0].exact_ticks) { /* else the second host has had the last piece of an advance alone */
        FUZZ_CHECK(count[0] == count[1]);
        if (count[0]) FUZZ_CHECK(memcmp(torn[0], torn[1], count[0] * sizeof **torn) == 0);
    }
    if (result[0]) return;
    check_statistics(&sums[0], &sums[1]);
    FUZZ_CHECK(bound[0].substeps == bound[1].substeps && bound[0].substep == bound[1].substep);
    FUZZ_CHECK(same_double(bound[0].any.frequency, bound[1].any.frequency));
    FUZZ_CHECK(same_double(bound[0].sharp.step, bound[1].sharp.step));
}

/* --- Defs --- */

/* A def is taken exactly where its check says so; memory and capacity aside. */
static inline void query_force(host h[2], input *in) {
    const mote_force_def def = take_force(in);
    const char *parameter;
    const mote_result alone = mote_force_check(&def, &parameter),
                      check = mote_system_force_check(h[0].system, &def, &parameter);
    mote_force_id id;
    if (alone) FUZZ_CHECK(check == alone);
    for (int k = 0; k < 2; k++) {
        const mote_result result = mote_system_add_force(h[k].system, &def, &id);
        FUZZ_CHECK(result == check || (check == MOTE_OK && result == MOTE_ERROR_CAPACITY));
        if (result == MOTE_OK) FUZZ_CHECK(mote_system_remove_force(h[k].system, id) == MOTE_OK);
    }
}

#endif
