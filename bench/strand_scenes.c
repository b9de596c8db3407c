/* The scenes of strands: shapes, settings and motion; and the contender that steps them. */
#include "strand_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "random.h"

/* --- Motion --- */

/* A smooth wave between -1 and 1 that begins at 0: a triangle rounded by a cubic. */
static float wave(uint64_t frame, uint32_t period) {
    float s = 4 * (float)(frame % period) / (float)period, t = s < 1 ? s : s < 3 ? 2 - s : s - 4;
    return 0.5f * t * (3 - t * t);
}

/* About the origin, in the frame that follows frame `frame`. */
static mote_transform nod_and_turn(uint64_t frame) {
    return (mote_transform){.rotation = {0.2f * wave(frame + 1, 47), 0.35f * wave(frame + 1, 75), 0, 1}};
}

void strands_turn(strand_run *run) {
    mote_transform root = nod_and_turn(run->frame);
    engine_check(mote_strands_set_roots(run->system, run->id, &root, 1, MOTE_NEXT_ADVANCE),
                 "mote_strands_set_roots");
}

/* The rotation of the point (0, height, 0) by a quaternion: a + 2 (w (v x a) + v x (v x a)) / q.q. */
static void turn_up(const float q[4], float height, float point[3]) {
    float scale = 2 * height / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    point[0] = scale * (q[0] * q[1] - q[3] * q[2]);
    point[1] = height - scale * (q[0] * q[0] + q[2] * q[2]);
    point[2] = scale * (q[1] * q[2] + q[3] * q[0]);
}

/* --- rope --- */

#define ROPE_POINTS 64u

static void rope_shape(uint32_t strand, float (*points)[3]) {
    (void)strand;
    for (uint32_t k = 0; k < ROPE_POINTS; k++) {
        points[k][0] = (float)k / (ROPE_POINTS - 1);
        points[k][1] = points[k][2] = 0;
    }
}

static void rope_settings(mote_strands_def *def) { def->mass = ROPE_MASS; }

const strand_scene rope_scene = {
    .points = ROPE_POINTS, .gravity = {0, -9.81f, 0}, .shape = rope_shape, .settings = rope_settings};

/* --- hair --- */

/* The neck, about which the head turns, is the origin; m. */
#define HEAD_HEIGHT   0.12f
#define HEAD_RADIUS   0.09f
#define BACK_Z        0.06f /* no roots in front of it: the face */
#define SHOULDER_Y    (-0.06f)
#define SHOULDER_X    0.15f
#define SHOULDER      0.05f
#define HAIR_LENGTH   0.3f
#define HAIR_POINTS   32u
#define HAIR_RADIUS   0.001f
#define HAIR_DISTANCE 0.004f /* of the rest shape from head and shoulders */

/* Uniform on the unit sphere (Marsaglia, Annals of Mathematical Statistics 43 (1972) 645). */
static bool draw_direction(uint32_t strand, uint32_t draw, float n[3]) {
    uint64_t bits = random_bits(strand, draw);
    float a = random_signed(bits, 0), b = random_signed(bits, 20), s = a * a + b * b;
    if (!(s < 1)) return false;
    n[0] = 2 * a * sqrtf(1 - s);
    n[1] = 1 - 2 * s;
    n[2] = 2 * b * sqrtf(1 - s);
    return true;
}

static void draw_root(uint32_t strand, float n[3]) {
    static const float crown[3] = {0, 1, 0};
    for (uint32_t draw = 0; draw < DRAWS_PER_SERIAL; draw++)
        if (draw_direction(strand, draw, n) && n[1] >= 0 && HEAD_RADIUS * n[2] <= BACK_Z) return;
    memcpy(n, crown, sizeof crown);
}

/* The nearer of head and shoulders: the nearest point of its axis, and its radius plus the distance of the
 * hair. */
static float obstacle(const float p[3], float centre[3]) {
    centre[0] = centre[2] = 0;
    centre[1] = HEAD_HEIGHT;
    if (p[1] > 0.5f * (HEAD_HEIGHT - HEAD_RADIUS + SHOULDER_Y + SHOULDER)) return HEAD_RADIUS + HAIR_DISTANCE;
    centre[0] = p[0] < -SHOULDER_X ? -SHOULDER_X : p[0] > SHOULDER_X ? SHOULDER_X : p[0];
    centre[1] = SHOULDER_Y;
    return SHOULDER + HAIR_DISTANCE;
}

/* The next point: one segment downwards, or along the surface that the segment would enter, with a small part
 * of `outward`. */
