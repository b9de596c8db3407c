/* Unlike strands side by side in one register: each has the bits that it has alone. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "systems.h"

enum { LANES = 16, POINTS = 17, STEPS = 30 };

/* Half of the strands are arcs, the others straight. */
typedef struct bundle {
    const char *name;
    float bending, twisting; /* N m^2; 0: ropes */
    bool arcs, free_roots, field, bar;
} bundle;

static const bundle bundles[] = {
    {"straight rods in a field that grows with the distance", 1e-7f, 0, false, false, true, false},
    {"rods with frames, half of them stiff curls", 1, 1, true, false, false, false},
    {"rods with frames, straight", 1e-7f, 1e-7f, false, false, true, false},
    {"ropes that are free but for their pinned roots, on a capsule", 0, 0, true, true, false, true}};
static const char *bundle_name(uint32_t i) { return bundles[i].name; }

static void place(const bundle *b, uint32_t strand, float *positions) {
    const bool arc = b->arcs && strand % 2;
    double x = 0.001 * strand, y = 0;
    for (uint32_t k = 0; k < POINTS; k++) {
        positions[3 * k] = (float)x, positions[3 * k + 1] = (float)y;
        positions[3 * k + 2] = 0.05f * (float)strand;
        x += 0.01 * cos(arc ? 0.6 * k : 0.1), y += 0.01 * sin(arc ? 0.6 * k : 0.1);
    }
}

typedef struct strands_world {
    mote_system *system;
    mote_strands_id id;
} strands_world;

static strands_world make(const bundle *b, uint32_t first, uint32_t count) {
    static float positions[LANES][3 * POINTS];
    strands_world w;
    mote_system_def of_system = mote_default_system_def();
    mote_strands_def def = mote_default_strands_def();
    of_system.capacity = 0;
    w.system = system_of(&of_system);
    add_force(w.system, mote_gravity((float[3]){0, -9.81f, 0}));
    if (b->field)
        add_force(w.system, mote_linear_field((float[3]){0, 0, 1}, (float[9]){0, 0, 0, 0, -30, 0, 4, 0, 0},
                                              MOTE_FIELD_ACCELERATION, 0));
    if (b->bar) {
        const float ends[2][3] = {{0.08f, -0.06f, -1}, {0.08f, -0.06f, 2}};
        mote_collider_def bar = mote_capsule(ends[0], ends[1], 0.05f);
        mote_collider_id id;
        bar.restitution = 0, bar.friction = 0.3f;
        OK(mote_system_add_collider(w.system, &bar, &id));
    }
    for (uint32_t i = 0; i < count; i++) place(b, first + i, positions[i]);
    def.strand_count = count, def.points = POINTS, def.positions = positions[0], def.mass = 1e-3f;
    def.bending_stiffness = b->bending, def.twisting_stiffness = b->twisting, def.free_roots = b->free_roots;
    def.substeps = 4, def.friction = 0.3f, def.radius = 1e-3f;
    OK(mote_system_add_strands(w.system, &def, &w.id, NULL));
    for (uint32_t i = 0; i < count && b->free_roots; i++)
        OK(mote_strands_pin(w.system, w.id, i, 0, positions[i], 0));
    return w;
}

static void compare(const bundle *b, const strands_world *all, const strands_world *one, uint32_t strand) {
    const mote_strands_view a = mote_strands_columns(all->system, all->id),
                            c = mote_strands_columns(one->system, one->id);
    for (uint32_t k = 0; k < POINTS; k++) {
        const uint32_t i = mote_strands_slot(all->system, all->id, strand, k),
                       j = mote_strands_slot(one->system, one->id, 0, k);
        const float got[6] = {a.position.x[i], a.position.y[i], a.position.z[i],
                              a.velocity.x[i], a.velocity.y[i], a.velocity.z[i]},
                    want[6] = {c.position.x[j], c.position.y[j], c.position.z[j],
                               c.velocity.x[j], c.velocity.y[j], c.velocity.z[j]};
        test_case("%s: strand %u, point %u", b->name, strand, k);
        assert_memory_equal(got, want, sizeof got);
    }
}

TEST_EACH(strands_beside_others_have_the_bits_that_they_have_alone, COUNT_OF(bundles), bundle_name, number) {
    const bundle *b = &bundles[number];
    const strands_world all = make(b, 0, LANES);
    stepped(all.system, STEPS);
    for (uint32_t i = 0; i < LANES; i++) {
        const strands_world one = make(b, i, 1);
        stepped(one.system, STEPS);
        compare(b, &all, &one, i);
        mote_system_destroy(one.system);
    }
    mote_system_destroy(all.system);
}
