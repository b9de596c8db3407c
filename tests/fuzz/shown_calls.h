/* Followers, triangles and several systems at once, by two hosts: what one is shown the other is too. */
#ifndef MOTE_FUZZ_SHOWN_CALLS_H
#define MOTE_FUZZ_SHOWN_CALLS_H

#include "coupled_calls.h"

/* --- Vertices --- */

/* Memory that ends where it ends, for sanitizers. */
static inline void *exact_memory(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    FUZZ_CHECK(memory);
    return memset(memory, 0x5a, bytes);
}

/* The same floats; NaN of any payload are the same. Frees both. */
static inline void check_same_floats(float *a, float *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK(memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i])));
    free(a), free(b);
}

static inline mote_strand_layout take_strand_layout(input *in) {
    mote_strand_layout layout = mote_default_strand_layout();
    const uint32_t flags = take_byte(in);
    layout.shape = (mote_strand_shape)(flags & 1), layout.facing = (mote_ribbon_facing)((flags >> 1) % 3);
    layout.stride = 48;
    if (flags & 8) layout.tangent_offset = 12;
    if (flags & 16) layout.frame_offset = 24;
    if (flags & 32) layout.parameter_offset = 40;
    if (flags & 64 && layout.shape == MOTE_STRAND_RIBBONS) layout.side_offset = 44;
    if (flags & 128) layout.origin[1] = take_float(in), layout.eye[2] = take_float(in);
    return layout;
}

/* --- Followers --- */

static inline mote_result call_followers(host *h, input *in) {
    enum { MOST = 6, MOST_POINTS = 8 };
    float places[MOST * MOST_POINTS][3], weights[MOST * MOTE_GUIDES];
    uint32_t guides[MOST * MOTE_GUIDES], points[MOST];
    mote_followers_def def = mote_default_followers_def();
    mote_followers *made;
    const mote_strands_id id = PICK(strands);
    const uint32_t flags = take_byte(in);
    def.follower_count = 1 + take_below(in, MOST), def.points = 2 + take_below(in, MOST_POINTS - 1);
    for (uint32_t i = 0; i < def.follower_count; i++) points[i] = 1 + take_below(in, MOST_POINTS);
    for (uint32_t i = 0; i < COUNT_OF(places); i++)
        places[i][0] = 0.02f * (float)i, places[i][1] = -0.1f * (float)(i % 5), places[i][2] = 0;
    places[0][0] = take_float(in), places[1][2] = take_float(in);
    for (uint32_t i = 0; i < def.follower_count * MOTE_GUIDES; i++) {
        const uint32_t guide = take_below(in, 8);
        guides[i] = guide < 6 ? guide : MOTE_NO_GUIDE, weights[i] = take_positive(in);
    }
    def.positions = places[0];
    if (flags & 1) def.follower_points = points;
    if (flags & 6) def.guides = guides;
    if (flags & 4) def.weights = weights;
    const mote_result result = mote_followers_create(h->system, id, &def, &made, NULL);
    if (result) return result;
    mote_followers_destroy(h->followers);
    h->followers = made;
    return result;
}

/* Guides and indices: as many as there are, the same for both, each of a vertex. */
static inline void check_followers(host h[2], mote_strand_shape shape) {
    uint32_t guides[2][MOTE_GUIDES];
    float weights[2][MOTE_GUIDES];
    const uint64_t vertices = mote_followers_vertex_count(h[0].followers, shape);
    const uint64_t count = mote_followers_index_count(h[0].followers, shape);
    FUZZ_CHECK(vertices == mote_followers_vertex_count(h[1].followers, shape));
    for (uint32_t i = 0; i < mote_followers_count(h[0].followers); i++) {
        for (int k = 0; k < 2; k++)
            FUZZ_CHECK(mote_followers_guides(h[k].followers, i, guides[k], weights[k]) == MOTE_OK);
        FUZZ_CHECK(memcmp(guides[0], guides[1], sizeof guides[0]) == 0);
        FUZZ_CHECK(memcmp(weights[0], weights[1], sizeof weights[0]) == 0);
        const float sum = weights[0][0] + weights[0][1] + weights[0][2];
        FUZZ_CHECK(fabsf(sum - 1) < 1e-5f);
    }
    uint32_t *indices = exact_memory(count * sizeof *indices);
    FUZZ_CHECK(mote_followers_index_buffer(h[0].followers, shape, indices, count) == MOTE_OK);
    for (uint64_t i = 0; i < count; i++) FUZZ_CHECK(indices[i] < vertices || indices[i] == UINT32_MAX);
    free(indices);
}

