/* Collider list, and the table of collider poses. Rotations are computed in double from the quaternions, so
 * that directions are accurate to the last bit and a collider at rest has neither shift nor turn. */
#include "contacts/colliders.h"

#include <math.h>
#include <string.h>

#include "base/allocator.h"
#include "base/hash.h"
#include "contacts/distance_grid.h"
#include "contacts/height_field.h"

/* --- The list --- */

/* Marks the poses as stale. mote_colliders_poses computes them again. */
static void poses_changed(mote_collider_list *list) { list->substeps = 0; }

/* Reserves poses for as many colliders as the list has room for. Error: MEMORY. */
static mote_result reserve_poses(mote_collider_list *list, uint32_t rows, const mote_allocator *allocator) {
    const size_t bytes = (size_t)list->list.capacity * rows * sizeof(mote_collider_pose);
    if (bytes <= list->bytes) return MOTE_OK;
    mote_collider_pose *poses = mote_allocate(allocator, bytes);
    if (!poses) return MOTE_ERROR_MEMORY;
    mote_release(allocator, list->poses, list->bytes);
    list->poses = poses;
    list->bytes = bytes;
    poses_changed(list);
    return MOTE_OK;
}

mote_result mote_colliders_reserve_rows(mote_collider_list *list, uint32_t rows,
                                        const mote_allocator *allocator) {
    if (rows <= list->rows) return MOTE_OK;
    const mote_result result = reserve_poses(list, rows, allocator);
    if (result == MOTE_OK) list->rows = rows;
    return result;
}

void mote_colliders_destroy(mote_collider_list *list, const mote_allocator *allocator) {
    mote_release(allocator, list->poses, list->bytes);
    mote_id_list_destroy(&list->list, allocator);
}

static bool has_samples(mote_collider_kind kind) {
    return kind == MOTE_COLLIDER_HEIGHT_FIELD || kind == MOTE_COLLIDER_DISTANCE_GRID;
}

/* Sets the sizes that a shape with samples does not use to 0: they are not in a snapshot. */
static void clear_unused(mote_collider_def *def) {
    if (!has_samples(def->kind)) return;
    def->half_length = 0;
    for (int i = 0; i < 3; i++) def->extent[i] = 0;
}

static mote_collider collider_of(const mote_collider_def *def) {
    mote_collider collider = {.def = *def, .motion = mote_motion_place(&def->transform)};
    clear_unused(&collider.def);
    return collider;
}

mote_result mote_colliders_add(mote_collider_list *list, const mote_collider_def *def,
                               const mote_allocator *allocator, uint32_t *serial) {
    const mote_collider collider = collider_of(def);
    list->list.element = sizeof collider;
    mote_result result = mote_id_list_reserve_next(&list->list, MOTE_MAX_COLLIDERS, allocator);
    if (result == MOTE_OK) result = reserve_poses(list, list->rows, allocator);
    if (result) return result;
    *serial = mote_id_list_append(&list->list, &collider);
    poses_changed(list);
    return MOTE_OK;
}

void mote_colliders_set(mote_collider_list *list, uint32_t place, const mote_collider_def *def) {
    *mote_collider_at(list, place) = collider_of(def);
    poses_changed(list);
}

void mote_colliders_change(mote_collider_list *list, uint32_t place, const mote_collider_def *def) {
    const mote_motion motion = mote_collider_at(list, place)->motion;
    mote_colliders_set(list, place, def);
    mote_collider_at(list, place)->motion = motion;
}

void mote_colliders_move(mote_collider_list *list, uint32_t place, const mote_transform *target, uint64_t now,
                         uint64_t tick) {
    mote_motion_target(&mote_collider_at(list, place)->motion, now, target, tick);
    poses_changed(list);
}

void mote_colliders_remove(mote_collider_list *list, uint32_t place) {
    mote_id_list_remove(&list->list, place);
    poses_changed(list);
}

void mote_colliders_resolve(mote_collider_list *list, uint64_t end_tick) {
    for (uint32_t i = 0; i < list->list.count; i++) {
        uint64_t *tick = &mote_collider_at(list, i)->motion.travel.to_tick;
        if (mote_travel_is_pending(*tick)) poses_changed(list);
        mote_travel_resolve(tick, end_tick);
    }
}

void mote_colliders_jump(mote_collider_list *list, uint64_t now, double ticks) {
    for (uint32_t i = 0; i < list->list.count; i++) {
        mote_travel *travel = &mote_collider_at(list, i)->motion.travel;
        const double left = (double)(int64_t)(travel->to_tick - now);
        const bool arrives = left <= ticks || ticks < -(double)MOTE_KEEP_TICKS;
        mote_travel_keep_arrival(&travel->from_tick, &travel->to_tick, now);
        if (arrives && !mote_travel_is_pending(travel->to_tick)) travel->from_tick = travel->to_tick;
    }
    poses_changed(list);
}

