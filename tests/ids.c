/* Ids of systems: an id names an object of one system, also where a later system is at the same address. */
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

#include <mote/collider.h>
#include <mote/link.h>

/* One object of each kind. */
typedef struct objects {
    mote_force_id force;
    mote_collider_id collider;
    mote_strands_id strands;
    mote_network_id network;
    mote_link_id link;
} objects;

static mote_link link_of(const objects *o) {
    mote_link link = mote_default_link();
    link.rest_length = link.stiffness = 1;
    link.a.strands = o->strands, link.a.point = 2;
    link.b.network = o->network;
    return link;
}

/* Memory that each system takes from its beginning, so that all systems in it are at one address. */
typedef struct place {
    _Alignas(64) unsigned char bytes[1 << 22];
    size_t used;
} place;

static void *take(void *context, size_t bytes, size_t alignment) {
    place *p = context;
    const size_t at = (p->used + alignment - 1) / alignment * alignment;
    if (at + bytes > sizeof p->bytes) return NULL;
    p->used = at + bytes;
    return p->bytes + at;
}

static void give_back(void *context, void *memory, size_t bytes) { (void)context, (void)memory, (void)bytes; }

static mote_system *system_with(place *p, objects *o) {
    static const float positions[] = {0, 0, 0, 0, -1, 0, 0, -2, 0};
    mote_system_def def = mote_default_system_def();
    def.allocator = (mote_allocator){p, take, give_back};
    p->used = 0;
    mote_system *system = system_of(&def);
    const mote_collider_def ball = mote_sphere((float[3]){9, 9, 9}, 1);
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = 1, strands.points = 3, strands.positions = positions;
    mote_network_def network = mote_default_network_def();
    network.particle_count = 3, network.positions = positions;
    o->force = add_force(system, mote_gravity((float[3]){0, -1, 0}));
    OK(mote_system_add_collider(system, &ball, &o->collider));
    OK(mote_system_add_strands(system, &strands, &o->strands, NULL));
    OK(mote_system_add_network(system, &network, &o->network, NULL));
    const mote_link link = link_of(o);
    OK(mote_system_add_link(system, &link, &o->link));
    return system;
}

static void refused(mote_system *system, const objects *old) {
    const mote_link link = link_of(old);
    mote_link_id id;
    REFUSALS(system, REFUSES(ID, mote_system_remove_force(system, old->force)),
             REFUSES(ID, mote_system_remove_collider(system, old->collider)),
             REFUSES(ID, mote_system_remove_strands(system, old->strands)),
             REFUSES(ID, mote_system_remove_network(system, old->network)),
             REFUSES(ID, mote_system_remove_link(system, old->link)),
             REFUSES(ID, mote_system_add_link(system, &link, &id)));
}

TEST(ids_of_a_destroyed_system_name_nothing_in_a_later_one) {
    static place here;
    objects old, now;
    mote_system *system = system_with(&here, &old);
    const mote_system *address = system;
    for (int i = 0; i < 18; i++) {
        mote_system_destroy(system);
        system = system_with(&here, &now);
        assert_ptr_equal(system, address);
        ASSERT(now.collider.index, ==, old.collider.index);
        refused(system, &old);
    }
    mote_system_destroy(system);
}

enum { MADE = 20000 };

/* Returns NULL, or where it failed. */
static void *make_systems(void *memory) {
    const mote_system_def def = mote_default_system_def();
    mote_collider_id *ids = memory;
    for (int i = 0; i < MADE; i++) {
        const mote_collider_def ball = mote_sphere((float[3]){0, 0, 0}, 1);
        mote_system *system;
        if (mote_system_create(&def, &system) || mote_system_add_collider(system, &ball, &ids[i]))
            return &ids[i];
        mote_system_destroy(system);
    }
    return NULL;
}

static int by_generation(const void *a, const void *b) {
    const uint32_t first = ((const mote_collider_id *)a)->generation,
                   second = ((const mote_collider_id *)b)->generation;
    return (first > second) - (first < second);
}

TEST(systems_made_on_several_threads_have_different_ids) {
    enum { THREADS = 4 };
    static mote_collider_id ids[THREADS][MADE];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) ASSERT(pthread_create(&threads[i], NULL, make_systems, ids[i]), ==, 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed_at;
        ASSERT(pthread_join(threads[i], &failed_at), ==, 0);
        assert_null(failed_at);
    }
    qsort(ids, THREADS * MADE, sizeof **ids, by_generation);
    const mote_collider_id *all = ids[0];
    for (int i = 1; i < THREADS * MADE; i++) ASSERT(all[i].generation, !=, all[i - 1].generation);
}

TEST(ids_of_one_living_system_name_nothing_in_another) {
    static place here, there;
    objects mine, others;
    mote_system *system = system_with(&here, &mine), *other = system_with(&there, &others);
    refused(system, &others);
    refused(other, &mine);
    OK(mote_system_remove_link(system, mine.link));
    mote_system_destroy(system);
    mote_system_destroy(other);
}

/* An index that is free already has the generation of its next particle: that id names nothing yet, whoever
 * is in the old slot. */
TEST(the_id_of_the_next_particle_of_an_index_names_nothing) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 4;
    mote_system *system = system_of(&def);
    const mote_range_view view = spawned(system, 2);
    const mote_particle_id first = view.id[0], second = view.id[1];
    const mote_particle_id after[] = {{first.index, first.generation + 1},
                                      {second.index, second.generation + 1}};
    OK(mote_system_kill(system, 1, &first)); /* the slot still has the particle */
    ASSERT(mote_system_slot(system, first), ==, MOTE_NO_SLOT);
    ASSERT(mote_system_slot(system, after[0]), ==, MOTE_NO_SLOT);
    stepped(system, 1); /* the second moves into the slot */
    ASSERT(mote_system_slot(system, second), ==, 0u);
    ASSERT(mote_system_slot(system, after[0]), ==, MOTE_NO_SLOT);
    OK(mote_system_kill(system, 1, &second));
    stepped(system, 1);
    for (int i = 0; i < 2; i++) ASSERT(mote_system_slot(system, after[i]), ==, MOTE_NO_SLOT);
    ASSERT(mote_system_slot(system, (mote_particle_id){2, 0}), ==, MOTE_NO_SLOT);
    ASSERT(mote_system_slot(NULL, first), ==, MOTE_NO_SLOT);
    spawned(system, 2);
    uint32_t named = 0;
    for (int i = 0; i < 2; i++) named += mote_system_slot(system, after[i]) < 2;
    ASSERT(named, ==, 2u);
    mote_system_destroy(system);
}
