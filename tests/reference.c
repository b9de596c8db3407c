/* The plain references of the tests. The float step follows the arithmetic that the engine promises, one operation at a
 * time over whole arrays; only the coefficients of the exact flow are taken from the engine, whose propagator is tested
 * by itself against reference_flow. */
#include "reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "math/propagator.h"

/* a = constant + damping v + stiffness x, per axis: accelerations in SI units or forces in N. */
typedef struct affine {
    double constant[3], damping[3], stiffness[3];
} affine;

/* Three arrays of a vector quantity. */
typedef struct vectors {
    float *axis[3];
} vectors;

typedef struct reference {
    const mote_columns *columns;
    const mote_columns_def *def;
    const mote_vector_columns *inbox; /* of the present step, or NULL */
    uint32_t count;
    vectors x, v;            /* the state, in the caller's arrays */
    vectors stage_x, stage_v; /* the state at which forces are evaluated, where it is not the state */
    vectors dv, dv2, sum_x, sum_v, start_x, start_v, total, acceleration, force;
    bool *fixed; /* immovable, or frozen in an earlier step */
    affine per_mass, in_newtons; /* accelerations; forces, all zero where the mass is uniform */
    bool has_callback[2];        /* by mote_force_unit */
    bool has_attractor;
    double h;
    uint32_t step, substep;
} reference;

static bool affine_any(const double value[3]) {
    return value[0] != 0 || value[1] != 0 || value[2] != 0;
}

static bool affine_present(const affine *set) {
    return affine_any(set->constant) || affine_any(set->damping) || affine_any(set->stiffness);
}

static void fold_force(reference *self, const mote_force_def *force) {
    for (int axis = 0; axis < 3; axis++) {
        affine *newtons = &self->in_newtons;
        switch (force->kind) {
        case MOTE_FORCE_GRAVITY: self->per_mass.constant[axis] += force->as.gravity.acceleration[axis]; break;
        case MOTE_FORCE_THRUST: newtons->constant[axis] += force->as.thrust.force[axis]; break;
        case MOTE_FORCE_WIND:
            newtons->constant[axis] += (double)force->as.wind.drag * (double)force->as.wind.velocity[axis];
            newtons->damping[axis] -= force->as.wind.drag;
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            newtons->constant[axis] +=
                (double)force->as.anchor_spring.stiffness * (double)force->as.anchor_spring.anchor[axis];
            newtons->stiffness[axis] -= force->as.anchor_spring.stiffness;
            newtons->damping[axis] -= force->as.anchor_spring.damping;
            break;
        default: break;
        }
    }
}

static void fold(reference *self) {
    for (uint32_t i = 0; i < self->def->force_count; i++) {
        const mote_force_def *force = &self->def->forces[i];
        fold_force(self, force);
        if (force->kind == MOTE_FORCE_ATTRACTOR) self->has_attractor = true;
        if (force->kind == MOTE_FORCE_CALLBACK) self->has_callback[force->as.callback.unit] = true;
    }
    if (self->columns->inverse_mass) return;
    double w = 1.0 / (double)self->columns->uniform_mass;
    for (int axis = 0; axis < 3; axis++) {
        self->per_mass.constant[axis] += self->in_newtons.constant[axis] * w;
        self->per_mass.damping[axis] += self->in_newtons.damping[axis] * w;
        self->per_mass.stiffness[axis] += self->in_newtons.stiffness[axis] * w;
    }
    self->in_newtons = (affine){0};
}

static float inverse_mass(const reference *self, uint32_t i) {
    return self->columns->inverse_mass ? self->columns->inverse_mass[i] : (float)(1.0 / self->columns->uniform_mass);
}

/* What one set adds to the velocity over `weight` seconds. */
static float affine_dv(const affine *set, int axis, double weight, float x, float v) {
    float dv = (float)(set->constant[axis] * weight) + (float)(set->damping[axis] * weight) * v;
    if (affine_any(set->stiffness)) dv = dv + (float)(set->stiffness[axis] * weight) * x;
    return dv;
}

