/* The plain float reference of the step of loose particles. It follows the arithmetic that the engine
 * promises, one operation at a time over whole arrays. */
#define REAL float
#include "integrator_template.h"

#include <math.h>

/* A call of the step: its particles in rows, and the step and substep at hand. */
typedef struct run {
    const mote_columns *columns;
    const mote_columns_def *def;
    const mote_vector_columns *external_forces; /* of the present step, or NULL */
    bodies bodies;
    float *inverse_mass;             /* 0: immovable, or frozen in an earlier step */
    bool others, callbacks, newtons; /* kinds of forces that do not fold; newtons: any of them in N */
    uint32_t step, substep;
} run;

static float *axis_of(const mote_vector_columns *columns, int axis) {
    return axis == 0 ? columns->x : axis == 1 ? columns->y : columns->z;
}

static float inverse_mass_of(const mote_columns *columns, uint32_t i) {
    return columns->inverse_mass ? columns->inverse_mass[i] : (float)(1.0 / (double)columns->mass);
}

/* The rate of linear drag on particles of one mass, 1/s; 0 for maps, which take it in closed form. */
static double linear_drag(const mote_columns *columns, const bodies *b) {
    reference_affine acceleration = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
    double most = 0;
    if (columns->inverse_mass || (b->integrator >= MOTE_IMPLICIT_EULER && b->integrator <= MOTE_EXACT_FLOW))
        return 0;
    reference_fold(b->forces, b->force_count, &acceleration, &newtons);
    const reference_affine sum = reference_over_mass(&acceleration, &newtons, 1.0 / (double)columns->mass);
    for (int axis = 0; axis < 3; axis++) most = sum.damping[axis] < -most ? -sum.damping[axis] : most;
    return most;
}

/* The accelerations that do not fold. Immovable particles have no impulses here: weight is unused. */
static void accelerate(const bodies *b, double time, float weight, row *a) {
    const run *r = b->user;
    const mote_columns_def *def = r->def;
    const mote_vector_columns *anchors = &r->columns->anchor;
    reference_others others = {
        .forces = b->forces,
        .force_count = b->force_count,
        .n = b->count,
        .time = def->time + ((double)r->step + (r->substep + time) / (double)def->substeps) * def->timestep,
        .drag_rate = drag_rate(b, linear_drag(r->columns, b)),
        .x = b->x,
        .v = b->v,
        .inverse_mass = b->inverse_mass};
    (void)weight;
    if (r->callbacks)
        reference_call(&others, (mote_stage_view){.inverse_mass = r->columns->inverse_mass,
                                                  .uniform_inverse_mass = inverse_mass_of(r->columns, 0),
                                                  .range_count = b->count});
    for (uint32_t i = 0; i < b->count; i++) {
        float sums[2][3] = {{0}}, anchor[3] = {0};
        for (int axis = 0; axis < 3 && anchors->x; axis++) anchor[axis] = axis_of(anchors, axis)[i];
        reference_add_inline(&others, i, anchor, sums);
        for (int axis = 0; axis < 3; axis++) {
            for (int unit = 0; unit < 2 && r->callbacks; unit++)
                sums[unit][axis] += others.called[unit][i][axis];
            if (r->external_forces) sums[1][axis] += axis_of(r->external_forces, axis)[i];
            a[i][axis] = sums[0][axis];
            if (r->newtons || r->external_forces) a[i][axis] += b->inverse_mass[i] * sums[1][axis];
        }
    }
    free(others.called[0]);
}

/* Between the caller's columns and rows. */
static void copy_columns(const run *r, bool back) {
    for (int axis = 0; axis < 3; axis++) {
        float *x = axis_of(&r->columns->position, axis), *v = axis_of(&r->columns->velocity, axis);
        for (uint32_t i = 0; i < r->bodies.count; i++) {
            if (back) x[i] = r->bodies.x[i][axis], v[i] = r->bodies.v[i][axis];
            if (!back) r->bodies.x[i][axis] = x[i], r->bodies.v[i][axis] = v[i];
        }
    }
}

