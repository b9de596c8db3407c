/* Particles that turn have the bits of a plain reference, on every instruction set, in any loop order, on any
 * workers, in any frames, with births, deaths and restored snapshots. */
#include <stdio.h>
#include <stdlib.h>

#include "orientation_scene.h"

enum { COUNT = 700 };

typedef struct options {
    bool moments, column, torque, drag;
    uint32_t substeps;
} options;

/* All of the options: bits of a number. */
static options options_of(uint32_t number) {
    return (options){number & 1, number & 2, number & 4, number & 8, number & 16 ? 3 : 1};
}

static mote_system_def def_of(const options *o) {
    mote_system_def def = turning_def(COUNT);
    def.principal_moments = o->moments, def.inertia_column = o->column, def.substeps = o->substeps;
    def.interpolation = MOTE_INTERPOLATE_LINEAR;
    def.inertia[0] = 0.7f, def.inertia[1] = 1.3f, def.inertia[2] = 1.9f, def.spin_drag = o->drag ? 0.3f : 0;
    return def;
}

/* --- The reference: one body, in arrays; axis 0, 1, 2 and the real part 3 --- */

typedef struct plain {
    float q[4], w[3], inertia[3], torque[3];
} plain;

/* Sine of half an angle over a quarter of it, and the cosine of half of it less 1. */
static void plain_half(float square, float *sine, float *less) {
    const float z = square;
    const float p = 945 + z * (z - 105), d = 945 + z * (15 * z - 420);
    const float inverse = 2 / (d * d + z * p * p);
    *sine = p * d * inverse;
    *less = -(z * p * p) * inverse;
}

