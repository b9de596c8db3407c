/* Order of particles by depth: a stable counting sort of 16-bit keys by their low, then their high byte
 * (radix sort, Knuth, The Art of Computer Programming 3, 5.2.5). The particles are divided into chunks, which
 * may be sorted at the same time: each chunk counts its digits, and the sums over all smaller digits, and
 * over the same digit in earlier chunks, are the places where it writes. The result does not depend on the
 * division. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "particles/particles.h"

enum { DIGITS = 256, MAX_CHUNKS = 64, LEAST_CHUNK = 8192 };

typedef struct sorting {
    const mote_particles *particles;
    const mote_presentation *by;
    float direction[3];
    uint32_t *order, *half; /* result; slots in the order of the low bytes */
    uint16_t *key;          /* by slot */
    float *depth;           /* by slot, in the memory of `order` */
    float furthest, scale;
    bool packed; /* slots fit 24 bits */
    uint32_t chunks;
    size_t count, length; /* particles, and those of a chunk: whole lane groups */
    float range[MAX_CHUNKS][2];
    bool lost[MAX_CHUNKS];              /* some depths are not finite */
    uint32_t place[MAX_CHUNKS][DIGITS]; /* counts of digits, then where the next one is written */
} sorting;

/* Scales a direction by a power of two to a largest component of 1/16 .. 1/8: no depth of finite places
 * overflows then, nor a difference of two. */
static void scale_direction(float direction[3]) {
    float largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float size = __builtin_fabsf(direction[axis]);
        largest = largest < size ? size : largest;
    }
    const float factor = largest < 0.0625f ? 2 : 0.5f;
    for (; largest > 0 && (largest < 0.0625f || largest >= 0.125f); largest *= factor)
        for (int axis = 0; axis < 3; axis++) direction[axis] *= factor;
}

static size_t first_of(const sorting *s, size_t chunk) {
    const size_t first = chunk * s->length;
    return first < s->count ? first : s->count;
}

static void find_depths(void *context, size_t chunk, size_t end, uint32_t worker) {
    (void)worker;
    sorting *s = context;
    for (; chunk < end; chunk++) {
        const size_t first = first_of(s, chunk), count = first_of(s, chunk + 1) - first;
        float *x[3];
        for (int axis = 0; axis < 3; axis++) x[axis] = s->particles->range.x[axis] + first;
        s->range[chunk][0] = INFINITY, s->range[chunk][1] = -INFINITY;
        s->lost[chunk] = s->by->kernels->depths(x, s->direction, count, s->depth + first, s->range[chunk]);
    }
}

/* Sets the scale from depths to keys. */
static void find_scale(sorting *s) {
    float nearest = INFINITY, furthest = -INFINITY;
    for (uint32_t i = 0; i < s->chunks; i++) {
        nearest = s->range[i][0] < nearest ? s->range[i][0] : nearest;
        furthest = s->range[i][1] > furthest ? s->range[i][1] : furthest;
    }
    const bool spread = furthest > nearest;
    const float scale = spread ? 65536.0f / (furthest - nearest) : 0;
    s->furthest = spread ? furthest : 0;
    s->scale = scale <= FLT_MAX ? scale : FLT_MAX;
}

/* Counts digits in several tables in turn: equal digits in a row would wait for one another. */
enum { TABLES = 4 };

/* The digit of element i in the pass at hand. */
typedef uint32_t digit_of(const sorting *s, size_t i);

MOTE_INLINE uint32_t low_byte(const sorting *s, size_t i) { return s->key[i] & 255u; }

/* Elements of `half` hold a slot, and in their upper 8 bits the high byte where slots need no more than 24.
 */
MOTE_INLINE uint32_t packed_high_byte(const sorting *s, size_t i) { return s->half[i] >> 24; }
MOTE_INLINE uint32_t high_byte(const sorting *s, size_t i) { return s->key[s->half[i]] >> 8; }

MOTE_INLINE void count_digits(sorting *s, size_t chunk, digit_of *digit) {
    uint32_t count[TABLES][DIGITS];
    const size_t first = first_of(s, chunk), last = first_of(s, chunk + 1);
    memset(count, 0, sizeof count);
    for (size_t i = first; i < last; i++) count[i % TABLES][digit(s, i)]++;
    for (uint32_t k = 0; k < DIGITS; k++)
        s->place[chunk][k] = count[0][k] + count[1][k] + count[2][k] + count[3][k];
}

static void count_low_bytes(void *context, size_t chunk, size_t end, uint32_t worker) {
    (void)worker;
    sorting *s = context;
    for (; chunk < end; chunk++) {
        const size_t first = first_of(s, chunk), count = first_of(s, chunk + 1) - first;
        s->by->kernels->keys(s->depth + first, s->furthest, s->scale, count, s->key + first);
        count_digits(s, chunk, low_byte);
    }
}