static void begin(run *r, const mote_columns *columns, const mote_columns_def *def) {
    const size_t n = columns->count;
    bodies *b = &r->bodies;
    *r = (run){.columns = columns, .def = def, .inverse_mass = calloc(n + 1, sizeof(float))};
    *b = (bodies){.integrator = def->integrator,
                  .count = columns->count,
                  .x = calloc(2 * n + 1, sizeof(row)),
                  .inverse_mass = r->inverse_mass,
                  .h = def->timestep / def->substeps,
                  .forces = def->forces,
                  .force_count = def->force_count,
                  .user = r};
    if (!b->x || !r->inverse_mass) abort();
    b->v = b->x + n;
    copy_columns(r, false);
    for (uint32_t i = 0; i < n; i++) r->inverse_mass[i] = inverse_mass_of(columns, i);
    for (uint32_t i = 0; i < def->force_count; i++) {
        if (reference_folds(&def->forces[i])) continue;
        r->others = true;
        r->callbacks |= def->forces[i].kind == MOTE_FORCE_CALLBACK;
        r->newtons |= reference_gives_newtons(&def->forces[i]);
    }
    if (r->others) b->accelerate = accelerate;
    reference_fold(def->forces, def->force_count, &b->acceleration, &b->newtons);
    if (columns->inverse_mass) return;
    b->same_mass = 1.0 / (double)columns->mass;
    b->acceleration = reference_over_mass(&b->acceleration, &b->newtons, b->same_mass);
    b->newtons = (reference_affine){{0}, {0}, {0}};
}

/* Particles that turned non-finite since `start` get that state, for good: returns how many. */
static uint32_t contain(run *r, row *start) {
    uint32_t lost = 0;
    const bodies *b = &r->bodies;
    for (uint32_t i = 0; i < b->count; i++) {
        bool finite = true;
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(b->x[i][axis]) || !isfinite(b->v[i][axis])) finite = false;
        if (finite || r->inverse_mass[i] == 0) continue; /* an immovable particle did not turn so */
        memcpy(b->x[i], start[i], sizeof(row));
        memcpy(b->v[i], start[b->count + i], sizeof(row));
        r->inverse_mass[i] = 0;
        lost++;
    }
    return lost;
}

static void end(run *r) {
    copy_columns(r, true);
    free(r->bodies.x);
    free(r->inverse_mass);
}

uint32_t reference_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                const mote_vector_columns *external_forces) {
    run r;
    uint32_t lost = 0;
    begin(&r, columns, def);
    for (; r.step < def->steps; r.step++) {
        row *start = copy_state(&r.bodies, 2);
        r.external_forces = r.step == 0 ? external_forces : NULL;
        r.bodies.accelerate = r.others || r.external_forces ? accelerate : NULL;
        /* The exact flow of affine forces alone takes the step in one. */
        const bool whole = def->integrator == MOTE_EXACT_FLOW && !r.bodies.accelerate;
        r.bodies.h = whole ? def->timestep : def->timestep / def->substeps;
        for (r.substep = 0; r.substep < (whole ? 1 : def->substeps); r.substep++) take_substep(&r.bodies);
        lost += contain(&r, start);
        free(start);
    }
    end(&r);
    return lost;
}

/* A particle that turns non-finite keeps its state: its first step finds it. */
void reference_columns_kick(const mote_columns *columns, const mote_columns_def *def, double fraction) {
    run r;
    begin(&r, columns, def);
    row *start = copy_state(&r.bodies, 2);
    r.bodies.integrator = MOTE_POSITION_VERLET; /* whichever it is, all forces kick */
    kick(&r.bodies, 0, fraction * r.bodies.h);
    contain(&r, start);
    free(start);
    end(&r);
}
