/* Hair on a head that turns, with a ball to push through it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mote/cglm.h>

#include "ribbons.h"

enum { POINTS = 32, HAIRS = 4096, SOLIDS = 4 };
#define HEAD_RADIUS 0.1f

typedef struct hair {
    ribbons ribbons;
    mote_collider_def solid[SOLIDS], ball;
    mote_collider_id id[SOLIDS], ball_id;
    int solids; /* that there are: a model has a head at most */
    float ball_at[3];
    bool holds_ball;
} hair;

static const float head_at[3] = {0, 1.6f, 0};

static float random_at(uint32_t item, uint32_t draw) {
    uint64_t z = (item + 1) * 0x9e3779b97f4a7c15u + draw * 0xd1b54a32d192ed03u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)(z >> 40) * 0x1p-24f;
}

/* Place of a hair on the scalp: the part of the sphere that is above the ears and behind the forehead, evenly
 * by the golden angle. */
static bool on_scalp(uint32_t number, uint32_t of, vec3 normal) {
    const float y = 1 - 1.45f * ((float)number + 0.5f) / (float)of, r = sqrtf(fmaxf(0, 1 - y * y));
    const float phi = 2.399963f * (float)number;
    glm_vec3_copy((vec3){r * scene_cosine(phi), y, r * scene_sine(phi)}, normal);
    return normal[2] < 0.45f || y > 0.62f; /* the face looks along z */
}

/* Head, neck, shoulders, trunk: capsules. */
static const struct solid {
    float from[3], to[3], radius;
} body[SOLIDS] = {{{0, 1.6f, 0}, {0, 1.6f, 0}, HEAD_RADIUS},
                  {{0, 1.38f, -0.01f}, {0, 1.52f, -0.01f}, 0.05f},
                  {{-0.15f, 1.30f, -0.01f}, {0.15f, 1.30f, -0.01f}, 0.075f},
                  {{0, 1.0f, -0.01f}, {0, 1.24f, -0.01f}, 0.135f}};

/* Turns a way along a solid that it would come near to. */
static void avoid(const struct solid *solid, const vec3 at, vec3 way) {
    const float reach = solid->radius + 0.027f;
    if (at[1] > fmaxf(solid->from[1], solid->to[1]) + reach) return; /* most points are above most solids */
    vec3 axis, off;
    glm_vec3_sub((float *)solid->to, (float *)solid->from, axis);
    glm_vec3_sub((float *)at, (float *)solid->from, off);
    const float along = glm_clamp(glm_vec3_dot(off, axis) / fmaxf(glm_vec3_norm2(axis), 1e-12f), 0, 1);
    glm_vec3_muladds(axis, -along, off);
    const float distance = glm_vec3_norm(off), room = distance - solid->radius - 0.007f;
    glm_vec3_scale(off, 1 / distance, off);
    const float inward = glm_vec3_dot(way, off);
    if (inward < 0 && room < 0.02f) glm_vec3_muladds(off, -inward * (1 - glm_clamp(room / 0.02f, 0, 1)), way);
}

/* One hair: it leaves the scalp, leans away from the parting and hangs down outside the body. */
static void grow(uint32_t item, const float normal[3], float length, float (*points)[3]) {
    const float segment = length / (POINTS - 1), lean = 0.05f + 0.25f * random_at(item, 1);
    vec3 at, way;
    for (int i = 0; i < 3; i++) at[i] = head_at[i] + (HEAD_RADIUS + 0.001f) * normal[i];
    glm_vec3_copy((vec3){normal[0], 0.3f * normal[1], normal[2] - 0.1f}, way);
    for (int k = 0; k < POINTS; k++) {
        glm_vec3_copy(at, points[k]);
        vec3 aim = {normal[0] * lean, -0.9f, normal[2] * lean - 0.12f};
        glm_vec3_muladds(aim, 0.5f, way);
        for (int i = 0; i < SOLIDS; i++) avoid(&body[i], at, way);
        glm_vec3_normalize(way);
        glm_vec3_muladds(way, segment, at);
    }
}

