/* The preconditioner of constrained networks: its aggregates' blocks against their definition in double, its
 * product with a residual against the sum over all levels, symmetric and positive; bits; and its use, a stiff
 * net of 64 x 64. */
#include "test.h"

#include "network_newton.h"
#include "inside.h"

/* --- A net whose aggregates have their blocks --- */

enum { SIDE = 14, BODIES = SIDE * SIDE };

static mote_network *network_of(const net *n) { return network_inside(n->system, n->id); }

static bool aggregates_are_stale(const net *n) {
    return network_of(n)->aggregate_edits != network_of(n)->edits;
}

/* A net that is bent, slack in places, damped in others, of unequal masses, hung from three pins of which one
 * travels. Stepped once, all in one scratch: the aggregates have the blocks of the start of Newton's method.
 */
static void make_net(net *n, uint64_t seed) {
    random_source random = {seed};
    mote_system_def def = rate_of(60, 1);
    def.loop_order = MOTE_LOOP_STAGE_OUTER;
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_iterations = n->def.max_linear = 1;
    add_grid(n, (grid){SIDE, SIDE, 0, 1.0 / (SIDE - 1), 0.01, 400, true});
    for (uint32_t i = 0; i < BODIES; i++) {
        n->masses[i] = random_between(&random, 0.005f, 0.02f);
        for (uint32_t k = 0; k < 3; k++) {
            n->positions[3 * i + k] += random_between(&random, -0.02f, 0.02f);
            n->velocities[3 * i + k] = random_between(&random, -0.5f, 0.5f);
        }
    }
    for (uint32_t i = 0; i < n->def.spring_count; i++) {
        n->springs[i].rest_length = random_between(&random, 0.06f, 0.1f);
        n->springs[i].stiffness = random_between(&random, 100, 800);
        n->springs[i].damping = i % 3 ? 0 : random_between(&random, 0.1f, 2);
    }
    start_net(n, &def, GRAVITY);
    pin_here(n, 0), pin_here(n, SIDE - 1), pin_at(n, 100, 0.5, 0.1, 0.5, step_ticks(n));
    step_net(n, 1);
    ASSERT(network_of(n)->aggregates.levels[0], >=, 3);
}

TEST(aggregates_are_found_anew_when_a_stiffness_changes_and_not_for_a_length) {
    static net n;
    make_net(&n, 8);
    assert_false(aggregates_are_stale(&n));
    OK(mote_network_reel(n.system, n.id, 3, 0.5f, 0, NULL));
    assert_false(aggregates_are_stale(&n));
    OK(mote_network_set_spring(n.system, n.id, 3, 9e4f, 0, 0, NULL));
    assert_true(aggregates_are_stale(&n));
    step_net(&n, 1);
    assert_false(aggregates_are_stale(&n));
    mote_system_destroy(n.system);
}

/* --- Blocks --- */

/* Where Newton's method starts: a pin is where it is to be at the end of the substep. */
static void find_goals(const net *n, double goal[][3], double before[][3]) {
    static double mass[BODIES];
    const double h = 1 / 60.0;
    for (uint32_t i = 0; i < BODIES; i++) {
        mass[i] = i == 0 || i == SIDE - 1 || i == 100 ? 0 : (double)n->masses[i];
        for (uint32_t k = 0; k < 3; k++) {
            const double x = (double)n->positions[3 * i + k], v = (double)n->velocities[3 * i + k];
            before[i][k] = x;
            goal[i][k] = x + h * (v - (k == 1 ? h * GRAVITY : 0));
            if (i == 0 || i == SIDE - 1) goal[i][k] = x;
            if (i == 100) goal[i][k] = k == 1 ? (double)0.1f : 0.5;
        }
    }
    start_between(n, mass, goal, before, h);
}

static bool is_pinned(const net *n, uint32_t i) {
    return network_of(n)->range.inverse_mass[network_of(n)->slot_of_particle[i]] == 0;
}

/* Every aggregate above a particle. */
static uint32_t climb(const net *n, uint32_t i, uint32_t path[16]) {
    const mote_network_aggregates *c = &network_of(n)->aggregates;
    uint32_t levels = 0;
    for (uint32_t at = c->of_slot[network_of(n)->slot_of_particle[i]]; at != MOTE_NO_AGGREGATE;
         at = c->parent[at])
        path[levels++] = at;
    return levels;
}

typedef double block[3][3];

