/* The opponent of springs, as games commonly write it: points in an array of structs and springs in a list of
 * edges, with the vec3 functions of cglm. */
#ifndef BENCH_EDGE_BASELINE_H
#define BENCH_EDGE_BASELINE_H

#include <cglm/types.h>
#include <stdint.h>

/* 60 bytes, as many as struct_particle has. */
typedef struct edge_point {
    vec3 position, velocity, force, previous;
    float mass, inverse_mass, radius; /* inverse mass 0: pinned */
} edge_point;

_Static_assert(sizeof(edge_point) == 60, "the struct baseline is defined by its 60 bytes");

typedef struct edge_spring {
    uint32_t a, b;
    float rest, stiffness, damping; /* m, N/m, kg/s */
} edge_spring;

/* One substep: forces = m g, each edge adds to both of its ends, then v += h F / m, x += h v. */
void baseline_edges(edge_point *points, uint32_t point_count, const edge_spring *springs,
                    uint32_t spring_count, const vec3 gravity, float h);

typedef struct edge_list {
    edge_point *points;
    edge_spring *springs;
    uint32_t point_count, spring_count, substeps;
    float h; /* s, of a substep */
} edge_list;

/* The functions of a side that is an edge list. frame: one step, that is its substeps, under -9.81 m/s^2
 * along y. close frees the list and its arrays. */
void edges_frame(void *list);
void edges_place(const void *list, uint32_t point, float place[3]);
void edges_close(void *list);

#endif
