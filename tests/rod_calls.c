/* Rods that are refused by the number of the strand and of the point. */
#include "test.h"

#include <float.h>
#include <math.h>

#include "strand_refusals.h"

/* EI and mass of each point of the strands of `s`. */
static float rod_stiffness[17 * 40], point_masses[17 * 40];

static void make_rods(void) {
    memset(s.compliance, 0, sizeof s.compliance);
    for (uint32_t k = 0; k < s.first[17]; k++) rod_stiffness[k] = 1e-5f, point_masses[k] = 1e-5f;
    s.def.point_bending_stiffness = rod_stiffness, s.def.point_mass = point_masses;
}

TEST(rods_that_cannot_be_are_refused) {
#define RODS         make_rods()
#define NEAR_ROOT(p) (p)[3] = (p)[0] + 1, (p)[4] = (p)[1], (p)[5] = (p)[2]
    GOOD(RODS);
    GOOD(RODS, s.def.point_bending_stiffness = NULL, s.def.bending_stiffness = 1e-5f);
    GOOD(RODS, s.def.bending_stiffness = NAN); /* not read */
    GOOD(RODS, s.def.mass = -1, s.def.strand_mass = NULL);
    GOOD(RODS, memset(rod_stiffness, 0, sizeof rod_stiffness));
    BAD("solver", MOTE_ERROR_RANGE, ALL, 0, RODS, s.def.solver = MOTE_STRAND_CONSERVING);
    BAD("solver", MOTE_ERROR_RANGE, ALL, 0, RODS, s.def.solver = MOTE_STRAND_SPRINGS);
    BAD("strand_compliance", MOTE_ERROR_RANGE, 9, 0, RODS, s.compliance[9] = 0.1f);
    for (uint32_t strand = 0; strand < 17; strand += 4) {
        make_strands(&s, 17, 9, 5);
        const uint32_t point = s.points[strand] - 1, number = s.first[strand] + point;
        BAD("point_bending_stiffness", MOTE_ERROR_NOT_FINITE, strand, point, RODS,
            rod_stiffness[number] = NAN);
        BAD("point_bending_stiffness", MOTE_ERROR_RANGE, strand, point, RODS, rod_stiffness[number] = -1);
        BAD("point_mass", MOTE_ERROR_NOT_FINITE, strand, point, RODS, point_masses[number] = INFINITY);
        BAD("point_mass", MOTE_ERROR_RANGE, strand, point, RODS, point_masses[number] = 0);
        BAD("point_bending_stiffness", MOTE_ERROR_RANGE, strand, 0, RODS,
            NEAR_ROOT(s.positions + 3 * s.first[strand]), rod_stiffness[s.first[strand]] = FLT_MAX);
    }
    BAD("point_mass", MOTE_ERROR_RANGE, ALL, 0, make_rods(), s.def.point_bending_stiffness = NULL,
        s.def.solver = MOTE_STRAND_SPRINGS);
}

/* Rods of which each rests under gravity in the shape that is given. */
static void make_grooms(void) {
    make_rods();
    s.def.twisting_stiffness = 1e-5f;
    s.def.rest_acceleration[1] = -9.81f;
}

