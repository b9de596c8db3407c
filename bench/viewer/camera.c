#include "camera.h"

#define FIELD_OF_VIEW 0.6f /* rad, vertical */

void camera_move(viewer_camera *c, const viewer_input *input, bool left_moves, int height) {
    const bool moves = input->middle || (input->shift && (input->right || (left_moves && input->left)));
    if (moves) {
        const float unit = 2 * c->distance * tanf(FIELD_OF_VIEW / 2) / (float)height;
        vec3 right = {c->view[0][0], c->view[1][0], c->view[2][0]};
        vec3 up = {c->view[0][1], c->view[1][1], c->view[2][1]};
        glm_vec3_muladds(right, -unit * input->moved_x, c->target);
        glm_vec3_muladds(up, unit * input->moved_y, c->target);
    } else if (input->right) {
        c->yaw -= 0.006f * input->moved_x;
        c->pitch = glm_clamp(c->pitch + 0.006f * input->moved_y, -1.5f, 1.5f);
    }
    c->distance = glm_clamp(c->distance * powf(0.9f, input->scroll), 0.02f, 500);
}

void camera_update(viewer_camera *c, int width, int height) {
    vec3 back = {sinf(c->yaw) * cosf(c->pitch), sinf(c->pitch), cosf(c->yaw) * cosf(c->pitch)};
    glm_vec3_copy(c->target, c->eye);
    glm_vec3_muladds(back, c->distance, c->eye);
    glm_lookat(c->eye, c->target, (vec3){0, 1, 0}, c->view);
    glm_perspective(FIELD_OF_VIEW, (float)width / (float)height, 0.02f * c->distance, 60 * c->distance,
                    c->projection);
    glm_mat4_mul(c->projection, c->view, c->both);
    c->height_of_pixel = 2 * tanf(FIELD_OF_VIEW / 2) / (float)height;
}

camera_ray camera_through(const viewer_camera *c, float x, float y, int width, int height) {
    mat4 back;
    camera_ray ray;
    vec4 at = {2 * x / (float)width - 1, 1 - 2 * y / (float)height, 1, 1}, far;
    glm_mat4_inv((vec4 *)c->both, back);
    glm_mat4_mulv(back, at, far);
    glm_vec3_copy((float *)c->eye, ray.from);
    for (int i = 0; i < 3; i++) ray.along[i] = far[i] / far[3] - c->eye[i];
    glm_vec3_normalize(ray.along);
    return ray;
}
