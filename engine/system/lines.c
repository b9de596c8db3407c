/* Lines for a debug view: mote/lines.h. The one place of the library where cglm computes: nothing here
 * reaches state. */
#include <mote/lines.h>

#include <cglm/affine-mat.h>
#include <cglm/mat4.h>
#include <cglm/quat.h>
#include <cglm/vec3.h>

#include "contacts/distance_grid.h"
#include "contacts/height_field.h"
#include "math/trigonometry.h"
#include "networks/network.h"
#include "system/internal.h"

#define COOKIE       0x6c696e65u
#define MAX_SEGMENTS 256u
#define GRID         4  /* cells of a plane's square along an edge */
#define FIELD_LINES  32 /* of a height field along an axis, and one more */

typedef struct pen {
    const mote_system *system;
    const mote_lines_def *def;
    mote_line *lines; /* NULL: only counts */
    uint32_t count;
    mote_line next; /* kind, object, item and strain of lines to come */
    float alpha;
} pen;

static void draw(pen *p, const vec3 from, const vec3 to) {
    if (p->lines) {
        mote_line *line = &p->lines[p->count];
        *line = p->next;
        for (int i = 0; i < 3; i++) line->from[i] = from[i], line->to[i] = to[i];
    }
    p->count++;
}

/* --- Outlines of shapes, in a local frame --- */

/* Frame of a shape: rotation, and position relative to the origin of the lines. */
typedef struct frame {
    versor rotation;
    vec3 position;
} frame;

static frame frame_at(const pen *p, const mote_transform *at) {
    frame made;
    for (int i = 0; i < 4; i++) made.rotation[i] = at->rotation[i];
    glm_quat_normalize(made.rotation);
    for (int i = 0; i < 3; i++) made.position[i] = (float)((double)at->position[i] - p->def->origin[i]);
    return made;
}

static void draw_local(pen *p, frame *at, vec3 from, vec3 to) {
    vec3 ends[2];
    glm_quat_rotatev(at->rotation, from, ends[0]);
    glm_quat_rotatev(at->rotation, to, ends[1]);
    glm_vec3_add(ends[0], at->position, ends[0]);
    glm_vec3_add(ends[1], at->position, ends[1]);
    draw(p, ends[0], ends[1]);
}

/* Point of a circle of radius r around `centre` on the local y axis, in the plane of two axes, after `turn`
 * parts of a half circle of `parts`. */
static void circle_point(float centre, float r, const int plane[2], uint32_t turn, uint32_t parts,
                         vec3 point) {
    const uint64_t sine = turn % (2 * parts), cosine = (2 * turn + parts) % (4 * parts);
    glm_vec3_copy((vec3){0, centre, 0}, point);
    point[plane[0]] += r * (float)mote_sine_of_pi_parts(cosine, 2 * (uint64_t)parts);
    point[plane[1]] += r * (float)mote_sine_of_pi_parts(sine, parts);
}

/* Arc of such a circle over `halves` half circles, from the turn `first` of a half circle on. */
static void draw_arc(pen *p, frame *at, float centre, float r, const int plane[2], uint32_t first,
                     uint32_t halves) {
    const uint32_t parts = p->def->segments / 2;
    for (uint32_t i = first * parts; i < (first + halves) * parts; i++) {
        vec3 from, to;
        circle_point(centre, r, plane, i, parts, from);
        circle_point(centre, r, plane, i + 1, parts, to);
        draw_local(p, at, from, to);
    }
}

static const int across[2] = {2, 0}, upright_x[2] = {0, 1}, upright_z[2] = {2, 1};

static void draw_sphere(pen *p, frame *at, float r) {
    draw_arc(p, at, 0, r, across, 0, 2);
    draw_arc(p, at, 0, r, upright_x, 0, 2);
    draw_arc(p, at, 0, r, upright_z, 0, 2);
}

static void draw_capsule(pen *p, frame *at, float r, float half) {
    for (int end = -1; end <= 1; end += 2) {
        const float centre = (float)end * half;
        draw_arc(p, at, centre, r, across, 0, 2);
        draw_arc(p, at, centre, r, upright_x, end < 0, 1);
        draw_arc(p, at, centre, r, upright_z, end < 0, 1);
    }
    for (int side = -1; side <= 1; side += 2) {
        draw_local(p, at, (vec3){(float)side * r, -half, 0}, (vec3){(float)side * r, half, 0});
        draw_local(p, at, (vec3){0, -half, (float)side * r}, (vec3){0, half, (float)side * r});
    }
}

static void draw_box(pen *p, frame *at, const float extent[3], float rounding) {
    for (int axis = 0; axis < 3; axis++)
        for (int corner = 0; corner < 4; corner++) {
            vec3 from, to;
            const int b = (axis + 1) % 3, c = (axis + 2) % 3;
            from[b] = to[b] = (corner & 1 ? 1.0f : -1.0f) * (extent[b] + rounding);
            from[c] = to[c] = (corner & 2 ? 1.0f : -1.0f) * (extent[c] + rounding);
            from[axis] = -(extent[axis] + rounding), to[axis] = extent[axis] + rounding;
            draw_local(p, at, from, to);
        }
}