static void grow(const float from[3], const float outward[3], float to[3]) {
    const float length = HAIR_LENGTH / (HAIR_POINTS - 1);
    float centre[3], n[3], d[3] = {0.05f * outward[0], -1, 0.05f * outward[2]}, square = 0, along = 0;
    float radius = obstacle(from, centre);
    for (int i = 0; i < 3; i++) n[i] = from[i] - centre[i];
    float distance = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) along += d[i] * n[i] / distance;
    bool in_contact = distance < radius + length && along < 0;
    for (int i = 0; i < 3 && in_contact; i++) d[i] -= along * n[i] / distance;
    for (int i = 0; i < 3; i++) square += d[i] * d[i];
    for (int i = 0; i < 3; i++) to[i] = from[i] + length / sqrtf(square) * d[i];
    radius = obstacle(to, centre);
    for (int i = 0; i < 3; i++) n[i] = to[i] - centre[i];
    distance = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3 && distance < radius; i++) to[i] = centre[i] + radius / distance * n[i];
}

static void hair_shape(uint32_t strand, float (*points)[3]) {
    float n[3];
    draw_root(strand, n);
    for (int i = 0; i < 3; i++) points[0][i] = (HEAD_RADIUS + HAIR_DISTANCE) * n[i];
    points[0][1] += HEAD_HEIGHT;
    for (uint32_t k = 1; k < HAIR_POINTS; k++) grow(points[k - 1], n, points[k]);
}

static void hair_settings(mote_strands_def *def) {
    def->normal_drag = 0.01f;
    def->tangential_drag = 0.003f;
    def->radius = HAIR_RADIUS;
}

static void hair_equip(strand_run *run) {
    mote_collider_id still;
    mote_collider_def head = mote_sphere((float[3]){0, HEAD_HEIGHT, 0}, HEAD_RADIUS);
    mote_collider_def shoulders =
        mote_capsule((float[3]){-SHOULDER_X, SHOULDER_Y, 0}, (float[3]){SHOULDER_X, SHOULDER_Y, 0}, SHOULDER);
    engine_check(mote_system_add_collider(run->system, &head, &run->collider), "mote_system_add_collider");
    engine_check(mote_system_add_collider(run->system, &shoulders, &still), "mote_system_add_collider");
}

static void hair_move(strand_run *run) {
    mote_transform head = nod_and_turn(run->frame);
    turn_up(head.rotation, HEAD_HEIGHT, head.position);
    strands_turn(run);
    engine_check(mote_system_move_collider(run->system, run->collider, &head, MOTE_NEXT_ADVANCE),
                 "mote_system_move_collider");
}

const strand_scene hair_scene = {.points = HAIR_POINTS,
                                 .gravity = {0, -9.81f, 0},
                                 .shape = hair_shape,
                                 .settings = hair_settings,
                                 .equip = hair_equip,
                                 .move = hair_move};

/* --- shaken --- */

/* The head alone, without shoulders. */
static void shaken_equip(strand_run *run) {
    mote_collider_def head = mote_sphere((float[3]){0, HEAD_HEIGHT, 0}, HEAD_RADIUS);
    engine_check(mote_system_add_collider(run->system, &head, &run->collider), "mote_system_add_collider");
}

/* From side to side by 5 cm, twice a second. */
static void shaken_move(strand_run *run) {
    const float x = 0.05f * wave(run->frame + 1, 30);
    const mote_transform root = {.position = {x, 0, 0}, .rotation = {0, 0, 0, 1}},
                         head = {.position = {x, HEAD_HEIGHT, 0}, .rotation = {0, 0, 0, 1}};
    engine_check(mote_strands_set_roots(run->system, run->id, &root, 1, MOTE_NEXT_ADVANCE),
                 "mote_strands_set_roots");
    engine_check(mote_system_move_collider(run->system, run->collider, &head, MOTE_NEXT_ADVANCE),
                 "mote_system_move_collider");
}

const strand_scene shaken_scene = {.points = HAIR_POINTS,
                                   .gravity = {0, -9.81f, 0},
                                   .shape = hair_shape,
                                   .settings = hair_settings,
                                   .equip = shaken_equip,
                                   .move = shaken_move};

static void bare_settings(mote_strands_def *def) { (void)def; }

const strand_scene bare_hair_scene = {.points = HAIR_POINTS,
                                      .gravity = {0, -9.81f, 0},
                                      .shape = hair_shape,
                                      .settings = bare_settings,
                                      .move = strands_turn};

/* --- curls --- */

#define CURL_POINTS 32u
#define CURL_RADIUS 0.008f
#define CURL_PITCH  0.006f /* m down a point */
#define CURL_ROW    64u

/* Helices that hang from a square lattice, right- and left-handed in turn; each point turns by the angle of
 * the triangle 3, 4, 5: 6.8 points a winding. */