static void add_attractor(const mote_force_def *force, const float x[3], float sum[3]) {
    float d[3];
    for (int axis = 0; axis < 3; axis++) d[axis] = force->as.attractor.centre[axis] - x[axis];
    float softening = force->as.attractor.softening;
    float r2 = ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) + softening * softening;
    float f = force->as.attractor.strength / (r2 * sqrtf(r2));
    for (int axis = 0; axis < 3; axis++) sum[axis] += d[axis] * f;
}

static void call_callbacks(reference *self, const vectors *x, const vectors *v, double time) {
    mote_stage_view view = {
        .time = time, .first = 0, .count = self->count,
        .x = x->axis[0], .y = x->axis[1], .z = x->axis[2],
        .velocity_x = v->axis[0], .velocity_y = v->axis[1], .velocity_z = v->axis[2],
        .inverse_mass = self->columns->inverse_mass, .uniform_inverse_mass = inverse_mass(self, 0),
        .range_count = self->count,
        .range_x = x->axis[0], .range_y = x->axis[1], .range_z = x->axis[2],
        .range_velocity_x = v->axis[0], .range_velocity_y = v->axis[1], .range_velocity_z = v->axis[2],
    };
    for (int axis = 0; axis < 3; axis++) {
        memset(self->acceleration.axis[axis], 0, self->count * sizeof(float));
        memset(self->force.axis[axis], 0, self->count * sizeof(float));
    }
    for (uint32_t i = 0; i < self->def->force_count; i++) {
        const mote_force_def *force = &self->def->forces[i];
        if (force->kind != MOTE_FORCE_CALLBACK) continue;
        vectors *sum = force->as.callback.unit == MOTE_NEWTONS ? &self->force : &self->acceleration;
        force->as.callback.function(force->as.callback.user, &view, sum->axis[0], sum->axis[1], sum->axis[2]);
    }
}

static bool has_rest(const reference *self) {
    return self->has_attractor || self->has_callback[0] || self->has_callback[1] || self->inbox;
}

/* The accelerations that do not fold, at stage fraction `fraction` of the substep. */
static void evaluate_rest(reference *self, const vectors *x, const vectors *v, double fraction) {
    double substeps = self->def->substeps;
    double time = self->def->time + ((double)self->step + (self->substep + fraction) / substeps) * self->def->timestep;
    call_callbacks(self, x, v, time);
    const float *inbox[3] = {NULL, NULL, NULL};
    if (self->inbox) inbox[0] = self->inbox->x, inbox[1] = self->inbox->y, inbox[2] = self->inbox->z;
    for (uint32_t i = 0; i < self->count; i++) {
        float place[3] = {x->axis[0][i], x->axis[1][i], x->axis[2][i]}, sum[3] = {0, 0, 0};
        for (uint32_t k = 0; k < self->def->force_count; k++)
            if (self->def->forces[k].kind == MOTE_FORCE_ATTRACTOR) add_attractor(&self->def->forces[k], place, sum);
        for (int axis = 0; axis < 3; axis++) {
            float total = sum[axis], newtons = 0;
            if (self->has_callback[MOTE_METRES_PER_SECOND_SQUARED]) total += self->acceleration.axis[axis][i];
            if (self->has_callback[MOTE_NEWTONS]) newtons += self->force.axis[axis][i];
            if (self->inbox) newtons += inbox[axis][i];
            if (self->has_callback[MOTE_NEWTONS] || self->inbox) total = total + inverse_mass(self, i) * newtons;
            self->total.axis[axis][i] = total;
        }
    }
}

/* dv of all forces over the substep. */
static void evaluate(reference *self, const vectors *x, const vectors *v, double fraction, vectors *dv) {
    bool rest = has_rest(self), newtons = affine_present(&self->in_newtons);
    if (rest) evaluate_rest(self, x, v, fraction);
    for (uint32_t i = 0; i < self->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            float place = x->axis[axis][i], speed = v->axis[axis][i];
            float sum = affine_dv(&self->per_mass, axis, self->h, place, speed);
            if (newtons) sum = sum + inverse_mass(self, i) * affine_dv(&self->in_newtons, axis, self->h, place, speed);
            if (rest) sum = sum + (float)self->h * self->total.axis[axis][i];
            dv->axis[axis][i] = sum;
        }
}

