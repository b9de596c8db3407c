/* Networks on colliders: friction on a slope, tension over a capsule, cloth over a ball, what is pulled off
 * and what is carried. */
#include "test.h"

#include "network_host.h"

static const double PI = 3.14159265358979323846, GRAVITY = (double)9.81f, UNIT = 0x1p-24;

enum { MOST = 1024, SUBSTEPS = 8, RATE = 60 };

/* A net of columns x rows, `spacing` apart in x and z, with structural and shear springs; one column: a chain
 * along z. */
typedef struct sheet {
    mote_network_def def;
    float positions[3 * MOST];
    mote_spring springs[4 * MOST];
    mote_system *system;
    mote_network_id id;
} sheet;

static void join(sheet *s, uint32_t a, uint32_t b, float stiffness) {
    s->springs[s->def.spring_count++] =
        (mote_spring){.a = a, .b = b, .rest_length = MOTE_AS_PLACED, .stiffness = stiffness};
}

static void make_sheet(sheet *s, mote_network_solver solver, uint32_t columns, uint32_t rows, float spacing,
                       float stiffness) {
    s->def = mote_default_network_def();
    s->def.solver = solver;
    s->def.particle_count = columns * rows;
    s->def.positions = s->positions;
    s->def.springs = s->springs;
    for (uint32_t i = 0; i < columns * rows; i++) {
        const uint32_t x = i % columns, z = i / columns;
        s->positions[3 * i] = (float)x * spacing, s->positions[3 * i + 1] = 0,
                         s->positions[3 * i + 2] = (float)z * spacing;
    }
    for (uint32_t i = 0; i < columns * rows; i++) {
        const uint32_t x = i % columns, z = i / columns;
        if (x + 1 < columns) join(s, i, i + 1, stiffness);
        if (z + 1 < rows) join(s, i, i + columns, stiffness);
        if (x + 1 < columns && z + 1 < rows) join(s, i, i + columns + 1, stiffness);
        if (x > 0 && z + 1 < rows) join(s, i, i + columns - 1, stiffness);
    }
}

static void start(sheet *s, const double gravity[3], const mote_collider_def *collider, float friction,
                  mote_collider_id *id) {
    mote_system_def def = mote_default_system_def();
    mote_force_def pull = mote_gravity((vec3){(float)gravity[0], (float)gravity[1], (float)gravity[2]});
    mote_collider_def own = *collider;
    mote_force_id force;
    def.capacity = 0;
    def.substeps = SUBSTEPS;
    def.steps_per_second = (mote_rate){RATE, 1};
    s->def.friction = own.friction = friction;
    assert_int_equal(mote_system_create(&def, &s->system), MOTE_OK);
    assert_int_equal(mote_system_add_force(s->system, &pull, &force), MOTE_OK);
    assert_int_equal(mote_system_add_collider(s->system, &own, id), MOTE_OK);
    assert_int_equal(mote_system_add_network(s->system, &s->def, &s->id, NULL), MOTE_OK);
}

static void run(sheet *s, uint32_t steps) {
    assert_int_equal(mote_system_step(s->system, steps, NULL), MOTE_OK);
}

static void place_of(const sheet *s, uint32_t particle, double at[3]) {
    const mote_network_view view = mote_network_columns(s->system, s->id);
    const uint32_t slot = view.slot[particle];
    at[0] = (double)view.position.x[slot], at[1] = (double)view.position.y[slot],
    at[2] = (double)view.position.z[slot];
}

static mote_statistics measure(const sheet *s) {
    mote_statistics m;
    assert_int_equal(mote_network_statistics(s->system, s->id, &m), MOTE_OK);
    return m;
}

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.9g is not %.9g within %.3g", got, want, tolerance);
}

static const char *const solver_name[] = {"springs", "constrained"};

/* --- Friction --- */

/* How far a sheet slides along a slope of angle a in t seconds; gravity is turned instead of the plane. */
static double slide_of(mote_network_solver solver, uint32_t iterations, double angle, float friction,
                       uint32_t steps) {
    static sheet s;
    mote_collider_def plane = mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0});
    mote_collider_id id;
    make_sheet(&s, solver, 4, 5, 0.05f, 400);
    s.def.particle_mass = 0.01f, s.def.max_iterations = iterations;
    start(&s, (double[3]){GRAVITY * sin(angle), -GRAVITY * cos(angle), 0}, &plane, friction, &id);
    run(&s, steps);
    double mean = 0;
    for (uint32_t i = 0; i < s.def.particle_count; i++) {
        double at[3];
        place_of(&s, i, at);
        mean += (at[0] - (double)s.positions[3 * i]) / s.def.particle_count;
        assert_near(at[1], 0, UNIT * 4);
    }
    mote_system_destroy(s.system);
    return mean;
}