static void curls_shape(uint32_t strand, float (*points)[3]) {
    float x = 0.01f * ((float)(strand % CURL_ROW) - 0.5f * CURL_ROW), z = 0.01f * (float)(strand / CURL_ROW);
    float cosine = 1, sine = 0, hand = strand % 2 ? -0.8f : 0.8f;
    for (uint32_t k = 0; k < CURL_POINTS; k++) {
        points[k][0] = x + CURL_RADIUS * (cosine - 1);
        points[k][1] = -CURL_PITCH * (float)k;
        points[k][2] = z + CURL_RADIUS * sine;
        float next = 0.6f * cosine - hand * sine;
        sine = 0.6f * sine + hand * cosine;
        cosine = next;
    }
}

/* Rods whose coils give by some centimetres under their weight. c^4 h^2 EI / (mass per metre) = 0.13 at 8
 * substeps, c = 75/m. */
static void curls_settings(mote_strands_def *def) {
    def->mass = 0.0002f;
    def->bending_stiffness = 6e-7f, def->twisting_stiffness = 4e-7f;
    def->normal_drag = 0.002f;
    def->tangential_drag = 0.0007f;
}

const strand_scene curls_scene = {.points = CURL_POINTS,
                                  .gravity = {0, -9.81f, 0},
                                  .shape = curls_shape,
                                  .settings = curls_settings,
                                  .move = strands_turn};

/* c^4 h^2 EI / (mass per metre) = 13 at 8 substeps: beyond 6.4. */
static void stiff_curls_settings(mote_strands_def *def) {
    curls_settings(def);
    def->bending_stiffness *= 100, def->twisting_stiffness *= 100;
}

const strand_scene stiff_curls_scene = {.points = CURL_POINTS,
                                        .gravity = {0, -9.81f, 0},
                                        .shape = curls_shape,
                                        .settings = stiff_curls_settings,
                                        .move = strands_turn};

/* --- The contender --- */

uint32_t strands_whole(const bench_scene *scene, uint32_t asked) {
    uint32_t points = scene->strand->points, strands = (asked ? asked : scene->particles) / points;
    return (strands ? strands : 1) * points;
}

static void *strands_open(const bench_config *config) {
    const strand_scene *scene = config->scene->strand;
    mote_system_def system = engine_def(config);
    strand_run *run = strand_run_create(&system, scene->gravity);
    float(*positions)[3] = allocate_or_fail(sizeof *positions * config->particles);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* those of the system */
    def.strand_count = config->particles / scene->points;
    def.points = scene->points;
    def.positions = positions[0];
    scene->settings(&def);
    for (uint32_t i = 0; i < def.strand_count; i++) scene->shape(i, positions + (size_t)i * scene->points);
    strand_run_add(run, &def);
    free(positions);
    run->move = scene->move;
    if (scene->equip) scene->equip(run);
    return run;
}

static void strands_refill(void *user) {
    strand_run *run = user;
    engine_check(mote_strands_reset(run->system, run->id, MOTE_ALL_STRANDS), "mote_strands_reset");
}

void strands_run(void *user, uint32_t frames) {
    for (uint32_t frame = 0; frame < frames; frame++) strand_run_frame(user);
}

uint64_t strands_hash(void *user) { return mote_system_hash(((strand_run *)user)->system); }

void strands_close(void *user) { strand_run_destroy(user); }

const bench_contender strands_contender = {"strands",   strands_open, NULL,
                                           strands_run, strands_hash, strands_close};
const bench_contender rope_contender = {"rope",      strands_open, strands_refill,
                                        strands_run, strands_hash, strands_close};

void strands_observe(void *user, bench_observation *observation) {
    const strand_run *run = user;
    *observation = (bench_observation){.max_strain = run->tally.max_strain,
                                       .mean_strain = tally_mean_strain(&run->tally),
                                       .iterations = tally_iterations(run),
                                       .unsolved = (double)run->tally.unsolved / (double)run->tally.frames,
                                       .frozen = (double)run->tally.frozen};
}

static spread constant(double value) { return (spread){value, value, value}; }

uint32_t strands_figures(const measurement *result, scene_figure *figures) {
    const bench_observation *seen = &result->observation;
    spread time = spread_of(result->engine.seconds, result->config.repeat);
    double nodes = result->config.particles;
    const scene_figure all[] = {{"node_frames_per_second",
                                 "1/s",
                                 "M node-frames/s",
                                 1e6,
                                 {nodes / time.median, nodes / time.max, nodes / time.min}},
                                {"max_strain", "1", "% largest strain", 0.01, constant(seen->max_strain)},
                                {"mean_strain", "1", "% mean strain", 0.01, constant(seen->mean_strain)},
                                {"iterations", "1", "iterations", 1, constant(seen->iterations)},
                                {"unsolved", "1", "strands unsolved a frame", 1, constant(seen->unsolved)},
                                {"frozen", "1", "frozen", 1, constant(seen->frozen)}};
    memcpy(figures, all, sizeof all);
    return sizeof all / sizeof all[0];
}
