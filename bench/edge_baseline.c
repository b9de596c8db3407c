/* The opponent of springs: see edge_baseline.h. Compiled at -O3 for this machine by the compiler of the
 * build. */
#include "edge_baseline.h"

#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

static inline void add_spring_force(edge_point *restrict points, const edge_spring *spring) {
    edge_point *a = &points[spring->a], *b = &points[spring->b];
    vec3 along, approach;
    glm_vec3_sub(b->position, a->position, along);
    float length = glm_vec3_norm(along);
    float inverse = length > 0 ? 1 / length : 0;
    glm_vec3_sub(b->velocity, a->velocity, approach);
    float tension = spring->stiffness * (length - spring->rest) +
                    spring->damping * glm_vec3_dot(along, approach) * inverse;
    glm_vec3_scale(along, tension * inverse, along);
    glm_vec3_add(a->force, along, a->force);
    glm_vec3_sub(b->force, along, b->force);
}

void baseline_edges(edge_point *points, uint32_t point_count, const edge_spring *springs,
                    uint32_t spring_count, const vec3 gravity, float h) {
    vec3 g = {gravity[0], gravity[1], gravity[2]};
    for (uint32_t i = 0; i < point_count; i++) glm_vec3_scale(g, points[i].mass, points[i].force);
    for (uint32_t i = 0; i < spring_count; i++) add_spring_force(points, &springs[i]);
    for (uint32_t i = 0; i < point_count; i++) {
        if (points[i].inverse_mass == 0) continue;
        glm_vec3_muladds(points[i].force, h * points[i].inverse_mass, points[i].velocity);
        glm_vec3_muladds(points[i].velocity, h, points[i].position);
    }
}

void edges_frame(void *state) {
    edge_list *list = state;
    static const vec3 gravity = {0, -9.81f, 0};
    for (uint32_t i = 0; i < list->substeps; i++)
        baseline_edges(list->points, list->point_count, list->springs, list->spring_count, gravity, list->h);
}

void edges_place(const void *state, uint32_t point, float place[3]) {
    const edge_list *list = state;
    memcpy(place, list->points[point].position, sizeof(vec3));
}

void edges_close(void *state) {
    edge_list *list = state;
    free(list->points);
    free(list->springs);
    free(list);
}
