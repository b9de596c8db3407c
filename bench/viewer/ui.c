#include "ui.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "font.h"
#include "gl.h"

#define VERTEX                                                                                               \
    "layout(location = 0) in vec2 position; layout(location = 1) in vec2 on_font;\n"                         \
    "layout(location = 2) in vec4 colour; uniform vec2 size; out vec2 at; out vec4 c;\n"                     \
    "void main() { at = on_font; c = colour;\n"                                                              \
    "  gl_Position = vec4(2.0 * position.x / size.x - 1.0, 1.0 - 2.0 * position.y / size.y, 0.0, 1.0); }\n"
#define FRAGMENT                                                                                             \
    "in vec2 at; in vec4 c; out vec4 pixel; uniform sampler2D font;\n"                                       \
    "void main() { float a = c.a * texture(font, at).r; pixel = vec4(c.rgb * a, a); }\n"

typedef struct vertex {
    float x, y, u, v;
    ui_colour colour;
} vertex;

enum { MAX_QUADS = 1 << 15 };

static struct {
    GLuint program, font;
    GLint size; /* its place in the program, -1 before the first frame */
    gl_stream stream;
    vertex *vertices;
    int quads, width, height;
    float scale, top, low; /* top, low: what is drawn is between them */
    viewer_input input;
    bool over, scrolls;
    const void *held; /* the value of the slider that is dragged */
} u;

static const ui_colour white = {0.92f, 0.94f, 0.97f, 1}, dim = {0.6f, 0.65f, 0.72f, 1},
                       accent = {0.98f, 0.72f, 0.32f, 1}, glass = {0.05f, 0.06f, 0.08f, 0.62f};

void ui_open(void) {
    const gl_attribute a[] = {{0, 2, 0}, {1, 2, 8}, {2, 4, 16}, {0, 0, 0}};
    unsigned *indices = malloc(6 * MAX_QUADS * sizeof *indices);
    u.vertices = malloc(4 * MAX_QUADS * sizeof *u.vertices);
    if (!indices || !u.vertices) exit(1);
    u.program = gl_program(VERTEX, FRAGMENT);
    u.size = -1;
    u.stream = gl_stream_make(sizeof(vertex), a);
    for (unsigned q = 0; q < MAX_QUADS; q++) {
        static const unsigned corner[] = {0, 1, 2, 2, 1, 3};
        for (unsigned i = 0; i < 6; i++) indices[6 * q + i] = 4 * q + corner[i];
    }
    gl_stream_indices(&u.stream, indices, 6 * MAX_QUADS * sizeof *indices);
    free(indices);
    glGenTextures(1, &u.font);
    glBindTexture(GL_TEXTURE_2D, u.font);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, font_width, font_height, 0, GL_RED, GL_UNSIGNED_BYTE, font_picture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

void ui_close(void) {
    glDeleteProgram(u.program);
    glDeleteTextures(1, &u.font);
    gl_stream_destroy(&u.stream);
    free(u.vertices);
}

void ui_begin(int width, int height, float scale, const viewer_input *input) {
    if (u.size < 0) {
        gl_program_check(u.program);
        u.size = glGetUniformLocation(u.program, "size");
    }
    u.quads = 0, u.width = width, u.height = height, u.scale = scale;
    u.input = *input;
    u.input.x /= scale, u.input.y /= scale;
    u.over = u.scrolls = false;
    ui_clip(0, (float)height / scale);
    if (!input->left) u.held = NULL;
}

void ui_end(void) {
    glUseProgram(u.program);
    glUniform2f(u.size, (float)u.width / u.scale, (float)u.height / u.scale);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, u.font);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl_stream_fill(&u.stream, u.vertices, 4 * (size_t)u.quads * sizeof *u.vertices);
    glDrawElements(GL_TRIANGLES, 6 * u.quads, GL_UNSIGNED_INT, NULL);
}

bool ui_has_pointer(void) { return u.over || u.held; }
bool ui_has_wheel(void) { return u.scrolls; }
void ui_clip(float top, float low) { u.top = top, u.low = low; }

/* Adds a quadrilateral: corners (x, y) in the order upper left, upper right, lower left, lower right. */
static void add(const float x[4], const float y[4], const float box[4], ui_colour colour) {
    if (u.quads == MAX_QUADS) return;
    vertex *v = u.vertices + 4 * u.quads++;
    for (int i = 0; i < 4; i++)
        v[i] = (vertex){x[i], y[i], box[i & 1 ? 2 : 0] / (float)font_width,
                        box[i & 2 ? 3 : 1] / (float)font_height, colour};
}

/* Adds an upright rectangle, cut at the heights of ui_clip. at, box: left, top, right, low. */
static void add_upright(const float at[4], const float box[4], ui_colour colour) {
    const float top = fmaxf(at[1], u.top), low = fminf(at[3], u.low);
    if (!(top < low)) return;
    const float unit = (box[3] - box[1]) / (at[3] - at[1]);
    add((const float[]){at[0], at[2], at[0], at[2]}, (const float[]){top, top, low, low},
        (const float[]){box[0], box[1] + unit * (top - at[1]), box[2], box[3] + unit * (low - at[3])},
        colour);
}

