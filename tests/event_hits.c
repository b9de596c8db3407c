/* The list of hits, which workers fill in any order: it has the first ones in the order of step, slot and
 * time, however they come. */
#include "test.h"

#include <string.h>

#include "base/allocator.h"
#include "base/parallel.h"
#include "particles/events.h"
#include "support.h"

enum { MOST = 4000, BLOCK = 100 };

static mote_hit hit_of(random_source *random, uint64_t step, uint32_t slot) {
    mote_hit hit = {.step = step, .slot = slot, .time = (float)random_below(random, 4) / 4};
    hit.collider.index = random_below(random, 3);
    hit.speed = (float)random_below(random, 100);
    return hit;
}

static int compare(const mote_hit *a, const mote_hit *b) {
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (a->time < b->time || a->time > b->time) return a->time < b->time ? -1 : 1;
    if (a->collider.index != b->collider.index) return a->collider.index < b->collider.index ? -1 : 1;
    return memcmp(&a->speed, &b->speed, sizeof a->speed);
}

/* Insertion by halves. */
static void sort(mote_hit *hit, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const mote_hit moved = hit[i];
        uint32_t low = 0, high = i;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (compare(&hit[middle], &moved) <= 0)
                low = middle + 1;
            else
                high = middle;
        }
        memmove(&hit[low + 1], &hit[low], (i - low) * sizeof *hit);
        hit[low] = moved;
    }
}

static mote_events *events_of(uint32_t capacity) {
    const mote_allocator allocator = mote_allocator_resolve(&(mote_allocator){0});
    mote_system_def def = mote_default_system_def();
    mote_events *events;
    def.max_hits = capacity;
    assert_int_equal(mote_events_create(&def, &allocator, &events), MOTE_OK);
    mote_events_clear(events, 1);
    return events;
}

static void destroy(mote_events *events) {
    const mote_allocator allocator = mote_allocator_resolve(&(mote_allocator){0});
    mote_events_destroy(events, &allocator);
}

typedef struct crowd {
    mote_events *events;
    const mote_hit *hit;
} crowd;

static void add_block(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const crowd *c = context;
    for (; first < end; first += BLOCK)
        mote_events_hits(c->events, c->hit + first, end - first < BLOCK ? (uint32_t)(end - first) : BLOCK);
}

static const uint32_t capacities[] = {1, 7, 60, 900, 3999, 4000, 9000};

TEST(the_first_hits_are_kept_in_their_order) {
    static mote_hit all[3 * MOST];
    random_source random = {1};
    for (size_t c = 0; c < COUNT_OF(capacities); c++)
        for (uint32_t workers = 1; workers < 5; workers++) {
            const uint32_t capacity = capacities[c];
            test_case("capacity %u, %u workers", capacity, workers);
            mote_events *events = events_of(capacity);
            const mote_jobs jobs = dividing(pthread_jobs_hook(&workers));
            uint32_t count = 0;
            for (uint32_t step = 1; step <= 3; step++) {
                const uint32_t first = count, most = step == 2 ? 300 : MOST;
                for (; count < first + most; count++)
                    all[count] =
                        hit_of(&random, step, (count - first) / BLOCK * BLOCK + random_below(&random, BLOCK));
                mote_parallel_for(&jobs, most, BLOCK, add_block, &(crowd){events, all + first});
                mote_events_end_hits(events);
            }
            sort(all, count);
            const uint32_t kept = count < capacity ? count : capacity;
            ASSERT(events->hits.count, ==, kept);
            ASSERT(events->hits.lost, ==, (uint64_t)(count - kept));
            for (uint32_t i = 0; i < kept; i++) ASSERT(compare(&events->hit[i], &all[i]), ==, 0);
            destroy(events);
        }
}

/* Of steps that end together: by step first, in a list that is full and in one that is not. */
TEST(hits_of_steps_that_end_together_are_in_their_order) {
    random_source random = {3};
    for (uint32_t capacity = 50; capacity <= 400; capacity += 350) {
        mote_hit all[200];
        mote_events *events = events_of(capacity);
        for (uint32_t i = 0; i < COUNT_OF(all); i++)
            all[i] = hit_of(&random, 1 + random_below(&random, 3), i);
        mote_events_hits(events, all, COUNT_OF(all));
        mote_events_end_hits(events);
        sort(all, COUNT_OF(all));
        ASSERT(events->hits.count, ==, (capacity < COUNT_OF(all) ? capacity : (uint32_t)COUNT_OF(all)));
        for (uint32_t i = 0; i < events->hits.count; i++) ASSERT(compare(&events->hit[i], &all[i]), ==, 0);
        destroy(events);
    }
}

TEST(nothing_is_kept_where_no_hits_are_asked_for) {
    random_source random = {2};
    const mote_hit hit = hit_of(&random, 1, 1);
    const mote_allocator allocator = mote_allocator_resolve(&(mote_allocator){0});
    mote_system_def def = mote_default_system_def();
    mote_events *deaths;
    def.max_deaths = 1;
    assert_int_equal(mote_events_create(&def, &allocator, &deaths), MOTE_OK);
    mote_events_hits(deaths, &hit, 1);
    ASSERT(deaths->hits.count, ==, 0);
    ASSERT(deaths->hits.lost, ==, 0);
    destroy(deaths);
    mote_events_hits(NULL, &hit, 1);
    mote_events_end_hits(NULL);
    mote_events *events = events_of(1);
    mote_events_end_hits(events);
    ASSERT(events->hits.count, ==, 0);
    destroy(events);
}
