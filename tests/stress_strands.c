/* Stiffness, damping, step, integrator, length and ends of strands, inside and outside the stability bounds
 * of their springs: inside, the energy stays bounded in every step; outside, and inside beside those outside,
 * no point turns non-finite unless its strand is said to be frozen. The robust solver has no bound. The same
 * of networks, with the policies: tests/stress. */
#include "test.h"

#include "rope.h"

enum { STEPS = 60, LENGTHS = 3, STIFFNESSES = 5, STRANDS = LENGTHS * STIFFNESSES };
enum { MOST_POINTS = 17, ALL_POINTS = STIFFNESSES * (2 + 5 + MOST_POINTS) };
typedef enum ends { FREE, ROOT, BOTH, ENDS } ends; /* that are pinned */

static const uint32_t lengths[LENGTHS] = {2, 5, MOST_POINTS};
static const float stiffnesses[STIFFNESSES] = {1, 1e3f, 1e5f, 1e7f, 1e9f}; /* N/m */
static const float dampings[] = {0, 1, 1e3f};                              /* kg/s */
static const struct {
    uint32_t rate, substeps;
} steps[] = {{60, 1}, {60, 64}, {1000, 1}, {1000, 16}};

static uint32_t points_of(uint32_t strand) { return lengths[strand / STIFFNESSES]; }
static float stiffness_of(uint32_t strand) { return stiffnesses[strand % STIFFNESSES]; }

typedef struct stress {
    rope rope;
    mote_strand_solver solver;
    ends pinned;
    bool straight;
    float positions[ALL_POINTS][3], velocities[ALL_POINTS][3];
} stress;

/* --- The bound --- */

/* The step (s) that the same springs have as a network; 0 of kinematic ones that turn: when stretched they
 * gain energy at any step. */
static double bound_of(const stress *s, mote_integrator integrator, float damping, uint32_t strand) {
    float places[MOST_POINTS][3] = {{0}};
    mote_spring springs[MOST_POINTS];
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    mote_network_stability_report bound;
    mote_system *system;
    mote_network_id id;
    const uint32_t points = points_of(strand);
    for (uint32_t k = 0; k < points; k++) {
        places[k][0] = (float)k;
        springs[k] = (mote_spring){k, k + 1, MOTE_AS_PLACED, stiffness_of(strand), damping, 0};
    }
    def.capacity = 0, def.integrator = integrator;
    net.particle_count = points, net.positions = places[0];
    net.spring_count = points - 1, net.springs = springs, net.growth_allowed = true;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    assert_int_equal(mote_system_add_network(system, &net, &id, NULL), MOTE_OK);
    if (s->pinned != FREE) assert_int_equal(mote_network_pin(system, id, 0, places[0], 0), MOTE_OK);
    if (s->pinned == BOTH)
        assert_int_equal(mote_network_pin(system, id, points - 1, places[points - 1], 0), MOTE_OK);
    assert_int_equal(mote_network_stability(system, id, &bound), MOTE_OK);
    mote_system_destroy(system);
    const bool kinematic = integrator == MOTE_KINEMATIC || integrator == MOTE_KINEMATIC_AVERAGE;
    return kinematic && !s->straight ? 0 : bound.any.step;
}

/* --- The strands --- */

/* Points of 1 kg, 0.25 m apart about the origin, in place but for velocities of more than 5 cm/s. Those on
 * the x axis swing along it by 1 mm and more, about a middle at rest; those of bent strands anyhow, by 0.1 mm
 * and more. Springs alone swing so far where that takes more than 1 m/s. */
