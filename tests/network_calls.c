/* Networks: calls that are refused return the right code, say where the fault is, and change nothing. */
#include "test.h"

#include "network_web.h"

static const uint32_t NONE = MOTE_NO_ITEM;

/* --- Adding --- */

TEST(the_default_def_has_the_documented_values) {
    const mote_network_def d = mote_default_network_def();
    ASSERT(d.solver, ==, MOTE_NETWORK_SPRINGS);
    ASSERT(d.policy, ==, MOTE_STABILITY_REPORT);
    ASSERT(d.particle_count, ==, 0);
    ASSERT(d.spring_count, ==, 0);
    ASSERT(d.spring_capacity, ==, 0);
    ASSERT(d.mass, ==, 1);
    ASSERT(d.max_substeps, ==, 256);
    ASSERT(d.max_strain, ==, 0.002f);
    ASSERT(d.max_iterations, ==, 4);
    ASSERT(d.max_linear, ==, 64);
    ASSERT(d.radius, ==, 0);
    ASSERT(d.friction, ==, 0.5f);
    ASSERT(d.growth_allowed, ==, false);
    const void *const arrays[] = {d.positions, d.velocities, d.particle_mass, d.springs};
    for (size_t i = 0; i < COUNT_OF(arrays); i++) assert_null(arrays[i]);
}

typedef struct attempt {
    mote_system *system;
    web *w;
    memory_ledger *ledger;
} attempt;

/* The spring and the name of an argument that was refused. */
static void check_fault(const mote_network_fault *fault, uint32_t spring, const char *parameter) {
    ASSERT(fault->particle, ==, MOTE_NO_ITEM);
    ASSERT(fault->spring, ==, spring);
    assert_string_equal(fault->parameter, parameter);
}

/* The def as it stands is refused, whether a fault is asked for or not. Returns the name of the field. */
static const char *expect_refused(const attempt *a, mote_result want, uint32_t particle, uint32_t spring) {
    mote_network_id id = {7, 7};
    mote_network_fault fault = {7, 7, NULL};
    const uint64_t bytes = a->ledger->live_bytes;
    REFUSALS(a->system, RETURNS(want, mote_system_add_network(a->system, &a->w->def, &id, NULL)),
             RETURNS(want, mote_system_add_network(a->system, &a->w->def, &id, &fault)));
    ASSERT(fault.particle, ==, particle);
    ASSERT(fault.spring, ==, spring);
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    ASSERT(a->ledger->live_bytes, ==, bytes);
    return fault.parameter;
}

#define DEF(member, value, want) BAD_VALUE(mote_network_def, member, value, MOTE_ERROR_##want)
#define NOT_A_LENGTH(member)                                                                                 \
    DEF(member, NAN, NOT_FINITE), DEF(member, INFINITY, NOT_FINITE), DEF(member, -INFINITY, NOT_FINITE),     \
        DEF(member, -1, RANGE)
#define NOT_A_COUNT(member, most) DEF(member, 0, RANGE), DEF(member, most + 1, RANGE)

TEST(bad_defs_are_refused) {
    static const bad_value rows[] = {DEF(cookie, 0, DEF),
                                     DEF(solver, MOTE_NETWORK_SOLVER_COUNT, ENUM),
                                     DEF(policy, -1, ENUM),
                                     DEF(positions, 0, NULL),
                                     DEF(springs, 0, NULL),
                                     NOT_A_COUNT(particle_count, MOTE_MAX_PARTICLES),
                                     NOT_A_COUNT(max_substeps, 4096),
                                     NOT_A_COUNT(max_iterations, 32),
                                     NOT_A_COUNT(max_linear, 4096),
                                     DEF(spring_count, UINT32_MAX, OVERFLOW),
                                     DEF(spring_capacity, UINT32_MAX, OVERFLOW),
                                     NOT_A_LENGTH(max_strain),
                                     DEF(max_strain, 0, RANGE),
                                     NOT_A_LENGTH(radius),
                                     NOT_A_LENGTH(friction),
                                     NOT_A_LENGTH(mass),
                                     DEF(mass, 0, RANGE),
                                     DEF(mass, 0x1p-140, RANGE)}; /* its inverse is beyond a float */
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 5, 1);
    const attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, &ledger};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mote_network_def good = w.def;
        if (strcmp(rows[i].member, "mass") == 0) w.def.particle_mass = NULL;
        spoil(&w.def, &rows[i]);
        assert_field(&rows[i], expect_refused(&a, rows[i].want, NONE, NONE));
        w.def = good;
    }
    w.def.mass = 0;            /* not read beside masses */
    w.def.spring_capacity = 2; /* fewer than there are: no space for more */
    const mote_network_id id = add_web(a.system, &w);
    ASSERT(mote_network_columns(a.system, id).spring_capacity, ==, w.springs);
    destroy_watched(a.system, &ledger);
}

