/* Links to rods: a spring to a point far below pulls a tip as a load does. Tolerance: that of the cantilevers
 * in tests/rods.c, 1 %. */
#include "test.h"

#include "rod.h"

static const double DEPTH = 1000; /* m, of the far end of the link */

/* A strand of two pinned points below the tip of the rods. */
static mote_strands_id add_far_end(const rope *r) {
    const float x = (float)ROD_LENGTH, y = -(float)DEPTH, positions[] = {x, y, 0, x, y - 1, 0};
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    def.strand_count = 1, def.points = 2, def.positions = positions, def.substeps = 0;
    assert_int_equal(mote_system_add_strands(r->system, &def, &id, NULL), MOTE_OK);
    return id;
}

static const char *kind_of(uint32_t frames) { return frames ? "with frames" : "straight"; }

TEST_EACH(a_link_bends_a_rod_as_a_load_does, 2, kind_of, frames) {
    const double load = 0.01, drop = 0.493457; /* N; over length, P L^2 / EI = 2 */
    rods s = rods_of(1, 33, 8);
    s.gravity = 0;
    s.twisting = frames ? 0.7 : 0;
    s.stiffness[0] = load * ROD_LENGTH * ROD_LENGTH / 2;
    const rope r = make_rods(&s);
    mote_link_id id;
    mote_link link = mote_default_link();
    link.a.strands = r.id, link.a.point = 32;
    link.b.strands = add_far_end(&r);
    link.rest_length = 0, link.stiffness = (float)(load / DEPTH);
    assert_int_equal(mote_system_add_link(r.system, &link, &id), MOTE_OK);
    settle_rods(&r, 1500, 0.43);
    double x[3];
    assert_alive(&r, 0);
    load_point(&r, 0, 32, x, NULL);
    test_case("drop over length %.5f", -x[1] / ROD_LENGTH);
    assert_near(-x[1] / ROD_LENGTH, drop, 0.01 * drop);
    destroy_rope(&r);
}