/* A square grid in the plane y = 0, and its normal. */
static void draw_plane(pen *p, frame *at) {
    const float half = p->def->plane_size / 2;
    for (int i = 0; i <= GRID; i++) {
        const float s = half * (2.0f * (float)i / GRID - 1);
        draw_local(p, at, (vec3){s, 0, -half}, (vec3){s, 0, half});
        draw_local(p, at, (vec3){-half, 0, s}, (vec3){half, 0, s});
    }
    draw_local(p, at, (vec3){0, 0, 0}, (vec3){0, half / GRID, 0});
}

/* Lines of a height field along one axis, over every `skip`th sample and the last one. */
static void draw_rows(pen *p, frame *at, const mote_height_field *field, int axis, uint32_t skip[2]) {
    const int other = 1 - axis;
    uint32_t place[2];
    for (uint32_t row = 0, last_row = field->count[other] - 1;; row += skip[other]) {
        place[other] = row < last_row ? row : last_row;
        vec3 before, now;
        for (uint32_t n = 0, last = field->count[axis] - 1;; n += skip[axis]) {
            place[axis] = n < last ? n : last;
            now[0] = (float)place[0] * field->spacing[0], now[2] = (float)place[1] * field->spacing[1];
            now[1] = field->samples[2 * (place[0] + (size_t)field->count[0] * place[1])];
            if (n) draw_local(p, at, before, now);
            glm_vec3_copy(now, before);
            if (n >= last) break;
        }
        if (row >= last_row) break;
    }
}

static void draw_height_field(pen *p, frame *at, const mote_height_field *field) {
    uint32_t skip[2];
    for (int axis = 0; axis < 2; axis++) skip[axis] = (field->count[axis] + FIELD_LINES - 1) / FIELD_LINES;
    for (int axis = 0; axis < 2; axis++) draw_rows(p, at, field, axis, skip);
}

static void draw_distance_grid(pen *p, frame *at, const mote_distance_grid *grid) {
    vec3 middle, turned, half;
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = 0.5f * (float)(grid->count[axis] - 1) * grid->spacing;
        middle[axis] = grid->origin[axis] + half[axis];
    }
    glm_quat_rotatev(at->rotation, middle, turned);
    frame centre = *at;
    glm_vec3_add(at->position, turned, centre.position);
    draw_box(p, &centre, half, 0);
}

/* --- Colliders and regions --- */

static void draw_colliders(pen *p) {
    const mote_collider_list *list = &p->system->colliders;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const mote_collider *collider = mote_collider_at(list, i);
        const mote_collider_def *shape = &collider->def;
        const mote_transform now = mote_motion_at(&collider->motion, mote_system_boundary(p->system), 0);
        frame at = frame_at(p, &now);
        p->next.object = i;
        if (shape->kind == MOTE_COLLIDER_SPHERE) draw_sphere(p, &at, shape->radius);
        if (shape->kind == MOTE_COLLIDER_CAPSULE) draw_capsule(p, &at, shape->radius, shape->half_length);
        if (shape->kind == MOTE_COLLIDER_BOX) draw_box(p, &at, shape->extent, shape->radius);
        if (shape->kind == MOTE_COLLIDER_PLANE) draw_plane(p, &at);
        if (shape->kind == MOTE_COLLIDER_HEIGHT_FIELD) draw_height_field(p, &at, shape->height_field);
        if (shape->kind == MOTE_COLLIDER_DISTANCE_GRID) draw_distance_grid(p, &at, shape->distance_grid);
    }
}

static void draw_regions(pen *p) {
    const mote_force_def *forces = p->system->forces.items;
    for (uint32_t i = 0; i < p->system->forces.count; i++) {
        const mote_region *region = &forces[i].region;
        mote_transform here = MOTE_TRANSFORM_IDENTITY;
        for (int axis = 0; axis < 3; axis++) here.position[axis] = region->centre[axis];
        frame at = frame_at(p, &here);
        p->next.object = i;
        for (int outside = 0; outside <= (region->falloff > 0); outside++) {
            const float more = outside ? region->falloff : 0;
            if (region->shape == MOTE_REGION_SPHERE) draw_sphere(p, &at, region->extent[0] + more);
            if (region->shape == MOTE_REGION_BOX) draw_box(p, &at, region->extent, more);
        }
    }
}

/* --- Points of ranges --- */

/* Place of a slot as it is presented, relative to the origin of the lines. */
static void place_of(const pen *p, const mote_range *range, uint32_t slot, vec3 place) {
    double now[3];
    range->kind->place(range, slot, now);
    const bool blends = range->previous_x[0] && !isnan(range->previous_x[0][slot]);
    for (int i = 0; i < 3; i++) {
        const double back = blends ? (double)range->x[i][slot] - (double)range->previous_x[i][slot] : 0;
        place[i] = (float)(now[i] - p->def->origin[i] - (1 - (double)p->alpha) * back);
    }
}