/* Runs the loop body for each movable particle and axis; h is the substep as a float. */
#define FOR_EACH_MOVABLE(self)                                                                                         \
    for (uint32_t i = 0; i < (self)->count; i++)                                                                       \
        if (!(self)->fixed[i])                                                                                         \
            for (int axis = 0; axis < 3; axis++)

static void semi_implicit_euler(reference *self) {
    float h = (float)self->h;
    evaluate(self, &self->x, &self->v, 0, &self->dv);
    FOR_EACH_MOVABLE(self) {
        float *x = &self->x.axis[axis][i], *v = &self->v.axis[axis][i];
        *v += self->dv.axis[axis][i];
        *x += h * *v;
    }
}

static void explicit_euler(reference *self) {
    float h = (float)self->h;
    evaluate(self, &self->x, &self->v, 0, &self->dv);
    FOR_EACH_MOVABLE(self) {
        float *x = &self->x.axis[axis][i], *v = &self->v.axis[axis][i];
        *x += h * *v;
        *v += self->dv.axis[axis][i];
    }
}

static void copy_vectors(const reference *self, const vectors *from, vectors *to) {
    for (int axis = 0; axis < 3; axis++) memcpy(to->axis[axis], from->axis[axis], self->count * sizeof(float));
}

static void velocity_verlet(reference *self) {
    float h = (float)self->h;
    evaluate(self, &self->x, &self->v, 0, &self->dv);
    copy_vectors(self, &self->v, &self->stage_v);
    FOR_EACH_MOVABLE(self) {
        float dv = self->dv.axis[axis][i], v = self->v.axis[axis][i];
        self->x.axis[axis][i] += h * (v + 0.5f * dv);
        self->stage_v.axis[axis][i] = v + dv;
    }
    evaluate(self, &self->x, &self->stage_v, 1, &self->dv2);
    FOR_EACH_MOVABLE(self) {
        self->v.axis[axis][i] += 0.5f * (self->dv.axis[axis][i] + self->dv2.axis[axis][i]);
    }
}

static void rk4(reference *self) {
    static const double fraction[4] = {0, 0.5, 0.5, 1};
    static const float next[4] = {0.5f, 0.5f, 1, 0};
    const float weight[4] = {(float)(1.0 / 6), (float)(1.0 / 3), (float)(1.0 / 3), (float)(1.0 / 6)};
    float h = (float)self->h;
    copy_vectors(self, &self->x, &self->stage_x);
    copy_vectors(self, &self->v, &self->stage_v);
    for (int stage = 0; stage < 4; stage++) {
        evaluate(self, &self->stage_x, &self->stage_v, fraction[stage], &self->dv);
        FOR_EACH_MOVABLE(self) {
            float dx = h * self->stage_v.axis[axis][i], dv = self->dv.axis[axis][i];
            float *sum_x = &self->sum_x.axis[axis][i], *sum_v = &self->sum_v.axis[axis][i];
            *sum_x = stage == 0 ? weight[0] * dx : *sum_x + weight[stage] * dx;
            *sum_v = stage == 0 ? weight[0] * dv : *sum_v + weight[stage] * dv;
            self->stage_x.axis[axis][i] = self->x.axis[axis][i] + next[stage] * dx;
            self->stage_v.axis[axis][i] = self->v.axis[axis][i] + next[stage] * dv;
        }
    }
    FOR_EACH_MOVABLE(self) {
        self->x.axis[axis][i] += self->sum_x.axis[axis][i];
        self->v.axis[axis][i] += self->sum_v.axis[axis][i];
    }
}

/* x' = x + (xx x + xv v + xc), v' likewise: what the exact flow adds over h, per axis. */
typedef struct flow_coefficients {
    float xx, xv, xc, vx, vv, vc;
} flow_coefficients;

static flow_coefficients make_flow(const reference *self, int axis, double w, double h) {
    double constant = self->per_mass.constant[axis] + w * self->in_newtons.constant[axis];
    double damping = self->per_mass.damping[axis] + w * self->in_newtons.damping[axis];
    double stiffness = self->per_mass.stiffness[axis] + w * self->in_newtons.stiffness[axis];
    mote_propagator p = mote_propagator_make(damping, stiffness, h);
    return (flow_coefficients){(float)p.xx, (float)p.xv, (float)(constant * p.xc),
                               (float)p.vx, (float)p.vv, (float)(constant * p.vc)};
}