#define SPRING(member, value, want) BAD_VALUE(mote_spring, member, value, MOTE_ERROR_##want)
#define NOT_FINITE(member)                                                                                   \
    SPRING(member, NAN, NOT_FINITE), SPRING(member, -INFINITY, NOT_FINITE), SPRING(member, -0.5, RANGE)
/* Of springs in a def and of those that are added later. */
static const bad_value bad_springs[] = {SPRING(a, UINT32_MAX, RANGE),
                                        SPRING(b, 86, RANGE),               /* of 86 particles */
                                        SPRING(stiffness, INFINITY, RANGE), /* for the other solver */
                                        NOT_FINITE(rest_length),
                                        NOT_FINITE(stiffness),
                                        NOT_FINITE(damping),
                                        NOT_FINITE(tear_strain),
                                        SPRING(rest_length, INFINITY, NOT_FINITE),
                                        SPRING(damping, INFINITY, NOT_FINITE),
                                        SPRING(tear_strain, INFINITY, NOT_FINITE)};

TEST(bad_particles_and_springs_are_refused_by_number) {
    static web w;
    memory_ledger ledger = {0};
    make_web(&w, 5, 2);
    const attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, &ledger};
    const uint32_t at[] = {0, 41, w.particles - 1}, springs[] = {0, 30, w.springs - 1};
    static const float bad[] = {NAN, INFINITY, -INFINITY, 0, -1, 0x1p-140f};
    static const char *const arrays[] = {"particle_mass", "positions", "velocities"};
    for (uint32_t i = 0; i < 3 * COUNT_OF(bad); i++) {
        const uint32_t particle = at[i % 3], k = i / 3;
        float *const values[] = {&w.masses[particle], &w.positions[3 * particle + k % 3],
                                 &w.velocities[3 * particle + k % 3]};
        for (int n = 0; n < (k < 3 ? 3 : 1); n++) {
            const float good = *values[n];
            *values[n] = bad[k];
            test_case("particle %u, array %d: %g", particle, n, (double)bad[k]);
            assert_string_equal(
                arrays[n],
                expect_refused(&a, k < 3 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_RANGE, particle, NONE));
            *values[n] = good;
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        mote_spring *s = &w.spring[springs[i]], good = *s;
        for (size_t k = 0; k < COUNT_OF(bad_springs); k++) {
            spoil(s, &bad_springs[k]);
            assert_field(&bad_springs[k], expect_refused(&a, bad_springs[k].want, NONE, springs[i]));
            *s = good;
        }
        s->a = s->b, expect_refused(&a, MOTE_ERROR_RANGE, NONE, springs[i]), *s = good;
        w.def.solver = MOTE_NETWORK_CONSTRAINED;
        s->stiffness = 0, expect_refused(&a, MOTE_ERROR_RANGE, NONE, springs[i]);
        s->stiffness = -INFINITY, expect_refused(&a, MOTE_ERROR_NOT_FINITE, NONE, springs[i]), *s = good;
        w.def.solver = MOTE_NETWORK_SPRINGS;
    }
    /* As placed, too far apart for a float: the sum of squares of these distances is beyond it. */
    const float length = w.spring[8].rest_length;
    w.positions[3 * w.spring[8].a] = -3e38f, w.positions[3 * w.spring[8].b] = 3e38f;
    w.spring[8].rest_length = MOTE_AS_PLACED, expect_refused(&a, MOTE_ERROR_RANGE, NONE, 8);
    w.spring[8].rest_length = length;
    /* Of several faults, the first. */
    w.spring[20].damping = w.spring[10].damping = -1, expect_refused(&a, MOTE_ERROR_RANGE, NONE, 10);
    w.masses[12] = 0, expect_refused(&a, MOTE_ERROR_RANGE, 12, NONE);
    destroy_watched(a.system, &ledger);
}

