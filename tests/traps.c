/* A host that lets floating-point exceptions end the program, as debug builds of games do: the checks of its
 * numbers refuse bad ones with a code, and compute nothing under the traps. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <mote/mote.h>

#include "systems.h"

#if defined(__GLIBC__)
#define TRAPS (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)

/* A quiet and a signalling NaN, infinity, both largest numbers, the least one: read as bytes, since loads of
 * some processors trap. */
static const uint32_t floats[] = {0x7fc00000, 0x7fa00000, 0x7f800000, 0x7f7fffff, 0xff7fffff, 1};
static const uint64_t doubles[] = {0x7ff8000000000000, 0x7ff4000000000000, 0x7ff0000000000000,
                                   0x7fefffffffffffff, 0xffefffffffffffff, 1};

static bool traps(void) {
    const bool can = feenableexcept(TRAPS) != -1;
    (void)fedisableexcept(TRAPS);
    return can;
}

/* Calls `call` under traps with each float and each double of the tables at each place of `def`, and with two
 * floats beside each other. */
#define UNDER_TRAPS(def, call)                                                                               \
    do {                                                                                                     \
        unsigned char good_[sizeof(def)];                                                                    \
        memcpy(good_, &(def), sizeof good_);                                                                 \
        for (size_t at_ = 0; at_ + 4 <= sizeof good_; at_ += 4)                                              \
            for (size_t i_ = 0; i_ < 6; i_++) {                                                              \
                if (at_ % 8 == 0) {                                                                          \
                    memcpy((char *)&(def) + at_, &doubles[i_], at_ + 8 <= sizeof good_ ? 8 : 4);             \
                    RUN(call, at_);                                                                          \
                    memcpy(&(def), &good_, sizeof good_);                                                    \
                }                                                                                            \
                memcpy((char *)&(def) + at_, &floats[i_], 4);                                                \
                RUN(call, at_);                                                                              \
                memcpy((char *)&(def) + at_ + (at_ + 8 <= sizeof good_ ? 4 : 0), &floats[(i_ + 1) % 6], 4);  \
                RUN(call, at_);                                                                              \
                memcpy(&(def), &good_, sizeof good_);                                                        \
            }                                                                                                \
    } while (0)
#define RUN(call, at)                                                                                        \
    do {                                                                                                     \
        test_case("byte %zu", at);                                                                           \
        (void)feclearexcept(FE_ALL_EXCEPT);                                                                  \
        (void)feenableexcept(TRAPS);                                                                         \
        (void)(call);                                                                                        \
        (void)fedisableexcept(TRAPS);                                                                        \
    } while (0)

TEST(checks_of_forces_do_not_trap) {
    if (!traps()) skip();
    const float zero[3] = {0, 0, 0}, axis[3] = {0, 1, 0};
    mote_force_def vortex = mote_vortex(zero, axis, 2, 0.1f, MOTE_FIELD_WIND, 1);
    UNDER_TRAPS(vortex, mote_force_check(&vortex, NULL));
    mote_force_def gravity = mote_gravity(axis);
    UNDER_TRAPS(gravity, mote_force_check(&gravity, NULL));
}

TEST(checks_of_emitters_do_not_trap) {
    if (!traps()) skip();
    mote_emitter_def def = mote_default_emitter_def();
    UNDER_TRAPS(def, mote_emitter_check(&def, NULL));
}

/* Pointers and functions of a def are not read by its check. */
TEST(checks_of_systems_do_not_trap) {
    if (!traps()) skip();
    mote_system_def def = mote_default_system_def();
    UNDER_TRAPS(def, mote_system_def_check(&def, NULL));
}

TEST(checks_of_columns_do_not_trap) {
    if (!traps()) skip();
    mote_columns columns = {.mass = 1};
    mote_columns_def def = mote_default_columns_def();
    UNDER_TRAPS(def.timestep, mote_columns_check(&columns, &def, NULL));
    UNDER_TRAPS(def.time, mote_columns_check(&columns, &def, NULL));
    UNDER_TRAPS(columns.mass, mote_columns_check(&columns, &def, NULL));
}

TEST(limits_of_steps_do_not_trap) {
    if (!traps()) skip();
    double s[4];
    for (uint32_t kind = 0; kind < MOTE_INTEGRATOR_COUNT; kind++)
        for (size_t i = 0; i < 6; i++)
            for (size_t k = 0; k < 6; k++)
                for (size_t j = 0; j < 6; j++) {
                    memcpy(s, &doubles[i], 8), memcpy(s + 1, &doubles[k], 8), memcpy(s + 2, &doubles[j], 8);
                    double step = 0;
                    RUN(step = mote_integrator_stable_step((mote_integrator)kind, s[0], s[1], s[2]), i);
                    ASSERT(step < 0, ==, false);
                    RUN(mote_strand_substeps(33, s[0], s[1], s[2]), i);
                }
    ASSERT(mote_strand_substeps(33, NAN, 9.81, 0.02), ==, 1);
}

TEST(checks_of_layouts_do_not_trap) {
    if (!traps()) skip();
    const mote_system_def def = mote_default_system_def();
    mote_system *system;
    OK(mote_system_create(&def, &system));
    mote_present_layout layout = mote_default_present_layout();
    mote_size_key keys[3] = {{.life = 0, .size = 1}, {.life = 0.5f, .size = 2}, {.life = 1, .size = 3}};
    layout.size_offset = 12, layout.size_keys = keys, layout.size_key_count = 3, layout.stride = 32;
    OK(mote_present_layout_check(system, &layout, NULL));
    UNDER_TRAPS(keys, mote_present_layout_check(system, &layout, NULL));
    UNDER_TRAPS(layout.origin, mote_present_layout_check(system, &layout, NULL));
    keys[0].size = -FLT_MAX, keys[1].size = FLT_MAX;
    ASSERT(mote_present_layout_check(system, &layout, NULL), ==, MOTE_ERROR_NOT_FINITE);
    mote_system_destroy(system);
}
#else
TEST(this_host_has_no_traps) { skip(); }
#endif
