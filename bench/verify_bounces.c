/* Contact and friction of loose particles beside the closed forms of mote/collider.h: heights of bounces,
 * slopes, the spin that friction gives to a ball, and what each response does. */
#include <math.h>

#include "engine.h"
#include "verify.h"

#define PI      3.14159265358979323846
#define GRAVITY ((double)9.81f)

/* Balls of a radius of 1/8 m and a mass of 2 kg, by velocity Verlet, whose parabolas are exact. */
#define RADIUS 0.125
#define MASS   2.0

typedef struct ball {
    mote_system *system;
    mote_collider_id floor;
    mote_range_view view;
} ball;

static mote_system_def ball_def(uint32_t substeps) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 1, def.substeps = substeps, def.integrator = MOTE_VELOCITY_VERLET;
    def.interpolation = MOTE_INTERPOLATE_NONE, def.collisions = true;
    def.collision_radius = (float)RADIUS, def.mass = (float)MASS;
    return def;
}

/* A ball at rest whose lowest point is `above` m over a floor through the origin with the normal (sin, cos).
 */
static ball drop(const mote_system_def *def, double gravity, const mote_collider_def *floor, double angle,
                 double above) {
    ball b;
    engine_check(mote_system_create(def, &b.system), "mote_system_create");
    if (gravity > 0) engine_add_force(b.system, mote_gravity((float[3]){0, (float)-gravity, 0}));
    engine_check(mote_system_add_collider(b.system, floor, &b.floor), "mote_system_add_collider");
    engine_check(mote_system_spawn(b.system, 1, &b.view), "mote_system_spawn");
    b.view.position.x[0] = (float)((RADIUS + above) * sin(angle));
    b.view.position.y[0] = (float)((RADIUS + above) * cos(angle));
    return b;
}

static mote_collider_def floor_at(double angle) {
    return mote_plane((float[3]){0, 0, 0}, (float[3]){(float)sin(angle), (float)cos(angle), 0});
}

static void step(const ball *b) { engine_check(mote_system_step(b->system, 1, NULL), "mote_system_step"); }

/* --- Heights of bounces --- */

/* (v^2 / 2 + g y) / g is the height of the next peak: h e^(2 n) after n bounces. Each substep rounds g y and
 * v^2 / 2, which are at most g h, with two roundings of v and two of y. */
static void bounce(verify_report *report, double restitution, uint32_t substeps) {
    const double height = 2;
    const uint32_t wanted = restitution > 0.9 ? 4 : restitution > 0.6 ? 3 : restitution > 0 ? 2 : 1;
    const mote_system_def def = ball_def(substeps);
    mote_collider_def floor = floor_at(0);
    floor.restitution = (float)restitution;
    const ball b = drop(&def, GRAVITY, &floor, 0, height);
    uint32_t bounces = 0, steps = 0;
    while (bounces < wanted && steps < 600) {
        const float before = b.view.velocity.y[0];
        step(&b);
        steps++;
        bounces += b.view.velocity.y[0] > before;
    }
    const double v = (double)b.view.velocity.y[0], y = (double)b.view.position.y[0] - RADIUS;
    verify_add(report, "ball", y + v * v / (2 * GRAVITY),
               height * pow((double)(float)restitution, 2 * wanted),
               6 * FLOAT_ROUNDING * (height + RADIUS) * steps * substeps,
               "m after bounce %u of 2 m, restitution %g, %u substeps", (unsigned)wanted, restitution,
               (unsigned)substeps);
    mote_system_destroy(b.system);
}

void verify_bounces(verify_report *report) {
    static const double restitution[] = {0, 0.25, 0.5, 0.8, 1};
    for (size_t i = 0; i < sizeof restitution / sizeof *restitution; i++)
        for (uint32_t substeps = 1; substeps <= 16; substeps *= 4) bounce(report, restitution[i], substeps);
}

/* --- Slopes --- */

/* a = g (sin - mu cos), or 0 where mu >= tan, with mu = sqrt(mu_collider mu_particles); velocity Verlet makes
 * a t^2 / 2 exactly. Each substep rounds v and x, of up to a t and a t^2 / 2 along two axes. */
static void slide(verify_report *report, double friction, uint32_t substeps) {
    const double angle = PI / 8;
    mote_system_def def = ball_def(substeps);
    mote_collider_def floor = floor_at(angle);
    def.friction = (float)(2 * friction), floor.friction = (float)(friction / 2);
    const ball b = drop(&def, GRAVITY, &floor, angle, 0);
    for (int i = 0; i < 60; i++) step(&b);
    const double way = ((double)b.view.position.x[0] - RADIUS * sin(angle)) * cos(angle) -
                       ((double)b.view.position.y[0] - RADIUS * cos(angle)) * sin(angle),
                 a = fmax(0, GRAVITY * (sin(angle) - friction * cos(angle)));
    verify_add(report, "ball", way, a / 2, FLOAT_ROUNDING * (1 + 6 * a * 60 * substeps),
               "m down 22.5 degrees in 1 s, friction %g, %u substeps", friction, (unsigned)substeps);
    mote_system_destroy(b.system);
}

/* A ball that rolls has 5/7 of the acceleration, and a friction of 2/7 of it; it slides where mu cos < 2/7
 * sin. Its spin follows from the friction f: 5 f / 2 r. */
