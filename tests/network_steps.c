/* The effect of the host's calls on the steps that follow: pins, reels, tears, frozen islands, and edits,
 * after which a network steps like one that was made so. */
#include "test.h"

#include "network_net.h"
#include "network_web.h"

/* --- Pins, reels, tears, frozen islands --- */

/* Particles on the x axis. */
static void begin_line(net *n, uint32_t count, const double *x) {
    begin_net(n, MOTE_NETWORK_SPRINGS);
    for (uint32_t i = 0; i < count; i++) add_particle(n, x[i], 0, 0, 1);
}

/* A pair of which one body turns non-finite freezes with it, beside one that falls on; it falls again once
 * teleported, while the other one freezes. */
TEST(a_frozen_island_stands_until_it_is_teleported) {
    static net n;
    begin_line(&n, 4, (double[]){0, 1, 5, 6});
    add_spring(&n, 0, 1, 1, 10, 0), add_spring(&n, 2, 3, 1, 10, 0);
    start_net(&n, NULL, GRAVITY);
    *coordinate(&n, 2, 3) = 3e38f;
    double last = 0;
    for (int step = 0; step < 200; step++) {
        step_net(&n, 1);
        ASSERT(place_of(&n, 0, 1), <, last); /* the other island falls on */
        last = place_of(&n, 0, 1);
    }
    const mote_network_step_report report = report_of(&n);
    ASSERT(report.frozen, ==, 1);
    ASSERT(report.substeps, ==, 1);
    ASSERT(report.torn, ==, 0);
    assert_true(isfinite(place_of(&n, 2, 0)));
    assert_true(isfinite(place_of(&n, 3, 3)));
    for (uint32_t i = 0; i < 5; i++) ASSERT(mote_network_frozen(n.system, n.id, i), ==, (i == 2 || i == 3));
    const double stood = place_of(&n, 3, 1);
    ASSERT(stood, >, last);
    step_net(&n, 3);
    ASSERT(place_of(&n, 3, 1), ==, stood);
    for (uint32_t i = 0; i < 12; i++) *coordinate(&n, 2 + i / 6, i % 6) = i % 6 ? 0 : n.positions[6 + i / 2];
    step_net(&n, 1); /* finite again, it does not move before it is teleported */
    ASSERT(place_of(&n, 3, 1), ==, 0);
    const uint64_t hash = mote_system_hash(n.system);
    OK(mote_network_teleport(n.system, n.id));
    ASSERT(report_of(&n).frozen, ==, 0);
    ASSERT(mote_system_hash(n.system), !=, hash);
    assert_false(mote_network_frozen(n.system, n.id, 2));
    step_net(&n, 1);
    ASSERT(report_of(&n).frozen, ==, 0);
    const double low = place_of(&n, 2, 1);
    ASSERT(low, <, 0);
    *coordinate(&n, 0, 3) = 3e38f;
    step_net(&n, 3);
    ASSERT(report_of(&n).frozen, ==, 1);
    ASSERT(place_of(&n, 2, 1), <, low);
    mote_system_destroy(n.system);
}

/* A pinned particle travels to its target, and stands there to the bit; released, it moves. The springs'
 * impulse on it is the opposite of the free end's: k (|d| - L) h = 8/60 N s, on 1 kg; h, its product and its
 * sum are rounded. */
TEST(a_pin_travels_to_its_target_and_feels_its_springs) {
    static net n;
    begin_line(&n, 2, (double[]){0, 3});
    add_spring(&n, 0, 1, 1, 4, 0);
    start_net(&n, NULL, 0);
    pin_here(&n, 0);
    step_net(&n, 1);
    const double impulse = reaction(&n, 0, 0);
    ASSERT_NEAR(impulse, 8.0 / 60, 4 * UNIT * impulse);
    ASSERT_NEAR(impulse, -place_of(&n, 1, 3), 4 * UNIT * impulse);
    ASSERT(reaction(&n, 0, 1), ==, 0);
    ASSERT(reaction(&n, 0, 2), ==, 0);
    ASSERT(place_of(&n, 0, 0), ==, 0);
    pin_at(&n, 0, 0, 1, 0, 3 * step_ticks(&n));
    step_net(&n, 1);
    ASSERT(place_of(&n, 0, 1), ==, 0.5);
    ASSERT_NEAR(place_of(&n, 0, 4), 30, 30 * 4 * UNIT);
    step_net(&n, 1);
    ASSERT(place_of(&n, 0, 1), ==, 1);
    pin_at(&n, 0, 0, 2, 0, MOTE_NEXT_ADVANCE);
    step_net(&n, 4);
    ASSERT(place_of(&n, 0, 1), ==, 2);
    OK(mote_network_unpin(n.system, n.id, 0));
    float none[3];
    REFUSED(n.system, MOTE_ERROR_RANGE, mote_network_reaction(n.system, n.id, 0, none));
    step_net(&n, 1);
    ASSERT(place_of(&n, 0, 0), >, 0);
    mote_system_destroy(n.system);
}

