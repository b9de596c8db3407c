#include "gl.h"

#include <stdio.h>
#include <stdlib.h>

#define HEAD "#version 300 es\nprecision highp float;\nprecision highp int;\n"

static GLuint compile(GLenum kind, const char *text) {
    const char *parts[] = {HEAD, text};
    const GLuint shader = glCreateShader(kind);
    GLint good = 0;
    glShaderSource(shader, 2, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    char log[2048] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    fprintf(stderr, "viewer: a shader does not compile:\n%s\n", log);
    exit(1);
}

GLuint gl_program(const char *vertex, const char *fragment) {
    const GLuint program = glCreateProgram();
    const GLuint parts[] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
    GLint good = 0;
    for (int i = 0; i < 2; i++) glAttachShader(program, parts[i]);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    for (int i = 0; i < 2; i++) glDeleteShader(parts[i]);
    if (good) return program;
    char log[2048] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    fprintf(stderr, "viewer: a program does not link:\n%s\n", log);
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

gl_target gl_sampled_target(int width, int height, int samples) {
    gl_target target = {.sampled = true, .width = width, .height = height};
    glGenFramebuffers(1, &target.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    glGenRenderbuffers(1, &target.colour);
    glBindRenderbuffer(GL_RENDERBUFFER, target.colour);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target.colour);
    glGenRenderbuffers(1, &target.depth);
    glBindRenderbuffer(GL_RENDERBUFFER, target.depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target.depth);
    return target;
}

gl_target gl_picture_target(int width, int height) {
    gl_target target = {.width = width, .height = height};
    glGenFramebuffers(1, &target.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target.frame);
    glGenTextures(1, &target.colour);
    glBindTexture(GL_TEXTURE_2D, target.colour);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.colour, 0);
    return target;
}

void gl_target_destroy(gl_target *target) {
    const GLuint both[] = {target->colour, target->depth};
    glDeleteFramebuffers(1, &target->frame);
    if (target->sampled)
        glDeleteRenderbuffers(2, both);
    else
        glDeleteTextures(2, both);
    *target = (gl_target){0};
}
