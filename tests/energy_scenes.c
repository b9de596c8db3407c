/* Random scenes of strands and of constrained nets: after no step do they have more energy than was available
 * at the start, in the frame in which roots, pins and colliders are at rest, but for the allowances below.
 * With ALL_SCENES 40 times as many. */
#include "test.h"

#include <math.h>

#include "systems.h"

enum { STEPS = 40, MOST_STRANDS = 6, MOST_POINTS = 24, MOST_NODES = 40, MOST_SPRINGS = 100 };
#if defined(ALL_SCENES)
enum { TIMES = 40 };
#else
enum { TIMES = 1 };
#endif
enum { MOST_PLACES = MOST_STRANDS * MOST_POINTS, FIRST_SEED = 1000 };

static const double GRAVITY = 9.81, RATE = 60;

/* Of energies, as a share of what there is: each of up to 640 substeps rounds a velocity, in either
 * direction. */
static const double rounding = 25 * FLOAT_ROUNDING;

/* --- Random numbers and vectors --- */

/* Between two values of one sign, evenly in their logarithm. */
static double spread(random_source *random, double from, double to) {
    return from * pow(to / from, (double)random_between(random, 0, 1));
}

static bool chance(random_source *random, double share) {
    return (double)random_between(random, 0, 1) < share;
}

/* Of length 1, in any direction. */
static void draw_direction(random_source *random, double d[3]) {
    double square = 0;
    while (square < 0.01 || square > 1) {
        square = 0;
        for (int axis = 0; axis < 3; axis++)
            d[axis] = (double)random_between(random, -1, 1), square += d[axis] * d[axis];
    }
    for (int axis = 0; axis < 3; axis++) d[axis] /= sqrt(square);
}

static double apart(const float a[3], const float b[3]) {
    double square = 0;
    for (int axis = 0; axis < 3; axis++) square += pow((double)a[axis] - (double)b[axis], 2);
    return sqrt(square);
}

/* --- What strands and nets have in common --- */

typedef struct scene {
    uint64_t seed;
    random_source random;
    mote_system *system;
    mote_strands_id strands;
    mote_network_id net;
    uint32_t strand_count, count; /* of points or particles */
    float places[MOST_PLACES][3], speeds[MOST_PLACES][3], masses[MOST_PLACES];
    bool pinned[MOST_PLACES];
    double size, speed, radius, friction; /* of the largest strand, or the net */
    uint32_t substeps;
    bool moves;        /* all roots, pins and colliders, evenly */
    float velocity[3]; /* theirs, level */
    uint64_t end;      /* tick of their targets, where they are a second's way further */
    double floor;      /* height of a plane; -HUGE_VAL: none */
    uint32_t colliders;
} scene;

static void begin_scene(scene *s, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->seed = seed, s->random.state = seed, s->floor = -HUGE_VAL;
    s->speed = chance(&s->random, 0.2) ? 0 : spread(&s->random, 0.05, 5);
    s->friction = (double)random_between(&s->random, 0, 1);
    s->radius = chance(&s->random, 0.5) ? 0 : spread(&s->random, 0.001, 0.02);
    s->substeps = 1 + random_below(&s->random, 16);
    s->moves = chance(&s->random, 0.5);
    for (int axis = 0; axis < 3 && s->moves; axis += 2)
        s->velocity[axis] = random_between(&s->random, -1.5f, 1.5f);
}

static void add_place(scene *s, const double x[3], const double way[3], double mass) {
    double aside[3];
    draw_direction(&s->random, aside);
    for (int axis = 0; axis < 3; axis++) {
        s->places[s->count][axis] = (float)x[axis];
        s->speeds[s->count][axis] = (float)(s->speed * (way[axis] + 0.5 * aside[axis]));
    }
    s->masses[s->count++] = (float)mass;
}

/* Where a second takes a place that moves with the pins. */
static void target_of(const scene *s, const float from[3], float to[3]) {
    for (int axis = 0; axis < 3; axis++) to[axis] = from[axis] + s->velocity[axis];
}

