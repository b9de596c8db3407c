/* Scenes of strands: a rope with a weight, rods. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mote/cglm.h>

#include "ribbons.h"

/* --- Ribbons --- */

enum { MANY = 1 << 16 }; /* vertices, which a software renderer draws coarsely at first */

/* Appends the indices of a coarse picture: two segments of a strand that follow each other become one. */
static size_t add_coarse(uint32_t *indices, size_t count) {
    size_t to = count;
    for (size_t i = 0; i < count; i += 6) {
        const uint32_t *near = indices + i, *far = near;
        if (i + 6 < count && near[6] == near[0] + 2) far += 6, i += 6; /* it goes on in the same strand */
        for (int k = 0; k < 6; k++) indices[to++] = near[k] < near[0] + 2 ? near[k] : far[k];
    }
    return to - count;
}

ribbons ribbons_make(const mote_system *system, mote_strands_id id, float root_width, float tip_width) {
    ribbons r = {.id = id,
                 .stream = draw_hair_stream(),
                 .vertices = mote_strands_vertex_count(system, id, MOTE_STRAND_RIBBONS),
                 .root_width = root_width,
                 .tip_width = tip_width,
                 .facing = MOTE_RIBBON_EYE};
    const uint64_t count = mote_strands_index_count(system, id, MOTE_STRAND_RIBBONS);
    uint32_t *indices = malloc(2 * (size_t)count * sizeof *indices);
    if (!indices) exit(1);
    must(mote_strands_index_buffer(system, id, MOTE_STRAND_RIBBONS, indices, count),
         "mote_strands_index_buffer");
    const size_t coarse = add_coarse(indices, (size_t)count);
    gl_stream_indices(&r.stream, indices, ((size_t)count + coarse) * sizeof *indices);
    free(indices);
    r.indices = (int)count, r.coarse_indices = (int)coarse;
    return r;
}

void ribbons_destroy(ribbons *r) { gl_stream_destroy(&r->stream); }

void ribbons_draw(ribbons *r, const mote_system *system, draw_state *d, const draw_hair_look *look) {
    if (d->shadow) { /* the picture's pass uses the same vertices */
        mote_strand_layout layout = mote_default_strand_layout();
        layout.shape = MOTE_STRAND_RIBBONS, layout.stride = 32, layout.facing = r->facing;
        layout.tangent_offset = 12, layout.side_offset = 24, layout.parameter_offset = 28;
        /* Not thinner than a pixel: what falls between pixels would flicker. */
        const float pixel = 0.9f * d->camera->height_of_pixel * d->camera->distance;
        layout.root_width = fmaxf(r->root_width, pixel), layout.tip_width = fmaxf(r->tip_width, 0.8f * pixel);
        glm_vec3_copy(d->camera->eye, layout.eye);
        const size_t bytes = (size_t)r->vertices * layout.stride;
        void *to = gl_stream_map(&r->stream, bytes);
        if (!to) return;
        must(mote_strands_present(system, r->id, &layout, to, bytes), "mote_strands_present");
        gl_stream_unmap(&r->stream);
    }
    if (d->quality == 0 && r->vertices > MANY)
        draw_hair(d, &r->stream, r->indices, r->coarse_indices, look);
    else
        draw_hair(d, &r->stream, 0, r->indices, look);
}

static const float ground[3] = {0.06f, 0.068f, 0.082f};

/* --- Rope with a weight --- */

enum { ROPE_POINTS = 65 };
#define ROPE_LENGTH 2.4f

typedef struct rope {
    ribbons ribbons;
    mote_collider_def post;
    uint32_t grabbed; /* point; MOTE_NO_ITEM */
} rope;