/* Six rigid springs are the most for an island of two particles; compliant ones and those of other islands,
 * springs 0 to 2, do not count. */
TEST(no_more_rigid_springs_than_degrees_of_freedom) {
    const float positions[15] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
    mote_spring springs[11];
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    mote_network_fault fault;
    uint32_t number[3];
    for (uint32_t i = 0; i < 11; i++)
        springs[i] = (mote_spring){i < 3 ? 3 : 0, i < 3 ? 4 : 1, 1, INFINITY, 0, 0};
    def.solver = MOTE_NETWORK_CONSTRAINED;
    def.particle_count = 5, def.positions = positions;
    def.springs = springs, def.spring_count = 11, def.spring_capacity = 15;
    springs[5].stiffness = 5;
    REFUSED(system, MOTE_ERROR_RANGE, mote_system_add_network(system, &def, &id, &fault));
    ASSERT(fault.spring, ==, 10);
    ASSERT(fault.particle, ==, NONE);
    def.spring_count = 10;
    OK(mote_system_add_network(system, &def, &id, &fault));
    REFUSED(system, MOTE_ERROR_RANGE, mote_network_set_spring(system, id, 5, INFINITY, 0, 0, &fault));
    check_fault(&fault, 5, "stiffness");
    mote_spring more[2] = {{0, 1, 1, 9, 0, 0}, {1, 0, 1, INFINITY, 0, 0}};
    REFUSED(system, MOTE_ERROR_RANGE, mote_network_add_springs(system, id, 2, more, number, &fault));
    ASSERT(fault.spring, ==, 1);
    more[0].a = 2; /* joins the lone particle: nine are allowed */
    OK(mote_network_add_springs(system, id, 2, more, number, &fault));
    OK(mote_network_set_spring(system, id, 5, INFINITY, 0, 0, NULL));
    OK(mote_network_set_spring(system, id, number[0], INFINITY, 0, 0, NULL));
    OK(mote_network_set_spring(system, id, number[0], INFINITY, 1, 0, NULL)); /* it is rigid already */
    REFUSED(system, MOTE_ERROR_RANGE, mote_network_add_springs(system, id, 1, more + 1, number, &fault));
    ASSERT(fault.spring, ==, 0);
    mote_system_destroy(system);
}

/* Undamped springs under the integrators by which they grow at any step, unless asked for; advection has no
 * springs. */
