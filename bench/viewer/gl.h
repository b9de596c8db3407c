/* OpenGL ES 3.0, as natively so in WebGL 2: programs, buffers that are written every frame, targets. */
#ifndef VIEWER_GL_H
#define VIEWER_GL_H

#include <GLES3/gl3.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns true if pictures can have half floats a colour: linear light without an upper end. */
bool gl_has_half_float(void);

/* Begins to compile and link a program, with LINEAR defined where there are half floats. Graphics do that on
 * their own, so programs are begun together before one is used. */
GLuint gl_program(const char *vertex, const char *fragment);
/* Waits for a program. Prints the log and exits if it does not compile or link. */
void gl_program_check(GLuint program);

/* Attribute of a vertex: `count` floats at `offset`. count 0: ends a list. */
typedef struct gl_attribute {
    GLuint index;
    GLint count;
    size_t offset;
} gl_attribute;

/* Vertices and indices that are written anew every frame. */
typedef struct gl_stream {
    GLuint array, vertices, indices;
    size_t bytes, index_bytes;
} gl_stream;

/* Makes a stream of vertices of `stride` bytes; the list of attributes ends with count 0. */
gl_stream gl_stream_make(size_t stride, const gl_attribute *attributes);
void gl_stream_destroy(gl_stream *stream);

/* Maps memory for `bytes` of vertices, whose old content is discarded; NULL: there is none. gl_stream_unmap
 * ends the access and selects the array of the stream. */
void *gl_stream_map(gl_stream *stream, size_t bytes);
void gl_stream_unmap(const gl_stream *stream);

/* Replaces vertices or indices. */
void gl_stream_fill(gl_stream *stream, const void *vertices, size_t bytes);
void gl_stream_indices(gl_stream *stream, const void *indices, size_t bytes);

/* Picture into which a pass draws. */
typedef struct gl_target {
    GLuint frame, colour, more, depth, depth_buffer;
    bool sampled; /* renderbuffers in place of textures */
    int width, height;
} gl_target;

/* Makes a target: of which the depth is a texture, without colour; of several samples; of which the colour is
 * a texture, without depth; the same with a buffer of depth; of eight half floats in two textures. half:
 * colours of half floats. */
gl_target gl_shadow_target(int size);
gl_target gl_sampled_target(int width, int height, int samples, bool half);
gl_target gl_picture_target(int width, int height, bool half);
gl_target gl_plain_target(int width, int height, bool half);
gl_target gl_volume_target(int size);
void gl_target_destroy(gl_target *target);

#endif
