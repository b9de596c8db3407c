/* Emitters: births at the end of a step. */
#include "particles/emitters.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fpu.h"
#include "base/parallel.h"
#include "base/work.h"
#include "math/trigonometry.h"
#include "particles/events.h"

#define MAX_ANGLE 1.5f
#define PI        3.14159274f /* the float next to pi */

/* A birth this close to the end of a step, in births, is in that step: rounded sums of shares count whole
 * births. */
#define ROUNDING 0x1p-32

/* --- Defs --- */

mote_emitter_def mote_default_emitter_def(void) {
    return (mote_emitter_def){.cookie = MOTE_EMITTER_COOKIE,
                              .transform = MOTE_TRANSFORM_IDENTITY,
                              .speed = {1, 1},
                              .lifetime = {INFINITY, INFINITY},
                              .mass = {1, 1}};
}

/* m: squares of places and their ratios are finite. */
#define MOST_SIZE    1e15f
#define LEAST_RADIUS 1e-15f

static mote_result check_sizes(const mote_emitter_def *def, const char **name) {
    const struct {
        const char *name;
        float value, most;
    } row[] = {{"extent", def->extent[0], MOST_SIZE},
               {"extent", def->extent[1], MOST_SIZE},
               {"extent", def->extent[2], MOST_SIZE},
               {"radius", def->radius, MOST_SIZE},
               {"inner_radius", def->inner_radius, def->radius},
               {"angle", def->angle, MAX_ANGLE},
               {"spread", def->spread, PI},
               {"rate", def->rate, INFINITY},
               {"rate_per_metre", def->rate_per_metre, INFINITY}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        mote_result result = mote_value_not_negative(row[i].value);
        if (result == MOTE_OK && row[i].value > row[i].most) result = MOTE_ERROR_RANGE;
        if (result) return mote_named(name, row[i].name, result);
    }
    if (def->radius > 0 && def->radius < LEAST_RADIUS) return mote_named(name, "radius", MOTE_ERROR_RANGE);
    if (!mote_vector_is_finite(def->spin_axis)) return mote_named(name, "spin_axis", MOTE_ERROR_NOT_FINITE);
    return mote_named(name, "inherit", mote_value_is_finite((double)def->inherit));
}

static mote_result check_spread(const mote_spread *spread, bool positive) {
    if (!isfinite(spread->least) || !isfinite(spread->most) || !isfinite(spread->most - spread->least))
        return MOTE_ERROR_NOT_FINITE;
    if (positive && !(spread->least > 0)) return MOTE_ERROR_RANGE;
    return spread->least <= spread->most ? MOTE_OK : MOTE_ERROR_RANGE;
}

static mote_result check_radius(const mote_spread *spread) {
    const mote_result result = check_spread(spread, false);
    return result || spread->least >= 0 ? result : MOTE_ERROR_RANGE;
}

static mote_result check_spreads(const mote_emitter_def *def, const char **name) {
    const bool endless = def->lifetime.least == INFINITY && def->lifetime.most == INFINITY;
    mote_result result = mote_named(name, "speed", check_spread(&def->speed, false));
    if (result == MOTE_OK && !endless)
        result = mote_named(name, "lifetime", check_spread(&def->lifetime, true));
    if (result == MOTE_OK) result = mote_named(name, "spin", check_spread(&def->spin, false));
    if (result == MOTE_OK) result = mote_named(name, "mass", check_spread(&def->mass, true));
    if (result == MOTE_OK) result = mote_named(name, "mass", mote_value_invertible(def->mass.least, 1));
    if (result == MOTE_OK)
        result = mote_named(name, "collision_radius", check_radius(&def->collision_radius));
    if (result == MOTE_OK && def->extra_columns >> MOTE_MAX_EXTRA_COLUMNS)
        result = mote_named(name, "extra_columns", MOTE_ERROR_RANGE);
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS && result == MOTE_OK; i++)
        if (def->extra_columns >> i & 1)
            result = mote_named(name, "extra", check_spread(&def->extra[i], false));
    return result;
}

mote_result mote_emitter_check(const mote_emitter_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != MOTE_EMITTER_COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if ((unsigned)def->shape >= MOTE_EMITTER_SHAPE_COUNT) return mote_named(name, "shape", MOTE_ERROR_ENUM);
    if ((unsigned)def->direction >= MOTE_EMITTER_DIRECTION_COUNT)
        return mote_named(name, "direction", MOTE_ERROR_ENUM);
    if ((unsigned)def->orientation >= MOTE_EMITTER_ORIENTATION_COUNT)
        return mote_named(name, "orientation", MOTE_ERROR_ENUM);
    const mote_fpu_state saved = mote_fpu_enter();
    mote_result result = mote_named(name, "transform", mote_motion_check(&def->transform));
    if (result == MOTE_OK) result = check_sizes(def, name);
    if (result == MOTE_OK) result = check_spreads(def, name);
    MOTE_FPU_COMPUTED(result);
    mote_fpu_leave(saved);
    return result;
}

