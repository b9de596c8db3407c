#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/cglm.h>

extern const scene scene_fountain, scene_galaxy, scene_smoke, scene_field, scene_rope, scene_bridge,
    scene_cloth, scene_hair, scene_rods, scene_lab, scene_blend, scene_lockstep;

const scene *const scenes[] = {&scene_hair,  &scene_fountain, &scene_cloth,  &scene_rope,  &scene_bridge,
                               &scene_rods,  &scene_smoke,    &scene_galaxy, &scene_field, &scene_lab,
                               &scene_blend, &scene_lockstep, NULL};

const scene *scene_find(const char *name) {
    for (int i = 0; scenes[i]; i++)
        if (!strcmp(scenes[i]->name, name)) return scenes[i];
    return NULL;
}

void must(mote_result result, const char *call) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "viewer: %s: %s\n", call, mote_result_text(result));
    exit(1);
}

mote_system_def scene_def(uint32_t capacity, uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = capacity, def.substeps = substeps;
    return def;
}

void scene_make_system(scene_state *s, mote_system_def *def) {
    if (s->substeps) def->substeps = s->substeps;
    if (s->integrator >= 0) def->integrator = (mote_integrator)s->integrator;
    if (s->workers > 1) def->jobs = mote_jobs_openmp(s->workers);
    must(mote_system_create(def, &s->system), "mote_system_create");
}

void scene_gravity(mote_system *system, float y) {
    const mote_force_def gravity = mote_gravity((const float[3]){0, y, 0});
    mote_force_id id;
    must(mote_system_add_force(system, &gravity, &id), "mote_system_add_force");
}

double scene_time(const scene_state *s) {
    return fmax(0, mote_system_time(s->system) + ((double)s->alpha - 1) * mote_system_timestep(s->system));
}

double scene_time_after(const scene_state *s, double seconds) {
    const double step = mote_system_timestep(s->system);
    return mote_system_time(s->system) + step * floor((double)s->alpha + seconds / step + 1e-6);
}

mote_collider_id scene_add_collider(mote_system *system, const mote_collider_def *def) {
    mote_collider_id id;
    must(mote_system_add_collider(system, def, &id), "mote_system_add_collider");
    return id;
}

/* Taylor's series about the nearest whole turn. */
static float series(float angle, int first) {
    const double turn = 6.283185307179586, x = (double)angle - turn * floor((double)angle / turn + 0.5);
    double term = first ? x : 1, sum = term;
    for (int n = first + 1; n < 26; n += 2) {
        term *= -x * x / (n * (n + 1));
        sum += term;
    }
    return (float)sum;
}

float scene_sine(float angle) { return series(angle, 1); }
float scene_cosine(float angle) { return series(angle, 0); }

float scene_place_between(const float from[3], const float to[3], mat4 at) {
    vec3 way, middle, up = {0, 1, 0};
    versor turn;
    mat4 rotation;
    glm_vec3_sub((float *)to, (float *)from, way);
    const float length = glm_vec3_norm(way);
    glm_vec3_lerp((float *)from, (float *)to, 0.5f, middle);
    glm_translate_make(at, middle);
    if (length < 1e-6f) return length;
    glm_vec3_scale(way, 1 / length, way);
    glm_quat_from_vecs(up, way, turn);
    glm_quat_mat4(turn, rotation);
    glm_mat4_mul(at, rotation, at);
    return length;
}

void scene_paint_collider(draw_state *d, const mote_collider_def *def, const mote_transform *at,
                          const draw_material *material) {
    mat4 model;
    mote_transform_to_mat4(at, model);
    if (def->kind == MOTE_COLLIDER_SPHERE) draw_sphere(d, model, def->radius, material);
    if (def->kind == MOTE_COLLIDER_CAPSULE) draw_capsule(d, model, def->radius, def->half_length, material);
    if (def->kind == MOTE_COLLIDER_BOX) draw_box(d, model, def->extent, material);
}

void scene_grab_at(scene_pointer *pointer, const float point[3]) {
    vec3 to;
    glm_vec3_sub((float *)point, pointer->ray.from, to);
    pointer->depth = glm_vec3_dot(to, pointer->forward);
    glm_vec3_copy((float *)point, pointer->point);
}

uint32_t scene_nearest(const scene_pointer *pointer, const float *points, uint32_t count, float reach) {
    uint32_t best = MOTE_NO_ITEM;
    float least = reach * reach;
    for (uint32_t i = 0; i < count; i++) {
        vec3 to, across;
        glm_vec3_sub((float *)points + 3 * i, (float *)pointer->ray.from, to);
        const float along = glm_vec3_dot(to, (float *)pointer->ray.along);
        glm_vec3_copy(to, across);
        glm_vec3_muladds((float *)pointer->ray.along, -along, across);
        if (along > 0 && glm_vec3_norm2(across) < least) least = glm_vec3_norm2(across), best = i;
    }
    return best;
}