TEST_EACH(springs_that_grow_are_refused_unless_asked_for, MOTE_INTEGRATOR_COUNT, integrator_name, number_) {
    static web w;
    memory_ledger ledger = {0};
    const mote_integrator integrator = (mote_integrator)number_;
    const bool grows = integrator == MOTE_EXPLICIT_EULER || integrator == MOTE_MIDPOINT;
    const mote_result want = grows ? MOTE_ERROR_STABILITY : MOTE_OK;
    const mote_spring undamped = {0, 1, 1, 2, 0, 0}, slack = {0, 1, 1, 0, 0, 0};
    uint32_t number;
    mote_network_fault fault;
    make_web(&w, 5, 3);
    const attempt a = {make_host(integrator, &ledger), &w, &ledger};
    w.spring[17].damping = 0, w.spring[18].damping = 0;
    if (advects(integrator)) {
        expect_refused(&a, MOTE_ERROR_INTEGRATOR, NONE, NONE);
        destroy_watched(a.system, &ledger);
        return;
    }
    if (grows) expect_refused(&a, want, NONE, 17);
    w.def.growth_allowed = true;
    const mote_network_id may = add_web(a.system, &w);
    OK(mote_network_set_spring(a.system, may, 17, 3, 0, 0, NULL));
    OK(mote_network_add_springs(a.system, may, 1, &undamped, &number, &fault));
    w.def.growth_allowed = false;
    w.spring[17].stiffness = w.spring[18].stiffness = 0;
    const mote_network_id id = add_web(a.system, &w);
    const uint64_t hash = mote_system_hash(a.system);
    assert_int_equal(mote_network_set_spring(a.system, id, 17, 3, 0, 0, &fault), want);
    if (grows) check_fault(&fault, 17, "damping");
    assert_int_equal(mote_network_add_springs(a.system, id, 1, &undamped, &number, &fault), want);
    ASSERT(fault.spring, ==, (grows ? 0 : NONE));
    ASSERT((mote_system_hash(a.system) == hash), ==, grows);
    OK(mote_network_add_springs(a.system, id, 1, &slack, &number, &fault));
    w.def.solver = MOTE_NETWORK_CONSTRAINED, w.spring[17].stiffness = w.spring[18].stiffness = 1;
    (void)add_web(a.system, &w);
    destroy_watched(a.system, &ledger);
}

TEST(no_more_networks_than_allowed_fit) {
    static web w;
    memory_ledger ledger = {0};
    mote_network_id id[MOTE_MAX_NETWORKS];
    make_web(&w, 5, 4);
    const attempt a = {make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger), &w, &ledger};
    for (uint32_t i = 0; i < MOTE_MAX_NETWORKS; i++) id[i] = add_web(a.system, &w);
    expect_refused(&a, MOTE_ERROR_CAPACITY, NONE, NONE);
    OK(mote_system_remove_network(a.system, id[7]));
    REFUSED(a.system, MOTE_ERROR_ID, mote_system_remove_network(a.system, id[7]));
    const mote_network_id again = add_web(a.system, &w);
    for (uint32_t i = 0; i < MOTE_MAX_NETWORKS; i++) ASSERT(again.index, !=, id[i].index);
    assert_null(mote_network_columns(a.system, id[7]).slot);
    assert_non_null(mote_network_columns(a.system, id[8]).slot);
    destroy_watched(a.system, &ledger);
}

/* --- Calls between steps --- */

/* Every call that names a network by its id returns this code, with arguments that are right for a web. */
static void expect_all(mote_system *system, mote_network_id id, mote_result want) {
    static float vertices[3 * HOST_PARTICLES];
    const mote_present_layout layout = layout_at(12, 0, MOTE_OMIT);
    mote_spring spring = {0, 1, 1, 1, 0, 0};
    uint32_t number = 3;
    float impulse[3];
    mote_network_step_report report;
    mote_network_stability_report stability;
    mote_statistics statistics;
    REFUSALS(want ? system : NULL, RETURNS(want, mote_network_teleport(system, id)),
             RETURNS(want, mote_network_pin(system, id, 0, (float[3]){0, 0, 0}, 0)),
             RETURNS(want, mote_network_reaction(system, id, 0, impulse)),
             RETURNS(want, mote_network_unpin(system, id, 0)),
             RETURNS(want, mote_network_add_springs(system, id, 1, &spring, &number, NULL)),
             RETURNS(want, mote_network_set_spring(system, id, number, 1, 1, 1, NULL)),
             RETURNS(want, mote_network_reel(system, id, number, 1, 0, NULL)),
             RETURNS(want, mote_network_spring(system, id, number, &spring)),
             RETURNS(want, mote_network_remove_springs(system, id, 1, &number, NULL)),
             RETURNS(want, mote_network_report(system, id, &report)),
             RETURNS(want, mote_network_stability(system, id, &stability)),
             RETURNS(want, mote_network_statistics(system, id, &statistics)),
             RETURNS(want, mote_network_present(system, id, &layout, vertices, sizeof vertices)),
             RETURNS(want, mote_system_remove_network(system, id)));
}