static void lay_strand(stress *s, uint32_t strand, uint32_t first, random_source *random) {
    const uint32_t points = points_of(strand), last = first + points - 1;
    const float root = sqrtf(stiffness_of(strand)),
                wide = fmaxf(0.1f, s->straight ? 1e-3f * root : 1e-4f * root),
                speed = s->solver == MOTE_STRAND_SPRINGS ? wide : fminf(wide, 1);
    double mean = 0;
    for (uint32_t k = first; k <= last; k++) {
        const bool held = (k == first && s->pinned != FREE) || (k == last && s->pinned == BOTH);
        memset(s->positions[k], 0, sizeof s->positions[k]),
            memset(s->velocities[k], 0, sizeof s->velocities[k]);
        s->positions[k][0] = 0.25f * (float)(k - first) - 0.125f * (float)(points - 1);
        if (!s->straight) s->positions[k][2] = 0.025f * (float)((k - first) % 3);
        for (int axis = 0; axis < (s->straight ? 1 : 3) && !held; axis++)
            s->velocities[k][axis] = ((s->straight ? k : random_below(random, 2)) % 2 ? 1.0f : -1.0f) *
                                     random_between(random, speed / 2, speed);
        mean += (double)s->velocities[k][0] / points;
    }
    for (uint32_t k = first; k <= last && s->pinned == FREE; k++) s->velocities[k][0] -= (float)mean;
}

/* All lengths and stiffnesses under one id. */
static void open_stress(stress *s, mote_integrator integrator, float damping, size_t step) {
    static uint32_t points[STRANDS];
    static float mass[STRANDS], compliance[STRANDS];
    random_source random = {11};
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t i = 0, first = 0; i < STRANDS; first += points[i++]) {
        points[i] = points_of(i), mass[i] = (float)points[i], compliance[i] = 1 / stiffness_of(i);
        lay_strand(s, i, first, &random);
    }
    def.solver = s->solver, def.strand_count = STRANDS, def.strand_points = points;
    def.positions = s->positions[0], def.strand_mass = mass, def.strand_compliance = compliance;
    def.damping = damping, def.free_roots = s->pinned == FREE, def.substeps = 0;
    s->rope = make_rope(&def, integrator, (mote_rate){steps[step].rate, 1}, steps[step].substeps, 0);
    for (uint32_t i = 0, end = 0; i < STRANDS && s->pinned == BOTH; i++) {
        end += points[i];
        assert_int_equal(
            mote_strands_pin(s->rope.system, s->rope.id, i, points[i] - 1, s->positions[end - 1], 0),
            MOTE_OK);
    }
    assert_int_equal(
        mote_strands_set_state(s->rope.system, s->rope.id, 0, STRANDS, s->positions[0], s->velocities[0]),
        MOTE_OK);
}

/* J, of one strand whose points begin at `first`. */
static double energy_of(const stress *s, uint32_t strand, uint32_t first, const float *x, const float *v) {
    const uint32_t last = first + points_of(strand) - 1;
    double energy = 0;
    for (uint32_t k = first; k <= last; k++) {
        double speed = 0, length = 0, rest = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            speed += pow((double)v[3 * k + axis], 2);
            if (k == last) continue;
            length += pow((double)x[3 * (k + 1) + axis] - (double)x[3 * k + axis], 2);
            rest += pow((double)s->positions[k + 1][axis] - (double)s->positions[k][axis], 2);
        }
        const bool held = (k == first && s->pinned != FREE) || (k == last && s->pinned == BOTH);
        energy += held ? 0 : speed / 2;
        if (s->solver == MOTE_STRAND_SPRINGS)
            energy += (double)stiffness_of(strand) * pow(sqrt(length) - sqrt(rest), 2) / 2;
    }
    return energy;
}

typedef struct tally {
    uint32_t inside, outside, frozen;
} tally;

/* How much more than the exact motion a mode at the share r of its limit may swing, in energy. With x = 0 at
 * the start, v^2 + w^2 x^2 - h w^2 x v is constant in steps of semi-implicit Euler, v^2 + (1 - r^2) w^2 x^2
 * in those of Verlet. The average kinematic step moves by h v / 2 however stiff the spring is. */
static double growth_of(mote_integrator integrator, double share, double step, double stiffness) {
    switch (integrator) {
    case MOTE_EXPLICIT_EULER:
    case MOTE_MIDPOINT:
    case MOTE_RK4:
    case MOTE_KINEMATIC:
        return 1;
    case MOTE_KINEMATIC_AVERAGE:
        return fmax(1, step * step * stiffness);
    case MOTE_VELOCITY_VERLET:
    case MOTE_EXACT_FLOW:
        return 1 / (1 - share * share);
    default:
        return 1 / (1 - share);
    }
}