/* Strands and their followers as both hosts see them. */
static inline void show_strands(host h[2], input *in) {
    const mote_strand_layout layout = take_strand_layout(in);
    const uint32_t kept = take_below(in, KEPT);
    float *vertices[2];
    mote_result result[2];
    uint64_t count = mote_strands_vertex_count(h[0].system, h[0].id.strands[kept], layout.shape);
    for (int k = 0; k < 2; k++) {
        vertices[k] = exact_memory(count * layout.stride);
        result[k] = mote_strands_present(h[k].system, h[k].id.strands[kept], &layout, vertices[k],
                                         count * layout.stride);
    }
    FUZZ_CHECK(result[0] == result[1]);
    check_same_floats(vertices[0], vertices[1], count * layout.stride / sizeof(float));
    if (!h[0].followers || !h[1].followers) return;
    check_followers(h, layout.shape);
    count = mote_followers_vertex_count(h[0].followers, layout.shape);
    for (int k = 0; k < 2; k++) {
        vertices[k] = exact_memory(count * layout.stride);
        result[k] =
            mote_followers_present(h[k].system, h[k].followers, &layout, vertices[k], count * layout.stride);
    }
    FUZZ_CHECK(result[0] == result[1]);
    check_same_floats(vertices[0], vertices[1], count * layout.stride / sizeof(float));
}

/* --- Triangles --- */

static inline mote_result call_triangles(host *h, input *in) {
    uint32_t corners[MOST_TRIANGLES][3];
    const mote_network_id id = PICK(network);
    const uint32_t count = take_below(in, MOST_TRIANGLES + 1);
    for (uint32_t i = 0; i < count; i++) /* mostly along the rows of call_network */
        for (uint32_t k = 0; k < 3; k++) corners[i][k] = i + (k == 1) + 5 * (k == 2) + (take_byte(in) > 240);
    const mote_result result = mote_network_triangles(h->system, id, count, corners[0], h->triangles);
    h->triangle_count = result ? 0 : count;
    return result;
}

/* A plain version of mote_network_indices. Returns how many are written. */
static inline uint32_t plain_indices(const host *h, mote_network_id id, uint32_t *indices) {
    uint32_t written = 0;
    for (uint32_t i = 0; i < h->triangle_count; i++) {
        const mote_triangle *t = &h->triangles[i];
        bool whole = true;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t a = t->particle[k], b = t->particle[(k + 1) % 3];
            mote_spring s;
            if (t->spring[k] == MOTE_NO_ITEM) continue;
            whole &= mote_network_spring(h->system, id, t->spring[k], &s) == MOTE_OK &&
                     ((s.a == a && s.b == b) || (s.a == b && s.b == a));
        }
        for (uint32_t k = 0; k < 3 && whole; k++) indices[written++] = t->particle[k];
    }
    return written;
}

