/* Nearest-neighbour search: shells of cells around the query, until no unvisited cell can hold a nearer
 * point. */
#include "strands/nearest.h"

#include "base/allocator.h"

double mote_distance_squared(const float a[3], const float b[3]) {
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = (double)a[axis] - (double)b[axis];
        sum += d * d;
    }
    return sum;
}

/* --- The grid --- */

static double cells_along(double extent, double size) { return (double)(uint64_t)(extent / size) + 1; }

/* Chooses the smallest cells, to within 25 %, whose number is at most twice that of the points. */
static void choose_cells(mote_nearest *n, const double extent[3]) {
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) longest = extent[axis] > longest ? extent[axis] : longest;
    n->size = longest > 0 ? longest / (double)n->count : 1;
    while (cells_along(extent[0], n->size) * cells_along(extent[1], n->size) *
               cells_along(extent[2], n->size) >
           2 * (double)n->count)
        n->size *= 1.25;
    for (int axis = 0; axis < 3; axis++) n->cells[axis] = (uint32_t)cells_along(extent[axis], n->size);
}

static void fit_grid(mote_nearest *n) {
    double extent[3];
    for (int axis = 0; axis < 3; axis++) {
        float low = n->points[0][axis], high = low;
        for (uint32_t i = 1; i < n->count; i++) {
            const float x = n->points[i][axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        n->origin[axis] = (double)low;
        extent[axis] = (double)high - (double)low;
    }
    choose_cells(n, extent);
}

/* Returns the cell along an axis; positions outside belong to the outermost cell. */
static uint32_t cell_along(const mote_nearest *n, int axis, float x) {
    const double at = ((double)x - n->origin[axis]) / n->size, last = (double)(n->cells[axis] - 1);
    return (uint32_t)(at > 0 ? at < last ? at : last : 0);
}

static size_t cell_at(const mote_nearest *n, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * n->cells[1] + y) * n->cells[0] + x;
}

static size_t cell_of(const mote_nearest *n, const float p[3]) {
    return cell_at(n, cell_along(n, 0, p[0]), cell_along(n, 1, p[1]), cell_along(n, 2, p[2]));
}

/* Sorts points by cell: a stable counting sort, lower numbers first in each cell. */
static void sort_points(mote_nearest *n, size_t cells) {
    for (size_t i = 0; i <= cells; i++) n->first[i] = 0;
    for (uint32_t i = 0; i < n->count; i++) n->first[cell_of(n, n->points[i])]++;
    uint32_t end = 0;
    for (size_t i = 0; i <= cells; i++) n->first[i] = end += n->first[i];
    for (uint32_t i = n->count; i-- > 0;) n->order[--n->first[cell_of(n, n->points[i])]] = i;
}

mote_result mote_nearest_make(mote_nearest *nearest, const float (*points)[3], uint32_t count,
                              const mote_allocator *allocator) {
    *nearest = (mote_nearest){.points = points, .count = count};
    fit_grid(nearest);
    const size_t cells = (size_t)nearest->cells[0] * nearest->cells[1] * nearest->cells[2];
    const uint64_t bytes = ((uint64_t)cells + 1 + count) * sizeof(uint32_t);
    if (bytes > SIZE_MAX / 2) return MOTE_ERROR_OVERFLOW;
    nearest->bytes = (size_t)bytes;
    nearest->memory = mote_allocate(allocator, nearest->bytes);
    if (!nearest->memory) return MOTE_ERROR_MEMORY;
    nearest->first = nearest->memory;
    nearest->order = nearest->first + cells + 1;
    sort_points(nearest, cells);
    return MOTE_OK;
}

void mote_nearest_destroy(mote_nearest *nearest, const mote_allocator *allocator) {
    mote_release(allocator, nearest->memory, nearest->bytes);
    nearest->memory = NULL;
}

/* --- Query --- */

typedef struct query {
    const float *at;
    uint32_t cell[3], count;
    uint32_t *found;
    double distance[MOTE_NEAREST]; /* squared distances */
} query;

/* Returns whether the point precedes the one found in `place`. */
static bool precedes(const query *q, uint32_t point, double distance, uint32_t place) {
    return distance < q->distance[place] || (distance == q->distance[place] && point < q->found[place]);
}

static void insert(query *q, uint32_t point, double distance) {
    uint32_t place = q->count;
    if (place < MOTE_NEAREST)
        q->count++;
    else if (!precedes(q, point, distance, --place))
        return;
    for (; place > 0 && precedes(q, point, distance, place - 1); place--) {
        q->distance[place] = q->distance[place - 1];
        q->found[place] = q->found[place - 1];
    }
    q->distance[place] = distance;
    q->found[place] = point;
}

static void search_cell(const mote_nearest *n, query *q, size_t cell) {
    for (uint32_t i = n->first[cell]; i < n->first[cell + 1]; i++)
        insert(q, n->order[i], mote_distance_squared(q->at, n->points[n->order[i]]));
}

/* Computes the range of cells along an axis within `radius` cells of the query's. */
static void cell_range(const mote_nearest *n, const query *q, int axis, uint32_t radius, uint32_t *low,
                       uint32_t *high) {
    *low = q->cell[axis] > radius ? q->cell[axis] - radius : 0;
    *high = n->cells[axis] - 1 - q->cell[axis] > radius ? q->cell[axis] + radius : n->cells[axis] - 1;
}

static uint32_t cell_distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/* Visits the cells exactly `radius` cells away, by the largest of their three distances. */
static void search_shell(const mote_nearest *n, query *q, uint32_t radius) {
    uint32_t low[3], high[3];
    for (int axis = 0; axis < 3; axis++) cell_range(n, q, axis, radius, &low[axis], &high[axis]);
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++) {
            const bool face =
                cell_distance(z, q->cell[2]) == radius || cell_distance(y, q->cell[1]) == radius;
            const uint32_t stride =
                face || radius == 0 ? 1 : 2 * radius; /* else only the two ends of the row */
            const uint32_t start = face || q->cell[0] >= radius ? low[0] : q->cell[0] + radius;
            for (uint32_t x = start; x <= high[0]; x += stride) search_cell(n, q, cell_at(n, x, y, z));
        }
}

