/* Friction at bounces changes spin: closed forms of balls on planes, and energy. */
#include "collision_scene.h"
#include "orientation_scene.h"

#define RADIUS 0.25f

static mote_system_def ball_def(uint32_t capacity) {
    mote_system_def def = turning_def(capacity);
    def.principal_moments = false, def.collision_radius = RADIUS, def.mass = 2;
    def.inertia[0] = 0.4f * def.mass * RADIUS * RADIUS; /* a solid ball */
    return def;
}

/* The mean friction is that of the particles where the collider has the same. */
static void add_floor(mote_system *system, const float normal[3], float friction, float restitution) {
    mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, normal);
    floor.friction = friction, floor.restitution = restitution;
    add_collider(system, floor);
}

static void vector_of(mote_vector_columns columns, uint32_t i, double out[3]) {
    out[0] = (double)columns.x[i], out[1] = (double)columns.y[i], out[2] = (double)columns.z[i];
}

/* Spin in the axes of the world. */
static void spin_of(const mote_range_view *view, uint32_t i, double out[3]) {
    double q[4], own[3];
    orientation_of(view, i, q);
    vector_of(view->angular_velocity, i, own);
    out_of(q, own, out);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The state of a ball after a bounce off a floor with the normal n; slip: u = v_t - r w x n. */
static void bounce(const double n[3], double friction, double restitution, double v[3], double w[3]) {
    const double r = (double)RADIUS, vn = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    double u[3], turn[3], d[3], across[3];
    cross(w, n, turn);
    for (int k = 0; k < 3; k++) u[k] = v[k] - vn * n[k] - r * turn[k];
    const double size = length(u), limit = friction * (1 + restitution) * -vn,
                 p = fmin(limit, size * 2 / 7); /* the sphere rolls when 2/7 of the slip is taken */
    for (int k = 0; k < 3; k++) d[k] = u[k] / size;
    cross(n, d, across);
    for (int k = 0; k < 3; k++) {
        v[k] -= (1 + restitution) * vn * n[k] + p * d[k];
        w[k] += 2.5 * p / r * across[k];
    }
}

/* Of the quaternion (0 .. 3) or of the angular velocity (4 .. 6). */
static float *component(const mote_range_view *view, int k, uint32_t i) {
    float *const of[7] = {view->orientation.x,     view->orientation.y,      view->orientation.z,
                          view->orientation.w,     view->angular_velocity.x, view->angular_velocity.y,
                          view->angular_velocity.z};
    return of[k] + i;
}

/* Without gravity; 64 balls in all directions, half of which slide. */
TEST(a_solid_ball_rolls_after_one_bounce_or_slides) {
    enum { BALLS = 64 };
    static const float friction[] = {0, 0.1f, 0.3f, 3}, restitution[] = {0, 0.5f, 1};
    for (int column = 0; column < 2; column++)
        for (size_t c = 0; c < COUNT_OF(friction) * COUNT_OF(restitution); c++) {
            mote_system_def def = ball_def(BALLS);
            const float mu = friction[c % 4], e = restitution[c / 4];
            const double n[3] = {0.36, 0.8, -0.48};
            def.friction = mu, def.substeps = 1 + c % 2;
            if (column) {
                def.mass_column = def.inertia_column = def.radius_column = true;
                for (int k = 0; k < 3; k++) def.inertia[k] = def.inertia[0];
                def.principal_moments = c % 2;
            }
            mote_system *system = system_of(&def);
            add_floor(system, (float[3]){0.36f, 0.8f, -0.48f}, mu, e);
            const mote_range_view view = spawned(system, BALLS);
            random_source random = {c};
            double v[BALLS][3], w[BALLS][3];
            uint32_t rolling = 0;
            for (uint32_t i = 0; i < BALLS; i++) {
                const float away = RADIUS + 0.05f;
                put(&view, i, away * 0.36f, away * 0.8f, away * -0.48f);
                float along[3], about[3]; /* at least 1.7 m/s towards the floor */
                for (int k = 0; k < 3; k++) {
                    along[k] = random_between(&random, -2, 2);
                    about[k] = random_between(&random, -9, 9);
                }
                throw_at(&view, i, along[0] - 1.8f, along[1] - 4, along[2] + 2.4f);
                for (int k = 0; k < 4; k++) *component(&view, k, i) = random_between(&random, -1, 1);
                spin(&view, i, (double)about[0], (double)about[1], i % 4 ? (double)about[2] : 0);
                vector_of(view.velocity, i, v[i]);
                spin_of(&view, i, w[i]);
                bounce(n, (double)mu, (double)e, v[i], w[i]);
            }
            stepped(system, 6);
            for (uint32_t i = 0; i < BALLS; i++) {
                double now[3], turn[3], slip[3];
                test_case("friction %g, restitution %g, column %d, ball %u", (double)mu, (double)e, column,
                          i);
                vector_of(view.velocity, i, now);
                for (int k = 0; k < 3; k++) ASSERT_NEAR(now[k], v[i][k], 2e-5);
                cross(w[i], n, turn);
                double vn = now[0] * n[0] + now[1] * n[1] + now[2] * n[2];
                for (int k = 0; k < 3; k++) slip[k] = now[k] - vn * n[k] - (double)RADIUS * turn[k];
                rolling += length(slip) < 1e-4;
                spin_of(&view, i, now);
                for (int k = 0; k < 3; k++) ASSERT_NEAR(now[k], w[i][k], 2e-4);
            }
            test_case("friction %g", (double)mu);
            if (mu == 0) ASSERT(rolling, ==, 0u);
            if (mu == 3) ASSERT(rolling, ==, BALLS);
            mote_system_destroy(system);
        }
}

/* A ball on a slope rolls with 5/7 of the gravity along it where friction holds, and slides where it does
 * not. */
TEST(a_ball_rolls_down_a_slope) {
    static const float friction[] = {1, 0.2f, 0.05f, 0};
    const double slope = 0.5, along = (double)GRAVITY * sin(slope), across = (double)GRAVITY * cos(slope);
    for (size_t c = 0; c < COUNT_OF(friction); c++) {
        mote_system_def def = ball_def(1);
        def.friction = friction[c], def.substeps = 2;
        mote_system *system = system_of(&def);
        const float s = (float)sin(slope), k = (float)cos(slope);
        add_floor(system, (float[3]){s, k, 0}, friction[c], 0.3f);
        add_gravity(system);
        const mote_range_view view = spawned(system, 1);
        put(&view, 0, RADIUS * s, RADIUS * k, 0);
        stepped(system, 60);
        const double hold = 2.0 / 7 * along, rub = fmin((double)friction[c] * across, hold),
                     want = along - rub;
        double w[3];
        spin_of(&view, 0, w);
        test_case("friction %g", (double)friction[c]);
        ASSERT_NEAR((double)view.velocity.x[0] * (double)k - (double)view.velocity.y[0] * (double)s, want,
                    2e-3);
        ASSERT_NEAR(w[2], -2.5 * rub / (double)RADIUS, 2e-2);
        ASSERT_NEAR(w[0], 0, 1e-4);
        mote_system_destroy(system);
    }
}

/* --- Energy --- */

static double energy_of(const mote_range_view *view, uint32_t i, float mass, const float inertia[3]) {
    double v[3];
    vector_of(view->velocity, i, v);
    return (double)mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + body_of(view, i, inertia).energy;
}

/* Balls and bodies of three moments among obstacles, thrown and spinning, without forces: no bounce gives
 * energy to any of them, and friction exchanges some between motion and spin. */
TEST(energy_never_grows) {
    enum { BODIES = 400 };
    for (int c = 0; c < 12; c++) {
        mote_system_def def = ball_def(BODIES);
        def.collision_radius = 0.1f, def.friction = c % 3 == 0 ? 0.2f : c % 3 == 1 ? 1 : 4;
        def.principal_moments = c & 1, def.substeps = c & 1 ? 16 : 1;
        const float moment = 0.4f * def.mass * 0.01f;
        def.inertia[0] = moment, def.inertia[1] = def.principal_moments ? 3 * moment : moment;
        def.inertia[2] = def.principal_moments ? 0.5f * moment : moment;
        mote_system *system = system_of(&def);
        mote_collider_def obstacles[OBSTACLES];
        obstacles_of(obstacles);
        for (int k = 0; k < OBSTACLES; k++) {
            obstacles[k].restitution = c < 6 ? 1 : 0.5f;
            obstacles[k].friction = def.friction;
            add_collider(system, obstacles[k]);
        }
        const mote_range_view view = spawned(system, BODIES);
        random_source random = {(uint64_t)c};
        double energy[BODIES], before[BODIES];
        uint32_t changed = 0;
        scatter(&view, obstacles, 0.12f, &random);
        for (uint32_t i = 0; i < BODIES; i++) {
            for (int k = 0; k < 3; k++)
                *component(&view, 4 + k, i) = i % 2 ? random_between(&random, -90, 90) : 0;
            energy[i] = energy_of(&view, i, def.mass, def.inertia);
            before[i] = body_of(&view, i, def.inertia).energy;
        }
        for (int step = 0; step < 120; step++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < BODIES; i++) {
                const double now = energy_of(&view, i, def.mass, def.inertia);
                test_case("case %d, step %d, body %u", c, step, i);
                /* the energy of the splitting oscillates */
                ASSERT(now, <=, energy[i] * (def.principal_moments ? 1.01 : 1 + 1e-5));
                if (!def.principal_moments) energy[i] = now;
            }
        }
        for (uint32_t i = 0; i < BODIES; i++)
            changed += fabs(body_of(&view, i, def.inertia).energy - before[i]) > 0.05 * energy[i];
        test_case("case %d", c);
        ASSERT(changed, >, BODIES / 4u);
        mote_system_destroy(system);
    }
}