/* The speeds so far are relative to the pins. */
static void open_scene(scene *s) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 0, def.substeps = s->substeps;
    s->system = system_of(&def);
    s->end = (uint64_t)RATE * stepped(s->system, 0).ticks_per_step;
    add_force(s->system, mote_gravity((float[3]){0, (float)-GRAVITY, 0}));
    for (uint32_t i = 0; i < s->count; i++)
        for (int axis = 0; axis < 3; axis++)
            s->speeds[i][axis] = s->velocity[axis] + (s->pinned[i] ? 0 : s->speeds[i][axis]);
}

/* A sphere, a capsule or a box of the radius r about `at`. */
static mote_collider_def draw_solid(scene *s, const float at[3], double r) {
    const float size = (float)r;
    mote_transform placed = {{at[0], at[1], at[2]}, {0, 0, 0, random_between(&s->random, -1, 1)}};
    double d[3];
    float tip[3];
    draw_direction(&s->random, d);
    for (int axis = 0; axis < 3; axis++)
        tip[axis] = at[axis] + 0.5f * size * (float)d[axis], placed.rotation[axis] = (float)d[axis];
    const uint32_t kind = random_below(&s->random, 3);
    return kind == 0   ? mote_sphere(at, size)
           : kind == 1 ? mote_capsule(at, tip, 0.5f * size)
                       : mote_box(&placed, (float[3]){0.8f * size, 0.5f * size, 0.3f * size});
}

static void place_collider(scene *s, mote_collider_def def) {
    mote_collider_id id;
    def.friction = random_between(&s->random, 0, 1);
    OK(mote_system_add_collider(s->system, &def, &id));
    target_of(s, def.transform.position, def.transform.position);
    if (s->moves) OK(mote_system_move_collider(s->system, id, &def.transform, s->end));
    s->colliders++;
}

/* Up to three solids that nothing touches yet, and often a floor. */
static void place_colliders(scene *s) {
    double low = HUGE_VAL;
    for (uint32_t i = 0; i < s->count; i++) low = fmin(low, (double)s->places[i][1]);
    for (uint32_t n = random_below(&s->random, 4); n-- > 0;) {
        const double r = s->size * spread(&s->random, 0.05, 0.4);
        float at[3];
        double nearest = HUGE_VAL;
        for (int axis = 0; axis < 3; axis++)
            at[axis] =
                (float)s->size * random_between(&s->random, -1, 1) - (axis == 1 ? 0.5f * (float)s->size : 0);
        for (uint32_t i = 0; i < s->count; i++) nearest = fmin(nearest, apart(s->places[i], at));
        const mote_collider_def def = draw_solid(s, at, r);
        if (nearest > r + s->radius + 0.01) place_collider(s, def);
    }
    if (chance(&s->random, 0.6)) return;
    s->floor = low - s->radius - s->size * spread(&s->random, 0.02, 0.5);
    place_collider(s, mote_plane((float[3]){0, (float)s->floor, 0}, (float[3]){0, 1, 0}));
}

/* Kinetic energy in the frame that moves with the pins, and potential energy, J. */
static double mechanical_of(const scene *s, const mote_statistics *of) {
    double sum = of->kinetic + of->potential;
    for (int axis = 0; axis < 3; axis++) {
        const double u = (double)s->velocity[axis];
        sum += u * (0.5 * of->mass * u - of->momentum[axis]);
    }
    return sum;
}

/* J: what a fall by the size would give, and the energy at the start. */
static double scale_of(const scene *s, const mote_statistics *start) {
    return start->mass * GRAVITY * s->size + mechanical_of(s, start) - start->potential + start->elastic;
}

static bool touches_floor(const scene *s, float x[][3]) {
    bool touches = false;
    for (uint32_t i = 0; i < s->count; i++) touches |= (double)x[i][1] < s->floor + s->radius + 0.001;
    return touches;
}

typedef struct tally {
    uint32_t moved, pins, colliders, touched;
} tally;

static void close_scene(const scene *s, bool touched, tally *t) {
    t->moved += s->moves, t->colliders += s->colliders, t->touched += touched;
    mote_system_destroy(s->system);
}

/* The scenes are of all sorts. */
static void check_tally(const tally *t, uint32_t scenes) {
    ASSERT(t->moved, >, scenes / 3);
    ASSERT(t->pins, >, scenes / 2);
    ASSERT(t->colliders, >, scenes / 2);
    ASSERT(t->touched, >, scenes / 10);
}

