/* Colliders: the list, and the table of their poses. Rotations are worked out in double from the quaternions,
 * so that directions are right to the last bit and a collider that stands has neither shift nor turn. */
#include "contacts/colliders.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"

/* --- The list --- */

static size_t colliders_bytes(uint32_t capacity) {
    return mote_round_up(capacity * sizeof(mote_collider), MOTE_CACHE_LINE);
}

static size_t list_bytes(uint32_t capacity, uint32_t rows) {
    return colliders_bytes(capacity) + (size_t)capacity * rows * sizeof(mote_collider_pose);
}

static mote_result resize(mote_collider_list *list, uint32_t capacity, uint32_t rows,
                          const mote_allocator *allocator) {
    unsigned char *memory = mote_allocate(allocator, list_bytes(capacity, rows));
    if (!memory) return MOTE_ERROR_MEMORY;
    if (list->count) memcpy(memory, list->colliders, list->count * sizeof *list->colliders);
    mote_colliders_destroy(list, allocator);
    list->colliders = (mote_collider *)(void *)memory;
    list->poses = (mote_collider_pose *)(void *)(memory + colliders_bytes(capacity));
    list->capacity = capacity;
    list->rows = rows;
    return MOTE_OK;
}

mote_result mote_colliders_reserve_rows(mote_collider_list *list, uint32_t rows,
                                        const mote_allocator *allocator) {
    if (rows <= list->rows) return MOTE_OK;
    if (list->capacity) return resize(list, list->capacity, rows, allocator);
    list->rows = rows;
    return MOTE_OK;
}

void mote_colliders_destroy(mote_collider_list *list, const mote_allocator *allocator) {
    if (list->capacity) mote_release(allocator, list->colliders, list_bytes(list->capacity, list->rows));
}

mote_result mote_colliders_add(mote_collider_list *list, const mote_collider_def *def,
                               const mote_allocator *allocator, uint32_t *serial) {
    if (list->count == MOTE_MAX_COLLIDERS || list->next_serial == UINT32_MAX) return MOTE_ERROR_CAPACITY;
    if (list->count == list->capacity) {
        mote_result result = resize(list, list->capacity ? 2 * list->capacity : 4, list->rows, allocator);
        if (result) return result;
    }
    *serial = ++list->next_serial;
    list->colliders[list->count++] =
        (mote_collider){.def = *def, .motion = mote_motion_place(&def->transform), .serial = *serial};
    return MOTE_OK;
}

uint32_t mote_colliders_find(const mote_collider_list *list, uint32_t serial) {
    uint32_t place = 0;
    while (place < list->count && list->colliders[place].serial != serial) place++;
    return place;
}

void mote_colliders_remove(mote_collider_list *list, uint32_t place) {
    const uint32_t behind = --list->count - place;
    memmove(list->colliders + place, list->colliders + place + 1, behind * sizeof *list->colliders);
}

void mote_colliders_resolve(mote_collider_list *list, uint64_t end_tick) {
    for (uint32_t i = 0; i < list->count; i++) mote_motion_resolve(&list->colliders[i].motion, end_tick);
}

/* --- Poses --- */

/* A quaternion in double: x, y, z, w. */
typedef struct turning {
    double q[4];
} turning;

static turning turning_of(const mote_transform *transform) {
    turning t;
    for (int i = 0; i < 4; i++) t.q[i] = (double)transform->rotation[i];
    return t;
}

static turning conjugate(turning a) { return (turning){{-a.q[0], -a.q[1], -a.q[2], a.q[3]}}; }

/* a after b. Where a = conjugate(b), or the reverse, x, y and z are 0 exactly: equal products cancel. */
static turning product(turning a, turning b) {
    const double *p = a.q, *q = b.q;
    return (turning){{(p[3] * q[0] + p[0] * q[3]) + (p[1] * q[2] - p[2] * q[1]),
                      (p[3] * q[1] + p[1] * q[3]) + (p[2] * q[0] - p[0] * q[2]),
                      (p[3] * q[2] + p[2] * q[3]) + (p[0] * q[1] - p[1] * q[0]),
                      (p[3] * q[3] - p[0] * q[0]) - (p[1] * q[1] + p[2] * q[2])}};
}

/* Columns of R, where the axes point, or of R - 1, how the axes' ends move. The diagonal of R is a difference
 * of squares, which is exactly 0 in quarter turns: else what lies in a plane would leave it by 1e-17 m, and
 * squares of that are denormals. */
