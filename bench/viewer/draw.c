#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "shaders.h"

/* Each costs a software renderer about three times the time of the one before. */
static const struct {
    int divisor, samples, shadow, taps; /* of width and height; a pixel; pixels by pixels of the shadow map;
                                         * places in it that a pixel of a solid looks at */
} qualities[DRAW_BEST + 1] = {{2, 0, 512, 4}, {1, 0, 1024, 12}, {1, 4, 2048, 12}};

enum {
    SOLID,
    FLOOR,
    SKY,
    HAIR,
    QUICK_HAIR,
    SPRITE,
    VOLUME_OF_LIGHT,
    LINE,
    SOLID_DEPTH,
    HAIR_DEPTH,
    LIGHT,
    COPY,
    PROGRAMS
};

#define VOLUME_SIZE 256 /* pixels of a side of the map of light that comes through sprites */

static struct {
    GLuint program[PROGRAMS];
    bool checked[PROGRAMS];
    GLuint nothing;          /* array without attributes */
    gl_target shadow, scene; /* scene: with depth; linear light where there are half floats */
    gl_target light;         /* what comes out of several samples a pixel, where there are half floats */
    gl_target picture;       /* as it is shown, where there are no half floats */
    int width, height;       /* pixels of what is shown */
    gl_target volume;
    bool has_volume; /* in this frame */
    int samples, divisor;
    gl_stream ball, box, lines;
    int ball_indices, box_indices;
    vec3 to_light;
    float light_depth; /* m, of the shadow map */
} g;

static void begin_program(int number) {
    static const char *const text[PROGRAMS][2] = {[SOLID] = {SOLID_VERTEX, SOLID_FRAGMENT},
                                                  [FLOOR] = {FLOOR_VERTEX, FLOOR_FRAGMENT},
                                                  [SKY] = {SKY_VERTEX, SKY_FRAGMENT},
                                                  [HAIR] = {HAIR_VERTEX, HAIR_FRAGMENT},
                                                  [QUICK_HAIR] = {QUICK_HAIR_VERTEX, QUICK_HAIR_FRAGMENT},
                                                  [SPRITE] = {SPRITE_VERTEX, SPRITE_FRAGMENT},
                                                  [VOLUME_OF_LIGHT] = {VOLUME_VERTEX, VOLUME_FRAGMENT},
                                                  [LINE] = {LINE_VERTEX, LINE_FRAGMENT},
                                                  [SOLID_DEPTH] = {SOLID_VERTEX, NOTHING_FRAGMENT},
                                                  [HAIR_DEPTH] = {HAIR_VERTEX, NOTHING_FRAGMENT},
                                                  [LIGHT] = {SKY_VERTEX, TONE_FRAGMENT},
                                                  [COPY] = {SKY_VERTEX, COPY_FRAGMENT}};
    if (!g.program[number]) g.program[number] = gl_program(text[number][0], text[number][1]);
}

/* A program is made when it is first used: the first picture does not wait for those of other scenes. */
static GLuint program(int number) {
    begin_program(number);
    if (!g.checked[number]) gl_program_check(g.program[number]);
    g.checked[number] = true;
    return g.program[number];
}

static GLint place(GLuint p, const char *name) { return glGetUniformLocation(p, name); }

/* --- Solids: a ball that may be drawn out to a capsule, and a box --- */

typedef struct solid_vertex {
    vec3 position, normal;
} solid_vertex;

static const gl_attribute solid_attributes[] = {{0, 3, 0}, {1, 3, 12}, {0, 0, 0}};