static mote_emitter_angles angles_of(const mote_emitter_def *def) {
    mote_emitter_angles angles = {0};
    if (def->spread > 0) { /* 2 sin^2 of half the angle: 1 less a cosine has no digits where it is small */
        const double sine = mote_sine_and_cosine((double)def->spread / 2).sine;
        angles.versine = (float)(2 * sine * sine);
    }
    if (def->shape == MOTE_EMITTER_CONE) {
        const mote_sine_cosine angle = mote_sine_and_cosine((double)def->angle);
        angles.slope = (float)(angle.sine / angle.cosine);
    }
    double square = 0;
    for (int i = 0; i < 3; i++) square += (double)def->spin_axis[i] * (double)def->spin_axis[i];
    for (int i = 0; i < 3 && square > 0; i++)
        angles.spin_axis[i] = (float)((double)def->spin_axis[i] / __builtin_sqrt(square));
    return angles;
}

void mote_emitter_define(mote_emitter *emitter, const mote_emitter_def *def) {
    const mote_fpu_state saved = mote_fpu_enter();
    emitter->def = *def;
    emitter->angles = angles_of(def);
    mote_fpu_leave(saved);
}

/* --- Targets --- */

void mote_emitters_resolve(mote_id_list *list, uint64_t end_tick) {
    for (uint32_t i = 0; i < list->count; i++)
        mote_travel_resolve(&mote_emitter_at(list, i)->motion.travel.to_tick, end_tick);
}

void mote_emitters_keep_arrivals(mote_id_list *list, uint64_t now) {
    for (uint32_t i = 0; i < list->count; i++) {
        mote_travel *travel = &mote_emitter_at(list, i)->motion.travel;
        mote_travel_keep_arrival(&travel->from_tick, &travel->to_tick, now);
    }
}

/* --- Births of a step --- */

/* Returns the fraction of the step at whose end the travel ends; 1 where it goes on or there is none. */
static double end_of_travel(const mote_travel *travel, const mote_step *step) {
    const uint64_t left = travel->to_tick - step->tick;
    return left > 0 && left < step->ticks_per_step ? (double)left / (double)step->ticks_per_step : 1;
}

/* Converts to float; what is beyond its range becomes its largest number. */
static float finite_float(double value) {
    const double most = (double)FLT_MAX;
    return (float)(value < -most ? -most : value < most ? value : most);
}

/* Fills the part of an emission that does not depend on the step. */
static mote_emission emission_of(const mote_id_list *list, uint32_t place) {
    const mote_emitter *emitter = mote_emitter_at(list, place);
    return (mote_emission){.def = &emitter->def,
                           .angles = &emitter->angles,
                           .stream = list->serials[place],
                           .serial = emitter->serial};
}

/* Fills in the inherited turn of a travel of `seconds`. */
static void inherit_turn(const mote_placement *from, const mote_placement *to, double seconds,
                         mote_emission *e) {
    const double *a = from->rotation, *b = to->rotation;
    double squares[2] = {0, 0};
    for (int i = 0; i < 4; i++) squares[0] += a[i] * a[i], squares[1] += b[i] * b[i];
    const double scale = 2 * (double)e->def->inherit / (__builtin_sqrt(squares[0] * squares[1]) * seconds);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        e->turning[i] = finite_float(scale * (a[3] * b[i] - b[3] * a[i] + (a[j] * b[k] - a[k] * b[j])));
    }
}

/* Fills the part of an emission that does not depend on the number of births. Returns the way, m: between
 * places that are not rounded, because far out the roundings of a slow emitter's places are as long as its
 * way. */
static double begin_emission(const mote_emitter *emitter, const mote_step *step, mote_emission *e) {
    const mote_emitter_def *def = &emitter->def;
    const mote_travel *travel = &emitter->motion.travel;
    const double ticks = (double)step->ticks_per_step, end = end_of_travel(travel, step);
    e->travel_rate = (float)(1 / end);
    e->timestep = (float)step->plan->timestep;
    if (mote_travel_has_arrived(travel->from_tick, travel->to_tick, step->tick)) {
        e->from = e->to = emitter->motion.to;
        return 0;
    }
    e->from = mote_motion_at(&emitter->motion, step->tick, 0);
    e->to = mote_motion_at(&emitter->motion, step->tick, end * ticks);
    const mote_placement from = mote_motion_placement(&emitter->motion, step->tick, 0),
                         to = mote_motion_placement(&emitter->motion, step->tick, end * ticks);
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double way = to.position[axis] - from.position[axis];
        e->inherited[axis] = finite_float((double)def->inherit * way / (end * step->plan->timestep));
        square += way * way;
    }
    inherit_turn(&from, &to, end * step->plan->timestep, e);
    return __builtin_sqrt(square);
}

