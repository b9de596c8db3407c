/* The step of loose particles. Steps run in batches, within which nothing else acts on the particles; dead
 * particles are removed at the end of each batch. */
#include <float.h>
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "forces/force.h"
#include "particles/compaction.h"
#include "particles/events.h"
#include "particles/meet.h"
#include "particles/run.h"

static bool has_lifetimes(const mote_particles *particles) { return particles->column[MOTE_COLUMN_LIFETIME]; }

/* Batches have one step if particles have lifetimes, which end at step boundaries; if external forces are
 * marked, which act in one step only; and if there are callbacks, which see slots and therefore each
 * compaction; with collisions, which kill; and with orientations, which turn after each step. Otherwise the
 * state stays in registers for many steps. */
uint32_t mote_particles_batch(const mote_particles *particles, uint32_t steps, bool collides) {
    if (has_lifetimes(particles) || particles->external_forces_marked ||
        particles->range.plan.callback_count || collides || particles->column[MOTE_COLUMN_ORIENTATION])
        return 1;
    return steps < MOTE_FATE_MAX_STEP ? steps : MOTE_FATE_MAX_STEP;
}

/* --- Lifetimes --- */

/* The slack of 1/1024 step lets a lifetime that is a whole number of steps up to rounding last exactly that
 * number. */
static mote_lifetimes lifetimes_of(const mote_particles *particles, const mote_step *step, uint64_t number) {
    return (mote_lifetimes){.birth = particles->column[MOTE_COLUMN_BIRTH],
                            .lifetime = particles->column[MOTE_COLUMN_LIFETIME],
                            .fate = mote_particles_fate(particles),
                            .death = particles->death,
                            .now = (uint32_t)number,
                            .rate = (float)(1.0 / step->plan->timestep),
                            .slack = 1.0f / 1024.0f,
                            .mark = MOTE_FATE_EXPIRED};
}

/* Births are the low 32 bits of their step, so that ages must stay below 2^31 steps: at the start of every
 * step whose number is a multiple of KEEP_STEPS, births more than MOTE_MAX_AGE before it are moved to that
 * distance. Until the next such step ages then are at most MOTE_MAX_AGE + KEEP_STEPS. */
#define KEEP_STEPS ((uint64_t)1 << 24)

/* Moves births, so that the ages of step `at` are within MOTE_MAX_AGE: those that are too old if `at` is
 * `now` or later, else those that are born too late. */
static void limit_ages(const mote_particles *particles, uint64_t now, uint64_t at) {
    const uint64_t far = (uint64_t)1 << 62, distance = at < now ? now - at : at - now;
    const int64_t way = (int64_t)(distance < far ? distance : far), passed = at < now ? -way : way;
    const int32_t limit = at < now ? -MOTE_MAX_AGE : MOTE_MAX_AGE;
    uint32_t *birth = particles->column[MOTE_COLUMN_BIRTH];
    for (uint32_t slot = 0; slot < particles->range.slot_count; slot++) {
        const int64_t age = (int32_t)((uint32_t)now - birth[slot]) + passed;
        if (at < now ? age < limit : age > limit) birth[slot] = (uint32_t)at - (uint32_t)limit;
    }
}

/* Moves births as a jump from step `now` to `to` must: as its steps would, or back, as far as ages can count.
 */
static void limit_ages_to(const mote_particles *particles, uint64_t now, uint64_t to) {
    if (!has_lifetimes(particles)) return;
    const uint64_t last = to > now ? (to - 1) / KEEP_STEPS * KEEP_STEPS : to;
    if (to < now || (last && last >= now)) limit_ages(particles, now, last);
}

/* Marks and lists the particles in slots [first, end) whose lifetime ends; `first` begins a block. Returns
 * their number. */
static uint32_t expire(const mote_particles *particles, const mote_lifetimes *lifetimes, size_t first,
                       size_t end) {
    uint32_t expired = 0;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        size_t count = end - block < MOTE_BLOCK ? end - block : MOTE_BLOCK;
        uint32_t died = particles->kernels->expire(lifetimes, block, count);
        particles->deaths[block / MOTE_BLOCK] = (uint16_t)died;
        expired += died;
    }
    return expired;
}

/* --- Collisions --- */

/* Returns the share of a substep's velocity change in its mean velocity, 1/2 or 1 (collide.h); explicit
 * Euler, which has 0, is taken as 1/2, which loses energy. */