/* Energies of the strands or the net; checks that nothing is frozen, and reads the places. */
typedef mote_statistics measurement(const scene *s);
typedef void look(const scene *s, float x[][3]);

/* Steps a scene: its energy, elastic energy only if that counts, is never above what there was at the start
 * by more than `allowance` of the scale. */
static void follow(const scene *s, measurement *measured, look *look_at, bool elastic, double allowance,
                   tally *t) {
    static float x[MOST_PLACES][3];
    const mote_statistics start = measured(s);
    const double available = mechanical_of(s, &start) + start.elastic + allowance * scale_of(s, &start);
    bool touched = false;
    for (uint32_t step = 0; step < STEPS; step++) {
        stepped(s->system, 1);
        const mote_statistics now = measured(s);
        test_case("seed %u, step %u, %u places, %u substeps, %u colliders", (unsigned)s->seed, step, s->count,
                  s->substeps, s->colliders);
        look_at(s, x);
        ASSERT(mechanical_of(s, &now) + (elastic ? now.elastic : 0), <=, available);
        touched |= touches_floor(s, x);
    }
    close_scene(s, touched, t);
}

/* --- Strands --- */

/* A taper or none, a bob or none, straight or bent anyhow. Returns the substeps that compliant ones need: h^2
 * T / (m l) below 1/3, of a pull T by the weight of all at 3 g, and what turns. */
static double draw_strand(scene *s, uint32_t points) {
    const double length = spread(&s->random, 0.1, 2), mass = spread(&s->random, 0.005, 0.5),
                 bob = chance(&s->random, 0.3) ? spread(&s->random, 1, 20) : 0;
    const bool straight = chance(&s->random, 0.3), tapers = chance(&s->random, 0.3);
    double x[3], d[3], way[3], aside[3];
    for (int axis = 0; axis < 3; axis++) x[axis] = (double)random_between(&s->random, -0.5f, 0.5f);
    draw_direction(&s->random, d), draw_direction(&s->random, way);
    for (uint32_t k = 0; k < points; k++) {
        const double share = (k && k + 1 < points ? 1 : 0.5) * (tapers ? 1 - 0.8 * k / points : 1);
        double square = 0;
        add_place(s, x, way, mass * (share / (points - 1) + (k + 1 == points ? bob : 0)));
        draw_direction(&s->random, aside);
        for (int axis = 0; axis < 3; axis++)
            d[axis] += straight ? 0 : 0.5 * aside[axis], square += d[axis] * d[axis];
        for (int axis = 0; axis < 3; axis++)
            d[axis] /= sqrt(square), x[axis] += length / (points - 1) * d[axis];
    }
    s->size = fmax(s->size, length);
    const double pull = (1 + bob) * (3 * GRAVITY + 2.25 * s->speed * s->speed / length);
    return sqrt(3 * pull / length) * points / RATE * (tapers ? sqrt(5) : 1);
}

/* Pins up to two points, but not so that a strand is taut between two. */
static void draw_pins(scene *s, uint32_t first, uint32_t points) {
    for (uint32_t n = chance(&s->random, 0.5) ? 1 + random_below(&s->random, 2) : 0; n-- > 0;) {
        const uint32_t pin = first + 1 + random_below(&s->random, points - 1);
        bool taut = false;
        for (uint32_t other = first; other < first + points; other++) {
            double length = 0;
            const uint32_t from = other < pin ? other : pin, to = other < pin ? pin : other;
            for (uint32_t k = from; k < to; k++) length += apart(s->places[k], s->places[k + 1]);
            taut |= s->pinned[other] && apart(s->places[pin], s->places[other]) > 0.95 * length;
        }
        s->pinned[pin] |= !taut;
    }
}

static void set_pins(const scene *s, uint32_t strand, uint32_t first, uint32_t points, bool free, tally *t) {
    float to[3];
    for (uint32_t k = free ? 0 : 1; k < points; k++) {
        if (!s->pinned[first + k]) continue;
        target_of(s, s->places[first + k], to);
        OK(mote_strands_pin(s->system, s->strands, strand, k, s->moves ? to : s->places[first + k],
                            s->moves ? s->end : 0));
        t->pins++;
    }
}

