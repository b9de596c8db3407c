/* Products, inverses and images of rigid transforms, in double. Their results become roots and colliders,
 * which are state: so they use + - * / sqrt alone, and no vector library. */
#include <mote/transform.h>

#include <math.h>

#include "base/fpu.h"

typedef struct pose {
    double position[3], rotation[4];
} pose;

/* Normalises in double, where no square of a float overflows or underflows. A rotation without length or with
 * a component that is not finite becomes 0. */
static pose read_pose(const mote_transform *transform) {
    static const mote_transform identity = MOTE_TRANSFORM_IDENTITY;
    const mote_transform *from = transform ? transform : &identity;
    pose read;
    double square = 0;
    for (int i = 0; i < 3; i++) read.position[i] = (double)from->position[i];
    for (int i = 0; i < 4; i++) square += (double)from->rotation[i] * (double)from->rotation[i];
    const double length = __builtin_sqrt(square);
    for (int i = 0; i < 4; i++)
        read.rotation[i] = length > 0 && isfinite(length) ? (double)from->rotation[i] / length : 0;
    return read;
}

static mote_transform write_pose(const pose *from) {
    mote_transform written;
    for (int i = 0; i < 3; i++) written.position[i] = (float)from->position[i];
    for (int i = 0; i < 4; i++) written.rotation[i] = (float)from->rotation[i];
    return written;
}

static void cross(const double a[3], const double b[3], double product[3]) {
    for (int i = 0; i < 3; i++)
        product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* R(q) v = v + 2 w (q x v) + 2 q x (q x v), for |q| = 1 (Rodrigues). */
static void rotate(const double q[4], const double v[3], double rotated[3]) {
    double once[3], twice[3];
    cross(q, v, once);
    cross(q, once, twice);
    for (int i = 0; i < 3; i++) rotated[i] = v[i] + 2 * (q[3] * once[i] + twice[i]);
}

/* Image of a point; position alone where the rotation is 0. */
static void image_of(const pose *at, const double point[3], double image[3]) {
    double turned[3] = {0, 0, 0};
    const bool turns =
        at->rotation[0] != 0 || at->rotation[1] != 0 || at->rotation[2] != 0 || at->rotation[3] != 0;
    if (turns) rotate(at->rotation, point, turned);
    for (int i = 0; i < 3; i++) image[i] = turned[i] + at->position[i];
}

mote_transform mote_transform_multiply(const mote_transform *outer, const mote_transform *inner) {
    mote_fpu_state saved = mote_fpu_enter();
    const pose a = read_pose(outer), b = read_pose(inner);
    const double *p = a.rotation, *q = b.rotation;
    pose product = {.rotation = {p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
                                 p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
                                 p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
                                 p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]}};
    image_of(&a, b.position, product.position);
    mote_transform written = write_pose(&product);
    MOTE_FPU_COMPUTED(written);
    mote_fpu_leave(saved);
    return written;
}

mote_transform mote_transform_inverse(const mote_transform *transform) {
    mote_fpu_state saved = mote_fpu_enter();
    pose inverse = read_pose(transform);
    double moved[3];
    for (int i = 0; i < 3; i++) inverse.rotation[i] = -inverse.rotation[i];
    rotate(inverse.rotation, inverse.position, moved);
    for (int i = 0; i < 3; i++) inverse.position[i] = -moved[i];
    mote_transform written = write_pose(&inverse);
    MOTE_FPU_COMPUTED(written);
    mote_fpu_leave(saved);
    return written;
}

void mote_transform_point(const mote_transform *transform, const float point[3], float image[3]) {
    if (!point || !image) return;
    mote_fpu_state saved = mote_fpu_enter();
    const pose at = read_pose(transform);
    const double from[3] = {(double)point[0], (double)point[1], (double)point[2]};
    double to[3];
    image_of(&at, from, to);
    for (int i = 0; i < 3; i++) image[i] = (float)to[i];
    mote_fpu_leave(saved);
}
