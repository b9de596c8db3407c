/* The struct loop over cglm: an array of bodies of 48 bytes, a pass a substep, as games commonly write it. */
#include "peer.h"

#include <cglm/vec3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct body {
    vec3 position, velocity, force, previous;
} body;

typedef struct struct_state {
    peer_work work;
    body *bodies;
} struct_state;

/* pulls, drags: constants where this is inlined. */
static inline void pass(body *restrict bodies, const peer_work *given, bool pulls, bool drags) {
    peer_work w = *given; /* a copy that the stores of the loop cannot change */
    for (uint32_t i = 0; i < w.count; i++) {
        body *b = &bodies[i];
        vec3 offset;
        glm_vec3_copy(w.gravity, b->force);
        if (drags) {
            glm_vec3_sub(w.wind, b->velocity, offset);
            glm_vec3_muladds(offset, w.drag, b->force);
        }
        if (pulls) {
            glm_vec3_sub(w.centre, b->position, offset);
            const float square = glm_vec3_dot(offset, offset) + w.softness * w.softness;
            glm_vec3_muladds(offset, w.strength / (square * sqrtf(square)), b->force);
        }
        glm_vec3_muladds(b->force, w.h, b->velocity);
        glm_vec3_muladds(b->velocity, w.h, b->position);
    }
}

static void struct_frame(void *user) {
    const struct_state *s = user;
    const bool pulls = s->work.strength > 0, drags = s->work.drag > 0;
    for (uint32_t k = 0; k < s->work.substeps; k++) {
        if (pulls && drags)
            pass(s->bodies, &s->work, true, true);
        else if (pulls)
            pass(s->bodies, &s->work, true, false);
        else
            pass(s->bodies, &s->work, false, true);
    }
}

static void *struct_open(const void *work, unsigned kind) {
    struct_state *s = malloc(sizeof *s);
    (void)kind;
    if (!s) abort();
    s->work = *(const peer_work *)work;
    s->bodies = calloc(s->work.count, sizeof(body));
    if (!s->bodies) abort();
    for (uint32_t i = 0; i < s->work.count; i++) {
        memcpy(s->bodies[i].position, s->work.positions[i], sizeof(vec3));
        memcpy(s->bodies[i].velocity, s->work.velocities[i], sizeof(vec3));
    }
    return s;
}

static void struct_place(const void *user, uint32_t i, float place[3]) {
    memcpy(place, ((const struct_state *)user)->bodies[i].position, sizeof(vec3));
}

static void struct_close(void *user) {
    free(((struct_state *)user)->bodies);
    free(user);
}

const bench_peer peer_cglm = {
    "structs over cglm", "an array of structs, a pass a substep, forces summed into the struct",
    PEER_EULER,          struct_open,
    struct_frame,        struct_place,
    struct_close};