/* The impulse of a substep, by the integrators that evaluate it several times, is the momentum that the other
 * end has lost: v of the free end, of 1 kg, but for UNIT of each of 2 substeps of up to eight evaluations. */
TEST(a_reaction_is_the_momentum_that_the_springs_give) {
    static net n;
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        mote_system_def def = rate_of(60, 2);
        def.integrator = (mote_integrator)i;
        test_case("%s", integrator_name(def.integrator));
        begin_line(&n, 2, (double[]){0, 3});
        add_spring(&n, 0, 1, 1, 400, 2);
        start_net(&n, &def, 0);
        pin_here(&n, 0);
        step_net(&n, 1); /* position Verlet begins with half a kick, which is no part of a step */
        const double before = place_of(&n, 1, 3);
        step_net(&n, 1);
        ASSERT_NEAR(reaction(&n, 0, 0), before - place_of(&n, 1, 3),
                    2 * 8 * 4 * UNIT * fabs(place_of(&n, 1, 3)));
        ASSERT(reaction(&n, 0, 0), >, 1);
        mote_system_destroy(n.system);
    }
}

/* A spring that is reeled has the length of the time, and keeps the last. A spring tears at the end of the
 * step that stretches it, and is listed until the next. */
TEST(a_reeled_spring_has_the_length_of_the_time_and_tears_when_it_is_stretched) {
    static net n;
    uint32_t torn;
    begin_line(&n, 3, (double[]){0, 1, 3});
    add_spring(&n, 0, 1, 1, 4, 0), add_spring(&n, 1, 2, 2, 4, 0);
    n.springs[1].tear_strain = 0.25f;
    start_net(&n, NULL, 0);
    for (uint32_t i = 0; i < 3; i++) pin_here(&n, i);
    step_net(&n, 1);
    OK(mote_network_reel(n.system, n.id, 0, 3, 3 * step_ticks(&n), NULL));
    ASSERT(spring_of(n.system, n.id, 0).rest_length, ==, 1);
    const float lengths[] = {2, 3, 3, 3};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        step_net(&n, 1);
        ASSERT(spring_of(n.system, n.id, 0).rest_length, ==, lengths[i]);
    }
    OK(mote_network_reel(n.system, n.id, 1, 1.5f, MOTE_NEXT_ADVANCE, NULL)); /* to a strain of 1/3 */
    assert_null(mote_network_torn(n.system, n.id, &torn));
    ASSERT(torn, ==, 0);
    step_net(&n, 1);
    const uint32_t *list = mote_network_torn(n.system, n.id, &torn);
    ASSERT(torn, ==, 1);
    ASSERT(list[0], ==, 1);
    ASSERT(report_of(&n).torn, ==, 1);
    ASSERT(mote_network_columns(n.system, n.id).spring_count, ==, 1);
    mote_spring s;
    REFUSED(n.system, MOTE_ERROR_RANGE, mote_network_spring(n.system, n.id, 1, &s));
    step_net(&n, 0); /* a frame without a step is an advance, too */
    assert_null(mote_network_torn(n.system, n.id, &torn));
    ASSERT(torn, ==, 0);
    mote_system_destroy(n.system);
}