static void flow(reference *self, double h) {
    flow_coefficients same[3];
    bool unequal = affine_present(&self->in_newtons);
    for (int axis = 0; axis < 3; axis++) same[axis] = make_flow(self, axis, 0, h);
    FOR_EACH_MOVABLE(self) {
        flow_coefficients p = unequal ? make_flow(self, axis, inverse_mass(self, i), h) : same[axis];
        float x = self->x.axis[axis][i], v = self->v.axis[axis][i];
        self->x.axis[axis][i] = x + ((p.xx * x + p.xv * v) + p.xc);
        self->v.axis[axis][i] = v + ((p.vx * x + p.vv * v) + p.vc);
    }
}

static void kick(reference *self, double fraction) {
    evaluate_rest(self, &self->x, &self->v, fraction);
    FOR_EACH_MOVABLE(self) {
        self->v.axis[axis][i] += (float)(0.5 * self->h) * self->total.axis[axis][i];
    }
}

static void exact_flow(reference *self) {
    if (has_rest(self)) {
        kick(self, 0);
        flow(self, self->h);
        kick(self, 1);
    } else if (self->substep == 0) {
        flow(self, self->def->timestep);
    }
}

static void take_substep(reference *self) {
    switch (self->def->integrator) {
    case MOTE_SEMI_IMPLICIT_EULER: semi_implicit_euler(self); break;
    case MOTE_EXPLICIT_EULER: explicit_euler(self); break;
    case MOTE_VELOCITY_VERLET: velocity_verlet(self); break;
    case MOTE_RK4: rk4(self); break;
    case MOTE_EXACT_FLOW: exact_flow(self); break;
    default: break;
    }
}

/* Gives the particles that turned non-finite in this step their state at its start, for good. */
static uint32_t contain(reference *self) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        bool finite = true;
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(self->x.axis[axis][i]) || !isfinite(self->v.axis[axis][i])) finite = false;
        if (finite || self->fixed[i]) continue; /* the immovable did not turn so */
        for (int axis = 0; axis < 3; axis++) {
            self->x.axis[axis][i] = self->start_x.axis[axis][i];
            self->v.axis[axis][i] = self->start_v.axis[axis][i];
        }
        self->fixed[i] = true;
        count++;
    }
    return count;
}

static float *allocate_vectors(reference *self, float *memory) {
    vectors *all[] = {&self->stage_x, &self->stage_v, &self->dv,    &self->dv2,          &self->sum_x, &self->sum_v,
                      &self->start_x, &self->start_v, &self->total, &self->acceleration, &self->force};
    size_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int axis = 0; axis < 3; axis++, used += self->count)
            if (memory) all[i]->axis[axis] = memory + used;
    return memory ? memory : calloc(used + 1, sizeof(float));
}

uint32_t reference_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                const mote_vector_columns *inbox) {
    reference self = {.columns = columns, .def = def, .count = columns->count, .h = def->timestep / def->substeps};
    self.x = (vectors){{columns->position.x, columns->position.y, columns->position.z}};
    self.v = (vectors){{columns->velocity.x, columns->velocity.y, columns->velocity.z}};
    float *memory = allocate_vectors(&self, NULL);
    self.fixed = calloc((size_t)columns->count + 1, sizeof(bool));
    if (!memory || !self.fixed) abort();
    allocate_vectors(&self, memory);
    for (uint32_t i = 0; i < columns->count; i++)
        self.fixed[i] = columns->inverse_mass && columns->inverse_mass[i] == 0;
    fold(&self);
    uint32_t frozen = 0;
    for (self.step = 0; self.step < def->steps; self.step++) {
        self.inbox = self.step == 0 ? inbox : NULL;
        copy_vectors(&self, &self.x, &self.start_x);
        copy_vectors(&self, &self.v, &self.start_v);
        for (self.substep = 0; self.substep < def->substeps; self.substep++) take_substep(&self);
        frozen += contain(&self);
    }
    free(self.fixed);
    free(memory);
    return frozen;
}