void mote_colliders_keep_arrivals(mote_collider_list *list, uint64_t now) {
    for (uint32_t i = 0; i < list->list.count; i++) {
        mote_travel *travel = &mote_collider_at(list, i)->motion.travel;
        mote_travel_keep_arrival(&travel->from_tick, &travel->to_tick, now);
    }
}

/* Returns the hash of the samples of a height field or distance grid; 0 for other shapes. */
static uint64_t samples_hash(const mote_collider_def *def) {
    if (def->kind == MOTE_COLLIDER_HEIGHT_FIELD) return def->height_field->hash;
    return def->kind == MOTE_COLLIDER_DISTANCE_GRID ? def->distance_grid->hash : 0;
}

uint64_t mote_collider_hash(uint64_t seed, const mote_collider *collider) {
    const mote_collider_def *def = &collider->def;
    const mote_motion *motion = &collider->motion;
    const float shape[] = {def->radius,    def->half_length, def->extent[0],  def->extent[1],
                           def->extent[2], def->friction,    def->restitution};
    uint64_t hash = mote_hash_words(mote_hash_number(seed, (uint64_t)def->kind), shape, sizeof shape);
    hash = mote_hash_number(hash, (uint64_t)def->response);
    if (has_samples(def->kind)) hash = mote_hash_number(hash, samples_hash(def));
    return mote_travel_hash(hash, &motion->from, &motion->to, sizeof motion->to, &motion->travel);
}

/* --- Snapshots --- */

/* Words of a collider: serial number, kind, def, motion. Samples are not in a snapshot: the def of a shape
 * that has them holds their hash in place of the first two edges of a box. */
enum {
    SERIAL,
    KIND,
    RESPONSE,
    DEF,
    EXTENT = DEF + 9,
    FROM = DEF + 14,
    TO = FROM + 7,
    TICKS = TO + 7,
    WORDS = TICKS + 4
};
_Static_assert(WORDS == 35, "mote/snapshot.h states the number");

static void write_collider(unsigned char *section, uint32_t place, uint32_t serial, const mote_collider *c) {
    const float shape[7] = {c->def.radius,    c->def.half_length, c->def.extent[0],  c->def.extent[1],
                            c->def.extent[2], c->def.friction,    c->def.restitution};
    uint32_t words[WORDS] = {
        [SERIAL] = serial, [KIND] = (uint32_t)c->def.kind, [RESPONSE] = (uint32_t)c->def.response};
    memcpy(words + DEF, &c->def.transform, sizeof c->def.transform);
    memcpy(words + DEF + 7, shape, sizeof shape);
    if (has_samples(c->def.kind)) mote_words_split(samples_hash(&c->def), words + EXTENT);
    memcpy(words + FROM, &c->motion.from, sizeof c->motion.from);
    memcpy(words + TO, &c->motion.to, sizeof c->motion.to);
    mote_words_split(c->motion.travel.from_tick, words + TICKS);
    mote_words_split(c->motion.travel.to_tick, words + TICKS + 2);
    mote_words_store(section, (uint64_t)place * WORDS, words, WORDS);
}

/* Samples of the colliders that the system has. */
typedef struct known_samples {
    uint32_t count;
    struct {
        uint64_t hash;
        uint32_t serial; /* of the collider */
        mote_collider_kind kind;
        const mote_height_field *height_field;
        const mote_distance_grid *distance_grid;
    } of[MOTE_MAX_COLLIDERS];
} known_samples;

static void collect_samples(const mote_collider_list *list, known_samples *known) {
    known->count = 0;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const mote_collider_def *def = &mote_collider_at(list, i)->def;
        if (!has_samples(def->kind)) continue;
        known->of[known->count].serial = list->list.serials[i];
        known->of[known->count].hash = samples_hash(def), known->of[known->count].kind = def->kind;
        known->of[known->count].height_field = def->height_field;
        known->of[known->count++].distance_grid = def->distance_grid;
    }
}

/* Finds the samples with the hash in a collider's words: those of the collider with the same serial number,
 * or else of the first one that has them. Returns false if the system has none. */