/* Most: times the energy at the start, of each strand; 0: outside of its bound. */
static void check_steps(const stress *s, const double most[STRANDS], tally *t) {
    static float x[ALL_POINTS][3], v[ALL_POINTS][3];
    double available[STRANDS];
    mote_strands_step_report all;
    for (uint32_t i = 0, first = 0; i < STRANDS; first += points_of(i++))
        available[i] = most[i] * energy_of(s, i, first, s->positions[0], s->velocities[0]);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t frozen = 0;
        step_rope(&s->rope, 1);
        assert_int_equal(mote_strands_report(s->rope.system, s->rope.id, &all), MOTE_OK);
        assert_int_equal(mote_strands_state(s->rope.system, s->rope.id, 0, STRANDS, x[0], v[0]), MOTE_OK);
        for (uint32_t i = 0, first = 0; i < STRANDS; first += points_of(i++)) {
            const bool told = report_of(&s->rope, i).frozen;
            frozen += told;
            for (uint32_t k = first; k < first + points_of(i) && !told; k++)
                for (int axis = 0; axis < 3; axis++)
                    ASSERT(isfinite(x[k][axis]) && isfinite(v[k][axis]), !=, 0);
            if (most[i] == 0) continue;
            ASSERT(told, ==, false);
            ASSERT(energy_of(s, i, first, x[0], v[0]), <=, available[i]);
        }
        ASSERT(all.frozen, ==, frozen);
    }
    t->frozen += all.frozen;
}

/* 1 %: rounding, of positions by less than 1e-7 m in each of up to 3,840 substeps. */
static void check_damping(stress *s, mote_integrator integrator, float damping, tally *t) {
    double bound[STRANDS], most[STRANDS];
    const bool springs = s->solver == MOTE_STRAND_SPRINGS;
    for (uint32_t i = 0; i < STRANDS; i++)
        bound[i] = springs ? bound_of(s, integrator, damping, i) : HUGE_VAL;
    for (size_t step = 0; step < COUNT_OF(steps); step++) {
        const double h = 1.0 / (steps[step].rate * steps[step].substeps);
        for (uint32_t i = 0; i < STRANDS; i++) {
            const double stiffness = (double)stiffness_of(i);
            const bool inside = h <= 0.9 * bound[i];
            most[i] = !inside ? 0 : springs ? 1.01 * growth_of(integrator, h / bound[i], h, stiffness) : 1;
            t->inside += inside, t->outside += !inside;
        }
        test_case("%s, ends %d, %g kg/s, %u Hz, %u substeps", s->straight ? "straight" : "bent",
                  (int)s->pinned, (double)damping, steps[step].rate, steps[step].substeps);
        open_stress(s, integrator, damping, step);
        check_steps(s, most, t);
        destroy_rope(&s->rope);
    }
}

static void check_solver(mote_integrator integrator, mote_strand_solver solver, bool straight, tally *t) {
    static stress s;
    s.solver = solver, s.straight = straight;
    for (s.pinned = FREE; s.pinned < ENDS; s.pinned++)
        for (size_t c = 0; c < COUNT_OF(dampings); c++) check_damping(&s, integrator, dampings[c], t);
}

TEST_EACH(springs_are_bounded_inside_and_told_outside, MOTE_ADVECT_EULER, integrator_name, integrator) {
    tally t = {0};
    check_solver((mote_integrator)integrator, MOTE_STRAND_SPRINGS, true, &t);
    check_solver((mote_integrator)integrator, MOTE_STRAND_SPRINGS, false, &t);
    ASSERT(t.inside, >, 200);
    ASSERT(t.outside, >, 200);
    ASSERT(t.frozen, >, 100);
}

/* Stable at any stiffness. Their elastic energy is an error of up to max_strain, and not a motion. */
TEST(robust_strands_are_bounded_everywhere) {
    tally t = {0};
    check_solver(MOTE_SEMI_IMPLICIT_EULER, MOTE_STRAND_ROBUST, true, &t);
    check_solver(MOTE_SEMI_IMPLICIT_EULER, MOTE_STRAND_ROBUST, false, &t);
    ASSERT(t.frozen + t.outside, ==, 0);
}
