/* Boxes that are put where strands are: the strands leave them by one face, hold their lengths from then on
 * and get no speed by it. Without that, each point left by the face nearest to it, neighbours by opposite
 * ones, and a fourth of ropes and rods stood or shook for ever with segments of ten times their length. */
#include "test.h"

#include "rope.h"

enum { MOST_POINTS = 64, PLACED = 100, AMONG = 30 };

/* Pseudorandom number from -0.5 to 0.5. */
static double any(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0 - 0.5;
}

/* Lays a bent strand down from the origin. */
static void lay_curve(float *positions, uint32_t points, double length, uint32_t *state) {
    const double bend = 2 * any(state), slope = any(state);
    double at[3] = {0, 0, 0};
    for (uint32_t k = 0; k < points; k++) {
        const double angle = bend * k / points, d[3] = {sin(angle) + slope, -cos(angle), 0.3 * any(state)},
                     size = sqrt(dot(d, d));
        for (int i = 0; i < 3; i++) {
            positions[3 * k + (uint32_t)i] = (float)at[i];
            at[i] += length / (points - 1) * d[i] / size;
        }
    }
}

static double largest_speed(const rope *r, uint32_t points) {
    double fastest = 0, x[3], v[3];
    for (uint32_t k = 0; k < points; k++) {
        load_point(r, 0, k, x, v);
        fastest = fmax(fastest, sqrt(dot(v, v)));
    }
    return fastest;
}

typedef struct kind {
    const char *name;
    mote_strand_solver solver;
    float bending, twisting; /* N m^2 */
    uint32_t unsolved;       /* placements of PLACED that stay so */
} kind;

/* Where the box is wide and the root close to it, the solve may not find the way around: the strand is told
 * as unsolved. */
static const kind kinds[] = {{"robust rope", MOTE_STRAND_ROBUST, 0, 0, 2},
                             {"conserving rope", MOTE_STRAND_CONSERVING, 0, 0, 2},
                             {"rod", MOTE_STRAND_ROBUST, 1e-2f, 0, 1},
                             {"rod with frames", MOTE_STRAND_ROBUST, 1e-2f, 1e-2f, 1}};
static const char *kind_name(uint32_t i) { return kinds[i].name; }

/* Puts a box of random size where point `about` of a strand is. */
static void put_box(const rope *r, uint32_t about, uint32_t *state) {
    double x[3], square = 0;
    load_point(r, 0, about, x, NULL);
    mote_transform at = {.rotation = {0, 0, 0, 0.5f}};
    float half[3];
    for (int i = 0; i < 3; i++) {
        half[i] = (float)(0.02 + 0.25 * (any(state) + 0.5) * (any(state) + 0.5));
        at.position[i] = (float)(x[i] + half[i] * any(state));
        at.rotation[i] = (float)any(state);
    }
    for (int i = 0; i < 4; i++) square += at.rotation[i] * at.rotation[i];
    for (int i = 0; i < 4; i++) at.rotation[i] /= (float)sqrt(square);
    const mote_collider_def box = mote_box(&at, half);
    mote_collider_id collider;
    assert_int_equal(mote_system_add_collider(r->system, &box, &collider), MOTE_OK);
}

/* Puts boxes on strand number `number`, and steps it. Returns whether this has its lengths at the end; *speed
 * receives its largest speed, over that of a fall from the highest to the lowest place that it can reach. */
static bool put_boxes(const kind *of, uint32_t number, uint32_t boxes, int steps, double *speed) {
    static float positions[3 * MOST_POINTS];
    uint32_t state = 77777u * (number + 1);
    for (int i = 0; i < 8; i++) (void)any(&state);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 2u << (int)(4 * (any(&state) + 0.5));
    def.points = 9 + (uint32_t)(56 * (any(&state) + 0.5));
    const double length = 0.3 + 1.7 * (any(&state) + 0.5);
    lay_curve(positions, def.points, length, &state);
    def.strand_count = 1, def.positions = positions, def.mass = 0.17f, def.solver = of->solver;
    def.bending_stiffness = of->bending, def.twisting_stiffness = of->twisting;
    def.radius = (float)(0.002 + 0.01 * (any(&state) + 0.5));
    const rope r = make_rope(&def, MOTE_SEMI_IMPLICIT_EULER, (mote_rate){60, 1}, 1, GRAVITY);
    step_rope(&r, (uint32_t)(40 * (any(&state) + 0.5)));
    for (uint32_t i = 0; i < boxes; i++)
        put_box(&r, 1 + (uint32_t)((def.points - 2) * (any(&state) + 0.5)), &state);
    const double limit = largest_speed(&r, def.points) + sqrt(2 * GRAVITY * (2 * length + 0.3));
    bool solved = false, buried = false;
    for (int step = 0; step < steps; step++) {
        step_rope(&r, 1);
        *speed = fmax(*speed, largest_speed(&r, def.points) / limit);
        solved |= step > steps - 10 && report_of(&r, 0).unsolved == 0;
        buried |= report_of(&r, 0).buried > 0; /* the box is over the root, too */
    }
    destroy_rope(&r);
    return solved || buried;
}

TEST_EACH(a_strand_leaves_a_box_that_is_put_on_it, COUNT_OF(kinds), kind_name, i) {
    uint32_t unsolved = 0;
    for (uint32_t number = 0; number < PLACED; number++) {
        double speed = 0;
        unsolved += !put_boxes(&kinds[i], number, 1, 90, &speed);
        ASSERT(speed, <=, 1);
    }
    ASSERT(unsolved, <=, kinds[i].unsolved);
}

/* Without a limit after the last projection, rods got ever faster where they were put back in each substep:
 * 30 of 600 were faster than a fall (33 m/s at most, after 4 s), now two. */
TEST_EACH(a_strand_among_boxes_gets_no_faster_than_a_fall, COUNT_OF(kinds), kind_name, i) {
    for (uint32_t number = 0; number < AMONG; number++) {
        double speed = 0;
        (void)put_boxes(&kinds[i], number, 4, 150, &speed);
        test_case("strand %u", number);
        ASSERT(speed, <=, 1);
    }
}