static void make_ball(void) {
    enum { RINGS = 24, SECTORS = 48, ROW = SECTORS + 1 };
    static solid_vertex v[(RINGS + 2) * ROW];
    static unsigned indices[(RINGS + 1) * SECTORS * 6];
    int count = 0, n = 0;
    for (int ring = 0; ring <= RINGS + 1; ring++) {
        const int latitude =
            ring <= RINGS / 2 ? ring : ring - 1; /* the equator twice: a capsule opens there */
        const float theta = (float)M_PI * (float)latitude / RINGS,
                    y = ring <= RINGS / 2 ? fmaxf(cosf(theta), 1e-6f) : fminf(cosf(theta), -1e-6f);
        for (int sector = 0; sector < ROW; sector++) {
            const float phi = 2 * (float)M_PI * (float)sector / SECTORS;
            vec3 p = {sinf(theta) * cosf(phi), y, sinf(theta) * sinf(phi)};
            glm_vec3_copy(p, v[n].position), glm_vec3_copy(p, v[n].normal), n++;
        }
    }
    for (int ring = 0; ring <= RINGS; ring++)
        for (int sector = 0; sector < SECTORS; sector++) {
            const unsigned a = (unsigned)(ring * ROW + sector), b = a + ROW;
            const unsigned two[] = {a, a + 1, b, b, a + 1, b + 1};
            for (int i = 0; i < 6; i++) indices[count++] = two[i];
        }
    g.ball = gl_stream_make(sizeof(solid_vertex), solid_attributes);
    gl_stream_fill(&g.ball, v, (size_t)n * sizeof *v);
    gl_stream_indices(&g.ball, indices, (size_t)count * sizeof *indices);
    g.ball_indices = count;
}

static void make_box(void) {
    solid_vertex v[24];
    unsigned indices[36];
    int n = 0, count = 0;
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const float side = face % 2 ? 1 : -1;
        for (int corner = 0; corner < 4; corner++, n++) {
            glm_vec3_zero(v[n].normal);
            v[n].normal[axis] = v[n].position[axis] = side;
            v[n].position[a] = corner & 1 ? side : -side;
            v[n].position[b] = corner & 2 ? 1 : -1;
        }
        const unsigned first = (unsigned)(4 * face), two[] = {0, 1, 2, 2, 1, 3};
        for (int i = 0; i < 6; i++) indices[count++] = first + two[i];
    }
    g.box = gl_stream_make(sizeof(solid_vertex), solid_attributes);
    gl_stream_fill(&g.box, v, sizeof v);
    gl_stream_indices(&g.box, indices, sizeof indices);
    g.box_indices = count;
}

void draw_open(void) {
    glGenVertexArrays(1, &g.nothing);
    make_ball();
    make_box();
    const gl_attribute line[] = {{0, 3, 0}, {1, 4, 12}, {0, 0, 0}};
    g.lines = gl_stream_make(sizeof(draw_line_vertex), line);
    glm_vec3_copy((vec3){0.45f, 0.8f, 0.4f}, g.to_light);
    glm_vec3_normalize(g.to_light);
}

static void destroy_targets(void) {
    gl_target_destroy(&g.shadow), gl_target_destroy(&g.scene);
    gl_target_destroy(&g.light), gl_target_destroy(&g.picture);
}

/* Makes what frames are drawn into, where its size or quality has changed. */
static void make_targets(const draw_state *d) {
    const int divisor = qualities[d->quality].divisor, samples = qualities[d->quality].samples,
              shadow = qualities[d->quality].shadow;
    if (g.width == d->width && g.height == d->height && g.divisor == divisor && g.samples == samples &&
        g.shadow.width == shadow)
        return;
    destroy_targets();
    g.width = d->width, g.height = d->height, g.divisor = divisor, g.samples = samples;
    const int width = (d->width + divisor - 1) / divisor, height = (d->height + divisor - 1) / divisor;
    const bool half = gl_has_half_float();
    g.shadow = gl_shadow_target(shadow);
    g.scene =
        samples ? gl_sampled_target(width, height, samples, half) : gl_plain_target(width, height, half);
    if (half && samples) g.light = gl_picture_target(width, height, true);
    if (!half) g.picture = gl_picture_target(d->width, d->height, false);
}

void draw_close(void) {
    for (int i = 0; i < PROGRAMS; i++) glDeleteProgram(g.program[i]);
    glDeleteVertexArrays(1, &g.nothing);
    destroy_targets();
    gl_target_destroy(&g.volume);
    gl_stream_destroy(&g.ball), gl_stream_destroy(&g.box), gl_stream_destroy(&g.lines);
}

