/* The engine beside its peers on the same work, in turn: loops written by hand, libraries of integrators,
 * Bullet's ropes. Ratios are the peer's time over the engine's, one thread each; where both compute the same
 * numbers their places are compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_sides.h"
#include "engine.h"
#include "network_sides.h"
#include "options.h"
#include "peers/peer.h"
#include "random.h"
#include "strands.h"

#ifdef HAVE_CLANG_PEER
#define CLANG(peer) &peer
#else
#define CLANG(peer) NULL
#endif
#ifdef HAVE_FMA_PEER
#define FMA(peer) &peer
#else
#define FMA(peer) NULL
#endif
#if defined HAVE_CLANG_PEER && defined HAVE_FMA_PEER
#define CLANG_FMA(peer) &peer
#else
#define CLANG_FMA(peer) NULL
#endif
#ifdef HAVE_ODEINT_PEER
#define ODEINT(peer) &peer
#else
#define ODEINT(peer) NULL
#endif
#ifdef HAVE_GSL_PEER
#define GSL(peer) &peer
#else
#define GSL(peer) NULL
#endif
#ifdef HAVE_BULLET_PEER
#define BULLET(peer) &peer
#else
#define BULLET(peer) NULL
#endif

/* peer NULL: not in this build. quick: not in --full alone. */
typedef struct peer_row {
    const char *option, *needs;
    const bench_peer *peer;
    bool quick;
} peer_row;

static const peer_row peers[] = {
    {"plain", "", &peer_gcc, true},
    {"plain-fma", "a processor with fused multiply-add", FMA(peer_gcc_fma), false},
    {"plain-clang", "clang-19", CLANG(peer_clang), false},
    {"plain-clang-fma", "clang-19", CLANG_FMA(peer_clang_fma), false},
    {"structs", "", &peer_cglm, false},
    {"odeint", "Boost (Debian: libboost-dev)", ODEINT(peer_odeint_float), false},
    {"odeint-double", "Boost (Debian: libboost-dev)", ODEINT(peer_odeint_double), false},
    {"gsl", "GSL (Debian: libgsl-dev)", GSL(peer_gsl), false},
    {"bullet", "Bullet (Debian: libbullet-dev)", BULLET(peer_bullet), false}};
enum { PEERS = sizeof peers / sizeof peers[0] };
_Static_assert(sizeof peers / sizeof peers[0] <= (size_t)MOST_PEERS, "bench_run has a place for every peer");

void peers_list(void) {
    for (int i = 0; i < PEERS; i++) {
        if (peers[i].peer)
            printf("peer %s: %s: %s\n", peers[i].option, peers[i].peer->name, peers[i].peer->does);
        else
            printf("peer %s: not in this build, needs %s\n", peers[i].option, peers[i].needs);
    }
}

void peers_ask(bench_run *run, const char *name) {
    for (int i = 0; i < PEERS; i++) {
        if (strcmp(peers[i].option, name)) continue;
        if (!peers[i].peer)
            fail_usage("--peer: %s is not in this build; install %s and configure again", name,
                       peers[i].needs);
        run->peer[i] = run->peers_given = true;
        return;
    }
    fail_usage("--peer: unknown peer '%s'; `mote-bench list` prints those that there are", name);
}

static bool is_asked(const bench_run *run, int i, unsigned kind) {
    if (!peers[i].peer || !(peers[i].peer->kinds & kind)) return false;
    return run->peers_given ? run->peer[i] : run->full || peers[i].quick;
}

/* --- Work --- */

enum { BODIES = 100000, MANY_BODIES = 1000000, CHAINS = 1024, POINTS = 64, ROPES = 256, ROPE_POINTS = 32 };

typedef struct workload {
    const char *name;
    unsigned kind;
    uint32_t bodies;
    bool pulls, drags;
    double target; /* of the plain loops without fused multiply-add */
} workload;