TEST(calls_with_a_wrong_id_are_refused) {
    static web w;
    make_web(&w, 5, 7);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL),
                *other = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w), stays = add_web(system, &w);
    (void)add_web(other, &w);
    const uint64_t hash = mote_system_hash(system);
    expect_all(NULL, id, MOTE_ERROR_NULL);
    expect_all(other, id, MOTE_ERROR_ID);
    expect_all(system, (mote_network_id){0, 0}, MOTE_ERROR_ID);
    expect_all(system, (mote_network_id){99, id.generation}, MOTE_ERROR_ID);
    ASSERT(mote_system_hash(system), ==, hash);
    expect_all(system, id, MOTE_OK);
    expect_all(system, id, MOTE_ERROR_ID);
    expect_all(system, stays, MOTE_OK);
    mote_system_destroy(system), mote_system_destroy(other);
}

typedef struct caller {
    mote_system *system;
    const web *w;
    mote_network_id id;
    bool calls;
} caller;

static void call_everything(void *context) {
    const caller *c = context;
    mote_network_id id;
    if (!c->calls) return;
    expect_all(c->system, c->id, MOTE_ERROR_BUSY);
    REFUSED(c->system, MOTE_ERROR_BUSY, mote_system_add_network(c->system, &c->w->def, &id, NULL));
}

TEST(calls_within_a_step_are_refused) {
    static web w;
    uint64_t hash[2];
    make_web(&w, 5, 8);
    for (int calls = 0; calls < 2; calls++) {
        caller c = {.system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL), .w = &w, .calls = calls};
        uint32_t probes;
        c.id = add_web(c.system, &w);
        OK(scene_call_within_step(c.system, call_everything, &c, &probes));
        ASSERT(probes, >, 1);
        hash[calls] = mote_system_hash(c.system);
        mote_system_destroy(c.system);
    }
    ASSERT(hash[0], ==, hash[1]);
}

typedef struct named {
    mote_network_id id;
    uint32_t right, wrong;
} named;

static void look_at_id(void *user, const mote_stage_view *stage, float *x, float *y, float *z) {
    (void)x, (void)y, (void)z;
    named *n = user;
    const bool right = stage->network.index == n->id.index && stage->network.generation == n->id.generation &&
                       !stage->strands.generation;
    if (stage->network.generation) *(right ? &n->right : &n->wrong) += 1;
}

TEST(callbacks_are_given_the_id_of_the_network) {
    static web w;
    named n = {.right = 0};
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    mote_range_view view;
    make_web(&w, 5, 8);
    n.id = add_web(system, &w);
    add_force(system, mote_callback(look_at_id, &n));
    OK(mote_system_spawn(system, 1, &view));
    OK(mote_system_step(system, 2, NULL));
    ASSERT(n.right, >, 0);
    ASSERT(n.wrong, ==, 0);
    mote_system_destroy(system);
}

static void refuse_numbers(mote_system *system, mote_network_id id) {
    static const char *const names[] = {"rest_length", "stiffness", "damping", "tear_strain"};
    mote_network_fault faults[4];
    static const float bad[] = {NAN, INFINITY, -INFINITY, -0.5f};
    for (uint32_t i = 0; i < 4; i++) {
        const mote_result want = i == 3 ? MOTE_ERROR_RANGE : MOTE_ERROR_NOT_FINITE;
        float hole[3] = {0, 0, 0};
        hole[i % 3] = bad[i];
        if (i < 3) REFUSED(system, want, mote_network_pin(system, id, i % 2, hole, 0));
        REFUSALS(system, RETURNS(want, mote_network_reel(system, id, 2, bad[i], 0, &faults[0])),
                 RETURNS(i == 1 ? MOTE_ERROR_RANGE : want,
                         mote_network_set_spring(system, id, 2, bad[i], 1, 1, &faults[1])),
                 RETURNS(want, mote_network_set_spring(system, id, 2, 1, bad[i], 1, &faults[2])),
                 RETURNS(want, mote_network_set_spring(system, id, 2, 1, 1, bad[i], &faults[3])));
        for (int k = 0; k < 4; k++) check_fault(&faults[k], 2, names[k]);
    }
}

