/* The kernels of strands against the plain reference on any bits: solvers, integrators, rods, contact, pins,
 * instruction sets, counts around a lane group; any values in the columns. A NaN equals any other: their bits
 * are the compiler's. */
#include "input.h"

#include "../strand_reference.h"
#include "system/internal.h"

enum { MOST = 18, MOST_WRITES = 16 };

static bool same_bits(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static void check_column(const char *name, float *const column[3], uint32_t slot, uint32_t points,
                         const reference_row *want) {
    for (uint32_t k = 0; k < points; k++)
        for (int axis = 0; axis < 3; axis++) {
            const float got = column[axis][slot + MOTE_GROUP * k];
            if (same_bits(got, want[k][axis])) continue;
            fprintf(stderr, "%s of point %u of %u, axis %d, is %a, not %a\n", name, k, points, axis,
                    (double)got, (double)want[k][axis]);
            abort();
        }
}

static void check_strand(const mote_strands *b, uint32_t strand, const reference_strand *want) {
    const uint32_t lane = b->lane_of_strand[strand], slot = mote_strands_slot_of(b, lane, 0);
    FUZZ_CHECK(b->frozen[lane] == want->frozen);
    check_column("position", b->range.x, slot, want->points, want->x);
    check_column("velocity", b->range.v, slot, want->points, want->v);
    check_column("reaction", b->range.reaction, slot, want->points, want->reaction);
    if (want->frozen) return; /* the way there is not compared */
    FUZZ_CHECK(b->iterations[lane] == want->iterations && b->unsolved[lane] == want->unsolved);
    FUZZ_CHECK(b->fallbacks[lane] == want->fallbacks && b->buried[lane] == want->buried);
    FUZZ_CHECK(b->infeasible[lane] == want->infeasible);
    FUZZ_CHECK(same_bits(b->strain[lane], want->max_strain));
}

/* Sets that the engine takes: framed rods are rods, rods are robust and rigid, conserving strands rigid, and
 * rest shapes of rods have no twist of their own axes but where they are flat. */
static uint32_t take_parts(input *in, mote_strand_solver solver) {
    uint32_t parts =
        (take_word(in) & ~(uint32_t)(HOSTILE | RODS | FRAMED | FLAT | HINGED | EVEN_POINTS)) | SYSTEM;
    const uint32_t rods = take_byte(in);
    if (solver == MOTE_STRAND_CONSERVING) parts |= RIGID;
    if (solver == MOTE_STRAND_SPRINGS) parts &= ~(uint32_t)RIGID;
    if (solver != MOTE_STRAND_ROBUST || rods < 96) return parts;
    parts |= RIGID | RODS;
    if (rods & 1) parts |= FRAMED;
    if (rods & 2 && rods & 1) parts |= FLAT;
    if (rods & 4 && !(parts & FREE)) parts |= HINGED;
    return parts;
}

/* Any values, extreme or small ones, into the columns of some points. */
static void write_values(mote_system *system, mote_strands_id id, uint32_t count, input *in) {
    const mote_strands_view view = mote_strands_columns(system, id);
    float *const column[6] = {view.position.x, view.position.y, view.position.z,
                              view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t writes = take_below(in, MOST_WRITES + 1); writes-- > 0;) {
        const uint32_t strand = take_below(in, count),
                       point = take_byte(in) % mote_strands_points(system, id, strand);
        float *to = &column[take_below(in, 6)][mote_strands_slot(system, id, strand, point)];
        const uint32_t way = take_byte(in);
        *to = way < 24 ? take_bits(in) : way < 72 ? take_extreme(in) : *to + take_float(in);
    }
}

static void compare(strand_scene *s, input in) {
    static reference_strand references[MOST];
    mote_strands_id id;
    mote_system *system = make_strand_scene(s, &id);
    write_values(system, id, s->count, &in);
    const mote_strands *strands = mote_strands_of(mote_system_range(system, MOTE_KIND_STRANDS, MOTE_ID(id)));
    reference_world w = world_of(s, system, strands);
    for (uint32_t i = 0; i < s->count; i++) reference_strand_load(&references[i], strands, i);
    for (w.step = 0; w.step < s->steps; w.step++) {
        step_references(references, s->count, &w, system);
        FUZZ_CHECK(mote_system_step(system, 1, NULL) == MOTE_OK);
        for (uint32_t i = 0; i < s->count; i++) check_strand(strands, i, &references[i]);
    }
    mote_system_destroy(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    strand_scene s = {.solver = (mote_strand_solver)take_below(&in, MOTE_STRAND_SOLVER_COUNT)};
    s.parts = take_parts(&in, s.solver);
    s.integrator = (mote_integrator)take_below(&in, MOTE_ADVECT_EULER);
    if (s.solver != MOTE_STRAND_SPRINGS) s.integrator = MOTE_SEMI_IMPLICIT_EULER;
    s.count = 1 + take_below(&in, MOST), s.seed = take_word(&in);
    s.substeps = 1 + take_below(&in, 4), s.steps = 1 + take_below(&in, 3);
    for (int isa = MOTE_ISA_SCALAR; isa < MOTE_ISA_COUNT; isa++) {
        s.isa = (mote_isa)isa;
        if (mote_isa_available(s.isa)) compare(&s, in);
    }
    return 0;
}
