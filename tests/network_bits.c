/* The kernels of networks against the plain float reference, bit for bit, on every instruction set: every
 * integrator, particle counts around a lane group and a block, islands that share blocks, are spread across
 * lanes or are larger than a block, pins, reels, tears and edits between the steps; hostile values, which
 * freeze their own island alone. */
#include "test.h"

#include "network_twin.h"

/* --- Comparison --- */

static void same_rows(const network_twin *t, uint32_t first_column, reference_row *want) {
    for (uint32_t i = 0; i < t->reference->count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float is = *column_of(t->system, t->id, i, first_column + axis), was = want[i][axis];
            if (memcmp(&is, &was, sizeof is) == 0 || (is != is && was != was)) continue;
            fail_msg("column %u of particle %u is %a, not %a", first_column + axis, i, (double)is,
                     (double)was);
        }
}

static void same_reactions(const network_twin *t) {
    const reference_network *n = t->reference;
    for (uint32_t i = 0; i < n->pin_count; i++) {
        float got[3];
        OK(mote_network_reaction(t->system, t->id, n->pin[i].particle, got));
        for (int axis = 0; axis < 3; axis++) ASSERT(got[axis], ==, n->reaction[n->pin[i].particle][axis]);
    }
}

static void same_report(const network_twin *t) {
    const reference_network *n = t->reference;
    const mote_network_step_report report = step_report(t->system, t->id);
    uint32_t frozen = 0;
    for (uint32_t i = 0; i < n->count; i++) frozen += n->frozen[i] && n->island[i] == i;
    ASSERT(report.frozen, ==, frozen);
    ASSERT(report.substeps, ==, t->around.substeps);
    ASSERT(report.torn, ==, n->torn_count);
}

/* Slots that belong to no particle stay at the origin, at rest. */
static void same_masked(const network_twin *t) {
    const mote_network_view v = mote_network_columns(t->system, t->id);
    static bool used[4 * NETWORK_PARTICLES];
    ASSERT(v.slot_count, <=, COUNT_OF(used));
    memset(used, 0, sizeof used);
    for (uint32_t i = 0; i < v.particle_count; i++) used[v.slot[i]] = true;
    const float *const column[7] = {v.position.x, v.position.y, v.position.z,  v.velocity.x,
                                    v.velocity.y, v.velocity.z, v.inverse_mass};
    for (uint32_t slot = 0; slot < v.slot_count; slot++)
        for (int c = 0; c < 7 && !used[slot]; c++) ASSERT(column[c][slot], ==, 0);
}

static void compare_states(const network_twin *t) {
    twin_case(t);
    same_rows(t, 0, t->reference->x);
    same_rows(t, 3, t->reference->v);
    same_reactions(t);
    twin_same_springs(t);
    same_report(t);
    same_masked(t);
}

/* The number of events of each kind, so that no test passes because none happened. */
typedef struct tally {
    uint32_t torn, frozen, moved, edits, reels;
} tally;

static void compare(const network_scene *s, tally *all) {
    static network_arrays arrays;
    network_twin t = make_twin(s, &arrays, false);
    twin_same_springs(&t);
    for (uint32_t step = 0; step < s->steps; step++) {
        if (s->parts & EDITS && step) twin_edit(&t, reference_hash(s->seed, step)), all->edits++;
        twin_step(&t);
        compare_states(&t);
        all->torn += t.reference->torn_count;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        all->frozen += t.reference->frozen[i];
        all->moved += !t.reference->frozen[i] && t.reference->mass[i] > 0 &&
                      t.reference->x[i][0] != arrays.positions[3 * i];
    }
    for (uint32_t i = 0; i < t.reference->spring_end; i++) all->reels += t.reference->spring[i].reels;
    destroy_twin(&t);
}

/* --- Every integrator --- */

typedef struct case_of {
    uint32_t parts, count, island;
    numbering order;
    bool joined;
} case_of;

static const case_of cases[] = {
    {SYSTEM, 1, 1, IN_ORDER, false},
    {DAMPING | MASSES | WILD, 2, 2, IN_ORDER, false},
    {SYSTEM | DAMPING | PINS | REELS, 15, 15, IN_ORDER, false},
    {STIFF | MASSES | EDITS, 16, 16, REVERSED, false},
    {SYSTEM | PINS | TEARS | REELS, 17, 9, IN_ORDER, false},
    {SYSTEM | STIFF | MASSES | DAMPING | PINS | EDITS | REELS | TEARS, 300, 40, INTERLEAVED, false},
    {SYSTEM | ALIKE | DAMPING | PINS | REELS | TEARS | EDITS, 420, 12, IN_ORDER, false},
    {ALIKE | MASSES | CALLBACKS | FIELDS | DAMPING | PINS, 333, 7, INTERLEAVED, false},
    {SYSTEM | MASSES | FIELDS | CALLBACKS | PINS | EDITS, 1023, 200, REVERSED, false},
    {SYSTEM | DAMPING | PINS | REELS | TEARS | EDITS, 1025, 1025, IN_ORDER, false},
    {STIFF | MASSES | DAMPING | PINS | TEARS | EDITS | REELS, 5000, 900, INTERLEAVED, true},
};

