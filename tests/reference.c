/* The plain float reference of the step. It follows the arithmetic that the engine promises, one operation at
 * a time over whole arrays; only the affine maps in double are taken from the engine, whose propagator is
 * tested by itself against reference_flow. The inline forces stand in reference_forces.c. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrators/scheme.h"

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
    const mote_vector_columns *external_forces; /* of the present step, or NULL */
    uint32_t count;
    vectors x, v;             /* the state, in the caller's arrays */
    vectors stage_x, stage_v; /* the state at which forces are evaluated, where it is not the state */
    vectors dv, dv2, sum_x, sum_v, start_x, start_v, total, acceleration, force;
    bool *fixed;                 /* immovable, or frozen in an earlier step */
    affine per_mass, in_newtons; /* accelerations; forces, all zero where the mass is uniform */
    bool has_inline, has_callback, has_newtons; /* has_newtons: of what is not folded */
    double h;
    uint32_t step, substep;
} reference;

static bool affine_any(const double value[3]) { return value[0] != 0 || value[1] != 0 || value[2] != 0; }

static bool affine_present(const affine *set) {
    return affine_any(set->constant) || affine_any(set->damping) || affine_any(set->stiffness);
}

static void fold_force(const mote_force_def *force, affine *per_mass, affine *newtons) {
    for (int axis = 0; axis < 3; axis++) switch (force->kind) {
        case MOTE_FORCE_GRAVITY:
            per_mass->constant[axis] += force->as.gravity.acceleration[axis];
            break;
        case MOTE_FORCE_THRUST:
            newtons->constant[axis] += force->as.thrust.force[axis];
            break;
        case MOTE_FORCE_WIND:
            newtons->constant[axis] += (double)force->drag * (double)force->as.wind.velocity[axis];
            newtons->damping[axis] -= force->drag;
            break;
        case MOTE_FORCE_ANCHOR_SPRING:
            newtons->constant[axis] +=
                (double)force->as.anchor_spring.stiffness * (double)force->as.anchor_spring.anchor[axis];
            newtons->stiffness[axis] -= force->as.anchor_spring.stiffness;
            newtons->damping[axis] -= force->as.anchor_spring.damping;
            break;
        default:
            break;
        }
}

static bool folds(const mote_force_def *force) {
    return force->kind != MOTE_FORCE_CALLBACK && !reference_is_inline(force);
}

static void divide_by_mass(affine *per_mass, const affine *newtons, double w) {
    for (int axis = 0; axis < 3; axis++) {
        per_mass->constant[axis] += newtons->constant[axis] * w;
        per_mass->damping[axis] += newtons->damping[axis] * w;
        per_mass->stiffness[axis] += newtons->stiffness[axis] * w;
    }
}

static void fold(reference *self) {
    for (uint32_t i = 0; i < self->def->force_count; i++) {
        const mote_force_def *force = &self->def->forces[i];
        if (folds(force)) {
            fold_force(force, &self->per_mass, &self->in_newtons);
            continue;
        }
        if (force->kind == MOTE_FORCE_CALLBACK)
            self->has_callback = true;
        else
            self->has_inline = true;
        if (reference_gives_newtons(force)) self->has_newtons = true;
    }
    if (self->columns->inverse_mass) return;
    divide_by_mass(&self->per_mass, &self->in_newtons, 1.0 / (double)self->columns->uniform_mass);
    self->in_newtons = (affine){{0}, {0}, {0}};
}

static float inverse_mass(const reference *self, uint32_t i) {
    return self->columns->inverse_mass ? self->columns->inverse_mass[i]
                                       : (float)(1.0 / self->columns->uniform_mass);
}

/* What one set adds to the velocity over `weight` seconds. */
static float affine_dv(const affine *set, int axis, double weight, float x, float v) {
    float dv = (float)(set->constant[axis] * weight) + (float)(set->damping[axis] * weight) * v;
    if (affine_any(set->stiffness)) dv = dv + (float)(set->stiffness[axis] * weight) * x;
    return dv;
}

