/* The table of forces. */
#include "forces/table.h"

#include <math.h>

#include "forces/anchor_spring.h"
#include "forces/attractor.h"
#include "forces/callback.h"
#include "forces/gravity.h"
#include "forces/thrust.h"
#include "forces/wind.h"

const mote_force_row *const mote_force_table[MOTE_FORCE_KIND_COUNT] = {
    [MOTE_FORCE_GRAVITY] = &mote_gravity_row,
    [MOTE_FORCE_THRUST] = &mote_thrust_row,
    [MOTE_FORCE_WIND] = &mote_wind_row,
    [MOTE_FORCE_ANCHOR_SPRING] = &mote_anchor_spring_row,
    [MOTE_FORCE_ATTRACTOR] = &mote_attractor_row,
    [MOTE_FORCE_CALLBACK] = &mote_callback_row,
};

void mote_copy_vector(float to[3], const float *from) {
    for (int axis = 0; axis < 3; axis++) to[axis] = from ? from[axis] : NAN;
}

mote_result mote_check_not_negative(float value) { return value < 0 ? MOTE_ERROR_RANGE : MOTE_OK; }

mote_result mote_force_check(const mote_force_def *def) {
    if (!def) return MOTE_ERROR_NULL;
    if ((unsigned)def->kind >= MOTE_FORCE_KIND_COUNT) return MOTE_ERROR_ENUM;
    const mote_force_row *row = mote_force_table[def->kind];
    for (uint32_t i = 0; i < row->parameters; i++)
        if (!isfinite(mote_force_parameters(def)[i])) return MOTE_ERROR_NOT_FINITE;
    return row->check ? row->check(def) : MOTE_OK;
}

const char *mote_force_name(mote_force_kind kind) {
    return (unsigned)kind < MOTE_FORCE_KIND_COUNT ? mote_force_table[kind]->name : "unknown";
}
