/* A host in C with cglm: passes its vectors, by the array interface or, with -DSTRUCTS, by the struct one. */
#if defined(STRUCTS)
#include <cglm/struct.h>
#else
#include <cglm/cglm.h>
#endif

#include <mote/cglm.h>
#include <mote/mote.h>

#include <stdio.h>

#if defined(STRUCTS)
static mote_force_def falls(void) {
    const vec3s down = {{0.0f, -9.81f, 0.0f}};
    return mote_gravity(down.raw);
}

static mote_transform placement(void) {
    const mat4s model = glms_translate_make((vec3s){{1.0f, 2.0f, 3.0f}});
    mat4 copy;
    glm_mat4_copy((vec4 *)model.raw, copy);
    return mote_transform_from_mat4(copy);
}
#else
static mote_force_def falls(void) {
    vec3 down = {0.0f, -9.81f, 0.0f};
    return mote_gravity(down);
}

static mote_transform placement(void) {
    mat4 model;
    vec3 where = {1.0f, 2.0f, 3.0f};
    glm_translate_make(model, where);
    return mote_transform_from_mat4(model);
}
#endif

/* cglm stores columns, mote reads rows: (1, 0, 0) becomes (0, 1, 0). */
static mote_force_def whirls(void) {
    mat3 turn = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}};
    float rows[9];
    mote_matrix_from_mat3(turn, rows);
    return mote_linear_field((const float[3]){1, 2, 3}, rows, MOTE_FIELD_WIND, 1);
}

int main(void) {
    const mote_force_def gravity = falls(), whirl = whirls();
    const mote_transform at = placement();
    mote_system_def def = mote_default_system_def();
    mote_force_id force;
    mote_range_view view;
    mote_system *system;
    if (mote_system_create(&def, &system)) return 1;
    if (mote_system_add_force(system, &gravity, &force) || mote_system_spawn(system, 1, &view)) return 2;
    for (int i = 0; i < 3; i++) (&view.position.x)[i][0] = at.position[i];
    if (mote_system_step(system, 1, NULL)) return 3;
    view = mote_system_view(system);
    if (view.position.x[0] != 1.0f || !(view.position.y[0] < 2.0f) || view.position.z[0] != 3.0f) return 4;
    const float falling = view.velocity.y[0];
    if (mote_system_add_force(system, &whirl, &force)) return 5;
    view.position.x[0] = 11, view.position.y[0] = 2;
    if (mote_system_step(system, 1, NULL) || !(mote_system_view(system).velocity.y[0] > falling)) return 6;
    mote_system_destroy(system);
    return 0;
}
