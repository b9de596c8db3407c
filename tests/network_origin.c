/* Presentation of networks relative to an origin: of constrained networks nothing is lost far from the origin
 * of the world. */
#include "network_net.h"

#include "inside.h"

enum { COLUMNS = 3, ROWS = 9, HUNG = COLUMNS * ROWS };

/* Steps of 10 ms. */
static const uint64_t STEP = 10000000;

/* The solver on the positions and that on the multipliers. */
enum { PRIMAL, DUAL, SOLVERS };

static mote_system_def settings(int mode, mote_isa isa) {
    mote_system_def def = rate_of(100, 4);
    def.interpolation = (mote_interpolation)mode;
    def.isa = isa;
    return def;
}

static mote_advance advanced(const net *n, uint64_t nanoseconds) {
    mote_advance clock;
    OK(mote_system_advance(n->system, nanoseconds, &clock));
    return clock;
}

/* A curtain at x = z = away, pinned at its upper edge, that swings along z by less than a millimetre. */
static void hang(net *n, int solver, double away, int mode, mote_isa isa, uint32_t substeps) {
    mote_system_def def = settings(mode, isa);
    def.substeps = substeps;
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    add_grid(n, (grid){COLUMNS, ROWS, away, 0.125, 0.01, solver == DUAL ? INFINITY : 1e3f, false});
    for (uint32_t i = 0; i < HUNG; i++) {
        n->positions[3 * i + 1] = -n->positions[3 * i + 2];
        n->positions[3 * i + 2] = (float)away;
        n->velocities[3 * i + 2] = 2e-3f * -n->positions[3 * i + 1];
    }
    start_net(n, &def, GRAVITY);
    for (uint32_t i = 0; i < COLUMNS; i++) pin_here(n, i);
}

static void present(const net *n, double origin, float (*got)[3]) {
    mote_present_layout layout = mote_default_present_layout();
    layout.origin[0] = layout.origin[2] = origin;
    OK(mote_network_present(n->system, n->id, &layout, got, n->def.particle_count * sizeof *got));
}

/* Returns the largest difference of what two curtains show; *most: the largest swing of the first. */
static double difference_of(const net *near, const net *far, double away, double *most) {
    double difference = 0;
    for (int frame = 0; frame < 300; frame++) {
        float a[HUNG][3], b[HUNG][3];
        advanced(near, STEP * 3 / 4), advanced(far, STEP * 3 / 4);
        present(near, 0, a);
        present(far, away, b);
        for (int i = 0; i < HUNG; i++) {
            *most = fmax(*most, fabs((double)a[i][2]));
            for (int axis = 0; axis < 3; axis++)
                difference = fmax(difference, fabs((double)b[i][axis] - (double)a[i][axis]));
        }
    }
    return difference;
}

/* The distance between floats at 1e5 m is 7.8 mm. */
TEST(a_small_swing_far_away_is_presented_as_at_the_origin) {
    static const double places[] = {1e3, 1e5, 131072};
    static net near, far;
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++)
            for (size_t p = 0; p < COUNT_OF(places); p++) {
                hang(&near, solver, 0, mode, MOTE_ISA_AUTO, 4);
                hang(&far, solver, places[p], mode, MOTE_ISA_AUTO, 4);
                double most = 0;
                const double difference = difference_of(&near, &far, places[p], &most);
                test_case("solver %d, %g m, mode %d: swing %g m, difference %g m", solver, places[p], mode,
                          most, difference);
                ASSERT(most, >, 3e-4);
                ASSERT(most, <, 1e-3);
                ASSERT(difference, <=, 1e-6 * most);
                mote_system_destroy(near.system), mote_system_destroy(far.system);
            }
}

/* --- Colliders --- */

/* Two curtains are pushed along z by a plane that stood 1/16 m behind them and goes 1/128 m in each step: its
 * places are floats. */
static void push(const net *n, mote_collider_id id, double away, int step) {
    mote_transform to = {{(float)away, 0, (float)(away + (step - 8) * 0x1p-7)},
                         {(float)sqrt(0.5), 0, 0, (float)sqrt(0.5)}};
    OK(mote_system_move_collider(n->system, id, &to, MOTE_NEXT_ADVANCE));
    step_net(n, 1);
}

static double fastest(const net *n) {
    double most = 0;
    for (uint32_t i = 0; i < HUNG; i++) most = fmax(most, fabs(place_of(n, i, 5)));
    return most;
}