TEST(rods_that_cannot_rest_under_a_load_are_refused) {
#define GROOMS     make_grooms()
#define LEVEL(...) BAD("rest_acceleration", MOTE_ERROR_RANGE, ALL, 0, GROOMS, __VA_ARGS__)
#define LOAD(v)    s.def.rest_acceleration[2] = (v)
    static float twist[17 * 40];
    GOOD(GROOMS);
    for (uint32_t k = 0; k < 17 * 40; k++) twist[k] = 1e-5f;
    LEVEL(s.def.twisting_stiffness = 0);
    LEVEL(s.def.hinged_roots = true);
    LEVEL(s.def.free_roots = true);
    BAD("twisting_stiffness", MOTE_ERROR_RANGE, ALL, 0, GROOMS, s.def.point_bending_stiffness = NULL);
    BAD("point_twisting_stiffness", MOTE_ERROR_RANGE, ALL, 0, GROOMS, s.def.point_bending_stiffness = NULL,
        s.def.point_twisting_stiffness = twist);
    BAD("rest_acceleration", MOTE_ERROR_NOT_FINITE, ALL, 0, GROOMS, LOAD(NAN));
    BAD("rest_acceleration", MOTE_ERROR_NOT_FINITE, ALL, 0, LOAD(INFINITY));
    BAD("rest_acceleration", MOTE_ERROR_RANGE, ALL, 0, LOAD(1)); /* no rods */
    for (uint32_t strand = 0; strand < 17; strand += 4) {
        make_strands(&s, 17, 9, 5);
        const uint32_t tip = s.points[strand] - 1, number = s.first[strand] + tip;
        /* A tip bears no moment. */
        GOOD(GROOMS, rod_stiffness[number] = 0, s.def.point_twisting_stiffness = twist, twist[number] = 0);
        BAD("point_bending_stiffness", MOTE_ERROR_RANGE, strand, tip - 1, GROOMS,
            rod_stiffness[number - 1] = 0);
        BAD("point_bending_stiffness", MOTE_ERROR_RANGE, strand, tip - 1, GROOMS,
            rod_stiffness[number - 1] = 1e-44f, s.def.rest_acceleration[0] = 1e8f);
        BAD("point_twisting_stiffness", MOTE_ERROR_RANGE, strand, tip - 1, GROOMS,
            s.def.point_twisting_stiffness = twist, twist[number - 1] = 0);
        BAD("point_bending_stiffness", MOTE_ERROR_RANGE, strand, tip - 1, GROOMS,
            rod_stiffness[number - 1] = 0, s.def.point_twisting_stiffness = twist, twist[number - 1] = 0);
        twist[number - 1] = twist[number] = 1e-5f;
    }
    for (uint32_t strand = 0; strand < 17; strand += 16) { /* stiffer joints than a float holds */
        float *p = s.positions + 3 * s.first[strand];
        BAD("twisting_stiffness", MOTE_ERROR_RANGE, strand, 0, GROOMS, LOAD(0), NEAR_ROOT(p),
            s.def.twisting_stiffness = FLT_MAX);
        BAD("point_twisting_stiffness", MOTE_ERROR_RANGE, strand, 0, GROOMS, NEAR_ROOT(p),
            s.def.point_twisting_stiffness = twist, twist[s.first[strand]] = FLT_MAX);
        BAD("bending_stiffness", MOTE_ERROR_RANGE, strand, 0, GROOMS, NEAR_ROOT(p),
            s.def.point_bending_stiffness = NULL, s.def.bending_stiffness = FLT_MAX);
        twist[s.first[strand]] = 1e-5f;
    }
    /* Point 2 is where point 0 is: the rod turns by half a turn at point 1. */
    make_strands(&s, 17, 9, 5);
    ASSERT(s.points[6], >=, 3);
    float *p = s.positions + 3 * s.first[6];
    BAD("positions", MOTE_ERROR_RANGE, 6, 1, GROOMS, memcpy(p + 6, p, 3 * sizeof *p));
    GOOD(make_rods(), memcpy(p + 6, p, 3 * sizeof *p));
}

static float ratios[17 * 40], axes[3 * 17 * 40];

/* Rods with sections of their own; axes at right angles to the last segments. */
static void make_flat(void) {
    make_rods();
    s.def.twisting_stiffness = 1e-5f;
    s.def.point_bending_ratio = ratios, s.def.point_axis = axes;
    for (uint32_t k = 0; k < s.first[17]; k++) {
        const float *p = s.positions + 3 * k, x = p[3] - p[0], y = p[4] - p[1];
        ratios[k] = 1 + (float)(k % 5);
        axes[3 * k] = -y, axes[3 * k + 1] = x, axes[3 * k + 2] = 0;
        if (x == 0 && y == 0) axes[3 * k] = 1;
    }
}