static void add_to(block *of, const mote_spring *s, double goal[][3], double before[][3]) {
    const double h = 1 / 60.0, length = apart(goal[s->a], goal[s->b]),
                 along = (double)s->stiffness + (double)s->damping / h;
    const double tension = (double)s->stiffness * (length - (double)s->rest_length) +
                           (double)s->damping / h * (length - apart(before[s->a], before[s->b]));
    const double across = stiffness_across(tension, length, along);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double n_i = (goal[s->b][i] - goal[s->a][i]) / length,
                         n_k = (goal[s->b][k] - goal[s->a][k]) / length;
            (*of)[i][k] += h * h * ((along - across) * n_i * n_k + (i == k ? across : 0));
        }
}

/* A aggregate's mass, and the springs that leave it. */
static void define_blocks(const net *n, block *of) {
    static double goal[BODIES][3], before[BODIES][3];
    uint32_t above[2][16], levels[2];
    find_goals(n, goal, before);
    for (uint32_t i = 0; i < BODIES; i++) {
        levels[0] = climb(n, i, above[0]);
        for (uint32_t l = 0; l < levels[0]; l++)
            for (int k = 0; k < 3; k++) of[above[0][l]][k][k] += (double)n->masses[i];
    }
    for (uint32_t i = 0; i < n->def.spring_count; i++) {
        const mote_spring *s = &n->springs[i];
        levels[0] = climb(n, s->a, above[0]), levels[1] = climb(n, s->b, above[1]);
        for (int end = 0; end < 2; end++)
            for (uint32_t l = 0; l < levels[end]; l++)
                if (l >= levels[!end] || above[end][l] != above[!end][l])
                    add_to(&of[above[end][l]], s, goal, before);
    }
}

static void load_inverse(const mote_network *n, uint32_t aggregate, block of) {
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++) of[i][k] = (double)n->aggregates.block[12 * aggregate + 4 * k + i];
}

/* Inverse times block is 1, but for UNIT of the block times its inverse, in each of the springs that were
 * added up. */
TEST(a_aggregates_block_is_its_mass_and_the_springs_that_leave_it) {
    static net n;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        static block want[BODIES + 256];
        uint32_t seen = 0;
        make_net(&n, seed);
        memset(want, 0, sizeof want);
        define_blocks(&n, want);
        for (uint32_t at = 0; at < network_of(&n)->range.slot_count; at++) {
            block inverse;
            double trace = 0, inverse_trace = 0;
            if (want[at][0][0] == 0) continue;
            load_inverse(network_of(&n), at, inverse);
            for (int k = 0; k < 3; k++) trace += want[at][k][k], inverse_trace += inverse[k][k];
            ASSERT(trace * inverse_trace, <, 5e4);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    double sum = 0;
                    for (int m = 0; m < 3; m++) sum += inverse[i][m] * want[at][m][k];
                    ASSERT_NEAR(sum, i == k, 64 * UNIT * trace * inverse_trace);
                }
            seen++;
        }
        ASSERT(seen, >, BODIES / 4);
        mote_system_destroy(n.system);
    }
}

/* --- z, the preconditioner times the residual r --- */

typedef struct vector {
    double of[BODIES][3];
} vector;

static mote_network_scratch scratch_of(const net *n) {
    mote_plan_def def;
    const mote_step step = mote_system_next_step(n->system, &def);
    return mote_network_outer(&network_of(n)->job, &step, step.scratch).columns;
}

/* z += D0^-1 r: the particles' own blocks, as the last solve left them. */
static void add_own_blocks(const net *n, const vector *r, vector *z) {
    static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const mote_network_scratch c = scratch_of(n);
    for (uint32_t i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++) {
                const float *column = c.memory + (size_t)(COLUMN(block) + entry[k][m]) * c.stride;
                z->of[i][k] += (double)column[network_of(n)->slot_of_particle[i]] * r->of[i][m];
            }
}