static void count_high_bytes(void *context, size_t chunk, size_t end, uint32_t worker) {
    (void)worker;
    sorting *s = context;
    for (; chunk < end; chunk++)
        if (s->packed)
            count_digits(s, chunk, packed_high_byte);
        else
            count_digits(s, chunk, high_byte);
}

static void sort_by_low_bytes(void *context, size_t chunk, size_t end, uint32_t worker) {
    (void)worker;
    sorting *s = context;
    for (; chunk < end; chunk++) {
        const size_t last = first_of(s, chunk + 1);
        uint32_t *place = s->place[chunk];
        for (size_t slot = first_of(s, chunk); slot < last; slot++) {
            const uint32_t key = s->key[slot];
            s->half[place[key & 255]++] = s->packed ? (uint32_t)slot | key >> 8 << 24 : (uint32_t)slot;
        }
    }
}

MOTE_INLINE void sort_chunk(sorting *s, size_t chunk, digit_of *digit, uint32_t slots) {
    const size_t last = first_of(s, chunk + 1);
    uint32_t *place = s->place[chunk];
    for (size_t i = first_of(s, chunk); i < last; i++) s->order[place[digit(s, i)]++] = s->half[i] & slots;
}

static void sort_by_high_bytes(void *context, size_t chunk, size_t end, uint32_t worker) {
    (void)worker;
    sorting *s = context;
    for (; chunk < end; chunk++)
        if (s->packed)
            sort_chunk(s, chunk, packed_high_byte, 0xffffff);
        else
            sort_chunk(s, chunk, high_byte, UINT32_MAX);
}

/* Turns the counts of all chunks into the places of their first digits. */
static void find_places(sorting *s) {
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++)
        for (uint32_t chunk = 0; chunk < s->chunks; chunk++) {
            const uint32_t count = s->place[chunk][digit];
            s->place[chunk][digit] = sum;
            sum += count;
        }
}

/* Puts depths that are not finite behind the others of the last key. */
static void move_lost(sorting *s) {
    bool lost = false;
    for (uint32_t i = 0; i < s->chunks; i++) lost |= s->lost[i];
    if (!lost) return;
    size_t first = s->count, kept, moved = 0;
    while (first > 0 && s->key[s->order[first - 1]] == UINT16_MAX) first--;
    kept = first;
    for (size_t i = first; i < s->count; i++) {
        const uint32_t slot = s->order[i];
        float *const *x = s->particles->range.x;
        const float depth =
            x[0][slot] * s->direction[0] + x[1][slot] * s->direction[1] + x[2][slot] * s->direction[2];
        if (depth - depth == 0)
            s->order[kept++] = slot;
        else
            s->half[moved++] = slot;
    }
    memcpy(s->order + kept, s->half, moved * sizeof *s->order);
}

static void divide(sorting *s, const mote_jobs *jobs) {
    const uint64_t most = jobs->run ? 4 * (uint64_t)jobs->workers : 1, few = s->count / LEAST_CHUNK + 1;
    const uint64_t chunks = few < most ? few : most;
    s->chunks = chunks < MAX_CHUNKS ? (uint32_t)chunks : MAX_CHUNKS;
    s->length = mote_round_up((s->count + s->chunks - 1) / s->chunks, MOTE_GROUP);
}

void mote_particles_order(const mote_particles *particles, const mote_presentation *by,
                          const float direction[3], bool packed, uint32_t *order) {
    const size_t count = particles->range.slot_count, padded = mote_round_up(count, MOTE_GROUP);
    sorting s;
    s.particles = particles, s.by = by, s.count = count;
    memcpy(s.direction, direction, sizeof s.direction);
    scale_direction(s.direction);
    s.order = order, s.half = order + padded;
    s.depth = (float *)(void *)order;
    s.packed = packed;
    s.key = (uint16_t *)(void *)(order + 2 * padded);
    const mote_jobs *jobs = mote_jobs_for(by->jobs, MOTE_WORK_SORTED * (double)count);
    divide(&s, jobs);
    mote_parallel_for(jobs, s.chunks, 1, find_depths, &s);
    find_scale(&s);
    mote_parallel_for(jobs, s.chunks, 1, count_low_bytes, &s);
    find_places(&s);
    mote_parallel_for(jobs, s.chunks, 1, sort_by_low_bytes, &s);
    mote_parallel_for(jobs, s.chunks, 1, count_high_bytes, &s);
    find_places(&s);
    mote_parallel_for(jobs, s.chunks, 1, sort_by_high_bytes, &s);
    move_lost(&s);
}
