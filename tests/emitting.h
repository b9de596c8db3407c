/* Systems with emitters, for tests. */
#ifndef MOTE_TESTS_EMITTING_H
#define MOTE_TESTS_EMITTING_H

#include "support.h"

static inline mote_system_def emitting_def(uint32_t capacity) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity;
    return def;
}

static inline mote_system *make_system(const mote_system_def *def) {
    mote_system *system;
    assert_int_equal(mote_system_create(def, &system), MOTE_OK);
    return system;
}

static inline mote_emitter_id add(mote_system *system, const mote_emitter_def *def) {
    mote_emitter_id id;
    const char *parameter;
    assert_int_equal(mote_emitter_check(def, &parameter), MOTE_OK);
    assert_null(parameter);
    assert_int_equal(mote_system_add_emitter(system, def, &id), MOTE_OK);
    return id;
}

static inline mote_advance step(mote_system *system, uint32_t steps) {
    mote_advance report;
    assert_int_equal(mote_system_step(system, steps, &report), MOTE_OK);
    return report;
}

#endif