static void open_rope(scene_state *s) {
    rope *r = calloc(1, sizeof *r);
    float positions[ROPE_POINTS][3], masses[ROPE_POINTS];
    if (!r) exit(1);
    s->own = r;
    r->grabbed = MOTE_NO_ITEM;
    mote_system_def def = scene_def(0, 8);
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    r->post = mote_capsule((const float[3]){0.8f, 1.75f, -0.7f}, (const float[3]){0.8f, 1.75f, 0.7f}, 0.11f);
    scene_add_collider(s->system, &r->post);
    mote_collider_def floor = mote_plane((const float[3]){0, 0, 0}, (const float[3]){0, 1, 0});
    scene_add_collider(s->system, &floor);
    for (int i = 0; i < ROPE_POINTS; i++) {
        positions[i][0] = ROPE_LENGTH * (float)i / (ROPE_POINTS - 1);
        positions[i][1] = 2.1f + 0.2f * positions[i][0], positions[i][2] = 0.02f * positions[i][0];
        masses[i] = 0.1f * ROPE_LENGTH / ROPE_POINTS;
    }
    masses[ROPE_POINTS - 1] = s->parameter[0];
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = 1, strands.points = ROPE_POINTS, strands.positions = positions[0];
    strands.point_mass = masses, strands.radius = 0.02f, strands.friction = s->parameter[1];
    strands.normal_drag = 0.02f, strands.tangential_drag = 0.002f, strands.substeps = 16;
    mote_strands_id id;
    must(mote_system_add_strands(s->system, &strands, &id, NULL), "mote_system_add_strands");
    s->points = ROPE_POINTS;
    r->ribbons = ribbons_make(s->system, id, 0.04f, 0.04f);
}

static void close_rope(scene_state *s) {
    rope *r = s->own;
    ribbons_destroy(&r->ribbons);
    free(r);
}

/* Pins the point of a strand that the pointer holds, and releases it when the pointer lets go. */
static void drag_strand(scene_state *s, mote_strands_id id, uint32_t points, uint32_t *grabbed) {
    float positions[ROPE_POINTS * 3];
    scene_pointer *p = &s->pointer;
    if (p->pressed && *grabbed == MOTE_NO_ITEM && points <= ROPE_POINTS) {
        must(mote_strands_state(s->system, id, 0, 1, positions, NULL), "mote_strands_state");
        const uint32_t nearest = scene_nearest(p, positions + 3, points - 1, 0.12f);
        if (nearest == MOTE_NO_ITEM) return;
        *grabbed = nearest + 1;
        scene_grab_at(p, positions + 3 * *grabbed);
    }
    if (*grabbed == MOTE_NO_ITEM) return;
    if (p->held) {
        must(mote_strands_pin(s->system, id, 0, *grabbed, p->point, MOTE_NEXT_ADVANCE), "mote_strands_pin");
    } else {
        must(mote_strands_unpin(s->system, id, 0, *grabbed), "mote_strands_unpin");
        *grabbed = MOTE_NO_ITEM;
    }
}

static void before_rope(scene_state *s, double seconds) {
    (void)seconds;
    rope *r = s->own;
    drag_strand(s, r->ribbons.id, ROPE_POINTS, &r->grabbed);
}

static void paint_rope(scene_state *s, draw_state *d) {
    rope *r = s->own;
    static const draw_material wood = {.colour = {0.34f, 0.2f, 0.1f}, .gloss = 0.3f},
                               iron = {.colour = {0.09f, 0.1f, 0.12f}, .gloss = 0.8f};
    static const draw_hair_look hemp = {
        .root = {0.62f, 0.45f, 0.24f}, .tip = {0.62f, 0.45f, 0.24f}, .gloss = 0.1f};
    draw_floor(d, 0, ground);
    scene_paint_collider(d, &r->post, &r->post.transform, &wood);
    ribbons_draw(&r->ribbons, s->system, d, &hemp);
    float ends[2][3];
    mote_strand_layout layout = mote_default_strand_layout();
    float points[ROPE_POINTS][3];
    must(mote_strands_present(s->system, r->ribbons.id, &layout, points, sizeof points),
         "mote_strands_present");
    memcpy(ends[0], points[0], sizeof ends[0]), memcpy(ends[1], points[ROPE_POINTS - 1], sizeof ends[1]);
    for (int i = 0; i < 2; i++) {
        mat4 at;
        glm_translate_make(at, ends[i]);
        draw_sphere(d, at, i ? 0.045f * cbrtf(s->parameter[0]) + 0.02f : 0.035f, &iron);
    }
}