/* By the kernels; returns the levels' part of r z. */
static double precondition(const net *n, const mote_network_kernels *kernels, const vector *r, vector *z) {
    const mote_network *of = network_of(n);
    const mote_network_aggregates *a = &of->aggregates;
    const mote_network_scratch c = scratch_of(n);
    uint32_t first[16], at = a->first[0];
    double sum = 0;
    for (uint32_t i = 0; i < 3 * BODIES; i++)
        c.memory[COLUMN(packed) * c.stride + 3 * of->slot_of_particle[i / 3] + i % 3] =
            (float)r->of[i / 3][i % 3];
    for (uint32_t l = 0; l < a->levels[0]; l++, at += (a->size[at / 16] + 15) / 16 * 16) {
        first[l] = at;
        sum += (double)kernels->restrict_residuals(of, &c, l == 0, at, a->size[at / 16]);
    }
    for (uint32_t l = a->levels[0]; l-- > 0;)
        kernels->correct_aggregates(of, first[l], a->size[first[l] / 16]);
    for (uint32_t i = 0; i < BODIES; i++) {
        const uint32_t above = a->of_slot[of->slot_of_particle[i]];
        for (uint32_t k = 0; k < 3; k++)
            z->of[i][k] = above == MOTE_NO_AGGREGATE ? 0 : (double)a->value[4 * above + k];
    }
    add_own_blocks(n, r, z);
    return sum;
}

/* The same from the definition, but for the blocks. */
static double sum_levels(const net *n, const vector *r, vector *z) {
    static double sum[BODIES + 256][3];
    uint32_t above[16];
    double levels_part = 0;
    memset(sum, 0, sizeof sum), memset(z, 0, sizeof *z);
    for (uint32_t i = 0; i < BODIES; i++)
        for (uint32_t l = climb(n, i, above); l-- > 0;)
            for (int k = 0; k < 3; k++) sum[above[l]][k] += r->of[i][k];
    for (uint32_t i = 0; i < BODIES; i++) {
        for (uint32_t l = climb(n, i, above); l-- > 0;) {
            block inverse;
            load_inverse(network_of(n), above[l], inverse);
            for (int k = 0; k < 3; k++) z->of[i][k] += dot(inverse[k], sum[above[l]]);
        }
        levels_part += dot(z->of[i], r->of[i]);
    }
    return levels_part;
}

static double product(const vector *a, const vector *b) {
    double sum = 0;
    for (uint32_t i = 0; i < BODIES; i++) sum += dot(a->of[i], b->of[i]);
    return sum;
}

static void random_residual(const net *n, random_source *random, vector *r, bool smooth) {
    for (uint32_t i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) {
            const float value = random_between(random, -1, 1);
            r->of[i][k] = is_pinned(n, i) ? 0 : (double)(smooth ? 1 + 0.1f * value : value);
        }
}

TEST(the_preconditioner_is_the_symmetric_positive_sum_over_levels) {
    static net n;
    static vector r[2], z[2], want;
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        random_source random = {(uint64_t)isa};
        if (!mote_isa_available((mote_isa)isa)) continue;
        make_net(&n, 7);
        for (int turn = 0; turn < 8; turn++) {
            for (int i = 0; i < 2; i++) {
                random_residual(&n, &random, &r[i], turn % 2);
                const double by_kernels =
                    precondition(&n, mote_network_kernels_for((mote_isa)isa), &r[i], &z[i]);
                const double part = sum_levels(&n, &r[i], &want), size = sqrt(product(&want, &want) / BODIES);
                add_own_blocks(&n, &r[i], &want);
                ASSERT_NEAR(by_kernels, part, 64 * UNIT * part);
                for (uint32_t k = 0; k < BODIES; k++)
                    for (int axis = 0; axis < 3; axis++) {
                        if (is_pinned(&n, k)) ASSERT(z[i].of[k][axis], ==, 0);
                        ASSERT_NEAR(z[i].of[k][axis], want.of[k][axis], 256 * UNIT * size);
                    }
                ASSERT(product(&r[i], &z[i]), >, 0);
            }
            const double size = sqrt(product(&r[0], &r[0]) * product(&z[1], &z[1]));
            ASSERT_NEAR(product(&r[0], &z[1]), product(&r[1], &z[0]), 64 * UNIT * size);
            ASSERT(fabs(product(&r[0], &z[1])), >, 1e3 * UNIT * size); /* both sides are more than rounding */
        }
        mote_system_destroy(n.system);
    }
}

/* --- Bits --- */

/* 70 x 70: level 1 has more aggregates than a worker takes at once. A spring tears, others are cut, and a pin
 * is taken away between steps. */