static void refuse_layouts(mote_system *system, mote_network_id id, uint32_t particles) {
    float vertices[3 * 100];
    const size_t omit = MOTE_OMIT;
    const size_t wrong[][3] = {{12, 0, 0},    {12, omit, 0},  {12, omit, omit}, {11, 0, omit},
                               {12, 1, omit}, {24, 13, omit}, {0, 0, omit},     {24, 0, 12}};
    const mote_present_layout good = layout_at(12, 0, omit);
    mote_present_layout foreign = good, nowhere = good, sized = good, coloured = good;
    foreign.cookie++, nowhere.origin[1] = NAN;
    sized.size_offset = coloured.colour_offset = 0; /* springs have no lives */
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const mote_present_layout layout = layout_at(wrong[i][0], wrong[i][1], wrong[i][2]);
        REFUSED(system, MOTE_ERROR_RANGE,
                mote_network_present(system, id, &layout, vertices, sizeof vertices));
    }
    REFUSALS(system, REFUSES(DEF, mote_network_present(system, id, &foreign, vertices, sizeof vertices)),
             REFUSES(NOT_FINITE, mote_network_present(system, id, &nowhere, vertices, sizeof vertices)));
    REFUSALS(system, REFUSES(RANGE, mote_network_present(system, id, &sized, vertices, sizeof vertices)),
             REFUSES(RANGE, mote_network_present(system, id, &coloured, vertices, sizeof vertices)));
    REFUSALS(system, REFUSES(NULL, mote_network_present(system, id, NULL, vertices, sizeof vertices)),
             REFUSES(NULL, mote_network_present(system, id, &good, NULL, sizeof vertices)),
             REFUSES(BUFFER, mote_network_present(system, id, &good, vertices, 12 * particles - 1)),
             RETURNS(MOTE_OK, mote_network_present(system, id, &good, vertices, 12 * particles)));
}

/* For a network whose particle 1 is pinned. */
TEST(calls_with_wrong_arguments_are_refused) {
    static web w;
    make_web(&w, 5, 9);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const float here[3] = {0, 0, 0};
    float impulse[3];
    mote_spring spring;
    OK(mote_network_pin(system, id, 1, (float[3]){1, 2, 3}, 9));
    REFUSALS(system, REFUSES(NULL, mote_network_pin(system, id, 0, NULL, 0)),
             REFUSES(RANGE, mote_network_pin(system, id, w.particles, here, 0)),
             REFUSES(RANGE, mote_network_unpin(system, id, w.particles)),
             REFUSES(RANGE, mote_network_unpin(system, id, 0)),
             REFUSES(RANGE, mote_network_reaction(system, id, 0, impulse)),
             REFUSES(RANGE, mote_network_reaction(system, id, w.particles, impulse)),
             REFUSES(NULL, mote_network_reaction(system, id, 1, NULL)),
             REFUSES(NULL, mote_network_spring(system, id, 0, NULL)),
             REFUSES(NULL, mote_network_report(system, id, NULL)),
             REFUSES(NULL, mote_network_statistics(system, id, NULL)),
             REFUSES(NULL, mote_network_stability(system, id, NULL)),
             REFUSES(RANGE, mote_network_reel(system, id, 2, MOTE_AS_PLACED, 0, NULL)));
    mote_network_fault faults[2];
    const uint32_t no_spring[] = {w.springs, w.springs + 63, w.springs + 64, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(no_spring); i++) {
        REFUSALS(system, REFUSES(RANGE, mote_network_spring(system, id, no_spring[i], &spring)),
                 REFUSES(RANGE, mote_network_reel(system, id, no_spring[i], 1, 0, &faults[0])),
                 REFUSES(RANGE, mote_network_set_spring(system, id, no_spring[i], 1, 1, 1, &faults[1])));
        for (int k = 0; k < 2; k++) check_fault(&faults[k], no_spring[i], "number");
    }
    refuse_numbers(system, id);
    refuse_layouts(system, id, w.particles);
    REFUSED(system, MOTE_ERROR_INTEGRATOR, mote_system_seek(system, 5));
    OK(mote_system_remove_network(system, id));
    OK(mote_system_seek(system, 5));
    mote_system_destroy(system);
}