/* Strains of 1/4, 1/2, 3/4 and 1 tear springs in different steps. */
TEST(torn_springs_are_listed_step_by_step_in_any_grouping) {
    static net n;
    static const float limits[] = {0.6f, 0.2f, 0};
    for (uint32_t at_once = 1; at_once <= 4; at_once++) {
        uint32_t listed[4], count = 0, torn;
        begin_line(&n, 2, (double[]){0, 1});
        for (uint32_t i = 0; i < 3; i++) add_spring(&n, 0, 1, 1, 4, 0), n.springs[i].tear_strain = limits[i];
        start_net(&n, NULL, 0);
        pin_here(&n, 0), pin_at(&n, 1, 2, 0, 0, 4 * step_ticks(&n));
        for (uint32_t steps = 0; steps < 12; steps += at_once) {
            step_net(&n, at_once);
            const uint32_t *list = mote_network_torn(n.system, n.id, &torn);
            ASSERT(count + torn, <=, 4);
            ASSERT((torn > 0), ==, (list != NULL));
            if (torn) memcpy(listed + count, list, torn * sizeof *listed);
            count += torn;
        }
        ASSERT(count, ==, 2);
        ASSERT(listed[0], ==, 1);
        ASSERT(listed[1], ==, 0);
        ASSERT(report_of(&n).torn, ==, 0);
        mote_system_destroy(n.system);
    }
}

/* --- Edited and made so --- */

typedef struct twin {
    mote_system *system;
    mote_network_id id;
} twin;

static twin make_twin(mote_integrator integrator, const web *w, memory_ledger *ledger) {
    twin t = {make_host(integrator, ledger), {0, 0}};
    add_force(t.system, mote_gravity((float[3]){1, -2, 3}));
    t.id = add_web(t.system, w);
    return t;
}

static void place_as(const twin *t, const web *w) {
    for (uint32_t i = 0; i < 3 * w->particles; i++) {
        *column_of(t->system, t->id, i / 3, i % 3) = w->positions[i];
        *column_of(t->system, t->id, i / 3, 3 + i % 3) = w->velocities[i];
    }
    OK(mote_network_teleport(t->system, t->id));
}

/* `steps` steps of both give the same bits. Returns the substeps of the first. */
static uint32_t step_both(const twin *a, const twin *b, uint32_t steps) {
    uint32_t torn[2], substeps = 0;
    for (uint32_t i = 0; i < steps; i++) {
        OK(mote_system_step(a->system, 1, NULL));
        OK(mote_system_step(b->system, 1, NULL));
        const uint32_t *list[2] = {mote_network_torn(a->system, a->id, &torn[0]),
                                   mote_network_torn(b->system, b->id, &torn[1])};
        ASSERT(torn[0], ==, torn[1]);
        if (torn[0]) assert_memory_equal(list[0], list[1], torn[0] * sizeof **list);
        if (i == 0) substeps = step_report(a->system, a->id).substeps;
    }
    for (uint32_t i = 0; i < 6 * mote_network_columns(a->system, a->id).particle_count; i++)
        assert_memory_equal(column_of(a->system, a->id, i / 6, i % 6),
                            column_of(b->system, b->id, i / 6, i % 6), sizeof(float));
    return substeps;
}

/* A spring is given the values that it has: everything that is derived from springs is computed anew. */
static void refresh(const twin *t) {
    mote_spring s;
    uint32_t number = 0;
    while (mote_network_spring(t->system, t->id, number, &s)) number++;
    OK(mote_network_set_spring(t->system, t->id, number, s.stiffness, s.damping, s.tear_strain, NULL));
}

/* Nothing of the old values is left, and nothing that was derived from them; then one end is pinned, and
 * released again. */
