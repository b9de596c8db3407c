/* Table of the rows of all forces, queries on it, and defs of forces limited to a region. */
#include <math.h>
#include <string.h>

#include "base/fpu.h"
#include "base/hash.h"

#define MOTE_FORCE_DEFINITIONS
#include "forces/list.h"

static const struct {
    const mote_force_row *row;
    mote_force_gives gives;
} table[MOTE_FORCE_KIND_COUNT] = {
#define ROW(kind, name, gives) [MOTE_FORCE_##kind] = {&mote_##name##_row, MOTE_GIVES_##gives},
    MOTE_FORCE_LIST(ROW)
#undef ROW
        [MOTE_FORCE_CALLBACK] = {&mote_callback_row, MOTE_GIVES_FORCE}};

static const mote_force_row *row_of(const mote_force_def *def) { return table[def->kind].row; }

static bool is_everywhere(const mote_force_def *def) { return def->region.shape == MOTE_REGION_EVERYWHERE; }

static bool is_callback(const mote_force_def *def) { return row_of(def)->path == MOTE_PATH_CALLBACK; }

/* Returns true for a field. A field used as wind is in N and reads the velocity. */
bool mote_force_is_field(const mote_force_def *def) { return table[def->kind].gives == MOTE_GIVES_FIELD; }

static mote_result check_region(const mote_region *region, const char **name) {
    if ((unsigned)region->shape >= MOTE_REGION_SHAPE_COUNT) return mote_named(name, "shape", MOTE_ERROR_ENUM);
    mote_result result = mote_named(name, "falloff", mote_value_not_negative(region->falloff));
    for (int axis = 0; axis < 3 && result == MOTE_OK; axis++) {
        result = mote_named(name, "centre", mote_value_is_finite((double)region->centre[axis]));
        if (result == MOTE_OK)
            result = mote_named(name, "extent", mote_value_not_negative(region->extent[axis]));
    }
    return result;
}

/* Returns the name of a float of def->as. */
static const char *name_of(const mote_force_row *row, uint32_t at) {
    const mote_force_field *field = row->fields;
    for (; at >= field->floats; field++) at -= field->floats;
    return field->name;
}

/* Checks the floats of def->as. */
static mote_result check_parameters(const mote_force_def *def, const mote_force_row *row, const char **name) {
    const float *parameters = (const float *)(const void *)&def->as;
    for (uint32_t i = 0; i < (row->bytes - row->integer_bytes) / sizeof(float); i++)
        if (!isfinite(parameters[i])) return mote_named(name, name_of(row, i), MOTE_ERROR_NOT_FINITE);
    for (uint32_t bits = row->not_negative; bits; bits &= bits - 1) {
        const uint32_t at = (uint32_t)__builtin_ctz(bits);
        if (parameters[at] < 0) return mote_named(name, name_of(row, at), MOTE_ERROR_RANGE);
    }
    return MOTE_OK;
}

mote_result mote_force_check(const mote_force_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != MOTE_FORCE_COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->kind >= MOTE_FORCE_KIND_COUNT) return mote_named(name, "kind", MOTE_ERROR_ENUM);
    if ((unsigned)def->use >= MOTE_FIELD_USE_COUNT) return mote_named(name, "use", MOTE_ERROR_ENUM);
    const mote_force_row *row = row_of(def);
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = check_parameters(def, row, name);
    if (result == MOTE_OK) result = mote_named(name, "drag", mote_value_not_negative(def->drag));
    if (result == MOTE_OK) result = check_region(&def->region, name);
    if (result == MOTE_OK && row->check) result = row->check(def, name);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return result;
}

mote_force_path mote_force_path_of(const mote_force_def *def) {
    const mote_force_path path = row_of(def)->path;
    return path == MOTE_PATH_AFFINE && !is_everywhere(def) ? MOTE_PATH_POINT : path;
}

bool mote_force_gives_newtons(const mote_force_def *def) {
    if (is_callback(def)) return def->as.callback.unit == MOTE_NEWTONS;
    return mote_force_is_field(def) ? def->use == MOTE_FIELD_WIND
                                    : table[def->kind].gives == MOTE_GIVES_FORCE;
}

bool mote_force_reads_velocity(const mote_force_def *def) {
    if (is_callback(def)) return def->as.callback.reads_velocity;
    return mote_force_is_field(def) ? def->use == MOTE_FIELD_WIND : row_of(def)->reads_velocity;
}

bool mote_force_reads_time(const mote_force_def *def) { return row_of(def)->reads_time; }

bool mote_force_reaches_range(const mote_force_def *def) {
    return is_callback(def) && def->as.callback.reach == MOTE_REACH_RANGE;
}

bool mote_force_needs_anchors(const mote_force_def *def) { return row_of(def)->needs_anchors; }

bool mote_force_is_velocity_field(const mote_force_def *def) {
    if (is_callback(def)) return def->as.callback.unit == MOTE_METRES_PER_SECOND;
    return mote_force_is_field(def) && def->use == MOTE_FIELD_VELOCITY;
}