static const float *white_pixel(void) {
    static float box[4];
    box[0] = box[2] = (float)font_width - 0.5f, box[1] = box[3] = (float)font_height - 0.5f;
    return box;
}

void ui_rectangle(float x, float y, float width, float height, ui_colour colour) {
    add_upright((const float[]){x, y, x + width, y + height}, white_pixel(), colour);
}

void ui_line(float x0, float y0, float x1, float y1, float width, ui_colour colour) {
    const float dx = x1 - x0, dy = y1 - y0, length = sqrtf(dx * dx + dy * dy);
    if (!(length > 0)) return;
    const float a = 0.5f * width * -dy / length, b = 0.5f * width * dx / length;
    add((const float[]){x0 + a, x1 + a, x0 - a, x1 - a}, (const float[]){y0 + b, y1 + b, y0 - b, y1 - b},
        white_pixel(), colour);
}

float ui_text_width(float size, const char *text) {
    float width = 0;
    for (const char *c = text; *c; c++)
        if (*c >= 32 && *c < 127) width += font_letters[1][*c - 32].advance;
    return width * size / font_sizes[1];
}

void ui_text(float x, float y, float size, ui_colour colour, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const int set = size * u.scale > 1.25f * font_sizes[0];
    const float unit = size / font_sizes[set];
    y += 0.78f * size;
    if (!set && u.scale == 1 && size == font_sizes[0]) x = roundf(x), y = roundf(y);
    for (const char *c = text; *c; c++) {
        if (*c < 32 || *c >= 127) continue;
        const font_letter *l = &font_letters[set][*c - 32];
        const float left = x + unit * l->at[0], top = y + unit * l->at[1], right = x + unit * l->at[2],
                    low = y + unit * l->at[3];
        add_upright((const float[]){left, top, right, low}, l->box, colour);
        x += unit * l->advance;
    }
}

static bool over(float x, float y, float width, float height) {
    const float top = fmaxf(y, u.top), low = fminf(y + height, u.low);
    const bool is = u.input.x >= x && u.input.x < x + width && u.input.y >= top && u.input.y < low;
    u.over |= is;
    return is;
}

bool ui_button(float x, float y, float width, const char *text, bool on) {
    const bool at = over(x, y, width, 22);
    ui_colour back = glass;
    if (at || on) back = (ui_colour){0.2f, 0.24f, 0.3f, 0.85f};
    ui_rectangle(x, y, width, 22, back);
    if (on) ui_rectangle(x, y + 20, width, 2, accent);
    ui_text(x + 0.5f * (width - ui_text_width(13, text)), y + 3, 13, on ? accent : white, "%s", text);
    return at && u.input.left_pressed;
}

bool ui_choices(float x, float y, float width, const char *const *names, float *value) {
    int count = 0, on = (int)(*value + 0.5f), chosen = on;
    while (names[count]) count++;
    const float wide = width / (float)count;
    for (int i = 0; i < count; i++)
        if (ui_button(x + wide * (float)i, y + 4, wide - 4, names[i], i == on)) chosen = i;
    *value = (float)chosen;
    return chosen != on;
}

bool ui_slider(float x, float y, float width, const char *name, float *value, float least, float most,
               bool logarithmic) {
    const float low = logarithmic ? logf(least) : least, high = logarithmic ? logf(most) : most;
    const float now = logarithmic ? logf(*value) : *value, before = *value;
    float at = (now - low) / (high - low);
    if (over(x, y, width, 34) && u.input.left_pressed) u.held = value;
    if (u.held == value) {
        at = fminf(fmaxf((u.input.x - x) / width, 0), 1);
        *value = logarithmic ? expf(low + at * (high - low)) : low + at * (high - low);
    }
    ui_text(x, y, 13, dim, "%s", name);
    char number[32];
    snprintf(number, sizeof number, *value < 1000 ? "%.4g" : "%.0f", (double)*value);
    ui_text(x + width - ui_text_width(13, number), y, 13, white, "%s", number);
    ui_rectangle(x, y + 23, width, 3, (ui_colour){0.3f, 0.34f, 0.4f, 0.9f});
    ui_rectangle(x, y + 23, width * at, 3, accent);
    ui_rectangle(x + width * at - 4, y + 18, 8, 13, white);
    return *value != before;
}

void ui_scroll(float x, float y, float width, float height, float content, float *by) {
    enum { BAR = 6, NOTCH = 40 };
    const float most = fmaxf(content - height, 0), left = x + width - BAR, bar = height * height / content;
    const bool was_over = u.over;
    u.scrolls |= most > 0 && over(x, y, width, height);
    u.over = was_over; /* by controls alone */
    if (u.scrolls) *by -= NOTCH * u.input.scroll;
    if (most > 0 && over(left - 2, y, BAR + 4, height) && u.input.left_pressed) u.held = by;
    if (u.held == by) *by = most * (u.input.y - y - bar / 2) / (height - bar);
    *by = fminf(fmaxf(*by, 0), most);
    if (!(most > 0)) return;
    ui_rectangle(left, y, BAR, height, (ui_colour){0.3f, 0.34f, 0.4f, 0.5f});
    ui_rectangle(left, y + *by / most * (height - bar), BAR, bar, u.held == by ? accent : dim);
}