/* Semi-implicit Euler: x = a t^2 / 2 (1 + h / t). Each of n substeps rounds places of up to 0.5 m by 2^-26 at
 * most. Constrained velocities are differences of those over h, kicks that walk at random: n^1.5 / 3 of them,
 * 4 times that allowed. */
TEST(friction_holds_below_its_angle_and_not_above) {
    const double substeps = RATE / 2 * SUBSTEPS,
                 rounding[] = {substeps * UNIT / 4, 4 * pow(substeps, 1.5) / 3 * UNIT / 4};
    for (int solver = 0; solver < MOTE_NETWORK_SOLVER_COUNT; solver++)
        for (float friction = 0.25f; friction <= 1; friction *= 2) {
            const double angle = atan((double)friction), steep = angle + 0.2, time = 0.5,
                         h = 1.0 / (RATE * SUBSTEPS);
            const double held = slide_of((mote_network_solver)solver, 4, 0.9 * angle, friction, RATE);
            const double slid = slide_of((mote_network_solver)solver, 4, steep, friction, RATE / 2);
            const double pull = GRAVITY * (sin(steep) - (double)friction * cos(steep));
            if (!(fabs(held) <= RATE * SUBSTEPS * UNIT))
                fail_msg("%s, %g: crept %g", solver_name[solver], (double)friction, held);
            assert_near(slid, 0.5 * pull * time * time * (1 + h / time), rounding[solver]);
        }
}

/* With one iteration there is no system that could balance friction: it takes speed from points that have
 * moved by it, h^2 g sin a or, sliding, h^2 mu g cos a in each substep. */
TEST(with_one_iteration_friction_acts_after) {
    const double friction = 0.5, angle = atan(friction), steep = angle + 0.2, h = 1.0 / (RATE * SUBSTEPS),
                 time = 0.5;
    const double rounding = 4 * pow(RATE * SUBSTEPS, 1.5) / 3 * UNIT / 4;
    const double held = slide_of(MOTE_NETWORK_CONSTRAINED, 1, 0.9 * angle, (float)friction, RATE);
    const double slid = slide_of(MOTE_NETWORK_CONSTRAINED, 1, steep, (float)friction, RATE / 2);
    const double pull = GRAVITY * (sin(steep) - friction * cos(steep));
    assert_near(held, h * GRAVITY * sin(0.9 * angle), 0.01 * h * GRAVITY + rounding);
    assert_near(slid, 0.5 * pull * time * time * (1 + h / time) + h * friction * GRAVITY * cos(steep) * time,
                rounding);
}

/* A plane that moves on carries what lies on it: it starts at once and friction gives the sheet its speed. */
TEST(a_moving_plane_carries_a_sheet) {
    for (int solver = 0; solver < MOTE_NETWORK_SOLVER_COUNT; solver++) {
        static sheet s;
        mote_collider_def plane = mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0});
        mote_collider_id id;
        make_sheet(&s, (mote_network_solver)solver, 4, 5, 0.05f, 400);
        s.def.particle_mass = 0.01f;
        start(&s, (double[3]){0, -GRAVITY, 0}, &plane, 0.8f, &id);
        run(&s, 1);
        mote_transform target = MOTE_TRANSFORM_IDENTITY;
        target.position[0] = 1;
        assert_int_equal(mote_system_move_collider(s.system, id, &target, MOTE_NEXT_ADVANCE), MOTE_OK);
        run(&s, 2 * RATE);                                 /* 0.5 m/s */
        const double slips = 0.5 * 0.25 / (0.8 * GRAVITY); /* v^2 / (2 mu g) until it has the plane's speed */
        for (uint32_t i = 0; i < s.def.particle_count; i++) {
            double at[3];
            place_of(&s, i, at);
            assert_near(at[0] - (double)s.positions[3 * i], 1 - slips, 0.5 / (RATE * SUBSTEPS) + 1e-4);
            assert_near(at[1], 0, UNIT * 4);
        }
        mote_system_destroy(s.system);
    }
}

/* --- The constrained solver --- */

/* What springs pull off a collider goes. */
TEST(a_sheet_is_lifted_off) {
    static sheet s;
    mote_collider_def plane = mote_plane((vec3){0, 0, 0}, (vec3){0, 1, 0});
    mote_collider_id id;
    make_sheet(&s, MOTE_NETWORK_CONSTRAINED, 8, 8, 0.05f, 2000);
    s.def.particle_mass = 0.005f;
    start(&s, (double[3]){0, -GRAVITY, 0}, &plane, 0.5f, &id);
    run(&s, RATE / 2);
    assert_int_equal(mote_network_pin(s.system, s.id, 27, (vec3){0.15f, 1, 0.15f}, MOTE_NEXT_ADVANCE),
                     MOTE_OK);
    run(&s, 2 * RATE);
    run(&s, 2 * RATE);
    for (uint32_t i = 0; i < s.def.particle_count; i++) {
        double at[3];
        place_of(&s, i, at);
        ASSERT(at[1], >, 0.6); /* none is further than 0.3 m from the pin, along the net 0.4 m */
    }
    mote_system_destroy(s.system);
}