/* Gravity, a floor and walls, for 20 s: the sum of all energies does not grow, and the balls come to rest or
 * roll. */
TEST(energy_under_gravity_does_not_grow) {
    for (int c = 0; c < 4; c++) {
        mote_system_def def = ball_def(100);
        def.friction = c % 2 ? 0.1f : 0.8f, def.integrator = MOTE_VELOCITY_VERLET;
        mote_system *system = system_of(&def);
        add_floor(system, (float[3]){0, 1, 0}, def.friction, c < 2 ? 0.7f : 1);
        add_gravity(system);
        const mote_range_view view = spawned(system, 100);
        random_source random = {(uint64_t)c};
        double last[100];
        for (uint32_t i = 0; i < 100; i++) {
            put(&view, i, (float)i, RADIUS + random_between(&random, 0, 3), 0);
            const float x = random_between(&random, -5, 5), z = random_between(&random, -5, 5);
            throw_at(&view, i, x, 0, z);
            spin(&view, i, 10.0 * (double)z, -9.0 * (double)x, 0);
            last[i] = INFINITY;
        }
        for (int step = 0; step < 1200; step++) {
            stepped(system, 1);
            for (uint32_t i = 0; i < 100; i++) {
                const float moment = def.inertia[0], moments[3] = {moment, moment, moment};
                const double energy = energy_of(&view, i, def.mass, moments) +
                                      (double)def.mass * (double)GRAVITY * (double)view.position.y[i];
                test_case("case %d, step %d, ball %u", c, step, i);
                ASSERT(energy, <=, last[i] * (1 + 1e-5) + 1e-5);
                last[i] = fmin(energy, last[i]);
            }
        }
        mote_system_destroy(system);
    }
}

/* A particle that sticks has no spin, and one without radius gets none. */
TEST(stuck_particles_do_not_spin_and_points_get_no_spin) {
    mote_system_def def = ball_def(2);
    def.sticking = def.radius_column = true, def.friction = 1;
    mote_system *system = system_of(&def);
    mote_collider_def glue = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0}),
                      wall = mote_plane((float[3]){5, 0, 0}, (float[3]){-1, 0, 0});
    glue.response = MOTE_RESPONSE_STICK, wall.friction = 1;
    add_collider(system, glue), add_collider(system, wall);
    const mote_range_view view = spawned(system, 2);
    put(&view, 0, 0, 1, 0), put(&view, 1, 4, 9, 0);
    throw_at(&view, 0, 1, -20, 0), throw_at(&view, 1, 20, 5, 0);
    spin(&view, 0, 1, 2, 3), spin(&view, 1, 1, 2, 3);
    view.radius[1] = 0;
    stepped(system, 12);
    ASSERT(view.stuck[0], !=, 0u);
    ASSERT_NEAR(view.angular_velocity.y[0], 0, 0);
    ASSERT(view.velocity.x[1], <, 0);
    ASSERT_NEAR(view.angular_velocity.y[1], 2, 0);
    mote_system_destroy(system);
}