/* compliant: else rigid. */
static void open_strands(scene *s, mote_strand_solver solver, bool compliant, tally *t) {
    static uint32_t points[MOST_STRANDS];
    static float compliance[MOST_STRANDS];
    mote_strands_def def = mote_default_strands_def();
    def.solver = solver, def.strand_count = s->strand_count = 1 + random_below(&s->random, MOST_STRANDS);
    def.free_roots = chance(&s->random, 0.3);
    for (uint32_t i = 0, first = 0; i < def.strand_count; first += points[i++]) {
        points[i] = 2 + random_below(&s->random, MOST_POINTS - 1);
        compliance[i] = (float)spread(&s->random, 1e-6, 1e-2);
        const double needed = draw_strand(s, points[i]);
        if (compliant && needed > s->substeps) s->substeps = (uint32_t)ceil(needed);
        s->pinned[first] = !def.free_roots;
        draw_pins(s, first, points[i]);
    }
    def.strand_points = points, def.positions = s->places[0], def.point_mass = s->masses;
    if (compliant) def.strand_compliance = compliance;
    if (compliant && chance(&s->random, 0.5)) def.damping = (float)spread(&s->random, 0.01, 10);
    if (chance(&s->random, 0.2)) def.normal_drag = (float)spread(&s->random, 0.001, 0.1);
    def.tangential_drag = def.normal_drag / 3, memcpy(def.air_velocity, s->velocity, sizeof s->velocity);
    def.substeps = 0, def.radius = (float)s->radius, def.friction = (float)s->friction;
    open_scene(s);
    OK(mote_system_add_strands(s->system, &def, &s->strands, NULL));
    mote_transform root = MOTE_TRANSFORM_IDENTITY;
    memcpy(root.position, s->velocity, sizeof s->velocity);
    if (s->moves) OK(mote_strands_set_roots(s->system, s->strands, &root, 1, s->end));
    for (uint32_t i = 0, first = 0; i < def.strand_count; first += points[i++])
        set_pins(s, i, first, points[i], def.free_roots, t);
    OK(mote_strands_set_state(s->system, s->strands, 0, def.strand_count, s->places[0], s->speeds[0]));
    place_colliders(s);
}

static mote_statistics strands_measured(const scene *s) {
    mote_statistics of;
    OK(mote_strands_statistics(s->system, s->strands, &of));
    return of;
}

static void look_at_strands(const scene *s, float x[][3]) {
    mote_strands_step_report report;
    OK(mote_strands_report(s->system, s->strands, &report));
    ASSERT(report.frozen, ==, 0);
    OK(mote_strands_state(s->system, s->strands, 0, s->strand_count, x[0], NULL));
}

static void check_scene(uint64_t seed, mote_strand_solver solver, bool compliant, double allowance,
                        tally *t) {
    static scene s;
    begin_scene(&s, seed);
    open_strands(&s, solver, compliant, t);
    follow(&s, strands_measured, look_at_strands, true, allowance, t);
}

static void check_all_strands(mote_strand_solver solver, bool compliant, uint32_t scenes, double allowance) {
    tally t = {0};
    for (uint32_t i = 0; i < scenes; i++) check_scene(FIRST_SEED + i, solver, compliant, allowance, &t);
    check_tally(&t, scenes);
}

/* A correction of lengths lifts a strand by up to max_strain of its length, 0.002 of the scale, for which
 * conserving ones pay only where they turn fast: of 129,000 scenes of them the worst had 0.0004 too much. */
static const double lengths_held = 0.0005;

TEST(rigid_strands_gain_no_energy) {
    check_all_strands(MOTE_STRAND_ROBUST, false, 400 * TIMES, lengths_held);
}
TEST(conserving_strands_gain_no_energy) {
    check_all_strands(MOTE_STRAND_CONSERVING, false, 200 * TIMES, lengths_held);
}

/* To first order, which loses energy. */
TEST(compliant_strands_gain_no_energy) { check_all_strands(MOTE_STRAND_ROBUST, true, 300 * TIMES, rounding); }