static void roll(verify_report *report, double friction) {
    const double angle = PI / 8, along = GRAVITY * sin(angle), held = 2 * along / 7,
                 rubbed = fmin(held, friction * GRAVITY * cos(angle));
    mote_system_def def = ball_def(4);
    mote_collider_def floor = floor_at(angle);
    def.orientation = true, def.inertia[0] = (float)(0.4 * MASS * RADIUS * RADIUS);
    def.friction = floor.friction = (float)friction;
    const ball b = drop(&def, GRAVITY, &floor, angle, 0);
    for (int i = 0; i < 60; i++) step(&b);
    const double v = (double)b.view.velocity.x[0] * cos(angle) - (double)b.view.velocity.y[0] * sin(angle),
                 rounding = 6 * FLOAT_ROUNDING * 240 * along;
    verify_add(report, "ball with spin", v, along - rubbed, rounding,
               "m/s down 22.5 degrees after 1 s, friction %g", friction);
    verify_add(report, "ball with spin", -(double)b.view.angular_velocity.z[0], 2.5 * rubbed / RADIUS,
               2.5 * rounding / RADIUS, "rad/s of it, friction %g", friction);
    mote_system_destroy(b.system);
}

void verify_loose_slope(verify_report *report) {
    static const double friction[] = {0, 0.1, 0.3, 0.45};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++)
        for (uint32_t substeps = 1; substeps <= 8; substeps *= 8) slide(report, friction[i], substeps);
    roll(report, 0.05);
    roll(report, 0.5);
}

/* --- Spin of a bounce --- */

/* Without gravity a ball hits the floor with (3, -4) m/s and the spin w about z: friction takes p = min(mu (1
 * + e) 4, 2/7 |u|) of the slip u = 3 + r w, and gives 5 p / 2 r of spin. */
static void graze(verify_report *report, double friction, double spin) {
    const double e = 0.5;
    mote_system_def def = ball_def(2);
    mote_collider_def floor = floor_at(0);
    def.orientation = true, def.inertia[0] = (float)(0.4 * MASS * RADIUS * RADIUS);
    def.friction = floor.friction = (float)friction, floor.restitution = (float)e;
    const ball b = drop(&def, 0, &floor, 0, 0.1);
    b.view.velocity.x[0] = 3, b.view.velocity.y[0] = -4, b.view.angular_velocity.z[0] = (float)spin;
    for (int i = 0; i < 6; i++) step(&b);
    const double slip = 3 + RADIUS * spin, p = fmin(friction * (1 + e) * 4, 2 * fabs(slip) / 7),
                 taken = slip < 0 ? -p : p, rounding = 16 * FLOAT_ROUNDING * (5 + RADIUS * fabs(spin));
    verify_add(report, "ball with spin", (double)b.view.velocity.x[0], 3 - taken, rounding,
               "m/s along, friction %g, %g rad/s before", friction, spin);
    verify_add(report, "ball with spin", (double)b.view.angular_velocity.z[0], spin - 2.5 * taken / RADIUS,
               2.5 * rounding / RADIUS, "rad/s, friction %g, %g rad/s before", friction, spin);
    verify_add(report, "ball with spin", (double)b.view.velocity.y[0], 4 * e, 4 * FLOAT_ROUNDING * 4,
               "m/s up, friction %g, %g rad/s before", friction, spin);
    mote_system_destroy(b.system);
}

void verify_spin(verify_report *report) {
    static const double spin[] = {0, 16, -40};
    for (size_t i = 0; i < sizeof spin / sizeof *spin; i++) {
        graze(report, 0.1, spin[i]);
        graze(report, 2, spin[i]);
    }
}

/* --- Responses --- */

static ball meet(mote_response response) {
    mote_system_def def = ball_def(4);
    mote_collider_def floor = floor_at(0);
    def.sticking = true;
    floor.response = response;
    return drop(&def, GRAVITY, &floor, 0, 0.5);
}

/* 0.5 m of free fall take 0.319 s, 20 steps. A stuck ball goes with the floor, which moves by 1 m along x and
 * 2 m up within the next ten steps; sums of three places are rounded. */
void verify_responses(verify_report *report) {
    ball b = meet(MOTE_RESPONSE_PASS);
    for (int i = 0; i < 60; i++) step(&b);
    verify_add(report, "pass", (double)b.view.position.y[0], RADIUS + 0.5 - GRAVITY / 2,
               2 * FLOAT_ROUNDING * 5 * 240, "m, y after 1 s");
    mote_system_destroy(b.system);
    b = meet(MOTE_RESPONSE_KILL);
    for (int i = 0; i < 19; i++) step(&b);
    verify_add(report, "kill", mote_system_count(b.system), 1, 0, "alive in the step before the hit");
    step(&b);
    verify_add(report, "kill", mote_system_count(b.system), 0, 0, "alive after the step of the hit");
    mote_system_destroy(b.system);
    b = meet(MOTE_RESPONSE_STICK);
    for (int i = 0; i < 30; i++) step(&b);
    verify_add(report, "stick", (double)b.view.position.y[0], RADIUS, 4 * FLOAT_ROUNDING, "m, y after 0.5 s");
    mote_transform away = MOTE_TRANSFORM_IDENTITY;
    away.position[0] = 1, away.position[1] = 2;
    mote_advance clock;
    engine_check(mote_system_advance(b.system, 0, &clock), "mote_system_advance");
    engine_check(mote_system_move_collider(b.system, b.floor, &away,
                                           mote_system_tick(b.system) + 10 * clock.ticks_per_step),
                 "mote_system_move_collider");
    for (int i = 0; i < 10; i++) step(&b);
    verify_add(report, "stick", (double)b.view.position.y[0], RADIUS + 2, 4 * FLOAT_ROUNDING * 2,
               "m, y after the floor has moved");
    verify_add(report, "stick", (double)b.view.position.x[0], 1, 4 * FLOAT_ROUNDING, "m, x of it");
    mote_system_destroy(b.system);
}
