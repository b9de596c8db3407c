/* The networks of the scenes: a net, a suspended footway, orb webs. */
#include <math.h>

#include "network_shapes.h"
#include "random.h"

/* --- net --- */

/* A net of 51 m with knots every 0.2 m, 50 g/m^2, hung along its upper edge and released at a slope of 4 : 3.
 * Semi-implicit Euler needs h^2 2 sum(k) / m + 2 h 2 sum(c) / m < 4 for every particle: at h = 2 ms the sum
 * is 3.2 + 0.26 inside the net. */
network_shape scene_net_create(uint32_t particles) {
    net_form form = {.side = net_side(particles),
                     .spacing = 0.2f,
                     .mass = 0.002f,
                     .slope = {-0.8f, 0.6f},
                     .structural = 100,
                     .shear = 50,
                     .bend = 50,
                     .damping = 8e-5f};
    return net_create(&form);
}

/* --- bridge --- */

/* 512 m between the towers, 4 m wide, 472 kg/m: a truss of 9 by 2 chords, two main cables with a sag of a
 * tenth of the span, hangers from each section. Node numbers in a section: surface, lower chords, hangers
 * left and right from below, cables. h = 0.5 ms. */
#define PANEL        0.5f /* m, of every direction of the truss */
#define HANGER       6u   /* nodes of one hanger, between truss and cable */
#define SAG          0.1f /* of the span */
#define SHORTEST     1.5f /* m, hanger */
#define LEFT         (2 * BRIDGE_WIDTH)
#define RIGHT        (LEFT + HANGER)
#define CABLE        (RIGHT + HANGER)
#define CHORD_MASS   8.0f /* kg a node */
#define HANGER_MASS  2.0f
#define CABLE_MASS   30.0f
#define CHORD        4e6f /* N/m */
#define BRACE        2e6f
#define HANGER_STIFF 5e6f
#define CABLE_STIFF  8e7f
#define SETTLE       2e-5f /* s: damping over stiffness */
#define GRAVITY      9.81f

static void brace(network_shape *shape, uint32_t a, uint32_t b, float stiffness) {
    shape_join(shape, a, b, stiffness, SETTLE * stiffness);
}

/* A lattice of two layers; all sections but the last are joined to the next. */
static void join_truss(network_shape *shape, uint32_t section, bool last) {
    uint32_t top = section * BRIDGE_NODES, low = top + BRIDGE_WIDTH, on = BRIDGE_NODES;
    for (uint32_t j = 0; j < BRIDGE_WIDTH; j++) {
        bool side = j + 1 < BRIDGE_WIDTH;
        brace(shape, top + j, low + j, CHORD);
        if (side) brace(shape, top + j, top + j + 1, CHORD);
        if (side) brace(shape, low + j, low + j + 1, CHORD);
        if (side) brace(shape, top + j, low + j + 1, BRACE);
        if (last) continue;
        brace(shape, top + j, top + j + on, CHORD);
        brace(shape, low + j, low + j + on, CHORD);
        brace(shape, top + j, low + j + on, BRACE);
        brace(shape, low + j, top + j + on, BRACE);
        if (side) brace(shape, top + j, top + j + 1 + on, BRACE);
        if (side) brace(shape, top + j + 1, top + j + on, BRACE);
        if (side) brace(shape, low + j, low + j + 1 + on, BRACE);
        if (side) brace(shape, low + j + 1, low + j + on, BRACE);
    }
}

/* Hangers bear half of the truss of their section and their own nodes; cables bear the sections: the tension
 * of a parabola along the bridge is weight x span^2 / (8 sag). */
static void join_cables(network_shape *shape, uint32_t section, bool last, float span) {
    const float truss = BRIDGE_WIDTH * CHORD_MASS * GRAVITY, node = HANGER_MASS * GRAVITY;
    const float weight = truss + HANGER * node + CABLE_MASS * GRAVITY;
    const float force = weight / PANEL * span / (8 * SAG);
    uint32_t first = section * BRIDGE_NODES;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t below = first + (side ? BRIDGE_WIDTH - 1 : 0), cable = first + CABLE + side;
        for (uint32_t k = 0; k < HANGER; k++) {
            uint32_t node_above = first + (side ? RIGHT : LEFT) + k;
            shape_tighten(shape, below, node_above, HANGER_STIFF, SETTLE * HANGER_STIFF,
                          truss + (float)k * node);
            below = node_above;
        }
        shape_tighten(shape, below, cable, HANGER_STIFF, SETTLE * HANGER_STIFF, truss + HANGER * node);
        if (last) continue;
        float rise = (shape->positions[cable + BRIDGE_NODES][1] - shape->positions[cable][1]) / PANEL;
        float tension = force * sqrtf(1 + rise * rise);
        shape_tighten(shape, cable, cable + BRIDGE_NODES, CABLE_STIFF, SETTLE * CABLE_STIFF, tension);
    }
}