static float theta_of(const mote_scheme *scheme) {
    if (scheme->half_step_velocity) return 0.5f;
    if (scheme->family == MOTE_FAMILY_MAP) return scheme->map == MOTE_MAP_IMPLICIT_EULER ? 1.0f : 0.5f;
    if (scheme->family != MOTE_FAMILY_SPLITTING) return 0.5f;
    double x = 0, v = 0;
    for (uint32_t stage = 0; stage < scheme->stages; stage++) {
        v += scheme->kick[stage];
        x += scheme->drift[stage] * v;
    }
    return x > 0.75 ? 1.0f : 0.5f;
}

/* Fills in what collisions know of the forces. */
static void collide_forces(const mote_plan *plan, mote_collision *c) {
    *c = (mote_collision){.h = plan->c.h,
                          .inverse_h = 1.0f / plan->c.h,
                          .theta = theta_of(plan->scheme),
                          .half_step = plan->scheme->half_step_velocity,
                          .advects = plan->scheme->family == MOTE_FAMILY_ADVECTION,
                          .springs = plan->stiff_acceleration || plan->stiff_force,
                          .drags = plan->damped_acceleration || mote_affine_acts(plan->force.damping),
                          .forces = plan->forces,
                          .force_count = plan->force_count,
                          .inverse_substeps = 1.0f / (float)plan->substeps};
    for (int axis = 0; axis < 3; axis++) {
        c->stiffness[axis] = (float)plan->acceleration.stiffness[axis];
        c->force_stiffness[axis] = (float)plan->force.stiffness[axis];
        c->damping[axis] = (float)plan->acceleration.damping[axis];
        c->force_damping[axis] = (float)plan->force.damping[axis];
    }
    for (uint32_t i = 0; i < plan->force_count; i++) {
        c->quadratic_drags |= mote_force_drags(&plan->forces[i]);
        c->attracts |= c->theta == 1 && mote_force_is_attractor(&plan->forces[i]);
        c->inline_drags |= mote_force_damping(&plan->forces[i]) > 0;
    }
    c->drags |= c->quadratic_drags || c->inline_drags;
}

void mote_particles_refresh_plan(mote_particles *particles, const mote_plan_def *def) {
    mote_plan *plan = &particles->range.plan;
    if (particles->plan_is_current && plan->external_forces == def->external_forces &&
        plan->collides == def->collides)
        return;
    mote_plan_make(plan, def);
    collide_forces(plan, &particles->collision);
    particles->plan_is_current = true;
}

/* Fills in the particles. */
static void collide_particles(const mote_particles *particles, mote_collision *c) {
    c->radius = particles->radius;
    c->radii = particles->column[MOTE_COLUMN_RADIUS];
    c->stuck = particles->column[MOTE_COLUMN_STUCK];
    mote_particles_vector(particles, MOTE_COLUMN_STUCK_PLACE, c->stuck_place);
    c->fate = mote_particles_fate(particles);
    c->ids = particles->column[MOTE_COLUMN_ID];
    c->inverse_mass = particles->new_inverse_mass;
    c->inverse_masses = particles->column[MOTE_COLUMN_INVERSE_MASS];
    c->events = NULL, c->add_hits = NULL;
    if (particles->events && particles->events->hits.capacity)
        c->events = particles->events, c->add_hits = mote_events_hits, c->mark = particles->events->mark;
    mote_orientation_collide(particles, c);
}

static bool none_moves(const mote_collider_pose *poses, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (poses[i].turns || poses[i].moved > 0) return false;
    return true;
}

/* Fills the input of collisions in one step. Returns NULL if no collider acts on particles. */
static const mote_collision *collision_of(mote_particles *particles, const mote_step *step,
                                          uint32_t *killed) {
    const mote_plan *plan = &particles->range.plan;
    mote_collision *c = &particles->collision;
    c->all.count = c->count = 0;
    if (!particles->collides || !step->colliders->list.count) return NULL;
    collide_particles(particles, c);
    c->killed = killed, c->step = step->number + 1;
    c->count = step->colliders->list.count;
    c->poses = mote_colliders_poses(step->colliders, step->tick, step->ticks_per_step, plan->substeps);
    c->hollow = false, c->all.free = FLT_MAX;
    for (uint32_t i = 0; i < c->count; i++) {
        c->hollow |= c->poses[i].distance_grid != NULL;
        if (c->poses[i].response != MOTE_RESPONSE_PASS) c->all.index[c->all.count++] = (uint8_t)i;
        c->friction[i] = __builtin_sqrtf(c->poses[i].friction * particles->friction);
    }
    c->still = step->colliders->at_rest || none_moves(c->poses, (size_t)c->count * (plan->substeps + 1));
    return c->all.count || c->stuck ? c : NULL;
}