typedef struct emit_task {
    mote_particles *particles;
    const mote_emission *emission;
    const mote_newborn *columns; /* of the first of these births */
    uint64_t first;              /* number of that birth in the step */
    double f;                    /* its fraction of the step */
} emit_task;

/* Blocks of MOTE_BLOCK births, so that fractions are computed in double at the start of each. */
static void do_births(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const emit_task *t = context;
    for (size_t block = first; block < end; block += MOTE_BLOCK) {
        const uint32_t count = (uint32_t)(end - block < MOTE_BLOCK ? end - block : MOTE_BLOCK);
        mote_newborn to = *t->columns;
        to.first += block;
        const double f = t->f + (double)block * (double)t->emission->spacing;
        t->particles->kernels->emit(t->emission, t->first + block, count, (float)f, &to);
    }
}

static mote_newborn newborn_at(const mote_particles *particles, uint32_t slot) {
    mote_newborn first = {.first = slot};
    mote_particles_vector(particles, MOTE_COLUMN_POSITION, first.x);
    mote_particles_vector(particles, MOTE_COLUMN_VELOCITY, first.v);
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_POSITION, first.previous_x);
    mote_particles_vector(particles, MOTE_COLUMN_PREVIOUS_VELOCITY, first.previous_v);
    first.inverse_mass = particles->column[MOTE_COLUMN_INVERSE_MASS];
    first.lifetime = particles->column[MOTE_COLUMN_LIFETIME];
    first.initial_age = particles->column[MOTE_COLUMN_INITIAL_AGE];
    first.radius = particles->column[MOTE_COLUMN_RADIUS];
    for (int i = 0; i < 4; i++) first.orientation[i] = particles->column[MOTE_COLUMN_ORIENTATION + i];
    mote_particles_vector(particles, MOTE_COLUMN_ANGULAR_VELOCITY, first.angular_velocity);
    for (int i = 0; i < (int)MOTE_MAX_EXTRA_COLUMNS; i++)
        first.extra[i] = particles->column[MOTE_COLUMN_EXTRA + i];
    return first;
}

/* Adds `count` particles at the boundary after `steps` steps, and fills their columns. */
static void add_newborn(emit_task *task, uint64_t steps, uint32_t count, const mote_jobs *jobs) {
    mote_particles *particles = task->particles;
    const uint32_t first = particles->range.slot_count;
    mote_particles_add(particles, count, (uint32_t)steps);
    mote_parallel_for(mote_jobs_for(jobs, MOTE_WORK_BIRTH * (double)count), count, MOTE_BLOCK, do_births,
                      task);
    mote_events_births(particles, steps, task->emission->stream, first, count);
}

/* Gives birth to numbers first .. first + count - 1 of the step, as far as there is capacity. */
static void bear(const emit_task *births, const mote_step *step, uint64_t count, mote_births *sum) {
    mote_particles *particles = births->particles;
    const uint32_t available = mote_particles_available(particles);
    const uint32_t born = count < available ? (uint32_t)count : available;
    emit_task task = *births;
    const mote_newborn columns = newborn_at(particles, particles->range.slot_count);
    task.columns = &columns;
    add_newborn(&task, step->number + 1, born, step->jobs);
    sum->born += born;
    sum->unborn += count - born;
}

/* Gives birth to `amount` particles, evenly spaced between two fractions of the step, less the share that is
 * due already. Returns how many; what is left of a birth is due next. */
static uint64_t bear_evenly(mote_emitter *emitter, const emit_task *births, const mote_step *step,
                            double amount, const double span[2], mote_births *sum) {
    mote_emission e = *births->emission;
    emit_task task = *births;
    const double whole = __builtin_floor(emitter->due + amount + ROUNDING);
    const uint64_t count = whole < 0x1p62 ? (uint64_t)whole : (uint64_t)1 << 62;
    if (count) {
        task.f = span[0] + (span[1] - span[0]) * ((1 - emitter->due) / amount);
        e.spacing = count > 1 ? (float)((span[1] - span[0]) / amount) : 0;
        task.emission = &e;
        bear(&task, step, count, sum);
    }
    emitter->due += amount - whole;
    if (!(emitter->due > 0)) emitter->due = 0;
    return count;
}

