/* The table of forces. */
#include "forces/table.h"

#include <math.h>

#include "forces/anchor_spring.h"
#include "forces/attractor.h"
#include "forces/callback.h"
#include "forces/curl_noise.h"
#include "forces/gravity.h"
#include "forces/grid.h"
#include "forces/linear_field.h"
#include "forces/particle_anchors.h"
#include "forces/quadratic_drag.h"
#include "forces/region.h"
#include "forces/thrust.h"
#include "forces/timed_thrust.h"
#include "forces/vortex.h"
#include "forces/wind.h"

const mote_force_row *const mote_force_table[MOTE_FORCE_KIND_COUNT] = {
    [MOTE_FORCE_GRAVITY] = &mote_gravity_row,
    [MOTE_FORCE_THRUST] = &mote_thrust_row,
    [MOTE_FORCE_WIND] = &mote_wind_row,
    [MOTE_FORCE_ANCHOR_SPRING] = &mote_anchor_spring_row,
    [MOTE_FORCE_ATTRACTOR] = &mote_attractor_row,
    [MOTE_FORCE_TIMED_THRUST] = &mote_timed_thrust_row,
    [MOTE_FORCE_QUADRATIC_DRAG] = &mote_quadratic_drag_row,
    [MOTE_FORCE_PARTICLE_ANCHORS] = &mote_particle_anchors_row,
    [MOTE_FORCE_LINEAR_FIELD] = &mote_linear_field_row,
    [MOTE_FORCE_VORTEX] = &mote_vortex_row,
    [MOTE_FORCE_CURL_NOISE] = &mote_curl_noise_row,
    [MOTE_FORCE_GRID] = &mote_grid_row,
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
    if (!isfinite(def->drag)) return MOTE_ERROR_NOT_FINITE;
    if (def->drag < 0) return MOTE_ERROR_RANGE;
    if ((unsigned)def->use >= MOTE_FIELD_USE_COUNT) return MOTE_ERROR_ENUM;
    mote_result result = mote_region_check(&def->region);
    if (result) return result;
    return row->check ? row->check(def) : MOTE_OK;
}

mote_force_path mote_force_path_of(const mote_force_def *def) {
    mote_force_path path = mote_force_table[def->kind]->path;
    return path == MOTE_PATH_AFFINE && def->region.shape != MOTE_REGION_EVERYWHERE ? MOTE_PATH_POINT : path;
}

bool mote_force_gives_newtons(const mote_force_def *def) {
    const mote_force_row *row = mote_force_table[def->kind];
    if (def->kind == MOTE_FORCE_CALLBACK) return def->as.callback.unit == MOTE_NEWTONS;
    return row->field ? def->use == MOTE_FIELD_WIND : row->newtons;
}

bool mote_force_reads_velocity(const mote_force_def *def) {
    const mote_force_row *row = mote_force_table[def->kind];
    if (def->kind == MOTE_FORCE_CALLBACK) return def->as.callback.reads_velocity;
    return row->field ? def->use == MOTE_FIELD_WIND : row->reads_velocity;
}

bool mote_force_is_velocity_field(const mote_force_def *def) {
    if (def->kind == MOTE_FORCE_CALLBACK) return def->as.callback.unit == MOTE_METRES_PER_SECOND;
    return mote_force_table[def->kind]->field && def->use == MOTE_FIELD_VELOCITY;
}

const char *mote_force_name(mote_force_kind kind) {
    return (unsigned)kind < MOTE_FORCE_KIND_COUNT ? mote_force_table[kind]->name : "unknown";
}
