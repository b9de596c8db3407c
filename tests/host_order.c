/* State of networks and strands read and written in the host's numbering. */
#include <math.h>
#include <string.h>
#include "cloth.h"

TEST(networks_are_read_as_their_columns_in_the_order_of_the_host) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    mote_force_def gravity = mote_gravity((float[3]){1, -9.81f, 2});
    mote_force_id force;
    assert_int_equal(mote_system_add_force(c.system, &gravity, &force), MOTE_OK);
    cloth_steps(c.system, 10, 0);
    float x[3 * CORNERS], v[3 * CORNERS], part[9] = {[6] = 7, 8, 9};
    assert_int_equal(mote_network_state(c.system, c.id, 0, CORNERS, x, v), MOTE_OK);
    const mote_network_view view = mote_network_columns(c.system, c.id);
    for (uint32_t i = 0; i < CORNERS; i++) {
        const uint32_t slot = view.slot[i];
        ASSERT(x[3 * i], ==, view.position.x[slot]);
        ASSERT(x[3 * i + 2], ==, view.position.z[slot]);
        ASSERT(v[3 * i + 1], ==, view.velocity.y[slot]);
    }
    assert_int_equal(mote_network_state(c.system, c.id, 7, 2, part, NULL), MOTE_OK);
    assert_memory_equal(part, x + 21, 6 * sizeof *x);
    for (int i = 6; i < 9; i++) ASSERT(part[i], ==, i + 1); /* what follows is the host's */
    mote_system_destroy(c.system);
}

TEST(networks_are_written_likewise) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_CONSTRAINED);
    float x[6] = {1, 2, 3, 4, 5, 6}, v[6] = {7, 8, 9, 10, 11, 12}, all[3 * CORNERS];
    assert_int_equal(mote_network_set_state(c.system, c.id, 3, 2, x, v), MOTE_OK);
    assert_int_equal(mote_network_set_state(c.system, c.id, 3, 1, NULL, x), MOTE_OK);
    assert_int_equal(mote_network_state(c.system, c.id, 0, CORNERS, all, NULL), MOTE_OK);
    assert_memory_equal(all + 9, x, sizeof x);
    assert_memory_equal(all, c.positions, 9 * sizeof *x);
    assert_memory_equal(all + 15, c.positions + 15, (3 * CORNERS - 15) * sizeof *x);
    assert_int_equal(mote_network_state(c.system, c.id, 3, 2, NULL, all), MOTE_OK);
    assert_memory_equal(all, x, 3 * sizeof *x);
    assert_memory_equal(all + 3, v + 3, 3 * sizeof *x);
    mote_system_destroy(c.system);
}

TEST(wrong_parts_of_networks_are_refused) {
    cloth c;
    cloth_make(&c, MOTE_NETWORK_SPRINGS);
    float x[3 * CORNERS], hole[6] = {0, 0, 0, 0, NAN, 0};
    const mote_network_id none = {0, 0};
    REFUSALS(c.system, REFUSES(RANGE, mote_network_state(c.system, c.id, 1, CORNERS, x, NULL)),
             REFUSES(RANGE, mote_network_state(c.system, c.id, CORNERS + 1, 0, x, NULL)),
             REFUSES(RANGE, mote_network_set_state(c.system, c.id, 2, 0xffffffffu, x, NULL)),
             REFUSES(ID, mote_network_state(c.system, none, 0, 1, x, NULL)),
             REFUSES(NULL, mote_network_state(NULL, c.id, 0, 1, x, NULL)),
             REFUSES(NOT_FINITE, mote_network_set_state(c.system, c.id, 0, 2, hole, NULL)),
             REFUSES(NOT_FINITE, mote_network_set_state(c.system, c.id, 0, 2, c.positions, hole)));
    assert_int_equal(mote_network_state(c.system, c.id, CORNERS, 0, x, x), MOTE_OK);
    mote_system_destroy(c.system);
}

/* Strands of 2, 5 and 3 points, stored longest first by the engine. */
enum { STRANDS = 3, POINTS = 10 };
static const uint32_t points_of[STRANDS] = {2, 5, 3};

static mote_system *strands_of_three_lengths(mote_strands_id *id) {
    float positions[3 * POINTS];
    uint32_t at = 0;
    for (uint32_t s = 0; s < STRANDS; s++)
        for (uint32_t k = 0; k < points_of[s]; k++, at++)
            memcpy(positions + 3 * at, (float[3]){(float)s, -0.1f * (float)k, 0}, 3 * sizeof(float));
    mote_system_def def = mote_default_system_def();
    def.capacity = 0;
    mote_system *system;
    assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
    mote_strands_def strands = mote_default_strands_def();
    strands.strand_count = STRANDS, strands.strand_points = points_of, strands.positions = positions;
    assert_int_equal(mote_system_add_strands(system, &strands, id, NULL), MOTE_OK);
    return system;
}

TEST(strands_are_read_and_written_strand_after_strand) {
    mote_strands_id id;
    mote_system *system = strands_of_three_lengths(&id);
    float x[3 * POINTS], v[3 * POINTS], part[24], back[24];
    assert_int_equal(mote_strands_state(system, id, 0, STRANDS, x, v), MOTE_OK);
    ASSERT(x[3 * 2], ==, 1); /* point 0 of strand 1 */
    ASSERT(x[3 * 6 + 1], ==, -0.4f);
    for (int i = 0; i < 24; i++) {
        part[i] = (float)(i + 1);
        ASSERT(v[i], ==, 0);
    }
    assert_int_equal(mote_strands_set_state(system, id, 1, 2, part, NULL), MOTE_OK);
    assert_int_equal(mote_strands_state(system, id, 1, 2, back, NULL), MOTE_OK);
    assert_memory_equal(back, part, sizeof part);
    const mote_strands_view view = mote_strands_columns(system, id);
    ASSERT(view.position.z[mote_strands_slot(system, id, 2, 1)], ==, part[3 * 6 + 2]);
    assert_int_equal(mote_strands_state(system, id, 0, 1, back, NULL), MOTE_OK);
    assert_memory_equal(back, x, 6 * sizeof *x);
    assert_memory_equal(back + 6, part + 6, 3 * sizeof *x);
    float hole[15] = {0};
    hole[14] = INFINITY;
    REFUSALS(system, REFUSES(RANGE, mote_strands_state(system, id, 1, STRANDS, x, NULL)),
             REFUSES(RANGE, mote_strands_set_state(system, id, STRANDS + 1, 0, x, NULL)),
             REFUSES(ID, mote_strands_state(system, (mote_strands_id){0, 0}, 0, 1, x, NULL)),
             REFUSES(NULL, mote_strands_set_state(NULL, id, 0, 1, x, NULL)),
             REFUSES(NOT_FINITE, mote_strands_set_state(system, id, 1, 1, x, hole)));
    mote_system_destroy(system);
}