static bool find_samples(const known_samples *known, const uint32_t *words, mote_collider_def *def) {
    const uint64_t hash = mote_words_join(words + EXTENT);
    uint32_t found = known->count;
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->of[i].hash != hash || known->of[i].kind != def->kind) continue;
        const bool same = known->of[i].serial == words[SERIAL];
        if (same || found == known->count) found = i;
        if (same) break;
    }
    if (found == known->count) return false;
    def->height_field = known->of[found].height_field;
    def->distance_grid = known->of[found].distance_grid;
    clear_unused(def);
    return true;
}

/* Reads a collider and its serial number. Returns false if the system does not have its samples. */
static bool read_collider(const unsigned char *section, uint32_t place, const known_samples *known,
                          uint32_t *serial, mote_collider *c) {
    uint32_t words[WORDS];
    float shape[7];
    mote_words_load(words, section, (uint64_t)place * WORDS, WORDS);
    memcpy(shape, words + DEF + 7, sizeof shape);
    *c = (mote_collider){
        .def = {.cookie = MOTE_COLLIDER_COOKIE,
                .kind = (mote_collider_kind)words[KIND],
                .radius = shape[0],
                .half_length = shape[1],
                .extent = {shape[2], shape[3], shape[4]},
                .friction = shape[5],
                .restitution = shape[6],
                .response = (mote_response)words[RESPONSE]},
        .motion.travel = {mote_words_join(words + TICKS), mote_words_join(words + TICKS + 2)}};
    memcpy(&c->def.transform, words + DEF, sizeof c->def.transform);
    memcpy(&c->motion.from, words + FROM, sizeof c->motion.from);
    memcpy(&c->motion.to, words + TO, sizeof c->motion.to);
    *serial = words[SERIAL];
    return !has_samples(c->def.kind) || find_samples(known, words, &c->def);
}

static void check_colliders(const unsigned char *section, uint32_t count, uint32_t next_serial, bool sticking,
                            const known_samples *known, mote_archive *a) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        mote_collider c;
        uint32_t serial;
        if (!read_collider(section, i, known, &serial, &c)) {
            mote_archive_refuse(a, MOTE_ERROR_FOREIGN, 0, i, "collider");
            return;
        }
        if (serial <= last || serial > next_serial || mote_collider_check(&c.def, NULL) ||
            (c.def.response == MOTE_RESPONSE_STICK && !sticking) || mote_motion_check(&c.motion.from) ||
            mote_motion_check(&c.motion.to)) {
            mote_archive_refuse(a, MOTE_ERROR_FILE, 0, i, "collider");
            return;
        }
        last = serial;
    }
}

/* Reserves the list and its poses. Error: MEMORY. */
static mote_result reserve(mote_collider_list *list, uint32_t count, const mote_allocator *allocator) {
    list->list.element = sizeof(mote_collider);
    const mote_result result = mote_id_list_reserve(&list->list, count, allocator);
    return result ? result : reserve_poses(list, list->rows, allocator);
}

void mote_colliders_archive(mote_collider_list *list, uint32_t count, uint32_t next_serial, bool sticking,
                            mote_archive *a) {
    unsigned char *section = mote_archive_section(a, 0, 4, 4 * (uint64_t)WORDS * count);
    if (!section) return;
    for (uint32_t i = 0; i < count && a->task == MOTE_ARCHIVE_WRITE; i++)
        write_collider(section, i, list->list.serials[i], mote_collider_at(list, i));
    known_samples known;
    collect_samples(list, &known);
    if (a->task == MOTE_ARCHIVE_CHECK) check_colliders(section, count, next_serial, sticking, &known, a);
    if (a->task == MOTE_ARCHIVE_RESERVE && reserve(list, count, a->allocator))
        mote_archive_refuse(a, MOTE_ERROR_MEMORY, 0, MOTE_NO_ITEM, NULL);
    if (a->task != MOTE_ARCHIVE_READ) return;
    for (uint32_t i = 0; i < count; i++)
        (void)read_collider(section, i, &known, &list->list.serials[i], mote_collider_at(list, i));
    list->list.count = count;
    list->list.next_serial = next_serial;
    poses_changed(list);
}

/* --- Poses --- */

/* Quaternion in double: x, y, z, w. */
typedef struct quaternion {
    double q[4];
} quaternion;

static quaternion quaternion_of(const mote_placement *at) {
    quaternion t;
    for (int i = 0; i < 4; i++) t.q[i] = at->rotation[i];
    return t;
}

static quaternion conjugate(quaternion a) { return (quaternion){{-a.q[0], -a.q[1], -a.q[2], a.q[3]}}; }

/* Quaternion product: the rotation a after b. If a = conjugate(b), or the reverse, x, y and z are exactly 0:
 * equal products cancel. */
