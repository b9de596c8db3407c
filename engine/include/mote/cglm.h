/** @file
 * Conversions between mote and cglm, for hosts that use cglm. mote/mote.h does not include this header, and
 * nothing else in mote needs cglm's. A vec3 or a versor (x, y, z, w) of cglm passes to any function of mote
 * as it is; a mat3 is passed transposed by mote_matrix_from_mat3, because cglm stores columns. The struct
 * types of cglm (vec3s, versors, mat4s) pass by their member raw.
 *
 * These functions check nothing, as those of cglm: no argument may be NULL. Numbers that are not finite and
 * quaternions that are 0 pass, and the call of mote that gets them refuses them (NOT_FINITE, RANGE). */
#ifndef MOTE_CGLM_H
#define MOTE_CGLM_H

#include <cglm/mat3.h>
#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>
#include <cglm/vec4.h>

#include <mote/strands_present.h>
#include <mote/system.h>
#include <mote/transform.h>

/** Divides a vector by its length, which may be any: squares neither overflow nor vanish. 0 stays 0. */
static inline void mote_cglm_normalize(vec4 vector) {
    float most = 0;
    for (int i = 0; i < 4; i++) most = fabsf(vector[i]) > most ? fabsf(vector[i]) : most;
    if (!(most > 0)) return;
    for (int i = 0; i < 4; i++) vector[i] /= most;
    const float length = sqrtf(glm_vec4_dot(vector, vector));
    for (int i = 0; i < 4; i++) vector[i] /= length;
}

/** Returns the transform x -> R(rotation) x + position. */
static inline mote_transform mote_transform_from_versor(versor rotation, vec3 position) {
    const mote_transform made = {{position[0], position[1], position[2]},
                                 {rotation[0], rotation[1], rotation[2], rotation[3]}};
    return made;
}

/** Writes the transform as cglm's quaternion, of length 1, and vector. */
static inline void mote_transform_to_versor(const mote_transform *transform, versor rotation, vec3 position) {
    for (int i = 0; i < 4; i++) rotation[i] = transform->rotation[i];
    for (int i = 0; i < 3; i++) position[i] = transform->position[i];
    mote_cglm_normalize(rotation);
}

/** Returns the rigid part of a model matrix: translation and rotation. Positive scales, also unequal ones,
 * are taken off; a matrix that shears or mirrors has no rotation that would do. */
static inline mote_transform mote_transform_from_mat4(mat4 matrix) {
    mat3 axes;
    versor rotation;
    for (int column = 0; column < 3; column++) {
        vec4 axis = {matrix[column][0], matrix[column][1], matrix[column][2], 0};
        mote_cglm_normalize(axis);
        glm_vec3_copy(axis, axes[column]);
    }
    glm_mat3_quat(axes, rotation);
    return mote_transform_from_versor(rotation, matrix[3]);
}

/** Writes the transform as a model matrix; a rotation that is 0 becomes that of x -> x. */
static inline void mote_transform_to_mat4(const mote_transform *transform, mat4 matrix) {
    versor rotation;
    vec3 position;
    mote_transform_to_versor(transform, rotation, position);
    glm_quat_mat4(rotation, matrix);
    glm_vec3_copy(position, matrix[3]);
}

/** Writes a matrix in the order of mote's arguments (row after row), as of mote_linear_field. */
static inline void mote_matrix_from_mat3(mat3 matrix, float rows[9]) {
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) rows[3 * row + column] = matrix[column][row];
}

/** Writes the place of the camera that a view matrix (world to camera, rigid) stands for, relative to the
 * origin of the world. */
static inline void mote_eye_of_view(mat4 view, vec3 eye) {
    for (int axis = 0; axis < 3; axis++) eye[axis] = -glm_vec3_dot(view[axis], view[3]);
}

/** Turns ribbons towards the camera of a view matrix: view maps coordinates relative to layout->origin (which
 * are what is presented) to the camera. */
static inline void mote_strand_layout_face(mote_strand_layout *layout, mat4 view) {
    layout->facing = MOTE_RIBBON_EYE;
    mote_eye_of_view(view, layout->eye);
}

#endif
