/* Peers: other programs that do the same work as the engine, in C and C++. Each is optional; what it does in
 * a step is stated beside it. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
} peer_work;

/* Work that a peer can step. */
enum peer_kind {
    PEER_EULER = 1,  /* loose bodies by semi-implicit Euler */
    PEER_RK4 = 2,    /* loose bodies by RK4 */
    PEER_CHAINS = 4, /* chains by RK4 */
    PEER_ROPES = 8   /* chains whose first point is pinned and whose springs are rigid */
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
