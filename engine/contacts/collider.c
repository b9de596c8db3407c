/* Collider defs and their checks. */
#include <mote/collider.h>

#include <math.h>

#include "base/check.h"
#include "base/fpu.h"
#include "contacts/colliders.h"
#include "contacts/motion.h"

#define FRICTION    0.5f
#define RESTITUTION 0.3f

static mote_collider_def make_def(mote_collider_kind kind, float radius) {
    return (mote_collider_def){.cookie = MOTE_COLLIDER_COOKIE,
                               .kind = kind,
                               .transform = MOTE_TRANSFORM_IDENTITY,
                               .radius = radius,
                               .friction = FRICTION,
                               .restitution = RESTITUTION};
}

/* Computes the shortest rotation from the y axis to d: the quaternion (y x d, |d| + d_y), normalised; half a
 * turn about x if that is 0. Returns |d|. */
static double rotate_y_to(const double d[3], float rotation[4]) {
    const double across = d[0] * d[0] + d[2] * d[2], length = __builtin_sqrt(across + d[1] * d[1]);
    const double w = length + d[1], square = across + w * w, size = __builtin_sqrt(square);
    rotation[0] = (float)(d[2] / size);
    rotation[1] = 0;
    rotation[2] = (float)(-d[0] / size);
    rotation[3] = (float)(w / size);
    if (square == 0 && d[1] < 0) rotation[0] = 1, rotation[2] = rotation[3] = 0;
    return length;
}

/* Returns a component of a vector; NaN if there is none, so that the check of the def fails. */
static float component(const float *vector, int i) { return vector ? vector[i] : NAN; }

mote_collider_def mote_sphere(const float centre[3], float radius) {
    mote_collider_def def = make_def(MOTE_COLLIDER_SPHERE, radius);
    for (int i = 0; i < 3; i++) def.transform.position[i] = component(centre, i);
    return def;
}

mote_collider_def mote_capsule(const float a[3], const float b[3], float radius) {
    mote_collider_def def = make_def(MOTE_COLLIDER_CAPSULE, radius);
    double along[3];
    mote_fpu_state saved = mote_fpu_enter();
    for (int i = 0; i < 3; i++) {
        const double from = (double)component(a, i), to = (double)component(b, i);
        def.transform.position[i] = (float)((from + to) / 2);
        along[i] = (to - from) / 2;
    }
    def.half_length = (float)rotate_y_to(along, def.transform.rotation);
    if (def.half_length == 0)
        def.transform.rotation[0] = def.transform.rotation[2] = 0, def.transform.rotation[3] = 1;
    MOTE_FPU_COMPUTED(def);
    mote_fpu_leave(saved);
    return def;
}

/* Makes a quaternion of length 0 from a normal of length 0, so that the check fails. */
mote_collider_def mote_plane(const float point[3], const float normal[3]) {
    mote_collider_def def = make_def(MOTE_COLLIDER_PLANE, 0);
    mote_fpu_state saved = mote_fpu_enter();
    const double up[3] = {(double)component(normal, 0), (double)component(normal, 1),
                          (double)component(normal, 2)};
    const double length = rotate_y_to(up, def.transform.rotation);
    for (int i = 0; i < 4 && length == 0; i++) def.transform.rotation[i] = 0;
    MOTE_FPU_COMPUTED(def);
    mote_fpu_leave(saved);
    for (int i = 0; i < 3; i++) def.transform.position[i] = component(point, i);
    return def;
}

mote_collider_def mote_box(const mote_transform *transform, const float extent[3]) {
    mote_collider_def def = make_def(MOTE_COLLIDER_BOX, 0);
    if (transform) def.transform = *transform;
    if (!transform) def.transform.position[0] = NAN;
    for (int i = 0; i < 3; i++) def.extent[i] = component(extent, i);
    return def;
}

static mote_collider_def make_grid(mote_collider_kind kind, const mote_transform *transform) {
    mote_collider_def def = make_def(kind, 0);
    if (transform) def.transform = *transform;
    if (!transform) def.transform.position[0] = NAN;
    return def;
}

mote_collider_def mote_height_field_collider(const mote_transform *transform,
                                             const mote_height_field *field) {
    mote_collider_def def = make_grid(MOTE_COLLIDER_HEIGHT_FIELD, transform);
    def.height_field = field;
    return def;
}

mote_collider_def mote_distance_grid_collider(const mote_transform *transform,
                                              const mote_distance_grid *grid) {
    mote_collider_def def = make_grid(MOTE_COLLIDER_DISTANCE_GRID, transform);
    def.distance_grid = grid;
    return def;
}

static mote_result check_sizes(const mote_collider_def *def, const char **name) {
    const struct {
        const char *name;
        float value;
    } row[] = {{"radius", def->radius},          {"half_length", def->half_length},
               {"extent", def->extent[0]},       {"extent", def->extent[1]},
               {"extent", def->extent[2]},       {"friction", def->friction},
               {"restitution", def->restitution}};
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < sizeof row / sizeof *row && result == MOTE_OK; i++)
        result = mote_named(name, row[i].name, mote_value_not_negative(row[i].value));
    if (result == MOTE_OK && def->restitution > 1) result = mote_named(name, "restitution", MOTE_ERROR_RANGE);
    return result;
}

mote_result mote_collider_check(const mote_collider_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != MOTE_COLLIDER_COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->kind >= MOTE_COLLIDER_KIND_COUNT) return mote_named(name, "kind", MOTE_ERROR_ENUM);
    if ((unsigned)def->response >= MOTE_RESPONSE_COUNT) return mote_named(name, "response", MOTE_ERROR_ENUM);
    if (def->kind == MOTE_COLLIDER_HEIGHT_FIELD && !def->height_field)
        return mote_named(name, "height_field", MOTE_ERROR_NULL);
    if (def->kind == MOTE_COLLIDER_DISTANCE_GRID && !def->distance_grid)
        return mote_named(name, "distance_grid", MOTE_ERROR_NULL);
    mote_result result = mote_named(name, "transform", mote_motion_check(&def->transform));
    if (result == MOTE_OK) result = check_sizes(def, name);
    if (result) return result;
    const bool is_round = def->kind == MOTE_COLLIDER_SPHERE || def->kind == MOTE_COLLIDER_CAPSULE;
    if (is_round && mote_float_is_zero(def->radius)) return mote_named(name, "radius", MOTE_ERROR_RANGE);
    /* A box without radius is at least a plate. */
    int edges = 0;
    for (int axis = 0; axis < 3; axis++) edges += !mote_float_is_zero(def->extent[axis]);
    const bool is_line = def->kind == MOTE_COLLIDER_BOX && mote_float_is_zero(def->radius) && edges < 2;
    return is_line ? mote_named(name, "extent", MOTE_ERROR_RANGE) : MOTE_OK;
}