static const workload workloads[] = {
    {"gravity and wind", PEER_EULER, BODIES, false, true, 0.95},
    {"an attractor", PEER_EULER, BODIES, true, false, 0.95},
    {"gravity, wind and an attractor", PEER_EULER, BODIES, true, true, 1},
    {"gravity, wind and an attractor", PEER_EULER, MANY_BODIES, true, true, 1},
    {"an attractor, RK4", PEER_RK4, BODIES, true, false, 0.95},
    {"affine, four attractors, quadratic drag, a box", PEER_MIXED, BODIES, true, true, 0.95}};

/* Around the ring of fill_ring. */
static const peer_mixture mixture = {.anchor = {1, 2, 3},
                                     .stiffness = 0.5f,
                                     .centre = {{11, 4, 3}, {-9, 0, 3}, {1, 0, 13}, {1, 4, -7}},
                                     .air = {2, 0, 0},
                                     .drag = 0.01f,
                                     .lift = {0, 3, 0},
                                     .middle = {4, 2, 3},
                                     .extent = {3, 2, 8},
                                     .falloff = 1};

static float places[MANY_BODIES][3], velocities[MANY_BODIES][3];

/* A ring of 5 to 10 m around the attractor, on circular orbits, as far as sums and roots go. */
static void fill_ring(void) {
    for (uint32_t i = 0; i < MANY_BODIES; i++) {
        float x, z, square;
        uint32_t draw = 0;
        do {
            const uint64_t bits = random_bits(i, draw++);
            x = 10 * random_signed(bits, 0), z = 10 * random_signed(bits, 20), square = x * x + z * z;
        } while ((square > 100 || square < 25) && draw < DRAWS_PER_SERIAL);
        const float turn = sqrtf(1000 / (square * sqrtf(square)));
        places[i][0] = 1 + x, places[i][1] = 2, places[i][2] = 3 + z;
        velocities[i][0] = -turn * z, velocities[i][1] = 0, velocities[i][2] = turn * x;
    }
}

static peer_work work_of(const workload *load, uint32_t substeps) {
    peer_work work = {.count = load->bodies,
                      .points = 1,
                      .substeps = substeps,
                      .h = (float)(TIMESTEP / substeps),
                      .positions = (const float(*)[3])places,
                      .velocities = (const float(*)[3])velocities};
    if (load->drags) work.gravity[1] = -9.81f, work.wind[0] = 3, work.wind[2] = 1, work.drag = 0.05f;
    if (load->pulls)
        work.centre[0] = 1, work.centre[1] = 2, work.centre[2] = 3, work.strength = 1000,
        work.softness = 0.5f;
    if (load->kind == PEER_MIXED) work.mixture = mixture, work.strength = 100;
    return work;
}

/* --- The engine on loose bodies --- */

static void add_mixture(mote_system *system, const peer_work *w) {
    const peer_mixture *m = &w->mixture;
    engine_add_force(system, mote_anchor_spring(m->anchor, m->stiffness, 0));
    for (int k = 0; k < 4; k++)
        engine_add_force(system, mote_attractor(m->centre[k], w->strength, w->softness));
    engine_add_force(system, mote_quadratic_drag(m->air, m->drag));
    engine_add_force(system, mote_in_box(mote_gravity(m->lift), m->middle, m->extent, m->falloff));
}

static mote_system *open_bodies(const peer_work *w, mote_integrator integrator) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_range_view view;
    def.capacity = w->count, def.substeps = w->substeps, def.integrator = integrator;
    def.steps_per_second = STEPS_PER_SECOND, def.mass = 1;
    def.interpolation = MOTE_INTERPOLATE_NONE, def.particle_ids = false;
    engine_check(mote_system_create(&def, &system), "mote_system_create");
    if (w->drag > 0) {
        engine_add_force(system, mote_gravity(w->gravity));
        engine_add_force(system, mote_wind(w->wind, w->drag));
    }
    if (w->mixture.stiffness > 0)
        add_mixture(system, w);
    else if (w->strength > 0)
        engine_add_force(system, mote_attractor(w->centre, w->strength, w->softness));
    engine_check(mote_system_spawn(system, w->count, &view), "mote_system_spawn");
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t i = 0; i < w->count; i++)
        for (int axis = 0; axis < 3; axis++)
            column[axis][i] = w->positions[i][axis], column[3 + axis][i] = w->velocities[i][axis];
    return system;
}

