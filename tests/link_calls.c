/* Links: calls that are refused change nothing, and a link that is removed leaves nothing behind. */
#include "test.h"

#include "link_scene.h"

typedef struct attempt {
    mote_system *system;
    memory_ledger *ledger;
    mote_link link; /* a good one */
} attempt;

static void expect_refused(const attempt *a, const mote_link *link, mote_result want) {
    const uint64_t bytes = a->ledger->live_bytes;
    mote_link_id id = {7, 7};
    REFUSED(a->system, want, mote_system_add_link(a->system, link, &id));
    ASSERT(id.index, ==, 0);
    ASSERT(id.generation, ==, 0);
    ASSERT(a->ledger->live_bytes, ==, bytes);
}

#define LINK(member, value, want) BAD_VALUE(mote_link, member, value, MOTE_ERROR_##want)
#define NOT_A_VALUE(member)                                                                                  \
    LINK(member, NAN, NOT_FINITE), LINK(member, INFINITY, NOT_FINITE), LINK(member, -INFINITY, NOT_FINITE),  \
        LINK(member, -0.5, RANGE)
/* Of a link from a strand's point to a network's particle. */
static const bad_value bad_links[] = {NOT_A_VALUE(rest_length),
                                      NOT_A_VALUE(stiffness),
                                      NOT_A_VALUE(damping),
                                      LINK(a.strand, STRANDS, RANGE),
                                      LINK(a.point, POINTS, RANGE),
                                      LINK(b.particle, WEB, RANGE),
                                      LINK(a.strands.index, 100, ID),
                                      LINK(a.strands.generation, 0xffff, ID),
                                      LINK(b.network.index, 100, ID),
                                      LINK(cookie, 0, DEF),
                                      LINK(b.network.generation, 0xffff, ID)};

static void refuse_values_and_ends(const attempt *a) {
    mote_link link = a->link;
    for (size_t i = 0; i < COUNT_OF(bad_links); i++) {
        spoil(&link, &bad_links[i]);
        expect_refused(a, &link, bad_links[i].want);
        const char *parameter = NULL;
        REFUSALS(a->system, RETURNS(bad_links[i].want, mote_system_link_check(a->system, &link, &parameter)),
                 RETURNS(bad_links[i].want, mote_system_link_check(a->system, &link, NULL)));
        assert_field(&bad_links[i], parameter);
        link = a->link;
    }
    link.a.network = link.b.network, expect_refused(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a = link.b, expect_refused(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.b = link.a, expect_refused(a, &link, MOTE_ERROR_RANGE), link = a->link;
    link.a.strands = (mote_strands_id){0, 0}, expect_refused(a, &link, MOTE_ERROR_ID);
}

/* A network with substeps of its own. */
static void refuse_ranges(const attempt *a) {
    static const float places[6] = {0, 0, 0, 0, 1, 0};
    mote_network_def net = mote_default_network_def();
    mote_link link = a->link;
    net.policy = MOTE_STABILITY_SUBSTEP, net.particle_count = 2, net.positions = places;
    link.b = particle(add_network(a->system, &net), 0);
    expect_refused(a, &link, MOTE_ERROR_INTEGRATOR);
}

TEST(bad_links_and_ids_are_refused) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER,
                     .solver = MOTE_STRAND_ROBUST,
                     .allocator = ledger_allocator(&ledger)};
    const tangle t = make_tangle(&w, false);
    const attempt a = {t.system, &ledger,
                       link_between(strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f)};
    mote_link_id id = {0, 0}, other;
    for (int linked = 0; linked < 2; linked++) { /* before there is any link, and with one */
        refuse_values_and_ends(&a);
        refuse_ranges(&a);
        REFUSALS(t.system, REFUSES(NULL, mote_system_add_link(NULL, &a.link, &other)),
                 REFUSES(NULL, mote_system_add_link(t.system, NULL, &other)),
                 REFUSES(NULL, mote_system_link_check(NULL, &a.link, NULL)),
                 REFUSES(NULL, mote_system_link_check(t.system, NULL, NULL)),
                 RETURNS(MOTE_OK, mote_system_link_check(t.system, &a.link, NULL)),
                 REFUSES(NULL, mote_system_add_link(t.system, &a.link, NULL)));
        if (!linked) OK(mote_system_add_link(t.system, &a.link, &id));
    }
    assert_true(id.index);
    assert_true(id.generation);
    const mote_link_id wrong[] = {{id.index + 1, id.generation}, {id.index, id.generation + 2}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        REFUSALS(t.system, REFUSES(ID, mote_system_remove_link(t.system, wrong[i])),
                 REFUSES(ID, mote_system_link(t.system, wrong[i], NULL, NULL)));
    }
    REFUSALS(t.system, REFUSES(NULL, mote_system_remove_link(NULL, id)),
             REFUSES(NULL, mote_system_link(NULL, id, NULL, NULL)));
    OK(mote_system_remove_link(t.system, id));
    REFUSED(t.system, MOTE_ERROR_ID, mote_system_remove_link(t.system, id));
    destroy_watched(t.system, &ledger);
}

