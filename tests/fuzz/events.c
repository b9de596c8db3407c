/* Emitters and lists of events: births, deaths and hits agree with the counts of an advance and with the ids,
 * stand in their order, and are those of the same frames cut into pieces. */
#define _DEFAULT_SOURCE
#include "calls.h"

enum { MOST_EVENTS = 512 };

static uint32_t most_births; /* of the system at hand */

static host_call *const calls[] = {
    call_emitter, call_emitter,      call_set_emitter, call_move_emitter,  call_burst,         call_emit,
    call_force,   call_remove_force, call_collider,    call_move_collider, call_set_collider,  call_spawn,
    call_kill,    call_kill_slots,   call_write,       call_hook,          call_remove_emitter};

typedef struct event_lists {
    mote_death death[MOST_EVENTS];
    mote_birth birth[MOST_EVENTS];
    mote_hit hit[MOST_EVENTS];
    uint32_t deaths, births, hits;
    uint64_t lost;
    mote_advance sum;
} event_lists;

static void add_lists(event_lists *to, const mote_system *system, const mote_advance *advance) {
    mote_death_list deaths;
    mote_birth_list births;
    mote_hit_list hits;
    FUZZ_CHECK(mote_system_deaths(system, &deaths) == MOTE_OK);
    FUZZ_CHECK(mote_system_births(system, &births) == MOTE_OK);
    FUZZ_CHECK(mote_system_hits(system, &hits) == MOTE_OK);
    to->lost += deaths.lost + births.lost + hits.lost;
    for (uint32_t i = 0; i < deaths.count && to->deaths < MOST_EVENTS; i++)
        to->death[to->deaths++] = deaths.events[i];
    for (uint32_t i = 0; i < births.count && to->births < MOST_EVENTS; i++)
        to->birth[to->births++] = births.events[i];
    for (uint32_t i = 0; i < hits.count && to->hits < MOST_EVENTS; i++) to->hit[to->hits++] = hits.events[i];
    to->sum.steps += advance->steps, to->sum.born += advance->born, to->sum.killed += advance->killed;
    to->sum.expired += advance->expired, to->sum.non_finite += advance->non_finite;
    to->sum.collided += advance->collided, to->sum.unborn += advance->unborn;
}

static void check_deaths(const event_lists *l, const mote_system *system) {
    uint32_t of[MOTE_DEATH_WHY_COUNT] = {0};
    for (uint32_t i = 0; i < l->deaths; i++) {
        const mote_death *d = &l->death[i];
        of[d->why]++;
        FUZZ_CHECK(i == 0 || d[-1].step <= d->step);
        FUZZ_CHECK(mote_system_slot(system, d->id) == MOTE_NO_SLOT);
    }
    if (l->lost || l->deaths == MOST_EVENTS) return;
    FUZZ_CHECK(of[MOTE_DEATH_KILLED] == l->sum.killed && of[MOTE_DEATH_EXPIRED] == l->sum.expired);
    FUZZ_CHECK(of[MOTE_DEATH_NON_FINITE] == l->sum.non_finite && of[MOTE_DEATH_COLLIDED] == l->sum.collided);
}

static void check_others(const event_lists *l) {
    for (uint32_t i = 1; i < l->births; i++) FUZZ_CHECK(l->birth[i - 1].step <= l->birth[i].step);
    for (uint32_t i = 0; i < l->hits; i++) {
        const mote_hit *h = &l->hit[i];
        FUZZ_CHECK(h->time >= 0 && h->time <= 1 && h->speed >= 0);
        FUZZ_CHECK(i == 0 || h[-1].step <= h->step);
    }
    if (!l->lost && l->births < MOST_EVENTS) FUZZ_CHECK(l->births == l->sum.born);
}

static bool same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

/* By step and slot, killed last: kills in the hook after the last step of a frame are in the next list. */
static int order_of_deaths(const void *left, const void *right) {
    const mote_death *a = left, *b = right;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    return (a->why == MOTE_DEATH_KILLED) - (b->why == MOTE_DEATH_KILLED);
}