static void *open_euler(const void *work) { return open_bodies(work, MOTE_SEMI_IMPLICIT_EULER); }
static void *open_rk4(const void *work) { return open_bodies(work, MOTE_RK4); }
static void frame_bodies(void *system) { engine_run(system, 1); }
static void place_body(const void *system, uint32_t i, float place[3]) {
    /* A view is of a system that may be written. */
    const mote_range_view view = mote_system_view((mote_system *)(uintptr_t)system);
    place[0] = view.position.x[i], place[1] = view.position.y[i], place[2] = view.position.z[i];
}

static const side_functions euler_side = {open_euler, frame_bodies, NULL, place_body, engine_close},
                            rk4_side = {open_rk4, frame_bodies, NULL, place_body, engine_close};

/* --- Rows --- */

/* The peer and the kind of the row that runs: sides have no other way to reach their open. */
static const bench_peer *current;
static unsigned current_kind;
static void *open_peer(const void *work) { return current->open(work, current_kind); }

static compare_side side_of(const char *name, const side_functions *functions, const void *setup,
                            uint32_t points, uint32_t substeps, uint32_t frames) {
    return (compare_side){.name = name,
                          .functions = functions,
                          .setup = setup,
                          .points = points,
                          .springs = 1, /* no strands: strain is not observed */
                          .substeps = substeps,
                          .threads = 1,
                          .warm = 1,
                          .frames = frames,
                          .loops = 1};
}

/* Times one peer on `work` beside the engine on its own setup of it. */
static void peer_pair(bench_run *run, int i, unsigned kind, const char *name, double target,
                      const peer_work *work, const side_functions *engine, const void *setup, double size) {
    char figure[ROW_NAME], peer_name[200];
    const uint32_t frames = work->substeps > 1 ? 4 : 16;
    current = peers[i].peer, current_kind = kind;
    const side_functions functions = {open_peer, current->frame, NULL, current->place, current->close};
    snprintf(figure, sizeof figure, "%s: %s over engine", name, current->name);
    snprintf(peer_name, sizeof peer_name, "%s: %s", current->name, current->does);
    compare_pair pair = {.row = {.figure = figure, .target = target},
                         .above = side_of(peer_name, &functions, work, work->count, work->substeps, frames),
                         .below = side_of("engine", engine, setup, work->count, work->substeps, frames),
                         .peer_setup = work,
                         .checked = size > 0 ? 4 : 0,
                         .size = size};
    compare_pair_run(run, "peers", &pair);
}

/* Loops with fused multiply-add round less and take fewer operations: no figure. */
static double target_of(int i, double target) {
    return peers[i].peer == &peer_gcc || strcmp(peers[i].option, "plain-clang") == 0 ? target : 0;
}

static void loose_rows(bench_run *run) {
    if (!run->report.counting) fill_ring();
    for (size_t k = 0; k < sizeof workloads / sizeof workloads[0]; k++)
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 8)
            for (int i = 0; i < PEERS; i++) {
                const workload *load = &workloads[k];
                const peer_work work = work_of(load, substeps);
                if (is_asked(run, i, load->kind))
                    peer_pair(run, i, load->kind, load->name, target_of(i, load->target), &work,
                              load->kind == PEER_RK4 ? &rk4_side : &euler_side, &work, 16);
            }
}