TEST(an_undamped_link_under_explicit_euler_is_refused_unless_its_network_allows_growth) {
    const float place[6] = {0, 0, 0, 1, 0, 0};
    for (int allowed = 0; allowed < 2; allowed++) {
        const world w = {.integrator = MOTE_EXPLICIT_EULER};
        mote_system *system = make_world(&w);
        mote_network_def def = mote_default_network_def();
        mote_link_id id;
        def.particle_count = 2, def.positions = place, def.growth_allowed = allowed;
        const mote_network_id net = add_network(system, &def);
        mote_link link = link_between(particle(net, 0), particle(net, 1), 1, 5, 0);
        assert_int_equal(mote_system_add_link(system, &link, &id), allowed ? MOTE_OK : MOTE_ERROR_STABILITY);
        link.damping = 1;
        OK(mote_system_add_link(system, &link, &id));
        mote_system_destroy(system);
    }
}

typedef struct caller {
    mote_system *system;
    mote_link link;
    mote_link_id id;
} caller;

static void call_everything(void *context) {
    const caller *c = context;
    mote_link_id id;
    REFUSALS(NULL, REFUSES(BUSY, mote_system_add_link(c->system, &c->link, &id)),
             REFUSES(BUSY, mote_system_link_check(c->system, &c->link, NULL)),
             REFUSES(BUSY, mote_system_remove_link(c->system, c->id)),
             REFUSES(BUSY, mote_system_link(c->system, c->id, NULL, NULL)));
}

TEST(calls_within_a_step_are_refused) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST};
    const tangle t = make_tangle(&w, false);
    caller c = {.system = t.system,
                .link = link_between(strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f)};
    uint32_t calls;
    OK(mote_system_add_link(t.system, &c.link, &c.id));
    OK(scene_call_within_step(t.system, call_everything, &c, &calls));
    ASSERT(calls, >, 0);
    mote_system_destroy(t.system);
}

/* Links that are removed, or whose range is. */
TEST(a_removed_link_leaves_nothing_behind) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_RK4,
                     .substeps = 2,
                     .solver = MOTE_STRAND_SPRINGS,
                     .allocator = ledger_allocator(&ledger)};
    tangle free = make_tangle(&w, false), t = make_tangle(&w, false);
    tie(&t);
    mote_link link;
    OK(mote_system_link(t.system, t.link[3], &link, NULL));
    ASSERT(link.a.strand, ==, 3);
    ASSERT(link.stiffness, ==, 30);
    ASSERT(mote_system_hash(t.system), !=, mote_system_hash(free.system));
    for (uint32_t i = 0; i < TIES; i++) OK(mote_system_remove_link(t.system, t.link[(5 * i) % TIES]));
    ASSERT(mote_system_hash(t.system), ==, mote_system_hash(free.system));
    OK(mote_system_step(t.system, 4, NULL));
    OK(mote_system_step(free.system, 4, NULL));
    ASSERT(mote_system_hash(t.system), ==, mote_system_hash(free.system));
    tie(&t);
    OK(mote_system_step(t.system, 1, NULL));
    OK(mote_system_remove_strands(t.system, t.strands)); /* left: link 4, network to network */
    for (uint32_t i = 0; i < TIES; i++)
        assert_int_equal(mote_system_link(t.system, t.link[i], NULL, NULL), i == 4 ? MOTE_OK : MOTE_ERROR_ID);
    const mote_network_id second = tangle_network(t.system, MOTE_NETWORK_SPRINGS);
    const mote_link_id across = join(t.system, particle(t.network, 1), particle(second, 2), 1, 2, 3);
    const mote_link_id within = join(t.system, particle(second, 40), particle(second, 2), 1, 2, 3);
    OK(mote_system_step(t.system, 2, NULL));
    OK(mote_system_remove_network(t.system, t.network)); /* the one behind moves up */
    REFUSED(t.system, MOTE_ERROR_ID, mote_system_link(t.system, across, NULL, NULL));
    OK(mote_system_step(t.system, 2, NULL));
    OK(mote_system_link(t.system, within, &link, NULL));
    ASSERT(link.a.particle, ==, 40);
    mote_system_destroy(free.system);
    destroy_watched(t.system, &ledger);
}