/* The index buffer of both hosts beside the plain one, and normals, which have length 1. */
static inline void show_mesh(host h[2], input *in) {
    const uint32_t kept = take_below(in, KEPT);
    const mote_mesh_layout mesh = mote_default_mesh_layout();
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = mesh.stride;
    float *vertices[2];
    for (int k = 0; k < 2; k++) {
        const mote_network_id id = h[k].id.network[kept];
        const uint32_t particles = mote_network_columns(h[k].system, id).particle_count;
        uint32_t indices[3 * MOST_TRIANGLES], plain[3 * MOST_TRIANGLES], count = 0;
        const mote_result result =
            mote_network_indices(h[k].system, id, h[k].triangle_count, h[k].triangles, indices, &count);
        vertices[k] = exact_memory(MOST_NODES * mesh.stride);
        if (result) continue;
        FUZZ_CHECK(count == plain_indices(&h[k], id, plain));
        FUZZ_CHECK(memcmp(indices, plain, count * sizeof *plain) == 0);
        const size_t bytes = particles * mesh.stride;
        if (mote_network_present(h[k].system, id, &layout, vertices[k], bytes)) continue;
        FUZZ_CHECK(mote_mesh_normals(&mesh, vertices[k], particles, indices, count) == MOTE_OK);
        for (uint32_t i = 0; i < particles; i++) {
            const float *n = vertices[k] + i * (mesh.stride / sizeof *n) + 3;
            FUZZ_CHECK(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
        }
    }
    check_same_floats(vertices[0], vertices[1], MOST_NODES * mesh.stride / sizeof(float));
}

/* --- Reports --- */

#define SAME(field) (memcmp(&a.field, &b.field, sizeof a.field) == 0)

/* What both hosts hear of strands, networks and links. */
static inline void show_reports(host h[2], input *in) {
    const uint32_t kept = take_below(in, KEPT), strand = take_below(in, 6), point = take_below(in, 6);
    float impulse[2][3] = {{0}};
    mote_result result[2];
    {
        mote_strands_step_report a = {.frozen = 0}, b = {.frozen = 0};
        result[0] = mote_strands_report(h[0].system, h[0].id.strands[kept], &a);
        FUZZ_CHECK(mote_strands_report(h[1].system, h[1].id.strands[kept], &b) == result[0]);
        FUZZ_CHECK(SAME(max_strain) && SAME(mean_strain) && SAME(depth) && SAME(iterations));
        FUZZ_CHECK(SAME(unsolved) && SAME(fallbacks) && SAME(infeasible) && SAME(frozen));
    }
    {
        mote_network_step_report a = {.frozen = 0}, b = {.frozen = 0};
        result[0] = mote_network_report(h[0].system, h[0].id.network[kept], &a);
        FUZZ_CHECK(mote_network_report(h[1].system, h[1].id.network[kept], &b) == result[0]);
        FUZZ_CHECK(SAME(substeps) && SAME(torn) && SAME(frozen) && SAME(iterations));
        FUZZ_CHECK(SAME(linear) && SAME(unsolved) && SAME(residual));
    }
    for (int k = 0; k < 2; k++)
        result[k] = mote_strands_reaction(h[k].system, h[k].id.strands[kept], strand, point, impulse[k]);
    FUZZ_CHECK(result[0] == result[1] && memcmp(impulse[0], impulse[1], sizeof impulse[0]) == 0);
    for (int k = 0; k < 2; k++)
        result[k] = mote_network_reaction(h[k].system, h[k].id.network[kept], strand, impulse[k]);
    FUZZ_CHECK(result[0] == result[1] && memcmp(impulse[0], impulse[1], sizeof impulse[0]) == 0);
    for (int k = 0; k < 2; k++)
        result[k] = mote_system_link(h[k].system, h[k].id.link[kept], NULL, impulse[k]);
    FUZZ_CHECK(result[0] == result[1] && memcmp(impulse[0], impulse[1], sizeof impulse[0]) == 0);
}

/* --- Several systems --- */

/* The systems of the first hosts together, those of their twins one by one. Refused, each is refused where
 * the order of the call says so. */
static inline void advance_together(host h[2], host second[2], input *in) {
    mote_system *const systems[2] = {h[0].system, second[0].system};
    mote_advance together[2], alone;
    const uint64_t frame = (uint64_t)take_byte(in) * 400000,
                   before[2] = {mote_system_hash(h[0].system), mote_system_hash(second[0].system)};
    const uint32_t flags = take_byte(in);
    shuffled_jobs shuffled = {.random = {flags}, .workers = 1 + flags % 5};
    const mote_jobs jobs = shuffled_jobs_hook(&shuffled);
    mote_system *const twice[2] = {h[0].system, h[0].system};
    const mote_result result = mote_systems_advance(systems, 2, frame, flags & 1 ? &jobs : NULL, together);
    if (result == MOTE_OK) {
        for (int i = 0; i < 2; i++) {
            FUZZ_CHECK(mote_system_advance((i ? second : h)[1].system, frame, &alone) == MOTE_OK);
            FUZZ_CHECK(alone.steps == together[i].steps && alone.alpha == together[i].alpha);
        }
        return;
    }
    FUZZ_CHECK(mote_system_hash(h[0].system) == before[0]);
    FUZZ_CHECK(mote_system_hash(second[0].system) == before[1]);
    const mote_result first = mote_system_advance(h[1].system, frame, NULL);
    FUZZ_CHECK(mote_system_advance(h[0].system, frame, NULL) == first);
    if (first == MOTE_OK) FUZZ_CHECK(mote_system_advance(second[1].system, frame, NULL) == result);
    FUZZ_CHECK(first == MOTE_OK || first == result);
    if (flags & 2 && first == MOTE_OK)
        FUZZ_CHECK(mote_systems_advance(twice, 2, 0, NULL, NULL) == MOTE_ERROR_ID);
}

#endif