TEST(a_plane_pushes_a_curtain_alike_at_any_distance) {
    static const double places[] = {1e3, 1e4, 1e5};
    static const uint32_t substeps[] = {1, 4, 16, 64};
    static net of[2];
    for (int solver = PRIMAL; solver < SOLVERS; solver++)
        for (size_t s = 0; s < COUNT_OF(substeps); s++)
            for (size_t p = 0; p < COUNT_OF(places); p++) {
                double speed[2] = {0, 0};
                for (int far = 0; far < 2; far++) {
                    const double away = far ? places[p] : 0;
                    mote_collider_id id;
                    hang(&of[far], solver, away, MOTE_INTERPOLATE_NONE, MOTE_ISA_AUTO, substeps[s]);
                    const mote_collider_def wall =
                        mote_plane((float[3]){(float)away, 0, (float)(away - 0x1p-4)}, (float[3]){0, 0, 1});
                    OK(mote_system_add_collider(of[far].system, &wall, &id));
                    for (int step = 0; step < 30; step++) {
                        push(&of[far], id, away, step);
                        speed[far] = fmax(speed[far], fastest(&of[far]));
                    }
                    mote_system_destroy(of[far].system);
                }
                test_case("solver %d, %u substeps, %g m: %g m/s, %g at the origin", solver, substeps[s],
                          places[p], speed[1], speed[0]);
                ASSERT(speed[0], >, 0.7);
                ASSERT_NEAR(speed[1], speed[0], 1e-2 * speed[0]);
            }
}

/* --- The formula --- */

enum { MOST = 600 };

/* The places of all particles in two parts each: the column and the rest of what the step kept. */
typedef struct whole_places {
    double high[3][MOST], low[3][MOST];
} whole_places;

static void store_places(const net *n, whole_places *to) {
    const mote_network *in = network_inside(n->system, n->id);
    for (uint32_t i = 0; i < n->def.particle_count; i++) {
        const uint32_t slot = mote_network_slot(n->system, n->id, i);
        for (int axis = 0; axis < 3; axis++) {
            const double x = (double)in->range.x[axis][slot];
            to->high[axis][i] = x;
            to->low[axis][i] = ((double)in->origin[axis][slot] - x) + (double)in->relative_x[axis][slot];
        }
    }
}

/* Bit for bit, in plain double. */
static void check_places(const whole_places *before, const whole_places *now, double alpha, double origin,
                         uint32_t count, float (*got)[3]) {
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double x0 = before->high[axis][i], l0 = before->low[axis][i], x1 = now->high[axis][i],
                         l1 = now->low[axis][i];
            const double sum = (x0 - (axis == 1 ? 0 : origin)) + (l0 + alpha * ((x1 - x0) + (l1 - l0)));
            ASSERT(got[i][axis], ==, (float)sum);
        }
}

/* Two nets that fall and turn: more particles than one run of the presentation, in islands that end in the
 * middle of a lane group. */
static void throw_nets(net *n, int solver, int mode, mote_isa isa) {
    const mote_system_def def = settings(mode, isa);
    const float stiffness = solver == DUAL ? INFINITY : 1e3f;
    begin_net(n, MOTE_NETWORK_CONSTRAINED);
    add_grid(n, (grid){23, 21, 1e5, 0.125, 0.01, stiffness, false});
    add_grid(n, (grid){7, 5, 1e5 + 20, 0.125, 0.01, stiffness, false});
    for (uint32_t i = 0; i < n->def.particle_count; i++) {
        n->velocities[3 * i] = 0.3f + 0.1f * n->positions[3 * i + 2];
        n->velocities[3 * i + 1] = 0.2f * n->positions[3 * i + 2];
    }
    start_net(n, &def, GRAVITY);
    step_net(n, 1);
}

/* Steps and checks what is presented. Returns the number of low parts that have changed. */
static uint32_t check_flight(const net *n, int mode, int frames) {
    static whole_places before, now;
    static float got[MOST][3];
    const double origin = 100001.7;
    uint32_t lows = 0;
    for (int frame = 0; frame < frames; frame++) {
        store_places(n, &before);
        const mote_advance clock = advanced(n, STEP * 5 / 4);
        if (clock.steps != 1) continue;
        store_places(n, &now);
        present(n, origin, got);
        check_places(mode ? &before : &now, &now, (double)clock.alpha, origin, n->def.particle_count, got);
        for (uint32_t i = 0; i < n->def.particle_count; i++) lows += before.low[0][i] != now.low[0][i];
    }
    return lows;
}

TEST(offsets_of_networks_are_those_of_the_plain_sum) {
    static net n;
    for (int isa = 0; isa < MOTE_ISA_COUNT; isa++)
        for (int mode = 0; mode < MOTE_INTERPOLATION_COUNT; mode++)
            for (int solver = PRIMAL; solver < SOLVERS; solver++) {
                if (!mote_isa_available((mote_isa)isa)) continue;
                test_case("isa %d, mode %d, solver %d", isa, mode, solver);
                throw_nets(&n, solver, mode, (mote_isa)isa);
                ASSERT(check_flight(&n, mode, 12), >, 1000);
                mote_system_destroy(n.system);
            }
}