static uint64_t hash_large(mote_isa isa, mote_loop_order order, mote_jobs jobs) {
    static net n;
    mote_system_def def = rate_of(60, 2);
    def.isa = isa, def.loop_order = order, def.jobs = jobs;
    begin_net(&n, MOTE_NETWORK_CONSTRAINED);
    n.def.max_iterations = 2, n.def.max_linear = 3;
    add_grid(&n, (grid){70, 70, 0, 1.0 / 69, 1e-4, 1e4f, false});
    n.springs[5000].tear_strain = 1e-5f;
    start_net(&n, &def, GRAVITY);
    pin_here(&n, 0), pin_here(&n, 69);
    step_net(&n, 2);
    ASSERT(network_of(&n)->aggregates.size[0], >, 1024);
    ASSERT(report_of(&n).frozen, ==, 0);
    for (uint32_t i = 60; i < 9000; i += 900) OK(mote_network_remove_springs(n.system, n.id, 1, &i, NULL));
    OK(mote_network_unpin(n.system, n.id, 69));
    step_net(&n, 2);
    const uint64_t hash = mote_system_hash(n.system);
    mote_system_destroy(n.system);
    return hash;
}

TEST(many_aggregates_have_one_hash) {
    const uint64_t want = hash_large(MOTE_ISA_SCALAR, MOTE_LOOP_AUTO, (mote_jobs){0});
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++)
        for (int order = 0; order < MOTE_LOOP_ORDER_COUNT && mote_isa_available((mote_isa)isa); order++) {
            shuffled_jobs shuffled = {.random = {(uint64_t)order}, .workers = 3};
            const mote_jobs jobs[] = {shuffled_jobs_hook(&shuffled),
                                      dividing(mote_jobs_openmp(2 + (uint32_t)order))};
            for (int i = 0; i < 2; i++)
                ASSERT(hash_large((mote_isa)isa, (mote_loop_order)order, jobs[i]), ==, want);
            ASSERT(shuffled.runs, >, 0);
        }
}

/* --- A stiff net --- */

/* 64 x 64 threads of 1 m and 0.3 kg, 1.3 x 10^5 N/m each, at 60 Hz x 4: h^2 k / m = 31,000. Without
 * aggregates where asked. */
static void hang_stiff(net *n, uint32_t linear, bool aggregates) {
    const mote_system_def def = rate_of(60, 4);
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    n->def.max_iterations = 1, n->def.max_linear = linear;
    add_grid(n, (grid){64, 64, 0, 1.0 / 63, 0.3 / 4096, 1.3e5f, false});
    start_net(n, &def, GRAVITY);
    pin_here(n, 0), pin_here(n, 63);
    mote_network_find_aggregates(network_of(n));
    ASSERT(network_of(n)->aggregates.levels[0], >=, 6);
    if (!aggregates) network_of(n)->aggregates.levels[0] = 0;
}

/* 16 iterations hold it as it falls, and no energy is gained; without aggregates four times as many do not.
 */
TEST(sixteen_iterations_hold_a_stiff_net) {
    static net n;
    for (int aggregates = 0; aggregates < 2; aggregates++) {
        double strain = 0, energy = -1e9;
        hang_stiff(&n, aggregates ? 16 : 64, aggregates);
        for (int step = 0; step < 45; step++) {
            step_net(&n, 1);
            strain = fmax(strain, measured(&n).max_strain);
            energy = fmax(energy, energy_of(&n));
        }
        ASSERT(report_of(&n).linear, ==, (aggregates ? 64 : 256));
        ASSERT((strain < 0.01), ==, aggregates);
        ASSERT((strain > 0.02), ==, !aggregates);
        if (aggregates) ASSERT(energy, <, 0);
        mote_system_destroy(n.system);
    }
}

/* It falls for half a second, then goes on for a step of `linear` iterations a substep: root mean square of
 * the distances, m, from the solution by many iterations. */
static double error_after(uint32_t linear, bool aggregates, double (*solved)[3]) {
    static net n;
    double sum = 0;
    hang_stiff(&n, 32, true);
    step_net(&n, 30);
    network_of(&n)->def.max_linear = linear;
    if (!aggregates) network_of(&n)->aggregates.levels[0] = 0;
    step_net(&n, 1);
    for (uint32_t i = 0; i < 4096; i++) {
        const double at[3] = {place_of(&n, i, 0), place_of(&n, i, 1), place_of(&n, i, 2)};
        if (linear == 4096) memcpy(solved[i], at, sizeof at);
        sum += pow(apart(at, solved[i]), 2);
    }
    mote_system_destroy(n.system);
    return sqrt(sum / 4096);
}

TEST(aggregates_save_seven_of_eight_iterations) {
    static double solved[4096][3];
    error_after(4096, true, solved);
    for (uint32_t linear = 8; linear <= 16; linear *= 2)
        ASSERT(error_after(linear, true, solved), <, error_after(8 * linear, false, solved));
}
