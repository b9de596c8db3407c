/* Defs of strands that are refused or accepted. */
#ifndef TESTS_STRAND_REFUSALS_H
#define TESTS_STRAND_REFUSALS_H

#include "random_strands.h"

/* Whether a fault names a parameter; "air_velocity[0]" is one of air_velocity. */
static inline void assert_names(const mote_strands_fault *fault, const char *parameter) {
    assert_non_null(fault->parameter);
    const size_t length = strcspn(parameter, "[");
    if (strlen(fault->parameter) != length || strncmp(fault->parameter, parameter, length) != 0)
        fail_msg("parameter %s, not %s", fault->parameter, parameter);
}

/* Refused with this code at this strand and point, for this parameter (NULL: none is named); nothing is
 * allocated or changed. */
static inline void refuse(const mote_strands_def *def, const char *parameter, mote_result want,
                          uint32_t strand, uint32_t point) {
    memory_ledger ledger = {0};
    mote_system *system = make_system(&ledger);
    mote_strands_id id = {5, 5};
    mote_strands_fault fault = {77, 77, "none"};
    const uint64_t bytes = ledger.live_bytes;
    REFUSED(system, want, mote_system_add_strands(system, def, &id, &fault));
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    ASSERT(fault.strand, ==, strand);
    ASSERT(fault.point, ==, point);
    if (parameter)
        assert_names(&fault, parameter);
    else
        assert_null(fault.parameter);
    REFUSED(system, want, mote_system_add_strands(system, def, &id, NULL));
    ASSERT(ledger.live_bytes, ==, bytes);
    ASSERT(system->ranges[MOTE_KIND_STRANDS].count, ==, 0);
    mote_system_destroy(system);
    ASSERT(ledger.faults, ==, 0);
}

static inline void accept(const mote_strands_def *def) {
    mote_system *system = make_system(NULL);
    mote_strands_id id;
    assert_int_equal(mote_system_add_strands(system, def, &id, NULL), MOTE_OK);
    mote_system_destroy(system);
}

static strands s;

/* Whether a def of 17 strands is refused, or accepted, after these assignments. */
#define BAD(parameter, code, strand, point, ...)                                                             \
    (make_strands(&s, 17, 9, 5), __VA_ARGS__, test_case("%s", #__VA_ARGS__),                                 \
     refuse(&s.def, parameter, code, strand, point))
#define GOOD(...) (make_strands(&s, 17, 9, 5), __VA_ARGS__, test_case("%s", #__VA_ARGS__), accept(&s.def))
#define ALL       MOTE_ALL_STRANDS

#endif