const scene scene_rope = {
    .name = "rope",
    .title = "Rope",
    .source = "scenes_strands.c",
    .text = {"A rope of 64 rigid segments carries a weight that is far heavier than itself.",
             "It wraps round the beam, holds by friction and slides when the weight is too much.",
             "Drag any point of it with the left button."},
    .look = {{0.5f, 1.3f, 0}, 5.2f, 0.35f, 0.12f, 2.4f, 0},
    .parameters = {{"weight, kg", 0.05f, 20, 2, true, true, NULL, false},
                   {"friction", 0, 1, 0.3f, false, true, NULL, false}},
    .has_strands = true,
    .open = open_rope,
    .close = close_rope,
    .before = before_rope,
    .paint = paint_rope};

/* --- Rods --- */

enum { FAMILY = 9, ROD_POINTS = 33, CURLS = 5, CURL_POINTS = 65 };

#define LIMP 1e-7f /* N m^2: EI with which no curl is stable */

typedef struct rods {
    ribbons family, curls;
} rods;

static float curl_x(int number) { return 0.35f + 0.3f * (float)number; }

/* The cantilevers have the ratios of weight to stiffness q L^3 / EI = 0, 0.25, 1, ... of the published
 * deflections. */
static void add_family(scene_state *s, rods *r) {
    static const float ratio[FAMILY] = {0.25f, 1, 2, 4, 7, 12, 20, 35, 60};
    static float positions[FAMILY * ROD_POINTS][3], stiffness[FAMILY * ROD_POINTS],
        masses[FAMILY * ROD_POINTS];
    const float length = 1, density = 0.1f;
    for (int k = 0; k < FAMILY; k++)
        for (int i = 0; i < ROD_POINTS; i++) {
            const int n = k * ROD_POINTS + i;
            positions[n][0] = -1.1f + length * (float)i / (ROD_POINTS - 1), positions[n][1] = 1.2f;
            positions[n][2] = 0.16f * ((float)k - (FAMILY - 1) / 2.0f);
            stiffness[n] = s->parameter[0] * density * 9.81f * length * length * length / ratio[k];
            masses[n] = density * length / (ROD_POINTS - 1) * (i == 0 || i == ROD_POINTS - 1 ? 0.5f : 1);
        }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = FAMILY, def.points = ROD_POINTS, def.positions = positions[0];
    def.point_mass = masses, def.point_bending_stiffness = stiffness;
    def.normal_drag = 0.05f, def.substeps = 8;
    mote_strands_id id;
    must(mote_system_add_strands(s->system, &def, &id, NULL), "mote_system_add_strands");
    r->family = ribbons_make(s->system, id, 0.025f, 0.025f);
}

/* Curls of four turns that hang as they are made. The interface tells the least stiffness with which such a
 * shape is stable; the curls have a multiple of it. */
static void add_curls(scene_state *s, rods *r) {
    static float positions[CURLS * CURL_POINTS][3], masses[CURLS * CURL_POINTS],
        stiffness[CURLS * CURL_POINTS], twisting[CURLS * CURL_POINTS];
    for (int k = 0; k < CURLS; k++)
        for (int i = 0; i < CURL_POINTS; i++) {
            const int n = k * CURL_POINTS + i;
            const float u = (float)i / (CURL_POINTS - 1), phi = 6.2831853f * 4 * u;
            const float radius = 0.025f + 0.015f * (float)k;
            positions[n][0] = curl_x(k) + radius * (scene_cosine(phi) - 1);
            positions[n][1] = 1.5f - (0.7f - 0.04f * (float)k) * u;
            positions[n][2] = radius * scene_sine(phi);
            masses[n] = 0.02f / (CURL_POINTS - 1) * (i == 0 || i == CURL_POINTS - 1 ? 0.5f : 1);
            stiffness[n] = LIMP, twisting[n] = 0.7f * LIMP;
        }
    mote_strands_def def = mote_default_strands_def();
    def.strand_count = CURLS, def.points = CURL_POINTS, def.positions = positions[0];
    def.point_mass = masses, def.normal_drag = 0.004f, def.tangential_drag = 0.002f, def.substeps = 16;
    def.point_bending_stiffness = stiffness, def.point_twisting_stiffness = twisting;
    def.rest_acceleration[1] = -9.81f;
    mote_strands_id id;
    must(mote_system_add_strands(s->system, &def, &id, NULL), "mote_system_add_strands");
    for (uint32_t k = 0; k < CURLS; k++) {
        double least;
        must(mote_strands_stability(s->system, id, k, &least), "mote_strands_stability");
        for (uint32_t n = k * CURL_POINTS; n < (k + 1) * CURL_POINTS; n++) {
            stiffness[n] = LIMP * (float)least * s->parameter[1];
            twisting[n] = 0.7f * stiffness[n];
        }
    }
    must(mote_system_remove_strands(s->system, id), "mote_system_remove_strands");
    must(mote_system_add_strands(s->system, &def, &id, NULL), "mote_system_add_strands");
    r->curls = ribbons_make(s->system, id, 0.022f, 0.022f);
    r->curls.facing = MOTE_RIBBON_MATERIAL;
}

