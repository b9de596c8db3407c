/* The births of an emitter against a plain loop, bit for bit: every shape and direction, on every instruction
 * set, at counts around a lane group, at rest and on the way, across the wrap of the low half of the serial
 * number; those of a system at the very end of a step. */
#include <math.h>
#include <string.h>
#include "systems.h"

#include "particles/emitters.h"

enum { MOST = 40, COLUMNS = 24 };

/* --- The plain loop --- */

static uint32_t mix(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

typedef struct dice {
    uint32_t state;
} dice;

static dice dice_of(uint32_t seed, uint32_t stream, uint64_t serial) {
    const uint32_t key = mix(seed ^ mix(stream + 0x9e3779b9u));
    return (dice){mix(mix((uint32_t)serial ^ key) ^ (uint32_t)(serial >> 32) * 0x9e3779b1u)};
}

static float unit(const dice *d, uint32_t draw) {
    return (float)(mix(d->state + (draw + 1) * 0x9e3779b9u) >> 8) * 0x1p-24f;
}

static float between(const dice *d, uint32_t draw, mote_spread s) {
    return s.least + (s.most - s.least) * unit(d, draw);
}

static void circle(float turn, float *sine, float *cosine) {
    const int quarter = (int)(turn * 4);
    const float x = (turn * 4 - (float)quarter - 0.5f) * 1.57079632679489662f, z = x * x;
    const float s = x * (1 + z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040)))),
                c = 1 + z * (-0.5f + z * (1.0f / 24 + z * (-1.0f / 720 + z * (1.0f / 40320))));
    const float along = (c - s) * 0.70710678118654752f, across = (c + s) * 0.70710678118654752f;
    const float sines[4] = {across, along, -across, -along}, cosines[4] = {along, -across, -along, across};
    *sine = sines[quarter], *cosine = cosines[quarter];
}

static float cube_root(float a) {
    int32_t bits;
    float root;
    memcpy(&bits, &a, sizeof bits);
    bits = (int32_t)((float)bits * (1.0f / 3)) + 0x2a514067;
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 3; i++) {
        const float cube = root * root * root;
        root = root * (cube + 2 * a) / (2 * cube + a);
    }
    return root;
}

static float radius_at(const mote_emitter_def *def, float u, bool volume) {
    const float hollow = def->radius > 0 ? def->inner_radius / def->radius : 0;
    const float inner = volume ? hollow * hollow * hollow : hollow * hollow, share = inner + (1 - inner) * u;
    return def->radius * (volume ? cube_root(share) : sqrtf(share));
}

static void place_at(const mote_emitter_def *def, const dice *d, float x[3]) {
    float sine, cosine, radius = def->radius;
    memset(x, 0, 3 * sizeof *x);
    if (def->shape == MOTE_EMITTER_POINT) return;
    if (def->shape == MOTE_EMITTER_BOX) {
        for (uint32_t i = 0; i < 3; i++) x[i] = def->extent[i] * (2 * unit(d, i) - 1);
        return;
    }
    circle(unit(d, 0), &sine, &cosine);
    if (def->shape == MOTE_EMITTER_SPHERE) {
        const float height = 2 * unit(d, 1) - 1, across = sqrtf(1 - height * height);
        radius = radius_at(def, unit(d, 2), true);
        x[0] = radius * (across * cosine), x[1] = radius * height, x[2] = radius * (across * sine);
        return;
    }
    if (def->shape != MOTE_EMITTER_RING) radius = radius_at(def, unit(d, 1), false);
    x[0] = radius * cosine, x[2] = radius * sine;
}

static void normalise(float v[3]) {
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length == 0) {
        v[0] = v[2] = 0, v[1] = 1;
        return;
    }
    for (int i = 0; i < 3; i++) v[i] *= 1 / length;
}

static void direction_at(const mote_emission *e, const dice *d, const float place[3], float v[3]) {
    const mote_emitter_def *def = e->def;
    const bool cone = def->shape == MOTE_EMITTER_CONE && def->radius > 0,
               outward = def->direction == MOTE_EMIT_OUTWARD;
    const float tilt = cone ? e->angles->slope / def->radius : 0,
                mean[3] = {tilt * place[0], 1, tilt * place[2]};
    memcpy(v, outward ? place : mean, sizeof mean);
    if (cone || outward) normalise(v);
    if (!(e->angles->versine > 0)) return;
    float sine, cosine;
    circle(unit(d, 3), &sine, &cosine);
    const float lost = e->angles->versine * unit(d, 4), along = 1 - lost, rest = lost * (2 - lost),
                across = sqrtf(rest > 0 ? rest : 0), sign = v[2] < 0 ? -1 : 1;
    const float a = -1 / (sign + v[2]), b = v[0] * v[1] * a;
    const float first[3] = {1 + sign * v[0] * v[0] * a, sign * b, -sign * v[0]},
                second[3] = {b, sign + v[1] * v[1] * a, -v[1]};
    for (int i = 0; i < 3; i++) v[i] = along * v[i] + across * (cosine * first[i] + sine * second[i]);
}