bool mote_force_is_attractor(const mote_force_def *def) {
    return row_of(def)->attracts && is_everywhere(def);
}

bool mote_force_drags(const mote_force_def *def) { return mote_quadratic_drag_is(def); }

bool mote_force_is_quadratic_drag(const mote_force_def *def) {
    return mote_quadratic_drag_is(def) && is_everywhere(def);
}

bool mote_force_is_constant(const mote_force_def *def) { return mote_gravity_is(def) || mote_thrust_is(def); }

float mote_force_damping(const mote_force_def *def) {
    if (mote_force_path_of(def) != MOTE_PATH_POINT) return 0;
    if (mote_force_is_field(def)) return def->use == MOTE_FIELD_WIND ? def->drag : 0;
    float damping = 0;
    const size_t at = row_of(def)->damping;
    if (at) memcpy(&damping, (const char *)def + at, sizeof damping);
    return damping;
}

bool mote_force_is_noise(const mote_force_def *def) { return row_of(def)->noise && is_everywhere(def); }

double mote_force_cost(const mote_force_def *def) {
    const double region = is_everywhere(def) ? 0 : 1.5; /* and of the force in it, which is not folded */
    return row_of(def)->cost + region;
}

void mote_force_fold(const mote_force_def *def, mote_affine *acceleration, mote_affine *force) {
    row_of(def)->fold(def, mote_force_gives_newtons(def) ? force : acceleration);
}

bool mote_force_has_potential(const mote_force_def *def) {
    return row_of(def)->potential && is_everywhere(def);
}

double mote_force_potential(const mote_force_def *def, const mote_force_place *at) {
    return mote_force_has_potential(def) ? row_of(def)->potential(def, at) : 0;
}

uint64_t mote_force_hash(const mote_force_def *def, uint64_t seed) {
    const mote_force_row *row = row_of(def);
    uint64_t hash = mote_hash_number(seed, (uint64_t)def->kind);
    if (row->hash) hash = row->hash(def, hash);
    if (row->path == MOTE_PATH_CALLBACK) return hash;
    hash = mote_hash_words(hash, &def->region, sizeof def->region);
    hash = mote_hash_number(mote_hash_words(hash, &def->drag, sizeof def->drag), (uint64_t)def->use);
    return mote_hash_words(hash, &def->as, row->bytes);
}

/* --- Snapshots --- */

/* Words of a force: kind, region, use, drag ... */
enum {
    KIND,
    REGION,
    USE = REGION + sizeof(mote_region) / 4,
    DRAG,
    HOST,
    PARAMETERS = HOST + MOTE_FORCE_HOST_WORDS
};
_Static_assert(PARAMETERS + MOTE_PARAMETERS(timed_thrust) / 4 <= MOTE_FORCE_WORDS,
               "the longest parameters fit");

void mote_force_pack(const mote_force_def *def, uint32_t words[MOTE_FORCE_WORDS]) {
    const mote_force_row *row = row_of(def);
    memset(words, 0, MOTE_FORCE_WORDS * sizeof *words);
    words[KIND] = (uint32_t)def->kind;
    words[USE] = (uint32_t)def->use;
    memcpy(words + REGION, &def->region, sizeof def->region);
    memcpy(words + DRAG, &def->drag, sizeof def->drag);
    memcpy(words + PARAMETERS, &def->as, row->bytes);
    if (row->name_host) row->name_host(def, words + HOST);
}

bool mote_force_unpack(mote_force_def *def, const uint32_t words[MOTE_FORCE_WORDS],
                       const mote_force_def *like, uint32_t count) {
    *def = (mote_force_def){
        .cookie = MOTE_FORCE_COOKIE, .kind = (mote_force_kind)words[KIND], .use = (mote_field_use)words[USE]};
    if (words[KIND] >= MOTE_FORCE_KIND_COUNT) return false;
    const mote_force_row *row = row_of(def);
    memcpy(&def->region, words + REGION, sizeof def->region);
    memcpy(&def->drag, words + DRAG, sizeof def->drag);
    memcpy(&def->as, words + PARAMETERS, row->bytes);
    if (!row->take_host) return true;
    for (uint32_t i = 0; i < count; i++)
        if (like[i].kind == def->kind && row->take_host(def, words + HOST, &like[i])) return true;
    return false;
}

const char *mote_force_name(mote_force_kind kind) {
    return (unsigned)kind < MOTE_FORCE_KIND_COUNT ? table[kind].row->name : "unknown";
}

/* --- Regions --- */

mote_force_def mote_in_box(mote_force_def force, const float centre[3], const float extent[3],
                           float falloff) {
    force.region = (mote_region){.shape = MOTE_REGION_BOX, .falloff = falloff};
    mote_copy_vector(force.region.centre, centre);
    mote_copy_vector(force.region.extent, extent);
    return force;
}

mote_force_def mote_in_sphere(mote_force_def force, const float centre[3], float radius, float falloff) {
    force.region = (mote_region){.shape = MOTE_REGION_SPHERE, .extent = {radius, 0, 0}, .falloff = falloff};
    mote_copy_vector(force.region.centre, centre);
    return force;
}