static mote_strands_id add_hair(scene_state *s, float (*positions)[3], uint32_t strands) {
    mote_strands_def def = mote_default_strands_def();
    float *masses = malloc((size_t)strands * POINTS * sizeof *masses);
    if (!masses) exit(1);
    for (uint32_t n = 0; n < strands * POINTS; n++) { /* 1.2e-4 kg/m: twenty hairs */
        const uint32_t k = n % POINTS, other = k ? n - 1 : n + 1;
        masses[n] = 1.2e-4f * glm_vec3_distance(positions[n], positions[other]) *
                    (k == 0 || k + 1 == POINTS ? 0.5f : 1);
        if (!(masses[n] > 1e-9f)) masses[n] = 1e-9f;
    }
    def.strand_count = strands, def.points = POINTS, def.positions = positions[0];
    def.point_mass = masses, def.bending_stiffness = 1e-7f * s->parameter[1];
    def.normal_drag = 1.4e-3f, def.tangential_drag = 5e-4f, def.radius = 0.0015f, def.friction = 0.15f;
    def.collide_from = 2, def.substeps = s->substeps ? s->substeps : 4;
    mote_strands_id id;
    mote_strands_fault fault;
    const mote_result result = mote_system_add_strands(s->system, &def, &id, &fault);
    free(masses);
    must(result, fault.parameter ? fault.parameter : "mote_system_add_strands");
    s->points = strands * POINTS;
    return id;
}

#if !defined(__EMSCRIPTEN__) /* the page opens no files */
/* Finds the sphere that is nearest to the roots of a model, by least squares: |p|^2 = 2 c p + (r^2 - |c|^2).
 * The head of a model is not in its file. Returns false if the roots lie on no sphere of a head's size. */
static bool fit_head(const mote_hair *model, mote_collider_def *head) {
    mat4 sums = GLM_MAT4_ZERO_INIT, inverse;
    vec4 right = GLM_VEC4_ZERO_INIT, found;
    vec3 middle = GLM_VEC3_ZERO_INIT;
    for (uint32_t i = 0; i < model->strand_count; i++)
        glm_vec3_muladds(model->points[i * POINTS], 1 / (float)model->strand_count, middle);
    for (uint32_t i = 0; i < model->strand_count; i++) {
        vec4 row = {0, 0, 0, 1};
        glm_vec3_sub(model->points[i * POINTS], middle, row);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) sums[a][b] += row[a] * row[b] / (float)model->strand_count;
        glm_vec4_muladds(row, glm_vec3_norm2(row) / (float)model->strand_count, right);
    }
    glm_mat4_inv(sums, inverse);
    glm_mat4_mulv(inverse, right, found);
    glm_vec3_scale(found, 0.5f, found);
    const float radius = sqrtf(found[3] + glm_vec3_norm2(found));
    if (!(radius > 0.03f && radius < 0.3f)) return false;
    glm_vec3_add(found, middle, middle);
    *head = mote_sphere(middle, 0.97f * radius);
    return true;
}

static mote_strands_id add_model(scene_state *s) {
    hair *h = s->own;
    mote_hair *model;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.points = POINTS;
    must(mote_hair_resample(s->hair, &def, &model, NULL), "mote_hair_resample");
    vec3 low = {1e30f, 1e30f, 1e30f}, high = {-1e30f, -1e30f, -1e30f};
    for (uint32_t i = 0; i < model->point_count; i++)
        glm_vec3_minv(low, model->points[i], low), glm_vec3_maxv(high, model->points[i], high);
    /* Models come in many units, most with z up: the tallest side becomes half a metre. */
    const bool z_up = high[2] - low[2] > high[1] - low[1];
    const float tall = fmaxf(high[2] - low[2], high[1] - low[1]), scale = 0.5f / fmaxf(tall, 1e-6f);
    static const float upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    const float top = z_up ? high[2] : high[1];
    const float back = z_up ? 0.5f * (low[1] + high[1]) : -0.5f * (low[2] + high[2]);
    const float origin[3] = {-scale * 0.5f * (low[0] + high[0]), head_at[1] + 0.13f - scale * top,
                             scale * back};
    must(mote_hair_transform(model, scale, z_up ? turned : upright, origin), "mote_hair_transform");
    h->solids = fit_head(model, &h->solid[0]);
    const mote_strands_id id = add_hair(s, model->points, model->strand_count);
    mote_hair_destroy(model);
    return id;
}
#endif

static mote_strands_id add_groom(scene_state *s) {
    const uint32_t most = (uint32_t)s->parameter[0];
    float(*positions)[3] = malloc((size_t)most * POINTS * sizeof *positions);
    uint32_t count = 0;
    if (!positions) exit(1);
    for (uint32_t i = 0; i < 2 * most && count < most; i++) {
        vec3 normal;
        if (!on_scalp(i, (uint32_t)((float)most * 1.32f), normal)) continue;
        grow(i, normal, 0.34f + 0.06f * random_at(i, 0), positions + (size_t)count * POINTS);
        count++;
    }
    const mote_strands_id id = add_hair(s, positions, count);
    free(positions);
    return id;
}