static void refuse_removals(mote_system *system, mote_network_id id, uint32_t springs) {
    mote_network_fault fault;
    const struct {
        uint32_t count, number[3], fault;
    } removals[] = {
        {3, {0, springs, 1}, 1}, {3, {0, 1, 0}, 2}, {2, {5, 5, 0}, 1}, {1, {UINT32_MAX, 0, 0}, 0}};
    for (size_t i = 0; i < COUNT_OF(removals); i++) {
        const uint32_t count = removals[i].count, *number = removals[i].number;
        REFUSALS(system, REFUSES(RANGE, mote_network_remove_springs(system, id, count, number, NULL)),
                 REFUSES(RANGE, mote_network_remove_springs(system, id, count, number, &fault)));
        ASSERT(fault.spring, ==, removals[i].fault);
        ASSERT(fault.particle, ==, NONE);
    }
    REFUSALS(system, REFUSES(NULL, mote_network_remove_springs(system, id, 1, NULL, &fault)),
             RETURNS(MOTE_OK, mote_network_remove_springs(system, id, 0, NULL, &fault)));
}

TEST(bad_springs_are_refused_by_item) {
    static web w;
    make_web(&w, 5, 10);
    mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, NULL);
    const mote_network_id id = add_web(system, &w);
    const mote_spring good = {0, 1, 1, 1, 0, 0};
    mote_spring springs[66];
    uint32_t numbers[66];
    mote_network_fault fault;
    for (int i = 0; i < 66; i++) springs[i] = good, numbers[i] = 7;
    for (uint32_t i = 0; i <= COUNT_OF(bad_springs); i++) {
        const bool self = i == COUNT_OF(bad_springs);
        mote_spring *item = &springs[i % 3];
        if (self)
            item->a = item->b;
        else
            spoil(item, &bad_springs[i]);
        REFUSED(system, self ? MOTE_ERROR_RANGE : bad_springs[i].want,
                mote_network_add_springs(system, id, 3, springs, numbers, &fault));
        ASSERT(fault.spring, ==, i % 3);
        ASSERT(fault.particle, ==, NONE);
        *item = good;
    }
    /* As placed: the columns decide, and between these two there is no distance. */
    const float kept = *column_of(system, id, 0, 0);
    springs[1].rest_length = MOTE_AS_PLACED;
    *column_of(system, id, 0, 0) = NAN;
    assert_int_equal(mote_network_add_springs(system, id, 2, springs, numbers, &fault), MOTE_ERROR_RANGE);
    *column_of(system, id, 0, 0) = kept;
    ASSERT(fault.spring, ==, 1);
    springs[1] = good;
    REFUSED(system, MOTE_ERROR_CAPACITY, mote_network_add_springs(system, id, 65, springs, numbers, &fault));
    assert_string_equal(fault.parameter, "spring_capacity");
    ASSERT(fault.spring, ==, 64);
    assert_int_equal(mote_network_add_springs(system, id, 1, springs, NULL, &fault), MOTE_ERROR_NULL);
    assert_string_equal(fault.parameter, "numbers");
    REFUSALS(system, REFUSES(NULL, mote_network_add_springs(system, id, 1, NULL, numbers, &fault)),
             REFUSES(NULL, mote_network_add_springs(system, id, 1, springs, NULL, &fault)));
    ASSERT(fault.spring, ==, NONE);
    REFUSED(system, MOTE_OK, mote_network_add_springs(system, id, 0, NULL, NULL, NULL));
    for (int i = 0; i < 66; i++) ASSERT(numbers[i], ==, 7);
    refuse_removals(system, id, w.springs);
    mote_system_destroy(system);
}