/* --- Frame --- */

static void aim_light(draw_state *d) {
    mat4 view, box;
    vec3 from;
    const float r = d->scene_radius;
    g.light_depth = 4 * r;
    glm_vec3_copy(d->scene_centre, from);
    glm_vec3_muladds(g.to_light, 2 * r, from);
    glm_lookat(from, d->scene_centre, (vec3){0, 1, 0}, view);
    glm_ortho(-r, r, -r, r, 0, 4 * r, box);
    glm_mat4_mul(box, view, d->light);
}

static void fill_frame(const draw_state *d, int number, GLuint texture) {
    glUseProgram(program(number));
    glUniform1f(place(program(number), "exposure"), d->exposure);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBindVertexArray(g.nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Copies what was drawn to a target without samples. */
static void resolve(const gl_target *to, GLenum filter) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, g.scene.frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->frame);
    glBlitFramebuffer(0, 0, g.scene.width, g.scene.height, 0, 0, to->width, to->height, GL_COLOR_BUFFER_BIT,
                      filter);
}

/* Brings what was drawn to the screen: linear light by the tone curve. */
static void develop(const draw_state *d) {
    const bool half = gl_has_half_float();
    if (half && g.samples) resolve(&g.light, GL_NEAREST);
    if (!half) resolve(&g.picture, g.divisor > 1 ? GL_LINEAR : GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, d->width, d->height);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    fill_frame(d, half ? LIGHT : COPY,
               !half       ? g.picture.colour
               : g.samples ? g.light.colour
                           : g.scene.colour);
}