static void chain_rows(bench_run *run) {
    static const chain_form form = {
        .chains = CHAINS, .points = POINTS, .mass = 1, .stiffness = 15, .damping = 0.3f};
    network_shape shape = chains_create(&form);
    for (uint32_t substeps = 1; substeps <= 8; substeps *= 8)
        for (int i = 0; i < PEERS; i++) {
            const network_setup setup = {.shape = &shape,
                                         .integrator = MOTE_RK4,
                                         .substeps = substeps,
                                         .threads = 1,
                                         .rate = STEPS_PER_SECOND};
            const peer_work work = {.count = CHAINS * POINTS,
                                    .points = POINTS,
                                    .substeps = substeps,
                                    .h = (float)(TIMESTEP / substeps),
                                    .positions = (const float(*)[3])shape.positions,
                                    .velocities = (const float(*)[3])shape.velocities,
                                    .gravity = {0, -NETWORK_GRAVITY, 0},
                                    .rest = shape.springs[0].rest_length,
                                    .stiffness = 15,
                                    .damping = 0.3f};
            if (is_asked(run, i, PEER_CHAINS))
                peer_pair(run, i, PEER_CHAINS, "chains of 64, RK4", target_of(i, 0.95), &work, &engine_side,
                          &setup, (double)shape.positions[CHAINS * POINTS - 1][0] + 20);
        }
    shape_destroy(&shape);
}

/* --- Ropes --- */

static void *open_ropes(const void *setup) { return rope_create(setup); }
static void frame_ropes(void *run) { strand_run_frame(run); }
static void close_ropes(void *run) { strand_run_destroy(run); }
static void place_rope(const void *user, uint32_t i, float place[3]) {
    const strand_run *run = user;
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    const uint32_t slot = mote_strands_slot(run->system, run->id, i / ROPE_POINTS, i % ROPE_POINTS);
    place[0] = view.position.x[slot], place[1] = view.position.y[slot], place[2] = view.position.z[slot];
}

static const side_functions rope_side = {open_ropes, frame_ropes, NULL, place_rope, close_ropes};

/* The largest |length / rest - 1| of the first rope in two seconds. */
static double largest_strain(const side_functions *side, const void *setup) {
    void *state = side->open(setup);
    const double rest = 1.0 / (ROPE_POINTS - 1);
    double largest = 0;
    for (int frame = 0; frame < 120; frame++) {
        side->frame(state);
        for (uint32_t k = 1; k < ROPE_POINTS; k++) {
            float a[3], b[3];
            side->place(state, k - 1, a), side->place(state, k, b);
            const double length =
                hypot(hypot((double)(b[0] - a[0]), (double)(b[1] - a[1])), (double)(b[2] - a[2]));
            largest = larger_or_nan(largest, fabs(length / rest - 1));
        }
    }
    side->close(state);
    return largest;
}

static void rope_rows(bench_run *run) {
    for (uint32_t i = 0; i < ROPES * ROPE_POINTS && !run->report.counting; i++) {
        places[i][0] = (float)(i % ROPE_POINTS) / (ROPE_POINTS - 1), places[i][1] = places[i][2] = 0;
        memset(velocities[i], 0, sizeof velocities[i]);
    }
    const rope_setup setup = {.solver = MOTE_STRAND_ROBUST,
                              .strands = ROPES,
                              .points = ROPE_POINTS,
                              .substeps = 8,
                              .threads = 1,
                              .length = 1};
    const peer_work work = {.count = ROPES * ROPE_POINTS,
                            .points = ROPE_POINTS,
                            .substeps = 8,
                            .h = 1.0f / 480,
                            .positions = (const float(*)[3])places,
                            .velocities = (const float(*)[3])velocities,
                            .gravity = {0, -9.81f, 0}};
    for (int i = 0; i < PEERS; i++) {
        if (!is_asked(run, i, PEER_ROPES)) continue;
        peer_pair(run, i, PEER_ROPES, "ropes of 1 m x 32", 0, &work, &rope_side, &setup, 0);
        if (run->report.counting) continue;
        const side_functions functions = {open_peer, current->frame, NULL, current->place, current->close};
        const double of_peer = largest_strain(&functions, &work),
                     of_engine = largest_strain(&rope_side, &setup);
        const bool swing = isfinite(of_peer) && isfinite(of_engine);
        if (!swing) report_not_same(&run->report);
        printf("    largest stretch in 2 s of the swing from the horizontal: %s %.2f %%, engine %.2f %%%s\n",
               current->name, 100 * of_peer, 100 * of_engine, swing ? "" : ": NOT THE SAME");
    }
}

void run_peers(bench_run *run) {
    loose_rows(run);
    chain_rows(run);
    rope_rows(run);
}
