/* The strands and networks inside a system, for tests that read and change their columns. */
#ifndef MOTE_TESTS_INSIDE_H
#define MOTE_TESTS_INSIDE_H

#include "test.h"

#include "networks/kernels.h"
#include "strands/kernels.h"
#include "system/internal.h"

static inline mote_network *network_inside(const mote_system *system, mote_network_id id) {
    mote_range *range = mote_system_range(system, MOTE_KIND_NETWORK, MOTE_ID(id));
    assert_non_null(range);
    return mote_network_of(range);
}

static inline mote_strands *strands_inside(const mote_system *system, mote_strands_id id) {
    mote_range *range = mote_system_range(system, MOTE_KIND_STRANDS, MOTE_ID(id));
    assert_non_null(range);
    return mote_strands_of(range);
}

#endif
