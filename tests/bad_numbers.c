/* NaN, infinities, the largest and denormal numbers in every column, link, collider and target: refused, or
 * everything stays finite but what is told of. */
#define _DEFAULT_SOURCE
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "snapshot_world.h"
#include "systems.h"

static const float bad_numbers[] = {NAN,   -NAN,      INFINITY, -INFINITY, FLT_MAX,   -FLT_MAX, FLT_MIN,
                                    1e20f, 0x1p-149f, -0.0f,    1e30f,     0x1p-140f, -1e-38f};
enum { BAD = sizeof bad_numbers / sizeof *bad_numbers };

static bool all_finite(const float *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

/* Every column that a step writes is finite, and each particle that is gone is counted. */
static void check_particles(world *w) {
    mote_advance advance;
    const uint32_t before = mote_system_count(w->system);
    OK(mote_system_step(w->system, 3, &advance));
    const mote_range_view view = mote_system_view(w->system);
    const mote_quaternion_columns turn = view.orientation;
    const motion_columns motion = motion_of(&view);
    ASSERT(before + advance.born - advance.killed - advance.expired - advance.collided - advance.non_finite,
           ==, view.count);
    for (int c = 0; c < 6; c++) ASSERT(all_finite(motion.column[c], view.count), ==, true);
    if (!turn.x) return;
    const float *const turning[] = {turn.x,
                                    turn.y,
                                    turn.z,
                                    turn.w,
                                    view.angular_velocity.x,
                                    view.angular_velocity.y,
                                    view.angular_velocity.z};
    for (uint32_t c = 0; c < COUNT_OF(turning); c++) ASSERT(all_finite(turning[c], view.count), ==, true);
}

/* After a few steps everything is finite, or told of that particle, strand or island. */
static void check_reported(world *w) {
    static float x[WORLD_STRANDS * WORLD_POINTS][3], v[WORLD_STRANDS * WORLD_POINTS][3];
    check_particles(w);
    const mote_strands_id strands[2] = {w->hair, w->springs};
    for (uint32_t i = 0; i < 2 * WORLD_STRANDS; i++) {
        const mote_strands_id id = strands[i % 2];
        const uint32_t points = mote_strands_points(w->system, id, i / 2);
        mote_strand_step_report report;
        OK(mote_strands_report_of(w->system, id, i / 2, &report));
        OK(mote_strands_state(w->system, id, i / 2, 1, x[0], v[0]));
        ASSERT(report.frozen || (all_finite(x[0], 3 * points) && all_finite(v[0], 3 * points)), ==, true);
    }
    const mote_network_id networks[2] = {w->net, w->webs};
    const uint32_t counts[2] = {WORLD_NET, WORLD_WEBS * WORLD_WEB};
    for (int i = 0; i < 2; i++) {
        OK(mote_network_state(w->system, networks[i], 0, counts[i], x[0], v[0]));
        for (uint32_t k = 0; k < counts[i]; k++)
            ASSERT(mote_network_frozen(w->system, networks[i], k) ||
                       (all_finite(x[k], 3) && all_finite(v[k], 3)),
                   ==, true);
    }
}

/* A world whose particles have every column. */
static mote_system_def full_def(void) {
    mote_system_def def = world_def();
    def.mass_column = def.lifetimes = def.initial_ages = def.anchor_column = def.external_forces = true;
    def.radius_column = true;
    def.orientation = def.principal_moments = def.inertia_column = def.external_torques = true;
    return def;
}

/* Every column of floats that the host may write: particles, then strands, then networks. */
enum { PARTICLE_COLUMNS = 36, COLUMNS = PARTICLE_COLUMNS + 12 };

static void list_columns(world *w, float *columns[COLUMNS]) {
    mote_vector_columns forces, torques;
    OK(mote_system_external_forces(w->system, &forces));
    OK(mote_system_external_torques(w->system, &torques));
    const mote_range_view p = mote_system_view(w->system);
    const mote_strands_view s = mote_strands_columns(w->system, w->hair),
                            t = mote_strands_columns(w->system, w->springs);
    const mote_network_view n = mote_network_columns(w->system, w->net),
                            m = mote_network_columns(w->system, w->webs);
    const mote_vector_columns vectors[] = {p.position,
                                           p.velocity,
                                           p.previous,
                                           p.anchor,
                                           p.angular_velocity,
                                           p.inertia,
                                           forces,
                                           torques,
                                           {p.inverse_mass, p.lifetime, p.radius},
                                           {p.orientation.x, p.orientation.y, p.orientation.z},
                                           {p.orientation.w, p.position.x, p.velocity.x},
                                           {p.initial_age, p.position.y, p.velocity.y},
                                           s.position,
                                           t.velocity,
                                           n.position,
                                           m.velocity};
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const mote_vector_columns *v = &vectors[i / 3];
        columns[i] = i % 3 == 0 ? v->x : i % 3 == 1 ? v->y : v->z;
    }
}