/* The ways of births take a part of the whole step, in which no force acts. Colliders that kill or hold stop
 * the newborn there, and act in the next step. */
bool mote_particles_births_collide(const mote_particles *particles, const mote_step *step,
                                   mote_collision *c) {
    if (!particles->collision.all.count) return false;
    mote_collision_copy(c, &particles->collision);
    if (!c->still) c->poses = mote_colliders_poses(step->colliders, step->tick, step->ticks_per_step, 1);
    c->h = (float)step->plan->timestep, c->inverse_h = 1.0f / c->h;
    c->half_step = c->springs = c->attracts = c->drags = false;
    c->stuck = c->killed = NULL, c->add_hits = NULL;
    for (int axis = 0; axis < 3; axis++) c->spin[axis] = NULL;
    return true;
}

/* Without colliders nothing sticks. */
static void release_stuck(const mote_particles *particles) {
    uint32_t *stuck = particles->column[MOTE_COLUMN_STUCK];
    if (stuck) memset(stuck, 0, particles->range.slot_count * sizeof *stuck);
}

/* --- A batch --- */

typedef struct batch {
    const mote_particles *particles;
    mote_run run;
    mote_lifetimes lifetimes;
    const mote_compaction *compaction; /* fills holes after each run of blocks; NULL: fills none */
    uint32_t frozen, expired;
} batch;

static void do_lifetimes(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    batch *b = context;
    const uint32_t expired = expire(b->particles, &b->lifetimes, first, end);
    if (expired) __atomic_fetch_add(&b->expired, expired, __ATOMIC_RELAXED);
}

/* Slots that are stepped before their holes are filled: they are in the cache still, and a step over shorter
 * runs loses what the processor has learnt of the columns (measured: 1.1 times the time with a quarter). */
#define STEPPED_SLOTS (64 * MOTE_BLOCK)

/* Steps slots [first, end) and fills their holes, run by run of blocks. */
static void step_and_fill(batch *b, size_t first, size_t end, uint32_t *frozen) {
    mote_filler filler;
    mote_filler_begin(&filler, b->compaction, first);
    for (size_t from = first; from < end; from += STEPPED_SLOTS) {
        const size_t to = end - from < STEPPED_SLOTS ? end : from + STEPPED_SLOTS;
        mote_run_blocks(&b->run, from, to, frozen);
        mote_filler_run(&filler, from, to);
    }
}

static void do_blocks(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    batch *b = context;
    uint32_t frozen = 0;
    if (b->compaction)
        step_and_fill(b, first, end, &frozen);
    else
        mote_run_blocks(&b->run, first, end, &frozen);
    if (frozen) __atomic_fetch_add(&b->frozen, frozen, __ATOMIC_RELAXED);
}

static void run_slots(batch *b, const mote_jobs *jobs, size_t first, size_t end,
                      const mote_compaction *compaction) {
    const mote_items mine = mote_range_slots(&b->particles->range, first, end);
    b->compaction = compaction;
    mote_parallel_over(mote_run_jobs(&b->run, end - first, jobs), &mine, MOTE_BLOCK, do_blocks, b);
}

/* Fills the holes in slots [first, end). Out of line: a filler is large, and those of the tasks come before.
 */
MOTE_OUTLINE void fill(const mote_compaction *compaction, size_t first, size_t end) {
    mote_filler filler;
    mote_filler_begin(&filler, compaction, first);
    mote_filler_run(&filler, first, end);
}

/* Block-outer order with deaths. The particles whose lifetime ends with this step are known before it. So the
 * last slots, whose survivors will move, are stepped first, and the holes in the other blocks are filled as
 * soon as these are stepped. */
static void run_and_fill(batch *b, const mote_jobs *jobs, const mote_compaction *compaction) {
    const size_t count = b->run.span->count, tail = compaction->kept / MOTE_BLOCK * MOTE_BLOCK;
    run_slots(b, jobs, tail, count, NULL);
    run_slots(b, jobs, 0, tail, compaction);
    fill(compaction, tail, count);
}

static void run_stages_outer(batch *b, const mote_step *step) {
    const size_t slots = mote_round_up(b->run.span->count, MOTE_GROUP);
    const mote_workspace workspace = mote_workspace_make(step->scratch, slots);
    const mote_items mine = mote_range_slots(&b->particles->range, 0, b->run.span->count);
    mote_run_stages(&b->run, &mine, &workspace, step->jobs, &b->frozen);
}