static quaternion product(quaternion a, quaternion b) {
    const double *p = a.q, *q = b.q;
    return (quaternion){{(p[3] * q[0] + p[0] * q[3]) + (p[1] * q[2] - p[2] * q[1]),
                         (p[3] * q[1] + p[1] * q[3]) + (p[2] * q[0] - p[0] * q[2]),
                         (p[3] * q[2] + p[2] * q[3]) + (p[0] * q[1] - p[1] * q[0]),
                         (p[3] * q[3] - p[0] * q[0]) - (p[1] * q[1] + p[2] * q[2])}};
}

/* Writes the columns of R (directions of the axes) or of R - 1 (displacements of the axes' ends). The
 * diagonal of R is written as a difference of squares, which is exactly 0 in quarter turns: otherwise a point
 * in a plane would leave it by 1e-17 m, and the squares of such distances are denormals. */
static void write_columns(quaternion t, bool minus_identity, float columns[3][3]) {
    const double x = t.q[0], y = t.q[1], z = t.q[2], w = t.q[3], xx = x * x, yy = y * y, zz = z * z,
                 ww = w * w;
    const double s = 2 / ((xx + yy) + (zz + ww)), half = s / 2;
    const double m[3][3] = {{minus_identity ? -s * (yy + zz) : half * ((xx - yy) + (ww - zz)),
                             s * (x * y + z * w), s * (x * z - y * w)},
                            {s * (x * y - z * w),
                             minus_identity ? -s * (xx + zz) : half * ((yy - zz) + (ww - xx)),
                             s * (y * z + x * w)},
                            {s * (x * z + y * w), s * (y * z - x * w),
                             minus_identity ? -s * (xx + yy) : half * ((zz - yy) + (ww - xx))}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) columns[k][i] = (float)m[k][i];
}

/* Returns the twist about the local y axis of a rotation in local axes (swing-twist decomposition). */
static quaternion twist_of(quaternion local) {
    const double y = local.q[1], w = local.q[3];
    if (y == 0 && w == 0) return (quaternion){{0, 0, 0, 1}};
    return (quaternion){{0, y, 0, w}};
}

float mote_collider_bound(const mote_collider_def *def) {
    const double x = (double)def->extent[0], y = (double)def->extent[1], z = (double)def->extent[2];
    double reach = 0;
    if (def->kind == MOTE_COLLIDER_PLANE || def->kind == MOTE_COLLIDER_HEIGHT_FIELD) return INFINITY;
    if (def->kind == MOTE_COLLIDER_DISTANCE_GRID) return def->distance_grid->reach;
    if (def->kind == MOTE_COLLIDER_CAPSULE) reach = (double)def->half_length;
    if (def->kind == MOTE_COLLIDER_BOX) reach = __builtin_sqrt((x * x + y * y) + z * z);
    return (float)((reach + (double)def->radius) * (1 + 0x1p-22));
}

/* Writes the bounding box, rounded up. It is finite only for spheres and for capsules that do not turn: for
 * these the end and the length of a path decide whether it may pass through. */
