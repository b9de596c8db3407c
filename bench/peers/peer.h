/* Peers: other programs that do the same work as the engine, in C and C++. Each is optional; what it does in
 * a step is stated beside it. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forces of a mixture, beside gravity and wind: a spring to an anchor, attractors of the strength and
 * softness of the work, quadratic drag, and an acceleration in a box with a smooth edge. */
typedef struct peer_mixture {
    float anchor[3], stiffness;                   /* m, N/m */
    float centre[4][3];                           /* m, of attractors */
    float air[3], drag;                           /* m/s, kg/m */
    float lift[3], middle[3], extent[3], falloff; /* m/s^2; m: the box, half its edges */
} peer_mixture;

/* Bodies of 1 kg, loose or in chains of `points`, each joined to the next by a damped spring. */
typedef struct peer_work {
    uint32_t count, points; /* bodies; of a chain, 1: loose */
    uint32_t substeps;      /* of a frame */
    float h;                /* s, of a substep */
    const float (*positions)[3], (*velocities)[3];
    float gravity[3];                    /* m/s^2 */
    float wind[3], drag;                 /* m/s; kg/s */
    float centre[3], strength, softness; /* m; m^3/s^2, 0: no attractor; m */
    float rest, stiffness, damping;      /* m, N/m, kg/s: of springs */
    peer_mixture mixture;
} peer_work;

/* Work that a peer can step. */
enum peer_kind {
    PEER_EULER = 1,  /* loose bodies by semi-implicit Euler */
    PEER_RK4 = 2,    /* loose bodies by RK4 */
    PEER_CHAINS = 4, /* chains by RK4 */
    PEER_ROPES = 8,  /* chains whose first point is pinned and whose springs are rigid */
    PEER_MIXED = 16  /* loose bodies under the mixture, by semi-implicit Euler */
};

typedef struct bench_peer {
    const char *name, *does; /* the work of a step, as a sentence */
    unsigned kinds;
    void *(*open)(const void *work, unsigned kind);
    void (*frame)(void *state);
    void (*place)(const void *state, uint32_t body, float place[3]);
    void (*close)(void *state);
} bench_peer;

/* In the files of this folder; a build may lack any of them. */
extern const bench_peer peer_gcc, peer_gcc_fma, peer_clang, peer_clang_fma, peer_cglm;
extern const bench_peer peer_odeint_float, peer_odeint_double, peer_gsl, peer_bullet;

#ifdef __cplusplus
}
#endif

#endif