static void run_batch(mote_particles *particles, const mote_step *step, batch *b, uint32_t *killed) {
    const size_t count = b->run.span->count;
    const bool stage_outer = step->stage_outer || particles->range.plan.reaches_range;
    if (has_lifetimes(particles)) {
        b->lifetimes = lifetimes_of(particles, step, step->number + 1);
        b->lifetimes.none_has_fate = !particles->pending_kills;
        mote_parallel_for(mote_jobs_for(step->jobs, MOTE_WORK_FATE * (double)count), count, MOTE_BLOCK,
                          do_lifetimes, b);
    }
    mote_compaction compaction;
    if (b->expired) compaction = mote_compaction_begin(particles, MOTE_FATE_EXPIRED, b->expired);
    /* A range that fits the cache is stepped before holes are filled, and so is one that ranks share. */
    const bool fills = b->expired && !stage_outer && count > MOTE_FILLER_SLOTS && !particles->range.peers;
    if (fills)
        run_and_fill(b, step->jobs, &compaction);
    else if (stage_outer)
        run_stages_outer(b, step);
    else
        run_slots(b, step->jobs, 0, count, NULL);
    mote_meet_fates(particles, &b->frozen, killed);
    if (b->expired && !fills) mote_compaction_fill(&compaction);
    if (b->expired) mote_compaction_end(&compaction);
}

void mote_particles_run(mote_particles *particles, const mote_step *step, uint32_t steps,
                        mote_advance *report) {
    mote_span span;
    if (step->number && step->number % KEEP_STEPS == 0 && has_lifetimes(particles))
        limit_ages(particles, step->number, step->number);
    mote_particles_span(particles, step->number, steps, &span);
    for (int axis = 0; axis < 3 && step->last; axis++) {
        span.previous_x[axis] = particles->range.previous_x[axis];
        span.previous_v[axis] = particles->column[MOTE_COLUMN_PREVIOUS_VELOCITY + axis];
    }
    batch b;
    uint32_t killed = 0;
    span.collision = collision_of(particles, step, &killed);
    if (!span.collision) release_stuck(particles);
    b.particles = particles, b.frozen = b.expired = 0;
    b.run = (mote_run){particles->kernels, &particles->range.plan, &span};
    mote_events_at(particles->events, step, step->number + 1);
    run_batch(particles, step, &b, &killed);
    particles->external_forces_marked = false;
    for (uint32_t k = 1; b.frozen && k <= steps; k++) {
        mote_events_at(particles->events, step, step->number + k);
        mote_particles_compact(particles, (uint8_t)k);
    }
    mote_events_end_hits(particles->events);
    if (killed) report->collided += mote_particles_compact(particles, MOTE_FATE_COLLIDED);
    report->non_finite += b.frozen;
    if (particles->column[MOTE_COLUMN_ORIENTATION]) mote_particles_turn(particles, step, report);
    MOTE_ASSERT((b.frozen == 0 && b.expired == 0) || mote_particles_validate(&particles->range));
    report->expired += b.expired;
}

uint32_t mote_particles_begin(mote_particles *particles, const mote_step *step) {
    mote_particles_kick(particles, step, -0.5, particles->started, particles->range.slot_count);
    mote_events_at(particles->events, step, step->number);
    return particles->pending_kills ? mote_particles_compact(particles, MOTE_FATE_KILLED) : 0;
}

/* --- Jump by an exact flow --- */

static void remove_expired(mote_particles *particles, const mote_step *step, uint64_t number) {
    if (!has_lifetimes(particles) || number <= step->number) return;
    const mote_lifetimes lifetimes = lifetimes_of(particles, step, number);
    if (expire(particles, &lifetimes, 0, particles->range.slot_count))
        mote_particles_compact(particles, MOTE_FATE_EXPIRED);
}

void mote_particles_jump(mote_particles *particles, const mote_step *step, const mote_plan *plan,
                         uint64_t number) {
    mote_span span;
    mote_particles_kick(particles, step, 0.5, 0, particles->started);
    if (particles->pending_kills) mote_particles_compact(particles, MOTE_FATE_KILLED);
    mote_particles_span(particles, step->number, 1, &span);
    const uint32_t frozen =
        mote_run_parallel(&(mote_run){particles->kernels, plan, &span}, span.count, step->jobs);
    limit_ages_to(particles, step->number, number);
    remove_expired(particles, step, number);
    if (frozen) mote_particles_compact(particles, 1);
    particles->started = particles->range.slot_count;
    mote_step there = *step;
    there.number = number;
    mote_particles_kick(particles, &there, -0.5, 0, particles->range.slot_count);
}
