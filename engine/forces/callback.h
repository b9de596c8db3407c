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
    uint64_t hash = mote_hash_number(mote_hash_number(seed, (uint64_t)def->as.callback.unit),
                                     (uint64_t)def->as.callback.reach);
    if (!def->as.callback.reads_velocity)
        hash = mote_hash_number(hash, UINT64_MAX); /* no callback's number */
    return def->as.callback.number ? mote_hash_number(hash, def->as.callback.number) : hash;
}

static void callback_name(const mote_force_def *def, uint32_t words[MOTE_FORCE_HOST_WORDS]) {
    words[0] = def->as.callback.number;
    words[1] = (uint32_t)def->as.callback.unit;
    words[2] = (uint32_t)def->as.callback.reach;
    words[3] = def->as.callback.reads_velocity;
}

static bool callback_take(mote_force_def *def, const uint32_t words[MOTE_FORCE_HOST_WORDS],
                          const mote_force_def *like) {
    if (like->as.callback.number != words[0] || words[3] > 1) return false;
    def->as.callback = like->as.callback;
    def->as.callback.unit = (mote_force_unit)words[1];
    def->as.callback.reach = (mote_force_reach)words[2];
    def->as.callback.reads_velocity = words[3];
    return true;
}

static const mote_force_row mote_callback_row = {.name = "callback",
                                                 .cost = 5,
                                                 .path = MOTE_PATH_CALLBACK,
                                                 .check = callback_check,
                                                 .hash = callback_hash,
                                                 .name_host = callback_name,
                                                 .take_host = callback_take};

#endif
#endif