TEST(a_range_at_either_end_takes_its_links_with_it) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_SPRINGS};
    for (int kind = 0; kind < 4; kind++) {
        const tangle t = make_tangle(&w, false);
        const mote_link_end ends[2] = {strand_point(t.strands, 4, 1), particle(t.network, 3)};
        const mote_link_id link = join(t.system, ends[kind & 1], ends[!(kind & 1)], 1, 5, 0.5f);
        OK(mote_system_step(t.system, 1, NULL));
        OK(kind & 2 ? mote_system_remove_strands(t.system, t.strands)
                    : mote_system_remove_network(t.system, t.network));
        REFUSED(t.system, MOTE_ERROR_ID, mote_system_link(t.system, link, NULL, NULL));
        OK(mote_system_step(t.system, 2, NULL));
        mote_system_destroy(t.system);
    }
}

/* Strand 0 is of the shortest; 4 is of the longest, and of another group. */
TEST(a_strand_that_has_lost_its_last_link_steps_as_before) {
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_SPRINGS};
    const tangle t = make_tangle(&w, false), free = make_tangle(&w, false);
    const mote_link_end lost = strand_point(t.strands, 0, 1), same = strand_point(free.strands, 0, 1);
    const mote_link_id link = join(t.system, lost, particle(t.network, 3), 1, 5, 0.5f);
    (void)join(t.system, strand_point(t.strands, 4, 1), particle(t.network, 7), 1, 5, 0.5f);
    OK(mote_system_remove_link(t.system, link));
    OK(mote_system_step(t.system, 3, NULL));
    OK(mote_system_step(free.system, 3, NULL));
    for (uint32_t c = 0; c < 6; c++)
        ASSERT(*coordinate_of(t.system, &lost, c), ==, *coordinate_of(free.system, &same, c));
    mote_system_destroy(t.system), mote_system_destroy(free.system);
}

TEST(the_hash_covers_all_state_of_a_link) {
    static const bad_value other[] = {LINK(rest_length, 1, NULL), LINK(a.strand, 9, NULL),
                                      LINK(a.point, 2, NULL),     LINK(b.particle, 4, NULL),
                                      LINK(rest_length, 2, NULL), LINK(stiffness, 6, NULL),
                                      LINK(damping, 0.25, NULL)};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER, .solver = MOTE_STRAND_ROBUST};
    uint64_t hash[COUNT_OF(other) + 1];
    for (size_t i = 0; i <= COUNT_OF(other); i++) {
        const tangle t = make_tangle(&w, false);
        mote_link link = link_between(strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 5, 0.5f);
        mote_link_id id;
        if (i < COUNT_OF(other))
            spoil(&link, &other[i]);
        else
            link.a = link.b, link.b = strand_point(t.strands, 4, 1);
        OK(mote_system_add_link(t.system, &link, &id));
        hash[i] = mote_system_hash(t.system);
        for (size_t k = 0; k < i; k++) ASSERT(hash[k], !=, hash[i]);
        mote_system_destroy(t.system);
    }
}

/* The first link reserves space for all; no step and no further link allocates. */
TEST(as_many_links_as_allowed_fit_and_a_failed_allocation_changes_nothing) {
    memory_ledger ledger = {0};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER,
                     .solver = MOTE_STRAND_ROBUST,
                     .allocator = ledger_allocator(&ledger)};
    const tangle t = make_tangle(&w, false);
    const attempt a = {t.system, &ledger,
                       link_between(strand_point(t.strands, 4, 1), particle(t.network, 3), 1, 0.001f, 0)};
    mote_link_id id;
    uint32_t failures = 0;
    for (mote_result result = MOTE_ERROR_MEMORY; result; failures += result != MOTE_OK) {
        const uint64_t hash = mote_system_hash(t.system);
        ledger.fail_at = ledger.calls + 1 + failures;
        result = mote_system_add_link(t.system, &a.link, &id);
        assert_true(result == MOTE_OK || result == MOTE_ERROR_MEMORY);
        ASSERT((mote_system_hash(t.system) == hash), ==, (result != MOTE_OK));
        if (result) OK(mote_system_step(t.system, 0, NULL));
    }
    ledger.fail_at = 0;
    ASSERT(failures, >=, 1);
    for (uint32_t i = 1; i < MOTE_MAX_LINKS; i++) OK(mote_system_add_link(t.system, &a.link, &id));
    expect_refused(&a, &a.link, MOTE_ERROR_CAPACITY);
    const uint64_t calls = ledger.calls;
    OK(mote_system_step(t.system, 2, NULL));
    ASSERT(ledger.calls, ==, calls);
    destroy_watched(t.system, &ledger);
}