static void put_section(network_shape *shape, uint32_t section, float span) {
    uint32_t first = section * BRIDGE_NODES;
    float x = PANEL * (float)section - 0.5f * span, along = 2 * x / span;
    float height = SHORTEST + SAG * span * along * along, edge = 0.5f * PANEL * (BRIDGE_WIDTH - 1);
    for (uint32_t j = 0; j < BRIDGE_WIDTH; j++) {
        float z = PANEL * (float)j - edge;
        shape_put(shape, first + j, x, 0, z, CHORD_MASS);
        shape_put(shape, first + BRIDGE_WIDTH + j, x, -PANEL, z, CHORD_MASS);
    }
    for (uint32_t k = 0; k < HANGER; k++) {
        float y = height * (float)(k + 1) / (HANGER + 1);
        shape_put(shape, first + LEFT + k, x, y, -edge, HANGER_MASS);
        shape_put(shape, first + RIGHT + k, x, y, edge, HANGER_MASS);
    }
    shape_put(shape, first + CABLE, x, height, -edge, CABLE_MASS);
    shape_put(shape, first + CABLE + 1, x, height, edge, CABLE_MASS);
}

/* The first and the last section, towers and abutments, are pinned. */
network_shape bridge_create(uint32_t particles) {
    uint32_t sections = particles / BRIDGE_NODES;
    float span = PANEL * (float)(sections - 1);
    network_shape shape =
        shape_create(sections * BRIDGE_NODES, sections * 4 * BRIDGE_NODES, 2 * BRIDGE_NODES);
    for (uint32_t i = 0; i < sections; i++) put_section(&shape, i, span);
    for (uint32_t i = 0; i < sections; i++) {
        join_truss(&shape, i, i + 1 == sections);
        join_cables(&shape, i, i + 1 == sections, span);
    }
    for (uint32_t i = 0; i < 2 * BRIDGE_NODES; i++)
        shape_pin(&shape, i < BRIDGE_NODES ? i : (sections - 2) * BRIDGE_NODES + i);
    return shape;
}

/* --- webs --- */

/* Twelve radii; a spiral of 48 nodes winds four times from the hub outwards; the last twelve are the frame, a
 * hoop stiff enough to hang from its topmost node. h = 2 ms: h^2 2 sum(k) / m is 2.6 in the threads, 1.7 in
 * the frame. */
#define RADII        12u
#define SPIRAL       (WEB_NODES - RADII)
#define THREAD_MASS  5e-5f /* kg a node */
#define FRAME_MASS   5e-4f
#define RADIAL       5.0f /* N/m */
#define CAPTURE      3.0f
#define FRAME_THREAD 30.0f
#define FRAME_CHORD  20.0f
#define SILK         1e-4f /* s: damping over stiffness */
#define WEB_ROW      64u
#define WEB_ROOM     0.8f /* m from web to web */

static void thread(network_shape *shape, uint32_t a, uint32_t b, float stiffness) {
    shape_join(shape, a, b, stiffness, SILK * stiffness);
}

static void join_web(network_shape *shape, uint32_t first) {
    uint32_t frame = first + SPIRAL;
    for (uint32_t p = 0; p < SPIRAL; p++) thread(shape, first + p, first + p + RADII, RADIAL);
    for (uint32_t p = 0; p + 1 < SPIRAL; p++) thread(shape, first + p, first + p + 1, CAPTURE);
    for (uint32_t p = 0; p < RADII / 2; p++) thread(shape, first + p, first + p + RADII / 2, CAPTURE);
    for (uint32_t i = 0; i < RADII; i++) {
        thread(shape, frame + i, frame + (i + 1) % RADII, FRAME_THREAD);
        thread(shape, frame + i, frame + (i + 2) % RADII, FRAME_CHORD);
    }
}

/* Sine of i x 30 degrees. */
static float sine_of(uint32_t i) {
    const float half = 0.5f, high = 0.5f * sqrtf(3), quarter[4] = {0, half, high, 1};
    uint32_t k = i % 6;
    float value = k <= 3 ? quarter[k] : quarter[6 - k];
    return i % 12 < 6 ? value : -value;
}

/* A web of 0.15 to 0.35 m in a plane that holds the horizontal `u` and leans out of the vertical by 3 : 4. */
static void put_web(network_shape *shape, uint32_t web) {
    uint64_t bits = random_bits(web, 0);
    float a = random_signed(bits, 0), b = random_signed(bits, 20), square = a * a + b * b;
    float radius = 0.25f + 0.1f * random_signed(bits, 40), norm = square > 0 ? 1 / sqrtf(square) : 0;
    float u[3] = {square > 0 ? a * norm : 1, 0, b * norm}, w[3] = {-0.6f * u[2], 0.8f, 0.6f * u[0]};
    float x = WEB_ROOM * (float)(web % WEB_ROW), z = WEB_ROOM * (float)(web / WEB_ROW);
    for (uint32_t p = 0; p < WEB_NODES; p++) {
        bool frame = p >= SPIRAL;
        float r = frame ? radius : radius * ((float)p + 8) / (SPIRAL + 12);
        float cosine = r * sine_of(p % RADII + 3), sine = r * sine_of(p % RADII);
        shape_put(shape, web * WEB_NODES + p, x + cosine * u[0] + sine * w[0], sine * w[1],
                  z + cosine * u[2] + sine * w[2], frame ? FRAME_MASS : THREAD_MASS);
    }
}

network_shape webs_create(uint32_t particles) {
    uint32_t webs = particles / WEB_NODES;
    network_shape shape = shape_create(webs * WEB_NODES, webs * 3 * WEB_NODES, webs);
    for (uint32_t i = 0; i < webs; i++) {
        put_web(&shape, i);
        join_web(&shape, i * WEB_NODES);
        shape_pin(&shape, i * WEB_NODES + SPIRAL + 3);
    }
    return shape;
}
