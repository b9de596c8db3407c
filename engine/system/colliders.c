/* The colliders of a system: defs, checks, and the calls of collider.h. Ids: the index is a serial number
 * never used twice, the generation marks the system. */
#include <mote/collider.h>

#include <math.h>

#include "base/fpu.h"
#include "system/internal.h"

#define FRICTION 0.5f

/* --- Defs --- */

static mote_collider_def make_def(mote_collider_kind kind, float radius) {
    return (mote_collider_def){
        .kind = kind, .transform = MOTE_TRANSFORM_IDENTITY, .radius = radius, .friction = FRICTION};
}

/* The shortest turn that takes the y axis to d: (y x d, |d| + d_y) over its length; half a turn about x where
 * that is 0. Returns |d|. */
static double turn_y_to(const double d[3], float rotation[4]) {
    const double across = d[0] * d[0] + d[2] * d[2], length = __builtin_sqrt(across + d[1] * d[1]);
    const double w = length + d[1], square = across + w * w, size = __builtin_sqrt(square);
    rotation[0] = (float)(d[2] / size);
    rotation[1] = 0;
    rotation[2] = (float)(-d[0] / size);
    rotation[3] = (float)(w / size);
    if (square == 0 && d[1] < 0) rotation[0] = 1, rotation[2] = rotation[3] = 0;
    return length;
}

mote_collider_def mote_sphere(const vec3 centre, float radius) {
    mote_collider_def def = make_def(MOTE_COLLIDER_SPHERE, radius);
    for (int i = 0; i < 3; i++) def.transform.position[i] = centre[i];
    return def;
}

mote_collider_def mote_capsule(const vec3 a, const vec3 b, float radius) {
    mote_collider_def def = make_def(MOTE_COLLIDER_CAPSULE, radius);
    double along[3];
    mote_fpu_state saved = mote_fpu_enter();
    for (int i = 0; i < 3; i++) {
        def.transform.position[i] = (float)(((double)a[i] + (double)b[i]) / 2);
        along[i] = ((double)b[i] - (double)a[i]) / 2;
    }
    def.half_length = (float)turn_y_to(along, def.transform.rotation);
    if (def.half_length == 0)
        def.transform.rotation[0] = def.transform.rotation[2] = 0, def.transform.rotation[3] = 1;
    mote_fpu_leave(saved);
    return def;
}

/* A normal of length 0 becomes a quaternion of length 0, which no check lets pass. */
mote_collider_def mote_plane(const vec3 point, const vec3 normal) {
    mote_collider_def def = make_def(MOTE_COLLIDER_PLANE, 0);
    const double up[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    mote_fpu_state saved = mote_fpu_enter();
    const double length = turn_y_to(up, def.transform.rotation);
    for (int i = 0; i < 4 && length == 0; i++) def.transform.rotation[i] = 0;
    mote_fpu_leave(saved);
    for (int i = 0; i < 3; i++) def.transform.position[i] = point[i];
    return def;
}

mote_collider_def mote_box(const mote_transform *transform, const vec3 extent) {
    mote_collider_def def = make_def(MOTE_COLLIDER_BOX, 0);
    def.transform = *transform;
    for (int i = 0; i < 3; i++) def.extent[i] = extent[i];
    return def;
}

mote_result mote_collider_check(const mote_collider_def *def) {
    if (!def) return MOTE_ERROR_NULL;
    if ((unsigned)def->kind >= MOTE_COLLIDER_KIND_COUNT) return MOTE_ERROR_ENUM;
    const float sizes[] = {def->radius,    def->half_length, def->extent[0],
                           def->extent[1], def->extent[2],   def->friction};
    for (int i = 0; i < 6; i++)
        if (!isfinite(sizes[i])) return MOTE_ERROR_NOT_FINITE;
    mote_result result = mote_motion_check(&def->transform);
    if (result) return result;
    for (int i = 0; i < 6; i++)
        if (sizes[i] < 0) return MOTE_ERROR_RANGE;
    const bool round = def->kind == MOTE_COLLIDER_SPHERE || def->kind == MOTE_COLLIDER_CAPSULE;
    return round && def->radius == 0 ? MOTE_ERROR_RANGE : MOTE_OK;
}

/* --- The list --- */

static mote_collider *find(mote_system *system, mote_collider_id id) {
    mote_collider_list *list = &system->colliders;
    const uint32_t place =
        id.generation == mote_system_mark(system) ? mote_colliders_find(list, id.index) : list->count;
    return place < list->count ? &list->colliders[place] : NULL;
}

mote_result mote_system_add_collider(mote_system *system, const mote_collider_def *def,
                                     mote_collider_id *id) {
    if (id) *id = (mote_collider_id){0, 0};
    if (!system || !def || !id) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_result result = mote_collider_check(def);
    if (result) return result;
    for (uint32_t place = 0; place < system->strands_count; place++)
        if (system->strands_objects[place]->def.solver == MOTE_STRAND_CONSERVING)
            return MOTE_ERROR_INTEGRATOR;
    uint32_t serial;
    mote_fpu_state saved = mote_fpu_enter();
    result = mote_colliders_add(&system->colliders, def, &system->allocator, &serial);
    mote_fpu_leave(saved);
    if (result == MOTE_OK) *id = (mote_collider_id){serial, mote_system_mark(system)};
    return result;
}

mote_result mote_system_set_collider(mote_system *system, mote_collider_id id, const mote_collider_def *def) {
    if (!system || !def) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_collider *collider = find(system, id);
    if (!collider) return MOTE_ERROR_ID;
    mote_result result = mote_collider_check(def);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    collider->def = *def;
    collider->motion = mote_motion_place(&def->transform);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_move_collider(mote_system *system, mote_collider_id id, const mote_transform *target,
                                      uint64_t tick) {
    if (!system || !target) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_collider *collider = find(system, id);
    if (!collider) return MOTE_ERROR_ID;
    mote_result result = mote_motion_check(target);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    mote_motion_target(&collider->motion, system->clock.step * system->clock.ticks_per_step, target, tick);
    mote_fpu_leave(saved);
    return MOTE_OK;
}

mote_result mote_system_remove_collider(mote_system *system, mote_collider_id id) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_collider *collider = find(system, id);
    if (!collider) return MOTE_ERROR_ID;
    mote_colliders_remove(&system->colliders, (uint32_t)(collider - system->colliders.colliders));
    return MOTE_OK;
}