static void write_bounding_box(mote_collider_pose *pose) {
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

/* Writes the half edges of the world-aligned box around the shape, rounded up, and the scale of rounding
 * errors. */
static void write_extent(const mote_collider_def *def, mote_collider_pose *pose) {
    double scale = isfinite(pose->bound) ? (double)pose->bound : 0;
    for (int i = 0; i < 3; i++) {
        double half = (pose->turns ? 1.03 : 1) * (double)pose->bound; /* collide.h: the ball of collide_cut */
        if (def->kind == MOTE_COLLIDER_CAPSULE && !pose->turns)
            half = (double)def->half_length * __builtin_fabs((double)pose->axis[1][i]) + (double)def->radius;
        if (def->kind == MOTE_COLLIDER_BOX && !pose->turns) {
            half = (double)def->radius;
            for (int k = 0; k < 3; k++)
                half += (double)def->extent[k] * __builtin_fabs((double)pose->axis[k][i]);
        }
        pose->half[i] = (float)(half * (1 + 0x1p-20));
        const double origin = __builtin_fabs((double)pose->origin[i]);
        if (scale < origin) scale = origin;
    }
    pose->slack = (float)(scale * 0x1p-22);
    double square = 0; /* ||R - 1||_F = 2 sqrt(2) sin(angle / 2) >= angle, up to 2.8 rad */
    for (int i = 0; i < 9; i++) square += (double)pose->turn[i / 3][i % 3] * (double)pose->turn[i / 3][i % 3];
    pose->spin = (float)__builtin_sqrt(square);
}

/* Writes the bounds of the solid in its axes, rounded up. */
static void write_bounds(mote_collider_pose *pose) {
    for (int axis = 0; axis < 3 && pose->distance_grid; axis++) {
        const mote_distance_grid *grid = pose->distance_grid;
        const double low = (double)grid->origin[axis],
                     high = low + (double)grid->spacing * (grid->count[axis] - 1);
        const double more = 0x1p-20 * (__builtin_fabs(low) + __builtin_fabs(high));
        pose->low[axis] = (float)(low - more), pose->high[axis] = (float)(high + more);
    }
    pose->ball = pose->bound;
    if (!pose->height_field) return;
    const mote_height_field *field = pose->height_field;
    const double top = (double)field->high + (double)pose->radius * (double)field->weight;
    pose->low[1] = -MOTE_GRID_FAR, pose->high[1] = (float)(top + 0x1p-20 * __builtin_fabs(top));
    pose->high[0] = (float)((field->count[0] - 1) * (double)field->spacing[0] * (1 + 0x1p-20));
    pose->high[2] = (float)((field->count[1] - 1) * (double)field->spacing[1] * (1 + 0x1p-20));
    const double up = __builtin_fabs(top), down = __builtin_fabs((double)field->low),
                 y = up > down ? up : down, x = (double)pose->high[0], z = (double)pose->high[2];
    pose->ball = (float)(__builtin_sqrt(x * x + y * y + z * z) * (1 + 0x1p-20));
}

mote_collider_pose mote_collider_pose_make(const mote_collider_def *def, const mote_placement *from,
                                           const mote_placement *to) {
    mote_collider_pose pose = {.kind = def->kind,
                               .radius = def->radius,
                               .half_length = def->half_length,
                               .friction = def->friction,
                               .bound = mote_collider_bound(def),
                               .restitution = def->restitution,
                               .response = def->response};
    if (def->kind == MOTE_COLLIDER_HEIGHT_FIELD) pose.height_field = def->height_field;
    if (def->kind == MOTE_COLLIDER_DISTANCE_GRID) pose.distance_grid = def->distance_grid;
    write_bounds(&pose);
    quaternion before = quaternion_of(from), now = quaternion_of(to);
    for (int i = 0; i < 3; i++) {
        pose.extent[i] = def->extent[i];
        pose.origin[i] = (float)to->position[i];
        pose.origin_low[i] = (float)(to->position[i] - (double)pose.origin[i]);
        pose.shift[i] = 0.0f + (float)(to->position[i] - from->position[i]); /* not -0 */
    }
    write_columns(now, false, pose.axis);
    write_columns(product(now, conjugate(before)), true, pose.turn);
    for (int i = 0; i < 9; i++) pose.turns |= pose.turn[i / 3][i % 3] != 0;
    write_columns(before, false, pose.before);
    /* Removes a capsule's twist about its own axis from its start. */
    if (def->kind == MOTE_COLLIDER_CAPSULE)
        before = product(before, twist_of(product(conjugate(before), now)));
    write_columns(before, false, pose.start);
    write_bounding_box(&pose);
    write_extent(def, &pose);
    return pose;
}

static void fill_poses(mote_collider_list *list, uint64_t ticks_per_step) {
    const uint32_t count = list->list.count;
    list->at_rest = true;
    for (uint32_t i = 0; i < count; i++) {
        const mote_collider *collider = mote_collider_at(list, i);
        const mote_travel *travel = &collider->motion.travel;
        list->at_rest &= mote_travel_has_arrived(travel->from_tick, travel->to_tick, list->tick);
        mote_placement before = mote_motion_placement(&collider->motion, list->tick, 0);
        for (uint32_t s = 0; s <= list->substeps; s++) {
            const double within = (double)ticks_per_step * (double)s / (double)list->substeps;
            const mote_placement now = mote_motion_placement(&collider->motion, list->tick, within);
            mote_collider_pose *pose = &list->poses[(size_t)s * count + i];
            *pose = mote_collider_pose_make(&collider->def, &before, &now);
            pose->serial = list->list.serials[i];
            before = now;
        }
    }
}

const mote_collider_pose *mote_colliders_poses(mote_collider_list *list, uint64_t step_tick,
                                               uint64_t ticks_per_step, uint32_t substeps) {
    const bool later = list->at_rest && (int64_t)(step_tick - list->tick) >= 0;
    if (list->substeps == substeps && (list->tick == step_tick || later)) return list->poses;
    list->tick = step_tick;
    list->substeps = substeps;
    fill_poses(list, ticks_per_step);
    return list->poses;
}