/* Returns a lower bound of the distance to the nearest unvisited cell, less the possible rounding of the
 * cells' borders; below 0: none is unvisited. */
static double unvisited_distance(const mote_nearest *n, const query *q, uint32_t radius) {
    double nearest = -1;
    for (int axis = 0; axis < 3; axis++) {
        const double at = ((double)q->at[axis] - n->origin[axis]) / n->size;
        const double below = at - ((double)q->cell[axis] - (double)radius);
        const double above = (double)q->cell[axis] + (double)radius + 1 - at;
        if (q->cell[axis] > radius && (nearest < 0 || below < nearest)) nearest = below > 0 ? below : 0;
        if (n->cells[axis] - 1 - q->cell[axis] > radius && (nearest < 0 || above < nearest))
            nearest = above > 0 ? above : 0;
    }
    if (nearest < 0) return -1;
    return nearest > 1e-6 ? (nearest * (1 - 1e-9) - 1e-6) * n->size : 0;
}

uint32_t mote_nearest_find(const mote_nearest *nearest, const float at[3], uint32_t found[MOTE_NEAREST]) {
    query q = {.at = at, .found = found};
    for (int axis = 0; axis < 3; axis++) q.cell[axis] = cell_along(nearest, axis, at[axis]);
    for (uint32_t radius = 0;; radius++) {
        search_shell(nearest, &q, radius);
        const double beyond = unvisited_distance(nearest, &q, radius);
        if (beyond < 0 || (q.count == MOTE_NEAREST && q.distance[MOTE_NEAREST - 1] < beyond * beyond))
            return q.count;
    }
}