/* Scenes that once gained, by their seeds: up to 9.5 % of the scale where a point landed, 10 % at a collider,
 * 5 % where a heavy bob was lifted, 0.4 % between the forces of two substeps. */
TEST(strands_of_these_seeds_gain_no_energy) {
    static const uint64_t robust[] = {15820, 19325, 20156, 21167, 21602, 22308, 24322,  26550, 29804,
                                      53462, 16658, 35813, 43791, 72259, 72869, 176048, 200055},
                          conserving[] = {51002, 53462, 52103, 72869, 200055, 16885},
                          compliant[] = {18834, 19241, 37917};
    tally t = {0};
    for (size_t i = 0; i < COUNT_OF(robust); i++)
        check_scene(robust[i], MOTE_STRAND_ROBUST, false, lengths_held, &t);
    for (size_t i = 0; i < COUNT_OF(conserving); i++)
        check_scene(conserving[i], MOTE_STRAND_CONSERVING, false, lengths_held, &t);
    for (size_t i = 0; i < COUNT_OF(compliant); i++)
        check_scene(compliant[i], MOTE_STRAND_ROBUST, true, rounding, &t);
    ASSERT(t.colliders, >, 10);
}

/* --- Constrained nets --- */

/* A spring from b to a particle of lower number, or to any: near ones, or however far. */
static void add_spring(scene *s, mote_network_def *def, mote_spring *springs, uint32_t b, uint32_t below,
                       bool near) {
    uint32_t a = random_below(&s->random, below);
    for (int n = 0; near && n < 5; n++) {
        const uint32_t other = random_below(&s->random, below);
        if (other != b && apart(s->places[other], s->places[b]) < apart(s->places[a], s->places[b]))
            a = other;
    }
    if (a == b) return;
    springs[def->spring_count++] =
        (mote_spring){a, b, MOTE_AS_PLACED, (float)spread(&s->random, 0.3, 3), 0, 0};
}

/* Particles anywhere in a cube, most of which springs join to one that was there before, and more springs
 * between any two. */
static void draw_graph(scene *s, mote_network_def *def, mote_spring *springs) {
    const uint32_t count = 2 + random_below(&s->random, MOST_NODES - 1);
    const double mass = spread(&s->random, 1e-3, 0.1);
    const bool near = chance(&s->random, 0.5);
    double x[3], way[3];
    s->size = spread(&s->random, 0.2, 2);
    draw_direction(&s->random, way);
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++)
            x[axis] = s->size * (double)random_between(&s->random, -0.5f, 0.5f);
        add_place(s, x, way, mass * spread(&s->random, 0.3, 3));
    }
    for (uint32_t i = 1; i < count; i++)
        if (chance(&s->random, 0.97)) add_spring(s, def, springs, i, i, near);
    for (uint32_t n = random_below(&s->random, 3 * count / 2 + 1); n-- > 0;)
        add_spring(s, def, springs, random_below(&s->random, count), count, near);
    for (uint32_t n = chance(&s->random, 0.5) ? 1 + random_below(&s->random, 3) : 0; n-- > 0;)
        s->pinned[random_below(&s->random, count - 1)] = true;
}

/* Stiffness: such that h^2 w^2 is `stiff`, by the sum of 2 k / m over the springs of a particle. */
static void stiffen(const scene *s, const mote_network_def *def, mote_spring *springs, double stiff) {
    double sums[MOST_NODES] = {0}, most = 0;
    for (uint32_t i = 0; i < def->spring_count; i++)
        sums[springs[i].a] += 2 * (double)springs[i].stiffness / (double)s->masses[springs[i].a],
            sums[springs[i].b] += 2 * (double)springs[i].stiffness / (double)s->masses[springs[i].b];
    for (uint32_t i = 0; i < s->count; i++) most = fmax(most, sums[i]);
    for (uint32_t i = 0; i < def->spring_count; i++)
        springs[i].stiffness *= (float)(stiff * pow(RATE * s->substeps, 2) / most);
}

