/* Callback: the host's own force over a block of particles. */
#ifndef MOTE_FORCES_CALLBACK_H
#define MOTE_FORCES_CALLBACK_H

#include "base/hash.h"
#include "forces/force.h"

#if defined(MOTE_FORCE_DEFINITIONS)

mote_force_def mote_callback(mote_force_callback *function, void *user) {
    return (mote_force_def){.cookie = MOTE_FORCE_COOKIE,
                            .kind = MOTE_FORCE_CALLBACK,
                            .as.callback = {.function = function,
                                            .user = user,
                                            .unit = MOTE_NEWTONS,
                                            .reach = MOTE_REACH_PARTICLE,
                                            .reads_velocity = true}};
}

static mote_result callback_check(const mote_force_def *def, const char **name) {
    if (!def->as.callback.function) return mote_named(name, "function", MOTE_ERROR_NULL);
    if ((unsigned)def->as.callback.unit > MOTE_METRES_PER_SECOND)
        return mote_named(name, "unit", MOTE_ERROR_ENUM);
    if ((unsigned)def->as.callback.reach > MOTE_REACH_RANGE)
        return mote_named(name, "reach", MOTE_ERROR_ENUM);
    const bool everywhere = def->region.shape == MOTE_REGION_EVERYWHERE;
    return everywhere ? MOTE_OK : mote_named(name, "shape", MOTE_ERROR_RANGE);
}

static uint64_t callback_hash(const mote_force_def *def, uint64_t seed) {
    return mote_hash_number(mote_hash_number(seed, (uint64_t)def->as.callback.unit),
                            (uint64_t)def->as.callback.reach);
}

static const mote_force_row mote_callback_row = {.name = "callback",
                                                 .cost = 5,
                                                 .path = MOTE_PATH_CALLBACK,
                                                 .check = callback_check,
                                                 .hash = callback_hash};

#endif
#endif