/* A frozen island is presented where it is, with its low parts. */
TEST(frozen_islands_keep_their_low_parts) {
    static net n;
    static whole_places before, now;
    static float got[MOST][3];
    throw_nets(&n, PRIMAL, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO);
    step_net(&n, 5);
    *coordinate(&n, 40, 3) = NAN;
    step_net(&n, 1);
    ASSERT(mote_network_frozen(n.system, n.id, 40), ==, true);
    store_places(&n, &before);
    ASSERT(advanced(&n, STEP * 3 / 2).alpha, ==, 0.5f);
    store_places(&n, &now);
    present(&n, 1e5, got);
    check_places(&before, &now, 0.5, 1e5, n.def.particle_count, got);
    for (int axis = 0; axis < 3; axis++) ASSERT(before.low[axis][40], ==, now.low[axis][40]);
    ASSERT(now.low[0][40], !=, 0);
    mote_system_destroy(n.system);
}

/* A pin leaves from the place of its particle, the low part included, and arrives at its target. The distance
 * between floats at 1e5 m is 7.8 mm. */
TEST(pins_far_away_leave_from_the_whole_place) {
    static net n;
    static whole_places at;
    for (int solver = PRIMAL; solver < SOLVERS; solver++) {
        test_case("solver %d", solver);
        hang(&n, solver, 1e5, MOTE_INTERPOLATE_NONE, MOTE_ISA_AUTO, 4);
        step_net(&n, 20);
        store_places(&n, &at);
        const uint32_t i = 13;
        double from[3], to[3];
        for (int axis = 0; axis < 3; axis++) {
            from[axis] = at.high[axis][i] + at.low[axis][i];
            to[axis] = at.high[axis][i] + 0.03125;
        }
        ASSERT(fabs(at.low[2][i]), >, 1e-5);
        pin_at(&n, i, to[0], to[1], to[2], mote_system_steps(n.system) * step_ticks(&n) + 8 * step_ticks(&n));
        for (int step = 1; step <= 9; step++) {
            step_net(&n, 1);
            store_places(&n, &at);
            for (int axis = 0; axis < 3; axis++)
                ASSERT_NEAR(at.high[axis][i] + at.low[axis][i],
                            from[axis] + fmin(step / 8.0, 1) * (to[axis] - from[axis]), 1e-7);
        }
        mote_system_destroy(n.system);
    }
}

/* --- What has no low part --- */

/* A place that the host has written, on any axis, is that place alone: at once, and after the next step as
 * the place before it. */
TEST(places_that_the_host_writes_have_no_low_part) {
    static const int modes[] = {MOTE_INTERPOLATE_NONE, MOTE_INTERPOLATE_LINEAR};
    static net n;
    for (size_t m = 0; m < COUNT_OF(modes); m++) {
        float got[HUNG][3], high[HUNG];
        hang(&n, PRIMAL, 1e5, modes[m], MOTE_ISA_AUTO, 4);
        step_net(&n, 20);
        *coordinate(&n, 13, 1) -= 0.0625f;
        for (uint32_t i = 0; i < HUNG; i++) high[i] = *coordinate(&n, i, 2);
        if (modes[m] != MOTE_INTERPOLATE_NONE) step_net(&n, 1); /* alpha = 0: the place before the step */
        present(&n, 1e5, got);
        ASSERT(got[13][2], ==, (float)((double)high[13] - 1e5));
        for (uint32_t i = COLUMNS; i < HUNG; i++)
            if (i != 13) ASSERT(got[i][2], !=, (float)((double)high[i] - 1e5));
        mote_system_destroy(n.system);
    }
}

TEST(teleported_networks_are_presented_at_their_present_places) {
    static net n;
    static whole_places now;
    float got[HUNG][3];
    hang(&n, PRIMAL, 1e5, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 4);
    advanced(&n, STEP * 41 / 2);
    store_places(&n, &now);
    OK(mote_network_teleport(n.system, n.id));
    present(&n, 1e5, got);
    check_places(&now, &now, 0.5, 1e5, HUNG, got);
    const mote_network *in = network_inside(n.system, n.id);
    for (uint32_t slot = 0; slot < in->range.slot_count; slot++)
        for (int axis = 0; axis < 3; axis++) ASSERT(in->previous_low[axis][slot], ==, 0);
    mote_system_destroy(n.system);
}

TEST(low_parts_of_the_places_before_the_last_step_count_in_the_hash) {
    static net n;
    uint32_t shown = 0;
    hang(&n, PRIMAL, 1e5, MOTE_INTERPOLATE_LINEAR, MOTE_ISA_AUTO, 4);
    step_net(&n, 20);
    mote_network *in = network_inside(n.system, n.id);
    const uint64_t hash = mote_system_hash(n.system);
    for (uint32_t i = 0; i < 3 * HUNG; i++) {
        float *low = &in->previous_low[i % 3][mote_network_slot(n.system, n.id, i / 3)];
        const float kept = *low;
        shown += kept != 0;
        *low = kept + 1;
        ASSERT(mote_system_hash(n.system), !=, hash);
        *low = kept;
        ASSERT(mote_system_hash(n.system), ==, hash);
    }
    ASSERT(shown, >, HUNG);
    mote_system_destroy(n.system);
}
