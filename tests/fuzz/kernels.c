/* Every kernel of particles against the plain reference on any bits: integrators, forces, instruction sets,
 * counts around a lane group; and kicks against the scalar kernels. A NaN equals any other: their bits are
 * the compiler's. */
#include "input.h"

#include "../kernel_forces.h"

enum { MOST = 40, COLUMNS = 10 };

typedef float state[COLUMNS][MOST];

static mote_columns columns_of(state s, uint32_t count, bool masses) {
    return (mote_columns){.count = count,
                          .position = {s[0], s[1], s[2]},
                          .velocity = {s[3], s[4], s[5]},
                          .inverse_mass = masses ? s[6] : NULL,
                          .mass = 0.7f,
                          .anchor = {s[7], s[8], s[9]}};
}

/* Raw bits, extreme or small numbers, by column. Inverse masses are finite: an infinite one leaves it open
 * whether 0 x infinity is computed. */
static void fill(state s, uint32_t count, input *in) {
    for (int c = 0; c < COLUMNS; c++) {
        const uint32_t way = take_byte(in);
        for (uint32_t i = 0; i < count; i++) {
            s[c][i] = way < 32 ? take_bits(in) : way < 64 ? take_extreme(in) : take_float(in);
            if (c == 6) s[c][i] = isfinite(s[c][i]) ? fabsf(s[c][i]) : 0;
        }
    }
}

static bool same_bits(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static void check_same(state got, state want, uint32_t count) {
    for (int c = 0; c < 6; c++)
        for (uint32_t i = 0; i < count; i++) {
            if (same_bits(got[c][i], want[c][i])) continue;
            fprintf(stderr, "column %d of particle %u is %a, not %a\n", c, i, (double)got[c][i],
                    (double)want[c][i]);
            abort();
        }
}

static void compare(mote_columns_def def, bool masses, uint32_t count, state start) {
    static state want, got;
    uint32_t frozen;
    memcpy(want, start, sizeof want);
    const mote_columns reference = columns_of(want, count, masses);
    const uint32_t expected = reference_columns_step(&reference, &def, NULL);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        def.isa = (mote_isa)isa;
        if (!mote_isa_available(def.isa)) continue;
        memcpy(got, start, sizeof got);
        const mote_columns columns = columns_of(got, count, masses);
        FUZZ_CHECK(mote_columns_step(&columns, &def, &frozen) == MOTE_OK);
        FUZZ_CHECK(frozen == expected);
        check_same(got, want, count);
    }
}

/* Kicks: the code and the bits of the scalar kernels on every other instruction set. */
static void compare_kicks(mote_columns_def def, bool masses, uint32_t count, state start) {
    static state want, got;
    memcpy(want, start, sizeof want);
    const mote_columns scalar = columns_of(want, count, masses);
    def.isa = MOTE_ISA_SCALAR;
    const mote_result expected = mote_columns_kick(&scalar, &def, -0.5);
    for (int isa = MOTE_ISA_SCALAR + 1; isa < MOTE_ISA_COUNT; isa++) {
        def.isa = (mote_isa)isa;
        if (!mote_isa_available(def.isa)) continue;
        memcpy(got, start, sizeof got);
        const mote_columns columns = columns_of(got, count, masses);
        FUZZ_CHECK(mote_columns_kick(&columns, &def, -0.5) == expected);
        check_same(got, want, count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static state start;
    mote_force_def forces[MAX_FORCES];
    input in = {bytes, bytes + size};
    if (!test_grids[0]) make_test_grids();
    mote_columns_def def = mote_default_columns_def();
    def.integrator = (mote_integrator)take_below(&in, MOTE_INTEGRATOR_COUNT);
    const force_set set = (force_set)take_below(&in, FORCE_SETS);
    if (!takes(def.integrator, set) || uses_inbox(set)) return 0;
    def.forces = forces, def.force_count = make_forces(set, forces);
    def.substeps = 1 + take_below(&in, 3), def.steps = 1 + take_below(&in, 2);
    def.timestep = take_byte(&in) < 240 ? 1.0 / 60 : 1e-6 * (1 + (double)take_byte(&in));
    def.time = 1.25;
    const bool masses = take_byte(&in) & 1;
    const uint32_t count = 1 + take_below(&in, MOST);
    fill(start, count, &in);
    compare(def, masses, count, start);
    compare_kicks(def, masses, count, start);
    return 0;
}