static void run_emitter(mote_id_list *list, uint32_t place, mote_particles *particles, const mote_step *step,
                        const mote_collision *collision, mote_births *sum) {
    mote_emitter *emitter = mote_emitter_at(list, place);
    mote_emission e = emission_of(list, place);
    e.collision = collision;
    const double way = begin_emission(emitter, step, &e), end = end_of_travel(&emitter->motion.travel, step);
    const double by_time = (double)emitter->def.rate * step->plan->timestep;
    const double moving[2] = {0, end}, resting[2] = {end, 1};
    emit_task births = {.particles = particles, .emission = &e};
    if (emitter->waiting) bear(&births, step, emitter->waiting, sum);
    births.first = emitter->waiting;
    births.first += bear_evenly(emitter, &births, step,
                                by_time * end + (double)emitter->def.rate_per_metre * way, moving, sum);
    if (end < 1) {
        memset(e.inherited, 0, sizeof e.inherited);
        memset(e.turning, 0, sizeof e.turning);
        births.first += bear_evenly(emitter, &births, step, by_time * (1 - end), resting, sum);
    }
    emitter->serial += births.first;
    emitter->waiting = 0;
}

mote_births mote_emitters_run(mote_id_list *list, mote_particles *particles, const mote_step *step) {
    mote_births sum = {0, 0};
    mote_collision collision;
    const bool collides = mote_particles_births_collide(particles, step, &collision);
    for (uint32_t i = 0; i < list->count; i++)
        run_emitter(list, i, particles, step, collides ? &collision : NULL, &sum);
    MOTE_ASSERT(sum.born == 0 || mote_particles_validate(&particles->range));
    return sum;
}

/* The newborn are at the end of a step (f = 1) and have no state before it. The velocity takes the place of
 * the inherited one. */
mote_births mote_emitter_emit(mote_id_list *list, uint32_t place, mote_particles *particles,
                              const mote_step *now, const mote_emit *emit) {
    mote_emission e = emission_of(list, place);
    const uint32_t available = mote_particles_available(particles);
    const uint32_t born = emit->count < available ? emit->count : available;
    emit_task task = {.particles = particles, .emission = &e, .f = 1};
    mote_newborn columns = newborn_at(particles, particles->range.slot_count);
    for (int axis = 0; axis < 3; axis++) columns.previous_x[axis] = columns.previous_v[axis] = NULL;
    task.columns = &columns;
    e.from = e.to = emit->at;
    memcpy(e.inherited, emit->velocity, sizeof e.inherited);
    add_newborn(&task, now->number, born, now->jobs);
    mote_emitter_at(list, place)->serial += emit->count;
    MOTE_ASSERT(mote_particles_validate(&particles->range));
    return (mote_births){born, emit->count - born};
}

/* --- Hash --- */

uint64_t mote_emitter_hash(uint64_t seed, const mote_id_list *list, uint32_t place) {
    const mote_emitter *emitter = mote_emitter_at(list, place);
    const mote_emitter_def *def = &emitter->def;
    const uint32_t choices[] = {(uint32_t)def->shape, (uint32_t)def->direction, def->extra_columns, def->seed,
                                list->serials[place], emitter->waiting};
    const float sizes[] = {def->extent[0],      def->extent[1], def->extent[2], def->radius,
                           def->inner_radius,   def->angle,     def->spread,    def->rate,
                           def->rate_per_metre, def->inherit};
    const mote_spread spreads[] = {def->speed, def->lifetime, def->mass};
    const mote_motion *motion = &emitter->motion;
    uint64_t hash = mote_hash_words(seed, choices, sizeof choices);
    hash = mote_hash_words(mote_hash_words(hash, sizes, sizeof sizes), spreads, sizeof spreads);
    for (uint32_t i = 0; i < MOTE_MAX_EXTRA_COLUMNS; i++)
        if (def->extra_columns >> i & 1) hash = mote_hash_words(hash, &def->extra[i], sizeof def->extra[i]);
    if (def->collision_radius.most > 0)
        hash = mote_hash_words(hash, &def->collision_radius, sizeof def->collision_radius);
    if (def->orientation || def->spin.least < 0 || def->spin.most > 0) {
        hash =
            mote_hash_words(mote_hash_number(hash, (uint64_t)def->orientation), &def->spin, sizeof def->spin);
        hash = mote_hash_words(hash, def->spin_axis, sizeof def->spin_axis);
    }
    hash = mote_hash_doubles(mote_hash_number(hash, emitter->serial), &emitter->due, sizeof emitter->due);
    return mote_travel_hash(hash, &motion->from, &motion->to, sizeof motion->to, &motion->travel);
}
