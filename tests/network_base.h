/* Helpers shared by all tests of networks and links. Needs nothing but mote where OK, which checks the result
 * of a call, is defined already. */
#ifndef MOTE_TESTS_NETWORK_BASE_H
#define MOTE_TESTS_NETWORK_BASE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#ifndef OK
#define OK(call) assert_int_equal(call, MOTE_OK)
#endif

static const double UNIT = 0x1p-24; /* the largest relative error of one float32 rounding */

static inline mote_system *make_system(const mote_system_def *def) {
    mote_system *system;
    OK(mote_system_create(def, &system));
    return system;
}

static inline void add_force(mote_system *system, mote_force_def def) {
    mote_force_id id;
    OK(mote_system_add_force(system, &def, &id));
}

static inline mote_collider_id add_collider(mote_system *system, mote_collider_def def) {
    mote_collider_id id;
    OK(mote_system_add_collider(system, &def, &id));
    return id;
}

static inline mote_network_id add_network(mote_system *system, const mote_network_def *def) {
    mote_network_id id;
    OK(mote_system_add_network(system, def, &id, NULL));
    return id;
}

static inline mote_network_step_report step_report(const mote_system *system, mote_network_id id) {
    mote_network_step_report report;
    OK(mote_network_report(system, id, &report));
    return report;
}

static inline mote_statistics statistics_of(const mote_system *system, mote_network_id id) {
    mote_statistics statistics;
    OK(mote_network_statistics(system, id, &statistics));
    return statistics;
}

static inline mote_network_stability_report stability_of(const mote_system *system, mote_network_id id) {
    mote_network_stability_report report;
    OK(mote_network_stability(system, id, &report));
    return report;
}

static inline mote_spring spring_of(const mote_system *system, mote_network_id id, uint32_t number) {
    mote_spring spring;
    OK(mote_network_spring(system, id, number, &spring));
    return spring;
}

/* Position (0, 1, 2) and velocity (3, 4, 5) of a particle. */
static inline float *column_of(mote_system *system, mote_network_id id, uint32_t particle, uint32_t column) {
    const mote_network_view v = mote_network_columns(system, id);
    float *const all[6] = {v.position.x, v.position.y, v.position.z,
                           v.velocity.x, v.velocity.y, v.velocity.z};
    return &all[column][v.slot[particle]];
}

/* Everything that the system allocated is released. */
static inline void destroy_watched(mote_system *system, const memory_ledger *ledger) {
    mote_system_destroy(system);
    ASSERT(ledger->faults, ==, 0);
    ASSERT(ledger->live_bytes, ==, 0);
}

#endif
