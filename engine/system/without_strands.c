/* The calls of strands in a build without them: the public interface is the same in every build. No id of
 * them exists, and every call that returns a code returns MOTE_ERROR_UNSUPPORTED. */
#include <mote/followers.h>
#include <mote/strands.h>
#include <mote/strands_present.h>

#include "stage/range.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

extern const mote_range_kind mote_strands_kind;
const mote_range_kind mote_strands_kind = {0};

static mote_result refuse(mote_strands_fault *fault) {
    if (fault) *fault = (mote_strands_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    return MOTE_ERROR_UNSUPPORTED;
}

mote_followers_def mote_default_followers_def(void) { return (mote_followers_def){0}; }
mote_result mote_followers_create(mote_system *system, mote_strands_id id, const mote_followers_def *def,
                                  mote_followers **followers, mote_strands_fault *fault) {
    if (followers) *followers = NULL;
    return refuse(fault);
}
void mote_followers_destroy(mote_followers *followers) {}
uint32_t mote_followers_count(const mote_followers *followers) { return 0; }
mote_result mote_followers_guides(const mote_followers *followers, uint32_t follower,
                                  uint32_t guides[MOTE_GUIDES], float weights[MOTE_GUIDES]) {
    return MOTE_ERROR_UNSUPPORTED;
}
uint64_t mote_followers_first_vertex(const mote_followers *followers, mote_strand_shape shape,
                                     uint32_t follower) {
    return MOTE_NO_VERTEX;
}
uint64_t mote_followers_vertex_count(const mote_followers *followers, mote_strand_shape shape) { return 0; }
uint64_t mote_followers_index_count(const mote_followers *followers, mote_strand_shape shape) { return 0; }
mote_result mote_followers_index_buffer(const mote_followers *followers, mote_strand_shape shape,
                                        uint32_t *indices, uint64_t count) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                   const mote_strand_layout *layout, void *vertices, size_t bytes) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_strands_def mote_default_strands_def(void) { return (mote_strands_def){0}; }
mote_result mote_system_add_strands(mote_system *system, const mote_strands_def *def, mote_strands_id *id,
                                    mote_strands_fault *fault) {
    if (id) *id = (mote_strands_id){0, 0};
    return refuse(fault);
}
uint32_t mote_strand_substeps(uint32_t points, double length, double acceleration, double timestep) {
    return 0;
}
mote_result mote_strands_stability(const mote_system *system, mote_strands_id id, uint32_t strand,
                                   double *stiffness_factor) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_system_remove_strands(mote_system *system, mote_strands_id id) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_strands_view mote_strands_columns(mote_system *system, mote_strands_id id) {
    return (mote_strands_view){0};
}
uint32_t mote_strands_slot(const mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    return MOTE_NO_SLOT;
}
uint32_t mote_strands_points(const mote_system *system, mote_strands_id id, uint32_t strand) { return 0; }
mote_result mote_strands_set_roots(mote_system *system, mote_strands_id id, const mote_transform *transforms,
                                   uint32_t count, uint64_t tick) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_set_root(mote_system *system, mote_strands_id id, uint32_t strand,
                                  const mote_transform *transform, uint64_t tick) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_reset(mote_system *system, mote_strands_id id, uint32_t strand) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_pin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point,
                             const float target[3], uint64_t tick) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_unpin(mote_system *system, mote_strands_id id, uint32_t strand, uint32_t point) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_set_air(mote_system *system, mote_strands_id id, const float velocity[3]) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_reaction(const mote_system *system, mote_strands_id id, uint32_t strand,
                                  uint32_t point, float impulse[3]) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_report_of(const mote_system *system, mote_strands_id id, uint32_t strand,
                                   mote_strand_step_report *report) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_report(const mote_system *system, mote_strands_id id,
                                mote_strands_step_report *report) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_statistics(const mote_system *system, mote_strands_id id,
                                    mote_statistics *statistics) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_strand_layout mote_default_strand_layout(void) { return (mote_strand_layout){0}; }
mote_result mote_strand_layout_check(const mote_strand_layout *layout, const char **parameter) {
    if (parameter) *parameter = NULL;
    return MOTE_ERROR_UNSUPPORTED;
}
uint64_t mote_strands_first_vertex(const mote_system *system, mote_strands_id id, mote_strand_shape shape,
                                   uint32_t strand) {
    return MOTE_NO_VERTEX;
}
uint64_t mote_strands_vertex_count(const mote_system *system, mote_strands_id id, mote_strand_shape shape) {
    return 0;
}
uint64_t mote_strands_index_count(const mote_system *system, mote_strands_id id, mote_strand_shape shape) {
    return 0;
}
mote_result mote_strands_index_buffer(const mote_system *system, mote_strands_id id, mote_strand_shape shape,
                                      uint32_t *indices, uint64_t count) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_strands_present(const mote_system *system, mote_strands_id id,
                                 const mote_strand_layout *layout, void *vertices, size_t bytes) {
    return MOTE_ERROR_UNSUPPORTED;
}