static void bind_texture(GLenum unit, GLuint texture) {
    glActiveTexture(unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}

void draw_frame(draw_state *d, void (*paint)(draw_state *d, void *context), void *context) {
    aim_light(d);
    make_targets(d);
    d->shadow = true, g.has_volume = false;
    glBindFramebuffer(GL_FRAMEBUFFER, g.shadow.frame);
    glViewport(0, 0, g.shadow.width, g.shadow.height);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
    glClear(GL_DEPTH_BUFFER_BIT);
    paint(d, context);
    d->shadow = false;
    glBindFramebuffer(GL_FRAMEBUFFER, g.scene.frame);
    glViewport(0, 0, g.scene.width, g.scene.height);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDepthMask(GL_FALSE);
    fill_frame(d, SKY, 0);
    glDepthMask(GL_TRUE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    bind_texture(GL_TEXTURE2, g.volume.more);
    bind_texture(GL_TEXTURE1, g.volume.colour);
    bind_texture(GL_TEXTURE0, g.shadow.depth);
    paint(d, context);
    develop(d);
}

void draw_nothing(const draw_state *d) {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, d->width, d->height);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void draw_read(int width, int height, unsigned char *pixels) {
    unsigned char *row = malloc((size_t)width * 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int y = 0; row && y < height / 2; y++) {
        unsigned char *a = pixels + (size_t)y * (size_t)width * 4,
                      *b = pixels + (size_t)(height - 1 - y) * (size_t)width * 4;
        memcpy(row, a, (size_t)width * 4), memcpy(a, b, (size_t)width * 4), memcpy(b, row, (size_t)width * 4);
    }
    for (size_t i = 3; i < (size_t)width * (size_t)height * 4; i += 4) pixels[i] = 255;
    free(row);
}

/* Selects a program and sets what all programs of a pass share. */
static GLuint use(const draw_state *d, int number) {
    const GLuint p = program(number);
    glUseProgram(p);
    glUniformMatrix4fv(place(p, "both"), 1, GL_FALSE, d->shadow ? d->light[0] : d->camera->both[0]);
    if (d->shadow) return p;
    glUniform1f(place(p, "exposure"), d->exposure);
    glUniform3fv(place(p, "eye"), 1, d->camera->eye);
    glUniform3fv(place(p, "to_light"), 1, g.to_light);
    glUniformMatrix4fv(place(p, "light"), 1, GL_FALSE, d->light[0]);
    glUniform1f(place(p, "light_depth"), g.light_depth);
    glUniform1i(place(p, "taps"), qualities[d->quality].taps);
    glUniform1i(place(p, "volume"), 1);
    glUniform1i(place(p, "volume_more"), 2);
    glUniform1f(place(p, "has_volume"), g.has_volume);
    return p;
}

/* --- Floor and solids --- */

void draw_floor(draw_state *d, float height, const float colour[3]) {
    if (d->shadow) return;
    const GLuint p = use(d, FLOOR);
    const float size = 5 * d->scene_radius;
    glUniform3f(place(p, "centre"), d->camera->target[0], height, d->camera->target[2]);
    glUniform3fv(place(p, "colour"), 1, colour);
    glUniform1f(place(p, "size"), size);
    glUniform1f(place(p, "cell"), powf(10, floorf(log10f(d->scene_radius / 2))));
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(g.nothing);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

static void set_material(GLuint p, const draw_material *m) {
    glUniform3fv(place(p, "colour"), 1, m->colour);
    glUniform1f(place(p, "gloss"), m->gloss);
    glUniform1f(place(p, "silk"), m->silk);
}

static void draw_solid(draw_state *d, const gl_stream *solid, int count, mat4 model, const float stretch[3],
                       float half_length, const draw_material *m) {
    const GLuint p = use(d, d->shadow ? SOLID_DEPTH : SOLID);
    glUniformMatrix4fv(place(p, "model"), 1, GL_FALSE, model[0]);
    glUniform3fv(place(p, "stretch"), 1, stretch);
    glUniform2f(place(p, "shape"), stretch[0], half_length);
    if (!d->shadow) set_material(p, m);
    glBindVertexArray(solid->array);
    glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL);
}

void draw_sphere(draw_state *d, mat4 model, float radius, const draw_material *m) {
    draw_capsule(d, model, radius, 0, m);
}

void draw_capsule(draw_state *d, mat4 model, float radius, float half_length, const draw_material *m) {
    const float stretch[3] = {radius, radius, radius};
    draw_solid(d, &g.ball, g.ball_indices, model, stretch, half_length, m);
}

void draw_box(draw_state *d, mat4 model, const float extent[3], const draw_material *m) {
    draw_solid(d, &g.box, g.box_indices, model, extent, 0, m);
}

gl_stream draw_mesh_stream(void) { return gl_stream_make(sizeof(solid_vertex), solid_attributes); }

void draw_mesh(draw_state *d, const gl_stream *mesh, int index_count, const draw_material *m) {
    static const float one[3] = {1, 1, 1};
    mat4 identity = GLM_MAT4_IDENTITY_INIT;
    draw_solid(d, mesh, index_count, identity, one, 0, m);
}

/* --- Hair --- */

gl_stream draw_hair_stream(void) {
    const gl_attribute a[] = {{0, 3, 0}, {1, 3, 12}, {2, 1, 24}, {3, 1, 28}, {0, 0, 0}};
    return gl_stream_make(32, a);
}

void draw_hair(draw_state *d, const gl_stream *hair, int first_index, int index_count,
               const draw_hair_look *look) {
    if (d->bare) return;
    const GLuint p = use(d, d->shadow ? HAIR_DEPTH : d->quality ? HAIR : QUICK_HAIR);
    if (!d->shadow) {
        glUniform3fv(place(p, "root"), 1, look->root);
        glUniform3fv(place(p, "tip"), 1, look->tip);
        glUniform1f(place(p, "gloss"), look->gloss);
    }
    const size_t offset = (size_t)first_index * sizeof(unsigned);
    glBindVertexArray(hair->array);
    glDrawElements(GL_TRIANGLES, index_count, GL_UNSIGNED_INT, (const void *)offset);
}

/* --- Rehearsal --- */

static void rehearse(draw_state *d, void *context) {
    static const draw_material material;
    static const draw_hair_look look;
    const float radius[3] = {0};
    gl_stream *strand = context;
    mat4 model = GLM_MAT4_ZERO_INIT;
    draw_box(d, model, radius, &material);
    if (strand) draw_hair(d, strand, 0, 3, &look);
}

void draw_rehearse(draw_state *d, bool strands) {
    const int first[] = {SKY, SOLID, gl_has_half_float() ? LIGHT : COPY, SOLID_DEPTH, HAIR_DEPTH, QUICK_HAIR};
    static const unsigned corners[] = {0, 1, 2};
    static const float nothing[3 * 8];
    const int count = (int)(sizeof first / sizeof *first) - (strands ? 0 : 2);
    for (int i = 0; i < count; i++) begin_program(first[i]);
    /* An answer waits for all that was begun, so places of uniforms are asked for before anything is drawn.
     */
    for (int i = 0; i < count; i++) place(program(first[i]), "both");
    gl_stream strand = draw_hair_stream();
    gl_stream_fill(&strand, nothing, sizeof nothing);
    gl_stream_indices(&strand, corners, sizeof corners);
    draw_frame(d, rehearse, strands ? &strand : NULL);
    gl_stream_destroy(&strand);
}

/* --- Sprites and lines --- */

gl_stream draw_sprite_stream(void) {
    const gl_attribute a[] = {{0, 3, 0}, {1, 3, 12}, {2, 1, 24}, {0, 0, 0}};
    return gl_stream_make(28, a);
}

/* Draws sprites into the map of light that comes through them. */
static void shade_volume(draw_state *d, const gl_stream *sprites, int count, const draw_sprite_look *look) {
    if (!gl_has_half_float()) return;
    if (!g.volume.frame) g.volume = gl_volume_target(VOLUME_SIZE);
    const GLuint p = use(d, VOLUME_OF_LIGHT);
    glBindFramebuffer(GL_FRAMEBUFFER, g.volume.frame);
    glViewport(0, 0, VOLUME_SIZE, VOLUME_SIZE);
    if (!g.has_volume) {
        glClearColor(0, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    g.has_volume = true;
    glUniform4fv(place(p, "young"), 1, look->young);
    glUniform4fv(place(p, "old"), 1, look->old);
    glUniform3f(place(p, "sizes"), look->young_size, look->old_size, VOLUME_SIZE / (2 * d->scene_radius));
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(sprites->array);
    glDrawArrays(GL_POINTS, 0, count);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, g.shadow.frame);
    glViewport(0, 0, g.shadow.width, g.shadow.height);
}

void draw_sprites(draw_state *d, const gl_stream *sprites, int count, const draw_sprite_look *look) {
    if (!count) return;
    if (d->shadow) {
        if (look->lit) shade_volume(d, sprites, count, look);
        return;
    }
    const GLuint p = use(d, SPRITE);
    vec3 light_in_view;
    glm_mat4_mulv3(d->camera->view, g.to_light, 0, light_in_view);
    glUniform4fv(place(p, "young"), 1, look->young);
    glUniform4fv(place(p, "old"), 1, look->old);
    glUniform4fv(place(p, "fast"), 1, look->fast);
    glUniform2f(place(p, "speeds"), look->slow_speed, look->fast_speed);
    glUniform3f(place(p, "sizes"), look->young_size, look->old_size,
                1 / (d->camera->height_of_pixel * (float)g.divisor));
    glUniform1f(place(p, "adds"), look->adds);
    glUniform1f(place(p, "is_lit"), look->lit);
    glUniform3fv(place(p, "light_in_view"), 1, light_in_view);
    glDepthMask(GL_FALSE);
    glBindVertexArray(sprites->array);
    glDrawArrays(GL_POINTS, 0, count);
    glDepthMask(GL_TRUE);
}

void draw_lines(draw_state *d, const draw_line_vertex *vertices, int count, bool add) {
    if (d->shadow || !count) return;
    const GLuint p = use(d, LINE);
    glUniform1f(place(p, "adds"), add);
    glDepthMask(!add);
    gl_stream_fill(&g.lines, vertices, (size_t)count * sizeof *vertices);
    glDrawArrays(GL_LINES, 0, count);
    glDepthMask(GL_TRUE);
}