static void double_rk4(reference_acceleration *acceleration, const void *context, double time, double h,
                       reference_body *body) {
    static const double fraction[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    reference_body stage = *body, sum = {{0}, {0}};
    for (int i = 0; i < 4; i++) {
        double a[3];
        acceleration(context, time + fraction[i] * h, stage.position, stage.velocity, a);
        for (int axis = 0; axis < 3; axis++) {
            double v = stage.velocity[axis], next = i < 3 ? fraction[i + 1] * h : 0;
            sum.position[axis] += weight[i] * v;
            sum.velocity[axis] += weight[i] * a[axis];
            stage.position[axis] = body->position[axis] + next * v;
            stage.velocity[axis] = body->velocity[axis] + next * a[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        body->position[axis] += h / 6 * sum.position[axis];
        body->velocity[axis] += h / 6 * sum.velocity[axis];
    }
}

static void double_verlet(reference_acceleration *acceleration, const void *context, double time, double h,
                          reference_body *body) {
    double a[3], b[3], predicted[3];
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) {
        body->position[axis] += h * (body->velocity[axis] + h * a[axis] / 2);
        predicted[axis] = body->velocity[axis] + h * a[axis];
    }
    acceleration(context, time + h, body->position, predicted, b);
    for (int axis = 0; axis < 3; axis++) body->velocity[axis] += h * (a[axis] + b[axis]) / 2;
}

static void double_euler(reference_acceleration *acceleration, const void *context, double time, double h,
                         bool velocity_first, reference_body *body) {
    double a[3];
    acceleration(context, time, body->position, body->velocity, a);
    for (int axis = 0; axis < 3; axis++) {
        double old = body->velocity[axis];
        body->velocity[axis] += h * a[axis];
        body->position[axis] += h * (velocity_first ? body->velocity[axis] : old);
    }
}

void reference_double_step(mote_integrator integrator, reference_acceleration *acceleration, const void *context,
                           double time, double h, reference_body *body) {
    switch (integrator) {
    case MOTE_SEMI_IMPLICIT_EULER: double_euler(acceleration, context, time, h, true, body); break;
    case MOTE_EXPLICIT_EULER: double_euler(acceleration, context, time, h, false, body); break;
    case MOTE_VELOCITY_VERLET: double_verlet(acceleration, context, time, h, body); break;
    case MOTE_RK4: double_rk4(acceleration, context, time, h, body); break;
    default: abort();
    }
}

typedef struct matrix {
    long double at[3][3];
} matrix;

static matrix multiply(const matrix *a, const matrix *b) {
    matrix c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

/* (1 + d)^2 = 1 + (2 d + d^2): squaring the exponential minus one keeps small coefficients. */
void reference_flow(long double constant, long double damping, long double stiffness, long double h, double state[2]) {
    int halvings = 0;
    long double size = fabsl(h) * (1 + fabsl(damping) + fabsl(stiffness) + fabsl(constant));
    while (size > 0.125L) size /= 2, h /= 2, halvings++;
    matrix generator = {{{0, h, 0}, {stiffness * h, damping * h, constant * h}, {0, 0, 0}}}, term = generator,
           delta = generator;
    for (int order = 2; order < 20; order++) {
        term = multiply(&term, &generator);
        for (int i = 0; i < 9; i++) term.at[i / 3][i % 3] /= order, delta.at[i / 3][i % 3] += term.at[i / 3][i % 3];
    }
    for (; halvings > 0; halvings--) {
        matrix square = multiply(&delta, &delta);
        for (int i = 0; i < 9; i++) delta.at[i / 3][i % 3] = 2 * delta.at[i / 3][i % 3] + square.at[i / 3][i % 3];
    }
    long double x = state[0], v = state[1];
    state[0] = (double)(x + (delta.at[0][0] * x + delta.at[0][1] * v + delta.at[0][2]));
    state[1] = (double)(v + (delta.at[1][0] * x + delta.at[1][1] * v + delta.at[1][2]));
}
