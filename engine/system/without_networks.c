/* The calls of networks in a build without them: the public interface is the same in every build. No id of
 * them exists, and every call that returns a code returns MOTE_ERROR_UNSUPPORTED. */
#include <mote/mesh.h>
#include <mote/network.h>

#include "stage/range.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

extern const mote_range_kind mote_network_kind;
const mote_range_kind mote_network_kind = {0};

static mote_result refuse(mote_network_fault *fault) {
    if (fault) *fault = (mote_network_fault){MOTE_NO_ITEM, MOTE_NO_ITEM, NULL};
    return MOTE_ERROR_UNSUPPORTED;
}

mote_network_def mote_default_network_def(void) { return (mote_network_def){0}; }
mote_result mote_system_add_network(mote_system *system, const mote_network_def *def, mote_network_id *id,
                                    mote_network_fault *fault) {
    if (id) *id = (mote_network_id){0, 0};
    return refuse(fault);
}
mote_result mote_system_remove_network(mote_system *system, mote_network_id id) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_network_view mote_network_columns(mote_system *system, mote_network_id id) {
    return (mote_network_view){0};
}
uint32_t mote_network_slot(const mote_system *system, mote_network_id id, uint32_t particle) {
    return MOTE_NO_SLOT;
}
bool mote_network_frozen(const mote_system *system, mote_network_id id, uint32_t particle) { return false; }
mote_result mote_network_teleport(mote_system *system, mote_network_id id) { return MOTE_ERROR_UNSUPPORTED; }
mote_result mote_network_pin(mote_system *system, mote_network_id id, uint32_t particle,
                             const float target[3], uint64_t tick) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_unpin(mote_system *system, mote_network_id id, uint32_t particle) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_reaction(const mote_system *system, mote_network_id id, uint32_t particle,
                                  float impulse[3]) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_add_springs(mote_system *system, mote_network_id id, uint32_t count,
                                     const mote_spring *springs, uint32_t *numbers,
                                     mote_network_fault *fault) {
    return refuse(fault);
}
mote_result mote_network_remove_springs(mote_system *system, mote_network_id id, uint32_t count,
                                        const uint32_t *numbers, mote_network_fault *fault) {
    return refuse(fault);
}
mote_result mote_network_set_spring(mote_system *system, mote_network_id id, uint32_t number, float stiffness,
                                    float damping, float tear_strain, mote_network_fault *fault) {
    return refuse(fault);
}
mote_result mote_network_reel(mote_system *system, mote_network_id id, uint32_t number, float rest_length,
                              uint64_t tick, mote_network_fault *fault) {
    return refuse(fault);
}
mote_result mote_network_spring(const mote_system *system, mote_network_id id, uint32_t number,
                                mote_spring *spring) {
    return MOTE_ERROR_UNSUPPORTED;
}
const uint32_t *mote_network_torn(const mote_system *system, mote_network_id id, uint32_t *count) {
    if (count) *count = 0;
    return NULL;
}
mote_result mote_network_report(const mote_system *system, mote_network_id id,
                                mote_network_step_report *report) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_stability(const mote_system *system, mote_network_id id,
                                   mote_network_stability_report *report) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_statistics(const mote_system *system, mote_network_id id,
                                    mote_statistics *statistics) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_present(const mote_system *system, mote_network_id id,
                                 const mote_present_layout *layout, void *vertices, size_t bytes) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_layout_check(const mote_present_layout *layout, const char **parameter) {
    if (parameter) *parameter = NULL;
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_triangles(const mote_system *system, mote_network_id id, uint32_t count,
                                   const uint32_t *indices, mote_triangle *triangles) {
    return MOTE_ERROR_UNSUPPORTED;
}
mote_result mote_network_indices(const mote_system *system, mote_network_id id, uint32_t count,
                                 const mote_triangle *triangles, uint32_t *indices, uint32_t *index_count) {
    if (index_count) *index_count = 0;
    return MOTE_ERROR_UNSUPPORTED;
}