TEST(flat_rods_that_cannot_be_are_refused) {
#define FLAT_RODS  make_flat()
#define TWISTED(v) s.def.twisting_stiffness = (v)
    GOOD(FLAT_RODS);
    GOOD(FLAT_RODS, s.def.bending_ratio = NAN); /* not read */
    GOOD(make_rods(), TWISTED(1e-5f), s.def.bending_ratio = 100);
    GOOD(FLAT_RODS, s.def.hinged_roots = true);
    BAD("bending_ratio", MOTE_ERROR_RANGE, ALL, 0, make_rods(), s.def.bending_ratio = 2);
    BAD("point_bending_ratio", MOTE_ERROR_RANGE, ALL, 0, FLAT_RODS, TWISTED(0));
    BAD("point_axis", MOTE_ERROR_RANGE, ALL, 0, FLAT_RODS, TWISTED(0), s.def.point_bending_ratio = NULL);
    BAD("bending_ratio", MOTE_ERROR_RANGE, 0, 0, make_rods(), TWISTED(1e-5f), s.def.bending_ratio = FLT_MAX,
        rod_stiffness[s.first[0]] = 1e6f);
    for (uint32_t strand = 0; strand < 17; strand += 4) {
        make_strands(&s, 17, 9, 5);
        const uint32_t tip = s.points[strand] - 1, number = s.first[strand] + tip;
        float *axis = axes + 3 * (number - 1);
        const float *p = s.positions + 3 * (number - 1);
        BAD("point_bending_ratio", MOTE_ERROR_NOT_FINITE, strand, tip, FLAT_RODS, ratios[number] = NAN);
        BAD("point_bending_ratio", MOTE_ERROR_RANGE, strand, tip, FLAT_RODS, ratios[number] = 0.5f);
        BAD("point_bending_ratio", MOTE_ERROR_RANGE, strand, tip - 1, FLAT_RODS, ratios[number - 1] = FLT_MAX,
            rod_stiffness[number - 1] = 1e6f);
        BAD("point_axis", MOTE_ERROR_NOT_FINITE, strand, tip - 1, FLAT_RODS, axis[1] = NAN);
        BAD("point_axis", MOTE_ERROR_NOT_FINITE, strand, tip - 1, FLAT_RODS, axis[2] = -INFINITY);
        BAD("point_axis", MOTE_ERROR_RANGE, strand, tip - 1, FLAT_RODS, memset(axis, 0, 12));
        BAD("point_axis", MOTE_ERROR_RANGE, strand, tip - 1, FLAT_RODS, axis[0] = 3 * (p[0] - p[3]),
            axis[1] = 3 * (p[1] - p[4]), axis[2] = 3 * (p[2] - p[5]));
        GOOD(FLAT_RODS, memset(axis + 3, 0, 12)); /* the tip's */
    }
}

TEST(rods_with_points_in_one_place_are_refused) {
    for (uint32_t strand = 0; strand < 17; strand += 4)
        for (uint32_t point = 0; point < 2; point++) {
            make_strands(&s, 17, 9, 5);
            if (point + 1 >= s.points[strand]) continue;
            float *p = s.positions + 3 * (s.first[strand] + point);
            BAD("positions", MOTE_ERROR_RANGE, strand, point, RODS, memcpy(p + 3, p, 3 * sizeof *p));
            GOOD(memcpy(p + 3, p, 3 * sizeof *p)); /* no rods */
        }
}

/* Stiffnesses of all points for which a joint of long segments has none. */
TEST(a_rod_too_soft_for_its_load_names_the_stiffness) {
    static const float positions[] = {0, 0, 0, 100, 0, 0, 200, 0, 0, 300, 0, 0};
    static const struct {
        float bending, twisting;
        const char *name;
    } rows[] = {{1e-45f, 1, "bending_stiffness"}, {1, 1e-45f, "twisting_stiffness"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mote_strands_def def = mote_default_strands_def();
        def.strand_count = 1, def.points = 4, def.positions = positions;
        def.rest_acceleration[1] = -9.81f;
        def.bending_stiffness = def.twisting_stiffness = 1;
        accept(&def);
        def.bending_stiffness = rows[i].bending, def.twisting_stiffness = rows[i].twisting;
        refuse(&def, rows[i].name, MOTE_ERROR_RANGE, 0, 2);
    }
}
