/* Calls that are refused for want of memory after the network has asked for more: the next step works in what
 * there is, nothing is written behind a block of the allocator, and nothing of the call is left. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "systems.h"

/* --- An allocator that sees what is written behind its blocks --- */

/* The zone behind each block is wider than the scratch of any step here, so that the test itself survives. */
enum { ZONE = 2 << 20, MOST_BLOCKS = 64, UNTOUCHED = 0xa5 };

typedef struct zoned {
    memory_ledger ledger;
    unsigned char *zone[MOST_BLOCKS]; /* NULL: none */
    uint64_t overwritten;             /* zones of released blocks that were written */
} zoned;

static bool is_untouched(const unsigned char *zone) {
    return *zone == UNTOUCHED && memcmp(zone, zone + 1, ZONE - 1) == 0;
}

static void *take(void *user, size_t bytes, size_t alignment) {
    zoned *z = user;
    unsigned char *block = ledger_allocator(&z->ledger).allocate(&z->ledger, bytes + ZONE, alignment);
    if (!block) return NULL;
    uint32_t place = 0;
    while (z->zone[place]) place++;
    ASSERT(place, <, MOST_BLOCKS - 1);
    z->zone[place] = block + bytes;
    memset(block + bytes, UNTOUCHED, ZONE);
    return block;
}

static void give_back(void *user, void *pointer, size_t bytes) {
    zoned *z = user;
    for (uint32_t place = 0; place < MOST_BLOCKS; place++)
        if (z->zone[place] == (unsigned char *)pointer + bytes) {
            z->overwritten += !is_untouched(z->zone[place]);
            z->zone[place] = NULL;
        }
    ledger_allocator(&z->ledger).release(&z->ledger, pointer, bytes + ZONE);
}

static void check_zones(const zoned *z) {
    uint64_t overwritten = z->overwritten;
    for (uint32_t place = 0; place < MOST_BLOCKS; place++)
        overwritten += z->zone[place] && !is_untouched(z->zone[place]);
    ASSERT(overwritten, ==, 0u);
}

/* --- Systems --- */

/* In so many particles the columns of the whole network are longer than the scratch of one block. */
enum { PARTICLES = 20000 };

typedef struct subject {
    zoned memory;
    mote_system *system;
    mote_network_id network;
} subject;

/* Each particle is an island, and no block needs to know another. */
static void make_subject(subject *s) {
    static float positions[3 * PARTICLES], velocities[3 * PARTICLES];
    for (uint32_t i = 0; i < PARTICLES; i++) {
        positions[3 * i] = (float)i;
        velocities[3 * i + 1] = (float)(i % 5);
    }
    mote_system_def def = mote_default_system_def();
    mote_network_def net = mote_default_network_def();
    memset(s, 0, sizeof *s);
    def.capacity = 0, def.interpolation = MOTE_INTERPOLATE_NONE;
    def.allocator = (mote_allocator){&s->memory, take, give_back};
    s->system = system_of(&def);
    net.particle_count = PARTICLES, net.positions = positions, net.velocities = velocities;
    net.spring_capacity = 4;
    OK(mote_system_add_network(s->system, &net, &s->network, NULL));
    net.particle_count = 1; /* and one that needs no scratch of its own */
    OK(mote_system_add_network(s->system, &net, &(mote_network_id){0}, NULL));
    stepped(s->system, 1);
}

static void destroy_subject(subject *s) {
    mote_system_destroy(s->system);
    ASSERT(s->memory.overwritten, ==, 0u);
    ASSERT(s->memory.ledger.faults, ==, 0u);
    ASSERT(s->memory.ledger.live_bytes, ==, 0u);
}

/* A link between the first and the last block. */
static mote_result join(const subject *s, mote_link_id *id) {
    mote_link link = mote_default_link();
    link.a.network = link.b.network = s->network;
    link.a.particle = 0, link.b.particle = PARTICLES - 1;
    link.rest_length = 1, link.stiffness = 1;
    return mote_system_add_link(s->system, &link, id);
}

/* --- Calls --- */

typedef enum call { ADD_LINK, RESTORE_SPRING, RESTORE_LINK, CALLS } call;

static const char *call_name(uint32_t number) {
    static const char *const names[CALLS] = {"add a link", "restore a spring", "restore a link"};
    return names[number];
}

typedef struct picture {
    unsigned char *memory;
    size_t bytes;
    uint64_t hash, next; /* of the state, and of the one a step later */
} picture;

/* Of a system that has what the others do not. */
static picture take_picture(call what) {
    static subject s;
    picture p = {0};
    uint32_t number;
    mote_link_id id;
    const mote_spring spring = {.a = 0, .b = PARTICLES - 1, .rest_length = 1, .stiffness = 1};
    make_subject(&s);
    if (what == RESTORE_SPRING)
        OK(mote_network_add_springs(s.system, s.network, 1, &spring, &number, NULL));
    else
        OK(join(&s, &id));
    stepped(s.system, 1);
    OK(mote_system_snapshot_bytes(s.system, &p.bytes));
    p.memory = malloc(p.bytes);
    assert_non_null(p.memory);
    OK(mote_system_save(s.system, 0, p.memory, p.bytes, NULL));
    p.hash = mote_system_hash(s.system);
    stepped(s.system, 1);
    p.next = mote_system_hash(s.system);
    destroy_subject(&s);
    return p;
}

/* A step of both gives the same, and writes into no zone. */
static void step_alike(subject *s, subject *twin) {
    stepped(s->system, 1), stepped(twin->system, 1);
    check_zones(&s->memory);
    check_zones(&twin->memory);
    ASSERT(mote_system_hash(s->system), ==, mote_system_hash(twin->system));
}

/* Makes the call with allocation `k` of it refused. Returns whether one was. */
static bool is_refused(call what, const picture *p, uint64_t k) {
    static subject s, twin;
    mote_link_id id, other;
    make_subject(&s), make_subject(&twin);
    const uint64_t before = mote_system_hash(s.system);
    s.memory.ledger.fail_at = s.memory.ledger.calls + k;
    const mote_result result =
        what == ADD_LINK ? join(&s, &id) : mote_system_restore(s.system, p->memory, p->bytes, NULL);
    s.memory.ledger.fail_at = 0;
    const bool refused = s.memory.ledger.failures;
    assert_int_equal(result, refused ? MOTE_ERROR_MEMORY : MOTE_OK);
    if (refused) {
        ASSERT(mote_system_hash(s.system), ==, before);
        step_alike(&s, &twin);
        OK(join(&s, &id));
        OK(join(&twin, &other));
        ASSERT(id.index, ==, other.index);
        step_alike(&s, &twin);
    } else {
        if (what != ADD_LINK) ASSERT(mote_system_hash(s.system), ==, p->hash);
        stepped(s.system, 1);
        check_zones(&s.memory);
        if (what != ADD_LINK) ASSERT(mote_system_hash(s.system), ==, p->next);
    }
    destroy_subject(&s), destroy_subject(&twin);
    return refused;
}

TEST_EACH(a_call_without_memory_leaves_scratch_for_the_next_step_and_no_trace, CALLS, call_name, number) {
    picture p = {0};
    if (number != ADD_LINK) p = take_picture((call)number);
    uint32_t refusals = 0;
    while (is_refused((call)number, &p, refusals + 1)) test_case("after refusal %u", ++refusals);
    /* The list of links, the columns of linked blocks and the scratch; the springs and the scratch. */
    ASSERT(refusals, >=, number == RESTORE_SPRING ? 2u : 3u);
    free(p.memory);
}