TEST_EACH(every_integrator_has_the_references_bits, MOTE_ADVECT_EULER, integrator_name, number) {
    const mote_integrator m = (mote_integrator)number;
    tally all = {0};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++)
        for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            const case_of *c = &cases[i];
            network_scene s = {.integrator = m,
                               .parts = c->parts,
                               .count = c->count,
                               .island = c->island,
                               .order = c->order,
                               .joined = c->joined,
                               .substeps = c->count > 1000 ? 2 : 3,
                               .steps = c->count > 1000 ? 3 : 5,
                               .seed = 20 + i,
                               .isa = (mote_isa)isa};
            if (mote_isa_available(s.isa)) compare(&s, &all);
        }
    ASSERT(all.moved, >, 0);
    ASSERT(all.torn, >, 0);
    ASSERT(all.edits, >, 0);
    ASSERT(all.reels, >, 0);
    ASSERT(all.frozen, ==, 0);
}

/* --- Hostile values --- */

TEST(hostile_values_freeze_their_island_as_in_the_reference) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_RK4,
                                                  MOTE_POSITION_VERLET,     MOTE_KINEMATIC,
                                                  MOTE_VELOCITY_VERLET,     MOTE_EXACT_FLOW};
    tally all = {0};
    for (uint32_t i = 0; i < 2 * COUNT_OF(integrators); i++)
        for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
            network_scene s = {.integrator = integrators[i / 2],
                               .parts = HOSTILE | SYSTEM | DAMPING | PINS | (i % 2 ? ALIKE | MASSES : REELS),
                               .count = 400,
                               .island = 9,
                               .substeps = 2,
                               .steps = 3,
                               .seed = 70 + i,
                               .isa = (mote_isa)isa};
            if (mote_isa_available(s.isa)) compare(&s, &all);
        }
    ASSERT(all.frozen, >, 0);
    ASSERT(all.moved, >, 0);
}

/* A spring without damping does not read the velocities of its ends, which fly apart at 1e37 m/s, whatever
 * springs share its line: in rows, and across lanes. */
TEST(springs_without_damping_read_no_velocity) {
    enum { ISLANDS = 40 };
    static float positions[6 * ISLANDS], velocities[6 * ISLANDS];
    mote_spring springs[ISLANDS];
    for (uint32_t islands = 7; islands <= ISLANDS; islands += ISLANDS - 7) {
        for (uint32_t i = 0; i < islands; i++) {
            positions[6 * i + 3] = 100;
            velocities[6 * i + 3] = i == 3 ? 3e37f : 0;
            springs[i] = (mote_spring){2 * i, 2 * i + 1, 99, 1, i == 3 ? 0 : 0.5f, 0};
        }
        mote_network_def def = mote_default_network_def();
        def.particle_count = 2 * islands, def.positions = positions, def.velocities = velocities;
        def.spring_count = islands, def.springs = springs;
        const mote_system_def system_def = mote_default_system_def();
        mote_system *system = make_system(&system_def);
        const mote_network_id id = add_network(system, &def);
        OK(mote_system_step(system, 1, NULL));
        ASSERT(step_report(system, id).frozen, ==, 0);
        ASSERT(*column_of(system, id, 7, 3), >, 2.9e37f);
        ASSERT(*column_of(system, id, 5, 3), <, 0);
        mote_system_destroy(system);
    }
}

/* --- Substeps of its own --- */

/* Two steps a second are too few for the springs; edits change how many substeps the network takes, as many
 * as its bound asks for. One spring becomes stiffer than all others. */
TEST(a_network_with_substeps_of_its_own_has_the_references_bits) {
    static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_POSITION_VERLET, MOTE_RK4,
                                                  MOTE_YOSHIDA4};
    static network_arrays arrays;
    for (uint32_t i = 0; i < 2 * COUNT_OF(integrators); i++) {
        const network_scene s = {.integrator = integrators[i / 2],
                                 .parts = SYSTEM | DAMPING | PINS | EDITS | (i % 2 ? MASSES : REELS),
                                 .count = 250,
                                 .island = 60,
                                 .substeps = 1,
                                 .seed = 90 + i,
                                 .rate = {2, 1},
                                 .policy = MOTE_STABILITY_SUBSTEP};
        network_twin t = make_twin(&s, &arrays, false);
        uint32_t changes = 0, before = 0;
        for (uint32_t step = 0; step < 8; step++) {
            const float stiffness = 200 * (float)(1 + step % 3);
            if (step) {
                twin_edit(&t, reference_hash(s.seed, step));
                const uint32_t number = network_find(t.system, t.id, arrays.def.spring_capacity, 17);
                OK(mote_network_set_spring(t.system, t.id, number, stiffness, 0.1f, 0, NULL));
                reference_network_set(t.reference, number, stiffness, 0.1f, 0);
            }
            const mote_network_stability_report bound = stability_of(t.system, t.id);
            twin_step(&t);
            ASSERT(t.around.substeps, ==, bound.substeps);
            ASSERT(0.5 / bound.substeps, <=, bound.any.step);
            changes += t.around.substeps != before;
            before = t.around.substeps;
            compare_states(&t);
        }
        ASSERT(changes, >, 2);
        ASSERT(before, >, 1);
        destroy_twin(&t);
    }
}
