/* Calls for the followers of a system's strands: mote/followers.h. */
#include "strands/followers.h"

#include "system/internal.h"

/* Finds the strands that followers use as guides. Errors: NULL, BUSY, ID. */
static mote_result find_guides(const mote_system *system, mote_strands_id id, mote_strands **strands) {
    mote_range *range;
    const mote_result result = mote_system_edit_range(system, MOTE_KIND_STRANDS, MOTE_ID(id), &range);
    if (result == MOTE_OK) *strands = mote_strands_of(range);
    return result;
}

mote_result mote_followers_create(mote_system *system, mote_strands_id id, const mote_followers_def *def,
                                  mote_followers **followers, mote_strands_fault *fault) {
    mote_strands_fault ignored;
    if (!fault) fault = &ignored;
    if (followers) *followers = NULL;
    *fault = (mote_strands_fault){MOTE_ALL_STRANDS, 0};
    if (!system || !def || !followers) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = find_guides(system, id, &strands);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    result = mote_followers_make(strands, def, &system->allocator, &system->def.jobs, followers, fault);
    mote_fpu_leave(saved);
    return result;
}

mote_result mote_followers_present(const mote_system *system, mote_followers *followers,
                                   const mote_strand_layout *layout, void *vertices, size_t bytes) {
    if (!system || !followers || !layout) return MOTE_ERROR_NULL;
    mote_strands *strands;
    mote_result result = find_guides(system, followers->strands, &strands);
    if (result) return result;
    const mote_presentation by = mote_system_presentation(system);
    mote_query query;
    mote_query_begin(&query, system);
    result = mote_followers_write(followers, strands, &by, layout, vertices, bytes);
    mote_query_end(&query);
    return result;
}