/* The distance of two ends may be beyond what a float holds. */
TEST(a_link_as_placed_between_ends_too_far_apart_is_refused) {
    static const float place[6] = {-3e38f, 0, 0, 3e38f, 0, 0};
    const world w = {.integrator = MOTE_SEMI_IMPLICIT_EULER};
    mote_system *system = make_world(&w);
    mote_network_def def = mote_default_network_def();
    const char *parameter = NULL;
    mote_link_id id;
    def.particle_count = 2, def.positions = place;
    const mote_network_id net = add_network(system, &def);
    mote_link link = link_between(particle(net, 0), particle(net, 1), MOTE_AS_PLACED, 5, 1);
    REFUSALS(system, REFUSES(RANGE, mote_system_link_check(system, &link, &parameter)),
             REFUSES(RANGE, mote_system_add_link(system, &link, &id)));
    assert_string_equal(parameter, "rest_length");
    link.rest_length = 1;
    OK(mote_system_add_link(system, &link, &id));
    mote_system_destroy(system);
}

/* Whichever end turns non-finite: the link pulls no more on the other, in another network. */
TEST(a_link_with_either_end_frozen_exerts_no_force) {
    static const float place[2][3] = {{0, 0, 0}, {2, 0, 0}}, fast[3] = {3e38f, 0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t end = i & 1;
        const world w = {.integrator = i & 2 ? MOTE_POSITION_VERLET : MOTE_SEMI_IMPLICIT_EULER};
        mote_system *system = make_world(&w);
        mote_network_id net[2];
        mote_network_step_report report;
        mote_link_id id;
        for (uint32_t k = 0; k < 2; k++) { /* the other one comes when the first is frozen */
            const uint32_t which = k ? !end : end;
            mote_network_def def = mote_default_network_def();
            def.particle_count = 1, def.positions = place[which];
            net[which] = add_network(system, &def);
            if (k == 0) OK(mote_network_set_state(system, net[end], 0, 1, NULL, fast));
            if (k == 0) OK(mote_system_step(system, 120, NULL));
        }
        OK(mote_network_report(system, net[end], &report));
        ASSERT(report.frozen, ==, 1u);
        const mote_link link = link_between(particle(net[0], 0), particle(net[1], 0), 1, 50, 1);
        OK(mote_system_add_link(system, &link, &id));
        OK(mote_system_step(system, 10, NULL));
        const mote_network_view view = mote_network_columns(system, net[!end]);
        const uint32_t slot = mote_network_slot(system, net[!end], 0);
        ASSERT(view.velocity.x[slot], ==, 0.0f);
        ASSERT(view.position.x[slot], ==, place[!end][0]);
        mote_system_destroy(system);
    }
}

/* Snapshots hold the impulse of the last step; serial numbers are in order, and none is still to come. */
TEST(links_are_restored_with_their_impulse_and_refused_by_their_number) {
    static const float places[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {0, 4, 0}};
    static unsigned char memory[16384];
    enum { LINK_WORDS = 17 };
    mote_system *system = make_world(&(world){.integrator = MOTE_SEMI_IMPLICIT_EULER});
    const mote_network_id net = add_particles(system, MOTE_NETWORK_SPRINGS, 4, places[0], 1, 0, NULL);
    mote_link_id id[2];
    for (uint32_t i = 0; i < 2; i++)
        id[i] = join(system, particle(net, 2 * i), particle(net, 2 * i + 1), 0.5f, 50, 1);
    float impulse[3], other[3];
    size_t bytes;
    OK(mote_system_step(system, 1, NULL));
    OK(mote_system_link(system, id[1], NULL, impulse));
    ASSERT(impulse[1], >, 0.1f);
    OK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    OK(mote_system_step(system, 9, NULL));
    OK(mote_system_restore(system, memory, bytes, NULL));
    OK(mote_system_link(system, id[1], NULL, other));
    assert_memory_equal(impulse, other, sizeof impulse);
    mote_snapshot_header header;
    mote_snapshot_section s = {0};
    memcpy(&header, memory, sizeof header);
    for (uint32_t i = 0; i < header.sections && s.part != MOTE_SNAPSHOT_LINKS; i++)
        memcpy(&s, memory + sizeof header + i * sizeof s, sizeof s);
    ASSERT(s.bytes, ==, 2u * LINK_WORDS * 4);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t serial = i ? id[1].index + 1 : id[0].index;
        mote_snapshot_fault fault;
        memcpy(memory + s.offset + LINK_WORDS * 4, &serial, sizeof serial);
        REFUSED(system, MOTE_ERROR_FILE, mote_system_restore(system, memory, bytes, &fault));
        ASSERT(fault.part, ==, MOTE_SNAPSHOT_LINKS);
        ASSERT(fault.index, ==, 1u);
    }
    mote_system_destroy(system);
}