static void write_columns(turning t, bool less_one, float columns[3][3]) {
    const double x = t.q[0], y = t.q[1], z = t.q[2], w = t.q[3], xx = x * x, yy = y * y, zz = z * z,
                 ww = w * w;
    const double s = 2 / ((xx + yy) + (zz + ww)), half = s / 2;
    const double m[3][3] = {{less_one ? -s * (yy + zz) : half * ((xx - yy) + (ww - zz)), s * (x * y + z * w),
                             s * (x * z - y * w)},
                            {s * (x * y - z * w), less_one ? -s * (xx + zz) : half * ((yy - zz) + (ww - xx)),
                             s * (y * z + x * w)},
                            {s * (x * z + y * w), s * (y * z - x * w),
                             less_one ? -s * (xx + yy) : half * ((zz - yy) + (ww - xx))}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) columns[k][i] = (float)m[k][i];
}

/* Of a turn in local axes: its part about the local y axis, from its parts swing x twist. */
static turning twist_of(turning local) {
    const double y = local.q[1], w = local.q[3];
    if (y == 0 && w == 0) return (turning){{0, 0, 0, 1}};
    return (turning){{0, y, 0, w}};
}

/* Rounded up. */
static float bound_of(const mote_collider_def *def) {
    const double x = (double)def->extent[0], y = (double)def->extent[1], z = (double)def->extent[2];
    double reach = 0;
    if (def->kind == MOTE_COLLIDER_PLANE) return INFINITY;
    if (def->kind == MOTE_COLLIDER_CAPSULE) reach = (double)def->half_length;
    if (def->kind == MOTE_COLLIDER_BOX) reach = __builtin_sqrt((x * x + y * y) + z * z);
    return (float)((reach + (double)def->radius) * (1 + 0x1p-22));
}

/* Rounded up. Only for what is round: whether a path may pass is then told by where it ends and how long it
 * is. */
static void write_around(mote_collider_pose *pose) {
    const bool capsule = pose->kind == MOTE_COLLIDER_CAPSULE;
    const bool known = pose->kind == MOTE_COLLIDER_SPHERE || (capsule && !pose->turns);
    for (int i = 0; i < 3; i++) {
        const double half =
            capsule ? (double)pose->half_length * __builtin_fabs((double)pose->axis[1][i]) : 0;
        pose->around[i] = known ? (float)((half + (double)pose->radius) * (1 + 0x1p-20)) : INFINITY;
        const float shift = __builtin_fabsf(pose->shift[i]);
        pose->moved = pose->moved < shift ? shift : pose->moved;
    }
}

mote_collider_pose mote_collider_pose_make(const mote_collider_def *def, const mote_transform *from,
                                           const mote_transform *to) {
    mote_collider_pose pose = {.kind = def->kind,
                               .radius = def->radius,
                               .half_length = def->half_length,
                               .friction = def->friction,
                               .bound = bound_of(def)};
    turning before = turning_of(from), now = turning_of(to);
    for (int i = 0; i < 3; i++) {
        pose.extent[i] = def->extent[i];
        pose.origin[i] = to->position[i];
        pose.shift[i] = (float)((double)to->position[i] - (double)from->position[i]);
    }
    write_columns(now, false, pose.axis);
    write_columns(product(now, conjugate(before)), true, pose.turn);
    for (int i = 0; i < 9; i++) pose.turns |= pose.turn[i / 3][i % 3] != 0;
    if (def->kind == MOTE_COLLIDER_CAPSULE)
        before = product(before, twist_of(product(conjugate(before), now)));
    write_columns(before, false, pose.start);
    write_around(&pose);
    return pose;
}

void mote_colliders_pose(mote_collider_list *list, uint64_t step_tick, uint64_t ticks_per_step,
                         uint32_t substeps) {
    for (uint32_t i = 0; i < list->count; i++) {
        const mote_collider *collider = &list->colliders[i];
        mote_transform before = mote_motion_at(&collider->motion, step_tick, 0);
        for (uint32_t s = 0; s <= substeps; s++) {
            const double within = (double)ticks_per_step * (double)s / (double)substeps;
            const mote_transform now = mote_motion_at(&collider->motion, step_tick, within);
            list->poses[(size_t)s * list->count + i] = mote_collider_pose_make(&collider->def, &before, &now);
            before = now;
        }
    }
}