static void draw_spring(pen *p, const mote_range *const ranges[2], const uint32_t slots[2], float length) {
    vec3 ends[2];
    for (int end = 0; end < 2; end++) place_of(p, ranges[end], slots[end], ends[end]);
    p->next.strain = length > 0 ? glm_vec3_distance(ends[0], ends[1]) / length - 1 : 0;
    draw(p, ends[0], ends[1]);
}

static void draw_springs(pen *p) {
    for (uint32_t i = 0; i < p->system->ranges[MOTE_KIND_NETWORK].count; i++) {
        const mote_range *range = mote_system_range_at(p->system, MOTE_KIND_NETWORK, i);
        const mote_network *network = mote_const_network_of(range);
        p->next.object = i;
        for (uint32_t k = 0; k < network->spring_end; k++) {
            if (!mote_network_has_spring(network, k)) continue;
            const mote_network_spring_state *spring = &network->spring[k];
            p->next.item = k;
            draw_spring(p, (const mote_range *[]){range, range}, (uint32_t[]){spring->a, spring->b},
                        spring->rest_length);
        }
    }
}

static void draw_links(pen *p) {
    for (uint32_t i = 0; i < p->system->links.list.count; i++) {
        const mote_link_state *link = mote_link_at(&p->system->links, i);
        p->next.object = i;
        draw_spring(p, (const mote_range *[]){link->site[0].range, link->site[1].range},
                    (uint32_t[]){link->site[0].slot, link->site[1].slot}, link->link.rest_length);
    }
}

static void draw_pin(pen *p, const mote_range *range, const mote_pin *pin) {
    vec3 here, target;
    place_of(p, range, pin->slot, here);
    for (int axis = 0; axis < 3; axis++) {
        vec3 from, to;
        glm_vec3_copy(here, from);
        glm_vec3_copy(here, to);
        from[axis] -= p->def->pin_size, to[axis] += p->def->pin_size;
        draw(p, from, to);
        target[axis] = (float)((double)pin->to[axis] - p->def->origin[axis]);
    }
    draw(p, here, target);
}

static void draw_pins(pen *p) {
    mote_range *range;
    for (uint32_t i = 0; (range = mote_system_range_number(p->system, i)); i++) {
        p->next.object = i;
        for (uint32_t k = 0; k < range->pins.count; k++) {
            p->next.item = k;
            draw_pin(p, range, &range->pins.pins[k]);
        }
    }
}

/* --- All of them --- */

mote_lines_def mote_default_lines_def(void) {
    return (mote_lines_def){.cookie = COOKIE,
                            .kinds = (1u << MOTE_LINE_KIND_COUNT) - 1,
                            .segments = 24,
                            .plane_size = 10,
                            .pin_size = 0.05f};
}

mote_result mote_lines_def_check(const mote_lines_def *def, const char **parameter) {
    const char *ignored, **name = mote_name_cleared(parameter, &ignored);
    if (!def) return MOTE_ERROR_NULL;
    if (def->cookie != COOKIE) return mote_named(name, "cookie", MOTE_ERROR_DEF);
    mote_result result = mote_named(name, "origin", mote_present_check_origin(def->origin));
    if (result) return result;
    if (def->kinds >> MOTE_LINE_KIND_COUNT) return mote_named(name, "kinds", MOTE_ERROR_RANGE);
    if (def->segments < 4 || def->segments > MAX_SEGMENTS)
        return mote_named(name, "segments", MOTE_ERROR_RANGE);
    result = mote_named(name, "plane_size", mote_value_positive(def->plane_size));
    return result ? result : mote_named(name, "pin_size", mote_value_positive(def->pin_size));
}

/* Draws all kinds; returns the number of lines. */
static uint32_t draw_all(const mote_system *system, const mote_lines_def *def, mote_line *lines) {
    static void (*const kinds[MOTE_LINE_KIND_COUNT])(pen *) = {
        [MOTE_LINE_COLLIDER] = draw_colliders, [MOTE_LINE_REGION] = draw_regions,
        [MOTE_LINE_SPRING] = draw_springs,     [MOTE_LINE_LINK] = draw_links,
        [MOTE_LINE_PIN] = draw_pins,
    };
    pen p = {.system = system, .def = def, .lines = lines, .alpha = mote_clock_alpha(&system->clock)};
    for (uint32_t kind = 0; kind < MOTE_LINE_KIND_COUNT; kind++) {
        p.next = (mote_line){.kind = (mote_line_kind)kind, .item = MOTE_NO_ITEM};
        if (def->kinds & 1u << kind) kinds[kind](&p);
    }
    return p.count;
}

mote_result mote_system_lines(const mote_system *system, const mote_lines_def *def, mote_line *lines,
                              uint32_t capacity, uint32_t *count) {
    if (count) *count = 0;
    if (!system || !def || !count) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    mote_result result = mote_lines_def_check(def, NULL);
    if (result == MOTE_OK) result = mote_system_fetch(system);
    if (result) return result;
    const mote_fpu_state saved = mote_fpu_enter();
    *count = draw_all(system, def, NULL);
    const bool fits = *count <= capacity;
    if (lines && fits) (void)draw_all(system, def, lines);
    mote_fpu_leave(saved);
    return lines && !fits ? MOTE_ERROR_BUFFER : MOTE_OK;
}
