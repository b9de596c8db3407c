/* Lists of events of one advance. Of each list the first events in its order are kept: deaths and births are
 * made in order, up to a merge of the removals at one boundary; hits come from the workers in any order. */
#include "particles/events.h"

#include <string.h>

#include "base/arena.h"

/* --- Memory --- */

/* Places the lists behind the struct itself; without memory only measures. */
static uint64_t place(mote_events *events, void *memory) {
    mote_arena a = {memory, 0};
    (void)mote_arena_take(&a, 1, sizeof *events);
    events->death = mote_arena_take(&a, events->deaths.capacity, sizeof *events->death);
    events->more_deaths = mote_arena_take(&a, events->deaths.capacity, sizeof *events->death);
    events->birth = mote_arena_take(&a, events->births.capacity, sizeof *events->birth);
    events->hit = mote_arena_take(&a, events->hits.capacity, sizeof *events->hit);
    events->more_hits = mote_arena_take(&a, events->hits.capacity, sizeof *events->hit);
    return a.bytes;
}

mote_result mote_events_create(const mote_system_def *def, const mote_allocator *allocator,
                               mote_events **events) {
    mote_events made = {.deaths.capacity = def->max_deaths,
                        .births.capacity = def->max_births,
                        .hits.capacity = def->max_hits};
    *events = NULL;
    if (!def->max_deaths && !def->max_births && !def->max_hits) return MOTE_OK;
    const mote_result result = mote_arena_allocate(place(&made, NULL), allocator, &made.memory, &made.bytes);
    if (result) return result;
    (void)place(&made, made.memory);
    *events = made.memory;
    **events = made;
    return MOTE_OK;
}

void mote_events_destroy(mote_events *events, const mote_allocator *allocator) {
    if (events) mote_release(allocator, events->memory, events->bytes);
}

static void empty(mote_event_count *list) { list->count = 0, list->lost = 0; }

void mote_events_clear(mote_events *events, uint32_t mark) {
    if (!events) return;
    empty(&events->deaths), empty(&events->births), empty(&events->hits);
    events->ordered_hits = 0;
    events->hits_are_a_heap = false;
    events->now = NULL;
    events->mark = mark;
}

/* --- Deaths --- */

/* Returns whether the list already has deaths at this boundary, whose slots those that follow lie among. */
static bool must_merge(const mote_events *events) {
    const uint32_t count = events->deaths.count;
    return count && events->death[count - 1].step == events->step;
}

static mote_death_why why_of(uint8_t fate) {
    if (fate == MOTE_FATE_KILLED) return MOTE_DEATH_KILLED;
    if (fate == MOTE_FATE_COLLIDED) return MOTE_DEATH_COLLIDED;
    return fate == MOTE_FATE_EXPIRED ? MOTE_DEATH_EXPIRED : MOTE_DEATH_NON_FINITE;
}

void mote_events_deaths(const mote_particles *particles, uint8_t fate, const uint32_t *slot, uint32_t count,
                        uint32_t rank) {
    enum { RUN = 64 };
    const mote_events *events = particles->events;
    if (!events || !events->now || !events->deaths.capacity) return;
    const bool merges = must_merge(events);
    const uint32_t taken = merges ? 0 : events->deaths.count, space = events->deaths.capacity - taken;
    if (rank >= space) return;
    if (count > space - rank) count = space - rank;
    mote_death *to = (merges ? events->more_deaths : events->death + taken) + rank;
    const mote_particle_id *id = particles->column[MOTE_COLUMN_ID];
    const mote_death_why why = why_of(fate);
    /* One whose place or velocity turned non-finite has the state before its last step. */
    mote_step at = *events->now;
    at.number = fate <= MOTE_FATE_MAX_STEP ? events->step - 1 : events->step;
    for (uint32_t first = 0; first < count; first += RUN) {
        const uint32_t run = count - first < RUN ? count - first : RUN;
        float velocity[RUN][3];
        mote_particles_last_velocity(particles, &at, slot + first, run, velocity);
        for (uint32_t i = 0; i < run; i++, to++) {
            const uint32_t of = slot[first + i];
            *to = (mote_death){.step = events->step, .slot = of, .why = why};
            if (id) to->id = id[of];
            for (int axis = 0; axis < 3; axis++) to->position[axis] = particles->range.x[axis][of];
            memcpy(to->velocity, velocity[i], sizeof to->velocity);
        }
    }
}

/* Merges `more` deaths into those that the list has at the same boundary. Both are in the order of their
 * slots; at equal slots the older entry comes first. Writes from the end, so that no entry is overwritten
 * before it is read. */
static void merge_deaths(mote_events *events, uint32_t more) {
    mote_event_count *list = &events->deaths;
    const mote_death *other = events->more_deaths;
    uint32_t first = list->count;
    while (first && events->death[first - 1].step == events->step) first--;
    mote_death *const own = events->death + first;
    uint32_t i = list->count - first, j = more;
    const uint32_t space = list->capacity - first, kept = more < space - i ? i + more : space;
    /* Leaves out the last in order: those beyond the capacity. */
    while (i + j > kept)
        if (i == 0 || (j > 0 && other[j - 1].slot >= own[i - 1].slot))
            j--;
        else
            i--;
    for (uint32_t to = kept; j > 0;)
        if (i > 0 && own[i - 1].slot > other[j - 1].slot)
            own[--to] = own[--i];
        else
            own[--to] = other[--j];
    list->count = first + kept;
}