/* Ids of emitters and colliders differ between systems by their mark alone. */
static void compare_lists(event_lists *a, event_lists *b) {
    if (a->lost || b->lost) return;
    FUZZ_CHECK(a->deaths == b->deaths && a->births == b->births && a->hits == b->hits);
    qsort(a->death, a->deaths, sizeof *a->death, order_of_deaths);
    qsort(b->death, b->deaths, sizeof *b->death, order_of_deaths);
    for (uint32_t i = 0; i < a->deaths; i++) {
        const mote_death *x = &a->death[i], *y = &b->death[i];
        FUZZ_CHECK(x->step == y->step && x->slot == y->slot && x->why == y->why);
        FUZZ_CHECK(same(&x->id, &y->id, sizeof x->id));
    }
    for (uint32_t i = 0; i < a->births; i++) {
        const mote_birth *x = &a->birth[i], *y = &b->birth[i];
        FUZZ_CHECK(x->step == y->step && x->slot == y->slot && x->emitter.index == y->emitter.index);
    }
    for (uint32_t i = 0; i < a->hits; i++) {
        const mote_hit *x = &a->hit[i], *y = &b->hit[i];
        FUZZ_CHECK(x->step == y->step && x->slot == y->slot && x->time == y->time && x->speed == y->speed);
        FUZZ_CHECK(x->collider.index == y->collider.index);
    }
}

static uint32_t births_since(const mote_system *system) {
    mote_birth_list births;
    return mote_system_births(system, &births) == MOTE_OK ? births.count : 0;
}

/* A frame, of the second host in pieces: the same events. */
static void run_frame(host h[2], input *in) {
    static event_lists lists[2];
    memset(lists, 0, sizeof lists);
    const uint64_t frame = (uint64_t)take_byte(in) * 400000;
    const uint32_t pieces = 1 + take_below(in, 4);
    mote_advance advance;
    FUZZ_CHECK(mote_system_advance(h[0].system, frame, &advance) == MOTE_OK);
    add_lists(&lists[0], h[0].system, &advance);
    for (uint32_t i = 0; i < pieces; i++) {
        const uint64_t piece = i + 1 < pieces ? frame / pieces : frame - (pieces - 1) * (frame / pieces);
        FUZZ_CHECK(mote_system_advance(h[1].system, piece, &advance) == MOTE_OK);
        add_lists(&lists[1], h[1].system, &advance);
    }
    FUZZ_CHECK(lists[0].sum.unborn == lists[1].sum.unborn && lists[0].sum.steps == lists[1].sum.steps);
    check_deaths(&lists[0], h[0].system);
    check_others(&lists[0]);
    compare_lists(&lists[0], &lists[1]);
}

/* A call by both; births of mote_system_emit are in the list at once. */
static void run_call(host h[2], host_call *call, input *in) {
    input at = *in;
    const uint32_t before = births_since(h[0].system), count = mote_system_count(h[0].system);
    const mote_result result = call(&h[0], &at);
    FUZZ_CHECK(call(&h[1], in) == result);
    const uint32_t born = mote_system_count(h[0].system) - count;
    if (call == call_emit && before + born <= most_births)
        FUZZ_CHECK(births_since(h[0].system) == before + born);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST_CALLS = 64 };
    input in = {bytes, bytes + size};
    static host h[2];
    memset(h, 0, sizeof h);
    mote_system_def def = take_system_def(&in);
    if (def.integrator == MOTE_EXACT_FLOW) def.integrator = MOTE_SEMI_IMPLICIT_EULER;
    def.max_deaths = def.max_births = def.max_hits = take_below(&in, 16) ? MOST_EVENTS : 8;
    most_births = def.max_births;
    def.particle_ids = true;
    for (int i = 0; i < 2; i++) {
        h[i].exact_ticks = true;
        if (i) h[i].jobs = (shuffled_jobs){.workers = 3}, def.jobs = shuffled_jobs_hook(&h[i].jobs);
        if (!open_host(&h[i], def)) FUZZ_CHECK(!"a host gets memory");
    }
    for (uint32_t i = 0; i < MOST_CALLS && in.at < in.end; i++) {
        const uint32_t what = take_byte(&in);
        if (what < 160)
            run_call(h, calls[what % COUNT_OF(calls)], &in);
        else
            run_frame(h, &in);
        FUZZ_CHECK(mote_system_hash(h[0].system) == mote_system_hash(h[1].system));
    }
    for (int i = 0; i < 2; i++) mote_system_destroy(h[i].system);
    return 0;
}