static void turn(const mote_emission *e, float t, float v[3]) {
    float q[4], once[3], twice[3];
    for (int i = 0; i < 4; i++) q[i] = e->from.rotation[i] + t * (e->to.rotation[i] - e->from.rotation[i]);
    const float factor = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 3; i++) once[i] = q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        twice[i] = q[(i + 1) % 3] * once[(i + 2) % 3] - q[(i + 2) % 3] * once[(i + 1) % 3];
    for (int i = 0; i < 3; i++) v[i] += factor * (q[3] * once[i] + twice[i]);
}

static void cross(const float a[3], const float b[3], float to[3]) {
    for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Adds the inherited velocity of the turn at the place `arm` from the emitter. */
static void add_turn(const mote_emission *e, float t, const float arm[3], float v[3]) {
    float q[4], across[3];
    for (int i = 0; i < 4; i++) q[i] = e->from.rotation[i] + t * (e->to.rotation[i] - e->from.rotation[i]);
    const float factor = 1 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    cross(e->turning, arm, across);
    const bool turns = e->turning[0] != 0 || e->turning[1] != 0 || e->turning[2] != 0;
    for (int i = 0; i < 3 && turns; i++) v[i] += factor * across[i];
}

/* Into q and w, the spin in the axes of the particle. */
static void orientation_at(const mote_emission *e, const dice *d, float t, float q[4], float w[3]) {
    const float *axis = e->angles->spin_axis, speed = between(d, 17, e->def->spin);
    float square = 0, s[3], c[3], once[3], twice[3];
    for (int i = 0; i < 4; i++) q[i] = e->from.rotation[i] + t * (e->to.rotation[i] - e->from.rotation[i]);
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    for (int i = 0; i < 4; i++) q[i] *= 1 / sqrtf(square);
    memcpy(w, axis, 3 * sizeof *w);
    if (e->def->orientation == MOTE_EMIT_TUMBLED) {
        const float share = unit(d, 20);
        circle(unit(d, 21), &s[0], &c[0]), circle(unit(d, 22), &s[1], &c[1]);
        q[0] = sqrtf(1 - share) * s[0], q[1] = sqrtf(1 - share) * c[0];
        q[2] = sqrtf(share) * s[1], q[3] = sqrtf(share) * c[1];
        turn(e, t, w);
        cross(q, w, once), cross(q, once, twice);
        square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        for (int i = 0; i < 3; i++) w[i] += 2 / square * (twice[i] - q[3] * once[i]);
    }
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
        const float height = 2 * unit(d, 18) - 1, rest = 1 - height * height,
                    across = sqrtf(rest > 0 ? rest : 0);
        circle(unit(d, 19), &s[2], &c[2]);
        w[0] = across * c[2], w[1] = height, w[2] = across * s[2];
    }
    for (int i = 0; i < 3; i++) w[i] *= speed;
}

/* Columns: x, v, previous x, previous v, inverse mass, lifetime, two of the host's, orientation, spin,
 * initial age. */
static void birth(const mote_emission *e, uint64_t number, float f, float column[COLUMNS][MOST], uint32_t i) {
    const dice d = dice_of(e->def->seed, e->stream, e->serial + number + i);
    float born = f + (float)i * e->spacing, x[3], v[3];
    if (!(born < 1)) born = 1;
    const float travelled = born * e->travel_rate, t = travelled < 1 ? travelled : 1,
                left = (1 - born) * e->timestep;
    place_at(e->def, &d, x);
    direction_at(e, &d, x, v);
    turn(e, t, v);
    turn(e, t, x);
    const float speed = between(&d, 5, e->def->speed);
    for (int axis = 0; axis < 3; axis++) v[axis] = v[axis] * speed + e->inherited[axis];
    add_turn(e, t, x, v);
    for (int axis = 0; axis < 3; axis++) {
        x[axis] += e->from.position[axis] + t * (e->to.position[axis] - e->from.position[axis]);
        column[axis][i] = x[axis] + left * v[axis];
        column[3 + axis][i] = column[9 + axis][i] = v[axis];
        column[6 + axis][i] = x[axis] + (left - e->timestep) * v[axis];
    }
    column[12][i] = 1 / between(&d, 7, e->def->mass);
    column[13][i] = e->def->lifetime.least < INFINITY ? between(&d, 6, e->def->lifetime) - left : INFINITY;
    column[15][i] = between(&d, 8 + 3, e->def->extra[3]);
    float q[4], w[3];
    orientation_at(e, &d, t, q, w);
    for (int k = 0; k < 4; k++) column[16 + k][i] = q[k];
    for (int k = 0; k < 3; k++) column[20 + k][i] = w[k];
    column[23][i] = left;
}

/* --- The comparison --- */

static void clear(float column[COLUMNS][MOST]) {
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i < MOST; i++) column[c][i] = 12345;
}