void mote_events_end_deaths(mote_events *events, uint32_t dead) {
    if (!events || !events->now || !events->deaths.capacity) return;
    mote_event_count *list = &events->deaths;
    const uint64_t all = (uint64_t)list->count + dead;
    if (must_merge(events)) {
        merge_deaths(events, dead < list->capacity ? dead : list->capacity);
    } else {
        const uint32_t space = list->capacity - list->count;
        list->count += dead < space ? dead : space;
    }
    list->lost += all - list->count;
}

/* --- Births --- */

void mote_events_births(const mote_particles *particles, uint64_t step, uint32_t emitter, uint32_t first,
                        uint32_t count) {
    mote_events *events = particles->events;
    if (!events || !events->births.capacity) return;
    mote_event_count *list = &events->births;
    const mote_particle_id *id = particles->column[MOTE_COLUMN_ID];
    const uint32_t space = list->capacity - list->count, kept = count < space ? count : space;
    for (uint32_t slot = first; slot < first + kept; slot++) {
        mote_birth *to = &events->birth[list->count++];
        *to = (mote_birth){.step = step, .emitter = {emitter, events->mark}, .slot = slot};
        if (id) to->id = id[slot];
    }
    list->lost += count - kept;
}

/* --- Hits --- */

/* Order of hits: step, slot, time, collider; at last their bytes, so that only equal hits are equal. Times
 * are not negative, so that their bits are in their order. */
static int compare_hits(const mote_hit *a, const mote_hit *b) {
    uint32_t time[2];
    memcpy(&time[0], &a->time, sizeof *time);
    memcpy(&time[1], &b->time, sizeof *time);
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (time[0] != time[1]) return time[0] < time[1] ? -1 : 1;
    if (a->collider.index != b->collider.index) return a->collider.index < b->collider.index ? -1 : 1;
    return memcmp(a->position, b->position, sizeof a->position + sizeof a->normal + sizeof a->speed);
}
_Static_assert(offsetof(mote_hit, speed) == offsetof(mote_hit, position) + 6 * sizeof(float),
               "compare_hits compares position, normal and speed as bytes");

/* Moves the hit at `at` of a heap down: the greatest stands at its top. */
static void sift(mote_hit *heap, uint32_t at, uint32_t count) {
    for (uint64_t below; (below = 2 * (uint64_t)at + 1) < count; at = (uint32_t)below) {
        if (below + 1 < count && compare_hits(&heap[below], &heap[below + 1]) < 0) below++;
        if (compare_hits(&heap[at], &heap[below]) >= 0) return;
        const mote_hit moved = heap[at];
        heap[at] = heap[below], heap[below] = moved;
    }
}

/* Adds a hit to the full list: the last of all in order is lost. */
static void replace_last(mote_events *events, const mote_hit *hit) {
    mote_hit *heap = events->hit + events->ordered_hits;
    const uint32_t count = events->hits.count - events->ordered_hits;
    for (uint32_t at = count / 2; !events->hits_are_a_heap && at > 0; at--) sift(heap, at - 1, count);
    events->hits_are_a_heap = true;
    events->hits.lost++;
    if (count == 0 || compare_hits(hit, heap) >= 0) return;
    heap[0] = *hit;
    sift(heap, 0, count);
}

void mote_events_hits(mote_events *events, const mote_hit *hits, uint32_t count) {
    if (!events || !events->hits.capacity || count == 0) return;
    while (__atomic_exchange_n(&events->locked, true, __ATOMIC_ACQUIRE)) continue;
    for (uint32_t i = 0; i < count; i++)
        if (events->hits.count < events->hits.capacity)
            events->hit[events->hits.count++] = hits[i];
        else
            replace_last(events, &hits[i]);
    __atomic_store_n(&events->locked, false, __ATOMIC_RELEASE);
}

/* Returns the end of the ordered run that begins at `first`. */
static uint32_t run_end(const mote_hit *hit, uint32_t first, uint32_t count) {
    uint32_t end = first + 1;
    while (end < count && compare_hits(&hit[end - 1], &hit[end]) <= 0) end++;
    return end < count ? end : count;
}

/* Merges the ordered runs [first, middle) and [middle, end). */
static void merge_runs(const mote_hit *from, mote_hit *to, uint32_t first, uint32_t middle, uint32_t end) {
    for (uint32_t i = first, j = middle, k = first; k < end; k++)
        to[k] = j == end || (i < middle && compare_hits(&from[i], &from[j]) <= 0) ? from[i++] : from[j++];
}

/* Natural merge sort: blocks come in order, so that the runs are long. */
void mote_events_end_hits(mote_events *events) {
    if (!events) return;
    mote_hit *hit = events->hit + events->ordered_hits;
    const uint32_t count = events->hits.count - events->ordered_hits;
    while (count && run_end(hit, 0, count) < count) {
        for (uint32_t first = 0; first < count;) {
            const uint32_t middle = run_end(hit, first, count),
                           end = middle < count ? run_end(hit, middle, count) : count;
            merge_runs(hit, events->more_hits, first, middle, end);
            first = end;
        }
        memcpy(hit, events->more_hits, count * sizeof *hit);
    }
    events->ordered_hits = events->hits.count;
}