static void open_hair(scene_state *s) {
    hair *h = calloc(1, sizeof *h);
    if (!h) exit(1);
    s->own = h;
    mote_system_def def = scene_def(0, 4);
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    h->solid[0] = mote_sphere(head_at, HEAD_RADIUS);
    for (int i = 1; i < SOLIDS; i++) h->solid[i] = mote_capsule(body[i].from, body[i].to, body[i].radius);
    glm_vec3_copy((vec3){0.31f, 1.45f, 0.11f}, h->ball_at);
    h->ball = mote_sphere(h->ball_at, 0.06f);
    h->ball_id = scene_add_collider(s->system, &h->ball);
    h->solids = SOLIDS;
#if defined(__EMSCRIPTEN__)
    const mote_strands_id id = add_groom(s);
#else
    const mote_strands_id id = s->hair ? add_model(s) : add_groom(s);
#endif
    for (int i = 0; i < h->solids; i++)
        h->solid[i].friction = 0.2f, h->id[i] = scene_add_collider(s->system, &h->solid[i]);
    h->ribbons = ribbons_make(s->system, id, 0.0016f, 0.0006f);
}

static void close_hair(scene_state *s) {
    hair *h = s->own;
    ribbons_destroy(&h->ribbons);
    free(h);
}

static mote_transform head_turn(const scene_state *s, double time) {
    const float angle = s->parameter[2] * scene_sine(1.8f * (float)time);
    return (mote_transform){{0, 0, 0}, {0, scene_sine(angle / 2), 0, scene_cosine(angle / 2)}};
}

static void before_hair(scene_state *s, double seconds) {
    hair *h = s->own;
    scene_pointer *p = &s->pointer;
    const mote_transform turn = head_turn(s, scene_time_after(s, seconds));
    must(mote_strands_set_roots(s->system, h->ribbons.id, &turn, 1, MOTE_NEXT_ADVANCE),
         "mote_strands_set_roots");
    const mote_transform head = mote_transform_multiply(&turn, &h->solid[0].transform);
    if (h->solids > 0)
        must(mote_system_move_collider(s->system, h->id[0], &head, MOTE_NEXT_ADVANCE),
             "mote_system_move_collider");
    if (p->pressed && scene_nearest(p, h->ball_at, 1, 0.07f) == 0)
        h->holds_ball = true, scene_grab_at(p, h->ball_at);
    h->holds_ball &= p->held;
    if (h->holds_ball) glm_vec3_copy(p->point, h->ball_at);
    const mote_transform ball = {{h->ball_at[0], h->ball_at[1], h->ball_at[2]}, {0, 0, 0, 1}};
    must(mote_system_move_collider(s->system, h->ball_id, &ball, MOTE_NEXT_ADVANCE),
         "mote_system_move_collider");
}

static void paint_hair(scene_state *s, draw_state *d) {
    static const draw_material skin = {.colour = {0.50f, 0.33f, 0.25f}, .gloss = 0.12f},
                               shirt = {.colour = {0.05f, 0.075f, 0.11f}, .gloss = 0.05f},
                               glass = {.colour = {0.65f, 0.42f, 0.08f}, .gloss = 0.9f};
    static const draw_hair_look look = {
        .root = {0.10f, 0.038f, 0.016f}, .tip = {0.30f, 0.115f, 0.04f}, .gloss = 0.9f};
    hair *h = s->own;
    const mote_transform ball = {{h->ball_at[0], h->ball_at[1], h->ball_at[2]}, {0, 0, 0, 1}};
    const mote_transform turn = head_turn(s, scene_time(s)),
                         head = mote_transform_multiply(&turn, &h->solid[0].transform);
    for (int i = 0; i < h->solids; i++)
        scene_paint_collider(d, &h->solid[i], i ? &h->solid[i].transform : &head, i < 2 ? &skin : &shirt);
    scene_paint_collider(d, &h->ball, &ball, &glass);
    ribbons_draw(&h->ribbons, s->system, d, &look);
}

const scene scene_hair = {
    .name = "hair",
    .title = "Hair",
    .source = "scenes_hair.c",
    .text = {"Hairs of 32 points with bending stiffness; the head and the shoulders hold them by friction.",
             "Turn the head with the slider; drag the ball through the hair with the left button.",
             "Every segment keeps its length to 0.2 percent."},
    .look = {{0.08f, 1.485f, 0}, 1.1f, 2.55f, 0.1f, 0.6f, 1.9f},
    .parameters = {{"hairs", 256, 16384, HAIRS, true, true, .grown = true},
                   {"bending stiffness, 1e-7 N m^2", 0, 10, 1, false, true, NULL, false},
                   {"turning, rad", 0, 1.5f, 0.9f, false, false, NULL, false}},
    .has_strands = true,
    .open = open_hair,
    .close = close_hair,
    .before = before_hair,
    .paint = paint_hair};