static void call_callbacks(reference *self, const vectors *x, const vectors *v, double time) {
    mote_stage_view view = {
        .time = time,
        .first = 0,
        .count = self->count,
        .x = x->axis[0],
        .y = x->axis[1],
        .z = x->axis[2],
        .velocity_x = v->axis[0],
        .velocity_y = v->axis[1],
        .velocity_z = v->axis[2],
        .inverse_mass = self->columns->inverse_mass,
        .uniform_inverse_mass = inverse_mass(self, 0),
        .range_count = self->count,
        .range_x = x->axis[0],
        .range_y = x->axis[1],
        .range_z = x->axis[2],
        .range_velocity_x = v->axis[0],
        .range_velocity_y = v->axis[1],
        .range_velocity_z = v->axis[2],
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
    return self->has_inline || self->has_callback || self->external_forces;
}

/* The inline forces on particle i, by unit. */
static void add_inline(const reference *self, const vectors *x, const vectors *v, double time, uint32_t i,
                       float acceleration[3], float newtons[3]) {
    const mote_vector_columns *anchors = &self->columns->anchor;
    float place[3], speed[3], anchor[3] = {0, 0, 0}, value[3];
    for (int axis = 0; axis < 3; axis++) place[axis] = x->axis[axis][i], speed[axis] = v->axis[axis][i];
    if (anchors->x) anchor[0] = anchors->x[i], anchor[1] = anchors->y[i], anchor[2] = anchors->z[i];
    for (uint32_t k = 0; k < self->def->force_count; k++) {
        const mote_force_def *force = &self->def->forces[k];
        if (!reference_is_inline(force)) continue;
        reference_force(force, time, place, speed, anchor, value);
        float *sum = reference_gives_newtons(force) ? newtons : acceleration;
        for (int axis = 0; axis < 3; axis++) sum[axis] += value[axis];
    }
}

/* The accelerations that do not fold, at stage fraction `fraction` of the substep. */
static void evaluate_rest(reference *self, const vectors *x, const vectors *v, double fraction) {
    double substeps = self->def->substeps;
    double time =
        self->def->time + ((double)self->step + (self->substep + fraction) / substeps) * self->def->timestep;
    if (self->has_callback) call_callbacks(self, x, v, time);
    const float *external_forces[3] = {NULL, NULL, NULL};
    if (self->external_forces)
        external_forces[0] = self->external_forces->x, external_forces[1] = self->external_forces->y,
        external_forces[2] = self->external_forces->z;
    for (uint32_t i = 0; i < self->count; i++) {
        float total[3] = {0, 0, 0}, newtons[3] = {0, 0, 0};
        add_inline(self, x, v, time, i, total, newtons);
        for (int axis = 0; axis < 3; axis++) {
            if (self->has_callback) total[axis] += self->acceleration.axis[axis][i];
            if (self->has_callback) newtons[axis] += self->force.axis[axis][i];
            if (self->external_forces) newtons[axis] += external_forces[axis][i];
            if (self->has_newtons || self->external_forces)
                total[axis] += inverse_mass(self, i) * newtons[axis];
            self->total.axis[axis][i] = total[axis];
        }
    }
}

/* dv of all forces over `weight` seconds. */
static void evaluate(reference *self, const vectors *x, const vectors *v, double fraction, double weight,
                     vectors *dv) {
    bool rest = has_rest(self), newtons = affine_present(&self->in_newtons);
    if (rest) evaluate_rest(self, x, v, fraction);
    for (uint32_t i = 0; i < self->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            float place = x->axis[axis][i], speed = v->axis[axis][i];
            float sum = affine_dv(&self->per_mass, axis, weight, place, speed);
            if (newtons)
                sum = sum + inverse_mass(self, i) * affine_dv(&self->in_newtons, axis, weight, place, speed);
            if (rest) sum = sum + (float)weight * self->total.axis[axis][i];
            dv->axis[axis][i] = sum;
        }
}

/* Runs the loop body for each movable particle and axis. */
#define FOR_EACH_MOVABLE(self)                                                                               \
    for (uint32_t i = 0; i < (self)->count; i++)                                                             \
        if (!(self)->fixed[i])                                                                               \
            for (int axis = 0; axis < 3; axis++)

static void drift(reference *self, double seconds) {
    FOR_EACH_MOVABLE(self) self->x.axis[axis][i] += (float)seconds * self->v.axis[axis][i];
}

static void kick(reference *self, double fraction, double seconds) {
    evaluate(self, &self->x, &self->v, fraction, seconds, &self->dv);
    FOR_EACH_MOVABLE(self) self->v.axis[axis][i] += self->dv.axis[axis][i];
}

static void semi_implicit_euler(reference *self) {
    kick(self, 0, self->h);
    drift(self, self->h);
}

/* Three leapfrogs, drift first; drifts that meet are one. w1 = 1 / (2 - 2^(1/3)). */
static void yoshida4(reference *self) {
    const double w1 = 1.3512071919596578, w0 = 1 - 2 * w1, h = self->h;
    drift(self, w1 / 2 * h);
    kick(self, w1 / 2, w1 * h);
    drift(self, (w0 + w1) / 2 * h);
    kick(self, 0.5, w0 * h);
    drift(self, (w0 + w1) / 2 * h);
    kick(self, 1 - w1 / 2, w1 * h);
    drift(self, w1 / 2 * h);
}

/* Omelyan, Mryglod and Folk (2002), equation (20) with the parameters of (22). */
static void pefrl(reference *self) {
    const double xi = 0.1786178958448091, lambda = -0.2123418310626054, chi = -0.06626458266981849,
                 h = self->h;
    drift(self, xi * h);
    kick(self, xi, (0.5 - lambda) * h);
    drift(self, chi * h);
    kick(self, xi + chi, lambda * h);
    drift(self, (1 - 2 * (chi + xi)) * h);
    kick(self, 1 - xi - chi, lambda * h);
    drift(self, chi * h);
    kick(self, 1 - xi, (0.5 - lambda) * h);
    drift(self, xi * h);
}

static void copy_vectors(const reference *self, const vectors *from, vectors *to) {
    for (int axis = 0; axis < 3; axis++)
        memcpy(to->axis[axis], from->axis[axis], self->count * sizeof(float));
}

static void velocity_verlet(reference *self) {
    float h = (float)self->h;
    evaluate(self, &self->x, &self->v, 0, self->h, &self->dv);
    copy_vectors(self, &self->v, &self->stage_v);
    FOR_EACH_MOVABLE(self) {
        float dv = self->dv.axis[axis][i], v = self->v.axis[axis][i];
        self->x.axis[axis][i] += h * (v + 0.5f * dv);
        self->stage_v.axis[axis][i] = v + dv;
    }
    evaluate(self, &self->x, &self->stage_v, 1, self->h, &self->dv2);
    FOR_EACH_MOVABLE(self) {
        self->v.axis[axis][i] += 0.5f * (self->dv.axis[axis][i] + self->dv2.axis[axis][i]);
    }
}

/* An explicit method whose stage i + 1 starts from stage i alone. */
typedef struct tableau {
    int stages;
    double time[4], next[4], weight[4];
} tableau;

static const tableau euler_tableau = {1, {0}, {0}, {1}}, midpoint_tableau = {2, {0, 0.5}, {0.5, 0}, {0, 1}},
                     rk4_tableau = {
                         4, {0, 0.5, 0.5, 1}, {0.5, 0.5, 1, 0}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

static void add_stage(float *sum, int stage, float weight, float increment) {
    *sum = stage == 0 ? weight * increment : *sum + weight * increment;
}

static void runge_kutta(reference *self, const tableau *t) {
    copy_vectors(self, &self->x, &self->stage_x);
    copy_vectors(self, &self->v, &self->stage_v);
    for (int stage = 0; stage < t->stages; stage++) {
        float weight = (float)t->weight[stage], next = (float)t->next[stage];
        evaluate(self, &self->stage_x, &self->stage_v, t->time[stage], self->h, &self->dv);
        FOR_EACH_MOVABLE(self) {
            float dx = (float)self->h * self->stage_v.axis[axis][i], dv = self->dv.axis[axis][i];
            add_stage(&self->sum_x.axis[axis][i], stage, weight, dx);
            add_stage(&self->sum_v.axis[axis][i], stage, weight, dv);
            self->stage_x.axis[axis][i] = self->x.axis[axis][i] + next * dx;
            self->stage_v.axis[axis][i] = self->v.axis[axis][i] + next * dv;
        }
    }
    FOR_EACH_MOVABLE(self) {
        self->x.axis[axis][i] += self->sum_x.axis[axis][i];
        self->v.axis[axis][i] += self->sum_v.axis[axis][i];
    }
}

/* x' = u(x, t); the velocity becomes the mean of u over the substep. */
static void advect(reference *self, const tableau *t) {
    float h = (float)self->h;
    copy_vectors(self, &self->x, &self->stage_x);
    for (int stage = 0; stage < t->stages; stage++) {
        float weight = (float)t->weight[stage], next = (float)t->next[stage];
        evaluate_rest(self, &self->stage_x, &self->v, t->time[stage]);
        FOR_EACH_MOVABLE(self) {
            float dx = h * self->total.axis[axis][i];
            add_stage(&self->sum_x.axis[axis][i], stage, weight, dx);
            self->stage_x.axis[axis][i] = self->x.axis[axis][i] + next * dx;
        }
    }
    FOR_EACH_MOVABLE(self) {
        self->x.axis[axis][i] += self->sum_x.axis[axis][i];
        self->v.axis[axis][i] = self->sum_x.axis[axis][i] / h;
    }
}

/* The map of one axis over h, as floats: of all affine forces together, or of each alone and then summed. */
static mote_map make_map(const reference *self, mote_map_kind kind, int axis, double w, double h) {
    if (kind == MOTE_MAP_EXACT_FLOW || kind == MOTE_MAP_IMPLICIT_EULER) {
        affine all = self->per_mass;
        divide_by_mass(&all, &self->in_newtons, w);
        mote_exact_map joint =
            mote_map_make(kind, all.constant[axis], all.damping[axis], all.stiffness[axis], h);
        return mote_map_round(&joint);
    }
    mote_exact_map sum = {0, h, 0, 0, 0, 0};
    for (uint32_t i = 0; i < self->def->force_count; i++) {
        if (!folds(&self->def->forces[i])) continue;
        affine one = {{0}, {0}, {0}}, newtons = {{0}, {0}, {0}};
        fold_force(&self->def->forces[i], &one, &newtons);
        divide_by_mass(&one, &newtons, w);
        mote_exact_map m = mote_map_make(kind, one.constant[axis], one.damping[axis], one.stiffness[axis], h);
        sum.xx += m.xx, sum.xv += m.xv - h, sum.xc += m.xc;
        sum.vx += m.vx, sum.vv += m.vv, sum.vc += m.vc;
    }
    return mote_map_round(&sum);
}

/* x' = x + (xx x + xv v + xc), v' likewise. */
static void apply_map(reference *self, mote_map_kind kind, double h) {
    bool unequal = affine_present(&self->in_newtons);
    double uniform = self->columns->inverse_mass ? 0 : 1.0 / (double)self->columns->uniform_mass;
    mote_map same[3];
    for (int axis = 0; axis < 3; axis++) same[axis] = make_map(self, kind, axis, uniform, h);
    FOR_EACH_MOVABLE(self) {
        mote_map m = unequal ? make_map(self, kind, axis, (double)inverse_mass(self, i), h) : same[axis];
        float x = self->x.axis[axis][i], v = self->v.axis[axis][i];
        self->x.axis[axis][i] = x + ((m.xx * x + m.xv * v) + m.xc);
        self->v.axis[axis][i] = v + ((m.vx * x + m.vv * v) + m.vc);
    }
}

/* Only the forces that do not fold. */
static void kick_rest(reference *self, double fraction, double seconds) {
    evaluate_rest(self, &self->x, &self->v, fraction);
    FOR_EACH_MOVABLE(self) self->v.axis[axis][i] += (float)seconds * self->total.axis[axis][i];
}

static void exact_flow(reference *self) {
    if (has_rest(self)) {
        kick_rest(self, 0, 0.5 * self->h);
        apply_map(self, MOTE_MAP_EXACT_FLOW, self->h);
        kick_rest(self, 1, 0.5 * self->h);
    } else if (self->substep == 0) {
        apply_map(self, MOTE_MAP_EXACT_FLOW, self->def->timestep);
    }
}

static void implicit_euler(reference *self) {
    if (has_rest(self)) kick_rest(self, 0, self->h);
    apply_map(self, MOTE_MAP_IMPLICIT_EULER, self->h);
}

/* What has no closed form acts at the old state, with dx = push h dv. */
static void kinematic(reference *self, mote_map_kind kind, double push) {
    float h = (float)self->h;
    if (has_rest(self)) evaluate_rest(self, &self->x, &self->v, 0);
    apply_map(self, kind, self->h);
    if (!has_rest(self)) return;
    FOR_EACH_MOVABLE(self) {
        float dv = h * self->total.axis[axis][i];
        self->x.axis[axis][i] += (float)(push * self->h) * dv;
        self->v.axis[axis][i] += dv;
    }
}

static void take_substep(reference *self) {
    switch (self->def->integrator) {
    case MOTE_POSITION_VERLET: /* the velocity is that of half a substep before */
    case MOTE_SEMI_IMPLICIT_EULER:
        semi_implicit_euler(self);
        break;
    case MOTE_EXPLICIT_EULER:
        runge_kutta(self, &euler_tableau);
        break;
    case MOTE_MIDPOINT:
        runge_kutta(self, &midpoint_tableau);
        break;
    case MOTE_RK4:
        runge_kutta(self, &rk4_tableau);
        break;
    case MOTE_VELOCITY_VERLET:
        velocity_verlet(self);
        break;
    case MOTE_YOSHIDA4:
        yoshida4(self);
        break;
    case MOTE_PEFRL:
        pefrl(self);
        break;
    case MOTE_IMPLICIT_EULER:
        implicit_euler(self);
        break;
    case MOTE_KINEMATIC:
        kinematic(self, MOTE_MAP_KINEMATIC, 1);
        break;
    case MOTE_KINEMATIC_AVERAGE:
        kinematic(self, MOTE_MAP_KINEMATIC_AVERAGE, 0.5);
        break;
    case MOTE_EXACT_FLOW:
        exact_flow(self);
        break;
    case MOTE_ADVECT_EULER:
        advect(self, &euler_tableau);
        break;
    case MOTE_ADVECT_MIDPOINT:
        advect(self, &midpoint_tableau);
        break;
    case MOTE_ADVECT_RK4:
        advect(self, &rk4_tableau);
        break;
    default:
        abort();
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
    vectors *all[] = {&self->stage_x, &self->stage_v,      &self->dv,      &self->dv2,
                      &self->sum_x,   &self->sum_v,        &self->start_x, &self->start_v,
                      &self->total,   &self->acceleration, &self->force};
    size_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int axis = 0; axis < 3; axis++, used += self->count)
            if (memory) all[i]->axis[axis] = memory + used;
    return memory ? memory : calloc(used + 1, sizeof(float));
}

/* Returns the memory to be freed; self->fixed too. */
static float *begin(reference *self, const mote_columns *columns, const mote_columns_def *def) {
    *self = (reference){
        .columns = columns, .def = def, .count = columns->count, .h = def->timestep / def->substeps};
    self->x = (vectors){{columns->position.x, columns->position.y, columns->position.z}};
    self->v = (vectors){{columns->velocity.x, columns->velocity.y, columns->velocity.z}};
    float *memory = allocate_vectors(self, NULL);
    self->fixed = calloc((size_t)columns->count + 1, sizeof(bool));
    if (!memory || !self->fixed) abort();
    allocate_vectors(self, memory);
    for (uint32_t i = 0; i < columns->count; i++)
        self->fixed[i] = columns->inverse_mass && columns->inverse_mass[i] == 0;
    fold(self);
    copy_vectors(self, &self->x, &self->start_x);
    copy_vectors(self, &self->v, &self->start_v);
    return memory;
}

uint32_t reference_columns_step(const mote_columns *columns, const mote_columns_def *def,
                                const mote_vector_columns *external_forces) {
    reference self;
    float *memory = begin(&self, columns, def);
    uint32_t frozen = 0;
    for (self.step = 0; self.step < def->steps; self.step++) {
        self.external_forces = self.step == 0 ? external_forces : NULL;
        copy_vectors(&self, &self.x, &self.start_x);
        copy_vectors(&self, &self.v, &self.start_v);
        for (self.substep = 0; self.substep < def->substeps; self.substep++) take_substep(&self);
        frozen += contain(&self);
    }
    free(self.fixed);
    free(memory);
    return frozen;
}

/* What turns non-finite keeps its state: its first step finds it. */
void reference_columns_kick(const mote_columns *columns, const mote_columns_def *def, double fraction) {
    reference self;
    float *memory = begin(&self, columns, def);
    kick(&self, 0, fraction * def->timestep / def->substeps);
    contain(&self);
    free(self.fixed);
    free(memory);
}