static void compare_set_with_made(mote_integrator integrator, bool tears, mote_stability_policy policy) {
    static web w;
    const float away[3] = {9, 9, 9};
    make_web(&w, 60, 26);
    w.def.growth_allowed = true;
    w.def.policy = policy;
    for (uint32_t k = 0; k < w.springs; k++)
        w.spring[k].stiffness += 1e4f, w.spring[k].tear_strain = k % 5 || !tears ? 0 : 4;
    const twin made = make_twin(integrator, &w, NULL);
    for (uint32_t k = 0; k < w.springs; k++)
        w.spring[k].stiffness = 2, w.spring[k].damping = w.spring[k].tear_strain = 0;
    const twin set = make_twin(integrator, &w, NULL);
    OK(mote_system_step(made.system, 1, NULL));
    OK(mote_system_step(set.system, 1, NULL));
    uint32_t torn = 0, changed = 0;
    (void)mote_network_torn(made.system, made.id, &torn);
    for (uint32_t k = 0; k < w.springs; k++) {
        mote_spring s;
        const bool stays = mote_network_spring(made.system, made.id, k, &s) == MOTE_OK;
        OK(stays ? mote_network_set_spring(set.system, set.id, k, s.stiffness, s.damping, s.tear_strain, NULL)
                 : mote_network_remove_springs(set.system, set.id, 1, &k, NULL));
        changed += stays;
    }
    ASSERT((torn > 0), ==, tears);
    ASSERT(changed, >, 0);
    ASSERT(changed + torn, ==, w.springs);
    place_as(&made, &w), place_as(&set, &w);
    assert_int_equal(step_both(&made, &set, 2) > 1, policy == MOTE_STABILITY_SUBSTEP);
    const uint32_t narrow = stability_of(set.system, set.id).any.particle,
                   pinned = narrow == MOTE_NO_ITEM ? 5 : narrow;
    for (int round = 0; round < 2; round++) {
        OK(mote_network_pin(set.system, set.id, pinned, away, 0));
        if (round)
            OK(mote_network_pin(made.system, made.id, pinned, away, 0));
        else
            OK(mote_network_unpin(set.system, set.id, pinned));
        refresh(&made);
        step_both(&made, &set, 2);
        const mote_network_stability_bound a = stability_of(made.system, made.id).any,
                                           b = stability_of(set.system, set.id).any;
        ASSERT(a.frequency, ==, b.frequency);
        ASSERT(a.particle, ==, b.particle);
        ASSERT((*column_of(set.system, set.id, pinned, 1) == 9), ==, (round == 1));
    }
    mote_system_destroy(made.system), mote_system_destroy(set.system);
}

/* Position Verlet's velocities are those of half a substep before, so there both have the system's substeps.
 */
TEST(springs_that_are_set_step_as_if_made_so) {
    for (int i = 0; i < MOTE_ADVECT_EULER; i++) {
        test_case("%s", integrator_name((mote_integrator)i));
        compare_set_with_made((mote_integrator)i, false, MOTE_STABILITY_REPORT);
        compare_set_with_made((mote_integrator)i, true, MOTE_STABILITY_REPORT);
        if (i != MOTE_POSITION_VERLET)
            compare_set_with_made((mote_integrator)i, false, MOTE_STABILITY_SUBSTEP);
    }
}

/* Islands of a block each, which a spring that comes later joins: the scratch of one block is no longer
 * enough. */
TEST(islands_that_are_joined_step_as_if_made_so) {
    static web w;
    memory_ledger ledger = {0};
    uint32_t number;
    begin_web(&w, 27);
    web_ring(&w, 1000), web_ring(&w, 1000);
    w.spring[w.springs++] = (mote_spring){3, 1700, 1, 50, 1, 0};
    end_web(&w);
    const twin made = make_twin(MOTE_RK4, &w, NULL);
    w.def.spring_count--;
    const twin joined = make_twin(MOTE_RK4, &w, &ledger);
    assert_false(inside(joined.system, joined.id)->has_outer);
    OK(mote_network_add_springs(joined.system, joined.id, 1, &w.spring[w.def.spring_count], &number, NULL));
    assert_true(inside(joined.system, joined.id)->has_outer);
    ASSERT(number, ==, w.def.spring_count);
    step_both(&made, &joined, 3);
    mote_system_destroy(made.system);
    destroy_watched(joined.system, &ledger);
}

/* A network of more substeps than the system's needs the poses of the colliders at each: space for them is
 * reserved whichever comes first, the network or the collider. */
TEST(poses_for_a_networks_own_substeps_are_reserved_before_a_step) {
    static web w;
    make_web(&w, 5, 28);
    for (uint32_t k = 0; k < w.springs; k++) w.spring[k].stiffness += 1e6f;
    w.def.policy = MOTE_STABILITY_SUBSTEP;
    for (int first = 0; first < 2; first++) {
        memory_ledger ledger = {0};
        mote_system *system = make_host(MOTE_SEMI_IMPLICIT_EULER, &ledger);
        mote_network_id id = {0, 0};
        if (first) id = add_web(system, &w);
        add_collider(system, mote_plane((float[3]){0, -99, 0}, (float[3]){0, 1, 0}));
        if (!first) id = add_web(system, &w);
        const uint64_t calls = ledger.calls;
        OK(mote_system_step(system, 2, NULL));
        ASSERT(step_report(system, id).substeps, >, 20);
        ASSERT(ledger.calls, ==, calls);
        destroy_watched(system, &ledger);
    }
}