/* rigid: a third of the springs are. */
static void open_net(scene *s, bool rigid, tally *t) {
    static mote_spring springs[MOST_SPRINGS];
    mote_network_def def = mote_default_network_def();
    draw_graph(s, &def, springs);
    stiffen(s, &def, springs, spread(&s->random, 0.01, 1e4));
    const bool damped = chance(&s->random, 0.4), strained = !rigid && chance(&s->random, 0.2);
    const float damping = damped ? (float)spread(&s->random, 0.01, 10) : 0;
    for (uint32_t i = 0; i < def.spring_count; i++) {
        mote_spring *p = &springs[i];
        p->damping = damping;
        if (rigid && chance(&s->random, 0.3)) p->stiffness = INFINITY;
        if (strained)
            p->rest_length =
                (float)apart(s->places[p->a], s->places[p->b]) * random_between(&s->random, 0.98f, 1.02f);
    }
    if (rigid) def.max_strain = 1e-5f; /* what is left of strains gives speed */
    def.solver = MOTE_NETWORK_CONSTRAINED, def.particle_count = s->count, def.springs = springs;
    def.positions = s->places[0], def.velocities = s->speeds[0], def.particle_mass = s->masses;
    def.radius = (float)s->radius, def.friction = (float)s->friction;
    open_scene(s);
    OK(mote_system_add_network(s->system, &def, &s->net, NULL));
    for (uint32_t i = 0; i < s->count; i++) {
        float to[3];
        target_of(s, s->places[i], to);
        if (s->pinned[i]) OK(mote_network_pin(s->system, s->net, i, to, s->moves ? s->end : 0)), t->pins++;
    }
    place_colliders(s);
}

static mote_statistics net_measured(const scene *s) {
    mote_statistics of;
    OK(mote_network_statistics(s->system, s->net, &of));
    return of;
}

static void look_at_net(const scene *s, float x[][3]) {
    for (uint32_t i = 0; i < s->count; i++) ASSERT(mote_network_frozen(s->system, s->net, i), ==, false);
    OK(mote_network_state(s->system, s->net, 0, s->count, x[0], NULL));
}

static const char *kind_name(uint32_t rigid) { return rigid ? "rigid" : "elastic"; }

static void check_net(uint64_t seed, bool rigid, tally *t) {
    static scene s;
    begin_scene(&s, seed);
    open_net(&s, rigid, t);
    follow(&s, net_measured, look_at_net, !rigid, rounding, t);
}

/* With rigid springs the elastic energy of the others contains what contacts strain them by, after the solve:
 * not a motion. */
TEST_EACH(constrained_nets_gain_no_energy, 2, kind_name, rigid) {
    enum { SCENES = 250 * TIMES };
    tally t = {0};
    for (uint32_t i = 0; i < SCENES; i++) check_net(FIRST_SEED + i, rigid, &t);
    check_tally(&t, SCENES);
}

/* Nets that once gained: of 71525 a point had to leave a collider in which it began a substep, and the
 * springs around found a rest a metre away, with 14 times the energy; the rigid springs of 6581, at 4 m/s,
 * turned by a quarter of a radian in the first substep. */
TEST(nets_of_these_seeds_gain_no_energy) {
    tally t = {0};
    check_net(71525, false, &t);
    check_net(6581, true, &t);
    ASSERT(t.colliders, >, 0);
}

/* Momentum that is taken from a net, so that it gains no energy, is felt by its pins. */
TEST(pins_feel_what_a_net_of_rigid_springs_must_not_gain) {
    static scene s;
    tally t = {0};
    begin_scene(&s, 6581);
    open_net(&s, true, &t);
    const mote_statistics start = net_measured(&s);
    stepped(s.system, 1);
    const mote_statistics now = net_measured(&s);
    double pulled[3] = {0};
    for (uint32_t i = 0; i < s.count; i++) {
        float impulse[3] = {0};
        if (s.pinned[i]) OK(mote_network_reaction(s.system, s.net, i, impulse));
        for (int axis = 0; axis < 3; axis++) pulled[axis] += (double)impulse[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        const double given = (axis == 1 ? -start.mass * GRAVITY / RATE : 0) - pulled[axis];
        test_case("axis %d: pulled by %g N s", axis, pulled[axis]);
        ASSERT_NEAR(now.momentum[axis] - start.momentum[axis], given, 1e-6 * start.mass * s.speed);
    }
    mote_system_destroy(s.system);
}
