#include "gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten/html5.h>
#endif

#define HEAD "#version 300 es\nprecision highp float;\nprecision highp int;\n"

#if defined(__EMSCRIPTEN__)
/* What is promised to a page holds. */
static bool try_half_float(void) {
    return emscripten_webgl_enable_extension(emscripten_webgl_get_current_context(),
                                             "EXT_color_buffer_float");
}
#else
static bool is_complete(gl_target target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    gl_target_destroy(&target);
    return complete;
}

/* An extension allows half floats; whether all kinds of targets take them is tried. */
static bool try_half_float(void) {
    GLint count = 0;
    bool promised = false;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        const char *name = (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i);
        promised |=
            !strcmp(name, "GL_EXT_color_buffer_half_float") || !strcmp(name, "GL_EXT_color_buffer_float");
    }
    return promised && is_complete(gl_sampled_target(16, 16, 4, true)) &&
           is_complete(gl_picture_target(16, 16, true)) && is_complete(gl_volume_target(16));
}
#endif

bool gl_has_half_float(void) {
    static enum { UNKNOWN, NO, YES } answer;
    if (answer == UNKNOWN) answer = try_half_float() ? YES : NO;
    return answer == YES;
}

static GLuint compile(GLenum kind, const char *text) {
    const char *parts[] = {HEAD, gl_has_half_float() ? "#define LINEAR\n" : "", text};
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 3, parts, NULL);
    glCompileShader(shader);
    return shader;
}

GLuint gl_program(const char *vertex, const char *fragment) {
    const GLuint program = glCreateProgram();
    const GLuint parts[] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
    for (int i = 0; i < 2; i++) glAttachShader(program, parts[i]);
    glLinkProgram(program);
    for (int i = 0; i < 2; i++) glDeleteShader(parts[i]); /* the program keeps them */
    return program;
}

void gl_program_check(GLuint program) {
    GLuint shaders[2];
    GLsizei count = 0;
    GLint good = 0;
    char log[2048] = "";
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) return;
    fprintf(stderr, "viewer: a program does not compile or link:\n");
    glGetAttachedShaders(program, 2, &count, shaders);
    for (GLsizei i = 0; i < count; i++) {
        glGetShaderInfoLog(shaders[i], sizeof log, NULL, log);
        fputs(log, stderr);
    }
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    fprintf(stderr, "%s\n", log);
    exit(1);
}

gl_stream gl_stream_make(size_t stride, const gl_attribute *attributes) {
    gl_stream stream = {0};
    glGenVertexArrays(1, &stream.array);
    glGenBuffers(1, &stream.vertices);
    glGenBuffers(1, &stream.indices);
    glBindVertexArray(stream.array);
    glBindBuffer(GL_ARRAY_BUFFER, stream.vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, stream.indices);
    for (const gl_attribute *a = attributes; a->count; a++) {
        glEnableVertexAttribArray(a->index);
        glVertexAttribPointer(a->index, a->count, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                              (const void *)a->offset);
    }
    glBindVertexArray(0);
    return stream;
}

void gl_stream_destroy(gl_stream *stream) {
    glDeleteVertexArrays(1, &stream->array);
    glDeleteBuffers(1, &stream->vertices);
    glDeleteBuffers(1, &stream->indices);
    *stream = (gl_stream){0};
}

void *gl_stream_map(gl_stream *stream, size_t bytes) {
    glBindBuffer(GL_ARRAY_BUFFER, stream->vertices);
    if (bytes > stream->bytes) {
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
        stream->bytes = bytes;
    }
    if (!bytes) return NULL;
    return glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes,
                            GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
}

void gl_stream_unmap(const gl_stream *stream) {
    glBindBuffer(GL_ARRAY_BUFFER, stream->vertices);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    glBindVertexArray(stream->array);
}

void gl_stream_fill(gl_stream *stream, const void *vertices, size_t bytes) {
    glBindVertexArray(stream->array);
    glBindBuffer(GL_ARRAY_BUFFER, stream->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, vertices, GL_STREAM_DRAW);
    stream->bytes = bytes;
}

void gl_stream_indices(gl_stream *stream, const void *indices, size_t bytes) {
    glBindVertexArray(stream->array);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)bytes, indices, GL_STREAM_DRAW);
    stream->index_bytes = bytes;
}

gl_target gl_shadow_target(int size) {
    gl_target target = {.width = size, .height = size};
    glGenFramebuffers(1, &target.frame);
    glGenTextures(1, &target.depth);
    glBindTexture(GL_TEXTURE_2D, target.depth);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, target.depth, 0);
    return target;
}

gl_target gl_sampled_target(int width, int height, int samples, bool half) {
    gl_target target = {.sampled = true, .width = width, .height = height};
    glGenFramebuffers(1, &target.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    glGenRenderbuffers(1, &target.colour);
    glBindRenderbuffer(GL_RENDERBUFFER, target.colour);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, half ? GL_RGBA16F : GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target.colour);
    glGenRenderbuffers(1, &target.depth);
    glBindRenderbuffer(GL_RENDERBUFFER, target.depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target.depth);
    return target;
}

/* Attaches a new texture as colour `number` of the frame that is bound. */
static GLuint add_colour(GLenum number, int width, int height, bool half) {
    GLuint colour;
    const GLint filter = half ? GL_LINEAR : GL_NEAREST;
    glGenTextures(1, &colour);
    glBindTexture(GL_TEXTURE_2D, colour);
    glTexImage2D(GL_TEXTURE_2D, 0, half ? GL_RGBA16F : GL_RGBA8, width, height, 0, GL_RGBA,
                 half ? GL_HALF_FLOAT : GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, number, GL_TEXTURE_2D, colour, 0);
    return colour;
}

gl_target gl_picture_target(int width, int height, bool half) {
    gl_target target = {.width = width, .height = height};
    glGenFramebuffers(1, &target.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    target.colour = add_colour(GL_COLOR_ATTACHMENT0, width, height, half);
    return target;
}

gl_target gl_plain_target(int width, int height, bool half) {
    gl_target target = gl_picture_target(width, height, half);
    glGenRenderbuffers(1, &target.depth_buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, target.depth_buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target.depth_buffer);
    return target;
}

gl_target gl_volume_target(int size) {
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    gl_target target = {.width = size, .height = size};
    glGenFramebuffers(1, &target.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    target.colour = add_colour(both[0], size, size, true);
    target.more = add_colour(both[1], size, size, true);
    glDrawBuffers(2, both);
    return target;
}

void gl_target_destroy(gl_target *target) {
    const GLuint all[] = {target->colour, target->depth, target->more};
    glDeleteFramebuffers(1, &target->frame);
    glDeleteRenderbuffers(1, &target->depth_buffer);
    if (target->sampled)
        glDeleteRenderbuffers(2, all);
    else
        glDeleteTextures(3, all);
    *target = (gl_target){0};
}