static void open_rods(scene_state *s) {
    rods *r = calloc(1, sizeof *r);
    if (!r) exit(1);
    s->own = r;
    mote_system_def def = scene_def(0, 8);
    scene_make_system(s, &def);
    scene_gravity(s->system, -9.81f);
    add_family(s, r);
    add_curls(s, r);
    s->points = FAMILY * ROD_POINTS + CURLS * CURL_POINTS;
}

static void close_rods(scene_state *s) {
    rods *r = s->own;
    ribbons_destroy(&r->family), ribbons_destroy(&r->curls);
    free(r);
}

static float beam_rise(const scene_state *s, double time) {
    return s->parameter[2] * scene_sine(9 * (float)time);
}

/* Shakes the curls: their roots go to and fro. */
static void before_rods(scene_state *s, double seconds) {
    rods *r = s->own;
    const mote_transform at = {{0, beam_rise(s, scene_time_after(s, seconds)), 0}, {0, 0, 0, 1}};
    must(mote_strands_set_roots(s->system, r->curls.id, &at, 1, MOTE_NEXT_ADVANCE), "mote_strands_set_roots");
}

static void paint_rods(scene_state *s, draw_state *d) {
    rods *r = s->own;
    static const draw_material wall = {.colour = {0.2f, 0.21f, 0.24f}, .gloss = 0.1f};
    static const draw_hair_look steel = {.root = {0.2f, 0.45f, 0.75f},
                                         .tip = {0.45f, 0.6f, 0.75f},
                                         .gloss = 0.7f},
                                copper = {
                                    .root = {0.7f, 0.26f, 0.08f}, .tip = {0.95f, 0.5f, 0.2f}, .gloss = 0.8f};
    mat4 at;
    draw_floor(d, 0, ground);
    glm_translate_make(at, (vec3){-1.18f, 1.2f, 0});
    draw_box(d, at, (const float[3]){0.08f, 0.1f, 0.78f}, &wall);
    glm_translate_make(at, (vec3){curl_x(2), 1.55f + beam_rise(s, scene_time(s)), 0});
    draw_box(d, at, (const float[3]){0.72f, 0.05f, 0.08f}, &wall);
    ribbons_draw(&r->family, s->system, d, &steel);
    ribbons_draw(&r->curls, s->system, d, &copper);
}

const scene scene_rods = {
    .name = "rods",
    .title = "Rods and curls",
    .source = "scenes_strands.c",
    .text =
        {"Nine cantilevers of one length and weight, from stiff to limp: their tips follow the elastica.",
         "Five curls keep the curvature and torsion that they were made with, and twist as one shakes them; "
         "below the least stable stiffness they fall out of shape.",
         "The ribbons of the curls show their material frames."},
    .look = {{-0.2f, 0.85f, 0}, 5.5f, 0.32f, 0.2f, 2.1f, 0},
    .parameters = {{"stiffness of the cantilevers, of EI", 0.1f, 10, 1, true, true, NULL, false},
                   {"EI of the curls, of the least stable", 0.1f, 30, 4, true, true, NULL, false},
                   {"shaking, m", 0, 0.1f, 0, false, false, NULL, false}},
    .has_strands = true,
    .open = open_rods,
    .close = close_rods,
    .before = before_rods,
    .paint = paint_rods};
