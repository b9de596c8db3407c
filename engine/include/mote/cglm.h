/** @file
 * Conversions between mote and cglm, for hosts that use cglm. mote/mote.h does not include this header, and
 * nothing else in mote needs cglm's. A vec3 or a versor (x, y, z, w) of cglm passes to any function of mote
 * as it is; a mat3 is passed transposed by mote_matrix_from_mat3, because cglm stores columns. The struct
 * types of cglm (vec3s, versors, mat4s) pass by their member raw. */
#ifndef MOTE_CGLM_H
#define MOTE_CGLM_H

#include <cglm/affine-mat.h>
#include <cglm/mat3.h>
#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>

#include <mote/strands_present.h>
#include <mote/system.h>
#include <mote/transform.h>

/** Returns the transform x -> R(rotation) x + position. */
static inline mote_transform mote_transform_from_versor(versor rotation, vec3 position) {
    const mote_transform made = {{position[0], position[1], position[2]},
                                 {rotation[0], rotation[1], rotation[2], rotation[3]}};
    return made;
}

/** Writes the transform as cglm's quaternion (of length 1) and vector. */
static inline void mote_transform_to_versor(const mote_transform *transform, versor rotation, vec3 position) {
    for (int i = 0; i < 4; i++) rotation[i] = transform->rotation[i];
    for (int i = 0; i < 3; i++) position[i] = transform->position[i];
    glm_quat_normalize(rotation);
}

/** Returns the rigid part of a model matrix: translation and rotation. Positive scales, also unequal ones,
 * are taken off; a matrix that shears or mirrors has no rotation that would do. */
static inline mote_transform mote_transform_from_mat4(mat4 matrix) {
    mat3 axes;
    versor rotation;
    for (int column = 0; column < 3; column++) glm_vec3_normalize_to(matrix[column], axes[column]);
    glm_mat3_quat(axes, rotation);
    return mote_transform_from_versor(rotation, matrix[3]);
}

/** Writes the transform as a model matrix. */
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
    mat4 camera;
    glm_mat4_copy(view, camera);
    glm_inv_tr(camera);
    glm_vec3_copy(camera[3], eye);
}

/** Turns ribbons towards the camera of a view matrix: view maps coordinates relative to layout->origin (which
 * are what is presented) to the camera. */
static inline void mote_strand_layout_face(mote_strand_layout *layout, mat4 view) {
    layout->facing = MOTE_RIBBON_EYE;
    mote_eye_of_view(view, layout->eye);
}

#endif