static void plain_cross(const float a[3], const float b[3], float to[3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static float plain_dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The rotation about axis i of the body by the angle of 4 quarters; l: angular momentum. */
static void plain_axis(plain *b, float l[3], int i, float rate) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const float quarter = rate * l[i], lj = l[j], lk = l[k];
    const float was[4] = {b->q[0], b->q[1], b->q[2], b->q[3]};
    const float t = quarter + quarter * (quarter * quarter * (1.0f / 3)), s = 2 * t / (1 + t * t);
    const float less = -t * s, sine = 2 * s + 2 * s * less, versed = -2 * s * s;
    l[j] = lj + (versed * lj + sine * lk);
    l[k] = lk + (versed * lk - sine * lj);
    b->q[i] = was[i] + (less * was[i] + s * was[3]);
    b->q[j] = was[j] + (less * was[j] + s * was[k]);
    b->q[k] = was[k] + (less * was[k] - s * was[j]);
    b->q[3] = was[3] + (less * was[3] - s * was[i]);
}

static void plain_turn(plain *b, const float w[3], float h) {
    float quarter[3], u[3], across[3], sine, less;
    const float q[4] = {b->q[0], b->q[1], b->q[2], b->q[3]};
    for (int i = 0; i < 3; i++) quarter[i] = 0.25f * h * w[i];
    plain_half(fminf(plain_dot(quarter, quarter), 1024), &sine, &less);
    for (int i = 0; i < 3; i++) u[i] = sine * quarter[i];
    plain_cross(q, u, across);
    for (int i = 0; i < 3; i++) b->q[i] = q[i] + (q[3] * u[i] + less * q[i] + across[i]);
    b->q[3] = q[3] + (less * q[3] - plain_dot(q, u));
}

/* The torque of the world in the axes of the body. */
static void plain_torque(const plain *b, float to[3]) {
    float once[3], twice[3];
    const float factor = 2 / (plain_dot(b->q, b->q) + b->q[3] * b->q[3]);
    plain_cross(b->q, b->torque, once);
    plain_cross(b->q, once, twice);
    for (int i = 0; i < 3; i++) to[i] = b->torque[i] + factor * (twice[i] - b->q[3] * once[i]);
}

static float plain_loss(float b) {
    if (!(b < 0x1p20f)) b = 0x1p20f;
    const float p = b * (1 + b * (0.5f + b * ((1.0f / 6) + b * (1.0f / 24))));
    return p / (1 + p);
}

/* Half a substep; s: angular momentum or, with scalar inertia, angular velocity. */
static void plain_kick(const plain *b, const options *o, float h, float s[3]) {
    float torque[3];
    plain_torque(b, torque);
    for (int i = 0; i < 3 && o->torque; i++)
        s[i] += o->moments ? 0.5f * h * torque[i] : 1 / b->inertia[0] * (0.5f * h * torque[i]);
}

static void plain_brake(const plain *b, const options *o, float h, float s[3]) {
    for (int i = 0; i < 3 && o->drag; i++)
        s[i] -= plain_loss(0.5f * h * 0.3f / b->inertia[o->moments ? i : 0]) * s[i];
}

static void plain_step(plain *b, const options *o) {
    const float h = (float)(1.0 / 60 / o->substeps);
    float from[3], s[3];
    for (int i = 0; i < 3; i++) from[i] = s[i] = o->moments ? b->inertia[i] * b->w[i] : b->w[i];
    for (uint32_t substep = 0; substep < o->substeps; substep++) {
        plain_kick(b, o, h, s);
        plain_brake(b, o, h, s);
        if (o->moments) {
            static const int order[] = {0, 1, 2, 1, 0}; /* from the axis of the least moment on */
            int least = b->inertia[1] < b->inertia[0];
            if (b->inertia[2] < b->inertia[least]) least = 2;
            for (int k = 0; k < 5; k++) {
                const int axis = (least + order[k]) % 3;
                plain_axis(b, s, axis, (k == 2 ? 0.25f : 0.125f) * h / b->inertia[axis]);
            }
        } else {
            plain_turn(b, s, h);
        }
        plain_brake(b, o, h, s);
        plain_kick(b, o, h, s);
    }
    for (int i = 0; i < 3; i++) {
        const float gain = s[i] - from[i], high = (float)(1 / (double)b->inertia[i]);
        const float low = (float)(1 / (double)b->inertia[i] - (double)high);
        b->w[i] =
            !o->moments ? s[i] : b->w[i] + (o->column ? gain / b->inertia[i] : gain * high + gain * low);
    }
    const float square = plain_dot(b->q, b->q) + b->q[3] * b->q[3];
    const bool near = square - 1 < 0x1p-10f && square - 1 > -0x1p-10f;
    const float more = -0.5f * (square - 1), inverse = 1 / sqrtf(square);
    for (int i = 0; i < 4; i++) b->q[i] = near ? b->q[i] + more * b->q[i] : inverse * b->q[i];
}

/* --- Comparison --- */

static float *column_of(const mote_range_view *view, int i) {
    float *const of[10] = {view->orientation.x,      view->orientation.y,      view->orientation.z,
                           view->orientation.w,      view->angular_velocity.x, view->angular_velocity.y,
                           view->angular_velocity.z, view->inertia.x,          view->inertia.y,
                           view->inertia.z};
    return of[i];
}

static void fill(const mote_range_view *view, random_source *random) {
    for (uint32_t slot = 0; slot < view->count; slot++) {
        for (int i = 0; i < 10; i++)
            if (column_of(view, i))
                column_of(view, i)[slot] = i < 4   ? random_between(random, -2, 2)
                                           : i < 7 ? random_between(random, -60, 60)
                                                   : random_between(random, 0.1f, 3);
        if (slot % 5 == 0) spin(view, slot, 0, 0, 0);
        if (slot % 97 == 3) view->angular_velocity.y[slot] = 5e4f;
    }
}

/* Spheres, of which the host pushes some. */
static void push(mote_system *system, uint32_t step, plain *bodies) {
    mote_vector_columns torque;
    OK(mote_system_external_torques(system, &torque));
    for (uint32_t slot = 0; slot < COUNT; slot++) {
        const float of[3] = {(float)(slot % 7) - 3, 0.1f * (float)step, (float)(slot % 3)};
        torque.x[slot] += of[0], torque.y[slot] += of[1], torque.z[slot] += of[2];
        if (bodies) memcpy(bodies[slot].torque, of, sizeof of);
    }
}

static const char *name_of(uint32_t number) {
    static char name[64];
    const options o = options_of(number);
    snprintf(name, sizeof name, "%s%s%s%s%u", o.moments ? "moments " : "", o.column ? "column " : "",
             o.torque ? "torque " : "", o.drag ? "drag " : "", o.substeps);
    return name;
}

TEST_EACH(turning_has_the_bits_of_the_reference, 32, name_of, number) {
    const options o = options_of(number);
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
        mote_system_def def = def_of(&o);
        def.isa = (mote_isa)isa;
        if (!mote_isa_available(def.isa)) continue;
        mote_system *system = system_of(&def);
        const mote_range_view view = spawned(system, COUNT);
        random_source random = {number};
        static plain bodies[COUNT];
        fill(&view, &random);
        memset(bodies, 0, sizeof bodies);
        for (uint32_t slot = 0; slot < COUNT; slot++)
            for (int i = 0; i < 10; i++) {
                float *to = i < 4   ? &bodies[slot].q[i]
                            : i < 7 ? &bodies[slot].w[i - 4]
                                    : &bodies[slot].inertia[i - 7];
                *to = column_of(&view, i) ? column_of(&view, i)[slot] : def.inertia[i - 7];
            }
        for (uint32_t step = 0; step < 5; step++) {
            if (o.torque) push(system, step, bodies);
            stepped(system, 1);
            for (uint32_t slot = 0; slot < COUNT; slot++) {
                const plain *b = &bodies[slot];
                plain_step(&bodies[slot], &o);
                const float want[7] = {b->q[0], b->q[1], b->q[2], b->q[3], b->w[0], b->w[1], b->w[2]};
                test_case("instruction set %d, step %u, slot %u", isa, step, slot);
                for (int i = 0; i < 7; i++) ASSERT(column_of(&view, i)[slot], ==, want[i]);
            }
        }
        mote_system_destroy(system);
    }
}