/* A chain laid over a capsule, its ends level, without friction: where it passes y its tension is the weight
 * of what hangs below, (y - y_end) x mass a metre x g. Each spring is longer by T / k. */
TEST(tension_over_a_capsule_is_what_hangs_below) {
    enum { NODES = 97 };
    static sheet s;
    const double radius = 0.1, length = 1, spacing = length / (NODES - 1), mass = 0.001, stiffness = 4000;
    make_sheet(&s, MOTE_NETWORK_CONSTRAINED, 1, NODES, (float)spacing, (float)stiffness);
    s.def.particle_mass = (float)mass;
    s.def.max_strain = 1e-4f, s.def.max_iterations = 16, s.def.max_linear = 256;
    for (uint32_t k = 0; k < NODES; k++) {
        const double along = (k - 0.5 * (NODES - 1)) * spacing, angle = along / radius,
                     left = fabs(along) - radius * PI / 2;
        s.positions[3 * k] = 0;
        s.positions[3 * k + 1] = (float)(left > 0 ? -left : radius * cos(angle));
        s.positions[3 * k + 2] = (float)(left > 0 ? copysign(radius, along) : radius * sin(angle));
    }
    for (uint32_t k = 0; k < s.def.spring_count; k++)
        s.springs[k].rest_length = (float)spacing, s.springs[k].damping = 0.5f;
    mote_collider_def capsule = mote_capsule((vec3){-1, 0, 0}, (vec3){1, 0, 0}, (float)radius);
    mote_collider_id id;
    start(&s, (double[3]){0, -GRAVITY, 0}, &capsule, 0, &id);
    run(&s, RATE);
    double end[3], before[3], at[3];
    place_of(&s, 0, end);
    place_of(&s, 0, before);
    for (uint32_t k = 1; k < NODES; k++) {
        place_of(&s, k, at);
        const double stretch = hypot(at[1] - before[1], at[2] - before[2]) - spacing;
        const double middle = 0.5 * (at[1] + before[1]),
                     hangs = (middle - end[1]) / spacing + 0.5; /* particles below */
        /* The polygon has its corners on the capsule: its chords turn by the angle of a spring. max_strain is
         * left unsolved. */
        assert_near(stiffness * stretch, hangs * mass * GRAVITY,
                    0.02 * NODES / 2 * mass * GRAVITY + stiffness * spacing * (double)s.def.max_strain);
        memcpy(before, at, sizeof at);
    }
    mote_system_destroy(s.system);
}

/* Cloth falls over a ball and comes to rest on it: not in it, and not stretched. */
TEST(cloth_rests_on_a_ball) {
    enum { SIDE = 24 };
    static sheet s;
    const double spacing = 0.04, radius = 0.2;
    make_sheet(&s, MOTE_NETWORK_CONSTRAINED, SIDE, SIDE, (float)spacing, 2000);
    s.def.particle_mass = 0.3f / (SIDE * SIDE), s.def.radius = 0.005f;
    for (uint32_t k = 0; k < s.def.spring_count; k++) s.springs[k].damping = 0.05f;
    const float middle = (float)(spacing * (SIDE - 1) / 2);
    mote_collider_def ball = mote_sphere((vec3){middle, -0.25f, middle}, (float)radius);
    mote_collider_id id;
    start(&s, (double[3]){0, -GRAVITY, 0}, &ball, 0.5f, &id);
    double most = 0;
    for (uint32_t step = 0; step < 8 * RATE; step++) {
        run(&s, 1);
        for (uint32_t i = 0; i < s.def.particle_count; i++) {
            double at[3];
            place_of(&s, i, at);
            const double away =
                sqrt(pow(at[0] - (double)middle, 2) + pow(at[1] + 0.25, 2) + pow(at[2] - (double)middle, 2));
            most = fmax(most, radius + 0.005 - away);
        }
    }
    const mote_statistics m = measure(&s);
    double corner[3];
    place_of(&s, 0, corner);
    ASSERT(most, <=, 16 * UNIT);
    ASSERT(corner[1], <, -0.25);                       /* it hangs down at the sides ... */
    ASSERT(m.kinetic, <, 1e-3 * 0.3 * GRAVITY * 0.25); /* ... at rest beside its fall ... */
    ASSERT(m.mean_strain, <, 0.002);
    ASSERT(m.max_strain, <, 0.06); /* ... and no spring bears more than folds press it by */
    mote_system_destroy(s.system);
}