TEST(bad_numbers_in_columns_are_reported) {
    for (uint32_t c = 0; c < COLUMNS; c++)
        for (uint32_t n = 0; n < BAD; n++) {
            const mote_system_def def = full_def();
            world w = warm_world(&def, 6);
            float *columns[COLUMNS];
            list_columns(&w, columns);
            const uint32_t place = c - PARTICLE_COLUMNS;
            const uint32_t slot = c < PARTICLE_COLUMNS ? 1
                                  : place < 3          ? mote_strands_slot(w.system, w.hair, 3, 1)
                                  : place < 6          ? mote_strands_slot(w.system, w.springs, 3, 1)
                                  : place < 9          ? mote_network_slot(w.system, w.net, 20)
                                                       : mote_network_slot(w.system, w.webs, 20);
            test_case("column %u is %g", c, (double)bad_numbers[n]);
            ASSERT(mote_system_count(w.system), >, 1);
            columns[c][slot] = bad_numbers[n];
            check_reported(&w);
            mote_system_destroy(w.system);
        }
}

/* Calls with one bad number: refused with the state as it was, or legal, and then nothing turns non-finite
 * unless a report counts it. */
typedef mote_result number_call(world *w, uint32_t place, float bad);

static mote_result bad_link(world *w, uint32_t place, float bad) {
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a = (mote_link_end){.strands = w->hair, .strand = 2, .point = 1};
    link.b = (mote_link_end){.network = w->webs, .particle = 9};
    link.rest_length = 0.5f, link.stiffness = 5;
    *(place % 3 == 0 ? &link.rest_length : place % 3 == 1 ? &link.stiffness : &link.damping) = bad;
    return mote_system_add_link(w->system, &link, &id);
}

static mote_result bad_collider(world *w, uint32_t place, float bad) {
    const mote_transform at = MOTE_TRANSFORM_IDENTITY;
    mote_collider_def def = mote_box(&at, (float[3]){0.2f, 0.2f, 0.2f});
    float *const fields[] = {def.transform.position, def.transform.rotation, &def.radius,     def.extent,
                             def.extent + 2,         &def.friction,          &def.restitution};
    *fields[place % COUNT_OF(fields)] = bad;
    return mote_system_set_collider(w->system, w->ball, &def);
}

static mote_result bad_target(world *w, uint32_t place, float bad) {
    const uint64_t tick = mote_system_tick(w->system) + 1000000;
    mote_transform to = {{0.1f, 0.2f, 0.3f}, {0, 0, 0, 1}};
    const uint32_t number = place % 7; /* of a transform; pins have the first three of them */
    if (number < 3)
        to.position[number] = bad;
    else
        to.rotation[number - 3] = bad;
    if (place < 7) return mote_system_move_collider(w->system, w->ball, &to, tick);
    if (place < 14) return mote_strands_set_root(w->system, w->hair, 3, &to, tick);
    if (place < 17) return mote_strands_pin(w->system, w->springs, 3, 1, to.position, tick);
    to.position[place - 17] = bad;
    return mote_network_pin(w->system, w->net, 7, to.position, tick);
}

static mote_result bad_setting(world *w, uint32_t place, float bad) {
    const float vector[3] = {place & 1 ? bad : 0, 1, place & 1 ? 0 : bad};
    switch (place / 2) {
    case 0:
        return mote_strands_set_air(w->system, w->hair, vector);
    case 1:
        return mote_system_impulse(w->system, 0, vector);
    case 2:
        return mote_system_set_inverse_mass(w->system, 0, bad);
    case 3:
        return mote_network_reel(w->system, w->net, 3, bad, 0, NULL);
    case 4:
        return mote_network_set_spring(w->system, w->webs, 3, place & 1 ? bad : 5, place & 1 ? 0 : bad, 0,
                                       NULL);
    default:
        return mote_network_set_spring(w->system, w->net, 3, 50, 0, bad, NULL);
    }
}

TEST(bad_numbers_in_calls_are_refused_or_reported) {
    static const struct {
        number_call *call;
        uint32_t places;
    } table[] = {{bad_link, 3}, {bad_collider, 7}, {bad_target, 20}, {bad_setting, 12}};
    uint32_t refused = 0, taken = 0;
    for (uint32_t t = 0; t < COUNT_OF(table); t++)
        for (uint32_t place = 0; place < table[t].places; place++)
            for (uint32_t n = 0; n < BAD; n++) {
                const mote_system_def def = world_def();
                world w = warm_world(&def, 6);
                const uint64_t hash = mote_system_hash(w.system);
                const mote_result result = table[t].call(&w, place, bad_numbers[n]);
                test_case("table %u, place %u, %g: %s", t, place, (double)bad_numbers[n],
                          mote_result_text(result));
                if (result) ASSERT(mote_system_hash(w.system), ==, hash);
                refused += result != MOTE_OK, taken += result == MOTE_OK;
                check_reported(&w);
                mote_system_destroy(w.system);
            }
    ASSERT(refused, >, 100);
    ASSERT(taken, >, 100);
}