/* --- Order, workers, frames, snapshots --- */

typedef struct variation {
    mote_isa isa;
    mote_loop_order order;
    mote_jobs jobs;
    uint32_t frame, restore; /* steps of a frame; step after which another system goes on, 0: none */
} variation;

static mote_system *make(const options *o, const variation *v) {
    mote_system_def def = def_of(o);
    def.isa = v->isa, def.loop_order = v->order, def.jobs = v->jobs, def.lifetimes = true;
    def.capacity = COUNT + 100;
    mote_system *system = system_of(&def);
    add_force(system, mote_gravity((float[3]){0, -9.81f, 0}));
    return system;
}

static mote_system *restored(mote_system *system, const options *o, const variation *v) {
    size_t bytes;
    mote_system *other = make(o, v);
    OK(mote_system_snapshot_bytes(system, &bytes));
    void *memory = malloc(bytes);
    assert_non_null(memory);
    OK(mote_system_save(system, 0, memory, bytes, NULL));
    OK(mote_system_restore(other, memory, bytes, NULL));
    ASSERT(mote_system_hash(other), ==, mote_system_hash(system));
    free(memory);
    mote_system_destroy(system);
    return other;
}

/* Particles die and are born, so that others move to their slots; some turn non-finite. */
static uint64_t run(const options *o, const variation *v) {
    mote_system *system = make(o, v);
    mote_range_view view = spawned(system, COUNT);
    random_source random = {4};
    uint32_t non_finite = 0;
    fill(&view, &random);
    for (uint32_t slot = 0; slot < COUNT; slot++) {
        view.lifetime[slot] = slot % 3 ? 100 : 0.01f * (float)(slot % 60);
        view.velocity.x[slot] = (float)slot;
        if (slot % 211 == 7) view.orientation.z[slot] = NAN;
    }
    for (uint32_t step = 0; step < 24; step += 6) {
        OK(mote_system_spawn(system, 20, &view));
        fill(&view, &random);
        for (uint32_t i = 0; i < 20; i++) view.lifetime[i] = 0.1f;
        if (o->torque) {
            mote_vector_columns torque;
            OK(mote_system_external_torques(system, &torque));
            for (uint32_t slot = 0; slot < mote_system_count(system); slot++) torque.x[slot] = (float)slot;
        }
        if (v->restore == step + 1) system = restored(system, o, v);
        for (uint32_t done = 0; done < 6; done += v->frame)
            non_finite += stepped(system, v->frame).non_finite;
    }
    ASSERT(non_finite, ==, 4u);
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

TEST_EACH(turning_does_not_depend_on_order_workers_frames_or_snapshots, 8, name_of, number) {
    const options o = options_of(number * 4 | 1);
    uint32_t workers = 3;
    const variation base = {.frame = 6};
    const uint64_t want = run(&o, &base);
    for (uint32_t i = 0; i < 12; i++) {
        const variation v = {.isa = i % 3 ? MOTE_ISA_AUTO : MOTE_ISA_SCALAR,
                             .order = i % 2 ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO,
                             .jobs = i % 4 > 1 ? dividing(pthread_jobs_hook(&workers)) : (mote_jobs){0},
                             .frame = 1 + i % 3,
                             .restore = i > 5 ? 7 : 0};
        test_case("variation %u", i);
        ASSERT(run(&o, &v), ==, want);
    }
}
