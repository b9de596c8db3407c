/* Triangles on networks: mote/mesh.h. */
#include <mote/mesh.h>

#include <string.h>

#include "base/check.h"
#include "base/fpu.h"
#include "networks/network.h"
#include "stage/present.h"

#define COOKIE 0x6d657368u

/* --- Triangles and their springs --- */

/* Returns the spring of the lowest number between two slots; MOTE_NO_ITEM: there is none. */
static uint32_t spring_between(const mote_network *n, uint32_t a, uint32_t b) {
    uint32_t number = n->head[a];
    while (number != MOTE_NO_ITEM && n->spring[number].a != b && n->spring[number].b != b)
        number = mote_network_next(n, number, a);
    return number;
}

static bool has_corners(const mote_network *n, const uint32_t corner[3]) {
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) return false;
    for (int i = 0; i < 3; i++)
        if (corner[i] >= n->particle_count) return false;
    return true;
}

mote_result mote_network_find_triangles(const mote_network *n, uint32_t count, const uint32_t *indices,
                                        mote_triangle *triangles) {
    for (uint32_t i = 0; i < count; i++)
        if (!has_corners(n, indices + 3 * (size_t)i)) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *corner = indices + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            triangles[i].particle[k] = corner[k];
            triangles[i].spring[k] =
                spring_between(n, n->slot_of_particle[corner[k]], n->slot_of_particle[corner[(k + 1) % 3]]);
        }
    }
    return MOTE_OK;
}

/* Whether the spring of edge k exists and still has the ends of the edge. */
static bool edge_holds(const mote_network *n, const mote_triangle *triangle, int k) {
    const uint32_t number = triangle->spring[k];
    if (number == MOTE_NO_ITEM) return true;
    if (!mote_network_has_spring(n, number)) return false;
    const uint32_t a = n->slot_of_particle[triangle->particle[k]],
                   b = n->slot_of_particle[triangle->particle[(k + 1) % 3]];
    const mote_network_spring_state *spring = &n->spring[number];
    return (spring->a == a && spring->b == b) || (spring->a == b && spring->b == a);
}

mote_result mote_network_write_indices(const mote_network *n, uint32_t count, const mote_triangle *triangles,
                                       uint32_t *indices, uint32_t *index_count) {
    for (uint32_t i = 0; i < count; i++)
        if (!has_corners(n, triangles[i].particle)) return MOTE_ERROR_RANGE;
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mote_triangle *triangle = &triangles[i];
        if (!edge_holds(n, triangle, 0) || !edge_holds(n, triangle, 1) || !edge_holds(n, triangle, 2))
            continue;
        for (int k = 0; k < 3; k++) indices[written++] = triangle->particle[k];
    }
    *index_count = written;
    return MOTE_OK;
}

/* --- Normals --- */

mote_mesh_layout mote_default_mesh_layout(void) {
    return (mote_mesh_layout){
        .cookie = COOKIE, .stride = 6 * sizeof(float), .normal_offset = 3 * sizeof(float)};
}

mote_result mote_mesh_layout_check(const mote_mesh_layout *layout, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!layout) return MOTE_ERROR_NULL;
    const size_t position = layout->position_offset, normal = layout->normal_offset;
    if (layout->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    if (!mote_vector_fits(position, layout->stride))
        return mote_named(name, "position_offset", MOTE_ERROR_RANGE);
    const size_t apart = position < normal ? normal - position : position - normal;
    const bool fits = mote_vector_fits(normal, layout->stride) && apart >= 3 * sizeof(float);
    return fits ? MOTE_OK : mote_named(name, "normal_offset", MOTE_ERROR_RANGE);
}

static mote_result check_mesh(const mote_mesh_layout *layout, uint32_t vertex_count, const uint32_t *indices,
                              uint32_t index_count) {
    const mote_result result = mote_mesh_layout_check(layout, NULL);
    if (result) return result;
    if (index_count % 3 != 0) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < index_count; i++)
        if (indices[i] >= vertex_count) return MOTE_ERROR_RANGE;
    return MOTE_OK;
}

static void load_vector(const unsigned char *at, float v[3]) { memcpy(v, at, 3 * sizeof(float)); }
static void store_vector(unsigned char *at, const float v[3]) { memcpy(at, v, 3 * sizeof(float)); }

/* Adds (b - a) x (c - a) to the normals of the three corners. */
static void add_triangle(const mote_mesh_layout *layout, unsigned char *vertices, const uint32_t corner[3]) {
    float x[3][3], along[3], across[3], sum[3];
    for (int k = 0; k < 3; k++)
        load_vector(vertices + corner[k] * layout->stride + layout->position_offset, x[k]);
    for (int i = 0; i < 3; i++) along[i] = x[1][i] - x[0][i], across[i] = x[2][i] - x[0][i];
    for (int k = 0; k < 3; k++) {
        unsigned char *normal = vertices + corner[k] * layout->stride + layout->normal_offset;
        load_vector(normal, sum);
        for (int i = 0; i < 3; i++)
            sum[i] += along[(i + 1) % 3] * across[(i + 2) % 3] - along[(i + 2) % 3] * across[(i + 1) % 3];
        store_vector(normal, sum);
    }
}

/* In double, where no square of a float overflows or underflows. */
static void normalise(float v[3]) {
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2],
                 length = __builtin_sqrt(x * x + y * y + z * z);
    const bool has_direction = length > 0 && isfinite(length);
    v[0] = has_direction ? (float)(x / length) : 0;
    v[1] = has_direction ? (float)(y / length) : 1;
    v[2] = has_direction ? (float)(z / length) : 0;
}

mote_result mote_mesh_normals(const mote_mesh_layout *layout, void *vertices, uint32_t vertex_count,
                              const uint32_t *indices, uint32_t index_count) {
    if (!layout || (vertex_count && !vertices) || (index_count && !indices)) return MOTE_ERROR_NULL;
    const mote_result result = check_mesh(layout, vertex_count, indices, index_count);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    unsigned char *first = vertices;
    const float zero[3] = {0, 0, 0};
    for (uint32_t i = 0; i < vertex_count; i++)
        store_vector(first + i * layout->stride + layout->normal_offset, zero);
    for (uint32_t i = 0; i < index_count; i += 3) add_triangle(layout, first, indices + i);
    for (uint32_t i = 0; i < vertex_count; i++) {
        float normal[3];
        load_vector(first + i * layout->stride + layout->normal_offset, normal);
        normalise(normal);
        store_vector(first + i * layout->stride + layout->normal_offset, normal);
    }
    mote_fpu_leave(saved);
    return MOTE_OK;
}