static mote_newborn newborn_in(float column[COLUMNS][MOST]) {
    mote_newborn to = {.inverse_mass = column[12], .lifetime = column[13], .initial_age = column[23]};
    for (int axis = 0; axis < 3; axis++) {
        to.x[axis] = column[axis], to.v[axis] = column[3 + axis];
        to.previous_x[axis] = column[6 + axis], to.previous_v[axis] = column[9 + axis];
    }
    to.extra[0] = column[14], to.extra[3] = column[15];
    for (int k = 0; k < 4; k++) to.orientation[k] = column[16 + k];
    for (int k = 0; k < 3; k++) to.angular_velocity[k] = column[20 + k];
    return to;
}

static void expect_equal(const mote_emission *e, uint32_t count, float f) {
    static float want[COLUMNS][MOST], got[COLUMNS][MOST];
    clear(want);
    for (uint32_t i = 0; i < count; i++) birth(e, 5, f, want, i);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        if (!mote_isa_available((mote_isa)isa)) continue;
        const mote_newborn to = newborn_in(got);
        test_case("shape %d, %s, %u births", (int)e->def->shape, mote_isa_name((mote_isa)isa), count);
        clear(got);
        mote_particle_kernels_for((mote_isa)isa)->emit(e, 5, count, f, &to);
        for (int c = 0; c < COLUMNS; c++)
            for (int i = 0; i < MOST; i++) ASSERT(memcmp(&got[c][i], &want[c][i], sizeof(float)), ==, 0);
    }
}

TEST(births_are_those_of_the_plain_loop) {
    static const uint32_t counts[] = {0, 1, 15, 16, 17, 33};
    random_source random = {11};
    for (int round = 0; round < 40; round++)
        for (int shape = 0; shape < MOTE_EMITTER_SHAPE_COUNT; shape++) {
            mote_emitter_def def = mote_default_emitter_def();
            def.shape = (mote_emitter_shape)shape,
            def.direction = round % 2 ? MOTE_EMIT_OUTWARD : MOTE_EMIT_ALONG;
            def.radius = round % 5 ? random_between(&random, 0.1f, 3) : 0;
            def.inner_radius = def.radius * (round % 3 ? random_between(&random, 0, 1) : (float)(round % 2));
            for (int i = 0; i < 3; i++) def.extent[i] = random_between(&random, 0, 2);
            def.speed = (mote_spread){-1, 5}, def.mass = (mote_spread){0.25f, 4}, def.seed = (uint32_t)round;
            if (round % 4) def.lifetime = (mote_spread){0.5f, 3};
            def.spin = (mote_spread){-9, 30}, def.orientation = (mote_emitter_orientation)(round / 3 % 2);
            def.extra_columns = 8, def.extra[3] = (mote_spread){-7, 9};
            mote_emitter_angles angles = {.slope = 0.8f};
            mote_emission e = {.def = &def,
                               .angles = &angles,
                               .timestep = 1.0f / 60,
                               .spacing = 0.03f,
                               .stream = (uint32_t)shape};
            e.serial = round % 2 ? 0x5fffffffeull : (uint64_t)round * 1000;
            e.travel_rate = round % 3 ? 1 : 1.7f;
            angles.versine = round % 4 == 1 ? 0 : random_between(&random, 0, 2);
            for (int i = 0; i < 4; i++) e.from.rotation[i] = random_between(&random, -0.5f, 0.5f);
            for (int i = 0; i < 3 && round % 3; i++) angles.spin_axis[i] = random_between(&random, -1, 1);
            for (int i = 0; i < 3; i++) e.from.position[i] = random_between(&random, -9, 9);
            e.to = e.from;
            if (round % 2) e.to.position[1] += 2, e.to.rotation[3] += 0.25f, e.inherited[1] = 60;
            for (int i = 0; i < 3 && round % 4 == 3; i++) e.turning[i] = random_between(&random, -20, 20);
            for (size_t k = 0; k < COUNT_OF(counts); k++) expect_equal(&e, counts[k], 0.1f * (float)k);
        }
}

/* At 60 births a second each one is at the very end of a step of 1/60 s. */
TEST(births_at_the_end_of_a_step_inherit_too) {
    static const float rates[] = {60, 120, 7.5f, 300};
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        const mote_system_def def = mote_default_system_def();
        mote_system *system = system_of(&def);
        mote_emitter_def emitter = mote_default_emitter_def();
        emitter.rate = rates[r], emitter.inherit = 1, emitter.speed = (mote_spread){2, 2};
        mote_emitter_id id;
        OK(mote_system_add_emitter(system, &emitter, &id));
        const mote_transform there = {{10, 0, 0}, {0, 0, 0, 1}};
        const uint64_t ticks = stepped(system, 0).ticks_per_step;
        OK(mote_system_move_emitter(system, id, &there, 30 * ticks));
        stepped(system, 30); /* arrives at the end of the last one */
        const mote_range_view view = mote_system_view(system);
        ASSERT(view.count, ==, (uint32_t)(rates[r] / 2));
        for (uint32_t i = 0; i < view.count; i++) {
            test_case("%g 1/s, birth %u", (double)rates[r], i);
            ASSERT_NEAR((double)view.velocity.x[i], 20, 1e-3);
            ASSERT_NEAR((double)view.position.x[i], 10, 1e-3);
        }
        mote_system_destroy(system);
    }
}
